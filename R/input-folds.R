# Folds of stimuli, for functions that fit to some stimuli and score on the others; and clusters of
# stimuli that may depend on each other.

# What users give as `folds` becomes a list
#
# test         the numbers of the stimuli (those of the call, from 1 to n) that each fold tests; the
#              stimuli of all others are those to which its model is fitted
# name         of each fold, as text
# repeat_of    of which repeat each fold is, 1, 2, ...
# overlapping  may a stimulus be tested by several folds, or by none, because they are given sets?
#
# folds: a number of random folds, labels of the stimuli, or a list of sets of stimuli. call: with
# n, rows, labels and clusters, as open_sides() gives them. No fold splits a cluster.
test_folds <- function(folds, call, repeats = 1) {
  repeats <- check_count(repeats, "repeats")
  codes <- call$clusters
  clustered <- if (!is.null(codes)) tabulate(codes)
  refuse_if(any(clustered > length(codes) / 2), "labels", "`clusters`: one cluster has ",
            "{max(clustered)} of {length(codes)} stimuli, more than half of them: no other ",
            "stimuli can predict it. Use finer labels if smaller groups of stimuli are ",
            "independent.")
  number <- is.numeric(folds) && length(folds) == 1 && is.null(dim(folds))
  refuse_if(!number && repeats > 1, "choice", "`repeats` draws new random folds, but `folds` says ",
            "what they are: give the number of folds, or repeats = 1.")
  found <- if (number) random_folds(folds, call, repeats) else
    if (is.list(folds) && !is.data.frame(folds)) sets_as_folds(folds, call) else
      labels_as_folds(folds, call)
  # A model needs some stimuli to be fitted to, and there must be something to test.
  n <- call$n
  sizes <- lengths(found$test)
  refuse_if(any(sizes == 0), "size", "`folds`: {quoted(found$name[sizes == 0][1])} tests ",
            "no stimulus: leave it out.")
  most <- which.max(sizes)
  refuse_if(sizes[most] > n - 3, "size", "`folds`: {quoted(found$name[most])} tests ",
            "{count_of(sizes[most], 'stimulus')} of {n}, but at least 3 must be left to fit to: ",
            "use more or smaller folds.")
  for (k in if (!is.null(codes)) seq_along(found$test)) {
    tested <- tabulate(codes[found$test[[k]]], length(clustered))
    split <- which(tested > 0 & tested < clustered)
    refuse_if(length(split), "labels", "`folds`: {quoted(found$name[k])} splits a cluster, first ",
              "that of stimulus {which(codes == split[1])[1]}: stimuli of one cluster must be ",
              "tested together, because they depend on each other.")
  }
  found
}

# Which stimuli a fold is fitted to.
train_of <- function(folds, k, n) setdiff(seq_len(n), folds$test[[k]])

# Folds of about equal sizes, drawn by R's generator. Clusters are dealt out whole, the largest
# first, each to the fold that has the fewest stimuli so far.
random_folds <- function(folds, call, repeats) {
  count <- check_count(folds, "folds", least = 2)
  codes <- call$clusters
  units <- units_of(call$n, codes)
  refuse_if(count > units, "size", "`folds` asks for {count} folds, but there are ",
            count_of(units, if (is.null(codes)) "stimulus" else "cluster"),
            ": each fold needs one.")
  sizes <- if (is.null(codes)) rep(1L, units) else tabulate(codes, units)
  drawn <- lapply(seq_len(repeats), function(r) {
    # the fold of each unit
    fold <- integer(units)
    order <- sample.int(units)
    if (length(unique(sizes)) == 1) {
      fold[order] <- rep_len(seq_len(count), units)
    } else {
      filled <- numeric(count)
      for (unit in order[order(-sizes[order])]) {
        fold[unit] <- which.min(filled)
        filled[fold[unit]] <- filled[fold[unit]] + sizes[unit]
      }
    }
    if (!is.null(codes)) fold <- fold[codes]
    unname(split(seq_along(fold), fold))
  })
  list(test = unlist(drawn, recursive = FALSE), name = rep(as.character(seq_len(count)), repeats),
       repeat_of = rep(seq_len(repeats), each = count), overlapping = FALSE)
}

labels_as_folds <- function(folds, call) {
  given <- length(call$rows)
  folds <- column_of_labels(folds)
  refuse_if(!is.atomic(folds) || is.null(folds) || length(dim(folds)) > 1, "type",
            "`folds` must be a number of folds, a label for each stimulus, or a list of sets of ",
            "stimuli that are tested, not {describe(folds)}.")
  refuse_if(length(folds) != given, "labels", "`folds` has {count_of(length(folds), 'label')}, ",
            "but there are {count_of(given, 'stimulus')}: give one label per stimulus.")
  labels <- in_order_of(folds, call$labels, "folds")[call$rows]
  refuse_if(anyNA(labels), "labels", "`folds` has no label for stimulus ",
            "{which(is.na(labels))[1]}: every stimulus needs one (na = \"stimuli\", or NA in ",
            "`clusters`, leaves stimuli out).")
  labels <- ordered_labels(labels)
  refuse_if(nlevels(labels) < 2, "value", "`folds` has one label for all stimuli: at least 2 ",
            "folds are needed, so that stimuli of one are predicted from the others.")
  list(test = unname(split(seq_along(labels), labels)), name = levels(labels),
       repeat_of = rep(1L, nlevels(labels)), overlapping = FALSE)
}

# Sets that users give may overlap, and need not test every stimulus.
sets_as_folds <- function(folds, call) {
  refuse_if(length(folds) < 2, "value", "`folds` is a list of {count_of(length(folds), 'set')}: ",
            "at least 2 are needed.")
  kept <- cumsum(call$rows)
  given <- length(kept)
  test <- lapply(seq_along(folds), function(k) {
    set <- folds[[k]]
    wrong <- function(...) refuse("value", "`folds`: set {k} ", ...)
    # which of the given stimuli the set names, by numbers, names or flags
    at <- if (is.logical(set) && length(set) == given) which(set) else
      if (is.character(set) && !is.null(call$labels)) match(set, call$labels) else set
    if (!is.numeric(at) || !is.null(dim(at))) {
      wrong("must be the numbers of the stimuli that it tests, or their names, not ",
            describe(set), if (is.character(set)) " (the stimuli have no names)", ".")
    }
    if (anyNA(at)) {
      wrong("has ", if (is.character(set)) quoted(set[is.na(at)][1]) else "NA",
            ", which is no stimulus.")
    }
    odd <- at[at != round(at) | at < 1 | at > given]
    if (length(odd)) {
      wrong("has ", format(odd[1]), ": stimuli have the whole numbers from 1 to ", given, ".")
    }
    if (anyDuplicated(at)) wrong("has stimulus ", at[duplicated(at)][1], " twice.")
    at <- as.integer(at)
    sort(kept[at[call$rows[at]]])
  })
  name <- if (is.null(names(folds))) as.character(seq_along(folds)) else names(folds)
  list(test = test, name = name, repeat_of = rep(1L, length(folds)), overlapping = TRUE)
}

# ---- clusters

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
