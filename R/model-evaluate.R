# evaluate_rdms() compares models with the RDMs of subjects, with errors over subjects, stimuli or
# both; evaluate_models() compares them with recordings (model-recordings.R).
#
# The result is a data frame of the class "repalign_evaluation" with a row for each model. Beside
# the rows it keeps the attributes
#
# parts      what compare_scores() needs: list(main, interactions, df), see model-draws.R
# draws      the scores of all draws, for each part an array draws x (models, lower and upper
#            ceiling) x repeats
# table      the score of each RDM (rows) for each model, without folds
# outer, resample, folds, conf_level, sizes, group   how it was made
# pictures   list(data, models, stimulus_noise): data and predicted RDMs, for plot(type = "map")

#' Which model is closest to the RDMs of subjects, is it more than chance, how high could it be?
#'
#' Compares models with RDMs, with errors over subjects, stimuli or both, and noise ceilings.
#' [evaluate_models()] compares models with recordings.
#'
#' @param rdms an RDM (a `dist` object, or a symmetric matrix with a diagonal of 0), or a list of
#'   RDMs, one or several for each subject.
#' @param models an RDM or what [rdm_model()] returned, or a named list of them. A factor is a model
#'   of categories.
#' @param outer how RDMs are compared, as for [rsa()].
#' @param resample what is resampled for errors: RDMs (`"rdm"`), stimuli (`"condition"`, the default
#'   for a single RDM), or `"both"`; `"none"`: errors over RDMs without draws; or draws of your own,
#'   see below.
#' @param draws the number of draws; fewer than 20 are warned of.
#' @param group one label for each RDM; those of one label (subject) are drawn and left out
#'   together.
#' @param folds how many folds for cross-validation, or folds of your own, see below.
#' @param repeats how often each draw cuts new folds; at least 2 for errors with `folds`.
#' @param conf_level coverage of the intervals.
#' @param stimulus_noise for whitened comparisons, as for [rsa()]; for draws of stimuli, variances.
#' @param na `"pairwise"`: over the pairs of stimuli that both have.
#' @param threads see [similarity()].
#' @param clusters labels of [dependent][dependence] stimuli: draws, folds and permutations go by
#'   whole clusters, without pairs within one.
#' @param blocks see [calibrate()].
#' @param permutations for `p_chance`, as in [calibrate()]; 0 for none.
#' @param ... not used.
#' @return A data frame of class `repalign_evaluation` with a row for each model. Columns:
#'
#' | column | |
#' | --- | --- |
#' | `model`, `score` | its name; its mean score |
#' | `se`, `df`, `conf_low`, `conf_high` | standard error, degrees of freedom, interval |
#' | `p_chance` | one-sided permutation test against chance |
#' | `p_zero` | one-sided test against a score of 0 |
#' | `ceiling_low`, `ceiling_high` | bounds of the noise ceiling |
#' | `p_ceiling` | two-sided test against the lower bound |
#' | `draws`, `left_out` | numbers of draws, and of those left out |
#'
#' `plot()`, `confint()`, `vcov()`, [compare_scores()], [best_score()] and [compare_best()] take it.
#' @details
#' Scores are means over RDMs, with all data; draws are for errors, fit models with weights again,
#' and are left out with fewer than 3 different stimuli (in each fold) or an undefined score. With
#' `folds`, weights are fitted to the training RDMs and stimuli of each fold and tested with the
#' others: compare models by the same folds.
#'
#' `ceiling_high` is the highest mean score that any model can have (nearly so where pairs are
#' missing), and `ceiling_low` that of the
#' pool of the other groups ([subject_ceiling()]; `NA` of one RDM). `p_chance` permutes the stimuli
#' of the models and fits weights again; it is `NA` for clusters of different sizes. Cosines of
#' positive RDMs have a small `p_zero` for any model: look at `p_chance`.
#'
#' *Your own draws* in `resample` are `list(rdm = , condition = )`, matrices of indices (of groups
#' and clusters, if any) with a draw in each row; `folds` a data frame with the columns `fold`,
#' `set` (`"train"` or `"test"`), `factor` (`"rdm"` or `"condition"`) and `index`.
#'
#' *Attributes*: `table` (scores RDMs x models, without folds), `draws` (arrays draws x (models,
#' `ceiling_low`, `ceiling_high`) x repeats).
#'
#' When not to trust it: when stimuli depend on each other, without `clusters`. Of two to four
#' subjects, errors are guesses; permutations say nothing of others. Cosines need a 0 that means "no
#' difference", as in cross-validated distances (`"crossnobis"` of [rdm()]); take
#' `"whitened_pearson"` for others. A score that is not significantly below the ceiling may be far
#' below it.
#' @references \enc{Schütt}{Schuett} et al. (2023), eLife 12. Nili et al. (2014), PLoS Computational
#'   Biology 10 (ceilings). Diedrichsen et al. (2021), Neurons, Behavior, Data Analysis, and Theory
#'   5 (whitening).
#' @examples
#' subjects <- rdm92[paste0("human", 1:4, "_s1")]
#' models <- list(V1 = rdm92$model_V1, animal = factor(attr(rdm92, "images")$animal))
#' set.seed(1)
#' evaluate_rdms(subjects, models, "spearman", draws = 100)
#' # models with weights are fitted and tested with different subjects and stimuli
#' both <- list(both = rdm_model(rdm92[c("model_V1", "model_Silhouette")], "weighted"))
#' evaluate_rdms(subjects, both, "pearson", draws = 20, folds = c(rdm = 2, condition = 2),
#'               permutations = 0)
#' @seealso [rdm_model()], [evaluate_models()]
#' @export
evaluate_rdms <- function(rdms, models, outer = "whitened_cosine",
                          resample = c("both", "rdm", "condition", "none"), draws = 1000,
                          group = NULL, folds = c(rdm = 1, condition = 1), repeats = 2,
                          conf_level = 0.95, stimulus_noise = NULL, na = c("error", "pairwise"),
                          threads = NULL, clusters = NULL, blocks = NULL, permutations = 999, ...) {
  need_arguments()
  refuse_parameters(NULL, ...)
  # a square matrix may be meant as an RDM, and is told what it lacks
  refuse_elements(rdms, "rdms", function(one) {
    is_responses(one) || length(dim(one)) > 1 && !(is.matrix(one) && nrow(one) == ncol(one))
  }, "is no RDM: evaluate_models() compares recordings with models, and rdm() or dist() makes an ",
  "RDM of one, as_rdm() of a vector of dissimilarities.")
  refuse_time_bins(rdms, "rdms")
  made <- if (is.list(rdms)) vapply(rdms, is_rdm, NA) else is_rdm(rdms)
  inform_if(inherits(models, "repalign_rdms") && !any(made), "swapped", "`models` are RDMs that ",
            "rdm() made of data, and `rdms` are none: if those are the models, the other way ",
            "round is evaluate_rdms(models, rdms).")
  threads <- hold_threads(threads)
  na <- check_choice(na, c("error", "pairwise"), "na")
  task <- evaluation_task(rdms, models, outer, group, stimulus_noise, na, clusters)
  # whoever names a cosine has decided; the default is a decision of ours
  inform_if(missing(outer) && is_cosine(task$outer) && !task$unbiased &&
              !any(task$values <= 0, na.rm = TRUE), "cosine_of_positive", "All dissimilarities in ",
            "`rdms` are above 0, as they hardly are if cross-validated. If 0 does not mean \"no ",
            "difference\" (as in 1 - r, or in distances of noisy patterns), cosines are high even ",
            "for a model in which all pairs are equal: take outer = \"whitened_pearson\". Name ",
            "outer = {quoted(task$outer)} in the call to take it without this message.")
  conf_level <- check_number(conf_level, "conf_level", above = 0, below = 1)
  drawn <- as_draws(if (!missing(resample)) resample, draws, max(task$group),
                    units_of(task$n, task$codes), unit_words(task$codes))
  folds <- as_folds(folds, repeats, task)
  check_evaluation(task, drawn, folds, threads)
  given <- is.matrix(permutations) || inherits(permutations, "how")
  if (!given && !is.list(permutations) && length(permutations) == 1) {
    check_count(permutations, "permutations", least = 0)
  }
  if (!is.null(blocks)) {
    refuse_if(is_no_permutation(permutations), "design", "`blocks` says which stimuli are ",
              "exchanged by permutations, but there are none (permutations = 0).")
    refuse_if(given || !is.null(task$codes), "design", "Give only one of `blocks` and ",
              "`{if (given) 'permutations' else 'clusters'}`: each of them determines which ",
              "permutations are allowed.")
    blocks <- check_block_labels(in_order_of(blocks, task$labels, "blocks"), task$n)
  }
  free <- is.null(blocks) && all_orders(permutations)
  drawn_stimuli <- "condition" %in% drawn$factors
  dependence <- if (is.null(task$codes) && (free || drawn_stimuli)) {
    warn_of_rows(judged_rdms(task$values, task$n, mean = TRUE),
                 judged_rdms(do.call(cbind, task$components), task$n),
                 if (!drawn_stimuli) "null" else if (free) "evaluation" else "errors",
                 if (drawn_stimuli) cluster_remedy else evaluation_remedy)
  }
  rounds <- data_rounds(task, folds)
  whole <- evaluate_whole(task, rounds, folds, threads)
  parts <- evaluate_parts(task, drawn, folds, threads)
  chance <- chance_of_models(task, rounds, whole$scores, permutations, blocks, threads)
  if (free) chance$dependence <- dependence
  # errors over stimuli go on into comparisons, p-values of permutations do not
  evaluation_result(task, whole, parts, chance, drawn, folds, conf_level,
                    if (drawn_stimuli) dependence)
}

# ---- what is given

# The RDMs and models: list(values, n, labels, group, models, components, flexible, outer,
# stimulus_noise, way, fast), data RDMs as a matrix P x N, the number of stimuli and their names,
# the group of each RDM (1, 2, ...), the named models, the RDMs of each as a matrix, which models
# have weights, how RDMs are compared, the way in which rounds are computed and what fast ways need.
# `unbiased` says whether all data RDMs are cross-validated estimates. With clusters of stimuli
# there is also what clustered_task() adds.
evaluation_task <- function(rdms, models, outer, group, stimulus_noise, na, clusters = NULL) {
  outer <- check_choice(outer, rsa_outer, "outer")
  table <- rdm_table(rdms, "rdms", na == "pairwise")
  refuse_if(table$n < 3, "size", "`rdms` has {table$n} stimuli: comparisons of RDMs need at least ",
            "3.")
  clusters <- cluster_codes(in_order_of(clusters, table$labels, "clusters"))
  refuse_repeated_labels(table$labels, if (is_collection(rdms)) "rdms[[1]]" else "rdms", clusters)
  models <- as_rdm_models(models, table, na)
  task <- list(values = even_sizes(table$values)$values, n = table$n, labels = table$labels,
               group = group_codes(group, ncol(table$values), names(rdms)), models = models,
               components = lapply(models, function(model) model$sized$values),
               flexible = vapply(models, is_flexible, NA), outer = outer,
               stimulus_noise = check_stimulus_noise(stimulus_noise, table$n, table$labels),
               unbiased = all(table$cross_validated))
  refuse_unused_noise(task$stimulus_noise, outer)
  task <- clustered_task(task, clusters)
  refuse_flat(list(values = task$values, names = table$names), outer, "rdms",
              if (!is.null(task$codes)) "between clusters")
  # comparisons that are linear, or by ranks, have fast ways if all RDMs lack the same pairs
  slow <- whitens(outer) && is.matrix(task$stimulus_noise)
  all <- c(list(task$values), task$components)
  if (!slow && any(vapply(all, anyNA, NA))) {
    gaps <- is.na(do.call(cbind, all))[counting_pairs(task), , drop = FALSE]
    slow <- if (whitens(outer)) any(gaps) else
      any(gaps[, seq_len(ncol(task$values))] != gaps[, 1]) || any(gaps & !gaps[, 1])
  }
  task$way <- if (slow) "plain" else if (outer %in% linear_outer) "grams" else "ranks"
  if (!slow) task$fast <- fast_parts(task)
  task
}

# Numbers from 1 in the order of appearance. names: that the user gave to the RDMs, or NULL.
group_codes <- function(group, count, names) {
  group <- check_group(group, count, "RDMs", names)
  match(group, unique(group))
}

# What only RDMs, draws and folds together can tell.
check_evaluation <- function(task, drawn, folds, threads) {
  refuse_lost_draws(folds, drawn, task)
  refuse_if(is.matrix(task$stimulus_noise) && "condition" %in% drawn$factors, "choice",
            "`stimulus_noise` is a matrix, and `resample` draws stimuli, of which copies share ",
            "their noise. Give the variances, diag(stimulus_noise), or resample = \"rdm\".")
  inform_if(!is.null(folds) && is.null(folds$given) && folds$repeats == 1 && drawn$count,
            "fold_variance", "repeats = 1: errors contain what the random choice of folds adds, ",
            "and are rather too large. Give repeats = 2 or more to take it out.")
  # do folds keep the training apart from the test, in RDMs or in stimuli?
  cut <- !is.null(folds) && !any(vapply(folds$given, function(fold) {
    identical(fold$train, fold$test)
  }, NA))
  warn_if(any(task$flexible) && !cut, "not_crossvalidated", "The score of ",
          "{enumerate(names(task$models)[task$flexible])} is not cross-validated: its weights are ",
          "fitted to the data that test it. Give folds, as c(rdm = 2, condition = 2).")
  warn_if(max(task$group) < 2, "undefined",
          if (length(task$group) < 2) "With one RDM there is no noise ceiling (NA)." else
            "All RDMs are of one group: there is no lower noise ceiling (NA).")
  count <- units_of(task$n, task$codes)
  inform_if(!is.null(task$codes) && count < few_clusters && !is.null(drawn$condition),
            "few_clusters", "`clusters` has only {count_of(count, 'cluster')}, of which draws are ",
            "made: errors over them are rough (see ?evaluate_rdms). Use finer labels if smaller ",
            "groups of stimuli are independent.")
  values <- c(list(task$values), task$components)
  if (any(vapply(values, anyNA, NA))) {
    there <- !is.na(do.call(cbind, values)[counting_pairs(task), , drop = FALSE])
    data <- seq_len(ncol(task$values))
    counts <- crossprod(there[, data, drop = FALSE], there[, -data, drop = FALSE])
    inform_if(!all(there), "pairs_left_out", "na = \"pairwise\": comparisons are over ",
              "{paste(unique(range(counts)), collapse = ' to ')} of {nrow(there)} pairs of ",
              "stimuli.")
  }
  if (task$way == "ranks") {
    each <- if (task$outer %in% tau_outer) 12 else 8
    check_memory(as.double(threads) * nrow(task$values) * (each * ncol(task$values) + 56),
                 "Ranks of all RDMs, on each thread,", "Fewer threads take less.")
  }
}

# ---- scores of all data

# The data are cut into folds at least so often for the score: draws have few cuts, because there
# are many draws, and what cuts add to the variance is taken out there. In the score they should
# hardly matter.
least_cuts_of_data <- 20

# list(rounds, weight): the rounds that the score of all data is made of, and how much each counts.
data_rounds <- function(task, folds) {
  m <- matrix(1, length(task$group), 1)
  w <- matrix(1, task$n, 1)
  if (is.null(folds)) return(list(rounds = plain_draw_rounds(w, m), weight = 1))
  if (is.null(folds$given)) folds$repeats <- max(folds$repeats, least_cuts_of_data)
  cut <- fold_rounds(task, w, m, folds)
  counts <- cut$counts / as.vector(rowsum(cut$counts, cut$index))[cut$index]
  list(rounds = cut$rounds, weight = counts / cut$cuts)
}

# list(scores, lower, upper, table, lower_each, predicted): scores and ceilings, without folds also
# those of each RDM, and what the models predict after a fit to all data.
evaluate_whole <- function(task, data, folds, threads) {
  weights <- Map(model_weights, task$models, task$components,
                 MoreArgs = list(task$values, NULL, task$outer, task$stimulus_noise))
  # components that are collinear have no unique weights
  collinear <- vapply(weights, function(w) isTRUE(attr(w, "collinear")), NA) &
    vapply(task$models, function(model) model$type == "weighted", NA)
  warn_collinear(any(collinear), enumerate(names(task$models)[collinear]))
  predicted <- Map(function(components, w) {
    combined(components, replace(as.vector(w), is.na(w), 0))
  }, task$components, weights)
  predicted <- matrix(unlist(predicted, use.names = FALSE), nrow(task$values),
                      dimnames = list(NULL, names(task$models)))
  found <- evaluate_rounds(task, data$rounds, threads)
  # rounding of weights may lead out of the range
  mean_of <- function(scores) clip_to_range(drop(scores %*% data$weight), -1, 1)
  # a single RDM is its own pool, which says nothing of its noise
  upper <- if (length(task$group) > 1) mean_of(found$upper) else NA_real_
  whole <- list(scores = mean_of(found$scores), lower = mean_of(found$lower), upper = upper,
                predicted = predicted)
  if (!is.null(folds)) return(whole)
  c(whole, list(table = matrix(found$table, ncol(task$values)), lower_each = found$each_lower[, 1]))
}

# ---- scores of draws

# Variances are made of draws of both factors and of each alone. Scores and ceilings of the draws,
# for each of these parts an array draws x (models, lower, upper) x repeats.
evaluate_parts <- function(task, drawn, folds, threads) {
  names <- c(if (length(drawn$factors) == 2) "both", drawn$factors)
  if (!length(names)) return(list())
  repeats <- if (is.null(folds)) 1 else folds$repeats
  size <- c(drawn$count, length(task$models) + 2, repeats)
  each <- (ncol(task$values) + sum(vapply(task$components, ncol, 0L)) + 1)^2
  if (!is.null(folds)) {
    each <- 2 * each * if (is.null(folds$given)) folds$rdm * folds$condition * repeats else
      length(folds$given)
  }
  rows <- in_chunks(drawn$count, min(250, max(1, chunk_of_draws / each)), function(at) {
    # weights of this chunk of draws, or 1 in all draws where a factor is not drawn
    w <- if (is.null(drawn$condition)) matrix(1, task$n, length(at)) else
      of_each_stimulus(drawn$condition[, at, drop = FALSE], task)
    m <- if (is.null(drawn$rdm)) matrix(1, max(task$group), length(at)) else
      drawn$rdm[, at, drop = FALSE]
    m <- m[task$group, , drop = FALSE]
    task$last <- new.env()
    found <- lapply(names, function(part) {
      if (part == "rdm") w[] <- 1
      if (part == "condition") m[] <- 1
      matrix(evaluate_draws(task, w, m, folds, threads), length(at))
    })
    do.call(cbind, found)
  }, "evaluate_rdms()", "Fewer draws take less.")
  columns <- size[2] * size[3]
  lapply(stats::setNames(seq_along(names), names), function(k) {
    array(rows[, (k - 1) * columns + seq_len(columns)], size)
  })
}

# w, m: a draw a column. An array draws x (models, lower, upper) x repeats. Draws with fewer than 3
# different stimuli (clusters) are NA.
#
# The folds of a draw differ in how many RDMs and stimuli they test, copies counted, and count
# accordingly in its mean over folds: if all counted alike, what comes often would count less than
# it was drawn, and the scores of draws would vary too little.
evaluate_draws <- function(task, w, m, folds, threads) {
  if (!is.null(folds)) {
    cut <- fold_rounds(task, w, m, folds)
    means <- matrix(NA_real_, length(task$models) + 2, cut$cuts)
    if (length(cut$index)) {
      found <- evaluate_rounds(task, cut$rounds, threads)
      sums <- rowsum(t(rbind(found$scores, found$lower, found$upper)) * cut$counts, cut$index)
      means[, unique(cut$index)] <- t(sums / as.vector(rowsum(cut$counts, cut$index)))
    }
    return(aperm(array(means, c(nrow(means), ncol(w), folds$repeats)), c(2, 1, 3)))
  }
  few <- colSums(of_each_unit(w, task) > 0) < 3
  w[, few] <- 1
  # where no stimulus is drawn, products are made once
  same <- ncol(w) > 1 && all(w == 1)
  found <- evaluate_rounds(task, plain_draw_rounds(if (same) w[, 1, drop = FALSE] else w, m),
                           threads)
  rows <- t(rbind(found$scores, found$lower, found$upper))
  rows[few, ] <- NA
  rows
}

# The rounds of all draws and repeats: list(rounds, index, counts, cuts), where `index` says which
# of the `cuts` a round belongs to, and `counts` is its weight there.
fold_rounds <- function(task, w, m, folds) {
  draws <- ncol(w)
  made <- lapply(seq_len(draws * folds$repeats), function(k) {
    t <- (k - 1) %% draws + 1
    folds_of_draw(folds, task$group, w[, t], m[, t], task$codes)
  })
  index <- rep(seq_along(made), lengths(made))
  rounds <- unlist(made, recursive = FALSE)
  part <- function(set, name) do.call(cbind, lapply(rounds, function(round) round[[set]][[name]]))
  train <- part("train", "m")
  list(rounds = list(w_train = part("train", "w"), w_test = part("test", "w"), m_train = train,
                     m_test = part("test", "m"), m_low = train,
                     m_high = m[, (index - 1) %% draws + 1, drop = FALSE]),
       index = index, counts = vapply(rounds, `[[`, 0, "counts"), cuts = length(made))
}
