# Tiles: the same results, but for rounding, with the same words; draws that do not depend on them.

# inputs are tiny: threads would only wait for each other
withr::local_options(repalign.threads = 1)

test_that("tiles cover every pair once and are as small as asked for", {
  skip_unless_extended()
  set.seed(1)
  reps <- lapply(1:11, function(i) normal_matrix(5, 2))
  names(reps) <- letters[1:11]
  names_of <- function(reps) vapply(reps, function(rep) rep$name, "")
  shapes <- list(as_sides(reps[1:7], reps[5:11]), as_sides(reps, NULL), as_sides(reps, reps),
                 as_sides(reps[1], reps))
  for (sides in shapes) {
    pairs <- list_pairs(sides, FALSE)
    expect_null(cut_into_tiles(pairs, sides, Inf))
    for (most in c(2, 3, 5, 10)) {
      rows <- cut_into_tiles(pairs, sides, most)
      expect_identical(sort(unlist(rows)), seq_len(nrow(pairs)))
      for (tile in lapply(rows, make_tile, pairs, sides)) {
        note(length(tile$x$reprs) + length(tile$y$reprs) <= most, "more than ", most)
        here <- tile_sides(tile)
        note(identical(names_of(here$x$reprs[tile$pairs$i]),
                       names_of(sides$x$reprs[pairs$i[tile$rows]])), "x of other pairs")
        note(identical(names_of(here$y$reprs[tile$pairs$j]),
                       names_of(sides$y$reprs[pairs$j[tile$rows]])), "y of other pairs")
      }
    }
  }
  expect_nothing_noted()
})

test_that("each representation is prepared once in a tile", {
  m <- some_models()
  # 2 x 7 layers, 4 at once: blocks of 2 and 2
  with_room_for(4, {
    calls <- count_calls("linear_form", similarity(m$one, c(m$two, setNames(m$three, LETTERS[1:4]))))
  })
  expect_equal(calls, 7 + 2 * 4)
  calls <- count_calls("linear_form", similarity(m$one, m$two))
  expect_equal(calls, 5)
})

test_that("scores in tiles are those without", {
  skip_unless_extended()
  for (counts in c(FALSE, TRUE)) {
    m <- some_models(counts = counts)
    for (name in names(grids)) {
      tiles <- seeded(function() with_room_for(if (counts) 5 else 2, grids[[name]](m)))
      expect_rounded(tiles, untiled(name, counts), label = paste(name, counts))
    }
  }
})

test_that("calibrations in tiles are those without", {
  skip_unless_extended()
  for (counts in c(FALSE, TRUE)) {
    m <- some_models(counts = counts)
    for (name in names(nulls)) {
      whole <- untiled(name, counts)
      tiles <- seeded(function() with_room_for(3, nulls[[name]](m)))
      expect_identical(tiles, whole, label = paste(name, counts))
      if (name != "moments") {
        expect_identical(null_scores(tiles$value), null_scores(whole$value), label = name)
      }
    }
  }
})

test_that("a limit of memory makes tiles", {
  m <- some_models(n = 60)
  whole <- seeded(function() calibrate(m[1:2], m[3], "rsa", 59))
  withr::local_options(repalign.max_memory = 100 * 60^2)
  count <- count_calls("run_tile", tiles <- seeded(function() calibrate(m[1:2], m[3], "rsa", 59)))
  expect_gt(count, 1)
  expect_rounded(tiles, whole)
  # the null scores themselves must fit
  withr::local_options(repalign.max_memory = 60^2 * 50)
  expect_refused(calibrate(m[1:2], m[3], "rsa", 1e5), "null scores of all pairs")
})

test_that("random choices have streams of their own and leave the generator to others", {
  set.seed(3)
  x <- normal_matrix(20, 3)
  state <- .Random.seed
  one <- function() {
    choices <- begin_choices(list(rep))
    withr::defer(end_choices(choices))
    tie_priorities(rep, "cosine")
  }
  rep <- representation(x, "x")
  end_choices(begin_choices(list(rep)))
  expect_identical(.Random.seed, state)
  a <- one()
  expect_false(identical(.Random.seed, state))
  expect_setequal(a, 1:20)
  rep <- representation(x, "x")
  b <- one()
  expect_false(identical(a, b))
  # the same seed on either side of a change of the generator's kind
  set.seed(3)
  RNGkind("L'Ecuyer-CMRG")
  withr::defer(RNGkind("default"))
  state <- .Random.seed
  rep <- representation(x, "x")
  begin_choices(list(rep))
  tie_priorities(rep, "cosine")
  expect_identical(.Random.seed, state)
  rm(".Random.seed", envir = globalenv())
  begin_choices(list(rep))
  expect_false(exists(".Random.seed", globalenv(), inherits = FALSE))
})

test_that("priorities of a call are independent of each other", {
  set.seed(7)
  values <- replicate(400, {
    reps <- lapply(c("a", "b", "c"), function(name) representation(cbind(1:8 + 0), "x", name))
    choices <- begin_choices(reps)
    p <- vapply(reps, tie_priorities, integer(8), "cosine")
    end_choices(choices)
    c(p[1, ], cor(p[, 1], p[, 2]), cor(p[, 2], p[, 3]))
  })
  # correlations of random orders have variance 1 / 7
  expect_lt(max(abs(rowMeans(values[4:5, ]))), 4 * sqrt(1 / 7 / 400))
  first <- tabulate(values[1, ], 8)
  expect_gt(chisq.test(first)$p.value, 1e-4)
  # nor of those of the call before
  expect_lt(abs(cor(values[1, -1], values[2, -400])), 4 / sqrt(399))
})

test_that("null scores of a pair do not depend on which others are computed with it", {
  # many diagonals and layers, so that they are transformed in several blocks
  set.seed(8)
  n <- 700
  matrices <- lapply(1:3, function(i) crossprod(normal_matrix(8, n)))
  design <- coset_design(n, n - 1)
  many <- inner_products(rep(matrices, 5), rep(matrices[3:1], 5), design)
  expect_identical(inner_products(matrices[1], matrices[2], design)[, 1], many[, 1 + 15])
  expect_identical(inner_products(matrices[2:3], matrices[1], design), many[, 2:3 + 30])
  totals <- vapply(1:3, function(i) sum(matrices[[i]] * matrices[[3]]), 0)
  expect_equal(many[1, 1:3], totals, tolerance = 1e-12)
})

test_that("null scores that are worked off in pieces are those of one piece", {
  set.seed(9)
  p <- related_pair(30, 4, 5)
  in_pieces <- function(code) {
    whole <- get("in_chunks", envir = asNamespace("repalign"))
    local_internal("in_chunks", function(count, size, run, what) whole(count, 2, run, what))
    force(code)
  }
  for (engine in c("coset", "random")) for (id in c("cka", "mutual_knn")) {
    run <- function() {
      set.seed(10)
      calibrate(p$x, p$y, measure(id), permutations = 200, engine = engine)
    }
    expect_identical(null_scores(in_pieces(run())), null_scores(run()), label = paste(engine, id))
  }
})
