# read_representation().

fixture <- function(name) test_path("fixtures", name)
array_names <- function(file) read_representation(file, names_only = TRUE)
quiet <- function(...) suppressMessages(read_representation(...), "repalign_flattened")
counted <- matrix(c(0, 1, 2, 3, 100, 120), 2, byrow = TRUE) # `base` of tools/make-fixtures.py
cube <- aperm(array(0:23, 4:2)) + 0 # numpy.arange(24.0).reshape(2, 3, 4)

# --- .npy and .npz ---------------------------------------------------------------

test_that("every type of numbers that NumPy writes is read, in both orders", {
  file <- fixture("stored.npz")
  names <- array_names(file)
  expect_length(names, 45)
  expect_equal(read_representation(file, "bool"), (counted > 2) + 0)
  for (name in setdiff(names, "bool")) {
    expected <- switch(substr(name, 1, 1), i = -counted, f = counted / 4, u = counted)
    expect_identical(read_representation(file, name), expected + 0, info = name)
    expect_identical(read_representation(file, name, rows = 2), expected[2, , drop = FALSE] + 0,
                     info = name)
  }
})

test_that("archives are unpacked, and their array is found without a name if it is the only one", {
  expect_identical(read_representation(fixture("savez.npz")), matrix(0:5 + 0, 2, byrow = TRUE))
  expect_equal(array_names(fixture("savez.npz")), "arr_0")
  file <- fixture("deflated.npz")
  expect_identical(read_representation(file, "one_axis"), cbind(0:4 + 0))
  expect_identical(read_representation(file, "one_axis", flatten = FALSE), 0:4 + 0)
  limits <- rbind(c(2^-24, 65504, Inf), c(-Inf, NaN, 0))
  expect_identical(read_representation(file, "limits"), limits)
  expect_identical(1 / read_representation(file, "limits")[2, 3], -Inf)
  expect_message(expect_message(all <- read_representation(file), "none\", \"number\"",
                                class = "repalign_left_out"), class = "repalign_flattened") |>
    suppressMessages()
  expect_identical(names(all), c("cube", "cube_fortran", "limits", "one_axis"))
  expect_identical(all$limits, limits)
  expect_identical(read_representation(file, c("one_axis", "limits")), all[c(4, 3)])
  expect_refused(read_representation(file, c("one_axis", "number")), "single number")
  expect_refused(read_representation(file, "cub"), "did you mean \"cube\"")
})

test_that("three axes are flattened with a message, or kept", {
  for (name in c("cube", "cube_fortran")) {
    expect_message(flat <- read_representation(fixture("deflated.npz"), name),
                   "2 x 3 x 4\\) was flattened to 2 x 12.*responses\\(read_representation",
                   class = "repalign_flattened")
    expect_identical(flat, matrix(0:23 + 0, 2, byrow = TRUE))
    expect_silent(whole <- read_representation(fixture("deflated.npz"), name, flatten = FALSE))
    expect_identical(whole, cube)
    expect_identical(quiet(fixture("deflated.npz"), name, rows = c(2, 1, 2)), flat[c(2, 1, 2), ])
    expect_identical(read_representation(fixture("deflated.npz"), name, 2, FALSE),
                     cube[2, , , drop = FALSE])
  }
})

test_that("what is not numbers is an error that says what to do", {
  file <- fixture("deflated.npz")
  expect_refused(read_representation(file, "objects"),
                 c("objects of Python \\(a pickle\\)",
                   "numpy.load\\(\"deflated.npz\", allow_pickle=True\\)\\[\"objects\"\\]"))
  expect_s3_class(tryCatch(read_representation(file, "objects"), error = identity),
                  "repalign_error_pickle")
  expect_refused(read_representation(file, "records"), "records.*save its fields one by one")
  expect_refused(read_representation(file, "complex"), "complex numbers \\(\"<c8\"\\)")
  expect_refused(read_representation(file, "text"), "texts")
  expect_refused(read_representation(file, "dates"), "dates")
  expect_refused(read_representation(file, "number"), "a single number")
  expect_refused(read_representation(file, "none"), "array without numbers \\(0 x 3\\)")
  expect_refused(read_representation(file, "large"), "beyond 2\\^53 \\(row 2, column 1\\)")
  expect_identical(read_representation(file, "large", rows = 1), cbind(1, 2^53))
})

test_that("versions 1 to 3 of the format are read, and headers written by other programs", {
  m <- matrix(c(0.5, -1, 2, 3, 4, 5), 2)
  for (version in 1:3) {
    for (fortran in c(TRUE, FALSE)) {
      file <- file_of(npy_bytes(m, version = version, fortran = fortran), ".npy")
      expect_identical(read_representation(file), m)
    }
  }
  headers <- c("{\"shape\": (2, 3), \"fortran_order\": True, \"descr\": \"<f8\"}",
               "{'descr':'<f8','fortran_order':True,'shape':(2L, 3L)}")
  for (header in headers) {
    file <- file_of(c(npy_header_bytes(header), written_bytes(as.vector(m), "f8")), ".npy")
    expect_identical(read_representation(file), m)
  }
  expect_identical(array_names(file), character())
  expect_refused(read_representation(file, "x"), "leave `name` out")
})

test_that("no header makes a message of any length, nor an array of any number of axes", {
  axes <- function(count) npy_header_bytes(sprintf(
    "{'descr': '|u1', 'fortran_order': False, 'shape': (%s), }", strrep("1, ", count)
  ))
  expect_identical(quiet(file_of(c(axes(64), as.raw(7)), ".npy"), flatten = "all"), cbind(7))
  expect_refused(read_representation(file_of(c(axes(65), as.raw(7)), ".npy")), "65 axes")
  expect_refused(read_representation(file_of(c(axes(20000), as.raw(7)), ".npy")), "20000 axes")
  skip_if_not_installed("jsonlite")
  json <- sprintf("{\"%s\": 1}", strrep("x", 1e6))
  file <- file_of(c(little(c(nchar(json), 0), 4), charToRaw(json)), ".safetensors")
  error <- expect_error(read_representation(file), class = "repalign_error_file")
  expect_lt(nchar(conditionMessage(error)), 6000)
})

test_that("rows are read in any order, also of files larger than the buffer", {
  set.seed(1)
  m <- matrix(round(rnorm(300 * 40), 2), 300)
  wide <- matrix(as.double(seq_len(2 * 40000)), 2)
  for (fortran in c(TRUE, FALSE)) {
    file <- file_of(npy_bytes(m, fortran = fortran), ".npy")
    expect_identical(read_representation(file), m)
    for (rows in list(300:1, c(5, 6, 7, 2, 2, 300), sample(300, 30))) {
      expect_identical(read_representation(file, rows = rows), m[rows, ])
    }
    file <- file_of(npy_bytes(wide, fortran = fortran), ".npy")
    expect_identical(read_representation(file), wide)
    expect_identical(read_representation(file, rows = 2:1), wide[2:1, ])
    file <- file_of(npy_bytes(t(wide), fortran = fortran), ".npy")
    expect_identical(read_representation(file), t(wide))
    expect_identical(read_representation(file, rows = c(2, 39999)), t(wide)[c(2, 39999), ])
  }
})

test_that("a part of a file is read without the rest", {
  withr::local_options(repalign.max_memory = 1e6)
  # 80 MB of zeros, which take no place on the disk
  header <- "{'descr': '<f8', 'fortran_order': False, 'shape': (10000, 1000)}"
  file <- file_of(npy_header_bytes(header), ".npy")
  size <- file.size(file) + 8e7
  connection <- file(file, "r+b")
  seek(connection, size - 8, rw = "write")
  writeBin(7, connection, endian = "little")
  close(connection)
  skip_if(file.size(file) != size, "this file system has no sparse files")
  expect_refused(read_representation(file), c("would take about 76.3 Mb", "rows ="))
  m <- read_representation(file, rows = c(10000, 3))
  expect_identical(dim(m), c(2L, 1000L))
  expect_identical(m[1, 1000], 7)
  expect_identical(sum(m), 7)
})

test_that("damaged .npy files are errors of class repalign_error_file", {
  refused <- function(bytes, pattern) {
    error <- expect_refused(read_representation(file_of(bytes, ".npy")), pattern)
    expect_s3_class(error, "repalign_error_file")
  }
  good <- npy_bytes(matrix(1:6 + 0, 2))
  head <- function(text) c(npy_header_bytes(text), raw(48))
  refused(raw(), "is empty")
  refused(as.raw(1:50), "no .npy file")
  refused(charToRaw("PK\003\004 and so on"), "looks like an archive")
  refused(good[1:11], "cut off within its header")
  refused(good[1:40], "cut off within its header")
  refused(utils::head(good, -1), "is cut off: its header speaks of 48 bytes of numbers, .* 47")
  refused(c(good, raw(3)), "goes on after its array \\(3 bytes\\)")
  refused(replace(good, 7, as.raw(9)), "version 9.0")
  refused(replace(good, 9:10, as.raw(255)), "cut off within its header")
  refused(replace(good, 20, as.raw(0)), "damaged header: it is not text")
  refused(npy_header_bytes(strrep(" ", 70000), version = 2), "which no array of numbers needs")
  refused(head("{'descr': '<f8', 'fortran_order': False}"), "damaged header")
  refused(head("{'descr': '<f8', 'fortran_order': 1, 'shape': (2, 3)}"), "damaged header")
  refused(head("__import__('os').system('true')"), "damaged header")
  refused(head("{'descr': '<f8', 'fortran_order': False, 'shape': (2, -3)}"), "damaged header")
  for (shape in c("(6)", "(1 2, 3)", "(2,, 3)", "(, 6)", "(L, 6)", "(2 L, 3)")) {
    refused(head(paste0("{'descr': '<f8', 'fortran_order': False, 'shape': ", shape, "}")),
            "is no shape")
  }
  refused(head("'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}"), "damaged header")
  refused(head("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)"), "damaged header")
  refused(head("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'x': 1}"), "damaged")
  refused(head("{'descr': '<f8', 'descr': '<f8', 'shape': (2, 3)}"), "damaged header")
  refused(head("{'descr': '<f7', 'fortran_order': False, 'shape': (2, 3)}"), "of another size")
  refused(head("{'descr': '<f16', 'fortran_order': False, 'shape': (2, 3)}"), "astype")
  huge <- c("(4294967296, 4294967296)", "(9223372036854775807, 2)",
            paste0("(", strrep("9", 400), ", 2)"))
  for (shape in huge) {
    refused(head(paste0("{'descr': '<f8', 'fortran_order': False, 'shape': ", shape, "}")),
            "is cut off")
  }
  refused(head("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 18446744073709551616)}"),
          "without numbers")
})

test_that("a sparse matrix of scipy is an error", {
  bytes <- readBin(fixture("deflated.npz"), "raw", 1e5)
  names <- c(number.npy = "format.npy", dates.npy = "shape.npy", cube.npy = "data.npy")
  for (old in names(names)) for (at in grepRaw(old, bytes, fixed = TRUE, all = TRUE)) {
    bytes[at + seq_len(nchar(old)) - 1] <- charToRaw(names[[old]])
  }
  expect_refused(read_representation(file_of(bytes, ".npz")), "x.toarray\\(\\)")
})

test_that("damaged archives are errors", {
  bytes <- readBin(fixture("savez.npz"), "raw", 1e4)
  refused <- function(bytes, pattern) {
    error <- expect_refused(read_representation(file_of(bytes, ".npz")), pattern)
    expect_s3_class(error, "repalign_error_file")
  }
  refused(utils::head(bytes, -30), "no archive")
  refused(as.raw(1:60), "no archive")
  # the length that the directory at the end speaks of (at byte 24 of the entry)
  entry <- which(bytes == as.raw(1) & c(bytes[-1], as.raw(0)) == as.raw(2))
  entry <- entry[entry > 100] - 2
  refused(replace(bytes, entry[1] + 24:27, as.raw(c(0, 0, 0, 0x7f))), "damaged")
})

# --- .safetensors ----------------------------------------------------------------

test_that("safetensors are read", {
  skip_if_not_installed("jsonlite")
  m <- matrix(c(0, 1, 2, 3, 100, 120), 2)
  types <- c(F64 = "f8", F32 = "f4", BF16 = "bf", I64 = "i8", I32 = "i4", I16 = "i2", I8 = "i1",
             U64 = "u8", U32 = "u4", U16 = "u2", U8 = "u1")
  tensors <- Map(function(type, code) list(type = type, code = code, values = m), names(types),
                 types)
  names(tensors)[3] <- names(types)[3] <- "100%"
  tensors$cube <- list(type = "F32", code = "f4", values = cube)
  file <- file_of(safetensors_bytes(tensors), ".safetensors")
  expect_setequal(array_names(file), names(tensors))
  for (name in names(types)) {
    expect_identical(read_representation(file, name), m, info = name)
    expect_identical(read_representation(file, name, rows = 2), m[2, , drop = FALSE], info = name)
  }
  expect_identical(quiet(file, "cube"), matrix(0:23 + 0, 2, byrow = TRUE))
  expect_identical(read_representation(file, "cube", flatten = FALSE), cube)
  expect_identical(quiet(file)[names(types)], stats::setNames(rep(list(m), 11), names(types)))
})

test_that("half floats and truth values of safetensors are read", {
  skip_if_not_installed("jsonlite")
  header <- paste0("{\"h\":{\"dtype\":\"F16\",\"shape\":[2,2],\"data_offsets\":[0,8]},",
                   "\"b\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[8,10]}}")
  halves <- as.raw(c(0, 0x3c, 0, 0xc0, 1, 0, 0xff, 0x7b)) # 1, -2, 2^-24, 65504
  file <- file_of(safetensors_raw(header, c(halves, as.raw(c(1, 0)))), ".safetensors")
  expect_identical(read_representation(file, "h"), rbind(c(1, -2), c(2^-24, 65504)))
  expect_identical(read_representation(file, "b"), cbind(c(1, 0)))
})

test_that("damaged safetensors are errors", {
  skip_if_not_installed("jsonlite")
  refused <- function(header, pattern, data = raw(48), ...) {
    file <- file_of(safetensors_raw(header, data, ...), ".safetensors")
    error <- expect_refused(read_representation(file), pattern)
    expect_s3_class(error, "repalign_error_file")
  }
  tensor <- function(dtype = "\"F64\"", shape = "[2,3]", offsets = "[0,48]") {
    paste0("{\"x\":{\"dtype\":", dtype, ",\"shape\":", shape, ",\"data_offsets\":", offsets, "}}")
  }
  refused(tensor(), "cut off", length = 1e6)
  refused(tensor(), "damaged header", length = 20)
  refused(tensor(), "damaged or cut off: .* 0 to 48 of 40", data = raw(40))
  refused(tensor(offsets = "[8,56]"), "would lie")
  refused(tensor(offsets = "[48,0]"), "would lie")
  refused(tensor(offsets = "[0,40]"), "does not have as many bytes")
  refused(tensor(offsets = "[0]"), "damaged header")
  refused(tensor(offsets = "[-8,40]"), "damaged header")
  refused(tensor(shape = "[2,\"a\"]"), "damaged header")
  refused(tensor(shape = "6"), "damaged header")
  refused(tensor(shape = "[2,1.5]"), "damaged header")
  refused(tensor(shape = "[]"), "single number")
  refused(tensor(shape = "[0,3]", offsets = "[0,0]"), "without numbers")
  refused(tensor(shape = "[4294967296,4294967296]"), "does not have as many")
  refused(tensor(dtype = "\"F8_E4M3\""), "type \"F8_E4M3\", but only")
  refused(tensor(dtype = "3"), "damaged header")
  refused("{}", "holds no array")
  refused("[1,2]", "not the JSON")
  refused(paste0("\ufeff", tensor()), "not the JSON")
  refused("{\"x\":1}", "damaged header")
  refused("{\"x\":{},\"x\":{}}", "must be there, and differ")
  refused("{\"x\":", "damaged header")
  refused("{%s%n%s%d", "not the JSON") # jsonlite would die of it
  refused("{\"%s\\%s%d\":%s%n%s%d", "not the JSON")
  refused(strrep("[", 2e6), "damaged header") # would overflow the stack of the parser
  refused(paste0("{\"x\":\"", strrep("[", 10), "\"}"), "must say `dtype`")
})

test_that("without jsonlite there is a clear error", {
  local_internal("requireNamespace", function(...) FALSE, baseenv())
  file <- file_of(safetensors_raw("{}", raw(8)), ".safetensors")
  expect_refused(read_representation(file), "needs the package \"jsonlite\"")
})

# --- Tables ----------------------------------------------------------------------

text_file <- function(lines, ending = ".csv", frame = parent.frame()) {
  file_of(charToRaw(paste0(paste(lines, collapse = "\n"), "\n")), ending, frame)
}

test_that("tables are read with and without names", {
  m <- matrix(c(1, 2, 0.5, -4), 2)
  expect_identical(read_representation(text_file(c("1,0.5", "2,-4"))), m)
  named <- `colnames<-`(m, c("a", "b"))
  expect_identical(read_representation(text_file(c("a,b", "1,0.5", "2,-4"))), named)
  expect_identical(read_representation(text_file(c("a\tb", "1\t0.5", "2\t-4"), ".tsv")), named)
  both <- `rownames<-`(named, c("car", "face"))
  for (first in c("\"\",\"a\",\"b\"", "image,a,b", "Unnamed: 0,a,b", "a,b", "\ufeffimage,a,b")) {
    expect_identical(read_representation(text_file(c(first, "car,1,0.5", "face,2,-4"))), both,
                     info = first)
  }
  expect_identical(read_representation(text_file(c("", "", "1,0.5", "2,-4"))), m)
  expect_identical(read_representation(text_file(c("", "a,b", "1,0.5", "2,-4")), rows = 2),
                   named[2, , drop = FALSE])
  # numbers in a column without a name are names of stimuli, unless they count the rows
  expect_identical(read_representation(text_file(c(",a,b", "0,1,0.5", "1,2,-4"))), named)
  expect_identical(rownames(read_representation(text_file(c(",a,b", "7,1,0.5", "3,2,-4")))),
                   c("7", "3"))
  expect_identical(read_representation(text_file(c("car,1,0.5", "face,2,-4"))),
                   `dimnames<-`(both, list(rownames(both), NULL)))
})

test_that("numbers of rows in another order are names, also where some rows are read", {
  m <- matrix(c(1, 3, 2, 5, 4, 0), 6, 2, dimnames = list(1:6, c("a", "b")))
  m[, 2] <- m[, 1]^2
  counted <- withr::local_tempfile(fileext = ".csv")
  moved <- withr::local_tempfile(fileext = ".csv")
  write.csv(m, counted)
  write.csv(m[c(1, 3, 2, 4:6), ], moved)
  x <- read_representation(counted)
  expect_null(rownames(x))
  expect_null(rownames(read_representation(counted, rows = c(4, 1))))
  y <- read_representation(moved)
  expect_identical(rownames(y), c("1", "3", "2", "4", "5", "6"))
  for (rows in list(1, c(4, 1), 2:3)) {
    expect_identical(read_representation(moved, rows = rows), y[rows, , drop = FALSE])
  }
  expect_warning(cka(x, y), "names of `y` are the numbers 1 to 6 in another order.*rows of `x`",
                 class = "repalign_one_sided_names")
  # leading zeros belong to the names, which count nothing then
  padded <- text_file(c(",a,b", "\"00\",1,0.5", "\"01\",2,-4"))
  expect_identical(rownames(read_representation(padded)), c("00", "01"))
  rownames(y) <- c(10, 30, 20, 40, 50, 60)
  expect_message(cka(x, y), "in the order of `y`[.]\n$", class = "repalign_one_sided_names")
})

test_that("what write.csv() and write.table() wrote comes back, also compressed", {
  m <- matrix(c(1, 2.5, NA, 4), 2, dimnames = list(c("x y", "b"), c("p", "q,r")))
  file <- withr::local_tempfile(fileext = ".csv.gz")
  write.csv(m, gzfile(file))
  expect_identical(read_representation(file), m)
  expect_identical(read_representation(file, rows = c(2, 1, 2)), m[c(2, 1, 2), ])
  file <- withr::local_tempfile(fileext = ".tsv")
  write.table(m, file, sep = "\t")
  expect_identical(read_representation(file), m)
})

test_that("numbers that count columns are names, with a message", {
  file <- text_file(c("0,1,2", "5,6,7", "8,9,1"))
  expect_message(m <- read_representation(file), "taken for names", class = "repalign_header")
  expect_identical(m, rbind(c(5, 6, 7), c(8, 9, 1), deparse.level = 0) |>
                     `colnames<-`(c("0", "1", "2")))
  # the first number of a table without names may be missing
  file <- text_file(c(",2,3", "1,5,6", "4,8,9"))
  expect_message(read_representation(file), "2 and 3. was taken", class = "repalign_header")
  expect_no_message(read_representation(text_file(c("\"\",\"2\",\"3\"", "1,5,6", "4,8,9"))))
  expect_no_message(read_representation(text_file(c(",0,1", "a,5,6", "b,8,9"))))
  one <- text_file(c("0", "0.5", "-2.25"))
  expect_message(m <- read_representation(one), class = "repalign_header")
  expect_identical(m, cbind("0" = c(0.5, -2.25)))
  expect_silent(m <- read_representation(text_file(c("0", "1", "2"))))
  expect_length(m, 3)
  # a value of 0 above whole numbers or floats that are not all written as such
  expect_length(read_representation(text_file(c("0", "0.5", "1"))), 3)
  expect_length(read_representation(text_file("0")), 1)
})

test_that("numbers with blanks are no names of stimuli", {
  expect_refused(read_representation(text_file(c("u,v", "1 000,2", "1 001,5"))),
                 c("\"1 000\" in row 1 of its first column", "quotes"))
})

test_that("a first column without a name that counts the rows is no neuron", {
  lines <- paste0(0:14, ",", 0:14 / 8)
  expect_refused(read_representation(text_file(lines)), "looks like an identifier")
  expect_refused(read_representation(text_file(lines), rows = 12:13), "looks like an identifier")
  # whole numbers, and another order, tell nothing
  for (other in list(paste0(0:14, ",", 3), lines[c(2:1, 3:15)])) {
    expect_identical(ncol(read_representation(text_file(other))), 2L)
  }
})

test_that("names of columns and rows may be numbers where quotes or their places tell", {
  m <- matrix(c(1, 2, 0.5, -4), 2, dimnames = list(c("17", "4"), c("57", "12")))
  bare <- `rownames<-`(m, NULL)
  csv <- withr::local_tempfile(fileext = ".csv")
  read_again <- function(...) {
    write.table(..., file = csv, sep = ",")
    found <- read_representation(csv)
    expect_identical(read_representation(csv, rows = c(2, 1, 2)), found[c(2, 1, 2), , drop = FALSE])
    found
  }
  expect_identical(read_again(bare, row.names = FALSE), bare)
  expect_identical(read_again(bare[, 1, drop = FALSE], row.names = FALSE), bare[, 1, drop = FALSE])
  # a line of names that is one field shorter than the others, as write.table() writes it
  expect_identical(read_again(m), m)
  # without quotes they are data
  expect_refused(read_again(m, quote = FALSE), "line 2 has 3 fields")
  expect_identical(read_again(`rownames<-`(m, 1:2)), bare)
  # quoted names of rows beside numbers, without and with a name of their column
  expect_identical(read_again(m, col.names = FALSE), `colnames<-`(m, NULL))
  named <- data.frame(image = c("17", "4"), bare, check.names = FALSE)
  expect_identical(read_again(named, row.names = FALSE), m)
  # quotes around everything, or around nothing, tell nothing
  expect_identical(unname(read_representation(text_file(c("\"5\",\"7\"", "\"1\",\"2\"")))),
                   rbind(c(5, 7), c(1, 2)))
  expect_identical(unname(read_representation(text_file(c("57,12", "1,2")))), rbind(c(57, 12), 1:2))
})

test_that("short tables need no line break at their end", {
  m <- matrix(seq_len(24) + 0.5, 12, dimnames = list(NULL, c("a", "b")))
  for (n in c(1:5, 9:12)) {
    text <- paste(c("\ufeffa,b", paste(m[1:n, 1], m[1:n, 2], sep = ",")), collapse = "\r\n")
    expect_identical(read_representation(file_of(charToRaw(text), ".csv")), m[1:n, , drop = FALSE])
    packed <- file_of(memCompress(charToRaw(text), "gzip"), ".csv.gz")
    connection <- gzfile(packed, "wb")
    writeBin(charToRaw(text), connection)
    close(connection)
    expect_identical(read_representation(packed), m[1:n, , drop = FALSE])
    expect_identical(read_representation(packed, rows = n), m[n, , drop = FALSE])
  }
  lines <- c("name,a", "\"two", "lines\",3")
  file <- file_of(charToRaw(paste(lines, collapse = "\n")), ".csv")
  expect_identical(read_representation(file), cbind(a = c("two\nlines" = 3)))
})

test_that("a text among the numbers of the first column does not turn a neuron into names", {
  for (bad in c("n/a", ".", "0.5x", "-")) {
    file <- text_file(c("a,b", "1,2", "3,4", paste0(bad, ",5"), "0.1,2"))
    expect_refused(read_representation(file), "among the numbers of its first column")
    expect_refused(read_representation(file, rows = 1:2), "among the numbers of its first column")
  }
  expect_identical(unname(read_representation(text_file(c("a,b", "TRUE,2", "FALSE,4", "NA,5")))),
                   cbind(c(1, 0, NA), c(2, 4, 5)))
  # quotes say that these are names, and so does a column without a name
  m <- cbind(b = c(2, 4, 5))
  labels <- c("1", "3", "n/a")
  for (lines in list(c("a,b", "\"1\",2", "\"3\",4", "\"n/a\",5"), c(",b", "1,2", "3,4", "n/a,5"),
                     c("b", "1,2", "3,4", "n/a,5"))) {
    expect_identical(read_representation(text_file(lines)), `rownames<-`(m, labels))
  }
  truth <- text_file(c("\"b\",\"c\"", "\"T\",1,2", "\"F\",3,4"))
  expect_identical(rownames(read_representation(truth)), c("T", "F"))
})

test_that("names and numbers are not mixed in a first column, however few rows there are", {
  for (bad in c("-", "1 000", "1_000", "1d3", "1L")) {
    lines <- c("a,b", "1,2", paste0(bad, ",4"))
    expect_refused(read_representation(text_file(lines)),
                   paste0("\"", bad, "\" in row 2 among .* \\(\"1\" in row 1\\)"))
    expect_refused(read_representation(text_file(lines[-1])), "row 2 among the numbers")
  }
  # also most of them texts, and beyond the first lines
  expect_refused(read_representation(text_file(c("a,b", "x,1", "y,2", "3,4"))), "\"3\" in row 3")
  late <- text_file(c("a,b", rep("x,1", 11), "7,2"))
  expect_refused(read_representation(late), "\"7\" in row 12")
  expect_refused(read_representation(late, rows = c(12, 2)), "\"7\" in row 12")
  m <- `rownames<-`(cbind(b = c(2, 4)), c("1a", "2b"))
  expect_identical(read_representation(text_file(c("id,b", "1a,2", "2b,4"))), m)
  rownames(m) <- c("17", "4")
  expect_identical(read_representation(text_file(c("id,b", "\"17\",2", "\"4\",4"))), m)
})

test_that("lines of other lengths are errors that name the line of the file", {
  refused <- function(lines, pattern, ...) {
    packed <- withr::local_tempfile(fileext = ".csv.gz")
    connection <- gzfile(packed, "w")
    writeLines(lines, connection)
    close(connection)
    for (file in c(text_file(lines), packed, text_file(paste0(lines, "\r")))) {
      expect_refused(read_representation(file, ...), pattern)
    }
  }
  # a line of numbers is none of names
  refused(c("0.1,0.2", "0.3,0.4,0.5", "1,2,3"), "line 2 has 3 fields, and .* before it has 2[.]")
  refused(c("1,2,3", "4,5,6,7", "8,9,10,11"), "line 2 has 4 fields, and .* before it has 3[.]")
  refused(c("car,1", "face,2,3"), "line 2 has 3 fields")
  refused(c("1,2", "3,4,5"), "line 2 has 3 fields", rows = 1)
  refused(c("a,b", "1,2,", "3,4,"), "line 2 has 3 fields")
  refused(c("a,b,c", "1,2", "3,4"), "line 2 has 2 fields, and .* before it has 3[.]")
  # a comment is none of names, unless it names all columns
  refused(c("# acts", "1,2", "4,5"), c("line 2 has 2 fields", "take out a comment"))
  expect_identical(read_representation(text_file(c("# a,b", "1,2", "4,5"))),
                   cbind(a = c(1, 4), b = c(2, 5)))
  # blank lines, names and line breaks in quotes are counted
  top <- c("", "name,a", "x,1", "", "\"y", "y\",2")
  refused(c(top, "z"), "line 7 has 1 field, and .* before it has 2[.]")
  refused(c(top, rep(c("", "z,3"), 20), "z,3,4"), "line 47 has 3 fields")
  refused(c("a,b", rep("1,2", 20), "3", "5,6"), "line 22 has 1 field,", rows = c(22, 21))
  # twice as many fields are no two rows
  refused(c(rep("1,2", 9), "3,4,5,6"), "line 10 has 4 fields")
  refused(c(1:9, "3,4"), "line 10 has 2 fields")
  expect_refused(read_representation(text_file(c("a,b", "1,2", "\"3,4"))), "text in quotes")
  # what comes from a connection has rows alone
  lines <- textConnection(c("1 2", "", "3 4", "5", "6 7"))
  on.exit(close(lines))
  expect_refused(stream_cka(list(x = lines, y = matrix(1:8, 4))), "row 3 has 1 field")
})

test_that("tables in other encodings are errors wherever the text is", {
  latin <- function(..., frame = parent.frame()) {
    file_of(c(charToRaw("name,a\n"), ..., charToRaw(",1\nx,2\n")), ".csv", frame)
  }
  expect_refused(read_representation(latin(charToRaw("caf"), as.raw(0xe9))), "no text in UTF-8")
  named <- read_representation(latin(charToRaw("caf\u00e9")))
  expect_identical(rownames(named), c("caf\u00e9", "x"))
  bad <- file_of(c(charToRaw("a,b\n1,2\n3,"), as.raw(0xff), charToRaw("\n")), ".csv")
  expect_refused(read_representation(bad), "no text in UTF-8")
})

test_that("zero bytes in a table are an error, also where only some rows are read", {
  file <- file_of(c(charToRaw("a,b\n1,2"), as.raw(0), charToRaw("3\n4,5\n")), ".csv")
  for (rows in list(NULL, 1, 2)) expect_refused(read_representation(file, rows = rows), "zero")
  wide <- file_of(as.raw(rbind(as.integer(charToRaw("a,b\n1,2\n")), 0L)), ".csv")
  expect_refused(read_representation(wide, rows = 1), "zero")
})

test_that("rows of tables are those of the whole table", {
  m <- matrix(seq_len(5000), 2500, dimnames = list(NULL, c("a", "b"))) + 0
  file <- withr::local_tempfile(fileext = ".csv")
  write.csv(m, file, row.names = FALSE)
  for (rows in list(1, 2500, c(1000, 1001, 3), c(2, 2))) {
    expect_identical(read_representation(file, rows = rows), m[rows, , drop = FALSE])
  }
  expect_refused(read_representation(file, rows = 2501), "row 2501, but .* has 2500 rows")
})

test_that("tables that are no matrices are errors", {
  refused <- function(lines, pattern, ...) {
    expect_refused(read_representation(text_file(lines), ...), pattern)
  }
  refused(c("a,b", "1,2", "3,x"), "\"x\" in row 2, column 2 \\(\"b\"\\)")
  refused(c("a,b,c", "1,2,3", "3,x,2", "4,5,6"), "\"x\" in row 2, column 2", rows = 2:3)
  refused(c("a,b", "1,2", "3,1i"), "\"1i\" in row 2, column 2")
  refused(c("a;b", "1;2"), "semicolons")
  refused("a,b", "no rows")
  refused(c("a,b", "1,2", "3"), "cannot be read as a table")
  refused(c("id,b", "9007199254740993,2"), "beyond 2\\^53")
  refused(c("id,b", ",2", "x,3"), "no name of the stimulus in row 1")
  expect_identical(unname(read_representation(text_file(c("a,b", "9007199254740992,1e+20")))),
                   cbind(2^53, 1e20))
  expect_refused(read_representation(file_of(as.raw(c(0xff, 0xfe, 0x0a, 0x31)), ".csv")), "UTF-8")
})

test_that("the time to read a table goes with its size, also where it is wide", {
  skip_unless_extended()
  seconds <- function(columns) {
    m <- matrix(c(0.25, -1, 12.5), 6, columns)
    file <- text_file(c(paste0("n", seq_len(columns), collapse = ","),
                        apply(m, 1, paste, collapse = ",")))
    expect_identical(unname(read_representation(file)), m)
    min(replicate(2, system.time(read_representation(file))[["user.self"]]))
  }
  # of the square, 16 would remain
  expect_lt(seconds(20000) / seconds(5000), 9)
})

test_that("a compressed table is refused by the size of its text", {
  file <- withr::local_tempfile(fileext = ".csv.gz")
  connection <- gzfile(file, "wb")
  for (i in 1:20) writeLines(strrep("0,", 1e5), connection)
  close(connection)
  expect_lt(file.size(file), 1e4)
  withr::local_options(repalign.max_memory = 5e7)
  expect_refused(read_representation(file), c("would take about", "rows ="))
  expect_refused(read_representation(file, rows = 1:15), "would take about")
  expect_identical(dim(read_representation(file, rows = 1)), c(1L, 100001L))
})

test_that("a missing value in the first line makes it none of names", {
  m <- rbind(c(1, NA, 2), c(3, 4, 5))
  expect_identical(read_representation(text_file(c("1,NA,2", "3,4,5"))), m)
  expect_identical(read_representation(text_file(c("1\tNA\t2", "3\t4\t5"), ".tsv"), rows = 2:1),
                   m[2:1, ])
  expect_identical(read_representation(text_file(c("x,1,NA,2", "y,3,4,5"))),
                   `rownames<-`(m, c("x", "y")))
})

test_that("rows of missing values, quoted truth values and names across lines are kept", {
  m <- rbind(c(1, 2), c(NA, NA), c(3, 4))
  tabs <- text_file(c("1\t2", "\t", "3\t4"), ".tsv")
  expect_identical(read_representation(tabs), m)
  expect_identical(read_representation(tabs, rows = 2:3), m[2:3, ])
  truth <- text_file(c("name,b,c", "\"T\",1,2", "\"F\",3,4"))
  expect_identical(rownames(read_representation(truth)), c("T", "F"))
  lines <- text_file(c("\"a", "b\",c", "1,2", "3,4"))
  expect_identical(read_representation(lines), cbind("a\nb" = c(1, 3), c = c(2, 4)))
})

# --- .rds ------------------------------------------------------------------------

test_that(".rds files hold arrays or lists of them", {
  saved <- function(x, frame = parent.frame()) {
    path <- withr::local_tempfile(fileext = ".rds", .local_envir = frame)
    saveRDS(x, path)
    path
  }
  m <- matrix(1:6 + 0, 2, dimnames = list(c("a", "b"), NULL))
  expect_identical(read_representation(saved(m)), m)
  expect_identical(read_representation(saved(m), rows = 2), m["b", , drop = FALSE])
  expect_identical(array_names(saved(m)), character())
  layers <- list(one = m, deep = list(two = m + 1, word = "x", t = data.frame(a = 1:2, b = 3:4)))
  expect_identical(array_names(saved(layers)), c("deep/t", "deep/two", "one"))
  expect_identical(read_representation(saved(layers), "deep/two"), m + 1)
  expect_identical(read_representation(saved(layers), "deep/t"),
                   matrix(1:4 + 0, 2, dimnames = list(NULL, c("a", "b"))))
  expect_message(all <- read_representation(saved(layers)), "deep/word",
                 class = "repalign_left_out")
  expect_identical(all[3:2], list(one = m, "deep/two" = m + 1))
  a <- array(1:24 + 0, 2:4, dimnames = list(c("x", "y"), NULL, NULL))
  expect_identical(quiet(saved(a)), matrix(a, 2, dimnames = list(c("x", "y"), NULL)))
  expect_identical(read_representation(saved(a), flatten = FALSE), a)
  expect_identical(read_representation(saved(a), rows = 2, flatten = FALSE), a[2, , , drop = FALSE])
  expect_identical(read_representation(saved(1:3)), cbind(1:3 + 0))
  expect_refused(read_representation(saved("x")), "holds a character vector, not an array")
  expect_refused(read_representation(saved(matrix(0, 0, 3))), "without numbers")
  nested <- Reduce(function(x, level) list(x), 1:1000, matrix(1:4, 2))
  expect_refused(read_representation(saved(nested)), "lists within lists")
  expect_refused(read_representation(file_of(as.raw(1:20), ".rds")), "cannot be read by readRDS")
})

test_that("objects of a class in .rds files are refused, as lists too, and skipped within lists", {
  saved <- function(x, frame = parent.frame()) {
    path <- withr::local_tempfile(fileext = ".rds", .local_envir = frame)
    saveRDS(x, path)
    path
  }
  m <- matrix(1:4 + 0.5, 2)
  objects <- list(structure(m, class = "own"), structure(list(a = m), class = "own"), stats::ts(m),
                  numeric_version("1.2"), responses(array(1:24 + sin(1:24), c(4, 3, 2))),
                  dist(m), Sys.time(), factor(1:2), structure(1:2, class = c("time", "integer64")))
  for (x in objects) {
    expect_refused(read_representation(saved(x)), c("an object of class", "unclass\\(\\)"))
    expect_identical(array_names(saved(x)), character())
    inside <- saved(list(a = x, b = m, c = m))
    expect_identical(array_names(inside), c("b", "c"))
    expect_identical(read_representation(inside, "b"), m)
  }
  expect_identical(array_names(saved(list("no number"))), character())
})

# --- HDF5 and MATLAB -------------------------------------------------------------

# hdf5r collects garbage whenever a file is closed, which takes most of the time of these tests.
skip_without_hdf5r <- function(frame = parent.frame()) {
  skip_if_not_installed("hdf5r")
  local_internal("gc", function(...) invisible(), baseenv(), frame)
}

test_that("HDF5 files are read with the axes that h5py showed", {
  skip_without_hdf5r()
  file <- fixture("h5py.h5")
  m <- matrix(0:5 + 0, 3, byrow = TRUE)
  expect_identical(read_representation(file, "units/rates"), m)
  expect_identical(read_representation(file, "/units/rates", rows = c(3, 1, 3)), m[c(3, 1, 3), ])
  expect_identical(quiet(file, "units/cube"), matrix(0:23 + 0, 2, byrow = TRUE))
  expect_identical(read_representation(file, "units/cube", flatten = FALSE), cube)
  expect_identical(read_representation(file, "units/cube", 2, FALSE), cube[2, , , drop = FALSE])
  expect_identical(read_representation(file, "units/spike_times", flatten = FALSE),
                   c(0.01, 0.02, 0.15, 1.03))
  expect_identical(read_representation(file, "units/spike_times_index"), cbind(c(3, 4)))
  packed <- matrix(0:199 + 0, 20, byrow = TRUE)
  expect_identical(read_representation(file, "packed"), packed)
  expect_identical(read_representation(file, "packed", rows = c(20, 7)), packed[c(20, 7), ])
  expect_identical(read_representation(file, "whole"), rbind(c(1, 2^53), c(-2^53, 2^40)))
  expect_identical(read_representation(file, "truth"), cbind(1, 0))
  expect_identical(read_representation(file, "half"), cbind(0.5, 1.5))
  expect_identical(read_representation(file, "big_endian"), cbind(0.5, 1.5))
})

test_that("names of HDF5 files are those of arrays of numbers", {
  skip_without_hdf5r()
  file <- fixture("h5py.h5")
  expect_setequal(array_names(file), c(
    "big_endian", "half", "huge", "large", "lowest", "packed", "truth", "units/cube", "units/rates",
    "units/spike_times", "units/spike_times_index", "whole"
  ))
  expect_message(all <- quiet(file), "complex.*large.*text", class = "repalign_left_out")
  expect_identical(names(all), setdiff(array_names(file), c("huge", "large", "lowest")))
  expect_refused(read_representation(file, "units"), "has a group \"units\": say which")
  expect_refused(read_representation(file, "units/rate"), "did you mean \"units/rates\"")
  expect_refused(read_representation(file, "text"), "no array of numbers")
  expect_refused(read_representation(file, "complex"), "records or complex numbers")
  expect_refused(read_representation(file, "none"), "without numbers")
  expect_refused(read_representation(file, "nothing"), "a single value or none")
  expect_refused(read_representation(file, "number"), "a single value or none")
  expect_refused(read_representation(file, "large"), "beyond 2\\^53")
  expect_refused(read_representation(file, "huge"), "beyond 2\\^53")
  expect_refused(read_representation(file, "lowest"), "beyond 2\\^53")
  expect_refused(read_representation(file, "whole", rows = 3), "row 3, but .* has 2 rows")
  expect_refused(read_representation(file_of(as.raw(1:200), ".h5")),
                 "cannot be opened as an HDF5.*signature")
})

test_that("an HDF5 file is opened and listed once, however many arrays are read, and closed", {
  skip_without_hdf5r()
  file <- withr::local_tempfile(fileext = ".h5")
  open <- hdf5r::H5File$new(file, "w")
  for (name in letters[1:5]) open[[name]] <- normal_matrix(4, 10)
  open$close_all()
  # once before it is opened
  expect_identical(count_calls("close_hdf5", read_representation(file)), 2L)
  resume <- file.path(withr::local_tempdir(), "tiles")
  for (f in c(read_representation, similarity, function(file) similarity(file, resume = resume))) {
    expect_identical(count_calls("hdf5_datasets", suppressMessages(f(file))), 1L)
  }
  expect_refused(read_representation(file, c("a", "f")), "no array of numbers \"f\"")
  # another program may write it now
  hdf5r::H5File$new(file, "r+")$close_all()
  expect_null(opened$file)
})

test_that("what other programs write into HDF5 files is named in errors", {
  skip_without_hdf5r()
  path <- withr::local_tempfile(fileext = ".h5")
  open <- hdf5r::H5File$new(path, "w")
  open[["x"]] <- matrix(1:6 + 0, 2)
  open[["words"]] <- c("a", "b")
  open[["with_na"]] <- c(1L, NA)
  sparse <- open$create_group("sparse")
  hdf5r::h5attr(sparse, "MATLAB_sparse") <- 3L
  sparse[["data"]] <- c(1, 2)
  open$close_all()
  expect_setequal(array_names(path), c("x", "with_na"))
  expect_refused(read_representation(path, "words"), "no array of numbers but texts")
  expect_refused(read_representation(path, "sparse"), "save full\\(sparse\\)")
  expect_identical(read_representation(path, "with_na"), cbind(c(1, NA)))
  expect_refused(read_representation(fixture("lzf.h5")), "compressed by \"lzf\"")
})

test_that("MATLAB's files of version 7.3 are read with MATLAB's axes", {
  skip_without_hdf5r()
  file <- fixture("matlab73.mat")
  m <- matrix(0:5 + 0, 3, byrow = TRUE)
  expect_setequal(array_names(file), c("x", "cube"))
  expect_identical(read_representation(file, "x"), m)
  expect_identical(read_representation(file, "x", rows = c(3, 1)), m[c(3, 1), ])
  expect_identical(read_representation(file, "cube", flatten = FALSE), cube)
  expect_identical(quiet(file, "cube"), matrix(cube, 2))
  expect_refused(read_representation(file, "word"), "MATLAB's char")
})

test_that("older files of MATLAB are read, also compressed ones", {
  m <- matrix(0:5 + 0, 3, byrow = TRUE)
  good <- c("x", "cube", "my_name", "small", "truth", "int16", "uint16", "int32", "sparse")
  for (file in fixture(c("matlab5.mat", "matlab7.mat"))) {
    expect_setequal(array_names(file), c(good, "uint32", "int64"))
    expect_identical(read_representation(file, "x"), m)
    expect_identical(read_representation(file, "x", rows = c(3, 1)), m[c(3, 1), ])
    expect_identical(read_representation(file, "cube", flatten = FALSE), cube)
    expect_identical(quiet(file, "cube"), matrix(cube, 2))
    expect_identical(read_representation(file, "my_name"), cbind(1.5, -2))
    expect_identical(read_representation(file, "small"), cbind(-3, 120))
    expect_identical(read_representation(file, "truth"), cbind(1, 0))
    expect_identical(read_representation(file, "int16"), cbind(-300, 300))
    expect_identical(read_representation(file, "uint16"), cbind(0, 65535))
    expect_identical(read_representation(file, "int32"), cbind(-2^31 + 1, 2^31 - 1))
    expect_identical(read_representation(file, "sparse"), diag(c(1, 2, 3)))
    expect_identical(read_representation(file, "uint32"), cbind(1, 2^32 - 1))
    expect_identical(read_representation(file, "int64"), cbind(1, 2^40))
    expect_refused(read_representation(file, "word"), "MATLAB's char")
    expect_refused(read_representation(file, "record"), "MATLAB's struct")
    expect_refused(read_representation(file, "complex"), "complex numbers")
    expect_refused(read_representation(file, "empty"), "without numbers")
  }
  bytes <- readBin(fixture("matlab5.mat"), "raw", 1e4)
  expect_refused(read_representation(file_of(bytes[1:300], ".mat"), "x"), "cut off or damaged")
  expect_refused(read_representation(file_of(bytes[1:100], ".mat"), "x"), "no MATLAB file")
})

test_that("MATLAB files of other machines, with objects and with sparse matrices are read", {
  m <- matrix(c(1.5, -2, 3, 4, 5, 6), 2)
  doubles <- function(endian) mat5_element(9, writeBin(c(m), raw(), endian = endian), endian)
  big <- mat5_variable_bytes("reversed", dim(m), 6, doubles("big"), endian = "big")
  file <- file_of(mat5_file_bytes(big, endian = "big"), ".mat")
  expect_identical(read_representation(file), m)
  # what MATLAB writes of a string, and of what belongs to it
  words <- c(mat5_element(6, little(c(17, 0), 4)), mat5_element(1, charToRaw("words")),
             mat5_element(1, charToRaw("MCOS")), mat5_element(1, charToRaw("string")))
  own <- mat5_variable_bytes("", c(1, 8), 9, mat5_element(2, raw(8)))
  x <- mat5_variable_bytes("x", dim(m), 6, doubles("little"))
  for (bytes in list(c(mat5_element(14, words), x, own),
                     c(mat5_packed(mat5_element(14, words)), mat5_packed(x), mat5_packed(own)))) {
    file <- file_of(mat5_file_bytes(bytes), ".mat")
    expect_identical(array_names(file), "x")
    expect_identical(read_representation(file), m)
    expect_refused(read_representation(file, "words"), "MATLAB's object")
  }
  struct <- file_of(mat5_file_bytes(mat5_variable_bytes("s", c(1, 1), 2)), ".mat")
  expect_refused(read_representation(struct), "MATLAB's struct.*-v7.3")
  sparse <- function(rows, starts, values = c(7, 8), dims = 3:2) {
    parts <- c(mat5_element(5, little(rows, 4)), mat5_element(5, little(starts, 4)),
               mat5_element(9, writeBin(values, raw(), endian = "little")))
    file_of(mat5_file_bytes(mat5_variable_bytes("s", dims, 5, parts)), ".mat", parent.frame(2))
  }
  expect_identical(read_representation(sparse(c(2, 0), 0:2)), cbind(c(0, 0, 7), c(8, 0, 0)))
  expect_identical(read_representation(sparse(c(2, 0), 0:2), rows = 3), cbind(7, 0))
  expect_identical(read_representation(sparse(integer(), c(0, 0, 0), double())), matrix(0, 3, 2))
  for (bad in list(sparse(c(3, 0), 0:2), sparse(c(-1, 0), 0:2), sparse(c(2, 0), c(0, 2, 1)),
                   sparse(c(2, 0), c(0, 1, 3)), sparse(c(2, 0), 0:1), sparse(c(2, 0), c(1, 1, 2)),
                   sparse(c(2, 0), 0:2, dims = c(3, 2, 1)))) {
    expect_refused(read_representation(bad), "damaged: a sparse array is not described")
  }
  expect_refused(read_representation(sparse(c(2, 0), 0:2, dims = c(1e9, 2))), "would take about")
})

test_that("single numbers of MATLAB are no layers", {
  m <- matrix(c(1.5, -2, 3, 4, 5, 6), 2)
  double <- function(name, x) {
    mat5_variable_bytes(name, dim(x), 6,
                        mat5_element(9, writeBin(c(x), raw(), endian = "little")))
  }
  old <- file_of(mat5_file_bytes(c(double("x", m), double("y", m + 1), double("rate", cbind(3)))),
                 ".mat")
  files <- old
  if (requireNamespace("hdf5r", quietly = TRUE)) {
    files <- c(files, withr::local_tempfile(fileext = ".mat"))
    open <- hdf5r::H5File$new(files[2], "w")
    for (name in c("x", "y", "rate")) {
      open[[name]] <- switch(name, x = m, y = m + 1, rate = cbind(3))
      hdf5r::h5attr(open[[name]], "MATLAB_class") <- "double"
    }
    open$close_all()
  }
  for (file in files) {
    expect_identical(array_names(file), c("x", "y"))
    expect_message(found <- read_representation(file), "\"rate\"", class = "repalign_left_out")
    expect_identical(found, list(x = m, y = m + 1))
    expect_refused(read_representation(file, "rate"), "single (number|value)")
  }
  alone <- file_of(mat5_file_bytes(c(double("x", m), double("rate", cbind(3)))), ".mat")
  expect_identical(read_representation(alone), m)
})

test_that("a compressed array of MATLAB is judged before it is unpacked, and checked after", {
  zeros <- function(dims, bytes = raw(8 * prod(dims))) {
    mat5_variable_bytes("x", dims, 6, mat5_element(9, bytes))
  }
  packed <- mat5_packed(zeros(c(1000, 200)))
  file <- file_of(mat5_file_bytes(packed), ".mat")
  unpacked <- NULL
  unpack <- unpack_zlib
  local_internal("unpack_zlib", function(bytes, size, path) {
    unpacked <<- c(unpacked, size)
    unpack(bytes, size, path)
  })
  withr::with_options(list(repalign.max_memory = 1e6), {
    expect_identical(array_names(file), "x")
    expect_error(read_representation(file), class = "repalign_error_memory")
    expect_identical(dim(read_representation(file, rows = 1:9)), c(9L, 200L))
  })
  expect_identical(unpacked, c(rep(4104, 5), 1600064))
  expect_identical(read_representation(file), matrix(0, 1000, 200))
  refused <- function(bytes, why) {
    expect_refused(read_representation(file_of(mat5_file_bytes(bytes), ".mat", parent.frame()),
                                       "x"), why)
  }
  # the second half of what is packed is not there, or is something else
  cut <- packed[seq_len(length(packed) / 2)]
  cut[5:8] <- little(length(cut) - 8, 4)
  refused(cut, "damaged: a compressed variable cannot be unpacked")
  refused(replace(packed, length(packed) - 0:3, as.raw(1)), "cannot be unpacked")
  refused(zeros(c(10, 2), raw(80)), "not as large as it says")
  refused(mat5_packed(zeros(c(10, 2), raw(240))), "not as large as it says")
  refused(mat5_packed(replace(zeros(c(10, 2)), 57 + 0:3, little(99, 4))), "not as large as it says")
  # a lie about the size of what is packed
  refused(mat5_packed(replace(zeros(c(10, 2)), 5:8, little(2e9, 4))), "cannot be unpacked")
})

test_that("packages that are missing are named", {
  local_internal("requireNamespace", function(...) FALSE, baseenv())
  expect_refused(read_representation(fixture("h5py.h5")), "needs the package \"hdf5r\"")
})

# --- Arguments -------------------------------------------------------------------

test_that("files that only Python can open are errors with the line that converts them", {
  error <- expect_refused(read_representation("layer.pt"), c(
    "never read here", "numpy.save\\(\"layer.npy\", torch.load\\(\"layer.pt\"",
    "save_file\\(torch.load\\(...\\), \"layer.safetensors\"\\)"
  ))
  expect_s3_class(error, "repalign_error_pickle")
  expect_refused(array_names("x.pkl"), "pickle.load")
  # nobody else's program gets into the line
  expect_refused(read_representation("a\"); evil(\".pt"), "torch.load\\(\"a\\?\\?\\? evil")
})

test_that("arguments are checked", {
  file <- file_of(npy_bytes(matrix(1:6 + 0, 2)), ".npy")
  expect_refused(read_representation(), "`file` is missing")
  expect_refused(read_representation(1), c("path of a file or of a folder", "a double vector"))
  expect_refused(read_representation(character()), "no path at all")
  expect_refused(read_representation("nowhere.npy"), "is not there")
  expect_refused(read_representation("x.docx"), "ending that cannot be read")
  expect_refused(read_representation("x.npy.gz"), "ending that cannot be read")
  expect_refused(read_representation(file, name = 1:2), "`name` must be one name, or several")
  for (rows in list(0, -1, 1.5, NA, "a", numeric(), TRUE)) {
    expect_refused(read_representation(file, rows = rows), "`rows` must be numbers of rows")
  }
  expect_refused(read_representation(file, rows = 3), "row 3, but .* has 2 rows")
  expect_refused(read_representation(file, flatten = NA), "`flatten` must be TRUE or FALSE")
})

# --- Damage ----------------------------------------------------------------------

test_that("mutated files end in numbers or in an error of the package", {
  skip_if_not_installed("jsonlite")
  set.seed(1)
  files <- seed_files()
  ended <- vapply(seq_len(600), function(i) {
    at <- sample(length(files), 1)
    path <- tempfile(fileext = names(files)[at])
    on.exit(unlink(path))
    wrong <- read_mutated(mutate_bytes(files[[at]]), names(files)[at], path)
    if (is.null(wrong)) "read" else wrong
  }, "")
  expect_setequal(ended, c("read", refused))
  expect_gt(min(table(ended)), 30)
})

test_that("a folder and several files make a named list, in the order of their numbers", {
  folder <- withr::local_tempdir()
  layers <- list(layer10 = matrix(1:6 / 2, 3), layer2 = matrix(1:9 / 2, 3))
  for (name in names(layers)) saveRDS(layers[[name]], file.path(folder, paste0(name, ".rds")))
  utils::write.csv(layers$layer2, file.path(folder, "other.csv"), row.names = FALSE)
  expect_identical(names(read_representation(folder)), c("layer2", "layer10", "other"))
  expect_identical(read_representation(folder)$layer10, layers$layer10)
  writeLines("notes", file.path(folder, "notes.txt"))
  expect_message(all <- read_representation(folder), "1 file .*notes[.]txt",
                 class = "repalign_left_out")
  expect_length(all, 3)
  files <- file.path(folder, c("layer10.rds", "layer2.rds"))
  expect_silent(found <- read_representation(files))
  expect_identical(found, layers)
  # labels among the layers
  labels <- file.path(withr::local_tempdir(), "label.rds")
  saveRDS(matrix(1:3), labels)
  expect_message(read_representation(c(files, labels)), "\"label\"",
                 class = "repalign_one_column")
  expect_identical(names(read_representation(c(a = files[1], b = files[2]))), c("a", "b"))
  expect_identical(read_representation(files, rows = 2)$layer2, layers$layer2[2, , drop = FALSE])
  # files of one name are told apart by their endings
  utils::write.csv(layers$layer2, file.path(folder, "layer2.csv"), row.names = FALSE)
  expect_identical(names(suppressMessages(read_representation(folder)))[1:2],
                   c("layer2.csv", "layer2.rds"))
  # one file of many arrays does not stop the others
  file.copy(fixture("deflated.npz"), file.path(folder, "many.npz"))
  expect_message(found <- quiet(folder), "many[.]npz.*number", class = "repalign_left_out") |>
    suppressMessages()
  expect_true(all(c("layer10", "many/limits", "many/one_axis") %in% names(found)))
  expect_false("many/number" %in% names(found))
  expect_identical(basename(suppressMessages(array_names(folder))),
                   c("layer2.csv", "layer2.rds", "layer10.rds", "many.npz", "other.csv"))
  expect_true(all(file.exists(suppressMessages(array_names(folder)))))
  found <- suppressMessages(read_representation(c(a = files[1], b = file.path(folder, "many.npz"))))
  expect_identical(names(found)[1:2], c("a", "b/cube"))
  unlink(file.path(folder, "many.npz"))
  saveRDS("text", file.path(folder, "bad.rds"))
  expect_error(suppressMessages(read_representation(folder)), "bad[.]rds", class = "repalign_error")
  writeLines("a,b\n1,x", file.path(folder, "worse.csv"))
  file.create(file.path(folder, "void.npy"))
  expect_error(suppressMessages(read_representation(folder)),
               "3 of [0-9]+ files .* \"bad.rds\", \"void.npy\" and \"worse.csv\". First, .*bad",
               class = "repalign_error")
  expect_error(read_representation(file.path(folder, c("no.csv", "none.csv", "layer2.rds"))),
               "2 of 3 files cannot be read: \"no.csv\" and \"none.csv\"", class = "repalign_error")
  expect_error(read_representation(c(files, "gone.npy")), "gone[.]npy.*not there",
               class = "repalign_error_value")
  empty <- withr::local_tempdir()
  expect_error(read_representation(empty), "folder without a file", class = "repalign_error_value")
})

test_that("activations of convolutions are read as `flatten` and `channels` say", {
  set.seed(1)
  x <- array(round(rnorm(3 * 4 * 2 * 5), 2), c(3, 4, 2, 5))
  files <- c(npy = file_of(npy_bytes(x), ".npy"),
             fortran = file_of(npy_bytes(x, fortran = TRUE), ".npy"),
             rds = withr::local_tempfile(fileext = ".rds"))
  saveRDS(x, files[["rds"]])
  for (file in files) {
    error <- expect_refused(read_representation(file), c("\"mean\"", "\"max\"", "\"all\"",
                                                         "channels = \"first\" or \"last\""))
    expect_s3_class(error, "repalign_error_choice")
    pooled <- function(how, channels) {
      expect_message(found <- read_representation(file, flatten = how, channels = channels),
                     "places", class = "repalign_flattened")
      found
    }
    expect_equal(pooled("mean", "first"), apply(x, 1:2, mean), tolerance = 1e-14)
    expect_identical(pooled("max", "first"), apply(x, 1:2, max))
    expect_equal(pooled("mean", "last"), apply(x, c(1, 4), mean), tolerance = 1e-14)
    expect_identical(pooled("max", "last"), apply(x, c(1, 4), max))
    flat <- if (file == files[["rds"]]) x else aperm(x, c(1, 4:2))
    expect_silent(all <- read_representation(file, flatten = "all"))
    expect_identical(all, matrix(flat, 3))
    expect_identical(read_representation(file, rows = 3:2, flatten = "all"), all[3:2, ])
    expect_identical(read_representation(file, flatten = FALSE), x)
    expect_refused(read_representation(file, flatten = "mean"), "`channels` is missing")
    expect_refused(read_representation(file, flatten = "max", channels = "both"), "`channels`")
    expect_refused(read_representation(file, flatten = "some"), "`flatten` must be")
  }
  expect_identical(quiet(fixture("deflated.npz"), "cube", flatten = "max", channels = "first"),
                   apply(cube, 1:2, max))
  # a layer without such axes is read as it is
  layers <- list(conv = x, dense = x[, , 1, 1])
  saveRDS(layers, files[["rds"]])
  expect_refused(read_representation(files[["rds"]]), "conv \\(3 x 4 x 2 x 5\\)")
  expect_identical(quiet(files[["rds"]], flatten = "max", channels = "first"),
                   list(conv = apply(x, 1:2, max), dense = layers$dense))
})

test_that(".parquet is read, with names of stimuli in a first column or an index", {
  skip_if_not_installed("nanoparquet")
  file <- withr::local_tempfile(fileext = ".parquet")
  m <- matrix(c(0.5, 1, 2, 3, 5, 8), 3, dimnames = list(c("face", "car", "tree"), c("a", "b")))
  write <- function(table) nanoparquet::write_parquet(table, file)
  write(data.frame(id = rownames(m), m))
  expect_identical(read_representation(file), m)
  expect_identical(read_representation(file, rows = c(3, 1)), m[c(3, 1), ])
  write(data.frame(m, `__index_level_0__` = rownames(m), check.names = FALSE))
  expect_identical(read_representation(file), m)
  write(as.data.frame(m, row.names = FALSE))
  expect_identical(read_representation(file), unname(m) |> `colnames<-`(c("a", "b")))
  write(data.frame(a = 1:3, b = c("x", "y", "z")))
  expect_refused(read_representation(file), c("\"b\"", "not numbers"))
  expect_refused(read_representation(file_of(as.raw(1:20), ".parquet")), "cannot be read by nanop")
})

test_that("semicolons and signs of missing values are refused with the way to read them", {
  file <- withr::local_tempfile(fileext = ".csv")
  for (lines in list(c("image;a;b", "x;1;2"), c("image;a;b", "x;1,5;2,5"), c("a;b", "1,5;2,5"))) {
    writeLines(lines, file)
    expect_refused(read_representation(file), c("semicolons", "read[.]csv2"))
  }
  writeLines(c("image,a,b", "x,1,n/a", "y,5,2", "z,3,4"), file)
  expect_refused(read_representation(file), "na.strings = \"n/a\"")
  expect_refused(response_matrix(utils::read.csv(file)), "na.strings = \"n/a\"")
  expect_identical(response_matrix(utils::read.csv(file, na.strings = "n/a"))[["x", "b"]], NA_real_)
  # a semicolon in a name is none between fields
  writeLines(c("image,a;c,b", "x,1,2", "y,5,2"), file)
  expect_identical(colnames(read_representation(file)), c("a;c", "b"))
  writeLines(c("im;age,a,b", "x;1,1,2", "y;2,5,2"), file)
  expect_identical(dimnames(read_representation(file)), list(c("x;1", "y;2"), c("a", "b")))
})
