# Standard errors, influences, weighted scores and covariances against values computed apart.

inference_inputs <- function() {
  if (is.null(read_tables[["inference inputs"]])) {
    table <- read.csv(shared_file("reference", "inference", "inputs.csv"))
    read_tables[["inference inputs"]] <- lapply(split(table, table$matrix), function(part) {
      m <- matrix(0, max(part$row), max(part$column))
      m[cbind(part$row, part$column)] <- part$value
      m
    })
  }
  read_tables[["inference inputs"]]
}

inference_values <- function(...) {
  table <- read.csv(shared_file("reference", "inference", "values.csv"))
  table[table$quantity %in% c(...), ]
}

inference_measures <- function() {
  list(cka = measure("cka"), `cka(stimulus)` = measure("cka", estimator = "stimulus"),
       `cka(stimulus_neuron)` = measure("cka", estimator = "stimulus_neuron"),
       distance_correlation = measure("distance_correlation"),
       `rsa(euclidean,pearson)` = measure("rsa", inner = "euclidean", outer = "pearson"),
       `rsa(euclidean,spearman)` = measure("rsa", inner = "euclidean"),
       # of which the values have the cosine
       angular_shape_cosine = measure("angular_shape"), cca = measure("cca"),
       soft_correlation_match = measure("soft_correlation_match"),
       hard_correlation_match = measure("hard_correlation_match"),
       `mutual_knn(k=4,euclidean)` = measure("mutual_knn", k = 4, metric = "euclidean"))
}

expect_values <- function(rows, found) {
  for (at in seq_len(nrow(rows))) {
    expect_relative(found[at], rows$value[at], rows$tolerance[at],
                    paste(rows$quantity[at], rows$args[at]))
  }
}

test_that("standard errors over stimuli are the reference values", {
  inputs <- inference_inputs()
  rows <- inference_values("score", "jackknife_se", "jackknife_se_z", "influence_se",
                           "smoothed_jackknife_se")
  rows <- rows[!(rows$quantity == "jackknife_se" & rows$args == "angular_shape_cosine"), ]
  # no interval of these is on the scale of Fisher's z
  rows <- rows[!(rows$quantity == "jackknife_se_z" & grepl("knn", rows$args)), ]
  found <- vapply(seq_len(nrow(rows)), function(at) {
    kind <- rows$quantity[at]
    exact <- grepl("^jackknife", kind)
    result <- quietly(score_interval(inputs$x, inputs$y1, inference_measures()[[rows$args[at]]],
                                    over = "stimuli",
                                    method = if (exact) "jackknife" else
                                      if (kind == "influence_se") "influence" else "auto"))
    cosine <- rows$args[at] == "angular_shape_cosine"
    spread <- attr(result, "deletions")[[1]]$scales$spread
    switch(kind, score = if (cosine) cos(result$score) else result$score,
           jackknife_se_z = spread,
           if (cosine) result$se * sin(result$score) else result$se)
  }, 0)
  expect_values(rows, found)
})

test_that("delete-one values and influences are the reference values", {
  inputs <- inference_inputs()
  n <- nrow(inputs$x)
  rows <- inference_values("delete_one")
  keep <- cbind(seq_len(n) != 3)
  found <- vapply(sub(";i=3", "", rows$args, fixed = TRUE), function(name) {
    value <- quietly(score_weighted(inputs$x, inputs$y1, inference_measures()[[name]], 1 * keep))
    if (name == "angular_shape_cosine") cos(value) else value
  }, 0)
  expect_values(rows, found)
  rows <- inference_values("influence")
  found <- vapply(sub(";i=5", "", rows$args, fixed = TRUE), function(name) {
    result <- quietly(score_interval(inputs$x, inputs$y1, inference_measures()[[name]],
                                    over = "stimuli", method = "influence"))
    own <- influence_matrix(result)[5, 1]
    if (name == "angular_shape_cosine") -own * sin(result$score) else own
  }, 0)
  expect_values(rows, found)
  result <- score_interval(inputs$x, inputs$y1, measure("cka", estimator = "stimulus"),
                           over = "stimuli")
  expect_values(inference_values("interval_z"), c(result$conf_low, result$conf_high))
})

test_that("scores with weights are the reference values", {
  inputs <- inference_inputs()
  rows <- inference_values("weighted_score", "bootstrap_se", "halves_se")
  parts <- strsplit(rows$args, ";")
  n <- nrow(inputs$x)
  scores <- list()
  found <- vapply(seq_len(nrow(rows)), function(at) {
    part <- parts[[at]]
    key <- paste(part[1], part[2])
    if (is.null(scores[[key]])) {
      value <- quietly(score_weighted(inputs$x, inputs$y1, inference_measures()[[part[1]]],
                                      inputs[[part[2]]]))
      scores[[key]] <<- if (part[1] == "angular_shape_cosine") cos(value) else value
    }
    switch(rows$quantity[at], weighted_score = scores[[key]][as.integer(sub("b=", "", part[3]))],
           bootstrap_se = sd(scores[[key]]),
           halves_se = sd(scores[[key]]) * sqrt((n %/% 2) / (n - n %/% 2)))
  }, 0)
  expect_values(rows, found)
})

test_that("scores that share a brain have the reference covariances", {
  inputs <- inference_inputs()
  layers <- inputs[paste0("y", 1:4)]
  m <- measure("cka", estimator = "stimulus_neuron", complete = "y")
  result <- quietly(score_interval(inputs$x, layers, m, over = c("stimuli", "neurons_x")))
  expect_values(inference_values("grid_score"), result$score)
  parts <- repalign:::interval_parts(result)
  matrices <- list(cov_stimuli = parts$main[[1]], cov_neurons = parts$main[[2]],
                   cov_interaction = parts$interactions[[1]], cov_total = vcov(result))
  for (kind in names(matrices)) {
    rows <- inference_values(kind)
    at <- do.call(rbind, strsplit(gsub("y", "", rows$args), ","))
    expect_values(rows, matrices[[kind]][cbind(as.integer(at[, 1]), as.integer(at[, 2]))])
  }
  for (kind in c("difference_se", "difference_df")) {
    rows <- inference_values(kind)
    weights <- vapply(strsplit(gsub("y", "", rows$args), "-"), function(pair) {
      replace(numeric(4), as.integer(pair), c(1, -1))
    }, numeric(4))
    errors <- repalign:::contrast_errors(parts, weights)
    expect_values(rows, errors[[sub("difference_", "", kind)]])
  }
})

test_that("errors over neurons and subjects are the reference values", {
  inputs <- inference_inputs()
  rsa <- measure("rsa", inner = "sqeuclidean", outer = "pearson")
  result <- score_interval(inputs$x, inputs$y1, rsa, over = c("stimuli", "neurons_x"))
  parts <- repalign:::interval_parts(result)
  rows <- inference_values("two_way_rsa_sqeuclidean")
  known <- c(stimuli = parts$main[[1]], neurons = parts$main[[2]],
             interaction = parts$interactions[[1]], total = result$se^2)
  expect_values(rows, known[rows$args])
  result <- score_interval(inputs[paste0("subject", 1:5)], inputs$y1, rsa, over = "subjects")
  parts <- repalign:::interval_parts(result)
  rows <- inference_values("subjects_rsa_sqeuclidean")
  known <- c(score = result$score, stimuli = parts$main[[1]], subjects = parts$main[[2]],
             interaction = parts$interactions[[1]], total = result$se^2, df = result$df)
  expect_values(rows, known[rows$args])
})
