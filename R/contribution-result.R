# The class of what contributions() returns: its rows, its print and its sentences.

#' @include result-class.R
NULL

declare_result(
  "repalign_contributions", from = "contributions", words = "contributions",
  columns = described_columns(
    side_columns()[3:4, ],
    column("measure", "the label of the measure", key = TRUE),
    column("part", "the stimulus or neuron", key = TRUE, tidy = "term", always = FALSE),
    column("part_x", "the first group, or the component of x", key = TRUE, always = FALSE),
    column("part_y", "the second group, or the component of y", key = TRUE, always = FALSE),
    column("contribution", "what the part adds to the score", shown = 1, tidy = "estimate"),
    column("share", "of the score", shown = 2),
    column("chance", "the mean contribution over all permutations of y", shown = 6),
    column("excess", "the contribution less chance", shown = 5),
    column("effect", "what the score loses without the part", shown = 1),
    column("pairs", "the number of pairs of different stimuli", shown = 7, always = FALSE),
    column("se", "the standard error of the contribution", shown = 4, always = FALSE),
    column("conf_low", "the lower limit of its interval", shown = 4, always = FALSE),
    column("conf_high", "the upper limit of its interval", shown = 4, always = FALSE),
    column("n", "the number of stimuli")
  ),
  kept = list(conf_level = one_level, dependence = each_once,
              scores = function(values) unique(do.call(rbind, values))),
  heading = function(x, digits) {
    scores <- scores_of_parts(x)
    strwrap(paste0("Contributions to ", scores$measure, " of ", scores$x, " and ", scores$y, ": ",
                   format_each(scores$score, digits), ifelse(is.na(scores$se), "", paste0(
                     " (standard error ", format_each(scores$se, 2), ")"
                   ))), exdent = 2)
  },
  shown = function(x) {
    lacking <- names(x)[vapply(x, function(values) all(is.na(values)), NA)]
    x[setdiff(names(x), c("x", "y", "measure", lacking))]
  },
  footing = function(x, digits) {
    low <- with(scores_of_parts(x), any(abs(score) < 2 * se, na.rm = TRUE))
    strwrap(c(if (!all(is.na(x$effect))) {
      "effect: what the score loses without the part. contribution: where it sits."
    }, if (low) "The score is below 2 standard errors: shares are unstable."))
  },
  sentence = function(x) {
    need_columns(x, c("x", "y", "measure", "contribution", "effect", "n",
                      if (!"part" %in% names(x)) c("part_x", "part_y")), "told", "result")
    vapply(unname(row_groups(x, c("x", "y", "measure"))), function(at) {
      contribution_sentence(x[at, ], scores_of_parts(x[at, ])[1, ])
    }, "")
  }
)

# found, effects, changes: of each pair, of one or two; part: names of single parts.
contributions_result <- function(call, by, scores, found, effects, changes, part) {
  both <- function(values) {
    if (!length(values) || any(lengths(values) == 0)) return(NA_real_)
    if (length(values) == 1) values[[1]] else values[[1]] - values[[2]]
  }
  names <- function(side) paste(vapply(call$sides[[side]]$reprs, title_of, ""), collapse = " - ")
  of <- data.frame(x = names("x"), y = names("y"), measure = call$set[[1]]$label)
  score <- both(as.list(scores))
  contribution <- both(lapply(found, `[[`, "contribution"))
  chance <- both(lapply(found, `[[`, "chance"))
  named <- found[[1]]$part
  rows <- data.frame(of, if (is.null(named)) list(part = part) else named[c("part_x", "part_y")],
                     contribution, share = contribution / score, chance,
                     excess = contribution - chance, effect = both(effects))
  if (by == "groups") {
    se <- errors_of_deletions(both(lapply(found, `[[`, "deleted")))
    limits <- student_limits(contribution, se, call$n - 1, 0.95)
    rows <- data.frame(rows, named["pairs"], se, conf_low = limits[, 1], conf_high = limits[, 2])
    warn_if(anyNA(se), "undefined", "No standard errors (NA): the score is undefined without some ",
            "of the stimuli. Give more stimuli or neurons.", data = sum(is.na(se)))
  }
  rows$n <- call$n
  rows <- rows[order(-rows$effect), ]
  rownames(rows) <- NULL
  new_result(rows, "repalign_contributions", list(
    conf_level = if (by == "groups") 0.95, dependence = as.list(call$dependence),
    scores = data.frame(of, by = if (length(call$clusters)) sub("stimuli", "clusters", by) else by,
                        score, se = errors_of_deletions(cbind(both(changes))),
                        two = length(scores) > 1)
  ))
}

# Standard errors of what has these values without each unit, a column each.
errors_of_deletions <- function(deleted) {
  m <- as.double(nrow(deleted))
  sqrt((m - 1) / m * colSums(sweep(deleted, 2, colMeans(deleted))^2))
}

# The scores that the rows are parts of: a data frame with the columns x, y, measure, by, score, se
# and two (is it the difference of two models?).
scores_of_parts <- function(x) {
  kept <- need_kept(x, "scores", "contributions()")
  key <- function(rows) paste(rows$x, rows$y, rows$measure, sep = "\r")
  kept[key(kept) %in% key(as.data.frame(x)), ]
}

contribution_sentence <- function(rows, score) {
  other <- if (score$two) sub(" - ", " less with ", paste("with", score$y), fixed = TRUE) else
    paste("and", score$y)
  what <- paste(measure_words(score$measure), "of", score$x, other)
  alone <- all(is.na(rows$contribution))
  told <- if (alone) rows$effect else replace(rows$contribution, rows$part_x %in% "rest", NA)
  if (is.na(score$score) || all(is.na(told))) return(paste0("The ", what, " is undefined (NA)."))
  row <- rows[which.max(told), ]
  if (score$by %in% c("groups", "components")) {
    text <- number_words(score$score, row$contribution, row$conf_low, row$conf_high)
    limits <- if (score$by == "groups") interval_phrase(text[3:4], 0.95, "stimuli")
    pair <- if (score$by == "components") {
      paste("component", row$part_x, "of", row$x, "with component", row$part_y, "of", row$y)
    } else if (row$part_x == row$part_y) paste("pairs within", row$part_x) else
      paste("pairs of", row$part_x, "with", row$part_y)
    return(paste0("Of the ", what, brackets(text[1], stimuli_words(rows$n)), ", most came from ",
                  pair, brackets(text[2], limits), "."))
  }
  parts <- count_of(nrow(rows), c(stimuli = "stimulus", clusters = "cluster")[score$by])
  if (startsWith(score$by, "neurons")) {
    parts <- paste(count_of(nrow(rows), "neuron"), "of", sub("neurons_", "", score$by))
  }
  text <- number_words(score$score - row$effect, score$score)
  without <- paste0(row$part, ", without which it would be ", text[1], " (", text[2], ").")
  if (alone) return(paste0("Of ", parts, ", the ", what, " loses most without ", without))
  positive <- sort(pmax(rows$contribution, 0), decreasing = TRUE)
  half <- which(cumsum(positive) >= sum(positive) / 2)[1]
  paste0("Half of the positive contributions to the ", what, " came from ", half, " of ", parts,
         ", most from ", without)
}
