# The class of intervals, which score_interval() and cka_interval() return. Those of cka_interval()
# have a row for each estimator of one CKA: `estimator` and `cka` stand in the place of `measure`
# and `score`, with what the ratio is made of and how it may be corrected.

#' @include result-class.R
NULL

declare_result(
  "repalign_interval", from = c("score_interval", "cka_interval"), words = "intervals",
  columns = described_columns(
    column("estimator", "the estimator of the CKA", key = TRUE, tidy = "term"),
    column("complete", "of which sides the neurons are all that there are", key = TRUE),
    column("cka", "the CKA", shown = 1, tidy = "estimate"),
    side_columns(),
    column("measure", "the label of the measure", key = TRUE, tidy = "term"),
    column("score", "the score", shown = 1),
    column("pairs", "the number of pairs of stimuli that a score is over", always = FALSE),
    column("se", "the standard error", shown = 2),
    column("conf_low", "the lower limit of the interval", shown = 3),
    column("conf_high", "the upper limit of the interval", shown = 4),
    column("p_zero", "of a partial score of 0, two-sided", shown = 5, always = FALSE,
           tidy = "p.value"),
    column("h_xy", "the value H of both sides", tidy = NA),
    column("h_xx", "the value H of x with itself", tidy = NA),
    column("h_yy", "the value H of y with itself", tidy = NA),
    column("bias", "the second-order bias of the ratio", tidy = NA),
    column("cka_corrected", "the ratio corrected for its bias", shown = 5,
           tidy = "estimate.corrected", always = FALSE),
    column("correction", "which of the two to report", shown = 6),
    column("method", "how the errors over stimuli were found", shown = 7),
    column("over", "what counts as a sample", shown = 8),
    column("df", "the degrees of freedom of the interval", shown = 9),
    column("n", "the number of stimuli")
  ),
  kept = list(conf_level = one_level, deletions = each_once, direction = same_directions,
              best = common_by_name, dependence = each_once),
  shown = function(x) without_samples_only(x),
  heading = function(x, digits) {
    c(if (is_of_estimators(x)) {
        paste0("Centered kernel alignment: ", count_of(nrow(x), "row"), undefined_of(x$cka))
      } else paste0("Scores with errors: ", count_of(nrow(x), "score"), undefined_of(x$score)),
      interval_words(x))
  },
  footing = function(x, digits) {
    estimators <- is_of_estimators(x)
    c(if (estimators) correction_notes(x$correction) else
        if (any(grepl("neurons|subjects", x$over) & x$method == "half-samples")) {
          "Of half-samples no interactions are subtracted: their errors are rather too large."
        },
      if (has_sampled_y(x)) sampled_units_note,
      complete_note(if (!estimators) x$measure else if ("both" %in% x$complete) "complete both"))
  },
  sentence = function(x) if (is_of_estimators(x)) estimators_sentence(x) else interval_sentence(x),
  glance = function(x) {
    estimators <- is_of_estimators(x)
    need_columns(x, if (estimators) c("estimator", "cka") else c("x", "y", "measure", "score", "n"),
                 "summarised")
    c(if (estimators) list(estimators = length(unique(x$estimator))) else
        list(pairs = count_pairs(x), measures = length(unique(x$measure)), n = x$n[1]),
      list(conf_level = c(attr(x, "conf_level"), NA_real_)[1],
           undefined = sum(is.na(if (estimators) x$cka else x$score))))
  },
  limits = function(x, level) interval_limits(x, level)
)

interval_limits <- function(x, level) {
  need_columns(x, if (is_of_estimators(x)) c("estimator", "cka", "se", "df") else "df", "used")
  # the scales of the intervals of all rows, which may be of several calls
  places <- deletion_places(x)
  calls <- attr(x, "deletions")
  scales <- Map(function(call, row) calls[[call]]$scales[row, ], places$call, places$row)
  scales <- do.call(rbind, c(list(calls[[1]]$scales[0, ]), unname(scales)))
  limits <- limits_of(scales, x$df, level)
  dimnames(limits) <- list(row_titles(x), NULL)
  limits
}

# What in_words() tells of score_interval().
interval_sentence <- function(x) {
  need_columns(x, c("x", "y", "measure", "score", "conf_low", "conf_high", "over"), "told",
               "result")
  for_each_measure(x, function(part) {
    scores_sentence(part, signs_of(part, part$measure[1]), function(row) {
      limits <- with_limits_words(part$score[row], part$conf_low[row], part$conf_high[row])
      c(interval_phrase(limits[-1], attr(x, "conf_level"), extent_words(part$over[row])),
        stimuli_words(part$n[row]), if (!is.null(part$pairs)) paste(part$pairs[row], "pairs"))
    })
  })
}

# What in_words() tells of cka_interval(): a sentence for each estimator, with the value to report.
estimators_sentence <- function(x) {
  need_columns(x, c("estimator", "cka", "conf_low", "conf_high", "over"), "told", "result")
  vapply(seq_len(nrow(x)), function(row) {
    name <- estimator_words(x$estimator[row], x$complete[row])
    if (is.na(x$cka[row])) return(paste0("The ", name, " is undefined (NA)."))
    text <- with_limits_words(x$cka[row], x$conf_low[row], x$conf_high[row])
    corrected <- identical(x$correction[row], "given") && !is.null(x$cka_corrected)
    paste0("The ", name, " was ", text[["score"]],
           brackets(interval_phrase(text[-1], attr(x, "conf_level"), extent_words(x$over[row])),
                    stimuli_words(x$n[row])),
           if (corrected) paste0(", and ", number_word(x$cka_corrected[row]),
                                 " after correction for the bias of a ratio"), ".",
           odd_value_words(name, x$cka[row], x$conf_low[row]))
  }, "")
}

is_of_estimators <- function(x) any(c("estimator", "cka") %in% names(x))

interval_words <- function(x) {
  level <- attr(x, "conf_level")
  if (is.null(level) || is.null(x$over) || !nrow(x)) return(NULL)
  strwrap(paste0("conf_low to conf_high: ", format(100 * level), "% interval over ",
                 paste(unique(x$over), collapse = ", or over ")), exdent = 2)
}

has_sampled_y <- function(x) {
  any(vapply(attr(x, "deletions"), function(call) any(call$rows$sample_y), NA))
}

#' @rdname tidy.repalign
#' @export
summary.repalign_interval <- function(object, ...) {
  no_other_arguments(...)
  if (is_of_estimators(object)) {
    plain <- need_columns(as.data.frame(object), c("estimator", "cka"), "summarised")
    return(told(plain[setdiff(display_order(object), c("h_xy", "h_xx", "h_yy"))], object))
  }
  plain <- need_columns(as.data.frame(object), c("measure", "score", "se"), "summarised")
  refuse_pooling(object)
  rows <- summary_rows(plain, source_columns(object), function(part) {
    known <- part$score[!is.na(part$score)]
    ends <- if (length(known)) range(known) else c(NA_real_, NA_real_)
    data.frame(pairs = nrow(part), undefined = sum(is.na(part$score)), min = ends[1], max = ends[2],
               median_se = stats::median(part$se, na.rm = TRUE))
  })
  told(rows, object)
}

#' @param object,result what `score_interval()` returned, or some of its rows; for `confint()` also
#'   any other result with intervals.
#' @param parm numbers of rows, or their names in `confint(object)`; by default all.
#' @param level coverage; by default that of `object` (for [best_score()], analyses and
#'   dimensionalities no other).
#' @return
#'   `confint()`: limits at any level, a matrix with a row for each score. `vcov()`: the covariances
#'   of the scores (`NA` between half-samples and others: take `"half-samples"` for all).
#'   `influence_matrix()`: what each stimulus does to each score, a matrix stimuli (or clusters) x
#'   scores: n times the derivative of the score by the share of the stimulus (`NA` for
#'   half-samples). Rows must come from one call of `score_interval()`.
#' @examples
#'
#' # how scores vary together
#' result <- score_interval(v4, layers[1:3], measure("cka", estimator = "stimulus"))
#' vcov(result)
#' # the images that the last score owes most to
#' head(order(-influence_matrix(result)[, 3]))
#' @name score_interval_errors
#' @rdname score_interval
#' @order 2
NULL

# Short names of the rows: without what is the same in all of them.
row_titles <- function(object) {
  rows <- as.data.frame(object)
  if (is_of_estimators(object)) return(source_names(rows, c(source_columns(object), "estimator")))
  if (!nrow(rows)) return(character())
  # parts of R squared are called by the part and its spaces
  of_parts <- inherits(object, "repalign_parts")
  parts <- c(as.list(rows[source_columns(object)]),
             list(full_names(rows, "x"), full_names(rows, "y"),
                  if (of_parts) paste(rows$part, rows$space) else as.character(rows$measure)))
  varies <- vapply(parts, function(part) length(unique(part)) > 1, NA)
  if (of_parts) varies[length(varies)] <- TRUE
  if (!any(varies)) varies[length(varies) - 1] <- TRUE
  do.call(paste, c(unname(parts[varies]), sep = " | "))
}

#' @rdname score_interval
#' @importFrom stats vcov
#' @export
vcov.repalign_interval <- function(object, ...) {
  no_other_arguments(...)
  total <- total_covariance(interval_parts(object))
  unknown <- is.na(object$se)
  total[unknown, ] <- total[, unknown] <- NA
  dimnames(total) <- rep(list(row_titles(object)), 2)
  total
}

#' @rdname score_interval
#' @export
influence_matrix <- function(result, ...) {
  need_arguments()
  refuse_if(!inherits(result, "repalign_interval") || is_of_estimators(result), "type",
            "`result` must be what score_interval() returned, not {describe(result)}.")
  places <- deletion_places(result)
  calls <- attr(result, "deletions")
  refuse_if(length(unique(vapply(calls[unique(places$call)], function(call) call$units, 0))) > 1,
            "rows", "These rows come from calls with different numbers of stimuli: take the rows ",
            "of one.", arg = "result")
  columns <- Map(function(call, row) {
    call <- calls[[call]]
    # deviations of delete-one values have sums of squares that are larger by n / (n - 1)
    exact <- call$methods[row] == "influence" && !call$clustered
    call$stimuli[, row] * if (exact) call$units else sqrt(call$units * (call$units - 1))
  }, places$call, places$row)
  call <- calls[[if (nrow(result)) places$call[1] else 1]]
  matrix(as.double(unlist(columns)), call$units, nrow(result),
         dimnames = list(call$names, row_titles(result)))
}
