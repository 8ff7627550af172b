# The table of the group of rsa_regression(): means over subjects with errors over conditions and
# subjects, beside the tests about either alone.

#' @include result-class.R
NULL

declare_result(
  "repalign_regression_group", from = "rsa_regression", digits = 3, words = "groups of regressions",
  columns = described_columns(
    column("term", "the predictor", key = TRUE),
    column("mean", "the mean of its coefficients", shown = 1, tidy = "estimate"),
    column("tested", "the mean of those that are tested", shown = 2),
    column("se", "the standard error of `tested`", shown = 3, tidy = "std.error"),
    column("df", "its degrees of freedom", shown = 6),
    column("statistic", "`tested` over its standard error", shown = 5),
    column("p_value", "about other conditions and other subjects", shown = 4, tidy = "p.value"),
    column("p_conditions", "about other conditions, by permutations", shown = 7),
    column("p_subjects", "about other subjects", shown = 8),
    column("subjects", "the number of subjects", shown = 9)
  ),
  heading = function(x, digits) "Means over subjects of the coefficients of a regression of RDMs",
  footing = function(x, digits) {
    c("p_value is about other subjects and other conditions, of the coefficient `tested`.",
      "p_conditions holds the subjects fixed, p_subjects the conditions: see ?rsa_regression.")
  }
)

# fits: of each response, from regression_of(); group: the subject of each; tested: from
# tested_coefficients(). Subjects without a fit are left out.
group_table <- function(fits, fit, group, tested) {
  known <- !vapply(fits, function(one) is.na(one$rows$estimate[1]), NA)
  subjects <- split(fits[known], group[known])
  count <- length(subjects)
  rows <- data.frame(term = fits[[1]]$rows$term)
  na <- rep(NA_real_, nrow(rows))
  estimates <- vapply(subjects, function(own) mean_of_fits(own, function(one) one$rows$estimate),
                      na)
  estimates <- matrix(estimates, ncol = count)
  rows$mean <- if (count) rowMeans(estimates) else na
  rows <- cbind(rows, if (count) errors_of_group(tested[, , known, drop = FALSE], group[known]) else
    data.frame(tested = na, se = na, df = na, statistic = na))
  nulls <- lapply(subjects, mean_of_fits, function(one) one$null)
  p_conditions <- if (count) p_of_terms(Reduce(`+`, nulls) / count, fit) else na
  # what centring leaves nothing of is not tested
  rows[is.na(p_conditions), c("tested", "se", "df", "statistic")] <- NA
  # coefficients that are not negative are tested for being positive
  one_sided <- fit == "nonnegative"
  tail <- stats::pt(if (one_sided) rows$statistic else abs(rows$statistic), rows$df,
                    lower.tail = FALSE)
  rows$p_value <- if (one_sided) tail else 2 * tail
  rows$p_conditions <- p_conditions
  rows$p_subjects <- if (count > 1) {
    spread <- apply(estimates, 1, sd_of_any_size)
    2 * stats::pt(-abs(ifelse(spread > 0, rows$mean / spread * sqrt(count), NA)), count - 1)
  } else na
  rows$subjects <- count
  rows
}

# The squares of differences may be too large or too small for a double.
sd_of_any_size <- function(values) {
  unit <- power_of_two_below(max(abs(values)))
  stats::sd(values * unit) / unit
}

mean_of_fits <- function(fits, part) Reduce(`+`, lapply(fits, part)) / length(fits)

# ---- errors over conditions and subjects

# tested: terms x (nothing and each condition deleted) x responses. The mean over subjects, its
# standard error by deletion of conditions and subjects, and degrees of freedom. Conditions and
# subjects are crossed: what both main parts hold is subtracted once.
errors_of_group <- function(tested, group) {
  codes <- match(group, unique(group))
  n <- dim(tested)[2] - 1
  rows <- lapply(seq_len(dim(tested)[1]), function(k) {
    values <- matrix(tested[k, , ], n + 1)
    # a column for each subject
    values <- t(rowsum(t(values), codes) / tabulate(codes))
    # numbers near 1, as their squares may be too large or too small for a double
    largest <- max(abs(values), 0, na.rm = TRUE)
    unit <- if (largest > 0) power_of_two_below(largest) else 1
    values <- values * unit
    errors <- contrast_errors(parts_of_deletions(values), matrix(1))
    mean <- mean(values[1, ])
    errors$se[errors$se <= tie_share * abs(mean)] <- NA
    data.frame(tested = mean / unit, se = errors$se / unit, df = errors$df,
               statistic = mean / errors$se)
  })
  do.call(rbind, rows)
}

# values: (nothing and each condition deleted) x subjects. What contrast_errors() takes.
parts_of_deletions <- function(values) {
  n <- nrow(values) - 1
  count <- ncol(values)
  change <- values[-1, , drop = FALSE] - rep(values[1, ], each = n)
  of_mean <- rowMeans(change)
  conditions <- (n - 1) / n * sum((of_mean - mean(of_mean))^2)
  if (count < 2) {
    return(list(main = list(matrix(conditions)), interactions = list(), df = n - 1,
                clustered = TRUE))
  }
  subjects <- stats::var(values[1, ]) / count
  inner <- (n - 1) / n * sum((change - of_mean)^2) / (count * (count - 1))
  list(main = list(matrix(conditions), matrix(subjects)), interactions = list(matrix(inner)),
       df = c(n - 1, count - 1))
}

# ---- coefficients without each condition

# The coefficients that are tested, of ordinary least squares (without effects of single conditions
# if `center`), with all conditions and without each of them: terms x (n + 1) x responses. What
# cannot be estimated is NA.
tested_coefficients <- function(table, between, center, standardize) {
  count <- ncol(table$x)
  result <- array(NA_real_, c(count, table$n + 1, ncol(table$y)))
  usable <- between & !rowSums(is.na(table$x))
  # responses that lack the same pairs go together
  for (at in same_gaps(table$y)) {
    there <- usable & !is.na(table$y[, at[1]])
    if (sum(there) < 2) next
    columns <- cbind(table$x, table$y[, at, drop = FALSE])
    # numbers near 1, as their squares may be too large or too small for a double
    unit <- apply(abs(columns[there, , drop = FALSE]), 2, function(size) {
      if (max(size) > 0) power_of_two_below(max(size)) else 1
    })
    columns <- columns * rep(unit, each = nrow(columns))
    columns <- columns - rep(colMeans(columns[there, , drop = FALSE]), each = nrow(columns))
    columns[!there, ] <- 0
    found <- deleted_fits(columns, there, table$n, count, center, standardize)
    if (!standardize) {
      found <- found * rep(unit[seq_len(count)], length(found) / count) /
        rep(unit[-seq_len(count)], each = count * (table$n + 1))
    }
    result[, , at] <- found
  }
  result
}

# columns: packed RDMs of predictors, `count` of them, and of responses, 0 where pairs do not count.
deleted_fits <- function(columns, there, n, count, center, standardize) {
  mask <- square_pairs(as.double(there), n)
  squares <- vapply(seq_len(ncol(columns)), function(k) square_pairs(columns[, k], n),
                    matrix(0, n, n))
  total <- crossprod(columns)
  sums <- apply(squares, c(1, 3), sum)
  fits <- lapply(0:n, function(i) {
    if (i > 0) {
      own <- matrix(squares[i, , ], n)
      total <- total - crossprod(own)
      sums <- (sums - own)[-i, , drop = FALSE]
      mask <- mask[-i, -i]
    }
    fits_of_sums(total, sums, mask, count, center, standardize)
  })
  aperm(array(unlist(fits), c(count, ncol(columns) - count, n + 1)), c(1, 3, 2))
}

# The coefficients of each response (a column) from sums of products over pairs and sums over the
# pairs of each condition.
fits_of_sums <- function(total, sums, mask, count, center, standardize) {
  x <- seq_len(count)
  pairs <- sum(mask) / 2
  undefined <- matrix(NA_real_, count, ncol(total) - count)
  if (pairs < 2) return(undefined)
  whole <- colSums(sums) / 2
  plain <- total - tcrossprod(whole) / pairs
  tested <- plain
  rank <- 1
  if (center) {
    inverse <- effects_inverse(mask)
    tested <- total - crossprod(sums, inverse$matrix %*% sums)
    rank <- inverse$rank
  }
  gram <- tested[x, x, drop = FALSE]
  known <- own_parts(gram) > equal_share * diag(total)[x]
  if (pairs - rank - count < 0 || !all(known)) return(undefined)
  weights <- solve_scaled(gram, tested[x, -x, drop = FALSE])
  if (!standardize) return(weights)
  size <- sqrt(pmax(diag(plain), 0))
  weights * size[x] / rep(ifelse(size[-x] > 0, size[-x], NA), each = count)
}

# Of each predictor, the sum of squares that the others do not tell.
own_parts <- function(gram) {
  vapply(seq_len(nrow(gram)), function(k) {
    rest <- gram[-k, -k, drop = FALSE]
    gram[k, k] - (if (nrow(rest)) sum(gram[-k, k] * solve_scaled(rest, cbind(gram[-k, k]))) else 0)
  }, 0)
}
