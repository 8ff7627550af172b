# What the demo runs on: a list with
#   trials      stimuli x neurons x repeats, NA where a repeat was not recorded
#   session     one label a neuron; units of one session were recorded together
#   object      one label a stimulus
#   simulated   TRUE when these are not recordings
#   description one sentence; why, by_session: the reason and the
#               true similarity by session, when simulated

get_recordings <- function() {
  table <- tryCatch(macaque_it(), repalign_error_download = identity)
  if (inherits(table, "error")) simulated_recordings(conditionMessage(table)) else
    macaque_recordings(table)
}

macaque_recordings <- function(table) {
  trials <- trial_array(table, "condition", "neuron", "rep", "count")
  session <- table$session[match(colnames(trials), table$neuron)]
  object <- table$object[match(rownames(trials), table$condition)]
  list(
    trials = trials, session = session, object = object, simulated = FALSE,
    description = paste0(
      "Recordings: macaque inferior temporal cortex (Zhang et al. 2011), ", ncol(trials),
      " units of ", length(unique(session)), " sessions, ", nrow(trials), " stimuli, up to ",
      dim(trials)[3], " repeats."
    )
  )
}

# Sessions 1 to 10 sample one linear population, 11 to 20 another one that represents
# the same stimuli differently. Units of a session share noise in every trial.
simulated_recordings <- function(why) {
  pop <- linear_population(n = 21, q = 60, d = 30, spectrum = "power", reverse = TRUE)
  signal <- cbind(pop$x / sd(pop$x), pop$y / sd(pop$y))
  session <- rep(1:20, each = 6)
  trials <- replicate(20, {
    shared <- matrix(rnorm(21 * 20), 21)[, session]
    signal + shared + matrix(rnorm(length(signal)), 21)
  })
  object <- rep(paste0("object", 1:7), 3)
  dimnames(trials) <- list(paste0(object, "_", rep(c("upper", "middle", "lower"), each = 7)),
                           1:120, 1:20)
  # 90 pairs of sessions from one population (CKA 1), 100 from both
  by_session <- (90 + 100 * pop$cka) / 190
  list(
    trials = trials, session = session, object = object, simulated = TRUE,
    why = sub("[.: ]*$", "", why), by_session = by_session,
    description = paste0(
      "SIMULATED responses, because the recordings could not be had: 120 units of 20 sessions ",
      "from two linear populations (true CKA ", format(pop$cka, digits = 2),
      "), 21 stimuli, 20 repeats."
    )
  )
}

mean_responses <- function(recordings) apply(recordings$trials, 1:2, mean, na.rm = TRUE)

# Only the repeats that every neuron has.
complete_repeats <- function(recordings) {
  recordings$trials[, , !apply(is.na(recordings$trials), 3, any)]
}

# Single trials under each other, a row each: an image is a position in a repeat.
single_trials <- function(recordings) {
  trials <- complete_repeats(recordings)
  list(
    responses = do.call(rbind, lapply(seq_len(dim(trials)[3]), function(t) trials[, , t])),
    object = rep(recordings$object, dim(trials)[3])
  )
}
