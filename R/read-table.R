# Tables as text: .csv and .tsv files, also compressed by gzip.

read_csv_file <- function(file, name, rows) read_text_table(file, name, rows, ",")
read_tsv_file <- function(file, name, rows) read_text_table(file, name, rows, "\t")

read_text_table <- function(file, name, rows, sep) {
  no_array_name(name, file)
  top <- table_top(file, sep)
  wanted <- sort(unique(rows))
  path <- file
  if (!is.null(rows)) {
    path <- tempfile(fileext = ".csv")
    on.exit(unlink(path))
    rows_of(rows, copy_lines(file, path, wanted, top$header), file)
  }
  data <- table_data(path, top, sep, file, wanted)
  if (!is.null(rows)) data <- data[match(rows, wanted), , drop = FALSE]
  file_array(data, ncol(data), "first")
}

# The matrix of a whole table. rows: the numbers of its rows in `file`, for messages, or NULL.
table_data <- function(path, top, sep, file, rows) {
  found <- table_matrix(parse_table(path, top, sep, file), file, rows)
  large <- which(colSums(abs(found$data) >= 2^53, na.rm = TRUE) > 0)
  if (length(large)) {
    text <- parse_table(path, top, sep, file, "character")
    refuse_large_text(as.matrix(text)[, found$at[large], drop = FALSE], file)
  }
  found$data
}

parse_table <- function(path, top, sep, file, classes = NA) {
  failed <- function(e) {
    refuse_file(file, "cannot be read as a table: ", conditionMessage(e), ".")
  }
  tryCatch(
    utils::read.table(path, header = top$header, sep = sep, quote = "\"", comment.char = "",
                      check.names = FALSE, strip.white = TRUE, row.names = NULL,
                      na.strings = c("NA", "NaN", "nan", ""), colClasses = classes,
                      fileEncoding = if (top$mark) "UTF-8-BOM" else "", encoding = "UTF-8",
                      stringsAsFactors = FALSE),
    error = failed, warning = failed
  )
}

# mark: does the file begin with a byte order mark? header: is its first line one of names?
table_top <- function(file, sep) {
  connection <- gzfile(file, "rb")
  on.exit(close(connection))
  line <- tryCatch(first_line(connection), error = function(e) NULL, warning = function(w) NULL)
  if (!length(line)) refuse_file(file, "has no lines, or is damaged.")
  bytes <- charToRaw(line)
  mark <- identical(utils::head(bytes, 3), as.raw(c(0xef, 0xbb, 0xbf)))
  if (mark) line <- rawToChar(bytes[-(1:3)])
  if (!validUTF8(line)) refuse_file(file, "is no text in UTF-8.")
  Encoding(line) <- "UTF-8"
  list(mark = mark, header = is_header(split_line(line, sep), file))
}

# The first line that is not blank.
first_line <- function(connection) {
  repeat {
    line <- readLines(connection, 1, warn = FALSE, skipNul = TRUE)
    if (!length(line) || grepl("[^[:space:]]", line, useBytes = TRUE)) return(line)
  }
}

split_line <- function(line, sep) {
  fields <- scan(text = line, what = "", sep = sep, quote = "\"", quiet = TRUE, strip.white = TRUE)
  # scan() drops an empty last field
  if (length(fields)) fields else ""
}

# Names of columns are texts, or numbers that count the columns.
is_header <- function(fields, file) {
  numbers <- suppressWarnings(as.double(fields))
  text <- is.na(numbers) & !tolower(fields) %in% c("na", "nan")
  if (any(text[-1] & nzchar(fields[-1]))) return(TRUE)
  if (text[1] && (!nzchar(fields[1]) || length(fields) == 1)) return(TRUE)
  counted <- if (text[1]) numbers[-1] else numbers
  counts <- length(counted) > 2 && !anyNA(counted) && counted[1] %in% 0:1 &&
    all(diff(counted) == 1)
  if (counts && !text[1]) {
    inform("read_representation(): the first line of ", dQuote(basename(file), FALSE), " (",
           enumerate(fields, 3, FALSE), ") was taken for names of columns.",
           class = "repalign_header")
  }
  counts
}

# The wanted lines of data (sorted), after the line of names; the result is the number of lines of
# data in the file, as far as it had to be read.
copy_lines <- function(file, path, wanted, header) {
  from <- gzfile(file, "rb")
  on.exit(close(from))
  to <- file(path, "wb")
  on.exit(close(to), add = TRUE)
  if (header) writeLines(first_line(from), to, useBytes = TRUE)
  n <- 0
  last <- wanted[length(wanted)]
  while (n < last && length(lines <- readLines(from, 1000, warn = FALSE, skipNul = TRUE))) {
    lines <- lines[grepl("[^[:space:]]", lines, useBytes = TRUE)]
    keep <- lines[wanted[wanted > n & wanted <= n + length(lines)] - n]
    if (has_open_quotes(lines)) {
      refuse_file(file, "has line breaks within quotes, so that its rows cannot be told apart ",
                  "without reading it whole: leave `rows` out.")
    }
    writeLines(keep, to, useBytes = TRUE)
    n <- n + length(lines)
  }
  n
}

# Does a text in quotes go on beyond its line?
has_open_quotes <- function(lines) {
  any(nchar(gsub("[^\"]", "", lines, useBytes = TRUE), "bytes") %% 2 == 1)
}

# data: the matrix, with names of the rows and columns where the table has them; at: its columns in
# the table. rows: numbers of the rows, for messages, or NULL for all.
table_matrix <- function(table, file, rows) {
  if (!nrow(table)) {
    refuse_file(file, "has no rows besides names of columns.", class = "repalign_error_size")
  }
  nameless <- trimws(names(table)[1]) %in% c("", "row.names", "Unnamed: 0", "\ufeff")
  labelled <- ncol(table) > 1 && (is.character(table[[1]]) || nameless)
  at <- if (labelled) seq_along(table)[-1] else seq_along(table)
  for (j in at) if (is.character(table[[j]])) refuse_cell(table[[j]], j, names(table), file, rows)
  data <- vapply(table[at], as.double, numeric(nrow(table)))
  headed <- !identical(names(table), paste0("V", seq_along(table)))
  data <- matrix(data, nrow(table))
  if (headed) colnames(data) <- names(table)[at]
  labels <- if (labelled) table[[1]]
  if (is.character(labels)) rownames(data) <- checked_labels(labels, file, rows)
  if (is.double(labels) || (is.integer(labels) && !counts_rows(labels, rows))) {
    rownames(data) <- checked_labels(label_text(labels), file, rows)
  }
  list(data = data, at = at)
}

# Numbers from 0 or 1 on, that only count the rows.
counts_rows <- function(labels, rows) {
  rows <- if (is.null(rows)) seq_along(labels) else rows
  identical(labels, rows) || identical(labels, rows - 1L)
}

checked_labels <- function(labels, file, rows) {
  if (!anyNA(labels)) return(labels)
  at <- which(is.na(labels))[1]
  refuse_file(file, "has no name of the stimulus in row ", if (is.null(rows)) at else rows[at], ".",
              class = "repalign_error_type")
}

refuse_cell <- function(column, j, names, file, rows) {
  bad <- which(is.na(suppressWarnings(as.double(column))) & !is.na(column))[1]
  refuse_file(file, "has ", dQuote(strtrim(column[bad], 30), FALSE), " in row ",
              if (is.null(rows)) bad else rows[bad], ", column ", j, " (",
              dQuote(strtrim(names[j], 30), FALSE), "), which is no number. Only the first column ",
              "may hold names; else read the table by read.csv() and response_matrix().",
              class = "repalign_error_type")
}

# The texts of columns with large numbers: those written as integers must fit.
refuse_large_text <- function(text, file) {
  digits <- sub("^[+-]?0*", "", text[grepl("^[+-]?[0-9]+$", text)])
  large <- nchar(digits) > 16 | (nchar(digits) == 16 & digits > "9007199254740992")
  if (any(large)) refuse_large_integer(file)
}
