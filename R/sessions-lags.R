# Scores by lag, their level and slope, with errors over units and identities, and the test of the
# order of days.

# One measure from its sums (session_tables()): list(rows, slope, level, p_order, permutations,
# parts), where `rows` are of lags, `parts` those of their covariances.
lag_scores <- function(measure, call, permutations) {
  tables <- Map(function(top, bottom) {
    table <- top / bottom
    replace(table, is.nan(table), NA)
  }, measure$top, measure$bottom)
  level <- length(tables)
  weights <- slope_weights(measure$lags, measure$pairs)
  used <- which(measure$pairs > 0)
  sloped <- length(used) > 1
  tables <- c(tables, list(if (sloped) Reduce(`+`, Map(`*`, tables[used], weights[used])) else
    replace(tables[[level]], TRUE, NA)))
  parts <- deletion_parts(tables, call)
  value <- vapply(tables, function(table) table[1], 0)
  found <- cbind(score = value, as.data.frame(contrast_errors(parts, diag(length(tables)))))
  found$df[is.na(found$se)] <- NA
  lost <- sum(is.na(found$se) & !is.na(found$score))
  at <- seq_along(measure$lags)
  order <- if (sloped && !anyNA((measure$top_of / measure$bottom_of)[upper.tri(measure$top_of)])) {
    order_test(measure, call$times, permutations)
  } else list(p = NA_real_, count = 0L)
  list(rows = cbind(lag = measure$lags, found[at, ], pairs = measure$pairs),
       level = found[level, ], slope = found[level + 1, ], p_order = order$p,
       permutations = order$count, parts = some_parts(parts, at), lost = lost)
}

# The weights of the slope: those of lags with no pair are 0.
slope_weights <- function(lags, pairs) {
  z <- lags - sum(pairs * lags) / sum(pairs)
  pairs * z / sum(pairs * z^2)
}

# How tables of deletions vary together, as interval_parts() has it.
deletion_parts <- function(tables, call) {
  neurons <- length(call$identities)
  units <- nrow(tables[[1]]) - 1
  products <- function(take, size) {
    values <- matrix(vapply(tables, take, numeric(size)), size)
    crossprod(sweep(values, 2, colMeans(values)))
  }
  at <- seq_len(neurons) + 1
  stimuli <- products(function(table) table[-1, 1], units) * (units - 1) / units
  main <- list(stimuli)
  interactions <- list()
  if (call$neurons) {
    share <- (neurons - 1) / neurons
    main[[2]] <- products(function(table) table[1, at], neurons) * share
    inner <- vapply(tables, function(table) c(deletion_interaction(table, at)),
                    numeric(units * neurons))
    interactions <- list(crossprod(inner) * share * (units - 1) / units)
  }
  list(main = main, interactions = interactions, df = c(units, neurons)[seq_along(main)] - 1,
       sample = seq_along(main), clustered = !is.null(call$clusters))
}

# Days change places, times stay: the share of orders with a slope at or below that of the days.
order_test <- function(measure, times, permutations) {
  days <- length(times)
  if (permutations == 0) return(list(p = NA_real_, count = 0L))
  all <- days <= most_ordered
  orders <- if (all) all_permutations(days) else
    cbind(seq_len(days), random_orders(days, permutations))
  mirrored <- function(m) {
    m[lower.tri(m)] <- t(m)[lower.tri(m)]
    m
  }
  top_of <- mirrored(measure$top_of)
  bottom_of <- mirrored(measure$bottom_of)
  top <- bottom <- matrix(0, ncol(orders), length(measure$lags))
  for (e in seq_len(days)[-1]) {
    for (d in seq_len(e - 1)) {
      lag <- match(round(times[e] - times[d], 9), measure$lags)
      at <- t(orders[c(d, e), ])
      top[, lag] <- top[, lag] + top_of[at]
      bottom[, lag] <- bottom[, lag] + bottom_of[at]
    }
  }
  slopes <- drop((top / bottom) %*% slope_weights(measure$lags, measure$pairs))
  list(p = mean(slopes <= slopes[1] + 1e-9 * max(abs(slopes))),
       count = if (all) ncol(orders) else permutations)
}
