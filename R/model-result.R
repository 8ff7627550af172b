# The result of evaluate_models() and evaluate_rdms(), and its methods.

#' @include result-class.R
NULL

# ---- evaluation methods

# The result is printed and made ready for compare_scores() here.

declare_result(
  "repalign_evaluation", from = c("evaluate_models", "evaluate_rdms"),
  words = "evaluations of models",
  columns = described_columns(
    column("model", "the name of the model", key = TRUE, tidy = "term"),
    column("measure", "the label of the measure, of recordings", always = FALSE),
    column("score", "the similarity with the data", shown = 1),
    column("se", "its standard error", shown = 2),
    column("conf_low", "the lower limit of its interval", shown = 3),
    column("conf_high", "the upper limit of its interval", shown = 4),
    column("df", "the degrees of freedom", shown = 12),
    column("p_chance", "of a score by chance", shown = 6, always = FALSE, tidy = "p.value"),
    column("p_familywise", "the same over all models, of recordings", shown = 5, always = FALSE,
           tidy = "adj.p.value"),
    column("threshold", "the score beyond which p_familywise is at most alpha", shown = 11,
           always = FALSE),
    column("p_zero", "of a score of 0, of RDMs and partial scores", shown = 7, always = FALSE),
    column("ceiling_low", "the lower bound of the noise ceiling of RDMs", shown = 15,
           always = FALSE),
    column("ceiling_high", "its upper bound", shown = 16, always = FALSE),
    column("p_ceiling", "of a score at the lower bound", shown = 8, always = FALSE),
    column("ceiling", "the noise ceiling of recordings", shown = 9, always = FALSE),
    column("ceiling_se", "its standard error", shown = 10, always = FALSE),
    column("share", "the score as a share of the ceiling", shown = 8, always = FALSE),
    column("best", "may the model be the best?", shown = 7, always = FALSE),
    column("draws", "how many draws there were, of RDMs", shown = 14, always = FALSE),
    column("left_out", "how many of them are left out", shown = 13, always = FALSE),
    column("n", "the number of stimuli of recordings", shown = 13, always = FALSE)
  ),
  kept = sapply(c("parts", "draws", "table", "outer", "resample", "folds", "conf_level", "sizes",
                  "group", "pictures", "chance", "dependence", "interval", "null", "facts"),
                function(name) all_alike, simplify = FALSE),
  shown = function(x) {
    # columns without any value say nothing
    if (!nrow(x)) return(x)
    x[!vapply(x, function(column) all(is.na(column)), NA) | names(x) %in% c("score", "se")]
  },
  heading = function(x, digits) {
    if (is_of_recordings(x)) recordings_heading(x) else rdms_heading(x, digits)
  },
  footing = function(x, digits) if (is_of_recordings(x)) recordings_footing(x),
  sentence = function(x) if (is_of_recordings(x)) recordings_sentence(x) else rdms_sentence(x),
  glance = function(x) {
    facts <- attr(x, "facts")
    recordings <- is_of_recordings(x)
    need_columns(x, c("score", if (recordings) c("model", "measure", "n") else
      c("ceiling_low", "ceiling_high", "draws")), "summarised")
    own <- if (recordings) {
      list(measure = x$measure[1], n = x$n[1], permutations = c(facts$permutations, 0L)[1],
           significant = sum(x$p_familywise <= facts$alpha, na.rm = TRUE), best = sum(x$best))
    } else {
      sizes <- attr(x, "sizes")
      list(groups = sizes[["rdm"]], stimuli = sizes[["stimuli"]], outer = attr(x, "outer"),
           ceiling_low = x$ceiling_low[1], ceiling_high = x$ceiling_high[1], draws = x$draws[1])
    }
    c(list(models = nrow(x)), own, conf_level = attr(x, "conf_level"),
      undefined = sum(is.na(x$score)))
  },
  limits = function(x, level) {
    rows <- need_columns(as.data.frame(x), c("model", "score", "se", "df"), "used")
    limits <- if (is_of_recordings(x)) stats::confint(interval_of_models(x), level = level) else
      student_limits(rows$score, rows$se, rows$df, level)
    dimnames(limits) <- list(rows$model, NULL)
    limits
  }
)

# What in_words() tells of models of RDMs.
rdms_sentence <- function(x) {
  need_columns(x, c("model", "score", "conf_low", "conf_high"), "told", "result")
  name <- outer_names[[attr(x, "outer")]]
  best <- which.max(x$score)
  if (!length(best)) return(paste0("By the ", name, ":", undefined_words(x$score, begins = FALSE)))
  text <- with_limits_words(x$score[best], x$conf_low[best], x$conf_high[best])
  facts <- c(interval_phrase(text[-1], attr(x, "conf_level"),
                             if (has_errors(x)) evaluation_over(x)),
             paste(attr(x, "sizes")[["stimuli"]], "stimuli"))
  data <- evaluated_data(x)
  crossed <- if (!is.null(attr(x, "folds"))) "cross-validated "
  start <- if (nrow(x) == 1) {
    paste0("The ", crossed, name, " of ", x$model, " and ", data, " was ", text[["score"]],
           brackets(facts, chance_of_rdms(x, best)))
  } else {
    paste0("Of ", count_of(nrow(x), "model"), ", ", x$model[best], " was most similar to ", data,
           brackets(paste0(crossed, name, " = ", text[["score"]]), facts, chance_of_rdms(x, best)))
  }
  others <- if (isTRUE(attr(x, "chance")$permutations > 0)) {
    others_chance_words(x$p_chance[-best], 0.05, 1, alone = TRUE)
  }
  low <- x$ceiling_low[best]
  ceiling <- if (length(low) && !is.na(low)) {
    reached <- x$score[best] >= low
    p <- c(x$p_ceiling[best], NA)[1]
    range <- number_words(low, x$ceiling_high[best])
    paste0("; it was ", if (reached) "not below" else if (is.na(p) || p <= 0.05) "below" else
             "not clearly below", " the noise ceiling, ", range[1],
           if (length(range) > 1 && !is.na(x$ceiling_high[best])) paste(" to", range[2]),
           # above the bound, that it differs from it says nothing
           if (!reached && !is.na(p)) brackets(paste(p_words(p), "against its lower bound")))
  }
  without_claim(paste0(start, ceiling, ".", others, undefined_words(x$score)),
                attr(x, "chance")$dependence)
}

# The p-value of one model against chance, or without permutations against 0.
chance_of_rdms <- function(x, row) {
  chance <- attr(x, "chance")
  if (!is.null(x$p_chance) && isTRUE(chance$permutations > 0)) {
    p <- x$p_chance[row]
    # positive RDMs have positive cosines, also without any relation
    positive <- isTRUE(p > 0.05 && x$p_zero[row] <= 0.05)
    return(c(paste0(p_words(p), if (isTRUE(p > 0.05)) ", not above chance" else " against chance",
                    if (positive) paste(" though above 0 with", p_words(x$p_zero[row]))),
             permutations_words(chance$permutations, chance$engine)))
  }
  p <- c(x$p_zero[row], NA)[1]
  if (!is.na(p)) paste0(p_words(p), if (p > 0.05) ", not above 0" else " against 0")
}

rdms_heading <- function(x, digits) {
  sizes <- attr(x, "sizes")
  folds <- attr(x, "folds")
  chance <- attr(x, "chance")
  c(paste0("Models of RDMs: ", count_of(nrow(x), "model"), undefined_of(x$score)),
    if (!is.null(sizes)) {
      # evaluate_rdms() whitens where rsa() does not, unless it is asked to do otherwise
      c(paste0(attr(x, "outer"), if (whitens(attr(x, "outer"))) " (pairs of stimuli are whitened)",
               ", ", evaluated_data(x), ", ", sizes[["stimuli"]], " stimuli",
               if (has_clusters(x)) paste0(" in ", count_of(sizes[["condition"]], "cluster")),
               if (!is.null(folds$given)) {
                 paste0(", ", count_of(length(folds$given), "given fold"))
               } else if (!is.null(folds)) {
                 paste0(", cross-validated (", folds$rdm, " x ", folds$condition, " folds, ",
                        count_of(folds$repeats, "repeat"), ")")
               }),
        paste0(if (!has_errors(x)) "no ", "errors over ", evaluation_over(x),
               if (isTRUE(chance$permutations > 0)) {
                 paste0("; p_chance by ", count_of(format(chance$permutations, big.mark = ","),
                                                   "permutation"), " (", chance$engine, ")")
               }))
    },
    if (!is.null(x$ceiling_low) && nrow(x)) {
      ceiling <- c(x$ceiling_low[1], x$ceiling_high[1])
      known <- !is.na(ceiling)
      # the upper one needs several RDMs, the lower one several groups
      if (any(known)) {
        paste0(if (!known[1]) "upper ", "noise ceiling: ",
               paste(format_each(ceiling[known], digits), collapse = " to "))
      }
    })
}

# "8 RDMs in 4 groups", or "8 RDMs" where each is a group.
evaluated_data <- function(x) {
  groups <- attr(x, "sizes")[["rdm"]]
  rdms <- ncol(attr(x, "pictures")$data)
  paste0(count_of(rdms, "RDM"), if (groups < rdms) paste(" in", count_of(groups, "group")))
}

has_errors <- function(x) is.null(x$se) || !all(is.na(x$se))

# Is each stimulus a unit of its own?
has_clusters <- function(x) {
  sizes <- attr(x, "sizes")
  sizes[["condition"]] < sizes[["stimuli"]]
}

# What was drawn, in words.
evaluation_over <- function(x) {
  factors <- attr(x, "resample")
  if (!length(factors)) return("RDMs, without resampling")
  units <- if (has_clusters(x)) "clusters of stimuli" else "stimuli"
  paste(c(rdm = "RDMs", condition = units)[factors], collapse = " and ")
}

#' @rdname evaluate_models
#' @param object what `evaluate_models()` or `evaluate_rdms()` returned, or some of its rows.
#' @param ... unused.
#' @export
vcov.repalign_evaluation <- function(object, ...) {
  no_other_arguments(...)
  total <- if (is_of_recordings(object)) stats::vcov(interval_of_models(object)) else
    total_covariance(evaluation_rows(object)$parts)
  dimnames(total) <- list(object$model, object$model)
  total
}

# The rows that are left of a result, and the parts of their covariances: list(rows, parts).
evaluation_rows <- function(object) {
  rows <- need_columns(as.data.frame(object), c("model", "score"), "compared", "result")
  parts <- attr(object, "parts")
  at <- match(rows$model, colnames(parts$main[[1]]))
  refuse_if(is.null(parts) || anyNA(at) || anyDuplicated(at), "rows", "`result` no longer has the ",
            "models that evaluate_rdms() compared, each once: start again from its result.")
  parts <- some_parts(parts, at)
  parts$score <- rows$score
  list(rows = rows, parts = parts, at = at)
}

# See compared_scores().
compared_models <- function(result) {
  found <- evaluation_rows(result)
  rows <- found$rows
  refuse_if(!nrow(rows), "size", "`result` has no rows: look at how they were chosen.")
  rows$over <- evaluation_over(result)
  rows$measure <- rep(attr(result, "outer"), nrow(rows))
  list(score = rows$score, title = as.character(rows$model), measure = rows$measure,
       sign = rep(1, nrow(rows)), parts = found$parts, total = total_covariance(found$parts),
       level = attr(result, "conf_level"), order = order(found$at), rows = rows, halves = FALSE)
}

# ---- evaluation result

# The result of evaluate_rdms() is put together here.

evaluation_result <- function(task, whole, draws, chance, drawn, folds, conf_level, dependence) {
  # what draws are made of
  sizes <- c(rdm = max(task$group), condition = units_of(task$n, task$codes))
  models <- names(task$models)
  draws <- lapply(draws, function(part) {
    dimnames(part) <- list(NULL, c(models, "ceiling_low", "ceiling_high"), NULL)
    # a single RDM is its own pool
    if (is.na(whole$upper)) part[, "ceiling_high", ] <- NA
    part
  })
  # A draw in which a score is undefined, in any part, is left out of all. (A model that is
  # undefined with all data is undefined in all draws.)
  at <- which(!is.na(whole$scores))
  lost <- lapply(draws, function(part) which(rowSums(is.na(matrix(part[, at, ], nrow(part)))) > 0))
  left_out <- sort(unique(unlist(lost)))
  draws <- lapply(draws, function(part) {
    part[left_out, , ] <- NA
    part
  })
  parts <- evaluation_parts(task, whole, draws, sizes)
  scores <- whole$scores
  each <- function(value) rep(value, length(models))
  df <- each(if (isTRUE(parts$df >= 1)) as.double(parts$df) else NA_real_)
  se <- checked_errors(contrast_errors(parts, diag(length(scores)))$se, abs(scores))
  se[is.na(df)] <- NA
  limits <- student_limits(scores, se, df, conf_level)
  gap <- (scores - whole$lower) / checked_errors(ceiling_errors(whole, draws, sizes, task), 1)
  columns <- list(model = models, score = scores, se = se, conf_low = limits[, 1],
                  conf_high = limits[, 2], df = df, p_chance = chance$p_value,
                  p_zero = stats::pt(scores / se, df, lower.tail = FALSE),
                  ceiling_low = each(whole$lower), ceiling_high = each(whole$upper),
                  p_ceiling = 2 * stats::pt(-abs(gap), df), draws = each(drawn$count),
                  left_out = each(length(left_out)))
  # data.frame() would take most of the time of a small call
  rows <- list2DF(lapply(columns[lengths(columns) > 0], unname))
  warn_evaluation(rows, left_out, parts, task)
  table <- whole$table
  if (!is.null(table)) dimnames(table) <- list(colnames(task$values), models)
  new_result(rows, "repalign_evaluation", list(
    parts = parts, draws = draws, table = table, outer = task$outer,
    resample = drawn$factors, folds = folds, conf_level = conf_level,
    sizes = c(sizes, stimuli = task$n), group = task$group, dependence = dependence,
    chance = chance[setdiff(names(chance), "p_value")],
    pictures = list(data = task$values, models = whole$predicted,
                    stimulus_noise = task$stimulus_noise)
  ))
}

# Covariances of all scores; those of undefined ones are NA.
evaluation_parts <- function(task, whole, draws, sizes) {
  models <- names(task$models)
  defined <- which(!is.na(whole$scores))
  parts <- if (length(draws)) parts_of_variance(draws, sizes, defined) else
    if (!is.null(whole$table) && sizes[["rdm"]] > 1) {
      parts_of_table(whole$table[, defined, drop = FALSE], task$group)
    } else list(main = list(matrix(NA_real_, length(defined), length(defined))),
                interactions = NULL, df = NA_real_, capped = TRUE)
  whole_of <- function(part) {
    all <- matrix(NA_real_, length(models), length(models), dimnames = list(models, models))
    all[defined, defined] <- part
    all
  }
  parts$main <- lapply(parts$main, whole_of)
  parts$interactions <- lapply(parts$interactions, whole_of)
  if (!is.null(parts$with_folds)) parts$with_folds <- whole_of(parts$with_folds)
  parts
}

# What does not vary has no error.
checked_errors <- function(se, size) replace(se, se <= tie_share * pmax(size, 1, na.rm = TRUE), NA)

warn_evaluation <- function(rows, left_out, parts, task) {
  models <- rows$model[task$constant]
  warn_if(length(models), "undefined", "The score of {enumerate(models)} is undefined (NA): only ",
          "pairs of stimuli of different `clusters` count, and its dissimilarities are the same ",
          "for all of these.", data = models)
  undefined <- rows$model[is.na(rows$score) & !task$constant]
  warn_if(length(undefined), "undefined", "The score of {enumerate(undefined)} is undefined (NA): ",
          "its dissimilarities (or those of an RDM) are all equal, or pairs that both have are ",
          "fewer than three.")
  # that all RDMs are of one group was said before
  unlimited <- c(lower = is.na(rows$ceiling_low[1]) && max(task$group) > 1,
                 upper = is.na(rows$ceiling_high[1]) && length(task$group) > 1)
  warn_if(any(unlimited), "undefined", "The ", paste(names(which(unlimited)), collapse = " and "),
          " noise ceiling {if (all(unlimited)) 'are' else 'is'} undefined (NA): of some RDM, or ",
          "in some fold, fewer than three pairs are there also in the mean of RDMs that it is ",
          "compared with, or the pairs that both have are all equal in one of them.")
  lost <- is.na(rows$se) & !is.na(rows$score)
  warn_if(any(lost), "undefined", "No standard error (NA) of {enumerate(rows$model[lost])}: ",
          if (isTRUE(parts$df >= 1))
          "the score does not vary with what was drawn, or draws are too few to tell." else
            if (!rows$draws[1]) "without draws, folds and single RDMs have none." else
            "there are too few RDMs.")
  one <- length(left_out) == 1
  warn_if(length(left_out) > 0.1 * max(rows$draws, 1), "left_out", "{length(left_out)} of ",
          "{rows$draws[1]} draws {if (one) 'is' else 'are'} left out: ",
          "{if (one) 'it has' else 'they have'} fewer different {unit_words(task$codes)} (3 a ",
          "fold) or RDMs than are needed, or a score is undefined. Errors are rather too small.")
}
