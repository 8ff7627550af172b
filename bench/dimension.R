# Mean dimensionalities against the true one, and how often their intervals hold it:
#   Rscript bench/dimension.R [replicates]
# Neurons, stimuli and noise are drawn anew in every replicate. "former" is the estimate that
# corrected the denominator only: (mean variance)^2 over the H value of different neurons.

library(repalign)
replicates <- as.integer(c(commandArgs(TRUE), 200)[1])
set.seed(30)

# Populations of `d` equal dimensions; gains of neurons are log-normal with this standard deviation
# of their logarithm; noise: its standard deviation in each neuron and trial relative to that of
# the signal, half of it shared by all neurons.
draw <- function(n, q, d, gain, noise, trials) {
  signal <- matrix(rnorm(n * d), n) %*% matrix(rnorm(d * q), d)
  gains <- exp(rnorm(q, sd = gain))
  one <- function() {
    shared <- outer(rnorm(n), rnorm(q))
    own <- matrix(rnorm(n * q), n)
    sweep(signal + noise * sqrt(d / 2) * (shared + own), 2, gains, "*")
  }
  simplify2array(lapply(seq_len(trials), function(t) one()))
}

former <- function(x) {
  h <- hsic(x, x, estimator = "stimulus_neuron", shared_neurons = TRUE)
  mean(apply(x, 2, var))^2 / h
}

one_cell <- function(n, q, d, gain, noise, trials) {
  runs <- vapply(seq_len(replicates), function(r) {
    x <- draw(n, q, d, gain, noise, trials)
    row <- suppressWarnings(participation_ratio(x, conf_level = 0.95))
    held <- row$stimulus_neuron_low <= d && d <= row$stimulus_neuron_high
    c(row$naive, row$stimulus, row$stimulus_neuron, row$stimulus_neuron_se, held,
      former(apply(x, 1:2, mean)))
  }, numeric(6))
  mean_of <- function(row) mean(runs[row, ], na.rm = TRUE)
  # the population's value is a ratio of means; the median is not moved by a few large ratios
  data.frame(n = n, neurons = q, gain = gain, noise = noise, trials = trials, truth = d,
             naive = mean_of(1), stimulus = mean_of(2), former = mean_of(6),
             corrected = mean_of(3), median = stats::median(runs[3, ], na.rm = TRUE),
             sd = stats::sd(runs[3, ], na.rm = TRUE), mean_se = mean_of(4),
             undefined = sum(is.na(runs[5, ])), coverage = mean_of(5))
}

cells <- rbind(
  expand.grid(size = 1:3, gain = c(0, 0.8), noise = 0, trials = 1),
  expand.grid(size = 1:3, gain = c(0, 0.8), noise = 0.7, trials = c(1, 2, 4))
)
sizes <- list(c(60, 40, 10), c(120, 80, 20), c(120, 25, 20))
rows <- lapply(seq_len(nrow(cells)), function(i) {
  size <- sizes[[cells$size[i]]]
  one_cell(size[1], size[2], size[3], cells$gain[i], cells$noise[i], cells$trials[i])
})
options(width = 150)
print(format(do.call(rbind, rows), digits = 3), row.names = FALSE)
cat(sprintf("\n%d replicates a row. With one trial the noise counts as dimensions.\n", replicates))
