# Estimates of analyses that are corrected for trials: their H values multiply only responses that
# share no noise.

# What trial_sample() takes of a side. x: its means over trials, not centred.
trial_side <- function(object, x, arg) {
  repr <- list(kind = "data", data = x, n = nrow(x), arg = arg, cache = new_cache())
  repr$responses <- object
  repr
}

part_of_side_trials <- function(object, x, columns, arg) {
  part <- if (!is.null(object)) cut_responses(object, TRUE, columns)
  trial_side(part, x[, columns, drop = FALSE], arg)
}

# A comparison with what its correction by trials needs: the sides, and codes of the neurons, of
# which no neuron is multiplied with itself.
compare_trials <- function(comparison, sides, scale, setup) {
  if (!uses_trials(setup)) return(comparison)
  own <- Map(trial_units, sides, lapply(sides, has_trials))
  codes <- part_codes(own, ncol(comparison$x), ncol(comparison$y))
  codes$xy <- codes_between(sides)
  comparison$trials <- list(sides = sides, codes = codes, scale = scale)
  comparison
}

# Where there are no trials to correct with, whole sessions are left out.
trial_units <- function(side, by_trials) {
  label <- if (by_trials) side$responses$neuron else units_of_object(side$responses)
  if (is.null(label)) own_labels(ncol(side$data), side$arg) else label
}

# As pair_labels(): sessions of one side and neurons of the other say nothing.
codes_between <- function(sides) {
  by_trials <- all(vapply(sides, has_trials, NA))
  has_sessions <- vapply(sides, function(side) !is.null(side$responses$session), NA)
  if (!by_trials && has_sessions[1] != has_sessions[2]) return(NULL)
  labels <- Map(trial_units, sides, by_trials)
  label_codes(labels$x, labels$y)
}

# By part the sample, the values of all neuron pairs in the units of the comparison (NA where too
# few stimuli have trials), and the codes.
trial_terms_of <- function(comparison, setup) {
  given <- comparison$trials
  same <- identical(given$sides$x$cache, given$sides$y$cache)
  part <- function(name, at) {
    sides <- given$sides[at]
    sample <- trial_sample(sides[[1]], sides[[2]], NULL, setup$clusters)
    exponent <- 2 * (sum(log2(given$scale[match(at, c("x", "y"))])) - sum(sample$scale))
    h <- trial_terms(sample) * 2^exponent
    list(sample = sample, factor = 2^exponent, h = ifelse(is.nan(h), 0, h),
         mask = if (anyNA(h)) 1 * !is.na(h), codes = given$codes[[name]])
  }
  parts <- list(xx = part("xx", c("x", "x")))
  parts$yy <- if (same) parts$xx else part("yy", c("y", "y"))
  parts$xy <- if (same) parts$xx else part("xy", c("x", "y"))
  parts
}

# The H value of each choice of subsets; a, b: the members of both sides. naive: the naive values of
# all neuron pairs, which tell what is rounding.
trial_subset_h <- function(part, a, b, naive) {
  sums <- subset_sums(part$h, a, b)
  if (!is.null(part$codes)) {
    sums <- sums - .Call(C_excluded_sums, part$h, a, b, part$codes$x, part$codes$y,
                         part$codes$count)$sum
  }
  count <- subset_counts(a, b, dim(part$h), part$codes, part$mask)$allowed
  sums <- drop_rounding(sums, subset_sums(naive, a, b))
  ifelse(count > 0, sums / count, NA_real_)
}

# The pooled H value of nothing deleted, then of each stimulus or cluster deleted.
trial_pool_deletions <- function(part, a, b, used) {
  size <- dim(part$h)
  count <- subset_counts(a, b, size, part$codes, part$mask)
  weights <- allowed_weights(pooled_weights(a, b, size, count, part$codes, used, part$mask))
  trial_weighted(part$sample, weights) * part$factor
}

# The H values xy, xx and yy of each choice of subsets.
trial_single <- function(parts, terms, members) {
  single <- vapply(names(part_sides), function(name) {
    at <- part_sides[[name]]
    trial_subset_h(parts[[name]], members[[at[1]]], members[[at[2]]], terms[[name]]$naive)
  }, numeric(ncol(members$a)))
  matrix(single, ncol = 3)
}

# The cell of one comparison at one number of neurons.
trial_size_cell <- function(comparison, parts, terms, members, size, setup) {
  single <- trial_single(parts, terms, members)
  list(names = comparison$names, neurons = size, estimator = trial_estimator, single = single,
       deletions = if (!is.null(setup$conf_level)) {
         trial_size_deletions(comparison, parts, members, stats::complete.cases(single))
       }, exchangeable = comparison$exchangeable)
}

trial_size_deletions <- function(comparison, parts, members, used) {
  a <- members$a
  b <- members$b
  xy <- trial_pool_deletions(parts$xy, a, b, used)
  if (comparison$exchangeable) {
    both <- cbind(a, b)
    self <- trial_pool_deletions(parts$xx, both, both, c(used, used))
    return(cbind(xy, self, self, deparse.level = 0))
  }
  xx <- trial_pool_deletions(parts$xx, a, a, used)
  cbind(xy, xx, trial_pool_deletions(parts$yy, b, b, used), deparse.level = 0)
}
