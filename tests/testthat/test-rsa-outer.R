# Comparisons of RDMs: reference values, plain definitions, missing pairs, signs.

# inputs are small: threads would only wait for each other
withr::local_options(repalign.threads = 1)

outer_of <- c(cosine = "cosine", corr = "pearson", spearman = "spearman", "tau-a" = "kendall",
              "tau-b" = "tau_b", "rho-a" = "rho_a", cosine_cov = "whitened_cosine",
              corr_cov = "whitened_pearson")

# The RDMs of the 92 images by the names of the reference.
images_of_rsa <- function() once("images of rsa", {
  table <- read.csv(gzfile(shared_file("data", "rdm92.csv.gz")))
  as_dist <- function(values) structure(values, Size = 92L, Diag = FALSE, Upper = FALSE,
                                        class = "dist")
  lapply(table[-(1:2)], as_dist)
})

# The RDMs and models of a block, and the score of a data RDM and a model.
block_rdms <- function(block) {
  case <- block$case[1]
  if (case == "rdm92") return(list(data = images_of_rsa(), models = images_of_rsa()))
  parameters <- block$parameters[1]
  which <- if (grepl("rdms=", parameters)) sub(".*rdms=([a-z_]+).*", "\\1", parameters) else "data"
  list(data = rsa_rdms(paste0(case, "_", which)), models = rsa_rdms(paste0(case, "_models")))
}

block_noise <- function(block) {
  if (!grepl("sigma_k", block$parameters[1])) return(NULL)
  stimulus_noise <- as.matrix(rsa_input(paste0(block$case[1], "_sigma")))
  if (grepl("variance", block$parameters[1])) stimulus_noise[, 1] else unname(stimulus_noise[, -1])
}

block_score <- function(block) {
  stimulus_noise <- block_noise(block)
  method <- block$method[1]
  function(data, model) {
    quietly(switch(method, bures = bures(data, model),
      bures_metric = bures_distance(data, model)^2,
      neg_riem_dist = riemann(model, data, stimulus_noise = stimulus_noise),
      rsa(data, model, outer = outer_of[[method]], stimulus_noise = stimulus_noise,
          na = "pairwise")))
  }
}

test_that("scores are those of the reference, for every comparison", {
  for (block in rsa_blocks("compare")) {
    rdms <- block_rdms(block)
    score <- block_score(block)
    at <- function(column) if (block$case[1] == "rdm92") column else as.integer(column)
    values <- mapply(function(i, j) score(rdms$data[[i]], rdms$models[[j]]), at(block$i),
                     at(block$j))
    expect_rsa_block(values, block)
  }
})

# ---- against plain definitions

signed_rdms <- function(n = 9, seed = 1) {
  set.seed(seed)
  as_rdm <- function(values) structure(values, Size = n, Diag = FALSE, Upper = FALSE,
                                       class = "dist")
  shared <- rnorm(n * (n - 1) / 2)
  list(x = as_rdm(shared + rnorm(length(shared))),
       y = as_rdm(round(shared + rnorm(length(shared)), 1)))
}

noise_of <- function(n = 9) {
  set.seed(2)
  list(none = NULL, variances = runif(n, 0.5, 2), matrix = crossprod(normal_matrix(n, n)) + diag(n))
}

test_that("every comparison of signed RDMs is its definition", {
  p <- signed_rdms()
  for (outer in rsa_outer) {
    expect_equal(rsa(p$x, p$y, outer = outer),
                 def_compare_rdms(as.vector(p$x), as.vector(p$y), outer), tolerance = 1e-10,
                 label = outer)
    # signs count: the other sign of one side is the other sign of a correlation
    if (!outer %in% c("cosine", "whitened_cosine")) {
      expect_equal(rsa(p$x, -p$y, outer = outer), -rsa(p$x, p$y, outer = outer), tolerance = 1e-10)
    }
    expect_equal(rsa(p$x, -p$x, outer = outer), -1)
  }
})

test_that("whitened scores are those of the inverse of the covariance of all pairs", {
  p <- signed_rdms()
  noise <- noise_of()
  for (outer in whitened_outer) for (stimulus_noise in noise) {
    v <- def_pair_covariance(36, stimulus_noise)
    expected <- def_compare_rdms(as.vector(p$x), as.vector(p$y), outer, v)
    expect_equal(rsa(p$x, p$y, outer = outer, stimulus_noise = stimulus_noise), expected,
                 tolerance = 1e-10)
    # neither its unit nor that of the RDMs matters
    if (!is.null(stimulus_noise)) {
      expect_equal(rsa(p$x * 1e-9, p$y, outer = outer, stimulus_noise = 1e6 * stimulus_noise),
                   expected, tolerance = 1e-9)
    }
  }
  # without noise it is the linear CKA
  x <- normal_matrix(12, 4)
  y <- x + normal_matrix(12, 4)
  expect_equal(rsa(x, y, inner = "sqeuclidean", outer = "whitened_cosine"), cka(x, y),
               tolerance = 1e-12)
  expect_equal(rsa(x, y, inner = "sqeuclidean", outer = "whitened_cosine",
                   stimulus_noise = rep(1, 12)), cka(x, y),
               tolerance = 1e-12)
  expect_equal(rsa(x, dist(y)^2, inner = "sqeuclidean", outer = "whitened_cosine"), cka(x, y),
               tolerance = 1e-12)
})

# Which pairs of stimuli have different labels.
pair_labels <- function(labels) {
  apart <- outer(labels, labels, "!=")
  apart[lower.tri(apart)] %in% TRUE
}

test_that("over clusters, whitened scores are those of the covariance of the pairs between them", {
  p <- signed_rdms()
  all <- list(even = rep(1:3, 3), uneven = c(1, 1, 1, 1, 2, 2, 3, NA, 4))
  for (outer in whitened_outer) for (noise in noise_of()) for (labels in all) {
    there <- pair_labels(labels)
    v <- def_pair_covariance(36, noise)[there, there]
    expected <- def_compare_rdms(p$x[there], p$y[there], outer, v)
    m <- measure("rsa", outer = outer, clusters = labels, stimulus_noise = noise)
    expect_equal(similarity(p$x, p$y, m)$score, expected, tolerance = 1e-10)
    # what the pairs within clusters are does not count
    moved <- replace(p$x, !there, 7)
    expect_equal(similarity(moved, p$y, m)$score, expected, tolerance = 1e-10)
    lacking <- replace(p$x, which(!there)[1], NA)
    pairwise <- measure("rsa", outer = outer, clusters = labels, stimulus_noise = noise, na = "pairwise")
    found <- quietly(similarity(lacking, p$y, pairwise))
    expect_equal(found$score, expected, tolerance = 1e-10)
    expect_identical(found$pairs, sum(there))
  }
  flat <- replace(p$x, pair_labels(all$even), 2)
  expect_warning(score <- rsa(flat, p$y, outer = "whitened_pearson", clusters = all$even), "dissimilarities",
                 class = "repalign_undefined")
  expect_identical(score, NA_real_)
})

test_that("clusters that change places have the whitened scores of the pairs between them", {
  p <- signed_rdms()
  labels <- rep(1:3, 3)
  orders <- cluster_plan(cluster_codes(labels), 9, 99)$fixed$matrix
  for (outer in whitened_outer) for (noise in noise_of()) {
    m <- measure("rsa", outer = outer, clusters = labels, stimulus_noise = noise)
    found <- quietly(calibrate(p$x, p$y, m, permutations = 99))
    expected <- apply(orders, 2, function(order) similarity(p$x, relabel_dist(p$y, order), m)$score)
    expect_equal(null_scores(found)[, 1], expected, tolerance = 1e-10)
  }
})

test_that("tau is right for many ties and long vectors, and its limits are those of the orders", {
  set.seed(3)
  for (n in c(4, 12, 40)) {
    count <- n * (n - 1) / 2
    x <- structure(sample(5, count, TRUE) - 3, Size = n, class = "dist")
    y <- structure(rnorm(count), Size = n, class = "dist")
    z <- structure(sample(3, count, TRUE) / 7, Size = n, class = "dist")
    for (pair in list(list(x, y), list(x, z), list(z, x))) {
      a <- as.vector(pair[[1]])
      b <- as.vector(pair[[2]])
      expect_equal(rsa(pair[[1]], pair[[2]], outer = "tau_b"), cor(a, b, method = "kendall"),
                   tolerance = 1e-12)
      expect_equal(rsa(pair[[1]], pair[[2]], outer = "kendall"), def_tau_a(a, b), tolerance = 1e-12)
    }
    expect_equal(rsa(x, x, outer = "tau_b"), 1)
    expect_lt(rsa(x, x, outer = "kendall"), 1)
  }
})

test_that("rho_a is the mean of Spearman's correlation over random orders of ties", {
  x <- structure(c(1, 1, 2, 2, 3, 3), Size = 4, class = "dist")
  y <- structure(c(0, 0, 0, 1, 5, 5), Size = 4, class = "dist")
  breaks <- function(v) {
    orders <- def_orders(6)
    unique(t(apply(orders, 1, function(o) {
      r <- integer(6)
      r[order(v, o)] <- 1:6
      r
    })))
  }
  a <- breaks(x)
  b <- breaks(y)
  all <- apply(a, 1, function(r) apply(b, 1, function(s) cor(r, s)))
  expect_equal(rsa(x, y, outer = "rho_a"), mean(all), tolerance = 1e-12)
  expect_lt(rsa(x, x, outer = "rho_a"), 1)
})

# ---- missing pairs

lacking <- function(d, at) replace(d, at, NA)

test_that("missing pairs: scores of the pairs that both sides have, with their own covariance", {
  p <- signed_rdms()
  noise <- noise_of()
  # few, different ones on each side; most of them; and all of the third stimulus
  third <- which(combn(9, 2)[1, ] == 3 | combn(9, 2)[2, ] == 3)
  gaps <- list(list(c(2, 9, 30), c(9, 17)), list(1:20, 15:29), list(third, integer()),
               list(c(third, 1), 36))
  for (gap in gaps) {
    x <- lacking(p$x, gap[[1]])
    y <- lacking(p$y, gap[[2]])
    there <- which(!is.na(x) & !is.na(y))
    for (outer in rsa_outer) for (stimulus_noise in if (outer %in% whitened_outer) noise else
                                  list(NULL)) {
      v <- def_pair_covariance(36, stimulus_noise)[there, there]
      expect_equal(quietly(rsa(x, y, outer = outer, stimulus_noise = stimulus_noise,
                               na = "pairwise")),
                   def_compare_rdms(x[there], y[there], outer, v), tolerance = 1e-10,
                   label = paste(outer, length(there)))
    }
  }
  # NaN is missing, too, and complete RDMs are compared as ever
  expect_equal(quietly(rsa(replace(p$x, 2, NaN), p$y, na = "pairwise")),
               quietly(rsa(lacking(p$x, 2), p$y, na = "pairwise")))
  for (outer in rsa_outer) {
    expect_identical(rsa(p$x, p$y, outer = outer, na = "pairwise"), rsa(p$x, p$y, outer = outer))
  }
})

test_that("missing pairs against data, with clusters, and in grids with their numbers", {
  p <- signed_rdms()
  data <- normal_matrix(9, 6)
  x <- lacking(p$x, 1:3)
  d <- as.vector(dist(data))
  expect_equal(quietly(rsa(x, data, "euclidean", na = "pairwise")),
               cor(rank(x[-(1:3)]), rank(d[-(1:3)])), tolerance = 1e-12)
  expect_equal(quietly(rsa(data, x, "sqeuclidean", "pearson", na = "pairwise")),
               cor(x[-(1:3)], d[-(1:3)]^2), tolerance = 1e-12)
  labels <- rep(1:3, 3)
  there <- setdiff(which(between_clusters(labels)), 1:3)
  expect_equal(quietly(rsa(x, p$y, outer = "cosine", clusters = labels, na = "pairwise")),
               def_cosine(x[there], p$y[there]), tolerance = 1e-12)
  expect_message(rsa(x, p$y, na = "pairwise"), "over 33 of 36 pairs",
                 class = "repalign_pairs_left_out")
  expect_silent(rsa(p$x, p$y, na = "pairwise"))
  models <- list(a = p$y, b = lacking(p$y, 3:10))
  set <- list(measure("rsa", na = "pairwise"), measure("rsa", outer = "cosine", na = "pairwise"))
  expect_message(grid <- similarity(list(x = x), models, set), "over 26 to 33 of 36 pairs")
  expect_identical(grid$pairs, c(33L, 33L, 26L, 26L))
  expect_equal(grid$score, vapply(1:4, function(r) {
    quietly(rsa(x, models[[grid$y[r]]], outer = c("spearman", "cosine")[2 - r %% 2],
                na = "pairwise"))
  }, 0))
  expect_null(similarity(p$x, p$y, "rsa")$pairs)
  complete <- quietly(similarity(p$x, p$y, list(measure("rsa", na = "pairwise"), "bures")))
  expect_identical(complete$pairs, c(36L, NA))
})

test_that("missing pairs are refused where nothing does without them", {
  p <- signed_rdms()
  x <- lacking(p$x, 5)
  expect_refused(rsa(x, p$y), c("`x`", "missing", "rows 1 and 6"))
  expect_refused(similarity(list(a = x, b = p$x), measure = "rsa"), "`x\\$a`")
  expect_refused(similarity(x, p$y, list("rsa", measure("rsa", na = "pairwise"))), "missing")
  for (id in c("bures", "bures_distance", "riemann", "rsm_difference")) {
    expect_refused(get(id)(x, p$y), c("`x`", "missing"))
  }
  expect_refused(rsa(replace(p$x, 5, Inf), p$y, na = "pairwise"), "infinite")
  few <- lacking(p$x, 3:36)
  expect_refused(rsa(few, p$y, na = "pairwise"), c("2 pairs", "at least 3"))
  expect_refused(rsa(p$x, p$y, na = "some"), "`na`")
  # undefined where what is left does not differ
  flat <- replace(lacking(p$x, 4:36), 1:3, 2)
  for (outer in setdiff(rsa_outer, c("cosine", "whitened_cosine"))) {
    value <- expect_warned(suppressMessages(rsa(flat, p$y, outer = outer, na = "pairwise")),
                           "repalign_undefined")
    expect_identical(value, NA_real_)
  }
})

test_that("relabelled RDMs have the scores of permuted ones, with noise and with missing pairs", {
  p <- signed_rdms()
  set.seed(4)
  orders <- t(replicate(5, sample(9)))
  x <- lacking(p$x, c(1, 20))
  settings <- c(lapply(rsa_outer, function(outer) list(outer = outer)),
                lapply(whitened_outer,
                       function(outer) list(outer = outer, stimulus_noise = noise_of()$matrix)))
  for (args in settings) {
    m <- do.call(measure, c("rsa", args))
    null <- null_scores(quietly(calibrate(p$x, p$y, m, permutations = orders)))
    plain <- apply(orders, 1,
                   function(o) quietly(do.call(rsa, c(list(p$x, permuted_side(p$y, o)), args))))
    expect_equal(as.vector(null), plain, tolerance = 1e-10)
    args$na <- "pairwise"
    m <- do.call(measure, c("rsa", args))
    y <- lacking(p$y, c(4, 30))
    null <- null_scores(quietly(calibrate(x, y, m, permutations = orders)))
    plain <- apply(orders, 1, function(o) {
      quietly(do.call(rsa, c(list(x, permuted_side(y, o)), args)))
    })
    expect_equal(as.vector(null), plain, tolerance = 1e-10)
  }
  # whole cosets at once, but for those that are computed anew
  fast <- function(...) has_cosets(null_of(measure("rsa", ...)))
  for (outer in setdiff(rsa_outer, tau_outer)) expect_true(fast(outer = outer), label = outer)
  for (outer in tau_outer) expect_false(fast(outer = outer), label = outer)
  expect_false(fast(outer = "whitened_cosine", stimulus_noise = rep(1, 9)))
})

test_that("noise and missing pairs go through all functions that take measures", {
  p <- signed_rdms(16)
  stimulus_noise <- runif(16, 0.5, 2)
  m <- measure("rsa", outer = "whitened_pearson", stimulus_noise = stimulus_noise)
  expect_identical(similarity(p$x, p$y, m)$score,
                   rsa(p$x, p$y, outer = "whitened_pearson", stimulus_noise = stimulus_noise))
  x <- lacking(p$x, c(3, 40))
  shifted <- quietly(calibrate(x, p$y, measure("rsa", na = "pairwise"), permutations = 5,
                               series = TRUE))
  expect_true(is.finite(shifted$p_value))
  # of halves, and of some stimuli, the noise is theirs
  keep <- c(2:9, 12:16)
  cut <- function(d) as.dist(as.matrix(d)[keep, keep])
  weights <- matrix(1:16 %in% keep, 16) + 0
  expect_equal(score_weighted(p$x, p$y, m, weights),
               rsa(cut(p$x), cut(p$y), outer = "whitened_pearson",
                   stimulus_noise = stimulus_noise[keep]))
  expect_identical(quietly(score_interval(p$x, p$y, m, draws = 20))$method, "half-samples")
  gone <- p$x
  gone[apply(combn(16, 2) == 1, 2, any)] <- NA
  expect_equal(quietly(similarity(gone, p$y, m, na = "stimuli"))$score,
               rsa(as.dist(as.matrix(p$x)[-1, -1]), as.dist(as.matrix(p$y)[-1, -1]),
                   outer = "whitened_pearson", stimulus_noise = stimulus_noise[-1]))
  x <- lacking(p$x, c(3, 40))
  pairwise <- measure("rsa", na = "pairwise")
  made <- prepare(list(x = x), pairwise)
  expect_identical(quietly(similarity(made, p$y, pairwise))$score,
                   quietly(similarity(x, p$y, pairwise))$score)
  expect_identical(quietly(score_interval(x, p$y, pairwise, draws = 20))$score,
                   quietly(rsa(x, p$y, na = "pairwise")))
  data <- normal_matrix(16, 5)
  made <- prepare(list(d = data), pairwise)
  expect_identical(quietly(similarity(made, list(x = x), pairwise))$score,
                   quietly(rsa(data, x, na = "pairwise")))
})

test_that("deletions of whitened comparisons are scores made anew", {
  p <- signed_rdms(12)
  for (outer in whitened_outer) {
    m <- measure("rsa", outer = outer)
    expect_identical(quietly(score_interval(p$x, p$y, m))$method, "jackknife")
    pair <- as_pair(representation(p$x, "x"), representation(p$y, "y"))
    found <- errors_of(m)$stimuli(pair, m$args, NULL)
    without <- function(d, i) as.dist(as.matrix(d)[-i, -i])
    plain <- vapply(1:12, function(i) rsa(without(p$x, i), without(p$y, i), outer = outer), 0)
    expect_equal(found, c(rsa(p$x, p$y, outer = outer), plain), tolerance = 1e-10)
    codes <- rep(1:6, 2)
    found <- errors_of(m)$stimuli(pair, m$args, codes)
    plain <- vapply(1:6, function(u) {
      rsa(without(p$x, which(codes == u)), without(p$y, which(codes == u)), outer = outer)
    }, 0)
    expect_equal(found[-1], plain, tolerance = 1e-10)
    expect_s3_class(quietly(score_interval(p$x, p$y, m, clusters = codes)), "repalign_interval")
  }
})

# ---- bad and odd input

test_that("noise that is none, or that nothing uses, is refused", {
  p <- signed_rdms()
  whitened <- function(stimulus_noise) rsa(p$x, p$y, outer = "whitened_cosine",
                                           stimulus_noise = stimulus_noise)
  expect_refused(whitened(1:8), c("`stimulus_noise`", "8", "9"))
  expect_refused(whitened(diag(8)), c("`stimulus_noise`", "8", "9"))
  expect_refused(whitened(c(-1, 1:8)), c("`stimulus_noise`", "stimulus 1"))
  expect_refused(whitened(matrix(1, 9, 9)), c("`stimulus_noise`", "positive definite"))
  expect_refused(whitened(matrix(rnorm(81), 9)), c("`stimulus_noise`", "symmetric"))
  expect_refused(whitened(matrix(1, 9, 3)), "`stimulus_noise`")
  expect_refused(whitened(c(NA, 1:8)), c("`stimulus_noise`", "missing"))
  expect_refused(whitened("a"), "`stimulus_noise`")
  expect_refused(rsa(p$x, p$y, outer = "cosine", stimulus_noise = rep(1, 9)),
                 c("`stimulus_noise`", "cosine"))
  expect_refused(rsa(p$x, p$y, outer = "whitened"), "`outer`")
})

test_that("RDMs whose dissimilarities are all equal, or 0 for a cosine, have no score", {
  p <- signed_rdms()
  zero <- 0 * p$x
  for (outer in rsa_outer) {
    for (flat in list(zero, zero + 3)) {
      for (sides in list(list(flat, p$y), list(p$y, flat))) {
        if (outer %in% c("cosine", "whitened_cosine") && any(flat != 0)) {
          expect_true(is.finite(rsa(sides[[1]], sides[[2]], outer = outer)))
          next
        }
        value <- expect_warned(rsa(sides[[1]], sides[[2]], outer = outer), "repalign_undefined")
        expect_identical(value, NA_real_)
      }
    }
    if (outer %in% whitened_outer) {
      expect_warned(rsa(zero, p$y, outer = outer, stimulus_noise = 1:9), "repalign_undefined")
    }
  }
  expect_warned(bures(zero, p$y), "repalign_undefined")
  # other measures refuse them, as ever
  expect_refused(rsm_difference(zero, abs(p$y)), c("`x`", "all distances are 0"))
  expect_refused(similarity(list(a = zero, b = abs(p$y)), measure = "distance_correlation"),
                 "all distances are 0")
})

test_that("three stimuli are enough, two are not", {
  x <- structure(c(1, 2, 4), Size = 3, class = "dist")
  y <- structure(c(2, 1, 9), Size = 3, class = "dist")
  for (outer in rsa_outer) {
    expect_equal(rsa(x, y, outer = outer), def_compare_rdms(as.vector(x), as.vector(y), outer))
    expect_refused(rsa(dist(1:2), dist(1:2), outer = outer), "`x`")
  }
})
