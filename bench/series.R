# What circular shifts (series = TRUE) and other nulls make of slow time series: how often unrelated
# pairs are rejected at 5%, and where the warning repalign_series speaks.
#   Rscript bench/series.R [data sets a row, default 300] [parts, default 1,2,3,4]
# Part 1: circular shifts, three measures, by the number of points and dimensions, with the warning.
# Part 2: other nulls for the same kinds of series, by rv, in plain R: n = 100.
# Part 3: series = "linear", three measures.
# Part 4: power for related pairs, and how far linear shifts should go.

suppressMessages(library(repalign))
options(width = 120)
given <- commandArgs(TRUE)
sets <- as.integer(c(given, 300)[1])
parts <- if (length(given) > 1) as.integer(strsplit(given[2], ",")[[1]]) else 1:4
measures <- list("rv", cka = measure("cka", estimator = "stimulus"), "mutual_knn")

# Kinds of series: functions(n, d).
white <- function(n, d) matrix(rnorm(n * d), n)
by_column <- function(m, f) matrix(apply(m, 2, f), nrow(m))
ar <- function(phi) function(n, d) {
  noise <- white(n, d)
  noise[-1, ] <- noise[-1, ] * sqrt(1 - phi^2)
  by_column(noise, function(z) stats::filter(z, phi, "recursive"))
}
walk <- function(n, d) by_column(white(n, d), cumsum)
smooth <- function(sd) function(n, d) {
  reach <- ceiling(4 * sd)
  weights <- dnorm(-reach:reach, 0, sd)
  by_column(white(n + 2 * reach, d), function(z) stats::filter(z, weights))[reach + seq_len(n), ,
                                                                           drop = FALSE]
}
oscillation <- function(share, r = 0.97) function(n, d) {
  by_column(white(n + 400, d), function(z) {
    stats::filter(z, c(2 * r * cos(2 * pi / (n * share)), -r^2), "recursive")
  })[400 + seq_len(n), , drop = FALSE]
}

same <- function(kind) list(kind, kind)
pairs <- list(
  `white noise` = same(ar(0)), `AR 0.5` = same(ar(0.5)), `AR 0.7` = same(ar(0.7)),
  `AR 0.9` = same(ar(0.9)), `AR 0.95` = same(ar(0.95)), `AR 0.99` = same(ar(0.99)),
  `random walks` = same(walk), `smooth, sd 3` = same(smooth(3)), `smooth, sd 10` = same(smooth(10)),
  `AR 0.99, white` = list(ar(0.99), ar(0)), `AR 0.99, 0.5` = list(ar(0.99), ar(0.5)),
  `AR 0.99, 0.9` = list(ar(0.99), ar(0.9)), `period n/4` = same(oscillation(1 / 4)),
  `period n/2` = same(oscillation(1 / 2, 0.995))
)
draw <- function(pair, n, d) list(x = pair[[1]](n, d), y = pair[[2]](n, d))

quietly <- function(code) suppressWarnings(suppressMessages(code))

show <- function(title, rows) {
  cat("\n", title, "\n", sep = "")
  print(as.data.frame(rows), digits = 2, row.names = FALSE)
}

# Rows of a table: a kind of pair and a number of dimensions each. run(x, y): numbers of a data set;
# summary(found): of all of them.
simulate <- function(n, dimensions, kinds, run, summary, count = sets) {
  set.seed(1)
  grid <- expand.grid(pair = kinds, d = dimensions, stringsAsFactors = FALSE)
  rows <- lapply(seq_len(nrow(grid)), function(i) {
    summary(replicate(count, {
      data <- draw(pairs[[grid$pair[i]]], n, grid$d[i])
      run(data$x, data$y)
    }))
  })
  cbind(grid, do.call(rbind, rows))
}

rejected <- function(p) rowMeans(p <= 0.05)

# Part 1 ---------------------------------------------------------------------------------------

circular <- function(x, y) {
  warned <- FALSE
  p <- quietly(withCallingHandlers(calibrate(x, y, measures, series = TRUE)$p_value,
                                   repalign_series = function(w) warned <<- TRUE))
  series <- lapply(list(x, y), function(side) {
    repalign:::autocorrelation(repalign:::representation(side, "x"))
  })
  c(rv = p[1], cka = p[2], knn = p[3],
    points = repalign:::effective_points(nrow(x), series[[1]], series[[2]]),
    warned = warned)
}

# The rates over all data sets and over those without the warning.
judged <- function(found) {
  silent <- found["warned", ] == 0
  rates <- rejected(found[1:3, , drop = FALSE])
  quiet <- rejected(found[1:3, silent, drop = FALSE])
  data.frame(t(rates), points = median(found["points", ]), warned = 1 - mean(silent),
             t(stats::setNames(quiet, paste0("silent_", names(quiet)))))
}

# Over all rows of such a table: the rates among all data sets without the warning.
silent_rates <- function(rows) {
  at <- rows$warned < 1
  vapply(c(rv = "silent_rv", cka = "silent_cka", knn = "silent_knn"), function(column) {
    sum((1 - rows$warned[at]) * rows[at, column]) / sum(1 - rows$warned[at])
  }, 0)
}

if (1 %in% parts) {
  for (n in c(100, 400)) {
    count <- if (n == 100) sets else ceiling(sets / 2)
    rows <- simulate(n, c(1, 5, 10, 40), names(pairs)[1:13], circular, judged, count)
    show(paste0("1. Circular shifts, n = ", n, ", ", count, " data sets a row: rates, the median ",
                "effective number of points, the share warned of, rates without warning"), rows)
    cat("All data sets without warning:\n")
    print(silent_rates(rows), digits = 2)
  }
  count <- ceiling(sets / 4)
  show(paste0("1. Circular shifts, n = 1000, ", count, " data sets a row"),
       simulate(1000, c(5, 40), c("AR 0.9", "AR 0.99", "random walks", "smooth, sd 10"), circular,
                judged, count))
}

# Part 2 ---------------------------------------------------------------------------------------

centred <- function(x) x - rep(colMeans(x), each = nrow(x))
rank_p <- function(values) mean(values >= values[1] * (1 - 1e-10))
squares <- function(x, y) sum(crossprod(x, y)^2)
shifted <- function(n, t) (seq_len(n) - 1 + t) %% n + 1
over_shifts <- function(x, y, shifts = seq_len(nrow(x)) - 1) {
  x <- centred(x)
  y <- centred(y)
  # the sums for all shifts at once
  fx <- mvfft(x)
  fy <- mvfft(y)
  all <- Reduce(`+`, lapply(seq_len(ncol(x)), function(a) {
    rowSums(Re(mvfft(Conj(fx[, a]) * fy, inverse = TRUE))^2)
  }))
  rank_p(all[c(1, setdiff(shifts, 0) + 1)])
}

# The lag at which the product of both autocorrelations falls below exp(-2).
correlation_time <- function(x, y) {
  r <- lapply(list(x, y), function(side) {
    repalign:::autocorrelation(repalign:::representation(side, "x"))
  })
  below <- which(r[[1]] * r[[2]] < exp(-2)) - 1
  min(c(below, floor(nrow(x) / 4)))
}

beyond <- function(x, y) {
  lag <- correlation_time(x, y)
  over_shifts(x, y, c(0, lag:(nrow(x) - lag)))
}

detrended <- function(x, y) {
  line <- function(m) residuals(lm(m ~ seq_len(nrow(m))))
  over_shifts(as.matrix(line(x)), as.matrix(line(y)))
}

# One coefficient for all columns of a side.
innovations <- function(x) {
  x <- centred(x)
  n <- nrow(x)
  phi <- sum(x[-1, ] * x[-n, ]) / sum(x^2)
  x[-1, , drop = FALSE] - phi * x[-n, , drop = FALSE]
}
prewhitened <- function(x, y) over_shifts(innovations(x), innovations(y))

# The same random phases for all columns, so that columns keep their cross-correlations.
random_phases <- function(x, y, draws = 99) {
  n <- nrow(y)
  x <- centred(x)
  y <- centred(y)
  spectrum <- mvfft(y)
  half <- seq_len((n - 1) %/% 2)
  values <- replicate(draws, {
    turn <- complex(n) + 1
    turn[1 + half] <- exp(2i * pi * runif(length(half)))
    turn[n + 1 - half] <- Conj(turn[1 + half])
    squares(x, Re(mvfft(spectrum * turn, inverse = TRUE)) / n)
  })
  rank_p(c(squares(x, y), values))
}

# Blocks of the correlation time, which start at a random place of the ring, in random order.
block_order <- function(x, y, draws = 99) {
  n <- nrow(x)
  size <- max(2, correlation_time(x, y))
  x <- centred(x)
  y <- centred(y)
  blocks <- split(seq_len(n), (seq_len(n) - 1) %/% size)
  values <- replicate(draws, {
    order <- shifted(n, sample.int(n, 1))[unlist(sample(blocks))]
    squares(x, y[order, , drop = FALSE])
  })
  rank_p(c(squares(x, y), values))
}

# series = "linear" for rv; doubled: with the p-value that is valid for every stationary series.
linear <- function(x, y, furthest = floor(nrow(x) / 4)) {
  n <- nrow(x)
  rows <- (furthest + 1):(n - furthest)
  middle <- centred(x[rows, , drop = FALSE])
  values <- vapply(c(0, -furthest:-1, seq_len(furthest)), function(t) {
    part <- centred(y[rows + t, , drop = FALSE])
    squares(middle, part) / sqrt(squares(part, part))
  }, 0)
  c(linear = rank_p(values), doubled = rank_p(values) * (2 * furthest + 1) / (furthest + 1))
}

others <- function(x, y) {
  c(circular = over_shifts(x, y), beyond = beyond(x, y), detrended = detrended(x, y),
    prewhitened = prewhitened(x, y), phases = random_phases(x, y), blocks = block_order(x, y),
    linear(x, y))
}
rates_of <- function(found) data.frame(t(rejected(found)))

if (2 %in% parts) {
  show(paste0("2. Other nulls, rv, n = 100, ", sets, " data sets a row"),
       simulate(100, c(1, 5, 10, 40), setdiff(names(pairs), c("AR 0.7", "smooth, sd 3")), others,
                rates_of))
}

# Part 3 ---------------------------------------------------------------------------------------

by_package <- function(x, y) {
  p <- quietly(calibrate(x, y, measures, series = "linear")$p_value)
  c(rv = p[1], cka = p[2], knn = p[3])
}
if (3 %in% parts) {
  count <- ceiling(sets / 2)
  show(paste0("3. series = \"linear\", n = 100, ", count, " data sets a row"),
       simulate(100, c(1, 5, 40), c("white noise", "AR 0.9", "AR 0.99", "random walks",
                                    "smooth, sd 10", "AR 0.99, 0.9", "period n/2"), by_package,
                rates_of, count))
}

# Part 4 ---------------------------------------------------------------------------------------

power <- function(kind, shared, n, d = 5) {
  common <- kind(n, d)
  side <- function() sqrt(shared) * common + sqrt(1 - shared) * kind(n, d)
  x <- side()
  y <- side()
  far <- function(share) linear(x, y, floor(n * share))[["linear"]]
  c(circular = over_shifts(x, y), prewhitened = prewhitened(x, y), linear = far(1 / 4),
    doubled = linear(x, y)[["doubled"]], eighth = far(1 / 8), three_eighths = far(3 / 8))
}
if (4 %in% parts) {
  set.seed(2)
  count <- ceiling(sets / 2)
  grid <- expand.grid(shared = c(0.25, 0.5, 0.8), n = c(100, 400),
                      pair = c("white noise", "AR 0.9", "AR 0.99", "random walks"),
                      stringsAsFactors = FALSE)
  rows <- lapply(seq_len(nrow(grid)), function(i) {
    rejected(replicate(count, power(pairs[[grid$pair[i]]][[1]], grid$shared[i], grid$n[i])))
  })
  show(paste0("4. Share of related pairs that are found, rv, d = 5, ", count, " data sets a row; ",
              "linear shifts by up to n/4, n/8 and 3n/8 (circular shifts do not hold for slow ",
              "series)"), cbind(grid, do.call(rbind, rows)))
}
