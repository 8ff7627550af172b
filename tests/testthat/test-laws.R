# Laws that hold whatever the data, checked for every measure on every kind of data. Written
# from the definitions, not from the code.

# inputs are tiny: threads would only wait for each other
withr::local_options(repalign.threads = 1)

# Kinds of pairs. ties: rows at equal distances, so that chance decides among neighbours.
# loose: rounding of the data themselves costs digits. k: neighbours that suit the size.
law_kinds <- function() {
  set.seed(21)
  gauss <- related_pair(30, 5, 8)
  gauss <- lapply(gauss, function(x) sweep(x, 2, rnorm(ncol(x)), "+"))
  kinds <- list(
    gauss = gauss,
    equal_widths = list(x = exp(normal_matrix(24, 6)), y = normal_matrix(24, 6)),
    more_columns = related_pair(15, 40, 25, d = 8),
    one_column = list(x = normal_matrix(20, 1), y = normal_matrix(20, 4), ties = TRUE),
    four_rows = list(x = normal_matrix(4, 3), y = normal_matrix(4, 5), k = 3),
    all_neighbours = list(x = normal_matrix(9, 3), y = normal_matrix(9, 4), k = 8),
    integers = list(x = matrix(rpois(120, 1), 30), y = matrix(rpois(180, 0.7), 30), ties = TRUE),
    duplicates = list(x = gauss$x[c(1:20, 1:10), c(1:5, 1:3)], y = gauss$y[c(1:20, 1:10), c(1:8, 8)],
                      ties = TRUE),
    low_rank = list(x = normal_matrix(26, 2) %*% normal_matrix(2, 6),
                    y = normal_matrix(26, 3) %*% normal_matrix(3, 4)),
    nearly_singular = list(x = cbind(gauss$x, gauss$x[, 1] + 1e-9 * rnorm(30)),
                           y = cbind(gauss$y, gauss$y[, 2] + 1e-8 * rnorm(30)), loose = TRUE),
    unequal_sizes = list(x = 1e-6 * gauss$x, y = sweep(gauss$y, 2, 10^(0:7), "*"), loose = TRUE)
  )
  # neither zero rows nor constant rows
  for (side in c("x", "y")) {
    counts <- kinds$integers[[side]] + 1
    constant <- apply(counts, 1, function(row) all(row == row[1]))
    counts[constant, 1] <- counts[constant, 1] + 1
    kinds$integers[[side]] <- counts
  }
  kinds
}

k_of <- function(kind) if (is.null(kind$k)) 5 else kind$k

# Data that a setting may refuse, by definition: correlations over one column. There all
# cosines are 1 or -1, and cosine distances to neighbours 0.
may_refuse <- function(id, args, x, y) {
  if (identical(args$of, "distance") && min(ncol(x), ncol(y)) < 2) return(TRUE)
  correlates_rows <- (id == "rsa" && (is.null(args$inner) || args$inner == "correlation")) ||
    identical(args$metric, "correlation")
  correlates_rows && min(ncol(x), ncol(y)) < 2
}

# No stable value: an arbitrary basis (pwcca), rank one similarities (rsa with two columns).
unstable <- function(id, args, x, y) {
  if (id == "pwcca") return(qr(x)$rank + qr(y)$rank > nrow(x) - 2)
  FALSE
}

# A score, or the place and the way in which calling it went wrong.
outcome <- function(id, x, y, args, seed = 5) {
  undefined <- FALSE
  set.seed(seed)
  tryCatch(
    withCallingHandlers(suppressMessages({
      value <- do.call(id, c(list(x, y), args))
      if (!is.double(value) || length(value) != 1 || is.nan(value)) {
        list(state = "wrong", why = paste("value", format(value)))
      } else if (is.na(value) && !undefined) {
        list(state = "wrong", why = "NA without a repalign_undefined warning")
      } else if (is.infinite(value)) {
        list(state = "wrong", why = "infinite")
      } else {
        list(state = if (is.na(value)) "undefined" else "value", value = value)
      }
    }), warning = function(w) {
      if (!inherits(w, "repalign_warning")) stop("plain warning: ", conditionMessage(w))
      if (inherits(w, "repalign_undefined")) undefined <<- TRUE
      invokeRestart("muffleWarning")
    }),
    repalign_error = function(e) list(state = "refused", why = conditionMessage(e)),
    error = function(e) list(state = "wrong", why = conditionMessage(e))
  )
}

value_near <- function(id, args, x, y, kind) {
  got <- outcome(id, x, y, args)
  if (got$state == "value") got$value else NA_real_
}

# |a - b| small, with what the kind and the measure allow.
law_tolerance <- function(id, kind, value) {
  tolerance <- if (isTRUE(kind$loose)) 1e-5 else 1e-8
  # values near 0 are roots of rounding errors
  if (id %in% c("gulp", "procrustes", "procrustes_size_shape", "procrustes_similarity", "angular_shape",
                "permutation_procrustes", "rsm_difference")) tolerance <- max(tolerance, 1e-6)
  # equal distances that rounding tells apart move ranks a little
  if (id == "rsa" && (isTRUE(kind$ties) || isTRUE(kind$loose))) tolerance <- 2e-3
  tolerance * max(1, abs(value))
}

note_same <- function(a, b, id, kind, label) {
  good <- isTRUE(abs(a - b) <= law_tolerance(id, kind, b)) || (is.na(a) && is.na(b))
  note(good, sprintf("%s: %.15g, not %.15g", label, a, b))
}

# f(id, args, label, kind) over all settings on all kinds of pairs.
each_law <- function(f, kinds = law_kinds()) {
  for (name in names(kinds)) {
    kind <- kinds[[name]]
    each_setting(function(id, args, setting) f(id, args, paste0(setting, " on ", name), kind), k_of(kind))
  }
}

# Chance decides among tied neighbours: values then differ from run to run of the generator.
by_chance <- function(id, args, kind) {
  metric <- if (uses_graph(id, args)) metric_of(id, args) else ""
  if (isTRUE(kind$ties)) return(uses_graph(id, args))
  # correlation of two columns is 1 or -1
  metric == "correlation" && min(ncol(kind$x), ncol(kind$y)) < 3
}

test_that("every measure gives a number in its range on every kind of data", {
  skip_on_cran()
  each_law(function(id, args, label, kind) {
    m <- quietly(do.call(measure, c(list(id), args)))
    range <- range_of(m$declaration, m$args)
    for (turned in c(FALSE, TRUE)) {
      x <- if (turned) kind$y else kind$x
      y <- if (turned) kind$x else kind$y
      got <- outcome(id, x, y, args)
      allowed <- c("value", if (may_refuse(id, args, x, y)) c("refused", "undefined"))
      # few rows and few columns: a corrected denominator may not be positive
      corrected <- any(c("stimulus", "unbiased") %in% args$estimator)
      if (corrected && nrow(x) < 16) allowed <- c(allowed, "undefined")
      # every row with all others: masks and centred kernels may vanish
      if (id %in% c("cknna", "kcka", "mka", "cka") && nrow(x) == k_of(kind) + 1) {
        allowed <- c(allowed, "undefined")
      }
      note(got$state %in% allowed, label, if (turned) " turned", ": ", got$state, ", ", got$why)
      if (got$state != "value") next
      # where both bounds are numbers, no rounding passes them
      slack <- if (all(is.finite(range))) 0 else 1e-9 * max(1, abs(got$value))
      note(got$value >= range[1] - slack && got$value <= range[2] + slack,
           sprintf("%s: %.15g outside [%g, %g]", label, got$value, range[1], range[2]))
    }
  })
  expect_nothing_noted()
})

test_that("rounding takes no score of equal or proportional data beyond its range", {
  outside <- function(value, range) any(value < range[1] | value > range[2], na.rm = TRUE)
  for (seed in 1:12) {
    set.seed(seed)
    x <- normal_matrix(sample(8:20, 1), sample(1:7, 1))
    permutations <- t(replicate(3, sample(nrow(x))))
    for (y in list(x, 3 * x, -x / 7, x[, rev(seq_len(ncol(x))), drop = FALSE])) {
      each_setting(function(id, args, setting) {
        m <- quietly(do.call(measure, c(list(id), args)))
        range <- range_of(m$declaration, m$args)
        got <- outcome(id, x, y, args)
        if (got$state != "value" || !all(is.finite(range))) return()
        note(!outside(got$value, range),
             sprintf("%s, seed %d: %.17g outside [%g, %g]", setting, seed, got$value, range[1],
                     range[2]))
        if (seed > 2 || !m$declaration$pairing) return()
        null <- tryCatch(quietly(null_scores(calibrate(x, y, m, permutations = permutations))),
                         repalign_error = function(e) NULL)
        note(!outside(null, range), setting, ", seed ", seed, ": null scores outside the range")
      }, k = 3)
    }
  }
  expect_nothing_noted()
})

test_that("what is more than rounding is not pulled into the range", {
  d <- declaration("rv")
  expect_identical(within_range(c(1 + 1e-15, 0.5, -1e-15, NA), d, list()), c(1, 0.5, 0, NA))
  expect_identical(within_range(c(1.001, -1e-6), d, list()), c(1.001, -1e-6))
  # no bounds, no change
  expect_identical(within_range(-1e-15, declaration("rtd"), list()), -1e-15)
})

test_that("the order of the stimuli does not matter", {
  skip_on_cran()
  each_law(function(id, args, label, kind) {
    if (by_chance(id, args, kind) || unstable(id, args, kind$x, kind$y)) return()
    rows <- rev(c(3:nrow(kind$x), 1, 2))
    value <- value_near(id, args, kind$x, kind$y)
    note_same(value_near(id, args, kind$x[rows, , drop = FALSE], kind$y[rows, , drop = FALSE]), value,
                id, kind, label)
  })
  expect_nothing_noted()
})

test_that("symmetric measures are symmetric", {
  kinds <- law_kinds()[c("gauss", "more_columns", "one_column", "four_rows", "integers", "low_rank",
                         "nearly_singular")]
  each_law(function(id, args, label, kind) {
    m <- quietly(do.call(measure, c(list(id), args)))
    if (!is_symmetric(m) || by_chance(id, args, kind)) return()
    note_same(value_near(id, args, kind$y, kind$x), value_near(id, args, kind$x, kind$y), id, kind,
                label)
  }, kinds)
  expect_nothing_noted()
})

test_that("only these are not symmetric", {
  asymmetric <- c("pwcca", "procrustes_similarity", "linear_regression", "cycle_knn")
  table <- measures()
  for (i in seq_len(nrow(table))) {
    expect_identical(table$symmetric[i], !table$id[i] %in% asymmetric, label = table$id[i])
  }
  one_way <- list(soft_correlation_match = list(direction = "x"), soft_correlation_match = list(direction = "y"))
  for (i in seq_along(one_way)) {
    if (!names(one_way)[i] %in% table$id) next
    expect_false(is_symmetric(do.call(measure, c(names(one_way)[i], one_way[[i]]))))
  }
})

# What MEASURES.md and the formulas say; O rotation, S scaling, T translation, C column
# permutation, L invertible linear maps, of one side.
expected_invariances <- c(
  cca = "OSTCL", svcca = "OSTC", pwcca = "STC", procrustes = "OSTC", procrustes_size_shape = "OTC",
  procrustes_similarity = "OTC", angular_shape = "OSTC", permutation_procrustes = "C",
  aligned_cosine = "OSC", hard_correlation_match = "STC", soft_correlation_match = "STC",
  linear_regression = "OSTC", cka = "OSTC", rv = "OSTC", distance_correlation = "OSTC",
  eigenspace_overlap = "OSCL", gulp = "OSTCL", rsa = "SC", rsm_difference = "OTC", mutual_knn = "OSC",
  cycle_knn = "OSC", cknna = "OSC", knn_jaccard = "OSC", rank_similarity = "OSC",
  second_order_cosine = "OSC", lcs_knn = "OSC", edit_distance_knn = "OSC", mka = "OSTC",
  kcka = "OSTC", imd = "OSTC", rtd = "OSTC", magnitude_difference = "OC",
  concentricity_difference = "OSC", uniformity_difference = "OTC"
)
letters_of <- c(O = "orthogonal", S = "scaling", T = "translation", C = "column permutation",
                L = "invertible linear")

test_that("the invariances that the definitions have are declared, and no others", {
  table <- measures()
  for (i in which(table$id %in% names(expected_invariances))) {
    letters <- strsplit(expected_invariances[[table$id[i]]], "")[[1]]
    expect_setequal(strsplit(table$invariant[i], ", ")[[1]], unname(letters_of[letters]))
  }
})

# Invariances at other settings than the default.
invariances_of <- function(id, args) {
  base <- strsplit(expected_invariances[[id]], "")[[1]]
  add <- function(...) union(base, c(...))
  if (identical(args$scale, FALSE)) base <- setdiff(base, "S")
  if (identical(args$center, FALSE)) base <- setdiff(base, "T")
  if (isTRUE(args$center)) base <- add("T")
  if (isTRUE(args$scale)) base <- add("S")
  if (id == "gulp" && !is.null(args$lambda)) base <- setdiff(base, "L")
  if (identical(args$weights, "l1")) base <- add("O", "L")
  if (id == "rsa" && !is.null(args$inner)) {
    base <- switch(args$inner, euclidean = , sqeuclidean = add("O", "T"), cosine = add("O"), base)
  }
  if (identical(args$metric, "euclidean")) base <- add("T")
  if (identical(args$metric, "correlation")) base <- setdiff(base, "O")
  if (id == "uniformity_difference" && isTRUE(args$normalize)) base <- c("O", "S", "C")
  base
}

law_changes <- function(d) {
  set.seed(31 + d)
  turn <- qr.Q(qr(normal_matrix(d, d)))
  shift <- rnorm(d)
  order <- sample(d)
  stretch <- normal_matrix(d, d) + 2 * diag(d)
  list(O = function(x) x %*% turn, S = function(x) 7.3 * x, T = function(x) sweep(x, 2, shift, "+"),
       C = function(x) x[, order, drop = FALSE], L = function(x) x %*% stretch)
}

test_that("invariances hold for either side, at every setting, on every kind of data", {
  skip_on_cran()
  kinds <- law_kinds()[c("gauss", "more_columns", "one_column", "duplicates", "low_rank")]
  each_law(function(id, args, label, kind) {
    x <- kind$x
    y <- kind$y
    if (by_chance(id, args, kind) || unstable(id, args, x, y)) return()
    value <- value_near(id, args, x, y)
    for (name in invariances_of(id, args)) {
      if (isTRUE(kind$loose) && name %in% c("O", "L")) next # mixes columns of unequal sizes
      changed <- c(value_near(id, args, law_changes(ncol(x))[[name]](x), y),
                   value_near(id, args, x, law_changes(ncol(y))[[name]](y)))
      for (side in 1:2) {
        note_same(changed[side], value, id, kind,
                    paste(label, letters_of[[name]], "of", c("x", "y")[side]))
      }
    }
  }, kinds)
  expect_nothing_noted()
})

# Values that grow with the data, and those that depend on its units otherwise.
grows <- function(id, args) {
  id %in% c("procrustes_size_shape", "rsm_difference", "magnitude_difference") ||
    (id %in% c("procrustes", "permutation_procrustes") && !"S" %in% invariances_of(id, args))
}

test_that("powers of two change nothing but the unit, as far as doubles go", {
  kinds <- law_kinds()[c("gauss", "more_columns", "low_rank")]
  each_law(function(id, args, label, kind) {
    if (by_chance(id, args, kind) || unstable(id, args, kind$x, kind$y)) return()
    value <- value_near(id, args, kind$x, kind$y)
    by_side <- "S" %in% invariances_of(id, args)
    for (power in c(-498, 3, 498)) { # 2^498 is 1e150
      s <- 2^power
      if (by_side || grows(id, args) || id == "procrustes_similarity") {
        both <- value_near(id, args, s * kind$x, s * kind$y) / if (grows(id, args)) s else 1
        note_same(both, value, id, kind, paste(label, "both sides times 2 ^", power))
      }
      if (by_side) {
        note_same(value_near(id, args, s * kind$x, kind$y), value, id, kind,
                    paste(label, "x times 2 ^", power))
        note_same(value_near(id, args, s * kind$x, kind$y / s), value, id, kind,
                    paste(label, "opposite scales, 2 ^", power))
      }
    }
  }, kinds)
  expect_nothing_noted()
})

test_that("scales of 1e150 and 1e-150 give a number in every measure", {
  kind <- law_kinds()$gauss
  each_setting(function(id, args, name) {
    for (x_scale in c(1e-150, 1, 1e150)) {
      for (y_scale in c(1e-150, 1, 1e150)) {
        got <- outcome(id, x_scale * kind$x, y_scale * kind$y, args)
        note(got$state == "value", sprintf("%s with scales %g and %g: %s, %s", name, x_scale, y_scale,
                                             got$state, got$why))
      }
    }
  })
  expect_nothing_noted()
})

test_that("a large common offset costs translation-invariant measures nothing but its digits", {
  kind <- law_kinds()$gauss
  kind$loose <- TRUE
  each_setting(function(id, args, name) {
    x <- kind$x + 1e6
    y <- kind$y - 1e6
    if ("T" %in% invariances_of(id, args)) {
      note_same(value_near(id, args, x, y), value_near(id, args, kind$x, kind$y), id, kind, name)
    } else {
      got <- outcome(id, x, y, args)
      note(got$state == "value", paste(name, "with an offset:", got$state, got$why))
    }
  })
  expect_nothing_noted()
})

test_that("a representation is most like itself", {
  each_law(function(id, args, label, kind) {
    m <- quietly(do.call(measure, c(list(id), args)))
    best <- best_of(m$declaration, m$args)
    # a row need not be among the neighbours of its neighbours: 1 is then only the bound
    if (is.na(best) || id == "cycle_knn" || by_chance(id, args, kind)) return()
    # tau-a counts ties against the agreement
    if (identical(args$outer, "kendall") && isTRUE(kind$ties)) return()
    for (x in list(kind$x, if (ncol(kind$y) > nrow(kind$y)) kind$y)) {
      if (is.null(x) || may_refuse(id, args, x, x)) next
      # the overlap is a share of the columns: less than 1 where their rank is lower
      wanted <- if (id == "eigenspace_overlap") qr(x)$rank / ncol(x) else best
      if (isTRUE(kind$loose) && id == "eigenspace_overlap") next
      got <- outcome(id, x, x, args)
      if (got$state == "undefined" && nrow(x) < 10) next
      # distances are roots of rounding errors of sums of squares
      unit <- if (grows(id, args)) def_size(x) else 1
      good <- got$state == "value" && abs(got$value - wanted) <= 1e-6 * unit
      note(good, paste(label, "with itself:", got$state, format(got$value, digits = 15), got$why))
    }
  })
  expect_nothing_noted()
})

# similarity() and single calls

tie_free <- function() {
  set.seed(41)
  shared <- normal_matrix(22, 4)
  lapply(c(a = 4, b = 7, c = 25), function(d) shared %*% normal_matrix(4, d) + normal_matrix(22, d) + 1)
}

all_measures <- function(k = 5) {
  all <- registered_settings(k)
  unlist(lapply(names(all), function(id) lapply(all[[id]], function(args) {
    quietly(do.call(measure, c(list(id), args)))
  })), recursive = FALSE)
}

single <- function(m, x, y, id = m$id) {
  args <- m$args
  score(id, x, y, args[intersect(names(args), names(formals(get(id))))])
}

test_that("a grid of all measures is all single calls, to the last bit", {
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
    # of x with itself a product is one with its transpose: the BLAS may round it otherwise
    same <- if (result$x[i] == result$y[i]) abs(result$score[i] - value) < 1e-6
            else identical(result$score[i], value) || identical(result$score[i], turned)
    note(same,
           sprintf("%s of %s and %s: %.17g in the grid, %.17g alone", result$measure[i], result$x[i],
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
    expect_identical(quietly(similarity(l$a, l$b, set[[i]]))$score, together[i], label = set[[i]]$label)
  }
})

test_that("a measure object is its function with the arguments", {
  l <- tie_free()
  each_setting(function(id, args, name) {
    m <- quietly(do.call(measure, c(list(id), args)))
    expect_identical(quietly(similarity(l$b, l$a, m))$score, score(id, l$b, l$a, args), label = name)
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
  set.seed(2)
  x <- normal_matrix(300, 6)
  y <- x + normal_matrix(300, 6)
  set <- Filter(function(m) m$id != "rtd", all_measures())
  expect_identical(quietly(similarity(x, y, set, threads = 1))$score,
                   quietly(similarity(x, y, set, threads = 2))$score)
})

# Randomness

test_that("data without ties leave the generator as it was", {
  l <- tie_free()
  each_setting(function(id, args, name) {
    set.seed(3)
    before <- .Random.seed
    score(id, l$a, l$b, args)
    expect_identical(.Random.seed, before, label = name)
  })
})

test_that("set.seed() reproduces scores of data with ties", {
  kind <- law_kinds()$integers
  each_setting(function(id, args, name) {
    value <- function() {
      set.seed(4)
      score(id, kind$x, kind$y, args)
    }
    expect_identical(value(), value(), label = name)
  })
  set <- all_measures()
  grid <- function(threads) {
    set.seed(4)
    quietly(similarity(kind$x, kind$y, set, threads = threads))$score
  }
  expect_identical(grid(1), grid(1))
  expect_identical(grid(1), grid(2))
})

test_that("tied neighbours are drawn by chance, on each side by itself, and told", {
  for (id in intersect(c("mutual_knn", "knn_jaccard", "rank_similarity", "lcs_knn", "mka"), measures()$id)) {
    kind <- law_kinds()$integers
    draws <- vapply(1:6, function(seed) {
      set.seed(seed)
      score(id, kind$x, kind$y, list(k = 5))
    }, 0)
    expect_gt(length(unique(draws)), 1)
    told <- NULL
    withCallingHandlers(get(id)(kind$x, kind$y, k = 5), warning = function(w) {
      told <<- c(told, conditionMessage(w))
      expect_s3_class(w, "repalign_warning")
      invokeRestart("muffleWarning")
    })
    expect_true(any(grepl("tie", told) & grepl("[0-9]", told)), label = paste(id, "tells ties"))
  }
})

test_that("ties do not make unrelated sparse counts alike", {
  # whatever the ties, each row is in a neighbourhood with probability k / (n - 1), on each
  # side independently
  set.seed(6)
  scores <- replicate(60, {
    x <- matrix(rbinom(90, 1, 0.3), 30)
    y <- matrix(rbinom(90, 1, 0.3), 30)
    score("mutual_knn", x, y, list(k = 6, metric = "euclidean"))
  })
  expect_lt(abs(mean(scores) - 6 / 29), 4 * sd(scores) / sqrt(60))
})

test_that("ties are not decided by rounding", {
  # rows of small integers under a rotation: distances that were equal are equal but for rounding
  set.seed(8)
  x <- as.matrix(expand.grid(0:3, 0:3, 0:2))
  turned <- x %*% qr.Q(qr(normal_matrix(3, 3)))
  y <- normal_matrix(nrow(x), 4)
  values <- function(x) vapply(1:3, function(seed) {
    set.seed(seed)
    score("mutual_knn", x, y, list(k = 5, metric = "euclidean"))
  }, 0)
  # the same ties, the same draws
  expect_identical(values(x), values(turned))
})

test_that("cosine neighbours of parallel rows are tied, whatever rounding says", {
  set.seed(9)
  y <- cbind(-c(.0013, .467, .888, 1.856))
  expect_warned(mutual_knn(y, y, k = 1), "repalign_ties")
  # over draws, every other row is as near as any
  overlap <- replicate(300, score("mutual_knn", y, y, list(k = 1)))
  expect_gt(mean(overlap), 0.2)
  expect_lt(mean(overlap), 0.5)
  for (d in c(2, 3, 50)) {
    direction <- rnorm(d)
    for (shape in list(rexp(12), 10^runif(12, -200, 200))) {
      graph <- quietly(form_graph(representation(outer(shape, direction), "x"), "cosine", 4))
      expect_identical(graph$tied, 12L, label = paste("parallel rows of", d))
    }
  }
})

test_that("nearly parallel rows keep their order where it is more than rounding", {
  # angles from 1e-7 on, each half as far from the next one: far above rounding of 1e-16
  angle <- 1e-7 * 2^(0:9)
  x <- cbind(cos(angle), sin(angle)) * 1:10
  graph <- form_graph(representation(x, "x"), "cosine", 3)
  expect_identical(graph$tied, 0L)
  expect_identical(graph$idx[1, ], 2:4)
  expect_identical(graph$idx[10, ], 9:7)
  # equal angles on both sides differ by rounding only
  y <- cbind(cos(1e-7 * (0:8)), sin(1e-7 * (0:8))) * 1:9
  expect_identical(quietly(form_graph(representation(y, "x"), "cosine", 1))$tied, 7L)
})
