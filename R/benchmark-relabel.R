# The p-values of the benchmark: from groups, or models, or pairs that are relabelled.

# All ways, or a random sample of them, to give the groups to the models: a matrix of group numbers,
# a row a model, whose first column is how they are. All ways if there are at most `most`.
group_relabellings <- function(groups, most) {
  codes <- as.integer(group_factor(groups))
  relabellings_of(codes, most, lgamma(length(codes) + 1) - sum(lgamma(tabulate(codes) + 1)))
}

# The same of the numbers 1 to n: orders of models, or of pairs.
order_relabellings <- function(n, most) relabellings_of(seq_len(n), most, lgamma(n + 1))

# log_ways: the logarithm of the number of different ways.
relabellings_of <- function(codes, most, log_ways) {
  if (most == 0) return(matrix(codes))
  if (log_ways > log(most + 0.5)) {
    drawn <- vapply(seq_len(most), function(i) codes[sample.int(length(codes))], codes)
    return(cbind(codes, drawn, deparse.level = 0))
  }
  all <- all_arrangements(codes)
  observed <- colSums(all != codes) == 0
  cbind(codes, all[, !observed, drop = FALSE], deparse.level = 0)
}

# All different orders of values that may repeat, one a column.
all_arrangements <- function(values) {
  if (length(values) <= 1) return(matrix(values, length(values)))
  parts <- lapply(unique(values), function(first) {
    rbind(first, all_arrangements(values[-match(first, values)]), deparse.level = 0)
  })
  do.call(cbind, parts)
}

# The groups in the order of their levels, or of appearance.
group_factor <- function(groups) {
  if (is.factor(groups)) return(droplevels(groups))
  labels <- as.character(groups)
  factor(labels, unique(labels))
}

# values: those of all relabellings, the observed one first, which is among them. What is undefined
# counts as if it were as large, so that it never makes a p-value smaller.
p_at_least <- function(values) {
  if (length(values) < 2 || is.na(values[1])) return(NA_real_)
  room <- equal_share * max(1, abs(values[is.finite(values)]))
  mean(is.na(values) | values >= values[1] - room)
}

# Twice the smaller tail, at most 1.
p_two_sided <- function(values) min(1, 2 * min(p_at_least(values), p_at_least(-values)))

# Whole numbers in the order of the values, the same for values that only rounding tells apart.
tie_levels <- function(values) {
  if (!length(values)) return(integer())
  ordered <- order(values)
  sorted <- values[ordered]
  room <- tie_share * max(0, abs(sorted[is.finite(sorted)]))
  level <- integer(length(values))
  # two infinite values have no difference, and are tied
  level[ordered] <- cumsum(c(TRUE, (diff(sorted) > room) %in% TRUE))
  level
}

# The pairs of models of a score matrix whose score is known: for symmetric measures each once, else
# in both orders. undefined: how many are not known.
known_pairs <- function(score, symmetric) {
  m <- nrow(score)
  at <- which(if (symmetric) upper.tri(score) else !diag(m))
  known <- is.finite(score[at])
  list(first = row(score)[at[known]], second = col(score)[at[known]], score = score[at[known]],
       undefined = sum(!known))
}
