# The argument `contrasts` of compare_scores(): which differences of scores are compared.

# Returns list(weights, score_1, score_2, measure, contrast): a matrix of weights (scores x
# contrasts), the names of what is compared, and the names of the contrasts or NULL.
as_contrasts <- function(contrasts, scores) {
  if (is.character(contrasts) && !is.matrix(contrasts)) {
    pairs <- if (identical(contrasts, "pairs")) all_pairs_of(scores) else
      pairs_with(contrasts, scores)
    return(list(weights = pair_weights(length(scores$score), pairs$first, pairs$second),
                score_1 = scores$title[pairs$first], score_2 = scores$title[pairs$second],
                measure = scores$measure[pairs$first]))
  }
  weights <- given_weights(contrasts, scores)
  check_contrasts(weights, scores)
  list(weights = weights, score_1 = weighted_titles(weights, scores$title),
       score_2 = weighted_titles(-weights, scores$title),
       measure = apply(weights, 2, function(w) scores$measure[w != 0][1]),
       contrast = colnames(weights))
}

# Pairs of scores of the same measure, as the scores of two measures are on different scales.
all_pairs_of <- function(scores) {
  within <- lapply(unique(scores$measure), function(one) which(scores$measure == one))
  check_several_scores(within, scores)
  pairs <- do.call(cbind, lapply(within[lengths(within) > 1], utils::combn, 2))
  list(first = pairs[1, ], second = pairs[2, ])
}

check_several_scores <- function(within, scores) {
  if (any(lengths(within) > 1)) return(invisible())
  abort("`result` has ", if (length(within) > 1) "no two scores of one measure" else
          count_of(length(scores$score), "score"), ": a comparison needs two or more of the same ",
        "measure, from one call such as score_interval(x, list(a = , b = )).",
        class = "repalign_error_size", arg = "result")
}

# All others less the reference, in every measure that has it.
pairs_with <- function(reference, scores) {
  check_several_scores(split(seq_along(scores$measure), scores$measure), scores)
  reference <- check_choice(reference, c("pairs", unique(scores$title)), "contrasts")
  second <- which(scores$title == reference)
  pairs <- lapply(second, function(at) {
    others <- setdiff(which(scores$measure == scores$measure[at]), at)
    list(first = others, second = rep(at, length(others)))
  })
  list(first = unlist(lapply(pairs, `[[`, "first")), second = unlist(lapply(pairs, `[[`, "second")))
}

# Weights as a matrix scores x contrasts, of what users give as contrasts x scores.
given_weights <- function(contrasts, scores) {
  if (is.numeric(contrasts) && is.null(dim(contrasts))) {
    contrasts <- matrix(contrasts, 1, dimnames = list(NULL, names(contrasts)))
  }
  if (is.numeric(contrasts) && is.matrix(contrasts) && !nrow(contrasts)) {
    abort("`contrasts` has no rows: give at least one, with a weight for each score.",
          class = "repalign_error_size", arg = "contrasts")
  }
  if (!is.numeric(contrasts) || !is.matrix(contrasts)) {
    abort("`contrasts` must be \"pairs\", the name of a score, or a numeric matrix with a row for ",
          "each contrast and a column for each score, not ", describe(contrasts), ".",
          class = "repalign_error_type", arg = "contrasts")
  }
  storage.mode(contrasts) <- "double"
  check_finite(contrasts, "contrasts")
  count <- length(scores$score)
  if (is.null(colnames(contrasts))) {
    if (ncol(contrasts) == count) return(t(contrasts))
    abort("`contrasts` has ", count_of(ncol(contrasts), "column"), ", and `result` has ",
          count_of(count, "score"), ": give a weight for each, or name the columns: ",
          enumerate(unique(scores$title)), ".", class = "repalign_error_size", arg = "contrasts")
  }
  weights <- matrix(0, count, nrow(contrasts), dimnames = list(NULL, rownames(contrasts)))
  weights[places_of_names(colnames(contrasts), scores), ] <- t(contrasts)
  weights
}

places_of_names <- function(names, scores) {
  names <- check_choice(names, unique(scores$title), "contrasts", several = TRUE)
  twice <- intersect(names, scores$title[duplicated(scores$title)])
  if (length(twice)) {
    abort("`contrasts` names ", dQuote(twice[1], FALSE), ", of which `result` has scores of ",
          "several measures: take the rows of one measure.",
          class = "repalign_error_rows", arg = "contrasts")
  }
  match(names, scores$title)
}

check_contrasts <- function(weights, scores) {
  for (j in seq_len(ncol(weights))) {
    w <- weights[, j]
    measures <- unique(scores$measure[w != 0])
    if (!length(measures) || abs(sum(w)) > 1e-8 * sum(abs(w))) {
      abort("`contrasts`: the weights of row ", j, if (length(measures)) {
        paste0(" add up to ", format(sum(w), digits = 4))
      } else " are all 0", ". Those of a difference add up to 0, as in c(1, -1).",
      class = "repalign_error_value", arg = "contrasts")
    }
    if (length(measures) > 1) {
      abort("`contrasts`: row ", j, " compares scores of ", enumerate(measures), ", which are not ",
            "on one scale: a contrast needs scores of one measure.",
            class = "repalign_error_choice", arg = "contrasts")
    }
  }
}

# The positive part of each contrast in words, such as "0.5 a + 0.5 b".
weighted_titles <- function(weights, titles) {
  vapply(seq_len(ncol(weights)), function(j) {
    at <- which(weights[, j] > 0)
    w <- weights[at, j]
    words <- ifelse(w == 1, titles[at], paste(vapply(w, format, "", digits = 3), titles[at]))
    paste(words, collapse = " + ")
  }, "")
}
