# Rscript bench/interrupts.R [call] [times=3] [size=1]
#
# How soon does a long call stop when the user interrupts it? Each call runs in a process of its
# own, which gets an interrupt (SIGINT, as Ctrl-C sends it) at `times` moments spread over the time
# that the call takes alone, each in a new process. The table has the seconds from the interrupt to
# the end of the call, the longest of each call; `whole` is the time of the call without one.
# size: multiplies the numbers of neurons (and of stimuli, where neighbours are searched).

arguments <- commandArgs(trailingOnly = TRUE)
set <- function(name, default) {
  given <- grep(paste0("^", name, "="), arguments, value = TRUE)
  if (length(given)) as.numeric(sub(".*=", "", given[1])) else default
}
times <- set("times", 3)
size <- set("size", 1)
chosen <- grep("=", arguments, value = TRUE, invert = TRUE)

# What each call needs is made before; `d` is a number of neurons, `n` one of stimuli.
calls <- list(
  permutation_procrustes = list(d = 4000, n = 50, run = quote(permutation_procrustes(x, y))),
  hard_correlation_match = list(d = 4000, n = 50, run = quote(hard_correlation_match(x, y))),
  greedy = list(d = 4000, n = 50, run = quote(hard_correlation_match(x, y, matching = "greedy"))),
  manifold = list(d = 20, n = 30000, run = quote(cka(x, y, kernel = "manifold"))),
  manifold_wide = list(d = 3000, n = 6000, run = quote(cka(x, y, kernel = "manifold"))),
  manifold_corrected = list(d = 20, n = 30000, run =
    quote(cka(x, y, kernel = "manifold", estimator = "stimulus"))),
  manifold_null = list(d = 20, n = 3000, run =
    quote(calibrate(x, y, measure("cka", kernel = "manifold"), permutations = 4999))),
  manifold_interval = list(d = 20, n = 3000, run =
    quote(score_interval(x, y, measure("cka", kernel = "manifold"))))
)
if (length(chosen)) calls <- calls[chosen]

# The process of a call says when it begins and when it ends.
child <- function(call, log) {
  code <- bquote({
    library(repalign)
    options(repalign.threads = 1)
    say <- function(what) cat(what, " ", format(as.numeric(Sys.time()), digits = 16), "\n",
                              sep = "", file = .(log), append = TRUE)
    set.seed(1)
    x <- matrix(rnorm(.(call$n) * .(call$d)), .(call$n))
    y <- matrix(rnorm(.(call$n) * .(call$d)), .(call$n))
    cat("pid ", Sys.getpid(), "\n", sep = "", file = .(log))
    say("begun")
    end <- tryCatch({
      suppressMessages(.(call$run))
      "whole"
    }, interrupt = function(i) "stopped")
    say(end)
  })
  script <- tempfile(fileext = ".R")
  writeLines(deparse(code), script)
  system2(file.path(R.home("bin"), "Rscript"), script, wait = FALSE, stdout = FALSE, stderr = FALSE)
}

said <- function(log) {
  lines <- if (file.exists(log)) strsplit(readLines(log, warn = FALSE), " ")
  lines <- Filter(function(line) length(line) == 2, lines)
  stats::setNames(as.numeric(vapply(lines, `[`, "", 2)), vapply(lines, `[`, "", 1))
}

wait_for <- function(log, words, most = 600) {
  until <- Sys.time() + most
  while (!any(words %in% names(said(log)))) {
    if (Sys.time() > until) stop("Nothing was heard of a call in ", most, " s.")
    Sys.sleep(0.02)
  }
  said(log)
}

# The seconds that a call takes alone, or the delay of its end after an interrupt at `moment`.
seconds_of <- function(call, moment = NULL) {
  log <- tempfile()
  child(call, log)
  found <- wait_for(log, "begun")
  if (is.null(moment)) return(unname(diff(wait_for(log, "whole")[c("begun", "whole")])))
  Sys.sleep(max(0, found[["begun"]] + moment - as.numeric(Sys.time())))
  sent <- as.numeric(Sys.time())
  tools::pskill(found[["pid"]], tools::SIGINT)
  found <- wait_for(log, c("stopped", "whole"))
  if ("stopped" %in% names(found)) found[["stopped"]] - sent else NA
}

rows <- lapply(names(calls), function(name) {
  call <- calls[[name]]
  call$d <- round(call$d * size)
  if (grepl("^manifold", name)) call$n <- round(call$n * size)
  whole <- seconds_of(call)
  moments <- whole * (seq_len(times) - 0.5) / times
  delays <- vapply(moments, function(moment) seconds_of(call, moment), 0)
  row <- data.frame(call = name, n = call$n, d = call$d, whole = round(whole, 1),
                    longest = round(max(delays, na.rm = TRUE), 2), stopped = sum(!is.na(delays)))
  print(row, row.names = FALSE)
  row
})
