# The class of all results: how a class of results is declared, and what all of them have in common.

# A result is a data frame of the class "repalign_result". What is known of its columns, of what
# names a row, and of what is kept beside the rows stands in one declaration per class, beside the
# methods of that class. Printing, cutting, binding, tidying and plotting read the declaration and
# are written once, for "repalign_result".

result_classes <- new.env(parent = emptyenv())

# Declares a class of results.
#
# class     the name of the class
# from      help pages of the functions that return it, whose value section names all columns
# words     what several of them are called in messages, such as "similarities"
# columns   the table of columns, see described_columns()
# kept      what is kept beside the rows, as attributes that hold for all rows together or name the
#           rows that they are about (never by their numbers, so that rows may be cut, ordered and
#           bound): a named list of functions, each of which makes the value of a bound result from
#           the list of the values of its parts (NULL where a part has lost it). all_alike() is the
#           function for what must be the same in all parts
# cut       a function(object, kept) that leaves out of `kept` what belongs to rows that were taken
#           out, before results are bound
# digits    how many digits print() shows
# heading   a function(x, digits): the lines that are printed above the rows
# shown     a function(x): the rows that are printed: some of the columns, or their contents in
#           words
# footing   a function(x, digits): the lines below the rows
# term      a function(rows): the column `term` of tidy(), where no column is called so
# bare      may its rows be bound with plain data frames of the same columns?
# sentence  a function(x): what in_words() tells of the rows; NULL where there is nothing to tell
# interval  a function(x, method, conf_level): what score_interval() makes of the result; NULL where
#           it needs the data
# glance    a function(x): the columns of glance(), a list, of the rows of one source; NULL: rows
#           are counted
# limits    a function(x, level): the limits that confint() gives, a matrix of two columns, with
#           their names as names of rows; NULL where limits are columns, known at one level
# parent    a class whose methods serve for this one, too, or NULL
declare_result <- function(class, from, words, columns, kept = list(), cut = function(x, kept) kept,
                           digits = 4, heading = function(x, digits) NULL,
                           shown = function(x) x, footing = function(x, digits) NULL,
                           term = NULL, bare = !length(kept), sentence = NULL, interval = NULL,
                           glance = NULL, limits = NULL, parent = NULL) {
  stopifnot(!anyDuplicated(columns$name), is.list(kept), length(kept) == length(names(kept)))
  result_classes[[class]] <- as.list(environment())
}

# The table of columns, with one line for each:
#
# name      of the column
# what      it holds, in words
# key       does it belong to the name of a row? (A result that is always one row has no name.)
# shown     its rank among the columns that are printed after those that name a row; NA: only if
#           there is room. The column of rank 1 is printed at any width, and names are shortened for
#           those up to rank 4
# tidy      its name in tidy(), which is its role for confint() and glance(), too; NA: tidy() leaves
#           it out
# always    does every result of the class have it?
described_columns <- function(...) do.call(rbind, list(...))

# What columns of these names are called in tidy().
tidy_names <- c(score = "estimate", difference = "estimate", se = "std.error",
                conf_low = "conf.low", conf_high = "conf.high", p_value = "p.value",
                p_adjusted = "adj.p.value")

#' A line of the table of columns
#'
#' @return a data frame of one row, for described_columns(), which says what the arguments mean.
#' @noRd
column <- function(name, what, key = FALSE, shown = NA, always = TRUE,
                   tidy = if (name %in% names(tidy_names)) tidy_names[[name]] else name) {
  data.frame(name = name, what = what, key = key, shown = as.double(shown),
             tidy = as.character(tidy), always = always)
}

# The columns that name the two sides of a comparison.
side_columns <- function() {
  described_columns(
    column("model_x", "the model that x belongs to", key = TRUE, always = FALSE),
    column("model_y", "the model that y belongs to", key = TRUE, always = FALSE),
    column("x", "the name of the first side", key = TRUE),
    column("y", "the name of the second side", key = TRUE)
  )
}

# The declared class of an object; NA for a plain data frame.
result_kind <- function(object) {
  c(Filter(function(class) !is.null(result_classes[[class]]), class(object)), NA_character_)[1]
}

declaration_of <- function(object) result_classes[[result_kind(object)]]

# Plain data frames are taken for calibrations, whose columns include those of similarities.
columns_of <- function(object) {
  kind <- result_kind(object)
  result_classes[[if (is.na(kind)) "repalign_calibration" else kind]]$columns
}

# The columns of an object that name its rows.
key_columns <- function(object) {
  columns <- columns_of(object)
  intersect(columns$name[columns$key], names(object))
}

#' A result of a declared class
#'
#' @param rows a data frame with the columns of the class, in their order
#' @param class a name that declare_result() knows
#' @param kept what is kept beside the rows: a list with the names that the declaration has
#' @return the rows, of the classes `class` and "repalign_result".
#' @noRd
new_result <- function(rows, class, kept = list()) {
  rows <- with_kept(rows, kept)
  class(rows) <- c(class, result_classes[[class]]$parent, "repalign_result", "data.frame")
  rows
}

# ---- kept beside rows

kept_beside_rows <- function(object) {
  names <- names(declaration_of(object)$kept)
  stats::setNames(lapply(names, function(name) attr(object, name, exact = TRUE)), names)
}

with_kept <- function(rows, kept) {
  for (name in names(kept)) attr(rows, name) <- kept[[name]]
  rows
}

# What the function `maker` keeps beside the rows of its result, as an attribute, which operations
# that make a new data frame may lose.
need_kept <- function(x, what, maker, arg = "x") {
  kept <- attr(x, what, exact = TRUE)
  if (!is.null(kept)) return(kept)
  refuse("type", "This result has lost what is kept beside its rows: start again from what ",
         "{maker} returned, or use as.data.frame() of it.", arg = arg)
}

# A part of a result keeps everything that is known of the whole.
#' @export
`[.repalign_result` <- function(x, ...) {
  part <- NextMethod()
  if (is.data.frame(part)) with_kept(part, kept_beside_rows(x)) else part
}

#' @rdname tidy.repalign
#' @param row.names,optional unused.
#' @export
as.data.frame.repalign_result <- function(x, row.names = NULL, optional = FALSE, ...) {
  for (name in names(declaration_of(x)$kept)) attr(x, name) <- NULL
  class(x) <- "data.frame"
  x
}

#' @importFrom utils head
#' @export
head.repalign_result <- function(x, n = 6L, ...) {
  no_other_arguments(...)
  check_row_count(n)
  NextMethod()
}

#' @importFrom utils tail
#' @export
tail.repalign_result <- function(x, n = 6L, ...) {
  no_other_arguments(...)
  check_row_count(n)
  NextMethod()
}

# most: how many dimensions an object has, for each of which there may be a number.
check_row_count <- function(n, most = 2) {
  refuse_if(!is.numeric(n) || !length(n) %in% seq_len(most) || all(is.na(n)), "value", "`n` must ",
            "be a number of rows, not ", if (is.character(n)) quoted(n[1]) else describe(n), ".")
}

# ---- results without errors

# What asks for standard errors says which function has them.

#' @export
vcov.repalign_result <- function(object, ...) refuse_without_errors(object, "object")

refuse_without_errors <- function(object, arg) {
  refuse("type", "`{arg}` is what {maker_of(object)} returned, which has no covariances: ",
         "{where_errors_are(object)}.")
}

# The function that made a result, in words. Where two functions make a class, its columns tell.
maker_of <- function(object) {
  from <- declaration_of(object)$from
  second <- c("in_sample", "estimator") %in% names(object)
  if (length(from) == 2 && inherits(object, c("repalign_similarity", "repalign_interval"))) {
    from <- from[1 + any(second)]
  }
  if (length(from) < 3) paste0(from, "()", collapse = " or ") else
    paste("one of the", declaration_of(object)$words)
}

# The functions whose results can be compared.
comparable_makers <- "score_interval(), evaluate_models() or evaluate_rdms()"

# Which function gives scores with the errors by which they can be compared.
where_errors_are <- function(object) {
  kind <- result_kind(object)
  if (!is.null(object$in_sample)) {
    return(paste("held-out scores have no errors; `sd_folds` is their spread over folds, and",
                 "`permutations` of held_out() tests them"))
  }
  interval <- "score_interval() of the same representations and measure has them"
  switch(kind,
    repalign_similarity = , repalign_calibration = , repalign_benchmark = ,
    repalign_dimension = , repalign_stream = interval,
    repalign_encoding = "score_interval() of it has them",
    repalign_parts = "compare_scores() takes its rows",
    repalign_interval = paste0("score_interval(x, list(a = , b = ), measure(\"cka\", estimator = ",
                               "\"stimulus\")) has scores that can be compared"),
    repalign_ceiling = paste0("score_interval(trials, y, measure(\"cka\", estimator = ",
                              "\"stimulus_neuron_trial\")) has scores without noise"),
    repalign_analysis = , repalign_summary =
      paste0("score_interval(x, y, measure(\"cka\", estimator = \"stimulus_neuron\")) of the same ",
             "data has them"),
    repalign_subject_ceiling = , repalign_rdm_rows = , repalign_regression = ,
    repalign_regression_group =
      "evaluate_rdms(rdms, models) compares models of the same RDMs",
    repalign_sessions = paste("compare_scores() compares scores at different lags, and summary()",
                              "has their slope"),
    repalign_consensus = "its columns have those of single scores",
    repalign_searchlight = "score_interval() of the channels of a centre has them",
    repalign_map_test = "its column `std_error` has those of single places",
    repalign_comparison = , repalign_best = , repalign_best_comparison =
      paste("give the result of", comparable_makers, "that it was made of"),
    repalign_ranks = , repalign_plan = , repalign_predicted_bias = , repalign_ratio_bias = ,
    repalign_measures = , repalign_contributions =
      "scores with errors are what score_interval() returns",
    no_branch(kind)
  )
}

# ---- how kept values are bound

# What several parts do not have in common, which bound_kept() refuses.
unlike_parts <- structure(list(), class = "repalign_unlike")

# For what must be the same in all parts, so that one value holds for all rows.
all_alike <- function(values) if (length(unique(values)) > 1) unlike_parts else values[[1]]

any_true <- function(values) any(vapply(values, isTRUE, NA))

every_true <- function(values) all(vapply(values, isTRUE, NA))

forgotten <- function(values) NULL

# For a list of parts of which each is named by what it holds: every part once.
each_once <- function(values) unique(unlist(values, recursive = FALSE))

# Values named by measures: whether each is a similarity or a distance must agree.
same_directions <- function(values) {
  if (is.null(unlist(values))) return(NULL)
  direction <- split_by_name(unlist(values))
  unlike <- names(direction)[vapply(direction, function(d) length(unique(d)) > 1, NA)]
  refuse_if(length(unlike), "value", "The measure {quoted(unlike[1])} is a similarity in ",
            "one result and a distance in another: give them different labels.", arg = "...")
  vapply(direction, function(d) d[[1]], "")
}

true_by_name <- function(values) vapply(split_by_name(unlist(values)), all, NA)

# The value of each name; NA for a name with different values.
common_by_name <- function(values) {
  values <- unlist(values)
  if (is.null(values)) return(NULL)
  found <- values[!duplicated(names(values))]
  unlike <- vapply(names(found), function(name) {
    length(unique(values[names(values) == name])) > 1
  }, NA)
  found[unlike] <- NA
  found
}

split_by_name <- function(values) {
  if (is.null(values)) return(list())
  split(unname(values), factor(names(values), unique(names(values))))
}

# The level of confidence of bound results, which must be the same, because it is one attribute.
one_level <- function(values) {
  levels <- unique(unlist(values))
  refuse_if(length(levels) > 1, "value", "Results with different `conf_level` ",
            "({format(levels[1])} and {format(levels[2])}) cannot be put into one table, because ",
            "`conf_low` and `conf_high` would mean different things. Use the same `conf_level`, ",
            "or bind as.data.frame() of each.")
  levels
}

# ---- columns

# The columns that say which of several bound results a row is from. These are all further columns
# that hold words, such as the `.id` of dplyr::bind_rows(), and other further columns as long as
# there are rows that cannot be told apart without them.
source_columns <- function(object) {
  rows <- as.data.frame(object)
  key <- key_columns(object)
  others <- setdiff(names(rows), columns_of(object)$name)
  words <- vapply(rows[others], function(column) is.character(column) || is.factor(column), NA)
  sources <- others[words]
  for (column in others[!words]) {
    if (!anyDuplicated(rows[c(key, sources)])) break
    if (is.atomic(rows[[column]])) sources <- c(sources, column)
  }
  sources
}

# The columns that name the tests of benchmarks.
usual_labels <- c("dataset", "architecture", "test")

test_columns <- function(rows) intersect(usual_labels, names(rows))

# What tells rows apart by all words and digits in some of their columns.
row_identities <- function(rows, columns) {
  values <- lapply(unname(unclass(rows)[columns]), function(column) {
    # %a writes all digits
    if (is.double(column)) sprintf("%a", column) else as.character(column)
  })
  do.call(paste, c(values, sep = "\r"))
}

# The name of the source of each row: its source columns pasted together.
source_names <- function(rows, sources) {
  if (!length(sources)) return(rep("", nrow(rows)))
  do.call(paste, c(lapply(unname(rows[sources]), as.character), sep = " | "))
}

# The different values in the order of the levels, or without levels in order of appearance.
label_levels <- function(column) {
  if (is.factor(column)) intersect(levels(column), as.character(column)) else
    as.character(unique(column))
}

names_or_empty <- function(x) if (is.null(names(x))) rep("", length(x)) else names(x)

# The settings that a calibration was made with. They are an attribute, which operations that make a
# new data frame may lose.
settings_of <- function(calibration) {
  settings <- attr(calibration, "settings")
  refuse_if(is.null(settings), "type", "This calibration has lost what is kept beside its rows ",
            "(its null scores, `alpha` and `variant`): start again from what calibrate() ",
            "returned, or use as.data.frame() of it.", arg = "calibration")
  settings
}

# Returns list(within, symmetric, aggregate): whether a list was compared with itself, which
# measures are symmetric, and whether the rows are aggregates over layers.
grid_of <- function(result) {
  known <- if (inherits(result, "repalign_calibration")) attr(result, "grid") else
    list(within = attr(result, "within"), symmetric = attr(result, "symmetric"))
  list(within = isTRUE(known$within), symmetric = known$symmetric,
       aggregate = isTRUE(known$aggregate))
}

# 1 for similarities and -1 for distances, of the labels of measures.
signs_of <- function(result, measure) {
  direction <- attr(result, "direction")
  known <- if (is.null(direction)) rep(NA, length(measure)) else direction[measure]
  refuse_if(anyNA(known), "rows", "`result` no longer says whether larger or smaller scores of ",
            "{quoted(measure[is.na(known)][1])} are better: start again from what ",
            "score_interval() returned.")
  unname(ifelse(known == "distance", -1, 1))
}

# The names of the representations of a side, with their models where there are any.
full_names <- function(rows, side) {
  model <- rows[[paste0("model_", side)]]
  name <- as.character(rows[[side]])
  if (is.null(model)) name else paste(model, name, sep = "/")
}

# Rows that were chosen by an index that is NA are NA as a whole, and say of nothing what it is.
refuse_nameless_rows <- function(rows, arg) {
  for (column in intersect(c("measure", "model", "term", "metric"), names(rows))) {
    lost <- which(is.na(rows[[column]]))
    refuse_if(length(lost), "rows", "`{arg}` has rows without a {column} (NA), first row ",
              "{lost[1]}: leave them out, as in {arg}[!is.na({arg}${column}), ].")
  }
  invisible(rows)
}

# Groups of rows with equal values in the columns, as a list of row numbers. The groups are in the
# order of the levels, or without levels in order of appearance.
row_groups <- function(rows, columns) {
  ranks <- lapply(unname(columns), function(column) {
    match(as.character(rows[[column]]), label_levels(rows[[column]]))
  })
  key <- do.call(paste, ranks)
  split(seq_len(nrow(rows)), factor(key, unique(key[do.call(order, ranks)])))
}
