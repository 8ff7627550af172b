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

# ---- distances and graphs

# These functions check "dist" objects and neighbour graphs that are given in the place of
# responses.

# ---- check dist

# These functions check "dist" objects that are given in the place of responses.

# allow_na: distances may be missing, because stimuli without them will be taken out later, or
# because they are left out; allow_zero: may all of them be 0? pairwise: does the caller leave out
# pairs that lack when it is asked to, by na = "pairwise"? cache: of the representation to be, which
# keeps what was seen of the values.
check_dist <- function(x, arg, allow_na = FALSE, allow_zero = FALSE, pairwise = FALSE,
                       cache = new_cache()) {
  n <- attr(x, "Size")
  sized <- is.numeric(n) && length(n) == 1 && is.finite(n) && n >= 0 && n == round(n)
  refuse_if(!is.numeric(x) || !sized || length(x) != n * (n - 1) / 2, "type",
            "`{arg}` is a damaged \"dist\" object: its length does not match its size. Make it ",
            "again with dist() or as.dist().")
  refuse_if(!length(attr(x, "Labels")) %in% c(0, n), "type", "`{arg}` is a damaged \"dist\" ",
            "object: it has {count_of(length(attr(x, 'Labels')), 'label')} for ",
            "{count_of(n, 'row')}.")
  if (!is.double(x)) storage.mode(x) <- "double"
  # one pass tells that there is nothing to look for
  extent <- cache$extent <- value_extent(x)
  if (extent[3] > 0 || any(is.infinite(extent))) {
    bad <- if (allow_na) is.infinite(x) else !is.finite(x)
    refuse_distances(which(bad), n, if (allow_na) "infinite" else "missing or non-finite", arg,
                     pairwise && !any(is.infinite(x)), attr(x, "Labels"))
  }
  if (!allow_zero && all(x == 0, na.rm = allow_na)) refuse_zeros(arg)
  x
}

# list(extent, n) of a list: the extents (value_extent()) of its plain "dist" objects, of which
# check_dist() would have nothing to say as long as pairs may lack, a column each, with NA for other
# elements; and how many stimuli all of them have, or 0 if there are others, or some lack pairs, or
# are named. Lists of many small RDMs would otherwise spend their time in these checks.
plain_rdms <- function(elements) .Call(C_plain_rdms, unname(elements))

refuse_zeros <- function(arg) refuse("variance", "`{arg}` has no variance: all distances are 0.")

# names: of the stimuli, or NULL.
refuse_distances <- function(bad, n, what, arg, pairwise = FALSE, names = NULL) {
  if (!length(bad)) return(invisible())
  stimuli <- stimuli_of_distance(bad[1], n)
  refuse("nonfinite", "`{arg}` has {length(bad)} {what} distance{if (length(bad) > 1) 's'}, first ",
         "between rows {named_places(stimuli[1], names)} and {named_places(stimuli[2], names)}. ",
         if (pairwise)
         "Set na = \"pairwise\" to leave out these pairs; or remove" else
           "Remove", " those rows, or correct the distances.")
}

# Estimates of squared distances (crossnobis) may be negative. Only measures that accept "signed"
# distances can use these, as a correlation of dissimilarities can.
refuse_negative <- function(repr, accepted) {
  if (repr$kind != "dist" || "signed" %in% accepted) return(invisible())
  bad <- which(repr$data < 0)
  if (!length(bad)) return(invisible())
  stimuli <- stimuli_of_distance(bad[1], repr$n)
  refuse("nonfinite", "`{repr$arg}` has {count_of(length(bad), 'negative distance')}, first ",
         "between rows {stimuli[1]} and {stimuli[2]}. If these are estimates of squared ",
         "distances, transform_rdm({repr$arg}, \"sqrt\") makes distances of them; rsa() takes ",
         "them as they are.")
}

# A square matrix of distances or of similarities is read as responses, but that is hardly ever what
# the user means.
note_distance_matrix <- function(x, arg) {
  if (nrow(x) != ncol(x) || nrow(x) < 3 || is_absent(x)) return(invisible())
  zeros <- isTRUE(all(diag(x) == 0))
  ones <- isTRUE(all(abs(diag(x) - 1) <= 1e-8))
  if (!zeros && !ones || anyNA(x)) return(invisible())
  off <- x[row(x) != col(x)]
  # a code with one column for each stimulus has nothing beside its diagonal
  if (all(off == 0)) return(invisible())
  symmetric <- all(abs(x - t(x)) <= 1e-8 * max(abs(off)))
  # those of similarities are said to be ones only
  held <- if (zeros) "dissimilarities" else "similarities"
  warn_if(symmetric || !ones && !any(off == 0), "distance_matrix", "`{arg}` is ",
          "{if (symmetric) 'symmetric' else 'square'} with {if (zeros) 'zeros' else 'ones'} on ",
          "the diagonal", if (!symmetric) " and nowhere else, but not symmetric",
          ", like a matrix of {held}{if (!symmetric) ' with a mistake'}, but its rows are taken ",
          "for responses. If it holds {held}, {if (!symmetric) 'correct it and '}give ",
          "as.dist({if (ones) '1 - '}{arg}).", data = arg)
}

# The two stimuli (row numbers) whose distance is the k-th value of a "dist" object of n stimuli.
stimuli_of_distance <- function(k, n) unlist(pair_places(k, n), use.names = FALSE)

# ---- check graph

# These functions check neighbour graphs that are given in the place of responses.

# x: list(idx, dist), with the nearest neighbours of each stimulus in a row and their distances.
# Graphs of other packages often name each stimulus as its own first neighbour; what is returned
# never does.
check_graph <- function(x, arg) {
  if (length(dim(x$dist)) != 2 || any(dim(x$idx) != dim(x$dist))) {
    graph_error(arg, "needs two numeric matrices of the same size, `idx` and `dist` (stimuli x ",
                "neighbours)")
  }
  idx <- unname(as.matrix(x$idx))
  dist <- unname(as.matrix(x$dist))
  numeric <- is.numeric(idx) && is.numeric(dist)
  if (!numeric) graph_error(arg, "needs numeric matrices in `idx` and `dist`")
  n <- nrow(idx)
  bad <- which(!is.finite(idx) | idx != round(idx) | idx < 1 | idx > n, arr.ind = TRUE)
  if (nrow(bad)) {
    graph_error(arg, "has an index that is not a row number (1 to ", n, ") in row ", bad[1, 1],
                ", column ", bad[1, 2], if (any(idx %in% 0)) "; if yours start at 0, add 1")
  }
  bad <- which(!is.finite(dist), arr.ind = TRUE)
  if (nrow(bad)) {
    graph_error(arg, "has a missing or non-finite distance in row ", bad[1, 1], ", column ",
                bad[1, 2], "; give every stimulus the same number of neighbours")
  }
  # Takes every stimulus out of its own neighbours, where it stands first, or after duplicates of
  # it. Every row must name its own stimulus once, or none may, because all rows must stay equally
  # long.
  self <- idx == row(idx)
  times <- rowSums(self)
  if (any(times > 0)) {
    remedy <- "; leave the row itself out everywhere, or name it once in every row"
    if (any(times > 1)) {
      graph_error(arg, "names row ", which(times > 1)[1], " twice among its own neighbours", remedy)
    }
    # the message takes the rarer case for the mistake
    if (any(times == 0) && mean(times) > 0.5) {
      graph_error(arg, "names rows among their own neighbours, but not row ", which(times == 0)[1],
                  remedy)
    }
    if (any(times == 0)) {
      graph_error(arg, "has row ", which(times == 1)[1], " among its own neighbours", remedy)
    }
    drop <- function(m) matrix(t(m)[t(!self)], nrow(m), byrow = TRUE)
    idx <- drop(idx)
    dist <- drop(dist)
  }
  if (!ncol(idx)) graph_error(arg, "has no neighbours")
  twice <- apply(idx, 1, anyDuplicated) > 0
  if (any(twice)) graph_error(arg, "names a neighbour twice in row ", which(twice)[1])
  falling <- rowSums(dist[, -1, drop = FALSE] < dist[, -ncol(dist), drop = FALSE]) > 0
  if (any(falling)) {
    graph_error(arg, "has distances that are not in increasing order in row ", which(falling)[1],
                "; sort the neighbours of each row, nearest first")
  }
  storage.mode(idx) <- "integer"
  storage.mode(dist) <- "double"
  rownames(idx) <- rownames(x$idx)
  list(idx = idx, dist = dist)
}

graph_error <- function(arg, ...) refuse("graph", "The neighbour graph `{arg}` ", ..., ".")
