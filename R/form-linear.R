# The form of the linear kernel.

#' @include form.R relabel.R
NULL

# Linear kernel: column sums of squares and fourth powers, row norms, the sum of all
# squared cross products, and with more neurons than stimuli the Gram matrix.
form_linear <- function(repr) {
  remember_form(repr, "linear", list(), linear_form(repr, route = wanted_route(repr)))
}

declare_form("linear", relabel = relabel_parts(each = "k", square = "gram"),
             size = function(n, d, args) if (d > n) as.double(n)^2 else as.double(d)^2)

# Where the Gram matrix is needed anyway (prepare_grams), it is the cheapest route, too.
wanted_route <- function(repr) if (isTRUE(repr$cache$gram_wanted)) "sample" else "auto"

linear_form <- function(repr, route = "auto", chunk = NULL) {
  center <- form_centering(repr)
  n <- repr$n
  d <- ncol(repr$data)
  if (route == "auto") route <- if (d > n) "sample" else "feature"
  form <- .Call(C_linear_form, repr$data, center$means, center$scale, route == "sample", chunk)
  c(form, list(n = n, d = d, means = center$means, scale = center$scale))
}
