# Degenerate input: the documented value, warning or error, for every measure; never NaN,
# never another error. Measures that are not there yet are passed over.

# inputs are tiny: threads would only wait for each other
withr::local_options(repalign.threads = 1)

have <- function(...) intersect(c(...), measures()$id)

with_metric <- c("mutual_knn", "knn_jaccard", "rank_similarity", "cycle_knn")

# What came of a call: state, value, message, classes of warnings, argument.
result_of <- function(code) {
  warned <- character()
  said <- character()
  value <- tryCatch(
    withCallingHandlers(code, warning = function(w) {
      warned <<- c(warned, class(w), conditionMessage(w))
      invokeRestart("muffleWarning")
    }, message = function(m) {
      said <<- c(said, class(m), conditionMessage(m))
      invokeRestart("muffleMessage")
    }),
    error = identity
  )
  error <- inherits(value, "error")
  list(state = if (inherits(value, "repalign_error")) "refused" else if (error) "crashed"
       else if (is.nan(value)) "NaN" else if (is.na(value)) "undefined" else "value",
       value = if (!error) value, text = if (error) conditionMessage(value) else "",
       class = if (error) class(value), warned = warned, said = said)
}

note_refused <- function(label, code, parts, class = "repalign_error") {
  got <- result_of(code)
  missing <- parts[!vapply(parts, grepl, NA, x = got$text)]
  note(got$state == "refused" && class %in% got$class && !length(missing), label, ": ", got$state,
       " ",
       format(got$value), " ", got$text, if (length(missing)) paste0(" [lacks ", missing[1], "]"))
}

note_fine <- function(label, code, states = "value") {
  got <- result_of(code)
  honest <- got$state != "undefined" || "repalign_undefined" %in% got$warned
  plain <- length(got$warned) && !"repalign_warning" %in% got$warned
  note(got$state %in% states && honest && !plain, label, ": ", got$state, " ", got$text,
       if (!honest) " without repalign_undefined",
       if (plain) paste(" plain warning", got$warned[4]))
  invisible(got)
}

note_warned <- function(label, code, pattern = "", value = NULL) {
  got <- result_of(code)
  told <- "repalign_warning" %in% got$warned && any(grepl(pattern, got$warned))
  note(got$state == "value" && told, label, ": ", got$state, " ", got$text, " warned: ",
       paste(got$warned, collapse = " | "))
  if (!is.null(value)) {
    note(isTRUE(abs(got$value - value) < 1e-8), label, ": ", format(got$value, digits = 15),
         ", not ",
         format(value, digits = 15))
  }
}

run <- function(id, x, y, ...) do.call(id, list(x, y, ...))

pair_of <- function(n = 20, dx = 4, dy = 6, seed = 51) {
  set.seed(seed)
  lapply(related_pair(n, dx, dy), function(x) sweep(x, 2, rnorm(ncol(x)), "+"))
}

test_that("too few rows: an error that names the argument, or an honest value", {
  each_setting(function(id, args, name) {
    p <- pair_of()
    one <- c(list(p$x[1, , drop = FALSE], p$y[1, , drop = FALSE]), args)
    note_refused(paste(name, "one row"), do.call(id, one), "`x`")
    for (n in 2:5) {
      some <- c(list(p$x[1:n, ], p$y[1:n, ]), args)
      got <- note_fine(paste(name, n, "rows"), do.call(id, some),
                       c("value", "undefined", "refused"))
      if (got$state == "refused") note(grepl("`[a-z_]+`", got$text), name, " names no argument: ",
                                       got$text)
      # what needs no neighbours and no correction works from three rows on
      small <- uses_graph(id, args) || any(c("stimulus", "unbiased") %in% args$estimator)
      if (n >= 3 && !small) note(got$state == "value", name, " with ", n, " rows: ", got$state, " ",
                                 got$text)
    }
  })
  expect_nothing_noted()
})

test_that("k beyond the other rows is an error that names `k`, and k = n - 1 is not", {
  p <- pair_of(12)
  each_setting(function(id, args, name) {
    if (is.null(args[["k"]])) return()
    for (k in c(12, 13, 100)) {
      args[["k"]] <- k
      note_refused(paste(name, "k =", k), do.call(id, c(p, args)), c("`k`", as.character(k), "12"))
    }
    args[["k"]] <- 11
    note_fine(paste(name, "k = n - 1"), do.call(id, c(p, args)), c("value", "undefined"))
    default <- formals(get(id))$k
    args[["k"]] <- NULL
    if (default > 11) note_refused(paste(name, "default k"), do.call(id, c(p, args)), "`k`")
  })
  # all others are neighbours: overlaps are whole
  for (id in have("mutual_knn", "knn_jaccard", "cycle_knn")) {
    expect_equal(full_k(run(id, p$x, p$y, k = 11)), 1, label = id)
  }
  expect_nothing_noted()
})

test_that("mka needs three neighbours", {
  p <- pair_of(12)
  for (id in have("mka")) for (k in 1:2) note_refused(paste(id, k), run(id, p$x, p$y, k = k), "`k`")
  if (has_manifold()) {
    for (k in 1:2) note_refused("cka", cka(p$x, p$y, kernel = "manifold", k = k), "`k`")
  }
  expect_nothing_noted()
})

# Values that no parameter of a kind takes.
wrong_values <- function(default) {
  # NULL stands for a number (sigma, components) or labels
  if (is.null(default)) return(list("a", -1, NA, c(1, 2)))
  if (is.character(default)) return(list("nonsense", NA_character_, 1, character(), NULL))
  if (is.logical(default)) return(list(NA, "yes", c(TRUE, FALSE), 2, NULL))
  list(NA_real_, NaN, "a", c(1, 2), -1, NULL, numeric())
}

test_that("wrong arguments are refused by name, in measure() as in the function", {
  p <- pair_of(20, 5, 5)
  for (id in have(names(settings()))) {
    parameters <- measure_parameters(id)
    for (name in setdiff(names(parameters), c("units_x", "units_y", "clusters"))) {
      for (value in wrong_values(eval(parameters[[name]]))) {
        label <- paste(id, name, "=", paste(format(value), collapse = " "))
        bad <- stats::setNames(list(value), name)
        # a bandwidth or a number of neighbours counts where the kernel uses it
        if (id == "cka" && name %in% c("sigma", "bandwidth")) bad$kernel <- "rbf"
        if (id == "cka" && name == "k") bad$kernel <- "manifold"
        note_refused(label, do.call(id, c(p, bad)), paste0("`", name, "`"))
        got <- result_of(do.call(measure, c(list(id), bad)))
        note(got$state == "refused", "measure: ", label, " ", got$state)
      }
    }
  }
  expect_nothing_noted()
})

test_that("counts and fractions have their limits", {
  p <- pair_of(20, 5, 5)
  cases <- list(
    list("svcca", variance = 0), list("svcca", variance = 1.5), list("svcca", components = 0),
    list("svcca", components = 1.5), list("rtd", batch = 0), list("rtd", batch = 1.5),
    list("rtd", trials = 0), list("rtd", trials = 1.5), list("imd", degree = 0),
    list("imd", degree = 2.5),
    list("imd", k = 0), list("mutual_knn", k = 0), list("mutual_knn", k = 2.5),
    list("mutual_knn", k = Inf), list("uniformity_difference", t = 0),
    list("uniformity_difference", t = Inf), list("gulp", lambda = -1e-9), list("gulp", lambda = Inf)
  )
  for (case in cases) {
    if (!case[[1]] %in% measures()$id) next
    note_refused(paste(case, collapse = " "), do.call(case[[1]], c(p, case[-1])),
                 paste0("`", names(case)[2], "`"))
  }
  expect_nothing_noted()
})

test_that("a constant column is an error only for correlations of columns", {
  p <- pair_of()
  x <- p$x
  x[, 3] <- 2
  each_setting(function(id, args, name) {
    if (id %in% c("hard_correlation_match", "soft_correlation_match",
                  "soft_matching_correlation")) {
      note_refused(name, do.call(id, c(list(x, p$y), args)), c("`x`", "3"))
      note_refused(name, do.call(id, c(list(p$y, x), args)), c("`y`", "3"))
    } else {
      note_fine(paste(name, "constant column"), do.call(id, c(list(x, p$y), args)))
      note_fine(paste(name, "zero column"), do.call(id, c(list(p$y, cbind(p$x, 0)), args)))
    }
  })
  expect_nothing_noted()
})

test_that("a constant row is an error only for correlations of rows", {
  p <- pair_of()
  x <- p$x
  x[7, ] <- 3
  each_setting(function(id, args, name) {
    correlates <- identical(args$metric, "correlation") ||
      (id == "rsa" && (is.null(args$inner) || args$inner == "correlation"))
    if (correlates) {
      note_refused(name, do.call(id, c(list(x, p$y), args)), c("`x`", "7"))
      note_refused(name, do.call(id, c(list(p$y, x), args)), c("`y`", "7"))
    } else {
      note_fine(paste(name, "constant row"), do.call(id, c(list(x, p$y), args)))
    }
  })
  expect_nothing_noted()
})

test_that("a zero row is an error only for cosines and correlations", {
  p <- pair_of()
  x <- p$x
  x[9, ] <- 0
  each_setting(function(id, args, name) {
    if (needs_row_lengths(id, args)) {
      note_refused(name, do.call(id, c(list(x, p$y), args)), c("`x`", "9"))
      note_refused(name, do.call(id, c(list(p$y, x), args)), c("`y`", "9"))
    } else {
      note_fine(paste(name, "zero row"), do.call(id, c(list(x, p$y), args)))
    }
  })
  expect_nothing_noted()
})

test_that("a tiny row is no zero row", {
  p <- pair_of()
  x <- p$x
  x[9, ] <- 1e-200 * x[9, ]
  whole <- p$x
  for (id in have(setdiff(cosine_neighbours, "second_order_cosine"))) {
    note(identical(quietly(run(id, x, p$y, k = 5)), quietly(run(id, whole, p$y, k = 5))), id)
  }
  for (id in have("second_order_cosine", "concentricity_difference")) note_fine(id, run(id, x, p$y))
  expect_nothing_noted()
})

test_that("a mean of zero has no direction", {
  p <- pair_of(10)
  centered <- rbind(p$x, -p$x)
  y <- rbind(p$y, p$y + 1)
  for (id in have("concentricity_difference")) {
    note_fine(id, run(id, centered, y), c("undefined", "refused"))
    note_fine(id, run(id, y, centered), c("undefined", "refused"))
  }
  for (id in have("magnitude_difference")) {
    expect_equal(run(id, centered, y), sqrt(sum(colMeans(y)^2)), tolerance = 1e-10)
  }
  expect_nothing_noted()
})

test_that("rsa warns where correlations are degenerate, and nowhere else", {
  p <- pair_of(15, 2, 5)
  # with rows rising and falling; were all of them rising, every correlation would be 1
  p$x <- scale(p$x, scale = FALSE)
  note_warned("two columns", rsa(p$x, p$y))
  note_warned("two columns of y", rsa(p$y, p$x))
  single <- p$x[, 1, drop = FALSE]
  note_fine("one column", rsa(single, p$y), c("refused", "undefined"))
  for (inner in c("euclidean", "sqeuclidean")) {
    got <- note_fine(inner, rsa(p$x, p$y, inner = inner))
    note(!length(got$warned), inner, " warns: ", got$warned[4])
    note_fine(paste(inner, "one column"), rsa(single, p$y, inner = inner))
  }
  got <- note_fine("three columns", rsa(cbind(p$x, p$y[, 1]), p$y))
  note(!length(got$warned), "three columns warn: ", got$warned[4])
  # rows that are multiples of each other: all dissimilarities are 0 but for rounding
  line <- outer(1:15, c(1, 2, 3))
  for (outer in c("spearman", "pearson", "kendall", "cosine")) {
    for (inner in c("correlation", "cosine")) {
      label <- paste("multiples,", inner, outer)
      # tau-a of nothing but ties is 0
      got <- note_fine(label, rsa(line, p$y, inner = inner, outer = outer),
                       c("undefined", "refused", if (outer == "kendall") "value"))
      if (got$state == "value") note(outer == "kendall" && got$value == 0, label, ": ", got$value)
    }
  }
  # all distances equal: no variance to correlate
  equal <- diag(6)
  z <- normal_matrix(6, 4)
  for (outer in c("spearman", "pearson")) {
    note_fine(paste("equal distances", outer), rsa(equal, z, inner = "euclidean", outer = outer),
              c("undefined", "refused"))
    note_fine(paste("equal distances", outer), rsa(z, equal, inner = "euclidean", outer = outer),
              c("undefined", "refused"))
  }
  expect_nothing_noted()
})

test_that("linear regression and eigenspace overlap say when they are trivial", {
  p <- pair_of(10, 3, 12)
  if (length(have("linear_regression"))) {
    note_warned("regression", linear_regression(p$x, p$y), value = 1)
    note_warned("just enough", linear_regression(p$x, p$y[, 1:9]), value = 1)
    got <- note_fine("too few", linear_regression(p$x, p$y[, 1:8]))
    note(!length(got$warned) && got$value < 1, "regression on 8 columns warns or is 1")
    # the other direction is not trivial
    got <- note_fine("turned", linear_regression(p$y, p$x))
    note(!length(got$warned) && got$value < 1, "turned regression warns or is 1")
    # the rank counts, not the width
    flat <- normal_matrix(10, 3) %*% normal_matrix(3, 30)
    got <- note_fine("low rank", linear_regression(p$x, flat))
    note(!length(got$warned) && got$value < 1, "regression on rank 3 warns or is 1")
  }
  if (length(have("eigenspace_overlap"))) {
    wide <- normal_matrix(10, 12)
    note_warned("overlap", eigenspace_overlap(p$y, wide), value = 10 / 12)
    got <- note_fine("overlap", eigenspace_overlap(p$x, p$x + normal_matrix(10, 3)))
    note(!length(got$warned) && got$value < 1, "overlap of 3 columns warns or is 1")
  }
  expect_nothing_noted()
})

test_that("pwcca warns when its weights are not unique", {
  for (weights in c("projection", "l1")) {
    p <- pair_of(10, 5, 5)
    note_warned(weights, pwcca(p$x, p$y, weights = weights))
    got <- note_fine(weights, pwcca(p$x, p$y[, 1:4], weights = weights)) # 5 + 4 = n - 1
    note(!length(got$warned), weights, " warns at d + d' = n - 1")
    wide <- pair_of(10, 15, 15)
    note_warned(weights, pwcca(wide$x, wide$y, weights = weights), value = 1)
  }
  expect_nothing_noted()
})

test_that("svcca cuts components at the rank, with a message", {
  p <- pair_of(20, 4, 6)
  got <- result_of(svcca(p$x, p$y, components = 5))
  expect_true("repalign_message" %in% got$said)
  expect_match(paste(got$said, collapse = " "), "`x`.*4|4.*`x`")
  expect_equal(got$value, def_svcca(p$x, p$y, components = 5), tolerance = 1e-10)
  expect_equal(result_of(svcca(p$x, p$y, components = 100))$value, cca(p$x, p$y), tolerance = 1e-8)
  expect_length(result_of(svcca(p$x, p$y, components = 4))$said, 0)
  flat <- normal_matrix(20, 2) %*% normal_matrix(2, 7)
  got <- result_of(svcca(flat, p$y, components = 3))
  expect_true("repalign_message" %in% got$said)
  expect_equal(got$value, def_svcca(flat, p$y, components = 3), tolerance = 1e-8)
  # all of the variance is all of the rank
  expect_equal(quietly(svcca(p$x, p$y, variance = 1)), cca(p$x, p$y), tolerance = 1e-8)
})

test_that("ranks come from the data, not from rounding", {
  set.seed(52)
  x <- normal_matrix(30, 3)
  y <- normal_matrix(30, 4)
  same <- cbind(x, x %*% normal_matrix(3, 3)) # the same space in more columns
  for (id in have("cca", "gulp")) {
    expect_equal(run(id, same, y), run(id, x, y), tolerance = 1e-7, label = id)
    expect_equal(run(id, y, 1e6 * same + 5), run(id, y, x), tolerance = 1e-6, label = id)
  }
  for (id in have("linear_regression")) {
    expect_equal(run(id, y, same), run(id, y, x), tolerance = 1e-7, label = id)
  }
  # a column that is nearly a combination of others counts until 1e-10 of the largest
  nearly <- cbind(x, x[, 1] + 1e-7 * normal_matrix(30, 1))
  full <- cbind(x, nearly[, 4] - x[, 1])
  below <- cbind(x, x[, 1] + 1e-13 * normal_matrix(30, 1))
  for (id in have("cca", "gulp")) {
    expect_equal(run(id, nearly, y), run(id, sweep(full, 2, c(1, 1, 1, 1e7), "*"), y),
                 tolerance = 1e-6,
                 label = id)
    expect_equal(run(id, below, y), run(id, x, y), tolerance = 1e-6, label = id)
  }
})

test_that("two whole spaces are alike: gulp 0, cca 1", {
  wide <- pair_of(8, 12, 15)
  for (id in have("gulp")) expect_lt(quietly(run(id, wide$x, wide$y)), 1e-6)
  for (id in have("cca")) expect_equal(quietly(run(id, wide$x, wide$y)), 1, tolerance = 1e-8)
  p <- pair_of(8, 3, 3)
  expect_true(all(vapply(have("gulp"), function(id) run(id, p$x, p$y) > 0.1, NA)))
})

# Neighbour kernels

# The limit of equation 2 where log2 k or more neighbours tie at the smallest distance.
limit_matrix <- function(d, neighbours) {
  m <- diag(nrow(d))
  for (i in seq_len(nrow(d))) {
    at <- neighbours[i, ]
    m[i, at] <- (d[i, at] < min(d[i, at]) * (1 + 1e-9)) + 0
  }
  m
}

test_that("mka takes the limit where too many neighbours tie at the smallest distance", {
  # a ring: two neighbours at one distance, two at the next; log2(4) = 2
  angle <- 2 * pi * (1:9) / 9
  ring <- cbind(cos(angle), sin(angle))
  set.seed(53)
  y <- normal_matrix(9, 3)
  k_x <- limit_matrix(def_distances(ring), def_neighbours(ring, 4, "euclidean"))
  value <- def_cosine(def_row_center(k_x), def_row_center(def_mka_matrix(y, 4)))
  note_warned("ring", mka(ring, y, k = 4), "tie", value)
  note_warned("ring as y", mka(y, 1e-150 * ring, k = 4), "tie", value)
  note_warned("two rings", mka(ring, ring[c(2:9, 1), ], k = 4), "tie", 1)
  # no limit is needed at k = 6: log2(6) > 2
  got <- note_fine("k = 6", mka(ring, y, k = 6))
  note(!any(grepl("limit", got$warned)), "k = 6 has a root")
  # duplicates: smallest distance 0 for two of the neighbours
  three <- rbind(y, y, y)
  note_fine("duplicates", mka(three, normal_matrix(27, 3), k = 4))
  # rows with the limit have sums of their own: a mix of tied and free rows
  mixed <- rbind(ring, cbind(10 + rnorm(6), rnorm(6)))
  z <- normal_matrix(15, 3)
  near <- def_neighbours(mixed, 4, "euclidean")
  k_x <- limit_matrix(def_distances(mixed), near)
  k_x[10:15, ] <- def_mka_matrix(mixed[10:15, ], 4)[, 1:6] %*% cbind(matrix(0, 6, 9), diag(6))
  value <- def_cosine(def_row_center(k_x), def_row_center(def_mka_matrix(z, 4)))
  note_warned("mixed", mka(mixed, z, k = 4), "tie", value)
  # every row the same: nothing left to compare
  note_fine("simplex", mka(diag(4), normal_matrix(4, 2), k = 3), c("undefined", "refused"))
  expect_nothing_noted()
})

test_that("kcka without a width is an error", {
  p <- pair_of(6)
  copies <- p$x[rep(1:6, each = 4), ]
  y <- normal_matrix(24, 3)
  for (squared in c(FALSE, TRUE)) {
    note_refused("copies", kcka(copies, y, k = 3, squared = squared), "`x`")
    note_refused("copies", kcka(y, copies, k = 3, squared = squared), "`y`")
    note_fine("some copies", kcka(p$x[rep(1:6, 4), ], y, k = 10, squared = squared))
  }
  expect_nothing_noted()
})

test_that("duplicated rows are rows like any others", {
  p <- pair_of(16)
  twice <- lapply(p, function(x) x[rep(1:16, 2), ])
  mixed <- list(x = twice$x, y = p$y[c(1:16, 16:1), ])
  each_setting(function(id, args, name) {
    for (q in list(twice, mixed)) note_fine(paste(name, "duplicates"),
                                            do.call(id, c(unname(q), args)))
  })
  expect_nothing_noted()
})

# Distances and graphs in place of data

takes_distances <- function(id, args) {
  if (id %in% c("distance_correlation", "rsm_difference", "mka", "kcka", "imd", "rtd")) return(TRUE)
  if (id %in% with_metric) return(identical(args$metric, "euclidean"))
  id %in% c("rsa", "bures", "bures_distance")
}

test_that("distances stand for data where only distances are needed, and nowhere else", {
  p <- pair_of(18)
  d <- lapply(p, dist)
  each_setting(function(id, args, name) {
    if (id == "rsa" && !identical(args$inner, "euclidean")) return()
    # kernels of distances may or may not take them
    if (id %in% c("cka", "angular_cka") && !is.null(args$kernel)) return()
    if (id == "rtd" || takes_distances(id, args)) {
      value <- score(id, p$x, p$y, args)
      for (q in list(d, list(d$x, p$y), list(p$x, d$y))) {
        got <- note_fine(paste(name, "distances"), do.call(id, c(unname(q), args)))
        # eigenvalues of rounding size have roots
        share <- if (startsWith(id, "bures")) 1e-7 else 1e-9
        note(isTRUE(abs(got$value - value) <= share * max(1, abs(value))), name, " of distances: ",
             format(got$value, digits = 15), ", not ", format(value, digits = 15))
      }
    } else {
      note_refused(paste(name, "dist x"), do.call(id, c(list(d$x, p$y), args)), "`x`",
                   "repalign_error_type")
      note_refused(paste(name, "dist y"), do.call(id, c(list(p$x, d$y), args)), "`y`",
                   "repalign_error_type")
    }
  })
  expect_nothing_noted()
})

test_that("rsa compares dissimilarities that are given as they are", {
  set.seed(54)
  a <- as.dist(outer(1:9, 1:9, function(i, j) round(abs(i - j) + (i * j) %% 5)))
  b <- dist(normal_matrix(9, 3))
  expect_equal(rsa(a, b), cor(a, b, method = "spearman"), tolerance = 1e-12)
  expect_equal(rsa(a, b, outer = "pearson"), cor(a, b), tolerance = 1e-12)
  expect_equal(rsa(a, b, outer = "cosine"), def_cosine(a, b), tolerance = 1e-12)
  expect_equal(rsa(a, b, outer = "kendall"), def_tau_a(as.vector(a), as.vector(b)),
               tolerance = 1e-12)
  expect_equal(rsa(a, a), 1, tolerance = 1e-12)
})

test_that("damaged distances are refused by name", {
  p <- pair_of(9)
  good <- dist(p$y)
  damage <- function(at, value) {
    d <- dist(p$x)
    d[at] <- value
    d
  }
  short <- dist(p$x)[-1]
  attributes(short) <- attributes(dist(p$x))
  bad <- list(damage(3, NA), damage(3, NaN), damage(3, Inf), damage(3, -1), 0 * dist(p$x), short)
  for (id in have("rsa", "distance_correlation", "rsm_difference", "mka", "kcka", "imd", "rtd")) {
    args <- if (uses_graph(id)) list(k = 3) else list()
    # a correlation of dissimilarities may use negative ones, and is undefined where all are 0
    for (i in setdiff(seq_along(bad), if (id == "rsa") 4:5)) {
      note_refused(paste(id, "damage", i), do.call(id, c(list(bad[[i]], good), args)), "`x`")
      note_refused(paste(id, "damage", i), do.call(id, c(list(good, bad[[i]]), args)), "`y`")
    }
    note_refused(paste(id, "sizes"), do.call(id, c(list(dist(p$x[-1, ]), good), args)), c("8", "9"))
  }
  expect_nothing_noted()
})

# A graph as uwot and RcppHNSW give it.
graph_of <- function(x, k, metric = "euclidean", self = TRUE) {
  idx <- def_neighbours(x, k, metric)
  d <- if (metric == "euclidean") def_distances(x) else 1 - tcrossprod(def_unit_rows(x))
  far <- matrix(d[cbind(rep(seq_len(nrow(x)), k), c(idx))], nrow(x))
  if (self) list(idx = cbind(seq_len(nrow(x)), idx), dist = cbind(0, far)) else
    list(idx = idx, dist = far)
}

test_that("a graph made elsewhere gives the value of the data, with the row itself or without", {
  p <- pair_of(18)
  for (id in have("mutual_knn", "knn_jaccard", "rank_similarity", "cycle_knn", "lcs_knn",
                  "edit_distance_knn", "mka", "kcka")) {
    metric <- metric_of(id)
    value <- run(id, p$x, p$y, k = 4)
    for (self in c(TRUE, FALSE)) {
      g <- lapply(p, graph_of, k = 4, metric = metric, self = self)
      more <- lapply(p, graph_of, k = 7, metric = metric, self = self)
      for (q in list(g, list(g$x, p$y), list(p$x, g$y), more)) {
        got <- note_fine(paste(id, "graph"), run(id, q[[1]], q[[2]], k = 4))
        note(isTRUE(abs(got$value - value) < 1e-9), id, " of graphs: ",
             format(got$value, digits = 15),
             ", not ", format(value, digits = 15))
      }
      note_refused(paste(id, "k"), run(id, g$x, g$y, k = 5), c("`k`", "4"))
    }
    g <- graph_of(p$x, 4, metric)
    note_refused(paste(id, "rows"), run(id, g, p$y[-1, ], k = 4), c("18", "17"))
  }
  for (id in have("cca", "cka", "procrustes", "rsa", "rtd", "distance_correlation",
                  "magnitude_difference", "cknna", "second_order_cosine")) {
    note_refused(paste(id, "graph"), run(id, graph_of(p$x, 5), p$y), "`x`", "repalign_error_type")
  }
  expect_nothing_noted()
})

test_that("malformed graphs are refused with the place", {
  p <- pair_of(12)
  good <- graph_of(p$x, 4, self = FALSE)
  change <- function(part, row, column, value) {
    g <- good
    g[[part]][row, column] <- value
    g
  }
  bad <- list(
    zero_based = list(list(idx = good$idx - 1L, dist = good$dist), "index"),
    beyond = list(change("idx", 5, 2, 13), c("row 5", "column 2")),
    fraction = list(change("idx", 5, 2, 1.5), c("row 5", "column 2")),
    missing = list(change("idx", 5, 2, NA), c("row 5", "column 2")),
    itself = list(change("idx", 5, 3, 5), "row 5"),
    twice = list(change("idx", 5, 3, good$idx[5, 1]), "row 5"),
    falling = list(change("dist", 5, 4, 0), "row 5"),
    nan = list(change("dist", 5, 4, NaN), c("row 5", "column 4")),
    shapes = list(list(idx = good$idx, dist = good$dist[, -1]), "size"),
    letters = list(list(idx = good$idx, dist = matrix("a", 12, 4)), "numeric"),
    only_self = list(list(idx = matrix(1:12), dist = matrix(0, 12)), "no neighbours"),
    some_self = list(list(idx = cbind(c(1:6, (1:6)), good$idx), dist = cbind(0, good$dist)), "row")
  )
  for (id in have("mutual_knn", "mka", "kcka")) {
    for (name in names(bad)) {
      note_refused(paste(id, name), run(id, bad[[name]][[1]], p$y, k = 3),
                   c("`x`", bad[[name]][[2]]))
      note_refused(paste(id, name), run(id, p$y, bad[[name]][[1]], k = 3), "`y`")
    }
  }
  expect_nothing_noted()
})

# Whatever comes: a value, or an honest word

test_that("no input of odd shape gives NaN, a plain error or a plain warning", {
  skip_unless_extended()
  set.seed(55)
  z <- normal_matrix(12, 3)
  binary <- matrix(rep(c(0, 1), length.out = 36), 12)
  odd <- list(
    binary = binary + 1, two_values = cbind(rep(1:2, 6)), one_differs = rbind(matrix(1, 11, 3), 2),
    identity = diag(12), huge_and_tiny = cbind(1e200 * z[, 1], 1e-200 * z[, 2]),
    subnormal = 1e-310 * z, line = outer(1:12, c(1, 2, 3)), opposite = rbind(z[1:6, ], -z[1:6, ]),
    spike = rbind(z[1:11, ], 1e8), ladder = outer(1:12, 0:3, "^")
  )
  each_setting(function(id, args, name) {
    for (kind in names(odd)) {
      for (pair in list(list(odd[[kind]], z), list(z, odd[[kind]]),
                        list(odd[[kind]], odd[[kind]]))) {
        note_fine(paste(name, kind), do.call(id, c(pair, args)), c("value", "undefined", "refused"))
      }
    }
  }, k = 3)
  expect_nothing_noted()
})

# The benchmark's set and outputs of classifiers

test_that("resi_measures() is the benchmark's 24", {
  abbreviations <-
    c("SVCCA", "PWCCA", "OrthProc", "ProcDist", "AngShape", "PermProc", "AlignCos", "HardCorr",
                     "SoftCorr", "LinReg", "CKA", "DistCorr", "EOS", "GULP", "RSA", "RSMDiff",
      "Jaccard",
                     "RankSim", "2nd-Cos", "IMD", "RTD", "MagDiff", "ConcDiff", "UnifDiff")
  table <- measures()
  expect_setequal(table$resi[!is.na(table$resi)], abbreviations)
  p <- pair_of(30, 5, 5)
  for (published in c(FALSE, TRUE)) {
    set <- resi_measures(published = published)
    ids <- vapply(set, function(m) m$id, "")
    expect_setequal(table$resi[match(ids, table$id)], abbreviations)
    result <- quietly(similarity(p$x, p$y, set))
    expect_identical(nrow(result), 24L)
    expect_true(all(is.finite(result$score)))
  }
  published <- resi_measures(published = TRUE)
  arguments <- stats::setNames(lapply(published, function(m) m$args),
                               vapply(published, function(m) m$id, ""))
  expect_identical(arguments$rsm_difference$norm, "spectral")
  expect_identical(arguments$second_order_cosine$of, "distance")
})

test_that("outputs of classifiers are checked", {
  exported <- getNamespaceExports("repalign")
  set.seed(56)
  p <- def_probabilities(normal_matrix(10, 4), "logit")
  q <- def_probabilities(normal_matrix(10, 4), "logit")
  if ("jsd" %in% exported) {
    note_refused("sums", jsd(2 * p, q), c("`p`", "row 1"))
    note_refused("negative", jsd(p, q - 0.9), "`q`")
    note_refused("rows", jsd(p, q[-1, ]), c("10", "9"))
    note_refused("classes", jsd(p, q[, -1]), c("4", "3"))
    note_refused("NA", jsd(replace(p, 3, NA), q), c("`p`", "row 3"))
    note_refused("choice", jsd(p, q, from = "logits"), "`from`")
  }
  if ("disagreement" %in% exported) {
    note_refused("rows", disagreement(p, q[-1, ]), c("10", "9"))
    note_refused("classes", disagreement(p, q[, -1]), c("4", "3"))
  }
  if ("accuracy_difference" %in% exported) {
    labels <- rep(1:4, length.out = 10)
    note_refused("length", accuracy_difference(p, q, labels[-1]), "`labels`")
    note_refused("NA", accuracy_difference(p, q, replace(labels, 2, NA)), "`labels`")
    note_refused("zero based", accuracy_difference(p, q, labels - 1), "`labels`")
    note_refused("beyond", accuracy_difference(p, q, labels + 1), "`labels`")
  }
  expect_nothing_noted()
})

test_that("graphs that name a row among its own neighbours only here and there are refused", {
  set.seed(21)
  idx <- t(apply(as.matrix(dist(normal_matrix(12, 3))), 1, order))[, 1:5]
  graph <- function(idx) list(idx = idx, dist = matrix(seq_len(5), 12, 5, byrow = TRUE) - 1)
  lacking <- idx
  lacking[3, 1] <- setdiff(1:12, idx[3, ])[1]
  expect_refused(mutual_knn(graph(lacking), graph(idx), k = 3), c("`x`", "not row 3"))
  doubled <- idx
  doubled[5, 3] <- 5
  expect_refused(mutual_knn(graph(doubled), graph(idx), k = 3), c("`x`", "row 5 twice"))
  once <- idx[, c(2:5, 5)]
  for (i in 1:12) once[i, 5] <- setdiff(1:12, c(i, once[i, 1:4]))[1]
  once[7, 2] <- 7
  expect_refused(mutual_knn(graph(idx), graph(once), k = 3), c("`y`", "row 7"))
})

test_that("mean rows too long for a double are refused", {
  x <- matrix(1.5e308, 6, 4) + diag(6)[, 1:4]
  x[1, ] <- x[1, ] / 2
  expect_refused(magnitude_difference(x, diag(6)), c("`x`", "rescale"))
})

test_that("what is equal but for rounding is constant", {
  set.seed(2)
  y <- matrix(rnorm(120), 20)
  noise <- matrix(rnorm(120), 20) * 1e-15
  flat <- y * 0 + 5 + noise
  expect_refused(cka(flat, y), c("`x`", "no variance"))
  expect_refused(procrustes(y, flat), c("`y`", "no variance"))
  expect_refused(soft_correlation_match(cbind(y, flat[, 1]), y), c("`x`", "constant columns", "7"))
  rows <- matrix(rep(1:20, 6), 20)
  expect_refused(rsa(rows + noise, y), c("`x`", "constant rows"))
  # ten times what rounding leaves is a response
  expect_true(is.finite(cka(5 + 10 * noise, y)))
})
