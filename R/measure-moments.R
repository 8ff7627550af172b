# Measures that compare the inner products of centred rows, which squared distances determine, or
# single numbers.

#' @include measure.R form.R
NULL

#' Bures similarity and distance
#'
#' `bures()` is the cosine of the angle that is left between two representations after the best
#' rotation (the fidelity of their second moments), and `bures_distance()` the distance that goes
#' with it.
#'
#' @param x,y see [cka()]. Either may also be an RDM of squared distances, as a `dist` object.
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number. `bures()`: in \[0, 1\]; 1 when the second moments are proportional.
#'   `bures_distance()`: at least 0, in the units of the data (or in roots of those of an RDM).
#'   `NA`, with a warning of class `repalign_undefined`, when one side is constant.
#' @details
#' For data they are the cosine of [angular_shape()] and [procrustes_size_shape()]. (`bures_metric`
#' of rsatoolbox is the square of `bures_distance()`.)
#'
#' Of RDMs that are not of squared Euclidean distances, such as crossnobis estimates, negative
#' eigenvalues are set to 0, and a warning of class `repalign_projected` says what share they are.
#' Distances of [stats::dist()] with `method = "euclidean"` or `transform_rdm(x, "sqrt")` are
#' squared, with a message. (`dist(x)^2` cannot be told from `dist(x)`: give `dist(x)`.) Missing
#' distances are an error.
#'
#' Rotation, reflection and translation of either side leave both as they are, and scaling
#' `bures()`.
#'
#' When not to trust it: values rise with the number of neurons when stimuli are few, also of
#' unrelated representations.
#' @references Bures (1969), Transactions of the American Mathematical Society 135. Harvey, Larsen
#'   and Williams (2024), Proceedings of Machine Learning Research 243.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' y <- x + rnorm(300)
#' bures(x, y)
#' bures(dist(x), y)
#' bures_distance(x, y)
#' @seealso [riemann()]
#' @export
bures <- function(x, y, na = c("error", "stimuli", "neurons"), ...) {
  one_score("bures", x, y, list(), na)
}

#' @rdname bures
#' @export
bures_distance <- function(x, y, na = c("error", "stimuli", "neurons"), ...) {
  one_score("bures_distance", x, y, list(), na)
}

prepare_moment <- function(repr, id) {
  note_squares(repr, id)
  form <- form_second_moment(repr)
  if (form$norm > 0 && form$cut > 1e-8) {
    say_once(repr, "projected", {
      warn("projected", "The dissimilarities of `{repr$arg}` are not squared Euclidean distances: ",
           "negative eigenvalues of their second moments, {format(100 * form$cut, digits = 2)}% ",
           "of the sum of absolute eigenvalues, are set to 0.", data = form$cut)
    })
  }
  extend_form(form, undefined = form$norm == 0)
}

warn_no_moment <- function(repr, args) {
  warn("undefined", "The value is undefined (NA): the second moments of `{repr$arg}` have no ",
       "positive eigenvalue.", data = repr$arg)
}

factor_cross <- function(x, y) crossprod(x$factor, y$factor)

moment_null <- function(statistic) {
  force(statistic)
  new_null("singular", statistic = statistic, sums = "second moment",
           operand = function(form, repr, args, side) list(matrix = form$factor))
}

declare_measure(
  id = "bures", label = "Bures similarity", family = "alignment", direction = "similarity",
  range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE, pairing = TRUE,
  invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Bures 1969; Harvey et al. 2024", accepts = c("data", "dist", "signed", "zero"),
  form = "second moment", keeps = "squared distances",
  prepare = function(repr, args, side) prepare_moment(repr, "bures"), undefined = warn_no_moment,
  statistic = function(pair, x, y, args) sum(singular_values(factor_cross(x, y))),
  score = function(statistic, x, y, args) clip_to_range(statistic / x$norm / y$norm, 0, 1),
  null = moment_null(function(values, x, y, args, design) values), needs_data = FALSE
)

declare_measure(
  id = "bures_distance", label = "Bures distance", family = "alignment", direction = "distance",
  range = c(0, Inf), best = 0, symmetric = TRUE, metric = TRUE, pairing = TRUE,
  invariant = c("orthogonal", "translation", "column permutation"),
  reference = "Bures 1969; Harvey et al. 2024", accepts = c("data", "dist", "signed", "zero"),
  form = "second moment", keeps = "squared distances",
  prepare = function(repr, args, side) prepare_moment(repr, "bures_distance"),
  undefined = warn_no_moment,
  # the distance in common units, as permuted_distance() has it
  statistic = function(pair, x, y, args) {
    cross <- factor_cross(x, y)
    distance_of_sum(sum(singular_values(cross)), x, y, FALSE, function(units) {
      turned_residual(x$factor, y$factor, optimal_rotation(x$factor, y$factor, cross), units)
    })
  },
  score = unscaled_score, inspect = inspect_overflow,
  null = moment_null(function(values, x, y, args, design) permuted_distance(values, x, y, FALSE)),
  errors = function(args) growing_errors(root_growth), needs_data = FALSE
)

#' Riemannian similarity of a model and data
#'
#' Minus the Riemannian distance between the second moments of data and those of a model, with the
#' scale and the noise added to the model that make it smallest.
#'
#' @param x,y a model and data, as representations of the same stimuli (see [cka()])
#'   or RDMs of squared distances, as `dist` objects.
#' @param stimulus_noise the noise covariance of the stimuli (conditions): `NULL` for the same
#'   independent noise, a vector of variances, or a matrix.
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number, at most 0; 0 when the model with some noise is proportional to the data.
#'   `NA`, with a warning of class `repalign_undefined`, when the model is constant.
#' @details
#' The distance is `sqrt(sum(log(l)^2))` over the eigenvalues l of the second moments of the model
#' relative to those of the data. It is not symmetric: the noise is added to the first argument. The
#' second one must have at least as many neurons as there are stimuli less one, or be an RDM with
#' noise in all dimensions; otherwise it is an error. Values of a `dist` object are squared as for
#' [bures()]. Rotation, reflection, translation and scaling of either side leave the score as it is.
#'
#' When not to trust it: weak dimensions of the data count as much as strong ones. If they are
#' noise, the score says how well `stimulus_noise` describes the noise. Values for different numbers
#' of stimuli are not comparable.
#' @references Barachant et al. (2013), Neurocomputing 112. Shahbazi et al. (2021), NeuroImage 239.
#' @examples
#' set.seed(1)
#' model <- matrix(rnorm(20 * 3), 20)
#' data <- cbind(model, matrix(0, 20, 27)) + 0.5 * rnorm(20 * 30)
#' riemann(model, data)
#' riemann(matrix(rnorm(20 * 3), 20), data)
#' @seealso [rsa()]
#' @export
riemann <- function(x, y, stimulus_noise = NULL, na = c("error", "stimuli", "neurons"), ...) {
  one_score("riemann", x, y, list(stimulus_noise = stimulus_noise), na)
}

# The smallest spread of the logarithms of the eigenvalues of (1 - t) a + t b over shares t: a grid
# of their log odds, and a search around its best point.
least_spread <- function(a, b) {
  spread <- function(t) {
    values <- eigen((1 - t) * a + t * b, symmetric = TRUE, only.values = TRUE)$values
    if (min(values) <= 0) return(Inf)
    logs <- log(values)
    sqrt(sum((logs - mean(logs))^2))
  }
  odds <- seq(-24, 24, 3)
  found <- vapply(stats::plogis(odds), spread, 0)
  best <- odds[which.min(found)]
  # a finite number for what is not defined, as a search needs
  within <- stats::optimize(function(s) min(spread(stats::plogis(s)), 1e300), best + c(-3, 3),
                            tol = 1e-7)
  min(found, within$objective, spread(0), spread(1))
}

declare_measure(
  id = "riemann", label = "Riemannian similarity", family = "alignment", direction = "similarity",
  range = c(-Inf, 0), best = 0, symmetric = FALSE, metric = FALSE, pairing = TRUE,
  invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Shahbazi et al. 2021", accepts = c("data", "dist", "signed", "zero"),
  check = check_noise_argument,
  check_pair = function(pair, args) {
    check_rows(pair$x$n, 3, pair$x$arg, "a Riemannian distance")
    check_stimulus_noise_size(args$stimulus_noise, pair$x$n)
  },
  form = "squared distances", keeps = "distances",
  prepare = function(repr, args, side) {
    note_squares(repr, "riemann")
    form <- form_squared_distances(repr)
    extend_form(form, undefined = all(form$d == 0))
  },
  undefined = function(repr, args) warn_equal_dissimilarities(repr, args, what = "0"),
  statistic = function(pair, x, y, args) {
    n <- pair$x$n
    check_memory(8 * 17 * as.double(n)^2, "The second moments of all stimuli",
                 "Fewer stimuli need less.")
    # Orthonormal contrasts of the stimuli, a column each: the columns but the first of the
    # reflection that takes equal weights to the first axis.
    v <- rep(1 / sqrt(n), n)
    v[1] <- v[1] - 1
    basis <- (diag(n) - (2 / sum(v^2)) * tcrossprod(v))[, -1, drop = FALSE]
    moment <- function(form) -crossprod(basis, unpacked_pairs(form$d, n) %*% basis) / 2
    root <- positive_root(moment(y))
    refuse_if(is.null(root), "value", "The second moments of `{pair$y$arg}`, the data, are not ",
              "positive definite: riemann() needs at least as many neurons as there are stimuli ",
              "less one, or an RDM with noise in all dimensions. Give fewer stimuli, or use ",
              "bures().")
    relative <- function(m) {
      m <- backsolve(root, t(backsolve(root, m, transpose = TRUE)), transpose = TRUE)
      m <- (m + t(m)) / 2
      m / frobenius(m)
    }
    noise <- stimulus_noise_matrix(args$stimulus_noise, n)
    -least_spread(relative(moment(x)), relative(crossprod(basis, noise %*% basis)))
  },
  needs_data = FALSE
)

# ---- their form

# Forms of the second moments of a representation, the inner products of its centred rows, which
# data have and squared distances determine.

# list(factor, norm, scale, cut): a matrix with a row for each stimulus, whose products with itself
# are the second moments; its Frobenius norm; the power of two by which it is larger than the data;
# and which share of the absolute eigenvalues was negative and so set to 0.
form_second_moment <- function(repr) {
  remember_form(repr, "second moment", list(), {
    if (repr$kind == "data") {
      unit <- form_centering(repr)
      wide <- ncol(repr$data) > repr$n
      factor <- if (wide) .Call(C_row_factor, repr$data, unit$means, unit$scale) else
        scaled_data(repr, TRUE)
      list(factor = factor, norm = frobenius(factor), scale = unit$scale, cut = 0)
    } else {
      square <- form_squared_distances(repr)
      n <- repr$n
      moment <- -unpacked(double_centering(square$d, as.double(n)), n) / 2
      announce_decomposition(n, n, "vectors")
      parts <- eigen(moment, symmetric = TRUE)
      keep <- parts$values > n * .Machine$double.eps * max(abs(parts$values))
      factor <- parts$vectors[, keep, drop = FALSE] * rep(sqrt(parts$values[keep]), each = n)
      size <- sum(abs(parts$values))
      list(factor = factor, norm = frobenius(factor), scale = square$scale,
           cut = if (size > 0) sum(pmax(-parts$values, 0)) / size else 0)
    }
  })
}

declare_form("second moment", relabel = relabel_parts(rows = "factor"),
             size = function(n, d, args) as.double(n) * if (d == 0) n else min(n, d))

# list(d, scale): squared distances times the square of `scale`, a power of two that keeps them near
# 1. A "dist" object holds squares, but for Euclidean distances that dist() made, and roots.
form_squared_distances <- function(repr) {
  remember_form(repr, "squared distances", list(), {
    distances <- if (repr$kind == "data") form_distances(repr) else
      list(d = as.double(repr$data), scale = 1)
    d <- distances$d
    largest <- max(abs(d))
    square <- repr$kind == "data" ||
      (repr$kind == "dist" && kind_of_values(repr$data) == "distances")
    scale <- if (largest == 0) 1 else power_of_two_below(if (square) largest else sqrt(largest))
    list(d = if (square) (d * scale)^2 else d * scale * scale, scale = scale * distances$scale)
  })
}

declare_form("squared distances", relabel = relabel_parts(packed = "d"),
             size = function(n, d, args) packed_length(n))

# Squares of distances cannot be told from the distances; and ranks are neither.
note_squares <- function(repr, id) {
  kind <- if (repr$kind == "dist") kind_of_values(repr$data) else "squares"
  if (kind == "squares") return(invisible())
  say_once(repr, "squared", {
    if (kind == "neither") {
      warn("no_squares", "`{repr$arg}` holds no distances any more ({distance_words(repr$data)}), ",
           "but {id}() takes its values for squared distances: give the RDM as it was before ",
           "transform_rdm().", data = repr$arg)
    } else {
      plain <- is.null(attr(repr$data, "distance")) && is.null(attr(repr$data, "transformed"))
      inform("squared", "`{repr$arg}` has ", if (plain) "Euclidean distances made by dist()" else
               paste0("distances (", distance_words(repr$data), ")"),
             ": {id}() squares them. If they are squares already (",
             if (plain) "dist(x)^2 keeps the attribute" else "arithmetic keeps the attributes",
             "), ", if (plain) paste0("set attr(", repr$arg, ", \"method\") <- NULL.") else
               paste0("give as.dist(as.matrix(", repr$arg, "))."))
    }
  })
}

# ---- single numbers

# These measures reduce each representation to one number and compare the two numbers, so that the
# stimuli of the two sides need not correspond.

#' Differences of magnitude, concentricity and uniformity
#'
#' The absolute difference between one number of each side: the length of its mean row (magnitude),
#' the mean cosine between its rows and its mean row (concentricity), or the logarithm of the mean
#' Gaussian potential over all pairs of rows (uniformity), low when the rows are spread out.
#'
#' @param x,y two representations, see [cka()], whose rows may be in any order.
#' @param na see [similarity()].
#' @param t how fast the potential falls with the squared distance.
#' @param normalize if `TRUE`, each row is scaled to unit length first, as originally defined (not
#'   in the ReSi benchmark).
#' @param ... not used.
#' @return One number, at least 0: of magnitudes in the units of the data; of concentricities at
#'   most 2, and `NA`, with a warning of class `repalign_undefined`, when the mean row of one side
#'   is zero, as after centring.
#' @details
#' The uniformity is `log(mean(exp(-t * d^2)))` over the distances d of all n x n pairs of rows.
#'
#' Rotation of a side and another order of its stimuli leave all three as they are, scaling the
#' concentricity and (with `normalize`) the uniformity, and translation the uniformity without
#' `normalize`. A row of zeros is an error of concentricity, and with `normalize`.
#'
#' When not to trust it: magnitude and concentricity depend on where the zero of each neuron is. In
#' different units a difference of magnitude has no meaning. Without `normalize`, distances in most
#' data are so large that the score is close to 0: scale the data so that t times a typical squared
#' distance is near 1.
#' @references Wang et al. (2022), IEEE TKDE 34. Wang and Isola (2020), ICML. Klabunde et al.
#'   (2025), ICLR, \doi{10.48550/arXiv.2408.00531} (the ReSi benchmark).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 3), 40)
#' magnitude_difference(x, x + 1)
#' concentricity_difference(x + 1, x + 3)
#' uniformity_difference(x, 0.5 * x)
#' @export
magnitude_difference <- function(x, y, na = c("error", "stimuli", "neurons"), ...) {
  one_score("magnitude_difference", x, y, list(), na)
}

declare_measure(
  id = "magnitude_difference", label = "Difference of magnitude", family = "statistic",
  resi = "MagDiff", direction = "distance", range = c(0, Inf), best = 0, symmetric = TRUE,
  metric = FALSE, pairing = FALSE, invariant = c("orthogonal", "column permutation"),
  reference = "Wang et al. 2022", form = "summary",
  prepare = function(repr, args, side) {
    # they are remembered already
    means <- column_stats(repr)$means
    value <- sqrt(.Call(C_dot, means, means))
    if (!is_usual_size(value) && any(means != 0)) {
      largest <- max(abs(means))
      value <- largest * sqrt(sum((means / largest)^2))
    }
    refuse_if(is.infinite(value), "value", "The length of the mean row of `{repr$arg}` is too ",
              "large for a double: rescale the data.")
    as_form("summary", list(value = value))
  },
  score = value_difference, needs_data = FALSE
)

value_difference <- function(statistic, x, y, args) abs(x$value - y$value)

#' @rdname magnitude_difference
#' @export
concentricity_difference <- function(x, y, na = c("error", "stimuli", "neurons"), ...) {
  one_score("concentricity_difference", x, y, list(), na)
}

declare_measure(
  id = "concentricity_difference", label = "Difference of concentricity", family = "statistic",
  resi = "ConcDiff", direction = "distance", range = c(0, 2), best = 0, symmetric = TRUE,
  metric = FALSE, pairing = FALSE, invariant = c("orthogonal", "scaling", "column permutation"),
  reference = "Wang et al. 2022", form = "summary",
  prepare = function(repr, args, side) remember_summary(repr, "concentricity", list(), {
    # in units of the largest entry, a mean row of rounding size can be recognised as zero
    stats <- column_stats(repr)
    means <- stats$means / stats$size
    size <- sqrt(sum(means^2))
    undefined <- size <= tie_share
    direction <- if (undefined) numeric(length(means)) else means / size
    scale <- power_of_two_below(stats$size)
    norms <- .Call(C_row_norms, repr$data, double(length(means)), scale)
    cosines <- drop(repr$data %*% (direction * scale)) / norms
    value <- mean(cosines)
    if (is.nan(value)) refuse_rows(repr, which(is.nan(cosines)), centered = FALSE)
    list(value = if (undefined) NA_real_ else value, undefined = undefined)
  }),
  undefined = function(repr, args) {
    warn("undefined", "The concentricity of `{repr$arg}` is undefined (NA): its mean row is zero, ",
         "as after centring, and has no direction.", data = repr$arg)
  },
  score = value_difference, needs_data = FALSE
)

#' @rdname magnitude_difference
#' @export
uniformity_difference <- function(x, y, t = 2, normalize = FALSE,
                                  na = c("error", "stimuli", "neurons"), ...) {
  one_score("uniformity_difference", x, y, list(t = t, normalize = normalize), na)
}

# The sum of exp(-t d^2) over pairs of different stimuli; `shifted` subtracts 1 from each term.
pair_potential <- function(repr, t, normalize, shifted) {
  if (normalize) {
    half_squares <- form_unit_distances(repr, "cosine")$d
    return(.Call(C_packed_decay, half_squares, 2 * t, TRUE, shifted, thread_count()))
  }
  distances <- form_distances(repr)
  .Call(C_packed_decay, distances$d, sqrt(t) / distances$scale, FALSE, shifted, thread_count())
}

declare_measure(
  id = "uniformity_difference", label = "Difference of uniformity", family = "statistic",
  resi = "UnifDiff", direction = "distance", range = c(0, Inf), best = 0, symmetric = TRUE,
  metric = FALSE, pairing = FALSE, invariant = c("orthogonal", "translation", "column permutation"),
  reference = "Wang and Isola 2020",
  check = function(args) {
    args$t <- check_number(args$t, "t", above = 0)
    check_flag(args$normalize, "normalize")
    args
  },
  form = "summary", keeps = function(args) if (args$normalize) "unit distances" else "distances",
  # Uniformity is computed in two ways, since each loses digits where the other keeps them. `above`
  # is uniformity plus log(n): it keeps the digits when pairs of different stimuli add little to
  # those of a stimulus with itself. `value` is uniformity itself, computed so that it keeps the
  # digits near 0; it is NA when uniformity is far from 0.
  prepare = function(repr, args, side) {
    remember_summary(repr, "uniformity", list(args$t, args$normalize), {
      n <- as.double(repr$n)
      potential <- pair_potential(repr, args$t, args$normalize, shifted = FALSE)
      value <- NA_real_
      if (potential > packed_length(repr$n) / 2) {
        value <- log1p(2 * pair_potential(repr, args$t, args$normalize, shifted = TRUE) / n^2)
      }
      list(above = log1p(2 * potential / n), value = value)
    })
  },
  score = function(statistic, x, y, args) {
    if (is.na(x$value) || is.na(y$value)) abs(x$above - y$above) else abs(x$value - y$value)
  },
  needs_data = FALSE
)
