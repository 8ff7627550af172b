# The permutation null: does it keep its level, and what does it cost?
#   Rscript bench/null.R [levels] [power] [a] [b] [c] [d] [e] [f] [sets=2000]
# needs the package installed, and a fast BLAS to mean anything. Times are ratios and
# figures of one run; "preparation aside" is without making the forms of the representations.

library(repalign)
source(file.path(if (dir.exists("bench")) "bench" else ".", "timing.R"))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 2000L)

# Levels and power ----
# Data sets are spread over processes of one thread each; a task has its own seed, so the
# result does not depend on how many processes there are.
run_tasks <- function(tasks, run) {
  Sys.setenv(OPENBLAS_NUM_THREADS = "1", OMP_NUM_THREADS = "1")
  cluster <- parallel::makePSOCKcluster(max(1, parallel::detectCores()))
  on.exit({
    parallel::stopCluster(cluster)
    Sys.unsetenv(c("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"))
  })
  parallel::clusterCall(cluster, function(paths) {
    .libPaths(paths)
    library(repalign)
  }, .libPaths())
  parallel::clusterExport(cluster, c("draw_noise", "calibrate_set", "null_cells"))
  parallel::clusterApplyLB(cluster, tasks, run)
}

draw_noise <- function(law, n, d) {
  values <- switch(law, gaussian = stats::rnorm(n * d), t3 = stats::rt(n * d, 3),
                   laplace = stats::rexp(n * d) * sample(c(-1, 1), n * d, TRUE),
                   counts = stats::rpois(n * d, 0.25))
  matrix(values, n)
}

# The smallest numbers of permutations with which p-values at or near 0.01, 0.05 and 0.10
# can occur: whole cosets are n permutations each.
null_cells <- function(law, n) {
  cell <- function(measure, engine, permutations) {
    list(measure = measure, engine = engine, permutations = permutations)
  }
  many <- if (n == 30) 299 else 201
  few <- if (n == 30) 299 else 100 # a singular value decomposition per permutation
  knn <- measure("mutual_knn", metric = "euclidean")
  if (law == "counts") {
    return(list(cell(list(knn, "mka"), "coset", many), cell(list(knn, "mka"), "random", 199)))
  }
  rsa <- measure("rsa", inner = "euclidean")
  list(cell(list("cka", rsa, knn), "coset", many), cell(list("cka", rsa, knn), "random", 199),
       cell(list("procrustes"), "coset", few), cell(list("procrustes"), "random", 99),
       cell(list("cka"), "moments", 199))
}

# One data set under every measure and engine of its cell.
calibrate_set <- function(x, y, cells) {
  rows <- lapply(cells, function(cell) {
    # engine = "moments" refuses data with heavy rows
    row <- tryCatch(suppressWarnings(calibrate(x, y, cell$measure, engine = cell$engine,
                                               permutations = cell$permutations, threads = 1)),
                    repalign_error_design = function(e) NULL)
    if (is.null(row)) return(NULL)
    data.frame(measure = sub("\\(.*", "", row$measure), engine = row$engine,
               permutations = row$permutations, p = row$p_value, threshold = row$threshold,
               null_sd = row$null_sd)
  })
  do.call(rbind, rows)
}

null_tasks <- function(sets, size = 50) {
  data <- rbind(expand.grid(law = c("gaussian", "t3", "laplace"), n = c(30, 101),
                            ratio = c(0.2, 2), stringsAsFactors = FALSE),
                data.frame(law = "counts", n = c(30, 101), ratio = NA))
  data$d <- ifelse(is.na(data$ratio), 6, round(data$ratio * data$n))
  tasks <- merge(data, data.frame(first = seq(1, sets, by = size)))
  tasks$size <- pmin(size, sets - tasks$first + 1)
  tasks$seed <- 1000 + seq_len(nrow(tasks))
  # the dear ones first
  tasks <- tasks[order(-tasks$n * tasks$d), ]
  split(tasks, seq_len(nrow(tasks)))
}

run_null_task <- function(task) {
  set.seed(task$seed)
  rows <- lapply(seq_len(task$size), function(i) {
    calibrate_set(draw_noise(task$law, task$n, task$d), draw_noise(task$law, task$n, task$d),
                  null_cells(task$law, task$n))
  })
  cbind(law = task$law, n = task$n, d = task$d, do.call(rbind, rows))
}

alphas <- c(0.01, 0.05, 0.10)

# The level that can be had with K + 1 values is a multiple of 1 / (K + 1).
attainable <- function(alpha, permutations) {
  if (is.na(permutations)) alpha else floor(alpha * (permutations + 1) + 1e-9) / (permutations + 1)
}

judge_cell <- function(part, share) {
  rejected <- vapply(alphas, function(alpha) sum(part$p <= alpha + 1e-12), 0)
  size <- nrow(part)
  level <- vapply(alphas, attainable, 0, part$permutations[1])
  above <- stats::pbinom(rejected - 1, size, alphas, lower.tail = FALSE)
  below <- stats::pbinom(rejected, size, level)
  row <- part[1, c("measure", "engine", "law", "n", "d")]
  row$sets <- size
  row$values <- if (is.na(part$permutations[1])) NA else part$permutations[1] + 1
  cbind(row, as.list(stats::setNames(rejected / size, c("at_0.01", "at_0.05", "at_0.10"))),
        above = min(above), below = min(below),
        verdict = if (min(above) < share) "ABOVE" else if (min(below) < share) "below" else "")
}

if (wanted("levels")) {
  say("\n(levels) rejection rates over %d null data sets a row", sets)
  started <- Sys.time()
  all <- do.call(rbind, run_tasks(null_tasks(sets), run_null_task))
  cells <- split(all, interaction(all$measure, all$engine, all$law, all$n, all$d, drop = TRUE))
  # each row is tried at three levels, from above and from below
  share <- 0.05 / (length(cells) * length(alphas) * 2)
  table <- do.call(rbind, lapply(cells, judge_cell, share))
  table <- table[order(table$measure, table$engine, table$law, table$n, table$d), ]
  options(width = 130)
  print(format(table, digits = 3), row.names = FALSE)
  say("sets: data sets in which the engine answers")
  say("above, below: the smallest binomial probabilities of as many, or as few, rejections;")
  say("judged at %.2g (0.05 over %d rows, 3 levels, 2 sides). values: null scores and the", share,
      nrow(table))
  say("observed one; a p-value is a multiple of their inverse, or with ties less often small.")
  exact <- table$engine != "moments"
  say("rows above their level: %d of %d sampled, %d of %d by moments: %s",
      sum(table$verdict[exact] == "ABOVE"), sum(exact), sum(table$verdict[!exact] == "ABOVE"),
      sum(!exact), verdict(sum(table$verdict == "ABOVE"), 0))
  tied <- table$measure == "mutual_knn" # a count: its null scores are tied
  say("rows far below, scores without ties: %s; tied scores: %d of %d",
      verdict(sum(table$verdict[!tied] == "below"), 0), sum(table$verdict[tied] == "below"),
      sum(tied))
  say("%.1f minutes", as.double(difftime(Sys.time(), started, units = "mins")))
}

# One signal in both, of rising strength; coset and random on the same data sets.
run_power_task <- function(task) {
  set.seed(task$seed)
  many <- if (task$n == 30) 299 else 302
  rsa <- measure("rsa", inner = "euclidean")
  set <- list("cka", rsa, measure("mutual_knn", metric = "euclidean"), "procrustes")
  cells <- lapply(c("coset", "random"), function(engine) {
    list(measure = set, engine = engine, permutations = many)
  })
  rows <- lapply(seq_len(task$size), function(i) {
    signal <- matrix(stats::rnorm(task$n * 3), task$n)
    side <- function() {
      task$strength * signal %*% matrix(stats::rnorm(3 * task$d), 3) / sqrt(3) +
        matrix(stats::rnorm(task$n * task$d), task$n)
    }
    both <- calibrate_set(side(), side(), cells)
    one <- function(engine, column) both[[column]][both$engine == engine]
    data.frame(measure = unique(both$measure), coset = one("coset", "p") <= 0.05,
               random = one("random", "p") <= 0.05,
               gap = (one("coset", "threshold") - one("random", "threshold")) /
                 one("random", "null_sd"))
  })
  cbind(n = task$n, d = task$d, strength = task$strength, do.call(rbind, rows))
}

judge_power <- function(part, share) {
  only <- c(sum(part$coset & !part$random), sum(!part$coset & part$random))
  # of the data sets that only one of the two rejects, half are due to either
  same <- if (sum(only) > 0) stats::binom.test(only[1], sum(only))$p.value else 1
  error <- stats::sd(part$gap) / sqrt(nrow(part))
  cbind(part[1, c("measure", "n", "d", "strength")], coset = mean(part$coset),
        random = mean(part$random), only_coset = only[1], only_random = only[2], p_same = same,
        threshold_gap = mean(part$gap), gap_error = error,
        verdict = if (same < share || abs(mean(part$gap)) + 2.5 * error > 0.05) "DIFFER" else "")
}

if (wanted("power")) {
  size <- max(20, sets %/% 4)
  say("\n(power) at 0.05 over %d data sets a row, both engines on the same ones", size)
  data <- rbind(expand.grid(n = 30, d = 6, strength = c(0, 0.3, 0.5, 0.7, 1)),
                expand.grid(n = 101, d = 20, strength = c(0, 0.15, 0.25, 0.35, 0.5)))
  tasks <- merge(data, data.frame(size = rep(size %/% 20, 20)))
  tasks$seed <- 500000 + seq_len(nrow(tasks))
  all <- do.call(rbind, run_tasks(split(tasks, seq_len(nrow(tasks))), run_power_task))
  cells <- split(all, interaction(all$measure, all$n, all$strength, drop = TRUE))
  share <- 0.05 / length(cells)
  table <- do.call(rbind, lapply(cells, judge_power, share))
  table <- table[order(table$measure, table$n, table$strength), ]
  options(width = 130)
  print(format(table, digits = 2), row.names = FALSE)
  say("only_coset, only_random: data sets that one of them alone rejects; p_same: exact McNemar")
  say("test, judged at %.2g; threshold_gap: mean of coset less random threshold, in standard",
      share)
  say("deviations of the null, and its standard error: surely within 0.05, which moves a level of")
  say("0.05 by half a percentage point. (Scores within a coset depend on each other, which moves")
  say("an order statistic by something of order 1 / K.) Rows that differ: %s",
      verdict(sum(table$verdict == "DIFFER"), 0))
}

# Speed ----
load_now <- function() {
  if (file.exists("/proc/loadavg")) sub(" [0-9]+/.*", "", readLines("/proc/loadavg")) else "unknown"
}

internal <- function(name) getFromNamespace(name, "repalign")
grid_of <- function(layers, n, d) {
  stats::setNames(lapply(seq_len(layers), function(i) matrix(stats::rnorm(n * d), n)),
                  paste0("layer", seq_len(layers)))
}

# The fastest of a few runs: what disturbs only adds to it.
least <- function(code, times = 5) {
  expression <- substitute(code)
  env <- parent.frame()
  min(vapply(seq_len(times), function(i) {
    gc(FALSE)
    started <- Sys.time()
    eval(expression, env)
    as.double(difftime(Sys.time(), started, units = "secs"))
  }, 0))
}

# Making the forms of all representations of a call, as calibrate() does it.
prepare <- function(x, y, id) {
  measure <- internal("as_measures")(id)[[1]]
  sides <- internal("as_sides")(x, y)
  internal("set_largest_k")(list(measure), c(sides$x$reprs, sides$y$reprs))
  for (repr in c(sides$x$reprs, sides$y$reprs)) repr$cache$route <- "sample"
  null <- internal("null_of")(measure)
  forms <- function(side) {
    reprs <- sides[[side]]$reprs
    internal("operands")(null, measure, reprs, seq_along(reprs), side)$forms
  }
  list(x = forms("x"), y = forms("y"))
}

matrices <- function(forms) lapply(forms, function(form) form$matrix)

# calibrate() less the preparation of its forms.
beside <- function(x, y, id, ..., times = 3) {
  forms <- least(prepare(x, y, id), times)
  whole <- least(suppressMessages(calibrate(x, y, id, ...)), times)
  list(whole = whole, forms = forms, beside = whole - forms)
}

say_machine()
say("load %s", load_now())

# (a) ----
if (wanted("a")) {
  say("\n(a) cka, n = 1024, d = 512, one pair: 1023 permutations (load %s)", load_now())
  set.seed(1)
  x <- grid_of(1, 1024, 512)
  y <- grid_of(1, 1024, 512)
  forms <- prepare(x, y, "cka")
  set.seed(2)
  coset <- internal("coset_design")(1024, 1023)
  random <- internal("free_plan")(1024, 1023, "random")$design_of("random")
  inner <- function(design) internal("inner_products")(matrices(forms$x), matrices(forms$y), design)
  fast <- least(inner(coset), 15)
  direct <- least(inner(random), 3)
  say("a coset                              %8.2f ms  %s", 1000 * fast, verdict(1000 * fast, 25))
  say("1023 explicit relabellings           %8.2f ms, times slower: %s", 1000 * direct,
      verdict(direct / fast, 40, at_least = TRUE))
  whole <- beside(x, y, "cka", permutations = 1023)
  say("calibrate() %.1f ms, of which preparation %.1f ms", 1000 * whole$whole, 1000 * whole$forms)
}

# (b), (c) ----
for (part in c("b", "c")) {
  if (!wanted(part)) next
  id <- c(b = "cka", c = "mutual_knn")[[part]]
  say("\n(%s) %s, 24 x 32 layers, n = 1024, d = 768, 1023 permutations, aggregate max (load %s)",
      part, id, load_now())
  set.seed(3)
  x <- grid_of(24, 1024, 768)
  y <- grid_of(32, 1024, 768)
  times <- beside(x, y, id, permutations = 1000, aggregate = "max")
  say("preparation of 56 forms              %8.3f s", times$forms)
  say("calibrate()                          %8.3f s, beside preparation: %s", times$whole,
      verdict(times$beside, 1.5))
}

# (d) ----
if (wanted("d")) {
  set.seed(4)
  x <- matrix(stats::rnorm(5000 * 256), 5000)
  y <- x[, 256:1] + matrix(stats::rnorm(5000 * 256), 5000)
  for (id in c("cka", "rsa")) {
    say("\n(d) %s, n = 5000, d = 256, 4999 permutations (load %s)", id, load_now())
    m <- if (id == "rsa") measure("rsa", inner = "euclidean") else id
    times <- beside(x, y, m, permutations = 4999, times = 2)
    before <- sum(gc(reset = TRUE)[, 2])
    invisible(calibrate(x, y, m, permutations = 4999))
    peak <- sum(gc()[, 6]) - before
    say("preparation                          %8.3f s", times$forms)
    say("calibrate()                          %8.3f s, beside preparation: %s", times$whole,
        verdict(times$beside, 3))
    say("peak %.0f MB above the inputs: %.1f matrices of %.0f MB", peak, peak / (8 * 5000^2 / 2^20),
        8 * 5000^2 / 2^20)
  }
}

# (e) ----
# What another permutation costs: from the difference of a run with few and one with many.
per_permutation <- function(run, few, many, times) {
  (least(run(many), times) - least(run(few), times)) / (many - few)
}

if (wanted("e")) {
  for (n in c(500, 1000)) {
    say("\n(e) peers, n = %d, per permutation, preparation aside (load %s)", n, load_now())
    set.seed(5)
    dx <- stats::dist(matrix(stats::rnorm(n * 50), n))
    dy <- stats::dist(matrix(stats::rnorm(n * 50), n))
    versus <- function(title, package, theirs, id) {
      if (!requireNamespace(package, quietly = TRUE)) return(say("%-24s not installed", title))
      ours <- per_permutation(function(count) calibrate(dx, dy, id, permutations = count),
                              n - 1, 20 * n - 1, 7)
      other <- per_permutation(theirs, 1, 101, 2)
      say("%-24s %9.3f ms, ours %8.4f ms, times faster: %s", title, 1000 * other, 1000 * ours,
          verdict(other / ours, 100, at_least = TRUE))
    }
    versus("vegan::mantel (Pearson)", "vegan", function(count) {
      vegan::mantel(dx, dy, permutations = count)
    }, measure("rsa", inner = "euclidean", outer = "pearson"))
    versus("vegan::mantel (Spearman)", "vegan", function(count) {
      vegan::mantel(dx, dy, "spearman", permutations = count)
    }, measure("rsa", inner = "euclidean", outer = "spearman"))
    versus("energy::dcov.test", "energy", function(count) energy::dcov.test(dx, dy, R = count),
           "distance_correlation")
  }
}

# (f) ----
if (wanted("f")) {
  say("\n(f) growth: time with forms prepared, and over the expected order (load %s)", load_now())
  grow <- function(title, values, order, run) {
    times <- vapply(values, run, 0)
    scaled <- times / order(values)
    say("%-48s %s", title, paste(sprintf("%g: %.1e s (%.2f)", values, times, scaled / scaled[1]),
                                 collapse = "   "))
  }
  set.seed(6)
  # the null alone, its forms ready: next to their preparation it would be lost in noise
  cost <- function(id, n, permutations, layers = 1) {
    x <- grid_of(layers, n, 32)
    y <- grid_of(layers, n, 32)
    forms <- prepare(x, y, id)
    design <- internal("coset_design")(n, permutations)
    if (id == "cka") {
      return(least(internal("inner_products")(matrices(forms$x), matrices(forms$y), design)))
    }
    pass <- internal("null_of")(internal("as_measures")(id)[[1]])$passes[[1]]
    least(internal("common_edges")(forms$x, forms$y, pass, design))
  }
  for (id in c("cka", "mutual_knn")) {
    order_n <- if (id == "cka") function(n) n^2 * log(n) else identity
    grow(sprintf("%s, a coset, n: order %s", id, if (id == "cka") "n^2 log n" else "n"),
         c(512, 1024, 2048, 4096), order_n, function(n) cost(id, n, n - 1))
    grow(sprintf("%s, permutations (n = 1024): order permutations", id),
         c(4, 8, 16, 32) * 1024, identity, function(k) cost(id, 1024, k - 1))
    grow(sprintf("%s, layers on each side (n = 512): order layers^2", id), c(2, 4, 8, 16),
         function(l) l^2, function(l) cost(id, 512, 511, l))
  }
  grow("cka, n with a large prime factor: order n^2 log n", c(509, 1021, 2039, 4093),
       function(n) n^2 * log(n), function(n) cost("cka", n, n - 1))
  grow("procrustes, permutations (n = 300): order permutations", c(250, 500, 1000, 2000), identity,
       function(k) {
         beside(grid_of(1, 300, 32), grid_of(1, 300, 32), "procrustes", permutations = k)$beside
       })
}
