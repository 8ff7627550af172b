# H values (HSIC) of pairs are computed here: for linear kernels as sums over neuron pairs, for
# other kernels as inner products of centred kernels.

#' The H value (Hilbert-Schmidt independence criterion) of two representations
#'
#' What [cka()] is made of: `cka(x, y) = hsic(x, y) / sqrt(hsic(x, x) * hsic(y, y))`.
#'
#' @param x,y,kernel,estimator,shared_neurons,units_x,units_y,sigma,bandwidth,k see [cka()].
#' @param clusters,shared_noise,complete,na see [cka()].
#' @param ... not used.
#' @return One number; with the linear kernel in squared units of `x` times those of `y`, with
#'   others without units.
#' @details
#' With the linear kernel, the naive value is the mean over all pairs of neurons, one from each
#' side, of the squared covariance of their responses. `"stimulus"` is unbiased over random stimuli
#' (Song et al. 2012), `"stimulus_neuron"`, the mean over the pairs that `shared_neurons`, `units_x`
#' and `units_y` allow, over random neurons, too. Corrected values can be negative.
#'
#' From several trials ([responses()]), `"stimulus_trial"` keeps all pairs of neurons,
#' `"stimulus_neuron_trial"` leaves out those of a neuron with itself, by the names of neurons: give
#' unnamed ones `neuron = seq_len(ncol(x))`.
#'
#' When not to trust it: the H value of a linear kernel depends on the units of the data. From few
#' stimuli or neurons corrected values scatter widely. Stimuli that [depend on each
#' other][dependence] make them too high, unless `clusters` names them.
#' @references Gretton et al. (2005), ALT. Song et al. (2012), JMLR 13. Chun et al. (2025),
#'   \doi{10.48550/arXiv.2502.15104}.
#' @examples
#' set.seed(1)
#' pop <- linear_population(n = 50, q = 30, d = 10)
#' hsic(pop$x, pop$y, estimator = "stimulus")
#' # the self term in the denominator of the corrected CKA
#' hsic(pop$x, pop$x, estimator = "stimulus_neuron", shared_neurons = TRUE)
#' @export
hsic <- function(x, y, kernel = c("linear", "rbf", "manifold"),
                 estimator = c("naive", "stimulus", "stimulus_neuron", "stimulus_trial",
                               "stimulus_neuron_trial"), shared_neurons = FALSE,
                 units_x = NULL, units_y = NULL, sigma = NULL, bandwidth = 1, k = 15,
                 clusters = NULL, shared_noise = c("auto", "trials", "pairs"),
                 complete = c("none", "x", "y", "both"), na = c("error", "stimuli", "neurons"),
                 ...) {
  refuse_partial_words(sys.call(), sys.function(), parent.frame())
  if (missing(x) || missing(y)) missing_side(missing(x))
  measure <- asked_measure("cka", list(
    kernel = kernel, estimator = estimator, shared_neurons = shared_neurons, units_x = units_x,
    units_y = units_y, sigma = sigma, bandwidth = bandwidth, k = k, clusters = clusters,
    shared_noise = shared_noise, complete = complete
  ))
  measure$label <- "hsic"
  in_open_pair(x, y, measure, "hsic()", na, function(pair, measure) {
    args <- measure$args
    check_cka_pair(pair, args)
    note_shared_neurons(pair, args)
    if (args$kernel == "linear") leave_out_self(pair, args$estimator)
    h <- pair_h(pair, args)
    value <- unscale_h(h$value, h$scale)
    refuse_if(is.na(value), "value", "The H value of `x` and `y` is too large or too small for a ",
              "double: rescale the data.")
    value
  })
}

# H values are computed from data that were multiplied by powers of two, whose exponents for both
# sides are `exponents`. This takes the powers out again, in parts, so that no step overflows or
# underflows unless the result does; then it is NA.
unscale_h <- function(value, exponents) {
  exponent <- -2 * sum(exponents)
  part <- trunc(exponent / 4)
  factor <- 2^part
  result <- value * factor * factor * factor * 2^(exponent - 3 * part)
  # smaller numbers have fewer digits
  lost <- is.infinite(result) || (isTRUE(abs(result) < .Machine$double.xmin) && value != 0)
  if (lost) NA_real_ else result
}

# list(value, magnitude, scale): the H value of the scaled data, the size of the terms that it is a
# sum of (rounding errors are a share of it), and the exponents of two of both sides.
pair_h <- function(pair, args) {
  pair <- labelled_pair(pair, args$clusters)
  h_by_labels(pair, args, pair_labels(pair, args))
}

# labels: of neurons, of which pairs of equal ones are left out, list(x, y) or NULL; self: is it a
# self term?
h_by_labels <- function(pair, args, labels, self = FALSE) {
  if (args$corrects$trials) return(pair_trial_h(pair, args, labels, self))
  if (goes_by_clusters(args)) return(cluster_h(pair, args, labels, self))
  switch(args$kernel, linear = linear_h(pair, args$estimator, labels, self), rbf = {
    corrected <- args$estimator == "stimulus"
    a <- form_gaussian(pair$x, args$sigma, args$bandwidth, corrected)
    b <- if (pair$self) a else form_gaussian(pair$y, args$sigma, args$bandwidth, corrected)
    n <- as.double(pair$x$n)
    # centring takes differences of kernel entries; products of differences that are nothing but
    # rounding are smaller than products of entries by rounding_share squared, so it is a factor of
    # the magnitude here, and is_positive() multiplies by it once more
    list(value = packed_centered_product(a, b) / (if (corrected) n * (n - 3) else n^2),
         magnitude = rounding_share * sqrt(a$mean_square * b$mean_square), scale = c(0, 0))
  }, manifold = {
    # the H value of two manifold kernels is computed from sums over their entries
    a <- form_manifold(pair$x, args$k)
    # not a, for one representation on both sides: its ties may come in another order there
    b <- form_manifold(pair$y, args$k)
    manifold_value(.Call(C_sparse_dot, a, b), sum(a$row_sums * b$row_sums), a, b, args)
  }, no_branch(args$kernel))
}

# The self term of a representation whose stimuli all have a label, where there are clusters. units:
# the labels of neurons, of which pairs of equal ones are left out; NULL: nothing is left out.
self_h <- function(repr, args, units, form = form_linear(repr)) {
  if (args$kernel == "linear" && args$estimator == "naive") return(naive_self_h(form))
  settings <- args[c("kernel", "estimator", "sigma", "bandwidth", "k")]
  # by another route, it differs by rounding
  route <- if (args$kernel == "linear") cheapest_route(repr)
  what <- list(settings, units, args$clusters, manifold_order(repr, args), route)
  remember_summary(repr, "H with itself", what, {
    pair <- self_pair(repr)
    if (args$corrects$trials) check_trials(pair, args)
    h_by_labels(pair, args, if (!is.null(units)) list(x = units, y = units), TRUE)
  })
}

linear_h <- function(pair, estimator, labels = NULL, self = FALSE) {
  if (estimator == "naive") return(naive_h(pair))
  totals <- linear_totals(pair)
  count <- totals$pairs
  sum <- stimulus_sum(totals)
  if (corrections[[estimator]]$neurons && !is.null(labels)) {
    left_out <- excluded_pairs(labels$x, labels$y)
    count <- count - left_out$count
    if (count == 0) no_allowed_pair(pair, self)
    sum <- sum - excluded_sum(pair, left_out, self)
  }
  list(value = sum / count, magnitude = totals$cross_squares / (totals$n^2 * count),
       scale = totals$scale)
}

# The naive value is the mean over all neuron pairs of the squared inner product of two centred
# columns, by the number of stimuli.
naive_h <- function(pair, x = form_linear(pair$x), y = form_linear(pair$y)) {
  if (pair$self) return(naive_self_h(x))
  value <- cross_squares(pair, x, y) / (x$n^2 * (as.double(x$d) * y$d))
  list(value = value, magnitude = value, scale = log2(c(x$scale, y$scale)))
}

naive_self_h <- function(form) {
  value <- form$total / (form$n^2 * (as.double(form$d) * form$d))
  list(value = value, magnitude = value, scale = log2(c(form$scale, form$scale)))
}

# Sums over all neuron pairs, which are pairs of centred columns phi and psi: of (phi' psi)^2
# (cross_squares), of the inner product of phi^2 and psi^2 (square_products), and of |phi|^2 |psi|^2
# (norm_products). Each is computed in the way that takes least time.
linear_totals <- function(pair) {
  remember(pair$cache, "linear totals", {
    fx <- form_linear(pair$x)
    fy <- form_linear(pair$y)
    list(
      cross_squares = if (pair$self) fx$total else cross_squares(pair, fx, fy),
      square_products = .Call(C_dot, fx$k, fy$k), norm_products = sum(fx$s) * sum(fy$s),
      n = fx$n, pairs = as.double(fx$d) * fy$d, scale = log2(c(fx$scale, fy$scale))
    )
  })
}

# Several measures share it. Where only one asks, remembering would take longer than it saves.
cross_squares <- function(pair, x, y) {
  if (isTRUE(pair$x$cache$compared_once)) return(cross_total(pair, x, y))
  remember(pair$cache, "cross squares", {
    # prepare_grams() may have computed the sums for all pairs of a grid at once
    row <- pair$x$cache$grid_row
    at <- pair$y$cache$grid_column
    if (is.null(at) || is.null(row)) cross_total(pair, x, y) else row[at]
  })
}

cross_total <- function(pair, fx, fy, chunk = NULL) {
  if (!is.null(fx$gram) && !is.null(fy$gram)) return(.Call(C_dot, fx$gram, fy$gram))
  if (!is.null(fx$gram)) {
    return(.Call(C_gram_column_total, fx$gram, pair$y$data, fy$means, fy$scale))
  }
  if (!is.null(fy$gram)) {
    return(.Call(C_gram_column_total, fy$gram, pair$x$data, fx$means, fx$scale))
  }
  .Call(C_linear_cross, pair$x$data, fx$means, fx$scale, pair$y$data, fy$means, fy$scale, chunk)
}

# The stimulus-corrected estimates of the neuron pairs in `totals`, added up.
stimulus_sum <- function(totals) {
  song_estimate(totals$cross_squares, totals$square_products, totals$norm_products, totals$n,
                diagonal = TRUE)
}

# The same for the neuron pairs that the neuron correction leaves out: those of units with several
# neurons on a side (blocks), and those of units with one neuron on each side (single pairs).
# estimate: what is added up over neuron pairs, a function of the totals of a block of them.
excluded_sum <- function(pair, left_out, self, estimate = stimulus_sum) {
  fx <- form_linear(pair$x)
  fy <- form_linear(pair$y)
  blocks <- vapply(left_out$blocks, function(block) {
    sub <- function(repr, columns) {
      center <- form_centering(repr)
      part <- repr
      part$data <- repr$data[, columns, drop = FALSE]
      part$cache <- new_cache()
      # the block must be scaled like the whole data, and unlike whole data it may be constant
      remember_form(part, "scaling", list(center = TRUE),
                    list(means = center$means[columns], scale = center$scale))
      part
    }
    x <- sub(pair$x, block$x)
    y <- if (pair$self && identical(block$x, block$y)) x else sub(pair$y, block$y)
    estimate(linear_totals(list(x = x, y = y, self = identical(x$cache, y$cache),
                                cache = new_cache())))
  }, 0)
  if (!length(left_out$x)) return(sum(blocks))
  s <- fx$s[left_out$x]
  t <- fy$s[left_out$y]
  moments <- if (pair$self && identical(left_out$x, left_out$y)) {
    list(c = s, dd = fx$f[left_out$x])
  } else {
    .Call(C_paired_moments, pair$x$data, fx$means, fx$scale, pair$y$data, fy$means, fy$scale,
          left_out$x, left_out$y)
  }
  sum(blocks) + estimate(list(cross_squares = sum(moments$c^2), square_products = sum(moments$dd),
                              norm_products = sum(s * t), n = fx$n))
}

# dot: the sum of the products of the entries; rows: the sum of the products of the row sums. Both
# leave out the diagonals, whose ones count in the naive value only and are added here.
manifold_value <- function(dot, rows, a, b, args) {
  n <- as.double(a$n)
  magnitude <- if (args$corrects$stimuli) dot / (n * (n - 3)) else (dot + n) / n^2
  list(value = manifold_h(dot, rows, sum(a$row_sums), sum(b$row_sums), n, args),
       magnitude = magnitude, scale = c(0, 0))
}

# total_a, total_b: the sums of all entries.
manifold_h <- function(dot, rows, total_a, total_b, n, args) {
  if (args$corrects$stimuli) return(song_estimate(dot, rows, total_a * total_b, n))
  (dot + n - 2 * (rows + (total_a + total_b) + n) / n + (total_a / n + 1) * (total_b / n + 1)) / n^2
}
