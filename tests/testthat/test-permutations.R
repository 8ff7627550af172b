# Which permutations make the null.

withr::local_options(repalign.threads = 1)

are_permutations <- function(p) all(apply(p, 2, function(o) identical(sort(o), seq_len(nrow(p)))))

as_key <- function(p) apply(p, 2, paste, collapse = " ")

# The message that says how few there are.
few <- function(code) {
  seen <- NULL
  withCallingHandlers(code, repalign_few_permutations = function(m) {
    seen <<- conditionMessage(m)
    invokeRestart("muffleMessage")
  })
  seen
}

plain_pair <- function(n = 12, seed = 71) {
  set.seed(seed)
  x <- normal_matrix(n, 3)
  list(x = x, y = x[, 1:2] + normal_matrix(n, 2))
}

test_that("all permutations: each once, the identity first", {
  for (n in 1:7) {
    p <- all_permutations(n)
    expect_type(p, "integer")
    expect_identical(dim(p), c(n, as.integer(factorial(n))))
    expect_true(are_permutations(p))
    expect_identical(anyDuplicated(as_key(p)), 0L)
    expect_identical(p[, 1], seq_len(n))
  }
})

test_that("cosets: the formula, the identity, no permutation twice within a coset, uniform draws", {
  set.seed(72)
  for (n in c(1:9, 16, 30)) {
    for (wanted in c(1, n - 1, n, 3 * n)) {
      if (wanted < 1) next
      design <- coset_design(n, wanted)
      expect_gte(design$count, wanted)
      expect_lt(design$count, wanted + n)
      p <- cbind(seq_len(n), design_matrix(design))
      expect_identical(p[, -1, drop = FALSE],
                       def_coset(design$coset$order_x, design$coset$orders_y) + 0L,
                       ignore_attr = TRUE)
      expect_identical(ncol(p), as.integer(design$count + 1))
      expect_true(are_permutations(p))
      for (m in seq_len(ncol(p) / n)) {
        expect_identical(anyDuplicated(as_key(p[, (m - 1) * n + seq_len(n), drop = FALSE])), 0L)
      }
    }
  }
})

test_that("the first coset is a group that contains the identity", {
  set.seed(73)
  n <- 11
  design <- coset_design(n, n - 1)
  group <- cbind(seq_len(n), def_coset(design$coset$order_x, design$coset$orders_y))
  keys <- as_key(group)
  for (a in seq_len(n)) for (b in seq_len(n)) {
    note(paste(group[group[, a], b], collapse = " ") %in% keys, a, " after ", b)
  }
  expect_nothing_noted()
})

# P(p <= level) over all orders of four values, for any draw of the cosets: exactly valid.
test_that("the coset p-value is exactly valid: all data, all draws, n = 4, one and two cosets", {
  orders <- all_permutations(4)
  score <- c(0.3, 1.2, 0.7, 2.2, 0.1, 0.9, 1.9, 0.2, 1.1, 1.4, 0.8, 2.5, 0.6, 1.7, 0.4, 1.3, 2.1,
             0.5, 1.6,
             2.4, 1.0, 1.8, 1.5, 2.0)
  place <- stats::setNames(seq_len(24), as_key(orders))
  p_values <- function(order_x, orders_y) {
    members <- cbind(1:4, def_coset(order_x, orders_y))
    # data in order o: a member m gives the order o[m]
    vapply(seq_len(24), function(o) {
      null <- score[place[as_key(matrix(orders[, o][members], 4))]]
      mean(null >= null[1])
    }, 0)
  }
  for (r in seq_len(24)) {
    p <- p_values(orders[, r], orders[, r, drop = FALSE])
    for (level in (1:4) / 4) note(mean(p <= level) <= level + 1e-12, "one coset, draw ", r)
  }
  # two cosets: valid on average over the draws
  all <- unlist(lapply(seq_len(24), function(r) {
    lapply(seq_len(24), function(s) p_values(orders[, r], orders[, c(r, s)]))
  }))
  for (level in (1:8) / 8) note(mean(all <= level) <= level + 1e-12, "two cosets: ", level, " ",
                                mean(all <= level))
  # and not far below: without ties of cosets it is exact
  note(mean(all <= 0.5) > 0.4, "two cosets: conservative")
  expect_nothing_noted()
})

test_that("number of permutations and engine of the free design", {
  p <- plain_pair()
  v <- calibrate(p$x, p$y, "cka", permutations = 99)
  expect_identical(v$engine, "coset")
  expect_equal(v$permutations, 12 * 9 - 1)
  expect_equal(calibrate(p$x, p$y, "cka", permutations = 11)$permutations, 11)
  expect_equal(calibrate(p$x, p$y, "cka", permutations = 12)$permutations, 23)
  expect_equal(calibrate(p$x, p$y, "cka", permutations = 1)$permutations, 1)
  for (id in c("procrustes", "cca", "hard_correlation_match")) {
    v <- quietly(calibrate(p$x, p$y, id, permutations = 99))
    expect_identical(v$engine, "random", label = id)
    expect_equal(v$permutations, 99, label = id)
  }
  own <- new_measure(function(x, y) cor(x[, 1], y[, 1]), best = 1)
  expect_identical(calibrate(p$x, p$y, own, permutations = 9)$engine, "random")
  expect_identical(calibrate(p$x, p$y, "cka", permutations = 9, engine = "random")$engine, "random")
  # what has no cosets of its own takes them when asked
  v <- calibrate(p$x, p$y, "procrustes", permutations = 30, engine = "coset")
  expect_identical(v$engine, "coset")
  expect_equal(v$permutations, 35)
})

test_that("few permutations are enumerated: auto takes exact when n! is no more than asked for", {
  p <- plain_pair(6)
  v <- calibrate(p$x, p$y, c("cka", "procrustes"), permutations = 719)
  expect_identical(v$engine, c("exact", "exact"))
  expect_equal(v$permutations, c(719, 719))
  expect_identical(calibrate(p$x, p$y, "cka", permutations = 718)$engine, "coset")
  orders <- all_orders(6)
  values <- apply(orders, 2, function(o) cka(p$x, p$y[o, ]))
  expect_equal(v$p_value[1], mean(values >= values[1] - 1e-10), tolerance = 1e-12)
  expect_equal(sort(c(v$score[1], null_scores(v)[, 1])), sort(values), tolerance = 1e-10,
               ignore_attr = TRUE)
  expect_equal(v$threshold[1], sort(values)[ceiling(0.95 * 720)], tolerance = 1e-10)
  # all of them, whatever number was asked for
  expect_equal(calibrate(p$x, p$y, "cka", permutations = 5, engine = "exact")$permutations, 719)
  expect_match(few(calibrate(p$x, p$y, "cka", permutations = 999)), "719")
  expect_null(few(calibrate(p$x, p$y, "cka", permutations = 719)))
  q <- plain_pair(10)
  expect_refused(calibrate(q$x, q$y, "cka", engine = "exact"), c("exact", "10", "auto"))
  expect_refused(calibrate(rbind(q$x, q$x), rbind(q$y, q$y), "cka", engine = "exact"), "exact")
})

test_that("two and three rows", {
  set.seed(74)
  for (n in 2:3) {
    x <- normal_matrix(n, 2)
    y <- normal_matrix(n, 2)
    v <- quietly(calibrate(x, y, c("cka", "procrustes")))
    expect_equal(v$permutations, rep(factorial(n) - 1, 2))
    v <- quietly(calibrate(x, y, "cka", permutations = 10, engine = "coset"))
    expect_true(is.finite(v$p_value))
  }
})

test_that("blocks: only rows of one block are exchanged", {
  set.seed(75)
  n <- 15
  for (labels in list(rep(c("a", "b", "c"), 5), factor(rep(1:3, c(7, 5, 3))), c(1, rep(2, 14)),
                      rep(c(TRUE, FALSE), c(5, 10)), rep(c(1.5, 2.5, 3.5), 5))) {
    plan <- permutation_plan(n, 200, labels, FALSE, "auto")
    p <- plan$fixed$matrix
    expect_identical(dim(p), c(15L, 200L))
    expect_true(are_permutations(p))
    expect_true(all(apply(p, 2, function(o) all(labels[o] == labels))))
    # every row visits every place of its block
    for (i in seq_len(n)) expect_setequal(p[i, ], which(labels == labels[i]))
  }
  q <- plain_pair(15)
  v <- calibrate(q$x, q$y, c("cka", "procrustes"), permutations = 50, blocks = rep(1:3, 5))
  expect_identical(v$engine, c("blocks", "blocks"))
  expect_equal(v$permutations, c(50, 50))
})

test_that("blocks: few permutations are all taken, each once, and it says so", {
  labels <- c(1, 1, 2, 2, 2, 3)
  said <- few(plan <- permutation_plan(6, 999, labels, FALSE, "auto"))
  expect_match(said, "11")
  expect_match(said, format(1 / 12, digits = 3), fixed = TRUE)
  p <- cbind(1:6, plan$fixed$matrix)
  expect_identical(ncol(p), 12L)
  expect_identical(anyDuplicated(as_key(p)), 0L)
  expect_true(are_permutations(p))
  expect_true(all(apply(p, 2, function(o) all(labels[o] == labels))))
  expect_null(few(permutation_plan(6, 11, labels, FALSE, "auto")))
  expect_null(few(permutation_plan(6, 5, labels, FALSE, "auto")))
  expect_identical(permutation_plan(6, 5, labels, FALSE, "auto")$fixed$count, 5L)
  # one block is the free design
  expect_identical(ncol(permutation_plan(5, 119, rep(1, 5), FALSE, "auto")$fixed$matrix), 119L)
})

test_that("blocks take groups out of the null: groups alone are not significant", {
  set.seed(76)
  groups <- rep(1:5, each = 8)
  effect <- 4 * normal_matrix(5, 3)[groups, ]
  x <- effect + normal_matrix(40, 3)
  y <- effect + normal_matrix(40, 3)
  free <- calibrate(x, y, "cka", permutations = 199)
  within <- calibrate(x, y, "cka", permutations = 199, blocks = groups)
  expect_lt(free$p_value, 0.02)
  expect_gt(within$p_value, 0.05)
  expect_gt(within$null_mean, free$null_mean + 0.2)
})

test_that("bad blocks are refused", {
  p <- plain_pair()
  bad <- function(blocks, ...) calibrate(p$x, p$y, "cka", blocks = blocks, ...)
  expect_refused(bad(1:3), c("`blocks`", "12"))
  expect_refused(bad(1:12), "one row")
  expect_refused(bad(c(NA, rep(1, 11))), "missing")
  expect_refused(bad(as.list(rep(1, 12))), "`blocks`")
  expect_refused(bad(data.frame(a = rep(1, 12))), "`blocks`")
  expect_refused(bad(rep(1:2, 6), series = TRUE), c("blocks", "series", "only one"))
  expect_refused(bad(rep(1:2, 6), permutations = rbind(12:1)), c("blocks", "permutations"))
  expect_refused(bad(rep(1:2, 6), engine = "coset"), "engine")
  expect_refused(bad(rep(1:2, 6), engine = "moments"), "engine")
})

test_that("series: the circular shifts, once each, and it says how few", {
  p <- plain_pair(20)
  said <- few(v <- calibrate(p$x, p$y, c("cka", "procrustes"), series = TRUE))
  expect_match(said, "19")
  expect_identical(v$engine, c("series", "series"))
  expect_equal(v$permutations, c(19, 19))
  shifted <- vapply(1:19, function(t) cka(p$x, p$y[(0:19 + t) %% 20 + 1, ]), 0)
  expect_equal(null_scores(v)[, 1], shifted, tolerance = 1e-10, ignore_attr = TRUE)
  expect_null(few(calibrate(p$x, p$y, "cka", series = TRUE, permutations = 19)))
  expect_refused(calibrate(p$x, p$y, "cka", series = NA), "`series`")
  expect_refused(calibrate(p$x, p$y, "cka", series = "yes"), "`series`")
  expect_refused(calibrate(p$x, p$y, "cka", series = TRUE, engine = "random"), "engine")
  expect_refused(calibrate(p$x, p$y, "cka", series = TRUE, permutations = 0), "`permutations`")
  # shifts draw nothing
  set.seed(77)
  quietly(calibrate(p$x, p$y, "cka", series = TRUE))
  after <- runif(1)
  set.seed(77)
  expect_identical(after, runif(1))
})

test_that("series: the null of autocorrelated rows, which free permutation gets wrong", {
  walk <- function(d) apply(normal_matrix(80, d), 2, cumsum)
  set.seed(78)
  p <- vapply(1:12, function(i) {
    x <- walk(3)
    y <- walk(3)
    c(free = calibrate(x, y, "cka", permutations = 79)$p_value,
      series = quietly(calibrate(x, y, "cka", series = TRUE))$p_value)
  }, double(2))
  expect_gte(sum(p["free", ] <= 0.05), 10)
  expect_lte(sum(p["series", ] <= 0.05), 5)
})

test_that("an integer matrix: a permutation a row, in its order", {
  q <- plain_pair()
  set.seed(79)
  perms <- t(replicate(7, sample(12)))
  v <- calibrate(q$x, q$y, c("cka", "procrustes"), permutations = perms)
  expect_identical(v$engine, c("given", "given"))
  expect_equal(v$permutations, c(7, 7))
  expect_equal(null_scores(v)[, 1], apply(perms, 1, function(o) cka(q$x, q$y[o, ])),
               tolerance = 1e-12,
               ignore_attr = TRUE)
  expect_equal(null_scores(v)[, 2], apply(perms, 1, function(o) procrustes(q$x, q$y[o, ])),
               tolerance = 1e-12, ignore_attr = TRUE)
  doubles <- perms + 0
  expect_identical(calibrate(q$x, q$y, "cka", permutations = doubles)$p_value, v$p_value[1])
  expect_equal(calibrate(q$x, q$y, "cka", permutations = perms[1, , drop = FALSE])$permutations, 1)
  named <- perms
  dimnames(named) <- list(letters[1:7], LETTERS[1:12])
  expect_identical(calibrate(q$x, q$y, "cka", permutations = named)$threshold, v$threshold[1])
})

test_that("bad permutations are refused, the row named", {
  p <- plain_pair()
  bad <- function(permutations, ...) calibrate(p$x, p$y, "cka", permutations = permutations, ...)
  good <- rbind(12:1, 1:12)
  expect_refused(bad(good[, -1]), c("`permutations`", "12"))
  expect_refused(bad(good[0, , drop = FALSE]), "`permutations`")
  twice <- good
  twice[2, 1] <- 2
  expect_refused(bad(twice), c("`permutations`", "row 2"))
  expect_refused(bad(good - 1), "row 1")
  expect_refused(bad(good + 0.5), "row 1")
  missing <- good
  missing[1, 3] <- NA
  expect_refused(bad(missing), "`permutations`")
  expect_refused(bad(good == 1), "`permutations`")
  expect_refused(bad(matrix("a", 2, 12)), "`permutations`")
  infinite <- good + 0
  infinite[1, 1] <- Inf
  expect_refused(bad(infinite), "row 1")
  expect_refused(bad(t(good)), "`permutations`")
  for (value in list(0, -5, 2.5, NA, Inf, "99", NULL, c(9, 9), list(9), TRUE)) {
    expect_refused(bad(value), "`permutations`")
  }
  hole <- good
  hole[2, 3] <- NA
  expect_refused(bad(hole), c("`permutations`", "row 2"))
  expect_message(bad(rbind(good, seq_len(ncol(good)))), "observed order in row",
                 class = "repalign_observed_order")
  expect_refused(bad(as.data.frame(good)), c("`permutations`", "matrix"))
  expect_refused(bad(3e9), c("`permutations`", "at most 2147483647"))
  expect_refused(bad(good, engine = "coset"), "engine")
  expect_refused(bad(good, engine = "exact"), "engine")
  expect_refused(bad(good, series = TRUE), c("series", "permutations"))
})

test_that("what is not enumerated: more than a million, and within blocks all at once", {
  plan <- permutation_plan(10, 4e6, NULL, FALSE, "auto")
  expect_null(plan$fixed)
  expect_gte(plan$count, 4e6)
  labels <- rep(1:3, c(4, 3, 2))
  set <- quietly(permutation_plan(9, 287, labels, FALSE, "auto"))$fixed$matrix
  expect_identical(length(unique(as_key(set))), 287L)
  expect_true(all(apply(set, 2, function(o) all(labels[o] == labels))))
  expect_false(as_key(cbind(1:9)) %in% as_key(set))
  # 10! within one block: drawn
  set <- permutation_plan(11, 50, c(rep(1, 10), 2), FALSE, "auto")$fixed
  expect_identical(set$count, 50L)
  withr::local_options(repalign.max_memory = 1e6)
  expect_refused(coset_design(20, 1e7), c("orders of 20 rows", "Fewer permutations"))
  # 8! of one block, in columns as long as all rows
  expect_refused(permutation_plan(500, 1e5, c(rep(1, 8), 2:493), FALSE, "auto"),
                 c("40320 permutations of 500 rows", "Fewer permutations"))
})

test_that("permute::how(): within types, blocks, plots, fixed numbers", {
  skip_if_not_installed("permute")
  q <- plain_pair(12)
  run <- function(how, ...) quietly(calibrate(q$x, q$y, "cka", permutations = how, ...))
  drawn <- function(how) quietly(permutation_plan(12, how, NULL, FALSE, "auto"))$fixed$matrix
  set.seed(80)
  v <- run(permute::how(nperm = 60))
  expect_identical(v$engine, "given")
  expect_equal(v$permutations, 60)
  expect_true(are_permutations(drawn(permute::how(nperm = 60))))
  # blocks
  labels <- gl(3, 4)
  p <- drawn(permute::how(nperm = 80, blocks = labels))
  expect_identical(dim(p), c(12L, 80L))
  expect_true(all(apply(p, 2, function(o) all(labels[o] == labels))))
  # series: the shifts that permute knows
  p <- drawn(permute::how(nperm = 50, within = permute::Within(type = "series")))
  shifts <- as_key(vapply(1:11, function(t) as.integer((0:11 + t) %% 12 + 1), integer(12)))
  expect_setequal(as_key(p), shifts)
  expect_match(few(calibrate(q$x, q$y, "cka", permutations = permute::how(
    nperm = 50, within = permute::Within(type = "series")))), "11")
  # whole plots exchanged, nothing within
  plots <- gl(4, 3)
  p <- drawn(permute::how(nperm = 10, plots = permute::Plots(plots, type = "free"),
                          within = permute::Within(type = "none")))
  expect_true(are_permutations(p))
  expect_true(all(apply(p, 2, function(o) all(diff(matrix(o, 3)) == 1))))
  # within plots only: the mirrored series of a grid of one plot
  p <- drawn(permute::how(nperm = 30, plots = permute::Plots(plots, type = "none")))
  expect_true(all(apply(p, 2, function(o) all(plots[o] == plots))))
  p <- drawn(permute::how(nperm = 30, within = permute::Within(type = "grid", nrow = 3, ncol = 4)))
  expect_true(are_permutations(p))
  # the observed order is none of them, also where the design would count it
  for (complete in c(TRUE, FALSE)) {
    design <- permute::how(nperm = 719, observed = TRUE, complete = complete)
    set <- quietly(permutation_plan(6, design, NULL, FALSE, "auto"))$fixed$matrix
    expect_identical(ncol(set), 719L)
    expect_setequal(as_key(set), setdiff(as_key(all_permutations(6)), as_key(cbind(1:6))))
  }
  for (nperm in list(0, NA, c(9, 19), "a", Inf, 2.5)) {
    expect_refused(run(permute::how(nperm = nperm)), "nperm")
  }
  gap <- labels
  gap[3] <- NA
  expect_refused(run(permute::how(nperm = 9, blocks = gap)), "blocks of `permutations`")
  expect_refused(quietly(calibrate(q$x, q$y, blocks = matrix(1:2, 2, 6))), "`blocks`")
  # the same numbers as with its own permutations given as a matrix
  set.seed(81)
  a <- run(permute::how(nperm = 40, blocks = labels))
  set.seed(81)
  set <- unclass(as.matrix(permute::shuffleSet(12, 40, permute::how(nperm = 40, blocks = labels))))
  b <- run(matrix(as.integer(set), nrow(set)))
  expect_identical(a$p_value, b$p_value)
  expect_identical(a$threshold, b$threshold)
})

test_that("designs of permute that do not fit are refused", {
  skip_if_not_installed("permute")
  q <- plain_pair(12)
  run <- function(how, ...) calibrate(q$x, q$y, "cka", permutations = how, ...)
  expect_refused(run(permute::how(blocks = gl(3, 5))), c("`permutations`", "15", "12"))
  expect_refused(run(permute::how(blocks = gl(2, 3))), c("`permutations`", "12"))
  expect_refused(run(permute::how(within = permute::Within(type = "none"))), "`permutations`")
  expect_refused(run(permute::how(blocks = gl(12, 1))), "`permutations`")
  expect_refused(run(permute::how(plots = permute::Plots(gl(2, 4)))), "`permutations`")
  expect_refused(run(permute::how(plots = permute::Plots(gl(2, 12)), nperm = 9)), "`permutations`")
  expect_refused(run(permute::how(), engine = "coset"), "engine")
  expect_refused(run(permute::how(), blocks = rep(1:2, 6)), c("blocks", "permutations"))
  expect_refused(run(permute::how(), series = TRUE), c("series", "permutations"))
})

test_that("one design for all pairs and measures of an engine", {
  set.seed(82)
  x <- normal_matrix(14, 3)
  y <- list(a = normal_matrix(14, 2), b = normal_matrix(14, 4))
  # the second is linear in the first, permutation by permutation
  v <- calibrate(x, list(a = y$a, b = 3 * y$a + 1), "cka", permutations = 50)
  expect_equal(null_scores(v)[, 1], null_scores(v)[, 2], tolerance = 1e-10, ignore_attr = TRUE)
  v <- calibrate(x, y$a, c("cka", "rv"), permutations = 50)
  expect_equal(null_scores(v)[, 1], null_scores(v)[, 2], tolerance = 1e-10, ignore_attr = TRUE)
  v <- calibrate(x, y, c("procrustes_size_shape", "hard_correlation_match", "cca"),
                 permutations = 9)
  p <- v$permutations
  expect_true(all(p == 9))
})

test_that("given permutations that are neither a group nor random draws are pointed out", {
  set.seed(31)
  n <- 24
  x <- normal_matrix(n, 3)
  y <- normal_matrix(n, 3)
  run <- function(rows) calibrate(x, y, permutations = rows)
  random <- t(replicate(40, sample.int(n)))
  one <- sample.int(n)
  near <- t(replicate(40, {
    at <- sample.int(n, 2)
    replace(one, at, one[rev(at)])
  }))
  shifts <- t(vapply(seq_len(n - 1), function(t) (seq_len(n) - 1 + t) %% n + 1, double(n)))
  pairs <- t(replicate(40, {
    turn <- rep(runif(n / 2) < 0.5, each = 2)
    ifelse(turn, seq_len(n) + c(1, -1), seq_len(n))
  }))
  for (rows in list(random, shifts, random[1, , drop = FALSE])) {
    expect_no_unequal <- withCallingHandlers(run(rows), repalign_permutations = function(w) {
      stop("warned: ", conditionMessage(w))
    })
    expect_s3_class(expect_no_unequal, "repalign_calibration")
  }
  # swaps within pairs are a group: half of the places agree
  expect_s3_class(run(pairs[!duplicated(pairs), ]), "repalign_calibration")
  expect_warned(run(near), "repalign_permutations")
  expect_warned(run(random[rep(1:4, 10), ]), "repalign_permutations")
  expect_warned(run(shifts[5:18, ]), "repalign_permutations")
})
