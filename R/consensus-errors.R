# How scores of consensus() vary with stimuli and subjects.

#' Errors of a consensus
#'
#' @param terms what terms_of_sides() gives of all stimuli and subjects
#' @param over "stimuli", or stimuli and subjects
#' @return list(table, parts, deleted, units, groups): what `part = "errors"` shows; covariances of
#'   models and the group, as contrast_errors() takes them; covariances of all rows from deletions
#'   of stimuli; how many stimuli (clusters) there are, and groups of them.
#' @noRd
consensus_errors <- function(task, fits, terms, over) {
  rows <- seq_along(terms$members)
  pooled <- setdiff(rows, seq_len(task$m))
  group <- max(rows)
  psi <- crossprod(stimulus_shares(task, terms))
  by_subject <- if (task$m > 2) {
    deletion_covariance(seq_len(task$m), length(pooled), function(u) {
      terms_of_sides(task, fits, setdiff(seq_len(task$m), u))
    })
  }
  groups <- deleted_groups(task)
  deleted <- deletion_covariance(seq_len(max(groups)), length(rows), function(g) {
    terms_of_sides(task, fits_of_sides(task, groups != g))
  })
  among <- function(covariance) covariance[pooled, pooled, drop = FALSE]
  both <- "subjects" %in% over
  parts <- if (both) {
    list(main = list(among(psi), by_subject), df = c(task$units - 1, task$m - 1))
  } else list(main = list(among(deleted)), df = max(groups) - 1)
  less_group <- function(covariance) {
    d <- diag(covariance)
    last <- length(d)
    sqrt(pmax(d + d[last] - 2 * covariance[, last], 0))
  }
  unknown <- rep(NA_real_, length(rows))
  of_models <- replace(unknown, setdiff(pooled, group), 0)
  table <- list(
    se_stimuli = sqrt(diag(psi)),
    se_subjects = if (task$m > 2) replace(unknown, pooled, sqrt(diag(by_subject))) else unknown,
    se_deleted = sqrt(diag(deleted)),
    difference_se_stimuli = of_models + less_group(psi),
    difference_se_subjects = if (task$m > 2) {
      of_models + replace(unknown, pooled, less_group(by_subject))
    } else unknown
  )
  list(table = table, parts = c(parts, list(interactions = list(), clustered = TRUE)),
       deleted = deleted, groups = max(groups))
}

# The share of each stimulus (cluster) in the error of each row: of a cosine of sums, with the
# alignments held.
stimulus_shares <- function(task, terms) {
  cosine <- cosines_of(terms$sums)
  whole <- colSums(terms$sums)
  shares <- vapply(seq_along(cosine), function(t) {
    one <- matrix(terms$sums[, t, ], task$n)
    one[, 1] / sqrt(whole[t, 2]) / sqrt(whole[t, 3]) -
      cosine[t] * (one[, 2] / whole[t, 2] + one[, 3] / whole[t, 3]) / 2
  }, numeric(task$n))
  shares <- over_members(matrix(shares, task$n), terms)
  if (is.null(task$codes)) shares else rowsum(shares, task$codes)
}

# The jackknife covariance of the last `count` rows. terms: a function that gives the terms without
# one of `parts`; where that fails, no error is known.
deletion_covariance <- function(parts, count, terms) {
  advance <- progress_along(length(parts))
  scores <- vapply(parts, function(part) {
    on.exit(advance())
    found <- tryCatch(scores_of_terms(terms(part)),
                      repalign_error = function(e) rep(NA_real_, count))
    utils::tail(found, count)
  }, numeric(count))
  scores <- matrix(scores, count)
  tcrossprod(scores - rowMeans(scores)) * (length(parts) - 1) / length(parts)
}

most_deleted_groups <- 20

# The group of each stimulus with which it is deleted: stimuli (clusters) are dealt in the order of
# their folds.
deleted_groups <- function(task) {
  first <- rep(Inf, task$n)
  for (k in rev(task$fold_order)) first[task$folds$test[[k]]] <- match(k, task$fold_order)
  unit <- if (is.null(task$codes)) seq_len(task$n) else task$codes
  dealt <- unique(unit[order(first)])
  rep_len(seq_len(min(length(dealt), most_deleted_groups)), length(dealt))[match(unit, dealt)]
}
