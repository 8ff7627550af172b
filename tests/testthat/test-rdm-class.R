# RDMs as objects: prints, tables, pictures, and what other functions make of them.

set.seed(1)
x <- array(rnorm(8 * 10 * 3), c(8, 10, 3), list(letters[1:8], NULL, NULL))
d <- rdm(x)
as_plain <- function(d) structure(as.vector(d), Size = attr(d, "Size"), Labels = attr(d, "Labels"),
                                  Diag = FALSE, Upper = FALSE, class = "dist")

test_that("an RDM is a dist object", {
  expect_s3_class(d, c("repalign_rdm", "dist"), exact = TRUE)
  expect_identical(as.matrix(d), as.matrix(as_plain(d)))
  expect_identical(labels(d), letters[1:8])
  expect_identical(d[1:3], as.vector(d)[1:3])
  expect_identical(as.vector(d + d), 2 * as.vector(d))
  expect_identical(stats::hclust(abs(d))$height, stats::hclust(abs(as_plain(d)))$height)
  expect_true(any(d < 0))
})

test_that("tables have the labels and the pairs of runs", {
  rows <- as.data.frame(d)
  expect_identical(names(rows), c("x", "y", "dissimilarity", "pairs"))
  expect_identical(rows$dissimilarity, as.vector(d))
  expect_identical(as.matrix(d)[cbind(rows$x, rows$y)], rows$dissimilarity)
  expect_identical(unique(rows$pairs), 3L)
  rows <- as.data.frame(rdm(unname(x), distance = "sqeuclidean"))
  expect_identical(rows$x[1:8], rep(c("1", "2"), c(7, 1)))
  expect_true(all(is.na(rows$pairs)))
  two <- as.data.frame(rdm(x[1:2, , ]))
  expect_identical(two[c("x", "y")], data.frame(x = "a", y = "b"))
})

test_that("prints", {
  # numbers that do not depend on the generator of the version of R
  values <- array(sin(1:360), c(12, 10, 3))
  gaps <- values
  gaps[2, , 2:3] <- NA
  expect_snapshot({
    print(rdm(values), digits = 2)
    print(rdm(values, distance = "sqeuclidean"), digits = 2, n = 3)
    print(suppressWarnings(rdm(gaps)), digits = 2, n = 4)
    rdm(list(a = values, b = values[1:4, , ]))
    transform_rdm(rdm(values[1:4, , ]), "rank")
    rdm(values[1:3, , ]) > 0
    noise_covariance(values, method = "full")
    cat(format(rdm(values)))
  })
})

test_that("measures take an RDM as any dist object", {
  other <- array(rnorm(8 * 10 * 3), c(8, 10, 3), dimnames(x))
  e <- rdm(other)
  for (outer in c("spearman", "pearson", "kendall", "cosine")) {
    expect_identical(rsa(d, e, outer = outer), rsa(as_plain(d), as_plain(e), outer = outer))
  }
  exact <- cor(as.vector(d), as.vector(e), method = "spearman")
  expect_equal(rsa(d, e), exact, tolerance = 1e-12)
  both <- rdm(list(d = x, e = other))
  expect_identical(similarity(both, measure = "rsa")$score, rsa(d, e))
  set.seed(1)
  first <- calibrate(d, e, measure = "rsa", permutations = 50)
  set.seed(1)
  expect_equal(calibrate(as_plain(d), as_plain(e), measure = "rsa", permutations = 50)$p_value,
               first$p_value)
  first <- transform_rdm(rdm(x, distance = "sqeuclidean"), "sqrt")
  second <- transform_rdm(rdm(other, distance = "sqeuclidean"), "sqrt")
  expect_identical(cka(first, second, kernel = "rbf"),
                   cka(as_plain(first), as_plain(second), kernel = "rbf"))
  expect_identical(distance_correlation(first, second),
                   distance_correlation(as_plain(first), as_plain(second)))
  expect_equal(distance_correlation(first, second),
               distance_correlation(apply(x, 1:2, mean), apply(other, 1:2, mean)))
  expect_error(distance_correlation(d, e), "negative", class = "repalign_error_nonfinite")
  expect_equal(suppressMessages(rsa(d, rdm(x[8:1, , ]))), 1)
  expect_error(rsa(d, structure(e, Labels = LETTERS[1:8])), "name different stimuli",
               class = "repalign_error_rows")
})

test_that("panels show each entry at its place", {
  skip_if_not_installed("ggplot2")
  drawn <- built(ggplot2::autoplot(d))
  tiles <- drawn$plot$data
  expect_identical(tiles$value, as.matrix(unname(as_plain(d)))[cbind(tiles$y, tiles$x)])
  expect_identical(nrow(tiles), 56L)
  expect_identical(tick_labels(drawn, "x"), letters[1:8])
  shown <- data_of(drawn, "GeomRaster")
  # the first condition is on the left and on top
  expect_identical(shown$x, as.double(tiles$x))
  expect_identical(shown$y, -as.double(tiles$y))
  gaps <- d
  gaps[3] <- NA
  built(ggplot2::autoplot(gaps))
  same <- rdm(unname(x)[rep(1, 3), , ], distance = "sqeuclidean")
  expect_identical(as.vector(same), c(0, 0, 0))
  built(ggplot2::autoplot(same))
  built(ggplot2::autoplot(same, type = "map"))
  many <- array(rnorm(120 * 5 * 2), c(120, 5, 2))
  expect_match(caption_text(ggplot2::autoplot(rdm(many))),
               "Names are left out where there is no room")
  expect_null(ggplot2::autoplot(rdm(many[1:31, , ]))$labels$caption)
  # panels side by side have room for fewer
  expect_match(ggplot2::autoplot(rdm(list(a = many[1:18, , ], b = many[1:18, , ])))$labels$caption,
               "Names are left out")
})

test_that("lists of RDMs are drawn side by side", {
  skip_if_not_installed("ggplot2")
  rdms <- rdm(list(one = x, two = x + 1, three = 2 * x))
  drawn <- built(ggplot2::autoplot(rdms))
  expect_match(panel_names(drawn)[1], "^one\n-[0-9.]+ to [0-9.]+$")
  shared <- built(ggplot2::autoplot(rdms, scale = "shared"))
  expect_identical(panel_names(shared), c("one", "two", "three"))
  plain <- list(a = as_plain(d), b = dist(x[, , 1]))
  expect_identical(panel_names(built(plot_rdms(plain, scale = "shared"))), c("a", "b"))
  built(plot_rdms(plain$b))
  expect_error(plot_rdms(list(a = 1:3)), "x\\$a", class = "repalign_error_type")
  local_device()
  expect_identical(plot(rdms), rdms)
  expect_identical(plot(d), d)
  expect_error(plot(d, colour = 1), "colour", class = "repalign_error_parameter")
})

test_that("panels show groups of conditions", {
  skip_if_not_installed("ggplot2")
  kind <- rep(c("face", "tool", "face"), c(2, 4, 2))
  drawn <- built(ggplot2::autoplot(d, group = kind))
  expect_identical(tick_labels(drawn, "x"), c("face", "tool", "face"))
  expect_equal(data_of(drawn, "GeomVline")$xintercept, c(2.5, 6.5))
  expect_equal(data_of(drawn, "GeomHline")$yintercept, -c(2.5, 6.5))
  several <- built(plot_rdms(list(a = d, b = d), group = factor(kind)))
  expect_identical(tick_labels(several, "x"), c("face", "tool", "face"))
  one <- built(ggplot2::autoplot(d, group = rep("all", 8)))
  expect_identical(tick_labels(one, "x"), "all")
  expect_error(ggplot2::autoplot(d, group = 1:3), "8 conditions", class = "repalign_error_labels")
  expect_error(plot_rdms(list(a = d, b = rdm(x[1:4, , ])), group = kind), "same conditions",
               class = "repalign_error_labels")
})

test_that("a map of many conditions with groups has points only", {
  skip_if_not_installed("ggplot2")
  category <- attr(rdm92, "images")$category
  names <- function(...) map_texts(plot_rdms(rdm92$monkey, type = "map", ...))
  expect_gt(length(names()), 20)
  expect_identical(names(group = category), "92 of 92 names left out for want of room")
})

test_that("a map has the distances of the conditions", {
  skip_if_not_installed("ggplot2")
  flat <- array(rep(rnorm(16), 2), c(8, 2, 2))
  drawn <- built(ggplot2::autoplot(rdm(flat), type = "map", group = rep(1:2, 4)))
  points <- data_of(drawn, "GeomPoint")
  expect_equal(as.vector(dist(points[c("x", "y")])), as.vector(dist(flat[, , 1])) / sqrt(2))
  expect_match(drawn$plot$labels$caption, "keep 100%")
  root <- data_of(built(ggplot2::autoplot(transform_rdm(rdm(flat), "sqrt"), type = "map")),
                  "GeomPoint")
  expect_equal(abs(root$x), abs(points$x))
  plain <- data_of(built(plot_rdms(dist(flat[, , 1]), type = "map")), "GeomPoint")
  expect_equal(as.vector(dist(plain[c("x", "y")])), as.vector(dist(flat[, , 1])))
  # of a signed RDM the positive part
  signed <- data_of(built(ggplot2::autoplot(d, type = "map")), "GeomPoint")
  h <- diag(8) - 1 / 8
  values <- eigen(-h %*% as.matrix(d) %*% h / 2, symmetric = TRUE)$values
  expect_equal(sort(colSums(signed[c("x", "y")]^2), decreasing = TRUE), values[1:2],
               ignore_attr = TRUE)
  gaps <- d
  gaps[3] <- NA
  expect_error(ggplot2::autoplot(gaps, type = "map"), "missing", class = "repalign_error_nonfinite")
  expect_error(ggplot2::autoplot(d, type = "map", group = 1:3), class = "repalign_error_labels")
})

test_that("a map stands beside the dissimilarities", {
  skip_if_not_installed("ggplot2")
  flat <- array(rep(rnorm(16), 2), c(8, 2, 2))
  kind <- rep(1:2, 4)
  map <- data_of(built(ggplot2::autoplot(rdm(flat), type = "map", group = kind)), "GeomPoint")
  drawn <- built(ggplot2::autoplot(rdm(flat), type = "both", group = kind))
  expect_identical(panel_names(drawn), c("RDM", "map"))
  points <- data_of(drawn, "GeomPoint")
  expect_identical(as.integer(unique(points$PANEL)), 2L)
  # the same picture in other units, and no names of tiles at its axes
  expect_equal(points$x - mean(range(points$x)),
               (map$x - mean(range(map$x))) * diff(range(points$x)) / diff(range(map$x)))
  expect_equal(diff(range(points$y)) / diff(range(points$x)),
               diff(range(map$y)) / diff(range(map$x)))
  expect_gt(cor(points$y, map$y), 0.999)
  expect_identical(points$colour, map$colour)
  expect_length(stats::na.omit(tick_labels(drawn, "x", 2)), 0)
  tiles <- data_of(built(ggplot2::autoplot(rdm(flat), group = kind)), "GeomRaster")
  expect_identical(data_of(drawn, "GeomRaster")[c("x", "y", "fill")], tiles[c("x", "y", "fill")])
  expect_match(caption_text(ggplot2::autoplot(rdm(flat), type = "both")), "keep 100%")
  names <- map_texts(ggplot2::autoplot(d, type = "both"))
  expect_setequal(names, letters[1:8])
  gaps <- replace(d, 3, NA)
  expect_error(ggplot2::autoplot(gaps, type = "both"), "missing",
               class = "repalign_error_nonfinite")
})

test_that("lists of RDMs are put together", {
  rdms <- rdm(list(a = x, b = x + rnorm(length(x))))
  both <- c(rdms, c = d)
  expect_s3_class(both, "repalign_rdms")
  expect_named(both, c("a", "b", "c"))
  expect_identical(both$c, d)
  expect_identical(c(rdms["a"], rdms["b"]), rdms)
  expect_output(print(both), "3 RDMs")
  expect_identical(c(rdms, list(u = d, v = d))["u"], c(rdms, u = d)["u"])
  expect_identical(class(c(rdms, k = 1)), "list")
})

test_that("lists of RDMs without names, or with equal ones, have all their RDMs in the table", {
  rdms <- rdm(list(a = x, b = x + rnorm(length(x))))
  values <- c(as.vector(rdms$a), as.vector(rdms$b))
  rows <- as.data.frame(unname(rdms))
  expect_identical(rows$dissimilarity, values)
  expect_identical(unique(rows$rdm), c("rdm1", "rdm2"))
  expect_output(print(unname(rdms)), "rdm2")
  equal <- c(rdms["a"], a = rdms$b)
  expect_identical(as.data.frame(equal)$dissimilarity, values)
})

test_that("some conditions of an RDM keep what is known of it, in the order of the choice", {
  gaps <- x
  gaps[2, , 3] <- NA
  made <- transform_rdm(rdm(gaps), "positive")
  at <- c(5, 2, 8, 1)
  part <- subset(made, at)
  expect_identical(as.matrix(part), as.matrix(made)[at, at])
  expect_identical(labels(part), letters[at])
  kept <- c("distance", "transformed", "class")
  expect_identical(attributes(part)[kept], attributes(made)[kept])
  expect_identical(as.data.frame(part)$pairs, c(1L, 3L, 3L, 1L, 1L, 3L))
  for (same in list(letters[at], factor(letters[at]), as.integer(at))) {
    expect_identical(subset(made, same), part)
  }
  expect_identical(subset(d, labels(d) %in% c("c", "g")), subset(d, c(3, 7)))
  expect_identical(attributes(subset(d, 8:1))$pairs, attr(d, "pairs"))
  expect_identical(subset(d, 1:8), d)
  expect_identical(attr(subset(as_rdm(dist(x[, , 1])), 1:3), "method"), "euclidean")
  plain <- rdm(unname(x))
  expect_identical(as.vector(subset(plain, 8:6)), rev(as.vector(subset(plain, 6:8))))
  expect_null(attr(subset(plain, 2:4), "Labels"))
  rdms <- rdm(list(a = x, b = x[8:1, , ]))
  part <- subset(rdms, c("h", "b"))
  expect_s3_class(part, "repalign_rdms")
  expect_equal(part$a, part$b)
  expect_identical(part$a, subset(rdms$a, c(8, 2)))
  expect_identical(subset(unname(rdms), 1:2), unname(subset(rdms, 1:2)))
})

test_that("conditions that there are not, or not once, are refused", {
  refused <- function(conditions, class, text, of = d) {
    error <- expect_error(subset(of, conditions), class = class)
    expect_match(conditionMessage(error), text, fixed = TRUE)
  }
  refused(c(1, 9), "repalign_error_labels", "9, but `x` has the conditions 1 to 8")
  refused(-1, "repalign_error_labels", "-1")
  refused(c(1, 2.5), "repalign_error_labels", "2.5")
  refused(c("a", "z"), "repalign_error_labels", "\"z\", but `x` has no such condition")
  refused(c("a", "b", "a"), "repalign_error_value", "\"a\" more than once")
  refused(3, "repalign_error_size", "1 condition of `x`")
  refused(numeric(), "repalign_error_size", "0 conditions")
  refused(c(TRUE, FALSE), "repalign_error_size", "2 flags, but `x` has 8 conditions")
  refused(c(1, NA), "repalign_error_value", "missing values")
  refused(list(1, 2), "repalign_error_type", "numbers, names")
  refused(1:5, "repalign_error_labels", "`x$b`", rdm(list(a = x, b = x[1:4, , ])))
  expect_error(subset(d), class = "repalign_error_missing")
  expect_error(subset(d, 1:3, drop = TRUE), class = "repalign_error_parameter")
  expect_error(subset(structure(d, Size = 7L), 1:3), class = "repalign_error_type")
})

test_that("a list of RDMs is a matrix of pairs, and has words for each RDM", {
  rdms <- rdm(list(a = x, b = x + rnorm(length(x))))
  rdms$b[4] <- NA
  values <- as.matrix(rdms)
  expect_identical(unname(values), unname(cbind(as.vector(rdms$a), as.vector(rdms$b))))
  expect_identical(colnames(values), c("a", "b"))
  rows <- as.data.frame(rdms$a)
  expect_identical(rownames(values), paste(rows$x, rows$y, sep = ", "))
  expect_output(print(values), "a, b")
  expect_identical(colnames(as.matrix(unname(rdms))), c("rdm1", "rdm2"))
  expect_identical(rownames(as.matrix(rdm(list(a = unname(x)))))[8], "2, 3")
  expect_error(as.matrix(c(rdms, c = rdm(x[1:4, , ]))), "x\\$c", class = "repalign_error_size")
  mixed <- suppressMessages(as.matrix(c(rdms, c = subset(rdms$a, 8:1))))
  expect_identical(mixed[, "c"], mixed[, "a"])
  other <- structure(rdms$a, Labels = LETTERS[1:8])
  expect_error(as.matrix(c(rdms, c = other)), "x\\$c", class = "repalign_error_names")
  expect_identical(dim(as.matrix(rdms[0])), c(0L, 0L))
  expect_identical(format(rdms), c(a = format(rdms$a), b = format(rdms$b)))
})

test_that("sums of RDMs are of the same conditions, and no means over pairs of runs", {
  set.seed(6)
  x <- array(rnorm(5 * 20 * 3), c(5, 20, 3), list(letters[1:5], NULL, NULL))
  rdms <- rdm(list(a = x, b = x + rnorm(300)))
  sum <- rdms$a + rdms$b
  expect_s3_class(sum, "repalign_rdm")
  expect_identical(as.vector(sum), as.vector(rdms$a) + as.vector(rdms$b))
  expect_null(attr(sum, "pairs"))
  expect_identical(attr(rdms$a / 2, "pairs"), attr(rdms$a, "pairs"))
  expect_message(turned <- rdms$a - subset(rdms$b, 5:1), class = "repalign_reordered")
  expect_identical(turned, rdms$a - rdms$b)
  other <- structure(rdms$b, Labels = LETTERS[5:1])
  expect_error(rdms$a - other, class = "repalign_error_names")
  expect_error(rdms$a * subset(rdms$b, 1:3), class = "repalign_error_size")
  expect_error(rdms["nix"], "\"nix\"", class = "repalign_error_labels")
  expect_error(rdms[3], class = "repalign_error_labels")
  expect_identical(names(rdms["b"]), "b")
})
