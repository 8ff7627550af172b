# Measures of subspaces share one decomposition of each representation, made here: an orthonormal
# basis of the space that its columns span, and what follows from it.

#' @include form.R relabel.R
NULL

# Returns q, an n x rank matrix with orthonormal columns, and either `triangle` or `rotation` and
# `s`. The fast way (Cholesky factors) gives `triangle`, with the data q triangle; it is taken only
# if a bound on the condition number proves full rank. Otherwise, and always with fast = FALSE,
# Householder QR and a singular value decomposition give the principal components, see
# form_components().
form_basis <- function(repr, centered = TRUE, fast = TRUE) {
  remember_form(repr, "basis", list(centered, fast), make_basis(repr, centered, fast))
}

declare_form("basis", relabel = relabel_parts(rows = "q"),
             size = function(n, d, args) (as.double(n) + 2 * min(n, d)) * min(n, d))

make_basis <- function(repr, centered, fast) {
  unit <- form_scaling(repr, centered)
  d <- ncol(repr$data)
  # centred columns span a dimension less than there are stimuli
  deficient <- centered && d >= repr$n
  found <- if (fast && !deficient) .Call(C_basis, repr$data, unit$means, unit$scale, TRUE)
  if (!is.null(found)) return(found)
  announce_decomposition(repr$n, d, "basis")
  .Call(C_basis, repr$data, unit$means, unit$scale, FALSE)
}

# The triangle of the basis alone, with the data q triangle: it says all of q that one comparison
# needs, in half of the time. NULL where columns are dependent, or not far enough from it for that.
basis_triangle <- function(repr) {
  if (ncol(repr$data) >= repr$n) return(NULL)
  unit <- form_centering(repr)
  .Call(C_gram_triangle, repr$data, unit$means, unit$scale)
}

# A decomposition by LAPACK cannot be interrupted. So a message says beforehand if it will take
# long.
singular_values <- function(a) {
  announce_decomposition(nrow(a), ncol(a), "values")
  .Call(C_singular_values, a)
}

singular_vectors <- function(a) {
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

basis_rank <- function(repr, centered = TRUE) ncol(form_basis(repr, centered)$q)

# Principal components of the centred data: the left singular vectors are q rotation (or q itself if
# there is no rotation), and s are the singular values of the scaled data.
form_components <- function(repr) {
  remember_form(repr, "components", list(), {
    basis <- form_basis(repr)
    if (is.null(basis$s)) {
      parts <- singular_vectors(basis$triangle)
      list(rotation = parts$u, s = parts$d)
    } else {
      basis[c("rotation", "s")]
    }
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

canonical_correlations <- function(pair) {
  remember(pair$cache, "canonical correlations", {
    clip_cosines(singular_values(pair_cosines(pair)))
  })
}
