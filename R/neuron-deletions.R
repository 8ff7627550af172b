# Standard errors of the pooled values of an analysis whose neurons count as a sample, too: the
# jackknife over stimuli and neurons of cka_interval(), with the weights that random subsets give to
# the neuron pairs.

# For each estimator list(se, df). members: the random subsets; used: which of them the
# neuron-corrected values are pooled over.
sampled_neuron_errors <- function(comparison, members, used, setup) {
  layout <- neuron_units(comparison)
  tables <- deleted_pools(comparison, members, used, layout, setup)
  loo <- list(n = setup$stimuli, layout = layout)
  sapply(setup$estimator, function(e) {
    theta <- deleted_ratios(lapply(tables, function(part) part[[e]]))
    variance <- two_way_variance(theta, loo)
    # equal deletions leave no parts to count degrees of freedom of
    df <- if (isTRUE(variance == 0)) Inf else two_way_df(theta, variance, loo)
    list(se = sqrt(variance), df = df)
  }, simplify = FALSE)
}

# The unit of each neuron of a and b, the sides of a comparison; the strata are as in unit_layout().
neuron_units <- function(comparison) {
  codes <- comparison$codes
  a <- codes$xx$x + 1L
  b <- codes$yy$y + max(a) + 1L
  if (!is.null(codes$xy)) {
    a <- codes$xy$x + 1L
    b <- codes$xy$y + 1L
  }
  count <- max(a, b)
  strata <- if (any(a %in% b)) list(seq_len(count)) else list(unique(a), unique(b))
  list(a = a, b = b, count = count, strata = strata)
}

# For each of the three H values and each estimator a table of pooled values: nothing and each
# stimulus deleted in its rows, nothing and each unit in its columns.
deleted_pools <- function(comparison, members, used, layout, setup) {
  data <- list(a = comparison$x, b = comparison$y)
  check_pool_memory(data)
  pool <- function(part, members, used) {
    deleted_pool(data, members, part, used, comparison, layout, setup)
  }
  if (!comparison$exchangeable) {
    return(sapply(names(part_sides), pool, members, used, simplify = FALSE))
  }
  # both denominators are pooled anyway, from the subsets of both sides
  self <- pool("xx", list(a = cbind(members$a, members$b)), c(used, used))
  list(xy = pool("xy", members, used), xx = self, yy = self)
}

check_pool_memory <- function(data) {
  columns <- sum(vapply(data, function(x) as.double(ncol(x)), 0))
  check_memory(8 * (40 * nrow(data$a) * columns + 12 * columns^2),
               "The jackknife over stimuli and neurons",
               "Fewer neurons or stimuli need less, and neurons_sampled = FALSE.")
}

deleted_pool <- function(data, members, part, used, comparison, layout, setup) {
  at <- part_sides[[part]]
  x <- data[[at[1]]]
  y <- data[[at[2]]]
  codes <- comparison$codes[[part]]
  size <- c(ncol(x), ncol(y))
  count <- subset_counts(members[[at[1]]], members[[at[2]]], size, codes)
  w <- pooled_weights(members[[at[1]]], members[[at[2]]], size, count, codes, used)
  unit <- list(x = layout[[at[1]]], y = layout[[at[2]]], count = layout$count)
  self <- part != "xy"
  plain <- if (any(setup$estimator != "stimulus_neuron")) {
    weighted_deletions(x, y, w$all, unit, self, setup$clusters)
  }
  corrected <- if ("stimulus_neuron" %in% setup$estimator) {
    weighted_deletions(x, y, allowed_weights(w), unit, self, setup$clusters)
  }
  list(naive = plain$naive, stimulus = plain$stimulus, stimulus_neuron = corrected$stimulus)
}

# Means of the pair terms of x and y weighted by w, for every deletion; what is left of the weights
# is divided by its sum. self: x and y are one side, and w is symmetric.
weighted_deletions <- function(x, y, w, unit, self, clusters) {
  within <- w * outer(unit$x, unit$y, "==")
  rows <- loo_columns(x, y, clusters, w)
  columns <- if (self) rows else loo_columns(y, x, clusters, t(w))
  inside <- if (any(within != 0)) loo_columns(x, y, clusters, within)
  left <- drop(without_units(t(rowSums(w)), t(colSums(w)), t(rowSums(within)), unit))
  # what rounding leaves of weights that are all gone is nothing
  left[left <= tie_share * left[1]] <- NA
  means <- sapply(c("naive", "stimulus"), function(kind) {
    sums <- without_units(rows[[kind]], columns[[kind]], inside[[kind]], unit)
    sweep(sums, 2, left, "/")
  }, simplify = FALSE)
  means$stimulus[] <- drop_rounding(means$stimulus, means$naive)
  means
}

# Sums over all neuron pairs, and without those of each unit. rows, columns: the sums of each neuron
# of x and of y; inside: those over the pairs within a unit, which both of them count, or NULL.
without_units <- function(rows, columns, inside, unit) {
  taken <- sum_by_unit(rows, unit$x, unit$count) + sum_by_unit(columns, unit$y, unit$count)
  if (!is.null(inside)) taken <- taken - sum_by_unit(inside, unit$x, unit$count)
  total <- rowSums(rows)
  cbind(total, total - taken, deparse.level = 0)
}

# h: list(xy, xx, yy) of tables.
deleted_ratios <- function(h) {
  matrix(ratio_of(vapply(h, as.vector, numeric(length(h$xy)))), nrow(h$xy))
}
