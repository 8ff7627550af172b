# The form of the linear kernel is made here.

#' @include form.R relabel.R
NULL

# All parts are of the centred and scaled data: s and f, the sums of squares and of fourth powers of
# each column; k, the squared norm of each row; total, the sum of the squared inner products of all
# neuron pairs; and gram, the Gram matrix, if there are more neurons than stimuli.
form_linear <- function(repr) {
  route <- cheapest_route(repr)
  remember_form(repr, "linear", list(route), linear_form(repr, route))
}

declare_form("linear", relabel = relabel_parts(each = "k", square = "gram"),
             size = function(n, d, args) if (d > n) as.double(n)^2 else as.double(d)^2)

# With route "sample" the parts are made from the Gram matrix, which is n x n, and with "feature"
# from the cross products, which are d x d; "auto" takes the smaller ones. But if prepare_grams()
# needs the Gram matrix anyway, it costs least to use it.
cheapest_route <- function(repr) {
  if (isTRUE(repr$cache$gram_wanted)) "sample" else smaller_route(repr)
}

smaller_route <- function(repr) if (ncol(repr$data) > repr$n) "sample" else "feature"

linear_form <- function(repr, route = "auto", chunk = NULL) {
  center <- form_centering(repr)
  n <- repr$n
  d <- ncol(repr$data)
  if (route == "auto") route <- smaller_route(repr)
  form <- .Call(C_linear_form, repr$data, center$means, center$scale, route == "sample", chunk)
  c(form, list(n = n, d = d, means = center$means, scale = center$scale))
}
