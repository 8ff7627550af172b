# Values computed by the published implementations, or by their formulas in double
# precision where those are wrong.

expect_reference_rows <- function(rows) {
  for (i in seq_len(nrow(rows))) {
    row <- rows[i, ]
    sides <- reference_sides(row$case, row$order)
    args <- eval(parse(text = paste0("list(", row$args, ")")))
    value <- suppressWarnings(suppressMessages(do.call(row$id, c(sides, args))))
    expect_relative(value, row$expected, row$tolerance,
                    paste(row$case, row$order, row$id, row$args))
  }
}

test_that("every measure agrees with the published values", {
  rows <- read.csv(shared_file("reference", "expected.csv"))
  expect_identical(nrow(rows), 885L)
  # angular_cka is the angle of cka, which has rows: see the definitions; the others have reference
  # values of their own (test-rsa-outer.R, test-shape-distance.R, test-soft-matching.R)
  expect_setequal(setdiff(rows$id, "hsic"),
                  setdiff(measures()$id, c("angular_cka", "bures", "bures_distance", "riemann",
                                           "shape_distance", "soft_matching",
                                           "soft_matching_correlation")))
  expect_reference_rows(rows)
})

# x and y of a case; for the classifiers' logits also labels, which count from 1 here.
other_inputs <- function(case) {
  if (case != "pf") return(stats::setNames(reference_sides(case, "XY"), c("x", "y")))
  list(x = reference_matrix("pf_logitsA"), y = reference_matrix("pf_logitsB"),
       labels = as.vector(reference_matrix("pf_labels_zero_based")) + 1)
}

test_that("options, unit labels and classifier outputs agree with their definitions", {
  rows <- read.csv(shared_file("reference", "expected_other.csv"))
  expect_identical(nrow(rows), 42L)
  for (i in seq_len(nrow(rows))) {
    value <- suppressWarnings(suppressMessages(
      eval(parse(text = rows$expression[i]), other_inputs(rows$case[i]))
    ))
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
    value <- hsic(reference_matrix(paste0("pt_", pair[1])),
                  reference_matrix(paste0("pt_", pair[2])),
                  estimator = estimator[[rows$measure[i]]], shared_neurons = shared)
    expect_relative(value, rows$value[i], 1e-10, paste(rows$measure[i], rows$params[i]))
  }
})
