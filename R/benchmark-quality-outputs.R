# How well the scores of one measure follow differences between the outputs of models.

#' @include benchmark-relabel.R
NULL

# differences: a named list of matrices in the order of `score`. A correlation is that of the
# dissimilarity, so that it is positive where models that differ more are less alike. p-values are
# two-sided. relabellings: output_relabellings(), made once for many measures.
# A data frame with columns target, correlation, value, p_value, undefined.
output_quality <- function(score, similarity, symmetric = TRUE, differences,
                           correlation = "spearman", permute = "models", model_permutations = 999,
                           relabellings = output_relabellings(nrow(score), symmetric, permute,
                                                              model_permutations),
                           threads = NULL) {
  score[!is.finite(score)] <- NA
  pairs <- which(if (symmetric) upper.tri(score) else !diag(nrow(score)))
  unlike <- ready_levels(score[pairs] * if (similarity) -1 else 1, correlation)
  ready <- lapply(differences, function(difference) {
    difference[!is.finite(difference) | diag(nrow(score)) == 1] <- NA
    difference[] <- ready_levels(difference, correlation)
    # where all pairs stay together, the ranks among all are those that count
    if (correlation == "spearman" && !anyNA(unlike)) difference[] <- known_ranks(difference)
    difference
  })
  values <- lapply(relabelling_blocks(relabellings, length(pairs)), function(block) {
    at <- moved_pairs(pairs, nrow(score), permute, block)
    vapply(ready, correlations_with, double(ncol(block)), unlike = unlike, at = at,
           correlation = correlation, threads = thread_count(threads))
  })
  values <- do.call(rbind, lapply(values, matrix, ncol = length(ready)))
  undefined <- vapply(ready, function(difference) sum(is.na(unlike) | is.na(difference[pairs])), 0L)
  data.frame(target = names(differences), correlation = correlation, value = values[1, ],
             p_value = apply(values, 2, p_two_sided), undefined = unname(undefined))
}

# Relabellings in blocks whose pairs fit into little memory.
relabelling_blocks <- function(relabellings, pairs, most = 2e6) {
  columns <- seq_len(ncol(relabellings))
  blocks <- split(columns, ceiling(columns / max(1, floor(most / pairs))))
  lapply(unname(blocks), function(block) relabellings[, block, drop = FALSE])
}

# Orders of models, or of pairs, one a column.
output_relabellings <- function(models, symmetric, permute, most) {
  pairs <- models * (models - 1) / if (symmetric) 2 else 1
  order_relabellings(if (permute == "models") models else pairs, most)
}

# Where the pairs stand in the matrix under every relabelling. Models move with all of their pairs:
# with the rows and the columns of the matrix together.
moved_pairs <- function(pairs, models, permute, relabellings) {
  if (permute == "pairs") return(pairs[relabellings])
  first <- (pairs - 1) %% models + 1
  second <- (pairs - 1) %/% models + 1
  relabellings[first, , drop = FALSE] + (relabellings[second, , drop = FALSE] - 1L) * models
}

# For correlations of ranks, numbers that only rounding tells apart get the same level.
ready_levels <- function(values, correlation) {
  known <- !is.na(values)
  if (correlation == "pearson") values else replace(values, known, tie_levels(values[known]))
}

# The correlation of the dissimilarities with the differences at the moved pairs. NA where one of
# both does not vary.
correlations_with <- function(difference, unlike, at, correlation, threads) {
  moved <- matrix(difference[at], length(unlike))
  known <- !is.na(unlike)
  unlike <- unlike[known]
  if (!all(known)) moved <- moved[known, , drop = FALSE]
  if (anyNA(moved)) {
    return(apply(moved, 2, function(column) {
      both <- !is.na(column)
      all_correlations(unlike[both], matrix(column[both]), correlation, FALSE, threads)
    }))
  }
  all_correlations(unlike, moved, correlation, all(known), threads)
}

known_ranks <- function(values) replace(values, !is.na(values), rank(values[!is.na(values)]))

# x with every column of y; nothing is missing. whole: the columns hold the same values in different
# orders, and for Spearman's correlation these are average ranks already.
all_correlations <- function(x, y, correlation, whole, threads) {
  if (length(x) < 2 || min(x) == max(x)) return(rep(NA_real_, ncol(y)))
  varies <- vapply(seq_len(if (whole) 1 else ncol(y)), function(i) min(y[, i]) < max(y[, i]), NA)
  varies <- rep_len(varies, ncol(y))
  if (!any(varies)) return(rep(NA_real_, ncol(y)))
  if (correlation == "spearman") {
    x <- rank(x)
    if (!whole) y <- apply(y, 2, rank)
  }
  values <- if (correlation == "kendall") tau_b(x, y, whole, threads) else
    suppressWarnings(drop(stats::cor(x, y)))
  replace(values, !varies, NA)
}

# Kendall's tau-b of levels.
tau_b <- function(x, y, whole, threads) {
  order <- order(x)
  moved <- y[order, , drop = FALSE]
  storage.mode(moved) <- "integer"
  untied <- function(levels) choose(length(levels), 2) - sum(choose(tabulate(levels), 2))
  untied_y <- if (whole) untied(y[, 1]) else apply(y, 2, untied)
  .Call(C_concordance, as.integer(x[order]), moved, max(moved), threads) /
    sqrt(untied(x) * untied_y)
}
