# rank_measures() ranks measures in every test, and sums the ranks up.

#' Which measure ranks best over several tests?
#'
#' Ranks the measures in every test of any number of benchmark results, and gives the mean and the
#' median rank of each measure.
#'
#' @param ... results of [benchmark_groups()], [benchmark_layers()] and [benchmark_outputs()], in
#'   any mixture; several of one kind that were put together by `rbind()`; or plain data frames with
#'   the columns `measure` and `value`, with `metric` (and `part`) or `target`, and with any of
#'   `dataset`, `architecture` and `test`. Names given to results, as in `rank_measures(cora = a,
#'   flickr = b)`, tell them apart. A list of results may stand for several.
#' @param metric the quality figure that ranks the measures in tests of groups (`groups`) and of
#'   layers (`layers`), such as `c(groups = "conformity")`. What is not named stays as it is.
#' @param target the differences between outputs that are tests of their own: all that are named
#'   here and found in a result.
#' @param ties `"min"`: the rank of a measure is one more than the number of measures that did
#'   better, as in the code of the ReSi benchmark, so that all that are tied have the best of their
#'   ranks. `"average"`: they share the mean of their ranks.
#' @param undefined what becomes of a measure whose figure is undefined in a test. `"drop"`: it has
#'   no rank there, as in the ReSi benchmark; `"last"`: it ranks behind all others.
#' @return A data frame of class `repalign_ranks` with a row for each measure in each test:
#'   `measure`; what names the test (`source`, the name given to the result; `dataset`,
#'   `architecture` and `test`, where there are any); `metric` (or target) that ranks it; `value`;
#'   `rank` (1 is best; `NA` where there is none); and `of`, how many measures have a rank in the
#'   test.
#'
#'   `summary()`: a data frame with a row for each measure, the best median rank first, and among
#'   equals the best mean rank: `measure`, `median_rank`, `mean_rank`, `best`, `worst`, `tests` (in
#'   how many it has a rank), `undefined` (in how many its figure is undefined), `missing` (in how
#'   many it is not at all). `print()` shows the same.
#' @details
#' The ReSi paper ranks all measures "for each combination of test, dataset, and architecture" and
#' draws the distribution of ranks as box plots (its Figure 3): so does `plot()`. The figures that
#' rank by default are those of its Table 3: Spearman's correlation with the difference in accuracy
#' and with the Jensen-Shannon divergence, the area under the precision-recall curve for tests of
#' groups, Spearman's correlation for layers. (For its figure, the benchmark's code also ranks by
#' disagreement: `target = c("accuracy", "jsd", "disagreement")`, which counts the test of outputs
#' twice.) Of outputs with several correlations, Spearman's is taken. Values that differ by rounding
#' are tied.
#'
#' Measures need not be the same in all tests. A message says which measures lack ranks, because
#' their mean is then taken over other tests than that of others.
#'
#' When not to trust it: a rank says nothing of how much better a measure is, and in a test that is
#' too easy or too hard for most measures, small differences or mere chance decide. Tests of one
#' architecture and data set share their models. Look at the values and p-values of the results,
#' too; with few tests, at every rank (`as.data.frame()`). Ranks of sets of different size (column
#' `of`) are not comparable.
#' @references Klabunde et al. (2025), ReSi: A comprehensive benchmark for representational
#'   similarity measures, ICLR, section 4 and Figure 3.
#' @examples
#' # figures of three measures in two tests, as benchmark_groups() and benchmark_outputs() give them
#' shortcuts <- data.frame(measure = c("cka", "rsa", "procrustes"), metric = "auprc",
#'                         value = c(0.9, 0.7, 0.9), test = "shortcuts")
#' outputs <- data.frame(measure = c("cka", "rsa", "procrustes"), target = "jsd",
#'                       correlation = "spearman", value = c(0.4, NA, 0.5), test = "outputs")
#' ranks <- rank_measures(shortcuts, outputs)
#' ranks
#' as.data.frame(ranks)
#' @seealso [benchmark_groups()], [benchmark_layers()], [benchmark_outputs()],
#'   [plot()][plot.repalign_ranks]
#' @export
rank_measures <- function(..., metric = c(groups = "auprc", layers = "spearman"),
                          target = c("accuracy", "jsd"), ties = c("min", "average"),
                          undefined = c("drop", "last")) {
  metric <- check_rank_metric(metric)
  target <- check_rank_target(target)
  ties <- check_choice(ties, c("min", "average"), "ties")
  undefined <- check_choice(undefined, c("drop", "last"), "undefined")
  results <- given_results(...)
  rows <- bound_ranked_rows(lapply(seq_along(results), function(k) {
    ranked_rows(results[[k]], names_or_empty(results)[k], metric, target)
  }))
  refuse_two_values(rows)
  rows <- with_ranks(rows, ties, undefined)
  note_missing_ranks(rows)
  structure(rows, class = c("repalign_ranks", "data.frame"))
}

# The columns that name a test of ranks.
rank_tests <- function(rows) setdiff(names(rows), c("measure", "value", "rank", "of"))

refuse_two_values <- function(rows) {
  twice <- anyDuplicated(rows[setdiff(names(rows), "value")])
  if (!twice) return(invisible())
  labels <- unlist(rows[twice, rank_tests(rows)])
  abort(dQuote(rows$measure[twice], FALSE), " has two values in one test (",
        paste(names(labels), "=", labels, collapse = ", "), "). Name the results, as in ",
        "rank_measures(first = a, second = b), or give them different `dataset`, `architecture` ",
        "or `test`.", class = "repalign_error_rows", arg = "...")
}

with_ranks <- function(rows, ties, undefined) {
  rows$rank <- rep(NA_real_, nrow(rows))
  rows$of <- rep(0L, nrow(rows))
  for (at in tests_of(rows, rank_tests(rows))) {
    value <- rows$value[at]
    known <- !is.na(value)
    level <- integer(length(at))
    level[known] <- tie_levels(-value[known])
    level[!known] <- length(at) + 1L
    ranked <- known | undefined == "last"
    rows$rank[at[ranked]] <- rank(level[ranked], ties.method = ties)
    rows$of[at] <- sum(ranked)
  }
  rownames(rows) <- NULL
  rows
}

# Says which measures have ranks in fewer tests than others.
note_missing_ranks <- function(rows) {
  table <- rank_summary(rows)
  few <- table[table$undefined + table$missing > 0, ]
  if (!nrow(few)) return(invisible())
  tests <- length(tests_of(rows, rank_tests(rows)))
  why <- ifelse(few$undefined == 0, "missing",
                ifelse(few$missing == 0, "undefined", "undefined or missing"))
  reasons <- paste0(few$measure, " (", why, " in ", few$undefined + few$missing, ")")
  inform(count_of(nrow(few), "measure"), " of ", nrow(table), " lack", if (nrow(few) == 1) "s",
         " a figure in some of the ", count_of(tests, "test"), ": ",
         enumerate(reasons, 5, quote = FALSE), ". Compare their ranks with care.",
         class = "repalign_ranks_missing")
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
  table <- do.call(rbind, each)
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
  rows <- need_rank_columns(x, "printed")
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
  rank_summary(need_rank_columns(object, "summarised"))
}

#' @rdname rank_measures
#' @export
as.data.frame.repalign_ranks <- function(x, ...) {
  class(x) <- "data.frame"
  x
}

#' @rdname tidy.repalign
#' @export
tidy.repalign_ranks <- function(x, ...) {
  plain <- need_rank_columns(x, "tidied")
  new <- c(measure = "term", rank = "estimate")
  names(plain)[match(names(new), names(plain))] <- new
  plain
}

need_rank_columns <- function(x, what) {
  need_columns(as.data.frame(x), c("measure", "metric", "value", "rank", "of"), what)
}
