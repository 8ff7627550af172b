# plan_recording(): reference values, the formulas at the pilot and in their limits, what is
# printed and drawn, and what is refused.

planned <- function(...) withCallingHandlers(
  plan_recording(...), repalign_extrapolated = function(w) invokeRestart("muffleWarning"),
  repalign_dependence = function(w) invokeRestart("muffleWarning")
)

set.seed(31)
latent <- matrix(rnorm(40 * 6), 40)
readout <- function(from, q, noise = 0.5) {
  from %*% matrix(rnorm(ncol(from) * q), ncol(from)) + noise * matrix(rnorm(nrow(from) * q), 40)
}
x <- readout(latent, 25)
y <- readout(latent + 0.5 * rnorm(240), 22)
models <- list(near = readout(latent, 30), far = readout(latent + 1.2 * rnorm(240), 26))
trials <- array(x, c(40, 25, 4)) + rnorm(40 * 25 * 4, sd = 2)
corrected <- measure("cka", estimator = "stimulus_neuron")
brain <- c("stimuli", "neurons_x")

test_that("reference values are reproduced", {
  inputs <- read.csv(shared_file("reference", "inference", "inputs.csv"))
  values <- read.csv(shared_file("reference", "inference", "values.csv"))
  input <- function(name) {
    rows <- inputs[inputs$matrix == name, ]
    filled <- matrix(0, max(rows$row), max(rows$column))
    filled[cbind(rows$row, rows$column)] <- rows$value
    filled
  }
  a <- input("x")
  b <- input("y1")
  expected <- values[values$quantity == "planned_se", ]
  expect_gt(nrow(expected), 2)
  for (i in seq_len(nrow(expected))) {
    size <- as.numeric(sub("[nxy]=", "", strsplit(expected$args[i], ";")[[1]]))
    plan <- planned(a, b, size[1], size[2], size[3])
    expect_relative(plan$se, expected$value[i], 1e-9)
  }
  pair <- representation_pair(a, b)
  args <- with_estimator(list(kernel = "linear", shared_neurons = FALSE), "stimulus_neuron")
  parts <- repalign:::variance_parts(repalign:::plan_deletions(pair, args, c(brain, "neurons_y")))
  parts <- with(parts, c(s = stimuli, x = samples$x$units, y = samples$y$units,
                         sx = samples$x$both, sy = samples$y$both, xx = samples$x$pairs,
                         yy = samples$y$pairs))
  expected <- values[values$quantity == "variance_part" & values$args %in% names(parts), ]
  expect_identical(sort(expected$args), sort(names(parts)))
  for (i in seq_len(nrow(expected))) {
    expect_relative(parts[[expected$args[i]]], expected$value[i], 1e-9)
  }
})

test_that("at the pilot's design the error is that of the pilot", {
  expect_equal(planned(x, y)$se, cka_interval(x, y, estimator = "stimulus_neuron")$se)
  expect_equal(planned(x, y, over = brain)$se,
               score_interval(x, y, corrected, over = brain)$se)
  expect_equal(planned(x, y, over = "stimuli")$se,
               score_interval(x, y, corrected, over = "stimuli")$se)
  shared <- planned(x, x + rnorm(1000), shared_neurons = TRUE)
  set.seed(1)
  noisy <- x + rnorm(1000)
  expect_equal(planned(x, noisy, shared_neurons = TRUE)$se,
               cka_interval(x, noisy, estimator = "stimulus_neuron", shared_neurons = TRUE)$se)
  units <- list(x = rep(1:13, each = 2)[1:25], y = 13 + rep(1:11, 2))
  expect_equal(planned(x, y, units_x = units$x, units_y = units$y)$se,
               cka_interval(x, y, estimator = "stimulus_neuron", units_x = units$x,
                            units_y = units$y)$se)
  scores <- score_interval(x, models, corrected, over = brain)
  two <- repalign:::contrast_errors(repalign:::interval_parts(scores), cbind(c(1, -1)))
  expect_equal(planned(x, models)$se, two$se)
  expect_lt(abs(planned(x, models)$df / two$df - 1), 0.2)
})

test_that("pairs of neurons are left out as if the data were made anew", {
  pair <- representation_pair(x, y)
  args <- with_estimator(list(kernel = "linear", shared_neurons = FALSE), "stimulus_neuron")
  for (over in list(c(brain, "neurons_y"), brain)) {
    deletions <- repalign:::plan_deletions(pair, args, over)
    cut <- representation_pair(x[, -c(3, 7)], y)
    expect_equal(deletions$samples$x$pairs[3, 7],
                 repalign:::plan_deletions(cut, args, over)$score)
  }
  expect_named(deletions$samples, "x")
})

test_that("more stimuli, neurons and trials never raise the error, and shares add up", {
  plan <- planned(responses(trials), y, c(20, 40, 80, 1e5), c(10, 25, 1e5), c(22, 1e5),
                  trials = c(1, 2, 4, 50))
  grid <- array(plan$se, c(4, 3, 2, 4))
  for (side in 1:3) expect_true(all(apply(grid, (1:4)[-side], diff) <= 0))
  expect_equal(rowSums(plan[grep("share_(stim|neu)", names(plan))]), rep(1, nrow(plan)),
               ignore_attr = TRUE)
  expect_true(all(plan$share_trials >= 0 & plan$share_trials <= 1))
  expect_gt(plan$share_trials[1], plan$share_trials[plan$trials == 50][1])
  expect_lt(max(plan$se[plan$stimuli == 1e5 & plan$neurons_x == 1e5 & plan$neurons_y == 1e5]), 0.01)
  own <- plan[plan$stimuli == 40 & plan$neurons_x == 25 & plan$neurons_y == 22 & plan$trials == 4, ]
  means <- apply(trials, 1:2, mean)
  expect_equal(own$se, planned(means, y)$se)
  expect_equal(plan$width, 2 * qt(0.975, plan$df) * plan$se)
})

test_that("the variance over trials is a curve that is never negative and meets the pilot", {
  compute <- function(slots) length(slots)
  groups <- repalign:::trial_groups(6L, compute)
  expect_identical(groups, list(trials = c(6L, 3L, 1L), values = list(list(6L), list(3L, 3L),
                                                                     list(1L, 1L, 1L, 1L, 1L, 1L))))
  curve <- repalign:::trial_curve
  numbers <- c(4, 2, 1)
  expect_equal(curve(2 + 3 / numbers + 1 / numbers^2, numbers), c(2, 3, 1))
  expect_equal(curve(2 + 3 / c(2, 1), c(2, 1)), c(2, 3, 0))
  # a line would be 0 at 5 trials
  steep <- curve(c(0.01, 1, 3), numbers)
  expect_true(all(steep >= 0))
  expect_equal(sum(steep / 4^(0:2)), 0.01)
  # no error is 0, whatever the trials
  set.seed(3)
  steep <- array(x, c(40, 25, 4)) + rnorm(40 * 25 * 4, sd = 6)
  plan <- planned(responses(steep), y, trials = c(4, 8, 1e6))
  expect_true(all(plan$se > plan$se[1] / 20 & is.finite(plan$df)))
})

test_that("ranges come from the pilot without parts of its stimuli and neurons", {
  plan <- planned(x, y, c(40, 80), over = brain)
  without <- function(x, y) planned(x, y, c(40, 80), 25, over = brain)$se^2 / plan$se^2
  part <- function(count, k) seq_len(count) %% 6 != k
  changes <- cbind(vapply(0:5, function(k) without(x[part(40, k), ], y[part(40, k), ]), plan$se),
                   vapply(0:5, function(k) without(x[, part(25, k)], y), plan$se))
  spread <- qnorm(0.975) * sqrt(5 / 6 * rowSums(log(changes)^2)) / 2
  expect_equal(plan$se_high / plan$se, exp(spread))
  expect_equal(plan$se_low / plan$se, exp(-spread))
})

test_that("solved numbers have a range, a lack of them a reason, and the sentence the smallest", {
  plan <- planned(x, y, target_se = 0.1)
  found <- summary(plan)
  near <- !is.na(found$se)
  number <- mapply(function(name, i) found[[name]][i], found$solved, seq_along(near))
  expect_true(all(found$low[near] <= number[near] & number[near] <= found$high[near]))
  for (i in which(near & is.finite(found$high))) {
    design <- found[i, ]
    design[[design$solved]] <- design$high
    at <- planned(x, y, design$stimuli, design$neurons_x, design$neurons_y)
    expect_lte(at$se_high, 0.1)
  }
  never <- planned(x, y, target_se = 0.001)
  expect_true(all(grepl("^endless (stimuli|neurons of [xy]) leave a standard error of 0[.]",
                        summary(never)$why)))
  expect_output(print(never), "NA in row 1: endless stimuli leave")
  expect_output(print(in_words(never)), "No number alone reaches a standard error")
  expect_output(print(in_words(plan)), "smallest design with a\\s+standard error of 0.1")
})

test_that("pilots of unequal trials are called by their range", {
  holes <- array(x, c(40, 25, 4)) + rnorm(4000)
  holes[1:20, , 3:4] <- NA
  plan <- planned(responses(holes), y)
  expect_output(print(plan), "x 2 to 4 trials")
  expect_output(print(in_words(plan)), "2 to\\s+4\\s+trials")
  expect_identical(plan$trials, NA_integer_)
})

test_that("power is the formula, and that of two models the t test", {
  plan <- planned(x, y, stimuli = c(40, 60))
  score <- cka(x, y, estimator = "stimulus_neuron")
  self <- function(z) {
    hsic(z, z, estimator = "stimulus") /
      hsic(z, z, estimator = "stimulus_neuron", shared_neurons = TRUE)
  }
  null <- calibrate(x, y, corrected, engine = "moments")
  n <- c(40, 60)
  null_sd <- sqrt(2 * self(x) * self(y) / (n * (n - 3)))
  expect_equal(plan$power, pnorm((score - null$threshold / null$null_sd * null_sd) / plan$se))
  two <- planned(x, models, difference = 0.2)
  shift <- 0.2 / two$se
  quantile <- qt(0.975, two$df)
  expect_equal(two$power, pnorm(shift - quantile) + pnorm(-shift - quantile))
  pilot <- planned(x, models)
  expect_equal(tidy(pilot)$estimate, attr(pilot, "model")$score)
})

test_that("smallest designs reach what is wanted, and one less does not", {
  plan <- planned(x, y, c(40, 80), 25, 22, target_se = 0.06)
  found <- summary(plan)
  expect_setequal(found$solved, c("stimuli", "neurons_x", "neurons_y"))
  for (i in which(!is.na(found$se))) {
    design <- found[i, ]
    se <- function(design) planned(x, y, design$stimuli, design$neurons_x, design$neurons_y)$se
    expect_equal(se(design), design$se)
    expect_lte(design$se, 0.06)
    design[[design$solved]] <- design[[design$solved]] - 1
    expect_gt(se(design), 0.06)
  }
  never <- is.na(found$se)
  expect_true(all(found$limit_se[never] > 0.06) && all(found$limit_se[!never] < 0.06))
  expect_gt(sum(never), 0)
  two <- summary(planned(x, models, difference = 0.3, target_power = 0.9))
  expect_identical(two$solved, c("stimuli", "neurons_x"))
  expect_true(all(is.na(two$power) | two$power >= 0.9))
})

test_that("designs that the pilot does not tell well are marked", {
  flagged <- function(...) expect_warned(plan_recording(x, y, ...), "repalign_extrapolated")
  expect_identical(flagged(c(19, 20, 200, 201))$extrapolated, c(TRUE, FALSE, FALSE, TRUE))
  expect_identical(flagged(neurons_x = c(19, 20, 125, 126))$extrapolated,
                   c(TRUE, FALSE, FALSE, TRUE))
  few <- expect_warned(plan_recording(x[, 1:10], y, c(40, 60)), "repalign_extrapolated")
  expect_identical(few$extrapolated, c(FALSE, TRUE))
  expect_silent(plan_recording(x, y, c(40, 80)))
})

test_that("smallest designs that the pilot does not tell well are marked", {
  plan <- expect_silent(plan_recording(x, y, target_se = 0.115))
  smallest <- expect_warned(summary(plan), "repalign_extrapolated")
  far <- with(smallest, stimuli > 200 | neurons_x > 125 | neurons_y > 110)
  expect_true(any(far))
  expect_identical(smallest$extrapolated, far)
  expect_output(print(plan), "Smallest designs.*extrapolated")
  near <- expect_silent(summary(plan_recording(x, y, target_se = 0.99 * plan$se)))
  expect_identical(near$extrapolated, rep(FALSE, 3))
  never <- expect_silent(summary(plan_recording(x, y, target_se = 1e-4)))
  expect_identical(never$extrapolated, rep(NA, 3))
})

test_that("neurons on both sides are one sample, and a population is a pilot", {
  noisy <- x + rnorm(1000)
  shared <- planned(x, noisy, neurons_x = c(25, 50), shared_neurons = TRUE)
  expect_identical(shared$neurons_y, shared$neurons_x)
  expect_refused(plan_recording(x, noisy, neurons_y = 30, shared_neurons = TRUE), "same neurons")
  set.seed(2)
  pop <- linear_population(n = 40, q = c(25, 30), d = 10)
  plan <- planned(pop, stimuli = c(40, 80))
  expect_equal(plan$se, planned(pop$x, pop$y, stimuli = c(40, 80))$se)
  expect_identical(tidy(plan)$estimate[1], pop$cka)
})

test_that("bad input is refused by name", {
  refused <- function(arg, pattern, ...) {
    error <- expect_refused(suppressWarnings(plan_recording(...)), pattern)
    expect_identical(error$arg, arg)
  }
  refused("y", "Two representations", x)
  refused("y", "leave out `y`", linear_population(10, 5, 3), y)
  refused("y", "list of two models", x, models[1])
  refused("stimuli", "whole numbers", x, y, stimuli = c(10, 10))
  refused("stimuli", "at least 5", x, y, stimuli = 4)
  refused("neurons_x", "whole numbers", x, y, neurons_x = 2.5)
  refused("neurons_y", "no sample", x, y, neurons_y = 30, over = brain)
  refused("neurons_y", "no sample", x, models, neurons_y = 30)
  refused("trials", "has no trials", x, y, trials = 2)
  uneven <- responses(trials[, 1:22, 1:3])
  refused("trials", "different numbers", responses(trials), uneven, trials = 2)
  holes <- trials
  holes[3, 4, 2] <- NA
  refused("trials", "missing values", responses(holes), y, trials = 2)
  expect_equal(nrow(planned(responses(holes), y)), 1)
  holes[3, , 4] <- holes[3, 4, 2] <- NA
  complete <- responses(holes[, , c(1, 3)])
  expect_equal(nrow(planned(complete, y, trials = c(1, 2))), 2)
  refused("x", "neuron correction needs at least two. Give data of more", x[, 1, drop = FALSE], y)
  refused("target_se", "above 0", x, y, target_se = 0)
  refused("difference", "two models", x, y, difference = 0.1)
  refused("over", "two models", x, models, over = c(brain, "neurons_y"))
  refused("over", "without \"neurons_x\"", x, y, over = c("stimuli", "neurons_y"))
  refused("units_y", "not for two models", x, models, units_x = 1:25, units_y = 1:30)
  refused("alpha", "between|above", x, y, alpha = 1)
  clustered <- responses(array(x, c(40, 25, 1)), cluster = rep(1:20, 2))
  refused("x", "clusters", clustered, y)
  refused("x", "does not vary", x, x, shared_neurons = TRUE)
  refused("x", "dist", dist(x), y)
  refused("x", "fewer than|undefined|too small", x[, 1:2], y)
  expect_refused(summary(planned(x, y)), "target_se")
  lost <- planned(x, y)
  attr(lost, "model") <- NULL
  expect_refused(print(lost), "lost")
})

test_that("plans print, are cut and tidied", {
  plan <- planned(x, y, c(40, 80), c(25, 50), target_se = 0.1)
  part <- plan[plan$stimuli == 80, ]
  expect_s3_class(part, "repalign_plan")
  expect_output(print(part), "2 designs.*pilot: 40 stimuli x 25 and 22 neurons.*Smallest designs")
  expect_output(print(planned(x, models, difference = 0.2)), "difference of 0.2.*at level 0.05")
  expect_identical(names(tidy(plan))[1:2], c("term", "estimate"))
  expect_equal(tidy(plan)$std.error, plan$se)
  expect_identical(glance(plan)$designs, 4L)
  expect_identical(attr(as.data.frame(plan), "model"), NULL)
})

test_that("plots have contours, curves and the pilot", {
  skip_if_not_installed("ggplot2")
  layers <- function(plot) vapply(plot$layers, function(layer) class(layer$geom)[1], "")
  built <- function(plot) expect_no_warning(ggplot2::ggplot_build(plot))
  plan <- planned(x, y, c(20, 40, 80, 300), c(10, 25, 60), c(22, 60), target_se = 0.08)
  picture <- ggplot2::autoplot(plan)
  expect_true(all(c("GeomContourFilled", "GeomPath", "GeomVline") %in% layers(picture)))
  expect_match(picture$labels$caption, "Cross: the pilot;\\s+thick line: .*dotted: the\\s+range")
  built(picture)
  # a bar above the panels leaves them the width of a page, and numbers at an axis do not overlap
  expect_identical(ggplot2::calc_element("legend.position", picture$theme), "top")
  expect_false(identical(picture$scales$get_scales("fill")$guide, "legend"))
  expect_true(picture$guides$x$check.overlap)
  # where all designs have one colour, there is no bar
  one <- ggplot2::autoplot(planned(x, models, c(4000, 4001), c(4000, 4001), difference = 0.9))
  expect_identical(one$scales$get_scales("fill")$guide, "legend")
  local_device()
  expect_no_error(ggplot2::ggplotGrob(one))
  built(ggplot2::autoplot(plan, what = "power"))
  curves <- ggplot2::autoplot(planned(x, y, c(40, 80), neurons_y = c(22, 44)))
  expect_true("GeomLine" %in% layers(curves))
  built(curves)
  built(ggplot2::autoplot(planned(x, x + rnorm(1000), c(40, 80), c(25, 50), shared_neurons = TRUE)))
  # a plan for a difference draws its power, one for an error the error
  two <- planned(x, models, c(40, 80), c(25, 50), difference = 0.1)
  drawn <- function(plan, ...) {
    picture <- ggplot2::autoplot(plan, ...)
    built(picture)
    picture$scales$get_scales("fill")$name
  }
  expect_identical(drawn(two), "power")
  expect_identical(drawn(two, "se"), "standard error")
  expect_identical(drawn(plan), "standard error")
  expect_identical(wanted_words(0.8, "power", c(0.1, 0.3)),
                   "every design here has a power below 0.8")
  expect_null(wanted_words(0.8, "power", c(0.1, 0.9)))
  expect_refused(ggplot2::autoplot(planned(x, y)), "nothing to draw")
})

test_that("plans of one pilot are bound as a plan, others are refused", {
  one <- planned(x, y, stimuli = c(40, 80))
  two <- planned(x, y, stimuli = 60)
  both <- rbind(one, two)
  expect_s3_class(both, "repalign_plan")
  expect_identical(both$stimuli, c(one$stimuli, two$stimuli))
  expect_output(print(both), "3 designs")
  other <- planned(x, y + rnorm(length(y)), stimuli = 60)
  expect_refused(rbind(one, other), c("`score` \\(", "as.data.frame"))
})

test_that("what one call leaves out of a pilot, others leave out, too", {
  gaps <- x
  gaps[5, 3] <- NA
  labels <- list(x = paste0("u", 1:25), y = paste0("u", 1:22))
  plan <- function(...) suppressMessages(planned(..., neurons_x = 30))$se
  # a neuron that is on both sides is left out of both
  expect_identical(plan(gaps, y, units_x = labels$x, units_y = labels$y, na = "neurons"),
                   plan(x[, -3], y[, -3], units_x = labels$x[-3], units_y = labels$y[-3]))
  expect_identical(plan(gaps, y, na = "neurons"), plan(x[, -3], y))
  expect_identical(plan(gaps, y, na = "stimuli"), plan(x[-5, ], y[-5, ]))
})

test_that("a pilot of one session is told so", {
  set.seed(1)
  one <- responses(matrix(rnorm(96), 12), session = rep("mon", 8))
  y <- matrix(rnorm(96), 12)
  expect_refused(plan_recording(one, y), c("within `x`", "one `session`", "Leave out"))
  expect_refused(plan_recording(y, one), c("within `y`", "one `session`"))
})

test_that("a single session on each side is taken as none", {
  whole <- function(...) suppressMessages(planned(responses(trials, ...), y))
  expect_identical(whole(session = rep("a", 25)), whole())
})

test_that("confint() gives the range of the predicted errors", {
  plan <- suppressMessages(planned(x, y, conf_level = 0.9))
  expect_identical(unname(confint(plan)), cbind(plan$se_low, plan$se_high))
  expect_identical(colnames(confint(plan)), c("5 %", "95 %"))
})
