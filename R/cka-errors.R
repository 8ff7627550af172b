# The errors of CKA over stimuli and neurons: delete-one values of its three H values.

# cosine: new_angle() for the angle, NULL for the CKA.
cka_errors <- function(cosine = NULL) {
  force(cosine)
  function(args) {
    if (args$kernel == "manifold") return(NULL)
    if (args$kernel == "rbf" && args$corrects$trials) return(NULL)
    weighted <- function(pair, args, w, d) {
      kind <- kind_of_cka(args)
      a <- kernel_side(pair$x, args, kind)
      b <- kernel_side(pair$y, args, kind)
      value <- if (!args$corrects$neurons) weighted_ratios(kind, a, b, w) else {
        check_units(pair, args)
        h <- weighted_products(kind, a, b, w)
        self <- function(repr, total, side) {
          own <- self_labels(repr, args, side)
          labels <- if (!is.null(own)) list(x = own, y = own)
          allowed_h(self_pair(repr), total, labels, w, TRUE)
        }
        ratio_of_products(allowed_h(pair, h$xy, pair_labels(pair, args), w, FALSE),
                          self(pair$x, h$xx, "x"), self(pair$y, h$yy, "y"))
      }
      if (is.null(cosine)) value else cosine$score(value)
    }
    possible <- is.null(args$clusters) && !args$corrects$trials
    corrected <- corrects_sample(args) || args$corrects$trials
    # where the H values are sums over pairs of entries of two kernels
    cells <- function(x, y, args, codes) {
      kind <- kind_of_cka(args)
      pairwise_cells(x, y, kind, function(repr, args, codes) kernel_side(repr, args, kind), args)
    }
    new_errors("jackknife", stimuli = cka_deletions,
               cells = if (!corrected && !goes_by_clusters(args)) cells, cosine = cosine,
               weighted = if (possible) weighted, transform = if (corrected) "none" else "z")
  }
}

# The side of a kernel, remembered with its representation.
kernel_side <- function(repr, args, kind) {
  if (args$kernel == "rbf") {
    key <- list("gaussian", args$sigma, args$bandwidth)
    return(remember(repr$cache, list("pairs of the Gaussian kernel", key, kind), {
      check_side_memory(repr)
      gaussian <- gaussian_entries(repr, gaussian_width(repr, args$sigma, args$bandwidth))
      entries <- unpacked_pairs(gaussian$entries, repr$n, if (gaussian$shifted) 0 else 1)
      new_side(centred_pairs(entries, kind), key, kind)
    }))
  }
  remember(repr$cache, list("pairs of the linear kernel", kind), {
    check_side_memory(repr)
    x <- scaled_data(repr, TRUE)
    k <- tcrossprod(x)
    side <- new_side(k, "linear", kind)
    if (4 * ncol(x) > nrow(x)) side else
      c(side, list(factor = x, diagonal = if (kind == "u") diag(k)))
  })
}

kind_of_cka <- function(args) if (args$corrects$stimuli) "u" else "v"

cka_deletions <- function(pair, args, codes) {
  if (corrects_sample(args) || args$corrects$trials) {
    # no neuron is deleted here, so that one of several sessions may stand alone in each of them
    held <- !args$corrects$trials
    table <- tryCatch(cka_table(pair, args, codes, held = held),
                      repalign_error_moved_neurons = function(e) {
      width <- c(x = ncol(pair$x$data), y = ncol(pair$y$data))
      cka_table(pair, args, codes, list(x = seq_len(width[1]), y = -seq_len(width[2])), held)
    })
    return(table$values[, 1])
  }
  kind <- kind_of_cka(args)
  if (!goes_by_clusters(args)) {
    side <- function(repr, args, codes) kernel_side(repr, args, kind)
    return(pairwise_ratios(pair, kind, side, args, codes))
  }
  a <- kernel_side(pair$x, args, kind)
  b <- kernel_side(pair$y, args, kind)
  h <- function(a, b) unname(corrected_gram_deletions(a$k, b$k, codes))
  self <- function(repr, side) {
    remember(repr$cache, list("deleted self terms over clusters", side$key, codes), h(side, side))
  }
  ratio_of_products(h(a, b), self(pair$x, a), self(pair$y, b))
}

# The CKA with nothing and each stimulus deleted (rows), and with nothing and each unit deleted
# (columns), of the sides whose neurons are a sample. units: labels of the columns of both sides
# that are deleted together, or NULL: those that the measure goes by. list(values, layout,
# centered), and `h`, the tables of the three H values, with `loo`, the sums that they are made of.
# held: is only the first column asked for?
cka_table <- function(pair, args, codes, units = NULL, held = FALSE) {
  check_units(pair, args)
  trials <- args$corrects$trials
  check_jackknife_memory(pair, if (trials) args$trials else 1)
  layout <- unit_layout(pair, args, units)
  # which neuron pairs count, as matrices of 0 and 1 for xy, xx and yy, where the units of the
  # layout do not say so; NULL: all
  allowed <- list()
  if (args$corrects$neurons) {
    labels <- pair_labels(pair, args)
    weights <- function(labels, a, b) {
      left_out <- if (!is.null(labels)) excluded_pairs(labels$x, labels$y)
      neuron_pair_weights(left_out, ncol(pair[[a]]$data), ncol(pair[[b]]$data))
    }
    across <- !is.null(units) || any(layout$complete) && !is.null(labels)
    if (across) allowed$xy <- weights(labels, "x", "y")
    for (side in if (!is.null(units)) names(which(!layout$complete))) {
      own <- self_labels(pair[[side]], args, side)
      allowed[[paste0(side, side)]] <- weights(list(x = own, y = own), side, side)
    }
  }
  if (!length(allowed)) allowed <- NULL
  held <- held && !any(layout$complete) && is.null(allowed)
  # several estimators of a pair have the same sums
  what <- list("deletions of the CKA", trials, layout, codes, allowed, held)
  loo <- remember(pair$cache, what, {
    if (held) held_neuron_sums(pair, layout, codes)
    else if (trials) trial_sums(pair, layout, codes, allowed)
    else leave_out_sums(pair, layout, codes, allowed)
  })
  h <- lapply(loo[c("xy", "xx", "yy")], h_table, estimator = args$estimator)
  if (is.na(h$xx[1, 1])) no_allowed_pair(self_pair(pair$x), TRUE)
  if (is.na(h$yy[1, 1])) no_allowed_pair(self_pair(pair$y), TRUE)
  if (is.na(h$xy[1, 1])) no_allowed_pair(pair, FALSE)
  least <- function(part) rounding_share * part$naive$total[1] / part$pairs$total
  values <- suppressWarnings(h$xy / sqrt(h$xx) / sqrt(h$yy))
  values[!(h$xx > least(loo$xx) & h$yy > least(loo$yy))] <- NA
  list(values = values, layout = layout, centered = isTRUE(loo$centered), h = h, loo = loo)
}

# ---- with weights

# The mean over the neuron pairs without equal labels, from the sum over all of them.
allowed_h <- function(pair, total, labels, w, self) {
  x <- scaled_data(pair$x, TRUE)
  y <- scaled_data(pair$y, TRUE)
  all <- as.double(ncol(x)) * ncol(y)
  if (is.null(labels)) return(total / all)
  left_out <- excluded_pairs(labels$x, labels$y)
  if (left_out$count == all) no_allowed_pair(pair, self)
  if (length(left_out$x)) {
    total <- total - weighted_column_u(x[, left_out$x, drop = FALSE],
                                       y[, left_out$y, drop = FALSE], w)
  }
  for (block in left_out$blocks) {
    k <- new_side(tcrossprod(x[, block$x, drop = FALSE]), NULL, "u")$k
    l <- new_side(tcrossprod(y[, block$y, drop = FALSE]), NULL, "u")$k
    sums <- u_sums(weight_products(k, w), weight_products(l, w), weight_products(k * l, w), w)
    total <- total - u_from_sums(sums, lapply(weight_powers(w), colSums))
  }
  total / (all - left_out$count)
}
