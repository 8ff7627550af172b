# Rscript tools/check-log.R 00check.log results.tsv [more to set aside]
# Counts three items of an R CMD check: no ERROR, no WARNING, no NOTE. Set aside
# is only what tells about this machine or a closed network, not the package.

args <- commandArgs(trailingOnly = TRUE)
log <- args[1]

harmless <- c(
  "^Maintainer: ", "^New submission$",
  "unable to verify current time",
  "^Skipping checking (HTML validation|math rendering)",
  "(Could|could) not resolve host|Timeout was reached|cannot open URL|^Found the following \\(possibly\\) invalid URLs",
  "^ *(URL|From|Status|Message): ",
  "checks? on size reduction of PDFs",
  args[-(1:2)]
)

lines <- if (file.exists(log)) readLines(log, warn = FALSE) else character()
finished <- any(grepl("^Status: ", lines))
found <- if (finished) tools::check_packages_in_dir_details(logs = log) else NULL
found <- as.data.frame(found, stringsAsFactors = FALSE)
found <- found[found$Status %in% c("ERROR", "WARNING", "NOTE"), , drop = FALSE]

is_harmless <- vapply(found$Output, function(output) {
  text <- trimws(strsplit(output, "\n")[[1]])
  text <- text[nzchar(text)]
  length(text) > 0 && all(grepl(paste(harmless, collapse = "|"), text))
}, NA)
is_harmless <- is_harmless & found$Status != "ERROR"
for (i in seq_len(nrow(found)))
  cat(sprintf("%s%s: checking %s\n%s\n", found$Status[i],
              if (is_harmless[i]) " (set aside)" else "", found$Check[i], found$Output[i]))
found <- found[!is_harmless, , drop = FALSE]

if (!finished) cat("R CMD check did not finish\n")
for (status in c("ERROR", "WARNING", "NOTE")) {
  good <- finished && !any(found$Status == status)
  cat(sprintf("R CMD check: no %s\t%d\t%d\t0\t0\n", status, good, !good),
      file = args[2], append = TRUE)
}
