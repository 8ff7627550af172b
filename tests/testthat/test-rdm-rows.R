# rdm_rows(): contributions against the scores of rsa() and against plain definitions.

all_outer <- c("spearman", "pearson", "kendall", "cosine", "tau_b", "rho_a", "whitened_cosine",
               "whitened_pearson")

# With ties, negative dissimilarities, and labels.
two_rdms <- function(n, seed = 1) {
  set.seed(seed)
  rdm <- function() {
    values <- round(rnorm(n * (n - 1) / 2, 1), 1)
    structure(values, Size = n, Labels = paste0("c", seq_len(n)), class = "dist")
  }
  x <- rdm()
  y <- rdm()
  y[] <- round(y + 0.6 * x, 1)
  list(x = x, y = y)
}

noise_of <- function(n) list(NULL, seq(0.5, 2, length.out = n),
                             crossprod(matrix(sin(seq_len(3 * n^2)), 3 * n)) / n + diag(n) / 4)

noise_for <- function(outer, n) if (startsWith(outer, "whitened")) noise_of(n) else list(NULL)

test_that("contributions sum to the score of rsa(), for every comparison", {
  rdms <- two_rdms(9)
  gaps <- rdms
  gaps$x[c(1, 9, 20)] <- NA
  gaps$y[c(9, 30)] <- NA
  for (outer in all_outer) {
    for (stimulus_noise in noise_for(outer, 9)) {
      rows <- rdm_rows(rdms$x, rdms$y, outer = outer, stimulus_noise = stimulus_noise)
      score <- rsa(rdms$x, rdms$y, outer = outer, stimulus_noise = stimulus_noise)
      expect_lt(abs(sum(rows$contribution) - score), 1e-13)
      expect_equal(glance(rows)$score, score)
      expect_identical(rows$n, rep(8L, 9))
      expect_message(rows <-
                     rdm_rows(gaps$x, gaps$y, outer = outer, stimulus_noise = stimulus_noise,
                                      na = "pairwise"), "32 of 36 pairs")
      score <- suppressMessages(rsa(gaps$x, gaps$y, outer = outer, stimulus_noise = stimulus_noise,
                                    na = "pairwise"))
      expect_lt(abs(sum(rows$contribution) - score), 1e-13)
      expect_identical(sum(rows$n), 64L)
    }
  }
})

test_that("most pairs may lack", {
  rdms <- two_rdms(9, 2)
  rdms$x[sample(36, 22)] <- NA
  for (outer in all_outer) for (stimulus_noise in noise_for(outer, 9)) {
    rows <- suppressMessages(undefined_is_fine(
      rdm_rows(rdms$x, rdms$y, outer = outer, stimulus_noise = stimulus_noise, na = "pairwise")))
    score <- suppressMessages(rsa(rdms$x, rdms$y, outer = outer, stimulus_noise = stimulus_noise,
                                  na = "pairwise"))
    expect_lt(abs(sum(rows$contribution) - score), 1e-12)
  }
})

# The share of each pair of conditions by the definition: n x n matrices of halves.
plain_pair_shares <- function(x, y, outer) {
  a <- as.vector(x)
  b <- as.vector(y)
  count <- length(a)
  signs <- function(v) sign(outer(v, v, "-"))
  ranks <- function(v) rank(v) - (count + 1) / 2
  switch(outer,
    cosine = a * b / sqrt(sum(a^2) * sum(b^2)),
    pearson = (a - mean(a)) * (b - mean(b)) / (count - 1) / sd(a) / sd(b),
    spearman = ranks(a) * ranks(b) / sqrt(sum(ranks(a)^2) * sum(ranks(b)^2)),
    rho_a = 12 * ranks(a) * ranks(b) / (count^3 - count),
    kendall = rowSums(signs(a) * signs(b)) / (count * (count - 1)),
    tau_b = rowSums(signs(a) * signs(b)) / sqrt(sum(signs(a) != 0) * sum(signs(b) != 0))
  )
}

plain_whitened <- function(x, y, outer, stimulus_noise, n = attr(x, "Size")) {
  s <- if (is.null(stimulus_noise)) diag(n) else if (is.matrix(stimulus_noise)) stimulus_noise else
    diag(stimulus_noise)
  pair <- combn(n, 2)
  contrast <- vapply(seq_len(ncol(pair)), function(p) {
    as.double(seq_len(n) == pair[1, p]) - (seq_len(n) == pair[2, p])
  }, numeric(n))
  list(v = (t(contrast) %*% s %*% contrast)^2, pair = pair)
}

whitened_parts <- function(a, b, v, outer) {
  w <- solve(v)
  if (outer == "whitened_pearson") {
    level <- function(d) d - sum(w %*% d) / sum(w)
    a <- level(a)
    b <- level(b)
  }
  size <- sqrt(sum(a * w %*% a) * sum(b * w %*% b))
  drop(a * w %*% b + b * w %*% a) / 2 / size
}

ends_of <- function(n, i) which(colSums(combn(n, 2) == i) > 0)

test_that("contributions and scores are those of the definitions", {
  n <- 8
  rdms <- two_rdms(n, 3)
  for (outer in all_outer[1:6]) {
    rows <- rdm_rows(rdms$x, rdms$y, outer = outer)
    shares <- plain_pair_shares(rdms$x, rdms$y, outer)
    for (i in 1:n) {
      at <- ends_of(n, i)
      expect_equal(rows$contribution[i], sum(shares[at]) / 2)
      expect_equal(rows$score[i], sum(plain_pair_shares(rdms$x[at], rdms$y[at], outer)))
    }
  }
  for (outer in all_outer[7:8]) for (stimulus_noise in noise_of(n)) {
    rows <- rdm_rows(rdms$x, rdms$y, outer = outer, stimulus_noise = stimulus_noise)
    v <- plain_whitened(rdms$x, rdms$y, outer, stimulus_noise)$v
    shares <- whitened_parts(as.vector(rdms$x), as.vector(rdms$y), v, outer)
    for (i in 1:n) {
      at <- ends_of(n, i)
      expect_equal(rows$contribution[i], sum(shares[at]) / 2)
      expect_equal(rows$score[i],
                   sum(whitened_parts(rdms$x[at], rdms$y[at], v[at, at], outer)))
    }
  }
})

test_that("equal responses keep their ties", {
  set.seed(4)
  x <- matrix(sample(3, 40, TRUE), 10) + 0.1
  y <- matrix(sample(3, 40, TRUE), 10) / 3
  for (outer in c("spearman", "kendall", "tau_b", "rho_a", "pearson")) {
    rows <- rdm_rows(x, y, inner = "euclidean", outer = outer)
    expect_lt(abs(sum(rows$contribution) - rsa(x, y, "euclidean", outer)), 1e-13)
  }
})

test_that("many pairs are counted like few", {
  set.seed(5)
  a <- sample(40, 300, TRUE)
  b <- sample(40, 300, TRUE)
  signs <- function(v) sign(outer(v, v, "-"))
  expect_equal(repalign:::net_concordance(a, b), rowSums(signs(a) * signs(b)))
  expect_equal(repalign:::net_concordance(rep(1, 5), 1:5), rep(0, 5))
})

test_that("tau-b of equal orders is exactly 1", {
  for (n in 4:12) { # with different numbers of ties
    x <- structure(as.double(seq_len(n * (n - 1) / 2) %/% 2), Size = n, class = "dist")
    expect_identical(rdm_rows(x, x, outer = "tau_b")$score, rep(1, n))
    found <- suppressWarnings(calibrate(list(a = x, b = x), x, measure("rsa", outer = "tau_b"),
                                        permutations = rbind(seq_len(n))))
    expect_identical(c(found$score, null_scores(found)), rep(1, 4))
  }
})

test_that("subjects and models have rows of their own", {
  set.seed(6)
  subjects <- lapply(c(a = 1, b = 2), function(s) matrix(rnorm(30), 10))
  models <- list(m1 = dist(matrix(rnorm(20), 10)), m2 = rep(c("u", "v"), 5))
  rows <- rdm_rows(subjects, models, inner = "euclidean", outer = "pearson")
  expect_named(rows, c("subject", "model", "condition", "score", "contribution", "n"))
  expect_identical(nrow(rows), 40L)
  one <- rdm_rows(subjects$b, models$m1, inner = "euclidean", outer = "pearson")
  expect_equal(as.data.frame(rows[rows$subject == "b" & rows$model == "m1", 3:6]),
               as.data.frame(one), ignore_attr = TRUE)
  whole <- glance(rows)
  expect_identical(whole[c("subject", "model")],
                   data.frame(subject = rep(c("a", "b"), each = 2), model = rep(c("m1", "m2"), 2)))
  sums <- aggregate(contribution ~ model + subject, rows, sum)
  expect_equal(sums$contribution, whole$score)
})

test_that("the order of conditions does not matter", {
  rdms <- two_rdms(8, 7)
  p <- c(3, 8, 1, 6, 2, 7, 5, 4)
  move <- function(rdm) as.dist(as.matrix(rdm)[p, p])
  for (outer in all_outer) {
    rows <- rdm_rows(rdms$x, rdms$y, outer = outer)
    moved <- rdm_rows(move(rdms$x), move(rdms$y), outer = outer)
    expect_equal(as.data.frame(moved), as.data.frame(rows)[p, ], ignore_attr = TRUE)
    other <- rdm_rows(rdms$y, rdms$x, outer = outer)
    expect_equal(other$contribution, rows$contribution)
  }
})

test_that("what has no score says so", {
  rdms <- two_rdms(8, 8)
  flat <- rdms$x
  flat[] <- 2
  for (outer in c("spearman", "pearson", "kendall", "tau_b", "rho_a", "whitened_pearson")) {
    rows <- expect_warned(rdm_rows(flat, rdms$y, outer = outer), "repalign_undefined")
    expect_true(all(is.na(rows$score)) && all(is.na(rows$contribution)))
  }
  row <- as.matrix(rdms$x)
  row[1, ] <- row[, 1] <- 3
  row[1, 1] <- 0
  rows <- expect_warned(rdm_rows(as.dist(row), rdms$y), "repalign_undefined")
  expect_identical(which(is.na(rows$score)), 1L)
  expect_false(anyNA(rows$contribution))
  lacking <- rdms$x
  expect_refused({
    lacking[3] <- NA
    rdm_rows(lacking, rdms$y)
  }, "missing or non-finite")
  lacking[ends_of(8, 2)[-1]] <- NA
  rows <- suppressMessages(expect_warned(rdm_rows(lacking, rdms$y, na = "pairwise"),
                                         "repalign_undefined"))
  expect_true(is.na(rows$score[2]))
  expect_refused(rdm_rows(rdms$x, dist(1:5)), c("5 conditions", "8"))
  expect_refused(rdm_rows(dist(1:3), dist(3:1)), "at least 4")
  expect_refused(rdm_rows(rdms$x, rdms$y, stimulus_noise = diag(8)), "stimulus_noise")
  expect_refused(rdm_rows(rdms$x, rdms$y, outer = "whitened_cosine", stimulus_noise = diag(7)),
                 "7 stimuli")
  expect_refused(rdm_rows(rdms$x, rdms$y, outer = "bures"), "outer")
  expect_refused(rdm_rows(list(), rdms$y), "empty list")
  expect_refused(rdm_rows(rdms$x), "`y` is missing")
})

test_that("rows print, tidy, and are drawn by contribution", {
  rdms <- two_rdms(30, 9)
  rows <- rdm_rows(rdms$x, rdms$y)
  expect_output(print(rows), "spearman, 1 comparison, score")
  expect_named(tidy(rows), c("term", "estimate", "contribution", "n"))
  expect_identical(class(as.data.frame(rows)), "data.frame")
  skip_if_not_installed("ggplot2")
  drawn <- built(ggplot2::autoplot(rows, most = 5))
  largest <- rows$condition[order(-abs(rows$contribution))][1:5]
  expect_identical(rev(tick_labels(drawn, "y")), largest)
  expect_equal(sort(data_of(drawn, "GeomPoint")$x),
               sort(rows$contribution[match(largest, rows$condition)]))
  several <- rdm_rows(list(rdms$x, rdms$y), list(m = rdms$y, k = rdms$x), outer = "pearson")
  drawn <- built(ggplot2::autoplot(several, value = "score"))
  expect_identical(panel_names(drawn), c("m", "k"))
  expect_refused(ggplot2::autoplot(rows, value = "n"), "value")
})

test_that("scores of rows by Kendall's tau are those of their parts", {
  rdms <- two_rdms(9, 10)
  rdms$x[c(2, 12)] <- NA
  for (outer in c("kendall", "tau_b")) {
    rows <- suppressMessages(rdm_rows(rdms$x, rdms$y, outer = outer, na = "pairwise"))
    for (i in 1:9) {
      at <- setdiff(ends_of(9, i), c(2, 12))
      expect_equal(rows$score[i], sum(plain_pair_shares(rdms$x[at], rdms$y[at], outer)))
    }
  }
})

test_that("results that lost what they keep beside their rows say so", {
  set.seed(1)
  d <- lapply(1:3, function(k) dist(normal_matrix(8, 3)))
  patterns <- normal_matrix(8, 12)
  regression <- rsa_regression(y ~ a + b, list(y = d[[1]], a = d[[2]], b = d[[3]]),
                               permutations = 19)
  maps <- searchlight(patterns, list(1:6, 7:12), normal_matrix(8, 3), permutations = 19)
  lost <- function(result, what) `attr<-`(result, what, NULL)
  expect_refused(glance(lost(rdm_rows(d[[1]], d[[2]]), "whole")), "rdm_rows\\(\\)")
  expect_refused(glance(lost(regression, "model")), "rsa_regression\\(\\)")
  expect_refused(summary(lost(regression, "model")), "rsa_regression\\(\\)")
  expect_refused(summary(lost(maps, "threshold")), "searchlight\\(\\)")
})
