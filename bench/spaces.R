# Parts of R squared of feature spaces: are the p-values of unique parts p-values, and do intervals
# cover? (1) shares of p <= .05 of space_parts(), where b adds nothing to a, and where it does; (2)
# standard errors over true standard deviations, and cover of the mean of all sets, of unique and
# common parts and of the difference of two unique parts, by delete-one and influence; (3) binding
# columns beside feature_spaces(): R squared of new stimuli.
#   Rscript bench/spaces.R [sets=300] [permutations=99] [cells=1,2] [designs=1,2]
#     [levels] [errors] [binding]

suppressPackageStartupMessages(library(repalign))
source(file.path(if (dir.exists("bench")) "bench" else ".", "arguments.R"))
sets <- setting("sets", 300)
permutations <- setting("permutations", 99)

normal <- function(n, q) matrix(rnorm(n * q), n)
# 200 points before the first, so that the series have no beginning
series <- function(n, q) {
  apply(normal(n + 200, q), 2, stats::filter, 0.9, "recursive")[-(1:200), ]
}
all_shifts <- function(n) {
  t(vapply(1:(n - 1), function(k) (seq_len(n) + k - 1) %% n + 1, numeric(n)))
}
# p neurons driven by some columns, with this share of noise
driven <- function(x, p = 10, noise = 1, tail = normal) {
  signal <- x %*% normal(ncol(x), p)
  signal / sd(signal) + noise * tail(nrow(x), p)
}

# ---- levels: of b, the last space

cells <- list(
  independent = function() {
    a <- normal(60, 20)
    list(feature_spaces(a = a, b = normal(60, 20)), driven(a))
  },
  wide = function() {
    a <- normal(60, 20)
    list(feature_spaces(a = a, b = normal(60, 200)), driven(a))
  },
  `b made from a` = function() {
    a <- normal(60, 20)
    list(feature_spaces(a = a, b = a %*% normal(20, 20) + 2 * normal(60, 20)), driven(a))
  },
  `both of 20 dimensions` = function() {
    z <- normal(60, 20)
    a <- z %*% normal(20, 100)
    list(feature_spaces(a = a, b = z %*% normal(20, 100)), driven(a))
  },
  `little noise` = function() {
    a <- normal(60, 20)
    list(feature_spaces(a = a, b = normal(60, 20)), driven(a, noise = 0.2))
  },
  `no relation` = function() {
    list(feature_spaces(a = normal(60, 20), b = normal(60, 20)), normal(60, 10))
  },
  `heavy tails` = function() {
    a <- normal(60, 20)
    tail <- function(n, p) matrix(rt(n * p, 2.5), n)
    list(feature_spaces(a = a, b = normal(60, 20)), driven(a, tail = tail))
  },
  `n = 30` = function() {
    a <- normal(30, 20)
    list(feature_spaces(a = a, b = normal(30, 20)), driven(a))
  },
  `clusters of 3` = function() {
    of <- rep(1:20, each = 3)
    near <- function(q) normal(20, q)[of, ] + 0.3 * normal(60, q)
    a <- near(20)
    list(feature_spaces(a = a, b = near(20)), driven(a) + normal(20, 10)[of, ], clusters = of)
  },
  `three, c adds nothing` = function() {
    a <- normal(60, 20)
    b <- normal(60, 20)
    list(feature_spaces(a = a, b = b, c = normal(60, 20)), driven(cbind(a, b)))
  },
  `three, c made from a and b` = function() {
    a <- normal(60, 20)
    b <- normal(60, 20)
    c <- cbind(a, b) %*% normal(40, 20) + 3 * normal(60, 20)
    list(feature_spaces(a = a, b = b, c = c), driven(cbind(a, b)))
  },
  `power: b adds a little` = function() {
    a <- normal(60, 20)
    b <- normal(60, 20)
    list(feature_spaces(a = a, b = b), driven(a) + 0.45 * driven(b, noise = 0))
  },
  `three, c adds a little` = function() {
    a <- normal(60, 20)
    b <- normal(60, 20)
    c <- normal(60, 20)
    list(feature_spaces(a = a, b = b, c = c), driven(cbind(a, b)) + 0.45 * driven(c, noise = 0))
  },
  `copies of 3 of 40 columns` = function() {
    a <- normal(60, 40)
    list(feature_spaces(a = a, b = a[, 1:3]), driven(a[, 1:3]))
  },
  `series, folds by stimulus` = function() {
    a <- series(80, 20)
    list(feature_spaces(a = a, b = series(80, 20)), driven(a, noise = 0) + series(80, 10) / 2)
  },
  `series, blocks of 8` = function() {
    a <- series(80, 20)
    list(feature_spaces(a = a, b = series(80, 20)), driven(a, noise = 0) + series(80, 10) / 2,
         clusters = rep(1:10, each = 8))
  },
  `series, blocks and shifts` = function() {
    a <- series(80, 20)
    list(feature_spaces(a = a, b = series(80, 20)), driven(a, noise = 0) + series(80, 10) / 2,
         clusters = rep(1:10, each = 8),
         shifts = all_shifts(80))
  },
  `series of 160, blocks of 20 and shifts` = function() {
    a <- series(160, 20)
    list(feature_spaces(a = a, b = series(160, 20)), driven(a, noise = 0) + series(160, 10) / 2,
         clusters = rep(1:8, each = 20), shifts = all_shifts(160))
  },
  `one row of penalties` = function() {
    a <- normal(60, 20)
    b <- a %*% normal(20, 20) / sqrt(20) + 0.3 * normal(60, 20)
    list(feature_spaces(a = a, b = b), driven(a, noise = 0.5), lambda = cbind(300, 30))
  }
)

started <- proc.time()[[3]]
if (wanted("levels")) {
  cat("levels: p <= .05 of the last space,", sets, "sets,", permutations, "permutations\n")
  for (name in names(cells)[settings("cells", seq_along(cells))]) {
    set.seed(1)
    found <- vapply(seq_len(sets), function(set) {
      data <- cells[[name]]()
      joint <- quietly(encode(data[[1]], data[[2]], clusters = data$clusters, lambda = data$lambda))
      tested <- if (is.null(data$shifts)) permutations else data$shifts
      unique <- quietly(space_parts(joint, method = "influence", permutations = tested))
      unique <- unique[unique$part == "unique", ]
      c(unique$p_value[nrow(unique)], unique$score[nrow(unique)])
    }, numeric(2))
    cat(sprintf("%-28s p <= .05 in %.3f, unique %.3f (above 0 in %.2f)   %.0f s\n", name,
                mean(found[1, ] <= 0.05), mean(found[2, ]), mean(found[2, ] > 0),
                proc.time()[[3]] - started))
  }
}

# ---- errors

designs <- list(
  `n = 40` = function() list(n = 40), `n = 100` = function() list(n = 100),
  `30 clusters of 3` = function() list(n = 90, clusters = rep(1:30, each = 3)),
  `n = 60, b adds nothing` = function() list(n = 60, alone = TRUE),
  `n = 60, three spaces` = function() list(n = 60, third = TRUE)
)

errors_of_set <- function(design, weights) {
  of <- if (is.null(design$clusters)) seq_len(design$n) else design$clusters
  near <- function(q) {
    normal(max(of), q)[of, ] + if (anyDuplicated(of)) 0.3 * normal(design$n, q) else 0
  }
  shared <- near(10)
  spaces <- list(a = cbind(shared, near(10)), b = cbind(shared + 0.5 * near(10), near(10)))
  if (!is.null(design$alone)) spaces$b <- near(20)
  if (!is.null(design$third)) spaces$c <- cbind(shared + near(10), near(10))
  x <- do.call(cbind, if (is.null(design$alone)) spaces else spaces[1])
  y <- x %*% weights[seq_len(ncol(x)), ] / 4 + near(10)
  joint <- quietly(encode(do.call(feature_spaces, spaces), y, clusters = design$clusters))
  each <- lapply(c(delete_one = "jackknife", influence = "influence"), function(method) {
    found <- quietly(space_parts(joint, method = method))
    row <- function(part, space) which(found$part == part & found$space == space)
    both <- c(row("unique", "a"), row("unique", "b"))
    difference <- quietly(compare_scores(found[both, ], draws = 99))
    at <- c(both, row("common", "a & b"))
    rbind(cbind(found$score[at], found$conf_low[at], found$conf_high[at], found$se[at]),
          with(difference, c(difference, conf_low, conf_high, se)))
  })
  vapply(each, identity, matrix(0, 4, 4))
}

if (wanted("errors")) {
  cat("errors: standard error over true standard deviation, cover;", sets, "sets\n")
  for (name in names(designs)[settings("designs", seq_along(designs))]) {
    set.seed(2)
    weights <- normal(60, 10)
    all <- replicate(sets, errors_of_set(designs[[name]](), weights))
    for (k in 1:2) for (row in 1:4) {
      one <- all[row, , k, ]
      known <- !is.na(one[4, ])
      truth <- mean(one[1, ])
      cat(sprintf("%-24s %-10s %-20s mean %6.3f  se/sd %.2f  cover %.2f  NA %.2f  %.0f s\n", name,
                  c("delete-one", "influence")[k],
                  c("unique a", "unique b", "common", "unique a - unique b")[row], truth,
                  mean(one[4, known]) / sd(one[1, ]),
                  mean(one[2, known] <= truth & truth <= one[3, known]), mean(!known),
                  proc.time()[[3]] - started))
    }
  }
}

# ---- binding columns

if (wanted("binding")) {
  cat("binding: R squared of 500 new stimuli,", sets, "sets\n")
  scenes <- list(`useless space beside` = c(0, 200), `both useful` = c(1, 20),
                 `useless, large` = c(0, 800))
  for (name in names(scenes)) {
    set.seed(3)
    found <- replicate(min(sets, 100), {
      a <- normal(580, 20)
      b <- normal(580, scenes[[name]][2])
      y <- driven(a) + scenes[[name]][1] * driven(b, noise = 0)
      old <- 1:80
      r2 <- function(predicted) {
        1 - sum((y[-old, ] - predicted)^2) / sum(sweep(y[-old, ], 2, colMeans(y[old, ]))^2)
      }
      fit <- quietly(encode(list(bound = cbind(a, b)[old, ],
                                 spaces = feature_spaces(a = a[old, ], b = b[old, ])), y[old, ]))
      c(bound = r2(predict(fit[1, ], cbind(a, b)[-old, ])),
        spaces = r2(predict(fit[2, ], feature_spaces(a = a[-old, ], b = b[-old, ]))))
    })
    cat(sprintf("%-24s bound %.3f, spaces %.3f\n", name, mean(found["bound", ]),
                mean(found["spaces", ])))
  }
}
