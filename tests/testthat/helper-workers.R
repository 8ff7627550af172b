# Workers of future.

# Workers of their own each time: an error leaves work behind that others must not find.
with_workers <- function(workers, code) {
  local_workers(workers)
  force(code)
}

# Until the calling function ends.
local_workers <- function(workers, frame = parent.frame()) {
  skip_if_not_installed("future.apply")
  installed <- suppressWarnings(system.file(package = "repalign", lib.loc = .libPaths()))
  if (installed == "") skip("workers do not find the package")
  if (!talks_to_itself() && !future::supportsMulticore()) skip("workers cannot be reached")
  # how often future asks whether a worker has finished, in seconds
  withr::local_options(future.wait.interval = 0.02, .local_envir = frame)
  strategy <- if (talks_to_itself()) future::multisession else future::multicore
  old <- future::plan(strategy, workers = workers)
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
