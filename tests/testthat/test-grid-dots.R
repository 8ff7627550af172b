# Grids that are made as products of matrices: the scores, the words and the errors of single cells.

# inputs are tiny: threads would only wait for each other
withr::local_options(repalign.threads = 1)

# All settings of measures whose grids are products.
dot_measures <- function() {
  variances <- seq(0.5, 1.5, length.out = 22)
  noisy <- measure("rsa", outer = "whitened_pearson", stimulus_noise = variances)
  Filter(function(m) !is.null(settled_measure(m)$dot) && !settled_measure(m)$averaged,
         c(all_measures(), list(noisy)))
}

# The value of `call`, and what it said, cell by cell.
cell_by_cell <- function(call) {
  local_internal("dot_scores", function(...) NULL)
  local_internal("rdm_grid", function(...) NULL)
  seeded(call)
}

# An angle of nearly 0 is the root of a rounding error.
angles_as_cosines <- function(heard) {
  angle <- grepl("^angular", heard$value$measure)
  heard$value$score[angle] <- cos(heard$value$score[angle])
  heard
}

test_that("most measures of inner products are made at once, and no others", {
  ids <- unique(vapply(dot_measures(), function(m) m$id, ""))
  expect_setequal(ids, product_ids)
  l <- tie_free()
  for (m in dot_measures()) {
    calls <- count_calls("compare_pair", quietly(similarity(l, measure = m)))
    note(calls == 0, m$label, " was made cell by cell")
  }
  expect_nothing_noted()
  # what leaves out neurons or clusters
  labelled <- measure("cka", estimator = "stimulus", clusters = rep(1:11, 2))
  expect_identical(count_calls("compare_pair", similarity(l, measure = labelled)), 3L)
})

test_that("all cells together are the cells one by one", {
  l <- tie_free()
  m <- lapply(rev(l), function(x) x[nrow(x):1, ] + 1)
  set <- dot_measures()
  calls <- list(function() similarity(l, measure = set, diagonal = TRUE),
                function() similarity(l, m, set), function() similarity(l, l, set),
                function() similarity(list(a = l, b = m), measure = set))
  for (call in calls) {
    expect_rounded(angles_as_cosines(seeded(call)), angles_as_cosines(cell_by_cell(call)))
  }
})

test_that("tiles, workers and memory change nothing but roundings", {
  skip_unless_extended()
  l <- c(tie_free(), stats::setNames(tie_free(), c("d", "e", "f")))
  set <- dot_measures()
  call <- function() similarity(l[1:4], l[3:6], set)
  whole <- angles_as_cosines(seeded(call))
  for (most in c(2, 3, 5)) {
    expect_rounded(angles_as_cosines(with_room_for(most, seeded(call))), whole, label = most)
  }
  expect_rounded(angles_as_cosines(with_workers(2, seeded(call))), whole)
  # a few rows at a time
  rows <- function() similarity(l, measure = c("cka", "rsa", "distance_correlation"))
  whole <- seeded(rows)
  local_internal("room_for_dots", function() 60)
  expect_rounded(seeded(rows), whole)
})

test_that("Gram matrices and products of neurons give the same", {
  l <- tie_free()
  set <- list("cka", measure("cka", estimator = "stimulus"))
  by <- function(grams) {
    local_internal("prefer_grams", function(...) grams)
    c(similarity(l, measure = set, diagonal = TRUE)$score, similarity(l[1:2], l, set)$score)
  }
  expect_rounded(by(TRUE), by(FALSE))
  # few neurons of many stimuli are multiplied with each other, many neurons of few are not
  source <- function(n, d) list(data = matrix(0, n, d))
  expect_true(prefer_grams(rep(list(source(500, 128)), 20), NULL))
  expect_false(prefer_grams(rep(list(source(5000, 10)), 3), NULL))
  expect_true(prefer_grams(rep(list(source(50, 1000)), 3), rep(list(source(50, 10)), 3)))
})

test_that("errors, NA and words of cells are those that they have one by one", {
  set.seed(31)
  n <- 24
  plain <- function(d) normal_matrix(n, d)
  odd <- list(
    good = plain(6), also = plain(30),
    zero = replace(plain(5), cbind(3, 1:5), 0),
    flat = matrix(1:n, n, 4) * 0 + 2,
    two = plain(2),
    counts = cbind(1, matrix(sample(0:2, n * 4, TRUE), n)),
    equal = cbind(plain(3)[rep(1:2, n / 2), ])
  )
  set <- c(list("cka", "rsa", measure("rsa", inner = "cosine", outer = "cosine"), "mutual_knn",
                measure("mutual_knn", ties = "random"), "knn_jaccard", "distance_correlation",
                measure("cka", kernel = "rbf", sigma = 0.01), measure("mka", k = 5), "angular_cka",
                measure("cka", kernel = "manifold", k = 5), measure("rsa", outer = "kendall")))
  for (call in list(function() similarity(odd, measure = set, on_error = "na"),
                    function() similarity(odd[1:4], odd[3:7], set, on_error = "na"),
                    function() similarity(odd, odd, set, on_error = "na"))) {
    together <- angles_as_cosines(seeded(call))
    expect_true(anyNA(together$value$score))
    expect_rounded(together, angles_as_cosines(cell_by_cell(call)))
  }
  # the first error stops the call
  for (m in set) {
    stopped <- function() tryCatch(quietly(similarity(odd, measure = m)), error = conditionMessage)
    one_by_one <- cell_by_cell(stopped)$value
    if (is.character(one_by_one)) expect_identical(stopped(), one_by_one)
  }
  # distances that are none, and too few stimuli for a score to mean anything
  rdms <- lapply(odd[1:2], dist)
  rdms$zero <- rdms$good * 0
  rdms$signed <- rdms$good - 5
  call <- function() similarity(rdms, measure = c("rsa", "distance_correlation"), on_error = "na")
  expect_rounded(seeded(call), cell_by_cell(call))
  few <- lapply(odd[1:2], function(x) x[1:3, ])
  few$third <- few$good + 1
  call <- function() similarity(few, measure = c("cka", "rv", "rsa"), on_error = "na")
  expect_rounded(seeded(call), cell_by_cell(call))
})

test_that("one pass over given distances sees what range() and is.na() do", {
  extent <- value_extent
  for (length in c(1, 2, 3, 4, 5, 45)) {
    values <- cos(seq_len(length) * 7)
    expect_equal(extent(values), c(range(values), 0, sum(values)), tolerance = 1e-14)
    expect_equal(extent(c(NA, values, NaN)), c(range(values), 2, NA), tolerance = 1e-14)
  }
  expect_identical(extent(c(1, -Inf)), c(-Inf, 1, 0, -Inf))
  expect_identical(extent(numeric()), c(0, 0, 0, 0))
})

test_that("what was seen of given distances is forgotten when stimuli are left out", {
  d <- stats::dist(cos(outer(1:8, 1:3)))
  d[c(1, 3)] <- c(NA, 1000)
  repr <- representation(d, "x", allow_na = TRUE, loose = TRUE)
  expect_identical(extent_of(repr)[2:3], c(1000, 1))
  cut <- cut_representation(repr, seq_len(8) != 1, TRUE)
  expect_identical(extent_of(cut)[1:3], c(range(cut$data), 0))
  expect_null(gaps_of(cut))
})

test_that("a grid of RDMs goes on after one that has no form", {
  rdms <- lapply(c(a = 1, b = 2, c = 3, d = 4), function(k) stats::dist(cos(outer(1:9 * k, 1:4))))
  rdms$b[] <- 1
  expect_warning(grid <- similarity(rdms, measure = measure("rsa", outer = "pearson"),
                                    on_error = "na"), class = "repalign_undefined")
  bad <- grid$x == "b" | grid$y == "b"
  expect_true(all(is.na(grid$score[bad])))
  single <- Map(function(x, y) rsa(rdms[[x]], rdms[[y]], outer = "pearson"), grid$x[!bad],
                grid$y[!bad])
  expect_equal(grid$score[!bad], unlist(single, use.names = FALSE), tolerance = 1e-12)
  data <- lapply(c(a = 1, b = 2, c = 3), function(k) cos(outer(1:9 * k, 1:4)))
  data$b <- data$b[, 1, drop = FALSE]
  expect_warning(grid <- similarity(data, measure = measure("rsa", outer = "pearson"),
                                    on_error = "na"), class = "repalign_failed")
  expect_identical(is.na(grid$score), grid$x == "b" | grid$y == "b")
  expect_equal(grid$score[2], rsa(data$a, data$c, outer = "pearson"), tolerance = 1e-12)
})

test_that("lists of given RDMs are the RDMs one by one, usual and odd ones", {
  rdms <- lapply(c(a = 1, b = 2, c = 3, d = 4, e = 5), function(k) {
    stats::dist(round(cos(outer(1:9 * k, 1:4)), 1))
  })
  rdms$b[] <- 1
  rdms$c <- rdms$c * 1e200
  rdms$d[1:3] <- -1
  attr(rdms$d, "Labels") <- letters[1:9]
  rdms$e[] <- 0
  expect_identical(plain_rdms(rdms)$extent, unname(vapply(rdms, value_extent, double(4))))
  # the fourth has names
  expect_identical(plain_rdms(rdms)$n, 0)
  expect_identical(plain_rdms(rdms[-4])$n, 9)
  odd <- list(replace(rdms$a, 2, Inf), structure(1:3, Size = 3L, class = "dist"),
              structure(c(1, 2), Size = 3L, class = "dist"), diag(2),
              structure(c(1, 2, 3), Size = 3L, class = "dist", Labels = "a"))
  expect_identical(plain_rdms(odd), list(extent = matrix(NA_real_, 4, 5), n = 0))
  expect_identical(plain_rdms(list(rdms$a, replace(rdms$a, 2, NA)))$n, 0)
  expect_identical(plain_rdms(list(rdms$a, stats::dist(1:3)))$n, 0)
  set <- lapply(rsa_outer, function(outer) measure("rsa", outer = outer))
  call <- function() similarity(rdms, rdms[c("a", "d", "e")], set)
  expect_rounded(seeded(call), cell_by_cell(call))
  call <- function() similarity(rdms, measure = set, diagonal = TRUE)
  expect_rounded(seeded(call), cell_by_cell(call))
  # an error names the one that is to blame
  rdms$b[4] <- Inf
  expect_error(similarity(rdms, measure = "rsa"), "x\\$b.* has 1 infinite distance",
               class = "repalign_error_nonfinite")
})

test_that("two lists of RDMs and one measure take the short way, or the long one to the same end", {
  rdms <- lapply(c(a = 1, b = 2, c = 3, d = 4), function(k) {
    stats::dist(round(cos(outer(1:9 * k, 1:4)), 1))
  })
  long <- lapply(list(equal = replace(rdms$a, 1:36, 1), huge = rdms$a * 1e200,
                      lacking = replace(rdms$a, 3, NA)), function(x) list(x = x))
  for (outer in rsa_outer) {
    m <- measure("rsa", outer = outer)
    call <- function() similarity(rdms[-1], rdms[c("d", "a")], m)
    expect_identical(count_calls("open_call", call()), 0L)
    expect_rounded(seeded(call), cell_by_cell(call))
    for (y in long) {
      call <- function() {
        tryCatch(similarity(rdms, y, m, on_error = "na"), error = conditionMessage)
      }
      expect_rounded(seeded(call), cell_by_cell(call))
    }
  }
  twice <- function() similarity(rdms, rdms, measure("rsa", clusters = c(1, 1:8)))
  expect_identical(count_calls("open_call", twice()), 1L)
  expect_error(similarity(rdms, unname(rdms), "rsa"), class = "repalign_error_names")
  expect_error(similarity(rdms, rdms[1], "rsa", threads = 0), "threads",
               class = "repalign_error_value")
})

test_that("grids of linear kernels keep no Gram matrices, and need no tiles for them", {
  wide <- lapply(c(a = 1, b = 2, c = 3, d = 4), function(k) cos(outer(1:40 * k, 1:60)))
  wide$d <- wide$d[, 1:2]
  withr::local_options(repalign.max_memory = 2e5)
  expect_identical(count_calls("run_tile", similarity(wide)), 0L)
  # the null needs them
  reprs <- as_sides(wide, NULL)$x$reprs
  set <- lapply(as_measures(list("cka", "rsa")), settled_measure)
  expect_gt(how_many_fit(set[1], reprs, FALSE), 1000)
  expect_lt(how_many_fit(set[1], reprs, TRUE), 10)
  expect_lt(how_many_fit(set[2], reprs, FALSE), 20)
  local_internal("prefer_grams", function(...) FALSE)
  sources <- lapply(reprs, function(repr) gram_source(NULL, repr, list(), "x"))
  neurons_multiplied(sources, NULL)
  for (repr in reprs) expect_null(recall_form(repr, "linear", list("sample")))
})
