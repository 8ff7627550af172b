# contributions(): how often intervals of groups hold, and what it costs beside score_interval():
#   Rscript bench/contributions.R [cover] [times] [sets=300] [group=10,20] [n=100,200,400] [threads=1]
# cover: three groups of stimuli, which are drawn anew in each set, for the same 25 neurons of a side;
# the expected contribution of a pair of groups is the mean over four times as many other sets. se/sd
# is the mean standard error over the standard deviation, cover how often the nominal 95% interval
# holds, of the six pairs of groups. times: seconds of the processor (least of five), and the ratio to
# score_interval() of the same pair and measure; 60 neurons a side, four groups.

here <- if (dir.exists("bench")) "bench" else "."
source(file.path(here, "arguments.R"))
library(repalign)

# groups differ in their mean and in how much their stimuli vary
draw <- function(size, weights) {
  group <- rep(1:3, each = size)
  means <- rbind(c(1, 0, 0), c(0, 1, 0), c(0, 0, 0.5))
  z <- matrix(rnorm(3 * size * 6), 3 * size) * c(0.5, 1, 0.7)[group]
  z[, 1:3] <- z[, 1:3] + means[group, ]
  recorded <- lapply(weights, function(w) z %*% w + matrix(rnorm(3 * size * ncol(w)), 3 * size))
  c(recorded, list(group = c("faces", "houses", "tools")[group]))
}

measures <- list(measure("cka", estimator = "naive"), measure("cka", estimator = "stimulus"),
                 measure("cka", estimator = "stimulus_neuron"),
                 measure("rsa", inner = "sqeuclidean", outer = "pearson"), measure("rsa"))

if (wanted("cover")) {
  sets <- setting("sets", 300)
  cat("intervals of groups,", sets, "sets: se/sd and cover, least to largest of six pairs\n")
  for (size in settings("group", c(10, 20))) {
    for (m in measures) {
      set.seed(size)
      weights <- lapply(c(x = 1, y = 2), function(side) matrix(rnorm(6 * 25), 6) / sqrt(6))
      rows <- lapply(seq_len(sets), function(set) {
        d <- draw(size, weights)
        quietly(contributions(d$x, d$y, m, by = "groups", groups = d$group))
      })
      part <- function(name) vapply(rows, function(one) one[[name]], numeric(6))
      # of as many sets again, so that the expected value is no part of what is judged
      expected <- rowMeans(vapply(seq_len(4 * sets), function(set) {
        d <- draw(size, weights)
        quietly(contributions(d$x, d$y, m, by = "groups", groups = d$group))$contribution
      }, numeric(6)))
      ratio <- rowMeans(part("se"), na.rm = TRUE) / apply(part("contribution"), 1, sd)
      cover <- rowMeans(part("conf_low") <= expected & expected <= part("conf_high"), na.rm = TRUE)
      cat(sprintf("%-32s 3 x %2d  se/sd %.2f to %.2f  cover %.2f to %.2f  undefined %.0f%%\n",
                  rows[[1]]$measure[1], size, min(ratio), max(ratio), min(cover), max(cover),
                  100 * mean(is.na(part("se")))))
    }
  }
}

if (wanted("times")) {
  cat("seconds of score_interval(), and how many times that contributions() takes\n")
  seconds <- function(code) min(replicate(5, sum(system.time(quietly(code()))[1:2])))
  more <- c(measures[c(1, 3)], list(measure("cka", estimator = "stimulus_neuron",
                                            shared_neurons = TRUE)), measures[c(4, 5)])
  for (n in settings("n", c(100, 200, 400))) {
    latent <- matrix(rnorm(n * 10), n)
    side <- function() latent %*% matrix(rnorm(600), 10) + matrix(rnorm(n * 60), n)
    x <- side()
    y <- side()
    group <- rep(1:4, length.out = n)
    for (m in more) {
      base <- seconds(function() score_interval(x, y, m, threads = setting("threads", 1)))
      takes <- function(...) {
        seconds(function() contributions(x, y, m, ..., threads = setting("threads", 1))) / base
      }
      linear <- identical(m$args$kernel, "linear")
      cat(sprintf("%4d x 60  %-42s %.3f s  stimuli %.1f  groups %.1f%s%s\n", n, m$label, base, takes(),
                  takes(by = "groups", groups = group),
                  if (linear) sprintf("  neurons %.1f", takes(by = "neurons_x")) else "",
                  if (m$label == "cka(naive)") sprintf("  components %.1f", takes(by = "components"))
                  else ""))
    }
  }
}
