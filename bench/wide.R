# What loops for wider vectors (src/wide.h) gain over the same loops compiled plainly:
#   Rscript bench/wide.R
# A coset of permutations is timed with and without them in turn; the least of many times counts.
# With one layer a side it is mostly Fourier transforms, with many it is mostly products of spectra.

library(repalign)
source(file.path(if (dir.exists("bench")) "bench" else ".", "timing.R"))

internal <- function(name) getFromNamespace(name, "repalign")

symmetric_matrices <- function(count, n) {
  lapply(seq_len(count), function(i) {
    a <- matrix(stats::rnorm(n * n), n)
    a + t(a)
  })
}

one_time <- function(run, wide) {
  .Call(internal("C_allow_wide"), wide)
  on.exit(.Call(internal("C_allow_wide"), TRUE))
  calls <- 0
  started <- Sys.time()
  repeat {
    run()
    calls <- calls + 1
    passed <- as.double(difftime(Sys.time(), started, units = "secs"))
    if (passed > 0.05) return(passed / calls)
  }
}

gain <- function(n, layers, rounds = 15) {
  x <- symmetric_matrices(layers, n)
  y <- symmetric_matrices(layers, n)
  design <- internal("coset_design")(n, n)
  run <- function() {
    .Call(internal("C_coset_inner"), x, y, design$coset$order_x, design$coset$orders_y,
          internal("diagonals_at_once"), 1L)
  }
  run()
  times <- replicate(rounds, c(plain = one_time(run, FALSE), wide = one_time(run, TRUE)))
  least <- apply(times, 1, min)
  say("%4d stimuli, %2d x %2d matrices: %8.3f ms plainly, %8.3f ms wide, %.2f times", n, layers,
      layers, 1e3 * least[["plain"]], 1e3 * least[["wide"]],
      least[["plain"]] / least[["wide"]])
}

say_machine()
for (n in c(100, 128, 200, 1000)) for (layers in c(1, 4, 12)) gain(n, layers)
