# The benchmark's set of measures, and the picture of the table.

# Table 2 of the benchmark's paper.
paper_order <- c(
  "PWCCA", "SVCCA", "AlignCos", "AngShape", "HardCorr", "LinReg", "OrthProc", "PermProc",
  "ProcDist", "SoftCorr", "CKA", "DistCorr", "EOS", "GULP", "RSA", "RSMDiff", "2nd-Cos",
  "Jaccard", "RankSim", "IMD", "RTD", "ConcDiff", "MagDiff", "UnifDiff"
)

test_that("the benchmark's measures are all there, once, in the paper's order", {
  set <- resi_measures()
  expect_identical(names(set), paper_order)
  for (name in names(set)) {
    expect_s3_class(set[[name]], "repalign_measure")
    expect_identical(set[[name]]$declaration$resi, name)
  }
  declared <- measures()$resi
  expect_setequal(declared[!is.na(declared)], paper_order)
  # they are the defaults
  for (m in set) expect_identical(m$args, measure(m$id)$args, label = m$id)
})

test_that("published settings differ where the benchmark's code does", {
  plain <- resi_measures()
  published <- resi_measures(published = TRUE)
  expect_identical(names(published), paper_order)
  changed <- Filter(function(name) !identical(plain[[name]]$args, published[[name]]$args),
                    paper_order)
  expect_identical(changed, c("RSMDiff", "2nd-Cos"))
  expect_identical(published$RSMDiff$args$norm, "spectral")
  expect_identical(published$`2nd-Cos`$args$of, "distance")
  expect_refused(resi_measures("yes"), "`published`")
})

test_that("names of the set label the scores", {
  set.seed(8)
  pair <- related_pair(30, 5, 5)
  set <- resi_measures()
  result <- suppressWarnings(similarity(pair$x, pair$y, set))
  expect_identical(result$measure, paper_order)
  expect_true(all(is.finite(result$score)))
  own <- vapply(set, function(m) suppressWarnings(get(m$id)(pair$x, pair$y)), 0)
  # gulp() takes a shorter way when it is alone, and differs in the last digits
  expect_identical(result$score[result$measure != "GULP"], unname(own)[names(set) != "GULP"])
  expect_equal(result$score, unname(own), tolerance = 1e-14)
})

# What the benchmark's own code computed; where it is well defined our set must give it.
# Its GULP is a square, its SVCCA, PWCCA, IMD are not followed, its RTD needs n <= batch.
code_variants <- function(rows) {
  ours <- c(`2ndCos` = "2nd-Cos")
  rows$name <- ifelse(rows$measure %in% names(ours), ours[rows$measure], rows$measure)
  same <- setdiff(paper_order, c("SVCCA", "PWCCA", "GULP", "IMD", "RTD"))
  other_settings <- grepl("k=5|inner=euclidean|outer=euclidean", rows$params)
  keep <- rows$variant == "code" & rows$name %in% same & grepl("^resi@", rows$source) &
    grepl("order=(XY|YX)", rows$params) & !other_settings &
    !grepl("DEGENERATE|NON-UNIQUE|ERROR", rows$note) & is.finite(rows$value)
  rows[keep, ]
}

test_that("published settings give what the benchmark's code computes", {
  rows <- read.csv(shared_file("reference", "reference.csv"))
  rows$value <- suppressWarnings(as.double(rows$value))
  rows <- code_variants(rows)
  rows <- rows[rows$case %in% paste0("p", 1:6), ]
  expect_gte(length(unique(rows$name)), 19)
  set <- resi_measures(published = TRUE)
  for (case in unique(rows$case)) {
    for (order in c("XY", "YX")) {
      here <- rows[rows$case == case & grepl(paste0("order=", order), rows$params), ]
      if (!nrow(here)) next
      sides <- reference_sides(case, order)
      result <- suppressWarnings(similarity(sides[[1]], sides[[2]], set[unique(here$name)]))
      for (i in seq_len(nrow(here))) {
        expect_relative(result$score[result$measure == here$name[i]], here$value[i], 1e-6,
                        paste(case, order, here$name[i], here$params[i]))
      }
    }
  }
})

drawn_tiles <- function(table) built(ggplot2::autoplot(table))$plot$data

test_that("plot(measures()) shows what the table says", {
  skip_if_not_installed("ggplot2")
  table <- measures()
  tiles <- drawn_tiles(table)
  expect_setequal(as.character(tiles$id), table$id)
  for (i in seq_len(nrow(table))) {
    rows <- tiles[tiles$id == table$id[i], ]
    dark <- as.character(rows$property[rows$shade == table$direction[i]])
    expect_setequal(setdiff(dark, c("symmetric", "metric", "pairing")),
                    strsplit(table$invariant[i], ", ")[[1]])
    expect_identical("symmetric" %in% dark, table$symmetric[i])
    expect_identical("pairing" %in% dark, table$pairing[i])
    expect_length(rows$property, 8)
  }
  local_device()
  expect_identical(plot(table), table)
})

test_that("rows of the table keep their class and can be drawn; columns are missed by name", {
  skip_if_not_installed("ggplot2")
  table <- measures()
  one <- table[table$id == "cka", ]
  expect_s3_class(one, "repalign_measures")
  expect_identical(nrow(drawn_tiles(one)), 8L)
  expect_s3_class(table[2:1, ], "repalign_measures")
  expect_identical(levels(drawn_tiles(table[2:1, ])$id), table$id[1:2])
  # somebody's own row: what is not known of it is left out
  own <- rbind(one, transform(as.data.frame(one), id = "mine", family = "own"))
  expect_identical(sum(drawn_tiles(own)$id == "mine"), 7L)
  expect_refused(plot(table[0, ]), "no rows")
  expect_refused(ggplot2::autoplot(table[c("id", "label")]), c("column", "family", "invariant"))
  expect_refused(ggplot2::autoplot(table, fill = 1), "fill")
})

test_that("a measure that stands in the table twice cannot be drawn", {
  skip_if_not_installed("ggplot2")
  one <- measures()[measures()$id == "cka", ]
  expect_refused(ggplot2::autoplot(rbind(one, one)), c("two rows", "\"cka\""))
})
