# These functions check the stimuli: there must be enough of them, they must be the same on both
# sides, and none may lack a direction if a measure needs one.

check_rows <- function(n, least, arg, why) {
  refuse_if(n < least, "rows", "`{arg}` has {count_of(n, 'row')}; {why} needs at least {least} ",
            "stimuli (rows).")
}

# Refuses rows that have no direction: these are all zeros or, when rows are centred for
# correlations, constant.
refuse_rows <- function(repr, rows, centered) {
  one <- length(rows) == 1
  what <- if (centered) "correlation" else "direction and no cosine"
  refuse_if(length(rows), if (centered) "constant_row" else "zero_row", "`{repr$arg}` has ",
            if (one) "a ", if (centered) "constant ", if (one) "row" else "rows",
            if (!centered) " of zeros", " ({enumerate(rows, quote = FALSE)}), which ",
            "{if (one) 'has' else 'have'} no {what} with any other. Remove ",
            "{if (one) 'this stimulus' else 'these stimuli'} on both sides, or compare by ",
            "Euclidean distances.")
}

# ---- one order

# Stimuli of all that is compared go by their names, in all functions: what has the same names in
# another order is brought into the order of the first that has names, and a message says so. Names
# that do not fit are an error, and what has no names goes by position, with a message.

# names: those of the stimuli of each part, or NULL; args: what messages call the parts; refuse:
# gives the error for the numbers of two parts whose names do not fit. Returns for each part where
# its stimuli are in the common order, or NULL where they stay.
places_in_order <- function(names, args, refuse) {
  named <- which(lengths(names) > 0)
  if (length(named) < 2) return(vector("list", length(names)))
  first <- named[1]
  wanted <- names[[first]]
  places <- lapply(seq_along(names), function(k) {
    own <- names[[k]]
    if (!length(own) || identical(own, wanted)) return(NULL)
    at <- match(wanted, own)
    if (anyNA(at) || anyDuplicated(at) || length(own) != length(wanted)) refuse(first, k)
    at
  })
  moved <- which(lengths(places) > 0)
  inform_if(length(moved), "reordered", "The stimuli of ",
            enumerate(paste0("`", args[moved], "`"), 3, quote = FALSE), " are brought into the ",
            "order of `{args[first]}`, by their names.")
  places
}

# How the names of two parts differ, in words.
names_differ <- function(arg_1, arg_2, names_1, names_2) {
  twice <- c(names_1[duplicated(names_1)], names_2[duplicated(names_2)])
  only_1 <- setdiff(names_1, names_2)
  only_2 <- setdiff(names_2, names_1)
  paste0("`", arg_1, "` and `", arg_2, "` name different stimuli (",
         if (length(only_2)) paste0(quoted(only_2[1]), " is in `", arg_2, "` alone") else
           if (length(only_1)) paste0(quoted(only_1[1]), " is in `", arg_1, "` alone") else
             paste0(quoted(twice[1]), " stands there more than once, in other places"), "): ")
}

# A sentence for messages, if the names or the sizes of two representations suggest that the stimuli
# of one are not in its rows; NULL otherwise.
transposed_hint <- function(one, other) {
  x <- one$data
  y <- other$data
  if (kind_of(x) != "data" || kind_of(y) != "data") return(NULL)
  crossed <- function(a, b) {
    !is.null(rownames(a)) && !is.null(colnames(b)) && setequal(rownames(a), colnames(b))
  }
  # what responses() made has no t(), and an array of trials more than one order
  turn <- function(repr) {
    if (is.null(repr$responses)) paste0("t(", repr$arg, ")") else
      paste0("aperm(as.array(", repr$arg, "), c(2, 1, 3))")
  }
  advice <- function(repr, other) {
    c(turned_array_hint(repr, at = 2),
      paste0(" `", repr$arg, "` looks transposed (its column names are the row names of `",
             other$arg, "`): give ", turn(repr), "."))[1]
  }
  if (crossed(x, y)) return(advice(other, one))
  if (crossed(y, x)) return(advice(one, other))
  if (nrow(x) == nrow(y) || share_names(x, y)) return(NULL)
  turned <- c(turned_array_hint(one, nrow(y)), turned_array_hint(other, nrow(x)))
  if (length(turned)) return(turned[1])
  if (ncol(x) == ncol(y)) {
    return(paste0(" Both have ", ncol(x), " columns: if these are the stimuli, both are ",
                  "transposed; give ", turn(one), " and ", turn(other), "."))
  }
  if (nrow(x) == ncol(y) || nrow(y) == ncol(x)) {
    size <- function(m, arg) paste0("`", arg, "` is ", nrow(m), " x ", ncol(m))
    paste0(" One of them looks transposed (", size(x, one$arg), ", ", size(y, other$arg),
           "): stimuli are rows, neurons are columns; t() transposes a matrix.")
  }
}

# Rows of one name are one stimulus: they are where rows belong, whatever the sizes.
share_names <- function(x, y) any(rownames(x) %in% rownames(y))

# An array of trials whose second or third dimension has as many values as there are stimuli, or is
# known to be theirs (at). Which of the other two is that of the neurons, its user knows.
turned_array_hint <- function(repr, stimuli, at = match(stimuli, size)) {
  size <- dim(if (is.null(repr$responses)) repr$data else repr$responses)
  if (length(size) < 3 || size[3] == 1 || is.na(at)) return(NULL)
  turn <- function(neurons, trials) {
    words <- c("stimuli", "neurons", "trials")[order(c(at, neurons, trials))]
    paste0("aperm(array, c(", at, ", ", neurons, ", ", trials, ")) of ",
           paste(words, collapse = " x "))
  }
  others <- setdiff(1:3, at)
  paste0(" `", repr$arg, "` looks turned (", paste(size, collapse = " x "), "): an array has ",
         "stimuli x neurons x trials; give ", turn(others[1], others[2]), ", or ",
         turn(others[2], others[1]), ".")
}

# If only some representations have row names, nobody can check that the order of the stimuli is the
# same; a message says once in a call that this is assumed, a warning where those with names came in
# different orders. reprs: lists with `data` and `arg`, in the order in which they were given.
note_one_sided_names <- function(reprs) {
  names <- lapply(reprs, function(repr) stimulus_names(repr$data))
  unnamed <- lengths(names) == 0
  first <- names[!unnamed]
  transposed <- Filter(function(repr) {
    length(first) && kind_of(repr$data) == "data" && !is.null(colnames(repr$data)) &&
      setequal(colnames(repr$data), first[[1]])
  }, reprs[unnamed])
  note_unnamed(names, vapply(reprs, function(repr) repr$arg, ""),
               all(vapply(reprs, function(repr) kind_of(repr$data) == "dist", NA)),
               if (!is.null(reprs[!unnamed][1][[1]]$responses)) {
                 paste(" Of a table, responses() made that order: text by first appearance,",
                       "numbers by value, factors by level.")
               } else if (length(transposed)) {
                 paste0(" The column names of `", transposed[[1]]$arg, "` are these row names: is ",
                        "it transposed?")
               })
}

# names: of the stimuli of each part, or NULL; distances: are all parts RDMs?
note_unnamed <- function(names, args, distances, hint = NULL) {
  unnamed <- lengths(names) == 0
  if (!any(unnamed) || all(unnamed)) return(invisible())
  args <- paste0("`", args, "`")
  # Are these the numbers from 0 or 1 on, in another order than theirs? Files whose rows are in
  # order are read without such names (read_representation()).
  disordered <- Filter(function(at) {
    if (!all(grepl("^[0-9]{1,9}$", names[[at]]))) return(FALSE)
    numbers <- as.integer(names[[at]])
    is.unsorted(numbers) && min(numbers) %in% 0:1 &&
      identical(sort(numbers), min(numbers) + seq_along(numbers) - 1L)
  }, which(!unnamed))
  if (length(disordered)) {
    at <- disordered[1]
    hint <- paste0(hint, " But the names of ", args[at], " are the numbers ",
                   paste(range(as.integer(names[[at]])), collapse = " to "), " in another order: ",
                   "if the rows of ", args[unnamed][1], " count the same stimuli, name them so.")
  }
  # orders that differ are a sign that this one may be yet another
  mixed <- length(unique(names[!unnamed])) > 1
  say <- if (mixed || length(disordered)) warn else inform
  say(enumerate(args[unnamed], 3, quote = FALSE), if (sum(unnamed) > 1) " have" else " has",
      " no ", if (distances) "labels" else "row names", ": ",
      if (sum(unnamed) > 1) "their" else "its", if (distances) " stimuli" else " rows",
      " are taken to be in the order of ", args[!unnamed][1], ".",
      if (mixed) {
        paste(" But the others came in different orders: give",
              if (sum(unnamed) > 1) "these names, too." else "it names, too.")
      }, hint, class = "repalign_one_sided_names")
}

# Automatic row names of data frames are no names of stimuli, but tell that rows were brought into
# another order (they do not rise any more), or that two sides kept other rows of what may be one
# set of stimuli. Rising numbers of one side alone are those of any part of a table.
note_row_numbers <- function(reprs) {
  numbers <- lapply(reprs, function(repr) repr$row_numbers)
  given <- unique(Filter(length, numbers))
  if (!length(given) || length(given) == 1 && all(lengths(numbers) > 0)) return(invisible())
  is_part <- function(own) length(own) > 0 && !identical(own, seq_along(own))
  odd <- vapply(numbers, function(own) {
    if (!is_part(own) || is.unsorted(own)) return(is_part(own))
    any(vapply(given, function(other) {
      is_part(other) && !identical(other, own) && any(own %in% other)
    }, NA))
  }, NA)
  args <- vapply(reprs[odd], function(repr) paste0("`", repr$arg, "`"), "")
  inform_if(any(odd), "one_sided_names", "The rows of ", enumerate(args, 3, FALSE),
            " are compared by position, although their row numbers (",
            if (sum(odd) > 1) paste("of", args[1], ""),
            "{enumerate(numbers[odd][[1]], 3, FALSE)}) say that rows were brought into another ",
            "order, or left out. Automatic row names of a data frame are no names: if they name ",
            "the stimuli, give as.matrix(rownames.force = TRUE) of both sides.")
}
