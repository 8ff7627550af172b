# A name that comes twice is a stimulus that was shown twice. Its rows depend on each other, so that
# scores, intervals and tests take them only where clusters say so.

# reprs: lists with `data` and `arg`; codes: of the clusters of their stimuli, or NULL.
refuse_repeats <- function(reprs, codes = NULL) {
  for (repr in reprs) {
    names <- stimulus_names(repr$data)
    if (is.null(names) || !anyDuplicated(names) || in_common_clusters(names, codes)) next
    refuse_repeated_names(names, repr)
  }
}

# Do equal names share a cluster?
in_common_clusters <- function(names, codes) {
  length(codes) == length(names) && identical(codes[match(names, names)], as.vector(codes))
}

# The same for the labels of RDMs that are in one order.
refuse_repeated_labels <- function(labels, arg, codes = NULL) {
  if (!anyDuplicated(labels) || in_common_clusters(labels, codes)) return(invisible())
  refuse_repeated_names(labels, list(data = structure(list(), class = "dist"), arg = arg))
}

# The same for a call of measures, each of which may have clusters of its own.
refuse_repeats_of <- function(reprs, set, clusters) {
  repeated <- Filter(function(repr) anyDuplicated(stimulus_names(repr$data)) > 0, reprs)
  if (!length(repeated)) return(invisible())
  if (!is.null(clusters)) return(refuse_repeats(repeated, clusters))
  for (measure in set) refuse_repeats(repeated, measure$args$clusters)
}

refuse_repeated_names <- function(names, repr) {
  arg <- repr$arg
  twice <- names[duplicated(names)][1]
  abort("`", arg, "` has the name ", dQuote(twice, FALSE), " more than once. ",
        if (kind_of(repr$data) != "data") {
          paste0("If it is of a stimulus that was shown more than once, make an RDM of conditions ",
                 "by rdm(), or give clusters = labels(", arg, ") where a function takes clusters")
        } else {
          paste0("If rows are trials of one stimulus, give responses(", arg, "), which reads them ",
                 "as such, or clusters = rownames(", arg, ") where a function takes clusters")
        }, "; if these are different stimuli, give them different names.",
        class = "repalign_error_repeats", arg = arg)
}
