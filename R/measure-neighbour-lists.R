# These measures compare the neighbour lists of the stimuli as sequences, in order of distance.

#' @include measure.R neighbour-arguments.R
NULL

#' Longest common subsequence of neighbour lists
#'
#' How many of the k nearest neighbours of a stimulus come in the same order in both
#' representations, averaged over stimuli.
#'
#' @inheritParams mutual_knn
#' @param ties what becomes of neighbours at equal distances: `"random"`, the score of one random
#'   order; or `"average"`, the mean score over 20 random orders. See [mutual_knn()].
#' @return One number from 0 to k: the mean number of stimuli in the longest common
#'   subsequence. It is not divided by k.
#' @details
#' For each stimulus, the longest common subsequence is the longest sequence of stimuli that
#' occurs in both ordered neighbour lists, with gaps allowed. It has at most as many members
#' as there are shared neighbours (k times [mutual_knn()], on average), and exactly as many
#' when these are in the same order on both sides. Invariances and ties are the same as for
#' [mutual_knn()], but ties matter among all neighbours, because their order counts. Huh et al.
#' use inner products of rows of unit length, which give the same neighbours as the default
#' metric, the cosine.
#'
#' Stimuli that depend on each other raise the score: for 20 groups of 5 stimuli that share 90% of
#' their variance, its mean for two unrelated populations was 2.4; with `clusters` it was 0.76,
#' and 0.84 for as many independent stimuli (`bench/dependence.R`).
#'
#' When not to trust it: the score depends on k even after division by k, so compare only
#' scores with the same k. Small noise changes the order of neighbours at nearly equal
#' distances, and in many dimensions all distances are nearly equal.
#' @references Huh, Cheung, Wang and Isola (2024), ICML, The Platonic Representation
#'   Hypothesis.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 50)
#' y <- x + matrix(rnorm(500), 50) / 4
#' lcs_knn(x, y, k = 5)
#' @seealso [edit_distance_knn()], [rank_similarity()], [mutual_knn()]
#' @export
lcs_knn <- function(x, y, k = 10,
                    metric = c("cosine", "euclidean", "dot", "correlation"),
                    ties = c("random", "average"), clusters = NULL) {
  one_score("lcs_knn", x, y, list(k = k, metric = metric, ties = ties, clusters = clusters))
}

declare_measure(
  id = "lcs_knn", label = "Longest common subsequence of neighbours", family = "neighbours",
  direction = "similarity", range = function(args) c(0, args$k),
  best = function(args) as.double(args$k),
  symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"),
  reference = "Huh et al. 2024", accepts = kinds,
  neighbours = wanted_ordered_graph, exact_ties = FALSE, check = neighbour_args(random_first),
  check_pair = check_neighbour_pair, form = "graph", prepare = prepare_ordered_graph,
  statistic = function(pair, x, y, args) {
    .Call(C_common_subsequences, x$idx, y$idx) / nrow(x$idx)
  },
  needs_data = FALSE, memory = graph_needs
)

#' Edit distance of neighbour lists
#'
#' How little the ordered list of nearest neighbours of a stimulus must be edited to turn it
#' into the list of the other representation. In spite of its name it is a similarity: 1
#' minus the share of the list that must be edited.
#'
#' @inheritParams mutual_knn
#' @param ties what becomes of neighbours at equal distances: `"random"`, the score of one random
#'   order; or `"average"`, the mean score over 20 random orders. See [mutual_knn()].
#' @return One number in \[0, 1\]; 1 when the ordered lists are equal for all stimuli.
#' @details
#' The score is 1 - D/k, where D is the mean over stimuli of the Levenshtein distance between
#' the two ordered lists of k neighbours (insertions, deletions and replacements cost 1
#' each). Invariances and ties are the same as for [mutual_knn()], but ties matter among all
#' neighbours, because their order counts. Huh et al. use inner products of rows of unit length,
#' which give the same neighbours as the default metric, the cosine. The time per stimulus grows
#' with the square of k.
#'
#' Stimuli that depend on each other raise the score: for 20 groups of 5 stimuli that share 90% of
#' their variance, its mean for two unrelated populations was 0.085; with `clusters` it was 0.012,
#' and 0.011 for as many independent stimuli (`bench/dependence.R`).
#'
#' When not to trust it: a neighbour counts only if it is near the same place in both lists,
#' so scores are low even for closely related representations. Small noise changes the order
#' of neighbours at nearly equal distances, and in many dimensions all distances are nearly
#' equal.
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
                              metric = c("cosine", "euclidean", "dot", "correlation"),
                              ties = c("random", "average"), clusters = NULL) {
  one_score("edit_distance_knn", x, y,
            list(k = k, metric = metric, ties = ties, clusters = clusters))
}

declare_measure(
  id = "edit_distance_knn", label = "Edit distance of neighbours", family = "neighbours",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"),
  reference = "Huh et al. 2024", accepts = kinds,
  neighbours = wanted_ordered_graph, exact_ties = FALSE, check = neighbour_args(random_first),
  check_pair = check_neighbour_pair, form = "graph", prepare = prepare_ordered_graph,
  statistic = function(pair, x, y, args) {
    1 - .Call(C_edit_distances, x$idx, y$idx) / nrow(x$idx) / args$k
  },
  needs_data = FALSE, memory = graph_needs
)
