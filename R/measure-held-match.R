# How measures that match neurons score the matches on stimuli that were not used to find them.

# plan: a function(x, y, args) that gives the plan of training data,
# list(x, y, weight) with weights that add up to 1, of fits; value: a function(x, y, plan, args) of
# the same.
matching_holdout <- function(plan, value, center, least) {
  new_holdout(
    fit = function(train, test, args) {
      scale <- form_scaling(train, center(args))$scale
      test <- test * scale
      list(train = scaled_data(train, center(args)),
           test = if (center(args)) centred(test) else test, scale = scale, arg = train$arg)
    },
    score = function(x, y, args) value(x, y, plan(x, y, args), args), least = least
  )
}

centred <- function(x) sweep(x, 2, colMeans(x))

# Of a match of each row with one column, or with none (0).
one_to_one <- function(matched) {
  rows <- which(matched > 0)
  list(x = rows, y = matched[rows], weight = rep(1 / length(rows), length(rows)))
}

shared_match <- function(costs, gains, mass) {
  if (mass == 1 && nrow(gains) == ncol(gains)) return(one_to_one(optimal_match(gains)))
  plan <- plan_of_run(transport_run(costs), mass)
  plan$weight <- plan$weight / mass
  plan
}

# Training columns with norm 1.
unit_columns <- function(fit) {
  size <- sqrt(colSums(fit$train^2))
  if (all(size > 0)) return(sweep(fit$train, 2, size, "/"))
  refuse("variance", "`{fit$arg}` has columns that are constant over the training stimuli of a ",
         "fold, first column {which(size == 0)[1]}. Remove them, or use fewer folds.")
}

training_correlation <- function(x, y) {
  crossprod(unit_columns(x), unit_columns(y))
}

# Neurons that are constant over the test stimuli have no correlation there, and do not count.
tested_correlation <- function(x, y, plan, args) {
  r <- column_correlations(x$test[, plan$x, drop = FALSE], y$test[, plan$y, drop = FALSE])
  known <- !is.na(r)
  if (!any(known)) return(NA_real_)
  sum((plan$weight * r)[known]) / sum(plan$weight[known])
}

# The correlation of each column with the same column of the other matrix; NA for constant ones.
column_correlations <- function(a, b) {
  a <- centred(moderate_columns(a))
  b <- centred(moderate_columns(b))
  size <- sqrt(colSums(a^2)) * sqrt(colSums(b^2))
  ifelse(size > 0, colSums(a * b) / size, NA_real_)
}

# Each column divided by a power of two near its largest value, so that no square overflows or
# vanishes.
moderate_columns <- function(x) {
  largest <- apply(abs(x), 2, max)
  sweep(x, 2, 2^floor(log2(ifelse(largest > 0, largest, 1))), "/")
}

correlation_holdout <- function(plan) {
  matching_holdout(plan, tested_correlation, center = function(args) TRUE, least = 3)
}

hard_holdout <- function(args) {
  correlation_holdout(function(x, y, args) {
    gains <- training_correlation(x, y)
    one_to_one(if (args$matching == "optimal") optimal_match(gains) else greedy_match(gains))
  })
}

soft_correlation_holdout <- function(args) {
  correlation_holdout(function(x, y, args) {
    gains <- training_correlation(x, y)
    shared_match(1 - gains, gains, args$mass)
  })
}

# The test rows of both sides in common units (or with `scale` of size 1), and the scale of these
# units; NULL where the rows of a side do not vary. size: a function of test rows.
tested_sides <- function(x, y, args, size) {
  units <- if (args$scale) {
    common_units(list(norm = size(x$test)), list(norm = size(y$test)), TRUE)
  } else common_units(x, y, FALSE)
  if (!all(is.finite(c(units$x, units$y)))) return(NULL)
  list(x = x$test * units$x, y = y$test * units$y, scale = units$scale)
}

soft_distance_holdout <- function(args) {
  matching_holdout(
    plan = function(x, y, args) {
      neurons <- lapply(list(x = x, y = y), function(side) {
        squares <- colSums(side$train^2)
        list(squares = squares, norm = sqrt(mean(squares)), scale = side$scale)
      })
      gains <- crossprod(x$train, y$train)
      units <- common_units(neurons$x, neurons$y, args$scale)
      shared_match(neuron_costs(neurons$x, neurons$y, units, gains), gains, args$mass)
    },
    value = function(x, y, plan, args) {
      sides <- tested_sides(x, y, args, function(test) sqrt(mean(colSums(test^2))))
      if (is.null(sides)) return(NA_real_)
      apart <- sides$x[, plan$x, drop = FALSE] - sides$y[, plan$y, drop = FALSE]
      sqrt(sum(plan$weight * colSums(apart^2))) / sides$scale
    },
    center = function(args) args$center, least = if (args$center) 2 else 1
  )
}

# Neurons of the wider side without a partner count by their own norm.
permutation_holdout <- function(args) {
  matching_holdout(
    plan = function(x, y, args) one_to_one(optimal_match(crossprod(x$train, y$train))),
    value = function(x, y, plan, args) {
      sides <- tested_sides(x, y, args, frobenius)
      if (is.null(sides)) return(NA_real_)
      matched <- sum((sides$x[, plan$x, drop = FALSE] - sides$y[, plan$y, drop = FALSE])^2)
      alone <- sum(sides$x[, -plan$x, drop = FALSE]^2) + sum(sides$y[, -plan$y, drop = FALSE]^2)
      sqrt(matched + alone) / sides$scale
    },
    center = function(args) args$center, least = if (args$center) 2 else 1
  )
}
