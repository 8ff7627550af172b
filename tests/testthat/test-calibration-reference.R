# Calibrations computed beforehand from given permutations.

calibration_inputs <- function(case, aggregate) {
  if (aggregate == "none") return(stats::setNames(reference_sides(case, "XY"), c("x", "y")))
  layers <- function(side, numbers) {
    list <- lapply(numbers, function(l) reference_matrix(paste0(case, "_layer", side, l)))
    stats::setNames(list, paste0("layer", numbers))
  }
  list(x = layers("X", 1:3), y = layers("Y", 1:2))
}

test_that("score, threshold, p-value, calibrated score and null mean agree with given permutations", {
  rows <- read.csv(shared_file("reference", "expected_calibration.csv"))
  expect_identical(nrow(rows), 57L)
  columns <- c("score", "threshold", "p_value", "calibrated", "null_mean")
  seen <- 0
  for (i in seq_len(nrow(rows))) {
    row <- rows[i, ]
    sides <- calibration_inputs(row$case, row$aggregate)
    args <- if (is.na(row$args)) list() else eval(parse(text = paste0("list(", row$args, ")")))
    result <- quietly(calibrate(
      sides$x, sides$y, do.call(measure, c(list(row$id), args)), alpha = 0.05,
      permutations = reference_matrix(paste0(row$case, "_perms_K199_one_based")),
      aggregate = if (row$aggregate != "none") row$aggregate
    ))
    expect_identical(nrow(result), 1L)
    for (column in columns[!is.na(unlist(row[columns]))]) {
      expect_relative(result[[column]], row[[column]], row$tolerance,
                      paste(row$case, row$aggregate, row$id, row$args, column))
      seen <- seen + 1
    }
    expect_equal(result$permutations, 199)
  }
  expect_gte(seen, 200)
})
