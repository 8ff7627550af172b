# These functions leave out stimuli or neurons with missing values (NA, NaN) before anything is
# prepared.

# The rule of a call and of its measures: list(na, set). Whether pairs that RDMs lack are left out
# is a matter of the measures, which some can do. given: did the user say anything?
rule_of_call <- function(na, set, given) {
  na <- check_choice(na, c(missing_rules, "pairwise"), "na")
  if (na == "pairwise") {
    unable <- Filter(function(m) is_own(m) || is.null(m$args$na), set)
    refuse_if(length(unable), "choice", "na = \"pairwise\" leaves out pairs of stimuli that RDMs ",
              "lack, which {quoted(unable[[1]]$label)} cannot do: take \"rsa\", or na = ",
              "\"stimuli\".", arg = "na")
    set <- lapply(set, function(m) {
      if (takes_gaps(m)) return(m)
      m$args$na <- na
      # as measure() labels it, for the same number
      m$label <- if (m$label == m$id) paste0(m$id, "(pairwise)") else
        sub("\\)$", ", pairwise)", m$label)
      m
    })
    return(list(na = "error", set = set))
  }
  lenient <- if (given) Filter(takes_gaps, set)
  refuse_if(length(lenient), "choice", "The measure {quoted(lenient[[1]]$label)} has na = ",
            "\"pairwise\", but the call has na = {quoted(na)}: give one of the two.", arg = "na")
  list(na = na, set = set)
}

# For calls that leave something out. Returns list(sides, set, rows, left_out): the sides without
# that, the measures with labels of the kept neurons only, which stimuli are kept, and a sentence
# about the others, or NULL.
complete_sides <- function(sides, set, na) {
  reprs <- all_representations(sides)
  rows <- rep(TRUE, reprs[[1]]$n)
  one_side <- sides$self || sides$same
  columns <- lapply(sides[c("x", "y", "z")], function(side) rep(list(TRUE), length(side$reprs)))
  if (na == "stimuli") {
    rows <- complete_stimuli(reprs)
    left_out <- stimuli_note(rows, first_stimulus_names(reprs))
    set <- lapply(set, cut_measure_stimuli, rows)
  } else {
    # Which neurons are kept, for every representation of both sides. Where a measure has labels of
    # neurons, or says that both sides have the same neurons, all representations of a side have
    # the same neurons: a neuron that is missing in one of them is left out of all.
    missing <- lapply(list(x = sides$x$reprs, y = sides$y$reprs), lapply, missing_neurons)
    sharing <- Filter(function(measure) {
      isTRUE(measure$args$shared_neurons) || !is.null(measure$args$units_x)
    }, set)
    if (length(sharing)) {
      # Labels are checked against all representations before any neuron is left out, because
      # afterwards a wrong number of labels could not be told.
      x <- sides$x$reprs
      y <- if (sides$self) x else sides$y$reprs
      for (measure in sharing) {
        for (repr in y) check_units(list(x = x[[1]], y = repr), measure$args)
        for (repr in x[-1]) check_units(list(x = repr, y = y[[1]]), measure$args)
      }
      missing <- missing_on_sides(missing, sharing, one_side)
    }
    # Where columns have labels of their own, a neuron that is missing in one representation is left
    # out of all. Without names of neurons, labels of units stand for them.
    both <- c(sides$x$reprs, if (!one_side) sides$y$reprs)
    labels <- lapply(both, function(repr) {
      if (is.null(repr$columns$neuron)) repr$columns$units else repr$columns$neuron
    })
    if (any(lengths(labels))) {
      of_x <- seq_along(missing$x)
      all <- c(missing$x, missing$y)[seq_along(both)]
      names(all) <- names(labels) <- seq_along(both)
      all <- unname(spread_by_label(all, labels))
      missing <- list(x = all[of_x], y = if (one_side) all[of_x] else all[-of_x])
    }
    columns <- lapply(missing, lapply, `!`)
    set <- lapply(set, function(measure) {
      if (is.null(measure$args$units_x)) return(measure)
      measure$args$units_x <- measure$args$units_x[columns$x[[1]]]
      measure$args$units_y <- measure$args$units_y[columns$y[[1]]]
      measure
    })
    columns$z <- lapply(sides$z$reprs, function(repr) !missing_neurons(repr))
    left_out <- note_neurons_left_out(reprs, c(columns$x, if (!one_side) columns$y, columns$z))
  }
  sides <- map_sides(sides, function(side, name) cut_side(side, rows, columns[[name]]))
  list(sides = sides, set = set, rows = rows, left_out = left_out)
}

# columns: a list with those to keep of each representation.
cut_side <- function(side, rows, columns) {
  side$reprs <- Map(cut_representation, side$reprs, list(rows), columns)
  side
}

# For functions that read their data themselves. given: a list of what the user gave, named by the
# arguments: each is a representation, a list of them, or NULL. Returns list(given, rows, columns):
# the same without what is left out, which stimuli are kept (TRUE for all), and which neurons of
# each representation, by the name that messages call it.
without_missing <- function(given, na) {
  na <- check_choice(na, missing_rules, "na")
  if (na == "error") return(list(given = given, rows = TRUE, columns = list()))
  flat <- unlist(unname(Map(function(value, arg) {
    if (is.null(value)) return(list())
    if (!is_collection(value)) return(stats::setNames(list(value), arg))
    names <- if (is.null(names(value))) paste0("[[", seq_along(value), "]]") else
      paste0("$", names(value))
    stats::setNames(value, paste0(arg, names))
  }, given, names(given))), recursive = FALSE)
  reprs <- Map(given_with_holes, flat, names(flat))
  rows <- TRUE
  columns <- lapply(reprs, function(repr) TRUE)
  if (na == "stimuli") {
    counts <- vapply(reprs, function(repr) repr$n, 0L)
    # stimuli that do not match are left to the function, which says so
    if (length(unique(counts)) > 1) return(list(given = given, rows = TRUE, columns = columns))
    # stimuli go by their names before some are left out; that some have none is said by the
    # function, of what is left
    flat <- withCallingHandlers(data_in_order(flat), repalign_one_sided_names = function(m) {
      invokeRestart("muffleMessage")
    })
    reprs <- Map(given_with_holes, flat, names(flat))
    rows <- complete_stimuli(reprs)
  } else {
    columns <- lapply(reprs, function(repr) !missing_neurons(repr))
    note_neurons_left_out(reprs, columns)
  }
  cut <- Map(function(x, columns) {
    if (is_responses(x)) return(cut_responses(x, rows, columns))
    if (length(dim(x)) == 3) return(x[rows, columns, , drop = FALSE])
    kind <- kind_of(x)
    switch(kind, data = x[rows, columns, drop = FALSE],
           dist = if (isTRUE(rows)) x else cut_dist(x, rows),
           graph = whole_graph(list(data = x), rows), no_branch(kind))
  }, flat, columns[names(flat)])
  for (arg in names(given)) {
    if (is.null(given[[arg]])) next
    if (!is_collection(given[[arg]])) given[[arg]] <- cut[[arg]] else {
      of_arg <- startsWith(names(flat), paste0(arg, "$")) |
        startsWith(names(flat), paste0(arg, "[["))
      given[[arg]][] <- unname(cut[of_arg])
    }
  }
  list(given = given, rows = rows, columns = columns)
}

# What missing_stimuli() and missing_neurons() need to know of what a user gave.
given_with_holes <- function(x, arg) {
  if (length(dim(x)) == 3 && dim(x)[3] > 1) {
    values <- if (is_responses(x)) unclass(x)$values else x
    return(list(kind = "data", data = values, holes = missing_in_trials(values),
                n = dim(values)[1], arg = arg))
  }
  kind <- if (is_responses(x)) "data" else kind_of(x)
  data <- switch(kind,
    data = as_numeric_matrix(if (is_responses(x)) as.matrix(x) else x, arg, allow_na = TRUE),
    dist = , graph = x, no_branch(kind)
  )
  list(kind = kind, data = data, n = as.integer(stimulus_count(data)), arg = arg)
}

# A trial that was not recorded lacks for all neurons; these values lack for some of them: stimuli x
# trials x neurons.
partial_trials <- function(values) {
  there <- aperm(!is.na(values), c(1, 3, 2))
  rep(rowSums(there, dims = 2) > 0, dim(values)[2]) & !there
}

missing_in_trials <- function(values) {
  partial <- partial_trials(values)
  list(stimuli = rowSums(partial) > 0 | rowSums(!is.na(values)) == 0,
       neurons = apply(partial, 3, any))
}

# Which stimuli have no missing value in any representation of the call. Stimuli are left out of
# all representations alike, so that every pair is compared over the same ones.
complete_stimuli <- function(reprs) {
  keep <- !Reduce(`|`, lapply(reprs, missing_stimuli))
  # some neurons, which no stimulus could make up for
  for (repr in if (!any(keep)) reprs) {
    if (is.matrix(repr$data) && !all(is.na(repr$data))) {
      refuse_empty_neurons(repr$data, repr$arg, !is.null(repr$responses))
    }
  }
  refuse_if(!any(keep), "nonfinite", "Every stimulus has a missing value somewhere: na = ",
            "\"stimuli\" leaves none",
            if ("neurons" %in% missing_choices() && leaves_some(reprs, missing_neurons)) {
              ". na = \"neurons\" leaves out neurons instead"
            }, ".", arg = "na")
  note <- stimuli_note(keep, first_stimulus_names(reprs))
  if (!is.null(note)) inform("left_out", note)
  keep
}

# Columns of as many neurons may be the same ones.
leaves_some <- function(reprs, missing) {
  lost <- lapply(reprs, missing)
  !any(vapply(split(lost, lengths(lost)), function(same) all(Reduce(`|`, same)), NA))
}

# The remedies of `na`, as far as enough is left. gone: stimuli x neurons.
remedies_by_leaving_out <- function(gone, remedies = c("stimuli", "neurons")) {
  left_out <- function(gone, word, least) {
    if (sum(!gone) >= least) {
      paste0(", na = \"", word, "\" leaves out ", sum(gone), " of ", length(gone), " ", word)
    }
  }
  paste(c("", left_out(rowSums(gone) > 0, "stimuli", 5),
          if ("neurons" %in% remedies) left_out(colSums(gone) > 0, "neurons", 2)), collapse = "")
}

stimuli_note <- function(keep, names) {
  if (all(keep)) return(NULL)
  paste0("Missing values: ", sum(!keep), " of ", length(keep), " stimuli left out (row",
         if (sum(!keep) > 1) "s", " ", enumerate(named_places(which(!keep), names),
                                                     quote = FALSE), ").")
}

# In a representation by distances a stimulus is missing when none of its distances is known. Any
# other missing distance cannot be blamed on one of its two stimuli, and stays an error.
missing_stimuli <- function(repr) {
  if (!is.null(repr$holes)) return(repr$holes$stimuli)
  if (is_absent(repr$data)) return(missing_when_read(repr, "stimuli", repr$n))
  if (repr$kind == "graph" || !anyNA(repr$data)) return(rep(FALSE, repr$n))
  if (repr$kind == "data") return(rowSums(is.na(repr$data)) > 0)
  check_memory(24 * as.double(repr$n)^2, "The distances as a matrix", "Fewer stimuli need less.")
  # the one distance that is always known is that of a stimulus to itself
  rowSums(!is.na(as.matrix(repr$data))) < 2
}

missing_neurons <- function(repr) {
  if (!is.null(repr$holes)) return(repr$holes$neurons)
  if (is_absent(repr$data)) return(missing_when_read(repr, "neurons", ncol(repr$data)))
  if (repr$kind != "data") return(logical())
  if (anyNA(repr$data)) colSums(is.na(repr$data)) > 0 else rep(FALSE, ncol(repr$data))
}

# The same of data that are not held.
missing_when_read <- function(repr, which, count) {
  missing <- unclass(repr$data)$missing
  if (is.null(missing)) return(rep(FALSE, count))
  rows <- unclass(repr$data)[[c(stimuli = "rows", neurons = "columns")[[which]]]]
  if (is.null(rows)) missing[[which]] else missing[[which]][rows]
}

# The missing neurons of each side: those that are missing in any of its representations and, by the
# labels of each measure, those that are missing on the other side. One measure may add neurons that
# matter to another, so that this is repeated until nothing changes.
missing_on_sides <- function(missing, set, one_side) {
  count <- lengths(missing)
  missing <- lapply(missing, function(side) Reduce(`|`, side))
  repeat {
    before <- missing
    for (measure in set) {
      if (one_side) missing[] <- list(missing$x | missing$y)
      labels <- measure$args[c("units_x", "units_y")]
      if (isTRUE(measure$args$shared_neurons)) labels <- lapply(missing, seq_along)
      missing <- spread_by_label(missing, stats::setNames(labels, c("x", "y")))
    }
    if (identical(missing, before)) break
  }
  Map(function(side, times) rep(list(side), times), missing, count)
}

# A label that no side has twice names one neuron: when it is missing on one side, it is left out on
# the other, too. A label of several neurons of a side names a group, whose members are independent.
spread_by_label <- function(missing, labels) {
  labels <- lapply(Filter(Negate(is.null), labels), as.character)
  groups <- unlist(lapply(labels, function(label) unique(label[duplicated(label)])))
  lost <- unlist(Map(function(label, gone) label[gone], labels, missing[names(labels)]))
  lost <- setdiff(lost, groups)
  for (side in names(labels)) missing[[side]] <- missing[[side]] | labels[[side]] %in% lost
  missing
}

# Tells the user which representations lose how many neurons; it is an error when none is left.
note_neurons_left_out <- function(reprs, columns) {
  lost <- vapply(columns, function(keep) sum(!keep), 0L)
  empty <- which(lost > 0 & lost == lengths(columns))
  refuse_if(length(empty), "nonfinite", "Every neuron of `{reprs[[empty[1]]]$arg}` has a missing ",
            "value, there or in another representation with the same neuron: na = \"neurons\" ",
            "leaves none.",
            if (leaves_some(reprs, missing_stimuli)) {
              " na = \"stimuli\" leaves out stimuli instead."
            })
  if (!any(lost > 0)) return(NULL)
  args <- vapply(reprs, function(repr) repr$arg, "")
  each <- paste0(lost, " of ", lengths(columns), " in `", args, "`")
  each <- enumerate(each[lost > 0], quote = FALSE)
  note <- paste0("Missing values: neurons left out, ", each, ".")
  inform("left_out", "{note}")
  note
}

# A representation with missing values could not be checked completely when it was read, so that the
# rest of the checks follows here.
cut_representation <- function(repr, rows, columns) {
  if (!is.null(repr$prepared)) {
    if (all(rows) && all(columns)) return(repr)
    refuse_cut(repr)
  }
  repr$data <- switch(repr$kind,
    data = cut_matrix(repr$data, rows, columns),
    dist = check_dist(cut_dist(repr$data, rows), repr$arg, isTRUE(repr$loose),
                      isTRUE(repr$loose)),
    graph = whole_graph(repr, rows), no_branch(repr$kind)
  )
  if (!is.null(repr$responses)) repr$responses <- cut_responses(repr$responses, rows, columns)
  if (!is.null(repr$columns)) repr$columns <- lapply(repr$columns, `[`, columns)
  if (repr$kind == "data") note_distance_matrix(repr$data, repr$arg)
  repr$n <- stimulus_count(repr$data)
  # those of the whole
  repr$cache$column_stats <- repr$cache$extent <- NULL
  repr
}

# The columns were checked when the data were read, with all rows, and are not checked again.
cut_matrix <- function(x, rows = TRUE, columns = TRUE) mark_checked(x[rows, columns, drop = FALSE])

cut_dist <- function(d, rows) {
  if (all(rows)) return(d)
  n <- attr(d, "Size")
  check_memory(24 * as.double(n)^2, "The distances as a matrix", "Fewer stimuli need less.")
  names <- attr(d, "Labels")
  cut <- stats::as.dist(as.matrix(d)[rows, rows, drop = FALSE])
  attr(cut, "Labels") <- names[rows]
  for (name in c("method", "distance", "transformed")) attr(cut, name) <- attr(d, name)
  cut
}

# A neighbour graph cannot lose a stimulus, because others may have it as a neighbour.
whole_graph <- function(repr, rows) {
  if (all(rows)) return(repr$data)
  refuse("graph", "`{repr$arg}` is a neighbour graph, from which no stimulus can be left out: ",
         "other stimuli have it as a neighbour. Make the graph of the complete stimuli only.")
}

# What the user gave as `permutations` was made for all stimuli; this adapts it to the kept ones.
cut_permutations <- function(permutations, rows) {
  if (all(rows)) return(permutations)
  refuse_if(is.matrix(permutations), "design", "The matrix `permutations` is for all rows, but na ",
            "= \"stimuli\" leaves some out: give a number, or leave out the stimuli yourself.")
  if (!inherits(permutations, "how")) return(permutations)
  require_package("permute", "A permutation design (how)")
  refuse_if(!is.null(permute::getAllperms(permutations)), "design", "`permutations` contains a ",
            "set of permutations of all rows, but na = \"stimuli\" leaves some out: drop this set.")
  check_how_blocks(permutations, length(rows))
  blocks <- permute::getBlocks(permutations)
  if (!is.null(blocks)) {
    blocks <- droplevels(as.factor(unlist(blocks))[rows])
    permutations <- permute::`setBlocks<-`(permutations, blocks)
  }
  plots <- permute::getStrata(permutations, "plots")
  if (is.null(plots)) return(permutations)
  refuse_if(length(plots) != length(rows), "design", "The plots of `permutations` must name each ",
            "of the {length(rows)} rows; they name {length(plots)}.")
  permutations$plots$strata <- droplevels(as.factor(plots)[rows])
  permutations
}

# complete: an opened call or what ready_grid() gives, with the labels of all stimuli and which of
# them are kept.
cut_blocks <- function(blocks, complete) {
  blocks <- in_order_of(blocks, complete$labels, "blocks")
  rows <- complete$rows
  if (is.null(blocks) || all(rows)) return(blocks)
  check_block_labels(blocks, length(rows))[rows, drop = TRUE]
}
