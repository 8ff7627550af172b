# Responses are read here: matrices, data frames and sparse matrices become matrices of doubles, and
# for anything else an error says what to do.

# allow_na: NA may stand for a missing value; allow_nan: and so may NaN.
as_numeric_matrix <- function(x, arg, allow_na = FALSE, allow_nan = FALSE) {
  x <- double_matrix(x, arg)
  check_finite(x, arg, allow_na, allow_nan)
  refuse_identifiers(x, arg)
  x
}

# The same, with the statistics of the columns, which one pass gives together with the check.
as_responses <- function(x, arg, allow_na) {
  x <- double_matrix(x, arg)
  stats <- .Call(C_column_stats, x)
  if (!stats$finite) check_finite(x, arg, allow_na, allow_na)
  refuse_identifiers(x, arg)
  list(data = x, column_stats = if (stats$finite) stats)
}

double_matrix <- function(x, arg) {
  x <- plain_matrix(x, arg)
  check_size(nrow(x), ncol(x), arg)
  if (ncol(x) < 1 || nrow(x) < 1) {
    abort("`", arg, "` has ", nrow(x), " rows and ", ncol(x),
          " columns: there is nothing to compare.", class = "repalign_error_size", arg = arg)
  }
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

plain_matrix <- function(x, arg) {
  if (is_responses(x)) return(mark_checked(as.matrix(x)))
  if (is.data.frame(x)) return(data_frame_matrix(x, arg))
  if (inherits(x, "Matrix")) return(dense_matrix(x, arg))
  if (is.matrix(x) && (is.numeric(x) || is.logical(x))) return(x)
  if (inherits(x, "dist")) {
    abort("`", arg, "` is a \"dist\" object, but this needs the responses themselves: ",
          "give the stimuli x neurons matrix.", class = "repalign_error_type", arg = arg)
  }
  if (inherits(x, "SummarizedExperiment")) {
    abort("`", arg, "` is a SummarizedExperiment, which has the samples in its columns: give the ",
          "values with the samples (stimuli) in the rows, t(assay(", arg, ")).",
          class = "repalign_error_type", arg = arg)
  }
  abort("`", arg, "` must be a numeric matrix (stimuli x neurons) or an all-numeric data frame, ",
        "not ", describe(x), ".", matrix_remedy(x, arg), class = "repalign_error_type", arg = arg)
}

matrix_remedy <- function(x, arg) {
  if (isS4(x)) return(" Convert it with as.matrix().")
  if (!is.numeric(x) && !is.logical(x)) return(NULL)
  if (length(dim(x)) < 2) return(" For one neuron use cbind().")
  if (length(dim(x)) == 3) {
    paste0(" An array of trials (stimuli x neurons x trials) becomes a representation by ",
           "responses(", arg, ").")
  }
}

data_frame_matrix <- function(x, arg) {
  good <- vapply(x, function(column) is.numeric(column) || is.logical(column), NA)
  # factors are stored as integers but are not numbers; dates are numbers only by storage
  good <- good & !vapply(x, is.object, NA)
  if (!all(good)) {
    abort("`", arg, "` has columns that are not numeric: ", enumerate(names(x)[!good]),
          ". Drop or convert them; where one of them names the stimuli, use response_matrix(data, ",
          "stimulus = ", dQuote(names(x)[!good][1], FALSE), ").",
          class = "repalign_error_type", arg = arg)
  }
  m <- as.matrix(x)
  # integer row names are row numbers; they are no names of stimuli, even after rows were taken out
  if (is.integer(attr(x, "row.names"))) rownames(m) <- NULL
  m
}

# A matrix of the package Matrix as an ordinary one, with all entries, also those that are 0.
dense_matrix <- function(x, arg) {
  require_package("Matrix", paste0("`", arg, "` (", class(x)[1], ")"))
  size <- as.double(dim(x))
  check_size(size[1], size[2], arg)
  check_memory(8 * prod(size), paste0("`", arg, "` as a matrix of all its entries"),
               "Take fewer neurons or stimuli.")
  as.matrix(x)
}
