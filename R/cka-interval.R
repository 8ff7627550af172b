# cka_interval(): the rows of score_interval() for each estimator of the CKA of one pair, with the H
# values.

#' Centered kernel alignment with standard errors and intervals
#'
#' The linear [cka()] by each estimator, with a standard error and an interval over what it corrects
#' for, as samples from larger populations, and with what the CKA is made of.
#'
#' @param x,y,shared_neurons,units_x,units_y,shared_noise,complete see [cka()].
#' @param estimator one or more of those of [cka()].
#' @param conf_level coverage of the interval.
#' @param clusters as in [cka()]; at least 5.
#' @param over see [score_interval()].
#' @param na see [similarity()].
#' @param ... not used.
#' @return A data frame of class `repalign_interval` with one row per estimator: `estimator`;
#'   `complete`, as given; `cka`; `se`, its standard error; `df`, the degrees of freedom of the
#'   interval; `conf_low` and `conf_high`, which may lie outside the range of the CKA; `h_xy`,
#'   `h_xx` and `h_yy`, the values of [hsic()] whose ratio it is; `bias`, the second-order bias of
#'   this ratio (see [ratio_bias()]); `cka_corrected`, without it, or `NA`, and `correction`, which
#'   says what to report (see Details); `over`, as given; and `n`, the number of stimuli. Values are
#'   `NA`, with a warning, where a ratio is undefined or does not vary.
#'   [confint()][confint.repalign_result] gives other levels.
#' @details
#' At least 5 stimuli are needed, and 3 neurons (or labels) on a side for `"stimulus_neuron"`. Only
#' its intervals and those from trials are for the CKA of the populations; others do not cover their
#' bias. With 30 stimuli x 20 neurons a third of the ratios can be undefined: pool, as
#' [brain_to_brain()] does.
#'
#' The ratio of `"stimulus_neuron"` is too high on average where few neurons hold most of the
#' variance; dividing neurons by their standard deviations, if that is the CKA that you want, does
#' more than the correction. `correction` says which to report:
#' * `"given"`: `cka_corrected` (the interval is that of `cka`).
#' * `"even"`: `cka`. The variance is spread over enough neurons.
#' * `"uncertain"`: `cka` with its interval, or pool more data. The denominators vary too much.
#' * `"other"` estimators have no correction, nor has an `"undefined"` ratio.
#'
#' When not to trust it:
#' * when stimuli depend on each other (see [dependence]) or neurons do (the same recording
#'   session), without `clusters` and labels of neurons: intervals are too narrow. With fewer than
#'   about 10 groups the error is itself uncertain;
#' * where a few stimuli drive all neurons, see [score_interval()];
#' * about other trials, animals or trained networks;
#' * with a warning of class `repalign_unstable`: an interval of `"stimulus_neuron"` wholly above 1
#'   (the same neurons are on both sides under different names, or the sides share noise), or a
#'   standard error over all samples above 0.2.
#' @references Chun et al. (2025), \doi{10.48550/arXiv.2502.15104} (estimators). Efron and Stein
#'   (1981), Annals of Statistics 9 (jackknife).
#' @examples
#' # simulated populations, whose true CKA is known
#' set.seed(1)
#' pop <- linear_population(n = 80, q = 40, d = 30, spectrum = "power")
#' cka_interval(pop$x, pop$y)
#' pop$cka
#' @export
cka_interval <- function(x, y, estimator = c("naive", "stimulus", "stimulus_neuron"),
                         shared_neurons = FALSE, units_x = NULL, units_y = NULL,
                         conf_level = 0.95, clusters = NULL,
                         shared_noise = c("auto", "trials", "pairs"),
                         complete = c("none", "x", "y", "both"), over = NULL,
                         na = c("error", "stimuli", "neurons"), ...) {
  refuse_partial_words(sys.call(), sys.function(), parent.frame())
  default <- missing(estimator)
  if (missing(x) || missing(y)) missing_side(missing(x))
  check_encodings(list(x = x, y = y, units_x = units_x, units_y = units_y, clusters = clusters))
  estimator <- check_choice(estimator, c(estimators, trial_estimators), "estimator",
                            several = TRUE)
  na <- check_choice(na, missing_rules, "na")
  args <- check_cka_args(list(
    kernel = "linear", estimator = "naive", shared_neurons = shared_neurons, units_x = units_x,
    units_y = units_y, complete = complete, bandwidth = 1, k = 15, shared_noise = shared_noise
  ))
  # responses() objects that declare anything have the estimator that they allow
  declared <- any(vapply(list(x, y), function(one) {
    is_responses(one) && length(estimated_parts(one)) > 0
  }, NA))
  if (default && declared) {
    estimator <- "naive"
    args$default_estimator <- TRUE
  }
  set <- lapply(estimator, function(e) {
    structure(list(id = "cka", label = e, args = with_estimator(args, e),
                   declaration = declaration("cka")), class = "repalign_measure")
  })
  check_single_sides(x, y)
  call <- open_call(x, y, set, na, clusters = clusters, use = "errors", least = 5,
                    why = "a jackknife", remedy = cluster_remedy)
  task <- list(sides = call$sides, set = call$set, pairs = call$pairs, codes = call$clusters,
               n = call$n, dependence = call$dependence)
  pair <- side_pair(task$sides, 1, 1)
  for (repr in pair[c("x", "y")]) need_kind(repr, "data", "this")
  task$settings <- interval_settings(over, "auto", 200, "auto", NULL, NULL, conf_level)
  check_interval_task(task, y)
  settled <- lapply(task$set, function(measure) measure$args)
  for (args in settled) if (corrects_sample(args)) note_shared_neurons(pair, args)
  tables <- lapply(settled, function(args) cka_table(pair, args, task$codes))
  task$scores <- vapply(tables, function(table) table$values[1, 1], 0)
  columns <- Map(function(table, measure) jackknife_column(table$values[, 1], errors_of(measure)),
                 tables, task$set)
  factors <- lapply(if (any(task$settings$neurons)) neuron_samples(task), neuron_factor, task,
                    columns, tables)
  made <- interval_rows(task, columns, factors)
  rows <- Map(estimator_row, settled, tables, split(made$rows, seq_along(tables)),
              MoreArgs = list(pair = pair))
  warn_undefined_deletions(rows, pair)
  if (any(made$constant)) {
    lost <- vapply(rows[made$constant], function(row) row$values$estimator, "")
    warn("undefined", "No standard error (NA) of the {enumerate(lost)} CKA: it does not vary with ",
         "what was sampled, as that of identical data.")
  }
  warn_intervals_above(task, made$rows, inspected = FALSE)
  warn_unstable_intervals(pair, rows, task$codes)
  if (any(vapply(rows, function(row) anyNA(row$values[c("h_xy", "h_xx", "h_yy")]), NA))) {
    warn("undefined", "Some H values are too large or too small for a double (NA); the CKA does ",
         "not depend on the units.")
  }
  result <- do.call(rbind, lapply(rows, function(row) row$values))
  rownames(result) <- NULL
  new_result(result, "repalign_interval", made$kept[c("conf_level", "deletions", "dependence")])
}

check_single_sides <- function(x, y) {
  for (arg in c("x", "y")) {
    given <- if (arg == "x") x else y
    refuse_prepared_data(given, arg)
    if (is.null(given) || is_collection(given)) representation(given, arg)
  }
}

# What a row of cka_interval() has beside that of score_interval(). args: settled; table: from
# cka_table(); row: that of the score.
estimator_row <- function(args, table, row, pair) {
  loo <- table$loo
  h <- table$h
  value <- row$score
  moments <- two_way_moments(h, loo)
  se <- sqrt(two_way_variance(table$values, loo))
  # the columns cka_corrected and correction. se: of all samples, NA where a deletion has no ratio
  word <- if (args$estimator != "stimulus_neuron" || !corrects_sample(args)) {
    "other"
  } else if (is.na(value)) {
    "undefined"
  } else if (is.na(se)) {
    "uncertain"
  } else {
    error <- sqrt(diag(moments$cov)[2:3]) / moments$mean[2:3]
    if (max(error) >= largest_relative_error) {
      "uncertain"
    } else if (is_uneven(pair)) "given" else "even"
  }
  corrected <- if (word == "given") corrected_ratio(moments$mean, moments$cov) else NA_real_
  values <- data.frame(
    estimator = args$estimator, complete = args$complete, cka = value, se = row$se, df = row$df,
    conf_low = row$conf_low, conf_high = row$conf_high,
    h_xy = unscale_h(h$xy[1, 1], loo$scale), h_xx = unscale_h(h$xx[1, 1], loo$scale[c(1, 1)]),
    h_yy = unscale_h(h$yy[1, 1], loo$scale[c(2, 2)]),
    bias = if (is.na(se)) NA_real_ else ratio_bias_of(moments$mean, moments$cov),
    cka_corrected = corrected, correction = word, over = row$over, n = row$n
  )
  list(undefined = sum(is.na(table$values[-1])), value = value, args = args,
       error = se, values = values)
}

# pair: NULL where the data have gone (streams).
warn_undefined_deletions <- function(rows, pair = NULL) {
  for (row in rows) {
    estimator <- dQuote(row$values$estimator, FALSE)
    if (is.na(row$value)) {
      warn(unstable_class(row$args), "The {estimator} CKA is undefined (NA): a denominator is not ",
           "positive. {cause_of_instability(pair[c('x', 'y')])}")
    } else if (row$undefined > 0 && is.na(row$values$se)) {
      warn(unstable_class(row$args), "The standard error of the {estimator} CKA is undefined ",
           "(NA): {row$undefined} of its delete-one ratios have a denominator that is not ",
           "positive. {cause_of_instability(pair[c('x', 'y')])}")
    }
  }
}
