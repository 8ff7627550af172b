# These functions make the null of a measure: they choose its permutations and its null kernel.

# The null of a measure: a list of `observed` (the score of each pair), `pairs` (null_of_pair() of
# each pair) and `design`. An own measure adds the texts of its warnings, for the observed order
# (`said`) and for permutations (`warned`). By moments the list is `observed` and `laws`.
# score: score_pairs(), or another function that computes the observed scores.
measure_null <- function(measure, pairs, sides, plan, engine, score = score_pairs) {
  drawn <- new.env()
  observed <- drop(score(pairs, sides, list(measure), "stop", drawn))
  if (engine == "moments") return(moments_null(measure, pairs, sides, observed))
  null <- null_of(measure)
  design <- design_for(measure, plan, engine)
  if (is.null(null) || !is.null(design$shifts)) {
    direct <- direct_null(measure, pairs, sides, design, drawn$entries)
    permuted <- direct_nulls(measure, observed, direct$null)
    return(list(observed = observed, pairs = permuted, design = design, said = drawn$said,
                warned = direct$warned))
  }
  permuted <- if (takes_orders(measure$declaration, measure$args)) {
    mean_kernel_null(null, measure, pairs, sides, design, observed)
  } else {
    kernel_null(null, measure, pairs, sides, design, observed)
  }
  list(observed = observed, pairs = permuted, design = design)
}

# The design of a measure: cosets are the default where its null kernel can take them at once.
design_for <- function(measure, plan, engine) {
  if (!is.null(plan$fixed)) return(plan$fixed)
  cosets <- has_cosets(null_of(measure))
  plan$design_of(if (engine != "auto") engine else if (cosets) "coset" else "random")
}

# The null of all pairs by a null kernel. The task of the kernel holds arguments of this function;
# `args` of the measure; `x` and `y`, the forms with their operands, see operands(); `label`, a name
# for progress; `orientation`, -1 for distances; and `score`, a function(values, x, y) that makes
# scores of the values of the kernel.
kernel_null <- function(null, measure, pairs, sides, design, observed) {
  task <- list(null = null, args = measure$args, sides = sides, pairs = pairs, design = design,
               observed = observed, label = null_of_label(measure),
               orientation = orientation(measure),
               x = operands(null, measure, sides$x$reprs, pairs$i, "x"),
               y = operands(null, measure, sides$y$reprs, pairs$j, "y"),
               score = null_score(null, measure, design))
  lapply(null_kernel(null$kernel)$run(task), function(one) {
    one$null <- within_range(one$null, measure$declaration, measure$args)
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
    rbind(one, do.call(cbind, lapply(permuted, function(of_pair) of_pair$null)),
          deparse.level = 0)
  })
  lapply(at, function(p) {
    score <- scores[, p]
    null_of_pair(orientation(measure) * score, score, equal_share * max(1, abs(score[1])),
                 observed[p])
  })
}
