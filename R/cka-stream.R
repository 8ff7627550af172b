# stream_cka() compares representations that do not fit into memory, from chunks of their rows.

#' @include cka-stream-sums.R read-file.R result-class.R
NULL

# ---- sources

# The sources that stream_cka() reads one side from, some rows at a time: files, connections and
# matrices.

# A source is a list: take(count) gives the next rows, at most so many, as a matrix, or NULL at the
# end; n is the number of rows and pick(rows) gives any of them, or both are NULL where rows only
# come one after the other; end() frees what the source holds.

refuse_streamed_responses <- function(x, arg) {
  parts <- declared_parts(x)
  refuse("choice", "`{arg}` is what responses() makes",
         if (length(parts)) {
           paste0(" and declares ", enumerate(parts, quote = FALSE))
         }, ", which stream_cka() cannot use: give as.matrix() of it, the means over trials",
         if ("complete" %in% parts) ", and say in `complete` which sides are",
         ", or all rows to cka().", arg = "chunks")
}

# given: what a user gave for one side, a file as its path or c(file, name of an array in it); arg:
# its name in messages.
as_source <- function(given, arg, allow_na = FALSE) {
  if (inherits(given, "connection")) {
    opened <- !isOpen(given)
    if (opened) open(given, "rt")
    return(table_source(given, NULL, summary(given)$description,
                        if (opened) close else function(connection) NULL))
  }
  if (!is.character(given) || !is.null(dim(given))) {
    if (is_responses(given)) refuse_streamed_responses(given, paste0("chunks$", arg))
    refuse_if(is.list(given) && !is.data.frame(given) || is.null(given), "type",
              "`{arg}` of `chunks` must be the path of a file, a connection or a matrix, not ",
              "{describe(given)}.", arg = "chunks")
    return(matrix_source(as_numeric_matrix(given, arg, allow_na)))
  }
  refuse_if(length(given) > 2 || !length(given) || anyNA(given), "value",
            "`chunks` must name one file for `{arg}`, or a file and an array in it: ",
            "c(\"layers.safetensors\", \"layer1\").")
  file <- given[[1]]
  name <- if (length(given) == 2) given[[2]]
  format <- file_format(file)
  path <- path.expand(file)
  ending <- file_ending(file)
  if (ending %in% c("csv", "tsv")) {
    no_array_name(name, file)
    connection <- gzfile(path, "rb")
    return(table_source(connection, c(csv = ",", tsv = "\t")[[ending]], file, close))
  }
  if (ending == "npz") {
    # an archive is unpacked once, and not for every chunk again
    unpacked <- unpack_array(path, name)
    flat <- flattened_once()
    return(rows_source(npy_rows(unpacked$path), function(rows) {
      flat(arrange_axes(read_npy(unpacked$path, rows, path, unpacked$name), TRUE, path))
    }, function() unlink(unpacked$folder, recursive = TRUE)))
  }
  n <- if (!is.null(format$rows)) format$rows(path, name)
  # what can only be read whole is read once
  if (is.null(n)) return(matrix_source(read_one_array(file, name)))
  once <- flattened_once()
  rows_source(n, function(rows) in_words_of(arg, once(read_one_array(file, name, rows))))
}

matrix_source <- function(data) {
  rows_source(nrow(data), function(rows) data[rows, , drop = FALSE])
}

# A source of n rows that can be read in any order.
rows_source <- function(n, pick, end = function() NULL) {
  done <- 0
  take <- function(count) {
    if (done >= n) return(NULL)
    rows <- (done + 1):min(done + count, n)
    done <<- rows[length(rows)]
    pick(rows)
  }
  list(take = take, n = n, pick = pick, end = end)
}

# A function that evaluates `code` and lets pass only the first message about flattened axes.
flattened_once <- function() {
  said <- FALSE
  function(code) {
    withCallingHandlers(code, repalign_flattened = function(m) {
      if (said) invokeRestart("muffleMessage")
      said <<- TRUE
    })
  }
}

# ---- tables, line by line

# sep: what stands between numbers; NULL: a comma, a tab or blanks, whatever is in the first line.
# end: what becomes of the connection in the end.
table_source <- function(connection, sep, file, end) {
  top <- tryCatch(top_lines(connection, file, sep), error = function(e) {
    end(connection)
    stop(e)
  })
  waiting <- top$lines
  done <- 0
  # so many lines that are not blank, or all that are left
  more_lines <- function(count) {
    found <- character()
    while (length(found) < count) {
      # readLines() cuts a line at a byte that is zero, and only warns
      lines <- withCallingHandlers(readLines(connection, count - length(found)),
                                   warning = function(w) {
        if (grepl("nul", conditionMessage(w))) {
          refuse_file(file, "is no text in UTF-8: it has bytes that are zero.")
        }
        # a last line without a line break is fine
        invokeRestart("muffleWarning")
      })
      if (!length(lines)) break
      found <- c(found, lines[has_text(lines, top$sep)])
    }
    if (any(parted_by_quotes(found))) {
      refuse_file(file, "has line breaks within quotes, so that its rows cannot be told apart.")
    }
    utf8_lines(found, file)
  }
  take <- function(count) {
    lines <- utils::head(waiting, count)
    waiting <<- utils::tail(waiting, -count)
    lines <- c(lines, more_lines(count - length(lines)))
    if (!length(lines)) return(NULL)
    rows <- done + seq_along(lines)
    done <<- done + length(lines)
    table_data(lines, top, file, rows)
  }
  list(take = take, end = function() end(connection))
}

# ---- feed

# A feed gives stream_cka() the rows of both sides, a chunk at a time: what users gave as `chunks`
# is read here, and every chunk is checked.

# A feed is an environment. chunk(count): the next chunk as it comes, list(x, y) or NULL at the end;
# `own` says that the user's own chunks are given, whatever the count. n: the number of rows, NULL
# where it is unknown. pick(rows): these rows, NULL where rows only come one after the other.
# end(): frees what is open. Of the chunks, `read` counts those that came, `widths` are the numbers
# of columns, `held` is a chunk that was looked at before its time, and `left_out` counts the rows
# that `na` left out.
new_feed <- function(chunk, na, own = FALSE, n = NULL, pick = NULL, end = function() NULL) {
  # how many rows there will be, and where, is known only when all were read
  if (na != "error") n <- pick <- NULL
  list2env(list(chunk = chunk, na = na, own = own, n = n, pick = pick, end = end, read = 0,
                left_out = 0), parent = emptyenv())
}

as_feed <- function(chunks, na = "error") {
  if (is.function(chunks)) {
    calls <- 0
    return(new_feed(na = na, own = TRUE, function(count) {
      calls <<- calls + 1
      catch_error(chunks(), failed = function(e) {
        refuse("function", "The function `chunks` stopped at its call {calls}: ",
               "{conditionMessage(e)}")
      })
    }))
  }
  if (is.character(chunks)) chunks <- as.list(chunks)
  usable <- is.list(chunks) && !is.data.frame(chunks) && length(chunks)
  all_chunks <- usable && all(vapply(chunks, is_chunk, NA))
  if (all_chunks) {
    at <- 0
    return(new_feed(na = na, own = TRUE, function(count) {
      at <<- at + 1
      if (at <= length(chunks)) chunks[[at]]
    }))
  }
  refuse_if(!usable || !is_chunk(chunks), "type", "`chunks` must be a function that returns ",
            "list(x = , y = ) and in the end NULL, a list of such pairs of matrices, or ",
            "list(x = , y = ) of two files, connections or matrices, not ",
            "{describe_chunks(chunks)}.")
  given <- named_sides(chunks)
  x <- in_words_of("x", as_source(given$x, "x", na != "error"))
  y <- tryCatch(in_words_of("y", as_source(given$y, "y", na != "error")), error = function(e) {
    x$end()
    stop(e)
  })
  end <- function() {
    x$end()
    y$end()
  }
  if (!is.null(x$n) && !is.null(y$n) && x$n != y$n) {
    end()
    refuse("rows", "`chunks` has {count_of(format(x$n), 'row')} in `x` and {format(y$n)} in `y`: ",
           "the rows must be the same stimuli in the same order.")
  }
  pick <- if (!is.null(x$pick) && !is.null(y$pick)) {
    function(rows) list(x = x$pick(rows), y = y$pick(rows))
  }
  new_feed(na = na, n = if (is.null(x$n)) y$n else x$n, pick = pick, end = end, function(count) {
    chunk <- list(x = x$take(count), y = y$take(count))
    if (is.null(chunk$x) && is.null(chunk$y)) return(NULL)
    rows <- vapply(chunk, NROW, 0L)
    refuse_if(rows[[1]] != rows[[2]], "rows", "One side of `chunks` ends before the other: where ",
              "one still has {count_of(max(rows), 'row')}, the other has {min(rows)}. Their rows ",
              "must be the same stimuli.")
    chunk
  })
}

# What was given in the place of chunks, with what is wrong about it.
describe_chunks <- function(chunks) {
  if (is.data.frame(chunks) || !is.list(chunks)) return(describe(chunks))
  if (!length(chunks)) return("an empty list")
  pairs <- vapply(chunks, is_chunk, NA)
  if (any(pairs)) {
    wrong <- chunks[[which(!pairs)[1]]]
    return(paste0("a list whose element ", which(!pairs)[1], " is ",
                  if (is.list(wrong)) describe_chunks(wrong) else describe(wrong)))
  }
  names <- names(chunks)
  paste0(if (all(vapply(chunks, is.character, NA))) "names of files, " else "a list, ",
         count_of(length(chunks), "element"),
         if (!is.null(names)) paste0(" named ", enumerate(names)))
}

# Something for each of the two sides.
is_chunk <- function(given) {
  is.list(given) && !is.data.frame(given) && length(given) == 2 &&
    (is.null(names(given)) || setequal(names(given), c("x", "y")))
}

named_sides <- function(chunk) {
  if (is.null(names(chunk))) stats::setNames(chunk, c("x", "y")) else chunk
}

# The next chunk, checked, or NULL at the end.
next_chunk <- function(feed, count) {
  if (!is.null(feed$held)) {
    chunk <- feed$held
    feed$held <- NULL
    return(chunk)
  }
  # rows with missing values are left out, and a chunk may have no others
  repeat {
    chunk <- feed$chunk(count)
    if (is.null(chunk)) return(NULL)
    chunk <- checked_chunk(chunk, feed)
    if (nrow(chunk$x)) return(chunk)
  }
}

checked_chunk <- function(chunk, feed) {
  feed$read <- feed$read + 1
  refuse_if(!is_chunk(chunk), "type", "Chunk {feed$read} of `chunks` must be list(x = , y = ), ",
            "two matrices with the same stimuli in their rows, not {describe(chunk)}.")
  chunk <- named_sides(chunk)[c("x", "y")]
  args <- c(x = paste("x in chunk", feed$read), y = paste("y in chunk", feed$read))
  chunk <- Map(function(part, arg) {
    if (is_responses(part)) refuse_streamed_responses(part, arg)
    part <- double_matrix(part, arg)
    check_finite(part, arg, feed$na != "error")
    if (feed$read == 1) refuse_identifiers(part, arg)
    part
  }, chunk, args)
  ordered <- stats::setNames(chunk, args)
  # what is said of the first chunk holds for all
  ordered <- if (feed$read == 1) data_in_order(ordered) else quietly_done(data_in_order(ordered))
  chunk[] <- ordered
  if (feed$read == 1) {
    warn_of_odd_columns(list(list(data = chunk$x, arg = "x"), list(data = chunk$y, arg = "y")))
  }
  for (side in names(chunk)) {
    refuse_repeated_rows(chunk[[side]], args[[side]], "over all chunks, before")
  }
  widths <- vapply(chunk, ncol, 0L)
  if (is.null(feed$widths)) feed$widths <- widths
  side <- names(which(widths != feed$widths))[1]
  refuse_if(!is.na(side), "size", "`{side}` has {count_of(widths[[side]], 'column')} in chunk ",
            "{feed$read}, but {feed$widths[[side]]} before: all chunks must have the same neurons.",
            arg = "chunks")
  if (feed$na != "error" && (anyNA(chunk$x) || anyNA(chunk$y))) {
    keep <- rowSums(is.na(chunk$x)) + rowSums(is.na(chunk$y)) == 0
    feed$left_out <- feed$left_out + sum(!keep)
    chunk <- lapply(chunk, function(part) part[keep, , drop = FALSE])
  }
  lapply(chunk, unname_rows)
}

# The next rows, exactly so many, put together from chunks of any size; fewer only at the end, and
# NULL where none is left.
next_rows <- function(feed, count) {
  parts <- list()
  missing <- count
  while (missing > 0 && !is.null(chunk <- next_chunk(feed, missing))) {
    n <- nrow(chunk$x)
    if (n > missing) {
      feed$held <- lapply(chunk, function(part) part[-seq_len(missing), , drop = FALSE])
      chunk <- lapply(chunk, function(part) part[seq_len(missing), , drop = FALSE])
    }
    parts <- c(parts, list(chunk))
    missing <- missing - nrow(chunk$x)
  }
  if (length(parts) < 2) return(if (length(parts)) parts[[1]])
  list(x = do.call(rbind, lapply(parts, `[[`, "x")), y = do.call(rbind, lapply(parts, `[[`, "y")))
}

# ---- stream cka

declare_result(
  "repalign_stream", from = "stream_cka", words = "values of stream_cka()",
  columns = described_columns(
    column("estimator", "the estimator of the CKA", key = TRUE, tidy = "term"),
    column("complete", "of which sides the neurons are all that there are", key = TRUE),
    column("cka", "the CKA", shown = 1, tidy = "estimate"),
    column("se", "the standard error", shown = 2),
    column("h_xy", "the value H of both sides", tidy = NA),
    column("h_xx", "the value H of x with itself", tidy = NA),
    column("h_yy", "the value H of y with itself", tidy = NA),
    column("n", "the number of stimuli", shown = 4),
    column("batches", "how many minibatches or blocks were left out in turn", shown = 3)
  ),
  heading = function(x, digits) {
    paste0("Centered kernel alignment from chunks: ", count_of(nrow(x), "row"),
           undefined_of(x$cka))
  },
  shown = function(x) without_samples_only(x),
  footing = function(x, digits) complete_note(if ("both" %in% x$complete) "complete both"),
  sentence = function(x) {
    need_columns(x, c("estimator", "cka", "se", "n", "batches"), "told", "result")
    vapply(seq_len(nrow(x)), function(row) {
      name <- estimator_words(x$estimator[row], x$complete[row])
      if (is.na(x$cka[row])) return(paste0("The ", name, " is undefined (NA)."))
      text <- number_words(x$cka[row], x$se[row])
      paste0("The ", name, " was ", text[1],
             brackets(if (is.na(x$se[row])) "no standard error (NA)" else
               paste("standard error", text[2], "from leaving out each of",
                     count_of(count_word(x$batches[row]), "chunk")),
               stimuli_words(x$n[row])), ".",
             odd_value_words(name, x$cka[row], x$cka[row] - 2 * x$se[row]))
    }, "")
  }
)

#' Centered kernel alignment of representations that do not fit into memory
#'
#' The linear [cka()], with a standard error, of rows that come in chunks from files, connections or
#' a function: the value of `cka()`, or, with too many neurons for one pass, pooled over
#' minibatches.
#'
#' @param chunks one of the following, with the same stimuli in the rows of `x` and `y`.
#'   * `list(x =, y = )` of two sources, each the path of a file that [read_representation()] reads
#'     (`c("layers.safetensors", "layer1")` names one of several arrays), a connection with a line
#'     of numbers for each stimulus, or a matrix; or `c("x.npy", "y.npy")`;
#'   * a function without arguments that returns the next rows of both sides as `list(x = , y = )`,
#'     and `NULL` after the last ones;
#'   * a list of such pairs of matrices.
#' @param estimator one or more of `"naive"`, `"stimulus"`, `"stimulus_neuron"`, see [cka()].
#' @param batch number of rows of a minibatch. `NULL`: none, if memory allows it, otherwise chosen,
#'   with a message.
#' @param shared_neurons,units_x,units_y see [cka()].
#' @param complete see [cka()].
#' @param shuffle take the rows of minibatches in random order? `NULL`: yes, where the sources allow
#'   it.
#' @param na missing values: `"error"`, or `"stimuli"`, which leaves out rows that have one on
#'   either side, with a message.
#' @param ... not used.
#' @return A data frame with a row for each estimator: `estimator`; `complete`, as given; `cka`;
#'   `se`, its standard error; `h_xy`, `h_xx` and `h_yy`, the values of [hsic()] whose ratio it is;
#'   `n`, the number of rows used; and `batches`, the number of minibatches, or of blocks, behind
#'   `se`. An interval is `cka` plus and minus `qt(0.975, batches - 1) * se`.
#' @details
#' One pass needs about `200 * D^2` bytes of memory for `D` columns of both sides together (200 MB
#' for 512 + 512). Chunks of a function should be of about equal size, some hundred rows or more,
#' and not few. `.rds` and old MATLAB files are read whole.
#'
#' Rows are paired in the order in which they come. Where both sides have row names, each chunk must
#' have the same names on both sides, and only within it are rows brought into one order.
#'
#' Minibatches are disjoint; rows that do not fill a last one are left out, and the `"naive"`
#' estimate depends on their size. Of minibatches that are not shuffled, a warning of class
#' `repalign_dependence` points out neighbouring rows that are similar (images sorted by class):
#' give the rows in random order then. One pass has the same value in any order.
#'
#' When not to trust it: a warning of class `repalign_unstable` points out corrected values that are
#' far above 1, beyond 2 in size, or have a standard error above 0.2. That error counts blocks or
#' minibatches of stimuli as independent and holds the neurons fixed ([cka_interval()] does not):
#' too small with stimuli that depend on each other across chunks, uncertain with less than about
#' 10 blocks, and small with many stimuli even where neurons are few.
#' @references Chun et al. (2025), \doi{10.48550/arXiv.2502.15104} (estimators). Busing, Meijer and
#'   van der Leeden (1999), Stat. Comput. 9 (jackknife of unequal blocks).
#' @examples
#' # two files
#' set.seed(1)
#' pop <- linear_population(n = 600, q = 30, d = 20)
#' files <- tempfile(c("x", "y"), fileext = ".csv")
#' write.csv(pop$x, files[1], row.names = FALSE)
#' write.csv(pop$y, files[2], row.names = FALSE)
#' stream_cka(files, "stimulus_neuron")
#' # a list of chunks of 100 rows
#' chunks <- lapply(0:5 * 100, function(i) list(x = pop$x[i + 1:100, ], y = pop$y[i + 1:100, ]))
#' stream_cka(chunks, "stimulus_neuron")
#' @export
stream_cka <- function(chunks, estimator = c("naive", "stimulus", "stimulus_neuron"), batch = NULL,
                       shared_neurons = FALSE, units_x = NULL, units_y = NULL, shuffle = NULL,
                       complete = c("none", "x", "y", "both"), na = c("error", "stimuli"), ...) {
  need_arguments()
  na <- check_choice(na, c("error", "stimuli"), "na")
  complete <- check_choice(complete, complete_choices, "complete")
  side <- length(dim(estimator)) ||
    is.character(estimator) && any(file.exists(setdiff(estimator, estimators)))
  refuse_if(side, "type", "`chunks` must hold both sides: stream_cka(list(x = , y = )).")
  estimator <- check_choice(estimator, estimators, "estimator", several = TRUE)
  check_flag(shared_neurons, "shared_neurons")
  check_unit_choice(shared_neurons, units_x, units_y)
  given <- list(shared_neurons = shared_neurons, units_x = units_x, units_y = units_y,
                complete = complete)
  note_unused_units(estimator, given)
  if (!is.null(batch)) batch <- check_count(batch, "batch", 4)
  if (!is.null(shuffle)) check_flag(shuffle, "shuffle")
  feed <- as_feed(chunks, na)
  on.exit(feed$end())
  # the first chunk is looked at before next_chunk() gives it
  feed$held <- next_chunk(feed, first_rows)
  refuse_if(is.null(feed$held), "size", "`chunks` gives no rows at all.")
  feed$names <- lapply(feed$held, colnames)
  # rows that tell why a value is implausible
  first <- Map(function(data, side) {
    data <- utils::head(data, most_judged_rows)
    matrix_representation(data, .Call(C_column_stats, data), side)
  }, feed$held, names(feed$held))
  by_neurons <- any(correct_for("neurons", estimator))
  labels <- if (by_neurons) stream_labels(feed, given)
  # The three H values as comparisons of columns. Columns of x and y stand side by side, and are
  # numbered together: a and b are those that are compared, left_out the neuron pairs (numbers
  # within a and b) that the neuron correction leaves out, if it is asked for.
  x <- seq_len(feed$widths[["x"]])
  y <- feed$widths[["x"]] + seq_len(feed$widths[["y"]])
  compared <- Map(function(a, b, labels) {
    list(a = a, b = b, left_out = if (!is.null(labels)) excluded_pairs(labels$x, labels$y) else
      list(x = integer(), y = integer(), blocks = list(), count = 0))
  }, list(xy = x, xx = x, yy = y), list(y, x, y), list(labels$xy, labels$xx, labels$yy))
  for (which in if (by_neurons) names(compared)) {
    one <- compared[[which]]
    refuse_if(one$left_out$count >= length(one$a) * as.double(length(one$b)), "pairs", "No neuron ",
              "pair is allowed ", switch(which, xy = "between `x` and `y`", xx = "within `x`",
                yy = "within `y`", no_branch(which)), ": all columns have the same label, or ",
              "there is only one. Use finer labels or other columns.", arg = "chunks")
  }
  columns <- as.double(sum(feed$widths))
  bytes <- 8 * columns^2 * (most_blocks / 2 + 5)
  small <- bytes < 2^28 && is.null(getOption("repalign.max_memory"))
  # one pass, where it fits into memory
  if (is.null(batch) && !small && bytes > memory_limit()) {
    batch <- if (is.null(feed$n)) 1000 else max(4, min(1000, feed$n %/% 30))
    inform("minibatches", "The products of all {columns} columns would take about ",
           "{format_bytes(bytes)}, more than the {format_bytes(memory_limit())} allowed: values ",
           "are pooled over minibatches of {count_of(batch, 'row')}.")
  }
  found <- if (is.null(batch)) streamed_sums(feed, compared, estimator, shuffle) else
    streamed_batches(feed, labels, estimator, batch, shuffle)
  inform_if(feed$left_out, "left_out", "Missing values: {count_of(feed$left_out, 'row')} left out.")
  rows <- lapply(estimator, stream_row, found, complete)
  first$x$n <- found$n
  warn_undefined_deletions(rows, first)
  for (row in rows) if (corrects_sample(row$args) && !is.na(row$value)) {
    warn_unstable(row$value, first, max(row$values$se, 0, na.rm = TRUE), over = "stimuli")
  }
  lost <- anyNA(unlist(lapply(rows, function(row) row$values[c("h_xy", "h_xx", "h_yy")])))
  warn_if(lost, "undefined", "Values of H (h_xy, h_xx, h_yy) beyond the range of doubles are NA: ",
          "rescale the data to see them. The CKA does not depend on it.")
  constant <- Filter(function(row) row$constant, rows)
  warn_if(length(constant), "undefined", "No standard error (NA) of the ",
          enumerate(vapply(constant, function(row) row$values$estimator, "")),
          " CKA: it does not vary with the stimuli, as that of identical data.")
  new_result(do.call(rbind, lapply(rows, function(row) row$values)), "repalign_stream")
}

# Rows of the first chunk of a feed whose length is unknown; later chunks are longer.
first_rows <- 16

# A chunk of both sides has about so many numbers, unless the rows are very long.
chunk_numbers <- 2^23

# The labels of the neuron pairs of each H value, list(xy, xx, yy), of which equal ones are left
# out; NULL where none is.
stream_labels <- function(feed, given) {
  widths <- feed$widths
  # those that the user gave to the columns, if any
  labels <- if (given$shared_neurons) {
    refuse_if(widths[["x"]] != widths[["y"]], "labels", "`shared_neurons = TRUE` needs the same ",
              "neurons in the same columns, but `x` has {count_of(widths[['x']], 'column')} and ",
              "`y` has {widths[['y']]}; name the neurons in `units_x` and `units_y` instead.",
              arg = "shared_neurons")
    list(x = seq_len(widths[["x"]]), y = seq_len(widths[["y"]]))
  } else if (!is.null(given$units_x)) {
    list(x = check_labels(given$units_x, widths[["x"]], "units_x", "x", feed$names$x),
         y = check_labels(given$units_y, widths[["y"]], "units_y", "y", feed$names$y))
  }
  own <- if (is.null(labels)) lapply(widths, seq_len) else labels
  complete <- c(x = given$complete %in% c("x", "both"), y = given$complete %in% c("y", "both"))
  list(xy = if (!any(complete)) labels,
       xx = if (!complete[["x"]]) list(x = own[["x"]], y = own[["x"]]),
       yy = if (!complete[["y"]]) list(x = own[["y"]], y = own[["y"]]))
}

# ---- one pass

# What stream_row() needs: H values and their magnitudes, for all rows and then without each block,
# as vectors; the numbers of rows of the blocks, and the exponents of two of both sides.
streamed_sums <- function(feed, compared, estimator, shuffle) {
  warn_if(isTRUE(shuffle), "unused", "`shuffle` is used only for minibatches: without them the ",
          "order of the rows does not matter.", data = "shuffle")
  # the single neuron pairs that are left out of all comparisons: columns a and b, and the positions
  # of each comparison among them
  a <- lapply(compared, function(one) one$a[one$left_out$x])
  b <- lapply(compared, function(one) one$b[one$left_out$y])
  ends <- cumsum(lengths(a))
  # what is taken from all rows before they are added up: the column means of the first chunk, which
  # are near those of all, and a power of two as in form_centering()
  plan <- list(
    unit = lapply(feed$held, function(data) {
      stats <- .Call(C_column_stats, data)
      list(means = stats$means, scale = common_scale(list(data)))
    }), compared = compared,
    single = list(a = as.integer(unlist(a)), b = as.integer(unlist(b)),
                  at = Map(function(end, length) end - length + seq_len(length), ends, lengths(a))),
    has_blocks = any(vapply(compared, function(one) length(one$left_out$blocks) > 0, NA))
  )
  # the next chunk: the user's own, pieces of equal size of a known number of rows, or else pieces
  # that grow to the size `full` of a block
  most <- max(256, chunk_numbers %/% sum(feed$widths))
  half <- most_blocks / 2
  pieces <- if (!is.null(feed$n)) min(feed$n, half * ceiling(feed$n / (half * most)))
  ends <- if (!is.null(feed$n)) floor(feed$n * seq(0, pieces) / pieces)
  at <- 0
  give <- function(full) {
    if (feed$own) return(next_chunk(feed))
    if (is.null(feed$n)) return(next_rows(feed, min(max(full, first_rows), most)))
    at <<- at + 1
    if (at <= pieces) next_rows(feed, ends[at + 1] - ends[at])
  }
  blocks <- gather_sums(plan, give)
  total <- Reduce(add_sums, blocks)
  n <- rows_in(total)
  refuse_if(!all(is.finite(total$weights)), "value", "`chunks` has values too large to multiply, ",
            "beside those of the first chunk; rescale the data.")
  check_rows(n, if (any(correct_for("stimuli", estimator))) 4 else 2, "chunks", "the estimator")
  sums <- total$by_weight[, 3]
  squares <- total$cross[cumsum(seq_along(sums))] - sums^2 / n
  for (side in c("x", "y")) {
    at <- plan$compared[[paste0(side, side)]]$a
    refuse_if(!any(squares[at] > 0), "variance", "`{side}` has no variance: every column is ",
              "constant over the {n} stimuli.", arg = "chunks")
  }
  without <- if (length(blocks) > 1) lapply(blocks, function(block) {
    h_of_sums(add_sums(total, block, -1), plan, estimator)
  })
  list(h = c(list(h_of_sums(total, plan, estimator)), without),
       sizes = vapply(blocks, rows_in, 0), n = n,
       scale = log2(vapply(plan$unit, function(unit) unit$scale, 0)))
}

# ---- rows of the result

# list(value, undefined, constant, values): the CKA, how many of its delete-one values are
# undefined, whether they are all equal, and its row.
stream_row <- function(estimator, found, complete) {
  h <- lapply(c(xy = "xy", xx = "xx", yy = "yy"), function(which) {
    part <- function(name) vapply(found$h, function(one) one[[which]][[estimator]][[name]], 0)
    list(value = part("value"), magnitude = part("magnitude"))
  })
  theta <- suppressWarnings(h$xy$value / sqrt(h$xx$value) / sqrt(h$yy$value))
  theta[!(is_positive(h$xx) & is_positive(h$yy))] <- NA
  few <- any(found$n - found$sizes < 4)
  if (few) theta[-1] <- NA
  # The jackknife over blocks of unequal size. With equal sizes the variance is (g - 1) / g times
  # the sum of squared deviations of the g deletions.
  se <- NA_real_
  if (length(theta) > 2) {
    ratio <- sum(found$sizes) / found$sizes
    pseudo <- ratio * theta[1] - (ratio - 1) * theta[-1]
    centre <- length(ratio) * theta[1] - sum((1 - 1 / ratio) * theta[-1])
    se <- sqrt(mean((pseudo - centre)^2 / (ratio - 1)))
  }
  constant <- isTRUE(se <= tie_share * max(abs(theta[1]), 1))
  value <- function(which, side) unscale_h(h[[which]]$value[1], found$scale[side])
  list(value = theta[1], undefined = if (few) 0 else sum(is.na(theta[-1])), constant = constant,
       args = with_estimator(list(complete = complete), estimator), values = data.frame(
    estimator = estimator, complete = complete, cka = theta[1], se = if (constant) NA_real_ else se,
    h_xy = value("xy", c(1, 2)), h_xx = value("xx", c(1, 1)), h_yy = value("yy", c(2, 2)),
    n = found$n, batches = length(found$sizes)
  ))
}
