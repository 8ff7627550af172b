# Timing for the benchmarks: medians over repeats, and ratios on the same machine.

seconds <- function(code, times = 5) {
  expression <- substitute(code)
  env <- parent.frame()
  runs <- vapply(seq_len(times), function(i) {
    gc(FALSE)
    started <- Sys.time()
    eval(expression, env)
    as.double(difftime(Sys.time(), started, units = "secs"))
  }, 0)
  stats::median(runs)
}

say <- function(...) cat(sprintf(...), "\n", sep = "")

# "wanted" figures are ratios; a run says whether it met them.
verdict <- function(value, wanted, at_least = FALSE) {
  met <- if (at_least) value >= wanted else value <= wanted
  sprintf("%.3g (wanted: %s %g) %s", value, if (at_least) "at least" else "at most", wanted,
          if (met) "met" else "MISSED")
}

say_machine <- function() {
  say("%s, BLAS %s, %d OpenMP threads", R.version.string, extSoftVersion()[["BLAS"]],
      repalign:::thread_count())
}
