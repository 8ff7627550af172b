# stream_cka():
#   Rscript bench/stream.R [time] [errors] [rows=1000000] [columns=512] [compared=100000] [sets=400]
# errors: how far its standard errors are those of new stimuli, in simulations.
# time: two .npy files that do not fit into memory. The time beside reading both files and one
# product, and the peak of memory, each in a process of its own (Linux only); then the numbers
# beside those of cka() for the first `compared` rows. The files (2 GB each) go to the temporary
# folder.

suppressPackageStartupMessages(library(repalign))
here <- if (dir.exists("bench")) "bench" else "."
source(file.path(here, "timing.R"))
source(file.path(here, "arguments.R"))

n <- setting("rows", 1000000L)
d <- setting("columns", 512L)
compared <- min(n, setting("compared", 100000L))
at_once <- 8192

# ---- the child: one task, whose seconds and peak are the result

read_and_multiply <- function(files) {
  total <- 0
  for (start in seq(1, n, by = at_once)) {
    rows <- start:min(start + at_once - 1, n)
    total <- total + crossprod(read_representation(files[1], rows = rows),
                               read_representation(files[2], rows = rows))
  }
  total
}

peak <- function() {
  line <- grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE)
  as.double(gsub("[^0-9]", "", line)) / 1024
}

task <- grep("^task=", given, value = TRUE)
if (length(task)) {
  call <- readRDS(sub("^task=", "", task))
  run <- if (call$what == "product") read_and_multiply else stream_cka
  started <- proc.time()[[3]]
  value <- run(call$files)
  seconds <- proc.time()[[3]] - started
  saveRDS(list(seconds = seconds, peak = peak(), value = if (call$what != "product") value),
          sub("^task=", "", task))
  quit(status = 0)
}

run_child <- function(what, files) {
  file <- tempfile()
  saveRDS(list(what = what, files = files), file)
  status <- system2(file.path(R.home("bin"), "Rscript"),
                    c(file.path(here, "stream.R"), paste0("task=", file), paste0("rows=", n),
                      paste0("columns=", d)))
  if (status != 0) stop("The process ended with an error.")
  readRDS(file)
}

# ---- the files

npy_header <- function(rows) {
  text <- sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, d)
  text <- paste0(text, strrep(" ", 117 - nchar(text)), "\n")
  c(as.raw(c(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0)), charToRaw(text))
}

# Both sides are 20 common latent variables, with weights of their own, and noise; far from 0.
make_files <- function() {
  files <- tempfile(c("x", "y"), fileext = ".npy")
  weights <- lapply(1:2, function(side) matrix(rnorm(20 * d), 20))
  noise <- lapply(1:2, function(side) matrix(rnorm(at_once * d, 5, 3), at_once))
  open <- lapply(files, file, "wb")
  on.exit(for (one in open) close(one))
  for (side in 1:2) writeBin(npy_header(n), open[[side]])
  for (start in seq(1, n, by = at_once)) {
    rows <- min(at_once, n - start + 1)
    latent <- matrix(rnorm(rows * 20), rows)
    for (side in 1:2) {
      part <- latent %*% weights[[side]] + noise[[side]][sample.int(at_once, rows), ]
      writeBin(as.vector(t(part)), open[[side]], size = 4)
    }
  }
  files
}

# ---- standard errors

# New stimuli for neurons that stay: 20 latent variables, noise, and what the CKA is in the limit.
population <- function(q) {
  set.seed(7)
  x <- matrix(rnorm(20 * q), 20)
  y <- 0.7 * matrix(rnorm(20 * q), 20) + 0.3 * x
  self <- function(w) crossprod(w) + diag(4, q)
  squares <- list(xy = crossprod(x, y)^2, xx = self(x)^2, yy = self(y)^2)
  off <- function(s) (sum(s) - sum(diag(s))) / (q * (q - 1))
  draw <- function(n) {
    latent <- matrix(rnorm(20 * n), n)
    noise <- function() matrix(rnorm(n * q, sd = 2), n)
    list(x = latent %*% x + noise() + 5, y = latent %*% y + noise() - 3)
  }
  list(draw = draw, truth = c(
    stimulus = mean(squares$xy) / sqrt(mean(squares$xx) * mean(squares$yy)),
    stimulus_neuron = mean(squares$xy) / sqrt(off(squares$xx) * off(squares$yy))
  ))
}

errors_of <- function(sets, n = 3000, q = 20) {
  one <- population(q)
  say("%d data sets of %d stimuli x %d + %d neurons; nominal 95%% intervals", sets, n, q, q)
  for (batch in list(NULL, 30, 100)) {
    found <- parallel::mclapply(seq_len(sets), function(s) {
      set.seed(s)
      stream_cka(one$draw(n), c("stimulus", "stimulus_neuron"), batch = batch)
    }, mc.cores = 2)
    for (e in 1:2) {
      value <- vapply(found, function(f) f$cka[e], 0)
      se <- vapply(found, function(f) f$se[e], 0)
      blocks <- found[[1]]$batches[e]
      inside <- abs(value - one$truth[[e]]) < qt(0.975, blocks - 1) * se
      say("%-22s %-16s truth %.4f, mean %.4f, sd %.4f, mean se %.4f, cover %.3f",
          if (is.null(batch)) paste("one pass,", blocks, "blocks") else
            paste0(blocks, " minibatches of ", batch), names(one$truth)[e], one$truth[[e]],
          mean(value), sd(value), mean(se), mean(inside))
    }
  }
}

say_machine()
if (wanted("errors")) errors_of(setting("sets", 400L))
if (!wanted("time")) quit(status = 0)
if (!file.exists("/proc/self/status")) {
  say("This needs Linux: nothing measured.")
  quit(status = 0)
}
set.seed(1)
files <- make_files()
say("two files of %d x %d float32, %.2f GB each", n, d, file.size(files[1]) / 1e9)
invisible(run_child("product", files)) # now the files are in the memory of the system, if they fit
product <- run_child("product", files)
streamed <- run_child("stream", files)
say("reading and one product: %.1f s, peak %.0f MB", product$seconds, product$peak)
say("stream_cka(): %.1f s, peak %.0f MB", streamed$seconds, streamed$peak)
print(streamed$value, digits = 6)
say("time beside reading and one product: %s", verdict(streamed$seconds / product$seconds, 2.5))
say("peak in MB: %s", verdict(streamed$peak, 1024))

rows <- seq_len(compared)
x <- read_representation(files[1], rows = rows)
y <- read_representation(files[2], rows = rows)
unlink(files)
found <- stream_cka(list(x = x, y = y))
for (i in seq_len(nrow(found))) {
  exact <- cka(x, y, estimator = found$estimator[i])
  say("%s, %d rows: relative difference to cka() %s", found$estimator[i], compared,
      verdict(abs(found$cka[i] / exact - 1), 1e-10))
}
