# Results can be cut into parts and bound together, also by functions that use vctrs.

# ---- bind

# Results can be cut into parts and bound together; what they keep beside their rows follows here.

# A part of a result keeps everything that is known of the whole.
part_of <- function(part, whole) {
  if (is.data.frame(part)) with_kept(part, kept_beside_rows(whole)) else part
}

#' @export
`[.repalign_similarity` <- function(x, ...) part_of(NextMethod(), x)

#' @export
`[.repalign_calibration` <- function(x, ...) part_of(NextMethod(), x)

#' @export
`[.repalign_analysis` <- function(x, ...) part_of(NextMethod(), x)

#' @export
`[.repalign_interval` <- function(x, ...) part_of(NextMethod(), x)

#' @export
`[.repalign_benchmark` <- function(x, ...) part_of(NextMethod(), x)

#' @export
`[.repalign_score_interval` <- function(x, ...) part_of(NextMethod(), x)

# What the function `maker` keeps beside the rows of its result, as an attribute, which operations
# that make a new data frame may lose.
need_kept <- function(x, what, maker, arg = "x") {
  kept <- attr(x, what, exact = TRUE)
  if (!is.null(kept)) return(kept)
  abort("This result has lost what is kept beside its rows: start again from what ", maker,
        " returned, or use as.data.frame() of it.", class = "repalign_error_type", arg = arg)
}

plain_rows <- function(x) {
  for (name in c(kept_attributes[[result_kind(x)]], "left_out")) attr(x, name) <- NULL
  class(x) <- "data.frame"
  x
}

#' @rdname tidy.repalign
#' @export
as.data.frame.repalign_similarity <- function(x, ...) plain_rows(x)

#' @rdname tidy.repalign
#' @export
as.data.frame.repalign_calibration <- function(x, ...) plain_rows(x)

#' @rdname tidy.repalign
#' @export
as.data.frame.repalign_analysis <- function(x, ...) plain_rows(x)

#' @rdname tidy.repalign
#' @export
as.data.frame.repalign_interval <- function(x, ...) plain_rows(x)

#' @rdname tidy.repalign
#' @export
as.data.frame.repalign_benchmark <- function(x, ...) plain_rows(x)

#' @rdname tidy.repalign
#' @export
as.data.frame.repalign_score_interval <- function(x, ...) plain_rows(x)

#' Put results together
#'
#' `rbind()` puts several results of [similarity()], of [calibrate()], of the analyses, of
#' [cka_interval()] or of the benchmarks into one table. Names given to the results tell their rows
#' apart.
#'
#' @param ... results of one kind, with the same columns. If all of them have names, as in
#'   `rbind(day1 = a, day2 = b)` or `do.call(rbind, named_list)`, the names, which must differ,
#'   become a new first column `source`. (If a result already has a column `source`, that column
#'   is kept, and the new one is called `source_2`.) It is an error to name only some of them.
#' @param deparse.level not used.
#' @return A result of the same kind. If there is a new column `source`, the rows are numbered
#'   anew.
#' @details
#' `dplyr::bind_rows()` and `purrr::map_dfr()` work in the same way; their argument `.id` names
#' the new column. Null scores stay with their rows, so that [null_scores()] of the table has
#' those of each row. Plots and summaries show the results separately, and [score_matrix()] needs
#' the rows of one result.
#'
#' A column must have one meaning in all rows. It is therefore an error to put together
#' calibrations with different `alpha`, `variant`, `aggregate` or `p_adjust`, results with
#' different `conf_level`, or anything that is not a result of the same kind.
#' `as.data.frame()` of each result gives plain tables, which can be put together without such
#' checks, but have no null scores. P-values are not adjusted again.
#'
#' [merge()] gives a plain data frame, while the result of `dplyr::left_join()` is of the same
#' kind as its first argument.
#' @examples
#' # responses of V4 and of one layer: 100 images, and another 100
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)
#' one <- 1:100
#' two <- 101:200
#' set.seed(1)
#' both <- rbind(
#'   first = calibrate(v4[one, ], v4_layers$L2[one, ], permutations = 199),
#'   second = calibrate(v4[two, ], v4_layers$L2[two, ], permutations = 199)
#' )
#' both
#' apply(null_scores(both), 2, max)
#' score_matrix(both[both$source == "first", ])
#' @seealso [similarity()], [calibrate()], [brain_to_brain()], [cka_interval()]
#' @name rbind.repalign
NULL

#' @rdname rbind.repalign
#' @export
rbind.repalign_similarity <- function(..., deparse.level = 1) bind_results(list(...))

#' @rdname rbind.repalign
#' @export
rbind.repalign_calibration <- function(..., deparse.level = 1) bind_results(list(...))

#' @rdname rbind.repalign
#' @export
rbind.repalign_analysis <- function(..., deparse.level = 1) bind_results(list(...))

#' @rdname rbind.repalign
#' @export
rbind.repalign_interval <- function(..., deparse.level = 1) bind_results(list(...))

#' @rdname rbind.repalign
#' @export
rbind.repalign_benchmark <- function(..., deparse.level = 1) bind_results(list(...))

#' @rdname rbind.repalign
#' @export
rbind.repalign_score_interval <- function(..., deparse.level = 1) bind_results(list(...))

bind_results <- function(arguments) {
  # these arguments are for the method for data frames
  options <- names_or_empty(arguments) %in% c("make.row.names", "stringsAsFactors",
                                              "factor.exclude")
  # loops often start with an empty data frame
  parts <- Filter(function(part) !is.null(part) && !(is.data.frame(part) && !length(part)),
                  arguments[!options])
  if (!length(parts)) return(Find(is.data.frame, arguments))
  kind <- stats::na.omit(vapply(parts, result_kind, ""))[[1]]
  check_bound_kind(parts, kind)
  check_bound_columns(lapply(parts, names), kind)
  kept <- bound_attributes(lapply(unname(parts), kept_for_rows), kind)
  plain <- lapply(parts, as.data.frame)
  if (all_are_named(parts)) plain <- with_sources(plain)
  rows <- do.call(rbind, c(plain, arguments[options]))
  structure(with_kept(rows, kept), class = c(kind, "data.frame"))
}

# Do all parts have names? It is an error if only some have.
all_are_named <- function(parts) {
  named <- names_or_empty(parts) != ""
  if (any(named) && !all(named)) {
    abort("Only some of the results have names (", enumerate(names(parts)[named]), "): name all ",
          "of them, as in rbind(day1 = a, day2 = b), or none.", class = "repalign_error_value",
          arg = "...")
  }
  all(named)
}

# Puts the names of the parts into a first column, which tells the rows of the parts apart.
with_sources <- function(parts) {
  twice <- anyDuplicated(names(parts))
  if (twice) {
    abort("The name ", dQuote(names(parts)[twice], FALSE), " is given twice: the names become the ",
          "column `source` and tell the results apart. Use different names, or none.",
          class = "repalign_error_value", arg = "...")
  }
  column <- free_name("source", unlist(lapply(parts, names)))
  unname(Map(function(rows, name) {
    rownames(rows) <- NULL
    cbind(stats::setNames(data.frame(rep(name, nrow(rows))), column), rows)
  }, parts, names(parts)))
}

refuse_other_kinds <- function(kind) {
  words <- kind_words[[kind]]
  abort("Only ", words, " can be put into one table with ", words, ": to bind anything else, use ",
        "as.data.frame() of each.", class = "repalign_error_type", arg = "...")
}

check_bound_kind <- function(parts, kind) {
  if (!all(vapply(parts, inherits, NA, kind))) refuse_other_kinds(kind)
}

check_bound_columns <- function(columns, kind) {
  other <- Find(function(names) !setequal(names, columns[[1]]), columns)
  if (is.null(other)) return(invisible())
  extra <- c(setdiff(columns[[1]], other), setdiff(other, columns[[1]]))
  abort("Results with different columns cannot be put into one table: ",
        enumerate(extra), " ", if (length(extra) > 1) "are" else "is", " not in all of them. Make ",
        "all of them in the same way",
        if (!kind %in% c("repalign_interval", "repalign_benchmark")) ", with or without models",
        if (kind == "repalign_calibration") " and `p_adjust`", ", and keep their columns.",
        class = "repalign_error_value", arg = "...")
}

# What a part keeps beside its rows, without the null scores of rows that were taken out.
kept_for_rows <- function(object) {
  kept <- kept_beside_rows(object)
  if (inherits(object, "repalign_calibration")) {
    kept$null_scores <- null_scores_within(object, kept$null_scores)
  }
  kept
}

# Merges what the parts keep beside their rows: `kept` is a list of it, with one element a part.
bound_attributes <- function(kept, kind) {
  all_of <- function(name) Filter(Negate(is.null), lapply(kept, function(part) part[[name]]))
  switch(kind,
    repalign_similarity = bound_similarities(kept, all_of),
    repalign_calibration = bound_calibrations(kept, all_of),
    repalign_analysis = list(parts = bound_analyses(all_of("parts"))),
    repalign_interval = list(conf_level = one_level(unlist(all_of("conf_level")))),
    repalign_benchmark = list(scores = bound_scores(all_of("scores"))),
    repalign_score_interval = bound_score_intervals(kept, all_of)
  )
}

# Rows of one call keep one entry of its deletions.
bound_score_intervals <- function(kept, all_of) {
  facts <- bound_facts(all_of)
  calls <- unlist(all_of("deletions"), recursive = FALSE)
  list(conf_level = one_level(unlist(all_of("conf_level"))), deletions = unique(calls),
       direction = facts$direction, best = facts$best)
}

bound_similarities <- function(kept, all_of) {
  within <- vapply(kept, function(part) isTRUE(part$within), NA)
  c(list(within = all(within),
         symmetric = vapply(split_by_name(unlist(all_of("symmetric"))), all, NA)),
    bound_facts(all_of))
}

bound_facts <- function(all_of) {
  direction <- split_by_name(unlist(all_of("direction")))
  unlike <- names(direction)[vapply(direction, function(d) length(unique(d)) > 1, NA)]
  if (length(unlike)) {
    abort("The measure ", dQuote(unlike[1], FALSE), " is a similarity in one result and a ",
          "distance in another: give them different labels.", class = "repalign_error_value",
          arg = "...")
  }
  list(direction = vapply(direction, function(d) d[[1]], ""),
       best = common_by_name(unlist(all_of("best"))))
}

# ---- bind vctrs

# These methods bind results by dplyr::bind_rows(), purrr::map_dfr() and other functions that use
# vctrs. They are registered when vctrs or dplyr is loaded.

# vctrs gives a bound result the attributes of the common type of its parts, so common_type() merges
# what the parts keep beside their rows. But dplyr::bind_rows() then replaces these attributes by
# those of its first argument. Therefore what was merged last is remembered here until dplyr asks
# for it: `merged` is what was merged, `first` is what the first argument kept, and `verb` is the
# frame of the dplyr function, because no other call may take it.
last_bound <- new.env(parent = emptyenv())

# The frame of the dplyr function that called vctrs; NULL if it was not called by dplyr.
calling_verb <- function() {
  package_of <- function(at) environmentName(topenv(environment(sys.function(at))))
  at <- sys.nframe()
  while (at > 0 && package_of(at) %in% c("repalign", "vctrs")) at <- at - 1
  parent <- sys.parents()[at + 1]
  if (parent > 0 && package_of(parent) == "dplyr") sys.frame(parent)
}

# vctrs merges more than two parts one after the other. From the third part on, `first` is what was
# merged before, and the true first argument is the one that was remembered at the start.
remember_bound <- function(first, merged) {
  verb <- calling_verb()
  again <- identical(verb, last_bound$verb) && identical(first, last_bound$merged)
  last_bound$first <- if (again) last_bound$first else first
  last_bound$merged <- merged
  last_bound$verb <- verb
}

# Did a dplyr call that is still running bind a result whose first argument kept this?
is_being_bound <- function(kept) {
  !is.null(last_bound$verb) && identical(kept, last_bound$first) &&
    any(vapply(sys.frames(), identical, NA, last_bound$verb))
}

common_type <- function(x, y, ...) {
  kind <- result_kind(x)
  columns <- lapply(list(x, y), function(part) intersect(names(part), core_columns[[kind]]))
  check_bound_columns(columns, kind)
  kept <- lapply(list(x, y), kept_beside_rows)
  merged <- bound_attributes(kept, kind)
  remember_bound(kept[[1]], merged)
  rows <- vctrs::df_ptype2(as.data.frame(x), as.data.frame(y), ...)
  structure(with_kept(rows, merged), class = class(x))
}

as_type <- function(x, to, ...) {
  bound_attributes(lapply(list(x, to), kept_beside_rows), result_kind(to))
  rows <- vctrs::df_cast(as.data.frame(x), as.data.frame(to), ...)
  structure(with_kept(rows, kept_beside_rows(to)), class = class(to))
}

# A plain data frame has no rows of this kind to bind. But one without columns may come, because
# functions that put columns beside a result bind such frames.
plain_type <- function(x, y, ...) {
  if (length(x) && length(y)) refuse_other_kinds(result_kind(x))
  vctrs::df_ptype2(as.data.frame(x), y, ...)
}

# Results of different kinds cannot be bound, in whatever order, just as rbind() refuses them.
mixed_type <- function(x, y, ...) {
  if (length(x) && length(y)) refuse_other_kinds(result_kind(x))
  vctrs::df_ptype2(as.data.frame(x), as.data.frame(y), ...)
}

mixed_cast <- function(x, to, ...) refuse_other_kinds(result_kind(to))

register_mixed_kinds <- function(...) {
  kinds <- names(core_columns)
  for (kind in kinds) {
    for (pair in paste(kind, setdiff(kinds, kind), sep = ".")) {
      registerS3method("vec_ptype2", pair, mixed_type, asNamespace("vctrs"))
      registerS3method("vec_cast", pair, mixed_cast, asNamespace("vctrs"))
    }
  }
}

# Gives `data` the class and the attributes of `template`. If bind_rows() has just bound more rows
# to it, the attributes are those that were merged from all parts.
rows_like <- function(data, template) {
  kept <- kept_beside_rows(template)
  if (nrow(data) > nrow(template) && is_being_bound(kept)) kept <- last_bound$merged
  last_bound$first <- last_bound$merged <- last_bound$verb <- NULL
  structure(with_kept(data, kept), class = class(template))
}

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_similarity.repalign_similarity <- function(x, y, ...) common_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_calibration.repalign_calibration <- function(x, y, ...) common_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_analysis.repalign_analysis <- function(x, y, ...) common_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_interval.repalign_interval <- function(x, y, ...) common_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_benchmark.repalign_benchmark <- function(x, y, ...) common_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_score_interval.repalign_score_interval <- function(x, y, ...) {
  common_type(x, y, ...)
}

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_similarity.data.frame <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_calibration.data.frame <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_analysis.data.frame <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_interval.data.frame <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_benchmark.data.frame <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_score_interval.data.frame <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_similarity.tbl_df <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_calibration.tbl_df <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_analysis.tbl_df <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_interval.tbl_df <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_benchmark.tbl_df <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_score_interval.tbl_df <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_cast
vec_cast.repalign_similarity.repalign_similarity <- function(x, to, ...) as_type(x, to, ...)

#' @exportS3Method vctrs::vec_cast
vec_cast.repalign_calibration.repalign_calibration <- function(x, to, ...) as_type(x, to, ...)

#' @exportS3Method vctrs::vec_cast
vec_cast.repalign_analysis.repalign_analysis <- function(x, to, ...) as_type(x, to, ...)

#' @exportS3Method vctrs::vec_cast
vec_cast.repalign_interval.repalign_interval <- function(x, to, ...) as_type(x, to, ...)

#' @exportS3Method vctrs::vec_cast
vec_cast.repalign_benchmark.repalign_benchmark <- function(x, to, ...) as_type(x, to, ...)

#' @exportS3Method vctrs::vec_cast
vec_cast.repalign_score_interval.repalign_score_interval <- function(x, to, ...) as_type(x, to, ...)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.repalign_similarity <- function(data, template) rows_like(data, template)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.repalign_calibration <- function(data, template) rows_like(data, template)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.repalign_analysis <- function(data, template) rows_like(data, template)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.repalign_interval <- function(data, template) rows_like(data, template)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.repalign_benchmark <- function(data, template) rows_like(data, template)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.repalign_score_interval <- function(data, template) rows_like(data, template)
