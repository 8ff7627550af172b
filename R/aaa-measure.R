# What a measure is, and the registry of them. A measure is declared once, beside
# its exported function; the table, the checks and the tests read the declaration.

registry <- new.env()

# id, label, family   names; resi: the abbreviation in the ReSi benchmark, or NA
# direction           "similarity" or "distance"
# range               a pair, or a function(args) that gives one
# best                its value for identical representations: a number, NA or a function(args)
# symmetric           does d(x, y) = d(y, x): TRUE, FALSE or a function(args) that tells
# metric              is it a metric
# pairing             does it depend on which row is paired with which
# invariant           to what, of `invariances`, applied to one side
# form                what is prepared once per representation (form.R)
# accepts             what may stand for a representation: some of "data" (a matrix), "dist",
#                     "signed" (distances may be negative) and "graph", or a function(args)
# null                how its permutation null is made from forms (null-*.R), a list or a
#                     function(args) that gives one; NULL: the measure itself on relabelled forms
# neighbours          NULL, or a function(args) giving list(metric, k): the graph it compares
# fun                 name of the exported function: its formals are the parameters
# check               function(args): checked arguments
# compare             function(pair, args): the score
declare_measure <- function(id, label, family, resi = NA_character_, direction, range, best,
                            symmetric, metric, pairing, invariant, form, check, compare,
                            reference, accepts = "data", neighbours = NULL, null = NULL) {
  stopifnot(all(invariant %in% invariances))
  registry[[id]] <- environment_list(environment())
}

environment_list <- function(env) mget(names(formals(declare_measure)), envir = env)

invariances <- c("orthogonal", "scaling", "translation", "column permutation", "invertible linear")

range_of <- function(d, args) if (is.function(d$range)) d$range(args) else d$range

# Scores that rounding took beyond their range are its bounds. What is compared there are sums of
# at most n^2 products over the norms of their factors, 1 at most but for n machine epsilons or
# so (roundings add up like a random walk): far below what permutations take for equal. More than
# that is an error of ours and stays visible. Without two bounds a score may have units.
within_range <- function(score, d, args) {
  range <- range_of(d, args)
  if (!all(is.finite(range))) return(score)
  rounding <- equal_share * max(1, abs(range))
  low <- which(score < range[1] & score >= range[1] - rounding)
  high <- which(score > range[2] & score <= range[2] + rounding)
  score[low] <- range[1]
  score[high] <- range[2]
  score
}

best_of <- function(d, args) if (is.function(d$best)) d$best(args) else d$best

symmetry_of <- function(d, args) if (is.function(d$symmetric)) d$symmetric(args) else d$symmetric

accepted_by <- function(d, args) if (is.function(d$accepts)) d$accepts(args) else d$accepts

measure_ids <- function() sort(names(registry))

declaration <- function(id) {
  if (!is.character(id) || length(id) != 1 || is.na(id)) {
    abort("A measure is named by one id, a string such as \"cka\"; see measures().",
          class = "repalign_error_measure", arg = "measure")
  }
  if (!id %in% names(registry)) {
    abort("There is no measure ", dQuote(id, FALSE), suggest_measure(id), " measures() lists all ",
          "measures.", class = "repalign_error_measure", arg = "measure")
  }
  registry[[id]]
}

suggest_measure <- function(id) {
  if (id %in% c("jsd", "disagreement", "accuracy_difference")) {
    return(paste0(" for similarity(): ", id, "() is a function of two classifiers' outputs."))
  }
  estimator <- synonyms_of(id, c("stimulus", "stimulus_neuron"))
  if (length(estimator)) {
    return(paste0("; did you mean measure(\"cka\", estimator = ", dQuote(estimator[1], FALSE),
                  ")?"))
  }
  resi <- vapply(measure_ids(), function(known) registry[[known]]$resi, "")
  same <- which(tolower(resi) == tolower(id))
  if (length(same)) return(paste0("; it is called ", dQuote(names(same)[1], FALSE), " here."))
  suggest(id, measure_ids())
}

measure_parameters <- function(id) {
  parameters <- formals(get(id, envir = topenv()))
  parameters[setdiff(names(parameters), c("x", "y"))]
}

# Defaults as values: the first of several choices.
default_arguments <- function(id) lapply(measure_parameters(id), eval, envir = topenv())

#' Measures of representational similarity
#'
#' `measures()` lists every measure with its properties. `measure()` makes a measure with
#' parameters of your choice, for use in [similarity()] and [calibrate()].
#'
#' @param id the id of a measure, a string such as `"cka"`.
#' @param ... parameters of that measure, by their full names. They are explained on the help
#'   page of the function that has the measure's name.
#' @return `measures()`: a data frame with one row per measure and the columns `id`; `label`;
#'   `family`; `resi` (the abbreviation in the ReSi benchmark, or `NA`); `direction`
#'   (`"similarity"` or `"distance"`); `range_min` and `range_max` (the range of the score at
#'   default arguments; corrected estimates are not bounded); `best` (the score of a perfect
#'   match); `symmetric` (does swapping `x` and `y` leave the score as it is?); `pairing`
#'   (does the score depend on which row of `x` is paired with which row of `y`?);
#'   `invariant` (the changes of one side that leave the score as it is); `form` (what is
#'   prepared once per representation); `parameters` (with their defaults); `reference`.
#'
#'   `measure()`: a measure object with these parameters.
#' @examples
#' measures()[, c("id", "direction", "range_min", "range_max", "invariant")]
#' measure("cka", estimator = "stimulus")
#' @seealso [similarity()], [new_measure()]
#' @export
measures <- function() {
  rows <- lapply(measure_ids(), function(id) {
    d <- registry[[id]]
    args <- d$check(default_arguments(id))
    data.frame(
      id = d$id, label = d$label, family = d$family, resi = d$resi, direction = d$direction,
      range_min = range_of(d, args)[1], range_max = range_of(d, args)[2],
      best = as.double(best_of(d, args)),
      symmetric = symmetry_of(d, args),
      pairing = d$pairing, invariant = paste(d$invariant, collapse = ", "), form = d$form,
      parameters = describe_parameters(id), reference = d$reference
    )
  })
  table <- do.call(rbind, rows)
  class(table) <- c("repalign_measures", "data.frame")
  table
}

# The whole table is too wide for a console.
#' @export
print.repalign_measures <- function(x, ...) {
  shown <- intersect(c("id", "label", "direction", "range_min", "range_max", "best", "symmetric"),
                     names(x))
  print.data.frame(x[shown], row.names = FALSE)
  hidden <- setdiff(names(x), shown)
  if (length(hidden)) cat("More columns: ", paste(hidden, collapse = ", "), "\n", sep = "")
  invisible(x)
}

describe_parameters <- function(id) {
  parameters <- measure_parameters(id)
  if (!length(parameters)) return("")
  as_text <- function(p) paste(deparse(p, width.cutoff = 500L), collapse = " ")
  shown <- vapply(parameters, as_text, "")
  paste(names(parameters), shown, sep = " = ", collapse = ", ")
}

#' @rdname measures
#' @export
measure <- function(id, ...) {
  need_arguments()
  d <- declaration(id)
  given <- list(...)
  check_parameter_names(id, given)
  args <- d$check(utils::modifyList(default_arguments(id), given, keep.null = TRUE))
  structure(
    list(id = id, label = measure_label(id, given), args = args, declaration = d),
    class = "repalign_measure"
  )
}

check_parameter_names <- function(id, given) {
  known <- names(measure_parameters(id))
  named <- names(given)
  if (length(given) && (is.null(named) || any(named == ""))) {
    abort(if (length(known)) "Parameters of " else "There are no parameters of ",
          dQuote(id, FALSE),
          if (length(known)) paste0(" must be named. They are: ", enumerate(known, 20)),
          ".", class = "repalign_error_parameter", arg = "measure")
  }
  if (anyDuplicated(named)) {
    abort("Parameter ", dQuote(named[duplicated(named)][1], FALSE), " of ", dQuote(id, FALSE),
          " is given twice: give it once.", class = "repalign_error_parameter",
          arg = named[duplicated(named)][1])
  }
  unknown <- setdiff(named, known)
  if (length(unknown)) {
    abort("Measure ", dQuote(id, FALSE), " has no parameter ", dQuote(unknown[1], FALSE),
          if (length(known)) paste0(suggest(unknown[1], known), " Parameters: ",
                                    enumerate(known, 20)),
          ".", class = "repalign_error_parameter", arg = unknown[1])
  }
}

# "cka", "cka(stimulus)", "mutual_knn(k = 5)", "cka(units_x)"
measure_label <- function(id, given) {
  defaults <- default_arguments(id)
  as_default <- function(name) {
    isTRUE(all.equal(given[[name]], defaults[[name]][1], tolerance = 0, check.attributes = FALSE))
  }
  changed <- Filter(function(name) !as_default(name), names(given))
  if (!length(changed)) return(id)
  parts <- vapply(changed, function(name) {
    value <- given[[name]]
    if (length(value) != 1 || isTRUE(value)) name
    else if (is.character(value)) value
    else paste(name, "=", format(value))
  }, "")
  paste0(id, "(", paste(parts, collapse = ", "), ")")
}

#' Use a function of your own as a measure
#'
#' Turns a function of two matrices into a measure that [similarity()] and [calibrate()] can
#' use.
#'
#' @param fun a function of two matrices (the same stimuli in the rows) that returns one
#'   number.
#' @param direction `"similarity"` (larger scores are more alike) or `"distance"` (smaller
#'   scores are more alike).
#' @param best the best possible score, usually that of two identical representations; `NA`
#'   if there is none. Without it, [calibrate()] cannot put the score on a scale from chance
#'   to best.
#' @param symmetric `TRUE` if `fun(x, y)` always equals `fun(y, x)`. A list compared with
#'   itself then needs only one call per unordered pair.
#' @param label the name of the measure in the `measure` column of results.
#' @return A measure object for [similarity()] and [calibrate()].
#' @details
#' `fun` is called once for every pair, and [calibrate()] calls it once more for every
#' permutation. Nothing is prepared in advance, so the time depends on `fun` alone. `fun`
#' must return one finite number, or `NA` if the score is undefined. Any other value is an
#' error that names the pair.
#' @examples
#' first_column <- new_measure(function(x, y) abs(cor(x[, 1], y[, 1])),
#'                             direction = "similarity", best = 1, label = "first column")
#' x <- matrix(rnorm(60), 20)
#' similarity(x, x + rnorm(60), list("cka", first_column))
#' @seealso [measure()]
#' @export
new_measure <- function(fun, direction = c("similarity", "distance"), best = NA_real_,
                        symmetric = FALSE, label = "user") {
  need_arguments()
  if (!is.function(fun)) {
    abort("`fun` must be a function(x, y) that returns one number.",
          class = "repalign_error_type", arg = "fun")
  }
  arguments <- names(formals(args(fun)))
  if (length(arguments) < 2 && !"..." %in% arguments) {
    abort("`fun` must take two arguments, the two matrices.", class = "repalign_error_type",
          arg = "fun")
  }
  direction <- check_choice(direction, c("similarity", "distance"), "direction")
  usable <- length(best) == 1 && (is.na(best) || (is.numeric(best) && is.finite(best)))
  if (!usable) {
    abort("`best` must be one finite number, or NA when there is none.",
          class = "repalign_error_value", arg = "best")
  }
  check_flag(symmetric, "symmetric")
  if (!is.character(label) || length(label) != 1 || is.na(label) || label == "") {
    abort("`label` must be one non-empty string.", class = "repalign_error_value", arg = "label")
  }
  d <- list(
    id = label, label = label, direction = direction, range = c(-Inf, Inf),
    best = as.double(best), symmetric = symmetric, pairing = TRUE, form = "user",
    accepts = kinds, neighbours = NULL,
    compare = function(pair, args) user_score(fun, pair)
  )
  structure(list(id = label, label = label, args = list(), declaration = d),
            class = "repalign_measure")
}

user_score <- function(fun, pair) {
  value <- fun(without_mark(pair$x$data), without_mark(pair$y$data))
  usable <- length(value) == 1 && (is.numeric(value) || (is.logical(value) && is.na(value))) &&
    !is.nan(value) && !is.infinite(value)
  if (!usable) {
    abort("The measure's function must return one finite number (or NA), not ",
          if (length(value) == 1 && is.numeric(value)) format(value) else describe(value), ".",
          class = "repalign_error_measure", arg = "fun")
  }
  as.double(value)
}

#' @export
print.repalign_measure <- function(x, ...) {
  d <- x$declaration
  range <- range_of(d, x$args)
  cat("<repalign measure> ", x$label, " (", d$direction, ", ", format(range[1]), " to ",
      format(range[2]), ")\n", sep = "")
  invisible(x)
}

# A vector of ids, a measure object, or a list of both: a list of measure objects
# with unique labels. Names of a list become labels.
as_measures <- function(measure) {
  if (inherits(measure, "repalign_measure")) measure <- list(measure)
  if (is.function(measure)) measure <- list(measure)
  if (!is.character(measure) && !is.list(measure)) {
    abort("`measure` must be ids, measure objects, or a list of both; see measures().",
          class = "repalign_error_measure", arg = "measure")
  }
  if (!length(measure)) {
    abort("`measure` is empty: name at least one; see measures().",
          class = "repalign_error_measure", arg = "measure")
  }
  set <- lapply(measure, function(m) {
    if (inherits(m, "repalign_measure")) return(m)
    if (is.function(m)) {
      abort("`measure` holds a bare function: wrap it in new_measure().",
            class = "repalign_error_measure", arg = "measure")
    }
    measure(m)
  })
  named <- names(set)
  for (i in which(!is.null(named) & nzchar(named))) set[[i]]$label <- named[i]
  labels <- numbered(vapply(set, function(m) m$label, ""))
  for (i in seq_along(set)) set[[i]]$label <- labels[i]
  unname(set)
}

# The second of equal labels gets " #2", and so on.
numbered <- function(labels) {
  unique <- make.unique(labels, sep = " #")
  again <- which(unique != labels)
  count <- as.integer(sub(".* #", "", unique[again])) + 1L
  unique[again] <- paste0(labels[again], " #", count)
  make.unique(unique, sep = " #")
}

# The body of every exported measure function.
one_score <- function(id, x, y, args) {
  d <- declaration(id)
  args <- d$check(args)
  if (missing(x) || missing(y)) missing_side(missing(x))
  pair <- as_pair(representation(x, "x"), representation(y, "y"), by_name = d$pairing)
  if (d$pairing) note_one_sided_names(pair[c("x", "y")])
  draws <- open_draws(pair[c("x", "y")])
  on.exit(close_draws(draws))
  compare_pair(d, pair, args)
}

# Every comparison goes through here: what no measure can use is refused in one place.
compare_pair <- function(d, pair, args) {
  for (rep in list(pair$x, pair$y)) {
    need_kind(rep, accepted_by(d, args), dQuote(d$id, FALSE))
    refuse_negative(rep, accepted_by(d, args))
    if (d$form != "user") check_rows(rep$n, 2, rep$arg, "a similarity")
    # an error without any variance; a user's own function decides for itself
    if (rep$kind == "data" && d$form != "user") form_centering(rep)
  }
  within_range(d$compare(pair, args), d, args)
}

is_symmetric <- function(measure) isTRUE(symmetry_of(measure$declaration, measure$args))
