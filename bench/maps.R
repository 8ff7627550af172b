# Error rates, power and times of test_maps():
#   Rscript bench/maps.R [error] [skewed] [rsa] [grid] [power] [time] [searchlight] [peers]
#                        [sets=1000] [flips=499] [seed=1] [places=60,400]
# error   how often maps without any effect have a significant place or cluster: 60 places in time,
#         smooth noise, by all three corrections, two-sided t at .05; several numbers of subjects,
#         and what is found beside a strong effect
# skewed  the same for scores with a skewness of 1.4, at so many places
# rsa     the same for RSA of noise with two categories, made by searchlight()
# grid    the same for 15 subjects on a grid of 12 x 12 x 12 voxels with smooth noise, one-sided,
#         with clusters of places beyond .01 and .001
# power   how often 8 subjects show an effect in 5 or 30 of 60 places, by t and by the mean, and how
#         much of it TFCE finds with two powers of the extent
# time    neighbourhoods and graphs of 49,600 voxels; 100,000 voxels by 1,000 flips with TFCE
# searchlight  12 subjects x 20,000 voxels: searchlights and their group test
# peers   a plain loop of R for the largest t; permuco and MNE-Python for clusters and TFCE in time
# Run it with OPENBLAS_NUM_THREADS=1.

suppressMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 1000L)
flips <- setting("flips", 499L)
seed <- setting("seed", 1L)
options(width = 120)
corrections <- c("max", "cluster_mass", "tfce")

# The p-values of all places. A column for each correction.
p_values <- function(maps, graph, ..., by = corrections) {
  sapply(by, function(correction) {
    tested <- quietly(test_maps(maps, adjacency = graph, correction = correction,
                                permutations = flips, ...))
    if (correction == "cluster_mass") tested$p_cluster else tested$p_familywise
  })
}

# Is anything significant?
found_by <- function(maps, graph, ...) {
  colSums(p_values(maps, graph, ...) <= 0.05, na.rm = TRUE) > 0
}

print_rates <- function(label, found) {
  cat(sprintf("%-46s %s   (%d sets)\n", label,
              paste(sprintf("%s %.3f", rownames(found), rowMeans(found)), collapse = "  "),
              ncol(found)))
}

# Each line begins with the same seed, so that it can be repeated alone.
rates_of <- function(label, draw, test) {
  set.seed(seed)
  print_rates(label, do.call(cbind, lapply(seq_len(sets), function(k) test(draw()))))
}

# Subjects x places, independent over subjects, smooth over places, with a standard deviation of 1.
smooth_noise <- function(subjects, places, draw = rnorm, width = 1.5) {
  reach <- ceiling(2.5 * width)
  kernel <- dnorm(-reach:reach, sd = width)
  noise <- matrix(draw(subjects * (places + 2 * reach)), places + 2 * reach)
  t(unclass(stats::filter(noise, kernel / sqrt(sum(kernel^2))))[reach + seq_len(places), ])
}

skewness <- function(x) mean((x - mean(x))^3) / mean((x - mean(x))^2)^1.5

# ---- error

if (wanted("error")) {
  graph <- adjacency(times = 60)
  two_sided <- function(label, draw, of = graph, ...) {
    rates_of(paste0(label, ", two-sided t"), draw, function(maps) {
      found_by(maps, of, alternative = "two_sided", ...)
    })
  }
  for (n in c(6, 8, 15, 25)) two_sided(paste(n, "subjects"), function() smooth_noise(n, 60))
  two_sided("15 subjects, AR(.9)", function() {
    noise <- matrix(rnorm(15 * 160), 160)
    t(unclass(stats::filter(noise, 0.9, "recursive"))[101:160, ])
  })
  two_sided("15 subjects, 500 places", function() smooth_noise(15, 500), adjacency(times = 500))
  two_sided("15 subjects, lognormal sizes", function() exp(rnorm(15)) * smooth_noise(15, 60))
  far_off <- function() smooth_noise(15, 60) + c(8, rep(0, 14))
  two_sided("15 subjects, one of them 8 SD off", far_off)
  rates_of("the same, greater t", far_off, function(maps) found_by(maps, graph))
  # a place without effect beside a strong one
  effect <- 21:40
  rates_of("15 subjects, beside a strong effect", function() {
    maps <- smooth_noise(15, 60)
    maps[, effect] <- maps[, effect] + 1.5
    maps
  }, function(maps) {
    p <- p_values(maps, graph, alternative = "two_sided")
    colSums(p[-effect, ] <= 0.05, na.rm = TRUE) > 0
  })
}

# ---- skewed

if (wanted("skewed")) {
  # mean 0, and a skewness of 1.4 after smoothing, which halves it
  skewed <- function(n, places = 60) {
    smooth_noise(n, places, function(k) rgamma(k, 0.51) - 0.51)
  }
  cat(sprintf("skewness %.2f\n", skewness(skewed(1000))))
  one_line <- function(n, places, side, statistic) {
    graph <- adjacency(times = places)
    rates_of(paste0(n, " subjects, ", places, " places, ", side, " ", statistic),
             function() skewed(n, places),
             function(maps) found_by(maps, graph, alternative = side, statistic = statistic))
  }
  for (places in settings("places", c(60, 400))) {
    for (statistic in c("t", "mean")) {
      for (side in c("two_sided", "greater", "less")) one_line(15, places, side, statistic)
    }
  }
  one_line(25, 60, "two_sided", "t")
}

# ---- rsa

if (wanted("rsa")) {
  # 8 conditions of two categories, 10 channels; noise in 60 times, which lasts over several of
  # them. Many studies are one searchlight, so that each has recordings of its own.
  conditions <- 8
  channels <- 10
  category <- dist(setNames(rep(0:1, each = conditions / 2), letters[seq_len(conditions)]))
  at_once <- 50
  centers <- split(seq_len(60 * at_once * channels), rep(seq_len(60 * at_once), each = channels))
  one_subject <- function() {
    noise <- matrix(rnorm(68 * at_once * channels * conditions), 68)
    noise <- unclass(stats::filter(noise, dnorm(-4:4, sd = 1.5)))[5:64, ]
    noise <- aperm(array(noise, c(60, at_once, channels, conditions)), c(4, 3, 1, 2))
    data <- matrix(noise, conditions, dimnames = list(letters[seq_len(conditions)], NULL))
    searchlight(data, centers, category)$score
  }
  set.seed(seed)
  # times x studies x subjects
  scores <- array(unlist(lapply(seq_len(ceiling(sets / at_once)), function(k) {
    aperm(array(replicate(15, one_subject()), c(60, at_once, 15)), c(1, 3, 2))
  })), c(60, 15, ceiling(sets / at_once) * at_once))
  cat(sprintf("skewness %.2f, mean %.4f\n", skewness(scores), mean(scores)))
  graph <- adjacency(times = 60)
  for (statistic in c("t", "mean")) {
    for (side in c("two_sided", "greater", "less")) {
      set.seed(seed)
      print_rates(paste("RSA of noise, 15 subjects,", side, statistic),
                  apply(scores, 3, function(maps) {
                    found_by(t(maps), graph, alternative = side, statistic = statistic)
                  }))
    }
  }
}

# ---- grid

if (wanted("grid")) {
  side <- 12
  graph <- adjacency(voxels = as.matrix(expand.grid(1:side, 1:side, 1:side)))
  kernel <- dnorm(-3:3, sd = 1.2)
  kernel <- kernel / sqrt(sum(kernel^2))
  band <- t(sapply(seq_len(side), function(k) c(rep(0, k - 1), kernel, rep(0, side - k))))
  # each pass smooths one dimension of a larger box, whose border is cut off, and brings the next
  # one to the front
  draw <- function(subjects = 15) {
    maps <- array(rnorm((side + 6)^3 * subjects), c(rep(side + 6, 3), subjects))
    for (k in 1:3) {
      sizes <- dim(maps)
      maps <- aperm(array(band %*% matrix(maps, sizes[1]), c(side, sizes[-1])), c(2, 3, 1, 4))
    }
    t(matrix(maps, side^3))
  }
  rates_of(paste0(side, "^3 voxels, 15 subjects, greater"), draw, function(maps) {
    c(found_by(maps, graph, threshold = 0.01),
      `cluster_mass .001` = unname(found_by(maps, graph, threshold = 0.001,
                                            by = "cluster_mass")))
  })
}

# ---- power

if (wanted("power")) {
  graph <- adjacency(times = 60)
  noise <- function() smooth_noise(8, 60, width = 3)
  # in units of the noise of a place
  effects <- c(`5` = 1.4, `30` = 0.78)
  for (sizes in list(c(1, 1), c(0.4, 1.6))) {
    for (wide in names(effects)) {
      draw <- function() {
        maps <- noise()
        at <- sample(61 - as.integer(wide), 1) - 1 + seq_len(as.integer(wide))
        maps[, at] <- maps[, at] + effects[[wide]]
        maps * rep(runif(60, sizes[1], sizes[2]), each = 8)
      }
      for (statistic in c("t", "mean")) {
        rates_of(paste0(wide, " of 60 places, 8 subjects, sizes ", sizes[1], " to ", sizes[2], ", ",
                        statistic), draw,
                 function(maps) found_by(maps, graph, statistic = statistic))
      }
    }
  }
  # the share of the places of an effect that is found
  for (wide in names(effects)) {
    at <- 10 + seq_len(as.integer(wide))
    draw <- function() {
      maps <- noise()
      maps[, at] <- maps[, at] + effects[[wide]]
      maps
    }
    for (extent in c(1 / 2, 2 / 3)) {
      rates_of(sprintf("share of %s places found, E = %.2f", wide, extent), draw, function(maps) {
        found <- p_values(maps, graph, extent = extent, by = "tfce") <= 0.05
        colMeans(found[at, , drop = FALSE])
      })
    }
  }
}

# ---- time

tell_seconds <- function(label, taken) {
  cat(sprintf("%-60s %6.2f s (%.2f s of processors)\n", label, taken[[3]], sum(taken[1:2])))
}
seconds <- function(label, code) tell_seconds(label, system.time(code))

if (wanted("time")) {
  voxels <- which(array(TRUE, c(40, 40, 31)), arr.ind = TRUE)
  seconds("neighbourhoods(), 49,600 voxels, 123 within the radius",
          neighbourhoods(2.5 * voxels, radius = 7.5))
  seconds("neighbourhoods(), 49,600 voxels, k = 123", neighbourhoods(2.5 * voxels, k = 123))
  seconds("adjacency(), 49,600 voxels, 26 faces", adjacency(voxels = voxels, faces = 26))
  voxels <- which(array(TRUE, c(50, 50, 40)), arr.ind = TRUE)
  graph <- adjacency(voxels = voxels)
  maps <- matrix(rnorm(15 * 1e5), 15)
  for (threads in 1:2) {
    for (correction in corrections) {
      seconds(paste0(correction, ", 100,000 voxels, 15 subjects, 1,000 flips, ", threads,
                     if (threads == 1) " thread" else " threads"),
              test_maps(maps, adjacency = graph, correction = correction, permutations = 1000,
                        threshold = 0.001, alternative = "two_sided", threads = threads))
    }
  }
}

# ---- searchlight

if (wanted("searchlight")) {
  voxels <- which(array(TRUE, c(40, 25, 20)), arr.ind = TRUE)
  conditions <- paste("condition", 1:20)
  model <- dist(setNames(rep(0:1, each = 10), conditions))
  seconds("neighbourhoods(), 20,000 voxels, 123 within the radius",
          near <- neighbourhoods(2.5 * voxels, radius = 7.5))
  graph <- adjacency(voxels = voxels)
  record <- function(repeats) {
    array(rnorm(20 * 20000 * repeats), c(20, 20000, repeats), list(conditions, NULL, NULL))
  }
  for (repeats in c(1, 4)) {
    set.seed(seed)
    maps <- list()
    taken <- 0
    for (k in 1:12) {
      data <- record(repeats)
      taken <- taken + system.time({
        maps[[paste("subject", k)]] <- searchlight(data, near, model, threads = 2)
      })
    }
    tell_seconds(paste("12 searchlights, 20,000 voxels, 2 threads,",
                       if (repeats > 1) "crossnobis of 4 runs" else "one run"), taken)
  }
  for (correction in corrections) {
    seconds(paste0("  their test by ", correction, ", all 4,096 flips, 2 threads"),
            quietly(test_maps(maps, adjacency = graph, correction = correction, threshold = 0.001,
                              threads = 2)))
  }
}

# ---- peers

# A call of MNE-Python, if it is there.
python <- Filter(function(path) {
  nzchar(path) && system2(path, c("-c", "'import mne'"), stdout = FALSE, stderr = FALSE) == 0
}, c(Sys.which("python3"), "/usr/bin/python3"))
by_mne <- function(maps, sizes, correction, cutoff, step) {
  path <- tempfile()
  on.exit(unlink(path))
  # C order: the last axis of places is the fastest
  flat <- aperm(array(maps, c(nrow(maps), sizes)), rev(seq_len(length(sizes) + 1)))
  writeBin(c(length(sizes), nrow(maps), sizes, as.vector(flat)), path)
  script <- file.path(if (dir.exists("bench")) "bench" else ".", "maps.py")
  said <- system2(python[1], c(script, path, correction, 1000, cutoff, step), stdout = TRUE)
  as.double(strsplit(utils::tail(said, 1), " ")[[1]])
}

beside_mne <- function(label, maps, sizes, graph) {
  cutoff <- qt(0.975, nrow(maps) - 1)
  for (correction in c("cluster_mass", "tfce")) {
    taken <- system.time({
      tested <- quietly(test_maps(maps, adjacency = graph, correction = correction, threads = 1,
                                  permutations = 999, alternative = "two_sided"))
    })
    other <- by_mne(maps, sizes, correction, cutoff, 0.2)
    cat(sprintf("%-60s %6.2f s of processors, MNE-Python %.2f s: %.0f times%s\n",
                paste0(label, ", ", correction, if (correction == "tfce") ", MNE by steps of 0.2"),
                sum(taken[1:2]), other[2], other[2] / sum(taken[1:2]),
                # TFCE of MNE is in other units
                if (correction == "tfce") "" else sprintf("; largest mass %.6g and %.6g",
                                                          max(abs(summary(tested)$mass)),
                                                          other[3])))
  }
}

if (wanted("peers")) {
  maps <- smooth_noise(15, 2000)
  loop <- function() {
    t_of <- function(x) {
      colMeans(x) / sqrt(apply(x, 2, var) / nrow(x))
    }
    replicate(200, max(abs(t_of(maps * sample(c(-1, 1), 15, TRUE)))))
  }
  seconds("a plain loop, largest t, 2,000 places, 200 flips", loop())
  seconds("test_maps(), the same", test_maps(maps, permutations = 200, alternative = "two_sided"))
  if (requireNamespace("permuco", quietly = TRUE)) {
    maps <- smooth_noise(15, 200)
    graph <- adjacency(times = 200)
    for (correction in c("clustermass", "tfce")) {
      seconds(paste0("permuco ", packageVersion("permuco"), ", ", correction,
                     ", 200 places, 1,000 flips"), {
        # two conditions, whose difference are the maps
        signal <- rbind(maps, 0 * maps)
        design <- data.frame(subject = factor(rep(1:15, 2)),
                             condition = factor(rep(1:2, each = 15)))
        permuco::clusterlm(signal ~ condition + Error(subject / condition), data = design,
                           np = 1000, multcomp = correction)
      })
      seconds("  test_maps(), the same",
              test_maps(maps, adjacency = graph, permutations = 999, alternative = "two_sided",
                        correction = if (correction == "tfce") "tfce" else "cluster_mass"))
    }
  }
  if (length(python)) {
    set.seed(seed)
    beside_mne("200 places, 15 subjects, 1,000 flips", smooth_noise(15, 200), 200,
               adjacency(times = 200))
    voxels <- as.matrix(expand.grid(1:12, 1:12, 1:12))
    beside_mne("12^3 voxels, 15 subjects, 1,000 flips", matrix(rnorm(15 * 12^3), 15), rep(12, 3),
               adjacency(voxels = voxels))
  }
}
