# The null of pair forms: a measure declares null = list(kind = "pair", form, score), where
# form(rep, args, side) gives list(matrix = a symmetric n x n matrix, norm = its Frobenius norm, and
# whatever score() needs), and score(inner, fx, fy, args) turns T = sum_ij A_ij B_p(i)p(j) into
# scores, more similar with larger T. centered: do the rows of the matrices add up to 0?

pair_null <- function(null, measure, pairs, sides, design, observed) {
  args <- measure$args
  x <- used_forms(sides$x$reps, pairs$i, function(rep) null$form(rep, args, "x"))
  y <- used_forms(sides$y$reps, pairs$j, function(rep) null$form(rep, args, "y"))
  inner <- inner_products(lapply(x$forms, function(f) f$matrix),
                          lapply(y$forms, function(f) f$matrix), design, null_of_label(measure))
  columns <- x$at + length(x$forms) * (y$at - 1)
  lapply(seq_len(nrow(pairs)), function(p) {
    fx <- x$forms[[x$at[p]]]
    fy <- y$forms[[y$at[p]]]
    stat <- inner[, columns[p]]
    if (!is.null(null$correction)) {
      pair <- as_pair(sides$x$reps[[pairs$i[p]]], sides$y$reps[[pairs$j[p]]])
      stat <- stat - null$correction(pair, args, design)
    }
    pair_draw(stat, null$score(stat, fx, fy, args), equal_share * fx$norm * fy$norm, observed[p])
  })
}

# Measures whose matrix is the Gram matrix (gram = TRUE in their null): it is made once, and
# the scores of a grid come from products of many matrices at once. What cannot be prepared is
# refused when its pair is compared.
plan_grams <- function(set, sides) {
  needed <- vapply(set, function(m) isTRUE(null_of(m)$gram), NA)
  reps <- all_reps(sides)
  kinds <- vapply(reps, function(rep) rep$kind, "")
  if (!any(needed) || any(kinds != "data")) return(invisible())
  for (rep in reps) rep$cache$gram_wanted <- TRUE
  grams <- function(side) lapply(side$reps, function(rep) form_linear(rep)$gram)
  totals <- tryCatch({
    for (rep in reps) check_square_memory(rep)
    .Call(C_cross_dots, grams(sides$x), grams(sides$y), thread_count())
  }, repalign_error = function(e) NULL)
  if (is.null(totals)) return(invisible())
  for (i in seq_along(sides$x$reps)) sides$x$reps[[i]]$cache$grid_row <- totals[i, ]
  for (j in seq_along(sides$y$reps)) sides$y$reps[[j]]$cache$grid_column <- j
}

# The share of its scale below which a null value counts as equal to the observed one.
equal_share <- 1e-10

# The forms of the representations that are used, each made once, and which pair uses which.
used_forms <- function(reps, index, form) {
  used <- unique(index)
  list(forms = lapply(reps[used], form), at = match(index, used))
}

# Null scores of `pairs` pairs under `count` permutations: kept once for every measure, and a
# few times over while they are made.
check_null_memory <- function(count, pairs, measures) {
  check_memory(8 * (count + 1) * pairs * (measures + 4), "The null scores of all pairs",
               "Fewer permutations or fewer pairs in a call need less.")
}

# T for the identity (first row) and for every permutation of the design; columns: pairs of
# matrices, x fastest.
inner_products <- function(x, y, design, what = "The null") {
  n <- design$n
  if (is.null(design$coset)) {
    permutations <- cbind(seq_len(n), design$matrix)
    return(in_chunks(ncol(permutations), permuted_chunk(n, x, y), function(columns) {
      .Call(C_permuted_inner, x, y, permutations[, columns, drop = FALSE], thread_count())
    }, what))
  }
  orders <- design$coset$orders_y
  check_memory(coset_bytes(n, x, y), "The Fourier transforms of all pairs",
               "Fewer pairs in a call need less.")
  in_chunks(ncol(orders), coset_chunk(n, x, y), function(columns) {
    .Call(C_coset_inner, x, y, design$coset$order_x, orders[, columns, drop = FALSE],
          diagonals_at_once, thread_count())
  }, what)
}

# Always the same: sums over diagonals must not depend on how many layers there are.
diagonals_at_once <- 128

# Work between two steps of progress: about a second.
permuted_chunk <- function(n, x, y) 1e9 / (n^2 * length(x) * length(y))

coset_chunk <- function(n, x, y) {
  by_time <- 1e9 / (n^2 * (length(x) * length(y) + 4 * (length(x) + length(y))))
  min(by_time, 2e8 / coset_bytes(n, x, y))
}

# A spectrum a pair, of up to twice the length.
coset_bytes <- function(n, x, y) 32 * as.double(n) * length(x) * length(y)

# What run() gives for columns 1 to `count`, some at a time, row under row.
in_chunks <- function(count, size, run, what) {
  starts <- seq(1, count, by = max(1, floor(size)))
  ends <- c(starts[-1] - 1, count)
  advance <- progress_along(length(starts))
  started <- proc.time()[[3]]
  first <- run(starts[1]:ends[1])
  announce_duration(started, ends[1], count, what)
  advance()
  if (length(starts) == 1) return(first)
  each <- nrow(first) / ends[1] # rows a column
  result <- matrix(0, each * count, ncol(first))
  result[seq_len(nrow(first)), ] <- first
  for (k in seq_along(starts)[-1]) {
    rows <- (each * (starts[k] - 1) + 1):(each * ends[k])
    result[rows, ] <- run(starts[k]:ends[k])
    advance()
  }
  result
}

normed <- function(matrix) list(matrix = matrix, norm = sqrt(.Call(C_dot, matrix, matrix)))

check_square_memory <- function(rep) {
  check_memory(3 * 8 * as.double(rep$n)^2, paste0("The ", rep$n, " x ", rep$n, " matrices of `",
                                                  rep$arg, "` for its null"),
               "Fewer stimuli need less.")
}

# The whole matrix of a packed form with means and grand (centred), or of plain entries.
unpacked <- function(form, n, square = FALSE) {
  grand <- if (is.null(form$grand)) 0 else form$grand
  .Call(C_unpack, form$entries, n, square, form$means, grand, form$diagonal, thread_count())
}

# Sums of a column by column product of a and the permuted b: a row a permutation of the
# design (the identity first), a column a column.
column_sums <- function(a, b, design) {
  if (is.null(design$coset)) {
    permutations <- cbind(seq_len(design$n), design$matrix)
    sums <- apply(permutations, 2, function(p) colSums(a * b[p, , drop = FALSE]))
    return(t(matrix(sums, ncol(a))))
  }
  some <- split(seq_len(ncol(a)), ceiling(seq_len(ncol(a)) * design$n / 1e6))
  parts <- lapply(some, function(columns) {
    coset_sums(a[, columns, drop = FALSE], b[, columns, drop = FALSE], design)
  })
  do.call(cbind, unname(parts))
}

# Circular correlations, by transforms of a length without large factors.
coset_sums <- function(a, b, design) {
  n <- design$n
  smooth <- stats::nextn(n) == n
  length <- if (smooth) n else stats::nextn(2 * n - 1)
  spectrum <- function(values, repeated) {
    rows <- if (repeated) seq_len(length) %% n else seq_len(n)
    rows[rows == 0] <- n
    rest <- matrix(0, length - length(rows), ncol(values))
    stats::mvfft(rbind(values[rows, , drop = FALSE], rest))
  }
  first <- Conj(spectrum(a[design$coset$order_x, , drop = FALSE], FALSE))
  shifts <- lapply(seq_len(ncol(design$coset$orders_y)), function(m) {
    second <- spectrum(b[design$coset$orders_y[, m], , drop = FALSE], TRUE)
    sums <- stats::mvfft(first * second, inverse = TRUE)
    Re(sums[seq_len(n), , drop = FALSE]) / length
  })
  do.call(rbind, shifts)
}
