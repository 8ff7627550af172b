# Errors of evaluate_rdms() where stimuli come in clusters, with and without `clusters`:
#   Rscript bench/rsa-clusters.R [sets=100] [draws=200] [clusters=5,10,20] [size=4] [subjects=8]
#                                [share=0.8] [outer=pearson,cosine,...] [seed=1]
# Each data set has new clusters of stimuli, whose features share most of their variance (`share`)
# within a cluster, and new subjects, who weigh the features differently and have features and noise
# of their own. Models `a` and `b` have a third of the shared features in common and a third each of
# their own, so that their true scores are equal; `none` has other features. True scores are means
# over all data sets, of the scores with and without pairs within clusters. The columns are
#   cover    how often the 95% interval of `a` holds its true score
#   ratio    mean variance (se^2) over the variance of the score of `a` between data sets
#   differ   how often the p-value of compare_scores(), a against b, is at most 0.05
#   zero     how often p_zero of `none` is at most 0.05
#   lost     the share of data sets without an error
# For cosines, dissimilarities are less their mean over all subjects (as crossnobis has values below
# 0), so that a score of 0 means no relation.

library(repalign)

source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 100)
draws <- setting("draws", 200)
counts <- settings("clusters", c(5, 10, 20))
size <- setting("size", 4)
subjects <- setting("subjects", 8)
share <- as.numeric(words("share", 0.8))
outers <- words("outer", c("pearson", "cosine", "whitened_pearson", "whitened_cosine"))
options(width = 140)

rdm_of <- function(features) dist(features)^2

draw_set <- function(count, signed) {
  cluster <- rep(seq_len(count), each = size)
  n <- length(cluster)
  features <- function(q) {
    sqrt(share) * matrix(rnorm(count * q), count)[cluster, ] +
      sqrt(1 - share) * matrix(rnorm(n * q), n)
  }
  stimuli <- features(16)
  data <- lapply(seq_len(subjects), function(u) {
    weighted <- stimuli[, 1:12] * rep(sqrt(rgamma(12, 2, 2)), each = n)
    rdm_of(cbind(weighted, features(6), 1.5 * matrix(rnorm(n * 6), n)))
  })
  names(data) <- paste0("rdm", seq_along(data))
  component <- lapply(list(common = 1:4, a = 5:8, b = 9:12, none = 13:16),
                      function(at) rdm_of(stimuli[, at]))
  models <- list(a = component$common + component$a, b = component$common + component$b,
                 none = component$none)
  if (signed) {
    between <- as.vector(dist(cluster) > 0)
    less_mean <- function(rdm) rdm - mean(rdm[between])
    data <- lapply(data, less_mean)
    models <- lapply(models, less_mean)
  }
  list(data = data, models = models, cluster = cluster)
}

one_evaluation <- function(set, outer, clusters) {
  found <- quietly(evaluate_rdms(set$data, set$models, outer, draws = draws, threads = 1,
                                 clusters = clusters, permutations = 0))
  pair <- quietly(compare_scores(found[1:2, ], p_adjust = "none", draws = 999))
  c(score = found$score[1], se = found$se[1], low = found$conf_low[1], high = found$conf_high[1],
    zero = found$p_zero[3] <= 0.05, differ = pair$p_value <= 0.05)
}

rates <- function(runs) {
  true <- mean(runs[, "score"])
  usable <- !is.na(runs[, "se"])
  runs <- runs[usable, , drop = FALSE]
  c(score = true, cover = mean(runs[, "low"] <= true & runs[, "high"] >= true),
    ratio = mean(runs[, "se"]^2) / var(runs[, "score"]),
    differ = mean(runs[, "differ"], na.rm = TRUE), zero = mean(runs[, "zero"]),
    lost = mean(!usable))
}

cat(sets, "data sets,", draws, "draws,", subjects, "subjects, clusters of", size, "\n")
for (outer in outers) for (count in counts) {
  set.seed(setting("seed", 1))
  runs <- lapply(seq_len(sets), function(k) {
    set <- draw_set(count, grepl("cosine", outer))
    list(whole = one_evaluation(set, outer, set$cluster), single = one_evaluation(set, outer, NULL))
  })
  for (way in c("whole", "single")) {
    cat(sprintf("%-17s %2d %s  ", outer, count,
                if (way == "whole") "whole clusters   " else "single conditions"),
        sprintf("%s %.3f", c("score", "cover", "ratio", "differ", "zero", "lost"),
                rates(do.call(rbind, lapply(runs, `[[`, way)))), "\n")
  }
}
