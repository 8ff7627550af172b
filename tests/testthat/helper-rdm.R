# RDMs from their definitions, pair by pair.

# Patterns conditions x channels x runs with NA where a condition has no observation, and counts.
plain_patterns <- function(x, condition, run) {
  conditions <- if (is.character(condition)) unique(condition) else sort(unique(condition))
  runs <- sort(unique(run))
  b <- array(NA_real_, c(length(conditions), ncol(x), length(runs)))
  counts <- matrix(0, length(conditions), length(runs))
  for (i in seq_along(conditions)) {
    for (m in seq_along(runs)) {
      at <- condition == conditions[i] & run == runs[m]
      counts[i, m] <- sum(at)
      if (any(at)) b[i, , m] <- colMeans(x[at, , drop = FALSE])
    }
  }
  list(b = b, counts = counts)
}

# precision: of a pair of runs.
plain_crossnobis <- function(x, condition, run, precision = function(m, l) diag(ncol(x)),
                             weights = "equal", center = FALSE) {
  p <- plain_patterns(x, condition, run)
  if (center) for (m in seq_len(dim(p$b)[3])) p$b[, , m] <- p$b[, , m] - rowMeans(p$b[, , m])
  n <- nrow(p$counts)
  d <- matrix(NA_real_, n, n)
  pairs <- utils::combn(ncol(p$counts), 2)
  for (i in seq_len(n - 1)) {
    for (j in (i + 1):n) {
      terms <- apply(pairs, 2, function(r) {
        delta <- p$b[i, , r] - p$b[j, , r]
        if (anyNA(delta)) return(c(NA, NA))
        repeats <- p$counts[c(i, j), r]
        weight <- if (weights == "equal") 1 else
          prod(apply(repeats, 2, function(k) prod(k) / sum(k)))
        c(weight, delta[, 1] %*% precision(r[1], r[2]) %*% delta[, 2] / ncol(x))
      })
      known <- !is.na(terms[1, ])
      if (any(known)) d[j, i] <- sum(terms[1, known] * terms[2, known]) / sum(terms[1, known])
    }
  }
  d[lower.tri(d)]
}

# Observations of all conditions in all runs, `repeats` times each, with labels.
full_design <- function(conditions, runs, repeats = 1) {
  expand.grid(repeats = seq_len(repeats), condition = seq_len(conditions), run = seq_len(runs))
}

random_precision <- function(p) {
  e <- matrix(rnorm(3 * p * p), 3 * p)
  solve(crossprod(e) / (3 * p))
}
