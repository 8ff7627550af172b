# What is prepared once is remembered in the cache of its representation or pair.

# Evaluates `make` once per key. A key may be any value: it is compared as a whole,
# so that long labels and all digits of a parameter count.
remember <- function(cache, key, make) {
  for (entry in cache$entries) if (identical(entry$key, key)) return(entry$value)
  value <- make
  cache$entries <- c(cache$entries, list(list(key = key, value = value)))
  value
}
