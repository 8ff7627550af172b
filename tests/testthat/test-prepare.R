# prepare(): prepared representations, what they hold, and where they are refused.

zoo_data <- function(n = 30) {
  set.seed(51)
  latent <- normal_matrix(n, 4)
  layer <- function(d) latent %*% normal_matrix(4, d) + normal_matrix(n, d)
  list(brain = layer(6), layers = list(a = layer(5), b = layer(40), c = round(layer(5))))
}

# Parameters that the contract test does not have.
prepared_settings <- list(
  list("cka", kernel = "rbf"), list("cka", kernel = "manifold", k = 6),
  list("cka", estimator = "stimulus"), list("cka", estimator = "stimulus_neuron"),
  list("cka", kernel = "rbf", estimator = "stimulus"), list("rsa", outer = "kendall"),
  list("rsa", inner = "euclidean", outer = "pearson"),
  list("rsa", inner = "sqeuclidean", outer = "cosine"),
  list("distance_correlation", estimator = "unbiased"), list("rsm_difference", norm = "spectral"),
  list("gulp", lambda = 0.1), list("rtd", batch = 10, trials = 2), list("pwcca", weights = "l1"),
  list("cca", summary = "mean_squared"), list("cknna", normalize = FALSE),
  list("procrustes", center = FALSE, scale = FALSE),
  list("uniformity_difference", normalize = TRUE),
  list("cka", estimator = "stimulus_neuron", clusters = rep(1:15, 2)),
  list("rsa", inner = "sqeuclidean", clusters = rep(1:15, 2)),
  list("rank_similarity", clusters = rep(1:15, 2), k = 4),
  list("mutual_knn", ties = "average", k = 3), list("cycle_knn", ties = "average", k = 3)
)

silently <- function(code, seed = 9) {
  set.seed(seed)
  suppressWarnings(suppressMessages(code))
}

test_that("scores and null scores are those of the data for all parameters", {
  z <- zoo_data()
  for (setting in prepared_settings) {
    m <- do.call(measure, setting)
    zoo <- silently(prepare(z$layers, m))
    null <- function(...) calibrate(..., permutations = 3, clusters = m$args$clusters)
    for (f in c(similarity, if (m$declaration$pairing) null)) {
      expect_rounded(silently(f(z$brain, zoo, m)), silently(f(z$brain, z$layers, m)),
                       label = m$label)
      if (length(setting) > 2) next
      expect_rounded(silently(f(zoo, NULL, m)), silently(f(z$layers, NULL, m)), label = m$label)
    }
  }
})

test_that("several measures share one object, and a call may use some of them", {
  z <- zoo_data()
  set <- list("cka", "rsa", measure("mutual_knn", k = 3), measure("mutual_knn", k = 8))
  zoo <- silently(prepare(z$layers, set))
  expect_rounded(silently(similarity(z$brain, zoo, set)),
                   silently(similarity(z$brain, z$layers, set)))
  for (m in set) {
    expect_rounded(silently(similarity(z$brain, zoo, m)),
                     silently(similarity(z$brain, z$layers, m)))
  }
  # another label is the same measure
  expect_identical(silently(similarity(z$brain, zoo, list(other = "rsa")))$measure,
                   rep("other", 3))
  set <- list("cka", "rv", measure("cka", estimator = "stimulus"), "distance_correlation",
              measure("cca", summary = "mean_squared"), "linear_regression", "gulp")
  moments <- function(layers) {
    silently(calibrate(z$brain, layers[c("a", "b")], set, engine = "moments"))
  }
  expect_identical(moments(silently(prepare(z$layers, set))), moments(z$layers))
})

test_that("models, single representations, mixtures and parts of lists are used like data", {
  z <- zoo_data()
  models <- list(m = z$layers[1:2], k = z$layers[2:3])
  made <- silently(prepare(models, "rsa"))
  expect_s3_class(made, "repalign_prepared_list")
  expect_s3_class(made$m$a, "repalign_prepared")
  expect_identical(silently(similarity(made, measure = "rsa")),
                   silently(similarity(models, measure = "rsa")))
  one <- prepare(z$brain, "rsa")
  expect_identical(silently(similarity(one, made, "rsa")),
                   silently(similarity(z$brain, models, "rsa")))
  mixed <- c(unclass(made$m)["a"], z$layers["c"])
  expect_identical(silently(similarity(one, mixed, "rsa")),
                   silently(similarity(z$brain, z$layers[c("a", "c")], "rsa")))
  expect_s3_class(made$m["b"], "repalign_prepared_list")
  expect_identical(names(made$m["b"]), "b")
})

test_that("the data are kept only where they are needed", {
  z <- zoo_data()
  zoo <- prepare(z$layers[1:2], "rsa")
  size <- function(x) as.double(object.size(x))
  expect_lt(size(prepare(normal_matrix(20, 2000), "rsa")), size(normal_matrix(20, 2000)))
  # one value a pair, without the distances that it was made of
  expect_lt(size(prepare(normal_matrix(120, 5), "rsa")), 1.5 * 8 * 120 * 119 / 2)
  expect_s3_class(zoo$a$data, "repalign_absent")
  expect_identical(dim(zoo$b$data), c(30L, 40L))
  expect_true(is.matrix(prepare(z$layers$a, "cka")$data))
  expect_s3_class(prepare(z$layers$b, "cka")$data, "repalign_absent")
  expect_true(is.matrix(silently(prepare(z$layers$c, "mutual_knn"))$data))
  expect_s3_class(silently(prepare(z$layers$a, "mutual_knn"))$data, "repalign_absent")
})

test_that("the search of neighbours is not done again", {
  z <- zoo_data()
  zoo <- silently(prepare(z$layers, "mutual_knn"))
  searches <- function(layers) {
    count_calls("search_rows", silently(similarity(z$brain, layers, "mutual_knn")))
  }
  expect_identical(searches(zoo), 1L)
  expect_identical(searches(z$layers), 4L)
})

test_that("distances, graphs and responses objects can be prepared", {
  z <- zoo_data()
  d <- dist(z$layers$a)
  expect_identical(silently(similarity(z$brain, prepare(d, "rsa"), "rsa")),
                   silently(similarity(z$brain, d, "rsa")))
  graph <- list(idx = t(sapply(1:30, function(i) order(as.matrix(d)[i, ])[2:11])))
  graph$dist <- matrix(as.matrix(d)[cbind(rep(1:30, 10), as.vector(graph$idx))], 30)
  m <- measure("mutual_knn", k = 4)
  expect_identical(silently(similarity(z$brain, silently(prepare(graph, m)), m)),
                   silently(similarity(z$brain, graph, m)))
  set.seed(2)
  trials <- responses(array(rnorm(30 * 5 * 3), c(30, 5, 3)) + as.vector(z$layers$a))
  expect_identical(silently(similarity(z$brain, prepare(trials, "cka"), "cka")),
                   silently(similarity(z$brain, trials, "cka")))
})

test_that("tiles keep prepared forms", {
  z <- zoo_data()
  zoo <- silently(prepare(z$layers, "rsa"))
  whole <- similarity(zoo, measure = "rsa")
  local_internal("how_many_fit", function(...) 2)
  expect_rounded(similarity(zoo, measure = "rsa"), whole)
  expect_identical(silently(calibrate(zoo, measure = "rsa", permutations = 5)),
                   silently(calibrate(z$layers, measure = "rsa", permutations = 5)))
})

test_that("other measures, parameters and stimuli are errors that say what was prepared", {
  z <- zoo_data()
  rownames(z$brain) <- paste0("s", 1:30)
  for (i in 1:3) rownames(z$layers[[i]]) <- rownames(z$brain)
  zoo <- silently(prepare(z$layers, list("rsa", measure("mutual_knn", k = 3))))
  refused <- function(call, pattern) {
    expect_s3_class(expect_refused(call, pattern), "repalign_error_prepared")
  }
  refused(similarity(z$brain, zoo, "cka"), c("`y\\$a`", "\"rsa\" and \"mutual_knn\" with k = 3",
                                             "not for \"cka\""))
  refused(calibrate(z$brain, zoo, measure("rsa", outer = "pearson")), "outer = \"pearson\"")
  refused(similarity(z$brain, zoo, "mutual_knn"), "not for \"mutual_knn\"")
  refused(similarity(z$brain, zoo, new_measure(function(x, y) 1)), "of your own")
  refused(similarity(z$brain[-1, ], zoo, "rsa"), c("for 30 stimuli", "`x` has 29"))
  refused(similarity(z$brain[30:1, ], zoo, "rsa"), c("row 1 is \"s1\"", "\"s30\""))
  refused(calibrate(z$brain, zoo, "rsa", series = TRUE), "`series`")
  refused(calibrate(z$brain, zoo, "rsa", clusters = c(NA, rep(1:29))), "all its 30 stimuli")
  holes <- z$brain
  holes[4, 2] <- NA
  refused(similarity(holes, zoo, "rsa", na = "stimuli"), "no stimulus or neuron can be left out")
  expect_identical(suppressMessages(similarity(holes, zoo, "rsa", na = "neurons")),
                   similarity(holes[, -2], zoo, "rsa"))
  for (f in list(cka, hsic, cka_interval, rsa)) refused(f(z$brain, zoo$a), "needs the data")
  refused(participation_ratio(zoo$a), "needs the data")
  refused(prepare(zoo), "prepared already")
  expect_refused(prepare(z$brain, new_measure(function(x, y) 1)), "of your own")
  expect_refused(prepare(holes), "missing")
  expect_refused(prepare(z$brain, measure("cka", clusters = c(NA, 1:29), estimator = "stimulus")),
                 "leave them out")
  old <- zoo
  old$a$version <- "0.0.1"
  refused(similarity(z$brain, old, "rsa"), c("0.0.1", "prepare it again"))
})

test_that("what does not fit into memory is refused before it is prepared", {
  z <- zoo_data()
  layers <- stats::setNames(rep(z$layers["a"], 12), letters[1:12])
  withr::local_options(repalign.max_memory = 30000)
  expect_refused(prepare(layers, "rsm_difference"), c("Preparing 12 representations", "at a time"))
  expect_s3_class(prepare(z$layers$a, "rsm_difference"), "repalign_prepared")
})

test_that("prepare() leaves the generator of random numbers alone", {
  z <- zoo_data()
  set.seed(3)
  before <- .Random.seed
  suppressWarnings(prepare(z$layers, c("mutual_knn", "rtd")))
  expect_identical(.Random.seed, before)
})

test_that("labels of one side are no obstacle", {
  z <- zoo_data()
  m <- measure("cka", estimator = "stimulus_neuron", units_x = letters[1:6], units_y = letters[5:9])
  expect_identical(silently(similarity(z$brain, silently(prepare(z$layers$a, m)), m)),
                   silently(similarity(z$brain, z$layers$a, m)))
})

test_that("objects print what they are for, and their size", {
  z <- zoo_data()
  # versions of R differ by some bytes
  shown <- function(code) {
    expect_snapshot(code, transform = function(lines) sub("[0-9.]+ Kb", "<size>", lines))
  }
  shown(prepare(z$layers[1:2], list("rsa", measure("mutual_knn", k = 3))))
  shown(prepare(z$brain, "cka"))
  shown(prepare(list(m = z$layers[1:2], k = z$layers[2]), "svcca"))
  shown(prepare(dist(z$brain), "rsa"))
})

test_that("score_interval() and score_weighted() take what was prepared with its data", {
  set.seed(31)
  x <- matrix(rnorm(40 * 6), 40)
  y <- x[, 1:4] + matrix(rnorm(40 * 4), 40)
  weights <- rmultinom(3, 40, rep(1, 40))
  halves <- replicate(3, as.numeric(seq_len(40) %in% sample(40, 20)))
  for (id in plain_measures()$id) {
    made <- prepare(x, id, data = TRUE)
    set.seed(1)
    expected <- quietly(score_interval(x, y, id, draws = 20))
    set.seed(1)
    expect_identical(quietly(score_interval(made, y, id, draws = 20)), expected, info = id)
    expect_identical(quietly(score_weighted(made, y, id, halves)),
                     quietly(score_weighted(x, y, id, halves)), info = id)
  }
  both <- list(a = prepare(x, "rsa", data = TRUE), b = prepare(y, "rsa", data = TRUE))
  expect_equal(score_interval(both, measure = "rsa")$se,
               score_interval(list(a = x, b = y), measure = "rsa")$se)
  expect_equal(score_weighted(both$a, y, "rsa", weights), score_weighted(x, y, "rsa", weights))
  expect_refused(score_interval(prepare(x, "rsa"), y, "rsa"), "prepare\\(, data = TRUE\\)")
  expect_refused(score_interval(both$a, y, "cca"), "was prepared for \"rsa\"")
})

test_that("stimuli of many prepared representations are compared in one pass", {
  counted <- 0
  counting <- repalign:::stimulus_names
  local_internal("stimulus_names", function(x) {
    counted <<- counted + 1
    counting(x)
  })
  reprs <- lapply(1:30, function(i) list(n = 5, data = matrix(0, 5, 1, dimnames = list(1:5, NULL)),
                                         arg = "x", prepared = list()))
  repalign:::with_common_stimuli(reprs, TRUE)
  expect_identical(counted, 30)
  expect_silent(repalign:::with_common_stimuli(reprs, FALSE))
  rownames(reprs[[7]]$data) <- 2:6
  expect_error(repalign:::with_common_stimuli(reprs, TRUE), "other stimuli",
               class = "repalign_error_prepared")
})
