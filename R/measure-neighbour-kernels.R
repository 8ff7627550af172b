# Measures that compare inner products and cosines along the edges of neighbour graphs.

#' Centered kernel nearest-neighbour alignment
#'
#' The alignment of inner products, kept only between stimuli that are nearest neighbours
#' on both sides.
#'
#' @param x,y stimuli x neurons: numeric matrices or all-numeric data frames with the same
#'   stimuli in the rows, in the same order.
#' @param k number of neighbours, the stimulus itself not counted.
#' @param normalize scale each row to unit length first? Then inner products are cosines.
#' @return One number; 1 for equal representations, 0 when no neighbours are shared. It is
#'   not bounded: with k above about half of the stimuli, or with few stimuli, it can be
#'   above 1. `NA`, with a warning of class `repalign_undefined`, when a kernel is constant after
#'   centring.
#' @details
#' Let K and L be the inner products of the rows of `x` and of `y`, M and N the 0/1 matrices
#' of the k nearest neighbours (largest inner products, the stimulus itself excluded) and
#' A = M N entry by entry, the edges found on both sides. With double centring H the score is
#' \eqn{<H(AK)H, H(AL)H> / (|H(MK)H| |H(NL)H|)}, products within brackets entry by entry.
#' The masks are directed: j may be a neighbour of i and not i one of j.
#'
#' It is invariant to rotation and scaling of either side and to the order of the neurons,
#' but not to translation: inner products depend on the origin. Centre the columns
#' where the origin means nothing. With `normalize = FALSE` long rows are everybody's
#' neighbours.
#'
#' When not to trust it: with k near n the masks cover almost everything, and what is left
#' after centring is what they miss. A few hubs (stimuli that are neighbours of most others)
#' can carry the score.
#'
#' The published code takes the unbiased estimator of Song et al., but multiplies the masked
#' kernels without transposing one, so that edges count only when they go both ways; and
#' adds 1e-6 to the denominator. This is the formula of the paper.
#' @references Huh, Cheung, Wang and Isola (2024), The Platonic Representation Hypothesis,
#'   ICML.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(500), 100)
#' y <- x + matrix(rnorm(500, sd = 0.5), 100)
#' cknna(x, y)
#' cknna(x, y, k = 5, normalize = FALSE)
#' @seealso [mutual_knn()], [kcka()], [cka()]
#' @export
cknna <- function(x, y, k = 10, normalize = TRUE) {
  one_score("cknna", x, y, list(k = k, normalize = normalize))
}

check_cknna_args <- function(args) {
  args$k <- check_count(args$k, "k")
  check_flag(args$normalize, "normalize")
  args
}

compare_cknna <- function(pair, args) {
  a <- form_cknna(pair$x, args$k, args$normalize)
  b <- if (pair$self) a else form_cknna(pair$y, args$k, args$normalize)
  common <- .Call(C_sparse_common, a, b)
  s <- common$sums
  sparse_alignment(pair, a, b,
                   centered_sum(common$dot, s[, 1], s[, 2], s[, 3], s[, 4], "double"))
}

# A sparse form (form-sparse.R): the inner products at the edges of the graph.
form_cknna <- function(rep, k, normalize = TRUE) {
  remember(rep$cache, list("cknna", k, normalize), {
    graph <- form_graph(rep, if (normalize) "cosine" else "dot", k)
    # the graph of inner products has them in the data's own units, where squares of tiny
    # or huge values have lost digits
    weight <- if (normalize) 1 - graph$dist
      else .Call(C_edge_products, form_rows(rep, "dot"), graph$idx, thread_count())
    with_norm(sparse_form(graph$idx, weight, 0), "double")
  })
}

declare_measure(
  id = "cknna", label = "Centered kernel nearest-neighbour alignment", family = "neighbours",
  direction = "similarity", range = c(-Inf, Inf), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "column permutation"), form = "graph",
  neighbours = function(args) list(metric = if (args$normalize) "cosine" else "dot", k = args$k),
  check = check_cknna_args, compare = compare_cknna, reference = "Huh et al. 2024",
  null = function(args) {
    sparse_null(function(rep, args) form_cknna(rep, args$k, args$normalize),
                c(products_out, list(list(x = "in", y = "in", mode = "products"))),
                common_products)
  }
)

# Both kernels on the common edges only; their row and column sums change with the permutation.
common_products <- function(sums, fx, fy, args, design) {
  n <- design$n
  out <- sums[[1]]
  out[, 1] - out[, 2] / n - sums[[2]][, 2] / n + (out[, 3] / n) * (out[, 4] / n)
}

#' Second-order cosine similarity
#'
#' Do stimuli have the same similarities to their neighbours? For each stimulus, the cosine
#' between its similarities on one side and on the other, to all that are its neighbours on
#' either side; averaged over stimuli.
#'
#' @inheritParams cknna
#' @param of `"similarity"`: cosine similarities are compared; `"distance"`: one minus them.
#' @return One number in \[-1, 1\], or in \[0, 1\] with `of = "distance"`; 1 when all the
#'   similarities are proportional. `NA`, with a warning of class `repalign_undefined`, when a
#'   stimulus has nothing but zeros to its neighbours (for `"distance"`: all of them
#'   point in its direction, as duplicates do).
#' @details
#' For stimulus i let J be the union of its k nearest neighbours in cosine similarity on
#' both sides, and s(i, j), s'(i, j) the cosine similarities. The score is the mean over i of
#' the cosine between the vectors s(i, J) and s'(i, J).
#'
#' It is invariant to rotation and scaling of either side and to the order of the neurons,
#' and to the length of each row, but not to translation: cosines depend on the origin.
#'
#' When not to trust it: where all cosines are alike the two vectors are both nearly constant
#' and the score is near 1, related or not: with responses that are all positive, such
#' as rates, unrelated data score above 0.9, and with `of = "distance"` all data in many
#' dimensions do. Compare with chance, not with 0.
#'
#' The code of the ReSi benchmark compares the distances (`of = "distance"`), while its
#' paper writes similarities.
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
second_order_cosine <- function(x, y, k = 10, of = c("similarity", "distance")) {
  one_score("second_order_cosine", x, y, list(k = k, of = of))
}

check_second_order_args <- function(args) {
  args$k <- check_count(args$k, "k")
  args$of <- check_choice(args$of, c("similarity", "distance"), "of")
  args
}

compare_second_order <- function(pair, args) {
  side <- function(rep) {
    c(form_graph(rep, "cosine", args$k), list(rows = form_rows(rep, "cosine")))
  }
  a <- side(pair$x)
  b <- if (pair$self) a else side(pair$y)
  cosines <- .Call(C_second_order_cosines, a$rows, a$idx, a$dist, b$rows, b$idx, b$dist,
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
  invariant = c("orthogonal", "scaling", "column permutation"), form = "rows",
  neighbours = function(args) list(metric = "cosine", k = args$k),
  check = check_second_order_args, compare = compare_second_order,
  reference = "Hamilton et al. 2016; Klabunde et al. 2025"
)
