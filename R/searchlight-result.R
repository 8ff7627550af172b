# The result of a searchlight: family-wise p-values and thresholds, methods.

#' @include result-class.R
NULL

declare_result(
  "repalign_searchlight", from = "searchlight", digits = 3, words = "searchlights",
  columns = described_columns(
    column("center", "the centre", key = TRUE),
    column("model", "the model", key = TRUE, tidy = "term"),
    column("score", "the score of its channels with the model", shown = 1),
    column("p_value", "of this centre alone", shown = 2),
    column("p_familywise", "over all centres", shown = 3, tidy = "p.familywise"),
    column("center_mean", "the mean score under all permutations and the observed order",
           tidy = NA),
    column("center_sd", "their standard deviation", tidy = NA)
  ),
  kept = list(max_null = all_alike, threshold = all_alike, settings = all_alike),
  # A sentence for each model.
  sentence = function(x) {
    settings <- searchlight_facts(x, "result")$settings
    rows <- best_centers(x)
    vapply(seq_len(nrow(rows)), function(k) {
      row <- rows[k, ]
      name <- measure_words(settings$measure)
      all <- row$centers + row$undefined
      count <- paste0("Of ", count_of(all, "centre"), ", ")
      if (!row$centers) return(paste0(count, "all have no score with ", row$model, " (NA)."))
      score <- paste(name, "=", number_word(row$score))
      lost <- if (row$undefined) paste0(" ", row$undefined, " had no score (NA).")
      if (settings$permutations == 0) {
        return(paste0(count, "centre ", row$best, " was most similar to ", row$model,
                      brackets(score, "no p-values"), ".", lost))
      }
      across <- if (settings$across_models) "all centres and models" else "all centres"
      found <- row$significant
      facts <- c(paste(alpha_words(settings$alpha, "family-wise p"), "over", across),
                 permutations_words(settings$permutations, settings$engine, "conditions"),
                 paste(settings$n, "conditions"))
      name <- if (all == 1) "family-wise p" else "p"
      p <- p_words(row$p_familywise, settings$alpha, name)
      text <- if (all == 1) {
        paste0("Centre ", row$best, " was ", if (!found) "not ", "more similar to ", row$model,
               " than by chance", brackets(score, p, facts[-1]), ".")
      } else {
        paste0(count, if (found == all) "all" else if (found) found else "none",
               if (found > 1) " were" else " was", " more similar to ", row$model,
               " than by chance", brackets(facts), "; most similar was centre ", row$best,
               brackets(score, p), ".", lost)
      }
      without_claim(text, settings$dependence)
    }, "")
  }
)

searchlight_result <- function(found, neighbours, job, across_models, alpha) {
  sign <- job$measure$sign
  count <- job$design$count
  models <- job$names
  largest <- found$largest
  largest[is.infinite(largest)] <- NA
  if (across_models) largest <- matrix(do.call(pmax, split_columns(largest)), ncol = 1)
  p_familywise <- found$scores * NA
  threshold <- stats::setNames(rep(NA_real_, length(models)), models)
  for (model in if (count > 0) seq_along(models)) {
    null <- largest[, if (across_models) 1 else model]
    # no centre has null scores
    if (anyNA(null)) next
    among <- if (across_models) seq_along(models) else model
    scores <- sign * found$scores[, model]
    # null scores that are below a score by rounding only count as equal
    rounding <- equal_share * score_scale(job$measure, scores, null)
    p_familywise[, model] <- share_reaching(scores - rounding, null)
    threshold[model] <- sign * null_threshold(max(sign * found$scores[, among], na.rm = TRUE), null,
                                              alpha)
  }
  # without a p-value of its own a centre was left out of the largest ones
  p_familywise[is.na(found$p_values)] <- NA
  centers <- if (is.null(names(neighbours))) seq_along(neighbours) else names(neighbours)
  rows <- data.frame(center = rep(centers, each = length(models)),
                     model = rep(models, length(centers)),
                     score = as.vector(t(found$scores)), p_value = as.vector(t(found$p_values)),
                     p_familywise = as.vector(t(p_familywise)),
                     center_mean = as.vector(t(found$means)), center_sd = as.vector(t(found$sds)))
  colnames(largest) <- if (across_models) "all models" else models
  new_result(rows, "repalign_searchlight", list(
    max_null = sign * largest, threshold = threshold,
    settings = list(alpha = alpha, across_models = across_models, permutations = count,
                    engine = job$design$engine, measure = job$measure$label,
                    direction = job$measure$declaration$direction, n = job$n,
                    channels = range(lengths(neighbours)), dependence = job$dependence)
  ))
}

split_columns <- function(x) lapply(seq_len(ncol(x)), function(k) x[, k])

# What is known of all centres together, which operations that make a new data frame may lose.
searchlight_facts <- function(x, arg = "x") {
  sapply(names(kept_beside_rows(x)), function(name) need_kept(x, name, "searchlight()", arg),
         simplify = FALSE)
}

#' @rdname searchlight
#' @param x,object what `searchlight()` returned.
#' @param digits,n how many digits, and centres of each model, are printed.
#' @return `summary()`: for each model the numbers of `centers`, of `undefined` and of `significant`
#'   ones (by `p_familywise`), the `threshold`, and the `best` centre with `score` and
#'   `p_familywise`. `tidy()`: `term` (the model), `center`, `estimate`, `p.value` and
#'   `p.familywise`.
#' @export
print.repalign_searchlight <- function(x, digits = 3, n = 5, ...) {
  check_printing(digits, n, ...)
  if (!all(c("center", "model", "score", "p_value", "p_familywise") %in% names(x))) {
    print.data.frame(as.data.frame(x), digits = digits)
    return(invisible(x))
  }
  settings <- searchlight_facts(x)$settings
  models <- unique(as.character(x$model))
  cat("Searchlight: ", count_of(nrow(x) / max(length(models), 1), "centre"), " of ",
      if (settings$channels[1] < settings$channels[2]) paste(settings$channels[1], "to "),
      count_of(settings$channels[2], "channel"), ", ", settings$measure, " with ",
      count_of(length(models), "model"), "\n", sep = "")
  null <- if (settings$permutations == 0) "no permutations: scores only" else
    paste0(count_of(format(settings$permutations, big.mark = ","), "permutation"), " of ",
           settings$n, " conditions; family-wise p-values over all centres",
           if (settings$across_models) " and models", ", at level ", format(settings$alpha))
  writeLines(strwrap(null, exdent = 2))
  if (!nrow(x)) return(invisible(x))
  rows <- best_centers(x)
  if (settings$permutations == 0) rows <- rows[c("model", "centers", "undefined", "best", "score")]
  if (all(rows$undefined == 0)) rows$undefined <- NULL
  print.data.frame(rows, digits = digits, row.names = FALSE)
  sign <- if (settings$direction == "distance") -1 else 1
  rows <- as.data.frame(x)
  best <- lapply(split(rows, factor(rows$model, unique(rows$model))), function(of_model) {
    utils::head(of_model[order(-sign * of_model$score), ], n)
  })
  best <- if (length(best)) do.call(rbind, best) else rows[0, ]
  best$center_mean <- best$center_sd <- NULL
  if (settings$permutations == 0) best$p_value <- best$p_familywise <- NULL
  cat("Best centres:\n")
  print.data.frame(best, digits = digits, row.names = FALSE)
  print_remarks(nrow(rows) - nrow(best), character(), FALSE)
  invisible(x)
}

#' @rdname searchlight
#' @export
summary.repalign_searchlight <- function(object, ...) {
  no_other_arguments(...)
  told(best_centers(object), object)
}

# A row for each model.
best_centers <- function(object) {
  facts <- searchlight_facts(object, "object")
  sign <- if (facts$settings$direction == "distance") -1 else 1
  rows <- need_columns(as.data.frame(object), c("center", "model", "score", "p_familywise"),
                       "summarised")
  found <- best_of_models(rows, sign * rows$score, facts, c(scored = "centers", lost = "undefined"))
  if (facts$settings$permutations == 0) found$significant <- NA_integer_
  found
}

#' @rdname searchlight
#' @export
tidy.repalign_searchlight <- function(x, ...) term_first(NextMethod())
