# The spelling of man/, vignettes/, README, NEWS and DESCRIPTION, in British English
# (`Language` in DESCRIPTION). inst/WORDLIST holds names and terms that no dictionary has.
#   Rscript tools/spell.R             lists unknown words and where they are; status 1 if any
#   Rscript tools/spell.R --update    makes inst/WORDLIST anew: every unknown word goes in, words
#                                     that are used no more go out, and both are printed. Read
#                                     what was added: a misspelt word is to be corrected instead.
# man/ is made from R/ by `make document`, which comes first.

# A copy of what is checked, in which the articles have no formulas: the names of TeX commands
# are no words.
checked_copy <- function() {
  copy <- tempfile()
  dir.create(copy)
  file.copy(c("DESCRIPTION", "NEWS.md", "README.md", "inst", "man", "vignettes"), copy,
            recursive = TRUE)
  articles <- dir(file.path(copy, "vignettes", "articles"), "[.]Rmd$", full.names = TRUE)
  for (file in articles) blank_formulas(file)
  copy
}

# Code goes, too: it is not checked, and its $ is no formula. Lines keep their numbers.
blank_formulas <- function(file) {
  lines <- readLines(file, encoding = "UTF-8")
  fence <- grepl("^```", lines)
  lines[fence | cumsum(fence) %% 2 == 1] <- ""
  text <- paste(lines, collapse = "\n")
  blank <- gregexpr("`[^`]*`|[$]{2}[^$]*[$]{2}|[$][^$]*[$]", text)
  regmatches(text, blank) <- lapply(regmatches(text, blank), gsub, pattern = "[^\n]",
                                    replacement = "")
  writeLines(enc2utf8(text), file, useBytes = TRUE)
}

unknown <- function(...) {
  found <- spelling::spell_check_package(checked_copy(), ...)
  found[order(tolower(found$word), found$word), ]
}

update_wordlist <- function(file) {
  before <- if (file.exists(file)) readLines(file, encoding = "UTF-8") else character()
  words <- unknown(use_wordlist = FALSE)$word
  writeLines(enc2utf8(words), file, useBytes = TRUE)
  cat("added:  ", sort(setdiff(words, before)), "\nremoved:", sort(setdiff(before, words)), "\n")
}

check_spelling <- function() {
  found <- unknown()
  for (i in seq_len(nrow(found))) {
    cat(found$word[i], ": ", paste(found$found[[i]], collapse = ", "), "\n", sep = "")
  }
  cat(nrow(found), "unknown words",
      if (nrow(found)) "(correct them, or: Rscript tools/spell.R --update)", "\n")
  quit(status = as.integer(nrow(found) > 0))
}

if ("--update" %in% commandArgs(trailingOnly = TRUE)) {
  update_wordlist(file.path("inst", "WORDLIST"))
} else {
  check_spelling()
}
