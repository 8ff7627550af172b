# Labels of clusters: which stimuli may depend on each other.

# Codes 1, 2, ... in order of appearance, one a stimulus; NA: the stimulus is left out. NULL stays
# NULL. Codes of codes are the same codes. Names stay: arguments_in_order() goes by them.
cluster_codes <- function(clusters, arg = "clusters") {
  if (is.null(clusters)) return(NULL)
  clusters <- column_of_labels(clusters)
  refuse_if(!is.atomic(clusters) || length(dim(clusters)) > 1, "labels",
            "`{arg}` must be a vector of labels, one a stimulus, not {describe(clusters)}.")
  labels <- as.vector(clusters)
  stats::setNames(match(labels, unique(labels[!is.na(labels)])), names(clusters))
}

# least: how many clusters are needed, and for what.
check_clusters <- function(codes, n, of, least, why) {
  if (is.null(codes)) return(invisible())
  refuse_if(length(codes) != n, "labels", "`clusters` has {count_of(length(codes), 'label')}, but ",
            "`{of}` has {count_of(n, 'row')}: give one label per stimulus (NA leaves it out).")
  count <- cluster_count(codes)
  refuse_if(count < least, "labels", "`clusters` names {count_of(count, 'cluster')}; {why} over ",
            "clusters needs at least {least}. Use finer labels if smaller groups are independent.")
}

cluster_count <- function(codes) length(unique(codes[!is.na(codes)]))

# The codes of some of the stimuli.
cut_clusters <- function(codes, rows) {
  if (is.null(codes) || all(rows)) codes else cluster_codes(codes[rows])
}

labelled_codes <- function(codes) codes[!is.na(codes)]

# The corrected estimators go over clusters.
goes_by_clusters <- function(args) !is.null(args$clusters) && args$corrects$stimuli

# The labels of a measure, and the noise of stimuli, for some of the stimuli.
cut_measure_stimuli <- function(measure, rows) {
  if (!is_own(measure) && !is.null(measure$args$stimulus_noise)) {
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

# ---- arguments with names

# The arguments of a measure that have a value for each stimulus or column, in the order of these.
# reprs: the representations of a call.
arguments_in_order <- function(args, reprs) {
  # Labels of columns with names, in the order of the columns of their side.
  for (side in c("x", "y")) {
    arg <- paste0("units_", side)
    if (is.null(names(args[[arg]]))) next
    of_side <- Filter(function(repr) identical(repr$side, side), reprs)
    columns <- lapply(if (length(of_side)) of_side else reprs, function(repr) colnames(repr$data))
    columns <- unique(Filter(Negate(is.null), columns))
    if (!length(columns)) columns <- list(NULL)
    found <- unique(lapply(columns, function(names) {
      in_order_of(args[[arg]], names, arg, paste0("the columns of `", side, "`"))
    }))
    refuse_if(length(found) > 1, "names", "`{arg}` goes by names, but the representations of ",
              "`{side}` have their columns in different orders: bring these into one order.")
    args[[arg]] <- found[[1]]
  }
  if (is.null(args$clusters) && is.null(args$stimulus_noise)) return(args)
  labels <- first_stimulus_names(reprs)
  if (!is.null(args$clusters)) {
    args$clusters <- cluster_codes(in_order_of(args$clusters, labels, "clusters"))
  }
  noise <- args$stimulus_noise
  if (!is.null(noise)) args$stimulus_noise <- in_order_of(noise, labels, "stimulus_noise")
  args
}

measure_in_order <- function(measure, reprs) {
  if (!is_own(measure)) measure$args <- arguments_in_order(measure$args, reprs)
  measure
}
