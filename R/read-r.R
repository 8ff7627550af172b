# Files of R: .rds, with an array or a list of arrays.

read_rds <- function(file, name, rows) {
  found <- read_rds_file(file)
  if (is_array_list(found)) {
    flat <- flat_list(found, file)
    name <- choose_array(name, names(flat), file)
    found <- flat[[name]]
  } else {
    no_array_name(name, file)
  }
  x <- found
  if (!is_numbers(x)) {
    refuse_file(file, "holds ", describe(x), ", not an array of numbers.",
                if (is.object(x)) " readRDS() gives it as it is; unclass() takes a class away.",
                class = "repalign_error_type")
  }
  if (is_integer64(x)) {
    return(r_array(array(integer64_doubles(x, file), if (is.null(dim(x))) length(x) else dim(x)),
                   rows, file))
  }
  if (is.data.frame(x) || inherits(x, "Matrix")) x <- plain_matrix(x, basename(file))
  r_array(x, rows, file)
}

read_rds_file <- function(file) {
  catch_error(suppressWarnings(readRDS(file)), failed = function(e) {
    refuse_file(file, "cannot be read by readRDS(): ", conditionMessage(e), ".")
  })
}

# What a class makes of numbers, or of a list, only its own functions know: of all classes, those
# that is_numbers() names are read, and no other.
is_array_list <- function(x) is.list(x) && !is.object(x)

deepest_list <- 100

# The numeric arrays of a list and of lists within it; their names are paths such as "model/layer".
flat_list <- function(given, file, before = "", depth = 1) {
  if (depth > deepest_list) {
    refuse_file(file, "holds lists within lists, more than ", deepest_list, " deep: save its ",
                "arrays in one list.", class = "repalign_error_type")
  }
  keys <- names(given)
  if (is.null(keys)) keys <- rep("", length(given))
  keys[!nzchar(keys)] <- which(!nzchar(keys))
  keys <- make.unique(paste0(before, keys))
  found <- list()
  for (i in seq_along(given)) {
    part <- given[[i]]
    if (is_array_list(part)) {
      found <- c(found, flat_list(part, file, paste0(keys[i], "/"), depth + 1))
    }
    if (is_numbers(part)) found[[keys[i]]] <- part
  }
  found
}

is_numbers <- function(x) {
  if (is.object(x)) return(inherits(x, c("data.frame", "Matrix")) || is_integer64(x))
  is.numeric(x) || is.logical(x)
}

# Classes made of it, such as points in time, are something else.
is_integer64 <- function(x) identical(as.vector(class(x)), "integer64")

# An array of R or MATLAB, with all its rows, as file_array().
r_array <- function(x, rows, file) {
  dims <- if (is.null(dim(x))) length(x) else dim(x)
  check_dims(as.double(dims), file, rows)
  names <- if (is.null(dim(x))) list(names(x)) else dimnames(x)
  rest <- dims[-1]
  wanted <- rows_of(rows, dims[1], file)
  data <- matrix(as.double(x), dims[1])
  if (!is.null(rows)) data <- data[wanted, , drop = FALSE]
  if (!is.null(names[[1]])) names[[1]] <- names[[1]][wanted]
  columns <- if (length(rest) == 1) names[[2]]
  if (!is.null(names[[1]]) || !is.null(columns)) dimnames(data) <- list(names[[1]], columns)
  file_array(data, rest, "first", names = names)
}

# The integers of 64 bits that bit64 keeps in the bits of doubles.
integer64_doubles <- function(x, file) {
  values <- integer64_values(x)
  if (is.null(values)) refuse_large_integer(file)
  values
}

# The same, NULL if doubles do not hold one of them.
integer64_values <- function(x) {
  bytes <- writeBin(as.vector(unclass(x)), raw(), endian = "little")
  values <- .Call(C_decode_numbers, bytes, number_type("i", 8))
  if (length(values) == length(x)) values
}
