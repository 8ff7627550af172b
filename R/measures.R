# measures() gives the table of all measures, measure() one measure with parameters set by the user.

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
#'   default arguments; the neuron-corrected CKA is not bounded); `best` (the score of a perfect
#'   match; where `range_max` of a similarity is infinite, it bounds nothing, and the gated scores
#'   of [calibrate()] are excesses over the threshold); `symmetric` (does swapping `x` and `y` leave
#'   the score as it is?); `pairing`
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
      pairing = d$pairing, invariant = paste(d$invariant, collapse = ", "),
      form = describe_forms(d, args),
      parameters = describe_parameters(id), reference = d$reference
    )
  })
  table <- do.call(rbind, rows)
  class(table) <- c("repalign_measures", "data.frame")
  table
}

# The whole table is too wide for a console, so that only the most important columns are printed.
#' @export
print.repalign_measures <- function(x, ...) {
  shown <- intersect(c("id", "label", "direction", "range_min", "range_max", "best", "symmetric"),
                     names(x))
  print.data.frame(x[shown], row.names = FALSE)
  hidden <- setdiff(names(x), shown)
  if (length(hidden)) cat("More columns: ", paste(hidden, collapse = ", "), "\n", sep = "")
  invisible(x)
}

# The kind of form that is prepared; both kinds where those of x and y differ.
describe_forms <- function(d, args) paste(unique(forms_of(d, args)), collapse = ", ")

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
  note_unused_labels(d, args)
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

# The label names what differs from the defaults, as in "cka", "cka(stimulus)", "mutual_knn(k = 5)"
# or, for values that are too long to be shown, "cka(units_x)".
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

#' @export
print.repalign_measure <- function(x, ...) {
  d <- x$declaration
  range <- range_of(d, x$args)
  cat("<repalign measure> ", x$label, " (", d$direction, ", ", format(range[1]), " to ",
      format(range[2]), ")\n", sep = "")
  invisible(x)
}
