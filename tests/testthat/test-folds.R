# Folds of stimuli: numbers, labels, sets; clusters stay whole.

call_of <- function(n, clusters = NULL, rows = rep(TRUE, n), labels = NULL) {
  list(n = sum(rows), rows = rows, labels = labels,
       clusters = clusters)
}

folds_of <- function(...) repalign:::test_folds(...)

test_that("a number draws folds of about equal sizes, which set.seed() reproduces", {
  set.seed(1)
  found <- folds_of(5, call_of(23), repeats = 2)
  expect_equal(found$repeat_of, rep(1:2, each = 5))
  for (r in 1:2) {
    expect_setequal(unlist(found$test[found$repeat_of == r]), 1:23)
    expect_lte(diff(range(lengths(found$test[found$repeat_of == r]))), 1)
  }
  expect_false(identical(found$test[1:5], found$test[6:10]))
  set.seed(1)
  expect_identical(folds_of(5, call_of(23), repeats = 2), found)
})

test_that("clusters are dealt out whole, and folds stay even", {
  codes <- rep(1:12, c(5, 1, 1, 1, 4, 2, 2, 3, 3, 3, 1, 4))
  set.seed(2)
  found <- folds_of(3, call_of(30, codes))
  expect_equal(lengths(found$test), c(10, 10, 10))
  for (test in found$test) expect_false(any(codes[test] %in% codes[-test]))
  expect_refused(folds_of(13, call_of(30, codes)), "13 folds, but there are 12 clusters")
})

test_that("labels go by their order, by names, and by the stimuli that are kept", {
  rows <- rep(TRUE, 8)
  rows[2] <- FALSE
  labels <- rep(c("b", "a"), 4)
  found <- folds_of(labels, call_of(8, rows = rows))
  expect_equal(found$name, c("b", "a"))
  expect_equal(found$test, list(c(1L, 2L, 4L, 6L), c(3L, 5L, 7L)))
  expect_equal(folds_of(factor(labels), call_of(8))$name, c("a", "b"))
  names <- paste0("image", 1:8)
  reversed <- stats::setNames(rev(labels), rev(names))
  expect_equal(folds_of(reversed, call_of(8, labels = names)), folds_of(labels, call_of(8)))
})

test_that("sets may overlap, and name stimuli by numbers, names or flags", {
  names <- paste0("image", 1:8)
  sets <- list(one = c(3, 1), two = c("image2", "image3"), three = 1:8 == 5)
  found <- folds_of(sets, call_of(8, labels = names))
  expect_true(found$overlapping)
  expect_equal(found$name, c("one", "two", "three"))
  expect_equal(found$test, list(c(1L, 3L), 2:3, 5L))
  rows <- rep(TRUE, 8)
  rows[2] <- FALSE
  expect_equal(folds_of(list(1:3, 4:5), call_of(8, rows = rows))$test, list(1:2, 3:4))
})

test_that("folds that cannot be are refused with the remedy", {
  expect_refused(folds_of(1, call_of(10)), "whole number, at least 2")
  expect_refused(folds_of(11, call_of(10)), "11 folds, but there are 10 stimuli")
  expect_refused(folds_of(rep(1, 10), call_of(10)), "at least 2 folds")
  expect_refused(folds_of(1:9, call_of(10)), "9 labels, but there are 10 stimuli")
  expect_refused(folds_of(c(NA, rep(1:3, 3)), call_of(10)), "no label for stimulus 1")
  expect_refused(folds_of(c(rep(1, 8), 2, 2), call_of(10)), "at least 3 must be left")
  expect_refused(folds_of(list(1:3), call_of(10)), "at least 2 are needed")
  expect_refused(folds_of(list(1:3, 11), call_of(10)), "set 2 has 11")
  expect_refused(folds_of(list(1:3, c(4, 4)), call_of(10)), "stimulus 4 twice")
  expect_refused(folds_of(list(1:3, integer()), call_of(10)), "tests no stimulus")
  expect_refused(folds_of(list(1:3, "a"), call_of(10)), "no names")
  expect_refused(folds_of(rep(1:2, 5), call_of(10), repeats = 2), "repeats = 1")
  expect_refused(folds_of(5, call_of(10, rep(1:3, c(6, 2, 2)))), "more than half")
  expect_refused(folds_of(rep(1:5, 2), call_of(10, rep(1:5, each = 2))), "splits a cluster")
  expect_refused(folds_of(list(1:2, 3:5), call_of(10, rep(1:5, each = 2))), "splits a cluster")
  expect_refused(folds_of(data.frame(a = 1:10), call_of(10)), "a number of folds")
})
