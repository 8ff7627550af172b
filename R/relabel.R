# Relabelling: what a permutation of the rows makes of representations and their forms.

# The representation whose rows come in the order `permutation`.
relabelled <- function(rep, permutation) {
  result <- rep
  result$data <- relabel_data(rep, permutation)
  result$cache <- new.env()
  result$cache$neighbours <- rep$cache$neighbours
  result$cache$entries <- relabel_entries(rep$cache$entries, permutation)
  result
}

relabel_data <- function(rep, permutation) {
  switch(rep$kind,
    data = unname_rows(rep$data[permutation, , drop = FALSE]),
    dist = relabel_dist(rep$data, permutation),
    graph = relabel_graph(rep$data, permutation)
  )
}

unname_rows <- function(x) {
  rownames(x) <- NULL
  x
}

relabel_entries <- function(entries, permutation) {
  kept <- lapply(entries, function(entry) {
    relabel <- relabellers[[entry$key[[1]]]]
    if (is.null(relabel)) return(NULL)
    list(key = entry$key, value = relabel(entry$value, permutation))
  })
  Filter(Negate(is.null), kept)
}

as_is <- function(value, permutation) value

# Row i of the result is row permutation[i]; its neighbours are named by their new places.
relabel_graph <- function(graph, permutation) {
  place <- order(permutation)
  graph$idx[] <- place[graph$idx]
  for (part in c("idx", "dist", "weight", "joined")) {
    if (!is.null(graph[[part]])) graph[[part]] <- graph[[part]][permutation, , drop = FALSE]
  }
  if (!is.null(graph$priority)) graph$priority <- graph$priority[permutation]
  graph
}

relabel_square <- function(matrix, permutation) matrix[permutation, permutation, drop = FALSE]

# Distances as stats::dist() orders them.
relabel_packed <- function(x, permutation) {
  .Call(C_relabel_packed, as.double(x), permutation, thread_count())
}

relabel_dist <- function(x, permutation) {
  x[] <- relabel_packed(x, permutation)
  attr(x, "Labels") <- NULL
  x
}

# A list some of whose parts are relabelled: packed entries, values a stimulus, rows, columns.
relabel_parts <- function(packed = NULL, each = NULL, rows = NULL, square = NULL) {
  function(value, permutation) {
    for (part in packed) value[[part]] <- relabel_packed(value[[part]], permutation)
    for (part in each) value[[part]] <- value[[part]][permutation]
    for (part in rows) value[[part]] <- value[[part]][permutation, , drop = FALSE]
    for (part in intersect(square, names(value))) {
      if (!is.null(value[[part]])) value[[part]] <- relabel_square(value[[part]], permutation)
    }
    value
  }
}

relabel_rows <- function(value, permutation) value[permutation, , drop = FALSE]

relabel_columns <- function(value, permutation) value[, permutation, drop = FALSE]

relabel_each <- function(value, permutation) value[permutation]

relabel_sparse <- function(value, permutation) {
  value <- relabel_graph(value, permutation)
  for (part in c("row_sums", "column_sums", "sigma")) {
    if (!is.null(value[[part]])) value[[part]] <- value[[part]][permutation]
  }
  value
}

# By the first part of a form's key.
relabellers <- list(
  centering = as_is, scaling = as_is, components = as_is, coordinates = as_is, hat = as_is,
  "centered squares" = as_is, "kept components" = as_is, norm = as_is, self = as_is,
  "median distance" = as_is, "rdm range" = as_is, ties = as_is,
  "all neighbours" = as_is,
  basis = relabel_parts(rows = "q"),
  linear = relabel_parts(each = "k", square = "gram"),
  distances = relabel_parts(packed = "d"),
  "centered distances" = relabel_parts(packed = "entries", each = "means"),
  gaussian = relabel_parts(packed = "entries", each = "means"),
  "unit distances" = relabel_packed, "rdm ranks" = relabel_packed,
  "rdm values" = relabel_parts(packed = "values"),
  "row factor" = relabel_rows, columns = relabel_rows, "row norms" = relabel_each,
  rows = relabel_columns, "tie priorities" = relabel_each,
  cloud = relabel_packed, graph = relabel_graph, mka = relabel_sparse, kcka = relabel_sparse,
  cknna = relabel_sparse
)
