# Comparisons of neighbour lists against their definitions.

list_measures <- c("mutual_knn", "cycle_knn", "knn_jaccard", "rank_similarity", "lcs_knn",
                   "edit_distance_knn")

# sample() takes a single number for a range.
draw <- function(from, size = length(from)) from[sample.int(length(from), size)]

# A graph of random lists: every row k different others.
random_graph <- function(n, k) {
  idx <- t(vapply(seq_len(n), function(i) draw(seq_len(n)[-i], k), integer(k)))
  idx <- matrix(idx, n, k)
  list(idx = idx, dist = matrix(seq_len(k), n, k, byrow = TRUE))
}

# Related lists: some entries of the other one, in another order.
related_graph <- function(graph, n, k) {
  idx <- t(vapply(seq_len(n), function(i) {
    draw(unique(c(draw(graph$idx[i, ], ceiling(k / 2)), draw(seq_len(n)[-i])))[seq_len(k)])
  }, integer(k)))
  list(idx = matrix(idx, n, k), dist = graph$dist)
}

def_list_measure <- function(id, x, y) do.call(paste0("def_", id), list(x, y, k = ncol(x$idx)))

test_that("the measures on lists are those of the definitions", {
  set.seed(1)
  for (size in list(c(4, 1), c(4, 3), c(12, 5), c(40, 10), c(41, 17), c(25, 24), c(2, 1))) {
    n <- size[1]
    k <- size[2]
    x <- random_graph(n, k)
    for (y in list(random_graph(n, k), related_graph(x, n, k), x)) {
      for (id in list_measures) {
        expect_equal(full_k(get(id)(x, y, k = k)), def_list_measure(id, x, y),
                     tolerance = 1e-14, label = paste(id, n, k))
      }
    }
  }
})

test_that("data, distances and graphs give the same values", {
  set.seed(2)
  x <- normal_matrix(50, 4)
  y <- x + normal_matrix(50, 4)
  graph <- repalign:::form_graph(repalign:::representation(x, "x"), "euclidean", 12L)
  graph <- graph[c("idx", "dist")]
  for (id in list_measures) {
    f <- get(id)
    value <- f(x, y, k = 7, metric = "euclidean")
    expect_identical(f(dist(x), y, k = 7, metric = "euclidean"), value, label = id)
    expect_identical(f(graph, dist(y), k = 7, metric = "euclidean"), value, label = id)
    expect_false(identical(f(x, y, k = 7), value), label = id)
    for (metric in c("cosine", "euclidean", "dot", "correlation")) {
      lists <- lapply(list(x, y), function(m) {
        repalign:::form_graph(repalign:::representation(m, "x"), metric, 7L)["idx"]
      })
      expect_equal(f(x, y, k = 7, metric = metric), def_list_measure(id, lists[[1]], lists[[2]]),
                   tolerance = 1e-14, label = paste(id, metric))
    }
  }
})

test_that("ranges and best values follow k", {
  set.seed(3)
  x <- normal_matrix(30, 3)
  for (id in list_measures) {
    for (k in c(1, 5, 29)) {
      set <- measure(id, k = k)
      range <- repalign:::range_of(set$declaration, set$args)
      expect_identical(repalign:::best_of(set$declaration, set$args), range[2])
      value <- full_k(similarity(x, normal_matrix(30, 3), set)$score)
      expect_gte(value, range[1])
      expect_lte(value, range[2])
      # one's own neighbours need not be mutual
      if (id == "cycle_knn") next
      expect_equal(full_k(get(id)(x, x, k = k)), range[2], tolerance = 1e-14, label = id)
    }
  }
  # with all others as neighbours only the order can differ
  y <- normal_matrix(30, 3)
  expect_identical(full_k(mutual_knn(x, y, k = 29)), 1)
  expect_identical(full_k(cycle_knn(x, y, k = 29)), 1)
  expect_identical(full_k(knn_jaccard(x, y, k = 29)), 1)
  expect_lt(full_k(rank_similarity(x, y, k = 29)), 0.9)
})

test_that("as many neighbours as there are other stimuli are warned of", {
  set.seed(9)
  x <- normal_matrix(12, 3)
  y <- normal_matrix(12, 3)
  for (id in c(list_measures, "cknna", "second_order_cosine", "mka", "kcka", "imd")) {
    expect_warned(get(id)(x, y, k = 11), "repalign_trivial")
    expect_warning(get(id)(x, y, k = 10), NA)
  }
})

test_that("a stimulus that is nobody's neighbour does not close its cycle", {
  x <- matrix(c(0, 1, 3.1, 100), 4)
  # 100 is no one's nearest; 3.1 is that of 100 only
  expect_identical(cycle_knn(x, x, k = 1, metric = "euclidean"), 0.5)
  set.seed(4)
  a <- normal_matrix(60, 2)
  b <- a^3 + normal_matrix(60, 2)
  values <- c(cycle_knn(a, b, 2, "euclidean"), cycle_knn(b, a, 2, "euclidean"))
  expect_false(values[1] == values[2])
})

test_that("a common subsequence is made of shared neighbours", {
  set.seed(5)
  for (i in 1:5) {
    x <- normal_matrix(40, 4)
    y <- x + normal_matrix(40, 4)
    expect_lte(lcs_knn(x, y), 10 * mutual_knn(x, y))
    # an edit distance is at least the neighbours that are not in the common subsequence
    expect_lte(10 * edit_distance_knn(x, y), lcs_knn(x, y) + 1e-12)
  }
})

test_that("chance levels are those of the help pages", {
  set.seed(6)
  n <- 60
  k <- 3
  draws <- replicate(200, {
    x <- random_graph(n, k)
    y <- random_graph(n, k)
    c(mutual_knn(x, y, k = k), cycle_knn(x, y, k = k))
  })
  expected <- c(k / (n - 1), 1 - (1 - k / (n - 1))^k)
  for (i in 1:2) {
    expect_lt(abs(mean(draws[i, ]) - expected[i]), 4 * sd(draws[i, ]) / sqrt(200))
  }
})

test_that("two of the benchmark's measures carry its names", {
  table <- measures()
  resi <- table$resi[match(list_measures, table$id)]
  expect_identical(resi, c(NA, NA, "Jaccard", "RankSim", NA, NA))
})
