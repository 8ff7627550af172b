# What noise of trials does to H and CKA, with and without the correction by trials, the coverage of
# intervals, and times:
#   Rscript bench/responses.R [data sets]
# 60 stimuli, 30 + 30 neurons recorded together in three sessions, in which neurons of both areas
# share noise. Bias and sd are relative to the mean H value of the same data without noise.

library(repalign)
replicates <- as.integer(c(commandArgs(TRUE), 200)[1])
set.seed(12)
session <- rep(1:3, each = 10)
dimensions <- 6
cka_of_latents <- 0.5

# Rows are stimuli. In the Gaussian settings neurons are linear in 6 latent variables; in the
# Poisson one the logarithms of rates are.
signals <- function(n, q, poisson) {
  z <- matrix(rnorm(n * dimensions), n)
  w <- sqrt(cka_of_latents) * z + sqrt(1 - cka_of_latents) * matrix(rnorm(n * dimensions), n)
  neurons <- function(latents) {
    linear <- latents %*% matrix(rnorm(dimensions * q), dimensions) / sqrt(dimensions)
    if (poisson) exp(1 + 0.5 * linear) else linear
  }
  list(x = neurons(z), y = neurons(w))
}

# Half of the noise variance is shared within each session, which has neurons of both areas, with
# loadings that are the same in all trials. Counts share a gain of the trial within each session.
trials_of <- function(signal, noise, poisson, trials) {
  n <- nrow(signal$x)
  loadings <- lapply(signal, function(means) rep(rnorm(30), each = n))
  draw <- function() {
    shared <- matrix(rnorm(n * 3), n)[, session]
    Map(function(means, load) {
      if (poisson) return(matrix(rpois(length(means), means * exp(0.3 * shared - 0.045)), n))
      means + sqrt(noise / 2) * (shared * load + rnorm(length(means)))
    }, signal, loadings)
  }
  drawn <- replicate(trials, draw(), simplify = FALSE)
  lapply(c(x = "x", y = "y"), function(side) simplify2array(lapply(drawn, `[[`, side)))
}

h_values <- function(x, y) {
  c(suppressMessages(hsic(x, x)), suppressMessages(hsic(x, y)))
}

h_of_means <- function(x, y) {
  c(hsic(x, x, estimator = "stimulus_neuron", shared_neurons = TRUE),
    suppressMessages(hsic(x, y, estimator = "stimulus_neuron")))
}

# The same from one matrix of responses each, which may have noise of its own: neurons are left out
# with themselves, or with all of their session.
h_of_pair <- function(x, other, y, units = NULL) {
  if (!is.null(units)) {
    return(c(hsic(x, x, estimator = "stimulus_neuron", units_x = units, units_y = units),
             hsic(x, y, estimator = "stimulus_neuron", units_x = units, units_y = units)))
  }
  c(hsic(x, other, estimator = "stimulus_neuron", shared_neurons = TRUE),
    hsic(x, y, estimator = "stimulus_neuron"))
}

# What is done without the corrections by trials: means of random halves of the trials, and pairs of
# single trials.
halves_at_once <- 10

h_of_halves <- function(data) {
  trials <- dim(data$x)[3]
  size <- trials %/% 2
  mean_of <- function(values, at) rowMeans(values[, , at, drop = FALSE], dims = 2)
  rowMeans(replicate(if (trials == 2) 1 else halves_at_once, {
    order <- sample.int(trials)
    one <- order[seq_len(size)]
    two <- order[size + seq_len(size)]
    suppressMessages(h_of_pair(mean_of(data$x, one), mean_of(data$x, two),
                               mean_of(data$y, two)))
  }))
}

h_of_trial_pairs <- function(data) {
  trials <- dim(data$x)[3]
  pairs <- expand.grid(t = seq_len(trials), s = seq_len(trials))
  pairs <- pairs[pairs$t != pairs$s, ]
  rowMeans(mapply(function(t, s) {
    suppressMessages(h_of_pair(data$x[, , t], data$x[, , s], data$y[, , s]))
  }, pairs$t, pairs$s))
}

declared <- function(data, ...) {
  Map(function(values, neurons) responses(values, neuron = neurons, ...), data,
      list(1:30, 31:60))
}

one_set <- function(noise, poisson, trials) {
  signal <- signals(60, 30, poisson)
  data <- trials_of(signal, noise, poisson, trials)
  plain <- declared(data)
  by_session <- declared(data, session = session)
  means <- lapply(data, rowMeans, dims = 2)
  interval <- suppressWarnings(suppressMessages(
    cka_interval(by_session$x, by_session$y, estimator = "stimulus_neuron_trial")))
  c(h_of_means(signal$x, signal$y), h_of_means(means$x, means$y), h_values(plain$x, plain$y),
    h_values(by_session$x, by_session$y), interval$cka, interval$se, interval$conf_low,
    interval$conf_high, h_of_pair(means$x, means$x, means$y, session), h_of_halves(data),
    h_of_trial_pairs(data))
}

# The CKA of the populations: exact for linear neurons, else from a large sample.
truth_of <- function(poisson) {
  if (!poisson) return(cka_of_latents)
  large <- signals(3000, 1000, TRUE)
  suppressMessages(cka(large$x, large$y, estimator = "stimulus_neuron"))
}

one_row <- function(name, noise, poisson, trials, truth) {
  sets <- vapply(seq_len(replicates), function(r) one_set(noise, poisson, trials), numeric(18))
  base <- rowMeans(sets[1:2, ])
  error <- function(rows) (sets[rows, ] - sets[1:2, ]) / base
  bias <- function(rows) 100 * rowMeans(error(rows))
  sd <- function(rows) apply(error(rows), 1, stats::sd)
  z <- function(rows) rowMeans(error(rows)) / sd(rows) * sqrt(replicates)
  known <- !is.na(sets[10, ])
  held <- sets[11, known] <= truth & truth <= sets[12, known]
  data.frame(noise = name, trials = trials, means_xx = bias(3:4)[1], means_xy = bias(3:4)[2],
             a_xx = sd(13:14)[1], a_xy = sd(13:14)[2], b_xx = sd(15:16)[1], b_xy = sd(15:16)[2],
             c_xx = sd(17:18)[1], c_xy = sd(17:18)[2],
             new_xx = sd(5:6)[1], new_xy = sd(5:6)[2], z_xx = z(5:6)[1], z_xy = z(5:6)[2],
             by_session_xx = sd(7:8)[1], by_session_xy = sd(7:8)[2],
             median = stats::median(sets[9, ], na.rm = TRUE), truth = truth,
             ratio = stats::median(sets[10, known]) / stats::mad(sets[9, known]),
             no_interval = sum(!known), coverage = mean(held))
}

settings <- expand.grid(trials = c(2, 3, 4, 10), name = c("low", "high", "Poisson"))
noise <- c(low = 1.2, high = 4.8, Poisson = 0)
truths <- c(truth_of(FALSE), truth_of(TRUE))
options(width = 220)
for (i in seq_len(nrow(settings))) {
  name <- as.character(settings$name[i])
  poisson <- name == "Poisson"
  row <- one_row(name, noise[[name]], poisson, settings$trials[i], truths[1 + poisson])
  print(format(row, digits = 2), row.names = FALSE)
}
cat(sprintf("\n%d data sets a row. means: bias in percent of trial means. new, by_session: sd\n",
            replicates))
cat("of the corrected values because of noise; z: of their bias. The same of others: a, trial\n")
cat("means without pairs of neurons of a session; b, halves of the trials; c, pairs of trials.\n")
cat("ratio: median standard error over the spread of the CKA (by session); coverage of its\n")
cat("nominal 95% intervals.\n")

# Two to ten trials a stimulus, and a fifth of those of the second area missing: the corrected
# values from all of them, and from the first two trials of each stimulus.
set.seed(14)
unequal <- vapply(seq_len(replicates), function(r) {
  signal <- signals(60, 30, FALSE)
  data <- trials_of(signal, noise[["low"]], FALSE, 10)
  count <- sample(2:10, 60, TRUE)
  for (i in 1:60) for (side in c("x", "y")) data[[side]][i, , seq_len(10) > count[i]] <- NA
  gone <- matrix(runif(600) < 0.2, 60)
  gone[, 1:2] <- FALSE
  for (t in 3:10) data$y[gone[, t], , t] <- NA
  all <- declared(data)
  two <- declared(lapply(data, function(values) values[, , 1:2]))
  c(h_of_means(signal$x, signal$y), h_values(all$x, all$y), h_values(two$x, two$y))
}, numeric(6))
error <- function(rows) (unequal[rows, ] - unequal[1:2, ]) / rowMeans(unequal[1:2, ])
cat("\nlow noise, 2 to 10 trials by stimulus, some of y missing (all of them; the first two):\n")
cat("sd of H_xx, H_xy, and z of their bias\n")
for (rows in list(all = 3:4, two = 5:6)) {
  sd <- apply(error(rows), 1, stats::sd)
  print(c(sd = sd, z = rowMeans(error(rows)) / sd * sqrt(replicates)), digits = 2)
}

# Dimensionality of one area without noise, of trial means, and corrected.
set.seed(13)
dimensionality <- function(name, trials) {
  sets <- vapply(seq_len(replicates %/% 2), function(r) {
    signal <- signals(60, 30, FALSE)
    x <- trials_of(signal, noise[[name]], FALSE, trials)$x
    of <- function(values) suppressWarnings(participation_ratio(values)$stimulus_neuron)
    c(of(signal$x), of(rowMeans(x, dims = 2)), of(responses(x)))
  }, numeric(3))
  medians <- apply(sets, 1, stats::median, na.rm = TRUE)
  data.frame(noise = name, trials = trials, without_noise = medians[1], means = medians[2],
             new = medians[3], undefined = sum(is.na(sets[3, ])))
}
cat("\nDimensionality of 6 latent variables (medians):\n")
print(format(do.call(rbind, Map(dimensionality, c("low", "low", "high", "high", "high"),
                                c(2, 4, 2, 4, 10))), digits = 3), row.names = FALSE)

# Two trials of some stimuli only, against a model without noise: the median error of the CKA from
# trials, of that from the stimuli with two trials alone, and of that from trial means.
set.seed(15)
few_repeats <- function(truth, name, share) {
  cka_of_latents <<- truth
  errors <- vapply(seq_len(replicates), function(r) {
    signal <- signals(60, 30, FALSE)
    values <- trials_of(signal, noise[[name]], FALSE, 2)$x
    two <- seq_len(round(60 * share))
    values[-two, , 2] <- NA
    x <- responses(values)
    of <- function(x, y, estimator) {
      abs(suppressMessages(suppressWarnings(cka(x, y, estimator = estimator))) - truth)
    }
    c(of(x, signal$y, "stimulus_neuron_trial"),
      of(x[two, , ], signal$y[two, ], "stimulus_neuron_trial"),
      of(as.matrix(x), signal$y, "stimulus_neuron"))
  }, numeric(3))
  found <- apply(errors, 1, stats::median, na.rm = TRUE)
  data.frame(cka = truth, noise = name, share = share, trials = found[1],
             repeated_alone = found[2], means = found[3])
}
cat("\nTwo trials of a share of the stimuli, median errors of the CKA:\n")
shares <- expand.grid(share = c(1 / 6, 1 / 3, 1 / 2, 2 / 3, 1), noise = c("low", "high"),
                      cka = c(0.5, 0.9), stringsAsFactors = FALSE)
print(format(do.call(rbind, Map(few_repeats, shares$cka, shares$noise, shares$share)), digits = 2),
      row.names = FALSE)

timed <- function(n, q, t) {
  x <- responses(array(rnorm(n * q * t), c(n, q, t)))
  repr <- repalign:::representation(x, "x")
  sample <- repalign:::trial_sample(repr, repr)
  least <- function(code) min(vapply(1:5, function(i) system.time(code())[[3]], 0))
  data.frame(n = n, neurons = q, trials = t, prepared = least(function() {
    repr$cache <- repalign:::new_cache()
    repalign:::trial_sample(repr, repr)
  }), all = least(function() repalign:::trial_terms(sample)),
  total = least(function() repalign:::sum_of_allowed(sample, NULL)),
  deletions = least(function() repalign:::trial_columns(sample)))
}
cat("\nSeconds, with", repalign:::thread_count(), "threads: preparation, H of all neuron pairs,",
    "their sum alone, and\nsums without each stimulus\n")
print(rbind(timed(200, 100, 10), timed(200, 300, 20)), row.names = FALSE)
