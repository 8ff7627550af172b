# engine = "moments": is the tail of its law that of all permutations, and what does it cost?
#   Rscript bench/moments.R [tails] [time] [sets=28] [workers=2]
# tails: for single data sets, the share of 200,000 permutations above the thresholds of the law,
# where the engine answers and where it refuses. time: needs a fast BLAS to mean anything; its
# figures are ratios of one run.

library(repalign)
source(file.path(if (dir.exists("bench")) "bench" else ".", "timing.R"))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))

# Tails ----
# One side of a data set; both sides are drawn from the same law, independently.
draw_side <- function(law, n, d) {
  g <- matrix(stats::rnorm(n * d), n)
  switch(law,
    "Gaussian" = g,
    "t, 3 degrees of freedom" = matrix(stats::rt(n * d, 3), n),
    "one outlier row (5 times)" = {
      g[1, ] <- 5 * g[1, ]
      g
    },
    "5% outlier rows (3 times)" = {
      g[seq_len(ceiling(n / 20)), ] <- 3 * g[seq_len(ceiling(n / 20)), ]
      g
    },
    "log-normal" = exp(g),
    "rows of log-normal size" = g * exp(stats::rnorm(n)),
    "sparse counts (mean 0.1)" = matrix(stats::rpois(n * d, 0.1), n),
    "5 clusters" = 3 * matrix(stats::rnorm(5 * d), 5)[sample(5, n, TRUE), , drop = FALSE] + g,
    "2 groups" = 10 * (stats::runif(n) < 0.35) %o% stats::rnorm(d) + g
  )
}

laws <- c("Gaussian", "t, 3 degrees of freedom", "one outlier row (5 times)",
          "5% outlier rows (3 times)", "log-normal", "rows of log-normal size",
          "sparse counts (mean 0.1)", "5 clusters", "2 groups")

levels <- c(0.05, 0.01, 0.001)

measures_of_tails <- list(
  "cka" = list("cka"), "cka, stimulus" = list("cka", estimator = "stimulus"),
  "cka, rbf" = list("cka", kernel = "rbf"), "rv" = list("rv"),
  "distance correlation" = list("distance_correlation"),
  "linear regression" = list("linear_regression"), "gulp" = list("gulp", lambda = 0.1)
)

# For one data set, the share of all permutations above each threshold of the law. (The thresholds
# are those of calibrate(engine = "moments", alpha = ), which refuses where `refused` says so.)
true_levels <- function(x, y, m, permutations) {
  internal <- function(name) utils::getFromNamespace(name, "repalign")
  sides <- internal("as_sides")(x, y)
  pairs <- internal("list_pairs")(sides, FALSE)
  law <- internal("measure_null")(m, pairs, sides, NULL, "moments")$laws[[1]]
  quantiles <- internal("pearson3_quantile")(1 - levels, law$moments)
  null <- null_scores(calibrate(x, y, m, permutations = permutations, engine = "coset"))[, 1]
  # the corrected CKA of a few sparse counts can be undefined
  if (anyNA(null)) return(NULL)
  sign <- internal("orientation")(m)
  above <- vapply(law$score(quantiles), function(q) mean(sign * null >= sign * q), 0)
  refused <- tryCatch({
    calibrate(x, y, m, engine = "moments")
    FALSE
  }, repalign_error_design = function(e) TRUE)
  data.frame(refused, leverage = law$doubts[["leverage"]], at = t(above))
}

run_tail_task <- function(task) {
  set.seed(task$seed)
  rows <- lapply(seq_len(task$sets), function(i) {
    name <- names(measures_of_tails)[(i - 1) %% length(measures_of_tails) + 1]
    # half of the data sets of every measure have few neurons
    few <- (i - 1) %/% length(measures_of_tails) %% 2 == 0
    many <- if (name %in% c("linear regression", "gulp")) c(7, 10) else c(20, 100)
    d <- sample(if (few) c(2, 5) else many, 2, TRUE)
    m <- do.call(measure, measures_of_tails[[name]])
    # a draw of sparse counts can be constant, or have no two different rows at the median
    row <- tryCatch(suppressWarnings(suppressMessages(
      true_levels(draw_side(task$law, task$n, d[1]), draw_side(task$law, task$n, d[2]), m, 2e5)
    )), repalign_error_variance = function(e) NULL, repalign_error_value = function(e) NULL)
    if (!is.null(row)) cbind(task[c("law", "n")], measure = name, few, row)
  })
  do.call(rbind, rows)
}

# Every task has its own seed, so that the result does not depend on the number of processes.
run_tail_tasks <- function(tasks, workers) {
  Sys.setenv(OPENBLAS_NUM_THREADS = "1", OMP_NUM_THREADS = "1")
  cluster <- parallel::makePSOCKcluster(workers)
  on.exit({
    parallel::stopCluster(cluster)
    Sys.unsetenv(c("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"))
  })
  parallel::clusterCall(cluster, function(paths) {
    .libPaths(paths)
    library(repalign)
  }, .libPaths())
  parallel::clusterExport(cluster, c("draw_side", "levels", "measures_of_tails", "true_levels"))
  parallel::clusterApplyLB(cluster, tasks, run_tail_task)
}

at_levels <- c("at.1", "at.2", "at.3")

# One row of a table: true levels where the engine answers, and where it refuses.
tail_row <- function(part, ...) {
  text <- function(rows) {
    if (!nrow(rows)) return(rep("", 3))
    sprintf(c("%.3f", "%.4f", "%.5f"), colMeans(rows[at_levels]))
  }
  answered <- part[!part$refused, ]
  refused <- part[part$refused, ]
  extremes <- function(k) {
    if (nrow(answered)) paste(signif(range(answered[[k]]), 2), collapse = " - ") else ""
  }
  named <- function(values, prefix) {
    as.data.frame(as.list(stats::setNames(values, paste0(prefix, c("0.05", "0.01", "0.001")))))
  }
  cbind(..., sets = nrow(part), answered = nrow(answered), named(text(answered), "at_"),
        range_0.01 = extremes("at.2"), range_0.001 = extremes("at.3"),
        named(text(refused), "refused_"))
}

tail_table <- function(all, by, ...) {
  parts <- split(all, all[by], drop = TRUE, lex.order = TRUE)
  do.call(rbind, lapply(parts, function(part) tail_row(part, part[1, by, drop = FALSE])))
}

judge_tails <- function(all) {
  answered <- all[!all$refused, ]
  cells <- split(answered, answered[c("law", "n")], drop = TRUE)
  cells <- Filter(function(part) nrow(part) >= 5, cells)
  if (!length(cells)) return(say("too few data sets to judge: give a larger sets ="))
  worst <- function(k, f) f(vapply(cells, function(part) mean(part[[k]]), 0))
  say("cells (law x n) with at least 5 answers: %d", length(cells))
  say("largest mean true level at 0.01: %s", verdict(worst("at.2", max), 0.0125))
  say("largest mean true level at 0.001: %s", verdict(worst("at.3", max), 0.002))
  say("smallest mean true levels: %.4f at 0.01, %.5f at 0.001", worst("at.2", min),
      worst("at.3", min))
  over <- answered$at.2 > 0.0125 | answered$at.3 > 0.002
  under <- answered$at.2 < 0.008 | answered$at.3 < 0.0005
  say("single data sets: %d answered, %d of them above 0.0125 or 0.002, %d below 0.008 or 0.0005",
      nrow(answered), sum(over), sum(under))
  small <- answered$n <= 20
  say("of those below, with 20 stimuli: %d of %d", sum(under & small), sum(small))
  bad <- all$refused & (all$at.2 > 0.0125 | all$at.3 > 0.002 | all$at.2 < 0.008 | all$at.3 < 0.0005)
  say("refused: %d, of which %d were wrong by these limits", sum(all$refused), sum(bad))
}

if (wanted("tails")) {
  sets <- setting("sets", 28L)
  started <- Sys.time()
  tasks <- expand.grid(law = laws, n = c(400, 200, 100, 50, 30, 20), stringsAsFactors = FALSE)
  tasks$sets <- sets
  tasks$seed <- 7000 + seq_len(nrow(tasks))
  all <- do.call(rbind, run_tail_tasks(split(tasks, seq_len(nrow(tasks))), setting("workers", 2L)))
  all$law <- factor(all$law, laws)
  options(width = 200)
  say("\n(tails) share of 200,000 permutations at or above the thresholds of the law, means over")
  say("data sets; range: the smallest and the largest of one; refused: where it is an error")
  print(tail_table(all, "law"), row.names = FALSE)
  print(tail_table(all, "n"), row.names = FALSE)
  print(tail_table(all, "measure"), row.names = FALSE)
  print(tail_table(all, c("law", "n"))[1:8], row.names = FALSE)
  judge_tails(all)
  say("%.1f minutes", as.double(difftime(Sys.time(), started, units = "mins")))
}

# Time ----
cost_of <- function(code) {
  expression <- substitute(code)
  gc(FALSE)
  times <- system.time(eval(expression, parent.frame()))
  c(cpu = sum(times[1:2]), wall = times[[3]])
}

# The least of several runs, both engines in turn: what disturbs only adds to it.
compare_cost <- function(x, y, m, times = 3) {
  runs <- replicate(times, {
    c(cost_of(calibrate(x, y, m, engine = "moments")),
      cost_of(calibrate(x, y, m, permutations = 4999)))
  })
  apply(runs, 1, min)
}

if (wanted("time")) {
  say_machine()
  say("\n(time) engine = \"moments\" against engine = \"auto\" with 4999 permutations, d = 256")
  set.seed(8)
  for (name in c("cka", "cka, stimulus", "distance correlation", "linear regression", "gulp")) {
    m <- do.call(measure, measures_of_tails[[name]])
    for (n in c(500, 1000, 2000, 4000)) {
      x <- matrix(stats::rnorm(n * 256), n)
      y <- x[, 256:1] + matrix(stats::rnorm(n * 256), n)
      t <- compare_cost(x, y, m)
      text <- "%6.3f against %6.3f s, ratio %.2f"
      say(paste("%-22s n = %4d  cpu", text, "  wall", text), name, n, t[1], t[3], t[1] / t[3],
          t[2], t[4], t[2] / t[4])
    }
  }
}
