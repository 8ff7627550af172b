# Columns that are no neurons: caught wherever data are read, and what response_matrix() makes
# of a table.

counts <- function(n = 20, d = 5, seed = 1) {
  set.seed(seed)
  matrix(rpois(n * d, 6), n, dimnames = list(NULL, paste0("unit", letters[seq_len(d)])))
}

with_column <- function(values, name, x = counts(length(values))) {
  table <- cbind(as.data.frame(x), values)
  names(table)[ncol(table)] <- name
  table
}

test_that("whole numbers under the name of an identifier are refused, at any number of rows", {
  names <- c("id", "image", "stimulus", "trial", "rep", "session", "subject", "row", "X", "...1",
             "exp_id", "Image", "ID", "Unit_ID", "run", "Block", "repeat", "repetition", "condition",
             "day", "time", "time_ms", "onset", "order", "index", "presentation", "fold", "animal",
             "run_nr")
  for (name in names) {
    for (values in list(c(5, 2, 2, 9, 5), c(1, 1, 1, 1, 1))) {
      table <- with_column(values, name)
      quoted <- paste0("\"", name, "\"")
      expect_refused(rv(table, counts(5)), c("`x`", quoted, "identifier"))
      error <- expect_refused(rv(counts(5), as.matrix(table)), "`y`")
      expect_s3_class(error, "repalign_error_identifier")
      names_stimuli <- identifier_roles(name) == "stimulus"
      remedy <- paste0("response_matrix(data, stimulus = ", if (names_stimuli) quoted else "...")
      expect_match(conditionMessage(error), remedy, fixed = TRUE)
    }
    # measured values may have any name
    expect_true(is.finite(rv(with_column(c(5, 2, 2.5, 9, 5), name), counts(5))))
  }
  # names that only resemble these, without the pattern of a number of the row
  for (name in c("x", "idea", "reps", "images", "rowing", "paid", "v_identity", "t1", "run_3_roi",
                 "blocked", "time_1", "order2", "animals")) {
    expect_true(is.finite(rv(with_column(c(5, 2, 2, 9, 5), name), counts(5))), label = name)
  }
})

test_that("columns that number the rows are refused from 12 rows on, whatever their name", {
  set.seed(2)
  numbering <- function(n) {
    list(seq_len(n), sample(n) + 100, rev(seq_len(n)), 3 * seq_len(n) - 7, seq_len(n) / 7,
         round(seq_len(n) / 3, 6), 1.6e9 + 0.1 * seq_len(n), -sample(n))
  }
  for (values in numbering(12)) {
    error <- expect_refused(rv(with_column(values, "zz"), counts(12)), c("`x`", "\"zz\""))
    expect_s3_class(error, "repalign_error_identifier")
  }
  for (values in numbering(11)) {
    expect_true(is.finite(suppressWarnings(rv(with_column(values, "zz"), counts(11)))))
  }
  other <- list(rep(3, 12), c(1:11, 13), c(1:11, 11), c(1:11, 12.5), rep(1:6, 2), 2^(1:12))
  for (values in other) expect_true(is.finite(rv(with_column(values, "zz"), counts(12))))
})

test_that("ranks, one-hot designs, counts and unnamed matrices pass", {
  set.seed(3)
  ranks <- apply(matrix(rnorm(60), 15), 2, rank)
  colnames(ranks) <- letters[1:4]
  y <- counts(15)
  expect_true(is.finite(rv(ranks, y)))
  # one column that is measured, and the ranks are taken for numbers of the rows
  expect_refused(rv(cbind(ranks, z = rnorm(15)), y), "\"a\"")
  hot <- diag(5)[rep(1:5, 3), ]
  colnames(hot) <- c("id", "image", "X", "face", "car")
  expect_true(is.finite(rv(hot, y)))
  hot[1, 1:2] <- c(2, 0)
  expect_refused(rv(hot, y), "\"id\"")
  for (n in 4:21) {
    flagged <- repalign:::find_identifiers(counts(n, 26, seed = n))
    expect_identical(length(flagged), 0L, label = paste("identifiers among counts of", n, "rows"))
  }
  expect_true(is.finite(rv(unname(as.matrix(with_column(1:15, "id"))), y)))
  # missing and huge values are no trouble
  expect_length(repalign:::find_identifiers(cbind(a = c(NA, 2:12), b = rep(NA_real_, 12))), 0)
  expect_length(repalign:::find_identifiers(cbind(a = c(-1e308, 1:10, 1e308), b = 0)), 0)
})

test_that("identifiers are refused wherever data are read", {
  x <- counts(20)
  bad <- with_column(1:20, "image", x)
  calls <- list(
    similarity = function() similarity(x, bad), layer = function() similarity(list(a = x, b = bad)),
    calibrate = function() calibrate(bad, x), interval = function() cka_interval(x, bad),
    hsic = function() hsic(bad, x), dimension = function() participation_ratio(bad),
    bias = function() predicted_bias(x, bad), brain = function() brain_to_brain(bad, neurons = 2),
    model = function() brain_to_model(x, list(conv = bad), neurons = 2),
    objects = function() object_disentanglement(bad, rep(1:2, 10), neurons = 4),
    trials = function() trial_to_trial(list(bad, bad), neurons = 2),
    rows = function() match_rows(bad, x), disagreement = function() disagreement(bad, bad),
    missing = function() similarity(x, bad, na = "stimuli")
  )
  for (name in names(calls)) {
    error <- expect_refused(calls[[name]](), "\"image\"")
    expect_s3_class(error, "repalign_error_identifier")
  }
  for (id in measures()$id) expect_refused(get(id)(x, bad), c("`y`", "\"image\""))
})

test_that("several identifiers are all named, and the stimulus among them is offered", {
  bad <- with_column(rep(1:2, 10), "rep", with_column(1:20, "image"))
  error <- expect_refused(rv(bad, counts()), c("\"image\"", "\"rep\"", "neurons"))
  expect_match(conditionMessage(error), "stimulus = \"image\"", fixed = TRUE)
})

test_that("the identifiers of the recordings are caught, in every set of their rows", {
  trials <- utils::read.csv(shared_file("data", "v4_210325_trials.csv.gz"))
  set.seed(4)
  for (n in c(4, 7, 12, 21, 640)) {
    some <- trials[trials$rep == 1, ][sort(sample(640, n)), ]
    expect_refused(rv(some, as.matrix(some[-(1:2)])), c("\"image\"", "\"rep\""))
    units <- as.matrix(some[-(1:2)])
    expect_length(repalign:::find_identifiers(units), 0)
  }
  layers <- utils::read.csv(shared_file("data", "v4_model_layers.csv.gz"))
  x <- response_matrix(trials[trials$rep == 1, ], "image", neurons = names(trials)[-(1:2)])
  y <- response_matrix(layers, "image")
  expect_identical(dim(x), c(640L, 50L))
  expect_identical(rownames(x), rownames(y))
  expect_lt(rv(x, y), 0.9)
})

test_that("response_matrix() gives the stimuli's names to the rows of the neurons", {
  x <- counts(20)
  table <- data.frame(image = 20:1, x)
  expected <- x
  storage.mode(expected) <- "double"
  rownames(expected) <- 20:1
  expect_identical(response_matrix(table), expected)
  expect_identical(response_matrix(tibble::as_tibble(table), "image"), expected)
  expect_identical(response_matrix(data.table::as.data.table(table), "image"), expected)
  expect_identical(response_matrix(as.matrix(table), "image"), expected)
  expect_identical(response_matrix(table, "image", c("unitb", "unita")), expected[, 2:1])
  expect_identical(response_matrix(table, neurons = 3:2), expected[, 2:1])
  one <- response_matrix(table[1, ], neurons = "unitc")
  expect_identical(one, expected[1, 3, drop = FALSE])
  # stimuli go by their names from now on
  expect_message(value <- rv(response_matrix(table), response_matrix(table[20:1, ])),
                 class = "repalign_reordered")
  expect_equal(value, 1)
  # words, factors and large numbers name stimuli, too
  named <- data.frame(s = factor(c("face", "car", "tree")), a = c(1.5, NA, 3))
  expect_identical(rownames(response_matrix(named, "s")), c("face", "car", "tree"))
  expect_identical(rownames(response_matrix(data.frame(s = c(1e5, 2.5), a = 1:2), "s")),
                   c("100000", "2.5"))
})

test_that("response_matrix() says which columns it needs to be told of", {
  table <- data.frame(image = 1:20, rep = 1L, area = "V4", counts(20))
  expect_refused(response_matrix(table, "image"), c("\"area\"", "`neurons`"))
  error <- expect_refused(response_matrix(table[-3], "image"), c("\"rep\"", "`neurons`"))
  expect_s3_class(error, "repalign_error_identifier")
  expect_refused(response_matrix(table, "image", "area"), c("\"area\"", "not numeric"))
  expect_refused(response_matrix(table, "imgae"), c("\"imgae\"", "\"image\""))
  expect_refused(response_matrix(table, 1), "`stimulus`")
  expect_refused(response_matrix(table, neurons = "unitz"), c("`neurons`", "\"unitz\"", "mean"))
  expect_refused(response_matrix(table, neurons = 99), c("`neurons`", "99"))
  expect_refused(response_matrix(table, neurons = c("unita", "unita")), c("unita", "twice"))
  expect_refused(response_matrix(table, neurons = c("image", "unita")), "names the stimuli")
  for (bad in list(NA, TRUE, list(1), mean, -1, 1.5)) {
    expect_refused(response_matrix(table, neurons = bad), "`neurons`")
  }
  expect_refused(response_matrix(table["image"]), "no columns")
  expect_refused(response_matrix(table[0, ]), "no rows")
  expect_refused(response_matrix(counts()), "\"image\"")
  expect_refused(response_matrix(unname(counts())), "column names")
  for (bad in list(NULL, 1:3, list(1), mean)) expect_refused(response_matrix(bad), "`data`")
  twice <- rbind(table[-(2:3)], table[7, -(2:3)])
  expect_refused(response_matrix(twice), c("\"7\"", "rows 7 and 21", "responses"))
  table$image[4] <- NA
  expect_refused(response_matrix(table[-(2:3)]), "row 4")
})

test_that("neurons that the user has named pass the check; a part of the matrix is checked again", {
  table <- data.frame(image = 1:20, session = 2, depth = 20:1, counts(20))
  x <- response_matrix(table, "image", neurons = names(table)[-1])
  y <- counts(20, seed = 9)
  rownames(y) <- 1:20
  plain <- unname(as.matrix(table[-1]))
  expect_identical(rv(x, y), rv(plain, y))
  expect_identical(rv(sqrt(x), y), rv(sqrt(plain), y))
  expect_identical(similarity(list(a = x, b = y))$score, rv(plain, y))
  expect_identical(similarity(x, y, na = "stimuli")$score, rv(plain, y))
  expect_refused(rv(x[1:15, ], y[1:15, ]), "\"session\"")
  matched <- match_rows(x, y[11:20, ])
  expect_identical(rv(matched$x, matched$y), rv(plain[11:20, ], y[11:20, ]))
})

test_that("an identifier with missing values is one, before they are left out", {
  set.seed(61)
  id <- c(1:30, NA, 32:60)
  data <- function() data.frame(foo = id, matrix(rpois(600, 5), 60))
  expect_refused(similarity(data(), data(), na = "stimuli"), "foo")
  expect_refused(calibrate(data(), data(), na = "stimuli"), "foo")
  # an empty last line
  table <- rbind(data.frame(nr = sample(40), a = rpois(40, 5)), NA)
  expect_refused(brain_to_brain(table, table, na = "stimuli"), "nr")
  steps <- cbind(t = 0.5 * c(1:10, NA, 12:20), a = rnorm(20))
  expect_identical(names(find_identifiers(steps)), "1")
})

test_that("names with a word for a number behind are names of identifiers", {
  numbers <- sort(sample(1000, 20))
  for (name in c("image_number", "imageID", "trialNo", "stim", "session_id")) {
    x <- matrix(c(numbers, rnorm(20)), 20, dimnames = list(NULL, c(name, "a")))
    expect_refused(cka(x, x), name)
  }
  for (name in c("images", "imaging", "stimulated", "trials_mean", "rowing")) {
    x <- matrix(c(numbers, rnorm(20)), 20, dimnames = list(NULL, c(name, "a")))
    expect_length(find_identifiers(x), 0)
  }
})

test_that("the remedy names the argument of the function that takes the column", {
  set.seed(8)
  w <- cbind(expand.grid(cond = paste0("c", 1:5), run = 1:4), as.data.frame(matrix(rnorm(60), 20)))
  named <- function(name) setNames(w, c("cond", name, names(w)[-(1:2)]))
  expect_refused(responses(w, stimulus = "cond"), "Give run = \"run\"")
  expect_refused(responses(named("rep"), stimulus = "cond"), "Give trial = \"rep\"")
  expect_refused(responses(named("onset"), stimulus = "cond"), "Leave out \"onset\"")
  expect_refused(rdm(w, "cond", distance = "sqeuclidean"), "Give run = \"run\"")
  both <- cbind(w, subject = 1:2)
  expect_refused(rdm(both, "cond", "run"), "Give subject = \"subject\"")
  expect_refused(noise_covariance(both, "cond", "run"), "Give subject = \"subject\"")
  expect_refused(searchlight(both, list(1:3), both, condition = "cond", run = "run"),
                 "Leave out \"subject\"")
  # 0 and 1 are a feature of stimuli
  expect_length(find_identifiers(cbind(animal = c(0, 1, 1), big = c(1, 1, 0))), 0)
})

test_that("ranks with ties are no identifiers", {
  set.seed(62)
  x <- apply(matrix(rnorm(400), 40, dimnames = list(NULL, letters[1:10])), 2, rank)
  x[, 3] <- mean(1:40)
  x[c(1, 5), 4] <- mean(x[c(1, 5), 4])
  ranked <- apply(x, 2, rank)
  expect_length(find_identifiers(ranked), 0)
})

test_that("response_matrix() takes matrices of Matrix, and refuses unclear names", {
  values <- cbind(stimulus = c(3, 1, 2, 5), a = c(0, 1.5, 0, 2), b = c(1, 0, 0.5, 0))
  skip_if_not_installed("Matrix")
  expect_identical(response_matrix(Matrix::Matrix(values, sparse = TRUE), "stimulus"),
                   response_matrix(values, "stimulus"))
  twice <- as.data.frame(values)[c(1, 2, 2)]
  names(twice)[3] <- "a"
  expect_refused(response_matrix(twice, "stimulus"), c("`data`", "\"a\""))
  listed <- as.data.frame(values)
  listed$stimulus <- as.list(letters[1:4])
  expect_refused(response_matrix(listed, "stimulus"), c("\"stimulus\"", "vector of labels"))
  listed$stimulus <- c("s1", " ", "s3", "s4")
  expect_refused(response_matrix(listed, "stimulus"), c("empty name", "row 2"))
})

test_that("a neuron as the column of stimuli is warned of, a physical quantity is not", {
  set.seed(2)
  table <- data.frame(unit_1 = rnorm(6), unit_2 = round(rnorm(6), 1), rate = rnorm(6))
  for (name in c("unit_1", "unit_2", "rate")) {
    warning <- expect_warning(response_matrix(table, name), class = "repalign_responses_as_names")
    expect_match(conditionMessage(warning), paste0("\"", name, "\" holds numbers with decimals"))
  }
  named <- cbind(table, contrast = c(0.125, 0.25, 0.5, 1, 0, 0.063), image = 6:1)
  expect_no_warning(response_matrix(named, "contrast", neurons = 1:3))
  expect_no_warning(response_matrix(named, "image", neurons = 1:3))
})

test_that("numbers of pictures are refused by their names, by sharing, or warned of", {
  set.seed(63)
  id <- sample(1e5, 30)
  noise <- function() matrix(rnorm(240), 30)
  for (name in c("img", "img_nr", "Picture", "pic", "nr", "coco", "cocoID", "file", "Unnamed: 0")) {
    expect_refused(cka(with_column(id, name, noise()), noise()), name)
  }
  sides <- lapply(1:2, function(k) data.frame(bild = id, noise()))
  for (run in list(cka, similarity, calibrate, score_interval)) {
    error <- expect_refused(run(sides[[1]], sides[[2]]), c("`x`", "\"bild\"", "response_matrix"))
    expect_s3_class(error, "repalign_error_identifier")
  }
  expect_refused(evaluate_models(sides[[1]], list(a = sides[[2]], b = noise())), "`models.a`")
  expect_warning(rv(sides[[1]], noise()), "`x`, \"bild\"", class = "repalign_identifier")
  # counts differ, too, and neurons may be large, or on both sides
  some <- data.frame(big = sample(60, 30), counts(30))
  expect_warning(rv(some, noise()), "Column \"big\"", class = "repalign_dominant")
  big <- as.data.frame(matrix(sample(5000, 240), 30))
  expect_no_warning(rv(big, big[1:4]))
  # a part of the data has other columns of them, beside silent ones
  part <- cbind(n1 = sample(200, 22), n2 = rnorm(22) * 30, n3 = rnorm(22) * 30)
  expect_length(suppressWarnings(cka(part, part[, 1:2])), 1)
  expect_no_error(suppressWarnings(similarity(list(all = part, some = part[, c(1, 3)]))))
  silent <- lapply(sides, cbind, off = 0)
  expect_refused(cka(silent[[1]], silent[[2]]), c("\"bild\"", "colnames\\(x\\) <- NULL"))
  plain <- lapply(sides, function(side) `colnames<-`(as.matrix(side), NULL))
  expect_length(suppressWarnings(cka(plain[[1]], plain[[2]])), 1)
  # a neuron may be large and whole
  told <- function(x) class(expect_warning(rv(x, noise())))[1]
  expect_identical(told(`colnames<-`(as.matrix(sides[[1]]), NULL)), "repalign_dominant")
  expect_identical(told(data.frame(noise(), bild = id)), "repalign_dominant")
  expect_identical(told(sides[[1]]), "repalign_identifier")
})
