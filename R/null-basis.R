# The null of basis forms: a measure declares null = list(kind = "basis", form, stat, score).
# form(rep, args, side) gives list(matrix = n x r, norm = its Frobenius norm, and what score()
# needs); s: singular values of A'B[p, ], a column a permutation; stat(s) is what p-values
# compare, larger for more similar, in units of the norms; score(s, fx, fy, args) the scores.

basis_null <- function(null, measure, pairs, sides, design) {
  args <- measure$args
  x <- used_forms(sides$x$reps, pairs$i, function(rep) null$form(rep, args, "x"))
  y <- used_forms(sides$y$reps, pairs$j, function(rep) null$form(rep, args, "y"))
  permutations <- cbind(seq_len(design$n), design_matrix(design))
  check_memory(8 * ncol(permutations) * nrow(pairs), "The null scores of all pairs",
               "Fewer permutations or fewer pairs in a call need less.")
  advance <- progress_along(nrow(pairs))
  started <- proc.time()[[3]]
  draws <- lapply(seq_len(nrow(pairs)), function(p) {
    fx <- x$forms[[x$at[p]]]
    fy <- y$forms[[y$at[p]]]
    s <- .Call(C_permuted_singular_values, fx$matrix, fy$matrix, permutations)
    if (p == 1) announce_duration(started, 1, nrow(pairs), null_of_label(measure))
    advance()
    list(stat = null$stat(s, fx, fy), score = null$score(s, fx, fy, args),
         tolerance = equal_share * null$scale(fx, fy))
  })
  collect_draws(draws)
}

# Orthonormal bases: canonical correlations, whose mean is at most 1.
mean_cosine_null <- function(form) {
  list(kind = "basis", form = form, scale = function(fx, fy) 1,
       stat = function(s, fx, fy) colMeans(clip_cosines(s)),
       score = function(s, fx, fy, args) colMeans(clip_cosines(s)))
}
