# What the argument `outer` of rsa() means: the forms of an RDM for each comparison, and the
# products of two of them.

#' @include form.R
NULL

# ---- forms

# The kind of form that is prepared.
rdm_form_kind <- function(args) {
  if (args$gaps) return("raw dissimilarities")
  if (!is.null(args$sigma)) return("weighed dissimilarities")
  if (is_whitened(args)) return("centered dissimilarities")
  if (args$outer %in% tau_outer) "ranks" else "dissimilarities"
}

rdm_form <- function(repr, args) {
  switch(rdm_form_kind(args), ranks = form_ranks(repr, args$inner),
    "raw dissimilarities" = form_raw_dissimilarities(repr, args$inner),
    "weighed dissimilarities" = form_weighed(repr, args$inner, args$outer, args$sigma),
    "centered dissimilarities" = form_whitened(repr, args$inner, args$outer),
    if (is.null(args$clusters)) form_dissimilarities(repr, args$inner, args$outer)
    else form_between_clusters(repr, args$inner, args$outer, labelled_codes(args$clusters)))
}

# list(d, square, tolerance): the distances, whether their squares are the dissimilarities, and up
# to which difference they are tied.
form_raw_dissimilarities <- function(repr, inner) {
  remember_form(repr, "raw dissimilarities", list(repr$kind, inner), {
    rdm <- dissimilarities_of(repr, inner)
    # where pairs lack, they lack in data that are given
    tolerance <- if (repr$kind == "dist") c(0, 0) else tie_tolerance(repr, inner)
    list(d = as.double(rdm$d), square = rdm$square, tolerance = tolerance)
  })
}

declare_form("raw dissimilarities", relabel = relabel_parts(packed = "d"),
             size = function(n, d, args) packed_length(n))

# Dissimilarities (less their mean, for "whitened_pearson") with what double-centring subtracts:
# without `sigma` this is the dual of the RDM, times -2.
form_whitened <- function(repr, inner, outer) {
  remember_form(repr, "centered dissimilarities", list(repr$kind, inner, outer), {
    rdm <- dissimilarities_of(repr, inner)
    values <- if (rdm$square) rdm$d^2 else as.double(rdm$d)
    if (outer == "whitened_pearson") values <- values - mean(values)
    form <- double_centering(values, as.double(repr$n))
    c(form, list(size = packed_centered_product(form, form)))
  })
}

declare_form("centered dissimilarities",
             relabel = relabel_parts(packed = "entries", each = "means"),
             size = function(n, d, args) packed_length(n))

# The same by the noise `sigma`: list(values, dual, size, metric, level), where `level` says whether
# the generalised least squares mean is taken off. The noise stays with its stimuli when those of
# the RDM are permuted.
form_weighed <- function(repr, inner, outer, sigma) {
  remember_form(repr, "weighed dissimilarities", list(repr$kind, inner, outer, sigma), {
    rdm <- dissimilarities_of(repr, inner)
    values <- if (rdm$square) rdm$d^2 else as.double(rdm$d)
    weighed_parts(values, whitening_matrix(repr$n, sigma), outer == "whitened_pearson")
  })
}

weighed_parts <- function(values, metric, level) {
  if (level) values <- values - weighted_level(values, metric)
  dual <- whitened_duals(as.matrix(values), metric)[, 1]
  list(values = values, dual = dual, size = sum(dual * values), metric = metric, level = level)
}

relabel_weighed <- function(form, permutation) {
  values <- relabel_packed(form$values, permutation)
  parts <- weighed_parts(values, form$metric, form$level)
  form[names(parts)] <- parts
  form
}

declare_form("weighed dissimilarities", relabel = relabel_weighed,
             size = function(n, d, args) 2 * packed_length(n) + as.double(n)^2)

# ---- products

# A product that is divided by the sizes of the forms later, or the score itself where they have
# none.
rdm_product <- function(pair, x, y, args) {
  if (args$gaps) return(score_of_common_pairs(pair, x, y, args))
  switch(rdm_form_kind(args), ranks = rank_tau(x$ranks, y$ranks, args),
         "weighed dissimilarities" = sum(x$dual * y$values),
         "centered dissimilarities" = packed_centered_product(x, y),
         packed_product(x$values, y$values, x$square, y$square, x$center, y$center))
}

rdm_correlation <- function(statistic, x, y, args) {
  # Kendall's tau, and what pairs in common give, are scores already
  if (is.null(x$size)) return(statistic)
  clip_to_range(statistic / sqrt(x$size) / sqrt(y$size), -1, 1)
}

rank_tau <- function(x, y, args) {
  if (!is.null(args$clusters)) {
    between <- between_clusters(labelled_codes(args$clusters))
    x <- x[between]
    y <- y[between]
  }
  .Call(C_kendall, x, y, args$outer == "tau_b", thread_count())
}

# 1' V^-1 a / 1' V^-1 1. The ordinary mean is taken off first, so that its digits cancel.
weighted_level <- function(values, metric) {
  weight <- dual_of_ones(stimuli_of_pairs(length(values)), metric)
  level <- mean(values)
  level + sum(weight * (values - level)) / sum(weight)
}

# ---- the null, and how scores vary with the stimuli

rsa_null <- function(args) {
  kind <- rdm_form_kind(args)
  if (kind == "centered dissimilarities") {
    return(new_null("inner", centered = TRUE, operand = function(form, repr, args, side) {
      matrix_operand(unpacked(form, repr$n))
    }))
  }
  if (kind != "dissimilarities") return(NULL)
  # the symmetric matrices contain every pair of stimuli twice, the packed vectors once
  new_null("inner", operand = rdm_operand, centered = FALSE,
           statistic = function(values, x, y, args, design) values / 2)
}

rdm_operand <- function(form, repr, args, side) {
  entries <- list(entries = form$values, grand = -form$center)
  matrix_operand(unpacked(entries, repr$n, form$square))
}

rsa_errors <- function(args) {
  if (args$gaps || !is.null(args$sigma)) return(NULL)
  switch(args$outer, spearman = rank_errors(),
         cosine = pairwise_errors("cosine", rdm_side),
         pearson = pairwise_errors("correlation", rdm_side),
         whitened_cosine = whitened_errors("v"), whitened_pearson = whitened_errors("whitened"))
}

# Weights would have to say what copies of a stimulus are: there are none.
whitened_errors <- function(kind) {
  new_errors("jackknife", stimuli = function(pair, args, codes) {
    pairwise_ratios(pair, kind, function(repr, args, codes) whitened_pairs(repr, args, kind), args,
                    codes)
  })
}
