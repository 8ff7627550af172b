# responses(): what it reads, what it refuses, its methods, and what the package makes of it.

few_trials_array <- function(n = 8, q = 4, trials = 3) {
  signal <- matrix(rnorm(n * 2), n) %*% matrix(rnorm(2 * q), 2)
  array(rep(signal, trials) + rnorm(n * q * trials) / 2, c(n, q, trials))
}

# The rows of an array stimulus by stimulus, as presentations in a random order.
presentations <- function(values) {
  size <- dim(values)
  at <- expand.grid(stimulus = seq_len(size[1]), trial = seq_len(size[3]))
  at <- at[sample(nrow(at)), ]
  list(x = t(mapply(function(i, t) values[i, , t], at$stimulus, at$trial)), at = at)
}

long_frame <- function(values) {
  long <- expand.grid(image = letters[seq_len(dim(values)[1])], unit = seq_len(dim(values)[2]),
                      rep = seq_len(dim(values)[3]), stringsAsFactors = FALSE)
  long$count <- as.vector(values)
  long
}

test_that("an array, presentations, long and wide tables say the same", {
  set.seed(1)
  values <- few_trials_array()
  from_array <- responses(values)
  expect_s3_class(from_array, "repalign_responses")
  expect_identical(as.array(from_array), values)
  expect_identical(from_array$event, matrix(rep(c("1", "2", "3"), each = 8), 8))
  rows <- presentations(values)
  by_row <- responses(rows$x, stimulus = rows$at$stimulus, trial = rows$at$trial)
  expect_identical(unname(as.array(by_row)), values)
  expect_identical(by_row$event, from_array$event)
  wide <- data.frame(image = rows$at$stimulus, rows$x, number = rows$at$trial)
  from_wide <- responses(wide, stimulus = "image", trial = "number")
  expect_identical(unname(as.array(from_wide)), values)
  expect_identical(dimnames(from_wide)[[2]], paste0("X", 1:4))
  long <- long_frame(values)
  from_long <- responses(long[sample(nrow(long)), ], "image", "unit", "rep")
  expect_identical(unname(as.array(from_long[letters[1:8], , ])), values)
  expect_identical(from_long$neuron, as.character(1:4))
  named <- responses(long, "image", "unit", "rep", value = "count")
  by_vector <- responses(long, long$image, long$unit, long$rep, value = "count")
  expect_identical(by_vector$values, named$values)
})

test_that("trials without labels are numbered in the order of rows", {
  x <- matrix(1:12 / 2, 6)
  by_row <- responses(x, stimulus = c("b", "a", "b", "a", "a", "b"))
  expect_identical(dimnames(by_row)[[1]], c("b", "a"))
  expect_identical(by_row$values["a", 1, ], x[c(2, 4, 5), 1], ignore_attr = TRUE)
  long <- data.frame(s = c(1, 1, 2, 2), u = "n", v = 1:4 / 2)
  expect_identical(unname(responses(long, "s", "u")$values[, 1, ]), rbind(1:2, 3:4) / 2)
})

test_that("trials of an array stay where they are, and events keep their labels", {
  set.seed(2)
  values <- few_trials_array()
  values[2, , 1] <- NA
  values[3, 2, 3] <- NA
  values[, , 2] <- NaN
  read <- responses(values, trial = c("a", "b", "c"))
  expect_identical(unname(as.array(read)), replace(values, is.nan(values), NA))
  expect_identical(dimnames(read)[[3]], c("a", "b", "c"))
  expect_identical(read$event[1:3, ], rbind(c("a", NA, "c"), c(NA, NA, "c"), c("a", NA, "c")))
  expect_identical(as.array(read[, , "c"])[, , 1], values[, , 3])
  # of single trials of each stimulus, one slot remains
  expect_identical(read[1:2, , 1:2]$event, rbind("a", NA_character_))
  # the trials that are compared are those of the array
  late <- few_trials_array()
  late[1:3, , 1] <- NA
  scores <- function(x) suppressMessages(trial_to_trial(x, estimator = "naive", na = "stimuli"))
  expect_equal(scores(responses(late)), scores(late))
  # estimates do not depend on which trials are missing
  moved <- late
  moved[1:3, , ] <- late[1:3, , c(2, 3, 1)]
  expect_identical(cka(responses(late), rowSums(late, dims = 2, na.rm = TRUE)),
                   cka(responses(moved), rowSums(late, dims = 2, na.rm = TRUE)))
  counted <- summary(read)
  expect_identical(as.vector(counted$trials), c(1L, 7L))
  expect_identical(counted$few, 2L)
  expect_equal(counted$missing$responses, 1)
})

test_that("labels of stimuli, neurons, sessions, clusters and events are kept", {
  set.seed(3)
  values <- few_trials_array()
  declared <- responses(values, stimulus = letters[1:8], neuron = c("u", "v", "w", "u"),
                        session = c(1, 1, 1, 2), cluster = c(1, 1, 2, 2, 3, 3, NA, 4),
                        event = c("early", "early", "late"))
  expect_identical(dimnames(declared)[[1]], letters[1:8])
  expect_identical(declared$neuron, c("u", "v", "w", "u"))
  expect_identical(declared$session, c("1", "1", "1", "2"))
  expect_identical(declared$cluster, c("1", "1", "2", "2", "3", "3", NA, "4"))
  expect_identical(declared$event[5, ], c("early", "early", "late"))
  # a long table whose neuron was recorded in two sessions has a column for each
  long <- data.frame(s = rep(1:2, each = 4), u = "n", day = rep(1:2, 4), t = rep(c(1, 1, 2, 2), 2),
                     v = 1:8 / 2)
  chronic <- responses(long, "s", "u", "t", "day")
  expect_identical(chronic$neuron, c("n", "n"))
  expect_identical(chronic$session, c("1", "2"))
  expect_identical(unname(chronic$values[2, , ]), rbind(c(5, 7), c(6, 8)) / 2)
})

test_that("parts keep labels, in every way to name them", {
  set.seed(4)
  values <- few_trials_array()
  values[1, , 1] <- NA
  x <- responses(values, stimulus = letters[1:8], session = c(1, 1, 2, 2), neuron = 1:4,
                 cluster = rep(1:4, 2), trial = c("r", "s", "t"))
  part <- x[c("c", "a"), -1, 2:3]
  expect_identical(part$session, c("1", "2", "2"))
  expect_identical(part$neuron, c("2", "3", "4"))
  expect_identical(part$cluster, c("3", "1"))
  expect_identical(part$event, rbind(c("s", "t"), c("s", "t")))
  expect_identical(part$values[2, , ], values[1, -1, 2:3], ignore_attr = TRUE)
  expect_identical(is.na(x[, , "r"]$event[, 1]), rep(c(TRUE, FALSE), c(1, 7)))
  expect_identical(x[, ], x)
  expect_identical(x[rep(c(TRUE, FALSE), 4), , ], x[c(1, 3, 5, 7), , ])
  expect_identical(dim(x[3, 2, 1]), c(1L, 1L, 1L))
  expect_refused(x[1], "three sides")
  expect_refused(x[c(1, 1), , ], "twice")
  expect_refused(x[, 9, ], "asks for 9, but there are 4 neurons")
  expect_refused(x["z", ], "asks for \"z\"")
  expect_refused(x[0, , ], "at least one must remain")
  expect_refused(x[rep(TRUE, 9), , ], "too many")
})

test_that("as.matrix() gives means over the trials that are there", {
  set.seed(5)
  values <- few_trials_array()
  values[1, , 1] <- NA
  values[2, 3, ] <- NA
  x <- responses(values, stimulus = letters[1:8])
  means <- apply(values, 1:2, mean, na.rm = TRUE)
  means[is.nan(means)] <- NA
  rownames(means) <- letters[1:8]
  expect_equal(as.matrix(x), means)
  expect_false(any(is.nan(as.matrix(x))))
  # one trial: unchanged
  expect_identical(as.matrix(responses(values[, , 2])), values[, , 2])
  expect_refused(as.data.frame(x), c("as.matrix\\(x\\)", "as.array\\(x\\)"))
})

test_that("labels that do not fit are refused with the remedy", {
  set.seed(6)
  values <- few_trials_array()
  expect_refused(responses(values, session = 1:3), "`session` has 3 labels, but `x` has 4 columns")
  expect_refused(responses(values, neuron = c(1, 2, NA, 3)), "missing labels")
  expect_refused(responses(values, trial = 1:2), c("`trial` has 2 labels", "8 x 3"))
  expect_refused(responses(values, event = matrix("a", 3, 8)), "3 x 8 labels")
  expect_refused(responses(values, trial = c(1, NA, 2)), "every trial needs one")
  expect_refused(responses(values, trial = c(1, 1, 2)), c("more than once", "`event`"))
  expect_refused(responses(values, cluster = 1:7), c("7 labels", "8 rows"))
  expect_refused(responses(values, cluster = rep(1, 8)), "at least two")
  expect_refused(responses(values, cluster = rep(NA, 8)), "no cluster")
  expect_refused(responses(values, stimulus = rep(1:4, 2)), "presentations")
  expect_refused(responses(values, session = list(1, 2, 3, 4)), "vector of labels")
  labels <- matrix(1:3, 8, 3, byrow = TRUE)
  labels[4, 2] <- NA
  expect_refused(responses(values, event = labels), "no label for trial 2 of stimulus 4")
  rows <- presentations(values)
  twice <- replace(rows$at$trial, which(rows$at$stimulus == 1), 1)
  expect_refused(responses(rows$x, rows$at$stimulus, trial = twice), "twice for stimulus \"1\"")
  expect_refused(responses(rows$x, rows$at$stimulus, cluster = 1:24), "different labels")
  rownames(rows$x) <- rows$at$stimulus
  # names that come twice are trials
  expect_identical(responses(rows$x), responses(rows$x, stimulus = rownames(rows$x)))
})

test_that("declarations that leave nothing to multiply are refused", {
  set.seed(7)
  values <- few_trials_array()
  class_of <- function(code) class(tryCatch(code, error = identity))[1]
  expect_refused(responses(values, event = c(1, 1, 1)), "nothing is left to multiply")
  expect_identical(class_of(responses(values, event = c(1, 1, 1))), "repalign_error_pairs")
  expect_refused(responses(values[, , 1], trial = 1:8), "no stimulus has two trials")
  expect_refused(responses(values[, , 1, drop = FALSE], event = 1), "no stimulus has two trials")
  single <- values
  for (i in 1:8) single[i, , -(1 + i %% 3)] <- NA
  expect_refused(responses(single), "No stimulus has two trials")
  expect_refused(responses(values * NA), "only missing values")
  expect_refused(responses(values / 0), "infinite")
})

test_that("a single session leaves no pair of neurons, and the message says so", {
  set.seed(1)
  x <- array(rnorm(8 * 3 * 2), c(8, 3, 2))
  y <- matrix(rnorm(16), 8)
  mean <- responses(x[, , 1], session = rep("mon", 3))
  named <- c("all columns are of one `session`", "Leave out `session`")
  for (f in list(cka, cka_interval, calibrate, participation_ratio, brain_to_brain)) {
    given <- if (identical(f, participation_ratio)) list(mean) else list(mean, y)
    expect_refused(suppressMessages(do.call(f, given)), named)
  }
  expect_refused(brain_to_model(mean, list(y = y)), named)
})

test_that("runs are complete, without clusters and events, and at least two", {
  set.seed(8)
  values <- few_trials_array()
  runs <- responses(values, run = TRUE)
  expect_true(runs$run)
  expect_refused(responses(values, run = TRUE, cluster = 1:8), "`cluster` cannot be given")
  expect_refused(responses(values, run = TRUE, event = 1:3), "`event` cannot be given")
  expect_refused(responses(values[, , 1], run = TRUE), "at least two runs")
  expect_refused(responses(values, run = NA), "TRUE or FALSE")
  values[3, 2, 2] <- NA
  expect_refused(responses(values, trial = c("a", "b", "c"), run = TRUE),
                 c("lacks 1, first stimulus 3, column 2, run \"b\"", "incomplete runs"))
})

test_that("tables that cannot be read are refused with the remedy", {
  set.seed(9)
  long <- long_frame(few_trials_array())
  expect_refused(responses(long, neuron = "unit"), "`stimulus` is missing")
  expect_refused(responses(long, "imag", "unit"), "did you mean \"image\"")
  expect_refused(responses(long, "image", "unit"), "several columns of numbers")
  expect_refused(responses(long, "image", "unit", value = "image"), "is not numeric")
  expect_refused(responses(long, "image", "unit", value = "none"), "name of a column")
  expect_refused(responses(long, "image", "unit", 1:3), c("3 labels", "96 rows"))
  expect_refused(responses(rbind(long, long[5, ]), "image", "unit", "rep"), "row 97")
  expect_refused(responses(long[0, ], "image", "unit", "rep"), "no rows")
  expect_refused(responses(long, "image"), c("rows", "neuron") [2])
  expect_refused(responses(transform(long, count = 1 / 0), "image", "unit", "rep"), "infinite")
  expect_refused(responses(long, "image", "unit", "rep", event = seq_len(96)),
                 "neurons of a trial are of one event")
  expect_refused(responses(transform(long, image = NA), "image", "unit", "rep"), "row 1")
  wide <- data.frame(image = c("a", "b"), u = 1:2, v = c(0.5, 1))
  expect_refused(responses(wide), c("not numeric: \"image\"", "`stimulus`"))
  expect_refused(responses(wide["image"], stimulus = "image"), "no columns for neurons")
  expect_refused(responses(wide, stimulus = "image", value = "u"), "long data frame")
  expect_refused(responses("a"), "must be a numeric matrix")
  expect_refused(responses(list(1)), "must be a numeric matrix")
  expect_refused(responses(array("a", c(2, 2, 2))), "array of numbers")
  expect_refused(responses(array(0, c(0, 2, 2))), "nothing to compare")
  expect_refused(responses(responses(matrix(rnorm(9), 3))), "responses object already")
  expect_refused(plot(responses(matrix(rnorm(9), 3))), "plot_rdms[(]rdm[(]x, distance")
  for (word in c("stimuli", "clusters", "sessions", "trials")) {
    given <- stats::setNames(list(matrix(rnorm(9), 3), 1:3), c("x", word))
    expect_refused(do.call(responses, given), paste0("no argument `", word, "` here; did you mean"))
  }
})

test_that("prints", {
  values <- array(cos(seq_len(96)^2), c(8, 4, 3))
  unequal <- values
  unequal[1:2, , 3] <- NA
  unequal[5, 2, 1] <- NA
  unequal[3, 1, ] <- NA
  expect_snapshot({
    responses(values)
    responses(values, session = c(1, 1, 2, 2), cluster = c(1, 1, 2, 2, 3, 3, NA, NA))
    responses(unequal, neuron = c("a", "b", "a", "c"), event = c(1, 1, 2))
    responses(values, run = TRUE)
    responses(values[, , 1])
    responses(values[, , 1], session = c(1, 1, 2, 2))
    summary(responses(values))
    summary(responses(unequal))
    summary(responses(unequal, event = c(1, 1, 2)))
  })
})

test_that("sessions of separate days have trials of their own, of which nothing is missing", {
  values <- array(cos(seq_len(96)^2), c(8, 4, 3))
  apart <- array(NA_real_, c(8, 4, 6))
  apart[, 1:2, 1:3] <- values[, 1:2, ]
  apart[, 3:4, 4:6] <- values[, 3:4, ]
  said <- function(x, session) {
    x <- responses(x, session = session)
    paste(utils::capture.output(print(x), print(summary(x))), collapse = " ")
  }
  days <- c("mon", "mon", "tue", "tue")
  expect_match(said(apart, days), "A trial has responses of 1 of them[.]")
  expect_match(said(apart, days), "missing within a session, but neurons of different")
  expect_no_match(said(apart, days), "Missing")
  expect_match(said(apart, NULL), "Missing: 96 responses .* declare `session`")
  apart[3, 1, 2] <- NA
  expect_match(said(apart, days), "Missing: 1 response[.]")
  expect_match(said(apart[1, , , drop = FALSE], days), "of 1 of them")
})

test_that("one trial and no structure is the plain matrix, bit for bit, and says nothing", {
  set.seed(10)
  x <- matrix(rnorm(48), 12)
  y <- matrix(rnorm(48), 12)
  one <- responses(x)
  expect_silent(scores <- vapply(c("cka", "rsa", "mutual_knn", "procrustes"), function(id) {
    similarity(one, responses(y), id)$score
  }, 0))
  plain <- vapply(c("cka", "rsa", "mutual_knn", "procrustes"), function(id) {
    similarity(x, y, id)$score
  }, 0)
  expect_identical(scores, plain)
  whole <- function(x, y) undefined_is_fine(brain_to_brain(x, y, neurons = 4))
  expect_identical(whole(one, responses(y)), whole(x, y))
})

test_that("measures outside the family take means, with one message that names what is unused", {
  set.seed(11)
  values <- few_trials_array(12)
  x <- responses(values, session = c(1, 1, 2, 2))
  y <- matrix(rnorm(48), 12)
  seen <- NULL
  count <- function(code) {
    seen <<- NULL
    withCallingHandlers(code, repalign_structure_unused = function(m) {
      seen <<- c(seen, conditionMessage(m))
      invokeRestart("muffleMessage")
    })
  }
  expect_identical(count(mutual_knn(x, y, k = 3)), mutual_knn(as.matrix(x), y, k = 3))
  expect_length(seen, 1)
  expect_match(seen, "trials and sessions (by \"mutual_knn\")", fixed = TRUE)
  expect_identical(count(cka(x, y, estimator = "naive")), cka(as.matrix(x), y))
  expect_length(seen, 1)
  own <- new_measure(function(x, y) cor(x[, 1], y[, 1]), label = "first")
  scores <- count(similarity(list(a = x, b = x), list(c = y), list("rsa", "procrustes", own)))
  expect_length(seen, 1)
  expect_match(seen, "\"rsa\", \"procrustes\" and \"first\"", fixed = TRUE)
  expect_equal(scores$score[3], cor(as.matrix(x)[, 1], y[, 1]))
  count(calibrate(x, list(c = y, d = y), "rsa", permutations = 5))
  expect_length(seen, 1)
  # a correction that does not exist
  expect_refused(cka(x, y, kernel = "rbf", estimator = "stimulus_neuron"), "linear kernel only")
})

test_that("clusters of objects are those of measures, and of calibrate()", {
  set.seed(12)
  labels <- c(NA, NA, rep(1:7, each = 2))
  values <- few_trials_array(16)
  x <- responses(values, cluster = labels)
  y <- matrix(rnorm(48), 16)
  plain <- as.matrix(x)
  quiet <- function(code) suppressMessages(code, "repalign_message")
  expect_identical(quiet(cka(x, y, estimator = "stimulus")),
                   cka(plain, y, estimator = "stimulus", clusters = labels))
  expect_identical(quiet(similarity(x, y, "rsa")$score), rsa(plain, y, clusters = labels))
  expect_identical(quiet(mutual_knn(x, y, k = 3)), mutual_knn(plain, y, k = 3, clusters = labels))
  # measures without clusters leave the same stimuli out
  expect_identical(quiet(procrustes(x, y)), procrustes(plain[-(1:2), ], y[-(1:2), ]))
  set.seed(1)
  by_object <- quiet(calibrate(x, y, "rsa", permutations = 20))
  set.seed(1)
  by_argument <- calibrate(plain, y, measure("rsa", clusters = labels), permutations = 20,
                           clusters = labels)
  expect_identical(by_object$p_value, by_argument$p_value)
  expect_identical(as.vector(null_scores(by_object)), as.vector(null_scores(by_argument)))
  refused <- function(code) expect_refused(code, "other clusters than `cluster`")
  wrong <- rev(labels)
  quiet(refused(cka(x, y, estimator = "stimulus", clusters = wrong)))
  quiet(refused(similarity(x, y, measure("rsa", clusters = wrong))))
  quiet(refused(calibrate(x, y, "rsa", clusters = wrong)))
  refused(brain_to_brain(x, y, clusters = wrong))
  other <- responses(values, cluster = rev(labels))
  expect_refused(quiet(rsa(x, other)), c("different clusters", "stimulus 1"))
})

test_that("calibrate() permutes stimuli with all their trials", {
  set.seed(13)
  values <- few_trials_array(9)
  values[2, , 3] <- NA
  x <- representation(responses(values, cluster = 1:9), "x")
  order <- c(3, 1, 2, 9:4)
  permuted <- permuted_representation(x, order)$responses
  expect_identical(permuted$values, x$responses$values[order, , ])
  expect_identical(permuted$event, x$responses$event[order, ])
  expect_identical(permuted$cluster, x$responses$cluster[order])
  orders <- unname(rbind(order, rev(order), c(2:9, 1)))
  y <- matrix(rnorm(27), 9)
  own <- new_measure(function(x, y) cor(x[, 1], y[, 1]))
  null <- suppressMessages(calibrate(y, responses(values), own, permutations = orders))
  means <- as.matrix(responses(values))
  expect_equal(as.vector(null_scores(null)), apply(orders, 1, function(o) cor(y[, 1], means[o, 1])))
})

test_that("missing values, row names and lists work as with matrices", {
  set.seed(14)
  values <- few_trials_array(10)
  values[3, 2, ] <- NA
  x <- responses(values, stimulus = letters[1:10])
  y <- matrix(rnorm(30), 10, dimnames = list(letters[1:10], NULL))
  expect_refused(suppressMessages(similarity(x, y, "rsa")), c("row 3.*column 2", "na = "))
  left <- function(na) suppressMessages(similarity(x, y, "rsa", na = na)$score)
  expect_identical(left("stimuli"), rsa(as.matrix(x)[-3, ], y[-3, ]))
  expect_identical(left("neurons"), rsa(as.matrix(x)[, -2], y))
  expect_message(turned <- rsa(x[, -2, ], y[10:1, ]), class = "repalign_reordered")
  expect_equal(turned, suppressMessages(rsa(x[, -2, ], y)))
  matched <- match_rows(x[1:6, , ], y[10:1, ])
  expect_s3_class(matched$x, "repalign_responses")
  expect_identical(dimnames(matched$x)[[1]], rownames(matched$y))
  expect_refused(match_rows(responses(values), y), "no row names")
  grid <- suppressMessages(similarity(list(a = x[, -2, ], b = x[, -2, 1]), measure = "rsa"))
  expect_identical(grid$score, rsa(as.matrix(x[, -2, ]), as.matrix(x[, -2, 1])))
})

test_that("estimates from trials do without responses that lack; means over trials are refused", {
  set.seed(21)
  values <- few_trials_array(20, 8, 3)
  values[2, 3, ] <- NA
  x <- responses(values[, 1:4, ])
  y <- responses(values[, 5:8, ])
  quiet <- function(code) {
    withCallingHandlers(code, repalign_message = function(m) invokeRestart("muffleMessage"),
                        repalign_warning = function(w) invokeRestart("muffleWarning"))
  }
  # the mean over the neuron pairs of values from the stimuli that a pair has
  h <- function(a, b) hsic(a, b, estimator = "stimulus_neuron_trial")
  parts <- vapply(1:4, function(a) if (a == 3) h(x[-2, 3, ], y[-2, , ]) else h(x[, a, ], y), 0)
  expect_equal(quiet(h(x, y)), mean(quiet(parts)))
  expect_equal(quiet(cka(x, y)),
               quiet(similarity(x, y, measure("cka", estimator = "stimulus_neuron_trial"))$score))
  expect_true(is.finite(quiet(cka_interval(x, y))$cka))
  for (call in list(quote(rsa(x, y)), quote(cka(x, y, estimator = "stimulus")),
                    quote(calibrate(x, y, "rsa")), quote(predicted_bias(x)),
                    quote(similarity(list(a = x, b = y), measure = c("cka", "rsa"))),
                    quote(brain_to_brain(x, y)))) {
    expect_refused(quiet(eval(call)), "row 2, column 3")
  }
})

test_that("workers and tiles give the numbers of the plain call", {
  set.seed(15)
  layers <- list(a = responses(few_trials_array()), b = responses(few_trials_array()),
                 c = matrix(rnorm(40), 8))
  measures <- list("rsa", measure("cka", estimator = "stimulus_neuron_trial"))
  scores <- function() {
    withCallingHandlers(suppressMessages(similarity(layers, measure = measures)),
                        repalign_warning = function(w) invokeRestart("muffleWarning"))
  }
  plain <- scores()
  local_internal("how_many_fit", function(...) 2)
  expect_rounded(scores(), plain)
})

# What the analyses are to give, from the H values of whole regions and with every stimulus really
# left out.
trial_ratio <- function(x, y) {
  self <- function(a) {
    # no label: each column is a neuron; a side without trials has the self term of one trial
    estimator <- if (dim(a)[3] > 1) "stimulus_neuron_trial" else "stimulus_neuron"
    hsic(a, a, estimator = estimator, shared_neurons = is.null(a$neuron))
  }
  hsic(x, y, estimator = "stimulus_neuron_trial") / sqrt(self(x) * self(y))
}

deleted_se <- function(n, f) {
  theta <- vapply(seq_len(n), function(i) f(-i), 0)
  sqrt((n - 1) / n * sum((theta - mean(theta))^2))
}

trial_row <- function(result) result[result$estimator == "stimulus_neuron_trial", ]

test_that("brain_to_brain corrects for trials, as H values of whole regions do", {
  set.seed(16)
  values <- few_trials_array(14, 9, 4)
  values[3, , 4] <- NA
  values[5, 2, 2] <- NA
  both <- responses(values)
  x <- both[, 1:5, ]
  y <- both[, 6:9, 1:3]
  quiet <- function(code) suppressMessages(undefined_is_fine(code), "repalign_message")
  result <- quiet(brain_to_brain(x, y, neurons = 4, repeats = 30))
  expect_identical(result$estimator[4], "stimulus_neuron_trial")
  expect_identical(attr(result, "left_out"),
                   "Trials of `x` and `y` with the same label are taken as recorded together.")
  whole <- quiet(trial_row(brain_to_brain(x[, -1, ], y, neurons = 4, over = "stimuli")))
  expect_equal(whole$pooled, quiet(trial_ratio(x[, -1, ], y)))
  expect_equal(whole$pooled_se,
               deleted_se(14, function(at) quiet(trial_ratio(x[at, -1, ], y[at, , ]))))
  # another scale, another place in a list, and clusters
  listed <- quiet(brain_to_brain(list(a = x[, -1, ], b = y), neurons = 4))
  expect_equal(trial_row(listed)$pooled, whole$pooled)
  labels <- rep(1:7, 2)
  clustered <- responses(values, cluster = labels)
  by_cluster <- quiet(trial_row(brain_to_brain(clustered[, 2:5, ], clustered[, 6:9, 1:3],
                                               neurons = 4, over = "stimuli")))
  expect_equal(by_cluster$pooled, quiet(trial_ratio(clustered[, 2:5, ], clustered[, 6:9, 1:3])))
  expect_equal(by_cluster$pooled_se, deleted_se(7, function(at) {
    kept <- clustered[which(labels != -at), , ]
    quiet(trial_ratio(kept[, 2:5, ], kept[, 6:9, 1:3]))
  }))
})

test_that("random halves and groups of one recording are corrected for trials", {
  set.seed(17)
  x <- responses(few_trials_array(14, 8, 3), neuron = 1:8, session = rep(1:2, each = 4))
  quiet <- function(code) suppressMessages(undefined_is_fine(code), "repalign_message")
  groups <- quiet(brain_to_brain(x, split = x$session, neurons = 4))
  # all pairs of a group are of one session: the default leaves this estimator out
  expect_identical(groups$estimator, c("naive", "stimulus", "stimulus_neuron_trial"))
  expect_equal(trial_row(groups)$pooled, quiet(trial_ratio(x[, 1:4, ], x[, 5:8, ])))
  expect_refused(quiet(brain_to_brain(x, split = x$session, neurons = 4,
                                      estimator = "stimulus_neuron")), "one session")
  one <- responses(as.array(x))
  set.seed(3)
  halves <- quiet(brain_to_brain(one, neurons = 4, repeats = 60,
                                 estimator = "stimulus_neuron_trial"))
  h <- trial_terms(trial_sample(representation(one, "x"), representation(one, "x")))
  members <- function(size, repeats) {
    both <- replicate(repeats, sample.int(8, 2 * size))
    list(a = both[seq_len(size), , drop = FALSE], b = both[size + seq_len(size), , drop = FALSE])
  }
  expect_equal(halves$n_estimates, 60)
  # each choice of halves is the ratio of means of h
  set.seed(2)
  single <- quiet(brain_to_brain(one, neurons = 4, repeats = 1,
                                 estimator = "stimulus_neuron_trial"))
  set.seed(2)
  at <- members(4, 1)
  off <- function(m) mean(m[row(m) != col(m)])
  self <- (off(h[at$a, at$a]) + off(h[at$b, at$b])) / 2
  expect_equal(single$pooled, mean(h[at$a, at$b]) / self)
  # and so are many choices, each mean over all of them
  set.seed(3)
  many <- members(4, 60)
  cross <- mean(mapply(function(a, b) mean(h[a, b]), asplit(many$a, 2), asplit(many$b, 2)))
  own <- mean(vapply(asplit(cbind(many$a, many$b), 2), function(a) off(h[a, a]), 0))
  expect_equal(halves$pooled, cross / own)
})

test_that("labels of objects are the labels of the analyses", {
  set.seed(18)
  values <- few_trials_array(12, 6, 3)
  session <- c(1, 1, 1, 2, 2, 2)
  x <- responses(values, session = session)
  plain <- as.matrix(x)
  quiet <- function(code) suppressMessages(undefined_is_fine(code), "repalign_message")
  estimator <- c("naive", "stimulus", "stimulus_neuron")
  # trials, which only the objects declare, add the columns of their ceilings
  same <- function(a, b) {
    a <- as.data.frame(quiet(a))
    expect_equal(a[!grepl("ceiling|disattenuated", names(a))], as.data.frame(quiet(b)))
  }
  seeded <- function(code) {
    set.seed(1)
    code
  }
  same(seeded(brain_to_brain(x, neurons = 3, repeats = 9, estimator = estimator)),
       seeded(brain_to_brain(plain, neurons = 3, repeats = 9, units_x = session)))
  layers <- list(l = matrix(rnorm(60), 12))
  same(brain_to_model(x, layers, neurons = 6, estimator = estimator),
       brain_to_model(plain, layers, neurons = 6, units = session))
  same(trial_to_trial(x, neurons = 6), trial_to_trial(values, neurons = 6, units = session))
  object <- rep(c("a", "b"), 6)
  expect_message(by_object <- undefined_is_fine(object_disentanglement(x, object, neurons = 6)),
                 class = "repalign_structure_unused")
  same(by_object, object_disentanglement(plain, object, neurons = 6))
  expect_message(brain_to_brain(x, neurons = 3, repeats = 2, estimator = "naive"),
                 "trials and sessions (by \"brain_to_brain\")", fixed = TRUE,
                 class = "repalign_structure_unused")
  expect_refused(quiet(brain_to_brain(x, units_x = session)), "declares its sessions already")
  expect_refused(quiet(brain_to_model(x, layers, units = session)), "declares its sessions already")
  expect_refused(brain_to_brain(plain, estimator = "stimulus_neuron_trial"), "at least two trials")
  expect_refused(trial_to_trial(x, estimator = "stimulus_neuron_trial"), "cannot be")
  # a side without trials has the self term of one trial
  one_sided <- quiet(trial_row(brain_to_brain(responses(values), plain + 0:1, neurons = 6)))
  expect_equal(one_sided$pooled, quiet(trial_ratio(responses(values), responses(plain + 0:1))))
  # labels of a neuron that was recorded twice are never multiplied with each other
  twice <- responses(values, neuron = c("a", "b", "c", "a", "d", "e"))
  parts <- quiet(trial_row(brain_to_brain(twice[, 1:3, ], twice[, 4:6, ], neurons = 3)))
  expect_equal(parts$pooled, quiet(trial_ratio(twice[, 1:3, ], twice[, 4:6, ])))
  named <- responses(values)
  given <- quiet(trial_row(brain_to_brain(named[, 1:3, ], named[, 4:6, ], neurons = 3,
                                          units_x = c("a", "b", "c"), units_y = c("a", "d", "e"))))
  expect_equal(given$pooled, parts$pooled)
})

test_that("brain_to_model corrects the region for trials, and layers as before", {
  set.seed(19)
  x <- responses(few_trials_array(12, 6, 3))
  layer <- matrix(rnorm(60), 12) + as.matrix(x)[, 1]
  quiet <- function(code) suppressMessages(undefined_is_fine(code), "repalign_message")
  result <- quiet(trial_row(brain_to_model(x, list(l = layer), neurons = 6, over = "stimuli")))
  expect_equal(result$pooled, quiet(trial_ratio(x, responses(layer))))
  expect_equal(result$pooled_se, deleted_se(12, function(at) {
    quiet(trial_ratio(x[at, , ], responses(layer[at, ])))
  }))
  expect_identical(quiet(brain_to_model(x, list(l = layer), neurons = 6,
                                        normalize = "sd"))$estimator[4], "stimulus_neuron_trial")
})

test_that("normalisation divides all trials of a neuron by one number", {
  set.seed(20)
  x <- responses(few_trials_array(12, 4, 3))
  y <- responses(few_trials_array(12, 4, 3))
  quiet <- function(code) suppressMessages(undefined_is_fine(code), "repalign_message")
  scaled <- function(x) {
    responses(as.array(x) / rep(rep(apply(as.matrix(x), 2, sd), each = 12), 3))
  }
  expect_equal(as.data.frame(quiet(brain_to_brain(x, y, neurons = 4, normalize = "sd"))),
               as.data.frame(quiet(brain_to_brain(scaled(x), scaled(y), neurons = 4))))
})

test_that("what has no effect is judged by the estimator that responses objects get", {
  set.seed(22)
  x <- responses(few_trials_array(12))
  y <- responses(few_trials_array(12))
  said <- function(code) {
    seen <- NULL
    withCallingHandlers(undefined_is_fine(few_is_fine(code)), repalign_message = function(m) {
      seen <<- c(seen, conditionMessage(m))
      invokeRestart("muffleMessage")
    })
    paste(grep("no effect", seen, value = TRUE), collapse = "")
  }
  for (f in list(cka, hsic, angular_cka)) {
    expect_identical(said(f(x, y, units_x = 1:4, units_y = 3:6)), "")
    expect_identical(said(f(x, y, shared_neurons = TRUE)), "")
    expect_identical(said(f(x, y, clusters = rep(1:6, 2))), "")
    expect_match(said(f(x, y, estimator = "naive", clusters = rep(1:6, 2))),
                 "only the corrected estimators go over clusters", fixed = TRUE)
    expect_match(said(f(x, y, estimator = "stimulus_trial", shared_neurons = TRUE)),
                 "no effect on the estimator \"stimulus_trial\"", fixed = TRUE)
    # plain matrices have the default of old
    expect_match(said(f(as.matrix(x), as.matrix(y), units_x = 1:4, units_y = 3:6)),
                 "`units_x` and `units_y` have no effect on the estimator \"naive\"", fixed = TRUE)
    expect_match(said(f(as.matrix(x), as.matrix(y), clusters = rep(1:6, 2))),
                 "only \"stimulus\" and \"stimulus_neuron\" go over clusters", fixed = TRUE)
  }
  # a measure knows no data
  expect_match(said(measure("cka", units_x = 1:4, units_y = 3:6)), "\"naive\"", fixed = TRUE)
})

test_that("rows are numbered as trials only where neurons have equally many", {
  set.seed(23)
  long <- long_frame(few_trials_array())
  long$day <- ifelse(long$unit <= 2, "mon", "tue")
  short <- long[!(long$image == "c" & long$unit == 2 & long$rep == 1), ]
  error <- expect_refused(responses(short, "image", "unit", value = "count"),
                          c("stimulus \"c\"", "neuron \"1\" has 3 responses",
                            "neuron \"2\" has 2 responses", "column of trial labels in `trial`"))
  expect_s3_class(error, "repalign_error_trials")
  expect_identical(error$arg, "trial")
  # labels, rows of NA, and neurons that were not recorded together are no problem
  named <- responses(short, "image", "unit", "rep", value = "count")
  expect_identical(as.vector(is.na(named$values["c", , "1"])), c(FALSE, TRUE, FALSE, FALSE))
  filled <- transform(long, count = ifelse(image == "c" & unit == 2 & rep == 1, NA, count))
  expect_identical(unname(responses(filled, "image", "unit", value = "count")$values),
                   unname(named$values))
  expect_refused(responses(short, "image", "unit", value = "count", session = "day"), "\"1\" has 3")
  other <- long[!(long$image == "c" & long$unit > 2 & long$rep == 1), ]
  expect_s3_class(responses(other, "image", "unit", session = "day", value = "count"),
                  "repalign_responses")
  # a neuron without the stimulus
  expect_s3_class(responses(long[!(long$image == "c" & long$unit == 2), ], "image", "unit",
                            value = "count"), "repalign_responses")
})

test_that("trial_to_trial() says that it takes runs as trials, and refuses shared events", {
  set.seed(24)
  values <- few_trials_array(12, 6, 3)
  quiet <- function(code) suppressMessages(undefined_is_fine(code), "repalign_message")
  runs <- responses(values, run = TRUE)
  said <- expect_message(undefined_is_fine(trial_to_trial(runs, neurons = 6)),
                         class = "repalign_structure_unused")
  expect_match(conditionMessage(said), "runs (by \"trial_to_trial\")", fixed = TRUE)
  expect_identical(quiet(trial_to_trial(runs, neurons = 6)),
                   quiet(trial_to_trial(values, neurons = 6)))
  blocks <- responses(values, event = c("a", "a", "b"))
  error <- expect_refused(quiet(trial_to_trial(blocks, neurons = 6)),
                          c("trials of one event share noise", "one trial of each event"))
  expect_s3_class(error, "repalign_error_trials")
  expect_s3_class(quiet(trial_to_trial(blocks[, , 2:3], neurons = 6)), "repalign_analysis")
  expect_no_message(undefined_is_fine(trial_to_trial(responses(values, event = 3:1), neurons = 6)),
                    class = "repalign_structure_unused")
})
