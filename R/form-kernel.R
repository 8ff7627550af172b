# The forms of the linear and of the Gaussian kernel.

#' @include form.R
NULL

# ---- gaussian

# The form of the Gaussian kernel, and the width of the kernel, are made here.

# The entries of the kernel with what centring subtracts, and the mean square of the entries.
# `corrected` chooses the centring of the estimator "stimulus", U-centring, in which the diagonal
# does not count; otherwise the kernel is double-centred, for "naive". sigma is in the units of the
# data.
form_gaussian <- function(repr, sigma, bandwidth, corrected) {
  remember_form(repr, "gaussian", list(sigma, bandwidth, corrected), {
    gaussian <- gaussian_entries(repr, gaussian_width(repr, sigma, bandwidth))
    n <- as.double(repr$n)
    squares <- 2 * packed_product(gaussian$entries, gaussian$entries)
    if (corrected) {
      c(u_centering(gaussian$entries, n), list(mean_square = squares / (n * (n - 3))))
    } else {
      diagonal <- if (gaussian$shifted) 0 else 1
      c(double_centering(gaussian$entries, n, diagonal),
        list(mean_square = (squares + n * diagonal) / n^2))
    }
  })
}

declare_form("gaussian", relabel = relabel_parts(packed = "entries", each = "means"),
             size = function(n, d, args) packed_length(n))

# The entries of a wide kernel are all near 1. Such a kernel is shifted: its entries are computed
# less 1, which centring would subtract anyway, so that their differences keep all digits. A kernel
# whose entries do not differ at all is refused, because it says nothing about the data.
gaussian_entries <- function(repr, width) {
  d <- form_distances(repr)$d
  entries <- .Call(C_gaussian, d, width, FALSE, thread_count())
  range <- value_range(entries)
  if (range[2] < .Machine$double.eps) refuse_flat_kernel(repr$arg, "below", "higher")
  beside_self <- 2 * .Call(C_packed_sum, entries, FALSE, thread_count()) / repr$n
  warn_if(beside_self < 0.01, "trivial", "The Gaussian kernel of `{repr$arg}` is so narrow that a ",
          "stimulus resembles hardly any but itself: the naive CKA is then near 1 whatever the ",
          "data. Set `sigma` or `bandwidth` higher.", data = repr$arg)
  shifted <- range[1] > 0.5
  if (shifted) {
    entries <- .Call(C_gaussian, d, width, TRUE, thread_count())
    if (value_range(entries)[1] > -1e-150) refuse_flat_kernel(repr$arg, "above", "lower")
  }
  list(entries = entries, shifted = shifted)
}

refuse_flat_kernel <- function(arg, where, remedy) {
  refuse("value", "The Gaussian kernel of `{arg}` carries no information: its width is far ",
         "{where} all distances between rows. Set `sigma` or `bandwidth` {remedy}.", arg = "sigma")
}

gaussian_width <- function(repr, sigma, bandwidth) {
  if (!is.null(sigma)) return(sigma * form_distances(repr)$scale)
  width <- bandwidth * median_distance(repr)
  refuse_if(width == 0, "value", "The median distance between the rows of `{repr$arg}` is 0 (most ",
            "rows are equal), so the width of the kernel would be 0: set `sigma`.", arg = "sigma")
  width
}

# ---- linear

# The form of the linear kernel is made here.

# All parts are of the centred and scaled data: s and f, the sums of squares and of fourth powers of
# each column; k, the squared norm of each row; total, the sum of the squared inner products of all
# neuron pairs; and gram, the Gram matrix, if there are at least as many neurons as stimuli.
form_linear <- function(repr) {
  route <- cheapest_route(repr)
  # all that this one has is remembered already
  if (route == "none") return(linear_form(repr, route))
  remember_form(repr, "linear", list(route), linear_form(repr, route))
}

form_of_neurons <- function(repr) {
  remember_form(repr, "linear", list("feature"), linear_form(repr, "feature"))
}

declare_form("linear", relabel = relabel_parts(each = "k", square = "gram"),
             size = function(n, d, args) as.double(min(n, d))^2)

# With route "sample" the parts are made from the Gram matrix, which is n x n, and with "feature"
# from the cross products, which are d x d; the smaller ones are taken, and of equal ones Gram
# matrices, whose inner product is all that another side needs. But if prepare_grams() needs the
# Gram matrix anyway, it costs least to use it: the cache then names the route. "sums" leaves the
# products and `total` out, and "none" also the sums: see leave_out_self().
cheapest_route <- function(repr) {
  wanted <- repr$cache$route
  if (!is.null(wanted)) return(wanted)
  size <- dim(repr$data)
  if (size[2] >= size[1]) "sample" else "feature"
}

# Marks the sides of a pair of which nothing but the cross products is wanted (and for corrected
# estimators the sums), where these take no more multiplications than two Gram matrices.
leave_out_self <- function(pair, estimator) {
  dx <- as.double(dim(pair$x$data)[2])
  dy <- as.double(dim(pair$y$data)[2])
  if (pair$self || 2 * dx * dy > pair$x$n * (dx + dy)) return(invisible())
  route <- if (estimator == "naive") "none" else "sums"
  for (cache in list(pair$x$cache, pair$y$cache)) cache$route <- route
}

linear_form <- function(repr, route, chunk = NULL) {
  center <- form_centering(repr)
  form <- list(n = repr$n, d = ncol(repr$data), means = center$means, scale = center$scale)
  if (route == "none") return(form)
  product <- match(route, c("sums", "feature", "sample")) - 1L
  c(.Call(C_linear_form, repr$data, center$means, center$scale, product, chunk), form)
}
