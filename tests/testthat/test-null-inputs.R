# The law of the permutation null (test-null-law.R) for other input: distances, graphs, shared
# neurons, low rank, extreme sizes, ties.

withr::local_options(repalign.threads = 1)

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
      note_law("cka", args, x, y, paste(n, engine, names(case)[1]), permutations = 15,
               engine = engine)
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
    takes <- accepted_by(declaration(id), measure_with(id, args)$args)
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
    m <- measure_with(id, args)
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
      given <- c("sigma", "stimulus_noise") # in the units of the data
      if (not_unique(id, args, p) || !all(lengths(args[given]) == 0)) return()
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
