# linear_population() simulates the linear example of the paper, whose CKA is known.

#' Simulate two samples of neurons with a known CKA
#'
#' Linear populations: the stimuli are d-dimensional Gaussian vectors, and the response of a
#' neuron is the inner product of the stimulus with a weight vector drawn from
#' \eqn{N(0, \Sigma)}{N(0, Sigma)}. The true CKA of two such populations is known exactly.
#'
#' @param n number of stimuli.
#' @param q number of neurons on each side; two numbers if the sides differ.
#' @param d number of dimensions of the stimuli.
#' @param spectrum eigenvalues of \eqn{\Sigma}{Sigma}: `"isotropic"` (all 1) or `"power"`
#'   (\eqn{\lambda_i = i^{-p}}{lambda_i = i^-p}, where p is `power`).
#' @param power exponent of the power law; two numbers if the sides differ.
#' @param reverse if `TRUE`, the order of the eigenvalues of `y` is reversed, so that the two
#'   populations are misaligned.
#' @return A list of class `repalign_population`: `x` and `y`, stimuli x neurons; `cka`, the
#'   exact value \eqn{tr(\Sigma_x \Sigma_y) / \sqrt{tr(\Sigma_x^2) \,
#'   tr(\Sigma_y^2)}}{tr(Sigma_x Sigma_y) / sqrt(tr(Sigma_x^2) tr(Sigma_y^2))}; `theory`, the
#'   geometry that [predicted_bias()] uses.
#' @references Chun, Canatar, Chung and Lee (2025), arXiv:2502.15104, equation 15.
#' @examples
#' set.seed(1)
#' pop <- linear_population(n = 100, q = 50, d = 200, spectrum = "power", power = c(0.5, 0.9))
#' pop$cka
#' cka(pop$x, pop$y, estimator = "stimulus_neuron")
#' @seealso [predicted_bias()]
#' @export
linear_population <- function(n, q, d, spectrum = c("isotropic", "power"), power = 1,
                              reverse = FALSE) {
  need_arguments()
  power_given <- !missing(power)
  n <- check_count(n, "n")
  d <- check_count(d, "d")
  q <- vapply(check_two_sizes(q, "q"), check_count, 0L, arg = "q")
  power <- vapply(check_two_sizes(power, "power"), check_number, 0, arg = "power")
  spectrum <- check_choice(spectrum, c("isotropic", "power"), "spectrum")
  if (power_given && spectrum == "isotropic") {
    warn("`power` is not used by the isotropic spectrum: set spectrum = \"power\".",
         class = "repalign_unused", data = "power")
  }
  check_flag(reverse, "reverse")
  lambda <- lapply(power, function(p) if (spectrum == "power") seq_len(d)^-p else rep(1, d))
  if (!all(is.finite(unlist(lambda)^2)) || any(vapply(lambda, sum, 0) == 0)) {
    abort("`power` is too extreme for ", d, " dimensions: the eigenvalues are too large or too ",
          "small for a double. Give a value nearer to 0.",
          class = "repalign_error_value", arg = "power")
  }
  if (reverse) lambda[[2]] <- rev(lambda[[2]])
  check_memory(8 * (as.double(n) * d + (as.double(n) + d) * sum(as.double(q))),
               "The simulated population", "Take fewer stimuli, neurons or dimensions.")
  stimuli <- matrix(stats::rnorm(n * d), n)
  respond <- function(lambda, q) stimuli %*% (sqrt(lambda) * matrix(stats::rnorm(d * q), d))
  x <- respond(lambda[[1]], q[1])
  y <- respond(lambda[[2]], q[2])
  theory <- linear_theory(lambda, n, q)
  structure(list(x = x, y = y, cka = theory$cka, theory = theory), class = "repalign_population")
}

check_two_sizes <- function(value, arg) {
  if (!is.numeric(value) || !length(value) %in% 1:2) {
    abort("`", arg, "` must be one number, or two (for x and for y).",
          class = "repalign_error_value", arg = arg)
  }
  rep(value, length.out = 2)
}

# The true values of the population. They follow from the moments of products of two Gaussian
# vectors with diagonal covariances; lambda: the two diagonals.
linear_theory <- function(lambda, n, q) {
  cross <- sum(lambda[[1]] * lambda[[2]])
  side <- function(lambda, q) {
    gamma <- sum(lambda)^2 / sum(lambda^2)
    list(q = q, gamma = gamma, psi_stimuli = gamma / (gamma + 2),
         psi_neurons = gamma / (gamma + 2), rho = gamma / (3 * (gamma + 2)))
  }
  norm <- sqrt(sum(lambda[[1]]^2) * sum(lambda[[2]]^2))
  list(
    n = n, x = side(lambda[[1]], q[1]), y = side(lambda[[2]], q[2]), cka = cross / norm,
    diagonal = (sum(lambda[[1]]) * sum(lambda[[2]]) + 2 * cross) / norm,
    h = linear_h_moments(lambda, n, q)
  )
}

# Means and covariances of the corrected H values (xy, xx, yy) of Gaussian stimuli and weights.
# Each is a mean over pairs of stimuli and of neurons, and so a sum of parts that are uncorrelated:
# what single stimuli (s) and neurons (q) add, and what pairs of two of each do. Every part has
# the leading term of its covariances, as traces t(k, l) of A^k B^l with the spectra A and B.
linear_h_moments <- function(lambda, n, q) {
  a <- lambda[[1]]
  b <- lambda[[2]]
  t <- function(k, l) sum(a^k * b^l)
  xy <- linear_cross_covariances(t, n, q)
  xx <- linear_self_variance(function(k) t(k, 0), n, q[1])
  yy <- linear_self_variance(function(k) t(0, k), n, q[2])
  xx_yy <- 8 / n * t(2, 2) + 4 / n^2 * t(1, 1)^2
  list(mean = c(t(1, 1), t(2, 0), t(0, 2)),
       cov = matrix(c(xy$own, xy$x, xy$y, xy$x, xx, xx_yy, xy$y, xx_yy, yy), 3))
}

linear_self_variance <- function(t, n, q) {
  single <- 8 * t(4) * (1 / n + 1 / q)
  pairs <- 4 * t(2)^2 * (1 / n^2 + 1 / q^2) + 16 * (t(1) * t(3) + t(2)^2) / (n * q)
  triples <- 8 * t(2) * t(1)^2 * (1 / (n^2 * q) + 1 / (n * q^2))
  single + pairs + triples + 4 * t(1)^4 / (n * q)^2
}

# own: the variance of H_xy; x and y: its covariances with H_xx and H_yy.
linear_cross_covariances <- function(t, n, q) {
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
  list(own = own, x = with_self(t, q[1]), y = with_self(function(k, l) t(l, k), q[2]))
}

#' @export
print.repalign_population <- function(x, ...) {
  cat("<linear population> ", nrow(x$x), " stimuli, ", ncol(x$x), " and ", ncol(x$y),
      " neurons, true CKA ", format(x$cka, digits = 4), "\n", sep = "")
  invisible(x)
}
