# These functions serve long work: they show progress, cut it into chunks between which it can be
# interrupted, and say how long it will take.

# A function to be called after every step. It reports progress to the package progressr, if that is
# installed, until the calling function ends.
progress_along <- function(steps, envir = parent.frame()) {
  if (!requireNamespace("progressr", quietly = TRUE)) return(function(...) NULL)
  progressr::progressor(steps = steps, envir = envir)
}

# Calls run() for columns 1 to `count`, about `size` of them at a time, and returns the rows that it
# gives, one below the other.
in_chunks <- function(count, size, run, what, remedy = "Fewer permutations take less.") {
  starts <- seq(1, count, by = max(1, floor(size)))
  ends <- c(starts[-1] - 1, count)
  advance <- progress_along(length(starts))
  started <- proc.time()[[3]]
  first <- run(starts[1]:ends[1])
  announce_duration(started, ends[1], count, what, remedy)
  advance()
  if (length(starts) == 1) return(first)
  each <- nrow(first) / ends[1] # rows that run() gives for each column
  result <- matrix(0, each * count, ncol(first))
  result[seq_len(nrow(first)), ] <- first
  for (k in seq_along(starts)[-1]) {
    rows <- (each * (starts[k] - 1) + 1):(each * ends[k])
    result[rows, ] <- run(starts[k]:ends[k])
    advance()
  }
  result
}

# Says how long the rest will take, when that is a minute or more.
announce_duration <- function(started, done, count, what,
                              remedy = "Fewer permutations take less.") {
  seconds <- (proc.time()[[3]] - started) / done * (count - done)
  if (seconds < 60) return(invisible())
  inform_duration(what, seconds, remedy)
}

inform_duration <- function(what, seconds, remedy, class = NULL) {
  inform(what, " takes about ", format_duration(seconds), ". ", remedy,
         class = c(class, "repalign_duration"))
}

format_duration <- function(seconds) {
  if (seconds < 60) return(paste(ceiling(seconds / 10) * 10, "seconds"))
  if (seconds < 5400) return(paste(ceiling(seconds / 60), "minutes"))
  paste(format(seconds / 3600, digits = 2), "hours")
}
