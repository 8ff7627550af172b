# What is printed, by snapshots (tests/testthat/_snaps/print.md): after a change of words look at
# testthat::snapshot_review(). All data here are made by formulas, so that no digit that is printed
# depends on a generator or a machine.

# Waves over n stimuli, the more alike the nearer their numbers.
waves <- function(columns, n = 12) {
  outer(seq_len(n), columns, function(i, k) cos(i * k) + i * k / 20)
}

wave_layers <- function() list(early = waves(1:4), middle = waves(2:7), late = waves(c(3, 6, 9)))

# Rows of a permutation each: multiples of `s` modulo 13.
wave_orders <- function() t(vapply(c(2:11), function(s) (seq_len(12) * s) %% 13, numeric(12)))

test_that("scores", {
  layers <- wave_layers()
  result <- similarity(layers, measure = c("cka", "procrustes"))
  expect_snapshot({
    similarity(layers$early, layers$late)
    result
    print(result, n = 2, digits = 2)
    result[c("x", "score")]
    result[0, ]
    summary(result)
  })
})

test_that("scores of models, bound results and undefined scores", {
  layers <- wave_layers()
  models <- list(first = layers[1:2], second = layers[2:3])
  names(models$second) <- c("layer_with_a_long_name_of_the_second_model", "late")
  scores <- similarity(models)
  undefined <- similarity(layers)
  undefined$score[2] <- NA
  expect_snapshot({
    scores
    rbind(monday = undefined, tuesday = similarity(layers))
    score_matrix(undefined)
  })
})

test_that("scores that are rounding are printed as 0, small ones of small measures are not", {
  layers <- wave_layers()
  rounding <- similarity(layers[1:2], measure = "procrustes", diagonal = TRUE)
  rounding$score <- c(6e-15, 0.25, 2e-15)
  tiny <- rounding
  tiny$score <- c(3e-15, 1e-15, 2e-15)
  expect_snapshot({
    rounding
    tiny
  })
})

test_that("calibrations", {
  any_law()
  layers <- wave_layers()
  orders <- wave_orders()
  v <- calibrate(layers, measure = c("cka", "rsa"), permutations = orders, alpha = 0.2,
                 p_adjust = "BH")
  one <- calibrate(layers$early, layers$late, permutations = orders, alpha = 0.1, variant = "z")
  total <- calibrate(list(a = layers[1:2], b = layers[2:3]), permutations = orders, alpha = 0.2,
                     aggregate = top_k_mean(2))
  expect_snapshot({
    v
    one
    total
    v[0, ]
    one[, c("x", "p_value")]
    summary(v)
    calibrate(layers$early, layers$late, engine = "moments")
  })
})

test_that("analyses and their summary", {
  few <- function(code) suppressWarnings(code)
  regions <- few(brain_to_brain(waves(1:6), waves(3:8), neurons = 6))
  layers <- few(brain_to_model(waves(1:6), wave_layers()[1:2], neurons = 6, estimator = "naive"))
  expect_snapshot({
    regions
    summary(regions)
    rbind(regions[1, ], layers[1, ])
  })
})

test_that("intervals", {
  i <- suppressWarnings(cka_interval(waves(1:6), waves(3:8)))
  expect_snapshot({
    i
    i["cka"]
    rbind(left = i, right = i)[c(1, 4), ]
  })
})

test_that("measures, their table and simulated data", {
  shown <- measures()[measures()$id %in% c("cka", "procrustes"), ]
  expect_snapshot({
    measure("cka", estimator = "stimulus")
    measure("mutual_knn", k = 5)
    new_measure(function(x, y) 1, label = "mine", direction = "distance")
    shown
    shown[c("id", "symmetric")]
    simulate_models(24, c(a = 5, b = 8), layers = 2)
    linear_population(5, c(2, 3), 4)
  })
})
