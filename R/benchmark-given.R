# Scores that were computed before, as the argument `scores` of a benchmark brings them.

# Returns list(tables, direction, symmetric, best): the rows of each measure with columns of plain
# types, and what the result of similarity() that they come from says of its measures; or NULL.
# calibrated: is the calibrated score wanted where the table has both?
given_scores <- function(scores, calibrated = FALSE) {
  if (is.null(scores)) return(NULL)
  if (calibrated && inherits(scores, "repalign_calibration")) scores <- calibrated_table(scores)
  if (!is.data.frame(scores)) {
    abort("`scores` must be a data frame with the columns x, y, measure and score, such as ",
          "similarity() and similarity_scores() give it, not ", describe(scores), ".",
          class = "repalign_error_type", arg = "scores")
  }
  lacking <- setdiff(c("x", "y", "measure", "score"), names(scores))
  if (length(lacking)) {
    abort("`scores` has no column ", enumerate(lacking), ": it needs x, y, measure and score, and ",
          "`direction` for measures that are not of this package.",
          class = "repalign_error_scores", arg = "scores")
  }
  if (!nrow(scores)) {
    abort("`scores` has no rows: leave it out where no scores are known.",
          class = "repalign_error_scores", arg = "scores")
  }
  facts <- list(direction = attr(scores, "direction"), symmetric = attr(scores, "symmetric"),
                best = attr(scores, "best"))
  if (!is.numeric(scores$score) && !all(is.na(scores$score))) {
    abort("`scores$score` must be numbers, not ", describe(scores$score), ".",
          class = "repalign_error_scores", arg = "scores")
  }
  check_given_numbers(scores)
  table <- data.frame(x = given_names(scores, "x"), y = given_names(scores, "y"),
                      measure = as.character(scores$measure), score = as.double(scores$score))
  for (column in c("direction", "error")) {
    values <- scores[[column]]
    table[[column]] <- if (is.null(values)) NA_character_ else as.character(values)
  }
  check_given_words(table)
  c(list(tables = split(table, factor(table$measure, unique(table$measure)))), facts)
}

# The result of calibrate() with its calibrated scores in the place of the scores. The larger they
# are, the more alike is a pair, also by a distance.
calibrated_table <- function(result) {
  table <- as.data.frame(result)
  table$score <- table$calibrated
  table$direction <- rep_len("similarity", nrow(table))
  table
}

# Names of layers begin with those of their models, as in similarity_scores().
given_names <- function(scores, side) {
  model <- scores[[paste0("model_", side)]]
  names <- as.character(scores[[side]])
  if (is.null(model)) names else paste(model, names, sep = "/")
}

check_given_numbers <- function(scores) {
  bad <- which(is.infinite(scores$score))
  if (length(bad)) {
    abort("`scores$score` is infinite in row ", bad[1], ": undefined scores are NA.",
          class = "repalign_error_scores", arg = "scores")
  }
}

check_given_words <- function(table) {
  for (column in c("x", "y", "measure")) {
    bad <- which(is.na(table[[column]]))
    if (length(bad)) {
      abort("`scores$", column, "` is missing (NA) in row ", bad[1], ".",
            class = "repalign_error_scores", arg = "scores")
    }
  }
  bad <- which(!table$direction %in% c("similarity", "distance", NA))
  if (length(bad)) {
    abort("`scores$direction` must be \"similarity\" or \"distance\", not ",
          dQuote(table$direction[bad[1]], FALSE), " (row ", bad[1], ").",
          class = "repalign_error_scores", arg = "scores")
  }
}

given_column <- function(given, label, known) {
  direction <- given_direction(given, label, known)
  best <- given_best(given, label, known, direction)
  if (is.na(best) && direction == "distance") best <- 0
  list(label = label, measure = known, given = TRUE, direction = direction, best = best,
       symmetric = given_symmetry(given, label, known))
}

# The score of what is alike in all that the measure sees. It is not known of other measures, nor
# of what a table gives in the place of scores, such as calibrated ones.
given_best <- function(given, label, known, direction) {
  if (label %in% names(given$best)) return(given$best[[label]])
  d <- if (is.null(known)) registry[[declared_name(label)]] else known$declaration
  if (is.null(d)) {
    best <- registered_fact(label, "best", NA_real_)
    return(if (identical(registered_fact(label, "direction", ""), direction)) best else NA_real_)
  }
  args <- if (is.null(known)) d$check(default_arguments(d$id)) else known$args
  range <- range_of(d, args) + c(-1, 1) * 1e-6
  score <- given$tables[[label]]$score
  foreign <- d$direction != direction ||
    any(score < range[1] | score > range[2], na.rm = TRUE)
  if (foreign) NA_real_ else as.double(best_of(d, args))
}

# "similarity" or "distance": as the table says, or as this package declares the measure.
given_direction <- function(given, label, known) {
  said <- unique(stats::na.omit(given$tables[[label]]$direction))
  if (length(said) > 1) {
    abort("`scores$direction` of ", dQuote(label, FALSE), " is both \"similarity\" and ",
          "\"distance\": one measure has one direction.", class = "repalign_error_scores",
          arg = "scores")
  }
  if (length(said) == 1) return(said)
  if (!is.null(known)) return(known$declaration$direction)
  if (label %in% names(given$direction)) return(given$direction[[label]])
  direction <- registered_fact(declared_name(label), "direction", NA_character_)
  if (!is.na(direction)) return(direction)
  abort("`scores` has the measure ", dQuote(label, FALSE), ", which is none of this package: say ",
        "in a column `direction` whether it is a \"similarity\" (larger is more alike) or a ",
        "\"distance\".", class = "repalign_error_scores", arg = "scores")
}

# The id of a measure that the benchmark of Klabunde et al. (2025) calls by this label.
declared_name <- function(label) if (label %in% resi_order) resi_id(label) else label

# Is a measure symmetric? known: its measure object, or NULL. Otherwise it is what the result that
# the table comes from says, or the declaration of a label of this package, unless the table has
# both orders of some pair with different scores.
given_symmetry <- function(given, label, known) {
  if (!is.null(known)) return(is_symmetric(known))
  rows <- given$tables[[label]]
  if (label %in% names(given$symmetric)) return(isTRUE(given$symmetric[[label]]))
  back <- match(paste(rows$y, rows$x, sep = "\r"), paste(rows$x, rows$y, sep = "\r"))
  both <- !is.na(back) & rows$x != rows$y
  differ <- mapply(function(a, b) !identical(a, b), rows$score[both], rows$score[back[both]])
  if (any(as.logical(differ))) return(FALSE)
  d <- registry[[sub("[( ].*", "", declared_name(label))]]
  if (is.null(d) || any(both)) return(TRUE)
  isTRUE(symmetry_of(d, d$check(default_arguments(d$id))))
}

# The cells of one measure for the wanted pairs of items with these names.
given_cells <- function(given, column, names, pairs, wanted) {
  rows <- given$tables[[column$label]]
  key <- paste(rows$x, rows$y, sep = "\r")
  refuse_two_scores(rows, key)
  x <- names[pairs$i]
  y <- names[pairs$j]
  at <- match(paste(x, y, sep = "\r"), key)
  if (column$symmetric) at <- ifelse(is.na(at), match(paste(y, x, sep = "\r"), key), at)
  lacking <- which(wanted & is.na(at))
  if (length(lacking)) refuse_lacking(column, x[lacking], y[lacking])
  cells <- vector("list", nrow(pairs))
  at <- at[wanted]
  cells[wanted] <- Map(given_cell, rows$score[at], rows$error[at], USE.NAMES = FALSE)
  cells
}

given_cell <- function(score, error) {
  failure <- if (!is.na(error)) error
  list(score = score, undefined = is.na(score) && is.null(failure), failure = failure)
}

refuse_two_scores <- function(rows, key) {
  twice <- which(duplicated(key))
  first <- match(key[twice], key)
  differ <- !mapply(identical, rows$score[twice], rows$score[first])
  if (!any(as.logical(differ))) return(invisible())
  row <- rows[twice[which(differ)[1]], ]
  abort("`scores` has two different scores of ", dQuote(row$x, FALSE), " and ",
        dQuote(row$y, FALSE), " by ", dQuote(row$measure, FALSE), ": keep one.",
        class = "repalign_error_scores", arg = "scores")
}

refuse_lacking <- function(column, x, y) {
  abort("`scores` lacks ", if (length(x) > 1) paste0(length(x), " pairs, first ") else "the pair ",
        dQuote(x[1], FALSE), " and ", dQuote(y[1], FALSE), " by ", dQuote(column$label, FALSE),
        if (!column$symmetric) paste0(", a measure whose score depends on the order: give a row ",
                                      "for each order, as similarity(list, list) has them"),
        ". The names must be those of the representations.",
        class = "repalign_error_scores", arg = "scores")
}
