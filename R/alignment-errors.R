# What the influences of stimuli on measures that align neurons are made of: rotations, canonical
# correlations and matches. An influence is n times the derivative of the score by the share of the
# stimulus.

# ---- rotations

# inner: the products of rotated rows of x with those of y, which add up to the nuclear norm; x2,
# y2: the squared norms of the rows, which add up to a and b; all in common units. A cosine does not
# depend on the units, and each side has its own then (common = FALSE): in common units, squares of
# the smaller side can be too small for a double.
rotation_parts <- function(pair, center, common = TRUE) {
  remember(pair$cache, list("rotated rows", center, common), {
    units <- if (common) {
      common_units(form_scaling(pair$x, center), form_scaling(pair$y, center), FALSE)
    } else {
      list(x = 1, y = 1, scale = 1)
    }
    x <- data_to_rotate(pair, "x", center) * units$x
    y <- data_to_rotate(pair, "y", center) * units$y
    parts <- singular_vectors(crossprod(x, y))
    x2 <- rowSums(x^2)
    y2 <- rowSums(y^2)
    list(inner = rowSums((x %*% parts$u) * (y %*% parts$v)), x2 = x2, y2 = y2, a = sum(x2),
         b = sum(y2), scale = units$scale)
  })
}

# Of the root of a sum over stimuli.
distance_influence <- function(each, square, scale) {
  (length(each) * each - square) / (2 * sqrt(square)) / scale
}

# ---- canonical correlation

# u, v: orthonormal variates with correlations rho, a column each. NA where variates of these ranks
# fit any other side.
correlation_influences <- function(u, v, rho, ranks) {
  n <- nrow(u)
  if (sum(ranks) >= n - 1) return(matrix(NA_real_, n, length(rho)))
  n * (u * v - sweep(u^2 + v^2, 2, rho / 2, "*"))
}

# ---- matches of neurons

# The influence on a weighted sum of the correlations of neurons x with neurons y.
match_influence <- function(pair, x, y, weight) {
  a <- form_columns(pair$x)$columns[, x, drop = FALSE]
  b <- form_columns(pair$y)$columns[, y, drop = FALSE]
  r <- pair_correlation(pair)[cbind(x, y)]
  pair$x$n * drop((a * b) %*% weight - (a^2 + b^2) %*% (weight * r / 2))
}

# ---- with weights

# Rows times the roots of their weights, after centring by weighted means, are data whose
# correlations and norms are weighted; what is matched or rotated is found anew.
weighted_rows <- function(pair, args, w, d) {
  centered <- !identical(args$center, FALSE)
  vapply(seq_len(ncol(w)), function(b) {
    x <- weighted_representation(pair$x, w[, b], centered)
    y <- weighted_representation(pair$y, w[, b], centered)
    if (is.null(x) || is.null(y)) return(NA_real_)
    within_range(prepared_score(d, as_pair(x, y, by_name = FALSE), args), d, args)
  }, 0)
}

# NULL where nothing varies.
weighted_representation <- function(repr, w, center) {
  means <- if (center) colSums(w * repr$data) / sum(w) else numeric(ncol(repr$data))
  data <- sqrt(w) * sweep(unclass(repr$data), 2, means)
  if (all(data == 0)) return(NULL)
  cut <- repr
  cut$data <- mark_checked(data[w > 0, , drop = FALSE])
  cut$n <- nrow(cut$data)
  cut$cache <- new_cache()
  for (part in c("said", "choices")) cut$cache[[part]] <- repr$cache[[part]]
  # weighted means have been taken off: nothing is left to centre
  scale <- power_of_two_below(max(abs(data)))
  for (is_centered in c(TRUE, FALSE)) {
    remember_form(cut, "scaling", list(center = is_centered),
                  list(means = numeric(ncol(data)), scale = scale))
  }
  cut
}
