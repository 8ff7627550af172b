# What responses() declares is honoured by every function, or refused aloud: the table of the
# article "What is declared once" (inst/declared.csv) is walked with tiny data for each declaration.

table <- utils::read.csv(system.file("declared.csv", package = "repalign"), check.names = FALSE)

test_that("the table has a row for each call, and a column for each declaration", {
  expect_identical(table$`function`, names(declared_calls))
  expect_identical(names(table)[-1], names(declared_data))
  expect_true(all(unlist(table[-1]) %in% c("honoured", "refused", "noted", "-")))
})

for (declaration in names(declared_data)) {
  test_that(paste("every function does with", declaration, "what the table says"), {
    for (row in seq_len(nrow(table))) {
      name <- table$`function`[row]
      found <- what_is_done(declared_calls[[name]], declared_data[[declaration]])
      expect_identical(found, table[[declaration]][row], info = paste(name, declaration))
    }
  })
}

test_that("functions that take matrices are in the table", {
  # measures are there by an example of each kind; the others make data, or take results
  exported <- getNamespaceExports("repalign")
  takes <- Filter(function(name) {
    value <- get(name, asNamespace("repalign"))
    is.function(value) && any(c("x", "trials", "brain", "responses", "data", "chunks") %in%
                                names(formals(value)))
  }, exported)
  takes <- setdiff(takes, measures()$id)
  listed <- sub("\\(.*", "", table$`function`)
  makers <- c("responses", "response_matrix", "trial_array", "match_rows", "prepare", "as_rdm",
              "transform_rdm", "noise_precision", "plot_rdms", "simulate_networks", "reexports",
              "tidy", "glance", "augment")
  expect_identical(sort(setdiff(takes, c(listed, makers))), character())
})
