# Conditions and argument checks. An error names the argument, the place and the remedy.

abort <- function(..., class = NULL, arg = NULL) {
  condition <- structure(
    class = c(class, "repalign_error", "error", "condition"),
    list(message = paste0(...), call = NULL, arg = arg)
  )
  stop(condition)
}

warn <- function(..., class = NULL, data = NULL) {
  condition <- structure(
    class = c(class, "repalign_warning", "warning", "condition"),
    list(message = paste0(...), call = NULL, data = data)
  )
  warning(condition)
}

inform <- function(..., class = NULL) {
  condition <- structure(
    class = c(class, "repalign_message", "message", "condition"),
    list(message = paste0(..., "\n"), call = NULL)
  )
  message(condition)
}

# "a", "b" and 3 more
enumerate <- function(values, most = 5, quote = TRUE) {
  values <- as.character(values)
  shown <- utils::head(if (quote) dQuote(values, FALSE) else values, most)
  rest <- length(values) - length(shown)
  if (rest > 0) return(paste0(paste(shown, collapse = ", "), " and ", rest, " more"))
  if (length(shown) < 2) return(paste(shown, collapse = ""))
  paste(paste(shown[-length(shown)], collapse = ", "), "and", shown[length(shown)])
}

# A choice that starts with the value, or contains it, is nearer than any other.
nearest <- function(value, choices) {
  starts <- startsWith(tolower(choices), tolower(value))
  if (nzchar(value) && any(starts)) return(choices[starts][1])
  distance <- drop(utils::adist(value, choices, ignore.case = TRUE))
  choices[which.min(distance)]
}

# "; did you mean ...?", where something is near enough to be meant, or means the same.
suggest <- function(value, choices) {
  same <- synonyms_of(value, choices)
  best <- if (length(same)) same[1] else nearest(value, choices)
  near <- length(same) || startsWith(tolower(best), tolower(value)) ||
    utils::adist(value, best, ignore.case = TRUE) <= min(max(2, nchar(best) / 3), nchar(best) - 1)
  if (near) paste0("; did you mean ", dQuote(best, FALSE), "?") else "."
}

check_choice <- function(value, choices, arg, several = FALSE) {
  if (several && identical(value, choices)) return(value)
  if (!several && identical(value, choices)) return(choices[1])
  usable <- is.character(value) && length(value) >= 1 && !anyNA(value) &&
    (several || length(value) == 1)
  if (!usable) {
    abort("`", arg, "` must be ", if (several) "some" else "one", " of ", enumerate(choices, 20),
          ".", class = "repalign_error_choice", arg = arg)
  }
  unknown <- setdiff(value, choices)
  if (length(unknown)) {
    abort("`", arg, "` cannot be ", dQuote(unknown[1], FALSE), suggest(unknown[1], choices),
          " Choices: ", enumerate(choices, 20), ".",
          class = "repalign_error_choice", arg = arg)
  }
  if (anyDuplicated(value)) {
    abort("`", arg, "` names ", dQuote(value[duplicated(value)][1], FALSE), " twice.",
          class = "repalign_error_choice", arg = arg)
  }
  value
}

check_flag <- function(value, arg) {
  if (!is.logical(value) || length(value) != 1 || is.na(value)) {
    abort("`", arg, "` must be TRUE or FALSE.", class = "repalign_error_value", arg = arg)
  }
  value
}

check_number <- function(value, arg, above = -Inf, below = Inf) {
  usable <- is.numeric(value) && length(value) == 1 && is.finite(value) &&
    value > above && value < below
  if (!usable) {
    limits <- c(if (above > -Inf) paste(" above", above), if (below < Inf) paste(" below", below))
    abort("`", arg, "` must be one finite number", paste(limits, collapse = " and"), ".",
          class = "repalign_error_value", arg = arg)
  }
  as.double(value)
}

check_count <- function(value, arg, least = 1) {
  usable <- is.numeric(value) && length(value) == 1 && is.finite(value) && value >= least &&
    value == round(value) && value <= .Machine$integer.max
  if (!usable) {
    large <- is.numeric(value) && length(value) == 1 && isTRUE(value > .Machine$integer.max)
    abort("`", arg, "` must be one whole number, at least ", least,
          if (large) paste(" and at most", .Machine$integer.max), ".",
          class = "repalign_error_value", arg = arg)
  }
  as.integer(value)
}

describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  article <- function(word) paste(if (grepl("^[aeiou]", word)) "an" else "a", word)
  if (is.matrix(x) && !is.object(x)) return(paste(article(typeof(x)), "matrix"))
  if (is.array(x)) return(paste("an array with", count_of(length(dim(x)), "dimension")))
  if (is.object(x)) return(paste0("an object of class ", dQuote(class(x)[1], FALSE)))
  if (is.list(x)) "a list" else paste(article(typeof(x)), "vector")
}

# A result must still have the columns that a method needs.
need_columns <- function(rows, needed, what) {
  missing <- setdiff(needed, names(rows))
  if (length(missing)) {
    abort("This result cannot be ", what, " without the column", if (length(missing) > 1) "s", " ",
          enumerate(missing), ".", class = "repalign_error_type", arg = "object")
  }
  invisible(rows)
}

# The first line of an exported function: its arguments without a default must be there.
need_arguments <- function() {
  formals <- formals(sys.function(-1))
  required <- names(formals)[vapply(formals, identical, NA, quote(expr = ))]
  for (arg in setdiff(required, "...")) {
    if (!eval(call("missing", as.name(arg)), parent.frame())) next
    called <- deparse(sys.call(-1)[[1]])[1]
    # not where a function without a name was called
    by <- if (grepl("^[A-Za-z:_.0-9]+$", called)) paste0(called, "()") else "this function"
    abort("`", arg, "` is missing: ", by, " cannot do without it. See its help page.",
          class = "repalign_error_missing", arg = arg)
  }
}

# Arguments that a method does not know are mistakes.
no_other_arguments <- function(...) {
  if (...length()) {
    names <- names(list(...))
    abort("There is no argument ", if (is.null(names) || names[1] == "") "without a name" else
      dQuote(names[1], FALSE), " here.", class = "repalign_error_parameter", arg = names[1])
  }
}

missing_remedy <- paste("; with na = \"stimuli\" or \"neurons\" similarity(), calibrate() and the",
                        "analyses leave out what is missing")

# allow_na, allow_nan: may NA, or NaN, too, stand for a missing value?
check_finite <- function(x, arg, allow_na = FALSE, allow_nan = FALSE) {
  if (.Call(C_all_finite, x)) return(invisible(x))
  bad <- if (allow_nan) is.infinite(x) else if (allow_na) is.nan(x) | is.infinite(x) else
    !is.finite(x)
  if (!any(bad)) return(invisible(x))
  at <- which(bad, arr.ind = TRUE)
  places <- paste0("row ", at[, 1], ", column ", at[, 2])
  abort("`", arg, "` has ", nrow(at), if (allow_nan) " infinite" else " missing or non-finite",
        " value", if (nrow(at) > 1) "s", if (!allow_nan) " (NA, NaN or Inf)", ": ",
        enumerate(places, 4, quote = FALSE), ". Remove those rows or columns, or fill the values ",
        "in", if (!allow_nan) missing_remedy, ".",
        class = "repalign_error_nonfinite", arg = arg)
}

check_rows <- function(n, least, arg, why) {
  if (n < least) {
    abort("`", arg, "` has ", n, " row", if (n != 1) "s", "; ", why, " needs at least ", least,
          " stimuli (rows).", class = "repalign_error_rows", arg = arg)
  }
}

# Rows that have no direction: all zeros, or for correlations (centered) constant.
refuse_rows <- function(rep, rows, centered) {
  if (!length(rows)) return(invisible())
  one <- length(rows) == 1
  kind <- if (centered) c("a constant row", "constant rows")
          else c("a row of zeros", "rows of zeros")
  what <- if (centered) "correlation" else "direction and no cosine"
  abort("`", rep$arg, "` has ", kind[if (one) 1 else 2], " (", enumerate(rows, quote = FALSE),
        "), which ", if (one) "has" else "have", " no ", what, " with any other. Remove ",
        if (one) "this stimulus" else "these stimuli",
        " on both sides, or compare by Euclidean distances.",
        class = if (centered) "repalign_error_constant_row" else "repalign_error_zero_row",
        arg = rep$arg)
}

# Two representations of the same stimuli: matrices, "dist" objects or neighbour graphs.
# `arg_x`, `arg_y`: their names.
check_same_rows <- function(x, y, arg_x, arg_y, by_name = TRUE) {
  n_x <- stimulus_count(x)
  n_y <- stimulus_count(y)
  if (n_x != n_y) {
    abort("`", arg_x, "` has ", n_x, " rows and `", arg_y, "` has ", n_y,
          ": the rows must be the same stimuli in the same order. match_rows() aligns by name.",
          transposed_hint(x, y, arg_x, arg_y), class = "repalign_error_rows", arg = arg_y)
  }
  names_x <- if (by_name) stimulus_names(x)
  names_y <- stimulus_names(y)
  if (is.null(names_x) || is.null(names_y) || identical(names_x, names_y)) return(invisible())
  first <- which(names_x != names_y)[1]
  abort("`", arg_x, "` and `", arg_y, "` have different row names, first in row ", first, " (",
        dQuote(names_x[first], FALSE), " and ", dQuote(names_y[first], FALSE),
        "): align them ", if ("dist" %in% c(kind_of(x), kind_of(y))) {
          "(a \"dist\" object by as.dist(as.matrix(d)[o, o]))"
        } else {
          "with match_rows()"
        }, ", or remove the row names when the rows do correspond.",
        transposed_hint(x, y, arg_x, arg_y), class = "repalign_error_rows", arg = arg_y)
}

# What tells that a side has its neurons in the rows.
transposed_hint <- function(x, y, arg_x, arg_y) {
  if (kind_of(x) != "data" || kind_of(y) != "data") return(NULL)
  crossed <- function(a, b) {
    !is.null(rownames(a)) && !is.null(colnames(b)) && setequal(rownames(a), colnames(b))
  }
  turned <- function(arg, of) {
    paste0(" `", arg, "` looks transposed (its column names are the row names of `", of, "`): ",
           "give t(", arg, ").")
  }
  if (crossed(x, y)) return(turned(arg_y, arg_x))
  if (crossed(y, x)) return(turned(arg_x, arg_y))
  if (nrow(x) == nrow(y)) return(NULL)
  if (ncol(x) == ncol(y)) {
    return(paste0(" Both have ", ncol(x), " columns: if these are the stimuli, both are ",
                  "transposed; give t(", arg_x, ") and t(", arg_y, ")."))
  }
  if (nrow(x) == ncol(y) || nrow(y) == ncol(x)) {
    size <- function(m, arg) paste0("`", arg, "` is ", nrow(m), " x ", ncol(m))
    paste0(" One of them looks transposed (", size(x, arg_x), ", ", size(y, arg_y),
           "): stimuli are rows, neurons are columns; t() transposes a matrix.")
  }
}

# Names on some sides only cannot be compared: once a call it is said that the order is taken
# on trust. reps: lists with data and arg.
note_one_sided_names <- function(reps) {
  names <- lapply(reps, function(rep) stimulus_names(rep$data))
  unnamed <- vapply(names, is.null, NA)
  if (!any(unnamed) || all(unnamed)) return(invisible())
  args <- paste0("`", vapply(reps, function(rep) rep$arg, ""), "`")
  first <- names[!unnamed][[1]]
  turned <- Filter(function(rep) {
    kind_of(rep$data) == "data" && !is.null(colnames(rep$data)) &&
      setequal(colnames(rep$data), first)
  }, reps[unnamed])
  inform("Only ", enumerate(args[!unnamed], 3, quote = FALSE), if (sum(!unnamed) > 1) " have" else
         " has", " row names, ", enumerate(args[unnamed], 3, quote = FALSE),
         if (sum(unnamed) > 1) " have" else " has", " none: the rows are assumed to be the ",
         "same stimuli in the same order.",
         if (length(turned)) {
           paste0(" The column names of `", turned[[1]]$arg, "` are these row names: is it ",
                  "transposed?")
         }, class = "repalign_one_sided_names")
}

stimulus_count <- function(x) {
  switch(kind_of(x), data = nrow(x), dist = attr(x, "Size"), graph = nrow(x$idx))
}

stimulus_names <- function(x) {
  switch(kind_of(x), data = rownames(x), dist = attr(x, "Labels"), graph = rownames(x$idx))
}

# Every representation against the first, and against the first one that has row names.
check_same_stimuli <- function(reps, by_name = TRUE) {
  named <- which(!vapply(reps, function(rep) is.null(stimulus_names(rep$data)), NA))
  for (first in unique(c(1L, named[seq_len(min(1, length(named)))]))) {
    for (rep in reps[-first]) {
      check_same_rows(reps[[first]]$data, rep$data, reps[[first]]$arg, rep$arg, by_name)
    }
  }
}

# One label per column; returned as is.
check_labels <- function(labels, width, arg, of) {
  if (is.null(labels)) return(NULL)
  if (is.factor(labels)) labels <- as.character(labels)
  if (!is.atomic(labels)) {
    abort("`", arg, "` must be a vector of labels, not ", describe(labels), ".",
          class = "repalign_error_labels", arg = arg)
  }
  if (length(labels) != width) {
    abort("`", arg, "` has ", length(labels), " labels, but `", of, "` has ", width,
          " columns: give one label per column.", class = "repalign_error_labels", arg = arg)
  }
  if (anyNA(labels)) {
    abort("`", arg, "` has missing labels, first at position ", which(is.na(labels))[1],
          ": every column needs one.", class = "repalign_error_labels", arg = arg)
  }
  as.vector(labels)
}

# Labels of neurons matter to the neuron correction alone.
note_unused_units <- function(estimator, given) {
  if ("stimulus_neuron" %in% estimator) return(invisible())
  given <- given[intersect(names(given), c("shared_neurons", "units", "units_x", "units_y"))]
  used <- names(Filter(function(value) !is.null(value) && !identical(value, FALSE), given))
  if (!length(used)) return(invisible())
  inform("`", paste(used, collapse = "` and `"), "` ", if (length(used) > 1) "have" else "has",
         " no effect on the estimator ", enumerate(estimator), ": only \"stimulus_neuron\" leaves ",
         "out pairs of neurons.", class = "repalign_unused_units")
}

# Sizes are doubles here, so that the check itself cannot overflow.
check_size <- function(rows, columns, arg) {
  if (rows > .Machine$integer.max || columns > .Machine$integer.max) {
    abort("`", arg, "` is ", format(rows), " x ", format(columns),
          ": each side must fit a BLAS integer (at most 2^31 - 1). Take fewer rows or columns.",
          class = "repalign_error_size", arg = arg)
  }
  invisible()
}

# bytes: what the call is about to allocate; remedy: what would need less.
check_memory <- function(bytes, what, remedy) {
  # to ask the system would take longer than to fill so little
  if (bytes < 2^24 && is.null(getOption("repalign.max_memory"))) return(invisible())
  limit <- memory_limit()
  if (bytes > limit) {
    abort(what, " would take about ", format_bytes(bytes), ", more than the ", format_bytes(limit),
          " allowed (half of the free memory, or options(repalign.max_memory =)). ", remedy,
          class = "repalign_error_memory")
  }
  invisible()
}

format_bytes <- function(bytes) format(structure(bytes, class = "object_size"), units = "auto")

memory_limit <- function() {
  set <- getOption("repalign.max_memory")
  if (!is.null(set)) return(check_number(set, "repalign.max_memory", above = 0))
  free_memory() / 2
}

# Linux tells; elsewhere we do not know, and 16 GB is what a workstation has.
free_memory <- function() {
  lines <- tryCatch(readLines("/proc/meminfo"), error = function(e) character(),
                    warning = function(w) character())
  line <- grep("^MemAvailable:", lines, value = TRUE)
  if (length(line) == 1) as.double(gsub("[^0-9]", "", line)) * 1024 else 16 * 1024^3
}

require_package <- function(package, why) {
  if (!requireNamespace(package, quietly = TRUE)) {
    abort(why, " needs the package ", dQuote(package, FALSE), ": install.packages(\"", package,
          "\").", class = "repalign_error_package")
  }
}
