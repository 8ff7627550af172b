# Clusters of stimuli in evaluate_rdms().

# Permutations have tests of their own, test-evaluation-chance.R.
evaluate_rdms <- function(...) repalign::evaluate_rdms(..., permutations = 0)

clustered_task_of <- function(outer, made, clusters, models = made$models, noise = NULL) {
  repalign:::evaluation_task(made$data, models, outer, c(1, 1, 2, 3, 4), noise, "error", clusters)
}

# Clusters of 1 to 3 stimuli, which are not in a row.
codes_of_twelve <- c(1, 2, 1, 3, 4, 4, 2, 5, 1, 6, 6, 7)

cluster_rounds <- function(task, draws = 8) {
  count <- max(task$codes)
  counts <- function(size) {
    replicate(draws, as.double(tabulate(sample.int(size, replace = TRUE), size)))
  }
  units <- counts(count)
  # one draw that is nearly all of one cluster
  units[, 1] <- c(count - 2, 1, 1, rep(0, count - 3))
  repalign:::plain_draw_rounds(units[task$codes, ], counts(max(task$group))[task$group, ])
}

test_that("draws of clusters: fast and plain ways agree", {
  made <- made_rdms()
  for (outer in names(ways_of_outers)) {
    task <- clustered_task_of(outer, made, codes_of_twelve)
    expect_same_rounds(task, cluster_rounds(task), ways_of_outers[[outer]], outer)
  }
  for (outer in c("whitened_cosine", "whitened_pearson")) {
    task <- clustered_task_of(outer, made, codes_of_twelve, noise = exp(rnorm(12)))
    expect_same_rounds(task, cluster_rounds(task), "grams", paste(outer, "with noise"))
  }
})

test_that("flexible models in folds of clusters: fast and plain ways agree", {
  made <- made_rdms(n = 20)
  models <- list(fixed = made$models[[1]], weighted = rdm_model(made$models, "weighted"),
                 select = rdm_model(made$models, "select"))
  clusters <- rep(1:10, each = 2)
  for (outer in names(ways_of_outers)) {
    task <- clustered_task_of(outer, made, clusters, models)
    rounds <- cluster_rounds(task, 12)
    train <- clusters %% 2 == 0
    rounds$w_test <- rounds$w_train * !train
    rounds$w_train <- rounds$w_train * train
    different <- function(w) colSums(w[seq(1, 20, 2), ] > 0)
    kept <- different(rounds$w_test) >= 3 & different(rounds$w_train) >= 3
    expect_true(any(kept))
    rounds <- lapply(rounds, function(part) part[, kept, drop = FALSE])
    expect_same_rounds(task, rounds, ways_of_outers[[outer]], outer)
  }
})

# The similarity of what is left of two RDMs when each stimulus comes as often as `at` has it, and
# pairs within a cluster, its copies included, are left out; whitened by the explicit covariance of
# the pairs that are left, where copies have noise of their own.
drawn_similarity <- function(a, b, at, codes, outer, noise = rep(1, length(codes))) {
  pairs <- utils::combn(length(at), 2)
  pairs <- pairs[, codes[at[pairs[1, ]]] != codes[at[pairs[2, ]]]]
  values <- function(rdm) as.matrix(rdm)[cbind(at[pairs[1, ]], at[pairs[2, ]])]
  a <- values(a)
  b <- values(b)
  if (outer == "pearson") return(cor(a, b))
  if (outer == "cosine") return(sum(a * b) / sqrt(sum(a^2) * sum(b^2)))
  contrasts <- diag(length(at))[pairs[1, ], ] - diag(length(at))[pairs[2, ], ]
  w <- solve((contrasts %*% diag(noise[at]) %*% t(contrasts))^2)
  if (outer == "whitened_pearson") {
    ones <- rowSums(w)
    w <- w - ones %o% ones / sum(ones)
  }
  sum(a * (w %*% b)) / sqrt(sum(a * (w %*% a)) * sum(b * (w %*% b)))
}

test_that("scores and draws over clusters are those of the definition", {
  made <- made_rdms(subjects = 3)
  variances <- exp(rnorm(12))
  drawn <- rbind(c(1, 1, 2, 3, 5, 5, 7), c(2, 2, 2, 4, 6, 1, 3))
  members <- split(1:12, codes_of_twelve)
  for (outer in c("pearson", "cosine", "whitened_cosine", "whitened_pearson")) {
    noise <- if (grepl("whitened", outer)) variances
    result <- quietly(evaluate_rdms(made$data, made$models, outer, list(condition = drawn),
                                    clusters = codes_of_twelve, stimulus_noise = noise))
    by_hand <- function(at, k) {
      mean(vapply(made$data, drawn_similarity, 0, made$models[[k]], at, codes_of_twelve, outer,
                  if (is.null(noise)) rep(1, 12) else noise))
    }
    expect_equal(result$score, vapply(1:3, by_hand, 0, at = 1:12), tolerance = 1e-9, info = outer)
    found <- attr(result, "draws")$condition[, 1:3, 1]
    for (t in 1:2) {
      expect_equal(unname(found[t, ]), vapply(1:3, by_hand, 0, at = unlist(members[drawn[t, ]])),
                   tolerance = 1e-9, info = paste(outer, t))
    }
  }
})

test_that("the score is that of rsa() with the same clusters", {
  made <- made_rdms(subjects = 1)
  for (outer in c("pearson", "cosine", "spearman", "rho_a", "kendall")) {
    result <- quietly(evaluate_rdms(made$data, made$models["m2"], outer, "none",
                                    clusters = codes_of_twelve))
    expected <- similarity(made$data[[1]], made$models$m2,
                           measure("rsa", outer = outer, clusters = codes_of_twelve))$score
    expect_equal(result$score, expected, tolerance = 1e-10, info = outer)
  }
})

test_that("clusters of one stimulus are no clusters", {
  made <- made_rdms()
  models <- c(made$models, list(w = rdm_model(made$models, "weighted")))
  for (outer in c("pearson", "whitened_pearson", "spearman")) {
    run <- function(...) {
      set.seed(3)
      quietly(evaluate_rdms(made$data, models, outer, draws = 20,
                            folds = c(rdm = 2, condition = 2), ...))
    }
    expect_equal(as.data.frame(run(clusters = letters[1:12])), as.data.frame(run()), info = outer)
  }
})

test_that("degrees of freedom and factors of the variance count clusters", {
  made <- made_rdms(n = 16, subjects = 7)
  set.seed(1)
  result <- quietly(evaluate_rdms(made$data, made$models, "pearson", "condition", draws = 30,
                                  clusters = rep(1:8, each = 2)))
  expect_identical(result$df, rep(7, 3))
  drawn <- attr(result, "draws")$condition[, 1:3, 1]
  drawn <- drawn[!is.na(drawn[, 1]), ]
  expect_equal(result$se, unname(apply(drawn, 2, sd)) * sqrt(8 / 7))
  expect_output(print(result), "16 stimuli in 8 clusters")
  expect_output(print(result), "errors over clusters of stimuli")
  both <- quietly(evaluate_rdms(made$data, made$models, "pearson", draws = 30,
                                clusters = rep(1:8, each = 2)))
  expect_identical(both$df, rep(6, 3))
  expect_identical(glance(both)$stimuli, 16L)
})

test_that("clusters go by names, and stimuli without a label are left out", {
  made <- made_rdms()
  labelled <- function(rdms) lapply(rdms, `attr<-`, "Labels", letters[1:12])
  data <- labelled(made$data)
  models <- labelled(made$models)
  codes <- stats::setNames(codes_of_twelve, letters[1:12])
  run <- function(clusters, some = TRUE) {
    set.seed(4)
    cut <- function(rdms) lapply(rdms, function(rdm) stats::as.dist(as.matrix(rdm)[some, some]))
    quietly(evaluate_rdms(cut(data), cut(models), "whitened_cosine", draws = 20,
                          clusters = clusters))
  }
  expect_equal(as.data.frame(run(codes[c(5:12, 4:1)])), as.data.frame(run(codes_of_twelve)))
  keep <- c(1, 2, 4:11)
  expect_equal(as.data.frame(run(replace(codes_of_twelve, -keep, NA))),
               as.data.frame(run(codes_of_twelve[keep], keep)))
})

test_that("a model that is constant between clusters is NA, and the reason is said", {
  made <- made_rdms()
  made$models$category <- made$models$m1
  made$models$category[] <- as.double(repalign:::between_clusters(codes_of_twelve))
  made$models$categories <- rdm_model(list(a = made$models$category, b = 2 * made$models$category),
                                      "weighted")
  for (outer in c("pearson", "whitened_cosine", "spearman")) {
    set.seed(1)
    warnings <- testthat::capture_warnings(
      result <- suppressMessages(evaluate_rdms(made$data, made$models, outer, draws = 20,
                                               clusters = codes_of_twelve)))
    expect_match(warnings, "\"category\" and \"categories\".*same for all", all = FALSE)
    expect_identical(which(is.na(result$score)), 4:5)
    expect_identical(which(is.na(result$se)), 4:5)
    expect_false(anyNA(result$ceiling_high))
    set.seed(1)
    others <- quietly(evaluate_rdms(made$data, made$models[1:3], outer, draws = 20,
                                    clusters = codes_of_twelve))
    expect_equal(as.data.frame(result)[1:3, ], as.data.frame(others))
  }
})

test_that("folds never split a cluster", {
  made <- made_rdms(n = 18)
  clusters <- rep(1:6, 3)
  task <- clustered_task_of("cosine", made, clusters)
  folds <- repalign:::as_folds(c(rdm = 1, condition = 2), 2, task)
  rounds <- repalign:::folds_of_draw(folds, task$group, rep(1, 18), rep(1, 5), task$codes)
  for (round in rounds) {
    expect_length(unique(clusters[round$test$w > 0]), 3)
    expect_false(any(clusters[round$test$w > 0] %in% clusters[round$train$w > 0]))
  }
  given <- function(train, test) {
    data.frame(fold = 1, set = rep(c("train", "test"), c(length(train), length(test))),
               factor = "condition", index = c(train, test))
  }
  run <- function(folds, ...) {
    quietly(evaluate_rdms(made$data, made$models, "cosine", "none", folds = folds,
                          clusters = clusters, ...))
  }
  expect_error(run(given(c(1:3, 7:9, 13:15), c(4:6, 10:12))), "splits a cluster",
               class = "repalign_error_value")
  first <- which(clusters <= 3)
  fine <- run(given(first, setdiff(1:18, first)))
  # the same fold, with other stimuli that are left out
  clusters[c(1, 18)] <- NA
  expect_false(anyNA(run(given(first, setdiff(1:18, first)))$score))
  expect_false(anyNA(fine$score))
})

test_that("too few clusters are refused or noted, and bad ones are named", {
  made <- made_rdms()
  run <- function(clusters, ...) {
    suppressWarnings(evaluate_rdms(made$data, made$models, "cosine", draws = 20,
                                   clusters = clusters, ...))
  }
  expect_message(run(rep(1:4, 3)), class = "repalign_few_clusters")
  expect_no_message(run(rep(1:6, 2)), class = "repalign_few_clusters")
  expect_no_message(run(rep(1:4, 3), resample = "rdm"), class = "repalign_few_clusters")
  expect_error(run(rep(1:3, 4)), "clusters, but there are 3", class = "repalign_error_size")
  expect_error(run(rep(1, 12), resample = "rdm"), class = "repalign_error_labels")
  expect_error(run(1:5), "5 labels", class = "repalign_error_labels")
  expect_error(run(rep(1:5, c(3, 3, 2, 2, 2)), folds = c(condition = 2)), "5 clusters",
               class = "repalign_error_size")
  expect_error(run(codes_of_twelve, resample = list(condition = matrix(1:12, 2, 12))),
               "12 columns.*clusters: 7", class = "repalign_error_size")
  made$data$s1[] <- as.double(!repalign:::between_clusters(codes_of_twelve))
  expect_error(run(codes_of_twelve), "between clusters are 0", class = "repalign_error_variance")
})
