# linear_population() and simulate_pair(): made-up populations whose CKA is known.

#' Simulate two samples of neurons with a known CKA
#'
#' Stimuli are d-dimensional Gaussian vectors, and the response of a neuron is the inner product of
#' the stimulus with a random vector of Gaussian weights.
#'
#' @param n number of stimuli.
#' @param q number of neurons on each side; two numbers if the sides differ.
#' @param d number of dimensions of the stimuli.
#' @param spectrum eigenvalues of the covariance of the weights: `"isotropic"` (all 1) or `"power"`
#'   (`i^-power`).
#' @param power exponent of the power law; two numbers if the sides differ.
#' @param reverse is the order of the eigenvalues of `y` reversed?
#' @param ... not used.
#' @return A list of class `repalign_population`: `x` and `y`, stimuli x neurons; `cka`, the exact
#'   value for infinitely many stimuli and neurons; `theory`, which [predicted_bias()] uses.
#' @references Chun et al. (2025), \doi{10.48550/arXiv.2502.15104}, equation 15.
#' @examples
#' set.seed(1)
#' pop <- linear_population(n = 100, q = 50, d = 200, spectrum = "power", power = c(0.5, 0.9))
#' pop$cka
#' cka(pop$x, pop$y, estimator = "stimulus_neuron")
#' @export
linear_population <- function(n, q, d, spectrum = c("isotropic", "power"), power = 1,
                              reverse = FALSE, ...) {
  need_arguments()
  power_given <- !missing(power)
  n <- check_count(n, "n")
  d <- check_count(d, "d")
  q <- vapply(check_two_sizes(q, "q"), check_count, 0L, arg = "q")
  power <- vapply(check_two_sizes(power, "power"), check_number, 0, arg = "power")
  spectrum <- check_choice(spectrum, c("isotropic", "power"), "spectrum")
  warn_if(power_given && spectrum == "isotropic", "unused", "`power` is not used by the isotropic ",
          "spectrum: set spectrum = \"power\".", data = "power")
  check_flag(reverse, "reverse")
  lambda <- lapply(power, function(p) if (spectrum == "power") seq_len(d)^-p else rep(1, d))
  refuse_if(!all(is.finite(unlist(lambda)^2)) || any(vapply(lambda, sum, 0) == 0), "value",
            "`power` is too extreme for {d} dimensions: the eigenvalues are too large or too ",
            "small for a double. Give a value nearer to 0.")
  if (reverse) lambda[[2]] <- rev(lambda[[2]])
  check_memory(8 * (as.double(n) * d + (as.double(n) + d) * sum(as.double(q))),
               "The simulated population", "Take fewer stimuli, neurons or dimensions.")
  stimuli <- matrix(stats::rnorm(n * d), n)
  respond <- function(lambda, q) stimuli %*% (sqrt(lambda) * matrix(stats::rnorm(d * q), d))
  x <- respond(lambda[[1]], q[1])
  y <- respond(lambda[[2]], q[2])
  # the true values follow from the moments of products of two Gaussian vectors with diagonal
  # covariances
  cross <- sum(lambda[[1]] * lambda[[2]])
  side <- function(lambda, q) {
    gamma <- sum(lambda)^2 / sum(lambda^2)
    list(q = q, gamma = gamma, psi_stimuli = gamma / (gamma + 2),
         psi_neurons = gamma / (gamma + 2), rho = gamma / (3 * (gamma + 2)))
  }
  norm <- sqrt(sum(lambda[[1]]^2) * sum(lambda[[2]]^2))
  theory <- list(
    n = n, x = side(lambda[[1]], q[1]), y = side(lambda[[2]], q[2]), cka = cross / norm,
    diagonal = (sum(lambda[[1]]) * sum(lambda[[2]]) + 2 * cross) / norm,
    h = linear_h_moments(lambda, n, q)
  )
  structure(list(x = x, y = y, cka = theory$cka, theory = theory), class = "repalign_population")
}

check_two_sizes <- function(value, arg) {
  refuse_if(!is.numeric(value) || !length(value) %in% 1:2, "value", "`{arg}` must be one number, ",
            "or two (for x and for y).")
  rep(value, length.out = 2)
}

# Means and covariances of the corrected H values (xy, xx, yy) of Gaussian stimuli and weights.
# Each is a mean over pairs of stimuli and of neurons, and so a sum of parts that are uncorrelated:
# what single stimuli (s) and neurons (q) add, and what pairs of two of each do. Every part has
# the leading term of its covariances, as traces t(k, l) of A^k B^l with the spectra A and B.
linear_h_moments <- function(lambda, n, q) {
  a <- lambda[[1]]
  b <- lambda[[2]]
  t <- function(k, l) sum(a^k * b^l)
  # own: the variance of H_xy; with_self(): its covariances with H_xx and H_yy
  own <- 8 / n * t(2, 2) + 2 * t(2, 2) * sum(1 / q) +
    2 / n^2 * (t(2, 0) * t(0, 2) + t(1, 1)^2) + 2 * t(1, 1)^2 / prod(q) +
    4 / n * ((t(1, 0) * t(1, 2) + t(1, 1)^2) / q[1] + (t(0, 1) * t(2, 1) + t(1, 1)^2) / q[2]) +
    2 / n^2 * (t(0, 2) * t(1, 0)^2 / q[1] + t(2, 0) * t(0, 1)^2 / q[2]) +
    4 * t(1, 0) * t(0, 1) * t(1, 1) / (n * prod(q)) +
    2 * (t(1, 0) * t(0, 1))^2 / (n^2 * prod(q))
  with_self <- function(t, q) {
    8 / n * t(3, 1) + 4 / q * t(3, 1) + 4 / n^2 * t(2, 0) * t(1, 1) +
      8 / (n * q) * (t(1, 0) * t(2, 1) + t(2, 0) * t(1, 1)) +
      4 / (n^2 * q) * t(1, 1) * t(1, 0)^2
  }
  with_x <- with_self(t, q[1])
  with_y <- with_self(function(k, l) t(l, k), q[2])
  xx <- linear_self_variance(function(k) t(k, 0), n, q[1])
  yy <- linear_self_variance(function(k) t(0, k), n, q[2])
  xx_yy <- 8 / n * t(2, 2) + 4 / n^2 * t(1, 1)^2
  list(mean = c(t(1, 1), t(2, 0), t(0, 2)),
       cov = matrix(c(own, with_x, with_y, with_x, xx, xx_yy, with_y, xx_yy, yy), 3))
}

linear_self_variance <- function(t, n, q) {
  single <- 8 * t(4) * (1 / n + 1 / q)
  pairs <- 4 * t(2)^2 * (1 / n^2 + 1 / q^2) + 16 * (t(1) * t(3) + t(2)^2) / (n * q)
  triples <- 8 * t(2) * t(1)^2 * (1 / (n^2 * q) + 1 / (n * q^2))
  single + pairs + triples + 4 * t(1)^4 / (n * q)^2
}

#' @export
print.repalign_population <- function(x, ...) {
  cat("<linear population> ", nrow(x$x), " stimuli, ", ncol(x$x), " and ", ncol(x$y),
      " neurons, true CKA ", format(x$cka, digits = 4), "\n", sep = "")
  invisible(x)
}

# ---- pair

# simulate_pair() simulates two representations with a known CKA, for stimuli of several designs.

noise_families <- c("normal", "t3", "laplace", "mixture")

#' Simulate two representations with a known relation
#'
#' The response of every neuron is the sum of a few signals common to both sides and a part of its
#' own. Stimuli can form groups or time series.
#'
#' @param n number of stimuli.
#' @param d number of neurons on each side; two numbers if the sides differ.
#' @param shared share of the variance of every neuron (within groups) that comes from the common
#'   signals, from 0 (the sides are unrelated) to 1.
#' @param rank number of common signals.
#' @param groups number of groups of stimuli, of nearly equal size, which both sides share.
#' @param spread standard deviation of the centres of the groups, relative to that within groups.
#' @param autocorrelation correlation of each row with the next (autoregressive series of first
#'   order).
#' @param tails distribution of the neurons' own parts: `"normal"`; `"t3"` (Student's t with 3
#'   degrees of freedom), `"laplace"` or the two-peaked `"mixture"`, which need
#'   `autocorrelation = 0`.
#' @param ... not used.
#' @return A list of class `repalign_simulation`: `x` and `y`, stimuli x neurons; `group`, the group
#'   of every stimulus; `cka`, the exact linear CKA of these neurons with infinitely many stimuli,
#'   which `cka(estimator = "stimulus")` estimates; `cka_within`, the same within groups.
#' @details
#' For the same `shared`, a higher `rank` means a lower CKA. A signal of standard deviation a in
#' noise of b has `shared = a^2 / (a^2 + b^2)`.
#' @examples
#' set.seed(1)
#' pair <- simulate_pair(n = 200, d = c(20, 50), shared = 0.4)
#' pair$cka
#' cka(pair$x, pair$y, estimator = "stimulus")
#' @seealso [simulate_models()], [linear_population()]
#' @export
simulate_pair <- function(n, d, shared = 0, rank = 3, groups = 1, spread = 2,
                          autocorrelation = 0, tails = c("normal", "t3", "laplace", "mixture"),
                          ...) {
  need_arguments()
  n <- check_count(n, "n", 2)
  d <- vapply(check_two_sizes(d, "d"), check_count, 0L, arg = "d")
  shared <- check_share(shared, "shared")
  rank <- check_count(rank, "rank")
  groups <- check_count(groups, "groups")
  spread <- check_number(spread, "spread", above = 0)
  autocorrelation <- check_number(autocorrelation, "autocorrelation", above = -1, below = 1)
  tails <- check_choice(tails, noise_families, "tails")
  refuse_if(groups > n, "value", "`groups` must be at most the number of stimuli, {n}.")
  refuse_if(autocorrelation != 0 && tails != "normal", "value", "`tails` must be \"normal\" for ",
            "time series (with `autocorrelation`).")
  check_memory(16 * as.double(n) * (sum(as.double(d)) + rank), "The simulated pair",
               "Take fewer stimuli or neurons.")
  group <- sort(rep_len(seq_len(groups), n))
  signals <- series_of(matrix(stats::rnorm(n * rank), n), autocorrelation)
  sides <- lapply(d, function(d) {
    m <- matrix(stats::rnorm(d * rank), d)
    weights <- m / sqrt(rowSums(m^2))
    # independent values of variance 1, whatever their tails
    noise <- switch(tails,
      normal = stats::rnorm(n * d),
      t3 = stats::rt(n * d, 3) / sqrt(3),
      laplace = stats::rexp(n * d, sqrt(2)) * random_signs(n * d),
      mixture = 0.9 * random_signs(n * d) + sqrt(1 - 0.9^2) * stats::rnorm(n * d),
      no_branch(tails)
    )
    noise <- series_of(matrix(noise, n), autocorrelation)
    centres <- spread * matrix(stats::rnorm(groups * d), groups)
    if (groups == 1) centres[] <- 0
    data <- sqrt(shared) * tcrossprod(signals, weights) + sqrt(1 - shared) * noise
    list(data = data + centres[group, , drop = FALSE], weights = weights,
         centres = centres[group, , drop = FALSE])
  })
  structure(list(x = sides[[1]]$data, y = sides[[2]]$data, group = group,
                 cka = pair_cka(sides, shared, TRUE), cka_within = pair_cka(sides, shared, FALSE)),
            class = "repalign_simulation")
}

random_signs <- function(count) sample(c(-1, 1), count, replace = TRUE)

# Turns columns of independent values with variance 1 into stationary autoregressive series, which
# also have variance 1.
series_of <- function(m, autocorrelation) {
  if (autocorrelation == 0) return(m)
  m[-1, ] <- sqrt(1 - autocorrelation^2) * m[-1, ]
  for (t in seq_len(nrow(m))[-1]) m[t, ] <- autocorrelation * m[t - 1, ] + m[t, ]
  m
}

# The CKA of the population, which follows from the covariances of the neurons. with_groups: does
# the spread of the groups count as signal?
pair_cka <- function(sides, shared, with_groups) {
  covariance <- function(a, b, same) {
    c <- shared * tcrossprod(a$weights, b$weights)
    if (same) diag(c) <- diag(c) + 1 - shared
    if (with_groups) {
      centred <- function(side) sweep(side$centres, 2, colMeans(side$centres))
      c <- c + crossprod(centred(a), centred(b)) / nrow(a$centres)
    }
    sum(c^2)
  }
  x <- sides[[1]]
  y <- sides[[2]]
  covariance(x, y, FALSE) / sqrt(covariance(x, x, TRUE) * covariance(y, y, TRUE))
}

#' @export
print.repalign_simulation <- function(x, ...) {
  if (!is.null(x$models)) {
    cat("<simulated models> ", nrow(x$models[[1]][[1]]), " stimuli, ",
        count_of(length(x$models), "model"), " of ", count_of(length(x$models[[1]]), "layer"),
        "\n", sep = "")
    print(x$truth, row.names = FALSE)
    return(invisible(x))
  }
  cat("<simulated pair> ", nrow(x$x), " stimuli",
      if (max(x$group) > 1) paste0(" in ", max(x$group), " groups"), ", ", ncol(x$x), " and ",
      ncol(x$y), " neurons, true CKA ", format(x$cka, digits = 3),
      if (max(x$group) > 1) paste0(", within groups ", format(x$cka_within, digits = 3)),
      "\n", sep = "")
  invisible(x)
}
