# Lists of RDMs: as one table, and pooled into one RDM.

# rdms: one RDM or a list of them, each a "dist" object or a symmetric matrix. Returns list(values,
# n, labels, names): a matrix with a row for each pair of stimuli, in the order of stats::dist(),
# the number and the labels (or NULL) of the stimuli, and the names of the RDMs; also which of
# them are estimates that noise does not bias. allow_na: pairs may lack, which are NA (never NaN) in
# the table.
rdm_table <- function(rdms, arg, allow_na = FALSE) {
  refuse_if(is.character(rdms) && is.null(dim(rdms)), "type", "`{arg}` is text: factor({arg}) ",
            "makes a model of its categories.")
  # a named list; RDMs without names are numbered
  if (inherits(rdms, c("dist", "factor")) || is.matrix(rdms)) {
    rdms <- stats::setNames(list(rdms), arg)
  } else {
    refuse_if(!is.list(rdms) || is.data.frame(rdms), "type", "`{arg}` must be an RDM (a \"dist\" ",
              "object or a symmetric matrix) or a list of them, not {describe(rdms)}.")
    refuse_if(!length(rdms), "size", "`{arg}` is an empty list: give at least one RDM.")
    if (is.null(names(rdms))) names(rdms) <- paste0("rdm", seq_along(rdms))
    check_element_names(rdms, arg)
  }
  names <- names(rdms)
  places <- if (length(rdms) == 1 && names == arg) arg else paste0(arg, "$", names)
  complete <- plain_rdms(rdms)$extent[3, ] %in% 0
  if (!all(complete)) rdms[!complete] <- Map(read_rdm, rdms[!complete], places[!complete], allow_na)
  n <- vapply(rdms, function(rdm) as.integer(attr(rdm, "Size")), 0L)
  other <- which(n != n[1])
  refuse_if(length(other), "size", "`{places[other[1]]}` has {n[other[1]]} stimuli, but ",
            "`{places[1]}` has {n[1]}: RDMs that are compared have the same stimuli. ",
            "match_rows() keeps those that all have, by their names.", arg = arg)
  rdms <- rdms_in_one_order(rdms, places, arg)
  # unlist() would take five times as long, and matrix() copy the values once more
  pairs <- packed_length(n[[1]])
  values <- vapply(rdms, identity, double(pairs), USE.NAMES = FALSE)
  dim(values) <- c(pairs, length(rdms))
  dimnames(values) <- list(NULL, names)
  extent <- value_extent(values)
  same <- extent[2, ] - extent[1, ] <= tie_share * largest_of_extents(extent)
  for (k in which(same)) values[, k] <- less_rounding(values[, k])
  # estimates that noise does not raise
  crossed <- vapply(rdms, function(rdm) {
    made <- attr(rdm, "distance")
    length(made) == 1 && made %in% distance_ids(function(declared) declared$runs)
  }, NA)
  list(values = values, n = n[[1]], labels = labels_of_rdms(rdms), names = names,
       cross_validated = unname(crossed))
}

# Dissimilarities that differ by no more than rounding are equal, as for rsa().
less_rounding <- function(values) {
  # range() would copy the values first
  range <- c(min(values, na.rm = TRUE), max(values, na.rm = TRUE))
  if (range[2] - range[1] > tie_share * max(abs(range))) return(values)
  replace(values, !is.na(values), range[1])
}

# RDMs whose squares would be too large or too small for a double are brought to the size of 1, by a
# power of two each: list(values, scale), with what each column was multiplied by.
even_sizes <- function(values) {
  largest <- largest_of_extents(value_extent(values))
  largest[!is.finite(largest)] <- 0
  unusual <- largest > 0 & (largest > 2^200 | largest < 2^-200)
  scale <- rep(1, ncol(values))
  scale[unusual] <- vapply(largest[unusual], power_of_two_below, 0)
  for (k in which(unusual)) values[, k] <- values[, k] * scale[k]
  list(values = values, scale = scale)
}

# A "dist" object of doubles.
read_rdm <- function(rdm, place, allow_na) {
  # 0 within a category, 1 between two
  if (is.factor(rdm)) {
    codes <- categories_of(rdm, place)
    different <- outer(codes, codes, "!=") + 0
    rownames(different) <- names(rdm)
    rdm <- stats::as.dist(different)
  }
  # "of different categories", as TRUE and FALSE
  if (is.logical(rdm) && !all(is.na(rdm))) storage.mode(rdm) <- "double"
  if (is.matrix(rdm)) {
    refuse_if(!is.numeric(rdm) || nrow(rdm) != ncol(rdm), "type", "`{place}` must be an RDM, a ",
              "numeric matrix with as many rows as columns",
              if (is.numeric(rdm)) paste0(", not ", nrow(rdm), " x ", ncol(rdm), ": dist(", place,
                                          ") or rdm() makes one of responses (dist(", place, ")^2 ",
                "where other RDMs are squared distances, as crossnobis is)"), ".")
    lower <- rdm[lower.tri(rdm)]
    refuse_if(!equals_transpose(rdm), "value", "`{place}` is not symmetric, as a matrix of ",
              "dissimilarities is: dist({place}) or rdm() makes an RDM of responses.")
    refuse_if(any(abs(diag(rdm)) > 1e-8 * max(abs(lower), 0, na.rm = TRUE), na.rm = TRUE), "value",
              "`{place}` is not 0 on its diagonal, as a matrix of dissimilarities is. Of ",
              "correlations, give 1 - x.")
    # Names that are in rows and in columns must be in the same places. Others may be there twice in
    # different spelling, such as that of read.csv() for columns.
    rows <- rownames(rdm)
    columns <- colnames(rdm)
    common <- intersect(rows, columns)
    at <- which(rows != columns)[1]
    refuse_if(!identical(match(common, rows), match(common, columns)), "names", "`{place}` has ",
              "its rows and its columns in different orders, first at place {at} ",
              "({quoted(rows[at])} and {quoted(columns[at])}): give both the same names, or none.")
    rdm <- structure(lower, Size = nrow(rdm), Labels = if (is.null(rows)) columns else rows,
                     Diag = FALSE, Upper = FALSE, class = "dist")
  }
  refuse_if(!inherits(rdm, "dist"), "type", "`{place}` must be an RDM, a \"dist\" object or a ",
            "symmetric matrix, not {describe(rdm)}.")
  seen <- new_cache()
  rdm <- check_dist(rdm, place, allow_na, allow_zero = TRUE, pairwise = TRUE, cache = seen)
  refuse_if(attr(rdm, "Size") < 2, "size", "`{place}` has fewer than two stimuli.")
  if (seen$extent[3] == 0) return(rdm)
  lacking <- is.na(rdm)
  refuse_if(all(lacking), "nonfinite", "`{place}` has no dissimilarity: all are missing.")
  rdm[lacking] <- NA_real_
  rdm
}

# The categories of a factor, as numbers from 1. One category alone tells no stimuli apart.
categories_of <- function(labels, place) {
  codes <- as.integer(droplevels(labels))
  refuse_if(anyNA(codes) || length(unique(codes)) < 2, "labels", "`{place}` is a factor ",
            if (anyNA(codes)) "with missing labels" else "with one category",
            ": a model of categories needs a label for each stimulus, and two categories or more.")
  codes
}

# RDMs of equally many stimuli in one order, see places_in_order(). places: what messages call them.
rdms_in_one_order <- function(rdms, places, arg) {
  labels <- lapply(rdms, function(rdm) {
    found <- attr(rdm, "Labels")
    if (length(found)) as.character(found)
  })
  if (!any(lengths(labels) > 0)) return(rdms)
  at <- places_in_order(unname(labels), places, function(i, k) {
    refuse("names", names_differ(places[i], places[k], labels[[i]], labels[[k]]),
           "subset() of both takes the stimuli that both have; or remove the labels when the ",
           "stimuli do correspond.", arg = arg)
  })
  note_unnamed(labels, places, distances = TRUE)
  Map(function(rdm, at) if (is.null(at)) rdm else reordered_dist(rdm, at), rdms, at)
}

# The labels of RDMs in one order, or NULL.
labels_of_rdms <- function(rdms) {
  for (rdm in rdms) {
    labels <- attr(rdm, "Labels")
    if (length(labels)) return(as.character(labels))
  }
  NULL
}

# ---- one RDM of several

# With the mean of normalised RDMs noise ceilings are made and models are fitted.

#' The mean of RDMs
#'
#' The mean of RDMs on a common scale: for most comparisons the best that a model could be.
#'
#' @param rdms a list of RDMs (`dist` objects or symmetric matrices) of the same stimuli.
#' @param outer how RDMs are compared, as for [rsa()], or `"riemann"`.
#' @param stimulus_noise for whitened comparisons, as for [rsa()].
#' @param na `"pairwise"`: means are over the RDMs that have a pair.
#' @param ... not used.
#' @return An RDM, as from [rdm()]. Its scale means nothing.
#' @details
#' Before the mean, each RDM is divided by its (whitened) length, after its mean has been subtracted
#' for correlations, or ranked (comparisons of ranks). [subject_ceiling()] says when no RDM is more
#' similar.
#' @examples
#' rdms <- list(dist(v4_layers[[1]][1:20, ]), dist(v4_layers[[2]][1:20, ]))
#' pooled <- pool_rdms(rdms, "cosine")
#' vapply(rdms, rsa, 0, y = pooled, outer = "cosine")
#' @export
pool_rdms <- function(rdms, outer, stimulus_noise = NULL, na = c("error", "pairwise"), ...) {
  need_arguments()
  outer <- check_choice(outer, c(rsa_outer, "bures", "riemann"), "outer")
  na <- check_choice(na, c("error", "pairwise"), "na")
  table <- rdm_table(rdms, "rdms", na == "pairwise")
  stimulus_noise <- check_stimulus_noise(stimulus_noise, table$n, table$labels)
  refuse_unused_noise(stimulus_noise, outer)
  refuse_if(outer == "bures", "choice", "`outer` = \"bures\" has no pooled RDM: the mean of RDMs ",
            "is not the RDM that is most alike to them. Choose another comparison.")
  refuse_flat(table, outer, "rdms")
  # "riemann" takes RDMs in their own units, of which the sum may be too large for a double: one
  # power of two brings them to about the size of 1
  own <- outer == "riemann"
  scale <- if (own) power_of_two_below(max(abs(table$values), na.rm = TRUE)) else 1
  values <- if (own) table$values * scale else even_sizes(table$values)$values
  pooled <- pooled_values(values, outer, stimulus_noise = stimulus_noise) / scale
  new_rdm(pooled, table$n, table$labels, paste("mean for", outer))
}

# An RDM that cannot be scaled to length 1 has no place in a mean.
# among: which dissimilarities are meant, NULL for all.
refuse_flat <- function(table, outer, arg, among = NULL) {
  if (outer == "riemann") return(invisible())
  flat <- no_length(table$values, outer)
  refuse_if(any(flat), "variance", "`{arg}` has an RDM without variance ",
            "({quoted(table$names[flat][1])}): all its dissimilarities ",
            "{if (!is.null(among)) paste0(among, ' ')}are ",
            "{if (is_cosine(outer)) '0' else 'equal'}, so that its similarity is undefined. Leave ",
            "it out.")
}

# The pooled RDM of a table (P x N) with weights of its RDMs. Pairs without any RDM are NA.
pooled_values <- function(values, outer, weights = NULL, stimulus_noise = NULL) {
  if (is.null(weights)) weights <- rep(1, ncol(values))
  as.vector(means_of_present(normalised_rdms(values, outer, stimulus_noise), as.matrix(weights)))
}

# weights: a column for each mean. Returns the means as columns.
means_of_present <- function(scaled, weights) {
  if (!anyNA(scaled)) {
    return(scaled %*% weights / rep(replace(colSums(weights), colSums(weights) <= 0, NA),
                                    each = nrow(scaled)))
  }
  present <- !is.na(scaled)
  # scores of ranks see ties, and sums of ranks are exact
  sums <- replace(scaled, !present, 0) %*% weights
  total <- present %*% weights
  replace(sums / total, total <= 0, NA_real_)
}

normalised_rdms <- function(values, outer, stimulus_noise = NULL) {
  standardised <- function(a) (a - mean(a)) / sqrt(mean((a - mean(a))^2))
  whitened <- function(a, known) {
    values <- a[known] - if (is_centred(outer)) mean(a[known]) else 0
    size <- whitened_gram(cbind(a[known]), known, outer, stimulus_noise)[1, 1]
    # rounding of an RDM that has no variance among the stimuli of a draw
    if (isTRUE(size > 1e-13 * sum(values^2))) values / sqrt(size) else NA_real_
  }
  apply_columns(values, function(a) {
    known <- !is.na(a)
    # an RDM may lack all pairs of the stimuli of a fold
    if (!any(known)) return(a)
    a[known] <- switch(
      outer, cosine = a[known] / sqrt(mean(a[known]^2)), pearson = standardised(a[known]),
      whitened_cosine = , whitened_pearson = whitened(a, known),
      riemann = a[known], spearman = , rho_a = , kendall = , tau_b = exact_ranks(a[known]),
      no_branch(outer))
    a
  })
}
