# simulate_clusters() simulates one cloud of stimuli that breaks into clusters.

#' @include simulate-shapes.R
NULL

#' Simulate a cloud that breaks into clusters
#'
#' One Gaussian cloud of stimuli in `x`, and in `y` the same stimuli moved apart, into ever
#' more clusters on a circle. A measure that sees clusters falls from stage to stage.
#'
#' @param n number of stimuli.
#' @param clusters numbers of clusters, 1 to `n`. Each value makes one representation; its
#'   names, if there are any, become their names.
#' @param radius radius of the circle on which the centres of the clusters lie, in standard
#'   deviations of the cloud.
#' @return A list of class `repalign_simulation`: `x`, a matrix stimuli x 2; `y`, a named list
#'   of representations; `truth`, a data frame with `model` and `clusters`; `cluster`, a
#'   matrix with the cluster of every stimulus (rows) in every representation of `y`
#'   (columns). `x` and `y` are ready for [similarity()] and [calibrate()].
#' @details
#' The coordinates of `x` are independent and have the standard normal distribution. With k
#' clusters, stimulus i moves with cluster ((i - 1) mod k) + 1, so that the clusters are of
#' (nearly) equal size and all of them have members everywhere in the cloud. The centre of
#' cluster j is at the angle \eqn{2 \pi (j - 1) / k}{2 pi (j - 1) / k} of the circle. With one
#' cluster, all stimuli stay where they are. Within a cluster all distances are those of `x`.
#' @references Barannikov, Trofimov, Balabin and Burnaev (2022), Representation topology
#'   divergence, ICML. Islam, Liu and Sarkar, Manifold Approximation leads to Robust Kernel
#'   Alignment (MKA), appendix B.
#' @examples
#' set.seed(1)
#' shapes <- simulate_clusters(120, clusters = 1:6)
#' shapes
#' stages <- similarity(shapes$x, shapes$y, "mka")
#' cor(stages$score, shapes$truth$clusters, method = "kendall")
#' @seealso [simulate_swiss_roll()], [simulate_rings()], [simulate_spots()],
#'   [simulate_translation()]; `vignette("known-shapes")`
#' @export
simulate_clusters <- function(n, clusters = 2:12, radius = 10) {
  need_arguments()
  n <- check_count(n, "n", 2)
  clusters <- check_settings(clusters, "clusters", function(k) count_of(k, "cluster"),
                             least = 1, most = n, whole = TRUE)
  radius <- check_number(radius, "radius", above = 0)
  check_shape_memory(n, 2, 2 * length(clusters))
  x <- matrix(stats::rnorm(2 * n), n)
  cluster <- vapply(clusters, function(k) (seq_len(n) - 1L) %% as.integer(k) + 1L, integer(n))
  y <- lapply(seq_along(clusters), function(i) {
    if (clusters[i] == 1) return(x)
    angle <- 2 * pi * (cluster[, i] - 1) / clusters[[i]]
    x + radius * cbind(cos(angle), sin(angle))
  })
  names(y) <- names(clusters)
  simulated_shapes(x, y, truth_of(clusters, "clusters"), cluster = cluster)
}
