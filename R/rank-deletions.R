# Spearman correlations of dissimilarities without each stimulus, and with weights of the stimuli.

rank_errors <- function() {
  new_errors("jackknife", stimuli = rank_deletions, weighted = function(pair, args, w, d) {
    ranked_correlations(pair, args, w)
  })
}

rank_deletions <- function(pair, args, codes) {
  n <- pair$x$n
  units <- if (is.null(codes)) seq_len(n) else codes
  ranked_correlations(pair, args, cbind(1, 1 - outer(units, seq_len(max(units)), "==")))
}

# Ranks are made anew among the pairs that have weight. w: a weight vector a column.
ranked_correlations <- function(pair, args, w) {
  x <- ranked_pairs(pair$x, args)
  y <- ranked_pairs(pair$y, args)
  place <- integer(length(x$order))
  place[x$order] <- seq_along(x$order)
  sides <- c("first", "second", "tied")
  found <- .Call(C_weighted_ranks, x[sides], y[sides], place[y$order], w, thread_count())
  replace(found, is.nan(found), NA_real_)
}

# Pairs of stimuli in the order of their ranks: of all, or of those in different clusters.
ranked_pairs <- function(repr, args) {
  remember(repr$cache, list("ranked pairs", rdm_key(repr, args$inner), args$clusters), {
    n <- repr$n
    check_memory(40 * packed_length(n), paste0("The ranked pairs of stimuli of `", repr$arg, "`"),
                 "Fewer stimuli need less.")
    ranks <- form_ranks(repr, args$inner)$ranks
    first <- rep.int(seq_len(n - 1), (n - 1):1)
    second <- sequence((n - 1):1, from = 2:n)
    if (!is.null(args$clusters)) {
      between <- between_clusters(args$clusters)
      ranks <- ranks[between]
      first <- first[between]
      second <- second[between]
    }
    by_rank <- order(ranks)
    list(order = by_rank, first = first[by_rank], second = second[by_rank],
         tied = c(FALSE, diff(ranks[by_rank]) == 0))
  })
}
