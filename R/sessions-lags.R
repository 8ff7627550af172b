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
