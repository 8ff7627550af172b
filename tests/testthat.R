library(testthat)
library(repalign)

# The files that run only with REPALIGN_EXTENDED_TESTS = "true" (tests/README.md): they take most of
# the time, and check laws and values that no other machine can change.
long <- c("analyses", "arguments", "benchmark", "calibrate", "compare-scores", "consensus",
          "contract", "contributions",
          "declared", "degenerate", "dependence", "distance", "error-rates", "estimators",
          "evaluation-chance", "extreme-units", "fft", "grid", "input", "jackknife", "knn", "laws",
          "map-tests", "moments", "neighbour-clusters", "noise-ceiling", "null-inputs", "null-law",
          "oracle", "parallel", "participation", "plot-analysis", "plot-calibration",
          "plot-similarity", "prepare", "rank", "ratio-correction", "read", "result-class",
          "rsa-regression", "same-number", "sampling", "score-interval", "searchlight",
          "simulate-manifolds", "simulate-networks", "tie-averages", "tiles")
if (identical(Sys.getenv("REPALIGN_EXTENDED_TESTS"), "true")) {
  test_check("repalign")
} else {
  test_check("repalign", filter = paste0("^(?!(", paste(long, collapse = "|"), ")$)"), perl = TRUE)
}
