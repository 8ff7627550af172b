# These functions fit names and numbers into pictures, so that different ones remain different.

# Pictures are laid out for a page of this size in inches, on which a character of 8 points has this
# width.
page <- c(width = 7, height = 5)

character_width <- 0.06

# Shortens the names of two sides; factors stay factors. Sides without common names are shortened
# separately, which keeps more of each name, unless a name of x would then look like one of y.
short_sides <- function(x, y, most) {
  all <- value_order(stacked(x, y))
  side <- ifelse(all %in% as.character(x), "x", "y")
  disjoint <- !any(as.character(x) %in% as.character(y))
  short <- if (disjoint) unsplit(lapply(split(all, side), short_labels, most), side)
  if (!disjoint || anyDuplicated(short)) short <- short_labels(all, most)
  names(short) <- all
  lapply(list(x, y), function(side) {
    if (is.factor(side)) factor(side, levels(side), short[levels(side)]) else
      unname(short[as.character(side)])
  })
}

# Labels broken into lines of at most `most` characters; different labels stay different.
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

# Every k-th name, for an axis that has room for `most` names.
thinned <- function(names, most) names[seq(1, length(names), by = thinning(length(names), most))]

thinning <- function(count, most) max(1, ceiling(count / max(most, 1)))

# Numbers as they are written on tiles.
number_text <- function(values) {
  text <- ifelse(!is.na(values) & abs(values) >= 100, format_each(values), sprintf("%.2f", values))
  text[text == "-0.00"] <- "0.00"
  text[is.na(values)] <- "NA"
  text
}

format_each <- function(values, digits = 3) {
  vapply(values, function(value) format(value, digits = digits), "")
}

# Small tiles have room for a number only without the zero before the point.
compact_text <- function(text) sub("^(-?)0\\.", "\\1.", text)

# Two numbers with as many digits as it takes to tell them apart.
range_text <- function(from, to) {
  text <- number_text(c(from, to))
  for (digits in 2:15) {
    if (from == to || text[1] != text[2]) break
    text <- format_each(c(from, to), digits)
  }
  paste(text[1], "to", text[2])
}

# Joins remarks to the caption below a picture, on lines that fit the page.
caption_of <- function(...) {
  parts <- c(...)
  if (!length(parts)) return(NULL)
  paste(strwrap(paste(parts, collapse = "; "), width = 105), collapse = "\n")
}
