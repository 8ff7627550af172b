# Columns are centred and scaled here, before nearly every other form is made of them.

#' @include form.R relabel.R
NULL

# list(means, largest, size, finite), in one pass over the data, which reading them makes already
# (representation()): means of the columns, the largest absolute entry of the centred data and of
# the data.
column_stats <- function(repr) {
  if (is.null(repr$cache$column_stats)) {
    repr$cache$column_stats <- .Call(C_column_stats, repr$data)
  }
  repr$cache$column_stats
}

# list(means, scale): the column means, and a power of two that brings the largest centred entry
# near 1, so that fourth powers neither overflow nor underflow. Multiplying by a power of two is
# exact.
form_centering <- function(repr) {
  remember_form(repr, "scaling", list(center = TRUE), {
    stats <- column_stats(repr)
    if (!is.finite(stats$largest)) {
      abort("`", repr$arg, "` has values too large to take differences of; rescale it.",
            class = "repalign_error_value", arg = repr$arg)
    }
    if (stats$largest == 0) {
      abort("`", repr$arg, "` has no variance: every column is constant over the ",
            repr$n, " stimuli.", class = "repalign_error_variance", arg = repr$arg)
    }
    list(means = stats$means, scale = power_of_two_below(stats$largest))
  })
}

# The same, or without centring, when the means are zeros.
form_scaling <- function(repr, center) {
  if (center) return(form_centering(repr))
  remember_form(repr, "scaling", list(center = FALSE), {
    list(means = numeric(ncol(repr$data)), scale = power_of_two_below(column_stats(repr)$size))
  })
}

# The same with `norm`, the Frobenius norm of the centred and scaled data.
form_scaling_norm <- function(repr, center) {
  unit <- form_scaling(repr, center)
  norm <- remember_summary(repr, "norm", list(center), {
    list(norm = .Call(C_frobenius, repr$data, unit$means, unit$scale))
  })$norm
  extend_form(unit, norm = norm)
}

declare_form("scaling", relabel = unmoved, size = function(n, d, args) d)

scaled_data <- function(repr, center) {
  unit <- form_scaling(repr, center)
  .Call(C_center, repr$data, unit$means, unit$scale)
}
