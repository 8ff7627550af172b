# Macaque V4 against the layers of a network, and the layers against each other.

last_layer <- names(v4_layers)[length(v4_layers)]

v4_repeats <- function(which) {
  apply(macaque_v4$trials[, , which(macaque_v4$trials), drop = FALSE], 1:2, mean, na.rm = TRUE)
}
v4_responses <- function() v4_repeats(function(trials) rep(TRUE, dim(trials)[3]))

# brain_to_model() for both settings: a named list of results.
run_layers <- function() {
  v4 <- v4_responses()
  lapply(settings, function(normalize) {
    brain_to_model(v4, v4_layers, neurons = c(4, 8, 16, 32, 50), repeats = 200,
                   normalize = normalize)
  })
}

# Every pair of V4 and the layers, against chance, by several measures.
calibrate_layers <- function() {
  calibrate(c(list(V4 = v4_responses()), v4_layers), p_adjust = "holm", permutations = 1999,
            measure = c("cka", "rsa", "distance_correlation", "mutual_knn"))
}

# The corrected value with V4's self term from odd against even repeats. Noise that units share
# in a trial is then in neither repeat of a product.
v4_controls <- function(results) {
  rows <- lapply(names(settings), function(setting) {
    v4 <- list(all = v4_responses(),
               odd = v4_repeats(function(trials) seq_len(dim(trials)[3]) %% 2 == 1),
               even = v4_repeats(function(trials) seq_len(dim(trials)[3]) %% 2 == 0))
    if (settings[[setting]] == "sd") {
      sds <- apply(v4$all, 2, sd)
      v4 <- lapply(v4, function(x) t(t(x) / sds))
    }
    self <- function(x, y) hsic(x, y, estimator = "stimulus_neuron", shared_neurons = TRUE)
    table <- as.data.frame(results[[setting]])
    value <- pick(data.frame(setting, table), setting, y = last_layer)$pooled
    control("brain-to-model", "odd against even repeats of V4", setting,
            value * sqrt(self(v4$all, v4$all) / self(v4$odd, v4$even)))
  })
  do.call(rbind, c(rows, list(other_day_control())))
}

# Another day has some of the same neurons under other names, which nothing can leave out.
other_day_control <- function() {
  days <- suppressMessages(match_rows(v4_responses(), macaque_v4$other_day))
  value <- suppressWarnings(cka(days$x, days$y, estimator = "stimulus_neuron"))
  control("brain-to-brain", "two days with unknown shared neurons", "raw", value)
}

# The layers in the order of their corrected similarity, the best one first.
ranked_layers <- function(table, setting) {
  rows <- table[table$setting == setting & table$estimator == "stimulus_neuron" &
                  table$neurons == max(table$neurons), ]
  rows[order(-rows$pooled), ]
}
