# What single neurons add to a linear CKA, and any score without each of them; and the components of
# a naive CKA.

# ---- contributions of neurons

# list(contribution, chance): a value for each neuron of a side, of CKA with the linear kernel.
neuron_contributions <- function(pair, measure, side) {
  naive <- !measure$args$corrects$stimuli
  x <- neuron_data(pair, side)
  y <- neuron_data(pair, other_side(side))
  terms <- allowed_terms(x, y, sides_of_labels(pair, measure$args, side), naive)
  divisor <- sum(terms$counts) * self_root(pair$x, measure, "x") * self_root(pair$y, measure, "y")
  n <- as.double(nrow(x))
  chance <- if (naive) colSums(x^2) * sum(y^2) / ((n - 1) * n^2) else numeric(ncol(x))
  list(contribution = terms$sums / divisor, chance = chance / divisor)
}

other_side <- function(side) if (side == "x") "y" else "x"

neuron_data <- function(pair, side) scaled_data(pair[[side]], TRUE)

# The labels of neurons with those of a side first: list(x, y), or NULL.
sides_of_labels <- function(pair, args, side) {
  labels <- pair_labels(pair, args)
  if (!is.null(labels)) list(x = labels[[side]], y = labels[[other_side(side)]])
}

# The h values of neuron pairs of centred columns, added up over the columns of y for each column of
# x, without pairs of equal labels: list(sums, counts).
allowed_terms <- function(x, y, labels, naive) {
  sums <- column_terms(x, y, naive)
  counts <- rep(as.double(ncol(y)), ncol(x))
  if (is.null(labels)) return(list(sums = sums, counts = counts))
  left_out <- excluded_pairs(labels$x, labels$y)
  at <- factor(left_out$x, seq_len(ncol(x)))
  single <- single_terms(x[, left_out$x, drop = FALSE], y[, left_out$y, drop = FALSE], naive)
  sums <- sums - as.vector(tapply(single, at, sum, default = 0))
  counts <- counts - tabulate(at, ncol(x))
  for (block in left_out$blocks) {
    sums[block$x] <- sums[block$x] -
      column_terms(x[, block$x, drop = FALSE], y[, block$y, drop = FALSE], naive)
    counts[block$x] <- counts[block$x] - length(block$y)
  }
  list(sums = sums, counts = counts)
}

column_terms <- function(x, y, naive) {
  n <- as.double(nrow(x))
  dot <- if (ncol(y) <= n) colSums(crossprod(y, x)^2) else colSums(x * (tcrossprod(y) %*% x))
  if (naive) return(dot / n^2)
  song_estimate(dot, colSums(x^2 * rowSums(y^2)), colSums(x^2) * sum(y^2), n, diagonal = TRUE)
}

# The h value of each column of x with the column of y beside it.
single_terms <- function(x, y, naive) {
  n <- as.double(nrow(x))
  dot <- colSums(x * y)^2
  if (naive) return(dot / n^2)
  song_estimate(dot, colSums(x^2 * y^2), colSums(x^2) * colSums(y^2), n, diagonal = TRUE)
}

# ---- scores without neurons

# For each neuron of a side its place on the other side, which may have it, too; NA: it has not.
# Names of neurons are those of responses(), or of a measure that goes by them.
place_on_other_side <- function(pair, args, side) {
  width <- ncol(pair[[side]]$data)
  if (isTRUE(args$corrects$neurons) && args$shared_neurons) return(seq_len(width))
  names <- lapply(c(x = "x", y = "y"), function(side) {
    given <- unclass(pair[[side]]$responses)
    if (!is.null(given$neuron)) as.character(given$neuron) else
      if (is.null(given) && isTRUE(args$corrects$neurons)) as.character(args[[paste0("units_", side)]])
  })
  own <- names[[side]]
  other <- names[[other_side(side)]]
  if (!length(own) || !length(other)) return(rep(NA_integer_, width))
  # a label of several neurons is that of a session
  once <- function(labels) labels[!labels %in% labels[duplicated(labels)]]
  replace(match(own, other), !own %in% intersect(once(own), once(other)), NA)
}

# The score without each neuron of a side. score: with all of them.
scores_without_neurons <- function(pair, measure, side, threads) {
  twins <- place_on_other_side(pair, measure$args, side)
  args <- measure$args
  plain <- is_linear_cka(measure) && is.null(args$clusters) && !args$corrects$trials &&
    !length(args$given)
  if (!plain) return(recomputed_without(pair, measure, side, twins, threads))
  values <- cka_without_neurons(pair, args, side, twins)
  cosine <- errors_of(measure)$cosine
  if (is.null(cosine)) values else suppressWarnings(cosine$score(values))
}

# Sums over neuron pairs less those that a neuron is part of.
cka_without_neurons <- function(pair, args, side, twins) {
  naive <- !args$corrects$stimuli
  other <- other_side(side)
  x <- neuron_data(pair, side)
  y <- neuron_data(pair, other)
  labels <- sides_of_labels(pair, args, side)
  xy <- allowed_terms(x, y, labels, naive)
  yx <- allowed_terms(y, x, if (!is.null(labels)) list(x = labels$y, y = labels$x), naive)
  # a neuron and its twin are a pair that was counted in both rows
  twin <- !is.na(twins)
  paired <- is.null(labels) * single_terms(x[, twin, drop = FALSE], y[, twins[twin], drop = FALSE],
                                           naive)
  mean_xy <- function(terms, taken, pairs) {
    left <- sum(terms$xy) - terms$xy
    left[twin] <- left[twin] - terms$yx[twins[twin]] + pairs
    left
  }
  h_xy <- mean_xy(list(xy = xy$sums, yx = yx$sums), pairs = paired) /
    mean_xy(list(xy = xy$counts, yx = yx$counts), pairs = 1 * is.null(labels))
  xx <- self_without(x, self_labels(pair[[side]], args, side), naive)
  yy <- self_without(y, self_labels(pair[[other]], args, other), naive)
  h_yy <- replace(rep(yy$all, ncol(x)), which(twin), yy$without[twins[twin]])
  ratio_of_products(h_xy, xx$without, h_yy)
}

# The H value of a side with itself, of all neurons and without each of them.
self_without <- function(x, labels, naive) {
  terms <- allowed_terms(x, x, if (!is.null(labels)) list(x = labels, y = labels), naive)
  own <- is.null(labels)
  left <- sum(terms$sums) - 2 * terms$sums + own * single_terms(x, x, naive)
  list(all = sum(terms$sums) / sum(terms$counts),
       without = left / (sum(terms$counts) - 2 * terms$counts + own))
}

# Any score, made anew, by the workers that there are.
recomputed_without <- function(pair, measure, side, twins, threads) {
  args <- measure$args
  refuse_if(!is.null(args$units_x) || isTRUE(args$shared_neurons), "parameter", "`by` cannot be ",
            "\"neurons_{side}\" for {dQuote(measure$label, FALSE)} with labels of neurons that ",
            "the measure has: declare them in `neuron` or `session` of responses().", arg = "by")
  other <- other_side(side)
  cut <- function(name, columns) {
    repr <- pair[[name]]
    kept <- repr$cache
    repr$prepared <- NULL
    repr$cache <- new_cache()
    repr$cache$said <- said_of(kept)
    for (part in c("choices", "neighbours")) repr$cache[[part]] <- kept[[part]]
    cut_representation(repr, rep(TRUE, repr$n), columns)
  }
  width <- ncol(pair[[side]]$data)
  # few at a time, so that the representations without a neuron fit into memory
  each <- max(1, worker_count(), floor(8 * room_for_dots() / (as.double(pair$x$n) * width)))
  blocks <- split(seq_len(width), (seq_len(width) - 1) %/% each)
  unlist(lapply(unname(blocks), function(at) {
    own <- lapply(at, function(neuron) cut(side, seq_len(width) != neuron))
    twin <- twins[at[!is.na(twins[at])]]
    others <- c(list(pair[[other]]), lapply(twin, function(neuron) {
      cut(other, seq_len(ncol(pair[[other]]$data)) != neuron)
    }))
    places <- list(seq_along(at), replace(rep(1, length(at)), !is.na(twins[at]), 1 + seq_along(twin)))
    in_order <- if (side == "x") 1:2 else 2:1
    sides <- do.call(sides_of, list(own, others)[in_order])
    pairs <- stats::setNames(list2DF(places[in_order]), c("i", "j"))
    set <- list(measure)
    quietly_done(score_grid(pairs, with_refusals(sides, set), set, "na", threads))[, 1]
  }))
}

# ---- components

# Pairs of the first components of both sides, and what is left: list(part, contribution, chance).
component_contributions <- function(pair, components) {
  sides <- lapply(c(x = "x", y = "y"), function(side) {
    parts <- svd(form_second_moment(pair[[side]])$factor, nv = 0)
    known <- parts$d > tie_share * parts$d[1]
    shown <- seq_len(min(components, sum(known)))
    values <- parts$d^2 / sqrt(sum(parts$d^4))
    warn_of_close_components(values[shown], pair[[side]]$arg)
    list(values = values, shown = shown, u = parts$u, total = sum(values))
  })
  x <- sides$x
  y <- sides$y
  weights <- outer(x$values[x$shown], y$values[y$shown])
  cosines <- crossprod(x$u[, x$shown, drop = FALSE], y$u[, y$shown, drop = FALSE])
  # all pairs are the score
  all <- outer(x$values, y$values) * crossprod(x$u, y$u)^2
  shown <- weights * cosines^2
  n <- as.double(pair$x$n)
  by_x <- function(m) as.vector(t(m))
  list(part = data.frame(part_x = c(rep(x$shown, each = length(y$shown)), "rest"),
                         part_y = c(rep(y$shown, length(x$shown)), "rest")),
       contribution = c(by_x(shown), sum(all) - sum(shown)),
       chance = c(by_x(weights), x$total * y$total - sum(weights)) / (n - 1))
}

warn_of_close_components <- function(values, arg) {
  if (length(values) < 2) return(invisible())
  close <- which(-diff(values) < 0.01 * values[-length(values)])
  warn_if(length(close), "close_components", "Components {close[1]} and {close[1] + 1} of `{arg}` ",
          "have nearly the same variance, so that these axes rotate freely: only the sum of their ",
          "contributions means something.", data = close)
}
