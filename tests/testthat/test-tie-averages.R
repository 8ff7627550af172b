# Averages over the order of tied neighbours, against all orders of few stimuli.

withr::local_options(repalign.threads = 1)

def_list <- function(id, a, b, k) do.call(paste0("def_", id), list(a, b, k = k))

# A few stimuli on a grid, with many ties.
tied_pair <- function(seed, n = 7) {
  set.seed(seed)
  list(x = matrix(sample(0:2, 2 * n, TRUE), n), y = matrix(sample(0:1, 3 * n, TRUE), n))
}

# All graphs that the orders of the stimuli give, each with its probability.
def_graphs <- function(x, k, far = def_distances(x)) {
  n <- nrow(far)
  far <- round(far, 9)
  lists <- apply(def_orders(n), 1, function(priority) {
    near <- vapply(seq_len(n), function(i) setdiff(order(far[i, ], priority), i)[seq_len(k)],
                   integer(k))
    paste(near, collapse = " ")
  })
  shares <- table(lists) / length(lists)
  Map(function(text, share) {
    idx <- matrix(as.integer(strsplit(text, " ")[[1]]), n, byrow = TRUE)
    list(idx = idx, dist = matrix(far[cbind(as.vector(row(idx)), as.vector(idx))], n),
         share = share)
  }, names(shares), as.vector(shares))
}

# The mean of f(x, y) over all orders on either side.
def_mean <- function(of_x, of_y, f) {
  total <- 0
  for (a in of_x) for (b in of_y) total <- total + a$share * b$share * f(a[1:2], b[1:2])
  total
}

test_that("the mean over orders is that over all of them", {
  for (seed in 1:2) {
    p <- tied_pair(seed, 5)
    for (k in 1:3) {
      of_x <- def_graphs(p$x, k)
      of_y <- def_graphs(p$y, k)
      expect_gt(length(of_x) * length(of_y), 3)
      for (id in c("mutual_knn", "knn_jaccard")) {
        expected <- def_mean(of_x, of_y, function(a, b) def_list(id, a, b, k))
        expect_equal(score(id, p$x, p$y, list(k = k, metric = "euclidean")), expected,
                     tolerance = 1e-13, label = paste(id, seed, k))
        # one side given: its order stays
        given <- of_y[[1]][1:2]
        expected <- def_mean(of_x, list(c(given, share = 1)), function(a, b) def_list(id, a, b, k))
        expect_equal(score(id, p$x, given, list(k = k, metric = "euclidean")), expected,
                     tolerance = 1e-13)
        expect_equal(score(id, given, dist(p$x), list(k = k, metric = "euclidean")), expected,
                     tolerance = 1e-13)
      }
    }
  }
})

test_that("the mean over orders of kernels on neighbours is that over all of them", {
  p <- tied_pair(3, 6)
  of <- lapply(p, def_graphs, k = 3)
  settings <- list(list("mka"), list("kcka"), list("kcka", self = FALSE),
                   list("kcka", squared = TRUE))
  for (setting in settings) {
    args <- c(setting[-1], list(k = 3))
    id <- setting[[1]]
    expected <- def_mean(of$x, of$y, function(a, b) score(id, a, b, args))
    expect_equal(score(id, p$x, p$y, args), expected, tolerance = 1e-8, label = id)
  }
  # inner products, of unit length or not
  for (normalize in c(TRUE, FALSE)) {
    q <- lapply(p, function(x) x[, 1:2] + 1)
    rows <- lapply(q, if (normalize) def_unit_rows else identity)
    of <- lapply(rows, function(x) def_graphs(NULL, 3, -tcrossprod(x)))
    kernels <- lapply(rows, function(x) tcrossprod(x) - rowMeans(tcrossprod(x)))
    expected <- def_mean(of$x, of$y, function(a, b) {
      a <- def_mask(a$idx, 6)
      b <- def_mask(b$idx, 6)
      sum(a * b * kernels$x * kernels$y) / sqrt(sum(a * kernels$x^2) * sum(b * kernels$y^2))
    })
    value <- score("cknna", q$x, q$y, list(k = 3, normalize = normalize, centering = "full"))
    expect_equal(value, expected, tolerance = 1e-10)
  }
})

test_that("other measures take the mean over some random orders", {
  p <- tied_pair(4, 6)
  of <- lapply(p, def_graphs, k = 2)
  for (id in c("cycle_knn", "rank_similarity", "lcs_knn", "edit_distance_knn")) {
    args <- list(k = 2, metric = "euclidean")
    set.seed(1)
    values <- replicate(30, score(id, p$x, p$y, c(args, list(ties = "average"))))
    single <- replicate(30, score(id, p$x, p$y, c(args, list(ties = "random"))))
    expected <- def_mean(of$x, of$y, function(a, b) score(id, a, b, args))
    expect_lt(abs(mean(values) - expected), 4 * sd(values) / sqrt(30))
    expect_lt(sd(values), sd(single) / 2)
  }
})

test_that("an average by a formula leaves nothing to chance, and tells no ties", {
  p <- law_kinds()$integers
  closed <- list(mutual_knn = list(k = 5), knn_jaccard = list(k = 5), mka = list(k = 5),
                 kcka = list(k = 5), cknna = list(k = 5, centering = "full"))
  shifts <- t(vapply(1:29, function(s) (0:29 + s) %% 30 + 1, double(30)))
  for (id in names(closed)) {
    set.seed(1)
    state <- .Random.seed
    told <- heard(do.call(id, c(p[c("x", "y")], closed[[id]])))
    expect_false(any(grepl("at random", told$text)), label = id)
    value <- told$value
    expect_identical(.Random.seed, state, label = id)
    set.seed(2)
    expect_identical(score(id, p$x, p$y, closed[[id]]), value, label = id)
    expect_equal(score(id, p$y, p$x, closed[[id]]), value, tolerance = 1e-13, label = id)
    m <- do.call(measure, c(list(id), closed[[id]]))
    p_values <- vapply(1:2, function(seed) {
      set.seed(seed)
      quietly(calibrate(p$x, p$y, m, permutations = shifts)$p_value)
    }, 0)
    expect_identical(p_values[1], p_values[2], label = id)
  }
})

test_that("averaging changes nothing without ties", {
  l <- tie_free()
  each_setting(function(id, args, name) {
    if (!"ties" %in% names(formals(get(id)))) return()
    args$ties <- NULL
    values <- vapply(c("random", "average"), function(ties) {
      score(id, l$a, l$b, c(args, list(ties = ties)))
    }, 0)
    expect_identical(values[[1]], values[[2]], label = name)
  })
})

test_that("many ties: whole rows of them, beyond any number that was searched for", {
  set.seed(5)
  # 60 equal stimuli among 80, and others
  x <- rbind(matrix(0, 60, 3), normal_matrix(20, 3))
  y <- normal_matrix(80, 3)
  for (k in c(1, 4, 11, 59, 60, 70)) {
    far <- round(def_distances(x), 9)
    weight <- t(vapply(1:80, function(i) {
      last <- sort(far[i, -i])[k]
      sure <- sum(far[i, -i] < last)
      share <- (k - sure) / sum(far[i, -i] == last)
      replace(ifelse(far[i, ] < last, 1, ifelse(far[i, ] == last, share, 0)), i, 0)
    }, double(80)))
    expected <- sum(weight * def_mask(def_neighbours(y, k, "euclidean"), 80)) / 80 / k
    args <- list(k = k, metric = "euclidean")
    expect_equal(score("mutual_knn", x, y, args), expected, tolerance = 1e-13)
    expect_equal(score("mutual_knn", dist(x), y, args), expected, tolerance = 1e-13)
  }
  # searched for with a larger k by another measure of the call
  set <- list(measure("mutual_knn", k = 4, metric = "euclidean"),
              measure("mutual_knn", k = 65, metric = "euclidean"))
  both <- quietly(similarity(x, y, set))$score
  expect_identical(both, vapply(set, function(m) quietly(similarity(x, y, m))$score, 0))
  withr::local_options(repalign.max_memory = 120000)
  expect_refused(mutual_knn(x, y, k = 4, metric = "euclidean"), c("ties", "random"))
})

test_that("the mean Jaccard similarity of many ties is that of random orders", {
  set.seed(6)
  x <- matrix(rpois(120 * 3, 0.5), 120)
  y <- matrix(rpois(120 * 3, 0.5), 120)
  args <- list(k = 15, metric = "euclidean")
  one <- replicate(200, score("knn_jaccard", x, y, c(args, list(ties = "random"))))
  expect_lt(abs(mean(one) - score("knn_jaccard", x, y, args)), 4 * sd(one) / sqrt(200))
})
