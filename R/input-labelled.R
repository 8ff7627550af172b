# Representations, pairs and sides without the stimuli that have no label in `clusters`.

# A representation without the stimuli that have no label, the same at every call.
labelled_stimuli <- function(repr, codes) {
  if (!anyNA(codes)) return(repr)
  cut <- remember(repr$cache, list("labelled stimuli", codes), {
    cut <- cut_representation(repr, !is.na(codes), TRUE)
    cut$cache <- cache_of_part(repr$cache)
    cut
  })
  cut$side <- repr$side
  cut
}

# For measures of neighbours: the stimuli that have a label, and in `codes` their clusters, so that
# no stimulus is a neighbour of another one of its cluster. Permutations take clusters to clusters.
clustered_representation <- function(repr, codes) {
  if (is.null(codes)) return(repr)
  repr <- labelled_stimuli(repr, codes)
  repr$codes <- labelled_codes(codes)
  repr
}

labelled_pair <- function(pair, codes) {
  if (!anyNA(codes)) return(pair)
  remember(pair$cache, list("labelled stimuli", codes), {
    pair_of(labelled_stimuli(pair$x, codes), labelled_stimuli(pair$y, codes))
  })
}
