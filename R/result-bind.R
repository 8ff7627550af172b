# Results are bound together, by rbind() and by functions that use vctrs, such as those of dplyr.

# ---- bind

#' Put results together
#'
#' `rbind()` puts several results of one kind into one table.
#'
#' @param ... results of one kind, with the same columns. Their names, if all have one, become a new
#'   first column `source` (`source_2`, if there is one already).
#' @param deparse.level not used.
#' @return A result of the same kind.
#' @details
#' `dplyr::bind_rows()` does the same; its argument `.id` names the new column. Plots and summaries
#' show the results separately.
#'
#' Results with different settings (such as `alpha`), results of [evaluate_rdms()], [searchlight()]
#' and the like with different data, and results of different kinds are errors: bind their
#' `as.data.frame()`. P-values are not adjusted again.
#' @examples
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)
#' one <- 1:100
#' rbind(first = similarity(v4[one, ], v4_layers$L2[one, ]),
#'       others = similarity(v4[-one, ], v4_layers$L2[-one, ]))
#' @name rbind.repalign
NULL

#' @rdname rbind.repalign
#' @export
rbind.repalign_result <- function(..., deparse.level = 1) {
  arguments <- list(...)
  # these arguments are for the method for data frames
  options <- names_or_empty(arguments) %in% c("make.row.names", "stringsAsFactors",
                                              "factor.exclude")
  # loops often start with an empty data frame
  parts <- Filter(function(part) !is.null(part) && !(is.data.frame(part) && !length(part)),
                  arguments[!options])
  if (!length(parts)) return(Find(is.data.frame, arguments))
  kind <- stats::na.omit(vapply(parts, result_kind, ""))[[1]]
  # rows that need nothing beside them go with data frames of the same columns
  bare <- result_classes[[kind]]$bare
  columns <- names(Find(function(part) inherits(part, kind), parts))
  fits <- function(part) {
    inherits(part, kind) || bare && is.data.frame(part) && setequal(names(part), columns)
  }
  if (!all(vapply(parts, fits, NA))) refuse_other_kinds(kind)
  check_bound_columns(lapply(parts, names), kind)
  cut <- result_classes[[kind]]$cut
  kept <- bound_kept(lapply(unname(parts), function(part) cut(part, kept_beside_rows(part))), kind)
  plain <- lapply(parts, as.data.frame)
  named <- names_or_empty(parts) != ""
  refuse_if(any(named) && !all(named), "value", "Only some of the results have names ",
            "({enumerate(names(parts)[named])}): name all of them, as in rbind(day1 = a, day2 = ",
            "b), or none.", arg = "...")
  # the names go into a first column, which tells the rows of the parts apart
  if (all(named)) {
    twice <- anyDuplicated(names(plain))
    refuse_if(twice, "value", "The name {quoted(names(plain)[twice])} is given twice: the ",
              "names become the column `source` and tell the results apart. Use different names, ",
              "or none.", arg = "...")
    taken <- unlist(lapply(plain, names))
    candidates <- c("source", paste0("source", "_", seq_along(taken) + 1))
    column <- setdiff(candidates, taken)[1]
    plain <- unname(Map(function(rows, name) {
      rownames(rows) <- NULL
      cbind(stats::setNames(data.frame(rep(name, nrow(rows))), column), rows)
    }, plain, names(plain)))
  }
  new_result(do.call(rbind, c(plain, arguments[options])), kind, kept)
}

refuse_other_kinds <- function(kind) {
  words <- result_classes[[kind]]$words
  refuse("type", "Only {words} can be put into one table with {words}: to bind anything else, use ",
         "as.data.frame() of each.", arg = "...")
}

check_bound_columns <- function(columns, kind) {
  other <- Find(function(names) !setequal(names, columns[[1]]), columns)
  extra <- c(setdiff(columns[[1]], other), setdiff(other, columns[[1]]))
  known <- result_classes[[kind]]$columns$name
  refuse_if(!is.null(other), "value", "Results with different columns cannot be put into one ",
            "table: {enumerate(extra)} {if (length(extra) > 1) 'are' else 'is'} not in all of ",
            "them. Make all of them in the same way",
            if ("p_zero" %in% extra) ", with or without `given`" else
              if ("model_x" %in% known) ", with or without models",
            if ("p_adjusted" %in% known) " and `p_adjust`", ", and keep their columns.",
            arg = "...")
}

# What the parts of a bound result keep beside their rows, in one. kept: a list of what each part
# keeps.
bound_kept <- function(kept, kind) {
  rules <- result_classes[[kind]]$kept
  bound <- lapply(stats::setNames(nm = names(rules)), function(name) {
    rules[[name]](lapply(kept, function(part) part[[name]]))
  })
  unlike <- names(bound)[vapply(bound, identical, NA, unlike_parts)]
  if (!length(unlike)) return(bound)
  other <- Find(function(part) !identical(part[unlike], kept[[1]][unlike]), kept)
  refuse("value", "These {result_classes[[kind]]$words} differ in ",
         "{enumerate(differing_settings(kept[[1]][unlike], other[unlike]), 4, quote = FALSE)}, ",
         "which one table has once for all rows: bind as.data.frame() of each.", arg = "...")
}

# Which settings differ, those first whose values are short enough to be told.
differing_settings <- function(one, other) {
  found <- unlist(lapply(union(names(one), names(other)), function(name) {
    values <- list(one[[name]], other[[name]])
    if (identical(values[[1]], values[[2]])) return(NULL)
    if (all(vapply(values, function(value) inherits(value, "list") && length(names(value)), NA))) {
      return(differing_settings(values[[1]], values[[2]]))
    }
    short <- all(vapply(values, is.atomic, NA)) && all(lengths(values) < 2)
    paste0("`", name, "`", if (short) {
      words <- vapply(values, function(value) if (is.null(value)) "none" else format(value), "")
      brackets(paste(words, collapse = " and "))
    })
  }))
  found[order(!endsWith(found, ")"))]
}

# ---- bind vctrs

# These methods bind results by dplyr::bind_rows(), purrr::map_dfr() and other functions that use
# vctrs.

# vctrs gives a bound result the attributes of the common type of its parts, so common_type() merges
# what the parts keep beside their rows. But dplyr::bind_rows() then replaces these attributes by
# those of its first argument. Therefore what was merged last is remembered until dplyr asks for it:
# `merged` is what was merged, `of` what each of the first parts kept, because vctrs merges more
# than two parts one after the other.
last_bound <- new.env(parent = emptyenv())

common_type <- function(x, y, ...) {
  kind <- result_kind(x)
  known <- result_classes[[kind]]$columns$name
  check_bound_columns(lapply(list(x, y), function(part) intersect(names(part), known)), kind)
  kept <- lapply(list(x, y), kept_beside_rows)
  merged <- bound_kept(kept, kind)
  first <- kept[[1]]
  of <- if (identical(first, last_bound$merged)) last_bound$of
  last_bound$of <- c(of, list(first))
  last_bound$merged <- merged
  new_result(vctrs::df_ptype2(as.data.frame(x), as.data.frame(y), ...), kind, merged)
}

# A plain data frame has no rows of this kind to bind. But one without columns may come, because
# functions that put columns beside a result bind such frames. Results of different kinds cannot be
# bound either, in whatever order, just as rbind() refuses them.
mixed_type <- function(x, y, ...) {
  if (length(x) && length(y)) refuse_other_kinds(result_kind(x))
  vctrs::df_ptype2(as.data.frame(x), as.data.frame(y), ...)
}

# vctrs knows no inheritance: every class needs its methods. They are registered when vctrs is
# loaded.
register_vctrs_methods <- function(...) {
  register <- function(generic, x, y, method) {
    registerS3method(generic, paste(x, y, sep = "."), method, asNamespace("vctrs"))
  }
  kinds <- names(result_classes)
  for (kind in kinds) {
    for (other in kinds) {
      same <- other == kind
      register("vec_ptype2", kind, other, if (same) common_type else mixed_type)
      register("vec_cast", kind, other, if (!same) {
        function(x, to, ...) refuse_other_kinds(result_kind(to))
      } else function(x, to, ...) {
        rows <- vctrs::df_cast(as.data.frame(x), as.data.frame(to), ...)
        new_result(rows, result_kind(to), kept_beside_rows(to))
      })
    }
    for (plain in c("data.frame", "tbl_df")) register("vec_ptype2", kind, plain, mixed_type)
    register("vec_cast", "data.frame", kind, function(x, to, ...) {
      vctrs::df_cast(as.data.frame(x), to, ...)
    })
  }
}

# Gives `data` the class of `template` and what it keeps. If bind_rows() has just bound other rows
# to it, this is what was merged from all parts.
#' @exportS3Method dplyr::dplyr_reconstruct
dplyr_reconstruct.repalign_result <- function(data, template) {
  kept <- kept_beside_rows(template)
  bound <- as.list(last_bound)
  last_bound$of <- last_bound$merged <- NULL
  is_first <- any(vapply(bound$of, identical, NA, kept))
  if (is_first && nrow(data) > nrow(template)) {
    # what verbs repeat or leave out is in the template; what was bound to it is not
    columns <- Reduce(intersect, list(columns_of(template)$name, names(data), names(template)))
    columns <- columns[vapply(unclass(template)[columns], is.atomic, NA)]
    here <- row_identities(data, columns) %in% row_identities(template, columns)
    if (!all(here)) kept <- bound$merged
  }
  new_result(data, result_kind(template), kept)
}
