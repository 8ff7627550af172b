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
    column("contribution", "what the part adds to the score", shown = 2, tidy = "estimate"),
    column("share", "of the score", shown = 3),
    column("chance", "the mean contribution over all permutations of y", shown = 6),
    column("excess", "the contribution less chance", shown = 5),
    column("effect", "what the score loses without the part", shown = 1),
    column("pairs", "the number of pairs of different stimuli", shown = 7, always = FALSE),
    column("se", "the standard error of the contribution", shown = 4, always = FALSE),
    column("conf_low", "the lower limit of its interval", shown = 4, always = FALSE),
    column("conf_high", "the upper limit of its interval", shown = 4, always = FALSE),
    column("n", "the number of stimuli")
  ),
  # a data frame with a row for each score that is taken apart
  kept = list(conf_level = one_level, scores = function(values) unique(do.call(rbind, values)),
              dependence = each_once),
  heading = function(x, digits) {
    scores <- scores_of_parts(x)
    strwrap(sprintf("Contributions to %s of %s and %s: %s%s", scores$measure, scores$x, scores$y,
                    format_each(scores$score, digits),
                    ifelse(is.na(scores$se), "",
                           paste0(" (standard error ", format_each(scores$se, 2), ")"))), exdent = 2)
  },
  shown = function(x) x[setdiff(names(x), c("x", "y", "measure"))],
  footing = function(x, digits) {
    scores <- scores_of_parts(x)
    low <- scores[which(abs(scores$score) < 2 * scores$se), ]
    strwrap(c(if (!all(is.na(x$effect))) {
      "effect: what the score loses without the part; contribution: where it sits."
    }, if (nrow(low) && !all(is.na(x$share))) {
      paste0("The ", if (any(low$two)) "difference" else "score",
             " is below 2 standard errors: shares are unstable.")
    }))
  },
  sentence = function(x) {
    need_columns(x, c("x", "y", "measure", "contribution", "share", "effect", "n"), "told", "result")
    vapply(unname(row_groups(x, c("x", "y", "measure"))), function(at) {
      contribution_sentence(x[at, ], scores_of_parts(x[at, ])[1, ])
    }, "")
  }
)

# list(conf_level, scores), and the rows. found: what parts_of_pair() gives, of one pair or two.
contributions_result <- function(call, scores, found, changes, part, by) {
  both <- function(values) if (length(values) == 1) values[[1]] else values[[1]] - values[[2]]
  both_of <- function(name) {
    values <- lapply(found, `[[`, name)
    if (any(lengths(values) == 0)) NULL else both(values)
  }
  side <- function(name) vapply(call$sides[[name]]$reprs, title_of, "")
  n <- call$n
  score <- both(as.list(scores))
  rows <- data.frame(x = side("x"), y = paste(side("y"), collapse = " - "),
                     measure = call$set[[1]]$label, part)
  pairs <- rows$pairs
  rows$pairs <- NULL
  known <- function(values) if (is.null(values)) NA_real_ else as.vector(values)
  rows$contribution <- known(both_of("contribution"))
  rows$share <- rows$contribution / score
  rows$chance <- known(both_of("chance"))
  rows$excess <- rows$contribution - rows$chance
  rows$effect <- known(both_of("effect"))
  deleted <- both_of("deleted")
  if (!is.null(deleted)) {
    rows$pairs <- pairs
    rows$se <- deletion_errors(deleted)
    limits <- student_limits(rows$contribution, rows$se, n - 1, 0.95)
    rows[c("conf_low", "conf_high")] <- list(limits[, 1], limits[, 2])
    changes <- list(rowSums(deleted))
    lost <- sum(is.na(rows$se))
    warn_if(lost > 0, "undefined", "No standard error (NA) of {lost} of {nrow(rows)} ",
            "contributions: the score is undefined without some of the stimuli.", data = lost)
  }
  rows$n <- n
  if (!all(is.na(rows$effect))) rows <- rows[order(-rows$effect), ]
  rownames(rows) <- NULL
  of_score <- cbind(rows[1, c("x", "y", "measure")], by = by, score = score,
                    se = if (is.null(changes)) NA_real_ else
                      deletion_errors(cbind(both(changes[seq_along(changes)]))),
                    two = length(scores) > 1)
  new_result(rows, "repalign_contributions",
             list(conf_level = if (!is.null(deleted)) 0.95, scores = of_score,
                  dependence = if (!is.null(call$dependence)) list(call$dependence)))
}

# Standard errors of the columns of a matrix of values without each unit.
deletion_errors <- function(deleted) {
  m <- nrow(deleted)
  sqrt((m - 1) / m * colSums(sweep(deleted, 2, colMeans(deleted))^2))
}

# The scores that the rows are parts of: a data frame with the columns x, y, measure, by, score, se
# and two (is it the difference of two models?).
scores_of_parts <- function(x) {
  kept <- need_kept(x, "scores", "contributions()")
  key <- function(rows) paste(rows$x, rows$y, rows$measure, sep = "\r")
  kept[key(kept) %in% key(as.data.frame(x)), ]
}

# ---- the sentence

contribution_sentence <- function(rows, score) {
  name <- measure_words(score$measure)
  what <- if (score$two) paste0("difference of the ", name, "s of ", score$x, " with ",
                                sub(" - ", " and with ", score$y, fixed = TRUE))
          else paste0(name, " of ", score$x, " and ", score$y)
  n <- stimuli_words(rows$n)
  if (is.na(score$score)) return(paste0("The ", what, " is undefined (NA)."))
  if (score$by %in% c("groups", "components")) return(pair_sentence(rows, score, what, n))
  total <- number_words(score$score - rows$effect, score$score)
  without <- function(row) paste0("without which ", if (score$two) "it" else paste("the", name),
                                  " would be ", total[[row]], " (", total[[length(total)]], ")")
  parts <- if (score$by == "stimuli") n else
    paste(count_of(nrow(rows), "neuron"), "of", sub("neurons_", "", score$by))
  if (all(is.na(rows$contribution))) {
    most <- which.max(rows$effect)
    if (!length(most)) return(paste0("The ", what, " is undefined without parts (NA)."))
    return(paste0("Of ", parts, ", the ", what, " loses most without ", rows$part[most], ", ",
                  without(most), "."))
  }
  positive <- sort(pmax(rows$contribution, 0), decreasing = TRUE)
  half <- which(cumsum(positive) >= sum(positive) / 2)[1]
  most <- which.max(rows$contribution)
  paste0("Half of the positive contributions to the ", what, " came from ", half, " of ", parts,
         ", most from ", rows$part[most], ", ", without(most), ".")
}

pair_sentence <- function(rows, score, what, n) {
  shown <- rows$part_x != "rest"
  most <- which(shown)[which.max(rows$contribution[shown])]
  row <- rows[most, ]
  text <- number_words(row$contribution, score$score, row$conf_low, row$conf_high)
  pair <- if (score$by == "components") {
    paste0("component ", row$part_x, " of ", row$x, " and component ", row$part_y, " of ", row$y)
  } else if (row$part_x == row$part_y) paste("pairs within", row$part_x) else
    paste("pairs of", row$part_x, "with", row$part_y)
  limits <- if (score$by == "groups") interval_phrase(text[3:4], 0.95, "stimuli")
  paste0("Of the ", what, " (", text[2], if (length(n)) paste0(", ", n), "), most came from ", pair,
         " (", text[1], if (length(limits)) paste0(", ", limits), ").")
}
