# score_interval(): its rows, what it keeps beside them, and what it refuses.

set.seed(21)
n <- 24L
x <- matrix(rnorm(n * 5), n)
y <- x[, 1:4] + 0.7 * matrix(rnorm(n * 4), n)
# few dimensions, of which the corrected CKA is certain
flat <- matrix(rnorm(n * 2), n) %*% matrix(rnorm(18), 2) + 0.2 * matrix(rnorm(n * 9), n)
flat <- list(x = flat[, 1:5], y = flat[, 6:9])
layers <- list(one = y, two = y + rnorm(n * 4), three = matrix(rnorm(n * 6), n))

test_that("every measure has an error, by the method that it declares", {
  for (id in plain_measures()$id) {
    args <- if ("k" %in% names(repalign:::measure_parameters(id)) && id != "cka" &&
                id != "angular_cka") {
      list(k = 3)
    }
    m <- measure_with(id, args)
    set.seed(1)
    result <- quietly(score_interval(x, y, m, draws = 20))
    expect_identical(names(result), c("x", "y", "measure", "score", "se", "df", "conf_low",
                                      "conf_high", "method", "over", "n"))
    expect_equal(result$score, score(id, x, y, args), tolerance = 1e-12)
    errors <- quietly(repalign:::errors_of(m))
    expect_identical(result$method, if (!isTRUE(errors$auto)) "half-samples" else
      if (n < errors$exact_below) "jackknife" else errors$method)
    note(is.na(result$se) && result$method == "half-samples" || result$se > 0, id, " has se ",
         result$se)
    note(is.na(result$se) || result$conf_low < result$score && result$score < result$conf_high,
         id, " has an interval without its score")
    expect_identical(dim(influence_matrix(result)), c(n, 1L))
  }
  expect_nothing_noted()
})

test_that("rotations and matches in units of the data leave out each of few stimuli", {
  many <- normal_matrix(80, 4)
  way <- function(rows, ...) {
    quietly(score_interval(many[rows, ], many[rows, 4:1] + normal_matrix(length(rows), 4), list(
      "procrustes", "angular_shape", "procrustes_similarity", "procrustes_size_shape",
      "permutation_procrustes", "soft_correlation_match", "hard_correlation_match",
      "soft_matching", "cca"
    ), over = "stimuli", ...))
  }
  expect_identical(way(1:79)$method, rep(c("jackknife", "influence"), c(8, 1)))
  expect_identical(way(1:80)$method, rep("influence", 9))
  # clusters count, not their stimuli
  expect_identical(way(1:80, clusters = rep(1:40, 2))$method[1:8], rep("jackknife", 8))
  set.seed(5)
  few <- way(1:20)
  set.seed(5)
  expect_identical(few$se[1:8], way(1:20, method = "jackknife")$se[1:8])
})

test_that("influences with heavy tails are told", {
  set.seed(83)
  x <- matrix(rnorm(600), 60) * rep(c(4, 1), c(5, 55))
  y <- x[, 1:5] + matrix(rnorm(300), 60)
  expect_message(score_interval(x, y, "procrustes_size_shape", over = "stimuli"),
                 "A few of 60 stimuli carry much \\(kurtosis 37\\) .* one from 3 values",
                 class = "repalign_heavy_tails")
  plain <- normal_matrix(60, 10)
  expect_no_message(score_interval(plain, plain[, 1:5] + normal_matrix(60, 5),
                                   "procrustes_size_shape", over = "stimuli"),
                    class = "repalign_heavy_tails")
})

test_that("svcca has half-samples unless all components are kept, and influences when asked", {
  few <- function(...) unique(quietly(score_interval(x, layers, ..., draws = 20))$method)
  expect_identical(few("svcca"), "half-samples")
  expect_identical(few("svcca", method = "influence"), "influence")
  expect_identical(few(measure("svcca", variance = 1)), "influence")
  expect_refused(score_interval(x, y, measure("svcca", components = 2), method = "influence"),
                 "`method`")
  # a fourth component with 1% of the variance is kept in some samples, and has no part in y
  set.seed(5)
  z <- matrix(rnorm(60 * 4), 60) %*% diag(c(1, 1, 1, 0.17))
  w <- z + 0.1 * matrix(rnorm(60 * 4), 60)
  w[, 4] <- 0.17 * rnorm(60)
  se <- vapply(c("influence", "half-samples"), function(method) {
    quietly(score_interval(z, w, "svcca", method = method, draws = 100))$se
  }, 0)
  expect_gt(se[["half-samples"]], 3 * se[["influence"]])
})

test_that("similarity() gives the same scores and rows", {
  set <- list("cka", measure("rsa", inner = "euclidean"), "mutual_knn")
  set[[3]] <- measure("mutual_knn", k = 4)
  grid <- score_interval(list(a = x, b = x^2), layers, set)
  plain <- similarity(list(a = x, b = x^2), layers, set)
  same <- c("x", "y", "measure", "score", "n")
  expect_equal(as.data.frame(grid)[same], as.data.frame(plain)[same])
  models <- list(m = layers[1:2], k = layers[2:3])
  grid <- expect_warned(score_interval(models, NULL, "cka"), "repalign_undefined")
  expect_identical(as.data.frame(grid)[c("model_x", "model_y", "x", "y")],
                   as.data.frame(similarity(models))[c("model_x", "model_y", "x", "y")])
  # a row of a grid is that of the pair alone
  alone <- score_interval(x, layers$two, measure("rsa", inner = "euclidean"))
  whole <- score_interval(x, layers, measure("rsa", inner = "euclidean"))
  expect_equal(unlist(alone[1, 4:8]), unlist(whole[2, 4:8]))
})

test_that("own measures take half-samples, the same for all pairs", {
  own <- new_measure(function(x, y) cor(x[, 1], y[, 1]), direction = "similarity", label = "own")
  set.seed(1)
  result <- score_interval(x, layers, own, draws = 50)
  expect_identical(unique(result$method), "half-samples")
  set.seed(1)
  keep <- vapply(1:50, function(b) seq_len(n) %in% sample.int(n, n / 2), logical(n))
  halves <- vapply(1:50, function(b) {
    vapply(layers, function(layer) cor(x[keep[, b], 1], layer[keep[, b], 1]), 0)
  }, numeric(3))
  expect_equal(unname(vcov(result)), unname(cov(t(halves))))
  set.seed(1)
  again <- score_interval(x, layers, own, draws = 50)
  expect_identical(result, again)
  again <- score_interval(x, layers, "rsa", method = "half-samples", draws = 20)
  expect_identical(unique(again$method), "half-samples")
  expect_false(anyNA(vcov(again)))
})

test_that("half-samples of scores that are sums over stimuli have the errors of deletions", {
  set.seed(6)
  x <- matrix(rnorm(400 * 3), 400)
  y <- x + rnorm(length(x))
  for (m in list("procrustes_size_shape", measure("procrustes", scale = FALSE), "procrustes",
                 "permutation_procrustes", "rsm_difference")) {
    se <- vapply(c("auto", "half-samples"), function(method) {
      score_interval(x, y, m, method = method, draws = 200)$se
    }, 0)
    # without the growth of the score their ratio is 0.7 or 0.5
    expect_equal(se[["half-samples"]] / se[["auto"]], 1, tolerance = 0.2)
  }
  one <- function(m) score_interval(x[1:100, ], y[1:100, ], m, draws = 400)
  bures <- one("bures_distance")
  twin <- one("procrustes_size_shape")
  expect_equal(bures$score, twin$score)
  expect_equal(bures$se / twin$se, 1, tolerance = 0.2)
})

test_that("half-samples read neighbour graphs from longer lists as a search finds them", {
  for (args in list(list(id = "mutual_knn", k = 3, metric = "cosine"), list(id = "lcs_knn", k = 3),
                    list(id = "kcka", k = 3), list(id = "cknna", k = 3), list(id = "imd", k = 3))) {
    m <- repalign:::settled_measure(quietly(do.call(measure, args)))
    sides <- repalign:::as_sides(x, y)
    pairs <- repalign:::list_pairs(sides, FALSE)
    set.seed(2)
    keep <- repalign:::draw_halves(n, 10, NULL)
    found <- quietly(repalign:::subset_scores(keep, pairs, sides, list(m), ""))[1, 1, ]
    anew <- vapply(1:10, function(b) {
      score(args$id, x[keep[, b], ], y[keep[, b], ], args[-1])
    }, 0)
    expect_equal(found, anew, tolerance = 1e-9)
  }
  # a graph is enough where its lists are long
  graph <- function(x, k) {
    d <- as.matrix(dist(x))
    idx <- t(apply(d, 1, order))[, 2:(k + 1)]
    list(idx = idx, dist = t(vapply(seq_len(n), function(i) d[i, idx[i, ]], numeric(k))))
  }
  m <- measure("mutual_knn", k = 3, metric = "euclidean")
  set.seed(3)
  of_data <- score_interval(x, y, m, method = "half-samples", draws = 20)
  set.seed(3)
  of_graph <- score_interval(graph(x, n - 1), graph(y, n - 1), m, method = "half-samples",
                             draws = 20)
  expect_equal(of_graph$se, of_data$se)
  expect_refused(score_interval(graph(x, 4), graph(y, 4), m, method = "half-samples"), "`x`")
})

test_that("parts of a result keep what they know, in any order", {
  result <- score_interval(x, layers, c("cka", "rsa"), over = c("stimuli", "neurons_x"))
  whole <- vcov(result)
  expect_equal(diag(whole), result$se^2, ignore_attr = TRUE)
  some <- result[c(5, 2, 3), ]
  main <- lapply(list(result, some), function(rows) repalign:::interval_parts(rows)$main)
  for (part in 1:2) expect_rounded(main[[2]][[part]], main[[1]][[part]][c(5, 2, 3), c(5, 2, 3)])
  expect_identical(influence_matrix(some), influence_matrix(result)[, c(5, 2, 3)])
  expect_equal(confint(some), cbind(some$conf_low, some$conf_high), ignore_attr = TRUE)
  bound <- rbind(result[4:6, ], result[1:3, ])
  expect_equal(vcov(bound)[4:6, 1:3], whole[1:3, 4:6], ignore_attr = TRUE)
  other <- score_interval(x, layers, "cka")
  both <- rbind(all = result, cka = other)
  expect_refused(vcov(both), "several calls")
  expect_equal(unname(confint(both)), unname(rbind(confint(result), confint(other))))
  expect_identical(nrow(influence_matrix(both)), n)
  expect_equal(vcov(both[both$source == "cka", ]), vcov(other), ignore_attr = TRUE)
  changed <- result
  changed$score[1] <- 0
  expect_refused(vcov(changed), "no longer known")
  expect_identical(nrow(confint(result[0, ])), 0L)
})

test_that("results bind by dplyr as by rbind()", {
  skip_if_not_installed("dplyr")
  a <- score_interval(x, layers, "cka")
  b <- score_interval(x, layers, "rsa")
  bound <- dplyr::bind_rows(a = a, b = b, .id = "day")
  expect_s3_class(bound, "repalign_interval")
  expect_equal(vcov(bound[bound$day == "b", ]), vcov(b), ignore_attr = TRUE)
  sorted <- dplyr::arrange(a, score)
  expect_equal(diag(vcov(sorted)), sorted$se^2, ignore_attr = TRUE)
  expect_equal(vcov(dplyr::filter(a, y != "two")), vcov(a)[c(1, 3), c(1, 3)], ignore_attr = TRUE)
  expect_refused(rbind(a, similarity(x, layers)), "intervals")
  expect_refused(rbind(a, score_interval(x, layers, "cka", conf_level = 0.9)), "conf_level")
})

test_that("a variance is at least its main parts, and Satterthwaite's df are those of the parts", {
  result <- score_interval(x, layers, measure("cka", estimator = "stimulus"),
                           over = c("stimuli", "neurons_x", "neurons_y"))
  parts <- repalign:::interval_parts(result)
  # stimuli, the neurons of x, and those of each layer
  expect_length(parts$main, 5)
  expect_identical(parts$df, c(n - 1, 4, 3, 3, 5))
  main <- vapply(parts$main, diag, numeric(3))
  inner <- vapply(parts$interactions, diag, numeric(3))
  variance <- pmax(rowSums(main) - rowSums(inner), apply(main, 1, max))
  expect_equal(result$se^2, variance)
  expect_equal(result$df, variance^2 / rowSums(sweep(main^2, 2, parts$df, "/")))
  # neurons of different layers are different samples
  expect_identical(parts$main[[3]][1, 2], 0)
  two <- cka_interval(x, y, "stimulus", over = c("stimuli", "neurons_x", "neurons_y"))
  expect_equal(result$se[1], two$se)
})

test_that("neurons of one representation are one sample on either side of a list with itself", {
  result <- score_interval(layers, NULL, "cka", over = c("stimuli", "neurons_x", "neurons_y"))
  alone <- lapply(1:3, function(p) {
    score_interval(layers[[c(1, 1, 2)[p]]], layers[[c(2, 3, 3)[p]]], "cka",
                   over = c("stimuli", "neurons_x", "neurons_y"))
  })
  expect_equal(result$se, vapply(alone, function(one) one$se, 0))
  rsa <- measure("rsa", inner = "euclidean", outer = "pearson")
  for (m in list("cka", rsa)) {
    result <- score_interval(layers, NULL, m, over = c("stimuli", "neurons_x", "neurons_y"))
    parts <- repalign:::interval_parts(result)
    expect_length(parts$main, 4)
    # the second layer is y of the first pair and x of the third
    id <- if (is.character(m)) m else "rsa"
    scores <- vapply(1:4, function(a) {
      two <- layers$two[, -a]
      c(score(id, layers$one, two, if (id == "rsa") rsa$args[1:2]),
        score(id, two, layers$three, if (id == "rsa") rsa$args[1:2]))
    }, numeric(2))
    shared <- parts$main[[which(vapply(parts$main, function(main) main[1, 3] != 0, NA))[2]]]
    expect_equal(shared[1, 3], 3 / 4 * 3 * cov(scores[1, ], scores[2, ]))
  }
})

test_that("neurons are deleted by label, on both sides at once", {
  labels <- c("a", "b", "c", "d", "d")
  m <- measure("cka", estimator = "stimulus_neuron", units_x = labels, units_y = labels[1:4])
  two <- few_is_fine(cka_interval(flat$x, flat$y, "stimulus_neuron", units_x = labels,
                                  units_y = labels[1:4]))
  result <- few_is_fine(score_interval(flat$x, flat$y, m,
                                       over = c("stimuli", "neurons_x", "neurons_y")))
  expect_false(is.na(two$se))
  expect_equal(c(result$score, result$se), c(two$cka, two$se))
  # the same for any measure
  result <- score_interval(x, y, measure("rsa", inner = "euclidean"), units_x = labels,
                           units_y = c("e", "a", "b", "f"),
                           over = c("stimuli", "neurons_x", "neurons_y"))
  parts <- repalign:::interval_parts(result)
  units <- c("a", "b", "c", "d", "e", "f")
  scores <- vapply(units, function(u) {
    score("rsa", x[, labels != u, drop = FALSE], y[, c("e", "a", "b", "f") != u, drop = FALSE],
          list(inner = "euclidean"))
  }, 0)
  expect_equal(parts$main[[2]][1, 1], 5 / 6 * sum((scores - mean(scores))^2))
  expect_refused(score_interval(x, y, "rsa", over = "neurons_x", units_x = 1:2, units_y = 1:4),
                 "`units_x`")
})

test_that("of layers wider than stimuli are many, errors over stimuli take no neuron apart", {
  set.seed(31)
  z <- matrix(rnorm(36), 12)
  wide <- lapply(c(x = 20, y = 20), function(q) {
    z %*% matrix(rnorm(3 * q), 3) + matrix(rnorm(12 * q) / 2, 12)
  })
  for (codes in list(NULL, rep(1:6, 2))) for (shared in c(FALSE, TRUE)) {
    corrected <- measure("cka", estimator = "stimulus_neuron", shared_neurons = shared)
    error <- function() {
      suppressWarnings(suppressMessages(score_interval(wide$x, wide$y, corrected, "stimuli",
                                                       clusters = codes)))$se
    }
    found <- error()
    local({
      local_internal("held_neuron_sums", function(...) leave_out_sums(...))
      expect_equal(found, error(), tolerance = 1e-10)
    })
  }
})

test_that("an undefined score has no errors to compute", {
  set.seed(32)
  x <- matrix(rnorm(60), 20) %*% matrix(rnorm(60), 3) + matrix(rnorm(400) / 5, 20)
  y <- list(white = diag(20), near = x + matrix(rnorm(400) / 5, 20))
  corrected <- measure("cka", estimator = "stimulus_neuron")
  error <- function(y) suppressWarnings(suppressMessages(score_interval(x, y, corrected)))
  found <- NULL
  expect_identical(count_calls("cka_table", found <- error(y)), 1L)
  expect_identical(is.na(found$score), c(TRUE, FALSE))
  expect_true(all(is.na(found[1, c("se", "df", "conf_low", "conf_high")])))
  expect_equal(found$se[2], error(y["near"])$se, tolerance = 1e-12)
})

test_that("estimates from trials have the errors of cka_interval()", {
  trials <- function(signal) {
    responses(array(rep(signal, 3), c(dim(signal), 3)) + 0.3 * rnorm(3 * length(signal)))
  }
  a <- trials(flat$x)
  b <- trials(flat$y)
  two <- quietly(cka_interval(a, b))
  one <- quietly(score_interval(a, b, "cka", over = c("stimuli", "neurons_x", "neurons_y")))
  expect_false(is.na(two$se))
  expect_equal(c(one$score, one$se, one$df), c(two$cka, two$se, two$df))
  # clusters that an object declares are deleted as a whole
  declared <- responses(flat$x, cluster = rep(1:8, each = 3))
  one <- quietly(score_interval(declared, flat$y, measure("cka", estimator = "stimulus")))
  given <- score_interval(flat$x, flat$y, measure("cka", estimator = "stimulus"),
                          clusters = rep(1:8, each = 3))
  expect_identical(one$over, "clusters")
  expect_equal(one$se, given$se)
})

test_that("interactions are those of all scores made anew", {
  m <- measure("rsa", inner = "euclidean", outer = "pearson")
  result <- score_interval(x, y, m, over = c("stimuli", "neurons_y"))
  parts <- repalign:::interval_parts(result)
  theta <- outer(0:n, 0:4, Vectorize(function(i, a) {
    score("rsa", x[setdiff(1:n, i), ], y[setdiff(1:n, i), setdiff(1:4, a), drop = FALSE],
          list(inner = "euclidean", outer = "pearson"))
  }))
  inner <- theta[-1, -1] - theta[-1, 1]
  inner <- sweep(inner, 2, theta[1, -1] - theta[1, 1])
  expect_equal(parts$interactions[[1]][1, 1], (n - 1) / n * 3 / 4 * sum(inner^2))
})

test_that("the score does not depend on what errors are about, but on what is declared", {
  m <- measure("cka", estimator = "stimulus_neuron")
  over <- list("stimuli", "neurons_x", "neurons_y", c("neurons_x", "neurons_y"))
  each <- few_is_fine(do.call(rbind,
                              lapply(over,
                                     function(o) score_interval(flat$x, flat$y, m, over = o))))
  expect_equal(each$score, rep(few_is_fine(cka(flat$x, flat$y, estimator = "stimulus_neuron")), 4))
  expect_false(anyNA(each$se))
  expect_identical(anyDuplicated(each$se[1:3]), 0L)
  two <- few_is_fine(cka_interval(flat$x, flat$y, "stimulus_neuron"))
  expect_equal(unlist(each[4, c("score", "se", "df", "conf_low", "conf_high")], use.names = FALSE),
               unlist(two[c("cka", "se", "df", "conf_low", "conf_high")], use.names = FALSE))
  # the same deletions with the self term of y corrected for stimuli only
  all <- measure("cka", estimator = "stimulus_neuron", complete = "y")
  result <- few_is_fine(score_interval(flat$x, flat$y, all, over = "neurons_x"))
  expect_identical(result$measure, "cka(stimulus_neuron, complete y)")
  self <- function(v, e, ...) hsic(v, v, estimator = e, ...)
  ratio <- function(x, y) hsic(x, y, estimator = "stimulus") /
    sqrt(self(x, "stimulus_neuron", shared_neurons = TRUE) * self(y, "stimulus"))
  expect_equal(result$score, ratio(flat$x, flat$y))
  n <- nrow(flat$x)
  theta <- outer(0:n, 0:5, Vectorize(function(i, a) {
    ratio(flat$x[setdiff(1:n, i), setdiff(1:5, a)], flat$y[setdiff(1:n, i), ])
  }))
  inner <- sweep(theta[-1, -1] - theta[-1, 1], 2, theta[1, -1] - theta[1, 1])
  main <- c((n - 1) / n * sum((theta[-1, 1] - mean(theta[-1, 1]))^2),
            4 / 5 * sum((theta[1, -1] - mean(theta[1, -1]))^2))
  expect_equal(result$se^2, max(sum(main) - (n - 1) / n * 4 / 5 * sum(inner^2), main))
  expect_refused(score_interval(flat$x, flat$y, all, over = "neurons_y"),
                 "`over` has \"neurons_y\"")
  expect_refused(score_interval(x, responses(y, complete = TRUE), "rsa", over = "neurons_y"),
                 "`over`")
})

test_that("units of the call are deleted together, and leave the score and what it counts alone", {
  m <- measure("cka", estimator = "stimulus_neuron")
  units <- list(x = c(1, 1, 2, 2, 3), y = seq(11, length.out = ncol(flat$y)))
  result <- few_is_fine(score_interval(flat$x, flat$y, m, over = "neurons_x", units_x = units$x))
  ratio <- function(x, y) few_is_fine(cka(x, y, estimator = "stimulus_neuron"))
  n <- nrow(flat$x)
  theta <- outer(0:n, 0:3, Vectorize(function(i, u) {
    ratio(flat$x[setdiff(1:n, i), units$x != u], flat$y[setdiff(1:n, i), ])
  }))
  inner <- sweep(theta[-1, -1] - theta[-1, 1], 2, theta[1, -1] - theta[1, 1])
  main <- c((n - 1) / n * sum((theta[-1, 1] - mean(theta[-1, 1]))^2),
            2 / 3 * sum((theta[1, -1] - mean(theta[1, -1]))^2))
  expect_equal(result$score, theta[1, 1])
  expect_equal(result$se^2, max(sum(main) - (n - 1) / n * 2 / 3 * sum(inner^2), main))
})

test_that("clusters are deleted as a whole by every method", {
  codes <- rep(1:8, each = 3)
  result <- few_is_fine(score_interval(x, y, list("procrustes", "distance_correlation",
                                                  measure("cka", estimator = "stimulus")),
                                       clusters = codes))
  two <- few_is_fine(cka_interval(x, y, "stimulus", clusters = codes))
  expect_equal(result$score[3], two$cka)
  expect_identical(result$df, rep(7, 3))
  expect_identical(dim(influence_matrix(result)), c(8L, 3L))
  single <- score_interval(x, y, "procrustes", method = "influence")
  influence <- influence_matrix(single)[, 1]
  summed <- few_is_fine(score_interval(x, y, "procrustes", clusters = codes, method = "influence"))
  expect_equal(summed$se^2, 8 / 7 * sum(rowsum(influence, codes)^2) / n^2)
  halves <- repalign:::draw_halves(n, 10, codes)
  expect_true(all(vapply(1:10, function(b) all(rowsum(1 * halves[, b], codes) %in% c(0, 3)), NA)))
  expect_identical(unique(colSums(halves)), 12)
  # those of a measure are those of the call, and stimuli without a label are left out
  codes[1:3] <- NA
  own <- score_interval(x, y, list(measure("rsa", clusters = codes), "procrustes"))
  cut <- score_interval(x[-(1:3), ], y[-(1:3), ], c("rsa", "procrustes"), clusters = codes[-(1:3)])
  expect_equal(own[c("score", "se", "df", "n")], cut[c("score", "se", "df", "n")],
               ignore_attr = TRUE)
  expect_refused(score_interval(x, y, measure("rsa", clusters = codes), clusters = rep(1:8, 3)),
                 "`clusters`")
  expect_refused(score_interval(x, y, clusters = rep(1:3, 8)), "clusters")
})

test_that("subjects are a sample whose mean is the score", {
  subjects <- lapply(1:4, function(u) x + rnorm(length(x)))
  names(subjects) <- letters[1:4]
  expect_message(result <- score_interval(subjects, layers, c("cka", "mutual_knn", "cca"),
                                          over = "subjects"), "over 4 subjects are guesses")
  each <- similarity(subjects, layers, c("cka", "mutual_knn", "cca"))
  means <- tapply(each$score, paste(each$y, each$measure), mean)
  expect_equal(result$score, as.vector(means[paste(result$y, result$measure)]))
  expect_identical(unique(result$x), "mean of 4 subjects")
  expect_identical(unique(result$over), "stimuli + subjects, a guess from only 4 subjects")
  # of few subjects nothing is subtracted, and degrees of freedom are theirs, of differences, too
  parts <- repalign:::interval_parts(result)
  known <- !is.na(result$se)
  expect_equal(result$se[known], sqrt(diag(parts$main[[1]] + parts$main[[2]]))[known])
  expect_true(all(result$df[known] <= 3))
  differences <- quietly(compare_scores(result))
  expect_true(all(differences$df[!is.na(differences$se)] <= 3))
  expect_refused(score_interval(x, y, over = "subjects"), "`x`")
  expect_refused(score_interval(subjects, y, over = c("subjects", "neurons_x")), "`over`")
  subjects$e <- x
  five <- repalign:::interval_parts(score_interval(subjects, layers, over = "subjects"))
  expect_true(all(diag(five$interactions[[1]]) > 0))
  expect_identical(five$most_df, Inf)
})

test_that("errors of these subjects are over the stimuli and the neurons of each", {
  set.seed(3)
  latent <- matrix(rnorm(n * 3), n)
  noisy <- function(q) latent %*% matrix(rnorm(3 * q), 3) + 0.3 * matrix(rnorm(n * q), n)
  subjects <- lapply(c(a = 9, b = 12, c = 10), noisy)
  models <- list(one = noisy(7), two = noisy(8), all = responses(latent, complete = TRUE))
  corrected <- measure("cka", estimator = "stimulus_neuron")
  result <- quietly(score_interval(subjects, models, corrected, over = "these_subjects"))
  expect_identical(unique(result$x), "mean of 3 subjects")
  expect_identical(result$over, paste0("stimuli + neurons_x of these 3 subjects",
                                       c(" + neurons_y", " + neurons_y", "")))
  parts_of <- function(subject) {
    single <- quietly(score_interval(subject, models, corrected, over = c("stimuli", "neurons_x")))
    # the neurons of models that are no sample stay
    units <- quietly(score_interval(subject, models[1:2], corrected,
                                    over = c("stimuli", "neurons_y")))
    list(score = single$score, kept = attr(single, "deletions")[[1]],
         units = attr(units, "deletions")[[1]]$factors)
  }
  each <- lapply(subjects, parts_of)
  mean_of <- function(part) Reduce(`+`, lapply(each, part)) / 3
  expect_equal(result$score, mean_of(function(one) one$score))
  by_hand <- function(w) {
    quadratic <- function(m, at = 1:3) sum(w[at] * (m %*% w[at]))
    v <- quadratic(crossprod(mean_of(function(one) one$kept$stimuli)))
    neurons <- vapply(each, function(one) quadratic(crossprod(one$kept$factors[[1]]$deviations)),
                      0) / 9
    inner <- sum(vapply(each, function(one) quadratic(one$kept$factors[[1]]$interaction), 0)) / 9
    units <- vapply(1:2, function(j) {
      quadratic(crossprod(mean_of(function(one) one$units[[j]]$deviations)), j)
    }, 0)
    list(v = v, neurons = neurons, units = units, inner = inner)
  }
  # of one complete model the formula has no other parts
  alone <- by_hand(c(0, 0, 1))
  expected <- max(alone$v + sum(alone$neurons) - alone$inner, alone$v, sum(alone$neurons))
  expect_equal(result$se[3]^2, expected)
  df <- expected^2 / sum(c(alone$v, alone$neurons)^2 / c(n - 1, 8, 11, 9))
  expect_equal(result$df[3], df)
  difference <- quietly(compare_scores(result, rbind(c(1, -1, 0))))
  parts <- repalign:::interval_parts(result)
  quadratic <- function(m) m[1, 1] + m[2, 2] - 2 * m[1, 2]
  found <- vapply(parts$main, quadratic, 0)
  known <- by_hand(c(1, -1, 0))
  expect_equal(sort(found), sort(unname(c(known$v, known$neurons, known$units))))
  expect_equal(difference$se^2, max(sum(found) - sum(vapply(parts$interactions, quadratic, 0)),
                                    known$v, sum(known$neurons), known$units))
  expect_equal(difference$df, difference$se^4 / sum(found^2 / parts$df))
  # no neurons where they are not named
  stimuli <- quietly(score_interval(subjects, models, corrected,
                                    over = c("stimuli", "these_subjects")))
  expect_equal(stimuli$se[3]^2, alone$v)
  expect_identical(unique(stimuli$over), "stimuli, of these 3 subjects")
  expect_refused(score_interval(subjects, models, over = c("subjects", "these_subjects")), "`over`")
  expect_refused(score_interval(x, y, over = "these_subjects"), "`x`")
})

test_that("transforms, bounds and levels", {
  plain <- score_interval(x, y, "cka", transform = "none", conf_level = 0.9)
  expect_equal(plain$conf_high, plain$score + qnorm(0.95) * plain$se)
  z <- score_interval(x, y, "cca")
  half <- qnorm(0.975) * z$se / (1 - z$score^2)
  expect_equal(c(z$conf_low, z$conf_high), tanh(atanh(z$score) + c(-1, 1) * half))
  # the interval of an angle is that of its cosine
  of <- score_interval(x, y, c("cka", "angular_cka"))
  expect_equal(acos(c(of$conf_high[1], of$conf_low[1])), c(of$conf_low[2], of$conf_high[2]))
  expect_equal(of$se[2], of$se[1] / sqrt(1 - of$score[1]^2), tolerance = 0.1)
  expect_refused(score_interval(x, y, "mutual_knn", transform = "x"), "`transform`")
  expect_refused(score_interval(x, y, "procrustes_size_shape", transform = "z"), "transform")
  same <- expect_warned(score_interval(x, x, "cka"), "repalign_undefined")
  expect_true(is.na(vcov(same)))
  expect_identical(c(same$score, same$se, same$conf_low), c(1, NA, NA))
  for (id in c("angular_cka", "angular_shape", "procrustes", "cca", "rsm_difference")) {
    same <- expect_warned(score_interval(x, x, id), "repalign_undefined")
    expect_identical(c(same$se, same$conf_low, same$conf_high), c(NA_real_, NA, NA), label = id)
  }
})

test_that("bad input is refused by name", {
  expect_refused(score_interval(x, y, over = "neurons"), "`over`")
  expect_refused(score_interval(x, y, method = "bootstrap"), "`method`")
  expect_refused(score_interval(x, y, "cka", method = "influence"), "`method`")
  expect_refused(score_interval(x, y, draws = 1), "`draws`")
  expect_refused(score_interval(x, y, conf_level = 95), "`conf_level`")
  expect_refused(score_interval(x[1:4, ], y[1:4, ]), "`x`")
  expect_refused(score_interval(x, y, measure("lcs_knn", k = 12)), "`k`")
  expect_refused(score_interval(dist(x), dist(y), measure("rsa", inner = "euclidean"),
                                over = "neurons_x"), "`x`")
  expect_refused(score_interval(x, y, units_x = 1:5), "`units_y`")
  expect_refused(score_interval(similarity(x, y), y), "`x`")
  expect_refused(influence_matrix(similarity(x, y)), "`result`")
  expect_refused(score_interval(), "`x`")
})

test_that("results print, tidy, draw and describe themselves", {
  result <- score_interval(list(v = x), layers, c("cka", "cca"))
  expect_output(print(result), "Scores with errors: 6 scores")
  expect_identical(names(tidy(result))[4:5], c("estimate", "std.error"))
  expect_identical(glance(result)$pairs, 3L)
  expect_identical(summary(result)$pairs, c(3L, 3L))
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(result)
  expect_s3_class(picture, "ggplot")
  expect_identical(levels(picture$data$title), c("three", "two", "one"))
  expect_refused(ggplot2::autoplot(rbind(result, result)), "cannot be told apart")
  expect_s3_class(ggplot2::autoplot(rbind(a = result, b = result)), "ggplot")
})

test_that("a result without rows has no covariances, and says nothing else", {
  set.seed(12)
  x <- matrix(rnorm(40 * 8), 40)
  none <- score_interval(x, list(a = x[, 1:4], b = x[, 3:6]), "rsa")[0, ]
  expect_silent(total <- vcov(none))
  expect_identical(dim(total), c(0L, 0L))
  expect_error(compare_scores(none, "a"), "no rows", class = "repalign_error_size")
  expect_error(best_score(none), "no rows", class = "repalign_error_size")
  expect_error(compare_best(none, "a", "b"), "no rows", class = "repalign_error_size")
})

test_that("labels of the one side that is a sample are enough", {
  corrected <- measure("cka", estimator = "stimulus_neuron")
  groups <- c(1, 1, 2, 3, 4)
  brain <- c("stimuli", "neurons_x")
  one <- quietly(score_interval(flat$x, flat$y, corrected, brain, units_x = groups))
  both <- quietly(score_interval(flat$x, flat$y, corrected, brain, units_x = groups,
                                 units_y = paste0("u", 1:4)))
  columns <- c("score", "se", "df", "conf_low", "conf_high")
  expect_equal(as.data.frame(one)[columns], as.data.frame(both)[columns])
  turned <- score_interval(flat$y, flat$x, "rsa", c("stimuli", "neurons_y"), units_y = groups)
  expect_equal(turned$se, score_interval(flat$x, flat$y, "rsa", brain, units_x = groups)$se)
  expect_error(score_interval(flat$x, flat$y, "rsa", brain, units_y = 1:4), "`units_x` is missing",
               class = "repalign_error_labels")
  expect_error(score_interval(flat$x, flat$y, "rsa", c(brain, "neurons_y"), units_x = groups),
               "`units_y` is missing", class = "repalign_error_labels")
})

test_that("missing values are left out as similarity() does", {
  holes <- replace(x, cbind(c(3, 9), c(1, 4)), NA)
  for (na in c("stimuli", "neurons")) {
    found <- quietly(score_interval(holes, y, "rsa", na = na))
    kept <- if (na == "stimuli") list(x[-c(3, 9), ], y[-c(3, 9), ]) else list(x[, -c(1, 4)], y)
    expected <- score_interval(kept[[1]], kept[[2]], "rsa")
    expect_equal(as.data.frame(found), as.data.frame(expected))
    expect_equal(unname(influence_matrix(found)), unname(influence_matrix(expected)))
  }
  clusters <- rep(1:8, 3)
  found <- quietly(score_interval(holes, y, "rsa", na = "stimuli", clusters = clusters))
  expected <- score_interval(x[-c(3, 9), ], y[-c(3, 9), ], "rsa", clusters = clusters[-c(3, 9)])
  expect_equal(as.data.frame(found), as.data.frame(expected))
  expect_error(score_interval(holes, y, "rsa"), "na = \"stimuli\"",
               class = "repalign_error_nonfinite")
  expect_error(score_interval(holes, y, over = c("stimuli", "neurons_x"), units_x = 1:5,
                              na = "neurons"), "units_x", class = "repalign_error_choice")
})

test_that("what a function of the user's own stops with names the measure and the pair", {
  small <- new_measure(function(x, y) if (nrow(x) < n) stop("too few rows") else 0.5,
                       "similarity", best = 1, label = "mine")
  for (method in c("half-samples", "jackknife")) {
    expect_error(score_interval(x, y, small, method = method, draws = 20),
                 "mine of \"x\" and \"y\": too few rows", class = "repalign_error_score")
  }
  expect_error(score_weighted(x, y, small, rep(0:1, n / 2)), "mine of \"x\"",
               class = "repalign_error_score")
  failure <- tryCatch(similarity(x[-1, ], y[-1, ], small), error = identity)
  expect_identical(class(failure),
                   c("repalign_error_score", "repalign_error", "error", "condition"))
})

test_that("degrees of freedom do not depend on the units of the data", {
  small <- score_interval(x, y, measure("procrustes", scale = FALSE), c("stimuli", "neurons_x"))
  large <- score_interval(1e140 * x, 1e140 * y, measure("procrustes", scale = FALSE),
                          c("stimuli", "neurons_x"))
  expect_equal(large$df, small$df)
  expect_equal(large$se / 1e140, small$se)
})

test_that("too few clusters, neurons or labels: the message says how many an interval needs", {
  set.seed(41)
  x <- normal_matrix(40, 6)
  y <- x %*% normal_matrix(6, 5) + normal_matrix(40, 5)
  needs <- "an interval over clusters needs at least 5"
  expect_refused(score_interval(x, y, clusters = rep(NA, 40)), needs)
  expect_refused(score_interval(x, y, clusters = rep(1, 40)), needs)
  one_sample <- function(...) score_interval(..., over = c("stimuli", "neurons_x"))
  few <- "errors over neurons of x need at least 2 neurons with different labels"
  expect_warning(one_sample(x[, 1, drop = FALSE], y), few)
  expect_warning(one_sample(x, y, c("rsa", "cka"), units_x = rep("a", 6)), few)
  expect_false(is.na(one_sample(x, y, units_x = rep(1:2, 3))$se))
  corrected <- measure("cka", estimator = "stimulus_neuron")
  expect_refused(one_sample(x[, 1, drop = FALSE], y, corrected),
                 "Use measure\\(\"cka\", estimator = \"stimulus\"\\)")
})

test_that("standard errors of scores without units do not depend on the units of a side", {
  set.seed(4)
  x <- matrix(rnorm(80), 20)
  y <- x[, 1:3] + rnorm(60)
  set <- list("cka", measure("cka", estimator = "stimulus"), "angular_cka", "rv", "rsa",
              "distance_correlation", "cca", "procrustes", "angular_shape",
              "soft_correlation_match", "mutual_knn")
  plain <- score_interval(x, y, set)$se
  expect_true(all(is.finite(plain)))
  for (unit in c(1e-200, 1e-100, 1e100, 1e200)) {
    expect_equal(score_interval(x * unit, y, set)$se, plain, tolerance = 1e-8)
    expect_equal(score_interval(x, y * unit, set)$se, plain, tolerance = 1e-8)
  }
})

test_that("a standard error that is too large for a double gives a warning", {
  own <- new_measure(function(x, y) 1e299 * mean(x * y[, 1]))
  x <- matrix(1 + (1:40)^2 %% 7, 20)
  expect_warning(score_interval(x, x, own), "too large for a double", class = "repalign_undefined")
})

test_that("it is told when two stimuli carry half of the influence", {
  set.seed(81)
  x <- matrix(rnorm(400), 40)
  y <- x[, 1:5] + 0.1 * matrix(rnorm(200), 40)
  expect_no_message(score_interval(x, y), class = "repalign_strong_stimuli")
  x[c(3, 17), ] <- 10 * x[c(3, 17), ]
  y[c(3, 17), ] <- 10 * normal_matrix(2, 5)
  expect_message(score_interval(x, list(a = y, b = normal_matrix(40, 5))),
                 "3 and 17|17 and 3", class = "repalign_strong_stimuli")
  rownames(x) <- paste0("image", 1:40)
  expect_message(cka_interval(x, y, "naive"), "\"image3\"",
                 class = "repalign_strong_stimuli")
  # of clusters, the two clusters
  expect_message(score_interval(x, y, clusters = rep(1:20, 2)), "Two of 20 clusters",
                 class = "repalign_strong_stimuli")
  # of five clusters two carry that much by chance
  set.seed(82)
  x <- matrix(rnorm(400), 40)
  expect_no_message(score_interval(x, x[, 1:5] + matrix(rnorm(200), 40), clusters = rep(1:5, 8)),
                    class = "repalign_strong_stimuli")
})

test_that("deletions by ranks of a list are those of its pairs", {
  set.seed(8)
  n <- 14
  layers <- lapply(c(a = 3, b = 4, c = 5, d = 3), function(q) matrix(stats::rnorm(n * q), n))
  # ties
  layers$d <- round(layers$d)
  labels <- rep(seq_len(7), each = 2)
  local_internal("sides_at_once", 3)
  quiet <- function(...) suppressMessages(suppressWarnings(score_interval(...)))
  for (args in list(list(), list(clusters = labels))) {
    m <- do.call(measure, c("rsa", inner = "euclidean", args))
    within <- quiet(layers, measure = m)
    across <- quiet(layers[3:4], layers, measure = m)
    for (grid in list(within, across)) {
      alone <- lapply(seq_len(nrow(grid)), function(row) {
        quiet(layers[[grid$x[row]]], layers[[grid$y[row]]], measure = m)
      })
      expect_equal(grid$se, vapply(alone, function(one) one$se, 0), tolerance = 1e-12)
      expect_equal(grid$conf_low, vapply(alone, function(one) one$conf_low, 0),
                   tolerance = 1e-12)
    }
  }
})

test_that("deletions of all pairs of lists are those of each pair alone", {
  set.seed(31)
  data <- lapply(stats::setNames(nm = letters[1:5]), function(k) matrix(rnorm(36), 12) + 1:12)
  # a stimulus that holds nearly all of the variance
  data$b[1, ] <- 1e5
  set <- list("cka", measure("cka", estimator = "stimulus"), measure("cka", kernel = "rbf"),
              "angular_cka", "rv", "distance_correlation",
              measure("distance_correlation", estimator = "unbiased"),
              measure("rsa", inner = "euclidean", outer = "pearson"),
              measure("rsa", inner = "euclidean", outer = "cosine"),
              measure("rsa", inner = "euclidean", outer = "whitened_pearson"),
              measure("rsa", inner = "euclidean", outer = "whitened_cosine"))
  # few numbers at a time
  old <- options(repalign.max_memory = 64 * 2^10 * 8)
  on.exit(options(old))
  check <- function(grid, rows, set, codes = NULL) {
    for (row in rows) {
      m <- set[(row - 1) %% length(set) + 1]
      alone <- quietly(score_interval(data[[grid$x[row]]], data[[grid$y[row]]], m,
                                      clusters = codes))
      for (column in c("score", "se", "conf_low", "conf_high")) {
        expect_equal(grid[[column]][row], alone[[column]], tolerance = 1e-10)
      }
    }
  }
  check(quietly(score_interval(data[1:3], measure = set)), 1:22, set)
  check(quietly(score_interval(data[1:2], data[3:5], set)), seq(1, 66, 5), set)
  codes <- rep(1:6, 2)
  check(quietly(score_interval(data[1:2], data[3:5], set[1:9], clusters = codes)),
        seq(1, 54, 10), set[1:9], codes)
})

test_that("errors of few stimuli or clusters are said to be rough", {
  set.seed(3)
  x <- matrix(rnorm(60), 20)
  y <- x + matrix(rnorm(60), 20)
  of <- function(n, ...) suppressWarnings(score_interval(x[1:n, ], y[1:n, ], "rsa", ...))
  said <- function(code) grep("rough themselves", capture_messages(code), value = TRUE)
  expect_match(said(of(9)), "^Errors of 9 stimuli are rough")
  expect_length(said(of(10)), 0)
  expect_match(said(of(20, clusters = rep(1:8, length.out = 20))), "8 clusters.*take more clusters")
})

test_that("neurons of two sessions have no error, and three are asked for", {
  set.seed(3)
  signal <- matrix(rnorm(80), 40)
  x <- responses(signal %*% matrix(rnorm(16), 2), session = rep(1:2, each = 4))
  y <- signal %*% matrix(rnorm(16), 2)
  over <- c("stimuli", "neurons_x")
  said <- capture_warnings(suppressMessages(
    score_interval(x, y, measure("cka", estimator = "stimulus_neuron"), over = over)
  ))
  expect_match(said, "three sessions are the least", all = FALSE)
  # nothing is said of sessions where there are none
  result <- data.frame(x = "a", y = "b", measure = "m", score = 1, se = NA_real_)
  expect_warning(repalign:::warn_no_errors(result, FALSE, list(), FALSE), "too little of it[.]$")
})
