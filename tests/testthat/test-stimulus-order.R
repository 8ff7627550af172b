# What has the same stimuli in another order is brought into one order, in every function.

set.seed(1)
x <- matrix(rnorm(12 * 3), 12) %*% matrix(rnorm(3 * 8), 3) + rnorm(12 * 8) / 2
rownames(x) <- paste0("s", 1:12)
y <- x[, 1:6] + rnorm(12 * 6) / 2
z <- x[, 2:8] + rnorm(12 * 7)
order <- c(3, 1, 2, 12:4)
trials <- function(x, seed) {
  set.seed(seed)
  values <- array(rep(x, 3), c(dim(x), 3), list(rownames(x), NULL, NULL))
  values + rnorm(length(values)) / 4
}
x_trials <- trials(x, 1)
y_trials <- trials(y, 2)
rdm_of <- function(x) as_rdm(dist(x))
probabilities <- function(x) exp(x[, 1:3]) / rowSums(exp(x[, 1:3]))

# Calls with one side and another, which are to give the same for y and y[order, ].
calls <- list(
  cka = function(y) cka(x, y, estimator = "stimulus"),
  mutual_knn = function(y) mutual_knn(x, y, k = 3),
  rsa = function(y) rsa(rdm_of(x), rdm_of(y)),
  similarity = function(y) similarity(list(x = x, z = z), list(y = y), c("cka", "rsa"))$score,
  similarity_list = function(y) similarity(list(x = x, y = y, z = z), measure = "rsa")$score,
  models = function(y) similarity(list(m = list(x = x)), list(k = list(y = y, z = z)))$score,
  prepared = function(y) {
    similarity(prepare(list(x = x, y = y, z = z), "rsa"), measure = "rsa")$score
  },
  calibrate = function(y) as.data.frame(calibrate(x, y, "rsa", permutations = 9)),
  blocks = function(y) {
    as.data.frame(calibrate(x, y, permutations = 9, blocks = rep(1:3, each = 4)))
  },
  score_interval = function(y) as.data.frame(score_interval(x, y, clusters = rep(1:6, each = 2))),
  score_weighted = function(y) score_weighted(x, y, weights = 1:12),
  cka_interval = function(y) as.data.frame(cka_interval(x, y)),
  responses = function(y) {
    cka(responses(x_trials, cluster = rep(1:6, 2)), responses(y_trials[rownames(y), , ]))
  },
  noise_ceiling = function(y) as.data.frame(noise_ceiling(x_trials, list(y = y, z = z))),
  subject_ceiling = function(y) subject_ceiling(list(x = x, y = y, z = z)),
  predicted_bias = function(y) as.data.frame(predicted_bias(x, y)),
  plan_recording = function(y) {
    as.data.frame(plan_recording(x, list(y = y, z = z), stimuli = 100, difference = 0.1))
  },
  brain_to_model = function(y) as.data.frame(brain_to_model(x, list(y = y, z = z), repeats = 2)),
  brain_to_brain = function(y) as.data.frame(brain_to_brain(x, y, neurons = 3, repeats = 2)),
  brain_list = function(y) {
    as.data.frame(brain_to_brain(list(x = x, y = y, z = z), neurons = 3, repeats = 2))
  },
  brain_trials = function(y) {
    as.data.frame(brain_to_brain(responses(x_trials, cluster = rep(1:6, 2)),
                                 responses(y_trials[rownames(y), , ]), neurons = 3, repeats = 2))
  },
  trial_to_trial = function(y) {
    as.data.frame(trial_to_trial(list(x[, 1:6], y), neurons = 3, repeats = 2))
  },
  stream_cka = function(y) as.data.frame(stream_cka(list(list(x = x, y = y)))),
  jsd = function(y) jsd(probabilities(x), probabilities(y)),
  searchlight = function(y) {
    searchlight(x, list(a = 1:4, b = 5:8), list(y = rdm_of(y), z = rdm_of(z)))$score
  },
  evaluate_rdms = function(y) {
    as.data.frame(evaluate_rdms(list(a = rdm_of(x), b = rdm_of(z)), list(m = rdm_of(y)),
                                "pearson", resample = "none"))
  },
  weighted_model = function(y) {
    model <- rdm_model(list(y = rdm_of(y), z = rdm_of(z)), "weighted")
    fit_rdm_model(model, rdm_of(x), "pearson")$weights
  },
  pool_rdms = function(y) as.vector(pool_rdms(list(rdm_of(x), rdm_of(y)), "pearson")),
  rdm_rows = function(y) as.data.frame(rdm_rows(x, list(y = y, z = rdm_of(z)))),
  rsa_regression = function(y) {
    as.data.frame(rsa_regression(x ~ y + z, list(x = rdm_of(x), y = y, z = z), permutations = 9))
  },
  as_matrix = function(y) as.matrix(c(rdm(list(x = x), distance = "sqeuclidean"),
                                      rdm(list(y = y), distance = "sqeuclidean"))),
  arithmetic = function(y) as.vector(rdm_of(x) + rdm_of(y))
)

run <- function(call, y) {
  set.seed(1)
  suppressWarnings(call(y))
}

test_that("the same stimuli in another order are brought into one order, with a message", {
  for (name in names(calls)) {
    said <- NULL
    wanted <- suppressMessages(run(calls[[name]], y))
    found <- withCallingHandlers(run(calls[[name]], y[order, ]), message = function(m) {
      if (inherits(m, "repalign_reordered")) said <<- c(said, conditionMessage(m))
      invokeRestart("muffleMessage")
    })
    expect_equal(found, wanted, info = name, tolerance = 1e-10)
    # once a call; those of the model and of its fit are two
    expect_identical(length(said), if (name == "weighted_model") 2L else 1L, info = name)
    expect_match(said, "into the order of `", info = name)
  }
})

test_that("names of other stimuli are an error in all functions", {
  other <- y
  rownames(other)[2] <- "other"
  for (name in setdiff(names(calls), c("responses", "brain_trials"))) {
    error <- tryCatch(suppressMessages(run(calls[[name]], other)), error = identity)
    expect_s3_class(error, "repalign_error")
    expect_match(conditionMessage(error), "name different stimuli", info = name)
  }
})

test_that("where one side has no names, a message says so in all functions", {
  bare <- unname(y)
  for (name in setdiff(names(calls), c("responses", "brain_trials"))) {
    wanted <- suppressMessages(run(calls[[name]], y))
    said <- 0
    found <- withCallingHandlers(run(calls[[name]], bare), message = function(m) {
      said <<- said + inherits(m, "repalign_one_sided_names")
      invokeRestart("muffleMessage")
    })
    expect_equal(found, wanted, info = name, tolerance = 1e-10, ignore_attr = TRUE)
    expect_gte(said, 1)
  }
})

test_that("no names among names in different orders are warned of", {
  bare <- unname(z)
  mixed <- list(x = x, y = y[order, ], z = bare)
  rdms <- lapply(mixed, rdm_of)
  for (call in list(function() similarity(mixed, measure = "rsa"),
                    function() evaluate_models(x, mixed[-1], permutations = 0),
                    function() pool_rdms(rdms, "pearson"))) {
    said <- capture_warnings(suppressMessages(call()))
    expect_identical(sum(grepl("But the others came in different orders: give it names", said)), 1L)
  }
})

test_that("a prepared representation keeps its order", {
  expect_error(similarity(prepare(x, "rsa"), y[order, ], "rsa"), "prepared for other stimuli",
               class = "repalign_error_prepared")
})

test_that("row numbers of data frames that were put into another order are pointed out", {
  set.seed(64)
  x <- as.data.frame(matrix(rnorm(100), 20))
  y <- x[1:4] + rnorm(80) / 9
  o <- sample(20)
  models <- function(x, y) evaluate_models(x, list(m = y), measure = "rv", permutations = 0)
  for (run in list(cka, similarity, score_interval, calibrate, models)) {
    expect_message(suppressWarnings(run(x[o, ], y)), "rows of `(x|data)` are compared by position",
                   class = "repalign_one_sided_names")
  }
  expect_message(rv(unname(as.matrix(x)), y[o, ]), "`y`", class = "repalign_one_sided_names")
  expect_message(rv(x[-1, ], y[-10, ]), "`x` and `y`", class = "repalign_one_sided_names")
  # the remedy
  named <- function(x) as.matrix(x, rownames.force = TRUE)
  expect_message(value <- rv(named(x[o, ]), named(y)), class = "repalign_reordered")
  expect_equal(value, rv(x, y))
  # the same rows on both sides, and parts of a long table
  expect_no_message(rv(x[o, ], y[o, ]))
  expect_no_message(rv(x[1:8, ], x[9:16, 1:3]))
  expect_no_message(rv(x[5:16, ], y[1:12, ]))
  # their own numbers
  expect_no_message(rv(x, tibble::as_tibble(y)))
})
