# These functions compute the numbers in a row of a calibration: the threshold, the calibrated
# score, and the mean and the standard deviation of the null scores.

# The ceil((1 - alpha)(K + 1))-th smallest among the observed score `s` and its K null scores. All
# are oriented so that larger is more similar.
null_threshold <- function(s, null, alpha) {
  all <- c(s, null)
  # without the 1e-9, rounding could raise a whole number to the next one
  rank <- ceiling((1 - alpha) * length(all) - 1e-9)
  sort(all, partial = rank)[rank]
}

# s: the observed score; tau: its threshold; mean, sd: of the null scores; best: the best possible
# score. All are in the units of the measure; `orientation` is 1 for similarities and -1 for
# distances.
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

# The numbers of one row, from its observed score `s` and its null scores.
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

# The standard deviation. The values are scaled before, so that no square overflows or underflows.
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
