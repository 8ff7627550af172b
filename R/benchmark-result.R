# The result of the benchmarks, a data frame of the class "repalign_benchmark", and its methods.

benchmark_result <- function(rows, scores, labels) {
  rownames(rows) <- NULL
  for (name in names(labels)) rows[[name]] <- rep_len(labels[[name]], nrow(rows))
  structure(rows, scores = list(list(labels = labels, table = scores)),
            class = c("repalign_benchmark", "data.frame"))
}

#' @rdname benchmark_groups
#' @export
similarity_scores <- function(result) {
  need_arguments()
  parts <- if (inherits(result, "repalign_benchmark")) attr(result, "scores", exact = TRUE)
  if (is.null(parts)) {
    abort("`result` must be what a benchmark returned, with the scores that it keeps: plain data ",
          "frames have none.", class = "repalign_error_type", arg = "result")
  }
  parts <- lapply(parts, scores_within, as.data.frame(result), length(parts) > 1)
  table <- do.call(rbind, Filter(Negate(is.null), parts))
  if (is.null(table)) table <- utils::head(attr(result, "scores")[[1]]$table, 0)
  rownames(table) <- NULL
  table
}

# The scores of one benchmark whose measures are among the rows.
scores_within <- function(part, rows, labelled) {
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
}

# The scores of bound results; those of one and the same benchmark are kept once.
bound_scores <- function(parts) unique(unlist(parts, recursive = FALSE))

# Rows about outputs have a target in the place of a metric.
metric_of <- function(rows) {
  if (is.null(rows$target)) return(as.character(rows$metric))
  several <- length(unique(rows$correlation)) > 1
  if (several) paste(rows$target, rows$correlation) else as.character(rows$target)
}

# The rows about everything together, without those of single groups or models.
whole_rows <- function(rows) {
  if (is.null(rows$part)) rows else rows[rows$part == "all", , drop = FALSE]
}

test_columns <- function(rows) intersect(c("dataset", "architecture", "test"), names(rows))

#' @rdname tidy.repalign
#' @export
print.repalign_benchmark <- function(x, digits = 3, n = NULL, ...) {
  check_printing(digits, n, ...)
  cat("Benchmark: ", count_of(length(unique(x$measure)), "measure"), ", ",
      count_of(nrow(x), "row"), undefined_of(x$value), "\n", sep = "")
  print_rows(x, digits, n)
  invisible(x)
}

#' @rdname tidy.repalign
#' @export
summary.repalign_benchmark <- function(object, ...) {
  plain <- need_columns(as.data.frame(object), c("measure", "value", "undefined"), "summarised")
  refuse_pooling(object)
  plain$metric <- metric_of(plain)
  plain <- whole_rows(plain)
  metrics <- unique(plain$metric)
  summary_rows(plain, c(source_columns(object), test_columns(plain)), function(part) {
    values <- part$value[match(metrics, part$metric)]
    as.data.frame(c(as.list(stats::setNames(values, metrics)),
                    undefined = if (nrow(part)) max(part$undefined) else 0L), optional = TRUE)
  })
}

#' @rdname tidy.repalign
#' @export
tidy.repalign_benchmark <- function(x, ...) {
  plain <- need_columns(as.data.frame(x), c("measure", "value", "p_value"), "tidied")
  new <- c(measure = "term", value = "estimate", p_value = "p.value")
  names(plain)[match(names(new), names(plain))] <- new
  plain
}

#' @rdname tidy.repalign
#' @export
glance.repalign_benchmark <- function(x, ...) {
  plain <- need_columns(as.data.frame(x), c("measure", "value", "undefined"), "summarised")
  plain$metric <- metric_of(plain)
  glance_rows(plain, c(source_columns(x), test_columns(plain)), function(at) {
    part <- plain[at, , drop = FALSE]
    data.frame(measures = length(unique(part$measure)), metrics = length(unique(part$metric)),
               undefined = sum(is.na(part$value)))
  })
}
