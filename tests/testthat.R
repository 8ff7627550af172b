library(testthat)
library(repalign)

# CRAN's machines run the tests that take little time: these take most of it, and check laws and
# values that no other machine can change.
long <- c("analyses", "arguments", "benchmark", "calibrate", "compare-scores", "contract",
          "declared", "degenerate", "dependence", "distance", "error-rates", "estimators",
          "evaluation-chance", "extreme-units", "fft", "grid", "input", "jackknife", "knn", "laws",
          "map-tests", "moments", "neighbour-clusters", "noise-ceiling", "null-inputs", "null-law",
          "oracle", "parallel", "participation", "plot-analysis", "plot-calibration",
          "plot-similarity", "prepare", "rank", "ratio-correction", "read", "result-class",
          "rsa-regression", "same-number", "sampling", "score-interval", "searchlight",
          "simulate-manifolds", "simulate-networks", "tie-averages", "tiles")
if (identical(Sys.getenv("NOT_CRAN"), "true")) {
  test_check("repalign")
} else {
  test_check("repalign", filter = paste0("^(?!(", paste(long, collapse = "|"), ")$)"), perl = TRUE)
}
