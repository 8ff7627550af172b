# The result of across_sessions(): its tables, prints, sentences, covariances and comparisons.

#' @include result-class.R
NULL

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
