# Rscript tools/run-tests.R FOLDER [all]
# Runs the tests of the package installed in FOLDER/lib, all or those of tools/sanitized-tests.tsv,
# which together reach all of its C code that any test reaches. Several such processes share the
# files (run_tests in tools/common.sh): each takes the next one that none has taken. Writes, at its
# end, FOLDER/counts.PROCESS: passed, failed, skipped, warned. Prints the processor time of its
# longest files. Status 1 when a test failed.

args <- commandArgs(trailingOnly = TRUE)
dir <- args[1]
.libPaths(c(file.path(dir, "lib"), .libPaths()))
library(testthat)
library(repalign)

source("tools/test-blocks.R")
all <- "all" %in% args
chosen <- if (!all) read_chosen()
if (!all) stop_unless_reached(chosen)

# Counts each expectation as test_check() does in R CMD check. (The data frame
# that test_dir() returns leaves out what is skipped outside of test_that().)
counter <- R6::R6Class("counter", inherit = Reporter, public = list(
  counts = c(passed = 0, failed = 0, skipped = 0, warned = 0),
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

# The largest files first, since they are most often the longest ones: none of them is begun last.
tests <- file.path(dir, "repalign", "tests", "testthat")
files <- list.files(tests, "^test-.*[.]R$")
files <- files[order(-file.size(file.path(tests, files)))]
words <- sub("^test-(.*)[.]R$", "\\1", files)
if (!all) words <- words[words %in% chosen$file]
# Only one process can make a folder.
take <- function(word) dir.create(file.path(dir, "taken", word), showWarnings = FALSE)

env <- if (all) test_env("repalign") else block_environment(run_chosen)
seconds <- numeric()
for (word in words) {
  if (!take(word)) next
  cat(word, "")
  before <- proc.time()
  # Messages that a test does not ask for are none of its results.
  suppressMessages(test_dir(
    tests, package = "repalign", filter = paste0("^", word, "$"), env = env,
    load_helpers = !length(seconds), stop_on_failure = FALSE,
    reporter = MultiReporter$new(list(CheckReporter$new(), where, counter))))
  spent <- proc.time() - before
  seconds[word] <- sum(spent[c("user.self", "sys.self")])
}

cat(sprintf("%.0f s of processor time; the longest files:\n", sum(seconds)))
longest <- utils::head(sort(seconds, decreasing = TRUE), 12)
writeLines(sprintf("%7.1f  %s", longest, names(longest)))

# Tests that have another name now were left out.
if (!all) stop_unless_reached(chosen[met, ])
writeLines(paste(counter$counts, collapse = " "), file.path(dir, paste0("counts.", Sys.getpid())))
quit(status = as.integer(counter$counts["failed"] > 0))
