# Each representation and each pair has a cache, which remembers what was made of it once.

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
  for (entry in cache$entries) if (identical(entry$key, key)) return(entry$value)
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
