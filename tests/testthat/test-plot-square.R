# Heat maps and maps of a list with itself.

# Dissimilarities of points in the plane, as a measure.
planar <- function(places, direction = "distance", best = 0) {
  new_measure(function(x, y) {
    gap <- sqrt(sum((places[x[1, 1], ] - places[y[1, 1], ])^2))
    if (direction == "distance") gap else best - gap
  }, direction = direction, best = best, symmetric = TRUE, label = "gap")
}

numbered_elements <- function(count) {
  setNames(lapply(seq_len(count), function(i) cbind(rep(i, 3), 1:3)), letters[seq_len(count)])
}

test_that("a heat map is in the order of the tree, which is drawn beside it", {
  skip_if_not_installed("ggplot2")
  places <- cbind(c(0, 10, 1, 11, 0.2, 10.5), 0)
  for (measure in list(planar(places), planar(places, "similarity", 20))) {
    result <- similarity(numbered_elements(6), measure = measure)
    plot <- built(ggplot2::autoplot(result, type = "heatmap"))
    tree <- hclust(dist(places), "average")
    order <- letters[c(1, 5, 3, 2, 6, 4)]
    expect_identical(tick_labels(plot, "x"), order)
    expect_identical(tick_labels(plot, "y")[order(plot$layout$panel_params[[1]]$y$get_breaks(),
                                                  decreasing = TRUE)], order)
    # both triangles and the diagonal: the place of a tile is that of its names
    tiles <- plot$plot$data
    expect_identical(nrow(tiles), 36L)
    expect_identical(order[tiles$x], as.character(tiles$column))
    expect_identical(order[7 - tiles$y], as.character(tiles$row))
    pair <- match(tiles$row, letters) + 6 * (match(tiles$column, letters) - 1)
    gaps <- as.matrix(dist(places))[pair]
    expect_equal(abs(tiles$value - if (measure$declaration$best == 20) 20 else 0), gaps)
    # a line a child and one to join them, of all five merges, as far right as they are high
    lines <- data_of(plot, "GeomSegment")
    expect_identical(nrow(lines), 15L)
    right <- sort(unique(round(lines$xend, 8)))
    expect_equal((right - 6.6) / (0.22 * 6), sort(tree$height) / max(tree$height))
    expect_true(all(lines$x >= 6.6 - 1e-9))
    expect_setequal(lines$y[abs(lines$x - 6.6) < 1e-9 & lines$y %% 1 == 0], 1:6)
    expect_match(plot$plot$labels$caption, "average linkage")
  }
})

test_that("the tree's branches start at the rows they belong to", {
  tree <- hclust(dist(c(0, 10, 1, 11, 0.2)), "average")
  lines <- tree_segments(tree)
  row <- setNames(5:1, tree$order)
  first <- -tree$merge[1, ]
  expect_setequal(lines$y[1:2], row[as.character(first)])
  expect_equal(lines$y[3:4][1], lines$y[3])
  joined <- mean(row[as.character(first)])
  second <- which(tree$merge == 1, arr.ind = TRUE)[1, "row"]
  expect_true(joined %in% lines$y[3 * (second - 1) + 1:2])
})

test_that("both directions are averaged, scores above the best count as the best", {
  set.seed(1)
  layers <- normal_layers("x", 4)
  full <- similarity(layers, layers, "linear_regression")
  d <- dissimilarities(full, "map")$d
  grid <- score_matrix(full)
  expected <- 1 - (grid + t(grid)) / 2
  diag(expected) <- 0
  expect_equal(d, expected)
  # an undefined direction is not made up by the other one
  half <- full
  half$score[2] <- NA
  expect_refused(dissimilarities(half, "map"), "undefined")
  # one direction is not taken for both without saying so
  way <- "one direction"
  expect_match(dissimilarities(similarity(layers, measure = "linear_regression"), "map")$formula,
               way)
  expect_no_match(dissimilarities(full, "map")$formula, way)
  expect_no_match(dissimilarities(similarity(layers), "map")$formula, way)
  over <- similarity(layers)
  over$score[1] <- 1.3
  expect_identical(dissimilarities(over, "map")$d["x2", "x1"], 0)
})

test_that("what is no whole square of one measure is refused", {
  skip_if_not_installed("ggplot2")
  set.seed(2)
  layers <- normal_layers("x", 3)
  other <- setNames(normal_layers("y", 3), names(layers))
  for (type in c("heatmap", "map")) {
    refused <- function(result, pattern) {
      expect_refused(ggplot2::autoplot(result, type = type), pattern)
    }
    # a heat map of two lists has their order, and no tree
    if (type == "map") {
      refused(similarity(layers, other), "with itself")
      refused(calibrate(layers, other, permutations = 19), "with itself")
    }
    refused(similarity(layers, measure = c("cka", "rv")), c("one measure", "rv"))
    refused(similarity(layers)[-2, ], c("x1", "x3", "not computed"))
    refused(similarity(list(m = layers, k = other)), "diagonal = TRUE")
    result <- similarity(layers)
    result$score[2] <- NA
    refused(result, "undefined")
    refused(similarity(layers, measure = new_measure(function(x, y) 1)), "best")
    refused(similarity(layers[1], diagonal = TRUE), "two")
    one <- similarity(layers)
    refused(bound_by(one, one, "day", 1:2), "one result")
    refused(rbind(day1 = one, day2 = one), "object\\[object\\$source == \"day1\", \\]")
  }
})

test_that("a map keeps distances in the plane, whatever the measure's direction", {
  skip_if_not_installed("ggplot2")
  set.seed(3)
  places <- matrix(rnorm(16), 8)
  for (measure in list(planar(places), planar(places, "similarity", 5))) {
    result <- similarity(numbered_elements(8), measure = measure)
    plot <- built(ggplot2::autoplot(result, type = "map"))
    points <- data_of(plot, "GeomPoint")
    expect_equal(as.vector(dist(points[c("x", "y")])), as.vector(dist(places)))
    expect_match(plot$plot$labels$caption, "keep 100%")
    expect_setequal(data_of(plot, "GeomText")$label, letters[1:8])
  }
  # three dimensions do not fit: the share of the two largest eigenvalues
  corners <- scaled_map(as.matrix(dist(diag(4))))
  expect_equal(corners$kept, 2 / 3)
  expect_identical(scaled_map(matrix(0, 3, 3, dimnames = list(1:3, 1:3)))$kept, 1)
  two <- similarity(numbered_elements(2), measure = planar(places))
  expect_equal(abs(diff(data_of(built(ggplot2::autoplot(two, type = "map")), "GeomPoint")$x)),
               two$score)
})

# the boxes of the names that a map shows, in inches
drawn_boxes <- function(points, frame) {
  shown <- points[points$placed, ]
  middle <- cbind(shown$label_x - frame$x[1], shown$label_y - frame$y[1]) / frame$unit
  boxes(middle, nchar(shown$label) * 0.0213 * label_size(nrow(points)),
        0.047 * label_size(nrow(points)))
}

test_that("names on a map overlap neither each other nor leave it, and are counted if left out", {
  set.seed(4)
  for (count in c(2, 17, 100)) {
    points <- data.frame(name = paste0("module.features.layer", seq_len(count)),
                         x = rnorm(count), y = rnorm(count), model = factor("all"))
    frame <- map_frame(points)
    placed <- cbind(points, label_places(points, frame))
    at <- drawn_boxes(placed, frame)
    for (i in seq_len(nrow(at))[-1]) {
      before <- at[seq_len(i - 1), , drop = FALSE]
      expect_true(all(before[, 3] <= at[i, 1] | before[, 1] >= at[i, 3] |
                        before[, 4] <= at[i, 2] | before[, 2] >= at[i, 4]))
    }
    expect_true(all(at[, 1:2] >= 0) && all(at[, 3] <= diff(frame$x) / frame$unit) &&
                  all(at[, 4] <= diff(frame$y) / frame$unit))
    expect_gte(nrow(at), min(count, 17))
    # no line from a point to its name runs through another name
    shown <- placed[placed$placed, ]
    for (i in which(!is.na(shown$leader_x))) {
      x <- seq(shown$x[i], shown$leader_x[i], length.out = 50)
      y <- seq(shown$y[i], shown$leader_y[i], length.out = 50)
      through <- vapply(seq_len(nrow(at))[-i], function(k) {
        any(abs((x - shown$label_x[k]) / frame$unit) < (at[k, 3] - at[k, 1]) / 2 - 0.04 &
              abs((y - shown$label_y[k]) / frame$unit) < (at[k, 4] - at[k, 2]) / 2 - 0.04)
      }, NA)
      expect_false(any(through))
    }
  }
  expect_false(all(placed$placed))
  skip_if_not_installed("ggplot2")
  # the picture tells it, whatever its size
  shown <- lapply(list(c(3.5, 3), c(7, 5)), function(size) {
    texts <- map_texts(draw_map(points, NULL, NULL), size)
    expect_match(texts[length(texts)], paste(101 - length(texts), "of 100 names left out"))
    length(texts)
  })
  expect_lt(shown[[1]], shown[[2]])
  # above the panel, where no axis is
  local_device()
  note <- makeContent.repalign_map_names(grid::gTree(
    points = data.frame(name = points$name, x = 0.5, y = 0.5), sparse = FALSE, below = FALSE
  ))$children
  note <- note[[length(note)]]
  expect_gt(grid::convertY(note$y, "npc", TRUE), 1)
  expect_identical(note$vjust, 0)
  few <- draw_map(points[1:5, ], NULL, NULL)
  expect_length(map_texts(few), 5)
  same <- data.frame(name = c("a", "b"), x = 0, y = 0, model = factor("all"))
  expect_true(all(label_places(same, map_frame(same))$placed))
})

test_that("models: layers are coloured by model, aggregates are points", {
  skip_if_not_installed("ggplot2")
  set.seed(5)
  models <- list(m = normal_layers("a", 2), k = normal_layers("b", 3), l = normal_layers("c", 2))
  plot <- built(ggplot2::autoplot(similarity(models, diagonal = TRUE), type = "map"))
  points <- data_of(plot, "GeomPoint")
  expect_identical(as.vector(table(points$colour)[unique(points$colour)]), c(2L, 3L, 2L))
  expect_identical(plot$plot$scales$get_scales("colour")$get_labels(), names(models))
  top <- calibrate(models, permutations = 99, aggregate = "max")
  plot <- built(ggplot2::autoplot(top, type = "map"))
  expect_setequal(data_of(plot, "GeomMapNames")$label, names(models))
  tiles <- built(ggplot2::autoplot(top, type = "heatmap"))$plot$data
  expect_identical(nrow(tiles), 6L)
  expect_setequal(tiles$value, top$calibrated)
  own <- calibrate(models, permutations = 99, aggregate = top_k_mean(2))
  expect_refused(ggplot2::autoplot(own, type = "map"), "aggregate")
})

test_that("results know direction and best by label, also in parts and bound", {
  set.seed(6)
  layers <- normal_layers("x", 3)
  set <- list(k = measure("lcs_knn", k = 3), "procrustes", "cka")
  expected <- list(direction = c(k = "similarity", procrustes = "distance", `cka(naive)` = "similarity"),
                   best = c(k = 3, procrustes = 0, `cka(naive)` = 1))
  for (result in list(similarity(layers, measure = set),
                      calibrate(layers, measure = set, permutations = 9))) {
    expect_identical(measure_facts(result), expected)
    expect_identical(measure_facts(result[result$measure == "k", ])$best, expected$best[1])
  }
  both <- rbind(result[1, ], result[2:9, ])
  expect_identical(measure_facts(both), expected)
  # a label that means two things has no best score
  other <- calibrate(layers, measure = list(k = measure("lcs_knn", k = 4)), permutations = 9)
  expect_identical(measure_facts(rbind(result[result$measure == "k", ], other))$best,
                   c(k = NA_real_))
  # a user's measure is no measure of ours, whatever its label
  mine <- similarity(layers, measure = new_measure(function(x, y) 0.5, label = "cka"))
  expect_identical(measure_facts(mine)$best, c(cka = NA_real_))
  # without them, a label that begins with an id tells
  bare <- structure(data.frame(measure = c("cka(stimulus)", "procrustes", "mine")),
                    class = c("repalign_similarity", "data.frame"))
  expect_identical(unname(measure_facts(bare)$best), c(1, 0, NA))
})

test_that("tiles of few rows or columns are no bars; other grids fill the page", {
  skip_if_not_installed("ggplot2")
  set.seed(7)
  layers <- normal_layers("x", 17)
  ratio <- function(result, ...) ggplot2::autoplot(result, ...)$theme$aspect.ratio
  row <- similarity(normal_layers("y", 1), layers)
  expect_equal(ratio(row), 1 / 17)
  expect_gt(ratio(similarity(layers, normal_layers("y", 1))), 3)
  expect_null(ratio(similarity(layers, layers)))
  # others would lose the width that the names below them need
  expect_null(ratio(similarity(layers[1:12], layers[1:8])))
  expect_equal(ratio(calibrate(normal_layers("y", 1), layers[1:5], permutations = 99),
                     type = "p_value"), 1 / 5)
  facets <- similarity(normal_layers("y", 1), layers[1:5], measure = c("cka", "rv"))
  expect_equal(ratio(facets), 1 / 5)
})

test_that("all pictures have a white background", {
  skip_if_not_installed("ggplot2")
  set.seed(8)
  x <- normal_layers("x", 3)
  calibrated <- calibrate(x, permutations = 99)
  pictures <- list(
    ggplot2::autoplot(calibrated), ggplot2::autoplot(calibrated, type = "p_value"),
    ggplot2::autoplot(calibrated, type = "heatmap"), ggplot2::autoplot(calibrated, type = "map"),
    ggplot2::autoplot(similarity(x)), ggplot2::autoplot(measures()),
    ggplot2::autoplot(cka_interval(x[[1]], x[[2]], estimator = "naive")),
    ggplot2::autoplot(brain_to_brain(x[1:2], neurons = 2, repeats = 2, estimator = "naive"))
  )
  for (picture in pictures) {
    background <- ggplot2::calc_element("plot.background", picture$theme)
    expect_identical(background$fill, "white")
    expect_identical(background$colour, NA)
  }
})

test_that("names far from their point have a line to it, those beside it do not", {
  points <- data.frame(name = paste0("layer", 1:12), x = rep(0, 12), y = rep(0, 12),
                       model = factor("all"))
  frame <- map_frame(points)
  placed <- label_places(points, frame)
  shown <- placed[placed$placed, ]
  expect_gt(nrow(shown), 6)
  box <- drawn_boxes(cbind(points, placed), frame)
  at <- c(0 - frame$x[1], 0 - frame$y[1]) / frame$unit
  gap <- apply(box, 1, function(b) sqrt(sum((pmin(pmax(at, b[1:2]), b[3:4]) - at)^2)))
  expect_identical(is.na(shown$leader_x), gap < 0.15)
  expect_true(any(gap < 0.15) && any(gap > 0.15))
  # on the right of a point a name begins there, on the left it ends there
  right <- placed[placed$hjust == 0, ]
  expect_true(nrow(right) > 0 && all(right$anchor > 0) && all(right$anchor < right$label_x))
})

test_that("bound results whose names say their source share the panel of a measure", {
  set.seed(1)
  x <- matrix(rnorm(60), 20)
  one <- function(name) {
    similarity(stats::setNames(list(list(a = x, b = x^2)), name), list(V4 = list(v4 = x[, 3:1])),
               measure = c("cka", "rsa"))
  }
  both <- rbind(net = one("net"), other = one("other"))
  expect_equal(gsub("\n", " ", levels(ggplot2::autoplot(both)$data$panel)),
               c("uncorrected CKA", "RSA score"))
  both <- rbind(first = one("net"), second = one("net"))
  expect_length(levels(ggplot2::autoplot(both)$data$panel), 4)
})
