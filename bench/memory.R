# How well the memory that a call is judged by is estimated, for every measure and for calibrate():
#   Rscript bench/memory.R [ids=cka,rsa] [of=similarity,calibrate] [at_once=2]
# Each call runs in a process of its own, which reads from /proc/self how much memory it had at
# most beyond what it had before (Linux only). Wanted: an estimate of 0.4 to 2.5 times the
# measured peak, give or take 50 MB (half of the free memory is the limit of a call); calls that take
# less than 256 MB do not count. A line a call, the worst last.

suppressPackageStartupMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "timing.R"))

internal <- function(name) getFromNamespace(name, "repalign")

setting <- function(name, default) {
  given <- grep(paste0("^", name, "="), commandArgs(TRUE), value = TRUE)
  if (length(given)) strsplit(sub("^[^=]*=", "", given[1]), ",")[[1]] else default
}

# ---- the child: one call

status <- function(field) {
  line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
  as.double(gsub("[^0-9]", "", line)) / 1024
}

# list(measured, estimated) in MB. The same call on small data loads all code first.
measure_call <- function(of, m, n, d) {
  run <- function(n, d) {
    x <- matrix(rnorm(n * d), n)
    y <- x + matrix(rnorm(n * d), n)
    function() {
      arguments <- c(list(x, y, list(m)), if (of == "calibrate") list(permutations = 5))
      suppressWarnings(suppressMessages(do.call(of, arguments)))
    }
  }
  run(60, 64)()
  run <- run(n, d)
  invisible(gc())
  writeLines("5", "/proc/self/clear_refs") # the peak begins anew
  before <- status("VmRSS")
  run()
  engine <- if (of == "calibrate") "auto"
  list(measured = status("VmHWM") - before,
       estimated = 8 * internal("set_needs")(list(internal("settled_measure")(m)), as.double(n), d,
                                             d, engine) / 2^20)
}

child <- setting("child", NULL)
if (!is.null(child)) {
  call <- readRDS(child)
  saveRDS(do.call(measure_call, call), child)
  quit(status = 0)
}

# ---- the calls

packed <- list(c(6000, 64), c(12000, 64), c(4000, 6000))
decomposed <- list(c(6000, 2000), c(20000, 1000), c(2000, 10000))
searched <- list(c(5000, 8000))
sizes <- list(
  rsa = packed, distance_correlation = packed, rsm_difference = packed,
  uniformity_difference = packed, cka = list(c(6000, 5800), c(5000, 6000)), rbf = packed,
  rv = list(c(5000, 6000)), cca = decomposed, svcca = decomposed, pwcca = decomposed,
  linear_regression = decomposed, eigenspace_overlap = decomposed, gulp = decomposed,
  procrustes = list(c(5000, 4500), c(2000, 16000)), procrustes_size_shape = list(c(2000, 16000)),
  procrustes_similarity = list(c(2000, 16000)), angular_shape = list(c(2000, 16000)),
  aligned_cosine = decomposed, permutation_procrustes = list(c(3000, 5000)),
  hard_correlation_match = list(c(3000, 4000), c(20000, 1000)),
  soft_correlation_match = list(c(3000, 4000), c(20000, 1000)),
  mutual_knn = list(c(5000, 8000), c(20000, 1600)), rtd = list(c(3200, 64)),
  bures = list(c(5000, 500), c(2000, 16000)), bures_distance = list(c(2000, 16000)),
  # the data need as many neurons as there are stimuli, less one
  riemann = list(c(1500, 1600)),
  magnitude_difference = searched, concentricity_difference = searched
)
parameters <- list(
  list("rsa", inner = "euclidean", outer = "pearson"), list("rsa", outer = "kendall"),
  list("rsa", outer = "rho_a"), list("rsa", outer = "whitened_cosine"),
  list("rsm_difference", norm = "spectral"), list("uniformity_difference", normalize = TRUE),
  list("cka", estimator = "stimulus_neuron"), list("cka", kernel = "rbf"),
  list("cka", kernel = "manifold"), list("gulp", lambda = 0.1),
  list("hard_correlation_match", matching = "greedy"), list("cknna", normalize = FALSE),
  list("mutual_knn", metric = "euclidean"), list("rtd", batch = Inf)
)
nulls <- list(
  cka = list(c(5000, 64), c(4000, 5000)), rsa = list(c(5000, 64)),
  distance_correlation = list(c(5000, 64)), rsm_difference = list(c(5000, 64)),
  gulp = list(c(5000, 64)), linear_regression = list(c(5000, 64)),
  eigenspace_overlap = list(c(5000, 64)), procrustes = list(c(4000, 2000), c(1500, 12000)),
  cca = list(c(4000, 2000)), svcca = list(c(4000, 2000)), mutual_knn = list(c(5000, 8000)),
  cknna = list(c(5000, 8000)), hard_correlation_match = list(c(5000, 2500)),
  second_order_cosine = list(c(3000, 8000)), lcs_knn = list(c(5000, 8000))
)

all_calls <- function() {
  set <- c(lapply(stats::setNames(nm = measures()$id), measure), lapply(parameters, function(p) {
    m <- do.call(measure, p)
    m$label <- paste0(p[[1]], "(", paste(names(p)[-1], unlist(p[-1]), sep = " = ",
                                         collapse = ", "), ")")
    m
  }))
  if (is.null(names(set))) names(set) <- ""
  calls <- list()
  add <- function(of, m, at) {
    for (size in at) calls[[length(calls) + 1]] <<- list(of = of, m = m, n = size[1], d = size[2])
  }
  for (m in set) {
    rbf <- identical(m$args$kernel, "rbf")
    neighbours <- identical(m$args$kernel, "manifold")
    at <- if (rbf) sizes$rbf else if (neighbours) searched else sizes[[m$id]]
    add("similarity", m, if (is.null(at)) searched else at)
  }
  for (id in names(nulls)) add("calibrate", measure(id), nulls[[id]])
  add("calibrate", measure("rsa", outer = "kendall"), list(c(4000, 64)))
  add("calibrate", measure("cka", kernel = "rbf"), list(c(5000, 64)))
  Filter(function(call) call$m$id %in% chosen && call$of %in% chosen_of, calls)
}

chosen <- setting("ids", measures()$id)
chosen_of <- setting("of", c("similarity", "calibrate"))

run_child <- function(call) {
  file <- tempfile(fileext = ".rds")
  saveRDS(call, file)
  script <- file.path(if (dir.exists("bench")) "bench" else ".", "memory.R")
  failed <- system2(file.path(R.home("bin"), "Rscript"), c(script, paste0("child=", file)))
  if (failed != 0) return(NULL)
  found <- readRDS(file)
  row <- data.frame(call = paste0(call$of, ": ", call$m$label), n = call$n, d = call$d,
                    estimated = found$estimated, measured = found$measured)
  cat(sprintf("%-55s %6d x %-6d estimate %7.0f MB, peak %7.0f MB\n", row$call, row$n, row$d,
              row$estimated, row$measured))
  row
}

if (!file.exists("/proc/self/clear_refs")) {
  say("This needs Linux: nothing measured.")
  quit(status = 0)
}
say_machine()
at_once <- as.integer(setting("at_once", 1))
rows <- do.call(rbind, parallel::mclapply(all_calls(), run_child, mc.cores = at_once,
                                          mc.preschedule = FALSE))
# how far outside of 0.4 to 2.5 times, beyond 50 MB
rows$off <- pmax(0.4 * rows$measured - 50 - rows$estimated,
                 rows$estimated - 2.5 * rows$measured - 50, 0)
large <- rows[rows$measured > 256, ]
large <- large[order(large$off, abs(log(large$estimated / large$measured))), ]
cat("\nestimate / peak, where it exceeds 256 MB\n")
cat(sprintf("%5.2f  %-55s %6d x %-6d %7.0f / %7.0f MB%s\n", large$estimated / large$measured,
            large$call, large$n, large$d, large$estimated, large$measured,
            ifelse(large$off > 0, "  MISSED", "")), sep = "")
say("%d of %d met", sum(large$off == 0), nrow(large))
