# Files of known content, byte by byte, and damage to them. tools/fuzz-files.R uses these, too.

# The ending says which reader a file goes to.
file_of <- function(bytes, ending, frame = parent.frame()) {
  path <- withr::local_tempfile(fileext = ending, .local_envir = frame)
  writeBin(bytes, path)
  path
}

little <- function(x, size) writeBin(as.integer(x), raw(), size = size, endian = "little")

# Numbers as bytes; type: such as "f4", "i8", "bf". Integers of 8 bytes are small.
written_bytes <- function(values, type, endian = "little") {
  if (type == "bf") {
    return(as.vector(matrix(writeBin(values, raw(), size = 4, endian = "little"), 4)[3:4, ]))
  }
  size <- as.integer(substr(type, 2, 2))
  if (substr(type, 1, 1) == "f") return(writeBin(values, raw(), size = size, endian = endian))
  if (size < 8) return(writeBin(as.integer(values), raw(), size = size, endian = endian))
  low <- matrix(writeBin(as.integer(values), raw(), endian = "little"), 4)
  high <- matrix(as.raw(ifelse(values < 0, 255, 0)), 4, length(values), byrow = TRUE)
  both <- rbind(low, high)
  as.vector(if (endian == "big") both[8:1, ] else both)
}

npy_header_bytes <- function(text, version = 1) {
  text <- paste0(text, "\n")
  c(as.raw(0x93), charToRaw("NUMPY"), as.raw(c(version, 0)),
    little(nchar(text, "bytes"), if (version == 1) 2 else 4), charToRaw(text))
}

npy_bytes <- function(values, type = "f8", shape = dim(values), fortran = FALSE, version = 1,
                      endian = "little") {
  order <- if (fortran || length(dim(values)) < 2) values else aperm(values)
  text <- sprintf("{'descr': '%s%s', 'fortran_order': %s, 'shape': (%s,), }",
                  if (endian == "big") ">" else "<", type, if (fortran) "True" else "False",
                  paste(format(shape, scientific = FALSE, trim = TRUE), collapse = ", "))
  c(npy_header_bytes(text, version), written_bytes(as.vector(order), type, endian))
}

safetensors_raw <- function(header, data, length = nchar(header, "bytes")) {
  c(little(length, 4), raw(4), charToRaw(header), data)
}

# tensors: a list of list(type = name in the format, code = as for written_bytes(), values = array)
safetensors_bytes <- function(tensors) {
  data <- lapply(tensors, function(t) written_bytes(as.vector(aperm(t$values)), t$code))
  ends <- cumsum(lengths(data))
  said <- sprintf("\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%.0f,%.0f]}",
                  names(tensors), vapply(tensors, function(t) t$type, ""),
                  vapply(tensors, function(t) paste(dim(t$values), collapse = ","), ""),
                  ends - lengths(data), ends)
  header <- paste0("{\"__metadata__\":{\"format\":\"pt\"},", paste(said, collapse = ","), "}")
  safetensors_raw(header, unlist(data, use.names = FALSE))
}

# The files that are mutated: a list of bytes, whose names are endings. nwb: with one of NWB, whose
# bytes are made anew each time, which takes longer?
seed_files <- function(fixtures = testthat::test_path("fixtures"), nwb = FALSE) {
  m <- matrix(c(0, 1, 2, 3, 100, 120), 2)
  types <- c("f8", "f4", "i1", "u1", "i2", "u2", "i4", "i8", "u8", "b1")
  npy <- unlist(lapply(1:3, function(version) {
    lapply(types, function(type) {
      npy_bytes(m, sub("b1", "i1", type), fortran = version == 2, version = version,
                endian = if (version == 3) "big" else "little")
    })
  }), recursive = FALSE)
  cube <- npy_bytes(array(1:24, 2:4), "i4")
  tensors <- safetensors_bytes(list(
    a = list(type = "F32", code = "f4", values = m),
    b = list(type = "BF16", code = "bf", values = m),
    "long %s" = list(type = "I64", code = "i8", values = m)
  ))
  archives <- lapply(file.path(fixtures, c("savez.npz", "deflated.npz", "matlab5.mat",
                                           "matlab7.mat")), function(path) {
    readBin(path, "raw", file.size(path))
  })
  tables <- lapply(c(
    "\"\",\"a\",\"b,c\"\n\"x\",0.5,-2e3\n\"\u00fc\",NA,7\n", "a\n0.5\n12\n",
    "\ufeffname,a,b\r\nx,1,\r\ny,2,4\r\n", "1,2,3\n4,5,6\n7,8,9"
  ), charToRaw)
  files <- c(npy, list(cube), rep(list(tensors), 10), rep(archives, each = 4), rep(tables, 2))
  endings <- c(".npy", ".safetensors", ".npz", ".mat", ".csv")
  files <- stats::setNames(files, rep(endings, c(length(npy) + 1, 10, 8, 8, 8)))
  if (requireNamespace("RNifti", quietly = TRUE)) files <- c(files, rep(nifti_seeds(), 2))
  if (nwb && requireNamespace("hdf5r", quietly = TRUE)) files <- c(files, list(".nwb" = NULL))
  files
}

# One random change: of bytes, of digits in a header, of the length, or of a part that is repeated
# or left out. Half of the changes are among the first bytes, where headers are.
mutate_bytes <- function(bytes) {
  n <- length(bytes)
  place <- function() sample.int(if (stats::runif(1) < 0.5) min(n, 160L) else n, 1)
  switch(sample(8, 1),
    bytes[sample(n, 1)] <- as.raw(sample(0:255, 1)), # mostly a number of the data
    {
      at <- replicate(sample(4, 1), place())
      bytes[at] <- as.raw(sample(0:255, length(at), TRUE))
    },
    { # numbers of a header, which become larger, negative, or huge
      digits <- which(bytes >= charToRaw("0") & bytes <= charToRaw("9"))
      at <- digits[sample.int(length(digits), 1)]
      new <- sample(c("0", "9", "-1", "4294967296", "9223372036854775807", "1e300", "7L", "3.5"), 1)
      bytes <- c(bytes[seq_len(at - 1)], charToRaw(new), bytes[-seq_len(at)])
    },
    bytes <- utils::head(bytes, place() - 1),
    { # lengths in bytes
      at <- place() + 0:3
      last <- sample(c(255, 127, 0), 1)
      new <- as.raw(c(rep(if (last == 0) 0 else 255, 3), last))
      bytes[at[at <= n]] <- new[at <= n]
    },
    {
      part <- sort(c(place(), place()))
      bytes <- append(bytes, bytes[part[1]:part[2]], place())
    },
    {
      part <- sort(c(place(), place()))
      bytes <- bytes[-(part[1]:part[2])]
    },
    { # characters that headers are made of
      marks <- charToRaw("{}[]()',:\"\\<>|=OVSUMcLTF%n ")
      bytes[place()] <- sample(marks, 1)
    }
  )
  bytes
}

# What a file that was not read ended in, where that is as it should be.
refused <- "an error of the package"

# A mutated file is read, with or without some of its arguments: NULL if that gave numbers,
# `refused`, or what is wrong.
read_mutated <- function(bytes, ending, path) {
  writeBin(bytes, path)
  # unpacked data are at most 1032 times as long, and a byte becomes a double; the last field of a
  # table may have no byte
  packed <- grepl("npz|gz|mat", ending)
  # a sparse matrix may be of any size
  if (ending == ".mat") withr::local_options(repalign.max_memory = 1e6)
  most <- length(bytes) * (if (packed) 1032 else 1) + (ending == ".csv")
  tryCatch(suppressMessages({
    if (ending == ".nwb") return(wrong_recording(read_nwb(path)))
    rows <- if (stats::runif(1) < 0.3) sample(2, 1)
    m <- if (grepl("nii", ending)) {
      withCallingHandlers(read_volumes(path), repalign_no_space = function(w) {
        invokeRestart("muffleWarning")
      })
    } else {
      names <- read_representation(path, names_only = TRUE)
      read_representation(path, if (length(names)) sample(names, 1), rows)
    }
    if (!is.matrix(m) || !is.double(m) || !length(m)) {
      "no matrix of doubles"
    } else if (is.null(rows) && length(m) > most) {
      "more numbers than bytes"
    }
  }), error = function(e) {
    if (inherits(e, "repalign_error")) refused else paste("error:", conditionMessage(e))
  }, warning = function(w) paste("warning:", conditionMessage(w)))
}

# An element of a MATLAB file of version 5, and a variable, which has several: `class` and `code` say
# how its values are kept and written; `bytes` are the values.
mat5_element <- function(code, bytes, endian = "little") {
  c(writeBin(as.integer(c(code, length(bytes))), raw(), endian = endian), bytes,
    raw(-length(bytes) %% 8))
}

mat5_variable_bytes <- function(name, dims, class, ..., endian = "little") {
  whole <- function(values) writeBin(as.integer(values), raw(), endian = endian)
  content <- c(mat5_element(6, whole(c(class, 0)), endian), mat5_element(5, whole(dims), endian),
               mat5_element(1, charToRaw(name), endian), ...)
  mat5_element(14, content, endian)
}

mat5_file_bytes <- function(..., endian = "little") {
  c(charToRaw(formatC("MATLAB 5.0 MAT-file", width = -124)),
    if (endian == "little") c(as.raw(0:1), charToRaw("IM")) else c(as.raw(1:0), charToRaw("MI")),
    ...)
}

# How memCompress() packs is how MATLAB does, in an element without padding.
mat5_packed <- function(variable) {
  packed <- memCompress(variable, "gzip")
  c(little(c(15, length(packed)), 4), packed)
}

# What read_nwb() must give of any file that it reads.
wrong_recording <- function(found) {
  frames <- c(list(found$units, found$electrodes), found$tables)
  if (!all(vapply(frames, is.data.frame, NA))) return("a table that is none")
  if (!all(vapply(found$spikes, is.double, NA))) return("spikes that are no numbers")
  if (length(found$spikes) && length(found$spikes) != nrow(found$units)) return("spikes of no unit")
  for (frame in frames) {
    sizes <- vapply(frame, NROW, 0L)
    if (any(sizes != nrow(frame))) return("columns of different lengths")
  }
  NULL
}
