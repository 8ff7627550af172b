# score_interval() gives scores of any measure with standard errors and intervals.
#
# Its result is a data frame of the class "repalign_score_interval" with a row for each score and
# the columns (model_x, model_y,) x, y, measure, score, se, df, conf_low, conf_high, method, over, n.
# Beside the rows it keeps the attributes
#
# conf_level   coverage of the intervals
# deletions    how the scores vary with what was sampled, by which the errors of differences are
#              known: interval-parts.R says what is in it, and has the functions that read it.
#              interval_parts(result) gives the parts of the covariances of the rows, and
#              contrast_errors(parts, weights) the standard error and the degrees of freedom of any
#              contrasts of them
# direction, best   of the measures, as for similarity()

#' Scores with standard errors and intervals
#'
#' TODO
#' @param x,y see [similarity()].
#' @param measure,over,method,resamples,transform,model_units,units_x,units_y,conf_level,clusters,threads
#'   TODO
#' @return TODO

#' @export
score_interval <- function(x, y = NULL, measure = "cka", over = "stimuli", method = "auto",
                           resamples = 200, transform = "auto", model_units = "fixed",
                           units_x = NULL, units_y = NULL, conf_level = 0.95, clusters = NULL,
                           threads = NULL) {
  need_arguments()
  set <- as_measures(measure)
  settings <- interval_settings(over, method, resamples, transform, model_units, units_x,
                                units_y, conf_level)
  old <- options(repalign.threads = thread_count(threads))
  on.exit(options(old))
  usable <- weighable_sides(x, y, set, clusters)
  task <- list(sides = usable$sides, set = usable$set, codes = usable$clusters,
               settings = settings, n = usable$sides$x$reprs[[1]]$n)
  check_interval_task(task, y)
  set_largest_k(task$set, c(task$sides$x$reprs, task$sides$y$reprs))
  choices <- begin_choices(all_representations(task$sides))
  on.exit(end_choices(choices), add = TRUE)
  task$pairs <- list_pairs(task$sides, FALSE)
  check_grid_memory(task$set, task$sides)
  task$scores <- as.vector(t(score_grid(task$pairs, task$sides, task$set, "stop", threads)))
  score_interval_of(task)
}

interval_methods <- c("auto", "jackknife", "influence", "smoothed", "half-samples")

interval_samples <- c("stimuli", "neurons_x", "neurons_y", "subjects")

interval_settings <- function(over, method, resamples, transform, model_units, units_x, units_y,
                              conf_level) {
  over <- check_choice(over, interval_samples, "over", several = TRUE)
  method <- check_choice(method, interval_methods, "method")
  model_units <- check_choice(model_units, c("fixed", "sampled"), "model_units")
  neurons <- c(x = "neurons_x" %in% over, y = "neurons_y" %in% over)
  if (neurons[["x"]] && model_units == "sampled") neurons[["y"]] <- TRUE
  if ("subjects" %in% over && any(neurons)) {
    abort("`over` has \"subjects\" and neurons: neurons are part of their subject, whose ",
          "differences hold theirs. Leave out \"neurons_x\" and \"neurons_y\".",
          class = "repalign_error_choice", arg = "over")
  }
  check_unit_choice(FALSE, units_x, units_y)
  list(method = method, resamples = check_count(resamples, "resamples", least = 20),
       transform = check_choice(transform, c("auto", "z", "none"), "transform"),
       neurons = neurons, subjects = "subjects" %in% over, units = list(x = units_x, y = units_y),
       conf_level = check_number(conf_level, "conf_level", above = 0, below = 1))
}

# The sides and measures of a call, without stimuli that have no cluster: list(sides, set, clusters,
# rows). Clusters are those of the call, of responses() objects or of the measures, and every measure
# that can leave out pairs within clusters does so.
weighable_sides <- function(x, y, set, clusters) {
  sides <- as_sides(x, y)
  declared <- declared_sides(sides, settled_set(set, sides), clusters)
  own <- lapply(declared$set, function(measure) measure$args$clusters)
  codes <- unique(c(Filter(Negate(is.null), own),
                    if (!is.null(declared$clusters)) list(cluster_codes(declared$clusters))))
  if (length(codes) > 1) {
    abort("`clusters` differ between the measures and the call: give the same labels to all, or ",
          "to the call alone.", class = "repalign_error_choice", arg = "clusters")
  }
  codes <- if (length(codes)) codes[[1]]
  set <- lapply(declared$set, function(measure) {
    if (!is.null(codes) && takes_clusters(measure)) measure$args$clusters <- codes
    measure
  })
  complete <- clustered_sides(complete_sides(declared$sides, set, "error"), codes)
  refuse_holes(all_representations(complete$sides), complete$set)
  complete
}

check_interval_task <- function(task, y) {
  first <- task$sides$x$reprs[[1]]
  check_rows(task$n, 5, first$arg, "an interval")
  check_clusters(task$codes, task$n, first$arg, 5, "an interval")
  for (side in names(which(task$settings$neurons))) {
    for (repr in task$sides[[side]]$reprs) need_kind(repr, "data", "an error over neurons")
  }
  if (!task$settings$subjects) return(invisible())
  if (is.null(y) || task$sides$x$is_models || length(task$sides$x$reprs) < 2) {
    abort("For over = \"subjects\", `x` must be a list of the data of two or more subjects, and ",
          "`y` what all of them are compared with.", class = "repalign_error_type", arg = "x")
  }
}

score_interval_of <- function(task) {
  tables <- neuron_tables(task)
  columns <- stimulus_columns(task, tables)
  factors <- lapply(if (any(task$settings$neurons)) neuron_samples(task), neuron_factor, task,
                    columns, tables)
  fixed <- which(vapply(tables, function(table) isTRUE(table$fixed), NA))
  for (row in fixed) task$scores[row] <- columns[[row]]$value
  if (task$settings$subjects) {
    pooled <- pool_subjects(task, columns)
    columns <- pooled$columns
    factors <- pooled$factors
    task[c("pairs", "scores")] <- pooled[c("pairs", "scores")]
    task$sides$x$reprs[[1]]$name <- paste("mean of", pooled$subjects, "subjects")
  }
  warn_dependence(known_data(task$sides), task$codes)
  interval_result(task, columns, factors)
}

known_data <- function(sides) {
  reprs <- Filter(function(repr) repr$kind == "data", all_representations(sides))
  if (!length(reprs)) return(list(matrix(0, 2, 1)))
  lapply(reprs, function(repr) known_columns(repr$data))
}

interval_result <- function(task, columns, factors) {
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
  constant <- is_at_bound(rows$score, errors$se)
  errors$se[constant] <- NA
  call$rows$se <- errors$se
  call$scales <- interval_scales(task, rows$score, errors$se, columns, length(factors) > 0)
  limits <- limits_of(call$scales, errors$df, task$settings$conf_level)
  n <- rows$n
  rows$n <- rows$over <- NULL
  rownames(limits) <- NULL
  result <- cbind(rows, se = errors$se, df = errors$df, conf_low = limits[, "low"],
                  conf_high = limits[, "high"], method = words, over = over_words(task), n = n)
  warn_no_errors(result, constant)
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
is_at_bound <- function(score, se) {
  !is.na(score) & !is.na(se) & se <= tie_share * pmax(abs(score), 1)
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

# constant: does the score not vary at all?
warn_no_errors <- function(result, constant) {
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
         "it is undefined without some of what was sampled: there is too little of it."
       }, class = "repalign_undefined", data = lost)
}
