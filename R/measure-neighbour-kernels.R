# These measures compare inner products and cosines along the edges of neighbour graphs.

#' @include form.R measure.R relabel.R
NULL

#' Centered kernel nearest-neighbour alignment
#'
#' The alignment of the inner products between stimuli, kept only between stimuli that are
#' nearest neighbours on both sides.
#'
#' @param x,y two representations of the same stimuli in the same order: numeric matrices,
#'   data frames or tibbles (all columns numeric) with stimuli in the rows and neurons, or
#'   the units of a network, in the columns. If both have row names, these must be equal
#'   ([match_rows()] aligns the rows by name).
#' @param k number of neighbours. A stimulus does not count as its own neighbour.
#' @param normalize if `TRUE`, each row is scaled to unit length first, so that inner
#'   products are cosines.
#' @param centering `"masked"`: the masked kernels are centred, rows and columns; `"full"`: the
#'   rows of the whole kernels are centred first, and masked afterwards.
#' @param estimator `"biased"`; or `"unbiased"`, the estimator of Song et al. (2012) of the masked
#'   kernels, which centres by itself (leave `centering` as it is).
#' @param ties what becomes of neighbours with equal inner products, see [mutual_knn()]:
#'   `"average"`, the mean score over the orders in which they may come, or `"random"`, the score
#'   of one random order. By default (`NULL`) it is the average with `centering = "full"`, where a
#'   formula gives it, and one random order otherwise, where `"average"` takes 20 random orders.
#' @param clusters one label per stimulus, for stimuli that depend on each other (see [cka()]), such
#'   as successive points of a time series or views of one object. The neighbours of a stimulus are
#'   then looked for among those of other clusters only, of which there must be at least `k`.
#'   Stimuli with the label `NA` are left out.
#' @return One number; 1 for equal representations, and 0 when no neighbours are shared. With
#'   `centering = "full"` it lies in \[-1, 1\]. Otherwise it is not bounded: with k above about
#'   half of the stimuli, or with few stimuli, it can exceed 1. The result is `NA`, with a warning
#'   of class `repalign_undefined`, when a kernel is constant after centring.
#' @details
#' Let K and L be the inner products of the rows of `x` and of `y`, and M and N the matrices
#' that are 1 at the k nearest neighbours (those with the largest inner products) and 0
#' elsewhere. A is the entry-by-entry product of M and N, the neighbours found on both sides.
#' With the double centring H, the score is \eqn{\langle H(A \circ K)H, H(A \circ L)H \rangle
#' / (||H(M \circ K)H|| \, ||H(N \circ L)H||)}{<H(A*K)H, H(A*L)H> / (|H(M*K)H| |H(N*L)H|)},
#' where \eqn{\circ}{*} is the product entry by entry. Neighbours are directed: j may be a
#' neighbour of i although i is not a neighbour of j.
#'
#' With `clusters`, M and N are 0 within clusters, and all else is as without them; with
#' `centering = "full"`, the mean of a row is that over the stimulus itself and those of other
#' clusters. Stimuli that depend on each other raise the score: for 20 groups of 5 stimuli
#' that share 90% of their variance, its mean for two unrelated populations was 0.47; with
#' `clusters` it was 0.11, as for as many independent stimuli (`bench/dependence.R`).
#'
#' Rotation and scaling of either side and reordering of the neurons leave the score as it
#' is. Translation does not, because inner products depend on the origin; if the origin has
#' no meaning, centre the columns first. With `normalize = FALSE`, rows with large values
#' become neighbours of most stimuli.
#'
#' When not to trust it: with k near n almost all stimuli are neighbours, and what remains
#' after centring depends on the few that are not. A few hubs (stimuli that are neighbours of
#' most others) can determine the score.
#'
#' Three versions are in use. The default is the definition of \enc{Gröger}{Groeger}, Wen and
#' \enc{Brbić}{Brbic} (2026). `centering = "full"` is that of the paper of Huh et al. (2024), who
#' proposed the measure: with \eqn{k_{ij}}{k_ij} and \eqn{l_{ij}}{l_ij} the inner products less the
#' mean of their row, the score is \eqn{\sum_A k_{ij} l_{ij} / \sqrt{\sum_M k_{ij}^2 \sum_N
#' l_{ij}^2}}{sum over A of k_ij l_ij / sqrt(sum over M of k_ij^2 * sum over N of l_ij^2)}.
#' `estimator = "unbiased"` is what the code of Huh et al. computes, but for 1e-6 that it adds to
#' the denominator: Song's estimator of the doubly masked kernels over the root of those of the
#' singly masked ones. It multiplies entry (i, j) of one kernel with entry (j, i) of the other, so
#' that only neighbours in both directions count in its first term.
#' @references Huh, Cheung, Wang and Isola (2024), The Platonic Representation Hypothesis,
#'   ICML. \enc{Gröger}{Groeger}, Wen and \enc{Brbić}{Brbic} (2026), arXiv:2602.14486,
#'   appendix B.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 100)
#' y <- x + matrix(rnorm(500, sd = 0.5), 100)
#' cknna(x, y)
#' cknna(x, y, k = 5, normalize = FALSE)
#' cknna(x, y, centering = "full")
#' @seealso [mutual_knn()], [kcka()], [cka()]
#' @export
cknna <- function(x, y, k = 10, normalize = TRUE, centering = c("masked", "full"),
                  estimator = c("biased", "unbiased"), ties = NULL, clusters = NULL) {
  one_score("cknna", x, y, list(k = k, normalize = normalize, centering = centering,
                                estimator = estimator, ties = ties, clusters = clusters))
}

check_cknna_args <- function(args) {
  args$k <- check_count(args$k, "k")
  check_flag(args$normalize, "normalize")
  args$centering <- check_choice(args$centering, c("masked", "full"), "centering")
  args$estimator <- check_choice(args$estimator, c("biased", "unbiased"), "estimator")
  if (args$estimator == "unbiased" && args$centering == "full") {
    abort("estimator = \"unbiased\" centres by itself: leave centering = \"masked\".",
          class = "repalign_error_value", arg = "centering")
  }
  args$clusters <- cluster_codes(args$clusters)
  with_ties_rule(args, exact_cknna_ties(args))
}

# The masked kernels are centred by sums of their own, which depend on the order of ties.
exact_cknna_ties <- function(args) args$centering == "full"

check_cknna_pair <- function(pair, args) {
  check_neighbour_pair(pair, args)
  n <- if (is.null(args$clusters)) pair$x$n else sum(!is.na(args$clusters))
  if (args$estimator == "unbiased") check_rows(n, 4, pair$x$arg, "the unbiased estimator")
}

# The product of the two kernels on their common edges.
common_product <- function(pair, x, y, args) {
  if (args$estimator == "unbiased") return(unbiased_product(x, y))
  if (args$centering == "full") return(.Call(C_sparse_dot, x, y))
  common <- .Call(C_sparse_common, x, y)
  sums <- common$sums
  centered_sum(common$dot, sums[, 1], sums[, 2], sums[, 3], sums[, 4], "double")
}

# Song's estimator of the two kernels on their common edges, entry (i, j) of one times entry (j, i)
# of the other.
unbiased_product <- function(x, y) {
  n <- as.double(x$n)
  edge <- function(form) (as.vector(row(form$idx)) - 1) * n + as.vector(form$idx)
  key_x <- edge(x)
  at_y <- match(key_x, edge(y))
  both <- which(!is.na(at_y))
  from <- as.vector(row(x$idx))[both]
  to <- x$idx[both]
  a <- x$weight[both]
  b <- y$weight[at_y[both]]
  back <- match((to - 1) * n + from, key_x[both])
  total <- function(weight, at) vapply(split(weight, factor(at, seq_len(n))), sum, 0)
  song_estimate(sum(a * b[back], na.rm = TRUE), sum(total(a, to) * total(b, from)),
                sum(a) * sum(b), n)
}

# A sparse form (form-sparse.R): the inner products at the edges of the graph, less the mean of
# their row of the whole kernel where centering is "full"; and its norm.
form_cknna <- function(repr, k, normalize = TRUE, centering = "masked", estimator = "biased",
                       ties = "random") {
  graph <- form_graph(repr, if (normalize) "cosine" else "dot", k, ties = ties)
  what <- list("cknna", k, normalize, centering, estimator, repr$codes, graph$order)
  remember_form(repr, "sparse kernel", what, {
    # the graph of inner products holds them in the units of the data, in which the squares of
    # tiny or huge values have lost digits; so they are computed again from scaled rows
    weight <- if (normalize) 1 - graph$dist
      else .Call(C_edge_products, form_rows(repr, "dot")$rows, graph$idx, thread_count())
    if (centering == "full") weight <- weight - row_means_of_kernel(repr, normalize)
    form <- sparse_form(graph$idx, weight, 0)
    if (estimator == "unbiased") with_product(form, unbiased_product(form, form))
    else if (centering == "full") {
      spread_ties(with_product(form, sum(weight^2)), graph$averaged)
    }
    else with_norm(form, "double")
  })
}

# What with_norm() adds, from a product of the form with itself.
with_product <- function(form, value) {
  norm <- list(value = value, magnitude = sum(form$weight^2) / form$n^2)
  c(form, list(norm = norm, undefined = !is_positive(norm)))
}

# The mean inner product of every stimulus with all of them; between clusters, with itself and those
# of other clusters.
row_means_of_kernel <- function(repr, normalize) {
  codes <- repr$codes
  rows <- form_rows(repr, if (normalize) "cosine" else "dot")$rows
  if (is.null(codes)) return(as.vector(crossprod(rows, rowMeans(rows))))
  of_cluster <- t(rowsum(t(rows), codes))[, codes, drop = FALSE]
  sums <- colSums(rows * (rowSums(rows) - of_cluster)) + colSums(rows^2)
  sums / (repr$n - tabulate(codes)[codes] + 1)
}

declare_measure(
  id = "cknna", label = "Centered kernel nearest-neighbour alignment", family = "neighbours",
  direction = "similarity", best = 1, metric = FALSE,
  range = function(args) if (args$centering == "full") c(-1, 1) else c(-Inf, Inf),
  # the code of Huh et al. multiplies column sums of x with row sums of y
  symmetric = function(args) args$estimator == "biased", pairing = TRUE,
  invariant = c("orthogonal", "scaling", "column permutation"),
  reference = "Groeger et al. 2026; Huh et al. 2024",
  neighbours = function(args) list(metric = if (args$normalize) "cosine" else "dot", k = args$k),
  exact_ties = exact_cknna_ties, check = check_cknna_args, check_pair = check_cknna_pair,
  form = "sparse kernel",
  keeps = function(args) {
    c("graph", if (!args$normalize || args$centering == "full") "rows")
  },
  prepare = function(repr, args, side) {
    form_cknna(clustered_representation(repr, args$clusters), args$k, args$normalize,
               args$centering, args$estimator, args$ties)
  },
  undefined = warn_no_contrast, statistic = common_product,
  score = kernel_cosine,
  null = function(args) {
    if (args$estimator == "unbiased") return(NULL)
    if (args$centering == "masked") return(sparse_null(common_products, reversed = TRUE))
    sparse_null(function(values, x, y, args, design) values[[1]][, 1])
  },
  needs_data = FALSE, memory = sparse_needs
)

# The statistic of all permutations. Both kernels are restricted to the common edges, so that their
# row and column sums change with the permutation, too.
common_products <- function(values, x, y, args, design) {
  n <- design$n
  out <- values[[1]]
  out[, 1] - out[, 2] / n - values[[2]][, 2] / n + (out[, 3] / n) * (out[, 4] / n)
}

#' Second-order cosine similarity
#'
#' Whether stimuli have the same similarities to their neighbours on both sides. For each
#' stimulus, it is the cosine between the similarities on one side and those on the other
#' side, taken over all stimuli that are its neighbours on either side. The score is the mean
#' over stimuli.
#'
#' @inheritParams cknna
#' @param of `"similarity"` compares cosine similarities; `"distance"` compares 1 - cosine
#'   similarity.
#' @param ties what becomes of neighbours at equal distances: `"random"`, the score of one random
#'   order; or `"average"`, the mean score over 20 random orders. See [mutual_knn()].
#' @return One number in \[-1, 1\], or in \[0, 1\] with `of = "distance"`; 1 when the
#'   similarities are proportional for every stimulus. The result is `NA`, with a warning of
#'   class `repalign_undefined`, when all similarities of a stimulus to these neighbours are
#'   0 (with `of = "distance"`: when all of them point in its direction, as duplicates do).
#' @details
#' For stimulus i, let J be the union of its k nearest neighbours (by cosine similarity) on
#' both sides, and let \eqn{s_x(i, j)}{s_x(i, j)} and \eqn{s_y(i, j)}{s_y(i, j)} be the
#' cosine similarities on the two sides. The score is the mean over i of the cosine between
#' the vectors \eqn{s_x(i, J)}{s_x(i, J)} and \eqn{s_y(i, J)}{s_y(i, J)}.
#'
#' Rotation and scaling of either side, reordering of the neurons, and scaling of single rows
#' leave the score as it is. Translation does not, because cosines depend on the origin.
#'
#' With `clusters`, J has stimuli of other clusters only. Stimuli that depend on each other raise
#' the score: for 20 groups of 5 stimuli that share 90% of their variance, its mean for two
#' unrelated populations was 0.35; with `clusters` it was -0.09, and -0.08 for as many independent
#' stimuli (`bench/dependence.R`).
#'
#' When not to trust it: if all cosines are similar, the two vectors are nearly constant and
#' the score is near 1 even for unrelated data. Unrelated responses that are all positive,
#' such as firing rates, score above 0.9, and with `of = "distance"` all data with many
#' dimensions do. Compare the score with chance ([calibrate()]), not with 0.
#'
#' The code of the ReSi benchmark compares the distances (`of = "distance"`), while its paper
#' uses similarities.
#' @references Hamilton, Leskovec and Jurafsky (2016), EMNLP. Klabunde et al. (2025), ReSi,
#'   ICLR.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 100)
#' y <- x + matrix(rnorm(500, sd = 0.5), 100)
#' second_order_cosine(x, y)
#' second_order_cosine(x, y, of = "distance")
#' @seealso [knn_jaccard()], [rank_similarity()], [cknna()]
#' @export
second_order_cosine <- function(x, y, k = 10, of = c("similarity", "distance"),
                                ties = c("random", "average"), clusters = NULL) {
  one_score("second_order_cosine", x, y, list(k = k, of = of, ties = ties, clusters = clusters))
}

check_second_order_args <- function(args) {
  args$k <- check_count(args$k, "k")
  args$of <- check_choice(args$of, c("similarity", "distance"), "of")
  args$ties <- check_choice(args$ties, random_first, "ties")
  args$clusters <- cluster_codes(args$clusters)
  args
}

# The neighbour graph together with the rows of unit length that it was made from.
prepare_second_order <- function(repr, args, side) {
  repr <- clustered_representation(repr, args$clusters)
  graph <- form_graph(repr, "cosine", args$k)
  rows <- form_rows(repr, "cosine")$rows
  new_form("graph with rows", c(unclass(graph), list(rows = rows)))
}

declare_form("graph with rows", relabel = function(form, permutation) {
  form <- relabel_graph(form, permutation)
  relabel_parts(columns = "rows")(form, permutation)
}, size = function(n, d, args) as.double(n) * (d + 3 * args$k), drawn = "priority")

mean_second_order <- function(pair, x, y, args) {
  cosines <- .Call(C_second_order_cosines, x$rows, x$idx, x$dist, y$rows, y$idx, y$dist,
                   args$of == "distance", thread_count())
  lost <- which(is.nan(cosines))
  if (!length(lost)) return(mean(cosines))
  warn("The score of `", pair$x$arg, "` and `", pair$y$arg, "` is undefined (NA): ", length(lost),
       " stimul", if (length(lost) > 1) "i have" else "us has", " only zero ",
       if (args$of == "distance") "distances" else "similarities", " to the neighbours (row ",
       enumerate(lost, 3, quote = FALSE), "). ",
       if (args$of == "distance") "Remove duplicated stimuli, or raise `k`." else "Raise `k`.",
       class = "repalign_undefined", data = lost)
  NA_real_
}

declare_measure(
  id = "second_order_cosine", label = "Second-order cosine similarity", family = "neighbours",
  resi = "2nd-Cos", direction = "similarity", best = 1,
  range = function(args) if (args$of == "distance") c(0, 1) else c(-1, 1),
  symmetric = TRUE, metric = FALSE, pairing = TRUE,
  invariant = c("orthogonal", "scaling", "column permutation"),
  reference = "Hamilton et al. 2016; Klabunde et al. 2025",
  neighbours = function(args) list(metric = "cosine", k = args$k),
  exact_ties = FALSE, check = check_second_order_args, check_pair = check_neighbour_pair,
  form = "graph with rows",
  keeps = c("graph", "rows"), prepare = prepare_second_order,
  statistic = mean_second_order,
  needs_data = FALSE, memory = second_order_needs
)
