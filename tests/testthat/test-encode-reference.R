# encode() against the values of ../shared/reference/align, which were computed apart.

penalties <- c(0.01, 0.1, 1, 10, 100, 1000)

# The result of a call that several rows share.
encoded <- new.env()

encode_case <- function(case, args) {
  key <- paste(case, paste(names(args), args, collapse = ", "))
  if (is.null(encoded[[key]])) {
    labels <- align_labels(case)
    sides <- if (case == "m") c("m", "t") else paste0(case, c("_x", "_y"))
    # one case has a neuron that outweighs all others
    encoded[[key]] <- suppressMessages(suppressWarnings(do.call(encode, c(list(
      align_input(sides[1]), align_input(sides[2]), folds = labels$fold,
      clusters = if (!all(is.na(labels$cluster))) labels$cluster
    ), args)), classes = "repalign_dominant"))
  }
  encoded[[key]]
}

# Arguments of encode() from those of a row.
encode_args <- function(given) {
  args <- given[setdiff(names(given), c("neuron", "fold", "scale", "score"))]
  if (identical(args$lambda, quote(LAMBDAS))) args$lambda <- penalties
  if (!is.null(given$scale)) args$standardize <- eval(given$scale)
  args
}

neurons_of <- function(result) {
  table <- as.data.frame(result, part = "neurons")
  table[!is.na(table$score), ]
}

test_that("scores of single neurons are the values", {
  rows <- encoding_rows(c("encoding_r2", "encoding_cor"))
  for (i in seq_len(nrow(rows))) {
    row <- rows[i, ]
    args <- encode_args(row$parsed[[1]])
    args$score_by <- sub("encoding_", "", row$quantity)
    result <- encode_case(row$case, args)
    note_align(neurons_of(result)$score[row$parsed[[1]]$neuron], row)
  }
  expect_nothing_noted()
})

test_that("summaries over neurons are the values", {
  rows <- encoding_rows("encoding_summary")
  for (i in seq_len(nrow(rows))) {
    row <- rows[i, ]
    args <- encode_args(row$parsed[[1]])
    args$score_by <- as.character(row$parsed[[1]]$score)
    note_align(encode_case(row$case, args)$score, row)
  }
  expect_nothing_noted()
})

test_that("penalties are chosen as in the values", {
  rows <- encoding_rows("encoding_lambda")
  for (i in seq_len(nrow(rows))) {
    row <- rows[i, ]
    given <- row$parsed[[1]]
    result <- encode_case(row$case, list(lambda = penalties, per_neuron = given$per_neuron))
    chosen <- attr(result, "cells")$cells[[1]]$penalties[given$fold, ]
    at <- if (is.null(given$neuron)) 1 else given$neuron
    note_align(chosen[at], row)
  }
  expect_nothing_noted()
})

test_that("reliability and normalised scores are the values", {
  rows <- encoding_rows(c("reliability", "encoding_r2_normalised", "encoding_cor_normalised"))
  for (i in seq_len(nrow(rows))) {
    row <- rows[i, ]
    given <- row$parsed[[1]]
    score_by <- if (row$quantity == "encoding_cor_normalised") "cor" else "r2"
    table <- neurons_of(encode_case("m", list(lambda = 1, score_by = score_by)))
    column <- if (row$quantity == "reliability") "reliability" else "normalized"
    note_align(table[[column]][given$neuron], row)
  }
  expect_nothing_noted()
})

test_that("squared errors of rows and clusters that are left out are the values", {
  rows <- encoding_rows(c("loo_sse", "cluster_sse"))
  for (i in seq_len(nrow(rows))) {
    row <- rows[i, ]
    given <- row$parsed[[1]]
    key <- paste(row$case, row$quantity)
    if (is.null(encoded[[key]])) {
      x <- align_input(paste0(row$case, "_x"))
      y <- align_input(paste0(row$case, "_y"))
      y <- y - rep(colMeans(y), each = nrow(y))
      basis <- repalign:::fold_basis(x, seq_len(nrow(x)), integer())
      blocks <- if (row$quantity == "cluster_sse") {
        split(seq_len(nrow(x)), align_labels(row$case)$cluster)
      }
      encoded[[key]] <- repalign:::inner_errors(basis, y, penalties, blocks)
    }
    note_align(encoded[[key]][match(given$lambda, penalties), given$neuron], row)
  }
  expect_nothing_noted()
})

# The statistics of permutations of the rows of y, of a layer and a target.
null_statistics <- function(x, y, folds, permutations, lambda) {
  settings <- encoding_settings(method = "ridge", score_by = "r2", summary = NULL, average = NULL,
                                lambda = lambda, per_neuron = FALSE, components = NULL,
                                standardize = FALSE, min_reliability = 0.1)
  call <- list(n = nrow(x), rows = rep(TRUE, nrow(x)), labels = NULL, clusters = NULL)
  folds <- test_folds(folds, call)
  settings <- with_fold_average(settings, folds)
  targets <- bound_targets(list(list(data = y)))
  design <- permutation_plan(nrow(x), permutations, NULL, FALSE, "auto")$fixed
  model <- encoding_model(list(x), settings, "x")
  encoding_null(model, targets, folds, settings, NULL, design)
}

test_that("null statistics are the values", {
  rows <- align_table("values")
  rows <- rows[rows$quantity %in% c("encoding_null", "encoding_null_max"), ]
  for (i in seq_len(nrow(rows))) {
    row <- rows[i, ]
    sides <- align_sides(row$case)
    formula <- sub(".*row i gets ", "", row$args)
    formula <- gsub("mod", "%%", sub("7 (i-1)", "7 * (i - 1)", formula, fixed = TRUE))
    permutation <- eval(str2lang(formula), list(i = seq_len(nrow(sides$x))))
    lambda <- if (row$quantity == "encoding_null_max") penalties else
      as.numeric(sub(".*lambda = ([0-9.]+),.*", "\\1", row$args))
    null <- null_statistics(sides$x, sides$y, align_labels(row$case)$fold,
                            rbind(permutation), lambda = lambda)
    row$args <- list(list(row$args))
    note_align(null[2], row)
  }
  expect_nothing_noted()
})
