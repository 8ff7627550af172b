# similarity(): grids, models, several measures, and what it returns.

areas <- function(widths = c(a = 4, b = 7, c = 5), n = 12, seed = 1) {
  set.seed(seed)
  stimuli <- normal_matrix(n, 3)
  lapply(widths, function(q) stimuli %*% normal_matrix(3, q) + 0.5 * normal_matrix(n, q))
}

plain_columns <- c("x", "y", "measure", "score", "n")

test_that("labels name the estimator of CKA always", {
  label_of <- function(...) measure(...)$label
  expect_identical(label_of("cka"), "cka(naive)")
  expect_identical(label_of("cka", kernel = "rbf"), "cka(rbf, naive)")
  expect_identical(label_of("cka", kernel = "rbf", estimator = "naive"), "cka(rbf, naive)")
  expect_identical(label_of("cka", clusters = c(1, 1, 2, 2), estimator = "stimulus"),
                   "cka(stimulus, clusters)")
  expect_identical(label_of("cka", clusters = 1:4, estimator = "stimulus"), "cka(stimulus)")
  expect_identical(label_of("angular_cka"), "angular_cka(naive)")
  expect_identical(label_of("rv"), "rv")
  set.seed(1)
  x <- array(rnorm(12 * 5 * 3), c(12, 5, 3))
  y <- responses(x[, 1:4, ] + rnorm(12 * 4 * 3))
  x <- responses(x)
  set <- list("cka", measure("cka", kernel = "rbf"), "angular_cka", cka = "cka")
  labels <- c("cka(stimulus_neuron_trial)", "cka(rbf, stimulus_trial)",
              "angular_cka(stimulus_neuron_trial)", "cka")
  found <- quietly(similarity(x, y, set))
  expect_identical(found$measure, labels)
  expect_identical(found$score[1], found$score[4])
  expect_identical(quietly(calibrate(x, y, set, permutations = 9))$measure, labels)
  expect_identical(quietly(noise_ceiling(x, measure = set[1:2]))$measure,
                   c("cka(stimulus_neuron)", "cka(rbf, stimulus)"))
  items <- list(a = x, b = y, c = x, d = y)
  bench <- quietly(benchmark_groups(items, c("u", "v", "u", "v"), set[1:2],
                                    model_permutations = 0))
  expect_identical(unique(bench$measure), labels[1:2])
  # an id stands for its one label
  plain <- similarity(x[, , 1], y[, , 1], c("cka", "rv"))
  expect_identical(plain$measure, c("cka(naive)", "rv"))
  expect_identical(score_matrix(plain, "cka"), score_matrix(plain, "cka(naive)"))
  expect_refused(score_matrix(found, "angular"), "angular_cka")
  both <- similarity(x[, , 1], y[, , 1], list("cka", measure("cka", estimator = "stimulus")))
  expect_refused(score_matrix(both, "cka"), "cka.naive.")
  expect_match(in_words(plain)[1], "uncorrected CKA")
  expect_identical(axis_words("cka(naive)", "difference of"), "difference of uncorrected CKA")
})

test_that("two matrices give one row with the documented columns", {
  l <- areas()
  result <- similarity(l$a, l$b)
  expect_s3_class(result, c("repalign_similarity", "repalign_result", "data.frame"), exact = TRUE)
  expect_identical(names(result), plain_columns)
  expect_identical(as.list(as.data.frame(result)), list(x = "x", y = "y", measure = "cka(naive)", score = cka(l$a, l$b), n = 12L))
})

test_that("a list against a list is the whole grid", {
  l <- areas()
  m <- areas(c(p = 3, q = 20), seed = 2)
  result <- similarity(l, m)
  expect_identical(names(result), plain_columns)
  expect_identical(nrow(result), 6L)
  expect_setequal(paste(result$x, result$y), c("a p", "a q", "b p", "b q", "c p", "c q"))
  for (i in 1:6) expect_rounded(result$score[i], cka(l[[result$x[i]]], m[[result$y[i]]]))
  expect_identical(result$n, rep(12L, 6))
})

test_that("a list against a matrix, and a matrix against a list", {
  l <- areas()
  result <- similarity(l, l$b)
  expect_identical(result$x, names(l))
  expect_identical(result$y, rep("y", 3))
  expect_rounded(result$score, vapply(l, function(x) cka(x, l$b), 0, USE.NAMES = FALSE))
  turned <- similarity(l$b, l)
  expect_identical(turned$y, names(l))
  expect_identical(turned$x, rep("x", 3))
  frames <- similarity(lapply(l, as.data.frame), as.data.frame(l$b))
  expect_identical(frames$score, result$score)
})

test_that("all pairs of a list: unordered, different ones, and with themselves on request", {
  l <- areas()
  expect_identical(with(similarity(l), paste(x, y)), c("a b", "a c", "b c"))
  with_self <- similarity(l, diagonal = TRUE)
  expect_setequal(paste(with_self$x, with_self$y), c("a a", "a b", "a c", "b b", "b c", "c c"))
  expect_equal(with_self$score[with_self$x == with_self$y], rep(1, 3), tolerance = 1e-12)
  expect_equal(similarity(l["a"], diagonal = TRUE)$score, cka(l$a, l$a), tolerance = 1e-12)
})

models <- function() {
  l <- areas(c(4, 7, 5, 6, 3))
  list(first = list(l1 = l[[1]], l2 = l[[2]]), second = list(l1 = l[[3]], l2 = l[[4]], l3 = l[[5]]))
}

test_that("models of layers: every layer pair of different models, with their names", {
  m <- models()
  result <- similarity(m)
  expect_setequal(names(result), c(plain_columns, "model_x", "model_y"))
  expect_identical(nrow(result), 6L)
  expect_identical(unique(paste(result$model_x, result$model_y)), "first second")
  for (i in 1:6) {
    expect_rounded(result$score[i], cka(m[[result$model_x[i]]][[result$x[i]]],
                                          m[[result$model_y[i]]][[result$y[i]]]))
  }
  # three models: three pairs of models, no model with itself
  three <- c(m, list(third = m$first["l1"]))
  pairs <- similarity(three)
  expect_identical(nrow(pairs), as.integer(2 * 3 + 2 * 1 + 3 * 1))
  expect_false(any(pairs$model_x == pairs$model_y))
  with_self <- similarity(three, diagonal = TRUE)
  expect_true(all(c("first", "second", "third") %in% with_self$model_x[with_self$model_x == with_self$model_y]))
  grid <- similarity(m, m["second"])
  expect_identical(nrow(grid), 15L)
  expect_identical(unique(grid$model_y), "second")
})

test_that("models against a list of layers", {
  m <- models()
  result <- similarity(m, m$second)
  expect_identical(nrow(result), 15L)
  expect_true(all(c("model_x", "model_y") %in% names(result)))
  expect_rounded(result$score[result$model_x == "first" & result$x == "l2" & result$y == "l3"],
                   cka(m$first$l2, m$second$l3))
})

test_that("several measures at once, with labels that tell them apart", {
  l <- areas()
  corrected <- measure("cka", estimator = "stimulus")
  result <- similarity(l, measure = list("cka", corrected, "rv", measure("cka", kernel = "rbf")))
  expect_identical(unique(result$measure)[1:3], c("cka(naive)", "cka(stimulus)", "rv"))
  expect_identical(length(unique(result$measure)), 4L)
  expect_identical(nrow(result), 12L)
  for (i in which(result$measure == "cka(stimulus)")) {
    expect_rounded(result$score[i], cka(l[[result$x[i]]], l[[result$y[i]]], estimator = "stimulus"))
  }
  expect_identical(similarity(l, measure = c("cka", "rv"))$score,
                   similarity(l, measure = list("cka", measure("rv")))$score)
  expect_identical(unique(similarity(l, measure = corrected)$measure), "cka(stimulus)")
  # defaults that are spelt out are defaults
  expect_identical(measure("cka", estimator = "naive", kernel = "linear")$label, "cka(naive)")
})

test_that("labels are unique, whatever the settings", {
  l <- areas(c(a = 4, b = 4))
  sets <- list(
    list(measure("cka", kernel = "rbf", sigma = 1), measure("cka", kernel = "rbf", sigma = 2)),
    list(measure("cka", estimator = "stimulus_neuron", units_x = 1:4, units_y = 1:4),
         measure("cka", estimator = "stimulus_neuron", units_x = 1:4, units_y = 2:5)),
    list("cka", "cka"), list("cka", measure("cka")),
    list(new_measure(function(x, y) 1), new_measure(function(x, y) 2))
  )
  for (set in sets) {
    result <- few_is_fine(similarity(l, measure = set))
    expect_identical(length(unique(result$measure)), length(set))
    expect_true(all(nzchar(result$measure)))
    # each can be asked for
    for (label in result$measure) {
      expect_identical(score_matrix(result, label)[["a", "b"]], result$score[result$measure == label])
    }
  }
  named <- similarity(l, measure = list(mine = "cka", measure("cka", estimator = "stimulus")))
  expect_identical(named$measure, c("mine", "cka(stimulus)"))
})

test_that("a function of one's own is a measure like others", { undefined_is_fine({
  l <- areas()
  distance <- new_measure(function(x, y) abs(nrow(x) * ncol(x) - ncol(y)), direction = "distance", best = 0,
                          label = "size")
  result <- similarity(l, measure = list("cka", distance))
  expect_identical(unique(result$measure), c("cka(naive)", "size"))
  expect_identical(result$score[result$measure == "size"], abs(12 * c(4, 4, 7) - c(7, 5, 5)))
  # the matrices arrive as they are, also from data frames
  seen <- list()
  spy <- new_measure(function(x, y) {
    seen[[length(seen) + 1]] <<- list(x, y)
    NA
  })
  value <- similarity(as.data.frame(l$a), l$b, spy)$score
  expect_identical(value, NA_real_)
  expect_equal(seen[[1]], list(l$a, l$b), ignore_attr = TRUE)
  expect_true(is.double(seen[[1]][[1]]) && is.matrix(seen[[1]][[1]]))
}) })

test_that("a symmetric measure of a list with itself is called once per unordered pair", {
  l <- areas()
  calls <- 0
  count <- function(symmetric) {
    new_measure(function(x, y) {
      calls <<- calls + 1
      x[1, 1] * y[1, 1]
    }, symmetric = symmetric)
  }
  result <- similarity(l, l, count(TRUE))
  expect_identical(calls, 6)
  expect_identical(nrow(result), 9L)
  grid <- score_matrix(result)
  expect_identical(grid, t(grid))
  calls <- 0
  similarity(l, l, count(FALSE))
  expect_identical(calls, 9)
  calls <- 0
  similarity(l, measure = count(FALSE))
  expect_identical(calls, 3)
  # an equal list is the same list
  calls <- 0
  similarity(l, areas(), count(TRUE))
  expect_identical(calls, 6)
  calls <- 0
  similarity(l, l[3:1], count(TRUE))
  expect_identical(calls, 9)
})

test_that("an asymmetric measure keeps its direction", {
  l <- areas()
  first <- new_measure(function(x, y) ncol(x) - ncol(y), direction = "distance")
  grid <- score_matrix(similarity(l, l, first))
  expect_identical(grid, outer(c(a = 4, b = 7, c = 5), c(a = 4, b = 7, c = 5), "-"))
  half <- score_matrix(similarity(l, measure = first))
  expect_identical(half["a", "b"], -3)
  expect_true(is.na(half["b", "a"]))
})

test_that("every representation is prepared once, whatever the grid and the measures", {
  l <- areas()
  m <- areas(c(p = 3, q = 20), seed = 2)
  set <- list("cka", measure("cka", estimator = "stimulus"), "rv",
              measure("cka", estimator = "stimulus_neuron"))
  expect_identical(count_calls("linear_form", few_is_fine(similarity(l, m, set))), 5L)
  expect_identical(count_calls("linear_form", few_is_fine(similarity(l, measure = set))), 3L)
  expect_identical(count_calls("linear_form", few_is_fine(similarity(l, l, set))), 3L)
  expect_identical(count_calls("linear_form", few_is_fine(similarity(models(), measure = set[[4]]))), 5L)
  # and what both share within a pair once per pair
  expect_identical(count_calls("cross_total", few_is_fine(similarity(l, m, set))), 6L)
})

test_that("a cell of the grid does not depend on the grid", {
  l <- areas(c(a = 4, b = 30, c = 5), n = 12)
  set <- lapply(all_estimators, function(e) measure("cka", estimator = e))
  grid <- few_is_fine(similarity(l, l, c(set, list(measure("cka", kernel = "rbf")))))
  for (i in seq_len(nrow(grid))) {
    alone <- switch(sub("\\)", "", sub("cka\\(", "", grid$measure[i])),
                    `rbf, naive` = list(kernel = "rbf"), list(estimator = sub(".*\\((.*)\\)", "\\1", grid$measure[i])))
    value <- few_is_fine(do.call(cka, c(list(l[[grid$x[i]]], l[[grid$y[i]]]), alone)))
    expect_equal(grid$score[i], value, tolerance = 1e-12)
  }
})

test_that("different settings of units and widths do not share what they must not", {
  l <- areas(c(a = 6, b = 6))
  units <- list(1:6, c(1, 1, 2, 2, 3, 4), c("1", "1", "2", "3", "3", "4"))
  set <- lapply(units, function(u) measure("cka", estimator = "stimulus_neuron", units_x = u, units_y = u))
  set <- c(set, list(measure("cka", estimator = "stimulus_neuron"),
                     measure("cka", kernel = "rbf", sigma = 1), measure("cka", kernel = "rbf", sigma = 2),
                     measure("cka", kernel = "rbf", estimator = "stimulus", sigma = 1),
                     measure("cka", kernel = "rbf", bandwidth = 2)))
  together <- suppressWarnings(similarity(l$a, l$b, set)$score)
  alone <- vapply(set, function(m) suppressWarnings(similarity(l$a, l$b, m)$score), 0)
  expect_identical(together, alone)
  expect_identical(anyDuplicated(together), 0L)
})

undefined_area <- function() cbind(c(1, 5, 2, 8, 3, 9, 4, 7, 1, 2, 3, 3), 2)

test_that("undefined ratios are NA, counted in one warning", {
  l <- c(areas(), list(bad = undefined_area()))
  corrected <- measure("cka", estimator = "stimulus_neuron")
  warnings <- list()
  result <- withCallingHandlers(similarity(l, measure = list("cka", corrected)), warning = function(w) {
    warnings <<- c(warnings, list(w))
    invokeRestart("muffleWarning")
  })
  # one more for those that are defined, but barely
  expect_length(warnings, 2)
  expect_s3_class(warnings[[2]], "repalign_unstable")
  expect_s3_class(warnings[[1]], "repalign_undefined")
  expect_match(conditionMessage(warnings[[1]]), "3 of 12")
  bad <- result$y == "bad" & result$measure != "cka(naive)"
  expect_identical(is.na(result$score), bad)
  expect_false(any(is.nan(result$score)))
  # both triangles of a list against itself count
  warnings <- list()
  withCallingHandlers(similarity(l, l, corrected), warning = function(w) {
    warnings <<- c(warnings, list(w))
    invokeRestart("muffleWarning")
  })
  expect_match(conditionMessage(warnings[[1]]), "7 of 16")
})

test_that("a failing measure stops, or becomes NA with one warning that tells where", {
  l <- areas()
  picky <- new_measure(function(x, y) if (ncol(y) == 5) stop("five columns") else 1, label = "picky")
  error <- expect_refused(similarity(l, measure = list("cka", picky)), c("picky", "a", "c", "five columns"))
  expect_s3_class(error, "error")
  warnings <- list()
  result <- withCallingHandlers(
    similarity(l, measure = list("cka", picky), on_error = "na"), warning = function(w) {
      warnings <<- c(warnings, list(w))
      invokeRestart("muffleWarning")
    }
  )
  expect_length(warnings, 1)
  expect_s3_class(warnings[[1]], "repalign_failed")
  expect_match(conditionMessage(warnings[[1]]), "2 of 6")
  expect_match(conditionMessage(warnings[[1]]), "five columns")
  expect_identical(is.na(result$score), result$measure == "picky" & result$y == "c")
  # the other measures are what they are alone
  expect_identical(result$score[result$measure == "cka(naive)"], similarity(l)$score)
  # a measure of the package that cannot do with one of the sides
  narrow <- c(l, list(one = l$a[, 1, drop = FALSE]))
  corrected <- measure("cka", estimator = "stimulus_neuron")
  expect_refused(similarity(narrow, measure = corrected), "one")
  result <- expect_warned(similarity(narrow, measure = corrected, on_error = "na"), "repalign_failed")
  expect_identical(is.na(result$score), result$y == "one")
})

test_that("a user's measure must return one number", {
  l <- areas(c(a = 3, b = 3))
  for (value in list(NaN, Inf, -Inf, c(1, 2), "1", NULL, list(1), complex(1))) {
    bad <- new_measure(function(x, y) value)
    expect_refused(similarity(l, measure = bad), c("a", "b"))
    result <- expect_warned(similarity(l, measure = bad, on_error = "na"), "repalign_failed")
    expect_identical(result$score, NA_real_)
  }
})

# --- the result

test_that("results stay data frames under subsetting, ordering and binding", {
  l <- areas()
  result <- similarity(l, measure = c("cka", "rv"))
  expect_identical(result[["score"]], result$score)
  expect_identical(nrow(result[result$measure == "rv", ]), 3L)
  ordered <- result[order(result$score), ]
  expect_false(is.unsorted(ordered$score))
  both <- rbind(result[result$measure == "cka(naive)", ], result[result$measure == "rv", ])
  expect_identical(score_matrix(both, "cka"), score_matrix(result, "cka"))
  expect_identical(score_matrix(ordered[ordered$measure == "rv", ])["a", "c"],
                   score_matrix(result, "rv")["a", "c"])
  expect_identical(result[2, "score"], result$score[2])
  expect_identical(names(result[c("x", "score")]), c("x", "score"))
  expect_output(print(result[c("x", "score")]), "score")
  expect_output(print(result[0, ]), "0 scores")
  expect_identical(class(as.data.frame(result)), "data.frame")
  expect_identical(dim(as.matrix(result)), c(6L, 5L))
  merged <- merge(result, data.frame(x = "a", group = 1))
  expect_identical(nrow(merged), 4L)
  result$extra <- 1
  expect_identical(ncol(result), 6L)
})

test_that("score_matrix is the grid, with names, in order of appearance", {
  l <- areas()
  m <- areas(c(q = 3, p = 6), seed = 3)
  grid <- score_matrix(similarity(l, m))
  expect_identical(dimnames(grid), list(names(l), names(m)))
  expect_equal(grid["b", "p"], cka(l$b, m$p), tolerance = 1e-12)
  all <- score_matrix(similarity(l, diagonal = TRUE))
  expect_identical(all, t(all))
  expect_equal(diag(all), c(a = 1, b = 1, c = 1), tolerance = 1e-12)
  expect_equal(all["c", "a"], cka(l$a, l$c), tolerance = 1e-12)
  half <- score_matrix(similarity(l))
  expect_true(all(is.na(diag(half))))
  expect_identical(half["b", "a"], half["a", "b"])
  # rows that are left out are NA
  some <- similarity(l, m)[-2, ]
  expect_identical(sum(is.na(score_matrix(some))), 1L)
  layers <- score_matrix(similarity(models()))
  expect_identical(dimnames(layers), list(c("first/l1", "first/l2"), paste0("second/l", 1:3)))
})

test_that("score_matrix refuses what it cannot answer", {
  l <- areas()
  result <- similarity(l, measure = c("cka", "rv"))
  expect_refused(score_matrix(result), c("cka", "rv"))
  expect_refused(score_matrix(result, "ckaa"), "cka")
  expect_refused(score_matrix(result[0, ]), "no rows")
  expect_refused(score_matrix(data.frame(x = 1)), "similarity")
  expect_refused(score_matrix(diag(2)), "similarity")
  expect_refused(score_matrix(result[c("x", "score")]), "similarity")
})

test_that("summary, tidy and glance tell the scores", {
  l <- c(areas(), list(bad = undefined_area()))
  result <- suppressWarnings(
    similarity(l, measure = list("cka", measure("cka", estimator = "stimulus_neuron")))
  )
  utils::capture.output(printed <- withVisible(print(result)))
  expect_identical(printed, list(value = result, visible = FALSE))
  s <- summary(result)
  expect_identical(s$measure, c("cka(naive)", "cka(stimulus_neuron)"))
  expect_identical(s$undefined, c(0L, 3L))
  score <- result$score[result$measure == "cka(naive)"]
  expect_equal(s$median[1], median(score), tolerance = 1e-12)
  expect_equal(c(s$min[1], s$max[1], s$mean[1]), c(range(score), mean(score)), tolerance = 1e-12)
  tidied <- tidy(result)
  expect_identical(tidied$estimate, result$score)
  expect_identical(tidied$term, result$measure)
  expect_identical(class(tidied), "data.frame")
  look <- glance(result)
  expect_identical(nrow(look), 1L)
  expect_equal(c(look$pairs, look$measures, look$n, look$undefined), c(6, 2, 12, 3))
  # all undefined: NA, no NaN, no warning about it
  none <- suppressWarnings(similarity(l["bad"], l["a"], measure("cka", estimator = "stimulus_neuron")))
  s <- summary(none)
  expect_false(any(vapply(s, function(v) is.numeric(v) && any(is.nan(v)), NA)))
})

test_that("prepared results survive saveRDS", {
  l <- areas()
  result <- similarity(l, measure = list("cka", measure("cka", estimator = "stimulus")))
  file <- withr::local_tempfile()
  saveRDS(list(result, measure("cka", kernel = "rbf")), file)
  back <- readRDS(file)
  expect_identical(back[[1]], result)
  expect_identical(similarity(l, measure = back[[2]])$score,
                   similarity(l, measure = measure("cka", kernel = "rbf"))$score)
})

test_that("similarity can be drawn", {
  skip_if_not_installed("ggplot2")
  l <- areas()
  result <- similarity(l, measure = c("cka", "rv"))
  plot <- ggplot2::autoplot(result)
  expect_s3_class(plot, "ggplot")
  built <- ggplot2::ggplot_build(plot)
  expect_identical(nrow(built$data[[1]]), 6L)
  local_device()
  expect_identical(plot(result), result)
  ggplot2::ggplotGrob(ggplot2::autoplot(similarity(models())))
  expect_refused(ggplot2::autoplot(result[c("x", "score")]), "column")
})

test_that("threads and options are restored, also after errors", {
  l <- areas()
  before <- options()
  similarity(l, threads = 1)
  expect_identical(options(), before)
  expect_error(similarity(l, measure = new_measure(function(x, y) stop("no")), threads = 1))
  expect_identical(options(), before)
})

test_that("who compares two matrices by the naive CKA is told once of the corrected one", {
  withr::local_options(repalign.hints = TRUE)
  again <- function() rm(list = ls(said), envir = said)
  again()
  withr::defer(again())
  set.seed(1)
  pop <- linear_population(60, 30, 10)
  x <- pop$x
  y <- pop$y
  silent <- function(call) expect_no_message(call, class = "repalign_uncorrected")
  # nothing is said where an estimator, another kernel or neurons are named
  silent(cka(x, y, estimator = "naive"))
  silent(cka(x, y, kernel = "rbf"))
  silent(cka(x, x))
  silent(cka(dist(x), dist(y), kernel = "rbf"))
  silent(cka(x[, 1, drop = FALSE], y[, 1, drop = FALSE]))
  silent(quietly(cka(responses(x, neuron = 1:30), y)))
  silent(similarity(x, y))
  silent(rv(x, y))
  silent(cka(matrix(rnorm(2000)), matrix(rnorm(2000))))
  named <- lapply(list(x = x, y = y), `colnames<-`, paste0("unit_", 1:30))
  silent(cka(named$x, named$y))
  # both numbers are those of the functions
  value <- cka(x, y, estimator = "stimulus_neuron")
  seed <- .Random.seed
  said_once <- expect_message(found <- cka(x, y), class = "repalign_uncorrected")
  expect_identical(.Random.seed, seed)
  expect_identical(found, cka(x, y, estimator = "naive"))
  words <- number_words(found, value)
  expect_match(conditionMessage(said_once), paste0("corrections: ", words[1], ", .* corrected: ",
                                                   words[2], " \\(estimator"))
  silent(cka(x, y))
  # few neurons: uncertain, or undefined
  again()
  expect_message(cka(x[1:12, 1:4], y[1:12, 1:4]), "corrected: .*, but these are too few to tell",
                 class = "repalign_uncorrected")
  again()
  expect_message(cka(as.data.frame(x), y), class = "repalign_uncorrected")
  again()
  withr::local_options(repalign.hints = FALSE)
  silent(cka(x, y))
})
