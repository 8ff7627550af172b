# The measures of this file are canonical correlation and what is built on it.

#' @include measure.R
NULL

#' Canonical correlation analysis
#'
#' How well the best matching linear combinations of neurons of both sides correlate: the mean
#' canonical correlation (`cca()`), that of the leading principal components (`svcca()`), or with
#' each direction weighted by how much of `x` it explains (`pwcca()`).
#'
#' @param x,y see [cka()].
#' @param na see [similarity()].
#' @param summary what is made of the canonical correlations: their `"mean"`; `"mean_squared"`, the
#'   mean of their squares (R2 CCA of Kornblith et al. 2019); or `"yanai"`, the generalized
#'   coefficient of determination, the sum of their squares divided by `sqrt(rank(x) * rank(y))`.
#' @param variance share of the total variance that the kept components must reach on each side.
#' @param components number of components to keep, instead of `variance`.
#' @param weights of canonical variates of `x`: the sum of the absolute values of their inner
#'   products with the centred columns of `x` (`"projection"`), or of their own absolute values
#'   (`"l1"`).
#' @param ... not used.
#' @return One number in \[0, 1\]; 1 when the space spanned by the centred columns of one side (or
#'   its kept components) contains that of the other side, with `"yanai"` when the two spaces are
#'   equal. `pwcca()` is not symmetric.
#' @details
#' Translation and any invertible linear change of the neurons of either side leave `cca()` as it
#' is, so that a direction of pure noise counts as much as the strongest signal. `svcca()` changes
#' with linear changes other than rotation and scaling, and `pwcca()` with rotation of `x`.
#' [calibrate()] is much faster with `"mean_squared"` than with the mean.
#'
#' When not to trust it: when there are not many more stimuli than neurons (or kept components). For
#' unrelated data the squared correlations add up to about rank x * rank y / (n - 1). If one side
#' has rank n - 1, every canonical correlation is 1 whatever the data, with a warning of class
#' `repalign_trivial`: take fewer components. A warning of class `repalign_not_unique` says that the
#' data do not determine components or weights.
#' @references Hotelling (1936), Biometrika 28. Yanai (1974), Japanese Journal of
#'   Behaviormetrics 1. Ramsay et al. (1984), Psychometrika 49. Kornblith et al. (2019), ICML.
#'   \enc{Björck}{Bjoerck} and Golub (1973), Mathematics of Computation 27. Raghu et al. (2017),
#'   NeurIPS 30 (`svcca()`). Morcos et al. (2018), NeurIPS 31 (`pwcca()`).
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(600), 100) %*% diag(6:1)
#' y <- x[, 1:3] + matrix(rnorm(300), 100)
#' cca(x, y)
#' svcca(x, y, components = 2)
#' c(pwcca(x, y), pwcca(y, x))
#' @export
cca <- function(x, y, summary = c("mean", "mean_squared", "yanai"),
                na = c("error", "stimuli", "neurons"), ...) {
  one_score("cca", x, y, list(summary = summary), na)
}

# The mean of the canonical correlations; for a matrix, which has those of a permutation in each
# column, the mean of each column.
mean_cosine <- function(statistic, x, y, args) {
  cosines <- clip_cosines(statistic)
  if (is.matrix(cosines)) colMeans(cosines) else mean(cosines)
}

# Warns if the columns of a side span the whole space of the stimuli, because such columns fit any
# other side. `most` is the rank of the whole space.
warn_whole_space <- function(pair, rank_x, rank_y, consequence, most = pair$x$n - 1) {
  full <- c(if (rank_x >= most) pair$x$arg, if (rank_y >= most) pair$y$arg)
  warn_if(length(full), "trivial", "The columns of `{full[1]}` span the whole space of ",
          "{pair$x$n} stimuli (rank {most}): {consequence}, whatever the data. Use more stimuli ",
          "than neurons, or a measure that weights directions by their variance.", data = full)
}

declare_measure(
  id = "cca", label = "Mean canonical correlation", family = "cca", direction = "similarity",
  range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE, pairing = TRUE,
  invariant = c("orthogonal", "scaling", "translation", "column permutation", "invertible linear"),
  reference = "Hotelling 1936; Yanai 1974",
  check = check_parameters(summary = c("mean", "mean_squared", "yanai")), form = "basis",
  prepare = function(repr, args, side) extend_form(form_basis(repr), rank = basis_rank(repr)),
  # the canonical correlations, or the sum of their squares, which needs no decomposition
  statistic = function(pair, x, y, args) {
    if (args$summary == "mean") {
      return(remember(pair$cache, "canonical correlations", {
        clip_cosines(singular_values(pair_cosines(pair)))
      }))
    }
    cosines <- pair_cosines(pair)
    .Call(C_dot, cosines, cosines)
  },
  score = function(statistic, x, y, args) {
    ranks <- c(x$rank, y$rank)
    switch(args$summary, mean = mean_cosine(statistic, x, y, args),
           mean_squared = share_score(statistic / min(ranks), x, y, args),
           yanai = share_score(statistic / sqrt(prod(ranks)), x, y, args), no_branch(args$summary))
  },
  inspect = function(score, pair, x, y, args) {
    warn_whole_space(pair, x$rank, y$rank, "every canonical correlation is 1")
  },
  null = function(args) {
    if (args$summary == "mean") {
      return(new_null("singular", operand = function(form, repr, args, side) {
        list(matrix = form$q, norm = sqrt(ncol(form$q)))
      }))
    }
    new_null("inner", operand = function(form, repr, args, side) projector(form$q),
             factor = function(form, repr, args, side) form$q, centered = TRUE,
             cube = projector_cube)
  },
  needs_data = FALSE,
  errors = function(args) {
    new_errors("influence", weighted = weighted_rows, stimuli = function(pair, args, codes) {
      parts <- remember(pair$cache, "canonical variates", singular_vectors(pair_cosines(pair)))
      ranks <- c(nrow(parts$u), nrow(parts$v))
      rho <- clip_cosines(parts$d)
      each <- correlation_influences(form_basis(pair$x)$q %*% parts$u,
                                     form_basis(pair$y)$q %*% parts$v, rho, ranks)
      switch(args$summary, mean = rowMeans(each),
             mean_squared = drop(each %*% (2 * rho)) / min(ranks),
             yanai = drop(each %*% (2 * rho)) / sqrt(prod(ranks)), no_branch(args$summary))
    })
  }
)

#' @rdname cca
#' @export
svcca <- function(x, y, variance = 0.99, components = NULL,
                  na = c("error", "stimuli", "neurons"), ...) {
  one_score("svcca", x, y, list(variance = variance, components = components), na)
}

# The principal components, and the number of those that are kept.
prepare_svcca <- function(repr, args, side) {
  # How many components are kept. It is remembered, so that its messages are given only once for
  # each representation and choice of arguments.
  extend_form(form_components(repr), kept = remember_summary(repr, "kept components",
                                                             list(args$variance, args$components), {
    s <- form_components(repr)$s
    wanted <- args$components
    if (is.null(wanted)) {
      # the share counts as reached even if rounding has left the sum a little below it
      wanted <- which(cumsum(s^2) / sum(s^2) >= args$variance - 1e-12)[1]
    } else if (wanted > length(s)) {
      inform("components", "`{repr$arg}` has rank {length(s)}: `components` is reduced from ",
             "{wanted} to {length(s)}.")
      wanted <- length(s)
    }
    warn_if(wanted != length(s) && s[wanted] - s[wanted + 1] <= 1e-10 * s[1], "not_unique",
            "Components {wanted} and {wanted + 1} of `{repr$arg}` have equal variance, and only ",
            "one is kept: the value depends on an arbitrary choice. Set `components` to keep both ",
            "or none.", data = repr$arg)
    list(count = wanted)
  })$count)
}

# The operand of the permutation null: the left singular vectors of the kept components.
svcca_operand <- function(form, repr, args, side) {
  q <- form_basis(repr)$q
  if (!is.null(form$rotation)) q <- q %*% form$rotation
  list(matrix = q[, seq_len(form$kept), drop = FALSE], norm = sqrt(form$kept))
}

declare_measure(
  id = "svcca", label = "Singular vector canonical correlation", family = "cca", resi = "SVCCA",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = TRUE, metric = FALSE,
  pairing = TRUE, invariant = c("orthogonal", "scaling", "translation", "column permutation"),
  reference = "Raghu et al. 2017",
  check = function(args) {
    args$variance <- check_number(args$variance, "variance", above = 0)
    refuse_if(args$variance > 1, "value", "`variance` is a share of the total: above 0, at most 1.")
    if (is.null(args$components)) return(args)
    args$components <- check_count(args$components, "components")
    warn_if(args$variance != 0.99, "unused", "`variance` is not used when `components` are given.",
            data = "variance")
    args
  },
  form = "components", keeps = "basis", prepare = prepare_svcca,
  # the canonical correlations between the kept components of both sides
  statistic = function(pair, x, y, args) {
    cosines <- pair_cosines(pair)
    rotation_x <- if (is.null(x$rotation)) diag(nrow(cosines)) else x$rotation
    rotation_y <- if (is.null(y$rotation)) diag(ncol(cosines)) else y$rotation
    singular_values(crossprod(rotation_x[, seq_len(x$kept), drop = FALSE], cosines) %*%
                      rotation_y[, seq_len(y$kept), drop = FALSE])
  },
  score = mean_cosine,
  inspect = function(score, pair, x, y, args) {
    warn_whole_space(pair, x$kept, y$kept, "every canonical correlation is 1")
  },
  null = function(args) new_null("singular", operand = svcca_operand), needs_data = FALSE,
  # The kept components are held. Where many are left out, these are no influences. Where few are,
  # how many differs between samples of stimuli, which may be most of the error (bench/inference.R
  # stimuli kind=gains measures=svcca). So half-samples serve unless all are kept.
  errors = function(args) {
    if (!is.null(args$components) || args$variance < 0.99) return(NULL)
    new_errors("influence", auto = args$variance == 1, weighted = weighted_rows,
               stimuli = function(pair, args, codes) {
      x <- svcca_operand(prepare_svcca(pair$x, args, "x"), pair$x, args, "x")$matrix
      y <- svcca_operand(prepare_svcca(pair$y, args, "y"), pair$y, args, "y")$matrix
      parts <- singular_vectors(crossprod(x, y))
      rowMeans(correlation_influences(x %*% parts$u, y %*% parts$v, clip_cosines(parts$d),
                                      c(ncol(x), ncol(y))))
    })
  }
)

#' @rdname cca
#' @export
pwcca <- function(x, y, weights = c("projection", "l1"), na = c("error", "stimuli", "neurons"),
                  ...) {
  one_score("pwcca", x, y, list(weights = weights), na)
}

declare_measure(
  id = "pwcca", label = "Projection-weighted canonical correlation", family = "cca", resi = "PWCCA",
  direction = "similarity", range = c(0, 1), best = 1, symmetric = FALSE, metric = FALSE,
  pairing = TRUE, invariant = c("scaling", "translation", "column permutation"),
  reference = "Morcos et al. 2018", check = check_parameters(weights = c("projection", "l1")),
  form = "basis", keeps = function(args) if (args$weights == "projection") "coordinates",
  prepare = function(repr, args, side) form_basis(repr),
  statistic = function(pair, x, y, args) {
    parts <- remember(pair$cache, "canonical variates", singular_vectors(pair_cosines(pair)))
    rho <- clip_cosines(parts$d)
    # Variates with tied correlations are not unique, and neither are their weights. That does not
    # matter if all correlations are tied, as their weighted mean is then the same for all weights.
    crowded <- basis_rank(pair$x) + basis_rank(pair$y) > pair$x$n - 1
    tied <- any(-diff(rho) < 1e-10) && rho[1] - rho[length(rho)] > 1e-10
    warn_if(crowded || tied, "not_unique", "The value of pwcca is not unique: ",
            if (crowded) {
              paste0("the ranks of `", pair$x$arg, "` and `", pair$y$arg, "` add up to more than ",
                     "the ", pair$x$n - 1, " dimensions of ", pair$x$n, " centred stimuli, so ",
                     "several canonical correlations are 1")
            } else "several canonical correlations are equal",
            " and their weights are arbitrary. Use more stimuli or fewer neurons, or svcca().",
            data = pair$x$arg)
    alpha <- if (args$weights == "l1") colSums(abs(x$q %*% parts$u)) else
      rowSums(abs(crossprod(parts$u, coordinates_in_basis(pair$x))))
    clip_cosines(sum(alpha * rho) / sum(alpha))
  },
  needs_data = FALSE
)
