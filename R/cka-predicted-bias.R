# The values that estimators of CKA are expected to have.

#' @include result-class.R
NULL

declare_result(
  "repalign_predicted_bias", from = "predicted_bias", words = "predictions of predicted_bias()",
  columns = described_columns(
    column("estimator", "the estimator of the CKA", key = TRUE, tidy = "term"),
    column("cka", "the value taken as the true one", shown = 2),
    column("expected", "the expected value of the estimator", shown = 1, tidy = "estimate"),
    column("bias", "expected - cka", shown = 3),
    column("factor", "expected / cka", shown = 4)
  ),
  heading = function(x, digits) paste0("Expected values of the CKA: ", count_of(nrow(x), "row")),
  sentence = function(x) {
    need_columns(x, c("estimator", "cka", "expected"), "told", "result")
    vapply(seq_len(nrow(x)), function(row) {
      text <- number_words(x$cka[row], x$expected[row])
      paste0("Where the CKA is ", text[1], ", the ", estimator_words(x$estimator[row]),
             " is expected to be ", text[2], ".")
    }, "")
  }
)

#' The value that an estimator is expected to give from few stimuli and few neurons
#'
#' The expected value of an estimator of [cka()].
#'
#' @param x a representation (stimuli x neurons), or the result of [linear_population()], whose
#'   exact parameters are used, without `y`.
#' @param y the other representation; `NULL`: another sample of neurons from the population of `x`,
#'   so that the true CKA is 1.
#' @param estimator `"stimulus"`, `"naive"` or `"stimulus_neuron"`.
#' @param assume `"general"`: nothing about the variances of the neurons; `"normalized"`: all are
#'   equal.
#' @param na see [similarity()].
#' @param ... not used.
#' @return A data frame with one row: `estimator`; `cka`, the value taken as the true one (the
#'   corrected estimate; for a simulated population its exact value; 1 without `y`); `expected`,
#'   that of the estimator; `bias`, `expected - cka`; `factor`, `expected / cka`.
#' @details
#' The prediction for `"stimulus"` holds for many stimuli. That for `"stimulus_neuron"` is the
#' second-order bias of a ratio ([ratio_bias()]), and needs at least 5 stimuli; it is for the mean
#' of single ratios, while pooled estimates approach the true value.
#'
#' When not to trust it: the parameters are themselves estimated from the data, unless the
#' population is simulated. `"normalized"` asks for neurons divided by their standard deviations,
#' not for raw spike counts. `x` and `y` must have no neurons in common. The result is `NA`, with a
#' warning, when the corrected dimensionality or the corrected CKA is undefined. Where the H values
#' of a representation with itself vary much, a few large ratios dominate the mean, which the
#' prediction does not know.
#' @references Chun et al. (2025), \doi{10.48550/arXiv.2502.15104}, equation 12 and appendix B.2.
#' @examples
#' set.seed(1)
#' pop <- linear_population(n = 500, q = 40, d = 100)
#' predicted_bias(pop, estimator = "stimulus")
#' # from the data alone
#' predicted_bias(pop$x, pop$y, estimator = "stimulus")
#' @seealso [participation_ratio()]
#' @export
predicted_bias <- function(x, y = NULL, estimator = c("stimulus", "naive", "stimulus_neuron"),
                           assume = c("general", "normalized"),
                           na = c("error", "stimuli", "neurons"), ...) {
  need_arguments()
  estimator <- check_choice(estimator, c("stimulus", "naive", "stimulus_neuron"), "estimator")
  assume <- check_choice(assume, c("general", "normalized"), "assume")
  if (inherits(x, "repalign_population")) {
    refuse_if(!is.null(y), "type", "`y` must not be given: the population `x` holds both sides.")
    geometry <- x$theory
  } else {
    na <- check_choice(na, missing_rules, "na")
    reprs <- c(list(analysis_repr(x, "x", na)),
               if (!is.null(y)) list(analysis_repr(y, "y", na, "y")))
    for (repr in reprs) {
      refuse_if(is_complete(repr, list(), ""), "choice", "`{repr$arg}` declares complete = TRUE, ",
                "but this bias is that of a sample of neurons: as.matrix({repr$arg}) is one.")
    }
    reprs <- with_common_stimuli(reprs)
    # not even where clusters say so, which are not used
    refuse_repeats(reprs)
    sides <- open_sides(sides_of(reprs[1], reprs[-1]), list(analysis_measure("predicted_bias")),
                        na, grid = FALSE)$sides
    # the pair whose bias is asked for, or x beside itself
    pair <- if (is.null(y)) self_pair(sides$x$reprs[[1]]) else side_pair(sides, 1, 1)
    geometry <- estimated_geometry(pair, estimator, is.null(y))
  }
  if (estimator == "naive") check_rows(geometry$n, 2, "x", "a centred kernel")
  expected <- if (estimator == "stimulus_neuron") {
    geometry$cka + ratio_bias_of(geometry$h$mean, geometry$h$cov)
  } else {
    sides <- geometry[c("x", "y")]
    if (assume == "normalized") sides <- lapply(sides, replace, "psi_neurons", 1)
    inflation <- vapply(sides, function(s) 1 + (s$gamma / s$psi_neurons - 1) / s$q, 0)
    if (estimator == "stimulus") geometry$cka / sqrt(prod(inflation)) else {
      n <- geometry$n
      below <- vapply(c("x", "y"), function(side) {
        s <- sides[[side]]
        b <- s$gamma / s$psi_stimuli * (1 - 1 / s$q) + s$gamma / (s$rho * s$q)
        c <- s$gamma * (1 - 1 / s$q) + s$gamma / (s$psi_neurons * s$q)
        expected_naive_h(inflation[[side]], b, c, n)
      }, 0)
      traces <- sqrt(sides$x$gamma * sides$y$gamma)
      expected_naive_h(geometry$cka, geometry$diagonal, traces, n) / sqrt(prod(below))
    }
  }
  rows <- data.frame(estimator = estimator, cka = geometry$cka, expected = expected,
                     bias = expected - geometry$cka,
                     factor = if (identical(geometry$cka, 0)) NA_real_ else expected / geometry$cka)
  new_result(rows, "repalign_predicted_bias")
}

# n; x and y, each list(q, gamma, psi_stimuli, psi_neurons, rho); and in units of
# sqrt(<k_x^2> <k_y^2>): cka, the mean of k_x(s, s') k_y(s, s'), and diagonal, that of
# k_x(s, s) k_y(s, s). (zeta of the paper is their quotient, and infinite for cka = 0.) For
# "stimulus_neuron" only n, cka and h: means and covariances of the three H values. alone: is there
# no y?
estimated_geometry <- function(pair, estimator, alone) {
  rx <- pair$x
  if (estimator == "stimulus_neuron") {
    # what the bias of the corrected ratio comes from: cka, and h, the means of the three corrected
    # H values with their covariances, by the jackknife over stimuli and neurons
    check_rows(rx$n, 5, rx$arg, "a jackknife")
    for (repr in pair[c("x", "y")]) {
      refuse_single_neuron(repr, "the neuron correction needs at least two")
    }
    check_jackknife_memory(pair)
    value <- if (alone) 1 else compare_pair(declaration("cka"), pair, corrected_cka)
    if (alone && !is_positive(self_h(rx, corrected_cka, self_labels(rx, corrected_cka, "x")))) {
      warn("undefined", "The corrected CKA is undefined (NA): the H value of `x` with itself is ",
           "not positive. There are too few stimuli or neurons.")
      value <- NA_real_
    }
    h <- if (is.na(value)) {
      list(mean = rep(NA_real_, 3), cov = matrix(NA_real_, 3, 3))
    } else if (alone) {
      # for two samples of neurons of one population: their H values have the same mean; what the
      # stimuli add to one they add to all; of what a neuron adds to the self term of its sample,
      # half is added to the H value across the samples, where it takes part in half as many pairs
      layout <- neuron_layout(NULL, ncol(rx$data))
      table <- h_table(self_sums(centered_data(rx), "x", layout), "stimulus_neuron")
      parts <- two_way_products(table, table, list(n = rx$n, layout = layout))
      interaction <- sum(parts$interactions)
      own <- sum(parts$main) - interaction
      stimuli <- parts$main[1] - interaction
      half <- stimuli + parts$main[2] / 2
      cov <- c(own, half, half, half, own, stimuli, half, stimuli, own)
      list(mean = rep(table[1, 1], 3), cov = matrix(cov, 3))
    } else {
      loo <- leave_out_sums(pair, unit_layout(pair, corrected_cka))
      two_way_moments(lapply(loo[c("xy", "xx", "yy")], h_table, "stimulus_neuron"), loo)
    }
    warn_if(!is.na(value) && anyNA(h$cov), "undefined", "The bias of the corrected CKA is ",
            "undefined (NA): its jackknife needs at least 3 neurons on each side.")
    return(list(n = rx$n, cka = value, h = h))
  }
  check_rows(rx$n, 4, "x", "a corrected estimator")
  if (alone) {
    side <- side_geometry(rx)
    return(list(n = rx$n, x = side, y = side, cka = 1,
                diagonal = side$gamma / side$psi_stimuli))
  }
  fx <- form_linear(rx)
  fy <- form_linear(pair$y)
  check_pair_memory(declaration("cka"), pair, corrected_cka)
  value <- compare_pair(declaration("cka"), pair, corrected_cka)
  self <- vapply(pair[c("x", "y")], function(repr) {
    self_h(repr, corrected_cka, self_labels(repr, corrected_cka, "x"))$value
  }, 0)
  list(n = fx$n, x = side_geometry(rx), y = side_geometry(pair$y), cka = value,
       diagonal = if (is.na(value)) NA_real_
       else mean(fx$k / fx$d * fy$k / fy$d) / sqrt(self[["x"]]) / sqrt(self[["y"]]))
}

corrected_cka <- with_estimator(list(kernel = "linear", shared_neurons = FALSE), "stimulus_neuron")

side_geometry <- function(repr) {
  refuse_single_neuron(repr, "its dimensionality cannot be corrected; at least two are needed")
  ratio <- participation_ratio(repr$data)
  list(q = ncol(repr$data), gamma = ratio$stimulus_neuron, psi_stimuli = ratio$psi_stimuli,
       psi_neurons = ratio$psi_neurons, rho = ratio$rho)
}

refuse_single_neuron <- function(repr, why) {
  refuse_if(ncol(repr$data) < 2, "pairs", "`{repr$arg}` has a single neuron (column): {why}.")
}

# E[H_0] of n stimuli with estimated means, from the expectations of k_xy(s, s')
# products over different (a), equal (b) and unpaired (c) stimuli.
expected_naive_h <- function(a, b, c, n) (n - 1) / n^3 * ((n^2 - 2 * n + 2) * a + (n - 1) * b + c)
