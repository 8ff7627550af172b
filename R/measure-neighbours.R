# Measures that compare which stimuli are neighbours of each other.

#' Overlap of nearest neighbours
#'
#' The share of its k nearest neighbours that a stimulus has in common in both
#' representations, averaged over stimuli.
#'
#' @param x,y stimuli x neurons: numeric matrices or all-numeric data frames with the same
#'   stimuli in the rows, in the same order. A `dist` object may stand for either (with
#'   `metric = "euclidean"`: its distances are used as they are), and so may a neighbour
#'   graph that was made elsewhere: `list(idx, dist)`, two matrices with a row of nearest
#'   neighbours per stimulus, nearest first, `idx` counted from one, the stimulus itself in
#'   the first column or nowhere (as uwot and RcppHNSW give it). `metric` then says nothing.
#' @param k number of neighbours, less than the number of stimuli. The stimulus itself
#'   does not count.
#' @param metric what is near: `"cosine"`, `"euclidean"`, `"dot"` (largest inner product)
#'   or `"correlation"` (across neurons).
#' @return One number in \[0, 1\]: 1 when all stimuli have the same neighbours, and in the
#'   mean k / (n - 1) for unrelated representations of n stimuli.
#' @details
#' The mean over stimuli i of the number of neighbours that \eqn{N_x(i)} and
#' \eqn{N_y(i)} share, divided by k. Cosine neighbours are invariant to rotations and
#' scaling of either side but not to translation; Euclidean ones to translation, too;
#' neighbours by inner product to rotations and scaling; those by correlation not even
#' to rotations. The measure sees local structure only: two representations can agree in
#' it and differ in all large distances.
#'
#' When not to trust it: chance level is k / (n - 1), so values with different n or k do not
#' compare. In many dimensions a few stimuli (hubs) are neighbours of most others, and values
#' of unrelated representations then scatter more widely around that level. The published
#' code ranks by inner product of the rows as they are, which equals the cosine for rows of
#' unit length; for other rows set `metric = "dot"` to have the same.
#'
#' Ties: neighbours are tied when their values differ by less than 1e-12 of the row's largest
#' value, or by no more than rounding can change (cosines of nearly parallel rows), as often in
#' counts. Ties are broken by random priorities, one per stimulus, drawn
#' once per representation and independently for `x` and `y` (breaking them by row number
#' would make unrelated representations look alike). A warning of class `repalign_ties`
#' says how many rows are tied at their k-th neighbour. With ties `mutual_knn(x, x)` can
#' therefore be below 1. Without ties the random number generator is not touched.
#'
#' A zero row is an error for `"cosine"`, a constant row for `"correlation"`.
#' @references Huh, Cheung, Wang and Isola (2024), ICML, The Platonic Representation
#'   Hypothesis.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 50)
#' y <- x + matrix(rnorm(500), 50)
#' mutual_knn(x, y, k = 5)
#' mutual_knn(dist(x), y, k = 5, metric = "euclidean")
#' @seealso [knn_jaccard()], [rank_similarity()], [cycle_knn()], [lcs_knn()]
#' @export
mutual_knn <- function(x, y, k = 10, metric = c("cosine", "euclidean", "dot", "correlation")) {
  one_score("mutual_knn", x, y, list(k = k, metric = metric))
}

# How many neighbours both sides have, per stimulus.
shared_counts <- function(pair, args) {
  remember(pair$cache, list("shared neighbours", args$metric, args$k), {
    lists <- neighbour_pair(pair, args)
    .Call(C_shared_neighbours, lists$x, lists$y)
  })
}

declare_measure(
  id = "mutual_knn", label = "Overlap of nearest neighbours", family = "neighbours",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"), form = "graph",
  accepts = kinds, neighbours = wanted_graph,
  check = check_neighbour_args,
  compare = function(pair, args) mean(shared_counts(pair, args)) / args$k,
  reference = "Huh et al. 2024",
  null = function(args) list_null("count", function(args) args$k)
)

#' Cycle consistency of nearest neighbours
#'
#' The share of stimuli that are found again when one goes to a neighbour in `y` and from
#' there to a neighbour in `x`.
#'
#' @inheritParams mutual_knn
#' @return One number in \[0, 1\].
#' @details
#' Stimulus i counts when it is among the k nearest neighbours in `x` of at least one of its
#' k nearest neighbours in `y`. Not symmetric in `x` and `y`. Invariances and ties are
#' those of [mutual_knn()].
#'
#' When not to trust it: it is near 1 by chance already when k * k is not small against the
#' number of stimuli n, as one of k neighbours is enough: unrelated data give about
#' \eqn{1 - (1 - k/(n-1))^k}. And a representation need not reach 1 with itself: a stimulus
#' that is nobody's neighbour never counts.
#' @references Huh, Cheung, Wang and Isola (2024), ICML, The Platonic Representation
#'   Hypothesis.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(1000), 100)
#' y <- x + matrix(rnorm(1000), 100)
#' cycle_knn(x, y, k = 3)
#' cycle_knn(y, x, k = 3)
#' @seealso [mutual_knn()]
#' @export
cycle_knn <- function(x, y, k = 10, metric = c("cosine", "euclidean", "dot", "correlation")) {
  one_score("cycle_knn", x, y, list(k = k, metric = metric))
}

declare_measure(
  id = "cycle_knn", label = "Cycle consistency of nearest neighbours", family = "neighbours",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = FALSE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"), form = "graph",
  accepts = kinds, neighbours = wanted_graph,
  check = check_neighbour_args,
  compare = function(pair, args) {
    lists <- neighbour_pair(pair, args)
    .Call(C_cycle_count, lists$x, lists$y) / pair$x$n
  },
  reference = "Huh et al. 2024",
  # a step from i to j in y and back from j to i in x
  null = function(args) list_null("any", x = "in")
)

#' Jaccard similarity of nearest neighbours
#'
#' Shared neighbours over all neighbours that a stimulus has in either representation,
#' averaged over stimuli.
#'
#' @inheritParams mutual_knn
#' @return One number in \[0, 1\]; 1 when all stimuli have the same neighbours.
#' @details
#' The mean over stimuli of \eqn{|N_x \cap N_y| / |N_x \cup N_y|}. With c shared neighbours
#' this is c / (2k - c): per stimulus it orders representations as [mutual_knn()] does, but
#' counts a large overlap more. Invariances, ties, and when not to trust it: as there.
#' @references Hryniowski and Wong (2020), Inter-layer information similarity assessment of
#'   deep neural networks. Klabunde et al. (2024), ReSi benchmark.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 50)
#' y <- x + matrix(rnorm(500), 50)
#' knn_jaccard(x, y, k = 5)
#' @seealso [mutual_knn()], [rank_similarity()]
#' @export
knn_jaccard <- function(x, y, k = 10, metric = c("cosine", "euclidean", "dot", "correlation")) {
  one_score("knn_jaccard", x, y, list(k = k, metric = metric))
}

declare_measure(
  id = "knn_jaccard", label = "Jaccard similarity of nearest neighbours", family = "neighbours",
  resi = "Jaccard",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"), form = "graph",
  accepts = kinds, neighbours = wanted_graph,
  check = check_neighbour_args,
  compare = function(pair, args) {
    shared <- shared_counts(pair, args)
    mean(shared / (2 * args$k - shared))
  },
  reference = "Klabunde et al. 2024", null = function(args) list_null("jaccard")
)

#' Rank similarity of nearest neighbours
#'
#' How alike the ranks of the common neighbours are, near ones counting most, averaged
#' over stimuli.
#'
#' @inheritParams mutual_knn
#' @return One number in \[0, 1\].
#' @details
#' For a stimulus with common neighbours j of ranks \eqn{r_j} in `x` and \eqn{s_j} in `y`:
#' the sum of \eqn{2/((1 + |r_j - s_j|)(r_j + s_j))}, divided by \eqn{1 + 1/2 + ... + 1/c}
#' for c common neighbours; 0 without any. Invariances and ties are those of [mutual_knn()].
#'
#' When not to trust it: the norm depends on the number of common neighbours, so one common
#' neighbour, if it is the nearest in both, already gives a stimulus the value 1. It is
#' sensitive to noise that exchanges the first ranks. The order within ties is random.
#' @references Wang et al. (2020), Towards understanding the instability of network
#'   embedding. Klabunde et al. (2024), ReSi benchmark, eq. 25.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 50)
#' y <- x + matrix(rnorm(500), 50)
#' rank_similarity(x, y, k = 5)
#' @seealso [mutual_knn()], [lcs_knn()]
#' @export
rank_similarity <- function(x, y, k = 10,
                            metric = c("cosine", "euclidean", "dot", "correlation")) {
  one_score("rank_similarity", x, y, list(k = k, metric = metric))
}

declare_measure(
  id = "rank_similarity", label = "Rank similarity of nearest neighbours", family = "neighbours",
  resi = "RankSim",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"), form = "graph",
  accepts = kinds, neighbours = wanted_graph,
  check = check_neighbour_args,
  compare = function(pair, args) {
    lists <- neighbour_pair(pair, args, ordered = TRUE)
    mean(.Call(C_rank_agreement, lists$x, lists$y))
  },
  reference = "Wang et al. 2020", null = function(args) list_null("ranks")
)
