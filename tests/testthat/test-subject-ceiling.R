# Ceilings from several subjects against their definitions and reference values.

subjects_of <- function(n = 20, subjects = 4, seed = 1) {
  set.seed(seed)
  shared <- matrix(rnorm(n * 4), n)
  lapply(seq_len(subjects), function(u) {
    shared %*% matrix(rnorm(4 * 6), 4) + matrix(rnorm(n * 6), n)
  })
}

limits <- c("lower", "upper", "pairwise", "ceiling")

squared <- measure("rsa", inner = "sqeuclidean", outer = "pearson")

# By standardised RDMs.
ceiling_by_hand <- function(rdms, group = seq_along(rdms)) {
  z <- vapply(rdms, function(r) as.vector(scale(as.vector(r))), numeric(length(rdms[[1]])))
  pairs <- stats::cor(z)[outer(group, group, "!=") & upper.tri(diag(ncol(z)))]
  c(lower = mean(vapply(seq_along(rdms), function(u) {
      stats::cor(z[, u], rowMeans(z[, group != group[u], drop = FALSE]))
    }, 0)),
    upper = mean(vapply(seq_along(rdms), function(u) stats::cor(z[, u], rowMeans(z)), 0)),
    pairwise = mean(pairs), ceiling = sqrt(mean(pairs)))
}

test_that("the values are those of INFERENCE.md", {
  inputs <- utils::read.csv(shared_file("reference", "inference", "inputs.csv"))
  subjects <- lapply(split(inputs, inputs$matrix)[paste0("subject", 1:5)], function(part) {
    stats::xtabs(value ~ row + column, part)
  })
  subjects <- lapply(subjects, function(s) matrix(s, nrow(s)))
  values <- utils::read.csv(shared_file("reference", "inference", "values.csv"))
  values <- values[values$quantity == "subject_ceiling_rsa_sqeuclidean", ]
  result <- subject_ceiling(subjects, squared)
  expect_equal(unlist(result[values$args]), stats::setNames(values$value, values$args),
               tolerance = 1e-9)
  expect_equal(c(result$n, result$groups), c(5, 5))
})

test_that("RSA: means of standardised RDMs", {
  subjects <- subjects_of()
  rdms <- lapply(subjects, function(s) stats::dist(s)^2)
  result <- subject_ceiling(subjects, squared)
  expect_equal(unlist(result[limits]), ceiling_by_hand(rdms), tolerance = 1e-10)
  expect_equal(subject_ceiling(rdms, squared), result, tolerance = 1e-10, ignore_attr = "words")
  group <- c("a", "b", "a", "c")
  result <- subject_ceiling(subjects, squared, group = group)
  expect_equal(unlist(result[limits]), ceiling_by_hand(rdms, group), tolerance = 1e-10)
  expect_equal(result$groups, 3)
  ranks <- lapply(subjects, function(s) rank(1 - stats::cor(t(s))[lower.tri(diag(20))]))
  by_rank <- unlist(subject_ceiling(subjects, "rsa")[limits])
  expect_equal(by_rank[3:4], ceiling_by_hand(ranks)[3:4], tolerance = 1e-10)
  # scores are of the ranks of the pooled ranks
  others <- vapply(seq_along(ranks), function(u) {
    stats::cor(ranks[[u]], rank(Reduce(`+`, ranks[-u])))
  }, 0)
  expect_equal(by_rank[["lower"]], mean(others), tolerance = 1e-10)
})

test_that("CKA: means of centred kernels, pooled pairs", {
  subjects <- subjects_of()
  kernels <- lapply(subjects, function(s) tcrossprod(scale(s, scale = FALSE)))
  unit <- vapply(kernels, function(k) as.vector(k) / sqrt(sum(k^2)), numeric(400))
  cosine <- function(a, b) sum(a * b) / sqrt(sum(a^2) * sum(b^2))
  lower <- mean(vapply(1:4, function(u) cosine(unit[, u], rowSums(unit[, -u])), 0))
  upper <- mean(vapply(1:4, function(u) cosine(unit[, u], rowSums(unit)), 0))
  result <- subject_ceiling(subjects, measure("cka", estimator = "naive"))
  expect_equal(c(result$lower, result$upper), c(lower, upper), tolerance = 1e-10)
  names(subjects) <- letters[1:4]
  for (e in c("naive", "stimulus", "stimulus_neuron")) {
    result <- subject_ceiling(subjects, measure("cka", estimator = e))
    pooled <- summary(brain_to_brain(subjects, neurons = 6, estimator = e, conf_level = NULL))
    expect_equal(result$pairwise, pooled$pooled, tolerance = 1e-10)
    expect_equal(result$ceiling, sqrt(pooled$pooled), tolerance = 1e-10)
  }
})

test_that("stimuli without a cluster are left out, and one estimator is taken for all", {
  subjects <- subjects_of(30)
  cluster <- c(rep(1:9, each = 3), NA, NA, NA)
  for (m in list(measure("cka", estimator = "stimulus"), squared)) {
    kept <- lapply(subjects, function(s) responses(s[1:27, ], cluster = cluster[1:27]))
    expect_equal(subject_ceiling(lapply(subjects, responses, cluster = cluster), m),
                 subject_ceiling(kept, m), tolerance = 1e-10)
  }
  set.seed(5)
  trials <- array(unlist(subjects[1:2]), c(30, 6, 2)) + array(rnorm(720), c(30, 6, 2))
  mixed <- c(list(responses(trials)), subjects[3:4])
  expect_message(one <- subject_ceiling(mixed, "cka"), "stimulus_neuron_trial")
  expect_equal(as.data.frame(one)[limits], tolerance = 1e-12, as.data.frame(
    subject_ceiling(mixed, measure("cka", estimator = "stimulus_neuron_trial")))[limits])
})

test_that("bad input is named", {
  subjects <- subjects_of()
  expect_error(subject_ceiling(subjects[1]), class = "repalign_error_type")
  expect_error(subject_ceiling(subjects[[1]]), class = "repalign_error_type")
  expect_error(subject_ceiling(subjects, "mutual_knn"), class = "repalign_error_measure")
  expect_error(subject_ceiling(subjects, list("rsa", "cka")), class = "repalign_error_measure")
  expect_error(subject_ceiling(subjects, group = 1:3), class = "repalign_error_labels")
  expect_warning(alone <- subject_ceiling(subjects, group = rep(1, 4)),
                 class = "repalign_undefined")
  expect_identical(is.na(unlist(alone[-1])), c(lower = TRUE, upper = FALSE, pairwise = TRUE,
                                           ceiling = TRUE, rdms = FALSE, n = FALSE, groups = FALSE))
  expect_error(subject_ceiling(list(subjects[[1]], subjects[[2]][-1, ])),
               class = "repalign_error_rows")
  expect_error(subject_ceiling(lapply(subjects, dist), "cka"), class = "repalign_error_type")
})

test_that("RDMs: the limits are those of the reference, for every comparison", {
  blocks <- Filter(function(block) {
    !block$method[1] %in% c("bootstrap", "crossval") && block$case[1] == "r1"
  }, rsa_blocks("noise_ceiling"))
  for (block in blocks) {
    groups <- grepl("group=", block$parameters[1])
    data <- if (groups) rsa_rdms("r1_data") else rsa_data(block)
    na <- if (groups) "error" else rsa_missing(block)
    measure <- measure("rsa", outer = outer_of[[block$method[1]]], na = na)
    result <- subject_ceiling(data, measure, group = if (groups) (seq_along(data) + 1) %/% 2)
    expect_rsa_block(c(result$lower, result$upper), block)
    expect_equal(result$rdms, 6)
  }
})

test_that("RDMs: no RDM has a higher mean score than the upper limit", {
  set.seed(3)
  rdms <- lapply(1:4, function(u) dist(matrix(rnorm(24), 8)))
  tried <- lapply(1:200, function(k) {
    weights <- runif(4)
    Reduce(`+`, Map(`*`, rdms, weights / sum(weights))) + 0.1 * dist(matrix(rnorm(24), 8))
  })
  for (outer in c("cosine", "pearson", "whitened_cosine", "whitened_pearson", "rho_a")) {
    m <- measure("rsa", outer = outer)
    upper <- suppressWarnings(subject_ceiling(rdms, m))$upper
    scores <- similarity(stats::setNames(tried, seq_along(tried)),
                         stats::setNames(rdms, seq_along(rdms)), m)$score
    expect_gte(upper, max(rowMeans(matrix(scores, 200, byrow = TRUE))))
  }
})

test_that("subjects without anything in common are NA with a warning", {
  set.seed(8)
  one <- as.dist(matrix(c(0, 1, 2, 1, 0, 3, 2, 3, 0), 3))
  other <- as.dist(matrix(c(0, 3, 2, 3, 0, 1, 2, 1, 0), 3))
  expect_warning(found <- subject_ceiling(list(one, other), measure("rsa")), "pairwise",
                 class = "repalign_undefined")
  expect_true(is.na(found$ceiling))
  expect_lt(found$pairwise, 0)
})

test_that("the measure is that of rsa() without choices, and is printed", {
  subjects <- subjects_of()
  result <- subject_ceiling(subjects)
  expect_equal(result$pairwise,
               mean(similarity(stats::setNames(subjects, 1:4), measure = "rsa")$score))
  expect_identical(result$measure, "rsa")
  shown <- paste(capture.output(print(result)), collapse = "\n")
  expect_match(shown, "rsa: inner = \"correlation\", outer = \"spearman\"", fixed = TRUE)
  expect_output(print(subject_ceiling(subjects, "cka")),
                "kernel = \"linear\", estimator = \"naive\"")
  both <- rbind(result, subject_ceiling(subjects, squared))
  expect_identical(both$measure, c("rsa", squared$label))
  expect_length(attr(both, "words"), 2)
})

test_that("RDMs are compared as models with them are, other data as by rsa()", {
  set.seed(31)
  shared <- stats::runif(45)
  rdms <- lapply(1:3, function(u) {
    structure(shared + stats::runif(45), Size = 10L, Diag = FALSE, Upper = FALSE, class = "dist")
  })
  whitened <- measure("rsa", outer = "whitened_cosine")
  expect_identical(subject_ceiling(rdms), subject_ceiling(rdms, whitened))
  expect_identical(subject_ceiling(rdms, "rsa")$measure, "rsa(whitened_cosine)")
  expect_identical(subject_ceiling(rdms, measure("rsa"))$measure, "rsa")
  expect_identical(attr(subject_ceiling(rdms), "words"),
                   "rsa(whitened_cosine): outer = \"whitened_cosine\"")
  # the limits are those that models are drawn with
  models <- list(m = shared + 0 * rdms[[1]])
  found <- suppressMessages(evaluate_rdms(rdms, models, permutations = 0, draws = 20))
  expect_equal(unlist(subject_ceiling(rdms)[c("lower", "upper")], use.names = FALSE),
               c(found$ceiling_low[1], found$ceiling_high[1]))
})

test_that("a single session of each subject is none, and shared neurons are told once", {
  made <- suppressMessages(lapply(1:3, function(u) {
    set.seed(u)
    array(subjects_of()[[u]], c(20, 6, 3)) + rnorm(360)
  }))
  corrected <- measure("cka", estimator = "stimulus_neuron")
  ceiling <- function(subjects) {
    suppressWarnings(suppressMessages(subject_ceiling(subjects, corrected)))
  }
  expect_identical(ceiling(Map(function(x, name) responses(x, session = rep(name, 6)), made,
                               c("a", "b", "c"))), ceiling(lapply(made, responses)))
  named <- lapply(made, function(x) `colnames<-`(rowMeans(x, dims = 2), paste0("u", letters[1:6])))
  said <- capture_messages(suppressWarnings(subject_ceiling(named, corrected)))
  expect_identical(sum(grepl("share neurons .*`neuron` of responses", said)), 1L)
})
