# resi_measures() gives the measures of the ReSi benchmark as one set.

#' The 24 measures of the ReSi benchmark
#'
#' The set of measures that Klabunde et al. (2025) compare, ready for [similarity()].
#'
#' @param published `FALSE`: the measures as this package defines them. `TRUE`: the measures
#'   with the arguments that reproduce what the code of the benchmark computes, where that is
#'   well defined.
#' @return A named list of 24 measure objects (see [measure()]) in the order of the benchmark's
#'   table of measures. The names are the benchmark's abbreviations, which [similarity()] uses as
#'   labels.
#' @details
#' | abbreviation | measure | settings in the benchmark |
#' | --- | --- | --- |
#' | PWCCA | [pwcca()] | weights from the first argument |
#' | SVCCA | [svcca()] | components that reach 99 percent of the variance |
#' | AlignCos | [aligned_cosine()] | raw data |
#' | AngShape | [angular_shape()] | centred, unit norm |
#' | HardCorr | [hard_correlation_match()] | optimal assignment |
#' | LinReg | [linear_regression()] | the first argument from the second, centred |
#' | OrthProc | [procrustes()] | centred, unit norm |
#' | PermProc | [permutation_procrustes()] | raw data |
#' | ProcDist | [procrustes_size_shape()] | centred |
#' | SoftCorr | [soft_correlation_match()] | mean of both directions |
#' | CKA | [cka()] | linear kernel, no correction |
#' | DistCorr | [distance_correlation()] | Euclidean distances, with the root |
#' | EOS | [eigenspace_overlap()] | raw data |
#' | GULP | [gulp()] | lambda = 0 |
#' | RSA | [rsa()] | correlation between rows, Spearman between RDMs |
#' | RSMDiff | [rsm_difference()] | Euclidean distances |
#' | 2nd-Cos | [second_order_cosine()] | k = 10, cosine |
#' | Jaccard | [knn_jaccard()] | k = 10, cosine |
#' | RankSim | [rank_similarity()] | k = 10, cosine |
#' | IMD | [imd()] | k = 5 |
#' | RTD | [rtd()] | 10 subsets of 500 stimuli |
#' | ConcDiff | [concentricity_difference()] | |
#' | MagDiff | [magnitude_difference()] | |
#' | UnifDiff | [uniformity_difference()] | t = 2 |
#'
#' These settings are the defaults here. Where the benchmark's code differs from the definitions
#' that it cites, `published = TRUE` sets:
#'
#' * RSMDiff: `norm = "spectral"`, where the definition has the Frobenius norm.
#' * 2nd-Cos: `of = "distance"`. The code compares cosine distances.
#'
#' The following measures differ from the code even with `published = TRUE`:
#'
#' * SVCCA: the code compares shares of the variance with 0.99 times the total variance, and so
#'   keeps a single component for most data; `measure("svcca", components = 1)` does the same.
#' * PWCCA: the value of the code depends on arbitrary signs; it fails when there are not more
#'   stimuli than neurons.
#' * GULP: the code returns the square of the distance that is defined (and returned here).
#' * IMD: the values of the code scatter by several percent around the exact one.
#' * RTD: the random subsets are others.
#'
#' The benchmark's paper differs from its code, and from the defaults here, in three cases: distance
#' correlation without the root (`squared = TRUE`), greedy HardCorr (`matching = "greedy"`), and the
#' H0 bars in RTD.
#'
#' RTD takes longer than all others together.
#'
#' When not to trust it: measures of one family respond to much the same properties of the data: 24
#' scores are not 24 opinions.
#' @references Klabunde et al. (2025), ReSi: A comprehensive benchmark for representational
#'   similarity measures, ICLR.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 6), 40)
#' y <- x %*% matrix(rnorm(36), 6)
#' similarity(x, y, resi_measures()[c("CKA", "OrthProc", "RSA", "Jaccard")])
#' @seealso [measures()], [similarity()], [jsd()] for the outputs that the benchmark
#'   compares them with
#' @export
resi_measures <- function(published = FALSE) {
  check_flag(published, "published")
  set <- lapply(resi_order, function(abbreviation) {
    args <- if (published) resi_published[[abbreviation]]
    do.call(measure, c(list(resi_id(abbreviation)), args))
  })
  stats::setNames(set, resi_order)
}

# The measures are in the order of table 2 of the paper.
resi_order <- c(
  "PWCCA", "SVCCA", "AlignCos", "AngShape", "HardCorr", "LinReg", "OrthProc", "PermProc",
  "ProcDist", "SoftCorr", "CKA", "DistCorr", "EOS", "GULP", "RSA", "RSMDiff", "2nd-Cos",
  "Jaccard", "RankSim", "IMD", "RTD", "ConcDiff", "MagDiff", "UnifDiff"
)

resi_published <- list(RSMDiff = list(norm = "spectral"), `2nd-Cos` = list(of = "distance"))

# The declaration of a measure says what the benchmark calls it.
resi_id <- function(abbreviation) {
  is_it <- function(id) identical(registry[[id]]$resi, abbreviation)
  Filter(is_it, measure_ids())
}
