# A grid of layers in files, of which a few are held at a time, beside the same grid in memory:
#   Rscript bench/files.R [layers=20] [rows=20000] [columns=512] [held=4] [measure=cka] [sets=1]
#     [workers=2]
# Processor time of similarity() within the layers (all pairs), of the files and of matrices, each
# in a process of its own, with the peak of its memory (Linux only). With workers= also the time
# that passes without and with so many workers (multisession), of the files; it needs a processor
# for each. The files (0.8 GB by default) go to the temporary folder.

suppressPackageStartupMessages(library(repalign))
here <- if (dir.exists("bench")) "bench" else "."
source(file.path(here, "arguments.R"))

layers <- setting("layers", 20L)
n <- setting("rows", 20000L)
d <- setting("columns", 512L)
count <- setting("held", 4L)
workers <- setting("workers", 0L)
measure <- sub("^measure=", "", c(grep("^measure=", given, value = TRUE), "measure=cka")[1])

# ---- the child: one task, whose times and peak are the result

peak <- function() {
  line <- grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE)
  as.double(gsub("[^0-9]", "", line)) / 1024
}

processor_time <- function() sum(proc.time()[1:2])

task <- grep("^task=", given, value = TRUE)
if (length(task)) {
  call <- readRDS(sub("^task=", "", task))
  if (call$workers > 0) {
    future::plan("multisession", workers = call$workers)
    # they load the package before the time is taken
    invisible(future.apply::future_lapply(seq_len(call$workers), function(k) Sys.sleep(2),
                                          future.packages = "repalign"))
  }
  began <- proc.time()[["elapsed"]]
  started <- processor_time()
  x <- call$folder
  if (call$what == "matrices") x <- read_representation(x) else {
    options(repalign.max_memory = call$limit)
  }
  read <- processor_time()
  value <- similarity(x, measure = measure, threads = 1)
  saveRDS(list(reading = read - started, seconds = processor_time() - started, peak = peak(),
               passed = proc.time()[["elapsed"]] - began, value = value), sub("^task=", "", task))
  quit(status = 0)
}

run_child <- function(what, folder, limit, workers = 0) {
  file <- tempfile()
  saveRDS(list(what = what, folder = folder, limit = limit, workers = workers), file)
  status <- system2(file.path(R.home("bin"), "Rscript"),
                    c(file.path(here, "files.R"), paste0("task=", file),
                      paste0("measure=", measure)))
  if (status != 0) stop("The process ended with an error.")
  readRDS(file)
}

# ---- the files

make_files <- function() {
  folder <- tempfile("layers")
  dir.create(folder)
  text <- sprintf("{'descr': '<f4', 'fortran_order': True, 'shape': (%d, %d), }", n, d)
  header <- c(as.raw(c(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0)),
              charToRaw(paste0(text, strrep(" ", 117 - nchar(text)), "\n")))
  latent <- matrix(rnorm(n * 20), n)
  for (layer in seq_len(layers)) {
    data <- latent %*% matrix(rnorm(20 * d), 20) + rnorm(n * d)
    open <- file(file.path(folder, paste0("layer", layer, ".npy")), "wb")
    writeBin(header, open)
    writeBin(as.vector(data), open, size = 4)
    close(open)
  }
  folder
}

set.seed(1)
folder <- make_files()
limit <- 8 * count * (n * d + d^2)
# in turn, and the least of each, because other work on the machine only adds
runs <- lapply(seq_len(setting("sets", 1L)), function(set) {
  list(matrices = run_child("matrices", folder, limit), files = run_child("files", folder, limit),
       workers = if (workers > 0) run_child("files", folder, limit, workers))
})
unlink(folder, recursive = TRUE)
least <- function(what, part) min(vapply(runs, function(run) run[[what]][[part]], 0))
whole <- least("matrices", "seconds")
grid <- min(vapply(runs, function(run) run$matrices$seconds - run$matrices$reading, 0))
tiles <- least("files", "seconds")

cat(layers, "layers of", n, "x", d, "by", measure, "with room for", count, "\n")
print(data.frame(of = c("matrices", "of this the grid", "files"), seconds = c(whole, grid, tiles),
                 peak_mb = c(least("matrices", "peak"), NA, least("files", "peak"))),
      digits = 3, row.names = FALSE)
cat("files / matrices:", format(tiles / whole, digits = 3), "  files / grid:",
    format(tiles / grid, digits = 3), "\n")
cat("equal to the bit:", identical(runs[[1]]$matrices$value, runs[[1]]$files$value), "\n")
if (workers > 0) {
  cat("time without / with", workers, "workers:",
      format(least("files", "passed") / least("workers", "passed"), digits = 3),
      "  equal to the bit:", identical(runs[[1]]$files$value, runs[[1]]$workers$value), "\n")
}
