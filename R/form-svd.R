# Decompositions: an orthonormal basis of the space that the columns span, made once per
# representation, and what measures of subspaces take from it.

# list(q, triangle, rotation, s): q orthonormal (n x rank). The fast route (Cholesky
# factors) is taken only where a bound on the condition number proves full rank; otherwise
# Householder QR and an SVD. fast = FALSE: always the latter.
form_basis <- function(rep, centered = TRUE, fast = TRUE) {
  remember(rep$cache, list("basis", centered, fast), {
    view <- form_scaling(rep, centered)
    d <- ncol(rep$data)
    side <- min(rep$n, d)
    check_memory(8 * (2 * rep$n * d + 10 * side^2),
                 paste0("The decomposition of `", rep$arg, "`"),
                 "Fewer neurons or fewer stimuli need less.")
    .Call(C_basis, rep$data, view$means, view$scale, fast)
  })
}

basis_rank <- function(rep, centered = TRUE) ncol(form_basis(rep, centered)$q)

# Principal components of the centred data: q times rotation are the left singular vectors
# (no rotation: q itself), s the singular values in scaled units.
form_components <- function(rep) {
  remember(rep$cache, "components", {
    basis <- form_basis(rep)
    if (is.null(basis$s)) {
      parts <- .Call(C_svd, basis$triangle)
      list(rotation = parts$u, s = parts$d)
    } else {
      basis[c("rotation", "s")]
    }
  })
}

# q'x: the columns of the centred data in the basis. Columns that are zero may be missing.
form_coordinates <- function(rep) {
  triangle <- form_basis(rep)$triangle
  if (!is.null(triangle)) return(triangle)
  remember(rep$cache, "coordinates", {
    view <- form_centering(rep)
    crossprod(form_basis(rep)$q, .Call(C_center, rep$data, view$means, view$scale))
  })
}

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
    clip_cosines(.Call(C_singular_values, pair_cosines(pair)))
  })
}
