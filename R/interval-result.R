# The result of score_interval() is put together here: standard errors, intervals, and what is kept
# beside the rows.

# fixed: the rows whose y has units that are all there are.
interval_result <- function(task, columns, factors, fixed) {
  scores <- matrix(task$scores, ncol = length(task$set), byrow = TRUE)
  plain <- similarity_result(task$pairs, task$sides, task$set, scores)
  kept <- kept_beside_rows(plain)[c("direction", "best")]
  rows <- as.data.frame(plain)
  ways <- lapply(task$set, way_of, task$settings$method)
  words <- rep(vapply(ways, function(way) way$method, ""), nrow(task$pairs))
  rows$over <- over_words(task)
  call <- deletions_of_call(task, rows, columns, factors, words)
  parts <- parts_of_call(call, seq_len(nrow(rows)))
  errors <- contrast_errors(parts, diag(nrow(rows)))
  constant <- does_not_vary(rows$score, errors$se, task$set)
  errors$se[constant] <- NA
  call$rows$se <- errors$se
  call$rows$fixed <- seq_along(errors$se) %in% fixed
  call$scales <- interval_scales(task, rows$score, errors$se, columns, length(factors) > 0)
  limits <- limits_of(call$scales, errors$df, task$settings$conf_level)
  n <- rows$n
  rows$n <- rows$over <- NULL
  limits <- unname(limits)
  result <- cbind(rows, se = errors$se, df = errors$df, conf_low = limits[, 1],
                  conf_high = limits[, 2], method = words, over = over_words(task), n = n)
  warn_no_errors(result, constant, factors)
  warn_infinite_errors(result)
  kept <- c(list(conf_level = task$settings$conf_level, deletions = list(call)), kept)
  structure(with_kept(result, kept), class = c("repalign_score_interval", "data.frame"))
}

deletions_of_call <- function(task, rows, columns, factors, words) {
  half <- words == "half-samples"
  units <- units_of(task$n, task$codes)
  stimuli <- matrix(NA_real_, units, length(columns))
  if (any(!half)) stimuli[, !half] <- vapply(columns[!half], deviations_of, numeric(units))
  halves <- NULL
  if (any(half)) {
    halves <- matrix(NA_real_, task$settings$resamples, length(columns))
    halves[, half] <- vapply(columns[half], deviations_of, numeric(nrow(halves)))
  }
  list(rows = data.frame(key = score_keys(rows), score = rows$score), n = task$n, units = units,
       names = if (is.null(task$codes)) names_of_stimuli(task$sides), stimuli = stimuli,
       halves = halves, methods = words, clustered = !is.null(task$codes), factors = factors)
}

names_of_stimuli <- function(sides) {
  named <- Find(function(repr) repr$kind == "data" && !is.null(rownames(repr$data)),
                all_representations(sides))
  if (!is.null(named)) rownames(named$data)
}

# A score of identical representations does not vary, whatever the stimuli: there is no error.
# Near it, distances that are functions of a cosine have the root of its rounding.
does_not_vary <- function(score, se, set) {
  none <- !is.na(se) & se <= tie_share * pmax(abs(score), 1)
  at_bound <- mapply(function(measure, score) {
    cosine <- errors_of(measure)$cosine
    !is.null(cosine) && isTRUE(abs(cosine$of(score)) > 1 - tie_share)
  }, rep(set, length.out = length(score)), score)
  !is.na(score) & (none | at_bound)
}

over_words <- function(task) {
  what <- if (is.null(task$codes)) "stimuli" else "clusters"
  neurons <- names(which(task$settings$neurons))
  paste(c(what, if (length(neurons)) paste0("neurons_", neurons),
          if (task$settings$subjects) "subjects"), collapse = " + ")
}

# The scale of each interval, see limits_of(). several: are there other samples than the stimuli?
interval_scales <- function(task, score, se, columns, several) {
  measures <- rep(task$set, length.out = length(score))
  scales <- Map(function(measure, score, se, column) {
    own <- if (!several && !is.na(se)) column$spread else NA_real_
    interval_scale(measure, score, se, own, task$settings$transform)
  }, measures, score, se, columns)
  do.call(rbind, unname(scales))
}

# own: the standard error of Fisher's z from the deletions, or NA.
interval_scale <- function(measure, score, se, own, transform) {
  errors <- errors_of(measure)
  refuse_transform(measure, errors, transform)
  way <- if (transform == "auto") transform_of(measure, errors) else transform
  cosine <- errors$cosine
  point <- if (is.null(cosine)) score else cosine$of(score)
  spread <- if (is.null(cosine)) se else se / abs(cosine$slope(point))
  # there is no z of a score beyond 1, as corrections may give
  z <- way == "z" && isTRUE(abs(point) < 1)
  if (z) {
    spread <- if (is.na(own)) spread / (1 - point^2) else own
    point <- atanh(point)
  }
  back <- if (is.null(cosine)) { if (z) "z" else "plain" } else
    paste0(cosine$back, if (!z) " plain")
  data.frame(point = point, spread = spread, back = back)
}

refuse_transform <- function(measure, errors, asked) {
  if (asked != "z") return(invisible())
  range <- range_of(measure$declaration, measure$args)
  bounded <- range[1] >= -1 && range[2] <= 1
  if (bounded || !is.null(errors$cosine)) return(invisible())
  abort("transform = \"z\" needs scores between -1 and 1, which those of ",
        dQuote(measure$label, FALSE), " need not be: use \"auto\" or \"none\".",
        class = "repalign_error_choice", arg = "transform")
}

# constant: does the score not vary at all? factors: the samples beside the stimuli.
warn_no_errors <- function(result, constant, factors) {
  lost <- which(is.na(result$se) & !is.na(result$score))
  if (!length(lost)) return(invisible())
  first <- result[lost[1], ]
  warn("No standard error (NA) of ", length(lost), " of ", count_of(nrow(result), "score"),
       ". First, ", first$measure, " of ", dQuote(first$x, FALSE), " and ",
       dQuote(first$y, FALSE), ": ",
       if (constant[lost[1]]) {
         paste0("its score (", format(first$score, digits = 4), ") does not vary with what was ",
                "sampled, as that of identical data, or of too many neighbours.")
       } else {
         undefined_without(lost[1], factors)
       }, class = "repalign_undefined", data = lost)
}

# Why a row has no standard error although its score varies.
undefined_without <- function(row, factors) {
  single <- Find(function(factor) row %in% factor$rows && factor$size == 1, factors)
  if (is.null(single)) {
    return("it is undefined without some of what was sampled: there is too little of it.")
  }
  paste0("errors over ", single$name, " need at least 2 neurons with different labels, but there ",
         "is only one neuron or label. Give more, or leave these neurons out of `over`.")
}

# The square of a deviation may be more than a double holds where the score itself is not.
warn_infinite_errors <- function(result) {
  large <- which(is.infinite(result$se))
  if (!length(large)) return(invisible())
  first <- result[large[1], ]
  warn("The standard error of ", length(large), " of ", count_of(nrow(result), "score"),
       " is too large for a double (Inf). First, ", first$measure, " of ", dQuote(first$x, FALSE),
       " and ", dQuote(first$y, FALSE), ": let the measure return smaller numbers.",
       class = "repalign_undefined", data = large)
}
