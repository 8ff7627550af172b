# compare_scores() and what it shares with other comparisons: scores, contrasts, joint draws.

# ---- compare scores

# compare_scores() compares the scores of one call of score_interval() with each other.

adjustments <- c("holm", "max_t", "hochberg", "hommel", "bonferroni", "BH", "BY", "fdr", "none")

#' Differences between scores
#'
#' Is one layer closer to a brain area than another? Gives differences of scores that share stimuli
#' and neurons, with standard errors, adjusted p-values, simultaneous intervals, and tests of
#' equivalence.
#'
#' @order 1
#' @param result what [score_interval()], [evaluate_models()], [evaluate_rdms()], [consensus()]
#'   (whose models are compared) or [across_sessions()] (whose lags are) returned, or some of its
#'   rows.
#' @param contrasts what is compared:
#'   * `"pairs"`: all pairs of scores of the same measure;
#'   * the name of a score, such as that of a layer: all others of its measure less this one;
#'   * weights that add up to 0: a matrix, contrasts x scores (in the order of `result` or by name).
#' @param p_adjust how p-values are adjusted for the number of rows: `"holm"`, `"max_t"`, or another
#'   method of [stats::p.adjust()].
#' @param margin for tests of equivalence and non-inferiority: smaller differences mean nothing in
#'   practice.
#' @param draws number of draws for simultaneous intervals and `p_adjust = "max_t"`.
#' @return A data frame of class `repalign_comparison` with a row for each contrast: `contrast`, row
#'   names of a matrix; `score_1` and `score_2`, what is compared; `measure`; `difference`, the
#'   first less the second; `se` and `df` (`Inf`: normal); `statistic`, `difference / se`;
#'   `p_value`, two-sided; `p_adjusted`; `conf_low` and `conf_high`, for this difference alone;
#'   `simultaneous_low` and `simultaneous_high`, for all rows together, at the level of `result`;
#'   `p_equivalence` and `p_noninferiority`, `NA` without a `margin`. `confint()` gives intervals as
#'   a matrix.
#' @details
#' *What is held constant.* With `over = "stimuli"` of [score_interval()], the conclusion is about
#' other stimuli for these neurons of the area, and the test rejects too often if you mean the area:
#' take its neurons as a sample, too, as the corrected CKA does by default, and other measures with
#' `over = c("stimuli", "neurons_x")`. Units of models are held fixed if they are declared
#' `complete` or `over` is without `"neurons_y"`. Of two to four subjects, [evaluate_models()] holds
#' these fixed, too; over `"subjects"` by name, and of [consensus()] of three or four, a difference
#' has fewer degrees of freedom than there are subjects, and what is printed, drawn and put into
#' words calls it a guess. For RDMs, see [`evaluate_rdms`][evaluate_rdms].
#'
#' *What the levels mean.* `p_value` and `conf_low` to `conf_high` are for one comparison that was
#' chosen beforehand. `p_adjusted` with `"holm"`, `"max_t"`, `"hommel"`, `"hochberg"` or
#' `"bonferroni"`, and the simultaneous intervals (which belong to `"max_t"`), hold the probability
#' of any error among all rows; `"BH"` and its like hold the share of errors among what is found.
#' `p_equivalence` is small if the difference is within plus and minus `margin`, and
#' `p_noninferiority` if `score_1` is not worse than `score_2` by `margin` or more; they are not
#' adjusted.
#'
#' *When not to trust it.* A large `p_value` is not evidence that scores are equal. If stimuli
#' depend on each other, give `clusters` to [score_interval()] (see [dependence]). The layer with
#' the highest score was not chosen beforehand: use [best_score()] and [compare_best()].
#' @references Holm (1979), Scand. J. Stat. 6. Westfall and Young (1993), Resampling-Based Multiple
#'   Testing. Hothorn, Bretz and Westfall (2008), Biom. J. 50 (simultaneous intervals).
#'   Satterthwaite (1946), Biometrics Bull. 2. Schuirmann (1987), J. Pharmacokinet. Biopharm. 15
#'   (equivalence). \enc{Schütt}{Schuett} et al. (2023), eLife 12.
#' @examples
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:60, 1:25]
#' layers <- lapply(v4_layers[1:3], function(layer) layer[1:60, ])
#' result <- score_interval(v4, layers, measure("cka", estimator = "stimulus_neuron"),
#'                          over = c("stimuli", "neurons_x"))
#' set.seed(1)
#' # all others against the first, and are they equivalent within 0.1?
#' compare_scores(result, "L0", margin = 0.1)
#' # the mean of two layers against the third
#' compare_scores(result, rbind(early = c(0.5, 0.5, -1)), p_adjust = "none")
#' @export
compare_scores <- function(result, contrasts = "pairs",
                           p_adjust = c("holm", "max_t", "hochberg", "hommel", "bonferroni", "BH",
                                      "BY", "fdr", "none"),
                           margin = NULL, draws = 9999, ...) {
  need_arguments()
  p_adjust <- check_choice(p_adjust, adjustments, "p_adjust")
  if (!is.null(margin)) margin <- check_number(margin, "margin", above = 0)
  scores <- if (inherits(result, "repalign_sessions")) compared_sessions(result) else
    compared_scores(result)
  warn_again(attr(result, "dependence"))
  draws <- check_draws(draws, scores$level, length(scores$score))
  given <- as_contrasts(contrasts, scores)
  errors <- errors_of_contrasts(scores, given$weights)
  used <- replace(scores$score, is.na(scores$score), 0)
  difference <- as.vector(used %*% given$weights)
  difference[as.vector(is.na(scores$score) %*% (given$weights != 0)) > 0] <- NA
  statistic <- difference / errors$se
  rows <- data.frame(score_1 = given$score_1, score_2 = given$score_2, measure = given$measure,
                     difference = difference, se = errors$se, df = errors$df,
                     statistic = statistic, p_value = 2 * stats::pt(-abs(statistic), errors$df))
  if (!is.null(given$contrast)) rows <- cbind(contrast = given$contrast, rows)
  usable <- which(!is.na(rows$se))
  # the largest absolute contrast of each draw; one contrast is its own largest
  largest <- if (length(usable) > 1) {
    largest_of_contrasts(draws_of_scores(scores, draws), given$weights[, usable, drop = FALSE], abs)
  }
  rows$p_adjusted <- rows$p_value
  if (p_adjust != "max_t") {
    rows$p_adjusted <- stats::p.adjust(rows$p_value, p_adjust)
  } else if (!is.null(largest)) {
    # draws can not tell p-values that are smaller than 1 / draws, and none is below the unadjusted
    z <- abs(z_of(statistic, rows$df))[usable]
    rows$p_adjusted[usable] <- pmax(share_reaching(z, largest), rows$p_value[usable])
  }
  half <- stats::qt(0.5 + scores$level / 2, rows$df) * rows$se
  z <- stats::qnorm(0.5 + scores$level / 2)
  if (!is.null(largest)) z <- critical_of(largest, 1 - scores$level, z)
  wide <- t_of(z, rows$df) * rows$se
  rows <- cbind(rows, conf_low = difference - half, conf_high = difference + half,
                simultaneous_low = difference - wide, simultaneous_high = difference + wide,
                p_equivalence = NA_real_, p_noninferiority = NA_real_)
  if (!is.null(margin)) {
    # two one-sided tests, of which non-inferiority is one: for distances that of the upper margin
    above <- stats::pt((difference + margin) / rows$se, rows$df, lower.tail = FALSE)
    below <- stats::pt((difference - margin) / rows$se, rows$df)
    similar <- apply(given$weights, 2, function(w) scores$sign[w != 0][1] > 0)
    rows$p_equivalence <- pmax(above, below)
    rows$p_noninferiority <- ifelse(similar, above, below)
  }
  lost <- which(is.na(rows$se))
  first <- rows[lost[1], ]
  warn_if(length(lost), "undefined", "No standard error (NA) of {length(lost)} of ",
          "{count_of(nrow(rows), 'difference')}. First, {quoted(first$score_1)} less ",
          "{quoted(first$score_2)}: ",
          if (is.na(first$difference)) "a score is undefined." else
            paste0("it does not vary with what was sampled, as that of identical data, or only ",
                   "with the choice of folds, or the error of a score is unknown."), data = lost)
  rownames(rows) <- NULL
  new_result(rows, "repalign_comparison", list(
    conf_level = scores$level, p_adjust = p_adjust, margin = margin,
    over = over_of_measures(scores$rows), of_models = scores$of_models,
    no_interactions = scores$halves, family = length(usable)
  ))
}

# ---- compared scores

# What comparisons need of the result of score_interval(), evaluate_models() or evaluate_rdms(): its
# scores, their names and how they vary together.

# Returns list(score, title, measure, sign, parts, total, level, order, halves). `title` names
# scores within their measure, `sign` is -1 for distances, and `order` is that of the call: draws
# are made in it, so that results do not depend on the order of rows.
compared_scores <- function(result) {
  if (inherits(result, "repalign_consensus")) return(compared_consensus(result))
  of_models <- inherits(result, "repalign_evaluation")
  result <- interval_of_models(result)
  if (inherits(result, "repalign_evaluation")) return(compared_models(result))
  if (!inherits(result, "repalign_interval") || is_of_estimators(result)) {
    refuse("type", "`result` must be what {comparable_makers} returned, with the scores to ",
           "compare, not ", if (is.na(result_kind(result))) describe(result) else
             paste0("that of ", maker_of(result), ": ", where_errors_are(result)), ".")
  }
  rows <- as.data.frame(result)
  refuse_if(!nrow(rows), "size", "`result` has no rows: look at how they were chosen.")
  need_columns(rows, c("x", "y", "measure", "score", "se", "over", "method"), "compared", "result")
  for (column in c("score", "se")) rows[[column]] <- as.double(rows[[column]])
  parts <- interval_parts(result, "result")
  places <- deletion_places(result)
  twice <- anyDuplicated(places)
  refuse_if(twice, "rows", "`result` has the same score twice, in rows ",
            "{which(places$row == places$row[twice])[1]} and {twice}: take one of them.")
  measure <- as.character(rows$measure)
  # What is not defined has no covariances.
  lost <- is.na(rows$score)
  for (p in seq_along(parts$main)) parts$main[[p]][lost, ] <- parts$main[[p]][, lost] <- NA
  # Short names of the scores, which are different within each measure.
  titles <- character(length(measure))
  for (one in unique(measure)) {
    at <- which(measure == one)
    titles[at] <- row_titles(result[at, ])
  }
  if (of_models) rows$over <- recordings_words(readable_samples(rows$over))
  list(score = rows$score, title = titles, measure = measure,
       sign = signs_of(result, measure), parts = parts, total = total_covariance(parts),
       level = level_of(result), order = order(places$row), rows = rows,
       halves = length(parts$interactions) > 0 && any(rows$method == "half-samples"),
       of_models = of_models)
}

# The models of consensus().
compared_consensus <- function(result) {
  errors <- need_kept(result, "errors", "consensus()", "result")
  facts <- attr(result, "facts")
  rows <- need_columns(as.data.frame(result), c("x", "kind", "measure", "score", "se", "df"),
                       "compared", "result")
  rows <- rows[rows$kind == "model", ]
  refuse_if(!nrow(rows), "size", "`result` has no models: `score` and `se` are those of single ",
            "subjects, and consensus(models = ) compares models with them.")
  at <- match(rows$x, errors$table$x) - facts$subjects
  refuse_if(anyNA(at) || anyDuplicated(at), "rows", "`result` has models that consensus() did ",
            "not return, or one of them twice: take its rows as they were.")
  rows$over <- paste(facts$over, collapse = " + ")
  parts <- some_parts(errors$parts, at)
  # of few subjects the variance may be found to be near 0, which would give too many of these
  if (length(parts$main) > 1 && facts$subjects < few_subjects) parts$most_df <- facts$subjects - 1
  list(score = rows$score, title = rows$x, measure = rows$measure, sign = rep(1, nrow(rows)),
       parts = parts, total = total_covariance(parts), level = attr(result, "conf_level"),
       order = order(at), rows = rows, halves = FALSE, of_models = TRUE,
       call = "consensus(x, models = list(a = , b = ))")
}

# Is an evaluation one of evaluate_models()? Otherwise it is of evaluate_rdms().
is_of_recordings <- function(x) !is.null(attr(x, "interval", exact = TRUE))

# What score_interval() found for the models of a result, for everything that compares them.
interval_of_models <- function(result) {
  if (!inherits(result, "repalign_evaluation") || !is_of_recordings(result)) return(result)
  interval <- attr(result, "interval")
  at <- match(need_columns(as.data.frame(result), "model", "compared", "result")$model, interval$y)
  refuse_if(anyNA(at), "rows", "`result` no longer has the models that evaluate_models() ",
            "compared: start again from what it returned.")
  interval[at, ]
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

# ---- contrasts

# The argument `contrasts` of compare_scores(): which differences of scores are compared.

# Returns list(weights, score_1, score_2, measure, contrast): a matrix of weights (scores x
# contrasts), the names of what is compared, and the names of the contrasts or NULL.
as_contrasts <- function(contrasts, scores) {
  if (is.character(contrasts) && !is.matrix(contrasts)) {
    # of scores of the same measure, as those of two measures are on different scales
    within <- unname(split(seq_along(scores$measure), factor(scores$measure,
                                                             unique(scores$measure))))
    refuse_if(all(lengths(within) < 2), "size", "`result` has ",
              if (length(within) > 1) "no two scores of one measure" else
                count_of(length(scores$score), "score"),
              ": a comparison needs two or more of the same measure, from one call such as ",
              if (is.null(scores$call)) "score_interval(x, list(a = , b = ))" else scores$call, ".")
    pairs <- if (identical(contrasts, "pairs")) {
      both <- do.call(cbind, lapply(within[lengths(within) > 1], utils::combn, 2))
      list(first = both[1, ], second = both[2, ])
    } else {
      # all others less the reference, in every measure that has it
      reference <- check_choice(contrasts, c("pairs", unique(scores$title)), "contrasts")
      second <- which(scores$title == reference)
      first <- lapply(second, function(at) setdiff(which(scores$measure == scores$measure[at]), at))
      list(first = unlist(first), second = rep(second, lengths(first)))
    }
    return(list(weights = pair_weights(length(scores$score), pairs$first, pairs$second),
                score_1 = scores$title[pairs$first], score_2 = scores$title[pairs$second],
                measure = scores$measure[pairs$first]))
  }
  weights <- given_weights(contrasts, scores)
  for (j in seq_len(ncol(weights))) {
    w <- weights[, j]
    measures <- unique(scores$measure[w != 0])
    refuse_if(!length(measures) || abs(sum(w)) > 1e-8 * sum(abs(w)), "value",
              "`contrasts`: the weights of row {j}",
              if (length(measures)) paste0(" add up to ", format(sum(w), digits = 4)) else
                " are all 0", ". Those of a difference add up to 0, as in c(1, -1).")
    refuse_if(length(measures) > 1, "choice", "`contrasts`: row {j} compares scores of ",
              "{enumerate(measures)}, which are not on one scale: a contrast needs scores of one ",
              "measure.")
  }
  list(weights = weights, score_1 = weighted_titles(weights, scores$title),
       score_2 = weighted_titles(-weights, scores$title),
       measure = apply(weights, 2, function(w) scores$measure[w != 0][1]),
       contrast = colnames(weights))
}

# Weights as a matrix scores x contrasts, of what users give as contrasts x scores.
given_weights <- function(contrasts, scores) {
  if (is.numeric(contrasts) && is.null(dim(contrasts))) {
    contrasts <- matrix(contrasts, 1, dimnames = list(NULL, names(contrasts)))
  }
  refuse_if(is.numeric(contrasts) && is.matrix(contrasts) && !nrow(contrasts), "size",
            "`contrasts` has no rows: give at least one, with a weight for each score.")
  refuse_if(!is.numeric(contrasts) || !is.matrix(contrasts), "type", "`contrasts` must be ",
            "\"pairs\", the name of a score, or a numeric matrix with a row for each contrast and ",
            "a column for each score, not {describe(contrasts)}.")
  storage.mode(contrasts) <- "double"
  check_finite(contrasts, "contrasts")
  count <- length(scores$score)
  if (is.null(colnames(contrasts))) {
    if (ncol(contrasts) == count) return(t(contrasts))
    refuse("size", "`contrasts` has {count_of(ncol(contrasts), 'column')}, and `result` has ",
           "{count_of(count, 'score')}: give a weight for each, or name the columns: ",
           "{enumerate(unique(scores$title))}.")
  }
  weights <- matrix(0, count, nrow(contrasts), dimnames = list(NULL, rownames(contrasts)))
  names <- colnames(contrasts)
  names <- check_choice(names, unique(scores$title), "contrasts", several = TRUE)
  twice <- intersect(names, scores$title[duplicated(scores$title)])
  refuse_if(length(twice), "rows", "`contrasts` names {quoted(twice[1])}, of which ",
            "`result` has scores of several measures: take the rows of one measure.")
  weights[match(names, scores$title), ] <- t(contrasts)
  weights
}

# The positive part of each contrast in words, such as "0.5 a + 0.5 b".
weighted_titles <- function(weights, titles) {
  vapply(seq_len(ncol(weights)), function(j) {
    at <- which(weights[, j] > 0)
    w <- weights[at, j]
    words <- ifelse(w == 1, titles[at], paste(vapply(w, format, "", digits = 3), titles[at]))
    paste(words, collapse = " + ")
  }, "")
}

# ---- simultaneous

# Joint draws of scores that vary together, by which many comparisons hold at once.

# What a t statistic is as a standard normal value, and back: of the same probability.
z_of <- function(statistic, df) {
  tail <- stats::pt(abs(statistic), df, lower.tail = FALSE, log.p = TRUE)
  sign(statistic) * stats::qnorm(tail, lower.tail = FALSE, log.p = TRUE)
}

t_of <- function(z, df) {
  stats::qt(stats::pnorm(z, lower.tail = FALSE, log.p = TRUE), df, lower.tail = FALSE,
            log.p = TRUE)
}

# Draws (rows) of all scores: `normals` times the symmetric root of their correlations, times their
# standard errors. Returns list(values, total). total: covariance matrix; what is not known of it
# (NA, between different measures) counts as independent, with which the largest absolute value is
# rather too large.
joint_draws <- function(total, normals) {
  total[is.na(total)] <- 0
  sd <- sqrt(diag(total))
  unit <- ifelse(sd > 0, 1 / sd, 0)
  parts <- eigen(total * outer(unit, unit), symmetric = TRUE)
  root <- parts$vectors %*% (sqrt(pmax(parts$values, 0)) * t(parts$vectors))
  list(values = sweep(normals %*% root, 2, sd, "*"), total = total)
}

# For each draw the largest of all contrasts (columns of `weights`), each divided by the standard
# deviation that its draws have. Contrasts that do not vary do not count.
largest_of_contrasts <- function(joint, weights, size = identity) {
  largest <- rep(-Inf, nrow(joint$values))
  for (at in split(seq_len(ncol(weights)), (seq_len(ncol(weights)) - 1) %/% 100)) {
    w <- weights[, at, drop = FALSE]
    sd <- sqrt(pmax(colSums(w * (joint$total %*% w)), 0))
    # rounding leaves a little of the difference of two copies, in the draws and in their spread
    varies <- sd > 1e-6 * sqrt(colSums(w^2 * diag(joint$total)))
    values <- joint$values %*% (w / rep(ifelse(varies, sd, Inf), each = nrow(w)))
    largest <- pmax(largest, row_maxima(size(values)))
  }
  largest
}

# The value that the largest of several standard normal values exceeds with probability alpha. It is
# never below that of one, in spite of the chance of draws.
critical_of <- function(largest, alpha, one) {
  # rounding must not raise a whole number to the next
  at <- ceiling((1 - alpha) * (length(largest) + 1) - 1e-9)
  max(sort(largest)[at], one)
}

check_draws <- function(draws, level, scores) {
  least <- ceiling(2 / (1 - level) - 1e-9)
  draws <- check_count(draws, "draws", least = max(least, 19))
  check_memory(24 * as.double(draws) * scores, "The draws", "Take fewer `draws`.")
  draws
}
