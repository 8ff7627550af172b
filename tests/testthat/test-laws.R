# Laws that hold whatever the data: every measure gives a number, in its range, on every kind of
# data, at every scale. And invariances: those that the definitions have are declared, hold for
# every setting on every kind of data, and no others do.

# inputs are tiny: threads would only wait for each other
withr::local_options(repalign.threads = 1)

test_that("every measure gives a number in its range on every kind of data", {
  skip_unless_extended()
  each_law(function(id, args, label, kind) {
    m <- measure_with(id, args)
    range <- range_of(m$declaration, m$args)
    for (turned in c(FALSE, TRUE)) {
      x <- if (turned) kind$y else kind$x
      y <- if (turned) kind$x else kind$y
      got <- plain_outcome(id, args, label, kind, turned)
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
  beyond <- function(value, range) any(value < range[1] | value > range[2], na.rm = TRUE)
  for (seed in 1:2) {
    set.seed(seed)
    x <- normal_matrix(sample(8:20, 1), sample(1:7, 1))
    permutations <- t(replicate(3, sample(nrow(x))))
    for (y in list(x, 3 * x, -x / 7, x[, rev(seq_len(ncol(x))), drop = FALSE])) {
      each_setting(function(id, args, setting) {
        m <- measure_with(id, args)
        range <- range_of(m$declaration, m$args)
        got <- outcome(id, x, y, args)
        if (got$state != "value" || !all(is.finite(range))) return()
        note(!beyond(got$value, range),
             sprintf("%s, seed %d: %.17g outside [%g, %g]", setting, seed, got$value, range[1],
                     range[2]))
        if (seed > 1 || !m$declaration$pairing) return()
        null <- tryCatch(quietly(null_scores(calibrate(x, y, m, permutations = permutations))),
                         repalign_error = function(e) NULL)
        note(!beyond(null, range), setting, ", seed ", seed, ": null scores outside the range")
      }, k = 3)
    }
  }
  expect_nothing_noted()
})

test_that("what is more than rounding is not pulled into the range", {
  range <- declaration("rv")$range
  expect_identical(within_range(c(1 + 1e-15, 0.5, -1e-15, NA), range), c(1, 0.5, 0, NA))
  expect_identical(within_range(c(1.001, -1e-6), range), c(1.001, -1e-6))
  # no bounds, no change
  expect_identical(within_range(-1e-15, declaration("rtd")$range), -1e-15)
})

test_that("scales of 1e150 and 1e-150 give a number in every measure", {
  kind <- law_kinds()$gauss
  each_setting(function(id, args, name) {
    for (x_scale in c(1e-150, 1, 1e150)) {
      for (y_scale in c(1e-150, 1, 1e150)) {
        got <- outcome(id, x_scale * kind$x, y_scale * kind$y, args)
        note(got$state == "value",
             sprintf("%s with scales %g and %g: %s, %s", name, x_scale, y_scale,
                                             got$state, got$why))
      }
    }
  })
  expect_nothing_noted()
})

test_that("a representation is most like itself", {
  each_law(function(id, args, label, kind) {
    m <- measure_with(id, args)
    best <- best_of(m$declaration, m$args)
    # a row need not be among the neighbours of its neighbours: 1 is then only the bound
    if (is.na(best) || id == "cycle_knn") return()
    # with ties the lists of one representation differ between the sides
    if (by_chance(id, args, kind) || isTRUE(kind$ties) && uses_graph(id, args)) return()
    # tau-a and rho-a count ties against the agreement
    if (isTRUE(args$outer %in% c("kendall", "rho_a")) && isTRUE(kind$ties)) return()
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

test_that("the invariances that the definitions have are declared, and no others", {
  table <- plain_measures()
  for (i in which(table$id %in% names(expected_invariances))) {
    letters <- strsplit(expected_invariances[[table$id[i]]], "")[[1]]
    expect_setequal(strsplit(table$invariant[i], ", ")[[1]], unname(letters_of[letters]))
  }
})

law_changes <- function(d) once(paste("changes of", d, "columns"), {
  set.seed(31 + d)
  turn <- qr.Q(qr(normal_matrix(d, d)))
  shift <- rnorm(d)
  order <- sample(d)
  stretch <- normal_matrix(d, d) + 2 * diag(d)
  list(O = function(x) x %*% turn, S = function(x) 7.3 * x, T = function(x) sweep(x, 2, shift, "+"),
       C = function(x) x[, order, drop = FALSE], L = function(x) x %*% stretch)
})

test_that("invariances hold for either side, at every setting, on every kind of data", {
  skip_unless_extended()
  kinds <- law_kinds()[c("gauss", "more_columns", "one_column", "duplicates", "low_rank")]
  each_law(function(id, args, label, kind) {
    x <- kind$x
    y <- kind$y
    if (by_chance(id, args, kind) || unstable(id, args, x, y)) return()
    value <- plain_value(id, args, label, kind)
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

# Strong ones, so that a measure that depends on them shows it.
strong_changes <- function(d) {
  set.seed(3)
  list(
    orthogonal = function(x) x %*% qr.Q(qr(matrix(rnorm(d * d), d))),
    scaling = function(x) 3.7 * x,
    translation = function(x) sweep(x, 2, c(4, -7, 10, 2, -5)[seq_len(d)], "+"),
    "column permutation" = function(x) x[, c(2:d, 1)],
    "invertible linear" = function(x) x %*% (matrix(rnorm(d * d), d) %*% diag(2^seq_len(d)))
  )
}

test_that("no measure has an invariance that is not declared", {
  skip_unless_extended()
  table <- plain_measures()
  p <- contract_pair()
  changes <- strong_changes(5)
  for (i in seq_len(nrow(table))) {
    id <- table$id[i]
    value <- contract_value(id, p$x, p$y)
    for (name in setdiff(names(changes), strsplit(table$invariant[i], ", ")[[1]])) {
      holds <- c(same_value(contract_value(id, changes[[name]](p$x), p$y), value),
                 same_value(contract_value(id, p$x, changes[[name]](p$y)), value))
      note(!all(holds), id, " under ", name)
    }
  }
  expect_nothing_noted()
})

test_that("the order of the stimuli does not matter", {
  skip_unless_extended()
  each_law(function(id, args, label, kind) {
    if (by_chance(id, args, kind) || unstable(id, args, kind$x, kind$y)) return()
    rows <- rev(c(3:nrow(kind$x), 1, 2))
    value <- plain_value(id, args, label, kind)
    note_same(value_near(id, args, kind$x[rows, , drop = FALSE], kind$y[rows, , drop = FALSE]),
              value,
                id, kind, label)
  })
  expect_nothing_noted()
})

test_that("stimuli of one side may be permuted only if the pairing is not used", {
  table <- plain_measures()
  p <- contract_pair()
  rows <- c(40:1)[c(3:40, 1, 2)]
  for (i in seq_len(nrow(table))) {
    id <- table$id[i]
    value <- contract_value(id, p$x, p$y)
    for (changed in list(contract_value(id, p$x[rows, ], p$y),
                         contract_value(id, p$x, p$y[rows, ]))) {
      note(same_value(changed, value) == !table$pairing[i], id)
    }
  }
  expect_nothing_noted()
})

test_that("symmetric measures are symmetric", {
  kinds <- law_kinds()[c("gauss", "more_columns", "one_column", "four_rows", "integers", "low_rank",
                         "nearly_singular")]
  each_law(function(id, args, label, kind) {
    m <- measure_with(id, args)
    if (!is_symmetric(m) || by_chance(id, args, kind)) return()
    note_same(plain_value(id, args, label, kind, turned = TRUE), plain_value(id, args, label, kind),
              id,
              kind, label)
  }, kinds)
  expect_nothing_noted()
})

test_that("only these are not symmetric", {
  asymmetric <- c("pwcca", "procrustes_similarity", "linear_regression", "cycle_knn")
  table <- plain_measures()
  for (i in seq_len(nrow(table))) {
    expect_identical(table$symmetric[i], !table$id[i] %in% asymmetric, label = table$id[i])
  }
  one_way <- list(soft_correlation_match = list(direction = "x"),
                  soft_correlation_match = list(direction = "y"))
  for (i in seq_along(one_way)) {
    if (!names(one_way)[i] %in% table$id) next
    expect_false(is_symmetric(do.call(measure, c(names(one_way)[i], one_way[[i]]))))
  }
})

test_that("measures that are not declared symmetric are not", {
  p <- contract_pair()
  for (id in plain_measures()$id[!plain_measures()$symmetric]) {
    expect_false(same_value(contract_value(id, p$x, p$y), contract_value(id, p$y, p$x)), label = id)
  }
})

test_that("powers of two change nothing but the unit, as far as doubles go", {
  kinds <- law_kinds()[c("gauss", "more_columns", "low_rank")]
  each_law(function(id, args, label, kind) {
    if (by_chance(id, args, kind) || unstable(id, args, kind$x, kind$y)) return()
    value <- plain_value(id, args, label, kind)
    by_side <- "S" %in% invariances_of(id, args)
    # 2^996 is 1e300; inner products of such numbers are beyond doubles
    products <- uses_graph(id, args) && metric_of(id, args) == "dot"
    for (power in c(if (!products) c(-996, 996), -498, 498)) {
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
