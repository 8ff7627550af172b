# The result of test_maps(): corrected p-values, clusters, what is printed and told.

#' @include result-class.R
NULL

declare_result(
  "repalign_map_test", from = "test_maps", digits = 3, words = "tests of maps",
  columns = described_columns(
    column("center", "the place", key = TRUE),
    column("model", "the model", key = TRUE, tidy = "term"),
    column("score", "the mean over subjects", shown = 1),
    column("std_error", "its standard error over subjects", shown = 6, tidy = "std.error"),
    column("statistic", "the statistic that is tested", shown = 3),
    column("p_value", "of this place alone", shown = 4),
    column("p_familywise", "over all places", shown = 2, tidy = "p.familywise"),
    column("tfce", "the enhanced statistic", shown = 5, always = FALSE),
    column("cluster", "the number of its cluster", shown = 5, always = FALSE),
    column("p_cluster", "of its cluster, not of the place", shown = 2, tidy = "p.cluster",
           always = FALSE)
  ),
  kept = list(max_null = all_alike, threshold = all_alike, clusters = all_alike,
              settings = all_alike),
  # A sentence for each model.
  sentence = function(x) {
    facts <- map_facts(x, "result")
    need_columns(x, c("center", "model", "score", "statistic", "p_familywise"), "told", "result")
    tell <- if (facts$settings$correction == "cluster_mass") cluster_sentence else place_sentence
    # the p-values of rows that were cut are about places of other names, too
    whole <- length(unique(x$center)) == facts$settings$places
    axis <- if (isTRUE(whole)) axis_of_names(x$center)
    facts$place <- if (is.null(axis)) "place" else axis$word
    if (!is.null(axis)) {
      # "150 ms" for "Cz, 150 ms", and Cz is told once
      short <- function(centers) {
        substring(centers, ifelse(startsWith(centers, axis$of), nchar(axis$of) + 1, 1))
      }
      x$center <- short(x$center)
      for (end in intersect(c("first", "last"), names(facts$clusters))) {
        facts$clusters[[end]] <- short(facts$clusters[[end]])
      }
      facts$of <- sub("[, ]+$", "", axis$of)
    }
    models <- unique(as.character(x$model))
    vapply(models, function(model) tell(x[x$model == model, ], model, facts), "", USE.NAMES = FALSE)
  }
)

# found: of each model, what model_flips() returns.
map_test_result <- function(found, maps, flips, settings) {
  models <- maps$models
  places <- length(maps$centers)
  # the tables of clusters; NULL for other corrections
  clusters <- Map(function(one, model) {
    if (settings$correction != "cluster_mass") return(NULL)
    members <- split(seq_along(one$kept), factor(one$corrected, seq_len(max(one$corrected, 0))))
    mass <- vapply(unname(members), function(at) sum(one$statistic[at]), 0)
    place <- function(which_of) {
      maps$centers[one$kept[vapply(members, function(at) at[which_of(at)], 0L)]]
    }
    data.frame(model = rep(model, length(members)), cluster = seq_along(members),
               places = unname(lengths(members)), first = place(function(at) 1),
               last = place(length),
               peak = place(function(at) which.max(abs(one$statistic[at]))), mass = mass,
               p_value = corrected_p(mass, one$largest, settings))
  }, found, models)
  parts <- Map(function(one, own) {
    # a row a place, NA where a place was left out
    whole <- function(values) replace(rep(values[1][NA], places), one$kept, values)
    rows <- data.frame(score = whole(one$score + if (settings$compared) 0 else settings$baseline),
                       std_error = whole(one$std_error), statistic = whole(one$statistic),
                       p_value = whole(one$p_value), p_familywise = NA_real_)
    if (settings$correction == "cluster_mass") {
      number <- ifelse(one$corrected > 0, one$corrected, NA_integer_)
      rows$cluster <- whole(number)
      rows$p_cluster <- whole(own$p_value[number])
    } else rows$p_familywise <- whole(corrected_p(one$corrected, one$largest, settings))
    if (settings$correction == "tfce") rows$tfce <- whole(one$corrected)
    rows
  }, found, clusters)
  # the models of each place side by side, as in searchlights
  by_place <- order(rep(seq_len(places), length(models)))
  rows <- data.frame(center = rep(maps$centers, length(models)),
                     model = rep(models, each = places),
                     do.call(rbind, unname(parts)))[by_place, ]
  rownames(rows) <- NULL
  sign <- map_sign(settings)
  threshold <- vapply(found, function(one) {
    values <- if (settings$correction == "cluster_mass") {
      c(0, tapply(one$statistic, ifelse(one$corrected > 0, one$corrected, NA), sum))
    } else one$corrected
    most <- max(if (settings$alternative == "two_sided") abs(values) else sign * values)
    sign * null_threshold(most, sign * one$largest, settings$alpha)
  }, 0)
  clusters <- do.call(rbind, unname(clusters))
  if (length(models) == 1) clusters$model <- NULL
  settings$permutations <- ncol(flips$signs)
  settings$places <- places
  settings$engine <- flips$engine
  new_result(rows, "repalign_map_test", list(
    max_null = matrix(unlist(lapply(found, function(one) one$largest)), ncol = length(models),
                      dimnames = list(NULL, models)),
    threshold = stats::setNames(threshold, models),
    clusters = if (settings$correction == "cluster_mass") clusters, settings = settings
  ))
}

# The share of flips, the observed signs among them, whose largest value reaches these.
corrected_p <- function(values, largest, settings) {
  if (settings$alternative == "two_sided") values <- abs(values)
  sign <- map_sign(settings)
  share_reaching(lowest_equal(sign * values), sign * largest)
}

# What is kept beside the rows, which operations that make a new data frame may lose. Clusters there
# are only for one of the corrections.
map_facts <- function(x, arg = "x") {
  list(max_null = need_kept(x, "max_null", "test_maps()", arg),
       threshold = need_kept(x, "threshold", "test_maps()", arg),
       settings = need_kept(x, "settings", "test_maps()", arg),
       clusters = attr(x, "clusters", exact = TRUE))
}

# ---- print

map_cautions <- c(
  cluster_mass = paste("A cluster's p-value says that the maps differ from the baseline, not at",
                       "which places, nor from when to when (Sassenhagen and Draschkow 2019)."),
  tfce = "A place may owe its p-value to its neighbours."
)

#' @rdname test_maps
#' @param x,object what `test_maps()` returned.
#' @param digits,n how many digits, and how many clusters, or places of each model, are printed.
#' @return `summary()`: the clusters, or for other corrections for each model the numbers of
#'   `places`, of those `left_out` and of `significant` ones, the `threshold`, and the `peak` with
#'   `score` and `p_familywise`.
#' @export
print.repalign_map_test <- function(x, digits = 3, n = 5, ...) {
  check_printing(digits, n, ...)
  if (!all(c("center", "model", "score", "statistic", "p_value", "p_familywise") %in% names(x))) {
    print.data.frame(as.data.frame(x), digits = digits)
    return(invisible(x))
  }
  facts <- map_facts(x)
  settings <- facts$settings
  writeLines(strwrap(paste0("Test of maps: ",
                            tested_places(length(unique(x$center)), settings), " of ",
                            count_of(settings$subjects, "subject"),
                            if (!is.null(settings$measure)) paste0(", ", settings$measure)),
                     exdent = 2))
  against <- if (settings$compared) "difference" else paste("against", format(settings$baseline))
  by <- switch(settings$correction, max = "largest statistic",
               cluster_mass = paste0("cluster mass, places beyond ",
                                     format(settings$cutoff, digits = 3)),
               tfce = paste0("TFCE (E = ", format(settings$extent, digits = 3), ", H = ",
                             format(settings$height, digits = 3), ")"),
               no_branch(settings$correction))
  writeLines(strwrap(paste0(statistic_words(settings), ", ", against, ", ",
                            sub("_", "-", settings$alternative), ", by ", by, "; ",
                            flips_words(settings), ", at level ", format(settings$alpha)),
                     exdent = 2))
  clusters <- if (settings$correction == "cluster_mass") shown_clusters(x, facts)
  if (nrow(x) && !is.null(clusters)) {
    first <- utils::head(clusters[order(clusters$p_value, -abs(clusters$mass)), ], n)
    more <- nrow(clusters) - nrow(first)
    if (nrow(clusters)) print.data.frame(first, digits = digits, row.names = FALSE) else
      cat("No cluster: no place is beyond the threshold.\n")
    if (more) cat("... and ", count_of(more, "more cluster"), ": summary() has all.\n", sep = "")
  } else if (nrow(x)) {
    rows <- peak_places(x, facts)
    if (all(rows$left_out == 0)) rows$left_out <- NULL
    print.data.frame(rows, digits = digits, row.names = FALSE)
    cat("Places with the smallest p-values:\n")
    rows <- as.data.frame(x)
    size <- map_size(rows, facts$settings)
    of_model <- split(seq_len(nrow(rows)), factor(rows$model, unique(rows$model)))
    best <- unlist(lapply(of_model, function(at) {
      utils::head(at[order(rows$p_familywise[at], -size[at])], n)
    }))
    print.data.frame(rows[best, ], digits = digits, row.names = FALSE)
    print_remarks(nrow(rows) - length(best), character(), FALSE)
  }
  writeLines(strwrap(map_cautions[names(map_cautions) == settings$correction]))
  if (settings$statistic == "t" && settings$alternative == "two_sided" &&
        isTRUE(abs(settings$skewness) > 0.5)) {
    writeLines(strwrap(paste0("Scores are skewed over subjects (", number_word(settings$skewness),
                              "): two-sided t finds too much, statistic = \"mean\" less so.")))
  }
  invisible(x)
}

# How large the statistic of rows is, in the direction that is tested; with TFCE the enhanced one.
map_size <- function(rows, settings) {
  values <- if (is.null(rows$tfce)) rows$statistic else rows$tfce
  if (settings$alternative == "two_sided") abs(values) else map_sign(settings) * values
}

# The clusters that the rows belong to.
shown_clusters <- function(x, facts) {
  key <- function(of) paste(if (!is.null(facts$clusters$model)) of$model, of$cluster)
  facts$clusters[key(facts$clusters) %in% key(x), ]
}

# "56 places"; "12 of 56 places", where rows were cut.
tested_places <- function(count, settings, what = "place") {
  if (is.null(settings$places) || count == settings$places) {
    return(count_of(count_word(count), what))
  }
  paste(count_word(count), "of", count_of(count_word(settings$places), what))
}

statistic_words <- function(settings) {
  if (settings$statistic == "t") paste0("t(", settings$subjects - 1, ")") else
    "mean in units of the size of all scores"
}

# "all 128 sign flips", "9,999 sign flips"
flips_words <- function(settings) {
  all <- settings$engine == "exact"
  paste0(if (all) "all ", count_of(count_word(settings$permutations + all), "sign flip"))
}

#' @rdname test_maps
#' @export
summary.repalign_map_test <- function(object, ...) {
  no_other_arguments(...)
  facts <- map_facts(object, "object")
  need_columns(as.data.frame(object), c("center", "model", "score", "statistic", "p_familywise"),
               "summarised")
  clusters <- facts$settings$correction == "cluster_mass"
  told(if (clusters) shown_clusters(object, facts) else peak_places(object, facts), object)
}

# A row for each model.
peak_places <- function(object, facts) {
  rows <- as.data.frame(object)
  best_of_models(rows, map_size(rows, facts$settings), facts,
                 c(scored = "places", lost = "left_out", best = "peak"))
}

#' @rdname test_maps
#' @export
tidy.repalign_map_test <- function(x, ...) term_first(NextMethod())

# ---- sentences

# "the RSA score of category was above 0", "the difference a - b was not 0"
map_claim <- function(model, settings, found) {
  what <- if (is.null(settings$measure)) "the score" else
    paste("the", sub("^an? ", "", measure_words(settings$measure)))
  subject <- if (model == "map") what else paste(what, "of", model)
  baseline <- if (settings$compared) "0" else format(settings$baseline)
  paste0(subject, " was ", if (!found) "nowhere shown to be ",
         switch(settings$alternative, greater = "above ", less = "below ",
                two_sided = "different from ", no_branch(settings$alternative)), baseline)
}

# "Over 15 subjects and 56 times (Cz), "
subjects_and_places <- function(x, facts) {
  paste0("Over ", count_of(facts$settings$subjects, "subject"), " and ",
         tested_places(nrow(x), facts$settings, facts$place), brackets(facts$of), ", ")
}

places_words <- function(count, facts) count_of(count_word(count), facts$place)

# Where places stand on axes of time or length, if their names say so, as those of time_windows(),
# cross_places() and spike_counts() do: list(at, of, unit, word), where `of` is what comes before
# each number, such as "Cz, ", and a bin such as "0 to 50" stands at its middle. NULL if not all
# names are numbers with one unit, or if two of them would have one place.
axes_of_names <- function(names) {
  number <- "(-?[0-9.]+(?:e[-+]?[0-9]+)?)"
  # "120 ms", and times without a blank, "120ms"
  pattern <- paste0("^(|.*?[, ])", number, "(?: to ", number, ")?",
                    "(?:(?: |(?=(?:ms|s|us|min)$))([^-0-9., ][^0-9., ]*))?$")
  if (!is.character(names) || !all(grepl(pattern, names, perl = TRUE))) return(NULL)
  part <- function(k) sub(pattern, paste0("\\", k), names, perl = TRUE)
  from <- suppressWarnings(as.double(part(2)))
  to <- suppressWarnings(as.double(part(3)))
  bins <- all(!is.na(to))
  unit <- unique(part(4))
  if (length(unit) > 1 || anyNA(from) || !bins && (unit == "" || !all(part(3) == ""))) return(NULL)
  at <- if (bins) (from + to) / 2 else from
  if (anyDuplicated(data.frame(part(1), at))) return(NULL)
  list(at = at, of = part(1), unit = unit,
       word = if (bins || unit %in% c("ms", "s", "us", "min")) "time" else "place")
}

# The same where all names have one beginning.
axis_of_names <- function(names) {
  axis <- axes_of_names(unique(names))
  if (length(unique(axis$of)) != 1) return(NULL)
  replace(axis, "of", axis$of[1])
}

place_sentence <- function(x, model, facts) {
  settings <- facts$settings
  row <- peak_places(x, facts)
  if (!row$places) return(untested_words(x, model, facts))
  at <- which(x$center == row$peak)[1]
  by <- if (settings$correction == "tfce") "by TFCE" else "by the largest statistic"
  paste0(subjects_and_places(x, facts), map_claim(model, settings, row$significant > 0),
         if (row$significant) paste(" at", places_words(row$significant, facts)),
         brackets(alpha_words(settings$alpha, "family-wise p"),
                  paste(by, "over all", plural_of(facts$place)), flips_words(settings)),
         "; most at ", row$peak, brackets(paste("mean", number_word(row$score)),
                                          paste(statistic_words(settings), "=",
                                                number_word(x$statistic[at])),
                                          p_words(row$p_familywise, settings$alpha)), ".",
         lost_places_words(x, facts))
}

untested_words <- function(x, model, facts) {
  paste0(subjects_and_places(x, facts), if (model == "map") "the maps were" else
    paste(model, "was"), " not tested (NA).")
}

lost_places_words <- function(x, facts) {
  lost <- sum(is.na(x$score))
  if (!lost) return("")
  paste0(" ", places_words(lost, facts), if (lost > 1) " were" else " was", " not tested (NA).")
}

cluster_sentence <- function(x, model, facts) {
  settings <- facts$settings
  if (all(is.na(x$score))) return(untested_words(x, model, facts))
  clusters <- shown_clusters(x, facts)
  found <- clusters$p_value <= settings$alpha
  cutoff <- (if (settings$alternative == "less") -1 else 1) * settings$cutoff
  beyond <- paste0(if (settings$statistic == "t") "t = " else "a mean of ",
                   if (settings$alternative == "two_sided") "+-", format(cutoff, digits = 3))
  how <- brackets(paste("cluster mass of", plural_of(facts$place), "beyond", beyond),
                  flips_words(settings))
  one <- function(k) {
    several <- clusters$places[k] > 1
    paste0(places_words(clusters$places[k], facts), if (several) " from " else " at ",
           clusters$first[k], if (several) paste(" to", clusters$last[k]),
           brackets(p_words(clusters$p_value[k], settings$alpha)))
  }
  told <- order(clusters$p_value)[seq_len(min(max(sum(found), 1), 3, nrow(clusters)))]
  detail <- if (!nrow(clusters)) "; there was no cluster" else
    paste0(if (any(found)) "; clusters that say so: " else "; smallest p-value: ",
           enumerate(vapply(told, one, ""), 3, quote = FALSE),
           if (sum(found) > 3) paste(" and", sum(found) - 3, "more"))
  paste0(subjects_and_places(x, facts), map_claim(model, settings, any(found)),
         if (any(found)) " somewhere", how, detail, ".", if (any(found)) {
           " This says neither at which places nor from when to when."
         }, lost_places_words(x, facts))
}
