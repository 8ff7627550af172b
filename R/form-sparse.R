# Kernels that are zero but for some pairs of stimuli: nearest neighbours, and members of one
# cluster.

#' @include form.R
NULL

euclidean_neighbours <- function(args) list(metric = "euclidean", k = args$k)

# The kernel of mka as a sparse form (form-graph.R). `sigma` is the length over which the weights
# of each row decay, in the units of the distances.
form_mka <- function(repr, k, ties = "random") {
  graph <- form_graph(repr, "euclidean", k, ties = ties)
  remember_form(repr, "sparse kernel", list("mka", k, repr$codes, graph$order), {
    fit <- .Call(C_manifold_weights, graph$dist)
    rows <- which(fit$sigma == 0)
    warn_if(length(rows), "ties", "In {length(rows)} row{if (length(rows) > 1) 's'} of ",
            "`{repr$arg}` ({enumerate(rows, 3, quote = FALSE)}) log2(k) = ",
            "{format(log2(k), digits = 3)} or more neighbours are equally near: these get weight ",
            "1, the others 0. Duplicated stimuli or whole-number data are the usual cause; a ",
            "larger `k` may help.", data = rows)
    form <- with_norm(sparse_form(graph$idx, fit$weight, 1), "row")
    c(spread_ties(form, graph$averaged), list(sigma = fit$sigma, order = graph$order))
  })
}

# The random order of ties that a manifold kernel depends on, as form_graph() tells it from others;
# NULL without ties and for other kernels.
manifold_order <- function(repr, args) {
  if (args$kernel == "manifold") form_graph(repr, "euclidean", args$k)$order
}

# The kernel K of mka made symmetric, K + K' - K o K' (o multiplies entry by entry), without its
# diagonal of ones. It is a symmetric sparse form, as form-graph.R describes it.
form_manifold <- function(repr, k) {
  form <- form_mka(repr, k)
  remember_form(repr, "symmetric kernel", list("manifold", k, form$order), {
    form$diagonal <- 0
    symmetric <- .Call(C_sparse_symmetric, form)
    kernel <- c(list(n = form$n, diagonal = 0), symmetric)
    c(kernel, list(row_sums = .Call(C_sparse_sums, kernel)$rows))
  })
}

# The kernel of kcka as a sparse form. Its diagonal is 1 with `self` and 0 otherwise.
form_kcka <- function(repr, k, self = TRUE, squared = FALSE, centering = "row", ties = "random") {
  graph <- form_graph(repr, "euclidean", k, ties = ties)
  what <- list("kcka", k, self, squared, centering, repr$codes, graph$order)
  remember_form(repr, "sparse kernel", what, {
    # The weights exp(-d / (2 s)), where d are the distances to the neighbours, or with `squared`
    # their squares, and s is the median of all d. Scaling by a power of two keeps squares from
    # overflow.
    dist <- graph$dist
    least <- min(dist)
    refuse_if(least < 0, "graph", "The neighbour graph `{repr$arg}` has negative distances, first ",
              "in row {which(dist < 0, arr.ind = TRUE)[1, 1]}: \"kcka\" needs 0 or more.")
    if (max(dist) > 0) dist <- dist * power_of_two_below(max(dist))
    if (squared) dist <- dist^2
    sigma <- stats::median(dist)
    refuse_if(sigma == 0, "value", "Half or more of the neighbour distances in `{repr$arg}` are 0 ",
              "(duplicated rows), so the width of the kernel, their median, would be 0: raise ",
              "`k`, or remove duplicated stimuli.", arg = "k")
    weight <- exp(-0.5 * (dist / sigma))
    form <- with_norm(sparse_form(graph$idx, weight, as.double(self)), centering)
    spread_ties(form, graph$averaged)
  })
}

# ---- kernel arguments

# CKA and HSIC share the arguments that are checked here.

kernels <- c("linear", "rbf", "manifold")

# These checks need no data, so a grid makes them once.
check_cka_args <- function(args) {
  args$kernel <- check_choice(args$kernel, kernels, "kernel")
  # responses() objects have another default, see settle_cka()
  args$default_estimator <- length(args$estimator) > 1
  args <- with_estimator(args, check_choice(args$estimator, c(estimators, trial_estimators),
                                            "estimator"))
  args$shared_noise <- check_choice(args$shared_noise, shared_noises, "shared_noise")
  check_flag(args$shared_neurons, "shared_neurons")
  refuse_if(args$kernel != "linear" && args$corrects$neurons, "value", "The neuron correction is ",
            "defined for the linear kernel only: with kernel = {quoted(args$kernel)} use ",
            "estimator = \"stimulus\" or \"naive\"",
            if (args$kernel == "rbf") " (\"stimulus_trial\" for responses to several trials)", ".",
            arg = "estimator")
  refuse_if(args$kernel == "manifold" && args$corrects$trials, "value", "kernel = \"manifold\" ",
            "cannot correct for trials, because neighbourhoods are no means of products: use ",
            "estimator = \"stimulus\", or another kernel.", arg = "estimator")
  if (!is.null(args$sigma)) args$sigma <- check_number(args$sigma, "sigma", above = 0)
  args$bandwidth <- check_number(args$bandwidth, "bandwidth", above = 0)
  args$k <- check_count(args$k, "k", least = if (args$kernel == "manifold") 3 else 1)
  warn_if(args$kernel != "rbf" && (!is.null(args$sigma) || args$bandwidth != 1), "unused",
          "`sigma` and `bandwidth` are not used by the {args$kernel} kernel: set kernel = \"rbf\".",
          data = "sigma")
  warn_if(args$kernel != "manifold" && args$k != 15, "unused", "`k` is not used by the ",
          "{args$kernel} kernel: set kernel = \"manifold\".", data = "k")
  check_unit_choice(args$shared_neurons, args$units_x, args$units_y)
  # responses() objects declare it, see settled_complete()
  args$default_complete <- length(args$complete) > 1
  args$complete <- check_choice(args$complete, complete_choices, "complete")
  args$clusters <- cluster_codes(args$clusters)
  args
}

# The Gaussian kernel needs no more than distances, and the manifold kernel no more than neighbours,
# so these may be given in the place of data.
accepted_by_kernel <- function(args) {
  if (args$corrects$trials) return("data")
  switch(args$kernel, linear = "data", rbf = c("data", "dist"), manifold = kinds,
         no_branch(args$kernel))
}

# What the estimator uses of a declaration by responses().
structure_of_kernel <- function(args) {
  c(if (args$corrects$trials) c("trials", "runs", "sessions"),
    if (args$corrects$neurons) c("sessions", "neurons"),
    # cka_interval() has several estimators
    if (!is.null(args$clusters) && args$corrects$stimuli) "clusters")
}

neighbours_of_kernel <- function(args) if (args$kernel == "manifold") euclidean_neighbours(args)

# The form of a kernel, and the kinds of forms that are made on the way to it.
form_of_kernel <- function(args) {
  if (args$corrects$trials) return("trials")
  if (goes_by_clusters(args)) return("cluster kernel")
  switch(args$kernel, linear = "linear", rbf = "gaussian", manifold = "symmetric kernel",
         no_branch(args$kernel))
}

kept_of_kernel <- function(args) {
  if (args$corrects$trials) return(if (args$kernel == "rbf") "distances" else "linear")
  whole <- if (goes_by_clusters(args)) "symmetric kernel"
  switch(args$kernel, linear = NULL, rbf = "distances",
         manifold = c("graph", "sparse kernel", whole), no_branch(args$kernel))
}

# Do the arguments fit the data of the pair?
check_cka_pair <- function(pair, args) {
  n <- pair$x$n
  corrected <- args$corrects$stimuli
  if (n < 4 || !is.null(args$clusters)) {
    why <- if (corrected) "a corrected estimator" else "a similarity"
    check_rows(n, if (corrected) 4 else 2, pair$x$arg, why)
    check_clusters(args$clusters, n, pair$x$arg, if (corrected) 4 else 1, why)
  }
  if (args$shared_neurons || !is.null(args$units_x)) check_units(pair, args)
  if (args$corrects$trials) check_trials(pair, args)
}

# ---- kernels over clusters

# The form of a kernel over clusters of stimuli, and H values from it.

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
       # as without clusters: differences of kernel entries cancel, see h_by_labels()
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
