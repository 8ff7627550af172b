# The form of the Gaussian kernel, and its width.

# Gaussian kernel, to be double-centred (naive) or U-centred (stimulus), and the mean square
# of its entries (the diagonal counts for naive only). sigma in the data's own units.
form_gaussian <- function(rep, sigma, bandwidth, corrected) {
  remember(rep$cache, list("gaussian", sigma, bandwidth, corrected), {
    gaussian <- gaussian_entries(rep, gaussian_width(rep, sigma, bandwidth))
    n <- as.double(rep$n)
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

# A wide kernel is near 1 everywhere: without the 1, which centring removes anyway, it
# keeps its digits. A kernel without any contrast left says nothing about the data.
gaussian_entries <- function(rep, width) {
  check_packed_memory(rep, 2)
  d <- form_distances(rep)$d
  entries <- .Call(C_gaussian, d, width, FALSE, thread_count())
  range <- .Call(C_value_range, entries)
  if (range[2] < .Machine$double.eps) no_contrast(rep$arg, "below", "higher")
  beside_self <- 2 * .Call(C_packed_sum, entries, FALSE, thread_count()) / rep$n
  if (beside_self < 0.01) warn_narrow_kernel(rep)
  shifted <- range[1] > 0.5
  if (shifted) {
    entries <- .Call(C_gaussian, d, width, TRUE, thread_count())
    if (.Call(C_value_range, entries)[1] > -1e-150) no_contrast(rep$arg, "above", "lower")
  }
  list(entries = entries, shifted = shifted)
}

warn_narrow_kernel <- function(rep) {
  warn("The Gaussian kernel of `", rep$arg, "` is so narrow that a stimulus resembles hardly any ",
       "but itself: the naive CKA is then near 1 whatever the data. Set `sigma` or `bandwidth` ",
       "higher.", class = "repalign_trivial", data = rep$arg)
}

no_contrast <- function(arg, where, remedy) {
  abort("The Gaussian kernel of `", arg, "` carries no information: its width is far ", where,
        " all distances between rows. Set `sigma` or `bandwidth` ", remedy, ".",
        class = "repalign_error_value", arg = "sigma")
}

gaussian_width <- function(rep, sigma, bandwidth) {
  if (!is.null(sigma)) return(sigma * form_distances(rep)$scale)
  width <- bandwidth * form_median_distance(rep)
  if (width == 0) {
    abort("The median distance between the rows of `", rep$arg, "` is 0 (most rows are equal), ",
          "so the width of the kernel would be 0: set `sigma`.",
          class = "repalign_error_value", arg = "sigma")
  }
  width
}
