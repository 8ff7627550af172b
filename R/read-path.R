# Paths in the place of data: small files are read when a call begins, large ones when a tile of the
# grid needs them.

#' @include read-file.R
NULL

# How files are taken as sides of a call:
#
# 1. with_files() reads all files if they are small, so that the call goes on with matrices.
#    Otherwise each array becomes a path, list(file, name, arg, state, read), of class
#    "repalign_path".
# 2. filed_representation() (input-representation.R) reads an array once, judges it, and keeps its
#    size, its names and the statistics of its columns (absent_data()).
# 3. tiles (compare-files.R) read what they compare by data_of().

# arg: what messages call it; rows: how many it has, NULL where only reading tells. `read` reads the
# array: representations know no files.
new_path <- function(file, name, arg, rows) {
  file <- normalizePath(file)
  structure(list(file = file, name = name, arg = arg, rows = rows, state = file_state(file),
                 read = read_path), class = "repalign_path")
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
#' @param whole what needs all files at once, whatever their size, in words; NULL for nothing
#' @param resume see similarity()
#' @return `given`, in which matrices, or large files as paths, stand in the place of text.
#' @noRd
with_files <- function(given, whole = NULL, resume = NULL) {
  if (!isTRUE(opened$keep)) return(keep_open(with_files(given, whole, resume)))
  paths <- list()
  collect <- function(text, arg) {
    found <- paths_of_text(text, arg)
    paths <<- c(paths, if (is_path(found)) list(found) else found)
    found
  }
  filed <- Map(replace_paths, given, names(given), list(collect))
  refuse_if(!is.null(resume) && !length(paths), "choice", "`resume` keeps finished tiles of a ",
            "grid of files, but no side is a path: give a folder or paths, or leave `resume` out.")
  if (!length(paths)) return(given)
  # where headers tell how many rows files have, another number is found before any file is read
  rows <- vapply(paths, function(path) if (is.null(path$rows)) NA else as.double(path$rows), 0)
  usual <- as.double(names(which.max(table(rows))))
  odd <- which(rows != usual)[1]
  refuse_if(!is.na(odd), "rows", "`{paths[[odd]]$arg}` {quoted(basename(paths[[odd]]$file))} has ",
            "{count_of(rows[odd], 'row')}, and others have {usual}: the rows must be the same ",
            "stimuli. Leave the file out, or read the rows that all have by read_representation(, ",
            "rows =).")
  files <- unique(vapply(paths, function(path) path$file, ""))
  # numbers of files mostly have 4 bytes, and here 8
  bytes <- 2 * sum(file.size(files))
  if (!is.null(whole)) {
    check_memory(bytes, paste("The data of", count_of(length(files), "file")),
                 paste(whole, "need all files at once; fewer files need less."))
  }
  if (is.null(whole) && (!is.null(resume) || bytes > min(small_files, files_limit()))) {
    # the same paths on both sides are one list that is given twice
    if (identical(given$x, given$y)) filed$y <- filed$x
    return(filed)
  }
  Map(replace_paths, given, names(given), list(function(text, arg) {
    in_words_of(arg, read_representation(text))
  }))
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
  for (k in seq_along(x)) {
    if (length(x[[k]]) == 1 || is.list(x[[k]])) {
      x[[k]] <- replace_paths(x[[k]], paste0(arg, "$", names(x)[k]), f)
    }
  }
  x
}

# What is wrong with a file, in words of the argument that names it.
in_words_of <- function(arg, code) {
  tryCatch(code, repalign_error = function(error) {
    text <- gsub("`file`", paste0("`", arg, "`"), conditionMessage(error), fixed = TRUE)
    text <- sub("by `rows =`", "by read_representation(, rows =)", text, fixed = TRUE)
    text <- sub("say which in `name`", paste0("say which, ", arg, " = c(file, name)"), text,
                fixed = TRUE)
    text <- sub("`flatten` must say", "read_representation(, flatten =, channels =) must say", text,
                fixed = TRUE)
    if (grepl("is not there.$", text)) {
      text <- paste0(text, " A path counts from the working folder, ", getwd(),
                     "; list.files(folder, full.names = TRUE) gives those of a folder.")
    }
    error$message <- text
    error$arg <- sub("[$].*", "", arg)
    stop(error)
  })
}

# One path, or a named list of those of all arrays, as read_representation() names them.
paths_of_text <- function(text, arg) {
  refuse_if(anyNA(text) || !all(nzchar(text)), "value", "`{arg}` has an empty or missing path.")
  folder <- length(text) == 1 && dir.exists(path.expand(text))
  in_words_of(arg, {
    refuse_if(length(text) > 1 && any(dir.exists(path.expand(text))), "value", "`file` has ",
              "folders among its {length(text)} paths. Give one folder, or a list of folders with ",
              "names, as list(a = {quoted(text[1])}, b = {quoted(text[2])}).")
    if (folder) text <- quietly_done(files_of_folder(text)) else of_each_file(text, file_format)
    found <- lapply(stats::setNames(text, names_of_files(text)), paths_of_file, arg)
    if (length(text) == 1 && !folder) {
      found <- found[[1]]
      return(if (length(found) == 1) found[[1]] else found)
    }
    do.call(c, unname(Map(function(paths, name) {
      stats::setNames(paths, if (length(paths) == 1) name else paste0(name, "/", names(paths)))
    }, found, names(found))))
  })
}

paths_of_file <- function(file, arg) {
  format <- file_format(file)
  rows_of_array <- function(name) if (!is.null(format$rows)) format$rows(path.expand(file), name)
  names <- natural_order(format$names(path.expand(file)))
  if (length(names) < 2) return(list(new_path(file, NULL, arg, rows_of_array(NULL))))
  rows <- lapply(stats::setNames(nm = names), function(name) {
    catch_error(rows_of_array(name), failed = function(e) FALSE)
  })
  # what has no rows is no layer; of an old file of MATLAB they are not known (NULL)
  layers <- Filter(Negate(isFALSE), rows)
  Map(function(name, rows) new_path(file, name, arg, rows), names(layers), layers)
}

# ---- reading

# path: from new_path(); rows: which of them, NULL for all.
read_path <- function(path, rows = NULL) {
  in_words_of(path$arg, {
    refuse_if(!identical(file_state(path$file), path$state), "file",
              "`file` {quoted(basename(path$file))} is not the file that it was when the ",
              "call began, or is not seen by a worker: files must not change meanwhile.")
    read_one_array(path$file, path$name, rows)
  })
}
