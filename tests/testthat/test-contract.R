# What every declaration claims, checked by loops over measures(): a measure that is
# added later is covered without a change here.

table_columns <- c("id", "label", "family", "resi", "direction", "range_min", "range_max", "best",
                   "symmetric", "pairing", "invariant", "form", "parameters", "reference")
vocabulary <- c("orthogonal", "scaling", "translation", "column permutation", "invertible linear")

ids <- plain_measures()$id

test_that("every measure stands in all the places that name measures one by one", {
  for (id in measures()$id) {
    places <- lacking_places(id)
    note(!length(places), paste(c(paste0(id, " is not (or should not be) in"), places),
                                collapse = "\n    "))
  }
  files <- paste(miscounting_files(), collapse = ", ")
  note(files == "", "there are ", nrow(measures()), " measures now, and another number in ", files)
  expect_nothing_noted()
})

test_that("the table has the documented columns, one row a measure, and nothing is empty", {
  table <- measures()
  expect_identical(names(table), table_columns)
  expect_s3_class(table, "data.frame")
  expect_true(all(c("cka", "rv") %in% table$id))
  expect_identical(anyDuplicated(table$id), 0L)
  for (column in c("id", "label", "family", "direction", "form", "reference")) {
    expect_type(table[[column]], "character")
    expect_true(all(nzchar(table[[column]]) & !is.na(table[[column]])), label = column)
  }
  expect_true(all(table$direction %in% c("similarity", "distance")))
  for (column in c("symmetric", "pairing")) {
    expect_type(table[[column]], "logical")
    expect_false(anyNA(table[[column]]), label = column)
  }
  expect_true(all(table$range_min < table$range_max))
  known <- !is.na(table$best)
  expect_true(all(table$best[known] >= table$range_min[known]))
  expect_true(all(table$best[known] <= table$range_max[known]))
  # the best value lies at the end that the direction names, where the range has an end
  end <- ifelse(table$direction == "similarity", table$range_max, table$range_min)
  bounded <- known & is.finite(end)
  expect_identical(table$best[bounded], end[bounded])
  for (invariant in strsplit(table$invariant, ", ")) expect_true(all(invariant %in% vocabulary))
})

test_that("every measure is an exported function of x and y with named parameters", {
  skip_unless_extended()
  exported <- getNamespaceExports("repalign")
  table <- measures()
  for (id in ids) {
    expect_true(id %in% exported, label = id)
    arguments <- names(formals(get(id)))
    expect_identical(arguments[1:2], c("x", "y"), label = id)
    # what is given beyond the arguments is refused with a word
    expect_refused(get(id)(diag(5), diag(5), no_such_parameter = 1), "no_such_parameter")
    # the table tells the parameters with their defaults
    told <- table$parameters[table$id == id]
    parameters <- eval(parse(text = paste0("alist(", told, ")")))
    own <- as.list(formals(get(id)))[-(1:2)]
    own$... <- NULL
    # `na` is about a call, but for what rsa() alone can do
    expect_true(all(c("error", "stimuli", "neurons") %in% eval(own$na)), label = id)
    own$na <- if ("pairwise" %in% eval(own$na)) quote(c("error", "pairwise"))
    if (!is.null(own$na)) parameters$na <- as.call(as.list(parameters$na))
    expect_identical(parameters, own, label = id, ignore_attr = !length(parameters))
    # and measure() knows them
    expect_s3_class(measure(id), "repalign_measure")
    expect_refused(measure(id, no_such_parameter = 1), "no_such_parameter")
  }
})

# Text of the parts of a help page.
help_page <- function(pages, name) {
  aliases <- lapply(pages, function(page) {
    tags <- vapply(page, attr, "", "Rd_tag")
    vapply(page[tags == "\\alias"], function(a) trimws(paste(unlist(a), collapse = "")), "")
  })
  pages[[which(vapply(aliases, function(a) name %in% a, NA))[1]]]
}

documented_arguments <- function(page) {
  tags <- vapply(page, attr, "", "Rd_tag")
  items <- unlist(page[tags == "\\arguments"], recursive = FALSE)
  items <- Filter(function(item) identical(attr(item, "Rd_tag"), "\\item"), items)
  named <- vapply(items, function(item) paste(unlist(item[[1]]), collapse = ""), "")
  trimws(unlist(strsplit(named, ",")))
}

help_pages <- function() {
  # an installation without help (--no-docs, load_all) has none to check
  pages <- tryCatch(tools::Rd_db("repalign", lib.loc = dirname(find.package("repalign"))),
                    error = function(e) NULL)
  if (!length(pages)) skip("the package is installed without help pages")
  pages
}

test_that("a call without further arguments has the arguments that were judged already", {
  local_internal("one_score", function(id, x, y, args, na, ...) args)
  for (id in ids) expect_identical(get(id)(1, 2), usual_measures[[id]]$given, label = id)
})

test_that("every formal of every exported function is documented", {
  pages <- help_pages()
  for (name in getNamespaceExports("repalign")) {
    object <- getExportedValue("repalign", name)
    if (!is.function(object) || !identical(environment(object), asNamespace("repalign"))) next
    arguments <- as.character(names(formals(object)))
    missing <- setdiff(arguments, documented_arguments(help_page(pages, name)))
    expect_identical(missing, character(), label = paste("undocumented arguments of", name))
  }
})

test_that("the help page of a measure has its reference and its value", {
  pages <- help_pages()
  for (id in ids) {
    tags <- vapply(help_page(pages, id), attr, "", "Rd_tag")
    expect_true(all(c("\\value", "\\references", "\\examples", "\\details") %in% tags), label = id)
  }
})

test_that("a measure gives one finite number", {
  p <- contract_pair()
  for (id in ids) {
    value <- contract_value(id, p$x, p$y)
    expect_type(value, "double")
    expect_length(value, 1)
    expect_true(is.finite(value), label = id)
    expect_null(attributes(value), label = id)
    # the function and the measure object are one thing
    expect_rounded(suppressWarnings(similarity(p$x, p$y, id))$score, value, label = id)
  }
})

test_that("values lie in the declared range, and none is better than the best", {
  skip_unless_extended()
  table <- plain_measures()
  for (i in seq_len(nrow(table))) {
    for (seed in 1:4) {
      set.seed(seed)
      p <- contract_pair(seed)
      n <- nrow(p$x)
      others <- list(p$y, p$x, -3 * p$x, normal_matrix(n, 2), normal_matrix(n, n + 10), exp(p$y),
                     p$x[sample(n), ], cbind(p$x, p$x), p$x[, 1, drop = FALSE])
      for (other in others) {
        value <-
          tryCatch(contract_value(table$id[i], p$x, other), repalign_error = function(e) NULL)
        # some measures refuse other widths; equal widths must work
        if (is.null(value) && ncol(other) != ncol(p$x)) next
        note(value >= table$range_min[i] - 1e-9 && value <= table$range_max[i] + 1e-9,
             table$id[i], ": ", value)
      }
    }
  }
  expect_nothing_noted()
})

test_that("the best value is that of a representation with itself", {
  table <- plain_measures()
  for (i in which(!is.na(table$best))) {
    p <- contract_pair()
    for (x in list(p$x, p$y)) {
      expect_equal(contract_value(table$id[i], x, x), table$best[i], tolerance = 1e-7,
                   label = table$id[i])
    }
  }
})

test_that("the direction is right: less noise is more alike", {
  table <- plain_measures()
  for (i in seq_len(nrow(table))) {
    # so many that no score saturates
    p <- contract_pair(n = 200)
    set.seed(2)
    noise <- normal_matrix(200, 5)
    values <- vapply(c(0.01, 1, 100), function(s) contract_value(table$id[i], p$x, p$x + s * noise),
                     0)
    oriented <- if (table$direction[i] == "similarity") values else -values
    expect_gt(oriented[1], oriented[2], label = table$id[i])
    expect_gt(oriented[2], oriented[3], label = table$id[i])
  }
})

test_that("data frames, integers and logicals stand for matrices in every measure", {
  p <- lapply(contract_pair(), function(x) round(10 * x))
  for (id in ids) {
    value <- contract_value(id, p$x, p$y)
    whole <- p$x
    storage.mode(whole) <- "integer"
    expect_identical(contract_value(id, whole, as.data.frame(p$y)), value, label = id)
    # some measures refuse constant rows, of numbers as of flags
    flags <- p$x > 0
    answer <- function(x) tryCatch(contract_value(id, x, p$y), repalign_error = conditionMessage)
    expect_identical(answer(flags), answer(flags + 0), label = id)
  }
})

test_that("every measure refuses what is no pair of representations, and names the argument", {
  p <- contract_pair()
  for (id in ids) {
    f <- get(id)
    expect_refused(f(p$x, p$y[-1, ]), c("`x`", "`y`", "40", "39"))
    expect_refused(f(NULL, p$y), "`x`")
    expect_refused(f(p$x, letters), "`y`")
    broken <- p$y
    broken[7, 3] <- NA
    expect_refused(f(p$x, broken), c("`y`", "row 7", "column 3"))
    expect_refused(f(p$x, 0 * p$y), "`y`")
    expect_refused(f(p$x), "`y`")
  }
})

test_that("arguments are left as they were", {
  p <- contract_pair()
  kept <- unserialize(serialize(p, NULL))
  for (id in ids) {
    contract_value(id, p$x, p$y)
    expect_identical(p, kept, label = id)
  }
})

test_that("a prepared representation stands for its data, to the last bit", {
  p <- contract_pair(n = 24)
  set.seed(4)
  others <- list(few = p$y, many = cbind(p$x, normal_matrix(24, 30)), tied = round(p$x))
  quietly_seeded <- function(code) {
    set.seed(9)
    full_k(suppressWarnings(suppressMessages(code)))
  }
  for (id in ids) {
    zoo <- quietly_seeded(prepare(others, id))
    zoo <- unserialize(serialize(zoo, NULL))
    data <- quietly_seeded(similarity(p$x, others, id))
    expect_rounded(quietly_seeded(similarity(p$x, zoo, id)), data, label = id)
    data <- quietly_seeded(similarity(others, p["x"], id))
    expect_rounded(quietly_seeded(similarity(zoo, p["x"], id)), data, label = id)
    if (!declaration(id)$pairing) next
    data <- quietly_seeded(calibrate(p$x, others, id, permutations = 5))
    expect_identical(quietly_seeded(calibrate(p$x, zoo, id, permutations = 5)), data, label = id)
  }
})
