# A feed gives stream_cka() the rows of both sides, a chunk at a time: what users gave as `chunks`
# is read here, and every chunk is checked.

#' @include feed-source.R
NULL

# A feed is an environment. chunk(count): the next chunk as it comes, list(x, y) or NULL at the end;
# `own` says that the user's own chunks are given, whatever the count. n: the number of rows, NULL
# where it is unknown. pick(rows): these rows, NULL where rows only come one after the other.
# end(): frees what is open. Of the chunks, `read` counts those that came, `widths` are the numbers
# of columns, and `held` is a chunk that was looked at before its time.
new_feed <- function(chunk, own = FALSE, n = NULL, pick = NULL, end = function() NULL) {
  feed <- new.env(parent = emptyenv())
  parts <- list(chunk = chunk, own = own, n = n, pick = pick, end = end, read = 0)
  for (name in names(parts)) assign(name, parts[[name]], feed)
  feed
}

as_feed <- function(chunks) {
  if (is.function(chunks)) return(feed_of_function(chunks))
  if (is.character(chunks)) chunks <- as.list(chunks)
  usable <- is.list(chunks) && !is.data.frame(chunks) && length(chunks)
  if (!usable) refuse_chunks(chunks)
  if (is_chunk(chunks) && !all(vapply(chunks, is_chunk, NA))) return(feed_of_sides(chunks))
  if (!all(vapply(chunks, is_chunk, NA))) refuse_chunks(chunks)
  at <- 0
  new_feed(own = TRUE, function(count) {
    at <<- at + 1
    if (at <= length(chunks)) chunks[[at]]
  })
}

feed_of_function <- function(chunks) {
  calls <- 0
  new_feed(own = TRUE, function(count) {
    calls <<- calls + 1
    tryCatch(chunks(), error = function(e) {
      abort("The function `chunks` stopped at its call ", calls, ": ", conditionMessage(e),
            class = "repalign_error_function", arg = "chunks")
    })
  })
}

refuse_chunks <- function(chunks) {
  abort("`chunks` must be a function that returns list(x = , y = ) and in the end NULL, a list of ",
        "such pairs of matrices, or list(x = , y = ) of two files, connections or matrices, not ",
        describe_chunks(chunks), ".", class = "repalign_error_type", arg = "chunks")
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

feed_of_sides <- function(given) {
  given <- named_sides(given)
  x <- as_source(given$x, "x")
  y <- tryCatch(as_source(given$y, "y"), error = function(e) {
    x$end()
    stop(e)
  })
  end <- function() {
    x$end()
    y$end()
  }
  if (!is.null(x$n) && !is.null(y$n) && x$n != y$n) {
    end()
    refuse_lengths(x$n, y$n)
  }
  n <- c(x$n, y$n)
  pick <- if (!is.null(x$pick) && !is.null(y$pick)) {
    function(rows) list(x = x$pick(rows), y = y$pick(rows))
  }
  new_feed(function(count) chunk_of_sources(x, y, count), n = if (length(n)) n[[1]], pick = pick,
           end = end)
}

chunk_of_sources <- function(x, y, count) {
  chunk <- list(x = x$take(count), y = y$take(count))
  if (is.null(chunk$x) && is.null(chunk$y)) return(NULL)
  rows <- function(part) if (is.null(part)) 0 else nrow(part)
  if (rows(chunk$x) != rows(chunk$y)) {
    abort("One side of `chunks` ends before the other: where one still has ",
          count_of(max(rows(chunk$x), rows(chunk$y)), "row"), ", the other has ",
          min(rows(chunk$x), rows(chunk$y)), ". Their rows must be the same stimuli.",
          class = "repalign_error_rows", arg = "chunks")
  }
  chunk
}

refuse_lengths <- function(n_x, n_y) {
  abort("`chunks` has ", format(n_x), " rows in `x` and ", format(n_y), " in `y`: the rows must ",
        "be the same stimuli in the same order.", class = "repalign_error_rows", arg = "chunks")
}

# The next chunk, checked, or NULL at the end.
next_chunk <- function(feed, count) {
  if (!is.null(feed$held)) {
    chunk <- feed$held
    feed$held <- NULL
    return(chunk)
  }
  chunk <- feed$chunk(count)
  if (is.null(chunk)) return(NULL)
  checked_chunk(chunk, feed)
}

checked_chunk <- function(chunk, feed) {
  feed$read <- feed$read + 1
  if (!is_chunk(chunk)) {
    abort("Chunk ", feed$read, " of `chunks` must be list(x = , y = ), two matrices with the same ",
          "stimuli in their rows, not ", describe(chunk), ".", class = "repalign_error_type",
          arg = "chunks")
  }
  chunk <- named_sides(chunk)
  args <- c(x = paste("x in chunk", feed$read), y = paste("y in chunk", feed$read))
  chunk <- Map(function(part, arg) {
    part <- double_matrix(part, arg)
    check_finite(part, arg)
    if (feed$read == 1) refuse_identifiers(part, arg)
    part
  }, chunk[c("x", "y")], args)
  check_same_rows(chunk$x, chunk$y, args[["x"]], args[["y"]])
  check_widths(feed, chunk)
  lapply(chunk, unname_rows)
}

check_widths <- function(feed, chunk) {
  widths <- c(x = ncol(chunk$x), y = ncol(chunk$y))
  if (is.null(feed$widths)) feed$widths <- widths
  changed <- names(which(widths != feed$widths))
  if (!length(changed)) return(invisible())
  side <- changed[1]
  abort("`", side, "` has ", widths[[side]], " columns in chunk ", feed$read, ", but ",
        feed$widths[[side]], " before: all chunks must have the same neurons.",
        class = "repalign_error_size", arg = "chunks")
}

# Looks at the first chunk, which next_chunk() will give.
look_ahead <- function(feed, count) {
  feed$held <- next_chunk(feed, count)
  if (is.null(feed$held)) {
    abort("`chunks` gives no rows at all.", class = "repalign_error_size", arg = "chunks")
  }
  feed$names <- lapply(feed$held, colnames)
  invisible(feed)
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
