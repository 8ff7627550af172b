# feature_spaces() and space_parts(), against the values of ../shared/reference/spaces, which were
# computed apart, and against their definitions.

# ---- values

space_case <- function(case) {
  inputs <- align_table("inputs", "spaces")
  names <- unique(inputs$matrix)
  of <- function(pattern) {
    found <- grep(paste0("^", case, "_", pattern, "$"), names, value = TRUE)
    stats::setNames(lapply(found, align_input, "spaces"), substr(found, 3, 3))
  }
  labels <- align_table("labels", "spaces")
  labels <- labels[labels$case == case, ]
  orders <- align_table("orders", "spaces")
  orders <- orders[orders$case == case, ]
  list(spaces = do.call(feature_spaces, of("[a-d]")), new = of("[a-d]_new"),
       y = align_input(paste0(case, "_y"), "spaces"), folds = labels$fold,
       clusters = if (!all(is.na(labels$cluster))) labels$cluster,
       orders = if (nrow(orders)) {
         matrix(orders$from[order(orders$order, orders$row)], max(orders$order), byrow = TRUE)
       })
}

# The values of some parts: rows of values.csv with what was found.
note_parts <- function(rows, table, column) {
  at <- match(paste(rows$part, rows$space, rows$detail),
              paste(table$part, table$space, if (is.null(table$neuron)) "" else table$neuron))
  for (i in seq_len(nrow(rows))) note_space(table[[column]][at[i]], rows[i, ])
}

note_space <- function(value, row) {
  if (is.na(row$value)) return(expect_true(is.na(value)))
  row$args <- list(list(row$args))
  row$quantity <- paste(row$quantity, row$part, row$space, row$detail)
  note_align(value, row)
}

note_case <- function(case, args, rows) {
  data <- space_case(case)
  given <- eval(str2lang(paste0("list(", args, ")")))
  quietly <- function(code) suppressMessages(suppressWarnings(code))
  result <- quietly(do.call(encode, c(list(data$spaces, data$y, folds = data$folds,
                                           clusters = data$clusters), given)))
  of <- function(quantity) rows[rows$quantity == quantity, ]
  count <- if (case == "d" && args == "") 4 else Inf
  orders <- if (nrow(of("p_value"))) data$orders[seq_len(min(count, nrow(data$orders))), ]
  tested <- if (is.null(orders)) 0 else orders
  parts <- quietly(space_parts(result, method = "influence", permutations = tested))
  note_parts(of("score"), parts, "score")
  note_parts(of("normalized"), parts, "normalized")
  note_parts(of("se influence"), parts, "se")
  note_parts(of("neuron"), as.data.frame(parts, part = "neurons"), "score")
  if (nrow(of("p_value"))) note_parts(of("p_value"), parts, "p_value")
  if (nrow(of("se jackknife"))) {
    deleted <- quietly(space_parts(result, method = "jackknife"))
    note_parts(of("se jackknife"), deleted, "se")
  }
  for (i in seq_len(nrow(of("ceiling")))) note_space(result$ceiling, of("ceiling")[i, ])
  table <- as.data.frame(result, part = "spaces")
  for (name in c("lambda", "dropped")) {
    own <- of(name)
    for (i in seq_len(nrow(own))) note_space(table[[name]][table$space == own$space[i]], own[i, ])
  }
  weights <- coef(result)
  at <- function(detail) as.integer(strsplit(detail, " ")[[1]])
  own <- of("coef")
  for (i in seq_len(nrow(own))) {
    place <- at(own$detail[i])
    note_space(weights[[own$space[i]]][place[1], place[2]], own[i, ])
  }
  own <- of("intercept")
  for (i in seq_len(nrow(own))) note_space(weights$intercept[[at(own$detail[i])]], own[i, ])
  own <- of("predict")
  for (i in seq_len(nrow(own))) {
    place <- at(own$detail[i])
    space <- if (own$space[i] == "") NULL else own$space[i]
    new <- do.call(feature_spaces, data$new)
    note_space(predict(result, new, space = space)[place[1], place[2]], own[i, ])
  }
  own <- of("statistic")
  if (nrow(own)) {
    null <- statistics_of(result, orders[1, , drop = FALSE])
    for (i in seq_len(nrow(own))) {
      k <- match(own$space[i], names(data$spaces))
      note_space(null[1 + at(own$detail[i]), k], own[i, ])
    }
  }
}

# The statistics of unique parts, for given permutations.
statistics_of <- function(result, orders) {
  kept <- attr(result, "cells")
  cell <- kept$cells[[1]]
  call <- kept$calls[[1]]
  given <- call$x[[1]]
  kinds <- parts_of_sets(given$spaces)
  model <- encoding_model(given$data, call$settings, given$arg, kinds$sets)
  known <- which(!is.na(cell$by_neuron$score))
  y <- scale(call$y[[1]][, known, drop = FALSE], scale = FALSE)
  folds <- list(test = cell$test)
  found <- predict_model(model, y, rep(1L, ncol(y)), folds, call$settings, call$codes,
                         function() NULL)
  design <- suppressMessages(permutation_plan(call$n, orders, NULL, FALSE, "auto"))$fixed
  unique_null(model, y, folds, found, kinds, call, design)
}

test_that("parts, errors, penalties, weights, predictions and p-values are the values", {
  rows <- align_table("values", "spaces")
  rows$part[is.na(rows$part)] <- ""
  rows$space[is.na(rows$space)] <- ""
  rows$args[is.na(rows$args)] <- ""
  for (own in unname(split(rows, paste(rows$case, rows$args)))) {
    note_case(own$case[1], own$args[1], own)
  }
  expect_identical(nrow(rows), 741L)
  expect_nothing_noted()
})

# ---- laws

normal <- function(n, q) matrix(rnorm(n * q), n)

# Two spaces, of which y needs a, and b a little.
two_spaces <- function(n = 30, q = c(5, 7), p = 4) {
  a <- normal(n, q[1])
  b <- normal(n, q[2]) + a[, rep(1, q[2])]
  list(a = a, b = b, y = a %*% normal(q[1], p) + 0.3 * b %*% normal(q[2], p) + 2 * normal(n, p))
}

# Banded ridge regression by its definition: predictions of `test`, for penalties of the spaces (Inf
# leaves one out).
banded <- function(spaces, y, train, test, lambda) {
  mean <- colMeans(y[train, , drop = FALSE])
  used <- is.finite(lambda)
  if (!any(used)) return(matrix(mean, length(test), ncol(y), byrow = TRUE))
  x <- do.call(cbind, spaces[used])
  penalty <- rep(lambda[used], vapply(spaces[used], ncol, 0L))
  a <- sweep(x[train, , drop = FALSE], 2, colMeans(x[train, , drop = FALSE]))
  weights <- solve(crossprod(a) + diag(penalty, length(penalty)),
                   crossprod(a, sweep(y[train, , drop = FALSE], 2, mean)))
  b <- sweep(x[test, , drop = FALSE], 2, colMeans(x[train, , drop = FALSE]))
  sweep(b %*% weights, 2, mean, "+")
}

# The candidates by default, as the help says.
default_candidates <- function(spaces, set) {
  u <- vapply(spaces, function(x) sum(scale(x, scale = FALSE)^2) / min(nrow(x) - 1, ncol(x)), 0)
  scales <- c(-4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4)
  d <- expand.grid(rep(list(c(0, 1, 3, Inf)), length(set)))
  d <- as.matrix(d[apply(d, 1, min) == 0, , drop = FALSE])
  if (length(set) == 1) d <- matrix(0)
  do.call(rbind, lapply(seq_len(nrow(d)), function(i) t(vapply(scales, function(s) {
    replace(rep(Inf, length(spaces)), set, u[set] * 10^(s + d[i, ]))
  }, numeric(length(spaces))))))
}

# Out-of-fold predictions with the choice of each training set, by leaving out its units one by one.
plain_predictions <- function(spaces, y, folds, candidates, units = seq_len(nrow(y))) {
  predicted <- y
  for (k in unique(folds)) {
    test <- which(folds == k)
    train <- which(folds != k)
    errors <- apply(candidates, 1, function(lambda) {
      sum(vapply(unique(units[train]), function(unit) {
        out <- train[units[train] == unit]
        sum((y[out, , drop = FALSE] - banded(spaces, y, setdiff(train, out), out, lambda))^2)
      }, 0))
    })
    best <- which(errors <= min(errors) * (1 + 1e-9))[1]
    predicted[test, ] <- banded(spaces, y, train, test, candidates[best, ])
  }
  predicted
}

plain_r2 <- function(y, predicted, folds) {
  about <- 0
  for (k in unique(folds)) {
    at <- folds == k
    about <- about + sum(sweep(y[at, ], 2, colMeans(y[!at, ]))^2)
  }
  1 - sum((y - predicted)^2) / about
}

test_that("scores and parts are those of plain refits, by kernels and by decompositions", {
  set.seed(1)
  folds <- rep(1:5, 4)
  for (q in list(c(3, 2), c(12, 15))) {
    units <- if (q[1] == 3) 1:20 else rep(1:10, each = 2)
    data <- two_spaces(20, q, 2)
    if (q[1] == 12) folds <- rep(rep(1:5, each = 2), 2)
    spaces <- data[c("a", "b")]
    result <- encode(do.call(feature_spaces, spaces), data$y, folds = folds,
                     clusters = if (anyDuplicated(units)) units)
    r2 <- vapply(list(1, 2, 1:2), function(set) {
      plain_r2(data$y, plain_predictions(spaces, data$y, folds, default_candidates(spaces, set),
                                         units), folds)
    }, 0)
    expect_equal(result$score, r2[3], tolerance = 1e-7)
    parts <- suppressMessages(space_parts(result, method = "influence"))
    expect_identical(parts$part, rep(c("total", "alone", "unique", "common", "split"),
                                     c(1, 2, 2, 1, 2)))
    expect_equal(parts$score[1:6], c(r2[3], r2[1:2], r2[3] - r2[2:1], sum(r2[1:2]) - r2[3]),
                 tolerance = 1e-6)
    expect_equal(sum(parts$score[7:8]), r2[3], tolerance = 1e-6)
  }
})

test_that("statistics of unique parts are those of data whose residuals change places", {
  set.seed(2)
  data <- two_spaces(15, c(3, 20), 2)
  spaces <- data[c("a", "b")]
  folds <- rep(1:3, 5)
  lambda <- c(1, 30)
  result <- encode(do.call(feature_spaces, spaces), data$y, folds = folds, lambda = lambda)
  orders <- rbind(sample(15), sample(15))
  found <- statistics_of(result, orders)
  all <- as.matrix(expand.grid(c(lambda, Inf), c(lambda, Inf)))[1:8, ]
  best <- function(y, candidates) {
    max(apply(candidates, 1, function(row) {
      plain_r2(y, plain_predictions(spaces, y, folds, t(row)), folds)
    }))
  }
  for (k in 1:2) {
    others <- all[is.infinite(all[, k]), ]
    f <- plain_predictions(spaces, data$y, folds, others)
    for (p in 0:2) {
      order <- if (p == 0) 1:15 else orders[p, ]
      y <- f + (data$y - f)[order, ]
      expect_equal(found[p + 1, k], best(y, all) - best(y, others), tolerance = 1e-7)
    }
  }
  # in chunks, and with clusters of the call
  withr::local_options(repalign.max_memory = 8 * 120 * 30)
  expect_equal(statistics_of(result, orders), found)
})

test_that("errors without a stimulus are those of refits", {
  set.seed(3)
  data <- two_spaces(12, c(2, 3), 2)
  spaces <- data[c("a", "b")]
  folds <- rep(1:3, 4)
  lambda <- rbind(c(2, 5), c(9, Inf))
  result <- suppressMessages(encode(do.call(feature_spaces, spaces), data$y, folds = folds,
                                    lambda = lambda))
  parts <- suppressMessages(space_parts(result, method = "jackknife"))
  chosen <- matrix(attr(result, "cells")$cells[[1]]$chosen[, 1], 3)
  without <- vapply(1:12, function(i) {
    r2_of <- function(lambda_of) {
      error <- about <- 0
      for (k in 1:3) {
        train <- setdiff(which(folds != k), i)
        test <- setdiff(which(folds == k), i)
        y <- data$y[test, , drop = FALSE]
        error <- error + sum((y - banded(spaces, data$y, train, test, lambda_of(k)))^2)
        about <- about + sum(sweep(y, 2, colMeans(data$y[train, ]))^2)
      }
      1 - error / about
    }
    # of b alone there is one candidate
    c(r2_of(function(k) lambda[chosen[k], ]), r2_of(function(k) c(Inf, 5)))
  }, numeric(2))
  jackknife <- function(values) sqrt(11 / 12 * sum((values - mean(values))^2))
  expect_equal(parts$se[1], jackknife(without[1, ]), tolerance = 1e-6)
  expect_equal(parts$se[4], jackknife(without[1, ] - without[2, ]), tolerance = 1e-6)
})

test_that("weights and predictions of new stimuli are those of a fit to all", {
  set.seed(4)
  data <- two_spaces()
  colnames(data$a) <- letters[1:5]
  new <- two_spaces(6)
  colnames(new$a) <- letters[1:5]
  for (method in c("ridge", "linear", "pcr", "pls")) for (standardize in c(FALSE, TRUE)) {
    result <- encode(data$a, data$y, method = method, standardize = standardize,
                     components = if (method %in% c("pcr", "pls")) 2)
    fit <- coef(result)
    expect_identical(dim(fit$weights), c(5L, 4L))
    predicted <- predict(result, new$a)
    expect_equal(predicted, sweep(new$a %*% fit$weights, 2, fit$intercept, "+"))
    # columns go by their names
    expect_equal(predict(result, new$a[, 5:1]), predicted)
    if (method == "ridge" && !standardize) {
      one <- attr(fit, "lambda")
      expect_equal(unname(predicted), banded(list(rbind(data$a, new$a)), rbind(data$y, new$y),
                                             1:30, 31:36, one), tolerance = 1e-6)
    }
  }
  joint <- encode(feature_spaces(a = data$a, b = data$b), data$y, lambda = c(1, 10))
  fresh <- feature_spaces(a = new$a, b = new$b)
  each <- lapply(c("a", "b"), function(space) predict(joint, fresh, space = space))
  expect_equal(each[[1]] + each[[2]] + rep(colMeans(data$y), each = 6), predict(joint, fresh),
               ignore_attr = TRUE)
  folds <- lapply(c("a", "b"), function(space) predict(joint, space = space))
  m <- predict(joint) - folds[[1]] - folds[[2]]
  cell <- attr(joint, "cells")$cells[[1]]
  expect_equal(m[cell$test[[1]][1], ], colMeans(data$y[-cell$test[[1]], ]))
  expect_error(predict(joint, new$a), class = "repalign_error_type")
  both <- rbind(joint, encode(data$a, data$y, lambda = 1))
  expect_error(predict(both, new$a), "object[2, ]", fixed = TRUE, class = "repalign_error_type")
  expect_error(predict(encode(data$a, data$y), fresh), class = "repalign_error_type")
  expect_error(predict(joint, space = "c"), class = "repalign_error_choice")
  expect_error(predict(encode(data$a, data$y), new$a * NA), class = "repalign_error_nonfinite")
  expect_identical(names(coef(encode(list(p = data$a, q = data$b), data$y))), c("p | to", "q | to"))
})

test_that("joint models stand beside single ones, in encode() and evaluate_models()", {
  set.seed(5)
  data <- two_spaces()
  folds <- rep(1:5, 6)
  from <- list(low = data$a, both = feature_spaces(low = data$a, high = data$b))
  result <- encode(from, data$y, folds = folds)
  expect_identical(result$x, c("low", "both"))
  expect_identical(is.na(result$lambda), c(FALSE, TRUE))
  expect_equal(result$score[1], encode(data$a, data$y, folds = folds)$score)
  expect_identical(encode(from$both, data$y, folds = folds)$x, "low & high")
  nested <- encode(list(m = from, n = list(low = data$b)), data$y, folds = folds)
  expect_identical(nested$model_x, c("m", "m", "n"))
  expect_equal(nested$score[1:2], result$score)
  parts <- NULL
  expect_message(parts <- space_parts(result, method = "influence"),
                 class = "repalign_single_models")
  expect_equal(parts$score[2], result$score[1])
  table <- as.data.frame(result, part = "spaces")
  expect_identical(names(table), c("x", "y", "space", "split", "lambda", "dropped"))
  expect_equal(sum(table$split), result$score[2], tolerance = 1e-8)
  models <- suppressMessages(evaluate_models(data$y, from, permutations = 19,
                                             measure = measure("encode", folds = folds)))
  expect_equal(sort(models$score), sort(result$score))
  expect_true(is.finite(compare_scores(models)$se))
})

test_that("parts are cut, bound, compared and told", {
  set.seed(6)
  data <- two_spaces()
  joint <- encode(feature_spaces(low = data$a, high = data$b), list(V4 = data$y),
                  folds = rep(1:5, 6), permutations = 0)
  parts <- suppressMessages(space_parts(joint, permutations = 19))
  expect_s3_class(parts, c("repalign_parts", "repalign_interval"), exact = FALSE)
  tiny <- parts
  tiny$score[1] <- -5.216e-05
  expect_no_match(capture_output(print(tiny)), "e-0")
  expect_output(print(parts), "Parts of R squared: V4 from low & high (30 stimuli, 5 folds)",
                fixed = TRUE)
  expect_output(print(parts), "P-values are of 29 permutations.\nParts below 0 are no errors.",
                fixed = TRUE)
  expect_output(print(parts[parts$score > 0, ]), "29 permutations[.]\n?$")
  expect_no_match(utils::capture.output(print(parts[parts$part != "unique", ])), "permutations")
  expect_match(in_words(parts), paste0("^Of the R squared of V4 from low & high \\([-.0-9]+\\), ",
                                       "[-.0-9]+ is unique to low \\(95% interval .*\\), ",
                                       "[-.0-9]+ to high \\(.*\\), [-.0-9]+ common \\(p-values are adjusted for their number\\)[.]$"))
  # the adjusted p-value is told
  expect_match(in_words(parts), p_words(parts$p_adjusted[parts$space == "low" & parts$part == "unique"]),
               fixed = TRUE)
  compared <- compare_scores(parts[parts$part == "unique", ])
  expect_identical(compared$score_1, "unique low")
  expect_equal(compared$difference, parts$score[4] - parts$score[5])
  unique <- parts$part == "unique"
  expect_identical(is.na(parts$p_value), !unique)
  expect_equal(parts$p_adjusted[unique], stats::p.adjust(parts$p_value[unique], "holm"))
  expect_identical(is.na(parts$se), parts$part == "split")
  neurons <- as.data.frame(parts[unique, ], part = "neurons")
  expect_identical(nrow(neurons), 8L)
  expect_identical(names(neurons), c("x", "y", "part", "space", "neuron", "score"))
  twice <- rbind(parts, parts)
  expect_identical(as.data.frame(twice, part = "neurons"), as.data.frame(parts, part = "neurons"))
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(parts)
  # the legend may reach over the names, and open points hide no full ones
  expect_identical(picture$theme$legend.justification, "right")
  expect_identical(unname(picture$scales$get_scales("shape")$palette(4)[4]), 1)
  # areas with the same spaces share the axis of names
  both <- parts
  both$y <- "another"
  both <- rbind(first = parts, second = both)
  drawn <- ggplot2::ggplot_build(ggplot2::autoplot(both))$layout$layout
  expect_identical(c(max(drawn$ROW), max(drawn$COL), max(drawn$SCALE_Y)), c(1L, 2L, 1L))
  expect_gte(as.numeric(ggplot2::autoplot(both)$theme$panel.spacing.x), 1.3)
  both <- both[!(both$space == both$space[both$part == "unique"][1] & both$source == "second"), ]
  drawn <- ggplot2::ggplot_build(ggplot2::autoplot(both))$layout$layout
  expect_identical(c(max(drawn$ROW), max(drawn$COL), max(drawn$SCALE_Y)), c(2L, 1L, 2L))
})

test_that("equal spaces share everything, and a space that is left out everywhere has no error", {
  set.seed(7)
  data <- two_spaces()
  folds <- rep(1:5, 6)
  same <- encode(feature_spaces(a = data$a, b = data$a), data$y, folds = folds)
  parts <- suppressMessages(space_parts(same, method = "influence"))
  expect_lt(max(abs(parts$score[parts$part == "unique"])), 0.02)
  useless <- encode(feature_spaces(a = data$a, b = normal(30, 3)), data$y, folds = folds,
                    lambda = rbind(c(1, Inf), c(10, Inf)))
  parts <- suppressMessages(space_parts(useless, permutations = 9, method = "influence"))
  at <- parts$part == "unique" & parts$space == "b"
  expect_identical(parts$score[at], 0)
  expect_identical(parts$se[at], NA_real_)
  expect_identical(parts$p_value[at], 1)
})

test_that("what cannot be is refused, with its class", {
  set.seed(8)
  data <- two_spaces()
  refused <- function(code, class) {
    expect_error(code, class = paste0("repalign_error_", class))
  }
  refused(feature_spaces(a = data$a), "size")
  expect_error(feature_spaces(), "not 0: give each with a name")
  expect_error(feature_spaces(a = data$a), "not 1: one alone is given to encode")
  refused(feature_spaces(a = data$a, b = data$b, c = data$a, d = data$a, e = data$a), "size")
  refused(feature_spaces(a = data$a, b = data$b[-1, ]), "size")
  refused(feature_spaces(data$a, b = data$b), "missing")
  refused(feature_spaces(a = data$a, a = data$b), "value")
  refused(feature_spaces(`a & b` = data$a, c = data$b), "value")
  refused(feature_spaces(a = data$a, b = matrix(1, 30, 2)), "variance")
  refused(feature_spaces(a = data$a, b = dist(data$b)), "type")
  refused(feature_spaces(a = data$a, b = prepare(data$b)), "type")
  spaces <- feature_spaces(a = data$a, b = data$b)
  refused(similarity(spaces, data$y), "type")
  refused(similarity(list(a = spaces), data$y), "type")
  refused(encode(data$a, spaces), "type")
  refused(cka(spaces, data$y), "type")
  run <- function(...) encode(spaces, data$y, ...)
  refused(run(lambda = 0), "value")
  refused(run(lambda = cbind(0, 1)), "value")
  refused(run(lambda = c(1, Inf)), "value")
  refused(run(lambda = cbind(1, 2, 3)), "value")
  refused(run(lambda = cbind(Inf, Inf)), "value")
  refused(run(method = "pcr", components = 2), "choice")
  refused(run(method = "pls", components = 2), "choice")
  refused(space_parts(encode(data$a, data$y)), "type")
  refused(space_parts(data$a), "type")
  refused(space_parts(run(score_by = "cor")), "measure")
  fixed <- run(lambda = cbind(1, 2))
  expect_warning(suppressMessages(space_parts(fixed, permutations = 19)),
                 class = "repalign_fixed_penalties")
})

test_that("new stimuli and penalties go by names", {
  set.seed(31)
  names <- paste0("s", 1:40)
  a <- matrix(rnorm(200), 40, dimnames = list(names, NULL))
  b <- matrix(rnorm(160), 40, dimnames = list(names, NULL))
  y <- a[, 1:3] + rnorm(120)
  spaces <- feature_spaces(a = a[1:30, ], b = b[1:30, ])
  fit <- quietly(encode(spaces, y[1:30, ], lambda = 10))
  new <- feature_spaces(a = a[31:40, ], b = b[31:40, ])
  expect_equal(predict(fit, feature_spaces(a = a[31:40, ], b = b[40:31, ])), predict(fit, new))
  expect_error(predict(fit, feature_spaces(a = a[31:40, ], b = b[21:30, ])), "different stimuli",
               class = "repalign_error_names")
  # one new stimulus has the prediction that it has among others
  one <- predict(fit, feature_spaces(a = a[31, , drop = FALSE], b = b[31, , drop = FALSE]))
  expect_equal(one, predict(fit, new)[1, , drop = FALSE])
  score <- function(lambda) {
    set.seed(1)
    quietly(encode(spaces, y[1:30, ], lambda = lambda))$score
  }
  expect_identical(score(cbind(b = 10, a = 100)), score(cbind(a = 100, b = 10)))
  expect_false(score(cbind(a = 10, b = 100)) == score(cbind(a = 100, b = 10)))
  expect_error(score(cbind(a = 1, c = 2)), "named", class = "repalign_error_value")
  expect_error(feature_spaces(intercept = a, b = b), "intercept", class = "repalign_error_value")
})
