# Read by the scripts that run tests block by block (a block is a test_that()) or choose among them.

chosen_file <- "tools/sanitized-tests.tsv"

read_chosen <- function() {
  utils::read.delim(chosen_file, quote = "", comment.char = "#", colClasses = "character")
}

# entries: the entry points that the test reaches, with blanks between.
write_chosen <- function(table) {
  stopifnot(!grepl("\t", table$test))
  head <- c("# The tests that run under sanitizers, and the entry points that each reaches: written by",
            "# `make choose-sanitized`, which has them from what the C code notes while all tests run.")
  lines <- do.call(paste, c(table[order(table$file), c("file", "test", "entries")], sep = "\t"))
  writeLines(c(head, "file\ttest\tentries", lines), chosen_file)
}

# Every entry point of the C code is reached by one of the tests of the table.
stop_unless_reached <- function(table) {
  text <- paste(readLines("src/entries.h"), collapse = "\n")
  calls <- regmatches(text, gregexpr("ENTRY\\([a-z_0-9]+, [0-9]", text))[[1]]
  entries <- sub("ENTRY\\((.*),.*", "\\1", calls)
  lost <- setdiff(entries, unlist(strsplit(table$entries, " ")))
  if (length(lost)) {
    stop("no test of ", chosen_file, " reaches these entry points: ", paste(lost, collapse = ", "),
         ". `make choose-sanitized` writes it anew.", call. = FALSE)
  }
}

# Keeps the word of the file's name, "forms" of test-forms.R, while its tests run.
file_reporter <- R6::R6Class("file_reporter", inherit = testthat::Reporter, public = list(
  file = "", start_file = function(file) self$file <- sub("^test-(.*)[.][rR]$", "\\1", basename(file))
))

# An environment for test files in which test_that() calls f(test, run), where run() runs the block
# as testthat does.
block_environment <- function(f) {
  environment <- testthat::test_env("repalign")
  environment$test_that <- function(desc, code) {
    call <- as.call(list(testthat::test_that, desc, substitute(code)))
    caller <- parent.frame()
    f(desc, function() eval(call, caller))
  }
  environment
}
