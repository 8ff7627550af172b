# A form is what is prepared once of a representation, and then compared or permuted many times; it
# is remembered in the cache of its representation, which stands here, too.

#' @include relabel.R
NULL

# A form is a named list whose class is its kind and "repalign_form". The kind is declared once, by
# declare_form(), beside the form_*() function that makes it, and says what the rest of the package
# needs to know of every form: what a permutation of the stimuli makes of it, how much memory it
# takes, and which of its parts were drawn at random.
form_kinds <- new.env()

# Arguments of declare_form():
#
# kind      its name, which measures()$form shows
# relabel   function(form, permutation): the same form of the representation whose stimuli come
#           in the order `permutation`; unmoved() where their order does not matter (relabel.R)
# size      function(n, d, args): how many numbers it holds at most, for n stimuli and d neurons,
#           not counting a few for each stimulus and neuron; `args` are those of the measure
# drawn     names of the parts that were drawn at random: a permutation takes them along
declare_form <- function(kind, relabel, size, drawn = character()) {
  stopifnot(is.character(kind), length(kind) == 1, is.null(form_kinds[[kind]]),
            identical(names(formals(relabel)), c("form", "permutation")),
            identical(names(formals(size)), c("n", "d", "args")), is.character(drawn))
  form_kinds[[kind]] <- list(kind = kind, relabel = relabel, size = size, drawn = drawn)
}

new_form <- function(kind, parts) {
  form_kind(kind)
  if (!is.list(parts) || is.null(names(parts)) || !all(nzchar(names(parts)))) {
    stop("The parts of a form are a list with names.")
  }
  as_form(kind, parts)
}

# Makes a form without checks, which would take time in every comparison.
as_form <- function(kind, parts) {
  class(parts) <- c(kind, "repalign_form")
  parts
}

form_kind <- function(kind) {
  declared <- form_kinds[[kind]]
  if (is.null(declared)) stop("No form of the kind ", dQuote(kind, FALSE), " is declared.")
  declared
}

kind_of_form <- function(form) class(form)[[1]]

# A form with more parts, which a permutation of the stimuli leaves as they are.
extend_form <- function(form, ...) {
  as_form(kind_of_form(form), c(unclass(form), list(...)))
}

relabel_form <- function(form, permutation) {
  form_kind(kind_of_form(form))$relabel(form, permutation)
}

# How many numbers the forms of these kinds hold at most, for n stimuli and d neurons.
form_size <- function(kinds, n, d, args) {
  sum(vapply(kinds, function(kind) as.double(form_kind(kind)$size(n, d, args)), 0))
}

has_drawn_parts <- function(form) length(form_kind(kind_of_form(form))$drawn) > 0

# The form of a representation or of a pair (`owner`). The first call with this kind and these
# arguments evaluates `parts`; later calls find the form in the cache. `arguments` is a list, which
# is compared as a whole. A permuted representation gets the form of its original, relabelled, if
# there is one.
remember_form <- function(owner, kind, arguments, parts) {
  found <- recall_form(owner, kind, arguments)
  if (!is.null(found)) return(found)
  keep_remembered(owner$cache, list(kind, arguments), new_form(kind, parts))
}

# The same form if it was made before, or NULL.
recall_form <- function(owner, kind, arguments) {
  cache <- owner$cache
  key <- list(kind, arguments)
  found <- find_remembered(cache, key)
  original <- cache$original
  if (!is.null(found) || is.null(original)) return(found)
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

# `entries` is a list of keys and values; `said` is a cache of its own, with the warnings and
# messages that were already given about the representation.
new_cache <- function() {
  cache <- new.env(parent = emptyenv())
  cache$said <- new.env(parent = emptyenv())
  cache
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
  cache$entries[[length(cache$entries) + 1L]] <- list(key = key, value = value)
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
  remember(repr$cache$said, key, {
    say
    TRUE
  })
  invisible()
}
