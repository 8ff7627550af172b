# How scores of consensus() vary with stimuli and subjects.

#' Errors of a consensus
#'
#' @param terms what terms_of_sides() gives of all stimuli and subjects
#' @param over "stimuli", or stimuli and subjects
#' @return list(table, parts, groups): what `part = "errors"` shows, covariances of models and the
#'   group as contrast_errors() takes them, and how many groups of stimuli were deleted.
#' @noRd
consensus_errors <- function(task, fits, terms, over) {
  count <- length(terms$members)
  pooled <- (task$m + 1):count
  # the share of each stimulus (cluster) in the error of each row: of a cosine of sums, with the
  # alignments held
  shares <- over_members(apply(terms$sums, 3, function(sums) {
    whole <- colSums(sums)
    sums[, 1] / sqrt(whole[2]) / sqrt(whole[3]) -
      cosine_of_sums(sums) * (sums[, 2] / whole[2] + sums[, 3] / whole[3]) / 2
  }), terms)
  psi <- crossprod(if (is.null(task$codes)) shares else rowsum(shares, task$codes))
  groups <- deleted_groups(task)
  deleted <- deletion_covariance(seq_len(max(groups)), count, function(g) {
    terms_of_sides(task, fits_of_sides(task, groups != g))
  })
  by_subject <- matrix(NA_real_, count, count)
  if (task$m > 2) {
    by_subject[pooled, pooled] <- deletion_covariance(seq_len(task$m), length(pooled), function(u) {
      terms_of_sides(task, fits, setdiff(seq_len(task$m), u))
    })
  }
  # of models less the group, which is last
  difference <- function(covariance) {
    variance <- diag(covariance)
    gap <- sqrt(pmax(variance + variance[count] - 2 * covariance[, count], 0))
    replace(gap, c(seq_len(task$m), count), NA)
  }
  table <- data.frame(x = c(task$names, "group"), se_stimuli = sqrt(diag(psi)),
                      se_subjects = sqrt(diag(by_subject)), se_deleted = sqrt(diag(deleted)),
                      difference_se_stimuli = difference(psi),
                      difference_se_subjects = difference(by_subject))
  both <- "subjects" %in% over
  main <- lapply(if (both) list(psi, by_subject) else list(deleted), `[`, pooled, pooled,
                 drop = FALSE)
  units <- units_of(task$n, task$codes)
  list(table = table, groups = max(groups),
       parts = list(main = main, interactions = list(), clustered = TRUE,
                    df = if (both) c(units, task$m) - 1 else max(groups) - 1))
}

# The jackknife covariance of the last `count` rows. terms: a function that gives the terms without
# one of `parts`; where that fails, no error is known.
deletion_covariance <- function(parts, count, terms) {
  advance <- progress_along(length(parts))
  scores <- vapply(parts, function(part) {
    on.exit(advance())
    tryCatch(utils::tail(scores_of_terms(terms(part)), count),
             repalign_error = function(e) rep(NA_real_, count))
  }, numeric(count))
  scores <- matrix(scores, count)
  tcrossprod(scores - rowMeans(scores)) * (length(parts) - 1) / length(parts)
}

most_deleted_groups <- 20

# The group with which each stimulus is deleted: stimuli (clusters) are dealt in the order of their
# folds.
deleted_groups <- function(task) {
  first <- rep(Inf, task$n)
  for (k in rev(seq_along(task$fold_order))) first[task$folds$test[[task$fold_order[k]]]] <- k
  unit <- if (is.null(task$codes)) seq_len(task$n) else task$codes
  dealt <- unique(unit[order(first)])
  rep_len(seq_len(min(length(dealt), most_deleted_groups)), length(dealt))[match(unit, dealt)]
}
