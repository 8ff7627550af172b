# Workers: the same results as here, but for rounding, with the same words.

# inputs are tiny: threads would only wait for each other
withr::local_options(repalign.threads = 1)

test_that("one and two workers give what none gives", {
  skip_unless_extended()
  expect_same_on <- function(workers, counts, names) {
    m <- some_models(counts = counts)
    there <- with_workers(workers, lapply(c(grids, nulls)[names], function(f) seeded(function() f(m))))
    for (name in names) {
      expect_rounded(there[[name]], untiled(name, counts), label = paste(name, workers, counts))
    }
  }
  # with ties and without; one worker differs from two only in how tiles are cut
  expect_same_on(2, FALSE, c(names(grids), names(nulls)))
  expect_same_on(2, TRUE, c(names(grids)[c(1, 5)], "coset", "self", "aggregate", "direct", "blocks"))
  expect_same_on(1, TRUE, c(names(grids)[1], "coset", "aggregate", "direct"))
  m <- some_models(counts = TRUE)
  there <- with_workers(2, seeded(function() grids[[3]](m, threads = 2)))
  expect_rounded(there, untiled(names(grids)[3], TRUE))
})

test_that("recordings are evaluated as without workers, to the last bit", {
  skip_unless_extended()
  set.seed(3)
  trials <- array(rnorm(20 * 6 * 3), c(20, 6, 3)) + c(signal <- matrix(rnorm(120), 20))
  models <- list(a = signal[, 1:4], b = matrix(rnorm(80), 20), c = signal + rnorm(120))
  run <- function() {
    seeded(function() quietly(list(
      evaluate_models(responses(trials), models), evaluate_models(trials[, , 1], models),
      evaluate_models(list(p = responses(trials), q = signal), models, measure = "procrustes")
    )))
  }
  expect_identical(with_workers(2, run()), run())
})

test_that("workers run, with one thread each unless told otherwise", {
  m <- some_models()
  probe <- new_measure(function(x, y) Sys.getpid(), direction = "similarity")
  threads <- new_measure(function(x, y) getOption("repalign.threads"), direction = "similarity")
  with_workers(2, {
    result <- similarity(m[1:2], m[3], list(pid = probe, threads = threads))
    pids <- unique(result$score[result$measure == "pid"])
    expect_length(setdiff(pids, Sys.getpid()), 2)
    expect_true(all(result$score[result$measure == "threads"] == 1))
    two <- similarity(m[1:2], m[3], list(threads = threads), threads = 2)
    expect_true(all(two$score == thread_count(2)))
  })
})

test_that("functions of the user's find their variables on workers", {
  factor_of_mine <- 3
  helper_of_mine <- function(x) factor_of_mine * sum(x[, 1])
  own <- new_measure(function(x, y) helper_of_mine(x) - median(y[, 1]), direction = "similarity")
  m <- some_models()
  here <- similarity(m[1:2], m[3], own)
  expect_identical(with_workers(2, similarity(m[1:2], m[3], own)), here)
  # from the global environment, too, which does not travel
  assign("factor_of_mine", 4, envir = globalenv())
  withr::defer(rm(list = "factor_of_mine", envir = globalenv()))
  global <- function(x, y) factor_of_mine * sum(x[, 1])
  environment(global) <- globalenv()
  own <- new_measure(global, direction = "similarity")
  here <- similarity(m[1:2], m[3], own)
  expect_identical(with_workers(2, similarity(m[1:2], m[3], own)), here)
})

test_that("errors are those of a pair that fails, with their classes", {
  m <- some_models()
  m$two$b[, ] <- 1
  m$three$c[, ] <- 2
  failed <- function(call) tryCatch(call(), error = identity)
  calls <- list(function() similarity(m), function() similarity(m[1:2], m[3], c("rv", "cca")),
                function() calibrate(m[1:2], m[3], "cka", 9))
  na <- function() heard(similarity(m, measure = c("cka", "rv"), on_error = "na"))
  here <- lapply(calls, failed)
  na_here <- na()
  expect_true(anyNA(na_here$value$score))
  expect_rounded(with_room_for(3, na()), na_here)
  local_workers(2, own = TRUE)
  for (i in seq_along(calls)) {
    expect_s3_class(here[[i]], "repalign_error_variance")
    there <- failed(calls[[i]])
    expect_identical(class(there), class(here[[i]]))
    expect_match(conditionMessage(there), "^(cka\\(naive\\)|rv|cca) of .* and .*: .* has no variance")
  }
  expect_rounded(na(), na_here)
})

test_that("a user's function that fails or warns under some permutations is told of", {
  m <- some_models()
  failing <- new_measure(function(x, y) {
    r <- cor(x[, 1], y[, 1])
    if (r < -0.45) stop("r = ", signif(r, 3))
    r
  }, label = "failing")
  warning <- new_measure(function(x, y) {
    r <- cor(x[, 1], y[, 1])
    if (r < -0.25) warning("r = ", signif(r, 3))
    r
  }, label = "warning")
  failed <- function() {
    set.seed(2)
    conditionMessage(tryCatch(calibrate(m, measure = failing, permutations = 30), error = identity))
  }
  expect_match(failed(), "^failing of .*/.* and .*/.*: r = .*permuted")
  expect_match(with_workers(2, failed(), own = TRUE),
               "^failing of .*/.* and .*/.*: r = .*permuted")
  warned <- function() {
    set.seed(2)
    heard(calibrate(m, measure = warning, permutations = 30))
  }
  here <- warned()
  pattern <- "warning, with the rows of `y` permuted: r = .*And [0-9]+ more"
  expect_match(here$text[length(here$text)], pattern)
  for (there in list(with_room_for(3, warned()), with_workers(2, warned()))) {
    expect_identical(there$value, here$value)
    expect_identical(there$classes, here$classes)
    expect_match(there$text[length(there$text)], pattern)
    # as many of them
    expect_identical(sub(".*(And [0-9]+ more).*", "\\1", there$text),
                     sub(".*(And [0-9]+ more).*", "\\1", here$text))
  }
})

test_that("warnings and notes are given once, however many tiles", {
  m <- some_models(counts = TRUE)
  note <- list(a = measure("cka", estimator = "stimulus_neuron"))
  named <- lapply(m, lapply, function(x) {
    colnames(x) <- paste0("u", seq_len(ncol(x)))
    x
  })
  call <- function() {
    set.seed(1)
    heard(suppressWarnings(similarity(named, measure = c(note, "mutual_knn")), "repalign_undefined"))
  }
  here <- call()
  expect_gt(length(here$text), 0)
  expect_identical(with_room_for(3, call())$text, here$text)
  expect_identical(with_workers(2, call())$text, here$text)
})

test_that("subsets of the stimuli are worked off by workers, with the same results", {
  skip_unless_extended()
  m <- some_models(counts = TRUE)
  calls <- list(
    function() score_interval(m$one, m$two, list("mutual_knn", measure("knn_jaccard", k = 4), "cka"),
                              method = "half-samples", draws = 21),
    function() score_interval(m$one, measure = measure("lcs_knn", k = 4), draws = 21),
    function() score_interval(m$one$a, m$one$b, "gulp", method = "jackknife"),
    function() score_weighted(m$one$a, m$one$b, "gulp", matrix(rep(0:1, 60), 40))
  )
  here <- lapply(calls, seeded)
  there <- with_workers(2, lapply(calls, seeded))
  for (at in seq_along(calls)) expect_identical(there[[at]], here[[at]])
  pids <- new_measure(function(x, y) Sys.getpid(), "similarity")
  found <- with_workers(2, score_weighted(m$one$a, m$one$b, pids, matrix(rep(0:1, 60), 40)))
  expect_length(unique(found), 2)
  expect_false(Sys.getpid() %in% found)
})
