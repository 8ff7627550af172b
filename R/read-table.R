# Tables as text: .csv and .tsv files, also compressed by gzip.

read_text_table <- function(file, name, rows, sep) {
  no_array_name(name, file)
  top <- table_top(file, sep)
  wanted <- sort(unique(rows))
  path <- file
  if (!is.null(rows) || length(top$lines) < most_top_lines) {
    path <- tempfile(fileext = ".csv")
    on.exit(unlink(path))
  }
  if (!is.null(rows)) {
    rows_of(rows, copy_lines(file, path, wanted, top$header), file)
  } else if (path != file) {
    # read.table() refuses a short file without a line break at its end
    copy_all_lines(file, path)
  }
  data <- table_data(path, top, sep, file, wanted)
  if (!is.null(rows)) data <- data[match(rows, wanted), , drop = FALSE]
  file_array(data, ncol(data), "first")
}

# The matrix of a whole table. rows: the numbers of its rows in `file`, for messages, or NULL.
table_data <- function(path, top, sep, file, rows) {
  table <- parse_table(path, top, sep, file)
  if (!nrow(table)) {
    refuse_file(file, "has no rows besides names of columns.", class = "repalign_error_size")
  }
  labelled <- ncol(table) > 1 && first_names_stimuli(table, file, top)
  # read.table() leaves names of rows that have no name of a column as texts
  if (labelled) {
    numbers <- utils::type.convert(table[[1]], as.is = TRUE)
    if (is.numeric(numbers)) table[[1]] <- numbers
  }
  at <- if (labelled) seq_along(table)[-1] else seq_along(table)
  for (j in at) {
    if (is.character(table[[j]]) || is.complex(table[[j]])) {
      refuse_cell(table[[j]], j, names(table), file, rows)
    }
  }
  data <- vapply(table[at], as.double, numeric(nrow(table)))
  headed <- !identical(names(table), paste0("V", seq_along(table)))
  data <- matrix(data, nrow(table))
  if (headed) colnames(data) <- names(table)[at]
  labels <- if (labelled) table[[1]]
  if (is.character(labels)) rownames(data) <- checked_labels(labels, file, rows)
  if (is.double(labels) || (is.integer(labels) && !counts_rows(labels, rows))) {
    rownames(data) <- checked_labels(label_text(labels), file, rows)
  }
  found <- list(data = data, at = at)
  large <- which(colSums(abs(found$data) >= 2^53, na.rm = TRUE) > 0)
  if (length(large)) {
    text <- parse_table(path, top, sep, file, "character")
    # the texts of columns with large numbers: those written as integers must fit
    text <- as.matrix(text)[, found$at[large], drop = FALSE]
    digits <- sub("^[+-]?0*", "", text[grepl("^[+-]?[0-9]+$", text)])
    large <- nchar(digits) > 16 | (nchar(digits) == 16 & digits > "9007199254740992")
    if (any(large)) refuse_large_integer(file)
  }
  found$data
}

parse_table <- function(path, top, sep, file, classes = NA) {
  failed <- function(e) {
    refuse_file(file, "cannot be read as a table: ", conditionMessage(e), ".")
  }
  table <- tryCatch(
    utils::read.table(path, header = top$header, sep = sep, quote = "\"", comment.char = "",
                      check.names = FALSE, strip.white = TRUE, row.names = NULL,
                      na.strings = c("NA", "NaN", "nan", ""), colClasses = classes,
                      fileEncoding = if (top$mark) "UTF-8-BOM" else "", encoding = "UTF-8",
                      stringsAsFactors = FALSE),
    error = failed, warning = failed
  )
  texts <- c(names(table), unlist(Filter(is.character, table), use.names = FALSE))
  if (!all(validUTF8(texts))) refuse_file(file, "is no text in UTF-8.")
  table
}

# lines: the first lines that are not blank, without a byte order mark; mark: does the file begin
# with one? The other elements are those of top_of_lines().
table_top <- function(file, sep) {
  refuse_zero_bytes(file)
  connection <- gzfile(file, "rb")
  on.exit(close(connection))
  lines <- top_lines(connection, file)
  c(list(mark = lines$mark), top_of_lines(lines$lines, sep, file))
}

top_lines <- function(connection, file) {
  lines <- tryCatch(first_lines(connection, most_top_lines), error = function(e) NULL,
                    warning = function(w) NULL)
  if (!length(lines)) refuse_file(file, "has no lines, or is damaged.")
  bytes <- charToRaw(lines[1])
  mark <- identical(utils::head(bytes, 3), as.raw(c(0xef, 0xbb, 0xbf)))
  if (mark) lines[1] <- rawToChar(bytes[-(1:3)])
  if (!all(validUTF8(lines))) refuse_file(file, "is no text in UTF-8.")
  Encoding(lines) <- "UTF-8"
  list(lines = lines, mark = mark)
}

# header: is the first line one of names? first: the values of the first column in the other lines;
# quoted: are these, and no others, in quotes, as names are? sep: "" stands for blanks.
top_of_lines <- function(lines, sep, file) {
  plain <- lines
  if (sep == "") {
    plain <- gsub("[ \t]+", " ", trimws(lines))
    sep <- " "
  }
  header <- is_header(split_line(plain[1], sep), file, plain, sep)
  values <- plain[seq_along(plain) > header]
  quotes <- if (length(values)) in_quotes(values[1], sep)
  pattern <- paste0("^[ \t]*(\"([^\"]|\"\")*\"|[^", sep, "]*)")
  # all lines match, if only with nothing
  list(lines = lines, header = header, first = gsub("^[ \t\"]+|[ \t\r\"]+$", "",
                                                    regmatches(values, regexpr(pattern, values))),
       quoted = length(quotes) > 1 && quotes[1] && !any(quotes[-1]))
}

most_top_lines <- 10

# Text has no zero bytes, but UTF-16 does, in which other programs write tables.
refuse_zero_bytes <- function(file) {
  connection <- gzfile(file, "rb")
  on.exit(close(connection))
  repeat {
    # what cannot be unpacked is found later
    bytes <- tryCatch(suppressWarnings(readBin(connection, "raw", 2^20)),
                      error = function(e) raw())
    if (!length(bytes)) return(invisible())
    if (any(bytes == 0)) refuse_file(file, "is no text in UTF-8: it has bytes that are zero.")
  }
}

# The first lines that are not blank.
first_lines <- function(connection, count) {
  found <- character()
  while (length(found) < count) {
    line <- readLines(connection, 1, warn = FALSE)
    if (!length(line)) break
    if (grepl("[^[:space:]]", line, useBytes = TRUE)) found <- c(found, line)
  }
  found
}

# Which fields of a line are in quotes?
in_quotes <- function(line, sep) {
  plain <- gsub("\"([^\"]|\"\")*\"", "\001", line, useBytes = TRUE)
  # strsplit() drops an empty last field
  fields <- strsplit(paste0(plain, sep), sep, fixed = TRUE, useBytes = TRUE)[[1]]
  grepl("^[ \t]*\001[ \t\r]*$", fields, useBytes = TRUE)
}

# Names of columns are texts, numbers in quotes, or numbers that count the columns. Where a line of
# data has one field more than the first line, it begins with the name of its row.
is_header <- function(fields, file, lines, sep) {
  numbers <- suppressWarnings(as.double(fields))
  text <- is.na(numbers) & !tolower(fields) %in% c("na", "nan")
  if (any(text[-1] & nzchar(fields[-1]))) return(TRUE)
  if (text[1] && (!nzchar(fields[1]) || length(fields) == 1)) return(TRUE)
  if (length(lines) > 1) {
    quotes <- lapply(lines[1:2], in_quotes, sep = sep)
    if (all(quotes[[1]]) && !all(quotes[[2]])) return(TRUE)
    if (length(quotes[[2]]) == length(quotes[[1]]) + 1) return(TRUE)
  }
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

copy_all_lines <- function(file, path) {
  from <- gzfile(file, "rb")
  on.exit(close(from))
  to <- file(path, "wb")
  on.exit(close(to), add = TRUE)
  writeLines(readLines(from, warn = FALSE), to, useBytes = TRUE)
}

# The wanted lines of data (sorted), after the line of names; the result is the number of lines of
# data in the file, as far as it had to be read.
copy_lines <- function(file, path, wanted, header) {
  from <- gzfile(file, "rb")
  on.exit(close(from))
  to <- file(path, "wb")
  on.exit(close(to), add = TRUE)
  if (header) writeLines(first_lines(from, 1), to, useBytes = TRUE)
  n <- 0
  last <- wanted[length(wanted)]
  while (n < last && length(lines <- readLines(from, 1000, warn = FALSE))) {
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

# Does the first column hold names of the stimuli? Where it has a name and no quotes, and most of
# its values are numbers, a text among them may as well be a missing value of a neuron.
first_names_stimuli <- function(table, file, top) {
  nameless <- trimws(names(table)[1]) %in% c("", "row.names", "Unnamed: 0", "\ufeff")
  if (nameless || top$quoted) return(TRUE)
  # truth values are numbers
  if (is.logical(table[[1]]) && !all(is.na(table[[1]]))) return(FALSE)
  values <- c(top$first, as.character(table[[1]]))
  values <- values[!is.na(values) & !tolower(values) %in% c("", "na", "nan")]
  text <- is.na(suppressWarnings(as.double(values)))
  if (any(text) && mean(text) < 0.5) {
    refuse_file(file, "has ", dQuote(strtrim(values[text][1], 30), FALSE), " among the numbers of ",
                "its first column. Write missing values as NA; if the column names the stimuli, ",
                "put these names in quotes, or read the table by read.csv() and response_matrix().",
                class = "repalign_error_type")
  }
  any(text) || is.character(table[[1]])
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
  # read.table() takes "1i" for a complex number
  real <- if (is.complex(column)) Im(column) == 0 else !is.na(suppressWarnings(as.double(column)))
  bad <- which(!real & !is.na(column))[1]
  column <- as.character(column)
  refuse_file(file, "has ", dQuote(strtrim(column[bad], 30), FALSE), " in row ",
              if (is.null(rows)) bad else rows[bad], ", column ", j, " (",
              dQuote(strtrim(names[j], 30), FALSE), "), which is no number. Only the first column ",
              "may hold names; else read the table by read.csv() and response_matrix().",
              class = "repalign_error_type")
}

split_line <- function(line, sep) {
  fields <- scan(text = line, what = "", sep = sep, quote = "\"", quiet = TRUE, strip.white = TRUE)
  # scan() drops an empty last field
  if (length(fields)) fields else ""
}
