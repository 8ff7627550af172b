# Labels of clusters: which stimuli may depend on each other.

# Codes 1, 2, ... in order of appearance, one a stimulus; NA: the stimulus is left out. NULL stays
# NULL. Codes of codes are the same codes. Names stay: arguments_in_order() goes by them.
cluster_codes <- function(clusters, arg = "clusters") {
  if (is.null(clusters)) return(NULL)
  if (!is.atomic(clusters) || length(dim(clusters)) > 1) {
    abort("`", arg, "` must be a vector of labels, one a stimulus, not ", describe(clusters), ".",
          class = "repalign_error_labels", arg = arg)
  }
  labels <- as.vector(clusters)
  stats::setNames(match(labels, unique(labels[!is.na(labels)])), names(clusters))
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

labelled_codes <- function(codes) codes[!is.na(codes)]

# The corrected estimators go over clusters.
goes_by_clusters <- function(args) !is.null(args$clusters) && corrects_stimuli(args$estimator)

# The naive estimator of a point has no use for clusters but to leave stimuli out.
note_unused_clusters <- function(args) {
  if (is.null(args$clusters) || corrects_stimuli(args$estimator)) return(invisible())
  inform("`clusters` has no effect on the estimator \"naive\"",
         if (anyNA(args$clusters)) ", except that stimuli without a label are left out",
         ": only ", if (is.null(args$trials)) "\"stimulus\" and \"stimulus_neuron\"" else
           "the corrected estimators", " go over clusters.",
         class = "repalign_unused_clusters")
}

# The labels of a measure, and the noise of stimuli, for some of the stimuli.
cut_measure_stimuli <- function(measure, rows) {
  if (has_stimulus_noise(measure)) {
    check_stimulus_noise_size(measure$args$stimulus_noise, length(rows))
    measure$args$stimulus_noise <- cut_stimulus_noise(measure$args$stimulus_noise, rows)
  }
  # no assignment of NULL, which would make a part
  if (is.null(measure$args$clusters)) return(measure)
  check_clusters(measure$args$clusters, length(rows), "x", 1, "a similarity")
  measure$args$clusters <- cut_clusters(measure$args$clusters, rows)
  measure
}

# How many units are deleted one at a time: clusters, or without them stimuli.
units_of <- function(n, codes) if (is.null(codes)) n else max(codes)
