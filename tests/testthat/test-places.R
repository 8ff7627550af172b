# Neighbourhoods, windows and graphs of places, against values made elsewhere and by hand.

places_file <- function(name) {
  read.csv(shared_file("reference", "places", paste0(name, ".csv")), check.names = FALSE)
}

numbers_of <- function(text) lapply(strsplit(as.character(text), " "), as.integer)

test_that("neighbourhoods are the reference values", {
  points <- places_file("coordinates_points")
  within <- points$within
  given <- list(points = points[1:3], grid = places_file("coordinates_grid"))
  wanted <- places_file("neighbourhoods")
  cases <- split(wanted, paste(wanted$coordinates, wanted$radius, wanted$k, wanted$within))
  expect_gt(length(cases), 4)
  for (case in cases) {
    one <- as.list(case[1, ])
    labels <- if (one$within == "yes") within
    found <- quietly(neighbourhoods(
      given[[one$coordinates]], if (!is.na(one$radius)) one$radius, if (!is.na(one$k)) one$k, labels
    ))
    expect_identical(unname(found), numbers_of(case$columns))
    if (anyNA(labels)) expect_named(found, as.character(case$center)) else expect_null(names(found))
  }
})

test_that("neighbourhoods are those of all distances, also of many points in one place", {
  set.seed(1)
  for (d in 1:5) {
    points <- rbind(matrix(rnorm(300 * d), 300), matrix(0, 40, d),
                    matrix(sample(3, 200 * d, TRUE), 200))
    squares <- as.matrix(dist(points))^2
    found <- neighbourhoods(points, radius = 1)
    expect_identical(found, lapply(1:540, function(i) {
      unname(which(sqrt(squares[i, ]) <= 1 * (1 + 1e-9)))
    }))
    found <- neighbourhoods(points, k = 7)
    expect_identical(found, lapply(1:540, function(i) {
      others <- setdiff(order(signif(squares[i, ], 12), 1:540), i)
      sort(c(i, others[1:6]))
    }))
  }
  # the unit does not matter, however large or small it is
  expect_identical(neighbourhoods(points * 1e200, radius = 1e200),
                   neighbourhoods(points, radius = 1))
  expect_identical(neighbourhoods(points * 2^-1000, k = 7), found)
})

test_that("neighbourhoods have names and share labels", {
  near <- neighbourhoods(c(a = 0, b = 1, c = 2, d = 3), k = 2)
  expect_identical(near, list(a = 1:2, b = 1:2, c = 2:3, d = 3:4))
  expect_message(near <- neighbourhoods(0:3, k = 3, within = c("x", "x", NA, "y")), "2 labels",
                 class = "repalign_small_neighbourhoods")
  expect_identical(near, list(`1` = 1:2, `2` = 1:2, `4` = 4L))
  # places without a label need no coordinates
  expect_message(near <- neighbourhoods(c(0, 1, NA), radius = 1, within = c(1, 1, NA)),
                 "channels = 3", class = "repalign_last_channels")
  expect_identical(near, list(`1` = 1:2, `2` = 1:2))
  x <- data.frame(x = 1:3, y = 0)
  expect_identical(neighbourhoods(x, radius = 0), list(1L, 2L, 3L))
})

test_that("what is no place is refused", {
  expect_refused(neighbourhoods(1:3), "Give one of `radius` and `k`")
  expect_refused(neighbourhoods(1:3, 1, 2), "not both")
  expect_refused(neighbourhoods(c(1, NA), 1), c("`coordinates`", "place 2"))
  expect_refused(neighbourhoods(letters, 1), "`coordinates` must be numbers")
  expect_refused(neighbourhoods(1:3, -1), "`radius` must not be negative")
  expect_refused(neighbourhoods(1:3, k = 0), "`k`")
  expect_refused(neighbourhoods(1:3, 1, within = 1:2), c("`within`", "3 places"))
  expect_refused(neighbourhoods(1:3, 1, within = c(NA, NA, NA)), "`within` has no label")
  expect_refused(neighbourhoods(c(a = 1, a = 2), 1), "twice")
  expect_refused(neighbourhoods(stats::setNames(1:2, c("a", NA)), 1), "no name for place 2")
  withr::local_options(repalign.max_memory = 1e5)
  expect_refused(neighbourhoods(rep(0, 1000), 1), "A smaller radius needs less")
})

test_that("windows are the reference values", {
  times <- places_file("times")
  wanted <- places_file("time_windows")
  for (case in split(wanted, paste(wanted$times, wanted$width, wanted$step))) {
    one <- case[1, ]
    at <- times$time[times$times == one$times]
    windows <- time_windows(at, one$width, one$step)
    expect_identical(unname(windows), numbers_of(case$points))
    expect_named(windows, case$name)
    if (isTRUE(all.equal(one$step, median(diff(at))))) {
      expect_identical(time_windows(at, one$width), windows)
    }
  }
  expect_named(time_windows(0:3, 2, unit = ""), c("0.5", "1.5", "2.5"))
  # as many digits as tell them apart
  expect_named(time_windows(1e6 + c(0, 0.25, 0.5), 0.25, unit = "s"),
               c("1000000 s", "1000000.2 s", "1000000.5 s"))
})

test_that("what is no window is refused", {
  expect_message(time_windows(seq(0, 1, 0.01), 0.1), "unit = \"s\"", class = "repalign_unit")
  expect_silent(time_windows(seq(0, 1, 0.01), 0.1, unit = "ms"))
  expect_refused(time_windows(1:10, 2, step = 1e-9), c("`step`", "larger"))
  expect_refused(time_windows(c(0, 1e308, 1.7e308), 1e308), "another unit")
  expect_refused(time_windows(c(0, 2, 1), 1), c("`times` must increase", "value 3 is 1 after 2"))
  expect_refused(time_windows(c(0, NA), 1), "`times` must increase")
  expect_refused(time_windows(1, 1), "two or more numbers")
  expect_refused(time_windows(1:5, 9), "longer than the recording")
  expect_refused(time_windows(c(0, 1, 2, 9, 10), 1), c("4 windows|windows", "without any time"))
  expect_refused(time_windows(1:5, 1, unit = 1), "`unit`")
})

test_that("crossed places are the reference values, and the columns of flattened arrays", {
  wanted <- places_file("crossed")
  near <- list(ch1 = 1:2, ch2 = 1:3, ch3 = 2:4, ch4 = 3:4)
  windows <- list(`window 1` = 1:2, `window 2` = 3:4, `window 3` = 5:6)
  crossed <- cross_places(near, windows)
  expect_identical(crossed, setNames(numbers_of(wanted$columns), wanted$center))
  set.seed(2)
  x <- array(rnorm(10 * 4 * 6), c(10, 4, 6), dimnames = list(NULL, names(near), NULL))
  flat <- flatten_time(x, seq(0, 50, 10))
  expect_identical(dim(flat), c(10L, 24L))
  expect_identical(colnames(flat)[c(1, 2, 5, 24)],
                   c("ch1 0 ms", "ch2 0 ms", "ch1 10 ms", "ch4 50 ms"))
  model <- matrix(rnorm(40), 10)
  light <- searchlight(flat, crossed, list(m = model))
  by_hand <- unlist(lapply(windows, function(at) {
    vapply(near, function(channels) rsa(matrix(x[, channels, at], 10), model), 0)
  }))
  expect_equal(light$score, unname(by_hand))
  # windows cut by hand
  parts <- split_time(x, windows)
  expect_named(parts, names(windows))
  for (name in names(windows)) {
    expect_identical(unname(parts[[name]]), matrix(x[, , windows[[name]]], 10))
  }
  expect_identical(colnames(parts[[2]])[5], "ch1 4")
  repeats <- array(rnorm(10 * 4 * 6 * 2), c(10, 4, 6, 2))
  expect_identical(unname(flatten_time(repeats, 1:6)[, , 2]), matrix(repeats[, , , 2], 10))
  expect_identical(dim(split_time(repeats, list(2:3))[["1"]]), c(10L, 8L, 2L))
})

test_that("how many channels there are is said where it is not certain", {
  expect_message(cross_places(list(a = 1:2, b = 5), list(1, 2)), "taken for the number",
                 class = "repalign_last_channels")
  expect_silent(found <- cross_places(list(a = 1:2, b = 5), list(1, 2), channels = 7))
  expect_identical(found, list(`a, 1` = 1:2, `b, 1` = 5L, `a, 2` = 8:9, `b, 2` = 12L))
  expect_refused(cross_places(list(a = 8), list(1), channels = 7), "no columns")
  expect_refused(cross_places(list(1), list("a")), c("`windows`", "each window"))
  expect_refused(quietly(cross_places(list(1:1000000), list(1000000))), "more than R can number")
})

test_that("arrays over time are not taken for repeats", {
  x <- array(rnorm(5 * 4 * 3), c(5, 4, 3))
  model <- matrix(rnorm(20), 5)
  expect_silent(searchlight(x, list(1:4), model))
  names(dim(x)) <- NULL
  dimnames(x) <- list(condition = NULL, channel = letters[1:4], time = NULL)
  expect_refused(searchlight(x, list(1:4), model), c("times", "flatten_time\\(data, times\\)"))
  expect_refused(flatten_time(x, 1:4), c("`times` has 4 times", "has 3"))
  expect_refused(flatten_time(x[, , 1], 1:4), "`x` must be an array")
  expect_refused(flatten_time(x, c(1, 1, 2)), "must increase")
  expect_refused(split_time(x, list(3:4)), "no times")
})

test_that("graphs are the reference values", {
  wanted <- places_file("adjacency")
  pairs_of <- function(graph) {
    pairs <- cbind(rep(seq_along(graph), lengths(graph)), unlist(graph))
    expect_setequal(paste(pairs[, 1], pairs[, 2]), paste(pairs[, 2], pairs[, 1]))
    unname(pairs[pairs[, 1] < pairs[, 2], ])
  }
  voxels <- as.matrix(expand.grid(1:4, 1:4, 1:3))
  ring <- lapply(1:6, function(i) (c(i - 2, i) %% 6) + 1)
  graphs <- list(
    chain30 = adjacency(times = 30), grid6 = adjacency(voxels = voxels),
    grid18 = adjacency(voxels = voxels, faces = 18),
    grid26 = adjacency(voxels = voxels + 5, faces = 26),
    ring6_x_chain5 = cross_adjacency(ring, adjacency(times = 5)),
    points_distance_4 = adjacency(places_file("coordinates_points")[1:3], 4)
  )
  expect_setequal(names(graphs), unique(wanted$graph))
  for (name in names(graphs)) {
    rows <- as.matrix(wanted[wanted$graph == name, c("i", "j")])
    expect_identical(pairs_of(graphs[[name]]), unname(rows[order(rows[, 1], rows[, 2]), ]))
    expect_false(any(mapply(is.unsorted, graphs[[name]])))
  }
  # the product of graphs by their matrices
  square <- function(graph) outer(seq_along(graph), seq_along(graph), Vectorize(function(i, j) {
    as.double(j %in% graph[[i]])
  }))
  expect_identical(square(graphs$ring6_x_chain5),
                   kronecker(diag(5), square(ring)) + kronecker(square(adjacency(times = 5)),
                                                                diag(6)))
  # the other ways to give a graph
  expect_identical(adjacency(square(ring)), lapply(ring, function(at) as.integer(sort(at))))
  expect_identical(adjacency(Matrix::Matrix(square(ring), sparse = TRUE)), adjacency(ring))
  flat <- as.matrix(expand.grid(1:3, 1:3))
  expect_identical(lengths(adjacency(voxels = flat)), c(2L, 3L, 2L, 3L, 4L, 3L, 2L, 3L, 2L))
  expect_identical(lengths(adjacency(voxels = flat, faces = 8))[5], 8L)
  expect_message(found <- adjacency(list(a = 2, b = NULL)), "1 pair",
                 class = "repalign_one_sided")
  expect_identical(found, list(a = 2L, b = 1L))
  expect_identical(adjacency(times = 1), list(integer()))
})

test_that("graphs have names where both parts have", {
  windows <- time_windows(0:3, 2)
  space <- adjacency(c(Cz = 1, Pz = 2), distance = 1)
  crossed <- cross_adjacency(space, adjacency(times = windows))
  expect_named(crossed, names(quietly(cross_places(list(Cz = 1, Pz = 2), windows))))
  expect_null(names(cross_adjacency(space, adjacency(times = 3))))
})

test_that("what is no graph is refused", {
  renamed <- matrix(1, 2, 2, dimnames = list(c("a", "b"), c("b", "a")))
  expect_refused(adjacency(renamed), "different names")
  expect_refused(adjacency(), "Give one of")
  expect_refused(adjacency(times = 3, voxels = diag(2)), "not several")
  expect_refused(adjacency(1:3), c("must be what adjacency", "need a `distance`"))
  expect_refused(adjacency(matrix(1:4, 2)), "other values")
  expect_refused(adjacency(matrix(c(0, 1, 0, 0), 2)), "not symmetric")
  expect_refused(adjacency(Matrix::Matrix(c(0, 1, 0, 0), 2)), "not symmetric")
  expect_refused(adjacency(list(2, 5)), c("from 1 to 2", "element 2 has 5"))
  expect_refused(adjacency(times = 3, faces = 6), "`faces` goes with `voxels`")
  expect_refused(adjacency(voxels = matrix(1.5, 2, 3)), "whole numbers")
  expect_refused(adjacency(voxels = matrix(1, 2, 3)), "twice")
  expect_refused(adjacency(voxels = matrix(1:6, 2), faces = 4), "`faces`")
})

test_that("a column that is no coordinate is named", {
  table <- data.frame(x = 1:4, y = c(1, 1, 1, 5), contact = letters[1:4])
  expect_refused(neighbourhoods(table, radius = 1), c("`coordinates`", "\"contact\"", "leave it out"))
  expect_length(neighbourhoods(table[1:2], radius = 1), 4)
})

test_that("windows do not repeat", {
  times <- seq(-20, 80, by = 10)
  expect_refused(time_windows(times, 20, step = 3), c("`step`", "10 or more"))
  expect_length(unique(time_windows(times, 20, step = 15)), 7)
})
