# The direct path: the measure itself on permuted representations, whose forms are relabelled, not
# prepared again.

# drawn: what was drawn at random for each pair when it was scored. Returns list(null, warned):
# permutations x pairs, and the texts that a user's own function warned with.
direct_null <- function(measure, pairs, sides, design, drawn) {
  permutations <- design_matrix(design)
  count <- ncol(permutations)
  null <- matrix(NA_real_, count, nrow(pairs))
  run <- new.env()
  run$warned <- character()
  advance <- progress_along(count)
  started <- proc.time()[[3]]
  large <- has_large_forms(measure, pairs, sides)
  for (k in seq_len(count)) {
    # R by itself would keep the forms of many permutations
    if (large) gc(FALSE)
    null[k, ] <- permuted_scores(measure, pairs, sides, permutations[, k], drawn, run)
    if (k == min(3, count)) announce_duration(started, k, count, null_of_label(measure))
    advance()
  }
  list(null = null, warned = run$warned)
}

# Does one permuted representation take more than 64 MB?
has_large_forms <- function(measure, pairs, sides) {
  if (is_own(measure)) return(FALSE)
  x <- sides$x$reprs[[pairs$i[1]]]
  y <- sides$y$reprs[[pairs$j[1]]]
  needs <- measure$declaration$memory(as.double(y$n), width_of(x), width_of(y), measure$args)
  8 * relabelled_needs(as.double(y$n), width_of(y), needs) > 2^26
}

# Scores of all pairs with the rows of y in another order. The forms were made when the
# observed scores were.
permuted_scores <- function(measure, pairs, sides, permutation, drawn, run = new.env()) {
  used <- unique(pairs$j)
  y <- lapply(sides$y$reprs[used], permuted_representation, permutation)
  vapply(seq_len(nrow(pairs)), function(p) {
    pair <- as_pair(sides$x$reprs[[pairs$i[p]]], y[[match(pairs$j[p], used)]])
    pair$cache$entries <- drawn[[p]]
    permuted_score(measure, pair, run)
  }, 0)
}

# What this package has to say was said of the observed scores. What a user's own function warns
# of is collected in run$warned, each text once.
permuted_score <- function(measure, pair, run) {
  tryCatch(
    withCallingHandlers(
      compare_pair(measure$declaration, pair, measure$args),
      repalign_message = function(m) invokeRestart("muffleMessage"),
      warning = function(w) {
        if (!inherits(w, "repalign_warning")) run$warned <- union(run$warned, conditionMessage(w))
        invokeRestart("muffleWarning")
      }
    ),
    error = function(e) {
      stop_score(paste0(comparison_title(pair, measure), conditionMessage(e),
                        " (with the rows of `y` permuted)"), e)
    }
  )
}

# One warning for those that the observed scores had not given, the first in full.
report_permuted <- function(measure, warned, said) {
  texts <- setdiff(warned, said)
  if (length(texts)) {
    warn(measure$label, ", with the rows of `y` permuted: ", first_of(texts),
         class = "repalign_function")
  }
}

direct_nulls <- function(measure, observed, null) {
  sgn <- orientation(measure)
  lapply(seq_along(observed), function(p) {
    score <- c(observed[p], null[, p])
    tolerance <- equal_share * score_scale(measure, observed[p], null[, p])
    null_of_pair(sgn * score, score, tolerance, observed[p])
  })
}
