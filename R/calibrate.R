# calibrate() compares every score with its null: the scores of permuted data.

variants <- c("gated", "centered", "z", "ari")

engines <- c("auto", "coset", "random", "exact", "moments")

#' Calibrate similarity scores against chance
#'
#' Compares each score with those after permuting the stimuli of `y`: p-values, thresholds, and
#' scores on a common scale (0: no more than chance, 1: the best possible).
#'
#' @order 1
#' @param x,y,measure as in [similarity()].
#' @param permutations their number; a matrix with a permutation in each row (random draws, or all
#'   of a group, without the observed order); or a design by `permute::how()`.
#' @param ... not used: parameters go to [measure()].
#' @param alpha level of the threshold.
#' @param variant the column `calibrated`, by the score s, the threshold t, the best possible score
#'   b, and mean m and standard deviation v of the null scores (distances with changed signs, also
#'   for `aggregate`):
#'   * `"gated"`: `max((s - t)/(b - t), 0)`, or `max(s - t, 0)` without a bound (the
#'     `"stimulus_neuron"` [cka()]);
#'   * `"centered"`: `s - m`;
#'   * `"z"`: `(s - m)/v`;
#'   * `"ari"`: `(s - m)/(b - m)`, as in the adjusted Rand index.
#' @param aggregate `NULL`: every pair by itself. Otherwise what of a whole grid is calibrated:
#'   `"max"` (the most similar pair), `"mean"`, `"row_max"` or `"col_max"` (the mean of the maxima
#'   of rows, or columns), or a function of the matrix of scores (`x` in rows), such as
#'   [top_k_mean()].
#' @param blocks one label per stimulus: only those of one block are exchanged.
#' @param clusters labels of [dependent][dependence] stimuli: whole clusters of one size change
#'   places.
#' @param threads,na see [similarity()].
#' @param resume see [similarity()]; the call that goes on comes after the same `set.seed()`.
#' @param series for a [time series][time_series]: `TRUE` or `"circular"` (all n - 1 circular
#'   shifts), or `"linear"` (for slow series, and where [responses()] declares one).
#' @param engine how null scores are made, see [engines]. Only one of `engine`, `blocks`,
#'   `clusters`, `series`, and a matrix or a design in `permutations` can be given.
#' @param p_adjust a method of [stats::p.adjust()] for all rows.
#' @return A data frame of class `repalign_calibration` with one row per pair and measure, or with
#'   `aggregate` one per measure (and pair of models): `x` and `y` (with `aggregate` the most
#'   similar pair of `"max"`), `measure`, `score`, `threshold` (beyond which scores have p-values up
#'   to `alpha`), `calibrated`, `p_value`, `null_mean`, `null_sd`, `permutations` (the number of
#'   null scores) and `engine`; with models also `model_x` and `model_y`, with `p_adjust` also
#'   `p_adjusted`. An undefined score or null score makes the whole row `NA`, with a warning.
#'
#'   `null_scores()`: a matrix of the null scores, in the units of the measure, with a column for
#'   each row of `calibration`. Shorter columns end in `NA`.
#' @details
#' With k of K null scores at least as high as the score (of distances, at most), the p-value is
#' (1 + k)/(K + 1). If the stimuli are exchangeable and the representations unrelated, it is at most
#' `alpha` with a probability of at most `alpha`.
#'
#' When not to trust it:
#' * p-values can be too small when stimuli depend on each other;
#' * noise that areas share when they are recorded together is found, too, except by [cka()] from
#'   trials;
#' * a score above chance says nothing about other neurons or stimuli, nor whether two scores
#'   differ: see [compare_scores()], [best_score()] and [compare_best()];
#' * measures that ignore the pairing (`imd` and the three differences of statistics) have no such
#'   null, and several have one value for all permutations (p is 1) with more neurons than stimuli.
#' @references \enc{Gröger}{Groeger}, Wen and \enc{Brbić}{Brbic} (2026),
#'   \doi{10.48550/arXiv.2602.14486} (gated scores, aggregates). Hemerik and Goeman (2018), TEST 27.
#'   Phipson and Smyth (2010), Stat. Appl. Genet. Mol. Biol. 9.
#' @examples
#' # V4 against the layers of a network, for the first 100 images
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:100, ]
#' layers <- lapply(v4_layers, function(layer) layer[1:100, ])
#' set.seed(1)
#' calibrate(v4, layers, c("cka", "rsa"))
#' # the most similar layer, against the most similar layer of permuted images
#' calibrate(v4, layers, aggregate = "max")
#' @seealso [evaluate_models()], [in_words()]
#' @export
calibrate <- function(x, y = NULL, measure = "cka", permutations = 999, ..., alpha = 0.05,
                      variant = c("gated", "centered", "z", "ari"), aggregate = NULL,
                      blocks = NULL, series = FALSE,
                      engine = c("auto", "coset", "random", "exact", "moments"),
                      p_adjust = "none", threads = NULL, clusters = NULL,
                      na = c("error", "stimuli", "neurons", "pairwise"), resume = NULL) {
  need_arguments()
  set <- as_measures(measure)
  refuse_parameters(set, ...)
  alpha <- check_number(alpha, "alpha", above = 0, below = 1)
  variant <- check_choice(variant, variants, "variant")
  engine <- check_choice(engine, engines, "engine")
  p_adjust <- check_choice(p_adjust, stats::p.adjust.methods, "p_adjust")
  refuse_if(any(has_controls(set)), "null", "Partial scores have no permutation null: permuting ",
            "`y` breaks its relation to the controls, too. score_interval() gives their errors, ",
            "and `p_zero` tests them against 0.", arg = "measure")
  rule <- rule_of_call(na, set, !missing(na))
  series <- series_of_call(if (!missing(series)) series, list(x, y),
                           list(blocks = blocks, clusters = clusters, permutations = permutations))
  aggregate <- as_aggregate(aggregate)
  check_resume(resume, set)
  given <- with_files(list(x = x, y = y), whole = if (!isFALSE(series)) "Shifts in time",
                      resume = resume)
  others <- names(which(c(blocks = !is.null(blocks), series = !isFALSE(series),
                          permutations = !all_orders(permutations))))
  call <- open_call(given$x, given$y, rule$set, rule$na, threads, clusters = clusters, use = "null",
                    series = series, remedy = if (!length(others)) permutation_remedy)
  refuse_if(is.null(clusters) && !is.null(call$clusters) && length(others), "design",
            "`{others[1]}` is given, but a measure or responses() has clusters, which change ",
            "places as a whole: each determines which permutations are allowed. Leave out one of ",
            "the two.")
  sides <- call$sides
  sides$resume <- resume
  pairs <- call$pairs
  for (m in call$set) {
    refuse_if(!has_permutations(m), "null", "{quoted(m$label)} has no permutation null: it ",
              "does not depend on which row of `x` is paired with which row of `y`. ",
              "measures()$pairing tells which measures do.", arg = "measure")
  }
  refuse_if(!is.null(aggregate) && sides$self && !sides$models, "value",
            "`aggregate` needs the layers of two sides: give `y`, too, or models.")
  refuse_if(!is.null(aggregate) && engine == "moments", "design", "engine = \"moments\" cannot be ",
            "used with `aggregate`: use another engine.", arg = "engine")
  set <- lapply(call$set, with_fitting_null, pairs, sides)
  if (!isFALSE(series)) refuse_prepared_series(all_representations(sides))
  plan <- plan_of_call(call, set, pairs, permutations, blocks, series, engine)
  set <- plan$set
  signalCondition(structure(class = c("repalign_judged", "condition"), list()))
  slow <- if (series == "circular") warn_slow_series(pairs, sides)
  settings <- list(alpha = alpha, variant = variant, p_adjust = p_adjust, engine = engine)
  if (engine != "moments") {
    tests <- if (is.null(aggregate)) nrow(pairs) else
      length(groups_of_models(pair_names(pairs, sides)))
    note_unattainable(rep(planned_counts(set, plan, engine), each = tests), settings, plan$most,
                      remedies = remedies_of_engine(plan$fixed$engine))
  }
  nulls <- null_grid(set, pairs, sides, plan, engine, threads)
  if (engine == "moments") check_laws(nulls, set, named_pairs(pairs, sides))
  calibration_result(nulls, set, pairs, sides, aggregate, settings, c(call$dependence, slow))
}

# The permutations of an opened call, with the `set` of its measures whose null kernels are chosen;
# it is judged whether the null fits into memory.
plan_of_call <- function(call, set, pairs, permutations, blocks, series, engine) {
  n <- sum(call$rows)
  check_rows(n, 2, call$sides$x$reprs[[1]]$arg, "a permutation")
  plan <- permutation_plan(n, cut_permutations(permutations, call$rows), cut_blocks(blocks, call),
                           series, engine, call$clusters, trim = TRUE)
  if (engine != "moments") check_null_memory(plan$count, nrow(pairs), length(set))
  plan$set <- lapply(set, cheaper_null, pairs, call$sides, plan, engine)
  check_grid_memory(plan$set, call$sides, if (series == "linear") "linear" else engine)
  plan
}
