# THE LAW of the permutation null: null scores of every fast path are those of the measure
# itself on data whose rows were permuted, for the same permutations, to 1e-10 of the scale of
# the statistic before roots.

withr::local_options(repalign.threads = 1)

is_direct <- function(id, args) is.null(null_of(measure_with(id, args)))

test_that("coset: every measure and setting, n prime, even, odd and tiny, d > n, ties", {
  skip_unless_extended()
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
                      engine = "coset", most = if (n < 9) Inf else 3)
      note(law$design$engine == "coset" && law$design$count == 2 * n - 1, setting, ": no cosets")
    }, input$k)
  }
  expect_nothing_noted()
})

test_that("random and exact: every measure and setting", {
  skip_unless_extended()
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

test_that("products of neurons x neurons give the null of the matrices of all pairs", {
  set.seed(21)
  n <- 40
  x <- list(a = normal_matrix(n, 7), b = normal_matrix(n, 4))
  y <- list(c = x$a[, 1:5] + 2 * normal_matrix(n, 5), d = normal_matrix(n, 9))
  given <- t(replicate(30, sample(n)))
  set <- c(lapply(c("naive", "stimulus", "stimulus_neuron"), function(e) measure("cka", estimator = e)),
           list("rv", "angular_cka", measure("cca", summary = "mean_squared"), "linear_regression",
                "eigenspace_overlap", measure("gulp", lambda = 0), measure("gulp", lambda = 0.1)))
  # neurons that both sides record are left out of the products, too
  shared <- measure("cka", estimator = "stimulus_neuron", units_x = letters[1:7],
                    units_y = c("a", "c", "x", "y", "z"))
  for (each in list(list(x, y, set), list(x$a, y$c, shared))) {
    run <- function(way) {
      local_internal("cheaper_null", way)
      quietly(calibrate(each[[1]], each[[2]], each[[3]], permutations = given))
    }
    matrices <- run(function(measure, ...) measure)
    factors <- run(function(measure, ...) with_factors(measure))
    expect_identical(count_calls("factor_operand", run(function(measure, ...) {
      with_factors(measure)
    })), if (is.list(each[[3]]) && is.null(each[[3]]$id)) length(set) else 1L)
    for (column in c("score", "threshold", "p_value", "null_mean", "null_sd")) {
      expect_equal(factors[[column]], matrices[[column]], tolerance = 1e-10)
    }
  }
})

test_that("the cheaper way is taken, from sizes alone, and never more than 8 GB of matrices", {
  chosen <- function(n, d, wanted, engine = "auto", pairs = 1) {
    repr <- list(kind = "data", n = n, data = structure(1, dim = NULL))
    local_internal("width_of", function(repr) d)
    side <- list(reprs = list(repr))
    plan <- list(fixed = NULL, counts = c(coset = n * ceiling((wanted + 1) / n) - 1, random = wanted))
    m <- settled_measure(as_measures("cka")[[1]])
    cheaper_null(m, data.frame(i = 1, j = 1), list(x = side, y = side), plan, engine)$null$kernel
  }
  expect_identical(chosen(100, 50, 999), "inner")
  expect_identical(chosen(10000, 64, 99), "factors")
  expect_identical(chosen(10000, 64, 9999), "inner")
  expect_identical(chosen(50000, 512, 9999), "factors")
  expect_identical(chosen(10000, 64, 99, engine = "coset"), "inner")
})

test_that("no more than twice as many permutations as were asked for, from one coset", {
  set.seed(22)
  n <- 60
  x <- normal_matrix(n, 4)
  y <- x + normal_matrix(n, 4)
  all <- quietly(calibrate(x, y, "distance_correlation", permutations = 30))
  expect_identical(all$permutations, 59L)
  some <- quietly(calibrate(x, y, "distance_correlation", permutations = 20))
  expect_identical(some$permutations, 20L)
  # the null scores are those of the permutations that the design tells
  set.seed(5)
  run <- quietly(calibrate(x, y, "distance_correlation", permutations = 20))
  scores <- unlist(null_scores(run))
  set.seed(5)
  design <- permutation_plan(n, 20, NULL, FALSE, "auto", trim = TRUE)$design_of("coset")
  expect_equal(design$count, 20)
  orders <- design_matrix(design)
  expect_identical(ncol(orders), 20L)
  expect_equal(as.vector(scores), apply(orders, 2, function(p) distance_correlation(x, y[p, ])),
               tolerance = 1e-10)
  # a part of a group beside the identity is exactly valid: every rank is as likely as another
  set.seed(6)
  p <- replicate(400, {
    quietly(calibrate(normal_matrix(12, 2), normal_matrix(12, 2), "distance_correlation",
                      permutations = 4))$p_value
  })
  expect_true(all(abs(tabulate(round(5 * p), 5) / 400 - 0.2) < 4 * sqrt(0.16 / 400)))
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
  expect_identical(count_calls("make_graph",
                               calibrate(p$x, p$y, measure("lcs_knn", k = 4), permutations = 5,
                                                       engine = "random")), 2L)
  expect_identical(count_calls("make_graph", calibrate(p$x, p$y, measure("mutual_knn", k = 4),
                                                       permutations = 50)), 2L)
})

test_that("measures of a family share the singular values of a call, which no cache keeps", {
  g <- small_grid()
  orders <- t(replicate(9, sample.int(nrow(g$x[[1]]))))
  family <- list("procrustes", "procrustes_size_shape", "procrustes_similarity", "angular_shape",
                 measure("procrustes", center = FALSE), "cca", "bures")
  reprs <- prepare(c(g$x, g$y), measure = family)
  run <- function(set) quietly(calibrate(reprs, measure = set, permutations = orders))
  expect_identical(count_calls("over_permutations", together <- run(family)), 4L)
  expect_identical(count_calls("over_permutations", run(family[1:2])), 1L)
  for (one in family) {
    alone <- run(list(one))
    rows <- together[together$measure == alone$measure[1], ]
    expect_identical(rows$p_value, alone$p_value)
    expect_identical(unname(null_scores(rows)), unname(null_scores(alone)))
  }
})

test_that("counts of Kendall's tau for all permutations are those of each permutation", {
  set.seed(46)
  # ties on both sides, clusters, and so many pairs that the tree of counts has several levels
  for (n in c(5, 60, 740)) {
    x <- round(rnorm(packed_length(n)), 2)
    y <- round(0.3 * x + rnorm(packed_length(n)), if (n == 60) 0 else 3)
    codes <- rep_len(1:5, n)
    orders <- cbind(seq_len(n), sample.int(n))
    for (there in list(rep(TRUE, length(x)), if (n == 60) between_clusters(codes))) {
      if (is.null(there)) next
      counts <- permuted_excess(ordered_pairs(x, n, there), pair_levels(y), orders, "The test")
      for (outer in c("kendall", "tau_b")) {
        plain <- apply(orders, 2, function(order) {
          moved <- relabel_packed(y, order)
          .Call(C_kendall, rank(x[there]), rank(moved[there]), outer == "tau_b", 1L)
        })
        expect_identical(taus_of_counts(counts, ordered_pairs(x, n, there), outer), plain)
      }
    }
  }
})

test_that("chance of models by Kendall's tau is that of each permuted model", {
  set.seed(47)
  values <- function() round(rnorm(66), 1)
  of_values <- function(values) structure(values, Size = 12, class = "dist")
  rdms <- lapply(stats::setNames(nm = letters[1:3]), function(k) of_values(values()))
  models <- lapply(stats::setNames(nm = c("u", "v")), function(k) of_values(values()))
  orders <- t(replicate(19, sample.int(12)))
  folds <- data.frame(fold = rep(1:2, each = 12), set = rep(c("train", "test", "test", "train"),
                                                            each = 6),
                      factor = "condition", index = 1:12)
  for (cut in list(c(rdm = 1), folds)) {
    evaluate <- function(models, permutations) {
      quietly(evaluate_rdms(rdms, models, "tau_b", resample = "none", folds = cut,
                            permutations = permutations))
    }
    found <- evaluate(models, orders)
    null <- apply(orders, 1, function(order) {
      moved <- lapply(models, function(m) of_values(relabel_packed(as.double(m), order)))
      evaluate(moved, 0)$score
    })
    expect_equal(found$p_chance, (1 + rowSums(null >= found$score - 1e-12)) / 20)
  }
})
