# What may stand for a representation, what is said of the rest, and what a call cannot do without.

pair <- function(n = 20, d = 5, seed = 1) {
  set.seed(seed)
  related_pair(n, d, d, d = 2)
}

test_that("tibbles, data.tables and matrices of Matrix are representations, in lists, too", {
  p <- pair()
  x <- p$x
  colnames(x) <- letters[1:5]
  expected <- similarity(list(a = x, b = p$y), measure = c("cka", "rsa", "mutual_knn"))
  sparse <- function(class) methods::as(Matrix::Matrix(x, sparse = TRUE), class)
  stand_ins <- list(
    tibble = tibble::as_tibble(x), table = data.table::as.data.table(x),
    compressed = sparse("CsparseMatrix"), triplets = sparse("TsparseMatrix"),
    rows = sparse("RsparseMatrix"), dense = Matrix::Matrix(x, sparse = FALSE)
  )
  for (name in names(stand_ins)) {
    given <- similarity(list(a = stand_ins[[name]], b = p$y),
                        measure = c("cka", "rsa", "mutual_knn"))
    expect_identical(given$score, expected$score, label = name)
    expect_identical(cka(p$y, stand_ins[[name]]), cka(p$y, x), label = name)
    expect_identical(participation_ratio(stand_ins[[name]]), participation_ratio(x), label = name)
    run <- function(x) {
      set.seed(2)
      as.data.frame(suppressWarnings(brain_to_brain(list(u = x, v = p$y), neurons = 3, repeats = 2,
                                                    units_x = list(u = 1:5, v = 6:10))))
    }
    expect_identical(run(stand_ins[[name]]), run(x), label = name)
  }
  flags <- Matrix::Matrix(x > 0, sparse = TRUE)
  expect_s4_class(flags, "lgCMatrix")
  expect_identical(cka(flags, p$y), cka((x > 0) + 0, p$y))
  rownames(x) <- paste0("s", 1:20)
  named <- Matrix::Matrix(x, sparse = TRUE)
  expect_equal(suppressMessages(cka(named, x[20:1, ])), 1)
  rownames(x)[3] <- "other"
  expect_refused(cka(named, x[20:1, ]), "\"other\" is in `y` alone")
})

test_that("a sparse matrix is written out only if there is memory for it", {
  wide <- Matrix::sparseMatrix(i = 1:3, j = c(1, 5, 9), x = 1, dims = c(3, 1e9),
                               repr = "T")
  expect_refused(cka(wide, wide), c("`x`", "would take"))
  withr::local_options(repalign.max_memory = 1e4)
  expect_refused(cka(pair()$x, Matrix::sparseMatrix(1:20, 1:20, x = 1, dims = c(20, 1000))),
                 c("`y`", "would take"))
})

test_that("objects that hold something else say how to get at it", {
  if (!methods::isClass("SummarizedExperiment")) {
    methods::setClass("SummarizedExperiment", methods::representation(assays = "list"))
    withr::defer(methods::removeClass("SummarizedExperiment"))
  }
  experiment <- methods::new("SummarizedExperiment")
  x <- pair()$x
  for (f in list(cka, rsa, similarity, calibrate, cka_interval)) {
    error <- expect_refused(f(experiment, x), "`x`")
    expect_match(conditionMessage(error), "t(assay(x))", fixed = TRUE)
  }
  error <- expect_refused(similarity(list(a = x, b = experiment)), "SummarizedExperiment")
  expect_match(conditionMessage(error), "t(assay(x$b))", fixed = TRUE)
  for (f in list(cka, similarity, calibrate)) {
    expect_refused(f(array(x, c(20, 5, 1)), x), c("`x`", "3 dimensions", "responses\\("))
  }
  expect_refused(cka(array(1:20, 20), x), c("`x`", "1 dimension", "cbind"))
})

test_that("what looks transposed says so", {
  p <- pair(20, 5)
  error <- expect_refused(cka(p$x, pair(30, 5)$x), c("20 rows", "30", "5 columns"))
  expect_match(conditionMessage(error), "give t(x) and t(y)", fixed = TRUE)
  expect_refused(similarity(list(a = p$x, b = t(p$y))), c("transposed", "`x\\$b` is 5 x 20"))
  expect_refused(cka(t(p$x), p$y[, 1:4]), c("transposed", "`x` is 5 x 20", "`y` is 20 x 4"))
  expect_refused(similarity(t(p$x), list(a = p$y, b = p$x[, 1:4])),
                 c("`x` has 5 rows, and the others have 20", "transposed", "`y\\$a` is 20 x"))
  # layers of one width, all of them transposed; one shorter layer of a list is not
  turned <- list(a = t(p$x), b = t(p$y[, 1:5]))
  for (run in list(similarity, score_interval, calibrate, evaluate_models, brain_to_model)) {
    expect_refused(run(t(p$x)[1:4, ], turned), "All have 20 columns")
  }
  error <- expect_refused(similarity(list(a = p$x, b = p$x, c = p$x[-1, ])), "c` has 19 rows")
  expect_no_match(conditionMessage(error), "transposed")
  # by names, whatever the sizes
  x <- p$x
  rownames(x) <- paste0("s", 1:20)
  turned <- t(x[20:1, ])
  expect_refused(cka(x, turned[1:3, ]), "`y` looks transposed")
  expect_refused(cka(turned[1:3, ], x), "`x` looks transposed")
  square <- matrix(rnorm(400), 20, dimnames = list(paste0("n", 1:20), rownames(x)))
  expect_refused(cka(x, square), c("name different stimuli", "`y` looks transposed"))
  # and other unequal rows do not
  error <- expect_refused(cka(p$x, p$y[1:18, 1:4]), "match_rows.*give row names to both")
  expect_false(grepl("transposed", conditionMessage(error)))
  expect_refused(cka(x, x[1:18, ][, 1:4]), "both have, by name[.]")
})

test_that("an array whose stimuli are not first is told the aperm() that makes them so", {
  set.seed(1)
  trials <- array(rnorm(20 * 7 * 3), c(20, 7, 3))
  y <- matrix(rnorm(100), 20)
  for (order in list(c(3, 2, 1), c(2, 3, 1), c(2, 1, 3))) {
    array <- aperm(trials, order)
    error <- expect_refused(noise_ceiling(array, y), "looks turned")
    remedies <- regmatches(conditionMessage(error),
                           gregexpr("aperm\\(array, c\\([^)]*\\)\\)", conditionMessage(error)))[[1]]
    expect_true(any(vapply(remedies, function(remedy) {
      identical(eval(parse(text = remedy)), trials)
    }, NA)))
  }
  expect_refused(evaluate_models(array, list(a = y, b = y^2)), "`data` looks turned \\(7 x 20 x 3")
  # by names, where t() is no remedy, and of one trial
  dimnames(trials) <- list(paste0("s", 1:20), NULL, NULL)
  rownames(y) <- rownames(trials)
  turned <- aperm(trials, c(2, 1, 3))
  for (run in list(function() evaluate_models(turned, list(y = y)),
                   function() cka(responses(turned), y), function() cka(y, responses(turned)),
                   function() encode(list(y = y), list(b = responses(turned))))) {
    expect_refused(run(), "looks turned.*give aperm\\(array, c\\(2, 1, 3")
  }
  expect_refused(cka(responses(turned[, , 1]), y),
                 "give aperm\\(as.array\\(x\\), c\\(2, 1, 3\\)\\)")
})

test_that("what shares row names looks neither turned nor transposed, whatever its sizes", {
  set.seed(1)
  a <- array(rnorm(12 * 12 * 6), c(12, 12, 6), list(letters[1:12], NULL, NULL))
  for (n in 5:6) for (run in list(cka, brain_to_brain, noise_ceiling)) {
    expect_refused(run(responses(a), responses(a[1:n, , ])), "both have, by name[.]$")
  }
  part <- a[1:6, , 1]
  expect_refused(evaluate_models(part, list(a = a[, , 1], b = a[, , 2])), "all have, by name[.]$")
})

test_that("a table of trials with a column too many is told which arguments take columns", {
  table <- data.frame(image = rep(c("a", "b"), 4), who = "s1", n1 = 1:8 / 3, n2 = sin(1:8))
  expect_refused(rdm(table, condition = "image", distance = "sqeuclidean"),
                 c("\"who\"", "in `run` and `subject`"))
})

test_that("labels of categories in the place of data are told what takes them", {
  x <- matrix(rnorm(60), 12)
  labels <- rep(letters[1:4], 3)
  for (given in list(labels, factor(labels))) {
    error <- expect_refused(calibrate(x, list(given = given)), "evaluate_models\\(\\) takes")
    remedy <- sub(".*; (.*) is a matrix of them[.]$", "\\1", conditionMessage(error))
    y <- list(given = given)
    expect_length(cka(x, eval(parse(text = remedy))), 1)
    expect_refused(cka(x, given), "evaluate_models\\(\\) takes")
  }
  files <- c("a.npy", "b.npy")
  for (run in list(function() cka(x, files), function() calibrate(x, list(given = files)))) {
    error <- expect_refused(run(), "read_representation\\(\\) reads the data of files, several")
    expect_no_match(conditionMessage(error), "factor")
  }
})

test_that("row names on some sides only are pointed out once a call", {
  p <- pair()
  x <- p$x
  rownames(x) <- paste0("s", 1:20)
  notes <- function(code) {
    count <- 0
    withCallingHandlers(code, repalign_one_sided_names = function(m) {
      count <<- count + 1
      invokeRestart("muffleMessage")
    })
    count
  }
  l <- list(a = x, b = p$y, c = p$x)
  expect_message(cka(x, p$y), "`y` has no row names", fixed = TRUE)
  calls <- list(
    function(x) cka(x, p$y), function(x) cka(p$y, x), function(x) hsic(x, p$y),
    function(x) cka_interval(x, p$y), function(x) predicted_bias(x, p$y),
    function(x) similarity(list(a = x, b = p$y, c = p$x), measure = c("cka", "rsa")),
    function(x) calibrate(list(a = x, b = p$y, c = p$x), permutations = 19),
    function(x) rsa(stats::dist(x), p$y),
    function(x) suppressWarnings(brain_to_brain(x, p$y, neurons = 3, repeats = 2)),
    function(x) {
      suppressWarnings(brain_to_brain(list(a = x, b = p$y, c = p$x), neurons = 3, repeats = 2))
    },
    function(x) {
      suppressWarnings(brain_to_model(x, list(l = p$y, m = p$x), neurons = 3, repeats = 2))
    },
    function(x) suppressWarnings(trial_to_trial(list(x, p$y, p$x), neurons = 3, repeats = 2)),
    function(x) disagreement(x, p$y)
  )
  for (call in calls) {
    expect_identical(few_is_fine(notes(call(x))), 1)
    expect_identical(few_is_fine(notes(call(p$x))), 0)
  }
  named <- p$y
  rownames(named) <- rownames(x)
  expect_identical(notes(cka(x, named)), 0)
  # no matter where the pairing of rows does not matter
  expect_identical(notes(imd(x, p$y)), 0)
  square <- matrix(rnorm(400), 20, dimnames = list(NULL, rownames(x)))
  expect_message(cka(x, square), "transposed")
})

test_that("labels without an effect are pointed out", {
  p <- pair()
  labels <- function(code, pattern) {
    expect_message(code, pattern, class = "repalign_unused_units")
  }
  labels(cka(p$x, p$y, units_x = 1:5, units_y = 1:5), "`units_x` and `units_y` have no effect")
  labels(cka(p$x, p$y, estimator = "stimulus", shared_neurons = TRUE), "`shared_neurons` has")
  labels(measure("cka", shared_neurons = TRUE), "\"naive\"")
  labels(hsic(p$x, p$y, units_x = 1:5, units_y = 1:5), "stimulus_neuron")
  run <- function(f, ...) f(..., neurons = 3, repeats = 2, estimator = c("naive", "stimulus"))
  labels(run(brain_to_brain, p$x, p$y, units_x = 1:5, units_y = 1:5), "\"naive\" and \"stimulus\"")
  labels(run(brain_to_model, p$x, list(l = p$y), units = 1:5), "`units` has no effect")
  labels(run(trial_to_trial, list(p$x, p$y), units = 1:5), "`units` has no effect")
  expect_no_message(few_is_fine(cka(p$x, p$y, "linear", "stimulus_neuron", units_x = 1:5,
                                    units_y = 6:10)), class = "repalign_unused_units")
  expect_no_message(cka(p$x, p$y, "linear", "stimulus"), class = "repalign_unused_units")
})

test_that("words of the field and of other software get a suggestion", {
  x <- pair()$x
  ids <- c(linear_cka = "cka", "debiased-CKA" = "cka", HSIC = "cka", rdm = "rsa", rsm = "rsa",
           pearson = "rsa", mknn = "mutual_knn", "mutual nn" = "mutual_knn", cknn = "cknna",
           dcor = "distance_correlation", linreg = "linear_regression", RV_coefficient = "rv",
           jaccard_knn = "knn_jaccard", "sv-cca" = "svcca",
           wasserstein_matching = "soft_matching",
           shape_metric = "angular_shape", procustes = "procrustes")
  for (word in names(ids)) {
    expect_refused(similarity(x, x, word), c(word, paste0("\"", ids[[word]], "\"")))
  }
  options <- list(
    list("cka", estimator = "debiased", says = "stimulus"),
    list("cka", estimator = "unbiased", says = "stimulus"),
    list("cka", estimator = "both", says = "stimulus_neuron"),
    list("cka", kernel = "gaussian", says = "rbf"),
    list("distance_correlation", estimator = "debiased", says = "unbiased"),
    list("rsa", inner = "pearson", says = "correlation"),
    list("rsa", outer = "rank", says = "spearman"),
    list("mutual_knn", metric = "l2", says = "euclidean"),
    list("mutual_knn", n_neighbors = 5, says = "k"), list("cka", bw = 1, says = "bandwidth")
  )
  for (option in options) {
    says <- paste0("did you mean \"", option$says, "\"")
    option$says <- NULL
    expect_refused(do.call(measure, option), says)
  }
  # every synonym leads to something that exists
  choices <- repalign:::synonyms
  expect_false(anyDuplicated(names(choices)) > 0)
  known <- measures()$id
  for (id in intersect(names(choices), known)) {
    for (word in setdiff(choices[[id]], known)) {
      expect_true(id %in% repalign:::synonyms_of(word, known), label = word)
    }
  }
  # a word of nothing near gets none
  error <- expect_refused(measure("cka", estimator = "zzzzzz"), "Choices")
  expect_false(grepl("did you mean", conditionMessage(error)))
})

test_that("match_rows() aligns lists, and models of layers", {
  x <- pair()$x
  rownames(x) <- paste0("s", 1:20)
  l <- list(a = x, b = x[12:3, 1:2], c = as.data.frame(x[5:20, ]))
  common <- paste0("s", 5:12)
  expect_message(matched <- match_rows(l), fixed = TRUE,
                 "8 rows in common; left out: 12 of `x$a`, 2 of `x$b`, 8 of `x$c` (\"s1\", ")
  expect_identical(matched$a, x[common, ])
  expect_identical(matched$b, x[common, 1:2])
  expect_equal(unname(matched$c), unname(x[common, ]))
  expect_identical(names(matched), names(l))
  both <- suppressMessages(match_rows(x[20:4, ], l))
  expect_identical(names(both), c("x", "y"))
  expect_identical(both$x, x[rev(common), ])
  expect_identical(both$y$b, x[rev(common), 1:2])
  models <- suppressMessages(match_rows(list(m = l, k = list(d = x[7:10, ]))))
  expect_identical(models$m$b, x[7:10, 1:2])
  expect_identical(models$k$d, x[7:10, ])
  expect_refused(match_rows(unname(l)), c("`x`", "no name"))
  expect_refused(match_rows(x), "`y`")
  expect_refused(match_rows(list()), c("`x`", "empty"))
  expect_refused(match_rows(x, list(a = x, b = unname(x))), c("`y\\$b`", "no row names"))
  expect_refused(match_rows(list(a = x, b = 1:3)), "`x\\$b`")
  expect_refused(match_rows(list(a = x[1:3, ], b = x[3:5, ], c = x[4:9, ])),
                 c("`x\\$c`", "no row name in common"))
})

# All arguments without a default are there but one.
test_that("a required argument that is missing is named, by every exported function", {
  required <- function(f) {
    names(formals(f))[vapply(formals(f), identical, NA, quote(expr = ))]
  }
  for (name in getNamespaceExports("repalign")) {
    f <- getExportedValue("repalign", name)
    if (!is.function(f) || !identical(environment(f), asNamespace("repalign"))) next
    arguments <- setdiff(required(f), "...")
    if (!length(arguments)) next
    error <- expect_refused(do.call(f, list()), NULL)
    expect_match(conditionMessage(error), arguments[1], fixed = TRUE, label = name)
  }
  x <- pair()$x
  expect_refused(object_disentanglement(x), "`object` is missing: object_disentanglement\\(\\)")
  expect_refused(brain_to_model(x), "`layers` is missing")
  expect_refused(trial_array(data.frame(a = 1), "a", "a"), "`value` is missing")
  expect_refused(repalign::simulate_pair(10), "`d` is missing")
  expect_refused(accuracy_difference(x, x), "`labels`")
  # also where it is missing in the function that calls
  passed_on <- function(x, y) similarity(x, y)
  expect_refused(passed_on(), "`x` is missing")
})

test_that("parameters of measures that are no numbers or words are refused by name", {
  odd <- list(fun = function(x) x, list = list(1, 2), null = NULL, na = NA, word = "a",
              none = character(), empty = numeric(), formula = y ~ x, name = quote(x),
              call = quote(f(x)), environment = new.env(), complex = 1i, raw = as.raw(1),
              date = Sys.Date(), factor = factor("a"), matrix = matrix(1:4, 2), nan = NaN,
              infinite = Inf, frame = data.frame(a = 1:2), large = 1e300, half = 0.5, zero = 0)
  for (id in measures()$id) {
    for (parameter in names(formals(get(id)))[-(1:2)]) {
      for (kind in names(odd)) {
        result <- tryCatch(
          suppressMessages(suppressWarnings(
            do.call(measure, c(list(id), stats::setNames(odd[kind], parameter)), quote = TRUE)
          )), error = identity)
        what <- paste(id, parameter, kind)
        if (inherits(result, "repalign_measure")) {
          note(any(grepl("measure", utils::capture.output(print(result)))), what, ": printed")
        } else {
          note(inherits(result, "repalign_error"), what, ": ", class(result)[1])
        }
      }
    }
  }
  expect_nothing_noted()
  expect_refused(measure("gulp", lambda = function(x) x), "`lambda`")
})

test_that("one-dimensional arrays stand for numbers and labels", {
  p <- pair()
  one <- function(value) array(value, length(value))
  same <- function(a, b) expect_identical(a, b)
  same(cka(p$x, p$y, "rbf", sigma = one(2)), cka(p$x, p$y, "rbf", sigma = 2))
  same(cka(p$x, p$y, "rbf", bandwidth = one(2)), cka(p$x, p$y, "rbf", bandwidth = 2))
  same(gulp(p$x, p$y, lambda = one(1)), gulp(p$x, p$y, lambda = 1))
  same(uniformity_difference(p$x, p$y, t = one(3)), uniformity_difference(p$x, p$y, t = 3))
  same(svcca(p$x, p$y, variance = one(0.9)), svcca(p$x, p$y, variance = 0.9))
  seeded <- function(f, ...) {
    set.seed(3)
    f(...)
  }
  same(seeded(simulate_pair, 10, 3, spread = one(2), groups = 2, autocorrelation = one(0.5)),
       seeded(simulate_pair, 10, 3, spread = 2, groups = 2, autocorrelation = 0.5))
  same(seeded(simulate_models, 10, 3, scatter = one(0.5), noise = one(2), global = one(1)),
       seeded(simulate_models, 10, 3, scatter = 0.5, noise = 2, global = 1))
  same(seeded(linear_population, 10, one(3), 3, "power", power = one(2)),
       seeded(linear_population, 10, 3, 3, "power", power = 2))
  same(seeded(calibrate, p$x, p$y, alpha = one(0.1), blocks = table(1:20) * 0 + 1),
       seeded(calibrate, p$x, p$y, alpha = 0.1, blocks = rep(1, 20)))
  few_is_fine(same(cka_interval(p$x, p$y, conf_level = one(0.9)),
                   cka_interval(p$x, p$y, conf_level = 0.9)))
  units <- c(1, 1, 2, 2, 3)
  labels <- function(wrap) {
    few_is_fine(list(
      cka(p$x, p$y, "linear", "stimulus_neuron", units_x = wrap(units), units_y = wrap(units)),
      hsic(p$x, p$y, "linear", "stimulus_neuron", units_x = wrap(units), units_y = wrap(units)),
      seeded(calibrate, p$x, p$y, permutations = 99,
             measure("cka", estimator = "stimulus_neuron", units_x = wrap(units),
                     units_y = wrap(units)))$p_value,
      cka_interval(p$x, p$y, units_x = wrap(units), units_y = wrap(units)),
      as.data.frame(seeded(brain_to_brain, p$x, p$y, neurons = c(3, 5), repeats = 2,
                           units_x = wrap(units), units_y = wrap(units), conf_level = 0.9))
    ))
  }
  sizes <- function(neurons) {
    suppressWarnings(as.data.frame(seeded(brain_to_brain, p$x, p$y, neurons = neurons,
                                          repeats = 2)))
  }
  same(sizes(one(c(3, 5))), sizes(c(3, 5)))
  same(undefined_is_fine(labels(one)), undefined_is_fine(labels(identity)))
  same(undefined_is_fine(labels(factor)), undefined_is_fine(labels(identity)))
})

test_that("damaged distances are refused by name", {
  d <- stats::dist(pair()$x)
  damage <- function(name, value) {
    attr(d, name) <- value
    d
  }
  for (size in list(NA, NA_integer_, c(20L, 20L), 19L, NULL, "20", Inf, -1, 20.5, list(20))) {
    error <- expect_refused(rsa(damage("Size", size), d), c("`x`", "damaged"))
    expect_refused(similarity(list(a = d, b = damage("Size", size)), measure = "rsa"), "`x\\$b`")
  }
  expect_refused(rsa(d, damage("Labels", letters[1:5])), c("`y`", "5 labels"))
})

test_that("more repeats than there is memory for are refused", {
  p <- pair()
  most <- .Machine$integer.max
  expect_refused(brain_to_brain(p$x, neurons = 2, repeats = most), "`repeats`")
  expect_refused(brain_to_brain(p$x, p$y, neurons = 2, repeats = most), "`repeats`")
  expect_refused(brain_to_model(p$x, list(l = p$y), neurons = 2, repeats = most), "`repeats`")
  expect_refused(trial_to_trial(list(p$x, p$y), neurons = 2, repeats = most), "`repeats`")
  expect_refused(object_disentanglement(p$x, rep(1:2, 10), neurons = 4, repeats = most),
                 "`repeats`")
  expect_refused(brain_to_brain(p$x, repeats = most + 1), c("`repeats`", "at most"))
})

test_that("a square matrix of distances is pointed out, and other objects name a remedy", {
  p <- pair()
  expect_warned(cka(as.matrix(stats::dist(p$x)), p$y), "repalign_distance_matrix")
  other <- unname(p$y)
  n <- nrow(other)
  similar <- stats::cor(t(other))
  typo <- as.matrix(stats::dist(other))
  typo[3, 2] <- 9
  uses <- list(
    function(x) rsa(x, other), function(x) similarity(list(m = x), list(y = other), "rsa"),
    function(x) rdm_rows(other, x), function(x) rsa_regression(b ~ a, list(b = other, a = x)),
    function(x) searchlight(other, list(1:3), list(m = x), "rsa")
  )
  for (use in uses) {
    expect_warning(suppressMessages(use(similar)), "with ones on the diagonal.*as.dist\\(1 - ",
                   class = "repalign_distance_matrix")
    expect_warning(suppressMessages(use(typo)), "nowhere else, but not symmetric.*correct it",
                   class = "repalign_distance_matrix")
  }
  # a code of stimuli, and responses of 0
  expect_no_warning(cka(diag(n), other))
  expect_no_warning(cka(replace(typo, cbind(5, 1), 0), other))
  stamps <- methods::setClass("Stamps", methods::representation(at = "numeric"))
  withr::defer(methods::removeClass("Stamps"))
  expect_refused(cka(stamps(at = 1:3), p$y), c("`x`", "as.matrix"))
})

test_that("choices, labels and columns that come twice are refused by name", {
  p <- pair()
  expect_refused(brain_to_brain(p$x, p$y, neurons = 4, repeats = 2,
                                estimator = c("naive", "naive")),
                 c("`estimator`", "\"naive\" twice"))
  result <- similarity(p$x, p$y, c("cka", "rv"))
  expect_refused(score_matrix(result, c("cka", "rv")), c("`measure`", "\"cka\\(naive\\)\"", "\"rv\""))
  expect_refused(similarity(p$x, p$y, "debiased"), "estimator = \"stimulus\"")
})

# ---- means of columns

test_that("one pass gives means to the rounding of the entries, and tells what is not finite", {
  stats <- function(...) .Call(repalign:::C_column_stats, cbind(...))
  set.seed(7)
  v <- rnorm(101)
  found <- stats(v, v + 1e9, c(1e9, v[-1]), 3, v - mean(v), 1e308 * rep_len(c(1, 1, 0.5), 101))
  expect_equal(found$means[1], mean(v), tolerance = 1e-14)
  # differences from a huge first entry have its rounding
  expect_equal(found$means[3], mean(c(1e9, v[-1])), tolerance = 1e-13)
  expect_lt(abs(found$means[2] - 1e9 - mean(v)), 2e-7)
  expect_identical(found$means[4], 3)
  expect_lt(abs(found$means[5]), 1e-15)
  expect_equal(found$means[6] / 1e308, mean(rep_len(c(1, 1, 0.5), 101)), tolerance = 1e-15)
  expect_true(found$finite)
  expect_identical(stats(c(-1.5e308, 1.5e308))$means, 0)
  for (bad in c(NA, NaN, Inf, -Inf)) {
    for (at in c(1, 2, 60, 101)) expect_false(stats(1, replace(v, at, bad), 2)$finite)
  }
  expect_false(stats(rep(Inf, 3))$finite)
})
