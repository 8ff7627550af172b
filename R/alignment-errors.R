# The influences of stimuli on measures that align neurons: Procrustes, canonical correlation and
# matches. An influence is n times the derivative of the score by the share of the stimulus.

# ---- Procrustes

# The cosine after the best rotation: nuclear norm of x'y over the norms of x and y.
rotation_cosine_influence <- function(pair, args, codes) {
  parts <- rotation_parts(pair, is_centered(args))
  size <- sqrt(parts$a * parts$b)
  cosine <- sum(parts$inner) / size
  pair$x$n * (parts$inner / size - cosine * (parts$x2 / parts$a + parts$y2 / parts$b) / 2)
}

# inner: the products of rotated rows of x with those of y, which add up to the nuclear norm; x2, y2:
# the squared norms of the rows, which add up to a and b; all in common units.
rotation_parts <- function(pair, center) {
  remember(pair$cache, list("rotated rows", center), {
    units <- common_units(form_scaling(pair$x, center), form_scaling(pair$y, center), FALSE)
    x <- data_to_rotate(pair, "x", center) * units$x
    y <- data_to_rotate(pair, "y", center) * units$y
    parts <- singular_vectors(crossprod(x, y))
    x2 <- rowSums(x^2)
    y2 <- rowSums(y^2)
    list(inner = rowSums((x %*% parts$u) * (y %*% parts$v)), x2 = x2, y2 = y2, a = sum(x2),
         b = sum(y2), scale = units$scale)
  })
}

# The distance in the units of the data. It is a sum over stimuli and has no share of them: its
# influence is that on n times the mean.
rotation_distance_influence <- function(pair, args, codes) {
  parts <- rotation_parts(pair, is_centered(args))
  square <- max(parts$a + parts$b - 2 * sum(parts$inner), 0)
  distance_influence(parts$x2 + parts$y2 - 2 * parts$inner, square, parts$scale)
}

# Of the root of a sum over stimuli.
distance_influence <- function(each, square, scale) {
  (length(each) * each - square) / (2 * sqrt(square)) / scale
}

# 1 - distance / norm of y.
rotation_similarity_influence <- function(pair, args, codes) {
  parts <- rotation_parts(pair, TRUE)
  square <- max(parts$a + parts$b - 2 * sum(parts$inner), 0)
  of_distance <- distance_influence(parts$x2 + parts$y2 - 2 * parts$inner, square, 1)
  of_norm <- distance_influence(parts$y2, parts$b, 1)
  -of_distance / sqrt(parts$b) + sqrt(square) * of_norm / parts$b
}

# Of distances that divide each side by its norm, and of those that do not.
procrustes_errors <- function(args) {
  if (args$scale) rotation_cosine_errors(new_chord()) else rotation_distance_errors(args)
}

rotation_cosine_errors <- function(cosine) {
  new_errors("influence", stimuli = rotation_cosine_influence, weighted = weighted_rows,
             cosine = cosine)
}

rotation_distance_errors <- function(args) {
  new_errors("influence", stimuli = rotation_distance_influence, weighted = weighted_rows,
             transform = "none")
}

rotation_similarity_errors <- function(args) {
  new_errors("influence", stimuli = rotation_similarity_influence, weighted = weighted_rows,
             transform = "none")
}

# ---- canonical correlation

cca_errors <- function(args) {
  new_errors("influence", weighted = weighted_rows, stimuli = function(pair, args, codes) {
    parts <- remember(pair$cache, "canonical variates", singular_vectors(pair_cosines(pair)))
    ranks <- c(nrow(parts$u), nrow(parts$v))
    rho <- clip_cosines(parts$d)
    each <- correlation_influences(form_basis(pair$x)$q %*% parts$u,
                                   form_basis(pair$y)$q %*% parts$v, rho, ranks)
    switch(args$summary, mean = rowMeans(each),
           mean_squared = drop(each %*% (2 * rho)) / min(ranks),
           yanai = drop(each %*% (2 * rho)) / sqrt(prod(ranks)))
  })
}

# The kept components are held.
svcca_errors <- function(args) {
  new_errors("influence", weighted = weighted_rows, stimuli = function(pair, args, codes) {
    x <- svcca_operand(prepare_svcca(pair$x, args, "x"), pair$x, args, "x")$matrix
    y <- svcca_operand(prepare_svcca(pair$y, args, "y"), pair$y, args, "y")$matrix
    parts <- singular_vectors(crossprod(x, y))
    each <- correlation_influences(x %*% parts$u, y %*% parts$v, clip_cosines(parts$d),
                                   c(ncol(x), ncol(y)))
    rowMeans(each)
  })
}

# u, v: orthonormal variates with correlations rho, a column each. NA where variates of these ranks
# fit any other side.
correlation_influences <- function(u, v, rho, ranks) {
  n <- nrow(u)
  if (sum(ranks) >= n - 1) return(matrix(NA_real_, n, length(rho)))
  n * (u * v - sweep(u^2 + v^2, 2, rho / 2, "*"))
}

# ---- matches of neurons, which are held

hard_match_errors <- function(args) {
  new_errors("influence", weighted = weighted_rows, stimuli = function(pair, args, codes) {
    correlation <- pair_correlation(pair)
    matched <- if (args$matching == "optimal") optimal_match(correlation)
               else greedy_match(correlation)
    rows <- which(matched > 0)
    match_influence(pair, rows, matched[rows], rep(1 / length(rows), length(rows)))
  })
}

soft_match_errors <- function(args) {
  new_errors("influence", weighted = weighted_rows, stimuli = function(pair, args, codes) {
    correlation <- pair_correlation(pair)
    size <- dim(correlation)
    of_x <- match_influence(pair, seq_len(size[1]), max.col(correlation, "first"),
                            rep(1 / size[1], size[1]))
    of_y <- match_influence(pair, max.col(t(correlation), "first"), seq_len(size[2]),
                            rep(1 / size[2], size[2]))
    switch(args$direction, both = (of_x + of_y) / 2, x = of_x, y = of_y)
  })
}

# The influence on a weighted sum of the correlations of neurons x with neurons y.
match_influence <- function(pair, x, y, weight) {
  a <- form_columns(pair$x)$columns[, x, drop = FALSE]
  b <- form_columns(pair$y)$columns[, y, drop = FALSE]
  r <- pair_correlation(pair)[cbind(x, y)]
  pair$x$n * drop((a * b) %*% weight - (a^2 + b^2) %*% (weight * r / 2))
}

permutation_errors <- function(args) {
  if (args$scale) return(NULL)
  new_errors("influence", stimuli = permutation_influence, weighted = weighted_rows,
             transform = "none")
}

# Of the distance between matched columns; columns without a match count by their own squares.
permutation_influence <- function(pair, args, codes) {
  units <- common_units(form_scaling(pair$x, args$center), form_scaling(pair$y, args$center),
                        FALSE)
  x <- scaled_data(pair$x, args$center) * units$x
  y <- scaled_data(pair$y, args$center) * units$y
  matched <- remember(pair$cache, list("column match", args$center),
                      optimal_match(pair_cross(pair, args$center)))
  rows <- which(matched > 0)
  products <- x[, rows, drop = FALSE] * y[, matched[rows], drop = FALSE]
  each <- rowSums(x^2) + rowSums(y^2) - 2 * rowSums(products)
  distance_influence(each, max(sum(each), 0), units$scale)
}

# ---- with weights

# Rows times the roots of their weights, after centring by weighted means, are data whose
# correlations and norms are weighted; what is matched or rotated is found anew.
weighted_rows <- function(pair, args, w, d) {
  centered <- !identical(args$center, FALSE)
  vapply(seq_len(ncol(w)), function(b) {
    x <- weighted_representation(pair$x, w[, b], centered)
    y <- weighted_representation(pair$y, w[, b], centered)
    within_range(prepared_score(d, as_pair(x, y, by_name = FALSE), args), d, args)
  }, 0)
}

weighted_representation <- function(repr, w, center) {
  means <- if (center) colSums(w * repr$data) / sum(w) else numeric(ncol(repr$data))
  data <- sqrt(w) * sweep(unclass(repr$data), 2, means)
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
