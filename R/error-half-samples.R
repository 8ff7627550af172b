# Scores of subsets of the stimuli: random halves of them, and all but one.

# Half-samples: a logical matrix, stimuli x subsets. Of clusters whole ones are taken. They are the
# same for all pairs of a call.
draw_halves <- function(n, draws, codes) {
  units <- if (is.null(codes)) seq_len(n) else codes
  count <- max(units)
  vapply(seq_len(draws), function(b) units %in% sample.int(count, count %/% 2), logical(n))
}

# What the spread of scores of half-samples is multiplied by: sqrt(h / (n - h)), and by the growth
# of scores that are sums over stimuli.
half_sample_factor <- function(measure, n, codes) {
  count <- units_of(n, codes)
  half <- count %/% 2
  growth <- errors_of(measure)$growth
  growth <- if (is.null(growth)) 1 else growth(measure$args, n, n * half / count)
  growth * sqrt(half / (count - half))
}

# Scores of each subset (columns of `keep`), an array pairs x measures x subsets. Scores that are
# undefined or fail in a subset are NA.
subset_scores <- function(keep, pairs, sides, set, label, threads = NULL) {
  for (measure in set) {
    if (is.null(measure$neighbours)) next
    check_kept_neighbours(min(colSums(keep)), measure$neighbours$k, "are in a subset")
  }
  lists <- all_ranked_lists(set, all_representations(sides))
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
    of_subset <- lapply(set, cut_measure_stimuli, keep[, b])
    scores[, , b] <- quiet_scores(pairs, subset, of_subset)
    if (b == 1) announce_duration(started, 1, ncol(keep), label, "Fewer draws take less.")
    advance()
  }
  scores
}

# Scores without their warnings and messages; NA where there is none.
quiet_scores <- function(pairs, sides, set) {
  scores <- matrix(NA_real_, nrow(pairs), length(set))
  for (m in seq_along(set)) {
    found <- quiet_dots(pairs, sides, set[[m]])
    if (!is.null(found)) scores[, m] <- found
    for (p in which(is.na(scores[, m]))) {
      scores[p, m] <- quiet_score(side_pair(sides, pairs$i[p], pairs$j[p]), set[[m]])
    }
  }
  scores
}

# Products need all of the sides as they are scored: without some stimuli, others may be alike.
quiet_dots <- function(pairs, sides, measure) {
  if (is.null(measure$dot)) return(NULL)
  for (name in c("x", "y")) {
    sides[[name]]$reprs <- lapply(sides[[name]]$reprs, function(repr) {
      if (is.null(repr$refused[[measure$label]])) {
        repr$refused[[measure$label]] <- refusal(measure, repr)
      }
      repr
    })
  }
  withCallingHandlers(dot_scores(measure, 1L, pairs, sides, new.env()),
                      warning = function(w) invokeRestart("muffleWarning"),
                      message = function(m) invokeRestart("muffleMessage"))
}

# What a function of the user's own stops with is no matter of the stimuli that are left out.
quiet_score <- function(pair, measure) {
  # without some stimuli, the others may be alike
  if (!is.null(refusal(measure, pair$x)) || !is.null(refusal(measure, pair$y))) return(NA_real_)
  catch_error(withCallingHandlers(compare_pair(measure$declaration, pair, measure$args),
                                  warning = function(w) invokeRestart("muffleWarning"),
                                  message = function(m) invokeRestart("muffleMessage")),
              failed = function(e) {
                if (inherits(e, "repalign_error")) return(NA_real_)
                stop_score(paste0(comparison_title(pair, measure), conditionMessage(e),
                                  " (with some stimuli or neurons left out)"), e)
              })
}

# For each representation the ranked lists of all metrics that the measures ask for:
# list(metric, k, lists), with the largest k of each.
all_ranked_lists <- function(set, reprs) {
  wanted <- lapply(set, function(measure) {
    if (is.null(measure$args$clusters)) measure$neighbours
  })
  wanted <- Filter(Negate(is.null), wanted)
  metrics <- unique(vapply(wanted, function(w) w$metric, ""))
  largest <- function(metric) {
    max(vapply(wanted, function(w) if (w$metric == metric) as.double(w$k) else 0, 0))
  }
  lapply(reprs, function(repr) {
    lapply(metrics, function(metric) {
      k <- largest(metric)
      # what the search says was said before
      lists <- if (repr$kind == "dist" && metric != "euclidean") list(idx = NULL)
               else ranked_lists(repr, metric, k, NULL)
      list(metric = metric, k = k, lists = lists)
    })
  })
}
