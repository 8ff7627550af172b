# How far errors of cross-validated scores are from the truth, and why (see evaluate_rdms()):
#   Rscript bench/rsa-folds.R [sets=200] [draws=100] [repeats=2] [n=40] [subjects=10] [seed=101,102]
# Data sets as in rsa.R (folds): new stimuli and new subjects, and two weighted models with equal
# true scores, "pearson", 2 x 2 folds. Of each seed there are `sets` data sets. The rows are
# the score of the first model and the difference between both; the columns
#   ratio    mean variance (se^2) over the variance between data sets
#   folds    the share of the variance between data sets that is the choice of folds in the score
#   outside  how often the 95% interval does not hold the true value (for the difference: 0)
#   variance the mean variance
# each with a standard error over data sets, by bootstrap.

library(repalign)

source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 200)
draws <- setting("draws", 100)
repeats <- setting("repeats", 2)
n <- setting("n", 40)
subjects <- setting("subjects", 10)
seeds <- settings("seed", c(101, 102))
folds <- c(rdm = 2, condition = 2)

rdm_of <- function(features) dist(features)^2

draw_set <- function() {
  stimuli <- matrix(rnorm(n * 16), n)
  data <- lapply(seq_len(subjects), function(u) {
    weighted <- stimuli[, 1:12] * rep(sqrt(rgamma(12, 2, 2)), each = n)
    own <- matrix(rnorm(n * 6), n)
    rdm_of(cbind(weighted, own, 1.5 * matrix(rnorm(n * 6), n)))
  })
  component <- lapply(list(common = 1:4, a = 5:8, b = 9:12, none = 13:16),
                      function(at) rdm_of(stimuli[, at]))
  list(data = data, models = list(a = rdm_model(component[c("common", "a")], "weighted"),
                                  b = rdm_model(component[c("common", "b")], "weighted"),
                                  none = component$none))
}

one_set <- function() {
  set <- draw_set()
  evaluated <- function(...) {
    quietly(evaluate_rdms(set$data, set$models, "pearson", folds = folds, threads = 1, ...))
  }
  found <- evaluated(draws = draws, repeats = repeats)
  # the same data, cut into other folds
  again <- t(vapply(1:4, function(k) evaluated(resample = "none", repeats = repeats)$score,
                    numeric(3)))
  pair <- quietly(compare_scores(found[1:2, ], p_adjust = "none", draws = 999))
  c(score = c(found$score[1], found$se[1]^2, var(again[, 1])),
    difference = c(pair$difference, pair$se^2, var(again[, 1] - again[, 2])))
}

summary_of <- function(runs, true) {
  gap <- abs(runs[, 1] - (if (is.null(true)) mean(runs[, 1]) else true))
  c(ratio = mean(runs[, 2]) / var(runs[, 1]), folds = mean(runs[, 3]) / var(runs[, 1]),
    outside = mean(gap > qt(0.975, min(n, subjects) - 1) * sqrt(runs[, 2])),
    variance = mean(runs[, 2]))
}

runs <- do.call(rbind, lapply(seeds, function(seed) {
  set.seed(seed)
  do.call(rbind, lapply(seq_len(sets), function(k) one_set()))
}))
cat(nrow(runs), "data sets,", draws, "draws,", repeats, "repeats\n")
for (what in c("score", "difference")) {
  own <- runs[, startsWith(colnames(runs), what), drop = FALSE]
  true <- if (what == "difference") 0
  again <- replicate(1000, summary_of(own[sample(nrow(own), replace = TRUE), ], true))
  rows <- rbind(summary_of(own, true), apply(again, 1, sd))
  rownames(rows) <- c(what, "standard error")
  print(signif(rows, 3))
}
