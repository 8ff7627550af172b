# Measures that rotate one representation onto the other.

#' Orthogonal Procrustes distance
#'
#' What is left between two representations when one is turned and reflected onto the
#' other as well as it can be.
#'
#' @inheritParams cka
#' @param center take off the column means first?
#' @param scale bring both sides to unit Frobenius norm first? Without it the distance is in
#'   the units of the data, see [procrustes_size_shape()].
#' @return One number: 0 when the representations are equal up to rotation (and
#'   translation and scale, as `center` and `scale` say); at most \eqn{\sqrt{2}} with
#'   `scale = TRUE`, not bounded otherwise.
#' @details
#' The smallest \eqn{||x Q - y||} over all orthogonal Q, which is
#' \eqn{\sqrt{||x||^2 + ||y||^2 - 2 ||x'y||_*}} with the nuclear norm (sum of singular
#' values) of \eqn{x'y}. The narrower side is filled up with columns of zeros; this has no
#' effect on the value. Where the two terms nearly cancel, the residual is computed
#' from the rotation itself, so that small distances keep their digits.
#'
#' Invariant to rotation and reflection of either side, by default also to translation and
#' scaling; a metric on what remains. Sensitive to directions in proportion to their
#' standard deviation, and so more than [cka()] to the weak ones.
#'
#' When not to trust it: with few stimuli beside the number of neurons, unrelated data can
#' be turned onto each other rather well, so that the distance shrinks as neurons are
#' added. The benchmark's code takes the same definition.
#' @references Williams et al. (2021), NeurIPS 34. Ding et al. (2021), NeurIPS 34.
#'   Schoenemann (1966), Psychometrika 31.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' turned <- x %*% qr.Q(qr(matrix(rnorm(100), 10)))
#' procrustes(x, turned)
#' procrustes(x, turned + rnorm(300))
#' @seealso [procrustes_size_shape()], [angular_shape()], [procrustes_similarity()],
#'   [permutation_procrustes()], [aligned_cosine()]
#' @section How long it takes:
#' The decomposition behind the value takes time with the cube of the smaller of the numbers of
#' stimuli and neurons: with OpenBLAS on one thread about 1 second for 1500, 10 seconds for 3000 and
#' one to two minutes for 6000. It runs as a whole in LAPACK, which sees an interrupt only when it
#' ends; a message of class `repalign_decomposition` says so before one that is expected to take
#' more than about 20 seconds.
#' @export
procrustes <- function(x, y, center = TRUE, scale = TRUE) {
  one_score("procrustes", x, y, list(center = center, scale = scale))
}

check_procrustes_args <- function(args) {
  check_flag(args$center, "center")
  check_flag(args$scale, "scale")
  args
}

compare_procrustes <- function(pair, args) {
  units <- common_units(pair, args$center, args$scale)
  in_range(rotated_distance(pair, args$center, units) / units$scale, pair)
}

# A smaller share of the squares than this has lost too many digits in the difference.
cancelled_share <- 1e-5

# The Procrustes distance in common units.
rotated_distance <- function(pair, center, units) {
  squares <- (units$x * form_norm(pair$x, center))^2 + (units$y * form_norm(pair$y, center))^2
  rest <- squares - 2 * units$x * units$y * nuclear_norm(pair, center)
  if (rest > cancelled_share * squares) sqrt(rest) else rotated_residual(pair, center, units)
}

# The narrower side is turned into the space of the wider: that keeps all of it.
rotated_residual <- function(pair, center, units) {
  rotation <- pair_rotation(pair, center)
  x <- rotatable(pair, "x", center)
  y <- rotatable(pair, "y", center)
  residual <- if (ncol(x) <= ncol(y)) {
    units$x * turned_by(x, rotation$u, rotation$v) - units$y * y
  } else {
    units$y * turned_by(y, rotation$v, rotation$u) - units$x * x
  }
  frobenius(residual)
}

declare_measure(
  id = "procrustes", label = "Orthogonal Procrustes distance", family = "alignment",
  resi = "OrthProc", direction = "distance", best = 0, symmetric = TRUE, metric = TRUE,
  range = function(args) c(0, if (args$scale) sqrt(2) else Inf), pairing = TRUE,
  invariant = c("orthogonal", "scaling", "translation", "column permutation"), form = "basis",
  check = check_procrustes_args, compare = compare_procrustes,
  reference = "Williams et al. 2021; Ding et al. 2021",
  null = function(args) rotation_null(args$center, args$scale, function(d, fx, fy) d)
)

# The data up to a rotation, with no more columns than their rank: what a permutation costs goes
# with the columns of both sides.
rotation_matrix <- function(rep, center) {
  wide <- ncol(rep$data) > rep$n
  plain <- if (wide) form_row_factor(rep, center) else scaled_data(rep, center)
  q <- form_basis(rep, center)$q
  if (ncol(q) >= ncol(plain) - 1) return(plain)
  inner <- crossprod(q, plain)
  q %*% .Call(C_row_factor, inner, double(ncol(inner)), 1)
}

# The null of what is made of the Procrustes distance d: of(d, fx, fy).
rotation_null <- function(center, scale, of) {
  list(
    kind = "basis",
    form = function(rep, args, side) {
      list(matrix = rotation_matrix(rep, center),
           norm = form_norm(rep, center), scale = form_scaling(rep, center)$scale)
    },
    stat = function(s, fx, fy) colSums(s), scale = function(fx, fy) fx$norm * fy$norm,
    score = function(s, fx, fy, args) {
      unit <- min(fx$scale, fy$scale)
      a <- if (scale) 1 / fx$norm else unit / fx$scale
      b <- if (scale) 1 / fy$norm else unit / fy$scale
      squares <- (a * fx$norm)^2 + (b * fy$norm)^2 - 2 * a * b * colSums(s)
      of(sqrt(pmax(squares, 0)) / (if (scale) 1 else unit), fx, fy)
    }
  )
}

#' Procrustes size-and-shape distance
#'
#' The [procrustes()] distance without bringing the sides to one norm: differences in
#' overall size count.
#'
#' @inheritParams procrustes
#' @return One number, 0 or more, in the units of the data; 0 when the representations are
#'   equal up to rotation and translation.
#' @details
#' \eqn{\sqrt{||x||^2 + ||y||^2 - 2 ||x'y||_*}} on centred columns: [procrustes()] with
#' `scale = FALSE`. Invariant to rotation and reflection of either side and, when `center`,
#' to translation; a metric. Sensitive to scale, so that x and 2 x differ: use it when
#' response magnitude means something and both sides share their units.
#'
#' When not to trust it: between representations in different units (or of networks with
#' different normalisation) it mostly compares their norms; as `procrustes()` it shrinks
#' when neurons are many beside the stimuli. The benchmark's code takes the same definition.
#' @references Williams et al. (2021), NeurIPS 34. Kendall et al. (1999), Shape and Shape
#'   Theory.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' procrustes_size_shape(x, 2 * x)
#' procrustes(x, 2 * x)
#' @seealso [procrustes()]
#' @inheritSection procrustes How long it takes
#' @export
procrustes_size_shape <- function(x, y, center = TRUE) {
  one_score("procrustes_size_shape", x, y, list(center = center))
}

check_center <- function(args) {
  check_flag(args$center, "center")
  args
}

declare_measure(
  id = "procrustes_size_shape", label = "Procrustes size-and-shape distance",
  family = "alignment", resi = "ProcDist", direction = "distance", range = c(0, Inf), best = 0,
  symmetric = TRUE, metric = TRUE, pairing = TRUE,
  invariant = c("orthogonal", "translation", "column permutation"), form = "basis",
  check = check_center,
  compare = function(pair, args) {
    compare_procrustes(pair, list(center = args$center, scale = FALSE))
  },
  reference = "Williams et al. 2021",
  null = function(args) rotation_null(args$center, FALSE, function(d, fx, fy) d)
)

#' Procrustes similarity
#'
#' One minus the size-and-shape distance relative to the norm of the second side.
#'
#' @inheritParams cka
#' @return One number, at most 1; 1 when the representations are equal up to rotation and
#'   translation. It can be negative without bound. Not symmetric: the second argument sets
#'   the scale.
#' @details
#' \eqn{1 - d/||y_c||} with d the [procrustes_size_shape()] distance and \eqn{y_c} the
#' centred `y`, as in the calibration paper. Invariant to rotation, reflection and
#' translation of either side, not to scaling of one; a common factor on both cancels.
#'
#' When not to trust it: when the two sides differ in overall size. A much larger `x`
#' gives very negative values and a much smaller one values near 0, whatever the shapes;
#' [procrustes()] or [angular_shape()] compare shapes alone. The published code works in single
#' precision; this one does not.
#' @references Williams et al. (2021), NeurIPS 34.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' y <- x + 0.5 * rnorm(300)
#' c(procrustes_similarity(x, y), procrustes_similarity(y, x))
#' @seealso [procrustes()], [procrustes_size_shape()]
#' @inheritSection procrustes How long it takes
#' @export
procrustes_similarity <- function(x, y) one_score("procrustes_similarity", x, y, list())

compare_procrustes_similarity <- function(pair, args) {
  units <- common_units(pair, TRUE, FALSE)
  in_range(1 - rotated_distance(pair, TRUE, units) / (units$y * form_norm(pair$y, TRUE)), pair)
}

declare_measure(
  id = "procrustes_similarity", label = "Procrustes similarity", family = "alignment",
  direction = "similarity", range = c(-Inf, 1), best = 1, symmetric = FALSE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "translation", "column permutation"),
  form = "basis", check = identity, compare = compare_procrustes_similarity,
  reference = "Williams et al. 2021",
  null = function(args) {
    rotation_null(TRUE, FALSE, function(d, fx, fy) 1 - d * fy$scale / fy$norm)
  }
)

#' Angular shape distance
#'
#' The angle between two representations, as long vectors, when one is turned onto the
#' other as well as it can be.
#'
#' @inheritParams cka
#' @return One number in \[0, \eqn{\pi/2}\], in radians; 0 when the representations are
#'   equal up to rotation, translation and scale.
#' @details
#' \eqn{arccos ||x'y||_*} for centred matrices of unit Frobenius norm, with the nuclear norm
#' (sum of singular values). It is computed as \eqn{2 arcsin(d/2)} from the [procrustes()]
#' distance d, the chord of the angle, which keeps the digits of small angles. A metric, and
#' the length of the shortest path between the two shapes.
#'
#' Invariant to rotation, reflection, scaling and translation of either side; as sensitive as
#' `procrustes()`, to which it is a monotone function. When not to trust it: as there,
#' the angle between unrelated data shrinks when neurons are many beside the stimuli. The
#' benchmark's code takes the same definition.
#' @references Williams et al. (2021), NeurIPS 34.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' angular_shape(x, x + rnorm(300))
#' @seealso [procrustes()]
#' @inheritSection procrustes How long it takes
#' @export
angular_shape <- function(x, y) one_score("angular_shape", x, y, list())

compare_angular_shape <- function(pair, args) {
  chord <- rotated_distance(pair, TRUE, common_units(pair, TRUE, TRUE))
  # the chord of a right angle, the largest, within rounding
  2 * asin(min(chord, sqrt(2)) / 2)
}

declare_measure(
  id = "angular_shape", label = "Angular shape distance", family = "alignment",
  resi = "AngShape", direction = "distance", range = c(0, pi / 2), best = 0, symmetric = TRUE,
  metric = TRUE, pairing = TRUE,
  invariant = c("orthogonal", "scaling", "translation", "column permutation"), form = "basis",
  check = identity, compare = compare_angular_shape, reference = "Williams et al. 2021",
  null = function(args) {
    rotation_null(TRUE, TRUE, function(d, fx, fy) 2 * asin(pmin(d, sqrt(2)) / 2))
  }
)

#' Aligned cosine similarity
#'
#' The mean cosine between what two representations say of the same stimulus, when one is
#' turned onto the other as well as it can be.
#'
#' @inheritParams cka
#' @param center take off the column means first?
#' @return One number in \[-1, 1\]; 1 when every stimulus has the same direction on both
#'   sides after the rotation.
#' @details
#' Q minimises \eqn{||x Q - y||} over orthogonal matrices (see [procrustes()]); the value is the
#' mean over the stimuli i of the cosine between \eqn{(x Q)_i} and \eqn{y_i}. Widths may
#' differ: the narrower side is filled up with zeros.
#'
#' Invariant to rotation, reflection and scaling of either side, and with `center` to
#' translation. The rotation is chosen by the rows in proportion to their norms, the mean
#' counts them equally: rows of small norm add noise. A row of zeros has no cosine and is an
#' error.
#'
#' When not to trust it: without centring, means far from zero push all cosines towards
#' 1 (non-negative responses are a case). Where parts of `x` and `y` are exactly uncorrelated,
#' the rotation between these parts is not unique; they then add nothing, which is
#' the mean over all optimal rotations, and a warning of class `repalign_not_unique` says by how
#' much another choice could change the value at most. The benchmark's code takes whatever
#' its decomposition returns there.
#' @references Hamilton, Leskovec and Jurafsky (2016), ACL.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' turned <- x %*% qr.Q(qr(matrix(rnorm(100), 10)))
#' aligned_cosine(x, turned + 0.5 * rnorm(300))
#' @seealso [procrustes()]
#' @inheritSection procrustes How long it takes
#' @export
aligned_cosine <- function(x, y, center = FALSE) {
  one_score("aligned_cosine", x, y, list(center = center))
}

compare_aligned_cosine <- function(pair, args) {
  norm_x <- form_row_norms(pair$x, args$center)
  norm_y <- form_row_norms(pair$y, args$center)
  x <- rotatable(pair, "x", args$center)
  y <- rotatable(pair, "y", args$center)
  rotation <- pair_rotation(pair, args$center)
  known <- seq_len(rotation$determined)
  u <- rotation$u[, known, drop = FALSE]
  v <- rotation$v[, known, drop = FALSE]
  if (length(known) < min(ncol(x), ncol(y))) {
    # the most that the parts between which the data tell no rotation could add
    share <- mean(share_outside(x, u, norm_x) * share_outside(y, v, norm_y))
    if (share > 1e-8) warn_not_unique(pair, share)
  }
  cosines <- .Call(C_row_cosines, turned_by(x, u, v), y, norm_x, norm_y)
  max(-1, min(1, mean(cosines)))
}

# The length of each row outside the span of the basis, as a share of the whole.
share_outside <- function(a, basis, norm) .Call(C_row_norms, outside(a, basis)) / norm

warn_not_unique <- function(pair, share) {
  warn("The rotation of `", pair$x$arg, "` onto `", pair$y$arg, "` is not unique: parts of the ",
       "two are exactly uncorrelated. They count as cosine 0; another optimal rotation could ",
       "change the mean cosine by up to ", signif(share, 2), ".",
       class = "repalign_not_unique", data = share)
}

declare_measure(
  id = "aligned_cosine", label = "Aligned cosine similarity", family = "alignment",
  resi = "AlignCos", direction = "similarity", range = c(-1, 1), best = 1, symmetric = TRUE,
  metric = FALSE, pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"),
  form = "basis", check = check_center, compare = compare_aligned_cosine,
  reference = "Hamilton et al. 2016"
)
