# These measures compare kernels of stimuli: CKA, the RV coefficient, the angle between kernels.

#' @include measure.R
NULL

#' Centered kernel alignment, corrected for few stimuli and few neurons
#'
#' How similarly two representations arrange the same stimuli: 1 when their kernels (the
#' similarities between all stimuli) are proportional, 0 when these are unrelated.
#'
#' @param x,y two representations of the same stimuli, see [similarity()].
#' @param kernel `"linear"`; `"rbf"`, the Gaussian kernel `exp(-d^2 / (2 sigma^2))` of the Euclidean
#'   distance d; or `"manifold"`, that of [mka()], made symmetric. The last two take `dist` objects.
#' @param estimator which errors are corrected:
#'   * `"naive"`: none;
#'   * `"stimulus"`: few stimuli (also called debiased CKA);
#'   * `"stimulus_neuron"`: also few neurons (linear kernel only);
#'   * `"stimulus_trial"` (not for the manifold kernel), `"stimulus_neuron_trial"`: also the noise
#'     of trials, for [responses()] with several.
#'
#'   By default `"naive"`, with a message (class `repalign_uncorrected`) once a session; for
#'   [responses()] that declare anything, the most corrected one that is possible.
#' @param shared_neurons are columns j of `x` and of `y` the same neuron, as in two trials?
#'   `"stimulus_neuron"` then leaves out the pair (j, j).
#' @param units_x,units_y one label per column of `x` and of `y` (both or neither), such as neurons,
#'   or sessions that share noise: `"stimulus_neuron"` leaves out pairs with equal labels.
#' @param complete of which sides are the columns no sample, but all that there are, such as the
#'   units of a layer? They are not corrected for few neurons.
#' @param sigma width of the Gaussian kernel; by default `bandwidth` times the median distance
#'   between different rows of a side.
#' @param bandwidth factor of the median distance.
#' @param k number of neighbours in the manifold kernel, at least 3.
#' @param clusters labels of stimuli that [depend on each other][dependence]: corrected estimators
#'   count only pairs of different clusters, and need 4 clusters.
#' @param shared_noise of neurons of one session (see [responses()]): `"trials"` multiplies
#'   different trials, `"pairs"` leaves out their pairs; `"auto"`: trials, if there are several.
#' @param given controls, beyond which similarity is asked for: a representation, such as pixels or
#'   an earlier layer, or a named list of several; for subjects in `x` also a list of their
#'   controls, by their names.
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number: `"naive"` in \[0, 1\] (with the manifold kernel, or the Gaussian one of
#'   distances that are not Euclidean, in \[-1, 1\]), `"stimulus"` in \[-1, 1\], `"stimulus_neuron"`
#'   without bounds. `NA`, with a warning of class `repalign_undefined`, when a term in the
#'   denominator of a corrected estimate is not positive, or a manifold kernel is constant after
#'   centring.
#' @details
#' The naive estimate of unrelated data is far above 0 when stimuli are few, and that of related
#' data too low when neurons are few. `"stimulus"` removes the first bias (the other:
#' [predicted_bias()]), `"stimulus_neuron"` both: it takes columns as a sample of neurons, silent
#' ones and those of a network layer, too, unless they are `complete`. Only estimates that are
#' corrected for few neurons change with rotations.
#'
#' From trials ([responses()]), noise drops out, also what neurons or areas share; a side without
#' trials counts as free of noise. A stimulus without two trials is left out for the neurons
#' concerned.
#'
#' *Controls.* With `given = z` the score is the partial score `(s_xy - s_xz s_yz) / sqrt((1 -
#' s_xz^2) (1 - s_yz^2))` of scores by the same estimator: the similarity without the geometry of
#' the controls (what a side has of them through a linear map that is no rotation stays). It is `NA`
#' where controls explain all of a side, and may exceed 1. Controls are samples, too, unless
#' `responses(complete = TRUE)`: without the correction for few neurons, scores find similarity
#' beyond a control of few neurons where there is none (a message of class
#' `repalign_incomplete_control`). Permutations say nothing of partial scores: take the errors and
#' `p_zero` of [score_interval()].
#'
#' When not to trust it:
#' * a single value from fewer than 16 to 32 neurons scatters widely: pool over subsets
#'   ([brain_to_brain()]) or trials ([trial_to_trial()]), and look at [cka_interval()];
#' * a value well above 1 usually means that `x` and `y` share neurons, or noise: use
#'   `shared_neurons` or units. A warning of class `repalign_unstable` points out such values,
#'   standard errors above 0.2, and values beyond 2 in size, which mean nothing;
#' * in raw spike counts a few neurons with high rates dominate: divide each by its standard
#'   deviation;
#' * [dependent][dependence] stimuli without `clusters`: corrected values are far above 0 for
#'   unrelated populations;
#' * 2 stimuli give a CKA of 1, and 3 say next to nothing (a warning of class `repalign_trivial`).
#' @references Kornblith et al. (2019), ICML. Song et al. (2012), JMLR 13. Chun et al. (2025),
#'   \doi{10.48550/arXiv.2502.15104}.
#' @examples
#' # two samples of 20 neurons from populations with the same representation
#' set.seed(1)
#' pop <- linear_population(n = 200, q = 20, d = 50)
#' cka(pop$x, pop$y)
#' cka(pop$x, pop$y, estimator = "stimulus_neuron")
#' @seealso [hsic()], of which it is the ratio; [similarity()]
#' @export
cka <- function(x, y, kernel = c("linear", "rbf", "manifold"),
                estimator = c("naive", "stimulus", "stimulus_neuron", "stimulus_trial",
                              "stimulus_neuron_trial"), shared_neurons = FALSE,
                units_x = NULL, units_y = NULL, sigma = NULL, bandwidth = 1, k = 15,
                clusters = NULL, shared_noise = c("auto", "trials", "pairs"),
                complete = c("none", "x", "y", "both"),
                na = c("error", "stimuli", "neurons"), given = NULL, ...) {
  one_score("cka", x, y, list(
    kernel = kernel, estimator = estimator, shared_neurons = shared_neurons, units_x = units_x,
    units_y = units_y, sigma = sigma, bandwidth = bandwidth, k = k, clusters = clusters,
    shared_noise = shared_noise, complete = complete
  ), na, given)
}

check_cka <- function(pair, args) {
  check_cka_pair(pair, args)
  # centred kernels of two stimuli differ only by a factor, and those of three differ little
  if (pair$x$n <= 3) {
    warn("trivial", "`{pair$x$arg}` has {pair$x$n} rows: with 2 stimuli the CKA is 1 whatever the ",
         "data, and with 3 it says next to nothing. Use more stimuli.", data = pair$x$arg)
  }
  if (args$corrects$neurons) note_shared_neurons(pair, args)
}

# The form that the kernel asks for, with the self term that every score is divided by.
prepare_cka <- function(repr, args, side) {
  clustered <- !is.null(args$clusters)
  if (clustered) repr <- labelled_stimuli(repr, args$clusters)
  form <- if (args$corrects$trials) trial_form(repr)
  else if (clustered && goes_by_clusters(args)) form_clusters(repr, args) else switch(args$kernel,
    linear = form_linear(repr),
    rbf = form_gaussian(repr, args$sigma, args$bandwidth, args$corrects$stimuli),
    manifold = form_manifold(repr, args$k), no_branch(args$kernel)
  )
  self <- self_h(repr, args, self_labels(repr, args, side), form)
  form$self <- self
  form$undefined <- !is_positive(self)
  form
}

# The H value of the two sides, from their forms where these are of the linear kernel.
cross_h <- function(pair, x, y, args) {
  if (args$kernel == "linear" && args$estimator == "naive" && is.null(args$clusters)) {
    return(naive_h(pair, x, y)$value)
  }
  pair_h(pair, args)$value
}

# Undefined where a self term is not positive, for the null as for the score.
cka_of_h <- function(statistic, x, y, args) {
  root <- function(self) if (self$value > 0) sqrt(self$value) else NA_real_
  statistic / root(x$self) / root(y$self)
}

# Swapping x and y does not swap what is said of a side.
symmetric_sides <- function(args) {
  identical(args$units_x, args$units_y) && !isTRUE(args$complete %in% c("x", "y"))
}

warn_undefined_cka <- function(repr, args) {
  if (args$kernel == "manifold" && !args$corrects$stimuli) return(warn_no_contrast(repr, args))
  warn(unstable_class(args), "The CKA is undefined (NA): the corrected H value of `{repr$arg}` ",
       "with itself is not positive. ", cause_of_instability(list(repr)), data = repr$arg)
}

# Products with the responses of the other side stand for the Gram matrix where neurons are few.
kernel_needs_data <- function(args, n, d) {
  of_neurons <- args$corrects$neurons || args$corrects$trials
  of_neurons || goes_by_clusters(args) || (args$kernel == "linear" && d <= n)
}

# Estimates that go by labels are made cell by cell.
cka_dot <- function(args, finish = function(values, args) values) {
  labelled <- !is.null(args$clusters) || !args$estimator %in% c("naive", "stimulus")
  if (labelled || args$shared_neurons || !is.null(args$units_x)) return(NULL)
  if (args$kernel == "linear") return(new_dot(linear_products, finish, gram_source, keeps = FALSE))
  new_dot(function(x, y, args) {
    values <- switch(args$kernel, rbf = {
      n <- as.double(length(x[[1]]$means))
      centered_table(x, y) / if (args$estimator == "stimulus") n * (n - 3) else n^2
    }, manifold = {
      total <- sizes_of(x, y, function(form) sum(form$row_sums))
      manifold_h(sparse_table(x, y), crossed(x, y, function(form) form$row_sums),
                 rep(total$x, length(total$y)), rep(total$y, each = length(total$x)),
                 as.double(x[[1]]$n), args)
    }, no_branch(args$kernel))
    with_sizes(values, y, sizes_of(x, y, function(form) form$self$value))
  }, finish)
}

declare_measure(
  id = "cka", label = "Centered kernel alignment", family = "kernel", resi = "CKA",
  direction = "similarity", best = 1, metric = FALSE, pairing = TRUE,
  # The stimulus-corrected estimate is a cosine, too, that of U-centred kernels. Below 0 are also
  # naive ones of kernels that are not positive definite.
  range = function(args) {
    if (corrects_sample(args)) return(c(-Inf, Inf))
    c(if (args$kernel == "linear" && !args$corrects$stimuli) 0 else -1, 1)
  },
  symmetric = symmetric_sides,
  invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Kornblith et al. 2019; Song et al. 2012; Chun et al. 2025",
  accepts = accepted_by_kernel, uses = structure_of_kernel, neighbours = neighbours_of_kernel,
  check = check_cka_args, settle = settle_cka, check_pair = check_cka, form = form_of_kernel,
  keeps = kept_of_kernel, prepare = prepare_cka, undefined = warn_undefined_cka,
  statistic = cross_h, score = cka_of_h,
  inspect = function(score, pair, x, y, args) {
    if (!corrects_sample(args)) return(invisible())
    # When the same data stand on both sides and the same neuron pairs are left out of all three H
    # values, the score is exactly 1, so that nothing can be unstable about it.
    labels <- pair_labels(pair, args)
    left_out <- !is.null(labels) && identical(labels$x, labels$y)
    if (left_out && (pair$self || identical(pair$x$data, pair$y$data))) return(invisible())
    pair <- labelled_pair(pair, args$clusters)
    warn_unstable(score, pair, error_of_cka(pair, x$self, y$self, args), args$clusters)
  },
  null = cka_null, dot = cka_dot, needs_data = kernel_needs_data, errors = cka_errors(),
  cosine = TRUE
)

#' RV coefficient
#'
#' An older name of the naive linear [cka()].
#'
#' @param x,y,given,na see [cka()].
#' @param ... not used.
#' @return One number in \[0, 1\]; 1 when the inner products of the two sides are
#'   proportional.
#' @details
#' Rotation, scaling and translation of either side leave it as it is. When not to trust it: with
#' few stimuli it is far above 0 for unrelated data, and with few neurons too low for related data:
#' use [cka()] with a corrected `estimator`.
#' @references Escoufier (1973), Biometrics 29. Robert and Escoufier (1976),
#'   Applied Statistics 25.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' rv(x, x %*% qr.Q(qr(matrix(rnorm(100), 10))))
#' @export
rv <- function(x, y, na = c("error", "stimuli", "neurons"), given = NULL, ...) {
  one_score("rv", x, y, list(), na, given)
}

declare_measure(
  id = "rv", label = "RV coefficient", family = "kernel", direction = "similarity", range = c(0, 1),
  best = 1, symmetric = TRUE, metric = FALSE, pairing = TRUE,
  invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Robert and Escoufier 1976",
  # the RV coefficient is CKA with these parameters
  check = function(args) {
    with_estimator(list(kernel = "linear", shared_neurons = FALSE, bandwidth = 1), "naive")
  },
  check_pair = check_cka, form = "linear", prepare = prepare_cka, undefined = warn_undefined_cka,
  statistic = cross_h, score = cka_of_h, null = cka_null, dot = cka_dot,
  needs_data = function(args, n, d) d <= n, errors = cka_errors(), cosine = TRUE
)

# ---- angular cka

#' Angular CKA
#'
#' The angle between the centred kernels of two representations: the arccosine of their [cka()].
#'
#' @param x,y,kernel,estimator,shared_neurons,units_x,units_y,sigma,bandwidth,k see [cka()].
#' @param clusters,shared_noise,complete,na see [cka()].
#' @param ... not used.
#' @return An angle in radians: 0 when the kernels are proportional; at most pi/2 for the naive
#'   linear estimate, otherwise at most pi. `NA`, with a warning of class `repalign_undefined`,
#'   where a CKA by `"stimulus_neuron"` is above 1 (or below -1).
#' @details
#' The angle of the naive CKA with the linear kernel, and with the Gaussian one of Euclidean
#' distances, is a metric, for hierarchical clustering or multidimensional scaling; 1 - CKA is none.
#'
#' When not to trust it: the naive CKA of few stimuli or few neurons is biased (see [cka()]), and so
#' is its angle. The angle of a corrected CKA is no metric and no unbiased estimate. Near 0 the
#' arccosine enlarges errors (a CKA of 0.99 is an angle of 0.14).
#' @references Williams et al. (2021), NeurIPS 34. Lange et al. (2023), Proceedings of Machine
#'   Learning Research 221, \doi{10.48550/arXiv.2206.10999}.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' angular_cka(x, x + matrix(rnorm(300), 30))
#' @export
angular_cka <- function(x, y, kernel = c("linear", "rbf", "manifold"),
                        estimator = c("naive", "stimulus", "stimulus_neuron", "stimulus_trial",
                                      "stimulus_neuron_trial"),
                        shared_neurons = FALSE, units_x = NULL, units_y = NULL, sigma = NULL,
                        bandwidth = 1, k = 15, clusters = NULL,
                        shared_noise = c("auto", "trials", "pairs"),
                        complete = c("none", "x", "y", "both"),
                        na = c("error", "stimuli", "neurons"), ...) {
  one_score("angular_cka", x, y, list(
    kernel = kernel, estimator = estimator, shared_neurons = shared_neurons, units_x = units_x,
    units_y = units_y, sigma = sigma, bandwidth = bandwidth, k = k, clusters = clusters,
    shared_noise = shared_noise, complete = complete
  ), na)
}

# NA where the cosine is beyond 1 by more than rounding.
angle_of_cosine <- function(cosine) {
  cosine[which(abs(cosine) > 1 + tie_share)] <- NA
  acos(clip_to_range(cosine, -1, 1))
}

declare_measure(
  id = "angular_cka", label = "Angular CKA", family = "kernel", direction = "distance", best = 0,
  metric = TRUE, pairing = TRUE,
  range = function(args) {
    c(0, if (args$kernel == "linear" && !args$corrects$stimuli) pi / 2 else pi)
  },
  symmetric = symmetric_sides,
  invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Williams et al. 2021; Lange et al. 2023", accepts = accepted_by_kernel,
  uses = structure_of_kernel, neighbours = neighbours_of_kernel, check = check_cka_args,
  settle = settle_cka, check_pair = check_cka, form = form_of_kernel, keeps = kept_of_kernel,
  prepare = prepare_cka, undefined = warn_undefined_cka, statistic = cross_h,
  score = function(statistic, x, y, args) angle_of_cosine(cka_of_h(statistic, x, y, args)),
  inspect = function(score, pair, x, y, args) {
    warn_if(is.na(score), "undefined", "The angle is undefined (NA): the corrected CKA of ",
            "`{pair$x$arg}` and `{pair$y$arg}` is above 1 or below -1, the cosine of no angle. ",
            "cka() gives the value; pool over splits, trials or subsets for a stable one.",
            data = pair$x$arg)
  },
  null = cka_null,
  dot = function(args) cka_dot(args, function(values, args) angle_of_cosine(values)),
  needs_data = kernel_needs_data, errors = cka_errors(new_angle())
)
