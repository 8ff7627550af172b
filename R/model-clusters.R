# Clusters of stimuli in evaluate_rdms(): they are drawn as a whole, kept together by folds, and
# pairs of stimuli within them do not count.

# Adds to a task of evaluate_rdms() `given`, the number of stimuli that the user gave, `kept`, the
# numbers of those that take part, and `constant`, which models say the same about all pairs that
# count. With clusters, the task has the stimuli that have a label, no dissimilarities within
# clusters (NA), and `codes`, the number of the cluster of each stimulus.
clustered_task <- function(task, codes) {
  task$given <- task$n
  task$kept <- seq_len(task$n)
  task$constant <- rep(FALSE, length(task$models))
  if (is.null(codes)) return(task)
  check_clusters(codes, task$n, "rdms", 2, "a comparison of RDMs")
  task$kept <- which(!is.na(codes))
  places <- packed_places(task$kept, task$n)
  task$codes <- unname(labelled_codes(codes))
  within <- !between_clusters(task$codes)
  cut <- function(values) {
    values <- values[places, , drop = FALSE]
    values[within, ] <- NA
    values
  }
  task$values <- cut(task$values)
  task$components <- lapply(task$components, cut)
  task$stimulus_noise <- cut_stimulus_noise(task$stimulus_noise, task$kept)
  task$labels <- task$labels[task$kept]
  task$n <- length(task$kept)
  refuse_if(sum(!within) < 3, "size", "`clusters` leaves {count_of(sum(!within), 'pair')} of ",
            "stimuli of different clusters: at least 3 are needed.")
  task$constant <- vapply(task$components, function(components) all(apply(components, 2, is_flat)),
                          NA, USE.NAMES = FALSE)
  task
}

# Do values differ by no more than rounding?
is_flat <- function(values) {
  if (all(is.na(values))) return(TRUE)
  range <- range(values, na.rm = TRUE)
  range[2] - range[1] <= tie_share * max(abs(range))
}

# Which pairs of stimuli are of different clusters: all, without clusters.
counting_pairs <- function(task) {
  if (is.null(task$codes)) rep(TRUE, nrow(task$values)) else between_clusters(task$codes)
}

# What is drawn and cut into folds, in words.
unit_words <- function(task) if (is.null(task$codes)) "stimuli" else "clusters"

# Rows for stimuli from rows for units, and back.
of_each_stimulus <- function(values, task) {
  if (is.null(task$codes)) values else values[task$codes, , drop = FALSE]
}

of_each_unit <- function(values, task) {
  if (is.null(task$codes)) values else values[!duplicated(task$codes), , drop = FALSE]
}

# Below so many clusters their variance is known from too few of them.
few_clusters <- 6
