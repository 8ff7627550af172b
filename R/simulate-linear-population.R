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
    diagonal = (sum(lambda[[1]]) * sum(lambda[[2]]) + 2 * cross) / norm
  )
}

#' @export
print.repalign_population <- function(x, ...) {
  cat("<linear population> ", nrow(x$x), " stimuli, ", ncol(x$x), " and ", ncol(x$y),
      " neurons, true CKA ", format(x$cka, digits = 4), "\n", sep = "")
  invisible(x)
}
