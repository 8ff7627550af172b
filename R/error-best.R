# best_score() and compare_best(): the best of several scores.

# ---- best score

# best_score() gives an honest interval of the best of several scores, and the scores that may be
# the best.

#' The best of several scores
#'
#' The largest of many scores is too large by selection. `best_score()` gives an interval for the
#' best true score, whichever layer has it, and the set of layers that may be the best.
#' `compare_best()` tests whether some layer of one model is better than every layer of another.
#'
#' @param result see [compare_scores()].
#' @param by columns of `result` that tell groups apart: by default models of `y`; `NULL`: one group
#'   for each measure.
#' @param group_1,group_2 each the name of a model of `y` (a value of `model_y`), or names of
#'   scores, or numbers of rows of `result`.
#' @param draws number of normal draws.
#' @param ... not used.
#' @return `best_score()`: a data frame of class `repalign_best` with a row for each group: `group`,
#'   the values of `by` (and the measure, if there are several); `best`, the name of the best score;
#'   `score`, its value; `conf_low` and `conf_high`, an interval for the best true score, to be
#'   reported; `in_set`, a list of the names of all that may be the best. Levels are those of
#'   `result`. `confint()` gives the limits as a matrix.
#'
#'   `compare_best()`: a data frame of class `repalign_best_comparison` with one row: `best_1` and
#'   `best_2`, the best scores of both; `difference`, of the two, which is biased; `crossfit`, with
#'   less bias; `statistic` (on the scale of standard normal values), `critical` (at the level of
#'   `result`) and `p_value` of the one-sided test that the best of `group_1` is better.
#' @details
#' `in_set` holds the best true score with the probability of `conf_level`.
#'
#' The test of `compare_best()` is conservative, more so for groups of many unlike layers. For the
#' other direction, exchange the groups; two tests at level alpha/2 make a two-sided one. `crossfit`
#' picks both layers on one half of the data and takes their difference on the other.
#'
#' When not to trust it, and what is held constant: see [compare_scores()]. Scores without a
#' standard error are left out, with a warning.
#' @references Hsu (1996), Multiple Comparisons: Theory and Methods. Mogstad, Romano, Shaikh and
#'   Wilhelm (2024), Rev. Econ. Stud. 91 (sets of ranks). Andrews, Kitagawa and McCloskey (2024), Q.
#'   J. Econ. 139 (inference on winners). Berger (1982), Technometrics 24 (intersections and unions
#'   of tests).
#' @examples
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:60, 1:25]
#' layers <- lapply(v4_layers, function(layer) layer[1:60, ])
#' result <- score_interval(v4, layers, measure("cka", estimator = "stimulus_neuron"),
#'                          over = c("stimuli", "neurons_x"))
#' set.seed(1)
#' best_score(result)
#' # are the later layers better than the first two?
#' compare_best(result, c("L2", "L3", "L4"), c("L0", "L1"))
#' @export
best_score <- function(result, by = "model_y", draws = 9999, ...) {
  need_arguments()
  default <- missing(by)
  scores <- compared_scores(result)
  warn_again(attr(result, "dependence"))
  draws <- check_draws(draws, scores$level, length(scores$score))
  # the rows of each group, with their names
  columns <- setdiff(names(scores$rows), c("score", "se", "df", "conf_low", "conf_high", "n"))
  if (default) by <- intersect("model_y", columns)
  else if (!is.null(by)) by <- check_choice(by, columns, "by", several = TRUE)
  by <- union(by, if (length(unique(scores$measure)) > 1) "measure")
  groups <- if (!length(by)) list(all = seq_along(scores$score)) else {
    names <- do.call(paste, c(lapply(unname(scores$rows[by]), as.character), sep = " | "))
    split(seq_along(names), factor(names, unique(names)))
  }
  found <- lapply(groups, function(at) best_of_group(some_scores(scores, at), draws))
  members <- do.call(rbind, Map(function(name, at, one) {
    data.frame(group = name, scores$rows[at, c("measure", "score", "se")],
               title = scores$title[at], in_set = one$in_set)
  }, names(groups), groups, found))
  rownames(members) <- NULL
  pick <- function(part, type) vapply(found, `[[`, type, part, USE.NAMES = FALSE)
  rows <- data.frame(group = names(groups), best = pick("best", ""), score = pick("score", 0),
                     conf_low = pick("low", 0), conf_high = pick("high", 0))
  rows$in_set <- unname(lapply(found, function(one) one$names))
  new_result(rows, "repalign_best", list(
    conf_level = scores$level, members = members, over = over_of_measures(scores$rows),
    of_models = scores$of_models, no_interactions = scores$halves
  ))
}

# list(best, score, low, high, in_set, names), where in_set has a value for each score.
best_of_group <- function(scores, draws) {
  oriented <- scores$sign * scores$score
  errors <- contrast_errors(scores$parts, diag(length(oriented)))
  usable <- which(!is.na(oriented) & !is.na(errors$se))
  warn_left_out(scores, usable)
  in_set <- replace(rep(NA, length(oriented)), usable, TRUE)
  if (!length(usable)) {
    return(list(best = NA_character_, score = NA_real_, low = NA_real_, high = NA_real_,
                in_set = in_set, names = character()))
  }
  best <- usable[which.max(oriented[usable])]
  joint <- draws_of_scores(scores, draws)
  errors <- errors[usable, ]
  oriented <- oriented[usable]
  half <- (1 - scores$level) / 2
  z <- stats::qnorm(1 - half)
  if (length(usable) > 1) {
    weights <- diag(scores$sign, length(scores$sign))[, usable, drop = FALSE]
    z <- critical_of(largest_of_contrasts(joint, weights), half, z)
  }
  limits <- c(max(oriented - t_of(z, errors$df) * errors$se),
              max(oriented + stats::qt(1 - half, errors$df) * errors$se))
  # each score against all others: is one of them better by more than the largest difference that
  # chance gives?
  in_set[usable] <- vapply(usable, function(l) {
    others <- setdiff(usable, l)
    if (!length(others)) return(TRUE)
    weights <- pair_weights(length(scores$score), others, rep(l, length(others)))
    z <- oriented_z(scores, weights)
    largest <- largest_of_contrasts(joint, scores$sign * weights)
    alone <- stats::qnorm(scores$level)
    critical <- if (length(others) == 1) alone else critical_of(largest, 1 - scores$level, alone)
    max(z) <= critical
  }, NA)
  limits <- sort(scores$sign[best] * limits)
  list(best = scores$title[best], score = scores$score[best], low = limits[1], high = limits[2],
       in_set = in_set, names = scores$title[which(in_set)])
}

# The statistics of differences as normal values, where larger is more similar. Scores that do not
# vary against each other differ by any multiple of their error, or not at all.
oriented_z <- function(scores, weights) {
  errors <- errors_of_contrasts(scores, weights)
  oriented <- scores$sign * replace(scores$score, is.na(scores$score), 0)
  difference <- as.vector(oriented %*% weights)
  certain <- is.na(errors$se)
  z <- z_of(difference / errors$se, errors$df)
  same <- abs(difference) <= tie_share * pmax(max(abs(oriented)), 1)
  z[certain] <- ifelse(same, 0, sign(difference) * Inf)[certain]
  z
}

warn_left_out <- function(scores, usable) {
  lost <- setdiff(seq_along(scores$score), usable)
  warn_if(length(lost), "undefined", "Scores without a standard error are left out ",
          "({length(lost)} of {length(scores$score)}). First, {quoted(scores$title[lost[1]])}.",
          data = lost)
}

# ---- compare best

# compare_best() compares the best score of one group with the best score of another.

#' @rdname best_score
#' @export
compare_best <- function(result, group_1, group_2, draws = 9999, ...) {
  need_arguments()
  scores <- compared_scores(result)
  warn_again(attr(result, "dependence"))
  draws <- check_draws(draws, scores$level, length(scores$score))
  groups <- list(group_rows(group_1, scores, "group_1"), group_rows(group_2, scores, "group_2"))
  both <- intersect(groups[[1]], groups[[2]])
  refuse_if(length(both), "choice", "`group_1` and `group_2` both have ",
            "{quoted(scores$title[both[1]])}: a score can be of one group only.", arg = "group_2")
  measures <- unique(scores$measure[unlist(groups)])
  refuse_if(length(measures) > 1, "rows", "The groups have scores of {enumerate(measures)}, which ",
            "are not on one scale: take the rows of one measure, as in ",
            "{rows_example('result', 'measure', measures[1])}.", arg = "result")
  se <- contrast_errors(scores$parts, diag(length(scores$score)))$se
  usable <- which(!is.na(scores$score) & !is.na(se))
  asked <- unlist(groups)
  warn_left_out(some_scores(scores, asked), match(intersect(asked, usable), asked))
  groups <- lapply(groups, intersect, usable)
  empty <- which(!lengths(groups))
  refuse_if(length(empty), "size", "`group_{empty[1]}` has no score with a standard error.",
            arg = paste0("group_", empty[1]))
  # the largest over a of the smallest over b, and the joint draws of the largest over a for each b
  those <- some_scores(scores, unlist(groups))
  a <- seq_along(groups[[1]])
  joint <- draws_of_scores(those, draws)
  each <- lapply(length(a) + seq_along(groups[[2]]), function(other) {
    pair_weights(length(those$score), a, rep(other, length(a)))
  })
  z <- vapply(each, function(weights) oriented_z(those, weights), numeric(length(a)))
  statistic <- max(apply(matrix(z, length(a)), 1, min))
  largest <- lapply(each, function(weights) largest_of_contrasts(joint, those$sign * weights))
  alpha <- 1 - scores$level
  critical <- max(vapply(largest, critical_of, 0, alpha, stats::qnorm(1 - alpha)))
  p <- max(vapply(largest, share_reaching, 0, values = statistic),
           stats::pnorm(statistic, lower.tail = FALSE))
  oriented <- scores$sign * scores$score
  best <- vapply(groups, function(at) at[which.max(oriented[at])], 1L)
  rows <- data.frame(best_1 = scores$title[best[1]], best_2 = scores$title[best[2]],
                     difference = scores$score[best[1]] - scores$score[best[2]],
                     crossfit = cross_fit(result, scores, groups), statistic = statistic,
                     critical = critical, p_value = p)
  new_result(rows, "repalign_best_comparison", list(
    conf_level = scores$level, over = over_of_measures(scores$rows), sizes = lengths(groups),
    no_interactions = scores$halves
  ))
}

group_rows <- function(group, scores, arg) {
  count <- length(scores$score)
  if (is.numeric(group)) {
    usable <- length(group) && all(is.finite(group)) && all(group %in% seq_len(count)) &&
      !anyDuplicated(group)
    refuse_if(!usable, "value", "`{arg}` must be different rows of `result`, from 1 to {count}.")
    return(as.integer(group))
  }
  refuse_if(!is.character(group), "type", "`{arg}` must be the name of a model, names of scores ",
            "or numbers of rows, not {describe(group)}.")
  models <- scores$rows$model_y
  models <- if (is.null(models)) rep(NA_character_, count) else as.character(models)
  twice <- Filter(function(name) {
    of_model <- models %in% name
    of_score <- scores$title %in% name
    any(of_model) && any(of_score) && !identical(of_model, of_score)
  }, group)
  refuse_if(length(twice), "choice", "`{arg}` has {quoted(twice[1])}, which names a model ",
            "and a score: give the numbers of the rows that are meant.")
  if (length(group) == 1 && group %in% models) return(which(models == group))
  choices <- stats::na.omit(unique(c(models, scores$title)))
  group <- check_choice(group, choices, arg, several = TRUE)
  which(scores$title %in% group | models %in% group)
}

# The difference of the layers that are best in one half of the stimuli, in the other half.
cross_fit <- function(result, scores, groups) {
  count <- 20
  result <- interval_of_models(result)
  shifts <- if (!inherits(result, "repalign_evaluation")) half_shifts(result, count) else {
    # Of models of RDMs there are no influences of single stimuli or subjects: what random halves
    # change is drawn with the covariances of the scores, which is what these changes have.
    one <- draws_of_scores(scores, count)$values
    list(one = one, other = -one)
  }
  one_way <- function(pick, judge) {
    at <- vapply(groups, function(group) group[which.max(scores$sign[group] * pick[group])], 1L)
    judge[at[1]] - judge[at[2]]
  }
  mean(vapply(seq_len(nrow(shifts$one)), function(h) {
    first <- scores$score + shifts$one[h, ]
    second <- scores$score + shifts$other[h, ]
    (one_way(first, second) + one_way(second, first)) / 2
  }, 0))
}

# What halves of the stimuli change about the scores, to first order: halvings x scores, for one
# half and for the other.
half_shifts <- function(result, count) {
  influence <- influence_matrix(result)
  units <- nrow(influence)
  h <- units %/% 2
  keep <- vapply(seq_len(count), function(b) seq_len(units) %in% sample.int(units, h),
                 logical(units))
  one <- crossprod(keep, influence) / h
  places <- deletion_places(result)
  halves <- attr(result, "deletions")[[places$call[1]]]$halves
  if (!is.null(halves)) {
    # the spread of half-samples was scaled to that of the score of all stimuli
    known <- sqrt(nrow(halves) - 1) * sqrt((units - h) / h) * halves[, places$row, drop = FALSE]
    lost <- is.na(colSums(one))
    one[, lost] <- known[seq_len(count), lost]
  }
  list(one = one, other = -h / (units - h) * one)
}
