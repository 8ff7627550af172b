# Ties among neighbours in sparse counts: how p-values of one data set scatter over seeds, and how
# often unrelated and related data sets are rejected at 0.05, with ties = "random" and "average".
#   Rscript bench/ties.R [DATA SETS]

suppressMessages(library(repalign))
runs <- c(as.integer(commandArgs(trailingOnly = TRUE)), 2000L)[1]
n <- 60
k <- 5
ids <- c("mutual_knn", "knn_jaccard", "mka", "kcka", "rank_similarity")

# Counts with a mean of about 0.4. share: of the variance of the rates that the two sides share.
counts <- function(share) {
  drive <- function() matrix(stats::rnorm(n * 3), n)
  common <- drive()
  one_side <- function() {
    rates <- sqrt(share) * common + sqrt(1 - share) * drive()
    matrix(stats::rpois(n * 8, 0.4 * exp(rates %*% matrix(stats::rnorm(24), 3) / 2)), n)
  }
  list(x = one_side(), y = one_side())
}

measure_with <- function(id, ties) {
  args <- list(id, k = k, ties = ties)
  if (id %in% c("mutual_knn", "knn_jaccard", "rank_similarity")) args$metric <- "euclidean"
  do.call(measure, args)
}

p_value <- function(data, id, ties, permutations) {
  suppressMessages(suppressWarnings(
    calibrate(data$x, data$y, measure_with(id, ties), permutations = permutations)$p_value,
    classes = "repalign_ties"
  ))
}

set.seed(3)
data <- counts(0.6)
cat("p-values of one data set over 50 seeds, 999 permutations: lowest, median, highest\n")
for (id in ids) for (ties in c("random", "average")) {
  p <- vapply(1:50, function(seed) {
    set.seed(seed)
    p_value(data, id, ties, 999)
  }, 0)
  cat(sprintf("%-16s %-8s %.3f  %.3f  %.3f\n", id, ties, min(p), stats::median(p), max(p)))
}

rates <- function(share, ids, runs) {
  set.seed(4)
  p <- replicate(runs, {
    data <- counts(share)
    vapply(ids, function(id) {
      vapply(c("random", "average"), function(ties) p_value(data, id, ties, 199), 0)
    }, double(2))
  })
  apply(p <= 0.05, 1:2, mean)
}

show_rates <- function(share, title) {
  # the mean over random orders takes 20 times as long
  for (of in list(setdiff(ids, "rank_similarity"), "rank_similarity")) {
    count <- if (length(of) > 1) runs else max(1, runs %/% 2)
    rejected <- rates(share, of, count)
    cat(title, " of ", count, " data sets (standard error ",
        format(sqrt(mean(rejected) * (1 - mean(rejected)) / count), digits = 2), ")\n", sep = "")
    for (id in of) {
      cat(sprintf("%-16s random %.3f  average %.3f\n", id, rejected["random", id],
                  rejected["average", id]))
    }
  }
}

show_rates(0, "Unrelated counts: rejected at 0.05,")
show_rates(0.9, "Related counts: rejected at 0.05,")
