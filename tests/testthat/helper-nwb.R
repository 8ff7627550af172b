# Small files of the format NWB, written by hdf5r.

# tables: lists of columns, named by their paths; "name_index" is the index of the column "name".
nwb_file <- function(tables, version = "2.6.0", frame = parent.frame()) {
  path <- withr::local_tempfile(fileext = ".nwb", .local_envir = frame)
  open <- hdf5r::H5File$new(path, "w")
  on.exit(open$close_all())
  if (!is.null(version)) hdf5r::h5attr(open, "nwb_version") <- version
  for (at in names(tables)) {
    parts <- strsplit(at, "/")[[1]]
    for (k in seq_along(parts)) {
      below <- paste(parts[seq_len(k)], collapse = "/")
      if (!open$exists(below)) open$create_group(below)
    }
    columns <- tables[[at]]
    for (name in names(columns)) open[[at]][[name]] <- columns[[name]]
    names <- names(columns)
    hdf5r::h5attr(open[[at]], "colnames") <- names[!grepl("_index$", names)]
  }
  path
}

# A copy of a file in which change(open) was done.
edited_nwb <- function(file, change, frame = parent.frame()) {
  path <- withr::local_tempfile(fileext = ".nwb", .local_envir = frame)
  file.copy(file, path)
  open <- hdf5r::H5File$new(path, "r+")
  on.exit(open$close_all())
  change(open)
  path
}

electrodes_path <- "general/extracellular_ephys/electrodes"

# Three units on two electrodes, one of them silent, and four trials.
small_nwb <- function() {
  tables <- list(
    list(id = 0:1, location = c("V4", "IT"), group_name = c("left", "right")),
    units = list(id = c(4, 8, 9), electrodes = c(0, 1, 1, 0), electrodes_index = c(1, 3, 4),
                 spike_times = c(0.1, 1.2, 2.3, 0.3), spike_times_index = c(3, 3, 4),
                 quality = c("good", "", "mua")),
    "intervals/trials" = list(id = 0:3, start_time = 0:3, correct = c(TRUE, FALSE, TRUE, TRUE),
                              image = c("cat", "dog", "cat", ""), tags = c("a", "b", "c"),
                              tags_index = c(1, 1, 3, 3))
  )
  names(tables)[1] <- electrodes_path
  tables
}

# The bytes of such a file, which is written once.
written_nwb <- new.env()
small_nwb_bytes <- function() {
  if (is.null(written_nwb$bytes)) {
    path <- nwb_file(small_nwb())
    written_nwb$bytes <- readBin(path, "raw", file.size(path))
  }
  written_nwb$bytes
}

# Such a file in which one to three columns are not as they should be. (The bytes of HDF5 files are
# not mutated: libhdf5 itself crashes over some of them.)
odd_nwb_bytes <- function() {
  tables <- small_nwb()
  for (change in seq_len(sample(3, 1))) {
    at <- sample(names(tables), 1)
    name <- sample(names(tables[[at]]), 1)
    column <- as.vector(tables[[at]][[name]])
    if (length(column) < 2) next
    tables[[at]][[name]] <- switch(sample(8, 1), NULL, column[-1], c(column, column[1]),
                                   as.character(column), seq_along(column) - 1, rev(column),
                                   rbind(column, column),
                                   sample(c(NaN, -1, 0.5, 2, 1e300), length(column), TRUE))
  }
  path <- nwb_file(tables)
  readBin(path, "raw", file.size(path))
}
