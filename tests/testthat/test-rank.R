# Average ranks and Kendall's tau-a of packed distances, against base R.

# n (n - 1) / 2 values as distances of n stimuli, in the order they are given.
as_distances <- function(values) {
  n <- (1 + sqrt(1 + 8 * length(values))) / 2
  structure(values, Size = as.integer(n), Diag = FALSE, Upper = FALSE, class = "dist")
}

ranks_of <- function(values) {
  form_ranks(representation(as_distances(values), "x"), "correlation")$ranks
}

expect_base_ranks <- function(values) expect_identical(ranks_of(values), rank(as.double(values)))

test_that("ranks are those of rank(), with and without ties", {
  set.seed(1)
  # few values are sorted by shorter keys
  for (m in c(60 * 59 / 2, 91 * 90 / 2, 200 * 199 / 2)) {
    expect_base_ranks(runif(m))
    expect_base_ranks(sample(m))
    expect_base_ranks(rev(seq_len(m)))
    expect_base_ranks(sample(5, m, TRUE))
    expect_base_ranks(rbinom(m, 1, 0.3))
    expect_base_ranks(rexp(m)^8)
    expect_base_ranks(round(rnorm(m)^2, 3))
  }
  expect_base_ranks(c(0, 0, 1))
  expect_base_ranks(c(3, 1, 2))
})

test_that("ranks see every bit: neighbouring doubles, outliers, tiny, huge and zero values", {
  set.seed(2)
  for (m in c(40 * 39 / 2, 100 * 99 / 2)) {
    # consecutive doubles, which share all but the last bits of any key
    expect_base_ranks(sample(1 + (seq_len(m) %/% 2) * .Machine$double.eps))
    # one outlier squeezes the others into few keys
    expect_base_ranks(c(1e300, 1 + sample(m - 1) * 1e-12))
    expect_base_ranks(c(1e15, runif(m - 1)))
    expect_base_ranks(10^runif(m, -290, 290))
    expect_base_ranks(sample(c(numeric(m %/% 2), runif(m - m %/% 2))))
    expect_base_ranks(sample(c(-0, 0, runif(m - 2))))
  }
})

# m values in random order whose ranks are known without sorting: runs of `tied` equal ones,
# from `least` on.
expect_chunks_ranked <- function(n, tied, least) {
  m <- n * (n - 1) / 2
  expect_gt(m, 2^20)
  place <- sample.int(m)
  run <- (place - 1) %/% tied
  last <- pmin((run + 1) * tied, m)
  expected <- (run * tied + 1 + last) / 2
  for (threads in 1:2) {
    withr::local_options(repalign.threads = threads)
    expect_identical(ranks_of(least + run / 3), expected, label = paste(tied, "tied"))
  }
}

test_that("more values than one chunk are ranked right, whatever the threads", {
  skip_unless_extended()
  set.seed(3)
  # heavy ties run across the ends of chunks
  for (tied in c(1, 3, 1e6)) expect_chunks_ranked(1500, tied, 0)
})

test_that("distances from data tie when they are equal but for rounding", {
  set.seed(4)
  # Hamming distances: few different values, which matrix products give with rounding
  x <- matrix(rbinom(60 * 9, 1, 0.4), 60) + 0.1
  counts <- as.vector(round(dist(x)^2))
  ranks <- form_ranks(representation(x, "x"), "euclidean")$ranks
  expect_identical(ranks, rank(counts))
  y <- matrix(rbinom(60 * 12, 1, 0.5), 60) / 3
  expected <- cor(counts, as.vector(round(9 * dist(y)^2)), method = "spearman")
  expect_relative(rsa(x, y, inner = "euclidean"), expected, 1e-12)
  # and correlations of whole numbers: each row a reordering of the same values
  x <- t(replicate(40, sample(8)))
  expected <- rank(round((1 - cor(t(x))[lower.tri(diag(40))]) * 84))
  expect_identical(form_ranks(representation(x + 0, "x"), "correlation")$ranks, expected)
})

test_that("a far stimulus ties none of the others", {
  set.seed(7)
  x <- normal_matrix(60, 5)
  others <- dist(x[-60, ])
  for (far in c(1e3, 1e6, 1e7)) {
    x[60, ] <- far
    ranks <- form_ranks(representation(x, "x"), "euclidean")$ranks
    bulk <- ranks[ranks <= length(others)]
    expect_identical(bulk, rank(as.vector(others)), label = paste("with", far))
  }
})

kendall_of <- function(x, y) rsa(as_distances(x), as_distances(y), outer = "kendall")

test_that("tau-a without ties is Kendall's tau of cor()", {
  set.seed(5)
  for (n in c(3, 4, 7, 40)) {
    m <- n * (n - 1) / 2
    x <- runif(m)
    y <- x + runif(m)
    expect_relative(kendall_of(x, y), cor(x, y, method = "kendall"), 1e-14)
    expect_equal(kendall_of(x, x), 1)
    expect_equal(kendall_of(x, 2 - x), -1)
  }
})

test_that("tau-a counts tied pairs as 0", {
  set.seed(6)
  for (n in c(3, 5, 12, 30)) {
    m <- n * (n - 1) / 2
    x <- c(1, 2, sample(3, m - 2, TRUE))
    y <- c(2, 1, x[-(1:2)] + sample(2, m - 2, TRUE))
    expect_equal(kendall_of(x, y), def_tau_a(x, y), tolerance = 1e-14)
    z <- c(1, 3, runif(m - 2))
    expect_equal(kendall_of(x, z), def_tau_a(x, z), tolerance = 1e-14)
    expect_equal(kendall_of(z, x), def_tau_a(z, x), tolerance = 1e-14)
  }
})

test_that("tau-a of more values than one chunk is right", {
  m <- 1450 * 1449 / 2
  expect_gt(m, 2^20)
  # discordant pairs that can be counted: a rotation by k inverts k (m - k)
  k <- 12345
  x <- seq_len(m) + 0
  y <- c(x[-seq_len(k)], x[seq_len(k)])
  all <- m * (m - 1) / 2
  withr::local_options(repalign.threads = 1)
  one <- kendall_of(x, y)
  withr::local_options(repalign.threads = 2)
  two <- kendall_of(x, y)
  expect_equal(one, 1 - 2 * k * (m - k) / all, tolerance = 1e-14)
  expect_identical(one, two)
})

test_that("signed values are ranked by their value, not their size", {
  set.seed(8)
  m <- 100 * 99 / 2
  expect_base_ranks(rnorm(m))
  expect_base_ranks(-rexp(m)^8)
  expect_base_ranks(sample(-(m %/% 2) + seq_len(m)))
  expect_base_ranks(round(rnorm(m), 2))
  expect_base_ranks(sample(c(-1, -0, 0, 1), m, TRUE))
  expect_base_ranks(sample(c(-1, 1), m, TRUE) * 10^runif(m, -290, 290))
  # consecutive doubles on both sides of the sign, and one outlier that squeezes the rest
  expect_base_ranks(sample(c(-1, 1), m, TRUE) * (1 + sample(m) %/% 2 * .Machine$double.eps))
  expect_base_ranks(c(-1e300, rnorm(m - 2), 1e300))
  expect_base_ranks(sample(c(-5e-324, 0, 5e-324), m, TRUE))
})

test_that("signed values of more than one chunk are ranked right", {
  set.seed(9)
  for (tied in c(1, 400)) expect_chunks_ranked(1500, tied, -1e5 / tied)
})

# Average ranks from the definition: neighbours in order tie when they differ by no more than
# the tolerance relative to the larger magnitude, and absolute; ties chain.
tolerant_ranks <- function(values, relative, absolute) {
  sorted <- sort(values)
  size <- pmax(abs(sorted[-1]), abs(sorted[-length(sorted)]))
  class <- cumsum(c(1, diff(sorted) > relative * size + absolute))
  as.vector(tapply(seq_along(sorted), class, mean)[class])[rank(values, ties.method = "first")]
}

test_that("tolerances work alike on both sides of 0", {
  set.seed(10)
  ranks <- function(v, tolerance) .Call(C_average_ranks, v, tolerance, 1L)
  for (tolerance in list(c(1e-3, 0), c(0, 1e-2), c(1e-2, 1e-3), c(1e-6, 1e-9))) {
    for (values in list(rnorm(300), rcauchy(300), sample(c(-1, 1), 300, TRUE) * rexp(300)^6)) {
      expect_identical(ranks(values, tolerance), tolerant_ranks(values, tolerance[1], tolerance[2]))
      expect_identical(ranks(-values, tolerance), 301 - ranks(values, tolerance))
    }
  }
})

test_that("rsa and calibrate of signed dissimilarities are those of their ranks", {
  set.seed(11)
  x <- as_distances(round(rnorm(15 * 14 / 2), 1))
  y <- as_distances(round(as.vector(x) + rnorm(15 * 14 / 2), 1))
  expect_true(anyDuplicated(x) > 0 && min(x) < 0 && max(x) > 0)
  expect_relative(rsa(x, y), cor(x, y, method = "spearman"), 1e-13)
  expect_relative(rsa(x, y, outer = "kendall"), def_tau_a(as.vector(x), as.vector(y)), 1e-13)
  permutations <- t(replicate(40, sample(15)))
  for (outer in c("spearman", "kendall", "pearson", "cosine")) {
    result <- calibrate(x, y, measure("rsa", outer = outer), permutations = permutations)
    plain <- apply(permutations, 1, function(p) rsa(x, relabel_dist(y, p), outer = outer))
    expect_equal(unname(null_scores(result)[, 1]), plain, tolerance = 1e-12)
    expect_relative(result$score, rsa(x, y, outer = outer), 1e-13)
  }
})

test_that("ranks without each unit of stimuli are those of the pairs that are left", {
  set.seed(12)
  n <- 40
  x <- matrix(rnorm(n * 3), n)
  y <- x + matrix(rnorm(n * 3), n)
  units <- list(single = NULL, grouped = rep(1:9, length.out = n))
  data <- list(plain = y, ties = round(y), two = cbind(rep(0:1, length.out = n)))
  reprs <- lapply(data, representation, "y")
  args <- list(inner = "euclidean", clusters = NULL)
  same <- function(a, b) expect_equal(unname(a), unname(b), tolerance = 1e-13)
  for (codes in units) {
    of <- if (is.null(codes)) seq_len(n) else codes
    found <- rank_deletions(list(representation(x, "x")), reprs, args, codes)
    by_hand <- sapply(data, function(other) vapply(0:max(of), function(gone) {
      keep <- of != gone
      cor(as.vector(dist(x[keep, ])), as.vector(dist(other[keep, ])), method = "spearman")
    }, 0))
    same(t(found[1, , ]), by_hand)
    within <- rank_deletions(reprs, NULL, args, codes)
    same(within[2, 3, ], rank_deletions(reprs[2], reprs[3], args, codes)[1, 1, ])
    weights <- cbind(1, 1 - outer(of, seq_len(max(of)), "=="))
    same(within[1, 2, ], ranked_correlations(reprs[1], reprs[2], args, weights)[1, 1, ])
  }
  again <- function() expect_identical(rank_deletions(reprs, NULL, args, codes), within)
  # few pairs at a time, several threads, and plain vectors; sums of whole numbers are exact
  withr::local_options(repalign.max_memory = 2^20)
  again()
  withr::local_options(repalign.threads = 2)
  again()
  .Call(repalign:::C_allow_wide, FALSE)
  withr::defer(.Call(repalign:::C_allow_wide, TRUE))
  again()
})
