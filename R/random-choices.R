# These functions serve the random choices that measures make while they compare: priorities of tied
# neighbours, subsets of stimuli. Which choices are needed is known only on the way, perhaps in
# another process, and the result must not depend on their order. So every representation of a call
# has a seed, from which all choices for it are made. The seeds themselves come from a generator
# that starts at the next number of R's generator, so that they are independent of the permutations,
# which R's generator makes. If a seed was used, R's generator moves on by one number at the end of
# the call, so that the next call has other seeds.

# Gives a seed to each of `reprs`, all representations of a call, and returns what move_generator()
# needs. The seeds are made when the first one is needed, but from the state that R's generator has
# now.
give_seeds <- function(reprs) {
  seeds <- new.env(parent = emptyenv()) # sent to workers, and so kept small
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

# The number behind a seed. seed: what give_seeds() left in the cache of a representation.
seed_value <- function(seed) {
  if (is.null(seed$call$values)) seed$call$values <- make_seeds(seed$call)
  as.double(seed$call$values[seed$at])
}

move_generator <- function(seeds) {
  if (seeds$used) sample.int(.Machine$integer.max, 1)
  invisible()
}

# Evaluates `choice`, code that makes a random choice for `reprs`, one representation or a pair.
# Outside of a call that gave seeds it uses R's generator.
choose_by_seed <- function(reprs, choice) {
  seeds <- lapply(reprs, function(repr) repr$cache$seed)
  if (any(vapply(seeds, is.null, NA))) return(choice)
  seeds[[1]]$call$used <- TRUE
  values <- vapply(seeds, seed_value, 0)
  # all numbers are whole and below 2^53, so that doubles hold them exactly
  combined <- Reduce(function(a, b) (48271 * a + b) %% .Machine$integer.max, values)
  with_generator(as.integer(combined), choice)
}

# Evaluates `code` and leaves R's generator as it was before. The code starts from the seed or, when
# it is NULL, from the present state.
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
