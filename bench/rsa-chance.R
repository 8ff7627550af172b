# p_chance of evaluate_rdms(), beside p_zero:
#   Rscript bench/rsa-chance.R [level] [folds] [blocks] [power] [cost] [sets=200] [draws=100]
#                              [permutations=199] [n=20] [subjects=8] [outer=pearson,...] [seed=1]
# Data RDMs are squared distances of shared patterns, with features and noise of each subject. The
# columns are the shares of data sets in which p_chance and p_zero are at most 0.05.
# (level)  models that have nothing to do with the data: one RDM, a weighted and a non-negative sum
#          of three, for several comparisons
# (folds)  the same, cross-validated (2 x 2 folds, 2 repeats in draws), a quarter of the sets
# (blocks) stimuli in 5 categories that data and models share, and nothing else: permutations of all
#          stimuli, and within categories
# (power)  models that share some of the patterns of the data
# (cost)   seconds of evaluate_rdms() with permutations and without

library(repalign)

source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 200)
draws <- setting("draws", 100)
permutations <- setting("permutations", 199)
n <- setting("n", 20)
subjects <- setting("subjects", 8)
outers <- words("outer", c("cosine", "pearson", "whitened_cosine", "whitened_pearson", "spearman"))
options(width = 140)

rdm_of <- function(features) dist(features)^2
noise <- function(q) matrix(rnorm(n * q), n)

# shared: patterns of the data that models may share. common: patterns of categories, in all RDMs.
draw_set <- function(effect = 0, common = NULL) {
  stimuli <- noise(8)
  data <- lapply(seq_len(subjects), function(u) rdm_of(cbind(stimuli, noise(6), noise(6), common)))
  names(data) <- paste0("rdm", seq_along(data))
  component <- lapply(1:3, function(k) rdm_of(cbind(effect * stimuli[, k + 0:3], noise(4), common)))
  names(component) <- paste0("part", 1:3)
  list(data = data,
       models = list(fixed = component[[1]], weighted = rdm_model(component, "weighted"),
                     positive = rdm_model(component, "weighted", nonnegative = TRUE)))
}

p_of <- function(set, outer, ...) {
  found <- quietly(evaluate_rdms(set$data, set$models, outer, draws = draws, threads = 1,
                                 permutations = permutations, ...))
  rbind(p_chance = found$p_chance, p_zero = found$p_zero)
}

show <- function(title, make, outer, ...) {
  set.seed(setting("seed", 1))
  p <- vapply(seq_len(sets), function(k) p_of(make(), outer, ...), matrix(0, 2, 3))
  shares <- apply(p <= 0.05, 1:2, mean, na.rm = TRUE)
  undefined <- max(apply(is.na(p[1, , ]), 1, mean))
  cat(sprintf("%-22s %-17s", title, outer),
      paste0(sprintf("  %s: p_chance %.3f, p_zero %.3f", c("fixed", "weighted", "positive"),
                     shares[1, ], shares[2, ]), collapse = ";"),
      if (undefined > 0) sprintf("  (undefined up to %.2f)", undefined), "\n")
}

two_by_two <- c(rdm = 2, condition = 2)
cat(sets, "data sets,", n, "stimuli,", subjects, "subjects,", permutations, "permutations\n")

if (wanted("level")) {
  for (outer in outers) show("unrelated", draw_set, outer)
}

if (wanted("folds")) {
  whole <- sets
  sets <- ceiling(whole / 4)
  for (outer in setdiff(outers, "spearman")) {
    show("unrelated, folds", draw_set, outer, folds = two_by_two)
  }
  for (effect in c(0.5, 0.8)) {
    show(paste("effect", effect, "folds"), function() draw_set(effect), "pearson",
         folds = two_by_two)
  }
  sets <- whole
}

if (wanted("blocks")) {
  category <- rep_len(1:5, n)
  make <- function() draw_set(common = 1.5 * matrix(rnorm(20), 5)[category, ])
  for (outer in outers) {
    show("categories, all", make, outer)
    show("categories, in blocks", make, outer, blocks = category)
  }
}

if (wanted("power")) {
  for (effect in c(0.3, 0.5, 0.8)) for (outer in outers) {
    show(paste("effect", effect), function() draw_set(effect), outer)
  }
}

if (wanted("cost")) {
  cat("\nSeconds, 1000 draws and 999 permutations; 92 stimuli, 20 subjects\n")
  n <- 92
  subjects <- 20
  set.seed(1)
  set <- draw_set(0.5)
  seconds <- function(...) {
    system.time(quietly(evaluate_rdms(set$data, ..., threads = 1)))[["elapsed"]]
  }
  run <- function(title, models, outer, ...) {
    cat(sprintf("  %-34s %-17s %7.1f with, %7.1f without\n", title, outer,
                seconds(models, outer, ...), seconds(models, outer, ..., permutations = 0)))
  }
  for (outer in c("pearson", "whitened_cosine", "spearman")) {
    run("3 fixed models", set$models[c(1, 1, 1)] |> setNames(c("a", "b", "c")), outer)
    if (outer != "spearman") run("weighted", set$models[2], outer)
  }
  for (outer in c("pearson", "whitened_cosine")) {
    run("fixed, 2 x 2 folds", set$models[1], outer, folds = two_by_two, draws = 100)
    run("weighted, 2 x 2 folds", set$models[2], outer, folds = two_by_two, draws = 100)
    run("not negative, 2 x 2 folds", set$models[3], outer, folds = two_by_two, draws = 100)
  }
}
