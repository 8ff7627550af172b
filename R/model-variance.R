# The standard errors of evaluate_rdms() are made of the variances over draws of RDMs, of stimuli
# and of both.

# The bootstrap of a sample of size N has a variance that is smaller by (N - 1)/N, and the part of
# both factors by the product of these; so with a = N/(N - 1), b = n/(n - 1)
#
#     V = a V_rdm + b V_condition - a b (V_both - V_rdm - V_condition),
#
# which is at least either main part and at most their sum. In the words of contrast_errors():
# list(main, interactions, df), where interactions below 0 count as 0 (`capped`). With repeated
# folds there is also with_folds, the covariance over draws before what the choice of folds adds is
# taken out.

# draws: arrays draws x columns x repeats of each part. sizes: c(rdm, condition). column: of which
# columns.
parts_of_variance <- function(draws, sizes, columns) {
  covariance <- lapply(draws, draw_covariance, columns)
  a <- sizes[["rdm"]] / (sizes[["rdm"]] - 1)
  b <- sizes[["condition"]] / (sizes[["condition"]] - 1)
  main <- list()
  if (!is.null(draws$rdm)) main <- c(main, list(a * covariance$rdm))
  if (!is.null(draws$condition)) main <- c(main, list(b * covariance$condition))
  interactions <- if (!is.null(draws$both)) {
    list(a * b * (covariance$both - covariance$rdm - covariance$condition))
  }
  widest <- draws[[if (is.null(draws$both)) 1 else "both"]]
  with_folds <- if (dim(widest)[3] > 1) {
    values <- usable_draws(widest, columns)
    if (nrow(values) < 2) matrix(NA_real_, length(columns), length(columns)) else
      stats::cov(rowMeans(values, dims = 2))
  }
  list(main = main, interactions = interactions,
       df = min(sizes[intersect(c("rdm", "condition"), names(draws))]) - 1, capped = TRUE,
       with_folds = with_folds)
}

# Draws in which all columns are defined.
usable_draws <- function(draws, columns) {
  values <- draws[, columns, , drop = FALSE]
  values[rowSums(is.na(matrix(values, nrow(values)))) == 0, , , drop = FALSE]
}

# With repeated folds, what the choice of folds adds is taken out.
draw_covariance <- function(draws, columns) {
  values <- usable_draws(draws, columns)
  count <- length(columns)
  if (nrow(values) < 2) return(matrix(NA_real_, count, count))
  repeats <- dim(values)[3]
  of <- function(x) stats::cov(matrix(x, ncol = count))
  if (repeats == 1) return(of(values))
  mean_of <- of(rowMeans(values, dims = 2))
  single <- Reduce(`+`, lapply(seq_len(repeats), function(k) of(values[, , k]))) / repeats
  (repeats * mean_of - single) / (repeats - 1)
}

# Without resampling: the variance of the mean over RDMs, whose groups are independent. values: RDMs
# x columns.
parts_of_table <- function(values, group) {
  groups <- max(group)
  deviations <- rowsum(values - rep(colMeans(values), each = nrow(values)), group)
  covariance <- crossprod(deviations) / nrow(values)^2 * groups / (groups - 1)
  list(main = list(covariance), interactions = NULL, df = groups - 1, capped = TRUE)
}

# Standard errors of scores less the lower ceiling.
ceiling_errors <- function(whole, draws, sizes, task) {
  models <- seq_along(whole$scores)
  se <- rep(NA_real_, length(models))
  # all of these are undefined in the same draws
  defined <- which(!is.na(whole$scores))
  if (!length(defined)) return(se)
  parts <- if (length(draws)) {
    less_lower <- lapply(draws, function(part) {
      part[, models, , drop = FALSE] - part[, rep(length(se) + 1, length(se)), , drop = FALSE]
    })
    parts_of_variance(less_lower, sizes, defined)
  } else if (!is.null(whole$table)) {
    parts_of_table(whole$table[, defined, drop = FALSE] - whole$lower_each, task$group)
  }
  if (!is.null(parts)) se[defined] <- contrast_errors(parts, diag(length(defined)))$se
  se
}
