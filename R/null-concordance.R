# The null of Kendall's tau.

#' @include null-kernels.R
NULL

# The null kernel "concordance" counts, under permutations of the stimuli of one of two RDMs, the
# pairs of pairs of stimuli that are concordant less those that are discordant. Both RDMs are sorted
# once: a permutation tells only in which order the pairs of one come along those of the other.
#
# operand()     gives list(order, levels): ordered_pairs() of side x, or pair_levels() of side y
# values        a list of one matrix with a row for each permutation: that number, and how many
#               pairs of pairs are tied on side y

concordance_null <- function(task) {
  orders <- with_observed(task$design)
  lapply(seq_len(nrow(task$pairs)), function(p) {
    forms <- task_forms(task, p)
    counts <- permuted_excess(forms$x$order, forms$y$levels, orders, task$label)
    score <- task$score(list(counts), forms$x, forms$y)
    null_of_pair(task$orientation * score, score, equal_share, task$observed[p])
  })
}

declare_null_kernel("concordance", run = concordance_null, cosets = FALSE,
                    size = function(n, d) 1.5 * packed_length(n),
                    memory = function(n, dx, dy) 6 * packed_length(n))

# A matrix with a row for each order (n x count): excess and tied.
permuted_excess <- function(order, levels, orders, label) {
  in_chunks(ncol(orders), 5e7 / length(order$level), function(at) {
    do.call(cbind, .Call(C_permuted_concordance, order, levels, orders[, at, drop = FALSE],
                         thread_count()))
  }, label)
}

# The pairs of stimuli that are `there`, in the order of their values: list(first, second, level,
# untied), of which the last is how many pairs of them are not tied.
ordered_pairs <- function(values, n, there = rep(TRUE, length(values))) {
  at <- which(there)
  at <- at[order(values[at], method = "radix")]
  places <- pair_places(at, n)
  new <- c(TRUE, diff(values[at]) != 0)
  level <- cumsum(new)
  list(first = places$first, second = places$second, level = level,
       untied = choose(length(at), 2) - sum(choose(tabulate(level), 2)))
}

# list(level, levels): the level of each packed value, and how many levels there are.
pair_levels <- function(values) {
  at <- order(values, method = "radix")
  new <- c(TRUE, diff(values[at]) != 0)
  level <- integer(length(values))
  level[at] <- cumsum(new)
  list(level = level, levels = sum(new))
}

# counts: a matrix with the rows of permuted_excess().
taus_of_counts <- function(counts, order, outer) {
  all <- choose(length(order$level), 2)
  counts[, 1] / if (outer == "tau_b") sqrt(order$untied) * sqrt(all - counts[, 2]) else all
}
