# Measures that rotate one representation onto the other.

#' Orthogonal Procrustes distance
#'
#' How much two representations still differ after one has been rotated and reflected to
#' match the other as closely as possible.
#'
#' @inheritParams cka
#' @param center if `TRUE`, the mean of each column is subtracted first.
#' @param scale if `TRUE`, both sides are scaled to Frobenius norm 1 first. Otherwise the
#'   distance is in the units of the data, see [procrustes_size_shape()].
#' @return One number: 0 when the representations are equal up to rotation (and, depending on
#'   `center` and `scale`, translation and scale). With `scale = TRUE` it is at most
#'   \eqn{\sqrt{2}}{sqrt(2)}; otherwise it is not bounded.
#' @details
#' The score is \eqn{\min_Q ||x Q - y|| = \sqrt{||x||^2 + ||y||^2 - 2 ||x^T y||_*}}{min_Q ||x
#' Q - y|| = sqrt(||x||^2 + ||y||^2 - 2 ||x'y||_*)} over all orthogonal matrices Q, where
#' \eqn{||x^T y||_*}{||x'y||_*} is the nuclear norm (the sum of the singular values). If the
#' numbers of columns differ, columns of zeros are added to the narrower side, which does not
#' change the value. If the terms nearly cancel, the distance is computed from the rotated
#' data instead, so that small distances keep their digits.
#'
#' Rotation and reflection of either side leave the score as it is, and by default so do
#' translation and scaling. Up to these changes the score is a metric. Directions count in
#' proportion to their standard deviation, so weak directions have more influence than in
#' [cka()].
#'
#' When not to trust it: if there are few stimuli relative to the number of neurons, even
#' unrelated data can be rotated close to each other, and the distance shrinks as neurons are
#' added.
#'
#' The code of the ReSi benchmark uses the same definition.
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
#' The [procrustes()] distance without scaling the two sides to the same norm, so that
#' differences in overall size count.
#'
#' @inheritParams procrustes
#' @return One number, at least 0, in the units of the data; 0 when the representations are
#'   equal up to rotation and, with `center = TRUE`, translation.
#' @details
#' The score is
#' \eqn{\sqrt{||x||^2 + ||y||^2 - 2 ||x^T y||_*}}{sqrt(||x||^2 + ||y||^2 - 2 ||x'y||_*)}, by
#' default on centred columns: [procrustes()] with `scale = FALSE`. Rotation and reflection
#' of either side leave the score as it is and, with `center = TRUE`, so does translation. Up
#' to these changes it is a metric. It is sensitive to scale, so that x and 2 x differ. Use
#' it when the size of responses has a meaning and both sides have the same units.
#'
#' When not to trust it: between representations in different units (or networks with
#' different normalisation) it mostly compares their norms. Like [procrustes()], it shrinks
#' when there are many neurons relative to the number of stimuli.
#'
#' The code of the ReSi benchmark uses the same definition.
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
#' One minus the size-and-shape distance, relative to the norm of `y`.
#'
#' @inheritParams cka
#' @return One number, at most 1; 1 when the representations are equal up to rotation and
#'   translation. It can be negative without bound. It is not symmetric, because `y`
#'   determines the scale.
#' @details
#' The score is \eqn{1 - d/||y_c||}{1 - d / ||y_c||}, where d is the
#' [procrustes_size_shape()] distance and \eqn{y_c}{y_c} is the centred `y`, as in
#' \enc{Gröger}{Groeger}, Wen and \enc{Brbić}{Brbic} (2026). Rotation, reflection and
#' translation of either side leave the score as it is. Scaling of one side changes it, but a
#' common factor on both sides cancels.
#'
#' When not to trust it: when the two sides differ in overall size. A much larger `x` gives
#' very negative scores and a much smaller `x` gives scores near 0, whatever the shapes.
#' [procrustes()] and [angular_shape()] compare shapes alone.
#'
#' The published code works in single precision; this function uses double precision.
#' @references Williams et al. (2021), NeurIPS 34. \enc{Gröger}{Groeger}, Wen and
#'   \enc{Brbić}{Brbic} (2026), arXiv:2602.14486.
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
#' The angle between two representations, each taken as one long vector, after one has been
#' rotated to match the other as closely as possible.
#'
#' @inheritParams cka
#' @return One number in \[0, \eqn{\pi/2}{pi/2}\], in radians; 0 when the representations are
#'   equal up to rotation, translation and scale.
#' @details
#' The score is \eqn{\arccos ||x^T y||_*}{arccos ||x'y||_*} for centred matrices of Frobenius
#' norm 1, where \eqn{||x^T y||_*}{||x'y||_*} is the nuclear norm (the sum of the singular
#' values). It is computed as \eqn{2 \arcsin(d/2)}{2 arcsin(d/2)} from the [procrustes()]
#' distance d, which is the chord of the angle; small angles thus keep their digits. The
#' score is a metric, the length of the shortest path between the two shapes.
#'
#' Rotation, reflection, scaling and translation of either side leave the score as it is. It
#' increases with [procrustes()] and responds to the same changes.
#'
#' When not to trust it: like [procrustes()], it shrinks for unrelated data when there are
#' many neurons relative to the number of stimuli.
#'
#' The code of the ReSi benchmark uses the same definition.
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
#' The mean cosine between the responses of two representations to the same stimulus, after
#' one has been rotated to match the other as closely as possible.
#'
#' @inheritParams cka
#' @param center if `TRUE`, the mean of each column is subtracted first.
#' @return One number in \[-1, 1\]; 1 when every stimulus has the same direction on both
#'   sides after the rotation.
#' @details
#' Let Q be the orthogonal matrix that minimises \eqn{||x Q - y||}{||x Q - y||} (see
#' [procrustes()]). The score is the mean over stimuli i of the cosine between
#' \eqn{(x Q)_i}{(x Q)_i} and \eqn{y_i}{y_i}. If the numbers of columns differ, columns of
#' zeros are added to the narrower side.
#'
#' Rotation, reflection and scaling of either side leave the score as it is and, with
#' `center = TRUE`, so does translation. Rows with large norms determine the rotation, while
#' the mean counts all rows equally, so that rows with small norms add noise. A row of zeros
#' has no cosine and is an error.
#'
#' When not to trust it: without centring, column means far from zero push all cosines
#' towards 1, for example in non-negative responses. If parts of `x` and `y` are exactly
#' uncorrelated, the rotation between these parts is not unique. They then count as cosine 0,
#' which is the mean over all optimal rotations, and a warning of class `repalign_not_unique`
#' says by how much another choice could change the score at most. The code of the ReSi
#' benchmark takes whatever rotation its decomposition returns in this case.
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
