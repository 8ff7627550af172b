# simulate_swiss_roll() simulates one line of stimuli, rolled up and bent into S-curves.

#' @include simulate-shapes.R
NULL

#' Simulate a Swiss roll and S-curves
#'
#' The same stimuli on one line, which is rolled up in `x` and bent into an S in `y`. The two
#' shapes share who is near whom along the line, and little else.
#'
#' @param n number of stimuli.
#' @param r where the line turns from the first arc of the S into the second, from 0 to 1, as
#'   a share of the line: 0.5 gives the usual S. Each value makes one S-curve; its names, if
#'   there are any, become the names of the S-curves.
#' @return A list of class `repalign_simulation`: `x`, the Swiss roll, a matrix stimuli x 2;
#'   `y`, a named list of S-curves; `truth`, a data frame with `model` and `r`; `position`,
#'   the place of every stimulus on the line, from 0 to 1. `x` and `y` are ready for
#'   [similarity()] and [calibrate()].
#' @details
#' The positions t are drawn from the uniform distribution on \[0, 1\]. The Swiss roll is
#' \eqn{(z \cos z, z \sin z)}{(z cos z, z sin z)} with \eqn{z = 3 \pi (1 + 2t) / 2}{z = 3 pi
#' (1 + 2t) / 2}, the S-curve \eqn{(\sin z, sign(z) (\cos z - 1))}{(sin z, sign(z) (cos z -
#' 1))} with \eqn{z = 3 \pi (t - r)}{z = 3 pi (t - r)}: two circles of radius 1 that touch,
#' each of which is run through as far as the line reaches. Distances along the S-curve are
#' proportional to t, those along the roll grow with t.
#'
#' An arc is closed when it has the length \eqn{2 \pi}{2 pi}. So for r below 1/3 or above 2/3
#' the line runs over itself: stimuli from different places of the line are then neighbours
#' on the S-curve, and no measure should find the two shapes equal.
#' @references Islam, Liu and Sarkar, Manifold Approximation leads to Robust Kernel
#'   Alignment (MKA), section 5.1 and appendix C.
#' @examples
#' set.seed(1)
#' shapes <- simulate_swiss_roll(300, r = c(0, 0.5))
#' shapes
#' similarity(shapes$x, shapes$y, c("mka", "cka"))
#' @seealso [simulate_rings()], [simulate_clusters()], [simulate_spots()],
#'   [simulate_translation()]; `vignette("known-shapes")`
#' @export
simulate_swiss_roll <- function(n, r = 0.5) {
  need_arguments()
  n <- check_count(n, "n", 2)
  r <- check_settings(r, "r", function(value) paste("r =", format(value)), most = 1)
  check_shape_memory(n, 2, length(r))
  position <- stats::runif(n)
  z <- 1.5 * pi * (1 + 2 * position)
  y <- lapply(r, function(r) s_curve(3 * pi * (position - r)))
  simulated_shapes(cbind(z * cos(z), z * sin(z)), y, truth_of(r, "r"), position = position)
}

s_curve <- function(z) cbind(sin(z), sign(z) * (cos(z) - 1))
