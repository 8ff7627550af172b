# The null kernel "edges", of sums over the edges that two directed graphs have in common, and the
# null kernel "concordance", of Kendall's tau.

#' @include null-kernels.R
NULL

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
  "edges", cosets = TRUE, size = function(n, d) 0, memory = function(n, dx, dy) 0,
  run = function(task) {
    widths <- vapply(task$null$passes, sums_per_pair, 0)
    graphs <- length(task$x$forms) * length(task$y$forms)
    check_null_memory(task$design$count, graphs, sum(widths))
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
                   task$observed[p])
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
      out <- if (is.null(form$start)) {
        edges_out(form$idx, form$weight)
      } else {
        list(start = as.integer(form$start), target = as.integer(form$idx),
             rank = rep(1L, length(form$idx)), weight = as.double(form$weight))
      }
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
  memory = function(n, dx, dy) 6 * packed_length(n),
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
ordered_pairs <- function(values, n, there = rep(TRUE, length(values))) {
  at <- which(there)
  at <- at[order(values[at], method = "radix")]
  places <- pair_places(at, n)
  new <- c(TRUE, diff(values[at]) != 0)
  level <- cumsum(new)
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
  counts[, 1] / if (outer == "tau_b") sqrt(order$untied) * sqrt(all - counts[, 2]) else all
}
