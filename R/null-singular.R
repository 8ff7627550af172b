# The null kernel "singular" makes the singular values of A'B under permutations of the rows of B.
#
# operand()     gives list(matrix = an n x r matrix, norm = its Frobenius norm), and what else the
#               score needs
# values        a matrix with the singular values of each permutation as a column; a larger sum of
#               them must mean a more similar score

#' @include null-kernel.R
NULL

singular_null <- function(task) {
  permutations <- cbind(seq_len(task$design$n), design_matrix(task$design))
  count <- ncol(permutations)
  progress <- singular_progress(nrow(task$pairs) * count, task$label)
  lapply(seq_len(nrow(task$pairs)), function(p) {
    forms <- task_forms(task, p)
    a <- forms$x$matrix
    b <- forms$y$matrix
    parts <- lapply(permutation_chunks(a, b, count), function(at) {
      values <- .Call(C_permuted_singular_values, a, b, permutations[, at, drop = FALSE])
      progress(length(at))
      cbind(colSums(values), task$score(values, forms$x, forms$y))
    })
    found <- do.call(rbind, parts)
    null_of_pair(found[, 1], found[, 2], equal_share * forms$x$norm * forms$y$norm,
                 task$observed[p])
  })
}

declare_null_kernel("singular", run = singular_null, cosets = FALSE,
                    size = function(n, d) as.double(n) * min(n, d),
                    memory = function(n, dx, dy) {
                      sides <- pmin(n, c(dx, dy))
                      n * (sum(sides) + max(sides)) + 3 * prod(sides)
                    })

# The permutations in parts of about half a second each, between which progress is shown. The
# product takes about n r s operations, and its singular values 20 times the longer side times the
# square of the shorter.
permutation_chunks <- function(a, b, count) {
  r <- as.double(ncol(a))
  s <- as.double(ncol(b))
  work <- nrow(a) * r * s + 20 * max(r, s) * min(r, s)^2
  unname(split(seq_len(count), ceiling(seq_len(count) / max(1, floor(1e9 / work)))))
}

# A function that is told how many more permutations are done. It advances the progress, and says
# after the first ones how long the rest will take.
singular_progress <- function(total, label) {
  advance <- progress_along(100)
  started <- proc.time()[[3]]
  done <- 0
  function(more) {
    if (done == 0) announce_duration(started, more, total, label)
    steps <- floor(100 * (done + more) / total) - floor(100 * done / total)
    done <<- done + more
    for (step in seq_len(steps)) advance()
  }
}
