# How consensus() fits a consensus in each fold, and scores sides on the stimuli left out.

# What is fitted of each side in each fold that still tests a stimulus. task: what open_consensus()
# gives; keep: which stimuli take part, in training as in test.
fits_of_sides <- function(task, keep = rep(TRUE, task$n)) {
  tests <- lapply(task$folds$test, function(test) list(all = test, kept = test[keep[test]]))
  lapply(Filter(function(test) length(test$kept) > 0, tests), function(test) {
    fit_of_sides(task, setdiff(which(keep), test$all), test$kept)
  })
}

# list(train, test, sides): the numbers of the stimuli, and what fitted_side() gives of each side.
fit_of_sides <- function(task, train, test) {
  list(train = train, test = test,
       sides = lapply(seq_along(task$reprs), fitted_side, task, train, test))
}

# Training rows of norm 1 and test rows, whitened, as for held_out(); `beyond` is what lies outside
# of the directions of the training rows. Absent stimuli have rows of zeros.
fitted_side <- function(k, task, train, test) {
  repr <- task$reprs[[k]]
  there <- task$present[, k]
  kept <- seq_len(task$n) %in% train & there
  refuse_if(sum(kept) < 2, "rows", "`{repr$arg}` has {count_of(sum(kept), 'stimulus')} in the ",
            "training set of a fold: leave it out, or use other folds.")
  found <- task$way$fit(cut_for_subset(repr, kept),
                        unclass(repr$data)[test[there[test]], , drop = FALSE], task$args)
  placed <- function(rows, at) {
    full <- matrix(0, length(at), ncol(rows))
    full[there[at], ] <- rows / found$size
    full
  }
  list(train = placed(found$train, train), test = placed(found$test, test),
       beyond = drop(placed(cbind(found$beyond / found$size), test)), there = there[test])
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
  parts <- singular_vectors(do.call(cbind, rows))
  base <- matrix(0, length(fit$train), most)
  for (k in seq_len(min(most, length(parts$d)))) base[, k] <- parts$u[, k] * parts$d[k]
  turns <- lapply(rows, function(own) polar_factor(crossprod(own, base)))
  if (task$refine) turns <- refined_turns(rows, turns)
  counts <- lapply(fit[c("train", "test")], function(at) {
    rowSums(task$present[at, others, drop = FALSE])
  })
  mean_of <- function(part) {
    turned <- Map(function(side, turn) side[[part]] %*% turn, sides, turns)
    Reduce(`+`, turned) / pmax(counts[[part]], 1)
  }
  beyond <- Reduce(`+`, lapply(sides, `[[`, "beyond")) / pmax(counts$test, 1)^2
  list(train = mean_of("train"), test = mean_of("test"), beyond = beyond, there = counts$test > 0)
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
  warn("convergence", "refine = TRUE: a consensus still grew by {format(grown / reached, digits = ",
       "2)} of itself after {most_sweeps} sweeps, and is taken as it is.")
  turns
}

# Of each test stimulus the product of a rotated side with a consensus and their squared norms, the
# columns of `terms`; and, if asked for, the distance of both as a whole.
faced_consensus <- function(side, consensus, task, distance = FALSE) {
  parts <- singular_vectors(crossprod(side$train, consensus$train))
  known <- seq_len(sum(parts$d > 1e-10 * parts$d[1]))
  there <- side$there & consensus$there
  u <- parts$u[, known, drop = FALSE]
  if (!is.null(task$components)) {
    # nothing but the dimensions of the consensus counts
    side$test <- side$test %*% u
    u <- diag(length(known))
    side$beyond <- consensus$beyond <- numeric(length(there))
  }
  v <- parts$v[, known, drop = FALSE]
  terms <- there * cbind(rowSums((side$test %*% u) * (consensus$test %*% v)),
                         rowSums(side$test^2) + side$beyond,
                         rowSums(consensus$test^2) + consensus$beyond)
  if (!distance) return(list(terms = terms))
  norms <- sqrt(colSums(terms[, 2:3, drop = FALSE]))
  turned <- function(one, directions, norm) {
    turned_rows(list(test = one$test[there, , drop = FALSE], norm = norm,
                     beyond = one$beyond[there]), directions, 1 / norm)
  }
  list(terms = terms, distance = if (all(norms > 0)) {
    residual_size(turned(side, u, norms[1]), turned(consensus, v, norms[2]))
  } else NA_real_)
}

#' Sums of products and norms of all sides, each facing the consensus of others
#'
#' @param subjects which take part: each faces the consensus of the others, and a model the same
#'   ones, "without" each subject
#' @return list(side, without, sums, distance, consensus): of each pair of a side and a consensus
#'   their numbers; sums over folds and repeats, an array stimuli x pairs x 3; distances, folds x
#'   pairs; and the consensuses of each fold.
#' @noRd
terms_of_sides <- function(task, fits, subjects = seq_len(task$m), distance = FALSE) {
  models <- setdiff(seq_along(task$reprs), seq_len(task$m))
  side <- c(subjects, rep(models, each = length(subjects)))
  without <- rep(subjects, 1 + length(models))
  sums <- array(0, c(task$n, length(side), 3))
  distances <- matrix(NA_real_, length(fits), length(side))
  consensus <- lapply(fits, function(fit) {
    lapply(seq_len(task$m), function(i) {
      if (i %in% subjects) consensus_of(fit, setdiff(subjects, i), task)
    })
  })
  for (k in seq_along(fits)) {
    at <- fits[[k]]$test
    for (t in seq_along(side)) {
      found <- faced_consensus(fits[[k]]$sides[[side[t]]], consensus[[k]][[without[t]]], task,
                               distance)
      sums[at, t, ] <- sums[at, t, , drop = FALSE] + as.vector(found$terms)
      if (distance) distances[k, t] <- found$distance
    }
  }
  list(side = side, without = without, sums = sums, distances = distances, consensus = consensus,
       members = c(split(seq_along(side), side), list(seq_along(subjects))))
}

# The cosine of each pair; NA where nothing was scored.
cosines_of <- function(sums) {
  whole <- colSums(sums)
  cosine <- whole[, 1] / (sqrt(whole[, 2]) * sqrt(whole[, 3]))
  replace(cosine, !is.finite(cosine), NA)
}

# Values of pairs become those of the subjects, models and the group: the mean over consensuses.
# values: a vector, or a matrix with a column for each pair.
over_members <- function(values, terms) {
  if (is.null(dim(values))) values <- t(values)
  found <- vapply(terms$members, function(at) rowMeans(values[, at, drop = FALSE]),
                  numeric(nrow(values)))
  matrix(found, nrow(values))
}

scores_of_terms <- function(terms) drop(over_members(cosines_of(terms$sums), terms))

# ---- permutations

# p-values of subjects and models, whose stimuli change places within folds while all consensuses
# stay. orders: as of orders_within_folds().
consensus_p <- function(task, fits, terms, scores, orders) {
  advance <- progress_along(length(task$reprs))
  vapply(seq_along(task$reprs), function(s) {
    on.exit(advance())
    pairs <- which(terms$side == s)
    own <- orders_of_present(orders, task, task$present[, s])
    null <- apply(own, 2, function(order) score_of_order(task, fits, terms, pairs, order))
    p_at_least(c(scores[s], null), equal_share)
  }, 0)
}

# The score of a side whose stimuli have an order of their own.
score_of_order <- function(task, fits, terms, pairs, order) {
  sums <- array(0, c(1, length(pairs), 3))
  for (k in seq_along(fits)) {
    side <- fits[[k]]$sides[[terms$side[pairs[1]]]]
    train <- match(order[fits[[k]]$train], fits[[k]]$train)
    test <- match(order[fits[[k]]$test], fits[[k]]$test)
    side$train <- side$train[train, , drop = FALSE]
    side$test <- side$test[test, , drop = FALSE]
    side$beyond <- side$beyond[test]
    for (t in seq_along(pairs)) {
      found <- faced_consensus(side, terms$consensus[[k]][[terms$without[pairs[t]]]], task)
      sums[1, t, ] <- sums[1, t, ] + colSums(found$terms)
    }
  }
  mean(cosines_of(sums))
}

# Orders in which absent stimuli stay where they are, and the others keep their sequence.
orders_of_present <- function(orders, task, present) {
  if (all(present)) return(orders)
  strata <- c(task$folds$test, list(setdiff(seq_len(task$n), unlist(task$folds$test))))
  units <- lapply(strata, function(at) {
    if (!is.null(task$codes)) units_of_stratum(at[present[at]], task$codes)
    if (is.null(task$codes)) at else at[order(task$codes[at])]
  })
  apply(orders, 2, function(order) {
    new <- seq_along(order)
    for (at in units) {
      moved <- order[at]
      new[at[present[at]]] <- moved[present[moved]]
    }
    new
  })
}
