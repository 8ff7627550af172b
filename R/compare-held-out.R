# Scores of alignments on stimuli that were not used to fit them.

#' Alignment scored on held-out stimuli
#'
#' Fits the alignment of a measure (a rotation, a match of neurons) to some stimuli, and scores it
#' on the others.
#'
#' @param x,y,threads see [similarity()].
#' @param measure those with an alignment, by ids or made by [measure()]: [shape_distance()],
#'   [procrustes()], [procrustes_size_shape()], [angular_shape()], [permutation_procrustes()],
#'   [hard_correlation_match()], [soft_matching()] and [soft_matching_correlation()].
#' @param folds their number, for random ones, a label for each stimulus, or a list of sets to be
#'   tested.
#' @param clusters one label per stimulus: a cluster is tested together.
#' @param repeats how often new random folds are drawn.
#' @param permutations their number, for the p-value (with `repeats = 1`); 0: none.
#' @param ... not used.
#' @return A data frame of class `repalign_similarity` with one row per pair and measure: `x`, `y`,
#'   `measure`; `score`, the mean over folds of the score on their test stimuli; `in_sample`, the
#'   score of [similarity()]; `sd_folds`, the standard deviation over folds (no standard error);
#'   `folds`, their number; `n`; and `p_value`.
#' @details
#' Of unrelated data the cosine of the angle is 0 on average, in sample anything up to 1 (.63 for
#' Procrustes of 40 stimuli and 25 neurons). A cosine may be negative here: angles go up to
#' \eqn{\pi}{pi} and chords to 2. Distances with `scale = FALSE` grow with the number of rows:
#' `score` and `in_sample` cannot be compared.
#'
#' For matches of neurons, folds need at least three stimuli for correlations and two for centred
#' distances, and neurons that are constant in a fold do not count.
#'
#' The p-value is of an exact test that the two sides are unrelated. Stimuli of `y` (or clusters, of
#' one size in a fold) are permuted within folds, which must not overlap.
#'
#' When not to trust it: near copies (frames, views of one object) on both sides of a fold are no
#' new stimuli: name them in `clusters` (see [dependence]). What was fitted to all stimuli
#' beforehand, such as a selection of neurons, is not held out.
#' @references Williams et al. (2021), NeurIPS 34. Khosla and Williams (2024), Proceedings of
#'   Machine Learning Research 243.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(1000), 50)
#' sides <- list(unrelated = matrix(rnorm(1000), 50), related = x + matrix(rnorm(1000), 50))
#' held_out(x, sides, measure("shape_distance", alpha = 0.5), permutations = 49)
#' @export
held_out <- function(x, y = NULL, measure = "shape_distance", folds = 5, clusters = NULL,
                     repeats = 1, permutations = 0, threads = NULL, ...) {
  need_arguments()
  set <- as_measures(measure)
  for (one in set) {
    if (!is_own(one) && !is.null(one$declaration$held)) next
    able <- Filter(function(id) !is.null(registry[[id]]$held), measure_ids())
    refuse("measure", "`measure`: {one$label} fits no alignment that could be scored on other ",
           "stimuli. These do: {enumerate(able, 20)}.")
  }
  count <- check_count(permutations, "permutations", least = 0)
  refuse_if(count > 0 && declares_series(list(x, y)), "design", "`series` of responses() declares ",
            "a time series, whose stimuli are not exchangeable: give permutations = 0, or name ",
            "long stretches in `clusters`, in the place of `series`.", arg = "permutations")
  call <- open_call(x, y, using_clusters(set), threads = threads, clusters = clusters, use = "null",
                    why = "a fold", remedy = if (count > 0) cluster_remedy,
                    relabel = FALSE)
  check_rows(call$n, 4, call$sides$x$reprs[[1]]$arg, "a score of stimuli that are left out")
  check_kept_data(all_representations(call$sides))
  in_sample <- withCallingHandlers(
    score_grid(call$pairs, call$sides, call$set, "stop", threads),
    repalign_in_sample = function(m) invokeRestart("muffleMessage")
  )
  folds <- test_folds(folds, call, repeats)
  set <- call$set
  least <- vapply(set, function(m) m$declaration$held(m$args)$least, 0)
  sizes <- lengths(folds$test)
  refuse_if(min(sizes) < max(least), "size", "`folds`: {quoted(folds$name[which.min(sizes)])} ",
            "tests {count_of(min(sizes), 'stimulus')}, but {set[[which.max(least)]]$label} needs ",
            "at least {max(least)} in each fold: use fewer folds.")
  orders <- if (count > 0) orders_within_folds(folds, call, count)
  scores <- lapply(call$set, held_scores, call, folds, orders)
  values <- function(part) do.call(cbind, lapply(scores, function(one) one[[part]]))
  of_rows <- function(part) as.vector(t(values(part)))
  result <- similarity_result(call$pairs, call$sides, call$set, values("score"))
  result$in_sample <- as.vector(t(in_sample))
  result$sd_folds <- of_rows("sd")
  result$folds <- length(folds$test)
  result$p_value <- of_rows("p")
  last <- c("score", "in_sample", "sd_folds", "folds", "n", "p_value")
  result[c(setdiff(names(result), last), last)]
}

# Folds keep clusters whole, whatever the measure does with them.
using_clusters <- function(set) {
  lapply(set, function(measure) {
    measure$declaration$uses <- function(args) "clusters"
    measure
  })
}

# ---- permutations

# Orders of the stimuli, a column each, in which those of a fold (or of no fold) change places among
# themselves; `least` is the smallest p-value that is possible. tests: how many p-values are
# adjusted; p: what they are called.
orders_within_folds <- function(folds, call, count, tests = 1, p_adjust = "none", p = "`p_value`") {
  wrong <- function(...) {
    refuse("choice", "`permutations` ", ...)
  }
  if (max(folds$repeat_of) > 1) {
    wrong("need one set of folds, within which stimuli change places: give repeats = 1.")
  }
  tested <- unlist(folds$test)
  if (anyDuplicated(tested)) {
    wrong("need folds that do not overlap, within which stimuli change places.")
  }
  strata <- c(folds$test, list(setdiff(seq_len(call$n), tested)))
  units <- lapply(strata, units_of_stratum, call$clusters)
  if (max(lengths(units)) < 2) {
    wrong("change the places of ", unit_words(call$clusters),
           " within folds, but each fold has only one: use fewer folds.")
  }
  # orders that change nothing but places within folds are few where folds are small
  orders <- prod(factorial(pmin(lengths(units), 20)))
  different <- min(count, orders - 1)
  note_unattainable(rep(different, tests), list(alpha = 0.05, p_adjust = p_adjust),
                    most = orders - 1, p = p, remedies = c("more stimuli", "fewer `folds`"))
  moved <- vapply(seq_len(count), function(p) {
    order <- seq_len(call$n)
    for (places in units) {
      if (length(places) > 1) order[unlist(places)] <- unlist(places[sample.int(length(places))])
    }
    order
  }, integer(call$n))
  structure(moved, least = stats::p.adjust(rep(1 / (different + 1), tests), p_adjust)[1])
}

# The stimuli of a fold, or its clusters, as a list.
units_of_stratum <- function(at, codes) {
  if (is.null(codes)) return(as.list(at))
  units <- unname(split(at, codes[at]))
  refuse_if(length(unique(lengths(units))) > 1, "labels", "`clusters`: permutations exchange ",
            "whole clusters of a fold, which must then have one size, but there are clusters of ",
            "{min(lengths(units))} and of {max(lengths(units))} in one fold: use permutations = ",
            "0, or leave stimuli out (label NA).")
  units
}

# ---- scores

# list(score, sd, p): a value for each pair of the call.
held_scores <- function(measure, call, folds, orders) {
  way <- measure$declaration$held(measure$args)
  fits <- list(x = side_fits(call$sides$x$reprs, call$pairs$i, folds, way, measure$args),
               y = side_fits(call$sides$y$reprs, call$pairs$j, folds, way, measure$args))
  advance <- progress_along(nrow(call$pairs))
  found <- lapply(seq_len(nrow(call$pairs)), function(p) {
    on.exit(advance())
    x <- fits$x[[call$pairs$i[p]]]
    y <- fits$y[[call$pairs$j[p]]]
    each <- scores_of_folds(x, y, folds, way, measure$args)
    inspect_overflow(max(each, 0, na.rm = TRUE), list(x = call$sides$x$reprs[[call$pairs$i[p]]],
                                                      y = call$sides$y$reprs[[call$pairs$j[p]]]))
    null <- if (!is.null(orders)) apply(orders, 2, function(order) {
      mean(scores_of_folds(x, y, folds, way, measure$args, order), na.rm = TRUE)
    })
    score <- mean(each, na.rm = TRUE)
    if (is.nan(score)) score <- NA_real_
    p <- p_at_least(measure$sign * c(score, null),
                    equal_share * score_scale(measure, score, null[!is.na(null)]))
    list(score = score, sd = spread_of(each[!is.na(each)]), p = p)
  })
  stats::setNames(lapply(c("score", "sd", "p"), function(part) {
    vapply(found, function(one) one[[part]], 0)
  }), c("score", "sd", "p"))
}

# For each representation that some pair uses, what is fitted of it in each fold.
side_fits <- function(reprs, index, folds, way, args) {
  fits <- vector("list", length(reprs))
  for (at in unique(index)) {
    repr <- reprs[[at]]
    n <- repr$n
    check_memory(8 * length(folds$test) * n * (min(n, ncol(repr$data)) + ncol(repr$data)),
                 paste0("The fits of all folds of `", repr$arg, "`"), "Fewer folds need less.")
    # wide data have as many columns as there are stimuli after a rotation
    if (!is.null(way$center) && ncol(repr$data) > n) {
      repr$data <- row_factor(repr, way$center) / form_scaling(repr, way$center)$scale
    }
    fits[[at]] <- Map(function(test, name) {
      train <- cut_for_subset(repr, !seq_len(n) %in% test)
      train$fold <- name
      way$fit(train, unclass(repr$data)[test, , drop = FALSE], args)
    }, folds$test, folds$name)
  }
  fits
}

# order: of the stimuli of y, which stay in their folds.
scores_of_folds <- function(x, y, folds, way, args, order = NULL) {
  vapply(seq_along(folds$test), function(k) {
    one <- y[[k]]
    if (!is.null(order)) {
      test <- folds$test[[k]]
      train <- seq_along(order)[-test]
      one$train <- one$train[match(order[train], train), , drop = FALSE]
      one$test <- one$test[match(order[test], test), , drop = FALSE]
    }
    way$score(x[[k]], one, args)
  }, 0)
}
