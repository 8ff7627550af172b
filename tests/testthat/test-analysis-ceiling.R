# Analyses of responses to trials show ceilings, and those of plain matrices are as they were.

quiet_analysis <- function(code) suppressWarnings(suppressMessages(code))

two_areas <- function(n = 24, trials = 3) {
  set.seed(30)
  latent <- matrix(rnorm(n * 3), n)
  area <- function(q) {
    signal <- latent %*% matrix(rnorm(3 * q), 3)
    array(vapply(seq_len(trials), function(t) {
      signal + matrix(rnorm(n * q), n) + rnorm(n)
    }, signal), c(n, q, trials))
  }
  list(x = area(8), y = area(7), layer = latent %*% matrix(rnorm(15), 3) + rnorm(n * 5))
}

ceiling_names <- c("ceiling", "ceiling_se", "disattenuated", "disattenuated_se")

corrected <- c("stimulus", "stimulus_neuron")

test_that("whole populations have the ceilings of noise_ceiling()", {
  areas <- two_areas()
  x <- responses(areas$x)
  y <- responses(areas$y)
  # standard errors of ceilings and of values without noise are over stimuli
  model <- brain_to_model(x, list(layer = areas$layer), neurons = 8, over = "stimuli")
  both <- quiet_analysis(brain_to_brain(x, y, neurons = 7, repeats = 3, estimator = corrected))
  for (e in corrected) {
    one <- noise_ceiling(x, areas$layer, measure("cka", estimator = e))
    row <- model[model$estimator == e, ]
    expect_equal(row$ceiling, one$ceiling, tolerance = 1e-10)
    expect_equal(row$disattenuated, row$pooled / row$ceiling, tolerance = 1e-10)
  }
  # by estimates from trials
  free <- model[model$estimator == "stimulus_neuron_trial", ]
  corrected_row <- model[model$estimator == "stimulus_neuron", ]
  expect_equal(free$ceiling, 1)
  expect_equal(free$disattenuated, free$pooled)
  expect_equal(corrected_row$disattenuated, free$pooled, tolerance = 1e-10)
  expect_equal(corrected_row$disattenuated_se, free$pooled_se, tolerance = 1e-10)
  expect_true(all(is.na(model[model$estimator == "naive", ceiling_names])))
  expect_false(anyNA(both[ceiling_names]))
})

test_that("two areas, all neurons: as noise_ceiling() of both", {
  areas <- two_areas()
  x <- responses(areas$x[, 1:7, ])
  y <- responses(areas$y)
  both <- quiet_analysis(brain_to_brain(x, y, neurons = 7, repeats = 1, estimator = corrected))
  for (e in corrected) {
    one <- noise_ceiling(x, y, measure("cka", estimator = e))
    row <- both[both$estimator == e, ]
    expect_equal(row$pooled, one$score, tolerance = 1e-10)
    expect_equal(row$ceiling, one$ceiling, tolerance = 1e-10)
    expect_equal(row$disattenuated, one$disattenuated, tolerance = 1e-10)
  }
})

test_that("standard errors delete each stimulus in all terms", {
  areas <- two_areas(n = 10)
  value <- function(keep) {
    layer <- list(layer = areas$layer[keep, ])
    quiet_analysis(brain_to_model(responses(areas$x[keep, , ]), layer, neurons = 8,
                                  estimator = corrected, conf_level = NULL))
  }
  whole <- quiet_analysis(brain_to_model(responses(areas$x), list(layer = areas$layer),
                                         neurons = 8, estimator = corrected))
  for (column in c("ceiling", "disattenuated")) {
    deleted <- vapply(1:10, function(i) value(-i)[[column]], numeric(2))
    se <- sqrt(9 / 10 * rowSums((deleted - rowMeans(deleted))^2))
    expect_equal(whole[[paste0(column, "_se")]], se, tolerance = 1e-8)
  }
})

test_that("the columns appear only with trials, and results stay what they are", {
  areas <- two_areas()
  plain <- brain_to_model(apply(areas$x, 1:2, mean), list(layer = areas$layer), neurons = c(4, 8),
                          repeats = 5)
  expect_false(any(ceiling_names %in% names(plain)))
  set.seed(31)
  result <- brain_to_model(responses(areas$x), list(layer = areas$layer), neurons = c(4, 8),
                           repeats = 5)
  expect_true(all(ceiling_names %in% names(summary(result))))
  list <- list(a = responses(areas$x), b = responses(areas$y), c = responses(areas$y[, 7:1, ]))
  several <- quiet_analysis(brain_to_brain(list, neurons = 4, repeats = 5))
  combined <- summary(several)
  expect_true(all(ceiling_names %in% names(combined)))
  at <- combined$estimator == "stimulus_neuron"
  expect_equal(combined$disattenuated[at],
               combined$pooled[combined$estimator == "stimulus_neuron_trial"], tolerance = 1e-10)
  halves <- brain_to_brain(responses(areas$x), neurons = 3, repeats = 5)
  expect_true(all(ceiling_names %in% names(halves)))
})

test_that("pictures show bands, and circles for disattenuated estimates", {
  skip_if_not_installed("ggplot2")
  areas <- two_areas()
  layers <- list(a = areas$layer, b = areas$layer[, 5:1] * rep(1:5, each = 24))
  set.seed(32)
  result <- quiet_analysis(brain_to_model(responses(areas$x), layers, neurons = c(4, 8),
                                          repeats = 5))
  geoms <- function(picture) vapply(picture$layers, function(l) class(l$geom)[1], "")
  lines <- ggplot2::autoplot(result)
  expect_true("GeomRibbon" %in% geoms(lines))
  expect_match(lines$labels$caption, "circles: disattenuated")
  one <- ggplot2::autoplot(result[result$neurons == 8 & result$y == "a", ])
  expect_true("GeomRect" %in% geoms(one))
  profile <- ggplot2::autoplot(result, along = "comparisons")
  expect_true("GeomRibbon" %in% geoms(profile))
  for (picture in list(lines, one, profile)) expect_no_warning(ggplot2::ggplot_build(picture))
  ribbon <- lines$layers[[which(geoms(lines) == "GeomRibbon")]]$data
  expect_setequal(as.character(ribbon$estimator), corrected)
  expect_true(all(ribbon$ceiling_low <= ribbon$ceiling))
  expect_true(any(ribbon$ceiling < ribbon$ceiling_high))
  plain <- quiet_analysis(brain_to_model(apply(areas$x, 1:2, mean), layers, neurons = c(4, 8),
                                         repeats = 5))
  expect_false(any(c("GeomRibbon", "GeomRect") %in% geoms(ggplot2::autoplot(plain))))
})

test_that("what hinders a ceiling does not hinder an analysis that needs no trials", {
  areas <- two_areas()
  x <- responses(areas$x, trial = 1:3)
  y <- responses(areas$y, trial = 4:6)
  expect_message(result <- brain_to_brain(x, y, neurons = 4, repeats = 2, estimator = "stimulus"),
                 "No noise ceiling", class = "repalign_no_ceiling")
  expect_true(all(is.na(result$ceiling)))
})
