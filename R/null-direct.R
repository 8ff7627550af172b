# The direct path: the measure itself on permuted representations, whose forms are relabelled, not
# prepared again.

# drawn: what was drawn at random for each pair when it was scored. Returns list(null, warned):
# permutations x pairs, and what the user's own function warned of, see permuted_score().
direct_null <- function(measure, pairs, sides, design, drawn) {
  permutations <- design_matrix(design)
  count <- ncol(permutations)
  null <- matrix(NA_real_, count, nrow(pairs))
  run <- new.env()
  run$warned <- list()
  advance <- progress_along(count)
  started <- proc.time()[[3]]
  for (k in seq_len(count)) {
    run$permutation <- k
    null[k, ] <- permuted_scores(measure, pairs, sides, permutations[, k], drawn, run)
    if (k == min(3, count)) announce_duration(started, k, count, null_of_label(measure))
    advance()
  }
  list(null = null, warned = run$warned)
}

# Scores of all pairs with the rows of y in another order. The forms were made when the
# observed scores were.
permuted_scores <- function(measure, pairs, sides, permutation, drawn, run = new.env()) {
  used <- unique(pairs$j)
  y <- lapply(sides$y$reprs[used], permuted_representation, permutation)
  vapply(seq_len(nrow(pairs)), function(p) {
    pair <- as_pair(sides$x$reprs[[pairs$i[p]]], y[[match(pairs$j[p], used)]])
    pair$cache$entries <- drawn[[p]]
    run$pair <- p
    permuted_score(measure, pair, run)
  }, 0)
}

# What this package has to say was said of the observed scores. What a user's own function warns
# of is collected in run$warned, each text once, with its place: permutation, pair. Errors, too,
# carry their place, so that of several tiles' errors the first one can be told.
permuted_score <- function(measure, pair, run) {
  place <- c(run$permutation, run$pair)
  tryCatch(
    withCallingHandlers(
      compare_pair(measure$declaration, pair, measure$args),
      repalign_message = function(m) invokeRestart("muffleMessage"),
      warning = function(w) {
        text <- conditionMessage(w)
        if (!inherits(w, "repalign_warning") && is.null(run$warned[[text]])) {
          run$warned[[text]] <- place
        }
        invokeRestart("muffleWarning")
      }
    ),
    error = function(e) {
      message <- paste0(comparison_title(pair, measure), conditionMessage(e),
                        " (with the rows of `y` permuted)")
      error <- tryCatch(stop_score(message, e), error = identity)
      error$place <- place
      stop(error)
    }
  )
}

# Warnings of several tiles as one: those that the observed scores had not given, the first in
# full. warned: list of places, named by their texts.
report_permuted <- function(measure, warned, said) {
  place <- vapply(warned, as.double, double(2))
  texts <- setdiff(names(warned)[order(place[1, ], place[2, ])], said)
  if (length(texts)) {
    warn(measure$label, ", with the rows of `y` permuted: ", first_of(texts),
         class = "repalign_function")
  }
}
