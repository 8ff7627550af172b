# Scores of subsets of the stimuli: random halves of them, and all but one.

# Half-samples: a logical matrix, stimuli x subsets. Of clusters whole ones are taken. They are the
# same for all pairs of a call.
draw_halves <- function(n, draws, codes) {
  units <- if (is.null(codes)) seq_len(n) else codes
  count <- max(units)
  vapply(seq_len(draws), function(b) units %in% sample.int(count, count %/% 2), logical(n))
}

# Scores of each subset (columns of `keep`), an array pairs x measures x subsets. Scores that are
# undefined or fail in a subset are NA.
subset_scores <- function(keep, pairs, sides, set, label, threads = NULL) {
  for (measure in set) {
    if (is.null(measure$neighbours)) next
    check_kept_neighbours(min(colSums(keep)), measure$neighbours$k, "are in a subset")
  }
  # for each representation the ranked lists of all metrics that the measures ask for:
  # list(metric, k, lists), with the largest k of each
  wanted <- lapply(set, function(measure) if (is.null(measure$args$clusters)) measure$neighbours)
  wanted <- Filter(Negate(is.null), wanted)
  metrics <- vapply(wanted, function(w) w$metric, "")
  largest <- vapply(split(wanted, factor(metrics, unique(metrics))), function(same) {
    max(vapply(same, function(w) as.double(w$k), 0))
  }, 0)
  lists <- lapply(all_representations(sides), function(repr) {
    unname(Map(function(metric, k) {
      # what the search says was said before
      lists <- if (repr$kind == "dist" && metric != "euclidean") list(idx = NULL)
               else ranked_lists(repr, metric, k, NULL)
      list(metric = metric, k = k, lists = lists)
    }, names(largest), largest))
  })
  if (worker_count() == 0 || ncol(keep) == 1) {
    return(scores_in_turn(keep, pairs, sides, set, lists, label))
  }
  # each worker of the user's future plan gets all representations and some of the subsets
  whole <- make_tile(seq_len(nrow(pairs)), pairs, sides)
  parts <- split(seq_len(ncol(keep)), block_of(ncol(keep), min(ncol(keep), worker_count())))
  tiles <- lapply(unname(parts), function(at) {
    c(whole, list(keep = keep[, at, drop = FALSE], lists = lists))
  })
  found <- tiles_of_workers(tiles, list(run = subsets_tile, set = set), threads)
  scores <- unlist(lapply(results_of_tiles(found, sides), as.vector))
  array(scores, c(nrow(pairs), length(set), ncol(keep)))
}

subsets_tile <- function(tile, job, run) {
  scores_in_turn(tile$keep, tile$pairs, tile_sides(tile), job$set, tile$lists, "The subsets")
}

scores_in_turn <- function(keep, pairs, sides, set, lists, label) {
  scores <- array(NA_real_, c(nrow(pairs), length(set), ncol(keep)))
  advance <- progress_along(ncol(keep))
  started <- proc.time()[[3]]
  size <- length(sides$x$reprs)
  for (b in seq_len(ncol(keep))) {
    cut <- function(side, lists) {
      side$reprs <- Map(function(repr, lists) cut_for_subset(repr, keep[, b], lists), side$reprs,
                        lists)
      side
    }
    subset <- sides
    subset$x <- cut(sides$x, lists[seq_len(size)])
    subset$y <- if (sides$self) subset$x else if (sides$same) on_side_y(subset$x) else
      cut(sides$y, lists[-seq_len(size)])
    scores[, , b] <- quiet_scores(pairs, subset, lapply(set, cut_measure_stimuli, keep[, b]))
    if (b == 1) announce_duration(started, 1, ncol(keep), label, "Fewer draws take less.")
    advance()
  }
  scores
}

without_words <- function(code) {
  withCallingHandlers(code, warning = function(w) invokeRestart("muffleWarning"),
                      message = function(m) invokeRestart("muffleMessage"))
}

# Scores without their warnings and messages; NA where there is none.
quiet_scores <- function(pairs, sides, set) {
  scores <- matrix(NA_real_, nrow(pairs), length(set))
  for (m in seq_along(set)) {
    measure <- set[[m]]
    if (!is.null(measure$dot)) {
      # products need all of the sides as they are scored: without some stimuli, others may be alike
      judged <- sides
      for (name in c("x", "y")) {
        judged[[name]]$reprs <- lapply(sides[[name]]$reprs, function(repr) {
          if (is.null(repr$refused[[measure$label]])) {
            repr$refused[[measure$label]] <- refusal(measure, repr)
          }
          repr
        })
      }
      found <- without_words(dot_scores(measure, 1L, pairs, judged, new.env()))
      if (!is.null(found)) scores[, m] <- found
    }
    for (p in which(is.na(scores[, m]))) {
      pair <- side_pair(sides, pairs$i[p], pairs$j[p])
      if (!is.null(refusal(measure, pair$x)) || !is.null(refusal(measure, pair$y))) next
      scores[p, m] <- catch_error(without_words(
        compare_pair(measure$declaration, pair, measure$args)
      ), failed = function(e) {
        if (inherits(e, "repalign_error")) return(NA_real_)
        # what a function of the user's own stops with is no matter of the stimuli that are left out
        stop_score(paste0(comparison_title(pair, measure), conditionMessage(e),
                          " (with some stimuli or neurons left out)"), e)
      })
    }
  }
  scores
}
