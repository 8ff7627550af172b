# RDMs that lack pairs of stimuli: which measures take them, how many pairs are left, and
# comparisons over common pairs.

# Which pairs lack, or NULL.
gaps_of <- function(repr) {
  if (repr$kind == "dist" && extent_of(repr)[3] > 0) is.na(repr$data)
}

# The same representation with the mean of its distances where they lack, for rough estimates.
mean_in_gaps <- function(repr) {
  lacking <- gaps_of(repr)
  if (!is.null(lacking)) repr$data[lacking] <- mean(repr$data, na.rm = TRUE)
  repr
}

takes_gaps <- function(measure) !is_own(measure) && identical(measure$args$na, "pairwise")

# reprs: list(x, y) of those of a call. Do pairs lack in any of them?
settle_rsa <- function(args, reprs) {
  if (args$na == "error") return(args)
  args$gaps <- !all(vapply(c(reprs$x, reprs$y), function(repr) is.null(gaps_of(repr)), NA))
  args$form <- rdm_form_kind(args)
  args
}

# Missing distances are refused where a measure of the call cannot do without them.
refuse_lacking_pairs <- function(reprs, set) {
  if (all(vapply(set, takes_gaps, NA))) return(invisible())
  comparisons <- all(vapply(set, function(measure) identical(measure$id, "rsa"), NA))
  for (repr in reprs) {
    if (!is.null(gaps_of(repr))) check_dist(repr$data, repr$arg, pairwise = comparisons)
  }
}

# How many pairs of stimuli the comparisons of a call are over: a matrix, representations of x by
# those of y. codes: of clusters, within which pairs do not count.
counted_pairs <- function(x, y, codes = NULL) {
  n <- x[[1]]$n
  # stimuli without a label have no pair that counts
  counts <- if (is.null(codes)) rep(TRUE, packed_length(n)) else between_clusters(codes) %in% TRUE
  there <- function(reprs) {
    vapply(reprs, function(repr) {
      lacking <- gaps_of(repr)
      as.double(if (is.null(lacking)) counts else counts & !lacking)
    }, double(length(counts)))
  }
  crossprod(there(x), there(y))
}

# The same for the rows of a result, NA for other measures.
counts_by_row <- function(pairs, sides, set) {
  counts <- vapply(set, function(measure) {
    if (!takes_gaps(measure)) return(rep(NA_real_, nrow(pairs)))
    counts <- counted_pairs(sides$x$reprs, sides$y$reprs, measure$args$clusters)
    counts[cbind(pairs$i, pairs$j)]
  }, double(nrow(pairs)))
  as.integer(t(matrix(counts, nrow(pairs))))
}

# Says over how many pairs of stimuli the comparisons are that do without missing ones.
note_gaps <- function(pairs, x, y, set) {
  set <- set[vapply(set, function(measure) isTRUE(measure$args$gaps), NA)]
  if (!length(set)) return(invisible())
  counts <- counted_pairs(x, y, set[[1]]$args$clusters)[cbind(pairs$i, pairs$j)]
  of <- format(packed_length(x[[1]]$n), big.mark = ",")
  inform("pairs_left_out", "na = \"pairwise\": ",
         if (length(counts) > 1) "comparisons are" else "compared", " over ",
         "{paste(unique(range(counts)), collapse = ' to ')} of {of} pairs of stimuli.")
}

# ---- comparisons over the pairs that both sides have

score_of_common_pairs <- function(pair, x, y, args) {
  common <- !is.na(x$d) & !is.na(y$d)
  if (!is.null(args$clusters)) common <- common & between_clusters(labelled_codes(args$clusters))
  refuse_if(sum(common) < 3, "size", "`{pair$x$arg}` and `{pair$y$arg}` have ",
            "{count_of(sum(common), 'pair')} of stimuli in common: at least 3 are needed.",
            arg = pair$y$arg)
  for (side in c("x", "y")) {
    form <- if (side == "x") x else y
    # Do the dissimilarities differ by more than rounding, or for the cosine from 0?
    range <- range(form$d[common])
    largest <- max(abs(range))
    contrast <- if (is_cosine(args$outer)) largest else range[2] - range[1]
    if (!(contrast > max(tie_share * largest, form$tolerance[2]))) {
      warn_equal_dissimilarities(pair[[side]], args, among = "that both sides have ")
      return(NA_real_)
    }
  }
  if (args$outer %in% ranked_outer) {
    return(score_of_ranks(common_ranks(x, common), common_ranks(y, common), args))
  }
  a <- common_values(x, common)
  b <- common_values(y, common)
  if (is_whitened(args)) {
    # by the covariance of these pairs alone
    h <- whitened_gram(cbind(a, b), common, args$outer, labelled_noise(args))
    return(clip_to_range(h[1, 2] / sqrt(h[1, 1]) / sqrt(h[2, 2]), -1, 1))
  }
  center <- function(values) if (args$outer == "pearson") values - mean(values) else values
  score_of_vectors(center(a), center(b))
}

common_values <- function(form, common) {
  values <- form$d[common]
  if (form$square) values^2 else values
}

common_ranks <- function(form, common) {
  .Call(C_average_ranks, form$d[common], form$tolerance, thread_count())
}

score_of_vectors <- function(a, b) {
  clip_to_range(packed_product(a, b) / sqrt(packed_product(a, a)) / sqrt(packed_product(b, b)),
                -1, 1)
}

score_of_ranks <- function(a, b, args) {
  if (args$outer %in% tau_outer) {
    return(.Call(C_kendall, a, b, args$outer == "tau_b", thread_count()))
  }
  center <- (length(a) + 1) / 2
  if (args$outer == "spearman") return(score_of_vectors(a - center, b - center))
  sum((a - center) * (b - center)) / untied_rank_size(length(a))
}
