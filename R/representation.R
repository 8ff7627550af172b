# A representation is checked input with a cache of the forms made from it; two of them are a pair.

# arg: what messages call the representation; allow_na: are missing values allowed, because
# cut_representation() will leave them out? side: "x" or "y" of the call. Of a responses object,
# `data` are the means over trials, and `responses` is the object. Estimates from trials do without
# the responses that lack, so that these are refused later for all others (refuse_holes()). loose:
# may a "dist" object lack pairs, or be 0 throughout? Both are refused later, by
# refuse_lacking_pairs() and refuse_zero(), for the measures that cannot use it.
representation <- function(x, arg, name = arg, allow_na = FALSE,
                           side = if (arg == "y") "y" else "x", loose = FALSE) {
  refuse_prepared_data(x, arg)
  responses <- if (is_responses(x)) x
  if (!is.null(responses)) x <- mark_checked(as.matrix(responses))
  kind <- kind_of(x)
  cache <- new_cache()
  if (kind == "data") {
    several <- !is.null(responses) && dim(responses)[3] > 1
    read <- as_responses(x, arg, allow_na || several)
    data <- read$data
    cache$column_stats <- read$column_stats
    if (!allow_na) note_distance_matrix(data, arg)
  } else {
    data <- if (kind == "dist") check_dist(x, arg, allow_na || loose, loose) else
      check_graph(x, arg)
  }
  repr <- list(kind = kind, data = data, n = stimulus_count(data), arg = arg, name = name,
               side = side, cache = cache)
  repr$responses <- responses
  if (loose && kind == "dist") repr$loose <- TRUE
  repr
}

# What messages call a representation: layers of models have the name of the model before theirs.
title_of <- function(repr) if (is.null(repr$title)) repr$name else repr$title

# Is the representation in one comparison only, so that nothing pays that serves the next one?
compared_once <- function(repr) isTRUE(repr$cache$compared_once)

# The cache of a pair keeps what several measures share that compare it. by_name: must the row names
# of the two sides agree?
as_pair <- function(rx, ry, by_name = TRUE) {
  check_same_rows(rx$data, ry$data, rx$arg, ry$arg, by_name)
  list(x = rx, y = ry, self = identical(rx$cache, ry$cache), cache = new_cache())
}

# A representation beside itself.
self_pair <- function(repr) list(x = repr, y = repr, self = TRUE, cache = new_cache())

# A pair for functions that need the responses themselves, or another of the `accepted` kinds.
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

# The same representation with its stimuli in the order `permutation`. Nothing is prepared again:
# remember_form() takes the forms of the original and relabels them.
permuted_representation <- function(repr, permutation) {
  result <- repr
  result$data <- switch(repr$kind,
    data = unname_rows(repr$data[permutation, , drop = FALSE]),
    dist = relabel_dist(repr$data, permutation),
    graph = relabel_graph(repr$data, permutation)
  )
  result$responses <- permuted_responses(repr$responses, permutation)
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
