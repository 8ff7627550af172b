# These functions make inner products and sums under permutations, and the matrices for them.

# The inner products of all matrices of x with all matrices of y. The first row is for the identity,
# the others for the permutations of the design; the columns are the pairs of matrices, in which the
# matrix of x changes fastest.
inner_products <- function(x, y, design, what = "The null") {
  n <- design$n
  if (is.null(design$coset)) {
    permutations <- with_observed(design)
    # how many permutations, or cosets, take about a second: the work between two steps of progress
    return(in_chunks(ncol(permutations), 1e9 / (n^2 * length(x) * length(y)), function(columns) {
      .Call(C_permuted_inner, x, y, permutations[, columns, drop = FALSE], thread_count())
    }, what))
  }
  orders <- design$coset$orders_y
  check_memory(coset_bytes(n, x, y), "The Fourier transforms of all pairs",
               "Fewer pairs in a call need less.")
  by_time <- 1e9 / (n^2 * (length(x) * length(y) + 4 * (length(x) + length(y))))
  in_chunks(ncol(orders), min(by_time, 2e8 / coset_bytes(n, x, y)), function(columns) {
    .Call(C_coset_inner, x, y, design$coset$order_x, orders[, columns, drop = FALSE],
          diagonals_at_once, thread_count())
  }, what)
}

# How many diagonals are transformed and added up together. The number is fixed, so that rounding,
# and with it the results, do not depend on how many representations a call has.
diagonals_at_once <- 128

# The memory of a coset: every pair has a complex spectrum of up to twice the length n.
coset_bytes <- function(n, x, y) 32 * as.double(n) * length(x) * length(y)

matrix_operand <- function(matrix) list(matrix = matrix, norm = sqrt(.Call(C_dot, matrix, matrix)))

# The n x n matrix of a packed form. A form with `means` and `grand` (the mean of all entries) is
# centred on the way; others have plain entries.
unpacked <- function(form, n, square = FALSE) {
  grand <- if (is.null(form$grand)) 0 else form$grand
  .Call(C_unpack, form$entries, n, square, form$means, grand, form$diagonal, thread_count())
}

# The column sums of a * b with the rows of b permuted: a matrix with a row for each permutation,
# the identity first, and the columns of a and b.
column_sums <- function(a, b, design) {
  n <- design$n
  if (is.null(design$coset)) {
    sums <- apply(with_observed(design), 2, function(p) colSums(a * b[p, , drop = FALSE]))
    return(t(matrix(sums, ncol(a))))
  }
  # The sums for the shifts of cosets are circular correlations, computed by Fourier transforms of a
  # length without large prime factors, which are fast.
  length <- if (stats::nextn(n) == n) n else stats::nextn(2 * n - 1)
  spectrum <- function(values, repeated) {
    rows <- if (repeated) seq_len(length) %% n else seq_len(n)
    rows[rows == 0] <- n
    rest <- matrix(0, length - length(rows), ncol(values))
    stats::mvfft(rbind(values[rows, , drop = FALSE], rest))
  }
  some <- split(seq_len(ncol(a)), ceiling(seq_len(ncol(a)) * n / 1e6))
  parts <- lapply(some, function(columns) {
    first <- Conj(spectrum(a[design$coset$order_x, columns, drop = FALSE], FALSE))
    shifts <- lapply(seq_len(ncol(design$coset$orders_y)), function(m) {
      second <- spectrum(b[design$coset$orders_y[, m], columns, drop = FALSE], TRUE)
      sums <- stats::mvfft(first * second, inverse = TRUE)
      Re(sums[seq_len(n), , drop = FALSE]) / length
    })
    do.call(rbind, shifts)
  })
  do.call(cbind, unname(parts))
}
