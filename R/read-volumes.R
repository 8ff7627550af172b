# read_volumes() makes a matrix of NIfTI images, and write_map() an image of what was found at their
# voxels. Both read and write through RNifti.

#' Read voxels from NIfTI images, write maps
#'
#' `read_volumes()` reads three- and four-dimensional NIfTI images as a matrix of volumes x voxels;
#' `write_map()` writes values at voxels as an image in the same space. Both use the package
#' \pkg{RNifti}.
#'
#' @param files paths of images (`.nii`, `.nii.gz`) in one space. Their names, if any, become row
#'   names.
#' @param mask which voxels to read: an image in the same space, whose values above `threshold` are
#'   inside; or a logical array. `NULL`: voxels with finite values that are not 0 in all volumes.
#'   For `write_map()` the image whose space the map gets.
#' @param threshold see `mask`.
#' @param na voxels with missing or infinite values: an error, or left out (`"voxels"`), with a
#'   message.
#' @param values numbers at voxels, named as the columns of `read_volumes()`, or one for each voxel
#'   of the mask; or what [searchlight()] or [test_maps()] returned.
#' @param file the path of the image to write; a file of that name is replaced.
#' @param column,model of a result: which column (`NULL`: `"score"`), of which model (`NULL`: the
#'   only one).
#' @param ... not used.
#' @return `read_volumes()`: a matrix with a row for each volume, named by the files (`"name 1"`,
#'   `"name 2"` of several volumes), and a column for each voxel, named `"i j k"` by its indices,
#'   from 1 on, the first axis fastest. Attributes: `"voxels"`, these indices as a matrix;
#'   `"coordinates"`, the positions in mm. `write_map()`: the path, invisibly.
#' @details
#' Nothing is resampled: images in different spaces are errors, as are images in colour, complex
#' ones, pairs of files (`.hdr`, `.img`), and damaged files. A warning of class `repalign_no_space`
#' says where an image (or a logical mask) does not tell its space: its coordinates are only sizes
#' of voxels.
#'
#' Names say where a value belongs: `"i j k"` is a voxel, and numbers count the voxels of the mask
#' (its values above 0.5). All other voxels are `NaN` in the image.
#' @references Cox et al. (2004), the NIfTI-1 data format, <https://nifti.nimh.nih.gov>.
#' @examplesIf requireNamespace("RNifti", quietly = TRUE)
#' # an image of 4 volumes with 6 x 5 x 4 voxels of 3 mm
#' set.seed(1)
#' image <- RNifti::asNifti(array(rnorm(480), c(6, 5, 4, 4)))
#' RNifti::sform(image) <- structure(diag(c(3, 3, 3, 1)), code = 2L)
#' file <- tempfile(fileext = ".nii.gz")
#' RNifti::writeNifti(image, file)
#' volumes <- read_volumes(file)
#' # the voxels within 4 mm of each voxel, compared with a model
#' near <- neighbourhoods(attr(volumes, "coordinates"), radius = 4)
#' found <- searchlight(volumes, near, list(faces = dist(c(0, 1, 1, 1))))
#' write_map(found, file, tempfile(fileext = ".nii.gz"))
#' @seealso [neighbourhoods()]
#' @export
read_volumes <- function(files, mask = NULL, threshold = 0.5, na = c("error", "voxels"), ...) {
  need_arguments()
  require_package("RNifti", "Reading NIfTI images")
  names <- check_volume_files(files)
  threshold <- check_number(threshold, "threshold")
  na <- check_choice(na, c("error", "voxels"), "na")
  images <- lapply(unname(files), volume_header, arg = "files")
  space <- images[[1]]
  for (image in images[-1]) need_same_space(image, space)
  inside <- voxels_of_mask(mask, threshold, space)
  warn_of_no_space(images)
  labels <- unlist(Map(function(name, image) {
    if (image$volumes == 1) name else paste(name, seq_len(image$volumes))
  }, names, images), use.names = FALSE)
  # the values, whether they are finite, and those that are kept
  check_memory(20 * length(labels) * length(inside), "The matrix of volumes x voxels",
               paste("Read fewer files, or give a", if (!is.null(mask)) "smaller", "`mask`."))
  values <- volume_values(images, inside, length(labels))
  kept <- usable_voxels(values, inside, space$sizes, labels, is.null(mask), na)
  voxels <- voxel_places(inside[kept], space$sizes)
  if (!all(kept)) values <- values[, kept, drop = FALSE]
  dimnames(values) <- list(labels, rownames(voxels))
  structure(values, coordinates = voxel_coordinates(voxels, space$xform), voxels = voxels)
}

#' @rdname read_volumes
#' @export
write_map <- function(values, mask, file, column = NULL, model = NULL, ...) {
  need_arguments()
  require_package("RNifti", "Writing NIfTI images")
  # all: must there be a value for each voxel of the mask?
  map <- if (is.data.frame(values)) map_of_result(values, column, model) else {
    for (arg in c("column", "model")) {
      refuse_if(!is.null(get(arg)), "value", "`{arg}` is for results with a row for each centre: ",
                "leave it out for numbers.")
    }
    plain <- (is.numeric(values) || is.logical(values)) && !is.object(values) && length(values) &&
      sum(dim(values) > 1) <= 1
    refuse_if(!plain, "type", "`values` must be numbers at voxels, or a result with a row for ",
              "each centre, not ", if (length(values)) describe(values) else "an empty vector", ".")
    names <- if (is.null(dim(values))) names(values) else names(drop(values))
    list(values = as.double(values), names = names, all = is.null(names))
  }
  need_path(file, "file")
  path <- path.expand(file)
  refuse_if(!grepl("[.]nii([.]gz)?$", path), "value", "`file` {dQuote(basename(file), FALSE)} ",
            "must end with .nii or .nii.gz.")
  refuse_if(!dir.exists(dirname(path)), "value", "`file`: there is no folder ",
            "{dQuote(dirname(file), FALSE)}.")
  same <- is.character(mask) && length(mask) == 1 && file.exists(path) &&
    identical(normalizePath(path), normalizePath(path.expand(mask), mustWork = FALSE))
  refuse_if(same, "value", "`file` is the mask, which would be replaced: give another name.")
  space <- space_of_map(mask)
  image <- array(NaN, space$sizes)
  image[places_of_map(map, mask, space)] <- map$values
  if (is.null(space$header)) warn_of_no_space(list(space)) else image <- with_space(image, space)
  failed <- function(e) {
    refuse("file", "`file` {dQuote(file, FALSE)} cannot be written: {reason_of(e)}")
  }
  catch_error(RNifti::writeNifti(image, path.expand(file), datatype = "double"), failed,
              warning = failed)
  invisible(file)
}

# ---- images

# The names of the rows.
check_volume_files <- function(files) {
  refuse_if(!is.character(files) || !length(files) || !is.null(dim(files)), "type",
            "`files` must be the paths of one or more images, not ",
            if (length(files)) describe(files) else "an empty vector", ".")
  for (file in files) need_file(file, "files")
  names <- names(files)
  if (is.null(names)) names <- if (anyDuplicated(basename(files))) files else basename(files)
  check_element_names(stats::setNames(as.list(files), names), "files")
  names
}

# The eight corners must lie at the same places.
need_same_space <- function(image, space) {
  wrong <- function(...) {
    refuse("size", "`{image$arg}`: {dQuote(basename(image$file), FALSE)} ", ...,
           "{dQuote(basename(space$file), FALSE)}. Bring the images into one space first; nothing ",
           "is resampled here.")
  }
  if (!identical(image$sizes, space$sizes)) {
    wrong("has ", paste(image$sizes, collapse = " x "), " voxels, and not the ",
           paste(space$sizes, collapse = " x "), " of ")
  }
  corners <- as.matrix(expand.grid(lapply(space$sizes, function(n) c(1, n))))
  moved <- voxel_coordinates(corners, image$xform) - voxel_coordinates(corners, space$xform)
  far <- sqrt(max(rowSums(moved^2)))
  if (far > 0.01) wrong("has a corner that is ", format(far, digits = 3), " mm away from that of ")
}

warn_of_no_space <- function(images) {
  unplaced <- Filter(function(image) image$unplaced, images)
  if (!length(unplaced)) return(invisible())
  names <- vapply(unplaced, function(image) basename(image$file), "")
  warn("no_space", "The positions of voxels are not known (both codes of transformations are 0): ",
       "{enumerate(names)}{if (length(names) == 1) ' has' else ' have'} only their sizes.",
       data = names)
}

# ---- values

# inside: the voxels to keep, as numbers; rows: how many volumes there are.
volume_values <- function(images, inside, rows) {
  values <- matrix(0, rows, length(inside))
  step <- progress_along(length(images))
  before <- 0
  for (image in images) {
    each_volume(image, function(data, volume) values[before + volume, ] <<- data[inside])
    before <- before + image$volumes
    step()
  }
  values
}

# Which voxels, as numbers.
voxels_of_mask <- function(mask, threshold, space) {
  if (is.null(mask)) return(seq_len(prod(space$sizes)))
  inside <- NULL
  if (is.logical(mask)) {
    sizes <- sizes_of_array(mask)
    refuse_if(!identical(sizes, space$sizes), "size", "`mask` is ",
              "{paste(sizes, collapse = ' x ')}, but {dQuote(basename(space$file), FALSE)} has ",
              "{paste(space$sizes, collapse = ' x ')} voxels.")
    refuse_if(anyNA(mask), "nonfinite", "`mask` has missing values: say TRUE or FALSE for each ",
              "voxel.")
    inside <- which(mask)
  } else {
    image <- mask_header(mask)
    need_same_space(image, space)
    each_volume(image, function(data, volume) inside <<- which(data > threshold))
  }
  if (length(inside)) return(inside)
  refuse("size", "`mask` has no voxel", if (!is.logical(mask)) paste(" above", format(threshold)),
         ".")
}

mask_header <- function(mask) {
  refuse_if(!is.character(mask), "type", "`mask` must be the path of an image or a logical array, ",
            "not {describe(mask)}.")
  need_file(mask, "mask")
  image <- volume_header(mask, "mask")
  if (image$volumes > 1) {
    refuse_file(mask, "has ", image$volumes, " volumes; a mask has one.",
                class = "repalign_error_size", arg = "mask")
  }
  image
}

# The sizes along three axes.
sizes_of_array <- function(x) {
  dims <- if (is.null(dim(x))) length(x) else dim(x)
  as.double(c(dims, rep(1, max(0, 3 - length(dims)))))
}

# Which of the voxels of `values` are kept?
usable_voxels <- function(values, inside, sizes, labels, unmasked, na) {
  finite <- is.finite(values)
  kept <- colSums(finite) == nrow(values)
  if (unmasked) kept <- kept & colSums(values != 0) > 0
  if (!unmasked && !all(kept) && na == "error") {
    at <- which(!kept)[1]
    refuse("nonfinite", "`files` have missing or infinite values in ",
           "{count_of(sum(!kept), 'voxel')} of the mask, first in voxel ",
           "{rownames(voxel_places(inside[at], sizes))} of ",
           "{dQuote(labels[which(!finite[, at])[1]], FALSE)}; na = \"voxels\" leaves them out.")
  }
  refuse_if(!any(kept), "nonfinite", "`files` have no voxel that has finite values in all ",
            "volumes{if (unmasked) ' and is not 0 in all of them'}.")
  inform_if(!unmasked && !all(kept), "left_out", "read_volumes(): {count_of(sum(!kept), 'voxel')} ",
            "of the mask ({length(kept)}) with missing or infinite values ",
            "{if (sum(!kept) == 1) 'is' else 'are'} left out.")
  kept
}

# ---- places

# The places i, j, k of voxels, from 1 on, as a matrix with names.
voxel_places <- function(at, sizes) {
  at <- at - 1
  places <- cbind(i = at %% sizes[1], j = at %/% sizes[1] %% sizes[2],
                  k = at %/% (sizes[1] * sizes[2])) + 1
  rownames(places) <- paste(places[, 1], places[, 2], places[, 3])
  places
}

voxel_coordinates <- function(voxels, xform) {
  found <- cbind(voxels - 1, 1) %*% t(xform[1:3, ])
  dimnames(found) <- list(rownames(voxels), c("x", "y", "z"))
  found
}
