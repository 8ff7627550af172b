# How often does the warning repalign_dependence speak, for rows that may be taken as independent
# and for others? For p-values and for intervals, from responses and from their RDMs, by the number
# of stimuli; `p` is the share of data sets with p <= 0.05 (rv, 99 permutations) that calibrate()
# gives without a word.
#   Rscript bench/rows.R [data sets a cell, default 300] [sizes, default 20,50,100,400]
# And what the check costs: `Rscript bench/rows.R cost`.

library(repalign)
internal <- asNamespace("repalign")
args <- commandArgs(TRUE)
sets <- as.integer(c(grep("^[0-9]+$", args, value = TRUE), 300)[1])
sizes <- grep(",", args, value = TRUE)
sizes <- if (length(sizes)) as.integer(strsplit(sizes, ",")[[1]]) else c(20, 50, 100, 400)
options(width = 150)

normal <- function(n, q) matrix(rnorm(n * q), n)

series <- function(n, phi, d = 5) {
  noise <- normal(n, d)
  noise[-1, ] <- noise[-1, ] * sqrt(1 - phi^2)
  apply(noise, 2, function(x) stats::filter(x, phi, "recursive")) %*% normal(d, 20)
}

# Clusters that share a part of their variance.
clusters <- function(n, shared, d = 5) {
  labels <- rep(seq_len(ceiling(n / 5)), each = 5)[seq_len(n)]
  (sqrt(shared) * normal(max(labels), d)[labels, ] + sqrt(1 - shared) * normal(n, d)) %*%
    normal(d, 20)
}

shuffled <- function(x, order) x[order, , drop = FALSE]

# Two unrelated sides of each kind; `related` ones share what they represent.
both <- function(side) function(n) list(side(n), side(n))

kinds <- list(
  gaussian = both(function(n) normal(n, 20)),
  `one dimension` = both(function(n) outer(rnorm(n), rnorm(20))),
  `two dimensions` = both(function(n) normal(n, 2) %*% normal(2, 20)),
  `heavy tails` = both(function(n) outer(rexp(n)^2, rnorm(20)) + 0.1 * normal(n, 20)),
  counts = both(function(n) matrix(rpois(n * 20, 0.3), n) * exp(rnorm(n))),
  `three sparse neurons` = both(function(n) matrix(rpois(n * 3, 0.5), n)),
  `related, one dimension` = function(n) {
    x <- rnorm(n)
    list(outer(x, rnorm(20)), outer(x, rnorm(20)) + 0.1 * normal(n, 20))
  },
  `related, heavy tails` = function(n) {
    x <- outer(rexp(n)^2, rnorm(20))
    list(x, x + 0.1 * normal(n, 20))
  },
  `shuffled series` = function(n) {
    order <- sample(n)
    list(shuffled(series(n, 0.9), order), shuffled(series(n, 0.9), order))
  },
  `AR 0.95 and white noise` = function(n) list(series(n, 0.95), normal(n, 20)),
  `AR 0.5` = both(function(n) series(n, 0.5)),
  `AR 0.9 and AR 0.95` = function(n) list(series(n, 0.9), series(n, 0.95)),
  `AR 0.99 and AR 0.5` = function(n) list(series(n, 0.99), series(n, 0.5)),
  `clusters of 5, 90%` = both(function(n) clusters(n, 0.9)),
  `clusters of 5, 99%, shuffled` = function(n) {
    order <- sample(n)
    list(shuffled(clusters(n, 0.99), order), shuffled(clusters(n, 0.99), order))
  }
)

told <- function(x, y, use) {
  !is.null(internal$text_about_rows(list(x), list(y), use, list("")))
}

one_set <- function(kind, n) {
  data <- kind(n)
  rdms <- lapply(data, dist)
  silent <- !told(data[[1]], data[[2]], "null")
  p <- if (silent && n <= 100) {
    calibrate(data[[1]], data[[2]], "rv", permutations = 99)$p_value
  } else {
    NA
  }
  c(p_values = !silent, of_rdms = told(rdms[[1]], rdms[[2]], "null"),
    intervals = told(data[[1]], data[[2]], "errors"),
    intervals_of_rdms = told(rdms[[1]], rdms[[2]], "errors"), p = p <= 0.05)
}

if ("cost" %in% args) {
  for (size in list(c(30, 10), c(100, 100), c(300, 1000), c(5000, 5000))) {
    x <- normal(size[1], size[2])
    repeats <- max(1, round(2e6 / prod(size)))
    seconds <- system.time(for (i in seq_len(repeats)) told(x, x, "null"))[["user.self"]] / repeats
    cat(size[1], " x ", size[2], ": ", format(1e3 * seconds / 2, digits = 2),
        " ms for each representation\n", sep = "")
  }
} else {
  set.seed(1)
  for (n in sizes) {
    cat("\nShare of data sets with the warning, ", n, " stimuli\n", sep = "")
    print(round(t(vapply(kinds, function(kind) {
      found <- suppressWarnings(suppressMessages(replicate(sets, one_set(kind, n))))
      rowMeans(found, na.rm = TRUE)
    }, numeric(5))), 3))
  }
}
