# The words of notes, warnings and errors, by snapshots (tests/testthat/_snaps/messages.md). That
# errors name argument, place and remedy for every measure is checked in test-contract.R and
# test-bad-input.R; here stands what users read, whole. The data are made by formulas.

waves <- function(columns, n = 12) {
  outer(seq_len(n), columns, function(i, k) cos(i * k) + i * k / 20)
}

# Prints what `code` says, a line each, with its class. (How testthat itself prints conditions
# differs between its versions.)
say <- function(code) {
  print_condition <- function(condition) {
    kind <- intersect(c("error", "warning", "message"), class(condition))
    text <- sub("\n$", "", conditionMessage(condition))
    cat(kind, ", ", class(condition)[1], ":\n", text, "\n", sep = "")
  }
  tryCatch(withCallingHandlers(
    {
      code
      invisible()
    },
    warning = function(w) {
      print_condition(w)
      invokeRestart("muffleWarning")
    },
    message = function(m) {
      print_condition(m)
      invokeRestart("muffleMessage")
    }
  ), error = print_condition)
}

named <- function(x, names = paste0("s", seq_len(nrow(x)))) {
  rownames(x) <- names
  x
}

x <- waves(1:5)
y <- waves(3:7)

test_that("errors about data", {
  broken <- y
  broken[c(7, 9), 3] <- NA
  expect_snapshot({
    say(cka(x, y[-1, ]))
    say(cka(x, broken))
    say(cka(x, 0 * y))
    say(cka(x, letters))
    say(cka(x))
    say(cka(x, waves(3:7, 30)[1:5, 1:4]))
    say(cka(named(x), named(y, paste0("s", 2:13))))
    say(cka(cbind(neuron = 1:12, x), y))
    say(soft_correlation_match(x, cbind(y, 1)))
    say(aligned_cosine(rbind(0, x[-1, ]), y))
    say(rsa(x[, 1, drop = FALSE], y))
    say(similarity(list(a = x, b = y[1:9, ])))
  })
})

test_that("errors about arguments", {
  expect_snapshot({
    say(similarity(x, y, "mknn"))
    say(similarity(x, y, "jsd"))
    say(measure("cka", estimator = "debiased"))
    say(measure("cka", estimator = "debiased", estimator = "naive"))
    say(measure("mutual_knn", n_neighbors = 5))
    say(mutual_knn(x, y, k = 12))
    say(cka(x, y, units_x = 1:4))
    say(cka(x, y, "rbf", "stimulus_neuron"))
    say(calibrate(x, y, "imd"))
    say(calibrate(x, y, permutations = rbind(c(1, 1:11))))
    say(new_measure(function(x) 1))
  })
  withr::local_options(repalign.max_memory = 1e3)
  expect_snapshot({
    say(cka(x, y, kernel = "rbf"))
  })
})

test_that("warnings", {
  expect_snapshot({
    say(cka(x[1:6, ], y[1:6, ], estimator = "stimulus_neuron"))
    say(mutual_knn(x, y, k = 11))
    say(linear_regression(x, waves(1:14)))
    say(svcca(x, y, variance = 0.5, components = 2))
    say(rsa(x[, 1:2], y))
  })
  # which of the tied neighbours are taken is drawn, what is said of them is not
  set.seed(1)
  expect_snapshot({
    say(mutual_knn(round(x), y, k = 3, metric = "euclidean", ties = "random"))
    say(rsa(diag(6), y[1:6, ]))
  })
})

test_that("notes", {
  expect_snapshot({
    say(cka(named(x), y))
    say(cka(x, y, units_x = 1:5, units_y = 1:5))
    say(calibrate(x, y, permutations = 15, engine = "random"))
    say(calibrate(x, y, permutations = rbind(12:1)))
    say(calibrate(x, y, permutations = rbind(1:12, 12:1)))
    say(svcca(cbind(x, x[, 1]), y, components = 6))
    say(match_rows(list(a = named(x), b = named(y)[10:3, ])))
  })
  shared <- `colnames<-`(x, paste0("n", 1:5))
  expect_snapshot({
    say(cka(shared, shared + y, estimator = "stimulus_neuron"))
  })
})

test_that("the argument `na` is advised where there is one", {
  x <- matrix(rnorm(60), 20)
  holes <- replace(x, 5, NA)
  with_na <- list(function() similarity(holes, x), function() calibrate(holes, x),
                  function() score_interval(holes, x), function() cka(holes, x),
                  function() prepare(holes, "cka"), function() cka_interval(holes, x),
                  function() score_weighted(holes, x, weights = rep(1, 20)),
                  function() predicted_bias(holes, x), function() plan_recording(holes, x),
                  function() subject_ceiling(list(holes, x)))
  # no neuron can be left out of what is read in chunks, nor a class of outputs
  stimuli_only <- list(function() stream_cka(list(x = holes, y = x)), function() jsd(holes, x))
  said <- function(call) conditionMessage(expect_error(call(), class = "repalign_error_nonfinite"))
  for (call in with_na) expect_match(said(call), "na = \"stimuli\"", fixed = TRUE)
  for (call in with_na) expect_match(said(call), "or \"neurons\"", fixed = TRUE)
  for (call in stimuli_only) {
    expect_match(said(call), "na = \"stimuli\" leaves out", fixed = TRUE)
  }
})

test_that("a choice among nothing is an error that says so", {
  expect_error(repalign:::check_choice("a", character(), "z"), "nothing to choose from",
               class = "repalign_error_choice")
})

test_that("counts agree with what is counted", {
  expect_identical(count_of(1, "stimulus"), "1 stimulus")
  expect_identical(count_of(2, "stimulus"), "2 stimuli")
  expect_identical(count_of("2 to 5", "different row"), "2 to 5 different rows")
  expect_identical(count_of("1", "minibatch"), "1 minibatch")
  expect_identical(count_of(0, "minibatch"), "0 minibatches")
  x <- normal_matrix(20, 4)
  expect_warning(suppressMessages(calibrate(x, x, permutations = rbind(1:20, 1:20, 1:20))),
                 "only 1 different row among 3")
  expect_error(cka(x, x, estimator = "stimulus_neuron", units_x = 1, units_y = 1:4),
               "has 1 label, but `x` has 4 columns")
  expect_output(print(responses(x, session = rep(c("a", "b"), each = 2), cluster = 1:20)),
                "with 1 stimulus each")
})

test_that("strong stimuli are told with the measure, also by cka_interval()", {
  x <- normal_matrix(20, 10) * c(9, 9, rep(1, 18))
  y <- normal_matrix(20, 10) * c(9, 9, rep(1, 18))
  expect_message(cka_interval(x, y, "naive", over = "stimuli"), "influence on cka\\(naive\\) of",
                 class = "repalign_strong_stimuli")
})

# Texts of a message are filled in one by one, where they are arguments themselves.
test_that("no text with {braces} stands where it is not filled in", {
  namespace <- asNamespace("repalign")
  heads <- c("refuse", "refuse_if", "warn", "warn_if", "inform", "inform_if", "refuse_file",
             "refuse_file_if")
  expect_identical(heads[!heads %in% ls(namespace)], character())
  found <- character()
  # place: outside of messages, an argument of one, or within another call in it
  look <- function(code, place) {
    if (is.character(code)) {
      found <<- c(found, switch(
        place, argument = grep("[{}]", gsub("[{][^{}]+[}]", "", code), value = TRUE),
        within = grep("[{][a-zA-Z]", code, value = TRUE)
      ))
    } else if (is.call(code)) {
      is_message <- is.name(code[[1]]) && as.character(code[[1]]) %in% heads
      place <- if (is_message) "argument" else if (place == "outside") place else "within"
      parts <- as.list(code)[-1]
      # x[1, ] has an argument without anything
      for (at in which(!vapply(parts, identical, NA, quote(expr = )))) look(parts[[at]], place)
    }
  }
  for (f in Filter(is.function, mget(ls(namespace), namespace))) look(body(f), "outside")
  expect_identical(found, character())
  look(quote(refuse_if(bad, "value", "{good} ", if (bad) "{bad}", " {format(", "1)}")), "outside")
  expect_identical(found, c("{bad}", " {format(", "1)}"))
})
