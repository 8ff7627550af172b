# No switch() falls through in silence: its last branch is for words that no other one is for.

# The calls of switch() in code whose last argument is no error. The first argument of switch() is
# what it switches on.
silent_switches <- function(code) {
  found <- list()
  walk <- function(e) {
    if (!is.call(e) && !is.pairlist(e)) return(invisible())
    if (is.call(e) && identical(e[[1]], quote(switch)) && !stops(e)) {
      found[[length(found) + 1]] <<- e
    }
    parts <- as.list(e)
    for (k in seq_along(parts)) if (!identical(parts[[k]], quote(expr = ))) walk(parts[[k]])
  }
  stops <- function(e) {
    branches <- as.list(e)[-(1:2)]
    last <- branches[[length(branches)]]
    named <- !is.null(names(branches)) && nzchar(names(branches)[length(branches)])
    !named && is.call(last) && as.character(last[[1]])[1] %in% c("no_branch", "stop", "abort")
  }
  walk(code)
  found
}

test_that("silent switches are found", {
  expect_length(silent_switches(quote(switch(x, a = 1, b = 2))), 1)
  expect_length(silent_switches(quote(f(function(x) switch(x, a = 1, 2)))), 1)
  expect_length(silent_switches(quote(switch(x, a = 1, b = , c = 2, no_branch(x)))), 0)
  expect_length(silent_switches(quote(switch(x, a = switch(y, b = 1), stop("no")))), 1)
})

# All functions in a value of the package: in lists and environments, too, where declarations are.
functions_in <- function(value) {
  if (is.function(value)) return(list(value))
  if (is.environment(value)) value <- as.list(value, all.names = TRUE)
  if (is.list(value)) unlist(lapply(unclass(value), functions_in))
}

test_that("every switch() of the package stops at words that it does not know", {
  namespace <- asNamespace("repalign")
  silent <- lapply(ls(namespace), function(name) {
    code <- lapply(functions_in(get(name, envir = namespace)), function(f) {
      c(silent_switches(formals(f)), silent_switches(body(f)))
    })
    vapply(unlist(code), function(e) paste0(name, ": ", substr(deparse1(e), 1, 60)), "")
  })
  expect_identical(unlist(silent), character())
})
