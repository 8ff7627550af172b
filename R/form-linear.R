# The form of the linear kernel.

# Linear kernel: column sums of squares and fourth powers, row norms, the sum of all
# squared cross products, and with more neurons than stimuli the Gram matrix.
form_linear <- function(rep) {
  remember(rep$cache, "linear", linear_form(rep, route = wanted_route(rep)))
}

# Where the Gram matrix is needed anyway (plan_grams), it is the cheapest route, too.
wanted_route <- function(rep) if (isTRUE(rep$cache$gram_wanted)) "sample" else "auto"

linear_form <- function(rep, route = "auto", chunk = NULL) {
  center <- form_centering(rep)
  n <- rep$n
  d <- ncol(rep$data)
  if (route == "auto") route <- if (d > n) "sample" else "feature"
  side <- if (route == "sample") n else d
  check_memory(8 * side^2, paste0("The ", side, " x ", side, " product of `", rep$arg, "`"),
               "Fewer neurons or fewer stimuli need less.")
  form <- .Call(C_linear_form, rep$data, center$means, center$scale, route == "sample", chunk)
  c(form, list(n = n, d = d), center)
}
