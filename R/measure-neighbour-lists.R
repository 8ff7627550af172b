# Measures that compare neighbour lists as sequences.

#' Longest common subsequence of neighbour lists
#'
#' How many of a stimulus's k nearest neighbours come in the same order in both
#' representations, averaged over stimuli.
#'
#' @inheritParams mutual_knn
#' @return One number from 0 to k: the mean length. It is not divided by k.
#' @details
#' The longest sequence of stimuli that appears in both ordered neighbour lists, with gaps
#' allowed. It is at most the number of shared neighbours ([mutual_knn()] times k) and
#' equal to it when these have the same order. Invariances and ties are those of
#' [mutual_knn()]; the order within ties is random. The default metric is the cosine, which
#' is the published measure on rows of unit length.
#'
#' When not to trust it: it depends on k in a way that does not cancel, so compare equal k
#' only; and small noise shuffles neighbours at nearly equal distance, as in many
#' dimensions all are.
#' @references Huh, Cheung, Wang and Isola (2024), ICML, The Platonic Representation
#'   Hypothesis.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 50)
#' y <- x + matrix(rnorm(500), 50) / 4
#' lcs_knn(x, y, k = 5)
#' @seealso [edit_distance_knn()], [rank_similarity()], [mutual_knn()]
#' @export
lcs_knn <- function(x, y, k = 10, metric = c("cosine", "euclidean", "dot", "correlation")) {
  one_score("lcs_knn", x, y, list(k = k, metric = metric))
}

declare_measure(
  id = "lcs_knn", label = "Longest common subsequence of neighbours", family = "neighbours",
  direction = "similarity", range = function(args) c(0, args$k),
  best = function(args) as.double(args$k),
  symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"), form = "graph",
  accepts = kinds, neighbours = wanted_graph,
  check = check_neighbour_args,
  compare = function(pair, args) {
    lists <- neighbour_pair(pair, args, ordered = TRUE)
    .Call(C_common_subsequences, lists$x, lists$y) / pair$x$n
  },
  reference = "Huh et al. 2024"
)

#' Edit distance of neighbour lists
#'
#' One minus the share of a stimulus's ordered neighbour list that must be edited to
#' turn it into that of the other representation: a similarity, in spite of its name.
#'
#' @inheritParams mutual_knn
#' @return One number in \[0, 1\]; 1 when all ordered lists are equal.
#' @details
#' 1 minus the mean Levenshtein distance of the two ordered lists of k neighbours
#' (insertions, deletions and replacements cost 1 each), divided by k. Invariances and ties
#' are those of [mutual_knn()]; the order within ties is random. The default metric is
#' the cosine, which is the published measure on rows of unit length. It needs of the order
#' of k * k operations per stimulus.
#'
#' When not to trust it: a neighbour counts only near its place in the list, so values are
#' low also for closely related representations; and small noise shuffles neighbours at
#' nearly equal distance, as in many dimensions all are.
#' @references Huh, Cheung, Wang and Isola (2024), ICML, The Platonic Representation
#'   Hypothesis.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 50)
#' y <- x + matrix(rnorm(500), 50) / 4
#' edit_distance_knn(x, y, k = 5)
#' @seealso [lcs_knn()], [rank_similarity()], [mutual_knn()]
#' @export
edit_distance_knn <- function(x, y, k = 10,
                              metric = c("cosine", "euclidean", "dot", "correlation")) {
  one_score("edit_distance_knn", x, y, list(k = k, metric = metric))
}

declare_measure(
  id = "edit_distance_knn", label = "Edit distance of neighbours", family = "neighbours",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"), form = "graph",
  accepts = kinds, neighbours = wanted_graph,
  check = check_neighbour_args,
  compare = function(pair, args) {
    lists <- neighbour_pair(pair, args, ordered = TRUE)
    1 - .Call(C_edit_distances, lists$x, lists$y) / pair$x$n / args$k
  },
  reference = "Huh et al. 2024"
)
