# The models of encode(): what is fitted to the stimuli of one fold predicts the others.

# ---- layers

# A layer is what encode() predicts from: list(x, unit), where x are the centred data divided by
# `unit`, a power of two, so that no product overflows. Predictions depend on the inner products of
# the rows alone: wide data are rotated, so that they have as many columns as there are stimuli.
# Where columns are standardised, they count one by one, and stay.
encoding_layer <- function(x, standardize) {
  x <- matrix(as.vector(x), nrow(x))
  x <- x - rep(colMeans(x), each = nrow(x))
  unit <- unit_of(x)
  x <- x / unit
  if (standardize || ncol(x) <= nrow(x)) return(list(x = x, unit = unit))
  found <- .Call(C_svd, x)
  kept <- found$d > rank_share * found$d[1]
  list(x = found$u[, kept, drop = FALSE] * rep(found$d[kept], each = nrow(x)), unit = unit,
       columns = ncol(x))
}

# A power of two near the largest value.
unit_of <- function(x) 2^floor(log2(max(abs(x))))

# Singular values below this share of the largest one are rounding.
rank_share <- 1e-10

# The penalties to choose from, rising, in the units of the user and of the layer. By default they
# grow with the variance of the layer, so that its units do not matter.
layer_penalties <- function(layer, settings, arg) {
  if (settings$method == "linear") return(list(given = 0, own = 0))
  if (!is.null(settings$components)) return(list(given = NA_real_, own = NA_real_))
  unit <- if (settings$standardize) 1 else layer$unit
  if (!is.null(settings$lambda)) {
    return(list(given = settings$lambda, own = pmin(settings$lambda / unit / unit, endless)))
  }
  x <- layer$x
  if (settings$standardize) x <- x / rep(column_sds(x), each = nrow(x))
  columns <- if (is.null(layer$columns)) ncol(x) else layer$columns
  own <- 10^(-4:4) * sum(x^2) / min(nrow(x) - 1, columns)
  given <- own * unit * unit
  refuse_if(any(own > 0 & (given == 0 | given == Inf)), "value", "`{arg}` has values too large or ",
            "too small for a penalty in their units: rescale it, or use standardize = TRUE.")
  list(given = given, own = own)
}

# A penalty that leaves nothing of any prediction, and with which quotients still have values.
endless <- 1e200

# Standard deviations of columns that have a mean of 0; 1 of a column that does not vary.
column_sds <- function(x, largest = apply(abs(x), 2, max)) {
  sd <- sqrt(colSums(x^2) / (nrow(x) - 1))
  sd[sd <= tie_share * largest] <- 1
  sd
}

# ---- one training set

# The training rows in the basis of their singular vectors: list(u, s, b), with b the coordinates of
# the test rows.
fold_basis <- function(x, train, test, standardize = FALSE) {
  a <- x[train, , drop = FALSE]
  mean <- colMeans(a)
  a <- a - rep(mean, each = nrow(a))
  b <- x[test, , drop = FALSE] - rep(mean, each = length(test))
  if (standardize) {
    sd <- column_sds(a, apply(abs(x), 2, max))
    a <- a / rep(sd, each = nrow(a))
    b <- b / rep(sd, each = nrow(b))
  }
  found <- .Call(C_svd, a)
  kept <- which(found$d > rank_share * max(found$d[1], 0))
  list(u = found$u[, kept, drop = FALSE], s = found$d[kept],
       b = b %*% found$v[, kept, drop = FALSE])
}

# By what the coordinates of the response are multiplied.
shrunk <- function(s, lambda) s / (s^2 + lambda)

# The first of the smallest errors: of each column, or of each target. errors: penalties x columns.
chosen_penalties <- function(errors, of, per_neuron) {
  if (per_neuron) return(apply(errors, 2, which.min))
  apply(rowsum(t(errors), of), 1, which.min)[match(of, sort(unique(of)))]
}

# ---- rows that are left out

# Residuals of rows that are left out, for any penalty, follow from one decomposition of all rows:
# with M = I - 1/n - U diag(s^2/(s^2 + lambda)) U', those of a block F are M_FF^-1 (M y)_F.

# What all penalties share. Where the singular vectors span all that has a mean of 0 (full), M is
# divided by lambda: nothing is then subtracted, and lambda may be 0.
left_out_parts <- function(basis, y) {
  n <- nrow(basis$u)
  full <- ncol(basis$u) == n - 1
  cross <- crossprod(basis$u, y)
  list(basis = basis, y = y, cross = cross, n = n, full = full, squares = basis$u^2,
       rest = if (!full) y - basis$u %*% cross,
       room = if (!full) 1 - 1 / n - rowSums(basis$u^2))
}

# The weights of the singular vectors in M.
left_out_weights <- function(parts, lambda) {
  (if (parts$full) 1 else lambda) / (parts$basis$s^2 + lambda)
}

# Summed squared errors of the rows that are left out one at a time, or block by block: penalties x
# columns of y.
inner_errors <- function(basis, y, penalties, blocks = NULL) {
  parts <- left_out_parts(basis, y)
  errors <- vapply(penalties, function(lambda) {
    weights <- left_out_weights(parts, lambda)
    residuals <- annihilated(parts, weights)
    for (at in blocks) {
      residuals[at, ] <- block_residuals(parts, weights, residuals[at, , drop = FALSE], at, lambda)
    }
    if (is.null(blocks)) {
      own <- diagonal_of_m(parts, weights)
      residuals <- residuals / own
      for (i in if (!parts$full) which(own < least_room)) {
        residuals[i, ] <- refitted_residuals(parts, i, lambda)
      }
    }
    colSums(residuals^2)
  }, numeric(ncol(y)))
  t(matrix(errors, ncol = length(penalties)))
}

# My, from which the residuals follow.
annihilated <- function(parts, weights) {
  fitted <- parts$basis$u %*% (weights * parts$cross)
  if (parts$full) fitted else fitted + parts$rest
}

diagonal_of_m <- function(parts, weights) {
  own <- drop(parts$squares %*% weights)
  if (parts$full) own else own + parts$room
}

# Those of one block. What has next to no room beside its own prediction is fitted anew.
block_residuals <- function(parts, weights, annihilated, at, lambda) {
  solved <- solve_surely(block_of_m(parts, weights, at, at), annihilated)
  if (is.null(solved)) refitted_residuals(parts, at, lambda) else solved
}

# Some rows and columns of M.
block_of_m <- function(parts, weights, rows, columns) {
  u <- parts$basis$u
  left <- u[rows, , drop = FALSE]
  right <- if (identical(rows, columns)) left else u[columns, , drop = FALSE]
  if (parts$full) return(tcrossprod(left * rep(weights, each = length(rows)), right))
  m <- tcrossprod(left * rep(weights - 1, each = length(rows)), right) - 1 / parts$n
  at <- match(rows, columns)
  m[cbind(seq_along(rows), at)] <- m[cbind(seq_along(rows), at)] + 1
  m
}

# With less room (1 - h) than that, what is divided by it has lost too many digits.
least_room <- 1e-6

# NULL where the matrix is nearly singular.
solve_surely <- function(m, values) {
  catch_error(solve.default(m, values, tol = least_room), failed = function(e) NULL)
}

refitted_residuals <- function(parts, at, lambda) {
  inner <- basis_without(parts$basis, at)
  y <- parts$y
  mean <- colMeans(y[inner$train, , drop = FALSE])
  yc <- y[inner$train, , drop = FALSE] - rep(mean, each = length(inner$train))
  y[at, , drop = FALSE] - rep(mean, each = length(at)) -
    inner$b %*% (shrunk(inner$s, lambda) * crossprod(inner$u, yc))
}

basis_without <- function(basis, at) {
  train <- seq_len(nrow(basis$u))[-at]
  c(fold_basis(basis$u * rep(basis$s, each = nrow(basis$u)), train, at), list(train = train))
}

# ---- all folds of a layer

# Predictions of a layer for all targets side by side: list(values, chosen): for each fold the
# predictions of its test rows, and the numbers of the penalties (folds x columns). y: centred; of:
# the target of each column; codes: of clusters, or NULL.
predict_layer <- function(layer, y, of, folds, penalties, settings, codes, advance) {
  n <- nrow(y)
  # Where penalties are chosen, too, one decomposition takes less time than one for each fold only
  # if stimuli are left out one at a time.
  together <- length(penalties) == 1 || is.null(codes) && all(lengths(folds$test) == 1)
  if (together && !settings$standardize && is.null(settings$components)) {
    return(predict_by_blocks(layer, y, of, folds, penalties, settings, advance))
  }
  found <- lapply(seq_along(folds$test), function(k) {
    train <- train_of(folds, k, n)
    on.exit(advance())
    predict_rows(layer, y, of, train, folds$test[[k]], penalties, settings, codes)
  })
  list(values = lapply(found, function(fold) fold$values),
       chosen = do.call(rbind, lapply(found, function(fold) fold$chosen)))
}

# The same of one fold. `chosen` has the number of the penalty of each column.
predict_rows <- function(layer, y, of, train, test, penalties, settings, codes) {
  mean <- colMeans(y[train, , drop = FALSE])
  yc <- y[train, , drop = FALSE] - rep(mean, each = length(train))
  sd <- if (settings$standardize) column_sds(yc, apply(abs(y), 2, max)) else rep(1, ncol(y))
  if (settings$standardize) yc <- yc / rep(sd, each = nrow(yc))
  basis <- fold_basis(layer$x, train, test, settings$standardize)
  chosen <- rep(1L, ncol(y))
  values <- matrix(0, length(test), ncol(y))
  if (!is.null(settings$components)) {
    rank <- length(basis$s)
    refuse_if(settings$components > rank, "value", "`components` is {settings$components}, but a ",
              "training set of {length(train)} stimuli has rank {rank}: use at most as many ",
              "components as the smallest rank of the training sets.")
  }
  if (settings$method == "pls") {
    # each target has directions of its own, of which those of a rotated layer are the same
    cross <- crossprod(basis$u, yc)
    for (target in unique(of)) {
      at <- which(of == target)
      values[, at] <- basis$b %*%
        pls_weights(basis$s, cross[, at, drop = FALSE], settings$components)
    }
  } else if (settings$method == "pcr") {
    # least squares on the leading components
    at <- seq_len(settings$components)
    values <- basis$b[, at, drop = FALSE] %*%
      (crossprod(basis$u[, at, drop = FALSE], yc) / basis$s[at])
  } else {
    if (length(penalties) > 1) {
      blocks <- if (!is.null(codes)) unname(split(seq_along(train), codes[train]))
      errors <- inner_errors(basis, yc, penalties, blocks)
      chosen <- chosen_penalties(errors, of, settings$per_neuron)
    }
    cross <- crossprod(basis$u, yc)
    for (l in unique(chosen)) {
      at <- which(chosen == l)
      values[, at] <- basis$b %*% (shrunk(basis$s, penalties[l]) * cross[, at, drop = FALSE])
    }
  }
  each <- nrow(values)
  list(values = values * rep(sd, each = each) + rep(mean, each = each), chosen = chosen)
}

# ---- all folds from one decomposition

# One decomposition of all rows serves all folds, because what a fold leaves out is a block of rows,
# and what it leaves out to choose a penalty a larger one.
predict_by_blocks <- function(layer, y, of, folds, penalties, settings, advance) {
  parts <- left_out_parts(fold_basis(layer$x, seq_len(nrow(y)), integer()), y)
  chosen <- matrix(1L, length(folds$test), ncol(y))
  if (length(penalties) > 1) {
    errors <- errors_beside_folds(parts, folds, penalties)
    for (k in seq_along(errors)) {
      chosen[k, ] <- chosen_penalties(errors[[k]], of, settings$per_neuron)
    }
  }
  values <- lapply(folds$test, function(test) matrix(0, length(test), ncol(y)))
  for (l in unique(as.vector(chosen))) {
    weights <- left_out_weights(parts, penalties[l])
    my <- annihilated(parts, weights)
    for (k in which(rowSums(chosen == l) > 0)) {
      test <- folds$test[[k]]
      at <- which(chosen[k, ] == l)
      own <- replace(parts, "y", list(y[, at, drop = FALSE]))
      values[[k]][, at] <- y[test, at, drop = FALSE] -
        block_residuals(own, weights, my[test, at, drop = FALSE], test, penalties[l])
    }
  }
  for (k in seq_along(values)) advance()
  list(values = values, chosen = chosen)
}

# The inner errors of each fold of a single stimulus: penalties x columns of y. Each other row is
# left out together with the test row, and both are fitted anew where they have too little room.
errors_beside_folds <- function(parts, folds, penalties) {
  errors <- lapply(folds$test, function(test) matrix(0, length(penalties), ncol(parts$y)))
  for (l in seq_along(penalties)) {
    weights <- left_out_weights(parts, penalties[l])
    my <- annihilated(parts, weights)
    own <- diagonal_of_m(parts, weights)
    least <- least_room * if (parts$full) own else rep(1, parts$n)
    for (k in seq_along(errors)) {
      i <- folds$test[[k]]
      m <- drop(block_of_m(parts, weights, i, seq_len(parts$n)))
      room <- own - m^2 / m[i]
      errors[[k]][l, ] <- if (m[i] > least[i] && all((room >= least)[-i])) {
        colSums(((my - tcrossprod(m, my[i, ] / m[i])) / room)[-i, , drop = FALSE]^2)
      } else {
        y <- parts$y[-i, , drop = FALSE]
        inner_errors(basis_without(parts$basis, i), y - rep(colMeans(y), each = nrow(y)),
                     penalties[l])
      }
    }
  }
  errors
}

# ---- partial least squares

# Regression weights by as many components (NIPALS, both sides deflated), for training rows
# u diag(s) and cross = u'y. Scores of components are u times `scores`, and all else follows from
# cross. A direction is the leading singular vector of what both sides still share, never found by
# power iterations, which may not converge.
pls_weights <- function(s, cross, components) {
  shared <- s * cross
  first <- sqrt(sum(shared^2))
  directions <- loadings <- scores <- matrix(0, length(s), 0)
  effects <- matrix(0, ncol(cross), 0)
  for (k in seq_len(components)) {
    size <- sqrt(sum(shared^2))
    # nothing is left to be predicted
    if (size <= tie_share * first || size == 0) break
    scaled <- shared / size
    # by the smaller of the two products with itself
    if (nrow(scaled) <= ncol(scaled)) w <- .Call(C_leading_vector, tcrossprod(scaled)) else {
      w <- drop(scaled %*% .Call(C_leading_vector, crossprod(scaled)))
      w <- w / sqrt(sum(w^2))
    }
    t <- s * w
    # twice, because once leaves rounding
    for (pass in 1:2) t <- t - drop(scores %*% crossprod(scores, t))
    length <- sqrt(sum(t^2))
    t <- t / length
    directions <- cbind(directions, w / length)
    loadings <- cbind(loadings, s * t)
    effects <- cbind(effects, drop(crossprod(cross, t)))
    scores <- cbind(scores, t)
    shared <- shared - tcrossprod(loadings[, k], effects[, k])
  }
  if (ncol(scores) == 0) return(matrix(0, length(s), ncol(cross)))
  directions %*% solve(crossprod(loadings, directions), t(effects))
}
