# How many threads are used by default, and when asked.

thread_count <- repalign:::thread_count

with_limit <- function(value, code) withr::with_envvar(c("_R_CHECK_LIMIT_CORES_" = value), code)

# OpenMP reads its variables once, when it starts: only a new process sees others.
count_in_new_process <- function(..., threads = "NULL") {
  variables <- c(OMP_NUM_THREADS = NA, OMP_THREAD_LIMIT = NA, "_R_CHECK_LIMIT_CORES_" = NA)
  given <- c(...)
  variables[names(given)] <- given
  libraries <- c(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  code <- paste0("cat(repalign:::thread_count(", threads, "))")
  output <- withr::with_envvar(c(variables, libraries), system2(
    file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = TRUE
  ))
  as.integer(output)
}

test_that("a check with few cores gets at most two threads, if no number is asked for", {
  withr::local_options(repalign.threads = NULL)
  limits <- .Call(repalign:::C_thread_limits)
  for (value in c("true", "TRUE", "warn")) {
    expect_identical(with_limit(value, thread_count()), min(limits[1], 2L), label = value)
    expect_identical(with_limit(value, thread_count(3)), min(3L, limits[2]), label = value)
  }
  for (value in c("", "false", "FALSE")) {
    expect_identical(with_limit(value, thread_count()), limits[1], label = value)
  }
  withr::local_options(repalign.threads = 3)
  expect_identical(with_limit("true", thread_count()), min(3L, limits[2]))
})

test_that("the limit holds where OpenMP would offer more threads", {
  skip_unless_extended()
  limit <- c("_R_CHECK_LIMIT_CORES_" = "true")
  most <- .Call(repalign:::C_thread_limits)[2]
  expect_identical(count_in_new_process(OMP_NUM_THREADS = "3"), min(3L, most))
  expect_identical(count_in_new_process(OMP_NUM_THREADS = "3", limit), min(2L, most))
  expect_identical(count_in_new_process(limit), min(2L, most))
  expect_identical(count_in_new_process(OMP_NUM_THREADS = "1", limit), 1L)
  expect_identical(count_in_new_process(OMP_THREAD_LIMIT = "1", threads = "4"), 1L)
})

test_that("a number of threads that is given holds for the whole call", {
  x <- cos(outer(1:12, 1:4))
  call <- list(
    similarity = function() similarity(list(a = x, b = x^2), measure = "rsa", threads = 1),
    evaluate_rdms = function() {
      evaluate_rdms(list(dist(x), dist(x^2)), list(a = dist(x + 1), b = dist(x^3)),
                    outer = "kendall", resample = "none", permutations = 9, threads = 1)
    }
  )
  # the option is judged wherever a number is taken from it
  withr::local_options(repalign.threads = "many")
  for (name in names(call)) {
    expect_no_error(suppressMessages(suppressWarnings(call[[name]]())), message = name)
  }
})
