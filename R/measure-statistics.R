# These measures reduce each representation to one number and compare the two numbers, so that the
# stimuli of the two sides need not correspond.

#' @include measure.R
NULL

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
