# These measures compare neighbours: which they are, in which order, and how alike along the edges.

#' @include form-graph.R form.R measure.R
NULL

# Measures of the lists of neighbours. exact_ties: see declare_measure(); ordered: does the order of
# the neighbours count?
declare_neighbour_lists <- function(id, label, reference = "Huh et al. 2024", exact_ties = FALSE,
                                    ordered = FALSE, range = c(0, 1), best = 1, symmetric = TRUE,
                                    ...) {
  declare_measure(
    id = id, label = label, family = "neighbours", direction = "similarity", range = range,
    best = best, symmetric = symmetric, metric = FALSE, pairing = TRUE,
    invariant = c("orthogonal", "scaling", "column permutation"), reference = reference,
    accepts = kinds, exact_ties = exact_ties, check_pair = check_neighbour_pair, form = "graph",
    check = neighbour_args(if (exact_ties) average_first else random_first),
    neighbours = if (ordered) wanted_ordered_graph else wanted_graph,
    prepare = if (ordered) prepare_ordered_graph else prepare_graph, needs_data = FALSE, ...
  )
}

#' Overlap of nearest neighbours
#'
#' The share of its k nearest neighbours that a stimulus has in common in both
#' representations, averaged over stimuli.
#'
#' @param x,y see [cka()]. Either may also be a neighbour graph made elsewhere (for example by uwot
#'   or RcppHNSW): `list(idx, dist)`, two matrices with a row for each stimulus, the numbers of its
#'   neighbours and their distances, nearest first. With `metric = "euclidean"` also a `dist`
#'   object.
#' @param k number of neighbours, without the stimulus itself.
#' @param metric how neighbours are found: `"cosine"` (a row of zeros is an error), `"euclidean"`
#'   distance, `"dot"` (largest inner product; as in the code of Huh et al. 2024), or
#'   `"correlation"` (across neurons; a constant row is an error).
#' @param ties what is done about equal distances, see Ties.
#' @param clusters one label per stimulus, for stimuli that depend on each other (see [dependence]):
#'   neighbours are looked for in other clusters only. `NA`: left out.
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number in \[0, 1\]: 1 when all stimuli have the same neighbours on both sides.
#'   Its chance level is k / (n - 1) for n stimuli, or k / (n - m) with clusters of m stimuli each.
#' @details
#' What leaves the score as it is depends on the metric: scaling of a side always, rotation with all
#' but `"correlation"`, translation with `"euclidean"` only.
#'
#' When not to trust it: scores with different n or k, whose chance levels differ, cannot be
#' compared. In many dimensions a few stimuli can be neighbours of most others (hubs), and scores
#' scatter more widely. Stimuli that depend on each other raise the score: name them in `clusters`,
#' also of [calibrate()].
#' @section Ties:
#' Equal distances (up to rounding) are frequent in counts. `ties = "average"` gives the mean score
#' over all orders of the tied stimuli. It is the default of `mutual_knn()`, [knn_jaccard()],
#' [mka()], [kcka()] with `centering = "row"` and [cknna()] with `centering = "full"`; others take
#' the mean over 20 random orders if asked to.
#'
#' `ties = "random"` gives the score of one random order of the stimuli, which depends on
#' [set.seed()]; a warning of class `repalign_ties` counts the rows with ties. Both are tested
#' validly by [calibrate()], the random order with less power.
#'
#' With ties, `mutual_knn(x, x)` is below 1.
#' @references Huh et al. (2024), ICML, \doi{10.48550/arXiv.2405.07987}.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 50)
#' y <- x + matrix(rnorm(500), 50)
#' mutual_knn(x, y, k = 5)
#' mutual_knn(dist(x), y, k = 5, metric = "euclidean")
#' @seealso [cycle_knn()]
#' @export
mutual_knn <- function(x, y, k = 10, metric = c("cosine", "euclidean", "dot", "correlation"),
                       ties = c("average", "random"), clusters = NULL,
                       na = c("error", "stimuli", "neurons"), ...) {
  one_score("mutual_knn", x, y, list(k = k, metric = metric, ties = ties, clusters = clusters), na)
}

# For each stimulus the number of neighbours that it has on both sides.
shared_counts <- function(pair, x, y, args) {
  if (isTRUE(pair$x$cache$compared_once)) return(.Call(C_shared_neighbours, x$idx, y$idx))
  what <- list("shared neighbours", args$metric, args$k, args$clusters, x$order, y$order)
  remember(pair$cache, what, .Call(C_shared_neighbours, x$idx, y$idx))
}

declare_neighbour_lists(
  "mutual_knn", "Overlap of nearest neighbours", exact_ties = TRUE, errors = mutual_knn_errors,
  statistic = function(pair, x, y, args) {
    if (is_averaged(x, y)) return(averaged_sum(x, y, "weights") / nrow(x$idx))
    mean(shared_counts(pair, x, y, args))
  },
  score = function(statistic, x, y, args) statistic / args$k,
  null = function(args) neighbour_list_null(if (args$ties == "average") "weights" else "count"),
  dot = function(args) new_dot(function(x, y, args) {
    list(table = sparse_table(x, y, graph_operand(x)) / nrow(x[[1]]$idx))
  }, function(values, args) values / args$k)
)

#' Measures of neighbour lists
#'
#' What the lists of the k nearest neighbours of a stimulus have in common on both sides, averaged
#' over stimuli: a way there and back (`cycle_knn()`), shared members (`knn_jaccard()`), their ranks
#' (`rank_similarity()`), or the order (`lcs_knn()`, and `edit_distance_knn()`, which in spite of
#' its name is a similarity).
#'
#' @param x,y,k,metric,ties,clusters see [mutual_knn()]. The average over ties is of 20 random
#'   orders, but for `knn_jaccard()`.
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number: of `lcs_knn()` from 0 to k, otherwise in \[0, 1\]. Equal lists have the
#'   highest value, but for `cycle_knn()`.
#' @details
#' * `cycle_knn()`: the share of stimuli that are among the neighbours in `x` of one of their
#'   neighbours in `y`. It is not symmetric. Unrelated data score about `1 - (1 - k/(n-1))^k` with n
#'   stimuli. `cycle_knn(x, x)` can be below 1, because a stimulus that is nobody's neighbour never
#'   counts.
#' * `knn_jaccard()`: the number of shared neighbours divided by that of all neighbours on either
#'   side.
#' * `rank_similarity()`: how similar the ranks of the shared neighbours are, where the nearest
#'   weigh most. A single shared neighbour, if it is the nearest on both sides, gives the value 1;
#'   none gives 0.
#' * `lcs_knn()`: the length of the longest sequence of stimuli that occurs in both lists, with gaps
#'   allowed.
#' * `edit_distance_knn()`: `1 - D/k`, with the mean Levenshtein distance D between the lists.
#'   Scores are low even for closely related representations.
#'
#' Invariances and ties are those of [mutual_knn()].
#'
#' When not to trust it: scores with different n or k cannot be compared. Small noise changes the
#' order of neighbours at nearly equal distances, as most are in many dimensions. With `clusters`,
#' `cycle_knn()` is below that of independent stimuli.
#' @references Huh et al. (2024), ICML, \doi{10.48550/arXiv.2405.07987}. Hryniowski and Wong (2020),
#'   \doi{10.48550/arXiv.2012.03793} (`knn_jaccard()`). Wang et al. (2022), IEEE TKDE 34
#'   (`knn_jaccard()`, `rank_similarity()`). Klabunde et al. (2025), ICLR,
#'   \doi{10.48550/arXiv.2408.00531} (the ReSi benchmark, equations 24 and 25).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(1000), 100)
#' y <- x + matrix(rnorm(1000), 100) / 4
#' cycle_knn(x, y, k = 3)
#' knn_jaccard(x, y, k = 5)
#' rank_similarity(x, y, k = 5)
#' lcs_knn(x, y, k = 5)
#' edit_distance_knn(x, y, k = 5)
#' @seealso [second_order_cosine()]
#' @export
cycle_knn <- function(x, y, k = 10, metric = c("cosine", "euclidean", "dot", "correlation"),
                      ties = c("random", "average"), clusters = NULL,
                      na = c("error", "stimuli", "neurons"), ...) {
  one_score("cycle_knn", x, y, list(k = k, metric = metric, ties = ties, clusters = clusters), na)
}

declare_neighbour_lists(
  "cycle_knn", "Cycle consistency of nearest neighbours", symmetric = FALSE,
  statistic = function(pair, x, y, args) .Call(C_cycle_count, x$idx, y$idx) / nrow(x$idx),
  # a cycle steps from i to j in y and back from j to i in x, so the edges of x are reversed
  null = function(args) neighbour_list_null("any", reversed = TRUE)
)

#' @rdname cycle_knn
#' @export
knn_jaccard <- function(x, y, k = 10, metric = c("cosine", "euclidean", "dot", "correlation"),
                        ties = c("average", "random"), clusters = NULL,
                        na = c("error", "stimuli", "neurons"), ...) {
  one_score("knn_jaccard", x, y, list(k = k, metric = metric, ties = ties, clusters = clusters), na)
}

declare_neighbour_lists(
  "knn_jaccard", "Jaccard similarity of nearest neighbours", "Wang et al. 2022",
  exact_ties = TRUE, resi = "Jaccard",
  statistic = function(pair, x, y, args) {
    if (is_averaged(x, y)) return(averaged_sum(x, y, "mean_jaccard") / nrow(x$idx))
    shared <- shared_counts(pair, x, y, args)
    mean(shared / (2 * args$k - shared))
  },
  null = function(args) {
    neighbour_list_null(if (args$ties == "average") "mean_jaccard" else "jaccard")
  },
  # the mean over orders of ties is no sum over common edges
  dot = function(args) new_dot(function(x, y, args) {
    table <- sparse_table(x, y, graph_operand(x), neighbours = args$k)
    list(table = table / nrow(x[[1]]$idx))
  }, form = function(d, repr, args, side) {
    form <- prepared_for_dots(d, repr, args, side)
    if (is.null(form$averaged)) form
  })
)

#' @rdname cycle_knn
#' @export
rank_similarity <- function(x, y, k = 10, metric = c("cosine", "euclidean", "dot", "correlation"),
                            ties = c("random", "average"), clusters = NULL,
                            na = c("error", "stimuli", "neurons"), ...) {
  one_score("rank_similarity", x, y,
            list(k = k, metric = metric, ties = ties, clusters = clusters), na)
}

declare_neighbour_lists(
  "rank_similarity", "Rank similarity of nearest neighbours", "Wang et al. 2022",
  ordered = TRUE, resi = "RankSim",
  statistic = function(pair, x, y, args) mean(.Call(C_rank_agreement, x$idx, y$idx)),
  null = function(args) neighbour_list_null("ranks")
)

# ---- neighbour kernels

#' Centered kernel nearest-neighbour alignment
#'
#' The alignment of the inner products between stimuli, kept only between stimuli that are
#' nearest neighbours on both sides.
#'
#' @param x,y see [cka()].
#' @param k number of neighbours, without the stimulus itself.
#' @param normalize if `TRUE`, each row is scaled to unit length first, so that inner
#'   products are cosines.
#' @param centering `"masked"`: masked kernels are centred; `"full"`: rows of the whole kernels are
#'   centred, and masked afterwards.
#' @param estimator `"biased"`, or `"unbiased"` (Song et al. 2012), which centres by itself (leave
#'   `centering` as it is).
#' @param ties `"average"` or `"random"`, see [mutual_knn()]. `NULL`: the average with
#'   `centering = "full"`, otherwise one random order.
#' @param clusters see [mutual_knn()].
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number; 1 for equal representations, and 0 when no neighbours are shared. With
#'   `centering = "full"` it lies in \[-1, 1\]. Otherwise it can exceed 1 with few stimuli or k
#'   above about half of them. `NA`, with a warning of class `repalign_undefined`, when a kernel is
#'   constant after centring.
#' @details
#' The kernels are the inner products of the rows. The score is the inner product of both kernels,
#' masked with the neighbours on both sides (those with the largest inner products) and centred,
#' over the norms of both, each masked with its own neighbours and centred.
#'
#' Rotation and scaling of either side leave the score as it is, translation does not: if the origin
#' has no meaning, centre the columns first.
#'
#' When not to trust it: with k near n what remains after centring depends on the few stimuli that
#' are not neighbours. A few hubs (neighbours of most others) can determine the score.
#'
#' Three versions are in use. The default is the definition of \enc{Gröger}{Groeger}, Wen and
#' \enc{Brbić}{Brbic} (2026), `centering = "full"` that of the paper of Huh et al. (2024), and
#' `estimator = "unbiased"` what their code computes.
#' @references Huh et al. (2024), ICML, \doi{10.48550/arXiv.2405.07987}.
#'   \enc{Gröger}{Groeger}, Wen and \enc{Brbić}{Brbic} (2026), \doi{10.48550/arXiv.2602.14486},
#'   appendix B.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 100)
#' y <- x + matrix(rnorm(500, sd = 0.5), 100)
#' cknna(x, y)
#' cknna(x, y, centering = "full")
#' @seealso [kcka()]
#' @export
cknna <- function(x, y, k = 10, normalize = TRUE, centering = c("masked", "full"),
                  estimator = c("biased", "unbiased"), ties = NULL, clusters = NULL,
                  na = c("error", "stimuli", "neurons"), ...) {
  one_score("cknna", x, y, list(k = k, normalize = normalize, centering = centering,
                                estimator = estimator, ties = ties, clusters = clusters), na)
}

# The masked kernels are centred by sums of their own, which depend on the order of ties.
exact_cknna_ties <- function(args) args$centering == "full"

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

# What with_norm() adds, from a product of the form with itself.
with_product <- function(form, value) {
  norm <- list(value = value, magnitude = sum(form$weight^2) / form$n^2)
  c(form, list(norm = norm, undefined = !is_positive(norm)))
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
  exact_ties = exact_cknna_ties,
  check = function(args) {
    args <- check_parameters(k = "count", normalize = "flag", centering = c("masked", "full"),
                             estimator = c("biased", "unbiased"))(args)
    refuse_if(args$estimator == "unbiased" && args$centering == "full", "value", "estimator = ",
              "\"unbiased\" centres by itself: leave centering = \"masked\".", arg = "centering")
    args$clusters <- cluster_codes(args$clusters)
    with_ties_rule(args, exact_cknna_ties(args))
  },
  check_pair = function(pair, args) {
    check_neighbour_pair(pair, args)
    n <- if (is.null(args$clusters)) pair$x$n else sum(!is.na(args$clusters))
    if (args$estimator == "unbiased") check_rows(n, 4, pair$x$arg, "the unbiased estimator")
  },
  form = "sparse kernel",
  keeps = function(args) c("graph", if (!args$normalize || args$centering == "full") "rows"),
  # A sparse form (form-graph.R): the inner products at the edges of the graph, less the mean of
  # their row of the whole kernel where centering is "full"; and its norm.
  prepare = function(repr, args, side) {
    repr <- clustered_representation(repr, args$clusters)
    codes <- repr$codes
    metric <- if (args$normalize) "cosine" else "dot"
    full <- args$centering == "full"
    graph <- form_graph(repr, metric, args$k, ties = args$ties)
    what <- list("cknna", args$k, args$normalize, args$centering, args$estimator, codes,
                 graph$order)
    remember_form(repr, "sparse kernel", what, {
      # the graph of inner products holds them in the units of the data, in which the squares of
      # tiny or huge values have lost digits; so they are computed again from scaled rows
      weight <- if (args$normalize) 1 - graph$dist
        else .Call(C_edge_products, form_rows(repr, "dot")$rows, graph$idx, thread_count())
      if (full) {
        # the mean inner product of every stimulus with all of them; between clusters, with itself
        # and those of other clusters
        rows <- form_rows(repr, metric)$rows
        weight <- weight - if (is.null(codes)) as.vector(crossprod(rows, rowMeans(rows))) else {
          of_cluster <- t(rowsum(t(rows), codes))[, codes, drop = FALSE]
          sums <- colSums(rows * (rowSums(rows) - of_cluster)) + colSums(rows^2)
          sums / (repr$n - tabulate(codes)[codes] + 1)
        }
      }
      form <- sparse_form(graph$idx, weight, 0)
      if (args$estimator == "unbiased") with_product(form, unbiased_product(form, form))
      else if (full) spread_ties(with_product(form, sum(weight^2)), graph$averaged)
      else with_norm(form, "double")
    })
  },
  undefined = warn_no_contrast,
  # the product of the two kernels on their common edges
  statistic = function(pair, x, y, args) {
    if (args$estimator == "unbiased") return(unbiased_product(x, y))
    if (args$centering == "full") return(.Call(C_sparse_dot, x, y))
    common <- .Call(C_sparse_common, x, y)
    sums <- common$sums
    centered_sum(common$dot, sums[, 1], sums[, 2], sums[, 3], sums[, 4], "double")
  },
  score = kernel_cosine,
  null = function(args) {
    if (args$estimator == "unbiased") return(NULL)
    whole <- function(values, x, y, args, design) values[[1]][, 1]
    if (args$centering == "full") return(sparse_null(whole))
    # Both kernels are restricted to the common edges, so that their row and column sums change with
    # the permutation, too.
    sparse_null(function(values, x, y, args, design) {
      n <- design$n
      out <- values[[1]]
      out[, 1] - out[, 2] / n - values[[2]][, 2] / n + (out[, 3] / n) * (out[, 4] / n)
    }, reversed = TRUE)
  },
  dot = function(args) {
    if (args$centering == "masked") return(NULL)
    new_dot(function(x, y, args) c(list(table = sparse_table(x, y)), sizes_of(x, y, norm_of_form)))
  },
  needs_data = FALSE
)

#' Second-order cosine similarity
#'
#' Whether stimuli have the same similarities to their neighbours: the cosine between the
#' similarities of a stimulus on both sides, over all that are its neighbours on either side,
#' averaged over stimuli.
#'
#' @param x,y,k,clusters see [cknna()].
#' @param of `"similarity"` compares cosine similarities; `"distance"`, as the code of the ReSi
#'   benchmark, 1 less these.
#' @param ties `"random"` or `"average"`, see [mutual_knn()].
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number in \[-1, 1\], or in \[0, 1\] with `of = "distance"`; 1 when the similarities
#'   are proportional for every stimulus. `NA`, with a warning of class `repalign_undefined`, when
#'   all that is compared of a stimulus is 0.
#' @details
#' Rotation and scaling of either side, and scaling of single rows, leave the score as it is.
#' Translation does not, because cosines depend on the origin.
#'
#' When not to trust it: if all cosines are similar, the score is near 1 even for unrelated data.
#' Unrelated responses that are all positive, such as firing rates, score above 0.9, and with
#' `of = "distance"` all data with many dimensions do. Compare the score with chance
#' ([calibrate()]), not with 0.
#' @references Hamilton, Leskovec and Jurafsky (2016), EMNLP. Klabunde et al. (2025), ICLR,
#'   \doi{10.48550/arXiv.2408.00531} (the ReSi benchmark).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 100)
#' y <- x + matrix(rnorm(500, sd = 0.5), 100)
#' second_order_cosine(x, y)
#' @seealso [rank_similarity()]
#' @export
second_order_cosine <- function(x, y, k = 10, of = c("similarity", "distance"),
                                ties = c("random", "average"), clusters = NULL,
                                na = c("error", "stimuli", "neurons"), ...) {
  one_score("second_order_cosine", x, y, list(k = k, of = of, ties = ties, clusters = clusters), na)
}

declare_form("graph with rows", relabel = function(form, permutation) {
  form <- relabel_graph(form, permutation)
  relabel_parts(columns = "rows")(form, permutation)
}, size = function(n, d, args) as.double(n) * (d + 3 * args$k), drawn = "priority")

declare_measure(
  id = "second_order_cosine", label = "Second-order cosine similarity", family = "neighbours",
  resi = "2nd-Cos", direction = "similarity", best = 1,
  range = function(args) if (args$of == "distance") c(0, 1) else c(-1, 1), symmetric = TRUE,
  metric = FALSE, pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"),
  reference = "Hamilton et al. 2016 (EMNLP); Klabunde et al. 2025",
  neighbours = function(args) list(metric = "cosine", k = args$k), exact_ties = FALSE,
  check = check_parameters(k = "count", of = c("similarity", "distance"), ties = random_first,
                           clusters = "clusters"),
  check_pair = check_neighbour_pair, form = "graph with rows", keeps = c("graph", "rows"),
  # the neighbour graph together with the rows of unit length that it was made from
  prepare = function(repr, args, side) {
    repr <- clustered_representation(repr, args$clusters)
    graph <- form_graph(repr, "cosine", args$k)
    new_form("graph with rows", c(graph, list(rows = form_rows(repr, "cosine")$rows)))
  },
  statistic = function(pair, x, y, args) {
    cosines <- .Call(C_second_order_cosines, x$rows, x$idx, x$dist, y$rows, y$idx, y$dist,
                     args$of == "distance", thread_count())
    lost <- which(is.nan(cosines))
    if (!length(lost)) return(mean(cosines))
    warn("undefined", "The score of `{pair$x$arg}` and `{pair$y$arg}` is undefined (NA): ",
         "{length(lost)} stimul{if (length(lost) > 1) 'i have' else 'us has'} only zero ",
         if (args$of == "distance") "distances" else "similarities", " to the neighbours (row ",
         "{enumerate(lost, 3, quote = FALSE)}). ",
         if (args$of == "distance") "Remove duplicated stimuli, or raise `k`." else "Raise `k`.",
         data = lost)
    NA_real_
  },
  needs_data = FALSE
)

# ---- neighbour lists

#' @rdname cycle_knn
#' @export
lcs_knn <- function(x, y, k = 10, metric = c("cosine", "euclidean", "dot", "correlation"),
                    ties = c("random", "average"), clusters = NULL,
                    na = c("error", "stimuli", "neurons"), ...) {
  one_score("lcs_knn", x, y, list(k = k, metric = metric, ties = ties, clusters = clusters), na)
}

declare_neighbour_lists(
  "lcs_knn", "Longest common subsequence of neighbours", ordered = TRUE,
  range = function(args) c(0, args$k), best = function(args) as.double(args$k),
  statistic = function(pair, x, y, args) .Call(C_common_subsequences, x$idx, y$idx) / nrow(x$idx)
)

#' @rdname cycle_knn
#' @export
edit_distance_knn <- function(x, y, k = 10, metric = c("cosine", "euclidean", "dot", "correlation"),
                              ties = c("random", "average"), clusters = NULL,
                              na = c("error", "stimuli", "neurons"), ...) {
  one_score("edit_distance_knn", x, y,
            list(k = k, metric = metric, ties = ties, clusters = clusters), na)
}

declare_neighbour_lists(
  "edit_distance_knn", "Edit distance of neighbours", ordered = TRUE,
  statistic = function(pair, x, y, args) {
    1 - .Call(C_edit_distances, x$idx, y$idx) / nrow(x$idx) / args$k
  }
)
