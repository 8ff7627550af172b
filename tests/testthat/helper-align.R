# Reference values of alignment and feature spaces: ../shared/reference/align and spaces.

align_table <- function(name, folder = "align") {
  path <- shared_file("reference", folder, paste0(name, ".csv"))
  key <- paste0(folder, "/", name)
  if (is.null(read_tables[[key]])) read_tables[[key]] <- read.csv(path, stringsAsFactors = FALSE)
  read_tables[[key]]
}

# A matrix of inputs.csv, or an array of trials.
align_input <- function(name, folder = "align") {
  at <- align_table("inputs", folder)
  at <- at[at$matrix == name, ]
  sides <- c("row", "column", if (!anyNA(at$trial)) "trial")
  data <- array(NA_real_, vapply(at[sides], max, 0))
  data[as.matrix(at[sides])] <- at$value
  data
}

align_labels <- function(case) {
  rows <- align_table("labels")
  rows[rows$case == case, ]
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

# The rows of values.csv of encodings, whose arguments are code that stays unevaluated, because some
# are words.
encoding_rows <- function(quantity) {
  rows <- align_table("values")
  rows <- rows[rows$quantity %in% quantity, ]
  rows$parsed <- lapply(rows$args, function(text) {
    text <- sub("^m predicts t, ", "", text)
    as.list(str2lang(paste0("list(", gsub("folds$", "\"folds\"", text), ")")))[-1]
  })
  rows
}
