# How well the scores of one measure fall with the distance between layers of a model.

#' @include benchmark-relabel.R
NULL

# scores: a named list with a matrix for each model, its layers in their order; as for
# group_quality(). No p-values: the order of layers is no chance event.
# A data frame with columns metric, part ("all" or a model), value, p_value, undefined.
layer_quality <- function(scores, similarity, symmetric = TRUE, definition = "published") {
  alike <- lapply(scores, function(score) {
    score[!is.finite(score)] <- NA
    tied <- if (similarity) score else -score
    tied[] <- replace(rep(NA, length(tied)), !is.na(tied), tie_levels(tied[!is.na(tied)]))
    tied
  })
  published <- definition == "published"
  conformity <- vapply(alike, if (published) endpoint_conformity else nested_conformity, 0)
  spearman <- vapply(alike, if (published) spearman_by_source else spearman_of_layers, 0)
  # the paper's definition has i < j, and no pair the other way round
  undefined <- vapply(scores, function(score) {
    known_pairs(score, symmetric || !published)$undefined
  }, 0L)
  rbind(layer_rows("conformity", conformity, undefined),
        layer_rows("spearman", spearman, undefined))
}

layer_rows <- function(metric, values, undefined) {
  values[is.nan(values)] <- NA
  all <- if (all(is.na(values))) NA_real_ else mean(values, na.rm = TRUE)
  data.frame(metric = metric, part = c("all", names(values)), value = c(all, unname(values)),
             p_value = NA_real_, undefined = c(sum(undefined), unname(undefined)))
}

# The layers above and those below each layer, the nearest first; one list a source.
sides_of_layers <- function(layers) {
  above <- lapply(seq_len(layers), function(i) seq_len(layers - i) + i)
  below <- lapply(seq_len(layers), function(i) rev(seq_len(i - 1)))
  list(source = rep(seq_len(layers), 2), others = c(above, below))
}

# Correlation of likeness with nearness; undefined for one layer, or likeness that does not vary.
nearness_correlation <- function(alike, distance) {
  known <- !is.na(alike)
  if (sum(known) < 2) return(NA_real_)
  -plain_correlation(rank(alike[known]), rank(distance[known]))
}

plain_correlation <- function(x, y) {
  if (min(x) == max(x) || min(y) == max(y)) NA_real_ else stats::cor(x, y)
}

# Published: a correlation for every layer with those above, and one with those below.
spearman_by_source <- function(alike) {
  sides <- sides_of_layers(nrow(alike))
  each <- mapply(function(i, others) nearness_correlation(alike[i, others], abs(others - i)),
                 sides$source, sides$others)
  mean(each, na.rm = TRUE)
}

# Paper: one correlation over the pairs i < j.
spearman_of_layers <- function(alike) {
  at <- upper.tri(alike)
  nearness_correlation(alike[at], (col(alike) - row(alike))[at])
}

# Published: triples of a layer with a nearer and a farther one on the same side; ties conform.
endpoint_conformity <- function(alike) {
  sides <- sides_of_layers(nrow(alike))
  counts <- mapply(function(i, others) {
    values <- alike[i, others]
    farther <- upper.tri(diag(length(values)))
    conforms <- outer(values, values, `>=`)[farther]
    c(sum(conforms, na.rm = TRUE), sum(!is.na(conforms)))
  }, sides$source, sides$others)
  sum(counts[1, ]) / sum(counts[2, ])
}

# Paper, equation 8: pairs of layers (j, k) inside of pairs (i, l), i <= j < k <= l, which include
# each pair inside of itself; ties conform.
nested_conformity <- function(alike) {
  at <- which(upper.tri(alike), arr.ind = TRUE)
  value <- alike[at]
  inside <- outer(at[, 1], at[, 1], `<=`) & outer(at[, 2], at[, 2], `>=`)
  conforms <- outer(value, value, `<=`)[inside]
  mean(conforms, na.rm = TRUE)
}
