# Simulations: p-values and thresholds reject as often as they say. The null data sets are few,
# with a fixed seed, and bounds that chance passes once in 100000.

withr::local_options(repalign.threads = 1)

# 150 null data sets in a cell; the bounds leave odds of about 1 in 100000 to chance.
test_that("error rates are those asked for, with a fixed seed", {
  skip_unless_extended()
  # by moments also for the data sets with heavy rows, which are refused
  any_law()
  runs <- 80
  cells <- list(
    coset = list(measure = "cka", engine = "coset"),
    random = list(measure = "cka", engine = "random"),
    rank = list(measure = "rsa", engine = "coset"),
    moments = list(measure = "cka", engine = "moments"),
    graph = list(measure = measure("mutual_knn", k = 4), engine = "coset")
  )
  set.seed(103)
  p <- replicate(runs, {
    x <- normal_matrix(20, 4)
    y <- matrix(stats::rt(20 * 8, 3), 20)
    vapply(cells, function(cell) {
      calibrate(x, y, cell$measure, permutations = 39, engine = cell$engine)$p_value
    }, 0)
  })
  for (name in names(cells)) for (alpha in c(0.05, 0.2, 0.5)) {
    rejected <- sum(p[name, ] <= alpha)
    note(rejected <= stats::qbinom(1 - 1e-5, runs, alpha), name, " at ", alpha, ": ", rejected)
    # neighbours have many equal scores
    if (name != "graph") note(rejected >= stats::qbinom(1e-5, runs, alpha), name, " at ", alpha,
                              ": ", rejected)
  }
  expect_nothing_noted()
})

test_that("sparse counts with many ties: neighbours are not favoured by their place", {
  set.seed(104)
  runs <- 80
  m <- list(measure("mutual_knn", k = 3, metric = "euclidean"), measure("mka", k = 3))
  p <- replicate(runs, {
    counts <- function() matrix(rpois(24 * 6, 0.25), 24)
    quietly(calibrate(counts(), counts(), m, permutations = 23, engine = "coset"))$p_value
  })
  for (i in 1:2) expect_lte(sum(p[i, ] <= 0.1), stats::qbinom(1 - 1e-5, runs, 0.1))
})

test_that("related sides are beyond chance by every measure, unrelated ones are not", {
  p <- small_pair(60, noise = 0.2)
  unrelated <- normal_matrix(60, 3)
  for (id in plain_measures()$id[plain_measures()$pairing]) {
    # rtd and the matchings are slow or see little here
    if (id %in% c("rtd", "permutation_procrustes")) next
    v <- same_run(p$x, p$y, id, permutations = 59)
    note(v$p_value < 0.05, id, ": p ", v$p_value)
    note(v$calibrated > 0, id, ": not beyond the threshold")
    u <- same_run(p$x, unrelated, id, permutations = 59)
    note(u$calibrated < v$calibrated, id, ": unrelated is nearer")
    # the best possible value, where nothing is better
    one <- same_run(p$x, p$x, id, permutations = 59)
    if (!is.na(limit_of(measure(id)))) note(abs(one$calibrated - 1) < 1e-6, id, ": itself ",
                                            one$calibrated)
    note(one$p_value == 1 / (one$permutations + 1), id, ": itself, p ", one$p_value)
  }
  expect_nothing_noted()
})
