# Names in pictures: as long as there is room for them, and never two alike.

# Pictures are laid out for a page of this size, in inches; characters of 8 points are so wide.
page <- c(width = 7, height = 5)
character_width <- 0.06

# Names of at most `most` characters where that keeps them distinct: the middle is left out, at
# another place or with more characters kept where names would become the same.
short_labels <- function(labels, most) {
  labels <- as.character(labels)
  names <- unique(labels)
  repeat {
    for (head in head_lengths(most)) {
      short <- without_middle(names, most, head)
      if (!anyDuplicated(short)) return(short[match(labels, names)])
    }
    most <- most + 2
  }
}

# How many characters to keep before the gap: a third at first, then others.
head_lengths <- function(most) {
  room <- max(most - 3, 0)
  unique(c(room %/% 3, seq(0, room)))
}

without_middle <- function(names, most, head) {
  size <- nchar(names)
  tail <- max(most - 3, 0) - head
  cut <- paste0(substr(names, 1, head), "...", substr(names, size - tail + 1, size))
  ifelse(size > most, cut, names)
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

# Two different numbers are written as different ones.
range_text <- function(from, to) {
  for (digits in 2:15) {
    text <- format_each(c(from, to), digits)
    if (from == to || text[1] != text[2]) break
  }
  paste(text[1], "to", text[2])
}

# Remarks below a picture, a sentence each, on lines that fit the page.
caption_of <- function(...) {
  parts <- c(...)
  if (!length(parts)) return(NULL)
  paste(strwrap(paste(parts, collapse = "; "), width = 105), collapse = "\n")
}
