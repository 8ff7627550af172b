# Least squares from products: plain ones, and with weights that are not negative.

# Components are collinear when the scaled matrix is singular to this precision.
collinear_share <- 1e-12

# The smallest weights that solve gram x = with.
least_squares <- function(gram, with) {
  scale <- sqrt(pmax(diag(gram), 0))
  if (all(scale > 0)) {
    unit <- gram / base::outer(scale, scale)
    if (rcond(unit) > collinear_share) return(solve(unit, with / scale) / scale)
  }
  parts <- eigen(gram, symmetric = TRUE)
  structure(as.vector(least_norm(parts, collinear_share * max(parts$values, 0), with)),
            collinear = TRUE)
}

# The solutions of least norm, a column for each of `with`. parts: eigenvalues and vectors of a
# matrix, of which the values up to `least` count as 0.
least_norm <- function(parts, least, with) {
  kept <- parts$values > least
  axes <- parts$vectors[, kept, drop = FALSE]
  axes %*% (crossprod(axes, with) / parts$values[kept])
}

# The non-negative x that makes x' gram x / 2 - with' x smallest (Lawson and Hanson 1974). What
# counts as zero is relative to the data, and there are at most 3 exchanges for each component.
lawson_hanson <- function(gram, with) {
  scale <- sqrt(pmax(diag(gram), 0))
  scale[scale == 0] <- 1
  gram <- gram / base::outer(scale, scale)
  with <- with / scale
  count <- length(with)
  x <- numeric(count)
  active <- logical(count)
  least <- 1e-12 * max(abs(with))
  for (exchange in seq_len(3 * count)) {
    slope <- replace(as.vector(with - gram %*% x), active, -Inf)
    if (max(slope) <= least) break
    trial <- replace(active, which.max(slope), TRUE)
    moved <- toward_solution(gram, with, x, trial)
    # a component that leaves at once came in by rounding
    if (!moved$active[which.max(slope)]) break
    x <- moved$x
    active <- moved$active
  }
  x / scale
}

# From the feasible x toward the solution among the active ones; those that would become negative on
# the way leave.
toward_solution <- function(gram, with, x, active) {
  while (any(active)) {
    aim <- numeric(length(x))
    aim[active] <- as.vector(least_squares(gram[active, active, drop = FALSE], with[active]))
    negative <- active & aim <= 0
    if (!any(negative)) return(list(x = aim, active = active))
    step <- min(x[negative] / (x[negative] - aim[negative]))
    x <- x + step * (aim - x)
    leave <- active & (x <= 1e-15 * max(x) | (negative & x <= 0))
    if (!any(leave)) leave <- active & x == min(x[active])
    x[leave] <- 0
    active <- active & !leave
  }
  list(x = numeric(length(x)), active = active)
}
