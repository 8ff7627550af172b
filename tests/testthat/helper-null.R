# What the tests of the permutation null share.

# The permutations of a coset design by NULL.md's formula, p_t(i) = s((g(i) + t) mod n), counted
# from 0: for every s all shifts t in turn; the first is the identity and is left out.
def_coset <- function(order_x, orders_y) {
  n <- length(order_x)
  g <- integer(n)
  for (place in seq_len(n)) g[order_x[place]] <- place - 1
  all <- NULL
  for (m in seq_len(ncol(orders_y))) {
    for (t in 0:(n - 1)) {
      p <- integer(n)
      for (i in seq_len(n)) p[i] <- orders_y[(g[i] + t) %% n + 1, m]
      all <- cbind(all, p, deparse.level = 0)
    }
  }
  all[, -1, drop = FALSE]
}

# What was permuted, from the design, without the code under test.
def_permutations <- function(design) {
  if (is.null(design$coset)) design$matrix else
    def_coset(design$coset$order_x, design$coset$orders_y)
}

permuted_side <- function(y, p) {
  if (inherits(y, "dist")) {
    # the attribute tells Euclidean distances from squared ones
    return(structure(as.dist(as.matrix(y)[p, p]), method = attr(y, "method")))
  }
  if (!is.list(y)) return(y[p, , drop = FALSE])
  # neighbours of row p[i], by their new places
  list(idx = matrix(match(y$idx[p, ], p), nrow(y$idx)), dist = y$dist[p, , drop = FALSE])
}

# The same for all metrics. averaged: also for the random orders that an average is taken over; they
# are made of the priorities, so that stimuli take theirs along.
give_priorities <- function(repr, priority, averaged = FALSE, metrics = graph_metrics) {
  shuffled <- function(number) {
    n <- length(priority)
    once(paste("order", number, n), withr::with_seed(number, sample.int(n)))[priority]
  }
  for (metric in metrics) {
    give <- function(number, values) {
      remember_form(repr, "tie priorities", list(repr$side, metric, number),
                    list(priority = values))
    }
    give(NULL, priority)
    for (number in if (averaged) seq_len(tie_orders)) give(number, shuffled(number))
  }
}

# A representation that breaks ties by these priorities.
with_priorities <- function(x, arg, priority, ...) {
  rep <- representation(x, arg)
  give_priorities(rep, priority, ...)
  rep
}

# Null scores of one pair, and of the same permutations from scratch: every permuted y is
# prepared anew, its priorities taken along. seed: also that of what is drawn for the pair.
law_null <- function(id, args, x, y, permutations = 20, engine = "auto", blocks = NULL,
                     series = FALSE, most = Inf, seed = 7, clusters = NULL) {
  n <- representation(x, "x")$n
  set.seed(seed)
  priority <- list(x = sample.int(n), y = sample.int(n))
  m <- measure_with(id, args)
  sides <- as_sides(x, y)
  averaged <- takes_orders(m$declaration, m$args)
  # many orders take long to give: of other metrics only where the measure's own is not known
  metrics <- if (uses_graph(id, args)) metric_of(id, args) else graph_metrics
  sides$x$reprs[[1]] <- with_priorities(x, "x", priority$x, averaged, metrics)
  sides$y$reprs[[1]] <- with_priorities(y, "y", priority$y, averaged, metrics)
  plan <- permutation_plan(n, permutations, blocks, series, engine, cluster_codes(clusters))
  set.seed(seed)
  fast <- measure_null(settled_measure(m), list_pairs(sides, FALSE), sides, plan, engine)
  p <- def_permutations(fast$design)
  null <- fast$pairs[[1]]$null
  if (fast$design$count != ncol(p) || length(null) != ncol(p)) stop("wrong number of null scores")
  at <- unique(round(seq(1, ncol(p), length.out = min(most, ncol(p)))))
  rep_x <- with_priorities(x, "x", priority$x, averaged, metrics)
  scratch <- vapply(at, function(k) {
    set.seed(seed)
    rep_y <- with_priorities(permuted_side(y, p[, k]), "y", priority$y[p[, k]], averaged, metrics)
    compare_pair(m$declaration, as_pair(rep_x, rep_y), m$args)
  }, 0)
  list(fast = null[at], scratch = scratch, observed = fast$observed, design = fast$design,
       permutations = p, at = at)
}

# Scores before their roots, in units of their scale.
before_root <- function(id, args, values, x, y) {
  size <- function(x) if (inherits(x, "dist")) sqrt(2 * sum(x^2)) else
    def_size(if (identical(args$center, FALSE)) x else def_center(x))
  # scaled apart, so that no square leaves the range of numbers
  against <- function(values, a, b) {
    unit <- max(a, b)
    (values / unit)^2 / ((a / unit)^2 + (b / unit)^2)
  }
  switch(id,
    distance_correlation = if (isTRUE(args$squared) || identical(args$estimator, "unbiased")) values
      else values^2,
    procrustes = if (identical(args$scale, FALSE)) against(values, size(x), size(y)) else values^2,
    procrustes_size_shape = , bures_distance = against(values, size(x), size(y)),
    procrustes_similarity = {
      a <- size(x)
      b <- size(y)
      against((1 - values) * b, a, b)
    },
    permutation_procrustes = if (isTRUE(args$scale)) values^2 else
      against(values, def_size(x), def_size(y)),
    angular_shape = cos(values),
    shape_distance = if (!identical(args$method, "euclidean")) cos(values)
      else if (identical(args$scale, FALSE)) against(values, size(x), size(y)) else values^2,
    gulp = values^2,
    soft_matching = values^2 / if (identical(args$scale, FALSE)) max(values)^2 else 1,
    rsm_difference = {
      d <- function(x) if (inherits(x, "dist")) x else dist(x)
      if (identical(args$norm, "spectral")) values / (size(d(x)) + size(d(y)))
      else against(values, size(d(x)), size(d(y)))
    },
    values
  )
}

# The law: the worst difference, as a share of the scale.
law_error <- function(id, args, law, x, y) {
  if (!identical(is.na(law$fast), is.na(law$scratch))) return(Inf)
  a <- before_root(id, args, law$fast, x, y)
  b <- before_root(id, args, law$scratch, x, y)
  suppressWarnings(max(abs(a - b) / pmax(1, abs(b)), 0, na.rm = TRUE))
}

# Settings of measures with a pairing, with those of the corrected CKA.
paired_settings <- function(k = 5) {
  all <- registered_settings(k)[plain_measures()$id[plain_measures()$pairing]]
  all$cka <- c(all$cka, list(
    list(estimator = "stimulus_neuron"), list(kernel = "rbf", sigma = 1.5),
    list(kernel = "manifold", estimator = "stimulus", k = k)
  ))
  all
}

each_paired <- function(f, k = 5) {
  all <- paired_settings(k)
  for (id in names(all)) for (args in all[[id]]) f(id, args, setting_name(id, args))
}

# Until the calling function ends, engine = "moments" answers for any data: for tests of what is
# made of a law, with small data. That it refuses most of them has a test of its own.
any_law <- function(frame = parent.frame()) {
  local_internal("check_laws", function(...) invisible(), frame = frame)
}

# A permutation a column.
all_orders <- function(n) t(def_orders(n))

# The numbers of a row of calibrate(), plainly.
def_row <- function(score, null, direction, best, alpha = 0.05) {
  sgn <- if (direction == "distance") -1 else 1
  s <- sgn * score
  values <- sgn * null
  tau <- sort(c(s, values))[ceiling((1 - alpha) * (length(values) + 1) - 1e-9)]
  b <- sgn * best
  m <- mean(values)
  list(
    threshold = sgn * tau,
    p_value = (1 + sum(values >= s - 1e-10 * max(1, abs(s)))) / (length(values) + 1),
    gated = if (is.na(best)) max(s - tau, 0) else if (b - tau <= 0) 0 else
    max((s - tau) / (b - tau), 0),
    centered = s - m, z = (s - m) / sd(values), ari = (s - m) / (b - m),
    null_mean = sgn * m, null_sd = sd(values)
  )
}

# The law, noted. A permutation null that fails is one, too.
note_law <- function(id, args, x, y, label, ..., tolerance = 1e-10) {
  law <- tryCatch(quietly(law_null(id, args, x, y, ...)), error = identity)
  if (inherits(law, "error")) {
    note(FALSE, label, ": ", conditionMessage(law))
    return(list())
  }
  error <- law_error(id, args, law, x, y)
  note(error <= tolerance, sprintf("%s: off by %.2g", label, error))
  invisible(law)
}

# k suits the size; may_refuse: correlations over one column are not there.
law_inputs <- function() {
  set.seed(31)
  counts <- list(x = matrix(rpois(22 * 4, 0.8) + 1, 22), y = matrix(rpois(22 * 5, 0.6) + 1, 22))
  # no constant rows
  for (side in names(counts)) counts[[side]][, 1] <- counts[[side]][, 1] + rep(1:2, 11) * 2
  list(
    prime = c(related_pair(23, 5, 8), k = 5),
    even = list(x = exp(normal_matrix(20, 6)), y = normal_matrix(20, 6), k = 5),
    odd = c(related_pair(21, 3, 7), k = 4),
    six = list(x = normal_matrix(6, 3), y = normal_matrix(6, 4), k = 3),
    seven = c(related_pair(7, 4, 4), k = 3),
    wide = c(related_pair(13, 30, 17, d = 6), k = 5),
    ties = c(counts, k = 5)
  )
}

# Values that rest on an arbitrary basis, or on which of several equal assignments is found.
not_unique <- function(id, args, input) {
  if (id == "pwcca") return(qr(input$x)$rank + qr(input$y)$rank > nrow(input$x) - 2)
  id == "hard_correlation_match" && identical(args$matching, "greedy") && nrow(input$x) < 9
}

# The null that a measure declares for its arguments, or NULL for the direct path.
null_of <- function(measure) declared(measure$declaration$null, measure$args)
