# Values with names go by the labels of what they are for.

labelled <- function(seed, n = 12, q = 30) {
  set.seed(seed)
  matrix(rnorm(n * q), n, dimnames = list(paste0("s", seq_len(n)), NULL))
}

labelled_rdm <- function(seed, n = 12) dist(labelled(seed, n))

# The same values in another order, with their names.
shuffled <- function(values) values[c(5, 2, 9, 12, 1, 3, 8, 4, 11, 7, 10, 6)[seq_along(values)]]

labels <- paste0("s", 1:12)
variances <- setNames(exp(seq(-1, 1, length.out = 12)), labels)
stimulus_noise <- local({
  set.seed(3)
  crossprod(matrix(rnorm(40 * 12), 40)) / 40
})
named_noise <- matrix(stimulus_noise, 12, dimnames = list(labels, labels))
order <- c(3, 1, 2, 12:4)
clusters <- setNames(rep(c("a", "b", "c", "d"), each = 3), labels)


test_that("in_order_of() goes by names that are all labels", {
  order_of <- function(...) in_order_of(..., arg = "stimulus_noise")
  expect_identical(order_of(c(b = 1, a = 2), c("a", "b")), c(2, 1))
  expect_identical(order_of(c(b = 1, c = 3, a = 2), c("a", "b")), c(2, 1))
  expect_identical(order_of(c(b = 1, a = 2), NULL), c(1, 2))
  expect_identical(order_of(c(v = 1, w = 2), c("a", "b")), c(1, 2))
  expect_identical(order_of(factor(c(b = "u", a = "v")), c("a", "b")), factor(c("v", "u")))
  expect_identical(order_of(c(a = 1, a = 2), c("a", "a")), c(1, 2))
  square <- matrix(1:4, 2, dimnames = list(c("b", "a"), c("b", "a")))
  expect_identical(order_of(square, c("a", "b")), matrix(4:1, 2))
  expect_error(order_of(c(b = 1, v = 2), c("a", "b")), "none is \"a\"",
               class = "repalign_error_names")
  expect_error(order_of(c(a = 1, b = 2, a = 3), c("a", "b")), "the name \"a\" twice",
               class = "repalign_error_names")
  colnames(square) <- c("a", "b")
  expect_error(order_of(square, c("a", "b")), "first at place 1 \\(\"b\" and \"a\"\\)",
               class = "repalign_error_names")
  expect_identical(order_of(square, c("v", "w")), unname(square))
})

test_that("stimulus_noise goes by names wherever RDMs are compared", {
  a <- labelled_rdm(1)
  b <- labelled_rdm(2)
  uses <- list(
    rsa = function(s) rsa(a, b, outer = "whitened_pearson", stimulus_noise = s),
    riemann = function(s) riemann(a, b, stimulus_noise = s),
    similarity = function(s) {
      similarity(a, b, measure("rsa", outer = "whitened_cosine", stimulus_noise = s))$score
    },
    calibrate = function(s) {
      set.seed(1)
      as.data.frame(calibrate(a, b, measure("rsa", outer = "whitened_cosine", stimulus_noise = s),
                              permutations = 19))
    },
    rdm_rows = function(s) as.data.frame(rdm_rows(a, b, outer = "whitened_pearson", stimulus_noise = s)),
    pool_rdms = function(s) as.vector(pool_rdms(list(a = a, b = b), "whitened_pearson", stimulus_noise = s)),
    subject_ceiling = function(s) {
      subject_ceiling(list(a = a, b = b), measure("rsa", outer = "whitened_pearson", stimulus_noise = s))
    },
    evaluate_models = function(s) {
      rows <- evaluate_models(list(a = a, b = b), list(m = labelled_rdm(3), k = labelled_rdm(4)),
                              "whitened_pearson", resample = "none", stimulus_noise = s)
      as.data.frame(rows)
    },
    fit_rdm_model = function(s) {
      model <- rdm_model(list(m = labelled_rdm(3), k = labelled_rdm(4)), "weighted")
      fit_rdm_model(model, list(a = a, b = b), "whitened_pearson", stimulus_noise = s)$weights
    }
  )
  for (name in names(uses)) {
    use <- function(s) suppressMessages(uses[[name]](s))
    expect_equal(use(rev(variances)), use(unname(variances)), info = name)
    expect_equal(use(named_noise[order, order]), use(stimulus_noise), info = name)
    lacking <- setNames(variances, replace(labels, 4, "other"))
    expect_error(use(lacking), "`stimulus_noise` has names, but none is \"s4\"",
                 class = "repalign_error_names", info = name)
  }
})

test_that("clusters of measures and calls go by names", {
  x <- labelled(1)
  y <- labelled(2)
  uses <- list(
    rsa = function(k) rsa(x, y, clusters = k),
    cka = function(k) cka(x, y, estimator = "stimulus", clusters = k),
    hsic = function(k) hsic(x, y, estimator = "stimulus", clusters = k),
    mutual_knn = function(k) mutual_knn(x, y, k = 2, clusters = k),
    similarity = function(k) similarity(x, y, measure("rsa", clusters = k))$score,
    score_interval = function(k) as.data.frame(score_interval(x, y, "rsa", clusters = k)),
    cka_interval = function(k) {
      as.data.frame(cka_interval(x, y, "stimulus", clusters = k))
    },
    calibrate = function(k) {
      set.seed(1)
      as.data.frame(calibrate(x, y, "rsa", permutations = 19, clusters = k))
    },
    blocks = function(k) {
      set.seed(1)
      as.data.frame(calibrate(x, y, "rsa", permutations = 19, blocks = k))
    },
    subject_ceiling = function(k) subject_ceiling(list(x, y), measure("rsa", clusters = k)),
    brain_to_model = function(k) {
      set.seed(1)
      as.data.frame(brain_to_model(x, list(y = y), repeats = 2, clusters = k))
    }
  )
  few <- setNames(rep(c("a", "b", "c", "d", "e", "f"), 2), labels)
  for (name in names(uses)) {
    use <- function(k) suppressWarnings(suppressMessages(uses[[name]](k)))
    expect_equal(use(shuffled(few)), use(unname(few)), info = name)
    expect_equal(use(factor(few)[12:1]), use(unname(few)), info = name)
  }
  prepared <- prepare(list(x = x), measure("rsa", clusters = unname(few)))
  shuffled_measure <- measure("rsa", clusters = shuffled(few))
  expect_equal(similarity(prepared, list(y = y), shuffled_measure)$score, rsa(x, y, clusters = few))
})

test_that("group goes by the names of subjects and RDMs", {
  rdms <- lapply(1:4, labelled_rdm)
  names(rdms) <- c("p", "q", "r", "t")
  group <- c(p = "u", q = "u", r = "v", t = "w")
  uses <- list(
    subject_ceiling = function(g) subject_ceiling(rdms, "rsa", group = g),
    evaluate_models = function(g) {
      as.data.frame(evaluate_models(rdms, list(m = labelled_rdm(5), k = labelled_rdm(6)), "pearson",
                                    resample = "none", group = g))
    },
    rsa_regression = function(g) {
      set.seed(1)
      data <- list(brain = rdms, m = labelled_rdm(5))
      summary(rsa_regression(brain ~ m, data, permutations = 9, group = g))
    }
  )
  for (name in names(uses)) {
    use <- function(g) suppressWarnings(suppressMessages(uses[[name]](g)))
    expect_equal(use(group[c(2, 4, 3, 1)]), use(unname(group)), info = name)
    expect_error(use(c(p = 1, q = 1, r = 2, other = 3)), "`group` has names, but none is \"t\"",
                 class = "repalign_error_names", info = name)
  }
})

test_that("names that were not given say nothing about group", {
  rdms <- lapply(1:4, labelled_rdm)
  group <- c(rdm4 = "u", s2 = "u", rdm1 = "v", s3 = "w")
  models <- list(m = labelled_rdm(5), k = labelled_rdm(6))
  evaluated <- function(g) {
    suppressMessages(evaluate_models(rdms, models, "pearson", resample = "none", group = g))
  }
  expect_equal(as.data.frame(evaluated(group)), as.data.frame(evaluated(unname(group))))
  fitted <- function(g) {
    set.seed(1)
    data <- list(brain = rdms, m = models$m)
    summary(rsa_regression(brain ~ m, data, permutations = 9, group = g))
  }
  expect_equal(fitted(group), fitted(unname(group)))
  expect_identical(subject_ceiling(rdms, "rsa", group = group),
                   subject_ceiling(rdms, "rsa", group = unname(group)))
})

test_that("names go before stimuli are left out, and other functions go by them", {
  x <- labelled(1)
  y <- labelled(2)
  x[4, 1] <- NA
  by <- setNames(rep(c("a", "b", "c"), each = 4), labels)
  found <- function(blocks, clusters) {
    set.seed(1)
    set <- measure("rsa", clusters = clusters)
    rows <- suppressMessages(score_interval(x, y, set, na = "stimuli", clusters = clusters))
    nulls <- suppressMessages(calibrate(x, y, "rsa", permutations = 19, blocks = blocks,
                                        na = "stimuli"))
    list(as.data.frame(rows), as.data.frame(nulls))
  }
  few <- setNames(rep(c("a", "b", "c", "d", "e", "f"), 2), labels)
  expect_equal(found(shuffled(by), shuffled(few)), found(unname(by), unname(few)))
  trials <- array(rnorm(12 * 8 * 6), c(12, 8, 6), list(labels, NULL, NULL))
  noise <- function(stimulus_noise) {
    set.seed(1)
    set <- measure("rsa", outer = "whitened_pearson", stimulus_noise = stimulus_noise)
    suppressWarnings(as.data.frame(noise_ceiling(trials, labelled(2), set, splits = 2)))
  }
  expect_equal(noise(rev(variances)), noise(unname(variances)))
})

test_that("leave_out, blocks and labels of conditions of a regression go by names", {
  data <- list(brain = labelled_rdm(1), m = labelled_rdm(2), kind = clusters)
  run <- setNames(rep(1:3, 4), labels)
  fit <- function(kind, run = NULL, blocks = NULL) {
    set.seed(1)
    rsa_regression(brain ~ m + kind, c(data[1:2], list(kind = kind)), permutations = 9,
                   leave_out = run, blocks = blocks)
  }
  expect_equal(fit(shuffled(clusters)), fit(unname(clusters)))
  expect_equal(fit(factor(clusters)[12:1]), fit(unname(clusters)))
  expect_equal(fit(clusters, shuffled(run)), fit(clusters, unname(run)))
  expect_equal(fit(clusters, unname(run)), fit(unname(clusters), run))
  expect_equal(fit(clusters, blocks = shuffled(run)), fit(clusters, blocks = unname(run)))
  expect_error(fit(setNames(clusters, c(labels[-1], "x"))), "`kind` has names, but none is \"s1\"",
               class = "repalign_error_names")
  rows <- function(kind) as.data.frame(rdm_rows(data$brain, kind))
  expect_equal(rows(shuffled(clusters)), rows(unname(clusters)))
})

test_that("labels of stimuli go by row names of arrays, data frames and lists", {
  x <- labelled(1)
  expect_identical(first_row_names(list(dist(unname(x)), list(unname(x), x))), labels)
  expect_identical(first_row_names(as.data.frame(x)), labels)
  expect_identical(first_row_names(responses(array(x, c(12, 15, 2), list(labels, NULL, NULL)))),
                   labels)
  expect_null(first_row_names(list(as.data.frame(unname(x)), unname(x))))
})
