# The analyses return a data frame of one class, which is made, printed and summarised here.

#' @include result-class.R
NULL

analysis_columns <- described_columns(
  column("x", "the name of the first side", key = TRUE),
  column("y", "the name of the second side", key = TRUE),
  column("neurons", "how many neurons of each side are compared", key = TRUE),
  column("estimator", "the estimator of the CKA", key = TRUE, tidy = "term"),
  column("complete", "of which sides the neurons are all that there are", key = TRUE),
  column("pooled", "the ratio of pooled values H", shown = 1, tidy = "estimate"),
  column("pooled_se", "its standard error", tidy = "std.error"),
  column("conf_low", "the lower limit of its interval", shown = 2),
  column("conf_high", "the upper limit of its interval", shown = 3),
  column("ceiling", "the noise ceiling", shown = 4, tidy = NA, always = FALSE),
  column("ceiling_se", "its standard error", tidy = NA, always = FALSE),
  column("disattenuated", "the value without noise", shown = 5, tidy = NA, always = FALSE),
  column("disattenuated_se", "its standard error", tidy = NA, always = FALSE),
  column("mean", "the mean of the single ratios", tidy = NA),
  column("median", "their median", tidy = NA),
  column("q25", "their lower quartile", tidy = NA),
  column("q75", "their upper quartile", tidy = NA),
  column("undefined", "how many of them are undefined", shown = 6, tidy = NA),
  column("n_estimates", "how many of them there are", shown = 7, tidy = NA),
  column("df", "the degrees of freedom of the interval", tidy = NA),
  column("over", "what counts as a sample", tidy = NA)
)

analysis_pages <- c("brain_to_brain", "trial_to_trial", "brain_to_model", "object_disentanglement")

declare_result(
  "repalign_analysis", digits = 3, words = "analyses", columns = analysis_columns,
  from = analysis_pages,
  # results that are bound together keep each analysis as a part, so that summary() can combine its
  # rows and no others
  kept = list(parts = function(values) {
    parts <- unique(unlist(values, recursive = FALSE))
    one_level(unlist(lapply(parts, function(part) part$conf_level)))
    parts
  }, left_out = forgotten),
  heading = function(x, digits) {
    title <- title_of_analysis(analysis_of(x))
    level <- known_level(x)
    c(paste0(if (is.na(title)) "Analyses" else title, ": ", count_of(nrow(x), "row"),
             undefined_of(x$pooled)),
      if (!is.null(level) && all(c("conf_low", "conf_high") %in% names(x))) {
        strwrap(paste0("conf_low to conf_high: ", format(100 * level), "% interval of `pooled`, ",
                       "by the jackknife over ", interval_extents(x)), exdent = 2)
      })
  },
  shown = function(x) without_samples_only(x),
  footing = function(x, digits) {
    # Does the neuron correction take layers as samples of units?
    layers <- any(vapply(parts_of(x), function(part) isTRUE(part$layers), NA))
    words <- if (is.null(x$complete)) rep("none", nrow(x)) else x$complete
    sampled <- layers && any(correct_for("neurons", x$estimator) & words %in% c("none", "x"))
    c(attr(x, "left_out"), if (sampled) sampled_units_note,
      complete_note(if ("both" %in% x$complete) "complete both"))
  },
  sentence = function(x) analysis_sentence(x),
  glance = function(x) {
    need_columns(x, c("x", "y", "neurons", "n_estimates", "undefined"), "summarised")
    size <- if (nrow(x)) range(x$neurons) else c(NA_integer_, NA_integer_)
    list(analysis = analysis_of(x), comparisons = count_pairs(x), neurons_min = size[1],
         neurons_max = size[2], n_estimates = sum(x$n_estimates), undefined = sum(x$undefined))
  }
)

# A summary has the columns of an analysis, and keeps of it what its sentence needs.
declare_result("repalign_summary", from = analysis_pages, digits = 3,
               words = "summaries of analyses", columns = analysis_columns,
               kept = list(conf_level = one_level,
                           over = function(values) if (length(unique(values)) == 1) values[[1]],
                           title = function(values) {
                             values <- unique(unlist(values))
                             if (length(values) == 1) values
                           }), bare = TRUE,
               shown = function(x) without_samples_only(x),
               footing = function(x, digits) words_below(x),
               sentence = function(x) analysis_sentence(x))

# What in_words() tells of an analysis: its most corrected estimator at the largest number of
# neurons, and of several comparisons the one that is most similar.
analysis_sentence <- function(x) {
  need_columns(x, c("x", "y", "neurons", "estimator", "pooled", "n_estimates"), "told", "result")
  facts <- analysis_facts(x)
  rank <- match(x$estimator, names(estimator_names))
  told <- x[rank == max(rank), , drop = FALSE]
  told <- told[told$neurons == max(told$neurons), , drop = FALSE]
  known <- which(!is.na(told$pooled))
  rest <- nrow(x) - nrow(told)
  more <- if (rest) {
    paste0(" (", count_of(rest, "more row"), " of other numbers of neurons or estimators.)")
  }
  name <- estimator_words(told$estimator[1], told$complete[1])
  if (told$x[1] == "brain") {
    name <- sub("neurons of y", "units of the layer", sub("of x", "of the brain", name))
  }
  start <- paste0(facts$title, ": ")
  objects <- identical(facts$title, analyses$object_disentanglement$title)
  if (!length(known)) return(paste0(start, "the pooled ", name, " is undefined (NA).", more))
  best <- known[which.max(told$pooled[known])]
  text <- with_limits_words(told$pooled[best], told$conf_low[best], told$conf_high[best])
  # layers keep all of their units
  whose <- if (told$x[1] == "brain") "neurons of the brain" else "neurons a side"
  details <- c(paste(count_word(told$neurons[best]), whose),
               if (told$n_estimates[best] > 1) {
                 paste("pooled over", count_word(told$n_estimates[best]), "estimates")
               },
               if (!is.null(facts$level)) {
                 interval_phrase(text[-1], facts$level, analysis_facts(told[best, ])$over)
               })
  title <- if (told$x[best] != told$y[best]) paste(told$x[best], "and", told$y[best]) else
    if (told$x[best] == "trial") "two trials" else paste("two halves of", told$x[best])
  result <- if (nrow(told) == 1) {
    of <- if (told$x == "(all)") "all comparisons" else title
    paste0(start, "the ", name, " of ", of, " was ", text[["score"]], brackets(details))
  } else {
    paste0(start, "of ", count_of(nrow(told), "comparison"), ", ", title,
           if (objects) " were the least disentangled" else " were most similar",
           brackets(paste(name, "=", text[["score"]]), details))
  }
  noiseless <- if (isFALSE(is.na(told$ceiling[best]))) {
    paste0("; the noise ceiling was ", number_word(told$ceiling[best]),
           " and the value without noise ", number_word(told$disattenuated[best]))
  }
  paste0(result, noiseless, ".",
         if (!objects) odd_value_words(name, told$pooled[best], told$conf_low[best]),
         undefined_words(told$pooled, "value"), more)
}

# list(title, level, over): of an analysis, from its parts; of a summary, what it keeps.
analysis_facts <- function(x) {
  if (inherits(x, "repalign_summary")) {
    title <- attr(x, "title")
    over <- attr(x, "over")
    return(list(title = if (is.null(title)) "Summary of analyses" else title,
                level = attr(x, "conf_level"),
                over = if (length(over)) {
                  paste(unique(over[intersect(names(over), x$over)]), collapse = ", or over ")
                }))
  }
  title <- title_of_analysis(analysis_of(x))
  level <- unlist(lapply(parts_of(x), function(part) part$conf_level))
  list(title = if (is.na(title)) "Analyses" else title, level = level[1],
       over = if (length(level)) interval_extents(x))
}

# All analyses, by the names of their functions. `combined` says what summary() makes of the
# comparisons: it pools all of them ("pooled"), or takes the most similar one ("best") where they
# are comparisons with different things, such as layers. `over` is what intervals are made over,
# beside neurons where they are sampled, and `fixed` what they hold fixed.
analyses <- list(
  brain_to_brain = list(title = "Brain-to-brain similarity", combined = "pooled",
                        over = "stimuli", fixed = "neurons"),
  trial_to_trial = list(title = "Trial-to-trial similarity", combined = "pooled",
                        over = "stimuli", fixed = "neurons and trials"),
  brain_to_model = list(title = "Brain-to-model similarity", combined = "best",
                        over = "stimuli", fixed = "neurons and layers"),
  object_disentanglement = list(title = "Object disentanglement (high: not disentangled)",
                                combined = "pooled", over = "images",
                                fixed = "neurons and objects")
)

title_of_analysis <- function(name) if (is.na(name)) NA else analyses[[name]]$title

takes_best <- function(name) !is.na(name) && analyses[[name]]$combined == "best"

# Each cell becomes one row. It is a list with the names of both sides, `neurons`, `estimator`,
# `single` (a row for each random subset, with the H values xy, xx and yy in its columns),
# `deletions` (the pooled H values of nothing and of each stimulus deleted, (n + 1) x 3, or NULL) or
# instead its standard error `se`, and `exchangeable` (does it not matter which side comes first?).
analysis_result <- function(cells, setup, analysis) {
  rows <- lapply(cells, function(cell) {
    se <- if (is.null(cell$se)) deletion_se(pool_deletions(cell)) else cell$se
    row <- cell_row(cell$names[1], cell$names[2], cell$neurons, cell$estimator, cell$single,
                    pooled_cell(cell), se, setup, cell$df, cell$complete, cell$sampled)
    if (!isTRUE(setup$ceiling)) return(row)
    parts <- Filter(Negate(is.null), c(list(own = cell), cell[c("clean", "signal")]))
    h <- lapply(parts, function(part) {
      list(value = pooled_cell(part), deletions = pool_deletions(part))
    })
    c(row, ceiling_of_row(row, h$own, h$clean, h$signal))
  })
  result <- table_of_rows(rows)
  pooled <- sum(is.na(result$pooled))
  se <- if (is.null(setup$conf_level)) 0 else sum(is.na(result$pooled_se)) - pooled
  warn_if(pooled > 0 || se > 0, "undefined",
          paste(c(
            if (pooled > 0) paste(pooled, "of", nrow(result), "pooled values are undefined (NA)"),
            if (se > 0) paste(se, "standard errors are undefined (NA)")
          ), collapse = ", and "), ": a denominator of a ratio, or of a delete-one ratio, is ",
          "not positive. There are too few neurons or stimuli.")
  # random halves of one population are alike by construction
  if (!isTRUE(setup$halves)) {
    warn_unstable_rows(result, setup$stimuli, !is.null(setup$conf_level),
                       analysis == "brain_to_model", analysis == "object_disentanglement")
  }
  # the most similar comparison at each number of neurons and for each estimator, or all pooled
  combined <- if (!takes_best(analysis)) {
    # the H values are averaged over the comparisons, and so are their deletions, because all
    # comparisons delete the same stimuli; it does not matter which side of a pair comes first, so
    # the denominators are pooled, too
    key <- vapply(cells, function(cell) paste(cell$neurons, cell$estimator, cell$complete), "")
    rows <- lapply(unique(key), function(k) {
      group <- cells[key == k]
      h <- combined_h(group)
      single <- do.call(rbind, lapply(group, function(cell) cell$single))
      # neurons of one region may be part of several comparisons: their errors are over stimuli
      own <- if (length(group) == 1) group[[1]]
      se <- if (!is.null(own$se)) own$se else deletion_se(h$deletions)
      row <- cell_row("(all)", "(all)", group[[1]]$neurons, group[[1]]$estimator, single, h$value,
                      se, setup, own$df, group[[1]]$complete, own$sampled)
      if (!isTRUE(setup$ceiling)) return(row)
      of_trials <- lapply(c(clean = "clean", signal = "signal"), function(name) {
        known <- Filter(Negate(is.null), lapply(group, function(cell) cell[[name]]))
        if (length(known) == length(group)) combined_h(known)
      })
      c(row, ceiling_of_row(row, h, of_trials$clean, of_trials$signal))
    })
    table_of_rows(rows)
  } else {
    groups <- row_groups(result, c("neurons", "estimator"))
    result[vapply(groups, function(at) at[c(which.max(result$pooled[at]), 1)[1]], 0L), ]
  }
  rownames(combined) <- NULL
  part <- list(analysis = analysis, rows = result[analysis_key], combined = combined,
               conf_level = setup$conf_level, clusters = !is.null(setup$clusters),
               over = unique(result$over),
               by_default = is.null(setup$neurons) && analysis != "object_disentanglement",
               layers = analysis == "brain_to_model")
  new_result(result, "repalign_analysis", list(parts = list(part)))
}

pooled_cell <- function(cell) {
  # the mean H values over all choices of subsets; one with an undefined H value is left out of all
  # three means, so that they remain comparable
  complete <- stats::complete.cases(cell$single)
  pooled <- if (any(complete)) colMeans(cell$single[complete, , drop = FALSE]) else rep(NA_real_, 3)
  if (cell$exchangeable) pooled <- pool_sides(matrix(pooled, 1))[1, ]
  pooled
}

pool_deletions <- function(cell) {
  if (is.null(cell$deletions)) return(NULL)
  if (cell$exchangeable) pool_sides(cell$deletions) else cell$deletions
}

# The H values that are pooled over several cells, and their deletions (NULL where there are none).
combined_h <- function(group) {
  pooled <- t(vapply(group, pooled_cell, numeric(3)))
  complete <- stats::complete.cases(pooled)
  sides <- if (sum(complete) > 1) pool_sides else identity
  group <- group[complete]
  list(value = sides(matrix(colMeans(pooled[complete, , drop = FALSE]), 1)),
       deletions = if (length(group) && !is.null(group[[1]]$deletions)) {
         sides(Reduce(`+`, lapply(group, pool_deletions)) / length(group))
       })
}

# The columns that tell the rows of different results apart. Standard errors are among them because
# the same data may be analysed with and without them.
analysis_key <- c("x", "y", "neurons", "estimator", "pooled", "pooled_se")

row_keys <- function(rows) {
  do.call(paste, c(lapply(analysis_key, function(column) as.character(rows[[column]])), sep = "\r"))
}

# The combined rows of all analyses in `object`, with the columns that name their sources. NULL if
# only some rows of an analysis are there, or if several analyses cannot be told apart.
combined_of <- function(object) {
  if (!nrow(object) || !all(analysis_key %in% names(object))) return(NULL)
  rows <- as.data.frame(object)
  sources <- source_columns(object)
  # a column of words may also be a note on the rows of one analysis, so at first only columns with
  # a single value are taken for names of sources
  constant <- vapply(rows[sources], function(column) length(unique(column)) == 1, NA)
  combined <- combined_rows_of(rows, attr(object, "parts"), sources[constant])
  if (!is.null(combined) || all(constant)) return(combined)
  combined <- lapply(row_groups(rows, sources), function(at) {
    combined_rows_of(rows[at, ], attr(object, "parts"), sources)
  })
  if (!any(vapply(combined, is.null, NA))) do.call(rbind, unname(combined))
}

# The combined rows if `rows` are exactly those of one analysis, and NULL otherwise. Each column in
# `sources` has a single value, which is put beside the combined rows.
combined_rows_of <- function(rows, parts, sources) {
  keys <- sort(row_keys(rows))
  combined <- Find(function(part) identical(sort(row_keys(part$rows)), keys), parts)$combined
  if (is.null(combined) || !length(sources)) return(combined)
  source <- rows[rep(1, nrow(combined)), sources, drop = FALSE]
  rownames(source) <- NULL
  cbind(source, combined)
}

# The name of the analysis that all rows come from; NA if they come from several, or from none that
# is known.
analysis_of <- function(object) {
  names <- unique(vapply(parts_of(object), function(part) part$analysis, ""))
  if (length(names) == 1) names else NA_character_
}

# The analyses that the rows come from; none where some rows are of none that is known.
parts_of <- function(object) {
  parts <- attr(object, "parts")
  if (!nrow(object) || !all(analysis_key %in% names(object))) return(parts)
  keys <- row_keys(as.data.frame(object))
  known <- lapply(parts, function(part) row_keys(part$rows))
  if (!all(keys %in% unlist(known))) return(list())
  parts[vapply(known, function(part_keys) any(keys %in% part_keys), NA)]
}

# What the intervals of all rows are made over, and, unless it is to be brief, what they hold fixed.
interval_extents <- function(object, parts = parts_of(object), brief = FALSE) {
  if (!length(parts)) parts <- attr(object, "parts")
  words <- lapply(Filter(function(part) !is.null(part$conf_level), parts), function(part) {
    # only what is about rows that are there is told
    of_analysis <- analyses[[part$analysis]]
    over <- if (is.null(object$over)) part$over else intersect(part$over, object$over)
    sampled <- grepl("neurons", over)
    fewer <- part$by_default && any(grepl("neuron", object$estimator) & object$x != "(all)" &
                                      object$complete != "both" & !grepl("neurons", object$over))
    c(if (any(sampled)) {
        paste0(vapply(over[sampled], extent_words, "", USE.NAMES = FALSE), if (!brief) {
          ", as samples; the recording (its trials and animals) is held fixed"
        })
      },
      if (!all(sampled)) {
        paste0(if (isTRUE(part$clusters)) "clusters of ", of_analysis$over,
               if (!brief) paste0("; these ", of_analysis$fixed, " are held fixed"),
               if (!brief && fewer) ": fewer than were recorded")
      })
  })
  paste(unique(unlist(words)), collapse = ", or over ")
}

#' Summarise an analysis over its comparisons
#'
#' @param object what [brain_to_brain()] or another analysis returned, with all of its rows, also
#'   bound by [rbind()][rbind.repalign].
#' @param ... unused.
#' @return A data frame with the columns of the analysis and one row per number of neurons and
#'   estimator; `x` and `y` are "(all)". The values H of all comparisons are averaged before the
#'   ratio is taken, so that comparisons with large variance count for more. Standard errors are
#'   `NA` for several comparisons that do not share their stimuli (object categories); those of
#'   several that do are over stimuli alone (`over`). For [brain_to_model()], the row is that of the
#'   most similar layer, whose value is too high by chance.
#' @examples
#' # sessions of one area: 210 pairs
#' responses <- apply(macaque_it$counts, 1:2, mean, na.rm = TRUE)
#' set.seed(1)
#' sessions <- brain_to_brain(responses, split = macaque_it$session, neurons = 8, repeats = 1,
#'                            normalize = "sd", conf_level = NULL)
#' summary(sessions)
#' @export
summary.repalign_analysis <- function(object, ...) {
  no_other_arguments(...)
  combined <- combined_of(object)
  refuse_if(is.null(combined), "type", "This is only a part of an analysis, or several bound ",
            "together that cannot be told apart: summarise each whole result, or bind whole ",
            "results with names, as in rbind(day1 = a, day2 = b).", arg = "object")
  facts <- analysis_facts(object)
  # what the rows of each kind of error are over, in words
  over <- if (length(facts$level)) {
    vapply(split(combined, combined$over), interval_extents, "", parts_of(object))
  }
  new_result(combined, "repalign_summary",
             list(conf_level = facts$level, over = over, title = facts$title))
}
