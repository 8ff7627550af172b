# Files of NumPy: .npy holds one array, .npz is an archive of such files.

npy_rows <- function(path, name = NULL) {
  header <- npy_header(path, path)
  check_axes(header$shape, path)
  header$shape[1]
}

# path: where the array is; file: what messages call it; key: its name in an archive.
read_npy <- function(path, rows, file, key = NULL) {
  header <- npy_header(path, file)
  if (grepl("^[<>|=]?O", header$descr)) {
    refuse_file(file,
                "holds objects of Python (a pickle), which can run any program and are never ",
                "read here. Convert them in Python: import numpy; numpy.save(\"numbers.npy\", ",
                "numpy.stack(list(numpy.load(\"", python_text(basename(file)),
                "\", allow_pickle=True)",
                if (!is.null(key)) paste0("[\"", python_text(key), "\"]"), ")).astype(float))",
                class = "repalign_error_pickle")
  }
  if (!grepl("^[<>|=](b1|[iu][1248]|f[248])$", header$descr)) {
    kinds <- c(c = "complex numbers", S = "texts", a = "texts", U = "texts", M = "dates",
               m = "spans of time", V = "raw bytes", f = "floats of another size")
    kind <- kinds[sub("^[<>|=]?(.).*$", "\\1", header$descr)]
    refuse_file(file, "holds ", if (is.na(kind)) "something else" else kind[[1]], " (",
                dQuote(strtrim(header$descr, 20), FALSE),
                "), but only truth values, integers and floats of at most 64 bits can be read",
                if (grepl("f(12|16)$", header$descr)) ": save x.astype(\"float64\")", ".",
                class = "repalign_error_type")
  }
  order <- substr(header$descr, 1, 1)
  big <- order == ">" || (order == "=" && .Platform$endian == "big")
  type <- number_type(substr(header$descr, 2, 2), substr(header$descr, 3, 3), big)
  bytes <- prod(header$shape) * number_size(type)
  check_axes(header$shape, file)
  there <- file.size(path) - header$end
  if (bytes > there) {
    refuse_file(file, "is cut off: its header speaks of ", format(bytes, big.mark = ","),
                " bytes of numbers, and there are ", format(there, big.mark = ","), ".")
  }
  if (bytes < there) {
    refuse_file(file, "goes on after its array (", format(there - bytes, big.mark = ","),
                " bytes). Several arrays go into one file by numpy.savez(), as .npz.")
  }
  read_numbers(path, header$end, type, header$shape, header$fortran, rows, file)
}

npy_magic <- as.raw(c(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59))

# descr, fortran, shape, and the byte at which the numbers begin.
npy_header <- function(path, file) {
  start <- file_bytes(path, 0, 12)
  if (length(start) < 10 || !identical(start[1:6], npy_magic)) {
    archive <- identical(start[1:2], charToRaw("PK"))
    refuse_file(file, "is no .npy file: it begins with other bytes than numpy.save() writes.",
                if (archive) " It looks like an archive, .npz.")
  }
  version <- as.integer(start[7])
  if (!version %in% 1:3) {
    refuse_file(file, "has version ", version, ".", as.integer(start[8]),
                " of the .npy format; versions 1 to 3 can be read.")
  }
  first <- if (version == 1) 10 else 12
  length <- whole_number(start[9:first])
  if (is.na(length) || first + length > file.size(path)) {
    refuse_file(file, "is cut off within its header.")
  }
  if (length > 65535) {
    refuse_file(file, "has a header of ", length, " bytes, which no array of numbers needs.")
  }
  bytes <- file_bytes(path, first, length)
  # versions 1 and 2 are written in Latin-1, but whatever can be read is ASCII
  if (version < 3) bytes[bytes > as.raw(0x7f)] <- charToRaw("?")
  c(parse_npy_header(header_text(bytes, file), file), end = first + length)
}

# The header is a dictionary of Python with three entries, which is compared with what it may be
# and never evaluated.
parse_npy_header <- function(text, file) {
  entry <- c(descr = "(?:'[^'\"\\\\]*'|\"[^'\"\\\\]*\"|\\[.*\\])", fortran_order = "(?:True|False)",
             shape = "\\([0-9L, ]*\\)")
  if (grepl("['\"]descr['\"]\\s*:\\s*\\[", text)) {
    refuse_file(file,
                "holds records (a structured array), not numbers: save its fields one by one, ",
                "numpy.save(\"field.npy\", x[\"field\"]).", class = "repalign_error_type")
  }
  values <- list()
  rest <- sub("^\\s*\\{\\s*", "", text, perl = TRUE)
  for (i in seq_along(entry)) {
    for (key in setdiff(names(entry), names(values))) {
      pattern <- paste0("^['\"]", key, "['\"]\\s*:\\s*(", entry[[key]], ")\\s*(,\\s*|(?=\\}))")
      if (!grepl(pattern, rest, perl = TRUE)) next
      values[[key]] <- regmatches(rest, regexec(pattern, rest, perl = TRUE))[[1]][2]
      rest <- sub(pattern, "", rest, perl = TRUE)
      break
    }
  }
  if (length(values) < 3 || !grepl("^\\s*\\{", text) || !grepl("^\\}\\s*$", rest)) {
    refuse_file(file, "has a damaged header: ", dQuote(strtrim(text, 60), FALSE), ".")
  }
  # "(3, 4)" as c(3, 4), "(3,)" as 3, "()" as numeric(0). Sizes are doubles, so that no product of
  # them overflows; a size that is not exact is larger than any file.
  size <- " *[0-9]+L? *"
  inner <- gsub("[() ]", "", values$shape)
  # "(3)" is a number in Python
  good <- grepl(paste0("^\\((", size, ",(", size, ",)*(", size, "| *)| *)\\)$"), values$shape)
  if (!good) {
    refuse_file(file, "has a damaged header: ", dQuote(strtrim(values$shape, 60), FALSE),
                " is no shape.")
  }
  shape <- if (!nzchar(inner)) numeric() else as.double(sub("L$", "", strsplit(inner, ",")[[1]]))
  list(descr = gsub("['\"]", "", values$descr), fortran = values$fortran_order == "True",
       shape = shape)
}

# --- Archives --------------------------------------------------------------------

# The .npy files of an archive: Name and Length, in bytes when unpacked.
npz_members <- function(file) {
  members <- catch_error(suppressWarnings(utils::unzip(file, list = TRUE)),
                         failed = function(e) NULL)
  if (is.null(members) || !all(validUTF8(members$Name))) {
    refuse_file(file, "is no archive that can be opened, or a damaged one.")
  }
  members <- members[grepl("[.]npy$", members$Name), ]
  if (anyDuplicated(members$Name)) {
    refuse_file(file, "holds two arrays named ",
                dQuote(sub("[.]npy$", "", members$Name[duplicated(members$Name)][1]), FALSE), ".")
  }
  members
}

read_npz <- function(file, name, rows) {
  unpacked <- unpack_array(file, name)
  on.exit(unlink(unpacked$folder, recursive = TRUE))
  read_npy(unpacked$path, rows, file, unpacked$name)
}

# list(path, folder, name): an array of an archive as a file of its own, in a new folder.
unpack_array <- function(file, name) {
  members <- npz_members(file)
  name <- choose_array(name, sub("[.]npy$", "", members$Name), file)
  member <- members[members$Name == paste0(name, ".npy"), ]
  # deflated data become at most 1032 times as long, so that a larger size is a lie
  if (is.na(member$Length) || member$Length < 0 || member$Length > 1032 * file.size(file)) {
    refuse_file(file, "is damaged: its array ", dQuote(name, FALSE), " cannot be as large as it ",
                "says.")
  }
  folder <- tempfile("npz")
  dir.create(folder)
  # junkpaths: whatever the name of the member says, it stays in this folder
  path <- catch_error(
    utils::unzip(file, files = member$Name, exdir = folder, junkpaths = TRUE, unzip = "internal"),
    failed = function(e) NULL, warning = function(w) NULL
  )
  if (length(path) != 1 || !file.exists(path) || file.size(path) != member$Length) {
    unlink(folder, recursive = TRUE)
    refuse_file(file, "is damaged: its array ", dQuote(name, FALSE), " cannot be unpacked.")
  }
  list(path = path, folder = folder, name = name)
}
