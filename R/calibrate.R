# calibrate() compares every score with its null: the scores of permuted data.

variants <- c("gated", "centered", "z", "ari")

engines <- c("auto", "coset", "random", "exact", "moments")

#' Calibrate similarity scores against chance
#'
#' Compares each score with null scores, which are computed after breaking the pairing of the
#' stimuli: the rows of `y` are permuted, and nothing else changes. The result has p-values that
#' hold for any number of stimuli, thresholds, and scores on a common scale (0: no more than
#' chance, 1: the best possible).
#'
#' @inheritParams similarity
#' @inheritSection similarity Several processes and machines
#' @param x a representation (stimuli x neurons), a named list of representations, or models, as
#'   in [similarity()].
#' @param y as `x`. With a list and `y = NULL`, all pairs within the list.
#' @param permutations one of
#'   * the number of permutations; the engine `"coset"` rounds it up to whole cosets;
#'   * an integer matrix with one permutation of the stimuli per row. Leave out the observed
#'     order, which always counts. The p-values are exact only if the rows and the observed order
#'     form a group (all swaps within pairs, all shifts), or if the rows are random draws. Other
#'     choices reject too often: in simulations with unrelated data, near copies of one permutation
#'     rejected 21% at level 0.05, 5 rows given 20 times each 17%, and the shifts of a series
#'     without its small lags 12% (`bench/given.R`). A warning of class `repalign_permutations`
#'     points out few different rows, nearly equal rows, and incomplete sets of shifts;
#'   * a design made by `permute::how()`.
#' @param ... not used: parameters of a measure are given to [measure()].
#' @param alpha level of the threshold, between 0 and 1.
#' @param variant what the column `calibrated` holds. Let \eqn{s} be the score, \eqn{t} the
#'   threshold, \eqn{b} the best possible score, and \eqn{m} and \eqn{\sigma}{sd} the mean and
#'   the standard deviation of the null scores:
#'   * `"gated"`: \eqn{\max((s - t)/(b - t), 0)}{max((s - t)/(b - t), 0)};
#'   * `"centered"`: \eqn{s - m};
#'   * `"z"`: \eqn{(s - m)/\sigma}{(s - m)/sd};
#'   * `"ari"`: \eqn{(s - m)/(b - m)}, as in the adjusted Rand index.
#'
#'   For distances, the signs of \eqn{s}, \eqn{t}, \eqn{b} and \eqn{m} are changed first, so that
#'   larger values always mean more similar. If nothing bounds the scores, `"gated"` is
#'   \eqn{\max(s - t, 0)}{max(s - t, 0)}, the excess over the threshold in the units of the measure,
#'   and `"ari"` is `NA`, with a warning. So it is for similarities whose `range_max` in
#'   [measures()] is infinite (`estimator = "stimulus_neuron"` of [cka()], which is 1 for identical
#'   representations but exceeds 1 by chance; [cknna()] by default), for [new_measure()] without
#'   `best`, and for a function of your own in `aggregate`. In either form the gated score is 0
#'   exactly when p is above `alpha`, but for scores equal to the threshold.
#' @param aggregate `NULL`: every pair is calibrated by itself. Otherwise the scores of a whole
#'   grid of pairs become one value, which is calibrated against the same value of the permuted
#'   data: `"max"` (the most similar pair), `"mean"`, `"row_max"` or `"col_max"` (the mean over
#'   rows, or columns, of their maxima), or a function of the matrix of scores, such as
#'   [top_k_mean()]. The signs of distances are changed before, so that larger is more similar,
#'   and the sign of the value is changed back. The matrix that a function receives has one row
#'   per layer of `x` and one column per layer of `y`, with their names, and no missing values.
#'   The best possible value of the named ones and of [top_k_mean()] is that of the measure; a
#'   function of your own has none. The p-value of any of them is about broken pairing: a difference
#'   of two cells is not a test of which layer is better, for which [compare_scores()] is made (see
#'   Details).
#' @param blocks one label per stimulus: only stimuli of the same block are exchanged. Use it if
#'   the stimuli form groups (categories, sessions) and your question is not about the
#'   differences between the groups.
#' @param clusters one label per stimulus, for stimuli that depend on each other (see [cka()]):
#'   whole clusters change places, their members in the given order. All clusters need the same
#'   size; stimuli with the label `NA` are left out. Measures that know clusters have these, too, so
#'   that the score is that of `cka(clusters =)`; those of a measure or of [responses()] are
#'   permuted without being given again. (`blocks`, in contrast, exchanges stimuli within a block.)
#' @param series are the rows a time series? `FALSE`, or how it is shifted:
#'   * `TRUE` or `"circular"`: the null scores come from the n - 1 circular shifts, all of them,
#'     whatever `permutations` says. A warning of class `repalign_series` says where both series
#'     are too slow for that;
#'   * `"linear"`: the middle half of `x` is compared with the stretches of `y` of the same length,
#'     for slow series; see Details. So it is where [responses()] declares a `series` and the call
#'     names no kind. The score is then that of this half, which its label says:
#'     `cka(middle half)`.
#' @param engine how the null scores are made, see Details; `"auto"` chooses. It must be `"auto"`
#'   if you give `blocks`, `clusters`, `series`, or a matrix or a design in `permutations`. Of
#'   these four, only one can be given.
#' @param p_adjust a method of [stats::p.adjust()], applied to all rows of the result. It adds
#'   the column `p_adjusted`, which `summary()`, `glance()` and `plot()` then compare with
#'   `alpha`.
#' @param na what to do about missing values, see [similarity()]. With `"stimuli"`, the same rows
#'   are left out of `blocks`, of `clusters` and of a design made by `permute::how()`. A matrix in
#'   `permutations` is for all stimuli, so it is an error if any of them has to be left out. With
#'   `series`, the stimuli that remain count as consecutive.
#' @return A data frame of class `repalign_calibration` with one row per pair and measure, or with
#'   `aggregate` one row per measure (and pair of models). Columns: `x`, `y`, `measure`, `score`,
#'   `threshold`, `calibrated`, `p_value`, `null_mean`, `null_sd`, `permutations` (the number of
#'   null scores) and `engine`; with models also `model_x` and `model_y`, with `p_adjust` also
#'   `p_adjusted`. `score`, `threshold`, `null_mean` and `null_sd` are in the units of the measure.
#'   With a single permutation, `null_sd` is `NA`, and a message says so. `engine` is `"coset"`,
#'   `"random"`, `"exact"` or
#'   `"moments"`, or says where the permutations come from: `"blocks"`, `"clusters"`, `"series"`,
#'   `"linear"` or `"given"`.
#'   With `aggregate = "max"`, `x` and `y` name the most similar pair; other aggregates belong to
#'   no single pair, and `x` and `y` are `NA`. [null_scores()] returns the null scores, and
#'   `plot()` draws them; [rbind()][rbind.repalign] puts results with the same settings together
#'   (without adjusting the p-values again).
#' @details
#' For a similarity \eqn{s} with \eqn{K} null scores \eqn{s_1, \ldots, s_K}{s_1, ..., s_K}, the
#' p-value is \deqn{p = \frac{1 + \#\{k: s_k \ge s\}}{K + 1},}{p = (1 + #{k: s_k >= s}) / (K + 1),}
#' and the threshold is the \eqn{\lceil (1 - \alpha)(K + 1) \rceil}{ceiling((1 - alpha)(K + 1))}-th
#' smallest of the \eqn{K + 1} scores (the null scores and the observed one). For distances, both
#' are read from the other end. If the stimuli are exchangeable and the two representations are
#' unrelated, the probability of a p-value of at most alpha is at most alpha, for every number of
#' stimuli. Null scores that differ from the observed score by less than \eqn{10^{-10}}{1e-10} of
#' its scale count as equal to it. If the score or a single null score is undefined, the whole
#' row is `NA`, with a warning. A message says when no p-value can be as small as `alpha`.
#'
#' The engines:
#' * `"coset"`: n permutations at a time, the cyclic shifts of a random order (a coset). All n
#'   scores come from one set of Fourier transforms, or from one pass over the edges of the
#'   neighbour graphs.
#' * `"random"`: independent random permutations.
#' * `"exact"`: all permutations, at most a million. `"auto"` chooses this when there are no more
#'   permutations than were asked for.
#' * `"moments"`: the exact mean, variance and skewness over all permutations, and a Pearson type
#'   III distribution with these moments. It needs 6 stimuli, and is available for `cka`, `rv`,
#'   distance correlation, linear regression, gulp and whitened [rsa()] (without `stimulus_noise`),
#'   without `aggregate`. It gives p-values far below \eqn{1/(K + 1)} without drawing any
#'   permutation. It stops with an error where three moments do not tell the tail (see below).
#'   `"auto"` never chooses it.
#'
#' `"coset"`, `"random"` and `"exact"` give exact tests. A representation is prepared only once,
#' because a permutation only changes the order of what was prepared. All pairs and measures with
#' the same engine see the same permutations, so that the aggregate over a grid can be computed for
#' each permutation. Permutations, and the order of tied neighbours, are drawn from R's random
#' numbers: `set.seed()` makes them reproducible.
#'
#' `"moments"` is an approximation, because only three moments are matched. It answers where
#' simulations show that they suffice, and is an error of class `repalign_error_design` elsewhere,
#' which names the pairs and the reason:
#' * Single stimuli weigh too much (outliers, sparse counts, log-normal or very unequal rows). The
#'   share of a stimulus is that of its row in the sum of squares of the centred n x n matrix of a
#'   side, less its mean diagonal. The leverage is n times the largest share of one side times
#'   the sum of the squared shares of the other side (the larger of the two ways), or, if that is
#'   more, n / 10 times the product of the largest entries of both diagonals, in units of the
#'   norms. The limit is 0.2.
#' * Both sides consist of two groups of nearly equal stimuli: the null has few values, more than
#'   0.35 of its standard deviations apart.
#' * Both sides consist of few categories of equal stimuli, so that the centred matrices have fewer
#'   than 5 different values off their diagonals: the null then has few values, too.
#' * The null has a skewness below -0.75, so that it ends close to the threshold (regressions on
#'   nearly as many neurons as stimuli).
#'
#' True levels of its thresholds, by 200,000 permutations of each data set (`bench/moments.R`: 20 to
#' 400 stimuli, 2 to 100 neurons, all measures above, both sides drawn from the same law; means over
#' the data sets that it answers, with the smallest and the largest one):
#'
#' | Both sides | answered | at 0.05 | at 0.01 | at 0.001 |
#' | --- | --- | --- | --- | --- |
#' | Gaussian | 158 of 168 | 0.050 | 0.0100 (0.0091-0.011) | 0.00095 (0.00064-0.0012) |
#' | t with 3 d.f. | 40 of 168 | 0.050 | 0.0100 (0.0092-0.010) | 0.00097 (0.00067-0.0013) |
#' | one outlier row | 29 of 168 | 0.050 | 0.0101 (0.0097-0.011) | 0.00104 (0.00088-0.0013) |
#' | 5% outlier rows | 34 of 168 | 0.050 | 0.0102 (0.0094-0.011) | 0.00117 (0.00074-0.0019) |
#' | log-normal | 20 of 168 | 0.049 | 0.0104 (0.0099-0.011) | 0.00131 (0.00091-0.0016) |
#' | rows of unequal size | 14 of 168 | 0.048 | 0.0105 (0.0098-0.011) | 0.00126 (0.0011-0.0016) |
#' | sparse counts | 80 of 158 | 0.050 | 0.0100 (0.0059-0.011) | 0.00105 (0.00013-0.0018) |
#' | 5 clusters | 153 of 168 | 0.050 | 0.0101 (0.0070-0.011) | 0.00107 (0.000085-0.0013) |
#' | 2 groups | 78 of 168 | 0.050 | 0.0100 (0.0045-0.012) | 0.00094 (0-0.0013) |
#'
#' (The single outlier row is 5 times as large as others, the 5% 3 times; rows of unequal size have
#' log-normal factors; counts have the mean 0.1; clusters have random sizes.)
#'
#' In none of these 606 data sets is the true level above 1.25 times 0.01 or above 2 times 0.001; in
#' 7 of them it is below 0.008 or 0.0005, 5 of which have 20 stimuli. Of the 896 refused data sets,
#' 459 are outside of these limits. Far out in the tail (1e-20), p-values mean no more than "very
#' small". For scores that are not linear in the permuted sum (distance correlation, gulp),
#' `null_mean` and `null_sd` are approximate.
#'
#' When not to trust it: when the stimuli are not exchangeable because they depend on each other
#' (groups, time series). P-values are then too small, because permuting the stimuli also
#' destroys this dependence. If the stimuli form groups, use `blocks`: with free permutations, two
#' representations that have nothing in common but the groups come out as similar. If the
#' stimuli of a group resemble each other by themselves (neighbouring frames, views of one object),
#' use `clusters`, which also sees what differs between the groups. For a time series use `series`.
#'
#' In simulations of two unrelated populations (`bench/dependence.R`, 300 data sets a row), free
#' permutations rejected in 99.7% of the data sets with 20 groups of 5 stimuli that share 90% of
#' their variance, at a level of 5%; with `clusters` it was 4%. For a time series whose neighbours
#' correlate by 0.9 it was 100%, and whole runs in the place of groups did not suffice: 13% for 5
#' runs of 20 points, 9% for 10 runs of 40, and 7% when the first 10 points of each run were left
#' out.
#'
#' Time series. A circular shift joins the end of a series to its beginning. That makes the test
#' exact for periodic series, does no harm where one of the two series is fast, and makes it reject
#' too often where both are slow. What matters is the effective number of points of the pair,
#' \eqn{n / \sum_h r_x(h) r_y(h)}{n / sum_h r_x(h) r_y(h)}, over all lags h, negative ones, too.
#' Here r is the autocorrelation of a representation: the sum of the inner products of centred rows
#' at this lag over that at lag 0. A warning of class `repalign_series` says where it is below
#' \eqn{1 / (1/n + 1/(20 + 6D))}{1 / (1/n + 1/(20 + 6 D))}, with D the larger participation ratio of
#' the two centred representations: the more dimensions they have, the less scores vary by chance,
#' and the more a small bias matters.
#'
#' `series = "linear"` joins nothing (Harris 2020): rows N + 1 to n - N of `x`, with N = n/4, are
#' compared with rows N + 1 + t to n - N + t of `y`, for t from -N to N, where t = 0 is observed.
#' All columns of the result are about this half of the rows. There are 2N shifts, or, if
#' `permutations` is smaller, that many (one more if it is odd) in equal steps. The series in `y`
#' must be stationary, or its steps must be, as in a random walk, if the measure does not depend on
#' where the cloud of points lies; nothing is asked of `x`. Then the level is at most twice alpha
#' for any series (at most alpha if you multiply p-values by (2N + 1)/(N + 1)); in the simulations
#' below it was 2 to 6% at 5%. The price is power, as half of the rows are compared, and that no
#' p-value is below 1/(2N + 1). It needs responses or distances, and each shift is a comparison of
#' its own.
#'
#' How often unrelated pairs were rejected at 5% (in percent; `bench/series.R`, 300 data sets each,
#' n = 100, RV coefficient, D columns a side; AR: autoregressive series with this coefficient;
#' smooth: white noise under a Gaussian window with a standard deviation of 10 rows):
#'
#' | series | effective points | D = 1 | 5 | 10 | 40 | `"linear"`, any D |
#' | --- | --- | --- | --- | --- | --- | --- |
#' | white noise | 100 | 5 | 4 | 5 | 6 | 5 to 6 |
#' | AR 0.5 | 63 | 4 | 6 | 9 | 7 | 3 to 5 |
#' | AR 0.9 | 16 | 7 | 9 | 12 | 39 | 2 to 4 |
#' | AR 0.95 | 11 | 8 | 20 | 28 | 84 | 3 to 5 |
#' | AR 0.99 | 7 | 15 | 59 | 87 | 100 | 3 to 4 |
#' | random walks | 7 | 20 | 77 | 94 | 100 | 3 to 5 |
#' | smooth | 6 | 6 | 21 | 33 | 78 | 2 to 6 |
#' | AR 0.99 and white noise | 98 | 4 | 3 | 5 | 5 | 2 to 5 |
#' | AR 0.99 and AR 0.5 | 40 | 5 | 6 | 7 | 13 | 3 to 6 |
#' | AR 0.99 and AR 0.9 | 12 | 7 | 20 | 28 | 61 | 3 to 6 |
#'
#' [mutual_knn()] was rejected more often still in many dimensions (90% for smooth series with D =
#' 10). Of the 4131 data sets of this kind without the warning, 5% were rejected, by RV, by
#' corrected CKA and by `mutual_knn()`, and at most 8% in any kind and D with 50 or more of them.
#' `"linear"` rejected 4, 4 and 3% of 1260 data sets by these three measures. The effective number
#' of points is that of the directions of large variance. For measures that weigh all neurons or
#' directions alike (matching of neurons, [cca()], [svcca()], [gulp()]), give columns of equal
#' variance ([scale()]), or the warning can miss slow neurons beside a fast one.
#'
#' Nothing else that was tried held for random walks with D = 5: shifts beyond the correlation time
#' only (78%), random phases (75%), straight lines taken out first (35%), permuted blocks (94%).
#' Circular shifts of the innovations (each row less its regression on the row before) held for the
#' autoregressive series and random walks with up to 10 columns (2 to 8%), but not for smooth series
#' (12% with D = 5, 63% with D = 40). Where such a model fits, give the innovations: they find more,
#' but compare the steps, not the slow changes. When half of the variance was shared (D = 5, n = 100
#' and 400), linear shifts found 39% and 93% of the pairs of AR 0.9, circular ones 77% and 100%,
#' innovations 100%; for AR 0.99 linear shifts found 18% and 27%.
#'
#' Trial-to-trial noise that two areas share when they are recorded together belongs to the pairing
#' of the stimuli, too: any measure that does not leave it out finds it, also between areas with
#' unrelated signals. The estimators of [cka()] from trials do leave it out, see [responses()].
#'
#' A score above chance means that the pairing of the stimuli carries information, not that the
#' representations are similar in any stronger sense. The null holds the two sets of neurons and
#' stimuli fixed: it says nothing about how much the score would change with other ones.
#'
#' Nor does it say whether two scores differ. A function in `aggregate` that takes the difference of
#' two cells is compared with differences of scores at chance, which vary otherwise than
#' those of two related layers. Where two layers were related to a brain equally, such a test
#' rejected 33% of the data sets for CKA, 32% for RSA and 17% for [mutual_knn()], at a level of 5%
#' (`Rscript bench/inference-differences.R pairing n=60 sets=300`). Use [compare_scores()] for
#' differences, and [best_score()] and [compare_best()] for the best layer.
#'
#' Measures that do not depend on the pairing (`imd` and the three differences of statistics) have
#' no such null. If there are more neurons than stimuli, several measures have the same value for
#' all permutations, and the p-value is 1.
#' @section Stimuli that depend on each other:
#' P-values take the rows as exchangeable, and intervals and ceilings over stimuli take each as
#' independent. Every function that gives one of these looks at the rows (at 300 of them and 1000
#' columns, if there are more), and warns once, with class `repalign_dependence`,
#' * when neighbouring rows are alike, as in a time series or in runs of similar stimuli: their mean
#'   squared distance is below 0.6 of that of all rows, and further below than shuffling explains.
#'   For p-values this must hold on both sides (in the geometric mean of 1 less these shares),
#'   because one exchangeable side is enough; for intervals the mean of both sides counts;
#' * when many rows are near copies of each other on both sides: squared distances below 0.04 of
#'   the median or less, with a gap above them.
#'
#' RDMs and neighbour graphs are looked at in the same way. RDMs of two values are taken for labels,
#' a design that does not depend on itself. For p-values, `blocks`, `clusters`, `series` or a
#' design in `permutations` answer the question, for intervals and ceilings only `clusters` (a label
#' of its own for each stimulus says that all are independent). Groups whose stimuli are neither
#' neighbours nor near copies are not seen.
#'
#' In simulations (`bench/rows.R`, 100 data sets or more of each kind with 20 and with 50 stimuli)
#' it came with all pairs of unrelated autoregressive series of 0.9 and 0.95 and with all runs of 5
#' stimuli that share 90% of their variance, from responses as from RDMs; with series of 0.5 in 59%
#' and 94%; with one slow series and white noise in none for p-values (5% and 6% of which were at
#' most 0.05), but in 66% and 99% for intervals. It came with no independent rows (Gaussian, of one
#' and two dimensions, heavy-tailed, counts) but for two sides that share one heavy-tailed dimension
#' (7% and 1%). Groups of 5 that share 99% were seen in 0% and 64% after shuffling, shuffled series
#' never (92% and 100% of their p-values were at most 0.05).
#' @references \enc{Gröger}{Groeger}, Wen and \enc{Brbić}{Brbic} (2026), arXiv:2602.14486 (gated
#'   scores, aggregates). Hemerik and Goeman (2018), TEST 27. Koning and Hemerik (2024),
#'   Biometrika 111. Phipson and Smyth (2010), Stat. Appl. Genet. Mol. Biol. 9. Kazi-Aoual et al.
#'   (1995), Comput. Stat. Data Anal. 20. Josse, Pages and Husson (2008), Comput. Stat. Data Anal.
#'   53. Harris (2020), arXiv:2012.06862 (linear shifts). Geyer (1992), Stat. Sci. 7 (where a sum of
#'   autocorrelations ends).
#' @examples
#' # V4 against the layers of a network, for the first 100 images
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#' layers <- lapply(v4_layers, function(layer) layer[1:100, ])
#' set.seed(1)
#' calibrate(v4, layers, c("cka", "rsa"))
#' # the most similar layer, against the most similar layer of permuted images
#' calibrate(v4, layers, aggregate = "max")
#' @seealso [similarity()], [null_scores()], [top_k_mean()], [compare_scores()], [prepare()]
#' @export
calibrate <- function(x, y = NULL, measure = "cka", permutations = 999, ..., alpha = 0.05,
                      variant = c("gated", "centered", "z", "ari"), aggregate = NULL,
                      blocks = NULL, series = FALSE,
                      engine = c("auto", "coset", "random", "exact", "moments"),
                      p_adjust = "none", threads = NULL, clusters = NULL,
                      na = c("error", "stimuli", "neurons", "pairwise")) {
  need_arguments()
  set <- as_measures(measure)
  refuse_parameters(set, ...)
  alpha <- check_number(alpha, "alpha", above = 0, below = 1)
  variant <- check_choice(variant, variants, "variant")
  engine <- check_choice(engine, engines, "engine")
  p_adjust <- check_choice(p_adjust, stats::p.adjust.methods, "p_adjust")
  rule <- rule_of_call(na, set, !missing(na))
  series <- series_of_call(if (!missing(series)) series, list(x, y),
                           list(blocks = blocks, clusters = clusters, permutations = permutations))
  aggregate <- as_aggregate(aggregate)
  linear <- series == "linear"
  free <- is.null(blocks) && isFALSE(series) && all_orders(permutations)
  call <- open_call(x, y, rule$set, rule$na, threads, clusters = clusters, use = "null",
                    series = series, remedies = if (free) permutation_remedies)
  refuse_other_design(clusters, call$clusters, list(blocks = blocks, series = series,
                                                    permutations = permutations))
  sides <- call$sides
  set <- call$set
  pairs <- call$pairs
  check_calibration(set, sides, aggregate, engine)
  set <- lapply(set, with_fitting_null, pairs, sides)
  if (!isFALSE(series)) refuse_prepared_series(all_representations(sides))
  n <- sum(call$rows)
  check_rows(n, 2, sides$x$reprs[[1]]$arg, "a permutation")
  plan <- permutation_plan(n, cut_permutations(permutations, call$rows), cut_blocks(blocks, call),
                           series, engine, call$clusters)
  if (engine != "moments") check_null_memory(plan$count, nrow(pairs), length(set))
  check_grid_memory(set, sides, if (linear) "linear" else engine)
  if (series == "circular") warn_slow_series(pairs, sides)
  settings <- list(alpha = alpha, variant = variant, p_adjust = p_adjust, engine = engine)
  if (engine != "moments") {
    tests <- if (is.null(aggregate)) nrow(pairs) else
      length(groups_of_models(pair_names(pairs, sides)))
    note_unattainable(rep(planned_counts(set, plan, engine), each = tests), settings, plan$most)
  }
  nulls <- null_grid(set, pairs, sides, plan, engine, threads)
  if (engine == "moments") check_laws(nulls, set, named_pairs(pairs, sides))
  calibration_result(nulls, set, pairs, sides, aggregate, settings)
}

# given: `clusters` of the call; codes: those that measures or responses() have; others: what else
# determines the permutations.
refuse_other_design <- function(given, codes, others) {
  if (is.null(codes) || !is.null(given)) return(invisible())
  other <- c(blocks = !is.null(others$blocks), series = !isFALSE(others$series),
             permutations = !all_orders(others$permutations))
  if (!any(other)) return(invisible())
  arg <- names(which(other))[1]
  abort("`", arg, "` is given, but a measure or responses() has clusters, which change places as ",
        "a whole: each determines which permutations are allowed. Leave out one of the two.",
        class = "repalign_error_design", arg = arg)
}

check_calibration <- function(set, sides, aggregate, engine) {
  for (m in set) {
    if (!has_permutations(m)) {
      abort(dQuote(m$label, FALSE), " has no permutation null: it does not depend on which row of ",
            "`x` is paired with which row of `y`. measures()$pairing tells which measures do.",
            class = "repalign_error_null", arg = "measure")
    }
  }
  if (!is.null(aggregate) && sides$self && !sides$models) {
    abort("`aggregate` needs the layers of two sides: give `y`, too, or models.",
          class = "repalign_error_value", arg = "aggregate")
  }
  if (!is.null(aggregate) && engine == "moments") {
    abort("engine = \"moments\" cannot be used with `aggregate`: use another engine.",
          class = "repalign_error_design", arg = "engine")
  }
}
