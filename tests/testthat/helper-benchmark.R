# Models in groups, and files of them, for the tests of the benchmarks.

# Three groups of `each` models that share more with their own kind.
grouped_models <- function(each = 3, n = 24, columns = 4, seed = 1) {
  set.seed(seed)
  kinds <- lapply(1:3, function(kind) matrix(rnorm(n * columns), n))
  models <- lapply(seq_len(3 * each), function(k) {
    kinds[[ceiling(k / each)]] + matrix(rnorm(n * columns, sd = 1.5), n)
  })
  stats::setNames(models, paste0("net", seq_along(models)))
}

groups_of <- function(models) rep(c("a", "b", "c"), each = length(models) / 3)

# A manifest of files in a folder that ends with the test.
manifest_of <- function(matrices, ..., frame = parent.frame()) {
  folder <- withr::local_tempdir(.local_envir = frame)
  files <- file.path(folder, paste0(gsub("/", "-", names(matrices)), ".rds"))
  for (k in seq_along(matrices)) saveRDS(matrices[[k]], files[k])
  data.frame(file = files, ...)
}

# Layers that drift away from the first one.
drifting_models <- function(models = 3, layers = 5, n = 24) {
  set.seed(2)
  lapply(stats::setNames(seq_len(models), paste0("m", seq_len(models))), function(model) {
    steps <- lapply(seq_len(layers), function(layer) matrix(rnorm(n * 4), n))
    stats::setNames(Reduce(`+`, steps, accumulate = TRUE), paste0("l", seq_len(layers)))
  })
}

# An own measure that fails for the pair of `a` and `b`.
failing_measure <- function(a, b, label = "fails") {
  new_measure(function(x, y) {
    if (identical(x, a) && identical(y, b) || identical(x, b) && identical(y, a)) stop("no luck")
    sum(x * y)
  }, "similarity", symmetric = TRUE, label = label)
}
