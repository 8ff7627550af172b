# Paths in the place of data: small files are read when a call begins, large ones when a tile of the
# grid needs them.

#' @include read-file.R
NULL

# How files are taken as sides of a call:
#
# 1. with_files() reads all files if they are small, so that the call goes on with matrices. Otherwise
#    each array becomes a path, list(file, name, state), of the class "repalign_path".
# 2. filed_representation() (input-representation.R) reads an array once, judges it, and keeps its
#    size, its names and the statistics of its columns (absent_data()).
# 3. tiles (compare-files.R) read what they compare by data_of().

is_path <- function(x) inherits(x, "repalign_path")

new_path <- function(file, name = NULL) {
  file <- normalizePath(file)
  structure(list(file = file, name = name, state = file_state(file)), class = "repalign_path")
}

file_state <- function(file) as.double(c(file.size(file), file.mtime(file)))

# Files that are together at most so large are read at once.
small_files <- 2^28

# How many bytes of files, and of what is prepared of them, are held at a time: a number that does
# not depend on the machine, as the tiles do not.
files_limit <- function() {
  if (is.null(getOption("repalign.max_memory"))) 2^31 else memory_limit()
}

#' Reads paths that a user gave in the place of data
#'
#' @param given a list of arguments, by their names
#' @param whole are all files read, whatever their size?
#' @param resume see similarity()
#' @return `given`, in which matrices, or large files as paths, stand in the place of text.
#' @noRd
with_files <- function(given, whole = FALSE, resume = NULL) {
  files <- character()
  collect <- function(text, arg) {
    files <<- c(files, files_of_text(text, arg))
    text
  }
  Map(replace_paths, given, names(given), list(collect))
  refuse_if(!is.null(resume) && !length(files), "choice", "`resume` keeps finished tiles of a grid ",
            "of files, but no side is a path: give a folder or paths, or leave `resume` out.")
  if (!length(files)) return(given)
  # numbers of files mostly have 4 bytes, and here 8
  bytes <- 2 * sum(file.size(path.expand(unique(files))))
  limit <- min(small_files, files_limit())
  if (whole) {
    check_memory(bytes, paste("The data of", count_of(length(files), "file")),
                 "Only similarity() and calibrate() read files in parts; fewer files need less.")
  }
  whole <- whole || bytes <= limit && is.null(resume)
  in_place <- if (whole) function(text, arg) in_words_of(arg, read_representation(text)) else
    paths_of_text
  Map(replace_paths, given, names(given), list(in_place))
}

# Text that stands for data: paths, or in a list one path. Ids of measures are refused elsewhere.
is_path_text <- function(x) {
  is.character(x) && !is.object(x) && is.null(dim(x)) && length(x) > 0 && !all(x %in% measure_ids())
}

has_path_text <- function(x) {
  if (!is.list(x) || is.object(x)) return(FALSE)
  for (one in x) if (is_path_text(one) && length(one) == 1 || has_path_text(one)) return(TRUE)
  FALSE
}

replace_paths <- function(x, arg, f) {
  if (is_path_text(x)) return(f(x, arg))
  if (!has_path_text(x)) return(x)
  names <- names_or_empty(x)
  for (k in seq_along(x)) {
    if (length(x[[k]]) == 1 || is.list(x[[k]])) {
      x[[k]] <- replace_paths(x[[k]], paste0(arg, "$", names[k]), f)
    }
  }
  x
}

# What is wrong with a file, in words of the argument that names it.
in_words_of <- function(arg, code) {
  tryCatch(code, repalign_error = function(error) {
    text <- gsub("`file`", paste0("`", arg, "`"), conditionMessage(error), fixed = TRUE)
    if (grepl("is not there.$", text)) {
      text <- paste0(text, " A path counts from the working folder, ", getwd(),
                     "; list.files(folder, full.names = TRUE) gives those of a folder.")
    }
    error$message <- text
    error$arg <- sub("[$].*", "", arg)
    stop(error)
  })
}

files_of_text <- function(text, arg) {
  refuse_if(anyNA(text) || !all(nzchar(text)), "value", "`{arg}` has an empty or missing path.")
  in_words_of(arg, {
    if (is_folder(text)) return(files_of_folder(text))
    of_each_file(text, file_format)
    text
  })
}

is_folder <- function(text) length(text) == 1 && dir.exists(path.expand(text))

# One path, or a named list of those of all arrays, as read_representation() names them.
paths_of_text <- function(text, arg) {
  files <- quietly_done(files_of_text(text, arg))
  in_words_of(arg, {
    found <- lapply(stats::setNames(files, names_of_files(files)), paths_of_file)
    if (length(text) == 1 && !is_folder(text)) {
      found <- found[[1]]
      return(if (length(found) == 1) found[[1]] else found)
    }
    found <- do.call(c, unname(Map(function(paths, name) {
      stats::setNames(paths, if (length(paths) == 1) name else paste0(name, "/", names(paths)))
    }, found, names(found))))
    check_same_rows(found)
    found
  })
}

paths_of_file <- function(file) {
  format <- file_format(file)
  names <- natural_order(format$names(path.expand(file)))
  if (length(names) < 2) return(list(new_path(file)))
  # what has no rows is no layer
  layers <- Filter(function(name) {
    is.null(format$rows) ||
      !is.null(catch_error(format$rows(path.expand(file), name), failed = function(e) NULL))
  }, names)
  sapply(layers, new_path, file = file, simplify = FALSE)
}

# Where headers tell how many rows files have, those of another number are found before all are read.
check_same_rows <- function(paths) {
  rows <- vapply(paths, function(path) {
    of_format <- file_format(path$file)$rows
    found <- if (!is.null(of_format)) of_format(path$file, path$name)
    if (is.null(found)) NA else as.double(found)
  }, 0)
  usual <- as.double(names(which.max(table(rows))))
  odd <- which(!is.na(rows) & rows != usual)[1]
  refuse_if(!is.na(odd), "rows", "`file` {dQuote(basename(paths[[odd]]$file), FALSE)} has ",
            "{count_of(rows[odd], 'row')}, and others have {usual}: the rows must be the same ",
            "stimuli. Leave the file out, or read the common rows by read_representation(, rows =).")
}

# ---- reading

# The data of a representation, which are read where they are not held.
data_of <- function(repr) {
  if (is.null(repr$source) || !is_absent(repr$data)) return(repr$data)
  kept <- unclass(repr$data)
  data <- read_path(repr$source, repr$arg, kept$rows)
  if (is.null(kept$columns)) data else mark_checked(data[, kept$columns, drop = FALSE])
}

read_path <- function(path, arg, rows = NULL) {
  in_words_of(arg, {
    refuse_if(!identical(file_state(path$file), path$state), "file",
              "`file` {dQuote(basename(path$file), FALSE)} is not the file that it was when the ",
              "call began, or is not seen by a worker: files must not change meanwhile.")
    # what is said of the file was said when it was read first
    withCallingHandlers(read_one_array(path$file, path$name, rows), repalign_flattened = function(m) {
      if (!is.null(rows)) invokeRestart("muffleMessage")
    })
  })
}
