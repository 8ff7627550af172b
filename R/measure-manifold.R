# Measures that compare kernels of near neighbours in Euclidean distance.

#' Manifold-approximated kernel alignment
#'
#' How similar two representations are at the scale of the neighbourhood of each stimulus:
#' the alignment of two sparse kernels that fall from 1 at the nearest neighbour towards 0 at
#' more distant ones, at a rate that adapts to the local density, and are 0 beyond the k-th
#' neighbour.
#'
#' @param x,y two representations of the same stimuli in the same order: numeric matrices,
#'   data frames or tibbles (all columns numeric) with stimuli in the rows and neurons, or
#'   the units of a network, in the columns. If both have row names, these must be equal
#'   ([match_rows()] aligns the rows by name). Either may also be a `dist` object with the
#'   distances between the stimuli, or a neighbour graph, `list(idx, dist)`, see
#'   [mutual_knn()].
#' @param k number of neighbours, at least 3. A stimulus does not count as its own neighbour
#'   here.
#' @return One number in \[-1, 1\]; 1 when the kernels are equal. It is always positive when
#'   there are more than \eqn{(1 + \log_2 k)^2}{(1 + log2(k))^2} stimuli. The result is `NA`,
#'   with a warning of class `repalign_undefined`, when a kernel is constant after centring
#'   (all stimuli are equally far from each other and k = n - 1).
#' @details
#' Let \eqn{d_{ij}}{d_ij} be the Euclidean distance between stimuli i and j. The kernel K of
#' one side is
#' \eqn{K_{ij} = \exp(-(d_{ij} - \rho_i)/\sigma_i)}{K_ij = exp(-(d_ij - rho_i) / sigma_i)}
#' for the k nearest neighbours j of i, \eqn{K_{ii} = 1}{K_ii = 1}, and 0 elsewhere.
#' \eqn{\rho_i}{rho_i} is the distance to the nearest neighbour, and \eqn{\sigma_i}{sigma_i}
#' is chosen such that row i sums to \eqn{1 + \log_2 k}{1 + log2(k)}. The kernel is not made
#' symmetric. With the kernels K and L of the two sides and the centring matrix H, which
#' subtracts the mean of each row, the score is \eqn{\langle KH, LH \rangle / \sqrt{\langle
#' KH, KH \rangle \langle LH, LH \rangle}}{<KH, LH> / sqrt(<KH, KH> <LH, LH>)}.
#'
#' Rotation, translation and scaling of either side and reordering of the neurons leave the
#' score as it is. The score depends on which stimuli are neighbours and on the order of
#' their distances, but not on distances between stimuli that are far apart: either side may
#' be bent, cut or rearranged on the large scale. `cka(kernel = "manifold")` makes the
#' kernels symmetric and centres both rows and columns.
#'
#' When not to trust it: every stimulus has the kernel value 1 with itself on both sides, so
#' that unrelated data score from about 0.3 (k = 15) to 0.45 (k = 3), not 0. With few
#' stimuli, or with k near n, neighbours are not local. Noise in many dimensions makes the
#' nearest neighbours arbitrary.
#'
#' If \eqn{\log_2 k}{log2(k)} or more neighbours are equally near (duplicated stimuli,
#' whole-number data), no \eqn{\sigma_i}{sigma_i} exists. The limit
#' \eqn{\sigma_i = 0}{sigma_i = 0} is then used: these neighbours get weight 1 and the others
#' 0, and each row is centred by its own mean. A warning of class `repalign_ties` says in how
#' many rows this happens.
#'
#' The code published with the paper computes the weights in single precision; it agrees to
#' about 1e-7.
#' @references Islam, Liu and Sarkar, Manifold Approximation leads to Robust Kernel
#'   Alignment (MKA), equations 2 to 4. McInnes, Healy and Melville (2018),
#'   arXiv:1802.03426 (the weights).
#' @examples
#' set.seed(1)
#' angle <- runif(80, 0, 6)
#' ring <- cbind(cos(angle), sin(angle))
#' line <- cbind(angle, angle)
#' mka(ring, line)
#' cka(ring, line)
#' @seealso [kcka()], [cka()], [mutual_knn()]
#' @export
mka <- function(x, y, k = 15) one_score("mka", x, y, list(k = k))

check_mka_args <- function(args) {
  args$k <- check_count(args$k, "k", least = 3)
  args
}

compare_mka <- function(pair, args) {
  a <- form_mka(pair$x, args$k)
  b <- if (pair$self) a else form_mka(pair$y, args$k)
  sparse_alignment(pair, a, b, centered_product(a, b, "row")$value)
}

euclidean_neighbours <- function(args) list(metric = "euclidean", k = args$k)

# A sparse form (form-sparse.R) with sigma, the decay of each row in the units of the
# distances.
form_mka <- function(rep, k) {
  remember(rep$cache, list("mka", k), {
    graph <- form_graph(rep, "euclidean", k)
    fit <- .Call(C_manifold_weights, graph$dist)
    warn_tied_rows(rep, which(fit$sigma == 0), k)
    form <- with_norm(sparse_form(graph$idx, fit$weight, 1), "row")
    c(form, list(sigma = fit$sigma))
  })
}

warn_tied_rows <- function(rep, rows, k) {
  if (!length(rows)) return(invisible())
  warn("In ", length(rows), " row", if (length(rows) > 1) "s", " of `", rep$arg, "` (",
       enumerate(rows, 3, quote = FALSE), ") log2(k) = ", format(log2(k), digits = 3), " or more ",
       "neighbours are equally near: these get weight 1, the others 0. Duplicated stimuli or ",
       "whole-number data are the usual cause; a larger `k` may help.",
       class = "repalign_ties", data = rows)
}

declare_measure(
  id = "mka", label = "Manifold-approximated kernel alignment", family = "neighbours",
  direction = "similarity", range = c(-1, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  form = "graph", accepts = kinds, neighbours = euclidean_neighbours, check = check_mka_args,
  compare = compare_mka, reference = "Islam, Liu and Sarkar (MKA), eq. 2-4",
  null = function(args) {
    sparse_null(function(rep, args) form_mka(rep, args$k), products_out, centered_products)
  }
)

# The mka graph made symmetric, K + K' - K o K', without its diagonal of ones: a sparse
# form with `start`.
form_manifold <- function(rep, k) {
  remember(rep$cache, list("manifold", k), {
    form <- form_mka(rep, k)
    form$diagonal <- 0
    symmetric <- .Call(C_sparse_symmetric, form)
    kernel <- c(list(n = form$n, diagonal = 0), symmetric)
    c(kernel, list(row_sums = .Call(C_sparse_sums, kernel)$rows))
  })
}

# The H value of two manifold kernels, from sums over their entries.
manifold_h <- function(pair, args) {
  a <- form_manifold(pair$x, args$k)
  b <- if (pair$self) a else form_manifold(pair$y, args$k)
  manifold_value(.Call(C_sparse_dot, a, b), sum(a$row_sums * b$row_sums), a, b, args)
}

# The null of the manifold kernel's CKA, over the edges that the two graphs have in common.
manifold_null <- list(
  kind = "graph", passes = list(list(x = "out", y = "out", mode = "products")),
  form = function(rep, args, side) {
    form <- form_manifold(rep, args$k)
    c(form, list(graphs = list(out = sparse_edges(form)), self = self_h(rep, args, NULL)))
  },
  score = function(sums, fx, fy, args, design) {
    rows <- paired_sums(fx$row_sums, fy$row_sums, design)
    h <- manifold_value(sums[[1]][, 1], rows, fx, fy, args)
    if (!is_positive(fx$self) || !is_positive(fy$self)) return(rep(NA_real_, length(h$value)))
    h$value / sqrt(fx$self$value) / sqrt(fy$self$value)
  }
)

# dot: sum of the products of entries; rows: of row sums. Without the diagonals of ones, which
# count in the naive value only.
manifold_value <- function(dot, rows, a, b, args) {
  n <- as.double(a$n)
  total_a <- sum(a$row_sums)
  total_b <- sum(b$row_sums)
  if (args$estimator == "naive") {
    dot <- dot + n
    value <- dot - 2 * (rows + total_a + total_b + n) / n + (total_a / n + 1) * (total_b / n + 1)
    pairs <- n^2
  } else {
    value <- dot - 2 * rows / (n - 2) + total_a * total_b / ((n - 1) * (n - 2))
    pairs <- n * (n - 3)
  }
  list(value = value / pairs, magnitude = dot / pairs, scale = c(0, 0))
}

#' Kernel alignment on nearest neighbours
#'
#' Centered kernel alignment of exponential kernels that are kept only for the k nearest
#' neighbours.
#'
#' @inheritParams mka
#' @param k number of neighbours. A stimulus does not count as its own neighbour here.
#' @param self if `TRUE`, each stimulus is part of its own neighbourhood, with kernel value 1.
#' @param squared if `TRUE`, squared distances are used, in the kernel and for its width.
#' @param centering `"row"` subtracts the mean of each row of the kernels, as in the paper;
#'   `"double"` centres the columns as well, as in [cka()].
#' @return One number in \[-1, 1\]; 1 when the kernels are equal. The result is `NA`, with a
#'   warning of class `repalign_undefined`, when a kernel is constant after centring.
#' @details
#' Let \eqn{d_{ij}}{d_ij} be the Euclidean distance between stimuli i and j. The kernel K of
#' one side is \eqn{K_{ij} = \exp(-d_{ij}/(2\sigma))}{K_ij = exp(-d_ij / (2 sigma))} for the
#' k nearest neighbours j of i, and 0 elsewhere. The width \eqn{\sigma}{sigma} is the median
#' of all n k neighbour distances. With `squared = TRUE`, squared distances take the place of
#' distances in both. With the kernels K and L of the two sides and the centring matrix H,
#' the score is \eqn{\langle KH, LH \rangle / \sqrt{\langle KH, KH \rangle \langle LH, LH
#' \rangle}}{<KH, LH> / sqrt(<KH, KH> <LH, LH>)}, or the same with HKH and HLH for
#' `centering = "double"`. If the median is 0, because most neighbours are duplicates, there
#' is no width, which is an error.
#'
#' Rotation, translation and scaling of either side and reordering of the neurons leave the
#' score as it is. The score depends on which stimuli are neighbours and, unlike [mka()], on
#' differences in density: in dense regions all weights are near 1, in sparse regions near 0.
#'
#' When not to trust it: with `self = TRUE` every stimulus has the kernel value 1 with itself
#' on both sides, which keeps the score of unrelated data above 0 (about 0.35 with k = 5,
#' 0.15 with k = 15), so scores for different k cannot be compared. With k near n and
#' `self = FALSE`, the kernels differ from a constant mostly by their diagonals.
#'
#' The code published with the paper multiplies the kernels without transposing one of them,
#' which gives a different quantity if the kernels are not symmetric, and uses squared
#' distances.
#' @references Islam, Liu and Sarkar, Manifold Approximation leads to Robust Kernel
#'   Alignment (MKA), equations 18 and 19.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(400), 80)
#' y <- x + matrix(rnorm(400), 80)
#' kcka(x, y)
#' kcka(x, y, self = FALSE)
#' @seealso [mka()], [cknna()], [cka()]
#' @export
kcka <- function(x, y, k = 15, self = TRUE, squared = FALSE, centering = c("row", "double")) {
  one_score("kcka", x, y, list(k = k, self = self, squared = squared, centering = centering))
}

check_kcka_args <- function(args) {
  args$k <- check_count(args$k, "k")
  check_flag(args$self, "self")
  check_flag(args$squared, "squared")
  args$centering <- check_choice(args$centering, c("row", "double"), "centering")
  args
}

compare_kcka <- function(pair, args) {
  form <- function(rep) form_kcka(rep, args$k, args$self, args$squared, args$centering)
  a <- form(pair$x)
  b <- if (pair$self) a else form(pair$y)
  sparse_alignment(pair, a, b, centered_product(a, b, args$centering)$value)
}

# A sparse form (form-sparse.R).
form_kcka <- function(rep, k, self = TRUE, squared = FALSE, centering = "row") {
  remember(rep$cache, list("kcka", k, self, squared, centering), {
    graph <- form_graph(rep, "euclidean", k)
    weight <- kcka_weights(rep, graph$dist, squared)
    with_norm(sparse_form(graph$idx, weight, as.double(self)), centering)
  })
}

kcka_weights <- function(rep, dist, squared) {
  least <- min(dist)
  if (least < 0) {
    abort("The neighbour graph `", rep$arg, "` has negative distances, first in row ",
          which(dist < 0, arr.ind = TRUE)[1, 1], ": \"kcka\" needs distances of at least 0.",
          class = "repalign_error_graph", arg = rep$arg)
  }
  if (max(dist) > 0) dist <- dist * power_of_two_below(max(dist))
  if (squared) dist <- dist^2
  sigma <- stats::median(dist)
  if (sigma == 0) {
    abort("Half or more of the neighbour distances in `", rep$arg, "` are 0 (duplicated rows), so ",
          "the width of the kernel, their median, would be 0: raise `k`, or remove ",
          "duplicated stimuli.",
          class = "repalign_error_value", arg = "k")
  }
  exp(-0.5 * (dist / sigma))
}

declare_measure(
  id = "kcka", label = "Kernel alignment on nearest neighbours", family = "neighbours",
  direction = "similarity", range = c(-1, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  form = "graph", accepts = kinds, neighbours = euclidean_neighbours, check = check_kcka_args,
  compare = compare_kcka, reference = "Islam, Liu and Sarkar (MKA), eq. 18-19",
  null = function(args) {
    sparse_null(function(rep, args) form_kcka(rep, args$k, args$self, args$squared, args$centering),
                products_out, centered_products)
  }
)
