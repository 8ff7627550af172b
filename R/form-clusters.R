# The form of a kernel over clusters of stimuli, and H values from it.

#' @include form.R
NULL

# ---- clusters

# The form of a kernel over clusters of stimuli: what the estimator of H that leaves out pairs of
# stimuli within a cluster needs.

# Many neurons and few stimuli, or a kernel that is not linear: the kernel, and the same
# centred over clusters. Else the responses, from which each neuron pair has its value.
form_clusters <- function(repr, args) {
  what <- args[c("kernel", "sigma", "bandwidth", "k", "clusters")]
  remember_form(repr, "cluster kernel", c(what, list(manifold_order(repr, args))), {
    if (args$kernel == "linear" && ncol(repr$data) <= repr$n) {
      list(data = scaled_data(repr, TRUE))
    } else {
      check_memory(64 * as.double(repr$n)^2, paste0("The kernel of `", repr$arg, "` over clusters"),
                   "Fewer stimuli need less.")
      kernel <- dense_kernel(repr, args)
      list(kernel = kernel, centered = center_over_clusters(kernel, labelled_codes(args$clusters)))
    }
  })
}

# A permutation that takes clusters to clusters moves them as a whole; no other one is asked for.
declare_form("cluster kernel",
             relabel = relabel_parts(rows = "data", square = c("kernel", "centered")),
             size = function(n, d, args) {
               if (args$kernel == "linear" && d <= n) as.double(n) * d else 2 * as.double(n)^2
             })

# The diagonal does not count over clusters.
dense_kernel <- function(repr, args) {
  if (args$kernel == "linear") return(tcrossprod(scaled_data(repr, TRUE)))
  if (args$kernel == "rbf") {
    width <- gaussian_width(repr, args$sigma, args$bandwidth)
    return(unpacked(gaussian_entries(repr, width)["entries"], repr$n))
  }
  sparse <- form_manifold(repr, args$k)
  dense <- matrix(0, repr$n, repr$n)
  dense[cbind(rep(seq_len(repr$n), diff(sparse$start)), sparse$idx)] <- sparse$weight
  dense
}

# What the inner product with any kernel L must be taken with to give the H value over clusters of
# `kernel` and L: as the U-centred kernel for stimuli that are all independent, 0 where two
# stimuli have the same cluster. It is the mean of the estimator of Song et al. over all choices of
# one stimulus from each of B clusters. With u_i = 1 / (size of i's cluster), K the kernel without
# pairs within clusters, K_ib = sum of u_j K_ij over cluster b, K_cb = sum of u_i K_ib over c, and
# dots for sums over clusters, the entry of i in cluster c and k in cluster b is u_i u_k times
#   K_ik / (B)_2 - [(K_i. - K_ib) + (K_k. - K_kc)] / (B)_3
#     + [K_.. - 2 (K_c. + K_b.) + 2 K_cb] / (B)_4,      (B)_k = B (B - 1) ... (B - k + 1).
center_over_clusters <- function(kernel, codes) {
  n <- length(codes)
  same <- outer(codes, codes, "==")
  u <- 1 / tabulate(codes)[codes]
  kernel[same] <- 0
  to_cluster <- t(rowsum(kernel * u, codes))
  between <- rowsum(to_cluster * u, codes)
  b <- nrow(between)
  choices <- cumprod(as.double(b - 0:3))
  rows <- rowSums(to_cluster) - to_cluster[, codes, drop = FALSE]
  sums <- rowSums(between)
  rest <- (sum(sums) - 2 * outer(sums, sums, "+") + 2 * between) / choices[4]
  centered <- kernel / choices[2] - (rows + t(rows)) / choices[3] + rest[codes, codes]
  centered <- centered * u * rep(u, each = n)
  centered[same] <- 0
  dimnames(centered) <- NULL
  centered
}

# The kernel of a form in either shape.
kernel_of_clusters <- function(form) {
  if (is.null(form$kernel)) tcrossprod(form$data) else form$kernel
}

# ---- H values over clusters

# H values over disjoint clusters of stimuli, and what their permutation null is made of.

# As pair_h() gives them, for the corrected estimators. labels: of the neuron pairs to leave out.
cluster_h <- function(pair, args, labels = NULL, self = FALSE) {
  x <- form_clusters(pair$x, args)
  y <- form_clusters(pair$y, args)
  codes <- labelled_codes(args$clusters)
  linear <- args$kernel == "linear"
  count <- if (linear) as.double(ncol(pair$x$data)) * ncol(pair$y$data) else 1
  total <- cluster_total(x, y, codes)
  value <- total$value
  if (args$corrects$neurons && !is.null(labels)) {
    left_out <- excluded_pairs(labels$x, labels$y)
    count <- count - left_out$count
    if (count == 0) no_allowed_pair(pair, self)
    x <- scaled_data(pair$x, TRUE)
    y <- if (pair$self) x else scaled_data(pair$y, TRUE)
    blocks <- vapply(left_out$blocks, function(block) {
      .Call(C_unit_weighted, x[, block$x, drop = FALSE], y[, block$y, drop = FALSE], NULL,
            codes)$stimulus[1]
    }, 0)
    singles <- if (length(left_out$x)) {
      .Call(C_unit_pairs, x, y, left_out$x, left_out$y, codes)$stimulus[1, ]
    }
    value <- value - (sum(blocks) + sum(singles))
  }
  list(value = value / count,
       # as without clusters: differences of kernel entries cancel, see kernel_h()
       magnitude = total$magnitude / count * if (args$kernel == "rbf") rounding_share else 1,
       scale = if (linear) log2(c(form_centering(pair$x)$scale,
                                  form_centering(pair$y)$scale)) else c(0, 0))
}

# Sum over all neuron pairs, and the size of its terms.
cluster_total <- function(x, y, codes) {
  if (!is.null(x$data) && !is.null(y$data)) {
    sums <- .Call(C_unit_weighted, x$data, y$data, NULL, codes)
    return(list(value = sums$stimulus[1], magnitude = sums$naive[1]))
  }
  # the side that has its kernel centred already
  if (is.null(x$centered)) return(cluster_total(y, x, codes))
  kernel <- kernel_of_clusters(y)
  n <- as.double(length(codes))
  list(value = .Call(C_dot, x$centered, kernel),
       magnitude = sqrt(.Call(C_dot, x$kernel, x$kernel)) / n *
         sqrt(.Call(C_dot, kernel, kernel)) / n)
}

# The null of whole clusters that change places: an inner product, unless neuron pairs are left
# out, whose sum every permutation changes.
cluster_null <- function(args) {
  if (leaves_out_across(args)) return(NULL)
  new_null("inner",
           operand = function(form, repr, args, side) {
             matrix <- if (side != "x") kernel_of_clusters(form) else
               if (!is.null(form$centered)) form$centered else
                 center_over_clusters(tcrossprod(form$data), labelled_codes(args$clusters))
             width <- if (args$kernel == "linear") as.double(ncol(repr$data)) else 1
             c(matrix_operand(matrix), list(width = width))
           },
           centered = FALSE,
           statistic = function(values, x, y, args, design) values / (x$width * y$width))
}
