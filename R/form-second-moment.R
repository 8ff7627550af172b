# Forms of the second moments of a representation, the inner products of its centred rows, which
# data have and squared distances determine.

#' @include form.R relabel.R
NULL

# list(factor, norm, scale, cut): a matrix with a row for each stimulus, whose products with itself
# are the second moments; its Frobenius norm; the power of two by which it is larger than the data;
# and which share of the absolute eigenvalues was negative and so set to 0.
form_second_moment <- function(repr) {
  remember_form(repr, "second moment", list(), {
    if (repr$kind == "data") moment_of_data(repr) else moment_of_distances(repr)
  })
}

declare_form("second moment", relabel = relabel_parts(rows = "factor"),
             size = function(n, d, args) as.double(n) * if (d == 0) n else min(n, d))

moment_of_data <- function(repr) {
  unit <- form_centering(repr)
  wide <- ncol(repr$data) > repr$n
  factor <- if (wide) .Call(C_row_factor, repr$data, unit$means, unit$scale) else
    scaled_data(repr, TRUE)
  list(factor = factor, norm = frobenius(factor), scale = unit$scale, cut = 0)
}

moment_of_distances <- function(repr) {
  square <- form_squared_distances(repr)
  n <- repr$n
  moment <- -unpacked(double_centering(square$d, as.double(n)), n) / 2
  announce_decomposition(n, n, "vectors")
  parts <- eigen(moment, symmetric = TRUE)
  keep <- parts$values > n * .Machine$double.eps * max(abs(parts$values))
  factor <- parts$vectors[, keep, drop = FALSE] * rep(sqrt(parts$values[keep]), each = n)
  size <- sum(abs(parts$values))
  list(factor = factor, norm = frobenius(factor), scale = square$scale,
       cut = if (size > 0) sum(pmax(-parts$values, 0)) / size else 0)
}

# list(d, scale): squared distances times the square of `scale`, a power of two that keeps them near
# 1. A "dist" object holds squares, but for Euclidean distances that dist() made.
form_squared_distances <- function(repr) {
  remember_form(repr, "squared distances", list(), {
    d <- if (repr$kind == "data") form_distances(repr)$d else as.double(repr$data)
    before <- if (repr$kind == "data") form_distances(repr)$scale else 1
    largest <- max(abs(d))
    scale <- if (largest == 0) 1 else if (holds_squares(repr)) {
      power_of_two_below(sqrt(largest))
    } else {
      power_of_two_below(largest)
    }
    d <- if (holds_squares(repr)) d * scale * scale else (d * scale)^2
    list(d = d, scale = scale * before)
  })
}

declare_form("squared distances", relabel = relabel_parts(packed = "d"),
             size = function(n, d, args) packed_length(n))

holds_squares <- function(repr) {
  repr$kind == "dist" && !identical(attr(repr$data, "method"), "euclidean")
}

# Squares of what dist() made cannot be told from it.
note_squares <- function(repr, id) {
  if (repr$kind != "dist" || holds_squares(repr)) return(invisible())
  say_once(repr, "squared", {
    inform("`", repr$arg, "` has Euclidean distances made by dist(): ", id, "() squares them. If ",
           "they are squares already (dist(x)^2 keeps the attribute), set attr(", repr$arg,
           ", \"method\") <- NULL.", class = "repalign_squared")
  })
}

warn_projected <- function(repr, share) {
  if (share <= 1e-8) return(invisible())
  say_once(repr, "projected", {
    warn("The dissimilarities of `", repr$arg, "` are not squared Euclidean distances: negative ",
         "eigenvalues of their second moments, ", format(100 * share, digits = 2), "% of the sum ",
         "of absolute eigenvalues, are set to 0.", class = "repalign_projected", data = share)
  })
}
