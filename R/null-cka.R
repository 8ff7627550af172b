# The permutation null of CKA, by kernel and estimator.

# The null of CKA: the denominators do not change under a permutation.
cka_null <- function(args) {
  if (args$kernel == "manifold") return(manifold_null)
  excludes <- args$estimator == "stimulus_neuron" && (args$shared_neurons || !is.null(args$units_x))
  list(
    kind = "pair", centered = TRUE, correction = if (excludes) excluded_null,
    gram = args$kernel == "linear",
    form = function(rep, args, side) {
      units <- if (side == "x") args$units_x else args$units_y
      form <- if (args$kernel == "linear") linear_pair_form(rep, args) else
        gaussian_pair_form(rep, args)
      c(form, list(self = self_h(rep, args, units)))
    },
    score = cka_of_inner
  )
}

linear_pair_form <- function(rep, args) {
  center <- form_centering(rep)
  check_square_memory(rep)
  # there, unless another measure made the form before
  gram <- form_linear(rep)$gram
  if (is.null(gram)) gram <- tcrossprod(.Call(C_center, rep$data, center$means, center$scale))
  if (args$estimator != "naive") gram <- .Call(C_u_center, gram)
  c(normed(gram), list(width = as.double(ncol(rep$data)), n = as.double(rep$n)))
}

gaussian_pair_form <- function(rep, args) {
  check_square_memory(rep)
  form <- form_gaussian(rep, args$sigma, args$bandwidth, args$estimator == "stimulus")
  c(normed(unpacked(form, rep$n)), list(width = 1, n = as.double(rep$n)))
}

cka_of_inner <- function(inner, fx, fy, args) {
  if (!is_positive(fx$self) || !is_positive(fy$self)) return(rep(NA_real_, length(inner)))
  n <- fx$n
  pairs <- fx$width * fy$width - excluded_count(fx$width, args)
  terms <- if (args$estimator == "naive") n^2 else n * (n - 3)
  inner / (terms * pairs) / sqrt(fx$self$value) / sqrt(fy$self$value)
}

excluded_count <- function(width, args) {
  if (args$estimator != "stimulus_neuron") return(0)
  if (args$shared_neurons) return(width)
  if (is.null(args$units_x)) 0 else excluded_pairs(args$units_x, args$units_y)$count
}

# What the pairs of neurons that are left out add to T, for every permutation of the design.
excluded_null <- function(pair, args, design) {
  labels <- pair_labels(pair, args)
  at <- excluded_pairs(labels$x, labels$y)
  blocks <- lapply(at$blocks, function(b) expand.grid(x = b$x, y = b$y))
  ix <- c(at$x, unlist(lapply(blocks, function(b) b$x)))
  iy <- c(at$y, unlist(lapply(blocks, function(b) b$y)))
  if (!length(ix)) return(0)
  columns <- function(rep, index) {
    center <- form_centering(rep)
    .Call(C_center, rep$data, center$means, center$scale)[, index, drop = FALSE]
  }
  n <- as.double(pair$x$n)
  total <- 0
  # some pairs at a time, so that memory stays bounded
  for (part in split(seq_along(ix), ceiling(seq_along(ix) * (design$count + 1) / 2e7))) {
    phi <- columns(pair$x, ix[part])
    psi <- columns(pair$y, iy[part])
    st <- sum(colSums(phi^2) * colSums(psi^2)) / ((n - 1) * (n - 2))
    total <- total + rowSums(column_sums(phi, psi, design)^2) + st -
      (1 + 2 / (n - 2)) * rowSums(column_sums(phi^2, psi^2, design))
  }
  total
}

# The null of the manifold kernel's CKA, over the edges that the two graphs have in common.
manifold_null <- list(
  kind = "graph", passes = list(list(x = "out", y = "out", mode = "products")),
  form = function(rep, args, side) {
    form <- form_manifold(rep, args$k)
    c(form, list(graphs = list(out = sparse_edges(form)), self = self_h(rep, args, NULL)))
  },
  score = function(sums, fx, fy, args, design) {
    rows <- paired_sums(fx$row_sums, fy$row_sums, design)
    h <- manifold_value(sums[[1]][, 1], rows, fx, fy, args)
    if (!is_positive(fx$self) || !is_positive(fy$self)) return(rep(NA_real_, length(h$value)))
    h$value / sqrt(fx$self$value) / sqrt(fy$self$value)
  }
)
