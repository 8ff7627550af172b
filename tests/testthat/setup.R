# The tests leave the session as they found it: what they changed and did not put back is an error.

session_state <- function() {
  files <- dir(recursive = TRUE)
  list(
    options = options()[names(options()) != "testthat_topenv"], variables = as.list(Sys.getenv()),
    other = list(
      generator = RNGkind(), devices = grDevices::dev.list(), folder = getwd(),
      workers = if (isNamespaceLoaded("future")) as.integer(future::nbrOfWorkers()) else 1L,
      objects = ls(globalenv()), files = files[!grepl("^(_snaps/|testthat-problems)", files)]
    )
  )
}

# Of options and variables those that were there before: packages bring their own when they load.
changed_names <- function(before, after) {
  same <- vapply(names(before), function(name) identical(before[[name]], after[[name]]), NA)
  names(before)[!same]
}

# Every test sets the seed that it needs; the caller's is put back.
withr::local_preserve_seed(.local_envir = teardown_env())

# What is said once a session is said where a test asks for it.
withr::local_options(repalign.hints = FALSE, .local_envir = teardown_env())

state_before <- session_state()
withr::defer({
  changed <- unlist(Map(changed_names, state_before, session_state()))
  if (length(changed)) stop("the tests left changed: ", paste(changed, collapse = ", "))
}, teardown_env())
