# Small helpers of the generators: everything is drawn from R's generator.

chance <- function(p) stats::runif(1) < p

one_of <- function(values, weights = NULL) values[[sample.int(length(values), 1, prob = weights)]]

# A whole number; small ones are more likely.
count_up_to <- function(most, least = 1) {
  if (most <= least) return(least)
  if (chance(0.7)) most <- min(most, least + 5)
  least + sample.int(most - least + 1, 1) - 1
}

# Labels for `size` things, with repeats.
labels_for <- function(size, groups = count_up_to(max(size, 2), 2)) {
  labels <- sample.int(groups, size, replace = TRUE)
  switch(sample.int(3, 1), labels, letters[(labels - 1) %% 26 + 1], factor(labels))
}

# Drops what is NULL, as an argument that is not given.
given <- function(...) Filter(Negate(is.null), list(...))
