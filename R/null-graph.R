# The null of graph forms: a measure declares null = list(kind = "graph", form, passes, score).
# form(rep, args, side) gives list(graphs = a named list of edge lists, and what score() needs);
# passes: list(x, y, mode) each, the graphs to lay over each other and what to add up over
# their common edges; score(sums, fx, fy, args, design) turns the sums of all passes into
# scores, a row a permutation, the identity first.

common_modes <- c(count = 0L, jaccard = 1L, ranks = 2L, any = 3L, products = 4L)

graph_null <- function(null, measure, pairs, sides, design, observed) {
  args <- measure$args
  x <- used_forms(sides$x$reps, pairs$i, function(rep) null$form(rep, args, "x"))
  y <- used_forms(sides$y$reps, pairs$j, function(rep) null$form(rep, args, "y"))
  widths <- vapply(null$passes, function(pass) sums_of(pass), 0)
  check_null_memory(design$count, length(x$forms) * length(y$forms), sum(widths))
  passes <- lapply(null$passes, function(pass) {
    common_edges(x$forms, y$forms, pass, design, null_of_label(measure))
  })
  lapply(seq_len(nrow(pairs)), function(p) {
    at <- x$at[p] + length(x$forms) * (y$at[p] - 1)
    sums <- lapply(passes, function(sums) sums$values[, sums$width * (at - 1) + seq_len(sums$width),
                                                      drop = FALSE])
    score <- null$score(sums, x$forms[[x$at[p]]], y$forms[[y$at[p]]], args, design)
    pair_draw(score, score, equal_share * max(1, abs(score[1])), observed[p])
  })
}

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
      .Call(C_graph_coset, graphs_x, graphs_y, order(design$coset$order_x),
            labels_y[, columns, drop = FALSE], mode)
    }, what)
  } else {
    permutations <- cbind(seq_len(design$n), design_matrix(design))
    in_chunks(ncol(permutations), 1e8 / (length(graphs_x) * length(graphs_y) *
                                           length(graphs_x[[1]]$target)), function(columns) {
      .Call(C_graph_permuted, graphs_x, graphs_y, permutations[, columns, drop = FALSE], mode)
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

# Measures on neighbour lists: something added up over common neighbours, over n.
list_null <- function(mode, divisor = function(args) 1, x = "out") {
  list(
    kind = "graph", passes = list(list(x = x, y = "out", mode = mode)),
    form = function(rep, args, side) {
      out <- edges_out(form_graph(rep, args$metric, args$k)$idx)
      list(graphs = c(list(out = out), if (side == "x" && x == "in") list("in" = edges_in(out))))
    },
    score = function(sums, fx, fy, args, design) sums[[1]][, 1] / (design$n * divisor(args))
  )
}

# Cosines of centred sparse kernels: product(sums, fx, fy, args, design) gives their inner
# products.
sparse_null <- function(form, passes, product) {
  list(
    kind = "graph", passes = passes,
    form = function(rep, args, side) {
      sparse <- form(rep, args)
      out <- sparse_edges(sparse)
      graphs <- list(out = out)
      if (length(passes) > 1) graphs[["in"]] <- edges_in(out)
      c(sparse, list(graphs = graphs))
    },
    score = function(sums, fx, fy, args, design) {
      value <- product(sums, fx, fy, args, design)
      if (!is_positive(fx$norm) || !is_positive(fy$norm)) return(rep(NA_real_, length(value)))
      value / sqrt(fx$norm$value) / sqrt(fy$norm$value)
    }
  )
}

products_out <- list(list(x = "out", y = "out", mode = "products"))

# <K, L> less what centring takes off, where the sums of rows and columns are known.
centered_products <- function(sums, fx, fy, args, design) {
  n <- design$n
  value <- sums[[1]][, 1] + n * fx$diagonal * fy$diagonal -
    paired_sums(fx$row_sums, fy$row_sums, design) / n
  if (is.null(args$centering) || args$centering == "row") return(value)
  value - paired_sums(fx$column_sums, fy$column_sums, design) / n +
    (sum(fx$row_sums) / n) * (sum(fy$row_sums) / n)
}
