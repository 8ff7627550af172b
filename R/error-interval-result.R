# The result of score_interval(): its intervals, the deletions that it keeps, its methods.

# ---- interval result

# The result of score_interval() is put together here: standard errors, intervals, and what is kept
# beside the rows.

# fixed: the rows whose y has units that are all there are.
interval_result <- function(task, columns, factors, fixed) {
  scores <- matrix(task$scores, ncol = length(task$set), byrow = TRUE)
  plain <- similarity_result(task$pairs, task$sides, task$set, scores)
  kept <- kept_beside_rows(plain)[c("direction", "best")]
  rows <- as.data.frame(plain)
  ways <- lapply(task$set, way_of, task$settings$method)
  words <- rep(vapply(ways, function(way) way$method, ""), nrow(task$pairs))
  rows$over <- over_words(task)
  call <- deletions_of_call(task, rows, columns, factors, words)
  parts <- parts_of_call(call, seq_len(nrow(rows)))
  errors <- contrast_errors(parts, diag(nrow(rows)))
  constant <- does_not_vary(rows$score, errors$se, task$set)
  errors$se[constant] <- NA
  call$rows$se <- errors$se
  call$rows$fixed <- seq_along(errors$se) %in% fixed
  call$scales <- interval_scales(task, rows$score, errors$se, columns, length(factors) > 0)
  limits <- limits_of(call$scales, errors$df, task$settings$conf_level)
  n <- rows$n
  rows$n <- rows$over <- NULL
  limits <- unname(limits)
  result <- cbind(rows, se = errors$se, df = errors$df, conf_low = limits[, 1],
                  conf_high = limits[, 2], method = words, over = over_words(task), n = n)
  warn_no_errors(result, constant, factors)
  warn_infinite_errors(result)
  kept <- c(list(conf_level = task$settings$conf_level, deletions = list(call)), kept)
  structure(with_kept(result, kept), class = c("repalign_score_interval", "data.frame"))
}

deletions_of_call <- function(task, rows, columns, factors, words) {
  half <- words == "half-samples"
  units <- units_of(task$n, task$codes)
  stimuli <- matrix(NA_real_, units, length(columns))
  if (any(!half)) stimuli[, !half] <- vapply(columns[!half], deviations_of, numeric(units))
  halves <- NULL
  if (any(half)) {
    halves <- matrix(NA_real_, task$settings$resamples, length(columns))
    halves[, half] <- vapply(columns[half], deviations_of, numeric(nrow(halves)))
  }
  list(rows = data.frame(key = score_keys(rows), score = rows$score), n = task$n, units = units,
       names = if (is.null(task$codes)) names_of_stimuli(task$sides), stimuli = stimuli,
       halves = halves, methods = words, clustered = !is.null(task$codes), factors = factors)
}

names_of_stimuli <- function(sides) {
  named <- Find(function(repr) repr$kind == "data" && !is.null(rownames(repr$data)),
                all_representations(sides))
  if (!is.null(named)) rownames(named$data)
}

# A score of identical representations does not vary, whatever the stimuli: there is no error.
# Near it, distances that are functions of a cosine have the root of its rounding.
does_not_vary <- function(score, se, set) {
  none <- !is.na(se) & se <= tie_share * pmax(abs(score), 1)
  at_bound <- mapply(function(measure, score) {
    cosine <- errors_of(measure)$cosine
    !is.null(cosine) && isTRUE(abs(cosine$of(score)) > 1 - tie_share)
  }, rep(set, length.out = length(score)), score)
  !is.na(score) & (none | at_bound)
}

over_words <- function(task) {
  what <- if (is.null(task$codes)) "stimuli" else "clusters"
  neurons <- names(which(task$settings$neurons))
  paste(c(what, if (length(neurons)) paste0("neurons_", neurons),
          if (task$settings$subjects) "subjects"), collapse = " + ")
}

# The scale of each interval, see limits_of(). several: are there other samples than the stimuli?
interval_scales <- function(task, score, se, columns, several) {
  measures <- rep(task$set, length.out = length(score))
  scales <- Map(function(measure, score, se, column) {
    own <- if (!several && !is.na(se)) column$spread else NA_real_
    interval_scale(measure, score, se, own, task$settings$transform)
  }, measures, score, se, columns)
  do.call(rbind, unname(scales))
}

# own: the standard error of Fisher's z from the deletions, or NA.
interval_scale <- function(measure, score, se, own, transform) {
  errors <- errors_of(measure)
  refuse_transform(measure, errors, transform)
  way <- if (transform == "auto") transform_of(measure, errors) else transform
  cosine <- errors$cosine
  point <- if (is.null(cosine)) score else cosine$of(score)
  spread <- if (is.null(cosine)) se else se / abs(cosine$slope(point))
  # there is no z of a score beyond 1, as corrections may give
  z <- way == "z" && isTRUE(abs(point) < 1)
  if (z) {
    spread <- if (is.na(own)) spread / (1 - point^2) else own
    point <- atanh(point)
  }
  back <- if (is.null(cosine)) { if (z) "z" else "plain" } else
    paste0(cosine$back, if (!z) " plain")
  data.frame(point = point, spread = spread, back = back)
}

refuse_transform <- function(measure, errors, asked) {
  if (asked != "z") return(invisible())
  range <- measure$range
  bounded <- range[1] >= -1 && range[2] <= 1
  if (bounded || !is.null(errors$cosine)) return(invisible())
  abort("transform = \"z\" needs scores between -1 and 1, which those of ",
        dQuote(measure$label, FALSE), " need not be: use \"auto\" or \"none\".",
        class = "repalign_error_choice", arg = "transform")
}

# constant: does the score not vary at all? factors: the samples beside the stimuli.
warn_no_errors <- function(result, constant, factors) {
  lost <- which(is.na(result$se) & !is.na(result$score))
  if (!length(lost)) return(invisible())
  first <- result[lost[1], ]
  warn("No standard error (NA) of ", length(lost), " of ", count_of(nrow(result), "score"),
       ". First, ", first$measure, " of ", dQuote(first$x, FALSE), " and ",
       dQuote(first$y, FALSE), ": ",
       if (constant[lost[1]]) {
         paste0("its score (", format(first$score, digits = 4), ") does not vary with what was ",
                "sampled, as that of identical data, or of too many neighbours.")
       } else {
         undefined_without(lost[1], factors)
       }, class = "repalign_undefined", data = lost)
}

# Why a row has no standard error although its score varies.
undefined_without <- function(row, factors) {
  single <- Find(function(factor) row %in% factor$rows && factor$size == 1, factors)
  if (is.null(single)) {
    return("it is undefined without some of what was sampled: there is too little of it.")
  }
  paste0("errors over ", single$name, " need at least 2 neurons with different labels, but there ",
         "is only one neuron or label. Give more, or leave these neurons out of `over`.")
}

# The square of a deviation may be more than a double holds where the score itself is not.
warn_infinite_errors <- function(result) {
  large <- which(is.infinite(result$se))
  if (!length(large)) return(invisible())
  first <- result[large[1], ]
  warn("The standard error of ", length(large), " of ", count_of(nrow(result), "score"),
       " is too large for a double (Inf). First, ", first$measure, " of ", dQuote(first$x, FALSE),
       " and ", dQuote(first$y, FALSE), ": let the measure return smaller numbers.",
       class = "repalign_undefined", data = large)
}

# ---- score interval methods

# The result of score_interval() is printed, summarised, drawn and taken apart here.

#' @rdname tidy.repalign
#' @export
print.repalign_score_interval <- function(x, digits = 4, n = NULL, ...) {
  check_printing(digits, n, ...)
  level <- attr(x, "conf_level")
  cat("Scores with errors: ", count_of(nrow(x), "score"), undefined_of(x$score), "\n", sep = "")
  if (!is.null(level) && !is.null(x$over) && nrow(x)) {
    cat("conf_low to conf_high: ", format(100 * level), "% interval over ",
        enumerate(unique(x$over), quote = FALSE), "\n", sep = "")
  }
  print_rows(x, digits, n)
  if (!is.null(x$over) && any(grepl("neurons|subjects", x$over) & x$method == "half-samples")) {
    cat("Of half-samples no interactions are subtracted: their errors are rather too large.\n")
  }
  if (has_fixed_rows(x)) {
    cat("The units of y are taken as all that there are (model_units = \"fixed\"): its self term\n",
        "is corrected for stimuli only.\n", sep = "")
  }
  invisible(x)
}

has_fixed_rows <- function(x) {
  any(vapply(attr(x, "deletions"), function(call) any(call$rows$fixed), NA))
}

#' @rdname tidy.repalign
#' @export
tidy.repalign_score_interval <- function(x, ...) {
  new <- c(measure = "term", score = "estimate", se = "std.error", conf_low = "conf.low",
           conf_high = "conf.high")
  plain <- need_columns(as.data.frame(x), names(new), "tidied")
  at <- match(names(new), names(plain))
  names(plain)[at] <- new
  plain
}

#' @rdname tidy.repalign
#' @export
glance.repalign_score_interval <- function(x, ...) {
  plain <- need_columns(as.data.frame(x), c("x", "y", "measure", "score", "n"), "summarised")
  sides <- intersect(c("model_x", "model_y", "x", "y"), names(plain))
  level <- attr(x, "conf_level")
  glance_rows(plain, source_columns(x), function(at) {
    part <- plain[at, , drop = FALSE]
    data.frame(pairs = nrow(unique(part[sides])), measures = length(unique(part$measure)),
               n = part$n[1], conf_level = if (is.null(level)) NA_real_ else level,
               undefined = sum(is.na(part$score)))
  })
}

#' @rdname tidy.repalign
#' @export
summary.repalign_score_interval <- function(object, ...) {
  plain <- need_columns(as.data.frame(object), c("measure", "score", "se"), "summarised")
  refuse_pooling(object)
  summary_rows(plain, source_columns(object), function(part) {
    known <- part$score[!is.na(part$score)]
    data.frame(pairs = nrow(part), undefined = sum(is.na(part$score)),
               min = if (length(known)) min(known) else NA_real_,
               max = if (length(known)) max(known) else NA_real_,
               median_se = stats::median(part$se, na.rm = TRUE))
  })
}

#' Errors of scores, and how scores vary together
#'
#' `confint()` gives limits at any level, `vcov()` the covariance matrix of the scores, and
#' `influence_matrix()` what each stimulus does to each score.
#'
#' @param object,result what [score_interval()] returned, or some of its rows in any order.
#' @param parm numbers of rows, or their names as the result of `confint()` without `parm` has
#'   them; by default all rows.
#' @param level coverage, between 0 and 1; by default that of `object`.
#' @param ... unused.
#' @return `confint()`: a matrix with a row for each score and its two limits. `vcov()`: a square
#'   matrix; its diagonal holds the squares of the column `se`, and `NA` where that is. Covariances
#'   between scores whose errors come from deletions and scores whose errors come from half-samples
#'   are `NA`: `method = "half-samples"` for all gives them, too. `influence_matrix()`: a matrix
#'   with a row for each stimulus (or cluster) and a column for each score: how much the score would
#'   rise, n times the derivative, if the stimulus had a larger share. Columns of scores by
#'   half-samples are `NA`.
#' @details
#' The rows must come from one call of [score_interval()], because scores of different calls do
#' not tell how they vary together. In `vcov()`, covariances over stimuli and over neurons or
#' subjects are added and those of their interactions subtracted; eigenvalues below 0, which
#' this may leave, are set to 0.
#' @examples
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#' layers <- lapply(v4_layers[1:3], function(layer) layer[1:100, ])
#' result <- score_interval(v4, layers, measure("cka", estimator = "stimulus"))
#' confint(result, level = 0.9)
#' vcov(result)
#' # the images that the last score owes most to
#' head(order(-influence_matrix(result)[, 3]))
#' @seealso [score_interval()]
#' @name score_interval_errors
NULL

#' @rdname score_interval_errors
#' @export
confint.repalign_score_interval <- function(object, parm, level = NULL, ...) {
  no_other_arguments(...)
  rows <- need_columns(as.data.frame(object), "df", "used")
  if (is.null(level)) level <- level_of(object)
  level <- check_number(level, "level", above = 0, below = 1)
  limits <- unname(limits_of(scales_of(object), rows$df, level))
  named_limits(limits, row_titles(object), level, parm)
}

# The scales of the intervals of all rows, which may be of several calls.
scales_of <- function(object) {
  places <- deletion_places(object)
  if (anyNA(places$call)) refuse_lost_deletions()
  calls <- attr(object, "deletions")
  scales <- Map(function(call, row) calls[[call]]$scales[row, ], places$call, places$row)
  do.call(rbind, c(list(calls[[1]]$scales[0, ]), unname(scales)))
}

# Short names of the rows: without what is the same in all of them.
row_titles <- function(object) {
  rows <- as.data.frame(object)
  x <- full_names(rows, "x")
  y <- full_names(rows, "y")
  parts <- c(as.list(rows[source_columns(object)]), list(x, y, as.character(rows$measure)))
  varies <- vapply(parts, function(part) length(unique(part)) > 1, NA)
  if (!nrow(rows)) return(character())
  if (!any(varies)) varies[length(varies) - 1] <- TRUE
  do.call(paste, c(unname(parts[varies]), sep = " | "))
}

#' @rdname score_interval_errors
#' @importFrom stats vcov
#' @export
vcov.repalign_score_interval <- function(object, ...) {
  no_other_arguments(...)
  total <- total_covariance(interval_parts(object))
  unknown <- is.na(object$se)
  total[unknown, ] <- total[, unknown] <- NA
  dimnames(total) <- rep(list(row_titles(object)), 2)
  total
}

#' @rdname score_interval_errors
#' @export
influence_matrix <- function(result) {
  need_arguments()
  if (!inherits(result, "repalign_score_interval")) {
    abort("`result` must be what score_interval() returned, not ", describe(result), ".",
          class = "repalign_error_type", arg = "result")
  }
  places <- deletion_places(result)
  if (anyNA(places$call)) refuse_lost_deletions()
  calls <- attr(result, "deletions")
  if (length(unique(vapply(calls[unique(places$call)], function(call) call$units, 0))) > 1) {
    abort("These rows come from calls with different numbers of stimuli: take the rows of one.",
          class = "repalign_error_rows", arg = "result")
  }
  columns <- Map(function(call, row) influence_of(calls[[call]], row), places$call, places$row)
  call <- calls[[if (nrow(result)) places$call[1] else 1]]
  matrix(as.double(unlist(columns)), call$units, nrow(result),
         dimnames = list(call$names, row_titles(result)))
}

# Deviations of delete-one values have sums of squares that are larger by n / (n - 1).
influence_of <- function(call, row) {
  m <- call$units
  exact <- call$methods[row] == "influence" && !call$clustered
  call$stimuli[, row] * if (exact) m else sqrt(m * (m - 1))
}

#' @rdname plot.repalign
#' @export
plot.repalign_score_interval <- function(x, ...) draw(x, ...)

#' @rdname plot.repalign
#' @exportS3Method ggplot2::autoplot
autoplot.repalign_score_interval <- function(object, ...) {
  no_other_arguments(...)
  need_columns(object, c("x", "y", "measure", "score", "conf_low", "conf_high"), "drawn")
  need_rows(object)
  rows <- forest_rows(object)
  if (all(is.na(rows$score))) {
    abort("There is nothing to draw: all values are undefined (NA).",
          class = "repalign_error_size", arg = "object")
  }
  several <- length(unique(rows$panel)) > 1
  ggplot2::ggplot(rows, ggplot2::aes(x = .data[["score"]], y = .data[["title"]])) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data[["conf_low"]], xmax = .data[["conf_high"]]),
                            na.rm = TRUE, linewidth = 0.8, colour = forest_colour) +
    ggplot2::geom_point(na.rm = TRUE, size = 2.5, colour = forest_colour) +
    (if (several) ggplot2::facet_wrap(ggplot2::vars(.data[["panel"]]), scales = "free_x")) +
    ggplot2::labs(x = if (several) "score" else as.character(rows$panel[1]), y = NULL,
                  caption = forest_caption(object)) +
    picture_theme(panel.grid.minor = ggplot2::element_blank(),
                  panel.grid.major.y = ggplot2::element_blank())
}

forest_colour <- "#0072B2"

# The first row is on top; each measure has a panel.
forest_rows <- function(object) {
  rows <- as.data.frame(object)
  x <- full_names(rows, "x")
  y <- full_names(rows, "y")
  title <- if (length(unique(x)) > 1 && length(unique(y)) > 1) paste(x, y, sep = " - ") else
    if (length(unique(x)) > 1) x else y
  sources <- source_columns(object)
  if (length(sources)) title <- paste(source_names(rows, sources), title, sep = " | ")
  twice <- anyDuplicated(data.frame(title, rows$measure))
  if (twice) {
    abort("`object` has two intervals of ", dQuote(title[twice], FALSE), " that cannot be told ",
          "apart: bind them with names, as in rbind(day1 = a, day2 = b).",
          class = "repalign_error_rows", arg = "object")
  }
  rows$title <- factor(title, rev(unique(title)))
  rows$panel <- factor(as.character(rows$measure), label_levels(rows$measure))
  rows
}

forest_caption <- function(object) {
  level <- attr(object, "conf_level")
  over <- enumerate(unique(object$over), quote = FALSE)
  parts <- c(if (!is.null(level)) paste0("lines: ", format(100 * level), "% intervals"),
             if (nzchar(over)) paste("over", over),
             if (anyNA(object$score)) paste(sum(is.na(object$score)), "undefined"))
  if (length(parts)) paste(parts, collapse = "; ")
}

# ---- interval parts

# The deletions that score_interval() keeps beside its rows, and the covariances of scores that
# follow from them.

# The attribute `deletions` of a result of class "repalign_score_interval" is a list with an entry
# for each call of score_interval() that its rows come from (several after rbind()). An entry is
#
# rows           what names each of the P scores of the call (score_keys()), with their values and
#                standard errors: a row of a result finds its place by these, so that results may be
#                cut, reordered and bound; `fixed`: are the units of y all that there are?
# n, units       the numbers of stimuli, and of what is deleted of them (stimuli or clusters)
# names          of these units
# stimuli        a matrix units x P of deviations, whose products add up to the covariances over
#                stimuli; NA for scores by half-samples
# halves         the same of half-samples, resamples x P, or NULL without any
# methods        of the P scores
# clustered      were clusters deleted?
# factors        a list with an entry for each other sample, such as the neurons of one
#                representation: list(name, size, rows, deviations, interaction), where `rows` are
#                the scores that it is part of, `deviations` is size x rows, and `interaction` the
#                matrix (rows x rows) of the covariances that are subtracted because both main parts
#                contain them
# scales         a data frame with the scales of the intervals: point +- quantile * spread, mapped
#                by `back`

# What names the rows of a result.
score_keys <- function(rows) {
  columns <- intersect(c("model_x", "model_y", "x", "y", "measure", "over"), names(rows))
  do.call(paste, c(lapply(unname(as.list(rows)[columns]), as.character), sep = "\r"))
}

# The places of the rows of a result: a data frame with the columns call and row; NA for rows that
# are of no call.
deletion_places <- function(object) {
  rows <- need_columns(as.data.frame(object), c("x", "y", "measure", "score", "se", "over"),
                       "used")
  keys <- score_keys(rows)
  calls <- attr(object, "deletions")
  places <- data.frame(call = rep(NA_integer_, nrow(rows)), row = rep(NA_integer_, nrow(rows)))
  for (call in seq_along(calls)) {
    known <- calls[[call]]
    for (at in which(is.na(places$call))) {
      here <- which(known$rows$key == keys[at])
      same <- vapply(here, function(row) {
        identical(known$rows$score[row], rows$score[at]) &&
          identical(known$rows$se[row], rows$se[at])
      }, NA)
      if (any(same)) places[at, ] <- c(call, here[same][1])
    }
  }
  places
}

# The parts of the covariances of the rows of a result, all of one call: list(main, interactions,
# df, score). `main` is a list of covariance matrices, of the stimuli first; `interactions` are
# those of each of the others with the stimuli, and df the degrees of freedom of each main part.
interval_parts <- function(object, arg = "object") {
  places <- deletion_places(object)
  calls <- attr(object, "deletions")
  if (anyNA(places$call)) refuse_lost_deletions(arg)
  if (length(unique(places$call)) > 1) {
    abort("These rows come from several calls of score_interval(), which do not tell how their ",
          "scores vary together: give all representations in one call.",
          class = "repalign_error_rows", arg = arg)
  }
  parts_of_call(if (nrow(places)) calls[[places$call[1]]] else calls[[1]], places$row)
}

parts_of_call <- function(call, rows) {
  factors <- lapply(call$factors, factor_covariances, rows)
  factors <- Filter(function(factor) factor$used, factors)
  list(main = c(list(stimulus_covariances(call, rows)), lapply(factors, function(f) f$main)),
       interactions = lapply(factors, function(f) f$interaction),
       df = c(call$units - 1, vapply(factors, function(f) f$size - 1, 0)),
       clustered = call$clustered, score = call$rows$score[rows])
}

refuse_lost_deletions <- function(arg = "object") {
  abort("The deletions of some rows are no longer known: use rows of what score_interval() ",
        "returned, with their names and scores as they were.", class = "repalign_error_rows",
        arg = arg)
}

# NA between scores by deletions and scores by half-samples.
stimulus_covariances <- function(call, rows) {
  covariance <- crossprod(call$stimuli[, rows, drop = FALSE])
  if (is.null(call$halves)) return(covariance)
  of_halves <- crossprod(call$halves[, rows, drop = FALSE])
  known <- is.na(covariance) & !is.na(of_halves)
  covariance[known] <- of_halves[known]
  covariance
}

# Scores that the factor is no part of have zeros.
factor_covariances <- function(factor, rows) {
  at <- match(rows, factor$rows)
  full <- function(values) {
    values <- values[at, at, drop = FALSE]
    values[is.na(at), ] <- 0
    values[, is.na(at)] <- 0
    values
  }
  list(main = full(crossprod(factor$deviations)), interaction = full(factor$interaction),
       size = factor$size, used = any(!is.na(at)))
}

# The standard errors of contrasts (columns of `weights`, rows x contrasts) and their degrees of
# freedom. A variance is never below one of its main parts. Over stimuli alone intervals are normal;
# with other samples or clusters the degrees of freedom are those of Satterthwaite.
contrast_errors <- function(parts, weights) {
  quadratic <- function(covariance) {
    # scores without weight may have no variance
    vapply(seq_len(ncol(weights)), function(j) {
      used <- weights[, j] != 0
      w <- weights[used, j]
      sum(w * (covariance[used, used, drop = FALSE] %*% w))
    }, 0)
  }
  main <- matrix(vapply(parts$main, quadratic, numeric(ncol(weights))), ncol(weights))
  inner <- matrix(vapply(parts$interactions, quadratic, numeric(ncol(weights))), ncol(weights))
  if (isTRUE(parts$capped)) inner <- pmax(inner, 0)
  # rounding may take the variance of two copies below 0
  largest <- vapply(seq_len(nrow(main)), function(j) max(main[j, ]), 0)
  variance <- pmax(rowSums(main) - rowSums(inner), largest, 0)
  if (!is.null(parts$with_folds)) {
    variance[variance < least_share_beside_folds * quadratic(parts$with_folds)] <- NA
  }
  several <- length(parts$main) > 1
  df <- if (isTRUE(parts$capped)) rep(parts$df, ncol(weights)) else if (several) {
    # squares of variances in very large units are more than a double holds
    ifelse(variance > 0, 1 / rowSums(sweep((main / variance)^2, 2, parts$df, "/")), NA_real_)
  } else {
    rep(if (parts$clustered) parts$df else Inf, ncol(weights))
  }
  data.frame(se = sqrt(variance), df = df)
}

# The covariance matrix of the rows: eigenvalues below 0, which the subtraction of interactions may
# leave, are set to 0, and the diagonal is that of the standard errors.
total_covariance <- function(parts) {
  total <- Reduce(`+`, parts$main) - Reduce(`+`, parts$interactions, 0)
  wanted <- contrast_errors(parts, diag(nrow(total)))$se
  if (length(parts$interactions)) {
    # scores whose covariances are known are known together
    together <- apply(is.na(total), 1, function(lost) paste(which(!lost), collapse = " "))
    for (at in split(seq_along(together), together)) {
      if (!anyNA(total[at, at])) total[at, at] <- nearest_covariance(total[at, at, drop = FALSE])
    }
  }
  factor <- ifelse(diag(total) > 0, wanted / sqrt(pmax(diag(total), 0)), 1)
  total <- total * outer(factor, factor)
  diag(total) <- wanted^2
  total
}

nearest_covariance <- function(total) {
  parts <- eigen(total, symmetric = TRUE)
  if (all(parts$values >= 0)) return(total)
  parts$vectors %*% (pmax(parts$values, 0) * t(parts$vectors))
}

# Limits at a level, from the scale that a row has its interval on.
limits_of <- function(scales, df, level) {
  half <- stats::qt(0.5 + level / 2, df) * scales$spread
  limits <- cbind(map_back(scales$point - half, scales$back),
                  map_back(scales$point + half, scales$back))
  cbind(low = pmin(limits[, 1], limits[, 2]), high = pmax(limits[, 1], limits[, 2]))
}

# "z": Fisher's z of the score; "angle" and "chord": of the cosine that the distance is made of.
map_back <- function(point, back) {
  value <- point
  for (kind in setdiff(unique(back), "plain")) {
    at <- which(back == kind)
    c <- if (grepl("plain", kind)) point[at] else tanh(point[at])
    value[at] <- switch(sub(" plain", "", kind), z = c, angle = new_angle()$score(c),
                        chord = new_chord()$score(c), no_branch(kind))
  }
  value
}
