# rsa_regression() against lm(), against plain loops over permutations, and by enumeration.

patterns_of <- function(n, columns = 4) matrix(rnorm(n * columns), n)

# Two predictors that correlate, labels, and a response to all of them.
regression_data <- function(n, seed = 1) {
  set.seed(seed)
  shared <- patterns_of(n)
  a <- dist(shared + 0.7 * patterns_of(n))
  b <- dist(shared + 0.7 * patterns_of(n))
  group <- rep(c("u", "v", "w"), length.out = n)
  different <- outer(group, group, "!=")[lower.tri(diag(n))]
  brain <- dist(patterns_of(n))
  brain[] <- brain + 0.4 * a + 0.2 * b + 0.5 * different
  list(brain = brain, a = a, b = b, group = group)
}

pairs_of <- function(data, keep = TRUE) {
  n <- attr(data$a, "Size")
  different <- outer(data$group, data$group, "!=")[lower.tri(diag(n))] + 0
  frame <- data.frame(brain = as.vector(data$brain), a = as.vector(data$a),
                      b = as.vector(data$b), group = different)
  frame[keep, ]
}

# A column for each condition: 1 in its pairs.
effect_columns <- function(n) {
  pair <- combn(n, 2)
  t(vapply(seq_len(ncol(pair)), function(p) tabulate(pair[, p], n), numeric(n)))
}

# The p-value of each predictor and of the model, permutation by permutation, by lm.fit() of the
# pairs. present: which pairs there are of the response.
plain_regression_p <- function(frame, n, permutations, center, present = rep(TRUE, nrow(frame))) {
  x <- as.matrix(frame[-1])
  effects <- if (center) effect_columns(n) else matrix(1, nrow(x), 1)
  move <- function(values, p) {
    square <- matrix(NA, n, n)
    square[lower.tri(square)] <- values
    square[upper.tri(square)] <- t(square)[upper.tri(square)]
    square[p, p][lower.tri(square)]
  }
  t_of <- function(y, k) {
    at <- !is.na(y)
    fit <- lm.fit(cbind(x[at, ], effects[at, , drop = FALSE]), y[at])
    rest <- lm.fit(cbind(x[at, -k], effects[at, , drop = FALSE]), y[at])
    rss <- sum(fit$residuals^2)
    (sum(rest$residuals^2) - rss) / rss * fit$df.residual
  }
  f_of <- function(y) {
    fit <- summary(lm(y ~ x))
    fit$fstatistic[[1]]
  }
  y <- ifelse(present, frame$brain, NA)
  terms <- vapply(seq_len(ncol(x)), function(k) {
    rest <- lm.fit(cbind(x[present, -k], effects[present, , drop = FALSE]), y[present])
    left <- fitted <- rep(NA, length(y))
    left[present] <- rest$residuals
    fitted <- drop(cbind(x[, -k], effects)[, !is.na(rest$coefficients)] %*%
                     na.omit(rest$coefficients))
    null <- apply(permutations, 2, function(p) t_of(fitted + move(left, p), k))
    seen <- t_of(y, k)
    (1 + sum(null >= seen * (1 - 1e-8))) / (length(null) + 1)
  }, 0)
  model <- apply(permutations, 2, function(p) f_of(move(y, p)))
  c(terms, (1 + sum(model >= f_of(y) * (1 - 1e-8))) / (length(model) + 1))
}

# As plain_regression_p(), with effects of conditions, in the pairs to keep.
plain_block_p <- function(frame, n, permutations, keep) {
  square <- function(values) {
    m <- matrix(0, n, n)
    m[lower.tri(m)] <- values
    m + t(m)
  }
  x <- as.matrix(frame[-1])
  effects <- effect_columns(n)[keep, ]
  f_of <- function(y, k) {
    full <- sum(lm.fit(cbind(x[keep, ], effects), y)$residuals^2)
    sum(lm.fit(cbind(x[keep, -k], effects), y)$residuals^2) / full
  }
  terms <- vapply(seq_len(ncol(x)), function(k) {
    rest <- lm.fit(cbind(x[keep, -k], effects), frame$brain[keep])
    left <- square(replace(numeric(length(keep)), keep, rest$residuals))
    null <- apply(permutations, 2, function(p) {
      f_of(rest$fitted.values + left[p, p][lower.tri(left)][keep], k)
    })
    (1 + sum(null >= f_of(frame$brain[keep], k) * (1 - 1e-9))) / (length(null) + 1)
  }, 0)
  r_of <- function(y) summary(lm(y ~ x[keep, ]))$r.squared
  brain <- square(frame$brain)
  null <- apply(permutations, 2, function(p) r_of(brain[p, p][lower.tri(brain)][keep]))
  c(terms, (1 + sum(null >= r_of(frame$brain[keep]) * (1 - 1e-9))) / (length(null) + 1))
}

regression_p <- function(fit) c(fit$p_value, glance(fit)$p_value)

random_permutations <- function(n, count) replicate(count, sample(n))

test_that("estimates are those of lm()", {
  data <- regression_data(12)
  frame <- pairs_of(data)
  fit <- rsa_regression(brain ~ a + b + group, data, permutations = 19, standardize = FALSE)
  lm_fit <- lm(brain ~ a + b + group, frame)
  expect_equal(fit$estimate, unname(coef(lm_fit)[-1]))
  expect_identical(fit$term, c("a", "b", "group"))
  expect_equal(glance(fit)$r_squared, summary(lm_fit)$r.squared)
  expect_equal(glance(fit)$intercept, unname(coef(lm_fit)[1]))
  scaled <- rsa_regression(brain ~ a + b + group, data, permutations = 19)
  scaled_lm <- lm(brain ~ a + b + group, as.data.frame(scale(frame)))
  expect_equal(scaled$estimate, unname(coef(scaled_lm)[-1]))
  # with effects of conditions
  effects <- effect_columns(12)
  expect_equal(fit$centered, unname(coef(lm(brain ~ a + b + group + effects - 1, frame))[1:3]))
})

test_that("partial, semipartial, unique and shared parts are what they say", {
  data <- regression_data(11, 2)
  frame <- pairs_of(data)
  fit <- rsa_regression(brain ~ a + b + group, data, permutations = 19)
  for (k in 1:3) {
    others <- as.matrix(frame[-1])[, -k]
    rest_x <- residuals(lm(frame[[k + 1]] ~ others))
    rest_y <- residuals(lm(frame$brain ~ others))
    expect_equal(fit$partial[k], cor(rest_x, rest_y))
    expect_equal(fit$semipartial[k], cor(rest_x, frame$brain))
    without <- summary(lm(frame$brain ~ others))$r.squared
    expect_equal(fit$unique[k], glance(fit)$r_squared - without)
  }
  expect_equal(fit$unique, fit$semipartial^2)
  expect_equal(glance(fit)$shared, glance(fit)$r_squared - sum(fit$unique))
})

test_that("p-values are those of plain loops over permutations", {
  for (n in c(7, 10)) {
    data <- regression_data(n, n)
    set.seed(3)
    permutations <- random_permutations(n, 60)
    for (center in c(TRUE, FALSE)) {
      fit <- rsa_regression(brain ~ a + b + group, data, center = center,
                            permutations = t(permutations))
      plain <- plain_regression_p(pairs_of(data), n, permutations, center)
      expect_equal(regression_p(fit), plain)
    }
  }
})

test_that("p-values with missing pairs are those of plain loops", {
  data <- regression_data(9, 4)
  frame <- pairs_of(data)
  present <- !seq_len(nrow(frame)) %in% c(2, 9, 20, 33)
  data$brain[!present] <- NA
  set.seed(3)
  permutations <- random_permutations(9, 50)
  for (center in c(TRUE, FALSE)) {
    expect_message(
      fit <- rsa_regression(brain ~ a + b + group, data, center = center, na = "pairwise",
                            permutations = t(permutations)),
      "32 of 36 pairs")
    plain <- plain_regression_p(frame, 9, permutations, center, present)
    expect_equal(regression_p(fit), plain)
    expect_equal(glance(fit)$r_squared, summary(lm(brain ~ ., frame[present, ]))$r.squared)
  }
  expect_refused(rsa_regression(brain ~ a, data), "missing")
})

test_that("the way with gaps is the fast one where nothing lacks", {
  data <- regression_data(9, 5)
  table <- repalign:::regression_table(brain ~ a + b + group, data, "correlation", FALSE)
  for (fit in c("ordinary", "nonnegative", "ridge")) for (center in c(TRUE, FALSE)) {
    sides <- repalign:::regression_sides(table, rep(TRUE, 36),
                                         list(center = center, fit = fit, ridge = 0.2))
    set.seed(1)
    design <- repalign:::coset_design(9, 30)
    fast <- repalign:::regression_null(table$y[, 1], sides, design)
    sides$complete <- FALSE
    expect_equal(repalign:::regression_null(table$y[, 1], sides, design), fast)
  }
})

test_that("few conditions are enumerated", {
  data <- regression_data(5, 6)
  expect_message(fit <- rsa_regression(brain ~ a + b, data), "119 permutations")
  all <- repalign:::all_permutations(5)[, -1]
  frame <- pairs_of(data)[1:3]
  expect_equal(regression_p(fit), plain_regression_p(frame, 5, all, TRUE))
  expect_identical(glance(fit)$engine, "exact")
  # a single predictor: the model's p-value is that of calibrate() with the squared correlation
  one <- suppressMessages(rsa_regression(brain ~ a, data, center = FALSE))
  expect_equal(one$p_value, glance(one)$p_value)
  null <- apply(all, 2, function(p) cor(as.dist(as.matrix(data$brain)[p, p]), data$a))
  seen <- cor(data$brain, data$a)
  expect_equal(one$p_value, (1 + sum(abs(null) >= abs(seen) - 1e-10)) / 120)
})

test_that("pairs within runs are left out, and conditions stay in their runs", {
  data <- regression_data(9, 7)
  data$run <- rep(c("r1", "r2", "r3"), each = 3)
  keep <- outer(data$run, data$run, "!=")[lower.tri(diag(9))]
  fit <- rsa_regression(brain ~ a + b, data, leave_out = run, permutations = 50)
  frame <- pairs_of(data)[1:3]
  kept <- as.data.frame(scale(frame[keep, ]))
  expect_equal(fit$estimate, unname(coef(lm(brain ~ a + b, kept)))[-1])
  expect_identical(glance(fit)$pairs, 27L)
  # what the pairs left out hold does not matter
  other <- data
  other$brain[!keep] <- 1000
  set.seed(1)
  p <- regression_p(rsa_regression(brain ~ a + b, data, leave_out = run, permutations = 50))
  set.seed(1)
  expect_equal(regression_p(rsa_regression(brain ~ a + b, other, leave_out = run, permutations = 50)),
               p)
  # all permutations within blocks, by plain loops
  members <- split(1:9, data$run)
  all <- repalign:::all_block_permutations(members, 9)[, -1]
  expect_message(fit <- rsa_regression(brain ~ a + b, data, leave_out = run), "215 permutations")
  expect_equal(regression_p(fit), plain_block_p(frame, 9, all, keep))
  # whole blocks may change places by permutations of one's own
  given <- function(rows) {
    suppressWarnings(rsa_regression(brain ~ a + b, data, leave_out = run, permutations = rows))
  }
  expect_no_error(given(rbind(c(4:9, 1:3), c(7:9, 1:6))))
  expect_refused(given(rbind(c(4:9, 1:3), c(2:9, 1))), "`leave_out` to several labels, in row 2")
})

test_that("blocks restrict which conditions are exchanged, and leave no pair out", {
  data <- regression_data(8, 17)
  half <- rep(1:2, each = 4)
  frame <- pairs_of(data)[1:3]
  all <- repalign:::all_block_permutations(split(1:8, half), 8)[, -1]
  fit <- suppressMessages(rsa_regression(brain ~ a + b, data, blocks = half))
  expect_identical(glance(fit)$pairs, 28L)
  expect_equal(fit$estimate, rsa_regression(brain ~ a + b, data, permutations = 1)$estimate)
  expect_equal(regression_p(fit), plain_block_p(frame, 8, all, rep(TRUE, 28)))
  # with `leave_out`, conditions keep to both labels
  run <- rep(1:2, 4)
  keep <- outer(run, run, "!=")[lower.tri(diag(8))]
  all <- repalign:::all_block_permutations(split(1:8, paste(half, run)), 8)[, -1]
  fit <- suppressMessages(rsa_regression(brain ~ a + b, data, leave_out = run, blocks = half))
  expect_identical(glance(fit)$pairs, 16L)
  expect_equal(regression_p(fit), plain_block_p(frame, 8, all, keep))
  expect_refused(rsa_regression(brain ~ a, data, blocks = half, permutations = rbind(8:1)),
                 c("`permutations`", "`blocks`"))
})

test_that("with blocks = NULL, what is left out moves with the response", {
  data <- regression_data(9, 19)
  run <- rep(1:3, 3)
  keep <- outer(run, run, "!=")[lower.tri(diag(9))]
  set.seed(1)
  free <- rsa_regression(brain ~ a + b, data, leave_out = run, blocks = NULL, permutations = 40)
  lacking <- data
  lacking$brain[!keep] <- NA
  set.seed(1)
  expected <- suppressMessages(rsa_regression(brain ~ a + b, lacking, na = "pairwise",
                                              permutations = 40))
  expect_equal(as.data.frame(free), as.data.frame(expected))
  expect_identical(glance(free)$pairs, sum(keep))
  within <- rsa_regression(brain ~ a + b, data, leave_out = run, permutations = 40)
  expect_equal(within$estimate, free$estimate)
  expect_false(identical(within$p_value, free$p_value))
  expect_no_error(suppressWarnings(
    rsa_regression(brain ~ a, data, leave_out = run, blocks = NULL, permutations = rbind(c(2:9, 1)))))
})

test_that("two runs leave effects of conditions that have no single solution", {
  data <- regression_data(8, 8)
  data$run <- rep(1:2, each = 4)
  set.seed(1)
  fit <- rsa_regression(brain ~ a + b, data, leave_out = run, permutations = 30)
  keep <- outer(data$run, data$run, "!=")[lower.tri(diag(8))]
  kept <- as.data.frame(scale(pairs_of(data)[keep, 1:3]))
  lm_fit <- lm(brain ~ a + b + effect_columns(8)[keep, ], kept)
  expect_equal(fit$centered, unname(coef(lm_fit)[2:3]))
})

test_that("coefficients that are not negative are the best such, and ridge is a share", {
  set.seed(9)
  n <- 10
  x <- replicate(5, dist(patterns_of(n)), simplify = FALSE)
  names(x) <- letters[1:5]
  brain <- dist(patterns_of(n))
  brain[] <- brain + 0.5 * x$a - 0.4 * x$b + 0.3 * x$c - 0.2 * x$d
  data <- c(x, list(brain = brain))
  fit <- rsa_regression(brain ~ a + b + c + d + e, data, fit = "nonnegative", permutations = 19)
  frame <- as.data.frame(scale(sapply(data, as.vector)))
  # the best of all subsets with positive coefficients
  best <- list(r = -1)
  for (code in 1:31) {
    chosen <- letters[1:5][bitwAnd(code, 2^(0:4)) > 0]
    one <- lm(reformulate(chosen, "brain"), frame)
    if (all(coef(one)[-1] > 0) && summary(one)$r.squared > best$r) {
      best <- list(r = summary(one)$r.squared, coef = coef(one)[-1])
    }
  }
  expected <- setNames(numeric(5), letters[1:5])
  expected[names(best$coef)] <- best$coef
  expect_equal(fit$estimate, unname(expected))
  expect_equal(glance(fit)$r_squared, best$r)
  expect_true(all(fit$unique >= 0))
  ridge <- rsa_regression(brain ~ a + b + c + d + e, data, fit = "ridge", ridge = 0.3,
                          permutations = 19)
  r <- cor(frame)
  expect_equal(ridge$estimate, unname(solve(r[1:5, 1:5] + 0.3 * diag(5), r[1:5, "brain"])))
  # tests and correlations are those of ordinary least squares
  set.seed(2)
  a <- rsa_regression(brain ~ a + b, data, fit = "ridge", ridge = 1, permutations = 50)
  set.seed(2)
  b <- rsa_regression(brain ~ a + b, data, permutations = 50)
  expect_equal(a[c("partial", "semipartial", "p_value")], b[c("partial", "semipartial", "p_value")],
               ignore_attr = TRUE)
})

test_that("the test without negative coefficients is that of a plain loop", {
  data <- regression_data(8, 10)
  n <- 8
  set.seed(4)
  permutations <- random_permutations(n, 40)
  fit <- rsa_regression(brain ~ a + b, data, fit = "nonnegative", permutations = t(permutations))
  clean <- function(v) residuals(lm(v ~ effect_columns(n)))
  y <- clean(data$brain)
  x <- cbind(a = clean(data$a), b = clean(data$b))
  # two predictors: the best of none, one and both
  rss <- function(y, x) {
    fits <- list(sum(y^2))
    for (k in seq_len(ncol(x))) {
      one <- lm.fit(x[, k, drop = FALSE], y)
      if (one$coefficients > 0) fits <- c(fits, sum(one$residuals^2))
    }
    both <- lm.fit(x, y)
    if (ncol(x) == 2 && all(both$coefficients > 0)) fits <- c(fits, sum(both$residuals^2))
    min(unlist(fits))
  }
  square <- function(values) {
    m <- matrix(0, n, n)
    m[lower.tri(m)] <- values
    m + t(m)
  }
  for (k in 1:2) {
    weight <- max(lm.fit(x[, -k, drop = FALSE], y)$coefficients, 0)
    fitted <- weight * x[, -k]
    left <- square(y - fitted)
    gain <- function(y) 1 - rss(y, x) / rss(y, x[, -k, drop = FALSE])
    null <- apply(permutations, 2, function(p) gain(fitted + left[p, p][lower.tri(left)]))
    expect_equal(fit$p_value[k], (1 + sum(null >= gain(y) - 1e-10)) / 41)
  }
})

test_that("labels with names go by them, and no note says that they have none", {
  data <- regression_data(9)
  attr(data$brain, "Labels") <- attr(data$a, "Labels") <- letters[1:9]
  named <- setNames(data$group, letters[1:9])
  fit <- expect_silent(rsa_regression(brain ~ a + group, within(data, group <- named)))
  shuffled <- within(data, group <- named[c(4, 9, 2:3, 1, 5:8)])
  expect_silent(again <- rsa_regression(brain ~ a + group, shuffled))
  expect_equal(coef(again), coef(fit))
  expect_message(rsa_regression(brain ~ a + group, data), "`group` has no labels")
})

test_that("representations, labels and square matrices become RDMs", {
  set.seed(11)
  layer <- patterns_of(9, 6)
  label <- factor(rep(1:3, 3))
  brain <- dist(patterns_of(9))
  inner <- function(which) {
    rsa_regression(brain ~ layer + label, list(brain = brain, layer = layer, label = label),
                   inner = which, permutations = 9, standardize = FALSE)$estimate
  }
  different <- as.vector(dist(as.integer(label)) > 0)
  by_lm <- function(rdm) {
    unname(coef(lm(as.vector(brain) ~ as.vector(rdm) + different))[-1])
  }
  expect_equal(inner("euclidean"), by_lm(dist(layer)))
  expect_equal(inner("sqeuclidean"), by_lm(dist(layer)^2))
  expect_equal(inner("correlation"), by_lm(as.dist(1 - cor(t(layer)))))
  whole <- as.matrix(brain)
  expect_equal(rsa_regression(whole ~ layer + label, inner = "euclidean", permutations = 9)$estimate,
               rsa_regression(brain ~ layer + label, inner = "euclidean", permutations = 9)$estimate)
  # variables of the formula's environment, expressions, and the dot
  fit <- rsa_regression(brain ~ ., list(brain = brain, layer = layer, label = label,
                                        run = letters[c(1:8, 1)]),
                        permutations = 9)
  expect_identical(fit$term, c("layer", "label", "run"))
})

test_that("the order of conditions does not matter", {
  data <- regression_data(10, 12)
  p <- sample(10)
  move <- function(rdm) as.dist(as.matrix(rdm)[p, p])
  moved <- list(brain = move(data$brain), a = move(data$a), b = move(data$b),
                group = data$group[p])
  columns <- c("estimate", "partial", "semipartial", "unique", "centered")
  one <- rsa_regression(brain ~ a + b + group, data, permutations = 19)
  two <- rsa_regression(brain ~ a + b + group, moved, permutations = 19)
  expect_equal(as.data.frame(one)[columns], as.data.frame(two)[columns])
  # with all permutations p-values are the same, too
  small <- regression_data(5, 13)
  p <- c(3, 5, 1, 2, 4)
  moved <- lapply(small[1:3], move)
  expect_equal(suppressMessages(rsa_regression(brain ~ a + b, moved))$p_value,
               suppressMessages(rsa_regression(brain ~ a + b, small))$p_value)
})

test_that("subjects have rows of their own and a group", {
  data <- regression_data(10, 14)
  set.seed(15)
  data$all <- lapply(c(ann = 1, bob = 2, cy = 3), function(s) data$brain + dist(patterns_of(10)))
  set.seed(1)
  fit <- rsa_regression(all ~ a + group, data, permutations = 99)
  expect_identical(fit$subject, rep(c("ann", "bob", "cy"), each = 2))
  set.seed(1)
  one <- rsa_regression(ann ~ a + group, c(data, data$all), permutations = 99)
  expect_equal(as.data.frame(fit)[1:2, -1], as.data.frame(one))
  group <- summary(fit)
  test <- t.test(fit$estimate[fit$term == "a"])
  expect_equal(group$p_subjects[1], test$p.value)
  expect_equal(group$mean[1], unname(test$estimate))
  expect_identical(group$subjects, c(3L, 3L))
  # the same permutations in all subjects: three times one subject is one subject
  data$all <- list(data$brain, data$brain, data$brain)
  set.seed(1)
  fit <- rsa_regression(all ~ a + group, data, permutations = 99)
  expect_equal(suppressWarnings(summary(fit))$p_conditions, fit$p_value[1:2])
  expect_identical(unique(fit$subject), c("s1", "s2", "s3"))
  expect_identical(nrow(glance(fit)), 3L)
  expect_identical(unique(summary(one)$subjects), 1L)
})

test_that("one response is told by the test of summary(), and only that", {
  data <- regression_data(10, 14)
  fit <- quietly(rsa_regression(brain ~ a + group, data, permutations = 19))
  group <- summary(fit)
  expect_match(in_words(fit), in_words(group), fixed = TRUE)
  expect_output(print(group), "^Coefficients of .*p_value is about other conditions, of the")
  # coefficients of nothing that cannot be negative have a mean above 0
  data$all <- lapply(1:4, function(s) data$brain + dist(patterns_of(10)))
  fit <- quietly(rsa_regression(all ~ a + group, data, permutations = 19, fit = "nonnegative"))
  expect_identical(summary(fit)$p_subjects, c(NA_real_, NA_real_))
  expect_message(rsa_regression(all ~ a, data, permutations = 19), "than these 4 are guesses",
                 class = "repalign_few_subjects")
  expect_match(in_words(fit), "other subjects, a guess from only 4")
})

test_that("RDMs of the same subject are averaged before the test over subjects", {
  data <- regression_data(10, 14)
  set.seed(15)
  data$all <- lapply(1:5, function(s) data$brain + dist(patterns_of(10)))
  session_of <- c("ann", "bob", "ann", "cy", "ann")
  set.seed(1)
  fit <- rsa_regression(all ~ a + group, data, permutations = 99, group = session_of)
  group <- summary(fit)
  means <- tapply(fit$estimate[fit$term == "a"], session_of, mean)
  test <- t.test(means)
  expect_equal(group$p_subjects[1], test$p.value)
  expect_equal(group$mean[1], mean(means))
  expect_identical(group$subjects, c(3L, 3L))
  expect_output(print(fit), "5 RDMs of 3 subjects", fixed = TRUE)
  # sessions that are copies are one subject
  copies <- c(data, list(twice = data$all[c(1, 1, 2, 2, 4, 4)], once = data$all[c(1, 2, 4)]))
  set.seed(1)
  twice <- summary(rsa_regression(twice ~ a + group, copies, permutations = 99,
                                  group = c(1, 1, 2, 2, 3, 3)))
  set.seed(1)
  expect_equal(twice, summary(rsa_regression(once ~ a + group, copies, permutations = 99)))
  expect_refused(rsa_regression(brain ~ a, data, group = 1), "one RDM")
  expect_refused(rsa_regression(all ~ a, data, group = 1:2), "5 RDMs")
  # the list that rdm() and transform_rdm() return is a list of subjects, too
  data$ranks <- transform_rdm(stats::setNames(data$all, letters[1:5]), "rank")
  expect_identical(unique(rsa_regression(ranks ~ a, data, permutations = 19)$subject), letters[1:5])
})

# The tested coefficients of each subject without each condition, by calls with the others only.
deleted_by_hand <- function(data, subjects, ...) {
  n <- attr(data$a, "Size")
  without <- function(i) {
    cut <- function(value) {
      if (is.list(value)) return(lapply(value, cut))
      if (inherits(value, "dist")) stats::as.dist(as.matrix(value)[-i, -i]) else value[-i]
    }
    some <- if (i) lapply(data, cut) else data
    fit <- quietly(rsa_regression(all ~ a + b, some, permutations = 9, ...))
    column <- if (is.null(fit$centered)) "estimate" else "centered"
    matrix(fit[[column]], 2)
  }
  # terms x subjects x (nothing and each condition deleted)
  vapply(0:n, without, matrix(0, 2, subjects))
}

test_that("p_value of the group is that of deletions of conditions and subjects", {
  data <- regression_data(9, 14)
  set.seed(15)
  data$all <- lapply(1:4, function(s) data$brain + 0.5 * s * dist(patterns_of(9)))
  expect_by_hand <- function(data, ...) {
    values <- deleted_by_hand(data, 4, ...)
    group <- summary(quietly(rsa_regression(all ~ a + b, data, permutations = 9, ...)))
    for (k in 1:2) {
      theta <- mean(values[k, , 1])
      # without condition i: of the mean, and of the subjects; without subject u
      of_mean <- colMeans(values[k, , -1])
      v_s <- 8 / 9 * sum((of_mean - mean(of_mean))^2)
      of_subjects <- vapply(1:4, function(u) mean(values[k, -u, 1]), 0)
      v_u <- 3 / 4 * sum((of_subjects - mean(of_subjects))^2)
      both <- outer(1:9, 1:4, Vectorize(function(i, u) {
        mean(values[k, -u, i + 1]) - mean(values[k, -u, 1]) - of_mean[i] + theta
      }))
      v_su <- 8 / 9 * 3 / 4 * sum(both^2)
      v <- max(v_s + v_u - v_su, v_s, v_u)
      df <- v^2 / (v_s^2 / 8 + v_u^2 / 3)
      expect_equal(group$tested[k], theta)
      expect_equal(group$se[k], sqrt(v))
      expect_equal(group$df[k], df)
      expect_equal(group$p_value[k], 2 * pt(-abs(theta) / sqrt(v), df))
    }
  }
  expect_by_hand(data)
  expect_by_hand(data, center = FALSE)
  expect_by_hand(data, standardize = FALSE)
  gaps <- data
  gaps$all[[2]][c(3, 11)] <- NA
  gaps$all[[4]][20] <- NA
  expect_by_hand(gaps, na = "pairwise")
})

# The tested coefficients of each subject without each group of conditions, by lm() with an indicator
# of each condition (if `center`) and of each pair of cells: subjects x (nothing and each group).
deleted_blocks_by_hand <- function(data, cells, groups, there, center = TRUE, standardize = TRUE) {
  pairs <- t(combn(length(cells), 2))
  of_cells <- paste(pmin(cells[pairs[, 1]], cells[pairs[, 2]]), pmax(cells[pairs[, 1]], cells[pairs[, 2]]))
  each <- vapply(seq_along(cells), function(i) rowSums(pairs == i), numeric(nrow(pairs)))
  sapply(0:max(groups), function(out) {
    vapply(data$all, function(response) {
      at <- there & groups[pairs[, 1]] != out & groups[pairs[, 2]] != out & !is.na(response)
      cells <- if (length(unique(of_cells[at])) > 1) model.matrix(~ of_cells[at]) else 1
      others <- cbind(cells, if (center) each[at, ])
      size <- if (standardize) sd(data$a[at]) / sd(response[at]) else 1
      unname(lm(response[at] ~ data$a[at] + data$b[at] + others)$coefficients[2]) * size
    }, 0)
  })
}

expect_blocks_by_hand <- function(group, values) {
  count <- ncol(values) - 1
  change <- values[, -1] - values[, 1]
  of_mean <- colMeans(change)
  v_s <- (count - 1) / count * sum((of_mean - mean(of_mean))^2)
  v_u <- var(values[, 1]) / nrow(values)
  v_su <- (count - 1) / count * sum(t(t(change) - of_mean)^2) / nrow(values) / (nrow(values) - 1)
  v <- max(v_s + v_u - v_su, v_s, v_u)
  df <- v^2 / (v_s^2 / (count - 1) + v_u^2 / (nrow(values) - 1))
  expect_equal(group$tested[1], mean(values[, 1]))
  expect_equal(group$se[1], sqrt(v))
  expect_equal(group$df[1], df)
  expect_equal(group$p_value[1], 2 * pt(-abs(mean(values[, 1])) / sqrt(v), df))
  expect_identical(group$deleted[1], paste(count, "blocks"))
}

test_that("with blocks, p_value of the group is that of deletions of whole blocks", {
  data <- regression_data(12, 14)
  set.seed(15)
  data$all <- lapply(1:4, function(s) data$brain + 0.5 * s * dist(patterns_of(12)))
  all <- rep(TRUE, 66)
  found <- function(data, ...) summary(quietly(rsa_regression(all ~ a + b, data, permutations = 9, ...)))
  run <- rep(1:4, 3)
  uneven <- rep(1:4, c(2, 3, 3, 4))
  for (labels in list(run, uneven)) {
    apart <- as.vector(dist(labels)) > 0
    expect_blocks_by_hand(found(data, blocks = labels), deleted_blocks_by_hand(data, labels, labels, all))
    expect_blocks_by_hand(found(data, blocks = labels, center = FALSE),
                          deleted_blocks_by_hand(data, labels, labels, all, center = FALSE))
    expect_blocks_by_hand(found(data, leave_out = labels, standardize = FALSE),
                          deleted_blocks_by_hand(data, labels, labels, apart, standardize = FALSE))
    gaps <- data
    gaps$all[[2]][c(3, 11)] <- NA
    gaps$all[[4]][20] <- NA
    expect_blocks_by_hand(found(gaps, leave_out = labels, na = "pairwise"),
                          deleted_blocks_by_hand(gaps, labels, labels, apart))
  }
  # conditions are exchanged within blocks of a run, and what depends on each other goes together
  apart <- as.vector(dist(run)) > 0
  session <- c(1, 1, 2, 3)[run]
  expect_blocks_by_hand(found(data, leave_out = run, blocks = session),
                        deleted_blocks_by_hand(data, run, session, apart))
  # with all conditions exchanged, each is a unit of its own
  group <- found(data, leave_out = run, blocks = NULL)
  expect_identical(group$deleted, rep("12 conditions", 2))
})

test_that("what only blocks share is no evidence for a predictor", {
  set.seed(1)
  block <- rep(1:8, each = 3)
  shared <- 3 * patterns_of(8)[block, ]
  data <- list(a = dist(shared + patterns_of(24)))
  data$all <- lapply(1:6, function(s) dist(shared + patterns_of(24)))
  p <- function(...) summary(quietly(rsa_regression(all ~ a, data, permutations = 99, ...)))
  expect_lt(p()$p_value, 1e-6)
  group <- p(blocks = block)
  expect_gt(group$p_value, 0.05)
  expect_lt(abs(group$tested), 0.2 * p()$tested)
  expect_output(print(group), "other subjects and other blocks, of the coefficient `tested` within blocks")
  expect_output(print(group), "For its error, 8 blocks were left out one at a time")
  expect_output(print(p()), "For its error, 24 conditions were left out one at a time")
  # a predictor that is the same for all conditions of a block has no coefficient within blocks
  data$kind <- factor(block > 4)
  fit <- quietly(rsa_regression(all ~ a + kind, data, blocks = block, permutations = 19))
  expect_warning(group <- summary(fit), "within blocks", class = "repalign_undefined")
  expect_true(is.na(group$p_value[2]) && is.na(group$tested[2]) && !is.na(group$p_conditions[2]))
  expect_equal(group$p_value[1], p(blocks = block)$p_value)
  # two blocks have no error that could be known
  fit <- quietly(rsa_regression(all ~ a, data, blocks = data$kind, permutations = 19))
  expect_warning(group <- summary(fit), "2 blocks.*at least 3", class = "repalign_undefined")
  expect_true(is.na(group$p_value) && is.na(group$se) && !is.na(group$tested))
  # nor have runs in each of which all blocks are shown
  data$run <- rep(1:3, 8)
  fit <- quietly(rsa_regression(all ~ a, data, leave_out = run, blocks = rep(1:4, each = 6), permutations = 19))
  expect_warning(group <- summary(fit), "1 block that", class = "repalign_undefined")
  expect_identical(group$p_value, NA_real_)
})

test_that("the group of one subject has errors over conditions", {
  data <- regression_data(9, 3)
  data$all <- list(ann = data$brain)
  values <- deleted_by_hand(data, 1)[, 1, ]
  v <- 8 / 9 * apply(values[, -1], 1, function(theta) sum((theta - mean(theta))^2))
  fit <- rsa_regression(all ~ a + b, data, permutations = 49)
  group <- summary(fit)
  expect_equal(group$se, sqrt(v))
  expect_equal(group$df, c(8, 8))
  expect_equal(group$p_value, 2 * pt(-abs(values[, 1]) / sqrt(v), 8))
  expect_identical(group$p_conditions, fit$p_value)
  expect_true(all(is.na(group$p_subjects)))
  # sessions of one subject, and a response that is no list
  sessions <- c(data[c("a", "b")], list(all = list(data$brain, data$brain)))
  expect_equal(summary(rsa_regression(all ~ a + b, sessions, permutations = 49,
                                      group = c(1, 1)))$se, group$se)
  expect_equal(summary(rsa_regression(brain ~ a + b, data, permutations = 49))$se, group$se)
  expect_equal(confint(fit), cbind(`2.5 %` = group$tested - qt(0.975, 8) * group$se,
                                   `97.5 %` = group$tested + qt(0.975, 8) * group$se),
               ignore_attr = TRUE)
})

test_that("the table of the group says what each p-value is about", {
  data <- regression_data(10, 14)
  data$all <- lapply(1:3, function(s) data$brain + dist(patterns_of(10)))
  group <- summary(rsa_regression(all ~ a + b, data, permutations = 19))
  expect_output(print(group), "p_value is about other subjects and other conditions")
  expect_output(print(group), "p_conditions holds the subjects fixed, p_subjects .of `mean`. the conditions")
  expect_identical(tidy(group)$p.value, group$p_value)
  # a test of coefficients that are not negative is one-sided
  set.seed(1)
  positive <- summary(rsa_regression(all ~ a + b, data, fit = "nonnegative", permutations = 19))
  expect_equal(positive$p_value, pt(group$statistic, group$df, lower.tail = FALSE))
  # what is left without a condition must suffice
  few <- lapply(data[c("brain", "a")], function(rdm) stats::as.dist(as.matrix(rdm)[1:4, 1:4]))
  fit <- quietly(rsa_regression(brain ~ a, few))
  expect_warning(found <- summary(fit), "without some condition", class = "repalign_undefined")
  expect_true(is.na(found$p_value))
})

test_that("what cannot be fitted or tested is refused or said", {
  data <- regression_data(8, 16)
  go <- function(formula, more = list(), ...) {
    rsa_regression(formula, c(data, more), permutations = 9, ...)
  }
  expect_refused(go(brain ~ a + twice, list(twice = 2 * data$a)),
                 c("`twice`", "multiples of \"a\""))
  expect_no_error(expect_warned(go(brain ~ a + twice, list(twice = 2 * data$a), fit = "ridge",
                                   ridge = 1), "repalign_undefined"))
  flat <- structure(rep(1, 28), Size = 8, class = "dist")
  expect_refused(go(brain ~ flat, list(flat = flat)), "`flat` is the same for all pairs")
  expect_refused(go(brain ~ group, list(group = rep("z", 8))[0], leave_out = data$group),
                 "`group` is the same for all pairs of conditions that count")
  expect_refused(go(brain ~ short, list(short = dist(1:5))), c("`short`", "5 conditions", "8"))
  expect_refused(go(brain ~ grp), c("\"grp\"", "did you mean \"group\""))
  expect_refused(go(brain ~ a:b), "interaction")
  expect_refused(go(brain ~ a - 1), "intercept")
  expect_refused(go(~a), "response")
  expect_refused(go(brain ~ 1), "no predictor")
  expect_refused(go(brain ~ brain + a), "among its predictors")
  expect_refused(go(brain ~ v, list(v = 1:8 + 0)), c("numeric vector", "dist\\(v\\)"))
  expect_refused(go(brain ~ a, fit = "ridge"), "`ridge` is missing")
  expect_refused(go(brain ~ a, ridge = 1), "fit = \"ridge\" only")
  expect_refused(go(brain ~ a, leave_out = 1:8), "one row")
  expect_refused(go(brain ~ a, leave_out = rep(1, 8)), "one label only")
  expect_refused(go(brain ~ a, leave_out = 1:7), "`leave_out` must name")
  expect_refused(go(brain ~ a, leave_out = nowhere), "`leave_out` cannot be found")
  expect_refused(go(brain ~ a, blocks = 1:7), "`blocks` must name")
  expect_refused(go(brain ~ a, blocks = nowhere), "`blocks` cannot be found")
  expect_refused(rsa_regression(brain ~ a, unname(data)), "different name")
  named <- data
  attr(named$brain, "Labels") <- letters[1:8]
  attr(named$a, "Labels") <- letters[3:10]
  expect_refused(rsa_regression(brain ~ a, named), "labels")
  few <- list(brain = dist(1:3), a = dist(c(2, 5, 3)))
  expect_refused(rsa_regression(brain ~ a, few), "at least 4 conditions")
  # one condition against all others is an effect of this condition
  alone <- expect_warned(go(brain ~ a + one, list(one = rep(c("x", "y"), c(1, 7)))),
                         "repalign_undefined")
  expect_true(is.na(alone$p_value[2]) && !is.na(alone$p_value[1]) && !is.na(alone$estimate[2]))
  expect_false(is.na(go(brain ~ a + one, list(one = rep(c("x", "y"), c(1, 7))),
                        center = FALSE)$p_value[2]))
  still <- expect_warned(go(flat ~ a, list(flat = flat)), "repalign_undefined")
  expect_true(all(is.na(still$estimate)))
})

test_that("the result prints, tidies and can be cut and drawn", {
  data <- regression_data(10, 17)
  set.seed(1)
  fit <- rsa_regression(brain ~ a + b + group, data, permutations = 99)
  expect_output(print(fit), "Regression of the dissimilarities of brain: 10 conditions")
  expect_output(print(fit[1, ]), "R squared")
  expect_named(tidy(fit), c("term", "estimate", "partial", "semipartial", "p.value", "unique",
                            "centered"))
  expect_identical(class(as.data.frame(fit)), "data.frame")
  expect_null(attr(as.data.frame(fit), "model"))
  skip_if_not_installed("ggplot2")
  drawn <- built(ggplot2::autoplot(fit))
  expect_equal(drawn$data[[2]]$x, fit$estimate)
  expect_equal(data_of_last(drawn, "GeomPoint")$x, fit$centered)
  built(ggplot2::autoplot(fit, value = "unique"))
  data$all <- list(data$brain, data$brain + dist(patterns_of(10)))
  several <- rsa_regression(all ~ a + b, data, permutations = 19)
  drawn <- built(ggplot2::autoplot(several))
  expect_equal(sort(data_of_last(drawn, "GeomPoint")$x), sort(summary(several)$mean))
  expect_refused(ggplot2::autoplot(fit, value = "none"), "value")
})

test_that("the units of dissimilarities change no correlation and no p-value", {
  data <- regression_data(10)
  columns <- c("partial", "semipartial", "p_value", "unique")
  fit <- function(unit, ...) {
    scaled <- lapply(data, function(d) if (inherits(d, "dist")) d * unit else d)
    set.seed(2)
    as.data.frame(rsa_regression(brain ~ a + b, scaled, permutations = 99, ...))[columns]
  }
  for (center in c(TRUE, FALSE)) {
    for (unit in c(1e-140, 1e-90, 1e90, 1e140)) {
      expect_equal(fit(unit, center = center), fit(1, center = center), info = unit)
    }
  }
})

test_that("coef() names the estimates by predictors, and by subjects", {
  data <- regression_data(9)
  fit <- rsa_regression(brain ~ a + b, data, permutations = 19, standardize = FALSE)
  frame <- pairs_of(data)
  expect_equal(coef(fit), coef(lm(brain ~ a + b, frame))[-1])
  expect_identical(coef(fit[2, ]), coef(fit)["b"])
  data$all <- list(s1 = data$brain, s2 = data$brain + data$a, s3 = 2 * data$brain)
  several <- rsa_regression(all ~ a + b, data, permutations = 19, standardize = FALSE)
  expected <- rbind(s1 = coef(fit), s2 = coef(fit) + c(1, 0), s3 = 2 * coef(fit))
  expect_equal(coef(several), expected)
  # rows that were taken out
  expect_identical(which(is.na(coef(several[-3, ]))), 2L)
  expect_error(coef(rbind(as.data.frame(fit), as.data.frame(fit)) |> structure(class = class(fit))),
               class = "repalign_error_rows")
  expect_error(coef(fit[c("term", "p_value")]), "estimate", class = "repalign_error_type")
  expect_error(coef(fit, 1), class = "repalign_error_parameter")
})

test_that("a print tells of predictors that correlate, and where to go then", {
  set.seed(7)
  patterns <- matrix(rnorm(60), 12)
  near <- function() dist(patterns + 0.3 * rnorm(60))^2
  data <- list(b = near(), near = near(), alike = near(), other = dist(matrix(rnorm(60), 12))^2,
               s = list(one = near(), two = near()))
  printed <- function(...) {
    paste(capture.output(print(rsa_regression(..., data = data, permutations = 19))),
          collapse = "\n")
  }
  expect_match(printed(b ~ near + alike),
               "correlate by up to 0[.][0-9]+ .*noise is\n  in the patterns")
  expect_match(printed(s ~ near + alike), "p_value of summary[(][)] allows for it")
  # nobody is sent to a p-value that is about one of both samples
  expect_no_match(printed(s ~ near + alike), "p_subjects|p_conditions")
  expect_no_match(printed(b ~ near), "correlate")
  sizes <- matrix(rnorm(12 * 40), 12)
  data$far <- dist(sizes)^2
  expect_no_match(printed(b ~ far), "correlate")
})

test_that("a predictor that centring leaves nothing of has no centred coefficient", {
  set.seed(3)
  one <- c("x", rep("y", 11))
  data <- list(b = dist(matrix(rnorm(60), 12)), m = dist(matrix(rnorm(60), 12)), one = one)
  fit <- suppressWarnings(rsa_regression(b ~ one + m, data, permutations = 19))
  expect_identical(is.na(fit$centered), is.na(fit$p_value))
  expect_identical(is.na(fit$centered), c(TRUE, FALSE))
})

test_that("a name that is NA is refused", {
  data <- regression_data(10)
  nameless <- setNames(data[c("brain", "a")], c("brain", NA))
  error <- expect_refused(rsa_regression(brain ~ a, nameless), "`data` must be a list with")
  expect_s3_class(error, "repalign_error_type")
})

test_that("representations are compared as the response was, or what is taken is said", {
  set.seed(20)
  patterns <- patterns_of(12)
  runs <- rep(1:4, each = 12)
  observed <- patterns[rep(1:12, 4), ] + 0.3 * patterns_of(48)
  data <- list(a = patterns_of(12), b = dist(patterns_of(12)))
  estimate <- function(brain, ...) {
    data$brain <- brain
    rsa_regression(brain ~ a + b, data, permutations = 9, ...)$estimate
  }
  brains <- list(
    sqeuclidean = rdm(observed, rep(1:12, 4), runs), euclidean = dist(patterns),
    euclidean = transform_rdm(rdm(observed, rep(1:12, 4), runs), "sqrt"),
    correlation = rdm(patterns, distance = "correlation"),
    sqeuclidean = list(s1 = rdm(patterns, distance = "sqeuclidean"),
                       s2 = rdm(observed, rep(1:12, 4), runs))
  )
  for (at in seq_along(brains)) {
    inner <- names(brains)[at]
    said <- expect_message(found <- estimate(brains[[at]]), "of the kind of the response",
                           class = "repalign_inner")
    expect_match(conditionMessage(said), paste0("`a` is made with inner = \"", inner, "\""))
    told <- quietly(expect_no_message(estimate(brains[[at]], inner = inner), class = "repalign_inner"))
    expect_identical(found, told)
  }
  unknown <- structure(as.vector(dist(patterns)), Size = 12L, class = "dist")
  expect_message(found <- estimate(unknown), "correlation.*is not known", class = "repalign_inner")
  expect_identical(found, estimate(unknown, inner = "correlation"))
  # representations on both sides are compared alike, and where there is none nothing is said
  expect_silent(found <- estimate(patterns))
  expect_identical(found, estimate(patterns, inner = "correlation"))
  data$a <- dist(data$a)
  expect_silent(estimate(unknown))
})

test_that("squares that dist() made are not taken as Euclidean distances", {
  y <- normal_matrix(20, 3)
  brain <- stats::dist(normal_matrix(20, 3))
  expect_message(rsa_regression(brain ~ y, permutations = 1), "inner = \"euclidean\"")
  brain <- brain^2
  expect_message(rsa_regression(brain ~ y, permutations = 1), "inner = \"sqeuclidean\"")
})

test_that("the sentence of one subject's rows says that it is about all subjects", {
  set.seed(4)
  a <- matrix(rnorm(36), 12)
  subjects <- lapply(1:3, function(i) dist(a %*% matrix(rnorm(30), 3) + matrix(rnorm(120), 12))^2)
  names(subjects) <- c("a", "b", "c")
  found <- rsa_regression(brain ~ A, list(brain = subjects, A = dist(a)^2), permutations = 19)
  expect_no_match(in_words(found), "not of these rows")
  expect_match(in_words(found[found$subject == "a", ]), "all subjects of the call, not of these rows")
})
