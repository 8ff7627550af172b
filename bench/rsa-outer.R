# What comparisons of RDMs cost, beside a plain way to compute them:
#   Rscript bench/rsa-outer.R [n=92] [repeats=20]
# Times are milliseconds of processor time (on one thread, so that a busy machine does not count),
# medians of one run, and ratios of them; "plain" is the definition in plain R: the
# inverse of the covariance of all pairs for whitened comparisons, all pairs of pairs for Kendall's
# tau. With the package installed, and a fast BLAS.

suppressMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
n <- setting("n", 92L)
repeats <- setting("repeats", 20L)
options(repalign.threads = 1, width = 120)
set.seed(1)

count <- n * (n - 1) / 2
as_rdm <- function(values) structure(values, Size = n, Diag = FALSE, Upper = FALSE, class = "dist")
shared <- rnorm(count)
x <- as_rdm(shared + rnorm(count))
y <- as_rdm(shared + rnorm(count))
sigma <- crossprod(matrix(rnorm(n * n), n)) / n + diag(n)
gaps <- list(few = sample(count, 20), many = sample(count, floor(0.2 * count)))

# The median time of a call, in milliseconds.
milliseconds <- function(code, times = repeats) {
  call <- substitute(code)
  where <- parent.frame()
  median(vapply(seq_len(times), function(i) {
    1e3 * sum(system.time(eval(call, where))[c("user.self", "sys.self")])
  }, 0))
}

# Times of calls that take less than the clock can tell: `inner` calls at a time.
each_millisecond <- function(f, inner = 50) milliseconds(for (i in seq_len(inner)) f()) / inner

row <- function(what, fast, plain, score, plain_score) {
  data.frame(what = what, ms = round(fast, 3), plain_ms = round(plain, 1),
             ratio = round(plain / fast), difference = signif(abs(score - plain_score), 2))
}

covariance <- function(noise) {
  pairs <- combn(n, 2)
  contrasts <- matrix(0, count, n)
  contrasts[cbind(seq_len(count), pairs[1, ])] <- 1
  contrasts[cbind(seq_len(count), pairs[2, ])] <- -1
  (contrasts %*% noise %*% t(contrasts))^2
}

plain_whitened <- function(a, b, noise, there = seq_len(count)) {
  v <- covariance(noise)[there, there]
  w <- solve(v, cbind(a, b)[there, ])
  sum(a[there] * w[, 2]) / sqrt(sum(a[there] * w[, 1]) * sum(b[there] * w[, 2]))
}

plain_tau <- function(a, b) {
  s <- vapply(seq_along(a), function(k) sum(sign(a - a[k]) * sign(b - b[k])), 0)
  sum(s) / (length(a) * (length(a) - 1))
}

against <- function(what, f, plain, inner = 50) {
  row(what, each_millisecond(f, inner), milliseconds(plain(), 1), f(), plain())
}

whitened <- function(...) rsa(..., outer = "whitened_cosine")
cat("One score of two RDMs of", n, "conditions (", count, "pairs)\n")
print(rbind(
  against("whitened_cosine", function() whitened(x, y), function() plain_whitened(x, y, diag(n))),
  against("whitened_cosine, stimulus_noise a matrix",
          function() whitened(x, y, stimulus_noise = sigma),
          function() plain_whitened(x, y, sigma)),
  do.call(rbind, lapply(names(gaps), function(kind) {
    gap <- replace(x, gaps[[kind]], NA)
    against(paste0("whitened_cosine, ", length(gaps[[kind]]), " pairs missing"),
            function() quietly(whitened(gap, y, na = "pairwise")),
            function() plain_whitened(x, y, diag(n), setdiff(seq_len(count), gaps[[kind]])), 1)
  })),
  against("kendall", function() rsa(x, y, outer = "kendall"), function() plain_tau(x, y)),
  against("tau_b", function() rsa(x, y, outer = "tau_b"), function() plain_tau(x, y)),
  against("rho_a", function() rsa(x, y, outer = "rho_a"),
          function() cor(rank(x), rank(y)))
), row.names = FALSE)

cat("\nOthers, without a plain way beside them\n")
points <- matrix(rnorm(n * n), n)
other <- points + matrix(rnorm(n * n), n)
print(data.frame(
  what = c("cosine", "pearson", "spearman", "bures of data", "bures of RDMs", "riemann of data"),
  ms = round(c(each_millisecond(function() rsa(x, y, outer = "cosine")),
               each_millisecond(function() rsa(x, y, outer = "pearson")),
               each_millisecond(function() rsa(x, y)),
               each_millisecond(function() bures(points, other), 2),
               each_millisecond(function() quietly(bures(dist(points), dist(other))), 2),
               each_millisecond(function() riemann(points, other), 1)), 3)
), row.names = FALSE)

cat("\nA null of", 10 * n, "permutations, in seconds of processor time\n")
null_seconds <- function(...) {
  m <- measure("rsa", ...)
  round(milliseconds(calibrate(x, y, m, permutations = 10 * n), 3) / 1e3, 3)
}
print(data.frame(
  outer = c("pearson", "whitened_cosine", "whitened_cosine, stimulus_noise", "rho_a", "kendall"),
  seconds = c(null_seconds(outer = "pearson"), null_seconds(outer = "whitened_cosine"),
              null_seconds(outer = "whitened_cosine", stimulus_noise = sigma),
              null_seconds(outer = "rho_a"),
              null_seconds(outer = "kendall"))
), row.names = FALSE)
