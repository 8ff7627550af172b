# What rsa_regression() returns: its rows, what is known of the whole model, and the group.

#' @include result-class.R
NULL

declare_result(
  "repalign_regression", from = "rsa_regression", digits = 3, words = "regressions",
  columns = described_columns(
    column("subject", "the RDM that is explained", key = TRUE, always = FALSE),
    column("term", "the predictor", key = TRUE),
    column("estimate", "its coefficient", shown = 1),
    column("partial", "its partial correlation", shown = 2),
    column("semipartial", "its semipartial correlation", shown = 3),
    column("p_value", "by permutations of the conditions", shown = 4),
    column("unique", "what R squared loses without it", shown = 5),
    column("centered", "the coefficient without effects of single conditions", shown = 6,
           always = FALSE)
  ),
  kept = sapply(c("model", "group", "subjects", "response", "fit", "ridge", "standardize", "alike",
                  "observed"), function(name) all_alike, simplify = FALSE),
  heading = function(x, digits) {
    model <- attr(x, "model")
    if (is.null(model)) return(NULL)
    fit <- attr(x, "fit")
    kind <- switch(fit, ordinary = "least squares", nonnegative = "coefficients not negative",
                   ridge = paste("ridge", format(attr(x, "ridge"))), no_branch(fit))
    c(paste0("Regression of the dissimilarities of ", attr(x, "response"), ": ",
             model$conditions[1], " conditions, ", kind,
             if (attr(x, "standardize")) ", standardized"),
      model_lines(model, attr(x, "subjects")))
  },
  footing = function(x, digits) {
    alike <- attr(x, "alike")
    c(if (!is.null(x$centered)) {
      "p_value is that of the coefficient `centered`, without effects of single conditions."
    }, if (isTRUE(alike > 0.3)) {
      c(paste0("Predictors correlate by up to ", format(alike, digits = 2), " in the tests: ",
               "p_value is too small if noise is"),
        "  in the patterns (see ?rsa_regression); p_value of summary() allows for it.")
    })
  },
  # What in_words() tells of a regression: the fit, and as summary() the test of each predictor.
  sentence = function(x) {
    need_columns(x, c("term", "estimate", "p_value"), "told", "result")
    model <- need_kept(x, "model", "rsa_regression()", "result")
    group <- attr(x, "group")
    told <- group_sentence(group[group$term %in% x$term, , drop = FALSE])
    if (!is.null(model$subject)) {
      others <- length(setdiff(model$subject, x$subject))
      return(paste0(told, if (others) " This is of all subjects of the call, not of these rows."))
    }
    paste0("The predictors explained ", format(round(100 * model$r_squared)), "% of the variance ",
           "of the dissimilarities of ", attr(x, "response"),
           brackets(p_words(model$p_value),
                    permutations_words(model$permutations, model$engine, "conditions"),
                    paste(model$conditions, "conditions")), ". ", told)
  }
)

# fits: of each response list(rows, model, null, fitted), from regression_of().
# group: the number of the subject of each response.
# tested: from tested_coefficients(), without what `deleted` tells.
regression_result <- function(fits, table, spec, design, standardize, group, tested, deleted) {
  subjects <- if (!table$single) colnames(table$y)
  rows <- do.call(rbind, lapply(fits, function(fit) fit$rows))
  model <- do.call(rbind, lapply(fits, function(fit) fit$model))
  rows <- rows[c("term", "estimate", "partial", "semipartial", "p_value", "unique",
                 if (spec$center) "centered")]
  if (!is.null(subjects)) {
    rows <- cbind(subject = rep(subjects, each = ncol(table$x)), rows)
    model <- cbind(subject = subjects, model)
  }
  rownames(rows) <- rownames(model) <- NULL
  model[c("conditions", "permutations", "engine")] <- list(table$n, design$count, design$engine)
  lost <- is.na(model$r_squared)
  who <- if (table$single) table$response else model$subject[lost]
  warn_if(any(lost), "undefined", "The fit is undefined (NA) for {enumerate(who)}: the ",
          "dissimilarities do not vary, or too few pairs are left.", data = who)
  warn_if(anyNA(model$p_value[!lost]), "undefined", "The p-value of the whole model is undefined ",
          "(NA): some permutations leave too few pairs, or dissimilarities that do not vary.")
  lost <- is.na(rows$estimate) & !is.na(rows$semipartial)
  warn_if(any(lost), "undefined", "The coefficient of {enumerate(unique(rows$term[lost]))} is too ",
          "large for a number (NA): take standardize = TRUE.", data = unique(rows$term[lost]))
  untested <- unique(rows$term[!is.na(rows$estimate) & is.na(rows$p_value)])
  warn_if(length(untested), "undefined", "The p-value is undefined (NA) for ",
          "{enumerate(untested)}: beyond effects of single conditions and the other predictors, ",
          "too little is left to test. See `center`.", data = untested)
  new_result(rows, "repalign_regression", list(
    model = model, group = group_table(fits, spec$fit, group, tested, deleted),
    subjects = if (!table$single) max(group), response = table$response, fit = spec$fit,
    ridge = spec$ridge, standardize = standardize, alike = spec$alike,
    observed = c(table[c("n", "labels", "x", "y")],
                 list(fitted = vapply(fits, function(fit) fit$fitted, numeric(nrow(table$y)))))
  ))
}

model_lines <- function(model, subjects) {
  p <- paste0("p = ", format(model$p_value, digits = 2))
  if (is.null(model$subject)) {
    return(paste0("R squared ", format(model$r_squared, digits = 3), ", shared ",
                  format(model$shared, digits = 3), ", ", p, " (",
                  count_of(model$permutations, paste(model$engine, "permutation")), ", ",
                  count_of(model$pairs, "pair"), ")"))
  }
  who <- if (isTRUE(subjects < nrow(model))) {
    paste(nrow(model), "RDMs of", count_of(subjects, "subject"))
  } else paste(nrow(model), "subjects")
  paste0(who, ", R squared ",
         paste(format(range(model$r_squared, na.rm = TRUE), digits = 2), collapse = " to "),
         " (", count_of(model$permutations[1], paste(model$engine[1], "permutation")),
         "): summary() has the group")
}

#' @rdname rsa_regression
#' @param x,object what `rsa_regression()` returned.
#' @param ... unused.
#' @export
coef.repalign_regression <- function(object, ...) {
  no_other_arguments(...)
  rows <- need_columns(as.data.frame(object), c("term", "estimate"), "used")
  key <- rows[intersect(c("subject", "term"), names(rows))]
  refuse_if(anyDuplicated(key), "rows", "This result has several estimates of a predictor, as ",
            "after rbind(): take coef() of each result.", arg = "object")
  if (is.null(rows$subject)) return(stats::setNames(rows$estimate, rows$term))
  subjects <- unique(rows$subject)
  terms <- unique(rows$term)
  table <- matrix(NA_real_, length(subjects), length(terms), dimnames = list(subjects, terms))
  table[cbind(match(rows$subject, subjects), match(rows$term, terms))] <- rows$estimate
  table
}

#' @rdname rsa_regression
#' @export
augment.repalign_regression <- function(x, ...) {
  no_other_arguments(...)
  known <- need_kept(x, "observed", "rsa_regression()")
  subjects <- if (!is.null(attr(x, "subjects"))) colnames(known$y)
  shown <- if (is.null(subjects) || is.null(x$subject)) seq_len(ncol(known$y)) else
    which(subjects %in% x$subject)
  pairs <- named_pairs_of(known$n, known$labels)
  rows <- lapply(shown, function(s) {
    own <- data.frame(pairs, response = known$y[, s], known$x, .fitted = known$fitted[, s],
                      .resid = known$y[, s] - known$fitted[, s], check.names = FALSE)
    names(own)[3] <- attr(x, "response")
    if (is.null(subjects)) own else cbind(subject = subjects[s], own)
  })
  do.call(rbind, rows)
}

#' @rdname rsa_regression
#' @param parm names or numbers of predictors; by default all.
#' @param level coverage of the intervals.
#' @export
confint.repalign_regression <- function(object, parm, level = 0.95, ...) {
  no_other_arguments(...)
  level <- check_number(level, "level", above = 0, below = 1)
  need_kept(object, "model", "rsa_regression()", "object")
  group <- attr(object, "group")
  group <- group[group$term %in% object$term, , drop = FALSE]
  warn_untested_terms(group)
  named_limits(student_limits(group$tested, group$se, group$df, level), group$term, level, parm)
}

#' @rdname rsa_regression
#' @export
glance.repalign_regression <- function(x, ...) {
  no_other_arguments(...)
  need_kept(x, "model", "rsa_regression()")
}

#' @rdname rsa_regression
#' @export
summary.repalign_regression <- function(object, ...) {
  no_other_arguments(...)
  need_kept(object, "model", "rsa_regression()", "object")
  group <- attr(object, "group")
  warn_untested_terms(group)
  new_result(group, "repalign_regression_group", list())
}

# Of a table of the group: the terms that have a test over conditions but none over blocks or
# subjects.
warn_untested_terms <- function(group) {
  lost <- group[is.na(group$p_value) & !is.na(group$p_conditions), ]
  if (!nrow(lost)) return(invisible())
  reason <- if (lost$deleted[1] %in% c("1 block", "2 blocks")) {
    paste0("`blocks` (with `leave_out`) leave ", lost$deleted[1], " that may be independent, and ",
           "errors need at least ", least_units, ". p_conditions is about these conditions alone")
  } else if (grepl("block", lost$deleted[1])) {
    paste("within blocks, or within those that are left without one of them, too little is left to",
          "estimate the coefficient, or it is the same without any block")
  } else {
    paste("without some condition, too few pairs are left to estimate the coefficient, or it is",
          "the same without any")
  }
  warn("undefined", "p_value is undefined (NA) for {enumerate(lost$term)}: {reason}.",
       data = lost$term)
}
