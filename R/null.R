# The null of a measure: which kernel of the engine makes it, from which permutations.

# What a measure's null gives: observed (a score a pair), draws (see null_of_pair(), one a pair),
# design, and what a user's own function said of the observed order and of others (said, warned);
# by moments observed and laws. score: score_pairs(), or what does its work.
measure_null <- function(measure, pairs, sides, plan, engine, score = score_pairs) {
  drawn <- new.env()
  observed <- drop(score(pairs, sides, list(measure), "stop", drawn))
  if (engine == "moments") return(moments_null(measure, pairs, sides, observed))
  null <- null_of(measure)
  design <- design_for(measure, plan, engine)
  if (is.null(null)) {
    direct <- direct_null(measure, pairs, sides, design, drawn$entries)
    draws <- direct_draws(measure, observed, direct$null)
    return(list(observed = observed, draws = draws, design = design, said = drawn$said,
                warned = direct$warned))
  }
  draws <- kernel_null(null, measure, pairs, sides, design, observed)
  list(observed = observed, draws = draws, design = design)
}

# The permutations that the measure is compared under.
design_for <- function(measure, plan, engine) {
  if (!is.null(plan$fixed)) return(plan$fixed)
  cosets <- has_cosets(null_of(measure))
  plan$draw(if (engine != "auto") engine else if (cosets) "coset" else "random")
}

# The null of all pairs by a kernel of the engine. Its task: null, args, sides, pairs, design,
# observed; x and y, the forms with their operands, see operands(); label, for progress; and
# score, a function(values, x, y) that makes scores of the kernel's values.
kernel_null <- function(null, measure, pairs, sides, design, observed) {
  task <- list(null = null, args = measure$args, sides = sides, pairs = pairs, design = design,
               observed = observed, label = null_of_label(measure),
               x = operands(null, measure, sides$x$reprs, pairs$i, "x"),
               y = operands(null, measure, sides$y$reprs, pairs$j, "y"),
               score = null_score(null, measure, design))
  lapply(null_kernel(null$kernel)$run(task), function(draw) {
    draw$null <- within_range(draw$null, measure$declaration, measure$args)
    draw
  })
}
