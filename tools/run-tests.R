# Rscript tools/run-tests.R FOLDER
# Runs the tests of the package installed in FOLDER/lib and writes FOLDER/counts:
# passed, failed, skipped, warned. Status 1 when a test failed.

dir <- commandArgs(trailingOnly = TRUE)[1]
.libPaths(c(file.path(dir, "lib"), .libPaths()))
results <- testthat::test_dir(file.path(dir, "repalign", "tests", "testthat"),
                              package = "repalign", load_package = "installed",
                              reporter = "summary", stop_on_failure = FALSE)

kinds <- unlist(lapply(results, function(test)
  vapply(test$results, function(result)
    sub("^expectation_", "", grep("^expectation_", class(result), value = TRUE)[1]), "")))
count <- function(...) sum(kinds %in% c(...))
counts <- c(count("success"), count("failure", "error"), count("skip"), count("warning"))
writeLines(paste(counts, collapse = " "), file.path(dir, "counts"))
quit(status = as.integer(counts[2] > 0))
