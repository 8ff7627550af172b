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
clusters <- function(n, shared, d = 5, size = 5) {
  labels <- rep(seq_len(ceiling(n / size)), each = size)[seq_len(n)]
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

# Single draws: sides that represent the same latent variables, linearly or as a network of ReLU
# units does, and images of ten classes (in their order), which hold a part of the variance.
related <- function(latent, relu = FALSE) {
  function(n) {
    x <- latent(n)
    x <- x %*% normal(ncol(x), 60) / sqrt(ncol(x))
    if (!relu) return(list(x, x %*% normal(60, 40)))
    x <- pmax(x, 0)
    list(x, pmax(x %*% normal(60, 40) / 8, 0))
  }
}

spectrum <- function(power, d = 50) {
  function(n) normal(n, d) * rep(seq_len(d)^(-power / 2), each = n)
}

classes <- function(n, share) {
  sqrt(share) * normal(10, 20)[sort(rep_len(1:10, n)), ] + sqrt(1 - share) * normal(n, 20)
}

in_any_order <- function(kind) {
  function(n) {
    order <- sample(n)
    lapply(kind(n), shuffled, order)
  }
}

views <- both(function(n) clusters(n, 0.9, 20))

kinds <- c(kinds, list(
  `related, 5 dimensions` = related(function(n) normal(n, 5)),
  `related, 1/f spectrum` = related(spectrum(1)), `related, 1/f^2` = related(spectrum(2)),
  `related, ReLU, 5 dimensions` = related(function(n) normal(n, 5), TRUE),
  `related, ReLU, 1/f` = related(spectrum(1), TRUE),
  `related, gains` = related(function(n) normal(n, 10) * exp(rnorm(n))),
  `related, sparse` = related(function(n) normal(n, 30) * rbinom(n * 30, 1, 0.1)),
  `classes (30%), related` = related(function(n) classes(n, 0.3)),
  `the same, shuffled` = in_any_order(related(function(n) classes(n, 0.3))),
  `classes (60%), related` = related(function(n) classes(n, 0.6)),
  `the same, shuffled ` = in_any_order(related(function(n) classes(n, 0.6))),
  `classes (30%), own means` = both(function(n) classes(n, 0.3)),
  `the same, shuffled  ` = in_any_order(both(function(n) classes(n, 0.3))),
  `clusters of 5, 90%, shuffled` = in_any_order(both(function(n) clusters(n, 0.9))),
  `clusters of 5, 50%, shuffled` = in_any_order(both(function(n) clusters(n, 0.5))),
  `clusters of 2, 90%, shuffled` = in_any_order(both(function(n) clusters(n, 0.9, size = 2))),
  `views (5 each, 20 dimensions)` = views, `views, shuffled` = in_any_order(views),
  `views of related sides, shuffled` = in_any_order(related(function(n) clusters(n, 0.9, 20)))
))

told <- function(x, y, use) {
  !is.null(internal$text_about_rows(list(x), list(y), use, ""))
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
