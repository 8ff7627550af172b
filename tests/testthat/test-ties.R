# Chance: ties among neighbours are drawn, everything else leaves the generator alone.

# inputs are tiny: threads would only wait for each other
withr::local_options(repalign.threads = 1)

test_that("data without ties leave the generator as it was", {
  l <- tie_free()
  each_setting(function(id, args, name) {
    set.seed(3)
    before <- .Random.seed
    score(id, l$a, l$b, args)
    expect_identical(.Random.seed, before, label = name)
  })
})

test_that("set.seed() reproduces scores of data with ties", {
  kind <- law_kinds()$integers
  each_setting(function(id, args, name) {
    value <- function() {
      set.seed(4)
      score(id, kind$x, kind$y, args)
    }
    expect_identical(value(), value(), label = name)
  })
  set <- all_measures()
  grid <- function(threads) {
    set.seed(4)
    quietly(similarity(kind$x, kind$y, set, threads = threads))$score
  }
  expect_identical(grid(1), grid(1))
  expect_identical(grid(1), grid(2))
})

test_that("tied neighbours are drawn by chance, on each side by itself, and told", {
  for (id in intersect(c("mutual_knn", "knn_jaccard", "rank_similarity", "lcs_knn", "mka"),
                       measures()$id)) {
    kind <- law_kinds()$integers
    draws <- vapply(1:6, function(seed) {
      set.seed(seed)
      score(id, kind$x, kind$y, list(k = 5, ties = "random"))
    }, 0)
    expect_gt(length(unique(draws)), 1)
    told <- NULL
    withCallingHandlers(get(id)(kind$x, kind$y, k = 5, ties = "random"), warning = function(w) {
      told <<- c(told, conditionMessage(w))
      expect_s3_class(w, "repalign_warning")
      invokeRestart("muffleWarning")
    })
    expect_true(any(grepl("tie", told) & grepl("[0-9]", told)), label = paste(id, "tells ties"))
  }
})

test_that("ties do not make unrelated sparse counts alike", {
  # whatever the ties, each row is in a neighbourhood with probability k / (n - 1), on each
  # side independently
  set.seed(6)
  scores <- replicate(60, {
    x <- matrix(rbinom(90, 1, 0.3), 30)
    y <- matrix(rbinom(90, 1, 0.3), 30)
    vapply(c("random", "average"), function(ties) {
      score("mutual_knn", x, y, list(k = 6, metric = "euclidean", ties = ties))
    }, 0)
  })
  for (ties in rownames(scores)) {
    values <- scores[ties, ]
    expect_lt(abs(mean(values) - 6 / 29), 4 * sd(values) / sqrt(60), label = ties)
  }
})

test_that("ties are not decided by rounding", {
  # rows of small integers under a rotation: distances that were equal are equal but for rounding
  set.seed(8)
  x <- as.matrix(expand.grid(0:3, 0:3, 0:2))
  turned <- x %*% qr.Q(qr(normal_matrix(3, 3)))
  y <- normal_matrix(nrow(x), 4)
  values <- function(x) vapply(1:3, function(seed) {
    set.seed(seed)
    score("mutual_knn", x, y, list(k = 5, metric = "euclidean", ties = "random"))
  }, 0)
  # the same ties, the same draws
  expect_identical(values(x), values(turned))
})

test_that("cosine neighbours of parallel rows are tied, whatever rounding says", {
  set.seed(9)
  y <- cbind(-c(.0013, .467, .888, 1.856))
  expect_warned(mutual_knn(y, y, k = 1, ties = "random"), "repalign_ties")
  # over draws, every other row is as near as any
  overlap <- replicate(300, score("mutual_knn", y, y, list(k = 1, ties = "random")))
  expect_identical(score("mutual_knn", y, y, list(k = 1)), 1 / 3)
  expect_gt(mean(overlap), 0.2)
  expect_lt(mean(overlap), 0.5)
  for (d in c(2, 3, 50)) {
    direction <- rnorm(d)
    for (shape in list(rexp(12), 10^runif(12, -200, 200))) {
      graph <- quietly(form_graph(representation(outer(shape, direction), "x"), "cosine", 4))
      expect_identical(graph$tied, 12L, label = paste("parallel rows of", d))
    }
  }
})

test_that("nearly parallel rows keep their order where it is more than rounding", {
  # angles from 1e-7 on, each half as far from the next one: far above rounding of 1e-16
  angle <- 1e-7 * 2^(0:9)
  x <- cbind(cos(angle), sin(angle)) * 1:10
  graph <- form_graph(representation(x, "x"), "cosine", 3)
  expect_identical(graph$tied, 0L)
  expect_identical(graph$idx[1, ], 2:4)
  expect_identical(graph$idx[10, ], 9:7)
  # equal angles on both sides differ by rounding only
  y <- cbind(cos(1e-7 * (0:8)), sin(1e-7 * (0:8))) * 1:9
  expect_identical(quietly(form_graph(representation(y, "x"), "cosine", 1))$tied, 7L)
})
