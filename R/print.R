# Printing of results: long tables by their first rows, wide ones by what fits the line.

# What to print first, after what names the rows.
first_columns <- list(
  repalign_similarity = "score",
  repalign_calibration = c("score", "calibrated", "p_value", "p_adjusted", "threshold"),
  repalign_analysis = c("pooled", "conf_low", "conf_high", "undefined", "n_estimates"),
  repalign_interval = c("cka", "se", "conf_low", "conf_high")
)

# Up to 20 rows are printed whole, of more the first 10.
print_rows <- function(x, digits, ...) {
  rows <- as.data.frame(x)
  head <- utils::head(rows, if (nrow(rows) > 20) 10 else 20)
  shown <- fitting_columns(head, column_priority(x), digits)
  print.data.frame(head[intersect(display_order(x), shown)], digits = digits, ...)
  more <- nrow(rows) - nrow(head)
  if (more > 0) {
    cat("... and ", count_of(more, "more row"), ": as.data.frame() has all.\n", sep = "")
  }
  hidden <- setdiff(names(rows), shown)
  if (length(hidden)) {
    writeLines(strwrap(paste("More columns:", paste(hidden, collapse = ", ")), exdent = 2))
  }
}

# Sources first.
display_order <- function(x) union(source_columns(x), names(x))

# The most important columns first. `named`: those that are shown at any width.
column_priority <- function(x) {
  kind <- result_kind(x)
  first <- first_columns[[kind]]
  named <- intersect(c(source_columns(x), key_columns[[kind]], first[1]), names(x))
  list(named = named, all = union(named, union(intersect(first, names(x)), names(x))))
}

# As many columns as fit a line.
fitting_columns <- function(rows, priority, digits) {
  if (!length(rows) || !nrow(rows)) return(priority$all)
  each <- vapply(rows[priority$all], column_width, 0, digits = digits)
  each <- 1 + pmax(each, nchar(priority$all, "width"))
  width <- max(nchar(rownames(rows), "width")) + cumsum(each)
  priority$all[width < getOption("width") | priority$all %in% priority$named]
}

column_width <- function(column, digits) max(nchar(format(column, digits = digits), "width"), 0)

count_of <- function(n, what) paste0(n, " ", what, if (n != 1) "s")

undefined_of <- function(values) {
  undefined <- sum(is.na(values))
  if (undefined) paste0(", ", undefined, " undefined (NA)")
}
