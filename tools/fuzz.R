# Rscript tools/fuzz.R [calls] [first seed] [folder]
#
# Calls the package with random arguments, most of them valid: calibrate() above all, similarity(),
# the measures, cka_interval(), the analyses, RDMs, and what goes from scores to conclusions. A call
# must end in a valid result (fuzz/checks.R) or in an error of class repalign_error. Everything else
# is a finding: it is printed with its seed and a call, and kept in `folder` (.build/fuzz). Call
# number i is drawn from the seed first + i - 1 and from nothing else, so that one can be repeated
# by itself. Status 1 when something was found, or when fewer than 80% of the calls gave a result.
# `make fuzz` runs it under sanitizers.

library(repalign)
for (file in c("draw", "representations", "parameters", "responses", "rdms", "recordings",
               "evaluations", "calls", "calibrations", "conclusions", "outcomes", "checks",
               "check-calibrations", "tally")) {
  source(file.path("tools", "fuzz", paste0(file, ".R")))
}
Sys.setenv(LANGUAGE = "en")
options(warn = 1, repalign.threads = 1)
grDevices::pdf(NULL) # for plots that are drawn

arguments <- commandArgs(trailingOnly = TRUE)
calls <- if (length(arguments) > 0) as.integer(arguments[1]) else 1000L
first <- if (length(arguments) > 1) as.integer(arguments[2]) else 1L
folder <- if (length(arguments) > 2) arguments[3] else file.path(".build", "fuzz")
dir.create(folder, recursive = TRUE, showWarnings = FALSE)

check_parameters()
tally <- new_tally(folder, first)
for (seed in first + seq_len(calls) - 1L) {
  tally$at(seed)
  set.seed(seed)
  drawn <- tryCatch(draw_call(), error = function(e) list(fun = "none", failure = e))
  outcome <- if (is.null(drawn$failure)) evaluate(drawn$call, seed) else list(seconds = 0)
  found <- tryCatch(findings_of(drawn, outcome, seed), error = function(e) {
    paste("the check failed:", conditionMessage(e))
  })
  tally$add(drawn, outcome, found, seed)
}
quit(status = tally$report())
