# Threads of our own loops. The BLAS keeps its own setting, which we never touch.

# A forked child must run one thread: OpenMP's pool does not survive a fork.
loaded_in <- new.env()

.onLoad <- function(libname, pkgname) {
  loaded_in$process <- Sys.getpid()
}

thread_count <- function(threads = NULL) {
  if (!identical(loaded_in$process, Sys.getpid())) return(1L)
  limit <- .Call(C_thread_limit)
  if (is.null(threads)) threads <- getOption("repalign.threads")
  if (is.null(threads)) return(limit)
  min(check_count(threads, "threads"), limit)
}
