# The numbers of a calibration: threshold, calibrated score, mean and spread of the null.

# Oriented scores: larger is more similar. s: observed; null: a vector.
# The ceil((1 - alpha)(K + 1))-th smallest of the observed and the null scores.
null_threshold <- function(s, null, alpha) {
  all <- c(s, null)
  rank <- ceiling((1 - alpha) * length(all) - 1e-9)
  sort(all, partial = rank)[rank]
}

# All arguments in the measure's units; orientation -1 for distances.
calibrated_score <- function(s, tau, mean, sd, best, orientation, variant) {
  s <- orientation * s
  tau <- orientation * tau
  mean <- orientation * mean
  best <- orientation * best
  if (is.na(s)) return(NA_real_)
  switch(variant,
    gated = gated_score(s, tau, best),
    centered = s - mean,
    z = if (is.na(sd)) NA_real_ else if (sd > 0) (s - mean) / sd else 0,
    ari = if (is.na(best)) NA_real_ else if (best - mean > 0) (s - mean) / (best - mean) else 0
  )
}

gated_score <- function(s, tau, best) {
  if (is.na(best)) return(max(s - tau, 0))
  if (best - tau <= 0) 0 else max((s - tau) / (best - tau), 0)
}

# One row's numbers. s: observed; null: a vector.
calibrated_row <- function(s, null, p_value, measure, settings,
                           best = limit_of(measure)) {
  sgn <- orientation(measure)
  if (is.na(s) || anyNA(null)) return(undefined_row(s, null))
  tau <- sgn * null_threshold(sgn * s, sgn * null, settings$alpha)
  mean <- mean(null)
  sd <- spread_of(null)
  data.frame(
    score = s, threshold = tau,
    calibrated = calibrated_score(s, tau, mean, sd, best, sgn, settings$variant),
    p_value = p_value, null_mean = mean, null_sd = sd,
    permutations = length(null)
  )
}

# The standard deviation, in units in which no square overflows or underflows.
spread_of <- function(values) {
  largest <- max(abs(values))
  if (largest == 0) return(stats::sd(values))
  unit <- power_of_two_below(largest)
  stats::sd(values * unit) / unit
}

undefined_row <- function(s, null) {
  data.frame(score = s, threshold = NA_real_, calibrated = NA_real_, p_value = NA_real_,
             null_mean = NA_real_, null_sd = NA_real_, permutations = length(null))
}
