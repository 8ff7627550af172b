# Reference values of alignment: ../shared/reference/align.

align_table <- function(name) {
  path <- shared_file("reference", "align", paste0(name, ".csv"))
  key <- paste0("align/", name)
  if (is.null(read_tables[[key]])) read_tables[[key]] <- read.csv(path, stringsAsFactors = FALSE)
  read_tables[[key]]
}

# A matrix of inputs.csv.
align_input <- function(name) {
  at <- align_table("inputs")
  at <- at[at$matrix == name, ]
  data <- matrix(NA_real_, max(at$row), max(at$column))
  data[cbind(at$row, at$column)] <- at$value
  data
}

align_sides <- function(case) {
  list(x = align_input(paste0(case, "_x")), y = align_input(paste0(case, "_y")))
}

# The rows of values.csv with this quantity; `args` as a list of values in each row, without the
# words about the training set, which stand in `train`.
align_rows <- function(quantity) {
  rows <- align_table("values")
  rows <- rows[rows$quantity == quantity, ]
  rows$train <- grepl("train = odd folds", rows$args)
  rows$args <- lapply(sub(",? ?train = odd folds", "", rows$args), function(text) {
    eval(parse(text = paste0("list(", text, ")")))
  })
  rows
}

# A tolerance is relative, and absolute below 1.
note_align <- function(value, row) {
  good <- isTRUE(abs(value - row$value) <= row$tolerance * max(1, abs(row$value)))
  note(good, sprintf("%s %s %s: %.15g, not %.15g", row$case, row$quantity,
                     paste(names(row$args[[1]]), row$args[[1]], collapse = " "), value, row$value))
}
