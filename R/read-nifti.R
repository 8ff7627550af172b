# NIfTI images: their headers and their values. Some damaged headers make RNifti crash, and it cuts
# whole numbers down to 32 bits (1.10.0), so that this package reads both itself. What the header
# says of the positions of voxels is RNifti's to tell.

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
               paste("A volume of", dQuote(basename(image$file), FALSE)), "")
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
