# Alignment: how long soft matching takes beside other solvers, how optimistic alignments are in
# sample, and the level of the test of held_out(). From the root of the repository, with the package
# installed:
#   R_LIBS=.build/lib OPENBLAS_NUM_THREADS=1 Rscript bench/align.R [sizes=500] [sets=400]
# The packages transport and clue are compared with where they are installed.

library(repalign)

setting <- function(name, default) {
  given <- sub(paste0("^", name, "="), "", grep(paste0("^", name, "="), commandArgs(TRUE),
                                                value = TRUE))
  if (length(given)) as.integer(strsplit(given, ",")[[1]]) else default
}

sizes <- setting("sizes", 500L)
sets <- setting("sets", 400L)

seconds <- function(code) {
  took <- system.time(value <- code)
  # of the processor, so that a busy machine does not count
  list(value = value, time = sum(took[c("user.self", "sys.self")]))
}

related <- function(n, q, p) {
  shared <- matrix(rnorm(n * 10), n)
  side <- function(d) shared %*% matrix(rnorm(10 * d), 10) + 2 * matrix(rnorm(n * d), n)
  list(x = side(q), y = side(p))
}

cat("Soft matching by correlation, seconds of the processor (100 stimuli):\n")
for (size in sizes) for (wider in c(size, size + 1L, as.integer(1.5 * size))) {
  set.seed(1)
  data <- related(100, size, wider)
  cost <- 1 - cor(data$x, data$y)
  run <- seconds(repalign:::transport_run(cost))
  value <- function(plan) sum(plan$weight * cost[cbind(plan$x, plan$y)])
  ours <- value(repalign:::plan_of_run(run$value, 1))
  cat(sprintf("%d x %d: all masses in %d steps %.3f", size, wider, length(run$value$units),
              run$time))
  if (size == wider) {
    match <- seconds(repalign:::optimal_match(-cost))
    cat(sprintf("; assignment %.3f", match$time))
  }
  if (requireNamespace("transport", quietly = TRUE)) {
    for (method in c("networkflow", "revsimplex", "shortsimplex")) {
      other <- seconds(transport::transport(rep(wider, size), rep(size, wider), cost,
                                            method = method))
      plan <- other$value
      theirs <- sum(plan$mass * cost[cbind(plan$from, plan$to)]) / (size * wider)
      cat(sprintf("; transport (%s) %.3f, cost %+.0e", method, other$time, theirs - ours))
    }
  } else {
    cat("; transport is not installed")
  }
  cat("\n")
}

cat("\nUnrelated data, 40 stimuli: cosine or correlation in sample and held out (means of", sets,
    "sets):\n")
measures <- list(measure("shape_distance", alpha = 0), measure("shape_distance", alpha = 0.5),
                 measure("shape_distance"), measure("soft_matching_correlation"),
                 measure("soft_matching_correlation", mass = 0.3))
for (d in c(5, 15, 25)) {
  set.seed(2)
  found <- replicate(sets, {
    x <- matrix(rnorm(40 * d), 40)
    y <- matrix(rnorm(40 * (d + 3)), 40)
    result <- suppressWarnings(held_out(x, y, measures))
    angle <- grepl("shape", result$measure)
    cbind(ifelse(angle, cos(result$in_sample), result$in_sample),
          ifelse(angle, cos(result$score), result$score))
  })
  labels <- vapply(measures, function(m) m$label, "")
  means <- apply(found, 1:2, mean)
  for (k in seq_along(labels)) {
    cat(sprintf("%2d neurons, %-40s %6.3f %6.3f\n", d, labels[k], means[k, 1], means[k, 2]))
  }
}

cat("\nLevel of the permutation test of held_out() at 0.05 (", sets, " sets, 19 permutations):\n",
    sep = "")
level <- function(label, one) {
  set.seed(3)
  share <- mean(replicate(sets, one()) <= 0.05)
  cat(sprintf("%-50s %.3f +- %.3f\n", label, share, sqrt(share * (1 - share) / sets)))
}
plain <- function(d) matrix(rnorm(30 * d), 30)
level("shape_distance, 30 stimuli", function() {
  held_out(plain(6), plain(8), permutations = 19)$p_value
})
level("soft_matching_correlation, 30 stimuli", function() {
  held_out(plain(6), plain(8), "soft_matching_correlation", permutations = 19)$p_value
})
groups <- rep(1:15, each = 3)
clustered <- function(d) matrix(rnorm(15 * d), 15)[groups, ] + 0.3 * matrix(rnorm(45 * d), 45)
level("shape_distance, 15 clusters of 3, named", function() {
  held_out(clustered(6), clustered(8), clusters = groups, permutations = 19)$p_value
})
level("shape_distance, 15 clusters of 3, not named", function() {
  suppressWarnings(held_out(clustered(6), clustered(8), permutations = 19))$p_value
})
