# Tables often have columns that are no neurons but say what a row is: its stimulus, its trial, its
# number. Such columns are found and refused here. If the number of the row were taken for a neuron,
# it would be the same on both sides and have most of the variance, and unrelated data would seem
# alike.

# Names of identifiers, those first that most likely name the stimuli. named_like_identifier() knows
# some more: these names followed by a word for a number ("image_number", "trialNo"), names that end
# in _id, and X, which is how read.csv() calls a column of row names.
identifier_names <- c("image", "stimulus", "id", "row", "...1", "subject", "session", "trial",
                      "rep")

named_like_identifier <- function(names) {
  pattern <- "^(image|stimulus|stim|trial|session|subject|row)_?(id|no|nr|num|number|index)$"
  numbered <- grepl(pattern, names, ignore.case = TRUE)
  tolower(names) %in% c(identifier_names, "stim") | names == "X" | numbered |
    grepl("_id$", names, ignore.case = TRUE)
}

# The values of fewer rows may be in order by chance.
least_numbered <- 12

# For each column of the numeric matrix x that looks like an identifier, the reason in words, named
# by the number of the column. A matrix without column names was made for neurons and is not
# searched.
find_identifiers <- function(x) {
  if (is.null(colnames(x))) return(character())
  named <- which(named_like_identifier(colnames(x)))
  named <- named[vapply(named, function(j) is_whole(x[, j]), NA)]
  if (length(named) && is_one_hot(x)) named <- integer()
  numbered <- if (nrow(x) >= least_numbered) numbered_columns(x) else integer()
  if (all_ranks(x, numbered)) numbered <- integer()
  found <- sort(union(named, numbered))
  why <- vapply(found, function(j) {
    if (j %in% named) "whole numbers, and the name of an identifier" else numbering(x[, j])
  }, "")
  stats::setNames(why, found)
}

# Are all columns rankings, either without ties (numbered) or with mean ranks for ties? Ranked
# responses are no identifiers.
all_ranks <- function(x, numbered) {
  if (!length(numbered)) return(FALSE)
  n <- nrow(x)
  others <- x[, setdiff(seq_len(ncol(x)), numbered), drop = FALSE]
  mean_ranks <- colSums(others) == n * (n + 1) / 2 & colSums(2 * others != round(2 * others)) == 0
  isTRUE(all(mean_ranks))
}

is_whole <- function(values) {
  values <- values[!is.na(values)]
  length(values) > 0 && all(is.finite(values)) && all(values == round(values))
}

is_one_hot <- function(x) !anyNA(x) && all(x == 0 | x == 1) && all(rowSums(x) == 1)

# The columns that hold consecutive whole numbers in any order, or rise or fall by equal steps.
# Looking at their first values is fast and rules out nearly all other columns.
numbered_columns <- function(x) {
  first <- x[seq_len(least_numbered), , drop = FALSE]
  candidates <- which(apply(first, 2, could_number, n = nrow(x)))
  candidates[vapply(candidates, function(j) !is.na(numbering(x[, j])), NA)]
}

# May these be the first values of a column of n values that number the rows?
could_number <- function(first, n) {
  # with missing values the first ones do not tell; numbering() then looks at all values
  if (anyNA(first)) return(TRUE)
  step <- first[2] - first[1]
  if (step != 0 && abs(first[3] - first[2] - step) <= 1e-3 * abs(step)) return(TRUE)
  all(first == round(first)) && max(first) - min(first) < n && !anyDuplicated(first)
}

# Says in words how the values number the rows; NA if they do not. Some values may be missing.
numbering <- function(values) {
  n <- length(values)
  known <- which(!is.na(values))
  values <- values[known]
  if (length(known) < least_numbered || !all(is.finite(values))) return(NA_character_)
  consecutive <- all(values == round(values)) && max(values) - min(values) <= n - 1
  if (consecutive && !anyDuplicated(values)) return("consecutive whole numbers")
  if (has_equal_steps(values, known)) "equal steps from row to row" else NA_character_
}

# rows: the row numbers of the values.
has_equal_steps <- function(values, rows) {
  last <- length(values)
  step <- (values[last] - values[1]) / (rows[last] - rows[1])
  largest <- max(abs(values))
  # a file has few digits, so steps that were equal differ by rounding when they are read
  uneven <- abs(values - (values[1] + (rows - rows[1]) * step))
  isTRUE(abs(step) > 1e-12 * largest &&
           all(uneven <= 1e-5 * abs(step) + 8 * .Machine$double.eps * largest))
}

refuse_identifiers <- function(x, arg) {
  if (columns_are_checked(x)) return(invisible())
  found <- find_identifiers(x)
  if (!length(found)) return(invisible())
  names <- colnames(x)[as.integer(names(found))]
  one <- length(found) == 1
  abort("`", arg, "` has ", if (one) "a column that looks like an identifier" else
    "columns that look like identifiers", ", not like ", if (one) "a neuron: " else "neurons: ",
    enumerate(paste0(dQuote(names, FALSE), " (", found, ")"), quote = FALSE),
    ". Make a matrix with the stimuli as row names by response_matrix(data, stimulus = ",
    dQuote(likely_stimulus(names), FALSE), if (!one) ", neurons = ...",
    "); its argument `neurons` says which columns are neurons.",
    class = "repalign_error_identifier", arg = arg)
}

# The column that most likely names the stimuli. An unknown name is less likely than those up to
# "...1", but more likely than "subject" and those after it, which hardly ever name the stimulus.
likely_stimulus <- function(names) {
  others <- match("subject", identifier_names) - 0.5
  names[order(match(tolower(names), identifier_names, nomatch = 0) +
                others * !tolower(names) %in% identifier_names)][1]
}

# Was it said before that all columns are neurons? A matrix is marked if the user has named its
# neurons or if it was checked as a whole. The mark is an attribute, which arithmetic keeps and `[`
# drops.
columns_are_checked <- function(x) isTRUE(attr(x, "columns_checked"))

# Own measures get the matrix without the mark, just as the user made it.
without_mark <- function(x) {
  attr(x, "columns_checked") <- NULL
  x
}

mark_checked <- function(x) {
  attr(x, "columns_checked") <- TRUE
  x
}
