# Forms and null kernels: what is declared of each kind is what is made, for every measure.

# Representations with ties, so that forms have drawn parts, and without; 24 stimuli.
form_pair <- function() {
  set.seed(41)
  x <- normal_matrix(24, 5)
  list(x = x, y = x %*% normal_matrix(5, 6) + normal_matrix(24, 6))
}

settings_of_forms <- list(
  list("cka", kernel = "rbf"), list("cka", kernel = "manifold", k = 6),
  list("cka", estimator = "stimulus_neuron"), list("cka", kernel = "rbf", estimator = "stimulus"),
  list("rsa", outer = "kendall"), list("rsa", outer = "tau_b"), list("rsa", outer = "rho_a"),
  list("rsa", outer = "whitened_cosine"),
  list("rsa", inner = "sqeuclidean", outer = "whitened_pearson"),
  list("rsa", outer = "whitened_pearson", stimulus_noise = rep(1:2, 12)),
  list("rsa", inner = "euclidean", outer = "pearson"),
  list("distance_correlation", estimator = "unbiased"), list("rsm_difference", norm = "spectral"),
  list("gulp", lambda = 0.1), list("rtd", batch = 10, trials = 2), list("pwcca", weights = "l1"),
  list("cknna", normalize = FALSE), list("procrustes", center = FALSE, scale = FALSE),
  list("uniformity_difference", normalize = TRUE),
  # every permutation takes clusters of one stimulus to clusters
  list("cka", estimator = "stimulus_neuron", clusters = 1:24),
  list("rsa", inner = "sqeuclidean", clusters = 1:24),
  list("rsa", outer = "kendall", clusters = 1:24),
  list("cka", kernel = "rbf", estimator = "stimulus", clusters = 1:24),
  list("cka", kernel = "manifold", k = 6, estimator = "stimulus", clusters = 1:24),
  list("rank_similarity", clusters = 1:24), list("mka", clusters = 1:24),
  list("cknna", centering = "full", clusters = 1:24), list("second_order_cosine", clusters = 1:24)
)

# narrow: are there fewer neurons than stimuli?
each_form_setting <- function(run, narrow = TRUE) {
  for (id in if (narrow) plain_measures()$id else measures()$id) run(measure(id))
  for (setting in settings_of_forms) run(do.call(measure, setting))
}

prepared_form <- function(m, repr, side) quietly(m$declaration$prepare(repr, m$args, side))

# All forms that one comparison leaves in the caches of a side.
kept_of_side <- function(repr) lapply(repr$cache$entries, function(entry) entry$value)
forms_of_side <- function(repr) Filter(is_form, kept_of_side(repr))

compared <- function(m, x, y) {
  pair <- as_pair(representation(x, "x"), representation(y, "y"))
  for (repr in pair[c("x", "y")]) {
    error <- refusal(settled_measure(m), repr)
    if (!is.null(error)) stop(error)
  }
  quietly(compare_pair(m$declaration, pair, m$args))
  pair
}

test_that("a measure prepares the forms that it declares, and measures() shows them", {
  p <- form_pair()
  each_form_setting(function(m) {
    pair <- compared(m, p$x, p$y)
    kinds <- forms_of(m$declaration, m$args)
    for (side in c("x", "y")) {
      form <- prepared_form(m, pair[[side]], side)
      expect_true(is_form(form))
      expect_identical(kind_of_form(form), kinds[[side]], label = paste(m$label, side))
      made <- vapply(forms_of_side(pair[[side]]), kind_of_form, "")
      # the magnitude is made of the means of columns, which reading the data gives
      expect_true(length(made) > 0 || m$id == "magnitude_difference", label = m$label)
      # nothing else is made, but for small facts that all measures may ask for
      facts <- c("summary", "scaling", "tie priorities")
      expect_identical(setdiff(made, c(kept_forms(m$declaration, m$args, side), facts)),
                       character(),
                       label = paste(m$label,
                                     "makes forms that are neither its `form` nor its `keeps`:"))
    }
  })
  table <- measures()
  for (i in seq_len(nrow(table))) {
    d <- declaration(table$id[i])
    args <- d$check(default_arguments(table$id[i]))
    expect_identical(table$form[i], paste(unique(forms_of(d, args)), collapse = ", "))
  }
  expect_identical(table$form[table$id == "cka"], "linear")
  expect_identical(table$form[table$id == "linear_regression"], "scaling, basis")
})

# The rows of a sparse kernel may list their entries in any order.
dense_kernel <- function(form) {
  dense <- matrix(0, form$n, form$n)
  row <- if (is.null(form$start)) as.vector(row(form$idx)) else
    rep(seq_len(form$n), diff(form$start))
  dense[cbind(row, as.vector(form$idx))] <- form$weight
  dense
}

# Bases are determined up to a rotation of their columns, singular vectors up to their signs.
comparable <- function(form) {
  parts <- Filter(Negate(is.null), form)
  if (!is.null(parts$averaged)) {
    averaged <- c(parts$averaged, list(n = nrow(parts$idx)))
    parts <- list(dense = dense_kernel(averaged), sure = averaged$sure, dist = parts$dist)
  } else if (!is.null(parts$open) && is.null(parts$priority)) {
    # which of tied neighbours comes first is not settled
    parts$idx[parts$open, ] <- NA
    if (is.null(parts$joined)) parts$dist[parts$open, ] <- NA
  }
  if (!is.null(parts$q)) {
    parts <- list(projector = tcrossprod(parts$q))
  } else if (!is.null(parts$weight)) {
    parts$dense <- dense_kernel(form)
    parts[c("idx", "start", "weight")] <- NULL
  } else if (!is.null(parts$factor)) {
    parts <- list(inner_products = tcrossprod(parts$factor))
  } else if (!is.null(parts$coordinates)) {
    parts <- list(s = svd(parts$coordinates)$d)
  } else if (kind_of_form(form) %in% c("hat", "components")) {
    parts <- parts[intersect(c("s", "squares"), names(parts))]
  }
  attributes(parts) <- list(names = names(parts))
  parts
}

permuted_from_scratch <- function(x, repr, permutation) {
  again <- representation(x[permutation, ], repr$arg)
  for (entry in repr$cache$entries) {
    if (!identical(entry$key[[1]], "tie priorities")) next
    remember_form(again, "tie priorities", entry$key[[2]],
                  list(priority = entry$value$priority[permutation]))
  }
  again
}

# Returns the kinds of forms that were compared.
expect_relabelled <- function(repr, again, permutation, label) {
  forms <- Filter(function(entry) is_form(entry$value), repr$cache$entries)
  kinds <- lapply(forms, function(entry) {
    made <- find_remembered(again$cache, entry$key)
    if (is.null(made)) return(NULL)
    relabelled <- relabel_form(entry$value, permutation)
    kind <- kind_of_form(relabelled)
    expect_equal(comparable(relabelled), comparable(made), tolerance = 1e-7,
                 label = paste(label, repr$arg, kind))
    kind
  })
  unlist(kinds)
}

test_that("a relabelled form is the form of the permuted stimuli", {
  p <- form_pair()
  tied <- list(x = round(p$x), y = round(2 * p$y) / 2)
  set.seed(42)
  wide <- list(x = normal_matrix(24, 30), y = normal_matrix(24, 26))
  seen <- character()
  permutation <- sample(24)
  each_form_setting(function(m) {
    for (data in list(p, tied, wide)) {
      pair <- tryCatch(compared(m, data$x, data$y), repalign_error = function(e) NULL)
      if (is.null(pair)) next # few measures refuse rounded data
      again <- lapply(c(x = "x", y = "y"), function(side) {
        permuted_from_scratch(data[[side]], pair[[side]], permutation)
      })
      pair_again <- as_pair(again$x, again$y)
      pair_again$cache$entries <- drawn_entries(pair)
      quietly(compare_pair(m$declaration, pair_again, m$args))
      for (side in c("x", "y")) {
        kinds <- expect_relabelled(pair[[side]], again[[side]], permutation, m$label)
        seen <<- union(seen, kinds)
      }
    }
  }, narrow = FALSE)
  # forms of pairs, those that no cache holds, those of responses to several trials, which
  # test-trial-estimators.R looks at, and those of RDMs that lack pairs, see test-rsa-outer.R
  others <- c("row subsets", "graph with rows", "trials", "trial kernel", "raw dissimilarities")
  expect_identical(setdiff(names(form_kinds), c(seen, others)), character())
})

test_that("forms that are made of others are relabelled with them", {
  p <- form_pair()
  m <- measure("second_order_cosine", k = 4)
  repr <- representation(round(p$x), "x")
  permutation <- rev(seq_len(24))
  form <- prepared_form(m, repr, "x")
  again <- representation(round(p$x)[permutation, ], "x")
  give_priorities(again, form$priority[permutation])
  expect_equal(relabel_form(form, permutation)[c("idx", "dist", "rows")],
               prepared_form(m, again, "x")[c("idx", "dist", "rows")])
})

test_that("a permuted representation finds its forms relabelled, and makes none", {
  p <- form_pair()
  set.seed(43)
  permutation <- sample(24)
  each_form_setting(function(m) {
    pair <- compared(m, p$x, p$y)
    moved <- permuted_representation(pair$y, permutation)
    prepared_form(m, moved, "y")
    for (entry in moved$cache$entries) {
      expect_false(is.null(find_remembered(pair$y$cache, entry$key)), label = m$label)
    }
  })
})

test_that("a form holds no more numbers than its kind says", {
  set.seed(44)
  for (size in list(c(60, 10), c(30, 80))) {
    x <- normal_matrix(size[1], size[2])
    y <- x + normal_matrix(size[1], size[2])
    each_form_setting(function(m) {
      pair <- tryCatch(compared(m, x, y), repalign_error = function(e) NULL)
      if (is.null(pair)) return()
      for (side in c("x", "y")) {
        kinds <- kept_forms(m$declaration, m$args, side)
        held <- sum(vapply(kept_of_side(pair[[side]]), function(kept) length(unlist(kept)), 0))
        # a few numbers for each stimulus and neuron are not worth a term
        most <- form_size(kinds, size[1], size[2], m$args) + 8 * sum(size)
        expect_lte(held, most, label = paste(m$label, side, "numbers held"))
      }
    })
  }
})

test_that("what was drawn at random is declared, and a permutation takes it along", {
  repr <- representation(matrix(rep(1:4, 12), 24), "x")
  repr$data[] <- round(4 * sin(seq_along(repr$data)))
  form <- quietly(form_graph(repr, "euclidean", 5))
  expect_true(has_drawn_parts(form))
  expect_type(form$priority, "integer")
  moved <- permuted_representation(repr, 24:1)
  expect_identical(form_graph(moved, "euclidean", 5)$priority, rev(form$priority))
  # what is no draw is not carried over
  pair <- compared(measure("rtd", batch = 10, trials = 2), form_pair()$x, form_pair()$y)
  expect_length(drawn_entries(pair), 1)
  expect_length(drawn_entries(compared(measure("cca"), form_pair()$x, form_pair()$y)), 0)
})

test_that("what is not declared is an error, never a slow path", {
  expect_error(new_form("no such kind", list(a = 1)), "no such kind")
  expect_error(new_form("summary", list(1)), "names")
  expect_error(form_size("no such kind", 10, 10, list()), "no such kind")
  expect_error(null_kernel("no such kernel"), "no such kernel")
  expect_error(declare_form("summary", unmoved, function(n, d, args) 1), "form_kinds")
  expect_error(declare_form("toy", function(x) x, function(n, d, args) 1), "permutation")
  expect_error(declare_measure(id = "cka"), "registry")
  foreign <- representation(form_pair()$x, "x")
  remember(foreign$cache, list("scaling", list(center = TRUE)), list(means = 0, scale = 1))
  expect_error(form_centering(permuted_representation(foreign, 24:1)))
})

test_that("operands whose rows are said to add up to 0 do", {
  p <- form_pair()
  seen <- 0
  each_form_setting(function(m) {
    null <- null_of(m)
    if (is.null(null) || !isTRUE(null$centered)) return()
    seen <<- seen + 1
    for (side in c("x", "y")) {
      form <- quietly(operands(null, m, list(representation(p[[side]], side)), 1, side))$forms[[1]]
      expect_lt(max(abs(rowSums(form$matrix))), 1e-8 * max(1, form$norm),
                label = paste("row sums of the centred operand of", m$label))
    }
  })
  expect_gt(seen, 5)
})

test_that("what a measure keeps is made, by its scores or its null", {
  p <- form_pair()
  set.seed(45)
  wide <- list(x = normal_matrix(24, 30), y = normal_matrix(24, 26))
  each_form_setting(function(m) {
    made <- unlist(lapply(list(p, wide, lapply(p, dist)), function(data) {
      pair <- tryCatch(compared(m, data$x, data$y), repalign_error = function(e) NULL)
      if (is.null(pair)) return(NULL)
      null <- null_of(m)
      for (side in if (!is.null(null)) c("x", "y")) {
        quietly(operands(null, m, list(pair[[side]]), 1, side))
      }
      unlist(lapply(c("x", "y"), function(side) {
        vapply(forms_of_side(pair[[side]]), kind_of_form, "")
      }))
    }))
    keeps <- as.character(declared(m$declaration$keeps, m$args))
    expect_identical(setdiff(keeps, made), character(),
                     label = paste(m$label, "never makes what `keeps` names:"))
  })
})

test_that("every null names a kernel of the engine, and makes the statistic of the observed order", {
  p <- form_pair()
  with_null <- 0
  each_form_setting(function(m) {
    m <- settled_measure(m)
    null <- m$null
    if (is.null(null)) return()
    with_null <<- with_null + 1
    expect_true(null$kernel %in% names(null_kernels), label = m$label)
    sides <- as_sides(p$x, p$y)
    pairs <- list_pairs(sides, FALSE)
    observed <- quietly(drop(score_pairs(pairs, sides, list(m), "stop")))
    design <- new_design("given", 24, 1, matrix = matrix(24:1, 24))
    task_null <- quietly(kernel_null(null, m, pairs, sides, design, observed))[[1]]$null
    plain <- quietly(similarity(p$x, p$y[24:1, ], m)$score)
    expect_equal(task_null, plain, tolerance = 1e-9, label = m$label)
  })
  expect_gt(with_null, 20)
})
