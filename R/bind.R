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
