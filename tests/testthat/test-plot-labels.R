# Names and colours in pictures.

test_that("short names are short, distinct, and keep what tells them apart", {
  layers <- paste0("module.features.layer", rep(1:4, each = 4), ".", 1:4, ".conv3")
  short <- short_labels(layers, 20)
  expect_identical(short[6], "...layer2.2.conv3")
  expect_identical(anyDuplicated(short), 0L)
  # a beginning and an end in common
  both <- paste0("transformer.blocks.", 1:100, ".attention.projection")
  expect_identical(short_labels(both, 12)[c(1, 100)], c("...1...", "...100..."))
  # differences in the middle, where nothing is shared at a separator
  middle <- paste0(strrep("a", 15), c("x", "y", "z"), strrep("b", 15))
  expect_identical(anyDuplicated(short_labels(middle, 12)), 0L)
  # what fits stays, and equal names stay equal
  expect_identical(short_labels(c("V1", "V4", "V1"), 5), c("V1", "V4", "V1"))
  expect_identical(short_labels(strrep("a", 30), 10), paste0("aa...", strrep("a", 5)))
  repeated <- short_labels(c(layers, layers), 20)
  expect_identical(repeated[1:16], repeated[17:32])
  expect_identical(short_labels(character(), 5), character())
})

test_that("random long names stay distinct and, where possible, within the length", {
  set.seed(1)
  for (most in c(6, 10, 20)) {
    names <- unique(replicate(60,
                              paste(sample(c("a", "b", ".", "_", "9"), 25, TRUE), collapse = "")))
    short <- short_labels(names, most)
    expect_identical(anyDuplicated(short), 0L)
    expect_lte(max(nchar(short)), most + 8)
  }
})

test_that("names stay as they were given, in lines that end at separators and capitals", {
  expect_identical(wrapped_labels(c("FaceBodyManmadeNatobj", "EVA", "a b"), 12),
                   c("FaceBody\nManmade\nNatobj", "EVA", "a b"))
  expect_identical(wrapped_labels("module.features.layer4", 16), "module.features.\nlayer4")
  expect_identical(wrapped_labels("two\nlines given", 8), "two\nlines\ngiven")
  # a word that is longer than a line stays whole
  expect_identical(wrapped_labels("unbreakable", 4), "unbreakable")
  set.seed(1)
  names <- replicate(50, paste(sample(c(letters[1:3], "B", ".", "_", "/"), 25, TRUE),
                               collapse = ""))
  expect_identical(gsub("\n", "", wrapped_labels(names, 9)), names)
  # many names have no room for lines of their own
  skip_if_not_installed("ggplot2")
  beside <- function(names) names_axis("y", names)[[1]]$labels(names)
  expect_identical(beside(names[1:3]), wrapped_labels(names[1:3], 20))
  expect_identical(beside(names), short_labels(names, 20))
})

test_that("names of a consensus stand whole where there is room", {
  skip_if_not_installed("ggplot2")
  set.seed(1)
  shared <- matrix(rnorm(90), 30)
  x <- lapply(1:5, function(i) shared + matrix(rnorm(90), 30))
  names(x) <- sprintf("monkey Alpha, session 2024-11-%02d", 1:5)
  found <- suppressMessages(suppressWarnings(consensus(x[1:3], x[4:5])))
  picture <- ggplot2::autoplot(found)
  labels <- tick_labels(built(picture), "y")
  expect_setequal(gsub("\n", "", labels), sub(", s", ",s", names(x)))
  expect_match(caption_text(picture), "band: interval of the mean of the subjects")
  expect_no_match(caption_text(ggplot2::autoplot(found[1:5, ])), "band")
})

test_that("tiles without room for numbers have the stars that the caption tells of", {
  skip_if_not_installed("ggplot2")
  local_device()
  label <- c("0.82*", "0.01")
  tiles <- function(width) {
    text <- grid::gTree(children = grid::gList(grid::textGrob(label)), cell = c(width, 0.2),
                        label = label, cl = "repalign_fitted_text")
    grid::makeContent(text)$children
  }
  expect_identical(tiles(0.1)[[1]]$label, label)
  expect_identical(tiles(0.015)[[1]]$label, c("*", ""))
  expect_length(tiles(0.001), 0)
})

test_that("captions are one sentence, broken between remarks in lines of a journal's column", {
  expect_null(caption_of(NULL))
  text <- caption_of("bars: 95% intervals over stimuli", NULL,
                     "dashed: the threshold of all comparisons together")
  expect_identical(text, paste0("Bars: 95% intervals over stimuli;\n",
                                "dashed: the threshold of all comparisons together."))
  expect_lte(max(nchar(strsplit(text, "\n")[[1]])), 60)
  # a part that has no room in a line of its own fills the line before it
  text <- caption_of("bars: intervals", paste("dashes:", strrep("the ceiling of noise ", 4)))
  expect_match(text, "^Bars: intervals; dashes: the ceiling")
})

test_that("lines are broken and stay distinct", {
  labels <- paste("a long title of a panel", c("one", "two"))
  wrapped <- wrapped_labels(labels, 12)
  expect_lte(max(nchar(unlist(strsplit(wrapped, "\n")))), 12)
  expect_identical(anyDuplicated(wrapped), 0L)
  range_text <- function(...) panel_ranges(data.frame(value = c(...), panel = "p"))[["p"]]
  expect_identical(range_text(0.12341, 0.12344), "0.12341 to 0.12344")
  expect_identical(range_text(2, 2), "all 2.00")
  expect_identical(range_text(1 - 2e-15, 1), "all 1.00")
  expect_identical(range_text(0, 9e-16), "all 0.00")
  expect_identical(range_text(NA, 0.5, 0.25), "0.25 to 0.50")
  expect_identical(range_text(NA_real_), "undefined")
  expect_identical(number_text(c(-0.001, 1234.5, NA, 0.126)), c("0.00", "1234", "NA", "0.13"))
  expect_identical(compact_text(c("0.12", "-0.50*", "1.00", "10.30")),
                   c(".12", "-.50*", "1.00", "10.30"))
})

# Machado, Oliveira and Fernandes (2009), severity 1, of linear RGB.
as_seen <- function(colours, deficiency) {
  matrices <- list(
    deutan = rbind(c(0.367322, 0.860646, -0.227968), c(0.280085, 0.672501, 0.047413),
                   c(-0.011820, 0.042940, 0.968881)),
    protan = rbind(c(0.152286, 1.052583, -0.204868), c(0.114503, 0.786281, 0.099216),
                   c(-0.003882, -0.048116, 1.051998))
  )
  linear <- (grDevices::col2rgb(colours) / 255)^2.2
  seen <- pmin(pmax(matrices[[deficiency]] %*% linear, 0), 1)
  grDevices::convertColor(t(seen^(1 / 2.2)), "sRGB", "Lab")
}

test_that("colours stay distinct without red or green", {
  for (deficiency in c("deutan", "protan")) {
    for (set in list(estimator_colours, mark_colours, measure_colours[1:2],
                     category_colours(letters[1:6]))) {
      expect_gt(min(dist(as_seen(set, deficiency))), 15)
    }
    # both scales of tiles are seen in their order of lightness, and zero is the lightest
    light <- as_seen(diverging, deficiency)[, 1]
    zero <- length(oranges) + 1
    expect_true(all(diff(light[seq_len(zero)]) > 0) && all(diff(light[zero:length(light)]) < 0))
    ends <- as_seen(diverging[c(2, length(diverging) - 1)], deficiency)
    expect_gt(min(dist(ends)), 40)
  }
})

test_that("words are not torn where names stay distinct without", {
  names <- paste0(c("encoder.", "decoder."), c("layer.1.", "layer.2."),
                  rep(c("self_attention", "output_projection"), each = 2))
  short <- short_labels(names, 22)
  words <- unlist(strsplit(gsub("...", " ", short, fixed = TRUE), "[-._/ :|]"))
  expect_true(all(words %in% unlist(strsplit(c(names, ""), "[-._/ :|]")) | words == ""))
  expect_identical(anyDuplicated(short), 0L)
  expect_lte(max(nchar(short)), 22)
  expect_identical(first_characters("self_attention", 9, TRUE), "self")
  expect_identical(last_characters("self_attention", 12, TRUE), "attention")
  expect_identical(first_characters("self_attention", 9, FALSE), "self_atte")
  expect_identical(first_characters("selfattention", 4, TRUE), "")
  # what is left out of all names needs no dots where these have no room
  blocks <- paste0("features.block", 1:3, ".conv")
  expect_identical(short_labels(blocks, 10), paste0("...block", 1:3))
})

test_that("panels of measures have titles and ticks that fit into a column of a journal", {
  set.seed(1)
  x <- matrix(rnorm(120), 20)
  scores <- suppressWarnings(score_interval(x, list(a = x + rnorm(120), b = matrix(rnorm(80), 20)),
                                            c("cka", "procrustes", "soft_correlation_match")))
  for (result in list(scores, compare_scores(scores), best_score(scores, by = "measure"))) {
    built <- ggplot2::ggplot_build(ggplot2::autoplot(result))
    titles <- built$layout$facet_params$labeller(data.frame(panel = unique(scores$measure)))[[1]]
    expect_lte(longest_line(unlist(titles)), 12)
    expect_identical(built$plot$theme$strip.clip, "off")
    ticks <- lapply(built$layout$panel_params, function(panel) panel$x$breaks)
    expect_true(all(lengths(lapply(ticks, stats::na.omit)) %in% 2:5))
    # numbers that would touch overlap with the spaces round them, so that one is left out
    expect_match(tick_labels(built, "x"), "^ [-.0-9]+ $")
  }
})

test_that("points at the border of a panel are drawn whole", {
  set.seed(2)
  x <- normal_layers("x", 12)
  scores <- suppressWarnings(score_interval(x[[1]], x[-1]))
  for (plot in list(ggplot2::autoplot(scores), ggplot2::autoplot(best_score(scores)),
                    ggplot2::autoplot(calibrate(x[1:4], permutations = 19), type = "scores"))) {
    expect_identical(plot$coordinates$clip, "off")
  }
})

test_that("titles of many tiles keep numbers whole, the caption tells of names without room", {
  ranges <- c("0.30 to 0.34", "-0.05 to -0.01", "1e-05 to 2e-05")
  expect_identical(wrapped_labels(ranges, 6),
                   c("0.30\nto\n0.34", "-0.05\nto -0.01", "1e-05\nto\n2e-05"))
  skip_if_not_installed("ggplot2")
  set.seed(3)
  found <- similarity(normal_layers("x", 3), normal_layers("y", 3),
                      measures()$id[c(1:5, 7, 15, 17, 23, 25)])
  many <- ggplot2::autoplot(found)
  expect_lte(max(text_lines(levels(many$data$panel))), 3)
  expect_match(caption_text(many), "names are left out")
  few <- ggplot2::autoplot(found, measure = c("cka", "procrustes"))
  expect_no_match(caption_text(few), "names are left out")
})

test_that("null scores are drawn where titles of panels leave room for bars", {
  skip_if_not_installed("ggplot2")
  set.seed(4)
  x <- normal_layers("layer", 4)
  y <- normal_layers("vision_model.layers.", 3)
  two <- calibrate(x[1:2], y, c("cka", "mutual_knn"), permutations = 19)
  expect_true(has_layer(built(ggplot2::autoplot(two)), "GeomTile"))
  expect_true(has_layer(built(ggplot2::autoplot(two, type = "null")), "GeomRect"))
  bars <- built(ggplot2::autoplot(calibrate(x, y, permutations = 19)))
  expect_length(panel_names(bars), 12)
  # numbers of panels side by side do not touch
  expect_gte(as.numeric(bars$plot$theme$panel.spacing.x), 0.9)
})
