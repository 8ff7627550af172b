# Centring and scaling of the columns, which nearly every other form starts from.

# Column means and a power of two that brings the largest centred entry near one,
# so that fourth powers neither overflow nor underflow; powers of two cost no digits.
form_centering <- function(rep) {
  remember(rep$cache, "centering", {
    stats <- .Call(C_column_stats, rep$data)
    if (!is.finite(stats$largest)) {
      abort("`", rep$arg, "` has values too large to take differences of; rescale it.",
            class = "repalign_error_value", arg = rep$arg)
    }
    if (stats$largest == 0) {
      abort("`", rep$arg, "` has no variance: every column is constant over the ",
            rep$n, " stimuli.", class = "repalign_error_variance", arg = rep$arg)
    }
    list(means = stats$means, scale = power_of_two_below(stats$largest))
  })
}

# What is taken off the columns, and the power of two that brings entries near one; without
# centring the means are zeros.
form_scaling <- function(rep, center) {
  if (center) return(form_centering(rep))
  remember(rep$cache, "scaling", {
    list(means = numeric(ncol(rep$data)), scale = power_of_two_below(max(abs(range(rep$data)))))
  })
}
