# The dimensionality of responses to several trials or runs.

# ---- runs

# The numerator of a participation ratio from runs, which are crossed with stimuli.

# What variance_sums() gives, from the distances of all stimuli. D_uv = R_uu + R_vv - R_uv - R_vu
# with R_uv the sum over neurons of the mean of x_ut x_vs over runs t != s.
run_variance_sums <- function(sample, layout) {
  n <- length(sample$units)
  check_memory(8 * 8 * as.double(n)^2, "The distances from runs", "Fewer stimuli need less.")
  all <- run_distances(sample, seq_len(ncol(sample$x)))
  each <- lapply(seq_len(layout$count), function(unit) which(layout$unit == unit))
  tables <- vapply(each, function(columns) {
    own <- run_distances(sample, columns)
    cbind(dense_tuples(all, own), dense_tuples(own, own))
  }, matrix(0, n + 1, 2))
  tables <- array(tables, c(n + 1, 2, layout$count))
  within <- matrix(tables[, 2, ], n + 1)
  list(total = dense_tuples(all, all), unit = 2 * matrix(tables[, 1, ], n + 1) - within,
       within = within)
}

run_distances <- function(sample, columns) {
  x <- sample$x[, columns, drop = FALSE]
  runs <- sample$events
  stimulus <- rep(seq_along(sample$units), each = runs)
  total <- tcrossprod(rowsum(x, stimulus, reorder = TRUE))
  same <- Reduce(`+`, lapply(seq_len(runs), function(t) {
    tcrossprod(x[seq.int(t, nrow(x), runs), , drop = FALSE])
  }))
  r <- (total - same) / (runs * (runs - 1))
  unname(outer(diag(r), diag(r), "+") - 2 * r)
}

# Sums of D_ij E_kl / 4 over four different stimuli, over how many there are: nothing deleted, then
# each stimulus. d, e: symmetric, 0 on the diagonal.
dense_tuples <- function(d, e) {
  n <- as.double(nrow(d))
  rd <- rowSums(d)
  re <- rowSums(e)
  both <- rowSums(d * e)
  rows <- sum(rd * re)
  without <- rows - rd * re - drop(d %*% re) - drop(e %*% rd) + both
  whole <- (sum(rd) * sum(re) - 4 * rows + 2 * sum(both)) / (4 * falling(n, 4))
  left <- (sum(rd) - 2 * rd) * (sum(re) - 2 * re) - 4 * without + 2 * (sum(both) - 2 * both)
  c(whole, left / (4 * falling(n - 1, 4)))
}

# ---- trials

# Responses to several trials, and the estimates of a participation ratio that leave noise out.

# The opened call: list(repr, trials, codes), the representation (with several trials, of their
# means) with the labels of its neurons; with trials, or with clusters of stimuli, the
# trial_sample() of x with itself; and the codes of the clusters, or NULL. jackknife: are there
# intervals?
open_dimension <- function(x, y, units, jackknife, na, frame = parent.frame()) {
  na <- check_choice(na, missing_rules, "na")
  refuse_results(x, "x")
  repr <- dimension_repr(x, y, na)
  # labels that a responses object declares: neurons, or with one trial the sessions whose neurons
  # share noise
  given <- repr$responses
  own <- if (!has_trials(repr) && !is.null(given$session)) given$session else given$neuron
  refuse_if(!is.null(units) && !is.null(own), "choice", "`units` is given, but `x` declares ",
            if (identical(own, given$neuron)) "neurons" else "sessions",
            " already: leave out one of the two.")
  repr$columns$units <- check_labels(if (is.null(units)) own else units, ncol(repr$data), "units",
                                     "x", colnames(repr$data))
  call <- open_sides(sides_of(list(repr)),
                     list(analysis_measure("participation_ratio", structures)), na, use = "errors",
                     least = if (jackknife) 5 else 4,
                     why = if (jackknife) "a jackknife" else "a corrected estimator",
                     remedy = if (jackknife) declared_cluster_remedy, grid = FALSE,
                     frame = frame)
  sample <- list(repr = call$sides$x$reprs[[1]], codes = call$clusters)
  repr <- sample$repr
  if (has_trials(repr) || !is.null(sample$codes)) {
    # stimuli of which some neuron has no two trials to be multiplied are left out
    trials <- trial_sample(repr, repr)
    there <- rowSums(self_members(trials)$members <= 0) == 0
    inform_if(any(!there), "left_out", "participation_ratio(): ",
              "{count_of(sum(!there), 'stimulus row')} of `x` with fewer than two ",
              "trials{if (trials$masked) ' of every neuron'} left out.")
    codes <- cut_clusters(sample$codes, there)
    units <- if (is.null(codes)) sum(there) else cluster_count(codes)
    refuse_if(units < 4, "rows", "`x` has ",
              if (is.null(codes)) count_of(units, "stimulus") else
                paste(count_of(units, "cluster"), "of stimuli"), " with at least two trials; at ",
              "least 4 are needed. Give more stimuli",
              if (nrow(repr$data) >= 4) " or trials, or the mean over the trials (one trial)", ".")
    # forms of all stimuli were made
    repr$cache <- new_cache()
    repr <- cut_representation(repr, there, TRUE)
    check_trial_pair(repr, repr, codes)
    sample <- list(repr = repr, trials = trial_sample(repr, repr, codes), codes = codes)
  }
  check_rows(repr$n, 4, "x", "a corrected estimator")
  if (jackknife) {
    check_rows(repr$n, 5, "x", "a jackknife")
    check_clusters(sample$codes, repr$n, "x", 5, "a jackknife")
  }
  check_pair_memory(declaration("cka"), list(x = repr, y = repr), corrected_cka)
  sample
}

# All trials as one representation.
dimension_repr <- function(x, y, na) {
  allow_na <- na != "error"
  if (is_responses(x) || length(dim(x)) == 3) {
    refuse_if(!is.null(y), "type", "`y` must not be given when `x` is ",
              if (is_responses(x)) "a responses object" else "an array of trials",
              ": put all trials into it.")
    if (!is_responses(x)) x <- responses(x)
    repr <- representation(x, "x", allow_na = allow_na)
    if (has_trials(repr)) repr$holes <- missing_in_trials(unclass(x)$values)
    return(repr)
  }
  if (is.null(y)) return(need_kind(representation(x, "x", allow_na = allow_na), "data", "this"))
  names <- first_row_names(x)
  if (anyDuplicated(names)) {
    refuse_repeated_names(names, list(arg = "x", data = x), "responses(rbind(x, y))")
  }
  refuse_results(y, "y")
  read <- function(one, arg) {
    need_kind(representation(one, arg, allow_na = allow_na), "data", "this")
  }
  reprs <- with_common_stimuli(list(x = read(x, "x"), y = read(y, "y")))
  width <- vapply(reprs, function(repr) ncol(repr$data), 0L)
  refuse_if(width[[1]] != width[[2]], "size", "`x` has {count_of(width[[1]], 'column')} and `y` ",
            "has {width[[2]]}: two trials have the same neurons in the same columns. Take the ",
            "neurons that both have.", arg = "y")
  names <- lapply(reprs, function(repr) colnames(repr$data))
  if (all(lengths(names) > 0) && !identical(names$x, names$y)) {
    at <- which(names$x != names$y)[1]
    refuse("labels", "`x` and `y` are two trials of the same neurons, but their column names ",
           "differ, first in column {at} ({quoted(names$x[at])} and {quoted(names$y[at])}). ",
           "Reorder the columns, or remove their names when they do correspond.", arg = "y")
  }
  # single trials, in which a stimulus without a trial has a row of NA
  first <- reprs$x$data
  values <- array(c(first, reprs$y$data), c(dim(first), 2),
                  if (!is.null(dimnames(first))) c(dimnames(first), list(NULL)))
  both <- new_responses(values, matrix(1:2, nrow(first), 2, byrow = TRUE))
  repr <- representation(both, "x", allow_na = TRUE)
  lacking <- is.na(reprs$x$data) | is.na(reprs$y$data)
  repr$holes <- list(stimuli = rowSums(lacking) > 0, neurons = colSums(lacking) > 0)
  repr
}

# For each stimulus and each neuron with itself: the number of members, and the sums over them of
# products and of responses.
self_members <- function(sample) {
  stimulus <- rep(seq_along(sample$units), each = sample$events)
  total <- function(values) rowsum(values, stimulus, reorder = TRUE)
  counts <- sample$counts_x
  if (ncol(counts) == 1) counts <- matrix(counts, nrow(counts), ncol(sample$x))
  share <- rep(sample$session_x == sample$session_y, each = length(sample$units))
  number <- total(counts)
  sum <- total(sample$x)
  list(members = number^2 - share * total(counts^2),
       products = sum^2 - share * total(sample$x^2),
       responses = sum * number - share * total(sample$x * counts))
}

# Moments of each neuron with itself, of which the numerator is made: p, the means over members of
# products, and means, those of responses, of each unit (units x neurons), centred. With one trial p
# is the square of the mean.
sample_moments <- function(sample) {
  if (is.null(sample$trials)) {
    means <- centered_data(sample$repr)
    return(list(p = means^2, means = means))
  }
  trials <- sample$trials
  own <- self_members(trials)
  by_unit <- function(values) {
    if (!anyDuplicated(trials$units)) return(values)
    rowsum(values, trials$units) / tabulate(trials$units)
  }
  shift_moments(list(p = unname(by_unit(own$products / own$members)),
                     means = unname(by_unit(own$responses / own$members))))
}

shift_moments <- function(moments) {
  shift <- rep(colMeans(moments$means), each = nrow(moments$means))
  list(p = moments$p - 2 * shift * moments$means + shift^2, means = moments$means - shift)
}

# The same for some of the neurons, and without one unit.
some_neurons <- function(moments, columns) {
  lapply(moments, function(values) values[, columns, drop = FALSE])
}

# a b' c, in the order that needs less: with a matrix of neurons or with one of stimuli.
through <- function(a, b, c) {
  over_neurons <- ncol(b) * (as.double(nrow(a)) + nrow(b))
  if (over_neurons <= 2 * as.double(nrow(a)) * nrow(b)) return(a %*% crossprod(b, c))
  tcrossprod(a, b) %*% c
}

# The sum of C_aa C_bb over all pairs of neurons, from the squared distances
# D_ij = p_i + p_j - 2 K_ij, with p_i the trace of P_i and K the kernel of the means. Where noise
# is in K_ii but not in p_i, the diagonal of D would not be 0 by itself.
trial_variance <- function(moments) {
  m <- moments$means
  squares <- sum(through(m, m, m) * m)
  variance_from_traces(matrix(rowSums(moments$p)), matrix(rowSums(m^2)), squares)
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
