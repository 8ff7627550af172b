# THE LAW of the permutation null: null scores of every fast path are those of the measure
# itself on data whose rows were permuted, for the same permutations, to 1e-10 of the scale of
# the statistic before roots.

withr::local_options(repalign.threads = 1)

# k suits the size; may_refuse: correlations over one column are not there.
law_inputs <- function() {
  set.seed(31)
  counts <- list(x = matrix(rpois(22 * 4, 0.8) + 1, 22), y = matrix(rpois(22 * 5, 0.6) + 1, 22))
  # no constant rows
  for (side in names(counts)) counts[[side]][, 1] <- counts[[side]][, 1] + rep(1:2, 11) * 2
  list(
    prime = c(related_pair(23, 5, 8), k = 5),
    even = list(x = exp(normal_matrix(20, 6)), y = normal_matrix(20, 6), k = 5),
    odd = c(related_pair(21, 3, 7), k = 4),
    six = list(x = normal_matrix(6, 3), y = normal_matrix(6, 4), k = 3),
    seven = c(related_pair(7, 4, 4), k = 3),
    wide = c(related_pair(13, 30, 17, d = 6), k = 5),
    ties = c(counts, k = 5)
  )
}

# Values that rest on an arbitrary basis, or on which of several equal assignments is found.
not_unique <- function(id, args, input) {
  if (id == "pwcca") return(qr(input$x)$rank + qr(input$y)$rank > nrow(input$x) - 2)
  id == "hard_correlation_match" && identical(args$matching, "greedy") && nrow(input$x) < 9
}

is_direct <- function(id, args) is.null(null_of(do.call(measure, c(list(id), args))))

test_that("coset: every measure and setting, n prime, even, odd and tiny, d > n, ties", {
  skip_on_cran()
  inputs <- law_inputs()
  for (name in names(inputs)) {
    input <- inputs[[name]]
    n <- nrow(input$x)
    each_paired(function(id, args, setting) {
      if (not_unique(id, args, input)) return()
      # without a fast path the kind of n does not matter
      if (is_direct(id, args) && !name %in% c("six", "wide", "ties")) return()
      # two cosets: that of the identity and another
      law <- note_law(id, args, input$x, input$y, paste(setting, "on", name), permutations = n,
                      engine = "coset", most = if (n < 9) Inf else 7)
      note(law$design$engine == "coset" && law$design$count == 2 * n - 1, setting, ": no cosets")
    }, input$k)
  }
  expect_nothing_noted()
})

test_that("random and exact: every measure and setting", {
  skip_on_cran()
  inputs <- law_inputs()
  for (name in c("seven", "wide", "ties")) {
    input <- inputs[[name]]
    each_paired(function(id, args, setting) {
      if (not_unique(id, args, input)) return()
      note_law(id, args, input$x, input$y, paste(setting, "on", name), permutations = 4,
               engine = "random")
    }, input$k)
  }
  # all permutations of 6 rows, of 5 where each of them takes long
  each_paired(function(id, args, setting) {
    rows <- if (is_direct(id, args)) 1:5 else 1:6
    input <- lapply(inputs$six[c("x", "y")], function(x) x[rows, ])
    if (not_unique(id, args, input)) return()
    law <- note_law(id, args, input$x, input$y, setting, engine = "exact", most = 4)
    note(law$design$count == factorial(length(rows)) - 1, setting, ": not all permutations")
  }, 3)
  expect_nothing_noted()
})

test_that("given permutations, blocks and series: every measure", {
  input <- law_inputs()$even
  n <- nrow(input$x)
  set.seed(32)
  given <- t(replicate(3, sample(n)))
  all <- lapply(paired_settings(5), function(settings) settings[1])
  for (id in names(all)) {
    args <- all[[id]][[1]]
    law <- note_law(id, args, input$x, input$y, paste(id, "given"), permutations = given)
    note(identical(law$permutations, t(given)), id, ": other permutations")
    law <- note_law(id, args, input$x, input$y, paste(id, "blocks"), permutations = 4,
                    blocks = rep(1:4, 5))
    note(law$design$engine == "blocks", id, ": no blocks")
    law <- note_law(id, args, input$x, input$y, paste(id, "series"), permutations = 10,
                    series = TRUE, most = 4)
    shifts <- vapply(1:(n - 1), function(t) (0:(n - 1) + t) %% n + 1, double(n))
    note(all(law$permutations == shifts), id, ": not the circular shifts")
  }
  expect_nothing_noted()
})

test_that("data of low rank: the law holds, in as few columns as the rank", {
  set.seed(35)
  for (d in c(12, 60)) {
    x <- normal_matrix(30, 4) %*% normal_matrix(4, d)
    y <- normal_matrix(30, 3) %*% normal_matrix(3, 20)
    for (center in c(TRUE, FALSE)) {
      expect_identical(dim(rotation_matrix(representation(x, "x"), center)), c(30L, 4L))
      note_law("procrustes", list(center = center), x, y, paste("procrustes", d, center))
    }
    note_law("angular_shape", list(), x, y, paste("angular_shape", d))
  }
  expect_nothing_noted()
})

test_that("neurons shared between the sides, in all three ways", {
  set.seed(35)
  for (n in c(11, 16)) {
    p <- related_pair(n, 6, 6)
    common <- normal_matrix(n, 6)
    x <- p$x + common
    y <- p$y + common
    cases <- list(
      list(shared_neurons = TRUE),
      list(units_x = c(1, 2, 3, 4, 5, 6), units_y = c(9, 3, 2, 7, 8, 1)),
      list(units_x = c("a", "a", "b", "c", "c", "d"), units_y = c("a", "b", "b", "e", "c", "c"))
    )
    for (case in cases) for (engine in c("coset", "random")) {
      args <- c(list(estimator = "stimulus_neuron"), case)
      note_law("cka", args, x, y, paste(n, engine, names(case)[1]), permutations = 15, engine = engine)
    }
  }
  expect_nothing_noted()
})

test_that("Gaussian kernels of distances that are not Euclidean: below 0, within the range", {
  # no three points have squared distances like these
  x <- as.dist(rbind(c(0, 1, 9, 1), c(1, 0, 1, 9), c(9, 1, 0, 1), c(1, 9, 1, 0)))
  y <- as.dist(rbind(c(0, 9, 1, 1), c(9, 0, 1, 1), c(1, 1, 0, 9), c(1, 1, 9, 0)))
  m <- measure("cka", kernel = "rbf", bandwidth = 3)
  row <- quietly(calibrate(x, y, m, permutations = 23))
  scores <- c(row$score, null_scores(row))
  range <- range_of(m$declaration, m$args)
  expect_lt(min(scores), 0)
  expect_gte(min(scores), range[1])
  expect_lte(max(scores), range[2] + 1e-12)
})

test_that("distances in place of responses", {
  set.seed(36)
  p <- related_pair(17, 4, 6)
  dx <- dist(p$x)
  dy <- dist(p$y)
  seen <- 0
  each_paired(function(id, args, label) {
    takes <- accepted_by(declaration(id), do.call(measure, c(list(id), args))$args)
    if (!"dist" %in% takes || !is.null(args$metric)) return()
    seen <<- seen + 1
    if ("metric" %in% names(formals(id))) args$metric <- "euclidean"
    for (engine in c("coset", "random")) {
      note_law(id, args, dx, dy, paste(label, engine, "of distances"), 8, engine, most = 6)
      note_law(id, args, p$x, dy, paste(label, engine, "of both kinds"), 4, engine, most = 3)
    }
  })
  expect_gte(seen, 20)
  expect_nothing_noted()
})

test_that("the user's own neighbour graphs", {
  set.seed(37)
  p <- related_pair(19, 4, 6)
  graph <- function(x) form_graph(representation(x, "x"), "euclidean", 6)[c("idx", "dist")]
  gx <- graph(p$x)
  gy <- graph(p$y)
  seen <- 0
  each_paired(function(id, args, label) {
    m <- do.call(measure, c(list(id), args))
    if (!"graph" %in% accepted_by(m$declaration, m$args) || !is.null(args$metric)) return()
    seen <<- seen + 1
    for (engine in c("coset", "random")) {
      note_law(id, args, gx, gy, paste(label, engine), 8, engine, most = 6)
    }
  }, 4)
  expect_gte(seen, 5)
  expect_nothing_noted()
})

test_that("sizes far from 1 and far from each other", {
  set.seed(38)
  p <- related_pair(14, 4, 5)
  for (scale in list(c(1e-150, 1e-150), c(1e150, 1e150), c(1e-3, 1e4))) {
    each_paired(function(id, args, setting) {
      if (not_unique(id, args, p) || !is.null(args$sigma)) return()
      note_law(id, args, scale[1] * p$x, scale[2] * p$y, paste(setting, format(scale[1])),
               permutations = 13, engine = "coset", most = 3)
    })
  }
  expect_nothing_noted()
})

test_that("rtd: the row subsets drawn for a pair stay with it", {
  set.seed(39)
  p <- related_pair(24, 4, 5)
  args <- list(batch = 10, trials = 2)
  note_law("rtd", args, p$x, p$y, "rtd", permutations = 6, engine = "random")
  note_law("rtd", args, p$x, p$y, "rtd coset", permutations = 23, engine = "coset", most = 5)
  expect_nothing_noted()
  # in a grid every pair has its own subsets, and keeps them under every permutation
  identity_first <- rbind(1:24, t(replicate(3, sample(24))))
  layers <- list(a = p$y, b = exp(p$y))
  v <- quietly(calibrate(p$x, layers, measure("rtd", batch = 10, trials = 2),
                         permutations = identity_first))
  expect_equal(null_scores(v)[1, ], v$score, tolerance = 1e-12, ignore_attr = TRUE)
})

test_that("ties: priorities travel with the rows, and are drawn only where there are ties", {
  input <- law_inputs()$ties
  set.seed(40)
  identity_first <- rbind(1:22, 22:1)
  for (m in list(measure("mutual_knn", k = 5), measure("mka", k = 5), measure("lcs_knn", k = 5),
                 measure("cknna", k = 5), measure("cka", kernel = "manifold", k = 5))) {
    v <- quietly(calibrate(input$x, input$y, m, permutations = identity_first))
    expect_equal(unname(null_scores(v)[1, 1]), v$score, tolerance = 1e-12)
  }
  # tie-free data leave the generator to the permutations alone
  p <- law_inputs()$prime
  set.seed(41)
  calibrate(p$x, p$y, c("mutual_knn", "mka"), permutations = rbind(23:1, c(2:23, 1)))
  after <- runif(1)
  set.seed(41)
  expect_identical(after, runif(1))
})

test_that("a grid of layers has the scores of its pairs, for every path", {
  set.seed(42)
  x <- lapply(c(a = 3, b = 6), function(q) normal_matrix(15, q))
  y <- lapply(c(d = 4, e = 20, f = 2), function(q) normal_matrix(15, q))
  perms <- t(replicate(6, sample(15)))
  set <- list("cka", "rsa", measure("mutual_knn", k = 4), measure("cycle_knn", k = 4),
              measure("cknna", k = 4), "procrustes", "cca", "gulp", "hard_correlation_match",
              measure("cka", estimator = "stimulus"), measure("mka", k = 4))
  grid <- quietly(calibrate(x, y, set, permutations = perms))
  expect_identical(nrow(grid), 66L)
  draws <- null_scores(grid)
  for (i in seq_len(nrow(grid))) {
    m <- set[[match(grid$measure[i], vapply(as_measures(set), function(m) m$label, ""))]]
    one <- quietly(calibrate(x[[grid$x[i]]], y[[grid$y[i]]], m, permutations = perms))
    note(max(abs(null_scores(one) - draws[, i])) < 1e-10, grid$x[i], grid$y[i], grid$measure[i])
    note(abs(one$p_value - grid$p_value[i]) < 1e-10, "p of ", grid$x[i], grid$y[i], grid$measure[i])
  }
  expect_nothing_noted()
  # and in cosets: the first two cosets of all pairs come from one set of permutations
  set.seed(43)
  grid <- calibrate(x, y, "cka", permutations = 29, engine = "coset")
  set.seed(43)
  p <- def_permutations(coset_design(15, 29))
  draws <- null_scores(grid)
  for (i in seq_len(nrow(grid))) {
    plain <- apply(p, 2, function(o) cka(x[[grid$x[i]]], y[[grid$y[i]]][o, ]))
    expect_equal(draws[, i], plain, tolerance = 1e-10, ignore_attr = TRUE)
  }
})

test_that("what is prepared is prepared once, however many permutations", {
  set.seed(44)
  p <- related_pair(20, 4, 5)
  expect_identical(count_calls("make_graph", calibrate(p$x, p$y, measure("lcs_knn", k = 4), permutations = 5,
                                                       engine = "random")), 2L)
  expect_identical(count_calls("make_graph", calibrate(p$x, p$y, measure("mutual_knn", k = 4),
                                                       permutations = 50)), 2L)
})

test_that("null scores of spaces are not below 0 by rounding", {
  for (seed in c(8, 48, 70, 84)) {
    set.seed(seed)
    x <- matrix(as.double(sample(0:1, 8, TRUE)), 8)
    y <- matrix(as.double(sample(0:1, 8, TRUE)), 8)
    for (id in c("linear_regression", "eigenspace_overlap")) {
      null <- null_scores(quietly(calibrate(x, y, id, permutations = 199)))
      expect_gte(min(null), 0)
      expect_lte(max(null), 1)
    }
  }
})
