# Representational similarity analysis: this script has the error rates of evaluate_rdms() and the
# times of its draws, and the others have
#   bench/rsa-rdm.R          times of rdm() and noise_covariance(), and errors of estimates
#   bench/rsa-outer.R        times of the comparisons of RDMs
#   bench/rsa-folds.R       errors of cross-validated scores
#   bench/rsa-regression.R   levels and power of the tests of rsa_regression()
#   bench/rsa-searchlight.R  times, memory and family-wise error rates of searchlight()
#   bench/rsa-from-rsatoolbox.R  how far rsatoolbox is from repalign, by lines of R that do the same
# Each says at its top how it is called. This one:
#   Rscript bench/rsa.R [sets=200] [draws=200] [n=20,40] [subjects=5,10] [stimuli] [subjects-only]
#                       [sessions] [folds] [time] [seed=1]
# Each data set has new stimuli, drawn with 12 features, and new subjects, who weigh the features
# differently and have noise of their own. Models `a` and `b` have a third of the features in common
# and a third each of their own, so that their true scores are equal; `none` has other features and
# a true score of 0 (by "pearson" and "whitened_pearson"); `shared` is the expected RDM of all
# subjects. True scores are means over all data sets. The columns are
#   cover    how often the 95% interval of `a` holds its true score
#   ratio    mean variance (se^2) over the variance of the score of `a` between data sets
#   zero     how often p_zero of `none` is at most 0.05
#   differ   how often the p-value of compare_scores(), a against b, is at most 0.05; and ratio_d,
#            the ratio of variances for this difference
#   above, below   how often p_ceiling of `shared` is at most 0.05, its score above or below the
#            lower ceiling
# (stimuli) errors over both; (subjects-only) over subjects, with the same stimuli in all data sets;
# (sessions) over both, where each subject has two sessions, with and without `group`; (folds) over
# both, cross-validated (2 x 2 folds): `a` and `b` have their two thirds as weighted components.
# (time) evaluate_rdms() of 20 subjects, 92 stimuli and 10 models, 1000 draws of both.

library(repalign)

source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 200)
draws <- setting("draws", 200)
sizes <- settings("n", c(20, 40))
counts <- settings("subjects", c(5, 10))
options(width = 140)

rdm_of <- function(features) dist(features)^2

# One list of data RDMs (sessions of each subject one after the other), and the models.
draw_set <- function(n, subjects, sessions = 1, stimuli = matrix(rnorm(n * 16), n)) {
  part <- list(common = 1:4, a = 5:8, b = 9:12, none = 13:16)
  data <- unlist(lapply(seq_len(subjects), function(u) {
    weighted <- stimuli[, 1:12] * rep(sqrt(rgamma(12, 2, 2)), each = n)
    own <- matrix(rnorm(n * 6), n)
    lapply(seq_len(sessions), function(s) {
      rdm_of(cbind(weighted, own, 1.5 * matrix(rnorm(n * 6), n)))
    })
  }), recursive = FALSE)
  names(data) <- paste0("rdm", seq_along(data))
  component <- lapply(part, function(at) rdm_of(stimuli[, at]))
  list(data = data, group = rep(seq_len(subjects), each = sessions), component = component,
       models = list(a = component$common + component$a, b = component$common + component$b,
                     none = component$none, shared = rdm_of(stimuli[, 1:12])))
}

with_weights <- function(set) {
  set$models$a <- rdm_model(set$component[c("common", "a")], "weighted")
  set$models$b <- rdm_model(set$component[c("common", "b")], "weighted")
  set
}

one_set <- function(set, outer, ...) {
  found <- quietly(evaluate_rdms(set$data, set$models, outer, draws = draws, threads = 1, ...))
  pair <- quietly(compare_scores(found[1:2, ], p_adjust = "none", draws = 999))
  low <- found$p_ceiling[4] <= 0.05
  under <- found$score[4] < found$ceiling_low[4]
  c(score = found$score[1], se = found$se[1], low = found$conf_low[1], high = found$conf_high[1],
    zero = found$p_zero[3] <= 0.05, differ = pair$p_value <= 0.05, difference = pair$difference,
    se_d = pair$se, above = low & !under, below = low & under)
}

rates <- function(outer, n, subjects, make, ...) {
  set.seed(setting("seed", 1))
  runs <- do.call(rbind, lapply(seq_len(sets), function(k) one_set(make(), outer, ...)))
  runs <- runs[!is.na(runs[, "se"]) & !is.na(runs[, "se_d"]), , drop = FALSE]
  true <- mean(runs[, "score"])
  share <- function(name) mean(runs[, name], na.rm = TRUE)
  data.frame(outer = outer, n = n, subjects = subjects, score = round(true, 3),
             cover = round(mean(runs[, "low"] <= true & runs[, "high"] >= true), 3),
             ratio = round(mean(runs[, "se"]^2) / var(runs[, "score"]), 2),
             zero = round(share("zero"), 3), differ = round(share("differ"), 3),
             ratio_d = round(mean(runs[, "se_d"]^2) / var(runs[, "difference"]), 2),
             above = round(share("above"), 3), below = round(share("below"), 3),
             sets = nrow(runs))
}

over_sizes <- function(title, outers, make, ..., known = TRUE) {
  cat("\n", title, " (", sets, " data sets, ", draws, " draws)\n", sep = "")
  rows <- list()
  for (outer in outers) for (n in sizes) for (subjects in counts) {
    rows[[length(rows) + 1]] <- rates(outer, n, subjects, function() make(n, subjects), ...)
  }
  rows <- do.call(rbind, rows)
  # with the same stimuli in all data sets, true scores are neither equal nor 0
  if (!known) rows$zero <- rows$differ <- NULL
  print(rows, row.names = FALSE)
}

outers <- c("pearson", "whitened_pearson", "spearman")

if (wanted("stimuli")) over_sizes("over subjects and stimuli", outers, draw_set)

if (wanted("subjects-only")) {
  set.seed(setting("seed", 1))
  same <- lapply(stats::setNames(sizes, sizes), function(n) matrix(rnorm(n * 16), n))
  fixed <- function(n, subjects) draw_set(n, subjects, stimuli = same[[as.character(n)]])
  over_sizes("over subjects, resampled", "whitened_pearson", fixed, resample = "rdm",
             known = FALSE)
  over_sizes("over subjects, without resampling", "whitened_pearson", fixed,
             resample = "none", known = FALSE)
}

if (wanted("sessions")) {
  twice <- function(n, subjects) draw_set(n, subjects, sessions = 2)
  one <- function(set, outer, ...) one_set(set, outer, group = set$group, ...)
  over_sizes("two sessions of each subject, taken as independent", "whitened_pearson", twice)
  without_group <- one_set
  one_set <- function(set, outer, ...) without_group(set, outer, group = set$group, ...)
  over_sizes("two sessions of each subject, with `group`", "whitened_pearson", twice)
  one_set <- without_group
}

if (wanted("folds")) {
  over_sizes("cross-validated, weighted models", "pearson",
             function(n, subjects) with_weights(draw_set(n, subjects)),
             folds = c(rdm = 2, condition = 2))
}

if (wanted("time")) {
  set.seed(1)
  set <- draw_set(92, 20)
  models <- lapply(1:10, function(k) rdm_of(cbind(matrix(rnorm(92 * 4), 92))))
  cat("\n1000 draws, 20 subjects, 92 stimuli, 10 models, ceilings; seconds (best of 3)\n")
  for (outer in c("cosine", "pearson", "whitened_cosine", "whitened_pearson", "spearman",
                  "rho_a")) {
    seconds <- min(vapply(1:3, function(k) {
      system.time(quietly(evaluate_rdms(set$data, models, outer, threads = 2)))[["elapsed"]]
    }, 0))
    cat(sprintf("  %-18s %6.2f\n", outer, seconds))
  }
}
