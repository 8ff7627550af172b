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

softmax <- function(logits) as_probabilities(logits, "logit", "logits")

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

# Trains a new network. x: samples x features; target: samples x classes; plan: list(sizes,
# input_noise, activation, optimizer, rate, epochs, batch).
trained_network <- function(x, target, plan) {
  network <- new_network(plan$sizes, plan$activation)
  memory <- vector("list", length(network))
  move <- optimizers[[plan$optimizer]]
  step <- 0
  for (epoch in seq_len(plan$epochs)) {
    order <- sample.int(nrow(x))
    seen <- if (plan$input_noise) x + plan$input_noise * stats::rnorm(length(x)) else x
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
  network
}
