# The stimuli of all that is compared are brought into one order, by their names; and what is said
# of names that come twice.

# The stimuli of all representations of a call must be the same: as many, and where names are
# compared (by_name), of the same names. Returns the representations in one order. Each is looked at
# once, unless there is something to say. reprs: lists with `data` and `arg`.
with_common_stimuli <- function(reprs, by_name = TRUE) {
  given <- reprs
  n <- stimulus_count(reprs[[1]]$data)
  same <- TRUE
  names <- NULL
  unnamed <- 0
  for (repr in reprs) {
    if (stimulus_count(repr$data) != n) refuse_odd_count(reprs, repr)
    own <- if (by_name) stimulus_names(repr$data)
    if (is.null(own)) unnamed <- unnamed + 1
    else if (is.null(names)) names <- own
    else same <- same && identical(own, names)
  }
  if (!same) {
    refuse_prepared_stimuli(reprs)
    all <- lapply(reprs, function(repr) stimulus_names(repr$data))
    args <- vapply(reprs, function(repr) repr$arg, "")
    at <- places_in_order(all, args, function(i, k) {
      # the first may be the one to blame
      named <- which(lengths(all) > 0)
      odd <- odd_one(vapply(all[named], function(names) paste(sort(names), collapse = "\r"), ""))
      of <- if (identical(named[odd], i)) c(k, i) else c(i, k)
      refuse_other_names(reprs[[of[1]]], reprs[[of[2]]])
    })
    reprs <- Map(reordered_representation, reprs, at)
  }
  if (unnamed > 0 && !is.null(names)) note_one_sided_names(given)
  if (by_name) note_row_numbers(given)
  judge_doubtful_columns(reprs)
  reprs
}

# at: from places_in_order().
reordered_representation <- function(repr, at) {
  if (is.null(at)) return(repr)
  repr$data <- reordered_data(repr$data, at)
  if (!is.null(repr$responses)) repr$responses <- reordered_data(repr$responses, at)
  # sums over the rows are rounded otherwise in another order
  if (!is.null(repr$cache)) repr$cache$column_stats <- NULL
  repr
}

reordered_data <- function(x, at) {
  if (is_responses(x)) return(part_of_responses(x, at, seq_len(dim(x)[2])))
  if (length(dim(x)) == 3) return(x[at, , , drop = FALSE])
  kind <- kind_of(x)
  switch(kind, dist = reordered_dist(x, at), graph = relabel_graph(x, at), data = {
    part <- x[at, , drop = FALSE]
    if (columns_are_checked(x)) mark_checked(part) else part
  }, no_branch(kind))
}

# Data as they were given, in one order: a list with the names that messages call them by. What is
# no data at all is refused by those who read it.
data_in_order <- function(data) {
  readable <- vapply(data, function(x) length(dim(x)) %in% 2:3 || kind_of(x) != "data", NA)
  if (!all(readable)) return(data)
  reprs <- Map(function(x, arg) list(data = x, arg = arg), data, names(data))
  lapply(with_common_stimuli(reprs), function(repr) repr$data)
}

# Of three values or more, the place of the only one that differs from all others, or NULL.
odd_one <- function(values) {
  odd <- which(values != names(which.max(table(values))))
  if (length(values) > 2 && length(odd) == 1) odd
}

# One of three or more that alone has another number of stimuli is to blame.
refuse_odd_count <- function(reprs, repr) {
  # What has each stimulus once stands beside what has the same stimuli several times: conditions,
  # or responses with trials, beside rows that were not declared to be repeats.
  names <- lapply(reprs, function(one) stimulus_names(one$data))
  repeated <- vapply(names, anyDuplicated, 0L) > 0
  for (at in which(repeated)) {
    once <- vapply(names[!repeated], setequal, NA, names[[at]])
    if (any(once)) refuse_repeated_names(names[[at]], reprs[[at]])
  }
  counts <- vapply(reprs, function(one) as.double(stimulus_count(one$data)), 0)
  odd <- odd_one(counts)
  prepared <- any(vapply(reprs, function(one) !is.null(one$prepared), NA))
  refuse_if(!is.null(odd) && !prepared, "rows", "`{reprs[[odd]]$arg}` has ",
            "{count_of(counts[odd], 'row')}, and the others have {counts[-odd][1]}",
            "{same_stimuli_advice(reprs, 'all')}{odd_one_hint(reprs, odd)}")
  one <- reprs[[1]]
  if (!is.null(one$prepared) || !is.null(repr$prepared)) {
    of <- if (is.null(one$prepared)) list(repr, one) else list(one, repr)
    refuse_prepared(of[[1]]$arg, "was prepared for ", of[[1]]$n, " stimuli, but `", of[[2]]$arg,
                    "` has ", of[[2]]$n, ".")
  }
  refuse("rows", "`{one$arg}` has {count_of(stimulus_count(one$data), 'row')} and `{repr$arg}` ",
         "has {stimulus_count(repr$data)}", same_stimuli_advice(list(one, repr), "both"),
         transposed_hint(one, repr), arg = repr$arg)
}

# Of several layers that are as wide, one with other rows lacks some; but where it stands alone on
# its side of the call, the columns of all may be the stimuli.
odd_one_hint <- function(reprs, odd) {
  blamed <- reprs[[odd]]
  others <- reprs[-odd]
  columns <- lapply(reprs, function(repr) ncol(repr$data))
  if (!identical(columns[[odd]], columns[-odd][[1]])) return(transposed_hint(blamed, others[[1]]))
  alone <- !any(vapply(others, function(repr) identical(repr$side, blamed$side), NA))
  named <- share_names(blamed$data, others[[1]]$data)
  if (alone && !named && length(unique(columns)) == 1 && !is.null(columns[[1]])) {
    paste0(" All have ", columns[[1]], " columns: if these are the stimuli, all are transposed; ",
           "give t() of each.")
  }
}

same_stimuli_advice <- function(reprs, all) {
  named <- vapply(reprs, function(repr) !is.null(stimulus_names(repr$data)), NA)
  paste0(": the rows must be the same stimuli. match_rows() keeps those that ", all, " have, by ",
         "name", if (!all(named)) paste0(": give row names to ", all), ".")
}

refuse_other_names <- function(one, other) {
  for (repr in list(one, other)) {
    names <- stimulus_names(repr$data)
    refuse_if(anyDuplicated(names), "repeats", "`{repr$arg}` has the name ",
              "{quoted(names[anyDuplicated(names)])} more than once, and `{one$arg}` and ",
              "`{other$arg}` do not have the same names: give different stimuli different names, ",
              "and both sides the same ones.", arg = repr$arg)
  }
  refuse("rows",
         names_differ(one$arg, other$arg, stimulus_names(one$data), stimulus_names(other$data)),
         if (!"dist" %in% c(kind_of(one$data), kind_of(other$data)))
           "match_rows() keeps the stimuli that both have" else
             "keep the stimuli that both have (of a \"dist\" object by subset() of as_rdm())",
         "; or remove the row names when the rows do correspond.{transposed_hint(one, other)}",
         arg = other$arg)
}

# ---- pairs

# A pair of representations whose stimuli were not compared yet.
as_pair <- function(rx, ry) {
  reprs <- with_common_stimuli(list(rx, ry))
  refuse_repeats(reprs)
  pair_of(reprs[[1]], reprs[[2]])
}

missing_side <- function(x_missing) {
  refuse("type", "Two representations are needed, `x` and `y`; for all pairs of a list use ",
         "similarity().", arg = if (x_missing) "x" else "y")
}

# ---- names that come twice

# A name that comes twice is a stimulus that was shown twice. Its rows depend on each other, so that
# scores, intervals and tests take them only where clusters say so.

# reprs: lists with `data` and `arg`; codes: of the clusters of their stimuli, or NULL.
refuse_repeats <- function(reprs, codes = NULL, of_measure = FALSE) {
  for (repr in reprs) {
    names <- stimulus_names(repr$data)
    if (is.null(names) || !anyDuplicated(names) || in_common_clusters(names, codes)) next
    refuse_repeated_names(names, if (is.null(repr$whole)) repr else repr$whole,
                          of_measure = of_measure)
  }
}

# Do equal names share a cluster?
in_common_clusters <- function(names, codes) {
  length(codes) == length(names) && identical(codes[match(names, names)], as.vector(codes))
}

# The same for the labels of RDMs that are in one order.
refuse_repeated_labels <- function(labels, arg, codes = NULL) {
  if (!anyDuplicated(labels) || in_common_clusters(labels, codes)) return(invisible())
  refuse_repeated_names(labels, list(data = structure(list(), class = "dist"), arg = arg))
}

# The same for a call of measures, each of which may have clusters of its own.
refuse_repeats_of <- function(reprs, set, clusters, own_clusters) {
  repeated <- Filter(function(repr) anyDuplicated(stimulus_names(repr$data)), reprs)
  if (!length(repeated)) return(invisible())
  of_measure <- own_clusters && all(vapply(set, takes_clusters, NA))
  if (!is.null(clusters)) return(refuse_repeats(repeated, clusters, of_measure))
  for (measure in set) refuse_repeats(repeated, measure$args$clusters, of_measure)
}

# What works depends on the data, and on the function that the user called. repr: list(data, arg),
# of representations also responses; declared: the responses object to give in the place of the
# data, as code, where the function needs another one than responses(x); of_measure: do measures
# take clusters where the function does not?
refuse_repeated_names <- function(names, repr, declared = NULL, of_measure = FALSE) {
  arg <- repr$arg
  twice <- names[duplicated(names)][1]
  rdm <- kind_of(repr$data) != "data"
  trials <- !is.null(repr$responses) || length(dim(repr$data)) == 3
  as_repeats <- if (rdm) {
    paste("If it is of a stimulus that was shown more than once, make an RDM of conditions by",
          "rdm(), which takes rows of one name as repeats")
  } else if (trials) {
    # the code that puts the trials of rows with equal names together, of an array or responses
    paste0("If equal names are one stimulus, give responses(apply(as.array(", arg, "), 2, c), ",
           "rep(rownames(", arg, "), dim(", arg, ")[3])), in which all of its trials stand ",
           "together")
  } else {
    if (is.null(declared)) declared <- paste0("responses(", arg, ")")
    paste0("If rows are trials of one stimulus, give ", declared, ", which reads them as such")
  }
  clusters <- if (rdm) paste0("labels(", arg, ")") else paste0("rownames(", arg, ")")
  refuse("repeats", "`{arg}` has the name {quoted(twice)} more than once. {as_repeats}",
         if (offers_argument("clusters")) paste0(", or clusters = ", clusters) else
           if (of_measure) paste0(", or clusters = ", clusters, " in measure()"),
         "; if these are different stimuli, give them different names.")
}

# For functions that take matrices alone. where: words that say where means are taken.
refuse_repeated_rows <- function(x, arg, where) {
  names <- rownames(x)
  twice <- names[duplicated(names)]
  refuse_if(length(twice), "repeats", "`{arg}` has the name {quoted(twice[1])} more than once. If ",
            "rows are repeats of one stimulus, take their means {where}, as by ",
            "as.matrix(responses(x)); if they are different stimuli, give them different names.")
}
