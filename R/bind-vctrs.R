# Binding by dplyr::bind_rows(), purrr::map_dfr() and other functions that use vctrs. These methods
# are registered when vctrs or dplyr is loaded.

# vctrs binds with the attributes of the common type, which therefore knows all parts. But
# dplyr::bind_rows() then takes those of its first argument instead. What a function of dplyr bound
# last waits here for it: `verb` is the frame of that call, and no other call may take it.
last_bound <- new.env(parent = emptyenv())

# The frame of the function of dplyr that called vctrs; NULL if it was not dplyr.
calling_verb <- function() {
  package_of <- function(at) environmentName(topenv(environment(sys.function(at))))
  at <- sys.nframe()
  while (at > 0 && package_of(at) %in% c("repalign", "vctrs")) at <- at - 1
  parent <- sys.parents()[at + 1]
  if (parent > 0 && package_of(parent) == "dplyr") sys.frame(parent)
}

# Of more than two parts, the first one is what the parts before were bound to.
remember_bound <- function(first, merged) {
  verb <- calling_verb()
  again <- identical(verb, last_bound$verb) && identical(first, last_bound$merged)
  last_bound$first <- if (again) last_bound$first else first
  last_bound$merged <- merged
  last_bound$verb <- verb
}

# Is the call that bound them still at work?
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

# Columns may be put beside a result, which binds frames without columns; rows may not.
plain_type <- function(x, y, ...) {
  if (length(x) && length(y)) refuse_other_kinds(result_kind(x))
  vctrs::df_ptype2(as.data.frame(x), y, ...)
}

# Results of different kinds, in either order: as by rbind().
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

# Rows of `template`, or what bind_rows() bound to it.
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
