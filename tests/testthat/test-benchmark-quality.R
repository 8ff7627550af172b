# The quality figures of the benchmark against their definitions in plain loops, and their p-values
# against permutations one by one.

random_scores <- function(m, symmetric, ties = FALSE) {
  score <- matrix(runif(m * m), m)
  if (ties) score <- round(score, 1)
  if (symmetric) score[lower.tri(score)] <- t(score)[lower.tri(score)]
  score
}

value_of <- function(rows, metric, part = "all", column = "value") {
  rows[[column]][rows$metric == metric & rows$part == part]
}

group_metrics <- c("auprc", "conformity", "dprime", "silhouette", "auc")

test_that("figures of groups are those of the definitions", {
  set.seed(1)
  groups <- c("b", "a", "a", "b", "c", "c", "b", "c", "a", "d", "a")
  for (symmetric in c(TRUE, FALSE)) for (ties in c(TRUE, FALSE)) for (similarity in c(TRUE,
                                                                                      FALSE)) {
    score <- random_scores(11, symmetric, ties)
    likeness <- if (similarity) score else -score
    for (definition in c("published", "paper")) {
      found <- group_quality(score, similarity, groups, definition, 0, symmetric)
      expect_identical(unique(found$metric), group_metrics)
      expected <-
        def_group_quality(likeness, groups, definition, if (similarity) 1 else 0, symmetric)
      expect_equal(vapply(group_metrics, function(metric) value_of(found, metric), 0), expected,
                   tolerance = 1e-12)
      expect_true(all(is.na(found$p_value)))
      expect_true(all(found$undefined == 0))
    }
  }
})

test_that("parts of groups are those of the definitions, in the order of the levels", {
  set.seed(2)
  groups <- factor(rep(c("b", "a", "c"), 4), c("c", "b", "a", "empty"))
  score <- random_scores(12, FALSE)
  silhouettes <- def_silhouettes(1 - score, as.character(groups))
  published <- group_quality(score, TRUE, groups, "published", 0, symmetric = FALSE)
  paper <- group_quality(score, TRUE, groups, "paper", 0, symmetric = FALSE)
  expect_identical(published$part[published$metric == "auprc"], c("all", "c", "b", "a"))
  expect_identical(paper$part[paper$metric == "auprc"], "all")
  for (g in c("a", "b", "c")) {
    each <- def_published_group(score, groups, g)
    expect_equal(value_of(published, "auprc", g), each[["auprc"]])
    expect_equal(value_of(published, "conformity", g), each[["conformity"]])
    expect_equal(value_of(paper, "conformity", g),
                 def_paper_triples(score, groups, which(groups == g)))
    expect_equal(value_of(paper, "silhouette", g), mean(silhouettes[groups == g]))
  }
})

test_that("pairs without a score are left out and counted", {
  set.seed(3)
  groups <- rep(c("a", "b", "c"), each = 4)
  score <- random_scores(12, TRUE)
  score[1, 2] <- score[2, 1] <- NA
  score[4, 9] <- score[9, 4] <- NaN
  score[5, 10] <- score[10, 5] <- Inf
  known <- replace(score, !is.finite(score), NA)
  for (definition in c("published", "paper")) {
    found <- group_quality(score, TRUE, groups, definition, 0)
    expected <- def_group_quality(known, groups, definition, 1, TRUE)
    expect_equal(vapply(group_metrics, function(metric) value_of(found, metric), 0), expected,
                 tolerance = 1e-12)
    expect_identical(unique(found$undefined[found$part == "all"]), 3L)
    expect_identical(value_of(found, "silhouette", "b", "undefined"), 1L)
    expect_identical(value_of(found, "silhouette", "c", "undefined"), 2L)
  }
  none <- group_quality(replace(score, TRUE, NA), TRUE, groups)
  expect_true(all(is.na(none$value)) && all(is.na(none$p_value)))
  expect_identical(none$undefined[1], 66L)
})

test_that("figures that are not defined are NA: one group, single models, scores that do not vary", {
  set.seed(4)
  score <- random_scores(5, TRUE)
  one <- group_quality(score, TRUE, rep("a", 5), model_permutations = 9)
  expect_true(all(is.na(one$value)))
  expect_false(any(is.nan(one$value)))
  singles <- group_quality(score, TRUE, letters[1:5], model_permutations = 0)
  expect_identical(value_of(singles, "silhouette"), 0)
  expect_true(is.na(value_of(singles, "auprc")))
  mixed <- group_quality(score, TRUE, c("a", "b", "b", "c", "c"), model_permutations = 0)
  expect_true(is.na(value_of(mixed, "auprc", "a")))
  expect_equal(value_of(mixed, "auprc"),
               mean(c(value_of(mixed, "auprc", "b"), value_of(mixed, "auprc", "c"))))
  same <- group_quality(matrix(0.5, 5, 5), TRUE, c(1, 1, 1, 2, 2), "paper", 0)
  expect_true(is.na(value_of(same, "dprime")))
  expect_identical(value_of(same, "auc"), 0.5)
  expect_identical(value_of(same, "conformity"), 1)
  apart <- outer(c(1, 1, 1, 2, 2), c(1, 1, 1, 2, 2), `==`) + 0
  # scores that only rounding tells apart
  noise <- 0.3 + 1e-16 * matrix(sample(25), 5)
  rounded <- group_quality(noise, TRUE, c(1, 1, 1, 2, 2), symmetric = FALSE)
  expect_identical(value_of(rounded, "silhouette"), 0)
  expect_identical(value_of(rounded, "dprime"), NA_real_)
  expect_identical(value_of(group_quality(apart, TRUE, c(1, 1, 1, 2, 2)), "dprime"), Inf)
  expect_true(is.na(value_of(group_quality(score, TRUE, c(1, 1, 1, 2, 2), best = NA),
                             "silhouette")))
})

test_that("scores that differ by rounding are tied, and a score above the best counts as the best", {
  groups <- c(1, 1, 1, 2, 2, 2)
  score <- matrix(0.3, 6, 6)
  noisy <- score + 1e-16 * rep(c(1, -1, 2, 0, 3, -2), 6)
  for (metric in c("auprc", "conformity", "auc")) {
    expect_identical(value_of(group_quality(noisy, TRUE, groups, "paper", 0), metric),
                     value_of(group_quality(score, TRUE, groups, "paper", 0), metric))
  }
  expect_identical(value_of(group_quality(noisy, TRUE, groups, "paper", 0), "conformity"), 1)
  above <- score
  above[groups == 1, groups == 1] <- 1 + 1e-9
  best <- score
  best[groups == 1, groups == 1] <- 1
  expect_equal(value_of(group_quality(above, TRUE, groups, "paper", 0), "silhouette", "1"), 1)
  expect_equal(value_of(group_quality(best, TRUE, groups, "paper", 0), "silhouette", "1"), 1)
})

test_that("p-values of groups count the relabellings that do as well, all of them where there are few", {
  set.seed(5)
  groups <- c("a", "a", "a", "b", "b", "b", "b")
  score <- random_scores(7, FALSE)
  all <- group_relabellings(groups, 35)
  expect_identical(dim(all), c(7L, 35L))
  expect_identical(ncol(unique(all, MARGIN = 2)), 35L)
  expect_identical(all[, 1], c(1L, 1L, 1L, 2L, 2L, 2L, 2L))
  expect_identical(dim(group_relabellings(groups, 34)), c(7L, 35L))
  for (definition in c("published", "paper")) {
    found <- group_quality(score, TRUE, groups, definition, 35, symmetric = FALSE)
    one_by_one <- apply(all, 2, function(labels) {
      labels <- factor(labels, labels = c("a", "b"))
      group_quality(score, TRUE, labels, definition, 0, symmetric = FALSE)$value
    })
    # a relabelling may swap the names, so parts are compared by the numbers of the groups
    as_numbers <- group_quality(score, TRUE, factor(groups), definition, 0, symmetric = FALSE)$value
    expect_equal(one_by_one[, 1], as_numbers)
    expect_equal(found$p_value, rowMeans(one_by_one >= found$value - 1e-10))
    # names change places as often one way as the other: parts of unequal sizes have a chance each
    expect_equal(found$chance, rowMeans(one_by_one))
  }
})

test_that("chance levels of groups are those of scores that know nothing of them", {
  set.seed(15)
  groups <- rep(1:3, each = 3)
  found <- lapply(1:60, function(k) group_quality(random_scores(9, TRUE), TRUE, groups,
                                                  model_permutations = 99))
  means <- function(column, metric) {
    mean(vapply(found, function(one) one[one$metric == metric, ][1, column], 0))
  }
  # the mean average precision of 3 pairs at random places among 21
  expect_equal(means("chance", "auprc"), 2 / 20 + 18 / 20 / 21 * sum(1 / 1:21), tolerance = 0.02)
  for (metric in c("auprc", "conformity", "silhouette", "auc")) {
    expect_equal(means("chance", metric), means("value", metric), tolerance = 0.2)
  }
  expect_true(all(is.na(group_quality(random_scores(9, TRUE), TRUE, groups,
                                      model_permutations = 0)$chance)))
  # drawn labels leave out the labels that there are, so that an effect is no part of chance
  same <- outer(groups, groups, `==`)
  few <- lapply(1:40, function(k) group_quality(same + 0, TRUE, groups, model_permutations = 5))
  expect_lt(mean(vapply(few, function(one) one$chance[1], 0)), 0.35)
})

test_that("drawn relabellings follow R's seed, keep the sizes of groups, and do not see threads", {
  groups <- rep(c("x", "y", "z"), c(4, 5, 3))
  set.seed(6)
  score <- random_scores(12, TRUE)
  set.seed(7)
  first <- group_quality(score, FALSE, groups, model_permutations = 99)
  set.seed(7)
  again <- group_quality(score, FALSE, groups, model_permutations = 99, threads = 2)
  expect_identical(first, again)
  expect_true(all(first$p_value >= 0.01 & first$p_value <= 1))
  drawn <- group_relabellings(groups, 99)
  expect_true(all(apply(drawn, 2, tabulate) == c(4, 5, 3)))
})

test_that("groups that are alike by construction have the smallest p-value", {
  set.seed(8)
  groups <- rep(1:3, each = 5)
  same <- outer(groups, groups, `==`)
  found <- group_quality(random_scores(15, TRUE) / 4 + same / 2, TRUE, groups,
                         model_permutations = 199)
  all <- found[found$part == "all", ]
  expect_identical(all$p_value, rep(1 / 200, 5))
  expect_identical(value_of(found, "auprc"), 1)
})

test_that("figures of layers: monotone scores are perfect, and the definitions hold", {
  falling <- 1 / (1 + abs(outer(1:5, 1:5, `-`)))
  for (definition in c("published", "paper")) {
    found <- layer_quality(list(m = falling), TRUE, TRUE, definition)
    expect_equal(found$value, rep(1, 4))
    expect_equal(layer_quality(list(m = falling), FALSE, TRUE, definition)$value[3:4], c(-1, -1))
    expect_identical(found$part, c("all", "m", "all", "m"))
    # of 35 pairs inside of pairs 10 are pairs inside of themselves
    conforms <- if (definition == "paper") 22.5 / 35 else 0.5
    expect_equal(found$chance, rep(c(conforms, 0), each = 2))
  }
  set.seed(9)
  scores <- list(a = random_scores(6, FALSE, TRUE), b = random_scores(4, FALSE, TRUE))
  paper <- layer_quality(scores, TRUE, FALSE, "paper")
  each <- vapply(scores, def_nested_tuples, 0)
  expect_equal(paper$value[1:3], c(mean(each), each[["a"]], each[["b"]]))
  at <- upper.tri(scores$a)
  expect_equal(value_of(paper, "spearman", "a"),
               cor(scores$a[at], (row(at) - col(at))[at], method = "spearman"))
  published <- layer_quality(scores, TRUE, FALSE, "published")
  one_side <- function(i, others) {
    if (length(others) < 2) return(NA)
    suppressWarnings(-cor(scores$a[i, others], abs(others - i), method = "spearman"))
  }
  sources <- unlist(lapply(1:6, function(i) {
    c(one_side(i, seq_len(6)[seq_len(6) > i]), one_side(i, seq_len(6)[seq_len(6) < i]))
  }))
  expect_equal(value_of(published, "spearman", "a"), mean(sources, na.rm = TRUE))
})

test_that("layers without scores are left out and counted; two layers tell nothing in the published way", {
  falling <- 1 / (1 + abs(outer(1:5, 1:5, `-`)))
  falling[1, 3] <- falling[3, 1] <- NA
  found <- layer_quality(list(m = falling, n = replace(falling, TRUE, NA)), TRUE)
  expect_equal(value_of(found, "spearman", "m"), 1)
  expect_true(is.na(value_of(found, "spearman", "n")))
  expect_equal(value_of(found, "spearman"), 1)
  expect_identical(found$undefined[1:3], c(11L, 1L, 10L))
  two <- layer_quality(list(m = diag(2)), TRUE)
  expect_true(all(is.na(two$value)) && !any(is.nan(two$value)))
})

test_that("figures of outputs are base R's correlations", {
  set.seed(10)
  differences <- list(a = round(as.matrix(dist(rnorm(8))), 1), b = as.matrix(dist(rnorm(8))))
  for (symmetric in c(TRUE, FALSE)) for (correlation in c("spearman", "pearson", "kendall")) {
    score <- random_scores(8, symmetric, TRUE)
    at <- if (symmetric) upper.tri(score) else diag(8) == 0
    found <- output_quality(score, TRUE, symmetric, differences, correlation,
                            model_permutations = 0)
    expected <- vapply(differences, function(d) cor(-score[at], d[at], method = correlation), 0)
    expect_equal(found$value, unname(expected))
    expect_identical(found$target, c("a", "b"))
    distances <- output_quality(score, FALSE, symmetric, differences, correlation,
                                model_permutations = 0)
    expect_equal(distances$value, -found$value)
  }
})

test_that("p-values of outputs are those of permutations one by one, of models and of pairs", {
  set.seed(11)
  for (symmetric in c(TRUE, FALSE)) for (missing in c(FALSE, TRUE)) {
    score <- random_scores(5, symmetric)
    if (missing) score[2, 4] <- score[4, 2] <- NA
    difference <- as.matrix(dist(rnorm(5)))
    if (missing) difference[1, 5] <- difference[5, 1] <- NA
    at <- which(if (symmetric) upper.tri(score) else diag(5) == 0)
    for (correlation in c("spearman", "pearson", "kendall")) for (permute in c("models", "pairs")) {
      moved <- output_relabellings(5, symmetric, permute, 120)
      values <- apply(moved, 2, function(p) {
        other <- if (permute == "models") difference[p, p][at] else difference[at[p]]
        cor(-score[at], other, method = correlation, use = "complete.obs")
      })
      expected <-
        min(1, 2 * mean(values >= values[1] - 1e-10), 2 * mean(values <= values[1] + 1e-10))
      found <- output_quality(score, TRUE, symmetric, list(d = difference), correlation, permute,
                              relabellings = moved)
      expect_equal(found$value, values[1])
      expect_equal(found$p_value, expected)
      expect_identical(found$undefined, if (missing) (if (symmetric) 2L else 4L) else 0L)
    }
  }
  expect_identical(ncol(output_relabellings(5, TRUE, "models", 120)), 120L)
  expect_identical(ncol(output_relabellings(5, TRUE, "models", 119)), 120L)
})

test_that("permuting models keeps its level where pairs share models, permuting pairs does not", {
  set.seed(12)
  p <- vapply(1:200, function(run) {
    # accuracy and a quality that has nothing to do with it: pairs of one odd model stand out twice
    score <- as.matrix(dist(rexp(8)^2))
    difference <- list(d = as.matrix(dist(rexp(8)^2)))
    vapply(c("models", "pairs"), function(permute) {
      output_quality(score, FALSE, TRUE, difference, permute = permute,
                     model_permutations = 99)$p_value
    }, 0)
  }, c(0, 0))
  rejected <- rowMeans(p <= 0.05)
  expect_lt(rejected[["models"]], 0.09)
  expect_gt(rejected[["pairs"]], 0.09)
})

test_that("correlations with what does not vary are NA", {
  score <- matrix(0.5, 4, 4)
  difference <- as.matrix(dist(1:4))
  for (correlation in c("spearman", "pearson", "kendall")) {
    found <- output_quality(score, TRUE, TRUE, list(d = difference), correlation)
    expect_true(is.na(found$value) && is.na(found$p_value))
    found <- output_quality(difference, TRUE, TRUE, list(d = score), correlation)
    expect_true(is.na(found$value) && is.na(found$p_value))
  }
})

test_that("relabellings come in blocks that together are all of them", {
  all <- relabellings_of(1:6, 50, lgamma(7))
  blocks <- relabelling_blocks(all, 15, 100)
  expect_equal(do.call(cbind, blocks), all, ignore_attr = TRUE)
  expect_true(all(vapply(blocks, ncol, 0L) <= 7))
  expect_identical(relabelling_blocks(all, 1e9), lapply(1:51, function(i) all[, i, drop = FALSE]))
})
