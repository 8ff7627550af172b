# Measures that match neurons: in parts (soft matching, so that populations of unequal sizes can be
# compared) and one to one.

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

# ---- matches of neurons

# These measures match single neurons of one side with single neurons of the other.

#' Permutation Procrustes distance
#'
#' How much two representations differ after the columns of one have been put into the order closest
#' to the other.
#'
#' @param x,y see [procrustes()].
#' @param center if `TRUE`, the mean of each column is subtracted first.
#' @param scale if `TRUE`, both sides are scaled to Frobenius norm 1 first.
#' @param na see [similarity()].
#' @param ... not used.
#' @return One number: 0 when both sides have the same columns in some order. With
#'   `scale = TRUE` it is at most 2; otherwise it is in the units of the data and not
#'   bounded.
#' @details
#' The score is the least Frobenius norm `||x P - y||` over all orders P of the columns. If the
#' numbers of columns differ, columns without a partner add their whole norm, and the triangle
#' inequality can fail; otherwise the score is a metric. By default only a new order of the columns
#' leaves it as it is; `center = TRUE` adds translation, and `scale = TRUE` scaling. It asks whether
#' single neurons correspond.
#'
#' When not to trust it: raw columns with large means are matched by these means, and between
#' networks with different scales the score mainly compares norms.
#' @references Williams et al. (2021), NeurIPS 34. Jonker and Volgenant (1987), Computing 38.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' permutation_procrustes(x, x[, 10:1] + rnorm(300), center = TRUE, scale = TRUE)
#' @seealso [hard_correlation_match()]
#' @export
permutation_procrustes <- function(x, y, center = FALSE, scale = FALSE,
                                   na = c("error", "stimuli", "neurons"), ...) {
  one_score("permutation_procrustes", x, y, list(center = center, scale = scale), na)
}

# The assignment with the largest total gain: for each row the column that it is matched with, or
# 0 for none. Every neuron of the side with fewer neurons is matched.
optimal_match <- function(gains) .Call(C_assign, gains, TRUE)

column_match <- function(pair, center) {
  remember(pair$cache, list("column match", center), optimal_match(pair_cross(pair, center)))
}

# The greedy assignment: the largest gain whose row and column are both free is taken first.
greedy_match <- function(gains) {
  check_memory(8 * 7 * as.double(length(gains)), "The order of all pairs of neurons",
               "Fewer neurons need less.")
  best_first <- largest_first(gains)
  # gains that differ only by rounding count as equal, so that swapping the sides matches the same
  # neurons
  is_equal <- -diff(gains[best_first]) <= tie_share
  tied <- which(c(FALSE, is_equal) | c(is_equal, FALSE))
  level <- cumsum(c(TRUE, !is_equal))[tied]
  best_first[tied] <- best_first[tied][order(level, best_first[tied], method = "radix")]
  .Call(C_assign_greedy, best_first, nrow(gains), ncol(gains))
}

# order(values, decreasing = TRUE), in pieces between which the user can interrupt.
largest_first <- function(values, most = 2e6) {
  size <- length(values)
  if (size <= most) return(order(values, decreasing = TRUE, method = "radix"))
  few <- sort(values[seq(1, size, length.out = 1e4)])
  piece <- findInterval(values, unique(few[seq(1, 1e4, length.out = ceiling(size / most) + 1)]))
  unlist(lapply(max(piece):min(piece), function(k) {
    at <- which(piece == k)
    at[order(values[at], decreasing = TRUE, method = "radix")]
  }))
}

declare_measure(
  id = "permutation_procrustes", label = "Permutation Procrustes distance", family = "alignment",
  resi = "PermProc", direction = "distance", best = 0, symmetric = TRUE,
  range = function(args) c(0, if (args$scale) 2 else Inf), metric = FALSE, pairing = TRUE,
  invariant = "column permutation", reference = "Williams et al. 2021",
  check = check_procrustes_args, form = "scaling", prepare = prepare_rotation,
  # The distance between the matched columns. The data are brought to unit norm when args$scale is
  # TRUE, otherwise to common units that avoid overflow.
  statistic = function(pair, x, y, args) {
    units <- common_units(x, y, args$scale)
    matched <- column_match(pair, args$center)
    # the C code expects the side with more columns first
    if (ncol(pair$x$data) >= ncol(pair$y$data)) {
      .Call(C_matched_distance, pair$x$data, x$means, x$scale * units$x,
            pair$y$data, y$means, y$scale * units$y, matched)
    } else {
      # the same assignment seen from the columns: for each column its row, or 0 for none
      reversed <- integer(ncol(pair$y$data))
      reversed[matched] <- which(matched > 0)
      .Call(C_matched_distance, pair$y$data, y$means, y$scale * units$y,
            pair$x$data, x$means, x$scale * units$x, reversed)
    }
  },
  score = scaled_score, inspect = inspect_overflow,
  errors = function(args) {
    # columns without a match count by their own squares
    if (!args$scale) influence_errors(function(pair, args, codes) {
      units <- common_units(form_scaling(pair$x, args$center), form_scaling(pair$y, args$center),
                            FALSE)
      x <- scaled_data(pair$x, args$center) * units$x
      y <- scaled_data(pair$y, args$center) * units$y
      matched <- column_match(pair, args$center)
      rows <- which(matched > 0)
      products <- x[, rows, drop = FALSE] * y[, matched[rows], drop = FALSE]
      each <- rowSums(x^2) + rowSums(y^2) - 2 * rowSums(products)
      distance_influence(each, max(sum(each), 0), units$scale)
    }, transform = "none", growth = root_growth)
  },
  held = permutation_holdout
)

#' Matches of neurons by correlation
#'
#' The mean correlation between neurons that are matched one to one (`hard_correlation_match()`), or
#' between each neuron and the one of the other side with which it correlates most
#' (`soft_correlation_match()`).
#'
#' @param x,y see [cka()].
#' @param na see [similarity()].
#' @param matching `"optimal"`: the matching with the largest mean correlation. `"greedy"`: the pair
#'   with the largest correlation first, then the largest among the others.
#' @param direction `"x"`: every column of `x` is matched with its best partner in `y`; `"y"`: the
#'   other way round; `"both"`: the mean of the two.
#' @param ... not used.
#' @return One number in \[-1, 1\]; 1 when every matched column is a positive multiple of its
#'   partner (up to an offset).
#' @details
#' Correlations are over stimuli, with their signs. One to one, every column of the narrower side is
#' matched; other columns of the wider side do not count.
#'
#' Reordering the columns, and adding an offset to a column or multiplying it by a positive factor,
#' leave the scores as they are. Rotation changes them: they ask whether single neurons correspond.
#' A constant column is an error.
#'
#' When not to trust it: with few stimuli, the best of many chance correlations is far above 0, the
#' more so the more neurons there are.
#' @references Li et al. (2015), NIPS workshop on feature extraction. Jonker and Volgenant (1987),
#'   Computing 38.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(300), 30)
#' y <- x[, 10:1] + rnorm(300)
#' hard_correlation_match(x, y)
#' soft_correlation_match(x, cbind(y, y), direction = "x")
#' @seealso [soft_matching()]
#' @export
hard_correlation_match <- function(x, y, matching = c("optimal", "greedy"),
                                   na = c("error", "stimuli", "neurons"), ...) {
  one_score("hard_correlation_match", x, y, list(matching = matching), na)
}

# The matched neurons of x and y, a pair a row.
hard_match <- function(pair, args) {
  correlation <- pair_correlation(pair)
  matched <- if (args$matching == "optimal") optimal_match(correlation)
             else greedy_match(correlation)
  rows <- which(matched > 0)
  cbind(rows, matched[rows], deparse.level = 0)
}

# Rounding can take a mean correlation slightly outside [-1, 1].
mean_correlation <- function(values) max(-1, min(1, mean(values)))

declare_measure(
  id = "hard_correlation_match", label = "Hard correlation match", family = "alignment",
  resi = "HardCorr", direction = "similarity", range = c(-1, 1), best = 1, symmetric = TRUE,
  metric = FALSE, pairing = TRUE, invariant = c("scaling", "translation", "column permutation"),
  reference = "Li et al. 2015", check = check_parameters(matching = c("optimal", "greedy")),
  form = "columns", prepare = function(repr, args, side) form_columns(repr),
  statistic = function(pair, x, y, args) {
    mean_correlation(pair_correlation(pair)[hard_match(pair, args)])
  },
  needs_data = FALSE,
  errors = function(args) influence_errors(function(pair, args, codes) {
    matched <- hard_match(pair, args)
    match_influence(pair, matched[, 1], matched[, 2], rep(1 / nrow(matched), nrow(matched)))
  }),
  held = hard_holdout
)

#' @rdname hard_correlation_match
#' @export
soft_correlation_match <- function(x, y, direction = c("both", "x", "y"),
                                   na = c("error", "stimuli", "neurons"), ...) {
  one_score("soft_correlation_match", x, y, list(direction = direction), na)
}

declare_measure(
  id = "soft_correlation_match", label = "Soft correlation match", family = "alignment",
  resi = "SoftCorr", direction = "similarity", range = c(-1, 1), best = 1, metric = FALSE,
  symmetric = function(args) args$direction == "both", pairing = TRUE,
  invariant = c("scaling", "translation", "column permutation"), reference = "Li et al. 2015",
  check = check_parameters(direction = c("both", "x", "y")), form = "columns",
  prepare = function(repr, args, side) form_columns(repr),
  statistic = function(pair, x, y, args) {
    best <- .Call(C_side_maxima, pair_correlation(pair))
    means <- c(x = mean(best$rows), y = mean(best$columns))
    mean_correlation(if (args$direction == "both") means else means[[args$direction]])
  },
  needs_data = FALSE,
  errors = function(args) influence_errors(function(pair, args, codes) {
    correlation <- pair_correlation(pair)
    size <- dim(correlation)
    of_x <- match_influence(pair, seq_len(size[1]), max.col(correlation, "first"),
                            rep(1 / size[1], size[1]))
    of_y <- match_influence(pair, max.col(t(correlation), "first"), seq_len(size[2]),
                            rep(1 / size[2], size[2]))
    switch(args$direction, both = (of_x + of_y) / 2, x = of_x, y = of_y,
           no_branch(args$direction))
  })
)

# ---- matched neurons

# Which neurons a soft matching matches.

#' Which neurons are matched
#'
#' The pairs of neurons of a soft matching by correlation, with how they correlate on stimuli that
#' did not choose them.
#'
#' @param x,y see [cka()].
#' @param mass the share of both populations that is matched; `NULL` matches all.
#' @param ... not used.
#' @return A data frame with a row for each pair of neurons that is matched: `x` and `y` (names of
#'   the columns, or their numbers); `weight` (these add up to `mass`); `correlation`, over all
#'   stimuli; `correlation_test`, on stimuli that did not choose the pair; and `mass_entered`, the
#'   mass above which the pair first has weight.
#' @details
#' The plan is that of [soft_matching_correlation()], from all stimuli, so that `correlation` is too
#' high. `correlation_test` is from five random folds of the stimuli (clusters of [responses()] stay
#' whole): the mean over the folds in which the others match the pair; `NA` where none does, or
#' where a neuron is constant.
#' @references Khosla and Williams (2024), Proceedings of Machine Learning Research 243.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(600), 60)
#' y <- x[, c(1:10, 1:5)] + 0.5 * rnorm(900)
#' # the best half
#' matched_neurons(x, y, mass = 0.5)
#' @export
matched_neurons <- function(x, y, mass = NULL, ...) {
  need_arguments()
  mass <- if (is.null(mass)) 1 else check_mass(mass)
  set <- list(measure("soft_matching_correlation", mass = mass))
  call <- open_call(x, y, using_clusters(set), use = "errors", why = "a test")
  refuse_if(nrow(call$pairs) != 1 || call$sides$self, "type", "`x` and `y` must be one ",
            "representation each, not lists of several.")
  pair <- side_pair(call$sides, 1, 1)
  error <- refusal_of_pair(call$set[[1]], pair)
  if (!is.null(error)) stop(error)
  run <- run_of_correlations(pair)
  plan <- plan_of_run(run, mass)
  at <- cbind(plan$x, plan$y)
  name <- function(repr, at) {
    names <- colnames(repr$data)
    if (is.null(names)) at else names[at]
  }
  # The mean correlation on the stimuli of those folds in whose plan, from the other stimuli, a pair
  # is. Too few stimuli for folds leave it unknown.
  tested <- rep(NA_real_, length(plan$x))
  if (units_of(call$n, call$clusters) >= 5 && call$n >= 10) {
    each <- vapply(test_folds(5, call)$test, function(fold) {
      test <- seq_len(call$n) %in% fold
      fitted <- tryCatch({
        train <- pair_of(cut_for_subset(pair$x, !test), cut_for_subset(pair$y, !test))
        plan_of_run(run_of_correlations(train), mass)
      }, repalign_error_variance = function(e) NULL)
      if (is.null(fitted)) return(tested)
      is_there <- paste(plan$x, plan$y) %in% paste(fitted$x, fitted$y)
      replace(column_correlations(pair$x$data[test, plan$x, drop = FALSE],
                                  pair$y$data[test, plan$y, drop = FALSE]), !is_there, NA)
    }, tested)
    tested <- rowMeans(matrix(each, length(plan$x)), na.rm = TRUE)
    tested[is.nan(tested)] <- NA
  }
  # The mass that was there before the first step that gives weight to a pair.
  given <- run$sign > 0
  first <- match(paste(at[, 1], at[, 2]), paste(run$row, run$column)[given])
  before <- cumsum(run$units) - run$units
  data.frame(x = name(pair$x, plan$x), y = name(pair$y, plan$y), weight = plan$weight,
             correlation = pair_correlation(pair)[at],
             correlation_test = tested,
             mass_entered = before[run$step[given][first]] / run$total)
}

run_of_correlations <- function(pair) {
  neuron_run(pair, "correlation", function() 1 - pair_correlation(pair))
}
