# The null of the estimators from trials: all permutations at once, and one by one.

trials_of <- function(n, q, trials, signal, noise) {
  means <- signal %*% matrix(rnorm(ncol(signal) * q), ncol(signal))
  shared <- noise[, rep_len(seq_len(dim(noise)[2]), q), seq_len(trials), drop = FALSE]
  array(rep(means, trials), c(n, q, trials)) + shared + array(rnorm(n * q * trials), dim(shared))
}

set.seed(1)
signal <- matrix(rnorm(20 * 6), 20)
noise <- array(rnorm(20 * 4 * 4), c(20, 4, 4))
areas <- list(x = trials_of(20, 7, 3, signal, noise), y = trials_of(20, 9, 3, signal, noise),
              four = trials_of(20, 5, 4, signal, noise))
apart <- list(x = responses(areas$x, session = rep("a", 7)),
              y = responses(areas$y, session = rep("b", 9)))
of_means <- function(...) measure("cka", estimator = "stimulus_trial", ...)
neuron_trial <- measure("cka", estimator = "stimulus_neuron_trial")

# Null scores of both ways, and how often the slow one compared a pair.
expect_same_null <- function(x, y, measure, permutations = 20, engine = "random", fast = TRUE,
                             tolerance = 1e-10) {
  null_of <- function() {
    set.seed(2)
    suppressWarnings(suppressMessages(calibrate(x, y, measure, permutations = permutations,
                                                engine = engine)))
  }
  found <- NULL
  single <- count_calls("permuted_score", found <- null_of())
  expect_identical(single == 0, fast)
  local_internal("trials_fit", function(measure, pairs, sides) rep(FALSE, nrow(pairs)))
  plain <- null_of()
  expect_equal(null_scores(found), null_scores(plain), tolerance = tolerance)
  expect_identical(found$p_value, plain$p_value)
}

test_that("sides that were not recorded together have the null of their means", {
  for (engine in c("random", "coset")) {
    expect_same_null(apart$x, apart$y, neuron_trial, engine = engine)
    expect_same_null(apart$x, apart$y, of_means(kernel = "rbf"), engine = engine)
  }
  expect_same_null(responses(areas$x), as.matrix(responses(areas$y)), neuron_trial)
  expect_same_null(apart$x, apart$y, measure("angular_cka", estimator = "stimulus_trial"))
  # trials that lack change the means alone, as long as every neuron has some
  lacking <- areas$x
  lacking[3, , 3] <- lacking[5, 2, 1] <- NA
  expect_same_null(responses(lacking, session = rep("a", 7)), apart$y, of_means())
  lacking[5, 2, ] <- NA
  expect_same_null(responses(lacking, session = rep("a", 7)), apart$y, of_means(), fast = FALSE)
})

test_that("neurons of both sides are left out of the null, too", {
  named <- function(area, ids, session) {
    responses(areas[[area]], neuron = ids, session = rep(session, length(ids)))
  }
  expect_same_null(named("x", 1:7, "a"), named("y", 4:12, "b"), neuron_trial)
  expect_same_null(list(one = named("x", 1:7, "a"), two = named("x", 21:27, "c")),
                   list(three = named("y", 4:12, "b"), four = named("y", 20:28, "d")),
                   neuron_trial)
  # of areas that were recorded together, whole, in parts, and with trials in another order
  expect_same_null(responses(areas$x, neuron = 1:7), responses(areas$y, neuron = 4:12),
                   neuron_trial, permutations = 5)
  order <- t(replicate(20, sample(3)))
  mixed <- areas$y
  for (i in 1:20) mixed[i, , ] <- mixed[i, , order[i, ]]
  label <- function(numbers) matrix(paste0("t", numbers), 20)
  x <- responses(areas$x, neuron = c(1:4, 1:3), session = rep(c("a", "b"), c(4, 3)),
                 trial = label(rep(1:3, each = 20)))
  y <- responses(mixed, neuron = c(1:4, 1, 2, 2, 3, 3), trial = label(order),
                 session = rep(c("a", "b", "c"), c(4, 3, 2)))
  for (engine in c("random", "coset")) expect_same_null(x, y, neuron_trial, 5, engine)
})

test_that("sides that were recorded together have the null of their different trials", {
  for (engine in c("random", "coset")) {
    expect_same_null(responses(areas$x), responses(areas$y), neuron_trial, engine = engine)
    expect_same_null(responses(areas$x), responses(areas$y), of_means(kernel = "rbf"),
                     engine = engine, permutations = 10)
  }
  # two trials are the fewest
  expect_same_null(responses(areas$x[, , 1:2]), responses(areas$y[, , 1:2]), neuron_trial)
  # sessions that both sides have in part
  expect_same_null(responses(areas$x, session = c("a", "a", "b", "b", "c", "c", "c")),
                   responses(areas$y, session = rep(c("b", "c", "d"), each = 3)), neuron_trial)
})

test_that("trials go by their labels under permutations", {
  order <- t(replicate(20, sample(3)))
  mixed <- areas$y
  for (i in 1:20) mixed[i, , ] <- mixed[i, , order[i, ]]
  label <- function(numbers) matrix(paste0("t", numbers), 20)
  x <- responses(areas$x, trial = label(rep(1:3, each = 20)))
  y <- responses(mixed, trial = label(order))
  expect_same_null(x, y, neuron_trial)
  expect_same_null(x, y, of_means(kernel = "rbf"), permutations = 5)
  # the order of the trials in the arrays says nothing
  null_of <- function(x, y) {
    set.seed(3)
    null_scores(suppressMessages(calibrate(x, y, neuron_trial, permutations = 19)))
  }
  expect_equal(null_of(x, y), null_of(responses(areas$x), responses(areas$y)), tolerance = 1e-10)
})

test_that("a grid has the nulls of its pairs", {
  x <- list(a = responses(areas$x), b = responses(areas$y))
  y <- list(c = responses(areas$y), d = responses(areas$x), e = areas$y[, , 1])
  expect_same_null(x, y, neuron_trial, engine = "coset")
  # other numbers of trials within one pair are compared one by one
  expect_same_null(x, list(f = responses(areas$four)), neuron_trial, permutations = 5,
                   fast = FALSE)
  # and the other pairs of their grid are not
  four <- c(y, list(f = responses(areas$four)))
  single <- function(y) {
    count_calls("permuted_score", suppressMessages(
      calibrate(x, y, neuron_trial, permutations = 5, engine = "random")))
  }
  expect_identical(single(four), single(four["f"]))
  expect_same_null(x, four, neuron_trial, engine = "coset", permutations = 5, fast = FALSE)
  groups <- list(g = responses(areas$four), h = responses(areas$four[, 5:1, ]))
  expect_same_null(c(x["a"], groups), y = NULL, neuron_trial, permutations = 5, fast = FALSE)
  expect_same_null(groups, y = NULL, neuron_trial)
})

test_that("trials that lack and runs have the null that they had", {
  lacking <- areas$x
  lacking[3, , 3] <- NA
  expect_same_null(responses(lacking), responses(areas$y), of_means(), permutations = 5,
                   fast = FALSE)
  expect_same_null(responses(areas$x, run = TRUE), responses(areas$y, run = TRUE), of_means(),
                   permutations = 5, fast = FALSE)
})

test_that("whole clusters of stimuli change places in all permutations at once", {
  codes <- sample(rep(c(1:6, NA), c(3, 3, 3, 3, 3, 3, 2)))
  clustered <- function(x, y) {
    expect_same_null(x, y, measure("cka", estimator = "stimulus_neuron_trial", clusters = codes),
                     5, "auto", tolerance = 1e-12)
  }
  # recorded apart, one side without trials, together, and trials in another order
  clustered(apart$x, apart$y)
  clustered(responses(areas$x), list(a = areas$y[, , 1], b = areas$x[, , 2]))
  clustered(list(a = responses(areas$x), b = responses(areas$y)), NULL)
  order <- t(replicate(20, sample(3)))
  clustered(responses(areas$x), responses(areas$y, trial = order))
  # with neuron pairs that are left out, and sessions that both sides have in part
  clustered(responses(areas$x, neuron = 1:7), responses(areas$y, neuron = 4:12))
  clustered(responses(areas$x, session = c("a", "a", "b", "b", "c", "c", "c")),
            responses(areas$y, session = rep(c("b", "c", "d"), each = 3)))
})
