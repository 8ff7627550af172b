# Bad input of the benchmarks: each an error that says what is wrong, or a row that says it.

withr::local_options(repalign.threads = 1)

models <- grouped_models()
groups <- groups_of(models)
outputs <- lapply(models, function(model) model[, 1:3])

test_that("groups", {
  run <- function(groups) benchmark_groups(models, groups, "cka")
  expect_refused(run(character()), c("`groups` has 0 values", "9 elements"))
  expect_refused(run(replace(groups, 4, NA)), c("no label for \"net4\"", "position 4"))
  expect_refused(run(replace(groups, 4, "")), "no label for \"net4\"")
  expect_refused(run(factor(groups, c("a", "b", "c", "d"))), c("no members of \"d\"", "droplevels"))
  expect_refused(run(rep("a", 9)), "one group, \"a\"")
  expect_refused(run(1:9), "no pairs within")
  expect_refused(run(list("a")), "must be a vector")
  expect_refused(run(replace(groups, 1:3, "all")), c("group named \"all\"", "another name"))
  expect_refused(run(stats::setNames(groups, letters[1:9])), "none for \"net1\"")
  expect_refused(benchmark_groups(models), "`groups` is missing")
  said <- heard(run(replace(groups, 1:2, "d")))
  expect_match(said$text, "no pairs within \"a\"", all = FALSE)
  named <- stats::setNames(groups, names(models))[9:1]
  expect_identical(run(named)$value, run(groups)$value)
  expect_identical(run(match(groups, letters))$value, run(groups)$value)
  dates <- as.Date("2026-01-01") + match(groups, letters)
  expect_identical(run(dates)$value, run(groups)$value)
  expect_identical(unique(run(dates)$part), c("all", "2026-01-02", "2026-01-03", "2026-01-04"))
})

test_that("manifests and files", {
  manifest <- manifest_of(models, kind = groups)
  run <- function(manifest, groups = "kind") benchmark_groups(manifest, groups, "cka")
  expect_refused(run(manifest["kind"]), c("without the column \"file\"", "\"kind\""))
  expect_refused(run(manifest, "kin"), c("without the column \"kin\"", "did you mean \"kind\""))
  expect_refused(run(transform(manifest, file = paste0(file, "x"))), "9 files that are not there")
  gone <- transform(manifest, file = replace(file, 3, "gone.npy"))
  expect_refused(run(gone), c("1 file that is not there: \"gone.npy\" \\(row 3\\)"))
  expect_identical(count_calls("read_representation", try(run(gone), silent = TRUE)), 0L)
  expect_refused(run(transform(manifest, file = replace(file, 3, NA))), "no file in row 3")
  expect_refused(run(manifest[0, ]), "no rows")
  expect_refused(run(manifest[c(1, 1:8), ]), c("\"net1\" twice", "`id`"))
  expect_refused(run(transform(manifest, id = "a")), "\"a\" twice")
  cut <- grouped_models()
  cut$net4 <- cut$net4[-1, ]
  expect_refused(run(manifest_of(cut, kind = groups)), "net4` has 23 rows, and the others have 24")
  withr::with_options(list(repalign.max_memory = 4000), {
    expect_refused(run(manifest), "contents of 9 files together")
  })
  writeBin(as.raw(1:9), manifest$file[2])
  expect_error(run(manifest), class = "repalign_error_file")
})

test_that("representations", {
  run <- function(models, ...) benchmark_groups(models, groups, "cka", ...)
  cut <- replace(models, "net4", list(models$net4[-1, ]))
  expect_refused(run(cut), "`representations\\$net4` has 23 rows, and the others have 24")
  # also when a cache knows all scores
  expect_refused(run(cut, cache = withr::local_tempdir()), "has 23 rows")
  expect_refused(run(unname(models)), "no name")
  expect_refused(run(models$net1), "must be a named list")
  expect_refused(run(similarity(models)), "without the column \"file\"")
  expect_refused(run(names(models)), "gives only names")
  expect_refused(run(c("a", "a")), "twice")
  expect_refused(benchmark_groups(models[1], "a", "cka"), "one element|1 element")
  broken <- models
  broken$net2[3, 2] <- NA
  expect_refused(run(broken), c("`representations\\$net2`", "row 3, column 2"))
})

test_that("measures, labels and counts", {
  expect_refused(benchmark_groups(models, groups, "ckaa"), "no measure \"ckaa\"")
  expect_refused(benchmark_groups(models, groups, list()), "`measures` is empty")
  expect_refused(benchmark_groups(models, groups, "cka", "other"), "`definition` cannot be")
  expect_refused(benchmark_groups(models, groups, "cka", model_permutations = -1), "at least 0")
  expect_refused(benchmark_groups(models, groups, "cka", test = NULL), "`test` must be one label")
  expect_refused(benchmark_groups(models, groups, "cka", dataset = 1), "`dataset` must be")
  expect_refused(benchmark_groups(models, groups, "cka", threads = 0), "threads")
})

test_that("scores", {
  scores <- similarity_scores(benchmark_groups(models, groups, c("cka", "linear_regression")))
  run <- function(scores, ...) benchmark_groups(names(models), groups, scores = scores, ...)
  cka <- scores[scores$measure == "cka(naive)", ]
  expect_refused(run(cka[-1, ]), c("lacks the pair \"net1\" and \"net2\" by \"cka.naive.\""))
  expect_refused(run(cka[-(1:3), ]), "lacks 3 pairs, first \"net1\" and \"net2\"")
  regression <- scores[scores$measure == "linear_regression", ]
  expect_refused(run(regression[-40, ]), c("lacks the pair", "each order"))
  other <- transform(cka, measure = "ours", direction = NULL)
  expect_refused(run(other), c("\"ours\"", "`direction`"))
  other$direction <- rep(c("similarity", "distance"), 18)
  expect_refused(run(other), "one measure has one direction")
  expect_refused(run(transform(cka, direction = "up")), "not \"up\" \\(row 1\\)")
  expect_refused(run(rbind(cka, transform(cka[2, ], score = 0))), c("two different scores", "net3"))
  expect_identical(run(rbind(cka, cka))$value, run(cka)$value)
  expect_refused(run(cka[c("x", "y", "score")]), "no column \"measure\"")
  expect_refused(run(as.list(cka)), "must be a data frame")
  expect_refused(run(cka[0, ]), "`scores` has no rows")
  if (requireNamespace("tibble", quietly = TRUE)) {
    expect_silent(run(tibble::as_tibble(cka[c("x", "y", "measure", "score")])))
  }
  expect_refused(run(transform(cka, score = "a")), "must be numbers")
  expect_refused(run(transform(cka, score = replace(score, 2, Inf))), "infinite in row 2")
  expect_refused(run(transform(cka, x = replace(x, 2, NA))), "`scores\\$x` is missing")
  # undefined scores are left out and counted
  some <- run(transform(cka, score = replace(score, 1:2, NA)))
  expect_true(all(some$undefined[some$part == "all"] == 2))
  none <- run(transform(cka, score = NA_real_))
  expect_true(all(is.na(none$value)))
  expect_true(all(none$undefined[none$part == "all"] == 36))
  expect_refused(similarity_scores(as.data.frame(some)), "plain data frames")
  # what is no score of the measure, but calibrated perhaps, has no known best value
  silhouette <- function(scores) {
    result <- run(scores)
    result$value[result$metric == "silhouette" & result$part == "all"]
  }
  expect_false(is.na(silhouette(cka)))
  expect_identical(silhouette(transform(cka, score = score * 5)), NA_real_)
  expect_identical(silhouette(transform(cka, measure = "gulp", direction = "similarity")), NA_real_)
})

test_that("cache and calibration", {
  file <- withr::local_tempfile(lines = "a")
  expect_refused(benchmark_groups(models, groups, "cka", cache = file), "no folder")
  expect_refused(benchmark_groups(models, groups, "cka", cache = 1), "path of a folder")
  run <- function(...) benchmark_groups(models, groups, "cka", ...)
  expect_refused(run(permutations = 9), c("\"permutations\"", "calibrated = TRUE was not set"))
  expect_refused(run(calibrated = TRUE, aggregate = "max"), c("\"aggregate\"", "variant"))
  expect_refused(calibration_arguments(TRUE, 9), "without a name")
  expect_refused(run(calibrated = NA), "`calibrated` must be TRUE or FALSE")
  expect_refused(run(calibrated = TRUE, alpha = 2), "`alpha`")
  said <- heard(run(calibrated = TRUE, permutations = 9, engine = "random"))
  expect_true("repalign_few_permutations" %in% unlist(said$classes))
})

test_that("layers", {
  models <- drifting_models()
  run <- function(models, ...) benchmark_layers(models, "cka", ...)
  expect_refused(run(models$m1), c("`models\\$l1`", "not a model"))
  networks <- simulate_networks(2, epochs = 1)
  expect_refused(run(networks), c("set of simulated networks", "its \\$models"))
  expect_refused(run(replace(models, "m2", list(models$m2[1]))), "one layer of \"m2\"")
  expect_refused(run(list(m1 = unname(models$m1))), "`models\\$m1` is a list whose element 1")
  flat <- unlist(models, recursive = FALSE)
  manifest <- manifest_of(flat, model = rep(names(models), each = 5), layer = rep(1:5, 3))
  expect_refused(run(manifest[-2]), "without the column \"model\"")
  expect_refused(run(manifest[-3]), "without the column \"layer\"")
  expect_refused(run(transform(manifest, layer = 1)), "two layers \"1\" of the model \"m1\"")
  expect_refused(run(transform(manifest, layer = replace(layer, 3, NA))), "no layer in row 3")
  expect_refused(run(stats::setNames(models, c("m1", "all", "m3"))), "model named \"all\"")
  said <- heard(short <- run(replace(models, "m2", list(models$m2[1:2]))))
  expect_match(said$text, "no order to see in the two layers of \"m2\"", all = FALSE)
  expect_identical(is.na(short$value), short$part == "m2")
  # numbers stay numbers where other rows made words of the column
  shuffled <- transform(manifest, layer = as.character(layer + 8))[15:1, ]
  value <- function(result) result$value[order(result$metric, result$part)]
  expect_equal(value(run(shuffled)), value(run(models)))
  models$m2$l3 <- models$m2$l3[-1, ]
  expect_refused(run(models), "models\\$m2\\$l3` has 23")
})

test_that("outputs", {
  run <- function(outputs, ...) {
    benchmark_outputs(models, outputs, ..., measures = "cka", from = "logit",
                      model_permutations = 0)
  }
  expect_refused(benchmark_outputs(models), "`outputs` is missing")
  expect_refused(run(NULL), "nothing to compare with")
  expect_refused(run(outputs[-1]), c("8 elements", "has 9"))
  expect_refused(run(stats::setNames(outputs, letters[1:9])), "none for \"net1\"")
  expect_refused(run(outputs$net1), "must be a list of matrices")
  expect_refused(run(replace(outputs, "net3", list(outputs$net3[-1, ]))), "outputs\\$net3` has 23")
  expect_refused(run(replace(outputs, "net3", list(outputs$net3[, 1:2]))),
                 c("outputs\\$net3", "3 and 2 columns"))
  expect_refused(run(replace(outputs, "net3", list("a"))), "`outputs\\$net3` must be")
  expect_refused(run(outputs, labels = 1:3), c("3 values", "outputs have 24 rows"))
  expect_refused(run(outputs, labels = rep("a", 24)), "outputs have no column names")
  expect_refused(run(outputs, labels = rep(4, 24)), "classes are numbered 1 to 3")
  expect_refused(run(outputs, labels = rep(1, 24), accuracy = 1:9), "only one of `labels`")
  expect_refused(run(NULL, labels = rep(1, 24)), "nothing to compare")
  # a measure without any score is undefined, without a word from R
  scores <- transform(similarity_scores(run(outputs)), score = NA_real_)
  expect_silent(none <- benchmark_outputs(names(models), outputs, scores = scores, from = "logit",
                                          correlation = c("spearman", "pearson", "kendall")))
  expect_true(all(is.na(none$value)) && all(is.na(none$p_value)) && all(none$undefined == 36))
  expect_refused(run(outputs, accuracy = 1:8), "`accuracy` has 8 values")
  expect_refused(run(outputs, accuracy = c(1:8, NA)), "that of \"net9\" is NA")
  expect_refused(run(outputs, accuracy = letters[1:9]), "finite numbers")
  expect_refused(run(outputs, correlation = "rank"), "`correlation` cannot be")
  expect_refused(run(outputs, permute = "rows"), "`permute` cannot be")
  expect_refused(benchmark_outputs(models, outputs, measures = "cka"), c("outputs\\$net1", "logit"))
  expect_refused(benchmark_outputs(models[1:2], outputs[1:2], measures = "cka"), "three models")
  manifest <- manifest_of(models)
  expect_refused(benchmark_outputs(manifest, "logits", measures = "cka"), "column \"logits\"")
  manifest$logits <- replace(manifest$file, 2, "gone.rds")
  expect_refused(benchmark_outputs(manifest, "logits", measures = "cka"), "\"gone.rds\" \\(row 2")
})

test_that("missing values are left out", {
  lacking <- models
  lacking[[2]][3, 1] <- NA
  run <- function(models, ...) {
    set.seed(1)
    quietly(benchmark_groups(models, groups, "cka", ...))
  }
  expect_error(run(lacking), class = "repalign_error_nonfinite")
  expect_identical(run(lacking, na = "stimuli"), run(lapply(models, function(m) m[-3, ])))
  whole <- models
  whole[[2]] <- whole[[2]][, -1]
  expect_identical(run(lacking, na = "neurons"), run(whole))
  folder <- withr::local_tempdir()
  expect_refused(run(lacking, na = "stimuli", cache = folder), c("`cache`", "na = \"neurons\""))
  expect_identical(run(lacking, na = "neurons", cache = folder), run(whole))
  expect_refused(run(lacking, na = "omit"), "`na`")
})

test_that("outputs that do not differ are told", {
  same <- stats::setNames(rep(list(diag(12) / 12 + 1 / 13), length(models)), names(models))
  same <- lapply(same, function(m) m / rowSums(m))
  rows <- nrow(models[[1]])
  same <- lapply(same, function(m) m[rep_len(1:12, rows), ])
  expect_warning(found <- benchmark_outputs(models, same, measures = "cka"),
                 "equally far apart by jsd and disagreement", class = "repalign_undefined")
  expect_true(all(is.na(found$value)))
})
