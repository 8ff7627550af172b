# This file says which columns results have, which of them name a row, which columns tell bound
# results apart, and what results keep as attributes.

# The columns that the functions of this package give to each kind of result.
core_columns <- list(
  repalign_similarity = c("model_x", "model_y", "x", "y", "measure", "score", "n"),
  repalign_calibration = c("model_x", "model_y", "x", "y", "measure", "score", "threshold",
                           "calibrated", "p_value", "null_mean", "null_sd", "permutations",
                           "engine", "p_adjusted"),
  repalign_analysis = c("x", "y", "neurons", "estimator", "pooled", "pooled_se", "conf_low",
                        "conf_high", "ceiling", "ceiling_se", "disattenuated",
                        "disattenuated_se", "mean", "median", "q25", "q75", "undefined",
                        "n_estimates"),
  repalign_interval = c("estimator", "cka", "se", "conf_low", "conf_high", "h_xy", "h_xx", "h_yy",
                        "bias", "cka_corrected", "correction", "df"),
  repalign_benchmark = c("measure", "metric", "part", "target", "correlation", "value", "p_value",
                         "undefined", "test", "dataset", "architecture"),
  repalign_score_interval = c("model_x", "model_y", "x", "y", "measure", "score", "se", "df",
                              "conf_low", "conf_high", "method", "over", "n"),
  repalign_evaluation = c("model", "score", "se", "conf_low", "conf_high", "df", "p_zero",
                          "ceiling_low", "ceiling_high", "p_ceiling", "draws", "left_out"),
  repalign_comparison = c("contrast", "score_1", "score_2", "measure", "difference", "se", "df",
                          "statistic", "p_value", "p_adjusted", "conf_low", "conf_high",
                          "simultaneous_low", "simultaneous_high", "p_equivalence",
                          "p_noninferiority"),
  repalign_best = c("group", "best", "score", "conf_low", "conf_high", "in_set"),
  repalign_best_comparison = c("best_1", "best_2", "difference", "crossfit", "statistic",
                               "critical", "p_value"),
  repalign_regression = c("subject", "term", "estimate", "partial", "semipartial", "p_value",
                          "unique", "centered"),
  repalign_rdm_rows = c("subject", "model", "condition", "score", "contribution", "n")
)

# Those of the core columns that name a row.
key_columns <- list(
  repalign_similarity = c("model_x", "model_y", "x", "y", "measure"),
  repalign_calibration = c("model_x", "model_y", "x", "y", "measure"),
  repalign_analysis = c("x", "y", "neurons", "estimator"),
  repalign_interval = "estimator",
  repalign_benchmark = c("dataset", "architecture", "test", "measure", "metric", "part", "target",
                         "correlation"),
  repalign_score_interval = c("model_x", "model_y", "x", "y", "measure"),
  repalign_evaluation = "model",
  repalign_comparison = c("contrast", "score_1", "score_2", "measure"),
  repalign_best = "group",
  repalign_best_comparison = c("best_1", "best_2"),
  repalign_regression = c("subject", "term"),
  repalign_rdm_rows = c("subject", "model", "condition")
)

# The attributes of results, which hold for all rows together.
kept_attributes <- list(
  repalign_similarity = c("within", "symmetric", "direction", "best"),
  repalign_calibration = c("null_scores", "settings", "grid"),
  repalign_analysis = "parts",
  repalign_interval = "conf_level",
  repalign_benchmark = "scores",
  repalign_score_interval = c("conf_level", "deletions", "direction", "best"),
  repalign_evaluation = c("parts", "draws", "table", "outer", "resample", "folds", "conf_level",
                          "sizes", "group", "pictures"),
  repalign_comparison = c("conf_level", "adjust", "margin", "over", "no_interactions", "family"),
  repalign_best = c("conf_level", "members", "over", "no_interactions"),
  repalign_best_comparison = c("conf_level", "over", "sizes", "no_interactions"),
  repalign_regression = c("model", "group", "subjects", "response", "fit", "ridge",
                          "standardize", "alike"),
  repalign_rdm_rows = c("whole", "outer")
)

kind_words <- c(repalign_similarity = "similarities", repalign_calibration = "calibrations",
                repalign_analysis = "analyses", repalign_interval = "intervals",
                repalign_benchmark = "benchmarks",
                repalign_score_interval = "intervals of scores")

result_kind <- function(object) intersect(class(object), names(core_columns))[1]

# The columns that say which of several bound results a row is from. These are all further columns
# that hold words, such as the `.id` of dplyr::bind_rows(), and other further columns as long as
# there are rows that cannot be told apart without them.
source_columns <- function(object) {
  kind <- result_kind(object)
  # score_matrix() also takes plain data frames
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

# The value of each name; NA for a name with different values.
common_by_name <- function(values) {
  found <- values[!duplicated(names(values))]
  unlike <- vapply(names(found), function(name) {
    length(unique(values[names(values) == name])) > 1
  }, NA)
  found[unlike] <- NA
  found
}

# The level of confidence of bound results, which must be the same, because it is one attribute.
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
