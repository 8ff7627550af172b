# H values from responses to several trials: of neuron pairs, their sums, and with deletions.

# ---- deletions

# Sums of H values from trials with each stimulus and each unit of neurons deleted, for
# cka_interval().

# What leave_out_sums() gives, with the values from trials as `stimulus`. The naive part is the size
# of the terms alone.
trial_sums <- function(pair, layout, clusters, allowed = NULL) {
  sample <- function(a, b) checked_sample(pair[[a]], pair[[b]], clusters)
  complete <- layout$complete
  part <- function(sample, sides) {
    w <- allowed[[paste(sides, collapse = "")]]
    if (any(complete[sides]) || !is.null(w)) weighted_trial_sums(sample, w, layout, sides) else
      trial_cross_sums(sample, layout[[sides[1]]], layout[[sides[2]]], layout$count)
  }
  xy <- sample("x", "y")
  list(
    xy = part(xy, c("x", "y")), xx = part(sample("x", "x"), c("x", "x")),
    yy = part(sample("y", "y"), c("y", "y")),
    layout = layout, n = max(xy$units), clusters = !is.null(clusters), scale = xy$scale,
    centered = TRUE
  )
}

checked_sample <- function(rx, ry, codes) {
  check_trial_pair(rx, ry, codes)
  sample <- trial_sample(rx, ry, codes)
  check_trial_units(sample, list(x = rx, y = ry))
  with_dominant_units(sample)
}

trial_cross_sums <- function(sample, unit_x, unit_y, units) {
  rows <- trial_columns(sample)
  if (anyNA(rows[1, ])) refuse_few_members(sample, NULL, sample$reprs)
  columns <- if (sample$self) rows else trial_columns(swapped_sample(sample))
  left_out <- excluded_pairs(unit_x, unit_y)
  within <- matrix(0, max(sample$units) + 1, units)
  if (length(left_out$x)) {
    within[, unit_x[left_out$x]] <- trial_pairs(sample, left_out$x, left_out$y)
  }
  for (block in left_out$blocks) {
    inside <- trial_columns(some_columns(sample, block$x, block$y))
    within[, unit_x[block$x[1]]] <- rowSums(inside)
  }
  c(list(naive = list(total = trial_magnitude(sample))),
    sums_of_units(list(stimulus = rows), list(columns), list(within), unit_x, unit_y, units))
}

# What weighted_sums() gives of means over trials, from products of different trials.
weighted_trial_sums <- function(sample, w, layout, sides) {
  sums <- sums_over_weighted(function(w, swapped) {
    list(stimulus = if (!swapped) trial_columns(sample, w) else
      trial_columns(swapped_sample(sample), if (!is.null(w)) t(w)))
  }, w, c(ncol(sample$x), ncol(sample$y)), layout, sides)
  if (is.na(sums$stimulus$total[1])) refuse_few_members(sample, NULL, sample$reprs)
  c(list(naive = list(total = trial_magnitude(sample))), sums)
}

# The same with the sides exchanged.
swapped_sample <- function(sample) {
  sample$reprs <- list(x = sample$reprs$y, y = sample$reprs$x)
  from <- c("x", "y", "counts_x", "counts_y", "session_x", "session_y")
  sample[from] <- sample[from[c(2, 1, 4, 3, 6, 5)]]
  sample$scale <- rev(sample$scale)
  sample
}

# ---- values of neuron pairs

# Values of neuron pairs from a trial_sample(): all of them, sums over them, some of them, and the
# same without each stimulus (or cluster of stimuli) in turn.

# A matrix of Qx x Qy values.
trial_terms <- function(sample) .Call(C_trial_terms, sample, thread_count())

# For each column of x the sum over all columns of y: (units + 1) x Qx, times weights w (see
# trial_weighted()).
trial_columns <- function(sample, w = NULL) {
  result <- .Call(C_trial_columns, sample, w, TRUE, thread_count())
  delete_dominant(result, sample, function(cut) trial_columns(cut, w))
}

# The sum over all neuron pairs, times weights w (Qx x Qy; NULL: of 1): units + 1 values, or the
# first alone. Pairs of weight 0 need not have a value.
trial_weighted <- function(sample, w = NULL, deletions = TRUE) {
  result <- matrix(rowSums(.Call(C_trial_columns, sample, w, deletions, thread_count())))
  if (deletions) {
    result <- delete_dominant(result, sample, function(cut) trial_weighted(cut, w, FALSE))
  }
  result[, 1]
}

# For each pair of a column of x and one of y: (units + 1) x pairs, or the first row alone.
trial_pairs <- function(sample, ix, iy, deletions = TRUE) {
  result <- .Call(C_trial_pairs, sample, as.integer(ix), as.integer(iy), deletions, thread_count())
  if (!deletions) return(result)
  delete_dominant(result, sample, function(cut) trial_pairs(cut, ix, iy, FALSE))
}

with_dominant_units <- function(sample) {
  units <- lapply(stimulus_means(sample), dominant_units, sample$units)
  sample$dominant <- unique(c(units$x, units$y))
  sample
}

# A unit that holds nearly all of the variance is really deleted, as in recompute_dominant().
delete_dominant <- function(result, sample, compute) {
  if (nrow(result) < 6) return(result)
  if (is.null(sample$dominant)) sample <- with_dominant_units(sample)
  for (unit in sample$dominant) {
    without <- compute(cut_trial_sample(sample, sample$units != unit))
    result[unit + 1, ] <- if (is.matrix(without)) without[1, ] else without[1]
  }
  result
}

# ---- totals

# H values from trials, summed over all neuron pairs, without the value of each pair.

# As pair_h() gives them. labels: of the neuron pairs to leave out, or NULL.
pair_trial_h <- function(pair, args, labels = NULL, self = FALSE) {
  if (args$kernel == "rbf") return(kernel_trial_h(pair, args))
  codes <- args$clusters
  if (length(codes) > pair$x$n) codes <- labelled_codes(codes)
  sample <- trial_sample(pair$x, pair$y, codes)
  check_trial_units(sample, pair)
  left_out <- if (!is.null(labels)) excluded_pairs(labels$x, labels$y)
  count <- as.double(ncol(sample$x)) * ncol(sample$y)
  if (!is.null(left_out)) count <- count - left_out$count
  if (count == 0) no_allowed_pair(pair, self)
  value <- sum_of_allowed(sample, left_out)
  if (is.nan(value)) refuse_few_members(sample, left_out, pair)
  list(value = value / count, magnitude = trial_magnitude(sample) / count, scale = sample$scale)
}

# The sum over all neuron pairs but those in left_out, from excluded_pairs(), or over all (NULL).
sum_of_allowed <- function(sample, left_out) {
  if (sample$runs || sample$masked || anyDuplicated(sample$units)) {
    w <- if (!is.null(left_out)) neuron_pair_weights(left_out, ncol(sample$x), ncol(sample$y))
    return(trial_weighted(sample, w, FALSE))
  }
  # sums without the value of each neuron pair: for stimuli that are all independent, and the same
  # trials for all neurons
  value <- session_total(sample)
  if (is.null(left_out)) return(value)
  ix <- left_out$x
  iy <- left_out$y
  # single neuron pairs, the columns ix of x and iy of y, as in uniform_total()
  shares <- sample$session_x[ix] == sample$session_y[iy]
  singles <- vapply(unique(shares), function(share) {
    m <- event_members(if (share) sample else sample_of_means(sample), share)
    n <- sum(m$weight > 0)
    if (n < 4) return(NaN)
    at <- which(shares == share)
    x <- m$means_x[, ix[at], drop = FALSE]
    y <- m$means_y[, iy[at], drop = FALSE]
    p <- rowsum(m$x[, ix[at], drop = FALSE] * m$my[, iy[at], drop = FALSE], m$stimulus)
    xy <- x * y
    t1 <- colSums(p)^2 - colSums(p^2)
    t2 <- 2 * colSums(p * xy) - colSums(p) * colSums(xy)
    t3 <- colSums(x^2) * colSums(y^2) + 2 * colSums(xy)^2 - 6 * colSums(xy^2)
    combine_terms(sum(t1), sum(t2), sum(t3), n)
  }, 0)
  blocks <- vapply(left_out$blocks, function(block) {
    session_total(some_columns(sample, block$x, block$y))
  }, 0)
  value - sum(singles) - sum(blocks)
}

# 1 for neuron pairs that count, 0 for those in left_out, from excluded_pairs() (NULL: none).
neuron_pair_weights <- function(left_out, dx, dy) {
  w <- matrix(1, dx, dy)
  if (is.null(left_out)) return(w)
  w[cbind(left_out$x, left_out$y)] <- 0
  for (block in left_out$blocks) w[block$x, block$y] <- 0
  w
}

check_trial_units <- function(sample, pair) {
  count <- max(sample$units, 0)
  refuse_if(count < 4, "rows", "`{pair$x$arg}` has {count} ", if (anyDuplicated(sample$units)) {
    "clusters of "
  }, "stimuli: a corrected estimator needs at least 4.")
}

# A neuron pair that is allowed but has fewer than four units with members.
refuse_few_members <- function(sample, left_out, pair) {
  h <- trial_terms(sample)
  w <- neuron_pair_weights(left_out, ncol(sample$x), ncol(sample$y))
  at <- which(is.nan(h) & w != 0, arr.ind = TRUE)[1, ]
  refuse("trials", "Column {at[1]} of `{pair$x$arg}` and column {at[2]} of `{pair$y$arg}` have ",
         "fewer than 4 ", if (anyDuplicated(sample$units)) "clusters" else "stimuli",
         " with two trials that do not share noise. Declare such trials with responses() (for ",
         "columns that were not recorded together: other `session` labels), leave the columns ",
         "out, or use estimator = \"stimulus_neuron\".", arg = pair$x$arg)
}

# The size of the terms: what the trial means give without any correction.
trial_magnitude <- function(sample) {
  means <- stimulus_means(sample)
  squared_product(means$x, means$y) / as.double(nrow(means$x))^2
}

# The sum of the squared entries of a'b.
squared_product <- function(a, b) {
  if (as.double(ncol(a)) * ncol(b) <= as.double(nrow(a))^2) return(sum(crossprod(a, b)^2))
  sum(tcrossprod(a) * tcrossprod(b))
}

some_columns <- function(sample, x, y) {
  sample$dominant <- NULL
  sample$x <- sample$x[, x, drop = FALSE]
  sample$y <- sample$y[, y, drop = FALSE]
  if (sample$masked) {
    sample$counts_x <- sample$counts_x[, x, drop = FALSE]
    sample$counts_y <- sample$counts_y[, y, drop = FALSE]
  }
  sample$session_x <- sample$session_x[x]
  sample$session_y <- sample$session_y[y]
  sample
}

# Where only some neuron pairs may share noise: all as if none did, and the difference for those of
# each session.
session_total <- function(sample) {
  shared <- intersect(sample$session_x, sample$session_y)
  if (!length(shared)) return(uniform_total(sample, FALSE))
  if (length(unique(c(sample$session_x, sample$session_y))) == 1) {
    return(uniform_total(sample, TRUE))
  }
  differences <- vapply(shared, function(code) {
    block <- some_columns(sample, sample$session_x == code, sample$session_y == code)
    uniform_total(block, TRUE) - uniform_total(block, FALSE)
  }, 0)
  uniform_total(sample, FALSE) + sum(differences)
}

# All pairs share noise, or none does. P_i is x_i' M y_i for the sums over events x_i and y_i, with
# M = (1 1' - share I) / (number of members).
uniform_total <- function(sample, share) {
  if (!share) sample <- sample_of_means(sample)
  m <- event_members(sample, share)
  n <- sum(m$weight > 0)
  if (n < 4) return(NaN)
  # the sum of the squared entries of P_i for each stimulus, from Gram matrices of its events
  grams <- function(rows) .Call(C_event_grams, rows, sample$events, thread_count())
  kx <- grams(m$x)
  ky <- if (sample$self) kx else grams(m$y)
  row_sums <- function(k) matrix(colSums(matrix(k, sample$events)), sample$events)
  rx <- row_sums(kx)
  ry <- row_sums(ky)
  own <- m$weight^2 * (colSums(rx) * colSums(ry) - 2 * share * colSums(rx * ry) +
                         share * colSums(kx * ky))
  t1 <- squared_product(m$x, m$my) - sum(own)
  through <- function(rows, means) rowSums(rows * means[m$stimulus, , drop = FALSE])
  ax <- through(m$x, m$means_x)
  by <- through(m$my, m$means_y)
  # the sum of the products of the entries of a'b and c'd, in the smaller of the two spaces
  products <- if (as.double(ncol(m$x)) * ncol(m$my) <= as.double(nrow(m$x)) * nrow(m$means_x)) {
    sum(crossprod(m$x, m$my) * crossprod(m$means_x, m$means_y))
  } else {
    sum(tcrossprod(m$x, m$means_x) * tcrossprod(m$my, m$means_y))
  }
  t2 <- 2 * sum(ax * by) - products
  size_x <- rowSums(m$means_x^2)
  size_y <- rowSums(m$means_y^2)
  t3 <- sum(size_x) * sum(size_y) +
    2 * squared_product(m$means_x, m$means_y) - 6 * sum(size_x * size_y)
  combine_terms(t1, t2, t3, n)
}

# The sample as if every stimulus had one trial, the mean of its trials: where all trials of one
# side are multiplied with all of the other, nothing else counts.
sample_of_means <- function(sample) {
  stimulus <- rep(seq_along(sample$units), each = sample$events)
  sample[c("x", "y")] <- stimulus_means(sample)
  for (counts in c("counts_x", "counts_y")) {
    sample[[counts]] <- (rowsum(sample[[counts]], stimulus) > 0) + 0
  }
  sample$events <- 1L
  sample
}

# Sums over events (x, y), M y (my), means over members (stimuli x neurons, centred) and the
# numbers of members as weights.
event_members <- function(sample, share) {
  stimulus <- rep(seq_along(sample$units), each = sample$events)
  total <- function(values) rowsum(values, stimulus, reorder = TRUE)
  nx <- sample$counts_x[, 1]
  ny <- sample$counts_y[, 1]
  number_x <- total(nx)[, 1]
  number_y <- total(ny)[, 1]
  members <- number_x * number_y - share * total(nx * ny)[, 1]
  weight <- ifelse(members > 0, 1 / pmax(members, 1), 0)
  partners_x <- (number_y[stimulus] - share * ny) * weight[stimulus]
  partners_y <- (number_x[stimulus] - share * nx) * weight[stimulus]
  center <- function(rows, counts, partners) {
    shift <- colSums(rows * partners) / max(sum(weight > 0), 1)
    rows <- rows - tcrossprod(counts, shift)
    list(rows = rows, means = total(rows * partners))
  }
  x <- center(sample$x, nx, partners_x)
  y <- if (sample$self) x else center(sample$y, ny, partners_y)
  my <- (total(y$rows)[stimulus, , drop = FALSE] - share * y$rows) * weight[stimulus]
  list(x = x$rows, y = y$rows, my = my, means_x = x$means, means_y = y$means, weight = weight,
       stimulus = stimulus)
}
