# score_interval() gives scores of any measure with standard errors and intervals.

# ---- score interval

# score_interval() gives scores of any measure with standard errors and intervals.
#
# Its result is a data frame of the class "repalign_interval" with a row for each score and
# the columns (model_x, model_y,) x, y, measure, score, se, df, conf_low, conf_high, method, over
# and n. Beside the rows it keeps the attributes
#
# conf_level   coverage of the intervals
# deletions    how the scores vary with what was sampled, by which the errors of differences are
#              known: error-interval-result.R says what is in it, and reads it.
#              interval_parts(result) gives the parts of the covariances of the rows, and
#              contrast_errors(parts, weights) the standard error and the degrees of freedom of any
#              contrasts of them
# direction, best   of the measures, as for similarity()

#' Scores with standard errors and intervals
#'
#' Scores of any measures, each with a standard error and an interval over stimuli, and also over
#' neurons or subjects, for [compare_scores()], too.
#'
#' @param x,y,measure see [similarity()]; for subjects in `over`, `x` is a named list of them, and
#'   `y` is what all are compared with. `x` may also be what [encode()] returned, alone. Large files
#'   are read in parts, but for subjects and partial scores.
#' @param over what the errors are about: `"stimuli"` alone, or also `"neurons_x"`, `"neurons_y"` or
#'   both, `"neurons_given"` (of controls), `"subjects"` or `"these_subjects"`, whose mean is the
#'   score. `NULL`, in all functions that have `over`, takes what the estimator corrects for:
#'   stimuli, and by `"stimulus_neuron"` and `"stimulus_neuron_trial"` also the neurons of each side
#'   that is not `complete` (see [cka()]).
#' @param ... not used: parameters go to [measure()].
#' @param method how errors over stimuli are found: `"auto"` takes what fits the measure,
#'   `"jackknife"` leaves out each stimulus in turn, `"half-samples"` takes random halves;
#'   `"influence"` and `"smoothed"` are for measures that have them.
#' @param draws number of half-samples.
#' @param transform the scale on which intervals are symmetric: the score itself (`"none"`), or
#'   Fisher's z (`"z"`; `"auto"` takes it for most similarities between -1 and 1).
#' @param units_x,units_y one label per neuron: those of a label (a session, an electrode) are
#'   deleted together. By default those of the measure or of [responses()]; by
#'   `"stimulus_neuron_trial"` each neuron alone.
#' @param conf_level coverage of the intervals.
#' @param clusters as in [cka()]: errors go by whole clusters, at least 5.
#' @param threads,na see [similarity()].
#' @return A data frame of class `repalign_interval` with one row per score: `x`, `y`, `model_x`,
#'   `model_y`, `measure`, `score`, `pairs` and `n`, as of [similarity()]; `se` (`NA`, with a
#'   warning, of a score that does not vary); `df` (`Inf`: normal); `conf_low` and `conf_high`;
#'   `method` and `over`, as given or found; of partial scores (`given` of [cka()]) also `p_zero`, a
#'   two-sided test of 0 (`NA` where neurons of some side are held fixed).
#' @details
#' The interval is for the mean of the score over data sets with this number of stimuli, on which
#' most measures (not the corrected CKA and RSA) depend: scores from different numbers of stimuli
#' are not comparable.
#'
#' The column `method` tells what `"auto"` took: delete-one values or influences where they hold for
#' the measure, else half-samples, in which `k` neighbours must be fewer than half of the stimuli.
#' Influences of [cca()] are `NA` where both sides together have n - 1 dimensions or more.
#'
#' `"subjects"` is about other subjects: take at least 5, as intervals of fewer are guesses.
#' `"these_subjects"` is about those in `x`, with other stimuli, other neurons of each and other
#' units of `y`; alone, it takes all of these that are not `complete` (units of `y` if the measure
#' corrects for few neurons).
#'
#' When not to trust it:
#' * distances in the units of the data ([procrustes_size_shape()], [permutation_procrustes()],
#'   [rsm_difference()], [bures_distance()]) with heavy-tailed responses or counts: intervals lie
#'   too low;
#' * half-samples with hardly more stimuli than dimensions (`pwcca`, `linear_regression`): take
#'   `"jackknife"`;
#' * a low `cka` where one or two neurons have most of the variance, and `svcca` where the number of
#'   kept components changes with the stimuli;
#' * absolute values of what may be near 0, such as [magnitude_difference()], and scores near a
#'   bound;
#' * few stimuli that drive all neurons much more than the others: a sample without them cannot know
#'   of them (a message of class `repalign_strong_stimuli`);
#' * influences with heavy tails (a message of class `repalign_heavy_tails`): standard errors are
#'   uncertain, and mostly too small;
#' * fewer than 30 stimuli, and [dependent][dependence] ones without `clusters`.
#' @references Efron and Stein (1981), Annals of Statistics 9 (jackknife).
#' @examples
#' # V4 against the layers of a network, for the first 150 images
#' v4 <- apply(macaque_v4$trials, 1:2, mean, na.rm = TRUE)[1:150, ]
#' layers <- lapply(v4_layers, function(layer) layer[1:150, ])
#' score_interval(v4, layers, list("rsa", measure("cka", estimator = "stimulus")))
#' # another recording of V4 has other neurons: these are a sample, too
#' score_interval(v4, layers$L2, measure("cka", estimator = "stimulus_neuron"))
#' @seealso [score_weighted()], [cka_interval()], [calibrate()]
#' @order 1
#' @export
score_interval <- function(x, y = NULL, measure = "cka", over = NULL, ..., method = "auto",
                           draws = 200, transform = "auto", units_x = NULL, units_y = NULL,
                           conf_level = 0.95, clusters = NULL, threads = NULL,
                           na = c("error", "stimuli", "neurons", "pairwise")) {
  need_arguments()
  of_result <- declaration_of(x)$interval
  if (!is.null(of_result)) {
    given <- setdiff(names(match.call())[-1], c("x", "method", "conf_level", "threads"))
    refuse_if(length(given), "parameter",
              if (given[1] == "") "What else is given" else paste0("`", given[1], "`"), " has no ",
              "use where `x` is what {maker_of(x)} returned, which knows its data.", arg = given[1])
    return(of_result(x, method, conf_level))
  }
  set <- as_measures(measure)
  refuse_parameters(set, ...)
  rule <- rule_of_call(na, set, !missing(na))
  # which labels belong to the neurons that are left is known for those of measures and responses()
  refuse_if(rule$na == "neurons" && !(is.null(units_x) && is.null(units_y)), "choice",
            "na = \"neurons\" cannot be used with `units_x` or `units_y`: declare the labels in ",
            "`neuron` or `session` of responses(), use na = \"stimuli\", or leave out the ",
            "neurons and their labels yourself.", arg = "na")
  settings <- interval_settings(over, method, draws, transform, units_x, units_y, conf_level)
  given <- with_files(list(x = x, y = y), whole = if (settings$subjects || settings$these) {
    "Means over subjects"
  } else if (any(has_controls(set))) "Partial scores")
  x <- given$x
  y <- given$y
  call <- open_call(x, y, rule$set, rule$na, threads, clusters = clusters, use = "errors",
                    least = 5, why = "an interval", remedy = cluster_remedy, controls = TRUE)
  task <- list(sides = call$sides, set = call$set, pairs = call$pairs, codes = call$clusters,
               settings = settings, n = call$n, threads = threads, dependence = call$dependence)
  check_interval_task(task, y)
  check_grid_memory(task$set, task$sides)
  filed <- if (is_filed(task$sides)) interval_of_files(task, threads)
  task$scores <- if (is.null(filed)) as.vector(t(scores_of_call(task, "stop", threads))) else
    filed$scores
  tables <- if (is.null(filed)) neuron_tables(task)
  columns <- if (is.null(filed)) stimulus_columns(task, tables) else filed$columns
  factors <- if (!is.null(filed)) filed$factors else if (any(has_controls(task$set))) {
    task <- with_tasks_beside(task)
    partial <- with_partial_columns(task, columns)
    found <- lapply(neuron_samples(task), function(sample) {
      neuron_factor(sample, task, partial, tables, function(at) {
        partial_without_units(sample, at, task, columns, tables)
      })
    })
    columns <- partial
    found
  } else if (any(task$settings$neurons)) {
    lapply(neuron_samples(task), neuron_factor, task, columns, tables)
  }
  if (pools_subjects(task)) {
    pooled <- pool_subjects(task, columns, factors)
    # those of the first subject stand for all
    for (m in which(lengths(task$beside) > 0)) {
      at <- match(pooled$pairs$j, task$pairs$j)
      task$beside[[m]]$at <- task$beside[[m]]$at[at, , drop = FALSE]
      task$beside[[m]]$sampled <- task$beside[[m]]$sampled[at]
    }
    columns <- pooled$columns
    factors <- pooled$factors
    task[c("pairs", "scores")] <- pooled[c("pairs", "scores")]
    task$sides$x$reprs[[1]]$name <- paste("mean of", pooled$subjects, "subjects")
  }
  made <- interval_rows(task, columns, factors)
  if (any(has_controls(task$set))) made$rows$p_zero <- p_of_zero(task, made$rows)
  # are neurons a sample, and are their sessions declared?
  by_session <- any(task$settings$neurons) && any(vapply(all_representations(task$sides),
                                                         function(repr) {
    !is.null(unclass(repr$responses)$session)
  }, NA))
  warn_no_errors(made$rows, made$constant, factors, by_session)
  warn_infinite_errors(made$rows)
  warn_intervals_above(task, made$rows, inspected = TRUE)
  new_result(made$rows, "repalign_interval", made$kept)
}

interval_methods <- c("auto", "jackknife", "influence", "smoothed", "half-samples")

interval_samples <- c("stimuli", "neurons_x", "neurons_y", "subjects", "these_subjects",
                      "neurons_given")

interval_settings <- function(over, method, draws, transform, units_x, units_y, conf_level) {
  by_default <- is.null(over) || identical(over, "these_subjects")
  if (by_default) over <- c(interval_samples[1:3], "neurons_given", over)
  over <- check_choice(over, interval_samples, "over", several = TRUE)
  method <- check_choice(method, interval_methods, "method")
  neurons <- c(x = "neurons_x" %in% over, y = "neurons_y" %in% over)
  these <- "these_subjects" %in% over
  refuse_if("subjects" %in% over && (these || any(neurons)), "choice", "`over` has \"subjects\" ",
            "and ",
            if (these) "\"these_subjects\": take one of them." else
              paste0("neurons: neurons are part of their subject, whose differences hold theirs. ",
                     "Leave out \"neurons_x\" and \"neurons_y\", or take \"these_subjects\"."))
  # labels of the one side whose neurons are a sample are enough
  alone <- xor(neurons[["x"]], neurons[["y"]])
  sampled <- if (neurons[["x"]]) units_x else units_y
  if (!alone || is.null(sampled)) check_unit_choice(FALSE, units_x, units_y)
  list(method = method, draws = check_count(draws, "draws", least = 20),
       transform = check_choice(transform, c("auto", "z", "none"), "transform"),
       neurons = neurons, given = "neurons_given" %in% over, by_default = by_default,
       subjects = "subjects" %in% over, these = these, units = list(x = units_x, y = units_y),
       conf_level = check_number(conf_level, "conf_level", above = 0, below = 1))
}

check_interval_task <- function(task, y) {
  first <- task$sides$x$reprs[[1]]
  check_rows(task$n, 5, first$arg, "an interval")
  check_clusters(task$codes, task$n, first$arg, 5, "an interval")
  for (side in names(which(task$settings$neurons & !task$settings$by_default))) {
    for (repr in task$sides[[side]]$reprs) need_kind(repr, "data", "an error over neurons")
    for (measure in task$set) refuse_complete_over(task$sides[[side]]$reprs, measure$args, side)
  }
  if (!pools_subjects(task)) return(invisible())
  refuse_if(is.null(y) || task$sides$x$is_models || length(task$sides$x$reprs) < 2, "type",
            "For over = \"{if (task$settings$these) 'these_'}subjects\", `x` must be a list of ",
            "the data of two or more subjects, and `y` what all of them are compared with.")
  inform_if(task$settings$subjects && length(task$sides$x$reprs) < few_subjects, "few_subjects",
            "Intervals over {length(task$sides$x$reprs)} subjects are guesses, with any number of ",
            "stimuli: for a statement about these subjects, take over = \"these_subjects\".")
}

# Is a score the mean over the representations of x?
pools_subjects <- function(task) task$settings$subjects || isTRUE(task$settings$these)

# Below it a variance over subjects is hardly known.
few_subjects <- 5

# In the place of subjects as a sample stand those of their neurons, whatever the estimator.
sampled_sides <- function(pair, measure, settings) {
  if (!settings$by_default) return(settings$neurons)
  complete <- complete_of_pair(pair, measure$args)
  found <- default_neurons(measure$args, complete)
  if (settings$these) found[["x"]] <- !complete[["x"]] && pair$x$kind == "data"
  found
}

# Of all neurons that there are, no other ones could have been drawn.
refuse_complete_over <- function(reprs, args, side) {
  repr <- Find(function(repr) is_complete(repr, args, side), reprs)
  said <- if (!is.null(repr$responses)) "complete = TRUE of responses()" else
    paste0("complete = ", quoted(args$complete))
  refuse_if(!is.null(repr), "choice", "`over` has \"neurons_{side}\", but the neurons of ",
            "`{repr$arg}` are all that there are ({said}), and no sample: leave it out of `over`, ",
            "or leave out `complete`.")
}

# ---- interval columns

# The deletions over stimuli of all scores of a call of score_interval(), without the warnings and
# messages that were given with the scores.

# task: list(pairs, sides, set, codes, n, settings). A row of the result is a measure of a pair: the
# measures of the first pair come first. Returns a list of columns (error-declared.R), one a row.
stimulus_columns <- function(task, tables) {
  ways <- lapply(task$set, way_of, task)
  names <- vapply(ways, function(way) way$name, "")
  k <- length(task$set)
  columns <- vector("list", nrow(task$pairs) * k)
  together <- vapply(seq_len(k), function(m) {
    at_once(ways[[m]], task) && !any(lengths(tables[seq(m, length(tables), k)]))
  }, NA)
  for (m in which(together)) {
    columns[seq(m, length(columns), k)] <-
      without_words(closed_columns(task, task$set[[m]], ways[[m]]$errors))
  }
  for (p in seq_len(nrow(task$pairs))) {
    pair <- side_pair(task$sides, task$pairs$i[p], task$pairs$j[p])
    for (m in which(names == "closed" & !together)) {
      row <- (p - 1) * k + m
      values <- tables[[row]]$values
      columns[[row]] <- if (!is.null(values)) jackknife_column(values[, 1], ways[[m]]$errors)
        else closed_column(pair, task$set[[m]], ways[[m]], task$codes)
    }
  }
  for (m in which(names == "recomputed")) {
    # all but one stimulus (or cluster), score by score
    units <- if (is.null(task$codes)) seq_len(task$n) else task$codes
    keep <- outer(units, seq_len(max(units)), "!=")
    scores <- subset_scores(keep, task$pairs, task$sides, task$set[m], "The jackknife",
                            task$threads)
    errors <- errors_by_deletion(task$set[[m]])
    for (p in seq_len(nrow(task$pairs))) {
      row <- (p - 1) * k + m
      values <- c(task$scores[row], scores[p, 1, ])
      if (!is.null(errors$cosine)) values <- errors$cosine$of(values)
      columns[[row]] <- jackknife_column(values, errors)
    }
  }
  half <- which(names == "half-samples")
  if (length(half)) half_columns(task, columns, half) else columns
}

# How a measure's errors are found: list(name, errors, exact, method), where `method` is the word of
# the result.
way_of <- function(measure, task) {
  settings <- task$settings
  method <- settings$method
  errors <- errors_of(measure)
  known <- !is.null(errors) && errors$method != "half-samples"
  # of other samples the interactions are known with influences alone
  alone <- !any(settings$neurons) || settings$by_default && !settings$these
  partial <- !is.null(measure$given)
  refuse_if(partial && method == "half-samples", "choice", "The errors of ",
            "{quoted(measure$label)} are by deletions: leave out `method`.")
  few <- alone && isTRUE(units_of(task$n, task$codes) < errors$exact_below)
  if (method == "auto" && few || partial && !isTRUE(errors$auto)) method <- "jackknife"
  if (method == "half-samples" || (method == "auto" && !isTRUE(errors$auto))) {
    return(list(name = "half-samples", method = "half-samples", errors = errors))
  }
  exact <- method == "jackknife"
  if (exact && (!known || errors$method != "jackknife" && is.null(errors$exact))) {
    return(list(name = "recomputed", method = "jackknife", errors = errors))
  }
  own <- if (exact) "jackknife" else errors$method
  refuse_if(method != "auto" && !identical(own, method), "choice", "`method` cannot be ",
            "{quoted(method)} for the measure {quoted(measure$label)}: use ",
            "\"auto\", \"jackknife\" or \"half-samples\".")
  list(name = "closed", method = own, errors = errors, exact = exact)
}

# The deletions of one pair.
closed_column <- function(pair, measure, way, codes) {
  without_words({
    errors <- way$errors
    jackknife <- way$exact && errors$method != "jackknife"
    values <- (if (jackknife) errors$exact else errors$stimuli)(pair, measure$args, codes)
    if (jackknife || errors$method != "influence") jackknife_column(values, errors) else {
      value <- compare_pair(measure$declaration, pair, measure$args)
      # an undefined score does not vary
      if (is.na(value)) values <- rep(NA_real_, length(values))
      influence_column(value, values, errors, codes)
    }
  })
}

# Are the deletions of all pairs of the call made together?
at_once <- function(way, task) {
  way$name == "closed" && !is.null(way$errors$cells) && nrow(task$pairs) > 1 &&
    (is.null(task$codes) || way$errors$by_cluster)
}

# About so many representations of a side are taken at a time, so that what is kept for each fits
# into memory.
sides_at_once <- 64

closed_columns <- function(task, measure, errors) {
  one_list <- task$sides$self || task$sides$same
  pairs <- task$pairs
  columns <- vector("list", nrow(pairs))
  # the pairs of a list with itself are made once for both orders
  if (one_list) pairs <- data.frame(i = pmin(pairs$i, pairs$j), j = pmax(pairs$i, pairs$j))
  block <- function(at) (at - 1) %/% sides_at_once
  for (rows in split(seq_along(columns), list(block(pairs$i), block(pairs$j)), drop = TRUE)) {
    own <- one_list && block(pairs$i[rows[1]]) == block(pairs$j[rows[1]])
    i <- unique(if (own) c(pairs$i[rows], pairs$j[rows]) else pairs$i[rows])
    j <- if (own) i else unique(pairs$j[rows])
    values <- errors$cells(task$sides$x$reprs[i], if (!own) task$sides$y$reprs[j], measure$args,
                           task$codes)
    for (row in rows) {
      at <- c(match(pairs$i[row], i), match(pairs$j[row], j))
      columns[[row]] <- jackknife_column(values[at[1], at[2], ], errors)
    }
  }
  columns
}

half_columns <- function(task, columns, half) {
  settings <- task$settings
  keep <- task$halves
  if (is.null(keep)) keep <- draw_halves(task$n, settings$draws, task$codes)
  scores <- subset_scores(keep, task$pairs, task$sides, task$set[half], "The half-samples",
                          task$threads)
  # what their spread is multiplied by: sqrt(h / (n - h)), and by the growth of scores that are sums
  # over stimuli
  count <- units_of(task$n, task$codes)
  taken <- count %/% 2
  factors <- vapply(task$set[half], function(measure) {
    growth <- errors_of(measure)$growth
    growth <- if (is.null(growth)) 1 else growth(measure$args, task$n, task$n * taken / count)
    growth * sqrt(taken / (count - taken))
  }, 0)
  for (p in seq_len(nrow(task$pairs))) {
    for (at in seq_along(half)) {
      row <- (p - 1) * length(task$set) + half[at]
      # half-samples without a score are left out
      found <- scores[p, at, ]
      known <- !is.na(found)
      halves <- if (sum(known) < length(found) / 2) rep(NA_real_, length(found)) else
        replace((found - mean(found[known])) * factors[at] / sqrt(sum(known) - 1), !known, 0)
      columns[[row]] <- list(value = task$scores[row], halves = halves, spread = NA_real_)
    }
  }
  columns
}

# Intervals of scores between -1 and 1 are made of Fisher's z, where that was seen to serve.
transform_of <- function(measure, errors) {
  if (!is.null(errors)) return(errors$transform)
  d <- measure$declaration
  range <- measure$range
  bounded <- d$direction == "similarity" && range[1] >= -1 && range[2] == 1
  if (bounded && !isTRUE(d$family %in% c("neighbours", "topology"))) "z" else "none"
}

# ---- interval of files

# The deletions of a tile of files (compare-files.R) are made while its data are there.

# list(scores, columns, factors), as score_interval() makes them of all data at once.
interval_of_files <- function(task, threads) {
  halves <- vapply(task$set, function(measure) way_of(measure, task)$name == "half-samples", NA)
  # the same in all tiles
  if (any(halves)) task$halves <- draw_halves(task$n, task$settings$draws, task$codes)
  most <- how_many_fit(task$set, all_representations(task$sides), FALSE)
  samples <- if (any(task$settings$neurons)) neuron_samples(task)
  # tables of deletions are as large as the data of both sides, for each pair of a tile
  if (length(samples)) most <- max(2, floor(sqrt(1 + 2 * most)) - 1)
  tiles <- file_tiles(task$pairs, task$sides, most, 1)
  k <- length(task$set)
  rows <- lapply(tiles, function(pairs) rep((pairs - 1) * k, each = k) + seq_len(k))
  tile_of <- rep(seq_along(rows), lengths(rows))[order(unlist(rows))]
  samples <- lapply(samples, function(sample) {
    c(sample, shared = length(unique(tile_of[sample$rows])) > 1)
  })
  kept <- vapply(samples, function(s) as.double(s$shared) * s$size * length(s$rows), 0)
  check_memory(8 * units_of(task$n, task$codes) * sum(kept),
               "The deletions of neurons that parts of the grid share",
               "over = \"stimuli\" needs none, and fewer stimuli or neurons need less.")
  job <- list(run = interval_tile, set = task$set, here = TRUE, samples = samples, k = k,
              task = task[setdiff(names(task), c("sides", "pairs"))])
  parts <- run_tiles(tiles, task$pairs, task$sides, job, threads, "The grid")
  found <- lapply(parts, function(part) part$result)
  join <- function(name) do.call(c, lapply(found, `[[`, name))[order(unlist(rows))]
  columns <- join("columns")
  tables <- join("tables")
  factors <- lapply(seq_along(samples), function(s) {
    own <- Filter(length, lapply(found, function(one) one$samples[[s]]))
    if (!samples[[s]]$shared) return(own[[1]])
    without <- do.call(rbind, lapply(own, `[[`, "without"))
    without <- without[order(unlist(lapply(own, `[[`, "rows"))), , drop = FALSE]
    neuron_factor(samples[[s]], task, columns, tables, function(at) without[, at, drop = FALSE])
  })
  list(scores = as.vector(t(report_tiles(parts, tiles, 1))), columns = columns, factors = factors)
}

# The scores of a tile with their deletions. Samples of neurons that other tiles have, too, become
# factors later: here are their columns without each unit.
interval_tile <- function(tile, job, run) {
  sides <- tile_sides(tile)
  cells <- score_cells(tile$pairs, sides, job$set, "stop", new.env(), run, TRUE)
  # with their data they go to workers as any others
  for (name in c("x", "y")) {
    sides[[name]]$reprs <- lapply(sides[[name]]$reprs, replace, "source", list(NULL))
  }
  task <- c(job$task, list(sides = sides, pairs = tile$pairs))
  task$scores <- as.vector(t(cells$cells$score))
  tables <- neuron_tables(task)
  rows <- rep((tile$rows - 1) * job$k, each = job$k) + seq_len(job$k)
  columns <- stimulus_columns(task, tables)
  samples <- lapply(job$samples, function(sample) {
    here <- sample$rows %in% rows
    if (!any(here)) return(NULL)
    own <- list(rows = sample$rows[here])
    sample$rows <- match(own$rows, rows)
    sample$units <- sample$units[here]
    if (!sample$shared) return(replace(neuron_factor(sample, task, columns, tables), "rows", own))
    without <- lapply(units_at_a_time(sample$size, task$n), function(at) {
      columns_without_units(sample, at, task, tables)
    })
    c(own, list(without = do.call(cbind, unname(without))))
  })
  list(cells, columns = columns, tables = lapply(tables, `[`, "centered"), samples = samples)
}
