# resi_measures() gives the measures of the ReSi benchmark as one set.

#' The 24 measures of the ReSi benchmark
#'
#' The set of measures that Klabunde et al. (2025) compare, ready for [similarity()].
#'
#' @param published `FALSE`: the measures as this package defines them. `TRUE`: with the arguments
#'   that reproduce what the code of the benchmark computes.
#' @return A list of 24 measure objects (see [measure()]), named by the benchmark's abbreviations,
#'   in its order.
#' @details
#' * Canonical correlations: PWCCA [pwcca()], SVCCA [svcca()].
#' * Alignment: AlignCos [aligned_cosine()], AngShape [angular_shape()], HardCorr
#'   [hard_correlation_match()], LinReg [linear_regression()] of the first argument on the second,
#'   OrthProc [procrustes()], PermProc [permutation_procrustes()], ProcDist
#'   [procrustes_size_shape()], SoftCorr [soft_correlation_match()].
#' * Similarities of stimuli: CKA [cka()], uncorrected, DistCorr [distance_correlation()], EOS
#'   [eigenspace_overlap()], GULP [gulp()], RSA [rsa()], RSMDiff [rsm_difference()].
#' * Neighbours: 2nd-Cos [second_order_cosine()], Jaccard [knn_jaccard()], RankSim
#'   [rank_similarity()].
#' * Topology: IMD [imd()], RTD [rtd()], by far the slowest.
#' * Statistics: ConcDiff [concentricity_difference()], MagDiff [magnitude_difference()], UnifDiff
#'   [uniformity_difference()].
#'
#' Arguments are the defaults here. Where the benchmark's code differs from the definitions that it
#' cites, `published = TRUE` sets:
#'
#' * RSMDiff: `norm = "spectral"`.
#' * 2nd-Cos: `of = "distance"`.
#'
#' The following measures differ from the code even with `published = TRUE`:
#'
#' * SVCCA: the code keeps a single component for most data; `measure("svcca", components = 1)` does
#'   the same.
#' * PWCCA: the value of the code depends on arbitrary signs.
#' * GULP: the code returns the square.
#' * IMD: the values of the code scatter by several percent.
#' * RTD: the random subsets are others.
#'
#' The benchmark's paper differs from its code in three cases: distance correlation without the root
#' (`squared = TRUE`), greedy HardCorr (`matching = "greedy"`), and the H0 bars in RTD.
#'
#' When not to trust it: measures of one family respond to much the same properties of the data: 24
#' scores are not 24 opinions.
#' @references Klabunde et al. (2025), ICLR, \doi{10.48550/arXiv.2408.00531} (the ReSi benchmark).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 6), 40)
#' y <- x %*% matrix(rnorm(36), 6)
#' similarity(x, y, resi_measures()[c("CKA", "OrthProc", "RSA", "Jaccard")])
#' @seealso [jsd()] for the outputs that the benchmark compares them with
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
