# Counts of what happened, and what is kept of findings.

new_tally <- function(folder, first) {
  counts <- list(calls = integer(), results = integer(), errors = integer(), findings = integer())
  slowest <- list(seconds = 0, seed = NA)
  started <- proc.time()[[3]]
  early <- NULL
  at <- function(seed) {
    # read by who wants to know where a process died
    cat(seed, "\n", file = file.path(folder, paste0("seed-", first)))
    if (seed == first + 500) early <<- resident("VmRSS")
  }
  add <- function(drawn, outcome, found, seed) {
    counts$calls <<- plus_one(counts$calls, drawn$fun)
    if (is.null(outcome$error)) counts$results <<- plus_one(counts$results, drawn$fun)
    else counts$errors <<- plus_one(counts$errors, error_kind(outcome$error))
    for (text in unique(found)) {
      kind <- substr(gsub("[0-9.e-]*[0-9][0-9.e-]*", "#", text), 1, 150)
      counts$findings <<- plus_one(counts$findings, kind)
      if (counts$findings[kind] <= 5) keep_finding(folder, drawn, text, seed)
    }
    if (outcome$seconds > slowest$seconds) slowest <<- list(seconds = outcome$seconds, seed = seed)
  }
  report <- function() {
    print_counts(counts)
    cat(sprintf("Slowest call: %.1f s (seed %d)\n", slowest$seconds, slowest$seed))
    cat(sprintf("Memory: %.0f MB after 500 calls, %.0f MB at the end, peak %.0f MB\n",
                if (is.null(early)) NA else early, resident("VmRSS"), resident("VmHWM")))
    cat(sprintf("Elapsed: %.0f s\n", proc.time()[[3]] - started))
    write_counts(counts, file.path(folder, paste0("counts-", first)))
    share <- sum(counts$results) / sum(counts$calls)
    as.integer(length(counts$findings) > 0 || share < 0.8)
  }
  list(at = at, add = add, report = report)
}

plus_one <- function(counts, name) {
  counts[name] <- if (name %in% names(counts)) counts[name] + 1L else 1L
  counts
}

# In MB; NA where the system does not tell.
resident <- function(entry) {
  lines <- tryCatch(readLines("/proc/self/status"), error = function(e) character(),
                    warning = function(w) character())
  line <- grep(paste0("^", entry, ":"), lines, value = TRUE)
  if (length(line)) as.double(gsub("[^0-9]", "", line)) / 1024 else NA_real_
}

print_counts <- function(counts) {
  cat("\nFunction                     calls  results    share\n")
  row <- function(name, calls, results) {
    cat(sprintf("%-26s %7d  %7d  %6.1f%%\n", name, calls, results, 100 * results / calls))
  }
  for (name in names(counts$calls)) {
    row(name, counts$calls[name], max(counts$results[name], 0, na.rm = TRUE))
  }
  row("all", sum(counts$calls), sum(counts$results))
  for (what in c("errors", "findings")) {
    cat("\n", sum(counts[[what]]), " ", what, "\n", sep = "")
    for (name in names(sort(counts[[what]], decreasing = TRUE))) {
      cat(sprintf("%7d  %s\n", counts[[what]][name], name))
    }
  }
  cat("\n")
}

# what, name, count: for adding up over processes.
write_counts <- function(counts, file) {
  rows <- do.call(rbind, lapply(names(counts), function(what) {
    if (length(counts[[what]])) data.frame(what, names(counts[[what]]), unname(counts[[what]]))
  }))
  utils::write.table(rows, file, sep = "\t", quote = FALSE, row.names = FALSE, col.names = FALSE)
}

# A file with the call, to be run as it is, and the call itself with all its digits.
keep_finding <- function(folder, drawn, text, seed) {
  file <- file.path(folder, paste0("finding-", seed))
  saveRDS(drawn, paste0(file, ".rds"))
  code <- deparse(drawn$call, control = c("keepNA", "keepInteger", "niceNames", "digits17",
                                          "showAttributes"))
  writeLines(c(paste("#", text), "library(repalign)", sprintf("set.seed(%d)", seed), code),
             paste0(file, ".R"))
  shown <- substr(gsub("[[:space:]]+", " ", text), 1, 400)
  cat("Finding, seed ", seed, ", ", drawn$fun, "(): ", shown, "\n", sep = "")
}
