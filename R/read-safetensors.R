# Files of the format safetensors: a header in JSON says where the numbers of each tensor lie.

#' @include base-numbers.R
NULL

safetensors_types <- list(
  BOOL = number_type("b", 1), I8 = number_type("i", 1), U8 = number_type("u", 1),
  I16 = number_type("i", 2), U16 = number_type("u", 2), I32 = number_type("i", 4),
  U32 = number_type("u", 4), I64 = number_type("i", 8), U64 = number_type("u", 8),
  F16 = number_type("f", 2), BF16 = number_type("brain", 2), F32 = number_type("f", 4),
  F64 = number_type("f", 8)
)

safetensors_rows <- function(file, name) {
  tensors <- safetensors_header(file)$tensors
  name <- choose_array(name, names(tensors), file)
  shape <- check_tensor(tensors[[name]], name, file)$shape
  check_axes(shape, file)
  shape[1]
}

read_safetensors <- function(file, name, rows) {
  header <- safetensors_header(file)
  name <- choose_array(name, names(header$tensors), file)
  tensor <- check_tensor(header$tensors[[name]], name, file)
  begin <- tensor$offsets[1]
  end <- tensor$offsets[2]
  if (begin > end || end > file.size(file) - header$end) {
    refuse_file(file, "is damaged or cut off: its tensor ", dQuote(name, FALSE), " would lie at ",
                "bytes ", format(begin), " to ", format(end), " of ",
                format(file.size(file) - header$end), ".")
  }
  check_axes(tensor$shape, file)
  if (prod(tensor$shape) * number_size(tensor$type) != end - begin) {
    refuse_file(file, "is damaged: the tensor ", dQuote(name, FALSE), " does not have as many ",
                "bytes as its shape needs.")
  }
  read_numbers(file, header$end + begin, tensor$type, tensor$shape, FALSE, rows, file)
}

# tensors: a list of what the header says of each; end: the byte at which the numbers begin.
safetensors_header <- function(file) {
  require_package("jsonlite", "Reading .safetensors files")
  size <- file.size(file)
  length <- whole_number(file_bytes(file, 0, 8))
  if (size < 10 || length < 2 || length > size - 8) {
    refuse_file(file, "is no .safetensors file, or is cut off within its header.")
  }
  # the limit of the format's own library
  if (length > 1e8) refuse_file(file, "has a header of more than 100 MB.")
  bytes <- file_bytes(file, 8, length)
  text <- header_text(bytes, file)
  # NULL where the header is not JSON. A header has three levels; very deep ones would overflow the
  # stack of the parser. jsonlite 1.8.4 takes the text that it complains of for a format of
  # printf(), and dies of a percent sign in it, which JSON can write in another way.
  header <- if (bytes[1] == charToRaw("{") && json_depth(text) <= 3) {
    catch_error(jsonlite::parse_json(gsub("%", "\\u0025", text, fixed = TRUE)),
                failed = function(e) NULL)
  }
  if (!is.list(header) || (length(header) && is.null(names(header)))) {
    refuse_file(file, "has a damaged header: it is not the JSON of .safetensors files.")
  }
  tensors <- header[names(header) != "__metadata__"]
  if (anyDuplicated(names(header)) || !all(nzchar(names(header)))) {
    refuse_file(file, "has a damaged header: names of tensors must be there, and differ.")
  }
  list(tensors = tensors, end = 8 + length)
}

# How deep the lists and objects of a JSON text lie within each other. What is escaped or quoted is
# dropped first; a bracket that closes nothing does not count.
json_depth <- function(text) {
  unquoted <- gsub("\"[^\"]*\"", "", gsub("\\\\.", "", text, perl = TRUE), perl = TRUE)
  brackets <- utf8ToInt(gsub("[^][{}]", "", unquoted, perl = TRUE))
  depth <- cumsum(ifelse(brackets %in% utf8ToInt("[{"), 1, -1))
  max(0, depth - pmin(0, cummin(depth)))
}

check_tensor <- function(tensor, name, file) {
  whole <- function(values) {
    good <- vapply(values, function(v) {
      is.numeric(v) && length(v) == 1 && is.finite(v) && v >= 0 && v == round(v)
    }, NA)
    if (is.list(values) && all(good)) as.double(unlist(values))
  }
  part <- function(key) if (is.list(tensor) && sum(names(tensor) == key) == 1) tensor[[key]]
  shape <- part("shape")
  offsets <- part("data_offsets")
  shape <- if (is.list(shape)) c(whole(shape), numeric())
  offsets <- if (is.list(offsets)) whole(offsets)
  type <- part("dtype")
  if (is.null(shape) || length(shape) != length(part("shape")) || length(offsets) != 2 ||
      !is.character(type) || length(type) != 1) {
    refuse_file(file, "has a damaged header: of the tensor ", dQuote(name, FALSE),
                " it must say `dtype`, `shape` and `data_offsets`.")
  }
  if (!type %in% names(safetensors_types)) {
    refuse_file(file, "holds the tensor ", dQuote(name, FALSE), " in numbers of the type ",
                dQuote(strtrim(type, 20), FALSE), ", but only ",
                enumerate(names(safetensors_types), 20, FALSE),
                " can be read: save it by tensor.float().", class = "repalign_error_type")
  }
  list(type = safetensors_types[[type]], shape = shape, offsets = offsets)
}
