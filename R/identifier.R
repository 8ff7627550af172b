# Columns of a table that say what a row is (its stimulus, its trial, its number) and are no
# neurons. Taken for a neuron, the number of the row is the same on both sides and has most of
# the variance: unrelated data then seem to be alike.

# In the order in which they are likely to name the stimuli; also what ends in _id, and X, which
# is what read.csv() calls row names.
identifier_names <- c("image", "stimulus", "id", "row", "...1", "subject", "session", "trial",
                      "rep")

named_like_identifier <- function(names) {
  tolower(names) %in% identifier_names | names == "X" | grepl("_id$", names, ignore.case = TRUE)
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
  # every column is a ranking
  if (length(numbered) == ncol(x)) numbered <- integer()
  found <- sort(union(named, numbered))
  why <- vapply(found, function(j) {
    if (j %in% named) "whole numbers, and the name of an identifier" else numbering(x[, j])
  }, "")
  stats::setNames(why, found)
}

is_whole <- function(values) {
  values <- values[!is.na(values)]
  length(values) > 0 && all(is.finite(values)) && all(values == round(values))
}

is_one_hot <- function(x) !anyNA(x) && all(x == 0 | x == 1) && all(rowSums(x) == 1)

# Columns that hold consecutive whole numbers in any order, or rise or fall by equal steps. The
# first rows rule out nearly all others.
numbered_columns <- function(x) {
  head <- x[seq_len(least_numbered), , drop = FALSE]
  whole <- which(colSums(head != round(head)) == 0)
  step <- head[2, ] - head[1, ]
  even <- which(step != 0 & abs(head[3, ] - head[2, ] - step) <= 1e-3 * abs(step))
  candidates <- sort(union(whole, even))
  candidates[vapply(candidates, function(j) !is.na(numbering(x[, j])), NA)]
}

# How the values number the rows, in words, or NA.
numbering <- function(values) {
  if (!all(is.finite(values))) return(NA_character_)
  n <- length(values)
  consecutive <- all(values == round(values)) && max(values) - min(values) == n - 1
  if (consecutive && !anyDuplicated(values)) return("consecutive whole numbers")
  if (has_equal_steps(values, n)) "equal steps from row to row" else NA_character_
}

has_equal_steps <- function(values, n) {
  step <- (values[n] - values[1]) / (n - 1)
  largest <- max(abs(values))
  # steps of a file's digits are equal but for its rounding
  uneven <- abs(values - (values[1] + (seq_len(n) - 1) * step))
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

mark_checked <- function(x) {
  attr(x, "columns_checked") <- TRUE
  x
}
