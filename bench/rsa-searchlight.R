# Times, memory and family-wise error rates of searchlight():
#   Rscript bench/rsa-searchlight.R [time] [runs] [ways] [error] [power]
#                                   [centers=20000] [permutations=1000] [threads=2] [sets=500]
# time    100 channels a centre, 100 conditions, 5 models: seconds, peak of memory, and how often a
#         plain loop of calibrate() over some of the centres would take as long
# runs    the same with crossnobis estimates from 8 runs, for up to 2000 centres
# ways    three ways to the same inner products: cosets, one matrix product, gathering
# error   how often unrelated data sets have a centre with p_familywise of at most 0.05
# power   how often a related place is found, by family-wise p-values, and by p-values
#         of single centres adjusted after Holm, and after Benjamini and Yekutieli
# Run it with OPENBLAS_NUM_THREADS=1 or 2.

suppressMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
centers <- setting("centers", 20000L)
permutations <- setting("permutations", 1000L)
threads <- setting("threads", 2L)
sets <- setting("sets", 300L)
options(width = 120)

peak_of_memory <- function() {
  status <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  line <- grep("^VmHWM", status, value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) / 1024^2 else NA
}

# ---- time

n <- 100
measures <- list(measure("rsa", inner = "sqeuclidean", outer = "pearson"), measure("rsa"),
                 measure("cka"), measure("cka", estimator = "stimulus"))

large_example <- function() {
  list(data = matrix(rnorm(n * 20000), n),
       neighbours = lapply(seq_len(centers), function(center) {
         (center + c(0:49, 1000:1049)) %% 20000L + 1L
       }),
       models = lapply(stats::setNames(nm = letters[1:5]), function(m) matrix(rnorm(n * 20), n)))
}

# Seconds of processors, which other work on the machine changes less.
loop_seconds <- function(example, one, some = 20) {
  taken <- system.time(for (at in example$neighbours[seq_len(some)]) {
    quietly(calibrate(example$data[, at], example$models, one, permutations = permutations,
                      threads = threads))
  })
  sum(taken[1:2]) / some * centers
}

if (wanted("time")) {
  set.seed(1)
  example <- large_example()
  cat(centers, "centres of 100 channels,", n, "conditions, 5 models,", permutations,
      "permutations,", threads, "threads\n")
  for (one in measures) {
    seconds <- system.time(searchlight(example$data, example$neighbours, example$models, one,
                                       permutations = permutations, threads = threads))
    loop <- loop_seconds(example, one)
    own <- sum(seconds[1:2])
    cat(sprintf(paste("%-26s %6.1f s, %5.1f s of processors; a loop %6.0f s of them: %4.1f times;",
                      "peak %.2f GB\n"), one$label, seconds[["elapsed"]], own, loop, loop / own,
                peak_of_memory()))
  }
}

if (wanted("runs")) {
  set.seed(3)
  example <- large_example()
  few <- min(centers, 2000L)
  runs <- rep(1:8, each = n)
  observed <- matrix(rnorm(8 * n * 20000), 8 * n)
  seconds <- system.time(searchlight(observed, example$neighbours[seq_len(few)], example$models,
                                     run = runs, condition = rep(seq_len(n), 8),
                                     permutations = permutations, threads = threads))
  cat(sprintf("crossnobis of 8 runs, %d centres: %.1f s (%.1f s of processors); peak %.2f GB\n",
              few, seconds[["elapsed"]], sum(seconds[1:2]), peak_of_memory()))
}

# ---- ways

if (wanted("ways")) {
  set.seed(2)
  matrices <- function(count) lapply(seq_len(count), function(k) tcrossprod(rnorm(n * 20) |>
                                                                             matrix(n)))
  x <- matrices(200)
  models <- matrices(5)
  internal <- asNamespace("repalign")
  job <- list(n = n, operands = lapply(models, function(m) list(matrix = m)), kept = new.env())
  job$design <- internal$coset_design(n, permutations)
  time <- function(code) system.time(code)[["elapsed"]]
  old <- options(repalign.threads = threads)
  cosets <- time(a <- internal$model_products(x, job))
  job$design <- internal$new_design("given", n, job$design$count,
                                    matrix = internal$design_matrix(job$design))
  first <- time(b <- internal$model_products(x, job))
  product <- time(b <- internal$model_products(x, job))
  gathered <- time(d <- .Call(internal$C_permuted_inner, x[1:10], models,
                              cbind(seq_len(n), job$design$matrix), threads)) * 20
  plain <- function(sums) as.vector(aperm(sums[[1]], c(1, 4, 2, 3)))
  stopifnot(all.equal(plain(a), plain(b)))
  cat(sprintf(paste("200 centres x 5 models x %d permutations: cosets %.2f s, matrix product",
                    "%.2f s (%.2f s with the permuted models made), gathering %.1f s\n"),
              permutations,
              cosets, product, first, gathered))
  options(old)
}

# ---- error and power

# Channels on a line whose noise is smooth; neighbourhoods of 9 channels overlap. In `related`
# channels the model is represented with this strength.
line_example <- function(conditions, channels, smooth, related = integer(), strength = 0) {
  noise <- matrix(rnorm(conditions * (channels + 20)), conditions)
  weights <- stats::dnorm(-10:10, sd = max(smooth, 1e-6))
  weights <- weights / sqrt(sum(weights^2))
  data <- vapply(seq_len(channels), function(k) drop(noise[, k + 0:20] %*% weights),
                 numeric(conditions))
  model <- matrix(rnorm(conditions * 3), conditions)
  data[, related] <- data[, related] +
    strength * model %*% matrix(rnorm(3 * length(related)), 3) / sqrt(3)
  list(data = data, models = list(a = model, b = matrix(rnorm(conditions * 3), conditions)),
       neighbours = lapply(seq_len(channels), function(k) max(1, k - 4):min(channels, k + 4)))
}

kinds <- list(`rsa(pearson)` = measure("rsa", inner = "sqeuclidean", outer = "pearson"),
              rsa = measure("rsa"), cka = measure("cka", estimator = "stimulus"))

light <- function(example, one, ...) {
  searchlight(example$data, example$neighbours, example$models, one, permutations = 199,
              threads = 1, ...)
}

share <- function(hits) sprintf("%.3f", mean(hits))

if (wanted("error")) {
  cat("\nShare of", sets, "unrelated data sets with a centre significant at 0.05 (200 centres of",
      "up to 9 channels, 20 conditions, 199 permutations):\n")
  for (smooth in c(0, 2, 5)) {
    set.seed(smooth + 10)
    for (kind in names(kinds)) {
      found <- vapply(seq_len(sets), function(set) {
        example <- line_example(20, 200, smooth)
        one <- light(example, kinds[[kind]])
        first <- one[one$model == "a", ]
        # with across_models = TRUE
        both <- c(max(one$score), do.call(pmax, as.data.frame(attr(one, "max_null"))))
        c(any(first$p_familywise <= 0.05), mean(both >= both[1]) <= 0.05,
          any(first$p_value <= 0.05), mean(first$p_value <= 0.05))
      }, numeric(4))
      cat(sprintf(paste("%-14s noise smooth over %d: one model %s, both models %s;",
                        "p_value alone %s (%s of %s)\n"), kind, smooth,
                  share(found[1, ]), share(found[2, ]),
                  share(found[3, ]),
                  share(found[4, ]), "the centres"))
    }
  }
}

if (wanted("power")) {
  cat("\nShare of", sets, "data sets in which a related place (9 of 100 channels) is found,",
      "and in which an unrelated centre is:\n")
  for (strength in c(0.7, 1, 1.4)) {
    set.seed(100 * strength)
    for (kind in names(kinds)) {
      found <- vapply(seq_len(sets), function(set) {
        example <- line_example(20, 100, 2, 46:54, strength)
        result <- searchlight(example$data, example$neighbours, example$models["a"], kinds[[kind]],
                              permutations = 1999, threads = 1)
        # neighbourhoods without a related channel
        apart <- abs(seq_len(100) - 50) > 8
        c(any(result$p_familywise[!apart] <= 0.05),
          any(stats::p.adjust(result$p_value, "holm")[!apart] <= 0.05),
          any(stats::p.adjust(result$p_value, "BY")[!apart] <= 0.05),
          any(result$p_familywise[apart] <= 0.05))
      }, numeric(4))
      cat(sprintf("%-14s strength %.1f: family-wise %s, Holm %s, BY %s; elsewhere %s\n", kind,
                  strength, share(found[1, ]), share(found[2, ]), share(found[3, ]),
                  share(found[4, ])))
    }
  }
}
