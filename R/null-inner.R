# The null of inner products, and of CKA that leaves out pairs of neurons.

#' @include null-kernels.R
NULL

# The null kernel "inner" makes inner products of symmetric n x n matrices under permutations of one
# of them, T = sum_ij A_ij B_p(i)p(j).
#
# operand()     gives list(matrix = A, norm = its Frobenius norm), see matrix_operand(), and what
#               else the score needs
# values        the T of each permutation; a larger T must mean a more similar score
# centered      do the rows of the matrices add up to 0? Then the moments of T are known, too
# correction    NULL, or a function(pair, args, design) that gives what is subtracted from T
# cube          NULL, or a function(form, repr, args, side) that gives NULL or a cheap way to the
#               trace of the cube of A, see core_cube()
# from_gram     is the matrix made of the Gram matrix of the data? See prepare_grams()

inner_null <- function(task) {
  matrices <- function(side) lapply(side$forms, function(form) form$matrix)
  inner <- inner_products(matrices(task$x), matrices(task$y), task$design, task$label)
  columns <- task$x$at + length(task$x$forms) * (task$y$at - 1)
  lapply(seq_len(nrow(task$pairs)), function(p) {
    forms <- task_forms(task, p)
    values <- inner[, columns[p]]
    if (!is.null(task$null$correction)) {
      pair <- pair_of(task$sides$x$reprs[[task$pairs$i[p]]], task$sides$y$reprs[[task$pairs$j[p]]])
      values <- values - task$null$correction(pair, task$args, task$design)
    }
    null_of_pair(values, task$score(values, forms$x, forms$y),
                 equal_share * forms$x$norm * forms$y$norm, task$observed[p])
  })
}

declare_null_kernel("inner", run = inner_null, cosets = TRUE,
                    size = function(n, d) as.double(n)^2,
                    memory = function(n, dx, dy) 2 * n^2)

# Where a measure needs the Gram matrices for its null anyway (from_gram), the observed scores use
# them, too: all inner products of a grid are computed at once. An error is not reported here but
# when its pair is compared, where the message can name the pair.
prepare_grams <- function(set, sides) {
  needed <- vapply(set, function(m) isTRUE(m$null$from_gram), NA)
  reprs <- all_representations(sides)
  kinds <- vapply(reprs, function(repr) repr$kind, "")
  if (!any(needed) || any(kinds != "data")) return(invisible())
  for (repr in reprs) repr$cache$route <- "sample"
  grams <- function(side) lapply(side$reprs, function(repr) form_linear(repr)$gram)
  totals <- tryCatch(.Call(C_cross_dots, grams(sides$x), grams(sides$y), thread_count()),
                     repalign_error = function(e) NULL)
  if (is.null(totals)) return(invisible())
  for (i in seq_along(sides$x$reprs)) sides$x$reprs[[i]]$cache$grid_row <- totals[i, ]
  for (j in seq_along(sides$y$reprs)) sides$y$reprs[[j]]$cache$grid_column <- j
}

# ---- CKA

# The permutation null of CKA for each kernel and estimator stands here. Only the H value of the
# pair changes with a permutation; the self terms do not.

cka_null <- function(args) {
  if (args$corrects$trials) {
    if (!is.null(args$clusters)) return(NULL)
    return(new_null("trials", operand = function(form, repr, args, side) list(), fits = trials_fit))
  }
  if (isTRUE(args$own_labels)) return(NULL)
  if (goes_by_clusters(args)) return(cluster_null(args))
  if (args$kernel == "manifold") return(sparse_null(manifold_h_of_sums))
  excludes <- leaves_out_across(args)
  new_null("inner", operand = if (args$kernel == "linear") function(form, repr, args, side) {
    # the form has the Gram matrix, unless another measure made it before without
    gram <- form$gram
    if (is.null(gram)) gram <- tcrossprod(scaled_data(repr, TRUE))
    if (args$corrects$stimuli) gram <- .Call(C_u_center, gram)
    c(matrix_operand(gram), list(width = as.double(ncol(repr$data)), rows = as.double(repr$n)))
  } else function(form, repr, args, side) c(matrix_operand(unpacked(form, repr$n)),
                                            list(width = 1, rows = as.double(repr$n))),
           # the H values of all permutations, from the inner products of the centred kernels
           statistic = function(values, x, y, args, design) {
             n <- x$rows
             left_out <- if (!leaves_out_across(args)) 0 else if (args$shared_neurons) x$width else
               excluded_pairs(args$units_x, args$units_y)$count
             neuron_pairs <- x$width * y$width - left_out
             terms <- if (args$corrects$stimuli) n * (n - 3) else n^2
             values / (terms * neuron_pairs)
           },
           centered = TRUE, from_gram = args$kernel == "linear",
           cube = if (args$kernel == "linear") linear_cube,
           correction = if (excludes) excluded_null)
}

# The Gram matrix X X' has the eigenvalues of X'X, but for zeros.
linear_cube <- function(form, repr, args, side) {
  if (ncol(repr$data) >= repr$n) return(NULL)
  x <- scaled_data(repr, TRUE)
  if (args$corrects$stimuli) u_centered_cube(x) else core_cube(crossprod(x), repr$n)
}

# What the neuron pairs that are left out would add to the inner product, for every permutation.
excluded_null <- function(pair, args, design) {
  labels <- pair_labels(pair, args)
  excluded_sums(scaled_data(pair$x, TRUE), scaled_data(pair$y, TRUE),
                excluded_pairs(labels$x, labels$y), design)
}

# x, y: with centred columns; at: what excluded_pairs() gives.
excluded_sums <- function(x, y, at, design) {
  places <- neuron_pair_places(at)
  ix <- places$x
  iy <- places$y
  if (!length(ix)) return(0)
  n <- as.double(nrow(x))
  total <- 0
  # a part of the neuron pairs at a time, so that memory stays bounded
  for (part in split(seq_along(ix), ceiling(seq_along(ix) * (design$count + 1) / 2e7))) {
    phi <- x[, ix[part], drop = FALSE]
    psi <- y[, iy[part], drop = FALSE]
    sums <- song_estimate(rowSums(column_sums(phi, psi, design)^2),
                          rowSums(column_sums(phi^2, psi^2, design)),
                          sum(colSums(phi^2) * colSums(psi^2)), n, diagonal = TRUE)
    # the inner product is n (n - 3) times the estimate
    total <- total + n * (n - 3) * sums
  }
  total
}

# All neuron pairs of what excluded_pairs() gives, as list(x, y).
neuron_pair_places <- function(at) {
  blocks <- lapply(at$blocks, function(b) expand.grid(x = b$x, y = b$y))
  list(x = c(at$x, unlist(lapply(blocks, function(b) b$x))),
       y = c(at$y, unlist(lapply(blocks, function(b) b$y))))
}

# The H values of the manifold kernel, from sums over the edges that the two graphs have in common.
manifold_h_of_sums <- function(values, x, y, args, design) {
  manifold_value(values[[1]][, 1], paired_sums(x$row_sums, y$row_sums, design), x, y, args)$value
}
