# Representations: small, often related to each other, and with everything that a recording or a
# network can have: ties, silent neurons, empty and repeated rows, few columns, huge units.

# What one call compares: x and y as calibrate() takes them (y may be NULL), the matrices behind
# them, and what is known of them (facts), so that measures can be chosen that suit.
draw_sides <- function() {
  n <- draw_size()
  kind <- one_of(c("data", "dist", "graph", "mixed"), c(0.76, 0.12, 0.08, 0.04))
  setting <- list(n = n, kind = kind, base = matrix(stats::rnorm(n * 3), n),
                  quirks = draw_quirks(), row_names = chance(0.1), drawn = new.env(),
                  # the least width of graphs is shared, so that some k suits all of them
                  degree = count_up_to(n - 1, min(3, n - 1)))
  shape <- one_of(c("pair", "grid", "within", "models"), c(0.66, 0.2, 0.07, 0.07))
  sides <- switch(shape,
    pair = list(x = draw_one(setting), y = draw_one(setting)),
    grid = list(x = draw_list(setting), y = draw_list(setting, 1)),
    within = list(x = draw_list(setting, 2)),
    models = draw_models(setting)
  )
  c(sides, list(shape = shape, facts = facts_of(setting$drawn$all, setting)))
}

draw_size <- function() {
  one_of(2:40, c(rep(1.2, 2), rep(3, 12), rep(1, 25)))
}

# Most calls have none of them.
draw_quirks <- function() {
  known <- c("constant column", "zero row", "repeated rows", "units", "offset", "missing",
             "rank", "few")
  known[stats::runif(length(known)) < c(0.07, 0.05, 0.07, 0.06, 0.06, 0.005, 0.07, 0.07)]
}

draw_list <- function(setting, least = 1) {
  size <- one_of(c(1, 2, 3, 4), c(3, 4, 1, 0.2))
  size <- max(size, least)
  elements <- lapply(seq_len(size), function(i) draw_one(setting))
  stats::setNames(elements, paste0("layer", sample.int(9, size)))
}

draw_models <- function(setting) {
  models <- function(names) {
    stats::setNames(lapply(names, function(name) draw_list(setting)), names)
  }
  if (chance(0.6)) list(x = models(c("a", "b"))) else list(x = models("a"), y = models(c("b", "c")))
}

# One representation in some container; the matrix behind it is kept for facts_of().
draw_one <- function(setting) {
  matrix <- with_quirks(draw_matrix(setting), setting$quirks)
  kind <- if (setting$kind == "mixed") one_of(c("data", "dist")) else setting$kind
  made <- switch(kind, data = in_container(matrix, setting), dist = draw_dist(matrix),
                 graph = draw_graph(matrix, setting$degree))
  setting$drawn$all <- c(setting$drawn$all, list(list(matrix = matrix, kind = kind, made = made)))
  made
}

draw_width <- function(setting) {
  if ("few" %in% setting$quirks) return(sample.int(2, 1))
  if (chance(0.1)) setting$n + sample.int(5, 1) else 1 + sample.int(8, 1)
}

draw_matrix <- function(setting) {
  n <- setting$n
  d <- draw_width(setting)
  fill <- function(values) matrix(values, n, d)
  linear <- setting$base %*% matrix(stats::rnorm(3 * d), 3)
  earlier <- setting$drawn$all
  switch(sample.int(10, 1),
    linear + fill(stats::rnorm(n * d)),
    linear + 0.1 * fill(stats::rnorm(n * d)),
    fill(stats::rnorm(n * d)),
    fill(exp(stats::rnorm(n * d))),
    fill(stats::rt(n * d, 2)),
    fill(as.double(stats::rpois(n * d, 4))),
    round(linear + fill(stats::rnorm(n * d))),
    fill(as.double(stats::runif(n * d) < 0.5)),
    one_hot(n),
    # a multiple of one that is there already: equal, mirrored, or in other units
    if (length(earlier)) earlier[[1]]$matrix * one_of(c(1, -1, 3, 0.1)) else linear
  )
}

one_hot <- function(n) {
  groups <- count_up_to(n, 2)
  diag(groups)[sample(rep_len(seq_len(groups), n)), , drop = FALSE]
}

with_quirks <- function(x, quirks) {
  n <- nrow(x)
  for (quirk in quirks) {
    at <- sample.int(n, 1)
    x <- switch(quirk,
      `constant column` = cbind(x, one_of(c(0, 1, -2.5))),
      `zero row` = replace(x, cbind(at, seq_len(ncol(x))), 0),
      `repeated rows` = x[c(seq_len(n - 1), at), , drop = FALSE],
      units = x * 10^one_of(c(-150, -20, -3, 3, 20, 150)),
      offset = x + 10^one_of(c(2, 5, 8)),
      missing = replace(x, at, NA),
      rank = cbind(x, x[, 1] + x[, ncol(x)]),
      few = x
    )
  }
  x
}

# The same numbers as users bring them.
in_container <- function(x, setting) {
  if (setting$row_names) rownames(x) <- paste0("image", seq_len(nrow(x)))
  if (chance(0.1)) colnames(x) <- paste0("neuron", seq_len(ncol(x)), one_of(c("", "b")))
  whole <- all(is.finite(x)) && all(x == round(x)) && max(abs(x)) < 1e9
  if (whole && chance(0.2)) storage.mode(x) <- "integer"
  if (chance(0.04)) as.data.frame(x) else x
}

draw_dist <- function(x) {
  d <- stats::dist(x, one_of(c("euclidean", "manhattan", "maximum")))
  d[] <- switch(sample.int(5, 1), d, d, d^2, rank(d), d - stats::median(d))
  d
}

# The nearest neighbours of each row by distance, some with the row itself in front.
draw_graph <- function(x, degree) {
  distances <- as.matrix(stats::dist(x))
  self <- chance(0.3)
  diag(distances) <- if (self) -1 else Inf
  wanted <- seq_len(degree + self)
  idx <- t(apply(distances, 1, order))[, wanted, drop = FALSE]
  at <- cbind(rep(seq_len(nrow(x)), length(wanted)), as.vector(idx))
  dist <- matrix(pmax(distances[at], 0), nrow(x))
  if (length(wanted) == 1) idx <- matrix(apply(distances, 1, which.min))
  list(idx = unname(idx), dist = dist)
}

# drawn: list(matrix, kind, made) each.
facts_of <- function(drawn, setting) {
  matrices <- lapply(drawn, function(one) one$matrix)
  kinds <- unique(vapply(drawn, function(one) one$kind, ""))
  any_of <- function(test) {
    any(vapply(matrices, function(x) anyNA(x) || any(test(x)), NA))
  }
  same <- function(values) all(values == values[1])
  list(
    n = setting$n, kinds = kinds, quirks = setting$quirks,
    widths = vapply(matrices, ncol, 0L),
    most_k = if ("graph" %in% kinds) setting$degree else setting$n - 1,
    signed = any(vapply(drawn, function(one) {
      one$kind == "dist" && any(one$made < 0, na.rm = TRUE)
    }, NA)),
    zero_rows = any_of(function(x) rowSums(abs(x)) == 0),
    constant_rows = any_of(function(x) apply(x, 1, same)),
    constant_columns = any_of(function(x) apply(x, 2, same)),
    repeated_rows = any_of(function(x) duplicated(x)),
    no_variance = any_of(function(x) all(apply(x, 2, same)))
  )
}
