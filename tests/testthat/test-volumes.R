# NIfTI images: read_volumes() and write_map().

values_of <- function(...) {
  array(stats::rnorm(prod(...)), c(...))
}

written <- function(path) RNifti::readNifti(path)

test_that("volumes are rows, and voxels columns in R's order with names and positions", {
  skip_if_not_installed("RNifti")
  set.seed(1)
  one <- values_of(3, 4, 2)
  both <- values_of(3, 4, 2, 2)
  files <- c(face = nifti_file(one), car = nifti_file(both))
  found <- read_volumes(files)
  expect_identical(rownames(found), c("face", "car 1", "car 2"))
  expect_identical(unname(found[1:3, ])[, ], rbind(as.vector(one), as.vector(both[, , , 1]),
                                                   as.vector(both[, , , 2])))
  places <- attr(found, "voxels")
  expect_identical(unname(places), unname(which(one < Inf, arr.ind = TRUE)) + 0)
  expect_identical(colnames(places), c("i", "j", "k"))
  expect_identical(colnames(found), paste(places[, 1], places[, 2], places[, 3]))
  expect_identical(rownames(places), colnames(found))
  expect_equal(attr(found, "coordinates"), sweep((places - 1) * 2, 2, c(-10, 20, 5), `+`) |>
                 `colnames<-`(c("x", "y", "z")), tolerance = 1e-6)
  expect_equal(unname(attr(found, "coordinates")),
               RNifti::voxelToWorld(places, written(files[1])), tolerance = 1e-12,
               ignore_attr = TRUE)
  # without names
  expect_identical(rownames(read_volumes(unname(files))),
                   c(basename(files[1]), paste(basename(files[2]), 1:2)))
  flat <- read_volumes(nifti_file(one[, , 1]))
  expect_identical(colnames(flat), colnames(found)[1:12])
})

test_that("masks are images above a threshold, or logical arrays", {
  skip_if_not_installed("RNifti")
  set.seed(2)
  image <- values_of(3, 4, 2)
  file <- c(a = nifti_file(image))
  mask <- array(c(0, 0.5, 0.6, 1, NaN, 2), dim(image))
  inside <- mask > 0.5 & !is.nan(mask)
  found <- read_volumes(file, mask = nifti_file(mask))
  expect_identical(as.vector(found), image[inside])
  expect_identical(read_volumes(file, mask = inside), found)
  expect_identical(as.vector(read_volumes(file, nifti_file(mask), threshold = 1)),
                   image[mask > 1 & inside])
  # without a mask: what is finite everywhere and not 0 in all volumes
  holes <- array(1:48, c(3, 4, 2, 2)) + 0
  holes[1, 1, 1, ] <- 0
  holes[2, 1, 1, 1] <- 0
  holes[3, 1, 1, 2] <- NaN
  holes[1, 2, 1, 1] <- Inf
  expect_identical(colnames(read_volumes(nifti_file(holes)))[1:3], c("2 1 1", "2 2 1", "3 2 1"))
})

test_that("missing values in the mask are an error, or left out", {
  skip_if_not_installed("RNifti")
  set.seed(3)
  image <- values_of(3, 4, 2, 2)
  image[2, 1, 1, 2] <- NaN
  image[1, 1, 2, ] <- Inf
  file <- c(a = nifti_file(image))
  mask <- array(TRUE, c(3, 4, 2))
  error <- expect_refused(read_volumes(file, mask),
                          "2 voxels of the mask, first in voxel 2 1 1 of \"a 2\"; na = \"voxels\"")
  expect_s3_class(error, "repalign_error_nonfinite")
  expect_message(found <- read_volumes(file, mask, na = "voxels"), "2 voxels of the mask \\(24\\)",
                 class = "repalign_left_out")
  expect_identical(ncol(found), 22L)
  expect_identical(nrow(attr(found, "coordinates")), 22L)
  expect_false(any(c("2 1 1", "1 1 2") %in% colnames(found)))
  mask[] <- FALSE
  mask[1, 1, 2] <- TRUE
  expect_refused(read_volumes(file, mask, na = "voxels"), "no voxel that has finite values")
})

test_that("values are scaled as the file says, and may have any type of real numbers", {
  skip_if_not_installed("RNifti")
  whole <- array(c(1:23, 100L), c(3, 4, 2))
  for (type in c("int8", "uint8", "int16", "uint16", "int32", "uint32", "float", "double",
                 "int64", "uint64")) {
    found <- read_volumes(nifti_file(whole, datatype = type))
    expect_identical(as.vector(found), as.vector(whole) + 0, info = type)
  }
  scaled <- changed_nifti(whole, 112, writeBin(c(2.5, 1), raw(), size = 4, endian = "little"),
                          datatype = "int16")
  expect_identical(as.vector(read_volumes(scaled)), as.vector(whole) * 2.5 + 1)
  expect_identical(as.vector(read_volumes(nifti_file(whole, version = 2))), as.vector(whole) + 0)
  # beyond the integers of R, and beyond those of its doubles
  wide <- changed_nifti(whole, 352, as.raw(c(0, 0, 0, 0, 1)), datatype = "int64")
  expect_identical(read_volumes(wide)[[1]], 2^32)
  wide <- changed_nifti(whole, 352, as.raw(c(1, 0, 0, 255)), datatype = "uint32")
  expect_identical(read_volumes(wide)[[1]], 255 * 2^24 + 1)
  large <- c(as.raw(1), raw(5), as.raw(0x20), raw(1))
  expect_refused(read_volumes(changed_nifti(whole, 352, large, datatype = "int64")),
                 "beyond 2\\^53")
})

test_that("images in other spaces are errors, and so are those that are no real numbers", {
  skip_if_not_installed("RNifti")
  set.seed(4)
  image <- values_of(3, 4, 2)
  good <- nifti_file(image)
  refused <- function(code, pattern, class) {
    expect_s3_class(expect_refused(code, pattern), class)
  }
  size <- "repalign_error_size"
  refused(read_volumes(c(good, nifti_file(values_of(4, 3, 2)))), "4 x 3 x 2 voxels", size)
  moved <- function(by) nifti_file(image, c(-10, 20, 5 + by), frame = parent.frame())
  refused(read_volumes(c(good, moved(0.02))), "a corner that is 0.02 mm away", size)
  refused(read_volumes(c(good, nifti_file(image, size = 2.01))), "corner that is", size)
  refused(read_volumes(good, mask = moved(-3)), "`mask`: .* corner that is 3 mm", size)
  expect_identical(dim(read_volumes(c(good, moved(0.005)))), c(2L, 24L))
  refused(read_volumes(good, mask = image[, , 1] > 0), "`mask` is 3 x 4 x 1", size)
  refused(read_volumes(good, mask = array(FALSE, dim(image))), "`mask` has no voxel", size)
  refused(read_volumes(good, mask = good, threshold = 99), "no voxel above 99", size)
  refused(read_volumes(good, mask = replace(image > 0, 3, NA)), "`mask` has missing",
          "repalign_error_nonfinite")
  refused(read_volumes(good, mask = nifti_file(values_of(3, 4, 2, 2))), "2 volumes; a mask", size)
  refused(read_volumes(nifti_file(values_of(2, 2, 2, 1, 2))), "5 axes", size)
  refused(read_volumes(nifti_file(image + 1i)), "complex numbers", "repalign_error_type")
  rgb <- system.file("extdata", "example_rgb.nii.gz", package = "RNifti")
  refused(read_volumes(rgb), "colours", "repalign_error_type")
  refused(read_volumes(good, mask = image), "must be the path of an image or a logical array",
          "repalign_error_type")
  refused(read_volumes(1), "paths of one or more images", "repalign_error_type")
  refused(read_volumes("none.nii"), "is not there", "repalign_error_value")
  refused(read_volumes(c(a = good, a = good)), "", "repalign_error_names")
  # two files of one name go by their paths
  folder <- withr::local_tempdir()
  file.copy(good, file.path(folder, basename(good)))
  twice <- c(good, file.path(folder, basename(good)))
  expect_identical(rownames(read_volumes(twice)), twice)
  expect_warned(read_volumes(nifti_file(image, corner = NULL)), "repalign_no_space")
})

test_that("damaged and truncated images are errors without words of other libraries", {
  skip_if_not_installed("RNifti")
  set.seed(5)
  image <- values_of(6, 7, 5)
  refused <- function(bytes, pattern, ending = ".nii") {
    file <- file_of(bytes, ending)
    said <- utils::capture.output(error <- expect_refused(read_volumes(file), pattern),
                                  type = "message")
    expect_s3_class(error, "repalign_error_file")
    expect_identical(said, character())
  }
  bytes_of <- function(path) readBin(path, "raw", file.size(path))
  plain <- bytes_of(nifti_file(image, ending = ".nii"))
  refused(raw(), "is empty")
  refused(charToRaw("no image"), "is no NIfTI image")
  refused(replace(plain, 345:348, as.raw(0)), "is no NIfTI image")
  refused(utils::head(plain, 300), "is no NIfTI image")
  refused(utils::head(plain, 1000), "is cut off or damaged: .* 6 x 7 x 5 x 1")
  refused(utils::head(plain, -1), "is cut off or damaged")
  refused(replace(plain, 41:42, as.raw(c(9, 0))), "damaged header")
  refused(replace(plain, 43:44, as.raw(c(255, 255))), "damaged header")
  refused(replace(plain, 43:48, as.raw(c(255, 127))), "is cut off or damaged")
  refused(replace(plain, 71:72, as.raw(c(77, 0))), "values of type 77")
  nan <- writeBin(rep(NaN, 12), raw(), size = 4)
  refused(replace(plain, 280 + 1:48, nan), "have no positions|damaged header")
  packed <- bytes_of(nifti_file(image))
  for (bytes in list(utils::head(packed, length(packed) / 2), replace(packed, 700:703, as.raw(0)),
                     utils::head(packed, 20), replace(packed, length(packed) - 6, as.raw(0)))) {
    refused(bytes, "damaged", ".nii.gz")
  }
  # a header that speaks of more than the memory
  old <- options(repalign.max_memory = 1000)
  on.exit(options(old))
  error <- expect_refused(read_volumes(file_of(plain, ".nii")), "would take")
  expect_s3_class(error, "repalign_error_memory")
})

test_that("without RNifti there is a clear error", {
  local_internal("requireNamespace", function(...) FALSE, baseenv())
  expect_refused(read_volumes("a.nii"), "needs the package \"RNifti\"")
  expect_refused(write_map(1, "a.nii", "b.nii"), "needs the package \"RNifti\"")
})

# ---- maps

test_that("a map has its values at their voxels, in the space of the mask", {
  skip_if_not_installed("RNifti")
  set.seed(6)
  image <- values_of(3, 4, 2)
  mask <- nifti_file((image > 0) + 0, datatype = "uint8")
  inside <- which(image > 0)
  volumes <- read_volumes(c(a = nifti_file(image)), mask)
  out <- withr::local_tempfile(fileext = ".nii.gz")
  expect_identical(write_map(volumes[1, ], mask, out), out)
  map <- written(out)
  expect_identical(as.vector(map), ifelse(image > 0, image, NaN) |> as.vector())
  expect_identical(RNifti::niftiHeader(out)$datatype, 64L)
  expect_identical(RNifti::xform(map), RNifti::xform(written(mask)))
  at <- function(values, ...) {
    write_map(values, ..., file = out)
    as.vector(written(out))
  }
  expected <- as.vector(map)
  # a matrix of one row, and plain numbers for all voxels of the mask, or of a logical one
  expect_identical(at(volumes, mask), expected)
  expect_identical(at(unname(volumes[1, ]), mask), expected)
  expect_warned(logical <- at(volumes[1, ], image > 0), "repalign_no_space")
  expect_identical(logical, expected)
  # names say where, in any order, and numbers count the voxels of the mask
  some <- volumes[1, c(5, 2)]
  expect_identical(which(!is.nan(at(some, mask))), sort(inside[c(5, 2)]))
  expect_identical(at(c("2" = 7), mask)[inside[2]], 7)
  expect_identical(at(some, nifti_file(values_of(3, 4, 2, 2)))[inside[5]], unname(some[1]))
  # missing values are NaN
  expect_identical(sum(is.finite(at(replace(volumes[1, ], 3, NA), mask))), length(inside) - 1L)
})

test_that("results are written by column and model", {
  skip_if_not_installed("RNifti")
  set.seed(7)
  image <- values_of(3, 4, 2, 8)
  volumes <- read_volumes(nifti_file(image))
  rownames(volumes) <- letters[1:8]
  file <- nifti_file(image[, , , 1])
  near <- stats::setNames(lapply(1:23, function(k) (k + 0:4) %% 24 + 1), colnames(volumes)[1:23])
  models <- list(one = volumes[, 3:5], two = volumes[, 20:24])
  found <- searchlight(volumes, near, models, permutations = 19)
  out <- withr::local_tempfile(fileext = ".nii")
  at <- function(...) {
    write_map(..., mask = file, file = out)
    as.vector(written(out))
  }
  expect_identical(at(found, model = "two"), c(found$score[found$model == "two"], NaN))
  expect_identical(at(found, column = "p_value", model = "one"),
                   c(found$p_value[found$model == "one"], NaN))
  expect_refused(at(found), c("has 2 models", "\"one\" and \"two\""))
  expect_refused(at(found, model = "three"), "`model` cannot be \"three\"")
  expect_refused(at(found, column = "z", model = "one"), "`column` cannot be \"z\"")
  one <- found[found$model == "one", ]
  expect_identical(at(one), c(one$score, NaN))
  expect_identical(at(one[5:1, ])[1:6], c(one$score[1:5], NaN))
  subjects <- lapply(1:5, function(k) one)
  for (k in 1:5) subjects[[k]]$score <- one$score + k / 10
  names(subjects) <- paste0("s", 1:5)
  tested <- suppressWarnings(test_maps(subjects))
  for (column in c("score", "statistic", "p_familywise")) {
    expect_identical(at(tested, column = column), c(tested[[column]], NaN), info = column)
  }
  # any data frame with a row for each centre
  expect_identical(at(data.frame(center = "2 1 1", tfce = 3L), column = "tfce")[2], 3)
  # centres without names are all voxels of the mask, in their order
  ones <- nifti_file(array(1, dim(image)[1:3]))
  unnamed <- searchlight(volumes, c(unname(near), list(20:24)), models["one"])
  write_map(unnamed, ones, out)
  expect_identical(as.vector(written(out)), unnamed$score)
  expect_refused(write_map(unnamed[1:5, ], ones, out), "5 values without names of voxels")
  numbered <- searchlight(volumes, stats::setNames(near[c(4, 9)], c(4, 9)), models["one"])
  write_map(numbered, ones, out)
  expect_identical(which(!is.nan(as.vector(written(out)))), c(4L, 9L))
})

test_that("bad input of write_map() is refused", {
  skip_if_not_installed("RNifti")
  mask <- nifti_file(array(c(1, 1, 0, 1), c(2, 2, 2)))
  out <- withr::local_tempfile(fileext = ".nii.gz")
  refused <- function(pattern, values = 1:6, file = out, ...) {
    expect_refused(write_map(values, mask, file, ...), pattern)
    expect_false(file.exists(out))
  }
  refused("5 values without names of voxels, and the mask 6 voxels", 1:5)
  refused("names that are no voxels, first \"a\"", c(a = 1))
  refused("names that are no voxels, first \"a\"", c("1 1 1" = 1, a = 1))
  refused("voxel \"3 1 1\", but the mask has 2 x 2 x 2", c("3 1 1" = 1))
  refused("voxel \"0 1 1\"", c("0 1 1" = 1))
  refused("has \"1 1 1\" twice", c("1 1 1" = 1, "1 1 1" = 2))
  refused("centre 7, but the mask has 6 voxels", c("7" = 1))
  refused("must be numbers at voxels", "a")
  refused("must be numbers at voxels", list(1))
  refused("an empty vector", double())
  refused("`column` is for results", column = "score")
  refused("`model` is for results", model = "a")
  refused("without the column \"center\"", data.frame(a = 1))
  refused("has no centre", data.frame(center = character(), score = double()))
  refused("must end with .nii or .nii.gz", file = "map.img")
  refused("there is no folder", file = file.path(tempfile(), "map.nii"))
  refused("`file` is the mask", file = mask)
  expect_refused(write_map(1:6, "none.nii", out), "`mask` .*is not there")
  expect_refused(write_map(1:6, array(1, c(2, 2, 2)), out), "path of an image or a logical array")
  expect_refused(write_map(1:8, TRUE, out), "path of an image or a logical array")
})

# ---- RNifti's images

test_that("RNifti's images are read as they are elsewhere", {
  skip_if_not_installed("RNifti")
  image <- function(name) system.file("extdata", name, package = "RNifti")
  expected <- read.csv(shared_file("reference", "places", "nifti_example_voxels.csv"))
  found <- read_volumes(image("example.nii.gz"), mask = image("example.nii.gz"), threshold = 500)
  expect_identical(dim(found), c(1L, 27022L))
  expect_identical(rownames(found), "example.nii.gz")
  expect_identical(sum(found), 17648882)
  at <- expected$row
  expect_identical(unname(found[1, at]), as.double(expected$value))
  expect_identical(unname(attr(found, "voxels")[at, ]), unname(as.matrix(expected[3:5])) + 0)
  expect_identical(colnames(found)[at], paste(expected$i, expected$j, expected$k))
  expect_equal(unname(attr(found, "coordinates")[at, ]), unname(as.matrix(expected[6:8])),
               tolerance = 1e-12)
  mask <- array(FALSE, c(96, 96, 60))
  mask[expected$index] <- TRUE
  expect_identical(colnames(read_volumes(image("example.nii.gz"), mask)), colnames(found)[at])

  several <- read.csv(shared_file("reference", "places", "nifti_example_4d.csv"))
  found <- read_volumes(image("example_4d.nii.gz"))
  expect_identical(rownames(found), paste("example_4d.nii.gz", 1:3))
  expect_identical(unname(rowSums(found)), as.double(several$sum))
  expect_identical(unname(rowSums(found != 0)), as.double(several$nonzero))
})
