# What a benchmark was asked for on its command line: names of its parts (none: all), and settings
# such as sets=100.

given <- commandArgs(TRUE)
parts <- grep("=", given, value = TRUE, invert = TRUE)
wanted <- function(part) !length(parts) || part %in% parts
setting <- function(name, default) {
  value <- grep(paste0("^", name, "="), given, value = TRUE)
  if (length(value)) as.integer(sub("^[^=]*=", "", value[1])) else default
}
