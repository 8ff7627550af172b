# These functions decide how many threads the C code of this package runs; the BLAS has a setting of
# its own, which is never touched.

# The process that loaded the package. A process forked from it must run one thread, because the
# threads of OpenMP do not survive a fork.
loaded_in <- new.env()

thread_count <- function(threads = NULL) {
  if (!identical(loaded_in$process, Sys.getpid())) return(1L)
  limits <- .Call(C_thread_limits)
  if (!is.null(threads)) return(min(check_count(threads, "threads"), limits[2]))
  set <- getOption("repalign.threads")
  if (!is.null(set)) return(min(check_count(set, "options(repalign.threads =)"), limits[2]))
  if (checked_with_few_cores()) min(limits[1], 2L) else limits[1]
}

# The checks of CRAN allow two cores, and say so in this environment variable, which the package
# parallel reads in the same way.
checked_with_few_cores <- function() {
  limit <- tolower(Sys.getenv("_R_CHECK_LIMIT_CORES_"))
  nzchar(limit) && limit != "false"
}
