# The neighbour graph against its definition: all values, sorted, ties by priority.

values_of <- function(x, metric) {
  if (inherits(x, "dist")) return(as.matrix(x))
  switch(metric,
    euclidean = as.matrix(dist(x)),
    cosine = 1 - tcrossprod(x / sqrt(rowSums(x^2))),
    correlation = 1 - cor(t(x)),
    dot = -tcrossprod(x)
  )
}

# list(idx, dist, tied) from a matrix of values; without priorities ties stay in any order.
plain_graph <- function(values, k, priority = seq_len(nrow(values))) {
  n <- nrow(values)
  rows <- lapply(seq_len(n), function(i) {
    others <- seq_len(n)[-i]
    others <- others[order(values[i, others])]
    v <- values[i, others]
    gaps <- diff(v)
    class <- cumsum(c(0, !(gaps < 1e-12 * max(abs(v)) | gaps == 0)))
    best <- order(class, priority[others])[seq_len(k)]
    list(idx = others[best], dist = v[best], tied = k < n - 1 && class[k] == class[k + 1],
         any_tie = anyDuplicated(class[seq_len(min(k + 1, n - 1))]) > 0)
  })
  list(idx = do.call(rbind, lapply(rows, function(r) r$idx)),
       dist = do.call(rbind, lapply(rows, function(r) r$dist)),
       tied = sum(vapply(rows, function(r) r$tied, NA)),
       any_tie = any(vapply(rows, function(r) r$any_tie, NA)))
}

all_metrics <- c("cosine", "euclidean", "dot", "correlation")

# Many ties, no zero and no constant row.
counts_matrix <- function(n, d) matrix(rpois(n * d, 1), n) + rep(c(10, rep(1, d - 1)), each = n)

rep_of <- function(x) repalign:::representation(x, "x")

graph_of <- function(x, metric = "euclidean", k = 3, rep = rep_of(x)) {
  suppressWarnings(repalign:::form_graph(rep, metric, as.integer(k)))
}

expect_graph <- function(graph, values, k, tolerance = 1e-12, label = NULL) {
  plain <- if (is.null(graph$priority)) plain_graph(values, k) else
    plain_graph(values, k, graph$priority)
  expect_identical(unname(graph$idx), unname(plain$idx), label = label)
  error <- max(abs(graph$dist - plain$dist)) / max(abs(values))
  expect_lte(error, tolerance, label = paste(label, "dist"))
  expect_identical(graph$tied, plain$tied, label = label)
}

test_that("graphs are those of the definition, for all metrics and shapes", {
  skip_unless_extended()
  set.seed(1)
  for (shape in list(c(50, 3), c(61, 7), c(30, 60), c(4, 3), c(5, 400), c(2, 3))) {
    x <- normal_matrix(shape[1], shape[2]) + 0.3
    n <- nrow(x)
    for (metric in all_metrics) {
      for (k in unique(pmin(c(1, 3, n - 2, n - 1), n - 1))) {
        if (k < 1) next
        graph <- graph_of(x, metric, k)
        expect_null(graph$priority)
        expect_graph(graph, values_of(x, metric), k, label = paste(metric, n, k))
      }
    }
  }
})

test_that("one column works", {
  set.seed(2)
  x <- normal_matrix(40, 1)
  expect_graph(graph_of(x, "euclidean", 5), values_of(x, "euclidean"), 5)
  expect_graph(graph_of(x, "euclidean", 39), values_of(x, "euclidean"), 39)
  expect_graph(graph_of(x, "dot", 5), values_of(x, "dot"), 5)
  # the cosine of one column is a sign: everything is tied
  expect_graph(graph_of(x, "cosine", 5), values_of(x, "cosine"), 5)
  expect_refused(repalign:::form_graph(rep_of(x), "correlation", 5L), c("`x`", "constant", "row"))
})

test_that("a well-kept package finds the same neighbours", {
  skip_if_not_installed("FNN")
  set.seed(3)
  x <- normal_matrix(700, 12)
  theirs <- FNN::get.knn(x, 20)
  ours <- graph_of(x, "euclidean", 20)
  expect_identical(ours$idx, theirs$nn.index)
  expect_equal(ours$dist, theirs$nn.dist, tolerance = 1e-12)
  unit <- x / sqrt(rowSums(x^2))
  theirs <- FNN::get.knn(unit, 20)
  ours <- graph_of(x, "cosine", 20)
  expect_identical(ours$idx, theirs$nn.index)
  expect_equal(ours$dist, theirs$nn.dist^2 / 2, tolerance = 1e-12)
})

test_that("neither blocks nor threads change anything", {
  set.seed(4)
  counts <- counts_matrix(53, 4)
  for (x in list(normal_matrix(53, 6), counts)) {
    for (metric in all_metrics) {
      rep <- rep_of(x)
      graph <- repalign:::make_graph(rep, metric, 9L)
      for (size in list(c(1, 1), c(1, 5), c(7, 7), c(7, 16), c(13, 53), c(26, 27), c(53, 53),
                        c(100, 100))) {
        again <- repalign:::make_graph(rep, metric, 9L, as.integer(size))
        label <- paste(metric, paste(size, collapse = " x "))
        # `largest` is a bound
        parts <- c("idx", "open")
        expect_identical(again[parts], graph[parts], label = label)
        # products of other shapes are rounded otherwise
        expect_equal(again$dist, graph$dist, tolerance = 1e-14, label = label)
      }
    }
  }
  # large enough to be shared among threads at all
  x <- rbind(normal_matrix(800, 5), counts_matrix(400, 5))
  with_threads <- function(threads, metric) {
    withr::local_options(repalign.threads = threads)
    set.seed(5)
    graph_of(x, metric, 15)
  }
  for (metric in all_metrics) {
    expect_identical(with_threads(1, metric), with_threads(2, metric), label = metric)
  }
  values <- dist(x)
  with_dist <- function(threads) {
    withr::local_options(repalign.threads = threads)
    set.seed(5)
    graph_of(values, "euclidean", 15)
  }
  expect_identical(with_dist(1), with_dist(2))
})

test_that("more rows than a default block", {
  set.seed(6)
  x <- normal_matrix(571, 4)
  for (metric in all_metrics) expect_graph(graph_of(x, metric, 10), values_of(x, metric), 10)
})

test_that("duplicates are at distance 0 and near duplicates keep their digits", {
  set.seed(7)
  x <- normal_matrix(40, 6)
  x[21:30, ] <- x[1:10, ]
  graph <- graph_of(x, "euclidean", 3)
  expect_identical(graph$idx[1:10, 1], 21:30)
  expect_identical(graph$idx[21:30, 1], 1:10)
  expect_true(all(graph$dist[c(1:10, 21:30), 1] == 0))
  # 1e-9 apart, far from the origin too: distances of raw differences
  x[21:30, ] <- x[1:10, ] + 1e-9 * normal_matrix(10, 6)
  for (offset in c(0, 1, 1000)) {
    graph <- graph_of(x + offset, "euclidean", 3)
    plain <- plain_graph(as.matrix(dist(x + offset)), 3)
    expect_identical(graph$idx, plain$idx)
    expect_equal(graph$dist[, 1] / plain$dist[, 1], rep(1, 40), tolerance = 1e-11)
  }
})

test_that("where the product's rounding hides the order, whole rows settle it", {
  set.seed(8)
  # an outlier makes the product useless for all other rows
  x <- rbind(normal_matrix(59, 4), 1e13)
  states <- function(metric, k) {
    unit <- repalign:::row_scaling(rep_of(x), metric)
    .Call(repalign:::C_knn, x, unit$means, unit$scale, repalign:::row_preparations[[metric]], k,
          1L, NULL, NULL)$state
  }
  expect_true(any(states("euclidean", 5L) == 2L))
  graph <- graph_of(x, "euclidean", 5)
  # by definition all small distances of a row that has a huge one are tied
  expect_graph(graph, as.matrix(dist(x)), 5)
  expect_gt(graph$tied, 50)
  # more candidates within rounding than the search keeps, but no ties: two distant tight groups
  groups <- 1e-7 * normal_matrix(80, 3) + rep(c(0, 1), each = 40)
  expect_graph(graph_of(groups, "euclidean", 5), as.matrix(dist(groups)), 5)
  # cosines that differ in the last digits only
  near <- 1 + 1e-6 * normal_matrix(60, 5)
  unit <- near / sqrt(rowSums(near^2))
  expect_identical(graph_of(near, "cosine", 5)$idx, plain_graph(as.matrix(dist(unit)), 5)$idx)
})

test_that("values keep their digits where those of a product cancel", {
  set.seed(8)
  near <- 1 + 1e-4 * normal_matrix(60, 5)
  unit <- near / sqrt(rowSums(near^2))
  graph <- graph_of(near, "cosine", 5)
  wanted <- plain_graph(as.matrix(dist(unit))^2 / 2, 5)
  expect_identical(graph$idx, wanted$idx)
  expect_lt(max(abs(graph$dist / wanted$dist - 1)), 1e-10)
  # the mean of a row is known to its own last digit only
  rows <- normal_matrix(50, 8)
  graph <- graph_of(rows + 2^30 * rep(1:50, 8), "correlation", 5)
  wanted <- plain_graph(values_of(rows, "correlation"), 5)
  expect_identical(graph$idx, wanted$idx)
  expect_lt(max(abs(graph$dist - wanted$dist)), 1e-4)
})

test_that("ties are broken by priority, also inside lists and beyond what is kept", {
  set.seed(9)
  inputs <- list(
    counts = matrix(rpois(60 * 3, 0.7), 60) + 1,
    grid = as.matrix(expand.grid(1:6, 1:6, 1:2)),
    flags = matrix(rbinom(90 * 4, 1, 0.5), 90) + matrix(c(1, 1, 1, 2), 90, 4, byrow = TRUE),
    two = rbind(matrix(1, 49, 2), c(2, 1)),
    doubled = rbind(diag(20), diag(20)) + 1
  )
  for (name in names(inputs)) {
    x <- unname(inputs[[name]])
    for (metric in c("euclidean", "dot", "cosine")) {
      for (k in c(1, 4, 25, nrow(x) - 1)) {
        k <- min(k, nrow(x) - 1)
        graph <- graph_of(x, metric, k)
        # exact values decide which are tied: cosines of the definition are rounded
        expect_graph(graph, round(values_of(x, metric), 14), k, label = paste(name, metric, k))
      }
    }
  }
})

test_that("priorities are uniform over the tied stimuli", {
  # one stimulus in the middle of 12 at equal distance, and far ones
  ring <- cbind(diag(12), 0)
  x <- rbind(0, ring, 100 + normal_matrix(5, 13))
  set.seed(10)
  picked <- replicate(600, graph_of(x, "euclidean", 3)$idx[1, ])
  picked <- table(factor(picked, 2:13))
  expect_identical(sum(picked), 1800L)
  # three of twelve without replacement: variance 600 (1/4) (3/4) each
  statistic <- sum((picked - 150)^2) / (600 * 0.25 * 0.75) * 11 / 12
  expect_lt(statistic, qchisq(1 - 1e-4, 11))
})

test_that("unrelated counts with many ties overlap as chance says", {
  skip_unless_extended()
  set.seed(11)
  n <- 60
  k <- 10
  for (metric in c("euclidean", "dot")) {
    overlap <- replicate(120, {
      counts <- function() matrix(rpois(n * 6, 0.25), n)
      suppressWarnings(mutual_knn(counts(), counts(), k = k, metric = metric))
    })
    expect_lt(abs(mean(overlap) - k / (n - 1)), 4 * sd(overlap) / sqrt(length(overlap)))
    # and tightly enough to notice a preference for low row numbers
    expect_lt(sd(overlap) / sqrt(length(overlap)), 0.005)
  }
})

test_that("the generator is used only where there are ties among the first k + 1", {
  set.seed(12)
  x <- normal_matrix(30, 4)
  y <- x + normal_matrix(30, 4)
  seed <- .Random.seed
  for (metric in all_metrics) mutual_knn(x, y, metric = metric)
  expect_identical(.Random.seed, seed)
  rm(".Random.seed", envir = globalenv())
  mutual_knn(x, y)
  expect_false(exists(".Random.seed", envir = globalenv()))
  set.seed(12)
  # row 1 has two equal neighbours, at ranks 29 and 30 only
  x <- rbind(c(-50, 0), normal_matrix(28, 2), c(50, 40), c(50, -40))
  seed <- .Random.seed
  for (k in c(1, 10, 28)) expect_null(graph_of(x, "euclidean", k)$priority)
  expect_identical(.Random.seed, seed)
  graph <- graph_of(x, "euclidean", 29)
  expect_false(identical(.Random.seed, seed))
  expect_identical(graph$tied, 1L)
  expect_length(graph$priority, 31)
  # once per representation and metric, whatever k
  rep <- rep_of(counts_matrix(20, 4))
  priority <- graph_of(NULL, "euclidean", 4, rep)$priority
  expect_setequal(priority, 1:20)
  seed <- .Random.seed
  expect_identical(graph_of(NULL, "euclidean", 6, rep)$priority, priority)
  expect_identical(.Random.seed, seed)
  expect_false(identical(graph_of(NULL, "cosine", 6, rep)$priority, priority))
})

test_that("a cut graph is the graph of the smaller k with the same priorities", {
  set.seed(13)
  inputs <- list(normal_matrix(40, 5), counts_matrix(40, 4), dist(counts_matrix(40, 4)))
  for (x in inputs) {
    for (metric in if (is.matrix(x)) all_metrics else "euclidean") {
      big <- rep_of(x)
      big$cache$neighbours <- stats::setNames(20, metric)
      cut <- graph_of(x, metric, 7, big)
      small <- rep_of(x)
      if (!is.null(cut$priority)) give_priorities(small, cut$priority)
      expect_identical(graph_of(x, metric, 7, small)[c("idx", "dist", "tied")],
                       cut[c("idx", "dist", "tied")], label = metric)
    }
  }
})

test_that("a graph of permuted rows with permuted priorities is the relabelled graph", {
  set.seed(14)
  n <- 35
  for (x in list(normal_matrix(n, 3), counts_matrix(n, 3))) {
    for (metric in c("cosine", "euclidean", "dot")) {
      graph <- graph_of(x, metric, 6)
      perm <- sample(n)
      moved <- rep_of(x[perm, ])
      if (!is.null(graph$priority)) {
        give_priorities(moved, graph$priority[perm])
      }
      again <- graph_of(NULL, metric, 6, moved)
      expect_identical(matrix(perm[again$idx], n), graph$idx[perm, ], label = metric)
    }
  }
})

test_that("ties at rank k are told once per representation and k", {
  set.seed(15)
  x <- counts_matrix(40, 3)
  count <- plain_graph(values_of(x, "euclidean"), 5)$tied
  expect_gt(count, 0)
  warning_of <- function(x, y) {
    tryCatch(mutual_knn(x, y, 5, "euclidean", ties = "random"), repalign_ties = identity)
  }
  warning <- warning_of(x, normal_matrix(40, 3))
  expect_s3_class(warning, "repalign_warning")
  expect_identical(warning$data, count)
  expect_match(conditionMessage(warning), "`x`")
  expect_match(conditionMessage(warning), as.character(count))
  warning <- warning_of(normal_matrix(40, 3), x)
  expect_match(conditionMessage(warning), "`y`")
  rep <- rep_of(x)
  warned <- function(k) {
    seen <- 0
    withCallingHandlers(repalign:::form_graph(rep, "euclidean", k), repalign_ties = function(w) {
      seen <<- seen + 1
      invokeRestart("muffleWarning")
    })
    seen
  }
  expect_identical(c(warned(5L), warned(5L), warned(6L), warned(5L)), c(1, 0, 1, 0))
})

test_that("distances stand for responses, as they are", {
  set.seed(16)
  x <- normal_matrix(45, 4)
  from_data <- graph_of(x, "euclidean", 8)
  from_dist <- graph_of(dist(x), "euclidean", 8)
  expect_identical(from_dist$idx, from_data$idx)
  expect_equal(from_dist$dist, from_data$dist, tolerance = 1e-12)
  # not only Euclidean ones
  other <- dist(x, "manhattan")
  for (k in c(1, 8, 44)) expect_graph(graph_of(other, "euclidean", k), as.matrix(other), k)
  # with ties, and rows of zeros
  steps <- dist(rpois(50, 3))
  for (k in c(1, 8, 20, 49)) expect_graph(graph_of(steps, "euclidean", k), as.matrix(steps), k)
  expect_graph(graph_of(1e-150 * other, "euclidean", 8), 1e-150 * as.matrix(other), 8)
  for (metric in c("cosine", "dot", "correlation")) {
    error <- expect_refused(mutual_knn(dist(x), x, 5, metric), c("`x`", "metric = \"euclidean\""))
    expect_identical(error$arg, "x")
  }
})

test_that("a graph made elsewhere is used as it is", {
  set.seed(17)
  x <- normal_matrix(45, 4)
  y <- x + normal_matrix(45, 4)
  for (metric in all_metrics) {
    made <- graph_of(x, metric, 12)
    absent <- made[c("idx", "dist")]
    own <- if (metric == "dot") -1e9 else 0
    present <- list(idx = cbind(1:45, made$idx), dist = cbind(own, made$dist))
    value <- mutual_knn(x, y, 5, metric)
    expect_identical(mutual_knn(absent, y, 5, metric), value, label = metric)
    expect_identical(mutual_knn(present, y, 5, metric), value, label = metric)
    expect_identical(mutual_knn(present, graph_of(y, metric, 9)[c("idx", "dist")], 5), value)
  }
  error <- expect_refused(mutual_knn(absent, y, 13), c("`k`", "`x`", "12 neighbours"))
  expect_identical(error$arg, "k")
})

test_that("scales from 1e-150 to 1e150 give the same graph", {
  set.seed(18)
  x <- normal_matrix(30, 4)
  for (metric in all_metrics) {
    graph <- graph_of(x, metric, 5)
    power <- switch(metric, euclidean = 1, dot = 2, 0)
    for (scale in c(2^-500, 2^500)) {
      scaled <- graph_of(x * scale, metric, 5)
      expect_identical(scaled$idx, graph$idx)
      expect_identical(scaled$dist, graph$dist * scale^power)
    }
    for (scale in c(1e-150, 1e150)) expect_identical(graph_of(x * scale, metric, 5)$idx, graph$idx)
  }
  # rows of very different length have the same cosines and correlations
  lengths <- 10^seq(-150, 150, length.out = 30)
  for (metric in c("cosine", "correlation")) {
    expect_identical(graph_of(x * lengths, metric, 5)$idx, graph_of(x, metric, 5)$idx)
  }
  expect_identical(graph_of(x * 1e-310, "cosine", 5)$idx[, 1], graph_of(x, "cosine", 5)$idx[, 1])
  expect_refused(mutual_knn(x * 1e200, x, 5, "dot"), c("`x`", "large"))
})

test_that("rows without a direction are named", {
  set.seed(19)
  x <- normal_matrix(20, 4)
  zero <- x
  zero[c(3, 7), ] <- 0
  error <- expect_refused(mutual_knn(zero, x, 5), c("`x`", "zero", "3 and 7", "Euclidean"))
  expect_s3_class(error, "repalign_error_zero_row")
  expect_identical(error$arg, "x")
  flat <- x
  flat[5, ] <- 0.1
  error <- expect_refused(mutual_knn(x, flat, 5, "correlation"), c("`y`", "constant", "5"))
  expect_s3_class(error, "repalign_error_constant_row")
  # neither troubles the others
  expect_true(is.finite(suppressWarnings(mutual_knn(zero, x, 5, "euclidean"))))
  expect_true(is.finite(suppressWarnings(mutual_knn(zero, x, 5, "dot"))))
  expect_true(is.finite(mutual_knn(flat, x, 5)))
})

test_that("k must leave a neighbour out", {
  set.seed(21)
  x <- normal_matrix(8, 3)
  expect_identical(full_k(mutual_knn(x, normal_matrix(8, 3), 7)), 1)
  for (k in c(8, 100)) {
    error <- expect_refused(mutual_knn(x, x, k), c("`k`", "8 rows"))
    expect_identical(error$arg, "k")
  }
  for (k in list(0, -1, 2.5, NA, "a", c(1, 2))) expect_refused(mutual_knn(x, x, k), "`k`")
  expect_refused(mutual_knn(x, x, 3, "manhattan"), "`metric`")
})

test_that("one search per representation and metric, with the largest k", {
  set.seed(20)
  layers <- list(a = normal_matrix(30, 3), b = normal_matrix(30, 4), c = normal_matrix(30, 5))
  set <- list("mutual_knn", measure("mutual_knn", k = 3), "knn_jaccard", "rank_similarity",
              "cycle_knn", "lcs_knn", measure("edit_distance_knn", k = 20),
              measure("mutual_knn", metric = "euclidean"))
  calls <- count_calls("make_graph", result <- similarity(layers, measure = set))
  expect_identical(calls, 6L)
  expect_identical(result$score[2], mutual_knn(layers$a, layers$b, k = 3))
  expect_identical(result$score[7], edit_distance_knn(layers$a, layers$b, k = 20))
})
