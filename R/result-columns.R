# Which columns tell the rows of bound results apart, and what score_matrix() and the pictures must
# know of a grid.

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

free_name <- function(name, taken) {
  candidates <- c(name, paste0(name, "_", seq_along(taken) + 1))
  setdiff(candidates, taken)[1]
}

# The settings that a calibration was made with. They are an attribute, which operations that make a
# new data frame may lose.
settings_of <- function(calibration) {
  settings <- attr(calibration, "settings")
  if (is.null(settings)) {
    abort("This calibration has lost what is kept beside its rows (its null scores, `alpha` and ",
          "`variant`): start again from what calibrate() returned, or use as.data.frame() of it.",
          class = "repalign_error_type", arg = "calibration")
  }
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
