# Rscript tools/choose-sanitized.R FOLDER
# Chooses the tests that `make sanitize` runs, so that they take little time and reach every place
# in the C code that any test reaches. Runs all tests of the package installed in FOLDER/lib, whose
# C code notes what runs (tools/choose-sanitized.sh), and writes tools/sanitized-tests.tsv.

dir <- commandArgs(trailingOnly = TRUE)[1]
.libPaths(c(file.path(dir, "lib"), .libPaths()))
dyn.load(file.path(dir, "trace.so"))
source("tools/test-blocks.R")

places_since <- function() .C("trace_take", integer(.C("trace_count", 0L)[[1]]))[[1]]

# ---- what each test reaches

found <- list()
where <- file_reporter$new()
note_block <- function(test, run) {
  places_since()
  before <- proc.time()
  run()
  spent <- proc.time() - before
  found[[length(found) + 1]] <<- list(file = where$file, test = test, places = places_since(),
                                      seconds = sum(spent[c("user.self", "sys.self")]))
}
testthat::test_dir(
  file.path(dir, "repalign", "tests", "testthat"), package = "repalign", load_package = "installed",
  env = block_environment(note_block), stop_on_failure = FALSE,
  reporter = testthat::MultiReporter$new(list(testthat::SummaryReporter$new(), where)))

# ---- the cheapest of them that reach all

# In turns, the test that reaches most of the missing places for its time; then those whose places
# the others reach as well are taken away, the slowest first.
choose <- function(found) {
  seconds <- vapply(found, `[[`, 0, "seconds") + 0.01     # a test has its costs beside C
  missing <- unique(unlist(lapply(found, `[[`, "places")))
  chosen <- integer()
  while (length(missing)) {
    new <- vapply(found, function(block) sum(block$places %in% missing), 0L)
    chosen <- c(chosen, which.max(new / seconds))
    missing <- setdiff(missing, found[[chosen[length(chosen)]]]$places)
  }
  times <- table(unlist(lapply(found[chosen], `[[`, "places")))
  for (i in chosen[order(-seconds[chosen])]) {
    own <- as.character(found[[i]]$places)
    if (any(times[own] == 1)) next
    times[own] <- times[own] - 1
    chosen <- setdiff(chosen, i)
  }
  sort(chosen)
}

# ---- which entry points these are

library <- file.path(dir, "lib", "repalign", "libs", "repalign.so")
symbols <- utils::read.table(text = system2("nm", c("-S", "--defined-only", library),
                                            stdout = TRUE),
                             fill = TRUE, col.names = c("address", "size", "type", "name"))
symbols <- symbols[grepl("^repalign_", symbols$name), ]
entry_start <- strtoi(symbols$address, 16)
entry_end <- entry_start + strtoi(symbols$size, 16)
entries_of <- function(places) {
  reached <- vapply(seq_along(entry_start), function(i) {
    any(places > entry_start[i] & places <= entry_end[i])
  }, NA)
  sort(sub("^repalign_", "", symbols$name[reached]))
}

saveRDS(found, file.path(dir, "found.rds"))
chosen <- choose(found)
seconds <- vapply(found, `[[`, 0, "seconds")
table <- data.frame(
  file = vapply(found[chosen], `[[`, "", "file"), test = vapply(found[chosen], `[[`, "", "test"),
  entries = vapply(found[chosen], function(block) paste(entries_of(block$places), collapse = " "),
                   ""))
write_chosen(table)
cat(sprintf("%d of %d tests, %.0f of %.0f s of processor time without sanitizers\n", nrow(table),
            length(found), sum(seconds[chosen]), sum(seconds)))
stop_unless_reached(table)
