# Levels of calibrate() with permutations given as a matrix: how often unrelated data are rejected
# at 0.05, by how the rows of the matrix came about.
#   Rscript bench/given.R [DATA SETS]

suppressMessages(library(repalign))
runs <- c(as.integer(commandArgs(trailingOnly = TRUE)), 2000L)[1]
n <- 40
count <- 99

# One row of a matrix for each permutation.
shift <- function(t) (seq_len(n) - 1 + t) %% n + 1
swapped <- function(p, swaps) {
  for (s in seq_len(swaps)) {
    at <- sample.int(n, 2)
    p[at] <- p[rev(at)]
  }
  p
}
kinds <- list(
  "random draws" = function() t(replicate(count, sample.int(n))),
  "a group: all shifts" = function() t(vapply(seq_len(n - 1), shift, double(n))),
  "shifts by 8 to 32 only, smooth data" = function() t(vapply(8:(n - 8), shift, double(n))),
  "near copies of one permutation (2 swaps)" = function() {
    one <- sample.int(n)
    t(replicate(count, swapped(one, 2)))
  },
  "near copies of the observed order (2 swaps)" = function() {
    t(replicate(count, swapped(seq_len(n), 2)))
  },
  "5 different rows, 20 times each" = function() {
    t(replicate(5, sample.int(n)))[rep(1:5, 20), ]
  },
  "swaps within 20 pairs, at random (a group)" = function() {
    t(replicate(count, {
      turn <- rep(stats::runif(n / 2) < 0.5, each = 2)
      ifelse(turn, seq_len(n) + c(1, -1), seq_len(n))
    }))
  }
)

smooth <- function(d) {
  e <- matrix(stats::rnorm((n + 20) * d), n + 20)
  stats::filter(e, 0.8, "recursive")[-(1:20), ]
}

set.seed(1)
cat("Share of", runs, "unrelated data sets rejected at 0.05 (standard error at 0.05:",
    format(sqrt(0.05 * 0.95 / runs), digits = 2), ")\n")
for (kind in names(kinds)) {
  make <- if (grepl("smooth", kind)) smooth else function(d) matrix(stats::rnorm(n * d), n)
  warned <- 0
  p <- vapply(seq_len(runs), function(i) {
    withCallingHandlers(
      suppressMessages(calibrate(make(5), make(5), "cka", permutations = kinds[[kind]]())$p_value),
      repalign_permutations = function(w) {
        warned <<- warned + 1
        invokeRestart("muffleWarning")
      }
    )
  }, 0)
  cat(sprintf("%-46s %.3f   warned in %.3f\n", kind, mean(p <= 0.05), warned / runs))
}
