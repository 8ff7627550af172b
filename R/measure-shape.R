# The shape distance: Procrustes after directions have been whitened in part.

#' @include measure.R
NULL

#' Shape distance with partial whitening
#'
#' How much two representations still differ after the best rotation, with directions weighted
#' between what [procrustes()] does (by their standard deviation) and what [cca()] does (all
#' equally).
#'
#' @param x,y see [cka()].
#' @param alpha how much the variance of a direction counts, from 0 (as in [cca()]) to 1 (as in
#'   [procrustes()]).
#' @param method `"angular"`: the angle between the two sides; `"euclidean"`: their distance.
#' @param whitening how a direction with singular value s is weighted: `"power"`, by `s^alpha`, or
#'   `"raw"`, by `alpha s + 1 - alpha`, as in the Python package netrep, which depends on the units
#'   of the data and on the number of stimuli.
#' @param center if `TRUE`, the mean of each column is subtracted first.
#' @param scale of the Euclidean distance: if `TRUE`, both sides have norm 1; otherwise it is in the
#'   units of the data.
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number, 0 when the representations are equal up to rotation. The angle is at most
#'   `pi/2`, the distance at most `sqrt(2)` with `scale = TRUE`.
#' @details
#' The singular values of both sides are weighted, with a common factor that keeps their sum of
#' squares, before one side is rotated to match the other. With `alpha = 1` the scores are
#' [angular_shape()], [procrustes()] (`scale = TRUE`) and [procrustes_size_shape()]
#' (`scale = FALSE`); with `alpha = 0` the cosine is that of [cca()], but for a factor of the ranks.
#'
#' Rotation and translation leave the score as it is, and so does scaling, but for `scale = FALSE`
#' and for `whitening = "raw"` with `alpha` between 0 and 1; at `alpha = 0` so does any invertible
#' linear change. For one `alpha` the score is a metric.
#'
#' When not to trust it: the rotation, and the whitening even more, are fitted to the stimuli on
#' which the score is made. Unrelated data look similar when there are few stimuli for the number of
#' neurons ([held_out()] scores the fit on other stimuli). If one side has rank n - 1 and
#' `alpha = 0`, the score is the same whatever the data, with a warning of class `repalign_trivial`.
#' @references Williams et al. (2021), NeurIPS 34. Duong et al. (2023), ICLR.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(600), 60)
#' y <- x %*% matrix(rnorm(100), 10) + rnorm(600)
#' sapply(c(0, 0.5, 1), function(alpha) shape_distance(x, y, alpha))
#' @export
shape_distance <- function(x, y, alpha = 1, method = c("angular", "euclidean"),
                           whitening = c("power", "raw"), center = TRUE, scale = TRUE,
                           na = c("error", "stimuli", "neurons"), ...) {
  one_score("shape_distance", x, y,
            list(alpha = alpha, method = method, whitening = whitening, center = center,
                 scale = scale), na)
}

check_shape_args <- function(args) {
  args$alpha <- check_share(args$alpha, "alpha")
  args$method <- check_choice(args$method, c("angular", "euclidean"), "method")
  args$whitening <- check_choice(args$whitening, c("power", "raw"), "whitening")
  check_procrustes_args(args)
}

# Does the score compare sides of norm 1?
is_relative <- function(args) args$method == "angular" || args$scale

# With alpha = 1 nothing is whitened, and the data are compared as by procrustes().
whitens_sides <- function(args) args$alpha < 1

# The basis with the singular values s of the scaled data and their norm.
prepare_shape <- function(repr, args, side) {
  if (!whitens_sides(args)) return(prepare_rotation(repr, args, side))
  parts <- form_components(repr, args$center)
  as_form("basis", list(q = form_basis(repr, args$center)$q, rotation = parts$rotation,
                        s = parts$s, rank = length(parts$s), norm = sqrt(sum(parts$s^2)),
                        scale = form_scaling(repr, args$center)$scale))
}

# The weights of the directions, which replace the singular values and have their norm. They are
# divided by the largest, so that squares of tiny values do not vanish. The data were multiplied by
# a factor, and so is the 1 of the formula for `raw`.
shape_weights <- function(form, args) {
  w <- switch(args$whitening, power = (form$s / form$s[1])^args$alpha,
              raw = args$alpha * form$s + (1 - args$alpha) * form$scale,
              no_branch(args$whitening))
  w <- w / max(w)
  w * (form$norm / sqrt(sum(w^2)))
}

# The whitened data up to a rotation of their columns.
whitened_scores <- function(form, args) {
  u <- if (is.null(form$rotation)) form$q else form$q %*% form$rotation
  sweep(u, 2, shape_weights(form, args), "*")
}

# The inner products of the singular vectors of both sides, which serve for every alpha.
component_cosines <- function(pair, x, y, center) {
  remember(pair$cache, list("component cosines", center), {
    cosines <- pair_cosines(pair, center)
    if (!is.null(x$rotation)) cosines <- crossprod(x$rotation, cosines)
    if (is.null(y$rotation)) cosines else cosines %*% y$rotation
  })
}

# As rotated_distance(), for whitened sides.
whitened_distance <- function(pair, x, y, args) {
  if (!whitens_sides(args)) return(rotated_distance(pair, x, y, args, is_relative(args)))
  units <- common_units(x, y, is_relative(args))
  cross <- component_cosines(pair, x, y, args$center) *
    outer(shape_weights(x, args), shape_weights(y, args))
  squares <- (units$x * x$norm)^2 + (units$y * y$norm)^2
  rest <- squares - 2 * units$x * units$y * sum(singular_values(cross))
  if (rest > cancelled_share * squares) return(sqrt(rest))
  a <- whitened_scores(x, args)
  b <- whitened_scores(y, args)
  turned_residual(a, b, optimal_rotation(a, b, cross), units)
}

declare_measure(
  id = "shape_distance", label = "Shape distance", family = "alignment",
  direction = "distance", best = 0, symmetric = TRUE, metric = TRUE, pairing = TRUE,
  range = function(args) {
    c(0, if (args$method == "angular") pi / 2 else if (args$scale) sqrt(2) else Inf)
  },
  invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Williams et al. 2021; Duong et al. 2023",
  check = check_shape_args, form = function(args) if (whitens_sides(args)) "basis" else "scaling",
  keeps = function(args) if (whitens_sides(args)) c("components", "scaling") else rotation_forms,
  prepare = prepare_shape, statistic = whitened_distance,
  score = function(statistic, x, y, args) {
    if (args$method == "angular") angle_of_chord(statistic)
    else if (args$scale) statistic else unscaled_score(statistic, x, y, args)
  },
  inspect = function(score, pair, x, y, args) {
    inspect_overflow(score, pair, x, y, args)
    if (args$alpha > 0) return(invisible())
    warn_whole_space(pair, x$rank, y$rank, "the distance follows from the ranks of the two sides",
                     most = pair$x$n - args$center)
  },
  # measures with the same weights share the sums in a call
  null = function(args) {
    if (!whitens_sides(args)) return(rotation_null(args, is_relative(args)))
    new_null("singular", sums = list("shape", args[c("alpha", "whitening", "center")]),
             operand = function(form, repr, args, side) {
               list(matrix = whitened_scores(form, args))
             },
             statistic = function(values, x, y, args, design) {
               permuted_distance(values, x, y, is_relative(args))
             })
  },
  needs_data = function(args, n, d) !whitens_sides(args),
  errors = function(args) {
    if (whitens_sides(args)) return(if (!is_relative(args)) growing_errors(root_growth))
    if (args$method == "angular") rotation_cosine_errors(new_angle()) else procrustes_errors(args)
  },
  held = rotation_holdout
)
