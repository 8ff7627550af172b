# What rsa_regression() returns: its rows, what is known of the whole model, the group, and the null
# distribution.

#' @include result-class.R
NULL

declare_result(
  "repalign_regression", from = "rsa_regression", digits = 3, words = "regressions",
  columns = described_columns(
    column("subject", "the RDM that is explained", key = TRUE, always = FALSE),
    column("term", "the predictor", key = TRUE),
    column("estimate", "its coefficient", shown = 1),
    column("partial", "its partial correlation", shown = 2),
    column("semipartial", "its semipartial correlation", shown = 3),
    column("p_value", "by permutations of the conditions", shown = 4),
    column("unique", "what R squared loses without it", shown = 5),
    column("centered", "the coefficient without effects of single conditions", shown = 6,
           always = FALSE)
  ),
  kept = sapply(c("model", "group", "subjects", "response", "fit", "ridge", "standardize", "alike",
                  "observed"), function(name) all_alike, simplify = FALSE),
  heading = function(x, digits) {
    model <- attr(x, "model")
    if (is.null(model)) return(NULL)
    fit <- attr(x, "fit")
    kind <- switch(fit, ordinary = "least squares", nonnegative = "coefficients not negative",
                   ridge = paste("ridge", format(attr(x, "ridge"))), no_branch(fit))
    c(paste0("Regression of the dissimilarities of ", attr(x, "response"), ": ",
             model$conditions[1], " conditions, ", kind,
             if (attr(x, "standardize")) ", standardized"),
      model_lines(model, attr(x, "subjects")))
  },
  footing = function(x, digits) {
    alike <- attr(x, "alike")
    c(if (!is.null(x$centered)) {
      "p_value is that of the coefficient `centered`, without effects of single conditions."
    }, if (isTRUE(alike > 0.3)) {
      c(paste0("Predictors correlate by up to ", format(alike, digits = 2), " in the tests: ",
               "p_value is too small if noise is"),
        "  in the patterns (see ?rsa_regression); p_value of summary() allows for it.")
    })
  },
  # What in_words() tells of a regression: the fit, and as summary() the test of each predictor.
  sentence = function(x) {
    need_columns(x, c("term", "estimate", "p_value"), "told", "result")
    model <- need_kept(x, "model", "rsa_regression()", "result")
    group <- attr(x, "group")
    told <- group_sentence(group[group$term %in% x$term, , drop = FALSE])
    if (!is.null(model$subject)) {
      others <- length(setdiff(model$subject, x$subject))
      return(paste0(told, if (others) " This is of all subjects of the call, not of these rows."))
    }
    paste0("The predictors explained ", format(round(100 * model$r_squared)), "% of the variance ",
           "of the dissimilarities of ", attr(x, "response"),
           brackets(p_words(model$p_value),
                    permutations_words(model$permutations, model$engine, "conditions"),
                    paste(model$conditions, "conditions")), ". ", told)
  }
)

# fits: of each response list(rows, model, null, fitted), from regression_of().
# group: the number of the subject of each response.
# tested: from tested_coefficients(), without what `deleted` tells.
regression_result <- function(fits, table, spec, design, standardize, group, tested, deleted) {
  subjects <- if (!table$single) colnames(table$y)
  rows <- do.call(rbind, lapply(fits, function(fit) fit$rows))
  model <- do.call(rbind, lapply(fits, function(fit) fit$model))
  rows <- rows[c("term", "estimate", "partial", "semipartial", "p_value", "unique",
                 if (spec$center) "centered")]
  if (!is.null(subjects)) {
    rows <- cbind(subject = rep(subjects, each = ncol(table$x)), rows)
    model <- cbind(subject = subjects, model)
  }
  rownames(rows) <- rownames(model) <- NULL
  model[c("conditions", "permutations", "engine")] <- list(table$n, design$count, design$engine)
  lost <- is.na(model$r_squared)
  who <- if (table$single) table$response else model$subject[lost]
  warn_if(any(lost), "undefined", "The fit is undefined (NA) for {enumerate(who)}: the ",
          "dissimilarities do not vary, or too few pairs are left.", data = who)
  warn_if(anyNA(model$p_value[!lost]), "undefined", "The p-value of the whole model is undefined ",
          "(NA): some permutations leave too few pairs, or dissimilarities that do not vary.")
  lost <- is.na(rows$estimate) & !is.na(rows$semipartial)
  warn_if(any(lost), "undefined", "The coefficient of {enumerate(unique(rows$term[lost]))} is too ",
          "large for a number (NA): take standardize = TRUE.", data = unique(rows$term[lost]))
  untested <- unique(rows$term[!is.na(rows$estimate) & is.na(rows$p_value)])
  warn_if(length(untested), "undefined", "The p-value is undefined (NA) for ",
          "{enumerate(untested)}: beyond effects of single conditions and the other predictors, ",
          "too little is left to test. See `center`.", data = untested)
  new_result(rows, "repalign_regression", list(
    model = model, group = group_table(fits, spec$fit, group, tested, deleted),
    subjects = if (!table$single) max(group), response = table$response, fit = spec$fit,
    ridge = spec$ridge, standardize = standardize, alike = spec$alike,
    observed = c(table[c("n", "labels", "x", "y")],
                 list(fitted = vapply(fits, function(fit) fit$fitted, numeric(nrow(table$y)))))
  ))
}

model_lines <- function(model, subjects) {
  p <- paste0("p = ", format(model$p_value, digits = 2))
  if (is.null(model$subject)) {
    return(paste0("R squared ", format(model$r_squared, digits = 3), ", shared ",
                  format(model$shared, digits = 3), ", ", p, " (",
                  count_of(model$permutations, paste(model$engine, "permutation")), ", ",
                  count_of(model$pairs, "pair"), ")"))
  }
  who <- if (isTRUE(subjects < nrow(model))) {
    paste(nrow(model), "RDMs of", count_of(subjects, "subject"))
  } else paste(nrow(model), "subjects")
  paste0(who, ", R squared ",
         paste(format(range(model$r_squared, na.rm = TRUE), digits = 2), collapse = " to "),
         " (", count_of(model$permutations[1], paste(model$engine[1], "permutation")),
         "): summary() has the group")
}

#' @rdname rsa_regression
#' @param x,object what `rsa_regression()` returned.
#' @param ... unused.
#' @export
coef.repalign_regression <- function(object, ...) {
  no_other_arguments(...)
  rows <- need_columns(as.data.frame(object), c("term", "estimate"), "used")
  key <- rows[intersect(c("subject", "term"), names(rows))]
  refuse_if(anyDuplicated(key), "rows", "This result has several estimates of a predictor, as ",
            "after rbind(): take coef() of each result.", arg = "object")
  if (is.null(rows$subject)) return(stats::setNames(rows$estimate, rows$term))
  subjects <- unique(rows$subject)
  terms <- unique(rows$term)
  table <- matrix(NA_real_, length(subjects), length(terms), dimnames = list(subjects, terms))
  table[cbind(match(rows$subject, subjects), match(rows$term, terms))] <- rows$estimate
  table
}

#' @rdname rsa_regression
#' @export
augment.repalign_regression <- function(x, ...) {
  no_other_arguments(...)
  known <- need_kept(x, "observed", "rsa_regression()")
  subjects <- if (!is.null(attr(x, "subjects"))) colnames(known$y)
  shown <- if (is.null(subjects) || is.null(x$subject)) seq_len(ncol(known$y)) else
    which(subjects %in% x$subject)
  pairs <- named_pairs_of(known$n, known$labels)
  rows <- lapply(shown, function(s) {
    own <- data.frame(pairs, response = known$y[, s], known$x, .fitted = known$fitted[, s],
                      .resid = known$y[, s] - known$fitted[, s], check.names = FALSE)
    names(own)[3] <- attr(x, "response")
    if (is.null(subjects)) own else cbind(subject = subjects[s], own)
  })
  do.call(rbind, rows)
}

#' @rdname rsa_regression
#' @param parm names or numbers of predictors; by default all.
#' @param level coverage of the intervals.
#' @export
confint.repalign_regression <- function(object, parm, level = 0.95, ...) {
  no_other_arguments(...)
  level <- check_number(level, "level", above = 0, below = 1)
  need_kept(object, "model", "rsa_regression()", "object")
  group <- attr(object, "group")
  group <- group[group$term %in% object$term, , drop = FALSE]
  warn_untested_terms(group)
  named_limits(student_limits(group$tested, group$se, group$df, level), group$term, level, parm)
}

#' @rdname rsa_regression
#' @export
glance.repalign_regression <- function(x, ...) {
  no_other_arguments(...)
  need_kept(x, "model", "rsa_regression()")
}

#' @rdname rsa_regression
#' @export
summary.repalign_regression <- function(object, ...) {
  no_other_arguments(...)
  need_kept(object, "model", "rsa_regression()", "object")
  group <- attr(object, "group")
  warn_untested_terms(group)
  new_result(group, "repalign_regression_group", list())
}

# Of a table of the group: the terms that have a test over conditions but none over blocks or
# subjects.
warn_untested_terms <- function(group) {
  lost <- group[is.na(group$p_value) & !is.na(group$p_conditions), ]
  if (!nrow(lost)) return(invisible())
  reason <- if (lost$deleted[1] %in% c("1 block", "2 blocks")) {
    paste0("`blocks` (with `leave_out`) leave ", lost$deleted[1], " that may be independent, and ",
           "errors need at least ", least_units, ". p_conditions is about these conditions alone")
  } else if (grepl("block", lost$deleted[1])) {
    paste("within blocks, or within those that are left without one of them, too little is left to",
          "estimate the coefficient, or it is the same without any block")
  } else {
    paste("without some condition, too few pairs are left to estimate the coefficient, or it is",
          "the same without any")
  }
  warn("undefined", "p_value is undefined (NA) for {enumerate(lost$term)}: {reason}.",
       data = lost$term)
}

# ---- null distribution

# The permutation null of regressions on RDMs (Freedman and Lane 1983): the conditions of the RDM
# that a fit without a predictor leaves are permuted, and the predictor is tested in what results.

# RDMs are square matrices here, with 0 for pairs that do not count. A mask has 1 for pairs that
# count and 0 for others; its diagonal is 0.
square_pairs <- function(values, n) {
  values[is.na(values)] <- 0
  unpacked(list(entries = as.double(values)), n)
}

# Takes the mean over the pairs of the mask out of an RDM, or the effects of the conditions: numbers
# a_i with the least sum of squares of d_ij - a_i - a_j. With all pairs the latter is double
# centring. Returns list(rank, out): how many numbers are taken out, and the function that does it.
pair_centering <- function(mask, center) {
  if (!center) {
    count <- max(sum(mask), 1)
    return(list(rank = 1, out = function(rdm) (rdm * mask - sum(rdm * mask) / count) * mask))
  }
  inverse <- effects_inverse(mask)
  out <- function(rdm) {
    rdm <- rdm * mask
    effects <- drop(inverse$matrix %*% rowSums(rdm))
    (rdm - outer(effects, effects, "+")) * mask
  }
  list(rank = inverse$rank, out = out)
}

# Where the mask leaves two groups with pairs between them only, effects can be moved from one group
# to the other, so that the matrix has no inverse but a generalised one.
effects_inverse <- function(mask) {
  n <- nrow(mask)
  degree <- rowSums(mask)
  if (all(degree == n - 1)) return(list(rank = n, matrix = (diag(n) - 1 / (2 * (n - 1))) / (n - 2)))
  root <- catch_error(chol(mask + diag(degree)), failed = function(e) NULL)
  if (!is.null(root) && min(diag(root))^2 > 1e-6) return(list(rank = n, matrix = chol2inv(root)))
  generalised_inverse(mask + diag(degree))
}

generalised_inverse <- function(products) {
  parts <- eigen(products, symmetric = TRUE)
  kept <- parts$values > 1e-8 * nrow(products)
  axes <- parts$vectors[, kept, drop = FALSE]
  list(rank = sum(kept), matrix = axes %*% (t(axes) / parts$values[kept]))
}

# What all subjects share. table: from regression_table(); between: which pairs have different
# labels in `leave_out`; spec: `center`, `fit` and `ridge`.
regression_sides <- function(table, between, spec) {
  n <- table$n
  x <- lapply(seq_len(ncol(table$x)), function(k) square_pairs(table$x[, k], n))
  mask <- square_pairs(between & !rowSums(is.na(table$x)), n)
  plain <- pair_centering(mask, FALSE)
  centering <- if (spec$center) pair_centering(mask, TRUE) else plain
  centered <- lapply(x, centering$out)
  c(list(n = n, x = x, mask = mask, complete = sum(mask) == 2 * sum(between), plain = plain,
         centering = centering, centered = centered, gram = products_of(centered, centered),
         sizes = vapply(x, function(rdm) sum(plain$out(rdm)^2), 0)), spec)
}

products_of <- function(a, b) crossprod(as_columns(a), as_columns(b))

as_columns <- function(matrices) vapply(matrices, as.vector, numeric(length(matrices[[1]])))

# The statistics of a response under all permutations, the observed order first: list(terms, model,
# weights), a matrix with a column for each predictor, a vector, and the weights of the centred fit.
regression_null <- function(response, sides, design) {
  present <- sides$mask * square_pairs(!is.na(response), sides$n)
  response <- square_pairs(response, sides$n)
  whole <- sides$complete && all(present == sides$mask)
  centering <- if (whole) sides$centering else pair_centering(present, sides$center)
  centered <- if (whole) sides$centered else lapply(sides$x, centering$out)
  gram <- if (whole) sides$gram else products_of(centered, centered)
  own <- centering$out(response)
  cross <- products_of(centered, list(own))
  fit <- if (sides$fit == "ridge") "ordinary" else sides$fit
  # the weights of the fits without each predictor, and the RDMs that these leave
  without <- lapply(seq_along(centered), function(k) {
    fit_weights(gram[-k, -k, drop = FALSE], cross[-k, , drop = FALSE], fit, 0)
  })
  left <- lapply(seq_along(centered), function(k) {
    own - Reduce(`+`, Map(`*`, centered[-k], as.vector(without[[k]])), 0)
  })
  # predictors about which the pairs tell nothing beyond the effects of conditions and the others
  df <- sum(present) / 2 - centering$rank - length(centered)
  nothing_left <- vapply(left, function(rdm) sum(rdm^2), 0) <= tie_share * sum(own^2)
  untested <- own_parts(gram) <= equal_share * sides$sizes | nothing_left | df < 1
  rest <- list(without = without, left = left, untested = untested)
  null <- if (whole) whole_null(response, rest, sides, design) else
    gapped_null(response, rest, present, sides, design)
  null$terms[, untested] <- NA
  c(null, list(weights = fit_weights(gram, cross, sides$fit, sides$ridge)))
}

# All pairs count, and permutations take them to pairs that count: sums of products of squared RDMs
# are all that changes.
whole_null <- function(response, rest, sides, design) {
  count <- length(sides$x)
  cross <- inner_products(sides$centered, rest$left, design)
  terms <- vapply(seq_len(count), function(k) {
    if (rest$untested[k]) return(rep(NA_real_, nrow(cross)))
    columns <- t(cross[, (k - 1) * count + seq_len(count), drop = FALSE])
    term_statistic(k, sides$gram, columns, sum(rest$left[[k]]^2), sides, rest$without[[k]])
  }, numeric(nrow(cross)))
  # R squared of the plain fit
  x <- lapply(sides$x, sides$plain$out)
  response <- sides$plain$out(response)
  gram <- products_of(x, x)
  cross <- t(inner_products(x, list(response), design))
  explained <- explained_by(fit_weights(gram, cross, sides$fit, sides$ridge), gram, cross)
  list(terms = matrix(terms, ncol = count), model = explained / sum(response^2))
}

# How much predictor k explains beyond the others, in the response that a permutation makes: what
# the fit without it gave, plus the permuted rest. cross: products of the predictors with the rest,
# a column for each permutation; size: the sum of squares of the rest. Signed partial correlations
# or, of fits without negative weights, the share of the unexplained part that it explains.
term_statistic <- function(k, gram, cross, size, sides, without) {
  others <- gram[-k, -k, drop = FALSE]
  if (sides$fit == "nonnegative") {
    if (nrow(others)) {
      size <- size + 2 * colSums(as.vector(without) * cross[-k, , drop = FALSE]) +
        sum(without * others %*% without)
      cross <- cross + as.vector(gram[, -k, drop = FALSE] %*% without)
    }
    less <- cross[-k, , drop = FALSE]
    base <- if (nrow(others)) explained_by(nonnegative_weights(others, less), others, less) else 0
    gain <- explained_by(nonnegative_weights(gram, cross), gram, cross) - base
    return(clip_to_range(gain / ifelse(size > base, size - base, NA), 0, 1))
  }
  if (!nrow(others)) return(clip_to_range(correlation_of(cross[k, ], gram[k, k], size), -1, 1))
  solved <- solve_scaled(others, cbind(gram[-k, k], cross[-k, , drop = FALSE]))
  own <- gram[k, k] - sum(gram[-k, k] * solved[, 1])
  shared <- cross[k, ] - colSums(gram[-k, k] * solved[, -1, drop = FALSE])
  left <- size - colSums(cross[-k, , drop = FALSE] * solved[, -1, drop = FALSE])
  # what a permutation makes may be all explained by the other predictors
  clip_to_range(correlation_of(shared, own, left), -1, 1)
}

# From sums of products and of squares, whose product may be too large or too small for a double.
correlation_of <- function(products, own, left) {
  size <- function(squares) sqrt(ifelse(squares > 0, squares, NA))
  products / size(own) / size(left)
}

# Pairs lack: each permutation has pairs of its own, those that are there on both sides, in which
# everything is centred and summed anew. What is explained by chance depends on the number of pairs,
# so that statistics are compared at the degrees of freedom of the observed order.
gapped_null <- function(response, rest, present, sides, design) {
  plain <- pair_centering(present, FALSE)
  # a permutation may need pairs of the predictors that the response lacks
  fixed <- packed_columns(c(sides$centered, lapply(sides$x, sides$plain$out)))
  moving <- packed_columns(c(rest$left, list(plain$out(response), present)))
  mask <- drop(packed_columns(list(sides$mask)))
  count <- length(sides$x)
  values <- apply_columns(with_observed(design), function(p) {
    moved <- apply(moving, 2, function(rdm) .Call(C_relabel_packed, rdm, p, thread_count()))
    mask <- mask * moved[, count + 2]
    c(gapped_terms(fixed[, seq_len(count), drop = FALSE], moved[, seq_len(count), drop = FALSE],
                   mask, rest$without, sides),
      gapped_model(fixed[, count + seq_len(count), drop = FALSE], moved[, count + 1], mask, sides))
  })
  list(terms = t(at_freedom(values[seq_len(count), , drop = FALSE], values[count + 1, ],
                            sides$fit != "nonnegative")),
       model = drop(at_freedom(values[count + 2, , drop = FALSE], values[count + 3, ], FALSE)))
}

packed_columns <- function(rdms) {
  vapply(rdms, function(rdm) rdm[lower.tri(rdm)], numeric(packed_length(nrow(rdms[[1]]))))
}

# The sums of products of some packed RDMs over the pairs of a mask, after the effects of conditions
# (or the mean) are taken out, and how many numbers these are: list(products, rank).
products_without_effects <- function(columns, mask, n, center) {
  columns <- columns * mask
  if (!center) {
    return(list(products = crossprod(columns) - tcrossprod(colSums(columns)) / sum(mask), rank = 1))
  }
  inverse <- effects_inverse(unpacked(list(entries = mask), n))
  sums <- apply_columns(columns, function(rdm) packed_row_sums(rdm, n))
  list(products = crossprod(columns) - crossprod(sums, inverse$matrix %*% sums),
       rank = inverse$rank)
}

# The statistics of all predictors, and the degrees of freedom. left: what the fit without each
# predictor leaves of the response.
gapped_terms <- function(x, left, mask, without, sides) {
  count <- ncol(x)
  if (sum(mask) <= count) return(rep(NA_real_, count + 1))
  found <- products_without_effects(cbind(x, left), mask, sides$n, sides$center)
  df <- sum(mask) - found$rank - count
  if (df < 1) return(rep(NA_real_, count + 1))
  at <- seq_len(count)
  gram <- found$products[at, at, drop = FALSE]
  statistics <- vapply(at, function(k) {
    cross <- found$products[at, count + k, drop = FALSE]
    term_statistic(k, gram, cross, found$products[count + k, count + k], sides, without[[k]])
  }, 0)
  c(statistics, df)
}

gapped_model <- function(x, response, mask, sides) {
  count <- ncol(x)
  if (sum(mask) < count + 2) return(c(NA_real_, NA_real_))
  found <- products_without_effects(cbind(x, response), mask, sides$n, FALSE)$products
  gram <- found[seq_len(count), seq_len(count), drop = FALSE]
  cross <- found[seq_len(count), count + 1, drop = FALSE]
  weights <- fit_weights(gram, cross, sides$fit, sides$ridge)
  total <- found[count + 1, count + 1]
  share <- if (total > 0) explained_by(weights, gram, cross) / total else NA_real_
  c(clip_to_range(share, 0, 1), sum(mask) - 1 - count)
}

# values: correlations with their signs, or shares of what is to be explained; a column for each
# permutation, the observed one first. The same t or F at the degrees of freedom of the observed.
at_freedom <- function(values, df, signed) {
  df <- matrix(ifelse(df < 1, NA, df), nrow(values), ncol(values), byrow = TRUE)
  share <- if (signed) values^2 else values
  share <- share * df / (share * df + (1 - share) * df[, 1])
  unname(if (signed) sign(values) * sqrt(share) else share)
}

# values: a column for each predictor, a row for each permutation, the observed order first.
p_of_terms <- function(values, fit) {
  if (fit != "nonnegative") values <- abs(values)
  apply(values, 2, function(each) mean(each >= each[1] - equal_share))
}
