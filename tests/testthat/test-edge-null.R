# Sums over common edges of two graphs under permutations (C_coset_edges, C_permuted_edges).

withr::local_options(repalign.threads = 1)

# Vertices with 0 to 7 edges each, with weights and ranks.
irregular_graph <- function(n) {
  targets <- lapply(seq_len(n), function(i) sample(setdiff(seq_len(n), i), sample(0:7, 1)))
  size <- lengths(targets)
  list(start = as.integer(c(0, cumsum(size))), target = as.integer(unlist(targets)),
       rank = as.integer(unlist(lapply(size, sample.int))), weight = rnorm(sum(size)))
}

edges_of <- function(graph, i) {
  at <- graph$start[i] + seq_len(graph$start[i + 1] - graph$start[i])
  list(target = graph$target[at], rank = graph$rank[at], weight = graph$weight[at])
}

# What the modes add up, plainly: row i of a meets row p[i] of b.
def_common <- function(a, b, p, mode) {
  total <- 0
  for (i in seq_along(p)) {
    x <- edges_of(a, i)
    y <- edges_of(b, p[i])
    of_x <- which(p[x$target] %in% y$target)
    of_y <- match(p[x$target[of_x]], y$target)
    count <- length(of_x)
    if (!count) next
    r <- x$rank[of_x]
    s <- y$rank[of_y]
    total <- total + switch(mode,
      count = count, any = 1, jaccard = count / (length(x$target) + length(y$target) - count),
      ranks = sum(2 / ((1 + abs(r - s)) * (r + s))) / sum(1 / seq_len(count)),
      products = c(sum(x$weight[of_x] * y$weight[of_y]), sum(x$weight[of_x]) * sum(y$weight[of_y]),
                   sum(x$weight[of_x]), sum(y$weight[of_y])),
      weights = sum(x$weight[of_x] * y$weight[of_y])
    )
  }
  total
}

test_that("graphs with any number of edges a row: sums by shifts, by permutations and by hand", {
  set.seed(45)
  for (n in c(9, 14)) {
    x <- list(irregular_graph(n), irregular_graph(n))
    y <- list(irregular_graph(n), irregular_graph(n), irregular_graph(n))
    design <- coset_design(n, n)
    permutations <- cbind(seq_len(n), def_coset(design$coset$order_x, design$coset$orders_y))
    labels_y <- apply(design$coset$orders_y, 2, order)
    for (mode in setdiff(names(common_modes), "mean_jaccard")) {
      expected <- do.call(cbind, lapply(y, function(b) do.call(cbind, lapply(x, function(a) {
        none <- if (mode == "products") numeric(4) else 0
        sums <- apply(permutations, 2, function(p) none + def_common(a, b, p, mode))
        if (mode == "products") t(sums) else sums
      }))))
      shifts <- .Call(C_coset_edges, x, y, order(design$coset$order_x), labels_y,
                      common_modes[[mode]])
      single <- .Call(C_permuted_edges, x, y, permutations, common_modes[[mode]])
      expect_equal(shifts, expected, tolerance = 1e-12, ignore_attr = TRUE, label = mode)
      expect_equal(single, expected, tolerance = 1e-12, ignore_attr = TRUE, label = mode)
    }
  }
})

test_that("damaged graphs are an error in the entry points, not a crash", {
  named <- "^repalign_[a-z]+_edges: `[a-z_]+` must "
  set.seed(46)
  n <- 9
  g <- list(irregular_graph(n))
  o <- sample.int(n)
  without <- function(name) list(g[[1]][names(g[[1]]) != name])
  changed <- function(name, value) list(replace(g[[1]], name, list(value)))
  bad <- c(list(NULL, list(), list(NULL), list(unname(g[[1]]))), lapply(names(g[[1]]), without),
           list(changed("start", rev(g[[1]]$start)), changed("target", g[[1]]$target + 100L),
                changed("rank", 1L), changed("weight", 1), list(irregular_graph(n + 1))))
  for (b in bad) {
    expect_error(.Call(C_coset_edges, g, b, o, cbind(o), 0L), named)
    expect_error(.Call(C_coset_edges, b, g, o, cbind(o), 0L), named)
    expect_error(.Call(C_permuted_edges, g, b, cbind(o), 0L), named)
    expect_error(.Call(C_permuted_edges, b, g, cbind(o), 0L), named)
  }
  for (labels in list(integer(), c(o, o), o - 1L, as.double(o))) {
    expect_error(.Call(C_coset_edges, g, g, labels, cbind(o), 0L), named)
  }
  # graphs that are averaged over ties
  mode <- common_modes[["mean_jaccard"]]
  counts <- representation(cbind(rep(1:3, 3), 1), "x")
  form <- form_graph(counts, "euclidean", 4, ties = "average")
  tied <- list(averaged_edges(form))
  o <- cbind(seq_len(n))
  expect_equal(.Call(C_permuted_edges, tied, tied, o, mode)[1],
               9 * score("knn_jaccard", counts$data, counts$data,
                         list(k = 4, metric = "euclidean")))
  spoilt <- function(name,
                     value) list(utils::modifyList(tied[[1]], stats::setNames(list(value), name)))
  for (b in list(spoilt("sure", tied[[1]]$sure + 3L), spoilt("sure", 1L), spoilt("sure", NULL),
                 spoilt("k", 1L), spoilt("k", NULL), spoilt("rank", rev(tied[[1]]$rank)))) {
    expect_error(.Call(C_permuted_edges, tied, b, o, mode), named)
    expect_error(.Call(C_coset_edges, b, tied, seq_len(n), o, mode), named)
  }
  o <- sample.int(n)
  expect_error(.Call(C_coset_edges, g, g, o, o[-1], 0L), "coset_edges: `labels_y` must ")
  expect_error(.Call(C_permuted_edges, g, g, o[-1], 0L), "permuted_edges: `permutations` must ")
})

test_that("common edges can be interrupted within a coset and within few permutations", {
  # a time limit is noticed where an interrupt is, at every sixth check
  stopped <- function(run) {
    ended <- tryCatch({
      setTimeLimit(elapsed = 0.02, transient = TRUE)
      run()
      TRUE
    }, error = function(e) FALSE, finally = setTimeLimit())
    expect_false(ended)
  }
  # a band, whose edges meet at all shifts
  n <- 8000L
  steps <- c(-5:-1, 1:5)
  band <- list(edges_out(outer(seq_len(n), steps, function(i, s) (i + s - 1L) %% n + 1L)))
  for (mode in common_modes[c("count", "ranks")]) {
    stopped(function() .Call(C_coset_edges, band, band, seq_len(n), cbind(seq_len(n)), mode))
  }
  set.seed(47)
  n <- 50000L
  large <- list(edges_out(matrix(sample.int(n, 10 * n, TRUE), n)))
  permutations <- replicate(60, sample.int(n))
  stopped(function() {
    .Call(C_permuted_edges, rep(large, 2), large, permutations, common_modes[["count"]])
  })
})

test_that("series: nearly banded graphs, where edges meet most often", {
  set.seed(33)
  t <- seq_len(60)
  x <- cbind(t, t^1.1) + 0.05 * normal_matrix(60, 2)
  y <- cbind(t, sqrt(t), t / 3) + 0.05 * normal_matrix(60, 3)
  for (id in c("mutual_knn", "rank_similarity", "cycle_knn", "knn_jaccard")) {
    note_law(id, list(k = 8, metric = "euclidean"), x, y, id, series = TRUE, most = 12)
  }
  for (id in c("mka", "kcka", "cknna")) note_law(id, list(k = 8), x, y, id, series = TRUE,
                                                 most = 12)
  expect_nothing_noted()
  # shift by shift the sums are the same
  shifts <- vapply(0:59, function(s) as.integer((0:59 + s) %% 60 + 1), integer(60))
  graph <- function(x) {
    form <- form_graph(representation(x, "x"), "euclidean", 8)
    if (mode == common_modes[["mean_jaccard"]]) averaged_edges(form) else edges_out(form$idx)
  }
  for (mode in common_modes) {
    at_once <- .Call(C_coset_edges, list(graph(x)), list(graph(y)), seq_len(60), cbind(seq_len(60)),
                     mode)
    one_by_one <- .Call(C_permuted_edges, list(graph(x)), list(graph(y)), shifts, mode)
    expect_equal(at_once, one_by_one, tolerance = 1e-12)
  }
})
