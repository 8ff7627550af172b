# Grids beside ten lines of numpy, and comparisons of RDMs beside those of rsatoolbox (its lines of
# numpy, see grid.py; its Kendall's tau takes a loop over cells and is left out):
#   Rscript bench/grid.R [layers=125,250,500] [ids=cka,rsa,distance_correlation,mutual_knn]
#                        [n=500] [d=128] [shapes=20x5,1000x1000] [outer=cosine,...] [rounds=3]
# Every call is one of a process of its own, whose peak of memory is that of the call; both take
# turns, and of each the least time counts. Set the threads of the BLAS and ours to one number first
# (OPENBLAS_NUM_THREADS, OMP_NUM_THREADS), and have python3 with numpy by the same BLAS.

here <- if (dir.exists("bench")) "bench" else "."
source(file.path(here, "timing.R"))

setting <- function(name, default) {
  given <- grep(paste0("^", name, "="), commandArgs(TRUE), value = TRUE)
  if (length(given)) strsplit(sub("^[^=]*=", "", given[1]), ",")[[1]] else default
}

measured <- c("cka", "rsa", "distance_correlation", "mutual_knn")
compared <- c("cosine", "pearson", "spearman", "rho_a", "whitened_cosine")

# ---- one call, in a process of its own

peak_memory <- function() {
  line <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
  as.double(gsub("[^0-9]", "", line)) / 1024
}

# Layers of a file, which has them as numpy does: rows one after the other.
read_layers <- function(path) {
  connection <- file(path, "rb")
  on.exit(close(connection))
  size <- readBin(connection, "double", 3)
  names <- paste0("layer", seq_len(size[1]))
  lapply(stats::setNames(nm = names), function(name) {
    t(matrix(readBin(connection, "double", size[2] * size[3]), size[3]))
  })
}

read_rdms <- function(path) {
  connection <- file(path, "rb")
  on.exit(close(connection))
  size <- readBin(connection, "double", 3)
  conditions <- as.integer(round((1 + sqrt(1 + 8 * size[3])) / 2))
  rdms <- lapply(seq_len(sum(size[1:2])), function(k) {
    structure(readBin(connection, "double", size[3]), Size = conditions, class = "dist")
  })
  names(rdms) <- paste0("rdm", seq_along(rdms))
  list(x = rdms[seq_len(size[1])], y = rdms[-seq_len(size[1])])
}

one_process <- function(path, id, calls) {
  suppressPackageStartupMessages(library(repalign))
  if (id %in% compared) {
    rdms <- read_rdms(path)
    run <- function() similarity(rdms$x, rdms$y, measure("rsa", outer = id))$score
  } else {
    layers <- read_layers(path)
    run <- function() similarity(layers, measure = id, diagonal = TRUE)
  }
  invisible(gc())
  least <- Inf
  for (call in seq_len(calls)) {
    started <- as.double(Sys.time())
    scores <- run()
    least <- min(least, as.double(Sys.time()) - started)
  }
  # the sum over the square grid
  total <- if (id %in% compared) sum(scores) else
    sum(scores$score * ifelse(scores$x == scores$y, 1, 2))
  cat(least, peak_memory(), format(total, digits = 15), "\n")
}

given <- commandArgs(TRUE)
if (identical(given[1], "process")) {
  one_process(given[2], given[3], as.integer(given[4]))
  quit("no")
}

# ---- both in turn

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
python <- Filter(function(path) nzchar(path) && system2(path, c("-c", "'import numpy'"),
                                                        stdout = FALSE, stderr = FALSE) == 0,
                 c(Sys.which("python3"), "/usr/bin/python3"))
if (!length(python)) stop("python3 has no numpy: there is nothing to compare with")

answer <- function(command, args) {
  as.double(strsplit(utils::tail(system2(command, args, stdout = TRUE), 1), " ")[[1]][1:3])
}

rounds <- as.integer(setting("rounds", 3))

beside <- function(what, path, id, calls = 1) {
  both <- lapply(seq_len(rounds), function(round) {
    rbind(answer(file.path(R.home("bin"), "Rscript"), c(script, "process", path, id, calls)),
          answer(python[1], c(file.path(here, "grid.py"), path, id, calls)))
  })
  time <- do.call(pmin, lapply(both, function(one) one[, 1]))
  memory <- both[[1]][, 2]
  say(paste("%-34s ours %9.4f s %6.0f MB, numpy %9.4f s %6.0f MB: %5.2f times its time,",
            "%4.2f its memory, %s"), what, time[1], memory[1], time[2], memory[2], time[1] / time[2], memory[1] / memory[2],
      if (abs(both[[1]][1, 3] - both[[1]][2, 3]) < 1e-6 * abs(both[[1]][2, 3])) "same sum" else
        sprintf("SUMS %g AND %g", both[[1]][1, 3], both[[1]][2, 3]))
}

write_doubles <- function(path, sizes, values) {
  connection <- file(path, "wb")
  on.exit(close(connection))
  writeBin(as.double(sizes), connection)
  for (one in values) writeBin(one, connection)
}

suppressPackageStartupMessages(library(repalign))
say_machine()
path <- tempfile("grid")
n <- as.integer(setting("n", 500))
d <- as.integer(setting("d", 128))
set.seed(1)
for (layers in as.integer(setting("layers", c(125, 250, 500)))) {
  latent <- matrix(rnorm(n * 20), n)
  write_doubles(path, c(layers, n, d), lapply(seq_len(layers), function(k) {
    as.vector(t(latent %*% matrix(rnorm(20 * d), 20) + 2 * matrix(rnorm(n * d), n)))
  }))
  for (id in setting("ids", measured)) {
    beside(sprintf("%s of %d layers", id, layers), path, id)
  }
}
for (shape in setting("shapes", c("20x5", "1000x1000"))) {
  size <- as.integer(strsplit(shape, "x")[[1]])
  pairs <- 92 * 91 / 2
  write_doubles(path, c(size, pairs), lapply(seq_len(sum(size)), function(k) rexp(pairs)))
  for (outer in setting("outer", compared)) {
    beside(sprintf("%s of %s RDMs", outer, shape), path, outer, if (prod(size) < 1000) 20 else 1)
  }
}
unlink(path)
