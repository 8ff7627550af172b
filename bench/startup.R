# What the first calls of a session cost, because R compiles functions that have no byte code when
# they run. From the root of the repository, with the package installed:
#   R_LIBS=.build/lib Rscript bench/startup.R
# Two copies of the package are installed, with and without byte code, and every call is made in
# fresh sessions of each, and of the installed package: processor time (user and system) of loading
# the package, and of the first and the second call. The least of some sessions counts.

sessions <- 5
wanted <- 1.5 # times what the package with byte code takes

calls <- list(
  cka = quote(repalign::cka(x, y)),
  calibrate = quote(calibrate(x, y)),
  score_interval = quote(score_interval(x, y)),
  `all measures` = quote(similarity(x, y, measures()$id, on_error = "na"))
)

processor_time <- function(code) {
  started <- proc.time()
  suppressWarnings(suppressMessages(force(code)))
  spent <- proc.time() - started
  sum(spent[c("user.self", "sys.self")])
}

# In a session of its own: prints three numbers.
one_session <- function(folder, name) {
  set.seed(1)
  x <- matrix(rnorm(30 * 10), 30)
  y <- matrix(rnorm(30 * 10), 30)
  here <- environment()
  load <- processor_time(library("repalign", lib.loc = folder, character.only = TRUE))
  first <- processor_time(eval(calls[[name]], here))
  second <- processor_time(eval(calls[[name]], here))
  cat(load, first, second)
}

session_times <- function(folder, name) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  out <- system2(file.path(R.home("bin"), "Rscript"),
                 c(script, "session", shQuote(folder), shQuote(name)), stdout = TRUE)
  as.double(strsplit(out[length(out)], " ")[[1]])
}

# A copy, so that what is compiled of it does not lie in the repository; its C code is compiled for
# the first of the two libraries only.
copy_of_sources <- function() {
  copy <- file.path(tempfile("startup"), "repalign")
  dir.create(copy, recursive = TRUE)
  file.copy(c("DESCRIPTION", "NAMESPACE", "R", "src", "data", "inst"), copy, recursive = TRUE)
  copy
}

install <- function(copy, option) {
  folder <- tempfile("library")
  dir.create(folder)
  log <- system2(file.path(R.home("bin"), "R"),
                 c("CMD", "INSTALL", option, "--no-docs", "--no-test-load",
                   paste0("--library=", shQuote(folder)), shQuote(copy)),
                 stdout = TRUE, stderr = TRUE)
  if (!dir.exists(file.path(folder, "repalign"))) stop(paste(log, collapse = "\n"))
  folder
}

megabytes <- function(folder) {
  sum(file.size(list.files(file.path(folder, "repalign", "R"), full.names = TRUE))) / 2^20
}

given <- commandArgs(TRUE)
if (length(given) && given[1] == "session") {
  one_session(given[2], given[3])
} else {
  copy <- copy_of_sources()
  libraries <- c(full = install(copy, "--byte-compile"), none = install(copy, "--no-byte-compile"),
                 installed = dirname(find.package("repalign")))
  found <- expand.grid(library = names(libraries), call = names(calls), stringsAsFactors = FALSE)
  least <- matrix(Inf, nrow(found), 3, dimnames = list(NULL, c("load", "first", "second")))
  for (session in seq_len(sessions)) {
    for (row in seq_len(nrow(found))) {
      times <- session_times(libraries[[found$library[row]]], found$call[row])
      least[row, ] <- pmin(least[row, ], times)
    }
  }
  full <- least[match(paste("full", found$call), paste(found$library, found$call)), ]
  # the clock tells milliseconds
  ratio <- round(pmax(least[, -1], 0.001) / pmax(full[, -1], 0.001), 2)
  print(data.frame(found[c("call", "library")], round(least, 3), first_ratio = ratio[, 1],
                   second_ratio = ratio[, 2]), row.names = FALSE)
  cat("\nMB of R code:", paste(names(libraries), round(vapply(libraries, megabytes, 0), 2)), "\n")
  most <- max(ratio[found$library == "installed", 1])
  cat("First calls of the installed package: at most", most, "times those with byte code (wanted:",
      wanted, "at most)", if (most <= wanted) "met\n" else "MISSED\n")
}
