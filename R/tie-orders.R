# The mean of a score over some random orders of tied neighbours, for measures of which no formula
# for the mean over all orders is known.

# How many random orders an average is taken over where no formula gives it.
tie_orders <- 20L

# Does a measure take the mean of its scores over some random orders?
takes_orders <- function(d, args) {
  identical(args$ties, "average") && !isTRUE(declared(d$exact_ties, args))
}

# Do ties change the score of this pair?
has_ties <- function(d, pair, args) {
  wanted <- d$neighbours(args)
  pair <- clustered_pair(pair, args$clusters)
  tied_rows(pair$x, wanted) > 0 || tied_rows(pair$y, wanted) > 0
}

# A representation whose ties are in the random order of this number.
in_tie_order <- function(repr, number) {
  repr$tie_order <- number
  repr
}

pair_in_tie_order <- function(pair, number) {
  pair[c("x", "y")] <- lapply(pair[c("x", "y")], in_tie_order, number)
  pair
}

sides_in_tie_order <- function(sides, number) {
  for (side in c("x", "y")) {
    sides[[side]]$reprs <- lapply(sides[[side]]$reprs, in_tie_order, number)
  }
  sides
}

# The mean of `value`(number), a number or an array, over all orders. It is updated order by order,
# so that the mean of equal values is that value to the last digit.
mean_over_orders <- function(value) {
  total <- 0
  for (number in seq_len(tie_orders)) {
    now <- value(number)
    if (all(is.na(now))) return(now)
    total <- total + (now - total) / number
  }
  total
}

# Every order keeps graphs of its own.
check_orders_memory <- function(n, k) {
  check_memory(tie_orders * 80 * as.double(n) * k,
               paste("The mean over", tie_orders, "orders of tied neighbours"),
               "ties = \"random\" needs less.")
}
