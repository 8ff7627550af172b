# The comparison of one pair of representations by one measure.

# The body of every exported measure function.
one_score <- function(id, x, y, args) {
  d <- declaration(id)
  args <- d$check(args)
  if (missing(x) || missing(y)) missing_side(missing(x))
  pair <- as_pair(representation(x, "x"), representation(y, "y"), by_name = d$pairing)
  check_pair_memory(d, pair, args)
  if (d$pairing) note_one_sided_names(pair[c("x", "y")])
  seeds <- give_seeds(pair[c("x", "y")])
  on.exit(move_generator(seeds))
  compare_pair(d, pair, args)
}

# Every comparison goes through here.
compare_pair <- function(d, pair, args) {
  for (repr in list(pair$x, pair$y)) {
    need_kind(repr, accepted_by(d, args), dQuote(d$id, FALSE))
    refuse_negative(repr, accepted_by(d, args))
  }
  # a user's own function decides for itself what it can use
  if (isTRUE(d$own)) return(own_score(d$fun, pair))
  within_range(declared_score(d, pair, args), d, args)
}

declared_score <- function(d, pair, args) {
  for (repr in list(pair$x, pair$y)) refuse_useless(repr)
  if (!is.null(d$check_pair)) d$check_pair(pair, args)
  x <- d$prepare(pair$x, args, "x")
  y <- d$prepare(pair$y, args, "y")
  if (is_undefined(x)) return(undefined_score(d, pair$x, args))
  if (is_undefined(y)) return(undefined_score(d, pair$y, args))
  statistic <- if (!is.null(d$statistic)) d$statistic(pair, x, y, args)
  score <- d$score(statistic, x, y, args)
  if (!is.null(d$inspect)) d$inspect(score, pair, x, y, args)
  score
}

# What no measure can use.
refuse_useless <- function(repr) {
  check_rows(repr$n, 2, repr$arg, "a similarity")
  if (repr$kind == "data") form_centering(repr)
}

is_undefined <- function(form) isTRUE(form$undefined)

undefined_score <- function(d, repr, args) {
  d$undefined(repr, args)
  NA_real_
}

# Scores that rounding took beyond their range are its bounds. What is compared there are sums of
# at most n^2 products over the norms of their factors, 1 at most but for n machine epsilons or
# so (roundings add up like a random walk): far below what permutations take for equal. More than
# that is an error of ours and stays visible. Without two bounds a score may have units.
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
