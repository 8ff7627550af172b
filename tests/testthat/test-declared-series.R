# series = of responses(): the order of the stimuli in time.

set.seed(1)
walk <- function(d) apply(matrix(rnorm(60 * d), 60), 2, cumsum)
x <- walk(4)
y <- walk(3)
rownames(x) <- rownames(y) <- paste0("t", 1:60)
turned <- sample(60)
quiet <- function(code) suppressWarnings(suppressMessages(code))

test_that("times are in equal steps, in any order, by name, of rows as of trials", {
  times <- function(...) unclass(responses(...))$series
  expect_null(times(x))
  expect_identical(times(x, series = TRUE), 1:60)
  expect_identical(times(x[turned, ], series = turned), order(order(turned)))
  expect_identical(times(x, series = seq(0.5, by = 0.1, length.out = 60)), 1:60)
  named <- setNames(as.double(turned), rownames(x)[turned])
  expect_identical(times(x, series = named), 1:60)
  # two trials of each stimulus, in a matrix, an array, a long and a wide table
  both <- rbind(unname(x), unname(x) + 1)
  labels <- rep(paste0("s", 1:60), 2)
  expect_identical(times(both, labels, series = rep(60:1, 2)), 60:1)
  expect_identical(times(both, labels, series = TRUE), 1:60)
  array <- array(both, c(60, 4, 2))
  expect_identical(times(array, series = 60:1), 60:1)
  wide <- data.frame(time = rep(60:1, 2), image = labels, both)
  expect_identical(times(wide, "image", series = "time"), 60:1)
  long <- data.frame(time = rep(60:1, 8), image = rep(labels, 4), unit = rep(1:4, each = 120),
                     value = as.vector(both))
  expect_identical(times(long, "image", "unit", series = "time", value = "value"), 60:1)
  # parts keep their places in time
  expect_identical(unclass(responses(x, series = 60:1)[c(3, 1), , ])$series, c(58L, 60L))
  expect_output(print(responses(x, series = TRUE)), "Series: the stimuli follow each other")
})

test_that("unequal steps, equal times and clusters beside are refused", {
  refused <- function(..., pattern) expect_refused(responses(x, ...), pattern)
  refused(series = c(1:59, 70), pattern = "unequal steps.*\"t59\" to \"t60\"")
  refused(series = c(1:59, 1), pattern = "same time.*\"t1\" and \"t60\"")
  refused(series = 1:10, pattern = "10 times, but `x` has 60 rows")
  refused(series = FALSE, pattern = "`series` must be TRUE")
  refused(series = letters, pattern = "`series` must be TRUE")
  refused(series = TRUE, cluster = rep(1:6, 10), pattern = "two ways")
  expect_refused(responses(rbind(x, x), rep(rownames(x), 2), series = 1:120), "has one time")
})

test_that("calibrate() shifts what is declared, in the order of time", {
  run <- function(x, y, ...) {
    set.seed(1)
    quiet(calibrate(x, y, c("cka", "mutual_knn"), ...))
  }
  same <- function(a, b) {
    expect_equal(as.data.frame(a), as.data.frame(b), tolerance = 1e-10)
    expect_equal(null_scores(a), null_scores(b), tolerance = 1e-10)
  }
  linear <- run(x, y, series = "linear")
  same(run(responses(x, series = TRUE), y), linear)
  same(run(responses(x, series = TRUE), responses(y, series = TRUE)), linear)
  # in another order, of one side or of both, named or not
  same(run(responses(x[turned, ], series = turned), y[turned, ]), linear)
  same(run(responses(x[turned, ], series = turned), y), linear)
  same(run(unname(x)[turned, ], responses(unname(y)[turned, ], series = turned)), linear)
  # another kind, named in the call
  same(run(responses(x[turned, ], series = turned), y[turned, ], series = TRUE),
       run(x, y, series = TRUE))
  set.seed(2)
  given <- t(replicate(19, sample(60)))
  expect_identical(as.data.frame(run(responses(x, series = TRUE), y, permutations = given)),
                   as.data.frame(run(x, y, permutations = given)))
  # with a list, and stimulus noise by position
  noise <- exp(seq(-1, 1, length.out = 60))
  shown <- measure("rsa", outer = "whitened_cosine", stimulus_noise = noise[turned])
  plain <- measure("rsa", outer = "whitened_cosine", stimulus_noise = noise)
  found <- quiet(calibrate(list(a = responses(unname(x)[turned, ], series = turned)),
                           list(b = unname(y)[turned, ]), shown, series = TRUE))
  wanted <- quiet(calibrate(unname(x), unname(y), plain, series = TRUE))
  expect_equal(found$score, wanted$score)
  expect_equal(found$p_value, wanted$p_value)
})

test_that("a declaration and an argument that disagree are an error that names both", {
  timed <- responses(x, series = TRUE)
  refused <- function(..., pattern) expect_refused(quiet(calibrate(timed, y, ...)), pattern)
  refused(series = FALSE, pattern = "series = FALSE is given, but `series` of responses\\(\\)")
  refused(blocks = rep(1:6, 10), pattern = "`blocks` is given, but `series` of responses\\(\\)")
  refused(clusters = rep(1:6, 10), pattern = "`clusters` is given, but `series` of responses\\(\\)")
  expect_refused(quiet(calibrate(timed, responses(y, series = 60:1))), "different orders in time")
  clustered <- responses(x, cluster = rep(1:6, 10))
  expect_refused(quiet(calibrate(clustered, y, clusters = rep(1:6, each = 10))),
                 "`clusters` are other clusters than `cluster` of responses\\(\\)")
  expect_refused(quiet(calibrate(clustered, y, blocks = rep(1:6, 10))),
                 "`blocks` is given, but .* has clusters")
  expect_refused(quiet(calibrate(clustered, y, series = TRUE)), "`series` is given, but .* clusters")
  # the same clusters, under other labels, are no disagreement
  expect_identical(cka(clustered, y, estimator = "stimulus", clusters = letters[rep(1:6, 10)]),
                   cka(clustered, y, estimator = "stimulus"))
})

test_that("clusters of a call are those of the measure", {
  labels <- rep(1:20, each = 3)
  set.seed(3)
  for (estimator in c("stimulus", "stimulus_neuron")) {
    bare <- measure("cka", estimator = estimator)
    own <- measure("cka", estimator = estimator, clusters = labels)
    score <- quiet(cka(x, y, estimator = estimator, clusters = labels))
    set.seed(4)
    found <- quiet(calibrate(x, y, bare, permutations = 99, clusters = labels))
    expect_equal(found$score, score, tolerance = 1e-12)
    set.seed(4)
    both <- quiet(calibrate(x, y, own, permutations = 99, clusters = labels))
    expect_identical(both$score, found$score)
    expect_identical(as.vector(null_scores(both)), as.vector(null_scores(found)))
    set.seed(4)
    of_measure <- quiet(calibrate(x, y, own, permutations = 99))
    expect_identical(as.vector(null_scores(of_measure)), as.vector(null_scores(found)))
  }
  # a null score is the estimate of clusters that changed places
  set.seed(4)
  found <- quiet(calibrate(x, y, measure("cka", estimator = "stimulus"), permutations = 9,
                           clusters = labels))
  set.seed(4)
  orders <- vapply(1:9, function(k) sample.int(20), integer(20))
  wanted <- apply(orders, 2, function(order) {
    rows <- as.vector(outer(1:3, 3 * (order - 1), "+"))
    cka(unname(x), unname(y)[rows, ], estimator = "stimulus", clusters = labels)
  })
  expect_equal(sort(as.vector(null_scores(found))), sort(wanted), tolerance = 1e-10)
  expect_refused(quiet(calibrate(x, y, measure("cka", estimator = "stimulus", clusters = labels),
                                 clusters = rev(rep(1:10, 6)))), "`clusters` differ")
})

test_that("the score of the middle half has a label of its own", {
  whole <- quiet(similarity(x, y, c("cka", "rsa")))
  middle <- quiet(calibrate(responses(x, series = TRUE), y,
                            list("cka", measure("rsa", outer = "pearson"), mine = "cka"),
                            permutations = 9))
  expect_identical(middle$measure, c("cka(naive, middle half)", "rsa(pearson, middle half)",
                                     "mine (middle half)"))
  half <- 16:45
  expect_equal(middle$score[1], cka(x[half, ], y[half, ]), tolerance = 1e-10)
  # circular shifts take all rows, and the label says no more
  all <- quiet(calibrate(x, y, c("cka", "rsa"), series = TRUE))
  expect_identical(all$measure, whole$measure)
  expect_equal(all$score, whole$score, tolerance = 1e-10)
})
