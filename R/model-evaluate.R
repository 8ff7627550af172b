# evaluate_models() compares models with the RDMs of subjects: its draws, folds and plain rounds.

# ---- evaluate models

# evaluate_models() compares models with the RDMs of subjects, with errors over subjects, stimuli or
# both.
#
# Its result is a data frame of the class "repalign_evaluation" with a row for each model. Beside
# the rows it keeps the attributes
#
# parts      what compare_scores() needs: list(main, interactions, df), see evaluation-variance.R
# draws      the scores of all draws, for each part an array draws x (models, lower and upper
#            ceiling) x repeats
# table      the score of each RDM (rows) for each model, without folds
# outer, resample, folds, conf_level, sizes, group   how it was made
# pictures   list(data, models, sigma): data and predicted RDMs, for plot(type = "map")

#' Compare models of RDMs with the RDMs of subjects
#'
#' How similar is what each model predicts to the RDMs of subjects (or sessions), how certain is
#' that, and how good could any model be? Scores have errors over subjects, stimuli or both, by
#' resampling; flexible models are cross-validated; and differences between models are tested by
#' [compare_scores()].
#'
#' @param rdms data RDMs, one of each subject or session: a named list of `dist` objects or
#'   symmetric matrices of the same stimuli.
#' @param models what [rdm_model()] returned, RDMs (fixed models), or a named list of these.
#' @param outer how RDMs are compared, as for [rsa()].
#' @param resample what is drawn anew, with replacement: the RDMs (`"rdm"`), the stimuli
#'   (`"condition"`), `"both"`, or `"none"`, for errors over RDMs without resampling. Draws may
#'   also be given, as `list(rdm = , condition = )` of matrices of indices with a draw in each row;
#'   those in `rdm` are numbers of groups, if there are any.
#' @param draws number of draws.
#' @param group one label for each RDM, with the names of the RDMs or in their order: RDMs of the
#'   same subject are drawn and left out together. Without it, each is a group.
#' @param folds into how many folds RDMs and stimuli are cut for cross-validation, or a data frame
#'   of folds with the columns `fold`, `set` (`"train"` or `"test"`), `factor` (`"rdm"` or
#'   `"condition"`) and `index`. A factor that it does not name is not cut.
#' @param repeats how often folds are cut anew at random, in each draw; for the score of all data at
#'   least 20 times.
#' @param conf_level coverage of the intervals, between 0 and 1.
#' @param sigma for whitened comparisons: the noise of the stimuli, as for [rsa()]. Draws of stimuli
#'   need variances (or `NULL`), because copies of a stimulus have noise of their own.
#' @param missing `"pairwise"`: RDMs may lack pairs of stimuli (`NA`), and are compared over the
#'   pairs that both have.
#' @param threads see [similarity()].
#' @return A data frame of class `repalign_evaluation` with a row for each model and the columns
#'   `model`; `score`, the mean similarity with the RDMs; `se`, `conf_low`, `conf_high` and `df`,
#'   its standard error, interval and degrees of freedom; `p_zero`, of the one-sided test against 0;
#'   `ceiling_low` and `ceiling_high`, the noise ceiling; `p_ceiling`, of the two-sided test against
#'   its lower limit; `draws`, and `left_out`, how many of these were left out. There are `plot()`,
#'   `confint()`, `vcov()` (the covariances of the scores; errors of differences are those of
#'   [compare_scores()], which bounds each of them by its own parts), [compare_scores()], and
#'   [best_score()] for the set of models that may be the best.
#'
#'   Attributes have what these are made of. `attr(result, "draws")`: for each of `both`, `rdm` and
#'   `condition` that were drawn, an array draws x models x repeats of the scores, with
#'   `ceiling_low` and `ceiling_high` after the models; draws that were left out are `NA`.
#'   `attr(result, "table")`: the score of each RDM (rows) with each model (columns), without folds;
#'   with folds it is `NULL`.
#' @details
#' *Scores* are means over RDMs, with all data; draws are for errors only. A draw has each RDM and
#' each stimulus as often as it was drawn; pairs of copies of a stimulus do not count, and models
#' are fitted anew.
#'
#' *Errors.* Of N groups of RDMs and n stimuli, with a = N/(N - 1), b = n/(n - 1), and the
#' variances over draws of both, of RDMs alone and of stimuli alone,
#' \eqn{V = aV_r + bV_c - ab(V_{rc} - V_r - V_c)}{V = a V_r + b V_c - a b (V_rc - V_r - V_c)}, at
#' least each of the main parts and at most their sum. The same holds for differences of scores and
#' for a score less its ceiling. Tests are t tests with min(N, n) - 1 degrees of freedom (N - 1 or n
#' - 1 for one factor), which is rather conservative. A draw with fewer than 3 different stimuli (in
#' cross-validation, 3 for each fold) or with an undefined score is left out.
#'
#' *Cross-validation.* Models are fitted to the training RDMs and stimuli of each fold, and tested
#' with those that the training does not have; scores and ceilings are means over folds, of which
#' each counts by the numbers of RDMs and stimuli that it tests, copies included (the folds of a
#' given table count alike in all data). Scores of few stimuli differ from those of all, so compare
#' models by the same folds. The score of all data is a mean over at least 20 random choices of
#' folds. Inside of draws, what this choice adds to the variance is subtracted (Schuett et al.
#' 2023), which needs `repeats` of at least 2. `resample = "none"` has no errors with folds.
#'
#' *Ceilings.* `ceiling_high` is the mean similarity of each RDM with the pooled RDM of all
#' ([pool_rdms()]), the highest mean that any model can have (see [subject_ceiling()], whose `upper`
#' it is without folds, for when this is strict); `ceiling_low` that with the pool of the other
#' groups. In cross-validation both are of the test stimuli, and the lower one pools the training
#' RDMs.
#'
#' *Seen* in simulations with new stimuli and new subjects in each of 400 data sets a cell (20 and
#' 40 stimuli, 5 and 10 subjects, 200 draws, `"pearson"`, `"whitened_pearson"` and `"spearman"`;
#' `Rscript bench/rsa.R sets=400 draws=200 stimuli sessions subjects-only`): 95% intervals held
#' the true score in 0.953 to 0.995 of the sets, with variances of 0.99 to 1.42 times the true one
#' (the largest with 20 stimuli). A score of 0 was called positive in 0.000 to 0.025 at the 5%
#' level, and two models with equal true scores different in 0.000 to 0.032. The expected RDM of
#' all subjects was never found below the lower ceiling. Over subjects alone, for given stimuli,
#' intervals held in 0.925 to 0.953, without resampling in 0.945 to 0.970. Two sessions of each
#' subject that were taken as independent gave differences with variances of 0.76 to 0.93 times
#' the true one, and equal models differed in up to 0.088; with `group` 1.01 to 1.08 times, and up
#' to 0.015. Weighted models, cross-validated in 2 x 2 folds (`"pearson"`, 300 data sets a cell,
#' 100 draws: `Rscript bench/rsa.R sets=300 draws=100 folds`): intervals held in 0.940 to 0.987, a
#' score of 0 was called positive in 0.010 to 0.037 and equal models different in 0.013 to 0.033;
#' variances were 1.02 to 1.32 times the true ones, and 1.08 to 1.36 times for differences. In
#' 800 data sets with 40 stimuli and 10 subjects (`Rscript bench/rsa-folds.R sets=200
#' seed=101,102,103,104`) they were 0.93 times the true ones (standard error 0.05), and 1.01 times
#' for differences (0.05); 4.8% of the intervals missed the true score, and equal models differed in
#' 3.9% (standard error 0.7%). The choice of folds in the score was 0.007 of its variance.
#'
#' The linear comparisons are computed for all draws as matrix products, ranks by one sort.
#' Kendall's tau, and RDMs that lack different pairs, are computed anew for each draw, which takes
#' long: give fewer draws.
#'
#' When not to trust it: with two or three subjects, errors over subjects are guesses, and there are
#' 1 or 2 degrees of freedom. RDMs are similar for other reasons than the representation, too: a
#' cosine is far above 0 for RDMs that share nothing but being positive, so that `p_zero` is about
#' the cosine being 0, and not about chance; [calibrate()] is. Cosines need a 0 that means "no
#' difference", as it does in cross-validated distances (`"crossnobis"` of [rdm()], which has
#' estimates below 0): with other dissimilarities, such as 1 - r or distances of noisy patterns, a
#' model in which all pairs are equal scores high, and may score above good models. Take
#' `"whitened_pearson"` there; a message says so where `outer` is not named, no data RDM has a value
#' of 0 or below, and not all are crossnobis estimates of [rdm()]. A score that is not significantly
#' below the ceiling may be far below it.
#' @references \enc{Schütt}{Schuett}, Kipnis, Diedrichsen and Kriegeskorte (2023), eLife 12.
#'   Nili, Wingfield, Walther, Su, Marslen-Wilson and Kriegeskorte (2014), PLoS Computational
#'   Biology 10 (ceilings). Diedrichsen, Berlot, Mur, Schuett, Shahbazi and Kriegeskorte (2021),
#'   Neurons, Behavior, Data analysis, and Theory 5 (whitened comparisons).
#' @examples
#' # four subjects whose representation is nearer to the first model
#' set.seed(1)
#' shared <- matrix(rnorm(20 * 5), 20)
#' noisy <- function(noise) dist(shared + noise * matrix(rnorm(20 * 5), 20))^2
#' subjects <- list(a = noisy(1), b = noisy(1), c = noisy(1), d = noisy(1))
#' models <- list(near = noisy(0.5), far = noisy(2), chance = dist(matrix(rnorm(60), 20))^2)
#' result <- evaluate_models(subjects, models, "whitened_pearson", draws = 200)
#' result
#' compare_scores(result)
#' # a model with weights is cross-validated over subjects and stimuli
#' models$weighted <- rdm_model(models, "weighted", nonnegative = TRUE)
#' evaluate_models(subjects, models, "pearson", draws = 50, folds = c(rdm = 2, condition = 2))
#' @seealso [rdm_model()], [compare_scores()], [subject_ceiling()], [rsa()]
#' @export
evaluate_models <- function(rdms, models, outer = "whitened_cosine",
                            resample = c("both", "rdm", "condition", "none"), draws = 1000,
                            group = NULL, folds = c(rdm = 1, condition = 1), repeats = 2,
                            conf_level = 0.95, sigma = NULL, missing = c("error", "pairwise"),
                            threads = NULL) {
  need_arguments()
  task <- evaluation_task(rdms, models, outer, group, sigma, missing)
  if (missing(outer)) note_cosine_of_positive(task)
  conf_level <- check_number(conf_level, "conf_level", above = 0, below = 1)
  drawn <- as_draws(resample, draws, max(task$group), task$n)
  folds <- as_folds(folds, repeats, task)
  refuse_lost_draws(folds, drawn, task)
  check_evaluation(task, drawn, folds)
  note_lacking_pairs(task)
  threads <- thread_count(threads)
  whole <- evaluate_whole(task, folds, threads)
  parts <- evaluate_parts(task, parts_of_draws(drawn, max(task$group), task$n), folds, threads)
  evaluation_result(task, whole, parts, drawn, folds, conf_level)
}

evaluation_task <- function(rdms, models, outer, group, sigma, missing) {
  outer <- check_choice(outer, rsa_outer, "outer")
  missing <- check_choice(missing, c("error", "pairwise"), "missing")
  table <- rdm_table(rdms, "rdms", missing == "pairwise")
  if (table$n < 3) {
    abort("`rdms` has ", table$n, " stimuli: comparisons of RDMs need at least 3.",
          class = "repalign_error_size", arg = "rdms")
  }
  refuse_flat(table, outer, "rdms")
  models <- as_rdm_models(models, table, missing)
  list(values = table$values, n = table$n, labels = table$labels,
       group = group_codes(group, ncol(table$values), names(rdms)), models = models, outer = outer,
       sigma = check_sigma(sigma, table$n, table$labels), missing = missing,
       unbiased = all(table$cross_validated))
}

# Numbers from 1 in the order of appearance. names: that the user gave to the RDMs, or NULL.
group_codes <- function(group, count, names) {
  group <- check_group(group, count, "RDMs", names)
  match(group, unique(group))
}

check_evaluation <- function(task, drawn, folds) {
  refuse_unused_sigma(task$sigma, task$outer)
  if (is.matrix(task$sigma) && "condition" %in% drawn$factors) {
    abort("`sigma` is a matrix, and `resample` draws stimuli: copies of a stimulus would share ",
          "all of their noise. Give the variances, diag(sigma), or resample = \"rdm\".",
          class = "repalign_error_choice", arg = "sigma")
  }
  if (!is.null(folds) && is.null(folds$given) && folds$repeats == 1 && drawn$count) {
    inform("repeats = 1: errors contain what the random choice of folds adds, and are rather too ",
           "large. Give repeats = 2 or more to take it out.", class = "repalign_fold_variance")
  }
  flexible <- vapply(task$models, is_flexible, NA)
  if (any(flexible) && !are_cut(folds)) {
    warn("The score of ", enumerate(names(task$models)[flexible]), " is not cross-validated: its ",
         "weights are fitted to the data that it is tested with. Give folds = c(rdm = 2, ",
         "condition = 2) or the like.", class = "repalign_not_crossvalidated")
  }
  if (max(task$group) < 2) {
    warn("All RDMs are of one group: there is no lower noise ceiling (NA).",
         class = "repalign_undefined")
  }
}

# Whoever names a cosine has decided; the default is a decision of ours.
note_cosine_of_positive <- function(task) {
  if (!is_cosine(task$outer) || task$unbiased || any(task$values <= 0, na.rm = TRUE)) {
    return(invisible())
  }
  inform("All dissimilarities in `rdms` are above 0, as they hardly are if cross-validated. If 0 ",
         "does not mean \"no difference\" (as in 1 - r, or in distances of noisy patterns), ",
         "cosines are high even for a model in which all pairs are equal: take outer = ",
         "\"whitened_pearson\". Name outer = ", dQuote(task$outer, FALSE), " in the call to take ",
         "it without this message.",
         class = "repalign_cosine_of_positive")
}

# Says over how many pairs of stimuli data and models are compared, where pairs lack.
note_lacking_pairs <- function(task) {
  components <- do.call(cbind, lapply(task$models, function(model) model$table$values))
  if (!anyNA(task$values) && !anyNA(components)) return(invisible())
  counts <- crossprod(!is.na(task$values), !is.na(components))
  inform("missing = \"pairwise\": comparisons are over ",
         paste(unique(range(counts)), collapse = " to "), " of ", nrow(components),
         " pairs of stimuli.", class = "repalign_pairs_left_out")
}

# Rounds of one draw each, in which models are fitted and tested with the same data.
plain_draw_rounds <- function(w, m) {
  list(w_train = w, w_test = w, m_train = m, m_test = m, m_low = m, m_high = m)
}

# The data are cut into folds at least so often for the score: draws have few cuts, because there
# are many draws, and what cuts add to the variance is taken out there. In the score they should
# hardly matter.
least_cuts_of_data <- 20

# Scores and ceilings of all data: list(scores, lower, upper, table, collinear).
evaluate_whole <- function(task, folds, threads) {
  m <- matrix(1, length(task$group), 1)
  w <- matrix(1, task$n, 1)
  warn_collinear_models(task)
  if (is.null(folds)) {
    found <- evaluate_rounds(task, plain_draw_rounds(w, m), threads)
    found$table <- matrix(found$table, nrow(m))
    found$scores <- found$scores[, 1]
    found$lower_each <- found$each_lower[, 1]
    return(found)
  }
  if (is.null(folds$given)) folds$repeats <- max(folds$repeats, least_cuts_of_data)
  found <- fold_means(task, w, m, folds, threads)
  list(scores = rowMeans(matrix(found$scores, length(task$models))), lower = mean(found$lower),
       upper = mean(found$upper), table = NULL)
}

# Models whose components are collinear have no unique weights.
warn_collinear_models <- function(task) {
  weighted <- vapply(task$models, function(model) model$type == "weighted", NA)
  collinear <- vapply(task$models[weighted], function(model) {
    weights <- plain_weights(model, task$values, NULL, task$outer, task$sigma)
    isTRUE(attr(weights, "collinear"))
  }, NA)
  warn_collinear(any(collinear), enumerate(names(task$models)[weighted][collinear]))
}

# ---- draws ----

# About so many numbers may the products of a chunk of draws take.
chunk_of_draws <- 4e6

# Scores and ceilings of the draws, for each part an array draws x (models, lower, upper) x repeats.
evaluate_parts <- function(task, parts, folds, threads) {
  if (!length(parts)) return(list())
  count <- ncol(parts[[1]]$w)
  size <- c(count, length(task$models) + 2, if (is.null(folds)) 1 else folds$repeats)
  components <- sum(vapply(task$models, function(model) ncol(model$table$values), 0L))
  each <- (ncol(task$values) + components + 1)^2 * (if (is.null(folds)) 1 else
    2 * round_count(folds))
  rows <- in_chunks(count, min(250, max(1, chunk_of_draws / each)), function(at) {
    task$grams <- new.env()
    found <- lapply(parts, function(part) {
      matrix(evaluate_draws(task, part$w[, at, drop = FALSE],
                            part$m[task$group, at, drop = FALSE], folds, threads), length(at))
    })
    do.call(cbind, found)
  }, "evaluate_models()", "Fewer draws take less.")
  columns <- size[2] * size[3]
  lapply(stats::setNames(seq_along(parts), names(parts)), function(k) {
    array(rows[, (k - 1) * columns + seq_len(columns)], size)
  })
}

round_count <- function(folds) {
  if (!is.null(folds$given)) return(length(folds$given))
  folds$rdm * folds$condition * folds$repeats
}

# w, m: a draw a column. An array draws x (models, lower, upper) x repeats. Draws with fewer than 3
# different stimuli are NA.
evaluate_draws <- function(task, w, m, folds, threads) {
  if (!is.null(folds)) {
    found <- fold_means(task, w, m, folds, threads)
    return(aperm(simplify2array(lapply(seq_len(folds$repeats), function(k) {
      rbind(matrix(found$scores[, , k], length(task$models)), found$lower[, k], found$upper[, k])
    })), c(2, 1, 3)))
  }
  few <- colSums(w > 0) < 3
  w[, few] <- 1
  # where no stimulus is drawn, products are made once
  same <- ncol(w) > 1 && all(w == 1)
  found <- evaluate_rounds(task, plain_draw_rounds(if (same) w[, 1, drop = FALSE] else w, m),
                          threads)
  rows <- t(rbind(found$scores, found$lower, found$upper))
  rows[few, ] <- NA
  array(rows, c(dim(rows), 1))
}

# Means over folds: list(scores = models x draws x repeats, lower, upper = draws x repeats). The
# folds of a draw differ in how many RDMs and stimuli they test, copies counted, and count
# accordingly: if all counted alike, what comes often would count less than it was drawn, and the
# scores of draws would vary too little.
fold_means <- function(task, w, m, folds, threads) {
  draws <- ncol(w)
  made <- lapply(seq_len(draws * folds$repeats), function(k) {
    t <- (k - 1) %% draws + 1
    folds_of_draw(folds, task$group, w[, t], m[, t])
  })
  index <- rep(seq_along(made), lengths(made))
  means <- matrix(NA_real_, length(task$models) + 2, length(made))
  if (length(index)) {
    rounds <- unlist(made, recursive = FALSE)
    found <- evaluate_rounds(task, bound_rounds(rounds, m, (index - 1) %% draws + 1), threads)
    counts <- vapply(rounds, `[[`, 0, "counts")
    sums <- rowsum(t(rbind(found$scores, found$lower, found$upper)) * counts, index)
    means[, unique(index)] <- t(sums / as.vector(rowsum(counts, index)))
  }
  models <- seq_along(task$models)
  list(scores = array(means[models, ], c(length(models), draws, folds$repeats)),
       lower = matrix(means[length(models) + 1, ], draws),
       upper = matrix(means[length(models) + 2, ], draws))
}

# rounds: list(train, test) each; m: weights of the RDMs of all draws, of which a round has column
# `of`.
bound_rounds <- function(rounds, m, of) {
  part <- function(set, name) do.call(cbind, lapply(rounds, function(round) round[[set]][[name]]))
  train <- part("train", "m")
  list(w_train = part("train", "w"), w_test = part("test", "w"), m_train = train,
       m_test = part("test", "m"), m_low = train, m_high = m[, of, drop = FALSE])
}

# ---- evaluation draws

# Draws of RDMs and stimuli with replacement are made here for evaluate_models().

resample_choices <- c("both", "rdm", "condition", "none")

# Returns list(factors, rdm, condition): which of "rdm" and "condition" are drawn, and weights, a
# draw a column: how often each group and each stimulus comes. NULL where a factor is not drawn.
as_draws <- function(resample, draws, groups, n) {
  if (is.list(resample)) return(given_draws(resample, groups, n))
  resample <- check_choice(resample, resample_choices, "resample")
  if (resample == "none") return(list(factors = character(), count = 0L))
  draws <- check_count(draws, "draws", least = 2)
  factors <- if (resample == "both") c("rdm", "condition") else resample
  check_factor_sizes(factors, groups, n)
  check_memory(24 * as.double(draws) * (groups + n), "The draws", "Take fewer `draws`.")
  drawn <- function(size) {
    counts_of(matrix(sample.int(size, size * as.double(draws), TRUE), draws), size)
  }
  list(factors = factors, count = draws,
       rdm = if ("rdm" %in% factors) drawn(groups),
       condition = if ("condition" %in% factors) drawn(n))
}

check_factor_sizes <- function(factors, groups, n) {
  if ("rdm" %in% factors && groups < 2) {
    abort("`resample` draws RDMs, but there is one ", "group of them: its variance between ",
          "subjects is not known. Give resample = \"condition\".",
          class = "repalign_error_size", arg = "resample")
  }
  if ("condition" %in% factors && n < 4) {
    abort("`resample` draws stimuli, but there are ", n, ": at least 4 are needed. Give resample ",
          "= \"rdm\" or \"none\".", class = "repalign_error_size", arg = "resample")
  }
}

# at: indices, a draw a row. Counts, a draw a column.
counts_of <- function(at, size) {
  matrix(as.double(apply(at, 1, tabulate, size)), size)
}

given_draws <- function(resample, groups, n) {
  known <- c("rdm", "condition")
  if (!length(resample) || is.null(names(resample)) || !all(names(resample) %in% known) ||
      anyDuplicated(names(resample))) {
    abort("`resample` as a list has matrices named \"rdm\", \"condition\" or both: indices with ",
          "one draw a row.", class = "repalign_error_type", arg = "resample")
  }
  sizes <- c(rdm = groups, condition = n)
  factors <- intersect(known, names(resample))
  counts <- lapply(stats::setNames(factors, factors), function(factor) {
    counts_of(check_indices(resample[[factor]], factor, sizes[[factor]]), sizes[[factor]])
  })
  check_factor_sizes(factors, groups, n)
  rows <- vapply(counts, ncol, 0L)
  if (length(unique(rows)) > 1) {
    abort("`resample` has ", rows[1], " draws of RDMs and ", rows[2], " of stimuli: the rows of ",
          "both matrices are the same draws.", class = "repalign_error_size", arg = "resample")
  }
  list(factors = factors, count = rows[[1]], rdm = counts$rdm, condition = counts$condition)
}

check_indices <- function(at, factor, size) {
  what <- if (factor == "rdm") "groups of RDMs" else "stimuli"
  place <- paste0("`resample$", factor, "`")
  if (is.data.frame(at)) at <- as.matrix(at)
  if (!is.numeric(at) || !is.matrix(at) || nrow(at) < 2) {
    abort(place, " must be a matrix of indices with at least two rows, not ", describe(at), ".",
          class = "repalign_error_type", arg = "resample")
  }
  if (ncol(at) != size) {
    abort(place, " has ", count_of(ncol(at), "column"), ", but a draw has as many indices as ",
          "there are ", what, ": ", size, ".", class = "repalign_error_size", arg = "resample")
  }
  bad <- which(is.na(at) | at != round(at) | at < 1 | at > size, arr.ind = TRUE)
  if (nrow(bad)) {
    abort(place, " has an index that is not a whole number from 1 to ", size, ", first in row ",
          bad[1, 1], ", column ", bad[1, 2], ".", class = "repalign_error_value",
          arg = "resample")
  }
  at
}

# The parts that variances are made of: draws of both factors and of each alone. Each is list(w, m):
# weights of stimuli and of groups.
parts_of_draws <- function(draws, groups, n) {
  ones <- function(size) matrix(1, size, draws$count)
  part <- function(w, m) {
    list(w = if (is.null(w)) ones(n) else w, m = if (is.null(m)) ones(groups) else m)
  }
  parts <- list()
  if (length(draws$factors) == 2) parts$both <- part(draws$condition, draws$rdm)
  if ("rdm" %in% draws$factors) parts$rdm <- part(NULL, draws$rdm)
  if ("condition" %in% draws$factors) parts$condition <- part(draws$condition, NULL)
  parts
}

# ---- evaluation folds

# Folds for the cross-validation of evaluate_models() are made here: of all data, and of draws.

# Returns list(rdm, condition, repeats) for random folds, list(given, repeats = 1) for a table of
# them, or NULL without cross-validation.
as_folds <- function(folds, repeats, task) {
  if (is.data.frame(folds)) return(list(given = given_folds(folds, task), repeats = 1L))
  if (is.list(folds)) folds <- unlist(folds)
  unknown <- setdiff(names(folds), c("rdm", "condition"))
  if (is.numeric(folds) && length(unknown)) {
    abort("`folds` names ", dQuote(unknown[1], FALSE), ": what is cut into folds is \"rdm\" or ",
          "\"condition\".", class = "repalign_error_labels", arg = "folds")
  }
  if (!is.numeric(folds) || is.null(names(folds)) || !length(folds) ||
      anyDuplicated(names(folds))) {
    abort("`folds` must be numbers of folds, such as c(rdm = 2, condition = 2), or a data frame ",
          "with the columns fold, set, factor and index, not ", describe(folds), ".",
          class = "repalign_error_type", arg = "folds")
  }
  count <- c(rdm = 1L, condition = 1L)
  for (name in names(folds)) count[[name]] <- check_count(folds[[name]], paste0("folds: ", name))
  repeats <- check_count(repeats, "repeats")
  check_fold_sizes(count, task)
  if (all(count == 1)) return(NULL)
  list(rdm = count[["rdm"]], condition = count[["condition"]], repeats = repeats)
}

check_fold_sizes <- function(count, task) {
  groups <- max(task$group)
  if (count[["rdm"]] > groups) {
    abort("`folds` cuts the RDMs into ", count[["rdm"]], " folds, but there are ", groups,
          if (groups == 1) " group" else " groups", " of them.", class = "repalign_error_size",
          arg = "folds")
  }
  if (count[["condition"]] > 1 && task$n < 3 * count[["condition"]]) {
    abort("`folds` cuts ", task$n, " stimuli into ", count[["condition"]], " folds, but each ",
          "needs at least 3 stimuli: take fewer folds.", class = "repalign_error_size",
          arg = "folds")
  }
}

# A table of folds as a list of list(train, test), each with flags of RDMs (m) and stimuli (w).
given_folds <- function(folds, task) {
  need_columns(folds, c("fold", "set", "factor", "index"), "used", "folds")
  sizes <- c(rdm = length(task$group), condition = task$n)
  usable <- nrow(folds) && all(folds$set %in% c("train", "test")) &&
    all(folds$factor %in% names(sizes)) && is.numeric(folds$index) && !anyNA(folds$fold) &&
    all(folds$index %in% seq_len(max(sizes))) &&
    all(folds$index <= sizes[as.character(folds$factor)])
  if (!usable) {
    abort("`folds` must have \"train\" or \"test\" in the column set, \"rdm\" or \"condition\" in ",
          "factor, and in index the number of an RDM or a stimulus.",
          class = "repalign_error_value", arg = "folds")
  }
  lapply(split(folds, factor(folds$fold, unique(folds$fold))), function(rows) {
    flags <- function(set, factor) {
      if (!any(folds$factor == factor)) return(rep(TRUE, sizes[[factor]]))
      seq_len(sizes[[factor]]) %in% rows$index[rows$set == set & rows$factor == factor]
    }
    fold <- lapply(c(train = "train", test = "test"), function(set) {
      list(m = as.double(flags(set, "rdm")), w = as.double(flags(set, "condition")))
    })
    check_given_fold(fold, rows$fold[1], task)
  })
}

check_given_fold <- function(fold, name, task) {
  refuse <- function(...) {
    abort("`folds`: fold ", name, " ", ..., ".", class = "repalign_error_value", arg = "folds")
  }
  for (set in c("train", "test")) {
    if (!any(fold[[set]]$m > 0)) refuse("has no RDM to ", set)
    if (sum(fold[[set]]$w) < 3) refuse("has fewer than 3 stimuli to ", set)
  }
  both <- function(a, b) a > 0 & b > 0
  groups <- lapply(fold, function(set) unique(task$group[set$m > 0]))
  # a factor that is not cut is the same in both sets
  if (!setequal(groups$train, groups$test) && length(intersect(groups$train, groups$test))) {
    refuse("has RDMs of one group in training and test, which share what is to be predicted")
  }
  shared <- both(fold$train$w, fold$test$w)
  if (any(shared) && !identical(fold$train$w, fold$test$w)) {
    refuse("has stimulus ", which(shared)[1], " in training and test")
  }
  fold
}

# Rounds of one draw (weights m of the RDMs and w of the stimuli): list(train, test, counts), of
# which the first two are list(m, w), for every fold; NULL if the draw has too few stimuli or RDMs
# for them. `counts` is the weight of the round in the mean over folds: how many RDMs times stimuli
# it tests, in given folds compared with all data, of which each fold counts alike.
folds_of_draw <- function(folds, group, w, m) {
  if (!is.null(folds$given)) {
    rounds <- lapply(folds$given, function(fold) {
      round <- lapply(fold, function(set) list(m = set$m * m, w = set$w * w))
      c(round, counts = tested(round$test) / tested(fold$test))
    })
    return(if (are_usable_rounds(rounds)) rounds)
  }
  there <- unique(group[m > 0])
  if (length(there) < folds$rdm || sum(w > 0) < 3 * folds$condition) return(NULL)
  fold_rdm <- random_fold(there, folds$rdm, max(group))[group]
  fold_condition <- random_fold(which(w > 0), folds$condition, length(w))
  rounds <- expand.grid(rdm = seq_len(folds$rdm), condition = seq_len(folds$condition))
  lapply(seq_len(nrow(rounds)), function(k) {
    in_m <- fold_rdm == rounds$rdm[k]
    in_w <- fold_condition == rounds$condition[k]
    test <- list(m = m * in_m, w = w * in_w)
    list(train = list(m = if (folds$rdm > 1) m * !in_m else m,
                      w = if (folds$condition > 1) w * !in_w else w),
         test = test, counts = tested(test))
  })
}

tested <- function(set) sum(set$m) * sum(set$w)

# Do folds keep the training apart from the test, in RDMs or in stimuli?
are_cut <- function(folds) {
  if (is.null(folds$given)) return(!is.null(folds))
  !any(vapply(folds$given, function(fold) identical(fold$train, fold$test), NA))
}

are_usable_rounds <- function(rounds) {
  all(vapply(rounds, function(round) {
    all(vapply(round[c("train", "test")], function(set) sum(set$w > 0) >= 3 && any(set$m > 0), NA))
  }, NA))
}

# Before anything is computed: folds that most draws cannot be cut into. The draws that are left
# would be those that are most like all data, and their variance too small; with a fold for each
# group, they are all data.
refuse_lost_draws <- function(folds, drawn, task) {
  if (is.null(folds) || !is.null(folds$given) || !drawn$count) return(invisible())
  groups <- max(task$group)
  lost <- function(weights, needed) {
    if (is.null(weights)) rep(FALSE, drawn$count) else colSums(weights > 0) < needed
  }
  by_rdm <- lost(drawn$rdm, folds$rdm)
  by_condition <- lost(drawn$condition, 3 * folds$condition)
  each_group <- !is.null(drawn$rdm) && folds$rdm == groups
  if (!each_group && mean(by_rdm | by_condition) <= 0.5) return(invisible())
  reason <- if (each_group || mean(by_rdm) > mean(by_condition)) {
    paste0("folds = c(rdm = ", folds$rdm, ") needs ", folds$rdm, " different groups of RDMs in ",
           "each draw, and there are ", groups, ". Take fewer folds, such as c(rdm = 2) where ",
           "there are at least 3 groups, or draw no RDMs (resample = \"condition\" or \"none\").")
  } else {
    paste0("folds = c(condition = ", folds$condition, ") needs ", 3 * folds$condition,
           " different stimuli in each draw, and there are ", task$n, ". Take fewer folds, or ",
           "draw no stimuli (resample = \"rdm\" or \"none\").")
  }
  abort(sum(by_rdm | by_condition), " of ", drawn$count, " draws cannot be cut into `folds`, and ",
        "those that can are too much like all data to give errors: ", reason,
        class = "repalign_error_size", arg = "folds")
}

# The fold of each of `size` things of which only some are there.
random_fold <- function(there, folds, size) {
  fold <- integer(size)
  fold[there] <- if (folds == 1) 1L else
    sample(rep(sample.int(folds), length.out = length(there)))
  fold
}

# ---- evaluation plain

# Rounds of evaluate_models() that have no fast way are computed anew, each from RDMs in which
# stimuli come as often as they were drawn.

plain_rounds <- function(task, rounds) {
  count <- ncol(rounds$m_test)
  rows <- lapply(seq_len(count), function(t) {
    column <- function(name) rounds[[name]][, min(t, ncol(rounds[[name]]))]
    plain_round(task, column)
  })
  part <- function(name) matrix(unlist(lapply(rows, `[[`, name)), ncol = count)
  list(table = part("table"), lower = part("lower"), upper = part("upper"))
}

# column: the weights of the round, by their name.
plain_round <- function(task, column) {
  train <- gathered_task(task, column("w_train"))
  test <- gathered_task(task, column("w_test"))
  predicted <- vapply(seq_along(task$models), function(k) {
    model <- task$models[[k]]
    model$table$values <- train$components[[k]]
    weights <- scaled_weights(model, as.vector(
      plain_weights(model, train$values, column("m_train"), task$outer, train$sigma)))
    combined(test$components[[k]], replace(weights, is.na(weights), 0))
  }, numeric(nrow(test$values)))
  predicted <- matrix(predicted, nrow(test$values))
  table <- similarity_table(test$values, predicted, task$outer, test$sigma)
  c(list(table = table),
    plain_ceilings(test$values, task$outer, test$sigma, task$group, column("m_test"),
                   column("m_low"), column("m_high")))
}

# The RDMs of a draw: each stimulus as often as it counts. Pairs of copies lack.
gathered_task <- function(task, w) {
  at <- rep(seq_along(w), w)
  place <- packed_places(at, task$n)
  if (!whitens(task$outer)) place <- place[!is.na(place)]
  list(values = task$values[place, , drop = FALSE],
       components = lapply(task$models, function(model) {
         model$table$values[place, , drop = FALSE]
       }),
       sigma = cut_sigma(task$sigma, at))
}

# Similarities of each RDM with the pool of `low` without its group, and with that of `high`.
plain_ceilings <- function(values, outer, sigma, group, test, low, high) {
  size <- ncol(values)
  lower <- upper <- rep(NA_real_, size)
  used <- which(test > 0)
  groups <- unique(group[used])
  weights <- cbind(high, vapply(groups, function(g) replace(low, group == g, 0), low))
  pools <- means_of_present(normalised_rdms(values, outer, sigma), weights)
  with_pool <- function(at, k) {
    if (sum(weights[, k]) == 0) return(NA_real_)
    pool <- pools[, k, drop = FALSE]
    as.vector(similarity_table(values[, at, drop = FALSE], pool, outer, sigma))
  }
  upper[used] <- with_pool(used, 1)
  for (k in seq_along(groups)) {
    at <- used[group[used] == groups[k]]
    lower[at] <- with_pool(at, k + 1)
  }
  list(lower = lower, upper = upper)
}
