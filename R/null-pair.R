# The null of pair forms: a measure declares null = list(kind = "pair", form, score), where
# form(rep, args, side) gives list(matrix = a symmetric n x n matrix, norm = its Frobenius norm, and
# whatever score() needs), and score(inner, fx, fy, args) turns T = sum_ij A_ij B_p(i)p(j) into
# scores, more similar with larger T. centered: do the rows of the matrices add up to 0?

pair_null <- function(null, measure, pairs, sides, design, observed) {
  args <- measure$args
  x <- used_forms(sides$x$reps, pairs$i, function(rep) null$form(rep, args, "x"))
  y <- used_forms(sides$y$reps, pairs$j, function(rep) null$form(rep, args, "y"))
  inner <- inner_products(lapply(x$forms, function(f) f$matrix),
                          lapply(y$forms, function(f) f$matrix), design, null_of_label(measure))
  columns <- x$at + length(x$forms) * (y$at - 1)
  lapply(seq_len(nrow(pairs)), function(p) {
    fx <- x$forms[[x$at[p]]]
    fy <- y$forms[[y$at[p]]]
    stat <- inner[, columns[p]]
    if (!is.null(null$correction)) {
      pair <- as_pair(sides$x$reps[[pairs$i[p]]], sides$y$reps[[pairs$j[p]]])
      stat <- stat - null$correction(pair, args, design)
    }
    pair_draw(stat, null$score(stat, fx, fy, args), equal_share * fx$norm * fy$norm, observed[p])
  })
}

# Measures whose matrix is the Gram matrix (gram = TRUE in their null): it is made once, and
# the scores of a grid come from products of many matrices at once. What cannot be prepared is
# refused when its pair is compared.
plan_grams <- function(set, sides) {
  needed <- vapply(set, function(m) isTRUE(null_of(m)$gram), NA)
  reps <- all_reps(sides)
  kinds <- vapply(reps, function(rep) rep$kind, "")
  if (!any(needed) || any(kinds != "data")) return(invisible())
  for (rep in reps) rep$cache$gram_wanted <- TRUE
  grams <- function(side) lapply(side$reps, function(rep) form_linear(rep)$gram)
  totals <- tryCatch({
    for (rep in reps) check_square_memory(rep)
    .Call(C_cross_dots, grams(sides$x), grams(sides$y), thread_count())
  }, repalign_error = function(e) NULL)
  if (is.null(totals)) return(invisible())
  for (i in seq_along(sides$x$reps)) sides$x$reps[[i]]$cache$grid_row <- totals[i, ]
  for (j in seq_along(sides$y$reps)) sides$y$reps[[j]]$cache$grid_column <- j
}
