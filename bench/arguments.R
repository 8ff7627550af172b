# What a benchmark was asked for on its command line: names of its parts (none: all), and settings
# such as sets=100, n=30,100 or kind=counts; and code without its messages.

given <- commandArgs(TRUE)
parts <- grep("=", given, value = TRUE, invert = TRUE)
wanted <- function(part) !length(parts) || part %in% parts
words <- function(name, default) {
  value <- grep(paste0("^", name, "="), given, value = TRUE)
  if (length(value)) strsplit(sub("^[^=]*=", "", value[1]), ",")[[1]] else default
}
settings <- function(name, default) as.integer(words(name, default))
setting <- function(name, default) settings(name, default)[1]

quietly <- function(code) suppressWarnings(suppressMessages(code))
