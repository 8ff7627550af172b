# Representations, pairs and sides without the stimuli that have no label in `clusters`.

# A representation without the stimuli that have no label, the same at every call.
labelled_stimuli <- function(repr, codes) {
  if (!anyNA(codes)) return(repr)
  cut <- remember(repr$cache, list("labelled stimuli", codes), {
    cut <- cut_representation(repr, !is.na(codes), TRUE)
    cut$cache <- new_cache()
    cut$cache$said <- said_of(repr$cache)
    for (part in c("choices", "neighbours")) cut$cache[[part]] <- repr$cache[[part]]
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

sides_without <- function(sides, keep) {
  cut <- function(side) cut_side(side, keep, list(TRUE))
  sides$x <- cut(sides$x)
  sides$y <- if (sides$self) sides$x else if (sides$same) on_side_y(sides$x) else cut(sides$y)
  if (!is.null(sides$z)) sides$z <- cut(sides$z)
  sides
}
