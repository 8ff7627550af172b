# Rscript tools/run-tests.R FOLDER
# Runs the tests of the package installed in FOLDER/lib and writes FOLDER/counts:
# passed, failed, skipped, warned. Status 1 when a test failed.

dir <- commandArgs(trailingOnly = TRUE)[1]
.libPaths(c(file.path(dir, "lib"), .libPaths()))

# Counts each expectation as test_check() does in R CMD check. (The data frame
# that test_dir() returns leaves out what is skipped outside of test_that().)
counter <- R6::R6Class("counter", inherit = testthat::Reporter, public = list(
  counts = c(passed = 0, failed = 0, skipped = 0, warned = 0),
  add_result = function(context, test, result) {
    kind <- switch(class(result)[1], expectation_success = "passed",
                   expectation_skip = "skipped", expectation_warning = "warned", "failed")
    self$counts[kind] <- self$counts[kind] + 1
  }
))$new()

testthat::test_dir(
  file.path(dir, "repalign", "tests", "testthat"),
  package = "repalign", load_package = "installed", stop_on_failure = FALSE,
  reporter = testthat::MultiReporter$new(list(testthat::SummaryReporter$new(), counter)))

writeLines(paste(counter$counts, collapse = " "), file.path(dir, "counts"))
quit(status = as.integer(counter$counts["failed"] > 0))
