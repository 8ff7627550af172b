# What the help of encode() says of simulated data: correlations of pooled predictions, the mean of
# the R squared of folds, what noise in training costs, leakage, and standard errors. From the root
# of the repository, with the package installed:
#   R_LIBS=.build/lib OPENBLAS_NUM_THREADS=1 Rscript bench/encode-errors.R [sets=300]

library(repalign)

given <- sub("^sets=", "", grep("^sets=", commandArgs(TRUE), value = TRUE))
sets <- if (length(given)) as.integer(given) else 300L
set.seed(1)

quiet <- function(code) suppressMessages(suppressWarnings(code))
normal <- function(n, d) matrix(rnorm(n * d), n)
show <- function(what, ...) cat(sprintf("%-62s %s\n", what, paste(format(round(c(...), 3)),
                                                                  collapse = "  ")))

# ---- nothing is related
for (folds in c(5, 30)) {
  pooled <- replicate(sets, {
    to <- normal(30, 1)
    mean(cor(to, predict(quiet(encode(normal(30, 10), to, folds = folds, lambda = 1000)))))
  })
  show(paste("correlation of all predictions together, 30 stimuli,", folds, "folds"), mean(pooled))
}

# ---- a linear signal in noise
# the population, of which all data sets are samples
weights <- list(normal(10, 10), normal(40, 10))
signal <- function(n, noise, d = 10, p = 10) {
  from <- normal(n, d)
  clean <- from %*% weights[[if (d == 10) 1 else 2]] / sqrt(d)
  list(from = from, clean = clean, to = clean + noise * normal(n, p))
}

averages <- replicate(sets, {
  d <- signal(100, 1.5)
  folds <- sample(rep(1:10, 10))
  vapply(c("folds", "pooled"), function(average) {
    quiet(encode(d$from, d$to, folds = folds, lambda = 10, average = average,
                 summary = "mean")$score)
  }, 0)
})
show("R squared of 100 stimuli, 10 folds: mean of folds, pooled", rowMeans(averages))

for (reliability in c(0.9, 0.5, 0.2)) {
  scores <- replicate(sets, {
    d <- signal(100, sqrt(1 / reliability - 1), d = 40)
    result <- quiet(encode(d$from, d$to))
    fitted <- predict(result)
    1 - sum((d$clean - fitted)^2) / sum(scale(d$clean, scale = FALSE)^2)
  })
  show(paste("R squared of the signal by its prediction, reliability", reliability), mean(scores))
}

# ---- near copies
leaked <- replicate(ceiling(sets / 10), {
  clusters <- rep(1:20, each = 3)
  copies <- function(d) normal(20, d)[clusters, ] + 0.1 * normal(60, d)
  from <- copies(30)
  to <- copies(5)
  c(quiet(encode(from, to)$score), quiet(encode(from, to, clusters = clusters)$score))
})
show("R squared of unrelated triples of copies: by stimuli, by clusters", rowMeans(leaked))

# ---- standard errors, over the true ones, and how often intervals hold the mean score
errors_of <- function(n, lambda = NULL) {
  found <- replicate(sets, {
    d <- signal(n, 1.5)
    rows <- quiet(score_interval(encode(d$from, d$to, lambda = lambda)))
    c(rows$score, rows$se, rows$conf_low, rows$conf_high)
  })
  held <- found[3, ] <= mean(found[1, ]) & mean(found[1, ]) <= found[4, ]
  c(sqrt(mean(found[2, ]^2)) / sd(found[1, ]), mean(held))
}
show("standard error over the true one, cover: 100, one penalty", errors_of(100, lambda = 10))
show("the same, 100 stimuli, nine penalties", errors_of(100))
show("the same, 40 stimuli, one penalty", errors_of(40, lambda = 10))
show("the same, 40 stimuli, nine penalties", errors_of(40))
