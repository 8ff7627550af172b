# Laws of similarity(): a grid is its single calls, whatever the company, the order and the threads.

# inputs are tiny: threads would only wait for each other
withr::local_options(repalign.threads = 1)

test_that("a grid of all measures is all single calls", {
  l <- tie_free()
  set <- all_measures()
  result <- quietly(similarity(l, l, set))
  expect_identical(nrow(result), 9L * length(set))
  for (i in seq_len(nrow(result))) {
    m <- set[[(i - 1) %% length(set) + 1]]
    x <- l[[result$x[i]]]
    y <- l[[result$y[i]]]
    value <- single(m, x, y)
    turned <- if (is_symmetric(m)) single(m, y, x) else value
    # of x with itself distances are roots of rounding errors
    same <- if (result$x[i] == result$y[i]) abs(result$score[i] - value) < 1e-6
            else rounded_alike(result$score[i], value) || rounded_alike(result$score[i], turned)
    note(same,
           sprintf("%s of %s and %s: %.17g in the grid, %.17g alone", result$measure[i],
                   result$x[i],
                   result$y[i], result$score[i], value))
  }
  expect_nothing_noted()
})

test_that("a measure alone, in any company and in any order, is the same", {
  l <- tie_free()
  set <- all_measures()
  together <- quietly(similarity(l$a, l$b, set))$score
  reversed <- rev(quietly(similarity(l$a, l$b, rev(set)))$score)
  expect_identical(reversed, together)
  for (i in seq_along(set)) {
    expect_identical(quietly(similarity(l$a, l$b, set[[i]]))$score, together[i],
                     label = set[[i]]$label)
  }
})

test_that("a measure object is its function with the arguments", {
  l <- tie_free()
  each_setting(function(id, args, name) {
    m <- measure_with(id, args)
    in_grid <- quietly(similarity(l$b, l$a, m))$score
    alone <- score(id, l$b, l$a, args)
    expect_rounded(in_grid, alone, label = name)
  })
})

test_that("a list against itself is symmetric where the measure is", {
  l <- tie_free()
  set <- all_measures()
  result <- quietly(similarity(l, l, set))
  labels <- unique(result$measure)
  for (i in seq_along(set)) {
    if (!is_symmetric(set[[i]])) next
    grid <- score_matrix(result, labels[i])
    expect_identical(unname(grid), unname(t(grid)), label = labels[i])
  }
  # all pairs of a list are the upper part of that grid
  pairs <- quietly(similarity(l, measure = set, diagonal = TRUE))
  whole <- paste(result$x, result$y, result$measure)
  expect_identical(pairs$score, result$score[match(paste(pairs$x, pairs$y, pairs$measure), whole)])
})

test_that("the number of threads changes nothing", {
  l <- tie_free()
  set <- all_measures()
  set.seed(1)
  one <- quietly(similarity(l, l, set, threads = 1))
  set.seed(1)
  two <- quietly(similarity(l, l, set, threads = 2))
  expect_identical(two$score, one$score)
  # also where there is more to share out
  expect_same_threads <- function(n, d, set) {
    set.seed(2)
    p <- related_pair(n, d, d - 3)
    scores <- lapply(c(1, 3), function(threads) {
      quietly(similarity(p$x, p$y, set, threads = threads))$score
    })
    expect_identical(scores[[2]], scores[[1]])
    expect_false(anyNA(scores[[1]]))
  }
  corrected <- measure("cka", estimator = "stimulus_neuron")
  expect_same_threads(700, 40, c(Filter(function(m) m$id != "rtd", set), list(corrected)))
  expect_same_threads(120, 5, "rtd")
})
