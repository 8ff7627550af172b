# What stream_cka() makes of chunks of rows: exact sums, or H values of minibatches.

#' @include cka-stream.R
NULL

# ---- minibatches

# The streamed CKA from minibatches: H values of disjoint batches of rows, and their means.

streamed_batches <- function(feed, labels, estimator, batch, shuffle) {
  refuse_if(isTRUE(shuffle) && is.null(feed$pick), "value", "`shuffle` needs rows that can be ",
            "read in any order: files such as .npy, or matrices. Give the rows in random order ",
            "yourself.")
  shuffled <- !is.null(feed$pick) && !identical(shuffle, FALSE)
  if (shuffled) {
    order <- sample.int(feed$n)
    at <- 0
    feed$read <- 0
  }
  give <- function() {
    if (!shuffled) return(next_rows(feed, batch))
    if (at + batch > feed$n) return(NULL)
    # sorted, so that a file is read from its beginning to its end
    rows <- sort(order[at + seq_len(batch)])
    at <<- at + batch
    checked_chunk(feed$pick(rows), feed)
  }
  advice <- paste0("Minibatches of successive rows then say little of how stimuli of different ",
                   "minibatches are arranged: give the rows in random order",
                   if (!is.null(feed$pick)) ", or set shuffle = TRUE", ".")
  h <- list()
  scale <- NULL
  means <- list(x = NULL, y = NULL)
  while (!is.null(chunk <- give()) && nrow(chunk$x) == batch) {
    if (!shuffled) means <- Map(add_batch_means, means, chunk[c("x", "y")])
    if (length(h) == 0 && !shuffled) {
      warn_of_rows(chunk["x"], chunk["y"], "order", advice)
    }
    # H values of a minibatch, by the functions of cka()
    args <- paste(c("x", "y"), "in minibatch", length(h) + 1)
    pair <- as_pair(representation(chunk$x, args[1], side = "x"),
                    representation(chunk$y, args[2], side = "y"))
    pairs <- list(xy = pair, xx = self_pair(pair$x), yy = self_pair(pair$y))
    found <- Map(function(pair, labels, self) {
      lapply(stats::setNames(nm = estimator), function(e) linear_h(pair, e, labels, self))
    }, pairs, list(labels$xy, labels$xx, labels$yy), c(FALSE, TRUE, TRUE))
    own <- found$xy[[1]]$scale
    if (is.null(scale)) scale <- own
    # minibatches are scaled each by powers of two of its own: in those of the first one, means can
    # be taken
    sides <- list(xy = c(1, 2), xx = c(1, 1), yy = c(2, 2))
    h[[length(h) + 1]] <- Map(function(h, side) {
      factor <- 2^(-2 * sum((own - scale)[side]))
      lapply(h, function(one) list(value = one$value * factor, magnitude = one$magnitude * factor))
    }, found, sides)
  }
  refuse_if(!length(h), "rows", "`batch` is {batch}, but `chunks` has fewer rows: lower `batch`.")
  # Minibatches of independent rows have means that vary as the rows do within them, over their
  # size. The warning comes where they vary more than chance explains (if all variance lay in one
  # direction), and have a tenth of all variance between them.
  count <- means$x$count
  if (!is.null(count) && count >= 5) {
    excess <- mean(vapply(means, function(side) {
      between <- (side$squares - sum(side$sum^2) / count) / (count - 1)
      batch * between / (side$within / count)
    }, 0)) - 1
    share <- excess / (excess + batch)
    warn_if(isTRUE(share > 0.1 && excess > 4 * sqrt(2 / (count - 1))), "dependence",
            "Minibatches differ from each other: {round(100 * share)}% of the variance lie ",
            "between them, as where rows are sorted by class. {advice}", data = share)
  }
  warn_if(length(h) < 30, "few_batches", "There {if (length(h) > 1) 'are' else 'is'} only ",
          "{count_of(length(h), 'minibatch')} of {count_of(batch, 'row')}: the standard error is ",
          "itself uncertain. A smaller `batch` gives more.", data = length(h))
  sizes <- rep(as.double(batch), length(h))
  list(h = deletions_of_means(h), sizes = sizes, n = sum(sizes), scale = scale)
}

# Adds a minibatch to what is known of a side: `first`, the means of the first minibatch; the sum
# of the means and of their squared lengths, less `first`; `within`, the sum of the variances within
# minibatches; and how many there are.
add_batch_means <- function(before, data) {
  means <- .Call(C_column_stats, data)$means
  if (is.null(before)) before <- list(first = means, sum = 0, squares = 0, within = 0, count = 0)
  within <- .Call(C_centered_squares, data, means, 1) / (nrow(data) - 1)
  list(first = before$first, sum = before$sum + means - before$first,
       squares = before$squares + sum((means - before$first)^2),
       within = before$within + within, count = before$count + 1)
}

# From the values of each minibatch those of all, and of all without each.
deletions_of_means <- function(h) {
  count <- length(h)
  each <- lapply(stats::setNames(nm = names(h[[1]])), function(which) {
    lapply(stats::setNames(nm = names(h[[1]][[which]])), function(e) {
      parts <- vapply(h, function(one) unlist(one[[which]][[e]][c("value", "magnitude")]),
                      c(value = 0, magnitude = 0))
      sums <- rowSums(parts)
      cbind(sums / count, if (count > 1) (sums - parts) / (count - 1))
    })
  })
  lapply(seq_len(if (count > 1) count + 1 else 1), function(at) {
    lapply(each, lapply, function(values) {
      list(value = values[["value", at]], magnitude = values[["magnitude", at]])
    })
  })
}

# ---- sums over rows

# The exact streamed CKA: sums over rows, from which the H values follow, are gathered chunk by
# chunk, and added up.

# Sums over the rows of a chunk. cross: the inner products of all columns, the upper triangle
# packed; by_weight: those of the columns with the squared norms of the rows of x and of y, and the
# sums of the columns; weights: the inner products of these three with each other; powers: for the
# single neuron pairs that the neuron correction leaves out, sums of a^2 b^2, a^2 b and a b^2 over
# the rows; blocks: for each block of such pairs the same sums, over all of its pairs, but for each
# column of the second side (a^2 b) and of the first (a b^2).
chunk_sums <- function(chunk, plan) {
  unit <- plan$unit
  sums <- .Call(C_stack_sums, chunk$x, unit$x$means, unit$x$scale, chunk$y, unit$y$means,
                unit$y$scale, plan$single$a, plan$single$b)
  if (!plan$has_blocks) return(sums)
  z <- do.call(cbind, Map(function(data, unit) .Call(C_center, data, unit$means, unit$scale),
                          chunk[c("x", "y")], unit[c("x", "y")]))
  sums$blocks <- lapply(plan$compared, function(compared) {
    lapply(compared$left_out$blocks, function(block) {
      za <- z[, compared$a[block$x], drop = FALSE]
      zb <- z[, compared$b[block$y], drop = FALSE]
      norms <- list(a = rowSums(za^2), b = rowSums(zb^2))
      list(both = sum(norms$a * norms$b), first = crossprod(zb, norms$a),
           second = crossprod(za, norms$b))
    })
  })
  sums
}

# Adds up two such lists, part by part; with sign = -1 takes the second from the first.
add_sums <- function(one, two, sign = 1) {
  if (is.list(one)) return(Map(add_sums, one, two, MoreArgs = list(sign = sign)))
  if (is.null(one)) NULL else one + sign * two
}

# ---- blocks of chunks, which the standard error leaves out one at a time

# There are never more than this many: when they are full, neighbours are joined.
most_blocks <- 40

# give(rows): the next chunk, of about so many rows where the feed can choose. A block is full when
# it has as many rows as the first one, which grows as blocks are joined.
gather_sums <- function(plan, give) {
  blocks <- list()
  full <- 0
  while (!is.null(chunk <- give(full))) {
    sums <- chunk_sums(chunk, plan)
    last <- length(blocks)
    if (last > 0 && rows_in(blocks[[last]]) < full) {
      blocks[[last]] <- add_sums(blocks[[last]], sums)
      next
    }
    if (last == most_blocks) {
      blocks <- lapply(seq_len(length(blocks) / 2),
                       function(i) add_sums(blocks[[2 * i - 1]], blocks[[2 * i]]))
      full <- rows_in(blocks[[1]])
    }
    blocks[[length(blocks) + 1]] <- sums
  }
  blocks
}

# ---- H values from the sums

rows_in <- function(sums) sums$weights[3, 3]

# list(value, magnitude) for each estimator and comparison: H values of the scaled data.
h_of_sums <- function(sums, plan, estimator) {
  # what the sums say of single columns and of all pairs of them: the number of rows, means, squares
  # of the columns before (raw) and after centring, the packed inner products, and for each
  # comparison the sum of the squares of the centred ones (squares), and u'Rv of the means u and v
  # and the inner products R (inner)
  n <- rows_in(sums)
  means <- sums$by_weight[, 3] / n
  raw <- sums$cross[cumsum(seq_along(means))]
  x_columns <- length(plan$compared$xx$a)
  all <- .Call(C_sum_packed, sums$cross, x_columns, n, means)
  dimnames(all) <- list(c("squares", "inner"), c("xx", "xy", "yy"))
  known <- list(n = n, means = means, packed = sums$cross, raw = raw, centred = raw - n * means^2)
  lapply(stats::setNames(nm = names(plan$compared)), function(which) {
    compared <- plan$compared[[which]]
    squares <- all[["squares", which]]
    count <- as.double(length(compared$a)) * length(compared$b)
    # the totals that linear_totals() makes of data, over all neuron pairs of a comparison
    side <- list(xy = c(1, 2), xx = c(1, 1), yy = c(2, 2))[[which]]
    square_products <- block_products(
      list(both = sums$weights[side[1], side[2]], first = sums$by_weight[compared$b, side[1]],
           second = sums$by_weight[compared$a, side[2]]), compared$a, compared$b,
      all[["inner", which]], known)
    whole <- stimulus_sum(list(
      cross_squares = squares, square_products = square_products,
      norm_products = sum(known$centred[compared$a]) * sum(known$centred[compared$b]), n = n
    ))
    magnitude <- squares / (n^2 * count)
    lapply(stats::setNames(nm = estimator), function(e) {
      value <- if (e == "naive") magnitude else if (!corrections[[e]]$neurons) whole / count else {
        excluded <- excluded_total(compared, sums$powers[, plan$single$at[[which]], drop = FALSE],
                                   sums$blocks[[which]], known)
        (whole - excluded) / (count - compared$left_out$count)
      }
      list(value = value, magnitude = magnitude)
    })
  })
}

# Inner products of columns a with b, pair by pair, from the packed upper triangle.
packed_products <- function(known, a, b) {
  high <- as.double(pmax(a, b))
  known$packed[high * (high - 1) / 2 + pmin(a, b)]
}

# The sum of the products of the squared norms of centred rows, over the columns a and b; `sums` are
# those of a block of chunk_sums(), before centring, and `inner` is u'Rv. With u and v the means:
# the product of |a_i|^2 - 2 u'a_i + |u|^2 and |b_i|^2 - 2 v'b_i + |v|^2, multiplied out and added
# up.
block_products <- function(sums, a, b, inner, known) {
  u <- known$means[a]
  v <- known$means[b]
  sums$both - 2 * sum(v * sums$first) - 2 * sum(u * sums$second) + 4 * inner +
    sum(v^2) * sum(known$raw[a]) + sum(u^2) * sum(known$raw[b]) -
    3 * known$n * sum(u^2) * sum(v^2)
}

# The stimulus-corrected estimates of the neuron pairs that are left out, added up. powers, blocks:
# of these comparisons, as in chunk_sums().
excluded_total <- function(compared, powers, blocks, known) {
  of_blocks <- Map(function(block, sums) {
    a <- compared$a[block$x]
    b <- compared$b[block$y]
    u <- known$means[a]
    v <- known$means[b]
    # those of all columns a with all columns b, as a matrix
    products <- matrix(packed_products(known, rep(a, length(b)), rep(b, each = length(a))),
                       length(a))
    stimulus_sum(list(
      cross_squares = sum((products - known$n * tcrossprod(u, v))^2),
      square_products = block_products(sums, a, b, sum(u * (products %*% v)), known),
      norm_products = sum(known$centred[a]) * sum(known$centred[b]), n = known$n
    ))
  }, compared$left_out$blocks, blocks)
  a <- compared$a[compared$left_out$x]
  b <- compared$b[compared$left_out$y]
  u <- known$means[a]
  v <- known$means[b]
  products <- packed_products(known, a, b)
  # as block_products(), for single pairs of columns, each for itself
  square_products <- powers[1, ] - 2 * v * powers[2, ] - 2 * u * powers[3, ] +
    4 * u * v * products + v^2 * known$raw[a] + u^2 * known$raw[b] - 3 * known$n * u^2 * v^2
  sum(unlist(of_blocks)) + stimulus_sum(list(
    cross_squares = sum((products - known$n * known$means[a] * known$means[b])^2),
    square_products = sum(square_products),
    norm_products = sum(known$centred[a] * known$centred[b]), n = known$n
  ))
}
