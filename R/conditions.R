# All errors, warnings and messages are given by the functions of this file, and some of their words
# are made here.

abort <- function(..., class = NULL, arg = NULL) {
  condition <- structure(
    class = c(class, "repalign_error", "error", "condition"),
    list(message = paste0(...), call = NULL, arg = arg)
  )
  stop(condition)
}

warn <- function(..., class = NULL, data = NULL) {
  condition <- structure(
    class = c(class, "repalign_warning", "warning", "condition"),
    list(message = paste0(...), call = NULL, data = data)
  )
  warning(condition)
}

inform <- function(..., class = NULL) {
  condition <- structure(
    class = c(class, "repalign_message", "message", "condition"),
    list(message = paste0(..., "\n"), call = NULL)
  )
  message(condition)
}

# Lists values in words: "a", "b" and 3 more.
enumerate <- function(values, most = 5, quote = TRUE) {
  values <- as.character(values)
  shown <- utils::head(if (quote) dQuote(values, FALSE) else values, most)
  rest <- length(values) - length(shown)
  if (rest > 0) return(paste0(paste(shown, collapse = ", "), " and ", rest, " more"))
  if (length(shown) < 2) return(paste(shown, collapse = ""))
  paste(paste(shown[-length(shown)], collapse = ", "), "and", shown[length(shown)])
}

count_of <- function(n, what) paste0(n, " ", what, if (n != 1) "s")

describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  article <- function(word) paste(if (grepl("^[aeiou]", word)) "an" else "a", word)
  if (is.object(x)) return(paste0("an object of class ", dQuote(class(x)[1], FALSE)))
  if (is.matrix(x)) return(paste(article(typeof(x)), "matrix"))
  if (is.array(x)) return(paste("an array with", count_of(length(dim(x)), "dimension")))
  if (is.list(x)) return("a list")
  paste0(article(typeof(x)), if (is.atomic(x)) " vector")
}
