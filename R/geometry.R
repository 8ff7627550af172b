# Dimensionality, and the biases that it predicts.

#' Participation ratios: how many dimensions, stimuli and neurons count
#'
#' @param x stimuli x neurons: a numeric matrix or all-numeric data frame.
#' @return A data frame with one row. Dimensionalities (effective numbers of
#'   dimensions): `naive`; `stimulus`, corrected for few stimuli;
#'   `stimulus_neuron`, corrected for few stimuli and few neurons. Ratios in
#'   (0, 1\]: `psi_stimuli`, 1 when all stimuli drive the population equally
#'   strongly; `psi_neurons`, 1 when all neurons have the same variance; `rho`, the
#'   same over the single entries.
#' @details
#' The naive dimensionality \eqn{(\sum \lambda)^2 / \sum \lambda^2} of the
#' covariance eigenvalues is bounded by the smaller side of the matrix and too low
#' with few stimuli or neurons. The corrected values divide the squared mean self
#' term by the corrected H value of `x` with itself ([hsic()]). They scatter when
#' that H value is near 0, and are `NA`, with a warning of class
#' `repalign_undefined`, when it is not positive. The three ratios are not
#' corrected. Needs at least 4 stimuli, and 2 neurons for `stimulus_neuron` (`NA`,
#' with a warning, otherwise).
#' @references Chun, Canatar, Chung and Lee (2025), arXiv:2502.15104, appendix B.
#' @examples
#' set.seed(1)
#' # 40 neurons from a population with 100 equal dimensions
#' participation_ratio(linear_population(n = 200, q = 40, d = 100)$x)
#' @seealso [predicted_bias()]
#' @export
participation_ratio <- function(x) {
  need_arguments()
  rep <- need_kind(representation(x, "x"), "data", "this")
  check_rows(rep$n, 4, "x", "a corrected estimator")
  f <- form_linear(rep)
  n <- f$n
  trace <- sum(f$k) / f$d
  self <- lapply(c(naive = "naive", stimulus = "stimulus"), function(e) {
    self_h(rep, list(kernel = "linear", estimator = e), NULL)
  })
  if (f$d == 1) {
    warn("`x` has a single neuron (column): the neuron-corrected dimensionality is undefined (NA).",
         class = "repalign_undefined")
  }
  neuron <- if (f$d > 1) self_h(rep, list(kernel = "linear", estimator = "stimulus_neuron"), NULL)
  data.frame(
    naive = (trace / n)^2 / self$naive$value,
    stimulus = dimension_or_na((trace / (n - 1))^2, self$stimulus),
    stimulus_neuron = dimension_or_na((trace / (n - 1))^2, neuron),
    psi_stimuli = mean(f$k)^2 / mean(f$k^2),
    psi_neurons = mean(f$s)^2 / mean(f$s^2),
    rho = (sum(f$s) / (n * f$d))^2 / (sum(f$f) / (n * f$d))
  )
}

dimension_or_na <- function(squared_trace, h) {
  if (is.null(h)) return(NA_real_)
  if (is_positive(h)) return(squared_trace / h$value)
  warn("A corrected dimensionality is undefined (NA): the H value of `x` with itself is not ",
       "positive. There are too few stimuli or neurons.", class = "repalign_undefined")
  NA_real_
}

#' What an estimator is expected to give from few stimuli and few neurons
#'
#' The expected value of the naive or the stimulus-corrected [cka()], given the
#' geometry of the representations and the numbers of stimuli and neurons.
#'
#' @param x stimuli x neurons, or what [linear_population()] returns: then `y`
#'   must not be given and the exact parameters of the population are used.
#' @param y the other representation; `NULL`: another sample of neurons from the
#'   population of `x`, so that the true CKA is 1.
#' @param estimator `"stimulus"`, `"naive"` or `"stimulus_neuron"`.
#' @param assume `"general"`; `"normalized"`: all neurons have the same variance
#'   (equation 12 of the paper).
#' @return A data frame with one row: `estimator`; `cka`, the value taken for true
#'   (the corrected estimate, the exact one for a simulated population, 1 when
#'   there is no `y`); `expected`, of the estimator; `bias`, their difference;
#'   `factor`, their quotient (`NA` when `cka` is 0).
#' @details
#' For `"stimulus"` the prediction is
#' \eqn{CKA / \sqrt{(1 + (\gamma_x/\tilde\psi_x - 1)/Q_x)(1 + (\gamma_y/\tilde\psi_y - 1)/Q_y)}}
#' with the corrected dimensionality \eqn{\gamma} and the participation ratio
#' \eqn{\tilde\psi} over neurons, for many stimuli. For `"naive"` it is the ratio of
#' the exact expectations of the H values with n stimuli whose mean is
#' estimated. `"stimulus_neuron"` has no bias to this order.
#'
#' From data, the parameters are estimates ([participation_ratio()]): \eqn{\gamma}
#' is corrected but scatters, the other ratios are plug-in values. On raw spike
#' counts only the general form fits; the normalized one needs each neuron divided
#' by its standard deviation. Neurons that `x` and `y` share cannot be labelled here: the
#' prediction is for different ones. `NA`, with a warning, when the corrected
#' dimensionality or CKA is undefined.
#' @references Chun, Canatar, Chung and Lee (2025), arXiv:2502.15104, equation 12
#'   and appendix B.2.
#' @examples
#' set.seed(1)
#' pop <- linear_population(n = 500, q = 40, d = 100)
#' predicted_bias(pop, estimator = "stimulus")
#' cka(pop$x, pop$y, estimator = "stimulus")
#' # from the data alone
#' predicted_bias(pop$x, pop$y, estimator = "stimulus")
#' @seealso [participation_ratio()], [ratio_bias()]
#' @export
predicted_bias <- function(x, y = NULL, estimator = c("stimulus", "naive", "stimulus_neuron"),
                           assume = c("general", "normalized")) {
  need_arguments()
  estimator <- check_choice(estimator, c("stimulus", "naive", "stimulus_neuron"), "estimator")
  assume <- check_choice(assume, c("general", "normalized"), "assume")
  if (inherits(x, "repalign_population")) {
    if (!is.null(y)) {
      abort("`y` must not be given with a simulated population: it holds both sides.",
            class = "repalign_error_type", arg = "y")
    }
    geometry <- x$theory
  } else {
    geometry <- estimated_geometry(x, y)
  }
  if (estimator == "naive") check_rows(geometry$n, 2, "x", "a centred kernel")
  expected <- expected_cka(geometry, estimator, assume)
  data.frame(estimator = estimator, cka = geometry$cka, expected = expected,
             bias = expected - geometry$cka,
             factor = if (identical(geometry$cka, 0)) NA_real_ else expected / geometry$cka)
}

estimated_geometry <- function(x, y) {
  rx <- need_kind(representation(x, "x"), "data", "this")
  if (is.null(y)) {
    check_rows(rx$n, 4, "x", "a corrected estimator")
    side <- side_geometry(rx)
    return(list(n = rx$n, x = side, y = side, cka = 1,
                diagonal = side$gamma / side$psi_stimuli))
  }
  pair <- as_pair(rx, need_kind(representation(y, "y"), "data", "this"))
  note_one_sided_names(pair[c("x", "y")])
  check_rows(rx$n, 4, "x", "a corrected estimator")
  fx <- form_linear(pair$x)
  fy <- form_linear(pair$y)
  value <- compare_cka(pair, list(kernel = "linear", estimator = "stimulus_neuron",
                                  shared_neurons = FALSE))
  self <- vapply(pair[c("x", "y")], function(rep) {
    self_h(rep, list(kernel = "linear", estimator = "stimulus_neuron"), NULL)$value
  }, 0)
  list(n = fx$n, x = side_geometry(pair$x), y = side_geometry(pair$y), cka = value,
       diagonal = if (is.na(value)) NA_real_
       else mean(fx$k / fx$d * fy$k / fy$d) / sqrt(self[["x"]]) / sqrt(self[["y"]]))
}

side_geometry <- function(rep) {
  if (ncol(rep$data) < 2) {
    abort("`", rep$arg, "` has a single neuron (column): its dimensionality cannot be corrected; ",
          "at least two are needed.", class = "repalign_error_pairs", arg = rep$arg)
  }
  ratio <- participation_ratio(rep$data)
  list(q = ncol(rep$data), gamma = ratio$stimulus_neuron, psi_stimuli = ratio$psi_stimuli,
       psi_neurons = ratio$psi_neurons, rho = ratio$rho)
}

# geometry: n; x and y, each list(q, gamma, psi_stimuli, psi_neurons, rho); and in units of
# sqrt(<k_x^2> <k_y^2>): cka, the mean of k_x(s, s') k_y(s, s'), and diagonal, that of
# k_x(s, s) k_y(s, s). (zeta of the paper is their quotient, and infinite for cka = 0.)
expected_cka <- function(geometry, estimator, assume) {
  if (estimator == "stimulus_neuron") return(geometry$cka)
  sides <- lapply(geometry[c("x", "y")], function(side) {
    if (assume == "normalized") side$psi_neurons <- 1
    side
  })
  if (estimator == "stimulus") {
    inflation <- vapply(sides, function(s) 1 + (s$gamma / s$psi_neurons - 1) / s$q, 0)
    return(geometry$cka / sqrt(prod(inflation)))
  }
  below <- vapply(sides, expected_naive_self, 0, n = geometry$n)
  traces <- sqrt(sides$x$gamma * sides$y$gamma)
  expected_naive_h(geometry$cka, geometry$diagonal, traces, geometry$n) / sqrt(prod(below))
}

# E[H_0] of n stimuli with estimated means, from the expectations of k_xy(s, s')
# products over different (a), equal (b) and unpaired (c) stimuli.
expected_naive_h <- function(a, b, c, n) (n - 1) / n^3 * ((n^2 - 2 * n + 2) * a + (n - 1) * b + c)

expected_naive_self <- function(side, n) {
  q <- side$q
  a <- 1 + (side$gamma / side$psi_neurons - 1) / q
  b <- side$gamma / side$psi_stimuli * (1 - 1 / q) + side$gamma / (side$rho * q)
  c <- side$gamma * (1 - 1 / q) + side$gamma / (side$psi_neurons * q)
  expected_naive_h(a, b, c, n)
}

#' Second-order bias of a ratio of H values
#'
#' The CKA is a ratio of estimates, so it is biased even where each of them is not.
#' From a sample of H values this tells by how much, to second order.
#'
#' @param h a numeric matrix or data frame with three columns, `h_xy`, `h_xx` and
#'   `h_yy` (named so, or without these names in this order), and a row per independent estimate
#'   (trial, lab, split) by one estimator: at least two.
#' @return A data frame with one row: `ratio`, the pooled ratio
#'   mean(h_xy) / sqrt(mean(h_xx) mean(h_yy)); `bias`, the second-order bias of that
#'   ratio; `corrected`, their difference; `mean_single`, the mean of the single
#'   ratios that are defined; `bias_single`, the second-order bias of one of them.
#' @details
#' With N independent rows the pooled ratio's bias is 1/N of a single one's. The
#' expansion is about the means and needs them well above 0: when the standard
#' deviation of a denominator is not small against its mean, the figure is not to be
#' trusted. Rows that share stimuli or neurons are not independent; then the bias of
#' the pooled ratio is understated. An error when a mean denominator is not positive.
#' @references Chun, Canatar, Chung and Lee (2025), arXiv:2502.15104, appendix B.3.
#' @examples
#' set.seed(1)
#' h <- t(replicate(50, {
#'   pop <- linear_population(n = 40, q = 30, d = 20)
#'   unlist(cka_interval(pop$x, pop$y, "stimulus_neuron")[c("h_xy", "h_xx", "h_yy")])
#' }))
#' ratio_bias(h)
#' @seealso [cka_interval()]
#' @export
ratio_bias <- function(h) {
  need_arguments()
  if (!is.matrix(h) && !is.data.frame(h)) {
    abort("`h` must be a matrix or data frame with the columns h_xy, h_xx and h_yy, not ",
          describe(h), ".", class = "repalign_error_type", arg = "h")
  }
  h <- as_numeric_matrix(h, "h")
  if (ncol(h) != 3) {
    abort("`h` has ", ncol(h), " columns; it needs three: h_xy, h_xx, h_yy.",
          class = "repalign_error_size", arg = "h")
  }
  h <- ordered_h(h)
  if (nrow(h) < 2) {
    abort("`h` has a single row: a variance needs at least 2 estimates (rows).",
          class = "repalign_error_rows", arg = "h")
  }
  # the ratio has no units: bring each column near one, so that squares are doubles
  unit <- apply(abs(h), 2, max)
  unit[unit == 0] <- 1
  h <- sweep(h, 2, unit, "/")
  unit <- unit[[1]] / sqrt(unit[[2]]) / sqrt(unit[[3]])
  center <- colMeans(h)
  if (center[2] <= 0 || center[3] <= 0) {
    abort("`h` has a mean denominator that is not positive (column ",
          if (center[2] <= 0) 2 else 3, "): its ratio is undefined.",
          class = "repalign_error_value", arg = "h")
  }
  bias <- unit * ratio_bias_of(center, stats::cov(h))
  ratio <- unit * center[[1]] / sqrt(center[[2]] * center[[3]])
  single <- unit * ratio_of(h)
  defined <- !is.na(single)
  data.frame(ratio = ratio, bias = bias / nrow(h), corrected = ratio - bias / nrow(h),
             mean_single = if (any(defined)) mean(single[defined]) else NA_real_,
             bias_single = bias)
}

# The three columns by name where they are named so, else in their order.
ordered_h <- function(h) {
  wanted <- c("h_xy", "h_xx", "h_yy")
  known <- wanted %in% colnames(h)
  if (all(known)) return(h[, wanted, drop = FALSE])
  if (any(known)) {
    abort("`h` has the column ", enumerate(wanted[known]), " but not ", enumerate(wanted[!known]),
          ": name all three, or none and give them in this order.",
          class = "repalign_error_value", arg = "h")
  }
  h
}

# center: means of h_xy, h_xx, h_yy; cov: covariances of one draw of them.
# Written so that h_xy = 0 is no exception.
ratio_bias_of <- function(center, cov) {
  x <- center[[1]]
  a <- center[[2]]
  b <- center[[3]]
  terms <- x * (3 / 8 * cov[2, 2] / a^2 + 3 / 8 * cov[3, 3] / b^2 + cov[2, 3] / (4 * a * b)) -
    cov[1, 2] / (2 * a) - cov[1, 3] / (2 * b)
  terms / sqrt(a) / sqrt(b)
}
