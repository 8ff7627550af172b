# The published instance of the ReSi benchmark: graph networks on Cora.

# Published figures of tests 1, 2, 3 and 6 as rows test, measure, quality_metric, value.
figures_of <- function(measure, name) {
  about <- resi_measures()[[name]]
  similarity <- measures()$direction[measures()$id == about$id] == "similarity"
  symmetric <- measures()$symmetric[measures()$id == about$id]
  rbind(output_figures(measure, similarity, symmetric),
        group_figures(measure, similarity, symmetric),
        layer_figures(measure, similarity, symmetric))
}

output_figures <- function(measure, similarity, symmetric) {
  models <- resi_models("1/2", "2")
  score <- published_matrix(measure, models, 1)
  targets <- c(AbsoluteAccDiff = 1, AbsoluteAccDiffExact = 1, JSD = 2, Disagreement = 2)
  differences <- lapply(names(targets), function(target) {
    published_matrix(target, models, targets[[target]])
  })
  names(differences) <- names(targets)
  suffixes <- c(spearman = "spearmanr", pearson = "pearsonr", kendall = "kendalltau")
  rows <- lapply(names(suffixes), function(correlation) {
    found <- output_quality(score, similarity, symmetric, differences, correlation,
                            model_permutations = 0)
    data.frame(test = unname(targets[found$target]), measure = measure,
               quality_metric = paste0(found$target, "_", suffixes[[correlation]]),
               value = found$value)
  })
  do.call(rbind, rows)
}

group_figures <- function(measure, similarity, symmetric) {
  models <- resi_models("3")
  models <- c(resi_models("1/2", "2", 0:4), models)
  models <- models[!duplicated(models)]
  groups <- sub("_.*", "", basename(models))
  groups <- factor(groups, c("normal", "label25", "label100"))
  found <- group_quality(published_matrix(measure, models, 3), similarity, groups,
                         model_permutations = 0, symmetric = symmetric)
  figures_with_parts(found, 3, measure, c(auprc = "AUPRC", conformity = "violation_rate"), "_group",
                     levels(groups))
}

layer_figures <- function(measure, similarity, symmetric) {
  scores <- lapply(0:4, function(seed) {
    published_matrix(measure, resi_models("6", seed = seed), 6)
  })
  names(scores) <- 0:4
  found <- layer_quality(scores, similarity, symmetric)
  figures_with_parts(found, 6, measure, c(spearman = "spearman", conformity = "violation_rate"),
                     "_model", names(scores))
}

# The published table has the parts of the conformity as rates of violation, and of all both.
figures_with_parts <- function(found, test, measure, published, prefix, parts) {
  found <- found[found$metric %in% names(published), ]
  rates <- found[found$metric == "conformity" & found$part == "all", ]
  name <- published[found$metric]
  name <- ifelse(found$part == "all", name, paste0(name, prefix, match(found$part, parts) - 1))
  violations <- found$metric == "conformity"
  value <- ifelse(violations, 1 - found$value, found$value)
  data.frame(test, measure, quality_metric = c(name, "conformity"), value = c(value, rates$value))
}

test_that("quality figures from the published scores are the published ones", {
  published <- resi_table("quality.csv")
  found <- do.call(rbind, lapply(names(resi_names), function(name) {
    figures_of(resi_names[[name]], name)
  }))
  key <- c("test", "measure", "quality_metric")
  keys <- function(rows) do.call(paste, rows[key])
  # every published row has one of ours, and every one of ours a published one
  expect_setequal(keys(found), keys(published))
  expect_false(anyDuplicated(keys(found)) > 0)
  at <- match(keys(published), keys(found))
  expect_identical(nrow(published), 816L)
  expect_identical(sum(is.na(published$value) != is.na(found$value[at])), 0L)
  expect_lt(max(abs(published$value - found$value[at])), 1e-12)
})

# Measures that take little time and have no ties. The published code takes one component for SVCCA
# and squares GULP, which changes no order.
quick_measures <- function() {
  set <- resi_measures(published = TRUE)
  set$SVCCA <- measure("svcca", components = 1)
  set[c("SVCCA", "AngShape", "HardCorr", "LinReg", "CKA", "EOS", "GULP", "MagDiff")]
}

# A manifest of the representations of a test, with whole paths.
resi_manifest <- function(test, layers = NULL) {
  manifest <- resi_table("manifest.csv")
  rows <- manifest$test == test
  if (!is.null(layers)) rows <- rows & manifest$layer %in% layers
  manifest <- manifest[rows, ]
  manifest$file <- vapply(manifest$file, function(file) shared_file("data", "resi_cora", file), "")
  manifest
}

# The largest difference between a benchmark's values and published figures of the same names.
expect_published <- function(rows, test, names, tolerance = 1e-10) {
  published <- resi_table("quality.csv")
  published <- published[published$test %in% test, ]
  at <- match(paste(resi_names[rows$measure], names),
              paste(published$measure, published$quality_metric))
  expect_false(anyNA(at))
  expect_lt(max(abs(rows$value - published$value[at])), tolerance)
}

test_that("figures of groups from our own scores are the published ones", {
  manifest <- resi_manifest("3")
  found <- benchmark_groups(manifest, "group", quick_measures(), model_permutations = 0)
  found <- found[found$metric %in% c("auprc", "conformity") & found$part == "all", ]
  expect_identical(nrow(found), 16L)
  expect_published(found, 3, c(auprc = "AUPRC", conformity = "conformity")[found$metric])
})

test_that("figures of layers from our own scores are the published ones", {
  manifest <- resi_manifest("6")
  manifest$model <- manifest$seed
  found <- benchmark_layers(manifest, quick_measures())
  at <- found$part != "all" & found$metric == "spearman"
  expect_identical(sum(at), 40L)
  expect_published(found[at, ], 6, paste0("spearman_model", found$part[at]))
  whole <- found[found$part == "all", ]
  expect_published(whole, 6, whole$metric)
})

test_that("figures of outputs from our own scores are the published ones", {
  manifest <- resi_manifest("1/2", "2")
  outputs <- lapply(resi_manifest("1/2", "logits")$file, read_representation)
  found <- benchmark_outputs(manifest, outputs, accuracy = round(1000 * manifest$accuracy),
                             measures = quick_measures(), from = "logit", model_permutations = 0)
  targets <- c(accuracy = "AbsoluteAccDiffExact", jsd = "JSD", disagreement = "Disagreement")
  expect_identical(nrow(found), 24L)
  expect_published(found, 1:2, paste0(targets[found$target], "_spearmanr"))
})

test_that("measures rank in the published instance as the paper ranks them", {
  published <- resi_table("quality.csv")
  rows <- published[published$quality_metric %in%
                      c("AUPRC", "spearman", "AbsoluteAccDiff_spearmanr", "JSD_spearmanr"), ]
  rows$metric <- "auprc"
  rows$test <- rows$quality_metric
  ranks <- rank_measures(rows[c("measure", "metric", "value", "test")])
  for (test in unique(rows$test)) {
    value <- rows$value[rows$test == test]
    expected <- vapply(value, function(v) 1 + sum(value > v + 1e-12), 0)
    expect_identical(ranks$rank[ranks$test == test], expected)
  }
  expect_identical(summary(ranks)$measure[1], "SecondOrderCosineSimilarity")
})
