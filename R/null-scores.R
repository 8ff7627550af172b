# What the nulls of all kernels share: the forms that are used, null scores and p-values.

null_of_label <- function(measure) paste("The null of", measure$label)

orientation <- function(measure) if (measure$declaration$direction == "distance") -1 else 1

# What rounding is measured by: scores without bounds may have the units of the data.
score_scale <- function(measure, s, null) {
  bounded <- all(is.finite(range_of(measure$declaration, measure$args)))
  max(0, abs(s), if (bounded) 1 else abs(null), na.rm = TRUE)
}

# The forms of the representations that are used, each made once, and which pair uses which.
used_forms <- function(reprs, index, form) {
  used <- unique(index)
  list(forms = lapply(reprs[used], form), at = match(index, used))
}

# Null scores of `pairs` pairs under `count` permutations: kept once for every measure, and a
# few times over while they are made.
check_null_memory <- function(count, pairs, measures) {
  check_memory(8 * (count + 1) * pairs * (measures + 4), "The null scores of all pairs",
               "Fewer permutations or fewer pairs in a call need less.")
}

# One pair: its null scores in the measure's units, and its p-value. stat: what is compared,
# larger for more similar, and score: the scores; both begin with the observed order.
# A null score that is the observed one but for rounding is set to it: roots and aggregates
# would make the difference large.
null_of_pair <- function(stat, score, tolerance, observed) {
  gap <- stat[-1] - stat[1]
  null <- score[-1]
  null[which(abs(gap) <= tolerance)] <- observed
  list(null = null, p_value = (1 + sum(gap >= -tolerance)) / (length(gap) + 1))
}
