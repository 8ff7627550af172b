# Delete-one standard errors of dimensionalities, over stimuli and units.

check_deletion_memory <- function(sample) {
  n <- as.double(sample$repr$n)
  q <- ncol(sample$repr$data)
  events <- if (is.null(sample$trials)) 1 else sample$trials$events
  dense <- if (isTRUE(sample$trials$runs)) 3 * n^2 else 3 * min(n, q)^2
  check_memory(8 * (30 * n * q + 4 * n * events * q + dense), "The jackknife",
               "Fewer stimuli or neurons need less; without `conf_level` none is made.")
}

# Numerators and H values with each stimulus (or cluster), each unit and both deleted, in the form
# that h_table() reads: sums over all pairs of neurons (n + 1 rows: nothing deleted, then each
# stimulus deleted), over the pairs that a unit takes part in, and over those within it.
deletion_tables <- function(sample, layout) {
  means <- centered_data(sample$repr)
  h <- self_sums(means, layout$unit, layout$count, sample$codes)
  trials <- sample$trials
  if (!is.null(trials)) {
    # the naive values are in the units of the means
    factor <- 2^(4 * log2(form_centering(sample$repr)$scale) - 2 * sum(trials$scale))
    sums <- trial_cross_sums(trials, layout$unit, layout$unit, layout$count)$stimulus
    h$stimulus <- lapply(sums, `*`, factor)
  }
  numerator <- list(naive = naive_variance_sums(means, sample$codes, layout),
                    stimulus = corrected_variance_sums(sample, layout), pairs = h$pairs)
  if (!is.null(trials)) numerator$stimulus <- lapply(numerator$stimulus, `*`, factor)
  list(numerator = numerator, h = h)
}

corrected_variance_sums <- function(sample, layout) {
  if (isTRUE(sample$trials$runs)) return(run_variance_sums(sample$trials, layout))
  moments <- sample_moments(sample)
  result <- variance_sums(moments, layout)
  # a unit that holds nearly all of the variance is really deleted: subtraction would cancel too
  # many digits
  for (i in dominant_units(moments$means, seq_len(nrow(moments$means)))) {
    left <- variance_sums(without_unit(moments, i), layout)
    result$total[i + 1] <- left$total[1]
    for (part in c("unit", "within")) result[[part]][i + 1, ] <- left[[part]][1, ]
  }
  result
}

# (sum of the variances)^2 of the naive estimator. Without s of n stimuli, a centred sum of squares
# loses their squares, and the square of their sum over n - s. codes: of clusters, or NULL.
naive_variance_sums <- function(means, codes, layout) {
  n <- nrow(means)
  codes <- if (is.null(codes)) seq_len(n) else codes
  left <- n - tabulate(codes)
  lost <- rowsum(means^2, codes) + rowsum(means, codes)^2 / left
  trace <- function(lost, sums) rbind(sums / n, (rep(sums, each = nrow(lost)) - lost) / left)
  squares <- colSums(means^2)
  by_unit <- function(values) sum_by_unit(values, layout$unit, layout$count)
  total <- as.vector(trace(cbind(rowSums(lost)), sum(squares)))
  unit <- unname(trace(by_unit(lost), drop(by_unit(matrix(squares, 1)))))
  list(total = total^2, unit = 2 * total * unit - unit^2, within = unit^2)
}

# Sums of C_aa C_bb over the same pairs. They are quadratic in the squared distances D of the
# stimuli, which add up over units: the pairs that unit g takes part in have 2 A(D, D_g) - A(D_g),
# where A(D, E) is the sum of D_ij E_kl / 4 over tuples of four different stimuli.
variance_sums <- function(moments, layout) {
  p <- moments$p
  squares <- moments$means^2
  by_unit <- function(values) sum_by_unit(values, layout$unit, layout$count)
  all <- distances(cbind(rowSums(p)), cbind(rowSums(squares)))
  each <- distances(by_unit(p), by_unit(squares))
  products <- through(moments$means, moments$means, moments$means)
  total <- tuple_table(all, all, whole_kernel(moments$means, all, products))
  within <- within_variances(moments, p, layout)
  repeated <- lapply(all, function(values) values[, rep(1, layout$count), drop = FALSE])
  cross <- tuple_table(repeated, each, unit_kernels(moments$means, all, each, products, by_unit))
  list(total = as.vector(total), unit = 2 * cross - within, within = within)
}

within_variances <- function(moments, p, layout) {
  result <- matrix(0, nrow(p) + 1, layout$count)
  at <- layout$left_out$x
  if (length(at)) {
    m <- moments$means[, at, drop = FALSE]
    alone <- distances(p[, at, drop = FALSE], m^2)
    result[, layout$unit[at]] <- tuple_table(alone, alone, single_kernels(m, alone))
  }
  for (block in layout$left_out$blocks) {
    m <- moments$means[, block$x, drop = FALSE]
    inside <- distances(cbind(rowSums(p[, block$x, drop = FALSE])), cbind(rowSums(m^2)))
    kernel <- whole_kernel(m, inside, through(m, m, m))
    result[, layout$unit[block$x[1]]] <- tuple_table(inside, inside, kernel)
  }
  result
}

# Squared distances D_ij = p_i + p_j - 2 K_ij of sets of neurons, one a column, of which only sums
# are ever made: p, the traces of P_i; noise, p_i - K_ii, for which the diagonal of D has to be set
# to 0; rows, the sums of D_ij over j. Kernels K are those of centred means: their rows add up to 0.
distances <- function(p, k) {
  noise <- p - k
  rows <- nrow(p) * p + rep(colSums(p), each = nrow(p)) - 2 * noise
  list(p = p, noise = noise, rows = rows)
}

# What tuple_table() needs of the kernels K of D and L of E:
#   k_p, k_noise  K times p and noise of E      l_p, l_noise  L times p and noise of D
#   both          the sums over j of K_ij L_ij
# D and E alike, of the neurons m; products: their kernel times m.
whole_kernel <- function(m, d, products) {
  p <- through(m, m, d$p)
  noise <- through(m, m, d$noise)
  list(k_p = p, k_noise = noise, l_p = p, l_noise = noise, both = cbind(rowSums(m * products)))
}

# D and E alike, of each neuron alone.
single_kernels <- function(m, d) {
  n <- nrow(m)
  p <- m * rep(colSums(m * d$p), each = n)
  noise <- m * rep(colSums(m * d$noise), each = n)
  list(k_p = p, k_noise = noise, l_p = p, l_noise = noise,
       both = m^2 * rep(colSums(m^2), each = n))
}

# D of all neurons, E of each unit.
unit_kernels <- function(m, d, e, products, by_unit) {
  of_unit <- function(values) by_unit(m * rep(crossprod(m, values), each = nrow(m)))
  list(k_p = through(m, m, e$p), k_noise = through(m, m, e$noise), l_p = of_unit(d$p),
       l_noise = of_unit(d$noise), both = by_unit(m * products))
}

# A(D, E) for each pair of columns, nothing deleted in the first row, then each stimulus. Over
# tuples of different stimuli it is (sum D sum E - 4 r'e + 2 sum D_ij E_ij) / (4 (n)_4) with row
# sums r and e. Without stimulus i, the row sums lose D_ij and E_ij.
tuple_table <- function(d, e, kernels) {
  n <- as.double(nrow(d$p))
  every <- function(values) rep(values, each = nrow(d$p))
  times <- function(a, v, kernel_v) {
    a$p * every(colSums(v)) + every(colSums(a$p * v)) - 2 * kernel_v - 2 * a$noise * v
  }
  # kernels do not see constants
  d_rows <- times(d, e$rows, n * kernels$k_p - 2 * kernels$k_noise)
  e_rows <- times(e, d$rows, n * kernels$l_p - 2 * kernels$l_noise)
  both <- n * d$p * e$p + d$p * every(colSums(e$p)) + every(colSums(d$p)) * e$p +
    every(colSums(d$p * e$p)) - 2 * kernels$l_p - 2 * kernels$k_p + 4 * kernels$both -
    4 * d$noise * e$noise
  sums <- list(d = colSums(d$rows), e = colSums(e$rows), rows = colSums(d$rows * e$rows),
               both = colSums(both))
  whole <- (sums$d * sums$e - 4 * sums$rows + 2 * sums$both) / (4 * falling(n, 4))
  left <- (every(sums$d) - 2 * d$rows) * (every(sums$e) - 2 * e$rows) -
    4 * (every(sums$rows) - d$rows * e$rows - d_rows - e_rows + both) +
    2 * (every(sums$both) - 2 * both)
  rbind(whole, left / (4 * falling(n - 1, 4)), deparse.level = 0)
}

# Columns <name>_se, <name>_low and <name>_high of the three dimensionalities.
dimension_intervals <- function(tables, sample, layout, conf_level) {
  loo <- list(n = length(tables$h$naive$total) - 1, layout = layout)
  # one for each deleted stimulus: without one that dominates, all values are much smaller
  floor <- rounding_share * tables$h$naive$total / tables$h$pairs$total
  columns <- lapply(estimators, function(estimator) {
    h <- h_table(tables$h, estimator)
    ratio <- h_table(tables$numerator, estimator) / h
    ratio[is.na(h) | h <= floor] <- NA
    dimension_interval(ratio, loo, estimator, conf_level)
  })
  do.call(c, columns)
}

dimension_interval <- function(ratio, loo, estimator, conf_level) {
  undefined <- sum(is.na(ratio[-1]))
  if (undefined > 0 && !is.na(ratio[[1]])) {
    warn("The standard error of the dimensionality ", dQuote(estimator, FALSE), " is undefined ",
         "(NA): ", undefined, " of its delete-one values have a denominator that is not positive, ",
         "or no pair of neurons. There are too few stimuli, neurons or units.",
         class = "repalign_undefined")
  }
  variance <- two_way_variance(ratio, loo)
  half <- stats::qt(0.5 + conf_level / 2, two_way_df(ratio, variance, loo)) * sqrt(variance)
  result <- list(sqrt(variance), ratio[[1]] - half, ratio[[1]] + half)
  stats::setNames(result, paste0(estimator, c("_se", "_low", "_high")))
}
