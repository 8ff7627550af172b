# Responses are read and checked here, and become representations; two of them are a pair.

# ---- representation

# A representation is checked input with a cache of the forms made from it; two of them are a pair.
# It is a list:
#
# kind        "data", "dist" or "graph" (kind_of())
# data        a matrix of doubles, a "dist" object or a neighbour graph
# n           the number of stimuli
# arg, name   what messages and results call it
# side        "x" or "y" of the call
# cache       forms and other results that were made of it (form.R)
# responses   the responses() object whose means over trials `data` are, or NULL
# columns     labels of the columns, a list of vectors: `units`, of which equal ones may share noise
#             or are one neuron, `neuron`, and others of an analysis; or NULL
# holes       of several trials that are not compared by their means alone: which stimuli and
#             neurons lack values, list(stimuli, neurons); or NULL
# whole       of one trial of several: what the user gave, list(arg, data, responses); or NULL
# loose       TRUE where a "dist" object was not asked yet whether pairs lack, or all are 0
# refused     errors of measures that cannot use it, by their labels (refusal()), or NULL
# source      the path of an array whose data are not held (read-path.R), or NULL
# row_numbers the automatic row names of a data frame, which are no names of stimuli, or NULL
#
# allow_na: are missing values allowed, because cut_representation() will leave them out? Estimates
# from trials do without the responses that lack, so that these are refused later for all others
# (refuse_holes()). loose: may a "dist" object lack pairs, or be 0 throughout? Both are refused
# later, by refuse_lacking_pairs() and refusal(), for the measures that cannot use it.
representation <- function(x, arg, name = arg, allow_na = FALSE,
                           side = if (arg == "y") "y" else "x", loose = FALSE) {
  # A matrix about which nothing is to be asked but whether its values are finite: without column
  # names, which could be those of identifiers, and not square like a matrix of distances.
  size <- dim(x)
  if (is.double(x) && !is.object(x) && length(size) == 2 && all(size > 0) &&
      (size[1] != size[2] || !isTRUE(x[1] == 0 || abs(x[1] - 1) <= 1e-8)) &&
      is.null(dimnames(x)[[2]])) {
    stats <- .Call(C_column_stats, x)
    if (stats$finite) return(matrix_representation(x, stats, arg, name, side))
  }
  cache <- new_cache()
  responses <- numbers <- NULL
  if (is.object(x)) {
    if (is.data.frame(x)) numbers <- attr(x, "row.names")
    refuse_prepared_data(x, arg)
    if (is_responses(x)) {
      responses <- x
      x <- mark_checked(as.matrix(responses))
    }
  }
  kind <- kind_of(x)
  if (kind == "data") {
    several <- !is.null(responses) && dim(responses)[3] > 1
    data <- double_matrix(x, arg)
    # one pass gives the statistics of the columns together with the check
    stats <- .Call(C_column_stats, data)
    if (!stats$finite) check_finite(data, arg, allow_na || several)
    refuse_identifiers(data, arg)
    if (stats$finite) cache$column_stats <- stats
    if (!allow_na) note_distance_matrix(data, arg)
    if (several && !allow_na && !stats$finite) refuse_empty_neurons(data, arg, TRUE)
    n <- nrow(data)
  } else {
    data <- if (kind == "dist") check_dist(x, arg, allow_na || loose, loose, cache = cache) else
      check_graph(x, arg)
    n <- stimulus_count(data)
  }
  repr <- list(kind = kind, data = data, n = n, arg = arg, name = name, side = side, cache = cache)
  repr$responses <- responses
  if (is.integer(numbers)) repr$row_numbers <- numbers
  if (loose && kind == "dist") repr$loose <- TRUE
  repr
}

matrix_representation <- function(x, stats, arg, name = arg, side = arg) {
  cache <- new_cache()
  cache$column_stats <- stats
  list(kind = "data", data = x, n = dim(x)[1], arg = arg, name = name, side = side, cache = cache)
}

# The representations of a list of RDMs, for which plain_rdms() gives these extents.
rdm_representations <- function(rdms, extents, args, names, side) {
  lapply(seq_along(rdms), function(k) {
    cache <- new_cache()
    cache$extent <- extents[, k]
    list(kind = "dist", data = rdms[[k]], n = attr(rdms[[k]], "Size"), arg = args[k],
         name = names[k], side = side, cache = cache, loose = TRUE)
  })
}

# The representation of an array in a file, which is read, judged, and not kept. `source` is where
# it is.
filed_representation <- function(path, arg, name, allow_na, side) {
  repr <- representation(path$read(path), arg, name, allow_na, side)
  missing <- if (allow_na && anyNA(repr$data)) {
    list(stimuli = rowSums(is.na(repr$data)) > 0, neurons = colSums(is.na(repr$data)) > 0)
  }
  facts <- list(odd = odd_in(repr), doubtful = doubtful_column(repr$data), missing = missing)
  repr$data <- absent_data(repr, Filter(Negate(is.null), facts))
  repr$source <- path
  repr
}

# What messages call a representation: layers of models have the name of the model before theirs.
title_of <- function(repr) if (is.null(repr$title)) repr$name else repr$title

# Two representations of the same stimuli. The cache of a pair keeps what several measures share
# that compare it.
pair_of <- function(rx, ry) {
  list(x = rx, y = ry, self = identical(rx$cache, ry$cache), cache = new_cache())
}

# A representation beside itself.
self_pair <- function(repr) list(x = repr, y = repr, self = TRUE, cache = new_cache())

need_kind <- function(repr, accepted, what) {
  if (repr$kind %in% accepted) return(repr)
  given <- c(dist = "a \"dist\" object (distances)", graph = "a neighbour graph")[repr$kind]
  also <- c(dist = " or a \"dist\" object", graph = " or a neighbour graph")
  refuse("type", "`{repr$arg}` is {given}, but {what} needs the responses themselves (stimuli x ",
         "neurons){also[intersect(accepted, names(also))]}.",
         if (what == quoted("cka")) " With kernel = \"rbf\" or \"manifold\" it takes distances.")
}

# The same representation with its stimuli in the order `permutation`. Nothing is prepared again:
# remember_form() takes the forms of the original and relabels them.
permuted_representation <- function(repr, permutation) {
  result <- repr
  result$data <- switch(repr$kind,
    data = unname_rows(repr$data[permutation, , drop = FALSE]),
    dist = relabel_dist(repr$data, permutation),
    graph = relabel_graph(repr$data, permutation),
    no_branch(repr$kind)
  )
  result$responses <- permuted_responses(repr$responses, permutation)
  result$cache <- cache_of_part(repr$cache, "neighbours")
  result$cache$original <- list(cache = repr$cache, permutation = permutation)
  result
}

# Estimates from trials do without some responses of a neuron, but not without all of them.
refuse_empty_neurons <- function(means, arg, trials = FALSE) {
  empty <- which(colSums(!is.na(means)) == 0)
  one <- length(empty) == 1
  refuse_if(length(empty), "nonfinite", "`{arg}` has no response at all of neuron",
            if (!one) "s", " ", enumerate(named_places(empty, colnames(means)), quote = FALSE),
            ": leave {if (one) 'it' else 'them'} out, by [, -",
            if (one) empty else paste0("c(", paste(empty, collapse = ", "), ")"),
            if (trials) ", ", "].")
}

unname_rows <- function(x) {
  rownames(x) <- NULL
  x
}

# ---- identifier

# Tables often have columns that are no neurons but say what a row is: its stimulus, its trial, its
# number. Such columns are found and refused here. If the number of the row were taken for a neuron,
# it would be the same on both sides and have most of the variance, and unrelated data would seem
# alike.

# Names of identifiers by what they tell of a row, those first that most likely name the stimuli.
# find_identifiers() knows some more: these names followed by a word for a number
# ("image_number", "trialNo"), names that end in _id, and X, which is how read.csv() calls a column
# of row names ("Unnamed: 0" in pandas).
identifier_names <- list(
  stimulus = c("image", "stimulus", "stim", "img", "picture", "pic", "photo", "item", "file",
               "filename", "coco", "condition", "id", "row", "...1", "unnamed: 0", "index", "nr"),
  subject = c("subject", "animal"), session = c("session", "day"), run = c("run", "block"),
  trial = c("trial", "rep", "repeat", "repetition", "presentation"),
  other = c("order", "fold", "onset", "time", "time_ms")
)

number_words_of_names <- "_?(id|no|nr|num|number|index)$"

# Of which of these does a column tell? A name that is not known may be that of the stimuli.
identifier_roles <- function(names) {
  known <- unlist(identifier_names, use.names = FALSE)
  roles <- rep(names(identifier_names), lengths(identifier_names))
  names <- tolower(enc2utf8(names))
  at <- match(names, known)
  at[is.na(at)] <- match(sub(number_words_of_names, "", names[is.na(at)]), known)
  ifelse(is.na(at), "stimulus", roles[at])
}

# Words that may also be the name of a feature, such as "animal" or "time", are one if the column is
# made of 0 and 1.
features <- c("animal", "day", "time", "order", "block", "repeat", "condition", "fold", "onset",
              "picture", "pic", "photo", "item", "file")

# The values of fewer rows may be in order by chance.
least_numbered <- 12

# For each column of the numeric matrix x that looks like an identifier, the reason in words, named
# by the number of the column. A matrix without column names was made for neurons and is not
# searched.
find_identifiers <- function(x) {
  names <- colnames(x)
  if (is.null(names)) return(character())
  n <- nrow(x)
  lower <- tolower(enc2utf8(names))
  before <- paste0("^(image|stimulus|stim|img|picture|pic|photo|item|file|coco|trial|session|",
                   "subject|row|run|block|condition|animal)", number_words_of_names)
  named <- which(lower %in% unlist(identifier_names) | names == "X" |
                   grepl(before, names, ignore.case = TRUE) |
                   grepl("_id$", names, ignore.case = TRUE))
  named <- named[vapply(named, function(j) {
    is_whole(x[, j]) && !(tolower(names[j]) %in% features && setequal(x[, j], c(0, 1)))
  }, NA)]
  one_hot <- length(named) && !anyNA(x) && all(x == 0 | x == 1) && all(rowSums(x) == 1)
  if (one_hot) named <- integer()
  numbered <- if (n >= least_numbered) {
    # The columns that hold consecutive whole numbers in any order, or rise or fall by equal steps.
    # Looking at their first values is fast and rules out nearly all other columns; with missing
    # values the first ones do not tell.
    candidates <- which(apply(x[seq_len(least_numbered), , drop = FALSE], 2, function(first) {
      if (anyNA(first)) return(TRUE)
      step <- first[2] - first[1]
      step != 0 && abs(first[3] - first[2] - step) <= 1e-3 * abs(step) ||
        all(first == round(first)) && max(first) - min(first) < n && !anyDuplicated(first)
    }))
    candidates[vapply(candidates, function(j) !is.na(numbering(x[, j])), NA)]
  }
  if (length(numbered)) {
    # Are all columns rankings, either without ties (numbered) or with mean ranks for ties? Ranked
    # responses are no identifiers.
    others <- x[, setdiff(seq_len(ncol(x)), numbered), drop = FALSE]
    mean_ranks <- colSums(others) == n * (n + 1) / 2 &
      colSums(2 * others != round(2 * others)) == 0
    if (isTRUE(all(mean_ranks))) numbered <- integer()
  }
  found <- sort(union(named, numbered))
  why <- vapply(found, function(j) {
    if (j %in% named) "whole numbers, and the name of an identifier" else numbering(x[, j])
  }, "")
  stats::setNames(why, found)
}

is_whole <- function(values) {
  values <- values[!is.na(values)]
  length(values) > 0 && all(is.finite(values)) && all(values == round(values))
}

# Says in words how the values number the rows; NA if they do not. Some values may be missing.
numbering <- function(values) {
  n <- length(values)
  known <- which(!is.na(values))
  values <- values[known]
  if (length(known) < least_numbered || !all(is.finite(values))) return(NA_character_)
  consecutive <- all(values == round(values)) && max(values) - min(values) <= n - 1
  if (consecutive && !anyDuplicated(values)) return("consecutive whole numbers")
  last <- length(values)
  step <- (values[last] - values[1]) / (known[last] - known[1])
  largest <- max(abs(values))
  # a file has few digits, so steps that were equal differ by rounding when they are read
  uneven <- abs(values - (values[1] + (known - known[1]) * step))
  equal <- isTRUE(abs(step) > 1e-12 * largest &&
                    all(uneven <= 1e-5 * abs(step) + 8 * .Machine$double.eps * largest))
  if (equal) "equal steps from row to row" else NA_character_
}

# takes: which arguments of the function take what columns tell of the rows, by the names of
# identifier_names; NULL where matrices of neurons alone are read.
refuse_identifiers <- function(x, arg, takes = NULL) {
  if (columns_are_checked(x)) return(invisible())
  found <- find_identifiers(x)
  if (!length(found)) return(invisible())
  names <- colnames(x)[as.integer(names(found))]
  remedy <- if (is.null(takes)) matrix_of_neurons(names) else {
    # an argument takes one column; what no argument takes has to go
    argument <- takes[identifier_roles(names)]
    argument[duplicated(argument)] <- NA
    given <- paste(argument, "=", quoted(names))[!is.na(argument)]
    left <- names[is.na(argument)]
    paste0(capitalised(paste(c(
      if (length(given)) paste("give", enumerate(given, quote = FALSE)),
      if (length(left)) paste("leave out", enumerate(left))
    ), collapse = ", and ")), "; a neuron needs another name.")
  }
  one <- length(found) == 1
  refuse("identifier", "`{arg}` has ",
         if (one) "a column that looks like an identifier" else
           "columns that look like identifiers", ", not like ",
         "{if (one) 'a neuron: ' else 'neurons: '}",
         enumerate(paste0(quoted(names), " (", found, ")"), quote = FALSE), ". ", remedy)
}

matrix_of_neurons <- function(names) {
  roles <- identifier_roles(names)
  stimulus <- names[roles == "stimulus"]
  repeats <- names[roles %in% c("run", "trial")]
  # a known name is more likely than others
  stimulus <- stimulus[order(match(tolower(stimulus), identifier_names$stimulus))][1]
  paste0("Make a matrix with the stimuli as row names by response_matrix(data, stimulus = ",
         if (is.na(stimulus)) "..." else quoted(stimulus),
         if (is.na(stimulus) || length(names) > 1) ", neurons = ...",
         "); its argument `neurons` says which columns are neurons.", if (length(repeats)) {
           paste0(" Repeats of stimuli go to responses(data, stimulus = ..., ",
                  roles[match(repeats[1], names)], " = ", quoted(repeats[1]), ").")
         })
}

# ---- doubtful column

# Numbers of pictures in a database differ from row to row, but are not consecutive, and have any
# name. A neuron can have such values, too, but hardly as the only one. So a column like this is
# refused where two sides share it, and warned of where it is the first of a table.

# list(at, name, values, share) of the only column of a matrix that holds whole numbers which all
# differ, and has so much of the variance that it changes the scores; or NULL. Counts of spikes may
# also differ, so that among whole numbers it must have nearly all of the variance.
doubtful_column <- function(x) {
  if (is_absent(x)) return(unclass(x)$doubtful)
  names <- dimnames(x)[[2]]
  if (is.null(names) || !is.double(x) || length(dim(x)) != 2) return(NULL)
  if (columns_are_checked(x) || nrow(x) < least_numbered || ncol(x) < 2) return(NULL)
  first <- x[seq_len(least_numbered), , drop = FALSE]
  candidates <- which(colSums(first != round(first), na.rm = TRUE) == 0)
  different <- vapply(candidates, function(j) {
    known <- x[!is.na(x[, j]), j]
    length(known) >= least_numbered && is_whole(known) && !anyDuplicated(known)
  }, NA)
  if (sum(different) != 1) return(NULL)
  at <- candidates[[which(different)]]
  # divided by the largest value, squares stay finite
  x <- x / max(abs(x), na.rm = TRUE)
  squares <- colSums((x - rep(colMeans(x, na.rm = TRUE), each = nrow(x)))^2, na.rm = TRUE)
  share <- squares[[at]] / sum(squares)
  others_whole <- length(candidates) == ncol(x)
  if (share < if (others_whole) 0.99 else 0.1) return(NULL)
  list(at = at, name = names[at], values = unname(x[, at]), share = share)
}

# reprs: lists with `data` and `arg`, whose stimuli are in one order.
judge_doubtful_columns <- function(reprs) {
  found <- lapply(reprs, function(repr) doubtful_column(repr$data))
  at <- which(lengths(found) > 0)
  for (k in at[-1]) {
    one <- found[[at[1]]]
    same <- identical(one[c("name", "values")], found[[k]][c("name", "values")])
    # data that are compared with themselves, or with a part of themselves, share other columns too
    held <- !is_absent(reprs[[at[1]]]$data) && !is_absent(reprs[[k]]$data)
    if (!same || held && share_columns(reprs[[at[1]]]$data[, -one$at, drop = FALSE],
                               reprs[[k]]$data[, -found[[k]]$at, drop = FALSE])) next
    refuse("identifier", "`{reprs[[at[1]]]$arg}` and `{reprs[[k]]$arg}` have the same column ",
           "{quoted(one$name)} of whole numbers that all differ: it looks like an identifier of ",
           "the stimuli, not like a neuron. {matrix_of_neurons(one$name)} If it is a neuron, say ",
           "so by matrices without names of columns, colnames(x) <- NULL.", arg = reprs[[k]]$arg)
  }
  first <- Find(function(k) found[[k]]$at == 1, at)
  if (is.null(first)) return(invisible())
  column <- found[[first]]
  warn("identifier", "The first column of `{reprs[[first]]$arg}`, {quoted(column$name)}, holds ",
       "whole numbers that all differ, as numbers of pictures do, and has ",
       "{round(100 * column$share)}% of the variance. If it names the stimuli, use ",
       "response_matrix(data, stimulus = {quoted(column$name)}). If it is a neuron, say so by a ",
       "matrix without names of columns, colnames({reprs[[first]]$arg}) <- NULL.",
       data = column$name)
}

# Has a column of a the values of one of b? Silent units are the same anywhere. Sums over the rows
# find the candidates.
share_columns <- function(a, b) {
  varying <- function(x) {
    x[, colSums(x != rep(x[1, ], each = nrow(x)), na.rm = TRUE) > 0, drop = FALSE]
  }
  a <- varying(unname(a))
  b <- varying(unname(b))
  sums <- function(x) colSums(x * seq_len(nrow(x)), na.rm = TRUE)
  at <- match(sums(a), sums(b))
  any(vapply(which(!is.na(at)), function(j) identical(c(a[, j]), c(b[, at[j]])), NA))
}

# ---- odd columns and values

# One warning for all representations of a call.
warn_of_odd_columns <- function(reprs) {
  found <- unique(Filter(Negate(is.null), lapply(reprs, odd_in)))
  if (!length(found)) return(invisible())
  coded <- vapply(found, function(one) one$class == "repalign_sentinel", NA)
  shown <- found[if (any(coded)) coded else TRUE]
  warn(unique(c(shown[[1]]$class, "repalign_dominant")),
       paste(vapply(utils::head(shown, 3), function(one) one$text, ""), collapse = " "),
       if (length(shown) > 3) paste0(" So ", if (length(shown) > 4) "have " else "has ",
                                     length(shown) - 3, " more."),
       if (any(coded)) " If it stands for missing values, make it NA." else
         paste(" Scores are about little else: leave it out if it is no neuron; if it is one,",
               "divide each column by its standard deviation to give all neurons equal weight."),
       data = unlist(lapply(shown, function(one) one$data)))
}

# list(class, text, data) of what is odd in a representation, or NULL.
odd_in <- function(repr) {
  if (is.matrix(repr$whole$data)) repr <- repr$whole
  # reading them told so already
  if (is.null(repr$responses) && isFALSE(repr$cache$column_stats$odd)) return(NULL)
  x <- repr$data
  if (is_absent(x)) return(unclass(x)$odd)
  if (kind_of(x) != "data" || !nrow(x)) return(NULL)
  trials <- if (is_responses(repr$responses)) unclass(repr$responses)$values
  found <- .Call(C_odd_columns, x, nrow(x))
  code <- if (is.double(trials)) .Call(C_odd_columns, trials, nrow(x))$code else found$code
  if (!is.null(code)) {
    others <- paste(format(code[3:4], digits = 3, trim = TRUE), collapse = " to ")
    return(list(class = "repalign_sentinel", data = code[1], text = paste0(
      "`", repr$arg, "` has the value ", format(code[1]), " in ", code[2],
      " cells, far outside all others (", others, ")."
    )))
  }
  # a doubtful first column was told already
  if (is.null(found$dominant) || identical(doubtful_column(x)$at, 1L)) return(NULL)
  at <- found$dominant[1]
  share <- found$dominant[2]
  name <- colnames(x)[at]
  list(class = "repalign_dominant", data = stats::setNames(share, if (is.null(name)) at else name),
       text = paste0("Column ", if (is.null(name)) at else quoted(name), " of `", repr$arg,
                     "` has ", floor(1000 * share) / 10, "% of the variance of its ",
                     ncol(x), " columns."))
}

# Was it said before that all columns are neurons? A matrix is marked if the user has named its
# neurons or if it was checked as a whole. The mark is an attribute, which arithmetic keeps and `[`
# drops.
columns_are_checked <- function(x) isTRUE(attr(x, "columns_checked"))

# Own measures get the matrix without the mark, just as the user made it.
without_mark <- function(x) {
  attr(x, "columns_checked") <- NULL
  x
}

mark_checked <- function(x) {
  attr(x, "columns_checked") <- TRUE
  x
}

# ---- input matrix

# Responses are read here: matrices, data frames and sparse matrices become matrices of doubles, and
# for anything else an error says what to do.

# allow_na: may NA and NaN stand for missing values?
as_numeric_matrix <- function(x, arg, allow_na = FALSE) {
  x <- double_matrix(x, arg)
  check_finite(x, arg, allow_na)
  refuse_identifiers(x, arg)
  x
}

double_matrix <- function(x, arg) {
  x <- plain_matrix(x, arg)
  check_size(nrow(x), ncol(x), arg)
  refuse_if(ncol(x) < 1 || nrow(x) < 1, "size", "`{arg}` has {count_of(nrow(x), 'row')} and ",
            "{count_of(ncol(x), 'column')}: there is nothing to compare.")
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

plain_matrix <- function(x, arg) {
  if (is_responses(x)) return(mark_checked(as.matrix(x)))
  if (is.data.frame(x)) {
    # factors are stored as integers but are not numbers; dates are numbers only by storage
    odd <- names(x)[!vapply(x, function(column) {
      (is.numeric(column) || is.logical(column)) && !is.object(column)
    }, NA)]
    of_rows <- if (length(odd)) Filter(offers_argument, c("condition", "run", "subject"))
    refuse_if(length(odd), "type", "`{arg}` has columns that are not numeric: {enumerate(odd)}. ",
              if ("condition" %in% of_rows) {
                paste0("Name those that say what a row is in ",
                       enumerate(paste0("`", of_rows, "`"), quote = FALSE),
                       ", and drop the others.")
              } else {
                paste0("Drop or convert them; where one of them names the stimuli, use ",
                       "response_matrix(data, stimulus = ", quoted(odd[1]), ").")
              })
    m <- as.matrix(x)
    # integer row names are row numbers, and no names of stimuli, even after rows were taken out
    if (is.integer(attr(x, "row.names"))) rownames(m) <- NULL
    return(m)
  }
  if (inherits(x, "Matrix")) return(dense_matrix(x, arg))
  if (is.matrix(x) && (is.numeric(x) || is.logical(x))) return(x)
  refuse_if(inherits(x, "dist"), "type", "`{arg}` is a \"dist\" object, but this needs the ",
            "responses themselves: give the stimuli x neurons matrix.")
  refuse_if(is_spaces(x), "type", "`{arg}` are feature_spaces(), which encode() takes, and ",
            "evaluate_models() with measure(\"encode\"): here give one of them.")
  refuse_if(inherits(x, "SummarizedExperiment"), "type", "`{arg}` is a SummarizedExperiment, ",
            "which has the samples in its columns: give stimuli in rows, t(assay({arg})).")
  refuse("type", "`{arg}` must be a numeric matrix (stimuli x neurons) or an all-numeric data ",
         "frame, not {describe(x)}.{matrix_remedy(x, arg)}")
}

matrix_remedy <- function(x, arg) {
  if (isS4(x)) return(" Convert it with as.matrix().")
  if (is.factor(x) || is.character(x)) return(categories_remedy(x, arg))
  if (is.list(x) && !is.object(x)) {
    return(" evaluate_models() compares a recording with a list of models, similarity() any lists.")
  }
  if (!is.numeric(x) && !is.logical(x)) return(NULL)
  if (length(dim(x)) < 2) return(" For one neuron use cbind().")
  if (length(dim(x)) == 3) {
    paste0(" An array of trials (stimuli x neurons x trials) becomes a representation by ",
           "responses(", arg, ").")
  }
}

# A sentence for labels that were given in the place of data.
categories_remedy <- function(x, arg) {
  if (!length(x) || is.matrix(x)) return(NULL)
  # what all differs is no categories; texts may be the names of files
  if (!anyDuplicated(x)) {
    return(if (is.character(x)) " read_representation() reads the data of files, several at once.")
  }
  paste0(" evaluate_models() takes ", if (is.factor(x)) "it" else paste0("factor(", arg, ")"),
         " as a model of its categories; 1 * outer(", arg, ", unique(", arg, "), \"==\") is a ",
         "matrix of them.")
}

# A matrix of the package Matrix as an ordinary one, with all entries, also those that are 0.
dense_matrix <- function(x, arg) {
  require_package("Matrix", paste0("`", arg, "` (", class(x)[1], ")"))
  size <- as.double(dim(x))
  check_size(size[1], size[2], arg)
  check_memory(8 * prod(size), paste0("`", arg, "` as a matrix of all its entries"),
               "Take fewer neurons or stimuli.")
  as.matrix(x)
}
