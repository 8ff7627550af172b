# Do the rows look like a time series, or like runs of near copies? Intervals that count each row
# as independent are then too narrow.

# Neighbouring rows count as alike where their mean squared distance is below this share of that of
# all rows (AR(1) series with a coefficient of 0.5 have 0.6), and is lower than that of shuffled
# rows by so many standard deviations. Shuffled rows, heavy tails among them, did that in less than
# 0.2% of the data sets (bench/dependence.R).
alike_share <- 0.6

alike_deviations <- 4

# Of longer data some neighbours are enough.
most_judged_rows <- 1000

# matrices: those of a call, judged together. clusters: given, they answer the question.
warn_dependence <- function(matrices, clusters) {
  if (!is.null(clusters)) return(invisible())
  warn_alike(matrices, "Intervals count every stimulus as independent: they are then too narrow, ",
             "and corrected estimates too high. Name stimuli that depend on each other in ",
             "`clusters` (a label of its own for every stimulus if all are independent).")
}

# The warning, if neighbouring rows are alike; `...` says what follows from it.
warn_alike <- function(matrices, ...) {
  found <- neighbour_statistic(matrices)
  if (!(found$share < alike_share && found$deviations > alike_deviations)) return(invisible())
  warn("Neighbouring rows are alike (their mean squared distance is ",
       format(found$share, digits = 2), " of that of all rows), as in a time series or in runs of ",
       "similar stimuli. ", ..., class = "repalign_dependence", data = found$share)
}

# share: the mean squared distance of neighbours over that of all rows; deviations: by how many
# standard deviations the sum of the neighbours' inner products exceeds its mean over all orders of
# the rows. Each matrix has the same weight.
neighbour_statistic <- function(matrices) {
  at <- judged_neighbours(nrow(matrices[[1]]))
  grams <- lapply(matrices, function(x) {
    x <- x[at$rows, , drop = FALSE]
    gram <- tcrossprod(centered(x, common_scale(list(x))))
    gram / max(sum(diag(gram)), .Machine$double.xmin)
  })
  gram <- Reduce(`+`, grams)
  if (length(at$rows) < 5 || !any(gram != 0)) return(list(share = 1, deviations = 0))
  norms <- diag(gram)
  m <- length(at$first)
  inner <- sum(gram[cbind(at$first, at$second)])
  distance <- sum(norms[at$first] + norms[at$second]) - 2 * inner
  moments <- shuffled_moments(gram, m, at$sharing)
  sd <- sqrt(max(moments$variance, 0))
  list(share = distance / m / (2 * sum(norms) / (length(norms) - 1)),
       deviations = if (sd > 0) (inner - moments$mean) / sd else 0)
}

# rows: which are looked at; first, second: neighbours among them; sharing: how many ordered pairs
# of neighbour pairs have a row in common.
judged_neighbours <- function(n) {
  if (n <= most_judged_rows) {
    i <- seq_len(n - 1)
    return(list(rows = seq_len(n), first = i, second = i + 1, sharing = 2 * (n - 2)))
  }
  starts <- floor(seq(1, n - 1, length.out = most_judged_rows / 2))
  i <- seq_along(starts)
  list(rows = c(starts, starts + 1), first = i, second = length(starts) + i, sharing = 0)
}

# Mean and variance, over all orders of the rows, of a sum of m entries K_ij of a centred kernel:
# what entries, products of two in a row, and products of two apart are on average.
shuffled_moments <- function(gram, m, sharing) {
  n <- as.double(nrow(gram))
  trace <- sum(diag(gram))
  diagonal <- sum(diag(gram)^2)
  squares <- sum(gram^2)
  choices <- cumprod(n - 0:3)
  entry <- -trace / choices[2]
  same <- (squares - diagonal) / choices[2]
  in_a_row <- (2 * diagonal - squares) / choices[3]
  apart <- (trace^2 + 2 * squares - 6 * diagonal) / choices[4]
  list(mean = m * entry,
       variance = m * same + sharing * in_a_row + (m * (m - 1) - sharing) * apart -
         (m * entry)^2)
}
