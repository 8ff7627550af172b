# What the vignettes have in common: small pictures, lines that fit the page, and words for numbers.
# They are for users, short together and built in seconds; simulations and experiments are articles.
# The installed package stays below 8 MB: they come without colours and copies of their code
# (`highlight: null`, `knitr::rmarkdown_notangle`).

# 75 dots per inch of the page, twice as many (150 dpi) in the picture, with smooth lines
ragg <- requireNamespace("ragg", quietly = TRUE)
knitr::opts_chunk$set(comment = "#>", fig.width = 7, fig.height = 2.8, dpi = 75, fig.retina = 2,
                      dev = if (ragg) "ragg_png" else "png",
                      dev.args = if (!ragg && capabilities("cairo")) list(type = "cairo"))
# options are the reader's own again when the vignette is made
before <- options(digits = 3, width = 80, repalign.hints = FALSE)
knitr::knit_hooks$set(document = function(x) {
  options(before)
  x
})
has_ggplot2 <- requireNamespace("ggplot2", quietly = TRUE)

say <- function(value, digits = 2) formatC(value, digits = digits, format = "f")
ends <- function(low, high, digits = 2) paste(say(low, digits), "to", say(high, digits))
say_p <- function(p) if (p < 0.001) "p < 0.001" else paste("p =", formatC(p, digits = 2))

# messages, warnings and errors in lines that fit the page
for (kind in c("message", "warning", "error")) local({
  plain <- knitr::knit_hooks$get(kind)
  wrapped <- function(x, options) {
    text <- strwrap(gsub("\\s*\n#> *", " ", sub("^#> *", "", x)), 76)
    plain(paste0(paste("#>", text, collapse = "\n"), "\n"), options)
  }
  do.call(knitr::knit_hooks$set, setNames(list(wrapped), kind))
})
