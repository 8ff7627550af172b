# These functions shorten long names for tables and pictures so that different names stay different.

# Names of at most `most` characters, or a few more where names would become the same. "..." stands
# for what is left out: first what all names begin with, then what all of them end with, then the
# middle of names, for which several places are tried.
short_labels <- function(labels, most) {
  labels <- as.character(labels)
  if (!length(labels)) return(labels)
  names <- unique(labels)
  short <- names
  if (any(nchar(short) > most)) short <- without_common_start(short, most)
  if (any(nchar(short) > most)) {
    short <- reversed_text(without_common_start(reversed_text(short), most))
  }
  # dots that all names have say little, and are left out before more of the names is
  for (dots in c("[.]{3}$", "^[.]{3}")) {
    if (any(nchar(short) > most) && all(grepl(dots, short))) short <- sub(dots, "", short)
  }
  without_middles(short, most)[match(labels, names)]
}

# Names without what all of them begin with. The cut is at a separator of words: the first after
# which the names are short enough, or otherwise the last.
without_common_start <- function(names, most) {
  shared <- substr(names[1], 1, common_length(names))
  at <- gregexpr("[-._/ :|]", shared)[[1]]
  at <- at[at > 3]
  if (length(names) < 2 || !length(at)) return(names)
  fits <- at[max(nchar(names)) - at + 3 <= most]
  paste0("...", substring(names, c(fits, utils::tail(at, 1))[1] + 1))
}

# The number of characters that all names begin with.
common_length <- function(names) {
  most <- min(nchar(names))
  same <- vapply(seq_len(most), function(n) length(unique(substr(names, n, n))) == 1, NA)
  sum(cumprod(same))
}

reversed_text <- function(texts) {
  vapply(strsplit(texts, ""), function(letters) paste(rev(letters), collapse = ""), "")
}

# Names without their middle. Whole words are left out if the result is then at most 4 characters
# too long; otherwise words are cut, with more and more characters until all names differ.
without_middles <- function(names, most) {
  for (room in most + c(0, 2, 4)) {
    for (head in head_lengths(room)) {
      short <- without_middle(names, room, head, whole_words = TRUE)
      if (!anyDuplicated(short) && all(nchar(short) >= pmin(nchar(names), room / 2))) return(short)
    }
  }
  repeat {
    for (head in head_lengths(most)) {
      short <- without_middle(names, most, head, whole_words = FALSE)
      if (!anyDuplicated(short)) return(short)
    }
    most <- most + 2
  }
}

# The numbers of characters to try before the gap: a third of them at first, then all others.
head_lengths <- function(most) {
  room <- max(most - 3, 0)
  unique(c(room %/% 3, seq(0, room)))
}

without_middle <- function(names, most, head, whole_words) {
  tail <- max(most - 3, 0) - head
  # dots that are already there are not counted, so that they are not doubled
  start <- sub("^[.]{3}", "", names)
  end <- sub("[.]{3}$", "", names)
  first <- first_characters(start, head, whole_words)
  last <- last_characters(end, tail, whole_words)
  # names in which no whole word is short enough are cut within a word
  none <- first == "" & last == ""
  first[none] <- first_characters(start[none], head, FALSE)
  last[none] <- last_characters(end[none], tail, FALSE)
  ifelse(nchar(names) > most, paste0(first, "...", last), names)
}

# The first characters of names; with whole_words, a word that would be cut is left out.
first_characters <- function(names, count, whole_words) {
  kept <- substr(names, 1, count)
  if (!whole_words) return(kept)
  torn <- !grepl(word_end, substr(names, count + 1, count + 1))
  kept <- ifelse(torn & nchar(names) > count, sub("[^-._/ :|]*$", "", kept), kept)
  sub("[-._/ :|]+$", "", kept)
}

last_characters <- function(names, count, whole_words) {
  reversed_text(first_characters(reversed_text(names), count, whole_words))
}

word_end <- "^[-._/ :|]"
