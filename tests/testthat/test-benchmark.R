# The benchmarks: their scores are those of similarity() and calibrate(), wherever representations
# are and whoever computes; and what results keep.

withr::local_options(repalign.threads = 1)

three <- c("cka", "procrustes", "linear_regression")
labels_of_three <- c("cka(naive)", three[-1])

test_that("scores are those of similarity(), and quality is that of their matrix", {
  models <- grouped_models()
  groups <- groups_of(models)
  set.seed(5)
  result <- benchmark_groups(models, groups, three, model_permutations = 49)
  expect_s3_class(result, "repalign_benchmark")
  expect_identical(unique(result$measure), labels_of_three)
  scores <- similarity_scores(result)
  expect_identical(names(scores), c("x", "y", "measure", "score", "direction", "error"))
  expect_identical(as.vector(table(scores$measure)[labels_of_three]), c(36L, 36L, 72L))
  all <- similarity(models, models, three)
  at <- match(paste(scores$x, scores$y, scores$measure), paste(all$x, all$y, all$measure))
  expect_equal(scores$score, all$score[at], tolerance = 1e-13)
  expect_true(all(is.na(scores$error)))
  for (measure in labels_of_three) {
    distance <- measure == "procrustes"
    matrix <- matrix(all$score[all$measure == measure], 9, byrow = TRUE)
    quality <- group_quality(matrix, !distance, groups, symmetric = measure != "linear_regression",
                             best = if (distance) 0 else 1, model_permutations = 1)
    rows <- as.data.frame(result[result$measure == measure, ])
    expect_equal(rows$value, quality$value, tolerance = 1e-12)
    expect_identical(rows[c("metric", "part")], quality[c("metric", "part")], ignore_attr = TRUE)
  }
  paper <- benchmark_groups(models, groups, three, "paper", model_permutations = 0)
  expect_false(identical(paper$value, result$value))
  expect_true(all(is.na(paper$p_value)))
})

test_that("files of a manifest give what matrices give, each read and prepared once", {
  models <- grouped_models()
  manifest <- manifest_of(models, kind = groups_of(models))
  set.seed(1)
  expected <- benchmark_groups(models, groups_of(models), three)
  set.seed(1)
  reads <- count_calls("read_one_array",
                       result <- benchmark_groups(manifest, "kind", three))
  expect_identical(result, expected)
  expect_identical(reads, length(models))
  two <- c("cka", "procrustes")
  more <- count_calls("new_form", benchmark_groups(models, groups_of(models), two))
  grid <- count_calls("new_form", similarity(models, measure = two))
  expect_identical(more, grid)
  named <- transform(manifest, id = paste0("id", seq_along(models)))
  scores <- similarity_scores(benchmark_groups(named, "kind", "cka"))
  expect_identical(unique(scores$x), paste0("id", 1:8))
})

test_that("several arrays of a file, and names from paths", {
  models <- grouped_models()
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(models, file)
  manifest <- data.frame(file = file, array = names(models))
  result <- benchmark_groups(manifest, groups_of(models), "cka")
  scores <- similarity_scores(result)
  expect_identical(scores$x[1], paste0(sub("[.]rds$", "", basename(file)), ":net1"))
  expect_identical(result$value, benchmark_groups(models, groups_of(models), "cka")$value)
  paths <- c("data/run/a/x.npy", "data/run/b/x.npy", "data/run/b/y.csv.gz")
  expect_identical(file_names(paths, NULL), c("a/x", "b/x", "b/y"))
  expect_identical(file_names("data/x.npy", NULL), "x")
})

test_that("given scores are taken, and what they lack is computed", {
  models <- grouped_models()
  groups <- groups_of(models)
  whole <- benchmark_groups(models, groups, three)
  scores <- similarity_scores(whole)
  set.seed(3)
  expected <- benchmark_groups(models, groups, three, "paper")
  set.seed(3)
  calls <- count_calls("wanted_cell", {
    again <- benchmark_groups(names(models), groups, definition = "paper", scores = scores)
  })
  expect_rounded(again, expected)
  expect_identical(calls, 0L)
  # in any order of rows and sides, as factors, and beside other columns
  mixed <- scores[nrow(scores):1, ]
  back <- mixed$measure == "cka(naive)"
  mixed[back, c("x", "y")] <- mixed[back, c("y", "x")]
  mixed <- transform(mixed, x = factor(x), note = "ours", error = NULL)
  expect_setequal(benchmark_groups(names(models), groups, scores = mixed)$value, whole$value)
  cka <- scores[scores$measure == "cka(naive)", ]
  calls <- count_calls("wanted_cell", {
    both <- benchmark_groups(models, groups, three, scores = cka)
  })
  expect_identical(calls, 36L + 72L)
  expect_identical(both$value, whole$value)
  # tables of other programs do not say that a CKA is naive
  calls <- count_calls("wanted_cell", {
    both <- benchmark_groups(models, groups, three, scores = transform(cka, measure = "cka"))
  })
  expect_identical(calls, 36L + 72L)
  expect_identical(both$measure, sub("(naive)", "", whole$measure, fixed = TRUE))
  expect_identical(both$value, whole$value)
  # a file has neither the direction nor what is best
  plain <- as.data.frame(cka)[c("x", "y", "measure", "score")]
  expect_identical(benchmark_groups(names(models), groups, scores = plain)$value,
                   benchmark_groups(models, groups, "cka")$value)
  # results of similarity() tell direction and symmetry of own measures
  own <- new_measure(function(x, y) sum((x - y)^2), "distance", symmetric = TRUE, label = "gap")
  grid <- similarity(models, measure = own)
  expect_identical(benchmark_groups(models, groups, scores = grid)$value,
                   benchmark_groups(models, groups, own)$value)
  # the names of the ReSi benchmark are known
  resi <- transform(scores[scores$measure == "procrustes", ], measure = "OrthProc",
                    direction = NULL)
  expect_identical(benchmark_groups(names(models), groups, scores = resi)$value,
                   whole$value[whole$measure == "procrustes"])
})

test_that("a cache answers for what has not changed, and for nothing else", {
  models <- grouped_models()
  manifest <- manifest_of(models, kind = groups_of(models))
  cache <- file.path(withr::local_tempdir(), "new", "folder")
  calls_of <- function(manifest, measures, ...) {
    count_calls("wanted_cell", {
      last <<- benchmark_groups(manifest, "kind", measures, cache = cache, ...)
    })
  }
  last <- NULL
  expect_identical(calls_of(manifest, three), 36L + 36L + 72L)
  first <- last
  reads <- count_calls("read_representation", expect_identical(calls_of(manifest, three), 0L))
  expect_identical(reads, 0L)
  expect_identical(last$value, first$value)
  # other order, more measures, another parameter
  expect_identical(calls_of(manifest[9:1, ], three), 0L)
  expect_identical(calls_of(manifest, c(three, "rsa")), 36L)
  stimulus <- measure("cka", estimator = "stimulus")
  expect_identical(calls_of(manifest, list(stimulus)), 36L)
  expect_identical(calls_of(manifest, list(other = stimulus)), 0L)
  # matrices in memory have a key of their own
  expect_identical(count_calls("wanted_cell", benchmark_groups(models, groups_of(models), "cka",
                                                            cache = cache)), 36L)
  saveRDS(models[[1]] + 1, manifest$file[1])
  expect_identical(calls_of(manifest, "cka"), 8L)
  # a file that was cut short counts as none
  stored <- dir(cache, full.names = TRUE)
  expect_false(any(grepl("part-", stored)))
  for (file in stored) writeBin(as.raw(1:5), file)
  expect_identical(calls_of(manifest, "cka"), 36L)
})

test_that("an interrupted call goes on where it stopped, and ends as if it had not been", {
  models <- grouped_models()
  groups <- groups_of(models)
  cache <- withr::local_tempdir()
  set.seed(4)
  expected <- benchmark_groups(models, groups, c("cka", "mutual_knn"))
  after <- stats::runif(1)
  original <- wanted_cell
  done <- 0
  local({
    local_internal("wanted_cell", function(...) {
      done <<- done + 1
      stop <- structure(list(message = ""), class = c("interrupt", "condition"))
      if (done > 21) signalCondition(stop)
      original(...)
    })
    tryCatch(benchmark_groups(models, groups, c("cka", "mutual_knn"), cache = cache),
             interrupt = function(i) NULL)
  })
  set.seed(4)
  rest <- count_calls("wanted_cell", {
    result <- benchmark_groups(models, groups, c("cka", "mutual_knn"), cache = cache)
  })
  expect_identical(rest, 72L - 21L)
  expect_rounded(result, expected)
  expect_identical(stats::runif(1), after)
  set.seed(4)
  again <- benchmark_groups(models, groups, c("cka", "mutual_knn"), cache = cache)
  expect_rounded(again, expected)
})

test_that("own measures are cached by their code and by what it uses", {
  key <- function(fun) measure_key(new_measure(fun, "similarity"), NULL)
  make <- function(power) {
    helper <- function(x) x^power
    function(x, y) sum(helper(x) * y)
  }
  expect_identical(key(make(1)), key(make(1)))
  expect_false(key(make(1)) == key(make(2)))
  expect_false(key(function(x, y) sum(x)) == key(function(x, y) sum(y)))
  recursive <- function(x, y) if (nrow(x) > 1) recursive(x[-1, , drop = FALSE], y) else sum(x)
  expect_match(key(recursive), "^[0-9a-f]{32}$")
  expect_false(measure_key(measure("cka"), NULL) == measure_key(measure("cka"), list(alpha = 0.1)))
})

test_that("tiles and workers change nothing", {
  models <- grouped_models()
  models[[2]] <- round(models[[2]])
  manifest <- manifest_of(models, kind = groups_of(models))
  measures <- c("cka", "linear_regression", "mutual_knn", "rtd")
  run <- function(...) {
    set.seed(6)
    list(suppressWarnings(benchmark_groups(manifest, "kind", measures, ...)),
         suppressWarnings(benchmark_groups(models, groups_of(models), c("cka", "mutual_knn"),
                                           calibrated = TRUE, permutations = 19, ...)),
         stats::runif(1))
  }
  expected <- run()
  local({
    local_internal("how_many_fit", function(...) 4)
    expect_rounded(run(), expected)
  })
  skip_unless_extended()
  local_workers(2)
  expect_rounded(run(), expected)
  expect_rounded(run(cache = withr::local_tempdir()), expected)
})

test_that("calibrated scores are those of calibrate()", {
  models <- grouped_models()
  groups <- groups_of(models)
  measures <- c("cka", "procrustes")
  cache <- withr::local_tempdir()
  set.seed(1)
  expected <- calibrate(models, measure = measures, permutations = 49, variant = "z")
  for (again in 1:2) {
    set.seed(1)
    result <- benchmark_groups(models, groups, measures, calibrated = TRUE, permutations = 49,
                               variant = "z", cache = cache)
    scores <- similarity_scores(result)
    at <- match(paste(scores$x, scores$y, scores$measure),
                paste(expected$x, expected$y, expected$measure))
    expect_equal(scores$score, expected$calibrated[at], tolerance = 1e-12)
    expect_true(all(scores$direction == "similarity"))
    # p-values, and what is drawn after the call, do not depend on the cache
    found <- list(result$p_value, stats::runif(1))
    if (again == 1) first <- found
    expect_identical(found, first)
  }
  # half of the rows, as tied neighbours are put in order
  counts <- lapply(models, function(model) round(model))
  for (series in c("linear", "circular")) {
    expected <- quietly(calibrate(counts, measure = "mutual_knn", series = series,
                                  variant = "centered"))
    result <- quietly(benchmark_groups(counts, groups, "mutual_knn", calibrated = TRUE,
                                       series = series, variant = "centered"))
    expect_equal(similarity_scores(result)$score, expected$calibrated, tolerance = 1e-12)
  }
  # the result of calibrate() as a table of scores
  calibrated <- calibrate(models, measure = measures, permutations = 49)
  from_table <- function(...) benchmark_groups(names(models), groups, scores = calibrated, ...)
  plain <- as.data.frame(calibrated)
  plain$score <- plain$calibrated
  plain$direction <- "similarity"
  known <- function(result) result$value[result$metric != "silhouette"]
  expect_identical(known(from_table(calibrated = TRUE)),
                   known(benchmark_groups(names(models), groups, scores = plain)))
  expect_equal(known(from_table()), known(benchmark_groups(models, groups, measures)))
  expect_false(identical(known(from_table()), known(from_table(calibrated = TRUE))))
  # no null: undefined, and counted
  result <- expect_warned(benchmark_groups(models, groups, c("cka", "imd"), calibrated = TRUE,
                                           permutations = 19), "repalign_undefined")
  imd <- result[result$measure == "imd" & result$part == "all", ]
  expect_true(all(is.na(imd$value)))
  expect_true(all(imd$undefined == 36))
  expect_false(anyNA(result$value[result$measure == "cka(naive)" & result$part == "all"]))
  moments <- benchmark_groups(grouped_models(n = 100), groups, "rv", calibrated = TRUE,
                              engine = "moments")
  expect_false(anyNA(similarity_scores(moments)$score))
})

test_that("a measure that fails for one pair goes on with the others", {
  models <- grouped_models()
  groups <- groups_of(models)
  measures <- list("cka", failing_measure(models$net2, models$net7))
  cache <- withr::local_tempdir()
  for (calibrated in c(FALSE, TRUE)) {
    more <- if (calibrated) list(permutations = 9)
    result <- expect_warned(
      do.call(benchmark_groups, c(list(models, groups, measures, calibrated = calibrated,
                                       cache = cache), more)), "repalign_failed"
    )
    scores <- similarity_scores(result)
    bad <- scores[!is.na(scores$error), ]
    expect_identical(unlist(bad[c("x", "y", "measure")], use.names = FALSE),
                     c("net2", "net7", "fails"))
    expect_match(bad$error, "no luck")
    expect_identical(bad$score, NA_real_)
    expect_identical(sum(is.na(scores$score[scores$measure == "cka(naive)"])), 0L)
    at <- result$measure == "fails" & result$part == "all"
    expect_true(all(result$undefined[at] == 1))
    expect_false(all(is.na(result$value[at])))
    # the failure is tried again
    expect_warned(do.call(benchmark_groups, c(list(models, groups, measures, cache = cache,
                                                   calibrated = calibrated), more)),
                  "repalign_failed")
  }
  # and comes back from a table
  again <- benchmark_groups(names(models), groups, scores = scores)
  expect_match(stats::na.omit(similarity_scores(again)$error), "no luck")
})

test_that("layers: each model by itself, in the order of its layers", {
  models <- drifting_models()
  models$m3 <- lapply(models$m3, function(layer) layer[1:20, ])
  result <- benchmark_layers(models, three)
  expect_identical(unique(result$metric), c("conformity", "spearman"))
  expect_identical(unique(result$part), c("all", "m1", "m2", "m3"))
  expect_true(all(is.na(result$p_value)))
  scores <- similarity_scores(result)
  expect_identical(as.vector(table(scores$measure)[labels_of_three]), c(30L, 30L, 60L))
  expect_identical(scores$x[1], "m1/l1")
  rows <- scores[scores$measure == "cka(naive)" & grepl("^m3", scores$x), ]
  expect_equal(rows$score, similarity(models$m3)$score, tolerance = 1e-13)
  expect_true(all(result$value[result$part == "all"] > 0.5))
  # a manifest in another order of rows, with numbers of layers beyond 9
  flat <- unlist(models, recursive = FALSE)
  manifest <- manifest_of(flat, model = rep(names(models), each = 5),
                          layer = rep(c(8, 9, 10, 11, 12), 3))
  set.seed(9)
  manifest <- manifest[sample(15), ]
  manifest <- manifest[order(manifest$model), ]
  found <- benchmark_layers(manifest, three)
  expect_equal(found$value, result$value, tolerance = 1e-13)
  as_words <- transform(manifest, layer = factor(paste0("L", layer), paste0("L", 8:12)))
  expect_identical(benchmark_layers(as_words, three)$value, found$value)
  # names and scores are enough
  only <- lapply(models, names)
  expect_identical(benchmark_layers(only, scores = scores)$value, result$value)
  paper <- benchmark_layers(models, "cka", "paper", calibrated = TRUE, permutations = 19)
  expect_identical(unique(paper$part), c("all", "m1", "m2", "m3"))
})

test_that("outputs: correlations with the differences of outputs", {
  set.seed(8)
  truth <- matrix(rnorm(30 * 4), 30)
  models <- lapply(stats::setNames(1:6, paste0("net", 1:6)), function(k) {
    truth + matrix(rnorm(120, sd = k / 4), 30)
  })
  logits <- lapply(models, function(model) model[, 1:3])
  labels <- max.col(truth[, 1:3])
  result <- benchmark_outputs(models, logits, labels, three, from = "logit",
                              correlation = c("pearson", "kendall"), model_permutations = 99)
  expect_identical(unique(result$target), c("accuracy", "jsd", "disagreement"))
  expect_identical(unique(result$correlation), c("pearson", "kendall"))
  grid <- expand.grid(j = 1:6, i = 1:6)
  grid <- grid[grid$i < grid$j, ]
  of_pairs <- function(fun) mapply(function(i, j) fun(logits[[i]], logits[[j]]), grid$i, grid$j)
  differences <- list(accuracy = of_pairs(function(p, q) accuracy_difference(p, q, labels)),
                      jsd = of_pairs(function(p, q) jsd(p, q, "logit")),
                      disagreement = of_pairs(disagreement))
  score <- similarity(models, measure = "procrustes")$score
  for (target in names(differences)) {
    for (correlation in c("pearson", "kendall")) {
      at <- result$measure == "procrustes" & result$target == target &
        result$correlation == correlation
      expect_equal(result$value[at], stats::cor(score, differences[[target]], method = correlation))
    }
  }
  expect_true(all(result$p_value > 0 & result$p_value <= 1))
  without <- benchmark_outputs(models, logits, measures = "cka", from = "logit")
  expect_identical(unique(without$target), c("jsd", "disagreement"))
})

test_that("outputs in files, accuracies in a column, logits or probabilities", {
  models <- grouped_models(2)
  logits <- lapply(models, function(model) model[, 1:3])
  labels <- max.col(Reduce(`+`, logits))
  manifest <- manifest_of(models)
  manifest$logits <- manifest_of(logits)$file
  manifest$right <- vapply(logits, function(l) mean(max.col(l) == labels), 0)
  spearman <- benchmark_outputs(models, unname(logits), labels, three, from = "logit",
                                model_permutations = 0)
  found <- benchmark_outputs(manifest, "logits", accuracy = "right", measures = three,
                             from = "logit", model_permutations = 0)
  expect_equal(found$value, spearman$value, tolerance = 1e-12)
  soft <- lapply(logits, function(l) exp(l) / rowSums(exp(l)))
  expect_equal(benchmark_outputs(models, rev(soft), labels, three, model_permutations = 0)$value,
               spearman$value, tolerance = 1e-12)
  only <- benchmark_outputs(models, NULL, measures = "cka", accuracy = manifest$right,
                            model_permutations = 0)
  expect_equal(only$value, spearman$value[1], tolerance = 1e-12)
  pairs <- benchmark_outputs(models, logits, labels, three, from = "logit", permute = "pairs")
  expect_equal(pairs$value, spearman$value, tolerance = 1e-12)
})

test_that("labels of the test, and results that are cut and bound", {
  models <- grouped_models()
  run <- function(measures, ...) benchmark_groups(models, groups_of(models), measures, ...)
  a <- run(c("cka", "rsa"), test = "one", dataset = "d")
  b <- run("cka", test = "two", dataset = "d")
  expect_identical(utils::tail(names(a), 2), c("test", "dataset"))
  both <- rbind(a, b)
  expect_s3_class(both, "repalign_benchmark")
  scores <- similarity_scores(both)
  expect_identical(names(scores)[1:3], c("test", "dataset", "architecture"))
  expect_identical(as.vector(table(scores$test, scores$measure)), c(36L, 36L, 36L, 0L))
  expect_identical(similarity_scores(both[both$test == "two", ])$x, similarity_scores(b)$x)
  expect_identical(unique(similarity_scores(a[a$measure == "rsa", ])$measure), "rsa")
  expect_identical(nrow(similarity_scores(a[0, ])), 0L)
  expect_identical(similarity_scores(rbind(a[1:3, ], a[-(1:3), ])), similarity_scores(a))
  expect_s3_class(a[["value"]], NA)
  expect_identical(class(as.data.frame(a)), "data.frame")
  expect_null(attr(as.data.frame(a), "scores"))
  named <- rbind(first = a, second = a)
  expect_identical(unique(named$source), c("first", "second"))
  expect_identical(nrow(summary(named)), 4L)
  expect_refused(summary(rbind(a, a)), "two rows")
  expect_refused(rbind(a, similarity(models)), "Only benchmarks")
  table <- summary(both)
  expect_identical(dim(table), c(3L, 9L))
  expect_identical(names(table), c("dataset", "test", "measure", "auprc", "conformity", "dprime",
                                   "silhouette", "auc", "undefined"))
  expect_identical(table$auc[3], b$value[b$metric == "auc"])
  expect_identical(names(tidy(a))[c(1, 4:6)], c("term", "estimate", "chance", "p.value"))
  expect_identical(glance(both)$measures, c(2L, 1L))
  skip_if_not_installed("dplyr")
  skip_if_not_installed("vctrs")
  expect_identical(similarity_scores(dplyr::bind_rows(a, b)), scores)
})

test_that("print() and plot()", {
  models <- grouped_models()
  set.seed(1)
  result <- benchmark_groups(models, groups_of(models), c("cka", "rsa"), model_permutations = 19)
  shown <- utils::capture.output(print(result))
  expect_identical(shown[1], "Benchmark: 2 measures, 28 rows")
  expect_match(shown[2], "measure +metric +part +value +chance +p_value")
  expect_identical(dim(summary(result[0, ])), c(0L, 3L))
  skip_if_not_installed("ggplot2")
  layers <- benchmark_layers(drifting_models(), c("cka", "rsa"))
  outputs <- benchmark_outputs(models, NULL, measures = "cka", accuracy = 1:9,
                               correlation = c("spearman", "kendall"))
  panels <- function(object, ...) {
    built <- ggplot2::ggplot_build(ggplot2::autoplot(object, ...))
    nrow(built$layout$layout)
  }
  expect_identical(panels(result), 5L)
  expect_identical(panels(result, metric = "auc", measure = "rsa"), 1L)
  expect_identical(panels(layers), 2L)
  expect_identical(panels(outputs), 2L)
  # a dashed line at chance in each panel
  lines <- function(object) ggplot2::layer_data(ggplot2::autoplot(object), 1)$xintercept
  whole <- result[result$part == "all", ]
  expect_setequal(lines(result), tapply(whole$chance, whole$metric, mean))
  expect_identical(lines(layers), c(0.5, 0))
  # a sentence tells chance, and the best of several is no p-value alone
  text <- in_words(result)
  expect_match(text[1], "best auprc [(][.0-9]+, chance 0[.]2[0-9]*, holm-adjusted p = [.0-9]+[)]")
  first <- whole[whole$metric == "auprc", ]
  expect_match(text[1], p_words(min(1, stats::p.adjust(first$p_value)[which.max(first$value)])),
               fixed = TRUE)
  expect_match(in_words(result[result$measure == "rsa", ])[1], "chance 0[.]2[0-9]*, p = ")
  expect_identical(panels(rbind(a = result, b = result)), 10L)
  # names in many rows of panels are small
  size <- function(object) ggplot2::autoplot(object)$theme$axis.text.y$size
  expect_identical(size(result), 8)
  several <- do.call(rbind, stats::setNames(rep(list(result), 15), letters[1:15]))
  expect_identical(size(several), 5)
  expect_refused(ggplot2::autoplot(result, metric = "nothing"), "`metric` cannot be")
  expect_refused(ggplot2::autoplot(result, other = 1), "no argument")
  expect_refused(ggplot2::autoplot(result[0, ]), "no rows")
  expect_refused(ggplot2::autoplot(replace(result, "value", NA_real_)), "all values are undefined")
})

test_that("the real instance: files, our own scores, published quality", {
  folder <- dirname(shared_file("data", "resi_cora", "manifest.csv"))
  manifest <- utils::read.csv(file.path(folder, "manifest.csv"))
  quality <- utils::read.csv(file.path(folder, "quality.csv"))
  manifest$file <- file.path(folder, manifest$file)
  expect_published <- function(result, test, metric, of) {
    expected <- quality$value[quality$test == test & quality$quality_metric == metric &
                                quality$measure == "CKA"]
    expect_equal(result$value[of], expected, tolerance = 1e-10)
  }
  groups <- benchmark_groups(manifest[manifest$test == "3", ], "group", c(CKA = "cka"))
  whole <- groups$part == "all"
  expect_published(groups, 3, "AUPRC", whole & groups$metric == "auprc")
  expect_published(groups, 3, "conformity", whole & groups$metric == "conformity")
  six <- manifest[manifest$test == "6", ]
  six <- transform(six, model = paste0("s", seed), layer = as.numeric(layer))
  layers <- benchmark_layers(six, c(CKA = "cka"))
  expect_published(layers, 6, "spearman", layers$part == "all" & layers$metric == "spearman")
  one <- manifest[manifest$test == "1/2", ]
  logits <- one[one$layer == "logits", ]
  one <- one[one$layer != "logits", ]
  one$logits <- logits$file[match(one$seed, logits$seed)]
  outputs <- benchmark_outputs(one, "logits", measures = c(CKA = "cka"), accuracy = "accuracy",
                               from = "logit", model_permutations = 99)
  expect_published(outputs, 1, "AbsoluteAccDiff_spearmanr", outputs$target == "accuracy")
  expect_published(outputs, 2, "JSD_spearmanr", outputs$target == "jsd")
  expect_published(outputs, 2, "Disagreement_spearmanr", outputs$target == "disagreement")
})
