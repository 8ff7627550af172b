# Tiles, here and on workers: the same results, bit for bit, with the same words.

# Three models of two to four layers. counts: data with many ties among neighbours.
some_models <- function(n = 40, counts = FALSE, seed = 1) {
  set.seed(seed)
  # no zero and no constant rows, but many equal ones
  counted <- function(q) cbind(1, 2, matrix(sample(0:2, n * (q - 2), TRUE), n))
  layer <- function(q) if (counts) counted(q) else normal_matrix(n, q)
  list(one = list(a = layer(5), b = layer(9)), two = list(a = layer(7), b = layer(4), c = layer(12)),
       three = list(a = layer(6), b = layer(8), c = layer(5), d = layer(10)))
}

# The value of `code`, and what it said.
heard <- function(code) {
  said <- list()
  value <- withCallingHandlers(code, repalign_condition = identity, condition = function(c) {
    if (inherits(c, c("repalign_warning", "repalign_message"))) {
      said[[length(said) + 1]] <<- c
      invokeRestart(if (inherits(c, "warning")) "muffleWarning" else "muffleMessage")
    }
  })
  list(value = value, classes = lapply(said, class), text = vapply(said, conditionMessage, ""))
}

# The same call with nothing set, in tiles for lack of memory, and with what `set` sets.
seeded <- function(call, seed = 5) {
  set.seed(seed)
  out <- heard(call())
  out$state <- .Random.seed
  out
}

# As if only `most` representations fitted into memory.
with_room_for <- function(most, code) {
  namespace <- asNamespace("repalign")
  replace <- function(value) {
    unlockBinding("how_many_fit", namespace)
    assign("how_many_fit", value, envir = namespace)
    lockBinding("how_many_fit", namespace)
  }
  original <- get("how_many_fit", envir = namespace)
  replace(function(...) most)
  on.exit(replace(original))
  force(code)
}

with_workers <- function(workers, code) {
  skip_if_not_installed("future.apply")
  installed <- suppressWarnings(system.file(package = "repalign", lib.loc = .libPaths()))
  if (installed == "") skip("workers do not find the package")
  old <- future::plan(future::multisession, workers = workers)
  on.exit(future::plan(old))
  force(code)
}

all_kinds <- list("cka", "rsa", measure("cka", kernel = "rbf", estimator = "stimulus"), "mutual_knn",
                  measure("mka", k = 7), measure("rtd", batch = 15, trials = 2), "procrustes", "cca")

grids <- list(
  "models with themselves" = function(m, ...) similarity(m, measure = all_kinds, ...),
  "models with their own layers" = function(m, ...) similarity(m, measure = all_kinds, diagonal = TRUE, ...),
  "two lists of models" = function(m, ...) similarity(m[1:2], m[3], all_kinds, ...),
  "layers" = function(m, ...) similarity(m$three, m$two, all_kinds, ...),
  "a list with itself" = function(m, ...) similarity(m$three, m$three, all_kinds, ...)
)

test_that("tiles cover every pair once and are as small as asked for", {
  skip_on_cran()
  set.seed(1)
  reps <- lapply(1:11, function(i) normal_matrix(5, 2))
  names(reps) <- letters[1:11]
  shapes <- list(as_sides(reps[1:7], reps[5:11]), as_sides(reps, NULL), as_sides(reps, reps),
                 as_sides(reps[1], reps))
  for (sides in shapes) {
    pairs <- list_pairs(sides, FALSE)
    expect_null(cut_into_tiles(pairs, sides, Inf))
    for (most in c(2, 3, 5, 10)) {
      rows <- cut_into_tiles(pairs, sides, most)
      expect_identical(sort(unlist(rows)), seq_len(nrow(pairs)))
      for (tile in lapply(rows, make_tile, pairs, sides)) {
        expect_lte(length(tile$x$reprs) + length(tile$y$reprs), most)
        here <- tile_sides(tile)
        expect_identical(vapply(here$x$reprs[tile$pairs$i], function(r) r$name, ""),
                         vapply(sides$x$reprs[pairs$i[tile$rows]], function(r) r$name, ""))
        expect_identical(vapply(here$y$reprs[tile$pairs$j], function(r) r$name, ""),
                         vapply(sides$y$reprs[pairs$j[tile$rows]], function(r) r$name, ""))
      }
    }
  }
})

test_that("each representation is prepared once in a tile", {
  m <- some_models()
  # 2 x 7 layers, 4 at once: blocks of 2 and 2
  with_room_for(4, {
    calls <- count_calls("linear_form", similarity(m$one, c(m$two, setNames(m$three, LETTERS[1:4]))))
  })
  expect_equal(calls, 7 + 2 * 4)
  calls <- count_calls("linear_form", similarity(m$one, m$two))
  expect_equal(calls, 5)
})

test_that("scores in tiles are those without", {
  skip_on_cran()
  for (counts in c(FALSE, TRUE)) {
    m <- some_models(counts = counts)
    for (name in names(grids)) {
      whole <- seeded(function() grids[[name]](m))
      for (most in c(2, 5)) {
        tiles <- seeded(function() with_room_for(most, grids[[name]](m)))
        expect_identical(tiles, whole, label = paste(name, most, counts))
      }
      expect_identical(seeded(function() grids[[name]](m, threads = 1)), whole, label = name)
    }
  }
})

nulls <- list(
  coset = function(m, ...) calibrate(m[1:2], m[3], c("cka", "mutual_knn", "procrustes"), 100, ...),
  self = function(m, ...) calibrate(m, measure = c("rsa", "mka"), permutations = 60, ...),
  aggregate = function(m, ...) calibrate(m[1:2], m[3], c("cka", "knn_jaccard"), 60, aggregate = "max", ...),
  random = function(m, ...) calibrate(m$two, m$three, c("cka", "mutual_knn"), 30, engine = "random", ...),
  direct = function(m, ...) calibrate(m$two, m$one, list(measure("rtd", batch = 15, trials = 2), "lcs_knn"),
                                      9, ...),
  moments = function(m, ...) calibrate(m$two, m$three, c("cka", "rv"), engine = "moments", ...),
  series = function(m, ...) calibrate(m$two, m$three, c("cka", "mka"), 30, series = TRUE, ...),
  blocks = function(m, ...) calibrate(m$two, m$two, c("cka", "mutual_knn"), 30, blocks = rep(1:4, 10), ...)
)

test_that("calibrations in tiles are those without", {
  skip_on_cran()
  for (counts in c(FALSE, TRUE)) {
    m <- some_models(counts = counts)
    for (name in names(nulls)) {
      whole <- seeded(function() nulls[[name]](m))
      tiles <- seeded(function() with_room_for(3, nulls[[name]](m)))
      expect_identical(tiles, whole, label = paste(name, counts))
      if (name != "moments") {
        expect_identical(null_scores(tiles$value), null_scores(whole$value), label = name)
      }
      expect_identical(seeded(function() nulls[[name]](m, threads = 1)), whole, label = name)
    }
  }
})

test_that("a limit of memory makes tiles", {
  m <- some_models(n = 60)
  whole <- seeded(function() calibrate(m[1:2], m[3], "rsa", 59))
  old <- options(repalign.max_memory = 100 * 60^2)
  on.exit(options(old))
  count <- count_calls("run_tile", tiles <- seeded(function() calibrate(m[1:2], m[3], "rsa", 59)))
  expect_gt(count, 1)
  expect_identical(tiles, whole)
  # the null scores themselves must fit
  options(repalign.max_memory = 60^2 * 50)
  expect_refused(calibrate(m[1:2], m[3], "rsa", 1e5), "null scores of all pairs")
})

test_that("one and two workers give what none gives", {
  skip_on_cran()
  for (counts in c(FALSE, TRUE)) {
    m <- some_models(counts = counts)
    here <- lapply(c(grids, nulls), function(f) seeded(function() f(m)))
    for (workers in 1:2) {
      there <- with_workers(workers, lapply(c(grids, nulls), function(f) seeded(function() f(m))))
      for (name in names(here)) {
        expect_identical(there[[name]], here[[name]], label = paste(name, workers, counts))
      }
    }
    there <- with_workers(2, seeded(function() grids[[3]](m, threads = 2)))
    expect_identical(there, here[[3]])
  }
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
  on.exit(rm(list = "factor_of_mine", envir = globalenv()))
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
  failed <- function(code) tryCatch(code, error = identity)
  for (call in list(function() similarity(m), function() similarity(m[1:2], m[3], c("rv", "cca")),
                    function() calibrate(m[1:2], m[3], "cka", 9))) {
    here <- failed(call())
    expect_s3_class(here, "repalign_error_variance")
    there <- with_workers(2, failed(call()))
    expect_identical(class(there), class(here))
    expect_match(conditionMessage(there), "^(cka|rv|cca) of .* and .*: .* has no variance")
  }
  na <- function() similarity(m, measure = c("cka", "rv"), on_error = "na")
  here <- heard(na())
  expect_true(anyNA(here$value$score))
  expect_identical(with_workers(2, heard(na())), here)
  expect_identical(with_room_for(3, heard(na())), here)
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
  expect_match(with_workers(2, failed()), "^failing of .*/.* and .*/.*: r = .*permuted")
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

test_that("draws have seeds of their own and leave the generator to others", {
  set.seed(3)
  x <- normal_matrix(20, 3)
  state <- .Random.seed
  one <- function() {
    draws <- give_seeds(list(rep))
    on.exit(move_generator(draws))
    tie_priorities(rep)
  }
  rep <- representation(x, "x")
  draws <- give_seeds(list(rep))
  move_generator(draws)
  expect_identical(.Random.seed, state)
  a <- one()
  expect_false(identical(.Random.seed, state))
  expect_setequal(a, 1:20)
  rep <- representation(x, "x")
  b <- one()
  expect_false(identical(a, b))
  # the same seed on either side of a change of the generator's kind
  set.seed(3)
  RNGkind("L'Ecuyer-CMRG")
  on.exit(RNGkind("default"))
  state <- .Random.seed
  rep <- representation(x, "x")
  draws <- give_seeds(list(rep))
  tie_priorities(rep)
  expect_identical(.Random.seed, state)
  rm(".Random.seed", envir = globalenv())
  with_generator(4, sample.int(10))
  expect_false(exists(".Random.seed", globalenv(), inherits = FALSE))
})

test_that("priorities of a call are independent of each other", {
  set.seed(7)
  values <- replicate(400, {
    reps <- lapply(1:3, function(i) representation(cbind(1:8 + 0), "x"))
    draws <- give_seeds(reps)
    p <- vapply(reps, tie_priorities, integer(8))
    move_generator(draws)
    c(p[1, ], cor(p[, 1], p[, 2]), cor(p[, 2], p[, 3]))
  })
  # correlations of random orders have variance 1 / 7
  expect_lt(max(abs(rowMeans(values[4:5, ]))), 4 * sqrt(1 / 7 / 400))
  first <- tabulate(values[1, ], 8)
  expect_gt(chisq.test(first)$p.value, 1e-4)
  # nor of those of the call before
  expect_lt(abs(cor(values[1, -1], values[2, -400])), 4 / sqrt(399))
})

test_that("null scores of a pair do not depend on which others are computed with it", {
  # many diagonals and layers, so that they are transformed in several blocks
  set.seed(8)
  n <- 700
  matrices <- lapply(1:3, function(i) crossprod(normal_matrix(8, n)))
  design <- coset_design(n, n - 1)
  many <- inner_products(rep(matrices, 5), rep(matrices[3:1], 5), design)
  expect_identical(inner_products(matrices[1], matrices[2], design)[, 1], many[, 1 + 15])
  expect_identical(inner_products(matrices[2:3], matrices[1], design), many[, 2:3 + 30])
  totals <- vapply(1:3, function(i) sum(matrices[[i]] * matrices[[3]]), 0)
  expect_equal(many[1, 1:3], totals, tolerance = 1e-12)
})
