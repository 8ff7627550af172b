# What measures draw at random while they compare: priorities of tied neighbours, subsets of
# rows. Which of them are needed is known only on the way, perhaps in another process, and the
# result must not depend on who comes first. So every representation of a call has a seed and
# draws from a generator of its own. The seeds come from a generator that starts at the next
# number R's own would give, so that they share nothing with permutations, which are drawn from
# R's; that one moves on at the end of the call if a seed was used, for the next call to have
# others.

# reprs: all representations of a call. Returns what close_draws() needs. The seeds are made when
# the first one is needed, from the state that R's generator has now.
open_draws <- function(reprs) {
  draws <- new.env(parent = emptyenv()) # travels to workers
  draws$used <- FALSE
  draws$count <- length(reprs)
  draws$state <- generator_state()
  if (is.null(draws$state)) draws$seeds <- draw_seeds(draws)
  for (at in seq_along(reprs)) reprs[[at]]$cache$draws <- list(call = draws, at = at)
  draws
}

generator_state <- function() {
  get0(".Random.seed", globalenv(), mode = "integer", inherits = FALSE)
}

draw_seeds <- function(draws) {
  first <- apart(NULL, {
    if (!is.null(draws$state)) assign(".Random.seed", draws$state, envir = globalenv())
    sample.int(.Machine$integer.max, 1)
  })
  apart(first, sample.int(.Machine$integer.max, draws$count))
}

seed_of <- function(home) {
  if (is.null(home$call$seeds)) home$call$seeds <- draw_seeds(home$call)
  as.double(home$call$seeds[home$at])
}

close_draws <- function(draws) {
  if (draws$used) sample.int(.Machine$integer.max, 1)
  invisible()
}

# Evaluates `draw`, which draws for the representations `reprs` (one, or a pair). Outside of a
# call with seeds R's generator is used as it is.
draw_for <- function(reprs, draw) {
  homes <- lapply(reprs, function(repr) repr$cache$draws)
  if (any(vapply(homes, is.null, NA))) return(draw)
  homes[[1]]$call$used <- TRUE
  seeds <- vapply(homes, seed_of, 0)
  # below 2^53, so exact
  seed <- Reduce(function(a, b) (48271 * a + b) %% .Machine$integer.max, seeds)
  apart(as.integer(seed), draw)
}

# Evaluates `draw` and leaves R's generator as it was; it starts at the seed, or with NULL
# where it is.
apart <- function(seed, draw) {
  state <- generator_state()
  on.exit({
    if (!is.null(state)) assign(".Random.seed", state, envir = globalenv())
    else if (exists(".Random.seed", globalenv(), inherits = FALSE)) {
      rm(".Random.seed", envir = globalenv())
    }
  })
  if (!is.null(seed)) {
    set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion",
             sample.kind = "Rejection")
  }
  draw
}
