# Feature spaces: several representations of the same stimuli that predict together.

#' @include result-class.R
NULL

#' Feature spaces that predict together
#'
#' Two to four representations of the same stimuli (such as layers of networks, or language beside
#' vision), for one joint model of [encode()] in which each has a penalty of its own (banded ridge
#' regression). [space_parts()] tells what each adds.
#'
#' @param ... representations (stimuli x columns, or [responses()]), each with a name.
#' @return A list of class `repalign_spaces`, for `from` of [encode()], as an element of a list of
#'   models in [encode()] or [evaluate_models()] with `measure("encode")`, and for `newdata` of
#'   [predict()][encode].
#' @details
#' Columns that are bound together share one penalty, so that a useless space beside them costs R
#' squared. Here several proportions of the penalties are tried, and leaving a space out is one of
#' them.
#' @references \enc{Dupré}{Dupre} la Tour et al. (2022), NeuroImage 264. Nunez-Elizalde et al.
#'   (2019), NeuroImage 197.
#' @examples
#' # do two layers of a network together predict V4 better than one?
#' early <- v4_layers[[1]][1:60, ]
#' late <- v4_layers[[4]][1:60, ]
#' set.seed(1)
#' encode(list(early = early, both = feature_spaces(early = early, late = late)),
#'        list(V4 = macaque_v4$trials[1:60, , ]))
#' @seealso [space_parts()]
#' @export
feature_spaces <- function(...) {
  spaces <- list(...)
  names <- names_or_empty(spaces)
  refuse_if(!length(spaces) %in% 2:4, "size", "`feature_spaces()` takes 2 to 4 spaces, not ",
            "{length(spaces)}: ", c("give each with a name, feature_spaces(low = x, high = y).",
                                    "one alone is given to encode() as it is.",
                                    "bind spaces of one kind by cbind().")[
                                      min(length(spaces), 2) + 1],
            arg = NULL)
  refuse_if(any(is.na(names) | names == ""), "missing", "`feature_spaces()`: space ",
            "{which(is.na(names) | names == '')[1]} has no name, by which results call it: ",
            "feature_spaces(low = x, high = y).", arg = NULL)
  refuse_if(anyDuplicated(names), "value", "`feature_spaces()` has two spaces named ",
            "{quoted(names[duplicated(names)][1])}: names must differ.", arg = NULL)
  refuse_if("intercept" %in% names, "value", "`feature_spaces()` has a space named ",
            "\"intercept\", which coef() has besides: take another name.", arg = NULL)
  joined <- grep(" & ", names, fixed = TRUE)
  refuse_if(length(joined), "value", "`feature_spaces()`: the name {quoted(names[joined][1])} has ",
            "\" & \", which stands between spaces in results: take another.", arg = NULL)
  reprs <- Map(function(space, name) {
    refuse_if(is_spaces(space), "type", "`{name}` is itself one of feature_spaces(): give its ",
              "spaces one by one.")
    refuse_if(is_prepared(space), "type", "`{name}` was prepared by prepare(), which knows no ",
              "folds: give the data themselves.")
    repr <- need_kind(representation(space, name, allow_na = TRUE), "data", "feature_spaces()")
    # one new stimulus has a prediction, too
    if (repr$n > 1 && !anyNA(repr$data)) form_centering(repr)
    repr
  }, spaces, names)
  counts <- vapply(reprs, function(repr) as.double(repr$n), 0)
  odd <- which(counts != counts[1])
  refuse_if(length(odd), "size", "`{names[odd][1]}` has {count_of(counts[odd][1], 'stimulus')}, ",
            "but `{names[1]}` has {counts[1]}: spaces are about the same stimuli.")
  structure(spaces, class = "repalign_spaces")
}

is_spaces <- function(x) inherits(x, "repalign_spaces")

#' @export
print.repalign_spaces <- function(x, ...) {
  columns <- vapply(x, function(space) ncol(plain_matrix(space, "x")), 0L)
  cat("Feature spaces: ",
      paste0(names(x), " (", vapply(columns, count_of, "", "column"), ")", collapse = ", "), "\n",
      sep = "")
  invisible(x)
}

# ---- models of a call

# `from` with every feature space as an element of its own, named as messages name its place.
with_separate_spaces <- function(from) {
  if (is_spaces(from)) return(unclass(from))
  if (!is_collection(from)) return(from)
  parts <- Map(function(part, name) {
    if (is_collection(part)) return(list(with_separate_spaces(part)))
    if (!is_spaces(part)) return(list(part))
    stats::setNames(unclass(part), paste0(name, "$", names(part)))
  }, from, names_or_empty(from))
  joint <- vapply(from, is_spaces, NA)
  names <- Map(function(part, name, joint) if (joint) names(part) else name, parts,
               names_or_empty(from), joint)
  stats::setNames(unlist(unname(parts), recursive = FALSE), unlist(names))
}

# The models of a call: a list of list(at, spaces), with the numbers of their representations among
# all, and the names of several spaces.
space_groups <- function(from) {
  flat <- if (!is_collection(from)) list(from) else
    unlist(lapply(from, function(part) if (is_collection(part)) unclass(part) else list(part)),
           recursive = FALSE)
  count <- 0L
  lapply(flat, function(part) {
    size <- if (is_spaces(part)) length(part) else 1L
    count <<- count + size
    list(at = count - size + seq_len(size), spaces = if (is_spaces(part)) names(part))
  })
}

# The same with names, data and columns of the opened side.
joined_groups <- function(groups, side) {
  lapply(unname(groups), function(group) {
    reprs <- side$reprs[group$at]
    first <- reprs[[1]]
    spaces <- group$spaces
    tail <- if (!is.null(spaces)) paste0("$", spaces[1])
    cut <- function(text) if (is.null(tail)) text else
      if (endsWith(text, tail)) substr(text, 1, nchar(text) - nchar(tail)) else
        paste(spaces, collapse = " & ")
    data <- lapply(reprs, function(repr) matrix(as.vector(repr$data), nrow(repr$data)))
    list(name = cut(first$name), arg = cut(first$arg), title = title_of(first), spaces = spaces,
         data = data, columns = lapply(reprs, function(repr) colnames(repr$data)))
  })
}

# What only the models of a call tell of its settings; the columns of `lambda` go by their names.
check_spaces <- function(settings, groups) {
  counts <- vapply(groups, function(group) length(group$data), 0L)
  joint <- counts > 1
  refuse_if(any(joint) && settings$method %in% c("pcr", "pls"), "choice", "method = ",
            "{quoted(settings$method)} is for single models: feature_spaces() needs ",
            "\"ridge\" or \"linear\".", arg = "method")
  lambda <- settings$lambda
  if (is.matrix(lambda)) {
    odd <- which(counts != ncol(lambda))
    refuse_if(length(odd), "value", "`lambda` has {count_of(ncol(lambda), 'column')}, but ",
              "`{groups[[odd[1]]]$arg}` has {count_of(counts[odd[1]], 'space')}: give a column ",
              "for each space (other models in a call of their own), or numbers.")
    mixed <- rowSums(lambda == 0) > 0 & rowSums(is.finite(lambda)) > 1
  } else mixed <- any(joint) && any(lambda == 0)
  refuse_if(any(mixed), "value", "`lambda` is 0 for a space beside others, whose penalty then has ",
            "no ratio to theirs: take small numbers above 0, or method = \"linear\".")
  if (!is.matrix(lambda) || is.null(colnames(lambda))) return(settings)
  for (group in groups) {
    refuse_if(!setequal(colnames(lambda), group$spaces), "value", "The columns of `lambda` are ",
              "named {enumerate(colnames(lambda))}, but the spaces of `{group$arg}` are ",
              "{enumerate(group$spaces)}: name them so, or leave the names out.", arg = "lambda")
    refuse_if(!identical(group$spaces, groups[[1]]$spaces), "value", "`{group$arg}` has its ",
              "spaces in another order than `{groups[[1]]$arg}`: `lambda` has one order for all.",
              arg = "lambda")
  }
  settings$lambda <- lambda[, groups[[1]]$spaces, drop = FALSE]
  settings
}
