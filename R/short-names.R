# Long names made short without becoming the same, for tables and pictures.

# Names of at most `most` characters where that keeps them distinct. "..." stands for what is left
# out: what all names begin with, then what all end with, then the middle, at another place or
# with more characters kept where names would become the same.
short_labels <- function(labels, most) {
  labels <- as.character(labels)
  if (!length(labels)) return(labels)
  names <- unique(labels)
  short <- names
  if (any(nchar(short) > most)) short <- without_shared(short, most)
  if (any(nchar(short) > most)) short <- reversed_text(without_shared(reversed_text(short), most))
  # the dots of what is left out everywhere are the first to go
  for (dots in c("[.]{3}$", "^[.]{3}")) {
    if (any(nchar(short) > most) && all(grepl(dots, short))) short <- sub(dots, "", short)
  }
  without_middles(short, most)[match(labels, names)]
}

# Without what they all begin with, up to the first separator that is far enough, else the last.
without_shared <- function(names, most) {
  shared <- substr(names[1], 1, common_start(names))
  at <- gregexpr("[-._/ :|]", shared)[[1]]
  at <- at[at > 3]
  if (length(names) < 2 || !length(at)) return(names)
  fits <- at[max(nchar(names)) - at + 3 <= most]
  paste0("...", substring(names, c(fits, utils::tail(at, 1))[1] + 1))
}

# How many characters.
common_start <- function(names) {
  most <- min(nchar(names))
  same <- vapply(seq_len(most), function(n) length(unique(substr(names, n, n))) == 1, NA)
  sum(cumprod(same))
}

reversed_text <- function(texts) {
  vapply(strsplit(texts, ""), function(letters) paste(rev(letters), collapse = ""), "")
}

# Whole words where a few characters more are enough for them.
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

# How many characters to keep before the gap: a third at first, then others.
head_lengths <- function(most) {
  room <- max(most - 3, 0)
  unique(c(room %/% 3, seq(0, room)))
}

without_middle <- function(names, most, head, whole_words) {
  tail <- max(most - 3, 0) - head
  # an ellipsis that is there already is not doubled
  start <- sub("^[.]{3}", "", names)
  end <- sub("[.]{3}$", "", names)
  first <- first_characters(start, head, whole_words)
  last <- last_characters(end, tail, whole_words)
  # where there is no whole word
  none <- first == "" & last == ""
  first[none] <- first_characters(start[none], head, FALSE)
  last[none] <- last_characters(end[none], tail, FALSE)
  ifelse(nchar(names) > most, paste0(first, "...", last), names)
}

# The first characters of names, without a word that would be torn.
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
