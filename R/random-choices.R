# Random choices that measures make while they compare: priorities of tied neighbours, subsets of
# stimuli. Which of them are needed is known only on the way, perhaps in another process, and the
# result must not depend on who comes first. So every representation of a call has a seed and
# draws from a generator of its own. The seeds come from a generator that starts at the next
# number R's own would give, so that they share nothing with permutations, which are drawn from
# R's; that one moves on at the end of the call if a seed was used, for the next call to have
# others.

# reprs: all representations of a call. Returns what move_generator() needs. The seeds are made when
# the first one is needed, from the state that R's generator has now.
give_seeds <- function(reprs) {
  seeds <- new.env(parent = emptyenv()) # travels to workers
  seeds$used <- FALSE
  seeds$count <- length(reprs)
  seeds$state <- generator_state()
  if (is.null(seeds$state)) seeds$values <- make_seeds(seeds)
  for (at in seq_along(reprs)) reprs[[at]]$cache$seed <- list(call = seeds, at = at)
  seeds
}

generator_state <- function() {
  get0(".Random.seed", globalenv(), mode = "integer", inherits = FALSE)
}

make_seeds <- function(seeds) {
  first <- with_generator(NULL, {
    if (!is.null(seeds$state)) assign(".Random.seed", seeds$state, envir = globalenv())
    sample.int(.Machine$integer.max, 1)
  })
  with_generator(first, sample.int(.Machine$integer.max, seeds$count))
}

# seed: of a representation, as give_seeds() leaves it.
seed_value <- function(seed) {
  if (is.null(seed$call$values)) seed$call$values <- make_seeds(seed$call)
  as.double(seed$call$values[seed$at])
}

move_generator <- function(seeds) {
  if (seeds$used) sample.int(.Machine$integer.max, 1)
  invisible()
}

# Evaluates `choice`, which draws for the representations `reprs` (one, or a pair). Outside of a
# call with seeds R's generator is used as it is.
choose_by_seed <- function(reprs, choice) {
  seeds <- lapply(reprs, function(repr) repr$cache$seed)
  if (any(vapply(seeds, is.null, NA))) return(choice)
  seeds[[1]]$call$used <- TRUE
  values <- vapply(seeds, seed_value, 0)
  # below 2^53, so exact
  combined <- Reduce(function(a, b) (48271 * a + b) %% .Machine$integer.max, values)
  with_generator(as.integer(combined), choice)
}

# Evaluates `code` and leaves R's generator as it was; it starts at the seed, or with NULL
# where it is.
with_generator <- function(seed, code) {
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
  code
}
