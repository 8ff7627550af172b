# What comparisons need of the result of score_interval() or of evaluate_models(): its scores, their
# names and how they vary together.

# Returns list(score, title, measure, sign, parts, total, level, order, halves). `title` names
# scores within their measure, `sign` is -1 for distances, and `order` is that of the call: draws
# are made in it, so that results do not depend on the order of rows.
compared_scores <- function(result) {
  if (inherits(result, "repalign_evaluation")) return(compared_models(result))
  if (!inherits(result, "repalign_score_interval")) {
    abort("`result` must be what score_interval() or evaluate_models() returned, with the scores ",
          "to compare, not ", describe(result), ".", class = "repalign_error_type", arg = "result")
  }
  rows <- as.data.frame(result)
  if (!nrow(rows)) {
    abort("`result` has no rows: there is nothing to compare. Look at how its rows were chosen.",
          class = "repalign_error_size", arg = "result")
  }
  need_columns(rows, c("x", "y", "measure", "score", "se", "over", "method"), "compared", "result")
  parts <- interval_parts(result, "result")
  places <- deletion_places(result)
  twice <- anyDuplicated(places)
  if (twice) {
    abort("`result` has the same score twice, in rows ",
          which(places$row == places$row[twice])[1], " and ", twice, ": take one of them.",
          class = "repalign_error_rows", arg = "result")
  }
  measure <- as.character(rows$measure)
  parts <- without_undefined(parts, rows$score)
  list(score = rows$score, title = titles_by_measure(result, measure), measure = measure,
       sign = signs_of(result, measure), parts = parts, total = total_covariance(parts),
       level = level_of(result), order = order(places$row), rows = rows,
       halves = length(parts$interactions) > 0 && any(rows$method == "half-samples"))
}

# Short names of the scores, which are different within each measure.
titles_by_measure <- function(result, measure) {
  titles <- character(length(measure))
  for (one in unique(measure)) {
    at <- which(measure == one)
    titles[at] <- row_titles(result[at, ])
  }
  titles
}

# What is not defined has no covariances.
without_undefined <- function(parts, score) {
  lost <- is.na(score)
  for (p in seq_along(parts$main)) {
    parts$main[[p]][lost, ] <- NA
    parts$main[[p]][, lost] <- NA
  }
  parts
}

signs_of <- function(result, measure) {
  direction <- attr(result, "direction")
  known <- if (is.null(direction)) rep(NA, length(measure)) else direction[measure]
  if (anyNA(known)) {
    abort("`result` no longer says whether larger or smaller scores of ",
          dQuote(measure[is.na(known)][1], FALSE), " are better: start again from what ",
          "score_interval() returned.", class = "repalign_error_rows", arg = "result")
  }
  unname(ifelse(known == "distance", -1, 1))
}

# Some of the scores.
some_scores <- function(scores, at) {
  parts <- some_parts(scores$parts, at)
  parts$score <- parts$score[at]
  for (name in c("score", "title", "measure", "sign")) scores[[name]] <- scores[[name]][at]
  scores$order <- order(match(at, scores$order))
  scores$rows <- scores$rows[at, , drop = FALSE]
  scores$parts <- parts
  scores$total <- total_covariance(parts)
  scores
}

# The covariances of some scores.
some_parts <- function(parts, at) {
  cut <- function(part) part[at, at, drop = FALSE]
  parts$main <- lapply(parts$main, cut)
  parts$interactions <- lapply(parts$interactions, cut)
  if (!is.null(parts$with_folds)) parts$with_folds <- cut(parts$with_folds)
  parts
}

# Joint draws of all scores, the same whatever the order of the rows.
draws_of_scores <- function(scores, count) {
  normals <- matrix(stats::rnorm(count * length(scores$score)), count)
  normals[, scores$order] <- normals
  joint_draws(scores$total, normals)
}

# Standard errors and degrees of freedom of contrasts (columns). A contrast that does not vary, as
# that of a representation with its copy, has none.
errors_of_contrasts <- function(scores, weights) {
  errors <- contrast_errors(scores$parts, weights)
  size <- apply(abs(weights * replace(scores$score, is.na(scores$score), 0)), 2, max)
  errors$se[which(errors$se <= tie_share * pmax(size, 1))] <- NA
  errors
}

# A matrix of weights (scores x contrasts) of first minus second, which are numbers of scores.
pair_weights <- function(count, first, second) {
  weights <- matrix(0, count, length(first))
  weights[cbind(first, seq_along(first))] <- 1
  weights[cbind(second, seq_along(second))] <- -1
  weights
}
