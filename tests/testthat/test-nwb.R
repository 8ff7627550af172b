# Files of the format NWB.

# hdf5r collects all garbage whenever a file is closed, which would take most of the time of these
# tests: here it is what is new.
local_hdf5r <- function(frame = parent.frame()) {
  skip_if_not_installed("hdf5r")
  collect <- gc
  local_internal("gc", function(...) collect(full = FALSE), baseenv(), frame)
}

read_shared <- function(...) read.csv(shared_file("reference", "places", ...), check.names = FALSE)

test_that("spikes, units, electrodes and tables are read", {
  local_hdf5r()
  found <- read_nwb(nwb_file(small_nwb()))
  expect_s3_class(found, "repalign_nwb")
  expect_identical(found$spikes, list("4" = c(0.1, 1.2, 2.3), "8" = double(), "9" = 0.3))
  expect_identical(names(found$units), c("id", "electrodes", "quality", "location", "group"))
  expect_identical(found$units$id, c(4, 8, 9))
  expect_identical(found$units$electrodes, list(1, c(2, 2), 1))
  expect_identical(found$units$quality, c("good", "", "mua"))
  expect_identical(found$units$location, c("V4", "IT", "V4"))
  expect_identical(found$units$group, c("left", "right", "left"))
  expect_identical(found$electrodes, data.frame(id = c(0, 1), location = c("V4", "IT"),
                                                group_name = c("left", "right")))
  trials <- found$tables$trials
  expect_identical(trials$correct, c(TRUE, FALSE, TRUE, TRUE))
  expect_identical(trials$image, c("cat", "dog", "cat", ""))
  expect_identical(trials$tags, list("a", character(), c("b", "c"), character()))
  expect_output(print(found), paste0("3 units, 4 spikes from 0.1 to 2.3 s.*\"V4\" \\(2\\).*",
                                     "trials: 4 rows: start_time, correct, image and tags"))
  # plain objects, which go to workers and into files
  expect_identical(unserialize(serialize(found, NULL)), found)
  counts <- spike_counts(found$spikes, onsets = trials$start_time, window = c(0, 0.5),
                         stimuli = trials$image)
  expect_identical(counts["cat", , 1], c("4" = 1, "8" = 0, "9" = 1))
})

test_that("the location of a unit on several electrodes names each area once, in their order", {
  local_hdf5r()
  tables <- small_nwb()
  tables$units$electrodes <- c(1, 0, 1, 0)
  tables$units$electrodes_index <- c(3, 3, 4)
  found <- read_nwb(nwb_file(tables))$units
  expect_identical(found$location, c("IT, V4", NA, "V4"))
  # what the units themselves say is left as it is
  tables$units$location <- c("x", "", "z")
  found <- read_nwb(nwb_file(tables))$units
  expect_identical(found$location, c("x", "", "z"))
  expect_identical(found$group, c("right, left", NA, "left"))
  # one electrode a unit
  tables$units[c("electrodes_index", "location")] <- NULL
  tables$units$electrodes <- c(1, 0, 0)
  found <- read_nwb(nwb_file(tables))$units
  expect_identical(found$electrodes, c(2, 1, 1))
  expect_identical(found$location, c("IT", "V4", "V4"))
})

test_that("columns have the axes that h5py shows", {
  local_hdf5r()
  tables <- small_nwb()
  # hdf5r writes axes in reverse, too
  wave <- matrix(1:6 + 0, 3)
  cube <- array(1:24 + 0, c(3, 4, 2))
  pairs <- matrix(1:8 + 0, 4)
  tables$units <- c(tables$units, list(wave = t(wave), cube = aperm(cube),
                                       pairs = t(pairs), pairs_index = c(1, 1, 4)))
  found <- read_nwb(nwb_file(tables))$units
  expect_identical(found$wave, wave)
  expect_identical(found$cube, lapply(1:3, function(k) cube[k, , ]))
  expect_identical(found$pairs, list(pairs[1, , drop = FALSE], pairs[0, ], pairs[2:4, ]))
  expect_identical(dim(found[2, ]$wave), c(1L, 2L))
})

test_that("references become names, and rows of other tables count from 1", {
  local_hdf5r()
  tables <- small_nwb()
  tables[[electrodes_path]]$group_name <- NULL
  tables$units$at <- c(0, 2, 1)
  file <- edited_nwb(nwb_file(tables), function(open) {
    parts <- open[["general/extracellular_ephys"]]
    for (name in c("shank a", "shank b")) parts$create_group(name)
    at <- parts[["electrodes"]]
    at[["group"]] <- parts$create_reference("shank b")
    at$link_delete("group")
    both <- parts$create_reference("shank b")
    both$ref <- c(both$ref, raw(8))
    at$create_dataset("group", dtype = hdf5r::h5types$H5T_STD_REF_OBJ, space = hdf5r::H5S$new(
      dims = 2, maxdims = 2
    ))
    at[["group"]]$write(list(1:2), both)
    at$attr_delete("colnames")
    hdf5r::h5attr(at, "colnames") <- c("location", "group")
    hdf5r::h5attr(open[["units/at"]], "neurodata_type") <- "DynamicTableRegion"
  })
  found <- read_nwb(file)
  expect_identical(found$electrodes$group, c("shank b", NA))
  expect_identical(found$units$at, c(1, 3, 2))
})

test_that("what cannot be read is left out, and named", {
  local_hdf5r()
  tables <- small_nwb()
  tables$units <- c(tables$units, list(
    waves = 1:6, waves_index = c(1, 2, 6), waves_index_index = c(1, 1, 3), large = 1:3, note = 1:3
  ))
  records <- data.frame(start = 1:4, count = 1:4)
  tables[["intervals/trials"]]$timeseries <- records
  file <- edited_nwb(nwb_file(tables), function(open) {
    units <- open[["units"]]
    units$link_delete("large")
    units$create_dataset("large", dtype = hdf5r::h5types$H5T_STD_I64LE, space = hdf5r::H5S$new(
      dims = 3, maxdims = 3
    ))
    # 1, 2^53 + 1 and 2 as whole numbers of 64 bits in the bits of doubles
    bytes <- c(1, rep(0, 7), 1, rep(0, 5), 0x20, 0, 2, rep(0, 7))
    units[["large"]][] <- structure(readBin(as.raw(bytes), "double", 3, endian = "little"),
                                    class = "integer64")
    units$link_delete("note")
    units$create_dataset("note", rep("\u00fc", 3), dtype = hdf5r::H5T_STRING$new(size = Inf))
    hdf5r::h5attr(units, "colnames") <- c(hdf5r::h5attr(units, "colnames"), "gone")
  })
  expect_message(found <- read_nwb(file), class = "repalign_left_out", paste0(
    "5 columns .*trials/timeseries\" \\(records\\), \"units/gone\" \\(not there\\), ",
    "\"units/large\" \\(whole numbers beyond 2\\^53\\), \"units/note\" \\(texts .*\\) and ",
    "\"units/waves\" \\(lists of lists\\)"
  ))
  expect_identical(names(found$units), c("id", "electrodes", "quality", "location", "group"))
  expect_length(found$spikes, 3)
})

test_that("texts beyond ASCII are marked, and enumerations are texts or truth values", {
  local_hdf5r()
  utf8 <- function(open) {
    type <- hdf5r::H5T_STRING$new(size = Inf)$set_cset(hdf5r::h5const$H5T_CSET_UTF8)
    open[["units"]]$create_dataset("area", c("Gr\u00fcn", "", "b"), dtype = type)
    colours <- hdf5r::factor_ext(c(1L, 0L, 1L), values = 0:1, levels = c("red", "green"))
    open[["units"]][["colour"]] <- colours
    hdf5r::h5attr(open[["units"]], "colnames") <- c("spike_times", "area", "colour")
  }
  found <- read_nwb(edited_nwb(nwb_file(small_nwb()), utf8))$units
  expect_identical(found$area, c("Gr\u00fcn", "", "b"))
  expect_identical(found$colour, c("green", "red", "green"))
})

test_that("what the file lacks is empty", {
  local_hdf5r()
  found <- read_nwb(nwb_file(list()))
  expect_identical(found$spikes, list())
  expect_identical(found$tables, list())
  expect_identical(nrow(found$units), 0L)
  expect_identical(nrow(found$electrodes), 0L)
  expect_output(print(found), "0 units, 0 spikes$")
  # units without spikes of their own, and without electrodes
  found <- read_nwb(nwb_file(list(units = list(id = 1:2, quality = c("a", "b")))))
  expect_identical(found$spikes, list())
  expect_identical(names(found$units), c("id", "quality"))
  # spikes and electrodes that were not declared, tables without rows or columns
  forget <- function(open) {
    for (at in c("units", "intervals/trials")) open[[at]]$attr_delete("colnames")
    hdf5r::h5attr(open[["units"]], "colnames") <- "quality"
    empty <- function() hdf5r::H5S$new(dims = 0, maxdims = Inf)
    open[["intervals/trials"]]$create_attr("colnames", dtype = hdf5r::H5T_STRING$new(size = Inf),
                                           space = empty())
    open[["intervals"]]$create_group("none")$create_dataset(
      "id", dtype = hdf5r::h5types$H5T_NATIVE_INT, space = empty()
    )
    hdf5r::h5attr(open[["intervals/none"]], "colnames") <- "note"
    open[["intervals/none"]]$create_dataset("note", dtype = hdf5r::H5T_STRING$new(size = Inf),
                                            space = empty())
  }
  found <- read_nwb(edited_nwb(nwb_file(small_nwb()), forget))
  expect_length(found$spikes, 3)
  expect_identical(found$units$location, c("V4", "IT", "V4"))
  expect_identical(found$tables$trials, data.frame(id = 0:3 + 0))
  expect_identical(found$tables$none, data.frame(id = double(), note = character()))
})

test_that("ids that come twice give the numbers of the rows", {
  local_hdf5r()
  tables <- small_nwb()
  tables$units$id <- c(4, 8, 4)
  expect_message(found <- read_nwb(nwb_file(tables)), "first \"4\"",
                 class = "repalign_repeated_ids")
  expect_named(found$spikes, c("1", "2", "3"))
  expect_identical(found$units$id, c(4, 8, 4))
  tables$units$id <- c(1e5, 2e5, 3e5)
  expect_named(read_nwb(nwb_file(tables))$spikes, c("100000", "200000", "300000"))
})

test_that("files that are damaged, or of another format, are errors", {
  local_hdf5r()
  refused <- function(file, pattern, class = "repalign_error_file") {
    expect_s3_class(expect_refused(read_nwb(file), pattern), class)
  }
  good <- nwb_file(small_nwb())
  changed <- function(part, ..., frame = parent.frame()) {
    edited_nwb(good, function(open) {
      open$link_delete(part)
      if (...length()) open[[part]] <- c(...)
    }, frame)
  }
  refused(file_of(charToRaw("no HDF5"), ".nwb"), "cannot be opened as an HDF5 file")
  refused(file_of(raw(), ".nwb"), "is empty")
  bytes <- small_nwb_bytes()
  refused(file_of(utils::head(bytes, length(bytes) / 2), ".nwb"), "cannot be opened")
  refused(nwb_file(list(), NULL), "no attribute `nwb_version`.*names_only")
  for (ends in list(c(3, 2, 4), c(1, 2, 3), c(3, 3, 5), c(3, 4), c(3, 3.5, 4), c(3, NaN, 4),
                    c("3", "3", "4"))) {
    refused(changed("units/spike_times_index", ends),
            "\"units/spike_times_index\" does not cut the 4 values of .* into 3 rows")
  }
  refused(changed("units/quality", "a", "b"), "\"units/quality\" has 2 values for 3 rows")
  refused(changed("units/electrodes", 0, 1, 7, 0), "names row 7 \\(from 0\\) of 2 electrodes")
  refused(changed("units/electrodes", 0, 1, -1, 0), "names row -1")
  refused(changed("units/id", "a", "b", "c"), "an `id` that is no number")
  refused(changed("units/id"), "no table with `id` and `colnames`")
  refused(changed("units/spike_times_index"), "\"units/spike_times\" has 4 values for 3 rows")
  refused(edited_nwb(good, function(open) {
    for (name in c("spike_times", "spike_times_index")) open[["units"]]$link_delete(name)
    open[["units/spike_times"]] <- 1:3
  }), "spikes that are not given by unit")
  refused(edited_nwb(good, function(open) open[["units"]]$attr_delete("colnames")),
          "no table with `id` and `colnames`")
  refused("not-there.nwb", "is not there", "repalign_error_value")
  refused(tempdir(), "is a folder", "repalign_error_value")
  refused(c("a.nwb", "b.nwb"), "path of one file", "repalign_error_value")
})

test_that("a file that speaks of more than the memory is refused before anything is read", {
  local_hdf5r()
  huge <- function(open) {
    open[["units"]]$link_delete("spike_times")
    open[["units"]]$create_dataset("spike_times", dtype = hdf5r::h5types$H5T_NATIVE_DOUBLE,
                                   space = hdf5r::H5S$new(dims = 1e12, maxdims = Inf),
                                   chunk_dims = 1000)
  }
  error <- expect_refused(read_nwb(edited_nwb(nwb_file(small_nwb()), huge)),
                          "\"units/spike_times\" of .* would take about")
  expect_s3_class(error, "repalign_error_memory")
})

test_that("without hdf5r there is a clear error", {
  local_internal("requireNamespace", function(...) FALSE, baseenv())
  expect_refused(read_nwb(file_of(as.raw(1:9), ".nwb")), "needs the package \"hdf5r\"")
})

# ---- recordings

test_that("recordings are read as h5py reads them", {
  local_hdf5r()
  # "first" and "last" of a table are those of Python
  value <- function(text, like) {
    if (is.logical(like)) return(text == "True")
    if (is.character(like)) text else as.double(text)
  }
  check_tables <- function(found, expected) {
    expect_setequal(names(found), expected$table)
    for (k in seq_len(nrow(expected))) {
      at <- expected[k, ]
      column <- found[[at$table]][[at$column]]
      what <- paste(at$table, at$column)
      expect_identical(NROW(column), at$rows, info = what)
      if (at$kind == "ragged") {
        expect_identical(column, list("wake"), info = what)
        next
      }
      expect_equal(column[1], value(at$first, column), tolerance = 1e-15, info = what)
      expect_equal(column[at$rows], value(at$last, column), tolerance = 1e-15, info = what)
      expect_identical(length(unique(column)), at$distinct, info = what)
      if (at$kind == "number") expect_equal(sum(column), at$sum, tolerance = 1e-12, info = what)
    }
  }
  check_units <- function(found, expected) {
    expect_identical(names(found$spikes), as.character(expected$unit))
    expect_identical(found$units$id, as.double(expected$unit))
    expect_identical(unname(lengths(found$spikes)), expected$spikes)
    pick <- function(f) unname(vapply(found$spikes, f, 0))
    expect_equal(pick(min), expected$first, tolerance = 1e-15)
    expect_equal(pick(max), expected$last, tolerance = 1e-15)
    expect_equal(pick(sum), expected$sum, tolerance = 1e-13)
    expect_identical(unname(!vapply(found$spikes, is.unsorted, NA)), expected$sorted == "True")
  }
  human <- read_nwb(shared_file("data", "nwb", "sub-4_ses-4.nwb"))
  expected <- read_shared("nwb_sub-4_units.csv")
  check_units(human, expected)
  expect_identical(human$units$electrodes, as.double(expected$electrode_row))
  expect_identical(human$electrodes$id[human$units$electrodes], as.double(expected$electrode_id))
  expect_identical(human$units$location, expected$location)
  expect_identical(human$units$group, expected$group_name)
  check_tables(human$tables, read_shared("nwb_sub-4_tables.csv"))
  clips <- human$tables$encoding_table
  counts <- spike_counts(human$spikes, onsets = clips$start_time, window = c(0, 1),
                         stimuli = clips$Clip_name)
  expect_identical(dim(counts), c(90L, 35L, 1L))
  expect_identical(rownames(counts), clips$Clip_name)
  expected <- as.matrix(read_shared("nwb_sub-4_encoding_counts_0_1s.csv")) + 0
  expect_identical(unname(counts[, , 1]), unname(expected))
  expect_identical(sum(counts), 6898)

  mouse <- read_nwb(shared_file("data", "nwb", "A8604-211122.nwb"))
  expected <- read_shared("nwb_phy_units.csv")
  check_units(mouse, expected)
  expect_identical(mouse$units$group, as.double(expected$group))
  expect_identical(mouse$units$electrode_group, expected$electrode_group)
  expect_identical(mouse$units$location, rep("", 3))
  check_tables(mouse$tables, read_shared("nwb_phy_tables.csv"))
})

test_that("a small file of pynwb's kind gives the units and counts of h5py", {
  local_hdf5r()
  found <- read_nwb(shared_file("reference", "places", "small_public.nwb"))
  expect_identical(names(found$spikes), c("10", "11", "20", "7"))
  expect_identical(found$units$electrodes, list(1, c(3, 2), 3, 1))
  expect_identical(found$units$location, c("V4", "IT, V4", "IT", "V4"))
  expect_identical(found$units$group, c("shankA", "shankB, shankA", "shankB", "shankA"))
  trials <- found$tables$trials
  expect_identical(trials$tags, list("a", character(), c("b", "c"), character(), character(), "a"))
  expected <- read_shared("small_public_counts.csv")
  expect_identical(trials$image, expected$image)
  expect_identical(trials$correct, expected$correct == "True")
  counts <- spike_counts(found$spikes, onsets = trials$start_time, window = c(0, 1))
  units <- paste("unit", names(found$spikes))
  expect_identical(unname(counts[, , 1]), unname(as.matrix(expected[units])) + 0)
})
