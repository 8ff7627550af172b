# cka_interval(): the rows of score_interval() for each estimator of the CKA of one pair, with the H
# values; and ratio_bias(), the second-order bias of their ratio.

#' @include result-class.R
NULL

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
  for (arg in c("x", "y")) {
    given <- if (arg == "x") x else y
    refuse_prepared_data(given, arg)
    if (is.null(given) || is_collection(given)) representation(given, arg)
  }
  call <- open_call(x, y, set, na, clusters = clusters, use = "errors", least = 5,
                    why = "a jackknife", remedy = cluster_remedy)
  task <- list(sides = call$sides, set = call$set, pairs = call$pairs, codes = call$clusters,
               n = call$n, dependence = call$dependence)
  pair <- side_pair(task$sides, 1, 1)
  for (repr in pair[c("x", "y")]) need_kind(repr, "data", "this")
  task$settings <- interval_settings(over, "auto", 200, "auto", NULL, NULL, conf_level)
  check_interval_task(task, y)
  settled <- lapply(task$set, function(measure) measure$args)
  task$set <- lapply(task$set, function(measure) {
    replace(measure, "label", measure$args$estimator)
  })
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
  lost <- vapply(rows[made$constant], function(row) row$values$estimator, "")
  warn_if(length(lost), "undefined", "No standard error (NA) of the {enumerate(lost)} CKA: it ",
          "does not vary with what was sampled, as that of identical data.")
  warn_intervals_above(task, made$rows, inspected = FALSE)
  warn_unstable_intervals(pair, rows, task$codes)
  extreme <- vapply(rows, function(row) anyNA(row$values[c("h_xy", "h_xx", "h_yy")]), NA)
  warn_if(any(extreme), "undefined", "Some H values are too large or too small for a double (NA); ",
          "the CKA does not depend on the units.")
  result <- do.call(rbind, lapply(rows, function(row) row$values))
  rownames(result) <- NULL
  new_result(result, "repalign_interval", made$kept[c("conf_level", "deletions", "dependence")])
}

# What a row of cka_interval() has beside that of score_interval(). args: settled; table: from
# cka_table(); row: that of the score.
estimator_row <- function(args, table, row, pair) {
  loo <- table$loo
  h <- table$h
  value <- row$score
  moments <- two_way_moments(h, loo)
  se <- sqrt(two_way_variance(table$values, loo))
  error <- sqrt(diag(moments$cov)[2:3]) / moments$mean[2:3]
  # the columns cka_corrected and correction. se: of all samples, NA where a deletion has no ratio
  word <- if (args$estimator != "stimulus_neuron" || !corrects_sample(args)) "other" else
    if (is.na(value)) "undefined" else
      if (is.na(se) || max(error) >= largest_relative_error) "uncertain" else
        if (is_uneven(pair)) "given" else "even"
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
    estimator <- quoted(row$values$estimator)
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

# ---- bias of ratios

# The second-order bias of a ratio of H values, and where cka_interval() corrects for it.

declare_result(
  "repalign_ratio_bias", from = "ratio_bias", words = "values of ratio_bias()",
  columns = described_columns(
    column("ratio", "the pooled ratio", shown = 1, tidy = "estimate"),
    column("bias", "its second-order bias", shown = 2),
    column("corrected", "ratio - bias", shown = 3, tidy = "estimate.corrected"),
    column("mean_single", "the mean of the ratios of single rows", shown = 4),
    column("bias_single", "the second-order bias of the ratio of a single row", shown = 5)
  ),
  heading = function(x, digits) paste0("Bias of a ratio of H values: ", count_of(nrow(x), "row")),
  term = function(rows) rep("ratio", nrow(rows)),
  sentence = function(x) {
    need_columns(x, c("ratio", "bias", "corrected"), "told", "result")
    vapply(seq_len(nrow(x)), function(row) {
      # a bias of rounding size is none
      bias <- if (isTRUE(abs(x$bias[row]) <= tie_share * abs(x$ratio[row]))) 0 else x$bias[row]
      paste0("The pooled ratio was ", number_word(x$ratio[row]), "; its second-order bias is ",
             number_word(bias), ", and without it the ratio is ",
             number_word(x$corrected[row]), ".")
    }, "")
  }
)

#' Second-order bias of a ratio of H values
#'
#' The CKA is a ratio of estimates, which is biased even if each of its parts is unbiased: by how
#' much, from several estimates of the H values.
#'
#' @param h a numeric matrix or data frame with one row per independent estimate (trial, laboratory,
#'   split), at least two, and the columns `h_xy`, `h_xx` and `h_yy`.
#' @param ... not used.
#' @return A data frame with one row: `ratio`, the pooled ratio \eqn{mean(h_{xy}) /
#'   \sqrt{mean(h_{xx}) mean(h_{yy})}}{mean(h_xy) / sqrt(mean(h_xx) mean(h_yy))}; `bias`, its
#'   second-order bias; `corrected`, which is `ratio - bias`; `mean_single`, the mean of the
#'   ratios of the single rows, where these are defined; `bias_single`, the second-order bias
#'   of the ratio of a single row.
#' @details
#' When not to trust it: the standard deviations of `h_xx` and `h_yy` must be small relative to
#' their means. Where rows share stimuli or neurons, the bias of the pooled ratio is understated. A
#' mean denominator that is not positive is an error.
#' @references Chun et al. (2025), \doi{10.48550/arXiv.2502.15104}, appendix B.3.
#' @examples
#' set.seed(1)
#' h <- t(replicate(50, {
#'   pop <- linear_population(n = 40, q = 30, d = 20)
#'   unlist(cka_interval(pop$x, pop$y, "stimulus_neuron")[c("h_xy", "h_xx", "h_yy")])
#' }))
#' ratio_bias(h)
#' @export
ratio_bias <- function(h, ...) {
  need_arguments()
  refuse_if(!is.matrix(h) && !is.data.frame(h), "type", "`h` must be a matrix or data frame with ",
            "the columns h_xy, h_xx and h_yy, not {describe(h)}.")
  h <- as_numeric_matrix(h, "h")
  refuse_if(ncol(h) != 3, "size", "`h` has {count_of(ncol(h), 'column')}; it needs three: h_xy, ",
            "h_xx, h_yy.")
  # the three columns by name where they are named so, else in their order
  wanted <- c("h_xy", "h_xx", "h_yy")
  known <- wanted %in% colnames(h)
  refuse_if(any(known) && !all(known), "value", "`h` has the column {enumerate(wanted[known])} ",
            "but not {enumerate(wanted[!known])}: name all three, or none (in this order).")
  if (all(known)) h <- h[, wanted, drop = FALSE]
  refuse_if(nrow(h) < 2, "rows", "`h` has a single row: a variance needs at least 2 estimates ",
            "(rows).")
  # the ratio has no units: bring each column near one, so that squares are doubles
  unit <- apply(abs(h), 2, max)
  unit[unit == 0] <- 1
  h <- sweep(h, 2, unit, "/")
  unit <- unit[[1]] / sqrt(unit[[2]]) / sqrt(unit[[3]])
  center <- colMeans(h)
  refuse_if(center[2] <= 0 || center[3] <= 0, "value", "The mean of ",
            "`{c('h_xx', 'h_yy')[if (center[2] <= 0) 1 else 2]}` in `h` is not positive, so the ",
            "ratio is undefined: give more estimates (rows).", arg = "h")
  bias <- unit * ratio_bias_of(center, stats::cov(h))
  ratio <- unit * center[[1]] / sqrt(center[[2]] * center[[3]])
  single <- unit * ratio_of(h)
  defined <- !is.na(single)
  rows <- data.frame(ratio = ratio, bias = bias / nrow(h), corrected = ratio - bias / nrow(h),
                     mean_single = if (any(defined)) mean(single[defined]) else NA_real_,
                     bias_single = bias)
  new_result(rows, "repalign_ratio_bias")
}

# center: means of h_xy, h_xx, h_yy; cov: covariances of one draw of them.
# Written so that h_xy = 0 is no exception.
ratio_bias_of <- function(center, cov) {
  x <- center[[1]]
  a <- center[[2]]
  b <- center[[3]]
  terms <- x * (3 / 8 * cov[2, 2] / a^2 + 3 / 8 * cov[3, 3] / b^2 + cov[2, 3] / (4 * a * b)) -
    cov[1, 2] / (2 * a) - cov[1, 3] / (2 * b)
  terms / sqrt(a) / sqrt(b)
}

# ---- ratio correction

# cka_interval() corrects the ratio for its own bias, where simulation shows that this helps.

# The mean ratio is too high where few neurons hold most of the variance (is_uneven()): the
# correction then lowers bias and mean square error. Where variances are more even the bias is
# small, and the correction adds about as much error as it takes off (bench/ratio.R).

# A denominator with a larger relative standard error leaves too little to expand around.
largest_relative_error <- 0.7

# What the words of the column `correction` tell to report. Rows of other estimators ("other") and
# undefined ones have nothing to report.
correction_words <- c(
  given = "report `cka_corrected`: a few neurons hold most of the variance, which biases `cka`.",
  even = paste("report `cka`. Many neurons share the variance, so that its bias is small; no",
               "`cka_corrected` is given (NA), because taking off so small a bias would add about",
               "as much error as it removes."),
  uncertain = paste("report `cka` with its interval, or pool more data: the denominators are too",
                    "uncertain to correct the ratio.")
)

# The ratio without its second-order bias. That bias is taken off numerator and denominator apart
# (as Beale's estimator does for a ratio of two means): to second order this is the ratio minus
# ratio_bias_of(), but a noisy denominator makes it small instead of large and negative.
corrected_ratio <- function(center, cov) {
  a <- center[[2]]
  b <- center[[3]]
  numerator <- center[[1]] + cov[1, 2] / (2 * a) + cov[1, 3] / (2 * b)
  denominator <- 1 + 3 / 8 * cov[2, 2] / a^2 + 3 / 8 * cov[3, 3] / b^2 + cov[2, 3] / (4 * a * b)
  numerator / denominator / sqrt(a) / sqrt(b)
}

# Says for the words in a result which column to report.
correction_notes <- function(words) {
  shown <- intersect(names(correction_words), words)
  unlist(lapply(shown, function(word) {
    strwrap(paste0("correction ", quoted(word), ": ", correction_words[[word]]), width = 79,
            exdent = 2)
  }))
}
