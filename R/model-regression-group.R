# The table of the group of rsa_regression(): means over subjects with errors over conditions and
# subjects, beside the tests about either alone.

#' The test of a group of regressions
#'
#' What `summary()` of [rsa_regression()] tests: a predictor in all subjects, about other conditions
#' and other subjects.
#'
#' @details
#' `p_value` is that of the t statistic of the mean coefficient over subjects, whose variance is
#' that of leaving out conditions one at a time and subjects one at a time. With
#' `fit = "nonnegative"` it is one-sided. It held its level in all simulations of five subjects and
#' more and is conservative, where `p_conditions` and `p_subjects` were often too small.
#' `p_subjects` is `NA` with `"nonnegative"`: coefficients of nothing have a mean above 0 there.
#'
#' With `blocks` (or `leave_out`), differences between blocks are taken out of `tested`, too, and
#' whole blocks are left out. At least three are needed, else `p_value` is `NA`.
#' @examples
#' data <- list(subjects = rdm92[paste0("human", 1:4, "_s1")], monkey = rdm92$monkey,
#'              animate = attr(rdm92, "images")$animal == 1)
#' set.seed(1)
#' fit <- rsa_regression(subjects ~ monkey + animate, data, permutations = 199)
#' summary(fit)
#' confint(fit)
#' @name regression_group
NULL

#' @include result-class.R
NULL

declare_result(
  "repalign_regression_group", from = "rsa_regression", digits = 3, words = "groups of regressions",
  columns = described_columns(
    column("term", "the predictor", key = TRUE),
    column("mean", "the mean of its coefficients", shown = 1, tidy = "estimate"),
    column("tested", "the mean of those that are tested", shown = 2),
    column("se", "the standard error of `tested`", shown = 3),
    column("df", "its degrees of freedom", shown = 6),
    column("statistic", "`tested` over its standard error", shown = 5),
    column("p_value", "about other conditions and other subjects", shown = 4),
    column("p_conditions", "about other conditions, by permutations", shown = 7),
    column("p_subjects", "of `mean`, about other subjects", shown = 8),
    column("subjects", "the number of subjects", shown = 9),
    column("deleted", "what was left out one at a time for `se`")
  ),
  heading = function(x, digits) {
    what <- if (isTRUE(x$subjects[1] > 1)) "Means over subjects of the coefficients" else
      "Coefficients"
    paste(what, "of a regression of RDMs")
  },
  footing = function(x, digits) {
    blocks <- any(grepl("block", x$deleted))
    several <- isTRUE(x$subjects[1] > 1)
    c(paste0("p_value is about other ", if (several) "subjects and other ",
             if (blocks) "blocks" else "conditions",
             ", of the coefficient `tested`", if (blocks) " within blocks", "."),
      if (length(x$deleted)) {
        paste0("For its error, ", paste(unique(x$deleted), collapse = ", or "),
               " were left out one at a time.")
      },
      if (several) {
        paste("p_conditions holds the subjects fixed, p_subjects (of `mean`) the conditions: see",
              "?rsa_regression.")
      },
      words_below(x))
  },
  sentence = function(x) group_sentence(x)
)

# What in_words() tells of the group: the test of each predictor about other conditions and other
# subjects.
group_sentence <- function(x) {
  need_columns(x, c("term", "tested", "statistic", "df", "p_value", "subjects", "deleted"), "told",
               "result")
  words <- vapply(seq_len(nrow(x)), function(row) {
    if (is.na(x$p_value[row])) return(paste0(x$term[row], " has no p-value (NA)"))
    paste0(x$term[row], if (x$p_value[row] <= 0.05) " had an effect" else " had no effect shown",
           brackets(paste("coefficient", number_word(x$tested[row])),
                    paste0("t(", short_number(x$df[row]), ") = ", number_word(x$statistic[row])),
                    p_words(x$p_value[row])))
  }, "")
  blocks <- any(grepl("block", x$deleted))
  count <- x$subjects[1]
  paste0("In a regression of RDMs, over ", if (count > 1) paste(count_of(count, "subject"), "and "),
         x$deleted[1], ": ", enumerate(words, 6, quote = FALSE), "; p-values are about other ",
         if (blocks) "blocks" else "conditions", if (count > 1) " and other subjects",
         if (count > 1 && count < few_subjects) paste(", a guess from only", count), ".")
}

# fits: of each response, from regression_of(); group: the subject of each; tested: from
# tested_coefficients(); deleted: in words. Subjects without a fit are left out.
group_table <- function(fits, fit, group, tested, deleted) {
  known <- !vapply(fits, function(one) is.na(one$rows$estimate[1]), NA)
  subjects <- split(fits[known], group[known])
  count <- length(subjects)
  rows <- data.frame(term = fits[[1]]$rows$term)
  na <- rep(NA_real_, nrow(rows))
  estimates <- vapply(subjects, mean_of_fits, na, function(one) one$rows$estimate)
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
  # coefficients that cannot be below 0 have a mean above 0 by chance
  rows$p_subjects <- if (count > 1 && !one_sided) {
    # the squares of differences may be too large or too small for a double
    spread <- apply(estimates, 1, function(values) {
      unit <- power_of_two_below(max(abs(values)))
      stats::sd(values * unit) / unit
    })
    2 * stats::pt(-abs(ifelse(spread > 0, rows$mean / spread * sqrt(count), NA)), count - 1)
  } else na
  rows$subjects <- count
  rows$deleted <- deleted
  rows
}

mean_of_fits <- function(fits, part) Reduce(`+`, lapply(fits, part)) / length(fits)

# ---- errors over conditions and subjects

# Two blocks have one difference, which tells next to nothing of how blocks vary.
least_units <- 3

# tested: terms x (nothing and each unit deleted) x responses, see tested_coefficients(). The mean
# over subjects, its standard error by deletion of units and subjects, and degrees of freedom. Units
# and subjects are crossed: what both main parts hold is subtracted once.
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
    errors$se[errors$se <= tie_share * abs(mean) || n < least_units] <- NA
    data.frame(tested = mean / unit, se = errors$se / unit, df = errors$df,
               statistic = mean / errors$se)
  })
  do.call(rbind, rows)
}

# values: (nothing and each unit deleted) x subjects. What contrast_errors() takes.
parts_of_deletions <- function(values) {
  n <- nrow(values) - 1
  count <- ncol(values)
  change <- values[-1, , drop = FALSE] - rep(values[1, ], each = n)
  of_mean <- rowMeans(change)
  units <- (n - 1) / n * sum((of_mean - mean(of_mean))^2)
  if (count < 2) {
    return(list(main = list(matrix(units)), interactions = list(), df = n - 1, clustered = TRUE))
  }
  subjects <- stats::var(values[1, ]) / count
  inner <- (n - 1) / n * sum((change - of_mean)^2) / (count * (count - 1))
  list(main = list(matrix(units), matrix(subjects)), interactions = list(matrix(inner)),
       df = c(n - 1, count - 1))
}

# ---- what is deleted

# list(codes, cells, words): the number of the unit that each condition is deleted with, and for
# `blocks` also the number of the group within which it is exchanged. Conditions are units of their
# own without `blocks`; else conditions that share a label of `blocks` or `leave_out` may depend on
# each other, and go together.
deleted_units <- function(n, leave_out, blocks) {
  if (is.null(blocks)) {
    return(list(codes = seq_len(n), cells = NULL, words = count_of(n, "condition")))
  }
  blocks <- codes <- cells <- as.integer(check_block_labels(blocks, n))
  if (!is.null(leave_out)) {
    leave_out <- as.integer(check_block_labels(leave_out, n, "leave_out"))
    cells <- as.integer(interaction(leave_out, blocks, drop = TRUE))
    repeat {
      joined <- stats::ave(stats::ave(codes, leave_out, FUN = min), blocks, FUN = min)
      if (identical(joined, codes)) break
      codes <- joined
    }
  }
  codes <- match(codes, unique(codes))
  list(codes = codes, cells = cells, words = count_of(max(codes), "block"))
}

# ---- coefficients without each unit

# The coefficients that are tested, of ordinary least squares (without effects of single conditions
# if `center`), with all conditions and without each unit of `units` (see deleted_units()):
# terms x (units + 1) x responses. What cannot be estimated is NA.
tested_coefficients <- function(table, between, center, standardize, units) {
  count <- ncol(table$x)
  size <- max(units$codes) + 1
  result <- array(NA_real_, c(count, size, ncol(table$y)))
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
    mask <- square_pairs(as.double(there), length(units$codes))
    plain <- sums_of_pairs(columns, nrow(mask))
    within <- if (is.null(units$cells)) plain else
      sums_of_pairs(less_cell_means(columns, there, units$cells), nrow(mask))
    fits <- lapply(seq_len(size) - 1, function(deleted) {
      keep <- units$codes != deleted
      if (!any(keep)) return(matrix(NA_real_, count, length(at)))
      own <- sums_of_kept(plain, keep)
      sums <- if (is.null(units$cells)) own else sums_of_kept(within, keep)
      fits_of_sums(own, sums, mask[keep, keep], units$cells[keep], count, center, standardize)
    })
    found <- aperm(array(unlist(fits), c(count, length(at), size)), c(1, 3, 2))
    if (!standardize) {
      found <- found * rep(unit[seq_len(count)], length(found) / count) /
        rep(unit[-seq_len(count)], each = count * size)
    }
    result[, , at] <- found
  }
  result
}

# list(total, sums, squares): sums of products over pairs, sums over the pairs of each condition,
# and the RDMs as matrices.
sums_of_pairs <- function(columns, n) {
  squares <- vapply(seq_len(ncol(columns)), function(k) square_pairs(columns[, k], n),
                    matrix(0, n, n))
  list(total = crossprod(columns), sums = apply(squares, c(1, 3), sum), squares = squares)
}

# The same of the conditions that are kept: pairs with those that are not go.
sums_of_kept <- function(found, keep) {
  if (all(keep)) return(found)
  columns <- function(rows, others) {
    matrix(found$squares[rows, others, , drop = FALSE], ncol = dim(found$squares)[3])
  }
  lost <- apply(found$squares[keep, !keep, , drop = FALSE], c(1, 3), sum)
  list(total = found$total - crossprod(columns(!keep, keep)) - crossprod(columns(!keep, !keep)) / 2,
       sums = found$sums[keep, , drop = FALSE] - lost)
}

# The coefficients of each response (a column). plain, tested: from sums_of_pairs(), of the RDMs as
# they are and, with `cells`, less the mean of each pair of cells.
fits_of_sums <- function(plain, tested, mask, cells, count, center, standardize) {
  x <- seq_len(count)
  pairs <- sum(mask) / 2
  undefined <- matrix(NA_real_, count, ncol(plain$total) - count)
  if (pairs < 2) return(undefined)
  level <- plain$total - tcrossprod(colSums(plain$sums) / 2) / pairs
  # how many numbers are taken out: the effects of pairs of cells and (if `center`) of single
  # conditions, or only the mean
  rank <- if (!is.null(cells)) sum(pairs_of_cells(mask, cells) > 0) else if (center) 0 else 1
  products <- if (center || !is.null(cells)) tested$total else level
  if (center) {
    inverse <- if (is.null(cells)) effects_inverse(mask) else
      generalised_inverse(effects_within(mask, cells))
    products <- products - crossprod(tested$sums, inverse$matrix %*% tested$sums)
    rank <- rank + inverse$rank
  }
  if (pairs - rank - count < 0) return(undefined)
  all <- diag(plain$total)[x]
  # where a predictor has nothing left but rounding, this must not count for the others
  nothing <- which(diag(products)[x] <= equal_share * all)
  products[nothing, ] <- products[, nothing] <- 0
  gram <- products[x, x, drop = FALSE]
  weights <- solve_scaled(gram, products[x, -x, drop = FALSE])
  weights[own_parts(gram) <= equal_share * all, ] <- NA
  if (!standardize) return(weights)
  size <- sqrt(pmax(diag(level), 0))
  weights * size[x] / rep(ifelse(size[-x] > 0, size[-x], NA), each = count)
}

# ---- cells, within which conditions are exchanged

# Such permutations leave the mean of the dissimilarities of each pair of cells (and of the pairs
# within a cell) as it is. It is what cells share, and taken out: what is left tells of the
# arrangement of conditions within cells alone, and is 0 on average where this means nothing.
less_cell_means <- function(columns, there, cells) {
  places <- pair_places(which(there), length(cells))
  a <- cells[places$first]
  b <- cells[places$second]
  key <- paste(pmin(a, b), pmax(a, b))
  sums <- rowsum(columns[there, , drop = FALSE], key, reorder = FALSE)
  means <- sums / as.vector(table(key)[rownames(sums)])
  columns[there, ] <- columns[there, , drop = FALSE] - means[key, , drop = FALSE]
  columns
}

# How many pairs count between any two cells (above the diagonal) and within each.
pairs_of_cells <- function(mask, cells) {
  counts <- rowsum(t(rowsum(mask, cells)), cells)
  diag(counts) <- diag(counts) / 2
  counts * upper.tri(counts, diag = TRUE)
}

# The sums of products, over the pairs, of the indicators of single conditions less their means in
# each pair of cells.
effects_within <- function(mask, cells) {
  cells <- match(cells, sort(unique(cells)))
  counts <- pairs_of_cells(mask, cells)
  counts <- pmax(counts, t(counts), 1)
  # of each condition, the pairs with each cell
  share <- t(rowsum(mask, cells)) / sqrt(counts[cells, ])
  toward <- share[, cells]
  means <- ifelse(outer(cells, cells, "=="), tcrossprod(share), toward * t(toward))
  mask + diag(rowSums(mask)) - means
}

# Of each predictor, the sum of squares that the others do not tell.
own_parts <- function(gram) {
  vapply(seq_len(nrow(gram)), function(k) {
    rest <- gram[-k, -k, drop = FALSE]
    gram[k, k] - (if (nrow(rest)) sum(gram[-k, k] * solve_scaled(rest, cbind(gram[-k, k]))) else 0)
  }, 0)
}
