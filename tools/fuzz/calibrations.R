# Calls of calibrate(): designs, engines, aggregates.

aggregates_drawn <- list(
  "max", "mean", "row_max", "col_max", quote(top_k_mean(1)), quote(top_k_mean(3)),
  quote(function(scores) stats::median(scores)), quote(function(scores) min(scores)),
  quote(function(scores) scores[1, 1] - scores[nrow(scores), ncol(scores)]),
  quote(function(scores) sum(scores^2))
)

paired_measures <- with(measures(), id[pairing])

# At default arguments.
with_fast_null <- Filter(function(id) {
  measure <- suppressWarnings(measure(id))
  !is.null(repalign:::declared(measure$declaration$null, measure$args))
}, paired_measures)

with_moments <- c("cka", "rv", "distance_correlation", "linear_regression", "gulp")

draw_calibrate <- function() {
  sides <- draw_sides()
  at <- sides$facts
  aggregated <- sides$shape == "models" && chance(0.7) || sides$shape == "grid" && chance(0.5) ||
    sides$shape == "pair" && chance(0.05)
  moments <- !aggregated && at$n > 5 && chance(0.12)
  ids <- if (moments) with_moments else if (chance(0.005)) names(parameters) else paired_measures
  measures <- draw_measures(at, ids)
  if (is.null(measures)) return(NULL)
  clustered <- any(grepl("clusters", deparse(measures$call)))
  design <- if (clustered) list(permutations = one_of(c(2, 9)), clusters = clusters_of(at$n))
  else if (moments) list(engine = "moments") else draw_design(at$n, measures$ids)
  args <- c(sides[c("x", if (!is.null(sides$y)) "y")], list(measure = measures$call), design,
            given(aggregate = if (aggregated) one_of(aggregates_drawn)), draw_reading(),
            optional_of("calibrate", at$quirks))
  list(fun = "calibrate", call = call_of("calibrate", args), args = args, sides = sides,
       ids = measures$ids)
}

# How the scores are put beside their null.
draw_reading <- function() {
  given(alpha = if (chance(0.4)) one_of(c(0.01, 0.1, 0.5, stats::runif(1))),
        variant = if (chance(0.7)) one_of(c("gated", "centered", "z", "ari")),
        p_adjust = if (chance(0.3)) one_of(stats::p.adjust.methods), threads = draw_threads())
}

# Few permutations are as good as many here; the direct path is the slow one.
draw_design <- function(n, ids) {
  count <- if (all(ids %in% with_fast_null)) one_of(c(1, 2, 5, 19, 39)) else one_of(c(1, 2, 5, 9))
  switch(one_of(c("free", "engine", "blocks", "clusters", "series", "given", "how"),
                c(0.4, 0.25, 0.08, 0.04, 0.07, 0.1, 0.06)),
    free = list(permutations = count),
    engine = list(permutations = count,
                  engine = one_of(c("auto", "coset", "random", if (n < 6) rep("exact", 3)))),
    blocks = list(permutations = count, blocks = draw_blocks(n)),
    clusters = list(permutations = count, clusters = if (n > 3) clusters_of(n)),
    series = list(permutations = count, series = one_of(list(TRUE, "circular", "linear"))),
    given = list(permutations = draw_permutations(n, count)),
    how = list(permutations = draw_how(n, count))
  )
}

draw_blocks <- function(n) {
  repeat {
    blocks <- if (chance(0.5)) labels_for(n) else rep_len(seq_len(count_up_to(n, 1)), n)
    if (anyDuplicated(blocks)) return(blocks)
  }
}

draw_permutations <- function(n, count) {
  drawn <- t(vapply(seq_len(count), function(k) sample.int(n), integer(n)))
  if (chance(0.2)) storage.mode(drawn) <- "double"
  drawn
}

# permute's designs: free, within blocks, series, whole plots.
draw_how <- function(n, count) {
  if (!requireNamespace("permute", quietly = TRUE)) return(count)
  within <- one_of(list(quote(permute::Within()), quote(permute::Within("series")),
                        quote(permute::Within("series", mirror = TRUE))))
  groups <- factor(rep_len(seq_len(if (n > 5) 2 else 1), n))
  switch(sample.int(3, 1),
    bquote(permute::how(within = .(within), nperm = .(count))),
    bquote(permute::how(within = .(within), blocks = .(groups), nperm = .(count))),
    if (n %% 3 == 0 && n > 3) {
      plots <- gl(n / 3, 3)
      bquote(permute::how(permute::Within("none"), nperm = .(count),
                          plots = permute::Plots(.(plots), "free")))
    } else {
      bquote(permute::how(nperm = .(count)))
    }
  )
}
