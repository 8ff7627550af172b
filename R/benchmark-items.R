# What a benchmark compares: representations in a list, or files that a manifest names, which are
# read when a score needs them.

# Items are a list: `names`; `data`, the representations, or NULL where they are in files or not at
# hand; `files` and `arrays` (which array of a file), or NULL; `models` and `layers` of layers of
# models, or NULL; `manifest`, the user's data frame, or NULL; and `arg`, the argument that they
# are from.
benchmark_items <- function(x, arg) {
  if (is.data.frame(x)) return(manifest_items(x, arg))
  if (is_names_only(x)) return(new_items(check_unique_names(x, arg), arg))
  refuse_results(x, arg)
  names <- check_element_names(x, arg)
  new_items(names, arg, data = x)
}

new_items <- function(names, arg, data = NULL, files = NULL, arrays = NULL, models = NULL,
                      layers = NULL, manifest = NULL) {
  list(names = names, arg = arg, data = data, files = files, arrays = arrays, models = models,
       layers = layers, manifest = manifest)
}

# With a table of scores the names of representations are enough.
is_names_only <- function(x) is.character(x) && is.null(dim(x)) && !inherits(x, "repalign_measure")

check_unique_names <- function(names, arg) {
  names <- as.character(names)
  if (anyNA(names) || any(names == "")) {
    abort("`", arg, "` has no name at position ", which(is.na(names) | names == "")[1], ".",
          class = "repalign_error_names", arg = arg)
  }
  if (anyDuplicated(names)) {
    abort("`", arg, "` names ", dQuote(names[duplicated(names)][1], FALSE), " twice: names must ",
          "differ. A manifest can give them in a column `id`.", class = "repalign_error_names",
          arg = arg)
  }
  names
}

manifest_items <- function(manifest, arg) {
  files <- as.character(manifest_column(manifest, "file", arg))
  if (!length(files)) {
    abort("`", arg, "` has no rows: there is nothing to compare.", class = "repalign_error_size",
          arg = arg)
  }
  bad <- which(is.na(files) | !nzchar(files))
  if (length(bad)) {
    abort("`", arg, "` names no file in row ", bad[1], ".", class = "repalign_error_value",
          arg = arg)
  }
  arrays <- if ("array" %in% names(manifest)) as.character(manifest$array)
  names <- if ("id" %in% names(manifest)) manifest$id else file_names(files, arrays)
  new_items(check_unique_names(names, arg), arg, files = files, arrays = arrays,
            manifest = manifest)
}

# A column of the manifest, or the error that it has none.
manifest_column <- function(manifest, column, arg) {
  if (column %in% names(manifest)) return(manifest[[column]])
  abort("`", arg, "` is a data frame without the column ", dQuote(column, FALSE),
        suggest(column, names(manifest)), " Columns: ", enumerate(names(manifest), 20),
        if (column == "file") paste0(". A manifest names in `file` a file for each ",
                                     "representation; matrices are given as a named list"),
        ".", class = "repalign_error_manifest", arg = arg)
}

# The paths without their endings and without the folders that all of them share.
file_names <- function(files, arrays) {
  names <- sub("[.][^./]*$", "", sub("[.]gz$", "", gsub("\\\\", "/", files)))
  parts <- strsplit(names, "/", fixed = TRUE)
  folders <- min(lengths(parts)) - 1
  same <- vapply(seq_len(folders), function(k) {
    length(unique(vapply(parts, `[`, "", k))) == 1
  }, NA)
  shared <- sum(cumprod(same))
  names <- vapply(parts, function(part) paste(part[(shared + 1):length(part)], collapse = "/"), "")
  if (is.null(arrays)) return(names)
  ifelse(is.na(arrays), names, paste(names, arrays, sep = ":"))
}

# All files are looked for before any is read.
check_files <- function(items, at) {
  missing <- at[!file.exists(path.expand(items$files[at]))]
  if (!length(missing)) return(invisible())
  abort("`", items$arg, "` names ", count_of(length(missing), "file"), " that ",
        if (length(missing) > 1) "are" else "is", " not there: ",
        enumerate(items$files[missing], 3), " (row ", missing[1], if (length(missing) > 1) " first",
        "). Paths are looked up from the working folder; file.path(folder, file) puts another ",
        "before them.", class = "repalign_error_manifest", arg = items$arg)
}

# The representations at some positions, read where they are in files.
read_items <- function(items, at) {
  if (!is.null(items$data)) return(items$data[at])
  if (is.null(items$files)) {
    abort("`", items$arg, "` gives only names, but not all measures are in `scores`: give the ",
          "representations, or the scores of all measures.", class = "repalign_error_type",
          arg = items$arg)
  }
  check_files(items, at)
  stats::setNames(read_files(items$files[at], items$arrays[at]), items$names[at])
}

# Each text that reading says is said once, however many files it holds for. Whether all fit into
# memory is judged by the first one.
read_files <- function(files, arrays = NULL) {
  said <- FALSE
  lapply(seq_along(files), function(k) {
    name <- if (!is.null(arrays) && !is.na(arrays[k])) arrays[k]
    read <- withCallingHandlers(
      read_representation(files[k], name),
      repalign_flattened = function(m) {
        if (said) invokeRestart("muffleMessage")
        said <<- TRUE
      }
    )
    if (k == 1) {
      check_memory(8 * length(files) * as.double(length(read)),
                   paste("The contents of", count_of(length(files), "file"), "together"),
                   "Fewer files, or files of fewer stimuli or neurons, need less.")
    }
    read
  })
}

# One label for each representation: given as a vector, whose names, if it has any, are those of
# the representations, or as the name of a column of the manifest.
item_values <- function(items, values, arg) {
  one_name <- is.character(values) && length(values) == 1 && is.null(names(values))
  if (!is.null(items$manifest) && one_name) {
    return(manifest_column(items$manifest, values, items$arg))
  }
  if (!is.atomic(values) || is.null(values) || !is.null(dim(values))) {
    abort("`", arg, "` must be a vector with a value for each representation",
          if (!is.null(items$manifest)) ", or the name of a column of the manifest", ", not ",
          describe(values), ".", class = "repalign_error_type", arg = arg)
  }
  if (length(values) != length(items$names)) {
    abort("`", arg, "` has ", count_of(length(values), "value"), ", but `", items$arg, "` has ",
          count_of(length(items$names), "element"), ": give one for each.",
          class = "repalign_error_size", arg = arg)
  }
  if (is.null(names(values))) return(values)
  at <- match(items$names, names(values))
  if (anyNA(at)) {
    abort("`", arg, "` has names, but none for ", dQuote(items$names[is.na(at)][1], FALSE),
          ": use the names of `", items$arg, "`, or leave them out where the order is the same.",
          class = "repalign_error_names", arg = arg)
  }
  unname(values[at])
}
