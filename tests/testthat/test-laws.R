# Laws that hold whatever the data: every measure gives a number, in its range, on every kind of
# data, at every scale.

# inputs are tiny: threads would only wait for each other
withr::local_options(repalign.threads = 1)

test_that("every measure gives a number in its range on every kind of data", {
  skip_on_cran()
  each_law(function(id, args, label, kind) {
    m <- measure_with(id, args)
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
  beyond <- function(value, range) any(value < range[1] | value > range[2], na.rm = TRUE)
  for (seed in 1:6) {
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
        note(got$state == "value", sprintf("%s with scales %g and %g: %s, %s", name, x_scale, y_scale,
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
