# Shapes whose change is known: clusters, rings, spots, a Swiss roll.

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
