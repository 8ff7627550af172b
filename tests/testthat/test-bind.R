# Results that are bound: each row keeps what belongs to it, by whatever way rows are put together.

# Two calibrations of unnamed x and y, with different data and numbers of permutations.
two_calibrations <- function() {
  set.seed(201)
  x <- matrix(rnorm(80), 20)
  list(a = calibrate(x, x + matrix(rnorm(80), 20), permutations = 19),
       b = calibrate(x, matrix(rnorm(60), 20), permutations = 59))
}

draws_of <- function(v, column = 1) {
  draws <- unname(null_scores(v)[, column])
  draws[!is.na(draws)]
}

# Every row of `bound` has the draws of the calibration that its score is from.
expect_own_draws <- function(bound, parts) {
  expect_s3_class(bound, "repalign_calibration")
  scores <- vapply(parts, function(part) part$score, 0)
  for (row in seq_len(nrow(bound))) {
    expect_identical(draws_of(bound, row), draws_of(parts[[match(bound$score[row], scores)]]))
  }
}

test_that("rbind() of calibrations: draws belong to their rows, whatever is done to these", {
  v <- two_calibrations()
  both <- rbind(v$a, v$b)
  expect_identical(names(both), names(v$a))
  named <- rbind(first = v$a, second = v$b)
  expect_identical(names(named), c("source", names(v$a)))
  expect_identical(named$source, c("first", "second"))
  expect_identical(rownames(named), c("1", "2"))
  expect_identical(named, do.call(rbind, list(first = v$a, second = v$b)))
  for (bound in list(both, named, both[2:1, ], both[both$p_value > 0.1, ], subset(both, score > 0),
                     both[order(-both$score), ], both[c(1, 2, 2, 1), ], both[2, ],
                     unsplit(split(named, named$source), named$source), rbind(both[2, ], v$a),
                     do.call(rbind, split(named, named$score > 0.2)), rbind(both, both),
                     rbind(NULL, v$a, data.frame()), Reduce(rbind, v), head(both, 1))) {
    expect_own_draws(bound, v)
  }
  file <- withr::local_tempfile()
  saveRDS(named, file)
  expect_identical(readRDS(file), named)
  expect_own_draws(readRDS(file), v)
  utils::write.csv(named, file)
  expect_identical(utils::read.csv(file)$source, named$source)
  expect_refused(null_scores(merge(named, data.frame(source = "first"))), "Plain data frames")
})

test_that("dplyr and purrr keep each row's draws", {
  skip_if_not_installed("dplyr")
  skip_if_not_installed("vctrs")
  v <- two_calibrations()
  bound <- dplyr::bind_rows(v$a, v$b)
  expect_identical(draws_of(bound, 1), draws_of(v$a))
  expect_identical(draws_of(bound, 2), draws_of(v$b))
  named <- dplyr::bind_rows(v, .id = "day")
  expect_identical(names(named), c("day", names(v$a)))
  joined <- dplyr::left_join(named, data.frame(day = c("a", "b", "b"), room = 1:3), by = "day")
  for (rows in list(
    bound, named, joined, dplyr::bind_rows(v$b, v$a), dplyr::bind_rows(v$b, v$a, v$b),
    dplyr::bind_rows(bound[2, ], named), dplyr::filter(bound, score < 0.2),
    dplyr::arrange(named, dplyr::desc(score)), dplyr::slice(bound, c(2, 2, 1)),
    dplyr::mutate(named, z = score^2, .before = 1), dplyr::rename(named, when = day),
    dplyr::select(named, -engine), dplyr::relocate(named, score), dplyr::bind_cols(named, k = 1:2),
    dplyr::distinct(dplyr::bind_rows(v$a, v$a, v$b)), dplyr::union(v$a, v$b),
    vctrs::vec_rbind(v$a, v$b), vctrs::vec_c(v$b, v$a), vctrs::vec_slice(bound, 2)
  )) {
    expect_own_draws(rows, v)
  }
  # a third one with the same names, and what was bound to nothing
  third <- calibrate(matrix(rnorm(60), 20), matrix(rnorm(60), 20), permutations = 19)
  expect_own_draws(dplyr::bind_rows(v$a, v$b, third), c(v, list(third)))
  expect_own_draws(dplyr::bind_rows(v$a, NULL, dplyr::tibble()), v)
  file <- withr::local_tempfile()
  utils::write.csv(named, file, row.names = FALSE)
  expect_identical(names(utils::read.csv(file)), names(named))
  skip_if_not_installed("purrr")
  expect_own_draws(purrr::map_dfr(v, identity, .id = "day"), v)
  expect_own_draws(purrr::list_rbind(v, names_to = "day"), v)
})

test_that("rows whose draws were lost, exchanged or never known give an error", {
  v <- two_calibrations()
  both <- rbind(v$a, v$b)
  for (column in c("score", "null_mean", "null_sd")) {
    changed <- both
    changed[[column]] <- rev(changed[[column]])
    expect_refused(null_scores(changed), c("`calibration`", "row 1"))
    skip_if_not_installed("ggplot2")
    expect_refused(ggplot2::autoplot(changed, type = "null"), "row 1")
  }
  # the other one's rows under this one's attributes
  stolen <- v$a
  stolen[1, ] <- as.data.frame(v$b)
  expect_refused(null_scores(stolen), "not known")
  expect_refused(rbind(v$a, as.data.frame(v$b)), "as.data.frame")
  expect_refused(rbind(1, v$a), "as.data.frame")
  expect_identical(dim(rbind(v$a[, 0], v$b[, 0])), c(1L, 0L))
  lost <- structure(as.data.frame(v$a), class = class(v$a))
  for (f in list(null_scores, glance, summary, function(v) rbind(v, v))) {
    expect_refused(f(lost), c("lost", "calibrate"))
  }
  expect_refused(rbind(v$a, lost), "lost")
  expect_refused(rbind(lost, v$a), "lost")
  expect_output(print(lost), "1 row")
  skip_if_not_installed("dplyr")
  expect_refused(dplyr::bind_rows(v$a, as.data.frame(v$b)), "as.data.frame")
  expect_refused(dplyr::bind_rows(v$a, dplyr::as_tibble(v$b)), "as.data.frame")
  expect_refused(dplyr::bind_rows(v$a, lost), "lost")
  expect_identical(class(dplyr::bind_rows(as.data.frame(v$b), v$a)), "data.frame")
  expect_refused(null_scores(dplyr::mutate(v$a, x = "z")), "not known")
  # what was bound before does not help other rows
  vctrs::vec_rbind(v$a, v$b)
  other <- dplyr::mutate(v$a, score = v$b$score, null_mean = v$b$null_mean, null_sd = v$b$null_sd)
  expect_refused(null_scores(other), "not known")
})

test_that("settings that differ are an error, by rbind() and bind_rows() in the same words", {
  set.seed(202)
  x <- matrix(rnorm(80), 20)
  y <- matrix(rnorm(80), 20)
  run <- function(...) calibrate(list(x = x), list(y = y), ..., permutations = 19)
  base <- run()
  others <- list(alpha = run(alpha = 0.1), variant = run(variant = "z"),
                 aggregate = run(aggregate = "max"), p_adjusted = run(p_adjust = "BH"))
  for (name in names(others)) {
    error <- expect_refused(rbind(base, others[[name]]), name)
    skip_if_not_installed("dplyr")
    again <- expect_refused(dplyr::bind_rows(base, others[[name]]), name)
    expect_identical(conditionMessage(again), conditionMessage(error))
  }
  expect_refused(rbind(run(p_adjust = "BH"), run(p_adjust = "holm")), "p_adjust")
  expect_refused(rbind(a = base, a = base), "twice")
})

test_that("names of bound results become a column that is not there yet", {
  v <- two_calibrations()
  inner <- rbind(a = v$a, b = v$b)
  outer <- rbind(p = inner, q = inner)
  expect_identical(names(outer)[1:2], c("source_2", "source"))
  expect_identical(outer$source_2, c("p", "p", "q", "q"))
  expect_identical(source_columns(outer), c("source_2", "source"))
  expect_refused(rbind(a = v$a, v$b), c("\"a\"", "name all of them", "none"))
  expect_refused(rbind(v$a, NULL, b = v$b), "name all of them")
  expect_identical(rbind(a = v$a, data.frame())$source, "a")
  expect_refused(rbind(v$a, inner), "source")
})

areas_twice <- function() {
  set.seed(203)
  areas <- lapply(c(V1 = 4, V4 = 5, IT = 6), function(q) matrix(rnorm(20 * q), 20))
  list(first = similarity(areas, measure = c("cka", "procrustes")),
       second = similarity(lapply(areas, `^`, 2), measure = c("cka", "rv")))
}

test_that("similarities keep direction and symmetry of all measures", {
  s <- areas_twice()
  both <- rbind(first = s$first, second = s$second)
  expect_identical(attr(both, "direction"),
                   c(`cka(naive)` = "similarity", procrustes = "distance", rv = "similarity"))
  expect_true(all(attr(both, "symmetric")) && attr(both, "within"))
  error <- expect_refused(score_matrix(both, "cka"), c("two scores", "\"source\"", "first"))
  part <- score_matrix(both[both$source == "second", ], "cka")
  expect_identical(part, score_matrix(s$second, "cka"))
  expect_identical(score_matrix(both, "rv"), score_matrix(s$second, "rv"))
  rows <- summary(both)
  expect_identical(rows$source, c("first", "first", "second", "second"))
  expect_identical(rows[3:4, -1], untold(summary(s$second)), ignore_attr = "row.names")
  looks <- glance(both)
  expect_identical(looks$source, c("first", "second"))
  expect_identical(looks[1, -1], glance(s$first))
  expect_identical(looks[2, -1], glance(s$second), ignore_attr = "row.names")
  opposite <- new_measure(function(x, y) 1, direction = "distance", label = "cka(naive)")
  expect_refused(rbind(s$first, similarity(diag(4), diag(4)[, 1:3], opposite)), "distance")
  expect_refused(rbind(s$first, two_calibrations()$a), "similarities")
  expect_refused(rbind(s$first, data.frame(x = 1)), "as.data.frame")
  skip_if_not_installed("dplyr")
  by_dplyr <- dplyr::bind_rows(s, .id = "source")
  expect_identical(as.data.frame(by_dplyr), as.data.frame(both))
  expect_identical(attributes(by_dplyr)[c("direction", "symmetric", "within")],
                   attributes(both)[c("direction", "symmetric", "within")])
})

test_that("groups and days of different calls are refused, and it is said what differs", {
  set.seed(210)
  x <- lapply(c(a = 5, b = 6, c = 7, d = 5, e = 6), function(q) matrix(rnorm(20 * q), 20))
  group <- function(...) suppressMessages(consensus(..., folds = 4))
  days <- lapply(c(p = 1, q = 2, r = 3), function(day) {
    array(rnorm(8 * 6 * 2), c(8, 6, 2), list(NULL, letters[1:6], NULL)) + rep(1:48, 2)
  })
  drift <- function(...) suppressWarnings(suppressMessages(across_sessions(...)))
  model <- list(m = matrix(rnorm(80), 20))
  cases <- list(
    list(group(x), group(x[1:4]), "`subjects` \\(5 and 4\\)"),
    list(group(x), group(x, alpha = 0.5), "`alpha` \\(1 and 0.5\\)"),
    list(group(x, model)[6, ], group(x[5:1], model)[6, ], "`main`"),
    list(drift(days), drift(days[1:2]), "`days` \\(3 and 2\\)"),
    list(drift(days), drift(days, over = "stimuli"), "`over` \\(stimuli \\+ neurons and stimuli\\)")
  )
  for (one in cases) {
    expect_refused(rbind(one[[1]], one[[2]]), c(one[[3]], "as.data.frame"))
    expect_refused(rbind(p = one[[2]], q = one[[1]]), "as.data.frame")
  }
})

test_that("factors keep the order of their levels", {
  s <- areas_twice()$first
  turned <- c("IT", "V1", "V4")
  coded <- s
  for (side in c("x", "y")) coded[[side]] <- factor(coded[[side]], turned)
  coded$measure <- factor(coded$measure, c("procrustes", "cka(naive)"))
  plain <- score_matrix(s, "cka")
  expect_identical(score_matrix(coded, "cka"), plain[turned, turned])
  expect_identical(summary(coded)$measure, c("procrustes", "cka(naive)"))
  expect_equal(summary(coded)[2:1, ], summary(s), ignore_attr = TRUE)
  expect_refused(score_matrix(coded), c("several measures", "procrustes"))
  # only one side, and models
  half <- similarity(list(a = diag(4)), list(p = diag(4), q = diag(4)[, 1:3]))
  half$y <- factor(half$y, c("q", "p"))
  expect_identical(dimnames(score_matrix(half)), list("a", c("q", "p")))
  set.seed(204)
  models <- list(m = list(l1 = matrix(rnorm(30), 10), l2 = matrix(rnorm(30), 10)),
                 k = list(l1 = matrix(rnorm(30), 10), l2 = matrix(rnorm(30), 10)))
  grid <- similarity(models, models)
  expected <- score_matrix(grid)
  for (column in c("model_x", "model_y")) grid[[column]] <- factor(grid[[column]], c("k", "m"))
  for (column in c("x", "y")) grid[[column]] <- factor(grid[[column]], c("l2", "l1"))
  order <- c("k/l2", "k/l1", "m/l2", "m/l1")
  expect_identical(score_matrix(grid), expected[order, order])
  # calibrations
  v <- calibrate(list(a = diag(5), b = diag(5)[5:1, 1:3]), measure = "cka", permutations = 9)
  draws <- null_scores(v)
  for (side in c("x", "y")) v[[side]] <- factor(v[[side]], c("b", "a"))
  expect_identical(null_scores(v), draws)
  expect_output(print(v), "a b")
})

test_that("bound analyses have a summary for each source, never a wrong total", {
  set.seed(205)
  run <- function(x) brain_to_brain(x, split = rep(1:3, 4), neurons = c(2, 4), repeats = 5)
  p <- linear_population(40, 12, 6)
  a <- few_is_fine(undefined_is_fine(run(p$x)))
  b <- few_is_fine(undefined_is_fine(run(p$y)))
  both <- rbind(one = a, two = b)
  total <- summary(both)
  expect_identical(total$source, rep(c("one", "two"), each = 6))
  expect_identical(total[1:6, -1], summary(a), ignore_attr = "row.names")
  expect_identical(total[7:12, -1], summary(b), ignore_attr = "row.names")
  expect_identical(summary(both[rev(seq_len(nrow(both))), ])[7:12, -1], summary(a),
                   ignore_attr = "row.names")
  expect_identical(summary(both[both$source == "two", ])[-1], summary(b))
  expect_identical(analysis_of(both), "brain_to_brain")
  expect_output(print(both), "Brain-to-brain")
  expect_identical(glance(both), cbind(source = c("one", "two"), rbind(glance(a), glance(b))))
  expect_identical(tidy(both)$source, both$source)
  expect_refused(summary(both[-1, ]), "part")
  expect_refused(summary(rbind(a, b)), "bound together")
  expect_refused(summary(rbind(both, both)), "bound together")
  swapped <- both
  swapped$source <- rev(swapped$source)
  expect_identical(summary(swapped)$source, rep(c("two", "one"), each = 6))
  mixed <- both
  mixed$source[c(1, 30)] <- c("two", "one")
  expect_refused(summary(mixed), "part")
  other <- undefined_is_fine(brain_to_brain(p$x, neurons = 2, repeats = 3, conf_level = 0.9))
  expect_refused(rbind(a, other), "conf_level")
  expect_refused(rbind(a, as.data.frame(b)), "analyses")
  bare <- function(level) brain_to_brain(p$x, estimator = "naive", conf_level = level)
  set.seed(1)
  with <- bare(0.95)
  set.seed(1)
  expect_identical(is.na(summary(rbind(with = with, without = bare(NULL)))$pooled_se),
                   rep(c(FALSE, TRUE), each = nrow(summary(with))))
  skip_if_not_installed("dplyr")
  by_dplyr <- dplyr::bind_rows(one = a, two = b, .id = "source")
  expect_identical(summary(by_dplyr), total)
  expect_refused(summary(dplyr::bind_rows(a, b)), "bound together")
  expect_refused(summary(dplyr::mutate(a, pooled = 1)), "part")
  expect_identical(summary(dplyr::arrange(a, pooled)), summary(a))
  expect_refused(dplyr::bind_rows(a, other), "conf_level")
  skip_if_not_installed("ggplot2")
  expect_refused(ggplot2::autoplot(a[0, ]), "no rows")
})

test_that("source_columns are the words, and what else is needed to tell rows apart", {
  v <- two_calibrations()
  both <- rbind(v$a, v$b)
  expect_identical(source_columns(both), character())
  both$day <- 1:2
  expect_identical(source_columns(both), "day")
  both$animal <- c("p", "q")
  expect_identical(source_columns(both), "animal")
})

test_that("long results print ten rows, and no line is longer than the width", {
  set.seed(206)
  layers <- lapply(stats::setNames(1:8, paste0("layer", 1:8)), function(i) matrix(rnorm(60), 20))
  models <- list(resnet = layers[1:4], vgg = layers[5:8])
  p <- linear_population(40, 12, 6)
  results <- list(
    similarity(layers), calibrate(layers, permutations = 19, p_adjust = "BH"),
    calibrate(models, permutations = 19), calibrate(models, permutations = 19, aggregate = "max"),
    undefined_is_fine(brain_to_brain(p$x, split = rep(1:4, 3), neurons = c(1, 3), repeats = 4)),
    cka_interval(p$x, p$y), rbind(left = cka_interval(p$x, p$y), right = cka_interval(p$y, p$x))
  )
  withr::local_options(width = 80)
  for (result in results) {
    lines <- utils::capture.output(print(result))
    expect_lte(max(nchar(lines)), 80)
    numbered <- grepl("^ *[0-9]+ ", lines)
    # rows that are not wrapped appear once each
    expect_identical(sum(numbered), if (nrow(result) > 20) 10L else nrow(result))
    if (nrow(result) > 20) expect_match(lines, "as.data.frame", all = FALSE)
    shown <- paste(lines, collapse = " ")
    # where no side is complete, nothing is said of it
    for (column in setdiff(names(result), "complete")) expect_match(shown, column, fixed = TRUE)
  }
})

test_that("one permutation: null_sd is NA, and a message says so", {
  x <- diag(6)
  expect_message(v <- calibrate(x, x[, 1:4], permutations = rbind(6:1)), "null_sd")
  expect_identical(v$null_sd, NA_real_)
  expect_identical(dim(null_scores(v)), c(1L, 1L))
})

one_of_each_kind <- function() {
  set.seed(207)
  p <- linear_population(40, 8, 4)
  list(similarity(p$x, p$y), calibrate(p$x, p$y, permutations = 19),
       undefined_is_fine(few_is_fine(brain_to_brain(p$x, neurons = 4, repeats = 2))),
       few_is_fine(cka_interval(p$x, p$y)))
}

test_that("results of different kinds are refused, by rbind() and bind_rows(), in both orders", {
  results <- one_of_each_kind()
  for (i in 1:4) {
    for (j in setdiff(1:4, i)) {
      error <- expect_refused(rbind(results[[i]], results[[j]]), "can be put into one table")
      skip_if_not_installed("dplyr")
      again <- expect_refused(dplyr::bind_rows(results[[i]], results[[j]]), "one table")
      expect_identical(conditionMessage(again), conditionMessage(error))
      expect_refused(vctrs::vec_rbind(results[[i]], results[[i]], results[[j]]), "one table")
    }
  }
  beside <- dplyr::bind_cols(results[[1]][1], results[[2]]["p_value"])
  expect_identical(beside$p_value, results[[2]]$p_value)
})

test_that("what one call bound is not for another call", {
  skip_if_not_installed("dplyr")
  s <- areas_twice()
  square <- s$first
  one_sided <- similarity(diag(4), list(a = diag(4)[, 1:3], b = diag(4)[, 2:4]), measure = "rv")
  kept <- kept_beside_rows(square)
  doubled <- function() kept_beside_rows(dplyr::slice(square, c(1, 1, seq_len(nrow(square)))))
  # a type that nobody asked for again
  vctrs::vec_rbind(square, one_sided)
  expect_identical(doubled(), kept)
  # an error after the type was found
  third <- s$second
  third$score <- "a word"
  expect_error(dplyr::bind_rows(square, one_sided, third))
  expect_identical(doubled(), kept)
  # inside of another verb
  in_verb <- dplyr::mutate(square, k = nrow(vctrs::vec_rbind(square, one_sided)))
  expect_identical(kept_beside_rows(in_verb), kept)
  grown <- dplyr::left_join(square, {
    vctrs::vec_rbind(square, one_sided)
    data.frame(measure = "cka(naive)", k = 1:2)
  }, by = "measure", multiple = "all")
  expect_gt(nrow(grown), nrow(square))
  expect_identical(kept_beside_rows(grown), kept)
  # and what was bound before is a first part like any other
  bound <- vctrs::vec_rbind(square, one_sided)
  all <- dplyr::bind_rows(bound, s$second)
  expect_identical(kept_beside_rows(all),
                   bound_kept(lapply(list(bound, s$second), kept_beside_rows),
                                                      "repalign_similarity"))
  expect_identical(kept_beside_rows(dplyr::bind_rows(bound, s$second, one_sided)),
                   kept_beside_rows(all))
})

test_that("summary() refuses two results that look like one, as plots do", {
  v <- two_calibrations()
  s <- areas_twice()$first
  for (twice in list(rbind(v$a, v$b), rbind(s, s), s[c(1, 1), ])) {
    expect_refused(summary(twice), c("two rows of", "rbind\\(day1"))
  }
  expect_identical(summary(rbind(p = v$a, q = v$b))$source, c("p", "q"))
  expect_identical(glance(rbind(p = v$a, q = v$b)),
                   cbind(source = c("p", "q"), rbind(glance(v$a), glance(v$b))))
  # which layer a maximum selects is no name
  set.seed(208)
  layer <- function() matrix(rnorm(40), 10)
  models <- list(m = list(a = layer(), b = layer()), k = list(a = layer(), b = layer()))
  best <- calibrate(models, permutations = 19, aggregate = "max")
  again <- best
  again$x <- "b"
  expect_refused(summary(rbind(best, again)), "two rows of")
  expect_identical(nrow(summary(best)), 1L)
})

printed <- function(...) utils::capture.output(print(...))

test_that("print() takes n and digits, and no other argument", {
  for (result in one_of_each_kind()) {
    expect_length(grep("^ *[0-9]+ ", printed(result, n = 1)), 1)
    if (nrow(result) > 1) expect_match(printed(result, n = 1), "print\\(n = \\)", all = FALSE)
    expect_refused(print(result, max = 2), "`max`")
    expect_refused(print(result, 4, 2, 1), "without a name")
    for (n in list(0, 1.5, "a", NA, 1:2)) expect_refused(print(result, n = n), "`n`")
    expect_refused(print(result, digits = "a"), "`digits`")
  }
  widths <- stats::setNames(1:8, letters[1:8])
  s <- similarity(lapply(widths, function(width) diag(9)[, seq_len(width), drop = FALSE]))
  rows_in <- function(lines) length(grep("^ *[0-9]+ ", lines))
  expect_identical(rows_in(printed(s, n = 25)), 25L)
  expect_identical(rows_in(printed(s, n = Inf)), 28L)
  withr::local_options(max.print = 5)
  expect_identical(rows_in(printed(s)), 10L)
})

test_that("long names leave room for the core columns, and stay different", {
  withr::local_options(width = 80)
  set.seed(209)
  long <- paste0("a_network_of_many_layers_with_a_name_", c("first", "second", "third"),
                 "_block_after_normalisation")
  layers <- stats::setNames(lapply(1:3, function(i) matrix(rnorm(60), 20)), long)
  models <- stats::setNames(list(layers[1:2], layers[2:3]), paste(long[1:2], "model"))
  v <- calibrate(layers, permutations = 19, p_adjust = "BH")
  for (result in list(v, similarity(layers), calibrate(models, permutations = 19),
                      rbind(monday = v, tuesday = v))) {
    lines <- printed(result)
    expect_lte(max(nchar(lines)), 80)
    rows <- grep("^ *[0-9]+ ", lines, value = TRUE)
    expect_length(rows, nrow(result))
    expect_match(lines, "shortened", all = FALSE)
    columns <- strsplit(trimws(rows), " +")
    names <- intersect(c("source", "model_x", "model_y", "x", "y"), names(result))
    shown <- t(vapply(columns, function(parts) parts[1 + seq_along(names)], names))
    expect_false(anyDuplicated(shown) > 0)
    wanted <- intersect(c("score", "calibrated", "p_value", "p_adjusted"), names(result))
    header <- grep("^ .* score", lines, value = TRUE)
    expect_length(header, 1)
    for (column in wanted) expect_match(header, column)
  }
  # a name on both sides is one name; names that fit are whole
  short <- shortened_rows(as.data.frame(v), c("x", "y"), 14)
  expect_identical(short$y[1], short$x[3])
  expect_length(unique(c(short$x, short$y)), 3)
  expect_identical(v$x[1], long[1])
  expect_no_match(printed(similarity(diag(5), diag(5)[, 1:2])), "shortened")
})

test_that("the summary of an analysis prints as an analysis does", {
  withr::local_options(width = 80)
  set.seed(212)
  p <- linear_population(40, 12, 6)
  a <- undefined_is_fine(few_is_fine(brain_to_model(p$x, list(l1 = p$y, l2 = p$y[, 1:6]),
                                                    neurons = 6, repeats = 4)))
  total <- summary(a)
  expect_s3_class(total, "data.frame")
  lines <- printed(total)
  expect_lte(max(nchar(lines)), 80)
  expect_length(grep("^ *[0-9]+ ", lines), nrow(total))
  expect_identical(class(as.data.frame(total)), "data.frame")
  expect_identical(names(as.data.frame(total)), names(a))
  expect_refused(print(total, max = 1), "max")
  # estimators are whole where regions are not
  long <- paste(strrep("a long name of a layer ", 3), 1:2)
  a$y <- long[match(a$y, c("l1", "l2"))]
  lines <- printed(a)
  expect_lte(max(nchar(lines)), 80)
  expect_match(lines, "stimulus_neuron", all = FALSE)
  expect_match(lines, "pooled +conf_low +conf_high", all = FALSE)
})

test_that("columns may be put beside every kind of result, rows of a data frame may not", {
  skip_if_not_installed("dplyr")
  for (result in one_of_each_kind()) {
    beside <- dplyr::bind_cols(result, note = seq_len(nrow(result)))
    expect_identical(beside$note, seq_len(nrow(result)))
    expect_refused(dplyr::bind_rows(result, as.data.frame(result)), "as.data.frame")
    expect_refused(dplyr::bind_rows(result, tibble::as_tibble(as.data.frame(result))),
                   "as.data.frame")
  }
})

test_that("rows that keep nothing beside them go with data frames of the same columns", {
  set.seed(1)
  pairs <- brain_to_brain(matrix(rnorm(200), 20), neurons = 4, repeats = 5)
  s <- summary(pairs)
  both <- rbind(s, as.data.frame(s))
  expect_identical(nrow(both), 2L * nrow(s))
  expect_error(rbind(s, as.data.frame(s)[-1]), "can be put into one table",
               class = "repalign_error_type")
})

test_that("what differs between results with controls and without is named", {
  set.seed(1)
  x <- matrix(rnorm(120), 20)
  y <- x + matrix(rnorm(120), 20)
  plain <- measure("cka", estimator = "stimulus")
  partial <- measure("cka", estimator = "stimulus", given = matrix(rnorm(60), 20))
  expect_refused(quietly(rbind(score_interval(x, y, plain), score_interval(x, y, partial))),
                 c("\"p_zero\"", "with or without `given`"))
})
