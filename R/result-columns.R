# Which columns tell the rows of bound results apart, what their rows are called, and what
# score_matrix() and the pictures must know of a grid.

# The columns that say which of several bound results a row is from. These are all further columns
# that hold words, such as the `.id` of dplyr::bind_rows(), and other further columns as long as
# there are rows that cannot be told apart without them.
source_columns <- function(object) {
  rows <- as.data.frame(object)
  key <- key_columns(object)
  others <- setdiff(names(rows), columns_of(object)$name)
  words <- vapply(rows[others], function(column) is.character(column) || is.factor(column), NA)
  sources <- others[words]
  for (column in others[!words]) {
    if (!anyDuplicated(rows[c(key, sources)])) break
    if (is.atomic(rows[[column]])) sources <- c(sources, column)
  }
  sources
}

# The columns that name the tests of benchmarks.
usual_labels <- c("dataset", "architecture", "test")

test_columns <- function(rows) intersect(usual_labels, names(rows))

# What tells rows apart by all words and digits in some of their columns.
row_identities <- function(rows, columns) {
  values <- lapply(unname(unclass(rows)[columns]), function(column) {
    # %a writes all digits
    if (is.double(column)) sprintf("%a", column) else as.character(column)
  })
  do.call(paste, c(values, sep = "\r"))
}

# The name of the source of each row: its source columns pasted together.
source_names <- function(rows, sources) {
  if (!length(sources)) return(rep("", nrow(rows)))
  do.call(paste, c(lapply(unname(rows[sources]), as.character), sep = " | "))
}

# The different values in the order of the levels, or without levels in order of appearance.
label_levels <- function(column) {
  if (is.factor(column)) intersect(levels(column), as.character(column)) else
    as.character(unique(column))
}

names_or_empty <- function(x) if (is.null(names(x))) rep("", length(x)) else names(x)

# The settings that a calibration was made with. They are an attribute, which operations that make a
# new data frame may lose.
settings_of <- function(calibration) {
  settings <- attr(calibration, "settings")
  refuse_if(is.null(settings), "type", "This calibration has lost what is kept beside its rows ",
            "(its null scores, `alpha` and `variant`): start again from what calibrate() ",
            "returned, or use as.data.frame() of it.", arg = "calibration")
  settings
}

# Returns list(within, symmetric, aggregate): whether a list was compared with itself, which
# measures are symmetric, and whether the rows are aggregates over layers.
grid_of <- function(result) {
  known <- if (inherits(result, "repalign_calibration")) attr(result, "grid") else
    list(within = attr(result, "within"), symmetric = attr(result, "symmetric"))
  list(within = isTRUE(known$within), symmetric = known$symmetric,
       aggregate = isTRUE(known$aggregate))
}

# 1 for similarities and -1 for distances, of the labels of measures.
signs_of <- function(result, measure) {
  direction <- attr(result, "direction")
  known <- if (is.null(direction)) rep(NA, length(measure)) else direction[measure]
  refuse_if(anyNA(known), "rows", "`result` no longer says whether larger or smaller scores of ",
            "{dQuote(measure[is.na(known)][1], FALSE)} are better: start again from what ",
            "score_interval() returned.")
  unname(ifelse(known == "distance", -1, 1))
}

# The names of the representations of a side, with their models where there are any.
full_names <- function(rows, side) {
  model <- rows[[paste0("model_", side)]]
  name <- as.character(rows[[side]])
  if (is.null(model)) name else paste(model, name, sep = "/")
}

# Rows that were chosen by an index that is NA are NA as a whole, and say of nothing what it is.
refuse_nameless_rows <- function(rows, arg) {
  for (column in intersect(c("measure", "model", "term", "metric"), names(rows))) {
    lost <- which(is.na(rows[[column]]))
    if (!length(lost)) next
    refuse("rows", "`{arg}` has rows without a {column} (NA), first row {lost[1]}: leave them ",
           "out, as in {arg}[!is.na({arg}${column}), ].")
  }
  invisible(rows)
}

# Groups of rows with equal values in the columns, as a list of row numbers. The groups are in the
# order of the levels, or without levels in order of appearance.
row_groups <- function(rows, columns) {
  ranks <- lapply(unname(columns), function(column) {
    match(as.character(rows[[column]]), label_levels(rows[[column]]))
  })
  key <- do.call(paste, ranks)
  split(seq_len(nrow(rows)), factor(key, unique(key[do.call(order, ranks)])))
}
