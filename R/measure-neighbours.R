# These measures compare which stimuli are neighbours of each other.

#' @include measure.R neighbour-arguments.R
NULL

#' Overlap of nearest neighbours
#'
#' The share of its k nearest neighbours that a stimulus has in common in both
#' representations, averaged over stimuli.
#'
#' @param x,y two representations of the same stimuli in the same order: numeric matrices,
#'   data frames or tibbles (all columns numeric) with stimuli in the rows and neurons, or
#'   the units of a network, in the columns. If both have row names, these must be equal
#'   ([match_rows()] aligns the rows by name). With `metric = "euclidean"` either may also be
#'   a `dist` object, whose distances are used as they are. Either may also be a neighbour
#'   graph that was made elsewhere (for example by uwot or RcppHNSW), and `metric` is then
#'   not used for it: `list(idx, dist)`, two matrices with one row per stimulus that hold the
#'   numbers of its neighbours (counted from 1) and their distances, nearest first. The
#'   stimulus itself may be among its neighbours in all rows or in none.
#' @param k number of neighbours, less than the number of stimuli. A stimulus does not count
#'   as its own neighbour.
#' @param metric how neighbours are found: by `"cosine"`, by `"euclidean"` distance, by
#'   `"dot"` (largest inner product), or by `"correlation"` (across neurons).
#' @param ties what becomes of neighbours at equal distances: `"average"`, the mean score over
#'   all orders in which they may come, by a formula; or `"random"`, the score of one random
#'   order.
#' @param clusters one label per stimulus, for stimuli that depend on each other (see [cka()]), such
#'   as successive points of a time series or views of one object. The neighbours of a stimulus are
#'   then looked for among those of other clusters only, of which there must be at least `k`.
#'   Stimuli with the label `NA` are left out. A neighbour graph is used only if it was made
#'   without pairs within clusters, and of no stimuli without a label.
#' @return One number in \[0, 1\]: 1 when all stimuli have the same neighbours on both sides.
#'   For unrelated representations of n stimuli its mean is k / (n - 1); with clusters of m stimuli
#'   each it is k / (n - m).
#' @details
#' Let \eqn{N_x(i)}{N_x(i)} and \eqn{N_y(i)}{N_y(i)} be the k nearest neighbours of stimulus
#' i on the two sides. The score is the mean over i of
#' \eqn{|N_x(i) \cap N_y(i)| / k}{|N_x(i) and N_y(i)| / k}. It depends on local structure
#' only: two representations can have the same neighbours and differ in all large distances.
#'
#' The metric determines which changes of one side leave the score as it is. Cosine: rotation
#' and scaling, but not translation. Euclidean: rotation, scaling and translation. Inner
#' product: rotation and scaling. Correlation: scaling, but not rotation.
#'
#' When not to trust it: the chance level is k / (n - 1), so scores with different n or k
#' cannot be compared. In many dimensions a few stimuli can be neighbours of most others
#' (hubs), above all with Euclidean distances; the scores of unrelated representations then
#' scatter more widely around the chance level.
#'
#' Stimuli that depend on each other (groups of similar images, successive time points) are each
#' other's neighbours on both sides, whatever the two representations have in common. In simulations
#' of two unrelated populations (`bench/dependence.R`: 5 latent variables, 40 neurons, k = 10), the
#' mean score was 0.37 for 20 groups of 5 stimuli that share 90% of their variance, and 0.10 for
#' 100 independent stimuli. With `clusters`, which looks for neighbours outside of the groups only,
#' it was 0.10. Scores of groups still scatter more than those of independent stimuli (standard
#' deviation 0.028 against 0.011), so that they are to be tested with the same labels in
#' [calibrate()], which then permutes whole clusters: it rejected in 4% of the data sets at a level
#' of 5%, and free permutations in all of them.
#'
#' A row of zeros is an error with `"cosine"`, a constant row with `"correlation"`.
#'
#' The code of Huh et al. (2024) uses the inner products of the rows as they are. For rows of
#' unit length these give the same neighbours as the cosine; for other rows set
#' `metric = "dot"` to obtain the same score.
#' @section Ties:
#' Neighbours are tied when their values differ by less than 1e-12 of the largest value in the
#' row, which is frequent in counts, or by no more than rounding can change (cosines of nearly
#' parallel rows). When t stimuli are tied at the k-th place, only as many of them are
#' neighbours as there are places left, say m. (Taking those with the lowest row numbers would
#' make unrelated representations look alike.)
#'
#' `ties = "average"` gives the mean score over all orders of the tied stimuli, independently
#' on both sides: each of them is a neighbour with probability m / t. There is a formula for
#' this mean in `mutual_knn()`, [knn_jaccard()], [mka()], [kcka()] with `centering = "row"` and
#' [cknna()] with `centering = "full"`; there it is the default and leaves nothing to chance.
#' The other measures on neighbours take the mean over 20 random orders if asked to. [imd()] and
#' `cka(kernel = "manifold")` always use one random order.
#'
#' `ties = "random"` gives the score of one random order of the stimuli, the same in all rows.
#' A warning of class `repalign_ties` says how many rows have ties. The order is determined by
#' [set.seed()], the name of the representation, its side and the metric, so it does not change
#' with the rest of a call. With the mean over 20 random orders this is the same, without the
#' warning.
#'
#' [calibrate()] treats permuted data as the data themselves. Either choice gives a valid test,
#' but with one random order the p-value depends on the order, and power is lost. For example,
#' the p-values of one data set of counts (60 stimuli, 8 neurons, k = 5, 999 permutations) lay
#' between 0.009 and 0.272 over 50 seeds with `"random"`, and between 0.015 and 0.039 with
#' `"average"`, where only the permutations differ. Of unrelated counts 4.0% and 5.4% were
#' rejected at 0.05 (2000 data sets), and of related ones 27% and 33%.
#'
#' With ties, `mutual_knn(x, x)` is below 1. Without ties both choices give the same score, and
#' no random numbers are drawn. The average needs memory for all tied stimuli, which may be most
#' of them in some rows. A neighbour graph that is given shows no ties beyond its last
#' neighbour and is taken as it is.
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
mutual_knn <- function(x, y, k = 10,
                       metric = c("cosine", "euclidean", "dot", "correlation"),
                       ties = c("average", "random"), clusters = NULL) {
  one_score("mutual_knn", x, y, list(k = k, metric = metric, ties = ties, clusters = clusters))
}

# For each stimulus the number of neighbours that it has on both sides.
shared_counts <- function(pair, x, y, args) {
  what <- list("shared neighbours", args$metric, args$k, args$clusters, x$order, y$order)
  remember(pair$cache, what, {
    .Call(C_shared_neighbours, x$idx, y$idx)
  })
}

declare_measure(
  id = "mutual_knn", label = "Overlap of nearest neighbours", family = "neighbours",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"),
  reference = "Huh et al. 2024", accepts = kinds, neighbours = wanted_graph, exact_ties = TRUE,
  check = neighbour_args(average_first), check_pair = check_neighbour_pair,
  form = "graph", prepare = prepare_graph,
  statistic = function(pair, x, y, args) {
    if (is_averaged(x, y)) return(averaged_sum(x, y, "weights") / nrow(x$idx))
    mean(shared_counts(pair, x, y, args))
  },
  score = function(statistic, x, y, args) statistic / args$k,
  null = function(args) neighbour_list_null(if (args$ties == "average") "weights" else "count"),
  needs_data = FALSE, errors = mutual_knn_errors,
  memory = graph_needs
)

#' Cycle consistency of nearest neighbours
#'
#' The share of stimuli that can be reached again by a step to one of their neighbours in
#' `y`, followed by a step to one of the neighbours of that stimulus in `x`.
#'
#' @inheritParams mutual_knn
#' @param ties what becomes of neighbours at equal distances: `"random"`, the score of one random
#'   order; or `"average"`, the mean score over 20 random orders. See [mutual_knn()].
#' @return One number in \[0, 1\].
#' @details
#' Let \eqn{N_x(i)}{N_x(i)} and \eqn{N_y(i)}{N_y(i)} be the k nearest neighbours of stimulus
#' i on the two sides. Stimulus i counts if \eqn{i \in N_x(j)}{i is in N_x(j)} for at least
#' one j in \eqn{N_y(i)}{N_y(i)}. The score is not symmetric in `x` and `y`. Invariances and
#' ties are the same as for [mutual_knn()].
#'
#' Stimuli that depend on each other raise the score: for 20 groups of 5 stimuli that share 90% of
#' their variance, its mean for two unrelated populations was 0.98. With `clusters` it was 0.48,
#' less than the 0.66 of as many independent stimuli, because neighbours come in groups, and one
#' way back is enough (`bench/dependence.R`).
#'
#' When not to trust it: one of the k neighbours is enough, so that unrelated data score
#' about \eqn{1 - (1 - k/(n-1))^k}{1 - (1 - k/(n-1))^k}. This is large unless k^2 is small
#' compared with the number of stimuli n. The score of a representation with itself can be
#' below 1, because a stimulus that is no stimulus's neighbour never counts.
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
cycle_knn <- function(x, y, k = 10,
                      metric = c("cosine", "euclidean", "dot", "correlation"),
                      ties = c("random", "average"), clusters = NULL) {
  one_score("cycle_knn", x, y, list(k = k, metric = metric, ties = ties, clusters = clusters))
}

declare_measure(
  id = "cycle_knn", label = "Cycle consistency of nearest neighbours", family = "neighbours",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = FALSE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"),
  reference = "Huh et al. 2024", accepts = kinds, neighbours = wanted_graph, exact_ties = FALSE,
  check = neighbour_args(random_first), check_pair = check_neighbour_pair,
  form = "graph", prepare = prepare_graph,
  statistic = function(pair, x, y, args) .Call(C_cycle_count, x$idx, y$idx) / nrow(x$idx),
  # a cycle steps from i to j in y and back from j to i in x, so the edges of x are reversed
  null = function(args) neighbour_list_null("any", reversed = TRUE),
  needs_data = FALSE, memory = graph_needs
)

#' Jaccard similarity of nearest neighbours
#'
#' The number of shared neighbours divided by the number of all neighbours that a stimulus
#' has in either representation, averaged over stimuli.
#'
#' @inheritParams mutual_knn
#' @return One number in \[0, 1\]; 1 when all stimuli have the same neighbours on both sides.
#' @details
#' Let \eqn{N_x}{N_x} and \eqn{N_y}{N_y} be the sets of the k nearest neighbours of a
#' stimulus on the two sides. The score is the mean over stimuli of
#' \eqn{|N_x \cap N_y| / |N_x \cup N_y|}{|N_x and N_y| / |N_x or N_y|}. With c shared
#' neighbours this is c / (2k - c). For a single stimulus it orders representations as
#' [mutual_knn()] does, but gives more weight to large overlaps. Invariances and ties are the
#' same as for [mutual_knn()].
#'
#' Stimuli that depend on each other raise the score: for 20 groups of 5 stimuli that share 90% of
#' their variance, its mean for two unrelated populations was 0.24; with `clusters` it was 0.061,
#' and 0.056 for as many independent stimuli (`bench/dependence.R`).
#'
#' When not to trust it: scores with different n or k cannot be compared, because the score
#' of unrelated representations depends on both. In many dimensions a few hubs can be
#' neighbours of most stimuli, see [mutual_knn()].
#' @references Hryniowski and Wong (2020), Inter-layer information similarity assessment of
#'   deep neural networks. Klabunde et al. (2024), ReSi benchmark.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 50)
#' y <- x + matrix(rnorm(500), 50)
#' knn_jaccard(x, y, k = 5)
#' @seealso [mutual_knn()], [rank_similarity()]
#' @export
knn_jaccard <- function(x, y, k = 10,
                        metric = c("cosine", "euclidean", "dot", "correlation"),
                        ties = c("average", "random"), clusters = NULL) {
  one_score("knn_jaccard", x, y, list(k = k, metric = metric, ties = ties, clusters = clusters))
}

declare_measure(
  id = "knn_jaccard", label = "Jaccard similarity of nearest neighbours", family = "neighbours",
  resi = "Jaccard",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"),
  reference = "Klabunde et al. 2024", accepts = kinds, neighbours = wanted_graph, exact_ties = TRUE,
  check = neighbour_args(average_first), check_pair = check_neighbour_pair,
  form = "graph", prepare = prepare_graph,
  statistic = function(pair, x, y, args) {
    if (is_averaged(x, y)) return(averaged_sum(x, y, "mean_jaccard") / nrow(x$idx))
    shared <- shared_counts(pair, x, y, args)
    mean(shared / (2 * args$k - shared))
  },
  null = function(args) {
    neighbour_list_null(if (args$ties == "average") "mean_jaccard" else "jaccard")
  },
  needs_data = FALSE, memory = graph_needs
)

#' Rank similarity of nearest neighbours
#'
#' How similar the ranks of the shared neighbours are on both sides, averaged over stimuli.
#' The nearest neighbours have the largest weight.
#'
#' @inheritParams mutual_knn
#' @param ties what becomes of neighbours at equal distances: `"random"`, the score of one random
#'   order; or `"average"`, the mean score over 20 random orders. See [mutual_knn()].
#' @return One number in \[0, 1\].
#' @details
#' Suppose that a stimulus has c neighbours in both lists, with the ranks \eqn{r_j}{r_j} in
#' `x` and \eqn{s_j}{s_j} in `y`. Its value is \eqn{\sum_j \frac{2}{(1 + |r_j - s_j|)(r_j +
#' s_j)} / (1 + 1/2 + \ldots + 1/c)}{sum_j(2 / ((1 + |r_j - s_j|) (r_j + s_j))) / (1 + 1/2 +
#' ... + 1/c)}, and 0 if c = 0. Invariances and ties are the same as for [mutual_knn()].
#'
#' Stimuli that depend on each other raise the score: for 20 groups of 5 stimuli that share 90% of
#' their variance, its mean for two unrelated populations was 0.34; with `clusters` it was 0.054,
#' and 0.066 for as many independent stimuli (`bench/dependence.R`).
#'
#' When not to trust it: the divisor depends on the number of shared neighbours. A single
#' shared neighbour, if it is the nearest on both sides, already gives a stimulus the value 1.
#' Noise that exchanges the first ranks has a large effect on the score. Ties matter among all
#' neighbours, because their order counts.
#' @references Wang et al. (2020), Towards understanding the instability of network
#'   embedding. Klabunde et al. (2024), ReSi benchmark, equation 25.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 50)
#' y <- x + matrix(rnorm(500), 50)
#' rank_similarity(x, y, k = 5)
#' @seealso [mutual_knn()], [lcs_knn()]
#' @export
rank_similarity <- function(x, y, k = 10,
                            metric = c("cosine", "euclidean", "dot", "correlation"),
                            ties = c("random", "average"), clusters = NULL) {
  one_score("rank_similarity", x, y, list(k = k, metric = metric, ties = ties, clusters = clusters))
}

declare_measure(
  id = "rank_similarity", label = "Rank similarity of nearest neighbours", family = "neighbours",
  resi = "RankSim",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"),
  reference = "Wang et al. 2020", accepts = kinds,
  neighbours = wanted_ordered_graph, exact_ties = FALSE, check = neighbour_args(random_first),
  check_pair = check_neighbour_pair, form = "graph", prepare = prepare_ordered_graph,
  statistic = function(pair, x, y, args) mean(.Call(C_rank_agreement, x$idx, y$idx)),
  null = function(args) neighbour_list_null("ranks"),
  needs_data = FALSE, memory = graph_needs
)
