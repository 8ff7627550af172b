# These functions check the stimuli: there must be enough of them, they must be the same on both
# sides, and none may lack a direction if a measure needs one.

check_rows <- function(n, least, arg, why) {
  if (n < least) {
    abort("`", arg, "` has ", n, " row", if (n != 1) "s", "; ", why, " needs at least ", least,
          " stimuli (rows).", class = "repalign_error_rows", arg = arg)
  }
}

# Refuses rows that have no direction: these are all zeros or, when rows are centred for
# correlations, constant.
refuse_rows <- function(repr, rows, centered) {
  if (!length(rows)) return(invisible())
  one <- length(rows) == 1
  kind <- if (centered) c("a constant row", "constant rows")
          else c("a row of zeros", "rows of zeros")
  what <- if (centered) "correlation" else "direction and no cosine"
  abort("`", repr$arg, "` has ", kind[if (one) 1 else 2], " (", enumerate(rows, quote = FALSE),
        "), which ", if (one) "has" else "have", " no ", what, " with any other. Remove ",
        if (one) "this stimulus" else "these stimuli",
        " on both sides, or compare by Euclidean distances.",
        class = if (centered) "repalign_error_constant_row" else "repalign_error_zero_row",
        arg = repr$arg)
}

# Of three or more representations, one alone may have other stimuli than all others: it is the one
# to blame.
refuse_odd_one <- function(reprs, by_name) {
  if (length(reprs) < 3) return(invisible())
  odd_one <- function(values) {
    usual <- names(which.max(table(values)))
    odd <- which(values != usual)
    if (length(odd) == 1 && length(values) > 2) odd
  }
  args <- vapply(reprs, function(repr) repr$arg, "")
  counts <- vapply(reprs, function(repr) as.double(stimulus_count(repr$data)), 0)
  odd <- odd_one(counts)
  if (!is.null(odd)) {
    abort("`", args[odd], "` has ", count_of(counts[odd], "row"), ", and the others have ",
          counts[-odd][1], ": the rows must be the same stimuli in the same order. match_rows() ",
          "aligns by name.", class = "repalign_error_rows", arg = args[odd])
  }
  names <- lapply(reprs, function(repr) if (by_name) stimulus_names(repr$data))
  known <- which(lengths(names) > 0)
  odd <- if (length(unique(counts)) == 1) odd_one(vapply(names[known], paste, "", collapse = "\r"))
  if (is.null(odd)) return(invisible())
  odd <- known[odd]
  usual <- setdiff(known, odd)[1]
  check_same_rows(reprs[[usual]]$data, reprs[[odd]]$data, args[usual], args[odd], by_name)
}

# Do x and y have the same stimuli? They may be matrices, "dist" objects or neighbour graphs;
# `arg_x` and `arg_y` are their names in messages.
check_same_rows <- function(x, y, arg_x, arg_y, by_name = TRUE) {
  n_x <- stimulus_count(x)
  n_y <- stimulus_count(y)
  if (n_x != n_y) {
    abort("`", arg_x, "` has ", count_of(n_x, "row"), " and `", arg_y, "` has ", n_y,
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

# A sentence for messages, if the names or the sizes of x and y suggest that one of them has its
# neurons in the rows; NULL otherwise.
transposed_hint <- function(x, y, arg_x, arg_y) {
  if (kind_of(x) != "data" || kind_of(y) != "data") return(NULL)
  crossed <- function(a, b) {
    !is.null(rownames(a)) && !is.null(colnames(b)) && setequal(rownames(a), colnames(b))
  }
  advice <- function(arg, other) {
    paste0(" `", arg, "` looks transposed (its column names are the row names of `", other, "`): ",
           "give t(", arg, ").")
  }
  if (crossed(x, y)) return(advice(arg_y, arg_x))
  if (crossed(y, x)) return(advice(arg_x, arg_y))
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

# If only some representations have row names, nobody can check that the order of the stimuli is the
# same; a message says once in a call that this is assumed. reprs: lists with `data` and `arg`.
note_one_sided_names <- function(reprs) {
  names <- lapply(reprs, function(repr) stimulus_names(repr$data))
  unnamed <- vapply(names, is.null, NA)
  if (!any(unnamed) || all(unnamed)) return(invisible())
  args <- paste0("`", vapply(reprs, function(repr) repr$arg, ""), "`")
  distances <- all(vapply(reprs, function(repr) kind_of(repr$data) == "dist", NA))
  first <- names[!unnamed][[1]]
  transposed <- Filter(function(repr) {
    kind_of(repr$data) == "data" && !is.null(colnames(repr$data)) &&
      setequal(colnames(repr$data), first)
  }, reprs[unnamed])
  inform("Only ", enumerate(args[!unnamed], 3, quote = FALSE), if (sum(!unnamed) > 1) " have" else
         " has", if (distances) " labels, " else " row names, ",
         enumerate(args[unnamed], 3, quote = FALSE), if (sum(unnamed) > 1) " have" else " has",
         " none: ", if (distances) "they" else "the rows",
         " are assumed to be the same stimuli in the same order.",
         if (length(transposed)) {
           paste0(" The column names of `", transposed[[1]]$arg, "` are these row names: is it ",
                  "transposed?")
         }, class = "repalign_one_sided_names")
}

# The stimuli of all representations of a call must be the same: as many, and where names are
# compared (by_name), of the same names. Each representation is looked at once, unless there is
# something to say.
check_common_stimuli <- function(reprs, by_name) {
  n <- reprs[[1]]$n
  same <- TRUE
  for (repr in reprs) same <- same && repr$n == n
  if (by_name) {
    names <- NULL
    unnamed <- 0
    for (repr in reprs) {
      own <- stimulus_names(repr$data)
      if (is.null(own)) unnamed <- unnamed + 1
      else if (is.null(names)) names <- own
      else same <- same && identical(own, names)
    }
  }
  if (!same) {
    refuse_prepared_stimuli(reprs, by_name)
    check_same_stimuli(reprs, by_name)
  }
  if (by_name && unnamed > 0 && !is.null(names)) note_one_sided_names(reprs)
}

# Compares every representation with the first one, and with the first one that has row names.
check_same_stimuli <- function(reprs, by_name = TRUE) {
  refuse_odd_one(reprs, by_name)
  named <- which(!vapply(reprs, function(repr) is.null(stimulus_names(repr$data)), NA))
  for (first in unique(c(1L, named[seq_len(min(1, length(named)))]))) {
    for (repr in reprs[-first]) {
      check_same_rows(reprs[[first]]$data, repr$data, reprs[[first]]$arg, repr$arg, by_name)
    }
  }
}
