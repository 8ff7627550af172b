# simulate_networks() trains groups of small networks that differ in what or how they have learned.

#' Train groups of small networks
#'
#' Networks of a few layers learn to tell classes apart, in a fraction of a second each. The
#' networks of a group differ in their random numbers only; the groups differ in the share of
#' random labels, in a shortcut feature, in input noise or in size. All representations and
#' outputs of the test stimuli are kept, in the shapes that [similarity()] and
#' [benchmark_groups()] and its relatives take.
#'
#' @param networks number of networks in each group.
#' @param random_labels share of the training labels that are replaced by classes drawn at
#'   random, from 0 to 1. This and the next four arguments hold one number per group, or one
#'   for all groups. Their names become the names of the groups.
#' @param shortcut `NULL`, or the share of the training samples whose shortcut features show
#'   the class of the sample, from 0 to 1; those of the other samples show a class drawn at
#'   random. With `NULL` there are no shortcut features.
#' @param input_noise standard deviation of the noise that is added to the features of the
#'   training samples, drawn anew in every epoch. The features themselves have a standard
#'   deviation of 1.
#' @param width number of units of each hidden layer.
#' @param layers number of hidden layers.
#' @param x `NULL` for made data, or samples x features: a numeric matrix or data frame.
#' @param labels with `x`: the class of every sample, a factor, strings or numbers.
#' @param test number of test stimuli (by default 120, or a quarter of the rows of `x`), drawn
#'   at random; with `x` also the row numbers of the test stimuli.
#' @param train number of training samples. By default 300, or all rows of `x` that are no
#'   test stimuli.
#' @param classes,features,scatter for made data: the number of classes, the number of
#'   features, and the standard deviation of the samples about the centre of their cluster,
#'   relative to that of the centres. The larger it is, the harder the classes are to tell
#'   apart.
#' @param shortcut_test what the shortcut features of the test stimuli show: `"random"`, a
#'   class drawn at random, the same for all networks, or `"absent"`, nothing.
#' @param record what the representation of a layer is: the sums of its units before their
#'   activation (`"preactivation"`), or after it (`"activation"`).
#' @param activation `"relu"` or `"tanh"`.
#' @param optimizer `"adam"`, or `"sgd"` for gradient descent with momentum 0.9.
#' @param rate learning rate; `NULL` for 0.01 (Adam) or 0.05 (gradient descent).
#' @param epochs number of times that every training sample is seen.
#' @param batch number of training samples in a step.
#' @return A list of class `repalign_networks`:
#'   * `representations`: the last hidden layer of every network, a named list of matrices
#'     (test stimuli x units).
#'   * `models`: all hidden layers, a named list of networks, each a named list of layers.
#'   * `outputs`, `logits`: named lists of matrices (test stimuli x classes), probabilities
#'     and what the softmax made them of.
#'   * `labels`: the true class of every test stimulus, a factor.
#'   * `group`: the group of every network, a factor.
#'   * `truth`: a data frame with a row per network: its group and settings, its accuracy for
#'     the training labels that it learned (`train_accuracy`) and for the true classes of the
#'     test stimuli (`test_accuracy`), and with random shortcuts the share of test stimuli for
#'     which it predicts the class that they show (`follows_shortcut`).
#'   * `inputs`: the features of the test stimuli, standardized by the training samples.
#'
#'   `summary()` gives a data frame with a row per group: the mean accuracies `train` and
#'   `test`, the `lowest` and the `highest` test accuracy, and the mean of `follows_shortcut`.
#' @details
#' A made class has three clusters of samples in random places, so that a hidden layer is
#' needed to tell the classes apart. The shortcut features are one per class: 2 for the class
#' that they show, and 0 for the others. Random labels and shown classes are drawn from all
#' classes, so that some of them are right by chance; with a share of 1, labels say nothing
#' about the features.
#'
#' All networks are tested with the same stimuli. Every network has a seed of its own, which
#' draws its training labels, shortcuts, initial weights, batches and noise. So a network
#' does not depend on how many others are trained; it depends on the place of its group among
#' the groups, and on the state of R's generator. After the same [set.seed()], calls with the
#' same sizes have the same data, whatever their groups. The representations before the activation
#' are the default because a unit that is never active has no variance after it, and some
#' measures refuse such units.
#'
#' When not to trust it: these are small networks and easy data. What tells groups apart here
#' may not do so in large networks. Training multiplies rounding errors, so digits
#' may differ between machines.
#' @references Klabunde et al. (2025), ICLR (the ReSi benchmark), for the designs of the
#'   groups. Kingma and Ba (2015), ICLR, for Adam.
#' @examples
#' set.seed(1)
#' nets <- simulate_networks(networks = 3, random_labels = c(0, 1), train = 150, test = 60)
#' nets
#' benchmark_groups(nets$representations, nets$group, list("cka", "procrustes", "mutual_knn"))
#'
#' # other data: a quarter of the flowers is tested
#' flowers <- simulate_networks(networks = 2, x = iris[1:4], labels = iris$Species)
#' accuracy_difference(flowers$outputs[[1]], flowers$outputs[[2]], flowers$labels)
#' @seealso [benchmark_groups()], [benchmark_layers()], [benchmark_outputs()], [simulate_models()];
#'   `vignette("which-measure-fits")`
#' @export
simulate_networks <- function(networks = 5, random_labels = 0, shortcut = NULL, input_noise = 0,
                              width = 32, layers = 3, x = NULL, labels = NULL, test = NULL,
                              train = NULL, classes = 5, features = 20, scatter = 1,
                              shortcut_test = c("random", "absent"),
                              record = c("preactivation", "activation"),
                              activation = c("relu", "tanh"), optimizer = c("adam", "sgd"),
                              rate = NULL, epochs = 40, batch = 50) {
  made_only <- c("classes", "features", "scatter")
  unused <- made_only[!c(missing(classes), missing(features), missing(scatter))]
  networks <- check_count(networks, "networks")
  groups <- network_groups(list(random_labels = random_labels, shortcut = shortcut,
                                input_noise = input_noise, width = width, layers = layers))
  plan <- network_plan(activation, optimizer, rate, epochs, batch, record, shortcut_test)
  sources <- list(x = x, labels = labels, test = test, train = train, classes = classes,
                  features = features, scatter = scatter)
  seeds <- sample.int(.Machine$integer.max, 1 + nrow(groups), replace = TRUE)
  data <- with_seed(seeds[1], network_data(sources, unused, !is.null(shortcut), plan))
  check_network_sizes(data, groups, networks)
  made <- lapply(seq_len(nrow(groups)), function(g) {
    own <- with_seed(seeds[1 + g], sample.int(.Machine$integer.max, networks, replace = TRUE))
    lapply(own, function(seed) with_seed(seed, simulated_network(data, groups[g, ], plan)))
  })
  networks_result(unlist(made, recursive = FALSE), groups, networks, data)
}

# A data frame with a row for each group: its name and its settings.
network_groups <- function(given) {
  checks <- list(random_labels = check_share, shortcut = check_share,
                 input_noise = check_not_negative, width = check_count, layers = check_count)
  given <- Filter(Negate(is.null), given)
  settings <- each_setting(given, checks[names(given)], "group")
  groups <- data.frame(group = 0, settings$values)
  groups$width <- as.integer(groups$width)
  groups$layers <- as.integer(groups$layers)
  groups$group <- if (is.null(settings$names)) described_groups(groups[-1]) else settings$names
  groups
}

# Groups are called by the settings in which they differ.
described_groups <- function(settings) {
  varied <- names(settings)[lengths(lapply(settings, unique)) > 1]
  if (nrow(settings) == 1) return("network")
  labels <- do.call(paste, c(lapply(varied, function(arg) {
    values <- settings[[arg]]
    if (!arg %in% c("random_labels", "shortcut")) return(paste(sub("_", " ", arg), values))
    paste0(sub("_", " ", arg), " ", vapply(100 * values, format, "", digits = 4), "%")
  }), list(sep = ", ")))
  if (!length(varied) || anyDuplicated(labels)) {
    abort("Several groups have the same settings: give the groups names, as in random_labels = ",
          "c(first = 0, second = 0).", class = "repalign_error_value", arg = "random_labels")
  }
  labels
}

network_plan <- function(activation, optimizer, rate, epochs, batch, record, shortcut_test) {
  optimizer <- check_choice(optimizer, names(default_rates), "optimizer")
  list(
    activation = check_choice(activation, names(activations), "activation"), optimizer = optimizer,
    rate = if (is.null(rate)) default_rates[[optimizer]] else check_number(rate, "rate", above = 0),
    epochs = check_count(epochs, "epochs"), batch = check_count(batch, "batch"),
    record = check_choice(record, c("preactivation", "activation"), "record"),
    shortcut_test = check_choice(shortcut_test, c("random", "absent"), "shortcut_test")
  )
}

# The samples of sources; unused: names of arguments that only made data need. With shortcuts the
# test stimuli may also have `shown`, the class that their shortcut features show.
network_data <- function(sources, unused, shortcuts, plan) {
  if (is.null(sources$x) && !is.null(sources$labels)) {
    abort("`labels` are given without `x`: give the samples x features as well.",
          class = "repalign_error_missing", arg = "x")
  }
  if (!is.null(sources$x) && length(unused)) {
    warn("`", unused[1], "` is not used: it is for made data, and `x` is given.",
         class = "repalign_unused", data = unused)
  }
  data <- if (is.null(sources$x)) made_data(sources) else given_data(sources)
  data$shortcuts <- shortcuts
  if (!shortcuts) return(data)
  classes <- length(data$classes)
  count <- length(data$test$class)
  features <- matrix(0, count, classes)
  if (plan$shortcut_test == "random") {
    data$test$shown <- sample.int(classes, count, replace = TRUE)
    features <- shortcut_features(data$test$shown, classes)
  }
  data$test$x <- cbind(data$test$x, features)
  data
}

check_network_sizes <- function(data, groups, networks) {
  rows <- nrow(data$test$x)
  units <- sum(as.double(groups$width) * groups$layers) + 3 * length(data$classes) * nrow(groups)
  weights <- max(as.double(groups$width) * (groups$width * groups$layers + ncol(data$test$x)))
  check_memory(8 * (networks * rows * units + 5 * weights), "The networks",
               "Take fewer networks, units, layers or test stimuli.")
}

# Trains one network and tests it: list(layers, logits, outputs, accuracies).
simulated_network <- function(data, setting, plan) {
  classes <- length(data$classes)
  x <- data$train$x
  if (data$shortcuts) {
    shown <- shown_classes(data$train$class, classes, setting$shortcut)
    x <- cbind(x, shortcut_features(shown, classes))
  }
  learned <- replaced_classes(data$train$class, classes, setting$random_labels)
  plan$sizes <- c(ncol(x), rep(setting$width, setting$layers), classes)
  plan$input_noise <- setting$input_noise
  network <- trained_network(x, one_hot(learned, classes), plan)
  run <- run_network(network, data$test$x, plan$activation)
  check_finite_run(run$sums)
  logits <- run$sums[[length(network)]]
  predictions <- predicted(logits)
  trained <- run_network(network, x, plan$activation)$sums[[length(network)]]
  list(layers = recorded_layers(run, plan), logits = logits,
       outputs = softmax(logits), train_accuracy = mean(predicted(trained) == learned),
       test_accuracy = mean(predictions == data$test$class),
       follows_shortcut = mean(predictions == data$test$shown))
}

check_finite_run <- function(sums) {
  if (all(is.finite(unlist(sums)))) return(invisible())
  abort("The training of a network diverged: some of its numbers are no longer finite. ",
        "Give a smaller `rate`.", class = "repalign_error_value", arg = "rate")
}

recorded_layers <- function(run, plan) {
  sums <- run$sums[-length(run$sums)]
  if (plan$record == "activation") sums <- lapply(sums, activations[[plan$activation]])
  stats::setNames(sums, paste0("layer", seq_along(sums)))
}

networks_result <- function(made, groups, networks, data) {
  group <- rep(groups$group, each = networks)
  names <- paste0(group, if (nrow(groups) > 1) " #", rep(seq_len(networks), nrow(groups)))
  part <- function(what) stats::setNames(lapply(made, `[[`, what), names)
  number <- function(what) vapply(made, `[[`, 0, what)
  as_classes <- function(scores) lapply(scores, `colnames<-`, data$classes)
  truth <- data.frame(network = names, groups[rep(seq_len(nrow(groups)), each = networks), ],
                      train_accuracy = number("train_accuracy"),
                      test_accuracy = number("test_accuracy"), row.names = NULL)
  truth$group <- factor(truth$group, groups$group)
  if (!is.null(data$test$shown)) truth$follows_shortcut <- number("follows_shortcut")
  models <- part("layers")
  structure(list(representations = lapply(models, function(layers) layers[[length(layers)]]),
                 models = models, outputs = as_classes(part("outputs")),
                 logits = as_classes(part("logits")),
                 labels = factor(data$classes[data$test$class], data$classes),
                 group = truth$group, truth = truth, inputs = data$test$x),
            class = "repalign_networks")
}

#' @export
summary.repalign_networks <- function(object, ...) {
  no_other_arguments(...)
  truth <- object$truth
  rows <- split(seq_len(nrow(truth)), truth$group)
  mean_of <- function(column) vapply(rows, function(at) mean(truth[[column]][at]), 0)
  range_of <- function(which) vapply(rows, function(at) which(truth$test_accuracy[at]), 0)
  found <- data.frame(group = names(rows), networks = lengths(rows),
                      train = mean_of("train_accuracy"), test = mean_of("test_accuracy"),
                      lowest = range_of(min), highest = range_of(max), row.names = NULL)
  if (!is.null(truth$follows_shortcut)) found$follows_shortcut <- mean_of("follows_shortcut")
  found
}

#' @export
print.repalign_networks <- function(x, digits = 2, ...) {
  no_other_arguments(...)
  digits <- check_count(digits, "digits")
  layers <- range(x$truth$layers)
  cat("<simulated networks> ", count_of(nrow(x$truth), "network"), ", ",
      if (layers[1] < layers[2]) paste0(layers[1], " to "), count_of(layers[2], "hidden layer"),
      ", ", nrow(x$inputs), " test stimuli of ", nlevels(x$labels), " classes\n", sep = "")
  print(summary(x), digits = digits, row.names = FALSE)
  invisible(x)
}
