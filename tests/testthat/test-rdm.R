# rdm(): the dissimilarities of all kinds against their definitions, and what users may do wrong.

set.seed(1)
design <- full_design(7, 4, 2)
x <- matrix(rnorm(nrow(design) * 9), nrow(design))
holes <- design
holes$kept <- runif(nrow(design)) < 0.6

expect_same <- function(d, values, tolerance = 1e-12) {
  expect_equal(as.vector(d), unname(values), tolerance = tolerance)
}

test_that("crossnobis is the mean over pairs of runs, complete or not", {
  precision <- random_precision(9)
  of_pair <- function(m, l) precision
  for (center in c(FALSE, TRUE)) {
    expect_same(rdm(x, design$condition, design$run, center_patterns = center),
                plain_crossnobis(x, design$condition, design$run, center = center))
    expect_same(rdm(x, design$condition, design$run, noise = precision, center_patterns = center),
                plain_crossnobis(x, design$condition, design$run, of_pair, center = center))
  }
  some <- x[holes$kept, ]
  labels <- holes[holes$kept, ]
  for (weights in c("equal", "repeats")) {
    d <- suppressWarnings(rdm(some, labels$condition, labels$run, noise = precision,
                              weights = weights))
    expect_same(d, plain_crossnobis(some, labels$condition, labels$run, of_pair, weights))
    expect_same(rdm(x, design$condition, design$run, weights = weights),
                plain_crossnobis(x, design$condition, design$run, weights = weights))
  }
})

test_that("each run may have noise of its own", {
  covariances <- lapply(1:4, function(m) solve(random_precision(9)))
  of_pair <- function(m, l) solve((covariances[[m]] + covariances[[l]]) / 2)
  expect_same(rdm(x, design$condition, design$run, noise = covariances),
              plain_crossnobis(x, design$condition, design$run, of_pair))
  named <- stats::setNames(covariances, 1:4)[c(3, 1, 4, 2)]
  expect_same(rdm(x, design$condition, design$run, noise = named),
              plain_crossnobis(x, design$condition, design$run, of_pair))
  some <- holes[holes$kept, ]
  expect_same(suppressWarnings(rdm(x[holes$kept, ], some$condition, some$run,
                                   noise = covariances, weights = "repeats")),
              plain_crossnobis(x[holes$kept, ], some$condition, some$run, of_pair, "repeats"))
})

test_that("the route for complete runs is that for pairs of runs", {
  set.seed(2)
  values <- array(rnorm(300 * 40 * 3), c(300, 40, 3))
  fast <- rdm(values)
  patterns <- matrix(values, 300)
  by_pair <- .Call(repalign:::C_crossnobis_by_pair, patterns, matrix(1, 300, 3), FALSE, NULL)
  expect_equal(as.vector(fast), by_pair$products / 3 / 40, tolerance = 1e-12)
  expect_identical(by_pair$number, rep(3L, 300 * 299 / 2))
  expect_identical(attr(fast, "pairs"), 3)
})

test_that("crossnobis is the mean over folds that leave out one run", {
  b <- plain_patterns(x, design$condition, design$run)$b
  folds <- lapply(1:4, function(m) {
    others <- rowMeans(b[, , -m], dims = 2)
    d <- matrix(0, 7, 7)
    for (i in 1:7) for (j in 1:7) {
      d[i, j] <- sum((b[i, , m] - b[j, , m]) * (others[i, ] - others[j, ])) / 9
    }
    d
  })
  d <- Reduce(`+`, folds) / 4
  expect_same(rdm(x, design$condition, design$run), d[lower.tri(d)])
})

test_that("over all signs of the noise, the mean of crossnobis is the true distance", {
  set.seed(3)
  truth <- matrix(rnorm(4 * 3), 4)
  noise <- array(rnorm(4 * 3 * 3), c(4, 3, 3))
  signs <- expand.grid(rep(list(c(-1, 1)), 3))
  measured <- lapply(seq_len(nrow(signs)), function(k) {
    as.vector(truth) + noise * rep(as.double(signs[k, ]), each = 12)
  })
  true <- as.vector(dist(truth))^2 / 3
  complete <- rowMeans(vapply(measured, function(m) as.vector(rdm(m)), true))
  expect_equal(complete, true, tolerance = 1e-12)
  gaps <- rowMeans(vapply(measured, function(m) {
    m[1, , 2] <- NA
    as.vector(rdm(m, weights = "repeats"))
  }, true))
  expect_equal(gaps, true, tolerance = 1e-12)
  biased <- rowMeans(vapply(measured, function(m) {
    as.vector(rdm(m, distance = "sqeuclidean"))
  }, true))
  expect_true(all(biased > true + 0.01))
})

test_that("crossnobis has the mean of the true distance with noise that channels share", {
  set.seed(4)
  truth <- rbind(matrix(rnorm(3 * 6), 3), 0, 0)
  mixing <- matrix(rnorm(36), 6)
  precision <- solve(crossprod(mixing))
  scores <- replicate(800, {
    noise <- matrix(rnorm(5 * 5 * 6), 25) %*% mixing
    labels <- full_design(5, 5)
    # runs have offsets, and condition 2 is missing in one of them
    values <- truth[labels$condition, ] + noise + 3 * labels$run
    kept <- !(labels$condition == 2 & labels$run == 1)
    as.vector(rdm(values[kept, ], labels$condition[kept], labels$run[kept], noise = precision))
  })
  differences <- truth[utils::combn(5, 2)[1, ], ] - truth[utils::combn(5, 2)[2, ], ]
  true <- rowSums((differences %*% precision) * differences) / 6
  z <- (rowMeans(scores) - true) / (apply(scores, 1, sd) / sqrt(800))
  expect_lt(max(abs(z)), 4)
})

test_that("offsets of runs and of channels change nothing", {
  some <- holes[holes$kept, ]
  values <- x[holes$kept, ]
  before <- suppressWarnings(rdm(values, some$condition, some$run))
  offsets <- matrix(rnorm(4 * 9, sd = 100), 4)
  after <- suppressWarnings(rdm(values + offsets[some$run, ], some$condition, some$run))
  expect_equal(after, before, tolerance = 1e-11)
  far <- rdm(round(x, 3) + 1e6, design$condition, design$run)
  expect_equal(far, rdm(round(x, 3), design$condition, design$run), tolerance = 1e-8)
  expect_equal(rdm(round(x, 3) + 1e6, design$condition, distance = "sqeuclidean"),
               rdm(round(x, 3), design$condition, distance = "sqeuclidean"), tolerance = 1e-8)
})

test_that("distances of mean patterns follow their definitions", {
  means <- rowsum(x, design$condition) / 8
  labels <- list(x, design$condition, design$run)
  of <- function(...) do.call(rdm, c(labels, list(...)))
  expect_same(of(distance = "sqeuclidean"), as.vector(dist(means))^2 / 9)
  precision <- random_precision(9)
  root <- chol(precision)
  expect_same(of(distance = "mahalanobis", noise = precision),
              as.vector(dist(means %*% t(root)))^2 / 9)
  expect_same(of(distance = "correlation"), as.vector(as.dist(1 - cor(t(means)))))
  expect_same(of(distance = "sqeuclidean", center_patterns = TRUE),
              as.vector(dist(means - rowMeans(means)))^2 / 9)
})

test_that("Poisson distances follow their definitions", {
  set.seed(5)
  counts <- matrix(rpois(length(x), 3), nrow(x))
  labels <- holes
  labels$kept <- labels$repeats == 1 | runif(nrow(labels)) < 0.5
  counts <- counts[labels$kept, ]
  labels <- labels[labels$kept, ]
  rates <- function(at) {
    means <- rowsum(counts[at, ], labels$condition[at]) / as.vector(table(labels$condition[at]))
    (means + 2 * 0.3) / 1.3
  }
  products <- function(a, b) {
    pairs <- utils::combn(7, 2)
    rowMeans((a[pairs[1, ], ] - a[pairs[2, ], ]) * (b[pairs[1, ], ] - b[pairs[2, ], ]))
  }
  all <- rates(TRUE)
  d <- rdm(counts, labels$condition, distance = "poisson", prior_rate = 2, prior_weight = 0.3)
  expect_same(d, products(all, log(all)))
  folds <- vapply(1:4, function(m) {
    products(rates(labels$run != m), log(rates(labels$run == m)))
  }, numeric(21))
  d <- rdm(counts, labels$condition, labels$run, distance = "poisson_cv", prior_rate = 2,
           prior_weight = 0.3)
  expect_same(d, rowMeans(folds))
})

test_that("conditions come by level, by value or as words first appear, in all functions", {
  values <- x[1:4, ]
  label_of <- function(condition) attr(rdm(values, condition, distance = "sqeuclidean"), "Labels")
  expect_identical(label_of(c("b", "A", "a", "B")), c("b", "A", "a", "B"))
  expect_identical(label_of(c(10, 9, 100, 1)), c("1", "9", "10", "100"))
  expect_identical(label_of(factor(c("b", "a", "d", "c"), c("d", "c", "z", "b", "a"))),
                   c("d", "c", "b", "a"))
  rownames(values) <- c("b", "A", "a", "B")
  expect_identical(attr(rdm(values, distance = "sqeuclidean"), "Labels"), rownames(values))
  for (given in list(c("animal 10", "animal 2", "animal 1", "animal 2", "animal 10"),
                     c(10, 9, 100, 9, 10), c(TRUE, FALSE, TRUE, TRUE, FALSE),
                     factor(c("b", "a", "d", "b", "a"), c("d", "c", "b", "a")))) {
    wanted <- if (is.character(given)) unique(given) else as.character(sort(unique(given)))
    rows <- x[1:5, ]
    expect_identical(attr(rdm(rows, given, distance = "sqeuclidean"), "Labels"), wanted)
    expect_identical(rownames(responses(rows, stimulus = given)), wanted)
    long <- data.frame(image = rep(given, 2), unit = rep(c("u2", "u1"), each = 5), value = 1:10)
    expect_identical(rownames(trial_array(long, "image", "unit", value = "value")), wanted)
    expect_identical(rownames(responses(long, "image", "unit")), wanted)
    onsets <- 1:5
    expect_identical(rownames(spike_counts(list(a = onsets + 0.1), onsets = onsets,
                                           window = c(0, 1), stimuli = given)), wanted)
  }
  shuffled <- sample(nrow(x))
  expect_equal(rdm(x[shuffled, ], design$condition[shuffled], design$run[shuffled]),
               rdm(x, design$condition, design$run), tolerance = 1e-12)
})

test_that("no element of a list has an order of its own", {
  words <- c("animal 10", "animal 2", "animal 1")
  rows <- x[1:3, ]
  labels_of <- function(x, condition = NULL) {
    lapply(unclass(rdm(x, condition, distance = "sqeuclidean")), attr, "Labels")
  }
  both <- rdm(list(a = rows, b = rows[3:1, ]), list(a = words, b = rev(words)),
              distance = "sqeuclidean")
  expect_equal(both$a, both$b)
  expect_identical(attr(both$b, "Labels"), words)
  # what the first one lacks comes after its conditions, and numbers come by value
  expect_identical(labels_of(list(a = rows[1:2, ], b = rows), list(a = words[3:2], b = words))$b,
                   c("animal 1", "animal 2", "animal 10"))
  expect_identical(labels_of(list(a = rows[1:2, ], b = rows), list(a = c(3, 1), b = 1:3)),
                   list(a = c("1", "3"), b = c("1", "2", "3")))
  level <- function(labels) factor(labels, c("c", "b", "a"))
  expect_identical(labels_of(list(a = rows[1:2, ], b = rows),
                             list(a = level(c("a", "c")), b = level(c("a", "b", "c"))))$b,
                   c("c", "b", "a"))
  named <- array(rows, c(dim(rows), 2), list(words, NULL, NULL))
  named[, , 2] <- named[, , 2] + 1
  expect_identical(labels_of(list(a = named, b = named[3:1, , ]))$b, words)
  crossed <- rdm(list(a = named, b = named[3:1, , ]))
  expect_equal(crossed$a, crossed$b)
})

test_that("runs are sorted, and data frames are matrices", {
  expect_identical(rdm(as.data.frame(x), design$condition, design$run),
                   rdm(x, design$condition, design$run))
})

test_that("an array is the same as its observations", {
  values <- array(rnorm(5 * 6 * 4), c(5, 6, 4))
  rows <- matrix(aperm(values, c(1, 3, 2)), 20)
  labels <- full_design(5, 4)
  plain <- function(d) structure(d, Labels = NULL)
  for (distance in c("crossnobis", "sqeuclidean", "correlation")) {
    expect_equal(rdm(values, distance = distance),
                 plain(rdm(rows, labels$condition, labels$run, distance = distance)))
  }
  expect_equal(rdm(values, run = c(1, 1, 2, 2)),
               plain(rdm(rows, labels$condition, labels$run > 2)))
  values[2, , 3] <- NA
  kept <- !is.na(values[cbind(labels$condition, 1, labels$run)])
  expect_equal(rdm(values), plain(rdm(rows[kept, ], labels$condition[kept], labels$run[kept])))
  expect_equal(rdm(values, distance = "sqeuclidean"),
               plain(rdm(rows[kept, ], labels$condition[kept], distance = "sqeuclidean")))
  expect_identical(attr(rdm(values), "pairs"), as.integer(c(3, 6, 6, 6, 3, 3, 3, 6, 6, 6)))
  expect_identical(labels(rdm(values, letters[5:1])), letters[5:1])
  table <- as.data.frame(as.table(values))
  table <- table[!is.na(table$Freq), ]
  again <- trial_array(table, "Var1", "Var2", "Var3", "Freq")
  expect_equal(as.vector(rdm(again)), as.vector(rdm(values)))
})

test_that("a responses object has its runs with it", {
  values <- array(rnorm(5 * 6 * 4), c(5, 6, 4))
  expect_equal(rdm(responses(values, run = TRUE)), rdm(values))
  blocks <- responses(values, event = c("a", "a", "b", "b"))
  expect_equal(rdm(blocks), rdm(values, run = c("a", "a", "b", "b")))
  expect_error(rdm(blocks, run = 1:4), class = "repalign_error_labels")
  values[2, , 1] <- NA
  expect_equal(rdm(responses(values, event = 1:4)), rdm(values))
})

test_that("results do not depend on the number of threads", {
  values <- array(rnorm(40 * 30 * 5), c(40, 30, 5))
  of <- function(threads) {
    withr::local_options(repalign.threads = threads)
    list(rdm(values), rdm(values, distance = "correlation"), noise_covariance(values))
  }
  expect_identical(of(1), of(2))
})

test_that("missing pairs are NA, with a warning that counts them", {
  values <- array(rnorm(5 * 6 * 3), c(5, 6, 3))
  values[1, , 1:2] <- NA
  expect_warning(d <- rdm(values), "4 of 10 pairs of conditions have fewer than two runs",
                 class = "repalign_undefined")
  expect_identical(which(is.na(d)), 1:4)
  expect_false(any(is.nan(d)))
  expect_identical(as.data.frame(d)$pairs[1:5], c(0L, 0L, 0L, 0L, 3L))
  values[2:5, , 2:3] <- NA
  expect_error(rdm(values), "no two conditions have two runs", class = "repalign_error_size")
})

test_that("lists of data give lists of RDMs", {
  values <- lapply(1:2, function(i) x + i * rnorm(length(x)))
  names(values) <- c("a", "b")
  rdms <- rdm(values, design$condition, design$run)
  expect_s3_class(rdms, "repalign_rdms")
  expect_identical(rdms$b, rdm(values$b, design$condition, design$run))
  expect_s3_class(rdms["b"], "repalign_rdms")
  expect_identical(names(as.data.frame(rdms)), c("rdm", "x", "y", "dissimilarity", "pairs"))
  other <- list(b = values$b[holes$kept, ], a = x)
  each <- suppressWarnings(rdm(other, list(a = design$condition,
                                           b = design$condition[holes$kept]),
                               list(a = design$run, b = design$run[holes$kept])))
  expect_identical(names(each), c("b", "a"))
  expect_identical(each$a, rdm(x, design$condition, design$run))
  noise <- list(a = random_precision(9), b = random_precision(9))
  both <- rdm(values, design$condition, design$run, noise = noise)
  expect_identical(both$b, rdm(values$b, design$condition, design$run, noise = noise$b))
  values$b[3, 2] <- NA
  expect_error(rdm(values, design$condition, design$run), "x\\$b: .*row 3, column 2",
               class = "repalign_error_nonfinite")
  expect_error(rdm(values, list(a = design$condition), design$run), "`condition`.*\"b\"",
               class = "repalign_error_labels")
  arrays <- list(s = array(rnorm(60), c(4, 5, 3)))
  arrays$s[1, , 1:2] <- NA
  expect_warning(rdm(arrays), "x\\$s: 3 of 6", class = "repalign_undefined")
})

refused <- function(code, class, text) {
  error <- expect_error(code, class = class)
  expect_match(conditionMessage(error), text)
}

test_that("bad labels are refused", {
  size <- "repalign_error_size"
  labels <- "repalign_error_labels"
  condition <- design$condition
  run <- design$run
  refused(rdm(x, condition), "repalign_error_missing", "`run` is missing.*sqeuclidean")
  refused(rdm(x, run = run), "repalign_error_missing", "`condition` is missing")
  refused(rdm(x, condition, rep(1, length(run))), size, "`run` names one run")
  refused(rdm(x, rep("a", length(run)), run), size, "`condition` names one condition")
  refused(rdm(x, condition[-1], run), labels, "`condition` has 55 labels.*56 rows")
  refused(rdm(x, replace(condition, 4, NA), run), labels, "`condition`.*row 4")
  refused(rdm(x, condition, list(1)), labels, "`run` must be a vector of labels")
  values <- array(rnorm(60), c(5, 4, 3))
  refused(rdm(values, c("a", "b", "c", "c", "d")), labels, "`condition` has the label \"c\"")
  refused(rdm(values, run = 1:2), labels, "`run` has 2 labels.*3 repeats")
  refused(rdm(values[, , 1, drop = FALSE]), size, "`run` names one run")
})

test_that("bad data are refused", {
  condition <- design$condition
  run <- design$run
  nonfinite <- "repalign_error_nonfinite"
  refused(rdm(replace(x, 60, NA), condition, run), nonfinite, "`x`.*row 4, column 2")
  values <- array(rnorm(60), c(5, 4, 3))
  refused(rdm(replace(values, 1, NA)), nonfinite, "1 pattern, first condition 1, repeat 1")
  refused(rdm(replace(values, 1, Inf)), nonfinite, "`x` has 1 infinite value")
  values[2, , ] <- NA
  refused(rdm(values, distance = "sqeuclidean"), nonfinite, "no observation of condition 2")
  refused(rdm(values * NA), nonfinite, "only missing values")
  counts <- matrix(rpois(length(x), 2), nrow(x)) + 0
  kept <- !(condition == 3 & run == 2)
  refused(rdm(counts[kept, ], condition[kept], run[kept], distance = "poisson_cv"), nonfinite,
          "condition \"3\" in run \"2\"")
  refused(rdm(x, condition, distance = "poisson"), "repalign_error_value", "negative")
  refused(rdm(0 * counts, condition, distance = "poisson", prior_weight = 0),
          "repalign_error_value", "`prior_weight`")
  flat <- x[1:4, ]
  flat[2, ] <- 3
  refused(rdm(flat, distance = "correlation"), "repalign_error_constant_row", "first 2")
  refused(rdm(x[, 1, drop = FALSE], condition, distance = "correlation"), "repalign_error_size",
          "one channel")
  expect_warning(rdm(x[, 1:2], condition, distance = "correlation"),
                 class = "repalign_degenerate")
  refused(rdm(1e200 * x, condition, run), "repalign_error_value", "too large")
  refused(rdm(letters), "repalign_error_type", "`x`")
  refused(rdm(x, condition, distance = "sqeuclidean", weights = "repeats"),
          "repalign_error_value", "`weights` = \"repeats\" is about pairs of runs")
})

test_that("bad noise is refused", {
  condition <- design$condition
  run <- design$run
  value <- "repalign_error_value"
  precision <- random_precision(9)
  of <- function(noise, distance = "crossnobis") {
    rdm(x, condition, run, distance = distance, noise = noise)
  }
  for (distance in c("correlation", "poisson", "poisson_cv", "sqeuclidean")) {
    refused(of(precision, distance), value, "`noise` has no meaning")
  }
  refused(of(NULL, "mahalanobis"), "repalign_error_missing", "noise_precision")
  refused(of(precision[-1, -1]), value, "8 x 8.*9 channels")
  refused(of(replace(precision, 2, 5)), value, "not symmetric")
  refused(of(-precision), value, "not positive definite")
  refused(of(replace(precision, 1, NA)), value, "missing")
  refused(of("yes"), value, "numeric matrix")
  refused(of(list(precision), "mahalanobis"), "repalign_error_type", "is a list")
  refused(of(list(precision, precision)), value, "2 elements")
  each <- rep(list(solve(precision)), 4)
  refused(of(stats::setNames(each, c(1:3, 7))), "repalign_error_labels", "run \"4\"")
  refused(of(replace(each, 3, list(-precision))), value, "run \"3\".*positive definite")
  refused(of(noise_covariance(x, condition)), value, "is a covariance")
  refused(of(noise_precision(x, condition, run, by_run = TRUE)), value, "precisions")
  named <- x
  colnames(named) <- letters[1:9]
  other <- noise_precision(named, condition)
  expect_equal(rdm(named, condition, run, noise = noise_precision(named[, 9:1], condition)),
               rdm(named, condition, run, noise = other))
  dimnames(other) <- list(LETTERS[1:9], LETTERS[1:9])
  refused(rdm(named, condition, run, noise = other), "repalign_error_names", "none is \"a\"")
})

test_that("bad settings are refused", {
  counts <- abs(x)
  value <- "repalign_error_value"
  refused(rdm(counts, distance = "poisson", center_patterns = TRUE), value, "center_patterns")
  refused(rdm(counts, distance = "poisson", prior_rate = 0), value, "prior_rate")
  refused(rdm(counts, distance = "poisson", prior_weight = -1), value, "prior_weight")
  refused(rdm(x, distance = "cosine"), "repalign_error_choice", "`distance` cannot be")
  refused(rdm(x, weights = "all"), "repalign_error_choice", "weights")
  refused(rdm(), "repalign_error_missing", "`x` is missing")
})

test_that("data whose squares are too small for a double are refused, equal patterns are not", {
  tiny <- function(unit, ...) rdm(unit * x, design$condition, design$run, ...)
  for (distance in c("crossnobis", "sqeuclidean")) {
    for (unit in c(1e-160, 1e-170)) {
      refused(tiny(unit, distance = distance), "repalign_error_value", "too small")
    }
    expect_equal(as.vector(tiny(1e-140, distance = distance)) * 1e140 * 1e140,
                 as.vector(tiny(1, distance = distance)))
  }
  equal <- rdm(matrix(2, 3, 4), distance = "sqeuclidean")
  expect_identical(as.vector(equal), c(0, 0, 0))
})

test_that("conditions of one name, and repeats of one name, are not taken for different ones", {
  values <- array(rnorm(4 * 5 * 4), c(4, 5, 4), list(c("a", "b", "b", "c"), NULL, NULL))
  refused(rdm(values), "repalign_error_labels", "row name \"b\" more than once")
  refused(rdm(values, distance = "sqeuclidean"), "repalign_error_labels", "row name \"b\"")
  dimnames(values) <- list(NULL, NULL, c("r1", "r1", "r2", "r2"))
  refused(rdm(values), "repalign_error_labels", "name \"r1\" for several repeats")
  plain <- unname(values)
  expect_identical(rdm(values, run = dimnames(values)[[3]]), rdm(plain, run = c(1, 1, 2, 2)))
  expect_identical(rdm(values, distance = "sqeuclidean"), rdm(plain, distance = "sqeuclidean"))
})

test_that("covariances of runs are what noise_covariance() returned, or it is said; text sorts", {
  set.seed(8)
  x <- matrix(rnorm(12 * 4 * 3), 48)
  condition <- rep(1:4, 12)
  run <- rep(1:12, each = 4)
  covariances <- noise_covariance(matrix(rnorm(240 * 3), 240), run = rep(1:12, each = 20),
                                  by_run = TRUE)
  expect_silent(found <- rdm(x, condition, run, noise = covariances))
  plain <- lapply(covariances, function(s) matrix(as.vector(s), 3))
  expect_message(again <- rdm(x, condition, run, noise = plain), class = "repalign_plain_noise")
  expect_equal(as.vector(again), as.vector(found))
  expect_silent(rdm(x, condition, run, noise = unname(covariances)))
  expect_error(rdm(x, condition, as.character(run), noise = unname(covariances)), "sort as text",
               class = "repalign_error_labels")
  expect_equal(as.vector(rdm(x, condition, as.character(run), noise = covariances)),
               as.vector(found))
})

test_that("a table of all subjects gives an RDM for each", {
  set.seed(9)
  table <- expand.grid(condition = c("b", "a", "c"), run = 1:3, subject = c("s2", "s1"),
                       stringsAsFactors = FALSE)
  channels <- matrix(rnorm(18 * 4), 18, dimnames = list(NULL, paste0("v", 1:4)))
  data <- cbind(table, channels)[sample(18), ]
  found <- rdm(data, condition = "condition", run = "run", subject = "subject")
  expect_identical(names(found), unique(data$subject))
  for (name in names(found)) {
    rows <- data$subject == name
    alone <- rdm(as.matrix(data[rows, 4:7]), factor(data$condition[rows], attr(found$s1, "Labels")),
                 data$run[rows])
    expect_equal(as.vector(found[[name]]), as.vector(alone))
  }
  levels <- transform(data, subject = factor(subject, c("s1", "s2")))
  expect_identical(names(rdm(levels, "condition", "run", subject = "subject")), c("s1", "s2"))
  # labels as they are, and for crossed trials
  expect_equal(rdm(as.matrix(data[4:7]), data$condition, data$run, subject = data$subject), found)
  ordered <- data[order(data$run), ]
  crossed <- rdm(ordered[names(ordered) != "run"], "condition", TRUE, subject = "subject")
  expect_equal(as.vector(crossed$s1),
               as.vector(rdm(ordered, "condition", "run", subject = "subject")$s1))
  expect_error(rdm(list(a = channels), subject = 1:18), "`x` is", class = "repalign_error_labels")
  expect_error(rdm(channels, rep(1:3, 6), subject = 1:3), "`subject` has 3 labels",
               class = "repalign_error_labels")
})

test_that("match_rows() takes RDMs, arrays and lists of them", {
  set.seed(10)
  named <- function(stimuli, d) matrix(rnorm(length(stimuli) * d), length(stimuli),
                                       dimnames = list(stimuli, NULL))
  x <- named(letters[1:6], 3)
  y <- named(c("f", "c", "z", "a"), 3)
  common <- c("a", "c", "f")
  found <- suppressMessages(match_rows(list(dist = dist(x), rdm = rdm(x, distance = "sqeuclidean"),
                                            square = as.matrix(dist(x)), data = x,
                                            trials = array(x, c(6, 3, 2),
                                                           list(letters[1:6], NULL, NULL))),
                                       dist(y)))
  whole <- as.matrix(dist(x))[common, common]
  expect_equal(as.matrix(found$x$dist), whole, ignore_attr = TRUE)
  expect_identical(attr(found$x$dist, "Labels"), common)
  expect_s3_class(found$x$rdm, "repalign_rdm")
  expect_identical(attr(found$x$rdm, "Labels"), common)
  expect_equal(found$x$square, whole)
  expect_equal(found$x$data, x[common, ])
  expect_identical(dim(found$x$trials), c(3L, 3L, 2L))
  expect_equal(as.matrix(found$y), as.matrix(dist(y))[common, common], ignore_attr = TRUE)
  expect_error(match_rows(dist(unname(x)), dist(y)), "no row names", class = "repalign_error_rows")
})

test_that("a plain matrix of noise is a precision, and a message says so", {
  set.seed(39)
  x <- matrix(stats::rnorm(40 * 4), 40)
  condition <- rep(1:8, 5)
  plain <- diag(1:4)
  expect_message(found <- rdm(x, condition, distance = "mahalanobis", noise = plain),
                 "precision of the noise", class = "repalign_note_noise")
  centres <- rowsum(x, condition) / 5
  expect_equal(as.vector(found), as.vector(dist(centres %*% sqrt(plain)))^2 / 4)
  expect_no_condition(rdm(x, condition, distance = "mahalanobis",
                          noise = noise_precision(x, condition)), class = "repalign_note_noise")
  expect_no_condition(rdm(x, condition, distance = "sqeuclidean"), class = "repalign_note_noise")
})

test_that("a list of noise that lacks an element of `x` says which", {
  set.seed(10)
  x <- array(rnorm(16 * 5 * 4), c(16, 5, 4))
  x <- list(a = x, b = x, c = x)
  noise <- lapply(x, noise_precision)
  expect_refused(rdm(x, noise = noise[1:2]), "`noise` has no element \"c\"")
  # and so of plain matrices
  expect_refused(rdm(x, run = 1:4, noise = list(a = diag(5))), "`noise` has no element \"b\"")
  # elements may be called as runs are, which covariances are of
  runs <- noise_covariance(x$a, run = c(1, 1, 2, 2), by_run = TRUE)
  numbered <- stats::setNames(x, 1:3)
  expect_named(rdm(numbered, run = c(1, 1, 2, 2), noise = runs), c("1", "2", "3"))
})
