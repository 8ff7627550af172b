# Made-up data whose similarity is known: shapes (clusters, rings, spots, a Swiss roll) and
# populations of neurons.

# ---- shapes

#' Simulate shapes whose change is known
#'
#' Stimuli in one shape, `x`, and in ever more changed ones, `y`: a spot that is perturbed or lost,
#' two spots of which one moves away, a cloud that breaks into clusters, rings that collapse, and a
#' Swiss roll beside S-curves of the same line.
#'
#' @param n number of stimuli; at least 3 for each ring.
#' @param d number of neurons.
#' @param noise of spots: standard deviations of the noise, relative to that of `x`, with `Inf` for
#'   a spot that is unrelated to `x`. Of rings: one, relative to the radius; with 0 the stimuli of
#'   rings that have joined are duplicates.
#' @param translation how far the second spot is moved, at least 0, in widths of a spot.
#' @param gap distance between the edges of the two spots in `x`, in the same unit.
#' @param clusters numbers of clusters, 1 to `n`.
#' @param radius radius of the circle on which the centres of the clusters lie, in standard
#'   deviations of the cloud.
#' @param rings number of rings in `x`.
#' @param r where the line turns from the first arc of the S into the second, as a share of the
#'   line; 0.5 gives the usual S.
#' @param ... not used.
#' @return A list of class `repalign_simulation`: `x`, a matrix stimuli x neurons; `y`, a named list
#'   of representations, one for each value of `noise` (of spots), `translation`, `clusters` or `r`,
#'   or for `rings`, `rings` - 1, ..., 1 rings; `truth`, a data frame with `model` and the value of
#'   each. About each stimulus: its `spot`; `cluster`, a matrix with a column for each element of
#'   `y`; `ring` and `angle`; or `position` on the line, from 0 to 1.
#' @details
#' *Translation.* The spots, halves of the stimuli, are parted along the first neuron. In many
#' dimensions the neighbours change with a translation, as the other spot is hardly farther than the
#' own one.
#'
#' *Clusters.* The coordinates of `x` are standard normal. Members of a cluster come from everywhere
#' in the cloud, and distances within it are those of `x`.
#'
#' *Rings.* The first has radius 1, and the others lie around it by turns outside and inside, from
#' 0.5 to 1.5. From stage to stage one of them joins the first.
#'
#' *Swiss roll.* For `r` below 1/3 or above 2/3 the line runs over itself: no measure should then
#' find the two shapes equal.
#'
#' @references Barannikov et al. (2022), ICML (clusters, rings). Davari et al. (2023), ICLR
#'   (translation). Islam, Liu and Sarkar (2025), \doi{10.48550/arXiv.2510.22953}.
#' @examples
#' set.seed(1)
#' spots <- simulate_spots(200, d = 20, noise = c(perturbed = 0.5, lost = Inf))
#' spots
#' similarity(spots$x, spots$y, c("mka", "cka"))
#' rings <- simulate_rings(200, noise = 0.01)
#' similarity(rings$x, rings$y, "mka")
#' simulate_translation(200, d = 20, translation = c(1, 10))
#' simulate_clusters(200, clusters = c(2, 8))
#' simulate_swiss_roll(200)
#' @seealso [simulate_pair()], [simulate_models()]
#' @name simulate_shapes
NULL

# The makers of shapes share these: `x`, a list `y` of what becomes of it, and the truth of each.

# y: a named list of representations; truth: a data frame with a row for each of them; `...`: facts
# about the stimuli.
simulated_shapes <- function(x, y, truth, ...) {
  structure(list(x = x, y = y, truth = truth, ...),
            class = c("repalign_shapes", "repalign_simulation"))
}

#' @export
print.repalign_shapes <- function(x, ...) {
  d <- unique(c(ncol(x$x), vapply(x$y, ncol, 0L)))
  cat("<simulated shapes> ", nrow(x$x), " stimuli, ", enumerate(d, quote = FALSE), " neurons: x ",
      "and ", count_of(length(x$y), "representation"), " in y\n", sep = "")
  print(x$truth, row.names = FALSE)
  invisible(x)
}

# Values of which each makes one representation. Returns them as numbers, with names: those that
# were given, or those that name_of() makes of a value.
check_settings <- function(values, arg, name_of, least = 0, most = Inf, whole = FALSE) {
  refuse_if(!is.numeric(values) || !length(values), "type", "`{arg}` must hold numbers, one for ",
            "each representation in `y`, but is ",
            if (length(values)) describe(values) else "empty", ".")
  wrong <- which(is.na(values) | values < least | values > most | whole & values %% 1 != 0)
  limits <- if (most < Inf) paste("from", least, "to", format(most, digits = 3)) else
    paste("of at least", least)
  refuse_if(length(wrong), "value", "`{arg}` must hold {if (whole) 'whole '}numbers {limits}, but ",
            "element {wrong[1]} is {format(values[[wrong[1]]])}.")
  names <- names(values)
  if (is.null(names)) {
    names <- vapply(as.vector(values), name_of, "")
    refuse_if(anyDuplicated(names), "value", "`{arg}` holds ",
              "{format(values[[anyDuplicated(names)]])} twice: give each value once, or names.")
  }
  refuse_if(anyNA(names) || !all(nzchar(names)) || anyDuplicated(names), "value", "`{arg}` must ",
            "have a different name for every value, or no names at all.")
  stats::setNames(as.vector(as.double(values)), names)
}

check_shape_memory <- function(n, d, count) {
  check_memory(8 * as.double(n) * d * (count + 2), "The simulated shapes",
               "Take fewer stimuli, neurons or values.")
}

# The truth of shapes that are told apart by one value each.
truth_of <- function(values, arg) {
  stats::setNames(data.frame(names(values), unname(values)), c("model", arg))
}

# ---- spots

#' @rdname simulate_shapes
#' @export
simulate_spots <- function(n, d = 2, noise = c(0.5, Inf), ...) {
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

#' @rdname simulate_shapes
#' @export
simulate_translation <- function(n, d = 2, translation = 10, gap = 0.1, ...) {
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

# ---- clusters

#' @rdname simulate_shapes
#' @export
simulate_clusters <- function(n, clusters = 2:12, radius = 10, ...) {
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

# ---- rings

#' @rdname simulate_shapes
#' @export
simulate_rings <- function(n, rings = 5, noise = 0, ...) {
  need_arguments()
  n <- check_count(n, "n", 2)
  rings <- check_count(rings, "rings", 2)
  noise <- check_not_negative(noise, "noise")
  refuse_if(n < 3 * rings, "value", "`n` is {n}, but `rings` = {rings} rings need at least ",
            "{3 * rings} stimuli: take more stimuli or fewer rings.")
  check_shape_memory(n, 2, rings)
  ring <- sort(rep_len(seq_len(rings), n))
  angle <- 2 * pi * stats::ave(ring, ring, FUN = function(i) (seq_along(i) - 1) / length(i))
  unit <- cbind(cos(angle), sin(angle)) + noise * matrix(stats::rnorm(2 * n), n)
  y <- lapply(seq_len(rings), function(joined) {
    # the radius of each ring when so many of them have joined the first one
    place <- seq_len(rings) - 1
    outwards <- ifelse(place %% 2 == 1, 1, -1) * ceiling(place / 2)
    radii <- 1 + 0.5 * outwards / (rings %/% 2)
    unit * c(rep(1, joined), radii[seq_len(rings - joined) + 1])[ring]
  })
  left <- rev(seq_len(rings))
  names(y) <- vapply(left, count_of, "", what = "ring")
  truth <- data.frame(model = names(y), rings = left)
  simulated_shapes(y[[1]], y, truth, ring = ring, angle = angle)
}

# ---- swiss roll

#' @rdname simulate_shapes
#' @order 1
#' @export
simulate_swiss_roll <- function(n, r = 0.5, ...) {
  need_arguments()
  n <- check_count(n, "n", 2)
  r <- check_settings(r, "r", function(value) paste("r =", format(value)), most = 1)
  check_shape_memory(n, 2, length(r))
  position <- stats::runif(n)
  z <- 1.5 * pi * (1 + 2 * position)
  y <- lapply(r, function(r) {
    z <- 3 * pi * (position - r)
    cbind(sin(z), sign(z) * (cos(z) - 1))
  })
  simulated_shapes(cbind(z * cos(z), z * sin(z)), y, truth_of(r, "r"), position = position)
}

# ---- simulated settings

# The settings of simulated models and networks: one number each, or one number for all.

# Checks numbers and brings them to one length. given: a named list of the arguments; checks: a
# function(value, arg) for each of them; each: what a setting belongs to, as in "one value per
# model". Returns list(names, values): the names that an argument has, or NULL, and the numbers.
each_setting <- function(given, checks, each) {
  for (arg in names(given)) {
    refuse_if(!is.numeric(given[[arg]]) || !length(given[[arg]]), "type",
              "`{arg}` must hold numbers, one per {each} or one for all {each}s.")
  }
  # single values are checked before their number: a wrong value is not one for another model
  for (arg in names(given)) given[[arg]] <- vapply(given[[arg]], checks[[arg]], 0, arg = arg)
  count <- max(lengths(given))
  wrong <- names(given)[!lengths(given) %in% c(1, count)]
  refuse_if(length(wrong), "size", enumerate(paste0("`", names(given), "`"), quote = FALSE),
            " have {enumerate(lengths(given), quote = FALSE)} values: give each of them one value ",
            "per {each}, or one value for all {each}s.", arg = wrong[1])
  full <- given[lengths(given) == count]
  source <- names(Filter(Negate(is.null), lapply(full, names)))[1]
  names <- if (!is.na(source)) names(given[[source]])
  refuse_if(anyNA(names) || !all(nzchar(names)) || anyDuplicated(names), "value",
            "`{source}` must have a different name for every {each}, or no names at all.")
  list(names = names, values = lapply(stats::setNames(nm = names(given)), function(arg) {
    values <- given[[arg]]
    if (!is.null(names(values))) {
      refuse_if(is.na(source), "value", "`{arg}` has a name, but it is one value for all {each}s: ",
                "name the values of which there is one per {each}.")
      refuse_if(!setequal(names(values), names), "value", "`{arg}` names other {each}s ",
                "({enumerate(names(values))}) than `{source}` ({enumerate(names)}).")
      values <- values[names]
    }
    rep_len(unname(values), count)
  }))
}

# ---- populations

# linear_population() and simulate_pair(): made-up populations whose CKA is known.

#' Simulate two samples of neurons with a known CKA
#'
#' Stimuli are d-dimensional Gaussian vectors, and the response of a neuron is the inner product of
#' the stimulus with a random vector of Gaussian weights.
#'
#' @param n number of stimuli.
#' @param q number of neurons on each side; two numbers if the sides differ.
#' @param d number of dimensions of the stimuli.
#' @param spectrum eigenvalues of the covariance of the weights: `"isotropic"` (all 1) or `"power"`
#'   (`i^-power`).
#' @param power exponent of the power law; two numbers if the sides differ.
#' @param reverse is the order of the eigenvalues of `y` reversed?
#' @param ... not used.
#' @return A list of class `repalign_population`: `x` and `y`, stimuli x neurons; `cka`, the exact
#'   value for infinitely many stimuli and neurons; `theory`, which [predicted_bias()] uses.
#' @references Chun et al. (2025), \doi{10.48550/arXiv.2502.15104}, equation 15.
#' @examples
#' set.seed(1)
#' pop <- linear_population(n = 100, q = 50, d = 200, spectrum = "power", power = c(0.5, 0.9))
#' pop$cka
#' cka(pop$x, pop$y, estimator = "stimulus_neuron")
#' @export
linear_population <- function(n, q, d, spectrum = c("isotropic", "power"), power = 1,
                              reverse = FALSE, ...) {
  need_arguments()
  power_given <- !missing(power)
  n <- check_count(n, "n")
  d <- check_count(d, "d")
  q <- vapply(check_two_sizes(q, "q"), check_count, 0L, arg = "q")
  power <- vapply(check_two_sizes(power, "power"), check_number, 0, arg = "power")
  spectrum <- check_choice(spectrum, c("isotropic", "power"), "spectrum")
  warn_if(power_given && spectrum == "isotropic", "unused", "`power` is not used by the isotropic ",
          "spectrum: set spectrum = \"power\".", data = "power")
  check_flag(reverse, "reverse")
  lambda <- lapply(power, function(p) if (spectrum == "power") seq_len(d)^-p else rep(1, d))
  refuse_if(!all(is.finite(unlist(lambda)^2)) || any(vapply(lambda, sum, 0) == 0), "value",
            "`power` is too extreme for {d} dimensions: the eigenvalues are too large or too ",
            "small for a double. Give a value nearer to 0.")
  if (reverse) lambda[[2]] <- rev(lambda[[2]])
  check_memory(8 * (as.double(n) * d + (as.double(n) + d) * sum(as.double(q))),
               "The simulated population", "Take fewer stimuli, neurons or dimensions.")
  stimuli <- matrix(stats::rnorm(n * d), n)
  respond <- function(lambda, q) stimuli %*% (sqrt(lambda) * matrix(stats::rnorm(d * q), d))
  x <- respond(lambda[[1]], q[1])
  y <- respond(lambda[[2]], q[2])
  # the true values follow from the moments of products of two Gaussian vectors with diagonal
  # covariances
  cross <- sum(lambda[[1]] * lambda[[2]])
  side <- function(lambda, q) {
    gamma <- sum(lambda)^2 / sum(lambda^2)
    list(q = q, gamma = gamma, psi_stimuli = gamma / (gamma + 2),
         psi_neurons = gamma / (gamma + 2), rho = gamma / (3 * (gamma + 2)))
  }
  norm <- sqrt(sum(lambda[[1]]^2) * sum(lambda[[2]]^2))
  theory <- list(
    n = n, x = side(lambda[[1]], q[1]), y = side(lambda[[2]], q[2]), cka = cross / norm,
    diagonal = (sum(lambda[[1]]) * sum(lambda[[2]]) + 2 * cross) / norm,
    h = linear_h_moments(lambda, n, q)
  )
  structure(list(x = x, y = y, cka = theory$cka, theory = theory), class = "repalign_population")
}

check_two_sizes <- function(value, arg) {
  refuse_if(!is.numeric(value) || !length(value) %in% 1:2, "value", "`{arg}` must be one number, ",
            "or two (for x and for y).")
  rep(value, length.out = 2)
}

# Means and covariances of the corrected H values (xy, xx, yy) of Gaussian stimuli and weights.
# Each is a mean over pairs of stimuli and of neurons, and so a sum of parts that are uncorrelated:
# what single stimuli (s) and neurons (q) add, and what pairs of two of each do. Every part has
# the leading term of its covariances, as traces t(k, l) of A^k B^l with the spectra A and B.
linear_h_moments <- function(lambda, n, q) {
  a <- lambda[[1]]
  b <- lambda[[2]]
  t <- function(k, l) sum(a^k * b^l)
  # own: the variance of H_xy; with_self(): its covariances with H_xx and H_yy
  own <- 8 / n * t(2, 2) + 2 * t(2, 2) * sum(1 / q) +
    2 / n^2 * (t(2, 0) * t(0, 2) + t(1, 1)^2) + 2 * t(1, 1)^2 / prod(q) +
    4 / n * ((t(1, 0) * t(1, 2) + t(1, 1)^2) / q[1] + (t(0, 1) * t(2, 1) + t(1, 1)^2) / q[2]) +
    2 / n^2 * (t(0, 2) * t(1, 0)^2 / q[1] + t(2, 0) * t(0, 1)^2 / q[2]) +
    4 * t(1, 0) * t(0, 1) * t(1, 1) / (n * prod(q)) +
    2 * (t(1, 0) * t(0, 1))^2 / (n^2 * prod(q))
  with_self <- function(t, q) {
    8 / n * t(3, 1) + 4 / q * t(3, 1) + 4 / n^2 * t(2, 0) * t(1, 1) +
      8 / (n * q) * (t(1, 0) * t(2, 1) + t(2, 0) * t(1, 1)) +
      4 / (n^2 * q) * t(1, 1) * t(1, 0)^2
  }
  with_x <- with_self(t, q[1])
  with_y <- with_self(function(k, l) t(l, k), q[2])
  xx <- linear_self_variance(function(k) t(k, 0), n, q[1])
  yy <- linear_self_variance(function(k) t(0, k), n, q[2])
  xx_yy <- 8 / n * t(2, 2) + 4 / n^2 * t(1, 1)^2
  list(mean = c(t(1, 1), t(2, 0), t(0, 2)),
       cov = matrix(c(own, with_x, with_y, with_x, xx, xx_yy, with_y, xx_yy, yy), 3))
}

linear_self_variance <- function(t, n, q) {
  single <- 8 * t(4) * (1 / n + 1 / q)
  pairs <- 4 * t(2)^2 * (1 / n^2 + 1 / q^2) + 16 * (t(1) * t(3) + t(2)^2) / (n * q)
  triples <- 8 * t(2) * t(1)^2 * (1 / (n^2 * q) + 1 / (n * q^2))
  single + pairs + triples + 4 * t(1)^4 / (n * q)^2
}

#' @export
print.repalign_population <- function(x, ...) {
  cat("<linear population> ", nrow(x$x), " stimuli, ", ncol(x$x), " and ", ncol(x$y),
      " neurons, true CKA ", format(x$cka, digits = 4), "\n", sep = "")
  invisible(x)
}

# ---- pair

# simulate_pair() simulates two representations with a known CKA, for stimuli of several designs.

noise_families <- c("normal", "t3", "laplace", "mixture")

#' Simulate two representations with a known relation
#'
#' The response of every neuron is the sum of a few signals common to both sides and a part of its
#' own. Stimuli can form groups or time series.
#'
#' @param n number of stimuli.
#' @param d number of neurons on each side; two numbers if the sides differ.
#' @param shared share of the variance of every neuron (within groups) that comes from the common
#'   signals, from 0 (the sides are unrelated) to 1.
#' @param rank number of common signals.
#' @param groups number of groups of stimuli, of nearly equal size, which both sides share.
#' @param spread standard deviation of the centres of the groups, relative to that within groups.
#' @param autocorrelation correlation of each row with the next (autoregressive series of first
#'   order).
#' @param tails distribution of the neurons' own parts: `"normal"`; `"t3"` (Student's t with 3
#'   degrees of freedom), `"laplace"` or the two-peaked `"mixture"`, which need
#'   `autocorrelation = 0`.
#' @param ... not used.
#' @return A list of class `repalign_simulation`: `x` and `y`, stimuli x neurons; `group`, the group
#'   of every stimulus; `cka`, the exact linear CKA of these neurons with infinitely many stimuli,
#'   which `cka(estimator = "stimulus")` estimates; `cka_within`, the same within groups.
#' @details
#' For the same `shared`, a higher `rank` means a lower CKA. A signal of standard deviation a in
#' noise of b has `shared = a^2 / (a^2 + b^2)`.
#' @examples
#' set.seed(1)
#' pair <- simulate_pair(n = 200, d = c(20, 50), shared = 0.4)
#' pair$cka
#' cka(pair$x, pair$y, estimator = "stimulus")
#' @seealso [simulate_models()], [linear_population()]
#' @export
simulate_pair <- function(n, d, shared = 0, rank = 3, groups = 1, spread = 2,
                          autocorrelation = 0, tails = c("normal", "t3", "laplace", "mixture"),
                          ...) {
  need_arguments()
  n <- check_count(n, "n", 2)
  d <- vapply(check_two_sizes(d, "d"), check_count, 0L, arg = "d")
  shared <- check_share(shared, "shared")
  rank <- check_count(rank, "rank")
  groups <- check_count(groups, "groups")
  spread <- check_number(spread, "spread", above = 0)
  autocorrelation <- check_number(autocorrelation, "autocorrelation", above = -1, below = 1)
  tails <- check_choice(tails, noise_families, "tails")
  refuse_if(groups > n, "value", "`groups` must be at most the number of stimuli, {n}.")
  refuse_if(autocorrelation != 0 && tails != "normal", "value", "`tails` must be \"normal\" for ",
            "time series (with `autocorrelation`).")
  check_memory(16 * as.double(n) * (sum(as.double(d)) + rank), "The simulated pair",
               "Take fewer stimuli or neurons.")
  group <- sort(rep_len(seq_len(groups), n))
  signals <- series_of(matrix(stats::rnorm(n * rank), n), autocorrelation)
  sides <- lapply(d, function(d) {
    m <- matrix(stats::rnorm(d * rank), d)
    weights <- m / sqrt(rowSums(m^2))
    # independent values of variance 1, whatever their tails
    noise <- switch(tails,
      normal = stats::rnorm(n * d),
      t3 = stats::rt(n * d, 3) / sqrt(3),
      laplace = stats::rexp(n * d, sqrt(2)) * random_signs(n * d),
      mixture = 0.9 * random_signs(n * d) + sqrt(1 - 0.9^2) * stats::rnorm(n * d),
      no_branch(tails)
    )
    noise <- series_of(matrix(noise, n), autocorrelation)
    centres <- spread * matrix(stats::rnorm(groups * d), groups)
    if (groups == 1) centres[] <- 0
    data <- sqrt(shared) * tcrossprod(signals, weights) + sqrt(1 - shared) * noise
    list(data = data + centres[group, , drop = FALSE], weights = weights,
         centres = centres[group, , drop = FALSE])
  })
  structure(list(x = sides[[1]]$data, y = sides[[2]]$data, group = group,
                 cka = pair_cka(sides, shared, TRUE), cka_within = pair_cka(sides, shared, FALSE)),
            class = "repalign_simulation")
}

random_signs <- function(count) sample(c(-1, 1), count, replace = TRUE)

# Turns columns of independent values with variance 1 into stationary autoregressive series, which
# also have variance 1.
series_of <- function(m, autocorrelation) {
  if (autocorrelation == 0) return(m)
  m[-1, ] <- sqrt(1 - autocorrelation^2) * m[-1, ]
  for (t in seq_len(nrow(m))[-1]) m[t, ] <- autocorrelation * m[t - 1, ] + m[t, ]
  m
}

# The CKA of the population, which follows from the covariances of the neurons. with_groups: does
# the spread of the groups count as signal?
pair_cka <- function(sides, shared, with_groups) {
  covariance <- function(a, b, same) {
    c <- shared * tcrossprod(a$weights, b$weights)
    if (same) diag(c) <- diag(c) + 1 - shared
    if (with_groups) {
      centred <- function(side) sweep(side$centres, 2, colMeans(side$centres))
      c <- c + crossprod(centred(a), centred(b)) / nrow(a$centres)
    }
    sum(c^2)
  }
  x <- sides[[1]]
  y <- sides[[2]]
  covariance(x, y, FALSE) / sqrt(covariance(x, x, TRUE) * covariance(y, y, TRUE))
}

#' @export
print.repalign_simulation <- function(x, ...) {
  if (!is.null(x$models)) {
    cat("<simulated models> ", nrow(x$models[[1]][[1]]), " stimuli, ",
        count_of(length(x$models), "model"), " of ", count_of(length(x$models[[1]]), "layer"),
        "\n", sep = "")
    print(x$truth, row.names = FALSE)
    return(invisible(x))
  }
  cat("<simulated pair> ", nrow(x$x), " stimuli",
      if (max(x$group) > 1) paste0(" in ", max(x$group), " groups"), ", ", ncol(x$x), " and ",
      ncol(x$y), " neurons, true CKA ", format(x$cka, digits = 3),
      if (max(x$group) > 1) paste0(", within groups ", format(x$cka_within, digits = 3)),
      "\n", sep = "")
  invisible(x)
}
