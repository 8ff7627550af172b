# Partial scores: what is left of a score that is a cosine when the projections on controls, such as
# pixels or an earlier layer, are taken off both sides (the parameter `given` of such measures).

# A measure has its controls in `given`: as measure() makes it, a named list of what the user gave;
# in an opened call list(names, at), where row i of `at` has the places of the controls in the side
# z of the call that belong to the i-th representation of x (or there is one row for all).
#
# A partial score is made of the scores of its pairs alone, so that everything that holds for these,
# deletions included, holds for it.

# given: the argument of the user, or NULL.
with_controls <- function(measure, given) {
  if (is.null(given)) return(measure)
  d <- measure$declaration
  refuse_if(!isTRUE(declared(d$cosine, measure$args)), "parameter", "`given` needs a score that ",
            "is a cosine, which that of {dQuote(measure$id, FALSE)} is not with these parameters. ",
            cosine_words(), arg = "given")
  refuse_if(!is.null(measure$given), "parameter", "The measure {dQuote(measure$label, FALSE)} has ",
            "controls already: give all of them there, or all in `given`.", arg = "given")
  refuse_results(given, "given")
  if (!is_collection(given)) {
    refuse_plain_vector(given, "given")
    given <- list(control = given)
  }
  names <- check_element_names(given, "given")
  for (name in names) refuse_plain_vector(given[[name]], paste0("given$", name))
  measure$given <- given
  shown <- if (length(names) > 3) c(names[1:2], paste(length(names) - 2, "more")) else names
  measure$label <- label_with(measure, paste("given", paste(shown, collapse = " + ")))
  measure
}

# The rest is judged when the sides are known.
refuse_plain_vector <- function(given, place) {
  if (is.atomic(given) && is.null(dim(given)) && kind_of(given) == "data") {
    as_numeric_matrix(given, place)
  }
}

has_controls <- function(set) lengths(lapply(set, function(measure) measure$given)) > 0

refuse_controls <- function(set) {
  controlled <- set[has_controls(set)]
  refuse_if(length(controlled), "parameter", "The measure {dQuote(controlled[[1]]$label, FALSE)} ",
            "has controls, with which this function does not work: similarity(), ",
            "score_interval(), score_weighted() and evaluate_models() do.", arg = "given")
}
