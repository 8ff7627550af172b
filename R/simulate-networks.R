# simulate_networks() and simulate_models(): made-up networks and models.

#' Train groups of small networks
#'
#' Networks of a few layers learn to tell classes apart. Those of a group differ in their random
#' numbers only; groups differ in training or size.
#'
#' @param networks number of networks in each group.
#' @param random_labels share of the training labels that are replaced by random classes. This and
#'   the next four arguments hold one number per group, or one for all; their names become those of
#'   the groups.
#' @param shortcut `NULL` (no shortcut features), or the share of the training samples whose
#'   shortcut features show their class; others show a random class.
#' @param input_noise standard deviation of the noise on the features (of standard deviation 1) of
#'   the training samples.
#' @param width number of units of each hidden layer.
#' @param layers number of hidden layers.
#' @param x `NULL` for made data, or a numeric matrix or data frame samples x features.
#' @param labels with `x`: the class of every sample, a factor, strings or numbers.
#' @param test number of test stimuli (by default 120, or a quarter of the rows of `x`); with `x`
#'   also their row numbers.
#' @param train number of training samples (by default 300, or all other rows of `x`).
#' @param classes,features,scatter for made data: the numbers of classes and features, and the
#'   standard deviation within clusters, relative to that of their centres.
#' @param shortcut_test what the shortcut features of the test stimuli show: a `"random"` class, or
#'   nothing (`"absent"`).
#' @param record `"preactivation"` or `"activation"` of the units.
#' @param activation `"relu"` or `"tanh"`.
#' @param optimizer `"adam"`, or `"sgd"` (gradient descent with momentum 0.9).
#' @param rate learning rate; `NULL` for 0.01 (Adam) or 0.05 (gradient descent).
#' @param epochs how often every training sample is seen.
#' @param batch number of training samples in a step.
#' @param ... not used.
#' @return A list of class `repalign_networks`:
#'   * `representations`: the last hidden layers, a named list of matrices (test stimuli x units).
#'   * `models`: all hidden layers, a named list of networks, each a named list of layers.
#'   * `outputs`, `logits`: named lists of matrices (test stimuli x classes), after and before the
#'     softmax.
#'   * `labels`, `group`: factors, the true class of every test stimulus and the group of every
#'     network.
#'   * `truth`: a row per network: its group and settings, `train_accuracy`, `test_accuracy`, and
#'     with random shortcuts `follows_shortcut`, the share of test stimuli for which it predicts the
#'     class that they show.
#'   * `inputs`: the standardized features of the test stimuli.
#'
#'   `summary()`: for each group the mean accuracies `train` and `test`, the `lowest` and the
#'   `highest` test accuracy, and the mean of `follows_shortcut`.
#' @details
#' After the same [set.seed()], calls with the same sizes have the same data.
#'
#' When not to trust it: what tells groups of small networks and easy data apart may not do so in
#' large ones. Digits may differ between machines.
#' @references Klabunde et al. (2025), ICLR, \doi{10.48550/arXiv.2408.00531} (the ReSi benchmark:
#'   designs of groups). Kingma and Ba (2015), ICLR (Adam).
#' @examples
#' set.seed(1)
#' nets <- simulate_networks(networks = 3, random_labels = c(0, 1), train = 150, test = 60)
#' nets
#' benchmark_groups(nets$representations, nets$group, list("cka", "procrustes"))
#'
#' # other data
#' flowers <- simulate_networks(networks = 2, x = iris[1:4], labels = iris$Species)
#' accuracy_difference(flowers$outputs[[1]], flowers$outputs[[2]], flowers$labels)
#' @seealso [benchmark_layers()], [benchmark_outputs()]
#' @export
simulate_networks <- function(networks = 5, random_labels = 0, shortcut = NULL, input_noise = 0,
                              width = 32, layers = 3, x = NULL, labels = NULL, test = NULL,
                              train = NULL, classes = 5, features = 20, scatter = 1,
                              shortcut_test = c("random", "absent"),
                              record = c("preactivation", "activation"),
                              activation = c("relu", "tanh"), optimizer = c("adam", "sgd"),
                              rate = NULL, epochs = 40, batch = 50, ...) {
  need_arguments()
  made_only <- c("classes", "features", "scatter")
  unused <- made_only[!c(missing(classes), missing(features), missing(scatter))]
  networks <- check_count(networks, "networks")
  groups <- network_groups(list(random_labels = random_labels, shortcut = shortcut,
                                input_noise = input_noise, width = width, layers = layers))
  optimizer <- check_choice(optimizer, names(default_rates), "optimizer")
  plan <- list(
    activation = check_choice(activation, names(activations), "activation"), optimizer = optimizer,
    rate = if (is.null(rate)) default_rates[[optimizer]] else check_number(rate, "rate", above = 0),
    epochs = check_count(epochs, "epochs"), batch = check_count(batch, "batch"),
    record = check_choice(record, c("preactivation", "activation"), "record"),
    shortcut_test = check_choice(shortcut_test, c("random", "absent"), "shortcut_test")
  )
  sources <- list(x = x, labels = labels, test = test, train = train, classes = classes,
                  features = features, scatter = scatter)
  seeds <- sample.int(.Machine$integer.max, 1 + nrow(groups), replace = TRUE)
  data <- with_seed(seeds[1], network_data(sources, unused, !is.null(shortcut), plan))
  rows <- nrow(data$test$x)
  units <- sum(as.double(groups$width) * groups$layers) + 3 * length(data$classes) * nrow(groups)
  weights <- max(as.double(groups$width) * (groups$width * groups$layers + ncol(data$test$x)))
  check_memory(8 * (networks * rows * units + 5 * weights), "The networks",
               "Take fewer networks, units, layers or test stimuli.")
  made <- lapply(seq_len(nrow(groups)), function(g) {
    own <- with_seed(seeds[1 + g], sample.int(.Machine$integer.max, networks, replace = TRUE))
    lapply(own, function(seed) with_seed(seed, simulated_network(data, groups[g, ], plan)))
  })
  made <- unlist(made, recursive = FALSE)
  of_group <- rep(seq_len(nrow(groups)), each = networks)
  names <- paste0(groups$group[of_group], if (nrow(groups) > 1) " #",
                  rep(seq_len(networks), nrow(groups)))
  part <- function(what) stats::setNames(lapply(made, `[[`, what), names)
  number <- function(what) vapply(made, `[[`, 0, what)
  as_classes <- function(scores) lapply(scores, `colnames<-`, data$classes)
  truth <- data.frame(network = names, groups[of_group, ],
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

# A data frame with a row for each group: its name and its settings.
network_groups <- function(given) {
  checks <- list(random_labels = check_share, shortcut = check_share,
                 input_noise = check_not_negative, width = check_count, layers = check_count)
  given <- Filter(Negate(is.null), given)
  settings <- each_setting(given, checks[names(given)], "group")
  groups <- data.frame(group = 0, settings$values)
  groups$width <- as.integer(groups$width)
  groups$layers <- as.integer(groups$layers)
  names <- if (nrow(groups) == 1) "network"
  if (!is.null(settings$names)) names <- settings$names
  if (is.null(names)) {
    # groups are called by the settings in which they differ
    varied <- Filter(function(values) length(unique(values)) > 1, groups[-1])
    names <- do.call(paste, c(Map(function(values, arg) {
      percent <- arg %in% c("random_labels", "shortcut")
      text <- if (percent) paste0(vapply(100 * values, format, "", digits = 4), "%") else values
      paste(sub("_", " ", arg), text)
    }, varied, names(varied)), list(sep = ", ")))
    refuse_if(!length(varied) || anyDuplicated(names), "value", "Several groups have the same ",
              "settings: give the groups names, as in random_labels = c(first = 0, second = 0).",
              arg = "random_labels")
  }
  groups$group <- names
  groups
}

# The samples of sources; unused: names of arguments that only made data need. With shortcuts the
# test stimuli may also have `shown`, the class that their shortcut features show.
network_data <- function(sources, unused, shortcuts, plan) {
  refuse_if(is.null(sources$x) && !is.null(sources$labels), "missing", "`labels` are given ",
            "without `x`: give the samples x features as well.", arg = "x")
  warn_if(!is.null(sources$x) && length(unused), "unused", "`{unused[1]}` is not used: it is for ",
          "made data, and `x` is given.", data = unused)
  data <- if (is.null(sources$x)) {
    test <- check_count(if (is.null(sources$test)) 120 else sources$test, "test", 2)
    train <- check_count(if (is.null(sources$train)) 300 else sources$train, "train", 2)
    classes <- check_count(sources$classes, "classes", 2)
    features <- check_count(sources$features, "features")
    scatter <- check_number(sources$scatter, "scatter", above = 0)
    check_memory(24 * (as.double(test) + train) * features, "The samples",
                 "Take fewer samples or features.")
    # samples of classes that no linear rule separates: each class has several clusters
    count <- train + test
    clusters <- classes * clusters_per_class
    centres <- matrix(stats::rnorm(clusters * features), clusters)
    cluster <- sample(rep_len(seq_len(clusters), count))
    x <- centres[cluster, , drop = FALSE] + scatter * matrix(stats::rnorm(count * features), count)
    split_data(x, factor((cluster - 1) %% classes + 1), seq_len(train), train + seq_len(test))
  } else given_data(sources)
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

# Trains one network and tests it: list(layers, logits, outputs, accuracies).
simulated_network <- function(data, setting, plan) {
  classes <- length(data$classes)
  x <- data$train$x
  if (data$shortcuts) {
    shown <- shown_classes(data$train$class, classes, setting$shortcut)
    x <- cbind(x, shortcut_features(shown, classes))
  }
  learned <- replaced_classes(data$train$class, classes, setting$random_labels)
  target <- one_hot(learned, classes)
  network <- new_network(c(ncol(x), rep(setting$width, setting$layers), classes), plan$activation)
  memory <- vector("list", length(network))
  move <- optimizers[[plan$optimizer]]
  step <- 0
  for (epoch in seq_len(plan$epochs)) {
    order <- sample.int(nrow(x))
    seen <- if (setting$input_noise) x + setting$input_noise * stats::rnorm(length(x)) else x
    for (batch in split(order, (seq_along(order) - 1) %/% plan$batch)) {
      gradient <- network_gradient(network, seen[batch, , drop = FALSE],
                                   target[batch, , drop = FALSE], plan$activation)
      step <- step + 1
      for (l in seq_along(network)) {
        moved <- move(network[[l]], gradient[[l]], memory[[l]], plan$rate, step)
        network[[l]] <- moved$weights
        memory[[l]] <- moved$memory
      }
    }
  }
  run <- run_network(network, data$test$x, plan$activation)
  refuse_if(!all(is.finite(unlist(run$sums))), "value", "The training of a network diverged: some ",
            "of its numbers are no longer finite. Give a smaller `rate`.")
  logits <- run$sums[[length(network)]]
  predictions <- predicted(logits)
  trained <- run_network(network, x, plan$activation)$sums[[length(network)]]
  sums <- run$sums[-length(run$sums)]
  if (plan$record == "activation") sums <- lapply(sums, activations[[plan$activation]])
  list(layers = stats::setNames(sums, paste0("layer", seq_along(sums))), logits = logits,
       outputs = softmax(logits), train_accuracy = mean(predicted(trained) == learned),
       test_accuracy = mean(predictions == data$test$class),
       follows_shortcut = mean(predictions == data$test$shown))
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

# ---- models

#' Simulate models that share a layout or neighbourhoods to known degrees
#'
#' The stimuli of a simulated world lie in small patches (neighbourhoods), which have places in a
#' plane, the layout. Each model keeps a part of both and replaces the rest by random values; every
#' layer has its own random weights and noise.
#'
#' @param n number of stimuli.
#' @param width number of units in every layer: one per model, whose name becomes that of the model,
#'   or one for all.
#' @param global how far a model keeps the layout, from 0 to 1: the correlation between its
#'   coordinates of the patches and those of the world.
#' @param local how far a model keeps the neighbourhoods, from 0 to 1: the share of stimuli that
#'   stay in their patches.
#' @param layers number of layers.
#' @param patch number of stimuli in a patch.
#' @param scatter standard deviation of the stimuli within a patch, relative to that between
#'   patches.
#' @param noise standard deviation of the noise of every unit, relative to that of its signal.
#' @param ... not used.
#' @return A list of class `repalign_simulation`: `models`, a named list of models, each a named
#'   list of layers (stimuli x units); `truth`, a data frame with `model`, `width`, `global` and
#'   `local`; `patch`, the patch of every stimulus in the world.
#' @details
#' The layout dominates global measures such as CKA; the patches make nearest neighbours. The
#' correlation of two layouts is the product of the models' values of `global`; the share of
#' neighbours that both have kept is close to that of the squares of `local`.
#'
#' A model with `global = 0` and `local = 0` is unrelated to all others. With `local` above 0,
#' global measures are slightly above chance even if `global` is 0.
#' @examples
#' set.seed(1)
#' family <- simulate_models(n = 120, width = c(small = 20, large = 200), local = c(0.5, 1))
#' similarity(family$models, measure = list("cka", measure("mutual_knn", k = 3)))
#' @seealso [simulate_pair()]
#' @export
simulate_models <- function(n, width, global = 0, local = 0, layers = 1, patch = 4, scatter = 0.4,
                            noise = 1, ...) {
  need_arguments()
  patch <- check_count(patch, "patch", 2)
  n <- check_count(n, "n")
  refuse_if(n < 2 * patch, "value", "`n` is {n}, but two patches of `patch` = {patch} stimuli ",
            "need {2 * patch}: take more stimuli or smaller patches.")
  settings <- each_setting(list(width = width, global = global, local = local),
                           list(width = check_count, global = check_share, local = check_share),
                           "model")
  values <- settings$values
  names <- settings$names
  if (is.null(names)) names <- paste0("model", seq_along(values$width))
  truth <- data.frame(model = names, width = as.integer(values$width), global = values$global,
                      local = values$local)
  layers <- check_count(layers, "layers")
  scatter <- check_number(scatter, "scatter", above = 0)
  noise <- check_not_negative(noise, "noise")
  check_memory(8 * as.double(n) * (layers * sum(as.double(truth$width)) + 2 * max(truth$width)),
               "The simulated models", "Take fewer stimuli, units or layers.")
  patch <- (seq_len(n) - 1) %/% patch + 1
  count <- max(patch)
  shared <- matrix(stats::rnorm(count * 2), ncol = 2)
  models <- lapply(seq_len(nrow(truth)), function(m) {
    # the stimuli in the space of one model, stimuli x dimensions, with total variance 1
    own <- patch
    moved <- sample.int(n, round((1 - truth$local[m]) * n))
    own[moved] <- own[moved[sample.int(length(moved))]]
    # the shared part of the layout follows the patches of the world, even for stimuli that this
    # model has moved to other patches
    new <- matrix(stats::rnorm(count * 2), count)
    share <- truth$global[m]
    layout <- share * shared[patch, ] + sqrt(1 - share^2) * new[own, ]
    centres <- matrix(stats::rnorm(count * patch_dimensions), count)
    stimuli <- cbind(layout_spread * layout, centres[own, ])
    stimuli <- stimuli + scatter * stats::rnorm(length(stimuli))
    stimuli <- stimuli / sqrt(sum(apply(stimuli, 2, stats::var)))
    parts <- lapply(seq_len(layers), function(l) {
      # neurons are random combinations of the dimensions, with signals of variance 1 on average
      weights <- matrix(stats::rnorm(ncol(stimuli) * truth$width[m]), ncol(stimuli))
      signal <- stimuli %*% weights
      signal + noise * stats::rnorm(length(signal))
    })
    stats::setNames(parts, paste0("layer", seq_len(layers)))
  })
  structure(list(models = stats::setNames(models, truth$model), truth = truth, patch = patch),
            class = "repalign_simulation")
}

layout_spread <- 3

patch_dimensions <- 16

# ---- network data

# The data of simulate_networks(): made or given, split into training samples and test stimuli.
# Either part is a list of `x`, a matrix of standardized features, and `class`, class numbers.

clusters_per_class <- 3

given_data <- function(given) {
  x <- as_numeric_matrix(given$x, "x")
  n <- nrow(x)
  labels <- given$labels
  if (is.null(labels)) label_error("must be given with `x`: the class of every row")
  refuse_if(!is.atomic(labels) || length(dim(labels)) > 1, "labels", "`labels` must hold the ",
            "class of every row of `x`, not be {describe(labels)}.")
  refuse_if(length(labels) != n, "labels", "`labels` has {count_of(length(labels), 'value')}, but ",
            "`x` has {count_of(n, 'row')}: give one per row.")
  if (anyNA(labels)) label_error("is missing (NA) in row ", which(is.na(labels))[1])
  # a factor without empty levels
  labels <- droplevels(as.factor(if (is.factor(labels)) labels else as.vector(labels)))
  if (nlevels(labels) < 2) label_error("names one class only: two or more are needed")
  test <- if (is.null(given$test)) n %/% 4 else given$test
  test <- if (length(test) == 1) sample.int(n, check_count_below(test, "test", n - 1)) else {
    usable <- is.numeric(test) && length(test) > 1 && all(is.finite(test)) &&
      all(test == round(test) & test >= 1 & test <= n) && !anyDuplicated(test)
    refuse_if(!usable, "value", "`test` must be the number of test stimuli, or different row ",
              "numbers of `x` (1 to {n}).")
    refuse_if(length(test) > n - 2, "value", "`test` names {length(test)} of the {n} rows of `x`: ",
              "leave two or more to train on.")
    as.integer(test)
  }
  rest <- setdiff(seq_len(n), test)
  most <- length(rest)
  train <- if (is.null(given$train)) most else check_count_below(given$train, "train", most + 1)
  # a test set that was drawn comes in the order of the rows of x
  if (length(given$test) <= 1) test <- sort(test)
  split_data(x, labels, if (train < most) sample(rest, train) else rest, test)
}

check_count_below <- function(value, arg, limit) {
  value <- check_count(value, arg, 2)
  refuse_if(value >= limit, "value", "`{arg}` is {value}, but at most {limit - 1} of the rows of ",
            "`x` can be {arg} samples.")
  value
}

split_data <- function(x, labels, train, test) {
  absent <- setdiff(levels(labels), labels[train])
  refuse_if(length(absent), "labels", "`labels` names {quoted(absent[1])}, but no training sample ",
            "is of this class: take more samples, or other test stimuli.")
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

# ---- network training

# The networks of simulate_networks(): layers of units that are all connected, trained by gradient
# descent on the cross-entropy of a softmax. A network is its list of weights, one matrix a layer
# (inputs x units), whose last row has the biases.

new_network <- function(sizes, activation) {
  gain <- if (activation == "relu") 2 else 1
  lapply(seq_along(sizes)[-1], function(l) {
    weights <- stats::rnorm(sizes[l - 1] * sizes[l], sd = sqrt(gain / sizes[l - 1]))
    rbind(matrix(weights, sizes[l - 1]), 0)
  })
}

activations <- list(relu = function(sums) pmax(sums, 0), tanh = tanh)

# The derivative of each activation, from its value.
slopes <- list(relu = function(active) active > 0, tanh = function(active) 1 - active^2)

# What a network makes of the rows of x: `inputs`, what each layer reads, with a last column of
# ones; `sums`, what the units of each layer sum up, of which the last one holds the logits.
run_network <- function(network, x, activation) {
  inputs <- sums <- vector("list", length(network))
  for (l in seq_along(network)) {
    inputs[[l]] <- cbind(x, 1)
    sums[[l]] <- inputs[[l]] %*% network[[l]]
    if (l < length(network)) x <- activations[[activation]](sums[[l]])
  }
  list(inputs = inputs, sums = sums)
}

softmax <- function(logits) as_probabilities(logits, "logit", "logits", 0)

# The gradient of the mean cross-entropy, a matrix for each layer. target: stimuli x classes.
network_gradient <- function(network, x, target, activation) {
  run <- run_network(network, x, activation)
  error <- (softmax(run$sums[[length(network)]]) - target) / nrow(x)
  gradient <- network
  for (l in rev(seq_along(network))) {
    gradient[[l]] <- crossprod(run$inputs[[l]], error)
    if (l > 1) {
      biases <- nrow(network[[l]])
      active <- run$inputs[[l]][, -biases, drop = FALSE]
      error <- tcrossprod(error, network[[l]][-biases, , drop = FALSE]) *
        slopes[[activation]](active)
    }
  }
  gradient
}

# Each optimizer is a function of the weights of a layer, their gradient, what it remembers of that
# layer, the rate and the number of the step; it returns the new weights and what to remember.
optimizers <- list(
  sgd = function(weights, gradient, memory, rate, step) {
    speed <- 0.9 * (if (is.null(memory)) 0 else memory) + gradient
    list(weights = weights - rate * speed, memory = speed)
  },
  # Kingma and Ba (2015), with the decay rates that they give
  adam = function(weights, gradient, memory, rate, step) {
    if (is.null(memory)) memory <- list(mean = 0, square = 0)
    memory$mean <- 0.9 * memory$mean + 0.1 * gradient
    memory$square <- 0.999 * memory$square + 0.001 * gradient^2
    size <- rate * sqrt(1 - 0.999^step) / (1 - 0.9^step)
    list(weights = weights - size * memory$mean / (sqrt(memory$square) + 1e-8), memory = memory)
  }
)

default_rates <- c(adam = 0.01, sgd = 0.05)
