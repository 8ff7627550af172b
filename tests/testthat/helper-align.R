# The inputs and values of ../shared/reference/align.

align_file <- function(name) {
  path <- shared_file("reference", "align", paste0(name, ".csv"))
  key <- paste("align", name)
  if (is.null(read_tables[[key]])) read_tables[[key]] <- read.csv(path)
  read_tables[[key]]
}

# A matrix of inputs.csv, or an array of trials.
align_input <- function(name) {
  rows <- align_file("inputs")
  rows <- rows[rows$matrix == name, ]
  size <- c(max(rows$row), max(rows$column), if (!anyNA(rows$trial)) max(rows$trial))
  values <- array(NA_real_, size)
  values[as.matrix(rows[c("row", "column", "trial")[seq_along(size)]])] <- rows$value
  values
}

align_labels <- function(case) {
  rows <- align_file("labels")
  rows[rows$case == case, ]
}

# Values of a quantity with their arguments as a list, such as list(lambda = 1, neuron = 2).
align_values <- function(quantity) {
  rows <- align_file("values")
  rows <- rows[rows$quantity %in% quantity, ]
  # names without a value of R stand for themselves
  rows$parsed <- lapply(rows$args, function(text) {
    text <- sub("^m predicts t, ", "", text)
    as.list(str2lang(paste0("list(", gsub("folds$", "\"folds\"", text), ")")))[-1]
  })
  rows
}

expect_align <- function(value, row) {
  error <- abs(value - row$value) / max(1, abs(row$value))
  expect(isTRUE(error <= row$tolerance),
         sprintf("%s, %s, %s: %.17g, expected %.17g", row$case, row$quantity, row$args, value,
                 row$value))
}
