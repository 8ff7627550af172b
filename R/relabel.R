# These functions relabel forms: they make the form of permuted data from the form of the data.
# Stimulus i of the result is stimulus permutation[i] of what is relabelled.

# The relabeller of forms that do not depend on the order of the stimuli.
unmoved <- function(form, permutation) form

relabel_square <- function(matrix, permutation) matrix[permutation, permutation, drop = FALSE]

# Packed values: one for every pair of stimuli, in the order of stats::dist().
relabel_packed <- function(values, permutation) {
  .Call(C_relabel_packed, as.double(values), permutation, thread_count())
}

relabel_dist <- function(d, permutation) {
  d[] <- relabel_packed(d, permutation)
  attr(d, "Labels") <- NULL
  d
}

# A neighbour graph holds row numbers of stimuli, which become their new row numbers.
relabel_graph <- function(graph, permutation) {
  place <- order(permutation)
  graph$idx[] <- place[graph$idx]
  for (part in intersect(c("idx", "dist", "weight", "joined"), names(graph))) {
    graph[[part]] <- graph[[part]][permutation, , drop = FALSE]
  }
  for (part in intersect(c("priority", "largest"), names(graph))) {
    graph[[part]] <- graph[[part]][permutation]
  }
  if (!is.null(graph$open)) graph$open <- sort(place[graph$open])
  if (!is.null(graph$averaged)) graph$averaged <- relabel_lists(graph$averaged, permutation)
  graph
}

# The same for lists of unequal lengths: what belongs to row i stands at positions start[i] + 1 to
# start[i + 1] of idx and weight.
relabel_lists <- function(lists, permutation) {
  lengths <- diff(lists$start)[permutation]
  at <- sequence(lengths, from = lists$start[permutation] + 1)
  lists$idx <- order(permutation)[lists$idx[at]]
  lists$weight <- lists$weight[at]
  lists$start <- c(0, cumsum(lengths))
  if (!is.null(lists$sure)) lists$sure <- lists$sure[permutation]
  lists
}

# Returns a function that relabels the named parts of a form; parts that a form lacks are skipped.
# packed: parts with one value for each pair of stimuli; each: with one value for each stimulus;
# rows, columns: matrices with a row, or a column, for each stimulus; square: n x n matrices.
relabel_parts <- function(packed = NULL, each = NULL, rows = NULL, columns = NULL, square = NULL) {
  named <- c(packed, each, rows, columns, square)
  function(form, permutation) {
    if (!any(named %in% names(form))) {
      stop("A form of the kind ", dQuote(kind_of_form(form), FALSE), " has none of the parts ",
           "that its relabeller names: ", paste(named, collapse = ", "), ".")
    }
    for (part in intersect(packed, names(form))) {
      form[[part]] <- relabel_packed(form[[part]], permutation)
    }
    for (part in intersect(each, names(form))) form[[part]] <- form[[part]][permutation]
    for (part in intersect(rows, names(form))) {
      form[[part]] <- form[[part]][permutation, , drop = FALSE]
    }
    for (part in intersect(columns, names(form))) {
      form[[part]] <- form[[part]][, permutation, drop = FALSE]
    }
    for (part in intersect(square, names(form))) {
      form[[part]] <- relabel_square(form[[part]], permutation)
    }
    form
  }
}
