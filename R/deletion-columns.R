# How the score of a pair changes with the stimuli: a column of deletions for each row of a result.

# A column is list(value, change, jackknife, exact, spread_z):
#
# value    the score
# change   what deleting each unit (stimulus or cluster) adds to the score; of influences, the
#          deletion that has the same variance: V = (m - 1)/m sum (change - mean)^2
# spread   NA, or the standard error on the scale of the interval (Fisher's z) from the deletions
#
# Half-samples have `halves` in the place of `change`: deviations whose squares add up to V.

# errors: from new_errors(); exact: delete one stimulus at a time although there are influences?
deletion_column <- function(pair, measure, errors, codes, exact) {
  d <- measure$declaration
  args <- measure$args
  if (exact && errors$method != "jackknife") {
    if (is.null(errors$exact)) return(NULL)
    return(jackknife_column(errors$exact(pair, args, codes), errors))
  }
  values <- errors$stimuli(pair, args, codes)
  if (errors$method != "influence") return(jackknife_column(values, errors))
  value <- compare_pair(d, pair, args)
  influence_column(value, values, errors, codes)
}

# values: of all stimuli, and without each unit; of cosines where the score is a function of them.
jackknife_column <- function(values, errors) {
  m <- length(values) - 1
  spread <- if (errors$transform == "z") {
    z <- suppressWarnings(atanh(values[-1]))
    sqrt((m - 1) / m * cross_deviation(z, z))
  } else {
    NA_real_
  }
  if (!is.null(errors$cosine)) values <- errors$cosine$score(values)
  list(value = values[1], change = values[-1] - values[1], spread = spread)
}

influence_column <- function(value, influence, errors, codes) {
  if (!is.null(errors$cosine)) {
    influence <- influence * errors$cosine$slope(errors$cosine$of(value))
  }
  n <- length(influence)
  if (!is.null(codes)) influence <- drop(rowsum(influence, codes)) * length(unique(codes)) / n
  m <- length(influence)
  # sums over clusters are those of a jackknife over clusters; of single stimuli the variance is the
  # mean square over n
  change <- if (is.null(codes)) -influence / sqrt(n * (n - 1)) else -influence / (m - 1)
  list(value = value, change = change, spread = NA_real_)
}

# scores: of half-samples; those that are NA are left out.
half_column <- function(value, scores, factor) {
  known <- !is.na(scores)
  if (sum(known) < length(scores) / 2) {
    return(list(value = value, halves = rep(NA_real_, length(scores)), spread = NA_real_))
  }
  halves <- (scores - mean(scores[known])) * factor / sqrt(sum(known) - 1)
  halves[!known] <- 0
  list(value = value, halves = halves, spread = NA_real_)
}

# Deviations whose products add up to the covariances of scores; they have the signs of influences.
deviations_of <- function(column) {
  if (!is.null(column$halves)) return(column$halves)
  m <- length(column$change)
  -sqrt((m - 1) / m) * (column$change - mean(column$change))
}

# The column of a table of deletions: with all units, or without one.
column_of_table <- function(table, errors, unit = NULL) {
  at <- 1
  if (!is.null(unit)) {
    known <- unique(c(table$layout$labels$x, table$layout$labels$y))
    at <- 1 + match(unit, known)
  }
  jackknife_column(table$values[, at], errors)
}
