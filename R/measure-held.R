# How measures that rotate, and those that match neurons, are scored on stimuli that were not used
# to fit them.

#' How an alignment is scored on other stimuli
#'
#' A measure that aligns neurons declares `held`: NULL, or a function(args) that gives what
#' new_holdout() makes.
#'
#' @param fit function(train, test, args): what is made of one side of a fold. train: what
#'   represents its training stimuli; test: the rows of data of the others. Its parts `train` and
#'   `test` are matrices with a row for each training and test stimulus, and a permutation of the
#'   stimuli within folds moves these rows and nothing else
#' @param score function(x, y, args): the score on the test stimuli, of the fits of both sides
#' @param least how many stimuli a fold must test
#' @param center do scores stay as they are if the columns are rotated (after centring, if TRUE)?
#'   NULL: no
#' @return a list of the arguments.
#' @noRd
new_holdout <- function(fit, score, least = 1, center = NULL) {
  list(fit = fit, score = score, least = least, center = center)
}

# Measures that rotate: shape_distance() with these arguments.
rotation_holdout <- function(args) {
  all <- list(alpha = 1, whitening = "power", method = "euclidean", center = TRUE, scale = TRUE)
  settings <- utils::modifyList(all, args)
  fold <- if (whitens_sides(settings)) whitened_fold else plain_fold
  new_holdout(
    fit = function(train, test, args) fold(train, test, settings),
    score = function(x, y, args) rotated_score(x, y, settings), center = settings$center
  )
}

# The scaled data of a fold, as whitened_fold() gives the whitened ones.
plain_fold <- function(train, test, args) {
  unit <- form_scaling(train, args$center)
  data <- scaled_data(train, args$center)
  rows <- sweep(test, 2, unit$means) * unit$scale
  list(train = data, test = rows, beyond = numeric(nrow(test)), norm = frobenius(rows),
       size = frobenius(data), scale = unit$scale)
}

# The whitened training data up to a rotation, and the test rows in the same coordinates: their
# directions are weighted by what the training rows gave them. `beyond` is the squared norm of each
# test row outside of these, with the weight of directions of no variance in training; `norm` and
# `size` are the norms of all test rows and of the training rows.
whitened_fold <- function(train, test, args) {
  unit <- form_scaling(train, args$center)
  data <- scaled_data(train, args$center)
  rows <- sweep(test, 2, unit$means) * unit$scale
  parts <- singular_vectors(data)
  known <- parts$d > 1e-10 * parts$d[1]
  s <- parts$d[known]
  v <- parts$v[, known, drop = FALSE]
  form <- list(s = s, norm = sqrt(sum(s^2)), scale = unit$scale)
  w <- shape_weights(form, args)
  inside <- rows %*% v
  turned <- sweep(inside, 2, w / s, "*")
  outside <- weight_outside(form, args)
  beyond <- numeric(nrow(test))
  if (outside > 0 && ncol(v) < nrow(v)) {
    beyond <- outside^2 * rowSums((rows - tcrossprod(inside, v))^2)
  }
  list(train = sweep(parts$u[, known, drop = FALSE], 2, w, "*"), test = turned,
       beyond = beyond, norm = sqrt(sum(turned^2) + sum(beyond)), size = form$norm,
       scale = unit$scale)
}

# w / s of directions whose singular value is 0, as the limit of whitening by a pseudo-inverse.
weight_outside <- function(form, args) {
  if (args$alpha == 1) return(1)
  if (args$whitening == "power") return(0)
  raw <- args$alpha * form$s + (1 - args$alpha) * form$scale
  args$alpha * form$norm / sqrt(sum(raw^2))
}

# The rotations are those of the training stimuli; where these determine none, it counts as 0.
rotated_score <- function(x, y, args) {
  parts <- singular_vectors(crossprod(x$train, y$train))
  k <- sum(parts$d > 1e-10 * parts$d[1])
  if (parts$d[1] == 0) k <- 0
  at <- seq_len(k)
  relative <- is_relative(args)
  if (max(x$norm, y$norm) == Inf) return(Inf)
  if (relative && (x$norm == 0 || y$norm == 0)) return(NA_real_)
  units <- common_units(x, y, relative)
  distance <- residual_size(turned_rows(x, parts$u[, at, drop = FALSE], units$x),
                            turned_rows(y, parts$v[, at, drop = FALSE], units$y))
  if (!relative) return(distance / units$scale)
  if (args$method == "angular") 2 * asin(min(distance / 2, 1)) else distance
}

# Near 0 the distance is made of residuals, because a difference of squares loses its digits. a, b:
# what turned_rows() gives.
residual_size <- function(a, b) {
  squares <- a$square + b$square
  rest <- squares - 2 * sum(a$rows * b$rows)
  if (rest > cancelled_share * squares) sqrt(rest)
  else sqrt(sum((a$rows - b$rows)^2) + a$beyond + b$beyond)
}

# Test rows in the directions of a rotation, and the squares of these and of what it does not reach.
turned_rows <- function(side, directions, unit) {
  rows <- side$test %*% directions
  missed <- if (ncol(directions) < ncol(side$test)) {
    sum((side$test - tcrossprod(rows, directions))^2)
  } else 0
  list(rows = unit * rows, square = (unit * side$norm)^2,
       beyond = unit^2 * (sum(side$beyond) + missed))
}

# ---- matches of neurons

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
