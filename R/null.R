# The permutation null of a call: kernels for singular values and for any measure, and which one
# serves.

#' @include null-kernels.R
NULL

# ---- null

# These functions make the null of a measure: they choose its permutations and its null kernel.

#' The null of a measure for all pairs: where the engine is entered
#'
#' @param measure a settled measure, settled_measure()
#' @param pairs a data frame with the places `i` and `j` of each pair in the two sides
#' @param sides those of the opened call
#' @param plan what permutations may be made of (null-design.R)
#' @param engine the argument of calibrate()
#' @param score score_pairs(), or another function that computes the observed scores
#' @param memo what measures of the same call share for these sides; it ends with the call, unlike
#'   caches of representations
#' @return a list of `observed` (the score of each pair), `pairs` (null_of_pair() of each pair) and
#'   `design`. An own measure adds the texts of its warnings, for the observed order (`said`) and
#'   for permutations (`warned`). By moments the list is `observed` and `laws`.
#' @noRd
measure_null <- function(measure, pairs, sides, plan, engine, score = score_pairs,
                         memo = new_cache()) {
  drawn <- new.env()
  observed <- drop(score(pairs, sides, list(measure), "stop", drawn))
  if (engine == "moments") return(moments_null(measure, pairs, sides, observed))
  null <- measure$null
  design <- design_for(measure, plan, engine)
  fits <- null_fits(measure, pairs, sides) & is.null(design$shifts)
  result <- list(observed = observed, pairs = vector("list", nrow(pairs)), design = design)
  if (any(fits)) {
    fitting <- pairs[fits, ]
    result$pairs[fits] <- if (measure$averaged) {
      mean_kernel_null(null, measure, fitting, sides, design, observed[fits])
    } else kernel_null(null, measure, fitting, sides, design, observed[fits], memo)
  }
  if (all(fits)) return(result)
  direct <- direct_null(measure, pairs[!fits, ], sides, design, drawn$entries[!fits])
  result$pairs[!fits] <- lapply(seq_len(sum(!fits)), function(p) {
    score <- c(observed[!fits][p], direct$null[, p])
    tolerance <- equal_share * score_scale(measure, score[1], score[-1])
    null_of_pair(measure$sign * score, score, tolerance, score[1])
  })
  c(result, list(said = drawn$said, warned = direct$warned))
}

# The measure without its null where that fits no pair of a call.
with_fitting_null <- function(measure, pairs, sides) {
  # mostly the first pair settles it
  for (p in seq_len(nrow(pairs))) if (null_fits(measure, pairs[p, ], sides)) return(measure)
  measure$null <- NULL
  measure
}

# For which pairs can the null that the measure names be made? For the others, every permutation is
# a comparison of its own.
null_fits <- function(measure, pairs, sides) {
  null <- measure$null
  if (is.null(null)) return(rep(FALSE, nrow(pairs)))
  if (is.null(null$fits)) rep(TRUE, nrow(pairs)) else null$fits(measure, pairs, sides)
}

design_for <- function(measure, plan, engine) plan$design_of(engine_for(measure, engine))

# Cosets are the default where the null kernel of a measure can take them at once.
engine_for <- function(measure, engine) {
  if (engine != "auto") engine else if (has_cosets(measure$null)) "coset" else "random"
}

# How many permutations each measure will have, before any of them is drawn.
planned_counts <- function(set, plan, engine) {
  if (!is.null(plan$fixed)) return(rep(plan$fixed$count, length(set)))
  plan$counts[vapply(set, engine_for, "", engine)]
}

# The null of all pairs by a null kernel. The task of the kernel holds arguments of this function;
# `args` of the measure; `x` and `y`, the forms with their operands, see operands(); `label`, a name
# for progress; `orientation`, -1 for distances; and `score`, a function(values, x, y) that makes
# scores of the values of the kernel. `memo`: see measure_null().
kernel_null <- function(null, measure, pairs, sides, design, observed, memo = new_cache()) {
  task <- list(null = null, args = measure$args, sides = sides, pairs = pairs, design = design,
               observed = observed, label = null_of_label(measure), memo = memo,
               orientation = measure$sign,
               x = operands(null, measure, sides$x$reprs, pairs$i, "x"),
               y = operands(null, measure, sides$y$reprs, pairs$j, "y"),
               score = null_score(null, measure, design))
  lapply(null_kernel(null$kernel)$run(task), function(one) {
    one$null <- within_range(one$null, measure$range)
    one
  })
}

# The same for a measure whose score is the mean over some random orders of tied neighbours: every
# null score is the mean over the same orders.
mean_kernel_null <- function(null, measure, pairs, sides, design, observed) {
  measure$args$ties <- "random"
  at <- seq_len(nrow(pairs))
  pairs_of <- function(sides) lapply(at, function(p) side_pair(sides, pairs$i[p], pairs$j[p]))
  tied <- vapply(pairs_of(sides), has_ties, NA, d = measure$declaration, args = measure$args)
  if (!any(tied)) return(kernel_null(null, measure, pairs, sides, design, observed))
  scores <- mean_over_orders(function(number) {
    ordered <- sides_in_tie_order(sides, number)
    one <- vapply(pairs_of(ordered), function(pair) permuted_score(measure, pair, new.env()), 0)
    permuted <- kernel_null(null, measure, pairs, ordered, design, one)
    rbind(one, do.call(cbind, lapply(permuted, function(of_pair) of_pair$null)), deparse.level = 0)
  })
  lapply(at, function(p) {
    score <- scores[, p]
    null_of_pair(measure$sign * score, score, equal_share * max(1, abs(score[1])), observed[p])
  })
}

# ---- null direct

# The direct path of the null computes the measure itself for every permutation, from relabelled
# forms; it is for measures that name no null kernel. Of permuted rows nothing is prepared again:
# the forms were made with the observed scores.

# drawn: for each pair the forms with random choices that its observed score was made with. Returns
# list(null, warned): null scores, permutations x pairs, and the texts of warnings that an own
# measure gave.
direct_null <- function(measure, pairs, sides, design, drawn) {
  permutations <- if (is.null(design$shifts)) design_matrix(design)
  moved <- function(repr, k) {
    if (!is.null(permutations)) return(permuted_representation(repr, permutations[, k]))
    # The stretch of the same length as the middle that is a shift later. Warnings and messages were
    # given with the middle.
    rows <- middle_rows(stimulus_count(repr$whole$data)) + design$shifts[k]
    stretch <- stretch_of(repr, repr$whole, rows)
    if (repr$kind == "data") stretch$data <- unname_rows(stretch$data)
    if (repr$kind == "dist") attr(stretch$data, "Labels") <- NULL
    stretch$cache$said <- said_of(repr$cache)
    for (name in c("neighbours", "seed")) stretch$cache[[name]] <- repr$cache[[name]]
    stretch
  }
  count <- design$count
  null <- matrix(NA_real_, count, nrow(pairs))
  used <- unique(pairs$j)
  run <- new.env()
  run$warned <- character()
  advance <- progress_along(count)
  started <- proc.time()[[3]]
  # R by itself would keep the forms of many permutations, each of more than 64 MB
  repr <- sides$y$reprs[[pairs$j[1]]]
  size <- as.double(repr$n) * width_of(repr)
  large <- !is_own(measure) &&
    8 * (size + side_needs(measure$declaration, as.double(repr$n), width_of(repr), measure$args,
                           "y")) > 2^26
  for (k in seq_len(count)) {
    if (large) gc(FALSE)
    y <- lapply(sides$y$reprs[used], moved, k)
    null[k, ] <- vapply(seq_len(nrow(pairs)), function(p) {
      pair <- pair_of(sides$x$reprs[[pairs$i[p]]], y[[match(pairs$j[p], used)]])
      pair$cache$entries <- drawn[[p]]
      permuted_score(measure, pair, run)
    }, 0)
    if (k == min(3, count)) announce_duration(started, k, count, null_of_label(measure))
    advance()
  }
  list(null = null, warned = run$warned)
}

# The warnings and messages of this package were given with the observed scores, and are not
# repeated for null scores. What an own measure warns of is collected in run$warned, each text once.
permuted_score <- function(measure, pair, run) {
  catch_error(
    withCallingHandlers(
      compare_pair(measure$declaration, pair, measure$args, measure$range),
      repalign_message = function(m) invokeRestart("muffleMessage"),
      warning = function(w) {
        if (!inherits(w, "repalign_warning")) run$warned <- union(run$warned, conditionMessage(w))
        invokeRestart("muffleWarning")
      }
    ),
    failed = function(e) {
      stop_score(paste0(comparison_title(pair, measure), conditionMessage(e),
                        " (with the rows of `y` permuted)"), e)
    }
  )
}

# One warning for all that an own measure warned of under permutations only; the first of them is
# quoted in full.
report_permuted <- function(measure, warned, said) {
  texts <- setdiff(warned, said)
  warn_if(length(texts), "function", "{measure$label}, with the rows of `y` permuted: ",
          "{first_and_count(texts)}")
}

# ---- null singular

# The null kernel "singular" makes the singular values of A'B under permutations of the rows of B.
#
# operand()     gives list(matrix = an n x r matrix, norm = its Frobenius norm), and what else the
#               score needs
# sums          NULL, or a key of the operand for measures that need only the sums of the singular
#               values: those with the same key have the same operand, and share the sums in a call
# values        with `sums`, the sum of each permutation, otherwise a matrix with the singular
#               values of each permutation as a column; a larger sum must mean a more similar score

# For each pair a matrix with a row for each permutation. of_values: a function(values, p) that
# makes rows of the singular values of some permutations of pair p, which are columns.
over_permutations <- function(task, permutations, of_values) {
  count <- ncol(permutations)
  total <- nrow(task$pairs) * count
  advance <- progress_along(100)
  started <- proc.time()[[3]]
  done <- 0
  # told how many more permutations are done; says after the first ones how long the rest will take
  progress <- function(more) {
    if (done == 0) announce_duration(started, more, total, task$label)
    steps <- floor(100 * (done + more) / total) - floor(100 * done / total)
    done <<- done + more
    for (step in seq_len(steps)) advance()
  }
  lapply(seq_len(nrow(task$pairs)), function(p) {
    forms <- task_forms(task, p)
    a <- forms$x$matrix
    b <- forms$y$matrix
    # Parts of about half a second each, between which progress is shown. The product takes about
    # n r s operations, and its singular values 20 times the longer side times the square of the
    # shorter.
    r <- as.double(ncol(a))
    s <- as.double(ncol(b))
    work <- nrow(a) * r * s + 20 * max(r, s) * min(r, s)^2
    chunks <- split(seq_len(count), ceiling(seq_len(count) / max(1, floor(1e9 / work))))
    parts <- lapply(unname(chunks), function(at) {
      values <- .Call(C_permuted_singular_values, a, b, permutations[, at, drop = FALSE])
      progress(length(at))
      of_values(values, p)
    })
    do.call(rbind, parts)
  })
}

# Most operands are made of a basis, and that of a copy of the data.
declare_null_kernel(
  "singular", cosets = FALSE,
  size = function(n, d) as.double(n) * d + form_size("basis", n, d, list()),
  run = function(task) {
    permutations <- with_observed(task$design)
    score <- function(values, p) {
      forms <- task_forms(task, p)
      task$score(values, forms$x, forms$y)
    }
    found <- if (is.null(task$null$sums)) {
      over_permutations(task, permutations, function(values, p) {
        cbind(colSums(values), score(values, p))
      })
    } else {
      key <- list("sums of singular values", task$null$sums, task$pairs, permutations)
      sums <- remember(task$memo, key, over_permutations(task, permutations, function(values, p) {
        cbind(colSums(values))
      }))
      lapply(seq_along(sums), function(p) cbind(sums[[p]], score(sums[[p]][, 1], p)))
    }
    lapply(seq_along(found), function(p) {
      forms <- task_forms(task, p)
      null_of_pair(found[[p]][, 1], found[[p]][, 2], equal_share * forms$x$norm * forms$y$norm,
                   task$observed[p])
    })
  }
)
