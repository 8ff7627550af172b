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
  expect_null(built(ggplot2::autoplot(result))$plot$labels$caption)
  result$conf_high[1] <- 7
  expect_match(ggplot2::autoplot(result)$labels$caption, "1 of 2 intervals reach beyond the axis")
  result$conf_low[2] <- -3
  result$pooled[2] <- -2
  caption <- ggplot2::autoplot(result)$labels$caption
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
    expect_identical(scale$get_labels(), c("naive", "stimulus"))
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
  expect_identical(unname(tick_labels(plot, "x")), paste0("...layer", c(10, 2, 1), ".conv"))
  expect_false(has_layer(plot, "GeomLine"))
  points <- data_of(plot, "GeomPoint")
  expect_equal(points$y, result$pooled)
  expect_identical(round(points$x), as.numeric(match(result$y, names)))
  result$y <- factor(result$y, sort(names))
  plot <- built(ggplot2::autoplot(result))
  expect_identical(unname(tick_labels(plot, "x")), paste0("...layer", c(1, 10, 2), ".conv"))
  crosses <- built(ggplot2::autoplot(result, single = TRUE))
  expect_match(crosses$plot$labels$caption, "cross: mean")
})
