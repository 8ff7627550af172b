# Rscript tools/fuzz-files.R [files] [first seed] [folder]
#
# Reads mutated .npy, .npz, .safetensors, .mat, .csv, NIfTI and NWB files: each must end in a matrix
# of doubles, no larger than its file allows (of NWB: in tables), or in an error of class
# repalign_error. File number i is made from the seed first + i - 1 and from nothing else. What is
# wrong is printed with its seed, and the file is kept in `folder` (.build/fuzz-files). No single piece of memory may be larger than 4 MB,
# since the files that are mutated are at most 12 KB, and deflated data grow by at most 1032.
# `make fuzz` runs this under sanitizers.

library(repalign)
for (helper in c("files", "nifti", "nwb")) {
  source(file.path("tests", "testthat", paste0("helper-", helper, ".R")))
}
Sys.setenv(LANGUAGE = "en")
options(warn = 1)

arguments <- commandArgs(trailingOnly = TRUE)
count <- if (length(arguments) > 0) as.integer(arguments[1]) else 10000L
first <- if (length(arguments) > 1) as.integer(arguments[2]) else 1L
folder <- if (length(arguments) > 2) arguments[3] else file.path(".build", "fuzz-files")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)

files <- seed_files(file.path("tests", "testthat", "fixtures"), nwb = TRUE)
invisible(loadNamespace("jsonlite"))
profiled <- isTRUE(capabilities("profmem"))
allocations <- file.path(folder, "allocations")
outcomes <- c(read = 0L, refused = 0L, wrong = 0L)

for (seed in first + seq_len(count) - 1L) {
  set.seed(seed)
  at <- sample(length(files), 1)
  bytes <- if (names(files)[at] == ".nwb") odd_nwb_bytes() else mutate_bytes(files[[at]])
  # stays behind when the process dies
  path <- file.path(folder, paste0("file", Sys.getpid(), names(files)[at]))
  if (seed == first && profiled) utils::Rprofmem(allocations, threshold = 4 * 2^20)
  wrong <- tryCatch(read_mutated(bytes, names(files)[at], path),
                    error = function(e) paste("the check failed:", conditionMessage(e)))
  kind <- if (is.null(wrong)) "read" else if (identical(wrong, refused)) "refused" else "wrong"
  outcomes[kind] <- outcomes[kind] + 1L
  if (kind == "wrong") {
    cat("seed ", seed, " (", names(files)[at], "): ", wrong, "\n", sep = "")
    file.copy(path, file.path(folder, paste0("seed-", seed, names(files)[at])), overwrite = TRUE)
  }
}

large <- 0L
if (profiled) {
  utils::Rprofmem(NULL)
  # "new page": R itself takes memory for small vectors by the page
  large <- length(grep("^[0-9]", readLines(allocations)))
}
cat(sprintf("%d files: %d read, %d refused, %d wrong; %s\n", count, outcomes[["read"]],
            outcomes[["refused"]], outcomes[["wrong"]],
            if (profiled) paste(large, "allocations above 4 MB") else "memory not profiled"))
# a fuzz that only ever damages the first bytes, or nothing, tells little
lazy <- count >= 1000 && min(outcomes[c("read", "refused")]) < 0.05 * count
if (lazy) cat("Nearly all files were read, or nearly all refused.\n")
quit(status = as.integer(outcomes[["wrong"]] > 0 || large > 0 || lazy))
