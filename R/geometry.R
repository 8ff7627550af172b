# Dimensionality, and the biases that it predicts.

#' Participation ratios: how many dimensions, stimuli and neurons count
#'
#' How many dimensions a representation effectively has, and how evenly its variance is
#' spread over stimuli and over neurons.
#'
#' @param x a representation: a numeric matrix (stimuli in the rows, neurons in the columns),
#'   or a data frame or tibble whose columns are all numeric.
#' @return A data frame with one row. Three columns are dimensionalities (effective numbers
#'   of dimensions): `naive`; `stimulus`, corrected for few stimuli; `stimulus_neuron`,
#'   corrected for few stimuli and few neurons. Three columns are ratios in (0, 1\]:
#'   `psi_stimuli`, which is 1 when all stimuli drive the population equally strongly;
#'   `psi_neurons`, which is 1 when all neurons have the same variance; and `rho`, which is 1
#'   when all centred entries have the same size.
#' @details
#' The naive dimensionality is
#' \eqn{(\sum_i \lambda_i)^2 / \sum_i \lambda_i^2}{(sum lambda_i)^2 / sum(lambda_i^2)}, with
#' the eigenvalues \eqn{\lambda_i}{lambda_i} of the covariance matrix. It cannot exceed the
#' smaller side of the data matrix and is too low when stimuli or neurons are few. Each
#' corrected dimensionality is \eqn{v^2/H}{v^2 / H}, with v the mean variance of the neurons
#' and H the corrected H value of `x` with itself ([hsic()]).
#'
#' The ratios are \eqn{mean(a)^2 / mean(a^2)}{mean(a)^2 / mean(a^2)} over the numbers a of
#' the centred data: the squared lengths of the rows (`psi_stimuli`), the squared lengths of
#' the columns (`psi_neurons`), and the squared single entries (`rho`). The ratios are not
#' corrected for small samples.
#'
#' At least 4 stimuli are needed, and 2 neurons for `stimulus_neuron`, which is otherwise
#' `NA`, with a warning of class `repalign_undefined`.
#'
#' When not to trust it: the corrected dimensionalities scatter widely when the corrected H
#' value is near 0. They are `NA`, with a warning of class `repalign_undefined`, when it is
#' not positive.
#' @references Chun, Canatar, Chung and Lee (2025), arXiv:2502.15104, appendix B.
#' @examples
#' set.seed(1)
#' # 40 neurons from a population with 100 equal dimensions
#' participation_ratio(linear_population(n = 200, q = 40, d = 100)$x)
#' @seealso [predicted_bias()]
#' @export
participation_ratio <- function(x) {
  need_arguments()
  repr <- need_kind(representation(x, "x"), "data", "this")
  check_rows(repr$n, 4, "x", "a corrected estimator")
  check_pair_memory(declaration("cka"), list(x = repr, y = repr), corrected_cka,
                    "participation_ratio")
  f <- form_linear(repr)
  n <- f$n
  trace <- sum(f$k) / f$d
  self <- lapply(c(naive = "naive", stimulus = "stimulus"), function(e) {
    self_h(repr, list(kernel = "linear", estimator = e), NULL)
  })
  if (f$d == 1) {
    warn("`x` has a single neuron (column): the neuron-corrected dimensionality is undefined (NA).",
         class = "repalign_undefined")
  }
  neuron <- if (f$d > 1) self_h(repr, list(kernel = "linear", estimator = "stimulus_neuron"), NULL)
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

#' The value that an estimator is expected to give from few stimuli and few neurons
#'
#' Predicts the expected value of the naive or the stimulus-corrected [cka()] from the
#' geometry of the representations and the numbers of stimuli and neurons.
#'
#' @param x a representation (stimuli x neurons), or the result of [linear_population()]. For
#'   the latter, `y` must not be given, and the exact parameters of the population are used.
#' @param y the other representation. If it is `NULL`, the prediction is for another sample
#'   of neurons from the population of `x`, so that the true CKA is 1.
#' @param estimator `"stimulus"`, `"naive"` or `"stimulus_neuron"`.
#' @param assume `"general"` makes no assumption about the variances of the neurons;
#'   `"normalized"` assumes that all neurons have the same variance (equation 12 of the
#'   paper).
#' @return A data frame with one row: `estimator`; `cka`, the value taken as the true one
#'   (the corrected estimate; for a simulated population its exact value; 1 without `y`);
#'   `expected`, the expected value of the estimator; `bias`, which is `expected - cka`;
#'   `factor`, which is `expected / cka` (`NA` when `cka` is 0).
#' @details
#' For `"stimulus"` the prediction, which holds for many stimuli, is \eqn{CKA / \sqrt{(1 +
#' (\gamma_x/\psi_x - 1)/Q_x)(1 + (\gamma_y/\psi_y - 1)/Q_y)}}{CKA / sqrt((1 + (gamma_x/psi_x -
#' 1)/Q_x) (1 + (gamma_y/psi_y - 1)/Q_y))}. Here \eqn{\gamma}{gamma} is the corrected
#' dimensionality, \eqn{\psi}{psi} the participation ratio `psi_neurons` and Q the number of
#' neurons ([participation_ratio()]). With `assume = "normalized"`, \eqn{\psi}{psi} is 1. For
#' `"naive"` the prediction is the ratio of the exact expectations of the H values for n
#' stimuli whose means are estimated. `"stimulus_neuron"` has no bias to this order.
#'
#' When not to trust it: the parameters are themselves estimated from the data, unless the
#' population is simulated. The corrected dimensionality scatters, and the other ratios are
#' not corrected for small samples. For raw spike counts only `assume = "general"` is
#' appropriate; for `"normalized"`, divide each neuron by its standard deviation first. The
#' prediction assumes that `x` and `y` have no neurons in common, and there is no way to
#' label those that they share. The result is `NA`, with a warning, when the corrected
#' dimensionality or the corrected CKA is undefined.
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
      abort("`y` must not be given when `x` is a simulated population, which holds both sides.",
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
  check_pair_memory(declaration("cka"), pair, corrected_cka, "predicted_bias")
  fx <- form_linear(pair$x)
  fy <- form_linear(pair$y)
  value <- compare_pair(declaration("cka"), pair, corrected_cka)
  self <- vapply(pair[c("x", "y")], function(repr) self_h(repr, corrected_cka, NULL)$value, 0)
  list(n = fx$n, x = side_geometry(pair$x), y = side_geometry(pair$y), cka = value,
       diagonal = if (is.na(value)) NA_real_
       else mean(fx$k / fx$d * fy$k / fy$d) / sqrt(self[["x"]]) / sqrt(self[["y"]]))
}

corrected_cka <- list(kernel = "linear", estimator = "stimulus_neuron", shared_neurons = FALSE)

side_geometry <- function(repr) {
  if (ncol(repr$data) < 2) {
    abort("`", repr$arg, "` has a single neuron (column): its dimensionality cannot be corrected; ",
          "at least two are needed.", class = "repalign_error_pairs", arg = repr$arg)
  }
  ratio <- participation_ratio(repr$data)
  list(q = ncol(repr$data), gamma = ratio$stimulus_neuron, psi_stimuli = ratio$psi_stimuli,
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
#' The CKA is a ratio of estimates, and a ratio is biased even if each of its parts is
#' unbiased. From several estimates of the H values, this function computes that bias to
#' second order.
#'
#' @param h a numeric matrix or data frame with one row per independent estimate (trial,
#'   laboratory, split), at least two, and three columns: `h_xy`, `h_xx` and `h_yy`. Columns
#'   without these names are taken in this order. All estimates must be made by the same
#'   estimator.
#' @return A data frame with one row: `ratio`, the pooled ratio \eqn{mean(h_{xy}) /
#'   \sqrt{mean(h_{xx}) mean(h_{yy})}}{mean(h_xy) / sqrt(mean(h_xx) mean(h_yy))}; `bias`, its
#'   second-order bias; `corrected`, which is `ratio - bias`; `mean_single`, the mean of the
#'   ratios of the single rows, where these are defined; `bias_single`, the second-order bias
#'   of the ratio of a single row.
#' @details
#' With N independent rows, the bias of the pooled ratio is 1/N of the bias of a single
#' ratio. A mean denominator that is not positive is an error.
#'
#' When not to trust it: the bias is computed by an expansion around the means, so the
#' standard deviations of `h_xx` and `h_yy` must be small relative to their means. Rows that
#' share stimuli or neurons are not independent, and the bias of the pooled ratio is then
#' understated.
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
    abort("The mean of `", c("h_xx", "h_yy")[if (center[2] <= 0) 1 else 2], "` in `h` is not ",
          "positive, so the ratio is undefined: give more estimates (rows).",
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
