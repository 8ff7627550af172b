# simulate_rings() simulates concentric rings that collapse one after the other.

#' @include simulate-shapes.R
NULL

#' Simulate rings that collapse
#'
#' Concentric rings of stimuli in `x`, and in `y` the same stimuli with ever fewer rings: in
#' each stage one more ring joins the middle one. A measure that sees the rings falls from
#' stage to stage.
#'
#' @param n number of stimuli, spread evenly over the rings; at least 3 for each ring.
#' @param rings number of rings in `x`.
#' @param noise standard deviation of the noise in each coordinate, relative to the radius of
#'   the ring. A stimulus has the same noise on all sides. With 0 the stimuli of rings that
#'   have joined are duplicates of each other.
#' @return A list of class `repalign_simulation`: `x`, a matrix stimuli x 2; `y`, a named list
#'   of the stages with `rings`, `rings` - 1, ..., 1 rings, of which the first equals `x`;
#'   `truth`, a data frame with `model` and `rings`; `ring` and `angle` of every stimulus in
#'   `x`. `x` and `y` are ready for [similarity()] and [calibrate()].
#' @details
#' The radii run from 0.5 to 1.5. The first ring has radius 1, and the others lie around it by
#' turns outside and inside; with five rings the radii are 1, 1.25, 0.75, 1.5 and 0.5. The
#' stimuli of a ring are at equal angles. When a ring joins the first one, each of those
#' behind it in this order takes the radius of the ring before it.
#' @references Barannikov, Trofimov, Balabin and Burnaev (2022), Representation topology
#'   divergence, ICML. Islam, Liu and Sarkar, Manifold Approximation leads to Robust Kernel
#'   Alignment (MKA), section 5.2.
#' @examples
#' set.seed(1)
#' shapes <- simulate_rings(200, noise = 0.01)
#' shapes
#' stages <- similarity(shapes$x, shapes$y, "mka")
#' cor(stages$score, shapes$truth$rings, method = "kendall")
#' @seealso [simulate_swiss_roll()], [simulate_clusters()], [simulate_spots()],
#'   [simulate_translation()]; `vignette("known-shapes")`
#' @export
simulate_rings <- function(n, rings = 5, noise = 0) {
  need_arguments()
  n <- check_count(n, "n", 2)
  rings <- check_count(rings, "rings", 2)
  noise <- check_not_negative(noise, "noise")
  if (n < 3 * rings) {
    abort("`n` is ", n, ", but `rings` = ", rings, " rings need at least ", 3 * rings,
          " stimuli: take more stimuli or fewer rings.", class = "repalign_error_value", arg = "n")
  }
  check_shape_memory(n, 2, rings)
  ring <- sort(rep_len(seq_len(rings), n))
  angle <- 2 * pi * stats::ave(ring, ring, FUN = function(i) (seq_along(i) - 1) / length(i))
  unit <- cbind(cos(angle), sin(angle)) + noise * matrix(stats::rnorm(2 * n), n)
  y <- lapply(seq_len(rings), function(joined) unit * ring_radii(rings, joined)[ring])
  left <- rev(seq_len(rings))
  names(y) <- vapply(left, count_of, "", what = "ring")
  truth <- data.frame(model = names(y), rings = left)
  simulated_shapes(y[[1]], y, truth, ring = ring, angle = angle)
}

# The radius of each ring when so many of them have joined the first one.
ring_radii <- function(rings, joined) {
  place <- seq_len(rings) - 1
  outwards <- ifelse(place %% 2 == 1, 1, -1) * ceiling(place / 2)
  radii <- 1 + 0.5 * outwards / (rings %/% 2)
  c(rep(1, joined), radii[seq_len(rings - joined) + 1])
}
