# Error rates and times of test_maps():
#   Rscript bench/maps.R [error] [grid] [time] [peers] [sets=200] [flips=499] [seed=1]
# error   how often maps without any effect have a significant place or cluster: 60 places in time,
#         smooth noise, by all three corrections, two-sided t at .05; several numbers of subjects,
#         skewed scores, and what is found beside a strong effect
# grid    the same for 15 subjects on a grid of 12 x 12 x 12 voxels with smooth noise, one-sided,
#         with clusters of places beyond .01 and .001
# time    neighbourhoods and graphs of 49,600 voxels; 100,000 voxels by 1,000 flips with TFCE
# peers   a plain loop of R for the largest t, and permuco for clusters and TFCE in time
# Run it with OPENBLAS_NUM_THREADS=1.

suppressMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 200L)
flips <- setting("flips", 499L)
set.seed(setting("seed", 1L))
options(width = 120)
corrections <- c("max", "cluster_mass", "tfce")

# Is anything significant? A name for each correction.
found_by <- function(maps, graph, ..., threshold = 0.05) {
  vapply(corrections, function(correction) {
    tested <- suppressMessages(suppressWarnings(
      test_maps(maps, adjacency = graph, correction = correction, threshold = threshold,
                permutations = flips, ...)
    ))
    p <- if (correction == "cluster_mass") tested$p_cluster else tested$p_familywise
    any(p <= 0.05, na.rm = TRUE)
  }, NA)
}

rates_of <- function(label, draw, test) {
  found <- replicate(sets, test(draw()))
  cat(sprintf("%-44s %s   (%d sets)\n", label,
              paste(sprintf("%s %.3f", rownames(found), rowMeans(found)), collapse = "  "), sets))
}

# Subjects x places, independent over subjects, smooth over places.
smooth_noise <- function(subjects, places, draw = rnorm) {
  t(replicate(subjects, as.vector(stats::filter(draw(places + 8), dnorm(-4:4, sd = 1.5)))[
    4 + seq_len(places)]))
}

# ---- error

if (wanted("error")) {
  graph <- adjacency(times = 60)
  for (n in c(6, 8, 15, 25)) {
    rates_of(paste(n, "subjects, two-sided t"), function() smooth_noise(n, 60), function(maps) {
      found_by(maps, graph, alternative = "two_sided")
    })
  }
  # mean 0, and a skewness of 1.4 after smoothing, which halves it
  skewed <- function(n, places = 60) {
    smooth_noise(n, places, function(k) rgamma(k, 0.51) - 0.51)
  }
  for (side in c("two_sided", "greater")) {
    for (statistic in c("t", "mean")) {
      rates_of(paste("15 subjects, skewed,", side, statistic), function() skewed(15),
               function(maps) found_by(maps, graph, alternative = side, statistic = statistic))
    }
  }
  wide <- adjacency(times = 400)
  rates_of("the same, 400 places, two_sided t", function() skewed(15, 400), function(maps) {
    found_by(maps, wide, alternative = "two_sided")
  })
  rates_of("the same, 400 places, greater mean", function() skewed(15, 400), function(maps) {
    found_by(maps, wide, statistic = "mean")
  })
  # a place without effect beside a strong one
  effect <- 21:40
  rates_of("a place beside a strong effect, two-sided", function() smooth_noise(15, 60),
           function(maps) {
    maps[, effect] <- maps[, effect] + 2
    vapply(corrections, function(correction) {
      tested <- test_maps(maps, adjacency = graph, correction = correction, permutations = flips,
                          alternative = "two_sided")
      p <- if (correction == "cluster_mass") tested$p_cluster else tested$p_familywise
      any(p[-effect] <= 0.05, na.rm = TRUE)
    }, NA)
  })
}

# ---- grid

if (wanted("grid")) {
  side <- 12
  voxels <- as.matrix(expand.grid(1:side, 1:side, 1:side))
  graph <- adjacency(voxels = voxels)
  smooth <- function(x, along) {
    kernel <- dnorm(-3:3, sd = 1.2)
    apply(x, setdiff(1:3, along), function(line) {
      stats::convolve(line, kernel, type = "open")[7:length(line)]
    })
  }
  # each pass smooths one dimension of a larger box, whose border is cut off, and brings it to the
  # front
  one_map <- function() {
    x <- array(rnorm((side + 6)^3), rep(side + 6, 3))
    for (k in 1:3) x <- aperm(smooth(x, 1), c(2, 3, 1))
    as.vector(x)
  }
  draw <- function() {
    maps <- t(replicate(15, one_map()))
    maps / sd(maps)
  }
  for (level in c(0.01, 0.001)) {
    rates_of(paste0(side, "^3 voxels, 15 subjects, greater, clusters ", level), draw,
             function(maps) found_by(maps, graph, threshold = level))
  }
}

# ---- time

seconds <- function(label, code) {
  taken <- system.time(code)
  cat(sprintf("%-60s %6.2f s (%.2f s of processors)\n", label, taken[[3]], sum(taken[1:2])))
}

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

# ---- peers

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
}
