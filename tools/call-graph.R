# The graph of calls between the files of R/: which file uses functions of which, and the
# cycles among files. From the root of the repository:
#   Rscript tools/call-graph.R            the cycles, and how many files each file uses
#   Rscript tools/call-graph.R calls      every call between two files, a row each
#   Rscript tools/call-graph.R limit 4    also fails when a cycle has more than 4 files
# It fails when a name is defined twice.
# Calls are found by name: every name in the code of a file, closures in declarations of
# measures included, that another file defines as a function.

# Names that the top level of a file assigns functions (or anything else) to, and the names
# that its code uses.
read_file <- function(path) {
  code <- parse(path, keep.source = FALSE)
  is_assignment <- vapply(code, function(e) {
    is.call(e) && identical(e[[1]], quote(`<-`)) && is.name(e[[2]])
  }, NA)
  defined <- vapply(code[is_assignment], function(e) as.character(e[[2]]), "")
  used <- unlist(lapply(code, function(e) {
    if (is.call(e) && identical(e[[1]], quote(`<-`)) && is.name(e[[2]])) e <- e[[3]]
    names_used(e)
  }))
  list(defined = defined, used = unique(used))
}

# All names in an expression, but not those of its own arguments and local variables.
names_used <- function(code) {
  local <- character()
  walk <- function(e) {
    if (is.name(e)) return(as.character(e))
    if (is.character(e)) return(unlist(lapply(template_code(e), walk)))
    if (is.pairlist(e)) {
      local <<- c(local, names(e))
      return(unlist(lapply(e, walk)))
    }
    if (!is.call(e)) return(character())
    if (identical(e[[1]], quote(`$`)) || identical(e[[1]], quote(`@`))) return(walk(e[[2]]))
    if (identical(e[[1]], quote(`::`))) return(character())
    if (identical(e[[1]], quote(`<-`)) && is.name(e[[2]])) {
      local <<- c(local, as.character(e[[2]]))
      return(walk(e[[3]]))
    }
    if (identical(e[[1]], quote(`for`))) local <<- c(local, as.character(e[[2]]))
    unlist(lapply(as.list(e), walk))
  }
  setdiff(walk(code), local)
}

# The code in the braces of texts, which messages evaluate (refuse() and its kin).
template_code <- function(texts) {
  found <- unlist(regmatches(texts, gregexpr("[{][^{}]+[}]", texts)))
  code <- lapply(substr(found, 2, nchar(found) - 1), function(text) {
    tryCatch(str2lang(text), error = function(e) NULL)
  })
  Filter(is.language, code)
}

call_table <- function(folder = "R") {
  paths <- sort(list.files(folder, "[.]R$", full.names = TRUE), method = "radix")
  files <- stats::setNames(lapply(paths, read_file), basename(paths))
  owner <- unlist(lapply(names(files), function(f) {
    stats::setNames(rep(f, length(files[[f]]$defined)), files[[f]]$defined)
  }))
  twice <- unique(names(owner)[duplicated(names(owner))])
  if (length(twice)) stop("defined more than once: ", paste(twice, collapse = ", "))
  rows <- lapply(names(files), function(f) {
    name <- intersect(files[[f]]$used, names(owner))
    name <- name[owner[name] != f]
    data.frame(from = rep(f, length(name)), to = unname(owner[name]), name = name)
  })
  list(files = names(files), calls = do.call(rbind, rows))
}

# Strongly connected components with more than one file, largest first.
cycles <- function(files, calls) {
  reach <- matrix(FALSE, length(files), length(files), dimnames = list(files, files))
  reach[cbind(calls$from, calls$to)] <- TRUE
  for (k in seq_along(files)) reach <- reach | outer(reach[, k], reach[k, ], `&`)
  both <- reach & t(reach)
  groups <- unique(lapply(files, function(f) files[both[f, ]]))
  groups <- groups[lengths(groups) > 1]
  groups[order(-lengths(groups))]
}

if (sys.nframe() == 0) {
  args <- commandArgs(trailingOnly = TRUE)
  table <- call_table()
  if ("calls" %in% args) {
    write.table(table$calls, quote = FALSE, row.names = FALSE, sep = "\t")
  }
  found <- cycles(table$files, table$calls)
  for (group in found) cat("cycle of", length(group), "files:", paste(group, collapse = " "), "\n")
  largest <- max(lengths(found), 0)
  cat(length(table$files), "files,", nrow(unique(table$calls[c("from", "to")])),
      "pairs of files with calls, largest cycle", largest, "\n")
  limit <- if ("limit" %in% args) as.integer(args[match("limit", args) + 1]) else Inf
  if (largest > limit) quit(status = 1)
}
