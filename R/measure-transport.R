# Soft matching: neurons are matched in parts, so that populations of unequal sizes can be compared.

#' @include measure.R
NULL

#' Soft matching
#'
#' How much two representations differ after each neuron has been shared out among the neurons of
#' the other side that respond most similarly (`soft_matching()`), or the mean correlation of
#' neurons that are matched so (`soft_matching_correlation()`).
#'
#' @param x,y see [cka()].
#' @param mass the share of both populations that is matched; below 1 the neurons that match worst
#'   are left out.
#' @param center if `TRUE`, the mean of each column is subtracted first.
#' @param scale if `TRUE`, each side is divided by the root mean square norm of its neurons;
#'   otherwise the distance is in the units of the data.
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number: the distance is at least 0, and at most 2 with `scale = TRUE`; the
#'   correlation is in \[-1, 1\].
#' @details
#' All neurons of a side have the same mass, 1 in all. The distance is the root of the smallest mean
#' squared distance between matched neurons, over all plans that match the share `mass`; the
#' correlation is the largest mean. With equal numbers of neurons and `mass = 1` neurons are matched
#' one to one, as by [hard_correlation_match()] and [permutation_procrustes()].
#'
#' Reordering the neurons leaves the scores as they are, and by default so do translation and
#' scaling (for the correlation also of each neuron by itself); rotation changes them, because they
#' ask whether single neurons correspond. The distance is a metric for `mass = 1`. For the
#' correlation, a constant column is an error.
#'
#' When not to trust it: the plan is fitted to the stimuli on which the score is made, and the more
#' neurons there are and the smaller `mass` is, the closer are unrelated data. [held_out()] scores
#' the plan on other stimuli. How the correlation falls as `mass` grows shows how many neurons have
#' a counterpart, but the curve shows no best `mass`.
#' @references Khosla and Williams (2024), Proceedings of Machine Learning Research 243. Kapoor,
#'   Williams and Khosla (2026), ICLR, \doi{10.48550/arXiv.2602.19331} (parts of the mass).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(600), 60)
#' y <- x[, c(1:10, 1:5)] + 0.5 * rnorm(900)
#' soft_matching(x, y)
#' soft_matching_correlation(x, y)
#' @seealso [matched_neurons()], [soft_correlation_match()]
#' @export
soft_matching <- function(x, y, mass = 1, center = TRUE, scale = TRUE,
                          na = c("error", "stimuli", "neurons"), ...) {
  one_score("soft_matching", x, y, list(mass = mass, center = center, scale = scale), na)
}

check_mass <- function(mass) {
  mass <- check_number(mass, "mass", above = 0)
  if (mass <= 1) return(mass)
  refuse("value", "`mass` is a share of the neurons: above 0 and at most 1.")
}

# ---- plans

# A run of optimal transport, from no mass to all of it: for each step its mass, and the places in
# the matrix of costs where the plan changes; see src/transport.c.
transport_run <- function(cost) {
  run <- .Call(C_transport, cost)
  list(units = run$units, length = run$length, row = run$row, column = abs(run$column),
       sign = sign(run$column), step = rep(seq_along(run$length), run$length),
       total = sum(run$units))
}

# The plan with this mass: list(x, y, weight), weights that add up to it. Units are whole numbers,
# so that what was added and taken away again leaves nothing.
plan_of_run <- function(run, mass) {
  taken <- pmin(pmax(mass * run$total - (cumsum(run$units) - run$units), 0), run$units)
  place <- run$row + (run$column - 1) * max(run$row)
  sums <- rowsum(run$sign * taken[run$step], place)
  at <- as.double(rownames(sums))
  kept <- sums > 1e-12 * run$total
  list(x = as.integer((at - 1) %% max(run$row) + 1)[kept],
       y = as.integer((at - 1) %/% max(run$row) + 1)[kept], weight = sums[kept] / run$total)
}

# The plan of a pair of `size` neurons that costs least, or with one neuron for each other the
# assignment that gains most. key: tells the costs of a pair from others.
neuron_plan <- function(pair, key, size, mass, costs, gains) {
  if (mass == 1 && size[1] == size[2]) {
    matched <- remember(pair$cache, list("neuron assignment", key), optimal_match(gains()))
    return(list(x = seq_along(matched), y = matched, weight = rep(1 / size[1], size[1])))
  }
  plan_of_run(neuron_run(pair, key, costs), mass)
}

neuron_run <- function(pair, key, costs) {
  remember(pair$cache, list("neuron transport", key), transport_run(costs()))
}

# What is chosen from all neurons on the same stimuli is close by chance.
note_in_sample <- function(pair, mass) {
  if (mass == 1) return(invisible())
  say_once(pair$x, "matched in sample", {
    inform("in_sample", "With `mass` below 1 the best matches are chosen on the stimuli that ",
           "score them, which brings unrelated data close, too.")
  })
}

# ---- distance

# The centred columns with their squares; `norm` is the root mean square norm of a neuron.
form_neurons <- function(repr, center) {
  form <- remember_form(repr, "columns", list("neurons", center), {
    columns <- scaled_data(repr, center)
    list(columns = columns, squares = colSums(columns^2))
  })
  extend_form(form, norm = sqrt(mean(form$squares)), scale = form_scaling(repr, center)$scale)
}

# Squared distances of all neurons of one side and all of the other, in common units.
neuron_costs <- function(x, y, units, cross) {
  outer(units$x^2 * x$squares, units$y^2 * y$squares, "+") - 2 * units$x * units$y * cross
}

distance_plan <- function(pair, x, y, args) {
  units <- common_units(x, y, args$scale)
  cross <- function() {
    remember(pair$cache, list("neuron products", args$center), crossprod(x$columns, y$columns))
  }
  neuron_plan(pair, list("distance", args$center, args$scale),
              c(ncol(x$columns), ncol(y$columns)), args$mass,
              costs = function() neuron_costs(x, y, units, cross()), gains = cross)
}

declare_measure(
  id = "soft_matching", label = "Soft matching distance", family = "alignment",
  direction = "distance", best = 0, symmetric = TRUE, pairing = TRUE,
  metric = function(args) args$mass == 1, range = function(args) c(0, if (args$scale) 2 else Inf),
  invariant = c("scaling", "translation", "column permutation"),
  reference = "Khosla and Williams 2024",
  check = function(args) {
    args$mass <- check_mass(args$mass)
    check_procrustes_args(args)
  },
  form = "columns", keeps = "scaling",
  prepare = function(repr, args, side) form_neurons(repr, args$center),
  # Rounding does not cancel in differences of matched neurons, so that small distances keep their
  # digits.
  statistic = function(pair, x, y, args) {
    units <- common_units(x, y, args$scale)
    plan <- distance_plan(pair, x, y, args)
    gaps <- colSums((units$x * x$columns[, plan$x, drop = FALSE] -
                       units$y * y$columns[, plan$y, drop = FALSE])^2)
    sqrt(sum(plan$weight * gaps) / args$mass)
  },
  score = scaled_score,
  inspect = function(score, pair, x, y, args) {
    inspect_overflow(score, pair, x, y, args)
    note_in_sample(pair, args$mass)
  },
  needs_data = FALSE,
  errors = function(args) {
    # Of the square of the distance, with the plan held: n times what each stimulus adds, less what
    # all do. The scales of the sides vary, too.
    influence_errors(function(pair, args, codes) {
      x <- form_neurons(pair$x, args$center)
      y <- form_neurons(pair$y, args$center)
      units <- common_units(x, y, args$scale)
      plan <- distance_plan(pair, x, y, args)
      weight <- plan$weight / args$mass
      a <- units$x * x$columns[, plan$x, drop = FALSE]
      b <- units$y * y$columns[, plan$y, drop = FALSE]
      each <- drop((a - b)^2 %*% weight)
      if (!args$scale) return(distance_influence(each, sum(each), units$scale))
      size_x <- rowMeans((units$x * x$columns)^2)
      size_y <- rowMeans((units$y * y$columns)^2)
      aa <- drop(a^2 %*% weight)
      bb <- drop(b^2 %*% weight)
      ab <- drop((a * b) %*% weight)
      each <- each - size_x * (sum(aa) - sum(ab)) - size_y * (sum(bb) - sum(ab))
      square <- sum(aa) + sum(bb) - 2 * sum(ab)
      length(each) * each / (2 * sqrt(square))
    }, transform = "none", growth = if (!args$scale) root_growth)
  },
  held = soft_distance_holdout
)

# ---- correlation

#' @rdname soft_matching
#' @export
soft_matching_correlation <- function(x, y, mass = 1, na = c("error", "stimuli", "neurons"), ...) {
  one_score("soft_matching_correlation", x, y, list(mass = mass), na)
}

correlation_plan <- function(pair, mass) {
  correlation <- pair_correlation(pair)
  neuron_plan(pair, "correlation", dim(correlation), mass,
              costs = function() 1 - correlation, gains = function() correlation)
}

declare_measure(
  id = "soft_matching_correlation", label = "Soft matching correlation", family = "alignment",
  direction = "similarity", range = c(-1, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("scaling", "translation", "column permutation"),
  reference = "Khosla and Williams 2024",
  check = function(args) {
    args$mass <- check_mass(args$mass)
    args
  },
  form = "columns", prepare = function(repr, args, side) form_columns(repr),
  statistic = function(pair, x, y, args) {
    plan <- correlation_plan(pair, args$mass)
    mean_correlation(sum(plan$weight * pair_correlation(pair)[cbind(plan$x, plan$y)]) / args$mass)
  },
  inspect = function(score, pair, x, y, args) note_in_sample(pair, args$mass), needs_data = FALSE,
  errors = function(args) influence_errors(function(pair, args, codes) {
    plan <- correlation_plan(pair, args$mass)
    match_influence(pair, plan$x, plan$y, plan$weight / args$mass)
  }),
  held = soft_correlation_holdout
)
