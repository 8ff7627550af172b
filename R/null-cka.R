# The permutation null of CKA for each kernel and estimator stands here. Only the H value of the
# pair changes with a permutation; the self terms do not.

cka_null <- function(args) {
  if (corrects_trials(args$estimator) || isTRUE(args$own_labels)) return(NULL)
  if (goes_by_clusters(args)) return(cluster_null(args))
  if (args$kernel == "manifold") return(sparse_null(manifold_h_of_sums))
  excludes <- corrects_neurons(args$estimator) && (args$shared_neurons || !is.null(args$units_x))
  new_null("inner", operand = if (args$kernel == "linear") linear_operand else gaussian_operand,
           statistic = h_of_inner, centered = TRUE, from_gram = args$kernel == "linear",
           cube = if (args$kernel == "linear") linear_cube,
           correction = if (excludes) excluded_null)
}

linear_operand <- function(form, repr, args, side) {
  # the form has the Gram matrix, unless another measure made it before without
  gram <- form$gram
  if (is.null(gram)) gram <- tcrossprod(scaled_data(repr, TRUE))
  if (corrects_stimuli(args$estimator)) gram <- .Call(C_u_center, gram)
  c(matrix_operand(gram), list(width = as.double(ncol(repr$data)), rows = as.double(repr$n)))
}

# The Gram matrix X X' has the eigenvalues of X'X, but for zeros.
linear_cube <- function(form, repr, args, side) {
  if (ncol(repr$data) >= repr$n) return(NULL)
  x <- scaled_data(repr, TRUE)
  if (corrects_stimuli(args$estimator)) u_centered_cube(x) else core_cube(crossprod(x), repr$n)
}

gaussian_operand <- function(form, repr, args, side) {
  c(matrix_operand(unpacked(form, repr$n)), list(width = 1, rows = as.double(repr$n)))
}

# The H values of all permutations, from the inner products of the centred kernels.
h_of_inner <- function(values, x, y, args, design) {
  n <- x$rows
  neuron_pairs <- x$width * y$width - excluded_count(x$width, args)
  terms <- if (corrects_stimuli(args$estimator)) n * (n - 3) else n^2
  values / (terms * neuron_pairs)
}

excluded_count <- function(width, args) {
  if (!corrects_neurons(args$estimator)) return(0)
  if (args$shared_neurons) return(width)
  if (is.null(args$units_x)) 0 else excluded_pairs(args$units_x, args$units_y)$count
}

# What the neuron pairs that are left out would add to the inner product, for every permutation.
excluded_null <- function(pair, args, design) {
  labels <- pair_labels(pair, args)
  at <- excluded_pairs(labels$x, labels$y)
  blocks <- lapply(at$blocks, function(b) expand.grid(x = b$x, y = b$y))
  ix <- c(at$x, unlist(lapply(blocks, function(b) b$x)))
  iy <- c(at$y, unlist(lapply(blocks, function(b) b$y)))
  if (!length(ix)) return(0)
  n <- as.double(pair$x$n)
  total <- 0
  # a part of the neuron pairs at a time, so that memory stays bounded
  for (part in split(seq_along(ix), ceiling(seq_along(ix) * (design$count + 1) / 2e7))) {
    phi <- scaled_data(pair$x, TRUE)[, ix[part], drop = FALSE]
    psi <- scaled_data(pair$y, TRUE)[, iy[part], drop = FALSE]
    sums <- song_estimate(rowSums(column_sums(phi, psi, design)^2),
                          rowSums(column_sums(phi^2, psi^2, design)),
                          sum(colSums(phi^2) * colSums(psi^2)), n, diagonal = TRUE)
    # the inner product is n (n - 3) times the estimate
    total <- total + n * (n - 3) * sums
  }
  total
}

# The H values of the manifold kernel, from sums over the edges that the two graphs have in common.
manifold_h_of_sums <- function(values, x, y, args, design) {
  manifold_value(values[[1]][, 1], paired_sums(x$row_sums, y$row_sums, design), x, y, args)$value
}
