# The class of cka_interval(): limits, tables, pictures.

two_intervals <- function(conf_level = 0.95) {
  set.seed(211)
  p <- linear_population(40, 16, 6)
  few_is_fine(list(all = cka_interval(p$x, p$y, conf_level = conf_level),
                   few = cka_interval(p$x[, 1:6], p$y[, 1:6], conf_level = conf_level)))
}

test_that("confint() gives the limits, at another level those of a call with it", {
  i <- two_intervals(0.9)
  one <- i$all
  limits <- confint(one)
  expect_identical(dimnames(limits), list(one$estimator, c("5 %", "95 %")))
  expect_equal(limits, cbind(one$conf_low, one$conf_high), ignore_attr = TRUE, tolerance = 1e-12)
  wide <- two_intervals(0.99)$all
  expect_equal(confint(one, level = 0.99), cbind(wide$conf_low, wide$conf_high),
               ignore_attr = TRUE, tolerance = 1e-12)
  expect_identical(colnames(confint(one, level = 0.99)), c("0.5 %", "99.5 %"))
  expect_identical(rownames(confint(one, "stimulus")), "stimulus")
  expect_identical(confint(one, 3:2), limits[3:2, ])
  both <- rbind(day1 = i$all, day2 = i$few)
  expect_identical(rownames(confint(both))[4], "day2 | naive")
  expect_identical(rownames(confint(one[2, ])), "stimulus")
  expect_refused(confint(one, "nobody"), "`parm`")
  expect_refused(confint(one, 4), "`parm`")
  expect_refused(confint(one, level = 1), "`level`")
  expect_refused(confint(one, levle = 0.9), "levle")
  expect_refused(confint(one["estimator"]), "column")
  lost <- structure(as.data.frame(one), class = class(one))
  expect_refused(confint(lost), "`level`")
  expect_refused(confint(lost, level = 0.9), "deletions")
})

test_that("intervals are tables that bind", {
  i <- two_intervals()
  expect_s3_class(i$all, c("repalign_interval", "repalign_result", "data.frame"), exact = TRUE)
  tidied <- tidy(i$all)
  expect_identical(names(tidied), c("term", "complete", "estimate", "std.error", "df", "conf.low",
                                    "conf.high", "estimate.corrected", "correction", "over", "n"))
  expect_identical(tidied$estimate, i$all$cka)
  expect_identical(tidied$conf.high, i$all$conf_high)
  plain <- as.data.frame(i$all)
  expect_identical(class(plain), "data.frame")
  expect_null(attr(plain, "conf_level"))
  both <- rbind(day1 = i$all, day2 = i$few)
  expect_identical(attr(both[2:5, ], "conf_level"), 0.95)
  expect_identical(tidy(both)$source, rep(c("day1", "day2"), each = 3))
  expect_refused(rbind(i$all, two_intervals(0.9)$all), c("conf_level", "0.9"))
  expect_refused(rbind(i$all, plain), "intervals")
  skip_if_not_installed("dplyr")
  by_dplyr <- dplyr::bind_rows(day1 = i$all, day2 = i$few, .id = "source")
  expect_identical(by_dplyr, both)
  expect_refused(dplyr::bind_rows(i$all, two_intervals(0.9)$all), "conf_level")
})

test_that("glance() is one row for each source, summary() the table without H values", {
  i <- two_intervals()
  one <- i$all
  one$cka[2] <- NA
  expect_identical(glance(one), data.frame(estimators = 3L, conf_level = 0.95, undefined = 1L))
  both <- rbind(day1 = one, day2 = i$few[1:2, ])
  expect_identical(glance(both), data.frame(source = c("day1", "day2"), estimators = 3:2,
                                            conf_level = 0.95, undefined = 1:0))
  expect_identical(untold(summary(one)), as.data.frame(one)[setdiff(names(one), c("h_xy", "h_xx",
                                                                             "h_yy"))])
  expect_identical(summary(both)$source, both$source)
  for (f in list(glance, summary)) expect_refused(f(one["se"]), "column")
})

test_that("the forest plot has a point and a line for each row, a panel for each source", {
  skip_if_not_installed("ggplot2")
  i <- two_intervals()
  layer <- function(built, geom) {
    at <- vapply(built$plot$layers, function(layer) inherits(layer$geom, geom), NA)
    built$data[[which(at)]]
  }
  built <- ggplot2::ggplot_build(ggplot2::autoplot(i$all))
  points <- layer(built, "GeomPoint")
  lines <- layer(built, "GeomLinerange")
  # the first estimator is on top
  expect_equal(points$x[order(-points$y)], i$all$cka)
  expect_equal(lines$xmin[order(-lines$y)], i$all$conf_low)
  expect_equal(lines$xmax[order(-lines$y)], i$all$conf_high)
  expect_identical(points$colour[order(-points$y)], unname(estimator_colours[estimators]))
  expect_setequal(layer(built, "GeomVline")$xintercept, c(0, 1))
  both <- rbind(z = i$all, a = i$few)
  built <- ggplot2::ggplot_build(ggplot2::autoplot(both))
  points <- layer(built, "GeomPoint")
  expect_identical(as.character(built$layout$layout$panel), c("z", "a"))
  expect_equal(points$x[points$PANEL == 2][order(-points$y[points$PANEL == 2])], i$few$cka)
  # undefined intervals are told
  unknown <- i$all
  unknown$conf_low[3] <- unknown$conf_high[3] <- NA
  expect_match(ggplot2::autoplot(unknown)$labels$caption, "1 without interval")
  unknown$cka <- NA_real_
  expect_refused(ggplot2::autoplot(unknown), "undefined")
  expect_refused(ggplot2::autoplot(i$all[0, ]), "no rows")
  expect_refused(plot(i$all[0, ]), "no rows")
  expect_refused(ggplot2::autoplot(rbind(i$all, i$few)), "rbind\\(day1")
  expect_refused(ggplot2::autoplot(i$all, sinlge = 1), "sinlge")
  local_device()
  expect_identical(plot(both), both)
  expect_no_warning(ggplot2::ggplotGrob(ggplot2::autoplot(both)))
})
