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

#' @include null-kernel.R
NULL

inner_null <- function(task) {
  matrices <- function(side) lapply(side$forms, function(form) form$matrix)
  inner <- inner_products(matrices(task$x), matrices(task$y), task$design, task$label)
  columns <- task$x$at + length(task$x$forms) * (task$y$at - 1)
  lapply(seq_len(nrow(task$pairs)), function(p) {
    forms <- task_forms(task, p)
    values <- inner[, columns[p]] - pair_correction(task, p)
    null_of_pair(values, task$score(values, forms$x, forms$y),
                 equal_share * forms$x$norm * forms$y$norm, task$observed[p])
  })
}

declare_null_kernel("inner", run = inner_null, cosets = TRUE,
                    size = function(n, d) as.double(n)^2,
                    memory = function(n, dx, dy) 2 * n^2)

pair_correction <- function(task, p) {
  if (is.null(task$null$correction)) return(0)
  pair <- as_pair(task$sides$x$reprs[[task$pairs$i[p]]], task$sides$y$reprs[[task$pairs$j[p]]])
  task$null$correction(pair, task$args, task$design)
}

# Where a measure needs the Gram matrices for its null anyway (from_gram), the observed scores use
# them, too: all inner products of a grid are computed at once. An error is not reported here but
# when its pair is compared, where the message can name the pair.
prepare_grams <- function(set, sides) {
  needed <- vapply(set, function(m) isTRUE(null_of(m)$from_gram), NA)
  reprs <- all_representations(sides)
  kinds <- vapply(reprs, function(repr) repr$kind, "")
  if (!any(needed) || any(kinds != "data")) return(invisible())
  for (repr in reprs) repr$cache$gram_wanted <- TRUE
  grams <- function(side) lapply(side$reprs, function(repr) form_linear(repr)$gram)
  totals <- tryCatch(.Call(C_cross_dots, grams(sides$x), grams(sides$y), thread_count()),
                     repalign_error = function(e) NULL)
  if (is.null(totals)) return(invisible())
  for (i in seq_along(sides$x$reprs)) sides$x$reprs[[i]]$cache$grid_row <- totals[i, ]
  for (j in seq_along(sides$y$reprs)) sides$y$reprs[[j]]$cache$grid_column <- j
}
