# Files of MATLAB: those of version 7.3 are HDF5, older ones (5 to 7) are read by R.matlab.

read_matlab <- function(file, name, rows) {
  if (is_matlab_hdf5(file)) return(read_hdf5(file, name, rows))
  require_package("R.matlab", "Reading MATLAB files of versions 5 to 7")
  variables <- mat5_variables(file)
  numbers <- names(variables)[vapply(variables, function(v) v$numbers, NA)]
  if (is.null(name) || !name %in% names(variables)) name <- choose_array(name, numbers, file)
  # codes 6, 12 and 13 are values written as unsigned integers of 32 bits and as integers of 64,
  # which R.matlab reads as negative ones, or in halves
  variable <- variables[[name]]
  if (!variable$numbers) {
    refuse_file(file, "has in ", dQuote(name, FALSE), " no array of real numbers but ",
                if (!variable$real) "complex numbers" else paste0("MATLAB's ", variable$class),
                ": save its parts as variables of their own.", class = "repalign_error_type")
  }
  wrong <- variable$class %in% c("uint32", "int64", "uint64") || variable$stored %in% c(6, 12, 13)
  if (wrong && variable$class != "sparse") {
    refuse_file(file, "has ", dQuote(name, FALSE), " as ", variable$class, ", which R.matlab does ",
                "not read correctly: save double(", name, ").", class = "repalign_error_type")
  }
  check_dims(variables[[name]]$dims, file, copies = 3)
  whole <- catch_error(
    suppressWarnings(R.matlab::readMat(file, fixNames = FALSE, sparseMatrixClass = "matrix")),
    failed = function(e) refuse_file(file, "cannot be read by R.matlab: ", reason_of(e))
  )[[name]]
  if (!is.numeric(whole) || !identical(as.double(dim(whole)), variables[[name]]$dims)) {
    refuse_file(file, "cannot be read by R.matlab: the array ", dQuote(name, FALSE), " is damaged.")
  }
  r_array(whole, rows, file)
}

is_matlab_hdf5 <- function(file) {
  start <- file_bytes(file, 0, 520)
  signature <- as.raw(c(0x89, 0x48, 0x44, 0x46))
  if (identical(start[1:4], signature) || identical(start[513:516], signature)) return(TRUE)
  if (!identical(start[1:10], charToRaw("MATLAB 5.0")) || length(start) < 136) {
    refuse_file(file, "is no MATLAB file of version 5 or later: save it again, save(\"",
                basename(file), "\", \"x\", \"-v7\").")
  }
  FALSE
}

# --- The variables of an old file -------------------------------------------------

# For each variable: class, dims, numbers (is it an array of real numbers?), stored (how its values
# are written). R.matlab does not tell, and it reads some kinds of integers wrongly.
mat5_variables <- function(file) {
  little <- identical(file_bytes(file, 126, 2), charToRaw("IM"))
  size <- file.size(file)
  found <- list()
  at <- 128
  while (at < size) {
    tag <- mat5_integers(file_bytes(file, at, 8), little)
    if (length(tag) < 2 || at + 8 + tag[2] > size) refuse_file(file, "is cut off or damaged.")
    if (tag[1] %in% c(14, 15)) {
      variable <- mat5_variable(mat5_content(file, at + 8, tag, little), little, file)
      found[[variable$name]] <- variable
    }
    at <- at + 8 + tag[2]
  }
  found
}

# The content of a variable, as far as its description goes.
mat5_content <- function(file, at, tag, little) {
  if (tag[1] == 14) return(file_bytes(file, at, min(tag[2], 4096)))
  bytes <- catch_error(suppressWarnings(memDecompress(file_bytes(file, at, tag[2]), "gzip")),
                       failed = function(e) raw())
  if (!identical(mat5_integers(bytes[1:8], little)[1], 14)) {
    refuse_file(file, "is damaged: a compressed variable cannot be unpacked.")
  }
  utils::head(bytes[-(1:8)], 4096)
}

mat5_integers <- function(bytes, little) {
  count <- length(bytes) %/% 4
  groups <- matrix(as.integer(bytes[seq_len(4 * count)]), 4)
  as.vector(256^(if (little) 0:3 else 3:0) %*% groups)
}

mat5_classes <- c("cell", "struct", "object", "char", "sparse", "double", "single", "int8", "uint8",
                  "int16", "uint16", "int32", "uint32", "int64", "uint64")

# Three elements describe a variable: its flags, its dims, its name. The tag of its values follows.
mat5_variable <- function(bytes, little, file) {
  words <- function(from, count) mat5_integers(bytes[from + seq_len(4 * count)], little)
  damaged <- function() refuse_file(file, "is damaged: a variable is not described.")
  if (length(bytes) < 32) damaged()
  flags <- words(8, 1)
  axes <- words(20, 1) / 4
  name_at <- 24 + 8 * ceiling(axes / 2)
  if (!axes %in% 2:200 || length(bytes) < name_at + 8) damaged()
  tag <- words(name_at, 2)
  # a name of at most 4 letters lies within its tag
  short <- tag[1] >= 65536
  length <- if (short) tag[1] %/% 65536 else tag[2]
  from <- name_at + if (short) 4 else 8
  next_at <- if (short) name_at + 8 else from + 8 * ceiling(length / 8)
  if (length < 1 || length(bytes) < max(from + length, next_at)) damaged()
  code <- flags %% 256
  if (!code %in% seq_along(mat5_classes)) code <- 3
  class <- mat5_classes[code]
  real <- flags %/% 2048 %% 2 == 0
  stored <- if (length(bytes) >= next_at + 4) words(next_at, 1) %% 65536 else 0
  list(name = header_text(bytes[from + seq_len(length)], file), class = class,
       dims = words(24, axes), stored = stored, real = real, numbers = code >= 5 && real)
}
