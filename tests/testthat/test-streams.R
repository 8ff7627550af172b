# Random choices come from streams that name, side and metric determine: nothing else in a call
# matters to a result.

withr::local_options(repalign.threads = 1)

test_that("a stream is determined by its seed and key, and orders are equally likely", {
  order_of <- function(seed, key, n = 6) .Call(C_stream_order, seed, key, n)
  expect_identical(order_of(1, c("a", "b")), order_of(1, c("a", "b")))
  expect_identical(sort(order_of(5, "a", 1000)), 1:1000)
  expect_identical(order_of(5, "a", 1), 1L)
  keys <- list(c("a", "b"), c("ab", ""), c("", "ab"), "ab", c("a", "b", ""), c("b", "a"), character())
  orders <- lapply(keys, function(key) order_of(7, key, 50))
  expect_identical(anyDuplicated(orders), 0L)
  # the same key in another encoding
  expect_identical(order_of(2, "\u00e9"), order_of(2, iconv("\u00e9", "UTF-8", "latin1")))
  counts <- table(vapply(1:6000, function(seed) paste(order_of(seed, "a", 4), collapse = ""), ""))
  expect_length(counts, 24)
  expect_gt(chisq.test(counts)$p.value, 1e-4)
  # two keys of one seed, and one key of two seeds
  pairs <- vapply(1:2000, function(seed) {
    c(order_of(seed, "a", 5)[1], order_of(seed, "b", 5)[1], order_of(seed + 1, "a", 5)[1])
  }, integer(3))
  for (other in 2:3) expect_gt(chisq.test(table(pairs[1, ], pairs[other, ]))$p.value, 1e-4)
  expect_error(order_of(-1, "a"), "seed")
  expect_error(order_of(1, 2), "key")
  expect_error(order_of(1, "a", 0), "count")
})

# Layers of counts, with ties.
layers_with_ties <- function(seed = 1, n = 30) {
  set.seed(seed)
  lapply(c(a = 3, b = 4, c = 5), function(q) cbind(1, 2, matrix(sample(0:2, n * q, TRUE), n)))
}

chance_set <- function() {
  list(measure("mutual_knn", k = 4, ties = "random"), measure("lcs_knn", k = 4, ties = "average"),
       measure("imd", k = 4), measure("rank_similarity", k = 5), measure("rtd", batch = 12, trials = 2),
       measure("cka", kernel = "manifold", k = 4))
}

run_seeded <- function(...) {
  set.seed(11)
  rows <- quietly(similarity(...))
  stats::setNames(rows$score, paste(rows$x, rows$y, rows$measure))
}

test_that("neither the order of a list nor its other elements change a score", {
  l <- layers_with_ties()
  m <- layers_with_ties(2)
  set <- chance_set()
  all <- run_seeded(l, m, set)
  turned <- run_seeded(rev(l), m[c("b", "c", "a")], set)
  expect_rounded(turned[names(all)], all)
  some <- run_seeded(l["b"], m[c("c", "a")], set)
  expect_rounded(all[names(some)], some)
  one <- run_seeded(l, m, set[[4]])
  expect_rounded(all[names(one)], one)
  turned <- run_seeded(l, m, rev(set))
  expect_rounded(turned[names(all)], all)
  # the same list twice is two sides
  twice <- run_seeded(l, l, set)
  expect_rounded(run_seeded(l, rev(l), set)[names(twice)], twice)
  expect_rounded(run_seeded(l["a"], l["b"], set), twice[grep("^a b", names(twice))])
})

test_that("pairs within a list do not depend on its order either", {
  l <- layers_with_ties()
  set <- chance_set()
  within <- function(l) {
    set.seed(11)
    rows <- quietly(similarity(l, measure = set, diagonal = TRUE))
    name <- paste(pmin(rows$x, rows$y), pmax(rows$x, rows$y), rows$measure)
    stats::setNames(rows$score, name)
  }
  all <- within(l)
  expect_equal(within(rev(l))[names(all)], all, tolerance = 1e-13)
  some <- within(l[c("c", "a")])
  expect_equal(all[names(some)], some, tolerance = 1e-13)
})

test_that("a representation has other orders of ties on the other side", {
  l <- layers_with_ties()
  m <- measure("mutual_knn", k = 4, ties = "random")
  set.seed(12)
  self <- quietly(similarity(l, measure = m, diagonal = TRUE))
  expect_lt(self$score[self$x == "a" & self$y == "a"], 1)
  set.seed(12)
  two <- quietly(similarity(l, l, measure = m))
  expect_true(all(two$score[two$x == two$y] < 1))
  # without ties both are the same, and are computed once, or all together
  free <- tie_free()
  two <- similarity(free, free, measure = m)
  expect_true(all(two$score[two$x == two$y] == 1))
  expect_identical(count_calls("compare_pair", similarity(free, free, measure = m)), 0L)
  cycles <- measure("lcs_knn", k = 4)
  expect_identical(count_calls("compare_pair", similarity(free, free, measure = cycles)), 6L)
})

test_that("the generator moves on by one number, wherever choices are made", {
  l <- layers_with_ties()
  after <- function(code) {
    set.seed(13)
    quietly(code)
    .Random.seed
  }
  set.seed(13)
  sample.int(.Machine$integer.max, 1)
  moved <- .Random.seed
  expect_identical(after(similarity(l, measure = chance_set())), moved)
  expect_identical(after(mutual_knn(l$a, l$b, k = 4, ties = "random")), moved)
  expect_identical(after(rtd(l$a, l$b, batch = 12, trials = 2)), moved)
  expect_identical(after(lcs_knn(l$a, l$b, k = 4, ties = "average")), moved)
})

test_that("null scores do not depend on the company either", {
  l <- layers_with_ties()
  m <- layers_with_ties(2)
  set <- chance_set()[c(1, 2, 4, 5)]
  perms <- t(replicate(5, sample.int(30)))
  run <- function(...) {
    set.seed(14)
    table <- quietly(calibrate(..., permutations = perms))
    null <- null_scores(table)
    colnames(null) <- paste(table$x, table$y, table$measure)
    null
  }
  all <- run(l, m, set)
  one <- run(l["b"], m["c"], set[[2]])
  expect_equal(all[, colnames(one)], one[, 1], tolerance = 1e-13)
  turned <- run(rev(l), m[c("b", "a", "c")], set)
  expect_equal(turned[, colnames(all)], all, tolerance = 1e-13)
})

test_that("models whose names join to the same text have streams of their own", {
  set.seed(15)
  x <- matrix(sample(0:1, 60, TRUE), 20)
  models <- list("a/b" = list(c = x), a = list("b/c" = x))
  value <- quietly(similarity(models, measure = measure("mutual_knn", "k" = 4, ties = "random",
                                                        metric = "euclidean")))$score
  expect_lt(value, 1)
})
