# compare_best() compares the best score of one group with the best score of another.

#' Is the best of one group better than the best of another?
#'
#' Compares two models by their best layers. A difference of the two largest scores is biased
#' towards the model with more layers; this test is not: it asks whether some layer of the first
#' model is better than every layer of the second.
#'
#' @inheritParams best_score
#' @param group_1,group_2 each the name of a model of `y` (a value of the column `model_y`), or the
#'   names of scores (as in `best_score()`), or numbers of rows of `result`.
#' @return A data frame of class `repalign_best_comparison` with one row: `best_1` and `best_2`, the
#'   best scores of both; `difference`, of the two, which is biased; `crossfit`, an estimate of the
#'   difference with less bias; `statistic`, `critical` and `p_value` of the one-sided test that the
#'   best of `group_1` is better. The statistic is on the scale of standard normal values, and
#'   `critical` holds at the level of `result`.
#' @details
#' With \eqn{t_{ab}}{t_ab} the statistic of the difference of layer a of the first and layer b of
#' the second group (see [compare_scores()]), the statistic is
#' \eqn{\max_a \min_b t_{ab}}{max_a min_b t_ab}. If the best of the second group is at least as good
#' as all of the first, one \eqn{b} has differences that are not positive, and the statistic is at
#' most the largest of its \eqn{t_{ab}}{t_ab}. So it is compared with
#' \eqn{\max_a Z_{ab}}{max_a Z_ab} in joint normal draws, for the \eqn{b} for which this is
#' largest. The test is conservative,
#' more so for groups of many unlike layers.
#'
#' `crossfit` picks both layers on one random half of the stimuli and takes their difference on
#' the other, both ways, as the mean over 20 halvings. Scores of halves are those to first order,
#' from the influences of the stimuli (or from the half-samples of the result), so that they
#' estimate what the scores of all stimuli do. It has no standard error, and is not what is tested.
#'
#' What is held constant, and what the sample is: see [compare_scores()]. For the other direction,
#' exchange the groups; two tests at level alpha/2 make a two-sided one.
#'
#' In simulations (`Rscript bench/inference-differences.R two sets=300 truth=1000`: 9 layers of one
#' model against one layer of another, all with the same true score, 100 stimuli, 300 data sets),
#' the test rejected in 5.7% of the data sets, and the difference of the largest scores, tested as
#' if it had been chosen beforehand, in 21%. That difference was too large by 0.078, `crossfit` by
#' 0.014. When the 9 layers were better by 0.08, the test found it in 33%.
#'
#' When not to trust it: as for [compare_scores()].
#' @references Berger (1982), Technometrics 24 (intersections and unions of tests).
#' @examples
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:60, 1:25]
#' layers <- lapply(v4_layers, function(layer) layer[1:60, ])
#' result <- score_interval(v4, layers, measure("cka", estimator = "stimulus_neuron"),
#'                          over = c("stimuli", "neurons_x"))
#' set.seed(1)
#' # are the later layers better than the first two?
#' compare_best(result, names(layers)[-(1:2)], names(layers)[1:2])
#' @seealso [best_score()], [compare_scores()]
#' @export
compare_best <- function(result, group_1, group_2, draws = 9999) {
  need_arguments()
  scores <- compared_scores(result)
  draws <- check_draws(draws, scores$level, length(scores$score))
  groups <- list(group_rows(group_1, scores, "group_1"), group_rows(group_2, scores, "group_2"))
  check_compared_groups(groups, scores)
  groups <- known_members(groups, scores)
  oriented <- scores$sign * scores$score
  test <- test_of_best(scores, groups[[1]], groups[[2]], draws)
  best <- vapply(groups, function(at) at[which.max(oriented[at])], 1L)
  rows <- data.frame(best_1 = scores$title[best[1]], best_2 = scores$title[best[2]],
                     difference = scores$score[best[1]] - scores$score[best[2]],
                     crossfit = cross_fit(result, scores, groups), statistic = test$statistic,
                     critical = test$critical, p_value = test$p_value)
  structure(rows, conf_level = scores$level, over = unique(scores$rows$over),
            sizes = lengths(groups), no_interactions = scores$halves,
            class = c("repalign_best_comparison", "data.frame"))
}

group_rows <- function(group, scores, arg) {
  count <- length(scores$score)
  if (is.numeric(group)) {
    usable <- length(group) && all(is.finite(group)) && all(group %in% seq_len(count)) &&
      !anyDuplicated(group)
    if (!usable) {
      abort("`", arg, "` must be different numbers of rows of `result`, from 1 to ", count, ".",
            class = "repalign_error_value", arg = arg)
    }
    return(as.integer(group))
  }
  models <- scores$rows$model_y
  models <- if (is.null(models)) rep(NA_character_, count) else as.character(models)
  refuse_two_meanings(group, models, scores$title, arg)
  if (length(group) == 1 && group %in% models) return(which(models == group))
  choices <- stats::na.omit(unique(c(models, scores$title)))
  group <- check_choice(group, choices, arg, several = TRUE)
  which(scores$title %in% group | models %in% group)
}

# A name may be that of a model and of a score that is not the only one of this model.
refuse_two_meanings <- function(group, models, titles, arg) {
  twice <- Filter(function(name) {
    any(models %in% name) && any(titles %in% name) && !identical(models %in% name, titles %in% name)
  }, if (is.character(group)) group)
  if (!length(twice)) return(invisible())
  abort("`", arg, "` has ", dQuote(twice[1], FALSE), ", which names a model and a score: give the ",
        "numbers of the rows that are meant.", class = "repalign_error_choice", arg = arg)
}

check_compared_groups <- function(groups, scores) {
  both <- intersect(groups[[1]], groups[[2]])
  if (length(both)) {
    abort("`group_1` and `group_2` both have ", dQuote(scores$title[both[1]], FALSE),
          ": a score can be of one group only.", class = "repalign_error_choice", arg = "group_2")
  }
  measures <- unique(scores$measure[unlist(groups)])
  if (length(measures) > 1) {
    abort("The groups have scores of ", enumerate(measures), ", which are not on one scale: take ",
          "the rows of one measure, as in ", rows_example("result", "measure", measures[1]), ".",
          class = "repalign_error_rows", arg = "result")
  }
}

known_members <- function(groups, scores) {
  se <- contrast_errors(scores$parts, diag(length(scores$score)))$se
  usable <- which(!is.na(scores$score) & !is.na(se))
  asked <- unlist(groups)
  warn_left_out(some_scores(scores, asked), match(intersect(asked, usable), asked))
  groups <- lapply(groups, intersect, usable)
  empty <- which(!lengths(groups))
  if (length(empty)) {
    abort("`group_", empty[1], "` has no score with a standard error.",
          class = "repalign_error_size", arg = paste0("group_", empty[1]))
  }
  groups
}

# The largest over a of the smallest over b, and the joint draws of the largest over a for each b.
test_of_best <- function(scores, a, b, draws) {
  scores <- some_scores(scores, c(a, b))
  b <- length(a) + seq_along(b)
  a <- seq_along(a)
  joint <- draws_of_scores(scores, draws)
  each <- lapply(b, function(other) pair_weights(length(scores$score), a, rep(other, length(a))))
  z <- vapply(each, function(weights) oriented_z(scores, weights), numeric(length(a)))
  statistic <- max(apply(matrix(z, length(a)), 1, min))
  largest <- lapply(each, function(weights) {
    largest_of_contrasts(joint, scores$sign * weights)
  })
  alpha <- 1 - scores$level
  alone <- stats::qnorm(1 - alpha)
  list(statistic = statistic,
       critical = max(vapply(largest, critical_of, 0, alpha, alone)),
       p_value = max(vapply(largest, share_of_draws, 0, statistic),
                     stats::pnorm(statistic, lower.tail = FALSE)))
}

# The difference of the layers that are best in one half of the stimuli, in the other half.
cross_fit <- function(result, scores, groups, count = 20) {
  shifts <- half_shifts(result, count)
  one_way <- function(pick, judge) {
    at <- vapply(groups, function(group) group[which.max(scores$sign[group] * pick[group])], 1L)
    judge[at[1]] - judge[at[2]]
  }
  both <- vapply(seq_len(nrow(shifts$one)), function(h) {
    first <- scores$score + shifts$one[h, ]
    second <- scores$score + shifts$other[h, ]
    (one_way(first, second) + one_way(second, first)) / 2
  }, 0)
  mean(both)
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
