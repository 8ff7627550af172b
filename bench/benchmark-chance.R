# Rscript bench/benchmark-chance.R [scores]
#
# What the benchmarks give by chance, as their help pages say it: mean quality of random scores, and
# how often unrelated models get a p-value of at most 0.05 when models or pairs are permuted.

library(repalign)

count <- as.integer(c(commandArgs(trailingOnly = TRUE), "1000")[1])
set.seed(1)

# A table of scores with `count` measures, each a distance between all pairs of models. distances:
# a function() that gives those of one measure as a matrix.
random_table <- function(names, distances) {
  at <- which(upper.tri(diag(length(names))), arr.ind = TRUE)
  parts <- lapply(seq_len(count), function(k) {
    data.frame(x = names[at[, 1]], y = names[at[, 2]], measure = paste0("m", k),
               score = distances()[at], direction = "distance")
  })
  do.call(rbind, parts)
}

# The mean value, and the mean of what the column `chance` says.
mean_values <- function(result) {
  result <- result[result$part == "all", ]
  sapply(c("value", "chance"), function(column) {
    round(tapply(result[[column]], result$metric, mean, na.rm = TRUE), 3)
  })
}

for (size in c(3, 5)) {
  names <- paste0("net", seq_len(3 * size))
  groups <- rep(c("a", "b", "c"), each = size)
  kinds <- list(`independent scores` = function() matrix(runif(9 * size^2), 3 * size),
                `distances of points` = function() as.matrix(dist(matrix(rnorm(6 * size), 3 * size))))
  for (kind in names(kinds)) for (definition in c("published", "paper")) {
    cat("Groups: three of ", size, ", ", kind, ", ", definition, "\n", sep = "")
    print(mean_values(benchmark_groups(names, groups, definition = definition,
                                       scores = random_table(names, kinds[[kind]]),
                                       model_permutations = 99)))
  }
}

cat("\nLayers: five, independent scores\n")
layers <- list(net = paste0("layer", 1:5))
scores <- random_table(paste0("net/layer", 1:5), function() matrix(runif(25), 5))
for (definition in c("published", "paper")) {
  print(mean_values(benchmark_layers(layers, definition = definition, scores = scores)))
}

# Every model has a place of its own in d dimensions, inside and in its accuracy, without relation.
cat("\nShare of p-values of at most 0.05, unrelated models:\n")
for (models in c(6, 10, 20)) {
  names <- paste0("net", seq_len(models))
  scores <- random_table(names, function() as.matrix(dist(matrix(rnorm(2 * models), models))))
  accuracy <- rnorm(models)
  for (permute in c("models", "pairs")) {
    result <- benchmark_outputs(names, NULL, scores = scores, accuracy = accuracy,
                                permute = permute, model_permutations = 499)
    cat(models, "models, outputs, permute =", permute, mean(result$p_value <= 0.05), "\n")
  }
}

names <- paste0("net", 1:15)
scores <- random_table(names, function() as.matrix(dist(matrix(rnorm(30), 15))))
result <- benchmark_groups(names, groups, scores = scores, model_permutations = 499)
whole <- result[result$part == "all", ]
cat("15 models in three groups:\n")
print(tapply(whole$p_value <= 0.05, whole$metric, mean))
