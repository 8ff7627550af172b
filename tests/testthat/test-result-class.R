# The class of all results: every column is described, and what is written once holds for each.

results <- results_by_class()

test_that("every class of results is tried here", {
  expect_setequal(names(results), names(result_classes))
  for (class in names(results)) {
    for (result in results[[class]]) {
      parent <- result_classes[[class]]$parent
      expect_s3_class(result, c(class, parent, "repalign_result", "data.frame"), exact = TRUE)
    }
  }
})

test_that("every column is described, and every column that is described is there", {
  for (class in names(results)) {
    columns <- result_classes[[class]]$columns
    found <- lapply(results[[class]], function(result) setdiff(names(result), "source"))
    expect_identical(setdiff(unlist(found), columns$name), character(), info = class)
    expect_identical(setdiff(columns$name, unlist(found)), character(), info = class)
    for (names in if (class != "repalign_interval") found) {
      expect_identical(setdiff(columns$name[columns$always], names), character(), info = class)
    }
    expect_true(all(nzchar(columns$what)), info = class)
    # what names no row is a single row
    expect_true(any(columns$key) || all(vapply(results[[class]], nrow, 0L) == 1), info = class)
    kept <- names(result_classes[[class]]$kept)
    plain <- c("names", "row.names", "class")
    for (result in results[[class]]) {
      expect_identical(setdiff(names(attributes(result)), c(plain, kept)), character(),
                       info = class)
    }
  }
})

test_that("every result has a plain table, and a row that tells what it is about", {
  for (class in names(results)) {
    result <- results[[class]][[1]]
    expect_s3_class(generics::tidy(result), "data.frame")
    looked <- generics::glance(result)
    expect_true(is.data.frame(looked) && nrow(looked) >= 1 && !anyNA(looked[[1]]), info = class)
  }
})

# Installed help, or that of the sources.
help_pages <- local({
  installed <- tools::Rd_db("repalign", lib.loc = dirname(getNamespaceInfo("repalign", "path")))
  if (length(installed)) return(installed)
  files <- list.files(testthat::test_path("..", "..", "man"), "[.]Rd$", full.names = TRUE)
  lapply(files, tools::parse_Rd)
})

# The text of a part of a help page; NULL where help was not installed and there are no sources.
help_section <- function(topic, section) {
  tagged <- function(page, tag) page[vapply(page, attr, "", "Rd_tag") == tag]
  page <- Find(function(page) topic %in% unlist(tagged(page, "\\alias")), help_pages)
  if (length(page)) paste(unlist(tagged(page, section)), collapse = "")
}

test_that("help pages name all columns", {
  for (class in names(results)) {
    declared <- result_classes[[class]]
    texts <- lapply(declared$from, help_section, "\\value")
    if (!any(nzchar(unlist(texts)))) skip("no help pages")
    text <- paste(unlist(texts), collapse = " ")
    # standard errors of ceilings are named by their ending
    names <- setdiff(declared$columns$name, paste0(ceiling_columns, "_se"))
    missing <- names[!vapply(names, function(name) grepl(paste0("\\b", name, "\\b"), text), NA)]
    expect_identical(missing, character(), info = class)
  }
})

test_that("what is written once holds for every class", {
  for (class in names(results)) {
    result <- results[[class]][[1]]
    n <- nrow(result)
    plain <- as.data.frame(result)
    expect_identical(class(plain), "data.frame", info = class)
    back <- result[rev(seq_len(n)), ][rev(seq_len(n)), ]
    expect_identical(back, result, info = class)
    expect_identical(class(result[1]), class(result), info = class)
    twice <- rbind(result, result)
    expect_identical(class(twice), class(result), info = class)
    expect_identical(nrow(twice), 2L * n, info = class)
    expect_identical(rbind(a = result)[-1], result, info = class, ignore_attr = TRUE)
    expect_output(print(result), ".", info = class)
    expect_output(print(head(result, 1)), ".", info = class)
    tidied <- tidy(result)
    expect_s3_class(tidied, "data.frame", exact = TRUE)
    glanced <- if (class == "repalign_measures") data.frame(a = 1) else glance(result)
    expect_s3_class(glanced, "data.frame", exact = TRUE)
    if (!class %in% c("repalign_measures")) {
      expect_true(all(c("term", "estimate") %in% names(tidied)), info = class)
    }
    expect_error(rbind(result, data.frame(k = 1)), "can be put into one table", info = class)
    expect_error(similarity(result), "a result, not data", info = class)
  }
})

test_that("what is left of the columns is printed, and told or refused in our words", {
  for (class in names(results)) for (result in results[[class]]) for (name in names(result)) {
    part <- head(result, 2)[setdiff(names(result), name)]
    where <- paste(class, "without", name)
    expect_no_error(capture.output(print(part)), message = where)
    expect_no_error(tryCatch(in_words(part), repalign_error = function(error) NULL),
                    message = where)
  }
  # only the label is needed below the table, not its column
  p <- linear_population(40, 12, 6)
  models <- suppressWarnings(evaluate_models(p$x, list(a = p$y), permutations = 0))
  expect_output(print(models["model"]), "Units of the models taken as a sample", fixed = TRUE)
})

test_that("dplyr keeps all classes, and binds what belongs together", {
  skip_if_not_installed("dplyr")
  for (class in names(results)) {
    result <- results[[class]][[1]]
    expect_identical(dplyr::slice(result, 1), result[1, ], info = class, ignore_attr = "row.names")
    expect_identical(class(dplyr::bind_rows(result, result)), class(result), info = class)
    if (nrow(result) < 2) next
    parts <- list(result[1, ], result[-1, ])
    bound <- dplyr::bind_rows(parts)
    expect_identical(kept_beside_rows(bound), kept_beside_rows(do.call(rbind, parts)), info = class)
  }
  one <- results$repalign_searchlight[[1]]
  other <- suppressMessages(searchlight(matrix(rnorm(60), 10), list(1:3, 4:6),
                                        matrix(rnorm(30), 10), permutations = 9))
  error <- expect_refused(rbind(one, other), c("searchlights differ in", "as.data.frame"))
  again <- expect_refused(dplyr::bind_rows(one, other), "as.data.frame")
  expect_identical(conditionMessage(again), conditionMessage(error))
})

test_that("a declaration and its table of columns are complete", {
  declare_result("repalign_trial", from = "trial", words = "trials",
                 columns = described_columns(column("name", "who", key = TRUE, tidy = "term"),
                                             column("size", "how large", shown = 1)))
  withr::defer(rm("repalign_trial", envir = result_classes))
  rows <- new_result(data.frame(name = c("a", "b"), size = 1:2), "repalign_trial")
  expect_output(print(rows), "a +1")
  expect_identical(names(tidy(rows)), c("term", "size"))
  expect_identical(rbind(p = rows, q = rows)$source, c("p", "p", "q", "q"))
})

test_that("ceilings keep the degrees of freedom of their rows", {
  ceiling <- results$repalign_ceiling[[1]]
  limits <- confint(ceiling, "ceiling")
  expect_identical(confint(ceiling[3:1, ], "ceiling"), limits[3:1, ])
  bound <- rbind(ceiling[2, ], ceiling[1, ])
  expect_identical(unname(confint(bound, "ceiling")), unname(limits[2:1, ]))
})

test_that("as.dist() has the distances of heat maps, or says what lacks", {
  set.seed(302)
  layers <- lapply(c(a = 4, b = 5, c = 6), function(q) matrix(rnorm(60 * q), 60))
  distances <- similarity(layers, measure = "procrustes")
  expect_equal(as.dist(distances), as.dist(score_matrix(similarity(layers, measure = "procrustes",
                                                                   diagonal = TRUE))),
               ignore_attr = TRUE)
  expect_identical(attr(as.dist(distances), "Labels"), c("a", "b", "c"))
  likes <- similarity(layers)
  expect_equal(as.vector(as.dist(likes)), 1 - likes$score)
  expect_equal(as.vector(as.dist(calibrate(layers, permutations = 9))), 1 - likes$score)
  expect_s3_class(hclust(as.dist(likes)), "hclust")
  expect_refused(as.dist(rbind(likes, distances)), c("several measures", "m\\$measure"))
  expect_refused(as.dist(likes[-1, ]), "was not computed")
  expect_refused(as.dist(similarity(layers[1:2], layers[3])), "different lists")
  unknown <- similarity(layers, measure = new_measure(function(x, y) sum(x) * sum(y)))
  expect_refused(as.dist(unknown), "best")
  expect_refused(as.dist(results$repalign_evaluation[[1]]), "column")
})

test_that("every class has a picture, or says that it has none", {
  skip_if_not_installed("ggplot2")
  local_device()
  without_picture <- paste0("repalign_", c("best_comparison", "summary", "stream", "dimension",
                                           "subject_ceiling", "predicted_bias", "ratio_bias",
                                           "regression_group"))
  for (class in setdiff(names(results), c("repalign_plan", "repalign_measures"))) {
    result <- results[[class]][[1]]
    if (class %in% without_picture) {
      expect_refused(plot(result), "no picture")
    } else {
      expect_identical(suppressMessages(suppressWarnings(plot(result))), result, info = class)
    }
  }
})

test_that("head() and tail() of responses are responses", {
  x <- responses(array(seq_len(240), c(10, 6, 4)))
  expect_identical(head(x), x[1:6, , ])
  expect_identical(head(x, 2), x[1:2, , ])
  expect_identical(head(x, -8), x[1:2, , ])
  expect_identical(tail(x, 3), x[8:10, , ])
  expect_identical(head(x, c(2, 3)), x[1:2, 1:3, ])
  expect_identical(x[1:3, , , drop = FALSE], x[1:3, , ])
  expect_refused(x[1, , , drop = TRUE], "as.array")
})

test_that("regressions and fits of RDMs have intervals and observations", {
  several <- results$repalign_regression[[1]]
  single <- results$repalign_regression[[2]]
  group <- suppressWarnings(summary(several))
  limits <- confint(several, level = 0.9)
  expect_identical(rownames(limits), group$term)
  expect_equal(rowMeans(limits), group$tested, ignore_attr = TRUE)
  expect_equal(limits[, 2] - group$tested, qt(0.95, group$df) * group$se, ignore_attr = TRUE)
  expect_identical(rownames(confint(several, "t")), "t")
  expect_equal(rowMeans(confint(single)), summary(single)$tested, ignore_attr = TRUE)
  pairs <- augment(single)
  expect_identical(names(pairs),
                   c("condition_1", "condition_2", "r", "s", "t", ".fitted", ".resid"))
  expect_equal(pairs$.fitted, unname(fitted(lm(r ~ s + t, pairs))))
  expect_equal(pairs$r - pairs$.fitted, pairs$.resid)
  expect_identical(nrow(augment(several)), 2L * 45L)
  expect_identical(unique(augment(several[several$subject == "t", ])$subject), "t")
  rdms <- lapply(list(a = 1, b = 2, c = 3), function(k) dist(cos(k * matrix(1:20, 10))))
  fit <- fit_rdm_model(rdm_model(rdms[1:2], "weighted"), rdms[2:3], "cosine")
  expect_identical(tidy(fit)$estimate, unname(coef(fit)))
  expect_identical(glance(fit)$rdms, 2L)
  expect_equal(augment(fit)$.fitted[1:45], as.vector(predict(fit)))
  expect_equal(augment(fit)$dissimilarity[46:90], as.vector(rdms$c))
})

test_that("confint() of limits that are columns gives them at their own level", {
  analysis <- results$repalign_analysis[[1]]
  limits <- confint(analysis)
  expect_identical(unname(limits), unname(as.matrix(analysis[c("conf_low", "conf_high")])))
  expect_identical(colnames(limits), c("2.5 %", "97.5 %"))
  expect_identical(unname(confint(analysis[2:1, ], 2)), unname(limits[1, , drop = FALSE]))
  expect_identical(anyDuplicated(rownames(limits)), 0L)
  expect_identical(unname(confint(summary(analysis))[, 2]), summary(analysis)$conf_high)
  expect_refused(confint(analysis, level = 0.9), "`level` cannot be 0.9")
  expect_refused(confint(analysis, "nobody"), "`parm`")
  expect_refused(confint(analysis["pooled"]), "columns of the limits")
  x <- withr::with_seed(1, outer(rnorm(30), 1:8) + matrix(rnorm(240), 30))
  ratios <- participation_ratio(x, conf_level = 0.9)
  expect_identical(rownames(confint(ratios)), c("naive", "stimulus", "stimulus_neuron"))
  expect_identical(unname(confint(ratios)[, 2]), c(ratios$naive_high, ratios$stimulus_high,
                                                   ratios$stimulus_neuron_high))
  expect_identical(colnames(confint(ratios)), c("5 %", "95 %"))
  expect_identical(rownames(confint(rbind(one = ratios, two = ratios)))[c(1, 4)],
                   c("one | naive", "two | stimulus"))
  expect_refused(confint(participation_ratio(x)), "give `conf_level` to the function")
  expect_refused(confint(results$repalign_similarity[[1]]), "score_interval")
})

test_that("augment() of encodings has responses, predictions and what is left", {
  x <- outer(1:20, 1:4, function(i, j) cos(i * j))
  rownames(x) <- paste0("s", 1:20)
  y <- cbind(a = x[, 1] - x[, 2], b = x[, 3]^2, c = x[, 4]^3)
  found <- encode(list(p = x, q = x[, 1:2]), y, folds = rep(1:4, 5), lambda = 1)
  rows <- augment(found)
  expect_identical(names(rows), c("x", "y", "measure", "stimulus", "neuron", "response", ".fitted",
                                  ".resid"))
  second <- rows[rows$x == "q", ]
  expect_identical(second$response, as.vector(y))
  expect_identical(second$.fitted, as.vector(predict(found)[[2]]))
  expect_identical(second$.resid, second$response - second$.fitted)
  expect_identical(second[22, c("stimulus", "neuron")], rows[82, c("stimulus", "neuron")])
  expect_identical(unlist(second[22, c("stimulus", "neuron")], use.names = FALSE), c("s2", "b"))
  # every stimulus is tested once here, about the means of the other folds
  fold <- rep(1:4, 5)
  means <- apply(y, 2, function(v) vapply(fold, function(k) mean(v[fold != k]), 0))
  r2 <- 1 - sum(second$.resid^2) / sum((y - means)^2)
  expect_rounded(r2, found$score[2])
  expect_identical(augment(found[2, ])$.resid, second$.resid)
})

test_that("names keep their words, however narrow the line", {
  layers <- lapply(1:4, function(k) outer(1:12, k + 1:4, function(i, j) cos(i * j)))
  names(layers) <- paste("layer", 1:4)
  withr::local_options(width = 30)
  text <- utils::capture.output(print(suppressWarnings(calibrate(layers, permutations = 9))))
  expect_no_match(text, "[.]{3}[0-9]")
  expect_match(text, "layer 1 layer 2", all = FALSE)
})

test_that("as.dist() of no rows says so, and row names of results are numbers of R", {
  set.seed(1)
  result <- similarity(list(a = matrix(rnorm(20), 5), b = matrix(rnorm(20), 5)))
  expect_lt(.row_names_info(result), 0)
  expect_error(as.dist(result[0, ]), "`m` has no rows", class = "repalign_error_size")
  expect_error(as.dist(result[9, ]), "without a measure", class = "repalign_error_size")
})

test_that("methods of results refuse what they do not know, and numbers of rows that are none", {
  for (class in names(results)) {
    result <- results[[class]][[1]]
    for (method in list(head, tail, summary, tidy, glance)) {
      expect_error(method(result, unknown = 1), "unknown", class = "repalign_error",
                   info = class)
    }
    expect_error(head(result, "a"), "number of rows", class = "repalign_error_value")
    expect_error(tail(result, TRUE), "number of rows", class = "repalign_error_value")
  }
  recording <- responses(normal_matrix(20, 4))
  expect_error(head(recording, "a"), "number of rows", class = "repalign_error_value")
  expect_error(tail(recording, unknown = 1), "unknown", class = "repalign_error_parameter")
  expect_identical(dim(head(recording, c(3, 2))), c(3L, 2L, 1L))
})
