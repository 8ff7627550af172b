# HDF5 files, among them those of h5py, NWB and MATLAB v7.3, by the package hdf5r; and the older
# files of MATLAB (5 to 7), which are read here.

#' @include base-numbers.R
NULL

hdf5_names <- function(file, all = FALSE) {
  with_hdf5(file, function(open) listed_datasets(all))
}

read_hdf5 <- function(file, name, rows) {
  with_dataset(file, name, function(found, name) {
    other <- other_content(found)
    refuse_file_if(!is.null(other), file, "has in ", quoted(name), " no array of numbers but ",
                   other, ".", class = "repalign_error_type")
    matlab <- nzchar(matlab_class(found))
    dims <- dataset_dims(found)
    first <- first_axis(found)
    check_dims(c(dims[first], dims[-first]), file, rows, copies = 3)
    wanted <- rows_of(rows, dims[first], file)
    taken <- sort(unique(wanted))
    args <- rep(list(quote(expr = )), length(found$dims))
    if (!is.null(rows)) args[[first]] <- taken
    # all integers of 64 bits in the bits of doubles, so that none is rounded or NA before it is
    # checked; hdf5r 1.3.8 has an argument `flags` for this, but does not use it
    before <- options(hdf5r.h5tor_default = hdf5r::h5const$H5TOR_CONV_NONE)
    on.exit(options(before))
    values <- found$read(args = args, drop = FALSE)
    values <- if (inherits(values, "integer64")) integer64_doubles(values, file) else
      as.double(values)
    data <- if (matlab) matrix(values, length(taken)) else t(matrix(values, ncol = length(taken)))
    if (!is.null(rows)) data <- data[match(wanted, taken), , drop = FALSE]
    rest <- dims[-first]
    file_array(data, if (matlab) rest else rev(rest), if (matlab) "first" else "last")
  })
}

hdf5_rows <- function(file, name) {
  with_dataset(file, name, function(found, name) dataset_dims(found)[first_axis(found)])
}

# Calls f(dataset, name) for the dataset of a name, or the only one.
with_dataset <- function(file, name, f) {
  with_hdf5(file, function(open) {
    if (is.null(name)) name <- choose_array(NULL, listed_datasets(), file)
    # h5py takes "/units/rates" and "units/rates" for the same
    path <- gsub("^/+|/+$", "", name)
    found <- if (nzchar(path)) catch_error(open[[path]], failed = function(e) NULL)
    if (!inherits(found, "H5D")) {
      refuse_file_if(inherits(found, "H5Group") && is_matlab_sparse(found), file, "has ",
                     quoted(name), " as a sparse matrix of MATLAB v7.3: save full(", basename(path),
                     ").", class = "repalign_error_type")
      names <- listed_datasets()
      below <- names[startsWith(names, paste0(path, "/"))]
      refuse_file_if(length(below), file, "has a group ", quoted(name), ": say which of its ",
                     "arrays. Names: ", enumerate(below, 20), ".", class = "repalign_error_choice")
      choose_array(name, names, file)
    }
    f(found, name)
  })
}

# Calls f(open file). keep_open() and what it holds stand in base-words.R, since what reads several
# arrays of a file keeps it open.
with_hdf5 <- function(file, f) {
  if (!isTRUE(opened$keep)) return(keep_open(with_hdf5(file, f)))
  require_package("hdf5r", "Reading HDF5 files (.h5, .nwb, .mat of version 7.3)")
  if (!identical(opened$path, file)) {
    close_hdf5()
    opened$file <- catch_error(hdf5r::H5File$new(file, mode = "r"), failed = function(e) {
      refuse_file(file, "cannot be opened as an HDF5 file: ", reason_of(e))
    })
    opened$path <- file
  }
  catch_error(f(opened$file), failed = function(e) {
    if (inherits(e, "repalign_error")) stop(e)
    # h5py can compress in ways that other programs do not know
    text <- conditionMessage(e)
    filter <- regmatches(text, regexec("filter '([^']+)' is not registered", text))[[1]][2]
    refuse_file_if(!is.na(filter), file, "is compressed by ", quoted(filter), ", which hdf5r does ",
                   "not know: save it with compression=\"gzip\".")
    refuse_file(file, "is damaged, or not readable by hdf5r: ", reason_of(e))
  })
}

# hdf5r prints the whole stack of HDF5: the last of its errors says why.
reason_of <- function(e) {
  lines <- strsplit(conditionMessage(e), "\n")[[1]]
  stack <- grep("error #[0-9]+:", lines, value = TRUE)
  if (length(stack)) sub("^.*line [0-9]+: *", "", stack[length(stack)]) else trimws(lines[1])
}

# MATLAB writes a sparse matrix as a group, with its values and their places.
is_matlab_sparse <- function(group) group$attr_exists("MATLAB_sparse")

# Paths of the datasets of numbers in the open file (all: of all datasets, and of sparse matrices).
listed_datasets <- function(all = FALSE) {
  if (is.null(opened$datasets)) opened$datasets <- hdf5_datasets(opened$file, "")
  as.character(names(which(all | opened$datasets)))
}

# Which datasets and sparse matrices below a group are datasets of numbers, named by their paths.
# Links that lead nowhere are left out, and a group that several links lead to (or a ring of links)
# is entered once.
hdf5_datasets <- function(group, before, seen = new.env()) {
  info <- group$obj_info()
  id <- paste("group", info$fileno, info$addr)
  if (!is.null(seen[[id]])) return(logical())
  if (is_matlab_sparse(group)) return(stats::setNames(FALSE, sub("/$", "", before)))
  seen[[id]] <- TRUE
  found <- lapply(setdiff(names(group), c("#refs#", "#subsystem#")), function(key) {
    part <- catch_error(if (group$path_valid(key)) group[[key]], failed = function(e) NULL)
    path <- paste0(before, key)
    if (inherits(part, "H5Group")) return(hdf5_datasets(part, paste0(path, "/"), seen))
    if (!inherits(part, "H5D")) return(logical())
    stats::setNames(is.null(other_content(part)) && all(dataset_dims(part) > 0), path)
  })
  unlist(c(logical(), found))
}

# What a dataset holds in the place of numbers, or NULL.
other_content <- function(dataset) {
  if (as.character(dataset$get_space()$get_simple_extent_type()) != "H5S_SIMPLE") {
    return("a single value or none")
  }
  class <- matlab_class(dataset)
  if (!class %in% c("", "logical", "double", "single", matlab_integers)) {
    return(paste0("MATLAB's ", class))
  }
  if (nzchar(class) && prod(dataset_dims(dataset)) == 1) return("a single value or none")
  type <- dataset$get_type()
  if (inherits(type, c("H5T_INTEGER", "H5T_FLOAT", "H5T_LOGICAL"))) return(NULL)
  kind <- as.character(type$get_class())
  words <- c(H5T_STRING = "texts", H5T_COMPOUND = "records or complex numbers",
             H5T_VLEN = "lists of different lengths", H5T_REFERENCE = "references")
  if (kind %in% names(words)) words[[kind]] else paste("values of the type", kind)
}

matlab_integers <- paste0(c("", "u"), "int", rep(c(8, 16, 32, 64), each = 2))

# MATLAB names the class of what it wrote; others do not.
matlab_class <- function(dataset) {
  if (!dataset$attr_exists("MATLAB_class")) return("")
  paste(hdf5r::h5attr(dataset, "MATLAB_class"), collapse = "")
}

# MATLAB writes the sizes of an empty array in the place of its numbers.
dataset_dims <- function(dataset) {
  if (dataset$attr_exists("MATLAB_empty")) 0 else as.double(dataset$dims)
}

# hdf5r gives axes in reverse, which is MATLAB's order for what MATLAB wrote.
first_axis <- function(dataset) {
  if (nzchar(matlab_class(dataset))) 1 else length(dataset_dims(dataset))
}

# ---- MATLAB

read_matlab <- function(file, name, rows) {
  if (is_matlab_hdf5(file)) return(read_hdf5(file, name, rows))
  variables <- mat5_variables(file)
  layers <- mat5_names(variables)
  # of one that is no layer, it is said why
  if (!length(layers)) layers <- utils::head(names(variables), 1)
  if (!isTRUE(name %in% names(variables))) name <- choose_array(name, layers, file)
  variable <- variables[[name]]
  refuse_file_if(!variable$numbers, file, "has in ", quoted(name), " no array of real numbers but ",
                 if (!variable$real) "complex numbers" else paste0("MATLAB's ", variable$class),
                 ": save its parts as variables of their own",
                 if (variable$class == "struct") ", or all with \"-v7.3\"", ".",
                 class = "repalign_error_type")
  sparse <- variable$class == "sparse"
  # MATLAB has no numbers without axes
  check_axes(if (prod(variable$dims) == 1) numeric() else variable$dims, file)
  check_dims(variable$dims, file, if (!sparse) rows, copies = if (sparse) 3 else 1)
  tag <- variable$tag
  if (sparse) {
    check_memory(4 * variable$size, "The array", "Save some of its rows, by full().")
  } else if (!variable$size %in% c(tag$values + tag$length, tag$end) ||
               tag$length > 8 * prod(variable$dims)) {
    damaged_mat5(file, "an array is not as large as it says")
  }
  path <- file
  if (variable$packed > 0) {
    path <- tempfile("mat")
    on.exit(unlink(path))
    bytes <- file_bytes(file, variable$from, variable$packed)
    unpacked <- unpack_zlib(bytes, variable$size + 8, path)
    stored <- whole_number(rev(utils::tail(bytes, 4)))
    if (!isTRUE(file.size(path) == variable$size + 8) || unpacked != stored) damaged_mat5(file)
    variable$from <- 8
  }
  if (sparse) return(r_array(mat5_sparse(variable, path, file), rows, file))
  replace(mat5_numbers(tag, variable$dims, rows, variable, path, file), "flat", "first")
}

# The names of those that are layers.
mat5_names <- function(variables) {
  names(Filter(function(v) v$numbers && prod(v$dims) > 1, variables))
}

is_matlab_hdf5 <- function(file) {
  start <- file_bytes(file, 0, 520)
  signature <- as.raw(c(0x89, 0x48, 0x44, 0x46))
  if (identical(start[1:4], signature) || identical(start[513:516], signature)) return(TRUE)
  refuse_file_if(!identical(start[1:10], charToRaw("MATLAB 5.0")) || length(start) < 136, file,
                 "is no MATLAB file of version 5 or later: save it again, save(\"", basename(file),
                 "\", \"x\", \"-v7\").")
  FALSE
}

# --- The variables of an old file -------------------------------------------------

damaged_mat5 <- function(file, why = "a compressed variable cannot be unpacked") {
  refuse_file(file, "is damaged: ", why, ".")
}

# What mat5_variable() tells of each variable. from: the byte of the file where its content begins;
# packed: how many bytes it takes there, if it is compressed; size: those that it takes else.
mat5_variables <- function(file) {
  little <- identical(file_bytes(file, 126, 2), charToRaw("IM"))
  size <- file.size(file)
  found <- list()
  at <- 128
  while (at < size) {
    tag <- mat5_integers(file_bytes(file, at, 8), little)
    refuse_file_if(length(tag) < 2 || !tag[1] %in% 14:15 || at + 8 + tag[2] > size, file,
                   "is cut off or damaged.")
    # descriptions are short
    bytes <- file_bytes(file, at + 8, min(tag[2], 2^16))
    inner <- tag
    if (tag[1] == 15) {
      path <- tempfile("mat")
      unpack_zlib(bytes, 4104, path)
      bytes <- file_bytes(path, 0, 4104)
      unlink(path)
      inner <- mat5_integers(utils::head(bytes, 8), little)
      bytes <- bytes[-(1:8)]
      # deflated data become at most 1032 times as long
      if (!isTRUE(inner[1] == 14 && inner[2] <= 1032 * tag[2])) damaged_mat5(file)
    }
    variable <- mat5_variable(bytes, little, file)
    # what MATLAB keeps for itself has no name
    if (nzchar(variable$name)) {
      found[[variable$name]] <- c(variable, list(
        from = at + 8, packed = if (tag[1] == 15) tag[2] else 0, size = inner[2], little = little
      ))
    }
    at <- at + 8 + tag[2]
  }
  found
}

# Writes the first `size` bytes of what zlib packed to the file `path`, or fewer if there are no
# more, piece by piece, which an interrupt ends. Returns their checksum.
unpack_zlib <- function(bytes, size, path) {
  packed <- tempfile("gz")
  # R unpacks by pieces what gzip packed: the same, between another header and another checksum,
  # of which it warns at the end
  writeBin(c(as.raw(c(31, 139, 8, 0, 0, 0, 0, 0, 0, 3)), bytes[-(1:2)]), packed)
  from <- gzfile(packed, "rb")
  to <- file(path, "wb")
  on.exit({
    close(from)
    close(to)
    unlink(packed)
  })
  sums <- c(1, 0)
  while (size > 0) {
    piece <- catch_error(suppressWarnings(readBin(from, "raw", min(size, 2^20))),
                         failed = function(e) raw())
    count <- length(piece)
    if (!count) break
    writeBin(piece, to)
    values <- as.integer(piece)
    sums <- (sums + c(sum(values), count * sums[1] + sum(values * (count:1)))) %% 65521
    size <- size - count
  }
  sum(sums * c(1, 65536))
}

mat5_integers <- function(bytes, little) {
  count <- length(bytes) %/% 4
  as.vector(256^(if (little) 0:3 else 3:0) %*% matrix(as.integer(bytes[seq_len(4 * count)]), 4))
}

mat5_classes <- c("cell", "struct", "object", "char", "sparse", "double", "single", "int8", "uint8",
                  "int16", "uint16", "int32", "uint32", "int64", "uint64")

# How elements are written, by their codes.
mat5_types <- c("i1", "u1", "i2", "u2", "i4", "u4", "f4", NA, "f8", NA, NA, "i8", "u8")

# What the first 8 bytes of an element say: its code, its length, and where from `at` on its values
# begin and the next element does. Up to 4 bytes of values lie within these 8.
mat5_tag <- function(words, at) {
  short <- isTRUE(words[1] >= 65536)
  length <- if (short) words[1] %/% 65536 else words[2]
  list(code = words[1] %% 65536, length = length, values = at + if (short) 4 else 8,
       end = at + 8 + if (short) 0 else 8 * ceiling(length / 8))
}

# Three elements describe a variable: its flags, its dims (but for objects of classes), its name.
# values: the byte where that of its values stands, in tag what it says.
mat5_variable <- function(bytes, little, file) {
  words <- function(from, count) mat5_integers(bytes[from + seq_len(4 * count)], little)
  need <- function(length) {
    if (length(bytes) < length) damaged_mat5(file, "a variable is not described")
  }
  need(32)
  flags <- words(8, 1)
  code <- flags %% 256
  axes <- if (code == 17) 0 else words(20, 1) / 4
  if (code != 17 && !axes %in% 2:200) need(Inf)
  name_at <- if (code == 17) 16 else 24 + 8 * ceiling(axes / 2)
  need(name_at + 8)
  name <- mat5_tag(words(name_at, 2), name_at)
  need(max(name$values + name$length, name$end))
  class <- mat5_classes[if (code %in% seq_along(mat5_classes)) code else 3]
  real <- flags %/% 2048 %% 2 == 0
  list(name = header_text(bytes[name$values + seq_len(name$length)], file), class = class,
       dims = words(24, axes), real = real, numbers = class %in% mat5_classes[-(1:4)] && real,
       values = name$end,
       tag = if (length(bytes) >= name$end + 8) mat5_tag(words(name$end, 2), name$end))
}

# The numbers of an element as file_array(); dims: NULL for one axis.
mat5_numbers <- function(tag, dims, rows, variable, path, file) {
  type <- mat5_types[tag$code]
  size <- as.integer(substr(type, 2, 2))
  if (is.null(dims)) dims <- c(tag$length / size, 1)
  fits <- isTRUE(prod(dims) * size == tag$length && tag$values + tag$length <= variable$size)
  if (!fits) damaged_mat5(file, "an array is not as large as it says")
  if (is.null(rows) && !prod(dims)) return(list(data = numeric()))
  read_numbers(path, variable$from + tag$values,
               number_type(substr(type, 1, 1), size, !variable$little), dims, TRUE, rows, file)
}

# Three elements: the rows of the values, column after column; where each column begins among them;
# and the values. The first two are integers.
mat5_sparse <- function(variable, path, file) {
  at <- variable$values
  parts <- lapply(list(1:6, 1:6, 1:13), function(codes) {
    tag <- mat5_tag(mat5_integers(file_bytes(path, variable$from + at, 8), variable$little), at)
    at <<- tag$end
    if (!tag$code %in% codes) damaged_mat5(file, "a sparse array is not described")
    mat5_numbers(tag, NULL, NULL, variable, path, file)$data
  })
  dims <- variable$dims
  starts <- parts[[2]]
  last <- c(0, starts)[length(starts) + 1]
  rows <- utils::head(parts[[1]], max(last, 0))
  usable <- length(dims) == 2 && length(starts) == dims[2] + 1 && all(diff(c(0, starts)) >= 0) &&
    starts[1] == 0 && last <= min(lengths(parts[-2])) && all(rows >= 0 & rows < dims[1])
  if (!usable) damaged_mat5(file, "a sparse array is not described")
  at <- cbind(rows + 1, rep(seq_len(dims[2]), diff(starts)))
  replace(matrix(0, dims[1], dims[2]), at, parts[[3]][seq_len(last)])
}
