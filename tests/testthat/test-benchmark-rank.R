# Ranks of measures over tests: which figure ranks, ties, what is undefined or missing, the picture.

figures <- function(values, test, metric = "auprc", ...) {
  data.frame(measure = names(values), metric = metric, part = "all", value = unname(values),
             test = test, ...)
}

of_outputs <- function(values, test = "outputs", target = "jsd", correlation = "spearman") {
  data.frame(measure = names(values), target = target, correlation = correlation,
             value = unname(values), test = test)
}

ranks_in <- function(ranks, test) {
  rows <- ranks[ranks$test == test, ]
  setNames(rows$rank, rows$measure)
}

test_that("the largest figure ranks first, and summaries are those of the ranks", {
  ranks <- rank_measures(figures(c(cka = 0.9, rsa = 0.5, rtd = 0.7), "one"),
                         figures(c(cka = 0.2, rsa = -0.1, rtd = 0.3), "two", "spearman"),
                         of_outputs(c(rtd = 0.1, cka = 0.4, rsa = 0.2)))
  expect_s3_class(ranks, c("repalign_ranks", "repalign_result", "data.frame"), exact = TRUE)
  expect_identical(names(ranks), c("measure", "test", "metric", "value", "rank", "of"))
  expect_identical(ranks_in(ranks, "one"), c(cka = 1, rsa = 3, rtd = 2))
  expect_identical(ranks_in(ranks, "two"), c(cka = 2, rsa = 3, rtd = 1))
  expect_identical(ranks_in(ranks, "outputs"), c(rtd = 3, cka = 1, rsa = 2))
  expect_identical(ranks$of, rep(3L, 9))
  table <- summary(ranks)
  expect_identical(table$measure, c("cka", "rtd", "rsa"))
  expect_equal(table$mean_rank, c(4, 6, 8) / 3)
  expect_identical(table$median_rank, c(1, 2, 3))
  expect_identical(table$best, c(1, 1, 2))
  expect_identical(table$worst, c(2, 3, 3))
  expect_identical(table$tests, rep(3L, 3))
})

test_that("the figure that ranks is that of the paper, and arguments change it", {
  groups <- rbind(figures(c(a = 0.9, b = 0.1), "g"), figures(c(a = 0.2, b = 0.8), "g", "conformity"),
                  transform(figures(c(a = 0, b = 1), "g"), part = "group 1"))
  layers <- rbind(figures(c(a = 0.1, b = 0.2), "l", "conformity"),
                  figures(c(a = 0.7, b = 0.3), "l", "spearman"))
  outputs <- rbind(of_outputs(c(a = 0.1, b = 0.4), target = "accuracy"),
                   of_outputs(c(a = 0.3, b = 0.2)), of_outputs(c(a = 0, b = 0.2), correlation = "kendall"),
                   of_outputs(c(a = 0.5, b = 0.6), target = "disagreement"))
  usual <- rank_measures(groups, layers, outputs)
  expect_identical(unique(usual$metric), c("auprc", "spearman", "accuracy", "jsd"))
  expect_identical(usual$rank[usual$measure == "a"], c(1, 1, 2, 1))
  other <- rank_measures(groups, layers, outputs, metric = c(groups = "conformity"),
                         target = "disagreement")
  expect_identical(unique(other$metric), c("conformity", "spearman", "disagreement"))
  expect_identical(other$rank[other$measure == "a"], c(2, 1, 2))
  # several kinds of tests in one table, and a list of results
  both <- rank_measures(list(rbind(groups, layers), outputs))
  expect_identical(as.data.frame(both), as.data.frame(usual))
  conformity <- rank_measures(layers[layers$metric == "conformity", ],
                              metric = c(layers = "conformity"))
  expect_identical(conformity$rank, c(2, 1))
})

test_that("tied measures share the best of their ranks, or the mean", {
  tied <- figures(c(a = 0.5, b = 1, c = 1 - 1e-15, d = 0.5, e = 0.1), "t")
  expect_identical(rank_measures(tied)$rank, c(3, 1, 1, 3, 5))
  expect_identical(rank_measures(tied, ties = "average")$rank, c(3.5, 1.5, 1.5, 3.5, 5))
  infinite <- figures(c(a = Inf, b = 2, c = -Inf, d = Inf), "t", "dprime")
  expect_identical(rank_measures(infinite, metric = c(groups = "dprime"))$rank, c(1, 3, 4, 1))
})

test_that("measures without a figure have no rank, or the last, and a message says so", {
  one <- figures(c(a = 0.5, b = NA, c = 0.7, d = NaN), "one")
  two <- figures(c(a = 0.5, b = 0.9), "two")
  expect_message(ranks <- rank_measures(one, two), "3 measures of 4 lack a figure in some of the 2 tests",
                 class = "repalign_ranks_missing")
  expect_identical(ranks_in(ranks, "one"), c(a = 2, b = NA, c = 1, d = NA))
  expect_identical(ranks$of, rep(2L, 6))
  table <- summary(ranks)
  expect_identical(table$measure, c("b", "c", "a", "d"))
  expect_identical(table$tests, c(1L, 1L, 2L, 0L))
  expect_identical(table$undefined, c(1L, 0L, 0L, 1L))
  expect_identical(table$missing, c(0L, 1L, 0L, 1L))
  expect_true(is.na(table$median_rank[4]) && is.na(table$mean_rank[4]))
  last <- suppressMessages(rank_measures(one, two, undefined = "last"))
  expect_identical(ranks_in(last, "one"), c(a = 2, b = 3, c = 1, d = 3))
  shared <- suppressMessages(rank_measures(one, two, undefined = "last", ties = "average"))
  expect_identical(ranks_in(shared, "one"), c(a = 2, b = 3.5, c = 1, d = 3.5))
  expect_no_message(rank_measures(two))
})

test_that("tests are told apart by names, data set, architecture and test, and by other words", {
  one <- figures(c(a = 1, b = 2), "groups", dataset = "cora", architecture = "gcn")
  two <- figures(c(a = 2, b = 1), "groups", dataset = "flickr", architecture = "gcn")
  ranks <- rank_measures(one, two)
  expect_identical(ranks$dataset, rep(c("cora", "flickr"), each = 2))
  expect_identical(ranks$rank, c(2, 1, 1, 2))
  named <- rank_measures(x = one, y = one)
  expect_identical(named$source, rep(c("x", "y"), each = 2))
  expect_identical(summary(named)$tests, c(2L, 2L))
  expect_error(rank_measures(one, one), "has two values in one test", class = "repalign_error_rows")
  # measures of one test may come in several results
  expect_identical(rank_measures(one[1, ], one[2, ])$rank, c(2, 1))
  domains <- rank_measures(cbind(one, domain = "graphs"), two)
  expect_identical(domains$domain, c("graphs", "graphs", NA, NA))
})

test_that("what cannot be ranked is an error that says why", {
  good <- figures(c(a = 1), "t")
  expect_error(rank_measures(), class = "repalign_error_missing")
  expect_error(rank_measures(1), class = "repalign_error_type")
  expect_error(rank_measures(data.frame(x = 1)), "columns measure, value", class = "repalign_error_type")
  expect_error(rank_measures(good, metric = "auprc"), class = "repalign_error_value")
  expect_error(rank_measures(good, metric = c(groups = "aupr")), class = "repalign_error_choice")
  expect_error(rank_measures(good, metric = c(groups = "dprime")), "no figure \"dprime\"",
               class = "repalign_error_value")
  expect_error(rank_measures(of_outputs(c(a = 1)), target = "top5"), "it has \"jsd\"",
               class = "repalign_error_value")
  expect_error(rank_measures(good, target = 1), class = "repalign_error_value")
  expect_error(rank_measures(good, ties = "first"), class = "repalign_error_choice")
  two <- rbind(of_outputs(c(a = 1), correlation = "kendall"), of_outputs(c(a = 1), correlation = "pearson"))
  expect_error(rank_measures(two), "several correlations", class = "repalign_error_rows")
})

test_that("ranks print, are tidied, and lose their class as a plain data frame", {
  ranks <- suppressMessages(rank_measures(figures(c(cka = 0.9, rsa = 0.5, rtd = NA), "one"),
                                          figures(c(cka = 0.2, rsa = 0.4, rtd = 0.3), "two")))
  expect_snapshot(ranks)
  expect_snapshot(print(ranks, n = 1))
  expect_identical(class(as.data.frame(ranks)), "data.frame")
  expect_identical(names(tidy(ranks)), c("term", "test", "metric", "value", "estimate", "of"))
  expect_identical(tidy(ranks)$estimate, ranks$rank)
  expect_output(print(ranks[c("measure", "rank")]), "cka +1")
})

test_that("the picture has a box for each measure, the best at the top, in the colour of its family", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  ids <- c("cka", "rsa", "Jaccard", "cka(rbf)", "mine")
  results <- lapply(1:6, function(k) {
    figures(setNames(runif(5) + 5:1, ids), paste("test", k), dataset = c("a", "b")[k %% 2 + 1])
  })
  ranks <- rank_measures(results)
  picture <- ggplot2::autoplot(ranks)
  drawn <- built(picture)
  boxes <- data_of(drawn, "GeomBoxplot")
  expect_identical(nrow(boxes), 5L)
  expect_identical(tick_labels(drawn, "y"), rev(summary(ranks)$measure))
  expect_identical(as.character(picture$data$family)[match(ids, picture$data$measure)],
                   c("kernel", "distance", "neighbours", "kernel", "other"))
  medians <- boxes$xmiddle[order(boxes$y, decreasing = TRUE)]
  expect_equal(as.double(medians), summary(ranks)$median_rank)
  panels <- built(ggplot2::autoplot(ranks, by = "dataset"))
  expect_setequal(panel_names(panels), c("a", "b"))
  expect_identical(nrow(data_of(panels, "GeomBoxplot")), 10L)
  expect_error(ggplot2::autoplot(ranks, by = "domain"), class = "repalign_error_choice")
  expect_error(ggplot2::autoplot(ranks, colour = 1), class = "repalign_error_parameter")
  # long names leave room for the boxes of panels side by side
  long <- lapply(1:3, function(k) {
    figures(c(OrthogonalProcrustesCenteredAndNormalized = k, OrthogonalAngularShapeCentered = 1), k)
  })
  drawn <- built(ggplot2::autoplot(rank_measures(long), by = "test"))
  expect_lte(longest_line(tick_labels(drawn, "y")), 22)
  expect_identical(anyDuplicated(tick_labels(drawn, "y")), 0L)
  local_device()
  expect_identical(expect_invisible(plot(ranks)), ranks)
  undefined <- suppressMessages(rank_measures(figures(c(a = NA_real_), "t")))
  expect_error(ggplot2::autoplot(undefined), "no rank to draw", class = "repalign_error_size")
})

test_that("results of the benchmarks rank, one by one and bound together", {
  set.seed(1)
  models <- lapply(setNames(nm = paste0("net", 1:6)), function(name) matrix(rnorm(60), 20))
  set <- c("cka", "procrustes", "linear_regression")
  by_seed <- lapply(1:2, function(seed) {
    benchmark_groups(models, rep(c("a", "b"), 3), set, model_permutations = 0, dataset = "noise",
                     test = paste("groups", seed), architecture = "none")
  })
  outputs <- benchmark_outputs(models, NULL, accuracy = 1:6 / 6, measures = set, model_permutations = 9)
  layers <- benchmark_layers(list(one = setNames(models[1:3], letters[1:3])), set)
  ranks <- rank_measures(by_seed, outputs, layers)
  expect_identical(unique(ranks$metric), c("auprc", "accuracy", "spearman"))
  expect_identical(summary(ranks)$tests, rep(4L, 3))
  groups <- ranks[ranks$test == "groups 1", ]
  whole <- by_seed[[1]][by_seed[[1]]$metric == "auprc" & by_seed[[1]]$part == "all", ]
  expect_equal(groups$rank, rank(-whole$value, ties.method = "min"))
  bound <- rank_measures(do.call(rbind, by_seed))
  expect_identical(bound$rank, ranks$rank[1:6])
  # the same test twice is told apart by the names that rbind() or the call gives
  twice <- rank_measures(rbind(a = by_seed[[1]], b = by_seed[[1]]), c = outputs, d = layers)
  expect_identical(unique(twice$source), c("a", "b", "c", "d"))
})
