# These functions print results: of long tables the first rows, of wide ones the columns that fit.

#' @rdname tidy.repalign
#' @export
print.repalign_result <- function(x, digits = declaration_of(x)$digits, n = NULL, ...) {
  check_printing(digits, n, ...)
  declared <- declaration_of(x)
  writeLines(as.character(declared$heading(x, digits)))
  shown <- declared$shown(x)
  rows <- as.data.frame(shown)
  sources <- source_columns(shown)
  # Numbers of rounding size, compared with the others of their measure, are printed as 0. Otherwise
  # all numbers of their column would be printed with many digits.
  if (!is.null(rows$measure)) {
    group <- source_names(rows, c(sources, "measure"))
    largest_of <- function(sizes) max(sizes[is.finite(sizes)], 0)
    scores <- intersect(c("score", "threshold", "calibrated", "null_mean", "null_sd"), names(rows))
    for (column in scores[vapply(rows[scores], is.numeric, NA)]) {
      size <- abs(rows[[column]])
      rounding <- size < equal_share * stats::ave(size, group, FUN = largest_of)
      rows[[column]][which(rounding)] <- 0
    }
  }
  # when `n` is NULL, all rows are printed if there are at most 20, and otherwise the first 10
  if (is.null(n)) n <- if (nrow(rows) > 20) 10 else 20
  # Which columns are printed if there is room. `all` has the most important ones first; `named` are
  # printed at any width; `core` are those for which names are shortened.
  known <- columns_of(shown)
  known <- known[known$name %in% names(rows), ]
  first <- known$name[order(known$shown)][seq_len(sum(!is.na(known$shown)))]
  named <- union(sources, known$name[known$key | known$shown %in% 1])
  core <- setdiff(intersect(first, known$name[known$shown %in% 1:4]), "undefined")
  priority <- list(named = named, core = union(named, core),
                   all = union(named, union(first, names(rows))))
  whole <- head <- utils::head(rows, min(n, nrow(rows)))
  # Names are shortened until as many of the core columns fit on a line as possible, but no further.
  # The estimators are words of the package, and are never shortened.
  texts <- Filter(function(name) is.character(whole[[name]]) || is.factor(whole[[name]]),
                  setdiff(named, "estimator"))
  if (length(texts) && nrow(whole)) {
    fitting <- function(rows) sum(line_widths(rows, priority$core, digits) < getOption("width"))
    most_fitting <- fitting(whole)
    longest <- max(nchar(unlist(lapply(whole[texts], as.character))), 0, na.rm = TRUE)
    # what is left of shorter names says too little
    sizes <- c(40, 32, 26, 22:10)
    for (most in sizes[sizes < longest]) {
      if (most_fitting == length(priority$core)) break
      short <- shortened_rows(whole, texts, most)
      now <- fitting(short)
      if (now > most_fitting) head <- short
      most_fitting <- max(now, most_fitting)
    }
  }
  columns <- fitting_columns(head, priority, digits)
  print.data.frame(head[intersect(display_order(shown), columns)], digits = digits,
                   max = max(1, dim(head)[1] * dim(head)[2]))
  print_remarks(nrow(rows) - nrow(head), setdiff(names(rows), columns), !identical(head, whole))
  writeLines(as.character(declared$footing(x, digits)))
  invisible(x)
}

# Checks the arguments that all print methods share.
check_printing <- function(digits, n, ...) {
  no_other_arguments(...)
  if (!is.null(digits)) check_count(digits, "digits")
  if (!is.null(n) && !identical(n, Inf)) check_count(n, "n")
}

print_remarks <- function(more, hidden, shortened) {
  if (more > 0) {
    cat("... and ", count_of(more, "more row"), ": print(n = ) shows more, as.data.frame() has ",
        "all.\n", sep = "")
  }
  if (shortened) cat("Long names are shortened: as.data.frame() has them whole.\n")
  if (length(hidden)) {
    writeLines(strwrap(paste("More columns:", paste(hidden, collapse = ", ")), exdent = 2))
  }
}

# The two sides are shortened together, so that a name on both is shortened in the same way.
shortened_rows <- function(rows, columns, most) {
  sides <- lapply(list(c("model_x", "model_y"), c("x", "y")), intersect, columns)
  for (group in Filter(length, c(sides, as.list(setdiff(columns, unlist(sides)))))) {
    # names shorter than the title of their column would save no room
    least <- max(most, min(nchar(group)))
    long <- unlist(lapply(rows[group], as.character), use.names = FALSE)
    long <- unique(stats::na.omit(long))
    short <- stats::setNames(short_labels(long, least), long)
    rows[group] <- lapply(rows[group], function(column) unname(short[as.character(column)]))
  }
  rows
}

# The columns that tell bound results apart are printed first.
display_order <- function(x) union(source_columns(x), names(x))

# The columns that fit on a line, and those that are printed at any width.
fitting_columns <- function(rows, priority, digits) {
  if (!length(rows) || !nrow(rows)) return(priority$all)
  width <- line_widths(rows, priority$all, digits)
  priority$all[width < getOption("width") | priority$all %in% priority$named]
}

# The width of the line up to the end of each column.
line_widths <- function(rows, columns, digits) {
  each <- vapply(rows[columns], function(column) {
    max(nchar(format(column, digits = digits), "width"), 0)
  }, 0)
  max(nchar(rownames(rows), "width")) + cumsum(1 + pmax(each, nchar(columns, "width")))
}

# Where both sides of all rows are samples, nothing is printed of it.
without_samples_only <- function(x) {
  if (is.null(x$complete) || any(x$complete != "none")) x else x[setdiff(names(x), "complete")]
}

undefined_of <- function(values) {
  undefined <- sum(is.na(values))
  if (undefined) paste0(", ", undefined, " undefined (NA)")
}
