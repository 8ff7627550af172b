# The form of a kernel over clusters of stimuli: what the estimator of H that leaves out pairs of
# stimuli within a cluster needs.

#' @include form.R
NULL

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

centered_clusters <- function(form, codes) {
  if (is.null(form$centered)) center_over_clusters(tcrossprod(form$data), codes) else form$centered
}
