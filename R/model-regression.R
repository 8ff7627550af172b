# rsa_regression() explains dissimilarities of all pairs of conditions by those of several models.

#' Regression of dissimilarities on several models
#'
#' How much of a brain RDM does each of several models explain that the others do not?
#'
#' @param formula response and predictors, as in `brain ~ layer4 + category` (`.`: all other
#'   elements of `data`). Each is
#'   * an RDM: a `dist` object or a symmetric matrix with zeros on its diagonal;
#'   * a representation: conditions x neurons, of which `inner` makes an RDM;
#'   * labels (factor, character or logical): 0 for pairs with the same one, 1 for others.
#'
#'   The response may also be a list of RDMs or representations, one for each subject.
#' @param data a list for these variables, `leave_out` and `blocks`.
#' @param leave_out one label per condition, such as its run: pairs with equal labels are left out.
#' @param blocks one label per condition: only those of one block are exchanged. By default the
#'   labels of `leave_out`; `NULL`: all are exchanged.
#' @param inner for representations, see [rsa()]; by default as in the response, or `"correlation"`.
#' @param fit least squares: `"ordinary"`, `"nonnegative"` (for predictors that add up) or
#'   `"ridge"`.
#' @param ridge what `"ridge"` adds to the sum of squares of each predictor, as a share of it.
#' @param standardize are coefficients in standard deviations, or in the units of the data?
#' @param na dissimilarities (or labels) that are `NA`: an `"error"`, or left out (`"pairwise"`).
#' @param center test predictors beyond effects of single conditions? See Details.
#' @param permutations as in [calibrate()].
#' @param group one label for each RDM, where a subject has several (sessions).
#' @return A data frame of class `repalign_regression` with a row for each predictor (and subject):
#'   `subject` (if the response is a list), `term`, `estimate`; `partial`, the correlation with the
#'   response given the others; `semipartial`, with the others taken out of the predictor only;
#'   `p_value`; `unique`, what R squared loses without it; and with `center` `centered`, the
#'   coefficient after double centring, which `p_value` is of.
#'
#'   `summary()` [tests the group][regression_group], for each predictor: `mean` coefficient over
#'   subjects; `tested`, that of the tested ones, with `se`, `df`, `statistic`; `p_value`, about
#'   other conditions (or blocks) and subjects, `p_conditions`, and `p_subjects` (of `mean`), about
#'   one of them; `subjects`; `deleted`, what was left out one at a time for `se`.
#'
#'   `glance()`: for each response `r_squared`, `shared` (R squared less all unique parts),
#'   `p_value` of the whole model, `intercept`, and numbers of `pairs`, `conditions` and
#'   `permutations`. `confint()`: intervals of `tested`. `augment()`: for each pair of conditions
#'   (and subject) `condition_1`, `condition_2`, the variables, `.fitted` and `.resid`.
#' @details
#' The test of a predictor (Freedman and Lane 1983) permutes conditions, after double centring of
#' all RDMs has taken out effects of single conditions; a predictor with no other effects has
#' `p_value` `NA`, with a warning. It is two-sided (`"nonnegative"`: one-sided) and approximate;
#' p-values of `lm()` are far too small. `partial`, `semipartial` and the tests of `"ridge"` are
#' those of ordinary least squares.
#'
#' When not to trust it:
#' * tests about other subjects with fewer than five (message of class `repalign_few_subjects`);
#' * noisy patterns where predictors correlate by more than 0.3, and few large blocks: `p_value` of
#'   a row and `p_conditions` are too small; that of the group holds;
#' * conditions that [depend on each other][dependence], as in runs without `blocks`;
#' * predictors that hardly differ: coefficients are uncertain, and `shared` is large;
#' * dissimilarities of noisy patterns that are not cross-validated: centring takes out only a bias
#'   that is the same for all pairs of a condition.
#' @references Freedman and Lane (1983), J. Bus. Econ. Stat. 1. Dekker et al. (2007), Psychometrika
#'   72 (permutation tests of several matrices). Lawson and Hanson (1974), Solving Least Squares
#'   Problems.
#' @examples
#' images <- attr(rdm92, "images")
#' data <- c(rdm92[c("human_mean", "monkey", "model_V1", "model_Silhouette")],
#'           list(animate = images$animal == 1, face = images$face == 1))
#' set.seed(1)
#' fit <- rsa_regression(human_mean ~ monkey + model_V1 + animate + face, data)
#' fit
#' glance(fit)
#' @seealso [rdm_rows()]
#' @order 1
#' @export
rsa_regression <- function(formula, data = NULL, leave_out = NULL, blocks = leave_out,
                           inner = c("correlation", "euclidean", "sqeuclidean", "cosine"),
                           fit = c("ordinary", "nonnegative", "ridge"), ridge = NULL,
                           standardize = TRUE, na = c("error", "pairwise"), center = TRUE,
                           permutations = 999, group = NULL, ...) {
  need_arguments(quoted = c("leave_out", "blocks"))
  inner <- if (!missing(inner)) check_choice(inner, rsa_inner, "inner")
  spec <- list(center = check_flag(center, "center"),
               fit = check_choice(fit, regression_fits, "fit"))
  refuse_if(spec$fit == "ridge" && is.null(ridge), "missing", "`ridge` is missing: fit = ",
            "\"ridge\" needs it, such as ridge = 0.1 (a share of the sum of squares of each ",
            "predictor).")
  refuse_if(spec$fit != "ridge" && !is.null(ridge), "parameter", "`ridge` is for fit = \"ridge\" ",
            "only, not {quoted(spec$fit)}.")
  spec$ridge <- if (is.null(ridge)) 0 else check_number(ridge, "ridge", above = 0)
  check_flag(standardize, "standardize")
  na <- check_choice(na, c("error", "pairwise"), "na")
  # like weights of lm(), labels may be named without quotes
  caller <- parent.frame()
  table <- regression_table(formula, data, inner, na == "pairwise")
  leave_out <- labels_in_data(substitute(leave_out), "leave_out", data, caller)
  blocks <- if (missing(blocks)) leave_out else
    labels_in_data(substitute(blocks), "blocks", data, caller)
  leave_out <- in_order_of(leave_out, table$labels, "leave_out")
  blocks <- in_order_of(blocks, table$labels, "blocks")
  between <- pairs_between(leave_out, table$n)
  counted <- sum(between)
  # dissimilarities whose squares are doubles, and by what they were multiplied
  x <- even_sizes(table$x)
  y <- even_sizes(table$y)
  sized <- replace(table, c("x", "y"), list(x$values, y$values))
  check_predictors(sized, between, spec$fit)
  refuse_if(!is.null(group) && table$single, "choice", "`group` says which RDMs are of one ",
            "subject, but the response is one RDM: give a list of RDMs, or no `group`.")
  group <- group_codes(group, ncol(table$y), table$subjects)
  refuse_free_series(table$series && is.null(blocks), permutations)
  design <- regression_design(permutations, table$n, leave_out, blocks)
  if (is.null(blocks)) {
    # what is left out then moves with the conditions of the response, as what it lacks
    sized$y[!between, ] <- table$y[!between, ] <- NA
    between[] <- TRUE
  }
  if (is.null(blocks) && all_orders(permutations)) {
    warn_of_rows(judged_rdms(sized$x, table$n), judged_rdms(sized$y, table$n, mean = TRUE), "null",
                 regression_remedy)
  }
  sides <- regression_sides(sized, between, spec)
  fits <- lapply(seq_len(ncol(table$y)), function(s) {
    regression_of(sized$y[, s], sized, between, sides, design, standardize, x$scale, y$scale[s])
  })
  spec$alike <- largest_correlation(sides$gram)
  units <- deleted_units(table$n, leave_out, blocks)
  tested <- tested_coefficients(table, between, spec$center, standardize, units)
  result <- regression_result(fits, table, spec, design, standardize, group, tested, units$words)
  subjects <- if (table$single) few_subjects else max(group)
  inform_if(subjects > 1 && subjects < few_subjects, "few_subjects", "Tests about other subjects ",
            "than these {subjects} are guesses: `p_conditions` of summary() is about these.")
  if (na == "pairwise") note_pairs(attr(result, "model")$pairs, counted, "fitted")
  result
}

regression_remedy <- paste(
  "Name groups within which conditions may be exchanged, such as runs, in `blocks`, or give a",
  "design of permute::how() in `permutations`, which can also shift a series."
)

# Of two predictors, as the tests see them. gram: their products.
largest_correlation <- function(gram) {
  size <- sqrt(diag(gram))
  known <- which(size > 0)
  if (length(known) < 2) return(0)
  correlations <- gram[known, known] / outer(size[known], size[known])
  max(abs(correlations[upper.tri(correlations)]))
}

labels_in_data <- function(expression, arg, data, caller) {
  catch_error(eval(expression, data, caller), failed = function(e) {
    refuse("missing", "`{arg}` cannot be found: {conditionMessage(e)}.")
  })
}

# Which pairs have different labels?
pairs_between <- function(leave_out, n) {
  if (is.null(leave_out)) return(rep(TRUE, packed_length(n)))
  between <- between_clusters(as.integer(check_block_labels(leave_out, n, "leave_out")))
  refuse_if(!any(between), "design", "`leave_out` has one label only: no pair of conditions would ",
            "be left.")
  between
}

# The pairs in which the predictors are there must tell them apart.
check_predictors <- function(table, between, fit) {
  at <- between & !rowSums(is.na(table$x))
  needed <- ncol(table$x) + 2
  refuse_if(table$n < 4 || sum(at) < needed, "size", "`formula` has ",
            "{count_of(ncol(table$x), 'predictor')} but only {count_of(sum(at), 'pair')} of ",
            "{table$n} conditions: give at least 4 conditions and {needed} pairs, or fewer ",
            "predictors.")
  x <- table$x[at, , drop = FALSE]
  spread <- apply(x, 2, function(values) diff(range(values)))
  constant <- which(spread <= tie_share * apply(abs(x), 2, max))
  refuse_if(length(constant), "variance", "`{colnames(x)[constant[1]]}` is the same for all pairs ",
            "of conditions{if (!all(at)) ' that count'}, so it explains nothing: leave it out.")
  parts <- qr(scale(x), tol = 1e-6)
  if (fit != "ridge" && parts$rank < ncol(x)) {
    extra <- colnames(x)[parts$pivot[parts$rank + 1]]
    others <- setdiff(colnames(x)[parts$pivot[seq_len(parts$rank)]], extra)
    refuse("collinear", "`{extra}` is a sum of multiples of {enumerate(others)} (over the pairs), ",
           "so their coefficients have no one solution: leave one out, or set fit = \"ridge\".")
  }
}

# Permutations of the conditions within `blocks` that take pairs which `leave_out` leaves out to
# such pairs.
regression_design <- function(permutations, n, leave_out, blocks) {
  number <- !is.matrix(permutations) && !inherits(permutations, "how") && is.null(dim(permutations))
  same <- identical(blocks, leave_out)
  if (is.null(leave_out) || is.null(blocks) || !number) {
    # other blocks than those of `leave_out` are a design of their own
    plan <- permutation_plan(n, permutations, if (!same || number) blocks, FALSE, "auto")
    design <- plan$design_of("coset")
    moved <- if (!is.null(leave_out) && !is.null(blocks)) breaking_groups(design, leave_out)
    refuse_if(length(moved), "design", "`permutations` takes conditions with one label of ",
              "`leave_out` to several labels, in row {moved[1]}: exchange conditions that share a ",
              "label, or all conditions of one label with all of another.")
    return(design)
  }
  arg <- if (same) "leave_out" else "blocks"
  within <- check_block_labels(leave_out, n, "leave_out")
  if (!same) within <- interaction(within, check_block_labels(blocks, n), drop = TRUE)
  block_plan(within, n, check_count(permutations, "permutations"), arg)$fixed
}

# The fit of one response: list(rows, model, null, fitted), see regression_result(). scale_x and
# scale_y: by what the data were multiplied.
regression_of <- function(response, table, between, sides, design, standardize, scale_x, scale_y) {
  at <- which(between & !is.na(response) & !rowSums(is.na(table$x)))
  means <- colMeans(table$x[at, , drop = FALSE])
  x <- sweep(table$x[at, , drop = FALSE], 2, means)
  y <- response[at] - mean(response[at])
  total <- sum(y^2)
  count <- ncol(x)
  # a response that does not vary, or has too few pairs
  if (length(at) < count + 2 || total <= tie_share^2 * sum(response[at]^2)) {
    na <- NA_real_
    rows <- data.frame(term = colnames(x), estimate = na, partial = na, semipartial = na,
                       p_value = na, unique = na, centered = na)
    model <- data.frame(r_squared = na, shared = na, p_value = na, intercept = na,
                        pairs = length(at))
    return(list(rows = rows, model = model, null = matrix(na, design$count + 1, count),
                fitted = rep(na, length(response))))
  }
  scale <- if (standardize) sqrt(colSums(x^2)) / sqrt(total) else rep(1, count)
  rows <- term_table(crossprod(x), crossprod(x, y), total, sides$fit, sides$ridge, scale)
  null <- regression_null(response, sides, design)
  rows$p_value <- p_of_terms(null$terms, sides$fit)
  if (sides$center) {
    # of a predictor of which centring leaves nothing but rounding
    rows$centered <- replace(as.vector(null$weights) * scale, is.na(rows$p_value), NA)
  }
  weights <- rows$estimate / scale
  r_squared <- explained_by(cbind(weights), crossprod(x), crossprod(x, y)) / total
  model <- data.frame(r_squared = r_squared, shared = r_squared - sum(rows$unique),
                      p_value = p_of_terms(cbind(null$model), "nonnegative"),
                      intercept = mean(response[at]) - sum(weights * means), pairs = length(at))
  fitted <- rep(NA_real_, length(response))
  fitted[at] <- model$intercept + table$x[at, , drop = FALSE] %*% weights
  # in the units of the data, in which a coefficient may be too large for a double: it is NA
  for (column in if (!standardize) intersect(c("estimate", "centered"), names(rows))) {
    values <- rows[[column]] * (scale_x / scale_y)
    rows[[column]] <- replace(values, is.infinite(values), NA)
  }
  model$intercept <- model$intercept / scale_y
  list(rows = cbind(term = colnames(x), rows), model = model, null = null$terms,
       fitted = fitted / scale_y)
}

# ---- fits, from sums of products alone

regression_fits <- c("ordinary", "nonnegative", "ridge")

# gram: sums of products of the predictors, each less its mean; cross: those with the responses, a
# column each; ridge: a share of the sum of squares of each predictor. The weights, a column each.
fit_weights <- function(gram, cross, fit, ridge) {
  if (!nrow(gram)) return(cross)
  switch(fit, ordinary = solve_scaled(gram, cross), nonnegative = nonnegative_weights(gram, cross),
         ridge = solve_scaled(gram + diag(ridge * diag(gram), nrow(gram)), cross), no_branch(fit))
}

# Predictors in units of very different sizes would look singular. What the others of them tell
# already gets the weights of least norm.
solve_scaled <- function(gram, cross) {
  size <- sqrt(pmax(diag(gram), 0))
  size[size == 0] <- 1
  least_norm(eigen(gram / tcrossprod(size), symmetric = TRUE), equal_share, cross / size) / size
}

# The part of the sum of squares of each response that the weights explain.
explained_by <- function(weights, gram, cross) colSums(weights * (2 * cross - gram %*% weights))

# Where ordinary least squares are not negative, they are the answer.
nonnegative_weights <- function(gram, cross) {
  weights <- solve_scaled(gram, cross)
  for (k in which(colSums(weights < 0) > 0)) weights[, k] <- lawson_hanson(gram, cross[, k])
  weights
}

# A table with a row for each predictor. total: the sum of squares of the response. Partial and
# semipartial correlations are those of ordinary least squares; `unique` is what R squared loses
# without the predictor, in a fit of the same kind.
term_table <- function(gram, cross, total, fit, ridge, scale) {
  weights <- fit_weights(gram, cross, fit, ridge)
  each <- vapply(seq_along(cross), function(k) {
    rest <- gram[-k, -k, drop = FALSE]
    without <- explained_by(fit_weights(rest, cross[-k, , drop = FALSE], fit, ridge), rest,
                            cross[-k, , drop = FALSE])
    on_rest <- if (nrow(rest)) solve_scaled(rest, cbind(gram[-k, k], cross[-k])) else
      matrix(0, 0, 2)
    own <- gram[k, k] - sum(gram[-k, k] * on_rest[, 1])
    left <- total - sum(cross[-k] * on_rest[, 2])
    # the product of two sizes may be too large or too small for a double
    shared <- if (own > equal_share * gram[k, k]) {
      (cross[k] - sum(gram[-k, k] * on_rest[, 2])) / sqrt(own)
    } else NA_real_
    c(partial = if (left > tie_share * total) shared / sqrt(left) else NA_real_,
      semipartial = shared / sqrt(total), without = without / total)
  }, c(partial = 0, semipartial = 0, without = 0))
  unique <- explained_by(weights, gram, cross) / total - each["without", ]
  unique[abs(unique) < tie_share] <- 0
  data.frame(estimate = as.vector(weights) * scale,
             partial = clip_to_range(each["partial", ], -1, 1),
             semipartial = clip_to_range(each["semipartial", ], -1, 1), unique = unique)
}
