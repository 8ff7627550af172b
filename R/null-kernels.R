# How null kernels are declared, the null scores that follow from their values, and the sums under
# permutations that these are made of.

# ---- kernel

# This file says what a null kernel is, how a measure names one, and which forms it works on.

# All null kernels by the names that measures call them.
null_kernels <- new.env()

#' Declares a null kernel
#'
#' Most measures need no new kernel: "inner" (null-inner.R) permutes one of two symmetric n x n
#' matrices, "edges" (null-edges.R) lists of edges, "singular" (null.R) an n x r matrix.
#'
#' @param name the name that measures call the kernel
#' @param run function(task): a list with null_of_pair() of every pair; see kernel_null() for the
#'   task
#' @param cosets can the kernel take all cyclic shifts of a coset at once?
#' @param size function(n, d): how many numbers the operand of an n x d representation holds
#' @param memory function(n, dx, dy): how many numbers there are beside the forms of a pair while
#'   it runs
#' @return the declaration, which is kept in `null_kernels`.
#' @noRd
declare_null_kernel <- function(name, run, cosets, size, memory) {
  stopifnot(is.null(null_kernels[[name]]), identical(names(formals(run)), "task"),
            is.logical(cosets), identical(names(formals(size)), c("n", "d")),
            identical(names(formals(memory)), c("n", "dx", "dy")))
  null_kernels[[name]] <- list(run = run, cosets = cosets, size = size,
                               memory = memory)
}

null_kernel <- function(name) {
  kernel <- null_kernels[[name]]
  if (is.null(kernel)) stop("No null kernel ", dQuote(name, FALSE), " is declared.")
  kernel
}

#' What a measure declares as its null
#'
#' A statistic that is the inner product of standardised values of the stimuli, such as the
#' correlation of the norms of rows, is that of two diagonal matrices: `new_null("inner", centered
#' = FALSE, operand = function(form, repr, args, side)
#' matrix_operand(diag(as.vector(scale(form$norms)) / sqrt(repr$n - 1))))`.
#'
#' @param operand function(form, repr, args, side): a list of what the kernel permutes, and of what
#'   else the statistic and the score need of a side; it is added to the form
#' @param statistic function(values, x, y, args, design): the statistic of all permutations, made
#'   of what the kernel gives for them, the observed order first; x and y are the forms
#' @param kernel the name of a null kernel
#' @param ... what this kernel needs besides, which its file describes, and of any kernel `fits`:
#'   NULL, or a function(measure, pairs, sides): for each pair, can this null be made of its data?
#'   (where it cannot, every permutation is a comparison of its own), and `more`: a function(n, dx,
#'   dy): how many numbers it needs beside those of the kernel, or NULL
#' @return a list of the arguments.
#' @noRd
new_null <- function(kernel, operand, statistic = function(values, x, y, args, design) values,
                     ...) {
  list(kernel = kernel, operand = operand, statistic = statistic, ...)
}

has_cosets <- function(null) !is.null(null) && null_kernel(null$kernel)$cosets

# The forms of one side, extended by their operands: of every representation that some pair uses,
# once each. index: which representation each pair uses; `at` in the result: which of the forms.
operands <- function(null, measure, reprs, index, side) {
  used <- unique(index)
  forms <- lapply(reprs[used], function(repr) {
    form <- measure$declaration$prepare(repr, measure$args, side)
    parts <- null$operand(form, repr, measure$args, side)
    new_form(kind_of_form(form), c(form, parts))
  })
  list(forms = forms, at = match(index, used))
}

null_score <- function(null, measure, design) {
  function(values, x, y) {
    if (is_undefined(x) || is_undefined(y)) {
      # how many orders of the stimuli a kernel's values are for: a vector has one value for each, a
      # matrix a column, and a list of sums matrices with a row
      count <- if (is.list(values)) nrow(values[[1]]) else if (is.matrix(values)) ncol(values) else
        length(values)
      return(rep(NA_real_, count))
    }
    statistic <- null$statistic(values, x, y, measure$args, design)
    measure$declaration$score(statistic, x, y, measure$args)
  }
}

# The two forms of pair number p of a task.
task_forms <- function(task, p) {
  list(x = task$x$forms[[task$x$at[p]]], y = task$y$forms[[task$y$at[p]]])
}

# ---- scores

# The nulls of all kernels share these functions: null scores and p-values.

null_of_label <- function(measure) paste("The null of", measure$label)

orientation <- function(measure) if (measure$declaration$direction == "distance") -1 else 1

# The scale that rounding errors of scores are compared with: 1 for scores that have bounds, and the
# size of the scores themselves for others, which may have the units of the data.
score_scale <- function(measure, s, null) {
  bounded <- all(is.finite(measure$range))
  max(0, abs(s), if (bounded) 1 else abs(null), na.rm = TRUE)
}

# Refuses null scores that do not fit into memory. Those of each measure are kept, and while they
# are made there are about four more matrices of their size.
check_null_memory <- function(count, pairs, measures) {
  check_memory(8 * (count + 1) * pairs * (measures + 4), "The null scores of all pairs",
               "Fewer permutations or fewer pairs in a call need less.")
}

# The p-value of values, larger for more similar, of which the observed one is the first. What is
# undefined counts as if it were as large, so that it never makes a p-value smaller. room: what
# rounding may change.
p_at_least <- function(values, room = equal_share * max(1, abs(values[is.finite(values)]))) {
  if (length(values) < 2 || is.na(values[1])) return(NA_real_)
  mean(is.na(values) | values >= values[1] - room)
}

# How often null scores are at least as large as these values, the observed order among them.
share_reaching <- function(values, null) {
  below <- findInterval(values, sort(null), left.open = TRUE)
  (1 + length(null) - below) / (length(null) + 1)
}

#' The null scores of one pair, and its p-value
#'
#' A null score that differs from the observed one by rounding only is set to it, because roots and
#' aggregates could make such a difference large.
#'
#' @param stat the numbers that are compared for the p-value, larger for more similar, the observed
#'   order first
#' @param score the scores of the same orders
#' @param tolerance what rounding may change of `stat`
#' @param observed the observed score
#' @return list(null, p_value): a score for each permutation, and (1 + how many reach the observed
#'   one) / (1 + their number).
#' @noRd
null_of_pair <- function(stat, score, tolerance, observed) {
  gap <- stat[-1] - stat[1]
  null <- score[-1]
  null[which(abs(gap) <= tolerance)] <- observed
  list(null = null, p_value = (1 + sum(gap >= -tolerance)) / (length(gap) + 1))
}

# ---- inner products and sums under permutations, and the matrices for them

# The inner products of all matrices of x with all matrices of y. The first row is for the identity,
# the others for the permutations of the design; the columns are the pairs of matrices, in which the
# matrix of x changes fastest.
inner_products <- function(x, y, design, what = "The null") {
  n <- design$n
  if (is.null(design$coset)) {
    permutations <- with_observed(design)
    # how many permutations, or cosets, take about a second: the work between two steps of progress
    return(in_chunks(ncol(permutations), 1e9 / (n^2 * length(x) * length(y)), function(columns) {
      .Call(C_permuted_inner, x, y, permutations[, columns, drop = FALSE], thread_count())
    }, what))
  }
  orders <- design$coset$orders_y
  check_memory(coset_bytes(n, x, y), "The Fourier transforms of all pairs",
               "Fewer pairs in a call need less.")
  by_time <- 1e9 / (n^2 * (length(x) * length(y) + 4 * (length(x) + length(y))))
  in_chunks(ncol(orders), min(by_time, 2e8 / coset_bytes(n, x, y)), function(columns) {
    .Call(C_coset_inner, x, y, design$coset$order_x, orders[, columns, drop = FALSE],
          diagonals_at_once, thread_count())
  }, what)
}

# How many diagonals are transformed and added up together. The number is fixed, so that rounding,
# and with it the results, do not depend on how many representations a call has.
diagonals_at_once <- 128

# The memory of a coset: every pair has a complex spectrum of up to twice the length n.
coset_bytes <- function(n, x, y) 32 * as.double(n) * length(x) * length(y)

matrix_operand <- function(matrix) list(matrix = matrix, norm = sqrt(.Call(C_dot, matrix, matrix)))

# The n x n matrix of a packed form. A form with `means` and `grand` (the mean of all entries) is
# centred on the way; others have plain entries.
unpacked <- function(form, n, square = FALSE) {
  grand <- if (is.null(form$grand)) 0 else form$grand
  .Call(C_unpack, form$entries, n, square, form$means, grand, form$diagonal, thread_count())
}

# The column sums of a * b with the rows of b permuted: a matrix with a row for each permutation,
# the identity first, and the columns of a and b.
column_sums <- function(a, b, design) {
  n <- design$n
  if (is.null(design$coset)) {
    sums <- apply(with_observed(design), 2, function(p) colSums(a * b[p, , drop = FALSE]))
    return(t(matrix(sums, ncol(a))))
  }
  # The sums for the shifts of cosets are circular correlations, computed by Fourier transforms of a
  # length without large prime factors, which are fast.
  length <- if (stats::nextn(n) == n) n else stats::nextn(2 * n - 1)
  spectrum <- function(values, repeated) {
    rows <- if (repeated) seq_len(length) %% n else seq_len(n)
    rows[rows == 0] <- n
    rest <- matrix(0, length - length(rows), ncol(values))
    stats::mvfft(rbind(values[rows, , drop = FALSE], rest))
  }
  some <- split(seq_len(ncol(a)), ceiling(seq_len(ncol(a)) * n / 1e6))
  parts <- lapply(some, function(columns) {
    first <- Conj(spectrum(a[design$coset$order_x, columns, drop = FALSE], FALSE))
    shifts <- lapply(seq_len(ncol(design$coset$orders_y)), function(m) {
      second <- spectrum(b[design$coset$orders_y[, m], columns, drop = FALSE], TRUE)
      sums <- stats::mvfft(first * second, inverse = TRUE)
      Re(sums[seq_len(n), , drop = FALSE]) / length
    })
    do.call(rbind, shifts)
  })
  do.call(cbind, unname(parts))
}
