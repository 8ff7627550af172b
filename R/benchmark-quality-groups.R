# How well the scores of one measure tell groups of models apart.

#' @include benchmark-relabel.R
NULL

# score: a row for each x and a column for each y, both in the order of the models; NA where there
# is no score; the diagonal is not read. best: the score of what is alike in all that the measure
# sees. relabellings: group_relabellings(), made once for many measures.
# A data frame with columns metric, part ("all" or a group), value, p_value, undefined.
group_quality <- function(score, similarity, groups, definition = "published",
                          model_permutations = 999, symmetric = TRUE,
                          best = if (similarity) 1 else 0,
                          relabellings = group_relabellings(groups, model_permutations),
                          threads = NULL) {
  groups <- group_factor(groups)
  undefined <- undefined_by_group(score, groups, symmetric)
  values <- group_values(score, similarity, groups, definition, symmetric, best, relabellings,
                         thread_count(threads))
  quality_rows(values, undefined)
}

# values: a list of metrics, each a matrix with a row for each part, which are its row names, and a
# column for each relabelling. undefined: numbers by part.
quality_rows <- function(values, undefined) {
  rows <- lapply(names(values), function(metric) {
    of_metric <- values[[metric]]
    part <- rownames(of_metric)
    value <- unname(of_metric[, 1])
    data.frame(metric = metric, part = part, value = replace(value, is.nan(value), NA),
               p_value = unname(apply(of_metric, 1, p_at_least)),
               undefined = unname(undefined[part]))
  })
  do.call(rbind, rows)
}

# How many pairs have no score: all, and those from each group.
undefined_by_group <- function(score, groups, symmetric) {
  missing <- !is.finite(score)
  diag(missing) <- FALSE
  if (symmetric) missing <- missing & upper.tri(missing)
  of_group <- vapply(levels(groups), function(g) {
    sum(missing & (outer(groups == g, groups == g, if (symmetric) `|` else function(x, y) x)))
  }, 0L)
  c(all = sum(missing), of_group)
}

# The metrics as quality_rows() takes them.
group_values <- function(score, similarity, groups, definition, symmetric, best, relabellings,
                         threads) {
  found <- walk_groups(score, similarity, symmetric, best, relabellings, nlevels(groups), threads)
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
  list(auprc = if (published) parts(found$group$auprc) else whole(found$auprc),
       conformity = conformity, dprime = whole(found$dprime), silhouette = silhouette,
       auc = whole(found$auc))
}

# What src/group_walk.h finds, in its order.
walked_of_group <- c("auprc", "conformity", "violations", "triples", "silhouette", "silhouettes")

# group: matrices groups x relabellings; the others, of all groups together, have a value each.
walk_groups <- function(score, similarity, symmetric, best, relabellings, groups, threads) {
  pairs <- known_pairs(score, FALSE)
  rows <- length(walked_of_group) * groups
  walked <- if (length(pairs$score)) {
    alike <- if (similarity) pairs$score else -pairs$score
    walk_pairs(pairs, alike, if (similarity) best else -best, symmetric, relabellings, groups,
               threads)
  } else {
    matrix(NA_real_, rows + 3, ncol(relabellings))
  }
  of_group <- lapply(seq_along(walked_of_group), function(at) {
    walked[seq(at, rows, length(walked_of_group)), , drop = FALSE]
  })
  names(of_group) <- walked_of_group
  if (is.na(best)) of_group$silhouette[] <- NA
  list(group = of_group, auprc = walked[rows + 1, ], auc = walked[rows + 2, ],
       dprime = walked[rows + 3, ])
}

walk_pairs <- function(pairs, alike, best, symmetric, relabellings, groups, threads) {
  level <- tie_levels(-alike)
  order <- order(level)
  centered <- alike - mean(alike)
  spread <- max(abs(centered))
  if (spread <= tie_share * max(abs(alike))) centered[] <- 0
  # a score above the best one is rounding, or a correction's noise around it
  away <- if (is.na(best)) numeric(length(alike)) else pmax(best - alike, 0)
  .Call(C_group_walk, pairs$first[order], pairs$second[order], level[order],
        centered[order] / if (spread > 0) spread else 1, away[order], symmetric, relabellings,
        groups, threads)
}
