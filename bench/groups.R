# across_sessions(): what it says of days of which it is known what changed, and what it costs:
#   Rscript bench/groups.R [table] [times] [sets=300] [cells=1,2] [neurons=30,60] [threads=1]
# table: 40 stimuli, 20 neurons, 4 trials, 5 days, noise variance 2.25 times that of the signal,
# which has 5 latents. A row a world (cells: some of them, by number): the mean scores at lags 1 and
# 4, the share of sets in which p_order and p_value are at most .05, how often the nominal 95%
# intervals at lags 1 and 4 hold the truth, where there is one, and how many sets have an undefined
# error of geometry.
# times: seconds (least of three), and the ratio to score_interval() of the same days.

here <- if (dir.exists("bench")) "bench" else "."
source(file.path(here, "arguments.R"))
library(repalign)

n <- 40
q <- 20
latents <- 5
count <- 5

normal <- function(rows, columns) matrix(rnorm(rows * columns), rows)
weights <- function(columns = q) normal(latents, columns) / sqrt(latents)

# A matrix that keeps the share `keep` of itself from day to day.
drifting <- function(start, keep, make) {
  days <- list(start)
  for (d in 2:count) days[[d]] <- keep * days[[d - 1]] + sqrt(1 - keep^2) * make()
  days
}

# Signals of all days: stimuli x neurons. Some of the columns are then replaced for good.
each_day <- function(make) lapply(seq_len(count), function(d) make())

replaced <- function(signal, share, z) {
  at <- which(runif(q) < share)
  signal[, at] <- z %*% weights(length(at))
  signal
}

worlds <- list(
  "nothing changes" = function(z, w) each_day(function() z %*% w),
  "tuning drifts" = function(z, w) {
    lapply(drifting(w, 0.9, weights), function(w) z %*% w)
  },
  "latents drift" = function(z, w) {
    lapply(drifting(z, 0.9, function() normal(n, latents)), function(z) z %*% w)
  },
  "latents partly new" = function(z, w) each_day(function() {
    (sqrt(0.9) * z + sqrt(0.1) * normal(n, latents)) %*% w
  }),
  "gains of latents" = function(z, w) each_day(function() {
    z %*% (exp(0.5 * rnorm(latents)) * w)
  }),
  "15% wrong labels" = function(z, w) each_day(function() {
    signal <- z %*% w
    at <- sample(q, 0.15 * q)
    signal[, at] <- z %*% weights(length(at))
    signal
  }),
  "20% swapped" = function(z, w) each_day(function() {
    at <- sample(q, 0.2 * q)
    signal <- z %*% w
    signal[, at] <- signal[, sample(at)]
    signal
  }),
  "tracking loses 6%" = function(z, w) {
    days <- list(z %*% w)
    for (d in 2:count) days[[d]] <- replaced(days[[d - 1]], 0.06, z)
    days
  },
  "noise of a day" = function(z, w) each_day(function() z %*% w + 0.3 * normal(n, q)),
  "gains of neurons" = function(z, w) each_day(function() {
    (z %*% w) * rep(exp(0.5 * rnorm(q)), each = n)
  }),
  "shared noise" = function(z, w) each_day(function() z %*% w),
  "80% of neurons" = function(z, w) each_day(function() z %*% w)
)

# What scores are at lags 1 and 4, where that is known: geometry, tuning.
truths <- list("nothing changes" = c(1, 1, 1, 1), "tuning drifts" = c(1, 1, 0.9, 0.9^4),
               "latents drift" = c(0.81, 0.81^4, 0.9, 0.9^4),
               "latents partly new" = c(0.81, 0.81, 0.9, 0.9),
               "15% wrong labels" = c(1, 1, 0.7225, 0.7225),
               "tracking loses 6%" = c(1, 1, 0.94, 0.94^4),
               "noise of a day" = c(1, 1, 1 / 1.09, 1 / 1.09),
               "shared noise" = c(1, 1, 1, 1), "80% of neurons" = c(1, 1, 1, 1))

recorded <- function(name) {
  days <- worlds[[name]](normal(n, latents), weights())
  shared <- if (name == "shared noise") matrix(1 / sqrt(2), 1, q)
  lapply(stats::setNames(days, paste0("day", seq_len(count))), function(signal) {
    day <- vapply(1:4, function(t) {
      noise <- normal(n, q)
      if (!is.null(shared)) noise <- noise / sqrt(2) + normal(n, 1) %*% shared
      signal + 1.5 * noise
    }, signal)
    dimnames(day) <- list(NULL, paste0("cell", seq_len(q), "x"), NULL)
    if (name == "80% of neurons") day[, sort(sample(q, 0.8 * q)), ] else day
  })
}

if (wanted("table")) {
  sets <- setting("sets", 300)
  cat("geometry and tuning at lags 1, 4; share of p_order, p_value <= .05 (geometry, tuning);",
      "cover at lags 1, 4;\nsets with an undefined error of geometry;", sets, "sets\n")
  for (k in settings("cells", seq_along(worlds))) {
    name <- names(worlds)[k]
    set.seed(k)
    found <- vapply(seq_len(sets), function(set) {
      result <- quietly(across_sessions(recorded(name)))
      table <- summary(result)
      at <- c(1, 4, 5, 8)
      truth <- if (is.null(truths[[name]])) rep(NA, 4) else truths[[name]]
      c(result$score[at], table$p_order <= 0.05, table$p_value <= 0.05,
        result$conf_low[at] <= truth & truth <= result$conf_high[at], anyNA(result$se[1:4]))
    }, numeric(13))
    mean_of <- function(at) rowMeans(found[at, , drop = FALSE], na.rm = TRUE)
    text <- function(values) {
      paste(sub("^(-?)0[.]", "\\1.", sprintf("%.2f", values)), collapse = " ")
    }
    rare <- function(values) paste(sub("^0[.]", ".", sprintf("%.3f", values)), collapse = " ")
    cat(sprintf("%-19s %s | %s | order %s | value %s | cover %s | %.0f%%\n", name,
                text(mean_of(1:2)), text(mean_of(3:4)), rare(mean_of(5:6)), rare(mean_of(7:8)),
                text(mean_of(9:12)), 100 * mean(found[13, ])))
  }
}

if (wanted("times")) {
  cat("seconds of across_sessions() of 6 days, and their ratio to score_interval()\n")
  seconds <- function(code) min(replicate(3, system.time(quietly(code()))[[3]]))
  m <- measure("cka", estimator = "stimulus_neuron_trial")
  for (q in settings("neurons", c(30, 100, 200))) {
    z <- normal(100, latents)
    w <- weights(q)
    days <- sapply(paste0("day", 1:6), function(day) {
      x <- vapply(1:4, function(t) z %*% w + 1.5 * normal(100, q), z %*% w)
      responses(x, neuron = paste0("cell", seq_len(q), "x"))
    }, simplify = FALSE)
    apart <- Map(function(day, name) {
      responses(as.array(day), session = rep(name, q))
    }, days, names(days))
    own <- seconds(function() across_sessions(days))
    other <- seconds(function() {
      score_interval(apart, measure = m, over = c("stimuli", "neurons_x"))
    })
    cat(sprintf("100 stimuli x %3d neurons x 4 trials: %.2f s, ratio %.2f\n", q, own, own / other))
  }
}
