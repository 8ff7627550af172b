# The ways to a noise ceiling: CKA and RSA from different trials, other measures from halves of the
# trials.

# ---- CKA

# Noise ceilings of the corrected linear CKA: H values from different trials beside those of the
# means over trials, with each stimulus and each unit of neurons deleted in all of them at once.

# Tables of H values: a row for nothing and for each stimulus (or cluster) deleted, a column for
# nothing and for each unit of neurons deleted, of the sides that are not `held`. xx, yy and xy are
# those of the score; xx_trial and yy_trial are free of noise, over the same pairs of neurons;
# xx_clean, yy_clean and xy_clean are those of the estimator from trials, which goes over pairs of
# one session, too.
cka_ceiling_tables <- function(task, y, args, held) {
  given <- Filter(Negate(is.null), list(x = task$x, y = y))
  labels <- list(x = ceiling_units(task$x, "x"), y = if (!is.null(y)) ceiling_units(y, "y"))
  layout <- layout_of_labels(labels, held)
  sides <- list(args = args, clean = with_estimator(args, paste0(args$estimator, "_trial")),
                given = given, layout = layout, codes = task$codes,
                data = lapply(given, centered_data),
                scale = log2(vapply(given, function(r) form_centering(r)$scale, 0)))
  terms <- ceiling_self(sides, "x")
  if (!is.null(y)) {
    pair <- pair_of(task$x, y)
    h <- ceiling_h(sides, c("x", "y"), labels_of_means(pair_labels(pair, args), pair_labels(
      pair, sides$clean)))
    if (is.na(h[1])) no_allowed_pair(pair, FALSE)
    clean <- if (!has_trials(y)) h else
      clean_h(sides, c("x", "y"), pair_labels(pair, sides$clean))
    terms <- c(terms, ceiling_self(sides, "y"), list(xy = h, xy_clean = clean))
  }
  list(terms = terms, layout = layout, n = nrow(terms$xx) - 1, scale = sides$scale[["x"]])
}

ceiling_self <- function(sides, side) {
  repr <- sides$given[[side]]
  at <- c(side, side)
  own <- self_labels(repr, sides$args, side)
  if (has_trials(repr)) own <- labels_of_means(own, self_labels(repr, sides$clean, side))
  h <- ceiling_h(sides, at, list(own, own))
  if (is.na(h[1])) no_allowed_pair(self_pair(repr), TRUE)
  trial <- clean <- h
  if (has_trials(repr)) {
    other <- self_labels(repr, sides$clean, side)
    trial <- clean_h(sides, at, list(own, own))
    clean <- if (identical(as.vector(own), as.vector(other))) trial else
      clean_h(sides, at, list(other, other))
  }
  stats::setNames(list(h, trial, clean), paste0(side, side, c("", "_trial", "_clean")))
}

# H over the neuron pairs whose labels differ, of the means over trials.
ceiling_h <- function(sides, at, labels) {
  x <- sides$data[[at[1]]]
  held <- at[1] == at[2] && sides$layout$complete[[at[1]]]
  h_table(if (held) held_sums(x, sides$layout, sides$codes, labels[[1]]) else
    weighted_sums(x, sides$data[[at[2]]], ceiling_weights(sides, at, labels), sides$layout, at,
                  sides$codes), "stimulus")
}

# The same from different trials, in units of the data of ceiling_h(), which are scaled by other
# powers of two.
clean_h <- function(sides, at, labels) {
  sample <- checked_sample(sides$given[[at[1]]], sides$given[[at[2]]], sides$codes)
  w <- ceiling_weights(sides, at, labels)
  table <- h_table(weighted_trial_sums(sample, w, sides$layout, at), "stimulus")
  table * 2^(2 * (sum(sides$scale[at]) - sum(sample$scale)))
}

ceiling_weights <- function(sides, at, labels) {
  if (is.null(labels[[1]]) || is.null(labels[[2]])) return(NULL)
  neuron_pair_weights(excluded_pairs(labels[[1]], labels[[2]]), ncol(sides$data[[at[1]]]),
                      ncol(sides$data[[at[2]]]))
}

# The labels of sessions, by which means over trials leave out pairs; where all columns are of one
# session, as where none is named, those of neurons (of trials).
labels_of_means <- function(labels, of_trials) {
  if (length(unique(unlist(labels))) == 1) of_trials else labels
}

# The label of the neuron of each column; without labels each column is a neuron.
ceiling_units <- function(repr, side) {
  labels <- repr$responses$neuron
  if (is.null(labels)) own_labels(ncol(repr$data), side) else labels
}

# ---- RSA

# Noise ceilings of RSA with squared Euclidean distances: the variance of the distances between the
# expected responses, from distances of different trials.

# Tables as cka_ceiling_tables() gives them, of covariances of distances over pairs of stimuli.
rsa_ceiling_tables <- function(task, y, held) {
  y_trials <- !is.null(y) && has_trials(y)
  labels <- list(x = ceiling_units(task$x, "x"), y = if (y_trials) ceiling_units(y, "y"))
  layout <- layout_of_labels(labels, held)
  x_of <- rsa_columns(task$x)
  y_of <- if (y_trials) rsa_columns(y)
  fixed <- if (!is.null(y) && !y_trials) {
    # the distances of a side without trials, packed
    d <- if (y$kind == "dist") y$data else stats::dist(centered_data(y))^2
    unname(as.matrix(d))
  }
  columns <- lapply(c(0, seq_len(layout$count)), function(unit) {
    x <- x_of(layout$x != unit, unit %in% c(0, layout$x))
    y <- if (y_trials) y_of(layout$y != unit, unit %in% c(0, layout$y))
    # one column of each table. x, y: from rsa_columns(); distances: those of y, or NULL
    distances <- if (is.null(y)) fixed else y$distances
    column <- list(xx = distance_covariances(x$distances, x$distances), xx_trial = x$signal,
                   xx_clean = x$signal)
    if (is.null(distances)) return(column)
    column$xy <- column$xy_clean <- distance_covariances(x$distances, distances)
    column$yy <- distance_covariances(distances, distances)
    column$yy_trial <- column$yy_clean <- if (is.null(y)) column$yy else y$signal
    column
  })
  terms <- sapply(names(columns[[1]]), function(name) {
    vapply(columns, function(column) column[[name]], numeric(task$n + 1))
  }, simplify = FALSE)
  whole <- x_of(TRUE, TRUE)
  list(terms = terms, layout = layout, n = task$n, scale = log2(whole$scale),
       equal_noise = !whole$four)
}

# A function of the columns that are kept: list(distances, signal, four, scale). What was computed
# for all columns is kept for calls in which the side is whole (cut = FALSE).
rsa_columns <- function(repr) {
  # responses of single events, a row each, in the order of their stimuli. Trials of one event are
  # averaged, because they share noise; what a run adds to all of its stimuli is taken away.
  form <- trial_form(repr)
  size <- dim(form$values)
  values <- form$values
  if (form$run) values <- values - rep(colMeans(values), each = size[1])
  flat <- matrix(aperm(values, c(3, 1, 2)), size[1] * size[3])
  there <- !is.na(flat[, 1])
  flat <- flat[there, , drop = FALSE]
  stimulus <- rep(seq_len(size[1]), each = size[3])[there]
  key <- paste(stimulus, as.vector(t(form$event))[there])
  key <- match(key, unique(key))
  of_event <- stimulus[!duplicated(key)]
  events <- unname(rowsum(flat, key, reorder = TRUE) / tabulate(key))
  count <- tabulate(of_event, size[1])
  refuse_single_trials(count, repr)
  means <- unname(rowsum(flat, stimulus, reorder = TRUE) / tabulate(stimulus, size[1]))
  trials <- list(stimulus = of_event, count = count, four = all(count >= 4))
  scale <- form$scale
  rm(form, values, flat, there, key) # the function that is returned needs none of these
  compute <- function(keep) {
    values <- events[, keep, drop = FALSE]
    gram <- tcrossprod(means[, keep, drop = FALSE])
    d <- outer(diag(gram), diag(gram), "+") - 2 * gram
    diag(d) <- 0
    list(distances = d, four = trials$four, scale = scale,
         signal = signal_variance(values, rowsum(values, of_event, reorder = TRUE) / count, trials))
  }
  whole <- compute(rep(TRUE, ncol(events)))
  function(keep, cut) if (!cut || all(keep)) whole else compute(keep)
}

refuse_single_trials <- function(count, repr) {
  few <- which(count < 2)
  if (!length(few)) return(invisible())
  refuse("trials", "`{repr$arg}` has fewer than two trials that share no noise of ",
         "{count_of(length(few), 'stimulus')}, first of ",
         stimulus_title(unclass(repr$responses)$values, few[1]), ". Leave such stimuli out, or ",
         "give more trials.")
}

# Covariances over pairs of stimuli, with nothing and with each stimulus deleted. a, b: symmetric
# matrices with diagonal 0.
distance_covariances <- function(a, b) {
  pairs <- pair_numbers(nrow(a))
  sums_without(a * b) / pairs - (sums_without(a) / pairs) * (sums_without(b) / pairs)
}

pair_numbers <- function(n) c(n * (n - 1) / 2, rep((n - 1) * (n - 2) / 2, n))

sums_without <- function(m) {
  total <- sum(m) / 2
  c(total, total - rowSums(m))
}

# The variance over pairs of stimuli of the distances between expected responses, without the noise
# of trials: with e the estimates of the distances and D those of their products with themselves,
#   mean D - [(sum e)^2 + sum over i, j != k of delta_ijk + sum (D - e^2)] / pairs^2,
# where delta_ijk corrects e_ij e_ik, which have the trials of stimulus i in common. All of these
# are means over all choices of different trials within each stimulus.
signal_variance <- function(values, means, trials) {
  shift <- colMeans(means)
  values <- values - rep(shift, each = nrow(values))
  means <- means - rep(shift, each = nrow(means))
  at <- trials$stimulus
  n <- length(trials$count)
  parts <- if (trials$four) four_trial_parts(values, means, trials) else {
    # estimates from two trials, whose distances hold the noise of the trials: right where all
    # stimuli have the same noise
    size <- rowSums(values^2)
    mean_size <- drop(rowsum(size, at)) / trials$count
    w <- outer(size, mean_size, "+") - 2 * tcrossprod(values, means)
    squares <- block_squares(values, at, function(rows, products) {
      outer(size[rows], size, "+") - 2 * products
    })
    d <- different_trial_products(w, squares, trials)
    diag(d) <- 0
    w <- no_own(w, trials)
    list(e = means_by_stimulus(w, trials), d = d, w = w, factor = 1)
  }
  pairs <- pair_numbers(n)
  sums <- lapply(list(e = parts$e, d = parts$d, square = parts$e^2), sums_without)
  # the sum over j != k of products of deviations, and what it loses with each stimulus
  deviation <- parts$w - means_by_stimulus(parts$w, trials)[at, , drop = FALSE]
  row <- rowSums(deviation)
  square <- rowsum(deviation^2, at)
  quadratic <- unname(drop(rowsum(row^2, at)) - rowSums(square))
  loss <- 2 * rowsum(row * deviation, at) - 2 * square
  weight <- -parts$factor / (trials$count * (trials$count - 1))
  # the sums of delta_ijk over all i and different j, k
  shared <- sums_of_others(weight * quadratic, weight * loss)
  if (trials$four) {
    others <- c(n - 1, rep(n - 2, n))
    constant <- c(sum(parts$constant), sum(parts$constant) - parts$constant)
    shared <- shared + others * (others - 1) * constant -
      4 * (others - 1) * sums_of_others(rowSums(parts$gamma), parts$gamma)
  }
  sums$d / pairs - (sums$e^2 + shared + sums$d - sums$square) / pairs^2
}

# Estimates from four different trials, in which all noise drops out. K_i: products of different
# trials of a stimulus.
four_trial_parts <- function(values, means, trials) {
  n <- trials$count
  b <- tcrossprod(values, means)
  # for K_i (products of the trials of stimulus i, diagonal 0): its sum, the sum of its squared row
  # sums, the sum of its squares; weight: what the mean of K_i and a third trial gives each trial
  at <- trials$stimulus
  size <- rowSums(values^2)
  row <- rowSums(values * means[at, , drop = FALSE]) * trials$count[at] - size
  each <- vapply(split(seq_along(at), at), function(rows) {
    sum(tcrossprod(values[rows, , drop = FALSE])^2)
  }, 0)
  total <- drop(unname(rowsum(row, at)))
  k <- list(total = total, rows = drop(unname(rowsum(row^2, at))),
            squares = unname(each) - drop(unname(rowsum(size^2, at))),
            weight = (total[at] - 2 * row) / falling_each(trials$count[at], 3))
  squares <- block_squares(values, trials$stimulus, function(rows, products) products)
  weighted <- rowsum(b * k$weight, trials$stimulus)
  mean_b <- rowsum(b, trials$stimulus) / n
  pair_mean <- k$total / falling_each(n, 2)
  fours <- (k$total^2 - 4 * k$rows + 2 * k$squares) / falling_each(n, 4)
  d <- outer(fours, fours, "+") + 2 * outer(pair_mean, pair_mean) -
    4 * (weighted + t(weighted)) + 4 * different_trial_products(b, squares, trials)
  e <- outer(pair_mean, pair_mean, "+") - 2 * mean_b
  gamma <- weighted - pair_mean * mean_b
  diag(d) <- diag(e) <- diag(gamma) <- 0
  list(e = unname(e), d = unname(d), w = no_own(b, trials), factor = 4,
       constant = fours - pair_mean^2, gamma = unname(gamma))
}

# The mean over two different trials of i and two of j of the products of what `squares` holds the
# sums of squares of; w: the means over the trials of j, for each trial of i.
different_trial_products <- function(w, squares, trials) {
  n <- trials$count
  by_row <- rowsum(w^2, trials$stimulus) * rep(n^2, each = length(n))
  mean <- rowsum(w, trials$stimulus) / n
  different <- n * (n - 1)
  unname((mean^2 * outer(n^2, n^2) - by_row - t(by_row) + squares) / outer(different, different))
}

falling_each <- function(n, k) vapply(n, falling, 0, k)

# Sums of squares over the trials of two stimuli, stimuli x stimuli, by blocks of rows. entry: of
# the products of some rows with all.
block_squares <- function(values, stimulus, entry) {
  size <- max(1, floor(2e6 / nrow(values)))
  blocks <- split(seq_along(stimulus), (seq_along(stimulus) - 1) %/% size)
  rows <- lapply(blocks, function(rows) {
    products <- tcrossprod(values[rows, , drop = FALSE], values)
    t(rowsum(t(entry(rows, products)^2), stimulus))
  })
  unname(rowsum(do.call(rbind, rows), stimulus))
}

# Deviations of each trial from the mean of its stimulus are wanted towards other stimuli only.
no_own <- function(w, trials) {
  w[cbind(seq_along(trials$stimulus), trials$stimulus)] <- 0
  w
}

means_by_stimulus <- function(w, trials) unname(rowsum(w, trials$stimulus) / trials$count)

# The sum of values of stimuli, then without each stimulus u: its value is gone, and those of the
# others lose loss[, u].
sums_of_others <- function(value, loss) {
  total <- sum(value)
  unname(c(total, total - value - (colSums(loss) - diag(loss))))
}

# ---- halves of the trials

# Approximate noise ceilings of measures without an unbiased estimate from different trials: scores
# between random halves of the trials, by the formula of Spearman and Brown.

# list(reliability, ceiling, score): r is the mean score of halves of the trials, and 2 r / (1 + r)
# what twice as many trials would give if scores were correlations of independent noise. The ceiling
# has the noise of both sides.
split_ceiling <- function(task, y, measure, splits) {
  # errors name what the user gave
  score_of <- function(a, b, args) {
    in_words_of_call(was = "x$x", now = args[1], code = {
      in_words_of_call(similarity(list(x = a), list(y = b), measure)$score, "y$y", args[2])
    })
  }
  reliability <- vapply(Filter(has_trials, list(task$x, y)), function(repr) {
    for (neurons in neurons_of_sessions(repr)) {
      values <- unclass(repr$responses)$values[, neurons, , drop = FALSE]
      refuse_single_trials(rowSums(recorded_slots(values)), repr)
    }
    # they do not depend on what the trials are compared with
    halves <- remember(task$halves, c(measure$label, repr$arg), replicate(splits, {
      parts <- random_trial_halves(repr)
      score_of(parts[[1]], parts[[2]], rep(repr$arg, 2))
    }))
    r <- mean(halves)
    if (is.na(r) || r <= 0) NA_real_ else 2 * r / (1 + r)
  }, 0)
  score <- if (is.null(y)) NA_real_ else
    score_of(unname_rows(task$x$data), if (y$kind == "data") unname_rows(y$data) else y$data,
             c("trials", y$arg))
  list(reliability = reliability[1], ceiling = sqrt(prod(reliability)), score = score)
}

# Means over two random halves of the trials of each stimulus, with equally many trials; at odd
# numbers one is left out. Sessions have trials, and halves, of their own.
random_trial_halves <- function(repr) {
  all <- unclass(repr$responses)$values
  means <- array(0, c(dim(all)[1:2], 2))
  for (neurons in neurons_of_sessions(repr)) {
    values <- all[, neurons, , drop = FALSE]
    size <- dim(values)
    there <- recorded_slots(values)
    half <- vapply(seq_len(size[1]), function(i) {
      at <- which(there[i, ])
      at <- at[sample.int(length(at))]
      replace(integer(size[3]), at, rep_len(c(1L, 2L), length(at) %/% 2 * 2)[seq_along(at)])
    }, integer(size[3]))
    half <- t(matrix(half, size[3]))
    values[is.na(values)] <- 0
    for (part in 1:2) {
      weight <- half == part & !is.na(half)
      total <- 0
      for (t in seq_len(size[3])) total <- total + weight[, t] * values[, , t]
      means[, neurons, part] <- total / rowSums(weight)
    }
  }
  lapply(1:2, function(part) matrix(means[, , part], nrow(means)))
}

neurons_of_sessions <- function(repr) {
  session <- unclass(repr$responses)$session
  all <- seq_len(ncol(repr$data))
  if (is.null(session)) list(all) else split(all, factor(session, unique(session)))
}
