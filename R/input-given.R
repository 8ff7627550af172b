# The controls of a call (the parameter `given` of measures), which are its side z.

# list(set, side): the measures with the places of their controls, and the representations of all
# controls. x: the first side, as the user gave it.
read_controls <- function(set, x, allow_na) {
  data <- places <- list()
  subjects <- if (is_collection(x)) names(x)
  place_of <- function(control, place) {
    known <- which(vapply(data, identical, NA, control))
    if (length(known)) return(known[1])
    data <<- c(data, list(control))
    places <<- c(places, place)
    length(data)
  }
  set <- lapply(set, function(measure) {
    given <- measure$given
    if (is.null(given)) return(measure)
    refuse_if(takes_gaps(measure), "choice", "na = \"pairwise\" cannot be used with `given`: each ",
              "of the scores would be over other pairs. Take na = \"stimuli\".", arg = "na")
    # the subjects' own controls, without a name for what they are
    if (length(given) > 1 && setequal(names(given), subjects)) {
      given <- list(control = given)
      measure$label <- sub("given [^,)]*", "given control", measure$label)
    }
    shared <- intersect(names(given), subjects)
    inform_if(length(shared) > 1, "shared_controls", "`given` has elements with the names of some ",
              "elements of `x` ({enumerate(shared)}): each is a control of every pair. Controls ",
              "that each element of `x` has alone need a name for each: {enumerate(subjects)}.")
    at <- Map(function(control, name) {
      place <- if (identical(names(given), "control")) "given" else paste0("given$", name)
      if (!is_collection(control)) return(place_of(control, place))
      refuse_if(!setequal(names(control), subjects), "names", "`{place}` is a list, which must ",
                "have a control for each element of `x`, with its name: ",
                if (length(subjects)) paste0(enumerate(subjects), ".") else "`x` is no list.",
                arg = "given")
      vapply(subjects, function(subject) {
        place_of(control[[subject]], paste0(place, "$", subject))
      }, 1L)
    }, given, names(given))
    rows <- max(lengths(at))
    at <- matrix(vapply(at, rep_len, integer(rows), rows), rows)
    twice <- names(given)[duplicated(t(at))]
    refuse_if(length(twice), "choice", "`given${twice[1]}` is the same as another control, beside ",
              "which it explains nothing: leave it out.", arg = "given")
    measure$given <- list(names = names(given), at = at)
    measure
  })
  if (!length(data)) return(list(set = set, side = NULL))
  reprs <- Map(function(control, place) {
    given_representation(control, place, sub("^given[$]", "", place), allow_na, "y")
  }, data, unlist(places))
  list(set = set, side = list(reprs = unname(reprs), models = NULL, is_models = FALSE, bare = 0))
}

# Users who take a sample of neurons (of any size, unless it is complete) or noisy trials for a
# control are told, as the score then has a part of what it stands for. A side that is the control
# has no score.
note_incomplete_controls <- function(call) {
  for (measure in call$set[has_controls(call$set)]) {
    for (repr in call$sides$z$reprs[unique(as.vector(measure$given$at))]) {
      sampled <- repr$kind == "data" && !isTRUE(unclass(repr$responses)$complete)
      neurons <- sampled && !isTRUE(measure$args$corrects$neurons)
      noise <- has_trials(repr) && !isTRUE(measure$args$corrects$trials)
      own <- vapply(call$sides[c("x", "y")], function(side) {
        all(vapply(side$reprs, function(one) identical(one$data, repr$data), NA))
      }, NA)
      if (!neurons && !noise || any(own)) next
      return(inform("incomplete_control", "Of the control `{repr$arg}`, ",
                    if (neurons) "the neurons count as a sample", if (neurons && noise) " and ",
                    if (noise) "the trials have noise", ", for which {quoted(measure$label)} does ",
                    "not correct: a part of it stays in the score. ",
                    "cka(estimator = \"stimulus_neuron",
                    if (noise) "_trial", "\") corrects for that",
                    if (neurons) "; of what is all there is, responses(complete = TRUE) says so",
                    "."))
    }
  }
}

# ---- partial scores

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
            "is a cosine, which that of {quoted(measure$id)} is not with these parameters. ",
            cosine_words(), arg = "given")
  refuse_if(!is.null(measure$given), "parameter", "The measure {quoted(measure$label)} has ",
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
  refuse_if(length(controlled), "parameter", "The measure {quoted(controlled[[1]]$label)} ",
            "has controls, with which this function does not work: similarity(), ",
            "score_interval(), score_weighted() and evaluate_models() do.", arg = "given")
}
