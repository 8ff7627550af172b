# test_maps() against values made elsewhere (all 128 flips), laws, and what is refused.

places_file <- function(name) {
  read.csv(shared_file("reference", "places", paste0(name, ".csv")), check.names = FALSE)
}

# A symmetric matrix of 0 and 1.
reference_graph <- function(name, count) {
  pairs <- places_file("adjacency")
  pairs <- as.matrix(pairs[pairs$graph == name, c("i", "j")])
  graph <- matrix(0, count, count)
  graph[pairs] <- 1
  graph + t(graph)
}

graph_names <- c(chain = "chain30", `grid 6` = "grid6", `grid 18` = "grid18", `grid 26` = "grid26",
                 `ring x chain` = "ring6_x_chain5")

reference_test <- function(case, correction) {
  maps <- as.matrix(places_file(sub("[.]csv.*", "", case$data)))
  signs <- if (case$name == "time_signs") as.matrix(places_file("signs")) else 127
  quietly(test_maps(
    maps, baseline = case$baseline, adjacency = reference_graph(graph_names[[case$adjacency]],
                                                                ncol(maps)),
    compare = if (case$name == "difference") as.matrix(places_file("maps_time_b")),
    correction = correction, statistic = case$statistic, alternative = case$alternative,
    threshold = case$threshold, extent = case$extent, height = case$height, permutations = signs,
    na = "places"
  ))
}

test_that("statistics, p-values, TFCE and clusters are the reference values", {
  index <- places_file("index")
  expect_equal(nrow(index), 15)
  for (k in seq_len(nrow(index))) {
    case <- as.list(index[k, ])
    wanted <- places_file(paste0("expected_", case$name))
    clusters <- places_file(paste0("clusters_", case$name))
    same <- function(found, wanted) {
      expect_equal(found, wanted, tolerance = 1e-9, info = case$name, ignore_attr = TRUE)
    }
    largest <- reference_test(case, "max")
    shift <- if (case$name == "difference") 0 else case$baseline
    same(largest$score, wanted$estimate + shift)
    same(largest$statistic, wanted$statistic)
    same(largest$p_value, wanted$p_value)
    same(largest$p_familywise, wanted$p_max)
    enhanced <- reference_test(case, "tfce")
    same(enhanced$tfce, wanted$tfce)
    same(enhanced$p_familywise, wanted$p_tfce)
    mass <- reference_test(case, "cluster_mass")
    expect_equal(attr(mass, "settings")$cutoff, case$cutoff, tolerance = 1e-8)
    same(mass$cluster, as.integer(wanted$cluster))
    same(mass$p_cluster, as.double(wanted$p_cluster))
    expect_true(all(is.na(mass$p_familywise)))
    found <- as.data.frame(summary(mass))
    expect_named(found, c("cluster", "places", "first", "last", "peak", "mass", "p_value"))
    same(found$places, clusters$places)
    same(found$mass, clusters$mass)
    same(found$p_value, clusters$p_cluster)
    members <- lapply(strsplit(as.character(clusters$members), " "), as.integer)
    same(lapply(clusters$cluster, function(one) which(mass$cluster == one)), members)
    same(match(found$first, mass$center), vapply(members, min, 0L))
    same(match(found$last, mass$center), vapply(members, max, 0L))
  }
})

# The TFCE of a map as it is.
enhanced_by_c <- function(map, graph, extent, height, both = TRUE) {
  start <- c(0L, cumsum(lengths(graph, use.names = FALSE)))
  near <- as.integer(unlist(graph, use.names = FALSE))
  .Call(C_map_tfce, as.double(map), start, near, c(2, both, 0, height), (0:length(map))^extent)
}

# The same by flood fill: between any two heights of places the components do not change.
enhanced_by_floods <- function(map, graph, extent, height) {
  part <- function(map) {
    result <- rep(0, length(map))
    levels <- sort(unique(c(0, map[map > 0])))
    for (k in seq_along(levels)[-1]) {
      above <- which(map >= levels[k])
      step <- (levels[k]^(height + 1) - levels[k - 1]^(height + 1)) / (height + 1)
      left <- above
      while (length(left)) {
        component <- left[1]
        repeat {
          wider <- union(component, intersect(unlist(graph[component]), above))
          if (length(wider) == length(component)) break
          component <- wider
        }
        result[component] <- result[component] + length(component)^extent * step
        left <- setdiff(left, component)
      }
    }
    result
  }
  part(map) - part(-map)
}

test_that("TFCE is exact", {
  wanted <- places_file("tfce_values")
  voxels <- as.matrix(expand.grid(1:4, 1:4, 1:3))
  graph_of <- function(map, count) {
    if (startsWith(map, "chain")) return(adjacency(times = count))
    adjacency(voxels = voxels, faces = as.integer(sub("grid", "", map)))
  }
  for (case in split(wanted, paste(wanted$map, wanted$extent, wanted$height))) {
    one <- case[1, ]
    found <- enhanced_by_c(case$value, graph_of(one$map, nrow(case)), one$extent, one$height)
    expect_equal(found, case$tfce, tolerance = 1e-12)
  }
  set.seed(3)
  for (k in 1:6) {
    places <- adjacency(matrix(runif(120), 60), distance = 0.15)
    # with ties
    map <- round(rnorm(60), if (k %% 2) 1 else 8)
    expect_equal(enhanced_by_c(map, places, k / 4, k / 2),
                 enhanced_by_floods(map, places, k / 4, k / 2), tolerance = 1e-12)
  }
  # enough places for every pass of the sort
  chain <- adjacency(times = 6000)
  map <- as.vector(stats::filter(rnorm(6004), rep(1, 5), sides = 2))[3:6002]
  found <- enhanced_by_c(map, chain, 0.5, 2)
  expect_equal(found, -enhanced_by_c(-map, chain, 0.5, 2))
  expect_equal(rev(found), enhanced_by_c(rev(map), chain, 0.5, 2))
  at <- which.max(map)
  hill <- (max(which(map[1:at] <= 0)) + 1):(min(which(map[at:6000] <= 0)) + at - 2)
  expect_equal(found[hill], enhanced_by_c(map[hill], adjacency(times = length(hill)), 0.5, 2))
})

smooth_maps <- function(subjects, places, seed = 1) {
  set.seed(seed)
  t(replicate(subjects, as.vector(stats::filter(rnorm(places + 4), rep(1, 5), sides = 2))[
    2 + seq_len(places)]))
}

test_that("laws of flips", {
  maps <- smooth_maps(8, 40) + rep(ifelse(1:40 %in% 11:16, 2, 0), each = 8)
  colnames(maps) <- paste0("p", 1:40)
  chain <- adjacency(times = 40)
  for (correction in c("max", "cluster_mass", "tfce")) {
    test <- function(maps, ...) {
      test_maps(maps, adjacency = chain, correction = correction, permutations = 255, ...)
    }
    same <- function(a, b, columns) {
      columns <- intersect(columns, names(a))
      expect_equal(as.data.frame(a)[columns], as.data.frame(b)[columns], ignore_attr = TRUE)
    }
    tests <- c("p_value", "p_familywise", "p_cluster")
    up <- test(maps)
    # negated maps: the other side, and nothing for both sides
    down <- test(-maps, alternative = "less")
    same(up, down, tests)
    expect_equal(up$statistic, -down$statistic)
    expect_equal(attr(up, "max_null"), -attr(down, "max_null"))
    expect_equal(attr(up, "threshold"), -attr(down, "threshold"))
    both <- test(maps, alternative = "two_sided")
    same(both, test(-maps, alternative = "two_sided"), tests)
    # some subjects negated: the same null, in another order
    flipped <- test(maps * c(1, -1, 1, 1, -1, -1, 1, 1), alternative = "two_sided")
    everything <- function(x) {
      sort(c(attr(x, "max_null"), switch(correction, max = max(abs(x$statistic)),
                                         cluster_mass = max(0, abs(summary(x)$mass)),
                                         tfce = max(abs(x$tfce)))))
    }
    expect_equal(everything(flipped), everything(both))
    # the unit does not matter, nor does a baseline that both have
    same(up, test(maps * 1e180), tests)
    same(up, test(maps + 3, baseline = 3), c(tests, "statistic"))
    # nor that of each place, for t
    same(test_maps(maps, permutations = 255),
         test_maps(maps * rep(2^seq(-800, 800, length.out = 40), each = 8), permutations = 255),
         tests)
    # another order of places and subjects
    order <- sample(40)
    mixed <- test_maps(maps[8:1, order], permutations = 255, correction = correction,
                       adjacency = cut_graph(chain, order))
    same(up[order, ], mixed, c("statistic", tests))
    # significant is what exceeds the threshold
    if (correction != "cluster_mass") {
      value <- if (correction == "max") up$statistic else up$tfce
      expect_identical(up$p_familywise <= 0.05, unname(value > attr(up, "threshold")))
    }
  }
})

test_that("a test is made of what R computes", {
  maps <- smooth_maps(9, 12)
  signs <- matrix(sample(c(-1, 1), 50 * 9, TRUE), 50)
  found <- test_maps(maps, alternative = "two_sided", permutations = signs)
  t_of <- function(x) apply(x, 2, function(v) t.test(v)$statistic)
  expect_equal(found$statistic, unname(t_of(maps)))
  expect_equal(found$std_error, apply(maps, 2, sd) / 3)
  null <- apply(signs, 1, function(s) t_of(maps * s))
  expect_equal(found$p_value, (1 + rowSums(abs(null) >= abs(found$statistic))) / 51)
  expect_equal(as.vector(attr(found, "max_null")), apply(abs(null), 2, max))
  mean <- test_maps(maps, statistic = "mean", permutations = signs)
  expect_equal(mean$statistic, 3 * colMeans(maps) / sqrt(mean(maps^2)))
})

test_that("random flips are reproducible, and threads change no bit", {
  maps <- smooth_maps(20, 700)
  graph <- adjacency(voxels = as.matrix(expand.grid(1:10, 1:10, 1:7)))
  for (correction in c("max", "cluster_mass", "tfce")) {
    test <- function(threads) {
      set.seed(5)
      test_maps(maps, adjacency = graph, correction = correction, alternative = "two_sided",
                permutations = 300, threads = threads)
    }
    expect_identical(test(1), test(2))
  }
  expect_identical(attr(test(1), "settings")$engine, "random")
})

test_that("maps are lists of searchlights, with models and comparisons", {
  light <- function(seed, measure = "rsa", models = NULL) {
    set.seed(seed)
    data <- matrix(rnorm(8 * 10), 8)
    if (is.null(models)) models <- list(a = data[, 3:6] + rnorm(32), b = matrix(rnorm(32), 8))
    searchlight(data, list(x = 1:4, y = 3:7, z = 6:10), models, measure)
  }
  lights <- setNames(lapply(1:6, light), paste0("s", 1:6))
  found <- quietly(test_maps(lights))
  expect_s3_class(found, "repalign_map_test")
  expect_identical(found$center, rep(c("x", "y", "z"), each = 2))
  expect_identical(found$model, rep(c("a", "b"), 3))
  scores <- vapply(lights, function(one) one$score, double(6))
  expect_equal(found$score, unname(rowMeans(scores)))
  array <- aperm(array(scores, c(2, 3, 6), list(c("a", "b"), c("x", "y", "z"), NULL)), c(3, 2, 1))
  of_array <- quietly(test_maps(array))
  expect_equal(as.data.frame(of_array), as.data.frame(found))
  difference <- quietly(test_maps(lights, compare = c("a", "b")))
  expect_identical(difference$model, rep("a - b", 3))
  expect_identical(attr(difference, "settings")$alternative, "two_sided")
  apart <- quietly(test_maps(array[, , 1], compare = array[, , 2]))
  expect_equal(apart$p_value, difference$p_value)
  expect_equal(difference$score, found$score[c(1, 3, 5)] - found$score[c(2, 4, 6)])
  # subjects are matched by their names
  other <- quietly(test_maps(lights, compare = lights[6:1], permutations = 63, statistic = "mean"))
  expect_true(all(other$score == 0))
  expect_refused(test_maps(lights[[1]]), "searchlight of one subject")
  expect_refused(test_maps(c(lights[1:2], list(1))), "element 3")
  cut <- lights
  cut$s3 <- cut$s3[cut$s3$center != "y", ]
  expect_refused(test_maps(cut), "subject 3 \\(\"s3\"\\) has other centres")
  cut$s3 <- light(3, "cka")
  expect_refused(test_maps(cut), "subject 3 .* the measure cka\\(naive\\)")
  expect_refused(test_maps(lights, compare = c("a", "c")), "`compare` cannot be \"c\"")
  expect_refused(test_maps(lights, compare = setNames(lights, paste0("t", 1:6))), "other subjects")
  expect_refused(test_maps(lights, compare = lapply(lights, function(one) one[one$model == "a", ])),
                 "other models")
  # distances
  far <- setNames(lapply(1:6, light, measure = "procrustes"), paste0("s", 1:6))
  expect_refused(test_maps(far), "`baseline` is missing")
  expect_identical(attr(quietly(test_maps(far, baseline = 5)), "settings")$alternative, "less")
  expect_no_error(quietly(test_maps(far, compare = c("a", "b"))))
})

test_that("places that are left out are counted, and never bridged", {
  maps <- smooth_maps(7, 20) + 3
  maps[2, 8] <- NA
  maps[, 15] <- c(-2, 2, 2, 2, -2, 2, 2)
  expect_refused(test_maps(maps), c("missing scores at 1 place", "subject 2", "\"8\"",
                                    "na = \"places\""))
  expect_warned(found <- test_maps(maps, na = "places", adjacency = adjacency(times = 20),
                                   correction = "cluster_mass"), "repalign_undefined")
  expect_identical(which(is.na(found$statistic)), c(8L, 15L))
  expect_identical(unique(found$cluster[9:14]), 2L)
  expect_true(all(found$cluster[c(1:7, 16:20)] != 2L, na.rm = TRUE))
  maps[1, 3] <- Inf
  expect_refused(test_maps(maps, na = "places"), c("infinite", "subject 1"))
  expect_refused(test_maps(matrix(1, 4, 3)), "no place")
})

test_that("values beyond doubles are refused, and huge places leave others alone", {
  set.seed(1)
  maps <- matrix(rnorm(40), 8)
  infinite <- replace(maps, 1, Inf)
  for (other in list(maps, infinite)) {
    expect_refused(test_maps(infinite, compare = other, na = "places"), "infinite value")
  }
  expect_refused(test_maps(maps, compare = infinite, na = "places"), c("`compare`", "infinite"))
  expect_refused(test_maps(maps[0, ]), "not empty")
  graph <- adjacency(times = 5)
  expect_refused(test_maps(4 + maps, adjacency = graph, correction = "tfce", height = 1000),
                 "`height` is too large")
  huge <- maps
  huge[, 1] <- 1e300 * maps[, 1]
  expect_equal(test_maps(huge, statistic = "mean")$std_error[-1],
               test_maps(maps, statistic = "mean")$std_error[-1])
})

test_that("what cannot be tested is refused, and few subjects are told of", {
  maps <- smooth_maps(7, 20)
  expect_refused(test_maps(maps[1, , drop = FALSE]), "one subject")
  expect_refused(test_maps(maps[, 1]), "`maps` must be a matrix")
  expect_refused(test_maps(maps, correction = "tfce"), "`adjacency` is missing")
  expect_refused(test_maps(maps, correction = "tfce", adjacency = adjacency(times = 9)), "9 places")
  expect_refused(test_maps(maps, permutations = matrix(1, 3, 6)), "7 subjects, not 6")
  expect_refused(test_maps(maps, permutations = matrix(0.5, 3, 7)), "of 1 and -1")
  expect_refused(test_maps(maps, permutations = 0), "`permutations`")
  expect_refused(test_maps(maps, threshold = 0.6, correction = "cluster_mass"), "below .5")
  expect_refused(test_maps(maps, extent = -1), "`extent`")
  expect_warned(test_maps(maps, threshold = 0.01), "repalign_unused")
  expect_warned(test_maps(maps, height = 2, threshold = 0.01, correction = "tfce",
                          adjacency = adjacency(times = 20)), "repalign_unused")
  expect_silent(test_maps(maps, extent = 1, correction = "tfce",
                          adjacency = adjacency(times = 20)))
  expect_refused(test_maps(maps, compare = "a"), "two models")
  expect_refused(test_maps(maps, compare = maps[1:5, ]), "5 subjects")
  expect_refused(test_maps(maps, compare = maps[, 1:5]), "other centres")
  expect_message(test_maps(maps[1:5, ], alternative = "two_sided"), "0.0625",
                 class = "repalign_few_permutations")
  expect_silent(test_maps(maps[1:6, ], alternative = "two_sided"))
  # graphs are matched by names where both have them
  colnames(maps) <- paste0("p", 1:20)
  graph <- setNames(adjacency(times = 20), colnames(maps))
  one <- test_maps(maps, correction = "tfce", adjacency = graph)
  mixed <- setNames(cut_graph(graph, 20:1), colnames(maps)[20:1])
  expect_identical(test_maps(maps, correction = "tfce", adjacency = mixed), one)
  names(graph)[4] <- "q"
  expect_refused(test_maps(maps, correction = "tfce", adjacency = graph), "lacks 1 place.*p4")
})

test_that("results print with their cautions, bind, and are told", {
  maps <- smooth_maps(9, 30) + rep(ifelse(1:30 %in% 8:14, 2.5, 0), each = 9)
  colnames(maps) <- paste(10 * 1:30, "ms")
  test <- function(correction, of = maps, ...) {
    test_maps(of, adjacency = adjacency(times = 30), correction = correction, ...)
  }
  mass <- test("cluster_mass")
  expect_output(print(mass), "not at\\s+which places, nor from when to when")
  expect_output(print(test("tfce")), "A place may owe its p-value to its neighbours")
  expect_match(in_words(mass), "Over 9 subjects and 30 times, the score was above 0 somewhere")
  expect_match(in_words(test("max")), "at \\d+ times? \\(family-wise p <= .05, by the largest")
  none <- test("cluster_mass", maps - colMeans(maps) - 9)
  expect_match(in_words(none), "nowhere shown to be above 0.*no cluster")
  expect_output(print(none), "No cluster")
  expect_identical(nrow(summary(none)), 0L)
  expect_named(tidy(mass), c("term", "center", "estimate", "std.error", "statistic", "p.value",
                             "p.familywise", "cluster", "p.cluster"))
  expect_s3_class(rbind(early = mass[1:10, ], late = mass[21:30, ]), "repalign_map_test")
  two <- test("cluster_mass", array(c(maps, -maps), c(9, 30, 2), list(NULL, NULL, c("a", "b"))),
              alternative = "two_sided")
  expect_identical(unique(summary(two)$model), c("a", "b"))
  expect_length(in_words(two), 2)
  expect_identical(unique(summary(two[two$model == "b", ])$model), "b")
})

test_that("names that are times give the axis, the graph and the words", {
  skip_if_not_installed("ggplot2")
  maps <- smooth_maps(9, 30) + rep(ifelse(1:30 %in% 8:14, 2.5, 0), each = 9)
  windows <- time_windows(seq(-50, 240, 10), 10)
  colnames(maps) <- paste0("Cz, ", names(windows))
  tested <- test_maps(maps, adjacency = adjacency(times = windows), correction = "cluster_mass")
  at <- which(tested$p_cluster <= 0.05)
  expect_match(in_words(tested), "Over 9 subjects and 30 times (Cz), the score", fixed = TRUE)
  expect_match(in_words(tested), paste0(": ", length(at), " times from ", names(windows)[at[1]],
                                        " to ", names(windows)[max(at)], " ("), fixed = TRUE)
  drawn <- ggplot2::autoplot(tested)
  expect_identical(drawn$labels$x, "time (ms)")
  expect_equal(data_of(built(drawn), "GeomLine")$x, seq(-50, 240, 10))
  # rows that were cut are some of the places that their p-values are about
  expect_match(in_words(tested[at[1]:30, ]), paste0("and ", 31 - at[1], " of 30 places, .*: ",
                                                    length(at), " places from Cz, "))
  before <- tested[seq_len(min(which(!is.na(tested$cluster))) - 1), ]
  expect_identical(nrow(summary(before)), 0L)
  expect_output(print(before), paste(nrow(before), "of 30 places of 9 subjects"))
  # of two regions, places have no axis
  colnames(maps) <- paste0(rep(c("Cz, ", "Pz, "), each = 15), names(windows)[1:15])
  expect_match(in_words(test_maps(maps)), "30 places, .*at (Cz|Pz), ")
  # but their times have one, with a panel for each region and a row of tiles for each of many
  two <- built(ggplot2::autoplot(test_maps(maps)))
  expect_identical(two$plot$labels$x, "time (ms)")
  expect_identical(panel_names(two), c("Cz", "Pz"))
  expect_equal(data_of(two, "GeomLine")$x, rep(seq(-50, 90, 10), 2))
  colnames(maps) <- paste0(rep(paste0("E", 1:10, ", "), each = 3), names(windows)[1:3])
  many <- test_maps(maps)
  tiles <- built(ggplot2::autoplot(many))
  expect_identical(tick_labels(tiles, "y"), paste0("E", 10:1))
  expect_equal(data_of(tiles, "GeomTile")$x, rep(c(-50, -40, -30), 10))
  expect_equal(sort(unique(data_of(tiles, "GeomTile")$alpha)),
               sort(unique(ifelse(many$p_familywise <= 0.05, 1, 0.4))))
  # bins stand at their middle
  expect_identical(axis_of_names(c("0 to 50", "50 to 150"))[c("at", "unit", "word")],
                   list(at = c(25, 100), unit = "", word = "time"))
  expect_equal(axes_of_names(c("V1, -50 to 0 ms", "V4, 0 to 50 ms"))[c("at", "of", "unit")],
               list(at = c(-25, 25), of = c("V1, ", "V4, "), unit = "ms"))
  expect_identical(axis_of_names(c("-100ms", "20ms"))[c("at", "word")],
                   list(at = c(-100, 20), word = "time"))
  expect_identical(axis_of_names(c("12 um", "-1e-05 um"))[c("at", "word")],
                   list(at = c(12, -1e-05), word = "place"))
  for (names in list(c("1 2 3", "1 2 4"), c("1", "2"), 1:2, c("1 ms", "2 s"))) {
    expect_null(axis_of_names(names))
  }
})

test_that("pictures show courses, ranks and nulls", {
  skip_if_not_installed("ggplot2")
  maps <- smooth_maps(9, 30) + rep(ifelse(1:30 %in% 8:14, 2.5, 0), each = 9)
  times <- seq(-50, 240, 10)
  tested <- test_maps(maps, adjacency = adjacency(times = 30), correction = "tfce")
  drawn <- built(ggplot2::autoplot(tested, type = "course", at = times))
  bars <- data_of(drawn, "GeomSegment")
  found <- which(tested$p_familywise <= 0.05)
  expect_equal(range(bars$x, bars$xend), range(times[found]) + c(-5, 5))
  expect_equal(data_of(drawn, "GeomLine")$y, tested$score)
  expect_match(caption_text(ggplot2::autoplot(tested)), "all 512 sign flips")
  for (type in c("ranked", "max_null")) built(ggplot2::autoplot(tested, type = type))
  expect_refused(ggplot2::autoplot(tested, at = 1:3), c("30 places", "not 3"))
  two <- test_maps(array(c(maps, -maps), c(9, 30, 2)), alternative = "two_sided")
  for (type in c("course", "ranked", "max_null")) built(ggplot2::autoplot(two, type = type))
  # long names are wrapped, in legends and in titles of panels
  long <- paste0("conv", 1:2, "_block_with_long_name")
  two <- test_maps(array(c(maps, -maps), c(9, 30, 2), list(NULL, NULL, long)),
                   alternative = "two_sided")
  keys <- built(ggplot2::autoplot(two, type = "course"))$plot$scales$get_scales("colour")
  expect_identical(keys$get_labels(), sub("with_", "with_\n", long))
  expect_identical(c(keys$guide$ncol, keys$guide$params$ncol), 2)
  for (type in c("ranked", "max_null")) {
    titles <- ggplot2::autoplot(two, type = type)$facet$params$labeller(data.frame(panel = long))
    expect_identical(titles[[1]], sub("with_", "with_\n", long))
  }
  attr(two, "settings")[c("measure", "compared")] <- list("rsa(outer = kendall)", TRUE)
  expect_identical(ggplot2::autoplot(two, type = "course")$labels$y,
                   "mean difference of\nRSA score with\nouter = kendall")
})

test_that("places without an order are no curve, and voxels are slices with peaks", {
  skip_if_not_installed("ggplot2")
  set.seed(4)
  maps <- matrix(rnorm(8 * 12), 8) + rep(c(6, rep(0, 11)), each = 8)
  colnames(maps) <- paste0("area", 1:12)
  named <- built(ggplot2::autoplot(test_maps(maps)))
  expect_false(has_layer(named, "GeomLine"))
  expect_identical(nrow(data_of(named, "GeomPointrange")), 12L)
  expect_identical(unname(tick_labels(named, "x")), colnames(maps))
  many <- test_maps(matrix(rnorm(8 * 40), 8))
  expect_identical(ggplot2::autoplot(many)$labels$x, "rank of the place")
  expect_false(has_layer(built(ggplot2::autoplot(many, type = "course")), "GeomLine"))
  expect_refused(ggplot2::autoplot(many, type = "slices"), c("slices", "at"))
  # volumes: the voxels of the names, or places in mm
  voxels <- as.matrix(expand.grid(x = 1:4, y = 1:5, z = 1:8))
  maps <- matrix(rnorm(8 * 160), 8)
  maps[, 63] <- maps[, 63] + 20
  colnames(maps) <- apply(voxels, 1, paste, collapse = " ")
  tested <- test_maps(maps)
  slices <- ggplot2::autoplot(tested)
  drawn <- data_of(built(slices), "GeomTile")
  expect_identical(nrow(drawn), 120L)
  best <- drawn[which.max(rank(drawn$alpha)), c("x", "y", "alpha")]
  expect_equal(unlist(best), c(x = voxels[[63, 1]], y = voxels[[63, 2]], alpha = 1))
  expect_match(caption_text(slices), paste0("peak: [0-9.]+ at ", toString(voxels[63, ]),
                                            ".*; 6 of 8"))
  rownames(voxels) <- colnames(maps)
  mm <- ggplot2::autoplot(tested[20:160, ], at = 3 * voxels)
  expect_match(caption_text(mm), paste("at", toString(3 * voxels[63, ]), "mm"))
  expect_identical(mm$labels$x, "x (mm)")
  expect_refused(ggplot2::autoplot(tested, at = voxels[1:9, ]), "160 places")
  expect_refused(ggplot2::autoplot(tested, type = "course"), "slices")
})

test_that("places x subjects are refused where names or the graph say so, else told", {
  set.seed(36)
  maps <- matrix(stats::rnorm(5 * 60), 60)
  test <- function(maps, ...) suppressMessages(test_maps(maps, permutations = 19, ...))
  named <- function(rows = NULL, columns = NULL) {
    `dimnames<-`(maps, list(rows, columns))
  }
  expect_warning(test(maps), "60 subjects", class = "repalign_transposed")
  expect_warning(test(maps[1:15, ]), "15 subjects", class = "repalign_transposed")
  expect_warning(test(named(NULL, letters[1:5])), "60 subjects", class = "repalign_transposed")
  expect_refused(test(maps, adjacency = adjacency(times = 60)), "t\\(maps\\)")
  expect_refused(test(named(paste(1:60, "ms"))), "t\\(maps\\)")
  expect_refused(test(named(NULL, paste0("sub-0", 1:5))), "t\\(maps\\)")
  graph <- stats::setNames(unclass(adjacency(times = 60)), paste0("v", 1:60))
  expect_refused(test(named(paste0("v", 1:60)), adjacency = graph), "t\\(maps\\)")
  # lawful, however unusual
  quiet <- function(code) expect_no_condition(code, class = "repalign_transposed")
  quiet(test(t(maps)))
  quiet(test(maps[1:14, ]))
  quiet(test(maps[1:49, ], adjacency = adjacency(times = 5)))
  quiet(test(`dimnames<-`(maps[1:20, ], list(paste(1:20, "old"), paste(1:5 * 10, "ms")))))
  quiet(test(`dimnames<-`(maps[1:20, ], list(paste0("P", 1:20), paste0("s", 1:5)))))
  # columns that are numbered as subjects are, whatever the rows are called
  subjects <- sprintf("S%02d", 1:5)
  for (rows in list(NULL, paste0("t", 1:8))) {
    expect_warning(test(`dimnames<-`(maps[1:8, ], list(rows, subjects))), "8 subjects.*t\\(maps\\)",
                   class = "repalign_transposed")
  }
  quiet(test(`dimnames<-`(t(maps[1:8, ]), list(subjects, paste0("t", 1:8)))))
  # one place that is a time, or has a name
  quiet(test(matrix(maps[1:12], 12, dimnames = list(NULL, "10 ms"))))
  quiet(test(matrix(maps[1:12], 12, dimnames = list(NULL, "V4"))))
})

test_that("arrays whose third dimension is places are refused with the order to give", {
  set.seed(38)
  times <- paste(10 * (1:6), "ms")
  maps <- array(stats::rnorm(8 * 2 * 6), c(8, 2, 6), list(NULL, c("visual", "semantic"), times))
  test <- function(maps, ...) suppressMessages(test_maps(maps, permutations = 19, ...))
  expect_refused(test(maps), "aperm\\(maps, c\\(1, 3, 2\\)\\)")
  expect_refused(test(unname(maps), adjacency = adjacency(times = 6)), "c\\(1, 3, 2\\)")
  expect_refused(test(aperm(maps, c(3, 1, 2))), "aperm\\(maps, c\\(2, 1, 3\\)\\)")
  expect_no_condition(test(aperm(maps, c(1, 3, 2))))
})

test_that("skewed scores are told below two-sided t", {
  set.seed(37)
  skewed <- matrix(stats::rexp(15 * 40) - 1, 15)
  shown <- function(...) {
    paste(utils::capture.output(print(suppressMessages(test_maps(..., permutations = 99)))),
          collapse = " ")
  }
  expect_match(shown(skewed, alternative = "two_sided"), "skewed over subjects")
  expect_no_match(shown(skewed), "skewed")
  expect_no_match(shown(skewed, alternative = "two_sided", statistic = "mean"), "skewed")
  expect_no_match(shown(matrix(stats::rnorm(15 * 40), 15), alternative = "two_sided"), "skewed")
})

test_that("places where subjects do not differ are said not to be tested, as they have scores", {
  set.seed(39)
  maps <- matrix(stats::rnorm(72, 1), 12, dimnames = list(NULL, paste(1:6 * 10, "ms")))
  maps[, 3] <- 0.5
  tested <- suppressWarnings(test_maps(maps))
  expect_match(in_words(tested), "1 time was not tested \\(NA\\)\\.$")
  expect_match(in_words(tested[3, ]), "the maps were not tested \\(NA\\)")
  maps[, 4] <- 0.5
  expect_match(in_words(suppressWarnings(test_maps(maps))), "2 times were not tested")
})

test_that("two clusters of opposite signs side by side have two bars", {
  set.seed(4)
  maps <- matrix(stats::rnorm(360, sd = 0.5), 12) +
    rep(rep(c(0, 1.5, -1.5, 0), c(5, 8, 8, 9)), each = 12)
  colnames(maps) <- paste(10 * (1:30), "ms")
  tested <- test_maps(maps, alternative = "two_sided", adjacency = adjacency(times = 30),
                      correction = "cluster_mass")
  bars <- data_of(built(ggplot2::autoplot(tested)), "GeomSegment")
  expect_identical(nrow(bars), 2L)
  expect_equal(c(bars$x[1], bars$xend[2]), c(55, 215))
  expect_true(bars$xend[1] < 135 && bars$x[2] > 135)
})

test_that("peaks of slices are local maxima of what is drawn, also where TFCE has others", {
  voxels <- which(array(TRUE, c(6, 6, 4)), arr.ind = TRUE)
  rownames(voxels) <- apply(voxels, 1, paste, collapse = " ")
  set.seed(3)
  maps <- matrix(stats::rnorm(8 * 144, sd = 0.1), 8, dimnames = list(NULL, rownames(voxels)))
  active <- voxels[, 1] >= 4 & voxels[, 2] >= 4 & voxels[, 3] <= 2
  maps[, active] <- maps[, active] + 0.5
  maps[, "5 3 2"] <- maps[, "5 3 2"] + 0.5
  maps[, "5 2 2"] <- maps[, "5 2 2"] + 0.13
  tested <- test_maps(maps, adjacency = adjacency(voxels = voxels), correction = "tfce")
  expect_identical(tested$center[which.max(tested$statistic)], "6 5 2")
  expect_match(caption_text(ggplot2::autoplot(tested)), "peak: 23.1 at 6, 5, 2.", fixed = TRUE)
  # a second peak elsewhere is told, too
  maps[, "1 1 3"] <- maps[, "1 1 3"] + 1
  tested <- test_maps(maps, adjacency = adjacency(voxels = voxels), correction = "max")
  expect_match(caption_text(ggplot2::autoplot(tested)), "peaks: .* at 1, 1, 3")
  expect_match(caption_text(ggplot2::autoplot(tested)), "23.1 at 6, 5, 2")
})
