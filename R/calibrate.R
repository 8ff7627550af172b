# calibrate(): every score against its permutation null.

variants <- c("gated", "centered", "z", "ari")
engines <- c("auto", "coset", "random", "exact", "moments")

#' Calibrate similarity scores against chance
#'
#' Compares each score with those obtained when the pairing of stimuli is broken: the rows
#' of `y` are permuted, nothing else changes. Gives p-values that hold for any number of
#' stimuli, thresholds, and scores on a common scale (0: no more than chance, 1: the best
#' possible).
#'
#' @inheritParams similarity
#' @inheritSection similarity Several processes and machines
#' @param x a matrix (stimuli x neurons), a named list of them, or models, as for [similarity()].
#' @param y as `x`. With `y = NULL` and a list, all pairs within the list.
#' @param permutations number of permutations (at least; whole cosets may make it more); an
#'   integer matrix with a permutation of the rows in each of its rows (without the observed
#'   order, which is counted anyway); or a design made by `permute::how()`.
#' @param alpha level of the threshold.
#' @param variant what the column `calibrated` holds: `"gated"`, \eqn{max((s - t)/(b - t), 0)}
#'   with the score s, the threshold t and the best value b; `"centered"`, \eqn{s - m} with the
#'   mean m of the null scores; `"z"`, \eqn{(s - m)/sd}; `"ari"`, \eqn{(s - m)/(b - m)}. For
#'   distances all of them are taken with their sign changed: more is always more similar. Where
#'   there is no best value ([new_measure()] without `best`, some functions in `aggregate`),
#'   `"gated"` is \eqn{max(s - t, 0)} in the measure's own units and `"ari"` is `NA`, with a
#'   warning.
#' @param aggregate `NULL`: every pair for itself. Otherwise one value for a whole grid of
#'   pairs, calibrated by the null of that value: `"max"` (most similar pair), `"mean"`,
#'   `"row_max"`, `"col_max"` (mean over rows, or columns, of their maxima), or a function of
#'   the matrix of scores, such as [top_k_mean()]. Distances enter with their sign changed, so
#'   that more is always more similar, and the value gets its sign back. A function is given a
#'   matrix with the names of the layers of `x` as its rows and of `y` as its columns, without
#'   missing values. If it never falls when a score rises, its best value is that of a matrix full
#'   of best scores; otherwise (a difference of two cells) it has none.
#' @param blocks one label a row: only rows of one block are exchanged. For stimuli in groups
#'   (categories, sessions) whose differences are not what the question is about.
#' @param series are the rows a time series? Then its n - 1 circular shifts are the null, all of
#'   them, whatever `permutations` says.
#' @param engine how the null is made, see Details; `"auto"` chooses. It must be `"auto"` with
#'   `blocks`, `series`, or permutations that are given, of which there can be only one.
#' @param p_adjust a method of [stats::p.adjust()] over all rows of the result; adds the column
#'   `p_adjusted`, which `summary()`, `glance()` and `plot()` then compare with `alpha`.
#' @param na what to do about missing values, see [similarity()]. With `"stimuli"`, `blocks` and
#'   a design made by `permute::how()` lose the same rows; permutations that are given speak of all
#'   rows, so that it is an error to leave out any. With `series`, what is left counts as
#'   consecutive.
#' @return A data frame of class `repalign_calibration`, a row per pair and measure, or with
#'   `aggregate` per measure (and pair of models): `x`, `y`, `measure`, `score`, `threshold`,
#'   `calibrated`, `p_value`, `null_mean`, `null_sd`, `permutations` (null draws), `engine`; with
#'   models also `model_x`, `model_y`. `score`, `threshold`, `null_mean` and `null_sd` are in the
#'   measure's own units; `null_sd` is `NA`, with a message, where there is a single permutation.
#'   `engine` is `"coset"`, `"random"`, `"exact"` or `"moments"`, or says
#'   where the permutations are from: `"blocks"`, `"series"` or `"given"`. With `aggregate = "max"`
#'   `x` and `y` name the most similar pair; other aggregates belong to no pair, and `x` and `y` are
#'   `NA`. [null_scores()] gives the null draws, `plot()` draws them; [rbind()][rbind.repalign]
#'   puts results with the same settings together (without adjusting p-values again).
#' @details
#' With K null scores, `p_value` is \eqn{(1 + #(null >= s)) / (K + 1)} and `threshold` the
#' \eqn{ceiling((1 - alpha)(K + 1))}-th smallest of the K + 1 scores, for similarities; distances
#' are read from the other end. The p-value is at most alpha in at most a share alpha of the data
#' sets without any relation, for every n, if stimuli are exchangeable. Null scores within
#' \eqn{10^{-10}}{1e-10} of the observed one (of the scale of what is compared) are ties, and
#' count as at least as large. If the score or a single null score is undefined, so is the row:
#' `NA`, with a warning. A message says when no p-value can be at most `alpha`.
#'
#' Engines: `"coset"` takes whole cosets of cyclic shifts of a random order, n permutations from
#' one set of Fourier transforms or from one pass over the edges of the neighbour graphs;
#' `"random"` independent permutations; `"exact"` all permutations (at most a million), which
#' `"auto"` takes when they are no more than asked for; `"moments"` the exact mean, variance and
#' skewness over all permutations, from 6 stimuli on, with a Pearson type III law (for `cka`, `rv`,
#' distance correlation, linear regression and gulp, without `aggregate`), which gives p-values
#' far below 1/(K + 1) without any draw. `"coset"`, `"random"` and `"exact"` are exact tests. A
#' representation is prepared once; a permutation relabels what was prepared. All pairs and
#' measures of one engine see the same permutations, so an aggregate over layers has its own null.
#' Permutations, and the order of tied neighbours, are drawn from R's generator: `set.seed()`
#' repeats them.
#'
#' `"moments"` is an approximation: the moments are those of the sum that the score is made of, and
#' only three of them. In simulations (Gaussian and heavier tails, 30 and 101 stimuli) it keeps
#' levels from 0.01 to 0.1; far out (1e-20) its p-values say no more than "very small", and with
#' fewer than about 10 stimuli the true null is too coarse for a smooth law. For scores that are
#' not linear in the sum (distance correlation, gulp) `null_mean` and `null_sd` are approximate.
#'
#' When not to trust it: rows that are not exchangeable. Stimuli in groups: use `blocks` (a free
#' permutation also destroys the groups, and then any grouping makes two representations look
#' alike). Time series: use `series`, which is approximate where the series is not periodic.
#' A score above chance says that the pairing carries information, not that the representations
#' are similar in any stronger sense. Measures that do not depend on the pairing (`imd` and the
#' three differences of statistics) have no such null. For representations with more columns than
#' rows, several measures are constant under permutation: the p-value is then 1.
#' @references \enc{Gröger}{Groeger}, Wen and \enc{Brbić}{Brbic} (2026), arXiv:2602.14486 (gated
#'   scores, aggregates). Hemerik and Goeman (2018), TEST 27. Koning and Hemerik (2024),
#'   Biometrika 111. Phipson and Smyth (2010), Stat. Appl. Genet. Mol. Biol. 9. Kazi-Aoual et al. (1995),
#'   Comput. Stat. Data Anal. 20. Josse, Pages and Husson (2008), Comput. Stat. Data Anal. 53.
#' @examples
#' set.seed(1)
#' signal <- matrix(rnorm(60 * 3), 60)
#' x <- signal %*% matrix(rnorm(30), 3) + rnorm(600)
#' y <- signal %*% matrix(rnorm(60), 3) + rnorm(1200)
#' calibrate(x, y, c("cka", "rv"))
#' calibrate(x, matrix(rnorm(1200), 60)) # unrelated: no more than chance
#' @seealso [similarity()], [null_scores()], [top_k_mean()]
#' @export
calibrate <- function(x, y = NULL, measure = "cka", permutations = 999, alpha = 0.05,
                      variant = c("gated", "centered", "z", "ari"), aggregate = NULL,
                      blocks = NULL, series = FALSE,
                      engine = c("auto", "coset", "random", "exact", "moments"),
                      p_adjust = "none", threads = NULL, na = c("error", "stimuli", "neurons")) {
  need_arguments()
  set <- as_measures(measure)
  alpha <- check_number(alpha, "alpha", above = 0, below = 1)
  variant <- check_choice(variant, variants, "variant")
  engine <- check_choice(engine, engines, "engine")
  p_adjust <- check_choice(p_adjust, stats::p.adjust.methods, "p_adjust")
  na <- check_choice(na, missing_rules, "na")
  aggregate <- as_aggregate(aggregate)
  old <- options(repalign.threads = thread_count(threads))
  on.exit(options(old))
  complete <- complete_sides(as_sides(x, y, na = na), set, na)
  sides <- complete$sides
  set <- complete$set
  check_calibration(set, sides, aggregate, engine)
  check_rows(sides$x$reps[[1]]$n, 2, sides$x$reps[[1]]$arg, "a permutation")
  plan_neighbours(set, c(sides$x$reps, sides$y$reps))
  draws <- open_draws(all_reps(sides))
  on.exit(close_draws(draws), add = TRUE)
  plan <- permutation_plan(sides$x$reps[[1]]$n, cut_permutations(permutations, complete$rows),
                           cut_blocks(blocks, complete$rows), series, engine)
  pairs <- plan_pairs(sides, FALSE)
  if (engine != "moments") check_null_memory(plan$count, nrow(pairs), length(set))
  nulls <- null_grid(set, pairs, sides, plan, engine, threads)
  settings <- list(alpha = alpha, variant = variant, p_adjust = p_adjust, engine = engine)
  calibration_result(nulls, set, pairs, sides, aggregate, settings)
}

check_calibration <- function(set, sides, aggregate, engine) {
  for (m in set) {
    if (!isTRUE(m$declaration$pairing)) {
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
    abort("engine = \"moments\" knows the null of single scores only: use another engine with ",
          "`aggregate`.", class = "repalign_error_design", arg = "engine")
  }
}

# What a measure's null gives: observed (a score a pair), draws (see pair_draw(), one a pair),
# design, and what a user's own function said of the observed order and of others (said, warned);
# by moments observed and laws. score: score_pairs(), or what does its work.
measure_null <- function(measure, pairs, sides, plan, engine, score = score_pairs) {
  drawn <- new.env()
  observed <- drop(score(pairs, sides, list(measure), "stop", drawn))
  if (engine == "moments") return(moments_null(measure, pairs, sides, observed))
  null <- null_of(measure)
  design <- design_for(measure, plan, engine)
  if (is.null(null)) {
    direct <- direct_null(measure, pairs, sides, design, drawn$entries)
    draws <- direct_draws(measure, observed, direct$null)
    return(list(observed = observed, draws = draws, design = design, said = drawn$said,
                warned = direct$warned))
  }
  path <- switch(null$kind, pair = pair_null, graph = graph_null, basis = basis_null)
  draws <- lapply(path(null, measure, pairs, sides, design, observed), function(draw) {
    draw$null <- within_range(draw$null, measure$declaration, measure$args)
    draw
  })
  list(observed = observed, draws = draws, design = design)
}

# One pair: its null scores in the measure's units, and its p-value. stat: what is compared,
# larger for more similar, and score: the scores; both begin with the observed order.
# A null score that is the observed one but for rounding is set to it: roots and aggregates
# would make the difference large.
pair_draw <- function(stat, score, tolerance, observed) {
  gap <- stat[-1] - stat[1]
  null <- score[-1]
  null[which(abs(gap) <= tolerance)] <- observed
  list(null = null, p_value = (1 + sum(gap >= -tolerance)) / (length(gap) + 1))
}

# The permutations that the measure is compared under.
design_for <- function(measure, plan, engine) {
  if (!is.null(plan$fixed)) return(plan$fixed)
  cosets <- has_cosets(null_of(measure))
  plan$draw(if (engine != "auto") engine else if (cosets) "coset" else "random")
}

# What the measure declares of its null at these arguments, or NULL for the direct path.
null_of <- function(measure) {
  null <- measure$declaration$null
  if (is.function(null)) null(measure$args) else null
}

has_cosets <- function(null) !is.null(null) && null$kind != "basis"

orientation <- function(measure) if (measure$declaration$direction == "distance") -1 else 1

direct_draws <- function(measure, observed, null) {
  sgn <- orientation(measure)
  lapply(seq_along(observed), function(p) {
    score <- c(observed[p], null[, p])
    tolerance <- equal_share * score_scale(measure, observed[p], null[, p])
    pair_draw(sgn * score, score, tolerance, observed[p])
  })
}

# What rounding is measured by: scores without bounds may have the units of the data.
score_scale <- function(measure, s, null) {
  bounded <- all(is.finite(range_of(measure$declaration, measure$args)))
  max(0, abs(s), if (bounded) 1 else abs(null), na.rm = TRUE)
}
