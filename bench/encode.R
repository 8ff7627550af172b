# encode() beside refits as one would write them, and beside other packages, on the same data and
# folds, in one run:
#   Rscript bench/encode.R [n=1000] [q=500] [p=300] [rounds=3]
# Set the threads of the BLAS first (OPENBLAS_NUM_THREADS=1). 10 folds, 10 penalties. The columns
# are the least elapsed and processor seconds of all rounds, in each of which all take turns, and
# the weighted R squared. What is compared:
#   encode, one penalty      one SVD for all folds
#   refits, one penalty      solve() for each fold
#   encode, nested grid      chooses within each training set, as RidgeCV
#   refits, all penalties    solve() for each fold and penalty, without a choice
#   RidgeCV                  scikit-learn, per fold, which chooses by leaving out each stimulus, one
#                            penalty for all neurons, as encode() does
#   glmnet                   ridge of all neurons on the same penalties, per fold, no choice (it
#                            divides by its own scale, so that its scores are others)
#   pls                      25 components per fold, beside those of encode()
# "999 permutations" is the whole call, one penalty. What is not installed is named, and skipped.
# Last, two feature spaces (200 stimuli, 400 and 350 columns, 100 neurons, 5 x 5 folds): encode(),
# and in numpy what himalaya defines as its random search, on the same candidates: for each
# direction an eigendecomposition of the kernel of each inner training set, for each penalty the
# matrix that predicts, and dual weights where a direction is better than those before.

suppressPackageStartupMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
n <- setting("n", 1000)
q <- setting("q", 500)
p <- setting("p", 300)
rounds <- setting("rounds", 3)

set.seed(1)
x <- matrix(rnorm(n * q), n) %*% diag(seq(2, 0.2, length.out = q))
y <- x %*% matrix(rnorm(q * p), q) / sqrt(q) + 2 * matrix(rnorm(n * p), n)
folds <- sample(rep(1:10, length.out = n))
penalties <- 10^seq(-1, 4, length.out = 10)
one <- penalties[9]

# ---- what is timed: each returns a weighted R squared, or NA

# predict_fold(x, y, new): predictions of the rows `new`
by_fold <- function(predict_fold) {
  error <- total <- 0
  for (k in 1:10) {
    at <- folds == k
    mean <- colMeans(y[!at, ])
    error <- error + sum((y[at, ] - predict_fold(x[!at, ], y[!at, ], x[at, ]))^2)
    total <- total + sum((y[at, ] - rep(mean, each = sum(at)))^2)
  }
  1 - error / total
}

refits <- function(lambdas) by_fold(function(x, y, new) {
  mean_x <- colMeans(x)
  mean_y <- colMeans(y)
  x <- x - rep(mean_x, each = nrow(x))
  for (lambda in lambdas) {
    slopes <- solve(crossprod(x) + lambda * diag(ncol(x)),
                    crossprod(x, y - rep(mean_y, each = nrow(y))))
  }
  (new - rep(mean_x, each = nrow(new))) %*% slopes + rep(mean_y, each = nrow(new))
})

by_encode <- function(...) quietly(encode(x, y, folds = folds, ...))$score

contestants <- list(
  "encode, one penalty" = function() by_encode(lambda = one),
  "refits, one penalty" = function() refits(one),
  "encode, one penalty, 999 permutations" = function() by_encode(lambda = one, permutations = 999),
  "encode, nested grid" = function() by_encode(lambda = penalties),
  "refits, all penalties" = function() {
    refits(penalties)
    NA
  },
  "encode, pls" = function() by_encode(method = "pls", components = 25)
)

if (requireNamespace("glmnet", quietly = TRUE)) {
  contestants$glmnet <- function() by_fold(function(x, y, new) {
    fit <- glmnet::glmnet(x, y, family = "mgaussian", alpha = 0, standardize = FALSE,
                          lambda = rev(penalties) / nrow(x))
    predict(fit, new, s = one / nrow(x))[, , 1]
  })
} else {
  message("glmnet is not installed: skipped.")
}
if (requireNamespace("pls", quietly = TRUE)) {
  contestants$pls <- function() by_fold(function(x, y, new) {
    fit <- pls::plsr(y ~ x, ncomp = 25, data = list(x = x, y = y))
    predict(fit, list(x = new), ncomp = 25)[, , 1]
  })
} else {
  message("pls is not installed: skipped.")
}

time_of <- function(run) {
  took <- system.time(score <- run())
  c(elapsed = took[["elapsed"]], processor = sum(took[c("user.self", "sys.self")]), r2 = score)
}

# ---- scikit-learn, in its own process, which times itself

in_python <- "
import sys, time, numpy as np
from sklearn.linear_model import RidgeCV
folder, n, q, p = sys.argv[1], *map(int, sys.argv[2:5])
read = lambda name, columns: np.fromfile(folder + '/' + name).reshape(n, columns)
x, y, folds = read('x', q), read('y', p), read('folds', 1)[:, 0]
penalties = np.fromfile(folder + '/penalties')
started, used, error, total = time.perf_counter(), time.process_time(), 0, 0
for k in range(1, 11):
    at = folds == k
    predicted = RidgeCV(alphas=penalties).fit(x[~at], y[~at]).predict(x[at])
    error += ((y[at] - predicted) ** 2).sum()
    total += ((y[at] - y[~at].mean(0)) ** 2).sum()
print(time.perf_counter() - started, time.process_time() - used, 1 - error / total)
"

sklearn <- function() {
  found <- Filter(function(path) nzchar(path) && system2(path, c("-c", "'import numpy, sklearn'"),
                                                         stdout = FALSE, stderr = FALSE) == 0,
                  c(Sys.which("python3"), "/usr/bin/python3"))
  if (!length(found)) {
    message("scikit-learn is not installed: skipped.")
    return(NULL)
  }
  folder <- tempfile("encode")
  dir.create(folder)
  # rows one after the other, as numpy has them
  writeBin(as.vector(t(x)), file.path(folder, "x"))
  writeBin(as.vector(t(y)), file.path(folder, "y"))
  writeBin(as.double(folds), file.path(folder, "folds"))
  writeBin(penalties, file.path(folder, "penalties"))
  script <- file.path(folder, "ridge.py")
  writeLines(in_python, script)
  function() {
    said <- system2(found[1], c(script, folder, n, q, p), stdout = TRUE)
    stats::setNames(as.double(strsplit(said, " ")[[1]]), c("elapsed", "processor", "r2"))
  }
}

turns <- lapply(contestants, function(run) function() time_of(run))
turns$RidgeCV <- sklearn()
found <- lapply(seq_len(rounds), function(round) {
  # once is enough for what takes minutes
  if (round > 1 && !is.null(turns$glmnet)) turns$glmnet <- function() c(Inf, Inf, NA)
  vapply(turns, function(turn) turn(), numeric(3))
})
print(format(as.data.frame(t(do.call(pmin, c(found, na.rm = TRUE)))), digits = 4))

# ---- two feature spaces

search <- "
import sys, time, itertools, numpy as np
folder = sys.argv[1]
read = lambda name, columns: np.fromfile(folder + '/' + name).reshape(200, columns)
spaces, y, folds = (read('a', 400), read('b', 350)), read('y', 100), np.arange(200) % 5
directions = [d for d in itertools.product([0, 1, 3, np.inf], repeat=2) if min(d) == 0]
alphas = 10.0 ** np.array([-4, -3, -2, -1.5, -1, -.5, 0, .5, 1, 1.5, 2, 3, 4])
units = [((x - x.mean(0)) ** 2).sum() / min(199, x.shape[1]) for x in spaces]
def matrices(kernel, alphas, rows=None):
    values, vectors = np.linalg.eigh(kernel)
    inner = vectors.T[None] / (values[None] + alphas[:, None])[:, :, None]
    return (vectors if rows is None else rows @ vectors) @ inner
started, used, error, total = time.perf_counter(), time.process_time(), 0, 0
for k in range(5):
    train, test = folds != k, folds == k
    mean = y[train].mean(0)
    yc = y[train] - mean
    centred = [x - x[train].mean(0) for x in spaces]
    own = [x[train] @ x[train].T / u for x, u in zip(centred, units)]
    new = [x[test] @ x[train].T / u for x, u in zip(centred, units)]
    inner, best = np.arange(train.sum()) % 5, np.inf
    for d in directions:
        kernel = sum(10.0 ** -s * one for s, one in zip(d, own))
        scores = np.zeros((5, len(alphas), 100))
        for j in range(5):
            a, b = inner != j, inner == j
            predicted = matrices(kernel[np.ix_(a, a)], alphas, kernel[np.ix_(b, a)]) @ yc[a]
            scores[j] = ((predicted - yc[b]) ** 2).mean(1)
        errors = scores.mean((0, 2))
        if errors.min() < best:
            best = errors.min()
            dual = matrices(kernel, alphas[[errors.argmin()]])[0] @ yc
            chosen = d
    predicted = sum(10.0 ** -s * one for s, one in zip(chosen, new)) @ dual + mean
    error += ((y[test] - predicted) ** 2).sum()
    total += ((y[test] - mean) ** 2).sum()
print(time.perf_counter() - started, time.process_time() - used, 1 - error / total)
"

a <- matrix(rnorm(200 * 400), 200)
b <- matrix(rnorm(200 * 350), 200)
y <- a[, 1:20] %*% matrix(rnorm(2000), 20) / 4 + matrix(rnorm(200 * 100), 200)
joint <- feature_spaces(a = a, b = b)
turns <- list("encode, two spaces" = function() {
  time_of(function() quietly(encode(joint, y, folds = rep(1:5, 40)))$score)
})
folder <- tempfile("spaces")
dir.create(folder)
for (name in c("a", "b", "y")) writeBin(as.vector(t(get(name))), file.path(folder, name))
script <- file.path(folder, "search.py")
writeLines(search, script)
found <- Filter(function(path) nzchar(path) && system2(path, c("-c", "'import numpy'"),
                                                       stdout = FALSE, stderr = FALSE) == 0,
                c(Sys.which("python3"), "/usr/bin/python3"))
if (!length(found)) message("numpy is not installed: its search is skipped.") else {
  turns[["random search, numpy"]] <- function() {
    said <- system2(found[1], c(script, folder), stdout = TRUE)
    stats::setNames(as.double(strsplit(said, " ")[[1]]), c("elapsed", "processor", "r2"))
  }
}
found <- lapply(seq_len(max(rounds, 5)), function(round) {
  vapply(turns, function(turn) turn(), numeric(3))
})
print(format(as.data.frame(t(do.call(pmin, found))), digits = 4))
