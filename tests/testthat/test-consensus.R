# consensus(): how well subjects agree with the consensus of the others, on stimuli left out.

group_table <- function(name) {
  path <- shared_file("reference", "groups", paste0(name, ".csv"))
  key <- paste0("groups/", name)
  if (is.null(read_tables[[key]])) {
    read_tables[[key]] <- read.csv(path, stringsAsFactors = FALSE, na.strings = "")
  }
  read_tables[[key]]
}

# list(x, models, folds) of a case; stimuli that are not listed are absent.
group_case <- function(case) {
  labels <- group_table("labels")
  labels <- labels[labels$case == case, ]
  at <- group_table("inputs")
  at <- at[startsWith(at$matrix, paste0(case, "_")), ]
  sides <- lapply(split(at, at$matrix), function(one) {
    data <- matrix(NA_real_, nrow(labels), max(one$column))
    data[cbind(one$row, one$column)] <- one$value
    data
  })
  names(sides) <- sub(".*_", "", names(sides))
  is_model <- startsWith(names(sides), "model")
  list(x = sides[!is_model], models = if (any(is_model)) sides[is_model],
       folds = labels$fold[order(labels$row)])
}

# The value of a quantity of values.csv in the result of a call.
found_quantity <- function(result, quantity, args) {
  row <- if (!is.null(args$subject)) args$subject else
    if (!is.null(args$model)) paste0("model", args$model) else "group"
  errors <- as.data.frame(result, part = "errors")
  name <- sub("^(group|model)_", "", quantity)
  if (name == "se") name <- "se_stimuli"
  if (name %in% names(errors)) errors[errors$x == row, name] else result[[name]][result$x == row]
}

test_that("the reference values hold", {
  rows <- group_table("values")
  rows <- rows[grepl("^c", rows$case) & rows$quantity != "null_score", ]
  rows$call <- sub("(; )?(subject|model) = .*", "", rows$args)
  expect_gt(nrow(rows), 200)
  for (key in unique(paste(rows$case, rows$call, sep = "|"))) {
    part <- rows[paste(rows$case, rows$call, sep = "|") == key, ]
    case <- group_case(part$case[1])
    args <- eval(parse(text = paste0("list(", gsub(";", ",", part$call[1]), ")")))
    result <- quietly(do.call(consensus, c(case, args, na = if (part$case[1] == "c4") "pairwise")))
    for (i in seq_len(nrow(part))) {
      own <- eval(parse(text = paste0(
        "list(", gsub("(subject = )([A-Z])", "\\1\"\\2\"", gsub(";", ",", part$args[i])), ")")))
      value <- found_quantity(result, part$quantity[i], own)
      gap <- abs(value - part$value[i]) / max(1, abs(part$value[i]))
      expect(isTRUE(gap <= part$tolerance[i]),
             sprintf("%s %s %s: %.10g, expected %.10g", part$case[i], part$quantity[i],
                     part$args[i], value, part$value[i]))
    }
  }
})
