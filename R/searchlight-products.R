# Inner products of the matrices of many centres with those of a few models, under all permutations
# of the models.

# A list of arrays, which have a part of the permutations each: shifts x centres x models x cosets.
# The first of all is the identity. Permutations that are no cosets have one shift each.
model_products <- function(matrices, job) {
  coset <- job$design$coset
  if (is.null(coset)) return(products_of_permutations(matrices, job))
  n <- job$n
  models <- length(job$operands)
  groups <- split_by_size(ncol(coset$orders_y), 8 * as.double(n)^2 * models)
  lapply(groups, function(cosets) {
    sums <- .Call(C_coset_inner, matrices, coset_layers(job, cosets), coset$order_x,
                  matrix(seq_len(n), n), diagonals_at_once, thread_count())
    dim(sums) <- c(n, length(matrices), models, length(cosets))
    sums
  })
}

# Groups of 1, ..., count, each of which takes up to 256 MB of memory. bytes: of one.
split_by_size <- function(count, bytes) {
  at_once <- max(1, floor(2^28 / bytes))
  unname(split(seq_len(count), (seq_len(count) - 1) %/% at_once))
}

# The matrices of all models in the orders of some cosets: with a layer for each model and coset,
# one set of Fourier transforms of the centres serves all cosets.
coset_layers <- function(job, cosets) {
  layers <- lapply(cosets, function(m) {
    order <- job$design$coset$orders_y[, m]
    lapply(job$operands, function(form) form$matrix[order, order])
  })
  unlist(layers, recursive = FALSE)
}

# A matrix product of the centres, of which the entries on and below the diagonal are kept, with the
# permuted models, where those below it count twice.
products_of_permutations <- function(matrices, job) {
  models <- length(job$operands)
  lower <- which(lower.tri(diag(job$n), diag = TRUE))
  centers <- vapply(matrices, function(a) a[lower], double(length(lower)))
  groups <- split_by_size(job$design$count + 1, 8 * length(lower) * models)
  lapply(groups, function(some) {
    sums <- crossprod(centers, permuted_models(job, some, lower, kept = length(groups) == 1))
    dim(sums) <- c(1, length(matrices), models, length(some))
    sums
  })
}

# A column for each model (the fastest) and permutation. kept: are they made once for all groups of
# centres?
permuted_models <- function(job, some, lower, kept) {
  if (kept && !is.null(job$kept$models)) return(job$kept$models)
  n <- job$n
  row <- (lower - 1) %% n + 1
  column <- (lower - 1) %/% n + 1
  weight <- ifelse(row == column, 1, 2)
  permutations <- cbind(seq_len(n), job$design$matrix)
  columns <- lapply(some, function(k) {
    p <- permutations[, k]
    at <- p[row] + (p[column] - 1) * n
    vapply(job$operands, function(form) weight * form$matrix[at], double(length(lower)))
  })
  permuted <- do.call(cbind, columns)
  if (kept) job$kept$models <- permuted
  permuted
}
