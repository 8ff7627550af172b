# Estimates of analyses from random subsets of neurons, and what analyses take from responses
# objects.

# These functions make the estimates of analyses from random subsets of neurons. An estimate is a
# sum over a block of the matrix of pair terms, which has an entry for each neuron pair. A cell of
# an analysis is one comparison at one number of neurons: it has a single estimate for each choice
# of subsets, made of the H values xy, xx and yy, and a pooled one.

# The numbers of neurons to try. By default these are powers of two and the number of all neurons.
neuron_grid <- function(neurons, most, arg, least = 1) {
  if (is.null(neurons)) {
    powers <- 2^(2:30)
    # a power of two just below the number of all neurons would say nothing new
    return(as.integer(c(powers[1.5 * powers <= most & powers >= least], most)))
  }
  usable <- is.numeric(neurons) && length(neurons) >= 1 && all(is.finite(neurons)) &&
    all(neurons == round(neurons)) && all(neurons >= least) && !anyDuplicated(neurons)
  refuse_if(!usable, "value", "`neurons` must be different whole numbers, each at least {least}.")
  refuse_if(any(neurons > most), "value", "`neurons` asks for {count_of(max(neurons), 'neuron')}, ",
            "but {arg} allows at most {most}.")
  as.integer(neurons)
}

# Where all neurons of a side are there, no subsets of them are taken. widths: the numbers of
# neurons that are compared, by the names of the sides; complete: which of them are all there are.
whole_grid <- function(neurons, widths, complete) {
  all <- unique(unname(widths))
  if (is.null(neurons) || length(all) == 1 && identical(as.double(neurons), as.double(all))) {
    return(min(widths[if (all(complete)) TRUE else !complete]))
  }
  refuse("choice", "`neurons` asks for subsets of neurons, but all neurons of ",
         enumerate(paste0("`", names(widths)[complete], "`"), quote = FALSE),
         " are there (`complete`): leave out `neurons`, or take them as a sample. ",
         "brain_to_model() takes subsets of one side alone.")
}

complete_word <- function(x, y) complete_choices[1 + x + 2 * y]

# Codes of neuron pairs, of which none is left out within a complete side, and between the sides
# only what shares noise. sessions: do the labels of both sides stand for that?
codes_of_samples <- function(codes, complete, sessions) {
  if (complete[1]) codes["xx"] <- list(NULL)
  if (complete[2]) codes["yy"] <- list(NULL)
  if (any(complete) && !sessions) codes["xy"] <- list(NULL)
  codes
}

# A matrix with a random subset of `pool` in each of `repeats` columns; only one column, with all
# members, when there is nothing to choose.
random_subsets <- function(pool, size, repeats) {
  if (size >= length(pool)) return(matrix(pool, length(pool), 1))
  check_subsets_memory(size, repeats)
  subsets <- vapply(seq_len(repeats), function(r) pool[sample.int(length(pool), size)],
                    integer(size))
  matrix(subsets, nrow = size)
}

# The memory of the members of every subset, and of about 50 numbers that are computed from it.
check_subsets_memory <- function(size, repeats) {
  check_memory(as.double(repeats) * (12 * as.double(size) + 400), "The random subsets of neurons",
               "Fewer `repeats` need less.")
}

# The sum of pair terms h over the block of each subset pair, in the columns of a and b. Multiplying
# h with 0/1 indicators of the subsets gives the same sums, and is faster when the subsets are a
# large part of all neurons.
subset_sums <- function(h, a, b, by_product = NULL) {
  if (is.null(by_product)) {
    by_product <- 16 * as.double(nrow(a)) * nrow(b) > as.double(nrow(h)) * ncol(h)
  }
  .Call(C_subset_sums, h, a, b, by_product)
}

# The labels of both sides as common codes, which begin with 0 for C. NULL when no labels are given,
# so that no neuron is on both sides.
label_codes <- function(x, y) {
  if (is.null(x)) return(NULL)
  all <- unique(c(x, y))
  list(x = match(x, all) - 1L, y = match(y, all) - 1L, count = length(all))
}

# The two sides whose neurons form the neuron pairs of each of the three H values: "a" stands for
# the neurons of x, "b" for those of y.
part_sides <- list(xy = c("a", "b"), xx = c("a", "a"), yy = c("b", "b"))

# The codes of the neuron pairs of each of the three H values.
part_codes <- function(units, width_x, width_y) {
  or_numbers <- function(labels, width) if (is.null(labels)) seq_len(width) else labels
  x <- or_numbers(units$x, width_x)
  y <- or_numbers(units$y, width_y)
  list(xy = label_codes(units$x, units$y), xx = label_codes(x, x), yy = label_codes(y, y))
}

# A list with the H values of all subset pairs for each estimator. count: from subset_counts().
subset_h <- function(terms, a, b, count, codes) {
  divide <- function(sum, count) ifelse(count > 0, sum / count, NA_real_)
  naive <- subset_sums(terms$naive, a, b)
  stimulus <- subset_sums(terms$stimulus, a, b)
  left_out <- if (is.null(codes)) 0
  else .Call(C_excluded_sums, terms$stimulus, a, b, codes$x, codes$y, codes$count)$sum
  list(
    naive = divide(naive, count$all),
    stimulus = divide(drop_rounding(stimulus, naive), count$all),
    stimulus_neuron = divide(drop_rounding(stimulus - left_out, naive), count$allowed)
  )
}

# A corrected sum of rounding size is set to zero. The naive sum over the same neuron pairs tells
# how large the terms of the sum are.
drop_rounding <- function(sum, naive) ifelse(abs(sum) <= rounding_share * naive, 0, sum)

# How many neuron pairs each subset pair has: all of them, and those that the labels allow. mask: a
# matrix with 1 for the neuron pairs that exist and 0 for others, or NULL when all exist.
subset_counts <- function(a, b, size, codes, mask = NULL) {
  all <- if (is.null(mask)) rep(as.double(nrow(a)) * nrow(b), ncol(a)) else subset_sums(mask, a, b)
  if (is.null(codes)) return(list(all = all, allowed = all))
  exists <- if (is.null(mask)) matrix(1, size[1], size[2]) else mask
  left_out <- .Call(C_excluded_sums, exists, a, b, codes$x, codes$y, codes$count)$sum
  list(all = all, allowed = all - left_out)
}

# The weights of the pair terms in the pooled mean: `all` for the mean of all neuron pairs over all
# subsets, `allowed` for that of the allowed neuron pairs over the subsets `used`. Where every
# subset has the same share of allowed neuron pairs, the second weights follow from the first: those
# of the `excluded` neuron pairs are dropped, and the others multiplied by `share`.
pooled_weights <- function(a, b, size, count, codes, used = TRUE, mask = NULL) {
  weigh <- function(count, used) {
    weight <- ifelse(used, 1 / (count * max(sum(used), 1)), 0)
    w <- .Call(C_subset_weights, a, b, weight, size[1], size[2])
    if (is.null(mask)) w else w * mask
  }
  all <- weigh(count$all, count$all > 0)
  if (is.null(codes)) return(list(all = all, share = 1))
  used <- rep_len(used, ncol(a)) & count$allowed > 0
  equal <- outer(codes$x, codes$y, "==")
  share <- count$all / count$allowed
  excluded <- which(equal & all != 0, arr.ind = TRUE)
  few <- nrow(excluded) <= 4 * max(size)
  if (few && all(used) && max(share) - min(share) <= 1e-12 * max(share)) {
    return(list(all = all, share = share[1], excluded = excluded, weight = all[excluded]))
  }
  list(all = all, allowed = weigh(count$allowed, used) * !equal)
}

# weights: from pooled_weights().
allowed_weights <- function(weights) {
  if (!is.null(weights$allowed)) return(weights$allowed)
  allowed <- weights$all * weights$share
  if (NROW(weights$excluded)) allowed[weights$excluded] <- 0
  allowed
}

# Pooled H values for the jackknife: a list with n + 1 values for each estimator, first with no
# stimulus deleted, then with each one deleted in turn.
# setup: holds the estimators, and the codes of clusters of stimuli or NULL.
pooled_deletions <- function(x, y, weights, setup) {
  estimator <- setup$estimator
  result <- lapply(loo_weighted(x, y, weights$all, setup$clusters), function(h) h[, 1])
  if ("stimulus_neuron" %in% estimator) {
    corrected <- if (!is.null(weights$share)) {
      left_out <- if (NROW(weights$excluded)) {
        drop(loo_pairs(x, y, weights$excluded[, 1], weights$excluded[, 2],
                       setup$clusters)$stimulus %*% weights$weight)
      } else 0
      weights$share * (result$stimulus - left_out)
    } else loo_weighted(x, y, weights$allowed, setup$clusters)$stimulus[, 1]
    result$stimulus_neuron <- drop_rounding(corrected, result$naive)
  }
  result$stimulus <- drop_rounding(result$stimulus, result$naive)
  result[estimator]
}

# The CKA of each row of h, whose columns are the H values xy, xx and yy; NA where a denominator is
# not positive.
ratio_of <- function(h) {
  defined <- !is.na(h[, 1]) & !is.na(h[, 2]) & !is.na(h[, 3]) & h[, 2] > 0 & h[, 3] > 0
  ratio <- rep(NA_real_, nrow(h))
  ratio[defined] <- h[defined, 1] / sqrt(h[defined, 2]) / sqrt(h[defined, 3])
  ratio
}

# The sides of some analyses are exchangeable, such as two halves of a population, or two trials.
# Then both self terms estimate the same number, and their mean is the better estimate.
pool_sides <- function(h) {
  both <- (h[, 2] + h[, 3]) / 2
  cbind(h[, 1], both, both)
}

# One row of an analysis. single: a matrix with the three H values of each choice of subsets;
# pooled: the three pooled H values; df: degrees of freedom of the interval, Inf for that of the
# normal distribution; sampled: whose neurons are a sample, c(x, y).
cell_row <- function(x, y, neurons, estimator, single, pooled, se, setup, df, complete, sampled) {
  ratios <- ratio_of(single)
  value <- ratio_of(matrix(pooled, 1))
  level <- setup$conf_level
  if (is.null(df)) df <- if (is.null(setup$clusters)) Inf else cluster_count(setup$clusters) - 1
  half <- if (is.null(level)) NA_real_ else stats::qt(0.5 + level / 2, df) * se
  defined <- ratios[!is.na(ratios)]
  quartiles <- stats::quantile(defined, c(0.25, 0.5, 0.75), names = FALSE)
  list(
    x = x, y = y, neurons = as.integer(neurons), estimator = estimator,
    complete = if (is.null(complete)) "none" else complete, pooled = value,
    pooled_se = se, conf_low = value - half, conf_high = value + half,
    mean = if (length(defined)) mean(defined) else NA_real_, median = quartiles[2],
    q25 = quartiles[1], q75 = quartiles[3], undefined = sum(is.na(ratios)),
    n_estimates = length(ratios), df = if (is.null(level)) NA_real_ else df,
    over = if (is.null(level)) NA_character_ else samples_word(sampled, setup$clusters)
  )
}

# The jackknife standard error of the pooled CKA. deletions: the three H values of
# pooled_deletions() as columns, or NULL.
deletion_se <- function(deletions) {
  if (is.null(deletions)) return(NA_real_)
  sqrt(delete_one_variance(ratio_of(deletions[-1, , drop = FALSE])))
}

delete_one_variance <- function(theta) {
  n <- length(theta)
  (n - 1) / n * sum((theta - mean(theta))^2)
}

# One power of two scales all matrices of an analysis, so that extreme units neither overflow nor
# lose digits.
common_scale <- function(reprs) {
  largest <- max(vapply(reprs, function(repr) .Call(C_column_stats, repr)$largest, 0))
  if (largest == 0) 1 else power_of_two_below(largest)
}

# Divides each neuron by its standard deviation; silent neurons stay 0.
scale_neurons <- function(x, normalize) {
  if (normalize == "none") x else sweep(x, 2, neuron_sd(x), "/")
}

# Standard deviations over the stimuli; 1 for silent neurons.
neuron_sd <- function(x) {
  stats <- .Call(C_column_stats, x)
  scale <- if (stats$largest > 0) power_of_two_below(stats$largest) else 1
  deviations <- .Call(C_center, x, stats$means, scale)
  sd <- sqrt(colSums(deviations^2) / (nrow(x) - 1)) / scale
  # the mean of a constant column is exact, so that its standard deviation is exactly 0
  sd[sd == 0] <- 1
  sd
}
