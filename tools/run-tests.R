# Rscript tools/run-tests.R FOLDER [all]
# Runs the tests of the package installed in FOLDER/lib, all or those that reach its C code, and
# writes FOLDER/counts: passed, failed, skipped, warned; and FOLDER/seconds: the processor time of
# each file, of which it prints the longest. Status 1 when a test failed.

args <- commandArgs(trailingOnly = TRUE)
dir <- args[1]
.libPaths(c(file.path(dir, "lib"), .libPaths()))

# Test files about R alone. They call C as well, but with plain data and in ways in which other
# files call it; R CMD check runs them.
about_r <- c(
  "bind", "interval", "print", "messages", "results",                   # tables, their words
  "plot-analysis", "plot-calibration", "plot-labels", "plot-similarity", "plot-square",
  "identifier", "trials", "spike-counts", "as-rdm",                     # input
  "compare-scores", "plan-recording", "analysis-ceiling",               # of finished scores
  "benchmark", "benchmark-rank", "benchmark-reference",
  "rsa-regression", "rdm-rows",                                         # matrix products of R
  "simulate", "simulate-networks",                                      # made-up data
  "parallel",                     # processes: what they compute is that of "tiles"
  "error-rates"                   # many small calibrations, like those of "null-law"
)
folder <- file.path(dir, "repalign", "tests", "testthat")
lost <- about_r[!file.exists(file.path(folder, paste0("test-", about_r, ".R")))]
if (length(lost)) stop("no such test files: ", paste(lost, collapse = ", "))

# Counts each expectation as test_check() does in R CMD check. (The data frame
# that test_dir() returns leaves out what is skipped outside of test_that().)
counter <- R6::R6Class("counter", inherit = testthat::Reporter, public = list(
  counts = c(passed = 0, failed = 0, skipped = 0, warned = 0),
  seconds = numeric(), file = "", before = NULL,
  start_file = function(file) {
    self$file <- file
    self$before <- proc.time()
  },
  end_file = function() {
    spent <- proc.time() - self$before
    self$seconds[self$file] <- sum(spent[c("user.self", "sys.self")])
  },
  add_result = function(context, test, result) {
    kind <- switch(class(result)[1], expectation_success = "passed",
                   expectation_skip = "skipped", expectation_warning = "warned", "failed")
    self$counts[kind] <- self$counts[kind] + 1
  }
))$new()

testthat::test_dir(
  folder, filter = if (!"all" %in% args) paste0("^(", paste(about_r, collapse = "|"), ")$"),
  invert = TRUE,
  package = "repalign", load_package = "installed", stop_on_failure = FALSE,
  reporter = testthat::MultiReporter$new(list(testthat::SummaryReporter$new(), counter)))

seconds <- sort(counter$seconds, decreasing = TRUE)
writeLines(sprintf("%7.1f  %s", seconds, names(seconds)), file.path(dir, "seconds"))
cat(sprintf("%.0f s of processor time; the longest files:\n", sum(seconds)))
writeLines(utils::head(readLines(file.path(dir, "seconds")), 12))

writeLines(paste(counter$counts, collapse = " "), file.path(dir, "counts"))
quit(status = as.integer(counter$counts["failed"] > 0))
