# H values over disjoint clusters of stimuli, and what their permutation null is made of.

# As pair_h() gives them, for the corrected estimators. labels: of the neuron pairs to leave out.
cluster_h <- function(pair, args, labels = NULL, self = FALSE) {
  x <- form_clusters(pair$x, args)
  y <- form_clusters(pair$y, args)
  codes <- labelled_codes(args$clusters)
  linear <- args$kernel == "linear"
  count <- if (linear) as.double(ncol(pair$x$data)) * ncol(pair$y$data) else 1
  total <- cluster_total(x, y, codes)
  value <- total$value
  if (corrects_neurons(args$estimator) && !is.null(labels)) {
    left_out <- excluded_pairs(labels$x, labels$y)
    count <- count - left_out$count
    if (count == 0) no_allowed_pair(pair, self)
    value <- value - excluded_cluster_sum(pair, left_out, codes)
  }
  list(value = value / count,
       # as without clusters: differences of kernel entries cancel, see kernel_h()
       magnitude = total$magnitude / count * if (args$kernel == "rbf") rounding_share else 1,
       scale = if (linear) cluster_scale(pair) else c(0, 0))
}

cluster_scale <- function(pair) log2(c(form_centering(pair$x)$scale, form_centering(pair$y)$scale))

# Sum over all neuron pairs, and the size of its terms.
cluster_total <- function(x, y, codes) {
  if (!is.null(x$data) && !is.null(y$data)) {
    sums <- .Call(C_unit_weighted, x$data, y$data, NULL, codes)
    return(list(value = sums$stimulus[1], magnitude = sums$naive[1]))
  }
  # the side that has its kernel centred already
  if (is.null(x$centered)) return(cluster_total(y, x, codes))
  kernel <- kernel_of_clusters(y)
  n <- as.double(length(codes))
  list(value = .Call(C_dot, x$centered, kernel),
       magnitude = sqrt(.Call(C_dot, x$kernel, x$kernel)) / n *
         sqrt(.Call(C_dot, kernel, kernel)) / n)
}

excluded_cluster_sum <- function(pair, left_out, codes) {
  if (!length(left_out$x) && !length(left_out$blocks)) return(0)
  x <- scaled_data(pair$x, TRUE)
  y <- if (pair$self) x else scaled_data(pair$y, TRUE)
  blocks <- vapply(left_out$blocks, function(block) {
    .Call(C_unit_weighted, x[, block$x, drop = FALSE], y[, block$y, drop = FALSE], NULL,
          codes)$stimulus[1]
  }, 0)
  singles <- if (length(left_out$x)) {
    .Call(C_unit_pairs, x, y, left_out$x, left_out$y, codes)$stimulus[1, ]
  }
  sum(blocks) + sum(singles)
}

# The null of whole clusters that change places: an inner product, unless neuron pairs are left
# out, whose sum every permutation changes.
cluster_null <- function(args) {
  left_out <- corrects_neurons(args$estimator) && (args$shared_neurons || !is.null(args$units_x))
  if (left_out) return(NULL)
  new_null("inner", operand = cluster_operand, centered = FALSE,
           statistic = function(values, x, y, args, design) values / (x$width * y$width))
}

cluster_operand <- function(form, repr, args, side) {
  matrix <- if (side == "x") centered_clusters(form, labelled_codes(args$clusters))
  else kernel_of_clusters(form)
  width <- if (args$kernel == "linear") as.double(ncol(repr$data)) else 1
  c(matrix_operand(matrix), list(width = width))
}
