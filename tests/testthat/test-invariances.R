# Invariances: those that the definitions have are declared, hold for every setting on every kind
# of data, and no others do.

# inputs are tiny: threads would only wait for each other
withr::local_options(repalign.threads = 1)

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
  skip_on_cran()
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

test_that("stimuli of one side may be permuted only if the pairing is not used", {
  table <- plain_measures()
  p <- contract_pair()
  rows <- c(40:1)[c(3:40, 1, 2)]
  for (i in seq_len(nrow(table))) {
    id <- table$id[i]
    value <- contract_value(id, p$x, p$y)
    for (changed in list(contract_value(id, p$x[rows, ], p$y), contract_value(id, p$x, p$y[rows, ]))) {
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
    note_same(value_near(id, args, kind$y, kind$x), value_near(id, args, kind$x, kind$y), id, kind,
                label)
  }, kinds)
  expect_nothing_noted()
})

test_that("only these are not symmetric", {
  asymmetric <- c("pwcca", "procrustes_similarity", "linear_regression", "cycle_knn")
  table <- plain_measures()
  for (i in seq_len(nrow(table))) {
    expect_identical(table$symmetric[i], !table$id[i] %in% asymmetric, label = table$id[i])
  }
  one_way <- list(soft_correlation_match = list(direction = "x"), soft_correlation_match = list(direction = "y"))
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
    value <- value_near(id, args, kind$x, kind$y)
    by_side <- "S" %in% invariances_of(id, args)
    # 2^996 is 1e300; inner products of such numbers are beyond doubles
    products <- uses_graph(id, args) && metric_of(id, args) == "dot"
    for (power in c(if (!products) c(-996, 996), -498, 3, 498)) {
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
