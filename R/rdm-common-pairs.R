# Comparisons of two RDMs that lack pairs of stimuli, over the pairs that both have.

# Which pairs both sides have.
common_pairs <- function(x, y, args) {
  common <- !is.na(x$d) & !is.na(y$d)
  if (is.null(args$clusters)) common else
    common & between_clusters(labelled_codes(args$clusters))
}

score_of_common_pairs <- function(pair, x, y, args) {
  common <- common_pairs(x, y, args)
  check_common_pairs(pair, sum(common))
  for (side in c("x", "y")) {
    form <- if (side == "x") x else y
    if (!differ_among(form, common, args)) {
      warn_equal_dissimilarities(pair[[side]], args, among = "that both sides have ")
      return(NA_real_)
    }
  }
  if (args$outer %in% ranked_outer) {
    return(score_of_ranks(common_ranks(x, common), common_ranks(y, common), args))
  }
  a <- common_values(x, common)
  b <- common_values(y, common)
  if (is_whitened(args)) return(whitened_common(a, b, common, args))
  center <- function(values) if (args$outer == "pearson") values - mean(values) else values
  score_of_vectors(center(a), center(b))
}

check_common_pairs <- function(pair, count) {
  if (count >= 3) return(invisible())
  abort("`", pair$x$arg, "` and `", pair$y$arg, "` have ", count_of(count, "pair"), " of stimuli ",
        "in common: at least 3 are needed.", class = "repalign_error_size", arg = pair$y$arg)
}

# Do the dissimilarities differ by more than rounding, or for the cosine from 0?
differ_among <- function(form, common, args) {
  range <- range(form$d[common])
  largest <- max(abs(range))
  contrast <- if (is_cosine(args$outer)) largest else range[2] - range[1]
  contrast > max(tie_share * largest, form$tolerance[2])
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

# The whitened score over the pairs that are `common`, by their own covariance.
whitened_common <- function(a, b, common, args) {
  h <- whitened_gram(cbind(a, b), common, args$outer, args$sigma)
  clip_to_range(h[1, 2] / sqrt(h[1, 1]) / sqrt(h[2, 2]), -1, 1)
}
