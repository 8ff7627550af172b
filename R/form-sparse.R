# Kernels that are zero except near neighbours. A sparse form is
#   list(n, idx, weight, diagonal, row_sums, column_sums)
# with idx and weight n x k: the kernel's entry at (i, idx[i, e]) is weight[i, e], and
# `diagonal` is that of every stimulus with itself. The symmetric form has in their place
# the vectors idx and weight, with row i at start[i] + 1 .. start[i + 1].

sparse_form <- function(idx, weight, diagonal) {
  form <- list(n = nrow(idx), idx = idx, weight = weight, diagonal = diagonal)
  sums <- .Call(C_sparse_sums, form)
  c(form, list(row_sums = sums$rows, column_sums = sums$columns))
}

# Inner product of two centred sparse kernels without the n x n matrices. "row": every
# row minus its mean, <K H, L H>; "double": <H K H, H L H>. magnitude: what its rounding
# is relative to.
centered_product <- function(a, b, centering) {
  dot <- .Call(C_sparse_dot, a, b)
  list(value = centered_sum(dot, a$row_sums, b$row_sums, a$column_sums, b$column_sums, centering),
       magnitude = dot)
}

centered_sum <- function(dot, rows_a, rows_b, columns_a, columns_b, centering) {
  n <- length(rows_a)
  value <- dot - sum(rows_a * rows_b) / n
  if (centering == "row") return(value)
  value - sum(columns_a * columns_b) / n + (sum(rows_a) / n) * (sum(rows_b) / n)
}

# A form with its product with itself, that each comparison needs.
with_norm <- function(form, centering) {
  c(form, list(norm = centered_product(form, form, centering)))
}

# The cosine between two centred kernels, or of another product `value` of theirs.
sparse_alignment <- function(pair, a, b, value) {
  if (!is_positive(a$norm)) return(no_kernel_contrast(pair$x))
  if (!is_positive(b$norm)) return(no_kernel_contrast(pair$y))
  value / sqrt(a$norm$value) / sqrt(b$norm$value)
}

no_kernel_contrast <- function(rep) {
  warn("The score is undefined (NA): the neighbour kernel of `", rep$arg, "` is constant once it ",
       "is centred, as when all stimuli are equally far from each other. A smaller `k` may help.",
       class = "repalign_undefined", data = rep$arg)
  NA_real_
}

# The rows of the data, a stimulus a column: of unit length ("cosine"), or all scaled by one
# power of two ("dot").
form_rows <- function(rep, metric) {
  remember(rep$cache, list("rows", metric), neighbour_space(rep, metric)$rows)
}
