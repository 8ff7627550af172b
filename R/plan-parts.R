# The parts of the variance of a corrected CKA, from a pilot: what stimuli, neurons, their
# interactions and neuron pairs contribute.

# The deletions of a pilot: list(score, stimuli, samples, self). stimuli: the scores without each
# stimulus; samples: for x and y (or for x alone, if neurons of y do not vary or are those of x)
# list(units, both, pairs): the scores without each unit, without each unit and each stimulus
# (stimuli x units), and without each two units; self: the ratios of the self terms that neurons
# are corrected in and are not.
plan_deletions <- function(pair, args, over) {
  fixed <- "neurons_x" %in% over && !"neurons_y" %in% over
  layout <- unit_layout(pair, args)
  one_sample <- length(layout$strata) == 1
  fixed <- fixed && !one_sample
  values <- cka_table(pair, args, NULL, fixed = fixed)$values
  sums <- plan_pair_sums(pair, layout)
  wanted <- c("neurons_x", if (!one_sample) "neurons_y") %in% over
  strata <- stats::setNames(layout$strata, c("x", "y")[seq_along(layout$strata)])[which(wanted)]
  samples <- lapply(strata, function(units) {
    list(units = values[1, 1 + units], both = values[-1, 1 + units, drop = FALSE],
         pairs = scores_without_two(sums, units, fixed))
  })
  list(score = values[1, 1], stimuli = values[-1, 1], samples = samples,
       self = c(x = sums$xx$ratio, y = if (fixed) 1 else sums$yy$ratio), one_sample = one_sample)
}

# Stimulus-corrected values of all neuron pairs, added up by units. `terms` and `counts` leave out
# neuron pairs within a unit; `all` is the mean over all neuron pairs, and `ratio` how much larger
# it is than the mean over those that are allowed.
plan_pair_sums <- function(pair, layout) {
  x <- centered_data(pair$x)
  y <- if (pair$self) x else centered_data(pair$y)
  check_memory(8 * (4 * as.double(layout$count)^2 + 3 * as.double(ncol(x)) * ncol(y)),
               "The deletion of pairs of neurons", "Fewer neurons need less.")
  of <- function(a, b, unit_a, unit_b) {
    values <- pair_terms(a, b)
    terms <- sums_by_units(values$stimulus, unit_a, unit_b, layout$count)
    counts <- outer(tabulate(unit_a, layout$count), as.double(tabulate(unit_b, layout$count)))
    all <- sum(terms) / sum(counts)
    diag(terms) <- diag(counts) <- 0
    least <- rounding_share * sum(values$naive) / length(values$naive)
    list(terms = terms, counts = counts, all = all, least = least,
         ratio = all / (sum(terms) / sum(counts)))
  }
  list(xy = of(x, y, layout$x, layout$y), xx = of(x, x, layout$x, layout$x),
       yy = of(y, y, layout$y, layout$y))
}

sums_by_units <- function(values, unit_x, unit_y, units) {
  rows <- t(sum_by_unit(t(values), unit_x, units))
  sum_by_unit(rows, unit_y, units)
}

# The scores without each two of `units`; the diagonal is NA.
scores_without_two <- function(sums, units, fixed) {
  without <- function(part) {
    value <- without_two(part$terms, units) / without_two(part$counts, units)
    if (identical(part, sums$xy)) value else replace(value, which(!(value > part$least)), NA)
  }
  yy <- if (fixed) sums$yy$all else without(sums$yy)
  scores <- without(sums$xy) / sqrt(without(sums$xx)) / sqrt(yy)
  diag(scores) <- NA
  scores
}

without_two <- function(terms, units) {
  each <- (rowSums(terms) + colSums(terms))[units]
  inner <- terms[units, units, drop = FALSE]
  sum(terms) - outer(each, each, "+") + inner + t(inner)
}

# The deletions of the difference between two scores of one x.
deletion_difference <- function(a, b) {
  minus <- function(part) Map(`-`, a$samples[[part]], b$samples[[part]])
  list(score = a$score - b$score, stimuli = a$stimuli - b$stimuli,
       samples = sapply(names(a$samples), minus, simplify = FALSE), one_sample = FALSE)
}

# The parts of the variance: `stimuli`, and for x and y the main part (`units`), the interactions
# with stimuli (`both`), and the part of the neuron pairs (`pairs`); `total` as in cka_interval().
variance_parts <- function(deletions) {
  n <- length(deletions$stimuli)
  main <- (n - 1) / n * cross_deviation(deletions$stimuli, deletions$stimuli)
  samples <- lapply(deletions$samples, function(sample) {
    size <- length(sample$units)
    inner <- sweep(sample$both - deletions$stimuli, 2, sample$units - deletions$score)
    list(units = (size - 1) / size * cross_deviation(sample$units, sample$units),
         both = (n - 1) / n * (size - 1) / size * sum(inner^2),
         pairs = neuron_pair_part(deletions$score, sample))
  })
  mains <- c(main, vapply(samples, function(part) part$units, 0))
  inner <- vapply(samples, function(part) part$both, 0)
  list(stimuli = main, samples = samples, total = max(sum(mains) - sum(inner), mains))
}

neuron_pair_part <- function(score, sample) {
  size <- length(sample$units)
  q <- size * score - (size - 1) * outer(sample$units, sample$units, "+") +
    (size - 2) * sample$pairs
  q <- q[upper.tri(q)]
  cross_deviation(q, q) / (size * (size - 1))
}

coefficient_names <- c("stimuli", "neurons_x", "neurons_y", "stimuli_x", "stimuli_y", "pairs_x",
                       "pairs_y")

# The coefficients of 1 / n, 1 / q, 1 / p, 1 / (n q), 1 / (n p), 1 / q^2 and 1 / p^2. size: the
# numbers of stimuli and neurons of the pilot. What single stimuli and neurons add is what their
# parts leave when those of interactions and neuron pairs, which they contain, are taken out.
variance_coefficients <- function(parts, size) {
  value <- stats::setNames(numeric(7), coefficient_names)
  inner <- sum(vapply(parts$samples, function(part) part$both, 0))
  value["stimuli"] <- size[["n"]] * max(parts$stimuli - inner, 0)
  for (side in names(parts$samples)) {
    part <- parts$samples[[side]]
    q <- size[[side]]
    value[paste0("neurons_", side)] <- q * max(part$units - part$both - part$pairs, 0)
    value[paste0("stimuli_", side)] <- size[["n"]] * q * part$both
    value[paste0("pairs_", side)] <- q^2 * part$pairs
  }
  value
}

# ---- trials

# The same for means over fewer trials: list(trials, values), where `values` has a column for each
# number of trials (all of them, half of them, ..., one), averaged over groups of trials.
# compute: function(slots) that gives the coefficients of the means over these trials.
trial_coefficients <- function(all, compute) {
  numbers <- all
  while (utils::tail(numbers, 1) > 1) numbers <- c(numbers, utils::tail(numbers, 1) %/% 2L)
  values <- lapply(numbers, function(number) {
    groups <- split(seq_len(all %/% number * number), rep(seq_len(all %/% number), each = number))
    each <- vapply(groups, compute, compute(seq_len(all)))
    rowMeans(each, na.rm = TRUE)
  })
  values <- do.call(cbind, values)
  known <- colSums(is.na(values)) == 0
  if (sum(known) < 2) {
    abort("Fewer trials than all have no corrected CKA, so that nothing is known about `trials`: ",
          "the pilot has too few stimuli or neurons. Leave out `trials`.",
          class = "repalign_error_trials", arg = "trials")
  }
  list(trials = numbers[known], values = values[, known, drop = FALSE])
}

# Each coefficient at any numbers of trials, as a + b / trials, and never below 0: coefficients x
# trials.
fitted_coefficients <- function(fit, trials) {
  x <- 1 / fit$trials
  slope <- drop((fit$values - rowMeans(fit$values)) %*% (x - mean(x))) / sum((x - mean(x))^2)
  level <- rowMeans(fit$values) - slope * mean(x)
  value <- level + outer(slope, 1 / trials)
  pmax(value, 0)
}
