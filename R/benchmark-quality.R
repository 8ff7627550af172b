# How well the scores of one measure pass a benchmark: quality figures and their p-values.

# ---- relabelling

# The p-values of the benchmark: from groups, or models, or pairs that are relabelled.

# All ways, or a random sample of them, to give the groups to the models: a matrix of group numbers,
# a row a model, whose first column is how they are. All ways if there are at most `most`. The
# attribute `drawn` says that the first column is not one of the draws.
group_relabellings <- function(groups, most) {
  codes <- as.integer(group_factor(groups))
  relabellings_of(codes, most, lgamma(length(codes) + 1) - sum(lgamma(tabulate(codes) + 1)))
}

# log_ways: the logarithm of the number of different ways.
relabellings_of <- function(codes, most, log_ways) {
  if (most == 0) return(structure(matrix(codes), drawn = TRUE))
  if (log_ways > log(most + 0.5)) {
    drawn <- vapply(seq_len(most), function(i) codes[sample.int(length(codes))], codes)
    return(structure(cbind(codes, drawn, deparse.level = 0), drawn = TRUE))
  }
  all <- all_arrangements(codes)
  observed <- colSums(all != codes) == 0
  cbind(codes, all[, !observed, drop = FALSE], deparse.level = 0)
}

# All different orders of values that may repeat, one a column.
all_arrangements <- function(values) {
  if (length(values) <= 1) return(matrix(values, length(values)))
  parts <- lapply(unique(values), function(first) {
    rbind(first, all_arrangements(values[-match(first, values)]), deparse.level = 0)
  })
  do.call(cbind, parts)
}

# The groups in the order of their levels, or of appearance.
group_factor <- function(groups) {
  if (is.factor(groups)) return(droplevels(groups))
  labels <- as.character(groups)
  factor(labels, unique(labels))
}

# Whole numbers in the order of the values, the same for values that only rounding tells apart.
tie_levels <- function(values) {
  if (!length(values)) return(integer())
  ordered <- order(values)
  sorted <- values[ordered]
  room <- tie_share * max(0, abs(sorted[is.finite(sorted)]))
  level <- integer(length(values))
  # two infinite values have no difference, and are tied
  level[ordered] <- cumsum(c(TRUE, (diff(sorted) > room) %in% TRUE))
  level
}

# The pairs of models of a score matrix whose score is known: for symmetric measures each once, else
# in both orders. undefined: how many are not known.
known_pairs <- function(score, symmetric) {
  at <- which(if (symmetric) upper.tri(score) else !diag(nrow(score)))
  known <- is.finite(score[at])
  list(first = row(score)[at[known]], second = col(score)[at[known]], score = score[at[known]],
       undefined = sum(!known))
}

# ---- groups

# How well the scores of one measure tell groups of models apart.

# score: a row for each x and a column for each y, both in the order of the models; NA where there
# is no score; the diagonal is not read. best: the score of what is alike in all that the measure
# sees. relabellings: group_relabellings(), made once for many measures.
# A data frame with columns metric, part ("all" or a group), value, chance, p_value, undefined.
group_quality <- function(score, similarity, groups, definition = "published",
                          model_permutations = 999, symmetric = TRUE,
                          best = if (similarity) 1 else 0,
                          relabellings = group_relabellings(groups, model_permutations),
                          threads = NULL) {
  groups <- group_factor(groups)
  # how many pairs have no score: all, and those from each group
  missing <- !is.finite(score)
  diag(missing) <- FALSE
  if (symmetric) missing <- missing & upper.tri(missing)
  of_group <- vapply(levels(groups), function(g) {
    sum(missing & (outer(groups == g, groups == g, if (symmetric) `|` else function(x, y) x)))
  }, 0L)
  undefined <- c(all = sum(missing), of_group)
  # the metrics, each with the groups as rows and the relabellings as columns
  found <- walk_groups(score, similarity, symmetric, best, relabellings, nlevels(groups),
                       thread_count(threads))
  published <- definition == "published"
  whole <- function(values) matrix(values, 1, dimnames = list("all", NULL))
  parts <- function(values, all = colMeans(values, na.rm = TRUE)) {
    rownames(values) <- levels(groups)
    rbind(all = all, values)
  }
  conformity <- if (published) parts(found$group$conformity) else
    parts(1 - found$group$violations / found$group$triples,
          1 - colSums(found$group$violations) / colSums(found$group$triples))
  silhouette <- parts(found$group$silhouette / found$group$silhouettes,
                      colSums(found$group$silhouette) / colSums(found$group$silhouettes))
  values <- list(auprc = if (published) parts(found$group$auprc) else whole(found$auprc),
                 conformity = conformity, dprime = whole(found$dprime), silhouette = silhouette,
                 auc = whole(found$auc))
  by_chance <- if (isTRUE(attr(relabellings, "drawn"))) -1 else TRUE
  rows <- lapply(names(values), function(metric) {
    of_metric <- values[[metric]]
    chance <- unname(rowMeans(of_metric[, by_chance, drop = FALSE], na.rm = TRUE))
    part <- rownames(of_metric)
    value <- unname(of_metric[, 1])
    data.frame(metric = metric, part = part, value = replace(value, is.nan(value), NA),
               chance = replace(chance, is.nan(chance), NA),
               p_value = unname(apply(of_metric, 1, p_at_least)),
               undefined = unname(undefined[part]))
  })
  do.call(rbind, rows)
}

# What src/group_walk.c finds, in its order.
walked_of_group <- c("auprc", "conformity", "violations", "triples", "silhouette", "silhouettes")

# group: matrices groups x relabellings; the others, of all groups together, have a value each.
walk_groups <- function(score, similarity, symmetric, best, relabellings, groups, threads) {
  pairs <- known_pairs(score, FALSE)
  rows <- length(walked_of_group) * groups
  walked <- if (length(pairs$score)) {
    alike <- if (similarity) pairs$score else -pairs$score
    most <- if (similarity) best else -best
    level <- tie_levels(-alike)
    order <- order(level)
    centered <- alike - mean(alike)
    spread <- max(abs(centered))
    if (spread <= tie_share * max(abs(alike))) centered[] <- 0
    # a score above the best one is rounding, or a correction's noise around it
    away <- if (is.na(most)) numeric(length(alike)) else pmax(most - alike, 0)
    .Call(C_group_walk, pairs$first[order], pairs$second[order], level[order],
          centered[order] / if (spread > 0) spread else 1, away[order], symmetric, relabellings,
          groups, threads)
  } else matrix(NA_real_, rows + 3, ncol(relabellings))
  of_group <- lapply(seq_along(walked_of_group), function(at) {
    walked[seq(at, rows, length(walked_of_group)), , drop = FALSE]
  })
  names(of_group) <- walked_of_group
  if (is.na(best)) of_group$silhouette[] <- NA
  list(group = of_group, auprc = walked[rows + 1, ], auc = walked[rows + 2, ],
       dprime = walked[rows + 3, ])
}

# ---- layers

# How well the scores of one measure fall with the distance between layers of a model.

# scores: a named list with a matrix for each model, its layers in their order; as for
# group_quality(). No p-values: the order of layers is no chance event.
# A data frame with columns metric, part ("all" or a model), value, chance, p_value, undefined.
layer_quality <- function(scores, similarity, symmetric = TRUE, definition = "published") {
  alike <- lapply(scores, function(score) {
    score[!is.finite(score)] <- NA
    tied <- if (similarity) score else -score
    tied[] <- replace(rep(NA, length(tied)), !is.na(tied), tie_levels(tied[!is.na(tied)]))
    tied
  })
  published <- definition == "published"
  conform <- if (published) endpoint_conformity else nested_conformity
  conformity <- vapply(alike, conform, 0)
  # layers in a random order: each comparison goes one way as often as the other, and ties (such as
  # of a pair with itself) conform both ways
  chance <- (conformity + vapply(lapply(alike, `-`), conform, 0)) / 2
  spearman <- vapply(alike, if (published) spearman_by_source else spearman_of_layers, 0)
  # the paper's definition has i < j, and no pair the other way round
  undefined <- vapply(lapply(scores, known_pairs, symmetric || !published), `[[`, 0L, "undefined")
  rbind(layer_rows("conformity", conformity, chance, undefined),
        layer_rows("spearman", spearman, 0 * spearman, undefined))
}

layer_rows <- function(metric, values, chance, undefined) {
  with_mean <- function(values) {
    values <- c(mean(values, na.rm = TRUE), unname(values))
    replace(values, is.nan(values), NA)
  }
  data.frame(metric = metric, part = c("all", names(values)), value = with_mean(values),
             chance = with_mean(chance),
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
  x <- rank(alike[known])
  y <- rank(distance[known])
  -(if (min(x) == max(x) || min(y) == max(y)) NA_real_ else stats::cor(x, y))
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
  mean(outer(value, value, `<=`)[inside], na.rm = TRUE)
}

# ---- outputs

# How well the scores of one measure follow differences between the outputs of models.

# differences: a named list of matrices in the order of `score`. A correlation is that of the
# dissimilarity, so that it is positive where models that differ more are less alike. p-values are
# two-sided. relabellings: output_relabellings(), made once for many measures.
# A data frame with columns target, correlation, value, chance (0), p_value, undefined.
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
    if (correlation == "spearman" && !anyNA(unlike)) {
      known <- !is.na(difference)
      difference[known] <- rank(difference[known])
    }
    difference
  })
  models <- nrow(score)
  known <- !is.na(unlike)
  threads <- thread_count(threads)
  first <- (pairs - 1) %% models + 1
  second <- (pairs - 1) %/% models + 1
  values <- lapply(relabelling_blocks(relabellings, length(pairs)), function(moved) {
    # Where the pairs stand in the matrix. Models move with all of their pairs: with the rows and
    # the columns of the matrix together.
    at <- if (permute == "pairs") pairs[moved] else
      moved[first, , drop = FALSE] + (moved[second, , drop = FALSE] - 1L) * models
    # NA where one of both does not vary
    vapply(ready, function(difference) {
      # two columns of a matrix would be rows and columns
      there <- matrix(difference[as.vector(at)], length(unlike))
      if (!all(known)) there <- there[known, , drop = FALSE]
      if (!anyNA(there)) {
        return(all_correlations(unlike[known], there, correlation, all(known), threads))
      }
      apply(there, 2, function(column) {
        both <- !is.na(column)
        all_correlations(unlike[known][both], matrix(column[both]), correlation, FALSE, threads)
      })
    }, double(ncol(moved)))
  })
  values <- do.call(rbind, lapply(values, matrix, ncol = length(ready)))
  undefined <- vapply(ready, function(difference) sum(is.na(unlike) | is.na(difference[pairs])), 0L)
  data.frame(target = names(differences), correlation = correlation, value = values[1, ],
             # twice the smaller tail, at most 1
             chance = 0, p_value = apply(values, 2, function(all) {
               min(1, 2 * min(p_at_least(all), p_at_least(-all)))
             }), undefined = unname(undefined))
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
  n <- if (permute == "models") models else pairs
  relabellings_of(seq_len(n), most, lgamma(n + 1))
}

# For correlations of ranks, numbers that only rounding tells apart get the same level.
ready_levels <- function(values, correlation) {
  known <- !is.na(values)
  if (correlation == "pearson") values else replace(values, known, tie_levels(values[known]))
}

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
