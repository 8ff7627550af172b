# The models of encode(): what is fitted to the stimuli of one fold predicts the others.

# ---- models

# What encode() predicts from is a model of one or more feature spaces, of which one alone is a
# special case. Every candidate for its penalties belongs to a direction, the ratio of the penalties
# of its spaces: ridge regression on the spaces side by side, each divided by the root of its ratio,
# with one penalty. So all that is known of one penalty serves for several spaces. A list:
#
# spaces      of each space the centred data `z` divided by `unit`, a power of two, so that no
#             product overflows, and its variance in a direction, `size`
# ratios      of the directions: directions x spaces, Inf where a space is left out
# layer       a function of the number of a direction: its data side by side (direction_layer())
# direction, penalty  of each candidate
# given       its penalties in the units of the user, candidates x spaces
# at_end      is it at an end of the grid?
# sets        for each set of spaces that was asked for the numbers of its candidates
#
# data: a list of matrices; arg: what messages call them; sets: a list of numbers of spaces.
encoding_model <- function(data, settings, arg, sets = list(seq_along(data))) {
  spaces <- lapply(data, encoding_space, settings)
  tables <- lapply(sets, candidate_penalties, spaces, settings)
  all <- do.call(rbind, tables)
  key <- row_identities(as.data.frame(all), seq_len(ncol(all)))
  first <- !duplicated(key)
  before <- c(0, cumsum(vapply(tables, nrow, 0L)))
  sets <- lapply(seq_along(tables), function(k) {
    match(key[before[k] + seq_len(nrow(tables[[k]]))], key[first])
  })
  all <- all[first, , drop = FALSE]
  at <- seq_along(data)
  ratios <- all[, at, drop = FALSE]
  key <- row_identities(as.data.frame(ratios), at)
  model <- list(spaces = spaces, ratios = ratios[!duplicated(key), , drop = FALSE],
                direction = match(key, unique(key)), penalty = all[, length(at) + 1],
                given = all[, length(at) + 1 + at, drop = FALSE], at_end = all[, ncol(all)] == 1,
                sets = sets)
  n <- nrow(data[[1]])
  wide <- sum(vapply(spaces, function(space) ncol(space$z), 0L))
  check_memory(8 * as.double(nrow(model$ratios)) * n * if (settings$standardize) wide else
    min(n, wide), "All directions of the penalties", "Fewer spaces or penalties need less.")
  refuse_if(is.null(settings$lambda) && settings$method == "ridge" &&
              any(is.finite(model$ratios[model$direction, ]) & model$given %in% c(0, Inf)), "value",
            "`{arg}` has values too large or too small for a penalty in their units: rescale it, ",
            "or use standardize = TRUE.")
  model$layer <- remembered(function(d) direction_layer(d, model, settings))
  model
}

# A function of a number that computes each value once.
remembered <- function(f) {
  known <- list()
  function(d) {
    key <- as.character(d)
    if (is.null(known[[key]])) known[[key]] <<- f(d)
    known[[key]]
  }
}

encoding_space <- function(x, settings) {
  x <- .Call(C_center, x, colMeans(x), 1)
  unit <- unit_of(x)
  x <- x / unit
  scaled <- if (settings$standardize) x / rep(column_sds(x), each = nrow(x)) else x
  size <- .Call(C_dot, scaled, scaled) / min(nrow(x) - 1, ncol(x))
  list(z = x, unit = unit, size = size)
}

# Predictions depend on the inner products of the rows alone: wide data are rotated, so that they
# have as many columns as there are stimuli.
rotated <- function(x) {
  if (ncol(x) <= nrow(x)) x else .Call(C_row_factor, x, numeric(ncol(x)), 1)
}

# The data of one direction side by side; weights: of columns that are standardised first, so that
# they count one by one.
direction_layer <- function(d, model, settings) {
  used <- which(is.finite(model$ratios[d, ]))
  weights <- 1 / sqrt(model$ratios[d, used])
  z <- lapply(model$spaces[used], function(space) space$z)
  if (!settings$standardize) {
    return(list(x = rotated(do.call(cbind, Map(`*`, z, weights)))))
  }
  list(x = do.call(cbind, z), weights = rep(weights, vapply(z, ncol, 0L)))
}

# A power of two near the largest value.
unit_of <- function(x) 2^floor(log2(max(x, -min(x))))

# Singular values below this share of the largest one are rounding.
rank_share <- 1e-10

# The candidates for the penalties of a set of spaces, a row each: the ratios of all spaces, the
# penalty, the penalties in the units of the user, and whether they are at an end of the grid. By
# default penalties grow with the variance of a space, so that its units do not matter.
candidate_penalties <- function(set, spaces, settings) {
  units <- if (settings$standardize) rep(1, length(spaces)) else
    vapply(spaces, function(space) space$unit, 0)
  count <- length(spaces)
  over <- function(values) {
    grid <- as.matrix(expand.grid(rep(list(values), length(set))))
    full <- matrix(Inf, nrow(grid), count)
    full[, set] <- grid
    full
  }
  lambda <- settings$lambda
  if (is.null(lambda)) {
    sizes <- vapply(spaces, function(space) space$size, 0)
    if (!is.null(settings$components) || settings$method == "linear") {
      # least squares on spaces of equal variance; one alone as it is
      ratios <- over(1)
      if (!settings$standardize && count > 1) ratios <- ratios * rep(sizes, each = nrow(ratios))
      none <- if (is.null(settings$components)) 0 else NA_real_
      return(cbind(ratios, none, ifelse(ratios < Inf, none, Inf), 0))
    }
    d <- over(if (length(set) > 1) c(0, 1, 3, Inf) else 0)
    d <- d[apply(d, 1, min) == 0, , drop = FALSE]
    at <- rep(seq_len(nrow(d)), each = length(default_scales))
    ratios <- rep(sizes, each = length(at)) * 10^d[at, , drop = FALSE]
    penalty <- rep(10^default_scales, nrow(d))
    given <- penalty * ratios * rep(units, each = length(at)) * rep(units, each = length(at))
    return(cbind(ratios, penalty, given, penalty %in% range(10^default_scales)))
  }
  given <- if (!is.matrix(lambda)) over(c(lambda, if (length(set) > 1) Inf)) else
    unique(replace(lambda, col(lambda) %in% setdiff(seq_len(count), set), Inf))
  given <- given[rowSums(is.finite(given)) > 0, , drop = FALSE]
  own <- pmin(given / rep(units, each = nrow(given)) / rep(units, each = nrow(given)),
              ifelse(given == Inf, Inf, endless))
  penalty <- apply(own, 1, min)
  ratios <- signif(own / ifelse(penalty > 0, penalty, 1), 12)
  ratios[penalty == 0, ] <- ifelse(own[penalty == 0, ] == 0, 1, Inf)
  ends <- if (!is.matrix(lambda) && length(lambda) > 1) range(lambda)
  cbind(ratios, penalty, given, rowSums(matrix(given %in% ends, nrow(given))) > 0)
}

# The exponents of ten of the default penalties.
default_scales <- c(-4, -3, seq(-2, 2, by = 0.5), 3, 4)

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
# the test rows. weights: of columns, NULL or after they are standardised.
fold_basis <- function(x, train, test, weights = NULL) {
  a <- x[train, , drop = FALSE]
  mean <- colMeans(a)
  a <- a - rep(mean, each = nrow(a))
  b <- x[test, , drop = FALSE] - rep(mean, each = length(test))
  if (!is.null(weights)) {
    weights <- weights / column_sds(a, apply(abs(x), 2, max))
    a <- a * rep(weights, each = nrow(a))
    b <- b * rep(weights, each = nrow(b))
  }
  found <- .Call(C_svd, a)
  kept <- which(found$d > rank_share * max(found$d[1], 0))
  list(u = found$u[, kept, drop = FALSE], s = found$d[kept],
       b = b %*% found$v[, kept, drop = FALSE])
}

# By what the coordinates of the response are multiplied.
shrunk <- function(s, lambda) s / (s^2 + lambda)

# For each set of candidates the first of those with the smallest error: of each column, or of each
# target. errors: candidates x columns.
chosen_penalties <- function(errors, of, sets, per_neuron) {
  if (!per_neuron) errors <- t(rowsum(t(errors), of))
  # equal but for rounding, as those of directions that leave out a space without effect
  first <- function(values) which(values <= min(values) * (1 + choice_share))[1]
  lapply(sets, function(set) {
    if (!length(set)) return(rep(NA_integer_, length(of)))
    chosen <- set[apply(errors[set, , drop = FALSE], 2, first)]
    if (per_neuron) chosen else chosen[match(of, sort(unique(of)))]
  })
}

choice_share <- 1e-9

# ---- rows that are left out

# Residuals of rows that are left out, for any penalty, follow from one decomposition of all rows:
# with M = I - 1/n - U diag(s^2/(s^2 + lambda)) U', those of a block F are M_FF^-1 (M y)_F.

# What all penalties share. Where the singular vectors span all that has a mean of 0 (full), M is
# divided by lambda: nothing is then subtracted, and lambda may be 0.
left_out_parts <- function(basis, y) {
  n <- nrow(basis$u)
  full <- ncol(basis$u) == n - 1
  cross <- crossprod(basis$u, y)
  list(basis = basis, y = y, cross = cross, n = n, full = full,
       rest = if (!full) y - basis$u %*% cross)
}

# The weights of the singular vectors in M.
left_out_weights <- function(parts, lambda) {
  (if (parts$full) 1 else lambda) / (parts$basis$s^2 + lambda)
}

# Summed squared errors of the rows that are left out one at a time, or block by block: penalties x
# columns of y.
inner_errors <- function(basis, y, penalties, blocks = NULL) {
  if (is.null(blocks)) {
    least <- if (ncol(basis$u) == nrow(basis$u) - 1) 0 else least_room
    found <- .Call(C_ridge_errors, basis$u, basis$s, y, penalties, least)
    errors <- found$errors
    lost <- which(found$own < least, arr.ind = TRUE)
    for (at in seq_len(nrow(lost))) {
      l <- lost[at, 2]
      errors[l, ] <- errors[l, ] +
        drop(refitted_residuals(list(basis = basis, y = y), lost[at, 1], penalties[l]))^2
    }
    return(errors)
  }
  parts <- left_out_parts(basis, y)
  errors <- vapply(penalties, function(lambda) {
    weights <- left_out_weights(parts, lambda)
    residuals <- annihilated(parts, weights)
    for (at in blocks) {
      residuals[at, ] <- block_residuals(parts, weights, residuals[at, , drop = FALSE], at, lambda)
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

# ---- all folds of a model

# Predictions of a model for all targets side by side: a list for each of its sets of spaces, list(
# values, chosen): for each fold the predictions of its test rows, and the numbers of the candidates
# (folds x columns). y: centred; of: the target of each column; codes: of clusters, or NULL.
predict_model <- function(model, y, of, folds, settings, codes, advance) {
  if (!settings$standardize && is.null(settings$components)) {
    if (suits_kernels(model, folds)) {
      return(predict_by_kernels(model, y, of, folds, settings, codes, advance))
    }
    if (!has_choices(model)) return(predict_by_blocks(model, y, folds, advance))
  }
  found <- lapply(seq_along(folds$test), function(k) {
    on.exit(advance())
    predict_rows(model, y, of, train_of(folds, k, nrow(y)), folds$test[[k]], settings, codes)
  })
  lapply(seq_along(model$sets), function(set) {
    list(values = lapply(found, function(fold) fold[[set]]$values),
         chosen = do.call(rbind, lapply(found, function(fold) fold[[set]]$chosen)))
  })
}

# The training rows of y: list(mean, sd, y), centred and in units of sd.
training_rows <- function(y, train, settings) {
  mean <- colMeans(y[train, , drop = FALSE])
  yc <- y[train, , drop = FALSE] - rep(mean, each = length(train))
  sd <- if (settings$standardize) column_sds(yc, apply(abs(y), 2, max)) else rep(1, ncol(y))
  list(mean = mean, sd = sd, y = if (settings$standardize) yc / rep(sd, each = nrow(yc)) else yc)
}

# The same of one fold: a list for each set. chosen: NULL, or a list of the candidates of columns.
predict_rows <- function(model, y, of, train, test, settings, codes = NULL, chosen = NULL) {
  known <- training_rows(y, train, settings)
  basis_of <- function(d) fold_basis(model$layer(d)$x, train, test, model$layer(d)$weights)
  directions <- seq_len(nrow(model$ratios))
  only <- if (length(directions) == 1) basis_of(1)
  if (is.null(chosen)) {
    errors <- matrix(0, length(model$penalty), ncol(y))
    blocks <- if (!is.null(codes)) unname(split(seq_along(train), codes[train]))
    for (d in if (any(lengths(model$sets) > 1)) directions) {
      at <- which(model$direction == d)
      errors[at, ] <- inner_errors(if (is.null(only)) basis_of(d) else only, known$y,
                                   model$penalty[at], blocks)
    }
    chosen <- chosen_penalties(errors, of, model$sets, settings$per_neuron)
  }
  values <- lapply(chosen, function(numbers) matrix(0, length(test), ncol(y)))
  for (d in setdiff(model$direction[unlist(chosen)], NA)) {
    basis <- if (is.null(only)) basis_of(d) else only
    for (set in seq_along(chosen)) {
      for (l in intersect(chosen[[set]], which(model$direction == d))) {
        at <- which(chosen[[set]] == l)
        values[[set]][, at] <- basis$b %*% coordinates_of(basis, known$y[, at, drop = FALSE],
                                                          of[at], model$penalty[l], settings)
      }
    }
  }
  Map(function(values, chosen) {
    list(values = values * rep(known$sd, each = nrow(values)) +
           rep(known$mean, each = nrow(values)), chosen = chosen)
  }, values, chosen)
}

# The weights of a regression in the basis of the training rows, whose centred responses are yc.
coordinates_of <- function(basis, yc, of, penalty, settings) {
  cross <- crossprod(basis$u, yc)
  if (is.null(settings$components)) return(shrunk(basis$s, penalty) * cross)
  rank <- length(basis$s)
  refuse_if(settings$components > rank, "value", "`components` is {settings$components}, but a ",
            "training set of {nrow(yc)} stimuli has rank {rank}: use at most as many ",
            "components as the smallest rank of the training sets.")
  # least squares on the leading components
  if (settings$method == "pcr") {
    return(ifelse(seq_len(rank) <= settings$components, 1 / basis$s, 0) * cross)
  }
  # each target has directions of its own, of which those of a rotated layer are the same
  for (target in unique(of)) {
    at <- which(of == target)
    cross[, at] <- pls_weights(basis$s, cross[, at, drop = FALSE], settings$components)
  }
  cross
}

# What each space adds to predictions, for given candidates of the columns: weights of its centred
# (standardised) training rows, a list for each space of train x columns.
dual_weights <- function(model, y, of, train, settings, chosen) {
  known <- training_rows(y, train, settings)
  duals <- lapply(model$spaces, function(space) matrix(0, length(train), ncol(y)))
  for (l in unique(chosen[!is.na(chosen)])) {
    at <- which(chosen == l)
    layer <- model$layer(model$direction[l])
    basis <- fold_basis(layer$x, train, integer(), layer$weights)
    dual <- basis$u %*% (coordinates_of(basis, known$y[, at, drop = FALSE], of[at],
                                        model$penalty[l], settings) / basis$s)
    for (k in seq_along(duals)) {
      duals[[k]][, at] <- dual * rep(known$sd[at], each = nrow(dual)) /
        model$ratios[model$direction[l], k]
    }
  }
  duals
}

# Predictions of each fold by one space of a model alone, of which those of all spaces add up to the
# prediction less the mean of the training rows: a list for each space.
space_predictions <- function(model, y, of, folds, settings, chosen) {
  found <- lapply(seq_along(folds$test), function(k) {
    train <- train_of(folds, k, nrow(y))
    test <- folds$test[[k]]
    Map(function(space, dual) {
      a <- space$z[train, , drop = FALSE]
      mean <- colMeans(a)
      a <- a - rep(mean, each = nrow(a))
      b <- space$z[test, , drop = FALSE] - rep(mean, each = length(test))
      if (settings$standardize) {
        b <- b / rep(column_sds(a, apply(abs(space$z), 2, max))^2, each = nrow(b))
      }
      tcrossprod(b, a) %*% dual
    }, model$spaces, dual_weights(model, y, of, train, settings, chosen[k, ]))
  })
  lapply(seq_along(model$spaces), function(space) lapply(found, `[[`, space))
}

# ---- all folds from one decomposition

# One decomposition of all rows serves all folds, because what a fold leaves out is a block of rows.
# For models without a choice.
predict_by_blocks <- function(model, y, folds, advance) {
  found <- lapply(model$sets, function(l) {
    chosen <- matrix(if (length(l)) l else NA_integer_, length(folds$test), ncol(y))
    if (!length(l)) return(list(values = mean_values(y, folds), chosen = chosen))
    parts <- parts_of_direction(model, model$direction[l], y)
    weights <- left_out_weights(parts, model$penalty[l])
    my <- annihilated(parts, weights)
    list(values = lapply(folds$test, function(test) {
      y[test, , drop = FALSE] - block_residuals(parts, weights, my[test, , drop = FALSE], test,
                                                model$penalty[l])
    }), chosen = chosen)
  })
  for (k in seq_along(folds$test)) advance()
  found
}

# What all penalties of a direction share, of all rows.
parts_of_direction <- function(model, d, y) {
  left_out_parts(fold_basis(model$layer(d)$x, seq_len(nrow(y)), integer()), y)
}

# The means of the training rows as predictions.
mean_values <- function(y, folds) {
  lapply(seq_along(folds$test), function(k) {
    m <- colMeans(y[train_of(folds, k, nrow(y)), , drop = FALSE])
    matrix(m, length(folds$test[[k]]), ncol(y), byrow = TRUE)
  })
}

# ---- all folds from kernels

# Where there are many columns, the kernels of the spaces (n x n) hold all that is needed: a
# direction is their sum K, each divided by its ratio, and M / lambda = (K + lambda)^-1 -
# 11'/(n lambda). What a fold leaves out is a block of M, and what it leaves out to choose a penalty
# a larger one. K has nothing in the direction of 1, which is given a size, so that this difference
# costs no digits. Errors of the inverse are 1e-16 times the trace of K over lambda: much smaller
# penalties need the data.
suits_kernels <- function(model, folds) {
  n <- nrow(model$spaces[[1]]$z)
  columns <- sum(vapply(model$spaces, function(space) ncol(space$z), 0L))
  (columns >= n || has_choices(model) && all(lengths(folds$test) == 1)) &&
    all(model$penalty >= 1e-8 * traces_of_kernels(model))
}

has_choices <- function(model) any(lengths(model$sets) > 1)

# Of each candidate.
traces_of_kernels <- function(model) {
  squares <- vapply(model$spaces, function(space) .Call(C_dot, space$z, space$z), 0)
  drop((1 / model$ratios) %*% squares)[model$direction]
}

predict_by_kernels <- function(model, y, of, folds, settings, codes, advance) {
  n <- nrow(y)
  kernels <- lapply(model$spaces, function(space) tcrossprod(space$z))
  traces <- traces_of_kernels(model)
  kernel_of <- function(d) {
    kernel <- Reduce(`+`, Map(`/`, kernels, model$ratios[d, ]))
    kernel + mean(diag(kernel)) / n
  }
  # what takes the size in the direction of 1 off an inverse again, and M / lambda of a candidate
  shift_of <- function(l) 1 / (n * (model$penalty[l] + traces[l] / n))
  m_of <- function(l, triangle) chol2inv(triangle) - shift_of(l)
  errors <- array(0, c(length(model$penalty), ncol(y), length(folds$test)))
  choices <- unlist(model$sets[lengths(model$sets) > 1])
  for (d in unique(model$direction[choices])) {
    at <- intersect(which(model$direction == d), choices)
    errors[at, , ] <- .Call(C_kernel_errors, kernel_of(d), model$penalty[at], shift_of(at), y,
                            folds$test, codes)
  }
  each <- lapply(seq_along(folds$test), function(k) {
    chosen_penalties(matrix(errors[, , k], ncol = ncol(y)), of, model$sets, settings$per_neuron)
  })
  means <- mean_values(y, folds)
  found <- lapply(seq_along(model$sets), function(set) {
    list(values = means, chosen = do.call(rbind, lapply(each, `[[`, set)))
  })
  for (l in setdiff(unlist(each), NA)) {
    d <- model$direction[l]
    # a choice needs fewer digits than predictions, for which a small penalty needs the data
    m <- m_of(l, if (model$penalty[l] >= 1e-4 * traces[l]) {
      chol.default(kernel_of(d) + diag(model$penalty[l], n))
    } else {
      t(rotated(cbind(model$layer(d)$x, diag(sqrt(model$penalty[l]), n), sqrt(traces[l]) / n)))
    })
    my <- m %*% y
    for (set in seq_along(found)) {
      chosen <- found[[set]]$chosen
      for (k in which(rowSums(chosen == l, na.rm = TRUE) > 0)) {
        test <- folds$test[[k]]
        at <- which(chosen[k, ] == l)
        found[[set]]$values[[k]][, at] <- y[test, at, drop = FALSE] -
          solve(m[test, test, drop = FALSE], my[test, at, drop = FALSE])
      }
    }
  }
  for (k in seq_along(folds$test)) advance()
  found
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
