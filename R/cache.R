# What is made once is remembered in the cache of its representation or pair.

new_cache <- function() {
  cache <- new.env(parent = emptyenv())
  cache$said <- new.env(parent = emptyenv())
  cache
}

# Evaluates `make`, whose value is not NULL, once per key. A key may be any value: it is compared
# as a whole, so that long labels and all digits of a parameter count.
remember <- function(cache, key, make) {
  found <- find_remembered(cache, key)
  if (!is.null(found)) return(found)
  keep_remembered(cache, key, make)
}

keep_remembered <- function(cache, key, value) {
  force(value) # which may remember other things on the way
  cache$entries[[length(cache$entries) + 1L]] <- list(key = key, value = value)
  value
}

find_remembered <- function(cache, key) {
  for (entry in cache$entries) if (identical(entry$key, key)) return(entry$value)
  NULL
}

# Evaluates `say`, a warning or message about a representation, once per key. Permuted
# representations share what was said of the original.
say_once <- function(repr, key, say) {
  remember(repr$cache$said, key, {
    say
    TRUE
  })
  invisible()
}
