# Pictures of similarities: tiles, heat maps and maps.

stimuli_layers <- function(names, n = 30, d = 6) {
  signal <- matrix(rnorm(n * d), n)
  at <- seq_along(names) / length(names)
  setNames(lapply(at, function(noise) signal + 2 * noise * matrix(rnorm(n * d), n)), names)
}

test_that("tiles of one measure: the bar has the scores, dark is similar, also for distances", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  areas <- stimuli_layers(c("V1", "V4", "IT"))
  result <- similarity(areas)
  plot <- built(ggplot2::autoplot(result))
  expect_equal(plot$plot$data$fill, result$score)
  expect_equal(fill_scale(plot)$get_limits(), c(0, 1))
  expect_true(all(as.numeric(fill_scale(plot)$get_labels()) %in% seq(0, 1, 0.25)))
  expect_identical(data_of(plot, "GeomText")$label, sprintf("%.2f", result$score))
  distances <- similarity(areas, measure = "procrustes")
  plot <- built(ggplot2::autoplot(distances))
  light <- colSums(grDevices::col2rgb(data_of(plot, "GeomTile")$fill))
  expect_identical(order(light), order(distances$score))
  expect_equal(fill_scale(plot)$get_limits(), c(0, max(distances$score)))
})

test_that("several measures share the bar where scores do, else panels tell their ranges", {
  skip_if_not_installed("ggplot2")
  set.seed(2)
  areas <- stimuli_layers(c("V1", "V4", "IT"))
  same <- similarity(areas, measure = c("cka", "rv"))
  plot <- built(ggplot2::autoplot(same))
  expect_identical(gsub("\n", " ", panel_names(plot)), c("uncorrected CKA", "RV coefficient"))
  expect_equal(plot$plot$data$fill, same$score)
  mixed <- similarity(areas, measure = c("cka", "procrustes"))
  plot <- built(ggplot2::autoplot(mixed))
  words <- c(`cka(naive)` = "uncorrected CKA", procrustes = "orthogonal Procrustes distance")
  for (label in names(words)) {
    score <- mixed$score[mixed$measure == label]
    expect_match(gsub("\n", " ", panel_names(plot)),
                 paste(words[[label]], panel_ranges(data.frame(value = score, panel = ""))[[1]]),
                 fixed = TRUE, all = FALSE)
  }
  fill <- plot$plot$data$fill[mixed$measure == "procrustes"]
  expect_equal(fill, 1 - mixed$score[mixed$measure == "procrustes"] /
                 max(mixed$score[mixed$measure == "procrustes"]))
  only <- built(ggplot2::autoplot(mixed, measure = "procrustes"))
  expect_identical(gsub("\n", " ", panel_names(only)), "orthogonal Procrustes distance")
})

test_that("factors keep their order, and no tick is NA", {
  skip_if_not_installed("ggplot2")
  set.seed(3)
  result <- similarity(stimuli_layers(c("V1", "V4")), stimuli_layers(c("a", "b", "c")),
                       c("rv", "cka"))
  result$x <- factor(result$x, c("V4", "V1"))
  result$y <- factor(result$y, c("c", "b", "a", "unused"))
  result$measure <- factor(result$measure, c("cka(naive)", "rv"))
  plot <- built(ggplot2::autoplot(result))
  expect_identical(unname(tick_labels(plot, "x")), c("c", "b", "a"))
  expect_identical(unname(tick_labels(plot, "y")), c("V1", "V4"))
  expect_identical(gsub("\n", " ", panel_names(plot)), c("uncorrected CKA", "RV coefficient"))
  half <- result
  half$y <- as.character(half$y)
  plot <- built(ggplot2::autoplot(half))
  expect_identical(unname(tick_labels(plot, "x")), c("a", "b", "c"))
  expect_identical(unname(tick_labels(plot, "y")), c("V1", "V4"))
})

test_that("17 and 100 long names: distinct labels, those that would overlap left out", {
  skip_if_not_installed("ggplot2")
  set.seed(4)
  names <- c("module.features.conv1", paste0("module.features.layer", rep(1:4, each = 4), ".", 1:4,
                                             ".conv3"))
  result <- similarity(stimuli_layers(names))
  plot <- built(ggplot2::autoplot(result))
  for (axis in c("x", "y")) {
    labels <- tick_labels(plot, axis)
    expect_length(labels, 16)
    expect_identical(anyDuplicated(labels), 0L)
    expect_true(all(labels %in% short_labels(names, 20)))
  }
  expect_identical(nrow(data_of(plot, "GeomText")), 136L)
  many <- similarity(stimuli_layers(sprintf("blocks.%d", 1:100)))
  plot <- built(ggplot2::autoplot(many))
  expect_identical(nrow(data_of(plot, "GeomTile")), 4950L)
  for (axis in c("x", "y")) {
    expect_true(plot$layout$panel_params[[1]]$guides[[axis]]$check.overlap)
  }
  expect_match(plot$plot$labels$caption, "Names are left out where there is no room")
})

test_that("bound results have panels of their own; the same rows twice are refused", {
  skip_if_not_installed("ggplot2")
  set.seed(5)
  one <- similarity(stimuli_layers(c("a", "b", "c")))
  two <- similarity(stimuli_layers(c("a", "b", "c")))
  both <- bound_by(one, two, "session", 2:1)
  plot <- built(ggplot2::autoplot(both))
  expect_identical(panel_names(plot), c("session 1", "session 2"))
  tiles <- data_of(plot, "GeomTile")
  expect_identical(anyDuplicated(tiles[c("PANEL", "x", "y")]), 0L)
  expect_identical(as.vector(table(tiles$PANEL)), c(3L, 3L))
  both$session[1:3] <- NA
  expect_identical(panel_names(built(ggplot2::autoplot(both))), c("session 1", "(no session)"))
  both$session <- NULL
  expect_refused(ggplot2::autoplot(both), c("a \\| b \\| cka.naive.", "rows 1 and 4", "bind_rows"))
  expect_refused(ggplot2::autoplot(one[0, ]), "no rows")
  # as many panels as results and measures
  grid <- bound_by(similarity(stimuli_layers(c("a", "b")), measure = c("cka", "rv")),
                   similarity(stimuli_layers(c("a", "b")), measure = c("cka", "rv")),
                   "who", c("z", "y"))
  expect_identical(gsub("\n", " ", panel_names(built(ggplot2::autoplot(grid)))),
                   paste(rep(c("z", "y"), each = 2), c("uncorrected CKA", "RV coefficient")))
})

test_that("undefined scores are grey, and said", {
  skip_if_not_installed("ggplot2")
  set.seed(6)
  areas <- stimuli_layers(c("a", "b", "c"))
  fails <- new_measure(function(x, y) NA, label = "none")
  result <- suppressWarnings(similarity(areas, measure = list("cka", fails)))
  plot <- built(ggplot2::autoplot(result))
  expect_match(panel_names(plot)[2], "none")
  expect_match(plot$plot$labels$caption, "NA")
  expect_identical(sum(data_of(plot, "GeomTile")$fill == undefined_colour), 3L)
})

test_that("scores that differ by rounding alone look the same", {
  skip_if_not_installed("ggplot2")
  set.seed(7)
  x <- matrix(rnorm(60), 20)
  turned <- list(a = x, b = x %*% qr.Q(qr(matrix(rnorm(9), 3))), c = 1.3 * x)
  result <- similarity(turned, measure = c("cka", "procrustes"))
  result$score <- result$score + c(-1, 1, 0) * 1e-15
  plot <- built(ggplot2::autoplot(result))
  expect_identical(gsub("\n", " ", panel_names(plot)), c("uncorrected CKA all 1.00",
                                                       "orthogonal Procrustes distance all 0.00"))
  expect_length(unique(data_of(plot, "GeomTile")$fill), 1)
})

test_that("lines stand between models, and the axes name the sides of two lists", {
  skip_if_not_installed("ggplot2")
  set.seed(8)
  models <- list(m = stimuli_layers(c("a", "b")), k = stimuli_layers(c("a", "b", "c")))
  others <- list(p = stimuli_layers("u"), q = stimuli_layers(c("u", "v")))
  picture <- ggplot2::autoplot(similarity(models, others))
  plot <- built(picture)
  expect_equal(data_of(plot, "GeomVline")$xintercept, 1.5)
  # the first row is on top: two rows of m above three of k
  expect_equal(data_of(plot, "GeomHline")$yintercept, 3.5)
  expect_identical(picture$labels[c("x", "y")], list(x = "elements of y", y = "elements of x"))
  one <- built(ggplot2::autoplot(similarity(models$k)))
  expect_false(has_layer(one, "GeomVline"))
  expect_null(one$plot$labels$x)
})

test_that("frames show the best match of each row of two lists", {
  skip_if_not_installed("ggplot2")
  set.seed(8)
  x <- stimuli_layers(c("a", "b", "c"))
  y <- stimuli_layers(c("u", "v"))
  best_of <- function(plot) {
    frames <- data_of_last(plot, "GeomTile")
    expect_true(all(is.na(frames$fill)))
    frames[c("x", "y")]
  }
  grid <- similarity(x, y, list("cka", "procrustes"))
  for (id in c("cka", "procrustes")) {
    result <- grid[startsWith(as.character(grid$measure), id), ]
    plot <- built(ggplot2::autoplot(result))
    scores <- score_matrix(result)
    expected <- max.col(if (id == "cka") scores else -scores)
    found <- best_of(plot)
    # the first row is on top
    expect_equal(as.integer(found$x)[order(-found$y)], expected)
    expect_match(caption_text(ggplot2::autoplot(result)), "Frames: best match of each row")
  }
  chance <- calibrate(x, y, permutations = 39)
  chance$calibrated <- c(0, 0, 0.1, 0.2, 0.3, 0.1)
  found <- best_of(built(ggplot2::autoplot(chance, type = "tiles")))
  # a row without a score above chance has none
  expect_identical(nrow(found), 2L)
  # within one list, and against a single representation, nothing is framed
  expect_length(built(ggplot2::autoplot(similarity(x)))$plot$layers, 2)
  expect_length(built(ggplot2::autoplot(similarity(x, y["u"])))$plot$layers, 2)
})

test_that("numbers on tiles are left out where a small picture has no room for them", {
  skip_if_not_installed("ggplot2")
  skip_if_not_installed("grid")
  set.seed(9)
  picture <- ggplot2::autoplot(similarity(stimuli_layers(letters[1:14])))
  # the sizes of the numbers that are drawn on a page, in points
  sizes <- function(width, height) {
    grDevices::pdf(NULL, width, height)
    device <- grDevices::dev.cur()
    on.exit(grDevices::dev.off(device))
    print(picture)
    grid::grid.force()
    drawn <- grid::grid.ls(print = FALSE)$name
    unlist(lapply(grep("GRID.text", drawn, value = TRUE), function(name) {
      text <- grid::grid.get(name)
      if (all(grepl("^1?[.][0-9]+$|^[01][.][0-9]+$", as.character(text$label)))) text$gp$fontsize[1]
    }))
  }
  # the colour bar has numbers on both pages
  expect_gt(length(sizes(7, 5)), length(sizes(2.5, 2)))
})

test_that("many long names are shortened and stay distinct, and the caption tells of crowded ones", {
  skip_if_not_installed("ggplot2")
  set.seed(12)
  names <- paste0("layer", rep(1:4, each = 2), ".block", 1:2, ".conv1.relu")
  few <- built(ggplot2::autoplot(similarity(stimuli_layers(names), measure = c("cka", "rsa"))))
  short <- sub(".conv1.relu", "...", names, fixed = TRUE)
  expect_identical(unname(tick_labels(few, "x")), short[-1])
  expect_setequal(tick_labels(few, "y"), short[-8])
  expect_null(few$plot$labels$caption)
  # long names at one axis leave little to those at the other, which are smaller
  size <- function(columns) {
    result <- similarity(stimuli_layers(sprintf("layer.%d", 1:12)), stimuli_layers(columns))
    ggplot2::autoplot(result)$theme$axis.text.y$size
  }
  expect_lt(size(names), size(letters[1:8]))
  many <- ggplot2::autoplot(similarity(stimuli_layers(sprintf("b%d", 1:22))))
  expect_match(caption_text(many), "names are left out where there is no room", ignore.case = TRUE)
  # of fewer, all have room in a column of a journal
  few <- ggplot2::autoplot(similarity(stimuli_layers(sprintf("b%d", 1:20))))
  expect_null(few$labels$caption)
})

test_that("heat maps of two networks keep the order of both, with numbers or without", {
  skip_if_not_installed("ggplot2")
  set.seed(22)
  result <- similarity(normal_layers("b", 3), normal_layers("a", 2))
  for (numbers in c(TRUE, FALSE)) {
    plot <- built(ggplot2::autoplot(result, type = "heatmap", numbers = numbers))
    expect_identical(unname(tick_labels(plot, "x")), c("a1", "a2"))
    expect_identical(unname(tick_labels(plot, "y")), c("b3", "b2", "b1"))
    expect_identical(has_layer(plot, "GeomText"), numbers)
    expect_false(has_layer(plot, "GeomSegment"))
  }
  expect_refused(ggplot2::autoplot(result, type = "map"), "compared with itself")
})
