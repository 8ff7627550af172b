# best_score() gives an honest interval of the best of several scores, and the scores that may be
# the best.

#' The best of several scores
#'
#' Which layer is closest, and how close? The largest of many scores is too large by selection, and
#' its own interval misses the truth too often. `best_score()` gives an interval for the best true
#' score, whichever layer has it, and the set of layers that may be the best.
#'
#' @inheritParams compare_scores
#' @param by columns of `result` that tell groups apart, each of which has a best score: by default
#'   the models of `y`, if there are any; `NULL`: all models are one group. Scores of different
#'   measures are never in one group.
#' @param draws number of normal draws.
#' @return A data frame of class `repalign_best` with a row for each group. Columns: `group`, the
#'   values of `by` (and the measure, if there are several; `"all"` with neither); `best`, the name
#'   of the best score; `score`, its value; `conf_low` and `conf_high`, an interval for the best of
#'   the true scores; `in_set`, a list of the names of all scores that may be the best. Levels are
#'   those of `result`. Of distances, the best is the smallest.
#' @details
#' For scores \eqn{s_l} with standard errors \eqn{se_l}, the interval is from
#' \eqn{\max_l (s_l - c_l\,se_l)}{max_l (s_l - c_l se_l)} to \eqn{\max_l (s_l + t_l\,se_l)}{max_l
#' (s_l + t_l se_l)}, where \eqn{t_l} is the usual quantile of the t distribution, and \eqn{c_l}
#' that of the largest of all scores: the value that the largest of joint normal draws exceeds with
#' probability \eqn{\alpha/2}{alpha/2}, mapped to the degrees of freedom of the score. A score
#' stays in `in_set` unless another one is better by more than chance gives as the largest of its
#' differences to all others, in a one-sided test at level \eqn{\alpha}{alpha}. The set holds the
#' best true score with probability \eqn{1 - \alpha}{1 - alpha}.
#'
#' What is held constant: see [compare_scores()]. `score` is the largest of the scores as they are,
#' which is too large; the interval is what to report.
#'
#' In the simulations of [compare_scores()] (500 data sets with 10 equal layers; 60 and 120
#' stimuli), the interval held the best true score in 99.4% and 97.8% of the data sets, and the own
#' interval of the largest score in 89.0% and 85.2%; it was 21% wider. The set held a given one of
#' the equal layers in 96.8% and 95.0%. With graded layers (120 stimuli), the set held the best one
#' in 99.0%, and had 6.9 of the 10 layers in it.
#'
#' When not to trust it: as for [compare_scores()]. Scores without a standard error are left
#' out, with a warning: the result is then about the others.
#' @references Hsu (1996), Multiple Comparisons: Theory and Methods. Mogstad, Romano, Shaikh and
#'   Wilhelm (2024), Rev. Econ. Stud. 91 (sets of ranks). Andrews, Kitagawa and McCloskey (2024),
#'   Q. J. Econ. 139 (inference on winners).
#' @examples
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:60, 1:25]
#' layers <- lapply(v4_layers, function(layer) layer[1:60, ])
#' result <- score_interval(v4, layers, measure("cka", estimator = "stimulus_neuron"),
#'                          over = c("stimuli", "neurons_x"))
#' set.seed(1)
#' best_score(result)
#' @seealso [score_interval()], [compare_scores()], [compare_best()]
#' @export
best_score <- function(result, by = "model_y", draws = 9999) {
  need_arguments()
  default <- missing(by)
  scores <- compared_scores(result)
  draws <- check_draws(draws, scores$level, length(scores$score))
  groups <- score_groups(scores, by, default)
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
  structure(rows, conf_level = scores$level, members = members,
            over = unique(scores$rows$over), no_interactions = scores$halves,
            class = c("repalign_best", "data.frame"))
}

# The rows of each group, with their names.
score_groups <- function(scores, by, default) {
  columns <- setdiff(names(scores$rows), c("score", "se", "df", "conf_low", "conf_high", "n"))
  if (default) by <- intersect("model_y", columns)
  else if (!is.null(by)) by <- check_choice(by, columns, "by", several = TRUE)
  several <- length(unique(scores$measure)) > 1
  by <- c(by, if (several && !"measure" %in% by) "measure")
  if (!length(by)) return(list(all = seq_along(scores$score)))
  names <- do.call(paste, c(lapply(unname(scores$rows[by]), as.character), sep = " | "))
  split(seq_along(names), factor(names, unique(names)))
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
  limits <- limits_of_best(scores, usable, errors[usable, ], joint)
  in_set[usable] <- may_be_best(scores, usable, joint)
  limits <- sort(scores$sign[best] * limits)
  list(best = scores$title[best], score = scores$score[best], low = limits[1], high = limits[2],
       in_set = in_set, names = scores$title[which(in_set)])
}

limits_of_best <- function(scores, usable, errors, joint) {
  oriented <- (scores$sign * scores$score)[usable]
  half <- (1 - scores$level) / 2
  z <- stats::qnorm(1 - half)
  if (length(usable) > 1) {
    weights <- diag(scores$sign, length(scores$sign))[, usable, drop = FALSE]
    z <- critical_of(largest_of_contrasts(joint, weights), half, z)
  }
  c(max(oriented - t_of(z, errors$df) * errors$se),
    max(oriented + stats::qt(1 - half, errors$df) * errors$se))
}

# Each score against all others: is one of them better by more than the largest difference that
# chance gives?
may_be_best <- function(scores, usable, joint) {
  vapply(usable, function(l) {
    others <- setdiff(usable, l)
    if (!length(others)) return(TRUE)
    weights <- pair_weights(length(scores$score), others, rep(l, length(others)))
    z <- oriented_z(scores, weights)
    largest <- largest_of_contrasts(joint, scores$sign * weights)
    alone <- stats::qnorm(scores$level)
    critical <- if (length(others) == 1) alone else critical_of(largest, 1 - scores$level, alone)
    max(z) <= critical
  }, NA)
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
  if (!length(lost)) return(invisible())
  warn("Scores without a standard error are left out (", length(lost), " of ",
       length(scores$score), "). First, ", dQuote(scores$title[lost[1]], FALSE), ".",
       class = "repalign_undefined", data = lost)
}
