# Reference values of representational similarity analysis: ../shared/reference/rsa.

rsa_table <- function(...) {
  path <- shared_file("reference", "rsa", ...)
  name <- paste(c("rsa", ...), collapse = "/")
  if (is.null(read_tables[[name]])) {
    read_tables[[name]] <- read.csv(path, stringsAsFactors = FALSE, check.names = FALSE)
  }
  read_tables[[name]]
}

rsa_input <- function(name) rsa_table("inputs", paste0(name, ".csv"))

# A file of RDMs (columns i, j, then one column for each) as a named list of dist objects.
rsa_rdms <- function(name) {
  table <- rsa_input(name)
  n <- max(table$j)
  lapply(table[-(1:2)], function(values) {
    structure(values, Size = n, Diag = FALSE, Upper = FALSE, class = "dist")
  })
}

# Rows of expected_rsa.csv to test against: those of rsatoolbox where it departs are left out. A
# list of blocks, one for each case, method and set of parameters.
rsa_blocks <- function(what, ...) {
  table <- rsa_table("expected_rsa.csv")
  table <- table[table$what == what & table$source != "rsatoolbox", ]
  for (column in names(list(...))) table <- table[table[[column]] %in% list(...)[[column]], ]
  key <- paste(table$case, table$method, table$parameters, sep = " | ")
  split(table, factor(key, unique(key)))
}

# The tolerance of a block is relative to its largest value.
expect_rsa_block <- function(values, block) {
  label <- paste(block$case[1], block$what[1], block$method[1], block$parameters[1], sep = " | ")
  size <- max(abs(block$value), na.rm = TRUE)
  error <- max(abs(values - block$value), na.rm = TRUE) / size
  expect(identical(is.na(unname(values)), is.na(block$value)), paste(label, ": NA elsewhere"))
  expect(error <= max(block$tolerance),
         sprintf("%s: error %.3g above %.3g", label, error, max(block$tolerance)))
  invisible(error)
}
