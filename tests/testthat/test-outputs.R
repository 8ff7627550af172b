# Outputs of classifiers, against their definitions in helper-definitions.R.

logit_pair <- function(n = 30, classes = 4, seed = 5) {
  set.seed(seed)
  p <- normal_matrix(n, classes)
  list(p = p, q = p + 0.8 * normal_matrix(n, classes))
}

test_that("jsd is its definition, from probabilities and from logits", {
  for (classes in c(2, 4, 50)) {
    l <- logit_pair(classes = classes)
    p <- def_probabilities(l$p, "logit")
    q <- def_probabilities(l$q, "logit")
    expect_equal(jsd(p, q), def_jsd(p, q), tolerance = 1e-13)
    expect_equal(jsd(l$p, l$q, from = "logit"), def_jsd(p, q), tolerance = 1e-13)
    expect_identical(jsd(q, p), jsd(p, q))
    # a constant on all logits of a row says nothing
    expect_equal(jsd(l$p + 1:30, l$q - 7, from = "logit"), def_jsd(p, q), tolerance = 1e-12)
  }
})

test_that("jsd has its ends: 0 for equal outputs, 1 for disjoint ones, zeros allowed", {
  one_hot <- diag(3)
  expect_identical(jsd(one_hot, one_hot), 0)
  expect_equal(jsd(one_hot, one_hot[c(2, 3, 1), ]), 1, tolerance = 1e-15)
  p <- rbind(c(0.5, 0.5, 0), c(1, 0, 0))
  q <- rbind(c(0, 0.5, 0.5), c(0.25, 0, 0.75))
  expect_equal(jsd(p, q), def_jsd(p, q), tolerance = 1e-15)
  expect_identical(jsd(matrix(c(0.2, 0.8), 1), matrix(c(0.2, 0.8), 1)), 0)
  set.seed(6)
  for (i in 1:20) {
    p <- matrix(rexp(60)^8, 20)
    q <- matrix(rexp(60)^8, 20)
    value <- jsd(p / rowSums(p), q / rowSums(q))
    expect_true(value >= 0 && value <= 1)
  }
})

test_that("jsd keeps its digits for nearly equal and for extreme outputs", {
  # p = (1 + e, 1 - e)/2 against its mirror image: e^2 / (2 log 2) and higher orders
  for (e in c(1e-3, 1e-6, 1e-9, 1e-12)) {
    # 1 + e rounds: take the difference that is really there
    e <- (1 + e) - 1
    p <- matrix(c(1 + e, 1 - e) / 2, 1)
    series <- (e^2 / 2 + e^4 / 12) / log(2)
    expect_equal(jsd(p, p[, 2:1, drop = FALSE]) / series, 1, tolerance = 1e-10)
  }
  # the two branches of the sum meet
  near <- function(d) repalign:::jsd_term(d)
  expect_equal(near(0.5 - 1e-12), near(0.5 + 1e-12), tolerance = 1e-10)
  expect_identical(near(c(0, 1, -1)), c(0, 2 * log(2), 2 * log(2)))
  huge <- rbind(c(1e308, -1e308, 0), c(-1e300, 1e300, 1e300))
  expect_identical(jsd(huge, huge, from = "logit"), 0)
  expect_equal(jsd(huge, -huge, from = "logit"), mean(c(1, 1)), tolerance = 1e-15)
  tiny <- matrix(c(1e-320, 1, 2e-320, 1), 2, byrow = TRUE)
  expect_true(is.finite(jsd(tiny, tiny[2:1, ])))
})

test_that("rows that sum to 1 in single precision are probabilities, and are divided by the sum", {
  p <- rbind(c(0.3, 0.7), c(0.1, 0.9))
  q <- rbind(c(0.4, 0.6), c(0.2, 0.8))
  expect_equal(jsd(p * (1 + 4e-6), q), jsd(p, q), tolerance = 1e-12)
  expect_refused(jsd(p, q * c(1, 1.003)), c("`q`", "row 2", "1.003", "`tolerance`"))
  expect_equal(jsd(p, q * c(1, 1.003), tolerance = 0.004), jsd(p, q), tolerance = 1e-12)
  expect_refused(jsd(p, q * c(1, 1.1)), c("`q`", "row 2", "1.1", "logit"))
  # a softmax of many classes in half floats (11 bits)
  set.seed(1)
  logits <- matrix(rnorm(20 * 1000, sd = 3), 20)
  soft <- exp(logits) / rowSums(exp(logits))
  half <- soft
  step <- 2^(pmax(floor(log2(half)), -14) - 10)
  half <- round(half / step) * step
  expect_gt(max(abs(rowSums(half) - 1)), 1e-5)
  expect_lt(jsd(half, soft), 1e-6)
})

test_that("disagreement counts different first largest values", {
  l <- logit_pair()
  expected <- def_disagreement(l$p, l$q)
  expect_gt(expected, 0)
  expect_identical(disagreement(l$p, l$q), expected)
  expect_identical(disagreement(def_probabilities(l$p, "logit"), l$q), expected)
  expect_identical(disagreement(l$p, l$p), 0)
  # ties: the first, without a draw from the generator, also among nearly equal ones
  tied <- rbind(c(1, 1, 0), c(0, 2, 2), c(5, 5, 5))
  first <- rbind(c(1, 0, 0), c(0, 1, 0), c(1, 0, 0))
  set.seed(7)
  seed <- .Random.seed
  for (i in 1:5) expect_identical(disagreement(tied, first), 0)
  expect_identical(.Random.seed, seed)
  expect_identical(disagreement(tied, tied[, 3:1]), 2 / 3)
  close <- matrix(c(1, 1 + 1e-9), 1)
  expect_identical(disagreement(close, close[, 2:1, drop = FALSE]), 1)
})

test_that("accuracy_difference takes numbers, names and factors", {
  l <- logit_pair(40, 3)
  truth <- apply(l$p, 1, which.max)
  truth[1:5] <- truth[1:5] %% 3 + 1
  expected <- def_accuracy_difference(l$p, l$q, truth)
  expect_gt(expected, 0)
  expect_equal(accuracy_difference(l$p, l$q, truth), expected, tolerance = 1e-14)
  expect_identical(accuracy_difference(l$p, l$p, truth), 0)
  named <- l$p
  colnames(named) <- c("cat", "dog", "emu")
  names <- colnames(named)[truth]
  expect_equal(accuracy_difference(named, l$q, names), expected, tolerance = 1e-14)
  expect_equal(accuracy_difference(l$q, named, names), expected, tolerance = 1e-14)
  # a factor's own order of levels is not that of the columns
  expect_equal(accuracy_difference(named, l$q, factor(names, c("emu", "dog", "cat"))), expected,
               tolerance = 1e-14)
  expect_equal(accuracy_difference(as.data.frame(named), named[, 1:3], factor(names)), 0)
})

test_that("outputs that do not belong together are refused", {
  l <- logit_pair(10, 3)
  labels <- rep(1:2, 5)
  functions <- list(function(p, q) jsd(p, q, from = "logit"), disagreement,
                    function(p, q) accuracy_difference(p, q, labels))
  for (f in functions) {
    expect_refused(f(l$p, l$q[-1, ]), c("`p`", "`q`", "10", "9"))
    expect_refused(f(l$p, l$q[, -1]), c("3 columns", "classes"))
    expect_refused(f(l$p), "`q`")
    expect_refused(f(1:10, l$q), c("`p`", "class scores"))
    expect_refused(f(l$p, dist(l$q)), "`q`")
    expect_refused(f(l$p, letters[1:10]), "`q`")
    expect_refused(f(l$p[, 1, drop = FALSE], l$q), c("`p`", "one column"))
    broken <- l$q
    broken[4, 2] <- NaN
    expect_refused(f(l$p, broken), c("`q`", "row 4", "column 2"))
    rows <- l
    rownames(rows$p) <- letters[1:10]
    rownames(rows$q) <- letters[c(1:9, 11)]
    expect_refused(f(rows$p, rows$q), "\"k\"")
    columns <- l
    colnames(columns$p) <- c("a", "b", "c")
    colnames(columns$q) <- c("a", "c", "b")
    expect_refused(f(columns$p, columns$q), c("column names", "column 2"))
  }
})

test_that("what is no probability is refused with its place", {
  p <- matrix(c(0.2, 0.8, 0.5, 0.5), 2, byrow = TRUE)
  negative <- rbind(c(0.2, 0.8), c(-0.1, 1.1))
  expect_refused(jsd(p, negative), c("`q`", "negative", "row 2", "column 1"))
  expect_refused(jsd(p / 2, p), c("`p`", "2 rows", "sum to 1", "row 1", "0.5"))
  expect_refused(jsd(0 * p, p), "`p`")
  expect_refused(jsd(p, p, from = "logits"), c("`from`", "logit"))
})

test_that("labels of n x 1 are taken as labels, wherever there are some", {
  set.seed(1)
  x <- matrix(rnorm(80), 16, dimnames = list(paste0("s", 1:16), NULL))
  y <- x + rnorm(80)
  groups <- rep(1:8, each = 2)
  column <- matrix(groups, dimnames = list(rownames(x), NULL))[16:1, , drop = FALSE]
  same <- function(call) {
    of <- substitute(call)
    given <- function(labels) suppressMessages(eval(of, list(labels = labels), parent.frame()))
    expect_equal(given(column), given(groups))
  }
  same(cka(x, y, clusters = labels))
  same({set.seed(1); calibrate(x, y, "cka", permutations = 19, blocks = labels)$p_value})
  same({set.seed(1); score_interval(x, y, "cka", clusters = labels)$lower})
  same(encode(x, y, folds = labels)$score)
  same(contributions(x, y, "cka", by = "groups", groups = labels)$share)
  same(responses(x, cluster = labels)$cluster)
  expect_equal(accuracy_difference(x, y, labels = cbind(pmin(groups, 5))),
               accuracy_difference(x, y, labels = pmin(groups, 5)))
})

test_that("labels that fit no class are refused with their place", {
  l <- logit_pair(6, 3)
  refused <- function(labels, ...) expect_refused(accuracy_difference(l$p, l$q, labels), c(...))
  expect_refused(accuracy_difference(l$p, l$q), "`labels`")
  refused(c(1, 2, 0, 1, 2, 1), "row 3", "add 1")
  refused(c(1, 2, 3, 4, 2, 1), "row 4", "1 to 3")
  refused(c(1, 2, 3, 1.5, 2, 1), "row 4", "1.5")
  refused(c(1, 2, 3, Inf, 2, 1), "row 4")
  refused(1:5, "5", "6 rows")
  refused(c(1, NA, 1, 1, 1, 1), "NA", "row 2")
  refused(rep(NA, 6), "NA", "row 1")
  refused(c(TRUE, FALSE, TRUE, TRUE, TRUE, TRUE), "logical")
  refused(list(1, 2, 3, 1, 2, 3), "list")
  refused(NULL, "NULL")
  refused(rep("a", 6), "column names")
  colnames(l$p) <- c("a", "b", "a")
  refused(rep("a", 6), "two columns")
  colnames(l$p) <- c("a", "b", "c")
  refused(c("a", "b", "d", "a", "a", "a"), "\"d\"", "row 3")
})

test_that("labels that are neither numbers nor words are refused", {
  l <- logit_pair(6, 3)
  expect_refused(accuracy_difference(l$p, l$q, Sys.Date() + 0:5), c("`labels`", "class numbers"))
})

test_that("stimuli with missing outputs are left out, with their labels", {
  set.seed(22)
  p <- matrix(rnorm(40), 10, dimnames = list(letters[1:10], NULL))
  q <- p + matrix(rnorm(40), 10)
  labels <- stats::setNames(sample(4, 10, replace = TRUE), letters[1:10])
  lost <- c(2, 7)
  gaps <- p
  gaps[lost, 3] <- c(NA, NaN)
  expect_error(jsd(gaps, q, "logit"), class = "repalign_error_nonfinite")
  expect_message(found <- jsd(gaps, q, "logit", na = "stimuli"), "2 of 10 stimuli left out",
                 class = "repalign_left_out")
  expect_equal(found, jsd(p[-lost, ], q[-lost, ], "logit"))
  quiet <- function(code) suppressMessages(code)
  expect_identical(quiet(disagreement(gaps, q, na = "stimuli")),
                   disagreement(p[-lost, ], q[-lost, ]))
  expect_identical(quiet(accuracy_difference(gaps, q, rev(labels), na = "stimuli")),
                   accuracy_difference(p[-lost, ], q[-lost, ], labels[-lost]))
  expect_error(disagreement(p * NA, q, na = "stimuli"), "leaves none",
               class = "repalign_error_nonfinite")
})
