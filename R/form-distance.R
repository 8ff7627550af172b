# Distances between stimuli, as one vector in the order of stats::dist(): n (n - 1) / 2 values,
# pairs i < j with i slowest. Everything Euclidean shares them; nothing makes an n x n matrix.

# list(d, scale): distances times a power of two, which keeps their squares within doubles.
form_distances <- function(rep) {
  remember(rep$cache, "distances", {
    if (rep$kind == "dist") scaled_dist(rep$data) else euclidean_distances(rep)
  })
}

scaled_dist <- function(d) {
  size <- max(abs(d))
  usual <- size > 2^-300 && size < 2^300
  scale <- if (usual) 1 else power_of_two_below(size)
  list(d = if (usual) d else d * scale, scale = scale)
}

# columns: of a block, when not all are loaded at once.
euclidean_distances <- function(rep, columns = NULL) {
  check_packed_memory(rep, 1)
  center <- form_centering(rep)
  d <- .Call(C_distances, rep$data, center$means, center$scale, thread_count(), columns)
  list(d = d, scale = center$scale)
}

pair_count <- function(rep) rep$n * (rep$n - 1) / 2

# vectors: how many of n (n - 1) / 2 values are about to be made.
check_packed_memory <- function(rep, vectors) {
  pairs <- pair_count(rep)
  check_memory(8 * vectors * pairs, paste0("Comparing ", format(pairs, big.mark = ","), " pairs ",
                                           "of rows of `", rep$arg, "`"),
               "Fewer stimuli need less.")
}

form_median_distance <- function(rep) {
  remember(rep$cache, "median distance", .Call(C_median_value, form_distances(rep)$d))
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
form_centered_distances <- function(rep, unbiased) {
  remember(rep$cache, list("centered distances", unbiased), {
    n <- as.double(rep$n)
    d <- form_distances(rep)$d
    form <- if (unbiased) u_centering(d, n) else double_centering(d, n)
    size <- packed_centered_product(form, form)
    total <- 2 * packed_product(d, d)
    c(form, list(size = if (size > tie_share^2 * total) size else 0))
  })
}

packed_product <- function(a, b, square_a = FALSE, square_b = FALSE, center_a = 0, center_b = 0) {
  .Call(C_packed_product, a, square_a, center_a, b, square_b, center_b, thread_count())
}

# 1 - correlation or 1 - cosine of all pairs of rows.
form_unit_distances <- function(rep, metric) {
  remember(rep$cache, list("unit distances", metric), {
    check_packed_memory(rep, 1)
    .Call(C_unit_distances, unit_rows(rep, metric == "correlation"), thread_count())
  })
}

# Rows at unit length, centred before for correlations.
unit_rows <- function(rep, center) {
  unit <- .Call(C_unit_rows, rep$data, center, thread_count())
  refuse_rows(rep, unit$bad, center)
  unit$rows
}

# The dissimilarities that rsa compares: list(d, square), where `square` says that the squares
# of d are meant. key: what they are, for forms made from them.
form_rdm <- function(rep, inner) {
  d <- switch(rdm_key(rep, inner), given = , euclidean = form_distances(rep)$d,
              form_unit_distances(rep, inner))
  list(d = d, square = inner == "sqeuclidean" && rep$kind == "data")
}

rdm_key <- function(rep, inner) {
  if (rep$kind == "dist") return("given")
  if (inner == "sqeuclidean") "euclidean" else inner
}

form_rdm_range <- function(rep, inner) {
  remember(rep$cache, list("rdm range", rdm_key(rep, inner)),
           .Call(C_value_range, form_rdm(rep, inner)$d))
}

# Average ranks. Dissimilarities that are equal but for rounding are tied; given ones are taken
# as they are.
form_rdm_ranks <- function(rep, inner) {
  remember(rep$cache, list("rdm ranks", rdm_key(rep, inner)), {
    if (pair_count(rep) >= 2^31) {
      abort("`", rep$arg, "` has ", format(pair_count(rep), big.mark = ","), " pairs of rows, ",
            "more than can be ranked (2^31): take fewer stimuli, or outer = \"pearson\".",
            class = "repalign_error_size", arg = rep$arg)
    }
    check_packed_memory(rep, 2)
    values <- if (rep$kind == "dist") rep$data else form_rdm(rep, inner)$d
    .Call(C_average_ranks, values, tie_tolerance(rep, inner), thread_count())
  })
}

# Up to what difference two dissimilarities are tied: relative to the larger one, and absolute,
# which is what rounding leaves of 0. Not relative to the largest of all: one far stimulus
# would tie all the others.
tie_tolerance <- function(rep, inner) {
  switch(rdm_key(rep, inner), given = c(0, 0),
         euclidean = c(tie_share, 1e-15 * form_rdm_range(rep, inner)[2]),
         c(tie_share, 1e-28)) # half a square of what rounding leaves between unit rows
}

# list(values, square, center, size): what is correlated, and its sum of squares.
form_rdm_values <- function(rep, inner, outer) {
  remember(rep$cache, list("rdm values", rep$kind, inner, outer), {
    rdm <- form_rdm(rep, inner)
    if (outer == "spearman") rdm <- list(d = form_rdm_ranks(rep, inner), square = FALSE)
    center <- switch(outer, cosine = 0, spearman = (pair_count(rep) + 1) / 2,
                     .Call(C_packed_sum, rdm$d, rdm$square, thread_count()) / pair_count(rep))
    size <- packed_product(rdm$d, rdm$d, rdm$square, rdm$square, center, center)
    list(values = rdm$d, square = rdm$square, center = center, size = size)
  })
}
