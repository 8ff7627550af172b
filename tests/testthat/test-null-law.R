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
