# How large the code is, in figures to compare commits by. From the root of the repository:
#   Rscript tools/size.R [FOLDER OF A REPOSITORY]
# Lines of code: neither empty nor comments. Helpers: functions at the top level of a file that are
# neither exported nor methods. Called from one place: its name stands once in R/, its definition
# aside.

source("tools/call-graph.R")

folder <- c(commandArgs(trailingOnly = TRUE), ".")[1]
paths <- list.files(file.path(folder, "R"), "[.]R$", full.names = TRUE)

is_code <- function(lines) grepl("[^[:space:]]", lines) & !grepl("^[[:space:]]*#", lines)

# list(functions, uses): name and lines of code of every function at the top level, and all names
# in the code.
read_code <- function(path) {
  lines <- readLines(path, encoding = "UTF-8")
  code <- parse(path, keep.source = TRUE, encoding = "UTF-8")
  places <- attr(code, "srcref")
  defines <- vapply(code, function(e) {
    is.call(e) && identical(e[[1]], quote(`<-`)) && is.call(e[[3]]) &&
      identical(e[[3]][[1]], quote(`function`))
  }, NA)
  length_of <- function(place) sum(is_code(lines[place[1]:place[3]]))
  tokens <- utils::getParseData(code)
  list(
    functions = data.frame(
      name = vapply(code[defines], function(e) as.character(e[[2]])[1], ""),
      lines = vapply(places[defines], length_of, 0)
    ),
    uses = tokens$text[tokens$token %in% c("SYMBOL", "SYMBOL_FUNCTION_CALL")],
    lines = sum(is_code(lines)), all_lines = length(lines)
  )
}

# How many lines of a file of C hold more than comments.
c_lines <- function(path) {
  text <- paste(readLines(path, encoding = "UTF-8"), collapse = "\n")
  comments <- gregexpr("(?s)/[*].*?[*]/|//[^\n]*", text, perl = TRUE)
  # A comment leaves its line breaks behind, so that the code around it stays on lines of its own.
  regmatches(text, comments) <- lapply(regmatches(text, comments), function(found) {
    gsub("[^\n]", "", found)
  })
  sum(grepl("[^[:space:]]", strsplit(text, "\n", fixed = TRUE)[[1]]))
}

files <- lapply(paths, read_code)
functions <- do.call(rbind, lapply(files, `[[`, "functions"))
uses <- table(factor(unlist(lapply(files, `[[`, "uses")), functions$name))

namespace <- parseNamespaceFile(basename(normalizePath(folder)), dirname(normalizePath(folder)))
methods <- paste(namespace$S3methods[, 1], namespace$S3methods[, 2], sep = ".")
# methods of generics of suggested packages are registered when these are loaded
is_method <- functions$name %in% methods | grepl("[^.][.].*repalign_", functions$name)
helpers <- functions[!is_method & !functions$name %in% namespace$exports, ]
# its definition is one of the places
once <- helpers[uses[helpers$name] == 2, ]
table <- call_table(file.path(folder, "R"))
sources <- list.files(file.path(folder, "src"), "[.][ch]$", full.names = TRUE)

show <- function(what, ...) cat(sprintf("%-48s %s\n", what, format(c(...), big.mark = ",")),
                                sep = "")
show("lines of code in R/", sum(vapply(files, `[[`, 0, "lines")))
show("lines in R/, with comments and help", sum(vapply(files, `[[`, 0, "all_lines")))
show("files in R/", length(paths))
show("exports", length(namespace$exports))
show("registered S3 methods", nrow(namespace$S3methods))
show("helpers (neither exported nor methods)", nrow(helpers))
show("of them called from one place", nrow(once))
show("and of up to five lines", sum(once$lines <= 5))
show("lines of a function: median", stats::median(functions$lines))
show("90% have at most", unname(stats::quantile(functions$lines, 0.9)))
show("longest", max(functions$lines))
show("files in the largest cycle of calls", max(lengths(cycles(table$files, table$calls)), 0))
show("lines of code in src/", sum(vapply(sources, c_lines, 0)))
show("lines in src/, with comments", length(unlist(lapply(sources, readLines))))
show("files in src/", length(sources))
