# What the argument `outer` of rsa() means: the forms of an RDM for each comparison, and the
# products of two of them.

#' @include form-distance.R null-kernels.R
NULL

# ---- the forms of rsa()

rdm_form <- function(repr, args, rdm = dissimilarities_of(repr, args$inner)) {
  rsa_forms[[args$form]]$make(repr, args, rdm)
}

rdm_product <- function(pair, x, y, args) rsa_forms[[args$form]]$product(pair, x, y, args)

rdm_correlation <- function(statistic, x, y, args) {
  # Kendall's tau, and what pairs in common give, are scores already
  if (is.null(x$size)) return(statistic)
  clip_to_range(statistic / sqrt(x$size) / sqrt(y$size), -1, 1)
}

rsa_dot <- function(args) {
  products <- rsa_forms[[args$form]]$products
  if (is.null(products)) return(NULL)
  new_dot(function(x, y, args) {
    found <- products(x, y, args)
    if (is.list(found)) return(found)
    c(list(table = found), if (!is.null(x[[1]]$size)) sizes_of(x, y, form_size_of))
  }, function(values, args) clip_to_range(values, -1, 1), forms = forms_of_given)
}

# The forms of RDMs that are given, of whole lists, without asking of each what holds for all: NULL
# for those that are no RDMs, that were prepared, or whose values do not differ or are of an unusual
# size.
forms_of_given <- function(reprs, args) {
  forms <- vector("list", length(reprs))
  given <- rsa_forms[[args$form]]$given
  if (is.null(given) || !is.null(args$clusters)) return(forms)
  at <- which(vapply(reprs, function(repr) repr$kind == "dist" && is.null(repr$prepared), NA))
  if (!length(at)) return(forms)
  extent <- vapply(reprs[at], extent_of, double(4))
  largest <- largest_of_extents(extent)
  contrast <- if (is_cosine(args$outer)) largest else extent[2, ] - extent[1, ]
  usual <- is_usual_size(largest) & contrast > tie_share * largest
  if (any(usual)) forms[at[usual]] <- given(reprs[at[usual]], extent[4, usual], args)
  forms
}

rsa_null <- function(args) rsa_forms[[args$form]]$null

# The kinds of forms in which RDMs are compared, a record each:
#
# make     function(repr, args, rdm): the form of a representation, with its dissimilarities_of()
# product  function(pair, x, y, args): what two forms give together, which is divided by the sizes
#          of the forms later, or the score itself where they have no sizes
# null     see new_null(); without it the null is made permutation by permutation
# products function(x, y, args): the products of all forms of two lists, or of one where y is NULL,
#          see new_dot(), perhaps without the sizes, which the forms have; without it they are made
#          cell by cell
# given    function(reprs, sums, args): what products() needs of "dist" objects without clusters
#          whose values differ and have these sums, a list that is not remembered; without it there
#          is no such short way
#
# Their relabelling and sizes are declared below.
rsa_forms <- list(
  # list(values, square, center, size), see form_dissimilarities()
  dissimilarities = list(
    make = function(repr, args, rdm) {
      codes <- if (!is.null(args$clusters)) labelled_codes(args$clusters)
      form_dissimilarities(repr, args$inner, args$outer, codes, rdm)
    },
    product = function(pair, x, y, args) {
      packed_product(x$values, y$values, x$square, y$square, x$center, y$center)
    },
    products = function(x, y, args) {
      found <- packed_table(x, y)
      if (args$outer == "rho_a") c(found["table"], sizes_of(x, y, form_size_of)) else found
    },
    given = function(reprs, sums, args) {
      count <- packed_length(reprs[[1]]$n)
      ranked <- args$outer %in% ranked_outer
      center <- if (args$outer == "cosine") 0 * sums else sums / count
      size <- if (args$outer == "rho_a") untied_rank_size(count)
      lapply(seq_along(reprs), function(k) {
        if (!ranked) return(list(values = reprs[[k]]$data, square = FALSE, center = center[k]))
        list(values = form_ranks(reprs[[k]], args$inner)$ranks, square = FALSE,
             center = (count + 1) / 2, size = size)
      })
    },
    # the symmetric matrices contain every pair of stimuli twice, the packed vectors once
    null = new_null("inner", centered = FALSE, operand = function(form, repr, args, side) {
      entries <- list(entries = form$values, grand = -form$center)
      matrix_operand(unpacked(entries, repr$n, form$square))
    }, statistic = function(values, x, y, args, design) values / 2)
  ),
  # ranks of all pairs, for Kendall's tau
  ranks = list(
    make = function(repr, args, rdm) form_ranks(repr, args$inner, rdm),
    product = function(pair, x, y, args) {
      .Call(C_kendall, compared_ranks(x, args), compared_ranks(y, args), args$outer == "tau_b",
            thread_count())
    },
    # what is NA is left to single cells
    products = function(x, y, args) {
      columns <- length(if (is.null(y)) x else y)
      if (2 * length(x[[1]]$ranks) >= .Machine$integer.max) {
        return(matrix(NA_real_, length(x), columns))
      }
      levels_of <- function(form) as.integer(2 * compared_ranks(form, args))
      taus_of_levels(lapply(x, levels_of), if (!is.null(y)) lapply(y, levels_of), args$outer,
                     progress_along(min(length(x), columns)))
    },
    given = function(reprs, sums, args) lapply(reprs, form_ranks, args$inner),
    null = new_null("concordance", operand = function(form, repr, args, side) {
      if (side == "y") return(list(levels = pair_levels(form$ranks)))
      list(order = ordered_pairs(form$ranks, repr$n, !pairs_within(args, repr$n)))
    }, statistic = function(values, x, y, args, design) {
      taus_of_counts(values[[1]], x$order, args$outer)
    })
  ),
  # list(d, square, tolerance): the distances, whether their squares are the dissimilarities, and up
  # to which difference they are tied. Where pairs lack, both sides tell which are compared.
  "raw dissimilarities" = list(
    make = function(repr, args, rdm) form_raw_dissimilarities(repr, args$inner, rdm),
    product = function(pair, x, y, args) score_of_common_pairs(pair, x, y, args)
  ),
  # Dissimilarities (less their mean, for "whitened_pearson", and with what pairs between clusters
  # predict of those within) with what double-centring subtracts: without `stimulus_noise` this
  # is the dual of the RDM, times -2. Permutations of whole clusters take pairs within clusters to
  # such pairs.
  "centered dissimilarities" = list(
    make = function(repr, args, rdm) {
      key <- list(repr$kind, args$inner, args$outer, args$clusters)
      remember_form(repr, "centered dissimilarities", key, {
        values <- whitened_values(dissimilarity_values(rdm), pairs_within(args, repr$n),
                                  is_centred(args$outer))
        centered_parts(values, repr$n)
      })
    },
    given = function(reprs, sums, args) {
      n <- reprs[[1]]$n
      center <- if (is_centred(args$outer)) sums / packed_length(n) else 0 * sums
      lapply(seq_along(reprs), function(k) {
        centered_parts(as.double(reprs[[k]]$data) - center[k], n)
      })
    },
    product = function(pair, x, y, args) packed_centered_product(x, y),
    products = function(x, y, args) centered_table(x, y),
    null = new_null("inner", centered = TRUE, operand = function(form, repr, args, side) {
      matrix_operand(unpacked(form, repr$n))
    })
  ),
  # The same by `stimulus_noise`: list(values, dual, size, metric, level, lacking), where `level`
  # says whether the generalised least squares mean is taken off, and `lacking` which pairs are
  # within clusters.
  "weighed dissimilarities" = list(
    make = function(repr, args, rdm) {
      key <- list(repr$kind, args$inner, args$outer, args$stimulus_noise, args$clusters)
      remember_form(repr, "weighed dissimilarities", key, {
        weighed_parts(dissimilarity_values(rdm),
                      whitening_matrix(repr$n, labelled_noise(args)), is_centred(args$outer),
                      pairs_within(args, repr$n))
      })
    },
    product = function(pair, x, y, args) sum(x$dual * y$values),
    products = function(x, y, args) {
      operand <- function(form, part) list(values = form[[part]], square = FALSE, center = 0)
      table <- packed_table(lapply(x, operand, "dual"),
                               lapply(if (is.null(y)) x else y, operand, "values"))$table
      # the same number either way round
      if (is.null(y)) table[lower.tri(table)] <- t(table)[lower.tri(table)]
      table
    }
  )
)

# The ranks of pairs that count.
compared_ranks <- function(form, args) {
  if (is.null(args$clusters)) form$ranks else
    form$ranks[between_clusters(labelled_codes(args$clusters))]
}

centered_parts <- function(values, n) {
  form <- double_centering(values, as.double(n))
  c(form, list(size = packed_centered_product(form, form)))
}

form_raw_dissimilarities <- function(repr, inner, rdm = dissimilarities_of(repr, inner)) {
  remember_form(repr, "raw dissimilarities", list(repr$kind, inner), {
    # where pairs lack, they lack in data that are given
    tolerance <- if (repr$kind == "dist") c(0, 0) else rdm_facts(repr, inner, rdm)$tolerance
    list(d = as.double(rdm$d), square = rdm$square, tolerance = tolerance)
  })
}

# Which pairs are within clusters, and do not count.
pairs_within <- function(args, n) {
  if (is.null(args$clusters)) return(rep(FALSE, packed_length(n)))
  !between_clusters(labelled_codes(args$clusters))
}

weighed_parts <- function(values, metric, level, lacking) {
  values <- whitened_values(values, lacking, level, metric)
  dual <- whitened_duals(as.matrix(values), metric)[, 1]
  list(values = values, dual = dual, size = sum(dual * values), metric = metric, level = level,
       lacking = lacking)
}

declare_form("raw dissimilarities", relabel = relabel_parts(packed = "d"),
             size = function(n, d, args) packed_length(n))

declare_form("centered dissimilarities",
             relabel = relabel_parts(packed = "entries", each = "means"),
             size = function(n, d, args) packed_length(n))

# The noise stays with its stimuli when those of the RDM are permuted.
declare_form("weighed dissimilarities", relabel = function(form, permutation) {
  parts <- weighed_parts(relabel_packed(form$values, permutation), form$metric, form$level,
                         form$lacking)
  form[names(parts)] <- parts
  form
}, size = function(n, d, args) 2.5 * packed_length(n) + as.double(n)^2)

# ---- how scores vary with the stimuli

rsa_errors <- function(args) {
  if (args$gaps || !is.null(args$stimulus_noise)) return(NULL)
  # what pairs between clusters predict of those within changes with each deletion
  if (is_whitened(args) && !is.null(args$clusters)) return(NULL)
  switch(args$outer, spearman = rank_errors(),
         cosine = pairwise_errors("cosine", rdm_side),
         pearson = pairwise_errors("correlation", rdm_side),
         whitened_cosine = whitened_errors("v"), whitened_pearson = whitened_errors("whitened"),
         kendall = , tau_b = , rho_a = NULL, no_branch(args$outer))
}

# Weights would have to say what copies of a stimulus are: there are none.
whitened_errors <- function(kind) {
  side <- function(repr, args, codes) whitened_pairs(repr, args, kind)
  new_errors("jackknife", stimuli = function(pair, args, codes) {
    pairwise_ratios(pair, kind, side, args, codes)
  }, cells = function(x, y, args, codes) pairwise_cells(x, y, kind, side, args))
}
