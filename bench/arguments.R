# What a benchmark was asked for on its command line: names of its parts (none: all), and settings
# such as sets=100 or n=30,100; and code without its messages.

given <- commandArgs(TRUE)
parts <- grep("=", given, value = TRUE, invert = TRUE)
wanted <- function(part) !length(parts) || part %in% parts
settings <- function(name, default) {
  value <- grep(paste0("^", name, "="), given, value = TRUE)
  if (!length(value)) return(default)
  as.integer(strsplit(sub("^[^=]*=", "", value[1]), ",")[[1]])
}
setting <- function(name, default) settings(name, default)[1]

quietly <- function(code) suppressWarnings(suppressMessages(code))
