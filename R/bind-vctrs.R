# Binding by dplyr::bind_rows(), purrr::map_dfr() and other functions that use vctrs. These methods
# are registered when vctrs or dplyr is loaded.

# vctrs binds with the attributes of the common type, which therefore knows all parts. But
# dplyr::bind_rows() then takes those of its first argument instead. What was bound last waits here
# for it; whether it belongs to rows is for their numbers to say (see draws_of_rows()).
last_bound <- new.env(parent = emptyenv())

common_type <- function(x, y, ...) {
  kind <- result_kind(x)
  columns <- lapply(list(x, y), function(part) intersect(names(part), core_columns[[kind]]))
  check_bound_columns(columns, kind)
  kept <- lapply(list(x, y), kept_beside)
  merged <- bound_attributes(kept, kind)
  # of more than two, the first one is what the parts before were bound to
  again <- identical(kept[[1]], last_bound$merged)
  last_bound$first <- if (again) last_bound$first else kept[[1]]
  last_bound$merged <- merged
  rows <- vctrs::df_ptype2(as.data.frame(x), as.data.frame(y), ...)
  structure(with_kept(rows, merged), class = class(x))
}

as_type <- function(x, to, ...) {
  bound_attributes(lapply(list(x, to), kept_beside), result_kind(to))
  rows <- vctrs::df_cast(as.data.frame(x), as.data.frame(to), ...)
  structure(with_kept(rows, kept_beside(to)), class = class(to))
}

# Columns may be put beside a result, which binds frames without columns; rows may not.
plain_type <- function(x, y, ...) {
  if (length(x) && length(y)) refuse_other_kinds(result_kind(x))
  vctrs::df_ptype2(as.data.frame(x), y, ...)
}

# Rows of `template`, or what bind_rows() bound to it.
rows_like <- function(data, template) {
  kept <- kept_beside(template)
  bound <- nrow(data) > nrow(template) && identical(kept, last_bound$first)
  if (bound) kept <- last_bound$merged
  last_bound$first <- last_bound$merged <- NULL
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
vec_ptype2.repalign_similarity.data.frame <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_calibration.data.frame <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_analysis.data.frame <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_interval.data.frame <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_similarity.tbl_df <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_calibration.tbl_df <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_analysis.tbl_df <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_ptype2
vec_ptype2.repalign_interval.tbl_df <- function(x, y, ...) plain_type(x, y, ...)

#' @exportS3Method vctrs::vec_cast
vec_cast.repalign_similarity.repalign_similarity <- function(x, to, ...) as_type(x, to, ...)

#' @exportS3Method vctrs::vec_cast
vec_cast.repalign_calibration.repalign_calibration <- function(x, to, ...) as_type(x, to, ...)

#' @exportS3Method vctrs::vec_cast
vec_cast.repalign_analysis.repalign_analysis <- function(x, to, ...) as_type(x, to, ...)

#' @exportS3Method vctrs::vec_cast
vec_cast.repalign_interval.repalign_interval <- function(x, to, ...) as_type(x, to, ...)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.repalign_similarity <- function(data, template) rows_like(data, template)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.repalign_calibration <- function(data, template) rows_like(data, template)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.repalign_analysis <- function(data, template) rows_like(data, template)

#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.repalign_interval <- function(data, template) rows_like(data, template)
