# Times of rdm() and of noise_covariance(), as multiples of a matrix product of the same size in the
# same run, and how far estimates from small samples are from the truth.
#   Rscript bench/rsa-rdm.R [crossnobis] [noise] [transform] [large] [bias]
#                           [conditions=1000] [channels=500] [runs=8] [sets=2000]
# A ratio is the median over repeats in which the call and the product take turns, because other
# work on the machine slows both down alike. `large` has 8000 conditions and prints how soon an
# interrupt is heard (it is only run when named).

suppressMessages(library(repalign))
here <- if (dir.exists("bench")) "bench" else "."
source(file.path(here, "arguments.R"))
source(file.path(here, "timing.R"))
n <- setting("conditions", 1000L)
p <- setting("channels", 500L)
runs <- setting("runs", 8L)
sets <- setting("sets", 2000L)
set.seed(1)

elapsed <- function(expression, env) {
  started <- Sys.time()
  eval(expression, env)
  as.double(difftime(Sys.time(), started, units = "secs"))
}

# The median time of `code`, and of `product`, and their ratio.
compare <- function(label, code, product, wanted = NULL, times = 9) {
  code <- substitute(code)
  product <- substitute(product)
  env <- parent.frame()
  eval(code, env)
  found <- replicate(times, {
    gc(FALSE)
    c(elapsed(code, env), elapsed(product, env))
  })
  middle <- apply(found, 1, stats::median)
  ratio <- middle[1] / middle[2]
  say("%-48s %8.1f ms, product %6.1f ms, ratio %s", label, 1000 * middle[1], 1000 * middle[2],
      if (is.null(wanted)) sprintf("%.3g", ratio) else verdict(ratio, wanted))
}

say_machine()

if (wanted("crossnobis")) {
  say("\ncrossnobis of %d conditions x %d channels x %d runs", n, p, runs)
  say("product: tcrossprod() of conditions x channels")
  values <- array(rnorm(as.double(n) * p * runs), c(n, p, runs))
  rows <- matrix(aperm(values, c(1, 3, 2)), n * runs, p)
  condition <- rep(seq_len(n), runs)
  run <- rep(seq_len(runs), each = n)
  one <- values[, , 1]
  precision <- noise_precision(matrix(rnorm(6 * p * p), 6 * p))
  compare("observations with labels, whitened", rdm(rows, condition, run, noise = precision),
          tcrossprod(one), 20)
  compare("array, whitened", rdm(values, noise = precision), tcrossprod(one), 20)
  compare("array", rdm(values), tcrossprod(one), 20)
  gaps <- values
  gaps[sample(n, n %/% 20), , 1] <- NA
  compare("array with missing conditions, whitened", rdm(gaps, noise = precision),
          tcrossprod(one), times = 3)
  covariances <- rep(list(solve(precision)), runs)
  compare("array, a covariance for each run", rdm(values, noise = covariances), tcrossprod(one),
          times = 3)
  counts <- array(rpois(length(values), 3), dim(values)) + 0
  compare("Poisson", rdm(counts, distance = "poisson"), tcrossprod(one))
  compare("Poisson, cross-validated", rdm(counts, distance = "poisson_cv"), tcrossprod(one),
          times = 3)
  compare("squared Euclidean", rdm(values, distance = "sqeuclidean"), tcrossprod(one))
}

if (wanted("noise")) {
  wide <- matrix(rnorm(3000 * 1000), 3000)
  say("\nnoise of 3000 rows x 1000 channels; product: crossprod(rows)")
  for (method in c("shrinkage_diag", "shrinkage_eye", "full")) {
    compare(paste("covariance,", method), noise_covariance(wide, method = method), crossprod(wide))
  }
  compare("precision, shrinkage_diag", noise_precision(wide), crossprod(wide))
}

if (wanted("transform")) {
  d <- rdm(array(rnorm(as.double(n) * p), c(n, p, 1)), distance = "sqeuclidean")
  square <- as.matrix(d)
  say("\ntransformations of an RDM of %d conditions; product: of two such matrices", n)
  for (method in c("rank", "minmax", "geodesic")) {
    compare(method, transform_rdm(d, method), square %*% square, times = 3)
  }
}

# The mean estimate over the true distance, of two conditions that differ and of two that do not.
if (wanted("bias")) {
  say("\nmean over %d data sets of 6 conditions x 20 channels x 4 runs, noise of 1", sets)
  truth <- rbind(0, 0, matrix(rnorm(4 * 20), 4))
  for (distance in c("crossnobis", "sqeuclidean")) {
    found <- replicate(sets, {
      measured <- array(as.vector(truth) + rnorm(6 * 20 * 4), c(6, 20, 4))
      as.vector(rdm(measured, distance = distance))[1:2]
    })
    true <- c(0, mean((truth[1, ] - truth[3, ])^2))
    say("%-12s true %.3f: %.3f +- %.3f; true %.3f: %.3f +- %.3f", distance, true[1],
        mean(found[1, ]), stats::sd(found[1, ]) / sqrt(sets), true[2], mean(found[2, ]),
        stats::sd(found[2, ]) / sqrt(sets))
  }
}

if ("large" %in% parts) {
  values <- array(rnorm(8000 * 200 * 6), c(8000, 200, 6))
  values[1, , 1] <- NA
  say("\n8000 conditions x 200 channels x 6 runs, one missing: interrupted after 2 s ...")
  setTimeLimit(elapsed = 2, transient = TRUE)
  started <- Sys.time()
  stopped <- tryCatch({
    rdm(values)
    "was not interrupted"
  }, error = function(e) "stopped")
  setTimeLimit()
  say("%s after %.1f s", stopped, as.double(difftime(Sys.time(), started, units = "secs")))
}
