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
