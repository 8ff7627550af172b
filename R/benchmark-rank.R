# rank_measures(), and the result of the benchmarks.

#' @include result-class.R
NULL

# ---- rank

#' Which measure ranks best over several tests?
#'
#' Ranks of the measures in every test of any number of benchmark results.
#'
#' @param ... results of [benchmark_groups()], [benchmark_layers()] and [benchmark_outputs()], or
#'   data frames with their columns. Names, as in `rank_measures(cora = a, flickr = b)`, tell
#'   results apart.
#' @param metric the quality figure that ranks the measures in tests of groups and of layers.
#' @param target which differences between outputs are tests of their own.
#' @param ties rank of tied measures: `"min"`, the best of theirs, or `"average"`.
#' @param undefined a measure without a figure in a test has no rank there (`"drop"`) or the last
#'   (`"last"`).
#' @return A data frame of class `repalign_ranks` with a row for each measure in each test:
#'   `measure`; what names the test (`source`, the name given to the result; `dataset`,
#'   `architecture` and `test`); `metric` (or target) that ranks it; `value`; `rank` (1 is best);
#'   and `of`, how many measures have a rank in the test.
#'
#'   `summary()`: a row for each measure, the best median rank first: `measure`, `median_rank`,
#'   `mean_rank`, `best`, `worst`, `tests` (in how many it has a rank), `undefined` (in how many its
#'   figure is undefined), `missing` (in how many it is not at all).
#' @details
#' Ranks are within each combination of test, dataset and architecture, by default by the figures of
#' Table 3 of the ReSi paper.
#'
#' When not to trust it: a rank does not say how much better a measure is, and chance decides in a
#' test that is too easy or too hard. Tests of one architecture and data set share their models.
#' Ranks of sets of different size (column `of`) are not comparable.
#' @references Klabunde et al. (2025), ICLR, \doi{10.48550/arXiv.2408.00531} (the ReSi benchmark,
#'   section 4 and Figure 3).
#' @examples
#' # figures of three measures in two tests, as benchmark_groups() and benchmark_outputs() give them
#' shortcuts <- data.frame(measure = c("cka", "rsa", "procrustes"), metric = "auprc",
#'                         value = c(0.9, 0.7, 0.9), test = "shortcuts")
#' outputs <- data.frame(measure = c("cka", "rsa", "procrustes"), target = "jsd",
#'                       correlation = "spearman", value = c(0.4, NA, 0.5), test = "outputs")
#' rank_measures(shortcuts, outputs)
#' @order 1
#' @export
rank_measures <- function(..., metric = c(groups = "auprc", layers = "spearman"),
                          target = c("accuracy", "jsd"), ties = c("min", "average"),
                          undefined = c("drop", "last")) {
  choices <- list(groups = c("auprc", "conformity", "dprime", "silhouette", "auc"),
                  layers = c("spearman", "conformity"))
  usable <- is.character(metric) && length(metric) && !is.null(names(metric)) &&
    all(names(metric) %in% names(choices)) && !anyDuplicated(names(metric))
  refuse_if(!usable, "value", "`metric` must name the figure that ranks, as in c(groups = ",
            "\"auprc\", layers = \"spearman\").")
  # each defaults to its first choice
  chosen <- vapply(choices, `[`, "", 1)
  for (kind in names(metric)) {
    chosen[[kind]] <- check_choice(metric[[kind]], choices[[kind]], paste0("metric$", kind))
  }
  refuse_if(!is.character(target) || !length(target) || anyNA(target) ||
              anyDuplicated(target), "value", "`target` must name differences between outputs, ",
            "such as \"accuracy\" and \"jsd\".")
  ties <- check_choice(ties, c("min", "average"), "ties")
  undefined <- check_choice(undefined, c("drop", "last"), "undefined")
  # the results as one list; lists of results are opened
  given <- list(...)
  check_encoding(given, "...")
  results <- do.call(c, lapply(seq_along(given), function(k) {
    if (is.data.frame(given[[k]])) return(given[k])
    if (is.list(given[[k]])) return(given[[k]])
    refuse("type", "`...` must be results of benchmarks; argument {k} is {describe(given[[k]])}.")
  }))
  refuse_if(!length(results), "missing", "There is nothing to rank: give results of ",
            "benchmark_groups(), benchmark_layers() or benchmark_outputs().", arg = "...")
  tables <- unname(Map(ranked_rows, results, names_or_empty(results), list(chosen), list(target)))
  # all rows in one table; what a result does not have is NA
  labels <- setdiff(unlist(lapply(tables, names)), c("measure", "metric", "value"))
  labels <- c(setdiff(labels, usual_labels), intersect(usual_labels, labels))
  rows <- do.call(rbind, lapply(tables, function(rows) {
    for (name in setdiff(labels, names(rows))) rows[[name]] <- rep(NA_character_, nrow(rows))
    rows[c("measure", labels, "metric", "value")]
  }))
  twice <- anyDuplicated(rows[setdiff(names(rows), "value")])
  if (twice) {
    labels <- unlist(rows[twice, rank_tests(rows)])
    refuse("rows", "{quoted(rows$measure[twice])} has two values in one test (",
           paste(names(labels), "=", labels, collapse = ", "), "). Name the results, as in ",
           "rank_measures(first = a, second = b), or give them different `dataset`, ",
           "`architecture` or `test`.", arg = "...")
  }
  rows <- with_ranks(rows, ties, undefined)
  # says which measures have ranks in fewer tests than others
  table <- rank_summary(rows)
  few <- table[table$undefined + table$missing > 0, ]
  if (nrow(few)) {
    tests <- length(tests_of(rows, rank_tests(rows)))
    why <- ifelse(few$undefined == 0, "missing",
                  ifelse(few$missing == 0, "undefined", "undefined or missing"))
    reasons <- paste0(few$measure, " (", why, " in ", few$undefined + few$missing, ")")
    inform("ranks_missing", "{count_of(nrow(few), 'measure')} of {nrow(table)} ",
           "lack{if (nrow(few) == 1) 's'} a figure in some of the {count_of(tests, 'test')}: ",
           "{enumerate(reasons, 5, quote = FALSE)}. Compare their ranks with care.")
  }
  new_result(rows, "repalign_ranks")
}

# The columns that name a test of ranks.
rank_tests <- function(rows) setdiff(names(rows), c("measure", "value", "rank", "of"))

with_ranks <- function(rows, ties, undefined) {
  rows$rank <- rep(NA_real_, nrow(rows))
  rows$of <- rep(0L, nrow(rows))
  for (at in tests_of(rows, rank_tests(rows))) {
    value <- rows$value[at]
    known <- !is.na(value)
    level <- rep(length(at) + 1L, length(at))
    level[known] <- tie_levels(-value[known])
    ranked <- known | undefined == "last"
    rows$rank[at[ranked]] <- rank(level[ranked], ties.method = ties)
    rows$of[at] <- sum(ranked)
  }
  rownames(rows) <- NULL
  rows
}

# A row for each measure, the best first.
rank_summary <- function(rows) {
  tests <- length(tests_of(rows, rank_tests(rows)))
  each <- lapply(split(rows, factor(rows$measure, unique(rows$measure))), function(part) {
    ranks <- part$rank[!is.na(part$rank)]
    of_ranks <- function(fun) if (length(ranks)) as.double(fun(ranks)) else NA_real_
    data.frame(measure = part$measure[1], median_rank = of_ranks(stats::median),
               mean_rank = of_ranks(mean), best = of_ranks(min), worst = of_ranks(max),
               tests = length(ranks), undefined = sum(is.na(part$value)),
               missing = tests - nrow(part))
  })
  none <- data.frame(measure = character(), median_rank = double(), mean_rank = double(),
                     best = double(), worst = double(), tests = integer(), undefined = integer(),
                     missing = integer())
  table <- do.call(rbind, c(list(none), unname(each)))
  table <- table[order(table$median_rank, table$mean_rank), ]
  rownames(table) <- NULL
  table
}

#' @rdname rank_measures
#' @param x,object what `rank_measures()` returned, or some of its rows.
#' @param digits,n as for other results, see [tidy()][tidy.repalign].
#' @export
print.repalign_ranks <- function(x, digits = 3, n = Inf, ...) {
  check_printing(digits, n, ...)
  # some of the columns have no summary, and are printed as they are
  if (!all(columns_of_ranks %in% names(x))) return(NextMethod())
  rows <- as.data.frame(x)
  table <- rank_summary(rows)
  cat("Ranks of ", count_of(nrow(table), "measure"), " in ",
      count_of(length(tests_of(rows, rank_tests(rows))), "test"), ", 1 is best\n", sep = "")
  # what is 0 for all measures tells nothing
  empty <- vapply(table[c("undefined", "missing")], function(column) all(column == 0), NA)
  table <- table[setdiff(names(table), names(empty)[empty])]
  print.data.frame(utils::head(table, min(n, nrow(table))), digits = digits, row.names = FALSE)
  if (n < nrow(table)) cat("... and ", count_of(nrow(table) - n, "more measure"), "\n", sep = "")
  invisible(x)
}

#' @rdname rank_measures
#' @export
summary.repalign_ranks <- function(object, ...) {
  no_other_arguments(...)
  told(rank_summary(need_rank_columns(object, "summarised")), object)
}

declare_result(
  "repalign_ranks", from = "rank_measures", digits = 3, words = "ranks",
  columns = described_columns(
    column("measure", "the label of the measure", key = TRUE, tidy = "term"),
    column("dataset", "the label `dataset`", key = TRUE, always = FALSE),
    column("architecture", "the label `architecture`", key = TRUE, always = FALSE),
    column("test", "the label `test`", key = TRUE, always = FALSE),
    column("metric", "the figure that ranks", key = TRUE),
    column("value", "its value"),
    column("rank", "the rank, 1 is best", shown = 1, tidy = "estimate"),
    column("of", "among how many measures", shown = 2)
  ),
  sentence = function(x) {
    table <- rank_summary(need_rank_columns(x, "told"))
    median <- table$median_rank[1]
    if (is.na(median)) return("No measure has a rank: all values are undefined (NA).")
    best <- table[seq_len(sum(table$median_rank == median, na.rm = TRUE)), ]
    tests <- length(tests_of(as.data.frame(x), rank_tests(x)))
    unranked <- sum(table$undefined > 0)
    paste0("Of ", count_of(nrow(table), "measure"), " in ", count_of(tests, "test"), ", ",
           enumerate(paste("the", vapply(best$measure, measure_words, "")), quote = FALSE),
           " had the best median rank",
           brackets(short_number(median), paste("ranks", short_number(min(best$best)), "to",
                                                short_number(max(best$worst)))), ".",
           if (unranked) paste0(" ", count_of(unranked, "measure"),
                                if (unranked > 1) " have" else " has", " undefined values (NA)."))
  }
)

columns_of_ranks <- c("measure", "metric", "value", "rank", "of")

need_rank_columns <- function(x, what) need_columns(as.data.frame(x), columns_of_ranks, what)

# ---- result

# The result of the benchmarks, and its methods.

declare_result(
  "repalign_benchmark", digits = 3, words = "benchmarks",
  from = c("benchmark_groups", "benchmark_layers", "benchmark_outputs"),
  columns = described_columns(
    column("measure", "the label of the measure", key = TRUE, tidy = "term"),
    column("metric", "the figure", key = TRUE, always = FALSE),
    column("part", "the group or model that a figure is about, or \"all\"", key = TRUE,
           always = FALSE),
    column("target", "the difference of outputs", key = TRUE, always = FALSE),
    column("correlation", "the correlation with it", key = TRUE, always = FALSE),
    column("value", "the value of the figure", shown = 1, tidy = "estimate"),
    column("chance", "its value by chance", shown = 4, always = FALSE),
    column("p_value", "its p-value", shown = 2),
    column("undefined", "how many scores are undefined", shown = 3),
    column("dataset", "the label `dataset`", key = TRUE, always = FALSE),
    column("architecture", "the label `architecture`", key = TRUE, always = FALSE),
    column("test", "the label `test`", key = TRUE, always = FALSE)
  ),
  # the scores of one and the same benchmark are kept once
  kept = list(scores = each_once),
  heading = function(x, digits) {
    paste0("Benchmark: ", count_of(length(unique(stats::na.omit(x$measure))), "measure"), ", ",
           count_of(nrow(x), "row"), undefined_of(x$value))
  },
  # a sentence for each metric, over all groups or models
  sentence = function(x) {
    rows <- need_columns(as.data.frame(x), c("measure", "value", "p_value"), "told", "result")
    rows$metric <- if (is.null(rows$target)) metric_of(rows) else {
      # "Spearman correlation of dissimilarity with the difference in accuracy"
      outputs <- c(accuracy = "difference in accuracy", disagreement = "disagreement of outputs",
                   jsd = "Jensen-Shannon divergence of outputs")
      kind <- if (is.null(rows$correlation)) "" else
        paste0(capitalised(as.character(rows$correlation)), " ")
      paste0(kind, "correlation of dissimilarity with the ", outputs[as.character(rows$target)])
    }
    if (!is.null(rows$part) && any(rows$part == "all")) rows <- rows[rows$part == "all", ]
    groups <- row_groups(rows, c(test_columns(rows), "metric"))
    vapply(unname(groups), function(at) {
      part <- rows[at, ]
      best <- which.max(part$value)
      if (!length(best)) {
        return(paste0("Of ", count_of(nrow(part), "measure"), ", none has a defined ",
                      part$metric[1], " (NA)."))
      }
      # the best of several is chosen, and its p-value is of all together
      p <- stats::p.adjust(part$p_value, "holm")[best]
      p <- if (!is.na(p)) p_words(p, name = if (nrow(part) > 1) "holm-adjusted p" else "p")
      numbers <- number_words(part$value[best], part$chance[best])
      chance <- if (isTRUE(part$chance[best] != 0)) paste("chance", numbers[2])
      name <- measure_words(part$measure[best])
      if (nrow(part) == 1) {
        of <- if (is.null(part$target)) " of" else " by"
        return(paste0("The ", part$metric, of, " the ", name, " was ", numbers[1],
                      brackets(chance, p), "."))
      }
      paste0("Of ", count_of(nrow(part), "measure"), ", the ", name, like_others(part$value, best),
             " had the best ", part$metric[1], brackets(numbers[1], chance, p), ".",
             undefined_words(part$value, "value"))
    }, "")
  },
  glance = function(x) {
    need_columns(x, c("measure", "value", "undefined"), "summarised")
    list(measures = length(unique(x$measure)), metrics = length(unique(metric_of(x))),
         undefined = sum(is.na(x$value)))
  }
)

#' @rdname benchmark_groups
#' @export
similarity_scores <- function(result, ...) {
  need_arguments()
  parts <- if (inherits(result, "repalign_benchmark")) attr(result, "scores", exact = TRUE)
  refuse_if(is.null(parts), "type", "`result` must be what a benchmark returned, with the scores ",
            "that it keeps: plain data frames have none.")
  # the scores of one benchmark whose measures are among the rows
  parts <- lapply(parts, function(part, rows, labelled) {
    for (name in intersect(names(part$labels), names(rows))) {
      rows <- rows[rows[[name]] == part$labels[[name]], , drop = FALSE]
    }
    table <- part$table
    if (!is.null(rows$measure)) table <- table[table$measure %in% rows$measure, , drop = FALSE]
    if (!nrow(table)) return(NULL)
    if (!labelled) return(table)
    labels <- lapply(c(test = "test", dataset = "dataset", architecture = "architecture"),
                     function(name) {
                       value <- part$labels[[name]]
                       rep_len(if (is.null(value)) NA_character_ else value, nrow(table))
                     })
    cbind(as.data.frame(labels), table)
  }, as.data.frame(result), length(parts) > 1)
  table <- do.call(rbind, Filter(Negate(is.null), parts))
  if (is.null(table)) table <- utils::head(attr(result, "scores")[[1]]$table, 0)
  rownames(table) <- NULL
  table
}

# Rows about outputs have a target in the place of a metric.
metric_of <- function(rows) {
  if (is.null(rows$target)) {
    name <- if (is.null(rows$correlation)) "metric" else "target"
    return(as.character(need_columns(rows, name, "told", "result")$metric))
  }
  several <- length(unique(rows$correlation)) > 1
  if (several) paste(rows$target, rows$correlation) else as.character(rows$target)
}

#' @rdname tidy.repalign
#' @export
summary.repalign_benchmark <- function(object, ...) {
  no_other_arguments(...)
  plain <- need_columns(as.data.frame(object), c("measure", "value", "undefined"), "summarised")
  refuse_pooling(object)
  plain$metric <- metric_of(plain)
  # the rows about everything together, without those of single groups or models
  if (!is.null(plain$part)) plain <- plain[plain$part == "all", , drop = FALSE]
  metrics <- unique(plain$metric)
  rows <- summary_rows(plain, c(source_columns(object), test_columns(plain)), function(part) {
    as.data.frame(c(as.list(stats::setNames(part$value[match(metrics, part$metric)], metrics)),
                    undefined = if (nrow(part)) max(part$undefined) else 0L), optional = TRUE)
  })
  told(rows, object)
}

# ---- ranked rows

# What rank_measures() takes from results: the rows that rank, and what names their tests.

# The rows of a result that rank, with the columns that name the test.
ranked_rows <- function(result, name, metric, target) {
  rows <- as.data.frame(result)
  what <- if (nzchar(name)) paste("The result", quoted(name)) else "A result"
  usable <- all(c("measure", "value") %in% names(rows)) && is.numeric(rows$value) &&
    any(c("metric", "target") %in% names(rows))
  refuse_if(!usable, "type", "{what} is not one of a benchmark: it needs the columns measure, ",
            "value, and metric or target.", arg = "...")
  refuse_if(!nrow(rows), "size", "{what} has no rows: leave it out.", arg = "...")
  refuse_nameless_rows(rows, "...")
  if (nzchar(name)) {
    # before the names of the results that this one was put together from
    inner <- rows$source
    rows$source <- if (is.null(inner)) rep(name, nrow(rows)) else paste(name, inner, sep = " | ")
  }
  if (is.null(rows$target)) {
    if (!is.null(rows$part)) rows <- rows[as.character(rows$part) == "all", , drop = FALSE]
    rows$metric <- as.character(rows$metric)
    at <- lapply(tests_of(rows, label_columns(rows)), function(at) {
      found <- unique(rows$metric[at])
      # only a test of layers has correlations, and only a test of groups anything else but
      # conformity
      kinds <- if ("spearman" %in% found) "layers" else
        if (all(found == "conformity")) c("groups", "layers") else "groups"
      wanted <- intersect(metric[kinds], found)
      refuse_if(!length(wanted), "value", "{what} has no figure {quoted(metric[[kinds[1]]])} ",
                "to rank by; it has {enumerate(found)}: name another one in `metric`.")
      at[rows$metric[at] %in% wanted[1]]
    })
    rows <- rows[unlist(at), , drop = FALSE]
  } else {
    rows$metric <- as.character(rows$target)
    found <- unique(rows$metric)
    refuse_if(!any(target %in% found), "value", "{what} has no difference of outputs ",
              "{enumerate(target)}; it has {enumerate(found)}: name one of these in `target`.")
    correlations <- unique(as.character(rows$correlation))
    if (length(correlations) > 1) {
      refuse_if(!"spearman" %in% correlations, "rows", "{what} has several correlations, ",
                "{enumerate(correlations)}: give the rows of one.", arg = "...")
      rows <- rows[rows$correlation == "spearman", , drop = FALSE]
    }
    rows <- rows[rows$metric %in% target, , drop = FALSE]
  }
  words <- lapply(rows[c(label_columns(rows), "measure", "metric")], as.character)
  data.frame(words, value = as.double(rows$value), check.names = FALSE)
}

# The columns that tell tests apart: all that hold words, and `test`, `dataset`, `architecture`.
label_columns <- function(rows) {
  usual <- c("source", usual_labels)
  words <- names(rows)[vapply(rows, function(column) is.character(column) || is.factor(column), NA)]
  other <- setdiff(words, c("measure", "metric", "part", "target", "correlation", usual))
  c(other, intersect(usual, names(rows)))
}

# The row numbers of each test.
tests_of <- function(rows, columns) {
  if (!length(columns)) return(list(seq_len(nrow(rows))))
  unname(split(seq_len(nrow(rows)), do.call(paste, c(unname(as.list(rows[columns])), sep = "\r"))))
}
