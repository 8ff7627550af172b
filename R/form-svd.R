# Decompositions: an orthonormal basis of the space that the columns span, made once per
# representation, and what measures of subspaces take from it.

#' @include form.R relabel.R
NULL

# list(q, triangle, rotation, s): q orthonormal (n x rank). The fast route (Cholesky
# factors) is taken only where a bound on the condition number proves full rank; otherwise
# Householder QR and an SVD. fast = FALSE: always the latter.
form_basis <- function(repr, centered = TRUE, fast = TRUE) {
  remember_form(repr, "basis", list(centered, fast), make_basis(repr, centered, fast))
}

declare_form("basis", relabel = relabel_parts(rows = "q"),
             size = function(n, d, args) (as.double(n) + 2 * min(n, d)) * min(n, d))

make_basis <- function(repr, centered, fast) {
  view <- form_scaling(repr, centered)
  d <- ncol(repr$data)
  # centred columns span a dimension less than there are stimuli
  deficient <- centered && d >= repr$n
  found <- if (fast && !deficient) .Call(C_basis, repr$data, view$means, view$scale, TRUE)
  if (!is.null(found)) return(found)
  announce_decomposition(repr$n, d, "basis")
  .Call(C_basis, repr$data, view$means, view$scale, FALSE)
}

# LAPACK decomposes as a whole: no interrupt is seen before it ends. So it is said before when it
# takes long.
singular_values <- function(a) {
  announce_decomposition(nrow(a), ncol(a), "values")
  .Call(C_singular_values, a)
}

singular_vectors <- function(a) {
  announce_decomposition(nrow(a), ncol(a), "vectors")
  .Call(C_svd, a)
}

# Rough, but for the order of magnitude: seconds seen with OpenBLAS 0.3 on one thread of a server's
# processor of the year 2022, from 1000 x 1000 to 3000 x 3000 (values 1.2 to 2.5, vectors 3.5 to
# 4.4, a basis 4.3 to 4.6 times 1e-10 k^3) and 3000 x 500. R's own BLAS takes several times as long.
decomposition_seconds <- function(rows, columns, kind) {
  long <- as.double(max(rows, columns))
  short <- as.double(min(rows, columns))
  core <- c(qr = 0, values = 1.5e-10, vectors = 3.5e-10, basis = 4e-10)[[kind]]
  1e-10 * long * short^2 + core * short^3
}

# From how many seconds on there is a message.
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

# Principal components of the centred data: q times rotation are the left singular vectors
# (no rotation: q itself), s the singular values in scaled units.
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

# q'x: the columns of the centred data in the basis. Columns that are zero may be missing.
coordinates_in_basis <- function(repr) {
  triangle <- form_basis(repr)$triangle
  if (!is.null(triangle)) return(triangle)
  remember_form(repr, "coordinates", list(), {
    list(coordinates = crossprod(form_basis(repr)$q, scaled_data(repr, TRUE)))
  })$coordinates
}

declare_form("coordinates", relabel = unmoved,
             size = function(n, d, args) as.double(d) * min(n, d))

# Inner products of the two bases; their singular values are the cosines of the angles
# between the spaces.
pair_cosines <- function(pair, centered = TRUE) {
  remember(pair$cache, list("cosines", centered), {
    crossprod(form_basis(pair$x, centered)$q, form_basis(pair$y, centered)$q)
  })
}

# Cosines lie in [0, 1]; rounding does not know.
clip_cosines <- function(values) pmin(pmax(values, 0), 1)

canonical_correlations <- function(pair) {
  remember(pair$cache, "canonical correlations", {
    clip_cosines(singular_values(pair_cosines(pair)))
  })
}
