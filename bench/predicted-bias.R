# The mean of single corrected ratios against predicted_bias(), for simulated populations:
#   Rscript bench/predicted-bias.R [replicates]

library(repalign)
replicates <- as.integer(c(commandArgs(TRUE), 3000)[1])
set.seed(31)

settings <- list(
  list(n = 80, q = 40, d = 20),
  list(n = 60, q = 30, d = 15, spectrum = "power", power = c(0.5, 0.9)),
  list(n = 60, q = c(20, 40), d = 20, spectrum = "power", power = 0.4)
)

one_row <- function(setting) {
  draw <- function() do.call(linear_population, setting)
  ratios <- vapply(seq_len(replicates), function(r) {
    pop <- draw()
    suppressWarnings(cka(pop$x, pop$y, estimator = "stimulus_neuron"))
  }, 0)
  # the prediction from the spectra, and the mean of those from single data sets
  from_data <- rowMeans(vapply(seq_len(100), function(r) {
    pop <- draw()
    suppressWarnings(c(predicted_bias(pop$x, pop$y, "stimulus_neuron")$bias,
                       predicted_bias(pop$x, estimator = "stimulus_neuron")$bias))
  }, numeric(2)), na.rm = TRUE)
  pop <- draw()
  defined <- ratios[!is.na(ratios)]
  data.frame(n = setting$n, neurons = paste(setting$q, collapse = ", "), d = setting$d,
             true = pop$cka, mean = mean(defined), se = stats::sd(defined) / sqrt(length(defined)),
             undefined = sum(is.na(ratios)),
             predicted = predicted_bias(pop, estimator = "stimulus_neuron")$expected,
             bias = mean(defined) - pop$cka, bias_from_pair = from_data[1],
             bias_from_x = from_data[2])
}

options(width = 120)
print(format(do.call(rbind, lapply(settings, one_row)), digits = 3), row.names = FALSE)
cat("\n", replicates, " replicates a row. bias_from_x: without y, for a true CKA of 1.\n", sep = "")
