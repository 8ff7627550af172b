# What a value or a function is, as a short text or in parts that can be compared.

# A hash of a value. Version 2 of the format writes a vector in the same way however R holds it; the
# first 14 bytes name the version of R.
hash_of <- function(value) {
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(serialize(value, NULL, version = 2)[-(1:14)], file)
  unname(tools::md5sum(file))
}

# What an own function computes with: its code, and the variables and functions of the user that it
# uses. `seen` ends the search where functions call each other.
function_parts <- function(fun, seen = character()) {
  if (is.primitive(fun)) return(deparse(fun))
  names <- setdiff(all.names(body(fun), unique = TRUE), c(seen, names(formals(fun))))
  used <- sapply(names, function(name) {
    env <- environment(fun)
    # what is of a package is not the user's own
    while (!isNamespace(env) && !identical(env, baseenv()) && !identical(env, emptyenv())) {
      if (exists(name, envir = env, inherits = FALSE)) return(get(name, envir = env))
      if (identical(env, globalenv())) return(NULL)
      env <- parent.env(env)
    }
  }, simplify = FALSE)
  used <- lapply(Filter(Negate(is.null), used), function(value) {
    if (is.function(value)) function_parts(value, c(seen, names)) else value
  })
  list(formals = as.list(formals(fun)), body = deparse(body(fun)), used = used)
}
