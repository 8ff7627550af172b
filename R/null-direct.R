# The direct path of the null computes the measure itself for every permutation, from relabelled
# forms; it is for measures that name no null kernel.

# drawn: for each pair the forms with random choices that its observed score was made with. Returns
# list(null, warned): null scores, permutations x pairs, and the texts of warnings that an own
# measure gave.
direct_null <- function(measure, pairs, sides, design, drawn) {
  moved <- moved_by(design)
  count <- design$count
  null <- matrix(NA_real_, count, nrow(pairs))
  run <- new.env()
  run$warned <- character()
  advance <- progress_along(count)
  started <- proc.time()[[3]]
  large <- has_large_forms(measure, pairs, sides)
  for (k in seq_len(count)) {
    # R by itself would keep the forms of many permutations
    if (large) gc(FALSE)
    null[k, ] <- permuted_scores(measure, pairs, sides, moved, k, drawn, run)
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

# A function(repr, k) that gives a representation of y under permutation k of the design, or at
# shift k.
moved_by <- function(design) {
  if (!is.null(design$shifts)) {
    return(function(repr, k) shifted_stretch(repr, design$shifts[k]))
  }
  permutations <- design_matrix(design)
  function(repr, k) permuted_representation(repr, permutations[, k])
}

# The scores of all pairs with the rows of y in another order. Of permuted rows nothing is prepared
# again: the forms were made with the observed scores, and are relabelled.
permuted_scores <- function(measure, pairs, sides, moved, k, drawn, run = new.env()) {
  used <- unique(pairs$j)
  y <- lapply(sides$y$reprs[used], moved, k)
  vapply(seq_len(nrow(pairs)), function(p) {
    pair <- as_pair(sides$x$reprs[[pairs$i[p]]], y[[match(pairs$j[p], used)]])
    pair$cache$entries <- drawn[[p]]
    permuted_score(measure, pair, run)
  }, 0)
}

# The warnings and messages of this package were given with the observed scores, and are not
# repeated for null scores. What an own measure warns of is collected in run$warned, each text once.
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

# One warning for all that an own measure warned of under permutations only; the first of them is
# quoted in full.
report_permuted <- function(measure, warned, said) {
  texts <- setdiff(warned, said)
  if (length(texts)) {
    warn(measure$label, ", with the rows of `y` permuted: ", first_and_count(texts),
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
