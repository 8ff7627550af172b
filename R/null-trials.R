# The null of the estimators of CKA that correct for trials.

#' @include null-kernels.R
NULL

# Let x_i and y_i be the responses to stimulus i, a row a trial. H goes by P_i, the mean of the
# products of those pairs of trials that share no noise. It has two parts for which all permutations
# are made at once:
#
# Sides that were not recorded together, or of which one has a single trial: all trials of x are
#   multiplied with all trials of y, so that P_i is the product of the means over trials, and H is
#   the estimate of Song et al. (2012) for the kernels of these means.
# Sides that were recorded together, with the same T trials of every stimulus: P_i is the sum over
#   all t and s that differ. In an orthonormal basis of the trials whose first vector is their mean,
#   this is diagonal, with mu_1 = 1 / T and mu_a = -1 / (T (T - 1)) for the others. Let K_ab be the
#   n x n matrices into which the kernel of all trials of x falls, in this basis, L_ab those of y,
#   and brackets sums over different stimuli, (n)_k = n (n - 1) ... (n - k + 1). Then
#     S1 = sum_ab mu_a mu_b <K_ab, L_ab>
#     S2 = sum_a (mu_a / T) (sum_i (sum_j K_a1[i, j]) (sum_k L_a1[i, k]) - <K_a1, L_a1>)
#   and H = S1 / (n)_2 - 2 S2 / (n)_3 + S3 / (n)_4. What has a = b = 1, and S3, belong to the means.
#   The rest are inner products of n x n matrices, T^2 - 1 for all permutations.
#
# What left out neuron pairs would add is taken off: for each of them, H follows from sums over
# stimuli. Where trials lack or runs are crossed with stimuli, every permutation is a comparison of
# its own.
#
# Of B whole clusters that change places, a unit is the mean over its stimuli: with u_i = 1 / (size
# of i's cluster), kernels that are 0 within clusters, and (L u)_ic, the sum of u_k L[i, k] over
# cluster c,
#     S1 = sum_ab mu_a mu_b sum_ij u_i u_j K_ab[i, j] L_ab[i, j]
#     S2 = sum_a (mu_a / T) sum_i u_i (sum_j u_j K_a1[i, j]) (sum_k u_k L_a1[i, k])
#          - sum_a (mu_a / T) sum_ij u_i u_j K_a1[i, j] (L_a1 u)_i,cluster of j
# and H as above with B in the place of n. The last sum is the inner product of the same kernel of x
# with another matrix of y, which changes places with its rows and columns, too. Every stimulus is a
# cluster of its own where there are none.

trials_fit <- function(measure, pairs, sides) {
  fits <- function(i, j) {
    !is.null(trial_route(with_data(sides$x$reprs[[i]]), with_data(sides$y$reprs[[j]]),
                         measure$args))
  }
  # what is wrong with the data is said with the scores
  tryCatch(mapply(fits, pairs$i, pairs$j), repalign_error = function(e) rep(FALSE, nrow(pairs)))
}

# How H is made for a pair: list(left_out, shared, order), or NULL where trials do not allow it.
# left_out: the neuron pairs that do not count, or NULL; shared: for each session of both sides,
# list(x, y), which of the neurons belong to it; order: where the trials of y have another order
# than those of x, the places of the trials (stimuli x trials).
trial_route <- function(rx, ry, args) {
  x <- trial_facts(rx)
  y <- trial_facts(ry)
  if (!x$complete || !y$complete) return(NULL)
  fx <- trial_form(rx)
  fy <- trial_form(ry)
  labels <- pair_labels(pair_of(rx, ry), args)
  left_out <- if (!is.null(labels)) excluded_pairs(labels$x, labels$y)
  sessions <- shared_sessions(fx, fy, FALSE)
  common <- unique(sessions$x[sessions$x %in% sessions$y])
  if (!length(common)) return(list(left_out = left_out))
  if (!x$balanced || !y$balanced || trial_count(fx) != trial_count(fy)) return(NULL)
  shared <- lapply(common, function(code) list(x = sessions$x == code, y = sessions$y == code))
  route <- list(left_out = left_out, shared = shared)
  if (identical(fx$event, fy$event)) return(route)
  slots <- event_slots(fx, fy)
  n <- nrow(slots$x)
  key <- function(slots) c(slots) * n + row(slots)
  places <- match(key(slots$x), key(slots$y))
  if (anyNA(places)) return(NULL)
  c(route, list(order = matrix((places - 1) %/% n + 1, n)))
}

# complete: has every neuron a response to every stimulus? balanced: in the same number of trials
# each, which all differ and are not crossed with stimuli?
trial_facts <- function(repr) {
  remember_summary(repr, "trial facts", list(), {
    form <- trial_form(repr)
    several <- function(events) anyDuplicated(events) > 0
    whole <- !anyNA(form$values) && !anyNA(form$event)
    list(complete = whole || !anyNA(trial_means(form$values)),
         balanced = whole && !form$run && !any(apply(form$event, 1, several)))
  })
}

# ---- H under all permutations

declare_null_kernel(
  "trials", cosets = TRUE, size = function(n, d) as.double(n)^2,
  run = function(task) {
    pairs <- task$pairs
    clusters <- task$args$clusters
    task$codes <- if (is.null(clusters)) seq_len(task$design$n) else labelled_codes(clusters)
    task$share <- 1 / tabulate(task$codes)[task$codes]
    apart <- outer(task$codes, task$codes, "!=") + 0
    # of the entries of kernels on each side
    task$weights <- list(x = apart * outer(task$share, task$share), y = apart)
    routes <- Map(function(i, j) {
      trial_route(task$sides$x$reprs[[i]], task$sides$y$reprs[[j]], task$args)
    }, pairs$i, pairs$j)
    # `whole` of each side: trial_blocks() of the forms whose neurons all share noise with those of
    # the other side, trial by trial in the same order; NULL for others
    plain <- which(vapply(routes, is_whole_route, NA))
    for (side in c("x", "y")) {
      whole <- vector("list", length(task[[side]]$forms))
      for (at in unique(task[[side]]$at[plain])) whole[[at]] <- trial_blocks(task, side, at)
      task[[side]]$whole <- whole
    }
    means <- lapply(c(x = "x", y = "y"), function(side) mean_kernels(task, side))
    together <- corrections_of_pairs(task, routes)
    n <- as.double(task$design$n)
    # what inner products are divided by
    size <- if (is.null(clusters)) n * (n - 3) else 1
    matrices <- function(side) lapply(means[[side]], function(one) one$matrix)
    inner <- inner_products(matrices("x"), matrices("y"), task$design, task$label)
    lapply(seq_len(nrow(pairs)), function(p) {
      x <- means$x[[task$x$at[p]]]
      y <- means$y[[task$y$at[p]]]
      left_out <- routes[[p]]$left_out
      values <- inner[, task$x$at[p] + length(means$x) * (task$y$at[p] - 1)]
      count <- x$width * y$width
      if (!is.null(left_out)) {
        values <- values - if (is.null(clusters)) {
          excluded_sums(x$means, y$means, left_out, task$design)
        } else clustered_exclusions(task, p, left_out)
        count <- count - left_out$count
      }
      values <- (values / size + together[[p]]) / count
      forms <- task_forms(task, p)
      null_of_pair(values, task$score(values, forms$x, forms$y),
                   equal_share * x$norm * y$norm / (size * count), task$observed[p],
                   task$design$kept)
    })
  }
)

# The sum of the H values of left out neuron pairs over clusters, for each permutation.
clustered_exclusions <- function(task, p, left_out) {
  pair <- side_pair(task$sides, task$pairs$i[p], task$pairs$j[p])
  at <- neuron_pair_places(left_out)
  apply(with_observed(task$design), 2, function(permutation) {
    sample <- trial_sample(pair$x, permuted_representation(pair$y, permutation), task$codes)
    sum(trial_pairs(sample, at$x, at$y, FALSE))
  })
}

# For each representation of a side that is used list(matrix, norm, width, means): the kernel of the
# means over trials, U-centred, or that of x centred over clusters. width: how many neurons H is a
# mean over, on this side.
mean_kernels <- function(task, side) {
  reprs <- used_representations(task, side)
  lapply(seq_along(reprs), function(at) {
    form <- task[[side]]$forms[[at]]
    linear <- task$args$kernel == "linear"
    means <- if (linear) trial_means(form$values)
    blocks <- task[[side]]$whole[[at]]
    kernel <- if (linear) tcrossprod(means) else
      if (!is.null(blocks)) blocks(1, 1) / trial_count(form) else {
        # the mean of each block of the kernel of all trials
        kernel <- trial_kernel(reprs[[at]], form, rep(TRUE, nrow(form$values)), task$args)
        stimulus <- rep(seq_len(nrow(form$event)), each = trial_count(form))
        there <- c(t(!is.na(matrix(form$values[, 1, ], nrow(form$event)))))
        weight <- there / rowsum(there + 0, stimulus)[stimulus]
        rowsum(t(rowsum(kernel * weight, stimulus)) * weight, stimulus)
      }
    kernel <- if (is.null(task$args$clusters)) .Call(C_u_center, kernel) else
      if (side == "x") center_over_clusters(kernel, task$codes) else kernel
    c(matrix_operand(kernel), list(width = if (linear) as.double(ncol(means)) else 1,
                                   means = means))
  })
}

# In the order of their forms.
used_representations <- function(task, side) {
  task$sides[[side]]$reprs[unique(if (side == "x") task$pairs$i else task$pairs$j)]
}

is_whole_route <- function(route) {
  is.null(route$order) && length(route$shared) == 1 && all(unlist(route$shared))
}

# What trials that share noise add to the H values (before these are divided by the number of neuron
# pairs), for each pair: 0 where none do. Whole sides with as many trials are computed together.
corrections_of_pairs <- function(task, routes) {
  result <- rep(list(0), length(routes))
  plain <- vapply(routes, is_whole_route, NA)
  trials <- vapply(task$x$forms, trial_count, 0L)[task$x$at]
  for (grid in split(which(plain), trials[plain])) {
    at_x <- unique(task$x$at[grid])
    at_y <- unique(task$y$at[grid])
    found <- trial_corrections(task$x$whole[at_x], task$y$whole[at_y], task)
    for (p in grid) {
      result[[p]] <- found[, match(task$x$at[p], at_x) +
                             length(at_x) * (match(task$y$at[p], at_y) - 1)]
    }
  }
  for (p in which(!plain)) {
    for (session in routes[[p]]$shared) {
      x <- trial_blocks(task, "x", task$x$at[p], session$x)
      y <- trial_blocks(task, "y", task$y$at[p], session$y, routes[[p]]$order)
      result[[p]] <- result[[p]] + trial_corrections(list(x), list(y), task)[, 1]
    }
  }
  # less what neuron pairs that are left out have a part in
  Map(function(value, route, p) {
    forms <- task_forms(task, p)
    x <- forms$x$values
    y <- in_trial_order(forms$y$values, route$order)
    at <- neuron_pair_places(route$left_out)
    shared <- which(Reduce(`|`, lapply(route$shared, function(session) {
      session$x[at$x] & session$y[at$y]
    }), FALSE))
    if (!length(shared) || !is.null(task$args$clusters)) return(value)
    # a part of the neuron pairs at a time, so that memory stays bounded
    size <- task$design$n * dim(x)[3] + task$design$count
    parts <- split(shared, ceiling(seq_along(shared) * size / 5e5))
    advance <- progress_along(length(parts))
    total <- 0
    for (part in parts) {
      total <- total + single_corrections(in_trial_basis(x[, at$x[part], , drop = FALSE]),
                                          in_trial_basis(y[, at$y[part], , drop = FALSE]),
                                          task$design)
      advance()
    }
    value - total
  }, result, routes, seq_along(routes))
}

# The same as trial_corrections() for single neuron pairs, added up. x, y: stimuli x pairs x vectors
# of the basis, x_a. With u = sum_i x_1 y_1 and d = sum_i sum_(a > 1) mu_a x_a y_a, a pair adds
#   S1 = d (d + 2 mu_1 u) - sum_(ab, without 11) mu_a mu_b sum_i x_a x_b y_a y_b
#   S2 = (1 / T) (sum_(a > 1) mu_a sum_i x_a y_a (x_1 y_1 + (X - x_1) (Y - y_1)) - d u)
# where X and Y are the sums of x_1 and y_1 over stimuli.
single_corrections <- function(x, y, design) {
  size <- dim(x)
  mu <- trial_weights(size[3])
  part <- function(values, a) matrix(values[, , a], size[1])
  products <- function(a, b) column_sums(part(x, a) * part(x, b), part(y, a) * part(y, b), design)
  others <- function(values) rep(colSums(part(values, 1)), each = size[1]) - part(values, 1)
  u <- column_sums(part(x, 1), part(y, 1), design)
  d <- s1 <- s2 <- 0
  for (a in seq_len(size[3])[-1]) {
    d <- d + mu[a] * column_sums(part(x, a), part(y, a), design)
    with_first <- products(a, 1)
    s1 <- s1 - 2 * mu[1] * mu[a] * with_first
    # b and a as a and b
    for (b in a:size[3]) s1 <- s1 - (1 + (b > a)) * mu[a] * mu[b] * products(a, b)
    s2 <- s2 + mu[a] / size[3] * (with_first + column_sums(part(x, a) * others(x),
                                                           part(y, a) * others(y), design))
  }
  n <- as.double(size[1])
  rowSums((s1 + d * (d + 2 * mu[1] * u)) / falling(n, 2) -
            2 * (s2 - d * u / size[3]) / falling(n, 3))
}

# mu.
trial_weights <- function(trials) c(1 / trials, rep(-1 / (trials * (trials - 1)), trials - 1))

# Values (stimuli x neurons x trials) in an orthonormal basis of the trials, the first vector their
# mean.
in_trial_basis <- function(values) {
  array(matrix(values, ncol = dim(values)[3]) %*% trial_basis(dim(values)[3]), dim(values))
}

trial_basis <- function(count) {
  vectors <- cbind(1, stats::contr.helmert(count))
  vectors / rep(sqrt(colSums(vectors^2)), each = count)
}

# A function(a, b) that gives the matrix K_ab of form number `at` of a side, 0 within clusters, and
# that of x times u_i u_j; its attribute is the number of trials.
# columns: which neurons count; order: see trial_route().
trial_blocks <- function(task, side, at, columns = TRUE, order = NULL) {
  form <- task[[side]]$forms[[at]]
  form$values <- in_trial_order(form$values[, columns, , drop = FALSE], order)
  size <- dim(form$values)
  if (task$args$kernel == "linear") {
    rows <- in_trial_basis(form$values)
    part <- function(a) matrix(rows[, , a], size[1])
    block <- function(a, b) tcrossprod(part(a), part(b))
  } else {
    repr <- used_representations(task, side)[[at]]
    # the kernel that is kept is of all neurons, with the trials in their own order
    whole <- isTRUE(columns) && is.null(order)
    kernel <- (if (whole) trial_kernel else new_trial_kernel)(repr, form, rep(TRUE, size[1]),
                                                              task$args)
    rows <- nrow(kernel)
    # trials are the fastest: first those of the rows, then those of the columns
    for (turn in 1:2) {
      dim(kernel) <- c(size[3], rows * size[1])
      kernel <- crossprod(trial_basis(size[3]), kernel)
      dim(kernel) <- c(rows, rows)
      if (turn == 1) kernel <- t(kernel)
    }
    places <- function(a) seq(a, by = size[3], length.out = size[1])
    block <- function(a, b) kernel[places(a), places(b)]
  }
  structure(function(a, b) block(a, b) * task$weights[[side]], trials = size[3])
}

in_trial_order <- function(values, order) {
  if (is.null(order)) return(values)
  size <- dim(values)
  stimulus <- rep(seq_len(size[1]), size[2])
  neuron <- rep(seq_len(size[2]), each = size[1])
  arranged <- vapply(seq_len(size[3]), function(t) {
    values[cbind(stimulus, neuron, order[stimulus, t])]
  }, numeric(length(stimulus)))
  array(arranged, size)
}

# xs, ys: what trial_blocks() gives. A matrix: a row for each permutation, the identity first, a
# column for each pair, x the fastest.
trial_corrections <- function(xs, ys, task) {
  trials <- attr(xs[[1]], "trials")
  clusters <- as.double(max(task$codes))
  mu <- trial_weights(trials)
  pair_x <- rep(seq_along(xs), length(ys))
  pair_y <- rep(seq_along(ys), each = length(xs))
  total <- 0
  for (a in seq_len(trials)[-1]) {
    kx <- lapply(xs, function(block) block(a, 1))
    ky <- lapply(ys, function(block) block(a, 1))
    pairs <- 2 * mu[a] * mu[1] / falling(clusters, 2)
    triples <- 2 * mu[a] / (trials * falling(clusters, 3))
    both <- lapply(ky, function(k) {
      pairs * k + triples * t(rowsum(t(k) * task$share, task$codes))[, task$codes]
    })
    sums_x <- vapply(kx, rowSums, task$share)[, pair_x, drop = FALSE]
    sums_y <- vapply(ky, function(k) drop(k %*% task$share), task$share)[, pair_y, drop = FALSE]
    total <- total + general_inner_products(kx, both, task) -
      triples * column_sums(sums_x, sums_y, task$design)
    for (b in a:trials) {
      kx <- lapply(xs, function(block) block(a, b))
      ky <- lapply(ys, function(block) block(a, b))
      total <- total + mu[a] * mu[b] / falling(clusters, 2) *
        if (a == b) inner_products(kx, ky, task$design, task$label) else
          2 * general_inner_products(kx, ky, task)
    }
  }
  total
}

# The same as inner_products() for matrices that are not symmetric: those of their symmetric and of
# their antisymmetric parts, which both count the entries above the diagonal twice.
general_inner_products <- function(x, y, task) {
  parts <- function(matrices, sign) lapply(matrices, function(k) (k + sign * t(k)) / 2)
  inner_products(parts(x, 1), parts(y, 1), task$design, task$label) +
    inner_products(parts(x, -1), parts(y, -1), task$design, task$label)
}
