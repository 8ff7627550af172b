# The null of a measure: which engine makes it, from which permutations.

# What a measure's null gives: observed (a score a pair), draws (see pair_draw(), one a pair),
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
  path <- switch(null$kind, pair = pair_null, graph = graph_null, basis = basis_null)
  draws <- lapply(path(null, measure, pairs, sides, design, observed), function(draw) {
    draw$null <- within_range(draw$null, measure$declaration, measure$args)
    draw
  })
  list(observed = observed, draws = draws, design = design)
}

# The permutations that the measure is compared under.
design_for <- function(measure, plan, engine) {
  if (!is.null(plan$fixed)) return(plan$fixed)
  cosets <- has_cosets(null_of(measure))
  plan$draw(if (engine != "auto") engine else if (cosets) "coset" else "random")
}

direct_draws <- function(measure, observed, null) {
  sgn <- orientation(measure)
  lapply(seq_along(observed), function(p) {
    score <- c(observed[p], null[, p])
    tolerance <- equal_share * score_scale(measure, observed[p], null[, p])
    pair_draw(sgn * score, score, tolerance, observed[p])
  })
}
