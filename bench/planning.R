# How right plan_recording() is:
#   Rscript bench/planning.R [designs] [small] [model] [difference] [trials] [power] [assumed]
#                            [noisy] [pilots=100] [truth=400] [cores=2]
# For each design the standard deviation of the scores of `truth` data sets with new stimuli and
# neurons ("true"), and what `pilots` pilots predict of it: the median and the 10% and 90% quantiles
# of predicted / true. Power: the share of `truth` data sets that calibrate() (or, for two models,
# a t test by score_interval()) finds significant, and the median of what the pilots predict.
# "noisy": pilots of four noisy trials whose neurons share noise. Predicted errors for twice the
# trials, how many of them are below 0.002 or not known, and the stimuli that are solved for.

suppressMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
pilots <- setting("pilots", 100L)
truths <- setting("truth", 400L)
cores <- setting("cores", 2L)
options(width = 150)


# Each set has a seed of its own, so that results do not depend on the number of cores.
sets_of <- function(count, code, seed) {
  results <- parallel::mclapply(seq_len(count), function(i) {
    set.seed(seed * 100000 + i)
    tryCatch(quietly(code()), repalign_error = function(e) NULL)
  }, mc.cores = cores)
  Filter(Negate(is.null), results)
}

# ---- data

# Latent variables drive the neurons; a share of their variance is common to both sides. spectrum:
# the standard deviations of the latents; gain: of the logarithms of the gains of neurons.
populations <- list(
  even = list(spectrum = rep(1, 8), share = 0.8, gain = 0, noise = 0.5),
  spread = list(spectrum = (1:30)^-0.5, share = 0.8, gain = 0.4, noise = 0.5),
  weak = list(spectrum = rep(1, 8), share = 0.3, gain = 0, noise = 1)
)

latents <- function(n, of) {
  d <- length(of$spectrum)
  a <- matrix(rnorm(n * d), n)
  b <- sqrt(of$share) * a + sqrt(1 - of$share) * rnorm(n * d)
  list(a = sweep(a, 2, of$spectrum, "*"), b = sweep(b, 2, of$spectrum, "*"))
}

neurons <- function(latent, q, of, weights = NULL) {
  d <- ncol(latent)
  if (is.null(weights)) weights <- matrix(rnorm(d * q), d) / sqrt(sum(of$spectrum^2))
  values <- latent %*% weights + of$noise * rnorm(nrow(latent) * ncol(weights))
  sweep(values, 2, exp(of$gain * rnorm(ncol(weights))), "*")
}

corrected <- measure("cka", estimator = "stimulus_neuron")

score <- function(x, y) similarity(x, y, corrected)$score

# ---- tables

show <- function(title, rows) {
  cat("\n", title, "\n", sep = "")
  rows <- do.call(rbind, rows)
  rownames(rows) <- NULL
  print(rows, digits = 3)
}

compared <- function(predicted, true) {
  q <- quantile(predicted / true, c(0.5, 0.1, 0.9), na.rm = TRUE, names = FALSE)
  data.frame(true = true, median = q[1], low = q[2], high = q[3])
}

# plans: a list of plans of the same grid; true: a function(design) with the true standard error.
table_of <- function(name, plans, true) {
  designs <- as.data.frame(plans[[1]])[1:4]
  se <- vapply(plans, function(plan) plan$se, numeric(nrow(designs)))
  se <- matrix(se, nrow(designs))
  lapply(seq_len(nrow(designs)), function(i) {
    data.frame(population = name, designs[i, ], pilots = length(plans),
               compared(se[i, ], true(designs[i, ], i)), extrapolated = plans[[1]]$extrapolated[i])
  })
}

pair_of <- function(n, q, p, of) {
  z <- latents(n, of)
  list(x = neurons(z$a, q, of), y = neurons(z$b, p, of))
}

spread_of_pairs <- function(of) function(design, i) {
  sd(unlist(sets_of(truths, function() {
    data <- pair_of(design$stimuli, design$neurons_x, design$neurons_y, of)
    score(data$x, data$y)
  }, 10 + i)), na.rm = TRUE)
}

pair_designs <- function(name, n, q, stimuli, sizes) {
  of <- populations[[name]]
  plans <- sets_of(pilots, function() {
    data <- pair_of(n, q, q, of)
    plan_recording(data$x, data$y, stimuli = stimuli, neurons_x = sizes, neurons_y = sizes)
  }, 1)
  same <- plans[[1]]$neurons_x == plans[[1]]$neurons_y
  plans <- lapply(plans, function(plan) as.data.frame(plan)[same, ])
  table_of(name, plans, spread_of_pairs(of))
}

if (wanted("designs")) {
  for (name in names(populations)) {
    show("Pilots of 60 stimuli x 40 + 40 neurons",
         pair_designs(name, 60, 40, c(30, 60, 120, 300), c(10, 20, 40, 80, 200)))
  }
}

if (wanted("small")) {
  show("Pilots of 40 stimuli x 15 + 15 neurons",
       pair_designs("even", 40, 15, c(40, 120), c(15, 40, 80)))
}

# ---- a model, whose units are all that there are

model_weights <- function(of, units) {
  matrix(rnorm(length(of$spectrum) * units), length(of$spectrum)) / sqrt(sum(of$spectrum^2))
}

# weights: of each model.
against_models <- function(n, q, of, shares, weights) {
  z <- latents(n, of)
  d <- length(of$spectrum)
  models <- lapply(seq_along(shares), function(i) {
    b <- sqrt(shares[i]) * z$a + sweep(sqrt(1 - shares[i]) * matrix(rnorm(n * d), n), 2,
                                      of$spectrum, "*")
    neurons(b, 0, replace(of, c("gain", "noise"), list(0, 0)), weights[[i]])
  })
  list(x = neurons(z$a, q, of), models = stats::setNames(models, paste0("m", seq_along(shares))))
}

# H(y, y) corrected for stimuli only.
fixed_score <- function(x, y) {
  hsic(x, y, estimator = "stimulus") /
    sqrt(hsic(x, x, estimator = "stimulus_neuron", shared_neurons = TRUE) *
           hsic(y, y, estimator = "stimulus"))
}

if (wanted("model")) {
  rows <- lapply(names(populations)[1:2], function(name) {
    of <- populations[[name]]
    set.seed(1)
    weights <- list(model_weights(of, 100))
    plans <- sets_of(pilots, function() {
      data <- against_models(60, 40, of, of$share, weights)
      plan_recording(data$x, data$models$m1, c(60, 120, 300), c(20, 40, 80, 200),
                     complete = "y")
    }, 2)
    true <- function(design, i) sd(unlist(sets_of(truths, function() {
      data <- against_models(design$stimuli, design$neurons_x, of, of$share, weights)
      fixed_score(data$x, data$models$m1)
    }, 40 + i)))
    do.call(rbind, table_of(name, plans, true))
  })
  show("A model of 100 fixed units; pilots of 60 stimuli x 40 neurons", rows)
}

# ---- two models

if (wanted("difference")) {
  of <- populations$even
  shares <- c(0.7, 0.5)
  set.seed(1)
  weights <- list(model_weights(of, 100), model_weights(of, 100))
  grid <- list(stimuli = c(60, 120, 300), neurons = c(20, 40, 120))
  plans <- sets_of(pilots, function() {
    data <- against_models(60, 40, of, shares, weights)
    plan_recording(data$x, data$models, grid$stimuli, grid$neurons, difference = 0.15,
                   complete = "y")
  }, 3)
  tests <- function(design, i) do.call(rbind, sets_of(truths, function() {
    data <- against_models(design$stimuli, design$neurons_x, of, shares,
                           weights)
    a <- fixed_score(data$x, data$models$m1)
    b <- fixed_score(data$x, data$models$m2)
    plan <- plan_recording(data$x, data$models, complete = "y")
    c(a - b, abs(a - b) > qt(0.975, plan$df) * plan$se)
  }, 60 + i))
  found <- Map(tests, split(plans[[1]], seq_len(nrow(plans[[1]]))), seq_len(nrow(plans[[1]])))
  rows <- do.call(rbind, table_of("even", plans, function(design, i) sd(found[[i]][, 1])))
  means <- vapply(found, function(tested) mean(tested[, 1]), 0)
  # power for the true mean difference of each design
  predicted <- vapply(seq_along(found), function(i) {
    power <- vapply(plans, function(plan) {
      quantile <- qt(0.975, plan$df[i])
      pnorm(abs(means[i]) / plan$se[i] - quantile)
    }, 0)
    median(power)
  }, 0)
  rows <- cbind(rows, difference = means, power = vapply(found, function(t) mean(t[, 2]), 0),
                predicted = predicted)
  show("The difference of two models; pilots of 60 stimuli x 40 neurons", list(rows))
}

# ---- trials

trials_of <- function(n, q, p, t, of, level) {
  z <- latents(n, of)
  x <- neurons(z$a, q, replace(of, "noise", list(0)))
  noise <- array(rnorm(n * q * t), c(n, q, t)) * level
  list(x = array(x, c(n, q, t)) + noise, y = neurons(z$b, p, of))
}

trial_designs <- function(level) {
  of <- populations$even
  plans <- sets_of(pilots, function() {
    data <- trials_of(60, 40, 40, 4, of, level)
    plan <- plan_recording(responses(data$x), data$y, c(60, 200), c(40, 100), c(40, 100),
                           trials = c(1, 2, 4, 8, 16))
    as.data.frame(plan)[plan$neurons_x == plan$neurons_y &
                          (plan$stimuli == 60) == (plan$neurons_x == 40), ]
  }, 4)
  true <- function(design, i) sd(unlist(sets_of(truths, function() {
    data <- trials_of(design$stimuli, design$neurons_x, design$neurons_y, design$trials, of, level)
    score(rowMeans(data$x, dims = 2), data$y)
  }, 80 + i)))
  table_of(paste("even, noise", level), plans, true)
}

if (wanted("trials")) {
  show("Pilots of 60 stimuli x 40 + 40 neurons x 4 trials; noise in units of the signal",
       c(trial_designs(0.75), trial_designs(1.5)))
}

# ---- noisy trials, a part of whose noise neurons share

noisy_pilot <- function(n, q, t, noise = 2) {
  spectrum <- rep(c(0.25, 1, 0.35), each = 12) * rep((1:12)^-0.5, 3)
  z <- matrix(rnorm(n * 36), n) %*% diag(spectrum)
  x <- z %*% matrix(rnorm(36 * q), 36) / 2
  loads <- rnorm(q) * 0.5
  trial <- function(k) x + outer(rnorm(n), loads) + noise * matrix(rnorm(n * q), n)
  list(x = vapply(seq_len(t), trial, x), y = z %*% matrix(rnorm(36 * 200), 36))
}

noisy_spread <- function(n, q, t, seed) {
  sd(unlist(sets_of(truths, function() {
    data <- noisy_pilot(n, q, t)
    cka(rowMeans(data$x, dims = 2), data$y, estimator = "stimulus_neuron", complete = "y")
  }, seed)))
}

noisy_errors <- function() {
  plans <- sets_of(pilots, function() {
    data <- noisy_pilot(100, 40, 4)
    as.data.frame(plan_recording(responses(data$x), data$y, trials = c(1, 2, 4, 8, 16),
                                 complete = "y"))
  }, 7)
  rows <- lapply(1:5, function(i) {
    se <- vapply(plans, function(plan) plan$se[i], 0)
    true <- noisy_spread(100, 40, plans[[1]]$trials[i], 140 + i)
    held <- vapply(plans, function(plan) {
      if (is.null(plan$se_low)) NA else plan$se_low[i] <= true && true <= plan$se_high[i]
    }, NA)
    data.frame(trials = plans[[1]]$trials[i], pilots = length(se), compared(se, true),
               near_zero = mean(se < 0.002), held = mean(held),
               no_df = mean(vapply(plans, function(plan) is.na(plan$df[i]), NA)))
  })
  show(paste("Pilots of 100 stimuli x 40 neurons x 4 noisy trials;", pilots - length(plans),
             "were refused"), rows)
}

# The number of stimuli of which the true error is the wanted one, between simulated ones.
noisy_solved <- function(target) {
  numbers <- c(30, 50, 80, 120, 200, 350, 600)
  true <- vapply(numbers, noisy_spread, 0, 20, 4, 150)
  truth <- exp(approx(log(true), log(numbers), log(target))$y)
  plans <- sets_of(pilots, function() {
    data <- noisy_pilot(60, 20, 4)
    plan <- plan_recording(responses(data$x), data$y, trials = 4, target_se = target,
                           complete = "y")
    found <- as.data.frame(summary(plan))[1, ]
    c(found$stimuli, if (is.null(found$low)) NA else found$low,
      if (is.null(found$high)) NA else found$high)
  }, 8)
  found <- do.call(rbind, plans)
  q <- quantile(replace(found[, 1], is.na(found[, 1]), Inf), c(0.1, 0.5, 0.9), names = FALSE,
                type = 1)
  data.frame(target = target, truth = truth, pilots = nrow(found), low = q[1], median = q[2],
             high = q[3], none = mean(is.na(found[, 1])),
             held = mean(found[, 2] <= truth & truth <= found[, 3]),
             endless = mean(is.infinite(found[, 3])))
}

if (wanted("noisy")) {
  noisy_errors()
  show("Stimuli for a wanted standard error; pilots of 60 stimuli x 20 neurons x 4 noisy trials",
       lapply(c(0.09, 0.075), noisy_solved))
}

# ---- power of calibrate()

if (wanted("power")) {
  of <- populations$weak
  grid <- expand.grid(stimuli = c(20, 30, 60, 120), neurons = c(10, 20, 40))
  plans <- sets_of(pilots, function() {
    data <- pair_of(60, 40, 40, of)
    plan <- plan_recording(data$x, data$y, unique(grid$stimuli), unique(grid$neurons),
                           unique(grid$neurons))
    as.data.frame(plan)[plan$neurons_x == plan$neurons_y, ]
  }, 5)
  rows <- lapply(seq_len(nrow(grid)), function(i) {
    found <- unlist(sets_of(truths, function() {
      data <- pair_of(grid$stimuli[i], grid$neurons[i], grid$neurons[i], of)
      calibrate(data$x, data$y, corrected, permutations = 199)$p_value <= 0.05
    }, 100 + i))
    power <- vapply(plans, function(plan) plan$power[i], 0)
    data.frame(grid[i, ], lost = sum(is.na(found)), power = mean(found, na.rm = TRUE),
               predicted = median(power),
               low = quantile(power, 0.1, names = FALSE),
               high = quantile(power, 0.9, names = FALSE))
  })
  show("Power of calibrate(); pilots of 60 stimuli x 40 + 40 neurons", rows)
}

# ---- an assumption in place of a pilot

if (wanted("assumed")) {
  draw <- function(n, q) {
    linear_population(n, q, d = 30, spectrum = "power", power = c(0.5, 1))
  }
  rows <- lapply(c(60, 400), function(n) {
    plans <- sets_of(pilots, function() {
      plan <- plan_recording(draw(n, n / 2), stimuli = c(60, 120), neurons_x = c(30, 80),
                             neurons_y = c(30, 80))
      as.data.frame(plan)[plan$neurons_x == plan$neurons_y, ]
    }, 6)
    true <- function(design, i) sd(unlist(sets_of(truths, function() {
      data <- draw(design$stimuli, design$neurons_x)
      score(data$x, data$y)
    }, 120 + i)))
    do.call(rbind, table_of(paste0("assumed, simulated ", n, " x ", n / 2), plans, true))
  })
  show("Plans from linear_population()", rows)
}
