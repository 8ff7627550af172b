# Responses to several trials, and the estimates of a participation ratio that leave noise out.

# list(repr, trials): the representation (with several trials, of their means), and the matrices
# of single trials with rows of NA where a stimulus has none; NULL for one trial.
dimension_sample <- function(x, y) {
  is_array <- is.array(x) && length(dim(x)) == 3
  if (!is_array && is.null(y)) {
    return(list(repr = need_kind(representation(x, "x"), "data", "this"), trials = NULL))
  }
  if (!is_array) return(average_trials(trial_pair(x, y)))
  if (!is.null(y)) {
    abort("`y` must not be given when `x` is an array of trials: put all trials into the array.",
          class = "repalign_error_type", arg = "y")
  }
  if (!all(dim(x) > 0)) {
    abort("`x` has ", paste(dim(x), collapse = " x "), " entries: there is nothing to compare.",
          class = "repalign_error_size", arg = "x")
  }
  trials <- array_trials(x)
  if (length(trials) > 1) return(average_trials(trials))
  list(repr = need_kind(representation(trials[[1]], "x"), "data", "this"), trials = NULL)
}

trial_pair <- function(x, y) {
  pair <- representation_pair(x, y)
  width <- c(ncol(pair$x$data), ncol(pair$y$data))
  if (width[1] != width[2]) {
    abort("`x` has ", width[1], " columns and `y` has ", width[2], ": two trials have the same ",
          "neurons in the same columns. Take the neurons that both have.",
          class = "repalign_error_size", arg = "y")
  }
  names <- lapply(pair[c("x", "y")], function(repr) colnames(repr$data))
  if (all(lengths(names) > 0) && !identical(names$x, names$y)) {
    at <- which(names$x != names$y)[1]
    abort("`x` and `y` are two trials of the same neurons, but their column names differ, first ",
          "in column ", at, " (", dQuote(names$x[at], FALSE), " and ", dQuote(names$y[at], FALSE),
          "). Reorder the columns, or remove their names when they do correspond.",
          class = "repalign_error_labels", arg = "y")
  }
  list(pair$x$data, pair$y$data)
}

array_trials <- function(x) {
  names <- if (!is.null(dimnames(x))) dimnames(x)[1:2]
  lapply(seq_len(dim(x)[3]), function(t) {
    arg <- paste0("x[, , ", t, "]")
    trial <- as_numeric_matrix(matrix(x[, , t], dim(x)[1], dim(x)[2], dimnames = names), arg,
                               allow_na = dim(x)[3] > 1)
    missing <- is.na(trial)
    partly <- which(rowSums(missing) > 0 & rowSums(missing) < ncol(trial))
    if (length(partly)) {
      abort("`", arg, "` has missing values for some neurons of a stimulus but not for all, first ",
            "in row ", partly[1], ". Set the whole row of this trial to NA, or leave out the ",
            "neurons with missing values.", class = "repalign_error_nonfinite", arg = "x")
    }
    trial
  })
}

# Stimuli with a single trial are left out: it has no other one to be multiplied with.
average_trials <- function(trials) {
  present <- vapply(trials, function(trial) !is.na(trial[, 1]), logical(nrow(trials[[1]])))
  present <- matrix(present, ncol = length(trials))
  keep <- which(rowSums(present) >= 2)
  if (length(keep) < nrow(present)) {
    inform("participation_ratio(): ", count_of(nrow(present) - length(keep), "stimulus row"),
           " of `x` with fewer than two trials left out.", class = "repalign_left_out")
  }
  if (length(keep) < 4) {
    abort("`x` has ", length(keep), " stimuli with at least two trials; at least 4 are needed. ",
          "Give more stimuli or trials, or the mean over the trials (one trial).",
          class = "repalign_error_rows", arg = "x")
  }
  trials <- lapply(trials, function(trial) trial[keep, , drop = FALSE])
  sums <- Reduce(`+`, lapply(trials, zero_for_missing))
  means <- sums / rowSums(present[keep, , drop = FALSE])
  list(repr = representation(means, "x"), trials = trials)
}

zero_for_missing <- function(x) {
  x[is.na(x)] <- 0
  x
}

# The moments of which everything below is made. For each stimulus i, P_i is the mean of x_t x_s'
# over its pairs of different trials, which noise does not change in the mean. With T_i trials and
# their mean m_i it is (T_i^2 m_i m_i' - sum_t x_t x_t') / (T_i (T_i - 1)): a weighted sum of
# squares of a few rows, never a matrix of neurons for each stimulus.
#   means      the rows m_i (stimuli x neurons), centred
#   members    m_i of all stimuli, then their trials: the rows whose weighted squares give P_i
#   weight, stimulus  of each member; rows that are missing have weight 0
# With one trial P_i is m_i m_i'.
sample_moments <- function(sample) {
  means <- centered_data(sample$repr)
  if (is.null(sample$trials)) {
    n <- nrow(means)
    return(list(means = means, members = means, weight = rep(1, n), stimulus = seq_len(n)))
  }
  center <- form_centering(sample$repr)
  count <- Reduce(`+`, lapply(sample$trials, function(trial) as.double(!is.na(trial[, 1]))))
  trials <- lapply(sample$trials, function(trial) {
    (unname(trial) - rep(center$means, each = nrow(trial))) * center$scale
  })
  here <- c(lapply(trials, function(trial) !is.na(trial[, 1])), recursive = TRUE)
  list(means = means, members = rbind(means, zero_for_missing(do.call(rbind, trials))),
       weight = c(count / (count - 1), -here / rep(count * (count - 1), length(trials))),
       stimulus = rep(seq_along(count), 1 + length(trials)))
}

# The same for some of the neurons, and without one stimulus.
some_neurons <- function(moments, columns) {
  for (what in c("means", "members")) {
    moments[[what]] <- moments[[what]][, columns, drop = FALSE]
  }
  moments
}

without_stimulus <- function(moments, i) {
  stay <- moments$stimulus != i
  means <- moments$means[-i, , drop = FALSE]
  shift <- colMeans(means)
  at <- moments$stimulus[stay]
  list(means = recenter(means),
       members = sweep(moments$members[stay, , drop = FALSE], 2, shift),
       weight = moments$weight[stay], stimulus = at - (at > i))
}

# Sums over the members of each stimulus: stimuli x neurons.
by_stimulus <- function(values, moments) {
  sums <- rowsum(values * moments$weight, moments$stimulus, reorder = TRUE)
  dimnames(sums) <- NULL
  sums
}

# a b' c, in the order that needs less: with a matrix of neurons or with one of stimuli.
through <- function(a, b, c) {
  over_neurons <- ncol(b) * (as.double(nrow(a)) + nrow(b))
  if (over_neurons <= 2 * as.double(nrow(a)) * nrow(b)) return(a %*% crossprod(b, c))
  tcrossprod(a, b) %*% c
}

# Tables (stimuli i x neurons a) of which the H values of all neuron pairs (a, b), added up over b,
# are made (h_of_trials). With G = sum_i P_i, C = sum_i m_i m_i' and members z:
#   gp (G P_i)_aa   cp (C P_i)_aa   pp (P_i^2)_aa   pm (P_i m_i)_a   mc (C m_i)_a   mg (G m_i)_a
# and the numbers k_i = |m_i|^2.
trial_products <- function(moments) {
  z <- moments$members
  m <- moments$means
  n <- nrow(m)
  own <- rowSums(z * m[moments$stimulus, , drop = FALSE])
  zg <- through(z, moments$weight * z, z)
  zc <- through(z, m, m)
  list(m = m, k = rowSums(m^2), whole = sum(m^2), n = n,
       gp = by_stimulus(z * zg, moments), cp = by_stimulus(z * zc, moments),
       pp = squared_moments(moments), pm = by_stimulus(z * own, moments),
       mc = zc[seq_len(n), , drop = FALSE], mg = zg[seq_len(n), , drop = FALSE])
}

# (P_i^2)_aa, from the inner products of the members of each stimulus.
squared_moments <- function(moments) {
  result <- matrix(0, nrow(moments$means), ncol(moments$means))
  for (pair in member_pairs(moments)) {
    both <- moments$members[pair$a, , drop = FALSE] * moments$members[pair$b, , drop = FALSE]
    result <- result + both * (pair$weight * rowSums(both))
  }
  result
}

# Pairs of members of the same stimulus, for all stimuli at once: rows a and b of the members, and
# the product of their weights, twice where the two are different. Members come in blocks of all
# stimuli: the means, then trial by trial.
member_pairs <- function(moments) {
  n <- nrow(moments$means)
  block <- function(s) (s - 1) * n + seq_len(n)
  count <- length(moments$weight) / n
  pairs <- lapply(seq_len(count), function(s) lapply(seq_len(s), function(t) {
    weight <- moments$weight[block(s)] * moments$weight[block(t)]
    list(a = block(s), b = block(t), weight = if (s == t) weight else 2 * weight)
  }))
  unlist(pairs, recursive = FALSE)
}

# For each neuron a, the sum over b of the H values of (a, b) without noise: of the unbiased
# estimates of C_ab^2 from P and products of means of different stimuli,
# t1 / (n)_2 - 2 t2 / (n)_3 + t3 / (n)_4 with sums over stimuli
#   t1 = G^2 - sum P^2     t2 = 2 sum P m m - G C     t3 = |m_a|^2 |m_b|^2 + 2 C^2 - 6 sum (m m)^2
# for centred means.
h_of_trials <- function(t) {
  size <- colSums(t$m^2)
  t1 <- colSums(t$gp) - colSums(t$pp)
  t2 <- 2 * colSums(t$m * t$pm) - colSums(t$cp)
  t3 <- size * t$whole + 2 * colSums(t$m * t$mc) - 6 * colSums(t$m^2 * t$k)
  list(t1 = t1, t2 = t2, t3 = t3, h = combine_terms(t1, t2, t3, t$n))
}

combine_terms <- function(t1, t2, t3, n) {
  n <- as.double(n)
  t1 / falling(n, 2) - 2 * t2 / falling(n, 3) + t3 / falling(n, 4)
}

# The tables of one neuron with itself, for all neurons at once: what trial_products() gives for
# each column alone.
single_products <- function(moments) {
  m <- moments$means
  n <- nrow(m)
  p <- by_stimulus(moments$members^2, moments)
  g <- rep(colSums(p), each = n)
  c <- rep(colSums(m^2), each = n)
  list(m = m, k = m^2, whole = colSums(m^2), n = n, gp = g * p, cp = c * p, pp = p^2, pm = p * m,
       mc = c * m, mg = g * m)
}

# The sum of h_of_trials() over all neurons a, from fewer products: |G|^2 and the inner product of G
# and C are sums over squared inner products of members, in the smaller of the two spaces.
trial_h_total <- function(moments) {
  z <- moments$members
  m <- moments$means
  w <- moments$weight
  check_memory(8 * 3 * min(dim(z))^2, "The products of the trials",
               "Fewer neurons, stimuli or trials need less.")
  if (ncol(z) > nrow(z)) {
    squares <- tcrossprod(z)^2
    at <- seq_len(nrow(m))
    g2 <- sum(w * (squares %*% w))
    crossed <- sum(w * squares[, at])
    c2 <- sum(squares[at, at])
  } else {
    g <- crossprod(z, w * z)
    cov <- crossprod(m)
    g2 <- sum(g^2)
    crossed <- sum(g * cov)
    c2 <- sum(cov^2)
  }
  own <- rowSums(z * m[moments$stimulus, , drop = FALSE])
  combine_terms(g2 - squared_moment_total(moments), 2 * sum(w * own^2) - crossed,
                sum(m^2)^2 + 2 * c2 - 6 * sum(rowSums(m^2)^2), nrow(m))
}

# The sum of the squares of all entries of all P_i.
squared_moment_total <- function(moments) {
  sum(vapply(member_pairs(moments), function(pair) {
    inner <- rowSums(moments$members[pair$a, , drop = FALSE] *
                       moments$members[pair$b, , drop = FALSE])
    sum(pair$weight * inner^2)
  }, 0))
}

# Numerator and h of dimension_parts() with several trials.
trial_parts <- function(sample, pair, layout, estimator) {
  moments <- sample_moments(sample)
  h <- trial_h_total(moments)
  numerator <- trial_variance(moments)
  count <- as.double(ncol(moments$means))^2
  if (corrects_neurons(estimator)) {
    within <- within_units(moments, layout)
    h <- h - within$h
    numerator <- numerator - within$numerator
    count <- count - layout$left_out$count
  }
  totals <- linear_totals(pair)
  list(numerator = numerator / count,
       h = list(value = h / count, magnitude = totals$cross_squares / (totals$n^2 * count)))
}

within_units <- function(moments, layout) {
  single <- some_neurons(moments, layout$left_out$x)
  h <- sum(h_of_trials(single_products(single))$h)
  numerator <- sum(single_variance(single))
  for (block in layout$left_out$blocks) {
    inside <- some_neurons(moments, block$x)
    h <- h + trial_h_total(inside)
    numerator <- numerator + trial_variance(inside)
  }
  list(h = h, numerator = numerator)
}

# The sum of C_aa C_bb over all pairs of neurons, from the squared distances
# D_ij = p_i + p_j - 2 K_ij, with p_i the trace of P_i and K the kernel of the means. Where noise
# is in K_ii but not in p_i, the diagonal of D would not be 0 by itself.
trial_variance <- function(moments) {
  p <- rowSums(by_stimulus(moments$members^2, moments))
  m <- moments$means
  squares <- sum(through(m, m, m) * m)
  variance_from_traces(matrix(p), matrix(rowSums(m^2)), squares)
}

# The same for each neuron alone, whose kernel has the squares |m_a|^4.
single_variance <- function(moments) {
  p <- by_stimulus(moments$members^2, moments)
  variance_from_traces(p, moments$means^2, colSums(moments$means^2)^2)
}

# p and k: a column for each set of neurons, with the trace of P_i and K_ii in row i; squares: the
# sums of K_ij^2.
variance_from_traces <- function(p, k, squares) {
  n <- as.double(nrow(p))
  trace <- colSums(p)
  noise <- p - k
  rows <- n * p + rep(trace, each = nrow(p)) - 2 * noise
  all <- colSums(rows)
  entries <- 2 * n * colSums(p^2) + 2 * trace^2 + 4 * squares - 4 * colSums(noise^2)
  (all^2 - 4 * colSums(rows^2) + 2 * entries) / (4 * falling(n, 4))
}

# n (n - 1) (n - 2) ..., k factors: how many tuples of k different stimuli there are.
falling <- function(n, k) prod(n - seq_len(k) + 1)
