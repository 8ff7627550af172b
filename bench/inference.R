# Standard errors and intervals of score_interval(), and the time of score_weighted():
#   Rscript bench/inference.R [weights] [stimuli] [neurons] [subjects] [sets=500] [truth=1000]
#                             [n=30,100,400] [kind=gaussian,heavy,counts,gains]
#                             [level=high,low,near] [family=pairs,...] [measures=cka,...]
#                             [draws=50] [method=auto] [neurons=12,10]
# Each row of a table is a measure with data of one kind. "ratio" is the mean standard error over
# the standard deviation of the scores, "cover" how often nominal 95% intervals hold the mean score
# of other data sets of this size (`truth` of them), "above" and "below" how often they lie above or
# below it, "lost" how many data sets had no interval, and "told" the share in which a message of
# heavy tails was given (about any of the measures of the table). A data set is the same whatever
# else is asked for, so that a run may be split.

suppressMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 500L)
truths <- setting("truth", 1000L)
sizes <- settings("n", c(30L, 100L, 400L))
draws <- setting("draws", 50L)
counts <- settings("neurons", c(12L, 10L))
method <- words("method", "auto")
options(width = 150)


# ---- data

# Eight latent variables drive the neurons of x and, with latents of its own, y; `shared` is the
# share of the variance of y's latents that it has in common with x. "near": the neurons of y read
# the latents as neurons of x do, so that scores come near to their bounds.
dimensions <- 8
shared <- c(high = 0.9, low = 0.2, near = 0.98)

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
  y <- sqrt(shared[[level]]) * x + sqrt(1 - shared[[level]]) * rnorm(n * dimensions)
  if (level == "near") weights$y <- weights$x[, seq_len(ncol(weights$y))]
  list(x = kinds[[kind]](x, weights$x), y = kinds[[kind]](y, weights$y))
}

# ---- measures, by how their errors are found

pair_forms <- list(
  cka = measure("cka"), `cka(stimulus)` = measure("cka", estimator = "stimulus"),
  `cka(stimulus_neuron)` = measure("cka", estimator = "stimulus_neuron"),
  `cka(rbf)` = measure("cka", kernel = "rbf"), angular_cka = measure("angular_cka"),
  rv = measure("rv"), distance_correlation = measure("distance_correlation"),
  `rsa(pearson)` = measure("rsa", outer = "pearson"), rsa = measure("rsa"),
  rsm_difference = measure("rsm_difference")
)

plain <- function(ids, ...) lapply(stats::setNames(ids, ids), measure, ...)

families <- list(
  pairs = pair_forms,
  influence = plain(c("procrustes", "procrustes_similarity", "angular_shape",
                      "procrustes_size_shape", "permutation_procrustes", "cca",
                      "soft_correlation_match", "hard_correlation_match", "shape_distance",
                      "soft_matching", "soft_matching_correlation")),
  smoothed = plain("mutual_knn", k = 5),
  graphs = plain(c("knn_jaccard", "cknna", "kcka", "mka", "lcs_knn", "second_order_cosine",
                   "rank_similarity", "cycle_knn", "edit_distance_knn"), k = 5),
  halves = c(plain(c("aligned_cosine", "gulp", "linear_regression", "pwcca",
                     "eigenspace_overlap", "svcca", "bures", "bures_distance")),
             list(`svcca(4)` = measure("svcca", components = 4),
                  `rsm_difference(spectral)` = measure("rsm_difference", norm = "spectral"),
                  own = new_measure(function(x, y) abs(stats::cor(rowMeans(x), rowMeans(y))),
                                    "similarity"))),
  statistics = c(plain(c("magnitude_difference", "concentricity_difference")),
                 list(uniformity_difference = measure("uniformity_difference", normalize = TRUE))),
  slow = list(`rsa(kendall)` = measure("rsa", outer = "kendall"), imd = measure("imd")),
  rtd = plain("rtd")
)

# Measures with errors over neurons, too.
over_neurons <- c(pair_forms[c("cka(stimulus)", "cka(stimulus_neuron)", "rsa(pearson)", "rsa",
                               "distance_correlation")],
                  plain(c("procrustes", "cca", "soft_correlation_match")), families$smoothed,
                  plain("linear_regression"), plain("knn_jaccard", k = 5))

asked_measures <- function(set) {
  asked <- words("measures", names(set))
  set[intersect(names(set), asked)]
}

# riemann() needs more neurons than these have
missed <- setdiff(setdiff(measures()$id, "riemann"),
                  sub("[(].*", "", unlist(lapply(families, names))))
if (length(missed)) stop("No part has the measures ", paste(missed, collapse = ", "))

# ---- errors

scores_of <- function(seed, n, kind, level, measures, make) {
  rows <- vapply(seq_len(truths), function(set) {
    set.seed(seed + 5e5 + set)
    data <- draw(n, kind, level, make())
    quietly(similarity(data$x, data$y, measures)$score)
  }, numeric(length(measures)))
  matrix(rows, length(measures))
}

one_cell <- function(seed, n, kind, level, measures, make, interval) {
  truth <- rowMeans(scores_of(seed, n, kind, level, measures, make), na.rm = TRUE)
  told <- 0
  found <- vapply(seq_len(sets), function(set) {
    set.seed(seed + set)
    data <- draw(n, kind, level, make())
    result <- quietly(withCallingHandlers(interval(data),
                                          repalign_heavy_tails = function(m) told <<- told + 1))
    cbind(result$score, result$se, result$conf_low, result$conf_high)
  }, matrix(0, length(measures), 4))
  part <- function(k) matrix(found[, k, ], length(measures))
  above <- rowMeans(part(3) > truth, na.rm = TRUE)
  below <- rowMeans(part(4) < truth, na.rm = TRUE)
  spread <- apply(part(1), 1, sd, na.rm = TRUE)
  data.frame(measure = names(measures), data = kind, level = level, n = n, truth = truth,
             sd = spread, ratio = rowMeans(part(2), na.rm = TRUE) / spread,
             cover = 1 - above - below, above = above, below = below,
             lost = rowSums(is.na(part(3)) | is.na(part(4))), told = told / sets)
}

show_cells <- function(title, sizes, measures, make_of, interval, kinds_of = names(kinds)) {
  measures <- asked_measures(measures)
  if (!length(measures)) return(invisible())
  cat("\n", title, ", ", sets, " data sets a row\n", sep = "")
  cells <- expand.grid(level = words("level", names(shared)), kind = words("kind", kinds_of),
                       n = sizes, stringsAsFactors = FALSE)
  for (cell in seq_len(nrow(cells))) {
    row <- cells[cell, ]
    seed <- 1e6 * (row$n + match(row$kind, names(kinds)) + 4 * match(row$level, names(shared)))
    set.seed(seed)
    fixed <- readouts(counts[1], counts[2])
    table <- one_cell(seed, row$n, row$kind, row$level, measures, make_of(fixed),
                      function(data) interval(data, measures))
    print(format(table, digits = 3), row.names = FALSE)
  }
}

if (wanted("stimuli")) {
  for (family in words("family", names(families))) {
    show_cells(paste0("Over stimuli, neurons held: ", family), sizes, families[[family]],
               function(fixed) function() fixed, function(data, measures) {
                 score_interval(data$x, data$y, measures, method = method, draws = draws)
               })
  }
}
if (wanted("neurons")) {
  show_cells("Over stimuli and neurons of both sides", sizes[sizes < 400], over_neurons,
             function(fixed) function() readouts(30, 30), function(data, measures) {
               score_interval(data$x, data$y, measures, draws = draws,
                              over = c("stimuli", "neurons_x", "neurons_y"))
             }, kinds_of = c("gaussian", "gains"))
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
  copies <- rmultinom(1000, n, rep(1, n))
  timed <- c(pair_forms[c("cka", "cka(stimulus)", "distance_correlation", "rsa(pearson)", "rsa")],
             pair_forms["cka(rbf)"], list(mutual_knn = measure("mutual_knn")))
  cat("\n400 stimuli, 100 neurons a side, 1000 vectors of counts: seconds\n")
  for (name in names(timed)) {
    fast <- system.time(quietly(score_weighted(x, y, timed[[name]], copies)))[[3]]
    anew <- system.time(for (b in 1:40) {
      rows <- rep(seq_len(n), copies[, b])
      quietly(similarity(x[rows, ], y[rows, ], timed[[name]]))
    })[[3]] * 25
    cat(sprintf("%-22s by weights %.2f, anew %.1f: %.0f times\n", name, fast, anew, anew / fast))
  }
}
