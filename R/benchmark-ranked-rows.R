# What rank_measures() takes from results: the rows that rank, and what names their tests.

check_rank_metric <- function(metric) {
  choices <- list(groups = c("auprc", "conformity", "dprime", "silhouette", "auc"),
                  layers = c("spearman", "conformity"))
  usable <- is.character(metric) && length(metric) && !is.null(names(metric)) &&
    all(names(metric) %in% names(choices)) && !anyDuplicated(names(metric))
  if (!usable) {
    abort("`metric` must name the figure that ranks, as in c(groups = \"auprc\", layers = ",
          "\"spearman\").", class = "repalign_error_value", arg = "metric")
  }
  chosen <- c(groups = "auprc", layers = "spearman")
  for (kind in names(metric)) {
    chosen[[kind]] <- check_choice(metric[[kind]], choices[[kind]], paste0("metric$", kind))
  }
  chosen
}

check_rank_target <- function(target) {
  if (!is.character(target) || !length(target) || anyNA(target) || anyDuplicated(target)) {
    abort("`target` must name differences between outputs, such as \"accuracy\" and \"jsd\".",
          class = "repalign_error_value", arg = "target")
  }
  target
}

# The results as one list; lists of results are opened.
given_results <- function(...) {
  given <- list(...)
  opened <- lapply(seq_along(given), function(k) {
    if (is.data.frame(given[[k]])) return(given[k])
    if (is.list(given[[k]])) return(given[[k]])
    abort("`...` must be results of benchmarks; argument ", k, " is ", describe(given[[k]]), ".",
          class = "repalign_error_type", arg = "...")
  })
  results <- do.call(c, opened)
  if (!length(results)) {
    abort("There is nothing to rank: give results of benchmark_groups(), benchmark_layers() or ",
          "benchmark_outputs().", class = "repalign_error_missing", arg = "...")
  }
  results
}

# The rows of a result that rank, with the columns that name the test.
ranked_rows <- function(result, name, metric, target) {
  rows <- as.data.frame(result)
  what <- if (nzchar(name)) paste("The result", dQuote(name, FALSE)) else "A result"
  usable <- all(c("measure", "value") %in% names(rows)) && is.numeric(rows$value) &&
    any(c("metric", "target") %in% names(rows))
  if (!usable) {
    abort(what, " is not one of a benchmark: it needs the columns measure, value, and metric or ",
          "target.", class = "repalign_error_type", arg = "...")
  }
  if (nzchar(name)) rows <- with_source(rows, name)
  rows <- if (is.null(rows$target)) metric_rows(rows, what, metric) else
    target_rows(rows, what, target)
  words <- lapply(rows[c(label_columns(rows), "measure", "metric")], as.character)
  data.frame(words, value = as.double(rows$value), check.names = FALSE)
}

# The name of a result stands before those of the results that it was put together from.
with_source <- function(rows, name) {
  inner <- rows$source
  rows$source <- if (is.null(inner)) rep(name, nrow(rows)) else paste(name, inner, sep = " | ")
  rows
}

# The columns that tell tests apart: all that hold words, and `test`, `dataset`, `architecture`.
label_columns <- function(rows) {
  usual <- c("source", "dataset", "architecture", "test")
  words <- names(rows)[vapply(rows, function(column) is.character(column) || is.factor(column), NA)]
  other <- setdiff(words, c("measure", "metric", "part", "target", "correlation", usual))
  c(other, intersect(usual, names(rows)))
}

# The row numbers of each test.
tests_of <- function(rows, columns) {
  if (!length(columns)) return(list(seq_len(nrow(rows))))
  unname(split(seq_len(nrow(rows)), do.call(paste, c(unname(as.list(rows[columns])), sep = "\r"))))
}

metric_rows <- function(rows, what, metric) {
  if (!is.null(rows$part)) rows <- rows[as.character(rows$part) == "all", , drop = FALSE]
  rows$metric <- as.character(rows$metric)
  at <- lapply(tests_of(rows, label_columns(rows)), function(at) {
    found <- unique(rows$metric[at])
    # only a test of layers has correlations, and only a test of groups anything else but conformity
    kinds <- if ("spearman" %in% found) "layers" else
      if (all(found == "conformity")) c("groups", "layers") else "groups"
    wanted <- intersect(metric[kinds], found)
    if (!length(wanted)) {
      abort(what, " has no figure ", dQuote(metric[[kinds[1]]], FALSE), " to rank by; it has ",
            enumerate(found), ": name another one in `metric`.", class = "repalign_error_value",
            arg = "metric")
    }
    at[rows$metric[at] == wanted[1]]
  })
  rows[unlist(at), , drop = FALSE]
}

target_rows <- function(rows, what, target) {
  rows$metric <- as.character(rows$target)
  found <- unique(rows$metric)
  if (!any(target %in% found)) {
    abort(what, " has no difference of outputs ", enumerate(target), "; it has ", enumerate(found),
          ": name one of these in `target`.", class = "repalign_error_value", arg = "target")
  }
  correlations <- unique(as.character(rows$correlation))
  if (length(correlations) > 1) {
    if (!"spearman" %in% correlations) {
      abort(what, " has several correlations, ", enumerate(correlations), ": give the rows of one.",
            class = "repalign_error_rows", arg = "...")
    }
    rows <- rows[rows$correlation == "spearman", , drop = FALSE]
  }
  rows[rows$metric %in% target, , drop = FALSE]
}

# All rows in one table; what a result does not have is NA.
bound_ranked_rows <- function(tables) {
  labels <- unique(unlist(lapply(tables, function(rows) {
    setdiff(names(rows), c("measure", "metric", "value"))
  })))
  order <- c(setdiff(labels, c("dataset", "architecture", "test")),
             intersect(c("dataset", "architecture", "test"), labels))
  filled <- lapply(tables, function(rows) {
    for (name in setdiff(order, names(rows))) rows[[name]] <- rep(NA_character_, nrow(rows))
    rows[c("measure", order, "metric", "value")]
  })
  do.call(rbind, filled)
}
