# What pairs of days have in common, with every deletion of a unit (a stimulus or a cluster, rows)
# and of an identity (columns): numerators and denominators, added up by lag.

# list(measures, pairs, neurons). Of each measure `top` and `bottom`, lists of tables, one for each
# of `lags` and a last one over all of them; `pairs`, how many are defined at each lag; and `top_of`
# and `bottom_of`, matrices of days x days with nothing deleted.
session_tables <- function(call) {
  count <- length(call$days)
  call$scale <- trial_form(call$days[[1]])$scale
  days <- lapply(seq_len(count), day_tables, call)
  pairs <- t(utils::combn(count, 2))
  lag <- round(call$times[pairs[, 2]] - call$times[pairs[, 1]], 9)
  lags <- sort(unique(lag))
  zeros <- matrix(0, units_of(call$n, call$clusters) + 1, length(call$identities) + 1)
  none <- matrix(NA_real_, count, count)
  empty <- list(lags = lags, pairs = integer(length(lags)), top_of = none, bottom_of = none)
  empty$top <- empty$bottom <- rep(list(zeros), length(lags) + 1)
  measures <- list(geometry = empty, tuning = empty)
  neurons <- lapply(seq_len(count), function(d) {
    neuron_rows(call, d, d, call$ids[[d]], days[[d]]$covariance)
  })
  followed <- share <- numeric(nrow(pairs))
  names <- day_names(call)
  # which has no pairs with other neurons of its day
  single <- lengths(call$ids) == 1
  silent <- which(vapply(days, function(day) is.na(day$h[1]), NA) & !single)
  advance <- progress_along(nrow(pairs))
  for (p in seq_len(nrow(pairs))) {
    both <- pair_tables(call, days, pairs[p, 1], pairs[p, 2])
    followed[p] <- length(both$ids)
    share[p] <- followed[p] / length(unique(unlist(call$ids[pairs[p, ]])))
    silent <- union(silent, both$silent)
    neurons <- c(neurons, list(neuron_rows(call, pairs[p, 1], pairs[p, 2], both$ids,
                                           both$covariance)))
    for (name in names(both$measures)) {
      measures[[name]] <- add_pair(measures[[name]], both$measures[[name]], pairs[p, ], lag[p])
    }
    advance()
  }
  order <- if (count > 2) " `p_order` needs all pairs of days, and is NA, too."
  warn_if(any(single), "undefined", "Geometry with {enumerate(names[single])} is undefined (NA): ",
          "a day with a single neuron has none. Give two neurons or more, or leave the day out.",
          order)
  warn_if(length(silent) > 0, "undefined", "The signal of {enumerate(names[sort(silent)])} is not ",
          "positive, of all neurons or of those that were followed: from these trials, noise and ",
          "signal cannot be told apart, and geometry or tuning with ",
          "{if (length(silent) == 1) 'this day is' else 'these days is'} undefined (NA).", order)
  few <- sum(followed < least_followed)
  warn_if(few > 0, "undefined", "Tuning of {count_of(few, 'pair')} of days is undefined (NA): ",
          "fewer than {least_followed} neurons have the same name on both days.", order)
  score <- function(measure) (measure$top_of / measure$bottom_of)[pairs]
  list(measures = measures, neurons = do.call(rbind, neurons),
       pairs = data.frame(day_1 = names[pairs[, 1]], day_2 = names[pairs[, 2]], lag = lag,
                          geometry = score(measures$geometry), tuning = score(measures$tuning),
                          followed = as.integer(followed), share = share))
}

day_names <- function(call) vapply(call$days, function(day) day$name, "")

# Adds what a pair of days has, if its score is defined.
add_pair <- function(measure, both, at, lag) {
  at <- t(at)
  measure$top_of[at] <- both$top[1]
  measure$bottom_of[at] <- both$bottom[1]
  if (is.na(both$top[1] / both$bottom[1])) return(measure)
  own <- match(lag, measure$lags)
  measure$pairs[own] <- measure$pairs[own] + 1L
  for (k in c(own, length(measure$top))) {
    measure$top[[k]] <- measure$top[[k]] + both$top
    measure$bottom[[k]] <- measure$bottom[[k]] + both$bottom
  }
  measure
}

# In units of the first day, so that sums over pairs weigh all of them alike.
day_sample <- function(call, d, e) {
  sample <- checked_sample(call$days[[d]], call$days[[e]], call$clusters)
  sample$x <- sample$x * (call$scale / 2^sample$scale[1])
  sample$y <- sample$y * (call$scale / 2^sample$scale[2])
  sample
}

h_of_days <- function(call, sample, d, e) {
  part <- trial_cross_sums(sample, call$ids[[d]], call$ids[[e]], length(call$identities))
  c(part, list(h = h_table(part, "stimulus_neuron_trial")))
}

# A day with itself: `h`, the table of H, NA where it is not positive; `covariance`, the variance of
# each neuron with every deletion of a unit.
day_tables <- function(d, call) {
  repr <- call$days[[d]]
  refuse_if(!has_trials(repr), "trials", "`{repr$arg}` has one trial of each stimulus: without a ",
            "second one, noise and signal cannot be told apart.")
  sample <- day_sample(call, d, d)
  own <- self_members(sample)
  own$members[own$members <= 0] <- NA
  means <- own$responses / own$members
  number <- colSums(rowsum(+!is.na(means), sample$units) > 0)
  refuse_if(any(number < 4), "trials", "`{repr$arg}` has {min(number)} independent stimuli with ",
            "two trials of neuron {quoted(repr$columns$neuron[which.min(number)])}, but 4 ",
            "are needed to tell noise from signal. Leave it out, or give more trials.")
  found <- h_of_days(call, sample, d, d)
  found$h[!(found$h > rounding_share * found$naive$total / found$pairs$total)] <- NA
  list(h = found$h, covariance = covariance_table(own$products / own$members, means, means, sample))
}

# Two days, whose trials are all multiplied with each other, so that their means are enough.
pair_tables <- function(call, days, d, e) {
  sample <- sample_of_means(day_sample(call, d, e))
  h <- h_of_days(call, sample, d, e)$h
  ids <- intersect(call$ids[[d]], call$ids[[e]])
  followed <- some_columns(sample, match(ids, call$ids[[d]]), match(ids, call$ids[[e]]))
  lack <- followed$counts_x == 0 | followed$counts_y == 0
  if (!sample$masked) lack <- lack[, rep(1, length(ids)), drop = FALSE]
  x <- replace(followed$x, lack, NA)
  y <- replace(followed$y, lack, NA)
  covariance <- covariance_table(x * y, x, y, sample)
  measures <- list(geometry = list(top = h, bottom = sqrt(days[[d]]$h) * sqrt(days[[e]]$h)))
  silent <- NULL
  if (length(ids) >= least_followed) {
    size <- lapply(c(d, e), function(day) {
      own <- days[[day]]$covariance[, match(ids, call$ids[[day]]), drop = FALSE]
      table <- sums_but_one(own, ids, call)
      replace(table, !(table > tie_share^2), NA)
    })
    silent <- c(d, e)[vapply(size, function(table) is.na(table[1]), NA)]
    measures$tuning <- list(top = sums_but_one(covariance, ids, call),
                            bottom = sqrt(size[[1]]) * sqrt(size[[2]]))
  }
  list(ids = ids, covariance = covariance, measures = measures, silent = silent)
}

# Fewer followed neurons have no tuning.
least_followed <- 5

# Covariances of neurons over units, with nothing and each unit deleted (rows). p, x, y: means over
# members, stimuli x neurons, NA where there are none. Runs of one day, which center_runs() has
# centred, have no mean but what a deletion leaves: the sum of the others is -1 times the deleted.
covariance_table <- function(p, x, y, sample) {
  there <- !is.na(p)
  number <- rowsum(+there, sample$units)
  by_unit <- function(values) rowsum(replace(values, !there, 0), sample$units) / pmax(number, 1)
  without <- function(values) {
    total <- colSums(values)
    rbind(total, rep(total, each = nrow(values)) - values, deparse.level = 0)
  }
  p <- by_unit(p)
  x <- by_unit(x)
  y <- by_unit(y)
  n <- without(+(number > 0))
  between <- if (sample$runs) rbind(0, p) - without(p) else
    without(x) * without(y) - without(x * y)
  unname(without(p) / n - between / (n * (n - 1)))
}

# The sums over neurons of a table, with nothing and each identity deleted (columns).
sums_but_one <- function(table, ids, call) {
  total <- rowSums(table)
  sums <- matrix(total, length(total), length(call$identities) + 1)
  sums[, ids + 1] <- total - table
  sums
}

neuron_rows <- function(call, d, e, ids, covariance) {
  names <- day_names(call)
  data.frame(neuron = call$identities[ids], day_1 = rep(names[d], length(ids)),
             day_2 = rep(names[e], length(ids)), covariance = covariance[1, ] / call$scale^2)
}

# ---- scores by lag

# Scores by lag, their level and slope, with errors over units and identities, and the test of the
# order of days.

# list(rows, order, parts): of each measure rows of all lags, of the `level` and of the `slope`; the
# test of the order of days; and parts of the covariances of the rows, as interval_parts() has them.
session_scores <- function(measures, call, permutations) {
  # the scores of lags, their level and their slope, with all deletions
  tables <- unlist(lapply(unname(measures), function(measure) {
    scores <- Map(function(top, bottom) {
      score <- top / bottom
      replace(score, is.nan(score), NA)
    }, measure$top, measure$bottom)
    used <- which(measure$pairs > 0)
    weighted <- Map(`*`, scores[used], slope_weights(measure)[used])
    slope <- if (length(used) > 1) Reduce(`+`, weighted) else replace(scores[[1]], TRUE, NA)
    c(scores, list(slope))
  }), recursive = FALSE)
  # how tables of deletions vary together, as interval_parts() has it
  neurons <- length(call$identities)
  units <- nrow(tables[[1]]) - 1
  share <- (neurons - 1) / neurons
  products <- function(take, size) {
    values <- matrix(vapply(tables, take, numeric(size)), size)
    crossprod(sweep(values, 2, colMeans(values)))
  }
  at <- seq_len(neurons) + 1
  main <- list(products(function(table) table[-1, 1], units) * (units - 1) / units)
  interactions <- list()
  if (call$neurons) {
    main[[2]] <- products(function(table) table[1, at], neurons) * share
    inner <- vapply(tables, function(table) c(deletion_interaction(table, at)),
                    numeric(units * neurons))
    interactions <- list(crossprod(inner) * share * (units - 1) / units)
  }
  parts <- list(main = main, interactions = interactions,
                df = c(units, neurons)[seq_along(main)] - 1, sample = seq_along(main),
                clustered = !is.null(call$clusters))
  lags <- measures[[1]]$lags
  rows <- data.frame(measure = rep(names(measures), each = length(lags) + 2),
                     what = c(rep("lag", length(lags)), "level", "slope"), lag = c(lags, NA, NA),
                     score = vapply(tables, function(table) table[1], 0),
                     contrast_errors(parts, diag(length(tables))),
                     pairs = unlist(lapply(unname(measures), function(m) c(m$pairs, NA, NA))))
  rows$df[is.na(rows$se)] <- NA
  list(rows = rows, order = lapply(measures, order_test, call$times, permutations), parts = parts)
}

# Those of lags with no pair are 0.
slope_weights <- function(measure) {
  z <- measure$lags - sum(measure$pairs * measure$lags) / sum(measure$pairs)
  measure$pairs * z / sum(measure$pairs * z^2)
}

# Of so many days all orders are taken.
most_ordered <- 7

# Days change places, times stay: the share of orders with a slope at or below that of the days.
order_test <- function(measure, times, permutations) {
  days <- length(times)
  pairs <- t(utils::combn(days, 2))
  if (permutations == 0 || length(measure$lags) < 2 || anyNA(measure$top_of[pairs]) ||
        anyNA(measure$bottom_of[pairs])) return(list(p = NA_real_, count = 0L))
  all <- days <= most_ordered
  orders <- if (all) all_permutations(days) else
    cbind(seq_len(days), random_orders(days, permutations))
  # the sums at each lag, a row an order
  sums_of <- function(values) {
    values[pairs[, 2:1]] <- values[pairs]
    sums <- matrix(0, ncol(orders), length(measure$lags))
    for (p in seq_len(nrow(pairs))) {
      lag <- match(round(diff(times[pairs[p, ]]), 9), measure$lags)
      sums[, lag] <- sums[, lag] + values[t(orders[pairs[p, ], ])]
    }
    sums
  }
  slopes <- drop((sums_of(measure$top_of) / sums_of(measure$bottom_of)) %*% slope_weights(measure))
  list(p = mean(slopes <= slopes[1] + 1e-9 * max(abs(slopes))),
       count = if (all) ncol(orders) else permutations)
}
