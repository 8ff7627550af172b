# Pictures of analyses.

recorded <- function(n = 34, d = 8) {
  signal <- matrix(rnorm(n * 6), n)
  signal %*% matrix(rnorm(6 * d), 6) + 0.5 * matrix(rnorm(n * d), n)
}

test_that("bound analyses have panels of their own; no line runs through two of them", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  one <- brain_to_brain(recorded(), recorded(), neurons = c(2, 4, 6), repeats = 4)
  two <- brain_to_brain(recorded(), recorded(), neurons = c(2, 4, 6), repeats = 4)
  both <- bound_by(one, two, "animal", c("A", "B"))
  plot <- built(ggplot2::autoplot(both))
  expect_identical(panel_names(plot), c("A", "B"))
  # numbers at the axis do not overlap where panels are low
  expect_true(plot$layout$panel_params[[1]]$guides$y$check.overlap)
  lines <- data_of(plot, "GeomLine")
  expect_identical(anyDuplicated(lines[c("PANEL", "group", "x")]), 0L)
  for (p in 1:2) {
    expect_equal(sort(lines$y[lines$PANEL == p]), sort(list(one, two)[[p]]$pooled))
  }
  title <- plot$plot$labels$title
  expect_true(is.null(title) || !is.na(title))
  plain <- both
  plain$animal <- NULL
  expect_refused(ggplot2::autoplot(plain), c("rows 1 and 10", ".id"))
  # many of them: a panel a source, and a line a comparison
  crowded <- built(ggplot2::autoplot(both, most = 1))
  expect_identical(panel_names(crowded), c("A", "B"))
  lines <- data_of(crowded, "GeomLine")
  expect_identical(anyDuplicated(lines[c("PANEL", "group", "x")]), 0L)
  expect_refused(ggplot2::autoplot(one[0, ]), "no rows")
})

test_that("a caption counts the intervals and values that the axis cuts", {
  skip_if_not_installed("ggplot2")
  set.seed(2)
  result <- brain_to_brain(recorded(), neurons = c(2, 3), repeats = 4, estimator = "naive")
  expect_no_match(caption_text(ggplot2::autoplot(result)), "beyond")
  result$conf_high[1] <- 7
  expect_match(caption_text(ggplot2::autoplot(result)), "1 of 2 intervals reach beyond the axis")
  result$conf_low[2] <- -3
  result$pooled[2] <- -2
  caption <- caption_text(ggplot2::autoplot(result))
  expect_match(caption, "1 of 2 values lie outside")
  expect_match(caption, "2 of 2 intervals")
})

test_that("the legend has the estimators that are drawn, in colour and shape", {
  skip_if_not_installed("ggplot2")
  set.seed(3)
  result <- brain_to_brain(recorded(), neurons = c(2, 3), repeats = 4,
                           estimator = c("stimulus", "naive"))
  plot <- built(ggplot2::autoplot(result))
  points <- data_of(plot, "GeomPoint")
  for (aesthetic in c("colour", "shape")) {
    scale <- plot$plot$scales$get_scales(aesthetic)
    expect_identical(scale$get_labels(), c("nothing", "stimuli"))
    expect_setequal(points[[aesthetic]], scale$map(c("naive", "stimulus")))
  }
  renamed <- result
  renamed$estimator <- paste("my", renamed$estimator)
  expect_identical(built(ggplot2::autoplot(renamed))$plot$scales$get_scales("colour")$get_labels(),
                   c("my stimulus", "my naive"))
})

test_that("one number of neurons: the comparisons stand side by side, in their order", {
  skip_if_not_installed("ggplot2")
  set.seed(4)
  names <- paste0("module.features.layer", c(10, 2, 1), ".conv")
  layers <- setNames(lapply(1:3, function(i) recorded()), names)
  result <- brain_to_model(recorded(), layers, neurons = 5, repeats = 4)
  plot <- built(ggplot2::autoplot(result))
  expect_identical(unname(tick_labels(plot, "x")), paste0("module.\nfeatures.\nlayer", c(10, 2, 1), ".conv"))
  expect_false(has_layer(plot, "GeomLine"))
  points <- data_of(plot, "GeomPoint")
  expect_equal(points$y, result$pooled)
  expect_identical(round(points$x), as.numeric(match(result$y, names)))
  result$y <- factor(result$y, sort(names))
  plot <- built(ggplot2::autoplot(result))
  expect_identical(unname(tick_labels(plot, "x")), paste0("module.\nfeatures.\nlayer", c(1, 10, 2), ".conv"))
  crosses <- built(ggplot2::autoplot(result, single = TRUE))
  expect_match(crosses$plot$labels$caption, "cross: mean")
})

many_layers <- function(count) {
  setNames(lapply(seq_len(count), function(i) recorded(d = 3)), paste0("layer", seq_len(count)))
}

test_that("more than `most` comparisons at one number of neurons stand side by side, too", {
  skip_if_not_installed("ggplot2")
  set.seed(5)
  result <- brain_to_model(recorded(), many_layers(17), neurons = 5, repeats = 2,
                           estimator = "naive", conf_level = NULL)
  plot <- built(ggplot2::autoplot(result))
  points <- data_of(plot, "GeomPoint")
  expect_equal(points$x, 1:17)
  expect_equal(points$y, result$pooled)
  expect_identical(unname(tick_labels(plot, "x")), paste0("layer", 1:17))
})

test_that("comparisons that have no room for names stand in the order of their values", {
  skip_if_not_installed("ggplot2")
  set.seed(6)
  result <- brain_to_brain(many_layers(12), neurons = 2, repeats = 2,
                           estimator = c("naive", "stimulus"), conf_level = NULL)
  plot <- built(ggplot2::autoplot(result))
  points <- data_of(plot, "GeomPoint")
  for (colour in unique(points$colour)) {
    part <- points[points$colour == colour, ]
    expect_identical(order(part$x), order(part$y))
    expect_equal(sort(part$x), 1:66)
  }
  expect_setequal(points$y, result$pooled)
  lines <- vapply(plot$plot$layers, function(layer) inherits(layer$geom, "GeomHline"), NA)
  expect_equal(sort(plot$data[[max(which(lines))]]$yintercept), sort(summary(result)$pooled))
  expect_match(plot$plot$labels$caption, "order of their values")
  expect_match(plot$plot$labels$caption, "long dashes: all\\s+comparisons pooled")
})

test_that("the caption says what thick lines are", {
  skip_if_not_installed("ggplot2")
  set.seed(7)
  model <- brain_to_model(recorded(), many_layers(3), neurons = c(2, 5), repeats = 2,
                          estimator = "naive")
  expect_match(caption_text(ggplot2::autoplot(model, most = 2)), "Thick: the most similar layer")
  brain <- brain_to_brain(many_layers(3), neurons = 2:3, repeats = 2, estimator = "naive")
  expect_match(caption_text(ggplot2::autoplot(brain, most = 2)), "Thick: all comparisons pooled")
})

test_that("bound results with the same comparisons: a row a result, a column a comparison", {
  skip_if_not_installed("ggplot2")
  set.seed(8)
  analysed <- function() {
    brain_to_model(recorded(), many_layers(3), neurons = c(2, 5), repeats = 2, estimator = "naive")
  }
  both <- rbind(day1 = analysed(), day2 = analysed())
  layout <- built(ggplot2::autoplot(both))$layout$layout
  expect_identical(as.character(layout$source), paste0("day", rep(1:2, each = 3)))
  expect_identical(layout$ROW, rep(1:2, each = 3))
  expect_identical(as.character(layout$comparison), paste("brain - layer", rep(1:3, 2), sep = ""))
  # where one of them is missing in one result there is no grid
  some <- built(ggplot2::autoplot(both[!(both$source == "day2" & both$y == "layer2"), ]))
  expect_identical(nrow(some$layout$layout), 5L)
})

test_that("more than 6 layers stand side by side in one panel, fewer neurons faint behind most", {
  skip_if_not_installed("ggplot2")
  set.seed(9)
  result <- brain_to_model(recorded(), many_layers(7), neurons = c(2, 5, 8), repeats = 2,
                           estimator = c("naive", "stimulus"))
  picture <- ggplot2::autoplot(result)
  plot <- built(picture)
  expect_identical(nrow(plot$layout$layout), 1L)
  expect_identical(unname(tick_labels(plot, "x")), paste0("layer", 1:7))
  points <- data_of(plot, "GeomPoint")
  top <- result[result$neurons == 8, ]
  expect_equal(sort(points$y), sort(top$pooled))
  # a line for each estimator at each smaller number of neurons, over the same layers
  faint <- plot$data[[which(vapply(plot$plot$layers, function(layer) {
    inherits(layer$geom, "GeomLine")
  }, NA))[1]]]
  expect_equal(sort(faint$y), sort(result$pooled[result$neurons < 8]))
  expect_length(unique(faint$group), 4)
  expect_match(caption_text(picture), "Bars: 95% intervals over stimuli; faint: with 2 and 5 neurons")
  # a panel a layer on demand, and for up to 6 layers
  expect_identical(nrow(built(ggplot2::autoplot(result, along = "neurons"))$layout$layout), 7L)
  six <- result[result$y != "layer7", ]
  expect_identical(nrow(built(ggplot2::autoplot(six))$layout$layout), 6L)
  # a panel for each of several results, one above the other
  both <- built(ggplot2::autoplot(rbind(day1 = result, day2 = result)))
  expect_identical(panel_names(both), c("day1", "day2"))
  expect_identical(both$layout$layout$ROW, 1:2)
})

test_that("nothing but undefined values is an error", {
  skip_if_not_installed("ggplot2")
  set.seed(20)
  p <- related_pair(20, 4, 4)
  result <- few_is_fine(brain_to_brain(p$x, p$y, neurons = 4, repeats = 2))
  result$pooled <- NA_real_
  expect_refused(ggplot2::autoplot(result), c("nothing to draw", "undefined"))
})

test_that("along = \"comparisons\" gives each number of neurons a panel, with the layers joined", {
  skip_if_not_installed("ggplot2")
  set.seed(21)
  result <- brain_to_model(recorded(), many_layers(3), neurons = c(2, 5, 8), repeats = 4,
                           estimator = c("naive", "stimulus"))
  plot <- built(ggplot2::autoplot(result, along = "comparisons"))
  expect_identical(panel_names(plot), paste(c(2, 5, 8), "neurons"))
  expect_identical(plot$layout$layout$ROW, rep(1L, 3))
  lines <- data_of(plot, "GeomLine")
  for (p in 1:3) {
    rows <- result[result$neurons == c(2, 5, 8)[p], ]
    rows <- rows[order(rows$estimator, rows$y), ]
    drawn <- lines[lines$PANEL == p, ]
    drawn <- drawn[order(drawn$group, drawn$x), ]
    expect_equal(drawn$y, rows$pooled)
    expect_identical(round(drawn$x), rep(c(1, 2, 3), 2))
  }
  expect_identical(unname(tick_labels(plot, "x")), paste0("layer", 1:3))
  # pairs of areas do not come one after the other
  areas <- brain_to_brain(many_layers(3), neurons = 2:3, repeats = 2, estimator = "naive")
  expect_false(has_layer(built(ggplot2::autoplot(areas, along = "comparisons")), "GeomLine"))
  # a row of panels for each of several results
  half <- result
  half$pooled <- half$pooled / 2
  both <- rbind(day1 = result, day2 = half)
  layout <- built(ggplot2::autoplot(both, along = "comparisons"))$layout$layout
  expect_identical(layout$ROW, rep(1:2, each = 3))
  expect_match(as.character(layout$panel), "day[12]\n[258] neurons")
  # and one comparison is a picture, too
  one <- result[result$y == "layer2", ]
  expect_identical(unname(tick_labels(built(ggplot2::autoplot(one, along = "comparisons")), "x")),
                   "layer2")
  expect_refused(ggplot2::autoplot(result, along = "layers"), c("along", "layers"))
})

test_that("along = \"neurons\" draws the comparisons in panels, also at one number of neurons", {
  skip_if_not_installed("ggplot2")
  set.seed(22)
  result <- brain_to_model(recorded(), many_layers(3), neurons = 5, repeats = 4)
  plot <- built(ggplot2::autoplot(result, along = "neurons"))
  expect_identical(panel_names(plot), paste0("brain - layer", 1:3))
})

test_that("many comparisons at several numbers of neurons stand in the order of their values", {
  skip_if_not_installed("ggplot2")
  set.seed(23)
  result <- brain_to_brain(many_layers(12), neurons = 2:3, repeats = 2, estimator = "naive",
                           conf_level = NULL)
  plot <- built(ggplot2::autoplot(result, along = "comparisons"))
  points <- data_of(plot, "GeomPoint")
  for (p in 1:2) {
    part <- points[points$PANEL == p, ]
    expect_equal(part$y[order(part$x)], sort(result$pooled[result$neurons == p + 1]))
  }
  lines <- data_of_last(plot, "GeomHline")
  expect_equal(lines$yintercept[order(lines$PANEL)], summary(result)$pooled)
})

test_that("a reference is drawn as a line with its band in every kind of picture", {
  skip_if_not_installed("ggplot2")
  set.seed(24)
  result <- brain_to_model(recorded(), many_layers(3), neurons = c(2, 5), repeats = 2,
                           estimator = "stimulus", conf_level = NULL)
  whole <- brain_to_brain(recorded(), recorded(), neurons = c(4, 8), repeats = 5)
  row <- whole[whole$neurons == 8 & whole$estimator == "stimulus_neuron", ]
  ends <- c(row$pooled, row$conf_low, row$conf_high)
  pictures <- list(
    ggplot2::autoplot(result, reference = row),
    ggplot2::autoplot(result, reference = ends, most = 1),
    ggplot2::autoplot(result, reference = as.data.frame(row), along = "comparisons"),
    ggplot2::autoplot(result[result$neurons == 2, ], reference = row)
  )
  for (picture in pictures) {
    plot <- built(picture)
    expect_equal(unique(data_of_last(plot, "GeomHline")$yintercept), row$pooled)
    band <- data_of(plot, "GeomRect")
    expect_equal(unique(band$ymin), row$conf_low)
    expect_equal(unique(band$ymax), row$conf_high)
    expect_identical(nrow(band), nrow(plot$layout$layout))
    expect_match(gsub("\n", " ", picture$labels$caption),
                 paste0("reference, ", format(row$pooled, digits = 3), " \\("))
  }
  expect_identical(nrow(result), 6L)
})

test_that("a reference without an interval has no band, and widens the axis", {
  skip_if_not_installed("ggplot2")
  set.seed(25)
  result <- brain_to_model(recorded(), many_layers(3), neurons = 5, repeats = 2)
  plain <- built(ggplot2::autoplot(result, reference = 1.9))
  expect_false(has_layer(plain, "GeomRect"))
  expect_gt(plain$layout$panel_params[[1]]$y.range[2], 1.9)
  expect_match(caption_text(ggplot2::autoplot(result, reference = 1.9)),
               "the reference, 1.9\\.$")
  interval <- cka_interval(recorded(), recorded(), estimator = "stimulus")
  plot <- built(ggplot2::autoplot(result, reference = interval))
  expect_equal(data_of_last(plot, "GeomHline")$yintercept, interval$cka)
})

test_that("what cannot be a reference is refused", {
  skip_if_not_installed("ggplot2")
  set.seed(26)
  result <- brain_to_model(recorded(), many_layers(3), neurons = 5, repeats = 2)
  expect_refused(ggplot2::autoplot(result, reference = result), c("reference", "9 rows", "subset"))
  expect_refused(ggplot2::autoplot(result, reference = result[0, ]), c("reference", "0 rows"))
  expect_refused(ggplot2::autoplot(result, reference = data.frame(a = 1)),
                 c("reference", "no column", "pooled"))
  for (bad in list("high", NA_real_, c(1, 2), c(0.5, 0.6, 0.7), Inf, c(0.5, -Inf, 1), numeric(),
                   list(1))) {
    expect_refused(ggplot2::autoplot(result, reference = bad), c("reference", "three numbers"))
  }
})

test_that("keys say what each estimator corrects for beyond the one before", {
  all <- c("naive", "stimulus", "stimulus_neuron", "stimulus_neuron_trial")
  expect_identical(estimator_keys(all), c("nothing", "stimuli", "+ neurons", "+ noise"))
  expect_identical(estimator_keys(c("naive", "stimulus_neuron")),
                   c("nothing", "stimuli and neurons"))
  expect_identical(estimator_keys(c("stimulus", "stimulus_trial", "own")),
                   c("stimuli", "+ noise", "own"))
  expect_identical(estimator_keys(c("stimulus", "stimulus_neuron_trial")),
                   c("stimuli", "+ neurons and noise"))
  expect_identical(estimator_keys(c("stimulus_neuron", "stimulus_trial")),
                   c("stimuli and neurons", "stimuli and noise"))
})
