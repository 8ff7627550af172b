# read_representation() and representation_names() read matrices from files; each format has a file
# of its own, R/read-*.R.

#' Read a representation from a file
#'
#' Reads a matrix of stimuli x neurons from the files that Python, MATLAB and R write; from a
#' folder, or several files, a named list.
#'
#' @param file the path of a file, whose ending tells the format; of several files; or of a folder,
#'   of which all files of these formats are read. Those of several arrays are left out without
#'   `name`, with a message.
#' @param name which of several arrays: a name, or a path such as `"units/rates"`, as
#'   `representation_names(file)` lists them. `NULL`: the only one.
#' @param rows numbers of the rows (stimuli) to read, in any order; `NULL`: all.
#' @param flatten `TRUE`: always a matrix. Arrays of three axes and more are flattened after the
#'   first, with a message. `FALSE`: the array with its axes, or a plain vector.
#' @param ... not used.
#' @return `read_representation()`: a matrix of doubles with a row for each stimulus, or a named
#'   list of them, by the names of `file` or of the files without their endings (`layer2` before
#'   `layer10`). `representation_names()`: the names of the arrays in the file, if any.
#' @details
#' Formats: `.npy` and `.npz` (NumPy); `.safetensors` (needs \pkg{jsonlite}); `.h5`, `.hdf5`, `.nwb`
#' and MATLAB's v7.3 `.mat` (\pkg{hdf5r}); older `.mat` (versions 5 to 7); `.csv` and `.tsv`, also
#' with `.gz`; `.rds`. Only the rows asked for are kept; `.rds` is read whole.
#'
#' *Axes* are as the writer showed them: what h5py or MATLAB shows as 100 x 50 gives 100 rows. If
#' the stimuli are not the first axis, read with `flatten = FALSE` and use [aperm()]. Flattened
#' columns are in the order of NumPy (of MATLAB for its files). What MATLAB's `h5write()` wrote has
#' its axes reversed.
#'
#' *Errors* are integers beyond 2^53, complex numbers, texts, records, single numbers, empty arrays,
#' sparse matrices of MATLAB v7.3, and damaged files (class `repalign_error_file`). Sparse matrices
#' become ordinary ones.
#'
#' *Pickles are never executed*: NumPy's arrays of objects and the files of PyTorch are errors, with
#' the line of Python that converts them. Give hdf5r and `readRDS()` only files that you trust.
#'
#' *Tables* may have a first line with names of the columns (texts, numbers in quotes, or numbers
#' that count the columns), and a first column that names the stimuli (texts, numbers in quotes, or
#' without a name, as `write.csv()` writes row names). All other columns must be numbers. For other
#' tables, use `read.csv()` and [response_matrix()].
#'
#' *`.rds`* holds numbers, or a list of such objects, in which `name` is a path such as
#' `"model/layer1"`.
#' @examples
#' file <- tempfile(fileext = ".csv")
#' write.csv(data.frame(a = 1:3, b = c(0.5, 1, 2), row.names = c("face", "car", "tree")), file)
#' read_representation(file, rows = c(3, 1))
#' # all layers of one file
#' saved <- tempfile(fileext = ".rds")
#' saveRDS(list(first = matrix(1:6, 3), second = matrix(1:9, 3)), saved)
#' names <- representation_names(saved)
#' sapply(names, read_representation, file = saved, simplify = FALSE)
#' @seealso [read_nwb()]
#' @export
read_representation <- function(file, name = NULL, rows = NULL, flatten = TRUE, ...) {
  need_arguments()
  refuse_if(!is.character(file) || !length(file) || anyNA(file) || !all(nzchar(file)), "value",
            "`file` must be the path of a file or of a folder, or the paths of several files, not ",
            if (!is.character(file)) describe(file) else if (!length(file)) "no path at all" else
              "an empty or missing path", ".")
  if (length(file) > 1 || dir.exists(path.expand(file))) {
    return(read_each_file(file, name, rows, flatten))
  }
  format <- file_format(file)
  name <- if (!is.null(name)) {
    refuse_if(!is.character(name) || length(name) != 1 || is.na(name) || !nzchar(name), "value",
              "`name` must be one name, see representation_names(file).")
    name
  }
  rows <- if (!is.null(rows)) {
    usable <- is.numeric(rows) && !is.object(rows) && length(rows) && all(is.finite(rows)) &&
      all(rows >= 1 & rows == round(rows) & rows <= .Machine$integer.max)
    refuse_if(!usable, "value", "`rows` must be numbers of rows, from 1 on, or NULL for all rows.")
    as.integer(rows)
  }
  flatten <- check_flag(flatten, "flatten")
  found <- format$read(path.expand(file), name, rows)
  if (nrow(found$data) < 1 || ncol(found$data) < 1) {
    refuse_file(file, "holds an array without numbers (", nrow(found$data), " x ",
                ncol(found$data), ").", class = "repalign_error_size")
  }
  arrange_axes(found, flatten, file)
}

#' @rdname read_representation
#' @export
representation_names <- function(file, ...) {
  need_arguments()
  file_format(file)$names(path.expand(file))
}

# ---- several files

# A named list of what the files hold. What goes wrong names the file, and none is read before all
# are known to be there.
read_each_file <- function(file, name, rows, flatten) {
  # paths are looked at before any is read; those of a folder are there
  folder <- length(file) == 1
  if (folder) file <- files_of_folder(file) else of_each_file(file, file_format)
  names <- names(file)
  if (is.null(names)) {
    # without their endings, where these names tell them apart
    base <- basename(file)
    short <- sub("[.][^.]*$", "", sub("[.]gz$", "", base, ignore.case = TRUE))
    names <- ifelse(short %in% short[duplicated(short)], base, short)
  }
  check_element_names(stats::setNames(as.list(file), names), "file")
  step <- progress_along(length(file))
  several <- list()
  found <- of_each_file(stats::setNames(file, names), function(one) {
    found <- tryCatch(read_representation(one, name, rows, flatten),
                      repalign_error_choice = function(error) {
                        if (!folder || !is.null(name)) stop(error)
                        several[[one]] <<- error
                        NULL
                      })
    step()
    found
  })
  if (length(several) == length(file)) stop(several[[1]])
  inform_if(length(several), "left_out", "read_representation(): left out of the folder, because ",
            "`name` must say which of their arrays to read: ",
            "{enumerate(basename(names(several)), 20)}.")
  Filter(Negate(is.null), found)
}

# What a function gives of each file, or one error that names all files that it fails for.
of_each_file <- function(file, of) {
  failed <- list()
  found <- lapply(file, function(one) {
    value <- tryCatch(of(one), repalign_error = identity)
    # what was read is not needed any more when a file fails
    if (!inherits(value, "repalign_error")) return(if (!length(failed)) value)
    failed[[one]] <<- value
    NULL
  })
  if (!length(failed)) return(found)
  error <- failed[[1]]
  names <- basename(names(failed))
  said <- conditionMessage(error)
  if (!grepl(names[1], said, fixed = TRUE)) said <- paste0(dQuote(names[1], FALSE), ": ", said)
  error$message <- if (length(failed) == 1) said else {
    paste0(length(failed), " of ", length(file), " files cannot be read: ", enumerate(names, 20),
           ". First, ", said)
  }
  stop(error)
}

# The files of a folder that can be read, numbers in their names by value.
files_of_folder <- function(folder) {
  all <- list.files(path.expand(folder), full.names = TRUE)
  all <- all[!dir.exists(all)]
  known <- vapply(all, function(one) file_ending(one) %in% names(file_formats()), NA)
  refuse_if(!any(known), "value", "`file` {dQuote(folder, FALSE)} is a folder without a file that ",
            "can be read ({count_of(length(all), 'other file')}; folders in it are not looked ",
            "into). See ?read_representation for the formats.")
  inform_if(any(!known), "left_out", "read_representation(): {count_of(sum(!known), 'file')} of ",
            "the folder ",
            if (sum(!known) == 1) "has another format and is" else "have other formats and are",
            " left out, first {dQuote(basename(all[!known][1]), FALSE)}.")
  all <- unname(all[known])
  # "layer2" becomes "layer0000000002", which sorts before "layer0000000010".
  text <- basename(all)
  found <- gregexpr("[0-9]+", text)
  regmatches(text, found) <- lapply(regmatches(text, found), function(numbers) {
    paste0(strrep("0", pmax(15 - nchar(numbers), 0)), numbers)
  })
  all[radix_order(text)]
}

# ---- one file

# A format: `names` gives the names of the arrays of a file, `read` one of them, with some rows, as
# file_array(), and `rows` the number of rows of one, where the format lets rows be read alone.
file_formats <- function() {
  no_names <- function(read, rows = NULL) {
    list(names = function(file) character(), read = read, rows = rows)
  }
  list(
    npy = no_names(function(file, name, rows) {
      no_array_name(name, file)
      read_npy(file, rows, file)
    }, npy_rows),
    npz = list(names = function(file) sub("[.]npy$", "", npz_members(file)$Name), read = read_npz),
    safetensors = list(names = function(file) names(safetensors_header(file)$tensors),
                       read = read_safetensors,
                       rows = safetensors_rows),
    rds = list(names = function(file) {
      found <- read_rds_file(file)
      if (is_array_list(found)) as.character(names(flat_list(found, file))) else character()
    },
               read = read_rds),
    csv = no_names(function(file, name, rows) read_text_table(file, name, rows, ",")),
    tsv = no_names(function(file, name, rows) read_text_table(file, name, rows, "\t")),
    h5 = list(names = hdf5_names, read = read_hdf5, rows = hdf5_rows),
    mat = list(names = function(file) {
      if (is_matlab_hdf5(file)) return(hdf5_names(file))
      variables <- mat5_variables(file)
      names(variables)[vapply(variables, function(v) v$numbers && all(v$dims > 0), NA)]
    },
               read = read_matlab,
               # NULL for an old file, which can only be read whole
               rows = function(file, name) if (is_matlab_hdf5(file)) hdf5_rows(file, name))
  )
}

file_format <- function(file) {
  need_path(file, "file")
  ending <- file_ending(file)
  # files that only Python can open, by running what they hold
  torch <- ending %in% c("pt", "pth", "ckpt") || grepl("^pytorch.*[.]bin$", basename(file))
  if (torch || ending %in% c("pkl", "pickle")) {
    base <- python_text(basename(file))
    target <- sub("[.][^.]*$", ".npy", base)
    line <- if (torch) {
      paste0("import torch, numpy; numpy.save(\"", target, "\", torch.load(\"", base,
             "\", map_location=\"cpu\", weights_only=True).detach().float().numpy())")
    } else {
      paste0("import pickle, numpy; numpy.save(\"", target, "\", numpy.asarray(pickle.load(open(\"",
             base, "\", \"rb\")), dtype=float))")
    }
    refuse("pickle", "`file` {dQuote(base, FALSE)} is a pickle, ",
           "{if (torch) 'as PyTorch writes it, '}which can run any program and is never read ",
           "here. Convert it in Python: {line}",
           if (torch) paste0(" or, for a dictionary of tensors, from safetensors.torch import ",
                             "save_file; save_file(torch.load(...), \"",
                             sub("npy$", "safetensors", target), "\")"))
  }
  formats <- file_formats()
  # the name of a folder that is not there has no ending
  if (!grepl(".", basename(file), fixed = TRUE)) need_file(file, "file")
  refuse_if(!ending %in% names(formats), "value", "`file` {dQuote(basename(file), FALSE)} has an ",
            "ending that cannot be read. Files that can: .npy, .npz, .safetensors, .rds, .csv, ",
            ".tsv, .csv.gz, .tsv.gz, .h5, .hdf5, .nwb and .mat.")
  need_file(file, "file")
  formats[[ending]]
}

# One path, which is no folder.
need_path <- function(file, arg) {
  usable <- is.character(file) && length(file) == 1 && !is.na(file) && nzchar(file)
  refuse_if(!usable, "value", "`{arg}` must be the path of one file.")
  refuse_if(dir.exists(path.expand(file)), "value", "`{arg}` {dQuote(file, FALSE)} is a folder: ",
            "give the path of one file in it.")
}

# The path of a file that is there, with something in it.
need_file <- function(file, arg) {
  need_path(file, arg)
  path <- path.expand(file)
  refuse_if(!file.exists(path), "value", "`{arg}` {dQuote(file, FALSE)} is not there.")
  if (isTRUE(file.size(path) == 0)) refuse_file(file, "is empty (0 bytes).", arg = arg)
}

# The ending that stands for a format.
file_ending <- function(file) {
  ending <- tolower(sub("^.*[.]", "", sub("[.]gz$", "", basename(file), ignore.case = TRUE)))
  packed <- grepl("[.]gz$", file, ignore.case = TRUE)
  if (packed && !ending %in% c("csv", "tsv")) return("gz")
  if (ending %in% c("hdf5", "hdf", "he5", "nwb")) "h5" else ending
}

# The matrix, array or vector that users get of a file_array().
arrange_axes <- function(found, flatten, file) {
  n <- nrow(found$data)
  if (length(found$rest) < 2) {
    if (!flatten && !length(found$rest)) return(as.vector(found$data))
    return(found$data)
  }
  if (flatten) {
    inform("flattened", "read_representation(): the array of {dQuote(basename(file), FALSE)} ",
           "({paste(c(n, found$rest), collapse = ' x ')}) was flattened to {n} x ",
           "{ncol(found$data)}; flatten = FALSE keeps its axes.",
           if (length(found$rest) == 2) {
             " If the last is trials: responses(read_representation(file, flatten = FALSE))."
           })
    if (found$stored == found$flat) return(found$data)
    columns <- array(seq_len(ncol(found$data)), found$rest)
    return(found$data[, as.vector(aperm(columns)), drop = FALSE])
  }
  whole <- if (found$stored == "first") array(found$data, c(n, found$rest)) else
    aperm(array(found$data, c(n, rev(found$rest))), c(1, rev(seq_along(found$rest) + 1)))
  dimnames(whole) <- found$names
  whole
}
