# How alike the RDMs of two tables are, each column of one with each of the other, as the outer
# comparisons of rsa() define it. Pairs of stimuli that lack on either side are left out.

# a: P x N, b: P x K, NA where a pair lacks. Returns N x K; NA where a similarity is undefined.
# sigma: of the stimuli, for whitened comparisons.
similarity_table <- function(a, b, outer, sigma = NULL) {
  result <- matrix(NA_real_, ncol(a), ncol(b), dimnames = list(colnames(a), colnames(b)))
  rows <- same_gaps(a)
  columns <- same_gaps(b)
  for (i in rows) {
    for (k in columns) {
      lacking <- is.na(a[, i[1]]) | is.na(b[, k[1]])
      if (sum(!lacking) < 3) next
      result[i, k] <- complete_similarities(a[, i, drop = FALSE], b[, k, drop = FALSE], lacking,
                                            outer, sigma)
    }
  }
  result
}

# Columns that lack the same pairs, as a list.
same_gaps <- function(values) {
  lacking <- is.na(values)
  if (!any(lacking)) return(list(seq_len(ncol(values))))
  key <- apply(lacking, 2, function(column) paste(which(column), collapse = " "))
  split(seq_along(key), factor(key, unique(key)))
}

complete_similarities <- function(a, b, lacking, outer, sigma) {
  if (whitens(outer)) return(whitened_similarities(a, b, lacking, outer, sigma))
  a <- a[!lacking, , drop = FALSE]
  b <- b[!lacking, , drop = FALSE]
  if (outer %in% tau_outer) return(tau_table(a, b, outer))
  if (outer %in% ranked_outer) {
    a <- centred_ranks(a)
    b <- centred_ranks(b)
  }
  if (outer == "rho_a") return(rho_table(a, b))
  if (outer == "pearson") {
    a <- less_means(a)
    b <- less_means(b)
  }
  cosines_from(crossprod(a, b), colSums(a^2), colSums(b^2))
}

less_means <- function(values) {
  centred <- without_column_means(values)
  # equal values have deviations of rounding
  flat <- apply(values, 2, function(column) all(column == column[1]))
  centred[, flat] <- 0
  centred
}

centred_ranks <- function(values) {
  apply_columns(values, rank) - (nrow(values) + 1) / 2
}

# a, b: centred ranks. The divisor is the size of ranks without ties, so that equal ranks, which
# have no order, need a look of their own.
rho_table <- function(a, b) {
  rho <- crossprod(a, b) / untied_rank_size(nrow(a))
  rho[colSums(a != 0) == 0, ] <- NA
  rho[, colSums(b != 0) == 0] <- NA
  rho
}

# products: of all pairs; own_a, own_b: of each with itself. Where one has no length, the cosine is
# undefined.
cosines_from <- function(products, own_a, own_b) {
  # the product of both sizes may be too large or too small for a double
  cosines <- products / base::outer(sqrt(pmax(own_a, 0)), sqrt(pmax(own_b, 0)))
  cosines[!is.finite(cosines)] <- NA
  clip_to_range(cosines, -1, 1)
}

whitened_similarities <- function(a, b, lacking, outer, sigma) {
  columns <- cbind(a, b)[!lacking, , drop = FALSE]
  products <- whitened_gram(columns, !lacking, outer, sigma)
  flat <- no_length(columns, outer)
  products[flat, ] <- products[, flat] <- 0
  first <- seq_len(ncol(a))
  own <- diag(products)
  cosines_from(products[first, -first, drop = FALSE], own[first], own[-first])
}

# Which RDMs are all 0, or, for other comparisons than cosines, have equal values.
no_length <- function(values, outer) {
  apply(values, 2, function(column) all(column == if (is_cosine(outer)) 0 else column[1]))
}

tau_table <- function(a, b, outer) {
  a <- apply_columns(a, rank)
  b <- apply_columns(b, rank)
  result <- vapply(seq_len(ncol(b)), function(k) {
    vapply(seq_len(ncol(a)), function(i) {
      .Call(C_kendall, a[, i], b[, k], outer == "tau_b", thread_count())
    }, 0)
  }, numeric(ncol(a)))
  result <- matrix(result, ncol(a))
  # where all values are tied there is no order
  flat <- function(ranks) ranks[1, ] == colMeans(ranks) & apply(ranks, 2, min) == ranks[1, ]
  result[base::outer(flat(a), flat(b), "|")] <- NA
  result
}
