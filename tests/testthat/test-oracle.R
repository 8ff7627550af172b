# Every measure against its definition, coded plainly in helper-definitions.R, on small
# inputs of several shapes.

# inputs are tiny: threads would only wait for each other
withr::local_options(repalign.threads = 1)

oracle_inputs <- function() {
  set.seed(11)
  related <- function(n, d, e) related_pair(n, d, e, d = min(d, e, 3), noise = 0.7)
  shifted <- function(p) lapply(p, function(x) sweep(x, 2, rnorm(ncol(x)), "+"))
  list(
    narrower = shifted(related(14, 3, 5)), wider = shifted(related(14, 6, 4)),
    equal = shifted(related(12, 5, 5)),
    unrelated = list(x = normal_matrix(12, 4), y = normal_matrix(12, 4)),
    more_columns = shifted(related(6, 7, 6)), square = shifted(related(7, 6, 7)),
    skewed = lapply(related(13, 4, 4), exp)
  )
}

# Where chance or an arbitrary basis decides, there is no value to compare with: rows of one
# column have equal cosines, and of two equal correlations.
has_no_value <- function(id, args, x, y) {
  narrow <- min(ncol(x), ncol(y))
  if (id == "pwcca") return(ncol(x) + ncol(y) > nrow(x) - 1)
  if (uses_graph(id, args)) {
    return(narrow < switch(metric_of(id, args), cosine = 2, dot = , euclidean = 1, correlation = 3))
  }
  id == "rsa" && narrow < switch(c(args$inner, "correlation")[1], correlation = 3, cosine = 2, 1)
}

# All assignments of more than 7 columns, and all pairs of many distances (for tau, and the
# covariance of whitened comparisons), are too many to try.
is_too_large <- function(id, args, x, y) {
  assigned <- id == "permutation_procrustes" ||
    (id == "hard_correlation_match" && is.null(args$matching))
  squared <- isTRUE(args$outer %in% c("kendall", "tau_b", "whitened_cosine", "whitened_pearson"))
  (assigned && max(ncol(x), ncol(y)) > 7) || (squared && nrow(x) > 40)
}

# The definition of imd takes all eigenvalues, the measure a polynomial.
oracle_tolerance <- function(id, expected) {
  if (id == "imd") return(1e-6)
  # roots of eigenvalues of rounding size
  if (id %in% c("bures", "bures_distance")) return(1e-7 * max(1, abs(expected)))
  1e-10 * max(1, abs(expected))
}

# Roots of differences of nearly equal numbers keep half the digits: near 0 their squares are
# compared.
near_definition <- function(id, value, expected) {
  if (id %in% c("gulp", "shape_distance") && expected < 1e-3) {
    value <- value^2
    expected <- expected^2
  }
  isTRUE(abs(value - expected) <= oracle_tolerance(id, expected))
}

note_definition <- function(id, args, name, x, y, which) {
  if (has_no_value(id, args, x, y) || is_too_large(id, args, x, y)) return(invisible())
  expected <- do.call(paste0("def_", id), c(list(x, y), args))
  value <- tryCatch(score(id, x, y, args), error = function(e) conditionMessage(e))
  good <- is.numeric(value) && near_definition(id, value, expected)
  note(good, sprintf("%s on %s: %s, by definition %.15g", name, which,
                       format(value, digits = 15), expected))
}

test_that("every measure has a definition here", {
  expect_identical(setdiff(plain_measures()$id, names(settings())), character())
  for (id in names(settings())) expect_true(exists(paste0("def_", id)), label = id)
})

test_that("values are those of the definitions, also in the other order", {
  inputs <- oracle_inputs()
  for (which in names(inputs)) {
    x <- inputs[[which]][[1]]
    y <- inputs[[which]][[2]]
    each_setting(function(id, args, name) {
      if (id == "rtd") return() # has a test of its own
      note_definition(id, args, name, x, y, which)
      if (which %in% c("narrower", "more_columns")) {
        note_definition(id, args, name, y, x, paste(which, "turned"))
      }
    })
  }
  expect_nothing_noted()
})

# Numbers of rows, of columns of both, and of neighbours.
oracle_shapes <- list(
  c(5, 1, 2, 3), c(5, 3, 3, 4), c(4, 5, 4, 3), c(8, 2, 12, 7), c(12, 40, 3, 11), c(12, 30, 15, 5),
  c(25, 10, 12, 10), c(30, 1, 1, 15), c(30, 1, 40, 29), c(31, 31, 31, 4), c(40, 1, 6, 10),
  c(60, 8, 3, 40), c(120, 5, 9, 10)
)

test_that("values are those of the definitions for every shape", {
  skip_unless_extended()
  for (shape in oracle_shapes) {
    set.seed(sum(shape))
    p <- related_pair(shape[1], shape[2], shape[3])
    p <- lapply(p, function(x) sweep(x, 2, rnorm(ncol(x)), "+"))
    each_setting(function(id, args, name) {
      if (id == "rtd") return()
      note_definition(id, args, name, p$x, p$y, paste(shape, collapse = " "))
    }, shape[4])
  }
  expect_nothing_noted()
})

test_that("one neighbour, two neighbours, and all the others", {
  inputs <- oracle_inputs()
  for (which in c("narrower", "more_columns")) {
    x <- inputs[[which]][[1]]
    y <- inputs[[which]][[2]]
    for (k in c(1, 3, nrow(x) - 1)) {
      each_setting(function(id, args, name) {
        if (is.null(args[["k"]]) ||
            (k < 3 && (id == "mka" || identical(args$kernel, "manifold")))) return()
        note_definition(id, args, name, x, y, paste(which, "k =", k))
      }, k)
    }
  }
  expect_nothing_noted()
})

test_that("default numbers of neighbours are 10, 15 and 5", {
  set.seed(12)
  p <- related_pair(25, 4, 6)
  graphs <- Filter(uses_graph, intersect(names(settings()), measures()$id))
  for (id in graphs) note_definition(id, list(), id, p$x, p$y, "defaults")
  if (has_manifold()) {
    note_definition("cka", list(kernel = "manifold"), "cka manifold", p$x, p$y, "defaults")
  }
  expect_nothing_noted()
})

test_that("rtd is the sum of the bars of the doubled complex", {
  for (seed in 1:6) {
    set.seed(seed)
    n <- 3 + seed
    x <- normal_matrix(n, 1 + seed %% 4)
    y <- normal_matrix(n, 3)
    # and equal distances
    for (z in list(y, round(2 * y))) {
      note_definition("rtd", list(), "rtd", x, z, paste(n, "rows"))
      note_definition("rtd", list(), "rtd", z, x, paste(n, "rows turned"))
    }
  }
  set.seed(7)
  x <- normal_matrix(10, 2)
  angle <- 2 * pi * (1:10) / 10
  circle <- cbind(cos(angle), sin(angle)) + 0.01 * normal_matrix(10, 2)
  note_definition("rtd", list(), "rtd", circle, x, "circle")
  expect_nothing_noted()
})

test_that("rtd of random subsets is a mean of the values of subsets", {
  set.seed(8)
  x <- normal_matrix(7, 2)
  y <- normal_matrix(7, 2)
  subsets <- combn(7, 6, function(rows) def_rtd(x[rows, ], y[rows, ]))
  single <- vapply(1:12, function(seed) {
    set.seed(seed)
    rtd(x, y, batch = 6, trials = 1)
  }, 0)
  # each is the value of one of the subsets, and not always the same
  expect_true(all(vapply(single, function(v) min(abs(v - subsets)) < 1e-8, NA)))
  expect_gt(length(unique(round(single, 8))), 2)
  many <- rtd(x, y, batch = 6, trials = 300)
  expect_lt(abs(many - mean(subsets)), 5 * sd(subsets) / sqrt(300))
  whole <- def_rtd(x, y)
  expect_equal(rtd(x, y, batch = 7), whole, tolerance = 1e-8)
  expect_equal(rtd(x, y, batch = Inf), whole, tolerance = 1e-8)
  expect_equal(rtd(x, y), whole, tolerance = 1e-8)
})

test_that("more Chebyshev terms bring imd to the value from all eigenvalues", {
  set.seed(9)
  x <- normal_matrix(30, 2)
  y <- normal_matrix(30, 6)
  expected <- def_imd(x, y)
  errors <- vapply(c(4, 8, 12, 20), function(p) abs(imd(x, y, degree = p) - expected), 0)
  expect_lt(errors[2] / expected, 1e-4)
  expect_lt(errors[3] / expected, 1e-7)
  expect_lt(errors[4] / expected, 1e-11)
  expect_gt(errors[1], errors[3])
})

test_that("optimal assignments are optimal for many columns, and greedy is not better", {
  skip_if_not_installed("clue")
  set.seed(10)
  x <- normal_matrix(20, 15)
  y <- normal_matrix(20, 22)
  assign <- function(gain) {
    to <- clue::solve_LSAP(gain - min(gain), maximum = TRUE)
    sum(gain[cbind(seq_along(to), as.integer(to))])
  }
  best <- assign(cor(x, y)) / 15
  expect_equal(hard_correlation_match(x, y), best, tolerance = 1e-10)
  expect_equal(hard_correlation_match(y, x), best, tolerance = 1e-10)
  expect_lte(hard_correlation_match(x, y, matching = "greedy"), best + 1e-12)
  gain <- assign(crossprod(def_pad(x, 22), y))
  value <- sqrt(sum(x^2) + sum(y^2) - 2 * gain)
  expect_equal(permutation_procrustes(x, y), value, tolerance = 1e-10)
  expect_equal(permutation_procrustes(y, x), value, tolerance = 1e-10)
})
