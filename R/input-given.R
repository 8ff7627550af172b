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
                if (length(subjects)) "{enumerate(subjects)}." else "`x` is no list.",
                arg = "given")
      vapply(subjects, function(subject) {
        place_of(control[[subject]], paste0(place, "$", subject))
      }, 1L)
    }, given, names(given))
    rows <- max(lengths(at))
    measure$given <- list(names = names(given),
                          at = matrix(vapply(at, rep_len, integer(rows), rows), rows))
    measure
  })
  if (!length(data)) return(list(set = set, side = NULL))
  reprs <- Map(function(control, place) {
    given_representation(control, place, sub("^given[$]", "", place), allow_na, "y")
  }, data, unlist(places))
  list(set = set, side = list(reprs = unname(reprs), models = NULL, is_models = FALSE, bare = 0))
}

# Users who take a sample of neurons or noisy trials for a control are told, as the score then has a
# part of what it stands for.
note_incomplete_controls <- function(call) {
  for (measure in call$set[has_controls(call$set)]) {
    for (repr in call$sides$z$reprs[unique(as.vector(measure$given$at))]) {
      sampled <- repr$kind == "data" && !isTRUE(unclass(repr$responses)$complete)
      neurons <- sampled && !isTRUE(measure$args$corrects$neurons)
      noise <- has_trials(repr) && !isTRUE(measure$args$corrects$trials)
      if (!neurons && !noise) next
      return(inform(
        "incomplete_control", "The control `{repr$arg}` has ",
        if (neurons) "few neurons", if (neurons && noise) " and ", if (noise) "noise",
        ": a part of it stays in the score. cka(estimator = \"stimulus_neuron",
        if (noise) "_trial", "\") corrects for that",
        if (neurons) "; of what is all there is, responses(complete = TRUE) says so", "."
      ))
    }
  }
}
