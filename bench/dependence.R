# What stimuli that depend on each other do to corrected estimates, their intervals and tests, and
# what `clusters` makes of it:
#   Rscript bench/dependence.R [data sets a row, default 300]
# First two unrelated populations (true CKA 0), then populations of known CKA over clusters, then
# measures of neighbours between clusters. (How often the warning repalign_dependence speaks is in
# bench/rows.R.)

library(repalign)
sets <- as.integer(c(commandArgs(TRUE), 300)[1])
options(width = 150)

normal <- function(n, q) matrix(rnorm(n * q), n)

# Latent variables of stimuli that depend on each other; their labels.
in_clusters <- function(count, size, shared = 0.9) {
  labels <- rep(seq_len(count), each = size)
  list(labels = labels, latent = function(d) {
    sqrt(shared) * normal(count, d)[labels, ] + sqrt(1 - shared) * normal(count * size, d)
  })
}

# Runs of a series; gap: how many points between two runs have no label.
in_series <- function(n, runs, phi = 0.9, gap = 0) {
  labels <- rep(seq_len(runs), each = n / runs)
  if (gap > 0) labels[seq_len(n) %% (n / runs) %in% seq_len(gap)] <- NA
  list(labels = labels, latent = function(d) {
    start <- normal(n, d)
    start[-1, ] <- start[-1, ] * sqrt(1 - phi^2)
    apply(start, 2, function(noise) stats::filter(noise, phi, "recursive"))
  })
}

quietly <- function(code) suppressWarnings(suppressMessages(code))

excludes <- function(row, truth) row$conf_low > truth | row$conf_high < truth

unrelated <- function(world, neurons = 40, dimensions = 5) {
  responses <- function() world$latent(dimensions) %*% normal(dimensions, neurons)
  x <- responses()
  y <- responses()
  e <- c("stimulus", "stimulus_neuron")
  plain <- quietly(cka_interval(x, y, e))
  over <- quietly(cka_interval(x, y, e, clusters = world$labels))
  sizes <- table(world$labels)
  rejected <- function(...) quietly(calibrate(x, y, permutations = 99, ...))$p_value <= 0.05
  c(plain = plain$cka[2], over = over$cka[2], plain_stimulus = plain$cka[1],
    over_stimulus = over$cka[1], out = excludes(plain, 0)[2], out_over = excludes(over, 0)[2],
    out_brain = excludes(quietly(brain_to_brain(x, y, neurons = neurons, estimator = e[2])), 0),
    rejected = rejected("rv"),
    rejected_over = if (length(unique(sizes)) == 1) rejected("rv", clusters = world$labels) else NA)
}

worlds <- list(
  `20 clusters of 5` = in_clusters(20, 5), `40 clusters of 5` = in_clusters(40, 5),
  `independent, single` = in_clusters(100, 1),
  `AR(1), n = 100, 5 runs` = in_series(100, 5), `AR(1), n = 100, 10 runs` = in_series(100, 10),
  `AR(1), n = 400, 10 runs` = in_series(400, 10), `AR(1), n = 400, 20 runs` = in_series(400, 20),
  `AR(1), n = 400, 10 runs, gaps of 10` = in_series(400, 10, gap = 10)
)

cat("Two unrelated populations (5 latents, 40 neurons each): mean CKA, share of 95% intervals\n",
    "without 0, share of p <= 0.05; `over`: with clusters\n", sep = "")
set.seed(1)
rows <- lapply(worlds, function(world) rowMeans(replicate(sets, unrelated(world)), na.rm = TRUE))
print(signif(do.call(rbind, rows), 3))

# The eigenvalues of both sides give the CKA of the populations.
related <- function(world, rate, neurons = 40, dimensions = 20) {
  weights <- exp(-rate * seq_len(dimensions) / dimensions)
  truth <- sum(weights) / sqrt(dimensions * sum(weights^2))
  z <- world$latent(dimensions)
  x <- z %*% normal(dimensions, neurons)
  y <- z %*% (sqrt(weights) * normal(dimensions, neurons))
  plain <- quietly(cka_interval(x, y, "stimulus_neuron"))
  over <- quietly(cka_interval(x, y, "stimulus_neuron", clusters = world$labels))
  c(true = truth, plain = plain$cka, over = over$cka, holds = !excludes(plain, truth),
    holds_over = !excludes(over, truth), undefined_over = is.na(over$se))
}

cat("\nPopulations of known CKA, 20 latents, 40 neurons: mean CKA, share of intervals holding it\n")
set.seed(2)
rows <- lapply(list(`20 clusters of 5` = in_clusters(20, 5),
                    `60 clusters of 3` = in_clusters(60, 3)), function(world) {
  t(vapply(c(12, 6, 2.6), function(rate) {
    rowMeans(replicate(sets, related(world, rate)), na.rm = TRUE)
  }, numeric(6)))
})
print(lapply(rows, signif, 3))

neighbour_measures <- list(
  mutual_knn = mutual_knn, knn_jaccard = knn_jaccard, cycle_knn = cycle_knn,
  rank_similarity = rank_similarity, lcs_knn = lcs_knn, edit_distance_knn = edit_distance_knn,
  second_order_cosine = second_order_cosine, cknna = cknna,
  `cknna, full` = function(...) cknna(..., centering = "full"),
  `cknna, unbiased` = function(...) cknna(..., estimator = "unbiased"), mka = mka, kcka = kcka
)

# The scores of two unrelated populations, with and without clusters, and those of as many
# independent stimuli.
unrelated_neighbours <- function(world, neurons = 40, dimensions = 5) {
  responses <- function(of) of$latent(dimensions) %*% normal(dimensions, neurons)
  single <- in_clusters(length(world$labels), 1)
  sides <- replicate(2, responses(world), simplify = FALSE)
  apart <- replicate(2, responses(single), simplify = FALSE)
  vapply(neighbour_measures, function(f) {
    c(plain = do.call(f, sides), over = do.call(f, c(sides, list(clusters = world$labels))),
      independent = do.call(f, apart))
  }, numeric(3))
}

cat("\nTwo unrelated populations (5 latents, 40 neurons each), 20 clusters of 5: mean score of\n",
    "neighbour measures; `over`: neighbours are those of other clusters; `independent`: of 100\n",
    "independent stimuli. error: the largest standard error of the three\n", sep = "")
set.seed(4)
scores <- replicate(sets, unrelated_neighbours(in_clusters(20, 5)))
means <- apply(scores, 2:1, mean)
print(signif(cbind(means, error = apply(apply(scores, 2:1, sd), 1, max) / sqrt(sets)), 3))

cat("\nmutual_knn of the same populations: standard deviation, and share of p <= 0.05; `over`:\n",
    "with clusters in calibrate() and, last, in the measure\n", sep = "")
set.seed(5)
world <- in_clusters(20, 5)
between <- measure("mutual_knn", clusters = world$labels)
rejected <- rowMeans(replicate(sets, {
  x <- world$latent(5) %*% normal(5, 40)
  y <- world$latent(5) %*% normal(5, 40)
  p_value <- function(...) quietly(calibrate(x, y, ..., permutations = 99))$p_value
  c(rejected = p_value("mutual_knn"), over = p_value("mutual_knn", clusters = world$labels),
    over_between = p_value(between, clusters = world$labels)) <= 0.05
}))
spread <- apply(scores[, "mutual_knn", ], 1, sd)
print(signif(c(sd = spread, rejected), 3))
