# The noise of trials: means over them, the same with sessions left out, and the correction by
# trials, for few and for all trials of both macaque recordings.

# Each neuron is divided by the standard deviation of its mean responses.
neurons_by_sd <- function(trials) {
  sweep(trials, 2, apply(apply(trials, 1:2, mean, na.rm = TRUE), 2, sd), "/")
}

# One row for each comparison, number of trials and way to treat noise.
run_noise <- function() {
  it <- neurons_by_sd(macaque_it$counts)
  v4 <- neurons_by_sd(macaque_v4$trials)
  session <- macaque_it$session
  suppressMessages(rbind(
    noise_rows("IT, half of the sessions and the others: CKA", c(8, 20), function(count) {
      session_halves(it[, , seq_len(count)], session)
    }),
    noise_rows("V4 and layer L2: CKA", c(2, 10), function(count) {
      against_layer(v4[, , seq_len(count)], v4_layers$L2)
    }),
    noise_rows("IT: dimensionality", c(2, 20), function(count) {
      dimensions_of(it[, , seq_len(count)], session)
    }),
    noise_rows("V4: dimensionality", c(2, 10), function(count) {
      dimensions_of(v4[, , seq_len(count)])
    })
  ))
}

noise_rows <- function(what, counts, run) {
  do.call(rbind, lapply(counts, function(count) {
    data.frame(comparison = what, trials = count, run(count))
  }))
}

# by: how noise is treated. found: rows of an interval.
noise_values <- function(by, value, low = NA, high = NA) {
  data.frame(noise = by, value = value, conf_low = low, conf_high = high)
}

from_interval <- function(by, found) noise_values(by, found$cka, found$conf_low, found$conf_high)

# The units of every second session against those of the others.
session_halves <- function(trials, session) {
  odd <- session %in% unique(session)[c(TRUE, FALSE)]
  compare <- function(by, x, estimator) {
    from_interval(by, cka_interval(x[, odd, ], x[, !odd, ], estimator = estimator))
  }
  labelled <- responses(trials, session = session)
  rbind(compare("means", responses(trials), "stimulus_neuron"),
        compare("sessions", labelled, "stimulus_neuron"),
        compare("trials", labelled, "stimulus_neuron_trial"))
}

against_layer <- function(trials, layer) {
  found <- cka_interval(responses(trials), layer,
                        estimator = c("stimulus_neuron", "stimulus_neuron_trial"))
  from_interval(c("means", "trials"), found)
}

dimensions_of <- function(trials, session = NULL) {
  value <- function(by, ...) {
    found <- participation_ratio(..., conf_level = 0.95)
    noise_values(by, found$stimulus_neuron, found$stimulus_neuron_low, found$stimulus_neuron_high)
  }
  means <- as.matrix(responses(trials))
  rbind(value("means", means), if (!is.null(session)) value("sessions", means, units = session),
        value("trials", responses(trials, session = session)))
}

# A row for each comparison and number of trials, a column for each way.
noise_table <- function(noise) {
  rows <- unique(noise[c("comparison", "trials")])
  cell <- function(comparison, trials, by, digits) {
    row <- noise[noise$comparison == comparison & noise$trials == trials & noise$noise == by, ]
    if (!nrow(row)) return("(one session)")
    row$pooled <- row$value
    with_interval(row, digits)
  }
  column <- function(by) {
    mapply(cell, rows$comparison, rows$trials, by, ifelse(grepl("CKA", rows$comparison), 2, 0))
  }
  data.frame(" " = rows$comparison, trials = rows$trials, "means over trials" = column("means"),
             "means, sessions left out" = column("sessions"), "corrected by trials" =
               column("trials"), check.names = FALSE, row.names = NULL)
}
