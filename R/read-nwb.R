# read_nwb() reads what a comparison needs of a recording in the NWB format: spikes, units,
# electrodes, and the tables of trials.

#' Read spikes, units and trials from an NWB file
#'
#' Reads times of spikes, units, electrodes and tables of trials from a file of Neurodata Without
#' Borders (NWB 2), through the package \pkg{hdf5r}, for [spike_counts()].
#'
#' @param file the path of an NWB file.
#' @param ... not used.
#' @return A list of class `repalign_nwb`, of plain R objects:
#'   * `spikes`: a list with the times of the spikes of each unit, named by its id.
#'   * `units`: a data frame with a row for each unit: `id`, the columns of the file, and, if known,
#'     `location` and `group` of its electrodes.
#'   * `electrodes`: a data frame with a row for each electrode.
#'   * `tables`: a list with a data frame for each table of intervals, such as `trials`.
#'
#'   Missing tables are returned with zero rows, missing spikes as an empty list.
#' @details
#' *Columns* with several values a row are lists; columns of two axes are matrices, and those of
#' three lists of matrices. References become the name of what they refer to. Columns that name rows
#' of a table count them from 1.
#'
#' *Left out*, with a message of class `repalign_left_out`: columns that are lists of lists
#' (`waveforms`), records (`timeseries`), and whole numbers beyond 2^53. Continuous signals are not
#' read: [read_representation()] reads any array of the file by its path.
#'
#' A damaged file, or one of another format, is an error of class `repalign_error_file`. Files of
#' NWB 1 are refused. Give \pkg{hdf5r} only files that you trust.
#' @references \enc{Rübel}{Ruebel} et al. (2022), eLife 11.
#' @examplesIf requireNamespace("hdf5r", quietly = TRUE)
#' # a small file as NWB has it
#' file <- tempfile(fileext = ".nwb")
#' open <- hdf5r::H5File$new(file, "w")
#' hdf5r::h5attr(open, "nwb_version") <- "2.6.0"
#' units <- open$create_group("units")
#' units[["id"]] <- c(4, 8, 9)
#' units[["spike_times"]] <- c(0.1, 1.2, 2.3, 1.1, 1.4, 0.3)
#' units[["spike_times_index"]] <- c(3, 5, 6)
#' hdf5r::h5attr(units, "colnames") <- "spike_times"
#' open$close_all()
#'
#' recording <- read_nwb(file)
#' recording
#' spike_counts(recording$spikes, onsets = 0:2, window = c(0, 0.5))
#' @seealso [responses()]
#' @export
read_nwb <- function(file, ...) {
  need_arguments()
  need_file(file, "file")
  with_hdf5(path.expand(file), function(open) {
    refuse_file_if(!open$attr_exists("nwb_version"), file, "is no file of NWB 2: it has no ",
                   "attribute `nwb_version`. read_representation(file, names_only = TRUE) lists ",
                   "its arrays.")
    left_out <- new.env()
    read <- function(path) {
      # a table of the file as a data frame; without a row if it is not there
      group <- part_of(open, path)
      if (is.null(group)) return(data.frame(id = double()))
      ids <- part_of(group, "id")
      if (!inherits(ids, "H5D") || length(ids$dims) != 1 || !group$attr_exists("colnames")) {
        refuse_file(file, "is damaged: ", quoted(path), " is no table with `id` and `colnames`.")
      }
      id <- stored_values(ids, paste0(path, "/id"), file)
      refuse_file_if(!is.double(id), file, "is damaged: ", quoted(path), " has an `id` that is no ",
                     "number.")
      columns <- list(id = id)
      there <- names(group)
      attribute <- group$attr_open("colnames")
      # what is empty cannot be read
      some <- attribute$get_space()$get_simple_extent_npoints() > 0
      declared <- if (some) as.character(attribute$read())
      # the spikes and the electrodes of units are wanted also where a writer forgot to declare them
      wanted <- union(declared[nzchar(declared)], intersect(c("spike_times", "electrodes"), there))
      for (name in setdiff(wanted, "id")) {
        column <- nwb_column(group, name, there, length(id), path, file)
        if (is_unread(column)) left_out[[paste0(path, "/", name)]] <- column$why else
          columns[[name]] <- column
      }
      # columns may be lists and matrices, which data.frame() would take apart
      structure(columns, class = "data.frame", row.names = .set_row_names(length(id)))
    }
    electrodes <- read("general/extracellular_ephys/electrodes")
    units <- read("units")
    intervals <- part_of(open, "intervals")
    found <- names(intervals)
    kept <- found[vapply(found, function(name) inherits(intervals[[name]], "H5Group"), NA)]
    tables <- lapply(stats::setNames(kept, kept), function(name) read(paste0("intervals/", name)))
    paths <- sort(names(left_out))
    why <- vapply(paths, function(path) left_out[[path]], "")
    inform_if(length(paths), "left_out", "read_nwb(): {count_of(length(paths), 'column')} of ",
              "{quoted(basename(file))}{if (length(paths) == 1) ' is' else ' are'} left out: ",
              enumerate(paste0(quoted(paths), " (", why, ")"), 5, FALSE), ".")
    spikes <- nwb_spikes(units, file)
    units$spike_times <- NULL
    structure(list(spikes = spikes, units = with_places(units, electrodes, file),
                   electrodes = electrodes, tables = tables), class = "repalign_nwb")
  })
}

# ---- parts of the file

# A group or a dataset, or NULL if it is not there. One that is there and cannot be opened is an
# error of hdf5r.
part_of <- function(group, path) {
  for (key in strsplit(path, "/", fixed = TRUE)[[1]]) {
    if (!inherits(group, c("H5Group", "H5File")) || !key %in% names(group)) return(NULL)
    group <- group[[key]]
  }
  group
}

# ---- tables

# In the place of a column that cannot be read.
unread <- function(why) structure(list(why = why), class = "unread")

is_unread <- function(column) inherits(column, "unread")

# A column with n rows: a vector, a matrix, or a list with an element for each row.
nwb_column <- function(group, name, there, n, path, file) {
  if (!name %in% there) return(unread("not there"))
  if (paste0(name, "_index_index") %in% there) return(unread("lists of lists"))
  part <- group[[name]]
  if (!inherits(part, "H5D") || !length(part$dims)) return(unread("no column"))
  type <- part$get_type()
  kind <- as.character(type$get_class())
  if (kind == "H5T_REFERENCE" && !type$equal(hdf5r::h5types$H5T_STD_REF_OBJ)) {
    return(unread("parts of arrays"))
  }
  if (!kind %in% c("H5T_INTEGER", "H5T_FLOAT", "H5T_STRING", "H5T_ENUM", "H5T_REFERENCE")) {
    words <- c(H5T_COMPOUND = "records", H5T_VLEN = "lists of different lengths")
    return(unread(if (kind %in% names(words)) words[[kind]] else
      paste("values of the type", kind)))
  }
  at <- paste0(path, "/", name)
  values <- stored_values(part, at, file)
  if (is_unread(values)) return(values)
  # rows of other tables are counted from 0
  if (is.double(values) && (name == "electrodes" || part$attr_exists("neurodata_type") &&
      identical(as.character(part$attr_open("neurodata_type")$read()), "DynamicTableRegion"))) {
    values <- values + 1
  }
  count <- NROW(values)
  sizes <- rep(1, n)
  if (paste0(name, "_index") %in% there) {
    # how many values each row has: the index of a column holds their ends
    index <- group[[paste0(name, "_index")]]
    ends <- if (inherits(index, "H5D") && length(index$dims) == 1) {
      stored_values(index, paste0(at, "_index"), file)
    }
    usable <- is.double(ends) && length(ends) == n && !anyNA(ends)
    if (usable) sizes <- diff(c(0, ends))
    refuse_file_if(!usable || any(sizes < 0 | sizes != round(sizes)) || sum(sizes) != count, file,
                   "is damaged: ", quoted(paste0(at, "_index")), " does not cut the ",
                   count_of(count, "value"), " of ", quoted(at), " into ", count_of(n, "row"), ".")
  } else if (count != n) {
    refuse_file(file, "is damaged: ", quoted(at), " has ", count_of(count, "value"), " for ",
                count_of(n, "row"), ".")
  } else if (length(dim(values)) < 3) return(values)
  rows <- split(seq_len(count), factor(rep(seq_len(n), sizes), seq_len(n)))
  lapply(unname(rows), function(rows) entries(values, rows))
}

# Some entries of the first axis of a vector or an array; of three axes and more, what remains of a
# single entry loses this axis.
entries <- function(values, rows) {
  axes <- length(dim(values))
  if (axes < 2) return(values[rows])
  found <- do.call(`[`, c(list(values, rows), rep(list(quote(expr = )), axes - 1), drop = FALSE))
  if (axes > 2 && length(rows) == 1) array(found, dim(found)[-1]) else found
}

# ---- values

# The values of a dataset, with the axes that its writer saw, or unread().
stored_values <- function(part, at, file) {
  dims <- as.double(rev(part$dims))
  type <- part$get_type()
  kind <- as.character(type$get_class())
  check_memory((if (kind == "H5T_STRING") 64 else 24) * prod(dims),
               paste0(quoted(at), " of ", quoted(basename(file))),
               "Read parts of it by read_representation(rows =).")
  # all integers of 64 bits in the bits of doubles, so that none is rounded before it is checked
  before <- options(hdf5r.h5tor_default = hdf5r::h5const$H5TOR_CONV_NONE)
  on.exit(options(before))
  values <- if (all(dims > 0)) catch_error(part$read(drop = FALSE), failed = function(e) {
    if (!grepl("encoding mask", conditionMessage(e), fixed = TRUE)) stop(e)
    unread("texts that are not in the encoding that they declare")
  })
  if (is_unread(values)) return(values)
  values <- switch(kind, H5T_STRING = readable(as.character(values)),
                   H5T_REFERENCE = names_of_references(values),
                   H5T_ENUM = if (inherits(type, "H5T_LOGICAL")) as.logical(values) else
                     as.character(values),
                   H5T_INTEGER = , H5T_FLOAT =
                     if (inherits(values, "integer64")) integer64_values(values) else
                       as.double(values),
                   no_branch(kind))
  if (is.null(values)) return(unread("whole numbers beyond 2^53"))
  if (length(dims) < 2) return(values)
  aperm(array(values, rev(dims)), rev(seq_along(dims)))
}

# The last part of the path of what each reference leads to, NA for those that lead nowhere.
names_of_references <- function(values) {
  if (is.null(values)) return(character())
  keys <- apply(matrix(values$ref, 8), 2, paste, collapse = "")
  first <- which(!duplicated(keys))
  names <- vapply(first, function(at) {
    # `[` of hdf5r looks for `at` elsewhere
    catch_error(basename(values$subset_read(list(at))$dereference()[[1]]$get_obj_name()),
                failed = function(e) NA_character_)
  }, "")
  names[match(keys, keys[first])]
}

# ---- units

nwb_spikes <- function(units, file) {
  spikes <- units$spike_times
  if (is.null(spikes)) return(list())
  refuse_file_if(!is.list(spikes) || !all(vapply(spikes, is.double, NA)), file, "has spikes that ",
                 "are not given by unit: \"units/spike_times_index\" is missing, or the times are ",
                 "no numbers.")
  names <- label_text(units$id)
  if (anyDuplicated(names)) {
    inform("repeated_ids", "read_nwb(): ids of units come twice, first ",
           "{quoted(names[duplicated(names)][1])}: `spikes` is named by the numbers of the ",
           "rows of `units`.")
    names <- as.character(seq_along(names))
  }
  stats::setNames(spikes, names)
}

# `location` and `group` of each unit: what is known of its electrodes.
with_places <- function(units, electrodes, file) {
  rows <- units$electrodes
  if (is.null(rows) || !nrow(electrodes)) return(units)
  if (!is.list(rows)) rows <- as.list(rows)
  all <- unlist(rows)
  if (!is.null(all) && !is.double(all)) return(units)
  bad <- all[!all %in% seq_len(nrow(electrodes))]
  refuse_file_if(length(bad), file, "is damaged: \"units/electrodes\" names row ", bad[1] - 1,
                 " (from 0) of ", count_of(nrow(electrodes), "electrode"), ".")
  known <- list(location = electrodes$location,
                group = if (is.null(electrodes$group_name)) electrodes$group else
                  electrodes$group_name)
  for (name in setdiff(names(known), names(units))) {
    labels <- known[[name]]
    if (!is.character(labels) || length(labels) != nrow(electrodes)) next
    units[[name]] <- vapply(rows, function(at) {
      if (length(at)) paste(unique(labels[at]), collapse = ", ") else NA_character_
    }, "")
  }
  units
}

# ---- methods

#' @export
print.repalign_nwb <- function(x, ...) {
  no_other_arguments(...)
  x <- unclass(x)
  times <- unlist(x$spikes, use.names = FALSE)
  cat("NWB recording: ", count_of(nrow(x$units), "unit"), ", ",
      count_of(format(length(times), big.mark = ","), "spike"),
      if (length(times)) paste0(" from ", format(min(times), digits = 4), " to ",
                                format(max(times), digits = 4), " s"), "\n", sep = "")
  said <- c(location = counted_labels(x$units$location), group = counted_labels(x$units$group),
            electrodes = if (nrow(x$electrodes)) as.character(nrow(x$electrodes)))
  for (name in names(x$tables)) {
    table <- x$tables[[name]]
    said[[name]] <- paste0(count_of(nrow(table), "row"), ": ",
                           enumerate(names(table)[-1], 6, FALSE))
  }
  for (name in names(said)) {
    writeLines(strwrap(paste0(name, ": ", said[[name]]), indent = 2, exdent = 4))
  }
  invisible(x)
}

# "V4 (3), IT (1)" of texts.
counted_labels <- function(labels) {
  if (!is.character(labels) || !any(nzchar(labels), na.rm = TRUE)) return(NULL)
  counts <- table(factor(labels, unique(labels)))
  enumerate(paste0(quoted(names(counts)), " (", counts, ")"), 6, FALSE)
}
