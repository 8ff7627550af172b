# The result of evaluate_models() is printed, tidied, and made ready for compare_scores() here.

#' @rdname tidy.repalign
#' @export
print.repalign_evaluation <- function(x, digits = 4, n = NULL, ...) {
  check_printing(digits, n, ...)
  cat("Models of RDMs: ", count_of(nrow(x), "model"), undefined_of(x$score), "\n", sep = "")
  sizes <- attr(x, "sizes")
  if (!is.null(sizes)) {
    cat(attr(x, "outer"), ", ", evaluated_data(x), ", ", sizes[["condition"]], " stimuli",
        evaluation_folds(attr(x, "folds")), "\n", sep = "")
    cat(if (!has_errors(x)) "no ", "errors over ", evaluation_over(x), "\n", sep = "")
  }
  if (!is.null(x$ceiling_low) && nrow(x)) {
    cat("noise ceiling: ", format(x$ceiling_low[1], digits = digits), " to ",
        format(x$ceiling_high[1], digits = digits), "\n", sep = "")
  }
  print_rows(x, digits, n)
  invisible(x)
}

# "8 RDMs in 4 groups", or "8 RDMs" where each is a group.
evaluated_data <- function(x) {
  groups <- attr(x, "sizes")[["rdm"]]
  rdms <- ncol(attr(x, "pictures")$data)
  paste0(count_of(rdms, "RDM"), if (groups < rdms) paste(" in", count_of(groups, "group")))
}

evaluation_folds <- function(folds) {
  if (is.null(folds)) return("")
  if (!is.null(folds$given)) return(paste0(", ", count_of(length(folds$given), "given fold")))
  paste0(", cross-validated (", folds$rdm, " x ", folds$condition, " folds, ",
         count_of(folds$repeats, "repeat"), ")")
}

has_errors <- function(x) is.null(x$se) || !all(is.na(x$se))

# What was drawn, in words.
evaluation_over <- function(x) {
  factors <- attr(x, "resample")
  if (!length(factors)) return("RDMs, without resampling")
  paste(c(rdm = "RDMs", condition = "stimuli")[factors], collapse = " and ")
}

#' @export
`[.repalign_evaluation` <- function(x, ...) part_of(NextMethod(), x)

#' @rdname tidy.repalign
#' @export
as.data.frame.repalign_evaluation <- function(x, ...) plain_rows(x)

#' @rdname tidy.repalign
#' @export
tidy.repalign_evaluation <- function(x, ...) {
  rows <- as.data.frame(x)
  new <- c(model = "term", score = "estimate", se = "std.error", conf_low = "conf.low",
           conf_high = "conf.high", p_zero = "p.value")
  need_columns(rows, names(new), "tidied")
  names(rows)[match(names(new), names(rows))] <- new
  rows
}

#' @rdname tidy.repalign
#' @export
glance.repalign_evaluation <- function(x, ...) {
  rows <- need_columns(as.data.frame(x), c("score", "ceiling_low", "ceiling_high", "draws"),
                       "summarised")
  sizes <- attr(x, "sizes")
  data.frame(models = nrow(rows), groups = sizes[["rdm"]], stimuli = sizes[["condition"]],
             outer = attr(x, "outer"), ceiling_low = rows$ceiling_low[1],
             ceiling_high = rows$ceiling_high[1], draws = rows$draws[1],
             conf_level = attr(x, "conf_level"), undefined = sum(is.na(rows$score)))
}

#' @rdname evaluate_models
#' @param object what `evaluate_models()` returned, or some of its rows.
#' @param parm numbers of rows, or names of models; by default all.
#' @param level coverage of `confint()`, between 0 and 1; by default `conf_level`.
#' @param ... unused.
#' @export
confint.repalign_evaluation <- function(object, parm, level = NULL, ...) {
  no_other_arguments(...)
  rows <- need_columns(as.data.frame(object), c("model", "score", "se", "df"), "used")
  level <- check_number(if (is.null(level)) attr(object, "conf_level") else level, "level",
                        above = 0, below = 1)
  half <- stats::qt(0.5 + level / 2, rows$df) * rows$se
  named_limits(cbind(rows$score - half, rows$score + half), rows$model, level, parm)
}

#' @rdname evaluate_models
#' @export
vcov.repalign_evaluation <- function(object, ...) {
  no_other_arguments(...)
  total <- total_covariance(evaluation_rows(object)$parts)
  dimnames(total) <- list(object$model, object$model)
  total
}

# The rows that are left of a result, and the parts of their covariances: list(rows, parts).
evaluation_rows <- function(object) {
  rows <- need_columns(as.data.frame(object), c("model", "score"), "compared", "result")
  parts <- attr(object, "parts")
  at <- match(rows$model, colnames(parts$main[[1]]))
  if (is.null(parts) || anyNA(at) || anyDuplicated(at)) {
    abort("`result` no longer has the models that evaluate_models() compared, each of them once: ",
          "start again from what it returned.", class = "repalign_error_rows", arg = "result")
  }
  parts <- some_parts(parts, at)
  parts$score <- rows$score
  list(rows = rows, parts = parts, at = at)
}

# See compared_scores().
compared_models <- function(result) {
  found <- evaluation_rows(result)
  rows <- found$rows
  if (!nrow(rows)) {
    abort("`result` has no rows: there is nothing to compare. Look at how its rows were chosen.",
          class = "repalign_error_size", arg = "result")
  }
  rows$over <- evaluation_over(result)
  rows$measure <- rep(attr(result, "outer"), nrow(rows))
  list(score = rows$score, title = rows$model, measure = rows$measure, sign = rep(1, nrow(rows)),
       parts = found$parts, total = total_covariance(found$parts),
       level = attr(result, "conf_level"), order = order(found$at), rows = rows, halves = FALSE)
}
