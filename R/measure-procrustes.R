# These measures rotate one representation onto the other, also after whitening in part.

#' @include measure.R
NULL

#' Procrustes distances
#'
#' How much two representations still differ after one has been rotated and reflected to match the
#' other: in units of their norms (`procrustes()`), as an angle (`angular_shape()`), in the units of
#' the data (`procrustes_size_shape()`), and as 1 less the latter relative to the norm of `y`
#' (`procrustes_similarity()`).
#'
#' @param x,y see [cka()].
#' @param na see [similarity()].
#' @param center if `TRUE`, the mean of each column is subtracted first.
#' @param scale if `TRUE`, both sides are scaled to Frobenius norm 1 first; otherwise it is
#'   `procrustes_size_shape()`.
#' @param ... not used.
#' @return One number. The distances are 0 when the representations are equal up to rotation (and,
#'   depending on `center` and `scale`, translation and scale). `procrustes()` is at most `sqrt(2)`
#'   with `scale = TRUE`, the angle at most `pi/2`. `procrustes_similarity()` is at most 1, and can
#'   be negative without bound.
#' @details
#' The distance is the smallest Frobenius norm of `x Q - y` over all orthogonal matrices Q. The
#' numbers of neurons may differ. The angle is the length of the shortest path between two shapes,
#' of which `procrustes()` is the chord.
#'
#' Rotation and reflection of either side leave the scores as they are; so do, by default,
#' translation and, for `procrustes()` and the angle, scaling. The distances are metrics; the
#' similarity is not symmetric. Weak directions have more influence than in [cka()].
#'
#' When not to trust it: if there are few stimuli relative to the number of neurons, even unrelated
#' data can be rotated close to each other, and the distance shrinks as neurons are added
#' ([held_out()] scores the rotation on other stimuli). Unscaled scores mostly compare norms where
#' these differ.
#' @references Williams et al. (2021), NeurIPS 34. Ding et al. (2021), NeurIPS 34. 
#'   \enc{Schönemann}{Schoenemann} (1966), Psychometrika 31. Kendall et al. (1999), Shape and Shape
#'   Theory. \enc{Gröger}{Groeger}, Wen and \enc{Brbić}{Brbic} (2026),
#'   \doi{10.48550/arXiv.2602.14486} (similarity).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' turned <- x %*% qr.Q(qr(matrix(rnorm(100), 10)))
#' procrustes(x, turned + rnorm(300))
#' angular_shape(x, turned + rnorm(300))
#' procrustes_size_shape(x, 2 * turned)
#' procrustes_similarity(x, 2 * turned)
#' @seealso [shape_distance()], [aligned_cosine()]
#' @order 1
#' @export
procrustes <- function(x, y, center = TRUE, scale = TRUE, na = c("error", "stimuli", "neurons"),
                       ...) {
  one_score("procrustes", x, y, list(center = center, scale = scale), na)
}

check_procrustes_args <- check_parameters(center = "flag", scale = "flag")

# Does the measure centre the data? Those that have no parameter `center` do.
is_centered <- function(args) is.null(args$center) || args$center

# The Procrustes measures prepare the column means and the scale of a side, and `norm`, the
# Frobenius norm of the centred and scaled data.
prepare_rotation <- function(repr, args, side) {
  center <- is_centered(args)
  unit <- form_scaling(repr, center)
  norm <- remember_summary(repr, "norm", list(center), {
    list(norm = sqrt(.Call(C_centered_squares, repr$data, unit$means, unit$scale)))
  })$norm
  extend_form(unit, norm = norm)
}

# The squared distance is a difference of large terms. When it is a smaller share of them than
# this, too many digits have cancelled, and it is computed from the residual instead.
cancelled_share <- 1e-5

# The distance after the best rotation. sum: of the singular values of x'y; scale: are the data
# brought to unit norm, or to common units that avoid overflow? residual: a function(units) that
# gives the norm of what remains after the rotation.
distance_of_sum <- function(sum, x, y, scale, residual) {
  units <- common_units(x, y, scale)
  squares <- (units$x * x$norm)^2 + (units$y * y$norm)^2
  rest <- squares - 2 * units$x * units$y * sum
  if (rest > cancelled_share * squares) sqrt(rest) else residual(units)
}

# The Procrustes distance of a pair.
rotated_distance <- function(pair, x, y, args, scale) {
  center <- is_centered(args)
  norm <- remember(pair$cache, list("nuclear norm", center),
                   sum(singular_values(rotation_cross(pair, center))))
  distance_of_sum(norm, x, y, scale, function(units) {
    a <- data_to_rotate(pair, "x", center)
    b <- data_to_rotate(pair, "y", center)
    turned_residual(a, b, pair_rotation(pair, center, a, b), units)
  })
}

# The same distance for all permutations, from the sums of the singular values of x'y.
permuted_distance <- function(sums, x, y, scale) {
  units <- common_units(x, y, scale)
  sqrt(pmax((units$x * x$norm)^2 + (units$y * y$norm)^2 - 2 * units$x * units$y * sums, 0))
}

unscaled_distance <- function(pair, x, y, args) rotated_distance(pair, x, y, args, FALSE)

rotation_null <- function(args, scale) {
  force(scale)
  new_null("singular", sums = list("rotation", is_centered(args)),
           operand = function(form, repr, args, side) {
             list(matrix = rotation_matrix(repr, is_centered(args)))
           },
           statistic = function(values, x, y, args, design) permuted_distance(values, x, y, scale))
}

# The statistic is in common units, the score in the units of the data.
unscaled_score <- function(statistic, x, y, args) statistic / common_units(x, y, FALSE)$scale

scaled_score <- function(statistic, x, y, args) {
  if (args$scale) statistic else unscaled_score(statistic, x, y, args)
}

inspect_overflow <- function(score, pair, x, y, args) {
  refuse_if(!is.finite(score), "value", "The value is too large for a double: `{pair$x$arg}` and ",
            "`{pair$y$arg}` are on scales too far apart or too large; rescale them.")
}

# The side with fewer columns is rotated into the space of the other, because the opposite rotation
# would lose a part of the wider side.
turned_residual <- function(x, y, rotation, units) {
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
  invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Williams et al. 2021; Ding et al. 2021", check = check_procrustes_args,
  form = "scaling", keeps = "row factor", prepare = prepare_rotation,
  statistic = function(pair, x, y, args) rotated_distance(pair, x, y, args, args$scale),
  score = scaled_score, inspect = inspect_overflow,
  null = function(args) rotation_null(args, args$scale), errors = procrustes_errors,
  held = rotation_holdout
)

# The data up to a rotation, with as few columns as their rank allows, because the cost of every
# permutation grows with the columns of both sides.
rotation_matrix <- function(repr, center) {
  plain <- if (ncol(repr$data) > repr$n) row_factor(repr, center) else scaled_data(repr, center)
  q <- form_basis(repr, center)$q
  if (ncol(q) >= ncol(plain) - 1) return(plain)
  inner <- crossprod(q, plain)
  q %*% .Call(C_row_factor, inner, double(ncol(inner)), 1)
}

#' @rdname procrustes
#' @export
procrustes_size_shape <- function(x, y, center = TRUE, na = c("error", "stimuli", "neurons"), ...) {
  one_score("procrustes_size_shape", x, y, list(center = center), na)
}

check_center <- check_parameters(center = "flag")

declare_measure(
  id = "procrustes_size_shape", label = "Procrustes size-and-shape distance", family = "alignment",
  resi = "ProcDist", direction = "distance", range = c(0, Inf), best = 0, symmetric = TRUE,
  metric = TRUE, pairing = TRUE, invariant = c("orthogonal", "translation", "column permutation"),
  reference = "Williams et al. 2021", check = check_center, form = "scaling",
  keeps = "row factor", prepare = prepare_rotation, statistic = unscaled_distance,
  score = unscaled_score, inspect = inspect_overflow,
  null = function(args) rotation_null(args, FALSE), errors = rotation_distance_errors,
  held = function(args) rotation_holdout(c(args, list(scale = FALSE)))
)

#' @rdname procrustes
#' @export
procrustes_similarity <- function(x, y, na = c("error", "stimuli", "neurons"), ...) {
  one_score("procrustes_similarity", x, y, list(), na)
}

declare_measure(
  id = "procrustes_similarity", label = "Procrustes similarity", family = "alignment",
  direction = "similarity", range = c(-Inf, 1), best = 1, symmetric = FALSE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "translation", "column permutation"),
  reference = "Williams et al. 2021", form = "scaling", keeps = "row factor",
  prepare = prepare_rotation, statistic = unscaled_distance,
  # the distance is divided by the norm of y in the same common units, in which neither overflows
  score = function(statistic, x, y, args) 1 - statistic / (common_units(x, y, FALSE)$y * y$norm),
  inspect = inspect_overflow, null = function(args) rotation_null(args, FALSE),
  errors = function(args) {
    # of 1 - distance / norm of y
    influence_errors(function(pair, args, codes) {
      parts <- rotation_parts(pair, TRUE)
      square <- max(parts$a + parts$b - 2 * sum(parts$inner), 0)
      of_distance <- distance_influence(parts$x2 + parts$y2 - 2 * parts$inner, square, 1)
      of_norm <- distance_influence(parts$y2, parts$b, 1)
      -of_distance / sqrt(parts$b) + sqrt(square) * of_norm / parts$b
    }, transform = "none")
  }
)

# The distance of two points on the unit sphere is the chord of this angle. It is at most sqrt(2),
# the chord of a right angle; rounding may exceed that.
angle_of_chord <- function(chord) 2 * asin(pmin(chord, sqrt(2)) / 2)

#' @rdname procrustes
#' @export
angular_shape <- function(x, y, na = c("error", "stimuli", "neurons"), ...) {
  one_score("angular_shape", x, y, list(), na)
}

declare_measure(
  id = "angular_shape", label = "Angular shape distance", family = "alignment", resi = "AngShape",
  direction = "distance", range = c(0, pi / 2), best = 0, symmetric = TRUE, metric = TRUE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Williams et al. 2021", form = "scaling", keeps = "row factor",
  prepare = prepare_rotation,
  # the statistic of the measures that bring both sides to unit norm, and of those that do not
  statistic = function(pair, x, y, args) rotated_distance(pair, x, y, args, TRUE),
  score = function(statistic, x, y, args) angle_of_chord(statistic),
  null = function(args) rotation_null(args, TRUE),
  errors = function(args) rotation_cosine_errors(new_angle()),
  held = function(args) rotation_holdout(list(method = "angular"))
)

#' Aligned cosine similarity
#'
#' The mean cosine between the responses of two representations to the same stimulus, after
#' one has been rotated to match the other as closely as possible.
#'
#' @param x,y see [cka()].
#' @param na see [similarity()].
#' @param center if `TRUE`, the mean of each column is subtracted first.
#' @param ... not used.
#' @return One number in \[-1, 1\]; 1 when every stimulus has the same direction on both
#'   sides after the rotation.
#' @details
#' The rotation is that of [procrustes()], by default without centring.
#'
#' Rotation, reflection and scaling of either side leave the score as it is and, with
#' `center = TRUE`, so does translation. A row of zeros is an error.
#'
#' When not to trust it: without centring, column means far from zero, as of non-negative responses,
#' push all cosines towards 1. Rows with large norms determine the rotation. A warning of class
#' `repalign_not_unique` says where it is not unique, and how much that could change.
#' @references Hamilton, Leskovec and Jurafsky (2016), ACL.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' turned <- x %*% qr.Q(qr(matrix(rnorm(100), 10)))
#' aligned_cosine(x, turned + 0.5 * rnorm(300))
#' @export
aligned_cosine <- function(x, y, center = FALSE, na = c("error", "stimuli", "neurons"), ...) {
  one_score("aligned_cosine", x, y, list(center = center), na)
}

# For each row the length of its part outside the span of the basis, as a share of its length.
share_outside_span <- function(a, basis, norm) {
  .Call(C_row_norms, without_span(a, basis), double(ncol(a)), 1) / norm
}

declare_measure(
  id = "aligned_cosine", label = "Aligned cosine similarity", family = "alignment",
  resi = "AlignCos", direction = "similarity", range = c(-1, 1), best = 1, symmetric = TRUE,
  metric = FALSE, pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"),
  reference = "Hamilton et al. 2016 (ACL)", check = check_center, form = "row norms",
  keeps = "row factor", prepare = function(repr, args, side) form_row_norms(repr, args$center),
  statistic = function(pair, x, y, args) {
    a <- data_to_rotate(pair, "x", args$center)
    b <- data_to_rotate(pair, "y", args$center)
    rotation <- pair_rotation(pair, args$center, a, b)
    known <- seq_len(rotation$determined)
    u <- rotation$u[, known, drop = FALSE]
    v <- rotation$v[, known, drop = FALSE]
    if (length(known) < min(ncol(a), ncol(b))) {
      # the data determine no rotation for the parts outside these spans: this is the most that
      # another choice for them could add to the mean cosine
      share <- mean(share_outside_span(a, u, x$norms) * share_outside_span(b, v, y$norms))
      warn_if(share > 1e-8, "not_unique", "The rotation of `{pair$x$arg}` onto `{pair$y$arg}` is ",
              "not unique: parts of the two are exactly uncorrelated. They count as cosine 0; ",
              "another optimal rotation could change the mean cosine by up to {signif(share, 2)}.",
              data = share)
    }
    # divided by the norms before they are multiplied, so that rows of tiny values do not vanish
    max(-1, min(1, mean(rowSums(turned_by(a, u, v) / x$norms * (b / y$norms)))))
  }
)

# ---- how the distances vary with the stimuli

# Of measures that rotate or match neurons.
influence_errors <- function(stimuli, ...) {
  new_errors("influence", stimuli = stimuli, weighted = weighted_rows,
             exact_below = enough_for_influences, ...)
}

# The cosine after the best rotation: nuclear norm of x'y over the norms of x and y.
rotation_cosine_errors <- function(cosine) {
  influence_errors(function(pair, args, codes) {
    parts <- rotation_parts(pair, is_centered(args), common = FALSE)
    size <- sqrt(parts$a * parts$b)
    cosine <- sum(parts$inner) / size
    pair$x$n * (parts$inner / size - cosine * (parts$x2 / parts$a + parts$y2 / parts$b) / 2)
  }, cosine = cosine)
}

# The distance in the units of the data. It is a sum over stimuli and has no share of them: its
# influence is that on n times the mean.
rotation_distance_errors <- function(args) {
  influence_errors(function(pair, args, codes) {
    parts <- rotation_parts(pair, is_centered(args))
    square <- max(parts$a + parts$b - 2 * sum(parts$inner), 0)
    distance_influence(parts$x2 + parts$y2 - 2 * parts$inner, square, parts$scale)
  }, transform = "none", growth = root_growth)
}

# The distance of sides with unit norm is a chord, any other one a sum over stimuli.
procrustes_errors <- function(args) {
  if (args$scale) rotation_cosine_errors(new_chord()) else rotation_distance_errors(args)
}

# ---- the shape distance: Procrustes after directions have been whitened in part

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

# Does the score compare sides of norm 1?
is_relative <- function(args) args$method == "angular" || args$scale

# With alpha = 1 nothing is whitened, and the data are compared as by procrustes().
whitens_sides <- function(args) args$alpha < 1

# The weights of the directions, which replace the singular values and have their norm. They are
# divided by the largest, so that squares of tiny values do not vanish. The data were multiplied by
# a factor, and so is the 1 of the formula for `raw`.
shape_weights <- function(form, args) {
  w <- switch(args$whitening, power = (form$s / form$s[1])^args$alpha,
              raw = args$alpha * form$s + (1 - args$alpha) * form$scale, no_branch(args$whitening))
  w <- w / max(w)
  w * (form$norm / sqrt(sum(w^2)))
}

# The whitened data up to a rotation of their columns.
whitened_scores <- function(form, args) {
  u <- if (is.null(form$rotation)) form$q else form$q %*% form$rotation
  sweep(u, 2, shape_weights(form, args), "*")
}

declare_measure(
  id = "shape_distance", label = "Shape distance", family = "alignment", direction = "distance",
  best = 0, symmetric = TRUE, metric = TRUE, pairing = TRUE,
  range = function(args) {
    c(0, if (args$method == "angular") pi / 2 else if (args$scale) sqrt(2) else Inf)
  },
  invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Williams et al. 2021; Duong et al. 2023",
  check = function(args) {
    args$alpha <- check_share(args$alpha, "alpha")
    check_parameters(method = c("angular", "euclidean"), whitening = c("power", "raw"),
                     center = "flag", scale = "flag")(args)
  },
  form = function(args) if (whitens_sides(args)) "basis" else "scaling",
  keeps = function(args) if (whitens_sides(args)) c("components", "scaling") else "row factor",
  # the basis with the singular values s of the scaled data and their norm
  prepare = function(repr, args, side) {
    if (!whitens_sides(args)) return(prepare_rotation(repr, args, side))
    parts <- form_components(repr, args$center)
    as_form("basis", list(q = form_basis(repr, args$center)$q, rotation = parts$rotation,
                          s = parts$s, rank = length(parts$s), norm = sqrt(sum(parts$s^2)),
                          scale = form_scaling(repr, args$center)$scale))
  },
  statistic = function(pair, x, y, args) {
    if (!whitens_sides(args)) return(rotated_distance(pair, x, y, args, is_relative(args)))
    # the inner products of the singular vectors of both sides, which serve for every alpha
    cosines <- remember(pair$cache, list("component cosines", args$center), {
      cosines <- pair_cosines(pair, args$center)
      if (!is.null(x$rotation)) cosines <- crossprod(x$rotation, cosines)
      if (is.null(y$rotation)) cosines else cosines %*% y$rotation
    })
    cross <- cosines * outer(shape_weights(x, args), shape_weights(y, args))
    distance_of_sum(sum(singular_values(cross)), x, y, is_relative(args), function(units) {
      a <- whitened_scores(x, args)
      b <- whitened_scores(y, args)
      turned_residual(a, b, optimal_rotation(a, b, cross), units)
    })
  },
  score = function(statistic, x, y, args) {
    if (args$method == "angular") angle_of_chord(statistic) else
      scaled_score(statistic, x, y, args)
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
             operand = function(form, repr, args, side) list(matrix = whitened_scores(form, args)),
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
