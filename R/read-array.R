# What readers of files share: the array that they give, the choice of one among several, checks of
# sizes, and errors about what a file holds.

# What a reader gives. data: a matrix with a row for each entry of the first axis; rest: the sizes
# of the other axes; stored, flat: which of these runs fastest from column to column, "last" (as in
# C) or "first" (as in Fortran, MATLAB and R), in `data` and in what users get; names: names along
# all axes, or NULL.
file_array <- function(data, rest, stored, flat = stored, names = NULL) {
  list(data = data, rest = rest, stored = stored, flat = flat, names = names)
}

# All that is wrong with the content of a file. Names in a file may be of any length.
refuse_file <- function(file, ..., class = NULL, arg = "file") {
  text <- paste0(...)
  if (nchar(text) > 5000) text <- paste0(substr(text, 1, 5000), " ...")
  refuse(c(class, "repalign_error_file"), "`{arg}` {dQuote(basename(file), FALSE)} {text}")
}

# A name for a line of Python that users may run: without what could end a text there.
python_text <- function(text) gsub("[^A-Za-z0-9_./ -]", "?", text)

# For formats with a single array.
no_array_name <- function(name, file) {
  if (is.null(name)) return(invisible())
  refuse_file(file, "holds a single array without a name: leave `name` out.",
              class = "repalign_error_value")
}

# The array that a user asks for, or the only one.
choose_array <- function(name, names, file) {
  if (is.null(name)) {
    if (length(names) == 1) return(names)
    if (!length(names)) refuse_file(file, "holds no array of numbers.")
    refuse_file(file, "holds ", length(names), " arrays: say which in `name`. Names: ",
                enumerate(names, 20), ".", class = "repalign_error_choice")
  }
  if (name %in% names) return(name)
  if (!length(names)) refuse_file(file, "holds no array of numbers.")
  refuse_file(file, "has no array of numbers ", dQuote(name, FALSE), suggest(name, names),
              " Names: ", enumerate(names, 20), ".", class = "repalign_error_choice")
}

# The rows to read of n.
rows_of <- function(rows, n, file) {
  if (is.null(rows)) return(seq_len(n))
  beyond <- rows[rows > n]
  refuse_if(length(beyond), "rows", "`rows` asks for row {beyond[1]}, but ",
            "{dQuote(basename(file), FALSE)} has {count_of(n, 'row')}.")
  rows
}

# dims: the sizes of all axes, as doubles, which do not overflow.
check_axes <- function(dims, file) {
  if (!length(dims)) {
    refuse_file(file, "holds a single number, not an array.", class = "repalign_error_size")
  }
  # as many as NumPy allows
  if (length(dims) > 64) {
    refuse_file(file, "speaks of an array of ", length(dims), " axes; at most 64 can be read.",
                class = "repalign_error_size")
  }
  if (any(dims == 0)) {
    refuse_file(file, "holds an array without numbers (",
                paste(format(dims, trim = TRUE, scientific = FALSE), collapse = " x "), ").",
                class = "repalign_error_size")
  }
}

# The same, and whether there is memory for these rows, or all; nothing is allocated before.
# copies: how many there are of the array while it is read.
check_dims <- function(dims, file, rows = NULL, copies = 1) {
  check_axes(dims, file)
  check_size(dims[1], prod(dims[-1]), "file")
  n <- if (is.null(rows)) dims[1] else length(rows)
  what <- paste0("The array of ", dQuote(basename(file), FALSE))
  check_memory(8 * copies * n * prod(dims[-1]), what, "Read some of its rows, by `rows =`.")
}
