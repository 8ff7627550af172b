# read_volumes() makes a matrix of NIfTI images, and write_map() an image of what was found at their
# voxels.

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
  refuse_if(!is.character(files) || !length(files) || !is.null(dim(files)), "type",
            "`files` must be the paths of one or more images, not ",
            if (length(files)) describe(files) else "an empty vector", ".")
  for (file in files) need_file(file, "files")
  names <- names(files)
  if (is.null(names)) names <- if (anyDuplicated(basename(files))) files else basename(files)
  check_element_names(stats::setNames(as.list(files), names), "files")
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
  values <- matrix(0, length(labels), length(inside))
  step <- progress_along(length(images))
  before <- 0
  for (image in images) {
    each_volume(image, function(data, volume) values[before + volume, ] <<- data[inside])
    before <- before + image$volumes
    step()
  }
  finite <- is.finite(values)
  kept <- colSums(finite) == nrow(values)
  if (is.null(mask)) kept <- kept & colSums(values != 0) > 0
  lost <- if (!is.null(mask)) which(!kept)
  refuse_if(length(lost) && na == "error", "nonfinite", "`files` have missing or infinite values ",
            "in {count_of(length(lost), 'voxel')} of the mask, first in voxel ",
            "{rownames(voxel_places(inside[lost[1]], space$sizes))} of ",
            "{quoted(labels[which(!finite[, lost[1]])[1]])}; na = \"voxels\" leaves them out.")
  refuse_if(!any(kept), "nonfinite", "`files` have no voxel that has finite values in all ",
            "volumes{if (is.null(mask)) ' and is not 0 in all of them'}.")
  inform_if(length(lost), "left_out", "read_volumes(): {count_of(length(lost), 'voxel')} of the ",
            "mask ({length(kept)}) with missing or infinite values ",
            "{if (length(lost) == 1) 'is' else 'are'} left out.")
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
  refuse_if(!grepl("[.]nii([.]gz)?$", path), "value", "`file` {quoted(basename(file))} ",
            "must end with .nii or .nii.gz.")
  refuse_if(!dir.exists(dirname(path)), "value", "`file`: there is no folder ",
            "{quoted(dirname(file))}.")
  same <- is.character(mask) && length(mask) == 1 && file.exists(path) &&
    identical(normalizePath(path), normalizePath(path.expand(mask), mustWork = FALSE))
  refuse_if(same, "value", "`file` is the mask, which would be replaced: give another name.")
  # the space of the map, as volume_header() gives it; a logical array has no header
  if (is.character(mask)) {
    need_file(mask, "mask")
    space <- volume_header(mask, "mask")
  } else {
    refuse_if(!is.logical(mask) || !length(dim(mask)) %in% 2:3, "type", "`mask` must be the path ",
              "of an image or a logical array, not {describe(mask)}.")
    space <- list(file = "the map", arg = "mask", sizes = sizes_of_array(mask), unplaced = TRUE)
  }
  image <- array(NaN, space$sizes)
  image[places_of_map(map, mask, space)] <- map$values
  if (is.null(space$header)) warn_of_no_space(list(space)) else {
    # what the header of the mask says of space, and nothing of what it says of values
    header <- space$header
    header[c("cal_min", "cal_max", "intent_p1", "intent_p2", "intent_p3", "intent_code")] <- 0
    header$intent_name <- header$descrip <- header$aux_file <- ""
    image <- RNifti::asNifti(image, reference = header, datatype = "double")
  }
  failed <- function(e) refuse("file", "`file` {quoted(file)} cannot be written: {reason_of(e)}")
  catch_error(RNifti::writeNifti(image, path.expand(file), datatype = "double"), failed,
              warning = failed)
  invisible(file)
}

# ---- images

# The eight corners must lie at the same places.
need_same_space <- function(image, space) {
  wrong <- function(...) {
    refuse("size", "`{image$arg}`: {quoted(basename(image$file))} ", ...,
           "{quoted(basename(space$file))}. Bring the images into one space first; nothing ",
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
  names <- unlist(lapply(images, function(image) if (image$unplaced) basename(image$file)))
  warn_if(length(names), "no_space", "The positions of voxels are not known (both codes of ",
          "transformations are 0): {enumerate(names)} {if (length(names) == 1) 'has' else 'have'} ",
          "only their sizes.", data = names)
}

# ---- values

# Which voxels, as numbers.
voxels_of_mask <- function(mask, threshold, space) {
  if (is.null(mask)) return(seq_len(prod(space$sizes)))
  if (is.logical(mask)) {
    sizes <- sizes_of_array(mask)
    refuse_if(!identical(sizes, space$sizes), "size", "`mask` is ",
              "{paste(sizes, collapse = ' x ')}, but {quoted(basename(space$file))} has ",
              "{paste(space$sizes, collapse = ' x ')} voxels.")
    refuse_if(anyNA(mask), "nonfinite", "`mask` has missing values: say TRUE or FALSE for each ",
              "voxel.")
    inside <- which(mask)
  } else {
    image <- mask_header(mask)
    need_same_space(image, space)
    inside <- NULL
    each_volume(image, function(data, volume) inside <<- which(data > threshold))
  }
  refuse_if(!length(inside), "size", "`mask` has no voxel",
            if (!is.logical(mask)) paste(" above", format(threshold)), ".")
  inside
}

mask_header <- function(mask) {
  refuse_if(!is.character(mask), "type", "`mask` must be the path of an image or a logical array, ",
            "not {describe(mask)}.")
  need_file(mask, "mask")
  image <- volume_header(mask, "mask")
  refuse_file_if(image$volumes > 1, mask, "has ", image$volumes, " volumes; a mask has one.",
                 class = "repalign_error_size", arg = "mask")
  image
}

# The sizes along three axes.
sizes_of_array <- function(x) {
  dims <- if (is.null(dim(x))) length(x) else dim(x)
  as.double(c(dims, rep(1, max(0, 3 - length(dims)))))
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

# ---- what write_map() writes, and where

# of: a data frame with a row for each centre and model.
map_of_result <- function(of, column, model) {
  rows <- need_columns(as.data.frame(of), "center", "written", "values")
  numbers <- setdiff(names(rows)[vapply(rows, function(x) is.numeric(x) || is.logical(x), NA)],
                     "center")
  column <- check_choice(if (is.null(column)) "score" else column, numbers, "column")
  models <- unique(as.character(rows$model))
  refuse_if(is.null(model) && length(models) > 1, "choice", "`values` has {length(models)} ",
            "models: say which in `model`. Names: {enumerate(models, 20)}.", arg = "model")
  if (!is.null(model)) rows <- rows[rows$model %in% check_choice(model, models, "model"), ]
  refuse_if(!nrow(rows), "size", "`values` has no centre.")
  # centres that had no names are numbered, whatever columns they are around
  list(values = as.double(rows[[column]]), names = label_text(rows$center),
       all = is.numeric(rows$center))
}

# The numbers of the voxels that the values belong to.
places_of_map <- function(map, mask, space) {
  is_triple <- grepl("^[0-9]+ [0-9]+ [0-9]+$", map$names)
  numbered <- !map$all && all(grepl("^[0-9]+$", map$names))
  refuse_if(!is.null(map$names) && anyDuplicated(map$names), "names", "`values` has ",
            quoted(map$names[duplicated(map$names)][1]), " twice: give each voxel one value.")
  if (!map$all && all(is_triple)) {
    places <- matrix(as.double(unlist(strsplit(map$names, " ", fixed = TRUE))), 3)
    beyond <- colSums(places < 1 | places > space$sizes) > 0
    refuse_if(any(beyond), "size", "`values` has the voxel {quoted(map$names[beyond][1])}, but ",
              "the mask has {paste(space$sizes, collapse = ' x ')} voxels.")
    return(colSums((places - 1) * c(1, cumprod(space$sizes[1:2]))) + 1)
  }
  refuse_if(!map$all && !numbered, "names", "`values` has names that are no voxels, first ",
            "{quoted(map$names[!is_triple][1])}: name centres as the columns of read_volumes(), ",
            "\"i j k\", or give plain numbers without names, one for each voxel of the mask.")
  inside <- voxels_of_mask(mask, 0.5, if (is.logical(mask)) space else mask_header(mask))
  if (numbered) {
    at <- as.double(map$names)
    beyond <- at[at < 1 | at > length(inside)]
    refuse_if(length(beyond), "size", "`values` has centre {beyond[1]}, but the mask has ",
              "{count_of(length(inside), 'voxel')}.")
    return(inside[at])
  }
  refuse_if(length(map$values) != length(inside), "size", "`values` has ",
            "{count_of(length(map$values), 'value')} without names of voxels, and the mask ",
            "{count_of(length(inside), 'voxel')}: give one for each, or name them as the columns ",
            "of read_volumes(), \"i j k\".")
  inside
}

# ---- headers and values of images

# Some damaged headers make RNifti crash, and it cuts whole numbers down to 32 bits (1.10.0), so
# that this package reads both itself. What the header says of the positions of voxels is RNifti's
# to tell.

# What is known of an image before its values are read: list(file, arg, header, start, type, sizes,
# volumes, xform, unplaced).
volume_header <- function(file, arg) {
  path <- path.expand(file)
  wrong <- function(..., class = NULL) refuse_file(file, ..., class = class, arg = arg)
  start <- nifti_start(path)
  if (is.null(start)) wrong("is no NIfTI image (.nii, .nii.gz), or is damaged.")
  type <- nifti_types[as.character(start$type)]
  if (is.na(type)) {
    kind <- refused_types[as.character(start$type)]
    wrong("holds ", if (is.na(kind)) paste("values of type", start$type) else kind,
           ", but only real numbers can be read.", class = "repalign_error_type")
  }
  type <- number_type(substr(type, 1, 1), as.integer(substr(type, 2, 2)), start$big_endian)
  axes <- start$dims[1]
  dims <- if (axes %in% 1:7) start$dims[1 + seq_len(axes)]
  usable <- !is.null(dims) && all(is.finite(dims) & dims >= 1) &&
    start$bits == 8 * number_size(type) && all(is.finite(start$numbers)) &&
    isTRUE(start$offset >= start$length & start$offset < 2^31)
  if (!usable) wrong("has a damaged header.")
  dims <- c(dims, 1, 1, 1)
  if (any(dims[-(1:4)] > 1)) {
    wrong("has ", axes, " axes; images of three axes, or four with volumes along the last, can ",
           "be read.", class = "repalign_error_size")
  }
  # what is packed is at most 1032 times as long
  available <- file.size(path) * if (start$packed) 1032 else 1
  if (start$offset + number_size(type) * prod(dims) > available) {
    wrong("is cut off or damaged: its header speaks of ", paste(dims[1:4], collapse = " x "),
           " values.")
  }
  header <- catch_error(silently(RNifti::niftiHeader(path)), failed = function(e) NULL)
  if (is.null(header)) wrong("has a damaged header.")
  xform <- catch_error(silently(RNifti::xform(header)), failed = function(e) NA)
  xform <- matrix(as.double(xform), 4, 4)
  if (!all(is.finite(xform))) wrong("has a damaged header: its voxels have no positions.")
  list(file = file, arg = arg, header = header, start = start, type = type, sizes = dims[1:3],
       volumes = dims[4], xform = xform, unplaced = all(start$codes <= 0))
}

# The header of a file: list(packed, big_endian, length, type, bits, dims, offset, scale, codes,
# numbers), where `numbers` must be finite; NULL if the file does not begin as a NIfTI image in one
# file does.
nifti_start <- function(path) {
  packed <- identical(file_bytes(path, 0, 2), as.raw(c(0x1f, 0x8b)))
  connection <- gzfile(path, "rb")
  on.exit(close(connection))
  bytes <- catch_error(suppressWarnings(readBin(connection, "raw", 540)),
                       failed = function(e) raw())
  if (length(bytes) < 348) return(NULL)
  first <- identical(bytes[345:348], as.raw(c(0x6e, 0x2b, 0x31, 0)))
  second <- identical(bytes[5:8], as.raw(c(0x6e, 0x2b, 0x32, 0)))
  length <- if (first) 348 else 540
  if (!first && !second || length(bytes) < length) return(NULL)
  at <- function(offset, n, what, size, endian = order) {
    readBin(bytes[offset + seq_len(n * size)], what, n, size, endian = endian)
  }
  # the length of the header tells in which order the bytes are
  orders <- c("little", "big")
  fits <- vapply(orders, function(order) at(0, 1, "integer", 4, order) == length, NA)
  if (!any(fits)) return(NULL)
  order <- orders[fits]
  whole <- function(offset, n) {
    parts <- matrix(at(offset, 2 * n, "integer", 4), 2)
    if (order == "big") parts <- parts[2:1, , drop = FALSE]
    parts[2, ] * 2^32 + parts[1, ] %% 2^32
  }
  found <- if (first) {
    list(length = 352, type = at(70, 1, "integer", 2), bits = at(72, 1, "integer", 2),
         dims = as.double(at(40, 8, "integer", 2)), offset = at(108, 1, "numeric", 4),
         scale = at(112, 2, "numeric", 4), codes = at(252, 2, "integer", 2),
         numbers = c(at(76, 8, "numeric", 4), at(256, 18, "numeric", 4)))
  } else {
    list(length = 544, type = at(12, 1, "integer", 2), bits = at(14, 1, "integer", 2),
         dims = whole(16, 8), offset = whole(168, 1), scale = at(176, 2, "numeric", 8),
         codes = at(344, 2, "integer", 4),
         numbers = c(at(104, 8, "numeric", 8), at(352, 18, "numeric", 8)))
  }
  c(list(packed = packed, big_endian = order == "big"), found)
}

# RNifti prints what is wrong with a file, past R's warnings: the error of the package says it.
silently <- function(code) {
  outer <- sink.number(type = "message")
  nowhere <- file(nullfile(), "w")
  sink(nowhere, type = "message")
  on.exit({
    sink(if (outer == 2) stderr() else getConnection(outer), type = "message")
    close(nowhere)
  })
  suppressWarnings(code)
}

# The types of values that can be read, as kind and size, and those that cannot.
nifti_types <- c("2" = "u1", "4" = "i2", "8" = "i4", "16" = "f4", "64" = "f8", "256" = "i1",
                 "512" = "u2", "768" = "u4", "1024" = "i8", "1280" = "u8")

refused_types <- c("1" = "bits", "32" = "complex numbers", "128" = "colours",
                   "1536" = "long floats", "1792" = "complex numbers", "2048" = "complex numbers",
                   "2304" = "colours")

# Calls use(values, volume) for the values of each volume.
each_volume <- function(image, use) {
  count <- prod(image$sizes)
  check_memory((number_size(image$type) + 24) * count,
               paste("A volume of", quoted(basename(image$file))), "")
  damaged <- function(e) {
    refuse_file(image$file, "is damaged, or ends before its numbers do.", arg = image$arg)
  }
  connection <- gzfile(path.expand(image$file), "rb")
  on.exit(close(connection))
  next_bytes <- function(n) {
    bytes <- catch_error(readBin(connection, "raw", n), failed = damaged, warning = damaged)
    if (length(bytes) < n) damaged()
    bytes
  }
  # where the header and what follows it end
  left <- image$start$offset
  while (left > 0) left <- left - length(next_bytes(min(left, 2^20)))
  scale <- image$start$scale
  scaled <- all(is.finite(scale)) && scale[1] != 0 && any(scale != c(1, 0))
  for (volume in seq_len(image$volumes)) {
    bytes <- next_bytes(count * number_size(image$type))
    # behind the last number stands whether what was packed is what was unpacked
    if (volume == image$volumes) {
      catch_error(readBin(connection, "raw", 1), failed = damaged, warning = damaged)
    }
    values <- .Call(C_decode_numbers, bytes, image$type)
    if (length(values) < count) refuse_large_integer(image$file, arg = image$arg)
    use(if (scaled) values * scale[1] + scale[2] else values, volume)
  }
}
