# A calibration keeps its null scores beside its rows; here the null scores of each row are found.

#' @rdname calibrate
#' @param calibration what `calibrate()` returned, some of its rows, or several put together by
#'   [rbind()][rbind.repalign] or `dplyr::bind_rows()`. Null scores are found by `x`, `y`,
#'   `measure`, `score`, `null_mean` and `null_sd`, which must be unchanged.
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
            dQuote(row_title(calibration[twice[1], ]), FALSE), " that cannot be told apart: keep ",
            "the columns score, null_mean and null_sd, or take the rows of one calibration.")
  kept$null[at]
}

row_identity <- function(key, numbers) {
  # %a writes all digits; adding 0 makes -0 and 0 the same
  exact <- lapply(unname(numbers), function(values) sprintf("%a", as.double(values) + 0))
  do.call(paste, c(list(key), exact, sep = "\r"))
}

# Those of the known null scores that belong to rows of `calibration`.
null_scores_within <- function(calibration, known) {
  columns <- intersect(names(known$numbers), names(calibration))
  wanted <- row_identity(row_names_of(calibration), unclass(calibration)[columns])
  null_scores_at(known, row_identity(known$key, known$numbers[columns]) %in% wanted)
}

null_scores_at <- function(known, at) {
  list(key = known$key[at], null = known$null[at],
       numbers = lapply(known$numbers, function(values) values[at]))
}

# The null scores of all parts. Parts of one result bring the same null scores several times; these
# are kept once.
bound_null_scores <- function(parts) {
  if (all(vapply(parts, identical, NA, parts[[1]]))) return(parts[[1]])
  key <- unlist(lapply(parts, function(part) part$key))
  null <- unlist(lapply(parts, function(part) part$null), recursive = FALSE)
  columns <- Reduce(intersect, lapply(parts, function(part) names(part$numbers)))
  numbers <- lapply(stats::setNames(columns, columns), function(column) {
    unlist(lapply(parts, function(part) part$numbers[[column]]))
  })
  identity <- row_identity(key, numbers)
  first <- match(identity, identity)
  again <- which(first != seq_along(first))
  same <- vapply(again, function(i) identical(null[[i]], null[[first[i]]]), NA)
  null_scores_at(list(key = key, null = null, numbers = numbers),
                 setdiff(seq_along(key), again[same]))
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
