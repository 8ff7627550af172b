# Small inputs for calibrations, the columns of the result, and a run with a seed of its own.

calibration_columns <- c("x", "y", "measure", "score", "threshold", "calibrated", "p_value",
                         "null_mean", "null_sd", "permutations", "engine")

small_pair <- function(n = 24, seed = 91, noise = 1) {
  set.seed(seed)
  x <- normal_matrix(n, 4)
  list(x = x, y = x[, 1:3] + noise * normal_matrix(n, 3))
}

small_grid <- function(seed = 92, n = 24) {
  set.seed(seed)
  stimuli <- normal_matrix(n, 3)
  layer <- function(q) stimuli %*% normal_matrix(3, q) + 2 * normal_matrix(n, q)
  list(x = list(a = layer(5), b = layer(8), c = layer(3)), y = list(d = layer(4), e = layer(9)))
}

same_run <- function(..., seed = 5) {
  set.seed(seed)
  quietly(calibrate(...))
}
