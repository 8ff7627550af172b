# Is there memory for what a call is about to allocate?

# Sizes are passed as doubles, so that the check itself cannot overflow.
check_size <- function(rows, columns, arg) {
  refuse_if(rows > .Machine$integer.max || columns > .Machine$integer.max, "size",
            "`{arg}` is {format(rows)} x {format(columns)}: each side must fit a BLAS integer (at ",
            "most 2^31 - 1). Take fewer rows or columns.")
  invisible()
}

# bytes: what the call is about to allocate; what and remedy: what the memory is for, and what would
# need less of it, for the error message.
check_memory <- function(bytes, what, remedy) {
  if (is_small_amount(bytes)) return(invisible())
  limit <- memory_limit()
  refuse_if(bytes > limit, "memory", "{what} would take about {format_bytes(bytes)}, more than ",
            "the {format_bytes(limit)} allowed (half of the free memory, or ",
            "options(repalign.max_memory =)). {remedy}", arg = NULL)
  invisible()
}

# Asking the system for its free memory takes longer than filling such a small amount.
is_small_amount <- function(bytes) bytes < 2^24 && is.null(getOption("repalign.max_memory"))

format_bytes <- function(bytes) format(structure(bytes, class = "object_size"), units = "auto")

memory_limit <- function() {
  set <- getOption("repalign.max_memory")
  if (!is.null(set)) return(check_number(set, "repalign.max_memory", above = 0))
  # Linux tells how much memory is free. Elsewhere it is unknown, and 16 GB are taken for granted,
  # which most workstations have.
  lines <- catch_error(readLines("/proc/meminfo"), failed = function(e) character(),
                       warning = function(w) character())
  line <- grep("^MemAvailable:", lines, value = TRUE)
  free <- if (length(line) == 1) as.double(gsub("[^0-9]", "", line)) * 1024 else 16 * 1024^3
  free / 2
}
