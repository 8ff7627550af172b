# The numbers of a calibration: aggregates of grids, thresholds, calibrated scores; what bound
# calibrations must agree in; and the null scores that are kept beside the rows.

# ---- aggregate

# Aggregates turn a whole grid of scores into one value.

#' Mean of the k largest scores of a grid
#'
#' For the argument `aggregate` of [calibrate()]: the mean score of the k most similar pairs of
#' layers.
#'
#' @param k number of scores to average, or all if there are fewer.
#' @param ... not used.
#' @return A function that takes a matrix of scores and returns one number.
#' @examples
#' top_k_mean(3)(matrix(1:6, 2))
#' @export
top_k_mean <- function(k, ...) {
  need_arguments()
  k <- check_count(k, "k")
  structure(function(scores) mean(utils::head(sort(scores, decreasing = TRUE), k)),
            aggregate = paste0("top_k_mean(", k, ")"))
}

aggregates <- c("max", "mean", "row_max", "col_max")

# Returns NULL, or list(name, combine, bounded, own). combine(values, rows, columns) aggregates
# every row of `values`, which is one grid: the observed scores or those of one permutation. `rows`
# and `columns` are factors whose levels are the layers; they say which entry of the grid a column
# of `values` is. The scores are oriented so that larger is more similar. `bounded` says whether the
# best value of the measure is also the best value of the aggregate. Only functions have `own`,
# which tells one function of the user from another.
as_aggregate <- function(aggregate) {
  if (is.null(aggregate)) return(NULL)
  if (!is.function(aggregate)) {
    refuse_if(!is.character(aggregate), "value", "`aggregate` must be {enumerate(aggregates)}, or ",
              "a function of a matrix of scores, not {describe(aggregate)}.")
    name <- check_choice(aggregate, aggregates, "aggregate")
    combine <- switch(name,
      max = function(values, rows, columns) row_maxima(values),
      mean = function(values, rows, columns) rowMeans(values),
      row_max = function(values, rows, columns) mean_of_maxima(values, rows),
      col_max = function(values, rows, columns) mean_of_maxima(values, columns),
      no_branch(name)
    )
    return(list(name = name, combine = combine, bounded = TRUE))
  }
  refuse_if(identical(aggregate, top_k_mean), "value", "`aggregate` is top_k_mean without a ",
            "number: write top_k_mean(3), for example.")
  combine <- function(values, rows, columns) {
    grid <- matrix(NA_real_, nlevels(rows), nlevels(columns),
                   dimnames = list(levels(rows), levels(columns)))
    at <- cbind(as.integer(rows), as.integer(columns))
    apply(values, 1, function(scores) {
      grid[at] <- scores
      value <- aggregate(grid)
      refuse_if(!is.numeric(value) || length(value) != 1 || !is.finite(value), "value",
                "it must return one finite number, not ",
                if (is.numeric(value) && length(value) == 1) format(value) else describe(value),
                ".", arg = "aggregate")
      as.double(value)
    })
  }
  name <- attr(aggregate, "aggregate")
  # top_k_mean() names its functions, and a mean of scores has their best value; the best value of
  # a function of the user is not known
  list(name = if (is.null(name)) "function" else name, combine = combine,
       bounded = !is.null(name), own = c(name, deparse(aggregate)))
}

row_maxima <- function(values) do.call(pmax, lapply(seq_len(ncol(values)), function(j) values[, j]))

mean_of_maxima <- function(values, group) {
  maxima <- lapply(split(seq_along(group), group), function(columns) {
    row_maxima(values[, columns, drop = FALSE])
  })
  Reduce(`+`, maxima) / length(maxima)
}

first_and_count <- function(texts) {
  paste0(texts[1], if (length(texts) > 1) paste0(" (And ", length(texts) - 1, " more like this.)"))
}

# ---- calibration bind

# Calibrations that are bound together must agree in their settings, and keep their null scores.

# A column of the bound table must have the same meaning in all of its rows.
same_settings <- function(settings) {
  for (part in settings) settings_of(structure(list(), settings = part))
  meaning <- c(alpha = "`threshold` and `calibrated`", variant = "`calibrated`",
               aggregate = "`score`", p_adjust = "`p_adjusted`")
  refuse_if(length(unique(lapply(settings, function(s) s$own))) > 1, "value",
            "Calibrations with different functions in `aggregate` cannot be put into one table, ",
            "because `score` would mean different things: bind as.data.frame() of each.")
  for (name in names(meaning)) {
    values <- unique(lapply(settings, function(s) if (is.null(s[[name]])) "none" else s[[name]]))
    if (length(values) < 2) next
    refuse("value", "Calibrations with different `{name}` ({values[[1]]} and {values[[2]]}) ",
           "cannot be put into one table, because {meaning[[name]]} would mean different things. ",
           "Use the same `{name}`, or bind as.data.frame() of each.")
  }
  settings[[1]]
}

# ---- calibration numbers

# These functions compute the numbers in a row of a calibration: the threshold, the calibrated
# score, and the mean and the standard deviation of the null scores.

# The ceil((1 - alpha)(K + 1))-th smallest among the observed score `s` and its K null scores. All
# are oriented so that larger is more similar.
null_threshold <- function(s, null, alpha) {
  all <- c(s, null)
  # without the 1e-9, rounding could raise a whole number to the next one
  rank <- ceiling((1 - alpha) * length(all) - 1e-9)
  sort(all, partial = rank)[rank]
}

# s: the observed score; tau: its threshold; mean, sd: of the null scores; best: the best possible
# score. All are in the units of the measure; `orientation` is 1 for similarities and -1 for
# distances.
calibrated_score <- function(s, tau, mean, sd, best, orientation, variant) {
  if (is.na(s)) return(NA_real_)
  s <- orientation * s
  tau <- orientation * tau
  mean <- orientation * mean
  best <- orientation * best
  switch(variant,
    gated = if (is.na(best)) max(s - tau, 0) else
      if (best - tau <= 0) 0 else max((s - tau) / (best - tau), 0),
    centered = s - mean,
    z = if (is.na(sd)) NA_real_ else if (sd > 0) (s - mean) / sd else 0,
    ari = if (is.na(best)) NA_real_ else if (best - mean > 0) (s - mean) / (best - mean) else 0,
    no_branch(variant)
  )
}

# The numbers of one row, from its observed score `s` and its null scores (for table_of_rows()).
calibrated_row <- function(s, null, p_value, measure, settings, best = measure$limit) {
  sgn <- measure$sign
  if (is.na(s) || anyNA(null)) return(undefined_row(s, null))
  tau <- sgn * null_threshold(sgn * s, sgn * null, settings$alpha)
  mean <- mean(null)
  sd <- spread_of(null)
  list(score = s, threshold = tau,
       calibrated = calibrated_score(s, tau, mean, sd, best, sgn, settings$variant),
       p_value = p_value, null_mean = mean, null_sd = sd, permutations = length(null))
}

# The standard deviation. The values are scaled before, so that no square overflows or underflows.
spread_of <- function(values) {
  largest <- max(abs(values), 0)
  if (largest == 0) return(stats::sd(values))
  unit <- power_of_two_below(largest)
  stats::sd(values * unit) / unit
}

undefined_row <- function(s, null) {
  list(score = s, threshold = NA_real_, calibrated = NA_real_, p_value = NA_real_,
       null_mean = NA_real_, null_sd = NA_real_, permutations = length(null))
}

# ---- null scores of the rows

#' @rdname calibrate
#' @param calibration what `calibrate()` returned, some of its rows, or several put together by
#'   [rbind()][rbind.repalign] or `dplyr::bind_rows()`, with their values unchanged.
#' @export
null_scores <- function(calibration, ...) {
  need_arguments()
  refuse_if(!inherits(calibration, "repalign_calibration"), "type", "`calibration` must be what ",
            "calibrate() returned, not {describe(calibration)}.",
            if (is.data.frame(calibration)) " (Plain data frames have no null scores.)")
  null <- null_scores_of_rows(calibration)
  refuse_if(!all(vapply(null, is.numeric, NA)), "null", "engine = \"moments\" draws no null ",
            "scores: use another engine.", arg = "calibration")
  most <- max(lengths(null), 0)
  result <- vapply(null, function(scores) c(scores, rep(NA_real_, most - length(scores))),
                   double(most))
  # Null scores have the names of their rows. Where an aggregate belongs to no pair of layers, the
  # name of the aggregate stands in their place.
  named <- row_names_of(calibration, " | ")
  unpaired <- which(is.na(calibration$x) & is.na(calibration$y))
  rows <- calibration[unpaired, , drop = FALSE]
  models <- if (is.null(rows$model_x)) NULL else paste0(rows$model_x, " | ", rows$model_y, " | ")
  named[unpaired] <- paste0(models, attr(calibration, "settings")$aggregate, " | ", rows$measure)
  matrix(result, most, length(null), dimnames = list(NULL, named))
}

# The columns whose numbers tell to which row null scores belong.
identity_numbers <- c("score", "null_mean", "null_sd", "permutations")

# Null scores are found by the names of a row and by all digits of its numbers, never by its place:
# rows that were reordered, changed or bound to others get their own null scores or none.
null_scores_of_rows <- function(calibration) {
  settings_of(calibration)
  kept <- attr(calibration, "null_scores")
  need_columns(calibration, c("x", "y", "measure"), "looked up")
  columns <- intersect(identity_numbers, intersect(names(kept$numbers), names(calibration)))
  known <- row_identity(kept$key, kept$numbers[columns])
  wanted <- row_identity(row_names_of(calibration), unclass(calibration)[columns])
  at <- match(wanted, known)
  refuse_if(anyNA(at), "rows", "`calibration` has rows whose null scores are not known, first row ",
            "{which(is.na(at))[1]}: take rows of what calibrate() returned, with their names and ",
            "numbers as they were, and put several together with rbind() or dplyr::bind_rows().")
  twice <- which(wanted %in% known[duplicated(known)])
  refuse_if(length(twice), "rows", "`calibration` has two calibrations of ",
            quoted(row_title(calibration[twice[1], ])), " that cannot be told apart: keep ",
            "the columns score, null_mean and null_sd, or take the rows of one calibration.")
  kept$null[at]
}

row_identity <- function(key, numbers) {
  # %a writes all digits; adding 0 makes -0 and 0 the same
  exact <- lapply(unname(numbers), function(values) sprintf("%a", as.double(values) + 0))
  do.call(paste, c(list(key), exact, sep = "\r"))
}

null_scores_at <- function(known, at) {
  list(key = known$key[at], null = known$null[at],
       numbers = lapply(known$numbers, function(values) values[at]))
}

# One name for each row, made of its names of models, layers and measures. The default separator
# does not occur in names, so that different rows never get the same name.
row_names_of <- function(rows, separator = "\r") {
  parts <- intersect(c("model_x", "x", "model_y", "y", "measure"), names(rows))
  do.call(paste, c(lapply(parts, function(part) as.character(rows[[part]])), sep = separator))
}

# The name of a row for messages. An aggregate that belongs to no pair of layers has NA for the
# names of the layers, which are left out.
row_title <- function(row) {
  parts <- intersect(c("model_x", "x", "model_y", "y", "measure"), names(row))
  paste(stats::na.omit(unlist(lapply(row[parts], as.character))), collapse = " | ")
}
