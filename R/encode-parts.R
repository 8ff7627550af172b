# What each feature space adds to R squared, and what several share: space_parts().

#' @include error-interval-class.R
NULL

#' What feature spaces add to a prediction, and what they share
#'
#' Splits the R squared of a joint model of [feature_spaces()] into what each space alone explains,
#' what only it adds (unique), and what several have in common, with errors over stimuli and a
#' permutation test of each unique part.
#'
#' @param x what [encode()] returned, with a model of [feature_spaces()]; `score_by = "r2"`,
#'   `summary = "weighted"`, `average = "pooled"`.
#' @param conf_level coverage of the intervals.
#' @param method of the errors: `"influence"` (predictions held), `"jackknife"` (models fitted
#'   without each stimulus or cluster) or `"auto"` ([score_interval()]).
#' @param permutations for the p-values of unique parts, as in [calibrate()]; 0: none.
#' @param p_adjust a method of [stats::p.adjust()], for the unique parts of a model.
#' @param threads see [similarity()].
#' @param ... not used.
#' @return A data frame of the classes `repalign_parts` and `repalign_interval`: `model_x`,
#'   `model_y` (with models), `x`, `y`; `measure`, such as "unique ridge r2"; `part`: "total",
#'   "alone", "unique", "common" (of two or three spaces), "shared" (of three or four: the total
#'   less all unique parts), "split"; `space`, names with " & " between them; `score`; `normalized`,
#'   the share of the noise ceiling of the whole model; `se`, `df`, `conf_low`, `conf_high`;
#'   `p_value` and `p_adjusted` of unique parts; `method`, `over`, `n` as those of
#'   [score_interval()]. [compare_scores()] compares parts of one kind, such as "unique a" with
#'   "unique b".
#'
#'   `as.data.frame(result, part = "neurons")`: `part`, `space`, `neuron`, `score`.
#' @details
#' Each set of spaces chooses its own penalties. Alone is the R squared of one space; unique is that
#' of all less that of all others; common parts follow by inclusion and exclusion. Unique and common
#' parts add up to the total; so does the split, which divides the predictions of the joint model
#' among its spaces. A unique part below 0 is a fit that the space made worse; a common part below 0
#' are spaces that mend each other, or few data.
#'
#' *Errors* hold the penalties of each fold; `NA`: a space that is left out everywhere, and the
#' split. Where a space adds nothing, intervals of its unique part cover too rarely: whether it adds
#' anything is for the p-value.
#'
#' *P-values* (Freedman and Lane) permute residuals of the out-of-fold predictions of all other
#' spaces, and compare the best R squared over all candidates for the penalties with the space and
#' without; a unique part below 0 can have a small one.
#'
#' When not to trust it:
#' * a small p-value says that a space helps these predictions, not that it has information of its
#'   own. With one row of penalties (a warning of class `repalign_fixed_penalties`) a space that is
#'   made from another may only mend a penalty that is too large;
#' * unique parts change with the number of stimuli and with noise;
#' * columns that repeat the useful ones of another space have a large unique part and a small
#'   p-value, and the split credits copies in any proportion;
#' * common is not "the same information": it is what either space predicts alone;
#' * spaces that were chosen by the same stimuli;
#' * series in time and near copies without `clusters` of [encode()]: give blocks as clusters, and
#'   shifts of the whole series as `permutations`; of slow unrelated series (80 points, blocks of
#'   8), p was still at most .05 in 21% of 300 simulated sets;
#' * fewer than 10 clusters.
#' @references \enc{Dupré}{Dupre} la Tour et al. (2022), NeuroImage 264 (banded ridge regression).
#'   de Heer et al. (2017), J. Neurosci. 37 (partition of variance). Freedman and Lane (1983), J.
#'   Bus. Econ. Stat. 1.
#' @examples
#' spaces <- feature_spaces(early = v4_layers[[1]][1:60, ], late = v4_layers[[4]][1:60, ])
#' set.seed(1)
#' joint <- encode(spaces, list(V4 = macaque_v4$trials[1:60, 1:30, ]))
#' parts <- space_parts(joint, permutations = 99)
#' parts
#' in_words(parts)
#' @seealso [encode()]
#' @export
space_parts <- function(x, conf_level = 0.95, method = c("auto", "influence", "jackknife"),
                        permutations = 0, p_adjust = "holm", threads = NULL, ...) {
  need_arguments()
  refuse_if(!inherits(x, "repalign_encoding"), "type", "`x` must be what encode() returned for ",
            "feature_spaces(), not {describe(x)}.")
  conf_level <- check_number(conf_level, "conf_level", above = 0, below = 1)
  method <- check_choice(method, c("auto", "influence", "jackknife"), "method")
  p_adjust <- check_choice(p_adjust, stats::p.adjust.methods, "p_adjust")
  hold_threads(threads)
  cells <- cells_of(need_columns(x, "folds", "split into parts", "x"))
  calls <- attr(x, "cells")$calls
  of <- vapply(cells, function(cell) cell$call, 0L)
  joint <- vapply(cells, function(cell) !is.null(calls[[cell$call]]$x[[cell$layer]]$spaces), NA)
  refuse_if(!any(joint), "type", "`x` has no model of several feature spaces, and so no parts: ",
            "encode(feature_spaces(a = , b = ), to).")
  inform_if(!all(joint), "single_models", "{count_of(sum(!joint), 'row')} of `x` ",
            "{if (sum(!joint) == 1) 'is a model' else 'are models'} of a single representation, ",
            "without parts: left out.")
  used <- unique(of[joint])
  for (call in calls[used]) check_encoding_errors(call)
  dependence <- unlist(lapply(calls[used], warn_of_encoded_rows))
  designs <- lapply(calls, function(call) NULL)
  for (k in used) designs[k] <- list(design_of_parts(calls[[k]], permutations, p_adjust))
  advance <- progress_along(sum(joint))
  found <- lapply(which(joint), function(row) {
    on.exit(advance())
    parts_of_cell(cells[[row]], calls[[of[row]]], x[row, ], method, designs[[of[row]]], p_adjust)
  })
  keys <- c("model_x", "model_y", "x", "y", "measure", "part", "space")
  made <- lapply(used, function(k) {
    own <- found[of[joint] == k]
    entry_of_call(calls[[k]], do.call(rbind, lapply(own, `[[`, "rows")),
                  do.call(cbind, lapply(own, `[[`, "stimuli")),
                  unlist(lapply(own, `[[`, "methods")), conf_level)
  })
  rows <- do.call(rbind, lapply(made, `[[`, "rows"))
  columns <- c(intersect(keys, names(rows)), "score", "normalized", "se", "df", "conf_low",
               "conf_high", "p_value", "p_adjusted", "method", "over", "n")
  labels <- unique(rows$measure)
  rownames(rows) <- NULL
  new_result(rows[columns], "repalign_parts", list(
    conf_level = conf_level, deletions = lapply(made, `[[`, "entry"), dependence = dependence,
    direction = stats::setNames(rep("similarity", length(labels)), labels),
    best = stats::setNames(rep(1, length(labels)), labels),
    neurons = do.call(rbind, lapply(found, `[[`, "neurons")),
    folds = unique(vapply(found, `[[`, 0L, "folds")),
    permutations = unique(unlist(lapply(designs, `[[`, "count")))
  ))
}

# ---- parts

# The weights of R squared of sets of spaces in each part: list(sets, part, space, weights), with
# a row of weights for each part, NA for those of the split.
parts_of_sets <- function(spaces) {
  count <- length(spaces)
  all <- seq_len(count)
  sets <- unlist(lapply(all, function(size) utils::combn(count, size, simplify = FALSE)),
                 recursive = FALSE)
  # the empty set has R squared 0
  of <- function(set) as.numeric(vapply(sets, setequal, NA, set))
  unique <- lapply(all, function(k) of(all) - of(all[-k]))
  common <- Filter(function(set) length(set) > 1 && count < 4, sets)
  weights <- c(
    list(of(all)), lapply(all, of), unique,
    lapply(common, function(set) {
      rest <- setdiff(all, set)
      inner <- Filter(function(part) all(part %in% set), sets)
      Reduce(`+`, lapply(inner, function(part) (-1)^(length(part) + 1) * of(c(part, rest)))) -
        of(rest)
    }),
    if (count > 2) list(of(all) - Reduce(`+`, unique)),
    lapply(all, function(k) rep(NA_real_, length(sets)))
  )
  joined <- function(set) paste(spaces[set], collapse = " & ")
  list(sets = sets, weights = do.call(rbind, weights),
       part = rep(c("total", "alone", "unique", "common", "shared", "split"),
                  c(1, count, count, length(common), count > 2, count)),
       space = c(joined(all), spaces, spaces, vapply(common, joined, ""),
                 if (count > 2) joined(all), spaces))
}

# list(rows, stimuli, methods, neurons, folds) of one joint model; row: that of the result.
parts_of_cell <- function(cell, call, row, method, design, p_adjust) {
  settings <- call$settings
  given <- call$x[[cell$layer]]
  kinds <- parts_of_sets(given$spaces)
  model <- encoding_model(given$data, settings, given$arg, kinds$sets)
  known <- which(!is.na(cell$by_neuron$score))
  y <- call$y[[cell$target]][, known, drop = FALSE]
  y <- y - rep(colMeans(y), each = nrow(y))
  y <- y / unit_of(y)
  of <- rep(1L, ncol(y))
  folds <- list(test = cell$test)
  found <- predict_model(model, y, of, folds, settings, call$codes, function() NULL)
  # R squared of each set: of all neurons in the first column, then of each
  scores <- t(vapply(found, function(set) {
    sums <- fold_sums(y, folds, set$values)
    error <- colSums(matrix(sums[, , "error"], dim(sums)[1]))
    about <- colSums(matrix(sums[, , "about_m"], dim(sums)[1]))
    c(1 - sum(error) / sum(about), 1 - error / about)
  }, numeric(ncol(y) + 1)))
  whole <- found[[length(found)]]
  values <- kinds$weights %*% scores
  split <- kinds$part == "split"
  values[split, ] <- split_of(y, folds, space_predictions(model, y, of, folds, settings,
                                                          whole$chosen), seq_along(known))
  method <- error_method(cell, call, method)
  stimuli <- vapply(seq_along(found), function(set) {
    deviations_of(column_of_predictions(scores[set, 1], y, found[[set]]$values,
                                        found[[set]]$chosen, cell$test, call, method, model))
  }, numeric(units_of(call$n, call$codes)))
  deviations <- stimuli %*% t(kinds$weights)
  # a space that is left out everywhere adds what does not vary
  largest <- max(abs(stimuli))
  deviations[, which(apply(abs(deviations), 2, max) <= choice_share * largest)] <- NA
  rows <- as.data.frame(row)[rep(1, nrow(values)),
                             intersect(c("model_x", "model_y", "x", "y"), names(row))]
  rows$measure <- paste(kinds$part, row$measure)
  rows$part <- kinds$part
  rows$space <- kinds$space
  rownames(rows) <- NULL
  neurons <- colnames(cell$predictions[[1]])
  if (is.null(neurons)) neurons <- seq_along(cell$by_neuron$score)
  each <- matrix(NA_real_, nrow(values), length(neurons))
  each[, known] <- values[, -1]
  by_neuron <- cbind(rows[row(each), ], neuron = rep(neurons, each = nrow(values)),
                     score = as.vector(each))
  rows$score <- values[, 1]
  rows$normalized <- if (is.na(cell$normalized)) NA_real_ else rows$score / cell$ceiling
  rows$p_value <- rows$p_adjusted <- NA_real_
  if (!is.null(design)) {
    unique <- kinds$part == "unique"
    null <- unique_null(model, y, folds, found, kinds, call, design)
    rows$p_value[unique] <- apply(null, 2, p_at_least, choice_share)
    rows$p_adjusted[unique] <- stats::p.adjust(rows$p_value[unique], p_adjust)
  }
  rows$n <- call$n
  list(rows = rows, stimuli = deviations, methods = rep(method, nrow(rows)), neurons = by_neuron,
       folds = row$folds)
}

# ---- p-values

# The permutations of a call, or NULL.
design_of_parts <- function(call, permutations, p_adjust) {
  one <- is.matrix(call$settings$lambda) && nrow(call$settings$lambda) == 1
  spaces <- vapply(call$x, function(model) length(model$data), 0L)
  # permutations that are given hold as they are, such as shifts of a series that has clusters
  drawn <- is.numeric(permutations) && length(permutations) == 1
  design <- encoding_design(list(n = call$n, rows = rep(TRUE, call$n),
                                 clusters = if (drawn) call$codes), call$settings, permutations,
                            list(alpha = 0.05, p_adjust = p_adjust), max(spaces))
  warn_if(one && !is.null(design), "fixed_penalties", "`lambda` was one row of penalties: a space ",
          "that is made from another can then have a small p-value because it mends a penalty ",
          "that is too large. Let penalties be chosen, lambda = NULL, or give rows with Inf.")
  design
}

# Statistics of the unique parts: the largest R squared over all candidates of the whole model less
# that over the candidates of all other spaces; permutations, the observed order first, x spaces.
# Permuted are residuals e of the out-of-fold predictions f of the other spaces, y* = f + e[p]. As
# sums of squares of residuals are <G, y*y*'>, they are products of a matrix of pair forms, a column
# for each candidate, with one of y*y*', a column for each permutation, of entries on and below the
# diagonal. Both are made in chunks, so that memory stays bounded.
unique_null <- function(model, y, folds, found, kinds, call, design) {
  n <- nrow(y)
  spaces <- seq_along(model$spaces)
  whole <- length(kinds$sets)
  others <- vapply(spaces, function(k) {
    which(vapply(kinds$sets, setequal, NA, setdiff(spaces, k)))
  }, 0L)
  lower <- which(lower.tri(matrix(0, n, n), diag = TRUE))
  twice <- ifelse((lower - 1) %% n == (lower - 1) %/% n, 1, 2)
  orders <- with_observed(design)
  bases <- lapply(others, function(set) {
    f <- mean_predictions(list(n = n, test = folds$test, predictions = found[[set]]$values))
    e <- y - f
    list(f = tcrossprod(f), cross = tcrossprod(f, e), e = tcrossprod(e))
  })
  products_of <- function(base, columns) {
    vapply(columns, function(p) {
      order <- orders[, p]
      cross <- base$cross[, order]
      (base$f + cross + t(cross) + base$e[order, order])[lower] * twice
    }, numeric(length(lower)))
  }
  about <- pair_form(lapply(folds$test, mean_residuals, n))[lower]
  used <- sort(unique(unlist(model$sets[c(whole, others)])))
  bytes <- 8 * as.double(length(lower))
  room <- min(memory_limit(), 2^30)
  at_once <- max(1, floor(room / 4 / bytes))
  check_memory(bytes * (12 + 4 * length(spaces)), "The null of space_parts()",
               "Fewer stimuli need less.")
  best <- matrix(-Inf, ncol(orders), 2 * length(spaces))
  # the mean predicts where no candidate is left
  best[, length(spaces) + which(!lengths(model$sets[others]))] <- 0
  residuals <- list(d = 0, of = NULL)
  for (part in split(used, ceiling(seq_along(used) / at_once))) {
    forms <- vapply(part, function(l) {
      if (model$direction[l] != residuals$d) {
        residuals <<- list(d = model$direction[l], of = residual_makers(
          model$layer(model$direction[l]), folds, call$settings, n))
      }
      pair_form(residuals$of(model$penalty[l]))[lower]
    }, numeric(length(lower)))
    size <- min(at_once, max(10, 1e9 / length(forms)))
    values <- in_chunks(ncol(orders), size, function(columns) {
      each <- lapply(spaces, function(k) {
        products <- products_of(bases[[k]], columns)
        scores <- 1 - crossprod(products, forms) / drop(crossprod(products, about))
        largest <- function(set) {
          at <- which(part %in% set)
          if (length(at)) apply(scores[, at, drop = FALSE], 1, max) else rep(-Inf, length(columns))
        }
        cbind(largest(model$sets[[whole]]), largest(model$sets[[others[k]]]))
      })
      do.call(cbind, c(lapply(each, function(one) one[, 1]), lapply(each, function(one) one[, 2])))
    }, "The null of space_parts()")
    best <- pmax(best, values)
  }
  best[, spaces, drop = FALSE] - best[, length(spaces) + spaces, drop = FALSE]
}

# ---- class

declare_result(
  "repalign_parts", from = "space_parts", words = "parts of R squared",
  parent = "repalign_interval",
  columns = described_columns(
    side_columns(),
    column("measure", "the part, the method and the score", key = TRUE, tidy = "term"),
    column("part", "which part of R squared", key = TRUE),
    column("space", "the feature spaces that it is of", key = TRUE),
    column("score", "the part of R squared", shown = 1),
    column("normalized", "the part without the noise of trials", shown = 5),
    column("se", "the standard error", shown = 4),
    column("df", "the degrees of freedom of the interval"),
    column("conf_low", "the lower limit of the interval", shown = 2),
    column("conf_high", "the upper limit of the interval", shown = 3),
    column("p_value", "of a permutation test of a unique part", shown = 6),
    column("p_adjusted", "the same, adjusted for all unique parts of a model", shown = 7),
    column("method", "how the errors over stimuli were found"),
    column("over", "what counts as a sample"),
    column("n", "the number of stimuli")
  ),
  kept = list(conf_level = one_level, deletions = each_once, direction = same_directions,
              best = common_by_name, dependence = each_once,
              neurons = function(values) unique(do.call(rbind, values)), folds = each_once,
              permutations = each_once),
  heading = function(x, digits) {
    pairs <- if (!is.null(x$x) && !is.null(x$y)) unique(part_titles(x))
    said <- c(if (!is.null(x$n)) stimuli_words(x$n[1]),
              if (length(attr(x, "folds"))) count_of(attr(x, "folds")[1], "fold"))
    c(strwrap(paste0("Parts of R squared", if (length(pairs)) paste0(": ", enumerate(
      pairs, 3, quote = FALSE)), brackets(said)), exdent = 2), interval_words(x))
  },
  shown = function(x) {
    one <- vapply(c("x", "y"), function(side) length(unique(x[[side]])) == 1, NA)
    hidden <- c(names(which(one)), "measure", "method", "over", "df", "n")
    empty <- vapply(x, function(column) length(column) > 0 && all(is.na(column)), NA)
    # a part next to nothing would give all of its column many digits
    numbers <- intersect(c("score", "normalized", "se", "conf_low", "conf_high"), names(x))
    x[numbers] <- lapply(x[numbers], round, 4)
    x[setdiff(names(x), c(if (!is.null(x$part)) hidden, names(x)[empty & names(x) != "score"]))]
  },
  footing = function(x, digits) {
    count <- if (any(!is.na(x$p_value))) unique(attr(x, "permutations"))
    c(if (length(count)) paste0("P-values are of ", paste(count, collapse = " and "),
                                " permutations."),
      if (any(x$score < 0, na.rm = TRUE)) "Parts below 0 are no errors.")
  },
  sentence = function(x) {
    need_columns(x, c("x", "y", "part", "space", "score", "conf_low", "conf_high"), "told",
                 "result")
    titles <- part_titles(x)
    vapply(unique(titles), function(title) {
      parts_sentence(as.data.frame(x)[titles == title, ], title, attr(x, "conf_level"))
    }, "", USE.NAMES = FALSE)
  },
  glance = function(x) {
    need_columns(x, c("x", "y", "part", "score", "n"), "summarised")
    list(pairs = length(unique(part_titles(x))), n = x$n[1],
         conf_level = c(attr(x, "conf_level"), NA_real_)[1], undefined = sum(is.na(x$score)))
  },
  limits = function(x, level) interval_limits(x, level)
)

# "V4 from low & high"
part_titles <- function(x) {
  plain <- as.data.frame(x)
  paste(sub("^to$", "`to`", full_names(plain, "y")), "from", full_names(plain, "x"))
}

# Of one model: how much is unique to each space, and what is common.
parts_sentence <- function(rows, title, level) {
  # in the order of the model, whatever that of the rows
  longest <- rows$space[order(-nchar(rows$space), rows$space)][1]
  spaces <- strsplit(c(longest, rows$space), " & ", fixed = TRUE)
  rank <- vapply(spaces[-1], function(set) sum(2^match(set, spaces[[1]])), 0)
  rows <- rows[order(lengths(spaces[-1]), rank), ]
  of <- function(part) which(rows$part == part)
  score <- number_words(rows$score)
  p <- if (is.null(rows$p_adjusted)) rows$p_value else rows$p_adjusted
  unique <- vapply(of("unique"), function(at) {
    first <- at == of("unique")[1]
    known <- !is.na(rows$conf_low[at])
    text <- with_limits_words(rows$score[at], rows$conf_low[at], rows$conf_high[at])
    paste0(if (known) text[1] else score[at], if (first) " is unique", " to ", rows$space[at],
           brackets(if (known) interval_phrase(text[-1], if (first) level),
                    if (isFALSE(is.na(p[at]))) p_words(p[at])))
  }, "")
  adjusted <- any(p != rows$p_value, na.rm = TRUE)
  rest <- c(of("common"), of("shared"))
  common <- paste(score[rest],
                  ifelse(rows$part[rest] == "shared", "shared by two or more",
                         paste0("common", if (length(rest) > 1) paste(" to", rows$space[rest]))))
  told <- c(unique, if (length(rest)) common)
  paste0("Of the R squared of ", title, brackets(score[of("total")]),
         ", ", if (length(told)) paste(told, collapse = ", ") else
           "no unique or common part is among these rows",
         if (adjusted) " (p-values are adjusted for their number)", ".")
}

#' @rdname space_parts
#' @param object what `space_parts()` returned.
#' @param row.names,optional unused.
#' @param part `"parts"`: the rows themselves; `"neurons"`: those of each neuron.
#' @export
as.data.frame.repalign_parts <- function(x, row.names = NULL, optional = FALSE,
                                         part = c("parts", "neurons"), ...) {
  part <- check_choice(part, c("parts", "neurons"), "part")
  if (part == "parts") return(NextMethod())
  neurons <- need_kept(x, "neurons", "space_parts()")
  columns <- intersect(c("model_x", "model_y", "x", "y", "measure", "part", "space"), names(x))
  kept <- row_identities(neurons, columns) %in% row_identities(x, columns)
  found <- neurons[kept, setdiff(names(neurons), "measure")]
  rownames(found) <- NULL
  found
}
