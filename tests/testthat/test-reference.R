# Values computed by the published implementations, or by their formulas in double
# precision where those are wrong. Rows of measures that are not here yet wait.

expected_rows <- function(ids) {
  rows <- read.csv(shared_file("reference", "expected.csv"))
  rows[rows$id %in% ids & !grepl("manifold", rows$args), ]
}

expect_reference_rows <- function(ids, least) {
  rows <- expected_rows(ids)
  expect_gte(nrow(rows), least)
  for (i in seq_len(nrow(rows))) {
    row <- rows[i, ]
    sides <- reference_sides(row$case, row$order)
    args <- eval(parse(text = paste0("list(", row$args, ")")))
    value <- do.call(row$id, c(sides, args))
    expect_relative(value, row$expected, row$tolerance,
                    paste(row$case, row$order, row$id, row$args))
  }
}

test_that("hsic agrees with the published values", {
  expect_reference_rows("hsic", 66)
})

test_that("cka agrees with the published values", {
  expect_reference_rows("cka", 63)
})

test_that("rv agrees with the published values", {
  expect_reference_rows("rv", 12)
})

test_that("unit labels and participation ratios agree with their definitions", {
  rows <- read.csv(shared_file("reference", "expected_other.csv"))
  rows <- rows[grepl("^(hsic|cka|participation_ratio)\\(", rows$expression), ]
  expect_gte(nrow(rows), 30)
  for (i in seq_len(nrow(rows))) {
    sides <- reference_sides(rows$case[i], "XY")
    value <- eval(parse(text = rows$expression[i]), list(x = sides[[1]], y = sides[[2]]))
    expect_relative(value, rows$expected[i], rows$tolerance[i],
                    paste(rows$case[i], rows$expression[i]))
  }
})

test_that("tiny matrices agree with exact sums over disjoint indices", {
  rows <- read.csv(shared_file("reference", "reference.csv"))
  rows <- rows[rows$case == "pt" & rows$variant == "brute_force", ]
  expect_gte(nrow(rows), 6)
  estimator <- c(H_0 = "naive", H_S = "stimulus", H_C = "stimulus_neuron")
  for (i in which(rows$measure %in% names(estimator))) {
    pair <- strsplit(sub("^pair=([A-Z],[A-Z]).*", "\\1", rows$params[i]), ",")[[1]]
    shared <- grepl("shared", rows$params[i]) || pair[1] == pair[2]
    value <- hsic(reference_matrix(paste0("pt_", pair[1])), reference_matrix(paste0("pt_", pair[2])),
                  estimator = estimator[[rows$measure[i]]], shared_neurons = shared)
    expect_relative(value, rows$value[i], 1e-10, paste(rows$measure[i], rows$params[i]))
  }
})
