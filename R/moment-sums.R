# These functions compute the sums over one symmetric matrix of which the moments of permuted inner
# products are made (null-moments.R).

# The sums that the moments need of one matrix. First the multiple of I - 11'/n with the same trace
# is subtracted. That changes T by the same constant for all permutations. Without it, a large trace
# would make all T nearly equal, and the moments small differences of large terms. `whole` is the
# norm before the subtraction and `norm` the one after it. The sums are in units of `norm`, and so
# are `row`, the largest share of a row in the sum of squares, `rows`, the sum of the squared
# shares, and `entry`, the largest entry of the diagonal. `cube` is NULL, or a function(trace,
# scale, squares) that gives the trace of the cube cheaply, see core_cube().
moment_sums <- function(matrix, cube = NULL) {
  n <- nrow(matrix)
  whole <- sqrt(.Call(C_dot, matrix, matrix))
  trace <- sum(diag(matrix))
  scale <- 1 / max(whole, .Machine$double.xmin)
  columns <- .Call(C_moment_sums, matrix, -trace / n, trace / (n * (n - 1)), scale, thread_count())
  size <- sqrt(sum(columns$squares))
  cubes <- if (!is.null(cube)) cube(trace, scale, columns$squares) else
    .Call(C_cube_trace, matrix, -trace / n, trace / (n * (n - 1)), scale)
  unit <- if (size > 0) size else 1
  d <- columns$diagonal / unit
  squares <- columns$squares / unit^2
  list(whole = whole, trace = trace, norm = size * whole, n = n, t3 = cubes / unit^3, s2 = sum(d^2),
       s3 = sum(d^3), u = sum(columns$cubes) / unit^3, r = sum(d * squares),
       b = sum(d * columns$dots) / unit^2, row = max(squares),
       rows = sum(squares^2), entry = max(abs(d)), values = count_values(matrix, whole))
}

# How many different values there are off the diagonal of a matrix, up to rounding: among some rows
# in equal distances, and counted no further than about 200 of them.
count_values <- function(matrix, whole) {
  n <- nrow(matrix)
  rows <- unique(round(seq(1, n, length.out = min(n, 200))))
  part <- matrix[rows, rows]
  part <- part[upper.tri(part)] / max(whole, .Machine$double.xmin)
  length(unique(round(part * n * 1e6)))
}

# The trace of the cube takes a product of the matrix with itself, unless the matrix has low rank.
# Then it is the sum of the cubes of few eigenvalues. Here `core` is a small matrix with the same
# eigenvalues but for zeros. On the space where rows add up to 0, subtracting the trace lowers every
# eigenvalue by the same number. NULL where the core is not smaller.
core_cube <- function(core, n) {
  if (nrow(core) >= n) return(NULL)
  function(trace, scale, squares) {
    mean <- trace / (n - 1)
    .Call(C_cube_trace, core, -mean, 0, scale) - (n - 1 - nrow(core)) * (mean * scale)^3
  }
}

# The same for the U-centred Gram matrix of centred data x. It is L - D, where D is diagonal and L
# has the same diagonal and the rank d + 2: L = x x' + (k 1' + 1 k') / (n - 2) - rest 1 1', with the
# squared norms k of the rows. Since L^2 has the diagonal `squares` + D^2, the trace of (L - D)^3 is
# that of L^3 less 3 sum(D squares) + sum(D^3).
u_centered_cube <- function(x) {
  n <- nrow(x)
  if (ncol(x) + 2 >= n) return(NULL)
  k <- rowSums(x^2)
  rest <- sum(k) / ((n - 1) * (n - 2))
  function(trace, scale, squares) {
    # x' k and so on: L = z s z', with z = (x, k, 1), has the eigenvalues of s z'z
    m <- crossprod(cbind(x, k, 1))
    d <- ncol(x)
    last <- m[d + 1:2, , drop = FALSE]
    m[d + 1, ] <- last[2, ] / (n - 2)
    m[d + 2, ] <- last[1, ] / (n - 2) - rest * last[2, ]
    m <- m * scale
    diagonal <- (k + 2 * k / (n - 2) - rest) * scale
    sum((m %*% m) * t(m)) - 3 * sum(diagonal * squares) - sum(diagonal^3)
  }
}
