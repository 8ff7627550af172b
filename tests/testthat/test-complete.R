# Sides whose neurons are no sample, but all that there are.

complete_pair <- local({
  set.seed(1)
  latent <- matrix(rnorm(40 * 4), 40)
  x <- latent %*% matrix(rnorm(4 * 9), 4) + 0.3 * matrix(rnorm(40 * 9), 40)
  y <- latent %*% matrix(rnorm(4 * 7), 4) + 0.3 * matrix(rnorm(40 * 7), 40)
  list(x = x, y = y)
})

# few neurons
cka <- function(...) few_is_fine(repalign::cka(...))

corrected <- function(...) measure("cka", estimator = "stimulus_neuron", ...)

self_of <- function(x, corrected) {
  hsic(x, x, estimator = if (corrected) "stimulus_neuron" else "stimulus",
       shared_neurons = corrected)
}

test_that("a complete side has the self term that is corrected for stimuli only", {
  p <- complete_pair
  cross <- hsic(p$x, p$y, estimator = "stimulus")
  for (complete in c("none", "x", "y", "both")) {
    expected <- cross / sqrt(self_of(p$x, !complete %in% c("x", "both")) *
                               self_of(p$y, !complete %in% c("y", "both")))
    expect_equal(cka(p$x, p$y, estimator = "stimulus_neuron", complete = complete), expected,
                 tolerance = 1e-12, info = complete)
    declared <- list(x = responses(p$x, complete = complete %in% c("x", "both")),
                     y = responses(p$y, complete = complete %in% c("y", "both")))
    found <- quietly(similarity(declared$x, declared$y, corrected()))
    expect_equal(found$score, expected, tolerance = 1e-12, info = complete)
    # another number has another label
    label <- if (complete == "none") "" else paste0(", complete ", complete)
    expect_identical(found$measure, paste0("cka(stimulus_neuron", label, ")"))
    expect_identical(corrected(complete = complete)$label, found$measure)
  }
  expect_equal(cka(p$x, p$y, estimator = "stimulus_neuron", complete = "both"),
               cka(p$x, p$y, estimator = "stimulus"), tolerance = 1e-12)
  expect_equal(angular_cka(p$x, p$y, estimator = "stimulus_neuron", complete = "y"),
               acos(cka(p$x, p$y, estimator = "stimulus_neuron", complete = "y")))
})

test_that("labels leave pairs out of the numerator only if both sides are samples", {
  p <- complete_pair
  x <- p$x[, 1:7]
  score <- function(...) cka(x, p$y, estimator = "stimulus_neuron", ...)
  cross <- hsic(x, p$y, estimator = "stimulus")
  expect_equal(score(shared_neurons = TRUE, complete = "y"),
               cross / sqrt(self_of(x, TRUE) * self_of(p$y, FALSE)))
  units <- list(x = c(1, 1, 2:6), y = 1:7)
  own <- hsic(x, x, estimator = "stimulus_neuron", units_x = units$x, units_y = units$x)
  expect_equal(score(units_x = units$x, units_y = units$y, complete = "y"),
               cross / sqrt(own * self_of(p$y, FALSE)))
  # within a trial, sessions leave out what shares noise in any case
  session <- list(x = c(1, 1, 2, 2, 3, 3, 3), y = c(1, 1, 1, 4, 4, 5, 5))
  found <- quietly(cka(responses(x, session = session$x),
                       responses(p$y, session = session$y, complete = TRUE)))
  between <- hsic(x, p$y, estimator = "stimulus_neuron", units_x = session$x, units_y = session$y)
  own <- hsic(x, x, estimator = "stimulus_neuron", units_x = session$x, units_y = session$x)
  expect_equal(found, between / sqrt(own * self_of(p$y, FALSE)))
  # and their null is that of all these pairs
  set.seed(3)
  fast <- quietly(calibrate(responses(x, session = session$x),
                            responses(p$y, session = session$y, complete = TRUE), permutations = 9))
  permuted <- null_scores(fast)[, 1]
  expect_true(all(is.finite(permuted)))
  expect_equal(fast$score, found)
})

test_that("null scores are those of permuted data, with any complete side", {
  p <- complete_pair
  perms <- t(replicate(4, sample.int(40)))
  units <- list(x = c(1, 1:8), y = 1:7)
  for (complete in c("none", "x", "y", "both")) {
    m <- quietly(measure("cka", estimator = "stimulus_neuron", complete = complete,
                         units_x = units$x, units_y = units$y))
    null <- null_scores(quietly(calibrate(p$x, p$y, m, permutations = perms)))[, 1]
    each <- apply(perms, 1, function(at) {
      quietly(cka(p$x, p$y[at, ], estimator = "stimulus_neuron", complete = complete,
                  units_x = units$x, units_y = units$y))
    })
    expect_equal(sort(null), sort(each), tolerance = 1e-10, info = complete)
  }
})

test_that("null scores from trials are those of permuted data, with a complete side", {
  set.seed(5)
  trials <- array(complete_pair$x, c(40, 9, 3)) + 0.5 * array(rnorm(40 * 9 * 3), c(40, 9, 3))
  x <- responses(trials, neuron = c(1, 1:8))
  perms <- t(replicate(3, sample.int(40)))
  m <- measure("cka", estimator = "stimulus_neuron_trial")
  y <- responses(complete_pair$y, neuron = 1:7, complete = TRUE)
  null <- null_scores(quietly(calibrate(x, y, m, permutations = perms)))[, 1]
  each <- apply(perms, 1, function(at) {
    permuted <- responses(complete_pair$y[at, ], neuron = 1:7, complete = TRUE)
    quietly(cka(x, permuted, estimator = "stimulus_neuron_trial"))
  })
  expect_equal(sort(null), sort(each), tolerance = 1e-10)
})

test_that("trials free a complete side of their noise, and one trial keeps it", {
  set.seed(4)
  trials <- array(complete_pair$y, c(40, 7, 3)) + array(rnorm(40 * 7 * 3), c(40, 7, 3))
  y <- responses(trials, complete = TRUE)
  score <- quietly(cka(complete_pair$x, y, estimator = "stimulus_neuron_trial"))
  self <- quietly(hsic(y, y, estimator = "stimulus_trial"))
  expect_equal(score, hsic(complete_pair$x, as.matrix(y), estimator = "stimulus") /
                 sqrt(self_of(complete_pair$x, TRUE) * self))
  one <- quietly(cka(complete_pair$x, y[, , 1], estimator = "stimulus_neuron"))
  expect_equal(one, hsic(complete_pair$x, trials[, , 1], estimator = "stimulus") /
                 sqrt(self_of(complete_pair$x, TRUE) * self_of(trials[, , 1], FALSE)))
  # what is cut keeps the declaration
  expect_true(y[1:10, , 2:3]$complete)
  expect_output(print(y), "all that there are")
  # a declaration asks for the corrected estimate
  expect_message(cka(complete_pair$x, responses(complete_pair$y, complete = TRUE)),
                 class = "repalign_estimator")
})

test_that("declaration and argument that disagree are an error that names both", {
  p <- complete_pair
  y <- responses(p$y, complete = TRUE)
  for (complete in c("none", "x")) {
    expect_refused(cka(p$x, y, estimator = "stimulus_neuron", complete = complete),
                   "complete = TRUE by responses\\(\\), but the argument complete")
    expect_refused(similarity(p$x, y, corrected(complete = complete)), "by responses")
    expect_refused(cka_interval(p$x, y, complete = complete), "by responses")
    expect_refused(quietly(brain_to_model(p$x, list(a = y), complete = complete)), "by responses")
    expect_refused(quietly(brain_to_brain(p$x, y, complete = complete)), "by responses")
    expect_refused(plan_recording(p$x, y, complete = complete), "by responses")
  }
  expect_refused(cka(p$x, responses(p$y, cluster = rep(1:8, 5)), estimator = "stimulus_neuron",
                     complete = "y"), "complete = FALSE by responses")
  expect_equal(quietly(cka(p$x, y, estimator = "stimulus_neuron", complete = "y")),
               quietly(cka(p$x, y, estimator = "stimulus_neuron")))
  expect_refused(similarity(list(a = p$x, b = p$y), measure = corrected(complete = "y")),
                 "stand on both sides")
  expect_refused(cka(p$x, p$y, complete = "z"), "`complete`")
  expect_refused(responses(p$x, complete = NA), "`complete`")
  expect_message(measure("cka", complete = "y"), class = "repalign_unused_units")
})

test_that("a list may have elements of both kinds", {
  p <- complete_pair
  areas <- list(v4 = p$x, it = p$x[, 1:5], layer = responses(p$y, complete = TRUE))
  found <- quietly(similarity(areas, measure = corrected()))
  expect_identical(unique(found$measure), "cka(stimulus_neuron, complete as declared)")
  expect_equal(found$score[found$y == "layer"], c(
    cka(p$x, p$y, estimator = "stimulus_neuron", complete = "y"),
    cka(p$x[, 1:5], p$y, estimator = "stimulus_neuron", complete = "y")
  ))
  expect_equal(found$score[found$y == "it"],
               quietly(cka(p$x, p$x[, 1:5], estimator = "stimulus_neuron")))
  null <- quietly(calibrate(areas, measure = corrected(), permutations = 5))
  expect_equal(null$score, found$score)
})

test_that("analyses take no subsets of a complete side", {
  p <- complete_pair
  y <- responses(p$y, complete = TRUE)
  expect_refused(quietly(brain_to_brain(p$x, y, neurons = 4)), "`neurons` asks for subsets")
  expect_refused(quietly(brain_to_brain(p$x, p$y, neurons = 4, complete = "x")), "`neurons`")
  expect_refused(quietly(brain_to_brain(y)), "no parts can be compared")
  expect_refused(quietly(brain_to_brain(p$x, split = rep(1:3, 3), complete = "both")), "no parts")
  expect_refused(quietly(brain_to_model(y, list(a = p$x), neurons = 4)), "`neurons`")
  trials <- array(p$y, c(40, 7, 3)) + array(rnorm(40 * 7 * 3), c(40, 7, 3))
  expect_refused(trial_to_trial(trials, 4, complete = "both"), "`neurons`")
  expect_refused(trial_to_trial(trials, complete = "x"), "`complete`")
  expect_refused(object_disentanglement(y, rep(1:2, 20)), "`responses` declares complete")
  all <- trial_to_trial(responses(trials, complete = TRUE))
  expect_identical(all$neurons, rep(7L, 3))
  expect_equal(all$pooled[3], all$pooled[2])
  expect_identical(all$complete, rep("both", 3))
  expect_output(print(all), "this is the stimulus-corrected CKA")
  # both sides whole, though they differ in size
  both <- quietly(brain_to_brain(p$x, p$y, complete = "y", estimator = "stimulus_neuron"))
  expect_identical(both$neurons, 9L)
  expect_equal(both$pooled, cka(p$x, p$y, estimator = "stimulus_neuron", complete = "y"))
  expect_refused(brain_to_brain(p$x, p$y, complete = "y", over = "neurons_y"), "`over`")
  found <- brain_to_brain(p$x, p$y, complete = "y", over = "neurons_x")
  m <- corrected(complete = "y")
  expected <- few_is_fine(score_interval(p$x, p$y, m, over = "neurons_x"))
  expect_equal(found$pooled_se[3], expected$se, tolerance = 1e-8)
})

test_that("prints say how the units of y are taken", {
  p <- complete_pair
  note <- "Units of y taken as a sample; complete = \"y\" takes them as all there are."
  expect_output(print(brain_to_model(p$x, list(a = p$y), 9)), note, fixed = TRUE)
  whole <- utils::capture.output(print(brain_to_model(p$x, list(a = p$y), 9, complete = "y")))
  expect_false(any(grepl("taken as a sample", whole)))
  row <- few_is_fine(score_interval(p$x, p$y, corrected(), over = "neurons_x"))
  expect_output(print(row), note, fixed = TRUE)
  expect_output(print(few_is_fine(cka_interval(p$x, p$y, over = "neurons_x"))), note, fixed = TRUE)
  expect_output(print(similarity(p$x, p$y, corrected(complete = "both"))), "stimulus-corrected CKA")
  expect_output(print(calibrate(p$x, p$y, corrected(complete = "both"), permutations = 9)),
                "stimulus-corrected CKA")
  expect_output(print(cka_interval(p$x, p$y, complete = "both")), "stimulus-corrected CKA")
  trials <- array(p$x, c(40, 9, 3)) + array(rnorm(40 * 9 * 3), c(40, 9, 3))
  ceiling <- utils::capture.output(print(noise_ceiling(trials, p$y)))
  ceiling <- gsub(" +", " ", paste(ceiling, collapse = " "))
  expect_match(ceiling, note, fixed = TRUE, all = FALSE)
  expect_match(ceiling, "Without `measure`, the ceiling is that of the corrected CKA", all = FALSE)
  expect_match(ceiling, "\"stimulus_neuron_trial\"", fixed = TRUE, all = FALSE)
})

test_that("dimensionality of all neurons leaves none out", {
  p <- complete_pair
  found <- participation_ratio(responses(p$y, complete = TRUE), conf_level = 0.9)
  plain <- participation_ratio(p$y, conf_level = 0.9)
  expect_equal(found$stimulus, plain$stimulus)
  expect_equal(found$stimulus_neuron, plain$stimulus)
  # errors are about stimuli alone
  deleted <- vapply(1:40, function(i) participation_ratio(p$y[-i, ])$stimulus, 0)
  expect_equal(found$stimulus_neuron_se, sqrt(39 / 40 * sum((deleted - mean(deleted))^2)))
  expect_refused(predicted_bias(responses(p$y, complete = TRUE)), "declares complete = TRUE")
})

test_that("a plan takes complete models", {
  p <- complete_pair
  by_data <- plan_recording(p$x, responses(p$y, complete = TRUE))
  by_choice <- plan_recording(p$x, p$y, complete = "y")
  expect_equal(as.data.frame(by_data), as.data.frame(by_choice))
  m <- corrected(complete = "y")
  errors <- few_is_fine(score_interval(p$x, p$y, m, over = c("stimuli", "neurons_x")))
  expect_equal(by_choice$se, errors$se)
  expect_refused(plan_recording(p$x, p$y, complete = "x"), "`complete`")
  expect_refused(plan_recording(p$x, p$y, complete = "y", over = c("neurons_x", "neurons_y")),
                 "`over`")
})

test_that("chunks may have complete sides", {
  p <- complete_pair
  chunks <- function() lapply(1:4, function(k) lapply(p, function(m) m[10 * (k - 1) + 1:10, ]))
  for (complete in c("x", "y", "both")) {
    found <- quietly(stream_cka(chunks(), "stimulus_neuron", complete = complete))
    expect_equal(found$cka, cka(p$x, p$y, estimator = "stimulus_neuron", complete = complete),
                 tolerance = 1e-10)
    expect_identical(found$complete, complete)
    # of one minibatch
    found <- quietly(stream_cka(chunks(), "stimulus_neuron", batch = 40, complete = complete))
    expect_equal(found$cka, cka(p$x, p$y, estimator = "stimulus_neuron", complete = complete),
                 tolerance = 1e-10)
  }
  expect_refused(stream_cka(chunks(), complete = "z"), "`complete`")
})
