# Small things that all files use: kinds of representations, progress, tolerances, memory, and the
# file that is open.

# ---- kind

# A representation is of one of three kinds: responses ("data"), distances between stimuli ("dist"),
# or a neighbour graph ("graph").

kinds <- c("data", "dist", "graph")

kind_of <- function(x) {
  if (is.matrix(x)) return("data") # the quick answer to most
  if (inherits(x, "dist")) return("dist")
  if (is_graph(x)) "graph" else "data"
}

is_graph <- function(x) {
  is.list(x) && !is.data.frame(x) && all(c("idx", "dist") %in% names(x)) &&
    length(dim(x$idx)) == 2
}

stimulus_count <- function(x) {
  if (inherits(x, "dist")) return(attr(x, "Size"))
  if (is.matrix(x)) return(dim(x)[1])
  nrow(if (is_graph(x)) x$idx else x)
}

stimulus_names <- function(x) {
  if (inherits(x, "dist")) return(attr(x, "Labels"))
  if (is.matrix(x)) return(dimnames(x)[[1]])
  # the row names of a data frame without any are numbers
  if (is.data.frame(x) && .row_names_info(x) <= 0) return(NULL)
  rownames(if (is_graph(x)) x$idx else x)
}

# ---- progress

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
  inform(c(class, "repalign_duration"), "{what} takes about {format_duration(seconds)}. {remedy}")
}

format_duration <- function(seconds) {
  if (seconds < 60) return(paste(ceiling(seconds / 10) * 10, "seconds"))
  if (seconds < 5400) return(paste(ceiling(seconds / 60), "minutes"))
  paste(format(seconds / 3600, digits = 2), "hours")
}

# ---- tolerance

# These tolerances say how much rounding may change, so that numbers still count as equal or zero.

# A null score counts as equal to the observed one when they differ by less than this share of their
# scale.
equal_share <- 1e-10

# Other numbers count as equal when they differ by less than this share.
tie_share <- 1e-12

# 0 for what is rounding beside `size`.
unless_rounding <- function(values, size) {
  replace(values, which(abs(values) <= tie_share * abs(size)), 0)
}

# A sum counts as zero when it is a smaller share of its terms than this.
rounding_share <- 1e-14

# A corrected H value is a difference of large terms: one of rounding size counts as zero.
is_positive <- function(h) h$value > rounding_share * h$magnitude

# The factor that brings numbers up to `largest` to the size of 1. As a power of two it changes no
# digits, and its exponent is bounded so that it stays a normal double.
power_of_two_below <- function(largest) 2^-max(min(floor(log2(largest)), 1000), -1000)

# Takes back what rounding may have added beyond the bounds.
clip_to_range <- function(value, low, high) {
  value[which(value < low)] <- low
  value[which(value > high)] <- high
  value
}

# Is a square matrix its transpose, up to rounding? Missing values must stand on both sides.
equals_transpose <- function(a) {
  a <- unname(unclass(a))
  identical(is.na(a), is.na(t(a))) &&
    all(abs(a - t(a)) <= 1e-8 * max(abs(a), 0, na.rm = TRUE), na.rm = TRUE)
}

# Beyond this in size, a value says nothing about how alike two sides are.
meaningless <- 2

# What is counted as independent; labels that each stimulus has for itself say nothing else than
# none. codes: those of clusters, or NULL.
unit_words <- function(codes) if (anyDuplicated(codes[!is.na(codes)])) "clusters" else "stimuli"

# sampled: whose neurons are, c(x, y).
samples_word <- function(sampled, codes) {
  paste(c(unit_words(codes),
          if (any(sampled)) paste0("neurons_", names(which(sampled)))), collapse = " + ")
}

# Where controls are refused.
cosine_words <- function() {
  paste("Partial scores are of cka(), rv(), kcka(), rsa() (outer = \"pearson\", \"spearman\",",
        "\"cosine\", \"whitened_cosine\" or \"whitened_pearson\") and distance_correlation()",
        "(squared = TRUE, or estimator = \"unbiased\").")
}

# ---- memory

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

# ---- the file that is open

# The HDF5 file that is open: `path`, `file`, and `datasets` once they were listed; keep: does it
# stay open?
opened <- new.env(parent = emptyenv())

# Evaluates `code`, which reads files. The last HDF5 file stays open meanwhile: each time that hdf5r
# closes one it collects garbage, which takes longer than to read an array.
keep_open <- function(code) {
  if (isTRUE(opened$keep)) return(code)
  opened$keep <- TRUE
  on.exit({
    opened$keep <- FALSE
    close_hdf5()
  })
  code
}

close_hdf5 <- function() {
  if (!is.null(opened$file)) try(opened$file$close_all(), silent = TRUE)
  opened$path <- opened$file <- opened$datasets <- NULL
}
