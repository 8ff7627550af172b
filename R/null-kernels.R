# How null kernels are declared, the null scores that follow from their values, and the sums under
# permutations that these are made of; and the kernels "edges" and "concordance".

# ---- kernel

# This file says what a null kernel is, how a measure names one, and which forms it works on.

# All null kernels by the names that measures call them.
null_kernels <- new.env()

#' Declares a null kernel
#'
#' Most measures need no new kernel: "inner" (null-inner.R) permutes one of two symmetric n x n
#' matrices, "edges" lists of edges, "singular" (null.R) an n x r matrix.
#'
#' @param name the name that measures call the kernel
#' @param run function(task): a list with null_of_pair() of every pair; see kernel_null() for the
#'   task
#' @param cosets can the kernel take all cyclic shifts of a coset at once?
#' @param size function(n, d): how many numbers the operand of an n x d representation holds
#' @return the declaration, which is kept in `null_kernels`.
#' @noRd
declare_null_kernel <- function(name, run, cosets, size) {
  stopifnot(is.null(null_kernels[[name]]), identical(names(formals(run)), "task"),
            is.logical(cosets), identical(names(formals(size)), c("n", "d")))
  null_kernels[[name]] <- list(run = run, cosets = cosets, size = size)
}

null_kernel <- function(name) {
  kernel <- null_kernels[[name]]
  if (is.null(kernel)) stop("No null kernel ", quoted(name), " is declared.")
  kernel
}

#' What a measure declares as its null
#'
#' A statistic that is the inner product of standardised values of the stimuli, such as the
#' correlation of the norms of rows, is that of two diagonal matrices: `new_null("inner", centered
#' = FALSE, operand = function(form, repr, args, side)
#' matrix_operand(diag(as.vector(scale(form$norms)) / sqrt(repr$n - 1))))`.
#'
#' @param operand function(form, repr, args, side): a list of what the kernel permutes, and of what
#'   else the statistic and the score need of a side; it is added to the form
#' @param statistic function(values, x, y, args, design): the statistic of all permutations, made
#'   of what the kernel gives for them, the observed order first; x and y are the forms
#' @param kernel the name of a null kernel
#' @param ... what this kernel needs besides, which its file describes, and of any kernel `fits`:
#'   NULL, or a function(measure, pairs, sides): for each pair, can this null be made of its data?
#'   (where it cannot, every permutation is a comparison of its own)
#' @return a list of the arguments.
#' @noRd
new_null <- function(kernel, operand, statistic = function(values, x, y, args, design) values,
                     ...) {
  list(kernel = kernel, operand = operand, statistic = statistic, ...)
}

has_cosets <- function(null) !is.null(null) && null_kernel(null$kernel)$cosets

# The forms of one side, extended by their operands: of every representation that some pair uses,
# once each. index: which representation each pair uses; `at` in the result: which of the forms.
operands <- function(null, measure, reprs, index, side) {
  used <- unique(index)
  forms <- lapply(reprs[used], function(repr) {
    form <- measure$declaration$prepare(repr, measure$args, side)
    new_form(kind_of_form(form), c(form, null$operand(form, repr, measure$args, side)))
  })
  list(forms = forms, at = match(index, used))
}

null_score <- function(null, measure, design) {
  function(values, x, y) {
    if (is_undefined(x) || is_undefined(y)) {
      # how many orders of the stimuli a kernel's values are for: a vector has one value for each, a
      # matrix a column, and a list of sums matrices with a row
      count <- if (is.list(values)) nrow(values[[1]]) else if (is.matrix(values)) ncol(values) else
        length(values)
      return(rep(NA_real_, count))
    }
    statistic <- null$statistic(values, x, y, measure$args, design)
    measure$declaration$score(statistic, x, y, measure$args)
  }
}

# The two forms of pair number p of a task.
task_forms <- function(task, p) {
  list(x = task$x$forms[[task$x$at[p]]], y = task$y$forms[[task$y$at[p]]])
}

# ---- scores

# The nulls of all kernels share these functions: null scores and p-values.

null_of_label <- function(measure) paste("The null of", measure$label)

orientation <- function(measure) if (measure$declaration$direction == "distance") -1 else 1

# The scale that rounding errors of scores are compared with: 1 for scores that have bounds, and the
# size of the scores themselves for others, which may have the units of the data.
score_scale <- function(measure, s, null) {
  max(0, abs(s), if (all(is.finite(measure$range))) 1 else abs(null), na.rm = TRUE)
}

# Refuses null scores that do not fit into memory. Those of each measure are kept, and while they
# are made there are about four more matrices of their size.
check_null_memory <- function(count, pairs, measures) {
  check_memory(8 * (count + 1) * pairs * (measures + 4), "The null scores of all pairs",
               "Fewer permutations or fewer pairs in a call need less.")
}

# The p-value of values, larger for more similar, of which the observed one is the first. What is
# undefined counts as if it were as large, so that it never makes a p-value smaller. room: what
# rounding may change.
p_at_least <- function(values, room = equal_share * max(1, abs(values[is.finite(values)]))) {
  if (length(values) < 2 || is.na(values[1])) return(NA_real_)
  mean(is.na(values) | values >= values[1] - room)
}

# How often null scores are at least as large as these values, the observed order among them.
share_reaching <- function(values, null) {
  (1 + length(null) - findInterval(values, sort(null), left.open = TRUE)) / (length(null) + 1)
}

#' The null scores of one pair, and its p-value
#'
#' A null score that differs from the observed one by rounding only is set to it, because roots and
#' aggregates could make such a difference large.
#'
#' @param stat the numbers that are compared for the p-value, larger for more similar, the observed
#'   order first
#' @param score the scores of the same orders
#' @param tolerance what rounding may change of `stat`
#' @param observed the observed score
#' @param kept which of the permutations count, see coset_design(); NULL: all
#' @return list(null, p_value): a score for each permutation, and (1 + how many reach the observed
#'   one) / (1 + their number).
#' @noRd
null_of_pair <- function(stat, score, tolerance, observed, kept = NULL) {
  gap <- stat[-1] - stat[1]
  null <- score[-1]
  if (!is.null(kept)) {
    gap <- gap[kept]
    null <- null[kept]
  }
  null[which(abs(gap) <= tolerance)] <- observed
  list(null = null, p_value = (1 + sum(gap >= -tolerance)) / (length(gap) + 1))
}

# ---- inner products and sums under permutations, and the matrices for them

# The inner products of all matrices of x with all matrices of y. The first row is for the identity,
# the others for the permutations of the design; the columns are the pairs of matrices, in which the
# matrix of x changes fastest.
inner_products <- function(x, y, design, what = "The null") {
  n <- design$n
  if (is.null(design$coset)) {
    permutations <- with_observed(design)
    # how many permutations, or cosets, take about a second: the work between two steps of progress
    return(in_chunks(ncol(permutations), 1e9 / (n^2 * length(x) * length(y)), function(columns) {
      .Call(C_permuted_inner, x, y, permutations[, columns, drop = FALSE], thread_count())
    }, what))
  }
  orders <- design$coset$orders_y
  check_memory(coset_bytes(n, x, y), "The Fourier transforms of all pairs",
               "Fewer pairs in a call need less.")
  by_time <- 1e9 / (n^2 * (length(x) * length(y) + 4 * (length(x) + length(y))))
  in_chunks(ncol(orders), min(by_time, 2e8 / coset_bytes(n, x, y)), function(columns) {
    .Call(C_coset_inner, x, y, design$coset$order_x, orders[, columns, drop = FALSE],
          diagonals_at_once, thread_count())
  }, what)
}

# How many diagonals are transformed and added up together. The number is fixed, so that rounding,
# and with it the results, do not depend on how many representations a call has.
diagonals_at_once <- 128

# The memory of a coset: every pair has a complex spectrum of up to twice the length n.
coset_bytes <- function(n, x, y) 32 * as.double(n) * length(x) * length(y)

matrix_operand <- function(matrix) list(matrix = matrix, norm = sqrt(.Call(C_dot, matrix, matrix)))

# The n x n matrix of a packed form. A form with `means` and `grand` (the mean of all entries) is
# centred on the way; others have plain entries.
unpacked <- function(form, n, square = FALSE) {
  grand <- if (is.null(form$grand)) 0 else form$grand
  .Call(C_unpack, form$entries, n, square, form$means, grand, form$diagonal, thread_count())
}

# The column sums of a * b with the rows of b permuted: a matrix with a row for each permutation,
# the identity first, and the columns of a and b.
column_sums <- function(a, b, design) {
  n <- design$n
  if (is.null(design$coset)) {
    sums <- apply(with_observed(design), 2, function(p) colSums(a * b[p, , drop = FALSE]))
    return(t(matrix(sums, ncol(a))))
  }
  # The sums for the shifts of cosets are circular correlations, computed by Fourier transforms of a
  # length without large prime factors, which are fast.
  length <- if (stats::nextn(n) == n) n else stats::nextn(2 * n - 1)
  spectrum <- function(values, repeated) {
    rows <- if (repeated) seq_len(length) %% n else seq_len(n)
    rows[rows == 0] <- n
    rest <- matrix(0, length - length(rows), ncol(values))
    stats::mvfft(rbind(values[rows, , drop = FALSE], rest))
  }
  some <- split(seq_len(ncol(a)), ceiling(seq_len(ncol(a)) * n / 1e6))
  parts <- lapply(some, function(columns) {
    first <- Conj(spectrum(a[design$coset$order_x, columns, drop = FALSE], FALSE))
    shifts <- lapply(seq_len(ncol(design$coset$orders_y)), function(m) {
      second <- spectrum(b[design$coset$orders_y[, m], columns, drop = FALSE], TRUE)
      sums <- stats::mvfft(first * second, inverse = TRUE)
      Re(sums[seq_len(n), , drop = FALSE]) / length
    })
    do.call(rbind, shifts)
  })
  do.call(cbind, unname(parts))
}

# ---- edges

# The kernel makes sums under permutations of the stimuli of one of two graphs.
#
# operand()     gives list(graphs = a named list of edge lists), and what else the score needs
# passes        a list of list(x, y, mode): the names of the two graphs whose common edges are
#               taken, and what to add up over them, one of `common_modes`
# values        a list with the sums of each pass: a matrix with a row for each permutation

common_modes <- c(count = 0L, jaccard = 1L, ranks = 2L, any = 3L, products = 4L, weights = 5L,
                  mean_jaccard = 6L)

# What the modes for averages over the order of ties amount to without ties.
untied_modes <- c(weights = "count", mean_jaccard = "jaccard")

declare_null_kernel(
  "edges", cosets = TRUE, size = function(n, d) 0,
  run = function(task) {
    graphs <- length(task$x$forms) * length(task$y$forms)
    check_null_memory(task$design$count, graphs, sum(vapply(task$null$passes, sums_per_pair, 0)))
    passes <- lapply(task$null$passes, function(pass) {
      common_edges(task$x$forms, task$y$forms, pass, task$design, task$label)
    })
    lapply(seq_len(nrow(task$pairs)), function(p) {
      at <- task$x$at[p] + length(task$x$forms) * (task$y$at[p] - 1)
      sums <- lapply(passes, function(pass) {
        pass$values[, pass$width * (at - 1) + seq_len(pass$width), drop = FALSE]
      })
      forms <- task_forms(task, p)
      score <- task$score(sums, forms$x, forms$y)
      null_of_pair(task$orientation * score, score, equal_share * max(1, abs(score[1])),
                   task$observed[p], task$design$kept)
    })
  }
)

common_edges <- function(x, y, pass, design, what) {
  graphs_x <- lapply(x, function(form) form$graphs[[pass$x]])
  graphs_y <- lapply(y, function(form) form$graphs[[pass$y]])
  tied <- any(vapply(c(graphs_x, graphs_y), function(graph) !is.null(graph$sure), NA))
  untied <- !tied && pass$mode %in% names(untied_modes)
  mode <- common_modes[[if (untied) untied_modes[[pass$mode]] else pass$mode]]
  # an edge coincides with at most one edge of the other graph at each shift, so that all shifts of
  # a coset at once never cost more than the same shifts one by one
  coset <- design$coset
  orders <- if (is.null(coset)) with_observed(design) else apply(coset$orders_y, 2, order)
  at_once <- 1e8 / (length(graphs_x) * length(graphs_y) * length(graphs_x[[1]]$target))
  values <- in_chunks(ncol(orders), at_once, function(columns) {
    part <- orders[, columns, drop = FALSE]
    if (is.null(coset)) return(.Call(C_permuted_edges, graphs_x, graphs_y, part, mode))
    .Call(C_coset_edges, graphs_x, graphs_y, order(coset$order_x), part, mode)
  }, what)
  list(values = values, width = sums_per_pair(pass))
}

# How many sums a pass gives for each permutation and pair.
sums_per_pair <- function(pass) if (pass$mode == "products") 4 else 1

# The outgoing edges of a neighbour graph: from each stimulus to its neighbours.
edges_out <- function(idx, weight = NULL) {
  n <- nrow(idx)
  k <- ncol(idx)
  if (is.null(weight)) weight <- matrix(1, n, k)
  list(start = as.integer((0:n) * k), target = as.integer(t(idx)),
       rank = rep(seq_len(k), n), weight = as.double(t(weight)))
}

# The edges of a neighbour graph that may be averaged over the order of ties: those that are tied
# have the rank 2, and k is the number of neighbours.
averaged_edges <- function(form) {
  k <- ncol(form$idx)
  lists <- form$averaged
  if (is.null(lists)) {
    edges <- edges_out(form$idx)
    edges$rank[] <- 1L
    return(c(edges, list(k = k)))
  }
  lengths <- diff(lists$start)
  tied <- sequence(lengths) > rep(lists$sure, lengths)
  list(start = as.integer(lists$start), target = as.integer(lists$idx), rank = 1L + tied,
       weight = lists$weight, sure = lists$sure, k = k)
}

is_averaged <- function(x, y) !is.null(x$averaged) || !is.null(y$averaged)

# The sum over common edges of two graphs, at least one of them averaged.
averaged_sum <- function(x, y, mode) {
  .Call(C_permuted_edges, list(averaged_edges(x)), list(averaged_edges(y)),
        cbind(seq_len(nrow(x$idx))), common_modes[[mode]])[1, 1]
}

# The same edges reversed: from each stimulus to those that it is a neighbour of.
edges_in <- function(edges) {
  n <- length(edges$start) - 1L
  from <- rep(seq_len(n), diff(edges$start))
  sorted <- order(edges$target)
  list(start = as.integer(c(0, cumsum(tabulate(edges$target, n)))), target = from[sorted],
       rank = edges$rank[sorted], weight = edges$weight[sorted])
}

# The sum over i of a_i b_p(i), for the identity and every permutation p of the design.
paired_sums <- function(a, b, design) as.vector(column_sums(cbind(a), cbind(b), design))

# The null of measures on neighbour lists: a sum over common neighbours, averaged over the stimuli.
# mode: what is added up, one of `common_modes`; reversed: take the reversed edges of x.
neighbour_list_null <- function(mode, reversed = FALSE) {
  new_null(
    "edges", passes = list(list(x = if (reversed) "in" else "out", y = "out", mode = mode)),
    operand = function(form, repr, args, side) {
      out <- if (mode %in% names(untied_modes)) averaged_edges(form) else edges_out(form$idx)
      list(graphs = c(list(out = out), if (side == "x" && reversed) list("in" = edges_in(out))))
    },
    statistic = function(values, x, y, args, design) values[[1]][, 1] / design$n
  )
}

# The null of inner products of centred sparse kernels. reversed: add a pass over the reversed edges
# of both sides.
sparse_null <- function(statistic, reversed = FALSE) {
  pass <- function(graph) list(x = graph, y = graph, mode = "products")
  new_null(
    "edges", passes = c(list(pass("out")), if (reversed) list(pass("in"))),
    operand = function(form, repr, args, side) {
      # the edges of a sparse form, which is described in form-graph.R
      out <- if (is.null(form$start)) edges_out(form$idx, form$weight) else
        list(start = as.integer(form$start), target = as.integer(form$idx),
             rank = rep(1L, length(form$idx)), weight = as.double(form$weight))
      list(graphs = c(list(out = out), if (reversed) list("in" = edges_in(out))))
    },
    statistic = statistic
  )
}

# The inner products of the centred kernels: those of the uncentred ones, corrected with their row
# and column sums.
centered_products <- function(values, x, y, args, design) {
  n <- design$n
  value <- values[[1]][, 1] + n * x$diagonal * y$diagonal -
    paired_sums(x$row_sums, y$row_sums, design) / n
  if (is.null(args$centering) || args$centering == "row") return(value)
  value - paired_sums(x$column_sums, y$column_sums, design) / n +
    (sum(x$row_sums) / n) * (sum(y$row_sums) / n)
}

# ---- Kendall's tau

# The null kernel "concordance" counts, under permutations of the stimuli of one of two RDMs, the
# pairs of pairs of stimuli that are concordant less those that are discordant. Both RDMs are sorted
# once: a permutation tells only in which order the pairs of one come along those of the other.
#
# operand()     gives list(order, levels): ordered_pairs() of side x, or pair_levels() of side y
# values        a list of one matrix with a row for each permutation: that number, and how many
#               pairs of pairs are tied on side y

declare_null_kernel(
  "concordance", cosets = FALSE, size = function(n, d) 1.5 * packed_length(n),
  run = function(task) {
    orders <- with_observed(task$design)
    lapply(seq_len(nrow(task$pairs)), function(p) {
      forms <- task_forms(task, p)
      counts <- permuted_excess(forms$x$order, forms$y$levels, orders, task$label)
      score <- task$score(list(counts), forms$x, forms$y)
      null_of_pair(task$orientation * score, score, equal_share, task$observed[p])
    })
  }
)

# A matrix with a row for each order (n x count): excess and tied.
permuted_excess <- function(order, levels, orders, label) {
  in_chunks(ncol(orders), 5e7 / length(order$level), function(at) {
    do.call(cbind, .Call(C_permuted_concordance, order, levels, orders[, at, drop = FALSE],
                         thread_count()))
  }, label)
}

# The pairs of stimuli that are `there`, in the order of their values: list(first, second, level,
# untied), of which the last is how many pairs of them are not tied.
ordered_pairs <- function(values, n, there) {
  at <- which(there)
  at <- at[order(values[at], method = "radix")]
  places <- pair_places(at, n)
  level <- cumsum(c(TRUE, diff(values[at]) != 0))
  list(first = places$first, second = places$second, level = level,
       untied = choose(length(at), 2) - sum(choose(tabulate(level), 2)))
}

# list(level, levels): the level of each packed value, and how many levels there are.
pair_levels <- function(values) {
  at <- order(values, method = "radix")
  new <- c(TRUE, diff(values[at]) != 0)
  level <- integer(length(values))
  level[at] <- cumsum(new)
  list(level = level, levels = sum(new))
}

# counts: a matrix with the rows of permuted_excess().
taus_of_counts <- function(counts, order, outer) {
  all <- choose(length(order$level), 2)
  counts[, 1] / if (outer == "tau_b") sqrt(order$untied * (all - counts[, 2])) else all
}
