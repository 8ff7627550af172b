# The cache of a benchmark: scores on disk, so that an interrupted run resumes where it stopped.

# A folder holds a file for each pair of representations, whose name is made of what both contain.
# The file is a list of cells (see one_cell()); their names are made of the measure with its
# arguments and, where the measure is not symmetric, of the order of the pair. What failed is not
# kept, so that it is tried again.

check_cache <- function(cache) {
  if (is.null(cache)) return(NULL)
  if (!is.character(cache) || length(cache) != 1 || is.na(cache) || !nzchar(cache)) {
    abort("`cache` must be the path of a folder, or NULL.", class = "repalign_error_value",
          arg = "cache")
  }
  cache <- path.expand(cache)
  if (!dir.exists(cache)) dir.create(cache, recursive = TRUE, showWarnings = FALSE)
  if (!dir.exists(cache) || file.access(cache, 2) != 0) {
    abort("`cache` = ", dQuote(cache, FALSE), " is no folder that can be written to.",
          class = "repalign_error_value", arg = "cache")
  }
  # workers may have another working folder
  normalizePath(cache, "/")
}

# What a grid needs to find its cells, or NULL without a cache. contents: a key for each
# representation; extra: what scores depend on beside the measures.
open_store <- function(cache, contents, set, pairs, extra) {
  if (is.null(cache)) return(NULL)
  low <- pmin(contents[pairs$i], contents[pairs$j])
  high <- pmax(contents[pairs$i], contents[pairs$j])
  order <- ifelse(contents[pairs$i] == low, "xy", "yx")
  measures <- vapply(set, measure_key, "", extra)
  keys <- outer(order, seq_along(set), function(order, m) {
    paste(measures[m], ifelse(vapply(set[m], is_symmetric, NA), "both", order))
  })
  list(files = file.path(cache, paste0(low, "-", high, ".rds")), keys = keys)
}

# The cells that the cache has: a matrix, pairs x measures, with NULL for what it has not.
stored_cells <- function(store, wanted) {
  cells <- matrix(list(), nrow(wanted), ncol(wanted))
  if (is.null(store)) return(cells)
  for (file in unique(store$files[rowSums(wanted) > 0])) {
    rows <- which(store$files == file)
    known <- read_stored(file)
    for (p in rows) cells[p, wanted[p, ]] <- unname(known[store$keys[p, wanted[p, ]]])
  }
  cells
}

# A file that was cut short, by a full disk perhaps, counts as none.
read_stored <- function(file) {
  if (!file.exists(file)) return(list())
  known <- tryCatch(readRDS(file), error = function(e) NULL, warning = function(w) NULL)
  if (is.list(known)) known else list()
}

# Adds the cells of the pair in one row. The file is replaced at once by a whole new one, and what
# another process has added in the meantime is kept.
store_cells <- function(store, row, cells) {
  if (is.null(store)) return(invisible())
  good <- vapply(cells, function(cell) !is.null(cell) && is.null(cell$failure), NA)
  if (!any(good)) return(invisible())
  file <- store$files[row]
  known <- read_stored(file)
  known[store$keys[row, good]] <- cells[good]
  part <- tempfile("part-", dirname(file))
  saveRDS(known, part, compress = FALSE)
  file.rename(part, file)
}

# What representations contain, as short texts.
content_keys <- function(items, at) {
  if (is.null(items$files)) return(vapply(items$data[at], hash_of, "", USE.NAMES = FALSE))
  sums <- unname(tools::md5sum(path.expand(items$files[at])))
  if (is.null(items$arrays)) return(sums)
  vapply(seq_along(at), function(k) hash_of(list(sums[k], items$arrays[at[k]])), "")
}

# The key of a measure with its arguments. Another version of the package may compute other scores.
measure_key <- function(measure, extra) {
  d <- measure$declaration
  own <- if (is_own(measure)) list(function_parts(d$fun), d$direction, d$symmetric, d$best)
  hash_of(list(measure$id, measure$args, own, extra,
               as.character(utils::packageVersion("repalign"))))
}

# What an own function computes with: its code, and the variables and functions of the user that it
# uses. `seen` ends the search where functions call each other.
function_parts <- function(fun, seen = character()) {
  if (is.primitive(fun)) return(deparse(fun))
  names <- setdiff(all.names(body(fun), unique = TRUE), c(seen, names(formals(fun))))
  used <- lapply(names, user_variable, environment(fun))
  found <- !vapply(used, is.null, NA)
  used <- lapply(used[found], function(value) {
    if (is.function(value)) function_parts(value, c(seen, names)) else value
  })
  list(formals = as.list(formals(fun)), body = deparse(body(fun)),
       used = stats::setNames(used, names[found]))
}

# The value of a variable that is the user's own, and not of a package.
user_variable <- function(name, env) {
  while (!identical(env, emptyenv())) {
    if (isNamespace(env) || identical(env, baseenv())) return(NULL)
    if (exists(name, envir = env, inherits = FALSE)) return(get(name, envir = env))
    if (identical(env, globalenv())) return(NULL)
    env <- parent.env(env)
  }
  NULL
}

# Version 2 of the format writes a vector in the same way however R holds it; the first 14 bytes
# name the version of R.
hash_of <- function(value) {
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(serialize(value, NULL, version = 2)[-(1:14)], file)
  unname(tools::md5sum(file))
}
