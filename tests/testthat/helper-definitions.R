# Every measure straight from its definition: slow, plain, for small inputs. Nothing here
# calls the code under test; def_<id>(x, y, ...) takes the measure's own arguments.

def_center <- function(x) sweep(x, 2, colMeans(x))

def_size <- function(x) sqrt(sum(x^2))

def_nuclear <- function(m) sum(svd(m, 0, 0)$d)

# Left singular vectors of singular values above 1e-10 of the largest.
def_basis <- function(x) {
  s <- svd(x, nv = 0)
  s$u[, s$d > 1e-10 * s$d[1], drop = FALSE]
}

# Canonical correlations and the canonical variates (unit columns) of the first argument.
def_canonical <- function(x, y) {
  u <- def_basis(def_center(x))
  v <- def_basis(def_center(y))
  s <- svd(crossprod(u, v))
  list(cor = pmin(s$d, 1), variates = u %*% s$u)
}

def_cca <- function(x, y, summary = "mean") {
  rho <- def_canonical(x, y)$cor
  ranks <- vapply(list(x, y), function(m) {
    d <- svd(def_center(m))$d
    sum(d > 1e-10 * d[1])
  }, 0L)
  switch(summary, mean = mean(rho), mean_squared = mean(rho^2),
         yanai = sum(rho^2) / sqrt(prod(ranks)))
}

def_components <- function(x, variance, components) {
  s <- svd(def_center(x))
  rank <- sum(s$d > 1e-10 * s$d[1])
  share <- cumsum(s$d^2) / sum(s$d^2)
  keep <- if (is.null(components)) which(share >= variance)[1] else min(components, rank)
  s$u[, 1:keep, drop = FALSE] %*% diag(s$d[1:keep], keep)
}

def_svcca <- function(x, y, variance = 0.99, components = NULL) {
  def_cca(def_components(x, variance, components), def_components(y, variance, components))
}

def_pwcca <- function(x, y, weights = "projection") {
  c <- def_canonical(x, y)
  w <- if (weights == "projection") rowSums(abs(crossprod(c$variates, def_center(x))))
       else colSums(abs(c$variates))
  sum(w * c$cor) / sum(w)
}

# Alignment

def_prepare <- function(x, center, scale) {
  if (center) x <- def_center(x)
  if (scale) x / def_size(x) else x
}

def_procrustes <- function(x, y, center = TRUE, scale = TRUE) {
  x <- def_prepare(x, center, scale)
  y <- def_prepare(y, center, scale)
  sqrt(max(sum(x^2) + sum(y^2) - 2 * def_nuclear(crossprod(x, y)), 0))
}

def_procrustes_size_shape <- function(x, y, center = TRUE) def_procrustes(x, y, center, FALSE)

def_procrustes_similarity <- function(x, y) {
  1 - def_procrustes(x, y, scale = FALSE) / def_size(def_center(y))
}

def_angular_shape <- function(x, y) {
  acos(min(def_nuclear(crossprod(def_prepare(x, TRUE, TRUE), def_prepare(y, TRUE, TRUE))), 1))
}

# Duong et al. 2023, and a power of the singular values in the place of their weights.
def_shape_distance <- function(x, y, alpha = 1, method = "angular", whitening = "power",
                               center = TRUE, scale = TRUE) {
  parts <- lapply(list(x, y), function(m) {
    s <- svd(def_prepare(m, center, FALSE))
    keep <- s$d > 1e-10 * s$d[1]
    w <- if (whitening == "power") s$d[keep]^alpha else alpha * s$d[keep] + 1 - alpha
    w <- w * def_size(s$d[keep]) / def_size(w)
    s$u[, keep, drop = FALSE] %*% diag(w, length(w)) %*% t(s$v[, keep, drop = FALSE])
  })
  sizes <- vapply(parts, def_size, 0)
  t <- def_nuclear(crossprod(parts[[1]], parts[[2]]))
  cosine <- min(1, t / prod(sizes))
  if (method == "angular") return(acos(cosine))
  if (scale) sqrt(2 - 2 * cosine) else sqrt(max(sum(sizes^2) - 2 * t, 0))
}

def_pad <- function(x, width) cbind(x, matrix(0, nrow(x), width - ncol(x)))

def_orders <- function(n) {
  if (n == 1) return(matrix(1L))
  smaller <- def_orders(n - 1)
  do.call(rbind,
          lapply(seq_len(n), function(i) cbind(i, ifelse(smaller >= i, smaller + 1L, smaller))))
}

# The largest sum of gains with every row given its own column: all assignments are tried.
# rows <= columns <= 7.
def_best_assignment <- function(gain) {
  if (nrow(gain) > ncol(gain)) gain <- t(gain)
  orders <- def_orders(ncol(gain))
  sums <- 0
  for (i in seq_len(nrow(gain))) sums <- sums + gain[i, orders[, i]]
  max(sums)
}

def_permutation_procrustes <- function(x, y, center = FALSE, scale = FALSE) {
  x <- def_prepare(x, center, scale)
  y <- def_prepare(y, center, scale)
  width <- max(ncol(x), ncol(y))
  gain <- def_best_assignment(crossprod(def_pad(x, width), def_pad(y, width)))
  sqrt(max(sum(x^2) + sum(y^2) - 2 * gain, 0))
}

def_aligned_cosine <- function(x, y, center = FALSE) {
  x <- def_prepare(x, center, FALSE)
  y <- def_prepare(y, center, FALSE)
  width <- max(ncol(x), ncol(y))
  x <- def_pad(x, width)
  y <- def_pad(y, width)
  s <- svd(crossprod(x, y))
  turned <- x %*% s$u %*% t(s$v)
  mean(rowSums(turned * y) / sqrt(rowSums(turned^2) * rowSums(y^2)))
}

def_hard_correlation_match <- function(x, y, matching = "optimal") {
  r <- cor(x, y)
  pairs <- min(dim(r))
  if (matching == "optimal") return(def_best_assignment(r) / pairs)
  total <- 0
  for (step in seq_len(pairs)) {
    at <- which(r == max(r), arr.ind = TRUE)[1, ]
    total <- total + r[at[1], at[2]]
    r <- r[-at[1], -at[2], drop = FALSE]
  }
  total / pairs
}

# The least cost of moving `mass` between rows of equal masses and columns of equal masses, by
# shortest paths in the network of what is left (Bellman and Ford).
def_transport <- function(cost, mass = 1) {
  supply <- rep(1 / nrow(cost), nrow(cost))
  demand <- rep(1 / ncol(cost), ncol(cost))
  flow <- 0 * cost
  left <- mass
  while (left > 1e-12) {
    row <- ifelse(supply > 1e-12, 0, Inf)
    column <- rep(Inf, ncol(cost))
    from_column <- integer(nrow(cost))
    from_row <- integer(ncol(cost))
    repeat {
      way <- row + cost
      best <- max.col(-t(pmin(way, 1e9)), "first")
      nearest <- way[cbind(best, seq_along(best))]
      better <- nearest < column - 1e-13
      if (!any(better)) break
      column[better] <- nearest[better]
      from_row[better] <- best[better]
      back <- ifelse(flow > 1e-12, rep(column, each = nrow(cost)) - cost, Inf)
      best <- max.col(-pmin(back, 1e9), "first")
      shorter <- back[cbind(seq_along(best), best)]
      better <- shorter < row - 1e-13
      row[better] <- shorter[better]
      from_column[better] <- best[better]
    }
    j <- end <- which.min(ifelse(demand > 1e-12, column, Inf))
    added <- matrix(0, 0, 2)
    taken <- matrix(0, 0, 2)
    repeat {
      i <- from_row[j]
      added <- rbind(added, c(i, j))
      if (from_column[i] == 0) break
      j <- from_column[i]
      taken <- rbind(taken, c(i, j))
    }
    units <- min(left, supply[i], demand[end], flow[taken])
    flow[added] <- flow[added] + units
    flow[taken] <- flow[taken] - units
    supply[i] <- supply[i] - units
    demand[end] <- demand[end] - units
    left <- left - units
  }
  sum(flow * cost)
}

def_soft_matching <- function(x, y, mass = 1, center = TRUE, scale = TRUE) {
  side <- function(m) {
    m <- def_prepare(m, center, FALSE)
    if (scale) m / sqrt(mean(colSums(m^2))) else m
  }
  cost <- as.matrix(dist(rbind(t(side(x)), t(side(y)))))^2
  at <- seq_len(ncol(x))
  sqrt(def_transport(cost[at, -at, drop = FALSE], mass) / mass)
}

def_soft_matching_correlation <- function(x, y, mass = 1) {
  1 - def_transport(1 - cor(x, y), mass) / mass
}

def_soft_correlation_match <- function(x, y, direction = "both") {
  r <- cor(x, y)
  values <- c(x = mean(apply(r, 1, max)), y = mean(apply(r, 2, max)))
  if (direction == "both") mean(values) else values[[direction]]
}

def_linear_regression <- function(x, y) {
  x <- def_center(x)
  sum(crossprod(def_basis(def_center(y)), x)^2) / sum(x^2)
}

# Kernels and similarity matrices

def_distances <- function(x) unname(as.matrix(dist(x)))

def_double_center <- function(k) k - rowMeans(k) - rep(colMeans(k), each = nrow(k)) + mean(k)

def_cosine <- function(a, b) sum(a * b) / sqrt(sum(a^2) * sum(b^2))

def_rbf <- function(x, sigma, bandwidth) {
  d <- def_distances(x)
  width <- if (is.null(sigma)) bandwidth * median(d[upper.tri(d)]) else sigma
  exp(-d^2 / (2 * width^2))
}

def_cka <- function(x, y, kernel = "linear", estimator = "naive", sigma = NULL, bandwidth = 1,
                    k = 15) {
  make <- switch(kernel,
    linear = function(x) tcrossprod(def_center(x)),
    rbf = function(x) def_rbf(x, sigma, bandwidth),
    manifold = function(x) {
      m <- def_mka_matrix(x, k)
      m + t(m) - m * t(m)
    }
  )
  a <- make(x)
  b <- make(y)
  if (estimator == "naive") return(def_cosine(def_double_center(a), def_double_center(b)))
  def_cosine(def_u_center(a), def_u_center(b))
}

def_rv <- function(x, y) def_cka(x, y)

def_u_center <- function(m) {
  n <- nrow(m)
  diag(m) <- 0
  r <- rowSums(m)
  u <- m - outer(r, r, "+") / (n - 2) + sum(m) / ((n - 1) * (n - 2))
  diag(u) <- 0
  u
}

def_distance_correlation <- function(x, y, squared = FALSE, estimator = "naive") {
  a <- def_distances(x)
  b <- def_distances(y)
  if (estimator == "unbiased") return(def_cosine(def_u_center(a), def_u_center(b)))
  value <- def_cosine(def_double_center(a), def_double_center(b))
  if (squared) value else sqrt(value)
}

def_eigenspace_overlap <- function(x, y) {
  sum(crossprod(def_basis(x), def_basis(y))^2) / max(ncol(x), ncol(y))
}

def_gulp <- function(x, y, lambda = 0) {
  x <- def_center(x)
  y <- def_center(y)
  n <- nrow(x)
  x <- x / sqrt(sum(x^2) / n)
  y <- y / sqrt(sum(y^2) / n)
  inverse <- function(x) {
    s <- svd(x / sqrt(n), nu = 0)
    keep <- if (lambda == 0) s$d > 1e-10 * s$d[1] else rep(TRUE, length(s$d))
    # outside the row space S is 0 and (S + lambda I)^-1 meets only zeros
    v <- s$v[, keep, drop = FALSE]
    v %*% diag(1 / (s$d[keep]^2 + lambda), sum(keep)) %*% t(v)
  }
  sx <- crossprod(x) / n
  sy <- crossprod(y) / n
  sxy <- crossprod(x, y) / n
  ix <- inverse(x)
  iy <- inverse(y)
  trace <- function(m) sum(diag(m))
  sqrt(max(trace(ix %*% sx %*% ix %*% sx) + trace(iy %*% sy %*% iy %*% sy) -
             2 * trace(ix %*% sxy %*% iy %*% t(sxy)), 0))
}

def_unit_rows <- function(x) x / sqrt(rowSums(x^2))

def_dissimilarity <- function(x, inner) {
  switch(inner,
    correlation = 1 - cor(t(x)), euclidean = def_distances(x), sqeuclidean = def_distances(x)^2,
    cosine = 1 - tcrossprod(def_unit_rows(x))
  )
}

def_tau_a <- function(a, b) {
  n <- length(a)
  s <- sign(outer(a, a, "-")) * sign(outer(b, b, "-"))
  sum(s) / (n * (n - 1))
}

def_rsa <- function(x, y, inner = "correlation", outer = "spearman") {
  upper <- function(x) {
    d <- def_dissimilarity(x, inner)
    d[lower.tri(d)]
  }
  a <- upper(x)
  b <- upper(y)
  def_compare_rdms(a, b, outer)
}

# Vectors of dissimilarities without NA, in the order of stats::dist(); v: their covariance without
# signal.
def_compare_rdms <- function(a, b, outer, v = def_pair_covariance(length(a))) {
  count <- length(a)
  one <- rep(1, count)
  switch(outer,
    spearman = cor(rank(a), rank(b)), pearson = cor(a, b), kendall = def_tau_a(a, b),
    cosine = def_cosine(a, b), tau_b = cor(a, b, method = "kendall"),
    rho_a = 12 * sum((rank(a) - mean(rank(a))) * (rank(b) - mean(rank(b)))) / (count^3 - count),
    whitened_cosine = def_weighted_cosine(a, b, solve(v)),
    whitened_pearson = {
      w <- solve(v)
      def_weighted_cosine(a, b, w - tcrossprod(w %*% one) / drop(one %*% w %*% one))
    }
  )
}

def_weighted_cosine <- function(a, b, w) {
  drop(a %*% w %*% b) / sqrt(drop(a %*% w %*% a) * drop(b %*% w %*% b))
}

def_pair_covariance <- function(count, sigma = NULL) {
  n <- (1 + sqrt(1 + 8 * count)) / 2
  pairs <- combn(n, 2)
  contrasts <- matrix(0, count, n)
  contrasts[cbind(seq_len(count), pairs[1, ])] <- 1
  contrasts[cbind(seq_len(count), pairs[2, ])] <- -1
  if (is.null(sigma)) sigma <- diag(n)
  if (!is.matrix(sigma)) sigma <- diag(sigma)
  (contrasts %*% sigma %*% t(contrasts))^2
}

# The positive part of the second moments of squared distances, and its root.
def_moment_root <- function(d) {
  parts <- eigen(-def_double_center(as.matrix(d)) / 2, symmetric = TRUE)
  parts$vectors %*% (sqrt(pmax(parts$values, 0)) * t(parts$vectors))
}

def_bures_parts <- function(x, y) {
  a <- def_moment_root(dist(x)^2)
  b <- def_moment_root(dist(y)^2)
  list(nuclear = def_nuclear(a %*% b), a = sum(a^2), b = sum(b^2))
}

def_bures <- function(x, y) {
  parts <- def_bures_parts(x, y)
  parts$nuclear / sqrt(parts$a * parts$b)
}

def_bures_distance <- function(x, y) {
  parts <- def_bures_parts(x, y)
  sqrt(max(parts$a + parts$b - 2 * parts$nuclear, 0))
}

def_rsm_difference <- function(x, y, norm = "frobenius") {
  d <- def_distances(x) - def_distances(y)
  if (norm == "frobenius") def_size(d) else max(abs(eigen(d, TRUE, TRUE)$values))
}

# Neighbours

# Definitions of measures on neighbours are for data without ties, where `ties` changes nothing;
# test-tie-averages.R has ties.

# A row of neighbours per row of x, nearest first, the row itself left out. No ties.
# Of a graph, list(idx, dist), its own first k. clusters: labels; then without those of its cluster.
def_neighbours <- function(x, k, metric, clusters = seq_len(NROW(x))) {
  if (is.list(x)) return(x$idx[, seq_len(k), drop = FALSE])
  far <- switch(metric,
    euclidean = def_distances(x), cosine = -tcrossprod(def_unit_rows(x)), dot = -tcrossprod(x),
    correlation = -cor(t(x))
  )
  near <- lapply(seq_len(nrow(x)), function(i) {
    setdiff(order(far[i, ]), which(clusters == clusters[i]))[seq_len(k)]
  })
  do.call(rbind, near)
}

# f(neighbours of i in x, neighbours of i in y, i), averaged over i.
def_mean_over_rows <- function(x, y, k, metric, f, clusters = seq_len(NROW(x))) {
  a <- def_neighbours(x, k, metric, clusters)
  b <- def_neighbours(y, k, metric, clusters)
  mean(vapply(seq_len(nrow(a)), function(i) f(a[i, ], b[i, ], i), 0))
}

def_mutual_knn <- function(x, y, k = 10, metric = "cosine", ties, clusters = seq_len(NROW(x))) {
  def_mean_over_rows(x, y, k, metric, function(a, b, i) length(intersect(a, b)) / k, clusters)
}

def_knn_jaccard <- function(x, y, k = 10, metric = "cosine", ties, clusters = seq_len(NROW(x))) {
  def_mean_over_rows(x, y, k, metric,
                     function(a, b, i) length(intersect(a, b)) / length(union(a, b)), clusters)
}

def_rank_similarity <-
  function(x, y, k = 10, metric = "cosine", ties, clusters = seq_len(NROW(x))) {
  def_mean_over_rows(x, y, k, metric, function(a, b, i) {
    common <- intersect(a, b)
    if (!length(common)) return(0)
    r <- match(common, a)
    s <- match(common, b)
    sum(2 / ((1 + abs(r - s)) * (r + s))) / sum(1 / seq_along(common))
  }, clusters)
}

def_cycle_knn <- function(x, y, k = 10, metric = "cosine", ties, clusters = seq_len(NROW(x))) {
  of_x <- def_neighbours(x, k, metric, clusters)
  def_mean_over_rows(x, y, k, metric, function(a, b, i) as.double(i %in% of_x[b, ]), clusters)
}

def_mask <- function(neighbours, n) {
  mask <- matrix(0, n, n)
  for (i in seq_len(n)) mask[i, neighbours[i, ]] <- 1
  mask
}

def_angular_cka <- function(x, y, ...) acos(max(-1, min(1, def_cka(x, y, ...))))

def_song <- function(k, l) {
  diag(k) <- diag(l) <- 0
  n <- nrow(k)
  (sum(k * t(l)) + sum(k) * sum(l) / ((n - 1) * (n - 2)) - 2 * sum(k %*% l) / (n - 2)) /
    (n * (n - 3))
}

def_cknna <- function(x, y, k = 10, normalize = TRUE, centering = "masked",
                      estimator = "biased", ties, clusters = seq_len(NROW(x))) {
  n <- nrow(x)
  if (normalize) {
    x <- def_unit_rows(x)
    y <- def_unit_rows(y)
  }
  a <- def_mask(def_neighbours(x, k, "dot", clusters), n)
  b <- def_mask(def_neighbours(y, k, "dot", clusters), n)
  both <- a * b
  if (estimator == "unbiased") {
    return(def_song(both * tcrossprod(x), both * tcrossprod(y)) /
             sqrt(def_song(a * tcrossprod(x), a * tcrossprod(x)) *
                    def_song(b * tcrossprod(y), b * tcrossprod(y))))
  }
  if (centering == "full") {
    apart <- outer(clusters, clusters, "!=") | diag(n) == 1
    less_means <- function(m) m - rowSums(m * apart) / rowSums(apart)
    k_x <- less_means(tcrossprod(x))
    k_y <- less_means(tcrossprod(y))
    return(sum(both * k_x * k_y) / sqrt(sum(a * k_x^2) * sum(b * k_y^2)))
  }
  center <- def_double_center
  sum(center(both * tcrossprod(x)) * center(both * tcrossprod(y))) /
    (def_size(center(a * tcrossprod(x))) * def_size(center(b * tcrossprod(y))))
}

def_second_order_cosine <-
  function(x, y, k = 10, of = "similarity", ties, clusters = seq_len(NROW(x))) {
  s <- tcrossprod(def_unit_rows(x))
  s2 <- tcrossprod(def_unit_rows(y))
  if (of == "distance") {
    s <- 1 - s
    s2 <- 1 - s2
  }
  def_mean_over_rows(x, y, k, "cosine", function(a, b, i) {
    all <- union(a, b)
    def_cosine(s[i, all], s2[i, all])
  }, clusters)
}

def_common_subsequence <- function(a, b) {
  length <- matrix(0, length(a) + 1, length(b) + 1)
  for (i in seq_along(a)) {
    for (j in seq_along(b)) {
      length[i + 1, j + 1] <- if (a[i] == b[j]) length[i, j] + 1
                              else max(length[i, j + 1], length[i + 1, j])
    }
  }
  length[length(a) + 1, length(b) + 1]
}

def_levenshtein <- function(a, b) {
  cost <- matrix(0, length(a) + 1, length(b) + 1)
  cost[, 1] <- 0:length(a)
  cost[1, ] <- 0:length(b)
  for (i in seq_along(a)) {
    for (j in seq_along(b)) {
      cost[i + 1, j + 1] <- min(cost[i, j + 1] + 1, cost[i + 1, j] + 1, cost[i, j] + (a[i] != b[j]))
    }
  }
  cost[length(a) + 1, length(b) + 1]
}

def_lcs_knn <- function(x, y, k = 10, ties, clusters = seq_len(NROW(x))) {
  def_mean_over_rows(x, y, k, "cosine", function(a, b, i) def_common_subsequence(a, b), clusters)
}

def_edit_distance_knn <- function(x, y, k = 10, ties, clusters = seq_len(NROW(x))) {
  1 - def_mean_over_rows(x, y, k, "cosine", function(a, b, i) def_levenshtein(a, b), clusters) / k
}

# Equation 2 of the MKA paper, no ties: 1 on the diagonal, and a width per row such that
# the row sums to 1 + log2(k).
def_mka_matrix <- function(x, k, clusters = seq_len(NROW(x))) {
  d <- def_distances(x)
  n <- nrow(d)
  near <- def_neighbours(x, k, "euclidean", clusters)
  m <- diag(n)
  for (i in seq_len(n)) {
    gap <- d[i, near[i, ]] - min(d[i, near[i, ]])
    unit <- max(gap)
    miss <- function(log_width) sum(exp(-gap / unit / exp(log_width))) - log2(k)
    width <- exp(uniroot(miss, c(-20, 20), tol = 1e-15, maxiter = 1000)$root)
    m[i, near[i, ]] <- exp(-gap / unit / width)
  }
  m
}

def_row_center <- function(m) m - rowMeans(m)

def_mka <- function(x, y, k = 15, ties, clusters = seq_len(NROW(x))) {
  def_cosine(def_row_center(def_mka_matrix(x, k, clusters)),
             def_row_center(def_mka_matrix(y, k, clusters)))
}

# Equations 18 and 19.
def_kcka <- function(x, y, k = 15, self = TRUE, squared = FALSE, centering = "row",
                     ties, clusters = seq_len(NROW(x))) {
  make <- function(x) {
    d <- def_distances(x)
    if (squared) d <- d^2
    mask <- def_mask(def_neighbours(x, k, "euclidean", clusters), nrow(x))
    m <- exp(-d / (2 * median(d[mask == 1]))) * mask
    if (self) diag(m) <- 1
    if (centering == "row") def_row_center(m) else def_double_center(m)
  }
  def_cosine(make(x), make(y))
}

# Topology and statistics

# Trace of the heat kernel of the neighbour graph, from all eigenvalues, over the
# number of rows.
def_heat_trace <- function(x, k, times) {
  n <- nrow(x)
  a <- def_mask(def_neighbours(x, k, "euclidean"), n)
  a <- (a + t(a) > 0) + 0
  root <- 1 / sqrt(rowSums(a))
  values <- eigen(diag(n) - root * t(root * a), TRUE, TRUE)$values
  vapply(times, function(t) sum(exp(-t * values)), 0) / n
}

def_imd <- function(x, y, k = 5) {
  times <- 10^seq(-1, 1, length.out = 256)
  gap <- abs(def_heat_trace(x, k, times) - def_heat_trace(y, k, times))
  1e6 * max(exp(-2 * (times + 1 / times)) * gap)
}

# The one-dimensional bars of the Vietoris-Rips filtration, birth and death in a row: the
# boundary matrix of all triangles is reduced over Z2, column by column.
def_bars <- function(m) {
  v <- nrow(m)
  edges <- t(combn(v, 2))
  edges <- edges[order(m[edges]), , drop = FALSE]
  birth <- m[edges]
  number <- matrix(0L, v, v)
  number[edges] <- seq_len(nrow(edges))
  triangles <- t(combn(v, 3))
  faces <- cbind(number[triangles[, 1:2, drop = FALSE]], number[triangles[, c(1, 3), drop = FALSE]],
                 number[triangles[, 2:3, drop = FALSE]])
  last <- pmax(faces[, 1], faces[, 2], faces[, 3])
  pivots <- vector("list", nrow(edges))
  bars <- list()
  for (t in order(last)) {
    column <- faces[t, ]
    while (length(column) && !is.null(pivots[[max(column)]])) {
      other <- pivots[[max(column)]]
      column <- c(column[!column %in% other], other[!other %in% column])
    }
    if (!length(column)) next
    pivots[[max(column)]] <- column
    bars[[length(bars) + 1]] <- birth[c(max(column), last[t])]
  }
  if (length(bars)) do.call(rbind, bars) else matrix(0, 0, 2)
}

# Distances of the points and their doubles.
def_doubled <- function(a, b) rbind(cbind(0 * a, a), cbind(a, pmin(a, b)))

def_unit_distances <- function(x) {
  d <- def_distances(x)
  d / quantile(d, 0.9, type = 7, names = FALSE)
}

def_rtd <- function(x, y) {
  a <- def_unit_distances(x)
  b <- def_unit_distances(y)
  one_way <- function(a, b) {
    bars <- def_bars(def_doubled(a, b))
    sum(bars[, 2] - bars[, 1])
  }
  (one_way(a, b) + one_way(b, a)) / 2
}

def_magnitude_difference <- function(x, y) abs(def_size(colMeans(x)) - def_size(colMeans(y)))

def_concentricity <- function(x) {
  mean(apply(x, 1, def_cosine, colMeans(x)))
}

def_concentricity_difference <- function(x, y) abs(def_concentricity(x) - def_concentricity(y))

def_uniformity <- function(x, t) {
  e <- -t * def_distances(x)^2
  max(e) + log(mean(exp(e - max(e))))
}

def_uniformity_difference <- function(x, y, t = 2, normalize = FALSE) {
  if (normalize) {
    x <- def_unit_rows(x)
    y <- def_unit_rows(y)
  }
  abs(def_uniformity(x, t) - def_uniformity(y, t))
}

# Outputs of classifiers

def_probabilities <- function(p, from) {
  if (from == "probability") return(p)
  e <- exp(p - apply(p, 1, max))
  e / rowSums(e)
}

def_jsd <- function(p, q, from = "probability") {
  p <- def_probabilities(p, from)
  q <- def_probabilities(q, from)
  bits <- function(p, m) sum(ifelse(p > 0, p * log2(p / m), 0))
  mean(vapply(seq_len(nrow(p)), function(i) {
    m <- (p[i, ] + q[i, ]) / 2
    bits(p[i, ], m) / 2 + bits(q[i, ], m) / 2
  }, 0))
}

def_disagreement <- function(p, q) mean(apply(p, 1, which.max) != apply(q, 1, which.max))

def_accuracy_difference <- function(p, q, labels) {
  abs(mean(apply(p, 1, which.max) == labels) - mean(apply(q, 1, which.max) == labels))
}

# What the tests of all measures share

# The value of an expression, computed once for each key. Nothing that a test may change belongs
# here.
made_once <- new.env()

once <- function(key, code) {
  if (is.null(made_once[[key]])) assign(key, code, made_once)
  made_once[[key]]
}

# All measures but riemann(), which needs as many neurons as stimuli, less one, and is tested in
# test-second-moments.R.
plain_measures <- function() once("plain measures", {
  table <- measures()
  table[table$id != "riemann", ]
})

has_manifold <- function() "manifold" %in% eval(formals(cka)$kernel)

# Settings of the measures that are there; the defaults of one that settings() does not know.
registered_settings <- function(k = 5) once(paste("settings", k), {
  ids <- plain_measures()$id
  all <- lapply(settings(k)[ids], function(known) if (is.null(known)) list(list()) else known)
  names(all) <- ids
  here <- function(args) !identical(args$kernel, "manifold") || has_manifold()
  lapply(all, Filter, f = here)
})

# The measure with these arguments, made once.
measure_with <- function(id, args = list()) {
  key <- paste(c("measure", id, deparse(args)), collapse = " ")
  once(key, quietly(do.call(measure, c(list(id), args))))
}

setting_name <- function(id, args) {
  paste0(id, "(", paste(names(args), vapply(args, format, ""), sep = " = ", collapse = ", "), ")")
}

# f(id, args, name) for every setting of every measure.
each_setting <- function(f, k = 5) {
  all <- registered_settings(k)
  for (id in names(all)) for (args in all[[id]]) f(id, args, setting_name(id, args))
}

# A score without its warnings and messages.
quietly <- function(code) suppressWarnings(suppressMessages(code))

score <- function(id, x, y, args = list()) quietly(do.call(id, c(list(x, y), args)))

# Uses ties among neighbours, or a graph, and so may draw priorities.
uses_graph <- function(id, args = list()) {
  id %in% c("mutual_knn", "knn_jaccard", "rank_similarity", "cycle_knn", "cknna",
            "second_order_cosine", "lcs_knn", "edit_distance_knn", "mka", "kcka", "imd") ||
              identical(args$kernel, "manifold")
}

metric_of <- function(id, args = list()) {
  if (id %in% c("mka", "kcka", "imd") || identical(args$kernel, "manifold")) return("euclidean")
  if (!is.null(args$metric)) return(args$metric)
  if (id == "cknna" && identical(args$normalize, FALSE)) "dot" else "cosine"
}

# Many small checks, one expectation: note() keeps what is wrong, expect_nothing_noted()
# reports it and starts anew.
noted <- new.env()

note <- function(good, ...) if (!isTRUE(good)) noted$lines <- c(noted$lines, paste0(...))

expect_nothing_noted <- function(most = 60) {
  lines <- noted$lines
  noted$lines <- NULL
  expect(length(lines) == 0,
         paste(c(paste(length(lines), "wrong:"), utils::head(lines, most)), collapse = "\n"))
}
