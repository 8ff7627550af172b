# What every measure costs, in units of one tcrossprod(x) of the same size (t0):
#   Rscript bench/measures.R [n=1000,2000,5000] [d=64,512] [ids=cka,rsa] [peers=no]
# needs the package installed, and a fast BLAS to mean anything. The wanted figures are
# for n = 5000, d = 512 on two cores with OpenBLAS. Loops over the registry: a new
# measure needs no change here.

library(repalign)
source(file.path(if (dir.exists("bench")) "bench" else ".", "timing.R"))

# name=value,value on the command line
setting <- function(name, default) {
  given <- grep(paste0("^", name, "="), commandArgs(TRUE), value = TRUE)
  if (length(given)) strsplit(sub("^[^=]*=", "", given[1]), ",")[[1]] else default
}

sizes_n <- as.integer(setting("n", c(1000, 2000, 5000)))
sizes_d <- as.integer(setting("d", c(64, 512)))
chosen <- setting("ids", measures()$id)
with_peers <- setting("peers", "yes") == "yes"
peer_limit <- 30 # seconds; a peer that would take longer is left out

wanted <- c(
  cka = 1, rv = 1, procrustes = 1, procrustes_size_shape = 1, procrustes_similarity = 1,
  angular_shape = 1, shape_distance = 3, permutation_procrustes = 1, gulp = 1, linear_regression = 1,
  aligned_cosine = 1, hard_correlation_match = 1, soft_correlation_match = 1,
  soft_matching = 3, soft_matching_correlation = 3, cca = 3,
  svcca = 4, pwcca = 4, eigenspace_overlap = 2, distance_correlation = 4, rsm_difference = 4,
  `rsm_difference(spectral)` = 12, rsa = 10, mutual_knn = 5, cycle_knn = 5, cknna = 5,
  knn_jaccard = 5, rank_similarity = 5, second_order_cosine = 5, lcs_knn = 5,
  edit_distance_knn = 5, mka = 5, kcka = 5, uniformity_difference = 4, imd = 15, rtd = 100
)

# Twenty latent dimensions in common, and noise.
related <- function(n, d) {
  set.seed(1)
  stimuli <- matrix(rnorm(n * 20), n)
  side <- function() stimuli %*% matrix(rnorm(20 * d), 20) + 2 * matrix(rnorm(n * d), n)
  list(x = side(), y = side())
}

# finer than proc.time()
now <- function() as.double(Sys.time())

quietly <- function(code) suppressWarnings(suppressMessages(code))

# The fastest of a few runs; what takes long is run once or twice.
fastest <- function(run, most = 5) {
  best <- Inf
  spent <- 0
  for (i in seq_len(most)) {
    gc(FALSE)
    started <- now()
    run()
    took <- now() - started
    best <- min(best, took)
    spent <- spent + took
    if (spent > 3) break
  }
  best
}

# Fast calls are timed in batches, above the clock's resolution.
fastest_call <- function(run) {
  run()
  once <- fastest(run, 2)
  if (once > 0.05) return(min(once, fastest(run, 3)))
  times <- ceiling(0.1 / max(once, 1e-4))
  fastest(function() for (i in seq_len(times)) run(), 4) / times
}

exported <- getNamespaceExports("repalign")

all_measures <- function() {
  set <- lapply(stats::setNames(nm = measures()$id), measure)
  if ("rsm_difference" %in% names(set)) {
    set[["rsm_difference(spectral)"]] <- measure("rsm_difference", norm = "spectral")
  }
  set[vapply(set, function(m) m$id %in% chosen, NA)]
}

# (a) every measure by itself: nothing is prepared before ----
cold_times <- function(set, p) {
  vapply(set, function(m) {
    f <- getExportedValue("repalign", m$id)
    args <- if (m$label == m$id) list() else m$args
    run <- function() quietly(do.call(f, c(list(p$x, p$y), args)))
    tryCatch(fastest(run, if (m$id == "rtd") 1 else 3), error = function(e) {
      say("%s failed: %s", m$label, conditionMessage(e))
      NA_real_
    })
  }, 0)
}

# (b) within one similarity() call ----
# What a measure adds to the call that has all the others: its own comparison, and whatever
# was prepared for it alone. Forms that two measures ask for are "shared". The package's two
# internal functions below are replaced by ones that keep a clock.
suite_times <- function(set, p) {
  clock <- new_clock()
  restore <- replace_internals(list(
    remember = function(original) {
      function(cache, key, make) clock$prepare(cache, key, function() original(cache, key, make))
    },
    compare_pair = function(original) {
      function(d, pair, args) clock$compare(function() original(d, pair, args))
    }
  ))
  on.exit(restore())
  gc(FALSE)
  quietly(similarity(p$x, p$y, set, on_error = "na"))
  clock$added()
}

replace_internals <- function(wrappers) {
  namespace <- asNamespace("repalign")
  assign_internal <- function(name, value) {
    unlockBinding(name, namespace)
    assign(name, value, envir = namespace)
    lockBinding(name, namespace)
  }
  originals <- mget(names(wrappers), envir = namespace)
  replaced <- Map(function(wrap, original) {
    force(original)
    wrap(original)
  }, wrappers, originals)
  for (name in names(replaced)) assign_internal(name, replaced[[name]])
  function() for (name in names(originals)) assign_internal(name, originals[[name]])
}

# Times are exclusive: a form's own time is without that of the forms it asked for.
new_clock <- function() {
  at <- 0L          # the measure that runs now
  own <- numeric()  # of measures
  inner <- numeric() # time of the parts of what runs now, innermost first
  outer <- integer() # forms that are being made, innermost first
  forms <- list()   # cache, key, time, users (measures), parts (forms)

  timed <- function(run) {
    inner <<- c(0, inner)
    started <- now()
    value <- run()
    took <- now() - started
    exclusive <- took - inner[1]
    inner <<- inner[-1]
    if (length(inner)) inner[1] <<- inner[1] + took
    list(value = value, time = exclusive)
  }
  find <- function(cache, key) {
    for (i in seq_along(forms)) {
      if (identical(forms[[i]]$cache, cache) && identical(forms[[i]]$key, key)) return(i)
    }
    length(forms) + 1L
  }
  prepare <- function(cache, key, run) {
    i <- find(cache, key)
    if (length(outer)) forms[[outer[1]]]$parts <<- c(forms[[outer[1]]]$parts, i)
    if (i <= length(forms)) {
      forms[[i]]$users <<- union(forms[[i]]$users, at)
      return(run())
    }
    forms[[i]] <<- list(cache = cache, key = key, time = 0, users = at, parts = integer())
    outer <<- c(i, outer)
    result <- timed(run)
    outer <<- outer[-1]
    forms[[i]]$time <<- result$time
    result$value
  }
  compare <- function(run) {
    at <<- at + 1L
    own[at] <<- NA_real_
    inner <<- numeric()
    outer <<- integer()
    result <- timed(run)
    own[at] <<- result$time
    result$value
  }
  # who uses a form uses its parts
  spread <- function() {
    repeat {
      before <- lapply(forms, function(f) f$users)
      for (f in forms) for (i in f$parts) forms[[i]]$users <<- union(forms[[i]]$users, f$users)
      if (identical(before, lapply(forms, function(f) f$users))) return(invisible())
    }
  }
  added <- function() {
    spread()
    shared <- 0
    for (f in forms) {
      if (length(f$users) == 1) own[f$users] <<- own[f$users] + f$time
      else shared <- shared + f$time
    }
    list(added = own, shared = shared)
  }
  list(prepare = prepare, compare = compare, added = added)
}

# (c) R packages that do the same work ----
# id: the measure; theirs: a function of x and y; args: of ours; growth: the powers of n and
# of d that their time grows with; same: do both give the same number?
by_pairs <- c(2, 1)
by_columns <- c(1, 2)
by_columns_only <- c(0, 3)

peer <- function(title, id, theirs, args = list(), growth = by_columns, same = TRUE) {
  list(title = title, package = sub("^.*?([A-Za-z]+)::.*$", "\\1", title, perl = TRUE), id = id,
       theirs = theirs, growth = growth, same = same,
       ours = function(x, y) do.call(getExportedValue("repalign", id), c(list(x, y), args)))
}

peers <- function() {
  # it always fills the whole matrix of its list, here 2 x 2
  repsim <- function(name, id, ..., same = FALSE, growth = by_columns_only) {
    peer(paste0("repsim::", name), id, growth = growth, same = same, theirs = function(x, y) {
      getExportedValue("repsim", name)(list(x, y), ...)[1, 2]
    })
  }
  list(
    peer("FNN::get.knn, both sides", "mutual_knn", list(metric = "euclidean"),
         growth = by_pairs, same = FALSE, theirs = function(x, y) {
           FNN::get.knn(x, 10, "brute")$nn.index[1, 1] + FNN::get.knn(y, 10, "brute")$nn.index[1, 1]
         }),
    peer("energy::dcor", "distance_correlation", growth = by_pairs,
         theirs = function(x, y) energy::dcor(x, y)),
    peer("stats::cancor, mean", "cca", theirs = function(x, y) mean(stats::cancor(x, y)$cor)),
    peer("vegan::procrustes", "procrustes", theirs = vegan_procrustes),
    peer("clue::solve_LSAP of cor", "hard_correlation_match", theirs = clue_match),
    peer("stats::cor (Spearman) of dist", "rsa", list(inner = "euclidean"), growth = by_pairs,
         theirs = function(x, y) stats::cor(stats::dist(x), stats::dist(y), method = "spearman")),
    repsim("cka", "cka", "linear", "gretton", same = TRUE, growth = by_pairs),
    repsim("hsic", "hsic", "linear", "gretton", growth = by_pairs),
    repsim("cca", "cca", "pillai", same = TRUE),
    repsim("svcca", "svcca", "pillai"),
    repsim("pwcca", "pwcca"),
    repsim("lin_reg", "linear_regression")
  )
}

# vegan's symmetric sum of squares is 1 - (sum of singular values)^2.
vegan_procrustes <- function(x, y) {
  ss <- vegan::procrustes(x, y, symmetric = TRUE)$ss
  sqrt(2 - 2 * sqrt(1 - ss))
}

clue_match <- function(x, y) {
  correlation <- stats::cor(x, y)
  at <- clue::solve_LSAP(correlation + 1, maximum = TRUE)
  mean(correlation[cbind(seq_along(at), at)])
}

# A small run predicts roughly how long the whole takes.
predicted_seconds <- function(peer, p) {
  size <- dim(p$x)
  small <- pmin(size, c(500, 128))
  if (all(small == size)) return(0)
  x <- p$x[seq_len(small[1]), seq_len(small[2])]
  y <- p$y[seq_len(small[1]), seq_len(small[2])]
  fastest(function() peer$theirs(x, y), 2) * prod((size / small)^peer$growth)
}

compare_peer <- function(peer, p, t0) {
  if (!requireNamespace(peer$package, quietly = TRUE)) {
    return(say("%-30s not installed", peer$title))
  }
  tryCatch({
    mine <- quietly(peer$ours(p$x, p$y))
    predicted <- predicted_seconds(peer, p)
    if (predicted > peer_limit) {
      return(say("%-30s left out: some %.0f s", peer$title, predicted))
    }
    theirs <- peer$theirs(p$x, p$y)
    ours_time <- fastest(function() quietly(peer$ours(p$x, p$y)), 3)
    their_time <- fastest(function() peer$theirs(p$x, p$y), 2)
    say("%-30s %9.2f t0  ours %8.2f t0  times faster: %8.1f%s", peer$title, their_time / t0,
        ours_time / t0, their_time / ours_time,
        if (peer$same) sprintf("  difference %.1e", abs(mine - theirs)) else "")
  }, error = function(e) say("%-30s no comparison: %s", peer$title, conditionMessage(e)))
}

# all of it ----
report <- function(n, d) {
  p <- related(n, d)
  t0 <- fastest_call(function() tcrossprod(p$x))
  say("\nn = %d, d = %d: t0 = %.2f ms", n, d, 1000 * t0)
  judged <- n == 5000 && d == 512
  judge <- function(value, name) {
    if (judged && name %in% names(wanted) && !is.na(value)) verdict(value, wanted[[name]]) else ""
  }
  set <- all_measures()
  cold <- cold_times(set, p) / t0
  suite <- suite_times(set, p)
  say("%-28s %10s %10s", "measure (multiples of t0)", "cold", "in suite")
  for (i in seq_along(set)) {
    say("%-28s %10.2f %10.2f  %s", names(set)[i], cold[i], suite$added[i] / t0,
        judge(cold[i], names(set)[i]))
  }
  say("%-28s %10.2f %10.2f", "sum; shared by several", sum(cold, na.rm = TRUE), suite$shared / t0)
  report_resi(p, t0, judged)
  if (with_peers) {
    say("peers")
    at_hand <- function(peer) peer$id %in% c(chosen, "hsic") && peer$id %in% exported
    for (peer in Filter(at_hand, peers())) compare_peer(peer, p, t0)
  }
}

# The 24 of the benchmark in one call, without rtd.
report_resi <- function(p, t0, judged) {
  if (length(setdiff(measures()$id, chosen))) return(invisible())
  set <- tryCatch(resi_measures(), error = function(e) NULL)
  if (is.null(set)) return(say("the benchmark's measures are not all there"))
  set$RTD <- NULL
  value <- fastest(function() quietly(similarity(p$x, p$y, set)), 3) / t0
  say("%-28s %10.2f  %s", "23 of ReSi in one call", value,
      if (judged) verdict(value, 60) else "")
}

say_machine()
for (d in sizes_d) for (n in sizes_n) report(n, d)
