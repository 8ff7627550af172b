# The result of calibrate(): its columns, how it is made, printed and summarised.

#' @include result-class.R
NULL

declare_result(
  "repalign_calibration", from = "calibrate", words = "calibrations",
  columns = described_columns(
    side_columns(),
    column("measure", "the label of the measure", key = TRUE, tidy = "term"),
    column("score", "the score", shown = 1),
    column("threshold", "what chance exceeds with probability alpha", shown = 5),
    column("calibrated", "the score against chance", shown = 2),
    column("p_value", "the share of null scores that are as good", shown = 3),
    column("null_mean", "the mean of the null scores"),
    column("null_sd", "their standard deviation"),
    column("permutations", "the number of null scores"),
    column("engine", "where the permutations come from"),
    column("p_adjusted", "the p-value adjusted for the number of rows", shown = 4, always = FALSE)
  ),
  kept = list(settings = function(values) same_settings(values),
              null_scores = function(values) {
                # parts of one result bring the same null scores several times, which are kept once
                if (all(vapply(values, identical, NA, values[[1]]))) return(values[[1]])
                key <- unlist(lapply(values, function(part) part$key))
                null <- unlist(lapply(values, function(part) part$null), recursive = FALSE)
                columns <- Reduce(intersect, lapply(values, function(part) names(part$numbers)))
                numbers <- sapply(columns, function(column) {
                  unlist(lapply(values, function(part) part$numbers[[column]]))
                }, simplify = FALSE)
                identity <- row_identity(key, numbers)
                first <- match(identity, identity)
                again <- which(first != seq_along(first))
                same <- vapply(again, function(i) identical(null[[i]], null[[first[i]]]), NA)
                null_scores_at(list(key = key, null = null, numbers = numbers),
                               setdiff(seq_along(key), again[same]))
              },
              grid = function(values) {
                each <- function(name) unlist(lapply(values, function(grid) grid[[name]]))
                all_are <- function(name) {
                  all(vapply(values, function(grid) isTRUE(grid[[name]]), NA))
                }
                list(within = all_are("within"), aggregate = all_are("aggregate"),
                     symmetric = vapply(split_by_name(each("symmetric")), all, NA),
                     direction = common_by_name(each("direction")),
                     best = common_by_name(each("best")), limit = common_by_name(each("limit")),
                     n = unique(each("n")))
              }, dependence = each_once,
              # of how many rows were some of them chosen?
              tested = function(values) if (length(unique(values)) == 1) values[[1]]),
  cut = function(object, kept) {
    if (is.null(kept$settings)) return(kept)
    # those of the known null scores that belong to rows of `object`
    known <- kept$null_scores
    columns <- intersect(names(known$numbers), names(object))
    wanted <- row_identity(row_names_of(object), unclass(object)[columns])
    at <- row_identity(known$key, known$numbers[columns]) %in% wanted
    kept$null_scores <- null_scores_at(known, at)
    kept
  },
  heading = function(x, digits) {
    settings <- attr(x, "settings")
    p <- p_to_judge(x)
    first <- paste0("Calibration against chance: ", count_of(nrow(x), "row"),
                    if (!is.null(p) && !is.null(settings)) {
                      paste0(", ", sum(p <= settings$alpha, na.rm = TRUE), " significant")
                    }, undefined_of(p))
    if (is.null(settings)) return(first)
    # what counts as significant, where the p-values come from, and what the other columns are
    adjusted <- !identical(settings$p_adjust, "none")
    counts <- x$permutations[!is.na(x$permutations)]
    drawn <- if (any(x$engine %in% "moments")) {
      ", by the moments of the scores of all permutations"
    } else if (length(counts)) {
      ends <- format(unique(range(counts)), big.mark = ",", trim = TRUE)
      paste0(", from ", paste(ends, collapse = " to "), " permutation", if (max(counts) != 1) "s")
    }
    text <- paste0(
      "Significant: ", if (adjusted) "adjusted ", "p-value of at most ", format(settings$alpha),
      if (adjusted) paste0(" (p_adjust = ", quoted(settings$p_adjust), ")"),
      drawn, "; calibrated: variant ", quoted(settings$variant),
      if (!is.null(settings$aggregate)) paste0("; aggregate over pairs of layers: ",
                                               settings$aggregate)
    )
    # no line begins with a number, which would look like a row of the table below
    lines <- strwrap(gsub(" (?=[0-9])", "\001", text, perl = TRUE), exdent = 2)
    c(first, gsub("\001", " ", lines, fixed = TRUE), strwrap(excess_words(x), exdent = 2))
  },
  footing = function(x, digits) complete_note(x$measure),
  sentence = function(x) {
    need_columns(x, c("x", "y", "measure", "score", "p_value", "permutations", "engine"), "told",
                 "result")
    settings_of(x)
    tested <- attr(x, "tested")
    from <- if (isTRUE(nrow(x) < tested)) tested
    for_each_measure(x, function(part) {
      text <- if (nrow(part) == 1) one_calibration_words(part, from) else
        many_calibrations_words(part, from)
      without_claim(text, attr(x, "dependence"))
    })
  },
  glance = function(x) {
    need_columns(x, c("x", "y", "measure", "p_value", "permutations"), "summarised")
    alpha <- settings_of(x)$alpha
    counts <- x$permutations
    list(rows = nrow(x), measures = length(unique(x$measure)), alpha = alpha,
         significant = sum(p_to_judge(x) <= alpha, na.rm = TRUE),
         permutations = if (all(is.na(counts))) NA_integer_ else min(counts, na.rm = TRUE),
         undefined = sum(is.na(x$p_value)))
  }
)

# ---- in words

calibration_sign <- function(x) {
  if (identical(attr(x, "grid")$direction[[as.character(x$measure[1])]], "distance")) -1 else 1
}

# What was scored: a pair, or the aggregate of the layers of two models.
calibrated_titles <- function(x) {
  rows <- as.data.frame(x)
  if (!grid_of(x)$aggregate) {
    return(paste0("the ", measure_words(x$measure[1]), " of ", full_names(rows, "x"), " and ",
                  full_names(rows, "y")))
  }
  how <- settings_of(x)$aggregate
  kind <- if (how == "max") {
    if (calibration_sign(x) > 0) "largest" else "smallest"
  } else if (how == "mean") how else paste0("aggregated (", how, ")")
  at <- if (how == "max") ifelse(is.na(rows$x), "", paste0(" (", rows$x, " and ", rows$y, ")"))
  paste0("the ", kind, " ", measure_words(x$measure[1]), " over the layers of ",
         model_names(rows, "x"), " and ", model_names(rows, "y"), at)
}

# What a p-value is of, with what was permuted.
chance_facts <- function(x) {
  counts <- unique(x$permutations[!is.na(x$permutations)])
  what <- permutations_words(if (length(counts) == 1) counts else NA, unique(x$engine))
  c(what, stimuli_words(attr(x, "grid")$n))
}

adjusted_name <- function(x) {
  paste0(if (!is.null(x$p_adjusted)) paste0(settings_of(x)$p_adjust, "-adjusted "), "p")
}

# from: the number of rows that those of x were chosen from.
one_calibration_words <- function(x, from) {
  p <- p_to_judge(x)
  alpha <- settings_of(x)$alpha
  title <- capitalised(calibrated_titles(x))
  if (is.na(x$score)) return(paste0(title, " is undefined (NA)."))
  score <- paste0(title, " was ", number_word(x$score))
  if (is.na(p)) {
    return(paste0(score, "; its p-value against chance is undefined (NA)",
                  brackets(chance_facts(x)), "."))
  }
  better <- if (calibration_sign(x) > 0) "above" else "below"
  paste0(score, if (p > alpha) ", not ", if (p <= alpha) ", ", better, " chance",
         brackets(p_words(p, alpha, adjusted_name(x)), if (!is.null(from)) {
           c(paste("one of", from), if (is.null(x$p_adjusted)) "p not adjusted for their number")
         }, chance_facts(x)), ".", odd_value_words(measure_words(x$measure), x$score))
}

many_calibrations_words <- function(x, from) {
  p <- p_to_judge(x)
  settings <- settings_of(x)
  found <- sum(p <= settings$alpha, na.rm = TRUE)
  sign <- calibration_sign(x)
  best <- which.max(sign * x$score)
  title <- if (length(best)) sub("^the .* (of|over the layers of) ", "", calibrated_titles(x)[best])
  paste0("Of ", count_of(nrow(x), if (grid_of(x)$aggregate) "model pair" else "pair"),
         if (!is.null(from)) paste(" chosen from", from), ", ",
         if (found == nrow(x)) "all" else if (found) found else "none", " had ",
         with_article(measure_words(x$measure[1])),
         if (sign > 0) " above" else " below", " chance",
         brackets(alpha_words(settings$alpha, adjusted_name(x)),
                  if (is.null(x$p_adjusted)) "not adjusted for their number", chance_facts(x)),
         if (length(best)) {
           paste0("; ", if (sign > 0) "largest" else "smallest", " was that of ", title,
                  brackets(number_word(x$score[best]),
                           p_words(p[best], settings$alpha, adjusted_name(x))))
         }, ".", odd_value_words(measure_words(x$measure[1]), x$score[best]),
         undefined_words(p, "p-value"))
}

# ---- how it is made

# nulls: what measure_null() returned for each measure.
calibration_result <- function(nulls, set, pairs, sides, aggregate, settings, dependence) {
  names <- pair_names(pairs, sides)
  parts <- Map(function(null, measure) {
    # The package cannot know the best value of an own measure and uses what the user gave as
    # `best`; so no score, observed or null, may be better than that.
    best <- measure$best
    sgn <- measure$sign
    for (p in if (is_own(measure) && !is.na(best)) seq_along(null$observed)) {
      most <- sgn * max(sgn * c(null$observed[p], null$pairs[[p]]$null), -Inf, na.rm = TRUE)
      refuse_if(sgn * (most - best) > equal_share * max(1, abs(best)), "value",
                row_title(cbind(named_pairs(pairs, sides)[p, ], measure = measure$label)),
                " has a score of {format(most)}, better than the `best` = {format(best)} given to ",
                "new_measure(): correct `best`, or leave it NA.")
    }
    if (is.null(aggregate)) single_rows(null, measure, names, settings)
    else aggregate_rows(null, measure, names, aggregate, settings)
  }, nulls, set)
  rows <- do.call(rbind, lapply(parts, function(part) part$rows))
  rownames(rows) <- NULL
  if (!sides$models) rows$model_x <- rows$model_y <- NULL
  if (settings$p_adjust != "none") {
    rows$p_adjusted <- stats::p.adjust(rows$p_value, settings$p_adjust)
  }
  undefined <- is.na(rows$p_value)
  warn_if(any(undefined), "undefined", "{sum(undefined)} of ",
          "{count_of(nrow(rows), 'row')}{if (sum(undefined) == 1) ' is' else ' are'} undefined ",
          "(NA). First, {row_title(rows[undefined, ][1, ])}: the score, or at least one null ",
          "score, is undefined, so that the rank of the score is not known.", data = sum(undefined))
  unscaled <- unique(rows$measure[!undefined & is.na(rows$calibrated)])
  needs <- if (settings$variant == "z") "the spread of at least 2 permutations." else
    if (is.null(aggregate$own)) {
      "a score that bounds all others: use another `variant`, or give `best` to new_measure()."
    } else "a best value, and the function in `aggregate` has none: use another `variant`."
  warn_if(length(unscaled), "undefined", "`calibrated` is NA for {enumerate(unscaled)}: variant = ",
          "\"{settings$variant}\" needs {needs}", data = unscaled)
  inform_if(any(rows$permutations == 1 & !is.na(rows$null_mean), na.rm = TRUE), "few_permutations",
            "`null_sd` is NA: one permutation gives one null score, which has no spread.")
  null_scores <- unlist(lapply(parts, function(part) part$null), recursive = FALSE)
  # An aggregate is symmetric if the measure is and a transposed grid has the same aggregate: so for
  # the maximum and the mean.
  symmetric <- vapply(set, is_symmetric, NA) &
    (is.null(aggregate) || aggregate$name %in% c("max", "mean"))
  labels <- vapply(set, function(m) m$label, "")
  facts <- measure_facts_of(set)
  new_result(rows, "repalign_calibration", list(
    null_scores = list(key = row_names_of(rows), null = null_scores,
                       numbers = as.list(rows[identity_numbers])),
    settings = c(settings[c("alpha", "variant", "p_adjust")],
                 list(aggregate = aggregate$name, own = aggregate$own)),
    # what score_matrix() must know of the grid and cannot tell from the rows
    grid = list(within = sides$self || sides$same, symmetric = stats::setNames(symmetric, labels),
                aggregate = !is.null(aggregate), direction = facts$direction, best = facts$best,
                limit = if (is.null(aggregate) || aggregate$bounded) facts$limit else
                  facts$limit * NA,
                n = sides$x$reprs[[1]]$n),
    tested = nrow(rows), dependence = dependence
  ))
}

pair_names <- function(pairs, sides) {
  name <- function(side, at) vapply(side$reprs[at], function(repr) repr$name, "")
  data.frame(model_x = sides$x$models[pairs$i], model_y = sides$y$models[pairs$j],
             x = name(sides$x, pairs$i), y = name(sides$y, pairs$j))
}

# The same with the columns that tell pairs apart.
named_pairs <- function(pairs, sides) {
  names <- pair_names(pairs, sides)
  if (sides$models) names else names[c("x", "y")]
}

engine_of <- function(null) if (is.null(null$design)) "moments" else null$design$engine

single_rows <- function(null, measure, names, settings) {
  engine <- engine_of(null)
  each <- seq_len(nrow(names))
  numbers <- if (engine == "moments") {
    lapply(each, function(p) {
      # the law is that of t, which is larger for more similar scores, also of a distance
      law <- null$laws[[p]]
      s <- null$observed[p]
      if (is.na(s)) return(replace(undefined_row(s, NULL), "permutations", NA_integer_))
      constant <- is_constant_law(law)
      tau <- if (constant) s else law$score(pearson3_quantile(1 - settings$alpha, law$moments))
      spread <- if (constant) list(mean = s, sd = 0) else score_moments(law)
      list(
        score = s, threshold = tau,
        calibrated = calibrated_score(s, tau, spread$mean, spread$sd, measure$limit, measure$sign,
                                      settings$variant),
        p_value = if (constant) 1 else
          max(pearson3_upper(law$stat - law$tolerance, law$moments), law$least),
        null_mean = spread$mean, null_sd = spread$sd, permutations = NA_integer_
      )
    })
  } else {
    Map(function(one, score) calibrated_row(score, one$null, one$p_value, measure, settings),
        null$pairs, null$observed)
  }
  # engine = "moments" has no null scores; the density of its law is kept for plots instead
  list(rows = cbind(names, measure = measure$label, table_of_rows(numbers), engine = engine),
       null = if (engine == "moments") Map(law_density, null$laws, null$observed) else
         lapply(null$pairs, function(one) one$null))
}

# The pairs of layers of each pair of models.
groups_of_models <- function(names) {
  groups <- split(seq_len(nrow(names)), paste(names$model_x, names$model_y, sep = "\r"))
  groups[order(vapply(groups, min, 0L))]
}

# One row for each pair of models, made of the scores of all pairs of their layers.
aggregate_rows <- function(null, measure, names, aggregate, settings) {
  sgn <- measure$sign
  best <- if (aggregate$bounded) measure$limit else NA_real_
  parts <- lapply(groups_of_models(names), function(at) {
    # one grid: the pairs at the positions `at`
    layers <- names[at, ]
    rows <- factor(layers$x, unique(layers$x))
    columns <- factor(layers$y, unique(layers$y))
    aggregated <- function(scores, how) {
      if (anyNA(scores)) return(rep(NA_real_, nrow(scores)))
      if (is.null(aggregate$own)) return(aggregate$combine(scores, rows, columns))
      # the user cannot see at which call errors and warnings of the function arose
      where <- paste0(measure$label, " of ", layers$model_x[1], " and ", layers$model_y[1], how)
      warnings <- character()
      result <- catch_error(
        withCallingHandlers(aggregate$combine(scores, rows, columns), warning = function(w) {
          warnings <<- union(warnings, conditionMessage(w))
          invokeRestart("muffleWarning")
        }),
        failed = function(e) {
          refuse("value", "The function in `aggregate`, {where}: {conditionMessage(e)}")
        }
      )
      warn_if(length(warnings), "function", "The function in `aggregate`, {where}: ",
              "{first_and_count(warnings)}")
      result
    }
    observed <- sgn * null$observed[at]
    permuted <- sgn * vapply(null$pairs[at], function(one) one$null, null$pairs[[1]]$null)
    s <- aggregated(t(observed), "")
    values <- c(s, aggregated(matrix(permuted, ncol = length(at)), " with rows permuted"))
    one <- null_of_pair(values, values, equal_share * score_scale(measure, s, values), s)
    numbers <- calibrated_row(sgn * s, sgn * one$null, one$p_value, measure, settings, best)
    # the row of a maximum names the pair of layers that has it
    most <- if (aggregate$name == "max" && !is.na(s)) which.max(observed) else NA_integer_
    first <- layers[1, ]
    first[c("x", "y")] <- list(layers$x[most], layers$y[most])
    list(row = cbind(first, measure = measure$label, list2DF(numbers), engine = engine_of(null)),
         null = sgn * one$null)
  })
  list(rows = do.call(rbind, lapply(parts, function(part) part$row)),
       null = unname(lapply(parts, function(part) part$null)))
}

# With K permutations no p-value is below 1 / (K + 1), so with few of them nothing can be
# significant. counts: the permutations of each test; most: how many there are; p: what the p-values
# are called where there are no thresholds and no `alpha`, else NULL; remedies: for too few of all.
note_unattainable <- function(counts, settings = list(alpha = 0.05, p_adjust = "none"), most,
                              p = NULL, remedies = remedies_of_engine("")) {
  least <- 1 / (counts + 1)
  possible <- suppressWarnings(min(stats::p.adjust(least, settings$p_adjust)))
  if (possible <= settings$alpha + 1e-12) return(invisible())
  # adjusted p-values stop at 1, which those of very small ones do not reach
  times <- suppressWarnings(min(stats::p.adjust(least / 1e6, settings$p_adjust))) / min(least) * 1e6
  wanted <- ceiling(times / settings$alpha - 1e-9) - 1
  title <- if (is.null(p)) "p-value can be at most `alpha` = " else paste(p, "can be at most ")
  inform("few_permutations", "No ",
         "{if (settings$p_adjust != 'none') 'adjusted '}{title}{format(settings$alpha)} with ",
         "{count_of(min(counts), 'permutation')}: the smallest one possible is ",
         "{format(possible, digits = 3)}",
         if (settings$p_adjust == "none" && is.null(p)) {
           " and thresholds lie at or beyond the scores"
         }, ". ",
         if (wanted <= most) {
           paste("At least", format(wanted, scientific = FALSE), "permutations are needed.")
         } else {
           paste0("There are no more permutations: take ",
                  paste(remedies, collapse = if (is.null(p)) ", " else " or "),
                  if (is.null(p)) ", fewer tests or a larger `alpha`", ".")
         })
}

# How there are more permutations. engine: of a design.
remedies_of_engine <- function(engine) {
  if (identical(engine, "clusters")) "more and smaller clusters" else
    c("more stimuli", "larger blocks")
}

# Which gated scores have units; NULL where none has.
excess_words <- function(object) {
  unlimited <- unlimited_measures(object)
  if (!length(unlimited)) return(NULL)
  paste0("calibrated of ", enumerate(unlimited), ": the difference between score and ",
         "threshold, or 0 where the score is no better than the threshold; not a share of the ",
         "best score, which ", if (!is.null(attr(object, "settings")$own)) {
           "a function in `aggregate`"
         } else "this measure", " does not have")
}

# The p-values that are compared with alpha: the adjusted ones, if there are any.
p_to_judge <- function(rows) if (is.null(rows$p_adjusted)) rows$p_value else rows$p_adjusted

#' @rdname tidy.repalign
#' @export
summary.repalign_calibration <- function(object, ...) {
  no_other_arguments(...)
  plain <- need_columns(as.data.frame(object), c("measure", "score", "calibrated", "p_value"),
                        "summarised")
  alpha <- settings_of(object)$alpha
  refuse_pooling(object)
  plain$p <- p_to_judge(plain)
  rows <- summary_rows(plain, source_columns(object), function(part) {
    data.frame(rows = nrow(part), significant = sum(part$p <= alpha, na.rm = TRUE),
               median_score = stats::median(part$score, na.rm = TRUE),
               median_calibrated = stats::median(part$calibrated, na.rm = TRUE),
               max_calibrated = if (all(is.na(part$calibrated))) NA_real_ else
                 max(part$calibrated, na.rm = TRUE),
               undefined = sum(is.na(part$p_value)))
  })
  told(rows, object)
}
