# Distances and similarity matrices, against stats::dist(), base decompositions and the package
# energy.

full <- function(d) as.matrix(d)

plain_rdm <- function(x, inner) {
  d <- def_dissimilarity(x, inner)
  d[lower.tri(d)]
}

shapes <- list(c(n = 30, qx = 6, qy = 9), c(n = 12, qx = 40, qy = 3), c(n = 4, qx = 5, qy = 4))

with_threads <- function(threads, code) {
  withr::local_options(repalign.threads = threads)
  force(code)
}

test_that("packed distances are those of stats::dist()", {
  set.seed(1)
  for (size in list(c(2, 1), c(3, 4), c(4, 1), c(70, 3), c(150, 200))) {
    x <- normal_matrix(size[1], size[2])
    form <- form_distances(representation(x, "x"))
    expect_equal(form$d / form$scale, as.vector(dist(x)), tolerance = 1e-12)
  }
  # several panels, and columns in blocks
  x <- normal_matrix(1100, 37)
  rep <- representation(x, "x")
  form <- form_distances(rep)
  expect_equal(form$d / form$scale, as.vector(dist(x)), tolerance = 1e-12)
  expect_equal(euclidean_distances(rep, columns = 10)$d, form$d, tolerance = 1e-13)
  expect_equal(median_distance(rep) / form$scale, median(dist(x)), tolerance = 1e-13)
})

test_that("distances of near duplicates keep their digits, far from the origin, too", {
  set.seed(2)
  x <- normal_matrix(20, 5)
  x <- rbind(x, x[1:5, ], x[6:10, ] + 1e-9 * normal_matrix(5, 5))
  form <- form_distances(representation(x, "x"))
  expected <- as.vector(dist(x))
  expect_identical(which(form$d == 0), which(expected == 0))
  near <- expected > 0
  expect_lt(max(abs(form$d[near] / form$scale / expected[near] - 1)), 1e-6)
  blocks <- euclidean_distances(representation(x, "x"), columns = 2)
  expect_equal(blocks$d, form$d, tolerance = 1e-12)
})

test_that("unit rows give correlation and cosine distances, of any size of rows", {
  set.seed(3)
  x <- normal_matrix(80, 7) + 3
  x <- x * 10^sample(-150:150, 80)
  for (metric in c("correlation", "cosine")) {
    small <- x / apply(abs(x), 1, max)
    expect_equal(form_unit_distances(representation(x, "x"), metric)$d, plain_rdm(small, metric),
                 tolerance = 1e-12)
  }
  # several panels, and columns in blocks
  x <- normal_matrix(1100, 37)
  for (metric in c("correlation", "cosine")) {
    repr <- representation(x, "x")
    d <- form_unit_distances(repr, metric)$d
    expect_equal(d, plain_rdm(x, metric), tolerance = 1e-12)
    expect_equal(unit_distances(repr, metric, columns = 10)$d, d, tolerance = 1e-13)
  }
})

test_that("unit distances of nearly parallel rows keep their digits", {
  set.seed(31)
  x <- normal_matrix(20, 30)
  x <- rbind(x, 2 * x[1:5, ], x[6:10, ] + 1e-7 * normal_matrix(5, 30))
  for (metric in c("correlation", "cosine")) {
    rows <- if (metric == "correlation") x - rowMeans(x) else x
    expected <- as.vector(dist(def_unit_rows(rows)))^2 / 2
    for (columns in list(NULL, 7)) {
      # whatever is added to whole rows takes no digits of their correlations
      shifted <- if (metric == "correlation") x + 2^10 else x
      d <- unit_distances(representation(shifted, "x"), metric, columns)$d
      near <- expected > 1e-20
      expect_lt(max(abs(d[near] / expected[near] - 1)), 1e-5)
      expect_lt(max(d[!near]), 1e-20)
    }
  }
})

test_that("rsa is what its definition says, for all inner and outer comparisons", {
  set.seed(4)
  for (size in shapes) {
    p <- related_pair(size[["n"]], size[["qx"]], size[["qy"]])
    for (inner in c("correlation", "euclidean", "sqeuclidean", "cosine")) {
      for (outer in c("spearman", "pearson", "kendall", "cosine")) {
        expect_relative(rsa(p$x, p$y, inner, outer), def_rsa(p$x, p$y, inner, outer), 1e-9,
                        paste(inner, outer, size[["n"]]))
      }
    }
  }
})

test_that("a dist object is an RDM as it is, and may meet a matrix", {
  set.seed(5)
  p <- related_pair(25, 6, 9)
  given <- as.dist(1 - cor(t(p$x)))
  expect_equal(rsa(given, p$y), rsa(p$x, p$y), tolerance = 1e-12)
  expect_equal(rsa(p$x, dist(p$y), inner = "euclidean"), rsa(p$x, p$y, inner = "euclidean"),
               tolerance = 1e-12)
  # no square is taken of what is given
  expect_equal(rsa(dist(p$x), dist(p$y), inner = "sqeuclidean", outer = "pearson"),
               cor(dist(p$x), dist(p$y)), tolerance = 1e-12)
  for (estimator in c("biased", "unbiased")) {
    expect_equal(distance_correlation(dist(p$x), p$y, estimator = estimator),
                 distance_correlation(p$x, p$y, estimator = estimator), tolerance = 1e-12)
  }
  for (norm in c("frobenius", "spectral")) {
    expect_equal(rsm_difference(p$x, dist(p$y), norm), rsm_difference(p$x, p$y, norm),
                 tolerance = 1e-12)
  }
  table <- similarity(list(a = dist(p$x), b = p$y), measure = c("rsa", "distance_correlation"))
  expect_true(all(is.finite(table$score)))
  expect_refused(rv(dist(p$x), p$y), "dist")
  expect_refused(uniformity_difference(dist(p$x), p$y), "dist")
})

test_that("cka and hsic with a Gaussian kernel take distances, and no others do", {
  set.seed(6)
  p <- related_pair(20, 4, 5)
  for (estimator in c("naive", "stimulus")) {
    for (f in list(cka, hsic)) {
      for (sigma in list(NULL, 2)) {
        score <- function(x, y) f(x, y, kernel = "rbf", estimator = estimator, sigma = sigma)
        expect_equal(score(dist(p$x), p$y), score(p$x, p$y), tolerance = 1e-12)
        expect_equal(score(dist(p$x), dist(p$y)), score(p$x, p$y), tolerance = 1e-12)
      }
    }
  }
  for (f in list(cka, hsic)) {
    expect_refused(f(dist(p$x), p$y), c("`x`", "dist"))
    expect_refused(f(p$x, dist(p$y), kernel = "rbf", units_x = 1:4, units_y = 1:5),
                   c("`y`", "neurons"))
  }
})

test_that("distance correlation agrees with the package energy", {
  skip_if_not_installed("energy")
  set.seed(8)
  for (noise in c(0.1, 1, 20)) {
    p <- related_pair(50, 6, 9, noise = noise)
    expect_relative(distance_correlation(p$x, p$y), energy::dcor(p$x, p$y), 1e-10)
    expect_relative(distance_correlation(p$x, p$y, estimator = "unbiased"),
                    energy::bcdcor(p$x, p$y), 1e-8)
  }
})

test_that("the unbiased distance correlation keeps its sign and is near 0 where the other is not", {
  set.seed(9)
  values <- replicate(200, {
    x <- normal_matrix(10, 30)
    y <- normal_matrix(10, 30)
    c(distance_correlation(x, y), distance_correlation(x, y, estimator = "unbiased"))
  })
  expect_gt(min(values[1, ]), 0.5)
  expect_lt(abs(mean(values[2, ])), 0.05)
  expect_lt(min(values[2, ]), 0)
})

test_that("the spectral norm is right where eigenvalues crowd, and at the negative end", {
  # unrelated data with equal mean distance: the largest of the crowd stands hardly apart
  set.seed(11)
  x <- normal_matrix(400, 100)
  y <- normal_matrix(400, 100)
  y <- y * mean(dist(x)) / mean(dist(y))
  values <- eigen(full(dist(x)) - full(dist(y)), TRUE, TRUE)$values
  expect_relative(rsm_difference(x, y, "spectral"), max(abs(values)), 1e-11)
  # any symmetric difference can be made of two dissimilarities
  for (sign in c(1, -1)) {
    s <- normal_matrix(120, 120)
    s <- sign * (s + t(s) - 0.6)
    diag(s) <- 0
    values <- eigen(s, TRUE, TRUE)$values
    given <- rsm_difference(as.dist(s - min(s)), as.dist(0 * s - min(s)), "spectral")
    expect_relative(given, max(abs(values)), 1e-11)
  }
  # multiple extreme eigenvalues: all differences equal, and a bipartite one (+ and - alike)
  ones <- as.dist(matrix(1, 50, 50))
  expect_relative(rsm_difference(ones, 3 * ones, "spectral"), 2 * 49, 1e-12)
  halves <- outer(rep(0:1, each = 25), rep(0:1, each = 25), "!=") + 0
  expect_relative(rsm_difference(ones, as.dist(1 + halves), "spectral"), 25, 1e-12)
})

test_that("representations without any difference have distance 0", {
  set.seed(12)
  x <- normal_matrix(30, 4)
  for (norm in c("frobenius", "spectral")) {
    expect_identical(rsm_difference(x, x, norm), 0)
    expect_lt(rsm_difference(x, x %*% qr.Q(qr(normal_matrix(4, 4))), norm), 1e-12)
  }
  # two stimuli are enough here
  expect_equal(rsm_difference(matrix(c(0, 3), 2), matrix(c(1, 2), 2)), sqrt(8))
  expect_equal(rsm_difference(matrix(c(0, 3), 2), matrix(c(1, 2), 2), "spectral"), 2)
  expect_equal(distance_correlation(matrix(c(0, 3), 2), matrix(c(1, 2), 2)), 1)
})

test_that("uniformity keeps its digits where all potentials are near 1 or near 0", {
  set.seed(14)
  x <- normal_matrix(20, 4)
  # log(mean(exp(-s))) is -mean(s) for tiny s
  s <- 2 * mean(full(dist(x))^2) * 1e-20
  expect_relative(uniformity_difference(1e-10 * x, 3e-10 * x), 8 * s, 1e-9)
  # and next to -log(n) for large ones, where the difference is what the nearest pairs add
  rare <- function(x) log1p(2 * sum(exp(-2 * dist(x)^2)) / 20)
  y <- normal_matrix(20, 4)
  y <- y * sqrt(10) / min(dist(y))
  expect_lt(rare(y), 1e-8)
  expect_relative(uniformity_difference(y, 1.1 * y), rare(y) - rare(1.1 * y), 1e-9)
})

test_that("everything works far out of the usual range of numbers", {
  set.seed(15)
  p <- related_pair(20, 5, 6)
  y <- p$y + 1
  one <- list(rsa(p$x, y), rsa(p$x, y, "sqeuclidean", "pearson"), rsa(p$x, y, "cosine", "cosine"),
              distance_correlation(p$x, y), distance_correlation(p$x, y, estimator = "unbiased"),
              concentricity_difference(p$x, y), uniformity_difference(p$x, y, normalize = TRUE))
  for (scale in c(1e-150, 1e150, 1e300, 1e-300)) {
    x <- scale * p$x
    far <- list(rsa(x, y), rsa(x, y, "sqeuclidean", "pearson"), rsa(x, y, "cosine", "cosine"),
                distance_correlation(x, y), distance_correlation(x, y, estimator = "unbiased"),
                concentricity_difference(x, y), uniformity_difference(x, y, normalize = TRUE))
    expect_equal(far, one, tolerance = 1e-10)
    for (norm in c("frobenius", "spectral")) {
      expect_relative(rsm_difference(x, scale * y, norm), scale * rsm_difference(p$x, y, norm), 1e-11)
      # the larger side is all that is left
      large <- if (scale > 1) rsm_difference(x, 2 * x, norm) else rsm_difference(y, 2 * y, norm)
      expect_relative(rsm_difference(x, y, norm), large, 1e-11)
    }
    expect_relative(magnitude_difference(x, scale * y), scale * magnitude_difference(p$x, y), 1e-11)
    distances <- scale * dist(p$x)
    expect_equal(rsa(distances, dist(y), outer = "pearson"), cor(dist(p$x), dist(y)),
                 tolerance = 1e-10)
    expect_equal(distance_correlation(distances, y), distance_correlation(p$x, y), tolerance = 1e-10)
    expect_equal(cka(distances, y, kernel = "rbf"), cka(p$x, y, kernel = "rbf"), tolerance = 1e-10)
  }
  expect_refused(rsm_difference(1e307 * p$x, p$x), "rescale")
})

test_that("undefined values are NA with a warning", {
  set.seed(16)
  y <- normal_matrix(6, 4)
  even <- diag(6)
  for (outer in c("spearman", "pearson", "kendall")) {
    for (inner in c("euclidean", "correlation", "cosine")) {
      value <- expect_warned(rsa(even, y, inner, outer), "repalign_undefined")
      expect_identical(value, NA_real_)
    }
  }
  expect_equal(rsa(even, y, "euclidean", "cosine"), mean(dist(y)) / sqrt(mean(dist(y)^2)))
  value <- expect_warned(distance_correlation(even, y, estimator = "unbiased"), "repalign_undefined")
  expect_identical(value, NA_real_)
  expect_true(is.finite(distance_correlation(even, y)))
  # dissimilarities that are no distances
  s <- full(dist(normal_matrix(6, 1)))
  low <- as.dist(1 + 10 * (s > 1))
  high <- as.dist(1 + 10 * (s <= 1))
  expect_identical(expect_warned(distance_correlation(low, high), "repalign_undefined"), NA_real_)
  expect_lt(distance_correlation(low, high, squared = TRUE), 0)
  # centred data have no mean to point at
  centred <- scale(normal_matrix(20, 3), scale = FALSE)
  value <- expect_warned(concentricity_difference(centred, normal_matrix(20, 3)),
                         "repalign_undefined")
  expect_identical(value, NA_real_)
})

test_that("degenerate input is refused with the place, or warned about", {
  set.seed(17)
  x <- normal_matrix(10, 4)
  y <- normal_matrix(10, 3)
  flat <- x
  flat[c(3, 7), ] <- 5
  expect_refused(rsa(flat, y), c("`x`", "constant rows", "3 and 7"))
  expect_refused(rsa(y, flat), "`y`")
  expect_true(is.finite(rsa(flat, y, inner = "euclidean")))
  empty <- x
  empty[4, ] <- 0
  expect_refused(rsa(empty, y, inner = "cosine"), c("`x`", "zeros", "4"))
  expect_refused(concentricity_difference(y, empty), c("`y`", "4"))
  expect_refused(uniformity_difference(empty, y, normalize = TRUE), c("`x`", "4"))
  expect_true(is.finite(uniformity_difference(empty, y)))
  expect_refused(rsa(x[, 1, drop = FALSE], y), c("`x`", "one column"))
  expect_true(is.finite(rsa(x[, 1, drop = FALSE], y, inner = "euclidean")))
  value <- expect_warned(rsa(x[, 1:2], y), "repalign_degenerate")
  # such correlations are 1 or -1, and rounding must not rank them
  sign <- x[, 1] > x[, 2]
  expected <- cor(as.vector(dist(sign)), plain_rdm(y, "correlation"), method = "spearman")
  expect_relative(value, expected, 1e-12)
  expect_refused(rsa(x[1:2, ], y[1:2, ]), "at least 3")
  expect_refused(distance_correlation(x[1:3, ], y[1:3, ], estimator = "unbiased"), "at least 4")
  expect_refused(rsa(x, y, inner = "manhattan"), "inner")
  expect_refused(rsa(x, y, outer = "tau"), "outer")
  expect_refused(distance_correlation(x, y, estimator = "naive"), "estimator")
  expect_refused(distance_correlation(x, y, squared = NA), "squared")
  expect_refused(rsm_difference(x, y, norm = "nuclear"), "norm")
  expect_refused(uniformity_difference(x, y, t = 0), "`t`")
  expect_refused(uniformity_difference(x, y, normalize = 1), "normalize")
})

test_that("duplicates, constant columns and whole numbers are fine", {
  set.seed(18)
  x <- cbind(normal_matrix(15, 4), 2)
  x <- rbind(x, x[1:5, ])
  y <- matrix(rpois(20 * 6, 3), 20)
  y <- rbind(y[1:15, ], y[1:5, ])
  for (inner in c("correlation", "euclidean", "sqeuclidean", "cosine")) {
    for (outer in c("spearman", "pearson")) {
      # base ranks only after rounding, which breaks no ties
      a <- signif(plain_rdm(x, inner), 10) * (plain_rdm(x, inner) > 1e-12)
      b <- signif(plain_rdm(y, inner), 10) * (plain_rdm(y, inner) > 1e-12)
      expect_relative(rsa(x, y, inner, outer), cor(a, b, method = outer), 1e-8)
    }
  }
  expect_relative(distance_correlation(x, y)^2, def_distance_correlation(x, y, squared = TRUE), 1e-10)
})

test_that("values do not depend on the number of threads, nor on what was asked before", {
  skip_unless_extended()
  set.seed(19)
  p <- related_pair(1450, 8, 9)
  expect_gt(1450 * 1449 / 2, 2^20)
  ask <- function() {
    set <- list("rsa", measure("rsa", outer = "kendall"), measure("rsa", outer = "pearson"),
                "distance_correlation", measure("distance_correlation", estimator = "unbiased"),
                "rsm_difference", measure("rsm_difference", norm = "spectral"),
                measure("uniformity_difference", t = 0.1),
                measure("uniformity_difference", t = 1e-6, normalize = TRUE),
                "concentricity_difference", measure("cka", kernel = "rbf"))
    similarity(p$x, p$y, set)$score
  }
  one <- with_threads(1, ask())
  expect_identical(with_threads(2, ask()), one)
  expect_identical(rsa(p$x, p$y), one[1])
  # nothing random is used
  set.seed(1)
  before <- .Random.seed
  rsm_difference(p$x[1:40, ], p$y[1:40, ], "spectral")
  expect_identical(.Random.seed, before)
  # and the kernels agree with full matrices at this size
  expect_relative(one[4], def_distance_correlation(p$x, p$y), 1e-9)
  expect_relative(one[6], norm(full(dist(p$x)) - full(dist(p$y)), "F"), 1e-10)
})

test_that("distances are prepared once per representation, whatever needs them", {
  set.seed(20)
  layers <- lapply(c(a = 3, b = 4, c = 5), function(d) normal_matrix(20, d))
  set <- list(measure("rsa", inner = "euclidean"), measure("rsa", inner = "sqeuclidean"),
              "distance_correlation", "rsm_difference", measure("rsm_difference", norm = "spectral"),
              "uniformity_difference", measure("cka", kernel = "rbf"))
  expect_identical(count_calls("euclidean_distances", similarity(layers, measure = set)), 3L)
})

test_that("the RDMs of 92 images compare as their vectors do", {
  rdms <- read.csv(shared_file("data", "rdm92.csv.gz"))
  # pairs i < j with i slowest: the order of dist objects
  expect_identical(rdms$i[1:92], c(rep(1L, 91), 2L))
  as_rdm <- function(name) {
    structure(rdms[[name]], Size = 92L, Diag = FALSE, Upper = FALSE, class = "dist")
  }
  human <- "hIT_mean_fig1"
  others <- c("mIT_674neurons", "model_animacy", "model_FaceBodyManmadeNatobj", "model_EVA",
              "model_HMAX", "model_V1", "model_Silhouette", "model_RADON")
  for (other in others) {
    a <- rdms[[human]]
    b <- rdms[[other]]
    expect_relative(rsa(as_rdm(human), as_rdm(other)), cor(a, b, method = "spearman"), 1e-12, other)
    expect_relative(rsa(as_rdm(human), as_rdm(other), outer = "pearson"), cor(a, b), 1e-11, other)
    expect_relative(rsa(as_rdm(human), as_rdm(other), outer = "cosine"), def_cosine(a, b),
                    1e-12, other)
  }
  table <- similarity(as_rdm(human), lapply(stats::setNames(others, others), as_rdm), "rsa")
  # human IT is nearer to monkey IT than to the models of early vision
  expect_gt(table$score[1], max(table$score[5:8]))
  # tau-a with the heavy ties of a categorical model
  some <- seq_len(30 * 29 / 2)
  small <- function(name) structure(rdms[[name]][some], Size = 30L, class = "dist")
  x <- rdms[[human]][some]
  y <- rdms$model_FaceBodyManmadeNatobj[some]
  signs <- outer(x, x, function(a, b) sign(a - b)) * outer(y, y, function(a, b) sign(a - b))
  expect_relative(rsa(small(human), small("model_FaceBodyManmadeNatobj"), outer = "kendall"),
                  sum(signs) / (length(x) * (length(x) - 1)), 1e-12)
})
