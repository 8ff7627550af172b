# Standard errors and intervals of score_interval(), and the time of score_weighted():
#   Rscript bench/inference.R [weights] [stimuli] [halves] [neurons] [subjects] [sets=300]
#                             [truth=2000] [n=30,100,400]
# Each row of a table is a measure with data of one kind. "ratio" is the mean standard error over
# the standard deviation of the scores, "cover" how often nominal 95% intervals hold the mean score
# of other data sets of this size (`truth` of them), "lost" how many data sets had no interval.

suppressMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 300L)
truths <- setting("truth", 2000L)
sizes <- settings("n", c(30L, 100L, 400L))
options(width = 150)


# ---- data

# Eight latent variables drive the neurons of x and, with latents of its own, y; `shared` is the
# share of the variance of y's latents that it has in common with x.
dimensions <- 8
strength <- c(high = 0.9, low = 0.2)

readouts <- function(q, p) {
  list(x = matrix(rnorm(dimensions * q), dimensions) / sqrt(dimensions),
       y = matrix(rnorm(dimensions * p), dimensions) / sqrt(dimensions))
}

kinds <- list(
  gaussian = function(latent, weights) {
    latent %*% weights + 0.5 * rnorm(nrow(latent) * ncol(weights))
  },
  heavy = function(latent, weights) {
    (latent * sqrt(3 / rchisq(nrow(latent), 5))) %*% weights +
      0.5 * rt(nrow(latent) * ncol(weights), 5)
  },
  counts = function(latent, weights) {
    rates <- exp(1 + 0.7 * latent %*% weights)
    matrix(rpois(length(rates), rates), nrow(rates)) + 0
  },
  gains = function(latent, weights) {
    gains <- exp(0.8 * qnorm(ppoints(ncol(weights))))
    sweep(latent %*% weights + 0.5 * rnorm(nrow(latent) * ncol(weights)), 2, gains, "*")
  }
)

draw <- function(n, kind, level, weights) {
  x <- matrix(rnorm(n * dimensions), n)
  y <- sqrt(strength[[level]]) * x + sqrt(1 - strength[[level]]) * rnorm(n * dimensions)
  list(x = kinds[[kind]](x, weights$x), y = kinds[[kind]](y, weights$y))
}

# ---- errors

scores_of <- function(n, kind, level, measures, make, count) {
  t(vapply(seq_len(count), function(set) {
    data <- draw(n, kind, level, make())
    quietly(similarity(data$x, data$y, measures)$score)
  }, numeric(length(measures))))
}

one_cell <- function(n, kind, level, measures, make, interval) {
  truth <- colMeans(scores_of(n, kind, level, measures, make, truths))
  found <- vapply(seq_len(sets), function(set) {
    data <- draw(n, kind, level, make())
    result <- quietly(interval(data))
    cbind(result$score, result$se, result$conf_low <= truth & truth <= result$conf_high)
  }, matrix(0, length(measures), 3))
  data.frame(measure = names(measures), data = kind, level = level, n = n, truth = truth,
             sd = apply(found[, 1, ], 1, sd),
             ratio = rowMeans(found[, 2, ], na.rm = TRUE) / apply(found[, 1, ], 1, sd),
             cover = rowMeans(found[, 3, ], na.rm = TRUE), lost = rowSums(is.na(found[, 3, ])))
}

show_cells <- function(title, cells, measures, make_of, interval) {
  cat("\n", title, ", ", sets, " data sets a row\n", sep = "")
  for (cell in seq_len(nrow(cells))) {
    set.seed(cell)
    row <- cells[cell, ]
    fixed <- readouts(12, 10)
    table <- one_cell(row$n, row$kind, row$level, measures, make_of(fixed), interval)
    print(format(table, digits = 3), row.names = FALSE)
  }
}

all_cells <- function(kinds, sizes) {
  expand.grid(level = names(strength), kind = kinds, n = sizes, stringsAsFactors = FALSE)
}

closed <- list(
  cka = measure("cka"), `cka(stimulus)` = measure("cka", estimator = "stimulus"),
  `rsa(pearson)` = measure("rsa", outer = "pearson"), rsa = measure("rsa", inner = "euclidean"),
  distance_correlation = measure("distance_correlation"), procrustes = measure("procrustes"),
  cca = measure("cca"), svcca = measure("svcca"),
  soft_correlation_match = measure("soft_correlation_match"),
  hard_correlation_match = measure("hard_correlation_match"),
  `mutual_knn(k = 5)` = measure("mutual_knn", k = 5)
)

halves <- c("knn_jaccard", "cknna", "kcka", "mka", "lcs_knn", "second_order_cosine",
            "rank_similarity")
halves <- c(lapply(stats::setNames(halves, halves), measure, k = 5),
            list(aligned_cosine = measure("aligned_cosine"), gulp = measure("gulp"),
                 linear_regression = measure("linear_regression"), rtd = measure("rtd"),
                 `svcca(components = 4)` = measure("svcca", components = 4),
                 eigenspace_overlap = measure("eigenspace_overlap"),
                 `rsm_difference(spectral)` = measure("rsm_difference", norm = "spectral")))

if (wanted("stimuli")) {
  show_cells("Over stimuli, neurons held", all_cells(names(kinds), sizes), closed,
             function(fixed) function() fixed,
             function(data) score_interval(data$x, data$y, closed))
}
if (wanted("halves")) {
  show_cells("Over stimuli, by half-samples", all_cells("gaussian", sizes[sizes < 400]), halves,
             function(fixed) function() fixed,
             function(data) score_interval(data$x, data$y, halves, resamples = 100))
}
if (wanted("neurons")) {
  both <- closed[c("cka(stimulus)", "rsa(pearson)", "procrustes")]
  show_cells("Over stimuli and neurons of both sides",
             all_cells(c("gaussian", "gains"), sizes[sizes < 400]), both,
             function(fixed) function() readouts(30, 30), function(data) {
               score_interval(data$x, data$y, both, over = c("stimuli", "neurons_x", "neurons_y"))
             })
}

# ---- subjects: each has neurons and latents of its own beside what all share

if (wanted("subjects")) {
  one <- measure("rsa", inner = "sqeuclidean", outer = "pearson")
  weights <- matrix(rnorm(dimensions * 10), dimensions)
  subjects_of <- function(n, count) {
    shared <- matrix(rnorm(n * dimensions), n)
    x <- lapply(seq_len(count), function(u) {
      own <- sqrt(0.7) * shared + sqrt(0.3) * rnorm(n * dimensions)
      kinds$gaussian(own, matrix(rnorm(dimensions * 15), dimensions) / sqrt(dimensions))
    })
    list(x = stats::setNames(x, paste0("s", seq_len(count))), y = kinds$gaussian(shared, weights))
  }
  cat("\nOver stimuli and subjects,", sets, "data sets a row\n")
  for (count in c(3, 6, 12)) {
    set.seed(count)
    truth <- mean(vapply(seq_len(truths / 2), function(set) {
      data <- subjects_of(40, count)
      mean(similarity(data$x, data$y, one)$score)
    }, 0))
    found <- vapply(seq_len(sets), function(set) {
      data <- subjects_of(40, count)
      result <- quietly(score_interval(data$x, data$y, one, over = "subjects"))
      c(result$score, result$se, result$conf_low <= truth & truth <= result$conf_high)
    }, numeric(3))
    cat(sprintf("rsa, 40 stimuli, %2d subjects: truth %.3f, ratio %.2f, cover %.3f\n", count, truth,
                mean(found[2, ]) / sd(found[1, ]), mean(found[3, ])))
  }
}

# ---- the time of weights

if (wanted("weights")) {
  set.seed(1)
  n <- 400
  x <- matrix(rnorm(n * 100), n)
  y <- x %*% matrix(rnorm(100 * 100), 100) / 10 + 2 * rnorm(n * 100)
  counts <- rmultinom(1000, n, rep(1, n))
  timed <- c(closed[c("cka", "cka(stimulus)", "distance_correlation", "rsa(pearson)", "rsa")],
             list(`cka(rbf)` = measure("cka", kernel = "rbf"), mutual_knn = measure("mutual_knn")))
  cat("\n400 stimuli, 100 neurons a side, 1000 vectors of counts: seconds\n")
  for (name in names(timed)) {
    fast <- system.time(quietly(score_weighted(x, y, timed[[name]], counts)))[[3]]
    anew <- system.time(for (b in 1:40) {
      rows <- rep(seq_len(n), counts[, b])
      quietly(similarity(x[rows, ], y[rows, ], timed[[name]]))
    })[[3]] * 25
    cat(sprintf("%-22s by weights %.2f, anew %.1f: %.0f times\n", name, fast, anew, anew / fast))
  }
}
