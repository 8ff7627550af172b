# Estimators over disjoint clusters of stimuli, against literal choices of one stimulus from each
# cluster and literal deletion of clusters.

cluster_labels <- c("a", "b", "c", "d", "e", "e", "b", "a", "c", "a")

# Ten stimuli of five clusters; both sides see what the stimuli have in common.
cluster_pair <- function(qx = 4, qy = 3) {
  shared <- normal_matrix(10, 2)
  list(x = shared %*% normal_matrix(2, qx) + 0.3 * normal_matrix(10, qx),
       y = shared %*% normal_matrix(2, qy) + 0.3 * normal_matrix(10, qy))
}

# The mean of a value over all choices of one stimulus from each cluster.
over_choices <- function(value, labels = cluster_labels) {
  choices <- expand.grid(split(seq_along(labels), labels))
  mean(apply(choices, 1, value))
}

h_over_choices <- function(p, ...) {
  over_choices(function(i) hsic(p$x[i, , drop = FALSE], p$y[i, , drop = FALSE], ...))
}

test_that("H over clusters is the mean over all choices of one stimulus from each", {
  set.seed(1)
  for (widths in list(c(4, 3), c(30, 3), c(3, 30), c(30, 40))) {
    p <- cluster_pair(widths[1], widths[2])
    for (e in c("stimulus", "stimulus_neuron")) {
      expect_equal(hsic(p$x, p$y, estimator = e, clusters = cluster_labels),
                   h_over_choices(p, estimator = e), tolerance = 1e-12)
    }
  }
})

test_that("neuron pairs are left out over clusters as without them", {
  set.seed(2)
  for (width in c(6, 30)) {
    x <- normal_matrix(10, width)
    p <- list(x = x, y = x + normal_matrix(10, width))
    units <- rep(c("a", "b", 3:(width - 1)), length.out = width)
    labels <- list(list(shared_neurons = TRUE), list(units_x = units, units_y = rev(units)))
    for (given in labels) {
      settings <- c(list(estimator = "stimulus_neuron"), given)
      over <- do.call(hsic, c(p, settings, list(clusters = cluster_labels)))
      expect_equal(over, do.call(h_over_choices, c(list(p), settings)), tolerance = 1e-12)
    }
  }
})

test_that("other kernels go over clusters, too", {
  set.seed(3)
  p <- cluster_pair()
  for (sigma in c(2, 1e4)) {
    expect_equal(
      hsic(p$x, p$y, "rbf", estimator = "stimulus", sigma = sigma, clusters = cluster_labels),
      h_over_choices(p, "rbf", estimator = "stimulus", sigma = sigma), tolerance = 1e-6
    )
  }
  expect_equal(
    hsic(p$x, p$y, "rbf", estimator = "stimulus", sigma = 2, clusters = cluster_labels),
    h_over_choices(p, "rbf", estimator = "stimulus", sigma = 2), tolerance = 1e-12
  )
  # neighbours are those of all stimuli: no choice of some has the same kernel
  manifold <- function(side) {
    dense_kernel(representation(side, "x"), list(kernel = "manifold", k = 4))
  }
  k <- manifold(p$x)
  l <- manifold(p$y)
  song <- function(i) {
    k <- k[i, i]
    l <- l[i, i]
    diag(k) <- diag(l) <- 0
    song_estimate(sum(k * l), sum(rowSums(k) * rowSums(l)), sum(k) * sum(l), length(i))
  }
  expect_equal(hsic(p$x, p$y, "manifold", estimator = "stimulus", k = 4, clusters = cluster_labels),
               over_choices(song), tolerance = 1e-12)
})

test_that("clusters of one stimulus each give the plain estimators", {
  set.seed(4)
  for (width in c(5, 40)) {
    pop <- linear_population(n = 30, q = width, d = 4)
    settings <- list(list("linear", "stimulus"), list("linear", "stimulus_neuron"),
                     list("rbf", "stimulus"), list("manifold", "stimulus"))
    for (s in settings) {
      plain <- quietly(cka(pop$x, pop$y, s[[1]], s[[2]]))
      expect_equal(quietly(cka(pop$x, pop$y, s[[1]], s[[2]], clusters = 30:1)), plain,
                   tolerance = 1e-12)
    }
    one <- quietly(cka_interval(pop$x, pop$y, clusters = paste("image", 30:1)))
    all <- quietly(cka_interval(pop$x, pop$y))
    same <- c("estimator", "cka", "se", "h_xy", "h_xx", "h_yy", "bias")
    expect_equal(as.data.frame(one)[same], as.data.frame(all)[same], tolerance = 1e-10)
    # over clusters alone, one degree of freedom less than there are clusters
    alone <- quietly(cka_interval(pop$x, pop$y, clusters = paste("image", 30:1), over = "stimuli"))
    expect_equal(alone$df, rep(29, 3))
    half <- alone$se * qt(0.975, 29)
    expect_equal(alone$conf_high[3], alone$cka[3] + half[3])
    expect_equal(unname(confint(alone)[3, 1]), alone$cka[3] - half[3])
    # with neurons those of Satterthwaite
    half <- one$se * qt(0.975, one$df)
    expect_equal(one$conf_high[3], one$cka[3] + half[3])
  }
})

test_that("the origin drops out, and names and order of labels do not matter", {
  set.seed(5)
  p <- cluster_pair()
  value <- cka(p$x, p$y, estimator = "stimulus", clusters = cluster_labels)
  moved <- list(x = sweep(p$x, 2, c(100, -20, 3, 0)), y = p$y + 1000)
  expect_equal(cka(moved$x, moved$y, estimator = "stimulus", clusters = cluster_labels), value,
               tolerance = 1e-10)
  expect_equal(cka(p$x, p$y, estimator = "stimulus", clusters = factor(cluster_labels)), value,
               tolerance = 1e-14)
  order <- sample(10)
  expect_equal(cka(p$x[order, ], p$y[order, ], estimator = "stimulus",
                   clusters = match(cluster_labels, letters)[order]), value, tolerance = 1e-12)
})

test_that("kernels of the naive estimator leave out stimuli without a label", {
  set.seed(8)
  p <- cluster_pair()
  labels <- replace(cluster_labels, c(2, 9), NA)
  kept <- !is.na(labels)
  for (kernel in c("linear", "rbf", "manifold")) {
    score <- function(x, y, ...) {
      args <- c(list(x, y, kernel = kernel, ...), if (kernel == "manifold") list(k = 3))
      suppressMessages(do.call(cka, args))
    }
    expect_equal(score(p$x, p$y, clusters = labels), score(p$x[kept, ], p$y[kept, ]),
                 label = kernel)
  }
})

test_that("stimuli without a label are left out", {
  set.seed(6)
  p <- linear_population(n = 40, q = 12, d = 3)
  labels <- rep(c(NA, 1:7), 5)
  kept <- !is.na(labels)
  for (e in estimators) {
    expect_identical(quietly(cka(p$x, p$y, estimator = e, clusters = labels)),
                     quietly(cka(p$x[kept, ], p$y[kept, ], estimator = e, clusters = labels[kept])))
  }
  expect_equal(quietly(cka_interval(p$x, p$y, clusters = labels)),
               quietly(cka_interval(p$x[kept, ], p$y[kept, ], clusters = labels[kept])))
})

# H values with nothing and with each cluster deleted, from scratch.
literal_deletions <- function(p, labels, estimator, ...) {
  vapply(c(list(NULL), as.list(unique(labels))), function(cluster) {
    keep <- !labels %in% cluster
    quietly(hsic(p$x[keep, ], p$y[keep, ], estimator = estimator, clusters = labels[keep], ...))
  }, 0)
}

test_that("deletions of clusters equal literal deletion", {
  set.seed(7)
  p <- list(x = normal_matrix(20, 4), y = normal_matrix(20, 19))
  labels <- rep(1:6, c(1, 2, 3, 4, 5, 5))[sample(20)]
  codes <- cluster_codes(labels)
  x <- centered(p$x, 1)
  y <- centered(p$y, 1)
  wanted <- list(naive = literal_deletions(p, labels, "naive"),
                 stimulus = literal_deletions(p, labels, "stimulus"))
  pairs <- 4 * 19
  columns <- lapply(loo_columns(x, y, codes), function(h) rowSums(h) / pairs)
  expect_equal(columns, wanted, tolerance = 1e-12)
  weighted <- lapply(loo_weighted(x, y, matrix(1 / pairs, 4, 19), codes), drop)
  expect_equal(weighted, wanted, tolerance = 1e-12)
  grams <- cluster_gram_deletions(tcrossprod(x), tcrossprod(y), codes)
  expect_equal(lapply(grams, function(h) drop(h) / pairs), wanted, tolerance = 1e-12)
  each <- expand.grid(a = 1:4, b = 1:19)
  single <- loo_pairs(x, y, each$a, each$b, codes)
  expect_equal(lapply(single, function(h) rowSums(h) / pairs), wanted, tolerance = 1e-12)
  terms <- pair_terms(x, y, codes)
  expect_equal(lapply(terms, mean), lapply(wanted, `[`, 1), tolerance = 1e-12)
})

test_that("a cluster with nearly all of the variance is really deleted", {
  set.seed(8)
  p <- list(x = normal_matrix(20, 3), y = normal_matrix(20, 3))
  labels <- rep(1:6, c(3, 3, 3, 3, 4, 4))
  p$x[labels == 2, ] <- 1e6 * p$x[labels == 2, ]
  expect_equal(drop(loo_weighted(centered(p$x, 1), centered(p$y, 1), matrix(1 / 9, 3, 3),
                                 labels)$stimulus),
               literal_deletions(p, labels, "stimulus"), tolerance = 1e-9)
})

test_that("the standard error of an interval is the two-way jackknife over clusters", {
  set.seed(9)
  p <- cluster_pair(5, 4)
  labels <- c(cluster_labels[1:9], "f")
  for (e in c("naive", "stimulus_neuron")) {
    without <- function(cluster, x = 0, y = 0) {
      keep <- !labels %in% cluster
      quietly(cka(p$x[keep, setdiff(1:5, x)], p$y[keep, setdiff(1:4, y)], estimator = e,
                  clusters = labels[keep]))
    }
    all <- without(NULL)
    clusters <- as.list(unique(labels))
    s <- vapply(clusters, without, 0)
    variance <- function(theta) (length(theta) - 1) / length(theta) * sum((theta - mean(theta))^2)
    side <- function(width, without_neuron) {
      single <- vapply(1:width, function(a) without_neuron(NULL, a), 0)
      both <- vapply(1:width, function(a) {
        vapply(clusters, function(cluster) without_neuron(cluster, a), 0)
      }, s)
      inner <- both - outer(s, single, "+") + all
      c(variance(single), 5 / 6 * (width - 1) / width * sum(inner^2))
    }
    vx <- side(5, function(cluster, a) without(cluster, x = a))
    vy <- side(4, function(cluster, a) without(cluster, y = a))
    wanted <- max(variance(s) + vx[1] + vy[1] - vx[2] - vy[2], variance(s), vx[1], vy[1])
    found <- quietly(cka_interval(p$x, p$y, estimator = e, clusters = labels,
                                  over = c("stimuli", "neurons_x", "neurons_y")))
    expect_equal(found$se, sqrt(wanted), tolerance = 1e-10)
    main <- c(variance(s), vx[1], vy[1])
    expect_equal(found$df, wanted^2 / sum(main^2 / c(5, 4, 3)), tolerance = 1e-8)
  }
})

test_that("the estimator over clusters is unbiased where the plain one is not", {
  set.seed(10)
  labels <- rep(1:12, each = 4)
  found <- replicate(400, {
    latent <- function() {
      shared <- normal_matrix(12, 3)[labels, ]
      (sqrt(0.9) * shared + sqrt(0.1) * normal_matrix(48, 3)) %*% normal_matrix(3, 8)
    }
    x <- latent()
    y <- latent()
    c(plain = hsic(x, y, estimator = "stimulus"),
      over = hsic(x, y, estimator = "stimulus", clusters = labels))
  })
  z <- rowMeans(found) / (apply(found, 1, sd) / sqrt(400))
  expect_gt(z[["plain"]], 10)
  expect_lt(abs(z[["over"]]), 3.5)
})

test_that("analyses go over clusters", {
  set.seed(11)
  p <- linear_population(n = 60, q = 12, d = 4)
  wide <- p$x %*% normal_matrix(12, 80) + normal_matrix(60, 80)
  labels <- sample(c(rep(1:9, 6), rep(NA, 6)))
  of <- function(result, e) result$pooled[result$estimator == e]
  pair <- brain_to_brain(p$x, p$y, neurons = 12, clusters = labels)
  model <- brain_to_model(p$x, list(wide = wide), neurons = 12, clusters = labels,
                          over = "stimuli")
  for (e in estimators) {
    expect_equal(of(pair, e), quietly(cka(p$x, p$y, estimator = e, clusters = labels)))
    expect_equal(of(model, e), quietly(cka(p$x, wide, estimator = e, clusters = labels)))
  }
  kept <- labels[!is.na(labels)]
  theta <- vapply(1:9, function(cluster) {
    keep <- !is.na(labels) & labels != cluster
    quietly(cka(p$x[keep, ], wide[keep, ], estimator = "stimulus_neuron", clusters = labels[keep]))
  }, 0)
  last <- model[model$estimator == "stimulus_neuron", ]
  expect_equal(last$pooled_se, sqrt(8 / 9 * sum((theta - mean(theta))^2)), tolerance = 1e-10)
  expect_equal(last$conf_high - last$pooled, qt(0.975, 8) * last$pooled_se)
  expect_output(print(pair), "by the jackknife over\\s+clusters of stimuli")
  trials <- list(p$x + normal_matrix(60, 12), p$x + normal_matrix(60, 12))
  expect_equal(
    of(trial_to_trial(trials, neurons = 12, clusters = labels), "stimulus"),
    of(trial_to_trial(lapply(trials, function(x) x[!is.na(labels), ]), neurons = 12,
                      clusters = kept), "stimulus")
  )
  # single clusters are stimuli, whatever the analysis
  same <- c("pooled", "pooled_se")
  set.seed(1)
  halves <- brain_to_brain(p$x, neurons = 4, repeats = 5, clusters = 1:60)
  set.seed(1)
  expect_equal(as.data.frame(halves)[same],
               as.data.frame(brain_to_brain(p$x, neurons = 4, repeats = 5))[same])
})

test_that("object_disentanglement() takes clusters of images as wholes", {
  set.seed(20)
  responses <- normal_matrix(18, 9) + outer(rep(1, 18), 2 * rnorm(9))
  object <- rep(c("a", "b"), each = 9)
  run <- function(keep = TRUE, clusters = NULL) {
    quietly(object_disentanglement(responses[keep, ], object[keep], neurons = 9,
                                   clusters = clusters[keep]))
  }
  same <- c("pooled", "pooled_se")
  expect_equal(as.data.frame(run(clusters = 18:1))[same], as.data.frame(run())[same],
               tolerance = 1e-12)
  for (labels in list(rep(1:6, each = 3), rep(1:6, 3), c(NA, rep(1:8, 2), NA))) {
    found <- run(clusters = labels)
    # neurons are the samples here, images what is labelled
    keep <- !is.na(labels)
    sides <- lapply(c("a", "b"), function(o) keep & object == o)
    transposed <- lapply(sides, function(at) t(responses[at, ]))
    wanted <- quietly(cka(transposed[[1]], transposed[[2]], estimator = "stimulus_neuron",
                          units_x = labels[sides[[1]]], units_y = labels[sides[[2]]]))
    expect_equal(found$pooled[3], wanted, tolerance = 1e-10)
    deleted <- vapply(unique(labels[keep]), function(cluster) {
      run(keep & labels != cluster, labels)$pooled
    }, numeric(3))
    of <- lapply(sides, function(at) unique(labels[keep]) %in% labels[at])
    strata <- if (any(of[[1]] & of[[2]])) list(TRUE) else of
    variance <- function(theta) (length(theta) - 1) / length(theta) * sum((theta - mean(theta))^2)
    for (e in 1:3) {
      expect_equal(found$pooled_se[e],
                   sqrt(sum(vapply(strata, function(at) variance(deleted[e, at]), 0))),
                   tolerance = 1e-8)
    }
  }
  nested <- run(clusters = rep(1:6, each = 3))
  expect_equal(nested$conf_high - nested$pooled, qt(0.975, 4) * nested$pooled_se)
  expect_output(print(nested), "over\\s+clusters of images")
  expect_error(object_disentanglement(responses, object, clusters = 1:3), "3 labels")
})

test_that("calibrate() permutes whole clusters, for every measure", {
  set.seed(12)
  labels <- rep(letters[1:8], 3)
  shared <- normal_matrix(8, 2)[match(labels, letters), ]
  x <- shared %*% normal_matrix(2, 6) + 0.3 * normal_matrix(24, 6)
  y <- shared %*% normal_matrix(2, 30) + 0.3 * normal_matrix(24, 30)
  set <- list(measure("cka", estimator = "stimulus", clusters = labels),
              measure("cka", estimator = "stimulus_neuron", clusters = labels),
              measure("cka", estimator = "stimulus_neuron", clusters = labels,
                      units_x = 1:6, units_y = 3:32),
              measure("cka", kernel = "rbf", estimator = "stimulus", clusters = labels),
              measure("cka", kernel = "manifold", k = 5, estimator = "stimulus",
                      clusters = labels), "rsa")
  set.seed(1)
  found <- quietly(calibrate(x, y, set, permutations = 39, clusters = labels))
  expect_identical(unique(found$engine), "clusters")
  set.seed(1)
  design <- cluster_plan(cluster_codes(labels), 24, 39)$fixed$matrix
  expect_true(all(apply(design, 2, function(p) {
    moved <- match(labels[p], letters)
    # each cluster comes from one, in its order
    all(tapply(moved, labels, function(from) length(unique(from))) == 1) &&
      !any(tapply(p, labels, is.unsorted))
  })))
  set <- with_common_clusters(quietly(as_measures(set)), cluster_codes(labels))$set
  for (k in seq_along(set)) {
    values <- apply(design, 2, function(p) {
      pair <- as_pair(representation(x, "x"), representation(y[p, ], "y"))
      quietly(compare_pair(set[[k]]$declaration, pair, set[[k]]$args))
    })
    expect_equal(null_scores(found)[, k], values, tolerance = 1e-10)
  }
})

test_that("forms over clusters hold no more numbers than their kind says", {
  set.seed(18)
  labels <- rep(1:10, 4)
  for (width in c(6, 60)) {
    repr <- representation(normal_matrix(40, width), "x")
    for (kernel in kernels) {
      args <- measure("cka", kernel = kernel, estimator = "stimulus", clusters = labels)$args
      form <- form_clusters(repr, args)
      expect_lte(length(unlist(unclass(form))), form_size("cluster kernel", 40, width, args))
    }
  }
})

test_that("rsa() leaves out pairs of stimuli within a cluster", {
  set.seed(19)
  p <- list(x = round(normal_matrix(16, 5), 1), y = round(normal_matrix(16, 6), 1))
  labels <- c(NA, rep(letters[1:5], 3))
  distances <- list(
    correlation = function(x) as.dist(1 - cor(t(x))), euclidean = dist,
    sqeuclidean = function(x) dist(x)^2,
    cosine = function(x) as.dist(1 - tcrossprod(x / sqrt(rowSums(x^2))))
  )
  correlations <- list(
    spearman = function(a, b) cor(a, b, method = "spearman"), pearson = cor,
    cosine = function(a, b) sum(a * b) / sqrt(sum(a^2) * sum(b^2)),
    kendall = function(a, b) {
      pairs <- combn(length(a), 2)
      mean(sign(a[pairs[1, ]] - a[pairs[2, ]]) * sign(b[pairs[1, ]] - b[pairs[2, ]]))
    }
  )
  apart <- outer(labels, labels, "!=")
  apart <- which(apart[lower.tri(apart)])
  for (inner in names(distances)) {
    # equal but for rounding
    rdm <- lapply(p, function(x) round(as.vector(distances[[inner]](x))[apart], 12))
    for (outer in names(correlations)) {
      expect_equal(rsa(p$x, p$y, inner, outer, clusters = labels),
                   correlations[[outer]](rdm$x, rdm$y), tolerance = 1e-9,
                   label = paste(inner, outer))
    }
  }
  m <- measure("rsa", clusters = labels[-1])
  set.seed(1)
  found <- quietly(calibrate(p$x[-1, ], p$y[-1, ], m, permutations = 39, clusters = labels[-1]))
  set.seed(1)
  design <- cluster_plan(cluster_codes(labels[-1]), 15, 39)$fixed$matrix
  values <- apply(design, 2, function(o) rsa(p$x[-1, ], p$y[-1, ][o, ], clusters = labels[-1]))
  expect_equal(null_scores(found)[, 1], values)
  set.seed(1)
  expect_identical(quietly(calibrate(p$x[-1, ], p$y[-1, ], m, permutations = 39))$p_value,
                   found$p_value)
  expect_error(rsa(p$x, p$y, clusters = rep(1:2, 8)), "at least 3")
})

test_that("Kendall's tau of few pairs out of many is that of these pairs", {
  set.seed(20)
  for (n in c(20, 60, 200)) {
    x <- normal_matrix(n, 4)
    y <- x + normal_matrix(n, 4)
    labels <- c(rep("a", n - 2), "b", "c")
    apart <- outer(labels, labels, "!=")[lower.tri(diag(n))]
    expect_equal(rsa(x, y, "euclidean", "kendall", clusters = labels),
                 cor(dist(x)[apart], dist(y)[apart], method = "kendall"))
  }
})

test_that("few clusters are all permuted, and stimuli without a label are left out", {
  set.seed(13)
  x <- normal_matrix(14, 3)
  y <- normal_matrix(14, 4)
  labels <- c(NA, rep(1:4, each = 3), NA)
  expect_message(found <- calibrate(x, y, clusters = labels), class = "repalign_few_permutations")
  expect_identical(as.numeric(found$permutations), 23)
  cut <- quietly(calibrate(x[2:13, ], y[2:13, ], clusters = labels[2:13]))
  expect_equal(as.data.frame(found), as.data.frame(cut))
})

test_that("labels that do not fit are errors that name the remedy", {
  set.seed(14)
  x <- normal_matrix(20, 3)
  y <- normal_matrix(20, 4)
  labels <- rep(1:5, 4)
  corrected <- measure("cka", estimator = "stimulus", clusters = labels)
  fails <- function(code, words, class = "repalign_error_labels") {
    expect_error(code, words, class = class)
  }
  fails(cka(x, y, estimator = "stimulus", clusters = 1:3), "3 labels, but `x` has 20 rows")
  fails(cka(x, y, estimator = "stimulus", clusters = rep(1:3, length.out = 20)), "at least 4")
  fails(cka(x, y, estimator = "stimulus", clusters = list(1)), "vector of labels")
  fails(cka_interval(x, y, clusters = rep(1:4, 5)), "at least 5")
  fails(brain_to_brain(x, y, clusters = rep(1:4, 5)), "at least 5")
  fails(brain_to_brain(x, y, clusters = 1:7), "7 labels")
  fails(similarity(list(a = x[-1, ], b = y[-1, ]), measure = corrected), "20 labels")
  design <- function(code, words) fails(code, words, "repalign_error_design")
  fails(calibrate(x, y, corrected, clusters = rep(1:4, 5)), "differ between the measures and the",
        "repalign_error_choice")
  design(calibrate(x, y, corrected, blocks = labels), "`blocks` is given, but a measure")
  design(calibrate(x, y, clusters = rep(1:5, 2:6)), "one size can change places")
  design(calibrate(x, y, clusters = labels, blocks = labels), "only one")
  design(calibrate(x, y, clusters = labels, engine = "moments"), "must be \"auto\"")
  expect_message(cka(x, y, clusters = labels), class = "repalign_unused_clusters")
})

test_that("missing stimuli are left out of the labels of measures, too", {
  set.seed(15)
  x <- normal_matrix(20, 3)
  y <- normal_matrix(20, 4)
  labels <- rep(1:5, 4)
  m <- measure("cka", estimator = "stimulus", clusters = labels)
  full <- similarity(x[-3, ], y[-3, ], measure("cka", estimator = "stimulus",
                                               clusters = labels[-3]))
  x[3, 2] <- NA
  expect_identical(quietly(similarity(x, y, m, na = "stimuli"))$score, full$score)
})

test_that("intervals of rows in series or runs warn once, and labels answer", {
  set.seed(16)
  series <- function(n, q) apply(normal_matrix(n, q), 2, stats::filter, 0.9, "recursive")
  x <- series(80, 10)
  y <- series(80, 12)
  expect_warning(cka_interval(x, y, "stimulus"), "clusters", class = "repalign_dependence")
  expect_warning(brain_to_brain(x, y, neurons = 4, repeats = 2, estimator = "naive"),
                 class = "repalign_dependence")
  expect_warning(brain_to_model(x, list(y = y), neurons = 4, repeats = 2, estimator = "naive"),
                 class = "repalign_dependence")
  trials <- list(x, x + normal_matrix(80, 10))
  expect_warning(trial_to_trial(trials, neurons = 4, repeats = 2, estimator = "naive"),
                 class = "repalign_dependence")
  expect_no_warning(brain_to_brain(x, y, neurons = 4, repeats = 2, estimator = "naive",
                                   conf_level = NULL), class = "repalign_dependence")
  expect_no_warning(cka_interval(x, y, "stimulus", clusters = 1:80), class = "repalign_dependence")
  shuffled <- sample(80)
  # their rows are as alike in any order
  expect_warning(cka_interval(x[shuffled, ], y[shuffled, ], "stimulus"),
                 class = "repalign_dependence")
  copies <- normal_matrix(20, 6)[rep(1:20, each = 4), ]
  expect_warning(cka_interval(copies + 0.1 * normal_matrix(80, 6), copies + normal_matrix(80, 6),
                              "stimulus"), class = "repalign_dependence")
})

test_that("the statistic of neighbours has the mean and variance of shuffled rows", {
  set.seed(17)
  x <- normal_matrix(6, 2)^3
  orders <- all_permutations(6)
  gram <- tcrossprod(centered(x, 1))
  # the last row and the first are neighbours, too
  inner <- apply(orders, 2, function(p) sum(gram[cbind(p, c(p[-1], p[1]))]))
  moments <- shuffled_moments(gram, 6, judged_neighbours(6)$sharing)
  expect_equal(moments$mean, mean(inner))
  expect_equal(moments$variance, mean((inner - mean(inner))^2))
  apart <- apply(orders, 2, function(p) sum(gram[cbind(p[c(1, 3, 5)], p[c(2, 4, 6)])]))
  moments <- shuffled_moments(gram, 3, 0)
  expect_equal(moments$variance, mean((apart - mean(apart))^2))
  long <- judged_neighbours(5000)
  expect_length(long$rows, most_judged_rows)
  expect_true(all(long$rows[long$second] - long$rows[long$first] == 1))
  expect_lt(row_evidence(matrix(1e300 * rnorm(40), 20))$share, 2)
})
