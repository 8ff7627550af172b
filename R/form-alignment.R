# Forms of measures that align neurons, and of those that compare subspaces.

#' @include form.R
NULL

# ---- alignment

# Measures that align neurons prepare the forms of this file: row factors, unit columns and row
# norms of one representation, and the cross product and the optimal rotation of a pair.

# An n x n matrix whose rows have the same inner products as those of the wider data: rotations of
# the columns change nothing else. A QR decomposition of the data gives it; a Gram matrix would
# square the data and lose half of the digits.
row_factor <- function(repr, center) {
  remember_form(repr, "row factor", list(center), {
    unit <- form_scaling(repr, center)
    announce_decomposition(ncol(repr$data), repr$n, "qr")
    list(factor = .Call(C_row_factor, repr$data, unit$means, unit$scale))
  })$factor
}

declare_form("row factor", relabel = relabel_parts(rows = "factor"),
             size = function(n, d, args) as.double(n) * min(n, d))

# With more columns than rows on both sides, row factors with n columns are used instead of the
# data.
is_wide <- function(pair) min(ncol(pair$x$data), ncol(pair$y$data)) > pair$x$n

# The matrix of one side that is rotated.
data_to_rotate <- function(pair, side, center) {
  if (is_wide(pair)) row_factor(pair[[side]], center) else scaled_data(pair[[side]], center)
}

# a u v', the rows of `a` rotated, multiplied in the order that takes less time.
turned_by <- function(a, u, v) {
  if (nrow(a) > max(nrow(u), nrow(v))) a %*% tcrossprod(u, v) else tcrossprod(a %*% u, v)
}

# x'y of the data, even where row factors could be used instead.
pair_cross <- function(pair, center) {
  remember(pair$cache, list("cross product", center), {
    x <- form_scaling(pair$x, center)
    y <- form_scaling(pair$y, center)
    .Call(C_cross_product, pair$x$data, x$means, x$scale, pair$y$data, y$means, y$scale)
  })
}

# The smallest matrix with the same singular values as x'y.
rotation_cross <- function(pair, center) {
  if (!is_wide(pair)) return(pair_cross(pair, center))
  remember(pair$cache, list("row factor product", center), {
    crossprod(row_factor(pair$x, center), row_factor(pair$y, center))
  })
}

# x, y: what data_to_rotate() gives of the pair.
pair_rotation <- function(pair, center, x, y) {
  remember(pair$cache, list("rotation", center), {
    optimal_rotation(x, y, rotation_cross(pair, center))
  })
}

# Matrices u and v with orthonormal columns such that u v' is the optimal rotation of x onto y. The
# data determine only the first `determined` of their columns; the others are arbitrary.
optimal_rotation <- function(x, y, cross) {
  if (ncol(x) <= ncol(y)) return(rotate_narrow(x, y, cross))
  reverse <- rotate_narrow(y, x, t(cross))
  list(u = reverse$v, v = reverse$u, determined = reverse$determined)
}

# The same for an x that has no more columns than y. Directions that are weak in x'y are lost in the
# rounding of the strong ones. So the strong directions are split off, and the rest is decomposed
# again at its own scale, until nothing but rounding is left.
rotate_narrow <- function(x, y, cross) {
  step <- singular_vectors(cross)
  u <- step$u
  v <- step$v
  determined <- 0
  size <- c(frobenius(x), frobenius(y))
  left <- size
  repeat {
    noise <- 16 * .Machine$double.eps * sqrt(nrow(x)) * sum(size * rev(left))
    clear <- sum(step$d > max(1e-8 * step$d[1], noise))
    determined <- determined + clear
    if (clear == 0 || determined == ncol(x)) break
    rest <- (determined + 1):ncol(x)
    rest_u <- u[, rest, drop = FALSE]
    rest_x <- x %*% rest_u
    rest_v <- if (ncol(v) == nrow(v)) v[, rest, drop = FALSE] else {
      # As many orthonormal columns, all orthogonal to the others of v. They span all directions
      # outside of these in which the rows of y have an inner product with the columns of rest_x.
      # What is in the span of the others is taken out twice, because the first time leaves rounding
      # errors of the size of y.
      others <- v[, -rest, drop = FALSE]
      toward <- crossprod(without_span(without_span(y, others), others), rest_x)
      norms <- sqrt(colSums(toward^2))
      toward <- sweep(toward, 2, ifelse(norms > 0, norms, 1), "/")
      # Householder vectors are orthonormal even where `toward` is not of full rank
      decomposed <- qr(cbind(others, toward), LAPACK = TRUE)
      qr.Q(decomposed)[, decomposed$pivot > ncol(others), drop = FALSE]
    }
    rest_y <- y %*% rest_v
    left <- c(frobenius(rest_x), frobenius(rest_y))
    step <- singular_vectors(crossprod(rest_x, rest_y))
    u[, rest] <- rest_u %*% step$u
    v[, rest] <- rest_v %*% step$v
  }
  list(u = u, v = v, determined = determined)
}

frobenius <- function(a) sqrt(.Call(C_dot, a, a))

# The rows of `a` without their part in the span of the columns of v, which are orthonormal.
without_span <- function(a, v) a - tcrossprod(a %*% v, v)

# Columns with mean 0 and norm 1, whose inner products are correlations.
form_columns <- function(repr) {
  remember_form(repr, "columns", list(), {
    form <- .Call(C_standardize, repr$data, form_centering(repr)$means)
    refuse_if(length(form$constant), "variance", "`{repr$arg}` has constant columns, which ",
              "correlate with nothing: {enumerate(form$constant, quote = FALSE)}. Remove them.")
    list(columns = form$columns)
  })
}

declare_form("columns", relabel = relabel_parts(rows = "columns"),
             size = function(n, d, args) as.double(n) * d)

pair_correlation <- function(pair) {
  remember(pair$cache, "correlation", {
    crossprod(form_columns(pair$x)$columns, form_columns(pair$y)$columns)
  })
}

# Norms of the rows of the scaled data. Rows of zeros are refused, because they have no direction.
form_row_norms <- function(repr, center) {
  remember_form(repr, "row norms", list(center), {
    unit <- form_scaling(repr, center)
    norms <- .Call(C_row_norms, repr$data, unit$means, unit$scale)
    zero <- which(norms <= row_rounding(repr, center))
    refuse_if(length(zero) && center, "zero_row", "`{repr$arg}` has rows equal to the mean row, ",
              "whose direction is undefined after centring: {enumerate(zero, quote = FALSE)}. ",
              "Remove these stimuli on both sides.")
    refuse_rows(repr, zero, centered = FALSE)
    list(norms = norms)
  })
}

declare_form("row norms", relabel = relabel_parts(each = "norms"), size = function(n, d, args) n)

# Up to which norm a centred row may be nothing but the rounding of a row that equals the mean row.
row_rounding <- function(repr, center) {
  if (!center) return(0)
  unit <- form_centering(repr)
  raw <- .Call(C_row_norms, repr$data, numeric(length(unit$means)), unit$scale)
  4 * .Machine$double.eps * raw
}

# Both sides were scaled each by a factor of its own. This returns the factors that bring them to
# common units (or with `scale` to norm 1), and the scale of these units: scores divided by it have
# the units of the data. x and y are forms with a norm.
common_units <- function(x, y, scale) {
  if (scale) return(list(x = 1 / x$norm, y = 1 / y$norm, scale = 1))
  unit <- min(x$scale, y$scale)
  list(x = unit / x$scale, y = unit / y$scale, scale = unit)
}

# ---- bases

# Measures of subspaces share one decomposition of each representation, made here: an orthonormal
# basis of the space that its columns span, and what follows from it.

# Returns q, an n x rank matrix with orthonormal columns, and `triangle`, or `core`, or `rotation`
# and `s`. The fast ways are taken only if a condition number shows full rank: Cholesky factors
# give `triangle`, with the data q triangle; with as many columns as rows, see make_basis().
# Otherwise, and always with fast = FALSE, Householder QR and a singular value decomposition give
# the principal components, see form_components().
form_basis <- function(repr, centered = TRUE, fast = TRUE) {
  remember_form(repr, "basis", list(centered, fast), make_basis(repr, centered, fast))
}

declare_form("basis", relabel = relabel_parts(rows = "q"),
             size = function(n, d, args) (as.double(n) + 2 * min(n, d)) * min(n, d))

make_basis <- function(repr, centered, fast) {
  unit <- form_scaling(repr, centered)
  n <- repr$n
  d <- ncol(repr$data)
  if (fast && d < n) {
    found <- .Call(C_basis, repr$data, unit$means, unit$scale, TRUE)
    if (!is.null(found)) return(found)
  } else if (fast) {
    # As many columns as rows mostly span the whole space of the rows (centred: all that has a mean
    # of 0), of which one basis is as good as another. `core` is a triangle with the inner products
    # of the rows of q'x.
    x <- scaled_data(repr, centered)
    q <- diag(n)
    if (centered) {
      # the reflection that takes 1 to the first axis, but for its first column
      q <- rbind(1 / sqrt(n), q[-1, -1, drop = FALSE] - 1 / (n - sqrt(n)))
      x <- x[-1, , drop = FALSE] + rep(x[1, ] / (sqrt(n) - 1), each = n - 1)
    }
    announce_decomposition(d, n, "qr")
    core <- .Call(C_row_factor, x, numeric(d), 1)
    # the condition number is an estimate, and of another norm, by which it may be n times as small
    if (rcond(t(core), triangular = TRUE) > 1e-9 * n) return(list(q = q, core = core))
    rm(x, q, core) # the decomposition below needs their memory
  }
  announce_decomposition(repr$n, d, "basis")
  .Call(C_basis, repr$data, unit$means, unit$scale, FALSE)
}

# A decomposition by LAPACK cannot be interrupted. So a message says beforehand if it will take
# long.
singular_values <- function(a) {
  announce_decomposition(nrow(a), ncol(a), "values")
  .Call(C_singular_values, a)
}

singular_vectors <- function(a) {
  # beside u and v: a copy of `a`, v once more and 4 k^2 of scratch, which no form tells of before
  m <- as.double(nrow(a))
  n <- as.double(ncol(a))
  check_memory(8 * (m * n + (m + 2 * n + 4 * min(m, n)) * min(m, n)), "Singular vectors",
               "Fewer stimuli or neurons need less.")
  announce_decomposition(nrow(a), ncol(a), "vectors")
  .Call(C_svd, a)
}

# A rough estimate of the order of magnitude. It was measured with OpenBLAS 0.3 on one thread of a
# server processor of 2022, for k x k matrices with k from 1000 to 3000 (singular values took 1.2 to
# 2.5, vectors 3.5 to 4.4 and a basis 4.3 to 4.6 times 1e-10 k^3 seconds) and for 3000 x 500. The
# BLAS that comes with R takes several times as long.
decomposition_seconds <- function(rows, columns, kind) {
  long <- as.double(max(rows, columns))
  short <- as.double(min(rows, columns))
  core <- c(qr = 0, values = 1.5e-10, vectors = 3.5e-10, basis = 4e-10)[[kind]]
  1e-10 * long * short^2 + core * short^3
}

# A decomposition that takes this many seconds or more is announced by a message.
long_decomposition <- 20

announce_decomposition <- function(rows, columns, kind) {
  seconds <- decomposition_seconds(rows, columns, kind)
  if (seconds < long_decomposition) return(invisible())
  what <- if (kind == "qr") "A QR decomposition of" else "A singular value decomposition of"
  inform_duration(paste(what, rows, "x", columns), seconds,
                  paste("It cannot be interrupted. Fewer stimuli or neurons take less, and so does",
                        "a BLAS with several threads."), "repalign_decomposition")
}

basis_rank <- function(repr) ncol(form_basis(repr)$q)

# Principal components of the data: the left singular vectors are q rotation (or q itself if
# there is no rotation), and s are the singular values of the scaled data.
form_components <- function(repr, centered = TRUE) {
  remember_form(repr, "components", list(centered), {
    basis <- form_basis(repr, centered)
    if (is.null(basis$s)) {
      parts <- singular_vectors(if (is.null(basis$core)) basis$triangle else basis$core)
      list(rotation = parts$u, s = parts$d)
    } else basis[c("rotation", "s")]
  })
}

declare_form("components", relabel = unmoved,
             size = function(n, d, args) as.double(min(n, d))^2)

# The coordinates of the columns of the centred data x in the basis, q'x. Columns of zeros may be
# missing.
coordinates_in_basis <- function(repr) {
  triangle <- form_basis(repr)$triangle
  if (!is.null(triangle)) return(triangle)
  remember_form(repr, "coordinates", list(), {
    list(coordinates = crossprod(form_basis(repr)$q, scaled_data(repr, TRUE)))
  })$coordinates
}

declare_form("coordinates", relabel = unmoved,
             size = function(n, d, args) as.double(d) * min(n, d))

# The inner products of the two bases. Their singular values are the cosines of the angles between
# the two spaces.
pair_cosines <- function(pair, centered = TRUE) {
  remember(pair$cache, list("cosines", centered), {
    crossprod(form_basis(pair$x, centered)$q, form_basis(pair$y, centered)$q)
  })
}

# Rounding may take cosines out of [0, 1].
clip_cosines <- function(values) pmin(pmax(values, 0), 1)
