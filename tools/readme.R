# Runs the R code of README.md, puts what it prints below each expression, and saves the pictures
# that the text shows. From the root of the repository, with the package installed:
#   Rscript tools/readme.R           writes README.md and man/figures/README-*.png
#   Rscript tools/readme.R --check   writes nothing; fails when the printed results differ
# A block of R code below the line "<!-- not run -->" stays as it is. The picture that follows a
# block shows the block's last plot.

options(width = 80)

# Where the blocks of R code stand: first and last line of code, and the picture that follows.
find_blocks <- function(lines) {
  opens <- which(lines == "```r")
  opens <- opens[!lines[pmax(opens - 1, 1)] %in% "<!-- not run -->"]
  closes <- vapply(opens, function(at) at + which(lines[-seq_len(at)] == "```")[1], 0)
  following <- vapply(closes, function(at) c(lines[-seq_len(at)][nzchar(lines[-seq_len(at)])],
                                             "")[1], "")
  pattern <- "^!\\[.*\\]\\((man/figures/README-.*\\.png)\\)$"
  picture <- ifelse(grepl(pattern, following), sub(pattern, "\\1", following), NA)
  data.frame(from = opens + 1, to = closes - 1, picture = picture)
}

# Lines of code with what they print, warnings and messages included.
run_block <- function(code, envir) {
  code <- code[!startsWith(code, "#>")]
  parsed <- parse(text = code, keep.source = TRUE)
  last <- vapply(attr(parsed, "srcref"), function(at) at[3], 0L)
  first <- c(1, last[-length(last)] + 1)
  if (length(last)) last[length(last)] <- length(code)
  parts <- Map(function(expression, from, to) {
    c(code[from:to], run_expression(expression, envir))
  }, as.list(parsed), first, last)
  unlist(parts)
}

run_expression <- function(expression, envir) {
  said <- character()
  note <- function(condition, restart) {
    text <- strsplit(sub("\n$", "", conditionMessage(condition)), "\n")[[1]]
    said <<- c(said, strwrap(text, 78))
    invokeRestart(restart)
  }
  shown <- utils::capture.output(withCallingHandlers({
    result <- withVisible(eval(expression, envir))
    if (result$visible) print(result$value)
  }, message = function(m) note(m, "muffleMessage"),
  warning = function(w) note(w, "muffleWarning")))
  printed <- sub(" +$", "", paste("#>", c(said, shown)))
  if (length(c(said, shown))) printed
}

# The last plot of a block is the one that stays in the file.
with_picture <- function(picture, code) {
  file <- if (is.na(picture)) tempfile(fileext = ".png") else picture
  grDevices::png(file, width = 900, height = 340, res = 110)
  on.exit(grDevices::dev.off())
  force(code)
}

check <- "--check" %in% commandArgs(TRUE)
root <- getwd()
lines <- readLines("README.md")
blocks <- find_blocks(lines)
envir <- new.env(parent = globalenv())
# what the code writes goes to a temporary folder
setwd(tempdir())
results <- lapply(seq_len(nrow(blocks)), function(k) {
  picture <- blocks$picture[k]
  if (!is.na(picture)) picture <- if (check) NA else file.path(root, picture)
  with_picture(picture, run_block(lines[blocks$from[k]:blocks$to[k]], envir))
})
setwd(root)

kept <- lines
for (k in rev(seq_len(nrow(blocks)))) {
  kept <- c(kept[seq_len(blocks$from[k] - 1)], results[[k]], kept[-seq_len(blocks$to[k])])
}
if (!check) {
  writeLines(kept, "README.md")
} else if (!identical(kept, lines)) {
  stop("README.md does not show what its code prints now: run Rscript tools/readme.R and look ",
       "at the difference.")
}
