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
                                                              model_permutations)) {
  score[!is.finite(score)] <- NA
  pairs <- which(if (symmetric) upper.tri(score) else !diag(nrow(score)))
  unlike <- score[pairs] * if (similarity) -1 else 1
  at <- moved_pairs(pairs, nrow(score), permute, relabellings)
  rows <- lapply(names(differences), function(target) {
    difference <- differences[[target]]
    difference[!is.finite(difference)] <- NA
    if (correlation != "pearson") difference[] <- average_ranks(difference)
    values <- correlations_with(unlike, matrix(difference[at], length(pairs)), correlation)
    data.frame(target = target, correlation = correlation, value = values[1],
               p_value = p_two_sided(values),
               undefined = sum(is.na(unlike) | is.na(difference[pairs])))
  })
  do.call(rbind, rows)
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

average_ranks <- function(values) {
  known <- !is.na(values)
  replace(values, known, rank(tie_levels(values[known])))
}

# The correlation of the dissimilarities with each column of differences, which are average ranks
# already unless the correlation is Pearson's. NA where one of both does not vary.
correlations_with <- function(unlike, moved, correlation) {
  known <- !is.na(unlike)
  unlike <- unlike[known]
  whole <- all(known) && !anyNA(moved)
  moved <- moved[known, , drop = FALSE]
  if (correlation != "pearson") {
    unlike <- average_ranks(unlike)
    # of a part of the pairs, the ranks among these count
    if (!whole) moved <- apply(moved, 2, average_ranks)
  }
  complete <- !anyNA(moved)
  if (complete && correlation != "kendall") return(plain_correlations(unlike, moved))
  apply(moved, 2, function(column) {
    both <- !is.na(column)
    one_correlation(unlike[both], column[both], correlation)
  })
}

# Pearson's with every column of a matrix without missing values.
plain_correlations <- function(x, columns) {
  if (length(x) < 2 || min(x) == max(x)) return(rep(NA_real_, ncol(columns)))
  varies <- apply(columns, 2, function(column) min(column) < max(column))
  values <- rep(NA_real_, ncol(columns))
  values[varies] <- stats::cor(x, columns[, varies, drop = FALSE])
  values
}

one_correlation <- function(x, y, correlation) {
  if (length(x) < 2 || min(x) == max(x) || min(y) == max(y)) return(NA_real_)
  switch(correlation, pearson = stats::cor(x, y), spearman = stats::cor(rank(x), rank(y)),
         kendall = kendall_tau_b(rank(x), rank(y)))
}

kendall_tau_b <- function(x, y) {
  pairs_of <- function(n) n * (n - 1) / 2
  untied <- function(ranks) pairs_of(length(ranks)) - sum(pairs_of(tabulate(2 * ranks)))
  .Call(C_kendall, x, y, 1L) * pairs_of(length(x)) / sqrt(untied(x) * untied(y))
}
