#' A table of responses as a matrix with named stimuli
#'
#' Takes a wide table, with a row for each stimulus and a column for each neuron, apart: the
#' stimuli become row names, the neurons the columns of a numeric matrix. From then on the order
#' of the stimuli is checked wherever two representations meet.
#'
#' @param data a data frame (also a tibble or a data.table), or a matrix with column names, such
#'   as `as.matrix(read.csv(file))` gives.
#' @param stimulus the name of the column that names the stimuli.
#' @param neurons names or numbers of the columns that are neurons; `NULL`: all other columns.
#' @return A numeric matrix, stimuli x neurons, with row and column names. Missing values stay.
#' @details
#' A table often has columns that are no neurons: the number of the image, of the trial, of the
#' row. Taken for a neuron, such a column has far more variance than any other and is the same on
#' both sides, so that unrelated data seem alike (a CKA of 0.999 from `image = 1:60`). Such columns
#' are therefore an error wherever data are read, in data frames and in matrices with
#' column names. A column is taken for an identifier
#' * if it holds whole numbers and its name, in small or capital letters, is `id`, `image`,
#'   `stimulus`, `trial`, `rep`, `session`, `subject` or `row`, or ends in `_id`; or is `X` or
#'   `...1`, as readers of files call a column without a name; or
#' * with 12 rows or more, if it holds consecutive whole numbers in any order, or numbers that
#'   rise or fall by equal steps from row to row, unless all columns are like that (ranks).
#'
#' Tables of zeros and ones with a single one in each row (one-hot) are never refused for their
#' names.
#'
#' With `neurons` you say yourself which columns are neurons, and none of them is questioned
#' again: where one of them does look like an identifier, the matrix carries an
#' attribute (`columns_checked`) that says so. Arithmetic keeps it; a part of the matrix,
#' `m[rows, ]`, does not have it, and is checked again.
#'
#' Each stimulus must stand in one row. For repeats of a stimulus see [trial_array()], which takes
#' a long table, or average them first.
#' @examples
#' set.seed(1)
#' day1 <- data.frame(image = 1:20, session = 1, a = rpois(20, 5), b = rpois(20, 5),
#'                    c = rpois(20, 5))
#' day2 <- day1[sample(20), ] # the same stimuli in another order
#' x <- response_matrix(day1, stimulus = "image", neurons = c("a", "b", "c"))
#' y <- response_matrix(day2, stimulus = "image", neurons = 3:5)
#' head(x, 3)
#' try(cka(x, y)) # the order differs, which is noticed now
#' matched <- match_rows(x, y)
#' cka(matched$x, matched$y)
#' @seealso [match_rows()], [trial_array()], [similarity()]
#' @export
response_matrix <- function(data, stimulus = "image", neurons = NULL) {
  need_arguments()
  data <- as_table(data)
  names <- stimulus_labels(table_column(data, stimulus, "stimulus"), stimulus)
  others <- setdiff(seq_along(data), match(stimulus, names(data)))
  at <- if (is.null(neurons)) others else neuron_columns(neurons, data, stimulus)
  if (!length(at)) {
    abort("`data` has no columns for neurons beside ", dQuote(stimulus, FALSE), ".",
          class = "repalign_error_size", arg = "data")
  }
  refuse_words(data, at, is.null(neurons))
  result <- vapply(data[at], as.double, numeric(nrow(data)))
  result <- matrix(result, nrow(data), dimnames = list(names, names(data)[at]))
  found <- find_identifiers(result)
  if (!length(found)) return(result)
  if (is.null(neurons)) refuse_leftover(colnames(result)[as.integer(names(found))], found)
  mark_checked(result)
}

# A plain data frame, whatever kind of table it is.
as_table <- function(data) {
  if (inherits(data, "Matrix")) data <- dense_matrix(data, "data")
  if (is.matrix(data) && is.null(colnames(data))) {
    abort("`data` is a matrix without column names, so that no column can name the stimuli: set ",
          "its row names instead, with rownames().", class = "repalign_error_names", arg = "data")
  }
  if (is.matrix(data)) {
    data <- as.data.frame(data, stringsAsFactors = FALSE)
  } else if (!is.data.frame(data)) {
    abort("`data` must be a data frame, or a matrix with column names, not ", describe(data), ".",
          class = "repalign_error_type", arg = "data")
  }
  if (!nrow(data)) abort("`data` has no rows.", class = "repalign_error_size", arg = "data")
  as.data.frame(data)
}

stimulus_labels <- function(values, name) {
  if (!is.atomic(values) || !is.null(dim(values))) {
    abort("Column ", dQuote(name, FALSE), " of `data` must be a vector of labels, not ",
          describe(values), ".", class = "repalign_error_type", arg = "stimulus")
  }
  if (anyNA(values)) {
    abort("Column ", dQuote(name, FALSE), " of `data` names no stimulus in row ",
          which(is.na(values))[1], ".", class = "repalign_error_nonfinite", arg = "stimulus")
  }
  twice <- anyDuplicated(values)
  if (twice) {
    first <- match(values[twice], values)
    abort("The stimulus ", dQuote(label_text(values[twice]), FALSE), " stands in rows ", first,
          " and ", twice, " of `data`. For repeats make an array of trials by trial_array(), or ",
          "average them first.", class = "repalign_error_rows", arg = "stimulus")
  }
  label_text(values)
}

# As words; 1e5 is "100000", as it is for integers.
label_text <- function(values) {
  if (!is.double(values) || is.object(values)) return(as.character(values))
  whole <- values == round(values) & abs(values) < 1e15
  ifelse(whole, sprintf("%.0f", values), as.character(values))
}

neuron_columns <- function(neurons, data, stimulus) {
  usable <- (is.character(neurons) || is.numeric(neurons)) && !anyNA(neurons)
  if (!usable) {
    abort("`neurons` must hold names or numbers of columns of `data`, not ", describe(neurons), ".",
          class = "repalign_error_value", arg = "neurons")
  }
  at <- if (is.character(neurons)) match(neurons, names(data)) else
    match(neurons, seq_along(data))
  if (anyNA(at)) {
    wrong <- as.character(neurons[is.na(at)])[1]
    abort("`neurons` asks for column ", if (is.character(neurons)) dQuote(wrong, FALSE) else wrong,
          ", but `data` has no such column",
          if (is.character(neurons)) suggest(wrong, names(data)) else
            paste0("; it has ", length(data), "."), class = "repalign_error_value", arg = "neurons")
  }
  if (anyDuplicated(at) || stimulus %in% names(data)[at]) {
    twice <- if (anyDuplicated(at)) names(data)[at[duplicated(at)]][1] else stimulus
    abort("`neurons` names the column ", dQuote(twice, FALSE),
          if (anyDuplicated(at)) " twice." else ", which names the stimuli.",
          class = "repalign_error_value", arg = "neurons")
  }
  at
}

refuse_words <- function(data, at, leftover) {
  numeric <- vapply(data[at], function(column) {
    (is.numeric(column) || is.logical(column)) && !is.object(column) && is.null(dim(column))
  }, NA)
  if (all(numeric)) return(invisible())
  abort("`data` has columns that are not numeric: ", enumerate(names(data)[at][!numeric]),
        if (leftover) ". Say which columns are neurons in `neurons`." else
          ". They cannot be neurons: leave them out of `neurons`, or convert them.",
        class = "repalign_error_type", arg = "neurons")
}

refuse_leftover <- function(names, why) {
  abort("`data` has ", if (length(names) > 1) "columns that look like identifiers" else
    "a column that looks like an identifier", " beside the stimuli: ",
    enumerate(paste0(dQuote(names, FALSE), " (", why, ")"), quote = FALSE),
    ". Say which columns are neurons in `neurons`.", class = "repalign_error_identifier",
    arg = "neurons")
}
