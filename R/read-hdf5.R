# HDF5 files, among them those of h5py, NWB and MATLAB v7.3, by the package hdf5r.

hdf5_names <- function(file) with_hdf5(file, function(open) hdf5_datasets(open, ""))

read_hdf5 <- function(file, name, rows) {
  with_dataset(file, name, function(found, name) {
    other <- other_content(found)
    if (!is.null(other)) {
      refuse_file(file, "has in ", dQuote(name, FALSE), " no array of numbers but ", other, ".",
                  class = "repalign_error_type")
    }
    matlab <- nzchar(matlab_class(found))
    dims <- dataset_dims(found)
    first <- first_axis(found)
    check_dims(c(dims[first], dims[-first]), file, rows, copies = 3)
    wanted <- rows_of(rows, dims[first], file)
    values <- dataset_rows(found, first, if (!is.null(rows)) sort(unique(wanted)), file)
    n <- if (is.null(rows)) dims[first] else length(unique(wanted))
    data <- if (matlab) matrix(values, n) else t(matrix(values, ncol = n))
    if (!is.null(rows)) data <- data[match(wanted, sort(unique(wanted))), , drop = FALSE]
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
    if (is.null(name)) name <- choose_array(NULL, hdf5_datasets(open, ""), file)
    # h5py takes "/units/rates" and "units/rates" for the same
    path <- gsub("^/+|/+$", "", name)
    found <- if (nzchar(path)) catch_error(open[[path]], failed = function(e) NULL)
    if (!inherits(found, "H5D")) {
      group <- if (nzchar(path)) catch_error(open[[path]], failed = function(e) NULL)
      if (inherits(group, "H5Group") && is_matlab_sparse(group)) {
        refuse_file(file, "has ", dQuote(name, FALSE),
                    " as a sparse matrix of MATLAB v7.3: save full(",
                    basename(path), ").", class = "repalign_error_type")
      }
      names <- hdf5_datasets(open, "")
      below <- names[startsWith(names, paste0(path, "/"))]
      if (length(below)) {
        refuse_file(file, "has a group ", dQuote(name, FALSE), ": say which of its arrays. Names: ",
                    enumerate(below, 20), ".", class = "repalign_error_choice")
      }
      choose_array(name, names, file)
    }
    f(found, name)
  })
}

with_hdf5 <- function(file, f) {
  require_package("hdf5r", "Reading HDF5 files (.h5, .nwb, .mat of version 7.3)")
  open <- catch_error(hdf5r::H5File$new(file, mode = "r"), failed = function(e) {
    refuse_file(file, "cannot be opened as an HDF5 file: ", reason_of(e))
  })
  on.exit(try(open$close_all(), silent = TRUE))
  catch_error(f(open), failed = function(e) {
    if (inherits(e, "repalign_error")) stop(e)
    # h5py can compress in ways that other programs do not know
    text <- conditionMessage(e)
    filter <- regmatches(text, regexec("filter '([^']+)' is not registered", text))[[1]][2]
    if (!is.na(filter)) {
      refuse_file(file, "is compressed by ", dQuote(filter, FALSE), ", which hdf5r does not know: ",
                  "save it with compression=\"gzip\".")
    }
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

# Paths of the datasets of numbers below a group. Links that lead nowhere are left out, and a group
# that several links lead to (or a ring of links) is entered once.
hdf5_datasets <- function(group, before, seen = new.env()) {
  info <- group$obj_info()
  id <- paste("group", info$fileno, info$addr)
  if (!is.null(seen[[id]]) || is_matlab_sparse(group)) return(character())
  seen[[id]] <- TRUE
  found <- lapply(setdiff(names(group), c("#refs#", "#subsystem#")), function(key) {
    part <- catch_error(if (group$path_valid(key)) group[[key]], failed = function(e) NULL)
    path <- paste0(before, key)
    if (inherits(part, "H5Group")) return(hdf5_datasets(part, paste0(path, "/"), seen))
    if (inherits(part, "H5D") && is.null(other_content(part)) &&
          all(dataset_dims(part) > 0)) path
  })
  as.character(unlist(found))
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

# The numbers of a dataset, with some entries (sorted) of one axis, or all.
dataset_rows <- function(dataset, axis, wanted, file) {
  args <- rep(list(quote(expr = )), length(dataset$dims))
  if (!is.null(wanted)) args[[axis]] <- wanted
  # all integers of 64 bits in the bits of doubles, so that none is rounded or NA before it is
  # checked; hdf5r 1.3.8 has an argument `flags` for this, but does not use it
  before <- options(hdf5r.h5tor_default = hdf5r::h5const$H5TOR_CONV_NONE)
  on.exit(options(before))
  values <- dataset$read(args = args, drop = FALSE)
  if (inherits(values, "integer64")) integer64_doubles(values, file) else as.double(values)
}
