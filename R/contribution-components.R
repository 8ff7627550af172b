# Pairs of principal components of both sides, and what they add to the naive linear CKA.

# The first components, and the rest: list(part, contribution, chance).
component_contributions <- function(pair, components) {
  sides <- lapply(pair[c("x", "y")], function(repr) {
    parts <- svd(form_second_moment(repr)$factor, nv = 0)
    values <- parts$d^2 / sqrt(sum(parts$d^4))
    shown <- seq_len(min(components, sum(parts$d > tie_share * parts$d[1])))
    close <- which(-diff(values[shown]) < 0.01 * values[shown][-length(shown)])
    warn_if(length(close), "close_components", "Components {close[1]} and {close[1] + 1} of ",
            "`{repr$arg}` have nearly the same variance, so that these axes rotate freely: only ",
            "the sum of their contributions means something.", data = close)
    list(values = values, shown = shown, u = parts$u)
  })
  x <- sides$x$shown
  y <- sides$y$shown
  weights <- outer(sides$x$values, sides$y$values)
  all <- weights * crossprod(sides$x$u, sides$y$u)^2
  with_rest <- function(m) c(t(m[x, y]), sum(m) - sum(m[x, y]))
  list(part = data.frame(part_x = c(rep(x, each = length(y)), "rest"),
                         part_y = c(rep(y, length(x)), "rest")),
       contribution = with_rest(all), chance = with_rest(weights) / (pair$x$n - 1))
}
