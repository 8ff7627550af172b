# Tables as text: .csv and .tsv files, also compressed by gzip.

read_text_table <- function(file, name, rows, sep) {
  no_array_name(name, file)
  wanted <- sort(unique(rows))
  check_text(file, sep, wanted)
  connection <- gzfile(file, "rb")
  on.exit(close(connection))
  top <- top_lines(connection, file, sep)
  damaged <- function(e) refuse_file(file, "is damaged: ", conditionMessage(e), ".")
  next_lines <- function(count) {
    catch_error(readLines(connection, count, warn = FALSE), damaged, warning = damaged)
  }
  # the lines of data that are wanted, of which the first ones stand in `top`
  lines <- top$lines
  if (is.null(rows)) found <- c(lines, next_lines(-1)) else {
    found <- character()
    n <- 0
    repeat {
      refuse_file_if(any(parted_by_quotes(lines)), file, "has line breaks within quotes, so that ",
                     "its rows cannot be told apart without reading it whole: leave `rows` out.")
      found <- c(found, lines[wanted[wanted > n & wanted <= n + length(lines)] - n])
      n <- n + length(lines)
      if (n >= max(wanted)) break
      lines <- next_lines(1000)
      if (!length(lines)) break
      lines <- lines[has_text(lines, top$sep)]
    }
    rows_of(wanted, n, file)
  }
  data <- table_data(utf8_lines(found, file), top, file, wanted)
  if (!is.null(rows)) data <- data[match(rows, wanted), , drop = FALSE]
  file_array(data, ncol(data), "first")
}

# lines: of data. rows: the numbers of these rows in `file`, NULL for all.
table_data <- function(lines, top, file, rows) {
  lines <- joined_lines(lines[has_text(lines, top$sep)])
  if (is.null(rows)) rows <- seq_along(lines)
  names <- top$names
  # The fields as texts, a vector for each column. This is what utils::read.table() does, which
  # takes a time that goes with the square of the length of a line.
  failed <- function(condition) refuse_ragged(lines, top$width, top$sep, file, rows)
  cells <- catch_error(
    scan(text = lines, what = rep(list(""), top$width), sep = top$sep, quote = "\"",
         nmax = length(lines) + 1, na.strings = character(), quiet = TRUE, strip.white = TRUE,
         multi.line = FALSE),
    failed, warning = failed)
  labels <- cells[[1]]
  # scan() takes a line of twice as many fields for two
  if (length(labels) != length(lines)) failed()
  labelled <- length(cells) > 1 && first_names_stimuli(names[1], labels, file, top, rows)
  at <- if (labelled) seq_along(cells)[-1] else seq_along(cells)
  data <- suppressWarnings(vapply(cells[at], as.double, numeric(length(labels))))
  data <- matrix(data, length(labels))
  for (k in which(colSums(is.na(data)) > 0)) {
    data[, k] <- column_values(cells[[at[k]]], at[k], names, file, rows)
  }
  large <- which(colSums(abs(data) >= 2^53, na.rm = TRUE) > 0)
  for (column in cells[at[large]]) {
    # those that are written as integers must fit
    digits <- sub("^[+-]?0*", "", column[grepl("^[+-]?[0-9]+$", column)])
    if (any(nchar(digits) > 16 | (nchar(digits) == 16 & digits > "9007199254740992"))) {
      refuse_large_integer(file)
    }
  }
  if (top$header) colnames(data) <- names[at]
  # where only some rows are read, the first ones tell whether all are counted
  first <- suppressWarnings(as.double(top$first))
  counted <- function(labels) counts_rows(labels, rows) && counts_rows(first, seq_along(first))
  refuse_file_if(!labelled && !top$header && length(first) == most_top_lines &&
                   counted(data[, 1]) && any(data[, -1] %% 1 != 0, na.rm = TRUE), file,
                 "has a first column that looks like an identifier: it counts the rows, and has ",
                 "no name. Write the table without it (pandas: index=False), or give it a line of ",
                 "names.",
                 class = "repalign_error_identifier")
  if (labelled) {
    numbers <- utils::type.convert(labels, as.is = TRUE)
    # leading zeros belong to a name
    if (is.numeric(numbers) && !any(grepl("^0[0-9]", c(top$first, labels)))) labels <- numbers
    if (!is.integer(labels) || !counted(labels)) {
      rownames(data) <- checked_labels(label_text(labels), file, rows)
    }
  }
  data
}

# One of `lines` has not as many fields as what stands before it: `before`.
refuse_ragged <- function(lines, before, sep, file, rows) {
  connection <- textConnection(lines)
  on.exit(close(connection))
  counts <- utils::count.fields(connection, sep, "\"", comment.char = "")
  # a line that goes on in quotes is NA
  counts <- counts[!is.na(counts)]
  at <- which(counts != before)[1]
  refuse_file_if(is.na(at) || any(parted_by_quotes(lines)), file, "cannot be read as a table: a ",
                 "text in quotes, or a line, does not end.")
  none <- function(condition) NULL
  all <- catch_error(utf8_lines(readLines(file, warn = FALSE), file), none, warning = none)
  # equal lines have equally many fields; a connection cannot be read again
  line <- match(sub("[\r\n].*", "", lines[at]), sub("\r$", "", all))
  refuse_file(file, "cannot be read as a table: ",
              if (is.na(line)) paste("row", rows[at]) else paste("line", line), " has ",
              count_of(counts[at], "field"), ", and what stands before it has ", before,
              ". Only a line of names (texts, or in quotes) may have one less than the others; ",
              "take out a comment (\"# ...\").")
}

# The values of a column in which not every text is a number. Others may be missing, or all of them
# truth values.
column_values <- function(column, j, names, file, rows) {
  values <- suppressWarnings(as.double(column))
  values[is.nan(values)] <- NA
  known <- which(!is_missing_text(column))
  bad <- known[is.na(values[known])]
  if (!length(bad)) return(values)
  truth <- replace(as.logical(column), -known, NA)
  if (!anyNA(truth[known])) return(as.double(truth))
  refuse_file(file, "has ", quoted(strtrim(column[bad[1]], 30)), " in row ", rows[bad[1]],
              ", column ", j, " (", quoted(strtrim(names[j], 30)), "), which is no number. Only ",
              "the first column may hold names; else read the table by read.csv() and ",
              "response_matrix()",
              if (!grepl("[0-9]", column[bad[1]])) {
                paste0("; if it is a missing value, with na.strings = ",
                       quoted(strtrim(column[bad[1]], 30)))
              } else if (grepl("^ *-?[0-9]+,[0-9]+ *$", column[bad[1]])) ", with dec = \",\"", ".",
              class = "repalign_error_type")
}

is_missing_text <- function(text) trimws(text) %in% c("NA", "NaN", "nan", "")

# ---- lines

# Text has no zero bytes, but UTF-16 does, in which other programs write tables. A compressed file
# says nothing of how long its text is, so that it is unpacked once, piece by piece, to see whether
# there is memory for it; wanted: the rows to be kept, NULL for all.
check_text <- function(file, sep, wanted) {
  connection <- gzfile(file, "rb")
  on.exit(close(connection))
  counted <- c(bytes = 0, cells = 0, lines = 0)
  marks <- charToRaw(paste0(sep, "\n"))
  repeat {
    # what cannot be unpacked is found later
    bytes <- catch_error(suppressWarnings(readBin(connection, "raw", 2^20)), function(e) raw())
    if (!length(bytes)) break
    if (any(bytes == 0)) refuse_file(file, "is no text in UTF-8: it has bytes that are zero.")
    ends <- sum(bytes == marks[2])
    counted <- counted + c(length(bytes), sum(bytes == marks[1]) + ends, ends)
    if (is.null(wanted)) check_text_memory(counted, file)
  }
  if (is.null(wanted)) return(invisible())
  # the first lines are read in any case, and two of them are taken apart
  more <- c(bytes = most_top_lines, cells = 2, lines = 0)
  check_text_memory(counted * pmin(1, (length(wanted) + more) / max(counted[["lines"]], 1)), file)
}

# The text is there twice for a while, and each of its fields as a text and as a number: about what
# was measured of narrow and of wide tables.
check_text_memory <- function(counted, file) {
  check_memory(8 * counted[["bytes"]] + 36 * counted[["cells"]],
               paste0("The table in ", quoted(basename(file))),
               "Read some of its rows, by `rows =`.")
}

# What the first lines of a table tell. lines: those of data, with `width` fields each; header: is
# the first line one of names? first: the first values of `lines`; quoted: are these, and no others,
# in quotes, as names are? sep: NULL for a comma, a tab or blanks, whatever is in the first line.
top_lines <- function(connection, file, sep) {
  none <- function(condition) NULL
  # the first lines with text
  lines <- catch_error({
    found <- character()
    while (length(found) < most_top_lines) {
      line <- readLines(connection, 1, warn = FALSE)
      if (!length(line)) break
      if (has_text(line, sep)) found <- c(found, line)
    }
    found
  }, none, warning = none)
  if (!length(lines)) refuse_file(file, "has no lines, or is damaged.")
  lines <- joined_lines(utf8_lines(lines, file))
  # the mark that some programs begin a text with
  lines[1] <- sub("^\ufeff", "", lines[1])
  if (identical(sep, ",") && length(lines) > 1) {
    # Where a comma is for decimals, other programs part the fields of a table by semicolons. Then
    # all lines have some, and either the names have no commas, or there are equally many in all
    # lines and more than commas. A field of a table with commas may hold semicolons, too.
    unquoted <- gsub("\"([^\"]|\"\")*\"", "", lines)
    semicolons <- nchar(gsub("[^;]", "", unquoted))
    commas <- nchar(gsub("[^,]", "", unquoted))
    parts <- commas[1] == 0 || all(semicolons == semicolons[1] & semicolons > commas)
    refuse_file_if(all(semicolons > 0) && parts, file, "parts its fields by semicolons: read it ",
                   "by read.csv2() (by read.csv(sep = \";\") if its decimals have points), and ",
                   "its stimuli by response_matrix().", class = "repalign_error_type")
  }
  if (is.null(sep)) {
    sep <- if (grepl(",", lines[1])) "," else if (grepl("\t", lines[1])) "\t" else ""
  }
  # numpy.savetxt() begins its header with a mark of comments
  comment <- startsWith(lines[1], "#")
  lines[1] <- sub("^# ", "", lines[1])
  fields <- lapply(utils::head(lines, 2), split_line, sep)
  # which fields are in quotes?
  marked <- gsub("\"([^\"]|\"\")*\"", "\001", utils::head(lines, 2))
  quotes <- lapply(marked, function(line) split_line(line, sep) == "\001")
  header <- is_header(fields[[1]], quotes, file, unlist(lapply(lines[-1], split_line, sep)))
  refuse_file_if(length(lines) == header, file, "has no rows besides names of columns.",
                 class = "repalign_error_size")
  lines <- lines[seq_along(lines) > header]
  row <- fields[[1 + header]]
  width <- length(row)
  names <- if (header) fields[[1]] else paste0("V", seq_len(width))
  # a line of names that is one field shorter than the others leaves out that of the first column
  if (length(names) == width - 1 && nzchar(row[width]) && !comment) names <- c("row.names", names)
  if (length(names) != width || !header && any(lengths(fields) != width)) {
    refuse_ragged(lines, length(names), sep, file, seq_along(lines))
  }
  quotes <- quotes[[1 + header]]
  list(lines = lines, sep = sep, names = names, width = width, header = header,
       first = vapply(lines, split_line, "", sep, 1, USE.NAMES = FALSE),
       quoted = width > 1 && quotes[1] && !any(quotes[-1]))
}

utf8_lines <- function(lines, file) {
  if (!all(validUTF8(lines))) refuse_file(file, "is no text in UTF-8.")
  Encoding(lines) <- "UTF-8"
  lines
}

most_top_lines <- 10

# Tabs alone are a row of missing values where they part the fields.
has_text <- function(lines, sep) {
  grepl(if (identical(sep, "\t")) "[^ \r]" else "[^[:space:]]", lines, useBytes = TRUE)
}

# In which lines does a text in quotes begin or end that goes beyond them?
parted_by_quotes <- function(lines) {
  rest <- gsub("\"", "", lines, fixed = TRUE, useBytes = TRUE)
  (nchar(lines, "bytes") - nchar(rest, "bytes")) %% 2 == 1
}

# Lines that a line break within quotes has parted are one again.
joined_lines <- function(lines) {
  parted <- parted_by_quotes(lines)
  if (!any(parted)) return(lines)
  # a line goes on in quotes where an odd number of parted lines stands before it
  goes_on <- c(0, utils::head(cumsum(parted), -1)) %% 2 == 1
  vapply(split(lines, cumsum(!goes_on)), paste, "", collapse = "\n", USE.NAMES = FALSE)
}

# Names of columns are texts, numbers in quotes, or numbers that count the columns. fields: of the
# first line; quotes: which of its fields are in quotes, and which of the second line; below: the
# fields of the lines that follow.
is_header <- function(fields, quotes, file, below) {
  numbers <- suppressWarnings(as.double(fields))
  text <- is.na(numbers) & !tolower(fields) %in% c("na", "nan")
  if (any(text[-1] & nzchar(fields[-1]))) return(TRUE)
  blank <- !nzchar(fields[1])
  if (text[1] && (length(fields) == 1 || blank && quotes[[1]][2])) return(TRUE)
  if (length(quotes) > 1 && !blank) {
    if (all(quotes[[1]]) && !all(quotes[[2]])) return(TRUE)
    if (length(quotes[[2]]) != length(quotes[[1]])) return(FALSE)
  }
  counted <- if (text[1]) numbers[-1] else numbers
  # pandas counts one or two columns, too, and writes all floats with a point
  floats <- fields[1] == "0" && length(below) && all(grepl("[0-9][.e]|^$", below))
  counts <- (blank || length(counted) > 2 || floats) && !anyNA(counted) && counted[1] %in% 0:1 &&
    all(diff(counted) == 1)
  inform_if(if (blank) !counts else counts && !text[1], "header", "read_representation(): the ",
            "first line of {quoted(basename(file))} (",
            "{enumerate(fields[nzchar(fields)], 3, FALSE)}) was taken for names of columns.")
  counts || blank
}

# Does the first column hold names of the stimuli? Where it has a name and no quotes, a text among
# its numbers may as well be a missing value of a neuron.
first_names_stimuli <- function(name, column, file, top, rows) {
  nameless <- trimws(name) %in% c("", "row.names", "Unnamed: 0")
  if (nameless || top$quoted) return(TRUE)
  # truth values are numbers
  known <- column[!is_missing_text(column)]
  if (length(known) && !anyNA(as.logical(known))) return(FALSE)
  # where only some rows are read, the first ones tell as well
  rows <- c(seq_along(top$first), rows)
  values <- c(top$first, column)
  number <- !is.na(suppressWarnings(as.double(values)))
  text <- !number & !is_missing_text(values)
  place <- function(which) paste(quoted(strtrim(values[which][1], 30)), "in row", rows[which][1])
  refuse_file_if(any(text) && any(number), file, "has ", place(text), " among the numbers of its ",
                 "first column (", place(number), "). Write missing values as NA; if the column ",
                 "names the stimuli, put these names in quotes, or read the table by read.csv() ",
                 "and response_matrix().", class = "repalign_error_type")
  spaced <- grepl("^[+-]?[0-9]{1,3}( [0-9]{3})+$", values)
  refuse_file_if(any(spaced), file, "has ", place(spaced), " of its first column: take the blanks ",
                 "out of numbers, and put names of stimuli in quotes.",
                 class = "repalign_error_type")
  any(text)
}

# Numbers from 0 or 1 on, that only count the rows.
counts_rows <- function(labels, rows) {
  isTRUE(all(labels == rows)) || isTRUE(all(labels == rows - 1))
}

checked_labels <- function(labels, file, rows = seq_along(labels)) {
  at <- which(is.na(labels) | is_missing_text(labels))[1]
  refuse_file_if(!is.na(at), file, "has no name of the stimulus in row ", rows[at], ".",
                 class = "repalign_error_type")
  labels
}

# The first `most` fields of a line, or all.
split_line <- function(line, sep, most = -1) {
  # quotes that do not end are found where the table is read
  fields <- suppressWarnings(scan(text = line, what = "", sep = sep, quote = "\"", nmax = most,
                                  na.strings = character(), quiet = TRUE, strip.white = TRUE))
  # scan() finds nothing in a line of one empty field
  if (length(fields)) fields else ""
}
