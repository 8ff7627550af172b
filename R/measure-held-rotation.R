# How measures that rotate score the rotation on stimuli that were not used to fit it.

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
