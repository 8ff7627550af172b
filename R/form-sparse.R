# Sparse forms hold kernels that are zero except between near neighbours. A sparse form is
#   list(n, idx, weight, diagonal, row_sums, column_sums)
# with n x k matrices idx and weight: the entry of the kernel at (i, idx[i, e]) is weight[i, e], and
# all entries on its diagonal are `diagonal`. In the symmetric form, and in kernels that are
# averaged over the order of ties, rows have unequal lengths: idx and weight are vectors, and row i
# is at their positions start[i] + 1 to start[i + 1].

#' @include form.R relabel.R
NULL

declare_form("sparse kernel", relabel = function(form, permutation) {
  form <- relabel_sparse(form, permutation)
  relabel_parts(each = c("row_sums", "column_sums", "sigma"))(form, permutation)
}, size = function(n, d, args) 2 * as.double(n) * args$k)

declare_form("symmetric kernel", relabel = function(form, permutation) {
  relabel_parts(each = "row_sums")(relabel_sparse(form, permutation), permutation)
}, size = function(n, d, args) 4 * as.double(n) * args$k)

relabel_sparse <- function(form, permutation) {
  if (is.null(form$start)) relabel_graph(form, permutation) else relabel_lists(form, permutation)
}

sparse_form <- function(idx, weight, diagonal) {
  form <- list(n = nrow(idx), idx = idx, weight = weight, diagonal = diagonal)
  sums <- .Call(C_sparse_sums, form)
  c(form, list(row_sums = sums$rows, column_sums = sums$columns))
}

# The inner product of two centred sparse kernels, computed without n x n matrices. With centering
# "row" the mean of each row is subtracted, <K H, L H>; with "double" also that of each column,
# <H K H, H L H>. `magnitude` is the size of the terms: the rounding error is a share of it.
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

# Adds the inner product of a form with itself, which every comparison needs. No score can be made
# of a form for which it is not positive.
with_norm <- function(form, centering) {
  norm <- centered_product(form, form, centering)
  c(form, list(norm = norm, undefined = !is_positive(norm)))
}

# The cosine between two centred kernels, from their inner product (the statistic).
kernel_cosine <- function(statistic, x, y, args) {
  statistic / sqrt(x$norm$value) / sqrt(y$norm$value)
}

# Warns that the score is undefined because of `repr`: with_norm() marks its form.
warn_no_contrast <- function(repr, args) {
  warn("The score is undefined (NA): the neighbour kernel of `", repr$arg, "` is constant once it ",
       "is centred, as when all stimuli are equally far from each other. A smaller `k` may help.",
       class = "repalign_undefined", data = repr$arg)
}

# The rows of the data as columns, one for each stimulus. For the metric "cosine" they have length
# 1; for "dot" all are multiplied by one power of two.
form_rows <- function(repr, metric) {
  remember_form(repr, "rows", list(metric), list(rows = neighbour_space(repr, metric)$rows))
}

declare_form("rows", relabel = relabel_parts(columns = "rows"),
             size = function(n, d, args) as.double(n) * d)
