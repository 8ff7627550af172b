# When does the warning repalign_unstable speak? Two groups of neurons of known CKA, drawn anew in
# every data set: the share of data sets whose corrected CKA is undefined, above 3 in size, above
# 1.5, off by more than 0.5, and the share with the warning; then how often the estimate is off
# with the warning, and how often large values go without it.
# Then brain_to_brain() with a true CKA of 1: how often its interval, which covers stimuli alone,
# lies wholly above 1, and how often it warns.
# Last, the warning is judged over all true values from 0 to 1, numbers of stimuli and neurons,
# dimensions, gains of neurons and noise: is it silent where the estimate is good (off by at most
# 0.2), and does it speak where it is not?
# And what its limit is worth: 13 populations of 60 x 40, sets / 2.5 data sets of each, in which the
# warning is compared with other rules; `gate` says whether the rough error that saves the jackknife
# ever hid a value that it would have warned of.
# With trials, sets / 5 data sets of each of six designs.
#   Rscript bench/unstable.R [data sets a row, default 500]
#     [parts: rates, pooled, judged, rules, trials]

library(repalign)

args <- commandArgs(trailingOnly = TRUE)
sets <- as.integer(c(grep("^[0-9]+$", args, value = TRUE), 500)[1])
parts <- grep("^[0-9]+$", args, value = TRUE, invert = TRUE)
wanted <- function(part) !length(parts) || part %in% parts
options(width = 160)

# pop: list(x, y, cka), cka the true value.
one_estimate <- function(pop) {
  warned <- FALSE
  value <- withCallingHandlers(
    cka(pop$x, pop$y, estimator = "stimulus_neuron"),
    repalign_unstable = function(w) {
      warned <<- TRUE
      invokeRestart("muffleWarning")
    },
    repalign_undefined = function(w) invokeRestart("muffleWarning")
  )
  c(value = value, warned = warned, error = value - pop$cka)
}

rates <- function(n, q, d, spectrum, reverse) {
  set.seed(1)
  found <- as.data.frame(t(replicate(
    sets, one_estimate(linear_population(n = n, q = q, d = d, spectrum = spectrum,
                                         reverse = reverse)))))
  truth <- linear_population(n = 5, q = 2, d = d, spectrum = spectrum, reverse = reverse)$cka
  defined <- found[!is.na(found$value), ]
  warned <- defined$warned == 1
  off <- abs(defined$error) > 0.5
  large <- abs(defined$value) > 3
  data.frame(
    stimuli = n, neurons = q, dimensions = d, spectrum = spectrum, true = round(truth, 2),
    undefined = mean(is.na(found$value)), above_3 = mean(large),
    above_1.5 = mean(defined$value > 1.5), off = mean(off), warned = mean(warned),
    off_if_warned = mean(off[warned]), off_if_silent = mean(off[!warned]),
    above_3_silent = mean(large & !warned)
  )
}

sizes <- data.frame(n = c(7, 30, 60, 60, 120), q = c(30, 10, 20, 40, 80))
worlds <- list(list(10, "isotropic", FALSE), list(50, "isotropic", FALSE),
               list(50, "power", FALSE), list(200, "power", FALSE), list(50, "power", TRUE))
if (wanted("rates")) {
  rows <- do.call(rbind, lapply(worlds, function(w) {
    do.call(rbind, Map(rates, sizes$n, sizes$q, w[[1]], w[[2]], w[[3]]))
  }))
  print(rows, digits = 2, row.names = FALSE)
}

pooled_rates <- function(n, q, d, spectrum) {
  set.seed(1)
  found <- replicate(ceiling(sets / 5), {
    pop <- linear_population(n = n, q = q, d = d, spectrum = spectrum)
    warned <- FALSE
    row <- withCallingHandlers(
      brain_to_brain(pop$x, pop$y, neurons = q, estimator = "stimulus_neuron"),
      repalign_unstable = function(w) {
        warned <<- TRUE
        invokeRestart("muffleWarning")
      }
    )
    c(above = row$conf_low > 1, warned = warned)
  })
  data.frame(stimuli = n, neurons = q, dimensions = d, spectrum = spectrum,
             interval_above_1 = mean(found["above", ]), warned = mean(found["warned", ]))
}

if (wanted("pooled")) {
  cat("\nbrain_to_brain(), true CKA 1\n")
  rows <- do.call(rbind, Map(pooled_rates, c(60, 120), c(40, 80), c(10, 50, 50, 200),
                             c("isotropic", "isotropic", "power", "power")))
  print(rows, digits = 2, row.names = FALSE)
}

# Populations that share a part of their stimulus dimensions: the spectrum of y lies on the
# dimensions of x and on as many others, so that `cka` is exact. gain: standard deviation of the
# logarithms of gains; noise: the standard deviation of each neuron's own noise over that of its
# signal; strength: the standard deviation of the logarithms of the stimuli's strengths.
judged_pair <- function(n, q, lambda, cka, gain, noise, strength = 0) {
  stimuli <- matrix(rnorm(2 * n * length(lambda)), n) * exp(strength * rnorm(n))
  respond <- function(spectrum) {
    weights <- sqrt(spectrum) * matrix(rnorm(length(spectrum) * q), length(spectrum))
    own <- noise * sqrt(sum(spectrum)) * matrix(rnorm(n * q), n)
    sweep(stimuli %*% weights + own, 2, exp(gain * rnorm(q)), "*")
  }
  list(x = respond(c(lambda, 0 * lambda)), y = respond(c(cka * lambda, sqrt(1 - cka^2) * lambda)),
       cka = cka)
}

judged_cell <- function(n, q, spectrum, cka, gain, noise) {
  found <- as.data.frame(t(replicate(ceiling(sets / 5), one_estimate(
    judged_pair(n, q, judged_spectra[[spectrum]], cka, gain, noise)
  ))))
  defined <- !is.na(found$value)
  # one estimate that is far off must not decide alone
  rmse <- sqrt(mean(pmin(abs(found$error[defined]), 2)^2))
  data.frame(n = n, Q = q, gains = gain, noise = noise, cka = cka, rmse = rmse, found)
}

judged_spectra <- list(ten = rep(1, 10), fifty = rep(1, 50), power = seq_len(200)^-1)

judge <- function(found) {
  undefined <- mean(is.na(found$value))
  found <- found[!is.na(found$value), ]
  good <- abs(found$error) <= 0.2
  warned <- found$warned == 1
  calm <- found$rmse <= 0.1
  wild <- found$rmse > 0.3
  data.frame(undefined = undefined, good_silent = mean(good & !warned),
             good_warned = mean(good & warned), bad_silent = mean(!good & !warned),
             bad_warned = mean(!good & warned), warned_of_bad = mean(warned[!good]),
             bad_if_warned = mean(!good[warned]), bad_if_silent = mean(!good[!warned]),
             calm = mean(calm), warned_calm = mean(warned[calm]), wild = mean(wild),
             silent_wild = mean(!warned[wild]))
}

judge_by <- function(found, columns) {
  groups <- split(found, found[columns], drop = TRUE)
  do.call(rbind, lapply(groups, function(group) cbind(group[1, columns, drop = FALSE],
                                                      judge(group))))
}

if (wanted("judged")) {
  set.seed(1)
  cells <- expand.grid(n = c(30, 60, 120), q = c(10, 20, 40, 80),
                       spectrum = names(judged_spectra), cka = c(0, 0.5, 1), gain = c(0, 0.8),
                       noise = c(0, 0.7), stringsAsFactors = FALSE)
  found <- do.call(rbind, do.call(Map, c(judged_cell, unname(as.list(cells)))))
  cat("\nThe warning of cka() judged; good: off by at most 0.2; calm and wild: cells with a root",
      "\nmean square error of at most 0.1 and above 0.3\n")
  print(judge(found), digits = 2, row.names = FALSE)
  for (columns in list("gains", "noise", "cka", c("n", "Q"))) {
    cat("\n")
    print(judge_by(found, columns), digits = 2, row.names = FALSE)
  }
}

# Rules, each a flag of a data set: is it told?
rule_populations <- data.frame(
  spectrum = c("five", "ten", "ten", "fifty", "fifty", "power", "power", "power", "steep", "ten",
               "fifty", "power", "power"),
  cka = c(0.5, 0.5, 1, 0.5, 1, 0, 0.5, 1, 0.5, 0.5, 0.5, 0.5, 1),
  gain = c(0, 0, 0, 0, 0.8, 0.8, 0, 0, 0, 0.8, 0.8, 0.8, 1),
  noise = c(0, 0.7, 0, 0, 0.7, 0, 0.7, 0, 0, 0, 0, 0.7, 0),
  strength = c(0, 0, 0.8, 0.8, 0, 0, 0, 0.8, 0, 0.8, 0, 0.8, 0)
)

one_rule_set <- function(population) {
  spectra <- c(judged_spectra, list(five = rep(1, 5), steep = seq_len(200)^-1.5))
  pop <- judged_pair(60, 40, spectra[[population$spectrum]], population$cka, population$gain,
                     population$noise, population$strength)
  found <- one_estimate(pop)
  row <- suppressMessages(suppressWarnings(cka_interval(pop$x, pop$y, "stimulus_neuron")))
  internal <- asNamespace("repalign")
  formula <- vapply(c(x = "x", y = "y"), function(side) {
    h <- hsic(pop[[side]], pop[[side]], estimator = "stimulus_neuron", shared_neurons = TRUE)
    data <- scale(pop[[side]], scale = FALSE)
    if (h <= 0) return(Inf)
    internal$relative_error(h, rowSums(data^2), colSums(data^2))
  }, 0)
  c(found, se = row$se, formula = max(formula))
}

if (wanted("rules")) {
  set.seed(1)
  found <- do.call(rbind, lapply(seq_len(nrow(rule_populations)), function(i) {
    t(replicate(ceiling(sets / 2.5), one_rule_set(rule_populations[i, ])))
  }))
  found <- as.data.frame(found)
  none <- is.na(found$value)
  far <- !none & found$value > 1.5
  off <- function(limit) none | abs(found$error) > limit
  told <- list(`the warning` = none | found$warned == 1,
               `standard error above 0.2` = none | far | is.na(found$se) | found$se > 0.2,
               `formula of normal populations` = none | far | found$formula > 0.5)
  cat("\n", nrow(found), " data sets of 60 x 40, off by more than 0.2: ",
      format(mean(off(0.2)), digits = 3), ", by more than 0.5: ",
      format(mean(off(0.5)), digits = 3), "\n", sep = "")
  print(t(vapply(told, function(told) {
    c(told_of_0.2 = mean(told[off(0.2)]), told_of_0.5 = mean(told[off(0.5)]),
      false_alarms = mean(told[!off(0.2)]))
  }, numeric(3))), digits = 2)
  hidden <- found$se[!none & found$formula < repalign:::calm_error]
  cat("gate: ", length(hidden), " not looked at, ", sum(is.na(hidden) | hidden > 0.2),
      " of them with a standard error above 0.2\n", sep = "")
}

# From trials: of how many data sets is it told? The standard error is that of cka_interval(). In the
# first designs hardly any single ratio means something, and in the last two each does.
one_trial_set <- function(n, q, trials, noise) {
  signal <- matrix(rnorm(n * 10), n) %*% diag(sqrt(10:1 / 10))
  side <- function() {
    means <- signal %*% matrix(rnorm(10 * q), 10) / sqrt(10)
    responses(array(means, c(n, q, trials)) + noise * rnorm(n * q * trials))
  }
  pair <- list(x = side(), y = side())
  warned <- FALSE
  quietly <- function(code) suppressMessages(withCallingHandlers(code, warning = function(w) {
    warned <<- warned || inherits(w, "repalign_unstable")
    invokeRestart("muffleWarning")
  }))
  seconds <- system.time(value <- quietly(cka(pair$x, pair$y)))[[3]]
  told <- warned
  warned <- FALSE
  quietly(evaluate_models(pair$x, list(y = pair$y), permutations = 0))
  told_of_models <- warned
  row <- quietly(cka_interval(pair$x, pair$y))
  c(undefined = is.na(value), uncertain = is.na(value) || is.na(row$se) || row$se > 0.2,
    told = told, told_by_evaluate_models = told_of_models, milliseconds = 1000 * seconds)
}

if (wanted("trials")) {
  designs <- data.frame(n = c(20, 30, 40, 40, 60, 100), q = c(8, 16, 16, 24, 40, 60),
                        trials = c(4, 2, 4, 4, 4, 6), noise = c(1, 1, 1, 2, 1, 1))
  cat("\nFrom trials: shares of data sets\n")
  print(do.call(rbind, lapply(seq_len(nrow(designs)), function(i) {
    set.seed(1)
    found <- replicate(ceiling(sets / 5), do.call(one_trial_set, designs[i, ]))
    cbind(designs[i, ], t(rowMeans(found)))
  })), digits = 2, row.names = FALSE)
}
