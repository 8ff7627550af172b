# Forms of pairs of stimuli: distances, and the linear and the Gaussian kernel.

# ---- distances

# These forms hold distances between stimuli, packed into one vector in the order of stats::dist():
# n (n - 1) / 2 values for the pairs of stimuli i < j, where j runs fastest. All measures of
# Euclidean distances share them, and none needs an n x n matrix to compare them.

#' @include form.R
NULL

# list(d, scale): the distances times `scale`, a power of two that keeps their squares from overflow
# and underflow; of given ones also their `range`.
form_distances <- function(repr) {
  remember_form(repr, "distances", list(), {
    if (repr$kind == "dist") {
      range <- extent_of(repr)[1:2]
      size <- max(abs(range))
      scale <- if (is_usual_size(size)) 1 else power_of_two_below(size)
      list(d = if (scale == 1) repr$data else repr$data * scale, scale = scale,
           range = range * scale)
    } else euclidean_distances(repr)
  })
}

declare_form("distances", relabel = relabel_parts(packed = "d"),
             size = function(n, d, args) packed_length(n))

# Can squares of such numbers be added up without overflow and underflow?
is_usual_size <- function(size) size > 2^-300 & size < 2^300

# columns: how many columns are prepared at a time; by default C chooses.
euclidean_distances <- function(repr, columns = NULL) {
  center <- form_centering(repr)
  d <- .Call(C_distances, repr$data, center$means, center$scale, thread_count(), columns)
  list(d = d, scale = center$scale)
}

# How many pairs of different stimuli there are among n, and so the length of a packed vector.
packed_length <- function(n) as.double(n) * (n - 1) / 2

median_distance <- function(repr) {
  remember_summary(repr, "median distance", list(), {
    list(median = stats::median(form_distances(repr)$d))
  })$median
}

# The smallest and the largest value, of those that do not lack, how many lack, and the sum of all,
# in one pass; of the columns of a matrix, in a column each. Where all lack, the smallest is above
# the largest.
value_extent <- function(values) {
  if (length(values)) return(.Call(C_value_extent, values))
  if (is.matrix(values)) matrix(c(Inf, -Inf, 0, 0), 4, ncol(values)) else c(0, 0, 0, 0)
}

value_range <- function(values) value_extent(values)[1:2]

# The same of a "dist" object, which check_dist() has looked at already; a permuted one has a cache
# of its own.
extent_of <- function(repr) {
  if (is.null(repr$cache$extent)) repr$cache$extent <- value_extent(repr$data)
  repr$cache$extent
}

# The largest absolute value of each column; pmax() would take longer than a pass over a small RDM.
largest_of_extents <- function(extents) {
  low <- abs(extents[1, ])
  high <- abs(extents[2, ])
  replace(high, low > high, low[low > high])
}

# A symmetric matrix of packed values.
unpacked_pairs <- function(values, n, diagonal = 0) {
  k <- matrix(0, n, n)
  k[lower.tri(k)] <- values
  k <- k + t(k)
  diag(k) <- diagonal
  k
}

# A symmetric matrix is kept packed and is centred only where it is used: from each of the `entries`
# the `means` of its row and its column are subtracted, and `grand` is added. `diagonal` is the
# value on the diagonal before centring; u_centering() has none, because there the diagonal does not
# count.
double_centering <- function(entries, n, diagonal = 0) {
  means <- (.Call(C_packed_row_sums, entries, n, thread_count()) + diagonal) / n
  list(entries = entries, means = means, grand = mean(means), diagonal = diagonal)
}

u_centering <- function(entries, n) {
  sums <- .Call(C_packed_row_sums, entries, n, thread_count())
  list(entries = entries, means = sums / (n - 2), grand = sum(sums) / ((n - 1) * (n - 2)))
}

# The inner product of two centred matrices: the sum over all entries, or over those off the
# diagonal where the diagonal does not count.
packed_centered_product <- function(a, b) {
  off <- 2 * .Call(C_packed_centered_dot, a$entries, a$means, a$grand, b$entries, b$means,
                   b$grand, thread_count())
  if (is.null(a$diagonal)) return(off)
  off + sum((a$diagonal - 2 * a$means + a$grand) * (b$diagonal - 2 * b$means + b$grand))
}

# Distances with the means that double-centring or U-centring subtracts. `size` is the inner product
# of the centred distances with themselves, and 0 if it is not more than rounding leaves.
form_centered_distances <- function(repr, unbiased) {
  remember_form(repr, "centered distances", list(unbiased), {
    n <- as.double(repr$n)
    d <- form_distances(repr)$d
    form <- if (unbiased) u_centering(d, n) else double_centering(d, n)
    size <- packed_centered_product(form, form)
    total <- 2 * packed_product(d, d)
    c(form, list(size = if (size > tie_share^2 * total) size else 0))
  })
}

declare_form("centered distances", relabel = relabel_parts(packed = "entries", each = "means"),
             size = function(n, d, args) packed_length(n))

packed_product <- function(a, b, square_a = FALSE, square_b = FALSE, center_a = 0, center_b = 0) {
  .Call(C_packed_product, a, square_a, center_a, b, square_b, center_b, thread_count())
}

# 1 - correlation or 1 - cosine for all pairs of stimuli.
form_unit_distances <- function(repr, metric) {
  remember_form(repr, "unit distances", list(metric), unit_distances(repr, metric))
}

# columns: as in euclidean_distances().
unit_distances <- function(repr, metric, columns = NULL) {
  center <- metric == "correlation"
  found <- .Call(C_unit_distances, repr$data, center, thread_count(), columns)
  refuse_rows(repr, found$bad, center)
  found["d"]
}

declare_form("unit distances", relabel = relabel_parts(packed = "d"),
             size = function(n, d, args) packed_length(n))

# The dissimilarities that rsa compares: list(d, square), where `square` says that not d itself but
# its squares are the dissimilarities, so that these need no vector of their own. Functions that
# have them as an argument `rdm` look at it only where no form is remembered that was made of it.
dissimilarities_of <- function(repr, inner) {
  key <- rdm_key(repr, inner)
  d <- switch(key, given = , euclidean = form_distances(repr)$d,
              correlation = , cosine = form_unit_distances(repr, key)$d, no_branch(key))
  list(d = d, square = inner == "sqeuclidean" && repr$kind == "data")
}

dissimilarity_values <- function(rdm) if (rdm$square) rdm$d^2 else as.double(rdm$d)

# The distances that dissimilarities are made of. Forms made of the same distances are shared, as
# the ranks of Euclidean distances and of their squares are the same.
rdm_key <- function(repr, inner) {
  if (repr$kind == "dist") return("given")
  if (inner == "sqeuclidean") "euclidean" else inner
}

# list(range, tolerance): of the distances, and up to which difference two of them are tied: a share
# of the larger one, and an absolute difference, which is what rounding may leave of 0. (The share
# is not one of the largest distance of all, because then a single distant stimulus would tie all
# others.) Distances that are given are tied where they are equal.
rdm_facts <- function(repr, inner, rdm = dissimilarities_of(repr, inner)) {
  key <- rdm_key(repr, inner)
  if (key == "given") return(list(range = form_distances(repr)$range, tolerance = c(0, 0)))
  remember_form(repr, "summary", list("rdm", key), {
    range <- value_range(rdm$d)
    list(range = range, tolerance = tie_tolerance(key, range[2]))
  })
}

tie_tolerance <- function(key, largest) {
  switch(key, euclidean = c(tie_share, 1e-15 * largest),
         # half the square of what rounding leaves between equal unit rows
         correlation = , cosine = c(tie_share, 1e-28), no_branch(key))
}

# Ranks, where tied dissimilarities have their average rank. Those made from data are tied if they
# differ by rounding only; those of a "dist" object only if they are equal.
form_ranks <- function(repr, inner, rdm = dissimilarities_of(repr, inner)) {
  remember_form(repr, "ranks", list(rdm_key(repr, inner)), {
    refuse_if(packed_length(repr$n) >= 2^31, "size", "`{repr$arg}` has ",
              "{format(packed_length(repr$n), big.mark = ',')} pairs of rows, more than can be ",
              "ranked (2^31): take fewer stimuli, or outer = \"pearson\".")
    values <- if (repr$kind == "dist") repr$data else rdm$d
    tolerance <- if (repr$kind == "dist") c(0, 0) else rdm_facts(repr, inner, rdm)$tolerance
    list(ranks = .Call(C_average_ranks, values, tolerance, thread_count()))
  })
}

declare_form("ranks", relabel = relabel_parts(packed = "ranks"),
             size = function(n, d, args) packed_length(n))

# The sum of squares of so many different ranks around their mean.
untied_rank_size <- function(count) (as.double(count)^3 - count) / 12

# list(values, square, center, size): the dissimilarities or their ranks, whether `values` are to be
# squared, what is subtracted before they are correlated, and the sum of squares after that.
# codes: of clusters, or NULL; rdm: dissimilarities_of() the representation.
form_dissimilarities <- function(repr, inner, outer, codes, rdm) {
  key <- c(list(repr$kind, inner, outer), if (!is.null(codes)) list(codes))
  remember_form(repr, "dissimilarities", key, {
    ranked <- outer %in% ranked_outer
    if (is.null(codes)) {
      if (ranked) rdm <- list(d = form_ranks(repr, inner, rdm)$ranks, square = FALSE)
      compared_parts(rdm$d, rdm$square, outer)
    } else {
      # The pairs of stimuli of different clusters: the others stand at the centre, where they add
      # nothing to any product. Permutations take clusters to clusters.
      between <- between_clusters(codes)
      chosen <- as.double(if (ranked && repr$kind == "dist") repr$data else rdm$d)[between]
      if (ranked) {
        chosen <- .Call(C_average_ranks, chosen, rdm_facts(repr, inner, rdm)$tolerance,
                        thread_count())
      } else if (rdm$square) chosen <- chosen^2
      center <- if (outer == "cosine") 0 else mean(chosen)
      values <- replace(rep(center, length(between)), between, chosen)
      size <- if (outer == "rho_a") untied_rank_size(length(chosen)) else sum((chosen - center)^2)
      list(values = values, square = FALSE, center = center, size = size)
    }
  })
}

# values: dissimilarities, or their ranks where `outer` compares these
compared_parts <- function(values, square, outer) {
  count <- as.double(length(values))
  center <- if (outer %in% ranked_outer) (count + 1) / 2 else if (outer == "cosine") 0 else
    .Call(C_packed_sum, values, square, thread_count()) / count
  size <- if (outer == "rho_a") untied_rank_size(count) else
    packed_product(values, values, square, square, center, center)
  list(values = values, square = square, center = center, size = size)
}

# In the order of stats::dist().
between_clusters <- function(codes) {
  n <- length(codes)
  unlist(lapply(seq_len(n - 1), function(i) codes[i] != codes[(i + 1):n]))
}

declare_form("dissimilarities", relabel = relabel_parts(packed = "values"),
             size = function(n, d, args) packed_length(n))

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
