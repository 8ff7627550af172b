# Names in pictures: as long as there is room for them, and never two alike.

# Pictures are laid out for a page of this size, in inches; characters of 8 points are so wide.
page <- c(width = 7, height = 5)

character_width <- 0.06

# The names of two sides, as factors where they were: each side's shortened by themselves, or
# both together where two names would look the same.
short_sides <- function(x, y, most) {
  all <- value_order(stacked(x, y))
  side <- ifelse(all %in% as.character(x), "x", "y")
  apart <- !any(as.character(x) %in% as.character(y))
  short <- if (apart) unsplit(lapply(split(all, side), short_labels, most), side)
  if (!apart || anyDuplicated(short)) short <- short_labels(all, most)
  names(short) <- all
  lapply(list(x, y), function(side) {
    if (is.factor(side)) factor(side, levels(side), short[levels(side)]) else
      unname(short[as.character(side)])
  })
}

# Labels on several lines of at most `most` characters, distinct as they were.
wrapped_labels <- function(labels, most) {
  labels <- as.character(labels)
  lines <- lapply(labels, function(label) {
    parts <- unlist(strsplit(label, "\n", fixed = TRUE))
    unlist(lapply(parts, strwrap, width = most + 1))
  })
  all <- unique(unlist(lines))
  short <- stats::setNames(short_labels(all, most), all)
  vapply(lines, function(line) paste(short[line], collapse = "\n"), "")
}

# Every k-th of the names, for an axis that has room for `most`.
thinned <- function(names, most) names[seq(1, length(names), by = thinning(length(names), most))]

thinning <- function(count, most) max(1, ceiling(count / max(most, 1)))

# Numbers on tiles.
number_text <- function(values) {
  text <- ifelse(!is.na(values) & abs(values) >= 100, format_each(values), sprintf("%.2f", values))
  text[text == "-0.00"] <- "0.00"
  text[is.na(values)] <- "NA"
  text
}

format_each <- function(values, digits = 3) {
  vapply(values, function(value) format(value, digits = digits), "")
}

# Without the zero before the point, where every character counts.
compact_text <- function(text) sub("^(-?)0\\.", "\\1.", text)

# Two different numbers are written as different ones.
range_text <- function(from, to) {
  text <- number_text(c(from, to))
  for (digits in 2:15) {
    if (from == to || text[1] != text[2]) break
    text <- format_each(c(from, to), digits)
  }
  paste(text[1], "to", text[2])
}

# Remarks below a picture, a sentence each, on lines that fit the page.
caption_of <- function(...) {
  parts <- c(...)
  if (!length(parts)) return(NULL)
  paste(strwrap(paste(parts, collapse = "; "), width = 105), collapse = "\n")
}
