# A representation: checked input with a cache of the forms made from it; and pairs of them.

# allow_na: missing values may be there, and will be taken out (cut_representation).
representation <- function(x, arg, name = arg, allow_na = FALSE) {
  kind <- kind_of(x)
  cache <- new_cache()
  if (kind == "data") {
    read <- as_responses(x, arg, allow_na)
    data <- read$data
    cache$column_stats <- read$column_stats
    if (!allow_na) note_distance_matrix(data, arg)
  } else {
    data <- if (kind == "dist") check_dist(x, arg, allow_na) else check_graph(x, arg)
  }
  list(kind = kind, data = data, n = stimulus_count(data), arg = arg, name = name, cache = cache)
}

# One pair; its cache keeps what several measures of this pair share.
# by_name: must the names of the rows agree?
as_pair <- function(rx, ry, by_name = TRUE) {
  check_same_rows(rx$data, ry$data, rx$arg, ry$arg, by_name)
  list(x = rx, y = ry, self = identical(rx$cache, ry$cache), cache = new_cache())
}

# For functions that work on the responses themselves, or on what else they accept.
representation_pair <- function(x, y, accepted = "data") {
  if (missing(x) || missing(y)) missing_side(missing(x))
  rx <- need_kind(representation(x, "x"), accepted, "this")
  pair <- as_pair(rx, need_kind(representation(y, "y"), accepted, "this"))
  note_one_sided_names(pair[c("x", "y")])
  pair
}

missing_side <- function(x_missing) {
  abort("Two representations are needed, `x` and `y`; for all pairs of a list use similarity().",
        class = "repalign_error_type", arg = if (x_missing) "x" else "y")
}

need_kind <- function(repr, accepted, what) {
  if (repr$kind %in% accepted) return(repr)
  given <- c(dist = "a \"dist\" object (distances)", graph = "a neighbour graph")[repr$kind]
  also <- c(dist = " or a \"dist\" object", graph = " or a neighbour graph")
  abort("`", repr$arg, "` is ", given, ", but ", what, " needs the responses themselves ",
        "(stimuli x neurons)", also[intersect(accepted, names(also))], ".",
        if (what == dQuote("cka", FALSE)) {
          " With kernel = \"rbf\" or \"manifold\" it takes distances."
        }, class = "repalign_error_type", arg = repr$arg)
}

# The representation whose stimuli come in the order `permutation`. Nothing is prepared again: its
# forms are those of the original, relabelled when they are asked for (remember_form()).
permuted_representation <- function(repr, permutation) {
  result <- repr
  result$data <- switch(repr$kind,
    data = unname_rows(repr$data[permutation, , drop = FALSE]),
    dist = relabel_dist(repr$data, permutation),
    graph = relabel_graph(repr$data, permutation)
  )
  result$cache <- new_cache()
  result$cache$said <- repr$cache$said
  result$cache$neighbours <- repr$cache$neighbours
  result$cache$original <- list(cache = repr$cache, permutation = permutation)
  result
}

unname_rows <- function(x) {
  rownames(x) <- NULL
  x
}
