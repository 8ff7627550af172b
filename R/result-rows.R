# Tables of results: score_matrix(), tidy(), glance(), confint(), and the class of what similarity()
# returns.

#' @include result-class.R
NULL

# A data frame of rows that are lists with the same names, one value each. One data frame for each
# row would take longer than most comparisons.
table_of_rows <- function(rows) {
  list2DF(sapply(names(rows[[1]]), function(name) unlist(lapply(rows, `[[`, name)),
                 simplify = FALSE))
}

declare_result(
  "repalign_similarity", from = c("similarity", "held_out"), words = "similarities",
  columns = described_columns(
    side_columns(),
    column("measure", "the label of the measure", key = TRUE, tidy = "term"),
    column("score", "the score", shown = 1),
    column("in_sample", "the score on the stimuli of the fit", shown = 2, always = FALSE),
    column("sd_folds", "the standard deviation over folds", always = FALSE),
    column("folds", "the number of folds", always = FALSE),
    column("n", "the number of stimuli"),
    column("p_value", "the p-value of the held-out score", shown = 3, always = FALSE),
    column("pairs", "the number of pairs of stimuli that a score is over", always = FALSE)
  ),
  # score_matrix() and the pictures could not tell these from the rows alone
  kept = list(within = every_true, symmetric = true_by_name, direction = same_directions,
              best = common_by_name),
  heading = function(x, digits) {
    labels <- unique(x$measure[!is.na(x$measure)])
    paste0(if ("in_sample" %in% names(x)) "Held-out similarity: " else "Similarity: ",
           count_of(nrow(x), "score"),
           if (length(labels) > 1) paste(" of", length(labels), "measures"), undefined_of(x$score))
  },
  footing = function(x, digits) complete_note(x$measure),
  sentence = function(x) {
    need_columns(x, c("x", "y", "measure", "score"), "told", "result")
    for_each_measure(x, function(part) {
      scores_sentence(part, signs_of(part, part$measure[1]), function(row) {
        p <- part$p_value[row]
        c(stimuli_words(part$n[row]), if (!is.null(part$pairs)) paste(part$pairs[row], "pairs"),
          if (!is.null(part$in_sample)) {
            c(if (!is.null(part$folds)) paste("held out in", count_of(part$folds[row], "fold")),
              paste("in sample", number_word(part$in_sample[row])),
              if (isFALSE(is.na(p))) p_words(p))
          })
      })
    })
  },
  glance = function(x) {
    need_columns(x, c("x", "y", "measure", "score", "n"), "summarised")
    list(pairs = count_pairs(x), measures = length(unique(x$measure)), n = x$n[1],
         undefined = sum(is.na(x$score)))
  }
)

#' The grid of scores as a matrix or as distances
#'
#' @param result what [similarity()] or [calibrate()] returned, or some of its rows.
#' @param measure the label of one measure, if there are several.
#' @param value the name of a numeric column, such as `"p_value"`. By default `"calibrated"` for
#'   calibrations and `"score"` otherwise.
#' @param ... not used.
#' @return A numeric matrix with a row per element of `x` and a column per element of `y`, square
#'   for all pairs of one list; pairs that were not computed are `NA`. With models, names are
#'   "model/layer". A pair with two values is an error: of results put together, take the rows of
#'   one.
#'
#'   `as.dist()`: a `dist` object, for [stats::hclust()], [stats::cmdscale()] and the like:
#'   distances as they are, and for a similarity its best possible score less the score. If
#'   both directions are present their mean is used. Missing or undefined pairs are an error.
#' @examples
#' score_matrix(similarity(v4_layers, diagonal = TRUE))
#' hclust(as.dist(similarity(v4_layers, measure = "procrustes")))
#' @export
score_matrix <- function(result, measure = NULL, value = NULL, ...) {
  need_arguments()
  refuse_if(!is.data.frame(result) || !all(c("x", "y", "measure") %in% names(result)), "type",
            "`result` must be what similarity() or calibrate() returned: a data frame with the ",
            "columns x, y and measure.")
  # The column whose values the grid holds.
  if (is.null(value)) {
    value <- if (inherits(result, "repalign_calibration")) "calibrated" else "score"
    refuse_if(!value %in% names(result), "type", "`result` has no column {quoted(value)}: ",
              "name another one in `value`.")
  }
  numeric <- setdiff(names(result)[vapply(result, is.numeric, NA)], c("x", "y"))
  value <- check_choice(value, numeric, "value")
  labels <- label_levels(result$measure)
  refuse_if(!length(labels), "size", "`result` has no rows.")
  refuse_nameless_rows(result, "result")
  if (is.null(measure)) {
    refuse_if(length(labels) > 1, "choice", "`result` holds several measures: name one in ",
              "`measure`: {enumerate(labels, 20)}.", arg = "measure")
    measure <- labels
  }
  refuse_if(length(measure) != 1, "choice", "`measure` must be one of the labels: ",
            "{enumerate(labels, 20)}.")
  measure <- check_choice(labels_of_ids(measure, labels), labels, "measure")
  rows <- as.data.frame(result)[result$measure == measure, ]
  known <- grid_of(result)
  models <- !is.null(rows$model_x)
  two_models <- models && !known$aggregate &&
    !any(as.character(rows$model_x) %in% as.character(rows$model_y))
  # the grid is square when both sides are the same list, but not when this list holds two models:
  # then the layers of one are the rows, and those of the other the columns
  within <- known$within && !two_models
  symmetric <- within && isTRUE(known$symmetric[measure][[1]])
  name_of <- if (known$aggregate) model_names else full_names
  x <- name_of(rows, "x")
  y <- name_of(rows, "y")
  # two scores of one pair come from two results, or from one result taken twice
  twice <- anyDuplicated(data.frame(x, y))
  if (twice) {
    sources <- source_columns(result)
    first <- which(x == x[twice] & y == y[twice])[1]
    values <- vapply(rows[c(first, twice), sources, drop = FALSE], as.character, c("", ""))
    column <- sources[!mapply(identical, values[1, ], values[2, ])][1]
    what <- paste0("`result` has two scores of ", quoted(x[twice]), " and ", quoted(y[twice]))
    refuse_if(is.na(column), "rows", "{what}: give the rows of one grid.", arg = "result")
    refuse("rows", "{what}, from several sources: the column {quoted(column)} tells them ",
           "apart. Take the rows of one, as in score_matrix(",
           rows_example("result", column, values[1, column]), ").", arg = "result")
  }
  sides <- lapply(list("x", "y"), function(side) {
    label_order(rows, if (within) c("x", "y") else side, known$aggregate)
  })
  grid <- matrix(NA_real_, length(sides[[1]]), length(sides[[2]]), dimnames = sides)
  at <- function(x, y) cbind(match(x, sides[[1]]), match(y, sides[[2]]))
  if (symmetric) grid[at(y, x)] <- rows[[value]]
  grid[at(x, y)] <- rows[[value]]
  grid
}

#' @rdname score_matrix
#' @param m what they returned for all pairs of one list, by one measure.
#' @param diag,upper see [stats::dist()].
#' @importFrom stats as.dist
#' @export
as.dist.repalign_result <- function(m, diag = FALSE, upper = FALSE) {
  need_columns(m, c("x", "y", "measure", "score"), "turned into distances", "m")
  labels <- unique(as.character(m$measure))
  refuse_if(!length(labels) || anyNA(labels), "size", "`m` has ",
            if (length(labels)) "a row without a measure" else "no rows",
            ": take rows of what similarity() or calibrate() returned.")
  refuse_if(length(labels) > 1, "choice", "`m` holds several measures: take the rows of one, as ",
            "in as.dist({rows_example('m', 'measure', labels[1])}).")
  found <- dissimilarities(m, "as.dist()")
  structure(stats::as.dist(found$d, diag = diag, upper = upper), method = found$formula)
}

# An id stands for the one label that begins with it: "cka" for "cka(naive)".
labels_of_ids <- function(measure, labels) {
  if (!is.character(measure)) return(measure)
  ids <- sub("[( ].*", "", labels)
  at <- match(measure, replace(ids, ids %in% ids[duplicated(ids)], NA))
  ifelse(measure %in% labels | is.na(at), measure, labels[at])
}

# The names of the sides of an aggregate: those of the models, without the layers that a maximum
# selects.
model_names <- function(rows, side) {
  model <- rows[[paste0("model_", side)]]
  if (is.null(model)) rep(side, nrow(rows)) else as.character(model)
}

# All names of the sides in the order of the grid: that of appearance or, where a column is a
# factor, models in the order of levels, and layers within them.
label_order <- function(rows, sides = c("x", "y"), aggregate = FALSE) {
  name_of <- if (aggregate) model_names else full_names
  labels <- unlist(lapply(sides, function(side) name_of(rows, side)))
  layers <- if (aggregate) "" else column_of_sides(rows, sides)
  models <- column_of_sides(rows, paste0("model_", sides))
  if (!is.factor(layers) && !is.factor(models)) return(unique(labels))
  rank <- function(column) rep_len(match(column, label_levels(column)), length(labels))
  unique(labels[order(rank(models), rank(layers))])
}

# Several columns one below the other; a factor if one of them is a factor.
column_of_sides <- function(rows, columns) {
  columns <- unclass(rows)[intersect(columns, names(rows))]
  if (!length(columns)) return("")
  values <- unlist(lapply(columns, as.character), use.names = FALSE)
  if (!any(vapply(columns, is.factor, NA))) return(values)
  # levels without rows are kept, too, because the other side may have rows of them
  levels <- lapply(columns, function(column) if (is.factor(column)) levels(column) else column)
  factor(values, unique(unlist(levels)))
}

# Code for messages that takes the rows of one source, such as result[result$day == "day1", ].
rows_example <- function(name, column, value) {
  if (column != make.names(column)) column <- paste0("`", column, "`")
  paste0(name, "[", name, "$", column, " == ", quoted(as.character(value)), ", ]")
}

#' @rdname tidy.repalign
#' @export
summary.repalign_similarity <- function(object, ...) {
  no_other_arguments(...)
  plain <- need_columns(as.data.frame(object), c("measure", "score"), "summarised")
  refuse_pooling(object)
  rows <- summary_rows(plain, source_columns(object), function(part) {
    score <- part$score
    q <- stats::quantile(score, c(0, 0.5, 1), na.rm = TRUE, names = FALSE)
    data.frame(pairs = length(score), undefined = sum(is.na(score)), min = q[1],
               median = q[2], mean = if (all(is.na(score))) NA_real_ else mean(score, na.rm = TRUE),
               max = q[3])
  })
  told(rows, object)
}

# Refuses bound results without a source column, because they would be summarised as one result.
refuse_pooling <- function(object) {
  rows <- as.data.frame(object)
  # the layers that a maximum selects do not name its row
  if (grid_of(object)$aggregate) rows$x <- rows$y <- rep("", nrow(rows))
  key <- key_columns(object)
  benchmark <- inherits(object, "repalign_benchmark")
  if (!benchmark && !all(c("x", "y") %in% key)) return(invisible())
  twice <- anyDuplicated(rows[c(key, source_columns(object))])
  if (!twice) return(invisible())
  refuse_nameless_rows(rows, "object")
  title <- if (benchmark) key_text(rows[twice, key]) else row_title(as.data.frame(object)[twice, ])
  refuse("rows", "`object` has two rows of {quoted(title)} (the second is row {twice}), as ",
         "if two results were one: bind whole results with names, as in rbind(day1 = a, day2 = ",
         "b), or take the rows of one result.")
}

# A table with a row for each source and measure. summarise: a function(part) that gives a data
# frame with one row about some rows.
summary_rows <- function(plain, sources, summarise) {
  groups <- row_groups(plain, c(sources, "measure"))
  # without any rows, the summary of no rows is made for the sake of its columns
  rows <- lapply(if (length(groups)) groups else list(integer()), function(at) {
    named <- plain[at[1], c(sources, "measure"), drop = FALSE]
    named$measure <- as.character(named$measure)
    rownames(named) <- NULL
    cbind(named, summarise(plain[at, , drop = FALSE]))
  })
  do.call(rbind, unname(rows))[seq_along(groups), , drop = FALSE]
}

#' Results as plain tables
#'
#' `tidy()` gives results the column names of the broom packages, `glance()` describes a result in
#' one row, and `as.data.frame()` makes a plain data frame of it.
#'
#' @param x,object a result, some of its rows, or several put together by [rbind()][rbind.repalign].
#' @param digits how many significant digits to print at least; `NULL`: as R's options say.
#' @param n how many rows to print (`Inf`: all); by default 10 of more than 20.
#' @param ... any other argument is an error.
#' @return `print()` returns `x`, invisibly; the others return a data frame. `tidy()`: `term`
#'   (measure or estimator) and `estimate`, and where there are such `std.error`, `conf.low`,
#'   `conf.high`, `estimate.corrected`, `correction`, `p.value` and `adj.p.value`. `glance()`:
#'   numbers of rows, pairs, measures and the like, and of undefined values. `summary()`: one row
#'   per measure; of a benchmark a column for each metric. Of several results put together,
#'   `glance()` and `summary()` describe each in rows of its own.
#' @details
#' `print()` names columns that do not fit the line below the table, shortens long names, and shows
#' scores that are rounding as 0.
#' @examples
#' scores <- similarity(v4_layers, measure = c("cka", "rsa"))
#' head(tidy(scores), 3)
#' glance(scores)
#' @name tidy.repalign
NULL

#' @rdname tidy.repalign
#' @export
tidy.repalign_result <- function(x, ...) {
  no_other_arguments(...)
  declared <- declaration_of(x)
  rows <- as.data.frame(x)
  columns <- declared$columns
  # some classes have a choice of columns, of which one is enough
  renamed <- columns$tidy != columns$name | columns$tidy %in% c("term", "estimate")
  wanted <- columns[columns$always & !is.na(columns$tidy) & renamed, ]
  found <- tapply(wanted$name %in% names(rows), wanted$tidy, any)
  lost <- wanted[wanted$tidy %in% names(found)[!found], ]
  need_columns(rows, lost$name[!duplicated(lost$tidy)], "tidied")
  names <- columns$tidy[match(names(rows), columns$name)]
  own <- !names(rows) %in% columns$name
  names[own] <- names(rows)[own]
  tidied <- stats::setNames(rows[!is.na(names)], names[!is.na(names)])
  if (is.null(declared$term)) return(tidied)
  cbind(term = if (nrow(rows)) declared$term(rows) else character(), tidied)
}

# Rows that stand beside each other for several models.
term_first <- function(tidied) tidied[union("term", names(tidied))]

# A row for each model of results over many places, with the place whose `size` is largest. facts:
# list(settings, threshold); names: what some of the columns are called instead.
best_of_models <- function(rows, size, facts, names) {
  parts <- lapply(split(seq_len(nrow(rows)), factor(rows$model, unique(rows$model))), function(at) {
    best <- at[which.max(size[at])]
    if (!length(best)) best <- at[1]
    data.frame(model = rows$model[best], scored = sum(!is.na(size[at])),
               lost = sum(is.na(size[at])),
               significant = sum(rows$p_familywise[at] <= facts$settings$alpha, na.rm = TRUE),
               threshold = unname(facts$threshold[as.character(rows$model[best])]),
               best = rows$center[best], score = rows$score[best],
               p_familywise = rows$p_familywise[best])
  })
  if (!length(parts)) return(NULL)
  result <- do.call(rbind, unname(parts))
  names(result)[match(names(names), names(result))] <- names
  result
}

#' @rdname tidy.repalign
#' @export
glance.repalign_result <- function(x, ...) {
  no_other_arguments(...)
  tell <- declaration_of(x)$glance
  if (is.null(tell)) tell <- function(x) {
    columns <- columns_of(x)
    values <- columns$name[columns$tidy %in% "estimate"]
    if (!length(values)) values <- columns$name[columns$shown %in% 1]
    # a table such as that of measures() has no values
    if (!length(values)) return(list(rows = nrow(x)))
    value <- intersect(values, names(x))[1]
    if (is.na(value)) need_columns(x, values[1], "summarised")
    list(rows = nrow(x), undefined = sum(is.na(x[[value]])))
  }
  rows <- as.data.frame(x)
  # benchmarks have tests, too
  sources <- union(source_columns(x), intersect(test_columns(x), columns_of(x)$name))
  if (!length(sources) || !nrow(x)) return(list2DF(tell(x)))
  do.call(rbind, lapply(unname(row_groups(rows, sources)), function(at) {
    cbind(rows[at[1], sources, drop = FALSE], list2DF(tell(x[at, , drop = FALSE])),
          row.names = NULL)
  }))
}

count_pairs <- function(x) {
  nrow(unique(as.data.frame(x)[intersect(c("model_x", "model_y", "x", "y"), names(x))]))
}

# ---- limits: confint() of results whose limits are columns, and what all its methods share

#' @rdname score_interval
#' @importFrom stats confint
#' @export
confint.repalign_result <- function(object, parm, level = NULL, ...) {
  no_other_arguments(...)
  limits_at <- declaration_of(object)$limits
  if (!is.null(limits_at)) {
    level <- asked_level(level, object)
    limits <- limits_at(object, level)
    return(named_limits(limits, rownames(limits), level, parm))
  }
  # Limits that are columns are known at one level, that of the call.
  columns <- columns_of(object)
  values <- sub("_low$", "", grep("_low$", columns$name, value = TRUE))
  if (!any(paste0(values, "_high") %in% columns$name)) refuse_without_errors(object, "object")
  values <- values[paste0(values, "_low") %in% names(object) &
                     paste0(values, "_high") %in% names(object)]
  refuse_if(is.null(known_level(object)) || !length(values), "type", "`object` has no intervals: ",
            "give `conf_level` to the function that makes it, and keep the columns of the limits.")
  best <- inherits(object, "repalign_best")
  level <- check_only_level(level, object, "these intervals",
                            if (best) comparable_makers else "the function that makes them")
  rows <- as.data.frame(object)
  limits <- cbind(unlist(rows[paste0(values, "_low")]), unlist(rows[paste0(values, "_high")]))
  # Names of rows without what all rows have in common, and of the value where it could be another.
  keys <- as.list(rows[union(source_columns(object), key_columns(object))])
  varies <- vapply(keys, function(key) length(unique(key)) > 1, NA)
  named <- varies | names(keys) %in% columns$name[columns$tidy %in% "term"]
  parts <- lapply(keys[named], function(key) rep(as.character(key), length(values)))
  if (!identical(values, "conf")) parts <- c(parts, list(rep(values, each = nrow(rows))))
  named_limits(limits, do.call(paste, c(unname(parts), sep = " | ")), level, parm)
}

# Limits of estimates with errors of df degrees of freedom.
student_limits <- function(estimate, se, df, level) {
  half <- stats::qt(0.5 + level / 2, df) * se
  cbind(estimate - half, estimate + half)
}

# The matrix that methods of confint() return, with the rows that `parm` asks for.
named_limits <- function(limits, titles, level, parm) {
  tails <- c((1 - level) / 2, (1 + level) / 2)
  dimnames(limits) <- list(titles[seq_len(nrow(limits))],
                           paste(format(100 * tails, trim = TRUE, digits = 3), "%"))
  if (missing(parm)) return(limits)
  # by name or by number
  at <- match(parm, if (is.character(parm)) titles else seq_along(titles))
  refuse_if(!length(at) || anyNA(at), "choice", "`parm` must be some of {enumerate(titles, 20)}, ",
            "or numbers of rows.")
  limits[at, , drop = FALSE]
}

level_of <- function(object) {
  level <- known_level(object)
  refuse_if(is.null(level), "value", "The coverage is no longer known: give `level`.")
  level
}

# The level that is asked for, by default that of the result.
asked_level <- function(level, object) {
  check_number(if (is.null(level)) level_of(object) else level, "level", above = 0, below = 1)
}

# The level at which a result has its limits; NULL: it has none, or has lost it.
known_level <- function(object) {
  for (level in list(attr(object, "conf_level"), attr(object, "settings")$conf_level)) {
    if (!is.null(level)) return(level)
  }
  # an analysis has one in each of its parts
  unlist(lapply(attr(object, "parts"), function(part) part$conf_level))[1]
}

# maker: the functions that could make intervals at another level.
check_only_level <- function(level, object, what, maker = comparable_makers) {
  own <- level_of(object)
  other <- !is.null(level) && !identical(check_number(level, "level", above = 0, below = 1), own)
  refuse_if(other, "value", "`level` cannot be {format(level)}: {what} are known at the level of ",
            "the result, {format(own)}. Give `conf_level` to {maker} for another one.")
  own
}
