# A name that comes twice is a stimulus that was shown twice. Its rows depend on each other, so that
# scores, intervals and tests take them only where clusters say so.

# reprs: lists with `data` and `arg`; codes: of the clusters of their stimuli, or NULL.
refuse_repeats <- function(reprs, codes = NULL, of_measure = FALSE) {
  for (repr in reprs) {
    names <- stimulus_names(repr$data)
    if (is.null(names) || !anyDuplicated(names) || in_common_clusters(names, codes)) next
    refuse_repeated_names(names, if (is.null(repr$whole)) repr else repr$whole,
                          of_measure = of_measure)
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
refuse_repeats_of <- function(reprs, set, clusters, own_clusters) {
  # The names that a representation shares with the one before are not looked at again.
  known <- NULL
  repeats <- FALSE
  is_repeated <- logical(length(reprs))
  for (k in seq_along(reprs)) {
    names <- stimulus_names(reprs[[k]]$data)
    if (is.null(names)) next
    if (!identical(names, known)) repeats <- anyDuplicated(names) > 0
    known <- names
    is_repeated[k] <- repeats
  }
  repeated <- reprs[is_repeated]
  if (!length(repeated)) return(invisible())
  of_measure <- own_clusters && all(vapply(set, takes_clusters, NA))
  if (!is.null(clusters)) return(refuse_repeats(repeated, clusters, of_measure))
  for (measure in set) refuse_repeats(repeated, measure$args$clusters, of_measure)
}

# What works depends on the data, and on the function that the user called. repr: list(data, arg),
# of representations also responses; declared: the responses object to give in the place of the
# data, as code, where the function needs another one than responses(x); of_measure: do measures
# take clusters where the function does not?
refuse_repeated_names <- function(names, repr, declared = NULL, of_measure = FALSE) {
  arg <- repr$arg
  twice <- names[duplicated(names)][1]
  rdm <- kind_of(repr$data) != "data"
  trials <- !is.null(repr$responses) || length(dim(repr$data)) == 3
  as_repeats <- if (rdm) {
    paste("If it is of a stimulus that was shown more than once, make an RDM of conditions by",
          "rdm(), which takes rows of one name as repeats")
  } else if (trials) {
    paste0("If equal names are one stimulus, give ", merged_trials(arg), ", in which all of its ",
           "trials stand together")
  } else {
    if (is.null(declared)) declared <- paste0("responses(", arg, ")")
    paste0("If rows are trials of one stimulus, give ", declared, ", which reads them as such")
  }
  clusters <- if (rdm) paste0("labels(", arg, ")") else paste0("rownames(", arg, ")")
  refuse("repeats", "`{arg}` has the name {dQuote(twice, FALSE)} more than once. {as_repeats}",
         if (offers_argument("clusters")) paste0(", or clusters = ", clusters) else
           if (of_measure) paste0(", or clusters = ", clusters, " in measure()"),
         "; if these are different stimuli, give them different names.")
}

# The code that puts the trials of rows with equal names together, of an array or responses object.
merged_trials <- function(arg) {
  paste0("responses(apply(as.array(", arg, "), 2, c), rep(rownames(", arg, "), dim(", arg,
         ")[3]))")
}

# What has each stimulus once stands beside what has the same stimuli several times: conditions, or
# responses with trials, beside rows that were not declared to be repeats.
refuse_one_sided_repeats <- function(reprs) {
  names <- lapply(reprs, function(repr) stimulus_names(repr$data))
  repeated <- vapply(names, anyDuplicated, 0L) > 0
  for (at in which(repeated)) {
    once <- vapply(names[!repeated], setequal, NA, names[[at]])
    if (any(once)) refuse_repeated_names(names[[at]], reprs[[at]])
  }
}

# For functions that take matrices alone. where: words that say where means are taken.
refuse_repeated_rows <- function(x, arg, where) {
  names <- rownames(x)
  if (!anyDuplicated(names)) return(invisible())
  twice <- names[duplicated(names)][1]
  refuse("repeats", "`{arg}` has the name {dQuote(twice, FALSE)} more than once. If rows are ",
         "repeats of one stimulus, take their means {where}, as by as.matrix(responses(x)); if ",
         "they are different stimuli, give them different names.")
}
