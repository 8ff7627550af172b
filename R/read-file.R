# read_representation() reads matrices from files; each format has a file of its own, R/read-*.R.

#' Read a representation from a file
#'
#' Reads a matrix of stimuli x neurons from the files that Python, MATLAB and R write; from a file
#' of several arrays, a folder, or several files, a named list.
#'
#' @param file the path of a file, whose ending tells the format; of several files; or of a folder,
#'   of which all files of these formats are read.
#' @param name which of several arrays: a name or several, or paths such as `"units/rates"`.
#'   `NULL`: all that are layers. What is none (a single number, texts, an empty array) is left out
#'   with a message.
#' @param rows numbers of the rows (stimuli) to read, in any order; `NULL`: all.
#' @param flatten what becomes of arrays of three axes and more. `TRUE`: three axes are flattened
#'   after the first, with a message; more, as of convolutions, are an error that asks for one of
#'   the following. `"all"`: flattened. `"mean"`, `"max"`: over all axes but the first and that
#'   of `channels`, which gives stimuli x channels. `FALSE`: the array with its axes, or a plain
#'   vector.
#' @param channels for `"mean"` and `"max"`: is the axis of the channels the `"first"` after the
#'   stimuli (PyTorch) or the `"last"` (TensorFlow, JAX)? Shapes do not tell.
#' @param names_only `TRUE`: the names of the arrays of a file, or the full paths of the files that
#'   are read of a folder, and no data.
#' @param ... not used.
#' @return A matrix of doubles with a row for each stimulus. A named list of them for several arrays
#'   (`layer2` before `layer10`), for several `name`s (as given) and for several files, with the
#'   names of `file`, or of the files without their endings; the arrays of a file among others are
#'   `"file/array"`. With `names_only`, texts.
#' @details
#' Formats: `.npy` and `.npz` (NumPy); `.safetensors` (needs \pkg{jsonlite}); `.parquet`
#' (\pkg{nanoparquet}); `.h5`, `.hdf5`, `.nwb` and MATLAB's v7.3 `.mat` (\pkg{hdf5r}); older `.mat`
#' (versions 5 to 7); `.csv` and `.tsv`, also with `.gz`; `.rds`. Only the rows asked for are kept;
#' `.rds` and `.parquet` are read whole.
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
#' without a name, as `write.csv()` writes row names; numbers from 0 or 1 on that only count the
#' rows are left out). All other columns must be numbers. Lines of different lengths and texts among
#' the numbers of a first column are errors. For other tables, use `read.csv()` and
#' [response_matrix()]. In `.parquet`, a first column of texts or the index of pandas names the
#' stimuli.
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
#' layers <- read_representation(saved)
#' read_representation(saved, names_only = TRUE)
#' @seealso [read_nwb()]
#' @export
read_representation <- function(file, name = NULL, rows = NULL, flatten = TRUE, channels = NULL,
                                names_only = FALSE, ...) {
  need_arguments()
  refuse_if(!is.character(file) || !length(file) || anyNA(file) || !all(nzchar(file)), "value",
            "`file` must be the path of a file or of a folder, or the paths of several files, not ",
            if (!is.character(file)) describe(file) else if (!length(file)) "no path at all" else
              "an empty or missing path", ".")
  several <- length(file) > 1 || dir.exists(path.expand(file))
  if (check_flag(names_only, "names_only")) {
    if (!several) return(natural_order(file_format(file)$names(path.expand(file))))
    return(normalizePath(if (length(file) == 1) files_of_folder(file) else file, mustWork = FALSE))
  }
  if (several) return(read_each_file(file, name, rows, flatten, channels))
  format <- file_format(file)
  refuse_if(!is.null(name) && (!is.character(name) || !length(name) || anyNA(name) ||
                                 !all(nzchar(name)) || anyDuplicated(name)), "value",
            "`name` must be one name, or several that differ, see read_representation(file, ",
            "names_only = TRUE).")
  rows <- if (!is.null(rows)) {
    usable <- is.numeric(rows) && !is.object(rows) && length(rows) && all(is.finite(rows)) &&
      all(rows >= 1 & rows == round(rows) & rows <= .Machine$integer.max)
    refuse_if(!usable, "value", "`rows` must be numbers of rows, from 1 on, or NULL for all rows.")
    as.integer(rows)
  }
  ways <- c("all", "mean", "max")
  refuse_if(!isTRUE(flatten) && !isFALSE(flatten) &&
              !(is.character(flatten) && length(flatten) == 1 && flatten %in% ways), "choice",
            "`flatten` must be TRUE or FALSE, or one of {enumerate(ways)}.")
  if (!is.null(channels)) channels <- check_choice(channels, c("first", "last"), "channels") else
    refuse_if(flatten %in% ways[-1], "choice", "`channels` is missing: flatten = ",
              "{quoted(flatten)} keeps one axis besides the stimuli, channels = \"first\" ",
              "(PyTorch) or \"last\" (TensorFlow, JAX).")
  keep_open(read_arrays(file, name, format, function(one) {
    read_one_array(file, one, rows, flatten, channels, format)
  }))
}

# read(name) reads one of the arrays.
read_arrays <- function(file, name, format, read) {
  if (length(name) == 1) return(read(name))
  names <- if (is.null(name)) natural_order(format$names(path.expand(file))) else name
  if (length(names) < 2) return(read(NULL))
  # where all layers are wanted, what is none is left out of all that is in the file
  there <- if (is.null(name)) format$names(path.expand(file), all = TRUE)
  step <- progress_along(length(names))
  failed <- list()
  found <- lapply(stats::setNames(names, names), function(one) {
    layer <- tryCatch(read(one), repalign_error_file = function(error) {
      kinds <- paste0("repalign_error_", c("size", "type", "pickle", "value"))
      if (is.null(there) || !inherits(error, kinds)) stop(error)
      failed[[one]] <<- error
      NULL
    })
    step()
    layer
  })
  if (length(failed) == length(names)) stop(failed[[1]])
  left_out <- c(setdiff(there, names), names(failed))
  inform_if(length(left_out), "left_out", "read_representation(): left out of ",
            "{quoted(basename(file))}, because they are no layers (single numbers, texts, ",
            "empty arrays, numbers of other kinds): {enumerate(natural_order(left_out), 20)}.")
  Filter(Negate(is.null), found)
}

# One array, and an error if it is not said which of several.
read_one_array <- function(file, name = NULL, rows = NULL, flatten = TRUE, channels = NULL,
                           format = file_format(file)) {
  found <- format$read(path.expand(file), name, rows)
  refuse_file_if(nrow(found$data) < 1 || ncol(found$data) < 1, file, "holds an array without ",
                 "numbers (", nrow(found$data), " x ", ncol(found$data), ").",
                 class = "repalign_error_size")
  arrange_axes(found, flatten, file, channels, name, is.null(rows))
}

# ---- several files

# A named list of what the files hold. What goes wrong names the file, and none is read before all
# are known to be there.
read_each_file <- function(file, name, rows, flatten, channels) {
  # paths are looked at before any is read; those of a folder are there
  if (length(file) == 1) file <- files_of_folder(file) else of_each_file(file, file_format)
  names <- names_of_files(file)
  check_element_names(stats::setNames(as.list(file), names), "file")
  step <- progress_along(length(file))
  found <- of_each_file(stats::setNames(file, names), function(one) {
    found <- read_representation(one, name, rows, flatten, channels)
    step()
    found
  })
  single <- names[vapply(found, function(one) is.atomic(one) && NCOL(one) == 1, NA)]
  inform_if(length(single) && length(single) < length(names), "one_column", "One number per ",
            "stimulus: {enumerate(single, 20)}. Each stands as a layer of one column; leave out ",
            "what is none, such as labels.")
  do.call(c, unname(Map(function(one, name) {
    if (!is.list(one)) return(stats::setNames(list(one), name))
    stats::setNames(one, paste0(name, "/", names(one)))
  }, found, names)))
}

# Without their endings, where these names tell them apart.
names_of_files <- function(file) {
  if (!is.null(names(file))) return(names(file))
  base <- basename(file)
  short <- sub("[.][^.]*$", "", sub("[.]gz$", "", base, ignore.case = TRUE))
  ifelse(short %in% short[duplicated(short)], base, short)
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
  if (!grepl(names[1], said, fixed = TRUE)) said <- paste0(quoted(names[1]), ": ", said)
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
  refuse_if(!any(known), "value", "`file` {quoted(folder)} is a folder without a file that ",
            "can be read ({count_of(length(all), 'other file')}; folders in it are not looked ",
            "into). See ?read_representation for the formats.")
  inform_if(any(!known), "left_out", "read_representation(): {count_of(sum(!known), 'file')} of ",
            "the folder ",
            if (sum(!known) == 1) "has another format and is" else "have other formats and are",
            " left out, first {quoted(basename(all[!known][1]))}.")
  all <- unname(all[known])
  all[match(natural_order(basename(all)), basename(all))]
}

# Texts in order, numbers in them by value.
natural_order <- function(texts) {
  # "layer2" becomes "layer0000000002", which sorts before "layer0000000010".
  text <- texts <- as.character(texts)
  found <- gregexpr("[0-9]+", text)
  regmatches(text, found) <- lapply(regmatches(text, found), function(numbers) {
    paste0(strrep("0", pmax(15 - nchar(numbers), 0)), numbers)
  })
  texts[radix_order(text)]
}

# ---- one file

# A format: `names` gives the names of the arrays of a file (all: also of what is no array), `read`
# one of them, with some rows, as file_array(), and `rows` the number of rows of one, where the
# format lets rows be read alone.
file_formats <- function() {
  no_names <- function(read, rows = NULL) {
    list(names = function(file, all) character(), read = read, rows = rows)
  }
  # an .rds is read once, however many of its arrays are wanted
  of_rds <- list()
  rds_content <- function(file) {
    if (is.null(of_rds[[file]])) {
      of_rds[[file]] <<- list(catch_error(suppressWarnings(readRDS(file)), failed = function(e) {
        refuse_file(file, "cannot be read by readRDS(): ", conditionMessage(e), ".")
      }))
    }
    of_rds[[file]][[1]]
  }
  list(
    npy = no_names(function(file, name, rows) {
      no_array_name(name, file)
      read_npy(file, rows, file)
    }, npy_rows),
    npz = list(names = function(file, all) sub("[.]npy$", "", npz_members(file)$Name),
               read = function(file, name, rows) {
                 unpacked <- unpack_array(file, name)
                 on.exit(unlink(unpacked$folder, recursive = TRUE))
                 read_npy(unpacked$path, rows, file, unpacked$name)
               }),
    safetensors = list(names = function(file, all) names(safetensors_header(file)$tensors),
                       read = read_safetensors,
                       rows = safetensors_rows),
    rds = list(names = function(file, all = FALSE) {
      found <- rds_content(file)
      if (is_array_list(found)) as.character(names(flat_list(found, file, all))) else character()
    },
               read = function(file, name, rows) read_rds(rds_content(file), file, name, rows)),
    parquet = no_names(read_parquet_file),
    csv = no_names(function(file, name, rows) read_text_table(file, name, rows, ",")),
    tsv = no_names(function(file, name, rows) read_text_table(file, name, rows, "\t")),
    h5 = list(names = hdf5_names, read = read_hdf5, rows = hdf5_rows),
    mat = list(names = function(file, all = FALSE) {
      if (is_matlab_hdf5(file)) return(hdf5_names(file, all))
      variables <- mat5_variables(file)
      if (all) names(variables) else mat5_names(variables)
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
    refuse("pickle", "`file` {quoted(base)} is a pickle, ",
           "{if (torch) 'as PyTorch writes it, '}which can run any program and is never read ",
           "here. Convert it in Python: {line}",
           if (torch) paste0(" or, for a dictionary of tensors, from safetensors.torch import ",
                             "save_file; save_file(torch.load(...), \"",
                             sub("npy$", "safetensors", target), "\")"))
  }
  formats <- file_formats()
  # the name of a folder that is not there has no ending
  if (!grepl(".", basename(file), fixed = TRUE)) need_file(file, "file")
  refuse_if(!ending %in% names(formats), "value", "`file` {quoted(basename(file))} has an ",
            "ending that cannot be read. Files that can: .npy, .npz, .safetensors, .parquet, ",
            ".rds, .csv, .tsv, .csv.gz, .tsv.gz, .h5, .hdf5, .nwb and .mat.")
  need_file(file, "file")
  formats[[ending]]
}

# One path, which is no folder.
need_path <- function(file, arg) {
  usable <- is.character(file) && length(file) == 1 && !is.na(file) && nzchar(file)
  refuse_if(!usable, "value", "`{arg}` must be the path of one file.")
  refuse_if(dir.exists(path.expand(file)), "value", "`{arg}` {quoted(file)} is a folder: ",
            "give the path of one file in it.")
}

# The path of a file that is there, with something in it.
need_file <- function(file, arg) {
  need_path(file, arg)
  path <- path.expand(file)
  refuse_if(!file.exists(path), "value", "`{arg}` {quoted(file)} is not there.")
  if (isTRUE(file.size(path) == 0)) refuse_file(file, "is empty (0 bytes).", arg = arg)
}

# The ending that stands for a format.
file_ending <- function(file) {
  ending <- tolower(sub("^.*[.]", "", sub("[.]gz$", "", basename(file), ignore.case = TRUE)))
  packed <- grepl("[.]gz$", file, ignore.case = TRUE)
  if (packed && !ending %in% c("csv", "tsv")) return("gz")
  if (ending %in% c("hdf5", "hdf", "he5", "nwb")) "h5" else ending
}

# The matrix, array or vector that users get of a file_array(). name: of the array, or NULL; whole:
# are all of its rows there?
arrange_axes <- function(found, flatten, file, channels = NULL, name = NULL, whole = TRUE) {
  n <- nrow(found$data)
  if (length(found$rest) < 2) {
    if (isFALSE(flatten) && !length(found$rest)) return(as.vector(found$data))
    return(found$data)
  }
  shown <- paste0(quoted(basename(file)), if (!is.null(name)) paste0(", ", name), " (",
                  paste(c(if (whole) n else "n", found$rest), collapse = " x "), ")")
  refuse_if(isTRUE(flatten) && length(found$rest) > 2, "choice", "`flatten` must say what becomes ",
            "of the axes of {shown}: flatten = \"mean\" or \"max\" keeps the channels, which are ",
            "channels = \"first\" or \"last\"; \"all\" keeps every value; FALSE keeps the axes.")
  if (flatten %in% c("mean", "max")) {
    # stimuli x channels, by the mean or the largest value over all other axes
    axis <- if (channels == "first") 1 else length(found$rest)
    count <- found$rest[axis]
    sizes <- if (found$stored == "first") found$rest else rev(found$rest)
    channel <- slice.index(array(0, sizes), if (found$stored == "first") axis else
      length(sizes) + 1 - axis)
    # a row for each channel of each stimulus, a column for each place
    places <- matrix(found$data[, t(matrix(order(channel), ncol = count))], n * count)
    inform("flattened", "read_representation(): the array of {shown} became {n} x {count}, by the ",
           "{if (flatten == 'mean') 'mean' else 'largest value'} of each channel over ",
           "{count_of(ncol(places), 'place')}.")
    values <- if (flatten == "mean") rowMeans(places) else
      Reduce(function(largest, k) pmax(largest, places[, k]), seq_len(ncol(places)), places[, 1])
    names <- list(rownames(found$data), found$names[[axis + 1]])
    return(matrix(values, n, dimnames = if (!all(vapply(names, is.null, NA))) names))
  }
  if (!isFALSE(flatten)) {
    inform_if(isTRUE(flatten), "flattened", "read_representation(): the array of {shown} was ",
              "flattened to {n} x {ncol(found$data)}; flatten = FALSE keeps its axes. If the last ",
              "is trials: responses(read_representation(file, flatten = FALSE)).")
    if (found$stored == found$flat) return(found$data)
    columns <- array(seq_len(ncol(found$data)), found$rest)
    return(found$data[, as.vector(aperm(columns)), drop = FALSE])
  }
  whole <- if (found$stored == "first") array(found$data, c(n, found$rest)) else
    aperm(array(found$data, c(n, rev(found$rest))), c(1, rev(seq_along(found$rest) + 1)))
  dimnames(whole) <- found$names
  whole
}
