# The bias of the corrected CKA as a ratio, and intervals for populations of neurons:
#   Rscript bench/ratio.R [replicates, default 80 and 300] [parts: bias, neurons]
# (The first part takes a quarter of an hour.)
# (bias) Mean, standard deviation and root mean square error of `cka` and `cka_corrected` of
# cka_interval(), for neurons with equal gains, with log-normal gains (standard deviation 0.8 of the
# logarithm), and divided by their standard deviations; over the data sets in which the correction
# is given, and how many those are. Then what other corrections, and other limits, would do.
# (neurons) How often the intervals of brain_to_brain() hold the value of the population of neurons,
# with the recorded neurons held fixed and with both sides' neurons in `over`.

library(repalign)

args <- commandArgs(TRUE)
replicates <- function(default) {
  as.integer(c(grep("^[0-9]+$", args, value = TRUE), default)[1])
}
parts <- grep("^[0-9]+$", args, value = TRUE, invert = TRUE)
wanted <- function(part) !length(parts) || part %in% parts
options(width = 160)
internal <- asNamespace("repalign")

# Populations that share their stimuli: Gaussian stimulus dimensions, whose spectra of weights give
# the CKA. Private noise of the neurons (`noise`: its standard deviation over that of the signal)
# and independent gains leave it as it is.
draw_pair <- function(n, q, spectrum, gain = 0, noise = 0) {
  d <- length(spectrum$x)
  stimuli <- matrix(rnorm(n * d), n)
  lapply(spectrum, function(l) {
    signal <- stimuli %*% (sqrt(l) * matrix(rnorm(d * q), d))
    sweep(signal + noise * sqrt(sum(l)) * matrix(rnorm(n * q), n), 2, exp(gain * rnorm(q)), "*")
  })
}

cka_of <- function(s) sum(s$x * s$y) / sqrt(sum(s$x^2) * sum(s$y^2))

# (bias) ----

worlds <- list(
  decay = list(spectrum = list(x = rep(1, 20), y = exp(-0.45 * 1:20)), noise = 0),
  `decay, noisy` = list(spectrum = list(x = rep(1, 20), y = exp(-0.45 * 1:20)), noise = 0.7),
  same = list(spectrum = list(x = rep(1, 10), y = rep(1, 10)), noise = 0),
  power = list(spectrum = list(x = seq_len(200)^-0.5, y = rev(seq_len(200)^-0.5)), noise = 0)
)

# Divided by its standard deviation, a neuron with the weights w has w_i^2 / (|w|^2 + noise) on
# dimension i, whose means over many neurons are the spectrum of the population.
normalised_spectrum <- function(world) {
  lapply(world$spectrum, function(l) {
    squares <- matrix(rnorm(5e3 * length(l))^2, 5e3) * rep(l, each = 5e3)
    colMeans(squares / (rowSums(squares) + world$noise^2 * sum(l)))
  })
}

draw_kind <- function(n, q, world, kind) {
  gain <- if (kind == "gains") 0.8 else 0
  pair <- draw_pair(n, q, world$spectrum, gain, world$noise)
  if (kind == "normalised") lapply(pair, scale) else pair
}

# Every correction of one data set, with what decides whether it is given.
corrections <- function(x, y) {
  row <- suppressWarnings(cka_interval(x, y, "stimulus_neuron"))
  pair <- with(internal, as_pair(representation(x, "x"), representation(y, "y")))
  layout <- internal$unit_layout(pair, list(shared_neurons = FALSE))
  loo <- internal$leave_out_sums(pair, layout)
  h <- lapply(loo[c("xy", "xx", "yy")], internal$h_table, estimator = "stimulus_neuron")
  moments <- internal$two_way_moments(h, loo)
  theta <- matrix(internal$ratio_of(vapply(h, as.vector, numeric(length(h$xy)))), nrow(h$xy))
  share <- vapply(pair[c("x", "y")], function(repr) {
    internal$effective_count(colSums(scale(repr$data, scale = FALSE)^2)) / ncol(repr$data)
  }, 0)
  c(plain = row$cka, given = row$correction == "given",
    # no number where a denominator is negative
    corrected = suppressWarnings(internal$corrected_ratio(moments$mean, moments$cov)),
    minus_bias = row$cka - row$bias,
    logarithm = row$cka * exp(-row$bias / row$cka), jackknife(theta, layout$strata),
    error = max(sqrt(diag(moments$cov)[2:3]) / abs(moments$mean[2:3])), share = min(share),
    low = row$conf_low, high = row$conf_high)
}

# The bias that each factor's deletions show: subtracted apart, and one after the other.
jackknife <- function(theta, strata) {
  n <- nrow(theta) - 1
  stimuli <- (n - 1) * (mean(theta[-1, 1]) - theta[1, 1])
  units <- crossed <- 0
  for (at in strata) {
    at <- 1 + at
    q <- length(at)
    units <- units + (q - 1) * (mean(theta[1, at]) - theta[1, 1])
    crossed <- crossed + (n - 1) * (q - 1) * mean(internal$deletion_interaction(theta, at))
  }
  c(jackknife = theta[1, 1] - stimuli - units,
    crossed = theta[1, 1] - stimuli - units + crossed)
}

bias_cell <- function(n, q, world, kind) {
  truth <- if (kind == "normalised") cka_of(normalised_spectrum(worlds[[world]]))
           else cka_of(worlds[[world]]$spectrum)
  runs <- t(replicate(replicates(80), {
    pair <- draw_kind(n, q, worlds[[world]], kind)
    corrections(pair$x, pair$y)
  }))
  data.frame(kind = kind, world = world, n = n, Q = q, truth = truth, runs, row.names = NULL)
}

root_mean_square <- function(error) sqrt(mean(error^2))

# Data sets with a ratio, of which `use` are corrected: errors of both there.
compare_cell <- function(cell, use, column = "corrected") {
  defined <- !is.na(cell$plain)
  use <- use & defined
  plain <- (cell$plain - cell$truth)[use]
  corrected <- (cell[[column]] - cell$truth)[use]
  data.frame(cell[1, c("kind", "world", "n", "Q", "truth")], defined = mean(defined),
             given = mean(use), bias = mean(plain), bias_corrected = mean(corrected),
             sd = sd(plain), sd_corrected = sd(corrected), rmse = root_mean_square(plain),
             rmse_corrected = root_mean_square(corrected),
             covers = mean((cell$low <= cell$truth & cell$truth <= cell$high)[use], na.rm = TRUE))
}

# Over the cells in which at least a fifth of the data sets are corrected.
judge <- function(cells, use_of, column) {
  rows <- do.call(rbind, lapply(cells, function(cell) {
    compare_cell(cell, use_of(cell) %in% TRUE, column)
  }))
  rows <- rows[rows$given >= 0.2, ]
  data.frame(correction = column, cells = nrow(rows), given = mean(rows$given),
             bias = mean(abs(rows$bias)), bias_corrected = mean(abs(rows$bias_corrected)),
             less_biased = mean(abs(rows$bias_corrected) < abs(rows$bias)),
             rmse = mean(rows$rmse), rmse_corrected = mean(rows$rmse_corrected),
             mse_not_raised = mean(rows$rmse_corrected <= 1.005 * rows$rmse),
             worst = max(rows$rmse_corrected / rows$rmse))
}

judge_all <- function(cells) {
  limits <- expand.grid(share = c(1.01, 0.5, 0.4, 0.3), error = c(0.5, 0.7, 1, Inf))
  rows <- Map(function(share, error) {
    use <- function(cell) cell$share < share & cell$error < error
    columns <- c("corrected", "minus_bias", "logarithm", "jackknife", "crossed")
    rows <- do.call(rbind, lapply(columns, function(column) judge(cells, use, column)))
    data.frame(share_below = share, error_below = error, rows)
  }, limits$share, limits$error)
  do.call(rbind, rows)
}

if (wanted("bias")) {
  set.seed(11)
  grid <- expand.grid(n = c(30, 60, 120, 500), Q = c(10, 25, 40, 80), world = names(worlds),
                      kind = c("equal", "gains", "normalised"), stringsAsFactors = FALSE)
  cells <- Map(bias_cell, grid$n, grid$Q, grid$world, grid$kind)
  rows <- do.call(rbind, lapply(cells, function(cell) compare_cell(cell, cell$given == 1)))
  all <- do.call(rbind, lapply(cells, function(cell) compare_cell(cell, TRUE)))
  cat("Where the correction is given to a fifth of the data sets or more\n")
  print(format(rows[rows$given >= 0.2, ], digits = 2), row.names = FALSE)
  cat("\nThe plain ratio in all data sets in which it is defined\n")
  print(format(all[c("kind", "world", "n", "Q", "truth", "defined", "bias", "sd", "rmse",
                     "covers")], digits = 2), row.names = FALSE)
  cat("\nAll corrections by limits: of the share of neurons that count, and of the relative",
      "standard\nerror of denominators. Biases are absolute; worst: largest ratio of root mean",
      "square errors\n")
  print(format(judge_all(cells), digits = 2), row.names = FALSE)
}

# (neurons) ----

# What pooled values aim at: the ratio of expected H values of `size` neurons.
pooled_truth <- function(spectrum, size, estimator) {
  self <- function(l) {
    if (estimator == "stimulus_neuron") return(sum(l^2))
    ((size - 1) * sum(l^2) + sum(l)^2 + 2 * sum(l^2)) / size
  }
  sum(spectrum$x * spectrum$y) / sqrt(self(spectrum$x) * self(spectrum$y))
}

pooled_rows <- function(n, q, rate, sizes, runs) {
  spectrum <- list(x = rep(1, 20), y = exp(-rate * 1:20))
  estimators <- c("stimulus", "stimulus_neuron")
  neurons <- c("neurons_x", "neurons_y")
  found <- lapply(seq_len(runs), function(r) {
    pair <- draw_pair(n, q, spectrum)
    seed <- sample.int(1e6, 1)
    once <- function(sampled) {
      set.seed(seed)
      suppressWarnings(brain_to_brain(pair$x, pair$y, neurons = sizes, estimator = estimators,
                                      repeats = 100, over = c("stimuli", if (sampled) neurons)))
    }
    list(fixed = once(FALSE), sampled = once(TRUE))
  })
  keys <- found[[1]]$fixed[c("neurons", "estimator")]
  column <- function(kind, column) sapply(found, function(run) run[[kind]][[column]])
  truth <- mapply(pooled_truth, size = keys$neurons, estimator = keys$estimator,
                  MoreArgs = list(spectrum = spectrum))
  covers <- function(kind) {
    rowMeans(column(kind, "conf_low") <= truth & truth <= column(kind, "conf_high"), na.rm = TRUE)
  }
  pooled <- column("fixed", "pooled")
  data.frame(cka = cka_of(spectrum), n = n, Q = q, keys, target = truth, mean = rowMeans(pooled),
             sd = apply(pooled, 1, sd), se_stimuli = rowMeans(column("fixed", "pooled_se")),
             covers = covers("fixed"), se_sampled = rowMeans(column("sampled", "pooled_se")),
             covers_sampled = covers("sampled"))
}

if (wanted("neurons")) {
  set.seed(12)
  grid <- expand.grid(rate = c(0.6, 0.3, 0.1), size = 1:2)
  sizes <- list(c(60, 40), c(120, 80))
  rows <- Map(function(rate, size) {
    n <- sizes[[size]][1]
    q <- sizes[[size]][2]
    pooled_rows(n, q, rate, c(8, 20, q), replicates(300))
  }, grid$rate, grid$size)
  rows <- do.call(rbind, rows)
  cat("\nIntervals of brain_to_brain() for the population of neurons\n")
  print(format(rows, digits = 3), row.names = FALSE)
  cat(sprintf("neurons held fixed: %.2f to %.2f; sampled: %.2f to %.2f\n", min(rows$covers),
              max(rows$covers), min(rows$covers_sampled), max(rows$covers_sampled)))
}
