# feature_spaces() and space_parts(), against the values of ../shared/reference/spaces, which were
# computed apart, and against their definitions.

# ---- values

space_case <- function(case) {
  inputs <- align_table("inputs", "spaces")
  names <- unique(inputs$matrix)
  of <- function(pattern) {
    found <- grep(paste0("^", case, "_", pattern, "$"), names, value = TRUE)
    stats::setNames(lapply(found, align_input, "spaces"), substr(found, 3, 3))
  }
  labels <- align_table("labels", "spaces")
  labels <- labels[labels$case == case, ]
  orders <- align_table("orders", "spaces")
  orders <- orders[orders$case == case, ]
  list(spaces = do.call(feature_spaces, of("[a-d]")), new = of("[a-d]_new"),
       y = align_input(paste0(case, "_y"), "spaces"), folds = labels$fold,
       clusters = if (!all(is.na(labels$cluster))) labels$cluster,
       orders = if (nrow(orders)) {
         matrix(orders$from[order(orders$order, orders$row)], max(orders$order), byrow = TRUE)
       })
}

# The values of some parts: rows of values.csv with what was found.
note_parts <- function(rows, table, column) {
  at <- match(paste(rows$part, rows$space, rows$detail),
              paste(table$part, table$space, if (is.null(table$neuron)) "" else table$neuron))
  for (i in seq_len(nrow(rows))) note_space(table[[column]][at[i]], rows[i, ])
}

note_space <- function(value, row) {
  if (is.na(row$value)) return(expect_true(is.na(value)))
  row$args <- list(list(row$args))
  row$quantity <- paste(row$quantity, row$part, row$space, row$detail)
  note_align(value, row)
}

note_case <- function(case, args, rows) {
  data <- space_case(case)
  given <- eval(str2lang(paste0("list(", args, ")")))
  quietly <- function(code) suppressMessages(suppressWarnings(code))
  result <- quietly(do.call(encode, c(list(data$spaces, data$y, folds = data$folds,
                                           clusters = data$clusters), given)))
  of <- function(quantity) rows[rows$quantity == quantity, ]
  count <- if (case == "d" && args == "") 4 else Inf
  orders <- if (nrow(of("p_value"))) data$orders[seq_len(min(count, nrow(data$orders))), ]
  tested <- if (is.null(orders)) 0 else orders
  parts <- quietly(space_parts(result, method = "influence", permutations = tested))
  note_parts(of("score"), parts, "score")
  note_parts(of("normalized"), parts, "normalized")
  note_parts(of("se influence"), parts, "se")
  note_parts(of("neuron"), as.data.frame(parts, part = "neurons"), "score")
  if (nrow(of("p_value"))) note_parts(of("p_value"), parts, "p_value")
  if (nrow(of("se jackknife"))) {
    deleted <- quietly(space_parts(result, method = "jackknife"))
    note_parts(of("se jackknife"), deleted, "se")
  }
  for (i in seq_len(nrow(of("ceiling")))) note_space(result$ceiling, of("ceiling")[i, ])
  table <- as.data.frame(result, part = "spaces")
  for (name in c("lambda", "dropped")) {
    own <- of(name)
    for (i in seq_len(nrow(own))) note_space(table[[name]][table$space == own$space[i]], own[i, ])
  }
  weights <- coef(result)
  at <- function(detail) as.integer(strsplit(detail, " ")[[1]])
  own <- of("coef")
  for (i in seq_len(nrow(own))) {
    place <- at(own$detail[i])
    note_space(weights[[own$space[i]]][place[1], place[2]], own[i, ])
  }
  own <- of("intercept")
  for (i in seq_len(nrow(own))) note_space(weights$intercept[[at(own$detail[i])]], own[i, ])
  own <- of("predict")
  for (i in seq_len(nrow(own))) {
    place <- at(own$detail[i])
    space <- if (own$space[i] == "") NULL else own$space[i]
    new <- do.call(feature_spaces, data$new)
    note_space(predict(result, new, space = space)[place[1], place[2]], own[i, ])
  }
  own <- of("statistic")
  if (nrow(own)) {
    null <- statistics_of(result, orders[1, , drop = FALSE])
    for (i in seq_len(nrow(own))) {
      k <- match(own$space[i], names(data$spaces))
      note_space(null[1 + at(own$detail[i]), k], own[i, ])
    }
  }
}

# The statistics of unique parts, for given permutations.
statistics_of <- function(result, orders) {
  kept <- attr(result, "cells")
  cell <- kept$cells[[1]]
  call <- kept$calls[[1]]
  given <- call$x[[1]]
  kinds <- parts_of_sets(given$spaces)
  model <- encoding_model(given$data, call$settings, given$arg, kinds$sets)
  known <- which(!is.na(cell$by_neuron$score))
  y <- scale(call$y[[1]][, known, drop = FALSE], scale = FALSE)
  folds <- list(test = cell$test)
  found <- predict_model(model, y, rep(1L, ncol(y)), folds, call$settings, call$codes,
                         function() NULL)
  design <- suppressMessages(permutation_plan(call$n, orders, NULL, FALSE, "auto"))$fixed
  unique_null(model, y, folds, found, kinds, call, design)
}

test_that("parts, errors, penalties, weights, predictions and p-values are the values", {
  rows <- align_table("values", "spaces")
  rows$part[is.na(rows$part)] <- ""
  rows$space[is.na(rows$space)] <- ""
  rows$args[is.na(rows$args)] <- ""
  for (own in unname(split(rows, paste(rows$case, rows$args)))) {
    note_case(own$case[1], own$args[1], own)
  }
  expect_identical(nrow(rows), 741L)
  expect_nothing_noted()
})
