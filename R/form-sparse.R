# Kernels that are zero except near neighbours. A sparse form is
#   list(n, idx, weight, diagonal, row_sums, column_sums)
# with idx and weight n x k: the kernel's entry at (i, idx[i, e]) is weight[i, e], and
# `diagonal` is that of every stimulus with itself. The symmetric form has in their place
# the vectors idx and weight, with row i at start[i] + 1 .. start[i + 1].

#' @include form.R relabel.R
NULL

declare_form("sparse kernel", relabel = function(form, permutation) {
  form <- relabel_graph(form, permutation)
  relabel_parts(each = c("row_sums", "column_sums", "sigma"))(form, permutation)
}, size = function(n, d, args) 2 * as.double(n) * args$k)

declare_form("symmetric kernel", relabel = function(form, permutation) {
  relabel_symmetric(form, permutation)
}, size = function(n, d, args) 4 * as.double(n) * args$k)

# Rows of unequal lengths, in their new order, with the columns by their new places.
relabel_symmetric <- function(form, permutation) {
  lengths <- diff(form$start)[permutation]
  at <- sequence(lengths, from = form$start[permutation] + 1)
  place <- order(permutation)
  form$idx <- place[form$idx[at]]
  form$weight <- form$weight[at]
  form$start <- c(0, cumsum(lengths))
  form$row_sums <- form$row_sums[permutation]
  form
}

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
  norm <- centered_product(form, form, centering)
  c(form, list(norm = norm, undefined = !is_positive(norm)))
}

# The cosine between two centred kernels, from their product.
kernel_cosine <- function(statistic, x, y, args) {
  statistic / sqrt(x$norm$value) / sqrt(y$norm$value)
}

# Why a cosine is undefined: see `undefined` in with_norm().
warn_no_contrast <- function(repr, args) {
  warn("The score is undefined (NA): the neighbour kernel of `", repr$arg, "` is constant once it ",
       "is centred, as when all stimuli are equally far from each other. A smaller `k` may help.",
       class = "repalign_undefined", data = repr$arg)
}

# The rows of the data, a stimulus a column: of unit length ("cosine"), or all scaled by one
# power of two ("dot").
form_rows <- function(repr, metric) {
  remember_form(repr, "rows", list(metric), list(rows = neighbour_space(repr, metric)$rows))
}

declare_form("rows", relabel = relabel_parts(columns = "rows"),
             size = function(n, d, args) as.double(n) * d)
