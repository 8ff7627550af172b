# The result of across_sessions(): its tables, prints, sentences, covariances and comparisons.

#' @include result-class.R
NULL

# measures: what lag_scores() gives of each.
sessions_result <- function(measures, tables, call, level, of_days) {
  rows <- do.call(rbind, Map(function(measure, name) {
    limits <- student_limits(measure$rows$score, measure$rows$se, measure$rows$df, level)
    cbind(measure = name, measure$rows[c("lag", "score", "se", "df")], conf_low = limits[, 1],
          conf_high = limits[, 2], pairs = measure$rows$pairs)
  }, measures, names(measures)))
  rownames(rows) <- NULL
  slopes <- do.call(rbind, Map(function(measure, name) {
    slope <- measure$slope
    limits <- student_limits(slope$score, slope$se, slope$df, level)
    data.frame(measure = name, slope = slope$score, slope_se = slope$se, slope_df = slope$df,
               slope_low = limits[, 1], slope_high = limits[, 2],
               p_value = 2 * stats::pt(-abs(slope$score / slope$se), slope$df),
               p_order = measure$p_order, permutations = measure$permutations,
               level = measure$level$score, level_se = measure$level$se,
               level_df = measure$level$df)
  }, measures, names(measures)))
  rownames(slopes) <- NULL
  lost <- vapply(measures, function(measure) measure$lost, 0L)
  warn_if(any(lost > 0), "undefined", "{count_of(sum(lost), 'standard error')} of ",
          "{enumerate(names(lost)[lost > 0], quote = FALSE)} {if (sum(lost) == 1) 'is' else 'are'} ",
          "undefined (NA): there are too few trials, and without some stimulus or neuron a day has ",
          "no positive signal.")
  days <- table(unlist(call$ids))
  new_result(rows, "repalign_sessions", list(
    slopes = slopes, parts = lapply(measures, function(measure) measure$parts),
    tables = tables[c("pairs", "neurons")], conf_level = level, dependence = call$dependence,
    facts = list(days = length(call$days), n = call$n, neurons = length(call$identities),
                 followed = sum(days > 1), of_days = of_days,
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
                     paste(lags, collapse = " to "), ", ", facts$followed, " of ", count_of(facts$neurons, "neuron"),
                     " followed; 1: nothing but noise differs"),
              paste0("conf_low to conf_high: ", format(100 * attr(x, "conf_level")),
                     "% interval over ", facts$over, ", about these days")), exdent = 2)
  },
  footing = function(x, digits) {
    if (nrow(x) && !is.null(attr(x, "slopes"))) strwrap(in_words(x), exdent = 2)
  },
  sentence = function(x) {
    need_kept(x, "slopes", "across_sessions()", "result")
    without_claim(sessions_sentence(x), attr(x, "dependence"))
  },
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
  what <- c(tuning = "tuning of followed neurons", geometry = "geometry")
  per <- if (facts$of_days) "per day" else "per unit of time"
  told <- vapply(rev(seq_len(nrow(slopes))), function(row) {
    slope <- slopes[row, ]
    name <- what[[slope$measure]]
    level <- paste0("level ", number_word(slope$level))
    if (is.na(slope$slope)) return(paste0(name, " has no slope", brackets(level)))
    text <- with_limits_words(slope$slope, slope$slope_low, slope$slope_high)
    fell <- slope$slope < 0 && isTRUE(slope$p_order <= 0.05)
    facts <- c(if (!fell) paste("slope", without_zero(text[["score"]])),
               interval_phrase(without_zero(text[-1]), attr(x, "conf_level")),
               if (is.na(slope$p_order)) "no test of the order of days" else
                 p_words(slope$p_order, name = "order of days p"), level)
    paste0(name, if (fell) {
      paste0(" fell by ", sub("^-", "", without_zero(text[["score"]])), " ", per)
    } else " was not shown to fall", brackets(facts))
  }, "")
  paste0(capitalised(paste(told, collapse = ", ")), ".")
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
  scores <- compared_sessions(object, "object")
  titles <- paste(scores$measure, scores$title)
  unknown <- is.na(object$se)
  scores$total[unknown, ] <- scores$total[, unknown] <- NA
  dimnames(scores$total) <- list(titles, titles)
  scores$total
}

# What compared_scores() gives of other results. Scores of the two measures are never compared, and
# their covariances are not known.
compared_sessions <- function(result, arg = "result") {
  rows <- need_columns(as.data.frame(result), c("measure", "lag", "score", "se"), "compared", arg)
  kept <- need_kept(result, "parts", "across_sessions()", arg)
  whole <- need_kept(result, "tables", "across_sessions()", arg)$pairs
  lags <- sort(unique(whole$lag))
  at <- match(rows$measure, names(kept)) * length(lags) - length(lags) + match(rows$lag, lags)
  refuse_if(anyNA(at) || anyDuplicated(at), "rows", "`{arg}` has rows that across_sessions() did ",
            "not return, or one of them twice: take its rows as they were.")
  side_by_side <- function(a, b) {
    rbind(cbind(a, matrix(NA_real_, nrow(a), ncol(b))), cbind(matrix(NA_real_, nrow(b), ncol(a)), b))
  }
  joined <- function(name) Map(side_by_side, kept[[1]][[name]], kept[[2]][[name]])
  parts <- kept[[1]]
  parts$main <- joined("main")
  parts$interactions <- joined("interactions")
  parts <- some_parts(parts, at)
  parts$score <- rows$score
  list(score = rows$score, title = paste("lag", format(rows$lag, trim = TRUE, digits = 9)),
       measure = rows$measure, sign = rep(1, nrow(rows)), parts = parts,
       total = total_covariance(parts), level = attr(result, "conf_level"), order = order(at),
       rows = cbind(rows, over = attr(result, "facts")$over), halves = FALSE, of_models = FALSE)
}
