# The null kernel "edges": sums over the edges that two directed graphs have in common, under
# permutations of the stimuli of one of them.
#
# operand()     gives list(graphs = a named list of edge lists), and what else the score needs
# passes        a list of list(x, y, mode): names of the graphs to lay over each other, and what to
#               add up over their common edges, one of `common_modes`
# values        a list with the sums of each pass, a matrix with a row a permutation

#' @include null-kernel.R
NULL

common_modes <- c(count = 0L, jaccard = 1L, ranks = 2L, any = 3L, products = 4L)

edge_null <- function(task) {
  widths <- vapply(task$null$passes, function(pass) sums_of(pass), 0)
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
    null_of_pair(score, score, equal_share * max(1, abs(score[1])), task$observed[p])
  })
}

declare_null_kernel("edges", run = edge_null, cosets = TRUE, size = function(n, d) 0,
                    memory = function(n, dx, dy) 0)

common_edges <- function(x, y, pass, design, what = "The null") {
  mode <- common_modes[[pass$mode]]
  graphs_x <- lapply(x, function(form) form$graphs[[pass$x]])
  graphs_y <- lapply(y, function(form) form$graphs[[pass$y]])
  # an edge meets at most one edge of the other graph per shift, so that all shifts at once
  # never cost more than one after the other
  values <- if (!is.null(design$coset)) {
    labels_y <- apply(design$coset$orders_y, 2, order)
    in_chunks(ncol(labels_y), 1e8 / (length(graphs_x) * length(graphs_y) *
                                       length(graphs_x[[1]]$target)), function(columns) {
      .Call(C_coset_edges, graphs_x, graphs_y, order(design$coset$order_x),
            labels_y[, columns, drop = FALSE], mode)
    }, what)
  } else {
    permutations <- cbind(seq_len(design$n), design_matrix(design))
    in_chunks(ncol(permutations), 1e8 / (length(graphs_x) * length(graphs_y) *
                                           length(graphs_x[[1]]$target)), function(columns) {
      .Call(C_permuted_edges, graphs_x, graphs_y, permutations[, columns, drop = FALSE], mode)
    }, what)
  }
  list(values = values, width = sums_of(pass))
}

# Numbers per permutation and pair that a pass gives.
sums_of <- function(pass) if (pass$mode == "products") 4 else 1

# Edges of a neighbour graph, out: from each row to its neighbours.
edges_out <- function(idx, weight = NULL) {
  n <- nrow(idx)
  k <- ncol(idx)
  if (is.null(weight)) weight <- matrix(1, n, k)
  list(start = as.integer((0:n) * k), target = as.integer(t(idx)),
       rank = rep(seq_len(k), n), weight = as.double(t(weight)))
}

# The same edges from their ends: to each row from those it is a neighbour of.
edges_in <- function(edges) {
  n <- length(edges$start) - 1L
  from <- rep(seq_len(n), diff(edges$start))
  sorted <- order(edges$target)
  list(start = as.integer(c(0, cumsum(tabulate(edges$target, n)))), target = from[sorted],
       rank = edges$rank[sorted], weight = edges$weight[sorted])
}

# sum_i a_i b_p(i) for the identity and every permutation of the design.
paired_sums <- function(a, b, design) as.vector(column_sums(cbind(a), cbind(b), design))

# Edges of a sparse form (form-sparse.R).
sparse_edges <- function(form) {
  if (is.null(form$start)) return(edges_out(form$idx, form$weight))
  list(start = as.integer(form$start), target = as.integer(form$idx),
       rank = rep(1L, length(form$idx)), weight = as.double(form$weight))
}

# For measures on neighbour lists: something added up over common neighbours, a stimulus on
# average. reversed: the edges of x the other way round.
neighbour_list_null <- function(mode, reversed = FALSE) {
  new_null(
    "edges", passes = list(list(x = if (reversed) "in" else "out", y = "out", mode = mode)),
    operand = function(form, repr, args, side) {
      out <- edges_out(form$idx)
      list(graphs = c(list(out = out), if (side == "x" && reversed) list("in" = edges_in(out))))
    },
    statistic = function(values, x, y, args, design) values[[1]][, 1] / design$n
  )
}

# For products of centred sparse kernels. reversed: the edges in the other direction, too.
sparse_null <- function(statistic, reversed = FALSE) {
  pass <- function(graph) list(x = graph, y = graph, mode = "products")
  new_null(
    "edges", passes = c(list(pass("out")), if (reversed) list(pass("in"))),
    operand = function(form, repr, args, side) {
      out <- sparse_edges(form)
      list(graphs = c(list(out = out), if (reversed) list("in" = edges_in(out))))
    },
    statistic = statistic
  )
}

# <K, L> less what centring takes off, where the sums of rows and columns are known.
centered_products <- function(values, x, y, args, design) {
  n <- design$n
  value <- values[[1]][, 1] + n * x$diagonal * y$diagonal -
    paired_sums(x$row_sums, y$row_sums, design) / n
  if (is.null(args$centering) || args$centering == "row") return(value)
  value - paired_sums(x$column_sums, y$column_sums, design) / n +
    (sum(x$row_sums) / n) * (sum(y$row_sums) / n)
}
