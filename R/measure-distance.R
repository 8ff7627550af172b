# The measures of this file compare the distances between stimuli.

#' @include measure.R
NULL

#' Representational similarity analysis
#'
#' The correlation between the dissimilarities of all pairs of stimuli (RDMs) in two
#' representations.
#'
#' @param x,y see [cka()]. Either may also be an RDM, as a `dist` object; it is used as it is,
#'   whatever `inner` says.
#' @param inner how two rows (stimuli) are compared: `"correlation"` is 1 - Pearson
#'   correlation over the neurons, `"euclidean"` the Euclidean distance, `"sqeuclidean"` its
#'   square, and `"cosine"` 1 - cosine.
#' @param outer how the two RDMs are compared, over all pairs of different stimuli: by `"spearman"`,
#'   `"pearson"`, `"kendall"` (tau-a), the `"cosine"`, `"tau_b"`, `"rho_a"`, `"whitened_cosine"` or
#'   `"whitened_pearson"`, see Details.
#' @param clusters as in [cka()]: pairs of one cluster are left out. At least 3 clusters are needed.
#' @param stimulus_noise for the whitened comparisons: the noise covariance of the stimuli: `NULL`
#'   for the same independent noise, a vector of variances, or a matrix, in any unit.
#' @param given controls, see [cka()], for `outer = "pearson"`, `"spearman"`, `"cosine"` and the
#'   whitened ones: the partial correlation of the RDMs. An RDM is a control without error; for RDMs
#'   of subjects and models of them [rsa_regression()] gives p-values.
#' @param na as in [similarity()]; with `dist` objects that lack pairs of stimuli also `"pairwise"`,
#'   to compare over the pairs that both sides have, at least 3.
#' @param ... not used.
#' @return One number in \[-1, 1\]; 1 when the two RDMs agree (with Spearman, when their order
#'   agrees). `NA`, with a warning of class `repalign_undefined`, when all dissimilarities of one
#'   side are equal (for a cosine, when they are 0).
#' @details
#' With ties, tau-a and rho-a (the mean of Spearman's correlation over all random orders of tied
#' values) stay below 1, and do not favour models that predict ties; tau-b counts pairs that are not
#' tied. The whitened comparisons weigh pairs by the inverse of the covariance of their noise
#' without signal (Diedrichsen et al. 2021). Without `stimulus_noise`, `"whitened_cosine"` of
#' squared Euclidean distances is the linear naive [cka()].
#'
#' With the defaults, the score changes when the neurons are rotated, or when a constant is added to
#' one neuron; with Euclidean distances it does not.
#'
#' When not to trust it: pairs of stimuli are not independent, so the p-value of an ordinary
#' correlation test is wrong; use [calibrate()]. Noise biases RDMs (squared distances between noisy
#' patterns are too large), and different noise on the two sides lowers the score. With two neurons
#' every correlation is 1 or -1, with a warning of class `repalign_degenerate`. A constant row has
#' no correlation and a row of zeros has no cosine: both are errors. Cosines of RDMs need a 0 that
#' means "no difference", as in cross-validated distances (`"crossnobis"` of [rdm()]): otherwise
#' RDMs that share nothing have high cosines, and correlations are right.
#' @references Kriegeskorte, Mur and Bandettini (2008), Frontiers in Systems Neuroscience 2.
#'   Nili et al. (2014), PLoS Computational Biology 10 (tau-a). \enc{Schütt}{Schuett} et al.
#'   (2023), eLife 12 (rho-a). Diedrichsen et al. (2021), Neurons, Behavior, Data Analysis, and
#'   Theory 5 (whitened).
#' @examples
#' # RDMs of 92 images: human and monkey inferior temporal cortex
#' rsa(rdm92$human_mean, rdm92$monkey)
#' # responses of two layers of a network
#' rsa(v4_layers$L3, v4_layers$L4, inner = "euclidean", outer = "pearson")
#' @export
rsa <- function(x, y, inner = c("correlation", "euclidean", "sqeuclidean", "cosine"),
                outer = c("spearman", "pearson", "kendall", "cosine", "tau_b", "rho_a",
                          "whitened_cosine", "whitened_pearson"),
                clusters = NULL, stimulus_noise = NULL,
                na = c("error", "stimuli", "neurons", "pairwise"), given = NULL, ...) {
  na <- check_choice(na, c(missing_rules, "pairwise"), "na")
  own <- if (na == "pairwise") na else c("error", "pairwise")
  one_score("rsa", x, y, list(inner = inner, outer = outer, clusters = clusters,
                              stimulus_noise = stimulus_noise, na = own),
            if (length(own) == 1) "error" else na, given)
}

rsa_inner <- c("correlation", "euclidean", "sqeuclidean", "cosine")

# Do dissimilarities of this range differ by more than rounding? (For the cosine, do they differ
# from 0?)
differ_by_more <- function(range, tolerance, outer) {
  largest <- max(abs(range))
  contrast <- if (is_cosine(outer)) largest else range[2] - range[1]
  isTRUE(contrast > max(tie_share * largest, tolerance[2]))
}

check_row_width <- function(repr, inner) {
  if (repr$kind == "dist" || inner != "correlation") return(invisible())
  width <- ncol(repr$data)
  refuse_if(width == 1, "size", "`{repr$arg}` has one column, but rows are correlated over ",
            "columns: give three or more, or set inner = \"euclidean\".")
  # of two categories, 1 and -1 are all that there is to say
  two_categories <- width == 2 && all(repr$data %in% 0:1) && all(rowSums(repr$data) == 1)
  warn_if(width == 2 && !two_categories, "degenerate", "`{repr$arg}` has two columns, so every ",
          "correlation between its rows is 1 or -1: the value carries almost no information. Use ",
          "inner = \"euclidean\" or \"cosine\".", data = repr$arg)
}

declare_measure(
  id = "rsa", label = "Representational similarity analysis", family = "distance", resi = "RSA",
  direction = "similarity", range = c(-1, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("scaling", "column permutation"),
  reference = "Kriegeskorte, Mur and Bandettini 2008",
  accepts = c("data", "dist", "signed", "zero"),
  uses = function(args) if (!is.null(args$clusters)) "clusters",
  check = function(args) {
    args$inner <- check_choice(args$inner, rsa_inner, "inner")
    args$clusters <- cluster_codes(args$clusters)
    check_outer_args(args)
  },
  settle = settle_rsa,
  check_pair = function(pair, args) {
    check_rows(pair$x$n, 3, pair$x$arg, "a correlation of dissimilarities")
    check_clusters(args$clusters, pair$x$n, pair$x$arg, 3, "a correlation of dissimilarities")
    check_stimulus_noise_size(args$stimulus_noise, pair$x$n)
  },
  form = function(args) args$form,
  # the kinds of forms that are made on the way to the dissimilarities
  keeps = function(args) {
    euclidean <- args$inner %in% c("euclidean", "sqeuclidean")
    # between clusters only some of the dissimilarities are ranked, which is no form of its own
    ranked <- args$outer %in% c("spearman", "rho_a") && is.null(args$clusters)
    c("distances", if (!euclidean) "unit distances", if (ranked) "ranks")
  },
  prepare = function(repr, args, side) {
    repr <- labelled_stimuli(repr, args$clusters)
    check_row_width(repr, args$inner)
    # where pairs lack, both sides together decide whether there is a score
    if (args$gaps) return(rdm_form(repr, args))
    # what is remembered needs no distances, of which prepare() then keeps none
    facts <- rdm_facts(repr, args$inner)
    range <- if (is.null(args$clusters)) facts$range
      else value_range(dissimilarities_of(repr, args$inner)$d[
        between_clusters(labelled_codes(args$clusters))])
    form <- rdm_form(repr, args)
    form$undefined <- !differ_by_more(range, facts$tolerance, args$outer) || isTRUE(form$size == 0)
    form
  },
  undefined = warn_equal_dissimilarities, statistic = rdm_product, score = rdm_correlation,
  null = rsa_null, dot = rsa_dot,
  # which pairs are ranked or weighed is known only when both sides are there
  needs_data = function(args, n, d) args$na == "pairwise", errors = rsa_errors,
  cosine = function(args) {
    args$outer %in% c("pearson", "spearman", "cosine", "whitened_cosine", "whitened_pearson") &&
      args$na == "error"
  }
)

#' Distance correlation
#'
#' How strongly the distances between stimuli in one representation are related to those in the
#' other: with many stimuli 0 exactly when the two are independent, and 1 when one is the other one
#' rotated, shifted and scaled.
#'
#' @param x,y see [cka()]. Either may also be a `dist` object with the distances between the
#'   stimuli.
#' @param squared if `TRUE`, the outer square root is left out.
#' @param estimator `"biased"`, or `"unbiased"`: an unbiased estimate of the squared distance
#'   covariance is behind it; the score is then squared, with its sign, whatever `squared` says.
#' @param given controls, see [cka()], for squared or unbiased values: the partial distance
#'   correlation of Szekely and Rizzo (2014).
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number: in \[0, 1\] for `"biased"`; in \[-1, 1\] for `"unbiased"`, around 0 for
#'   unrelated representations. `NA`, with a warning of class `repalign_undefined`, where it is
#'   undefined.
#' @details
#' Rotation, translation and scaling of a side leave the score as it is; scaling of single neurons
#' does not. The score responds to non-linear relations more than [cka()], and less to outliers.
#'
#' When not to trust it: for unrelated representations the biased estimate is far above 0 when
#' stimuli are few, and approaches 1 with more neurons: use `estimator = "unbiased"`.
#' @references \enc{Székely}{Szekely}, Rizzo and Bakirov (2007), Annals of Statistics 35.
#'   \enc{Székely}{Szekely} and Rizzo (2014), Annals of Statistics 42 (unbiased).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 3), 40)
#' y <- cbind(x[, 1]^2, rnorm(40))
#' distance_correlation(x, y)
#' distance_correlation(x, y, estimator = "unbiased")
#' @export
distance_correlation <- function(x, y, squared = FALSE, estimator = c("biased", "unbiased"),
                                 na = c("error", "stimuli", "neurons"), given = NULL, ...) {
  one_score("distance_correlation", x, y, list(squared = squared, estimator = estimator), na, given)
}

distance_correlations <- function(square, args) {
  square <- clip_to_range(square, -1, 1)
  if (is_square(args)) square else sqrt(pmax(square, 0))
}

# Is the score the square of a correlation, of which no root is taken?
is_square <- function(args) args$estimator == "unbiased" || args$squared

declare_measure(
  id = "distance_correlation", label = "Distance correlation", family = "distance",
  resi = "DistCorr", direction = "similarity", best = 1,
  # the unbiased estimate may be negative, and so may squares for distances that are not Euclidean
  range = function(args) c(if (args$estimator == "unbiased" || args$squared) -1 else 0, 1),
  symmetric = TRUE, metric = FALSE, pairing = TRUE,
  invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Szekely et al. 2007", accepts = c("data", "dist"),
  check = check_parameters(squared = "flag", estimator = c("biased", "unbiased")),
  check_pair = function(pair, args) {
    if (args$estimator == "unbiased") check_rows(pair$x$n, 4, pair$x$arg, "the unbiased estimator")
  },
  form = "centered distances", keeps = "distances",
  prepare = function(repr, args, side) {
    form <- form_centered_distances(repr, args$estimator == "unbiased")
    form$undefined <- form$size == 0
    form
  },
  undefined = warn_equal_dissimilarities,
  # The distance covariance. It can be negative for distances that are not Euclidean only; then it
  # has no root, and the score is undefined.
  statistic = function(pair, x, y, args) {
    value <- packed_centered_product(x, y)
    if (is_square(args) || value / sqrt(x$size) / sqrt(y$size) >= -tie_share) return(value)
    warn("undefined", "The distance correlation is undefined (NA): the distance covariance is ",
         "negative, which is impossible with Euclidean distances. Set squared = TRUE, or give ",
         "Euclidean distances.")
    NA_real_
  },
  score = function(statistic, x, y, args) {
    distance_correlations(statistic / sqrt(x$size) / sqrt(y$size), args)
  },
  cosine = is_square,
  dot = function(args) new_dot(function(x, y, args) {
    with_sizes(centered_table(x, y), y, sizes_of(x, y, form_size_of))
  }, function(values, args) {
    if (!is_square(args)) values[values < -tie_share] <- NA
    distance_correlations(values, args)
  }),
  null = function(args) {
    new_null("inner", centered = TRUE, operand = function(form, repr, args, side) {
      matrix_operand(unpacked(form, repr$n))
    })
  },
  needs_data = FALSE,
  errors = function(args) {
    kind <- if (args$estimator == "unbiased") "u" else "v"
    pairwise_errors(kind, function(repr, args, codes) distance_side(repr, kind), function(square) {
      if (is_square(args)) square else ifelse(square < -tie_share, NA, sqrt(pmax(square, 0)))
    })
  }
)

#' Norm of the difference of two distance matrices
#'
#' How far apart two representations are if each is described by the Euclidean distances
#' between its stimuli.
#'
#' @param x,y see [distance_correlation()].
#' @param norm `"frobenius"`: the root of the sum of squares over the whole matrix; `"spectral"` (as
#'   in the code of the ReSi benchmark): the largest absolute eigenvalue.
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number, at least 0, in the units of the data; 0 when all distances agree.
#' @details
#' Each pair of stimuli occurs twice in the matrices. Rotation and translation of a side leave the
#' score as it is.
#'
#' When not to trust it: when one side has larger values than the other, the score says little else:
#' bring both to one scale first. Scores of different data sets are not comparable, as the Frobenius
#' norm grows in proportion to the number of stimuli.
#' @references Yin and Shen (2018), NeurIPS 31. Klabunde et al. (2025), ICLR,
#'   \doi{10.48550/arXiv.2408.00531} (the ReSi benchmark).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 3), 40)
#' y <- x + rnorm(40 * 3, sd = 0.2)
#' rsm_difference(x, y)
#' rsm_difference(dist(x), dist(y), norm = "spectral")
#' @export
rsm_difference <- function(x, y, norm = c("frobenius", "spectral"),
                           na = c("error", "stimuli", "neurons"), ...) {
  one_score("rsm_difference", x, y, list(norm = norm), na)
}

# The norm of the difference, in the units of the side with the larger values. Both sides were
# scaled by powers of two, so bringing them to common units is exact.
difference_norm <- function(pair, x, y, args) {
  shares <- min(x$scale, y$scale) / c(x$scale, y$scale)
  if (args$norm == "spectral") {
    found <- .Call(C_packed_difference_spectral, x$d, shares[1], y$d, shares[2],
                   as.double(pair$x$n), most_lanczos_steps, thread_count())
    warn_if(found[2] > 1e-12, "accuracy", "The spectral norm of the difference of `{pair$x$arg}` ",
            "and `{pair$y$arg}` is known only to a relative error of ",
            "{format(found[2], digits = 2)}.", data = found[2])
    return(found[1])
  }
  sqrt(2 * .Call(C_packed_difference_squares, x$d, shares[1], y$d, shares[2], thread_count()))
}

# A limit for the iteration, far above the number of steps that it was ever seen to need.
most_lanczos_steps <- 1000L

declare_measure(
  id = "rsm_difference", label = "Norm of the difference of distances", family = "distance",
  resi = "RSMDiff", direction = "distance", range = c(0, Inf), best = 0, symmetric = TRUE,
  metric = TRUE, pairing = TRUE, invariant = c("orthogonal", "translation", "column permutation"),
  reference = "Yin and Shen 2018", accepts = c("data", "dist"),
  check = check_parameters(norm = c("frobenius", "spectral")), form = "distances",
  prepare = function(repr, args, side) form_distances(repr), statistic = difference_norm,
  score = function(statistic, x, y, args) statistic / min(x$scale, y$scale),
  # refuses scores that are not finite, and scores of 0 for sides that differ: in the units of the
  # data their norm is too large or too small for a double
  inspect = function(score, pair, x, y, args) {
    usual <- is.finite(score) && (score > 0 || difference_norm(pair, x, y, args) == 0)
    refuse_if(!usual, "value", "The norm of the difference of `{pair$x$arg}` and `{pair$y$arg}` ",
              "is too large or too small for a double: rescale the data.")
  },
  null = function(args) {
    if (args$norm == "spectral") return(NULL)
    new_null("inner", centered = FALSE,
             operand = function(form, repr, args, side) {
               matrix_operand(unpacked(list(entries = form$d), repr$n))
             },
             # from the inner products of the matrices
             statistic = function(values, x, y, args, design) {
               shares <- min(x$scale, y$scale) / c(x$scale, y$scale)
               squares <- (shares[1] * x$norm)^2 + (shares[2] * y$norm)^2
               sqrt(pmax(squares - 2 * shares[1] * shares[2] * values, 0))
             })
  },
  needs_data = FALSE,
  # both norms grow with the number of stimuli
  errors = function(args) {
    if (args$norm == "spectral") return(growing_errors(linear_growth))
    new_errors("jackknife", transform = "none", growth = linear_growth,
               stimuli = function(pair, args, codes) {
      x <- form_distances(pair$x)
      y <- form_distances(pair$y)
      unit <- min(x$scale, y$scale)
      difference <- x$d * (unit / x$scale) - y$d * (unit / y$scale)
      sqrt(pmax(deleted_total(unpacked_pairs(difference^2, pair$x$n), codes), 0)) / unit
    })
  }
)
