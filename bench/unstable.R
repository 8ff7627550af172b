# When does the warning repalign_unstable speak? Two groups of neurons of known CKA, drawn anew in
# every data set: the share of data sets whose corrected CKA is undefined, above 3 in size, above
# 1.5, off by more than 0.5, and the share with the warning; then how often the estimate is off
# with the warning, and how often large values go without it.
# Last, brain_to_brain() with a true CKA of 1: how often its interval, which covers stimuli alone,
# lies wholly above 1, and how often it warns.
#   Rscript bench/unstable.R [data sets a row, default 500]

library(repalign)

sets <- as.integer(c(commandArgs(trailingOnly = TRUE), 500)[1])

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
rows <- do.call(rbind, lapply(worlds, function(w) {
  do.call(rbind, Map(rates, sizes$n, sizes$q, w[[1]], w[[2]], w[[3]]))
}))
options(width = 160)
print(rows, digits = 2, row.names = FALSE)

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

cat("\nbrain_to_brain(), true CKA 1\n")
rows <- do.call(rbind, Map(pooled_rates, c(60, 120), c(40, 80), c(10, 50, 50, 200),
                           c("isotropic", "isotropic", "power", "power")))
print(rows, digits = 2, row.names = FALSE)
