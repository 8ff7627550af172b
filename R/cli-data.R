# The data of the command line: files that are read, and rows that are paired by their ids.

#' @include base-check.R
NULL

# list(data, files): a matrix or a named list, and the file of each, by the name of its element.
# text: a file, a folder, or several separated by commas; FILE:NAME is one array of a file.
cli_data <- function(text, reading = list()) {
  paths <- if (file.exists(text)) text else strsplit(text, ",", fixed = TRUE)[[1]]
  if (length(paths) > 1 && !all(file.exists(paths))) {
    # arrays of files among them
    each <- lapply(paths, cli_data, reading)
    return(list(data = unlist(lapply(each, named_arrays), recursive = FALSE),
                files = unlist(lapply(each, function(one) one$files))))
  }
  part <- if (length(paths) == 1 && !file.exists(paths) && grepl(".:[^/\\]", paths)) {
    sub("^.*:", "", paths)
  }
  if (!is.null(part)) paths <- sub(":[^:]*$", "", paths)
  data <- do.call(read_representation, c(list(paths, part), reading))
  if (is.atomic(data) && is.null(dim(data))) data <- cbind(data, deparse.level = 0)
  if (!is.list(data)) return(list(data = data, files = text))
  if (dir.exists(paths[1])) {
    inside <- suppressMessages(read_representation(paths, names_only = TRUE))
    paths <- file.path(sub("/$", "", paths), basename(inside))
  }
  files <- if (length(paths) == 1) rep(paths, length(data)) else
    # the arrays of a file follow each other
    paths[cumsum(!duplicated(sub("/.*$", "", names(data))))]
  list(data = data, files = stats::setNames(files, names(data)))
}

# What cli_data() gives of one text as a named list.
named_arrays <- function(read) {
  if (is.list(read$data)) return(read$data)
  stats::setNames(list(read$data), sub("[.][^.]*$", "", sub("^.*:", "", basename(read$files))))
}

# The sides of a command with rows that belong together. ids: a file, or NULL; speak: for remarks.
paired_sides <- function(sides, ids, speak) {
  flat <- list()
  for (side in names(sides)) {
    map_matrices(sides[[side]], side, function(m, arg) flat[[arg]] <<- dim(m)[1])
  }
  if (!is.null(ids)) return(sides_by_ids(sides, ids, speak))
  named <- TRUE
  Map(map_matrices, sides, names(sides), list(function(m, arg) {
    named <<- named && !is.null(dimnames(m)[[1]])
    m
  }))
  if (named) return(sides)
  other <- which(unlist(flat) != flat[[1]])
  refuse_if(length(other), "rows", "`{names(flat)[1]}` has {count_of(flat[[1]], 'row')} and ",
            "`{names(flat)[other[1]]}` has {flat[[other[1]]]}: give equal rows, or the ids of the ",
            "rows, --ids ids.csv.")
  speak("Rows are paired by their place, ", count_of(flat[[1]], "row"), " in each file. --ids ",
        "pairs them by ids.")
  sides
}

sides_by_ids <- function(sides, ids, speak) {
  table <- cli_table(ids)
  named <- Map(map_matrices, sides, names(sides), list(function(m, arg) {
    labels <- ids_of(table, arg, dim(m)[1], ids)
    names <- dimnames(m)
    if (is.null(names)) names <- vector("list", length(dim(m)))
    names[[1]] <- labels
    dimnames(m) <- names
    m
  }))
  all <- list()
  Map(map_matrices, named, names(named), list(function(m, arg) all[[arg]] <<- dimnames(m)[[1]]))
  common <- Reduce(intersect, all)
  refuse_if(!length(common), "rows", "--ids {dQuote(ids, FALSE)} gives no id that is in all files.")
  short <- lengths(all) > length(common)
  if (any(short)) {
    speak(count_of(length(common), "id"), " in common; left out: ",
          paste0(lengths(all)[short] - length(common), " of ", names(all)[short], collapse = ", "),
          ".")
  }
  Map(map_matrices, named, names(named), list(function(m, arg) {
    if (length(dim(m)) == 3) m[common, , , drop = FALSE] else m[common, , drop = FALSE]
  }))
}

# The ids of the rows of one file: the column of its layer, that of its side, or the only one.
ids_of <- function(table, arg, rows, file) {
  ways <- c(sub("^[^$]*[$]", "", arg), sub("[$].*$", "", arg), "id",
            if (ncol(table) == 1) names(table))
  column <- intersect(ways, names(table))[1]
  refuse_if(is.na(column), "rows", "--ids {dQuote(file, FALSE)} has no column for `{arg}`: name ",
            "one of {enumerate(unique(ways), 20)}. Columns: {enumerate(names(table), 20)}.")
  labels <- table[[column]]
  # a column of a shorter side ends before the others
  labels <- utils::head(labels, max(which(!is.na(labels)), 0))
  refuse_if(length(labels) != rows, "rows", "--ids {dQuote(file, FALSE)} has ",
            "{count_of(length(labels), 'id')} in the column {dQuote(column, FALSE)}, but `{arg}` ",
            "has {count_of(rows, 'row')}. (Its first line names the columns.)")
  bad <- which(is.na(labels))
  refuse_if(length(bad), "rows", "--ids {dQuote(file, FALSE)} has no id in row {bad[1]} of the ",
            "column {dQuote(column, FALSE)}.")
  twice <- anyDuplicated(labels)
  refuse_if(twice, "rows", "--ids {dQuote(file, FALSE)} has the id ",
            "{dQuote(labels[twice], FALSE)} in rows {match(labels[twice], labels)} and {twice} of ",
            "the column {dQuote(column, FALSE)}: each row of the data needs one of its own.")
  labels
}
