# Getting data into shape: long tables to arrays, and rows by name.

long_table <- function() {
  long <- expand.grid(image = c("b", "a", "c"), unit = c(10, 2), rep = 1:3,
                      stringsAsFactors = FALSE)
  long$count <- seq_len(nrow(long)) * 10
  long
}

test_that("trial_array puts every response where its names say", {
  long <- long_table()
  result <- trial_array(long, "image", "unit", "rep", "count")
  expect_identical(dim(result), c(3L, 2L, 3L))
  expect_type(result, "double")
  for (i in seq_len(nrow(long))) {
    expect_identical(result[long$image[i], as.character(long$unit[i]), as.character(long$rep[i])],
                     long$count[i])
  }
})

test_that("the order of rows does not matter to the values, and stimuli keep their first order", {
  long <- long_table()
  result <- trial_array(long, "image", "unit", "rep", "count")
  # strings in order of appearance, numbers sorted
  expect_identical(dimnames(result), list(c("b", "a", "c"), c("2", "10"), c("1", "2", "3")))
  set.seed(1)
  shuffled <- trial_array(long[sample(nrow(long)), ], "image", "unit", "rep", "count")
  expect_identical(shuffled[dimnames(result)[[1]], , ], result)
  # factors in the order of their levels, without those that are not there
  long$image <- factor(long$image, c("c", "b", "z", "a"))
  by_level <- trial_array(long, "image", "unit", "rep", "count")
  expect_identical(dimnames(by_level)[[1]], c("c", "b", "a"))
  expect_identical(by_level["a", , ], result["a", , ])
})

test_that("numbers sort as numbers", {
  long <- expand.grid(s = c(10, 9, 100), u = 1, t = 1)
  long$v <- long$s
  result <- trial_array(long, "s", "u", "t", "v")
  expect_identical(dimnames(result)[[1]], c("9", "10", "100"))
  expect_identical(as.vector(result), c(9, 10, 100))
})

test_that("missing repeats are NA, and only they", {
  long <- long_table()
  gone <- long$image == "a" & long$unit == 2 & long$rep == 2
  result <- trial_array(long[!gone, ], "image", "unit", "rep", "count")
  expect_identical(which(is.na(result)),
                   which(slice.index(result, 1) == 2 & slice.index(result, 2) == 1 &
                                                 slice.index(result, 3) == 2))
  # a response that is missing in the table stays missing
  long$count[4] <- NA
  expect_identical(sum(is.na(trial_array(long, "image", "unit", "rep", "count"))), 1L)
})

test_that("without trial numbers, repeats are counted within neuron and stimulus", {
  long <- data.frame(
    stimulus = c("a", "b", "a", "a", "b", "a", "b"), neuron = c(1, 1, 1, 2, 2, 2, 2),
    value = c(1, 2, 3, 4, 5, 6, 7)
  )
  result <- trial_array(long, "stimulus", "neuron", value = "value")
  expect_identical(dim(result), c(2L, 2L, 2L))
  expect_identical(result["a", "1", ], c("1" = 1, "2" = 3))
  expect_identical(result["b", "1", ], c("1" = 2, "2" = NA))
  expect_identical(result["a", "2", ], c("1" = 4, "2" = 6))
  expect_identical(result["b", "2", ], c("1" = 5, "2" = 7))
  # names that would collide when pasted together
  tricky <- data.frame(s = c("a.b", "a"), n = c("c", "b.c"), v = 1:2)
  expect_identical(dim(trial_array(tricky, "s", "n", value = "v")), c(2L, 2L, 1L))
})

test_that("the result goes into trial_to_trial()", {
  set.seed(2)
  long <- expand.grid(s = 1:8, u = 1:4, t = 1:3)
  long$v <- rnorm(8)[long$s] * c(1, -1, 1, 1)[long$u] + 0.3 * rnorm(nrow(long))
  stack <- trial_array(long, "s", "u", "t", "v")
  slices <- lapply(1:3, function(t) stack[, , t])
  expect_identical(trial_to_trial(stack, neurons = 4), trial_to_trial(slices, neurons = 4))
})

test_that("logical and integer responses are numbers, also in tables with a class of their own", {
  long <- long_table()
  long$count <- long$count > 50
  expect_identical(sum(trial_array(long, "image", "unit", "rep", "count")), sum(long$count) + 0)
  class(long) <- c("tbl_df", "tbl", "data.frame")
  expect_identical(dim(trial_array(long, "image", "unit", "rep", "count")), c(3L, 2L, 3L))
})

test_that("duplicates and bad columns are errors that name the place", {
  long <- long_table()
  twice <- rbind(long, long[5, ])
  expect_refused(trial_array(twice, "image", "unit", "rep", "count"),
                 c("more than once", "\"a\"", "\"2\"", "\"1\"", "row 19"))
  expect_refused(trial_array(long, "imag", "unit", "rep", "count"), c("imag", "\"image\""))
  expect_refused(trial_array(long, "image", "unit", "rep", "counts"), c("counts", "\"count\""))
  expect_refused(trial_array(long, "image", NULL, "rep", "count"), "neuron")
  expect_refused(trial_array(long, c("image", "unit"), "unit", "rep", "count"), "stimulus")
  expect_refused(trial_array(long, "image", NA_character_, "rep", "count"), "neuron")
  expect_refused(trial_array(long, "image", "unit", 3, "count"), "trial")
  expect_refused(trial_array(long, "image", "unit", "rep", "image"), c("image", "numeric"))
  expect_refused(trial_array(as.matrix(long), "image", "unit", "rep", "count"), "`data`")
  expect_refused(trial_array(NULL, "image", "unit", "rep", "count"), "`data`")
  long$unit[7] <- NA
  expect_refused(trial_array(long, "image", "unit", "rep", "count"), c("unit", "row 7"))
  long <- long_table()
  long$count <- factor(long$count)
  expect_refused(trial_array(long, "image", "unit", "rep", "count"), c("count", "numeric"))
  expect_error(trial_array(long_table(), "image", "unit", "rep"), "value")
})

test_that("an empty table leads to an error, at once or where the array is used", {
  expect_refused(trial_to_trial(trial_array(long_table()[0, ], "image", "unit", "rep", "count")),
                 "data|trials")
})

test_that("an array beyond the memory limit is refused", {
  withr::local_options(repalign.max_memory = 1e4)
  long <- data.frame(s = 1:50, u = 1:50, t = 1, v = 1)
  expect_refused(trial_array(long, "s", "u", "t", "v"), "max_memory")
})

# --- match_rows

named_matrix <- function(names, columns = 2) {
  matrix(seq_along(names) + 0, length(names), columns, dimnames = list(names, NULL))
}

test_that("match_rows aligns by name, in the order of x, and counts what is left out", {
  x <- named_matrix(c("face", "car", "tree", "dog"))
  y <- named_matrix(c("tree", "face", "house"), 3)
  messages <- list()
  result <- withCallingHandlers(match_rows(x, y), message = function(m) {
    messages <<- c(messages, list(m))
    invokeRestart("muffleMessage")
  })
  expect_identical(names(result), c("x", "y"))
  expect_identical(lapply(result, rownames), list(x = c("face", "tree"), y = c("face", "tree")))
  expect_identical(unname(result$x[, 1]), c(1, 3))
  expect_identical(unname(result$y[, 3]), c(2, 1))
  expect_length(messages, 1)
  expect_s3_class(messages[[1]], "repalign_left_out")
  expect_match(conditionMessage(messages[[1]]), "2 of `x`")
  expect_match(conditionMessage(messages[[1]]), "1 of `y`")
})

test_that("match_rows is silent when nothing is left out, and cka() takes what it returns", {
  set.seed(3)
  x <- normal_matrix(6, 3)
  rownames(x) <- letters[1:6]
  shuffled <- x[c(3, 1, 6, 2, 5, 4), ]
  expect_silent(result <- match_rows(x, shuffled))
  expect_identical(result, list(x = x, y = x))
  expect_equal(do.call(cka, result), 1, tolerance = 1e-12)
  expect_equal(do.call(cka, match_rows(as.data.frame(x), shuffled)), 1, tolerance = 1e-12)
  # one row in common keeps its shape
  one <- suppressMessages(match_rows(x, x["c", , drop = FALSE]))
  expect_identical(dim(one$x), c(1L, 3L))
})

test_that("match_rows keeps missing values and works on named data frames", {
  x <- data.frame(u = c(1, NA, 3), v = c(4, 5, NaN), row.names = c("p", "q", "r"))
  y <- named_matrix(c("r", "q", "p"))
  result <- match_rows(x, y)
  expect_identical(result$x["q", "u"], NA_real_)
  expect_identical(result$x["r", "v"], NaN)
  expect_identical(rownames(result$y), c("p", "q", "r"))
  expect_true(is.matrix(result$x) && is.double(result$x))
})

test_that("match_rows refuses what has no names, doubled names, or none in common", {
  x <- named_matrix(c("a", "b"))
  expect_refused(match_rows(unname(x), x), c("`x`", "no row names"))
  expect_refused(match_rows(x, unname(x)), c("`y`", "no row names"))
  expect_refused(match_rows(as.data.frame(unname(x)), x), c("`x`", "no row names"))
  expect_refused(match_rows(named_matrix(c("a", "b", "a")), x), c("`x`", "\"a\"", "more than once"))
  expect_refused(match_rows(x, named_matrix(c("b", "b"))), c("`y`", "\"b\"", "more than once"))
  expect_refused(match_rows(x, named_matrix(c("A", "B"))), c("in common", "\"a\"", "\"A\""))
  expect_refused(match_rows(x, named_matrix(c("a", NA))), "`y`")
  expect_error(match_rows(x), "y")
  expect_refused(match_rows(list(x), x), "`x`")
})
