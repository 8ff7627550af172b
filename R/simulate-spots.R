# simulate_spots() and simulate_translation() simulate spots of stimuli in any number of dimensions,
# with noise or moved apart.

#' @include simulate-shapes.R
NULL

#' Simulate a Gaussian spot, perturbed or lost
#'
#' Stimuli with independent Gaussian responses in `x`, and in `y` the same with noise, or
#' other responses altogether, so that nothing about a stimulus in `x` says where it is in
#' `y`.
#'
#' @param n number of stimuli.
#' @param d number of neurons.
#' @param noise standard deviation of the noise, relative to that of the responses in `x`.
#'   Each value makes one representation; its names, if there are any, become their names.
#'   With `Inf` the correspondence is lost: a spot of its own, unrelated to `x`.
#' @return A list of class `repalign_simulation`: `x`, a matrix stimuli x neurons; `y`, a named
#'   list of representations; `truth`, a data frame with `model` and `noise`. `x` and `y` are
#'   ready for [similarity()] and [calibrate()].
#' @details
#' All responses in `x` are independent and have the standard normal distribution, and so have
#' those of a lost spot. A perturbed spot is x + noise e, where e has the distribution of x.
#' The noise of each representation in `y` is its own.
#' @references Islam, Liu and Sarkar, Manifold Approximation leads to Robust Kernel
#'   Alignment (MKA), section 5.3.
#' @examples
#' set.seed(1)
#' shapes <- simulate_spots(200, d = 20, noise = c(perturbed = 0.5, lost = Inf))
#' shapes
#' similarity(shapes$x, shapes$y, c("mka", "cka"))
#' @seealso [simulate_swiss_roll()], [simulate_rings()], [simulate_clusters()],
#'   [simulate_pair()]; `vignette("known-shapes")`
#' @export
simulate_spots <- function(n, d = 2, noise = c(0.5, Inf)) {
  need_arguments()
  n <- check_count(n, "n", 2)
  d <- check_count(d, "d")
  noise <- check_settings(noise, "noise", function(value) {
    if (value == Inf) "lost" else paste("noise", format(value))
  })
  check_shape_memory(n, d, length(noise))
  spot <- function() matrix(stats::rnorm(n * d), n)
  x <- spot()
  y <- lapply(noise, function(noise) if (noise == Inf) spot() else x + noise * spot())
  simulated_shapes(x, y, truth_of(noise, "noise"))
}

#' Simulate two spots of which one is moved away
#'
#' Two uniform spots of stimuli side by side in `x`, and in `y` the same stimuli with one of the
#' spots moved further away. Within each spot nothing changes.
#'
#' @param n number of stimuli; the first half of them, or one more, are the spot that stays.
#' @param d number of neurons.
#' @param translation how far the second spot is moved, at least 0, in units of the width of a
#'   spot. Each value makes one representation; its names, if there are any, become their
#'   names.
#' @param gap distance between the edges of the two spots in `x`, in the same units.
#' @return A list of class `repalign_simulation`: `x`, a matrix stimuli x neurons; `y`, a named
#'   list of representations; `truth`, a data frame with `model` and `translation`; `spot`, 1
#'   or 2 for every stimulus. `x` and `y` are ready for [similarity()] and [calibrate()].
#' @details
#' The responses have the uniform distribution from -0.5 to 0.5. In the first neuron 1 + gap is
#' added for the stimuli of the second spot, and in `y` also the translation. In many
#' dimensions the stimuli of a spot are far from each other (at a distance of about
#' \eqn{\sqrt{d / 6}}{sqrt(d / 6)}), and those of the other spot in `x` hardly farther: then the
#' neighbours change with a translation, although each spot stays as it is.
#' @references Davari, Horoi, Natik, Lajoie, Wolf and Belilovsky (2023), Reliability of CKA as a
#'   similarity measure in deep learning, ICLR. Islam, Liu and Sarkar, Manifold
#'   Approximation leads to Robust Kernel Alignment (MKA), section 5.3.
#' @examples
#' set.seed(1)
#' shapes <- simulate_translation(200, translation = c(1, 10))
#' shapes
#' similarity(shapes$x, shapes$y, c("mka", "cka"))
#' @seealso [simulate_swiss_roll()], [simulate_rings()], [simulate_clusters()],
#'   [simulate_spots()]; `vignette("known-shapes")`
#' @export
simulate_translation <- function(n, d = 2, translation = 10, gap = 0.1) {
  need_arguments()
  n <- check_count(n, "n", 2)
  d <- check_count(d, "d")
  translation <- check_settings(translation, "translation", most = sqrt(.Machine$double.xmax),
                                function(value) paste("translation", format(value)))
  gap <- check_not_negative(gap, "gap")
  check_shape_memory(n, d, length(translation))
  spot <- rep(1:2, c(n - n %/% 2, n %/% 2))
  x <- matrix(stats::runif(n * d) - 0.5, n)
  x[spot == 2, 1] <- x[spot == 2, 1] + 1 + gap
  y <- lapply(translation, function(by) {
    x[spot == 2, 1] <- x[spot == 2, 1] + by
    x
  })
  simulated_shapes(x, y, truth_of(translation, "translation"), spot = spot)
}
