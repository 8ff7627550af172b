# A form is what is prepared once of a representation, and then compared or permuted many times.

# ---- relabel

# These functions relabel forms: they make the form of permuted data from the form of the data.
# Stimulus i of the result is stimulus permutation[i] of what is relabelled.

# The relabeller of forms that do not depend on the order of the stimuli.
unmoved <- function(form, permutation) form

# Packed values: one for every pair of stimuli, in the order of stats::dist().
relabel_packed <- function(values, permutation) {
  .Call(C_relabel_packed, as.double(values), permutation, thread_count())
}

relabel_dist <- function(d, permutation) {
  d[] <- relabel_packed(d, permutation)
  attr(d, "Labels") <- NULL
  d
}

# The same of a user's dissimilarities, whose labels and other attributes stay with their pairs.
reordered_dist <- function(d, at) {
  pairs <- attr(d, "pairs")
  labels <- attr(d, "Labels")
  d <- relabel_dist(d, at)
  if (length(labels)) attr(d, "Labels") <- labels[at]
  if (length(pairs) > 1) attr(d, "pairs") <- as.integer(relabel_packed(pairs, at))
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

#' The usual relabellers of forms
#'
#' Parts that a form lacks are skipped.
#'
#' @param packed names of parts with a value for each pair of stimuli, as in stats::dist()
#' @param each of parts with a value for each stimulus
#' @param rows,columns of matrices with a row, or a column, for each stimulus
#' @param square of n x n matrices
#' @return a function(form, permutation), for declare_form().
#' @noRd
relabel_parts <- function(packed = NULL, each = NULL, rows = NULL, columns = NULL, square = NULL) {
  parts <- list(packed = packed, each = each, rows = rows, columns = columns, square = square)
  named <- unlist(parts, use.names = FALSE)
  ways <- rep(names(parts), lengths(parts))
  function(form, permutation) {
    found <- which(named %in% names(form))
    if (!length(found)) {
      stop("A form of the kind ", quoted(kind_of_form(form)), " has none of the parts ",
           "that its relabeller names: ", paste(named, collapse = ", "), ".")
    }
    for (at in found) {
      values <- form[[named[at]]]
      form[[named[at]]] <- switch(ways[at],
        packed = relabel_packed(values, permutation), each = values[permutation],
        rows = values[permutation, , drop = FALSE], columns = values[, permutation, drop = FALSE],
        square = values[permutation, permutation, drop = FALSE], no_branch(ways[at]))
    }
    form
  }
}

# ---- form

# A form is what is prepared once of a representation, and then compared or permuted many times; it
# is remembered in the cache of its representation, which stands here, too.

# A form is a named list with its kind as an attribute. (It has no class, with which R would look
# for methods wherever a part of it is taken, and comparisons of small data spend their time there.)
# The kind is declared once, by declare_form(), beside the form_*() function that makes it, and says
# what the rest of the package needs to know of every form: what a permutation of the stimuli makes
# of it, how much memory it takes, and which of its parts were drawn at random.
form_kinds <- new.env()

#' Declares a kind of forms
#'
#' For a form that is a norm for each stimulus: `declare_form("row norms", relabel =
#' relabel_parts(each = "norms"), size = function(n, d, args) n)`, beside a function
#' form_row_norms() that makes it by remember_form(). A form of a neighbour graph is remembered
#' with the order of its ties, because these may come in another order on the other side
#' (form-graph.R). A kind that is not declared is an error at installation, or, where a function
#' gives it, in `make test-file FILE=forms`.
#'
#' @param kind its name, which measures()$form shows
#' @param relabel function(form, permutation): the same form of the representation whose stimuli
#'   come in the order `permutation`; unmoved() where their order does not matter
#' @param size function(n, d, args): how many numbers it holds at most, for n stimuli and d
#'   neurons, not counting a few for each stimulus and neuron; `args` are those of the measure
#' @param drawn names of the parts that were drawn at random: a permutation takes them along
#' @return the declaration, which is kept in `form_kinds`.
#' @noRd
declare_form <- function(kind, relabel, size, drawn = character()) {
  stopifnot(is.character(kind), length(kind) == 1, is.null(form_kinds[[kind]]),
            identical(names(formals(relabel)), c("form", "permutation")),
            identical(names(formals(size)), c("n", "d", "args")), is.character(drawn))
  form_kinds[[kind]] <- list(kind = kind, relabel = relabel, size = size, drawn = drawn)
}

# With checks, for what measures give by functions of their own.
new_form <- function(kind, parts) {
  form_kind(kind)
  if (!is.list(parts) || is.null(names(parts)) || !all(nzchar(names(parts)))) {
    stop("The parts of a form are a list with names.")
  }
  as_form(kind, parts)
}

# Makes a form without checks, which would take time in every comparison.
as_form <- function(kind, parts) {
  attr(parts, "kind") <- kind
  parts
}

is_form <- function(value) is.list(value) && !is.null(attr(value, "kind"))

form_kind <- function(kind) {
  declared <- form_kinds[[kind]]
  if (is.null(declared)) stop("No form of the kind ", quoted(kind), " is declared.")
  declared
}

kind_of_form <- function(form) attr(form, "kind")

# A form with more parts, which a permutation of the stimuli leaves as they are.
extend_form <- function(form, ...) as_form(kind_of_form(form), c(form, list(...)))

relabel_form <- function(form, permutation) form_kind(kind_of_form(form))$relabel(form, permutation)

# How many numbers the forms of these kinds hold at most, for n stimuli and d neurons.
form_size <- function(kinds, n, d, args) {
  sum(vapply(kinds, function(kind) as.double(form_kind(kind)$size(n, d, args)), 0))
}

has_drawn_parts <- function(form) length(form_kind(kind_of_form(form))$drawn) > 0

is_undefined <- function(form) isTRUE(form$undefined)

#' The form of a representation or of a pair, made once
#'
#' The first call with this kind and these arguments evaluates `parts`; later calls find the form
#' in the cache. A permuted representation gets the form of its original, relabelled, if there is
#' one.
#'
#' @param owner a representation or a pair, with its `cache`
#' @param kind a name that declare_form() knows
#' @param arguments a list of all that the parts depend on, compared as a whole
#' @param parts code that gives a list with names
#' @return a form: the list of parts, with the attribute `kind`.
#' @noRd
remember_form <- function(owner, kind, arguments, parts) {
  cache <- owner$cache
  key <- list(kind, arguments)
  found <- if (!is.null(cache$entries)) find_remembered(cache, key)
  if (is.null(found) && !is.null(cache$original)) found <- relabelled_original(cache, key)
  if (!is.null(found)) return(found)
  attr(parts, "kind") <- kind
  keep_remembered(cache, key, parts)
}

# The same form if it was made before, or NULL.
recall_form <- function(owner, kind, arguments) {
  cache <- owner$cache
  key <- list(kind, arguments)
  found <- find_remembered(cache, key)
  if (!is.null(found) || is.null(cache$original)) found else relabelled_original(cache, key)
}

relabelled_original <- function(cache, key) {
  original <- cache$original
  form <- find_remembered(original$cache, key)
  if (is.null(form)) return(NULL)
  keep_remembered(cache, key, relabel_form(form, original$permutation))
}

# Remembers numbers about a whole representation that do not depend on the order of its stimuli.
# `what` is a name that tells them from other such numbers.
remember_summary <- function(repr, what, arguments, parts) {
  remember_form(repr, "summary", c(list(what), arguments), parts)
}

declare_form("summary", relabel = unmoved, size = function(n, d, args) d)

# The cache of a representation or of a pair, in which forms and other results are remembered.

# `entries` is a list of keys and values. There are so few names in a cache that a hash table would
# take longer to make than it saves.
new_cache <- function() new.env(hash = FALSE, parent = emptyenv())

# The cache of what is made of a representation, such as a part of it: without its forms.
cache_of_part <- function(cache, keep = c("choices", "neighbours")) {
  part <- new_cache()
  part$said <- said_of(cache)
  for (name in keep) part[[name]] <- cache[[name]]
  part
}

# A cache of its own, with the warnings and messages that were already given about a representation.
said_of <- function(cache) {
  if (is.null(cache$said)) cache$said <- new_cache()
  cache$said
}

# Evaluates `make` once for each key, and returns the remembered value after that; the value must
# not be NULL. A key may be any value: it is compared as a whole, so that every label and every
# digit of a parameter counts.
remember <- function(cache, key, make) {
  found <- find_remembered(cache, key)
  if (!is.null(found)) return(found)
  keep_remembered(cache, key, make)
}

keep_remembered <- function(cache, key, value) {
  force(value) # before the entry gets its place, as making the value may add entries, too
  cache$entries <- c(cache$entries, list(list(key = key, value = value)))
  value
}

find_remembered <- function(cache, key) {
  entries <- cache$entries
  for (at in seq_along(entries)) {
    if (!identical(entries[[at]]$key, key)) next
    # prepare() wants to know what is asked for
    if (!is.null(cache$touched)) cache$touched <- c(cache$touched, at)
    return(entries[[at]]$value)
  }
  NULL
}

# Evaluates `say`, which gives a warning or message about a representation, once for each key.
# Permuted representations share `said` with the original, so that a null does not repeat its
# messages.
say_once <- function(repr, key, say) {
  remember(said_of(repr$cache), key, {
    say
    TRUE
  })
  invisible()
}

# ---- form scaling

# Columns are centred and scaled here, before nearly every other form is made of them.

# The data of a representation, which are read again where only their size and names are held
# (absent_data()).
data_of <- function(repr) {
  if (is.null(repr$source) || !inherits(repr$data, "repalign_absent")) return(repr$data)
  kept <- unclass(repr$data)
  # what is said of the file was said when it was read first
  data <- suppressMessages(repr$source$read(repr$source, kept$rows))
  if (!is.null(kept$columns)) data <- data[, kept$columns, drop = FALSE]
  structure(data, columns_checked = if (!is.null(kept$columns)) TRUE)
}

# A representation with its data for a while: what is made of them is not kept.
with_data <- function(repr) {
  if (is.null(repr$source)) return(repr)
  repr <- without_forms(repr)
  repr$data <- data_of(repr)
  repr
}

# Without what was made in this call; forms that were given with the representation stay.
without_forms <- function(repr) {
  cache <- new_cache()
  if (!is.null(repr$prepared)) cache$entries <- repr$cache$entries[seq_len(repr$prepared$forms)]
  for (name in c("neighbours", "choices", "column_stats")) cache[[name]] <- repr$cache[[name]]
  repr$cache <- cache
  repr
}

# list(means, largest, size, finite, odd), in one pass over the data, which reading them makes
# already (representation()): means of the columns, the largest absolute entry of the centred data
# and of the data, and is there anything to tell of odd columns?
column_stats <- function(repr) {
  if (is.null(repr$cache$column_stats)) {
    repr$cache$column_stats <- .Call(C_column_stats, data_of(repr))
  }
  repr$cache$column_stats
}

# list(means, scale): the column means, and a power of two that brings the largest centred entry
# near 1, so that fourth powers neither overflow nor underflow. Multiplying by a power of two is
# exact.
form_centering <- function(repr) {
  remember_form(repr, "scaling", list(center = TRUE), {
    stats <- column_stats(repr)
    if (!(stats$largest > 0 && stats$largest < Inf)) {
      refuse_if(!is.finite(stats$largest), "value", "`{repr$arg}` has values too large to take ",
                "differences of; rescale it.")
      refuse("variance", "`{repr$arg}` ", if (is.null(repr$fold)) {
        "has no variance: every column is constant."
      } else paste0("is constant in the training set of fold ", repr$fold, ": use other folds, or ",
                    "leave it out."))
    }
    list(means = stats$means, scale = power_of_two_below(stats$largest))
  })
}

# The same, or without centring, when the means are zeros.
form_scaling <- function(repr, center) {
  if (center) return(form_centering(repr))
  remember_form(repr, "scaling", list(center = FALSE), {
    list(means = numeric(ncol(repr$data)), scale = power_of_two_below(column_stats(repr)$size))
  })
}

declare_form("scaling", relabel = unmoved, size = function(n, d, args) d)

scaled_data <- function(repr, center) {
  unit <- form_scaling(repr, center)
  .Call(C_center, repr$data, unit$means, unit$scale)
}
