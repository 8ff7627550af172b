# Representations, pairs and sides without the stimuli that have no label in `clusters`.

# A representation without the stimuli that have no label, the same at every call.
labelled_stimuli <- function(repr, codes) {
  if (!anyNA(codes)) return(repr)
  cut <- remember(repr$cache, list("labelled stimuli", codes), {
    cut <- cut_representation(repr, !is.na(codes), TRUE)
    cut$cache <- new_cache()
    for (part in c("said", "choices", "neighbours")) cut$cache[[part]] <- repr$cache[[part]]
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

clustered_pair <- function(pair, codes) {
  pair[c("x", "y")] <- lapply(pair[c("x", "y")], clustered_representation, codes)
  pair
}

labelled_pair <- function(pair, codes) {
  if (!anyNA(codes)) return(pair)
  remember(pair$cache, list("labelled stimuli", codes), {
    as_pair(labelled_stimuli(pair$x, codes), labelled_stimuli(pair$y, codes), by_name = FALSE)
  })
}

# calibrate(): the sides, and labels of measures, without the stimuli that have no label; clusters:
# the codes of the others, or NULL. complete: from complete_sides(); least, why: how many clusters
# are needed, and for what.
clustered_sides <- function(complete, codes, least = 2, why = "a permutation") {
  n <- length(complete$rows)
  check_clusters(codes, n, complete$sides$x$reprs[[1]]$arg, least, why)
  codes <- cut_clusters(codes, complete$rows)
  for (measure in complete$set) check_same_clusters(measure, codes)
  if (is.null(codes)) return(c(complete, list(clusters = NULL)))
  if (anyNA(codes)) {
    keep <- !is.na(codes)
    complete$sides <- sides_without(complete$sides, keep)
    complete$set <- lapply(complete$set, cut_measure_stimuli, keep)
    complete$rows[complete$rows] <- keep
  }
  complete$clusters <- labelled_codes(codes)
  complete
}

sides_without <- function(sides, keep) {
  cut <- function(side) cut_side(side, keep, list(TRUE))
  sides$x <- cut(sides$x)
  sides$y <- if (sides$self) sides$x else if (sides$same) on_side_y(sides$x) else cut(sides$y)
  sides
}

# What goes over clusters must be permuted by the same ones.
check_same_clusters <- function(measure, codes) {
  own <- measure$args$clusters
  if (is.null(own) || identical(own, codes)) return(invisible())
  abort("The measure ", dQuote(measure$label, FALSE), " has `clusters`, and calibrate() ",
        if (is.null(codes)) "has none" else "has others", ": give the same labels to calibrate(), ",
        "which then permutes whole clusters.", class = "repalign_error_design", arg = "clusters")
}
