# Prepared representations stand for data: objects that users save, with the forms that prepare()
# made, and the checks of what they may be used for.

#' @include form.R measure.R
NULL

is_prepared <- function(x) inherits(x, "repalign_prepared")

# A path of a large file (read-path.R).
is_path <- function(x) inherits(x, "repalign_path")

# ---- data that are not kept

# Stands for data of which only the size and the names are known: comparisons use the forms alone,
# or read the data again (data_of()). `means` tell it from other data of the same size; `facts` are
# what was found when the data were there.
absent_data <- function(repr, facts = list()) {
  structure(c(list(size = dim(repr$data), names = dimnames(repr$data),
                   means = column_stats(repr)$means), facts), class = "repalign_absent")
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

# Some rows and columns, or in another order; `rows` and `columns` say which of the file.
#' @export
`[.repalign_absent` <- function(x, i = TRUE, j = TRUE, drop = FALSE) {
  parts <- unclass(x)
  at <- list(rows = seq_len(parts$size[1])[i], columns = seq_len(parts$size[2])[j])
  for (axis in 1:2) {
    which <- names(at)[axis]
    if (identical(at[[axis]], seq_len(parts$size[axis]))) next
    parts[[which]] <- if (is.null(parts[[which]])) at[[axis]] else parts[[which]][at[[axis]]]
    if (!is.null(parts$names[[axis]])) parts$names[[axis]] <- parts$names[[axis]][at[[axis]]]
  }
  parts$size <- as.integer(lengths(at, use.names = FALSE))
  structure(parts, class = "repalign_absent")
}

# ---- using

# The representation that an object was prepared of, with its forms.
prepared_as_representation <- function(x, arg, name, side) {
  now <- unname(getNamespaceVersion("repalign"))
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

refuse_prepared <- function(arg, ...) refuse("prepared", "`{arg}` ", ...)

# Where the data themselves are needed.
refuse_prepared_data <- function(x, arg) {
  if (!is_prepared(x) && !inherits(x, "repalign_prepared_list")) return(invisible())
  refuse_prepared(arg, "was made by prepare(), for similarity(), calibrate() and score_interval() ",
                  "by ", measures_in_words(first_prepared(x)$measures), ": this function needs ",
                  "the data themselves.")
}

first_prepared <- function(x) {
  while (!is_prepared(x)) x <- x[[1]]
  x
}

# Prepared representations serve the measures that they were made for, with the same parameters.
check_prepared <- function(reprs, set) {
  for (repr in reprs) {
    if (is.null(repr$prepared)) next
    ordered <- quietly_done(lapply(set, function(measure) {
      if (!is_own(measure)) measure$args <- arguments_in_order(measure$args, list(repr))
      measure
    }))
    for (measure in ordered) {
      same <- vapply(repr$prepared$measures, function(one) {
        identical(one$id, measure$id) && identical(one$args, measure$args)
      }, NA)
      if (any(same)) next
      refuse_prepared(repr$arg, "was prepared for ", measures_in_words(repr$prepared$measures),
                      ", not for ", measure_in_words(measure), ": prepare it for this measure, or ",
                      "give the data.")
    }
  }
}

measures_in_words <- function(measures) {
  enumerate(vapply(measures, measure_in_words, ""), 5, quote = FALSE)
}

# What follows from other arguments.
names_not_given <- c("default_estimator", "default_complete", "corrects", "form")

# The id with all parameters that differ from the defaults, whatever label the user has given.
measure_in_words <- function(measure) {
  if (is_own(measure)) return(paste("a measure of your own,", quoted(measure$label)))
  defaults <- declaration(measure$id)$check(default_arguments(measure$id))
  given <- Filter(function(name) !identical(measure$args[[name]], defaults[[name]]),
                  setdiff(names(measure$args), names_not_given))
  values <- vapply(measure$args[given], function(value) {
    if (length(value) > 1) paste(length(value), "values") else
      if (is.character(value)) quoted(value) else format(value)
  }, "")
  if (!length(given)) return(quoted(measure$id))
  paste0(quoted(measure$id), " with ", paste0(given, " = ", values, collapse = ", "))
}

# What leaves stimuli out to see how scores vary needs the data beside the forms.
check_kept_data <- function(reprs) {
  for (repr in reprs) {
    if (!is.null(repr$prepared) && is_absent(repr$data)) {
      refuse_prepared(repr$arg, "was prepared without the data, which are needed here: ",
                      "prepare(, data = TRUE) keeps them.")
    }
  }
}

# Prepared representations with others of a call must have the stimuli that they were made for.
refuse_prepared_stimuli <- function(reprs) {
  for (repr in reprs) {
    if (is.null(repr$prepared)) next
    names <- stimulus_names(repr$data)
    for (other in reprs) {
      others <- stimulus_names(other$data)
      if (is.null(names) || is.null(others) || identical(names, others)) next
      at <- which(names != others)[1]
      refuse_prepared(repr$arg, "was prepared for other stimuli than `", other$arg, "` has: row ",
                      at, " is ", quoted(names[at]), " there, and here ",
                      quoted(others[at]), ". Prepare it again from the rows in the same ",
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
