# Measures that compare kernels of near neighbours in Euclidean distance.

#' Manifold-approximated kernel alignment
#'
#' How alike two representations are on the scale of each stimulus's own neighbourhood:
#' the alignment of two sparse kernels that fall from 1 at the nearest neighbour to 0
#' beyond the k-th one, at a rate that adapts to the local density.
#'
#' @param x,y stimuli x neurons: numeric matrices or all-numeric data frames with the same
#'   stimuli in the rows, in the same order; or distances (`dist` objects); or neighbour
#'   graphs, `list(idx, dist)`, see [mutual_knn()].
#' @param k number of neighbours, the stimulus itself not counted; at least 3.
#' @return One number in \[-1, 1\], 1 when the kernels are equal. It is positive when there
#'   are more than \eqn{(1 + log2(k))^2} stimuli. `NA`, with a warning of class
#'   `repalign_undefined`, when a kernel is constant (all stimuli equally far from each
#'   other and k = n - 1).
#' @details
#' With d the Euclidean distance, row i of the kernel K of one side is 1 for the stimulus
#' itself, \eqn{exp(-(d_ij - \rho_i)/\sigma_i)} for its k nearest neighbours and 0
#' elsewhere. \eqn{\rho_i} is the distance to the nearest neighbour, and \eqn{\sigma_i} is
#' such that the row sums to \eqn{1 + log2(k)}. The kernel is not made symmetric. With the
#' mean of each row taken away from both kernels, the score is the cosine between them,
#' \eqn{<KH, LH> / sqrt(<KH, KH> <LH, LH>)}.
#'
#' It is invariant to rotation, translation and scaling of either side and to the order of
#' the neurons. It is sensitive to who is near whom, and among neighbours to the order of
#' their distances, but not to what lies far apart: the two sides may be bent, cut or moved
#' on the large scale. `cka(kernel = "manifold")` makes the kernels symmetric and centres
#' rows and columns.
#'
#' When not to trust it: every stimulus is its own neighbour on both sides, so that unrelated
#' data score about 0.3 (k = 15) to 0.45 (k = 3), and not 0. With few stimuli, or k near n,
#' neighbours are not local. Noise in many dimensions makes the nearest neighbours arbitrary.
#'
#' Where log2(k) or more neighbours are equally near there is no \eqn{\sigma_i} (duplicated
#' stimuli, whole-numbered data); the limit \eqn{\sigma_i = 0} is taken, with weight 1 for
#' these and 0 for the others, and a warning of class `repalign_ties` counts the rows. Rows
#' are centred by their own mean then.
#'
#' The published code computes the weights in single precision and agrees to about 1e-7.
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
       "whole-numbered data do this; a larger `k` may help.",
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
#' Centered kernel alignment of exponential kernels that are kept for the k nearest
#' neighbours only.
#'
#' @inheritParams mka
#' @param k number of neighbours, the stimulus itself not counted.
#' @param self is each stimulus in its own neighbourhood, with kernel value 1?
#' @param squared use squared distances, in the kernel and for its width?
#' @param centering `"row"`: the mean of each row is taken away, as the paper writes;
#'   `"double"`: those of the columns, too, as in [cka()].
#' @return One number in \[-1, 1\], 1 when the kernels are equal. `NA`, with a warning of
#'   class `repalign_undefined`, when a kernel is constant after centring.
#' @details
#' Row i of the kernel K of one side is \eqn{exp(-d_ij/(2\sigma))} for the k nearest
#' neighbours in Euclidean distance d and 0 elsewhere, with one \eqn{\sigma}, the median of
#' all n k neighbour distances (with `squared`, of their squares, with squares in the
#' kernel). The score is \eqn{<KH, LH> / sqrt(<KH, KH> <LH, LH>)} with the centring H, or
#' with `HKH` and `HLH`.
#'
#' It is invariant to rotation, translation and scaling of either side and to the order of
#' the neurons. It is sensitive to who is near whom, and, unlike [mka()], to differences in
#' density: in dense regions all weights are near 1, in sparse ones near 0.
#'
#' When not to trust it: with `self` every stimulus is its own neighbour on both sides,
#' which keeps the score of unrelated data above 0 (about 0.35 with k = 5, 0.15 with k = 15), so
#' that values for different k do not compare. With k near n and `self = FALSE` the kernels
#' differ from a constant by their diagonals mostly.
#'
#' A median of 0 (most neighbours are duplicates) leaves no width: an error.
#'
#' The published code multiplies the kernels without transposing one, which is another
#' quantity where they are not symmetric, and takes squared distances.
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
          which(dist < 0, arr.ind = TRUE)[1, 1], ": \"kcka\" needs distances from 0 up.",
          class = "repalign_error_graph", arg = rep$arg)
  }
  if (max(dist) > 0) dist <- dist * power_of_two_below(max(dist))
  if (squared) dist <- dist^2
  sigma <- stats::median(dist)
  if (sigma == 0) {
    abort("Half or more of the neighbour distances in `", rep$arg, "` are 0 (duplicated rows), so ",
          "their median is no width of a kernel: raise `k`, or remove duplicated stimuli.",
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
