# A name that comes twice is a stimulus that was shown twice.

set.seed(1)
images <- paste0("image", 1:6)
shown <- rep(images, each = 2)
signal <- matrix(rnorm(6 * 3), 6) %*% matrix(rnorm(3 * 8), 3)
x <- signal[rep(1:6, each = 2), ] + rnorm(96) / 2
y <- signal[rep(1:6, each = 2), 1:6] + rnorm(72) / 2
rownames(x) <- rownames(y) <- shown
rdm_of <- function(x) as_rdm(structure(dist(unname(x)), Labels = rownames(x)))
bare <- function(x) unname(x)

# Functions of clusters, or NULL, that give scores, intervals and tests.
with_clusters <- list(
  cka = function(k) cka(x, y, estimator = "stimulus", clusters = k),
  one_named = function(k) suppressMessages(cka(x, bare(y), estimator = "stimulus", clusters = k)),
  rsa = function(k) rsa(rdm_of(x), rdm_of(y), clusters = k),
  mutual_knn = function(k) mutual_knn(x, y, k = 2, clusters = k),
  similarity = function(k) similarity(x, y, measure("rsa", clusters = k))$score,
  score_interval = function(k) as.data.frame(score_interval(x, y, "procrustes", clusters = k)),
  cka_interval = function(k) as.data.frame(cka_interval(x, y, clusters = k)),
  calibrate = function(k) {
    as.data.frame(calibrate(x, y, "procrustes", permutations = 19, clusters = k))
  },
  subject_ceiling = function(k) {
    subject_ceiling(list(a = x, b = y), measure("rsa", clusters = k))
  },
  brain_to_brain = function(k) {
    as.data.frame(brain_to_brain(x, y, neurons = 4, repeats = 2, clusters = k))
  },
  brain_to_model = function(k) {
    as.data.frame(brain_to_model(x, list(y = y), repeats = 2, clusters = k))
  },
  trial_to_trial = function(k) {
    as.data.frame(trial_to_trial(list(x, x + sin(x)), repeats = 2, clusters = k))
  }
)

without <- list(
  procrustes = function() procrustes(x, y),
  imd = function() imd(x, y, k = 2),
  score_weighted = function() score_weighted(x, y, weights = 1:12),
  noise_ceiling = function() noise_ceiling(array(x, c(12, 4, 2), list(shown, NULL, NULL))),
  participation_ratio = function() participation_ratio(x),
  predicted_bias = function() predicted_bias(x),
  plan_recording = function() plan_recording(x, y, stimuli = 20),
  stream_cka = function() stream_cka(list(list(x = x, y = y))),
  searchlight = function() searchlight(unname(x), list(1:4), list(m = rdm_of(y))),
  jsd = function() jsd(abs(x[, 1:3]), abs(y[, 1:3])),
  evaluate_rdms = function() evaluate_rdms(list(rdm_of(x)), list(m = rdm_of(y))),
  fit_rdm_model = function() {
    fit_rdm_model(rdm_model(list(rdm_of(y), rdm_of(x)), "weighted"), rdm_of(x), "pearson")
  },
  rdm_rows = function() rdm_rows(x, y),
  rsa_regression = function() rsa_regression(x ~ y, list(x = x, y = y), permutations = 9)
)

quietly <- function(code) {
  set.seed(1)
  suppressWarnings(suppressMessages(code))
}

test_that("repeated names are an error in scores, intervals and tests, unless clusters say so", {
  refused <- function(code, name, clusters = TRUE) {
    error <- tryCatch(quietly(code), error = identity)
    expect_s3_class(error, "repalign_error_repeats")
    expect_match(conditionMessage(error), "image1\" more than once.*(responses|rdm)\\(", info = name)
    expect_identical(grepl("clusters = ", conditionMessage(error)), clusters, info = name)
  }
  expected <- 0
  for (name in names(with_clusters)) {
    use <- with_clusters[[name]]
    refused(use(NULL), name)
    # a cluster for two of the rows of one name, and not for all
    refused(use(c(rep(letters[1:6], each = 2)[-1], "a")), name)
    found <- quietly(use(shown))
    expect_false(identical(found, NULL), info = name)
    # coarser clusters hold equal names, too
    expect_no_error(quietly(use(rep(letters[1:6], each = 2))))
  }
  for (name in names(without)) refused(without[[name]](), name, name %in% c("score_weighted", "evaluate_rdms"))
})

test_that("names that are repeated in another order do not fit", {
  turned <- y[c(2, 1, 4, 3, 6, 5, 12:7), ]
  expect_error(cka(x, turned, estimator = "stimulus", clusters = shown),
               class = "repalign_error_repeats")
})

test_that("makers of data take repeated names as repeats", {
  expect_identical(responses(x), responses(x, stimulus = rownames(x)))
  expect_identical(dim(responses(x)), c(6L, 8L, 2L))
  expect_identical(rdm(x, distance = "sqeuclidean"), rdm(x, shown, distance = "sqeuclidean"))
  runs <- rep(1:2, 6)
  expect_identical(rdm(x, run = runs), rdm(x, shown, runs))
  expect_identical(noise_covariance(x), noise_covariance(x, shown))
  expect_identical(searchlight(x, list(1:4), list(m = dist(signal)))$score,
                   searchlight(unname(x), list(1:4), list(m = dist(signal)),
                               condition = shown)$score)
})

test_that("both remedies of the message work on the data that raised it", {
  message <- conditionMessage(expect_refused(cka(x, y), "more than once"))
  expect_match(message, "responses(x)", fixed = TRUE)
  expect_match(message, "clusters = rownames(x)", fixed = TRUE)
  expect_true(is.finite(suppressMessages(cka(responses(x), responses(y)))))
  expect_true(is.finite(cka(x, y, estimator = "stimulus", clusters = rownames(x))))
  set.seed(1)
  expect_no_error(suppressMessages(calibrate(responses(x), responses(y), permutations = 19)))
  expect_no_error(suppressMessages(calibrate(x, y, permutations = 19, clusters = rownames(x))))
})

test_that("repeated names beside other names have the only remedy that works", {
  x <- matrix(rnorm(24), 6, dimnames = list(c("a", "a", "c", "d", "e", "f"), NULL))
  y <- matrix(rnorm(24), 6, dimnames = list(letters[1:6], NULL))
  message <- conditionMessage(expect_refused(cka(x, y), c("`x`", "\"a\" more than once")))
  expect_no_match(message, "clusters|responses")
  expect_match(message, "different names")
})
