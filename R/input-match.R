# Stimuli by name: match_rows() keeps those that all representations have, in one order, and
# response_matrix() makes a matrix of a table with a column that names them.

# ---- rows

#' Align representations by row name
#'
#' @param x,y matrices, data frames, arrays of trials or [responses()] with names of stimuli, RDMs
#'   with labels ([rdm()], `dist` objects, symmetric matrices), or named lists of them (also models
#'   of layers).
#' @param ... not used.
#' @return The stimuli that all of them have, in the order of `x`: a list with `x` and `y`, or, for
#'   a list `x` without `y`, that list. Data frames become numeric matrices. A message counts the
#'   rows that are left out.
#' @details It is an error if a matrix has no row names or names a stimulus twice, or if no stimulus
#'   is common to all. [response_matrix()] names the rows of a table.
#' @examples
#' # V4 three days before, for 600 of the 640 images, and the layers of a network
#' matched <- match_rows(macaque_v4$other_day, v4_layers)
#' dim(matched$x)
#' similarity(matched$x, matched$y)
#' @export
match_rows <- function(x, y = NULL, ...) {
  need_arguments()
  refuse_if(is.null(y) && !is_collection(x), "missing", "`y` is missing: give a second matrix, ",
            "with which `x` is to be aligned.")
  given <- if (is.null(y)) list(x = x) else list(x = x, y = y)
  given <- Map(function(side, arg) map_matrices(side, arg, function(m, arg) {
    # RDMs, and what has trials, are matched as they are
    with_trials <- is_responses(m) || is.array(m) && length(dim(m)) == 3 && is.numeric(m)
    if (!with_trials && !inherits(m, "dist")) m <- as_numeric_matrix(m, arg, allow_na = TRUE)
    names <- stimulus_names_of(m)
    refuse_if(is.null(names), "rows", "`{arg}` has no row names to match by: set ",
              "rownames({arg}) to the stimuli; response_matrix() does so for a table.")
    refuse_if(anyNA(names), "rows", "`{arg}` has a missing row name, first in row ",
              "{which(is.na(names))[1]}.")
    if (anyDuplicated(names)) refuse_repeated_names(names, list(data = matrix(0), arg = arg))
    m
  }), given, names(given))
  # a flat list of what f makes of every matrix, with names such as x$model1$layer2
  names <- list()
  for (side in names(given)) {
    map_matrices(given[[side]], side, function(m, arg) names[[arg]] <<- stimulus_names_of(m))
  }
  common <- Reduce(intersect, names)
  if (!length(common)) {
    # the first matrix that has no row name in common with all matrices before it
    at <- which(!lengths(Reduce(intersect, names, accumulate = TRUE)))[1]
    before <- if (at > 2) "The matrices before" else paste0("`", names(names)[1], "`")
    refuse("rows", "{before} and `{names(names)[at]}` have no row name in common (first: ",
           "{quoted(names[[1]][1])} and {quoted(names[[at]][1])}).", arg = names(names)[at])
  }
  left_out <- lengths(names) - length(common)
  # the message names both of two matrices, but of many only those that lose rows
  shown <- if (length(left_out) > 2) left_out[left_out > 0] else left_out
  inform_if(any(left_out > 0), "left_out", "match_rows(): {count_of(length(common), 'row')} in ",
            "common; left out: ", paste0(shown, " of `", names(shown), "`", collapse = ", "), " (",
            enumerate(setdiff(unlist(names, use.names = FALSE), common), 3), ").")
  matched <- map_matrices(given, "", function(m, arg) {
    if (inherits(m, "repalign_rdm")) return(some_conditions(m, common, arg))
    if (inherits(m, "dist")) return(stats::as.dist(as.matrix(m)[common, common]))
    if (is_responses(m)) return(m[common, , ])
    if (length(dim(m)) == 3) return(m[common, , , drop = FALSE])
    # a symmetric matrix of dissimilarities has the stimuli in its rows and in its columns
    if (is_rdm_like(m)) return(m[common, common, drop = FALSE])
    part <- m[common, , drop = FALSE]
    if (columns_are_checked(m)) mark_checked(part) else part
  })
  if (is.null(y)) matched$x else matched
}

stimulus_names_of <- function(x) {
  labels <- attr(x, "Labels")
  if (inherits(x, "dist")) return(if (length(labels)) as.character(labels))
  if (!is_responses(x) && length(dim(x)) == 3) return(dimnames(x)[[1]])
  rownames(x)
}

# Replaces every matrix in a list, or in lists within it, by f(matrix, arg), where `arg` is what
# messages call the matrix.
map_matrices <- function(given, arg, f) {
  if (!is_collection(given)) return(f(given, arg))
  names <- check_element_names(given, arg)
  given[] <- Map(function(element, name) map_matrices(element, paste0(arg, "$", name), f), given,
                 names)
  given
}

# ---- tables

#' A table of responses as a matrix with named stimuli
#'
#' Makes a matrix from a table with one row per stimulus and one column per neuron. The stimuli
#' become the row names, by which representations are aligned.
#'
#' @param data a data frame, or a matrix with column names.
#' @param stimulus the name of the column that names the stimuli.
#' @param neurons names or numbers of the columns that are neurons; `NULL`: all other columns.
#' @param ... not used.
#' @return A numeric matrix stimuli x neurons, with row and column names. Missing values stay.
#' @details
#' If the number of the image or of the row is taken for a neuron, unrelated data seem similar (a
#' CKA of 0.999 from `image = 1:60`). Columns that look like identifiers are therefore an error in
#' all functions that read data:
#' * whole numbers whose name says what a row is (`image`, `img`, `stimulus`, `condition`, `trial`,
#'   `run`, `session`, `subject`, `id`, `time` and the like), or ends in `_id`, or is that of a
#'   column without a name (`X`, `...1`, `Unnamed: 0`);
#' * in a table of 12 rows or more, consecutive whole numbers in any order, or numbers that rise or
#'   fall by equal steps from row to row, unless all columns do (ranks);
#' * whole numbers that all differ, alone among the columns and with much of the variance, if both
#'   sides have the same ones; in the first column of one side they are a warning.
#'
#' Columns of zeros and ones may have the name of a feature (`animal`).
#'
#' Columns that you name in `neurons` are not checked.
#'
#' Each stimulus must have a single row. Repeats of a stimulus go to [responses()].
#' @examples
#' # one larva per odour; columns 6 to 26 are the neurons
#' first <- response_matrix(subset(larval_orn, larva == 1), "stimulus", neurons = 6:26)
#' first[1:3, 1:3]
#' # a column that looks like an identifier is refused
#' table <- data.frame(image = 1:20, a = rpois(20, 5), b = rpois(20, 5))
#' try(cka(table, table))
#' dim(response_matrix(table, stimulus = "image"))
#' @seealso [match_rows()], [read_representation()]
#' @export
response_matrix <- function(data, stimulus = "image", neurons = NULL, ...) {
  need_arguments()
  # any kind of table becomes a plain data frame
  if (inherits(data, "Matrix")) data <- dense_matrix(data, "data")
  refuse_if(is.matrix(data) && is.null(colnames(data)), "names", "`data` is a matrix without ",
            "column names, so that no column can name the stimuli: set its row names.")
  if (inherits(data, "SummarizedExperiment")) plain_matrix(data, "data")
  refuse_if(!is.matrix(data) && !is.data.frame(data), "type", "`data` must be a data frame, or a ",
            "matrix with column names, not {describe(data)}.")
  data <- as.data.frame(data, stringsAsFactors = FALSE)
  refuse_if(!nrow(data), "size", "`data` has no rows.")
  refuse_if(anyDuplicated(names(data)), "names", "`data` has two columns named ",
            quoted(names(data)[duplicated(names(data))][1]), ": they must differ.")
  values <- table_column(data, stimulus, "stimulus")
  others <- setdiff(seq_along(data), match(stimulus, names(data)))
  names <- stimulus_labels(values, stimulus, names(data)[others])
  at <- if (is.null(neurons)) others else neuron_columns(neurons, data, stimulus)
  refuse_if(!length(at), "size", "`data` has no columns for neurons besides {quoted(stimulus)}.")
  refuse_words(data, at, is.null(neurons))
  result <- matrix(vapply(data[at], as.double, numeric(nrow(data))), nrow(data),
                   dimnames = list(names, names(data)[at]))
  found <- find_identifiers(result)
  if (!length(found)) return(result)
  names <- colnames(result)[as.integer(names(found))]
  refuse_if(is.null(neurons), "identifier", "`data` has ",
            if (length(names) > 1) "columns that look like identifiers" else
              "a column that looks like an identifier", " besides the stimuli: ",
            enumerate(paste0(quoted(names), " (", found, ")"), quote = FALSE),
            ". Say which columns are neurons in `neurons`.", arg = "neurons")
  mark_checked(result)
}

# values: of the column `name`, beside which the table has the columns `others`.
stimulus_labels <- function(values, name, others) {
  refuse_if(!is.atomic(values) || !is.null(dim(values)), "type", "Column {quoted(name)} of ",
            "`data` must be a vector of labels, not {describe(values)}.", arg = "stimulus")
  refuse_if(anyNA(values), "nonfinite", "Column {quoted(name)} of `data` has no stimulus ",
            "(NA) in row {which(is.na(values))[1]}.", arg = "stimulus")
  labels <- label_text(values)
  refuse_if(any(trimws(labels) == ""), "value", "Column {quoted(name)} of `data` has an ",
            "empty name of a stimulus in row {which(trimws(labels) == '')[1]}.", arg = "stimulus")
  twice <- anyDuplicated(labels)
  refuse_if(twice, "rows", "The stimulus {quoted(labels[twice])} is in rows ",
            "{match(labels[twice], labels)} and {twice} of `data`, but must have one row. If ",
            "these are repeats, declare them as trials by responses(data, stimulus = ",
            "{quoted(name)}), or average them first.", arg = "stimulus")
  # Names of stimuli may be numbers, also with decimals (a contrast of 0.125), but rarely with many,
  # and their column is hardly called like those of neurons.
  stem <- function(names) sub("[0-9]+$", "", names)
  warn_if(is.numeric(values) && !is.object(values) && any(values != round(values)) &&
            (any(values != round(values, 3)) || stem(name) %in% stem(others)),
          "responses_as_names", "Column {quoted(name)} holds numbers with decimals, as responses ",
          "are, but is taken for the names of the stimuli. If it is a neuron, name another column ",
          "in `stimulus`, or set row names, rownames(), and leave the table as it is.",
          data = name)
  labels
}

neuron_columns <- function(neurons, data, stimulus) {
  usable <- (is.character(neurons) || is.numeric(neurons)) && !anyNA(neurons)
  refuse_if(!usable, "value", "`neurons` must hold names or numbers of columns of `data`, not ",
            "{describe(neurons)}.")
  at <- match(neurons, if (is.character(neurons)) names(data) else seq_along(data))
  wrong <- as.character(neurons[is.na(at)])[1]
  named <- is.character(neurons)
  refuse_if(anyNA(at), "value", "`neurons` asks for column ",
            if (named) quoted(wrong) else wrong, ", but `data` has no such column",
            if (named) suggest(wrong, names(data)) else paste0("; it has ", length(data), "."))
  twice <- names(data)[at[duplicated(at)]]
  refuse_if(length(twice), "value", "`neurons` names the column {quoted(twice[1])} twice.")
  refuse_if(stimulus %in% names(data)[at], "value", "`neurons` names the column ",
            "{quoted(stimulus)}, which names the stimuli.")
  at
}

refuse_words <- function(data, at, leftover) {
  numeric <- vapply(data[at], function(column) {
    (is.numeric(column) || is.logical(column)) && !is.object(column) && is.null(dim(column))
  }, NA)
  if (all(numeric)) return(invisible())
  words <- data[at][!numeric]
  # one text that is no number makes all values of a column texts
  missing <- unlist(lapply(words, function(column) {
    if (!is.character(column)) return(NULL)
    text <- column[!is.na(column) & is.na(suppressWarnings(as.double(column)))]
    if (2 * length(text) < length(column)) unique(text)
  }))
  refuse("type", "`data` has columns that are not numeric: {enumerate(names(words))}",
         if (length(missing)) {
           paste0(" (", enumerate(unique(missing), 3), " among numbers; if this is a missing ",
                  "value, read the table by read.csv(na.strings = ",
                  quoted(missing[[1]]), "))")
         },
         if (leftover) ". Say which columns are neurons in `neurons`." else
           ". They cannot be neurons: leave them out of `neurons`, or convert them.",
         arg = "neurons")
}
