# contributions(): what a score is made of, against values computed apart, scores made anew, and all
# permutations.

# ---- reference values

why_inputs <- function() {
  if (is.null(read_tables[["why inputs"]])) {
    table <- read.csv(shared_file("reference", "why", "inputs.csv"))
    read_tables[["why inputs"]] <- lapply(split(table, table$matrix), function(part) {
      m <- matrix(0, max(part$row), max(part$column))
      m[cbind(part$row, part$column)] <- part$value
      m
    })
  }
  read_tables[["why inputs"]]
}

# "cka(stimulus)" or "rsa(correlation, spearman)"; in case c column j is the same neuron.
why_measure <- function(text, case) {
  id <- sub("\\(.*", "", text)
  given <- strsplit(sub(".*\\((.*)\\)", "\\1", text), ", ")[[1]]
  if (id == "rsa") return(measure("rsa", inner = given[1], outer = given[2]))
  measure(id, estimator = given, shared_neurons = case == "c" && given == "stimulus_neuron")
}

# What contributions() has for a row of the reference values.
why_found <- function(rows, groups) {
  inputs <- why_inputs()
  case <- rows$case[1]
  parts <- do.call(rbind, strsplit(rows$args, "; "))
  kind <- sub("_.*", "", rows$quantity[1])
  side <- sub(".*_", "", rows$quantity[1])
  by <- switch(kind, stimulus = "stimuli", group = "groups", neuron = paste0("neurons_", side),
               component = "components", stop(kind))
  of <- if (kind == "component") "cka(naive)" else parts[1, 1]
  found <- quietly(contributions(
    inputs[[paste0(case, "_x")]], inputs[[paste0(case, "_y")]], why_measure(of, case), by = by,
    groups = if (kind == "group") groups, components = if (kind == "component") 3 else 5
  ))
  column <- sub("_[xy]$", "", sub("^[a-z]+_", "", rows$quantity))
  name <- if (kind == "group") paste(found$part_x, "x", found$part_y) else
    if (kind == "component") paste0("x ", found$part_x, ", y ", found$part_y) else found$part
  wanted <- if (kind == "component") sub("rest after.*", "x rest, y rest", rows$args) else
    sub("^[a-z]+ ([0-9]+)$", "\\1", parts[, 2])
  mapply(function(name_at, column) found[[column]][name_at], match(wanted, name), column)
}

test_that("contributions, chance, effects and errors are the reference values", {
  values <- read.csv(shared_file("reference", "why", "values.csv"))
  labels <- read.csv(shared_file("reference", "why", "labels.csv"))
  values <- values[grepl("^(stimulus|group|neuron|component)_", values$quantity), ]
  expect_identical(nrow(values), 720L)
  of <- sub(";.*", "", values$args)
  of[grepl("^component", values$quantity)] <- ""
  side <- sub("^[a-z]+_[a-z]+", "", values$quantity)
  keys <- paste(values$case, sub("_.*", "", values$quantity), side, of)
  for (rows in split(values, keys)) {
    groups <- labels[labels$case == rows$case[1], ]
    found <- why_found(rows, groups$group[order(groups$row)])
    # tolerances are relative, and absolute below 1
    error <- abs(found - rows$value) / pmax(abs(rows$value), 1)
    bad <- which(is.na(error) | error > rows$tolerance)
    expect_identical(paste(rows$case[bad], rows$quantity[bad], rows$args[bad], found[bad]),
                     character())
  }
})
