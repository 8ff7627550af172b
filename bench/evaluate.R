# Error rates of evaluate_models() for recordings.
#   Rscript bench/evaluate.R unrelated|graded [sets=200] [n=60] [permutations=199]
#   Rscript bench/evaluate.R subjects [sets=300] [subjects=2,3,4] [seed=190] [spread=0,0.6,1]
#                    [units=complete|sample]
# unrelated: 5 layers that are correlated with each other and have nothing to do with the recording:
# how often is p_chance of one of them, and p_familywise of any, at most .05?
# graded: 5 layers that share more and more with the population that the neurons are drawn from
# (stimuli and neurons are drawn anew in each set): how often do 95% intervals hold the score of the
# populations, and the 95% set of the best the best layer? How large is the set, how often is each
# layer above chance?
# subjects: how often is a difference of 0 between two models found in a few subjects (80 stimuli, 40
# neurons each)? By default, about these subjects, where each prefers neither model; and over
# subjects, who differ in how much of either model they share (0.6 and 1 standard deviations of the
# logit), by name. Units of the models are complete: 8 dimensions, all that there are of
# them; or a sample: 40 noisy ones.

library(repalign)

source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
kind <- commandArgs(TRUE)[1]
sets <- setting("sets", 200)
n <- setting("n", 60)
permutations <- setting("permutations", 199)
shares <- c(L1 = 0.1, L2 = 0.3, L3 = 0.5, L4 = 0.7, L5 = 0.8)

normal <- function(n, q) matrix(rnorm(n * q), n)

# 40 neurons of dimensions of falling variance; layers of 60 units. A layer shares `share` of its
# dimensions' variance with those of the recording, and the rest with the other layers.
draw <- function(n, shares) {
  size <- 1 / sqrt(1:10)
  brain <- normal(n, 10) %*% diag(size)
  common <- normal(n, 10) %*% diag(size)
  layers <- lapply(shares, function(share) {
    latent <- sqrt(share) * brain + sqrt(1 - share) * common
    latent %*% normal(10, 60) + normal(n, 60)
  })
  list(x = brain %*% normal(10, 40) + normal(n, 40), layers = layers)
}

quiet <- function(code) suppressMessages(suppressWarnings(code))

evaluated <- function(shares, draws_of_null) {
  data <- draw(n, shares)
  quiet(evaluate_models(data$x, data$layers, permutations = draws_of_null))
}

rate <- function(found) {
  sprintf("%.3f (se %.3f)", mean(found), sqrt(mean(found) * (1 - mean(found)) / length(found)))
}

# ---- few subjects

of_subjects <- function(count, spread, sampled) {
  n <- 80
  a <- normal(n, 8)
  b <- normal(n, 8)
  data <- lapply(stats::setNames(nm = paste0("s", seq_len(count))), function(name) {
    share <- plogis(rnorm(1, 0, spread))
    sqrt(share) * a %*% normal(8, 40) + sqrt(1 - share) * b %*% normal(8, 40) + normal(n, 40) / 2
  })
  models <- lapply(list(A = a, B = b), function(latent) {
    if (sampled) latent %*% normal(8, 40) + normal(n, 40) / 2 else responses(latent, complete = TRUE)
  })
  over <- if (spread > 0) c("stimuli", "subjects")
  rows <- quiet(compare_scores(evaluate_models(data, models, permutations = 0, over = over)))
  c(rows$p_value, rows$df)
}

if (kind == "subjects") {
  sampled <- "sample" %in% words("units", "complete")
  set.seed(setting("seed", 190))
  for (count in settings("subjects", 2:4)) {
    for (spread in as.double(words("spread", c(0, 0.6, 1)))) {
      found <- replicate(setting("sets", 300), of_subjects(count, spread, sampled))
      cat(sprintf("%d subjects, spread %.1f, %s: p <= .05 %.3f, p < .001 %.4f, median df %.1f\n",
                  count, spread, if (spread) "over subjects" else "by default  ",
                  mean(found[1, ] <= 0.05), mean(found[1, ] < 0.001), stats::median(found[2, ])))
    }
  }
  quit("no")
}

set.seed(1)
if (kind == "unrelated") {
  unrelated <- stats::setNames(rep(0, 5), names(shares))
  p <- replicate(sets, {
    found <- evaluated(unrelated, permutations)
    c(found$p_chance[1], min(found$p_chance), min(found$p_familywise))
  })
  cat("p_chance of one layer at most .05:", rate(p[1, ] <= 0.05), "\n")
  cat("smallest p_chance of 5 layers:    ", rate(p[2, ] <= 0.05), "\n")
  cat("smallest p_familywise:            ", rate(p[3, ] <= 0.05), "\n")
} else {
  # the population's score: many stimuli, and neurons corrected for
  truth <- rowMeans(replicate(20, {
    data <- draw(2000, shares)
    vapply(data$layers, function(layer) cka(data$x, layer, estimator = "stimulus_neuron"), 0)
  }))
  found <- lapply(seq_len(sets), function(k) evaluated(shares, permutations))
  pick <- function(column) vapply(found, function(one) one[[column]], found[[1]][[column]])
  print(data.frame(layer = names(shares), truth = round(truth, 3),
                   mean = round(rowMeans(pick("score"), na.rm = TRUE), 3),
                   cover = rowMeans(pick("conf_low") <= truth & pick("conf_high") >= truth,
                                    na.rm = TRUE),
                   above_chance = rowMeans(pick("p_familywise") <= 0.05, na.rm = TRUE),
                   in_set = rowMeans(pick("best"))), row.names = FALSE)
  cat("members of the set:", format(mean(colSums(pick("best"))), digits = 3), "\n")
}
