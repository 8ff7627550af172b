# How often one neuron has more than 90% of the variance of a side, where gains are lognormal: the
# cases in which a column is told (repalign_dominant) that is a neuron after all.
#
# Rscript bench/input.R

set.seed(1)
sets <- 1e5
for (sd in c(0.5, 1)) for (neurons in c(5, 10, 100)) {
  variance <- matrix(exp(2 * stats::rnorm(sets * neurons, sd = sd)), neurons)
  share <- do.call(pmax, asplit(variance, 1)) / colSums(variance)
  cat(sprintf("gains of sd %.1f (log), %3d neurons: %.2f%% of %d sets\n", sd, neurons,
              100 * mean(share > 0.9), as.integer(sets)))
}
