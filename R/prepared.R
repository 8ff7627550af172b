# Prepared representations: forms of a representation that were made once, as an object that users
# can save, and that stands for the data in later calls.

#' @include representation.R
NULL

is_prepared <- function(x) inherits(x, "repalign_prepared")

# ---- making

# measures: as given, which later calls are compared with; settled: as they are for these
# representations, which the forms are made with.
prepared_representation <- function(repr, measures, settled) {
  tied <- vapply(settled, has_open_graph, NA, repr)
  # the first time makes the forms; the second one tells which of them a comparison asks for
  needed <- unlist(Map(make_forms, settled, list(repr), tied, TRUE))
  repr$cache$touched <- integer()
  quietly_done(Map(make_forms, settled, list(repr), tied, FALSE))
  entries <- repr$cache$entries[sort(unique(repr$cache$touched))]
  repr$cache$touched <- NULL
  repr$cache$entries <- NULL
  keep <- any(needed) || repr$kind != "data" || !is.null(repr$responses)
  structure(list(
    version = as.character(utils::packageVersion("repalign")), kind = repr$kind, n = repr$n,
    measures = lapply(measures, function(m) unclass(m)[c("id", "label", "args")]),
    data = if (keep) repr$data else absent_data(repr), responses = repr$responses,
    column_stats = repr$cache$column_stats, neighbours = repr$cache$neighbours, entries = entries
  ), class = "repalign_prepared")
}

# Makes all that a comparison by this measure asks for, and returns whether it needs the data, too.
# Tied neighbours are put in order in each call, so that only the search is done beforehand.
make_forms <- function(measure, repr, tied, first) {
  if (tied) {
    has_open_graph(measure, repr)
    return(TRUE)
  }
  forms <- forms_of_sides(measure, repr)
  if (needs_data(measure, repr)) return(TRUE)
  rehearsed <- tryCatch(quietly_done(rehearse(measure, repr, forms)), error = function(e) NULL)
  is.null(rehearsed)
}

# The forms for both sides. Labels of neurons may be those of one side only, for the other one of
# which they are an error.
forms_of_sides <- function(measure, repr) {
  d <- measure$declaration
  need_kind(repr, accepted_by(d, measure$args), dQuote(d$id, FALSE))
  refuse_negative(repr, accepted_by(d, measure$args))
  refuse_useless(repr)
  refused <- NULL
  forms <- lapply(c(x = "x", y = "y"), function(side) {
    repr$side <- side
    tryCatch(d$prepare(repr, measure$args, side), repalign_error = function(e) {
      refused <<- e
      NULL
    })
  })
  forms <- Filter(Negate(is.null), forms)
  if (!length(forms)) stop(refused)
  forms
}

# A comparison of the representation with itself, as if it were another one, and what the null of
# the measure permutes.
rehearse <- function(measure, repr, forms) {
  other <- repr
  other$side <- "y"
  compare_pair(measure$declaration, list(x = repr, y = other, self = FALSE, cache = new_cache()),
               measure$args)
  null <- null_of(measure)
  if (!is.null(null)) {
    for (side in names(forms)) null$operand(forms[[side]], repr, measure$args, side)
  }
  TRUE
}

# Has the neighbour graph that the measure compares ties that each call puts in an order of its own?
has_open_graph <- function(measure, repr) {
  wanted <- measure$declaration$neighbours
  wanted <- if (!is.null(wanted)) wanted(measure$args)
  if (is.null(wanted) || repr$kind == "graph") return(FALSE)
  repr <- clustered_representation(repr, measure$args$clusters)
  check_neighbour_count(repr, wanted$k)
  check_graph_metric(repr, wanted$metric)
  most <- largest_k(repr, wanted$metric, wanted$k)
  !is.null(found_graph(repr, wanted$metric, most)$open)
}

needs_data <- function(measure, repr) {
  needed <- measure$declaration$needs_data
  if (is.function(needed)) needed(measure$args, repr$n, width_of(repr)) else needed
}

quietly_done <- function(code) {
  withCallingHandlers(
    code, repalign_message = function(m) invokeRestart("muffleMessage"),
    repalign_warning = function(w) invokeRestart("muffleWarning")
  )
}

# ---- data that are not kept

# Stands for data of which only the size and the names are known: comparisons use the forms alone.
# `means` tell it from other data of the same size.
absent_data <- function(repr) {
  structure(list(size = dim(repr$data), names = dimnames(repr$data),
                 means = column_stats(repr)$means), class = "repalign_absent")
}

is_absent <- function(data) inherits(data, "repalign_absent")

#' @export
dim.repalign_absent <- function(x) unclass(x)$size

#' @export
dimnames.repalign_absent <- function(x) unclass(x)$names

#' @export
`dimnames<-.repalign_absent` <- function(x, value) {
  parts <- unclass(x)
  parts["names"] <- list(value)
  structure(parts, class = "repalign_absent")
}

# Rows in another order.
#' @export
`[.repalign_absent` <- function(x, i, j, drop = FALSE) {
  names <- dimnames(x)
  if (!is.null(names[[1]])) dimnames(x) <- list(names[[1]][i], names[[2]])
  x
}

# ---- using

# The representation that an object was prepared of, with its forms.
prepared_as_representation <- function(x, arg, name, side) {
  now <- as.character(utils::packageVersion("repalign"))
  if (!identical(x$version, now)) {
    refuse_prepared(arg, "was prepared by version ", x$version, " of repalign, and this is ", now,
                    ": prepare it again.")
  }
  repr <- list(kind = x$kind, data = x$data, n = x$n, arg = arg, name = name, side = side)
  repr$responses <- x$responses
  # the first forms in its cache are the prepared ones
  repr$prepared <- list(measures = x$measures, forms = length(x$entries))
  repr$cache <- new_cache()
  for (part in c("entries", "neighbours", "column_stats")) repr$cache[[part]] <- x[[part]]
  repr
}

refuse_prepared <- function(arg, ...) {
  abort("`", arg, "` ", ..., class = "repalign_error_prepared", arg = arg)
}

# Where the data themselves are needed.
refuse_prepared_data <- function(x, arg) {
  if (!is_prepared(x) && !inherits(x, "repalign_prepared_list")) return(invisible())
  refuse_prepared(arg, "was made by prepare(), for similarity() and calibrate() by ",
                  measures_in_words(first_prepared(x)$measures), ": this function needs the data ",
                  "themselves.")
}

first_prepared <- function(x) {
  while (!is_prepared(x)) x <- x[[1]]
  x
}

# Prepared representations serve the measures that they were made for, with the same parameters.
check_prepared <- function(reprs, set) {
  for (repr in reprs) {
    if (is.null(repr$prepared)) next
    for (measure in set) {
      if (any(vapply(repr$prepared$measures, is_same_measure, NA, measure))) next
      refuse_prepared(repr$arg, "was prepared for ", measures_in_words(repr$prepared$measures),
                      ", not for ", measure_in_words(measure), ": prepare it for this measure, or ",
                      "give the data.")
    }
  }
}

is_same_measure <- function(one, other) {
  identical(one$id, other$id) && identical(one$args, other$args)
}

measures_in_words <- function(measures) {
  enumerate(vapply(measures, measure_in_words, ""), 5, quote = FALSE)
}

# The id with all parameters that differ from the defaults, whatever label the user has given.
measure_in_words <- function(measure) {
  if (is_own(measure)) return(paste("a measure of your own,", dQuote(measure$label, FALSE)))
  defaults <- suppressMessages(measure(measure$id)$args)
  given <- Filter(function(name) !identical(measure$args[[name]], defaults[[name]]),
                  setdiff(names(measure$args), "default_estimator"))
  values <- vapply(measure$args[given], function(value) {
    if (length(value) > 1) paste(length(value), "values") else
      if (is.character(value)) dQuote(value, FALSE) else format(value)
  }, "")
  if (!length(given)) return(dQuote(measure$id, FALSE))
  paste0(dQuote(measure$id, FALSE), " with ", paste0(given, " = ", values, collapse = ", "))
}

# Prepared representations with others of a call must have the stimuli that they were made for.
check_prepared_stimuli <- function(reprs, by_name) {
  for (repr in reprs) {
    if (is.null(repr$prepared)) next
    names <- if (by_name) stimulus_names(repr$data)
    for (other in reprs) {
      if (other$n != repr$n) {
        refuse_prepared(repr$arg, "was prepared for ", repr$n, " stimuli, but `", other$arg,
                        "` has ", other$n, ".")
      }
      others <- stimulus_names(other$data)
      if (is.null(names) || is.null(others) || identical(names, others)) next
      at <- which(names != others)[1]
      refuse_prepared(repr$arg, "was prepared for other stimuli than `", other$arg, "` has: row ",
                      at, " is ", dQuote(names[at], FALSE), " there, and here ",
                      dQuote(others[at], FALSE), ". Prepare it again from the rows in the same ",
                      "order, see match_rows().")
    }
  }
}

refuse_prepared_series <- function(reprs) {
  for (repr in reprs) {
    if (!is.null(repr$prepared)) refuse_cut(repr, "`series` compares other stretches of the rows")
  }
}

# Forms cannot be cut.
refuse_cut <- function(repr, why = "no stimulus or neuron can be left out") {
  refuse_prepared(repr$arg, "was prepared for all its ", repr$n, " stimuli: ", why,
                  " here. Give the data.")
}
