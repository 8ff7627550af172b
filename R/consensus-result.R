# The result of consensus(): its table, what else it shows, and its words.

#' @include result-class.R
NULL

# p: of subjects and models, or NULL; facts: how the result was made.
consensus_result <- function(task, terms, scores, errors, p, facts, conf_level) {
  kind <- rep(c("subject", "model", "group"), c(task$m, length(task$names) - task$m, 1))
  names <- c(task$names, "group")
  subjects <- which(kind == "subject")
  pooled <- which(kind != "subject")
  rows <- list2DF(list(x = names, kind = kind, measure = rep(consensus_label(facts), length(kind)),
                       score = scores))
  rows$se <- sqrt(diag(errors$deleted))
  rows$df <- rep(as.double(errors$groups - 1), length(kind))
  rows[pooled, c("se", "df")] <- contrast_errors(errors$parts, diag(length(pooled)))
  rows$se <- checked_errors(rows$se, abs(scores))
  limits <- student_limits(scores, rows$se, rows$df, conf_level)
  rows[c("conf_low", "conf_high")] <- list(limits[, 1], limits[, 2])
  models <- which(kind == "model")
  rows$difference <- rows$difference_se <- NA_real_
  rows$difference[models] <- scores[models] - scores[length(scores)]
  rows$difference_se[models] <- errors_of_difference(errors$parts)$se
  rows <- rows[c(setdiff(names(rows), c("difference", "difference_se")), "difference",
                 "difference_se")]
  distance <- over_members(colMeans(terms$distances, na.rm = TRUE), terms)
  rows$distance <- replace(drop(distance), is.nan(distance), NA)
  if (!all(task$present)) rows$distance[pooled] <- NA
  rows <- cbind(rows, consensus_p_columns(p, kind, facts$p_adjust))
  tested <- over_members(matrix(terms$sums[, , 3] > 0, task$n), terms) > 0
  rows$n <- as.integer(colSums(tested))
  warn_consensus(rows)
  table <- data.frame(x = names, errors$table)
  stimuli <- consensus_stimuli(task, terms, names)
  new_result(rows, "repalign_consensus", list(
    conf_level = conf_level, facts = c(facts, list(clusters = !is.null(task$codes))),
    errors = list(table = table, parts = errors$parts), stimuli = stimuli,
    whole = whole_consensus(task, unique(stimuli$stimulus)), dependence = task$dependence
  ))
}

consensus_label <- function(facts) {
  parts <- c(paste("alpha", format(facts$alpha)),
             if (!is.null(facts$components)) count_of(facts$components, "component"),
             if (facts$refine) "refined")
  paste0("consensus (", paste(parts, collapse = ", "), ")")
}

# Of each model less the group, which is last.
errors_of_difference <- function(parts) {
  count <- ncol(parts$main[[1]])
  models <- seq_len(count - 1)
  contrast_errors(parts, pair_weights(count, models, rep(count, count - 1)))
}

# Subjects are a family of tests, and so are models. That of the group is the smallest of its
# subjects, adjusted so that it is one test.
consensus_p_columns <- function(p, kind, how) {
  p_value <- p_adjusted <- rep(NA_real_, length(kind))
  if (!is.null(p)) {
    for (one in c("subject", "model")) {
      at <- which(kind == one)
      p_value[at] <- p[at]
      p_adjusted[at] <- stats::p.adjust(p[at], how)
    }
    p_value[length(kind)] <- p_adjusted[length(kind)] <-
      min(stats::p.adjust(p[kind == "subject"], "holm"))
  }
  data.frame(p_value, p_adjusted)
}

# Of models the means over the consensuses that they face.
consensus_stimuli <- function(task, terms, names) {
  at <- terms$members[-length(names)]
  sums <- lapply(seq_along(at), function(k) {
    means <- apply(terms$sums[, at[[k]], , drop = FALSE], c(1, 3), mean)
    data.frame(x = names[k], stimulus = if (is.null(task$labels)) which(task$rows) else
      task$labels[task$rows], a = means[, 1], b = means[, 2], c = means[, 3])
  })
  do.call(rbind, sums)
}

# The consensus of all subjects on all stimuli. Its columns have names by which is_consensus() knows
# it.
whole_consensus <- function(task, stimuli) {
  fit <- fit_of_sides(task, seq_len(task$n), integer())
  found <- consensus_of(fit, seq_len(task$m), task)$train
  found[rowSums(task$present[, seq_len(task$m)]) == 0, ] <- NA
  dimnames(found) <- list(if (!is.null(task$labels)) stimuli,
                          paste("consensus", seq_len(ncol(found))))
  found
}

is_consensus <- function(x) {
  columns <- dimnames(x)[[2]]
  length(columns) > 0 && all(grepl("^consensus [0-9]+$", columns))
}

warn_consensus <- function(rows) {
  lost <- rows$x[is.na(rows$score)]
  warn_if(length(lost), "undefined", "The score of {enumerate(lost)} is undefined (NA): nothing ",
          "varies on the stimuli that are tested, or no other subject has them.", data = lost)
  lost <- rows$x[is.na(rows$se) & !is.na(rows$score)]
  warn_if(length(lost), "undefined", "No standard error (NA) of {enumerate(lost)}: without some ",
          "stimuli or a subject there is no score, or it does not vary.", data = lost)
}

declare_result(
  "repalign_consensus", from = "consensus", words = "consensuses",
  columns = described_columns(
    column("x", "the subject or model, or \"group\", the mean of the subjects", key = TRUE),
    column("kind", "\"subject\", \"model\" or \"group\"", shown = 8),
    column("measure", "the label of the consensus", key = TRUE, tidy = "term"),
    column("score", "the cosine with the consensus of the others", shown = 1),
    column("se", "its standard error", shown = 2),
    column("df", "the degrees of freedom", shown = 12),
    column("conf_low", "the lower limit of its interval", shown = 3),
    column("conf_high", "the upper limit of its interval", shown = 4),
    column("difference", "the score of a model less that of the group", shown = 6,
           tidy = "difference"),
    column("difference_se", "its standard error", shown = 7),
    column("distance", "the mean distance from the consensus over folds", shown = 10),
    column("p_value", "of a permutation test", shown = 9),
    column("p_adjusted", "adjusted for the number of subjects, or of models", shown = 5),
    column("n", "the number of stimuli that are scored", shown = 11)
  ),
  kept = c(list(conf_level = one_level),
           sapply(c("facts", "errors", "stimuli", "whole"), function(name) all_alike,
                  simplify = FALSE), list(dependence = each_once)),
  heading = function(x, digits) {
    facts <- attr(x, "facts")
    if (is.null(facts)) return("Consensus")
    c(paste0("Consensus: ", enumerate(kinds_counted(x), quote = FALSE), undefined_of(x$score)),
      paste0(x$measure[1], ", stimuli left out in ", facts$folds, " folds",
             if (facts$repeats > 1) paste0(", ", facts$repeats, " times"), "; ",
             format(100 * attr(x, "conf_level")), "% intervals over ",
             enumerate(facts$over, quote = FALSE), ", of subjects over stimuli"))
  },
  shown = function(x) {
    x[!vapply(x, function(column) length(column) && all(is.na(column)), NA) |
        names(x) == "score"]
  },
  footing = function(x, digits) {
    if (any(x$kind == "model")) {
      strwrap(paste("group: the mean of the subjects, each against the consensus of the others.",
                    "difference: of a model from the group. A model with less noise than a",
                    "subject can be above it."), exdent = 2)
    }
  },
  sentence = function(x) consensus_sentence(x),
  glance = function(x) {
    need_columns(x, c("kind", "score", "n"), "summarised")
    list(subjects = sum(x$kind == "subject"), models = sum(x$kind == "model"), n = max(x$n),
         undefined = sum(is.na(x$score)), conf_level = attr(x, "conf_level"))
  },
  limits = function(x, level) {
    rows <- need_columns(as.data.frame(x), c("x", "score", "se", "df"), "used")
    limits <- student_limits(rows$score, rows$se, rows$df, level)
    dimnames(limits) <- list(rows$x, NULL)
    limits
  }
)

kinds_counted <- function(x) {
  counts <- table(factor(x$kind, c("subject", "model")))
  unname(mapply(count_of, counts[counts > 0], names(counts)[counts > 0]))
}

consensus_sentence <- function(x) {
  need_columns(x, c("x", "kind", "score", "conf_low", "conf_high", "difference", "n"), "told",
               "result")
  facts <- attr(x, "facts")
  level <- attr(x, "conf_level")
  within <- function(values, ...) {
    text <- with_limits_words(values[1], values[2], values[3])
    paste0(text[["score"]], brackets(interval_phrase(text[-1], level), ...))
  }
  limits <- c("score", "conf_low", "conf_high")
  group <- which(x$kind == "group" & !is.na(x$score))
  models <- which(x$kind == "model" & !is.na(x$score))
  best <- models[which.max(x$score[models])]
  parts <- c(
    if (length(group)) {
      p <- x$p_value[group]
      paste0(count_of(facts$subjects, "subject"), " agreed with the consensus of the others at ",
             within(unlist(x[group, limits]), if (isFALSE(is.na(p))) p_words(p)), " on ",
             stimuli_words(x$n[group]), " left out")
    },
    if (length(best)) {
      errors <- attr(x, "errors")
      at <- match(x$x[best], errors$table$x) - facts$subjects
      found <- errors_of_difference(errors$parts)[at, ]
      gap <- x$difference[best]
      away <- student_limits(gap, found$se, found$df, level)
      if (gap < 0) away <- -rev(away)
      paste0(if (length(models) > 1) "of the models " else "the model ", x$x[best], " reached ",
             within(unlist(x[best, limits])), ", ", if (gap < 0) "below" else "above",
             " the subjects by ", within(c(abs(gap), away)))
    })
  if (!length(parts)) return(undefined_words(x$score))
  without_claim(paste0(capitalised(paste(parts, collapse = "; ")), ".", undefined_words(x$score)),
                attr(x, "dependence"))
}

#' @rdname consensus
#' @param row.names,optional unused.
#' @param part `"scores"`: the rows themselves; `"errors"` or `"stimuli"`: see Value.
#' @export
as.data.frame.repalign_consensus <- function(x, row.names = NULL, optional = FALSE,
                                             part = c("scores", "errors", "stimuli"), ...) {
  part <- check_choice(part, c("scores", "errors", "stimuli"), "part")
  if (part == "scores") return(NextMethod())
  kept <- need_kept(x, part, "consensus()")
  table <- if (part == "errors") kept$table else kept
  named <- need_columns(NextMethod(), "x", "looked up", "x")$x
  table <- table[table$x %in% named, ]
  rownames(table) <- NULL
  table
}

#' @rdname consensus
#' @export
as.matrix.repalign_consensus <- function(x, ...) {
  no_other_arguments(...)
  whole <- need_kept(x, "whole", "consensus()")
  inform("in_sample", "This consensus is fitted to all subjects and stimuli: any subject is ",
         "similar to it, so that their scores are no ceiling for models. For models on stimuli ",
         "left out, use consensus(models = ).")
  whole
}

# What compare_scores() needs: the models.
compared_consensus <- function(result) {
  errors <- need_kept(result, "errors", "consensus()", "result")
  rows <- need_columns(as.data.frame(result), c("x", "kind", "measure", "score", "se", "df"),
                       "compared", "result")
  rows <- rows[rows$kind == "model", ]
  refuse_if(!nrow(rows), "size", "`result` has no models to compare: `difference` has what ",
            "consensus(models = ) finds of each model less the group.")
  facts <- attr(result, "facts")
  at <- match(rows$x, errors$table$x) - facts$subjects
  rows$over <- paste(c(if (facts$clusters) "clusters" else "stimuli", facts$over[-1]),
                     collapse = " + ")
  parts <- some_parts(errors$parts, at)
  list(score = rows$score, title = rows$x, measure = rows$measure, sign = rep(1, nrow(rows)),
       parts = parts, total = total_covariance(parts), level = attr(result, "conf_level"),
       order = order(at), rows = rows, halves = FALSE, of_models = TRUE)
}
