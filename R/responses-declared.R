# What responses objects of a call declare, for measures that use it and for those that do not.

structures <- c("trials", "runs", "sessions", "neurons", "clusters")

# The parts that an object declares.
declared_parts <- function(x) {
  x <- unclass(x)
  several <- dim(x$values)[3] > 1
  structures[c(several && !x$run, several && x$run, !is.null(x$session), !is.null(x$neuron),
               !is.null(x$cluster))]
}

# Means over trials that lack a value are refused for measures that do not go by trials, and RDMs
# that lack pairs of stimuli for those that do not take them.
refuse_holes <- function(reprs, set) {
  refuse_lacking_pairs(reprs, set)
  set <- Filter(function(measure) !"trials" %in% used_structure(measure), set)
  if (!length(set)) return(invisible())
  for (repr in reprs) if (has_holes(repr)) check_finite(repr$data, repr$arg)
}

has_holes <- function(repr) !is.null(repr$responses) && anyNA(repr$data)

# The neurons without missing values.
known_columns <- function(x) x[, !is.na(colSums(x)), drop = FALSE]

# What note_unused_structure() needs of data that are no representations.
responses_of <- function(data) {
  lapply(data, function(x) list(responses = if (is_responses(x)) x))
}

declares_responses <- function(reprs) {
  any(vapply(reprs, function(repr) !is.null(repr$responses), NA))
}

# The clusters that the objects of a call declare, as codes for their stimuli; NULL without any.
declared_clusters <- function(reprs) {
  known <- Filter(function(repr) !is.null(repr$responses$cluster), reprs)
  if (!length(known)) return(NULL)
  codes <- lapply(known, function(repr) cluster_codes(repr$responses$cluster))
  differs <- which(!vapply(codes, identical, NA, codes[[1]]))
  if (length(differs)) {
    first <- known[[1]]$arg
    other <- known[[differs[1]]]$arg
    abort("`", first, "` and `", other, "` declare different clusters, first for stimulus ",
          first_difference(codes[[1]], codes[[differs[1]]]), ": the stimuli are the same, and so ",
          "must be their clusters. Declare them on one side, or alike.",
          class = "repalign_error_labels", arg = other)
  }
  codes[[1]]
}

first_difference <- function(a, b) {
  which(!mapply(identical, a, b))[1]
}

# A pair and a measure, as the objects of the pair declare them: stimuli without a cluster are left
# out, the measure has the clusters, and a message names what it does not use.
declared_pair <- function(pair, measure) {
  reprs <- list(pair$x, pair$y)
  if (!declares_responses(reprs)) return(list(pair = pair, measure = measure))
  codes <- declared_clusters(reprs)
  measure <- with_declared_clusters(measure, codes)
  refuse_holes(reprs, list(measure))
  note_unused_structure(reprs, list(measure))
  if (anyNA(codes)) {
    keep <- !is.na(codes)
    cut <- function(repr) labelled_stimuli(repr, codes)
    pair <- as_pair(cut(pair$x), cut(pair$y), by_name = FALSE)
    measure <- cut_measure_stimuli(measure, keep)
  }
  list(pair = pair, measure = measure)
}

# The same for all pairs of the sides, but that stimuli without a cluster stay. clusters: the
# argument of calibrate(). Returns list(sides, set, clusters).
declared_sides <- function(sides, set, clusters = NULL) {
  reprs <- all_representations(sides)
  clusters <- in_order_of(clusters, first_stimulus_names(reprs), "clusters")
  if (!declares_responses(reprs)) return(list(sides = sides, set = set, clusters = clusters))
  codes <- declared_clusters(reprs)
  refuse_second_clusters(clusters, codes)
  set <- lapply(set, with_declared_clusters, codes)
  note_unused_structure(reprs, set)
  list(sides = sides, set = set, clusters = if (is.null(clusters)) codes else clusters)
}

# Without the stimuli that have no cluster.
labelled_sides <- function(declared) {
  if (!anyNA(declared$clusters)) return(declared)
  keep <- !is.na(declared$clusters)
  list(sides = sides_without(declared$sides, keep),
       set = lapply(declared$set, cut_measure_stimuli, keep))
}

refuse_second_clusters <- function(given, declared) {
  if (is.null(given) || is.null(declared)) return(invisible())
  abort("`clusters` is given, but a responses object declares clusters already: leave out one of ",
        "the two.", class = "repalign_error_choice", arg = "clusters")
}

with_declared_clusters <- function(measure, codes) {
  if (is.null(codes)) return(measure)
  refuse_second_clusters(measure$args$clusters, codes)
  if (takes_clusters(measure)) measure$args$clusters <- codes
  measure
}

takes_clusters <- function(measure) {
  !is_own(measure) && !is_whitened(measure$args) &&
    "clusters" %in% names(measure_parameters(measure$id))
}

# One message for all measures of a call.
note_unused_structure <- function(reprs, set) {
  given <- Filter(Negate(is.null), lapply(reprs, function(repr) repr$responses))
  parts <- structures[structures %in% unlist(lapply(given, declared_parts))]
  if (!length(parts)) return(invisible())
  unused <- lapply(set, function(measure) setdiff(parts, used_structure(measure)))
  say_unused(unused, vapply(set, function(measure) measure$label, ""))
}

used_structure <- function(measure) {
  uses <- measure$declaration$uses
  if (is.null(uses)) return(if (!is.null(measure$args$clusters)) "clusters")
  uses(measure$args)
}

# unused: the parts that each of `labels` does not use.
say_unused <- function(unused, labels) {
  words <- vapply(unused, enumerate, "", quote = FALSE)
  none <- lengths(unused) == 0
  if (all(none)) return(invisible())
  groups <- split(labels[!none], factor(words[!none], unique(words[!none])))
  each <- paste0(names(groups), " (by ", vapply(groups, enumerate, ""), ")")
  inform("Declared by responses(), but not used: ", paste(each, collapse = "; "), ".",
         if (any(c("trials", "runs") %in% unlist(unused))) {
           " Means over trials are compared, with the noise that is left in them."
         }, class = "repalign_structure_unused")
}
