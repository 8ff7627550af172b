# Costs of the CKA estimators, as ratios in one run:
#   Rscript bench/estimators.R [a] [b] [c]
# needs the package installed, and a fast BLAS to mean anything.

library(repalign)
source(file.path(if (dir.exists("bench")) "bench" else ".", "timing.R"))
say_machine()
parts <- commandArgs(TRUE)
wanted <- function(part) !length(parts) || part %in% parts
# twenty latent dimensions and noise: every estimator is defined
signal <- function(n, q) matrix(rnorm(n * 20), n) %*% matrix(rnorm(20 * q), 20) + rnorm(n * q)
all_estimators <- c("naive", "stimulus", "stimulus_neuron")
three <- lapply(all_estimators, function(e) measure("cka", estimator = e))

# (a) ----
if (wanted("a")) {
  say("\n(a) 2000 stimuli x 500 neurons, six numbers of neurons, 1000 random disjoint splits each")
  set.seed(1)
  x <- linear_population(2000, 500, 100, "power")$x
  sizes <- c(8, 16, 32, 64, 125, 250)
  unit <- seconds(crossprod(x), 11)
  whole <- seconds(brain_to_brain(x, neurons = sizes, repeats = 1000, conf_level = NULL))
  with_errors <- seconds(brain_to_brain(x, neurons = sizes, repeats = 1000), 1)

  # What a split costs when each half goes through its own Gram matrix: the package's
  # sample-space route, all three estimators of one split.
  by_gram <- function(size) {
    at <- sample(500, 2 * size)
    side <- function(columns, arg) {
      rep <- repalign:::representation(x[, columns], arg)
      repalign:::remember_form(rep, "linear", list(), repalign:::linear_form(rep, route = "sample"))
      rep
    }
    pair <- repalign:::as_pair(side(at[seq_len(size)], "x"), side(at[size + seq_len(size)], "y"))
    vapply(all_estimators, function(e) {
      repalign:::compare_pair(repalign:::declaration("cka"), pair,
                              repalign:::with_estimator(list(kernel = "linear",
                                                             shared_neurons = FALSE), e))
    }, 0)
  }
  gram_split <- mean(vapply(sizes, function(size) seconds(by_gram(size), 3), 0))
  split <- whole / (length(sizes) * 1000)
  say("one crossprod(x)                     %8.4f s", unit)
  say("6000 splits, three estimators        %8.4f s, in crossprods: %s", whole,
      verdict(whole / unit, 60))
  say("a split                              %8.2e s", split)
  say("a split through Gram matrices        %8.2e s, times faster: %s", gram_split,
      verdict(gram_split / split, 500, at_least = TRUE))
  say("the same 6000 splits with jackknife  %8.4f s", with_errors)
}

# (b) ----
if (wanted("b")) {
  say("\n(b) n = 20000, d = 256: all three estimators in one call")
  set.seed(2)
  x <- signal(20000, 256)
  y <- x + matrix(rnorm(20000 * 256), 20000)
  products <- seconds({crossprod(x); crossprod(x, y)}, 7)
  call <- seconds(similarity(x, y, three), 7)
  before <- sum(gc(reset = TRUE)[, 2])
  invisible(similarity(x, y, three))
  peak <- sum(gc()[, 6]) - before
  inputs <- as.double(object.size(x) + object.size(y)) / 2^20
  say("crossprod(x) and crossprod(x, y)     %8.4f s", products)
  say("one call of three estimators         %8.4f s, ratio: %s", call,
      verdict(call / products, 2.5))
  say("inputs %.0f MB; peak above them %.0f MB; peak / inputs: %s", inputs, peak,
      verdict((inputs + peak) / inputs, 3))
}

# (c) ----
if (wanted("c")) {
  say("\n(c) growth: time, and time over the expected order (constant when it grows as it should)")
  grow <- function(title, values, order, run) {
    times <- vapply(values, function(v) run(v), 0)
    scaled <- times / order(values)
    say("%-44s %s", title, paste(sprintf("%g: %.2e s (%.2f)", values, times, scaled / scaled[1]),
                                 collapse = "   "))
  }
  grow("three estimators, n (d = 128): order n", c(5000, 10000, 20000, 40000), identity,
       function(n) {
    x <- signal(n, 128)
    seconds(similarity(x, x[, 128:1], three))
  })
  grow("three estimators, Q (n = 4000): order Q^2", c(128, 256, 512, 1024), function(q) q^2,
       function(q) {
    x <- signal(4000, q)
    seconds(similarity(x, x[, q:1], three))
  })
  grow("three estimators, Q > n (n = 500): order Q", c(1000, 2000, 4000, 8000), identity,
       function(q) {
    x <- signal(500, q)
    seconds(similarity(x, x[, q:1], three))
  })
  x <- signal(500, 400)
  grow("splits (n = 500, Q = 400): order splits", c(500, 1000, 2000, 4000), identity, function(r) {
    seconds(brain_to_brain(x, neurons = c(16, 64, 200), repeats = r, conf_level = NULL), 3)
  })
  grow("cka_interval, n (Q = 100): order n", c(500, 1000, 2000, 4000), identity, function(n) {
    x <- signal(n, 100)
    y <- x + matrix(rnorm(n * 100), n)
    seconds(cka_interval(x, y), 3)
  })
}
