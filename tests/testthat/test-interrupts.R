# Long calls end soon after the user interrupts them. bench/interrupts.R measures it for more calls.

# The seconds from an interrupt (SIGINT), half a second after the call begins in a process of its
# own, to its end; NA if the call was over before.
delay_of_interrupt <- function(call, neurons, stimuli) {
  log <- withr::local_tempfile()
  script <- withr::local_tempfile(fileext = ".R")
  code <- bquote({
    .libPaths(.(.libPaths()))
    library(repalign)
    options(repalign.threads = 1)
    set.seed(1)
    x <- matrix(rnorm(.(stimuli * neurons)), .(stimuli))
    y <- matrix(rnorm(.(stimuli * neurons)), .(stimuli))
    say <- function(...) cat(..., "\n", file = .(log), append = TRUE)
    say("begun", Sys.getpid())
    end <- tryCatch({
      suppressMessages(.(call))
      "whole"
    }, interrupt = function(i) "stopped")
    say(end, format(as.numeric(Sys.time()), digits = 16))
  })
  writeLines(deparse(code), script)
  system2(file.path(R.home("bin"), "Rscript"), script, wait = FALSE, stdout = FALSE, stderr = FALSE)
  said <- function(lines) {
    until <- Sys.time() + 120
    repeat {
      found <- if (file.exists(log)) readLines(log, warn = FALSE)
      if (length(found) >= lines && grepl(" $", found[lines])) {
        return(strsplit(trimws(found[lines]), " ")[[1]])
      }
      if (Sys.time() > until) stop("The process of the call says nothing.")
      Sys.sleep(0.02)
    }
  }
  process <- as.integer(said(1)[2])
  Sys.sleep(0.5)
  sent <- as.numeric(Sys.time())
  tools::pskill(process, tools::SIGINT)
  end <- said(2)
  if (end[1] == "stopped") as.numeric(end[2]) - sent else NA_real_
}

test_that("matches of many neurons and neighbours of many stimuli are interrupted", {
  skip_on_cran()
  skip_on_os("windows")
  calls <- list(list(quote(permutation_procrustes(x, y)), 3500, 50),
                list(quote(hard_correlation_match(x, y)), 3500, 50),
                list(quote(cka(x, y, kernel = "manifold")), 20, 20000))
  for (call in calls) {
    delay <- do.call(delay_of_interrupt, call, quote = TRUE)
    # a second, and more where other processes take the processor
    expect_lt(delay, 3)
  }
})
