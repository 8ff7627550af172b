# Representations and the forms prepared from them. A form is made once per
# representation, on first use, and kept in its cache for the rest of the call.

# What stands for a representation: responses, their distances, or a neighbour graph.
kinds <- c("data", "dist", "graph")

kind_of <- function(x) {
  if (inherits(x, "dist")) return("dist")
  if (is_graph(x)) "graph" else "data"
}

# allow_na: missing values may be there, and will be taken out (cut_rep).
representation <- function(x, arg, name = arg, allow_na = FALSE) {
  kind <- kind_of(x)
  data <- switch(kind, data = as_numeric_matrix(x, arg, allow_na, allow_na),
                 dist = check_dist(x, arg, allow_na), graph = check_graph(x, arg))
  if (kind == "data" && !allow_na) note_distance_matrix(data, arg)
  list(kind = kind, data = data, n = stimulus_count(data), arg = arg, name = name,
       cache = new.env())
}

# One pair; its cache keeps what several measures of this pair share.
# by_name: must the names of the rows agree?
as_pair <- function(rx, ry, by_name = TRUE) {
  check_same_rows(rx$data, ry$data, rx$arg, ry$arg, by_name)
  list(x = rx, y = ry, self = identical(rx$cache, ry$cache), cache = new.env())
}

# For functions that work on the responses themselves, or on what else they accept.
representation_pair <- function(x, y, accepted = "data") {
  if (missing(x) || missing(y)) missing_side(missing(x))
  rx <- need_kind(representation(x, "x"), accepted, "this")
  pair <- as_pair(rx, need_kind(representation(y, "y"), accepted, "this"))
  note_one_sided_names(pair[c("x", "y")])
  pair
}

missing_side <- function(x_missing) {
  abort("Two representations are needed, `x` and `y`; for all pairs of a list use similarity().",
        class = "repalign_error_type", arg = if (x_missing) "x" else "y")
}

need_kind <- function(rep, accepted, what) {
  if (rep$kind %in% accepted) return(rep)
  given <- c(dist = "a \"dist\" object (distances)", graph = "a neighbour graph")[rep$kind]
  also <- c(dist = " or a \"dist\" object", graph = " or a neighbour graph")
  abort("`", rep$arg, "` is ", given, ", but ", what, " needs the responses themselves (stimuli x ",
        "neurons)", also[intersect(accepted, names(also))], ".",
        if (what == dQuote("cka", FALSE)) {
          " With kernel = \"rbf\" or \"manifold\" it takes distances."
        }, class = "repalign_error_type", arg = rep$arg)
}

# Evaluates `make` once per key. A key may be any value: it is compared as a whole,
# so that long labels and all digits of a parameter count.
remember <- function(cache, key, make) {
  for (entry in cache$entries) if (identical(entry$key, key)) return(entry$value)
  value <- make
  cache$entries <- c(cache$entries, list(list(key = key, value = value)))
  value
}

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

# The inverse scale; exponents are bounded so that it stays a normal number.
power_of_two_below <- function(largest) 2^-max(min(floor(log2(largest)), 1000), -1000)

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
