# Streams of random choices, and the number of threads.

# ---- random choices

# These functions serve the random choices that measures make while they compare: the order of tied
# neighbours, subsets of stimuli. Which choices are needed is known only on the way, perhaps in
# another process, and no result may depend on what else is compared. So every choice comes from a
# stream of its own, which two things determine: what the choice is for (names, side, metric), and
# the seed of the call. The seed is the next number of R's generator when the call begins. If it was
# used, R's generator moves on by one number at the end of the call, so that the next call has
# another seed.

# Allows `reprs`, the representations of a call, to make random choices, and returns what
# end_choices() needs. The seed is made when the first choice is made, but from the state that R's
# generator has now.
begin_choices <- function(reprs) {
  choices <- new.env(hash = FALSE, parent = emptyenv()) # sent to workers, and so kept small
  choices$used <- FALSE
  choices$state <- generator_state()
  # without a state every process would make one of its own
  if (is.null(choices$state)) choices$seed <- next_seed(NULL)
  for (repr in reprs) repr$cache$choices <- choices
  choices
}

end_choices <- function(choices) {
  if (choices$used) sample.int(.Machine$integer.max, 1)
  invisible()
}

generator_state <- function() {
  state <- globalenv()$.Random.seed
  if (is.integer(state)) state
}

restore_generator <- function(state) {
  if (!is.null(state)) assign(".Random.seed", state, envir = globalenv())
  else rm(".Random.seed", envir = globalenv())
}

# The next number of R's generator in this state, or without one. The generator stays as it is.
next_seed <- function(state) {
  now <- generator_state()
  on.exit(restore_generator(now))
  if (!is.null(state)) assign(".Random.seed", state, envir = globalenv())
  sample.int(.Machine$integer.max, 1)
}

# The value of `code`, for which R's generator starts at `seed`. It goes on afterwards as if nothing
# had been drawn.
with_seed <- function(seed, code) {
  now <- generator_state()
  on.exit(restore_generator(now))
  set.seed(seed)
  code
}

# A random order of 1, ..., n for `repr`. what: strings that tell the choice from others of the same
# call. Outside of a call with choices R's generator draws it.
random_order <- function(repr, what, n) {
  choices <- repr$cache$choices
  if (is.null(choices)) return(sample.int(n))
  choices$used <- TRUE
  if (is.null(choices$seed)) choices$seed <- next_seed(choices$state)
  .Call(C_stream_order, as.double(choices$seed), as.character(what), as.double(n))
}

# What a representation is called in results: strings.
names_of <- function(repr) c(repr$model, repr$name)

# The names of a pair, in an order that does not depend on which side is which.
names_of_pair <- function(pair) {
  told <- vapply(pair[c("x", "y")], function(repr) {
    names <- names_of(repr)
    paste0(nchar(names), ":", names, collapse = " ")
  }, "")
  told[radix_order(told)]
}

# ---- threads

# How many threads the C code of this package runs; the BLAS has a setting of its own, which is
# never touched.

# The process that loaded the package. A process forked from it must run one thread, because the
# threads of OpenMP do not survive a fork.
loaded_in <- new.env()

# The number of threads of the call that runs now, an integer.
running <- new.env()

# Judges the number of threads that a call was given, or may take, and holds it until the function
# that was called ends (`frame`). A call within a call takes the number of the outer one.
hold_threads <- function(threads = NULL, frame = parent.frame()) {
  before <- running$threads
  # a process that was forked within a call must not keep the number that this call holds
  count <- if (is_forked()) 1L else if (is.null(threads) && !is.null(before)) before else
    allowed_threads(threads)
  if (identical(before, count)) return(count)
  running$threads <- count
  at_end_of(frame, running$threads <- before)
  count
}

is_forked <- function() loaded_in$process != Sys.getpid()

# Has the function of `frame` evaluate `code` when it ends, after what it has planned for its end.
at_end_of <- function(frame, code) {
  later <- as.call(list(function() code))
  do.call(on.exit, list(later, add = TRUE), envir = frame)
}

# The number of threads of the call, or outside of a call the one that it would have.
thread_count <- function(threads = NULL) {
  if (is.null(threads) && !is.null(running$threads)) return(running$threads)
  if (is_forked()) 1L else allowed_threads(threads)
}

# The number of threads that the call, the options or the machine allow.
allowed_threads <- function(threads) {
  limits <- .Call(C_thread_limits)
  if (!is.null(threads)) return(min(check_count(threads, "threads"), limits[2]))
  set <- getOption("repalign.threads")
  if (!is.null(set)) return(min(check_count(set, "options(repalign.threads =)"), limits[2]))
  # the checks of CRAN allow two cores, and say so in this environment variable, which the package
  # parallel reads in the same way
  few <- Sys.getenv("_R_CHECK_LIMIT_CORES_")
  if (limits[1] > 2L && nzchar(few) && tolower(few) != "false") 2L else limits[1]
}
