# across_sessions(): what a user gives of several days becomes an opened call, whose neurons are
# identities.

#' @include result-class.R
NULL

#' Does a population drift over days?
#'
#' The same stimuli on several days, with neurons of which some were followed: does the geometry of
#' the population change with time, and does the tuning of single neurons, when noise of trials is
#' taken out?
#'
#' @param x a named list of two days or more, in any order: arrays stimuli x neurons x trials (`NA`:
#'   no trial), or [responses()]. **Names of neurons are identities** (`neuron` of [responses()], or
#'   column names): equal names on two days are one neuron that was followed.
#' @param times a number for each day (or session), by name or in their order; by default 1, 2, and
#'   so on.
#' @param over what standard errors are about: other stimuli (or clusters), and other neurons; never
#'   other days.
#' @param clusters see [dependence]; of all days.
#' @param conf_level coverage of the intervals.
#' @param permutations how many orders of more than 7 days `p_order` takes; of up to 7 all. 0: no
#'   test.
#' @param na a stimulus of which some neuron has no response on some day: an error, or left out of
#'   all days (`"stimuli"`).
#' @param threads see [similarity()].
#' @return A data frame of class `repalign_sessions` with a row for each measure and lag: `measure`
#'   (`"geometry"` or `"tuning"`), `lag` (the time between two days), `score` (at most 1 but for
#'   chance), `se` and `df` (`Inf`: normal), `conf_low` and `conf_high`, and `pairs`, the number of
#'   pairs of days. `vcov()` and [compare_scores()] (of the rows of one measure) take it.
#'
#'   `summary()` has a row for each measure: the `slope` of the score over lags, `slope_se`,
#'   `slope_df`, `slope_low`, `slope_high`; `p_value`, two-sided, of no slope; `p_order`, the test
#'   of drift, and its number of `permutations`; and the `level` over all pairs, `level_se`,
#'   `level_df`.
#'
#'   `as.data.frame(part = "pairs")`: `day_1`, `day_2`, `lag`, `geometry`, `tuning`, `followed`
#'   (neurons on both days) and `share` (of those on either). `part = "neurons"`: `neuron`, `day_1`,
#'   `day_2` and the `covariance` of its signal on both days (of a day with itself the variance),
#'   which may be negative by chance.
#' @details
#' * *Geometry* is the [cka()] of two days by `"stimulus_neuron_trial"`, without pairs of a neuron
#'   with itself. It needs no followed neurons.
#' * *Tuning* is the sum over followed neurons (at least 5) of the covariance of their signals on
#'   both days, over the root of the product of the variances: 1 if each keeps its tuning.
#'
#' Both are 1 when nothing but noise differs, and `NA`, with a warning, where a day's own term (from
#' products of different trials) is not positive. The score of a lag is a ratio of sums over its
#' pairs of days.
#'
#' *`p_order`* is the test of drift: the share of orders of the days in which the score falls at
#' least as steeply. It finds falls only, and is at least .33 for 3 equally spaced days, .083 for 4
#' (for both a message of class `repalign_few_permutations`) and .017 for 5. *`p_value`* asks
#' whether these days would have a slope with other stimuli and neurons; days that differ in no
#' order, as by other gains each day, often have one.
#'
#' *When not to trust it.* Noise is taken out, mistakes of registration are not:
#' * Tuning below 1 but *flat* over lags is change from day to day, noise that lasts a day, or wrong
#'   labels. Only a *slope* with a small `p_order` is drift.
#' * Tracking that loses cells makes such a slope, too, with too narrow intervals at long lags.
#'   Geometry near 1 with falling tuning is tuning that turns within a stable geometry, or lost
#'   labels: look at waveforms or images.
#' * Geometry above 1 by two errors or more points to swapped labels, or to changing gains of single
#'   neurons.
#' * Names that only count (1, 2, ...) may begin anew each day (a message of class
#'   `repalign_counted_names`); unrelated neurons under equal names have tuning near 0.
#' * Adaptation within a day: declare `event` or `run` in [responses()].
#' * Stimuli that depend on each other without `clusters`.
#' @references Kornblith et al. (2019), ICML (CKA). Diedrichsen and Kriegeskorte (2017), PLoS
#'   Computational Biology 13 (covariances of patterns across partitions). Rule et al. (2019),
#'   Current Opinion in Neurobiology 58 (drift).
#' @seealso [noise_ceiling()], [score_interval()]
#' @examples
#' # tuning turns a little from day to day, within a stable geometry
#' set.seed(1)
#' latent <- matrix(rnorm(30 * 4), 30)
#' weights <- matrix(rnorm(4 * 12), 4)
#' days <- list()
#' for (day in paste0("day", 1:5)) {
#'   days[[day]] <- array(latent %*% weights, c(30, 12, 3)) + rnorm(30 * 12 * 3)
#'   colnames(days[[day]]) <- paste("cell", letters[1:12])
#'   weights <- 0.9 * weights + sqrt(0.19) * matrix(rnorm(4 * 12), 4)
#' }
#' result <- across_sessions(days)
#' result
#' summary(result)
#' head(as.data.frame(result, part = "pairs"))
#' # is tuning at lag 1 higher than at lag 4?
#' tuning <- result[result$measure == "tuning", ]
#' compare_scores(tuning, rbind("lag 1 - lag 4" = c(1, 0, 0, -1)))
#' @order 1
#' @export
across_sessions <- function(x, times = NULL, over = c("stimuli", "neurons"), clusters = NULL,
                            conf_level = 0.95, permutations = 9999, na = c("error", "stimuli"),
                            threads = NULL, ...) {
  need_arguments()
  over <- check_choice(over, c("stimuli", "neurons"), "over", several = TRUE)
  refuse_if(!"stimuli" %in% over, "choice", "`over` must have \"stimuli\": give \"stimuli\", or ",
            "c(\"stimuli\", \"neurons\").")
  conf_level <- check_number(conf_level, "conf_level", above = 0, below = 1)
  permutations <- check_count(permutations, "permutations", least = 0)
  hold_threads(threads)
  names <- check_element_names(x, "x", "arrays stimuli x neurons x trials, or responses()")
  refuse_if(length(x) < 2, "size", "`x` has one day: give two or more.")
  of_days <- is.null(times)
  if (of_days) times <- seq_along(names)
  times <- in_order_of(times, names, "times", "the days")
  refuse_if(!is.numeric(times) || length(times) != length(names) || !all(is.finite(times)), "value",
            "`times` must have a finite number for each of the {length(names)} days of `x`.")
  twice <- anyDuplicated(round(times, 9))
  refuse_if(twice, "value", "`times` is {format(times[twice])} for two days, the second one ",
            "{quoted(names[twice])}: give each its own time; sessions of one day may be ",
            "fractions of a day apart.")
  na <- check_choice(na, c("error", "stimuli"), "na")
  reprs <- Map(day_representation, unname(x), paste0("x$", names), names, na)
  call <- open_sides(sides_of(with_common_stimuli(reprs)),
                     list(analysis_measure("across_sessions", structures)), na, clusters,
                     use = "errors", least = 4, why = "a corrected estimator", grid = FALSE)
  # beside what an opened call has: the days in the order of their times, these times, the codes of
  # the neurons of each day, `ids`, and what these are codes of, `identities`
  call$days <- call$sides$x$reprs[order(times)]
  call$times <- sort(as.double(times))
  call$neurons <- "neurons" %in% over
  check_rows(call$n, 4, call$days[[1]]$arg, "a corrected estimator")
  # each day by itself: that days are alike is what is asked
  for (day in if (is.null(call$clusters)) call$days) {
    call$dependence <- warn_of_rows(list(day), NULL, "errors", cluster_remedy)
    if (length(call$dependence)) break
  }
  labels <- lapply(call$days, function(day) day$columns$neuron)
  counted <- vapply(labels, are_counted, NA)
  inform_if(sum(counted) > 1, "counted_names", "The neurons of ",
            "{enumerate(vapply(call$days[counted], function(day) day$name, ''))} have names that ",
            "only count ({paste(labels[counted][[1]][1:2], collapse = ', ')}, ...). Equal names ",
            "are taken as one neuron that was followed. If they number the neurons of each day ",
            "anew, as sorters do, give names that differ between days.")
  call$identities <- unique(unlist(labels))
  call$ids <- lapply(labels, match, call$identities)
  tables <- session_tables(call)
  # The smallest p-value that an order of days may have, which a message tells where it says little;
  # 0 without a test. With equal steps the reverse order has the same lags.
  steps <- round(diff(call$times), 9)
  count <- length(names)
  call$least <- if (count < 3 || permutations == 0) 0 else
    if (count > most_ordered) 1 / (permutations + 1) else
      (1 + identical(steps, rev(steps))) / factorial(count)
  inform_if(call$least > 0.05, "few_permutations", "No `p_order` can be at most .05: the smallest ",
            "one possible is {format(call$least, digits = 2)}. Give more ",
            if (count > most_ordered) "`permutations`." else "days.")
  scores <- session_scores(tables$measures, call, permutations)
  sessions_result(scores, tables, call, conf_level, of_days)
}

# A day as a representation. All its neurons are of one session, which no other day has part in.
day_representation <- function(day, arg, name, na) {
  refuse_results(day, arg)
  if (!is_responses(day)) {
    refuse_if(!is.array(day) || length(dim(day)) != 3, "type", "`{arg}` must be an array stimuli ",
              "x neurons x trials, or what responses() makes, not {describe(day)}: means over ",
              "trials do not tell their noise.")
    day <- in_words_of_call(responses(day), "x", arg)
  }
  for (part in intersect(c("sessions", "complete", "series"), declared_parts(day))) {
    refuse("choice", "`{arg}` declares `{sub('sessions', 'session', part)}`, which across_sessions",
           "() does not know: ", switch(part, sessions = "each element of `x` is a session.",
             complete = "the neurons of a day are a sample. Leave it out of responses().",
             series = "it takes stimuli as independent. Leave it out, and give `clusters`.",
             no_branch(part)))
  }
  values <- as.array(day)
  neurons <- if (is.null(day$neuron)) colnames(values) else day$neuron
  unnamed <- is.null(neurons) || anyNA(neurons) || !all(nzchar(neurons))
  refuse_if(unnamed, "labels", "`{arg}` has neurons without names: neurons of equal names on two ",
            "days are taken as one that was followed. Name them, by column names or `neuron` of ",
            "responses(); give distinct names on all days where nothing was followed.")
  twice <- neurons[anyDuplicated(neurons)]
  refuse_if(length(twice), "labels", "`{arg}` has two neurons named ",
            "{quoted(twice)}: names are identities, and must differ within a day.")
  day$session <- rep(name, ncol(values))
  repr <- representation(day, arg, name, na != "error", "x")
  if (na == "error") refuse_lacking_trials(values, arg, "stimuli")
  repr$columns$neuron <- as.character(neurons)
  repr
}

# Names that only number the neurons of a day, from 0 or 1 on.
are_counted <- function(names) {
  number <- sub("^\\D*", "", names)
  if (length(names) < 2 || !all(grepl("^[0-9]{1,9}$", number))) return(FALSE)
  one_start <- length(unique(sub("\\d+$", "", names))) == 1
  number <- sort(as.integer(number))
  one_start && number[1] <= 1 && all(diff(number) == 1)
}

# ---- result

# The result of across_sessions(): its tables, prints, sentences, covariances and comparisons.

# scores: what session_scores() gives.
sessions_result <- function(scores, tables, call, level, of_days) {
  all <- scores$rows
  limits <- student_limits(all$score, all$se, all$df, level)
  all$conf_low <- limits[, 1]
  all$conf_high <- limits[, 2]
  lost <- is.na(all$se) & !is.na(all$score)
  warn_if(any(lost), "undefined", "{count_of(sum(lost), 'standard error')} of ",
          "{enumerate(unique(all$measure[lost]), quote = FALSE)} ",
          "{if (sum(lost) == 1) 'is' else 'are'} undefined (NA): there are too few trials, and ",
          "without some stimulus or neuron a day has no positive signal.")
  of_lags <- which(all$what == "lag")
  slope <- all[all$what == "slope", ]
  overall <- all[all$what == "level", ]
  # days that are equal differ by rounding
  same <- which(pmax(abs(slope$score), slope$se, na.rm = TRUE) <= tie_share * abs(overall$score))
  slope$score[same] <- 0
  slope[same, c("se", "df", "conf_low", "conf_high")] <- NA
  slopes <- data.frame(measure = slope$measure, slope = slope$score, slope_se = slope$se,
                       slope_df = slope$df, slope_low = slope$conf_low,
                       slope_high = slope$conf_high,
                       p_value = 2 * stats::pt(-abs(slope$score / slope$se), slope$df),
                       p_order = vapply(scores$order, function(test) test$p, 0),
                       permutations = vapply(scores$order, function(test) test$count, 0L),
                       level = overall$score, level_se = overall$se, level_df = overall$df,
                       row.names = NULL)
  columns <- c("measure", "lag", "score", "se", "df", "conf_low", "conf_high", "pairs")
  rows <- data.frame(all[of_lags, columns], row.names = NULL)
  new_result(rows, "repalign_sessions", list(
    slopes = slopes, parts = list(rows = rows[1:2], parts = some_parts(scores$parts, of_lags)),
    tables = tables[c("pairs", "neurons")], conf_level = level, dependence = call$dependence,
    facts = list(days = length(call$days), n = call$n, neurons = length(call$identities),
                 followed = sum(table(unlist(call$ids)) > 1), of_days = of_days, least = call$least,
                 over = paste(c(if (is.null(call$clusters)) "stimuli" else "clusters",
                                if (call$neurons) "neurons"), collapse = " + "))
  ))
}

declare_result(
  "repalign_sessions", from = "across_sessions", digits = 3, words = "comparisons of days",
  columns = described_columns(
    column("measure", "\"geometry\" or \"tuning\"", key = TRUE, tidy = "term"),
    column("lag", "the time between two days", key = TRUE),
    column("score", "of all pairs of days at this lag", shown = 1),
    column("se", "its standard error", shown = 2),
    column("df", "the degrees of freedom", shown = 6),
    column("conf_low", "the lower limit of the interval", shown = 3),
    column("conf_high", "the upper limit of the interval", shown = 4),
    column("pairs", "the number of pairs of days", shown = 5)
  ),
  kept = sapply(c("slopes", "parts", "tables", "conf_level", "dependence", "facts"),
                function(name) all_alike, simplify = FALSE),
  heading = function(x, digits) {
    facts <- attr(x, "facts")
    if (is.null(facts)) return(NULL)
    lags <- unique(format(range(attr(x, "tables")$pairs$lag), trim = TRUE, digits = 3))
    strwrap(c(paste0(count_of(facts$days, "day"), ", lag", if (length(lags) > 1) "s", " ",
                     paste(lags, collapse = " to "), ", ", facts$followed, " of ",
                     count_of(facts$neurons, "neuron"), " followed; 1: nothing but noise differs"),
              paste0("conf_low to conf_high: ", format(100 * attr(x, "conf_level")),
                     "% interval over ", facts$over, ", about these days")), exdent = 2)
  },
  footing = function(x, digits) {
    if (nrow(x) && !is.null(attr(x, "slopes"))) strwrap(in_words(x), exdent = 2)
  },
  sentence = function(x) without_claim(sessions_sentence(x), attr(x, "dependence")),
  limits = function(x, level) {
    rows <- need_columns(as.data.frame(x), c("measure", "lag", "score", "se", "df"), "used")
    limits <- student_limits(rows$score, rows$se, rows$df, level)
    dimnames(limits) <- list(paste(rows$measure, "lag", format_each(rows$lag), sep = " "), NULL)
    limits
  }
)

# The slopes of the measures of which rows are left.
slopes_of <- function(x, arg = "result") {
  slopes <- need_kept(x, "slopes", "across_sessions()", arg)
  slopes[slopes$measure %in% x$measure, , drop = FALSE]
}

sessions_sentence <- function(x) {
  slopes <- slopes_of(x)
  facts <- attr(x, "facts")
  per <- if (facts$of_days) " per day" else " per unit of time"
  told <- vapply(rev(seq_len(nrow(slopes))), function(row) {
    slope <- slopes[row, ]
    name <- sub("tuning", "tuning of followed neurons", slope$measure)
    if (is.na(slope$level)) return(paste(name, "is undefined (NA)"))
    if (is.na(slope$slope)) {
      # "geometry was 1.05 (95% interval 0.93 to 1.18; at one lag: no slope can be fitted)"
      limits <- student_limits(slope$level, slope$level_se, slope$level_df, attr(x, "conf_level"))
      text <- with_limits_words(slope$level, limits[1], limits[2])
      pairs <- need_kept(x, "tables", "across_sessions()", "result")$pairs
      one <- length(unique(pairs$lag[!is.na(pairs[[slope$measure]])])) == 1
      return(paste0(name, " was ", text[["score"]],
                    brackets(interval_phrase(text[-1], attr(x, "conf_level")),
                             paste0(if (one) "at one lag: ", "no slope can be fitted"))))
    }
    text <- with_limits_words(slope$slope, slope$slope_low, slope$slope_high)
    fell <- slope$slope < 0 && isTRUE(slope$p_order <= 0.05)
    details <- c(if (!fell) paste("slope", without_zero(text[["score"]])),
                 interval_phrase(without_zero(text[-1]), attr(x, "conf_level")),
                 if (is.na(slope$p_order)) "no test of the order of days" else c(
                   p_words(slope$p_order, name = "order of days p"),
                   if (isTRUE(facts$least > 0.05)) p_words(facts$least,
                                                           name = "smallest possible p")
                 ), paste("level", number_word(slope$level)))
    paste0(name, if (fell) {
      paste0(" fell by ", sub("^-", "", without_zero(text[["score"]])), per)
    } else if (is.na(slope$p_order)) " was not tested for a fall" else " was not shown to fall",
    brackets(details))
  }, "")
  all <- attr(x, "parts")$rows
  others <- sum(all$measure %in% slopes$measure) > nrow(x)
  above <- any(x$measure == "geometry" & x$conf_low > 1, na.rm = TRUE)
  paste0(capitalised(paste(told, collapse = ", ")), ".", if (others) {
    " This is of all lags of the call, not of these rows."
  }, if (above) {
    paste(" Geometry above 1 by more than chance points to swapped labels, or to gains of single",
          "neurons that differ between days.")
  }, undefined_words(x$score))
}

# ---- methods

#' @rdname across_sessions
#' @param object what `across_sessions()` returned.
#' @param ... unused.
#' @export
summary.repalign_sessions <- function(object, ...) {
  no_other_arguments(...)
  told(slopes_of(object, "object"), object)
}

#' @rdname across_sessions
#' @param row.names,optional unused.
#' @param part `"lags"`: the rows themselves; `"pairs"` or `"neurons"`: see Value.
#' @export
as.data.frame.repalign_sessions <- function(x, row.names = NULL, optional = FALSE,
                                            part = c("lags", "pairs", "neurons"), ...) {
  part <- check_choice(part, c("lags", "pairs", "neurons"), "part")
  if (part == "lags") return(NextMethod())
  need_kept(x, "tables", "across_sessions()")[[part]]
}

#' @rdname across_sessions
#' @export
vcov.repalign_sessions <- function(object, ...) {
  no_other_arguments(...)
  need_rows(object)
  scores <- compared_sessions(object, "object")
  total <- scores$total
  total[is.na(object$se), ] <- total[, is.na(object$se)] <- NA
  dimnames(total) <- rep(list(paste(scores$measure, scores$title)), 2)
  total
}

# What compared_scores() gives of other results.
compared_sessions <- function(result, arg = "result") {
  rows <- need_columns(as.data.frame(result), c("measure", "lag", "score", "se"), "compared", arg)
  kept <- need_kept(result, "parts", "across_sessions()", arg)
  key <- c("measure", "lag")
  at <- match(row_identities(rows, key), row_identities(kept$rows, key))
  refuse_if(anyNA(at) || anyDuplicated(at), "rows", "`{arg}` has rows that across_sessions() did ",
            "not return, or one of them twice: take its rows as they were.")
  parts <- some_parts(kept$parts, at)
  parts$score <- rows$score
  list(score = rows$score, title = paste("lag", format(rows$lag, trim = TRUE, digits = 9)),
       measure = rows$measure, sign = rep(1, nrow(rows)), parts = parts,
       total = total_covariance(parts), level = attr(result, "conf_level"), order = order(at),
       rows = cbind(rows, over = attr(result, "facts")$over), halves = FALSE, of_models = FALSE)
}
