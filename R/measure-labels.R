# What data and calls add to the labels of measures, so that another number has another label.

# The label with what the data settled: the estimator, and which sides have trials, and all neurons
# that there are. before: the estimator as measure() took it; reprs: list(x, y), two lists.
settled_label <- function(measure, before, reprs = NULL) {
  estimator <- measure$args$estimator
  words <- complete_words(measure$args)
  trials <- isTRUE(measure$args$corrects$trials)
  settled <- !is.null(words) || trials || !identical(estimator, before)
  if (!settled || has_own_label(measure)) return(measure$label)
  measure$label <- sub(before, estimator, measure$label, fixed = TRUE)
  if (trials && some_pair_lacks_trials(reprs)) {
    measure$label <- sub(estimator, paste0(sub("_trial", "", estimator), ", trials as declared"),
                         measure$label, fixed = TRUE)
  }
  if (is.null(words) || grepl("complete", measure$label, fixed = TRUE)) return(measure$label)
  label_with(measure, words)
}

# Without trials on either side the score of a pair is that of the estimator for matrices.
some_pair_lacks_trials <- function(reprs) {
  lacks <- lapply(reprs, function(side) !vapply(side, has_trials, NA))
  if (length(reprs$y) && identical(reprs$x[[1]]$cache, reprs$y[[1]]$cache)) {
    return(sum(lacks$x) > 1)
  }
  any(lacks$x) && any(lacks$y)
}

# Has the user named the measure?
has_own_label <- function(measure) {
  id <- measure$id
  is_own(measure) || !startsWith(measure$label, paste0(id, "(")) &&
    !grepl(paste0("^", id, "( #[0-9]+)?$"), measure$label)
}

# The label with one word more between its brackets.
label_with <- function(measure, word) {
  label <- measure$label
  if (has_own_label(measure)) return(paste0(label, " (", word, ")"))
  if (!grepl("(", label, fixed = TRUE)) {
    return(sub(measure$id, paste0(measure$id, "(", word, ")"), label, fixed = TRUE))
  }
  sub("\\)( #[0-9]+)?$", paste0(", ", word, ")\\1"), label)
}

# Clusters of the call or of responses() change the score as those of the measure do, and stand in
# the label at the same place. The naive estimator does not go by them.
with_cluster_label <- function(measure) {
  used <- !is.null(measure$args$clusters) &&
    (is.null(measure$args$corrects) || measure$args$corrects$stimuli)
  if (!used || has_own_label(measure) || grepl("clusters", measure$label, fixed = TRUE)) {
    return(measure)
  }
  after <- "([(]|, )(stimulus_noise|complete|pairwise)"
  measure$label <- if (grepl(after, measure$label)) {
    sub(after, "\\1clusters, \\2", measure$label)
  } else label_with(measure, "clusters")
  measure
}

# Linear shifts compare the middle half of the rows.
with_middle_label <- function(measure) {
  measure$label <- label_with(measure, "middle half")
  measure
}
