# The columns of results: which are their own, which name a row, and which tell bound results
# apart; and what results keep beside their rows.

# The columns that each kind of result has of its own.
core_columns <- list(
  repalign_similarity = c("model_x", "model_y", "x", "y", "measure", "score", "n"),
  repalign_calibration = c("model_x", "model_y", "x", "y", "measure", "score", "threshold",
                           "calibrated", "p_value", "null_mean", "null_sd", "permutations",
                           "engine", "p_adjusted"),
  repalign_analysis = c("x", "y", "neurons", "estimator", "pooled", "pooled_se", "conf_low",
                        "conf_high", "mean", "median", "q25", "q75", "undefined", "n_estimates"),
  repalign_interval = c("estimator", "cka", "se", "conf_low", "conf_high", "h_xy", "h_xx", "h_yy",
                        "bias", "df")
)

# Which of the core columns name a row.
key_columns <- list(
  repalign_similarity = c("model_x", "model_y", "x", "y", "measure"),
  repalign_calibration = c("model_x", "model_y", "x", "y", "measure"),
  repalign_analysis = c("x", "y", "neurons", "estimator"),
  repalign_interval = "estimator"
)

# What is known of all rows and is no column.
kept_attributes <- list(
  repalign_similarity = c("within", "symmetric", "direction", "best"),
  repalign_calibration = c("null_scores", "settings", "grid"),
  repalign_analysis = "parts",
  repalign_interval = "conf_level"
)

kind_words <- c(repalign_similarity = "similarities", repalign_calibration = "calibrations",
                repalign_analysis = "analyses", repalign_interval = "intervals")

result_kind <- function(object) intersect(class(object), names(core_columns))[1]

# The further columns that say which of several bound results a row is from: all that hold words
# (such as the `.id` of dplyr::bind_rows()), and others as far as they are needed to tell rows
# apart.
source_columns <- function(object) {
  kind <- result_kind(object)
  # a plain data frame: what score_matrix() takes
  if (is.na(kind)) kind <- "repalign_calibration"
  rows <- as.data.frame(object)
  key <- intersect(key_columns[[kind]], names(rows))
  others <- setdiff(names(rows), core_columns[[kind]])
  words <- vapply(rows[others], function(column) is.character(column) || is.factor(column), NA)
  sources <- others[words]
  for (column in others[!words]) {
    if (!anyDuplicated(rows[c(key, sources)])) break
    if (is.atomic(rows[[column]])) sources <- c(sources, column)
  }
  sources
}

# Rows of one source have one value here.
source_names <- function(rows, sources) {
  if (!length(sources)) return(rep("", nrow(rows)))
  do.call(paste, c(lapply(unname(rows[sources]), as.character), sep = " | "))
}

# In the order of the levels of a factor, else of appearance.
label_levels <- function(column) {
  if (is.factor(column)) intersect(levels(column), as.character(column)) else
    as.character(unique(column))
}

kept_beside_rows <- function(object) {
  names <- kept_attributes[[result_kind(object)]]
  stats::setNames(lapply(names, function(name) attr(object, name, exact = TRUE)), names)
}

with_kept <- function(rows, kept) {
  for (name in names(kept)) attr(rows, name) <- kept[[name]]
  rows
}

split_by_name <- function(values) {
  split(unname(values), factor(names(values), unique(names(values))))
}

# The value of each name; NA where there are different ones.
common_by_name <- function(values) {
  found <- values[!duplicated(names(values))]
  unlike <- vapply(names(found), function(name) {
    length(unique(values[names(values) == name])) > 1
  }, NA)
  found[unlike] <- NA
  found
}

# An interval must mean one thing in all of its rows.
one_level <- function(levels) {
  levels <- unique(levels)
  if (length(levels) > 1) {
    abort("Results with different `conf_level` (", format(levels[1]), " and ", format(levels[2]),
          ") cannot be put into one table, because `conf_low` and `conf_high` would mean ",
          "different things. Use the same `conf_level`, or bind as.data.frame() of each.",
          class = "repalign_error_value", arg = "conf_level")
  }
  levels
}

names_or_empty <- function(x) if (is.null(names(x))) rep("", length(x)) else names(x)

free_name <- function(name, taken) {
  candidates <- c(name, paste0(name, "_", seq_along(taken) + 1))
  setdiff(candidates, taken)[1]
}

# What was asked of calibrate(). Operations that make a new data frame may lose it.
settings_of <- function(calibration) {
  settings <- attr(calibration, "settings")
  if (is.null(settings)) {
    abort("This calibration has lost what is kept beside its rows (its null scores, `alpha` and ",
          "`variant`): start again from what calibrate() returned, or use as.data.frame() of it.",
          class = "repalign_error_type", arg = "calibration")
  }
  settings
}

# list(within, symmetric, aggregate): what a result knows of its grid.
grid_of <- function(result) {
  known <- if (inherits(result, "repalign_calibration")) attr(result, "grid") else
    list(within = attr(result, "within"), symmetric = attr(result, "symmetric"))
  list(within = isTRUE(known$within), symmetric = known$symmetric,
       aggregate = isTRUE(known$aggregate))
}
