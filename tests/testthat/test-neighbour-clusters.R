# Neighbour measures that look for neighbours among stimuli of other clusters only.

withr::local_options(repalign.threads = 1)

neighbour_ids <- function() measures()$id[measures()$family == "neighbours"]

# All settings of the neighbour measures, with clusters.
clustered_settings <- function(k, labels) {
  all <- settings(k)[neighbour_ids()]
  lapply(all, lapply, function(args) c(args, list(clusters = labels)))
}

each_clustered <- function(f, k, labels) {
  all <- clustered_settings(k, labels)
  for (id in names(all)) {
    for (args in all[[id]]) f(id, args, setting_name(id, args[names(args) != "clusters"]))
  }
}

uneven <- rep(c("a", "b", "c", "d", "e", "f"), c(1, 2, 3, 5, 6, 7))

test_that("scores are those of the definitions", {
  set.seed(1)
  p <- related_pair(24, 4, 6)
  for (labels in list(sample(uneven), rep(1:12, 2), rep(c(TRUE, FALSE), 12))) {
    each_clustered(function(id, args, name) {
      expected <- do.call(paste0("def_", id), c(p, args))
      note(abs(score(id, p$x, p$y, args) - expected) < 1e-10, name, " on ", labels[1])
    }, 4, labels)
  }
  expect_nothing_noted()
})

test_that("one stimulus a cluster is no cluster", {
  set.seed(2)
  p <- related_pair(15, 4, 6)
  for (k in c(5, 14)) {
    each_clustered(function(id, args, name) {
      plain <- score(id, p$x, p$y, args[names(args) != "clusters"])
      note(abs(score(id, p$x, p$y, args) - plain) < 1e-13, name, " with k = ", k)
    }, k, 15:1)
  }
  expect_nothing_noted()
})

test_that("the names of labels do not matter, and stimuli without one are left out", {
  set.seed(3)
  p <- related_pair(30, 4, 6)
  labels <- rep(c(NA, 1:9), 3)
  labels[5] <- NA
  keep <- !is.na(labels)
  cut <- lapply(p, function(x) x[keep, ])
  each_clustered(function(id, args, name) {
    given <- score(id, p$x, p$y, args)
    args$clusters <- factor(letters[labels[keep]], rev(letters))
    note(identical(given, score(id, cut$x, cut$y, args)), name)
  }, 4, labels)
  expect_nothing_noted()
  expect_error(mutual_knn(rbind(diag(3), matrix(1, 5, 3)), p$x[1:8, ], 1,
                          clusters = c(NA, NA, NA, 1:5)), class = "repalign_error")
})

apart <- function(x, codes) clustered_representation(representation(x, "x"), codes)

# Every entry of a graph between clusters, by sorting.
plain_clustered_graph <- function(values, k, codes) {
  rows <- lapply(seq_len(nrow(values)), function(i) {
    others <- which(codes != codes[i])
    others[order(values[i, others])[seq_len(k)]]
  })
  do.call(rbind, rows)
}

test_that("graphs are those of the definition, for all metrics, shapes and blocks", {
  set.seed(4)
  for (shape in list(c(50, 3), c(61, 70), c(300, 5))) {
    n <- shape[1]
    x <- normal_matrix(n, shape[2]) + 0.3
    for (codes in list(sample(rep(1:5, length.out = n)), rep(1:2, c(20, n - 20)),
                       cluster_codes(sample(n, n, TRUE)))) {
      most <- n - max(tabulate(codes))
      for (metric in graph_metrics) {
        unit <- switch(metric, cosine = x, correlation = x - rowMeans(x))
        values <- switch(metric, euclidean = as.matrix(dist(x)), dot = -tcrossprod(x),
                         -tcrossprod(unit / sqrt(rowSums(unit^2))))
        for (k in unique(c(1, min(17, most), most))) {
          wanted <- plain_clustered_graph(values, k, codes)
          repr <- apart(x, codes)
          note(identical(make_graph(repr, metric, k)$idx, wanted), metric, k, n)
          if (n < 100) next
          note(identical(make_graph(repr, metric, k, c(37L, 41L))$idx, wanted), "in blocks")
        }
      }
      note(identical(search_distances(apart(dist(x), codes), most)$idx,
                     plain_clustered_graph(as.matrix(dist(x)), most, codes)), "distances")
    }
  }
  expect_nothing_noted()
})

test_that("ties between clusters are broken at random, whatever lies within", {
  set.seed(5)
  # stimulus 1 is equally far from 2 to 7; 8 to 10 are nearer, but of its cluster
  x <- rbind(0, diag(6), 1e-3 * normal_matrix(3, 6))
  codes <- c(1:7, 1L, 1L, 1L)
  for (given in list(x, dist(x))) {
    first <- replicate(300, {
      graph <- quietly(form_graph(apart(given, codes), "euclidean", 2))
      graph$idx[1, ]
    })
    counts <- tabulate(first, 10)
    expect_identical(which(counts > 0), 2:7)
    expect_gt(min(counts[2:7]), 60)
  }
  # what is within a cluster cannot tie others by its size
  far <- rbind(normal_matrix(10, 2), 1e14)
  codes <- c(1:10, 10L)
  for (given in list(far, dist(far))) {
    graph <- quietly(form_graph(apart(given, codes), "euclidean", 3))
    # the far one ties the others for all but its companion
    expect_identical(graph$tied, 10L)
    expect_identical(rowSums(graph$idx == 11), rep(0, 11))
  }
})

# The expected overlap of neighbours over all orders of ties: each of those that are tied at the
# k-th place is among the nearest with the same probability.
mean_overlap <- function(x, y, k, codes) {
  shares <- function(x) {
    d <- as.matrix(dist(x))
    t(vapply(seq_len(nrow(d)), function(i) {
      others <- which(codes != codes[i])
      edge <- sort(d[i, others])[k]
      sure <- others[d[i, others] < edge]
      tied <- others[d[i, others] == edge]
      replace(replace(numeric(nrow(d)), sure, 1), tied, (k - length(sure)) / length(tied))
    }, numeric(nrow(d))))
  }
  mean(rowSums(shares(x) * shares(y))) / k
}

test_that("averages over ties between clusters of unequal sizes are those of the definition", {
  set.seed(15)
  for (labels in list(rep(1:7, c(8, 1, 2, 2, 3, 1, 1)), sample(rep(1:6, 3)), 1:18)) {
    x <- matrix(sample(0:1, 36, TRUE), 18)
    y <- matrix(sample(0:2, 36, TRUE), 18)
    k <- 18 - max(tabulate(labels)) - 1
    wanted <- mean_overlap(x, y, k, labels)
    of <- function(x, y) mutual_knn(x, y, k, "euclidean", clusters = labels)
    expect_equal(of(x, y), wanted, tolerance = 1e-12)
    expect_equal(of(dist(x), dist(y)), wanted, tolerance = 1e-12)
  }
})

test_that("rows whose order the product hides are settled, between clusters", {
  set.seed(6)
  groups <- 1e-9 * normal_matrix(80, 3) + rep(c(0, 1), each = 40)
  codes <- cluster_codes(rep(1:20, 4))
  repr <- apart(groups, codes)
  unit <- row_scaling(repr, "euclidean")
  found <- .Call(C_knn, groups, unit$means, unit$scale, 0L, 5L, 1L, NULL, codes)
  expect_true(any(found$state == 2L))
  graph <- quietly(make_graph(repr, "euclidean", 5L))
  expect_false(any(codes[graph$idx] == codes[row(graph$idx)]))
  values <- as.matrix(dist(groups))
  wanted <- plain_clustered_graph(values, 5, codes)
  # the same but for ties, which differ by less than this
  off <- values[cbind(c(row(wanted)), c(graph$idx))] - values[cbind(c(row(wanted)), c(wanted))]
  expect_lt(max(abs(off)), 2e-12)
})

test_that("results do not depend on threads, or on other measures of the call", {
  set.seed(7)
  x <- matrix(rpois(400 * 6, 1), 400) + 1
  codes <- cluster_codes(rep(1:100, 4))
  graphs <- lapply(1:2, function(threads) {
    withr::local_options(repalign.threads = threads)
    set.seed(1)
    quietly(form_graph(apart(x, codes), "cosine", 7))[c("idx", "dist")]
  })
  expect_identical(graphs[[1]], graphs[[2]])
  layers <- list(a = normal_matrix(40, 5), b = normal_matrix(40, 6))
  labels <- rep(1:8, 5)
  set <- list("mutual_knn", measure("mutual_knn", clusters = labels),
              measure("mutual_knn", k = 39), measure("mutual_knn", k = 3, clusters = labels),
              measure("mutual_knn", clusters = rep(1:8, each = 5)),
              measure("mka", clusters = labels), measure("mka", clusters = rep(1:8, each = 5)))
  scores <- quietly(similarity(layers, measure = set))$score
  alone <- vapply(set, function(m) quietly(similarity(layers, measure = m))$score, 0)
  expect_identical(scores, alone)
  expect_identical(scores[2], mutual_knn(layers$a, layers$b, clusters = labels))
})

test_that("distances and graphs between clusters give what the data give", {
  set.seed(8)
  p <- related_pair(24, 4, 6)
  labels <- rep(1:6, 4)
  args <- list(k = 5, metric = "euclidean", clusters = labels)
  whole <- lapply(p, function(x) {
    form_graph(representation(x, "x"), "euclidean", 5)[c("idx", "dist")]
  })
  between <- lapply(p, function(x) {
    form_graph(apart(x, labels), "euclidean", 9)[c("idx", "dist")]
  })
  for (id in setdiff(neighbour_ids(), c("cknna", "second_order_cosine"))) {
    of_id <- args[names(args) %in% names(formals(getExportedValue("repalign", id)))]
    wanted <- score(id, p$x, p$y, of_id)
    expect_equal(score(id, dist(p$x), p$y, of_id), wanted, label = id)
    expect_equal(score(id, between$x, p$y, of_id), wanted, label = id)
    expect_error(score(id, p$x, whole$y, of_id), "`y` was made with pairs within clusters",
                 class = "repalign_error_graph", label = id)
  }
  expect_error(mutual_knn(between$x, p$y, clusters = c(NA, labels[-1])),
               class = "repalign_error_graph")
})

test_that("permuting whole clusters is the law of the null", {
  set.seed(9)
  p <- related_pair(24, 4, 6)
  # whole numbers, but no constant row
  tied <- lapply(p, function(x) round(2 * x) + rep(c(20, rep(5, ncol(x) - 1)), each = 24))
  labels <- rep(letters[1:8], 3)
  for (input in list(p, tied)) {
    each_clustered(function(id, args, name) {
      law <- note_law(id, args, input$x, input$y, name, permutations = 12, clusters = labels)
      note(law$design$engine == "clusters", name, ": no clusters")
    }, 4, labels)
  }
  expect_nothing_noted()
  m <- measure("mutual_knn", clusters = labels)
  # clusters of a measure are those of the call
  expect_identical(calibrate(p$x, p$y, m)$engine, "clusters")
  expect_error(calibrate(p$x, p$y, m, clusters = rep(1:8, each = 3)), "differ between",
               class = "repalign_error_choice")
  # stimuli without a label are left out of everything
  all <- c(NA, NA, labels)
  more <- list(x = rbind(normal_matrix(2, 4), p$x), y = rbind(normal_matrix(2, 6), p$y))
  set.seed(1)
  plain <- quietly(calibrate(p$x, p$y, m, permutations = 19, clusters = labels))
  set.seed(1)
  found <- quietly(calibrate(more$x, more$y, measure("mutual_knn", clusters = all),
                             permutations = 19, clusters = all))
  expect_identical(found$score, plain$score)
  expect_identical(null_scores(found), null_scores(plain))
})

test_that("what clusters leave of unrelated populations is chance", {
  set.seed(10)
  labels <- rep(1:12, each = 4)
  found <- replicate(150, {
    side <- function() {
      (sqrt(0.9) * normal_matrix(12, 3)[labels, ] + sqrt(0.1) * normal_matrix(48, 3)) %*%
        normal_matrix(3, 8)
    }
    x <- side()
    y <- side()
    c(plain = mutual_knn(x, y, 5), over = mutual_knn(x, y, 5, clusters = labels))
  })
  z <- (rowMeans(found) - c(5 / 47, 5 / 44)) / (apply(found, 1, sd) / sqrt(150))
  expect_gt(z[["plain"]], 20)
  expect_lt(abs(z[["over"]]), 3.5)
})

test_that("clusters that leave too few neighbours are errors that name the remedy", {
  set.seed(11)
  x <- normal_matrix(20, 3)
  y <- normal_matrix(20, 4)
  labels <- rep(c(1, 2, 3), c(12, 4, 4))
  expect_error(mutual_knn(x, y, 9, clusters = labels),
               "`k` is 9, but `x` has only 8 rows outside of the largest cluster.*finer labels",
               class = "repalign_error_rows")
  # x and y are named in turn
  trivial <- function(code, words) {
    said <- testthat::capture_warnings(code)
    expect_length(said, 2)
    expect_match(said, words)
  }
  trivial(mutual_knn(x, y, 8, clusters = labels), "outside of the largest cluster of `[xy]`")
  trivial(mutual_knn(x, y, 15, clusters = rep(1:4, 5)), "of another cluster of `[xy]`")
  expect_no_warning(mutual_knn(x, y, 7, clusters = labels))
  for (id in neighbour_ids()) {
    fails <- function(labels, words) {
      expect_error(do.call(id, list(x, y, clusters = labels)), words,
                   class = "repalign_error_labels", label = id)
    }
    fails(1:3, "3 labels, but `x` has 20 rows")
    fails(rep("a", 20), "names 1 cluster; a search for neighbours over clusters needs at least 2")
    fails(c(rep("a", 12), rep(NA, 8)), "names 1 cluster")
    fails(list(1), "vector of labels")
  }
  expect_error(cknna(x, y, 1, estimator = "unbiased", clusters = c(1:3, rep(NA, 17))),
               class = "repalign_error_rows")
  # the C code says so, too
  search <- function(k, codes) .Call(C_knn, x, double(ncol(x)), 1, 1L, k, 1L, NULL, codes)
  expect_error(search(9L, cluster_codes(labels)), "`k` must be a whole number from 1 to 8")
  expect_error(search(1L, rep(1L, 20)), "`clusters` must name at least 2 clusters")
  expect_error(search(1L, 1:3), "`clusters` must hold 20 integers")
})
