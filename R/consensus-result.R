# The result of consensus(): its table, what else it shows, and its words.

#' @include result-class.R
NULL

# p: of subjects and models, or NULL; facts: how the result was made.
consensus_result <- function(task, terms, scores, errors, p, facts, conf_level) {
  kind <- rep(c("subject", "model", "group"), c(task$m, length(task$names) - task$m, 1))
  table <- errors$table
  pooled <- which(kind != "subject")
  models <- which(kind == "model")
  label <- paste0("consensus (alpha ", format(facts$alpha), if (!is.null(facts$components)) {
    paste0(", ", count_of(facts$components, "component"))
  }, if (facts$refine) ", refined", ")")
  rows <- data.frame(x = table$x, kind = kind, measure = label, score = scores,
                     se = table$se_deleted, df = errors$groups - 1)
  rows[pooled, c("se", "df")] <- contrast_errors(errors$parts, diag(length(pooled)))
  rows$se <- checked_errors(rows$se, abs(scores))
  limits <- student_limits(scores, rows$se, rows$df, conf_level)
  distance <- unname(drop(over_members(t(terms$distances), terms)))
  scored <- over_members(1 * (terms$sums[, 3, ] > 0), terms) > 0
  rows <- cbind(rows, conf_low = limits[, 1], conf_high = limits[, 2], difference = NA_real_,
                difference_se = NA_real_, distance = replace(distance, is.nan(distance), NA),
                p_value = NA_real_, p_adjusted = NA_real_, n = as.integer(colSums(scored)))
  rows$difference[models] <- scores[models] - scores[nrow(rows)]
  rows$difference_se[models] <- checked_errors(errors_of_difference(errors$parts)$se, 1)
  if (!all(task$present)) rows$distance[pooled] <- NA
  if (!is.null(p)) {
    rows$p_value <- c(p, min(stats::p.adjust(p[kind[-nrow(rows)] == "subject"], "holm")))
    # subjects are a family of tests, and so are models
    rows$p_adjusted <- stats::ave(rows$p_value, kind, FUN = function(own) {
      stats::p.adjust(own, facts$p_adjust)
    })
  }
  lost <- rows$x[is.na(rows$se)]
  warn_if(length(lost), "undefined", "No score or no standard error (NA) of {enumerate(lost)}: ",
          "a score is undefined with all stimuli and subjects, or without some of them, or does ",
          "not vary.", data = lost)
  stimulus <- if (is.null(task$labels)) which(task$rows) else task$labels[task$rows]
  # of models the means over the consensuses that they face
  stimuli <- do.call(rbind, lapply(seq_len(nrow(rows) - 1), function(k) {
    means <- rowMeans(terms$sums[, , terms$members[[k]], drop = FALSE], dims = 2)
    data.frame(x = rows$x[k], stimulus = stimulus, a = means[, 1], b = means[, 2], c = means[, 3])
  }))
  # The consensus of all subjects on all stimuli. is_consensus() knows it by the names of its
  # columns, which stay when responses() takes it.
  fit <- fit_of_sides(task, seq_len(task$n), integer())
  whole <- consensus_of(fit, seq_len(task$m), task)$train
  whole[rowSums(task$present[, seq_len(task$m)]) == 0, ] <- NA
  dimnames(whole) <- list(if (!is.null(task$labels)) stimulus,
                          paste("consensus", seq_len(ncol(whole))))
  new_result(rows, "repalign_consensus", list(
    conf_level = conf_level, facts = facts, errors = errors[c("table", "parts")],
    stimuli = stimuli, whole = whole, dependence = task$dependence
  ))
}

# Of each model less the group, which is last.
errors_of_difference <- function(parts) {
  count <- ncol(parts$main[[1]])
  contrast_errors(parts, rbind(diag(count - 1), rep(-1, count - 1)))
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
  kept = c(list(conf_level = one_level, dependence = each_once),
           sapply(c("facts", "errors", "stimuli", "whole"), function(name) all_alike,
                  simplify = FALSE)),
  heading = function(x, digits) {
    facts <- attr(x, "facts")
    strwrap(exdent = 2, paste0(
      "Consensus of ", facts$subjects, " subjects, ", if (nrow(x)) paste0(x$measure[1], ": "),
      count_of(nrow(x), "score"), undefined_of(x$score), ", stimuli left out in ", facts$folds,
      " folds; ", format(100 * attr(x, "conf_level")), "% intervals ", consensus_extent(x)
    ))
  },
  shown = function(x) {
    empty <- vapply(x, function(column) length(column) > 0 && all(is.na(column)), NA)
    x[!empty & names(x) != "measure"]
  },
  sentence = function(x) consensus_sentence(x),
  limits = function(x, level) {
    rows <- need_columns(as.data.frame(x), c("x", "score", "se", "df"), "used")
    limits <- student_limits(rows$score, rows$se, rows$df, level)
    dimnames(limits) <- list(rows$x, NULL)
    limits
  }
)

# What the intervals of these rows are over.
consensus_extent <- function(x) {
  over <- attr(x, "facts")$over
  subject <- x$kind == "subject"
  if (nrow(x) && all(subject)) over <- over[1]
  paste0("over ", extent_words(paste(over, collapse = " + ")),
         if (length(over) > 1 && any(subject)) paste0("; those of subjects over ",
                                                      extent_words(over[1])))
}

consensus_sentence <- function(x) {
  need_columns(x, c("x", "kind", "score", "conf_low", "conf_high", "difference", "p_adjusted", "n"),
               "told", "result")
  twice <- anyDuplicated(x$x)
  refuse_if(twice, "rows", "`result` has two rows of {quoted(x$x[twice])}: take one of them, or ",
            "bind results with names, as in rbind(day1 = a, day2 = b).")
  facts <- attr(x, "facts")
  level <- attr(x, "conf_level")
  p_name <- if (facts$p_adjust == "none") "p" else paste0(facts$p_adjust, "-adjusted p")
  within <- function(score, limits, p = NA) {
    text <- with_limits_words(score, limits[1], limits[2])
    paste0(text[["score"]],
           brackets(if (anyNA(limits)) "no interval" else interval_phrase(text[-1], level),
                    if (!is.na(p)) p_words(p, name = p_name)))
  }
  at_row <- function(row) {
    within(x$score[row], c(x$conf_low[row], x$conf_high[row]), x$p_adjusted[row])
  }
  best_of <- function(kind) {
    rows <- which(x$kind == kind & !is.na(x$score))
    list(row = rows[which.max(x$score[rows])], count = sum(x$kind == kind))
  }
  group <- which(x$kind == "group" & !is.na(x$score))
  subject <- best_of("subject")
  model <- best_of("model")
  # subjects are told as a whole, or as far as they are here
  told <- if (length(group)) {
    paste0(facts$subjects, " subjects agreed with the consensus of the others at ",
           within(x$score[group], c(x$conf_low[group], x$conf_high[group])), " on average")
  } else if (length(subject$row)) {
    paste0(if (subject$count > 1) paste0("of ", subject$count, " subjects "), x$x[subject$row],
           " agreed ", if (subject$count > 1) "best ", "with the consensus of the others, at ",
           at_row(subject$row))
  }
  tested <- x$p_adjusted[x$kind == "subject" & !is.na(x$p_adjusted)]
  above <- sum(tested <= 0.05)
  counted <- if (length(told) && length(tested) > 1) {
    paste0(if (above) above else "none", " of these ", length(tested), " subjects ",
           if (above > 1) "were" else "was", " above chance",
           brackets(alpha_words(0.05, p_name), if (isTRUE(facts$least > 0.05)) {
             p_words(facts$least, name = "smallest possible p")
           }))
  }
  of_model <- if (length(model$row)) {
    found <- errors_of_difference(attr(x, "errors")$parts)
    found <- found[match(x$x[model$row], attr(x, "errors")$table$x) - facts$subjects, ]
    gap <- x$difference[model$row]
    paste0(if (model$count > 1) paste0("of ", model$count, " models "), x$x[model$row],
           if (model$count > 1) " was best, at " else " reached ", at_row(model$row),
           if (!is.na(gap)) paste0(", ", if (abs(gap) < equal_share) "as the mean of the subjects"
             else paste0(if (gap < 0) "below" else "above", " the mean of the subjects by ",
                         within(abs(gap), student_limits(abs(gap), found$se, found$df, level)))))
  }
  parts <- c(told, counted, of_model)
  text <- if (length(parts)) {
    paste0(sub("^of ", "Of ", paste(parts, collapse = "; ")), ". Scores are of ",
           stimuli_words(x$n[!is.na(x$score)]), " that no fit had seen, intervals ",
           consensus_extent(x[c(if (length(group)) group else subject$row, model$row), ]), ".")
  }
  without_claim(trimws(paste0(text, undefined_words(x$score))), attr(x, "dependence"))
}

#' @rdname consensus
#' @param row.names,optional unused.
#' @param part `"scores"`: the rows themselves; `"errors"` or `"stimuli"`: see Value.
#' @export
as.data.frame.repalign_consensus <- function(x, row.names = NULL, optional = FALSE,
                                             part = c("scores", "errors", "stimuli"), ...) {
  part <- check_choice(part, c("scores", "errors", "stimuli"), "part")
  rows <- NextMethod()
  if (part == "scores") return(rows)
  table <- need_kept(x, part, "consensus()")
  if (part == "errors") table <- table$table
  table <- table[table$x %in% need_columns(rows, "x", "looked up", "x")$x, ]
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
