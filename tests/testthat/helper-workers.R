# Workers of future.

with_workers <- function(workers, code, own = FALSE) {
  local_workers(workers, own)
  force(code)
}

# Until the calling function ends. Workers take a second to start: all tests share them, but for
# those that need their own, because an error leaves work behind that others must not find.
local_workers <- function(workers, own = FALSE, frame = parent.frame()) {
  skip_if_not_installed("future.apply")
  installed <- suppressWarnings(system.file(package = "repalign", lib.loc = .libPaths()))
  if (installed == "") skip("workers do not find the package")
  if (!talks_to_itself() && !future::supportsMulticore()) skip("workers cannot be reached")
  # how often future asks whether a worker has finished, in seconds
  withr::local_options(future.wait.interval = 0.02, .local_envir = frame)
  old <- if (!talks_to_itself()) {
    future::plan(future::multicore, workers = workers)
  } else if (own) {
    future::plan(future::multisession, workers = workers)
  } else {
    future::plan(future::cluster, workers = once(paste(workers, "workers"), {
      future::makeClusterPSOCK(workers, rscript_libs = .libPaths())
    }))
  }
  withr::defer(future::plan(old), frame)
}

# Sessions of R are reached through sockets of this machine. Where it has none (cut off from all
# networks, even from itself) the workers are forks.
talks_to_itself <- function() once("talks to itself", {
  tryCatch(call_oneself(), error = function(e) FALSE, warning = function(w) FALSE)
})

call_oneself <- function() {
  # one of these ports is free
  for (port in 21000 + (Sys.getpid() + 0:9) %% 20000) {
    server <- tryCatch(serverSocket(port), error = function(e) NULL)
    if (!is.null(server)) break
  }
  on.exit(close(server))
  close(socketConnection(port = port, timeout = 2))
  TRUE
}
