# The reference values and recordings live outside the package; REPALIGN_SHARED
# names their folder. Tests that need them skip where it is absent.

shared_file <- function(...) {
  folder <- Sys.getenv("REPALIGN_SHARED")
  path <- file.path(folder, ...)
  if (folder == "" || !file.exists(path)) {
    skip(paste("REPALIGN_SHARED does not hold", file.path(...)))
  }
  path
}

# Tables are read once.
read_tables <- new.env()

reference_matrix <- function(name) {
  path <- shared_file("reference", "inputs", paste0(name, ".csv"))
  if (is.null(read_tables[[name]])) {
    read_tables[[name]] <- unname(as.matrix(read.csv(path, header = FALSE)))
  }
  read_tables[[name]]
}

# x and y of a row of expected.csv, whose order is XY, YX, XX or YY.
reference_sides <- function(case, order) {
  sides <- paste0(case, "_", strsplit(order, "")[[1]])
  lapply(sides, reference_matrix)
}

expect_relative <- function(value, expected, tolerance, label = NULL) {
  error <- abs(value - expected) / max(abs(expected), .Machine$double.eps)
  expect(
    isTRUE(error <= tolerance),
    sprintf("%s: %.17g, expected %.17g, relative error %.3g above %.3g",
            if (is.null(label)) "value" else label, value, expected, error, tolerance)
  )
  invisible(value)
}
