# Calls that are worked off in tiles or on workers, and what they give without.

# Three models of two to four layers. counts: data with many ties among neighbours.
some_models <- function(n = 40, counts = FALSE, seed = 1) {
  set.seed(seed)
  # no zero and no constant rows, but many equal ones
  counted <- function(q) cbind(1, 2, matrix(sample(0:2, n * (q - 2), TRUE), n))
  layer <- function(q) if (counts) counted(q) else normal_matrix(n, q)
  list(one = list(a = layer(5), b = layer(9)),
       two = list(a = layer(7), b = layer(4), c = layer(12)),
       three = list(a = layer(6), b = layer(8), c = layer(5), d = layer(10)))
}

# The value of `code`, and what it said.
heard <- function(code) {
  said <- list()
  value <- withCallingHandlers(code, repalign_condition = identity, condition = function(c) {
    if (inherits(c, c("repalign_warning", "repalign_message"))) {
      said[[length(said) + 1]] <<- c
      invokeRestart(if (inherits(c, "warning")) "muffleWarning" else "muffleMessage")
    }
  })
  list(value = value, classes = lapply(said, class), text = vapply(said, conditionMessage, ""))
}

# The same call with nothing set, in tiles for lack of memory, and with what `set` sets.
seeded <- function(call, seed = 5) {
  set.seed(seed)
  out <- heard(call())
  out$state <- .Random.seed
  out
}

# As if only `most` representations fitted into memory.
with_room_for <- function(most, code) {
  local_internal("how_many_fit", function(...) most)
  force(code)
}

all_kinds <- list("cka", "rsa", measure("cka", kernel = "rbf", estimator = "stimulus"),
                  "mutual_knn",
                  measure("mka", k = 7), measure("rtd", batch = 15, trials = 2), "procrustes",
                  "cca")

grids <- list(
  "models with themselves" = function(m, ...) similarity(m, measure = all_kinds, ...),
  "models with their own layers" = function(m, ...) similarity(m, measure = all_kinds,
                                                               diagonal = TRUE, ...),
  "two lists of models" = function(m, ...) similarity(m[1:2], m[3], all_kinds, ...),
  "layers" = function(m, ...) similarity(m$three, m$two, all_kinds, ...),
  "a list with itself" = function(m, ...) similarity(m$three, m$three, all_kinds, ...)
)

nulls <- list(
  coset = function(m, ...) calibrate(m[1:2], m[3], c("cka", "mutual_knn", "procrustes"), 100, ...),
  self = function(m, ...) calibrate(m, measure = c("rsa", "mka"), permutations = 60, ...),
  aggregate = function(m, ...) calibrate(m[1:2], m[3], c("cka", "knn_jaccard"), 60,
                                         aggregate = "max", ...),
  random = function(m, ...) calibrate(m$two, m$three, c("cka", "mutual_knn"), 30, engine = "random",
                                      ...),
  direct = function(m, ...) calibrate(m$two, m$one,
                                      list(measure("rtd", batch = 15, trials = 2), "lcs_knn"),
                                      9, ...),
  moments = function(m, ...) calibrate(m$two, m$three, c("cka", "rv"), engine = "moments", ...),
  series = function(m, ...) calibrate(m$two, m$three, c("cka", "mka"), 30, series = TRUE, ...),
  linear = function(m, ...) calibrate(m$two, m$three, c("cka", "mutual_knn"), series = "linear",
                                      ...),
  blocks = function(m, ...) calibrate(m$two, m$two, c("cka", "mutual_knn"), 30,
                                      blocks = rep(1:4, 10), ...)
)

# What each of these calls gives and says without tiles and workers, on two threads; computed once.
untiled_results <- new.env()

untiled <- function(name, counts) {
  key <- paste(name, counts)
  if (is.null(untiled_results[[key]])) {
    m <- some_models(counts = counts)
    untiled_results[[key]] <- seeded(function() c(grids, nulls)[[name]](m, threads = 2))
  }
  untiled_results[[key]]
}
