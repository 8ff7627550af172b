# Rscript tools/run-tests.R FOLDER [all]
# Runs the tests of the package installed in FOLDER/lib, all or those of tools/sanitized-tests.tsv,
# which together reach all of its C code that any test reaches. Writes FOLDER/counts: passed,
# failed, skipped, warned; and FOLDER/seconds: the processor time of each file, of which it prints
# the longest. Status 1 when a test failed.

args <- commandArgs(trailingOnly = TRUE)
dir <- args[1]
.libPaths(c(file.path(dir, "lib"), .libPaths()))

source("tools/test-blocks.R")
all <- "all" %in% args
chosen <- if (!all) read_chosen()
if (!all) stop_unless_reached(chosen)

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

where <- file_reporter$new()
met <- logical(NROW(chosen))
run_chosen <- function(test, run) {
  at <- chosen$file == where$file & chosen$test == test
  met <<- met | at
  if (any(at)) run()
}
testthat::test_dir(
  file.path(dir, "repalign", "tests", "testthat"), package = "repalign",
  filter = if (!all) paste0("^(", paste(unique(chosen$file), collapse = "|"), ")$"),
  env = if (!all) block_environment(run_chosen), load_package = "installed",
  stop_on_failure = FALSE,
  reporter = testthat::MultiReporter$new(list(testthat::SummaryReporter$new(), where, counter)))

seconds <- sort(counter$seconds, decreasing = TRUE)
writeLines(sprintf("%7.1f  %s", seconds, names(seconds)), file.path(dir, "seconds"))
cat(sprintf("%.0f s of processor time; the longest files:\n", sum(seconds)))
writeLines(utils::head(readLines(file.path(dir, "seconds")), 12))

# Tests that have another name now were left out.
if (!all) stop_unless_reached(chosen[met, ])
writeLines(paste(counter$counts, collapse = " "), file.path(dir, "counts"))
quit(status = as.integer(counter$counts["failed"] > 0))
