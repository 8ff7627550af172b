# Estimates from trials against their definition: means over tuples of four different units of
# products of responses that share no noise, in literal loops.

terms_of <- function(x, y, codes = NULL) {
  sides <- lapply(list(x, y), representation, "x")
  if (identical(x, y)) sides[[2]] <- sides[[1]]
  sample <- repalign:::trial_sample(sides[[1]], sides[[2]], codes)
  repalign:::trial_terms(sample) * 2^(-2 * sum(sample$scale))
}

representation <- repalign:::representation

# The mean over tuples of four different units of d_ij d_kl / 4.
tuple_mean <- function(d) {
  n <- nrow(d)
  total <- count <- 0
  for (i in 1:n) for (j in setdiff(1:n, i)) for (k in setdiff(1:n, c(i, j))) {
    for (l in setdiff(1:n, c(i, j, k))) {
      total <- total + d[i, j] * d[k, l] / 4
      count <- count + 1
    }
  }
  total / count
}

# Members of a unit: pairs of a response of x (stimuli x trials) and one of y, with weights, by
# which every stimulus that has any counts the same. shared: are two events the same, for these
# neurons?
members_of <- function(x, y, ex, ey, stimuli, shared) {
  each <- lapply(stimuli, function(i) {
    rows <- NULL
    for (t in seq_len(ncol(x))) for (s in seq_len(ncol(y))) {
      known <- !is.na(x[i, t]) && !is.na(y[i, s])
      if (known && !(shared && ex[i, t] == ey[i, s])) rows <- rbind(rows, c(x[i, t], y[i, s]))
    }
    rows
  })
  each <- Filter(Negate(is.null), each)
  do.call(rbind, lapply(each, function(rows) cbind(rows, 1 / nrow(rows) / length(each))))
}

nested_distances <- function(members) {
  n <- length(members)
  d <- matrix(0, n, n)
  for (i in 1:n) for (j in 1:n) {
    for (a in seq_len(nrow(members[[i]]))) for (b in seq_len(nrow(members[[j]]))) {
      p <- members[[i]][a, ]
      q <- members[[j]][b, ]
      d[i, j] <- d[i, j] + p[3] * q[3] * (p[1] - q[1]) * (p[2] - q[2])
    }
  }
  d
}

run_distances <- function(x, y, shared) {
  n <- nrow(x)
  d <- matrix(0, n, n)
  pairs <- expand.grid(t = seq_len(ncol(x)), s = seq_len(ncol(y)))
  if (shared) pairs <- pairs[pairs$t != pairs$s, ]
  for (i in 1:n) for (j in 1:n) for (p in seq_len(nrow(pairs))) {
    t <- pairs$t[p]
    s <- pairs$s[p]
    d[i, j] <- d[i, j] + (x[i, t] - x[j, t]) * (y[i, s] - y[j, s]) / nrow(pairs)
  }
  d
}

oracle_terms <- function(x, y, shared, codes = NULL) {
  x <- unclass(x)
  y <- unclass(y)
  n <- nrow(x$event)
  units <- if (is.null(codes)) as.list(1:n) else split(1:n, codes)
  value <- function(a, b) {
    one <- matrix(x$values[, a, ], n)
    two <- matrix(y$values[, b, ], n)
    if (x$run && y$run) return(tuple_mean(run_distances(one, two, shared(a, b))))
    members <- lapply(units, function(at) {
      members_of(one, two, x$event, y$event, at, shared(a, b))
    })
    tuple_mean(nested_distances(Filter(Negate(is.null), members)))
  }
  outer(seq_len(dim(x$values)[2]), seq_len(dim(y$values)[2]), Vectorize(value))
}

tiny <- function(q, trials = 3, n = 6) array(rnorm(n * q * trials), c(n, q, trials)) + rnorm(n)

holes <- function(values, count) {
  values[sample(length(values), count)] <- NA
  values
}

expect_tuples <- function(x, y, shared, codes = NULL, label) {
  expect_equal(terms_of(x, y, codes), oracle_terms(x, y, shared, codes),
               tolerance = 1e-11, label = label)
}

# The same two sides, recorded apart.
expect_apart <- function(x, y, codes = NULL, label) {
  in_session <- function(x, session) responses(as.array(x), session = rep(session, dim(x)[2]))
  expect_tuples(in_session(x, 1), in_session(y, 2), never, codes, label)
}

always <- function(a, b) TRUE
never <- function(a, b) FALSE

test_that("trials nested in stimuli: within a side, together and apart, with missing cells", {
  set.seed(1)
  x <- responses(tiny(3))
  y <- responses(tiny(2))
  expect_tuples(x, x, always, label = "within")
  expect_tuples(x, y, always, label = "together")
  expect_apart(x, y, label = "apart")
  x <- responses(holes(tiny(3), 8))
  y <- responses(holes(tiny(2, 4), 8))
  expect_tuples(x, x, always, label = "within, missing")
  expect_tuples(x, y, always, label = "together, missing")
  expect_apart(x, y, label = "apart, missing")
  whole <- tiny(3)
  whole[2, , 3] <- whole[5, , 2:3] <- NA
  expect_tuples(responses(whole), responses(whole), always, label = "stimuli with fewer trials")
  expect_tuples(responses(whole), y, always, label = "fewer trials on one side")
  expect_tuples(responses(tiny(3, 1)), y, never, label = "a side without trials")
})

test_that("sessions, blocks of trials and clusters of stimuli", {
  set.seed(2)
  sx <- c(1, 1, 2)
  sy <- c(2, 1)
  within <- function(a, b) sx[a] == sx[b]
  across <- function(a, b) sx[a] == sy[b]
  x <- responses(tiny(3), session = sx)
  y <- responses(tiny(2), session = sy)
  expect_tuples(x, x, within, label = "sessions within")
  expect_tuples(x, y, across, label = "sessions across")
  x <- responses(holes(tiny(3), 6), session = sx)
  expect_tuples(x, y, across, label = "sessions, missing")
  blocks <- responses(tiny(2, 4), event = c("a", "a", "b", "c"))
  other <- responses(tiny(2, 3), event = c("b", "c", "d"))
  expect_tuples(blocks, blocks, always, label = "blocks within")
  expect_tuples(blocks, other, always, label = "blocks across")
  codes <- c(1, 1, 2, 3, 4, 5, 5, 5)
  x <- responses(tiny(2, 2, 8))
  y <- responses(holes(tiny(2, 3, 8), 6))
  expect_tuples(x, x, always, codes, label = "clusters")
  expect_tuples(x, y, always, codes, label = "clusters, missing")
  expect_apart(x, y, codes, label = "clusters, apart")
})

test_that("runs crossed with stimuli", {
  set.seed(3)
  x <- responses(tiny(2), run = TRUE)
  y <- responses(tiny(2), run = TRUE)
  expect_tuples(x, x, always, label = "within")
  expect_tuples(x, y, always, label = "together")
  x <- responses(tiny(2), run = TRUE, session = c(1, 2))
  y <- responses(tiny(2), run = TRUE, session = c(2, 3))
  expect_tuples(x, y, function(a, b) a == 2 && b == 1, label = "sessions")
  # what a run adds to all of its stimuli drops out
  shift <- rep(rep(rnorm(6, sd = 9), each = 6), 1)
  moved <- responses(unclass(x)$values + array(shift, c(6, 2, 3)), run = TRUE, session = c(1, 2))
  expect_equal(terms_of(moved, y), terms_of(x, y), tolerance = 1e-10)
})

test_that("the functions are means of these terms over the allowed pairs of neurons", {
  set.seed(4)
  group <- c("a", "a", "b")
  x <- responses(tiny(3), neuron = group)
  y <- responses(holes(tiny(2), 4), neuron = c("b", "c"))
  h <- function(a, b, la, lb) mean(oracle_terms(a, b, always)[outer(la, lb, "!=")])
  expect_h <- function(value, expected) expect_equal(suppressMessages(value), expected)
  expect_h(hsic(x, y), h(x, y, group, c("b", "c")))
  expect_h(hsic(x, x), h(x, x, group, group))
  expect_h(hsic(x, y, estimator = "stimulus_trial"), mean(oracle_terms(x, y, always)))
  # totals in the space of neurons and in that of trials
  wide <- responses(tiny(40, 2))
  expect_h(hsic(wide, x, estimator = "stimulus_trial"), mean(terms_of(wide, x)))
  few <- tiny(30, 3)
  few[1:2, , 3] <- NA
  few <- responses(few, session = rep(1:3, 10))
  narrow <- responses(tiny(3), session = 1:3)
  for (other in list(few, narrow)) {
    expect_h(hsic(few, other, estimator = "stimulus_trial"), mean(terms_of(few, other)))
  }
})

test_that("deletions are what is left without each unit", {
  set.seed(5)
  codes <- c(1, 1, 2, 3, 4, 5, 5, 6)
  # neuron 2 lacks stimulus 3: to delete it changes nothing for pairs with this neuron
  absent <- holes(tiny(3, 3, 8), 5)
  absent[3, 2, ] <- NA
  absent[5, 1, 2:3] <- NA
  cases <- list(nested = responses(tiny(3, 3, 8)), missing = responses(holes(tiny(3, 3, 8), 9)),
                runs = responses(tiny(3, 3, 8), run = TRUE), absent = responses(absent),
                absent_clusters = responses(absent))
  other <- list(nested = NULL, missing = codes, runs = NULL, absent = NULL, absent_clusters = codes)
  for (name in names(cases)) {
    x <- cases[[name]]
    repr <- representation(x, "x")
    labels <- other[[name]]
    sample <- repalign:::trial_sample(repr, repr, codes = labels)
    units <- if (is.null(labels)) 1:8 else labels
    factor <- 2^(-2 * sum(sample$scale))
    literal <- lapply(unique(units), function(u) {
      part <- x[which(units != u), , ]
      left <- labels[labels != u]
      terms_of(part, part, codes = if (!is.null(labels)) match(left, unique(left)))
    })
    columns <- repalign:::trial_columns(sample) * factor
    expect_equal(columns[-1, ], t(vapply(literal, rowSums, numeric(3))), tolerance = 1e-10)
    pairs <- repalign:::trial_pairs(sample, 1:2, 3:2) * factor
    expect_equal(pairs[-1, ], t(vapply(literal, function(h) h[cbind(1:2, 3:2)], numeric(2))),
                 tolerance = 1e-10)
    w <- matrix(c(0, 1, 2), 3, 3)
    expect_equal(repalign:::trial_weighted(sample, w)[-1] * factor,
                 vapply(literal, function(h) sum(w * h), 0), tolerance = 1e-10)
    if (startsWith(name, "absent")) {
      one <- repalign:::trial_pairs(sample, 2, 3)
      expect_equal(one[1 + units[3]], one[1])
    }
  }
})

test_that("a stimulus that holds nearly all of the variance is really deleted", {
  set.seed(6)
  values <- tiny(3, 2, 8)
  values[4, , ] <- 1e6 * values[4, , ]
  repr <- representation(responses(values), "x")
  sample <- repalign:::trial_sample(repr, repr)
  part <- responses(values[-4, , ])
  columns <- repalign:::trial_columns(sample) * 2^(-2 * sum(sample$scale))
  expect_equal(columns[5, ], rowSums(terms_of(part, part)), tolerance = 1e-9)
})

test_that("the origin, the order of trials and the number of threads do not matter", {
  set.seed(7)
  values <- holes(tiny(20, 3, 9), 60)
  x <- responses(values)
  y <- responses(tiny(18, 3, 9))
  expected <- terms_of(x, y)
  moved <- responses(values + rep(rnorm(20, sd = 100), each = 9))
  expect_equal(terms_of(moved, y), expected, tolerance = 1e-8)
  turn <- c(3, 1, 2)
  expect_equal(terms_of(x[, , turn], y[, , turn]), expected, tolerance = 1e-11)
  two <- lapply(1:2, function(threads) {
    old <- options(repalign.threads = threads)
    on.exit(options(old))
    repr <- representation(x, "x")
    sample <- repalign:::trial_sample(repr, representation(y, "y"))
    list(repalign:::trial_terms(sample), repalign:::trial_columns(sample),
         repalign:::trial_weighted(sample), repalign:::trial_pairs(sample, 1:5, 5:1))
  })
  expect_identical(two[[1]], two[[2]])
})

test_that("one trial without structure is a plain matrix, bit for bit", {
  set.seed(8)
  x <- matrix(rnorm(72), 12)
  y <- matrix(rnorm(60), 12)
  expect_identical(cka(responses(x), responses(y)), cka(x, y))
  for (estimator in c("naive", "stimulus", "stimulus_neuron")) {
    given <- list(responses(x), responses(y), estimator = estimator)
    plain <- list(x, y, estimator = estimator)
    for (f in list(cka, hsic)) {
      expect_identical(suppressWarnings(do.call(f, given)), suppressWarnings(do.call(f, plain)))
    }
    expect_identical(suppressWarnings(do.call(cka_interval, given)),
                     suppressWarnings(do.call(cka_interval, plain)))
  }
  expect_identical(suppressWarnings(participation_ratio(responses(x))),
                   suppressWarnings(participation_ratio(x)))
})

test_that("Gaussian kernels of trials are tuples of different stimuli and trials", {
  set.seed(9)
  x <- tiny(2, 2, 5)
  y <- tiny(2, 2, 5)
  kernel <- function(v, i, t, j, s) exp(-sum((v[i, , t] - v[j, , s])^2) / 2)
  # over different stimuli i, j, k, l and, for products of both sides at one stimulus, trials t != s
  total <- c(0, 0, 0)
  pairs <- rbind(c(1, 2), c(2, 1))
  block <- function(v, i, j) mean(outer(1:2, 1:2, Vectorize(function(t, s) kernel(v, i, t, j, s))))
  for (i in 1:5) for (j in setdiff(1:5, i)) {
    for (p in 1:2) for (q in 1:2) {
      total[1] <- total[1] + kernel(x, i, pairs[p, 1], j, pairs[q, 1]) *
        kernel(y, i, pairs[p, 2], j, pairs[q, 2]) / 4
    }
    for (k in setdiff(1:5, c(i, j))) {
      for (p in 1:2) {
        kx <- mean(vapply(1:2, function(s) kernel(x, i, pairs[p, 1], j, s), 0))
        ky <- mean(vapply(1:2, function(s) kernel(y, i, pairs[p, 2], k, s), 0))
        total[2] <- total[2] + kx * ky / 2
      }
      for (l in setdiff(1:5, c(i, j, k))) total[3] <- total[3] + block(x, i, j) * block(y, k, l)
    }
  }
  expected <- sum(total * c(1 / 20, -2 / 60, 1 / 120))
  value <- suppressMessages(hsic(responses(x), responses(y), kernel = "rbf", sigma = 1))
  expect_equal(value, expected, tolerance = 1e-11)
})
