# The two sides of a call, the pairs of them, and their names.

# ---- sides

# These functions make the two sides of a call from what users give, and list the pairs of them.

# controls: NULL, or a further side of controls, which is kept as `z`.
# Returns list(x, y, self, same, models, bare): two flat lists of representations with the names of
# their models; whether x is compared with itself because y is missing; whether the user gave the
# same list twice; whether some side holds models; and whether all representations are complete
# "dist" objects of as many stimuli without names, of which there is nothing else to judge.
as_sides <- function(x, y, by_name = TRUE, na = "error", controls = NULL) {
  if (is.null(x)) as_numeric_matrix(x, "x")
  refuse_results(x, "x")
  refuse_results(y, "y")
  self <- is.null(y)
  refuse_if(self && !is_collection(x), "type", "`y` is missing: a single matrix needs another one.")
  same <- !self && is_collection(x) && identical(x, y)
  side_x <- as_side(x, "x", na != "error")
  one_list <- self || same
  side_y <- if (!one_list) as_side(y, "y", na != "error")
  bare <- side_x$bare > 0 && (one_list || side_x$bare == side_y$bare) && is.null(controls)
  if (!bare) {
    reprs <- with_common_stimuli(c(side_x$reprs, side_y$reprs, controls$reprs), by_name)
    of_x <- seq_along(side_x$reprs)
    of_y <- length(of_x) + seq_along(side_y$reprs)
    side_x$reprs <- reprs[of_x]
    if (!one_list) side_y$reprs <- reprs[of_y]
    if (!is.null(controls)) controls$reprs <- reprs[-c(of_x, of_y)]
  }
  if (one_list) side_y <- if (self) side_x else on_side_y(side_x)
  sides <- list(x = side_x, y = side_y, self = self, same = same,
                models = side_x$is_models || side_y$is_models, bare = bare)
  sides$z <- controls
  sides
}

# The sides of a call whose representations were read one by one, and brought into one order; y:
# NULL for pairs within x; an empty list where x stands alone.
sides_of <- function(x, y = NULL) {
  side <- function(reprs) {
    args <- vapply(reprs, function(repr) repr$arg, "", USE.NAMES = FALSE)
    list(reprs = unname(reprs), models = args, is_models = FALSE)
  }
  side_x <- side(x)
  list(x = side_x, y = if (is.null(y)) side_x else side(y), self = !length(y), same = FALSE,
       models = FALSE)
}

# Refuses results of this package and measures that a user gave in the place of data, with a message
# that says what to give instead.
refuse_results <- function(given, arg) {
  if (is.double(given) && !inherits(given, "repalign_result")) return(invisible())
  what <- if (inherits(given, "repalign_shapes")) {
    "simulated shapes: take its $x and $y"
  } else if (inherits(given, "repalign_simulation")) {
    if (is.null(given$models)) "a simulated pair: take its $x and $y" else
      "simulated models: take its $models"
  } else if (inherits(given, "repalign_networks")) {
    "a set of simulated networks: take its $representations or its $models"
  } else if (inherits(given, "repalign_result")) {
    "a result, not data: give the representations themselves"
  } else if (inherits(given, "repalign_measure") ||
             is.character(given) && length(given) && all(given %in% measure_ids())) {
    paste0(describe(given), ", not data",
           if (offers_argument("measure")) ": give a measure in the argument `measure`")
  } else if (is.character(given) && !is.matrix(given)) {
    if (length(given) == 1) "text, not data: read_representation() reads the data of a file" else
      paste0("text, not data.", categories_remedy(given, arg))
  }
  refuse_if(!is.null(what), "type", "`{arg}` is {sub('[.]$', '', what)}.")
}

# Recordings and RDMs have a function each, and refuse each other, by the place of the first one.
refuse_elements <- function(given, arg, is_other, ...) {
  listed <- is_collection(given)
  at <- which(vapply(if (listed) given else list(given), is_other, NA))
  if (!length(at)) return(invisible())
  name <- names_or_empty(given)[at[1]]
  place <- if (!listed) "" else if (nzchar(name)) paste0("$", name) else paste0("[[", at[1], "]]")
  refuse("type", "`{arg}{place}` ", ..., arg = arg)
}

# All representations of a call, each once: those of x alone where both sides are the same, and
# those of controls last.
all_representations <- function(sides) {
  c(sides$x$reprs, if (!sides$self && !sides$same) sides$y$reprs, sides$z$reprs)
}

# Is some representation in a file?
is_filed <- function(sides) {
  any(vapply(c(sides$x$reprs, sides$y$reprs), function(repr) !is.null(repr$source), NA))
}

# The representations of a list that was given twice, as those of the side y: what they prepare is
# shared, but for the random order of tied neighbours.
on_side_y <- function(side) {
  side$reprs <- lapply(side$reprs, function(repr) {
    repr$side <- "y"
    repr
  })
  side
}

# The sides with what `change`(side, name) makes of each; of a list that is on both sides once.
map_sides <- function(sides, change) {
  sides$x <- change(sides$x, "x")
  sides$y <- if (sides$self) sides$x else if (sides$same) on_side_y(sides$x) else
    change(sides$y, "y")
  if (!is.null(sides$z)) sides$z <- change(sides$z, "z")
  sides
}

is_collection <- function(x) {
  if (!is.list(x) || kind_of(x) != "data") return(FALSE)
  # points in time are lists of themselves
  !is.object(x) || !is.data.frame(x) && !is_responses(x) && !is_spaces(x) && !is_prepared(x) &&
    !is_path(x) && !inherits(x, "POSIXt")
}

# A representation of a call that may be prepared already.
given_representation <- function(x, arg, name = arg, allow_na = FALSE,
                                 side = if (arg == "y") "y" else "x") {
  if (is_prepared(x)) return(prepared_as_representation(x, arg, name, side))
  if (is_path(x)) return(filed_representation(x, arg, name, allow_na, side))
  representation(x, arg, name, allow_na, side, loose = TRUE)
}

as_side <- function(x, arg, allow_na = FALSE) {
  if (!is_collection(x)) {
    return(list(reprs = list(given_representation(x, arg, allow_na = allow_na)), models = arg,
                is_models = FALSE, bare = 0))
  }
  names <- check_element_names(x, arg)
  rdms <- plain_rdms(x)
  if (rdms$n > 0) return(flat_side(x, arg, names, rep(arg, length(x)), FALSE, allow_na, arg, rdms))
  for (name in names) refuse_results(x[[name]], paste0(arg, "$", name))
  nested <- vapply(x, is_collection, NA)
  # those that are fewer are to blame
  lists <- sum(nested) < sum(!nested)
  refuse_if(any(nested) && !all(nested), "type", "`{arg}` mixes matrices and lists: element ",
            quoted(names[nested == lists][1]),
            if (lists) " is a list, and the others are not." else " is not a list of layers.",
            " Give only matrices, or only lists of layers (models).")
  if (!any(nested)) {
    return(flat_side(x, arg, names, rep(arg, length(x)), FALSE, allow_na, arg, rdms))
  }
  layers <- Map(function(model, name) check_element_names(model, paste0(arg, "$", name)), x, names)
  flat <- unlist(unname(lapply(x, unname)), recursive = FALSE)
  models <- rep(names, lengths(layers))
  flat_side(flat, paste0(arg, "$", models), unlist(layers, use.names = FALSE), models, TRUE,
            allow_na, arg)
}

# rdms: plain_rdms() of the elements.
flat_side <- function(elements, prefix, names, models, is_models, allow_na, side,
                      rdms = plain_rdms(elements)) {
  args <- paste0(prefix, "$", names)
  plain <- !is.na(rdms$extent[1, ])
  reprs <- vector("list", length(elements))
  reprs[plain] <- rdm_representations(elements[plain], rdms$extent[, plain, drop = FALSE],
                                      args[plain], names[plain], side)
  keep_open(for (k in which(!plain)) {
    reprs[[k]] <- given_representation(elements[[k]], args[k], names[k], allow_na, side)
  })
  if (is_models) {
    reprs <- Map(function(repr, model) {
      c(repr, model = model, title = paste0(model, "/", repr$name))
    }, reprs, models)
  }
  list(reprs = reprs, models = models, is_models = is_models, bare = rdms$n)
}

check_element_names <- function(x, arg, elements = "matrices") {
  refuse_if(!is_collection(x), "type", "`{arg}` must be a named list of {elements}, not ",
            "{describe(x)}.")
  refuse_if(!length(x), "size", "`{arg}` is an empty list: there is nothing to compare.")
  names <- names(x)
  unnamed <- if (is.null(names)) 1 else which(is.na(names) | names == "")
  refuse_if(length(unnamed), "names", "`{arg}` is a list whose element {unnamed[1]} has no name: ",
            "name all of them, for example names({arg}) <- paste0(\"layer\", seq_along({arg})).")
  refuse_if(anyDuplicated(names), "names", "`{arg}` has two elements named ",
            "{quoted(names[duplicated(names)][1])}: names must differ.")
  names
}

# Measures that differ only in k share one neighbour graph for each metric, so that the graph of the
# largest k is made from the beginning. set: settled measures.
set_largest_k <- function(set, reprs) {
  largest <- numeric()
  for (measure in set) {
    metric <- measure$neighbours$metric
    if (is.null(metric)) next
    largest[metric] <- max(largest[metric], measure$neighbours$k, na.rm = TRUE)
  }
  if (!length(largest)) return(invisible())
  # prepared graphs have their number of neighbours already
  for (repr in reprs) if (is.null(repr$prepared)) repr$cache$neighbours <- largest
}

# The pairs of a grid: a data frame with the positions i and j in the two sides. diagonal: is a
# representation also compared with itself?
list_pairs <- function(sides, diagonal) {
  size <- length(sides$x$reprs)
  first <- seq_len(size)
  if (!sides$self) {
    size_y <- length(sides$y$reprs)
    return(list2DF(list(i = rep(first, each = size_y), j = rep(seq_len(size_y), size))))
  }
  refuse_if(size < 2 && !diagonal, "size", "`x` has one element: give `y`, or more elements.")
  later <- size - first + diagonal
  if (!sides$x$is_models) {
    return(list2DF(list(i = rep(first, later), j = sequence(later, first + !diagonal))))
  }
  # pairs of layers of one model are none
  rank <- match(sides$x$models, unique(sides$x$models))
  keep <- outer(rank, rank, `>`)
  if (diagonal) keep <- keep | outer(rank, rank, `==`) & lower.tri(keep, TRUE)
  at <- which(keep, arr.ind = TRUE)
  refuse_if(!nrow(at), "size", "`x` has one model: give another in `y`, or more models.")
  list2DF(list(i = unname(at[, 2]), j = unname(at[, 1])))
}

# A pair of the sides.
side_pair <- function(sides, i, j) {
  y <- sides$y$reprs[[j]]
  # one and the same representation: both sides must not have the same order of tied neighbours
  if (sides$self && i == j) y$side <- "y"
  pair_of(sides$x$reprs[[i]], y)
}

# ---- short names

# These functions shorten long names for tables and pictures so that different names stay different.

# Names of at most `most` characters, or a few more where names would become the same. "..." stands
# for what is left out: first what all names begin with, then what all of them end with, then the
# middle of names, for which several places are tried.
short_labels <- function(labels, most) {
  labels <- as.character(labels)
  if (!length(labels)) return(labels)
  names <- unique(labels)
  short <- names
  if (any(nchar(short) > most)) short <- without_common_start(short, most)
  if (any(nchar(short) > most)) {
    short <- reversed_text(without_common_start(reversed_text(short), most))
  }
  # dots that all names have say little, and are left out before more of the names is
  for (dots in c("[.]{3}$", "^[.]{3}")) {
    if (any(nchar(short) > most) && all(grepl(dots, short))) short <- sub(dots, "", short)
  }
  without_middles(short, most)[match(labels, names)]
}

# Names without what all of them begin with. The cut is at a separator of words: the first after
# which the names are short enough, or otherwise the last. At least 3 characters stay, because
# "...1" says little of "layer 1".
without_common_start <- function(names, most) {
  # the number of characters that all names begin with
  same <- vapply(seq_len(min(nchar(names))), function(n) {
    length(unique(substr(names, n, n))) == 1
  }, NA)
  shared <- substr(names[1], 1, sum(cumprod(same)))
  at <- gregexpr("[-._/ :|]", shared)[[1]]
  at <- at[at > 3 & at + 3 <= min(nchar(names))]
  if (length(names) < 2 || !length(at)) return(names)
  fits <- at[max(nchar(names)) - at + 3 <= most]
  paste0("...", substring(names, c(fits, utils::tail(at, 1))[1] + 1))
}

reversed_text <- function(texts) {
  vapply(strsplit(texts, ""), function(letters) paste(rev(letters), collapse = ""), "")
}

# Names without their middle. Whole words are left out if the result is then at most 4 characters
# too long; otherwise words are cut, with more and more characters until all names differ.
without_middles <- function(names, most) {
  for (room in most + c(0, 2, 4)) {
    for (head in head_lengths(room)) {
      short <- without_middle(names, room, head, whole_words = TRUE)
      if (!anyDuplicated(short) && all(nchar(short) >= pmin(nchar(names), room / 2))) return(short)
    }
  }
  repeat {
    for (head in head_lengths(most)) {
      short <- without_middle(names, most, head, whole_words = FALSE)
      if (!anyDuplicated(short)) return(short)
    }
    most <- most + 2
  }
}

# The numbers of characters to try before the gap: a third of them at first, then all others.
head_lengths <- function(most) {
  room <- max(most - 3, 0)
  unique(c(room %/% 3, seq(0, room)))
}

without_middle <- function(names, most, head, whole_words) {
  tail <- max(most - 3, 0) - head
  # dots that are already there are not counted, so that they are not doubled
  start <- sub("^[.]{3}", "", names)
  end <- sub("[.]{3}$", "", names)
  first <- first_characters(start, head, whole_words)
  last <- last_characters(end, tail, whole_words)
  # names in which no whole word is short enough are cut within a word
  none <- first == "" & last == ""
  first[none] <- first_characters(start[none], head, FALSE)
  last[none] <- last_characters(end[none], tail, FALSE)
  ifelse(nchar(names) > most, paste0(first, "...", last), names)
}

# The first characters of names; with whole_words, a word that would be cut is left out.
first_characters <- function(names, count, whole_words) {
  kept <- substr(names, 1, count)
  if (!whole_words) return(kept)
  torn <- !grepl(word_end, substr(names, count + 1, count + 1))
  kept <- ifelse(torn & nchar(names) > count, sub("[^-._/ :|]*$", "", kept), kept)
  sub("[-._/ :|]+$", "", kept)
}

last_characters <- function(names, count, whole_words) {
  reversed_text(first_characters(reversed_text(names), count, whole_words))
}

word_end <- "^[-._/ :|]"
