# How many independent points a pair of time series is worth, and whether circular shifts suffice.

series_kinds <- c("circular", "linear")

# FALSE, or one of the kinds of shifts; TRUE is "circular".
check_series <- function(series) {
  if (is.character(series)) return(check_choice(series, series_kinds, "series"))
  usable <- is.logical(series) && length(series) == 1 && !is.na(series)
  if (!usable) {
    abort("`series` must be TRUE or FALSE, or one of ", enumerate(series_kinds), ".",
          class = "repalign_error_value", arg = "series")
  }
  if (series) "circular" else FALSE
}

# n / sum_h r_x(h) r_y(h) over all lags h, negative ones, too: the mean score of unrelated series is
# that of so many independent points. A slow side alone leaves it at n.
effective_points <- function(n, x, y) {
  products <- x * y
  n / max(1, 2 * sum(initial_positive(products)) - products[1])
}

# The products of autocorrelations up to the first two neighbouring lags whose sum is not positive
# (Geyer 1992): beyond it they are noise.
initial_positive <- function(products) {
  pairs <- floor(length(products) / 2)
  sums <- products[2 * seq_len(pairs) - 1] + products[2 * seq_len(pairs)]
  end <- which(sums <= 0)
  products[seq_len(2 * if (length(end)) end[1] - 1 else pairs)]
}

# The autocorrelation of a representation at the lags 0, 1, ...: the sum of all products of centred
# rows at this lag over that at lag 0. Distances stand for the products of rows with these
# distances. In a neighbour graph it is the share of rows that are neighbours at the lag, beyond
# that of all rows.
autocorrelation <- function(repr) {
  products <- switch(repr$kind, data = lag_products(repr$data), dist = distance_products(repr$data),
                     graph = neighbour_products(repr$data))
  if (products[1] > 0) products / products[1] else c(1, rep(0, length(products) - 1))
}

# All lags at once, by Fourier transforms of columns with as many zeros after them. A few columns at
# a time keep memory small.
columns_at_once <- 64

lag_products <- function(x) {
  n <- nrow(x)
  center <- colMeans(x)
  scale <- max(abs(x))
  length <- stats::nextn(2 * n)
  power <- numeric(length)
  if (scale == 0) return(power[seq_len(n)])
  for (first in seq(1, ncol(x), by = columns_at_once)) {
    at <- first:min(first + columns_at_once - 1, ncol(x))
    part <- (x[, at, drop = FALSE] - rep(center[at], each = n)) / scale
    padded <- rbind(part, matrix(0, length - n, length(at)))
    power <- power + rowSums(Mod(stats::mvfft(padded))^2)
  }
  Re(stats::fft(power, inverse = TRUE))[seq_len(n)] / length
}

# The inner product of centred rows i and j is (m_i + m_j - m - d_ij^2) / 2, with the mean squares
# of each row and of all.
distance_products <- function(d) {
  n <- attr(d, "Size")
  means <- cumulated <- numeric(n)
  end <- 0
  for (i in seq_len(n - 1)) {
    squares <- d[end + seq_len(n - i)]^2
    end <- end + n - i
    lags <- seq_len(n - i) + 1
    cumulated[lags] <- cumulated[lags] + squares
    means[i] <- means[i] + sum(squares)
    later <- i + seq_len(n - i)
    means[later] <- means[later] + squares
  }
  means <- means / n
  # rows that have a later one at the lag, and rows that have an earlier one
  pairs <- rev(cumsum(means)) + rev(cumsum(rev(means)))
  (pairs - n:1 * mean(means) - cumulated) / 2
}

neighbour_products <- function(graph) {
  n <- nrow(graph$idx)
  lags <- abs(graph$idx - row(graph$idx))
  found <- tabulate(lags, n - 1) / 2
  share <- ncol(graph$idx) / (n - 1)
  c(n * (1 - share), found - (n - seq_len(n - 1)) * share)
}

# How many directions the rows vary in: the participation ratio, tr(K)^2 / tr(K^2) of the centred
# kernel K. Of many rows some in equal distances are enough.
most_kernel_rows <- 500

kernel_dimension <- function(repr) {
  kernel <- if (repr$kind == "graph") neighbour_kernel(repr$data) else {
    rows <- unique(round(seq(1, repr$n, length.out = min(repr$n, most_kernel_rows))))
    if (repr$kind == "dist") distance_kernel(repr$data, rows) else row_kernel(repr$data, rows)
  }
  if (kernel$trace > 0) kernel$trace^2 / kernel$squares else 1
}

row_kernel <- function(x, rows) {
  x <- x[rows, , drop = FALSE]
  x <- (x - rep(colMeans(x), each = nrow(x))) / max(abs(x), .Machine$double.xmin)
  gram <- if (ncol(x) < nrow(x)) crossprod(x) else tcrossprod(x)
  list(trace = sum(diag(gram)), squares = sum(gram^2))
}

distance_kernel <- function(d, rows) {
  n <- as.double(attr(d, "Size"))
  later <- outer(rows, rows, "<")
  i <- rows[row(later)[later]]
  j <- rows[col(later)[later]]
  squares <- matrix(0, length(rows), length(rows))
  squares[later] <- (d[n * (i - 1) - i * (i - 1) / 2 + j - i] / max(d, .Machine$double.xmin))^2
  squares <- squares + t(squares)
  means <- rowMeans(squares)
  gram <- (outer(means, means, "+") - mean(means) - squares) / 2
  list(trace = sum(diag(gram)), squares = sum(gram^2))
}

# 1 for the row itself and for mutual neighbours, 1/2 for one-sided ones, less the mean.
neighbour_kernel <- function(graph) {
  n <- as.double(nrow(graph$idx))
  share <- ncol(graph$idx) / (n - 1)
  edge <- as.vector(row(graph$idx) + n * (graph$idx - 1))
  mutual <- sum(edge %in% as.vector(graph$idx + n * (row(graph$idx) - 1)))
  list(trace = n * (1 - share),
       squares = n * (1 - share)^2 + (length(edge) + mutual) / 2 - share^2 * n * (n - 1))
}

# How many effective points circular shifts need for n rows: where pairs had them, unrelated series
# were rejected at most about 1.5 times as often as they should (bench/series.R). The more
# dimensions, the less scores vary by chance, and the more it matters that a shift joins the ends.
# Independent points always suffice: shifts are then as good as permutations.
points_needed <- function(n, dimension_x, dimension_y) {
  1 / (1 / n + 1 / (20 + 6 * max(dimension_x, dimension_y)))
}

warn_slow_series <- function(pairs, sides) {
  n <- sides$x$reprs[[1]]$n
  facts <- function(side) lapply(lapply(side$reprs, mean_in_gaps), function(repr) {
    list(r = autocorrelation(repr), dimension = kernel_dimension(repr))
  })
  x <- facts(sides$x)
  y <- if (sides$self || sides$same) x else facts(sides$y)
  points <- mapply(function(i, j) effective_points(n, x[[i]]$r, y[[j]]$r), pairs$i, pairs$j)
  needed <- mapply(function(i, j) points_needed(n, x[[i]]$dimension, y[[j]]$dimension), pairs$i,
                   pairs$j)
  if (any(points < needed)) say_slow_series(pairs, sides, points, needed)
}

say_slow_series <- function(pairs, sides, points, needed) {
  worst <- which.min(points / needed)
  several <- nrow(pairs) > 1
  name <- function(side, at) dQuote(title_of(side$reprs[[at]]), FALSE)
  warn("Circular shifts reject unrelated series too often where both are slow",
       if (several) paste0(", as in ", sum(points < needed), " of ", nrow(pairs), " pairs"), ": ",
       name(sides$x, pairs$i[worst]), " and ", name(sides$y, pairs$j[worst]),
       if (several) ", the worst,", " are worth about ", format(points[worst], digits = 2),
       " independent points (of ", sides$x$reprs[[1]]$n, "), and ", round(needed[worst]), " are ",
       "needed. series = \"linear\" holds for slow series, too.", class = "repalign_series",
       data = points[worst])
}
