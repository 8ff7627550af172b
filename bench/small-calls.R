# What a small call costs: two matrices of 30 x 10, beside the same lines of plain R, and beside
# another library of the package.
#   R_LIBS=.build/lib Rscript bench/small-calls.R [OTHER LIBRARY]
# Processor time of one call in microseconds. The libraries take turns in processes of their own,
# and the fastest turn counts, so that what else the machine does falls on both alike. The check of
# dependent rows is counted apart: each call is timed with it and with nothing in its place. (Calls
# that give scores alone have none; those without a line of plain R are timed for what they check.)

turns <- 5
calls <- 400

plain <- list(
  cka = function(x, y) {
    x <- scale(x, scale = FALSE)
    y <- scale(y, scale = FALSE)
    sum(crossprod(x, y)^2) / sqrt(sum(crossprod(x)^2) * sum(crossprod(y)^2))
  },
  rsa = function(x, y) {
    cor(as.dist(1 - cor(t(x))), as.dist(1 - cor(t(y))), method = "spearman")
  },
  mutual_knn = function(x, y) {
    nearest <- function(x) {
      cosines <- tcrossprod(x / sqrt(rowSums(x^2)))
      diag(cosines) <- -Inf
      apply(-cosines, 1, order)[1:10, ]
    }
    x <- nearest(x)
    y <- nearest(y)
    mean(vapply(seq_len(ncol(x)), function(i) sum(x[, i] %in% y[, i]), 0)) / 10
  }
)

checked <- list(
  corrected = function(x, y) suppressWarnings(repalign::cka(x, y, estimator = "stimulus_neuron")),
  calibrate = function(x, y) suppressMessages(repalign::calibrate(x, y, permutations = 29)),
  interval = function(x, y) repalign::score_interval(x, y)
)

# Microseconds of processor time, after R has compiled what runs.
microseconds <- function(run, x, y) {
  for (i in 1:50) run(x, y)
  gc(FALSE)
  started <- proc.time()
  for (i in seq_len(calls)) run(x, y)
  sum((proc.time() - started)[c("user.self", "sys.self")]) / calls * 1e6
}

# Nothing stands in the place of the check of dependence.
without_check <- function() {
  namespace <- asNamespace("repalign")
  # the other library may have the check under its earlier name
  for (name in intersect(c("warn_of_rows", "warn_alike"), names(namespace))) {
    unlockBinding(name, namespace)
    assign(name, function(...) invisible(), envir = namespace)
  }
}

one_turn <- function(library) {
  suppressMessages(library("repalign", lib.loc = library, character.only = TRUE))
  set.seed(1)
  x <- matrix(rnorm(300), 30)
  y <- matrix(rnorm(300), 30)
  ours <- lapply(c(cka = "cka", rsa = "rsa", mutual_knn = "mutual_knn"), getExportedValue,
                 ns = "repalign")
  for (name in names(plain)) stopifnot(all.equal(plain[[name]](x, y), ours[[name]](x, y)))
  ours <- c(ours, checked)
  none <- rep(NA, length(checked))
  times <- data.frame(measure = names(ours), plain = c(vapply(plain, microseconds, 0, x, y), none),
                      call = vapply(ours, microseconds, 0, x, y))
  without_check()
  times$unchecked <- vapply(ours, microseconds, 0, x, y)
  write.csv(times, row.names = FALSE)
}

turn_in_process <- function(library) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  out <- system2(file.path(R.home("bin"), "Rscript"), c(script, "turn", shQuote(library)),
                 stdout = TRUE)
  utils::read.csv(text = out)
}

fastest <- function(runs) {
  columns <- c("plain", "call", "unchecked")
  data.frame(measure = runs[[1]]$measure, Reduce(pmin, lapply(runs, `[`, columns)))
}

# `unchecked` is the time without the check of dependence, which is what is compared.
show <- function(title, times, other = NULL) {
  cat("\n", title, ", microseconds a call\n", sep = "")
  table <- data.frame(plain_r = round(times$plain), call = round(times$call),
                      check = round(pmax(times$call - times$unchecked, 0)),
                      to_plain_r = round(times$unchecked / times$plain, 1),
                      row.names = times$measure)
  if (!is.null(other)) table$to_other <- round(times$unchecked / other$unchecked, 2)
  print(table)
}

given <- commandArgs(TRUE)
if (length(given) && given[1] == "turn") {
  one_turn(given[2])
} else {
  libraries <- c(dirname(find.package("repalign")), given)
  runs <- lapply(libraries, function(library) list())
  for (turn in seq_len(turns)) {
    for (i in seq_along(libraries)) {
      runs[[i]][[turn]] <- turn_in_process(libraries[i])
    }
  }
  times <- lapply(runs, fastest)
  if (length(libraries) == 2) show("The other library", times[[2]])
  show("This library", times[[1]], if (length(libraries) == 2) times[[2]])
}
