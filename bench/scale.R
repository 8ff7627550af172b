# How processor time and memory grow with stimuli, neurons, layers and permutations:
#   Rscript bench/scale.R [n] [d] [layers] [permutations] [times=3]
# A line a call: seconds at each of three sizes, each twice the one before; the exponent, by which
# the largest two differ (1: in proportion); the exponent that the method allows, which overheads of
# small sizes keep the measured one below; and the peak of R's memory beyond the data at the largest
# size. Run it with OPENBLAS_NUM_THREADS=1.

suppressPackageStartupMessages(library(repalign))
here <- if (dir.exists("bench")) "bench" else "."
source(file.path(here, "arguments.R"))
source(file.path(here, "timing.R"))
times <- setting("times", 3L)
options(repalign.threads = 1)

side <- function(n, d) matrix(rnorm(n * d), n)
layers_of <- function(count) {
  stats::setNames(lapply(seq_len(count), function(k) side(500, 64)), seq_len(count))
}
score <- function(id, ...) function(n, d) {
  x <- side(n, d)
  y <- x + side(n, d)
  function() similarity(x, y, measure(id, ...))
}
encoding <- function(...) function(n, d) {
  x <- side(n, d)
  y <- x[, 1:20] + side(n, 20)
  function() encode(x, y, folds = rep_len(1:5, n), ...)
}
held <- function(n, d) {
  x <- side(n, d)
  y <- x + side(n, d)
  function() held_out(x, y, folds = rep_len(1:5, n))
}

# of each call the exponents that the method allows in n and in d; 500 is what does not vary
grown <- list(
  "cka" = list(score("cka"), n = 1, d = 2),
  "cka, stimulus" = list(score("cka", estimator = "stimulus"), n = 1, d = 2),
  "rsa" = list(score("rsa"), n = 2.2, d = 1),
  "mutual_knn" = list(score("mutual_knn"), n = 2, d = 1),
  "procrustes" = list(score("procrustes"), n = 1, d = 3),
  "cca" = list(score("cca"), n = 1, d = 3),
  "encode, one penalty" = list(encoding(lambda = 10), n = 3, d = 1),
  "encode, thirteen penalties" = list(encoding(), n = 3, d = 1),
  "held_out" = list(held, n = 1, d = 3)
)
counted <- list(
  layers = list("similarity, all pairs, cka" = list(function(count) {
    layers <- layers_of(count)
    function() similarity(layers)
  }, 2), "similarity, all pairs, rsa" = list(function(count) {
    layers <- layers_of(count)
    function() similarity(layers, measure = "rsa")
  }, 2)),
  permutations = list("calibrate, cka 10000 x 64" = list(function(count) {
    run <- list(side(10000, 64), side(10000, 64))
    function() calibrate(run[[1]], run[[2]], permutations = count)
  }, 1), "calibrate, rsa 200 x 64" = list(function(count) {
    run <- list(side(200, 64), side(200, 64))
    function() calibrate(run[[1]], run[[2]], "rsa", permutations = count)
  }, 1))
)

seconds_of <- function(run) {
  min(vapply(seq_len(times), function(i) {
    sum(system.time(quietly(run()))[c("user.self", "sys.self")])
  }, 0))
}
print_growth <- function(name, sizes, make, allowed) {
  took <- numeric(length(sizes))
  for (k in seq_along(sizes)) {
    run <- make(sizes[k])
    if (k == 1) quietly(run()) # R compiles what runs
    before <- sum(gc(reset = TRUE)[, 2])
    took[k] <- seconds_of(run)
  }
  peak <- sum(gc()[, 6]) - before
  last <- rev(seq_along(sizes))[1:2]
  say("%-28s %-18s %-22s exponent %5.2f (allowed %.1f), peak %5.0f MB", name,
      paste(sizes, collapse = ", "), paste(sprintf("%.3f", took), collapse = ", "),
      log2(took[last[1]] / took[last[2]]), allowed, peak)
}

say_machine()
for (part in c("n", "d")) if (wanted(part)) {
  say("\n%s, at %s", part, if (part == "n") "500 neurons (encode() 2,000)" else "500 stimuli")
  for (name in names(grown)) {
    one <- grown[[name]]
    wide <- if (grepl("encode", name)) 2000 else 500
    make <- if (part == "n") function(size) one[[1]](size, wide) else
      function(size) one[[1]](500, size)
    sizes <- if (part == "d") c(500, 1000, 2000) * if (grepl("encode", name)) 2 else 0.2 else
      c(500, 1000, 2000) * if (grepl("encode|mutual|rsa", name)) 0.5 else 2
    print_growth(name, sizes, make, one[[part]])
  }
}
for (part in names(counted)) if (wanted(part)) {
  say("\n%s", part)
  for (name in names(counted[[part]])) {
    one <- counted[[part]][[name]]
    print_growth(name, if (part == "layers") c(20, 40, 80) else c(99, 199, 399), one[[1]],
                 one[[2]])
  }
}
