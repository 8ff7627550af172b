# What readers of files share (the array that they give, the choice of one among several, checks of
# sizes, errors about what a file holds), and the readers of NumPy, safetensors and R.

#' @include base-numbers.R
NULL

# What a reader gives. data: a matrix with a row for each entry of the first axis; rest: the sizes
# of the other axes; stored, flat: which of these runs fastest from column to column, "last" (as in
# C) or "first" (as in Fortran, MATLAB and R), in `data` and in what users get; names: names along
# all axes, or NULL.
file_array <- function(data, rest, stored, flat = stored, names = NULL) {
  list(data = data, rest = rest, stored = stored, flat = flat, names = names)
}

# All that is wrong with the content of a file. Names in a file may be of any length.
refuse_file <- function(file, ..., class = NULL, arg = "file") {
  text <- paste0(...)
  if (nchar(text) > 5000) text <- paste0(substr(text, 1, 5000), " ...")
  refuse(c(class, "repalign_error_file"), "`{arg}` {quoted(basename(file))} {text}")
}

refuse_file_if <- function(bad, file, ...) {
  if (bad) refuse_file(file, ...)
}

# A name for a line of Python that users may run: without what could end a text there.
python_text <- function(text) gsub("[^A-Za-z0-9_./ -]", "?", text)

# For formats with a single array.
no_array_name <- function(name, file) {
  refuse_file_if(!is.null(name), file, "holds a single array without a name: leave `name` out.",
                 class = "repalign_error_value")
}

# The array that a user asks for, or the only one.
choose_array <- function(name, names, file) {
  if (is.null(name) && length(names) == 1) return(names)
  if (!is.null(name) && name %in% names) return(name)
  if (!length(names)) refuse_file(file, "holds no array of numbers.")
  refuse_file(file, if (is.null(name)) {
    paste0("holds ", length(names), " arrays: say which in `name`.")
  } else paste0("has no array of numbers ", quoted(name), suggest(name, names)),
  " Names: ", enumerate(names, 20), ".", class = "repalign_error_choice")
}

# The rows to read of n.
rows_of <- function(rows, n, file) {
  if (is.null(rows)) return(seq_len(n))
  beyond <- rows[rows > n]
  refuse_if(length(beyond), "rows", "`rows` asks for row {beyond[1]}, but ",
            "{quoted(basename(file))} has {count_of(n, 'row')}.")
  rows
}

# dims: the sizes of all axes, as doubles, which do not overflow.
check_axes <- function(dims, file) {
  refuse_file_if(!length(dims), file, "holds a single number, not an array.",
                 class = "repalign_error_size")
  # as many as NumPy allows
  refuse_file_if(length(dims) > 64, file, "speaks of an array of ", length(dims), " axes; at most ",
                 "64 can be read.", class = "repalign_error_size")
  refuse_file_if(any(dims == 0), file, "holds an array without numbers (",
                 paste(format(dims, trim = TRUE, scientific = FALSE), collapse = " x "), ").",
                 class = "repalign_error_size")
}

# The same, and whether there is memory for these rows, or all; nothing is allocated before.
# copies: how many there are of the array while it is read.
check_dims <- function(dims, file, rows = NULL, copies = 1) {
  check_axes(dims, file)
  check_size(dims[1], prod(dims[-1]), "file")
  n <- if (is.null(rows)) dims[1] else length(rows)
  check_memory(8 * copies * n * prod(dims[-1]), paste0("The array of ", quoted(basename(file))),
               "Read some of its rows, by `rows =`.")
}

# ---- NumPy: .npy holds one array, .npz is an archive of such files

npy_rows <- function(path, name = NULL) {
  header <- npy_header(path, path)
  check_axes(header$shape, path)
  header$shape[1]
}

# path: where the array is; file: what messages call it; key: its name in an archive.
read_npy <- function(path, rows, file, key = NULL) {
  header <- npy_header(path, file)
  refuse_file_if(grepl("^[<>|=]?O", header$descr), file, "holds objects of Python (a pickle), ",
                 "which can run any program and are never read here. Convert them in Python: ",
                 "import numpy; numpy.save(\"numbers.npy\", numpy.stack(list(numpy.load(\"",
                 python_text(basename(file)), "\", allow_pickle=True)",
                 if (!is.null(key)) paste0("[\"", python_text(key), "\"]"), ")).astype(float))",
                 class = "repalign_error_pickle")
  if (!grepl("^[<>|=](b1|[iu][1248]|f[248])$", header$descr)) {
    kinds <- c(c = "complex numbers", S = "texts", a = "texts", U = "texts", M = "dates",
               m = "spans of time", V = "raw bytes", f = "floats of another size")
    kind <- kinds[sub("^[<>|=]?(.).*$", "\\1", header$descr)]
    refuse_file(file, "holds ", if (is.na(kind)) "something else" else kind[[1]], " (",
                quoted(strtrim(header$descr, 20)),
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
  refuse_file_if(bytes > there, file, "is cut off: its header speaks of ",
                 format(bytes, big.mark = ","), " bytes of numbers, and there are ",
                 format(there, big.mark = ","), ".")
  refuse_file_if(bytes < there, file, "goes on after its array (",
                 format(there - bytes, big.mark = ","), " bytes). Several arrays go into one file ",
                 "by numpy.savez(), as .npz.")
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
  refuse_file_if(!version %in% 1:3, file, "has version ", version, ".", as.integer(start[8]),
                 " of the .npy format; versions 1 to 3 can be read.")
  first <- if (version == 1) 10 else 12
  length <- whole_number(start[9:first])
  refuse_file_if(is.na(length) || first + length > file.size(path), file, "is cut off within its ",
                 "header.")
  refuse_file_if(length > 65535, file, "has a header of ", length, " bytes, which no array of ",
                 "numbers needs.")
  bytes <- file_bytes(path, first, length)
  # versions 1 and 2 are written in Latin-1, but whatever can be read is ASCII
  if (version < 3) bytes[bytes > as.raw(0x7f)] <- charToRaw("?")
  text <- header_text(bytes, file)
  # a dictionary of Python with three entries, which is compared with what it may be and never
  # evaluated
  entry <- c(descr = "(?:'[^'\"\\\\]*'|\"[^'\"\\\\]*\"|\\[.*\\])", fortran_order = "(?:True|False)",
             shape = "\\([0-9L, ]*\\)")
  refuse_file_if(grepl("['\"]descr['\"]\\s*:\\s*\\[", text), file, "holds records (a structured ",
                 "array), not numbers: save its fields one by one, numpy.save(\"field.npy\", ",
                 "x[\"field\"]).", class = "repalign_error_type")
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
  refuse_file_if(length(values) < 3 || !grepl("^\\s*\\{", text) || !grepl("^\\}\\s*$", rest), file,
                 "has a damaged header: ", quoted(strtrim(text, 60)), ".")
  # "(3, 4)" as c(3, 4), "(3,)" as 3, "()" as numeric(0). Sizes are doubles, so that no product of
  # them overflows; a size that is not exact is larger than any file.
  size <- " *[0-9]+L? *"
  inner <- gsub("[() ]", "", values$shape)
  # "(3)" is a number in Python
  good <- grepl(paste0("^\\((", size, ",(", size, ",)*(", size, "| *)| *)\\)$"), values$shape)
  refuse_file_if(!good, file, "has a damaged header: ", quoted(strtrim(values$shape, 60)),
                 " is no shape.")
  shape <- if (!nzchar(inner)) numeric() else as.double(sub("L$", "", strsplit(inner, ",")[[1]]))
  list(descr = gsub("['\"]", "", values$descr), fortran = values$fortran_order == "True",
       shape = shape, end = first + length)
}

# --- Archives --------------------------------------------------------------------

# The .npy files of an archive: Name and Length, in bytes when unpacked.
npz_members <- function(file) {
  members <- catch_error(suppressWarnings(utils::unzip(file, list = TRUE)),
                         failed = function(e) NULL)
  refuse_file_if(is.null(members) || !all(validUTF8(members$Name)), file, "is no archive that can ",
                 "be opened, or a damaged one.")
  members <- members[grepl("[.]npy$", members$Name), ]
  refuse_file_if(all(c("format.npy", "shape.npy", "data.npy") %in% members$Name), file, "holds a ",
                 "sparse matrix of scipy: save x.toarray().", class = "repalign_error_type")
  refuse_file_if(anyDuplicated(members$Name), file, "holds two arrays named ",
                 quoted(sub("[.]npy$", "", members$Name[duplicated(members$Name)][1])), ".")
  members
}

# list(path, folder, name): an array of an archive as a file of its own, in a new folder.
unpack_array <- function(file, name) {
  members <- npz_members(file)
  name <- choose_array(name, sub("[.]npy$", "", members$Name), file)
  member <- members[members$Name == paste0(name, ".npy"), ]
  # deflated data become at most 1032 times as long, so that a larger size is a lie
  if (is.na(member$Length) || member$Length < 0 || member$Length > 1032 * file.size(file)) {
    refuse_file(file, "is damaged: its array ", quoted(name), " cannot be as large as it says.")
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
    refuse_file(file, "is damaged: its array ", quoted(name), " cannot be unpacked.")
  }
  list(path = path, folder = folder, name = name)
}

# ---- safetensors: a header in JSON says where the numbers of each tensor lie

safetensors_types <- list(
  BOOL = number_type("b", 1), I8 = number_type("i", 1), U8 = number_type("u", 1),
  I16 = number_type("i", 2), U16 = number_type("u", 2), I32 = number_type("i", 4),
  U32 = number_type("u", 4), I64 = number_type("i", 8), U64 = number_type("u", 8),
  F16 = number_type("f", 2), BF16 = number_type("brain", 2), F32 = number_type("f", 4),
  F64 = number_type("f", 8)
)

safetensors_rows <- function(file, name) {
  tensors <- safetensors_header(file)$tensors
  name <- choose_array(name, names(tensors), file)
  shape <- check_tensor(tensors[[name]], name, file)$shape
  check_axes(shape, file)
  shape[1]
}

read_safetensors <- function(file, name, rows) {
  header <- safetensors_header(file)
  name <- choose_array(name, names(header$tensors), file)
  tensor <- check_tensor(header$tensors[[name]], name, file)
  begin <- tensor$offsets[1]
  end <- tensor$offsets[2]
  refuse_file_if(begin > end || end > file.size(file) - header$end, file, "is damaged or cut off: ",
                 "its tensor ", quoted(name), " would lie at bytes ", format(begin), " to ",
                 format(end), " of ", format(file.size(file) - header$end), ".")
  check_axes(tensor$shape, file)
  refuse_file_if(prod(tensor$shape) * number_size(tensor$type) != end - begin, file, "is damaged: ",
                 "the tensor ", quoted(name), " does not have as many bytes as its shape needs.")
  read_numbers(file, header$end + begin, tensor$type, tensor$shape, FALSE, rows, file)
}

# tensors: a list of what the header says of each; end: the byte at which the numbers begin.
safetensors_header <- function(file) {
  require_package("jsonlite", "Reading .safetensors files")
  size <- file.size(file)
  length <- whole_number(file_bytes(file, 0, 8))
  refuse_file_if(size < 10 || length < 2 || length > size - 8, file, "is no .safetensors file, or ",
                 "is cut off within its header.")
  # the limit of the format's own library
  if (length > 1e8) refuse_file(file, "has a header of more than 100 MB.")
  bytes <- file_bytes(file, 8, length)
  text <- header_text(bytes, file)
  # NULL where the header is not JSON
  header <- if (bytes[1] == charToRaw("{")) {
    # A header has lists and objects of three levels; very deep ones would overflow the stack of the
    # parser. What is escaped or quoted is dropped first; a bracket that closes nothing does not
    # count.
    unquoted <- gsub("\"[^\"]*\"", "", gsub("\\\\.", "", text, perl = TRUE), perl = TRUE)
    brackets <- utf8ToInt(gsub("[^][{}]", "", unquoted, perl = TRUE))
    depth <- cumsum(ifelse(brackets %in% utf8ToInt("[{"), 1, -1))
    # jsonlite 1.8.4 takes the text that it complains of for a format of printf(), and dies of a
    # percent sign in it, which JSON can write in another way
    if (max(0, depth - pmin(0, cummin(depth))) <= 3) {
      catch_error(jsonlite::parse_json(gsub("%", "\\u0025", text, fixed = TRUE)),
                  failed = function(e) NULL)
    }
  }
  refuse_file_if(!is.list(header) || (length(header) && is.null(names(header))), file,
                 "has a damaged header: it is not the JSON of .safetensors files.")
  refuse_file_if(anyDuplicated(names(header)) || !all(nzchar(names(header))), file,
                 "has a damaged header: names of tensors must be there, and differ.")
  list(tensors = header[names(header) != "__metadata__"], end = 8 + length)
}

check_tensor <- function(tensor, name, file) {
  whole <- function(values) {
    good <- vapply(values, function(v) {
      is.numeric(v) && length(v) == 1 && is.finite(v) && v >= 0 && v == round(v)
    }, NA)
    if (is.list(values) && all(good)) as.double(unlist(values))
  }
  part <- function(key) if (is.list(tensor) && sum(names(tensor) == key) == 1) tensor[[key]]
  shape <- whole(part("shape"))
  offsets <- whole(part("data_offsets"))
  type <- part("dtype")
  usable <- !is.null(shape) && length(shape) == length(part("shape")) && length(offsets) == 2 &&
    is.character(type) && length(type) == 1
  refuse_file_if(!usable, file, "has a damaged header: of the tensor ", quoted(name), " it must ",
                 "say `dtype`, `shape` and `data_offsets`.")
  refuse_file_if(!type %in% names(safetensors_types), file, "holds the tensor ", quoted(name),
                 " in numbers of the type ", quoted(strtrim(type, 20)), ", but only ",
                 enumerate(names(safetensors_types), 20, FALSE), " can be read: save it by ",
                 "tensor.float().", class = "repalign_error_type")
  list(type = safetensors_types[[type]], shape = shape, offsets = offsets)
}

# ---- R: .rds, with an array or a list of arrays

# x: what the file holds.
read_rds <- function(x, file, name, rows) {
  if (is_array_list(x)) {
    flat <- flat_list(x, file)
    x <- flat[[choose_array(name, names(flat), file)]]
  } else no_array_name(name, file)
  refuse_file_if(!is_numbers(x), file, "holds ", describe(x), ", not an array of numbers.",
                 if (is.object(x)) " readRDS() gives it as it is; unclass() takes a class away.",
                 class = "repalign_error_type")
  size <- if (is.null(dim(x))) length(x) else dim(x)
  if (is_integer64(x)) x <- array(integer64_doubles(x, file), size)
  if (is.data.frame(x) || inherits(x, "Matrix")) x <- plain_matrix(x, basename(file))
  r_array(x, rows, file)
}

# What a class makes of numbers, or of a list, only its own functions know: of all classes, those
# that is_numbers() names are read, and no other.
is_array_list <- function(x) is.list(x) && !is.object(x)

deepest_list <- 100

# The numeric arrays of a list and of lists within it (all: whatever is in them); their names are
# paths such as "model/layer".
flat_list <- function(given, file, all = FALSE, before = "", depth = 1) {
  refuse_file_if(depth > deepest_list, file, "holds lists within lists, more than ", deepest_list,
                 " deep: save its arrays in one list.", class = "repalign_error_type")
  keys <- names(given)
  if (is.null(keys)) keys <- rep("", length(given))
  keys[!nzchar(keys)] <- which(!nzchar(keys))
  keys <- make.unique(paste0(before, keys))
  found <- list()
  for (i in seq_along(given)) {
    part <- given[[i]]
    if (is_array_list(part)) {
      found <- c(found, flat_list(part, file, all, paste0(keys[i], "/"), depth + 1))
    } else if (all || is_numbers(part)) found[keys[i]] <- list(part)
  }
  found
}

is_numbers <- function(x) {
  if (is.object(x)) return(inherits(x, c("data.frame", "Matrix")) || is_integer64(x))
  is.numeric(x) || is.logical(x)
}

# Classes made of it, such as points in time, are something else.
is_integer64 <- function(x) identical(as.vector(class(x)), "integer64")

# ---- parquet: a table, whose first column or index may name the stimuli

read_parquet_file <- function(file, name, rows) {
  no_array_name(name, file)
  require_package("nanoparquet", "Reading .parquet files")
  read <- function(how) {
    catch_error(suppressWarnings(how(file)), failed = function(e) {
      refuse_file(file, "cannot be read by nanoparquet: ", conditionMessage(e), ".")
    })
  }
  size <- read(nanoparquet::read_parquet_info)
  check_dims(c(size$num_rows, size$num_cols), file, copies = 2)
  table <- as.data.frame(read(nanoparquet::read_parquet))
  # pandas writes an index that does not count the rows as the last column
  at <- which(names(table) == "__index_level_0__")
  if (!length(at)) at <- which(is.character(table[[1]]) || is.factor(table[[1]]))
  labels <- if (length(at)) checked_labels(label_text(table[[at]]), file)
  values <- table[setdiff(seq_along(table), at)]
  other <- which(!vapply(values, function(v) is.numeric(v) || is.logical(v), NA))
  refuse_file_if(length(other), file, "has in the column ", quoted(names(values)[other[1]]), " ",
                 describe(values[[other[1]]]), ", not numbers.", class = "repalign_error_type")
  r_array(matrix(as.double(unlist(values)), nrow(table), dimnames = list(labels, names(values))),
          rows, file)
}

# An array of R or MATLAB, with all its rows, as file_array().
r_array <- function(x, rows, file) {
  # a number alone is no array
  dims <- if (!is.null(dim(x))) dim(x) else if (length(x) == 1) integer() else length(x)
  check_dims(as.double(dims), file, rows)
  names <- if (is.null(dim(x))) list(names(x)) else dimnames(x)
  rest <- dims[-1]
  wanted <- rows_of(rows, dims[1], file)
  data <- matrix(as.double(x), dims[1])
  if (!is.null(rows)) data <- data[wanted, , drop = FALSE]
  if (!is.null(names[[1]])) names[[1]] <- names[[1]][wanted]
  columns <- if (length(rest) == 1) names[[2]]
  if (!is.null(names[[1]]) || !is.null(columns)) dimnames(data) <- list(names[[1]], columns)
  file_array(data, rest, "first", names = names)
}

# The integers of 64 bits that bit64 keeps in the bits of doubles.
integer64_doubles <- function(x, file) {
  values <- integer64_values(x)
  if (is.null(values)) refuse_large_integer(file)
  values
}

# The same, NULL if doubles do not hold one of them.
integer64_values <- function(x) {
  bytes <- writeBin(as.vector(unclass(x)), raw(), endian = "little")
  values <- .Call(C_decode_numbers, bytes, number_type("i", 8))
  if (length(values) == length(x)) values
}
