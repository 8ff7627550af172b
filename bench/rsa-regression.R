# Levels and power of the tests of rsa_regression():
#   Rscript bench/rsa-regression.R [levels] [patterns] [group] [blocks] [power] [leave_out]
#                                  [missing] [fits] [sets=1000] [n=20,40] [permutations=199]
#                                  [blocks_of=10,4,3,2] [seed=0]
# Each row is a kind of data. The RDM of the brain is that of one predictor (`other`), in units of
# its standard deviation, plus that of noise; `tested` correlates with `other` and, for levels,
# tells nothing more. "cor" is the mean correlation of the two RDMs, "centred" and "plain" are the
# shares of data sets with p <= 0.05 with center = TRUE and FALSE, "lm" the same for the p-value of
# lm(), and "model" for the whole model where the brain has noise only. (patterns) has noise in the
# patterns of the brain instead of its RDM: the patterns of `other` and noise of 0.5, 1 or 2 times
# their size; "t" is the p-value of summary(). (group) has 8 subjects with the same stimuli, and the
# p-values of summary(): "conditions", "subjects", the larger of both as "both", and "t". Brains are
#   noise      the patterns of `other` with noise of each subject (of 0.5, 1 and 2 times their size)
#   remainder  the RDM of `other`, one that all subjects share and no predictor describes, and noise
#   one        the patterns of `other` with others that all subjects share, and noise, all of one
#              size (unequal: lengths of patterns that differ between conditions, but for noise)
#   slopes     the RDM of `other`, noise, and that of `tested` with a weight of mean 0 (sd 0.3) in
#              each subject
#   effect     as remainder, and the RDM of `tested` with a weight of 0.1, 0.2 and 0.4 in all
# (blocks) has such subjects and blocks of conditions, whose number is `blocks_of`. The conditions of
# a block share a part of their patterns, in both predictors and in the remainder of the brain:
#   apart      one of their own in each
#   same       the same in `tested` and in the remainder
#   series     one of their own, and the rest of the patterns changes slowly within blocks
#   effect     as apart, and the RDM of `tested` with a weight of 0.4 and 0.8
# "single" is the p-value of summary() that counts conditions, without `blocks`; "blocks" is with them,
# and "left out" with the pairs within blocks left out. "NA" is the share without a p-value: that of two
# blocks, which was at most 0.05 in .08 to .09 of 100 sets when it was given.

suppressMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 1000L)
sizes <- settings("n", c(20L, 40L))
permutations <- setting("permutations", 199L)
seed <- setting("seed", 0L)
options(width = 150, repalign.threads = 1)
dimensions <- 10

# The lengths of the patterns: of equal kind; unequal, and then the same in all predictors but not
# in the noise; or heavy-tailed.
lengths_of <- list(gaussian = function(n) rep(1, n), unequal = function(n) exp(0.5 * rnorm(n)),
                   heavy = function(n) sqrt(3 / rchisq(n, 3)))

patterns <- function(n) matrix(rnorm(n * dimensions), n)

units <- function(rdm) rdm / sd(rdm)

# share: of the variance of the patterns that the two predictors have in common.
draw <- function(n, kind, share, effect, other = 1) {
  size <- lengths_of[[kind]](n)
  common <- patterns(n)
  predictor <- function() (sqrt(share) * common + sqrt(1 - share) * patterns(n)) * size
  data <- list(tested = dist(predictor())^2, other = dist(predictor())^2)
  noise <- dist(patterns(n) * lengths_of[[kind]](n))^2
  data$brain <- other * units(data$other) + effect * units(data$tested) + units(noise)
  data
}

p_of <- function(data, ...) {
  fit <- quietly(rsa_regression(brain ~ tested + other, data, permutations = permutations, ...))
  c(fit$p_value[1], glance(fit)$p_value)
}

shares <- function(p) rowMeans(p <= 0.05, na.rm = TRUE)

show <- function(..., values) {
  cat(sprintf("%-9s n = %d, share %.2f", ...), sprintf("%s %.3f", names(values), values), "\n")
}

over_cells <- function(run, kinds = names(lengths_of), common = c(0, 0.8, 0.95)) {
  for (kind in kinds) for (n in sizes) for (share in common) {
    set.seed(seed + n)
    show(kind, n, share, values = run(kind, n, share))
  }
}

if (wanted("levels")) {
  cat("\nLevels, beside an effect of one standard deviation of `other`,", sets, "sets a row\n")
  over_cells(function(kind, n, share) {
    p <- replicate(sets, {
      data <- draw(n, kind, share, 0)
      noise <- draw(n, kind, share, 0, other = 0)
      packed <- lapply(data, as.vector)
      ordinary <- summary(lm(brain ~ tested + other, packed))$coefficients["tested", 4]
      c(p_of(data)[1], p_of(data, center = FALSE)[1], ordinary, p_of(noise)[2],
        cor(data$tested, data$other))
    })
    c(cor = mean(p[5, ]), setNames(shares(p[1:4, ]), c("centred", "plain", "lm", "model")))
  })
}

if (wanted("power")) {
  cat("\nPower: besides, an effect of 0.3 standard deviations of the tested predictor\n")
  over_cells(function(kind, n, share) {
    p <- replicate(sets, {
      data <- draw(n, kind, share, 0.3)
      c(p_of(data)[1], p_of(data, center = FALSE)[1])
    })
    setNames(shares(p), c("centred", "plain"))
  })
}

# The RDM of patterns with noise is the sum of an RDM of patterns, one of noise, and cross terms of
# both, which lie along the patterns.
if (wanted("patterns")) {
  cat("\nLevels where noise is in the patterns of the brain,", sets, "sets a row\n")
  for (noise in c(0.5, 1, 2)) for (n in sizes) for (share in c(0, 0.8)) {
    set.seed(seed + n)
    p <- replicate(sets, {
      common <- patterns(n)
      predictor <- function() sqrt(share) * common + sqrt(1 - share) * patterns(n)
      other <- predictor()
      data <- list(brain = dist(other + noise * patterns(n))^2, tested = dist(predictor())^2,
                   other = dist(other)^2)
      fit <- quietly(rsa_regression(brain ~ tested + other, data, permutations = permutations))
      c(fit$p_value[1], summary(fit)$p_value[1], cor(data$tested, data$other))
    })
    show(paste("noise", noise), n, share,
         values = c(cor = mean(p[3, ]), setNames(shares(p[1:2, ]), c("centred", "t"))))
  }
}

if (wanted("group")) {
  cat("\nTests of 8 subjects,", sets, "sets a row\n")
  subjects <- 8
  names_of <- setNames(nm = paste0("s", seq_len(subjects)))
  one_set <- function(kind, n, size, share) {
    brain <- sub(" .*", "", kind)
    own <- lengths_of[[if (grepl("unequal", kind)) "unequal" else "gaussian"]](n)
    common <- patterns(n)
    predictor <- function() (sqrt(share) * common + sqrt(1 - share) * patterns(n)) * own
    other <- predictor()
    tested <- predictor()
    rest <- patterns(n) * own
    rdm <- function(x) units(dist(x)^2)
    brains <- lapply(names_of, function(s) {
      noise <- patterns(n)
      switch(brain, noise = rdm(other + size * noise), one = rdm(other + rest + noise),
             remainder = rdm(other) + rdm(rest) + rdm(noise),
             slopes = rdm(other) + 0.3 * rnorm(1) * rdm(tested) + rdm(noise),
             effect = rdm(other) + size * rdm(tested) + rdm(rest) + rdm(noise))
    })
    list(brain = brains, tested = dist(tested)^2, other = dist(other)^2)
  }
  cells <- list(list("noise", 0.5), list("noise", 1), list("noise", 2), list("remainder", 1),
                list("one", 1), list("one unequal", 1), list("slopes", 1), list("effect", 0.1),
                list("effect", 0.2), list("effect", 0.4))
  for (cell in cells) for (n in sizes) {
    set.seed(seed + n)
    p <- replicate(sets, {
      data <- one_set(cell[[1]], n, cell[[2]], 0.8)
      fit <- quietly(rsa_regression(brain ~ tested + other, data, permutations = permutations))
      found <- unlist(as.data.frame(summary(fit))[1, c("p_conditions", "p_subjects", "p_value")])
      c(found[1:2], max(found[1:2]), found[3], cor(data$tested, data$other))
    })
    show(paste(cell[[1]], cell[[2]]), n, 0.8,
         values = c(cor = mean(p[5, ]),
                    setNames(shares(p[1:4, ]), c("conditions", "subjects", "both", "t"))))
  }
}

# What the conditions of a block have beyond their common part.
within_blocks <- function(block, slow) {
  noise <- patterns(length(block))
  if (slow) for (i in seq_along(block)[-1]) {
    if (block[i] == block[i - 1]) noise[i, ] <- 0.9 * noise[i - 1, ] + sqrt(0.19) * noise[i, ]
  }
  noise
}

if (wanted("blocks")) {
  cat("\nTests of 8 subjects with blocks of conditions,", sets, "sets a row\n")
  one_set <- function(kind, block, size) {
    slow <- kind == "series"
    shared <- function() patterns(max(block))[block, ]
    common <- within_blocks(block, slow)
    predictor <- function(part) part + sqrt(0.8) * common + sqrt(0.2) * within_blocks(block, slow)
    of_tested <- shared()
    tested <- dist(predictor(of_tested))^2
    other <- dist(predictor(shared()))^2
    rest <- dist((if (kind == "same") of_tested else shared()) + within_blocks(block, slow))^2
    effect <- if (kind == "effect") size else 0
    brains <- lapply(setNames(nm = paste0("s", 1:8)), function(s) {
      units(other) + effect * units(tested) + units(rest) + units(dist(patterns(length(block)))^2)
    })
    list(brain = brains, tested = tested, other = other, block = block)
  }
  cells <- list(list("apart", 0), list("same", 0), list("series", 0), list("effect", 0.4),
                list("effect", 0.8))
  for (cell in cells) for (n in sizes) for (count in settings("blocks_of", c(10L, 4L, 3L, 2L))) {
    set.seed(seed + n)
    block <- sort(rep_len(seq_len(count), n))
    p <- replicate(sets, {
      data <- one_set(cell[[1]], block, cell[[2]])
      p_of_group <- function(...) {
        fit <- quietly(rsa_regression(brain ~ tested + other, data, permutations = permutations,
                                      ...))
        unlist(as.data.frame(quietly(summary(fit)))[1, c("p_conditions", "p_subjects", "p_value")])
      }
      over <- p_of_group(blocks = block)
      c(over[1:2], p_of_group()[3], over[3], p_of_group(leave_out = block)[3])
    })
    cat(sprintf("%-6s %.1f n = %d, %2d blocks", cell[[1]], cell[[2]], n, count),
        sprintf("%s %.2f", c("conditions", "subjects", "single", "blocks", "left out"), shares(p)),
        sprintf("NA %.2f, %.2f", mean(is.na(p[4, ])), mean(is.na(p[5, ]))), "\n")
  }
}

if (wanted("fits")) {
  cat("\nLevels with other fits\n")
  over_cells(function(kind, n, share) {
    p <- replicate(sets, {
      data <- draw(n, kind, share, 0)
      c(p_of(data, fit = "nonnegative")[1], p_of(data, fit = "ridge", ridge = 0.1)[1])
    })
    setNames(shares(p), c("nonnegative", "ridge"))
  }, common = 0.8)
}

# Runs of equal size share patterns of their own, so that pairs within them are closer.
if (wanted("leave_out")) {
  cat("\nLevels with four runs whose conditions share noise, pairs within runs left out\n")
  over_cells(function(kind, n, share) {
    p <- replicate(sets, {
      data <- draw(n, kind, share, 0)
      data$run <- rep(1:4, length.out = n)
      shift <- patterns(4)[data$run, ]
      data$brain <- data$brain + units(dist(patterns(n) * lengths_of[[kind]](n) + shift)^2)
      c(p_of(data, leave_out = run), p_of(data, leave_out = run, center = FALSE)[1],
        p_of(data, leave_out = run, blocks = NULL)[1], p_of(data)[1])[-2]
    })
    setNames(shares(p), c("centred", "plain", "all exchanged", "runs ignored"))
  }, common = 0.8)
}

if (wanted("missing")) {
  cat("\nLevels with a tenth of the pairs missing\n")
  sets <- ceiling(sets / 4)
  over_cells(function(kind, n, share) {
    p <- replicate(sets, {
      data <- draw(n, kind, share, 0)
      noise <- draw(n, kind, share, 0, other = 0)
      data$brain[sample(length(data$brain), length(data$brain) %/% 10)] <- NA
      noise$brain[is.na(data$brain)] <- NA
      c(p_of(data, na = "pairwise")[1], p_of(noise, na = "pairwise")[2])
    })
    setNames(shares(p), c("centred", "model"))
  }, common = 0.8)
}
