# The data of simulate_networks(): made or given, split into training samples and test stimuli.
# Either part is a list of `x`, a matrix of standardized features, and `class`, class numbers.

clusters_per_class <- 3

# Samples of classes that no linear rule separates: each class has several clusters.
made_samples <- function(count, classes, features, scatter) {
  clusters <- classes * clusters_per_class
  centres <- matrix(stats::rnorm(clusters * features), clusters)
  cluster <- sample(rep_len(seq_len(clusters), count))
  x <- centres[cluster, , drop = FALSE] + scatter * matrix(stats::rnorm(count * features), count)
  list(x = x, labels = factor((cluster - 1) %% classes + 1))
}

made_data <- function(given) {
  test <- check_count(if (is.null(given$test)) 120 else given$test, "test", 2)
  train <- check_count(if (is.null(given$train)) 300 else given$train, "train", 2)
  classes <- check_count(given$classes, "classes", 2)
  features <- check_count(given$features, "features")
  scatter <- check_number(given$scatter, "scatter", above = 0)
  check_memory(24 * (as.double(test) + train) * features, "The samples",
               "Take fewer samples or features.")
  samples <- made_samples(train + test, classes, features, scatter)
  split_data(samples$x, samples$labels, seq_len(train), train + seq_len(test))
}

given_data <- function(given) {
  x <- as_numeric_matrix(given$x, "x")
  labels <- check_sample_classes(given$labels, nrow(x))
  n <- nrow(x)
  test <- if (is.null(given$test)) n %/% 4 else given$test
  test <- if (length(test) == 1) sample.int(n, check_count_below(test, "test", n - 1)) else
    check_test_rows(test, n)
  rest <- setdiff(seq_len(n), test)
  most <- length(rest)
  train <- if (is.null(given$train)) most else check_count_below(given$train, "train", most + 1)
  # a test set that was drawn comes in the order of the rows of x
  if (length(given$test) <= 1) test <- sort(test)
  split_data(x, labels, if (train < most) sample(rest, train) else rest, test)
}

check_count_below <- function(value, arg, limit) {
  value <- check_count(value, arg, 2)
  if (value < limit) return(value)
  abort("`", arg, "` is ", value, ", but at most ", limit - 1, " of the rows of `x` can be ", arg,
        " samples.", class = "repalign_error_value", arg = arg)
}

check_test_rows <- function(rows, n) {
  usable <- is.numeric(rows) && length(rows) > 1 && all(is.finite(rows)) &&
    all(rows == round(rows) & rows >= 1 & rows <= n) && !anyDuplicated(rows)
  if (!usable) {
    abort("`test` must be the number of test stimuli, or different row numbers of `x` (1 to ", n,
          ").", class = "repalign_error_value", arg = "test")
  }
  if (length(rows) > n - 2) {
    abort("`test` names ", length(rows), " of the ", n, " rows of `x`: leave two or more to ",
          "train on.", class = "repalign_error_value", arg = "test")
  }
  as.integer(rows)
}

# The labels as a factor without empty levels.
check_sample_classes <- function(labels, n) {
  if (is.null(labels)) label_error("must be given with `x`: the class of every row")
  if (!is.atomic(labels) || length(dim(labels)) > 1) {
    label_error("must hold the class of every row of `x`, not be ", describe(labels))
  }
  if (length(labels) != n) {
    label_error("has ", length(labels), " values, but `x` has ", n, " rows: give one per row")
  }
  if (anyNA(labels)) label_error("is missing (NA) in row ", which(is.na(labels))[1])
  labels <- droplevels(as.factor(if (is.factor(labels)) labels else as.vector(labels)))
  if (nlevels(labels) < 2) label_error("names one class only: two or more are needed")
  labels
}

split_data <- function(x, labels, train, test) {
  absent <- setdiff(levels(labels), labels[train])
  if (length(absent)) {
    label_error("names ", dQuote(absent[1], FALSE), ", but no training sample is of this class: ",
                "take more samples, or other test stimuli")
  }
  means <- colMeans(x[train, , drop = FALSE])
  sds <- apply(x[train, , drop = FALSE], 2, stats::sd)
  sds[sds == 0] <- 1
  part <- function(rows) {
    list(x = sweep(sweep(x[rows, , drop = FALSE], 2, means), 2, sds, "/"),
         class = as.integer(labels)[rows])
  }
  list(train = part(train), test = part(test), classes = levels(labels))
}

one_hot <- function(class, classes) diag(classes)[class, , drop = FALSE]

# The class that the shortcut feature of each sample shows: the true one for a share of them, drawn
# at random, and one drawn at random for the others.
shown_classes <- function(class, classes, share) {
  replaced_classes(class, classes, 1 - share)
}

# A share of the class numbers is replaced by others, drawn from all classes.
replaced_classes <- function(class, classes, share) {
  rows <- sample.int(length(class), round(share * length(class)))
  class[rows] <- sample.int(classes, length(rows), replace = TRUE)
  class
}

shortcut_features <- function(shown, classes) shortcut_size * one_hot(shown, classes)

# The features have a standard deviation of 1; a shortcut is larger, so that networks take it.
shortcut_size <- 2
