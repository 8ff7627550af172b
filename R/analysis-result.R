# What the analyses return: a data frame with a plot.

# cells: lists with names, neurons, estimator, single (draws x 3), deletions
# ((n + 1) x 3 or NULL), exchangeable. One row each.
analysis_result <- function(cells, setup, analysis) {
  rows <- lapply(cells, function(cell) {
    pooled <- pooled_cell(cell)
    cell_row(cell$names[1], cell$names[2], cell$neurons, cell$estimator, cell$single, pooled,
             if (is.null(cell$se)) deletion_se(pool_deletions(cell)) else cell$se,
             setup$conf_level)
  })
  result <- do.call(rbind, rows)
  attr(result, "analysis") <- analysis
  attr(result, "combined") <- combined_rows(cells, setup)
  class(result) <- c("repalign_analysis", "data.frame")
  result
}

pooled_cell <- function(cell) {
  pooled <- pooled_h(cell$single)
  if (cell$exchangeable) pooled <- pool_sides(matrix(pooled, 1))[1, ]
  pooled
}

pool_deletions <- function(cell) {
  if (is.null(cell$deletions)) return(NULL)
  if (cell$exchangeable) pool_sides(cell$deletions) else cell$deletions
}

# All comparisons pooled, per number of neurons and estimator: H values are averaged
# over the comparisons, and their deletions too (they delete the same stimuli).
combined_rows <- function(cells, setup) {
  key <- vapply(cells, function(cell) paste(cell$neurons, cell$estimator), "")
  rows <- lapply(unique(key), function(k) {
    group <- cells[key == k]
    pooled <- vapply(group, pooled_cell, numeric(3))
    complete <- !is.na(colSums(pooled))
    single <- do.call(rbind, lapply(group, function(cell) cell$single))
    cell_row("(all)", "(all)", group[[1]]$neurons, group[[1]]$estimator, single,
             rowMeans(pooled[, complete, drop = FALSE]),
             combined_se(group[complete]), setup$conf_level)
  })
  do.call(rbind, rows)
}

combined_se <- function(group) {
  if (!length(group) || is.null(group[[1]]$deletions)) return(NA_real_)
  sizes <- vapply(group, function(cell) nrow(cell$deletions), 0L)
  # comparisons of different stimuli (object categories) do not delete in common
  if (length(unique(sizes)) > 1 || isTRUE(group[[1]]$own_stimuli)) return(NA_real_)
  deletion_se(Reduce(`+`, lapply(group, pool_deletions)) / length(group))
}

analysis_titles <- c(
  brain_to_brain = "Brain-to-brain similarity", trial_to_trial = "Trial-to-trial similarity",
  brain_to_model = "Brain-to-model similarity", object_disentanglement = "Object disentanglement"
)

#' @export
print.repalign_analysis <- function(x, ...) {
  title <- analysis_titles[attr(x, "analysis")]
  if (length(title)) cat(title, ": ", nrow(x), " rows\n", sep = "")
  print.data.frame(x, ...)
  left_out <- attr(x, "left_out")
  if (!is.null(left_out)) cat(left_out, "\n", sep = "")
  invisible(x)
}

#' Summarise an analysis over its comparisons
#'
#' @param object what [brain_to_brain()] or another analysis returned.
#' @param ... unused.
#' @return A data frame with the columns of the analysis and a row per number of
#'   neurons and estimator, in which the H values of all comparisons are averaged
#'   before the ratio is taken (`x` and `y` read "(all)"). Standard errors are `NA`
#'   where the comparisons do not share their stimuli.
#' @examples
#' set.seed(1)
#' pop <- linear_population(n = 60, q = 24, d = 20)
#' sessions <- rep(1:4, 6)
#' by_session <- brain_to_brain(pop$x, split = sessions, neurons = 6)
#' nrow(by_session)
#' summary(by_session)
#' @export
summary.repalign_analysis <- function(object, ...) {
  combined <- attr(object, "combined")
  if (is.null(combined)) {
    abort("This is only a part of an analysis: summarise the whole.",
          class = "repalign_error_type", arg = "object")
  }
  combined
}

#' @export
tidy.repalign_analysis <- function(x, ...) {
  plain <- as.data.frame(x)
  data.frame(
    x = plain$x, y = plain$y, neurons = plain$neurons, term = plain$estimator,
    estimate = plain$pooled, std.error = plain$pooled_se, conf.low = plain$conf_low,
    conf.high = plain$conf_high
  )
}

#' @export
glance.repalign_analysis <- function(x, ...) {
  plain <- as.data.frame(x)
  data.frame(
    analysis = or_na(attr(x, "analysis")), comparisons = nrow(unique(plain[c("x", "y")])),
    neurons_min = min(plain$neurons), neurons_max = max(plain$neurons),
    n_estimates = sum(plain$n_estimates), undefined = sum(plain$undefined)
  )
}

or_na <- function(value) if (is.null(value)) NA_character_ else value

#' @export
as.data.frame.repalign_analysis <- function(x, ...) {
  class(x) <- "data.frame"
  attr(x, "analysis") <- attr(x, "combined") <- attr(x, "left_out") <- NULL
  x
}

# Part of the rows is not the analysis any more: its combined rows no longer belong.
#' @export
`[.repalign_analysis` <- function(x, ...) {
  part <- NextMethod()
  if (is.data.frame(part)) {
    attr(part, "analysis") <- attr(x, "analysis")
    if (nrow(part) != nrow(x)) attr(part, "combined") <- NULL
  }
  part
}
