# One pair of representations is compared by one measure here. In this file, `d` is the declaration
# of the measure.

# What every exported measure function calls: it reads x and y and returns their score.
one_score <- function(id, x, y, args) {
  d <- declaration(id)
  args <- d$check(args)
  if (missing(x) || missing(y)) missing_side(missing(x))
  pair <- as_pair(representation(x, "x", loose = TRUE), representation(y, "y", loose = TRUE),
                  by_name = d$pairing)
  args <- settled_arguments(d, args, list(x = list(pair$x), y = list(pair$y)))
  note_unused_labels(d, args)
  declared <- declared_pair(pair, list(id = id, label = id, args = args, declaration = d))
  pair <- declared$pair
  args <- declared$measure$args
  refuse_lacking_pairs(pair[c("x", "y")], list(declared$measure))
  note_gaps(data.frame(i = 1, j = 1), pair["x"], pair["y"], list(declared$measure))
  for (repr in pair[c("x", "y")]) repr$cache$compared_once <- TRUE
  check_pair_memory(d, pair, args)
  if (d$pairing) note_one_sided_names(pair[c("x", "y")])
  choices <- begin_choices(pair[c("x", "y")])
  on.exit(end_choices(choices))
  compare_pair(d, pair, args)
}

# Every comparison of two representations goes through this function, alone or in a grid.
compare_pair <- function(d, pair, args) {
  for (repr in list(pair$x, pair$y)) {
    need_kind(repr, accepted_by(d, args), dQuote(d$id, FALSE))
    refuse_negative(repr, accepted_by(d, args))
    refuse_zero(repr, accepted_by(d, args))
  }
  # an own measure decides for itself which data it can use
  if (isTRUE(d$own)) return(own_score(d$fun, pair))
  within_range(declared_score(d, pair, args), d, args)
}

declared_score <- function(d, pair, args) {
  for (repr in list(pair$x, pair$y)) refuse_useless(repr)
  if (!is.null(d$check_pair)) d$check_pair(pair, args)
  if (!takes_orders(d, args)) return(prepared_score(d, pair, args))
  args$ties <- "random"
  if (!has_ties(d, pair, args)) return(prepared_score(d, pair, args))
  check_orders_memory(pair$x$n, args$k)
  mean_over_orders(function(number) prepared_score(d, pair_in_tie_order(pair, number), args))
}

prepared_score <- function(d, pair, args) {
  x <- d$prepare(pair$x, args, "x")
  y <- d$prepare(pair$y, args, "y")
  if (is_undefined(x)) return(undefined_score(d, pair$x, args))
  if (is_undefined(y)) return(undefined_score(d, pair$y, args))
  statistic <- if (!is.null(d$statistic)) d$statistic(pair, x, y, args)
  score <- d$score(statistic, x, y, args)
  if (!is.null(d$inspect)) d$inspect(score, pair, x, y, args)
  score
}

# Refuses what no declared measure can use: a single stimulus, and data without variance.
refuse_useless <- function(repr) {
  check_rows(repr$n, 2, repr$arg, "a similarity")
  if (repr$kind == "data" && !has_holes(repr)) form_centering(repr)
}

is_undefined <- function(form) isTRUE(form$undefined)

undefined_score <- function(d, repr, args) {
  if (is.null(d$undefined)) {
    stop("The measure ", dQuote(d$id, FALSE), " has a form that is undefined, but declares no ",
         "function `undefined`.")
  }
  d$undefined(repr, args)
  NA_real_
}

# Sets scores that rounding took beyond their range to its bounds. Scores with two bounds are sums
# of at most n^2 products over the norms of their factors, and exceed a bound of 1 by about n
# machine epsilons, as roundings add up like a random walk. That is far below `equal_share`; a
# larger excess is an error in the measure, and stays visible. A score without two bounds may have
# units, for which no such limit is known.
within_range <- function(score, d, args) {
  range <- range_of(d, args)
  if (!all(is.finite(range))) return(score)
  rounding <- equal_share * max(1, abs(range))
  low <- which(score < range[1] & score >= range[1] - rounding)
  high <- which(score > range[2] & score <= range[2] + rounding)
  score[low] <- range[1]
  score[high] <- range[2]
  score
}
