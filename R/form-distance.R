# Distances between stimuli, as one vector in the order of stats::dist(): n (n - 1) / 2 values,
# pairs i < j with i slowest. Everything Euclidean shares them; nothing makes an n x n matrix.

#' @include form.R relabel.R
NULL

# list(d, scale): distances times a power of two, which keeps their squares within doubles.
form_distances <- function(repr) {
  remember_form(repr, "distances", list(), {
    if (repr$kind == "dist") scaled_dist(repr$data) else euclidean_distances(repr)
  })
}

declare_form("distances", relabel = relabel_parts(packed = "d"),
             size = function(n, d, args) packed_length(n))

scaled_dist <- function(d) {
  size <- max(abs(d))
  usual <- size > 2^-300 && size < 2^300
  scale <- if (usual) 1 else power_of_two_below(size)
  list(d = if (usual) d else d * scale, scale = scale)
}

# columns: of a block, when not all are loaded at once.
euclidean_distances <- function(repr, columns = NULL) {
  check_packed_memory(repr, 1)
  center <- form_centering(repr)
  d <- .Call(C_distances, repr$data, center$means, center$scale, thread_count(), columns)
  list(d = d, scale = center$scale)
}

# Pairs of different stimuli.
packed_length <- function(n) as.double(n) * (n - 1) / 2

pair_count <- function(repr) packed_length(repr$n)

# vectors: how many of n (n - 1) / 2 values are about to be made.
check_packed_memory <- function(repr, vectors) {
  pairs <- pair_count(repr)
  check_memory(8 * vectors * pairs, paste0("Comparing ", format(pairs, big.mark = ","), " pairs ",
                                           "of rows of `", repr$arg, "`"),
               "Fewer stimuli need less.")
}

median_distance <- function(repr) {
  remember_summary(repr, "median distance", list(), {
    list(median = .Call(C_median_value, form_distances(repr)$d))
  })$median
}

# Symmetric matrices that are centred where they are used: entries, what is subtracted for
# rows and columns, and what is added again. diagonal: NULL when it does not count.
double_centering <- function(entries, n, diagonal = 0) {
  means <- (.Call(C_packed_row_sums, entries, n, thread_count()) + diagonal) / n
  list(entries = entries, means = means, grand = mean(means), diagonal = diagonal)
}

u_centering <- function(entries, n) {
  sums <- .Call(C_packed_row_sums, entries, n, thread_count())
  list(entries = entries, means = sums / (n - 2), grand = sum(sums) / ((n - 1) * (n - 2)))
}

# Sum over all entries of the product of two centred matrices.
packed_centered_product <- function(a, b) {
  off <- 2 * .Call(C_packed_centered_dot, a$entries, a$means, a$grand, b$entries, b$means,
                   b$grand, thread_count())
  if (is.null(a$diagonal)) return(off)
  off + sum((a$diagonal - 2 * a$means + a$grand) * (b$diagonal - 2 * b$means + b$grand))
}

# Distances with their means, double-centred or U-centred; size: their product with
# themselves, 0 where only rounding is left.
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

# 1 - correlation or 1 - cosine of all pairs of rows.
form_unit_distances <- function(repr, metric) {
  remember_form(repr, "unit distances", list(metric), {
    check_packed_memory(repr, 1)
    list(d = .Call(C_unit_distances, unit_rows(repr, metric == "correlation"), thread_count()))
  })
}

declare_form("unit distances", relabel = relabel_parts(packed = "d"),
             size = function(n, d, args) packed_length(n))

# Rows at unit length, centred before for correlations.
unit_rows <- function(repr, center) {
  unit <- .Call(C_unit_rows, repr$data, center, thread_count())
  refuse_rows(repr, unit$bad, center)
  unit$rows
}

# The dissimilarities that rsa compares: list(d, square), where `square` says that the squares
# of d are meant. key: what they are, for forms made from them.
dissimilarities_of <- function(repr, inner) {
  d <- switch(rdm_key(repr, inner), given = , euclidean = form_distances(repr)$d,
              form_unit_distances(repr, inner)$d)
  list(d = d, square = inner == "sqeuclidean" && repr$kind == "data")
}

rdm_key <- function(repr, inner) {
  if (repr$kind == "dist") return("given")
  if (inner == "sqeuclidean") "euclidean" else inner
}

rdm_range <- function(repr, inner) {
  remember_summary(repr, "rdm range", list(rdm_key(repr, inner)), {
    list(range = .Call(C_value_range, dissimilarities_of(repr, inner)$d))
  })$range
}

# Average ranks. Dissimilarities that are equal but for rounding are tied; given ones are taken
# as they are.
form_ranks <- function(repr, inner) {
  remember_form(repr, "ranks", list(rdm_key(repr, inner)), {
    if (pair_count(repr) >= 2^31) {
      abort("`", repr$arg, "` has ", format(pair_count(repr), big.mark = ","), " pairs of rows, ",
            "more than can be ranked (2^31): take fewer stimuli, or outer = \"pearson\".",
            class = "repalign_error_size", arg = repr$arg)
    }
    check_packed_memory(repr, 2)
    values <- if (repr$kind == "dist") repr$data else dissimilarities_of(repr, inner)$d
    list(ranks = .Call(C_average_ranks, values, tie_tolerance(repr, inner), thread_count()))
  })
}

declare_form("ranks", relabel = relabel_parts(packed = "ranks"),
             size = function(n, d, args) packed_length(n))

# Up to what difference two dissimilarities are tied: relative to the larger one, and absolute,
# which is what rounding leaves of 0. Not relative to the largest of all: one far stimulus
# would tie all the others.
tie_tolerance <- function(repr, inner) {
  switch(rdm_key(repr, inner), given = c(0, 0),
         euclidean = c(tie_share, 1e-15 * rdm_range(repr, inner)[2]),
         c(tie_share, 1e-28)) # half a square of what rounding leaves between unit rows
}

# list(values, square, center, size): what is correlated, and its sum of squares.
form_dissimilarities <- function(repr, inner, outer) {
  remember_form(repr, "dissimilarities", list(repr$kind, inner, outer), {
    rdm <- dissimilarities_of(repr, inner)
    if (outer == "spearman") rdm <- list(d = form_ranks(repr, inner)$ranks, square = FALSE)
    center <- switch(outer, cosine = 0, spearman = (pair_count(repr) + 1) / 2,
                     .Call(C_packed_sum, rdm$d, rdm$square, thread_count()) / pair_count(repr))
    size <- packed_product(rdm$d, rdm$d, rdm$square, rdm$square, center, center)
    list(values = rdm$d, square = rdm$square, center = center, size = size)
  })
}

# The same over pairs of stimuli of different clusters: the others stand at the centre, where they
# add nothing to any product. codes: of the clusters, which permutations take to clusters.
form_between_clusters <- function(repr, inner, outer, codes) {
  remember_form(repr, "dissimilarities", list(repr$kind, inner, outer, codes), {
    rdm <- dissimilarities_of(repr, inner)
    between <- between_clusters(codes)
    given <- if (outer == "spearman" && repr$kind == "dist") repr$data else rdm$d
    chosen <- as.double(given)[between]
    if (outer == "spearman") {
      chosen <- .Call(C_average_ranks, chosen, tie_tolerance(repr, inner), thread_count())
    } else if (rdm$square) {
      chosen <- chosen^2
    }
    center <- if (outer == "cosine") 0 else mean(chosen)
    values <- rep(center, length(between))
    values[between] <- chosen
    list(values = values, square = FALSE, center = center, size = sum((chosen - center)^2))
  })
}

# In the order of stats::dist().
between_clusters <- function(codes) {
  n <- length(codes)
  unlist(lapply(seq_len(n - 1), function(i) codes[i] != codes[(i + 1):n]))
}

range_between_clusters <- function(repr, inner, codes) {
  .Call(C_value_range, dissimilarities_of(repr, inner)$d[between_clusters(codes)])
}

declare_form("dissimilarities", relabel = relabel_parts(packed = "values"),
             size = function(n, d, args) packed_length(n))
