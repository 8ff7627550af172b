# Rscript tools/coverage.R FOLDER
# Runs the tests on the package in FOLDER/repalign, compiled to count what runs, and prints which
# share of the lines of each file of R/ and src/ ran. The lines that did not are in
# FOLDER/uncovered.txt. What processes of their own run is not counted.

dir <- commandArgs(trailingOnly = TRUE)[1]
source <- file.path(dir, "repalign")

# covr counts in functions that the namespace names. Functions that stand in lists and environments
# (what a measure declares) have to be found, too: this is run before the tests.
count_in_lists <- function(namespace) {
  counted <- function(value) {
    if (is.function(value)) {
      if (is.primitive(value) || is.null(attr(value, "srcref"))) return(value)
      return(covr:::trace_calls(value, "in a list"))
    }
    if (is.list(value) && !is.object(value)) value[] <- lapply(value, counted)
    value
  }
  into <- function(environment, only_lists) {
    for (name in ls(environment, all.names = TRUE)) {
      value <- get(name, envir = environment, inherits = FALSE)
      if (is.environment(value)) {
        if (!isNamespace(value) && !environmentName(value) %in% c("R_GlobalEnv", "base"))
          into(value, FALSE)
      } else if (is.list(value) || (is.function(value) && !only_lists)) {
        locked <- bindingIsLocked(name, environment)
        if (locked) unlockBinding(name, environment)
        assign(name, counted(value), envir = environment)
        if (locked) lockBinding(name, environment)
      }
    }
  }
  into(namespace, TRUE)
}

run <- c(
  "library(repalign)",
  paste0("(", paste(deparse(count_in_lists), collapse = "\n"), ")(asNamespace(\"repalign\"))"),
  # tests that fail are a matter of "make test": what they ran is counted all the same
  paste0("try(testthat::test_dir(", deparse(file.path(source, "tests", "testthat")),
         ", package = \"repalign\", load_package = \"installed\", reporter = \"summary\",",
         " stop_on_failure = FALSE))")
)

# -O0: one line of source, one count. atomic: threads count, too.
options(covr.flags = c(CFLAGS = "-O0 --coverage -fprofile-update=atomic", LDFLAGS = "--coverage"))
coverage <- covr::package_coverage(source, type = "none", quiet = FALSE, clean = FALSE, code = run,
                                   install_path = file.path(dir, "lib"))

lines <- as.data.frame(covr::tally_coverage(coverage))
by_file <- split(lines, lines$filename)
table <- data.frame(
  lines = vapply(by_file, nrow, 0L),
  uncovered = vapply(by_file, function(file) sum(file$value == 0), 0L)
)
for (language in c("R", "C")) {
  part <- table[startsWith(rownames(table), c(R = "R/", C = "src/")[[language]]), ]
  share <- function(part) sprintf("%.1f %%", 100 * (1 - sum(part$uncovered) / sum(part$lines)))
  cat("\n== ", language, ": ", share(part), " of ", sum(part$lines), " lines; files below 100 %:\n",
      sep = "")
  part <- part[order(-part$uncovered), ]
  for (file in rownames(part)[part$uncovered > 0])
    cat(sprintf("%-36s %5d lines, %4d uncovered (%s)\n", file, part[file, "lines"],
                part[file, "uncovered"], share(part[file, ])))
}

uncovered <- lines[lines$value == 0, ]
uncovered <- uncovered[order(uncovered$filename, uncovered$line), ]
text <- vapply(seq_len(nrow(uncovered)), function(i) {
  trimws(readLines(file.path(source, uncovered$filename[i]))[uncovered$line[i]])
}, "")
report <- file.path(dir, "uncovered.txt")
writeLines(sprintf("%s:%d: %s", uncovered$filename, as.integer(uncovered$line), text), report)
cat("\nUncovered lines: ", report, "\n", sep = "")
