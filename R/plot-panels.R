# These functions decide in which panel a row is drawn, and in which order names stand.

need_rows <- function(object, arg = "object") {
  if (nrow(object)) return(invisible(object))
  abort("There is nothing to draw: `", arg, "` has no rows.", class = "repalign_error_size",
        arg = arg)
}

# The rows of some measures; all rows when `measure` is NULL.
rows_of_measure <- function(object, measure) {
  if (is.null(measure)) return(object)
  measure <- check_choice(measure, unique(as.character(object$measure)), "measure", several = TRUE)
  object[object$measure %in% measure, ]
}

# A factor that says from which of several bound results each row is; it has one level if there is
# only one result.
row_sources <- function(object) {
  # the layers that a maximum selects do not name its row
  if (grid_of(object)$aggregate) object[c("x", "y")] <- NA_character_
  rows <- as.data.frame(object)
  columns <- source_columns(object)
  refuse_twice(object, rows, columns)
  columns <- Filter(function(column) length(unique(rows[[column]])) > 1, columns)
  if (!length(columns)) return(factor(rep("all", nrow(rows))))
  ordered_text(lapply(columns, function(column) source_text(rows[[column]], column)), ", ")
}

# The text of a source. Words speak for themselves; numbers and the like need the name of their
# column.
source_text <- function(values, column) {
  words <- is.character(values) || is.factor(values)
  order <- if (words) value_order(values) else sort(unique(values))
  text <- function(v) if (words) as.character(v) else paste(column, v)
  unknown <- paste0("(no ", column, ")")
  all <- factor(ifelse(is.na(values), unknown, text(values)), c(text(order), unknown))
  droplevels(all)
}

refuse_twice <- function(object, rows, columns) {
  kind <- intersect(class(object), names(key_columns))[1]
  key <- intersect(key_columns[[kind]], names(rows))
  refuse_same_place(rows[c(key, columns)], rows[key])
}

# Refuses rows that would be drawn over each other. places: a data frame whose rows differ when rows
# are drawn in different places; names: the columns by which the message names a row.
refuse_same_place <- function(places, names) {
  twice <- anyDuplicated(places)
  if (!twice) return(invisible())
  same <- do.call(paste, c(lapply(places, as.character), sep = "\r"))
  abort("`object` has two rows of ", dQuote(key_text(names[twice, , drop = FALSE]), FALSE),
        " (rows ", match(same[twice], same), " and ", twice, "), which would be drawn in one ",
        "place: say which result each is from, as in rbind(first = a, second = b) or ",
        "dplyr::bind_rows(first = a, second = b, .id = \"result\"), or take the rows of one ",
        "result.", class = "repalign_error_rows", arg = "object")
}

key_text <- function(row) {
  paste(stats::na.omit(vapply(row, as.character, "")), collapse = " | ")
}

# The values in the order in which they are drawn: that of the levels of a factor, otherwise that of
# their first appearance.
value_order <- function(values) {
  if (is.factor(values)) levels(values) else unique(values[!is.na(values)])
}

# Pastes columns into one factor; missing parts are left out. If one of the columns is a factor, the
# levels are sorted by the first column, then by the second and so on; otherwise they stand in order
# of appearance.
ordered_text <- function(columns, separator) {
  columns <- unname(columns)
  parts <- lapply(columns, as.character)
  text <- vapply(seq_along(parts[[1]]), function(i) {
    paste(stats::na.omit(vapply(parts, `[`, "", i)), collapse = separator)
  }, "")
  if (!any(vapply(columns, is.factor, NA))) return(factor(text, unique(text)))
  rank <- lapply(columns, function(column) match(as.character(column), value_order(column)))
  factor(text, unique(text[do.call(order, rank)]))
}

# Returns list(x, y): the names of both sides, as factors with the same levels.
side_names <- function(rows, aggregate) {
  part <- stacked(rows$x, rows$y)
  model <- if (!is.null(rows$model_x)) stacked(rows$model_x, rows$model_y)
  whole <- aggregate | is.na(rep(rows$x, 2)) | is.na(rep(rows$y, 2))
  if (is.null(model)) {
    part <- as_text_where(part, whole, rep(c("x", "y"), each = nrow(rows)))
  } else {
    part[whole] <- NA
  }
  names <- ordered_text(if (is.null(model)) list(part) else list(model, part), "/")
  here <- seq_len(nrow(rows))
  list(x = names[here], y = names[-here])
}

as_text_where <- function(values, where, text) {
  if (!any(where)) return(values)
  values <- as.character(values)
  values[where] <- text[where]
  values
}

# Two columns one below the other; factors keep the order of their levels.
stacked <- function(a, b) {
  both <- c(as.character(a), as.character(b))
  if (!is.factor(a) && !is.factor(b)) return(both)
  factor(both, unique(c(value_order(a), value_order(b))))
}

# Returns list(panel, columns): the panel of each row as a factor, and how many panels stand side by
# side.
panels_of <- function(source, measure) {
  several <- c(nlevels(droplevels(source)), nlevels(droplevels(measure))) > 1
  parts <- list(source, measure)
  panel <- ordered_text(if (all(several)) parts else if (several[1]) parts[1] else parts[2], "\n")
  columns <- if (all(several)) nlevels(measure) else ceiling(sqrt(nlevels(panel)))
  list(panel = panel, columns = min(columns, 4))
}
