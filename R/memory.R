# These functions check, before memory is allocated, whether a call may use so much of it.

# Sizes are passed as doubles, so that the check itself cannot overflow.
check_size <- function(rows, columns, arg) {
  if (rows > .Machine$integer.max || columns > .Machine$integer.max) {
    abort("`", arg, "` is ", format(rows), " x ", format(columns),
          ": each side must fit a BLAS integer (at most 2^31 - 1). Take fewer rows or columns.",
          class = "repalign_error_size", arg = arg)
  }
  invisible()
}

# bytes: what the call is about to allocate; what and remedy: what the memory is for, and what would
# need less of it, for the error message.
check_memory <- function(bytes, what, remedy) {
  # asking the system for its free memory takes longer than filling such a small amount
  if (bytes < 2^24 && is.null(getOption("repalign.max_memory"))) return(invisible())
  limit <- memory_limit()
  if (bytes > limit) {
    abort(what, " would take about ", format_bytes(bytes), ", more than the ", format_bytes(limit),
          " allowed (half of the free memory, or options(repalign.max_memory =)). ", remedy,
          class = "repalign_error_memory")
  }
  invisible()
}

format_bytes <- function(bytes) format(structure(bytes, class = "object_size"), units = "auto")

memory_limit <- function() {
  set <- getOption("repalign.max_memory")
  if (!is.null(set)) return(check_number(set, "repalign.max_memory", above = 0))
  free_memory() / 2
}

# Linux tells how much memory is free. Elsewhere it is unknown, and 16 GB are taken for granted,
# which most workstations have.
free_memory <- function() {
  lines <- tryCatch(readLines("/proc/meminfo"), error = function(e) character(),
                    warning = function(w) character())
  line <- grep("^MemAvailable:", lines, value = TRUE)
  if (length(line) == 1) as.double(gsub("[^0-9]", "", line)) * 1024 else 16 * 1024^3
}
