# The angle between centred kernels, whose cosine is the CKA.

#' @include measure.R
NULL

#' Angular CKA
#'
#' The angle between the centred kernels of two representations: the arccosine of their
#' [cka()]. Unlike 1 - CKA, it is a metric.
#'
#' @inheritParams cka
#' @return One number, an angle in radians: 0 when the kernels are proportional. For the naive
#'   linear estimate it is at most \eqn{\pi/2}{pi/2}, otherwise at most \eqn{\pi}{pi}. With
#'   `estimator = "stimulus_neuron"` the CKA may be above 1 (or below -1), the cosine of no angle:
#'   the result is then `NA`, with a warning of class `repalign_undefined`.
#' @details
#' The angle of the naive CKA with positive definite kernels (linear, and Gaussian of Euclidean
#' distances) obeys the triangle inequality, which 1 - CKA and its square root do not all do. It can
#' therefore be given to methods that need distances, such as hierarchical clustering or
#' multidimensional scaling (`score_matrix()` of a list arranges it). What leaves the CKA as it is
#' leaves the angle as it is.
#'
#' When not to trust it: the naive CKA of few stimuli or few neurons is biased (see [cka()]), and so
#' is its angle. The angle of a corrected CKA is no metric and no unbiased estimate. Near 0 the
#' arccosine enlarges errors: a CKA of 0.99 is an angle of 0.14, and of 0.9999 still 0.014, so that
#' angles of nearly equal representations scatter far more than their CKA; rounding alone makes
#' angles up to about 1e-7.
#' @references Williams, Kunz, Kornblith and Linderman (2021), NeurIPS 34. Lange et al. (2023),
#'   arXiv:2206.02670.
#' @examples
#' set.seed(1)
#' layers <- list(a = matrix(rnorm(300), 30), b = matrix(rnorm(300), 30))
#' layers$c <- layers$a + layers$b
#' similarity(layers, measure = list("cka", "angular_cka"))
#' cos(angular_cka(layers$a, layers$c))
#' cka(layers$a, layers$c)
#' @seealso [cka()], [angular_shape()]
#' @export
angular_cka <- function(x, y, kernel = c("linear", "rbf", "manifold"),
                        estimator = c("naive", "stimulus", "stimulus_neuron", "stimulus_trial",
                                      "stimulus_neuron_trial"),
                        shared_neurons = FALSE, units_x = NULL, units_y = NULL, sigma = NULL,
                        bandwidth = 1, k = 15, clusters = NULL,
                        shared_noise = c("auto", "trials", "pairs")) {
  one_score("angular_cka", x, y, list(
    kernel = kernel, estimator = estimator, shared_neurons = shared_neurons, units_x = units_x,
    units_y = units_y, sigma = sigma, bandwidth = bandwidth, k = k, clusters = clusters,
    shared_noise = shared_noise
  ))
}

# NA where the cosine is beyond 1 by more than rounding.
angle_of_h <- function(statistic, x, y, args) {
  cosine <- cka_of_h(statistic, x, y, args)
  cosine[abs(cosine) > 1 + tie_share] <- NA
  acos(pmin(pmax(cosine, -1), 1))
}

inspect_angle <- function(score, pair, x, y, args) {
  if (!is.na(score)) return(invisible())
  warn("The angle is undefined (NA): the corrected CKA of `", pair$x$arg, "` and `", pair$y$arg,
       "` is above 1 or below -1, the cosine of no angle. cka() gives the value; pool over ",
       "splits, trials or subsets for a stable one.", class = "repalign_undefined",
       data = pair$x$arg)
}

declare_measure(
  id = "angular_cka", label = "Angular CKA", family = "kernel",
  direction = "distance", best = 0, metric = TRUE, pairing = TRUE,
  range = function(args) {
    plain <- args$kernel == "linear" && !corrects_stimuli(args$estimator)
    c(0, if (plain) pi / 2 else pi)
  },
  symmetric = function(args) identical(args$units_x, args$units_y),
  invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Williams et al. 2021",
  accepts = accepted_by_kernel, uses = structure_of_kernel, neighbours = neighbours_of_kernel,
  check = check_cka_args, settle = settle_cka, check_pair = check_cka,
  form = form_of_kernel, keeps = kept_of_kernel,
  prepare = prepare_cka, undefined = warn_undefined_cka,
  statistic = function(pair, x, y, args) pair_h(pair, args)$value,
  score = angle_of_h, inspect = inspect_angle, null = cka_null,
  needs_data = kernel_needs_data, errors = cka_errors(new_angle()),
  memory = cka_needs
)
