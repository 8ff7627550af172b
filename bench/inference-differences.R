# Error rates of compare_scores(), best_score() and compare_best():
#   Rscript bench/inference-differences.R [differences] [two] [pairing] [sets=500] [truth=4000]
#                                         [n=60,120] [q=40] [seed=1]
# A brain of q neurons is drawn anew for each data set, and compared with layers whose units are
# fixed. "equal": all 10 layers have the same true score; "graded": layer 1 is the best, and each
# following one a little worse. Intervals and tests have the levels 95% and 5%. Differences count as
# rejected where their true value is, which is not 0 for graded layers.

suppressMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 500L)
truths <- setting("truth", 4000L)
q <- setting("q", 40L)
start <- setting("seed", 1L)
sizes <- settings("n", c(60L, 120L))

# the units of the layers are held fixed, and are all that there are
corrected <- measure("cka", estimator = "stimulus_neuron", complete = "y")
both <- c("stimuli", "neurons_x")

# ---- data: ten latent variables drive the brain. Each layer shares five of them, with a part of
# their variance, and has own variables in the place of the rest. The five differ between layers, so
# that the brain's neurons favour one layer or another by chance; all layers are alike otherwise.

set.seed(1)
dimensions <- 10
readout <- matrix(rnorm(dimensions * 20), dimensions) / sqrt(dimensions)

draw <- function(n, shared) {
  latent <- matrix(rnorm(n * dimensions), n)
  neurons <- matrix(rnorm(dimensions * q), dimensions) / sqrt(dimensions)
  layers <- lapply(seq_along(shared), function(l) {
    turned <- latent[, (seq_len(dimensions) + l - 1) %% dimensions + 1]
    share <- rep(c(shared[l], 0), each = dimensions / 2)
    own <- matrix(rnorm(n * dimensions), n)
    (sweep(turned, 2, sqrt(share), "*") + sweep(own, 2, sqrt(1 - share), "*")) %*% readout
  })
  list(x = latent %*% neurons + 0.5 * rnorm(n * q),
       y = stats::setNames(layers, paste0("layer", seq_along(shared))))
}

# The mean score of many data sets of this size; the same for layers that share the same.
true_scores <- function(n, shared) {
  levels <- unique(shared)
  scores <- vapply(seq_len(truths), function(set) {
    data <- draw(n, levels)
    labels <- seq_len(q)
    h_xx <- hsic(data$x, data$x, estimator = "stimulus_neuron", units_x = labels, units_y = labels)
    vapply(data$y, function(y) {
      hsic(data$x, y, estimator = "stimulus") / sqrt(h_xx * hsic(y, y, estimator = "stimulus"))
    }, 0)
  }, numeric(length(levels)))
  rowMeans(matrix(scores, length(levels)))[match(shared, levels)]
}

scores_with_errors <- function(data, over = both) {
  quietly(score_interval(data$x, data$y, corrected, over = over))
}

show <- function(title, found) {
  cat(title, "\n", sep = "")
  means <- rowMeans(found, na.rm = TRUE)
  cat(paste0("  ", format(names(means)), " ", sprintf("%7.3f", means), "\n"), sep = "")
}

# ---- differences of 10 layers, and the best of them

kinds <- list(equal = rep(0.9, 10), graded = seq(1, 0.5, length.out = 10))
pairs <- utils::combn(10, 2)
less <- function(values) values[pairs[1, ]] - values[pairs[2, ]]

one_data_set <- function(n, shared, truth) {
  data <- draw(n, shared)
  result <- scores_with_errors(data)
  rows <- quietly(compare_scores(result))
  delta <- less(truth)
  p <- 2 * pt(-abs(rows$difference - delta) / rows$se, rows$df)
  alone <- quietly(compare_scores(scores_with_errors(data, "stimuli")))
  unpaired <- sqrt(result$se[pairs[1, ]]^2 + result$se[pairs[2, ]]^2)
  misses <- function(low, high) low > delta | delta > high
  c("difference rejected" = mean(p < 0.05),
    "  over stimuli alone" = mean(misses(alone$conf_low, alone$conf_high)),
    "  as if unpaired" = mean(abs(rows$difference - delta) > 1.96 * unpaired),
    "any of 45, unadjusted" = any(p < 0.05), "any, holm" = any(p.adjust(p, "holm") < 0.05),
    "any, max_t" = any(misses(rows$simultaneous_low, rows$simultaneous_high)),
    equivalence_rates(result, truth), best_rates(result, truth))
}

# Equivalence and non-inferiority where the true difference of the first pair is the margin.
equivalence_rates <- function(result, truth) {
  margin <- truth[1] - truth[5]
  if (margin <= 0) return(NULL)
  row <- quietly(compare_scores(result[c(5, 1), ], margin = margin))
  c("equivalent at the margin" = row$p_equivalence < 0.05,
    "not inferior at the margin" = row$p_noninferiority < 0.05)
}

best_rates <- function(result, truth) {
  best <- quietly(best_score(result))
  top <- which.max(result$score)
  inside <- function(low, high) low <= max(truth) && max(truth) <= high
  c("best: interval holds" = inside(best$conf_low, best$conf_high),
    "  interval of the largest" = inside(result$conf_low[top], result$conf_high[top]),
    "  width over that" = (best$conf_high - best$conf_low) /
      (result$conf_high[top] - result$conf_low[top]),
    "  bias of the largest" = result$score[top] - max(truth),
    "  layer 1 is in the set" = "layer1" %in% best$in_set[[1]],
    "  size of the set" = length(best$in_set[[1]]))
}

if (wanted("differences")) {
  for (n in sizes) {
    for (kind in names(kinds)) {
      set.seed(start)
      truth <- true_scores(n, kinds[[kind]])
      first <- one_data_set(n, kinds[[kind]], truth)
      found <- vapply(seq_len(sets), function(set) one_data_set(n, kinds[[kind]], truth), first)
      show(paste0("\n", n, " stimuli, ", q, " neurons, ", kind, " layers (",
                  paste(sprintf("%.2f", range(truth)), collapse = " to "), "), ", sets,
                  " data sets"), found)
    }
  }
}

# ---- the best of 9 layers against one layer

if (wanted("two")) {
  for (share in c(0.8, 1)) {
    set.seed(start + 1)
    shared <- c(rep(share, 9), 0.8)
    truth <- true_scores(100, shared)
    found <- vapply(seq_len(sets), function(set) {
      result <- scores_with_errors(draw(100, shared))
      test <- quietly(compare_best(result, 1:9, 10))
      top <- which.max(result$score[1:9])
      naive <- quietly(compare_scores(result[c(top, 10), ]))
      c("max-min rejects" = test$p_value < 0.05,
        "  the other way round" = quietly(compare_best(result, 10, 1:9))$p_value < 0.05,
        "  largest less the one" = pt(naive$statistic, naive$df, lower.tail = FALSE) < 0.05,
        "bias of the largest" = naive$difference - (truth[1] - truth[10]),
        "bias of crossfit" = test$crossfit - (truth[1] - truth[10]), "sd of crossfit" = NA)
    }, numeric(6))
    found[6, ] <- sd(found[5, ])
    show(sprintf("\n100 stimuli, %d neurons, 9 layers of %.2f against one of %.2f, %d data sets", q,
                 truth[1], truth[10], sets), found)
  }
}

# ---- the difference of two cells as an aggregate of calibrate(), where both have the same truth

if (wanted("pairing")) {
  difference <- function(grid) abs(grid[1, 1] - grid[1, 2])
  for (id in c("cka", "rsa", "mutual_knn")) {
    for (n in sizes) {
      set.seed(start + 2)
      p <- vapply(seq_len(sets), function(set) {
        data <- draw(n, c(0.8, 0.8))
        quietly(calibrate(list(brain = data$x), data$y, id, permutations = 199,
                          aggregate = difference))$p_value
      }, 0)
      cat(sprintf("%s, %d stimuli: calibrate() rejects two equal layers in %.3f of %d data sets\n",
                  id, n, mean(p <= 0.05), sets))
    }
  }
}
