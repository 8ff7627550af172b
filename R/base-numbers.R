# How the numbers of .npy and .safetensors files are written, and their reading by the C code.

# The codes of number_kind in src/decode.c.
number_kinds <- c(b = 1L, i = 2L, u = 3L, f = 4L, brain = 5L)

# size: bytes of a number.
number_type <- function(kind, size, big_endian = FALSE) {
  c(number_kinds[[kind]], as.integer(size), as.integer(big_endian))
}

number_size <- function(type) type[2]

# The array of dimensions `dims`, whose numbers begin at byte `offset` of the file; by_column: in
# the order of Fortran. That the file is long enough has been checked.
read_numbers <- function(path, offset, type, dims, by_column, rows, file) {
  check_dims(dims, file, rows, copies = if (length(dims) > 2) 2 else 1)
  wanted <- rows_of(rows, dims[1], file)
  found <- catch_error(
    .Call(C_read_numbers, path, as.double(offset), type, dims[1], prod(dims[-1]), by_column,
          wanted),
    failed = function(e) refuse_file(file, "cannot be read: ", conditionMessage(e))
  )
  if (identical(found$problem, "short")) refuse_file(file, "ends before its numbers do.")
  if (!is.null(found$problem)) refuse_large_integer(file, found$problem)
  file_array(found$data, as.integer(dims[-1]), if (by_column) "first" else "last", "last")
}

# at: row and column, or nothing.
refuse_large_integer <- function(file, at = NULL, arg = "file") {
  refuse_file(file, "holds an integer beyond 2^53",
              if (length(at)) paste0(" (row ", at[1], ", column ", at[2], ")"),
              ", which R's doubles do not hold. If these are identifiers, they are no responses; ",
              "else save them as float64.", class = "repalign_error_value", arg = arg)
}

# n bytes from byte `from` on (the first is 0), or fewer where the file ends.
file_bytes <- function(path, from, n) {
  connection <- file(path, "rb")
  on.exit(close(connection))
  if (from > 0) seek(connection, from)
  readBin(connection, "raw", n)
}

# Whole numbers written by 2 to 8 bytes, the lowest first; exact up to 2^53.
whole_number <- function(bytes) sum(as.integer(bytes) * 256^(seq_along(bytes) - 1))

# Text of a header, which must be valid; file: for the message.
header_text <- function(bytes, file) {
  text <- if (any(bytes == 0)) NA else rawToChar(bytes)
  if (is.na(text) || !validUTF8(text)) refuse_file(file, "has a damaged header: it is not text.")
  Encoding(text) <- "UTF-8"
  text
}
