# Errors, warnings and calls that must not happen.

# The error has the package's class, says what the pattern says, and is no other
# error that happens to come first.
expect_refused <- function(call, pattern) {
  error <- tryCatch({
    force(call)
    NULL
  }, error = identity)
  expect(inherits(error, "repalign_error"), paste0(
    "expected a repalign_error matching ", pattern, ", got ",
    if (is.null(error)) "no error" else paste0(class(error)[1], ": ", conditionMessage(error))
  ))
  if (inherits(error, "repalign_error")) {
    for (part in pattern) expect_match(conditionMessage(error), part)
  }
  invisible(error)
}

# The value of a call that gives a warning of the class.
expect_warned <- function(call, class) {
  seen <- NULL
  value <- withCallingHandlers(call, warning = function(w) {
    seen <<- c(seen, class(w))
    invokeRestart("muffleWarning")
  })
  expect(class %in% seen, paste("expected a warning of class", class))
  invisible(value)
}

# Another function in the place of `name`, until the calling function ends. This is what
# local_mocked_bindings() of testthat does from its version 3.1.7 on, which is younger than the
# testthat of Debian 12; and it reaches functions of base R, too (where = baseenv()).
local_internal <- function(name, value, where = asNamespace("repalign"), frame = parent.frame()) {
  original <- get(name, envir = where)
  replace <- function(value) {
    unlockBinding(name, where)
    assign(name, value, envir = where)
    lockBinding(name, where)
  }
  withr::defer(replace(original), frame)
  replace(value)
}

# How often the internal function `name` is called while `code` runs.
count_calls <- function(name, code) {
  original <- get(name, envir = asNamespace("repalign"))
  calls <- 0L
  counting <- function(...) {
    calls <<- calls + 1L
    original(...)
  }
  local_internal(name, counting)
  force(code)
  calls
}

# Few neurons: undefined values are not what the test is about.
undefined_is_fine <- function(code) {
  withCallingHandlers(code, repalign_undefined = function(w) invokeRestart("muffleWarning"))
}

# Few neurons, or few stimuli, on purpose: that corrected CKA then warns has a test of its own.
few_is_fine <- function(code) suppressWarnings(code, classes = "repalign_unstable")

# For calls that take every other stimulus as a neighbour on purpose: that they warn of it has
# a test of its own.
full_k <- function(code) suppressWarnings(code, classes = "repalign_trivial")

# For tests that take long, or that no other machine can change: see tests/README.md.
skip_unless_extended <- function() {
  skip_if_not(identical(Sys.getenv("REPALIGN_EXTENDED_TESTS"), "true"),
              "REPALIGN_EXTENDED_TESTS is not \"true\"")
}
