# The nulls of all kernels share these functions: used forms, null scores and p-values.

null_of_label <- function(measure) paste("The null of", measure$label)

orientation <- function(measure) if (measure$declaration$direction == "distance") -1 else 1

# The scale that rounding errors of scores are compared with: 1 for scores that have bounds, and the
# size of the scores themselves for others, which may have the units of the data.
score_scale <- function(measure, s, null) {
  bounded <- all(is.finite(range_of(measure$declaration, measure$args)))
  max(0, abs(s), if (bounded) 1 else abs(null), na.rm = TRUE)
}

# Makes the form of every representation that some pair uses, once each. index: which representation
# each pair uses; `at` in the result: which of the forms each pair uses.
used_forms <- function(reprs, index, form) {
  used <- unique(index)
  list(forms = lapply(reprs[used], form), at = match(index, used))
}

# Refuses null scores that do not fit into memory. Those of each measure are kept, and while they
# are made there are about four more matrices of their size.
check_null_memory <- function(count, pairs, measures) {
  check_memory(8 * (count + 1) * pairs * (measures + 4), "The null scores of all pairs",
               "Fewer permutations or fewer pairs in a call need less.")
}

# The null scores of one pair, and its p-value. stat: the numbers that are compared for the p-value,
# larger for more similar; score: the scores. Both begin with the observed order. A null score that
# differs from the observed one by rounding only is set to it, because roots and aggregates could
# make such a difference large.
null_of_pair <- function(stat, score, tolerance, observed) {
  gap <- stat[-1] - stat[1]
  null <- score[-1]
  null[which(abs(gap) <= tolerance)] <- observed
  list(null = null, p_value = (1 + sum(gap >= -tolerance)) / (length(gap) + 1))
}
