# These measures compare kernels that join each stimulus with its Euclidean neighbours: MKA, kCKA.

#' @include measure.R
NULL

#' Kernel alignment on nearest neighbours
#'
#' How similar two representations are in the neighbourhood of each stimulus: the alignment of
#' kernels that are 0 beyond the k nearest neighbours, and fall at a rate that adapts to the local
#' density (`mka()`), or at one rate for all (`kcka()`).
#'
#' @param x,y see [cka()]. Either may also be a `dist` object, or a neighbour graph, see
#'   [mutual_knn()].
#' @param k number of neighbours, without the stimulus itself; of `mka()` at least 3.
#' @param self is each stimulus its own neighbour, with kernel value 1, as in `mka()`?
#' @param squared take squared distances, in the kernel and for its width?
#' @param centering `"row"` subtracts the mean of each row of the kernels, as `mka()` does;
#'   `"double"` those of columns as well, as in [cka()].
#' @param ties see [mutual_knn()]: `"average"` (with `centering = "double"` over 20 random orders)
#'   or `"random"`. `NULL`: the average with `centering = "row"`, one random order with `"double"`.
#' @param clusters see [mutual_knn()]: kernels are 0 between different stimuli of a cluster.
#' @param given controls of `kcka()`, see [cka()].
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number in \[-1, 1\]; 1 when the kernels are equal. `NA`, with a warning of class
#'   `repalign_undefined`, when a kernel is constant after centring.
#' @details
#' The kernel of `mka()` is `exp(-(d_ij - rho_i) / sigma_i)` of the Euclidean distance, with the
#' distance `rho_i` to the nearest neighbour, and `sigma_i` such that row i sums to `1 + log2(k)`;
#' that of `kcka()` is `exp(-d_ij / (2 sigma))`, with the median `sigma` of all neighbour distances.
#' Rotation, translation and scaling of either side leave the score as it is, by `mka()` also
#' whatever bends, cuts or rearranges a side on the large scale, while `kcka()` depends on
#' differences in density.
#'
#' When not to trust it: unrelated data score about 0.3 (k = 15) to 0.45 (k = 3) by `mka()`, 0.15 (k
#' = 15) to 0.35 (k = 5) by `kcka()` with `self = TRUE`, so that scores for different k cannot be
#' compared, and stimuli that depend on each other more (see [dependence]). With few stimuli, or
#' with k near n, neighbours are not local. Noise in many dimensions makes them arbitrary. Where
#' many neighbours are equally near (duplicates, whole numbers), `mka()` warns with class
#' `repalign_ties`; `kcka()` stops if most of them are duplicates.
#' @references Islam, Liu and Sarkar (2025), \doi{10.48550/arXiv.2510.22953}, equations 2 to 4, 18
#'   and 19. McInnes, Healy and Melville (2018),
#'   \doi{10.48550/arXiv.1802.03426} (the weights).
#' @examples
#' set.seed(1)
#' angle <- runif(80, 0, 6)
#' ring <- cbind(cos(angle), sin(angle))
#' line <- cbind(angle, angle)
#' c(mka(ring, line), kcka(ring, line), cka(ring, line))
#' @export
mka <- function(x, y, k = 15, ties = c("average", "random"), clusters = NULL,
                na = c("error", "stimuli", "neurons"), ...) {
  one_score("mka", x, y, list(k = k, ties = ties, clusters = clusters), na)
}

# Measures of centred kernels on the edges of the graphs.
declare_kernel_alignment <- function(id, label, ...) {
  declare_measure(
    id = id, label = label, family = "neighbours", direction = "similarity", range = c(-1, 1),
    best = 1, symmetric = TRUE, metric = FALSE, pairing = TRUE,
    invariant = c("orthogonal", "scaling", "translation", "column permutation"), accepts = kinds,
    neighbours = euclidean_neighbours, check_pair = check_neighbour_pair, form = "sparse kernel",
    keeps = "graph", undefined = warn_no_contrast,
    statistic = function(pair, x, y, args) {
      centered_product(x, y, if (is.null(args$centering)) "row" else args$centering)$value
    },
    score = kernel_cosine, null = function(args) sparse_null(centered_products),
    dot = function(args) new_dot(function(x, y, args) {
      # centred kernels, as centered_sum() has them
      n <- as.double(x[[1]]$n)
      table <- sparse_table(x, y) + crossed(x, y, function(form) form$diagonal) * n
      table <- table - crossed(x, y, function(form) form$row_sums) / n
      if (!is.null(args$centering) && args$centering != "row") {
        table <- table - crossed(x, y, function(form) form$column_sums) / n +
          crossed(x, y, function(form) sum(form$row_sums) / n)
      }
      c(list(table = table), sizes_of(x, y, norm_of_form))
    }),
    needs_data = FALSE, ...
  )
}

declare_kernel_alignment(
  "mka", "Manifold-approximated kernel alignment", reference = "Islam et al. 2025, eq. 2-4",
  exact_ties = TRUE,
  check = function(args) {
    args$k <- check_count(args$k, "k", least = 3)
    args$ties <- check_choice(args$ties, average_first, "ties")
    args$clusters <- cluster_codes(args$clusters)
    args
  },
  prepare = function(repr, args, side) {
    form_mka(clustered_representation(repr, args$clusters), args$k, args$ties)
  }
)

#' @rdname mka
#' @export
kcka <- function(x, y, k = 15, self = TRUE, squared = FALSE, centering = c("row", "double"),
                 ties = NULL, clusters = NULL,
                 na = c("error", "stimuli", "neurons"), given = NULL, ...) {
  one_score("kcka", x, y, list(k = k, self = self, squared = squared, centering = centering,
                               ties = ties, clusters = clusters), na, given)
}

# The column sums of a kernel depend on the order of ties, and with centering = "double" its norm on
# them.
exact_kcka_ties <- function(args) args$centering == "row"

declare_kernel_alignment(
  "kcka", "Kernel alignment on nearest neighbours", reference = "Islam et al. 2025, eq. 18-19",
  exact_ties = exact_kcka_ties, cosine = TRUE,
  check = function(args) {
    args <- check_parameters(k = "count", self = "flag", squared = "flag",
                             centering = c("row", "double"), clusters = "clusters")(args)
    with_ties_rule(args, exact_kcka_ties(args))
  },
  prepare = function(repr, args, side) {
    form_kcka(clustered_representation(repr, args$clusters), args$k, args$self, args$squared,
              args$centering, args$ties)
  }
)
