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
