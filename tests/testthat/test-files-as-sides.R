# Paths in the place of matrices: the same results, in tiles, on workers, and after a run was cut
# off.

# Layers of few stimuli and many neurons, whose forms are small beside their data, in a folder of
# .npy files; `limit` has room for four of them.
layers_in_files <- function(frame = parent.frame(), count = 7) {
  set.seed(1)
  n <- 30
  d <- 500
  latent <- matrix(rnorm(n * 5), n)
  layers <- lapply(seq_len(count), function(k) {
    latent %*% matrix(rnorm(5 * d), 5) + matrix(rnorm(n * d), n)
  })
  names(layers) <- paste0("layer", c(1:2, 9:10, 3:5)[seq_len(count)])
  layers <- layers[order(as.integer(sub("layer", "", names(layers))))]
  folder <- withr::local_tempdir(.local_envir = frame)
  for (name in names(layers)) {
    writeBin(npy_bytes(layers[[name]]), file.path(folder, paste0(name, ".npy")))
  }
  list(folder = folder, layers = layers, files = file.path(folder, paste0(names(layers), ".npy")),
       limit = 8 * 4.5 * (n * d + 2 * n^2))
}

expect_other_call <- function(call, pattern) {
  expect_s3_class(expect_refused(call, pattern), "repalign_error_resume")
}

in_tiles <- function(made, code) {
  withr::with_options(list(repalign.max_memory = made$limit), code)
}

test_that("small files are read, and stand for their matrices", {
  made <- layers_in_files()
  expect_identical(similarity(made$folder, measure = "cka"), similarity(made$layers))
  expect_identical(similarity(made$layers[1:2], made$files[2:3]),
                   similarity(made$layers[1:2], made$layers[2:3]))
  expect_identical(similarity(made$layers$layer1, made$files[2]),
                   similarity(made$layers$layer1, made$layers$layer2))
  models <- list(a = made$layers[1:2], b = made$layers[2:3])
  folders <- lapply(list(a = 1:2, b = 2:3), function(at) {
    folder <- withr::local_tempdir(.local_envir = parent.frame(2))
    file.copy(made$files[at], folder)
    folder
  })
  expect_identical(similarity(folders), similarity(models))
  expect_error(cka(made$files[1], made$files[2]), class = "repalign_error_type")
})

test_that("the arrays of an old file of MATLAB are layers, and axes need read_representation()", {
  x <- list(one = matrix(sin(1:40), 10), two = matrix(cos(1:60), 10))
  of_matlab <- Map(function(name, m) {
    mat5_variable_bytes(name, dim(m), 6, mat5_element(9, writeBin(c(m), raw(), endian = "little")))
  }, c(names(x), "rate"), c(x, list(cbind(3))))
  file <- file_of(mat5_file_bytes(unlist(of_matlab)), ".mat")
  expect_message(found <- similarity(file), "\"rate\"", class = "repalign_left_out")
  expect_identical(found, similarity(x))
  conv <- file_of(npy_bytes(array(sin(1:160), c(10, 4, 2, 2))), ".npy")
  expect_refused(similarity(conv, x$one),
                 "read_representation\\(, flatten =, channels =\\) must say what becomes of")
})

test_that("score_interval() and evaluate_models() take paths", {
  made <- layers_in_files(count = 3)
  expect_identical(score_interval(made$layers$layer1, made$files[2:3], "rsa"),
                   score_interval(made$layers$layer1, made$layers[2:3], "rsa"))
  evaluated <- function(data, models) {
    set.seed(2)
    evaluate_models(data, models, permutations = 19)
  }
  expect_identical(evaluated(made$files[1], made$files[2:3]),
                   evaluated(made$layers$layer1, made$layers[2:3]))
  expect_identical(evaluated(made$layers$layer1, made$files[2])$model, "layer2")
  expect_message(evaluated(made$folder, made$layers), class = "repalign_file_of_subjects")
  # what needs all files at once says so
  in_tiles(list(limit = 1e5), {
    expect_refused(score_interval(made$folder, made$layers$layer1, over = c("stimuli", "subjects")),
                   c("3 files", "Means over subjects", "fewer files"))
    expect_refused(evaluate_models(made$layers$layer1, made$folder, measure("encode")),
                   c("3 files", "Predictions"))
  })
})

test_that("tiles of files give the grid in memory, and its words", {
  made <- layers_in_files()
  both <- function(measure, ...) {
    said <- character()
    hear <- function(code) {
      said <<- character()
      withCallingHandlers(code, condition = function(c) {
        if (inherits(c, c("repalign_message", "repalign_warning"))) {
          said <<- c(said, conditionMessage(c))
          invokeRestart(if (inherits(c, "warning")) "muffleWarning" else "muffleMessage")
        }
      })
    }
    sides <- list(...)
    files <- lapply(sides, function(side) switch(side, all = made$folder, two = made$layers[1:2]))
    data <- lapply(sides, function(side) switch(side, all = made$layers, two = made$layers[1:2]))
    tiles <- hear(in_tiles(made, do.call(similarity, c(unname(files), list(measure = measure)))))
    of_tiles <- said
    whole <- hear(do.call(similarity, c(unname(data), list(measure = measure))))
    expect_identical(of_tiles, said)
    list(tiles, whole)
  }
  for (measure in c("rsa", "mutual_knn", "procrustes", "cca")) {
    for (sides in list("all", c("two", "all"), c("all", "all"))) {
      found <- do.call(both, c(list(measure), as.list(sides)))
      expect_identical(found[[1]], found[[2]])
    }
  }
  found <- both("cka", "all")
  expect_equal(found[[1]], found[[2]], tolerance = 1e-12)
  # more stimuli than neurons: pairs are multiplied one by one
  made$layers <- lapply(made$layers, function(x) t(x)[, 1:20])
  for (k in seq_along(made$files)) writeBin(npy_bytes(made$layers[[k]]), made$files[k])
  made$limit <- 8 * 4 * (500 * 20 + 20^2)
  found <- both("cka", "all")
  expect_identical(found[[1]], found[[2]])
})

# The most representations with data that the tiles of `code` hold, as `most`, and how often files
# are read after the call was opened, as `reads`.
counted_reads <- function(code) {
  most <- reads <- 0
  original <- get("tile_sides", asNamespace("repalign"))
  local_internal("tile_sides", function(tile) {
    before <- names(held$reprs)
    sides <- original(tile)
    most <<- max(most, length(held$reprs))
    reads <<- reads + length(setdiff(names(held$reprs), before))
    sides
  })
  list(value = code, most = most, reads = reads)
}

# The same of a folder in tiles, of as many representations as `limit` has room for, as of its
# layers.
expect_tiles_give_whole <- function(made, call, room) {
  whole <- seeded(function() call(made$layers))
  tiles <- in_tiles(made, counted_reads(seeded(function() call(made$folder))))
  expect_false(anyNA(whole$value$se[whole$value$score < 1 - 1e-9]))
  expect_equal(tiles$value$value, whole$value, tolerance = 1e-12)
  expect_identical(tiles$value[c("text", "classes", "state")], whole[c("text", "classes", "state")])
  expect_lte(tiles$most, room)
  expect_gt(tiles$reads, tiles$most)
  # these draw at random
  compared <- function(x) {
    set.seed(1)
    suppressMessages(suppressWarnings(list(compare_scores(x), best_score(x, by = "measure"))))
  }
  expect_equal(compared(tiles$value$value), compared(whole$value), tolerance = 1e-12)
  expect_identical(in_words(tiles$value$value), in_words(whole$value))
  tiles$reads
}

test_that("tiles of files give the intervals in memory, with all that is kept beside them", {
  made <- layers_in_files()
  brain <- made$layers$layer1[, 1:8] + made$layers$layer2[, 1:8]
  sets <- list("cka", c("rsa", "procrustes"), measure("mutual_knn", k = 5, ties = "random"))
  for (set in sets) {
    reads <- expect_tiles_give_whole(made, function(y) score_interval(brain, y, set), 4)
    # one block of x: no file is read twice
    expect_equal(reads, 7)
  }
  for (method in c("jackknife", "half-samples")) {
    expect_tiles_give_whole(made, function(x) {
      score_interval(x, brain, "procrustes", method = method, draws = 50)
    }, 4)
  }
  made <- layers_in_files(count = 5)
  expect_tiles_give_whole(made, function(x) score_interval(x, measure = c("cka", "rsa")), 4)
  expect_tiles_give_whole(made, function(x) score_interval(x, x, "rsa"), 4)
})

test_that("neurons of files are a sample in tiles, too", {
  made <- layers_in_files()
  made$layers <- unlist(lapply(c(0, 40, 80), function(first) {
    lapply(made$layers, function(x) x[, first + 1:40])
  }), recursive = FALSE)
  names(made$layers) <- sprintf("layer%02d", seq_along(made$layers))
  unlink(made$files)
  for (name in names(made$layers)) {
    writeBin(npy_bytes(made$layers[[name]]), file.path(made$folder, paste0(name, ".npy")))
  }
  brain <- made$layers[[1]][, 1:8] + made$layers[[2]][, 1:8]
  # what the jackknife of a pair needs
  made$limit <- 8 * (24 * 30 * 48 + 3 * 30^2)
  both <- c("stimuli", "neurons_x", "neurons_y")
  corrected <- measure("cka", estimator = "stimulus_neuron")
  for (call in list(function(y) score_interval(brain, y, corrected),
                    function(x) score_interval(x, brain, corrected, conf_level = 0.9),
                    function(y) score_interval(brain, y, list(corrected, measure("rsa")),
                                               over = both[1:2]),
                    function(y) score_interval(brain, y, "procrustes", over = both[c(1, 3)]))) {
    expect_tiles_give_whole(made, call, 5)
  }
  in_tiles(made, expect_refused(score_interval(made$folder, measure = corrected),
                                c("neurons that parts of the grid share", "over = \"stimuli\"")))
})

test_that("evaluate_models() takes models in tiles", {
  made <- layers_in_files()
  # the draws of best_score() need more than the tiles of small files
  local_internal("files_limit", function() made$limit)
  local_internal("small_files", 0)
  brain <- made$layers$layer1[, 1:8] + made$layers$layer2[, 1:8]
  set.seed(4)
  trials <- array(brain, c(dim(brain), 3)) + rnorm(3 * length(brain))
  for (data in list(brain, trials)) {
    for (measure in list(NULL, "rsa")) {
      call <- function(y) evaluate_models(data, y, measure, permutations = 19)
      whole <- seeded(function() call(made$layers))
      tiles <- counted_reads(seeded(function() call(made$folder)))
      expect_equal(tiles$value$value, whole$value, tolerance = 1e-12)
      expect_identical(tiles$value[c("text", "classes", "state")],
                       whole[c("text", "classes", "state")])
      expect_identical(in_words(tiles$value$value), in_words(whole$value))
      expect_lte(tiles$most, 4)
      # those of intervals, and of chance
      expect_equal(tiles$reads, 14)
    }
  }
})

test_that("stimuli of files go by their names, and may be left out", {
  made <- layers_in_files(count = 5)
  layers <- lapply(made$layers, function(x) `rownames<-`(x, paste0("s", seq_len(nrow(x)))))
  layers[[2]] <- layers[[2]][30:1, ]
  layers[[3]][4, ] <- NA
  layers[[5]][7, 8:9] <- NaN
  folder <- withr::local_tempdir()
  for (name in names(layers)) saveRDS(layers[[name]], file.path(folder, paste0(name, ".rds")))
  for (na in c("stimuli", "neurons")) {
    if (na == "neurons") {
      layers[[3]][4, ] <- 0
      saveRDS(layers[[3]], file.path(folder, paste0(names(layers)[3], ".rds")))
    }
    tiles <- suppressMessages(in_tiles(made, similarity(folder, measure = "procrustes", na = na)))
    whole <- suppressMessages(similarity(layers, measure = "procrustes", na = na))
    expect_identical(tiles, whole)
  }
  in_tiles(made, expect_refused(similarity(folder), c("layer10", "row")))
})

test_that("calibrate() permutes files as it does matrices", {
  made <- layers_in_files(count = 5)
  calibrated <- function(x, y, ...) {
    set.seed(3)
    calibrate(x, y, permutations = 19, ...)
  }
  for (aggregate in list(NULL, "max")) {
    tiles <- in_tiles(made, calibrated(made$layers[1:2], made$folder, "rsa", aggregate = aggregate))
    whole <- calibrated(made$layers[1:2], made$layers, "rsa", aggregate = aggregate)
    expect_identical(tiles, whole)
    expect_identical(null_scores(tiles), null_scores(whole))
  }
})

test_that("workers get paths, and give the same bits", {
  skip_unless_extended()
  made <- layers_in_files()
  here <- in_tiles(made, similarity(made$folder, measure = c("cka", "distance_correlation")))
  with_workers(2, {
    there <- in_tiles(made, similarity(made$folder, measure = c("cka", "distance_correlation")))
    set.seed(3)
    null <- in_tiles(made, calibrate(made$layers[1:2], made$folder, "cka", permutations = 19))
  })
  expect_identical(there, here)
  set.seed(3)
  expect_identical(in_tiles(made, calibrate(made$layers[1:2], made$folder, "cka",
                                            permutations = 19)), null)
  sides <- as_sides(in_tiles(made, with_files(list(x = made$folder)))$x, NULL)
  pairs <- list_pairs(sides, FALSE)
  sent <- length(serialize(make_tile(seq_len(nrow(pairs)), pairs, sides), NULL))
  # means of columns, and no data
  expect_lt(sent, 7 * 500 * 8 * 3)
})

test_that("a run that was cut off goes on from its tiles, and mixes nothing", {
  made <- layers_in_files()
  folder <- file.path(withr::local_tempdir(), "resume")
  target <- sum(made$layers$layer9)
  # files, because variables of the function belong to the measure
  broken <- withr::local_tempfile(lines = "")
  done <- withr::local_tempfile(lines = character())
  own <- new_measure(function(x, y) {
    if (file.exists(broken) && sum(y) == target) stop("cut off")
    cat(".", file = done, append = TRUE)
    sum(x * y) / sqrt(sum(x^2) * sum(y^2))
  }, direction = "similarity", best = 1)
  run <- function(...) in_tiles(made, similarity(made$folder, measure = own, resume = folder, ...))
  expect_error(run(), "cut off")
  expect_gt(length(dir(folder)), 0)
  first <- file.size(done)
  expect_other_call(in_tiles(made, similarity(made$folder, resume = folder)), "measure")
  expect_other_call(run(on_error = "na"), "arguments")
  made$limit <- made$limit / 2
  expect_other_call(run(), "size of tiles")
  made$limit <- made$limit * 2
  file <- made$files[1]
  was <- file.mtime(file)
  Sys.setFileTime(file, was + 10)
  expect_other_call(run(), "layer1.npy")
  Sys.setFileTime(file, was)
  unlink(broken)
  found <- run()
  expect_false(dir.exists(folder))
  expect_lt(file.size(done), first + nrow(found))
  expect_identical(found, similarity(made$layers, measure = own))
  expect_refused(similarity(made$layers, resume = folder), c("resume", "path"))
})

test_that("files of equal names on both sides are told apart, and what is no tile is refused", {
  made <- layers_in_files(count = 4)
  other <- withr::local_tempdir()
  file.copy(made$files, other)
  folder <- file.path(withr::local_tempdir(), "resume")
  broken <- withr::local_tempfile(lines = "")
  target <- sum(made$layers$layer9)
  own <- new_measure(function(x, y) {
    if (file.exists(broken) && sum(y) == target) stop("cut off")
    sum(x * y) / sqrt(sum(x^2) * sum(y^2))
  }, direction = "similarity", best = 1)
  run <- function(resume = folder) {
    in_tiles(made, similarity(made$folder, other, own, resume = resume))
  }
  expect_error(run(), "cut off")
  changed <- file.path(other, "layer1.npy")
  writeBin(npy_bytes(made$layers$layer1 + 1), changed)
  Sys.setFileTime(changed, file.mtime(changed) + 10)
  expect_other_call(run(), file.path(basename(other), "layer1.npy"))
  file.copy(made$files[1], changed, overwrite = TRUE, copy.date = TRUE)
  for (tile in dir(folder, full.names = TRUE)) writeBin(raw(0), tile)
  expect_other_call(run(), "is no tile")
  expect_refused(run(other), "folder of the data")
})

test_that("permutations belong to what is resumed", {
  made <- layers_in_files(count = 4)
  folder <- file.path(withr::local_tempdir(), "resume")
  target <- sum(made$layers$layer10)
  broken <- withr::local_tempfile(lines = "")
  own <- new_measure(function(x, y) {
    if (file.exists(broken) && abs(sum(y) - target) < 1e-6) stop("cut off")
    sum(x * y) / sqrt(sum(x^2) * sum(y^2))
  }, direction = "similarity", best = 1)
  calibrated <- function(seed, y = made$folder, resume = folder) {
    set.seed(seed)
    calibrate(made$layers[1], y, own, permutations = 19, resume = resume)
  }
  in_tiles(made, {
    expect_error(calibrated(1), "cut off")
    expect_gt(length(dir(folder)), 0)
    expect_other_call(calibrated(2), "permutations")
    unlink(broken)
    found <- calibrated(1)
  })
  expect_false(dir.exists(folder))
  expect_identical(found, calibrated(1, made$layers, NULL))
})

test_that("files that cannot be sides are named, with a remedy", {
  made <- layers_in_files(count = 3)
  expect_refused(similarity("absent.npy", made$layers), c("`x`", "absent.npy", "list.files"))
  expect_refused(similarity(made$layers, c(made$files, "gone.npy")), c("`y`", "gone.npy"))
  expect_refused(similarity(withr::local_tempdir()), c("`x`", "read_representation"))
  text <- withr::local_tempfile(lines = "a", fileext = ".docx")
  expect_refused(evaluate_models(made$layers$layer1, text), c("`models`", "docx", ".npy"))
  writeBin(npy_bytes(made$layers$layer2[1:20, ]), made$files[2])
  expect_refused(similarity(made$folder), c("`x`", "layer2.npy", "20 rows", "rows ="))
  expect_refused(similarity(c(made$files, "")), c("`x`", "empty"))
  expect_refused(similarity(c(made$folder, made$files)), c("`x`", "a list of folders"))
  expect_refused(similarity(made$folder, resume = 1), "`resume`")
})

test_that("a file that changes during the call is an error", {
  made <- layers_in_files(count = 3)
  path <- new_path(made$files[1], NULL, "x", 20)
  writeBin(npy_bytes(made$layers$layer1[, 1:20]), made$files[1])
  expect_refused(read_path(path), c("`x`", "layer1.npy", "change"))
})
