# The sources that stream_cka() reads one side from, some rows at a time: files, connections and
# matrices.

#' @include read-representation.R
NULL

# A source is a list: take(count) gives the next rows, at most so many, as a matrix, or NULL at the
# end; n is the number of rows and pick(rows) gives any of them, or both are NULL where rows only
# come one after the other; end() frees what the source holds.
new_source <- function(take, n = NULL, pick = NULL, end = function() NULL) {
  list(take = take, n = n, pick = pick, end = end)
}

# given: what a user gave for one side; arg: its name in messages.
as_source <- function(given, arg) {
  if (inherits(given, "connection")) return(connection_source(given))
  if (is.character(given) && is.null(dim(given))) return(file_source(given, arg))
  if (is.list(given) && !is.data.frame(given) || is.null(given)) {
    abort("`", arg, "` of `chunks` must be the path of a file, a connection or a matrix, not ",
          describe(given), ".", class = "repalign_error_type", arg = "chunks")
  }
  matrix_source(as_numeric_matrix(given, arg))
}

matrix_source <- function(data) {
  rows_source(nrow(data), function(rows) data[rows, , drop = FALSE])
}

# A source of n rows that can be read in any order.
rows_source <- function(n, pick, end = function() NULL) {
  done <- 0
  take <- function(count) {
    if (done >= n) return(NULL)
    rows <- (done + 1):min(done + count, n)
    done <<- rows[length(rows)]
    pick(rows)
  }
  new_source(take, n, pick, end)
}

# ---- files

# given: a path, or c(file, name of an array in it).
file_source <- function(given, arg) {
  if (length(given) > 2 || !length(given) || anyNA(given)) {
    abort("`chunks` must name one file for `", arg, "`, or a file and an array in it: ",
          "c(\"layers.safetensors\", \"layer1\").", class = "repalign_error_value", arg = "chunks")
  }
  file <- given[[1]]
  name <- if (length(given) == 2) given[[2]]
  format <- file_format(file)
  path <- path.expand(file)
  ending <- file_ending(file)
  if (ending %in% c("csv", "tsv")) {
    no_array_name(name, file)
    connection <- gzfile(path, "rb")
    return(table_source(connection, c(csv = ",", tsv = "\t")[[ending]], file, close))
  }
  if (ending == "npz") return(archive_source(path, name))
  n <- if (!is.null(format$rows)) format$rows(path, name)
  # what can only be read whole is read once
  if (is.null(n)) return(matrix_source(read_representation(file, name)))
  once <- flattened_once()
  rows_source(n, function(rows) once(read_representation(file, name, rows)))
}

# An archive is unpacked once, and not for every chunk again.
archive_source <- function(file, name) {
  unpacked <- unpack_array(file, name)
  once <- flattened_once()
  pick <- function(rows) {
    once(arrange_axes(read_npy(unpacked$path, rows, file, unpacked$name), TRUE, file))
  }
  rows_source(npy_rows(unpacked$path), pick, function() unlink(unpacked$folder, recursive = TRUE))
}

# A function that evaluates `code` and lets pass only the first message about flattened axes.
flattened_once <- function() {
  said <- FALSE
  function(code) {
    withCallingHandlers(code, repalign_flattened = function(m) {
      if (said) invokeRestart("muffleMessage")
      said <<- TRUE
    })
  }
}

# ---- tables, line by line

connection_source <- function(connection) {
  named <- summary(connection)$description
  opened <- !isOpen(connection)
  if (opened) open(connection, "rt")
  table_source(connection, NULL, named, if (opened) close else function(connection) NULL)
}

# sep: what stands between numbers; NULL: a comma, a tab or blanks, whatever is in the first line.
# end: what becomes of the connection in the end.
table_source <- function(connection, sep, file, end) {
  top <- tryCatch(connection_top(connection, sep, file), error = function(e) {
    end(connection)
    stop(e)
  })
  waiting <- if (top$header) top$lines[-1] else top$lines
  done <- 0
  take <- function(count) {
    lines <- utils::head(waiting, count)
    waiting <<- utils::tail(waiting, -count)
    lines <- c(lines, data_lines(connection, count - length(lines), file))
    if (!length(lines)) return(NULL)
    rows <- done + seq_along(lines)
    done <<- done + length(lines)
    lines_matrix(c(if (top$header) top$lines[1], lines), top, top$sep, file, rows)
  }
  new_source(take, end = function() end(connection))
}

connection_top <- function(connection, sep, file) {
  lines <- top_lines(connection, file)$lines
  if (is.null(sep)) {
    sep <- if (grepl(",", lines[1])) "," else if (grepl("\t", lines[1])) "\t" else ""
  }
  # the mark of the file is gone from the lines
  c(list(mark = FALSE, sep = sep), top_of_lines(lines, sep, file))
}

# So many lines that are not blank, or all that are left.
data_lines <- function(connection, count, file) {
  found <- character()
  while (length(found) < count) {
    lines <- whole_lines(connection, count - length(found), file)
    if (!length(lines)) break
    found <- c(found, lines[grepl("[^[:space:]]", lines, useBytes = TRUE)])
  }
  if (has_open_quotes(found)) {
    refuse_file(file, "has line breaks within quotes, so that its rows cannot be told apart.")
  }
  found
}

# readLines() cuts a line at a byte that is zero, and only warns.
whole_lines <- function(connection, count, file) {
  withCallingHandlers(readLines(connection, count), warning = function(w) {
    if (grepl("nul", conditionMessage(w))) {
      refuse_file(file, "is no text in UTF-8: it has bytes that are zero.")
    }
    # a last line without a line break is fine
    invokeRestart("muffleWarning")
  })
}

lines_matrix <- function(lines, top, sep, file, rows) {
  path <- tempfile(fileext = ".csv")
  on.exit(unlink(path))
  writeLines(lines, path, useBytes = TRUE)
  table_data(path, top, sep, file, rows)
}
