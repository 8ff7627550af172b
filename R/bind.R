# Results that are bound together: what tells their rows apart.

# The columns that each kind of result has of its own.
core_columns <- list(
  repalign_similarity = c("model_x", "model_y", "x", "y", "measure", "score", "n"),
  repalign_calibration = c("model_x", "model_y", "x", "y", "measure", "score", "threshold",
                           "calibrated", "p_value", "null_mean", "null_sd", "permutations",
                           "engine", "p_adjusted"),
  repalign_analysis = c("x", "y", "neurons", "estimator", "pooled", "pooled_se", "conf_low",
                        "conf_high", "mean", "median", "q25", "q75", "undefined", "n_estimates"),
  repalign_interval = c("estimator", "cka", "se", "conf_low", "conf_high", "h_xy", "h_xx", "h_yy",
                        "bias")
)

# Which of the core columns name a row.
key_columns <- list(
  repalign_similarity = c("model_x", "model_y", "x", "y", "measure"),
  repalign_calibration = c("model_x", "model_y", "x", "y", "measure"),
  repalign_analysis = c("x", "y", "neurons", "estimator"),
  repalign_interval = "estimator"
)

# The further columns that say which of several bound results a row is from: all that hold words
# (such as the `.id` of dplyr::bind_rows()), and others as far as they are needed to tell rows apart.
source_columns <- function(object) {
  kind <- intersect(class(object), names(core_columns))[1]
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
