# What the demo runs on: recordings that the package ships.

# Macaque IT, a list with
#   trials      stimuli x neurons x repeats, NA where a repeat was not recorded
#   session     one label a neuron; units of one session were recorded together
#   object      one label a stimulus
#   description one sentence
it_recordings <- function() {
  trials <- macaque_it$counts
  list(
    trials = trials, session = macaque_it$session, object = macaque_it$object,
    description = paste0(
      "Recordings: macaque inferior temporal cortex (Zhang et al. 2011), ", ncol(trials),
      " units of ", length(unique(macaque_it$session)), " sessions, ", nrow(trials),
      " stimuli, up to ", dim(trials)[3], " repeats; macaque V4 and network layers; fly larvae; ",
      "dissimilarities of 92 images."
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
