# Columns of a table that say what a row is (its stimulus, its trial, its number) and are no
# neurons. Taken for a neuron, the number of the row is the same on both sides and has most of
# the variance: unrelated data then seem to be alike.

# In the order in which they are likely to name the stimuli; also these with a word for a number
# behind ("image_number", "trialNo"), what ends in _id, and X, which is what read.csv() calls row
# names.
identifier_names <- c("image", "stimulus", "id", "row", "...1", "subject", "session", "trial",
                      "rep")

named_like_identifier <- function(names) {
  pattern <- "^(image|stimulus|stim|trial|session|subject|row)_?(id|no|nr|num|number|index)$"
  numbered <- grepl(pattern, names, ignore.case = TRUE)
  tolower(names) %in% c(identifier_names, "stim") | names == "X" | numbered |
    grepl("_id$", names, ignore.case = TRUE)
}

# Fewer rows may be in order by chance.
least_numbered <- 12

# What an identifier is, in words, by its column number; x: a numeric matrix. Without column
# names the columns are nothing but neurons.
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

# Is every column a ranking: numbered, or with ties that share their mean rank?
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

# Columns that hold consecutive whole numbers in any order, or rise or fall by equal steps. The
# first values rule out nearly all others.
numbered_columns <- function(x) {
  first <- x[seq_len(least_numbered), , drop = FALSE]
  candidates <- which(apply(first, 2, could_number, n = nrow(x)))
  candidates[vapply(candidates, function(j) !is.na(numbering(x[, j])), NA)]
}

# first: the first values of a column of n.
could_number <- function(first, n) {
  # missing values may stand anywhere: all of them are looked at
  if (anyNA(first)) return(TRUE)
  step <- first[2] - first[1]
  if (step != 0 && abs(first[3] - first[2] - step) <= 1e-3 * abs(step)) return(TRUE)
  all(first == round(first)) && max(first) - min(first) < n && !anyDuplicated(first)
}

# How the values number the rows, in words, or NA. Some may be missing.
numbering <- function(values) {
  n <- length(values)
  known <- which(!is.na(values))
  values <- values[known]
  if (length(known) < least_numbered || !all(is.finite(values))) return(NA_character_)
  consecutive <- all(values == round(values)) && max(values) - min(values) <= n - 1
  if (consecutive && !anyDuplicated(values)) return("consecutive whole numbers")
  if (has_equal_steps(values, known)) "equal steps from row to row" else NA_character_
}

# rows: where the values stand.
has_equal_steps <- function(values, rows) {
  last <- length(values)
  step <- (values[last] - values[1]) / (rows[last] - rows[1])
  largest <- max(abs(values))
  # steps of a file's digits are equal but for its rounding
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

# Other names stand before those of what is hardly ever the stimulus, from "subject" on.
likely_stimulus <- function(names) {
  others <- match("subject", identifier_names) - 0.5
  names[order(match(tolower(names), identifier_names, nomatch = 0) +
                others * !tolower(names) %in% identifier_names)][1]
}

# A matrix whose neurons the user has named, or that was checked before a part was taken out.
# The mark is an attribute, so that arithmetic keeps it and `[` does not.
columns_are_checked <- function(x) isTRUE(attr(x, "columns_checked"))

# As the user knows it.
without_mark <- function(x) {
  attr(x, "columns_checked") <- NULL
  x
}

mark_checked <- function(x) {
  attr(x, "columns_checked") <- TRUE
  x
}
