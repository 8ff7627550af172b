# simulate_networks(): gradients, what networks learn, which random numbers they depend on, errors.

seeded <- function(seed, ...) {
  set.seed(seed)
  simulate_networks(...)
}

loss_of <- function(network, x, target, activation) {
  logits <- run_network(network, x, activation)$sums[[length(network)]]
  -mean(rowSums(target * log(exp(logits) / rowSums(exp(logits)))))
}

test_that("gradients are those of the cross-entropy, by differences", {
  set.seed(1)
  x <- matrix(rnorm(21), 7)
  target <- one_hot(sample(3, 7, TRUE), 3)
  for (activation in c("relu", "tanh")) {
    network <- new_network(c(3, 5, 4, 3), activation)
    # biases of 0 would put units of dead inputs right on the corner of relu
    network <- lapply(network, function(w) w + 0.1 * rnorm(length(w)))
    gradient <- network_gradient(network, x, target, activation)
    for (l in seq_along(network)) {
      by_difference <- vapply(seq_along(network[[l]]), function(i) {
        moved <- function(h) {
          network[[l]][i] <- network[[l]][i] + h
          loss_of(network, x, target, activation)
        }
        (moved(1e-5) - moved(-1e-5)) / 2e-5
      }, 0)
      expect_equal(as.vector(gradient[[l]]), by_difference, tolerance = 1e-6)
    }
  }
})

test_that("one step of each optimizer is what its definition says", {
  w <- matrix(c(1, 2), 1)
  g <- matrix(c(0.5, -4), 1)
  first <- optimizers$adam(w, g, NULL, 0.1, 1)
  expect_equal(first$weights, w - 0.1 * sign(g), tolerance = 1e-6)
  second <- optimizers$adam(first$weights, 3 * g, first$memory, 0.1, 2)
  mean <- (0.9 * 0.1 * g + 0.1 * 3 * g) / (1 - 0.9^2)
  square <- (0.999 * 0.001 * g^2 + 0.001 * 9 * g^2) / (1 - 0.999^2)
  expect_equal(second$weights, first$weights - 0.1 * mean / sqrt(square), tolerance = 1e-6)
  first <- optimizers$sgd(w, g, NULL, 0.1, 1)
  expect_equal(first$weights, w - 0.1 * g)
  expect_equal(optimizers$sgd(w, g, first$memory, 0.1, 2)$weights, w - 0.1 * 1.9 * g)
})

test_that("networks learn, random labels are learned by heart", {
  nets <- seeded(2, 2, random_labels = c(none = 0, half = 0.5, all = 1))
  found <- summary(nets)
  expect_identical(found$group, c("none", "half", "all"))
  expect_true(all(found$train > 0.97))
  expect_gt(found$test[1], 0.7)
  expect_lt(found$test[2], found$lowest[1] - 0.1)
  expect_lt(abs(found$test[3] - 0.2), 0.12)
  for (setting in list(list(activation = "tanh"), list(optimizer = "sgd"))) {
    found <- summary(do.call(seeded, c(list(2, 1), setting)))
    expect_gt(found$train, 0.95)
    expect_gt(found$test, 0.65)
  }
})

test_that("networks take shortcuts, and input noise keeps them from learning by heart", {
  nets <- seeded(3, 2, shortcut = c(0, 1))
  found <- summary(nets)
  expect_identical(found$group, c("shortcut 0%", "shortcut 100%"))
  expect_lt(found$highest[2], found$lowest[1] - 0.15)
  expect_lt(found$follows_shortcut[1], 0.35)
  expect_gt(found$follows_shortcut[2], 0.5)
  absent <- seeded(3, 1, shortcut = c(0, 1), shortcut_test = "absent")
  expect_null(absent$truth$follows_shortcut)
  expect_true(all(absent$inputs[, 21:25] == 0))
  noisy <- seeded(3, 1, input_noise = c(0, 3), random_labels = 1)
  expect_gt(noisy$truth$train_accuracy[1], 0.95)
  expect_lt(noisy$truth$train_accuracy[2], 0.8)
})

test_that("classes are replaced and shown as often as asked for", {
  set.seed(4)
  class <- rep(1:4, each = 1000)
  expect_identical(replaced_classes(class, 4, 0), class)
  expect_equal(mean(replaced_classes(class, 4, 0.4) == class), 0.7, tolerance = 0.03)
  expect_equal(mean(shown_classes(class, 4, 0.4) == class), 0.55, tolerance = 0.03)
  expect_identical(shown_classes(class, 4, 1), class)
})

test_that("results have the shapes and names that the benchmarks take", {
  nets <- seeded(5, 2, width = c(small = 6, large = 9), layers = c(1, 3), train = 60, test = 30)
  names <- c("small #1", "small #2", "large #1", "large #2")
  for (part in c("representations", "models", "outputs", "logits")) {
    expect_named(nets[[part]], names)
  }
  expect_identical(nets$group, factor(rep(c("small", "large"), each = 2), c("small", "large")))
  expect_identical(vapply(nets$models, length, 0L), c(1L, 1L, 3L, 3L), ignore_attr = TRUE)
  expect_identical(nets$representations[[4]], nets$models[[4]]$layer3)
  expect_identical(dim(nets$representations[[4]]), c(30L, 9L))
  expect_equal(unname(rowSums(nets$outputs[[1]])), rep(1, 30))
  expect_identical(colnames(nets$outputs[[1]]), levels(nets$labels))
  right <- vapply(nets$outputs, function(p) mean(max.col(p) == as.integer(nets$labels)), 0)
  expect_identical(nets$truth$test_accuracy, unname(right))
  expect_identical(jsd(nets$outputs[[1]], nets$outputs[[2]]),
                   jsd(nets$logits[[1]], nets$logits[[2]], from = "logit"))
  difference <- accuracy_difference(nets$outputs[[1]], nets$outputs[[3]], nets$labels)
  expect_equal(difference, unname(abs(right[1] - right[3])))
  expect_identical(nrow(similarity(nets$models$`large #1`, measure = "cka")), 3L)
  expect_identical(nrow(similarity(nets$representations, measure = "cka")), 6L)
  expect_output(print(nets), "4 networks, 1 to 3 hidden layers, 30 test stimuli of 5 classes")
  expect_refused(similarity(nets), "\\$representations")
})

test_that("a layer is recorded before or after its activation", {
  before <- seeded(6, 1, train = 60, test = 30)
  after <- seeded(6, 1, train = 60, test = 30, record = "activation")
  expect_identical(lapply(before$models[[1]], pmax, 0), after$models[[1]])
  expect_identical(before$outputs, after$outputs)
})

test_that("set.seed() reproduces networks, which do not depend on what else is trained", {
  few <- seeded(7, 2, random_labels = c(0, 0.5), train = 60, test = 30)
  expect_identical(few, seeded(7, 2, random_labels = c(0, 0.5), train = 60, test = 30))
  many <- seeded(7, 3, random_labels = c(0, 0.5, 1), train = 60, test = 30)
  same <- names(few$models)
  for (part in c("models", "outputs")) expect_identical(many[[part]][same], few[[part]])
  expect_false(isTRUE(all.equal(few$outputs[[1]], few$outputs[[2]])))
  expect_false(isTRUE(all.equal(few$outputs[[1]],
                                seeded(8, 2, train = 60, test = 30)$outputs[[1]])))
  # another group in the second place: the same data, the same first group
  other <- seeded(7, 2, input_noise = c(0, 1), train = 60, test = 30)
  expect_identical(other[c("inputs", "labels")], few[c("inputs", "labels")])
  expect_identical(unname(other$models[1:2]), unname(few$models[1:2]))
  expect_false(identical(unname(other$models[3:4]), unname(few$models[3:4])))
  # the generator goes on, and depends on nothing but the number of groups
  after <- function(...) {
    seeded(7, ..., random_labels = c(0, 1), train = 60, test = 30)
    runif(1)
  }
  expect_identical(after(1), after(2, epochs = 1))
})

test_that("users' data are split and standardized by the training samples", {
  set.seed(9)
  x <- cbind(a = rnorm(80, 5, 3), b = rnorm(80, -1), c = 7)
  rownames(x) <- paste0("image", 1:80)
  labels <- ifelse(x[, "a"] > 5, "far", "near")
  nets <- seeded(9, 1, x = x, labels = labels, test = c(40, 3, 7:20))
  expect_identical(rownames(nets$representations[[1]]), rownames(x)[c(40, 3, 7:20)])
  expect_identical(nets$labels, factor(unname(labels[c(40, 3, 7:20)])))
  rest <- setdiff(1:80, c(40, 3, 7:20))
  expect_equal(nets$inputs[2, "a"], (x[3, "a"] - mean(x[rest, "a"])) / sd(x[rest, "a"]),
               ignore_attr = TRUE)
  expect_true(all(nets$inputs[, "c"] == 0))
  expect_gt(nets$truth$test_accuracy, 0.8)
  drawn <- seeded(9, 1, x = as.data.frame(x), labels = factor(labels), test = 30, train = 40)
  expect_identical(nrow(drawn$inputs), 30L)
  whole <- seeded(9, 1, x = x, labels = labels)
  expect_identical(nrow(whole$inputs), 20L)
  expect_identical(seeded(9, array(1, 1), x = x, labels = array(labels, 80), layers = array(3, 1)),
                   whole)
})

test_that("groups are called by what they differ in", {
  made <- function(...) network_groups(utils::modifyList(
    list(random_labels = 0, shortcut = NULL, input_noise = 0, width = 8, layers = 2), list(...)
  ))$group
  expect_identical(made(), "network")
  expect_identical(made(random_labels = c(0, 0.255)), c("random labels 0%", "random labels 25.5%"))
  expect_identical(made(width = c(4, 8), layers = c(1, 1)), c("width 4", "width 8"))
  expect_identical(made(width = c(4, 8), input_noise = c(0.5, 1)),
                   c("input noise 0.5, width 4", "input noise 1, width 8"))
  expect_identical(made(shortcut = c(u = 1, v = 1)), c("u", "v"))
})

test_that("what cannot be trained is refused by name", {
  few <- function(...) simulate_networks(1, train = 20, test = 10, epochs = 1, ...)
  expect_refused(simulate_networks(0), "`networks`")
  expect_refused(few(random_labels = 1.2), c("`random_labels`", "0 to 1"))
  expect_refused(few(shortcut = NA), "`shortcut`")
  expect_refused(few(input_noise = -1), "`input_noise`")
  expect_refused(few(width = 2.5), "`width`")
  expect_refused(few(layers = 0), "`layers`")
  expect_refused(few(layers = c(1, 2, 3), width = c(3, 4)), c("`layers`", "per group"))
  expect_refused(few(random_labels = c(0.5, 0.5)), c("same settings", "names"))
  expect_refused(few(random_labels = c(a = 0, a = 1)), c("`random_labels`", "different name"))
  expect_refused(few(random_labels = c(a = 0, b = 1), width = c(a = 2, c = 3)), "`width` names")
  expect_refused(few(random_labels = c(a = 0), width = c(2, 3)), "`random_labels` has a name")
  expect_refused(few(activation = "elu"), "`activation`")
  expect_refused(few(optimizer = "lbfgs"), "`optimizer`")
  expect_refused(few(record = "both"), "`record`")
  expect_refused(few(shortcut_test = "true"), "`shortcut_test`")
  expect_refused(few(rate = 0), "`rate`")
  expect_refused(few(batch = 0), "`batch`")
  expect_refused(few(classes = 1), "`classes`")
  expect_refused(few(scatter = 0), "`scatter`")
  expect_refused(few(classes = 40), c("`labels`", "no training sample"))
  expect_refused(simulate_networks(1, epochs = 0), "`epochs`")
  expect_refused(simulate_networks(1, test = 1:3), "`test`")
  expect_refused(simulate_networks(1, optimizer = "sgd", rate = 1e100, epochs = 3),
                 c("diverged", "`rate`"))
  expect_refused(simulate_networks(1, width = 1e6, layers = 1000), "would take about")
})

test_that("bad data of users are refused by name", {
  x <- matrix(sin(1:120), 30)
  own <- function(labels, ...) simulate_networks(1, x = x, labels = labels, epochs = 1, ...)
  two <- rep(1:2, 15)
  expect_refused(simulate_networks(1, labels = two), "without `x`")
  expect_refused(own(NULL), "`labels` must be given")
  expect_refused(own(two[-1]), c("29 values", "30 rows"))
  expect_refused(own(replace(two, 4, NA)), "row 4")
  expect_refused(own(rep(1, 30)), "one class")
  expect_refused(own(as.list(two)), "`labels`")
  expect_refused(own(two, test = 29), "`test`")
  expect_refused(own(two, test = c(1, 1, 2)), "different row numbers")
  expect_refused(own(two, test = 1:29), "two or more")
  expect_refused(own(two, test = c(1, 31)), "1 to 30")
  expect_refused(own(two, test = 10, train = 21), "`train`")
  expect_refused(own(c(rep("a", 29), "b"), test = c(1, 30)), "\"b\"")
  expect_refused(simulate_networks(1, x = replace(x, 3, NA), labels = two), "row 3, column 1")
  expect_refused(simulate_networks(1, x = letters, labels = two), "`x`")
  expect_warned(own(two, classes = 3), "repalign_unused")
})
