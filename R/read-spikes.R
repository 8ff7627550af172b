# Recordings as times of spikes: read_nwb() reads what a comparison needs of the NWB format (spikes,
# units, electrodes, and the tables of trials), spike_counts() makes arrays of trials.

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

# ---- spike_counts()

# spike_counts() makes arrays of trials from times of spikes.

#' Spike counts around events
#'
#' Counts the spikes of every unit in a window around every onset of a stimulus.
#'
#' @param times times of the spikes of all units; or a list with the times of each unit.
#' @param units for every spike the label of its unit; or, as in NWB files (`spike_times_index`),
#'   the number of the last spike of each unit in `times`. For a list: a label for each element, or
#'   nothing.
#' @param onsets times of the onsets, in the same unit of time.
#' @param window two numbers: begin and end of the window, relative to the onset, in the same unit.
#'   Milliseconds where the others are seconds are an error.
#' @param stimuli for every onset the label of its stimulus (`NA`: left out); `NULL`: each onset is
#'   a stimulus of its own.
#' @param bins `NULL`: one count for the whole window. A number: the width of bins, which must
#'   divide the window.
#' @param ... not used.
#' @return An array stimuli x neurons x trials of counts, with names. Trials are in the order of
#'   `onsets`; stimuli with fewer trials have `NA` in the rest. With `bins` a list of such arrays,
#'   named by the begin and the end of each bin.
#' @details
#' A spike counts if `onset + begin <= time < onset + end`. No spike in any window is a warning:
#' times are then often in different units. [responses()] takes the array as it is.
#' @examples
#' times <- c(0.01, 0.02, 0.15, 1.03, 1.09, 2.02)
#' units <- c("a", "b", "a", "a", "a", "b")
#' spike_counts(times, units, onsets = c(0, 1, 2), window = c(0, 0.1),
#'              stimuli = c("face", "car", "face"))
#' @seealso [read_nwb()], [trial_array()]
#' @export
spike_counts <- function(times, units, onsets, window, stimuli = NULL, bins = NULL, ...) {
  listed <- !missing(times) && is.list(times) && !is.data.frame(times)
  if (listed && missing(units)) units <- NULL
  need_arguments()
  spikes <- spikes_by_unit(times, units)
  onsets <- check_times(onsets, "onsets")
  refuse_if(!length(onsets), "size", "`onsets` is empty: there is nothing to count around.")
  usable <- is.numeric(window) && length(window) == 2 && all(is.finite(window))
  refuse_if(!usable || window[1] >= window[2], "value", "`window` must be two finite numbers, ",
            "begin and end relative to the onset, the first below the second",
            if (usable) paste0("; it is ", window[1], " to ", window[2]), ".")
  # A window in milliseconds of times in seconds is far longer than the time between onsets, and is
  # longer than the recording, or a unit has more than a spike in each of its "milliseconds".
  edges <- as.double(window)
  width <- diff(edges)
  long <- width / stats::median(diff(sort(unique(onsets))))
  span <- diff(range(onsets, unlist(spikes)))
  wrong <- long > 20 && width > span || long > 100 && max(lengths(spikes)) > span
  refuse_if(isTRUE(wrong), "value", "`window` is {format(diff(window))} long, ",
            "{format(long, digits = 2)} times the time from one onset to the next: are `times` ",
            "and `onsets` in seconds, and `window` in milliseconds? Give all in one unit, such as ",
            "window / 1000.")
  # begins of all bins, and the end of the last
  if (!is.null(bins)) {
    bins <- check_number(bins, "bins", above = 0)
    count <- width / bins
    refuse_if(count > 1e6, "value", "`bins` of {bins} cut the window into more than a million.")
    whole <- round(count)
    refuse_if(whole < 1 || abs(count - whole) > 1e-8 * whole, "value", "`bins` must divide the ",
              "window, whose length is {format(width)}: it is ",
              "{format(count, digits = 6)} times as long as a bin of {format(bins)}.")
    # no sums of widths, whose rounding errors add up
    edges <- c(edges[1] + width * (seq_len(whole) - 1) / whole, edges[2])
    # 0 is 0, and named so
    edges <- replace(edges, abs(edges) < 1e-10 * width, 0)
  }
  # the onsets to take, whose trials are numbered for each stimulus
  if (is.null(stimuli)) stimuli <- seq_along(onsets)
  stimuli <- check_labels_of(stimuli, "stimuli", missing = TRUE)
  refuse_if(length(stimuli) != length(onsets), "labels", "`stimuli` must have one label for each ",
            "of the {count_of(length(onsets), 'onset')}, and has {length(stimuli)}.")
  onsets <- onsets[!is.na(stimuli)]
  refuse_if(!length(onsets), "labels", "`stimuli` has no label: all are NA.")
  stimulus <- ordered_labels(stimuli[!is.na(stimuli)])
  trial <- stats::ave(seq_along(stimulus), stimulus, FUN = seq_along)
  sizes <- c(nlevels(stimulus), length(spikes), max(trial))
  check_memory(8 * prod(sizes) * (length(edges) - 1), "The array of counts",
               "Fewer bins or units need less.")
  counts <- rep(list(array(NA_real_, sizes, dimnames = list(
    levels(stimulus), names(spikes), seq_len(sizes[3])
  ))), length(edges) - 1)
  for (unit in seq_along(spikes)) {
    # Counts of the sorted times, onsets x bins. Edges are compared with the times themselves: the
    # difference of a time and its onset would be rounded.
    below <- findInterval(outer(onsets, edges, `+`), spikes[[unit]], left.open = TRUE)
    below <- matrix(below, length(onsets))
    found <- below[, -1, drop = FALSE] - below[, -ncol(below), drop = FALSE]
    at <- cbind(as.integer(stimulus), unit, trial)
    for (bin in seq_along(counts)) counts[[bin]][at] <- found[, bin]
  }
  warn_if(!any(vapply(counts, function(m) any(m > 0, na.rm = TRUE), NA)), "no_spikes",
          "spike_counts(): no spike lies in any window. Are `times`, `onsets` and `window` in the ",
          "same unit of time?")
  if (is.null(bins)) return(counts[[1]])
  text <- vapply(edges, function(edge) format(signif(edge, 10)), "")
  stats::setNames(counts, paste(text[-length(text)], "to", text[-1]))
}

# Sorted times of each unit, in a list with names.
spikes_by_unit <- function(times, units) {
  if (is.list(times) && !is.data.frame(times)) {
    refuse_if(!length(times), "size", "`times` is an empty list: it needs the times of one unit ",
              "at least.")
    labels <- if (is.null(units)) names(times) else
      label_text(as_text(check_labels_of(units, "units")))
    if (is.null(labels)) labels <- as.character(seq_along(times))
    refuse_if(length(labels) != length(times) || anyDuplicated(labels) ||
                !all(nzchar(labels)), "labels", "`units` must have a different label for each ",
              "element of `times` ({length(times)}).")
    args <- paste0("times[[", seq_along(times), "]]")
    return(stats::setNames(lapply(Map(check_times, unname(times), args), sort), labels))
  }
  times <- check_times(times, "times")
  units <- check_labels_of(units, "units")
  # ends of the units in `times`: fewer than spikes (or else they are labels), in order, and the
  # last one is that of the last spike
  spikes <- length(times)
  if (is.numeric(units) && !is.object(units) && length(units) > 0 && length(units) != spikes &&
        all(units == round(units)) && units[1] >= 0 && !is.unsorted(units) &&
        units[length(units)] == spikes) {
    units <- factor(rep(seq_along(units), diff(c(0, units))), seq_along(units))
  }
  refuse_if(length(units) != length(times), "labels", "`units` must have one label for each of ",
            "the {count_of(length(times), 'spike')} in `times`, and has {length(units)}.")
  if (!is.factor(units)) units <- ordered_labels(units)
  refuse_if(!nlevels(units), "size", "`times` and `units` have no spikes: without any unit there ",
            "is nothing to count.")
  lapply(split(times, units), sort)
}

as_text <- function(labels) if (is.factor(labels)) as.character(labels) else labels

check_times <- function(times, arg) {
  refuse_if(!is.numeric(times) || is.factor(times) || sum(dim(times) > 1) > 1, "type",
            "`{arg}` must be a vector of times, not {describe(times)}.")
  if (is_integer64(times)) times <- integer64_values(times)
  refuse_if(is.null(times), "value", "`{arg}` has whole numbers beyond 2^53, which R's doubles do ",
            "not hold: give times in seconds.")
  refuse_if(!all(is.finite(times)), "nonfinite", "`{arg}` has missing or non-finite values, first ",
            "at {which(!is.finite(times))[1]}: leave them out",
            if (arg == "times") ", with their `units`", ".")
  as.double(times)
}

# missing: may labels be NA?
check_labels_of <- function(labels, arg, missing = FALSE) {
  refuse_if(!is.atomic(labels) || is.null(labels) || sum(dim(labels) > 1) > 1, "type",
            "`{arg}` must be a vector of labels, not {describe(labels)}.")
  refuse_if(!missing && anyNA(labels), "nonfinite", "`{arg}` has no label (NA) at ",
            "{which(is.na(labels))[1]}.")
  if (is.factor(labels)) labels else as.vector(labels)
}
