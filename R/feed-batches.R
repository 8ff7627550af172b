# The streamed CKA from minibatches: H values of disjoint batches of rows, and their means.

#' @include feed.R
NULL

streamed_batches <- function(feed, labels, estimator, batch, shuffle) {
  give <- batch_giver(feed, batch, shuffle)
  h <- list()
  scale <- NULL
  means <- NULL
  while (!is.null(chunk <- give()) && nrow(chunk$x) == batch) {
    if (!attr(give, "shuffled")) means <- add_batch_means(means, chunk)
    if (length(h) == 0 && !attr(give, "shuffled")) warn_alike(chunk, shuffle_advice)
    found <- batch_h(chunk, labels, estimator, length(h) + 1)
    if (is.null(scale)) scale <- found$scale
    h[[length(h) + 1]] <- in_common_units(found, scale)
  }
  if (!length(h)) {
    abort("`batch` is ", batch, ", but `chunks` has fewer rows: lower `batch`.",
          class = "repalign_error_rows", arg = "batch")
  }
  warn_unlike_batches(means, batch)
  if (length(h) < 30) {
    warn("There ", if (length(h) > 1) "are" else "is", " only ", length(h), " minibatch",
         if (length(h) > 1) "es", " of ", batch,
         " rows: the standard error is itself uncertain. A smaller `batch` gives more.",
         class = "repalign_few_batches", data = length(h))
  }
  sizes <- rep(as.double(batch), length(h))
  list(h = deletions_of_means(h), sizes = sizes, n = sum(sizes), scale = scale)
}

shuffle_advice <- paste("Minibatches of successive rows then say little of how stimuli of",
                        "different minibatches are arranged: give the rows in random order, or",
                        "set shuffle = TRUE where rows can be read in any order.")

# Adds a minibatch to what is known of each side: `first`, the means of the first minibatch; the sum
# of the means and of their squared lengths, less `first`; `within`, the sum of the variances within
# minibatches; and how many there are.
add_batch_means <- function(known, chunk) {
  if (is.null(known)) known <- list(x = NULL, y = NULL)
  Map(function(before, data) {
    means <- .Call(C_column_stats, data)$means
    if (is.null(before)) {
      before <- list(first = means, sum = 0, squares = 0, within = 0, count = 0)
    }
    within <- .Call(C_frobenius, data, means, 1)^2 / (nrow(data) - 1)
    list(first = before$first, sum = before$sum + means - before$first,
         squares = before$squares + sum((means - before$first)^2),
         within = before$within + within, count = before$count + 1)
  }, known, chunk[c("x", "y")])
}

# Minibatches of independent rows have means that vary as the rows do within them, over their size.
# The warning comes where they vary more than chance explains (if all variance lay in one
# direction), and have a tenth of all variance between them.
warn_unlike_batches <- function(means, batch) {
  count <- means$x$count
  if (is.null(count) || count < 5) return(invisible())
  excess <- mean(vapply(means, function(side) {
    between <- (side$squares - sum(side$sum^2) / count) / (count - 1)
    batch * between / (side$within / count)
  }, 0)) - 1
  share <- excess / (excess + batch)
  if (!isTRUE(share > 0.1 && excess > 4 * sqrt(2 / (count - 1)))) return(invisible())
  warn("Minibatches differ from each other: ", round(100 * share), "% of the variance lie between ",
       "them, as where rows are sorted by class. ", shuffle_advice, class = "repalign_dependence",
       data = share)
}

# A function that gives the next minibatch, whose attribute tells whether rows are shuffled.
batch_giver <- function(feed, batch, shuffle) {
  if (isTRUE(shuffle) && is.null(feed$pick)) {
    abort("`shuffle` needs rows that can be read in any order: files such as .npy, or matrices. ",
          "Give the rows in random order yourself.", class = "repalign_error_value",
          arg = "shuffle")
  }
  if (is.null(feed$pick) || identical(shuffle, FALSE)) {
    return(structure(function() next_rows(feed, batch), shuffled = FALSE))
  }
  order <- sample.int(feed$n)
  at <- 0
  feed$read <- 0
  structure(function() {
    if (at + batch > feed$n) return(NULL)
    # sorted, so that a file is read from its beginning to its end
    rows <- sort(order[at + seq_len(batch)])
    at <<- at + batch
    checked_chunk(feed$pick(rows), feed)
  }, shuffled = TRUE)
}

# H values of a minibatch, by the functions of cka().
batch_h <- function(chunk, labels, estimator, number) {
  args <- paste(c("x", "y"), "in minibatch", number)
  pair <- as_pair(representation(chunk$x, args[1], side = "x"),
                  representation(chunk$y, args[2], side = "y"))
  own <- lapply(list(x = pair$x, y = pair$y), function(repr) seq_len(ncol(repr$data)))
  if (!is.null(labels)) own <- labels
  h <- list(
    xy = lapply(estimator, function(e) linear_h(pair, e, labels)),
    xx = lapply(estimator, function(e) linear_h(self_pair(pair$x), e, list(x = own$x, y = own$x),
                                                TRUE)),
    yy = lapply(estimator, function(e) linear_h(self_pair(pair$y), e, list(x = own$y, y = own$y),
                                                TRUE))
  )
  list(h = lapply(h, stats::setNames, estimator), scale = h$xy[[1]]$scale)
}

# Minibatches are scaled each by powers of two of its own: in those of the first one, means can be
# taken.
in_common_units <- function(found, scale) {
  sides <- list(xy = c(1, 2), xx = c(1, 1), yy = c(2, 2))
  Map(function(h, side) {
    factor <- 2^(-2 * sum((found$scale - scale)[side]))
    lapply(h, function(one) list(value = one$value * factor, magnitude = one$magnitude * factor))
  }, found$h, sides)
}

# From the values of each minibatch those of all, and of all without each.
deletions_of_means <- function(h) {
  count <- length(h)
  each <- lapply(stats::setNames(nm = names(h[[1]])), function(which) {
    lapply(stats::setNames(nm = names(h[[1]][[which]])), function(e) {
      parts <- vapply(h, function(one) unlist(one[[which]][[e]][c("value", "magnitude")]),
                      c(value = 0, magnitude = 0))
      sums <- rowSums(parts)
      without <- if (count > 1) (sums - parts) / (count - 1)
      cbind(sums / count, without)
    })
  })
  lapply(seq_len(if (count > 1) count + 1 else 1), function(at) {
    lapply(each, lapply, function(values) {
      list(value = values[["value", at]], magnitude = values[["magnitude", at]])
    })
  })
}
