# Labels of clusters: which stimuli may depend on each other.

# Codes 1, 2, ... in order of appearance, one a stimulus; NA: the stimulus is left out. NULL stays
# NULL. Codes of codes are the same codes.
cluster_codes <- function(clusters, arg = "clusters") {
  if (is.null(clusters)) return(NULL)
  if (!is.atomic(clusters) || length(dim(clusters)) > 1) {
    abort("`", arg, "` must be a vector of labels, one a stimulus, not ", describe(clusters), ".",
          class = "repalign_error_labels", arg = arg)
  }
  labels <- as.vector(clusters)
  match(labels, unique(labels[!is.na(labels)]))
}

# least: how many clusters are needed, and for what.
check_clusters <- function(codes, n, of, least, why) {
  if (is.null(codes)) return(invisible())
  if (length(codes) != n) {
    abort("`clusters` has ", length(codes), " labels, but `", of, "` has ", n,
          " rows: give one label per stimulus, or NA for stimuli to leave out.",
          class = "repalign_error_labels", arg = "clusters")
  }
  count <- cluster_count(codes)
  if (count < least) {
    abort("`clusters` names ", count_of(count, "cluster"), "; ", why, " over clusters needs at ",
          "least ", least, ". Use finer labels if smaller groups of stimuli are independent.",
          class = "repalign_error_labels", arg = "clusters")
  }
}

cluster_count <- function(codes) length(unique(codes[!is.na(codes)]))

# The codes of some of the stimuli.
cut_clusters <- function(codes, rows) {
  if (is.null(codes) || all(rows)) codes else cluster_codes(codes[rows])
}

# A representation without the stimuli that have no label, the same at every call.
labelled_stimuli <- function(repr, codes) {
  if (!anyNA(codes)) return(repr)
  remember(repr$cache, list("labelled stimuli", codes), {
    cut <- cut_representation(repr, !is.na(codes), TRUE)
    said <- repr$cache$said
    cut$cache <- new_cache()
    cut$cache$said <- said
    cut
  })
}

labelled_pair <- function(pair, codes) {
  if (!anyNA(codes)) return(pair)
  remember(pair$cache, list("labelled stimuli", codes), {
    as_pair(labelled_stimuli(pair$x, codes), labelled_stimuli(pair$y, codes), by_name = FALSE)
  })
}

labelled_codes <- function(codes) codes[!is.na(codes)]

# The corrected estimators go over clusters.
goes_by_clusters <- function(args) !is.null(args$clusters) && corrects_stimuli(args$estimator)

# The naive estimator of a point has no use for clusters but to leave stimuli out.
note_unused_clusters <- function(args) {
  if (is.null(args$clusters) || corrects_stimuli(args$estimator)) return(invisible())
  inform("`clusters` has no effect on the estimator \"naive\"",
         if (anyNA(args$clusters)) ", except that stimuli without a label are left out",
         ": only \"stimulus\" and \"stimulus_neuron\" go over clusters.",
         class = "repalign_unused_clusters")
}

# calibrate(): the sides, and labels of measures, without the stimuli that have no label; clusters:
# the codes of the others, or NULL. complete: from complete_sides().
clustered_sides <- function(complete, codes) {
  n <- length(complete$rows)
  check_clusters(codes, n, complete$sides$x$reprs[[1]]$arg, 2, "a permutation")
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
  one_side <- sides$self || sides$same
  cut <- function(side) lapply(side$reprs, cut_representation, keep, TRUE)
  sides$x$reprs <- cut(sides$x)
  sides$y$reprs <- if (one_side) sides$x$reprs else cut(sides$y)
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
