# How consensus() fits a consensus in each fold, and scores sides on the stimuli left out.

# What is fitted of each side in each fold that still tests a stimulus. task: what open_consensus()
# gives; keep: which stimuli take part, in training as in test.
fits_of_sides <- function(task, keep = rep(TRUE, task$n)) {
  tests <- task$folds$test
  tested <- vapply(tests, function(test) any(keep[test]), NA)
  Map(function(test, fold) {
    fit_of_sides(task, setdiff(which(keep), test), test[keep[test]], fold)
  }, tests[tested], task$folds$name[tested])
}

# list(train, test, sides): the numbers of the stimuli, and of each side the training rows of norm 1
# and the test rows, whitened, as for held_out(), in as many columns as they have dimensions;
# `beyond` is what lies outside of the directions of the training rows. Absent stimuli have rows of
# zeros.
fit_of_sides <- function(task, train, test, fold = NULL) {
  sides <- lapply(seq_along(task$reprs), function(k) {
    repr <- task$reprs[[k]]
    there <- task$present[, k]
    kept <- seq_len(task$n) %in% train & there
    refuse_if(sum(kept) < 2, "rows", "`{repr$arg}` has {count_of(sum(kept), 'stimulus')} in the ",
              "training set of a fold: leave it out, or use other folds.")
    own <- cut_for_subset(repr, kept)
    own$fold <- fold
    found <- whitened_fold(own, unclass(repr$data)[test[there[test]], , drop = FALSE], task$args)
    placed <- function(rows, at) {
      full <- matrix(0, length(at), ncol(rows))
      full[there[at], ] <- rows / found$size
      full
    }
    list(train = placed(found$train, train), test = placed(found$test, test),
         beyond = drop(placed(cbind(found$beyond / found$size), test)), there = there[test])
  })
  list(train = train, test = test, sides = sides)
}

# The rotation nearest to a matrix.
polar_factor <- function(a) {
  parts <- singular_vectors(a)
  tcrossprod(parts$u, parts$v)
}

# The mean of the rotated rows of `others` (numbers of sides), in training and in test. Its first
# guess, onto which each is rotated once, are their common principal components.
consensus_of <- function(fit, others, task) {
  sides <- fit$sides[others]
  rows <- lapply(sides, `[[`, "train")
  most <- if (is.null(task$components)) max(vapply(rows, ncol, 0L)) else task$components
  whole <- do.call(cbind, rows)
  # a square matrix with the same left singular vectors and values takes less time
  if (ncol(whole) > nrow(whole)) whole <- .Call(C_row_factor, whole, numeric(ncol(whole)), 1)
  parts <- singular_vectors(whole)
  base <- matrix(0, length(fit$train), most)
  for (k in seq_len(min(most, length(parts$d)))) base[, k] <- parts$u[, k] * parts$d[k]
  turns <- lapply(rows, function(own) polar_factor(crossprod(own, base)))
  if (task$refine) turns <- refined_turns(rows, turns)
  present <- rowSums(task$present[, others, drop = FALSE])
  count <- pmax(present, 1)
  mean_of <- function(part) {
    turned <- Map(function(side, turn) side[[part]] %*% turn, sides, turns)
    Reduce(`+`, turned) / count[fit[[part]]]
  }
  list(train = mean_of("train"), test = mean_of("test"),
       beyond = Reduce(`+`, lapply(sides, `[[`, "beyond")) / count[fit$test]^2,
       there = present[fit$test] > 0)
}

most_sweeps <- 1000

# Each is rotated onto the sum of the others in turn, until their inner products grow no more.
refined_turns <- function(rows, turns) {
  turned <- Map(`%*%`, rows, turns)
  whole <- Reduce(`+`, turned)
  reached <- sum(whole^2)
  for (sweep in seq_len(most_sweeps)) {
    for (j in seq_along(rows)) {
      whole <- whole - turned[[j]]
      turns[[j]] <- polar_factor(crossprod(rows[[j]], whole))
      turned[[j]] <- rows[[j]] %*% turns[[j]]
      whole <- whole + turned[[j]]
    }
    grown <- sum(whole^2) - reached
    reached <- reached + grown
    if (grown < 1e-12 * reached) return(turns)
  }
  warn("convergence", "refine = TRUE: a consensus still grew by ",
       "{format(grown / reached, digits = 2)} of itself after {most_sweeps} sweeps, and is taken ",
       "as it is.")
  turns
}

# The rotation u v' of `rows` onto those of a consensus, without directions that it leaves open.
turn_onto <- function(rows, onto) {
  parts <- .Call(C_svd, crossprod(rows, onto))
  known <- parts$d > 1e-10 * parts$d[1]
  if (all(known)) return(parts)
  list(u = parts$u[, known, drop = FALSE], v = parts$v[, known, drop = FALSE])
}

# Of each test stimulus the product of a rotated side with a consensus and their squared norms, the
# columns of `terms`; and, if asked for, the distance of both as a whole.
faced_consensus <- function(side, consensus, task, distance) {
  turn <- turn_onto(side$train, consensus$train)
  u <- turn$u
  v <- turn$v
  if (!is.null(task$components)) {
    # nothing but the dimensions of the consensus counts
    side$test <- side$test %*% u
    side$beyond <- consensus$beyond <- numeric(length(side$there))
    u <- diag(ncol(u))
  }
  there <- side$there & consensus$there
  terms <- there * cbind(rowSums((side$test %*% u) * (consensus$test %*% v)),
                         rowSums(side$test^2) + side$beyond,
                         rowSums(consensus$test^2) + consensus$beyond)
  if (!distance) return(list(terms = terms))
  norms <- sqrt(pmax(colSums(terms), 0))
  turned <- function(one, directions, norm) {
    turned_rows(list(test = one$test * there, norm = norm, beyond = one$beyond * there),
                directions, 1 / norm)
  }
  list(terms = terms, distance = if (min(norms[2:3]) == 0) NA_real_ else {
    residual_size(turned(side, u, norms[2]), turned(consensus, v, norms[3]))
  })
}

#' All sides, each facing the consensus of others
#'
#' @param subjects which take part: each faces the consensus of the others, and a model all of these
#' @return list(fits, side, without, sums, distances, members): the fits with their `consensus`
#'   without each subject; of each pair of a side and a consensus their numbers, sums over folds and
#'   repeats (an array stimuli x 3 x pairs), and the mean distance; and the pairs of each row of the
#'   result, the group last.
#' @noRd
terms_of_sides <- function(task, fits, subjects = seq_len(task$m), distance = FALSE) {
  models <- setdiff(seq_along(task$reprs), seq_len(task$m))
  side <- c(subjects, rep(models, each = length(subjects)))
  without <- rep(subjects, 1 + length(models))
  fits <- lapply(fits, function(fit) {
    fit$consensus[subjects] <- lapply(subjects, function(i) {
      consensus_of(fit, setdiff(subjects, i), task)
    })
    fit
  })
  found <- Map(function(s, i) {
    sums <- matrix(0, task$n, 3)
    distances <- numeric()
    for (fit in fits) {
      faced <- faced_consensus(fit$sides[[s]], fit$consensus[[i]], task, distance)
      sums[fit$test, ] <- sums[fit$test, ] + faced$terms
      distances <- c(distances, faced$distance)
    }
    list(sums = sums, distance = mean(distances, na.rm = TRUE))
  }, side, without)
  list(fits = fits, side = side, without = without,
       sums = array(unlist(lapply(found, `[[`, "sums")), c(task$n, 3, length(side))),
       distances = if (distance) vapply(found, `[[`, 0, "distance"),
       members = c(split(seq_along(side), side), list(seq_along(subjects))))
}

# NA where nothing was scored. sums: products and squared norms in columns.
cosine_of_sums <- function(sums) {
  whole <- colSums(sums)
  cosine <- whole[1] / (sqrt(whole[2]) * sqrt(whole[3]))
  if (is.finite(cosine)) cosine else NA_real_
}

# Values of pairs (columns) become those of the rows of a result: means over consensuses.
over_members <- function(values, terms) {
  vapply(terms$members, function(at) rowMeans(values[, at, drop = FALSE]), numeric(nrow(values)))
}

scores_of_terms <- function(terms) {
  unname(over_members(t(apply(terms$sums, 3, cosine_of_sums)), terms))
}

# ---- permutations

# Scores that the consensus without a subject gives a side whose stimuli have these orders: cosines
# of what faced_consensus() gives, summed over stimuli.
null_of_side <- function(without, task, fits, side, orders) {
  sums <- 0
  for (fit in fits) {
    own <- fit$sides[[side]]
    consensus <- fit$consensus[[without]]
    train <- matrix(match(orders[fit$train, ], fit$train), length(fit$train))
    test <- matrix(match(orders[fit$test, ], fit$test), length(fit$test))
    # absent stimuli have kept their places
    there <- own$there & consensus$there
    faced <- consensus$test * there
    whole <- is.null(task$components)
    squares <- rowSums(own$test^2) + own$beyond
    size <- sum(faced^2) + if (whole) sum(consensus$beyond[there]) else 0
    sums <- sums + vapply(seq_len(ncol(orders)), function(k) {
      turn <- turn_onto(own$train[train[, k], , drop = FALSE], consensus$train)
      moved <- own$test[test[, k], , drop = FALSE]
      c(sum(crossprod(moved, faced) * tcrossprod(turn$u, turn$v)),
        if (whole) sum(squares[test[there, k]]) else sum((there * moved %*% turn$u)^2), size)
    }, numeric(3))
  }
  cosine <- sums[1, ] / sqrt(sums[2, ]) / sqrt(sums[3, ])
  replace(cosine, !is.finite(cosine), NA)
}

# Orders in which absent stimuli stay where they are, and the others keep their sequence.
orders_of_present <- function(orders, task, present) {
  if (all(present)) return(orders)
  tested <- task$folds$test
  strata <- lapply(c(tested, list(setdiff(seq_len(task$n), unlist(tested)))), function(at) {
    if (is.null(task$codes)) return(at)
    units_of_stratum(at[present[at]], task$codes)
    at[order(task$codes[at])]
  })
  apply(orders, 2, function(order) {
    new <- seq_along(order)
    for (at in strata) new[at[present[at]]] <- order[at][present[order[at]]]
    new
  })
}

# ---- errors

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
