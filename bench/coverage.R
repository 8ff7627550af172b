# How often nominal 95% intervals of the corrected CKA hold the true value:
#   Rscript bench/coverage.R [replicates]
# Neurons and stimuli are both drawn anew in every replicate. Accepted: 0.90 to 0.98
# for true CKA up to 0.9 at n >= 60, Q >= 40; the rest is shown to be told.

library(repalign)
replicates <- as.integer(c(commandArgs(TRUE), 1000)[1])
set.seed(20)

# Populations that share their stimuli: eigenvalue spectra on both sides give the CKA.
# Exponential decay on the y side (20 dimensions), and the paper's power laws (200).
decay <- function(rate) list(x = rep(1, 20), y = exp(-rate * seq_len(20) / 20))
power <- function(order) list(x = seq_len(200)^-0.5, y = order(seq_len(200)^-0.9))
populations <- list(`decay 12` = decay(12), `decay 6` = decay(6), `decay 2.6` = decay(2.6),
                    same = decay(0), power = power(identity), `power reversed` = power(rev))

true_cka <- function(s) sum(s$x * s$y) / sqrt(sum(s$x^2) * sum(s$y^2))

draw <- function(n, q, s, shared) {
  d <- length(s$x)
  stimuli <- matrix(rnorm(n * d), n)
  weights <- matrix(rnorm(d * q), d)
  other <- if (shared) weights else matrix(rnorm(d * q), d)
  list(x = stimuli %*% (sqrt(s$x) * weights), y = stimuli %*% (sqrt(s$y) * other))
}

one_cell <- function(n, q, name, shared) {
  s <- populations[[name]]
  truth <- true_cka(s)
  runs <- vapply(seq_len(replicates), function(r) {
    pair <- draw(n, q, s, shared)
    row <- suppressWarnings(cka_interval(pair$x, pair$y, "stimulus_neuron",
                                         shared_neurons = shared))
    c(row$cka, row$se, row$conf_low <= truth && truth <= row$conf_high)
  }, numeric(3))
  # undefined: a ratio, or one of its delete-one values; coverage is among the others
  data.frame(population = name, n = n, neurons = q, shared = shared, true_cka = truth,
             mean = mean(runs[1, ], na.rm = TRUE),
             sd = sd(runs[1, ], na.rm = TRUE), mean_se = mean(runs[2, ], na.rm = TRUE),
             undefined = sum(is.na(runs[3, ])), coverage = mean(runs[3, ], na.rm = TRUE))
}

cells <- expand.grid(name = names(populations), size = 1:3, shared = c(FALSE, TRUE),
                     stringsAsFactors = FALSE)
cells <- cells[!(cells$shared & cells$name == "same"), ] # the same data twice: exactly 1
sizes <- list(c(60, 40), c(120, 80), c(30, 20))
rows <- Map(function(name, size, shared) one_cell(sizes[[size]][1], sizes[[size]][2], name, shared),
            cells$name, cells$size, cells$shared)
table <- do.call(rbind, rows)
options(width = 120)
print(format(table, digits = 3), row.names = FALSE)
judged <- table$true_cka <= 0.9 & table$n >= 60
cat(sprintf("\n%d replicates a row; %d of %d judged rows within 0.90 to 0.98 (range %.3f to %.3f)\n",
            replicates, sum(table$coverage[judged] >= 0.9 & table$coverage[judged] <= 0.98),
            sum(judged), min(table$coverage[judged]), max(table$coverage[judged])))
