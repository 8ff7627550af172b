# The entry points of the C code: what they say of arguments that do not fit.

test_that("every entry point names itself and the argument in its errors", {
  routines <- getDLLRegisteredRoutines("repalign")$.Call
  for (name in names(routines)) {
    count <- routines[[name]]$numParameters
    # two take whatever users give
    if (count == 0 || name %in% c("foreign_texts", "bare_pair")) next
    for (wrong in list("text", NULL, list())) {
      said <- tryCatch(do.call(.Call, c(list(routines[[name]]), rep(list(wrong), count))),
                       error = conditionMessage)
      expect_match(said, paste0("^repalign_", name, ": `[a-z_]+` must "))
    }
  }
})

test_that("an error says what the argument must be", {
  rows <- matrix(rnorm(12), 4)
  expect_error(.Call(C_knn, rows, double(3), 1, 0L, 4L, 1L, NULL, NULL),
               "repalign_knn: `k` must be a whole number from 1 to 3", fixed = TRUE)
  expect_error(.Call(C_knn, rows, double(3), 1, 4L, 2L, 1L, NULL, NULL),
               "repalign_knn: `how` must be a whole number from 0 to 3", fixed = TRUE)
  expect_error(.Call(C_loo_pairs, rows, rows, 1:2, 1L),
               "repalign_loo_pairs: `iy` must hold 2 integers", fixed = TRUE)
  expect_error(.Call(C_sparse_sums, list(n = 3)),
               "repalign_sparse_sums: `form` must have an element `idx`", fixed = TRUE)
  expect_error(.Call(C_packed_sum, 1:3 / 2, NA, 1L),
               "repalign_packed_sum: `square` must be TRUE or FALSE", fixed = TRUE)
  expect_error(.Call(C_kendall, c(1, 2, 3), c(1, 2, 0), FALSE, 1L),
               "repalign_kendall: `ranks_y` must hold average ranks", fixed = TRUE)
  # what has no rows, columns or sides
  none <- matrix(0L, 5, 0)
  expect_error(.Call(C_shared_neighbours, none, none), "`x` must have columns", fixed = TRUE)
  expect_error(.Call(C_distances, matrix(0, 0, 2), c(0, 0), 1, 1L, NULL), "`x` must have rows",
               fixed = TRUE)
  expect_error(.Call(C_column_stats, matrix(0, 0, 2)), "`x` must have rows", fixed = TRUE)
  expect_error(.Call(C_crossnobis, matrix(0, 0, 4), 2L), "there are no rows", fixed = TRUE)
  expect_error(.Call(C_crossnobis, matrix(0, 3, 0), 2L), "`runs` must divide", fixed = TRUE)
  expect_error(.Call(C_weighted_ranks, list(first = 1L, second = 2L), NULL, NULL,
                     matrix(1, 4), 1e6, 1L), "`x` must have a side", fixed = TRUE)
})
