# The null of basis forms: a measure declares null = list(kind = "basis", form, stat, score).
# form(rep, args, side) gives list(matrix = n x r, norm = its Frobenius norm, and what score()
# needs); s: singular values of A'B[p, ], a column a permutation; stat(s) is what p-values
# compare, larger for more similar, in units of the norms; score(s, fx, fy, args) the scores.

basis_null <- function(null, measure, pairs, sides, design, observed) {
  args <- measure$args
  x <- used_forms(sides$x$reps, pairs$i, function(rep) null$form(rep, args, "x"))
  y <- used_forms(sides$y$reps, pairs$j, function(rep) null$form(rep, args, "y"))
  permutations <- cbind(seq_len(design$n), design_matrix(design))
  progress <- basis_progress(nrow(pairs) * ncol(permutations), measure)
  lapply(seq_len(nrow(pairs)), function(p) {
    fx <- x$forms[[x$at[p]]]
    fy <- y$forms[[y$at[p]]]
    parts <- lapply(permutation_chunks(fx$matrix, fy$matrix, ncol(permutations)), function(at) {
      s <- .Call(C_permuted_singular_values, fx$matrix, fy$matrix,
                 permutations[, at, drop = FALSE])
      progress(length(at))
      cbind(null$stat(s, fx, fy), null$score(s, fx, fy, args))
    })
    values <- do.call(rbind, parts)
    pair_draw(values[, 1], values[, 2], equal_share * null$scale(fx, fy), observed[p])
  })
}

# Columns of about half a second each: a product and its singular values take some n r s + 20 m^3
# operations.
permutation_chunks <- function(a, b, count) {
  r <- as.double(ncol(a))
  s <- as.double(ncol(b))
  work <- nrow(a) * r * s + 20 * max(r, s) * min(r, s)^2
  unname(split(seq_len(count), ceiling(seq_len(count) / max(1, floor(1e9 / work)))))
}

# Counts permutations done; says after the first ones how long the rest will take.
basis_progress <- function(total, measure) {
  advance <- progress_along(100)
  started <- proc.time()[[3]]
  done <- 0
  function(more) {
    if (done == 0) announce_duration(started, more, total, null_of_label(measure))
    steps <- floor(100 * (done + more) / total) - floor(100 * done / total)
    done <<- done + more
    for (step in seq_len(steps)) advance()
  }
}

# Orthonormal bases: canonical correlations, whose mean is at most 1.
mean_cosine_null <- function(form) {
  list(kind = "basis", form = form, scale = function(fx, fy) 1,
       stat = function(s, fx, fy) colMeans(clip_cosines(s)),
       score = function(s, fx, fy, args) colMeans(clip_cosines(s)))
}
