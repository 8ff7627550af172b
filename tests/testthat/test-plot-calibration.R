# Pictures of calibrations, and their grids as matrices.

test_that("a panel a row: all null scores, the score, the threshold, the p-value", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  x <- normal_layers("x", 2)
  y <- normal_layers("y", 1)
  result <- calibrate(x, y, c("cka", "mutual_knn"), permutations = 199)
  for (part in list(result, result[4:2, ], rbind(result[3, ], result[1, ]))) {
    plot <- built(ggplot2::autoplot(part))
    bars <- data_of(plot, "GeomRect")
    lines <- data_of(plot, "GeomVline")
    expect_equal(tapply(bars$ymax, bars$PANEL, sum), array(part$permutations),
                 ignore_attr = TRUE)
    expect_equal(lines$xintercept, c(part$score, part$threshold))
    expect_identical(as.integer(lines$PANEL), rep(seq_len(nrow(part)), 2))
    # titles say what differs, the axis what does not
    titles <- gsub(" [|] |\n", " ", plot$layout$layout$panel)
    words <- c(`cka(naive)` = "uncorrected CKA", mutual_knn = "overlap of nearest neighbours")
    two <- length(unique(part$x)) > 1
    expect_identical(titles, paste0(if (two) paste0(part$x, " "), words[as.character(part$measure)],
                                    " p = ", signif(part$p_value, 2)))
    expect_identical(gsub("\n", " ", plot$plot$labels$x),
                     if (two) "score with y1" else "score of x1 and y1")
    # bars lie where the null scores do
    draws <- null_scores(part)
    for (p in seq_len(nrow(part))) {
      here <- bars[bars$PANEL == p & bars$ymax > 0, ]
      within <- function(s) any(s >= here$xmin - 1e-9 & s <= here$xmax + 1e-9)
      inside <- vapply(draws[, p], within, NA)
      expect_true(all(inside))
    }
  }
})

test_that("bars count everything, and scores on a grid get as many values each", {
  bars <- null_bars(c(0.1, 0.2, 0.2, 0.5), "a")
  expect_equal((bars$from + bars$to) / 2, c(0.1, 0.2, 0.5))
  expect_identical(bars$count, c(1L, 2L, 1L))
  even <- null_bars(seq_len(90) / 7, "a")
  expect_identical(even$count, rep(3L, 30))
  expect_null(null_bars(NULL, "a"))
  expect_null(null_bars(NA_real_, "a"))
  one <- null_bars(rep(0, 5), "a")
  expect_true(one$from < 0 && one$to > 0 && one$count == 5)
  set.seed(9)
  for (scale in c(1e-9, 1, 1e9)) {
    draws <- scale * rnorm(999)
    bars <- null_bars(draws, "a")
    expect_identical(sum(bars$count), 999L)
    expect_lte(nrow(bars), 30)
    last <- seq_len(nrow(bars)) == nrow(bars)
    inside <- Map(function(from, to, last) sum(draws >= from & (draws < to | last)),
                  bars$from, bars$to, last)
    expect_identical(bars$count, unlist(inside))
  }
})

# the null of the score by brute force, to compare the fitted law with
drawn_null <- function(x, y, measure, draws) {
  null_scores(calibrate(x, y, measure, permutations = draws, engine = "random"))[, 1]
}

test_that("the law that moments fit is drawn, and mixes with draws", {
  skip_if_not_installed("ggplot2")
  set.seed(2)
  x <- normal_layers("x", 1, n = 30)
  y <- normal_layers("y", 1, n = 30)
  for (measure in c("cka", "distance_correlation", "gulp")) {
    law <- calibrate(x, y, measure, engine = "moments")
    plot <- built(ggplot2::autoplot(law))
    expect_equal(data_of(plot, "GeomVline")$xintercept, c(law$score, law$threshold))
    expect_match(plot$plot$labels$caption, "Pearson type III")
    curve <- data_of(plot, "GeomArea")
    curve <- curve[order(curve$x), ]
    step <- diff(curve$x)
    area <- function(values) sum(step * (values[-1] + values[-length(values)]) / 2)
    mean <- area(curve$x * curve$y)
    expect_equal(area(curve$y), 0.999, tolerance = 2e-3)
    expect_equal(mean, law$null_mean, tolerance = 5e-3)
    expect_equal(sqrt(area((curve$x - mean)^2 * curve$y)), law$null_sd, tolerance = 0.03)
    null <- drawn_null(x, y, measure, 4000)
    skew <- function(m2, m3) m3 / m2^1.5
    expect_lt(abs(skew(area((curve$x - mean)^2 * curve$y), area((curve$x - mean)^3 * curve$y)) -
                    skew(mean((null - mean(null))^2), mean((null - mean(null))^3))), 0.25)
  }
  both <- rbind(law, calibrate(x, y, "rv", permutations = 99))
  plot <- built(ggplot2::autoplot(both))
  expect_identical(unique(as.integer(data_of(plot, "GeomRect")$PANEL)), 2L)
  expect_identical(unique(as.integer(data_of(plot, "GeomArea")$PANEL)), 1L)
  expect_match(caption_text(plot$plot), "1 of 2")
  expect_refused(null_scores(both), "moments")
})

test_that("a curve belongs to its row in any order; a constant null has none", {
  any_law()
  set.seed(12)
  x <- normal_layers("x", 2)
  result <- calibrate(x, normal_layers("y", 2), engine = "moments")
  laws <- null_scores_of_rows(result[4:1, ])
  expect_identical(laws, null_scores_of_rows(result)[4:1])
  means <- vapply(laws, function(law) weighted.mean(law$at, law$density), 0)
  expect_equal(means, result$null_mean[4:1], tolerance = 0.01)
  wide <- suppressWarnings(calibrate(matrix(rnorm(200), 10), matrix(rnorm(200), 10),
                                     "linear_regression", engine = "moments"))
  expect_identical(wide$null_sd, 0)
  expect_identical(null_scores_of_rows(wide), list(NULL))
  expect_false(has_layer(built(ggplot2::autoplot(wide)), "GeomArea"))
})

test_that("panels are in the order of factors", {
  skip_if_not_installed("ggplot2")
  set.seed(13)
  result <- calibrate(normal_layers("x", 1), normal_layers("L", 3), c("cka", "rv"),
                      permutations = 99)
  result$y <- factor(result$y, c("L3", "L1", "L2"))
  plot <- built(ggplot2::autoplot(result, type = "null"))
  expect_identical(substr(panel_names(plot), 1, 2), rep(c("L3", "L1", "L2"), each = 2))
  expect_match(panel_names(plot)[c(1, 3, 5)], "CKA", fixed = TRUE)
  expect_identical(anyDuplicated(panel_names(plot)), 0L)
  expect_identical(plot$plot$labels$x, "score with x1")
  # the score goes with its panel
  lines <- data_of(plot, "GeomVline")
  expect_equal(lines$xintercept[1], result$score[result$y == "L3" & result$measure == "cka(naive)"])
})

test_that("undefined rows have a panel; nothing but undefined rows is an error", {
  skip_if_not_installed("ggplot2")
  set.seed(3)
  x <- matrix(rnorm(60), 20)
  fails <- new_measure(function(x, y) NA, label = "none")
  result <- suppressWarnings(calibrate(x, x[20:1, ], list("cka", fails), permutations = 99))
  titles <- as.character(built(ggplot2::autoplot(result))$layout$layout$panel)
  expect_match(titles[2], "none\nundefined")
  expect_refused(ggplot2::autoplot(result[2, ]), "undefined")
  expect_refused(ggplot2::autoplot(result[0, ]), "no rows")
  expect_refused(plot(result[0, ]), "no rows")
})

test_that("more rows are a grid of calibrated scores, significant ones marked", {
  skip_unless_extended()
  skip_if_not_installed("ggplot2")
  set.seed(4)
  x <- normal_layers("x", 4)
  y <- c(x["x1"], normal_layers("y", 3))
  result <- calibrate(x, y, c("cka", "mutual_knn"), permutations = 199)
  expect_identical(nrow(result), 32L)
  plot <- built(ggplot2::autoplot(result))
  expect_identical(nrow(plot$data[[1]]), 32L)
  expect_setequal(levels(plot$plot$data$row), union(names(x), names(y)))
  marked <- plot$plot$data$mark == "*"
  expect_setequal(tick_labels(plot, "x"), names(y))
  expect_setequal(tick_labels(plot, "y"), names(x))
  expect_identical(data_of(plot, "GeomText")$label,
                   paste0(sprintf("%.2f", result$calibrated), ifelse(marked, "*", "")))
  expect_identical(marked, result$p_value <= 0.05)
  expect_true(marked[1] && !all(marked))
  shuffled <- built(ggplot2::autoplot(result[sample(32), ]))
  expect_identical(sum(shuffled$plot$data$mark == "*"), sum(marked))
  # panels on demand, and tiles on demand
  expect_identical(nrow(built(ggplot2::autoplot(result[1:9, ], most = 9))$layout$layout), 9L)
  expect_refused(ggplot2::autoplot(result, type = "null"), c("up to 20", "32 rows", "\"tiles\""))
  low <- built(ggplot2::autoplot(result[1:20, ], type = "null"))
  expect_s3_class(low$plot$theme$axis.text.y, "element_blank")
  expect_identical(nrow(built(ggplot2::autoplot(result, most = 1))$layout$layout), 2L)
  adjusted <- calibrate(x, y, permutations = 199, p_adjust = "holm")
  plot <- built(ggplot2::autoplot(adjusted))
  expect_identical(plot$plot$data$mark == "*", adjusted$p_adjusted <= 0.05)
  expect_match(plot$plot$labels$caption, "adjusted")
  local_device()
  expect_identical(plot(result), result)
})

test_that("models and aggregates are drawn and make matrices", {
  skip_unless_extended()
  set.seed(5)
  models <- list(m = normal_layers("a", 2), k = normal_layers("b", 2), l = normal_layers("c", 2))
  single <- calibrate(models, permutations = 99)
  top <- calibrate(models, permutations = 99, aggregate = "max")
  mean <- calibrate(models, permutations = 99, aggregate = "mean")
  grid <- score_matrix(single)
  expect_identical(dim(grid), c(6L, 6L))
  expect_identical(grid["m/a1", "k/b2"], single$calibrated[2])
  expect_identical(grid["k/b2", "m/a1"], single$calibrated[2])
  expect_true(is.na(grid["m/a1", "m/a2"]))
  of_models <- score_matrix(top, value = "score")
  expect_identical(dimnames(of_models), list(c("m", "k", "l"), c("m", "k", "l")))
  expect_identical(of_models["k", "m"], top$score[1])
  expect_identical(score_matrix(mean[3:1, ], value = "p_value")["k", "l"], mean$p_value[3])
  own <- calibrate(models, permutations = 99, aggregate = top_k_mean(2))
  expect_true(is.na(score_matrix(own)["k", "m"]))
  lists <- calibrate(models$m, models$k, permutations = 99, aggregate = "max")
  expect_identical(dim(score_matrix(lists)), c(1L, 1L))
  two <- score_matrix(calibrate(models[1:2], permutations = 99))
  expect_identical(dimnames(two), list(c("m/a1", "m/a2"), c("k/b1", "k/b2")))
  skip_if_not_installed("ggplot2")
  for (result in list(single, top, mean, own, lists)) {
    built(ggplot2::autoplot(result))
    built(ggplot2::autoplot(result, most = 1))
  }
  plot <- built(ggplot2::autoplot(mean))
  expect_match(as.character(plot$layout$layout$panel)[1], "m | k\n", fixed = TRUE)
  expect_identical(plot$plot$labels$x, "uncorrected CKA")
  expect_setequal(levels(ggplot2::autoplot(top, most = 1)$data$row), names(models))
  expect_refused(ggplot2::autoplot(rbind(top, top), most = 1), c("rows 1 and 4", ".id"))
})

test_that("score_matrix takes a column of calibrations and of similarities", {
  set.seed(6)
  layers <- normal_layers("x", 3)
  result <- calibrate(layers, measure = c("cka", "rv"), permutations = 99, variant = "z")
  grid <- score_matrix(result, "cka")
  expect_identical(dim(grid), c(3L, 3L))
  expect_identical(grid, t(grid))
  expect_identical(grid["x2", "x3"], result$calibrated[3])
  scores <- score_matrix(similarity(layers), value = "score")
  expect_equal(score_matrix(result, "cka", value = "score"), scores, tolerance = 1e-12)
  expect_identical(score_matrix(result, "rv", "p_value")["x1", "x2"], result$p_value[4])
  # parts, in any order, and bound together, know that they are of one list
  expect_identical(dim(score_matrix(result[3:1, ])), c(3L, 3L))
  both <- rbind(result[1, ], result[3, ])
  expect_identical(score_matrix(both)["x3", "x2"], result$calibrated[3])
  # the lists on both sides, and an asymmetric measure
  full <- calibrate(layers, layers, permutations = 99)
  expect_identical(score_matrix(full)["x2", "x1"], full$calibrated[4])
  regression <- calibrate(layers, measure = "linear_regression", permutations = 99)
  expect_true(is.na(score_matrix(regression)["x2", "x1"]))
  plain <- as.data.frame(result)
  expect_null(attr(plain, "grid"))
  expect_identical(score_matrix(plain, "cka")["x1", "x2"], result$score[1])
  expect_refused(score_matrix(result, "cka", "nothing"), c("value", "calibrated"))
  expect_refused(score_matrix(result, "cka", "x"), "value")
  expect_refused(score_matrix(result[c("x", "y", "measure", "score")], "cka"), "calibrated")
  expect_refused(score_matrix(full[c(1, 1), ], "cka"), "two scores")
})

test_that("what cannot be drawn says why", {
  skip_if_not_installed("ggplot2")
  set.seed(7)
  x <- matrix(rnorm(60), 20)
  result <- calibrate(x, x[20:1, ], permutations = 99)
  expect_refused(ggplot2::autoplot(result[c("x", "y")]), c("column", "measure"))
  expect_refused(ggplot2::autoplot(result, mots = 3), "mots")
  expect_refused(ggplot2::autoplot(result, most = 0), "most")
})

# code with a package that cannot be loaded
without_package <- function(package, code) {
  original <- requireNamespace
  without <- function(asked, ...) if (asked == package) FALSE else original(asked, ...)
  local_internal("requireNamespace", without, baseenv())
  force(code)
}

test_that("without ggplot2, plot() says what to install", {
  set.seed(8)
  x <- matrix(rnorm(60), 20)
  result <- calibrate(x, x[20:1, ], permutations = 99)
  without_package("ggplot2", expect_refused(plot(result), c("ggplot2", "install.packages")))
  expect_identical(requireNamespace("stats"), TRUE)
})

test_that("p-values are tiles in classes, with stars and the p-values where they fit", {
  skip_if_not_installed("ggplot2")
  set.seed(9)
  x <- normal_layers("x", 4, n = 30)
  y <- c(list(same = x$x1 + rnorm(120)), normal_layers("y", 3, n = 30))
  result <- calibrate(x, y, c("cka", "rv"), permutations = 199)
  plot <- built(ggplot2::autoplot(result, type = "p_value"))
  expect_identical(gsub("\n", " ", panel_names(plot)), c("uncorrected CKA", "RV coefficient"))
  tiles <- plot$plot$data
  expect_identical(as.character(tiles$fill), ifelse(result$p_value > 0.05, "above 0.05",
    ifelse(result$p_value > 0.01, "at most 0.05", ifelse(result$p_value > 0.001, "at most 0.01",
                                                         "at most 0.001"))))
  expect_identical(grepl("*", data_of(plot, "GeomText")$label, fixed = TRUE),
                   result$p_value <= 0.05)
  expect_match(plot$plot$labels$caption, paste(sum(result$p_value <= 0.05), "of 32"))
  # legend: the classes that are there
  expect_setequal(fill_scale(plot)$get_limits(), unique(as.character(tiles$fill)))
  # as many colours as classes, and alpha is a limit of them
  strict <- calibrate(x, y, permutations = 199, alpha = 0.02, p_adjust = "holm")
  tiles <- ggplot2::autoplot(strict, type = "p_value")$data
  expect_identical(tiles$fill == "above 0.02", strict$p_adjusted > 0.02)
  few <- strict[1:4, ]
  few$p_adjusted <- c(1e-9, 0.00421, 0.25, NA)
  expect_identical(ggplot2::autoplot(few, type = "p_value")$data$text,
                   c("<.001*", "0.004*", "0.25", "NA"))
})

test_that("results that are bound have panels of their own, or are refused", {
  skip_if_not_installed("ggplot2")
  set.seed(10)
  x <- normal_layers("x", 3)
  one <- calibrate(x, normal_layers("y", 2), permutations = 99)
  two <- calibrate(x, normal_layers("y", 2), permutations = 99)
  days <- bound_by(one, two, "day", c("mon", "tue"))
  tiles <- built(ggplot2::autoplot(days, type = "tiles"))
  expect_identical(panel_names(tiles), c("mon", "tue"))
  expect_identical(tiles$data[[1]]$PANEL, factor(rep(1:2, each = 6)))
  plain <- days
  plain$day <- NULL
  for (type in c("tiles", "p_value", "heatmap", "map")) {
    expect_refused(ggplot2::autoplot(plain, type = type), c("rows 1 and 7", "rbind"))
  }
  expect_refused(ggplot2::autoplot(one, type = "tile"), "tiles")
  expect_refused(ggplot2::autoplot(one, measure = "ckaa"), "cka")
})

test_that("aggregates of two results are two tiles in one place, whichever layers they select", {
  skip_if_not_installed("ggplot2")
  set.seed(13)
  models <- list(m = normal_layers("a", 3), k = normal_layers("b", 3))
  one <- calibrate(models, permutations = 99, aggregate = "max")
  two <- one
  two$x <- setdiff(names(models$m), one$x)[1]
  both <- bound_by(one, two, "run", 1:2)
  expect_identical(panel_names(built(ggplot2::autoplot(both, type = "tiles"))),
                   c("run 1", "run 2"))
  both$run <- NULL
  expect_refused(ggplot2::autoplot(both, type = "tiles"), c("m \\| k", "rows 1 and 2"))
})

test_that("titles of panels are distinct, and say all names", {
  skip_if_not_installed("ggplot2")
  set.seed(11)
  long <- paste0("module.features.layer", 1:3, ".2.conv3")
  x <- setNames(normal_layers("x", 3), long)
  result <- calibrate(x, x, permutations = 99)
  plot <- built(ggplot2::autoplot(result))
  titles <- panel_names(plot)
  expect_identical(anyDuplicated(titles), 0L)
  lines <- strsplit(titles, "\n")
  expect_lte(max(nchar(unlist(lines))), 32)
  for (i in seq_along(titles)) {
    expect_match(titles[i], substring(result$x[i], 17), fixed = TRUE)
    expect_match(titles[i], substring(result$y[i], 17), fixed = TRUE)
  }
})

test_that("scores below chance have another hue; measures of unlike sizes are shares of the largest", {
  skip_if_not_installed("ggplot2")
  set.seed(31)
  layers <- normal_layers("x", 4)
  one <- calibrate(layers, permutations = 99, variant = "z")
  expect_lt(min(one$calibrated), 0)
  plot <- built(ggplot2::autoplot(one, type = "tiles"))
  limits <- fill_scale(plot)$limits
  expect_true(limits[1] <= min(one$calibrated) && limits[2] >= max(one$calibrated))
  both <- calibrate(layers, measure = c("cka", "procrustes_size_shape"), permutations = 99,
                    variant = "centered")
  plot <- built(ggplot2::autoplot(both, type = "tiles"))
  expect_match(fill_scale(plot)$name, "largest")
  for (measure in unique(both$measure)) {
    tiles <- plot$plot$data
    values <- both$calibrated[both$measure == measure]
    expect_true(all(abs(values) / max(abs(values)) <= 1))
  }
})

test_that("tiles are grey where the adjusted p-value is above alpha, and only there", {
  skip_if_not_installed("ggplot2")
  set.seed(33)
  x <- normal_layers("x", 4, n = 30)
  y <- c(list(same = x$x1 + rnorm(120)), normal_layers("y", 3, n = 30))
  adjusted <- calibrate(x, y, permutations = 399, p_adjust = "holm")
  found <- adjusted$p_adjusted <= 0.05
  # some rows are significant only as long as nothing is adjusted, with calibrated scores above 0
  expect_true(any(found) && any(!found & adjusted$p_value <= 0.05 & adjusted$calibrated > 0))
  grey <- data_of_last(built(ggplot2::autoplot(adjusted, type = "tiles")), "GeomTile")
  expect_identical(unique(grey$fill), not_found_colour)
  expect_identical(nrow(grey), sum(!found))
  expect_match(caption_text(ggplot2::autoplot(adjusted, type = "tiles")),
               "light grey: adjusted p-value above 0.05")
  p <- built(ggplot2::autoplot(adjusted, type = "p_value"))
  first <- p$data[[1]]
  expect_identical(first$fill == not_found_colour, !found)
  # without adjustment the calibrated score is 0 where it is not significant
  plain <- ggplot2::autoplot(calibrate(x, y, permutations = 399), type = "tiles")
  fills <- unlist(lapply(built(plain)$data, `[[`, "fill"))
  expect_false(any(fills %in% not_found_colour))
  expect_no_match(caption_text(plain), "grey")
})

test_that("the picture of an aggregate says what score and null are of", {
  skip_if_not_installed("ggplot2")
  set.seed(34)
  models <- list(m = normal_layers("a", 2), k = normal_layers("b", 2))
  said <- function(...) {
    caption_text(ggplot2::autoplot(calibrate(models, permutations = 99, ...), type = "null"))
  }
  expect_match(said(aggregate = "max"), "Score: the largest score of all pairs of layers; null: the")
  expect_match(said(measure = "procrustes", aggregate = "max"), "the smallest score of all pairs")
  expect_match(said(aggregate = "mean"), "the mean score of all pairs")
  expect_match(said(aggregate = "row_max"), "the mean over layers of x of the largest score with a")
  expect_match(said(aggregate = top_k_mean(2)), "top_k_mean\\(2\\) of all pairs")
  expect_null(ggplot2::autoplot(calibrate(models, permutations = 99), type = "null")$labels$caption)
})

test_that("a calibration that lost its alpha says so", {
  skip_if_not_installed("ggplot2")
  set.seed(32)
  lost <- calibrate(normal_layers("x", 3), permutations = 99)
  attr(lost, "settings") <- NULL
  expect_refused(ggplot2::autoplot(lost), c("alpha", "calibrate"))
})

test_that("raw scores stand beside calibrated ones, with their thresholds", {
  skip_if_not_installed("ggplot2")
  set.seed(21)
  x <- normal_layers("x", 1)
  result <- calibrate(x, c(x, normal_layers("y", 2)), c("cka", "rsa"), permutations = 99)
  plot <- built(ggplot2::autoplot(result, type = "scores"))
  at <- vapply(plot$plot$layers, function(layer) inherits(layer$geom, "GeomPoint"), NA)
  points <- plot$data[at]
  expect_equal(points[[1]]$x, result$threshold)
  expect_equal(points[[2]]$x, c(result$score, result$calibrated))
  expect_identical(points[[2]]$shape == 19, rep(c(FALSE, TRUE), each = 6) &
                     rep(result$p_value <= 0.05, 2))
  expect_identical(panel_names(plot), c("uncorrected CKA", "RSA score"))
})
