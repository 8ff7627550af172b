# The published instance of the ReSi benchmark: graph networks on Cora.

# Published figures of tests 1, 2, 3 and 6 as rows test, measure, quality_metric, value.
figures_of <- function(measure, name) {
  about <- resi_measures()[[name]]
  similarity <- measures()$direction[measures()$id == about$id] == "similarity"
  symmetric <- measures()$symmetric[measures()$id == about$id]
  rbind(output_figures(measure, similarity, symmetric), group_figures(measure, similarity, symmetric),
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
