# Shapes whose change is known: clusters, rings, spots, a Swiss roll.

# ---- shapes

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
  if (!is.numeric(values) || !length(values)) {
    abort("`", arg, "` must hold numbers, one for each representation in `y`, but is ",
          if (length(values)) describe(values) else "empty", ".",
          class = "repalign_error_type", arg = arg)
  }
  wrong <- which(is.na(values) | values < least | values > most | whole & values %% 1 != 0)
  if (length(wrong)) {
    limits <- if (most < Inf) paste("from", least, "to", format(most, digits = 3)) else
      paste("of at least", least)
    abort("`", arg, "` must hold ", if (whole) "whole ", "numbers ", limits, ", but element ",
          wrong[1], " is ", format(values[[wrong[1]]]), ".",
          class = "repalign_error_value", arg = arg)
  }
  if (is.null(names(values))) {
    names <- vapply(as.vector(values), name_of, "")
    if (anyDuplicated(names)) {
      abort("`", arg, "` holds ", format(values[[anyDuplicated(names)]]), " twice: give each ",
            "value once, or give them names.", class = "repalign_error_value", arg = arg)
    }
  } else {
    names <- names(values)
    if (anyNA(names) || !all(nzchar(names)) || anyDuplicated(names)) {
      abort("`", arg, "` must have a different name for every value, or no names at all.",
            class = "repalign_error_value", arg = arg)
    }
  }
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

#' Simulate a Gaussian spot, perturbed or lost
#'
#' Stimuli with independent Gaussian responses in `x`, and in `y` the same with noise, or
#' other responses altogether, so that nothing about a stimulus in `x` says where it is in
#' `y`.
#'
#' @param n number of stimuli.
#' @param d number of neurons.
#' @param noise standard deviation of the noise, relative to that of the responses in `x`. Each
#'   value makes one representation, with its name. With `Inf` the correspondence is lost: a spot of
#'   its own, unrelated to `x`.
#' @return A list of class `repalign_simulation`: `x`, a matrix stimuli x neurons; `y`, a named
#'   list of representations; `truth`, a data frame with `model` and `noise`. `x` and `y` are
#'   ready for [similarity()] and [calibrate()].
#' @details
#' All responses in `x`, and those of a lost spot, are independent and standard normal. A perturbed
#' spot is x + noise e, where e has the distribution of x and is its own in each representation.
#' @references Islam, Liu and Sarkar, Manifold Approximation leads to Robust Kernel
#'   Alignment (MKA), section 5.3.
#' @examples
#' set.seed(1)
#' shapes <- simulate_spots(200, d = 20, noise = c(perturbed = 0.5, lost = Inf))
#' shapes
#' similarity(shapes$x, shapes$y, c("mka", "cka"))
#' @seealso [simulate_swiss_roll()], [simulate_rings()], [simulate_clusters()],
#'   [simulate_pair()]; the article "Shapes whose relation is known" on the site
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
#' @param translation how far the second spot is moved, at least 0, in units of the width of a spot.
#'   Each value makes one representation, with its name.
#' @param gap distance between the edges of the two spots in `x`, in the same units.
#' @return A list of class `repalign_simulation`: `x`, a matrix stimuli x neurons; `y`, a named
#'   list of representations; `truth`, a data frame with `model` and `translation`; `spot`, 1
#'   or 2 for every stimulus. `x` and `y` are ready for [similarity()] and [calibrate()].
#' @details
#' The responses have the uniform distribution from -0.5 to 0.5. In the first neuron 1 + gap is
#' added for the stimuli of the second spot, and in `y` also the translation. In many dimensions the
#' stimuli of the other spot are hardly farther than those of the own one: then the neighbours
#' change with a translation.
#' @references Davari, Horoi, Natik, Lajoie, Wolf and Belilovsky (2023), Reliability of CKA as a
#'   similarity measure in deep learning, ICLR. Islam, Liu and Sarkar, Manifold
#'   Approximation leads to Robust Kernel Alignment (MKA), section 5.3.
#' @examples
#' set.seed(1)
#' shapes <- simulate_translation(200, translation = c(1, 10))
#' shapes
#' similarity(shapes$x, shapes$y, c("mka", "cka"))
#' @seealso [simulate_swiss_roll()], [simulate_rings()], [simulate_clusters()],
#'   [simulate_spots()]; the article "Shapes whose relation is known" on the site
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

# ---- clusters

#' Simulate a cloud that breaks into clusters
#'
#' One Gaussian cloud of stimuli in `x`, and in `y` the same stimuli moved apart, into ever
#' more clusters on a circle. A measure that sees clusters falls from stage to stage.
#'
#' @param n number of stimuli.
#' @param clusters numbers of clusters, 1 to `n`. Each value makes one representation, with its
#'   name.
#' @param radius radius of the circle on which the centres of the clusters lie, in standard
#'   deviations of the cloud.
#' @return A list of class `repalign_simulation`: `x`, a matrix stimuli x 2; `y`, a named list
#'   of representations; `truth`, a data frame with `model` and `clusters`; `cluster`, a
#'   matrix with the cluster of every stimulus (rows) in every representation of `y`
#'   (columns). `x` and `y` are ready for [similarity()] and [calibrate()].
#' @details
#' The coordinates of `x` are independent and have the standard normal distribution. With k
#' clusters, stimulus i moves with cluster ((i - 1) mod k) + 1, so that the clusters are of (nearly)
#' equal size and all of them have members everywhere in the cloud. The centre of cluster j is at
#' the angle \eqn{2 \pi (j - 1) / k}{2 pi (j - 1) / k} of the circle. Within a cluster all distances
#' are those of `x`.
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
#'   [simulate_translation()]; the article "Shapes whose relation is known" on the site
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

# ---- rings

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
#'   [simulate_translation()]; the article "Shapes whose relation is known" on the site
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

#' Simulate a Swiss roll and S-curves
#'
#' The same stimuli on one line, which is rolled up in `x` and bent into an S in `y`. The two
#' shapes share who is near whom along the line, and little else.
#'
#' @param n number of stimuli.
#' @param r where the line turns from the first arc of the S into the second, from 0 to 1, as a
#'   share of the line: 0.5 gives the usual S. Each value makes one S-curve, with its name.
#' @return A list of class `repalign_simulation`: `x`, the Swiss roll, a matrix stimuli x 2;
#'   `y`, a named list of S-curves; `truth`, a data frame with `model` and `r`; `position`,
#'   the place of every stimulus on the line, from 0 to 1. `x` and `y` are ready for
#'   [similarity()] and [calibrate()].
#' @details
#' The positions t are drawn from the uniform distribution on \[0, 1\]. The Swiss roll is \eqn{(z
#' \cos z, z \sin z)}{(z cos z, z sin z)} with \eqn{z = 3 \pi (1 + 2t) / 2}{z = 3 pi (1 + 2t) / 2},
#' the S-curve \eqn{(\sin z, sign(z) (\cos z - 1))}{(sin z, sign(z) (cos z - 1))} with \eqn{z = 3
#' \pi (t - r)}{z = 3 pi (t - r)}: two circles of radius 1 that touch, each of which is run through
#' as far as the line reaches. Distances along the S-curve are proportional to t, those along the
#' roll grow with t.
#'
#' For r below 1/3 or above 2/3 the line runs over itself: stimuli from different places of the line
#' are then neighbours on the S-curve, and no measure should find the two shapes equal.
#' @references Islam, Liu and Sarkar, Manifold Approximation leads to Robust Kernel
#'   Alignment (MKA), section 5.1 and appendix C.
#' @examples
#' set.seed(1)
#' shapes <- simulate_swiss_roll(300, r = c(0, 0.5))
#' shapes
#' similarity(shapes$x, shapes$y, c("mka", "cka"))
#' @seealso [simulate_rings()], [simulate_clusters()], [simulate_spots()],
#'   [simulate_translation()]; the article "Shapes whose relation is known" on the site
#' @export
simulate_swiss_roll <- function(n, r = 0.5) {
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
    if (!is.numeric(given[[arg]]) || !length(given[[arg]])) {
      abort("`", arg, "` must hold numbers, one per ", each, " or one for all ", each, "s.",
            class = "repalign_error_type", arg = arg)
    }
  }
  # single values are checked before their number: a wrong value is not one for another model
  for (arg in names(given)) given[[arg]] <- vapply(given[[arg]], checks[[arg]], 0, arg = arg)
  count <- max(lengths(given))
  wrong <- names(given)[!lengths(given) %in% c(1, count)]
  if (length(wrong)) {
    abort(enumerate(paste0("`", names(given), "`"), quote = FALSE), " have ",
          enumerate(lengths(given), quote = FALSE), " values: give each of them one value per ",
          each, ", or one value for all ", each, "s.", class = "repalign_error_size",
          arg = wrong[1])
  }
  full <- given[lengths(given) == count]
  source <- names(Filter(Negate(is.null), lapply(full, names)))[1]
  names <- if (!is.na(source)) names(given[[source]])
  if (anyNA(names) || !all(nzchar(names)) || anyDuplicated(names)) {
    abort("`", source, "` must have a different name for every ", each, ", or no names at all.",
          class = "repalign_error_value", arg = source)
  }
  list(names = names, values = lapply(stats::setNames(nm = names(given)), function(arg) {
    values <- given[[arg]]
    ordered <- if (is.null(names(values))) {
      values
    } else {
      if (is.na(source)) {
        abort("`", arg, "` has a name, but it is one value for all ", each,
              "s: name the values of ",
              "which there is one per ", each, ".", class = "repalign_error_value", arg = arg)
      }
      if (!setequal(names(values), names)) {
        abort("`", arg, "` names other ", each, "s (", enumerate(names(values)), ") than `", source,
              "` (", enumerate(names), ").", class = "repalign_error_value", arg = arg)
      }
      values[names]
    }
    rep_len(unname(ordered), count)
  }))
}
