# p_chance of evaluate_rdms(): the stimuli of the models are permuted.

random_orders <- function(n, count, seed = 1) {
  set.seed(seed)
  t(replicate(count, sample.int(n)))
}

# The tested models: fixed and all kinds with weights.
all_models <- function(made) {
  list(fixed = made$models[[1]], other = made$models[[3]],
       weighted = rdm_model(made$models, "weighted", ridge = 2),
       positive = rdm_model(made$models, "weighted", nonnegative = TRUE),
       select = rdm_model(made$models, "select"),
       interpolate = rdm_model(made$models, "interpolate"))
}

chance_task <- function(made, outer, models = all_models(made), noise = NULL, clusters = NULL) {
  repalign:::evaluation_task(made$data, models, outer, NULL, noise, "pairwise", clusters)
}

permuted_rdm <- function(rdm, order) {
  rdm[] <- as.matrix(rdm)[order, order][lower.tri(diag(length(order)))]
  rdm
}

# The null by its definition: the whole evaluation of models whose stimuli are in another order.
null_by_hand <- function(made, outer, models, orders, folds = NULL, ...) {
  permuted <- function(model, order) {
    if (inherits(model, "dist")) return(permuted_rdm(model, order))
    model$table$values <- apply(model$table$values, 2, function(values) {
      permuted_rdm(structure(values, Size = length(order), class = "dist"), order)
    })
    model
  }
  t(apply(rbind(seq_len(ncol(orders)), orders), 1, function(order) {
    folds <- if (is.null(folds)) c(rdm = 1) else folds
    quietly(evaluate_rdms(made$data, lapply(models, permuted, order), outer, "none",
                          folds = folds, permutations = 0, ...))$score
  }))
}

p_of_null <- function(null) {
  colMeans(null >= rep(null[1, ], each = nrow(null)) - 1e-10)
}

given_folds_of <- function(n, subjects) {
  part <- function(fold, set, factor, index) {
    data.frame(fold = fold, set = set, factor = factor, index = index)
  }
  odd <- seq(1, n, 2)
  rbind(part(1, "train", "condition", odd), part(1, "test", "condition", setdiff(1:n, odd)),
        part(1, "train", "rdm", 3:subjects), part(1, "test", "rdm", 1:2),
        part(2, "train", "condition", setdiff(1:n, odd)), part(2, "test", "condition", odd),
        part(2, "train", "rdm", 1:3), part(2, "test", "rdm", 4:subjects))
}

test_that("p_chance is that of models whose stimuli are permuted", {
  made <- made_rdms(n = 14)
  orders <- random_orders(14, 6)
  folds <- given_folds_of(14, 5)
  for (outer in c("cosine", "pearson", "whitened_cosine", "whitened_pearson", "spearman")) {
    for (cut in list(NULL, folds)) {
      models <- all_models(made)[c(1, 4, 5)]
      null <- null_by_hand(made, outer, models, orders, cut)
      result <- quietly(evaluate_rdms(made$data, models, outer, "none", permutations = orders,
                                      folds = if (is.null(cut)) c(rdm = 1) else cut))
      null[is.na(null)] <- 0
      expect_equal(result$p_chance, unname(p_of_null(null)), info = outer)
    }
  }
})

test_that("all ways to a null agree with the scores of permuted models", {
  made <- made_rdms(n = 14)
  made$data$s1 <- round(made$data$s1)
  design <- list(n = 14, matrix = t(random_orders(14, 5)), count = 5)
  noise <- exp(rnorm(14))
  expect_same_null <- function(task, folds, ways) {
    data <- repalign:::data_rounds(task, folds)
    found <- vapply(seq_along(task$models), repalign:::chance_way, "", task, data)
    expect_identical(found, ways, info = task$outer)
    null <- repalign:::chance_null(task, data, design, 2L)
    anew <- repalign:::anew_chance(task, data, design, 2L)
    expect_equal(null, anew, tolerance = 1e-9, info = task$outer)
    scores <- repalign:::evaluate_whole(task, data, folds, 1L)$scores
    known <- !is.na(scores)
    expect_equal(null[1, known], scores[known], tolerance = 1e-10, info = task$outer)
    expect_gt(min(apply(null, 2, sd)), 0)
  }
  cut <- function(folds, task) repalign:::as_folds(folds, 1, task)
  for (outer in c("cosine", "pearson", "whitened_cosine", "whitened_pearson", "spearman")) {
    task <- chance_task(made, outer)
    ranks <- outer == "spearman"
    by_pool <- if (ranks) rep(c("inner", "ranks"), c(2, 4)) else rep("inner", 6)
    expect_same_null(task, NULL, by_pool)
    folds <- given_folds_of(14, 5)
    expect_same_null(task, cut(folds[folds$factor == "rdm", ], task), by_pool)
    expect_same_null(task, cut(folds, task), rep(if (ranks) "ranks" else "products", 6))
  }
  task <- chance_task(made, "tau_b")
  expect_same_null(task, cut(given_folds_of(14, 5), task), rep(c("counts", "ranks"), c(2, 4)))
  for (outer in c("whitened_cosine", "whitened_pearson")) {
    task <- chance_task(made, outer, noise = noise)
    expect_same_null(task, NULL, rep("products", 6))
    expect_same_null(task, cut(given_folds_of(14, 5), task), rep("products", 6))
  }
})

test_that("whole clusters change places: all ways agree", {
  made <- made_rdms(n = 18)
  clusters <- rep(1:9, 2)
  task <- chance_task(made, "cosine", clusters = clusters)
  set.seed(3)
  design <- repalign:::chance_design(task, repalign:::data_rounds(task, NULL), 8, NULL)
  expect_true(all(clusters[design$matrix[1:9, ]] == clusters[design$matrix[10:18, ]]))
  first <- which(clusters <= 4)
  folds <- data.frame(fold = 1, set = rep(c("train", "test"), c(8, 10)), factor = "condition",
                      index = c(first, setdiff(1:18, first)))
  for (outer in c("pearson", "whitened_cosine", "whitened_pearson", "spearman")) {
    models <- all_models(made)[c(1, 3:5)]
    task <- chance_task(made, outer, models, clusters = clusters)
    for (cut in list(NULL, repalign:::as_folds(folds, 1, task))) {
      data <- repalign:::data_rounds(task, cut)
      null <- repalign:::chance_null(task, data, design, 2L)
      expect_equal(null, repalign:::anew_chance(task, data, design, 2L), tolerance = 1e-9,
                   info = outer)
      scores <- repalign:::evaluate_whole(task, data, cut, 1L)$scores
      known <- !is.na(scores)
      expect_gt(sum(known), 1)
      expect_equal(null[1, known], scores[known], tolerance = 1e-10, info = outer)
    }
  }
})

test_that("of one RDM, p_chance is the p-value of calibrate()", {
  made <- made_rdms(n = 11, subjects = 1)
  orders <- random_orders(11, 49)
  for (outer in c("pearson", "cosine", "spearman", "kendall", "tau_b", "rho_a", "whitened_cosine",
                  "whitened_pearson")) {
    for (k in 1:3) {
      found <- quietly(evaluate_rdms(made$data, made$models[k], outer, "none",
                                     permutations = orders))
      expected <- calibrate(made$data[[1]], made$models[[k]], measure("rsa", outer = outer),
                            permutations = orders)
      expect_equal(found$p_chance, expected$p_value, info = outer)
    }
  }
  # the same random permutations, too
  set.seed(5)
  found <- quietly(evaluate_rdms(made$data, made$models[3], "pearson", "none"))
  set.seed(5)
  expect_equal(found$p_chance, calibrate(made$data[[1]], made$models[[3]],
                                         measure("rsa", outer = "pearson"))$p_value)
  blocks <- rep(1:2, c(5, 6))
  set.seed(5)
  found <- quietly(evaluate_rdms(made$data, made$models[3], "pearson", "none", blocks = blocks))
  set.seed(5)
  expected <- calibrate(made$data[[1]], made$models[[3]], measure("rsa", outer = "pearson"),
                        blocks = blocks)
  expect_equal(found$p_chance, expected$p_value)
  clusters <- c(rep(1:5, 2), NA)
  set.seed(5)
  found <- quietly(evaluate_rdms(made$data, made$models[3], "spearman", "none",
                                 clusters = clusters))
  set.seed(5)
  expected <- quietly(calibrate(made$data[[1]], made$models[[3]],
                                measure("rsa", clusters = clusters), clusters = clusters))
  expect_equal(found$p_chance, expected$p_value)
})

test_that("missing pairs move with the stimuli of a model", {
  made <- made_rdms()
  made$data$s1[c(1, 5)] <- NA
  made$models$m2[c(3, 8)] <- NA
  orders <- random_orders(12, 15)
  for (outer in c("pearson", "whitened_cosine", "kendall")) {
    models <- made$models[1:2]
    null <- null_by_hand(made, outer, models, orders, na = "pairwise")
    result <- quietly(evaluate_rdms(made$data, models, outer, "none", permutations = orders,
                                    na = "pairwise"))
    expect_equal(result$p_chance, unname(p_of_null(null)), info = outer)
  }
})

test_that("permutations = 0 leaves p_chance out, and draws stay as they are", {
  made <- made_rdms()
  run <- function(...) {
    set.seed(6)
    quietly(evaluate_rdms(made$data, made$models, "pearson", draws = 20, ...))
  }
  without <- run(permutations = 0)
  expect_false("p_chance" %in% names(without))
  with <- run(permutations = 99)
  expect_equal(as.data.frame(with)[names(without)], as.data.frame(without))
  expect_output(print(with), "p_chance by [0-9]+ permutations")
  expect_identical(tidy(with)$p.value, with$p_chance)
})

test_that("p_chance is NA, with a note that says why, where clusters cannot tell", {
  made <- made_rdms()
  run <- function(clusters, ...) {
    suppressWarnings(evaluate_rdms(made$data, made$models, "cosine", "rdm", draws = 20,
                                   clusters = clusters, ...))
  }
  expect_message(result <- run(rep(1:5, c(3, 3, 2, 2, 2))), "clusters of 2 to 3 stimuli",
                 class = "repalign_no_chance")
  expect_true(all(is.na(result$p_chance)) && !anyNA(result$score))
  # the same between all clusters, for each pair of their members
  made$models$members <- dist(rep(1:3, 4))
  expect_message(result <- (run(rep(1:4, each = 3))), "\"members\".*change nothing",
                 class = "repalign_no_chance")
  expect_identical(is.na(result$p_chance), c(FALSE, FALSE, FALSE, TRUE))
  expect_false(anyNA(result$score))
})

test_that("bad permutations and blocks are refused before the work", {
  made <- made_rdms()
  run <- function(...) {
    quietly(evaluate_rdms(made$data, made$models, "cosine", draws = 20, ...))
  }
  expect_error(run(permutations = -1), "`permutations`", class = "repalign_error_value")
  expect_error(run(permutations = matrix(1, 2, 12)), class = "repalign_error_design")
  expect_error(run(blocks = 1:3), "`blocks`", class = "repalign_error_design")
  expect_error(run(blocks = rep(1:2, 6), clusters = rep(1:6, 2)), "only one of",
               class = "repalign_error_design")
  expect_error(run(blocks = rep(1:2, 6), permutations = 0), "no", class = "repalign_error_design")
  expect_error(run(permutations = random_orders(12, 3), clusters = rep(1:6, 2)), "several clusters",
               class = "repalign_error_design")
})

test_that("too few permutations for a small p_chance are told", {
  models <- list(m = stats::dist(normal_matrix(12, 3)))
  rdms <- list(a = stats::dist(normal_matrix(12, 3)), b = stats::dist(normal_matrix(12, 3)))
  evaluate <- function(permutations, ...) {
    evaluate_rdms(rdms, models, "pearson", "none", permutations = permutations, ...)
  }
  expect_message(evaluate(2), "`p_chance` can be at most 0.05 with 11 permutations: .*At least 19",
                 class = "repalign_few_permutations")
  expect_message(evaluate(99, blocks = c(1, 1, 2, 2, 3:10)), "no more permutations: take more",
                 class = "repalign_few_permutations")
  expect_no_message(evaluate(19), class = "repalign_few_permutations")
  expect_no_message(evaluate(0), class = "repalign_few_permutations")
})

test_that("a model of RDMs above 0 but not above chance is told so, and the figure draws chance", {
  set.seed(32)
  positive <- function() {
    structure(stats::runif(66, 1, 2), Size = 12L, Diag = FALSE, Upper = FALSE, class = "dist")
  }
  rdms <- stats::setNames(lapply(1:6, function(u) positive()), letters[1:6])
  found <- suppressMessages(evaluate_rdms(rdms, list(m = positive(), n = positive()), draws = 100,
                                          outer = "cosine", permutations = 99))
  expect_true(all(found$p_zero < 0.05))
  text <- as.character(in_words(found))
  best <- which.max(found$score)
  expect_identical(found$p_chance[best] > 0.05,
                   grepl("not above chance though above 0 with p < .001", text, fixed = TRUE))
  expect_true(any(found$p_chance > 0.05))
  # scores above the threshold, and no others, have a p-value of at most 0.05
  threshold <- attr(found, "chance")$threshold
  expect_named(threshold, c("m", "n"))
  expect_identical(unname(found$score > threshold), found$p_chance <= 0.05)
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(found)
  drawn <- lapply(seq_along(picture$layers), function(k) ggplot2::layer_data(picture, k)$yend)
  expect_true(any(vapply(drawn, function(y) isTRUE(all.equal(y, unname(threshold))), NA)))
  expect_match(gsub("\n", " ", picture$labels$caption), "each model by itself", fixed = TRUE)
  # quartiles of p-values say nothing
  expect_false(any(grepl("p_", colnames(summary(found)))))
})
