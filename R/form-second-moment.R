# Forms of the second moments of a representation, the inner products of its centred rows, which
# data have and squared distances determine.

#' @include form.R
NULL

# list(factor, norm, scale, cut): a matrix with a row for each stimulus, whose products with itself
# are the second moments; its Frobenius norm; the power of two by which it is larger than the data;
# and which share of the absolute eigenvalues was negative and so set to 0.
form_second_moment <- function(repr) {
  remember_form(repr, "second moment", list(), {
    if (repr$kind == "data") {
      unit <- form_centering(repr)
      wide <- ncol(repr$data) > repr$n
      factor <- if (wide) .Call(C_row_factor, repr$data, unit$means, unit$scale) else
        scaled_data(repr, TRUE)
      list(factor = factor, norm = frobenius(factor), scale = unit$scale, cut = 0)
    } else {
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
  })
}

declare_form("second moment", relabel = relabel_parts(rows = "factor"),
             size = function(n, d, args) as.double(n) * if (d == 0) n else min(n, d))

# list(d, scale): squared distances times the square of `scale`, a power of two that keeps them near
# 1. A "dist" object holds squares, but for Euclidean distances that dist() made, and roots.
form_squared_distances <- function(repr) {
  remember_form(repr, "squared distances", list(), {
    d <- if (repr$kind == "data") form_distances(repr)$d else as.double(repr$data)
    before <- if (repr$kind == "data") form_distances(repr)$scale else 1
    largest <- max(abs(d))
    square <- repr$kind == "data" ||
      (repr$kind == "dist" && kind_of_values(repr$data) == "distances")
    scale <- if (largest == 0) 1 else if (square) {
      power_of_two_below(largest)
    } else {
      power_of_two_below(sqrt(largest))
    }
    d <- if (square) (d * scale)^2 else d * scale * scale
    list(d = d, scale = scale * before)
  })
}

declare_form("squared distances", relabel = relabel_parts(packed = "d"),
             size = function(n, d, args) packed_length(n))

# Squares of distances cannot be told from the distances; and ranks are neither.
note_squares <- function(repr, id) {
  kind <- if (repr$kind == "dist") kind_of_values(repr$data) else "squares"
  if (kind == "squares") return(invisible())
  say_once(repr, "squared", {
    if (kind == "neither") {
      warn("no_squares", "`{repr$arg}` holds no distances any more ({distance_words(repr$data)}), ",
           "but {id}() takes its values for squared distances: give the RDM as it was before ",
           "transform_rdm().", data = repr$arg)
    } else {
      plain <- is.null(attr(repr$data, "distance")) && is.null(attr(repr$data, "transformed"))
      inform("squared", "`{repr$arg}` has ",
             if (plain) "Euclidean distances made by dist()" else
               paste0("distances (", distance_words(repr$data),
                      ")"), ": {id}() squares them. If they are squares already (",
             if (plain) "dist(x)^2 keeps the attribute" else "arithmetic keeps the attributes",
             "), ",
             if (plain) {
               paste0("set attr(", repr$arg, ", \"method\") <- NULL.")
             } else paste0("give as.dist(as.matrix(", repr$arg,
                           "))."))
    }
  })
}
