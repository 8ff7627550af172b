# The command line of `repalign`: its subcommands, what their options are, how the texts that users
# type become values, and how data are read and paired by their ids.

#' @include base-check.R
NULL

# The functions that the subcommands call, and the arguments of these that are data in files.
cli_commands <- list(
  evaluate = list(calls = "evaluate_models", sides = c("data", "models")),
  similarity = list(calls = "similarity", sides = c("x", "y")),
  calibrate = list(calls = "calibrate", sides = c("x", "y")),
  encode = list(calls = "encode", sides = c("from", "to"))
)

# Options that are no arguments of the functions.
cli_own <- c(
  out = "FILE: where the table goes; without it, to the terminal.",
  format = "csv, json or parquet: without it, as the ending of --out says, or else csv.",
  figure = "FILE: a picture of the result, .pdf, .png or .svg.",
  words = "what the result says, in sentences, to the terminal.",
  ids = paste("FILE: a table (.csv) with the id of each row of the data, by which rows are paired.",
              "It has one column for all files, or columns named after the data options or the",
              "layers. Without it, rows are paired by their names, or by their place."),
  kind = "recording or network: what evaluate calls --data in words.",
  seed = "NUMBER: makes random permutations and folds the same again.",
  quiet = "no progress and no remarks; warnings and errors stay.",
  help = "this text."
)

# Those of one command.
own_options <- function(command) cli_own[command == "evaluate" | names(cli_own) != "kind"]

# What is said of how files are read.
cli_reading <- c("rows", "flatten", "channels")

# list(command, options): the texts of the options by name, TRUE where there is none.
cli_options <- function(args) {
  command <- if (length(args) && !startsWith(args[1], "-")) args[1]
  if (is.null(command)) {
    asks <- length(args) && args[1] %in% c("--help", "-h")
    refuse_if(length(args) && !asks, "option", "The first word must be a command: ",
              "{enumerate(names(cli_commands), quote = FALSE)}.")
    return(list(options = list(help = TRUE)))
  }
  refuse_if(!command %in% names(cli_commands), "option", "There is no command ",
            "{quoted(command)}{suggest(command, names(cli_commands))} Commands: ",
            "{enumerate(names(cli_commands), quote = FALSE)}.")
  options <- list()
  args <- args[-1]
  while (length(args)) {
    refuse_if(!startsWith(args[1], "-"), "option", "{quoted(args[1])} belongs to no ",
              "option: every value follows its option, as in --out scores.csv.")
    name <- gsub("-", "_", sub("^--?", "", sub("=.*$", "", args[1])))
    if (name == "h") name <- "help"
    refuse_if(name %in% names(options), "option", "--{name} is there twice.")
    inline <- grepl("=", args[1], fixed = TRUE)
    flag <- name %in% c("words", "quiet", "help")
    refuse_if(flag && inline, "option", "--{name} takes no value.")
    # a negative number is a value
    follows <- !inline && !flag && length(args) > 1 && !grepl("^--?[A-Za-z]", args[2])
    options[[name]] <- if (inline) sub("^[^=]*=", "", args[1]) else if (follows) args[2] else TRUE
    args <- args[-seq_len(1 + follows)]
  }
  list(command = command, options = options)
}

# The arguments of a function that are options. The files have been read when it is called, so that
# no tiles of them could be kept.
cli_formals <- function(name) setdiff(names(formals(name, topenv())), c("...", "resume"))

# Sorts the options of a command: list(sides, own, reading, arguments, parameters), the last for its
# measure. A control (`given`) is paired as the sides are.
sorted_options <- function(command, options) {
  declared <- cli_commands[[command]]
  formals <- cli_formals(declared$calls)
  id <- if (is.character(options$measure)) options$measure else "cka"
  of_measure <- if ("measure" %in% formals && exists(id, topenv(), inherits = FALSE)) {
    setdiff(names(formals(get(id, topenv()))), c("x", "y", "na", "..."))
  }
  known <- c(formals, names(own_options(command)), cli_reading, of_measure)
  other <- setdiff(names(options), known)
  refuse_if(length(other), "option", "There is no option --{other[1]} of `repalign {command}`",
            if (grepl(",", id, fixed = TRUE)) " with several measures: parameters need one measure",
            "{suggest(other[1], known)} `repalign {command} --help` lists them.")
  valued <- setdiff(names(options), c("words", "quiet", "help", "series", "diagonal", "standardize",
                                      "per_neuron", of_measure))
  empty <- valued[vapply(options[valued], isTRUE, NA)]
  refuse_if(length(empty), "option", "--{empty[1]} needs a value.")
  needed <- declared$sides[vapply(declared$sides, function(side) {
    identical(formals(declared$calls, topenv())[[side]], quote(expr = ))
  }, NA)]
  lacking <- setdiff(needed, names(options))
  refuse_if(length(lacking) && !isTRUE(options$help), "option",
            "--{lacking[1]} is missing: `repalign {command}` needs the files of it.")
  part <- function(names) options[intersect(names(options), names)]
  list(sides = part(c(declared$sides, "given")), own = part(names(cli_own)),
       reading = part(cli_reading), arguments = part(setdiff(formals, declared$sides)),
       parameters = part(setdiff(of_measure, formals)))
}

# The value of an option: a file of labels, numbers, truth values or words, of which a comma makes
# several.
cli_value <- function(text, name) {
  if (!is.character(text)) return(text)
  of_file <- grepl(".", text, fixed = TRUE) && file_ending(text) %in% names(file_formats())
  if (of_file || file.exists(text) && !dir.exists(text)) {
    # labels go by name where a table has the ids in its first column
    need_file(text, paste0("--", name))
    if (!file_ending(text) %in% c("csv", "tsv")) return(column_of_labels(read_representation(text)))
    table <- cli_table(text)
    refuse_if(ncol(table) > 2, "option", "--{name} {quoted(text)} has {ncol(table)} columns: ",
              "give the ids and the labels, or the labels alone.")
    values <- utils::type.convert(table[[ncol(table)]], as.is = TRUE)
    return(if (ncol(table) == 2) stats::setNames(values, table[[1]]) else values)
  }
  parts <- trimws(strsplit(text, ",", fixed = TRUE)[[1]])
  if (identical(parts, "NULL")) return(NULL)
  # a range of numbers, as in --rows 1:100
  ends <- if (grepl("^[0-9]+:[0-9]+$", text)) as.integer(strsplit(text, ":")[[1]])
  if (length(ends)) return(seq(ends[1], ends[2]))
  if (name == "measure") parts else utils::type.convert(parts, as.is = TRUE)
}

# A table of texts with a line of names, which tells what parts its fields.
cli_table <- function(file) {
  need_file(file, "file")
  lines <- utf8_lines(readLines(file, warn = FALSE), file)
  lines[1] <- sub("^\ufeff", "", lines[1])
  seps <- if (file_ending(file) == "tsv") "\t" else c(",", "\t", ";")
  sep <- c(Filter(function(sep) grepl(sep, lines[1], fixed = TRUE), seps), ",")[1]
  catch_error(utils::read.csv(text = lines, sep = sep, colClasses = "character",
                              check.names = FALSE, na.strings = ""),
              failed = function(e) refuse_file(file, "is no table: ", conditionMessage(e), "."))
}

# ---- help

# Texts of the arguments of a function, from its help page.
help_of_arguments <- function(name) {
  # without help pages, as of a quick installation, there are names alone
  pages <- catch_error(tools::Rd_db("repalign"), failed = function(e) list())
  kinds <- function(part) vapply(part, function(one) paste(attr(one, "Rd_tag"), collapse = ""), "")
  plain <- function(part) trimws(gsub("[[:space:]]+", " ", paste(unlist(part), collapse = "")))
  for (page in pages) {
    if (!name %in% vapply(page[kinds(page) == "\\alias"], plain, "")) next
    items <- do.call(c, page[kinds(page) == "\\arguments"])
    items <- items[kinds(items) == "\\item"]
    texts <- lapply(items, function(item) plain(item[[2]]))
    words <- lapply(items, function(item) strsplit(plain(item[[1]]), ", *")[[1]])
    return(stats::setNames(rep(unlist(texts), lengths(words)), unlist(words)))
  }
  character()
}

cli_help <- function(command = NULL) {
  if (is.null(command)) {
    return(c("repalign COMMAND --option value ...", "", paste0(
      "  ", format(names(cli_commands)), "  ",
      vapply(cli_commands, function(one) paste0(one$calls, "() of R"), "")
    ), "", "`repalign COMMAND --help` lists the options of a command; `repalign --version`."))
  }
  declared <- cli_commands[[command]]
  texts <- help_of_arguments(declared$calls)
  said <- function(names, texts) {
    unlist(lapply(names, function(name) {
      text <- if (name %in% names(texts)) texts[[name]] else ""
      c(paste0("  --", name), strwrap(text, 78, indent = 6, exdent = 6))
    }))
  }
  arguments <- setdiff(cli_formals(declared$calls), declared$sides)
  c(paste0("repalign ", command, " ", paste0("--", declared$sides, " FILES", collapse = " "),
           " --option value ..."), "", strwrap(paste0(
    "Data are a file, a folder, or several of them separated by commas; FILE:NAME is one array ",
    "of a file. The options are the arguments of ", declared$calls, "() and, after --measure, ",
    "those of the measure. Labels of stimuli are files: a column, or ids and labels, below a line ",
    "of names. --flatten FALSE keeps the trials of stimuli x neurons x trials."), 78), "",
    "Data", said(declared$sides, texts),
    "Options of the command", said(names(own_options(command)), cli_own),
    "Options of reading", said(cli_reading, help_of_arguments("read_representation")),
    paste0("Arguments of ", declared$calls, "()"), said(arguments, texts))
}

# ---- data

# The data of the command line: files that are read, and rows that are paired by their ids.

# list(data, files): a matrix or a named list, and the file of each, by the name of its element.
# text: a file, a folder, or several files separated by commas; FILE:NAME is one array of a file.
cli_data <- function(text, reading = list()) {
  paths <- if (file.exists(text)) text else strsplit(text, ",", fixed = TRUE)[[1]]
  if (length(paths) > 1 && (any(dir.exists(paths)) || !all(file.exists(paths)))) {
    # folders, or arrays of files, among them
    each <- lapply(paths, function(path) {
      read <- cli_data(path, reading)
      if (!is.list(read$data)) read$data <- list(read$data)
      names <- names(read$data)
      names <- if (dir.exists(path)) paste0(basename(path), "/", names) else
        if (is.null(names)) name_of_layer(path) else names
      lapply(read, stats::setNames, names)
    })
    return(list(data = do.call(c, lapply(each, `[[`, "data")),
                files = do.call(c, lapply(each, `[[`, "files"))))
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

# A file, or FILE:NAME, as the name of a layer.
name_of_layer <- function(file) names_of_files(sub("^.*:", "", basename(file)))

# The sides of a command with rows that belong together. ids: a file, or NULL; files: of the data;
# speak: for remarks.
paired_sides <- function(sides, ids, files, speak) {
  # what `of` gives for each matrix, by its argument
  each <- function(sides, of) {
    flat <- list()
    Map(map_matrices, sides, names(sides), list(function(m, arg) flat[[arg]] <<- of(m)))
    flat
  }
  change <- function(sides, by) Map(map_matrices, sides, names(sides), list(by))
  rows <- each(sides, function(m) dim(m)[1])
  if (is.null(ids)) {
    if (!any(unlist(each(sides, function(m) is.null(dimnames(m)[[1]]))))) return(sides)
    other <- which(unlist(rows) != rows[[1]])
    refuse_if(length(other), "rows", "`{names(rows)[1]}` has {count_of(rows[[1]], 'row')} and ",
              "`{names(rows)[other[1]]}` has {rows[[other[1]]]}: give equal rows, or the ids of ",
              "the rows, --ids ids.csv.")
    speak("Rows are paired by their place, ", count_of(rows[[1]], "row"), " in each file. --ids ",
          "pairs them by ids.")
    return(sides)
  }
  table <- cli_table(ids)
  named <- change(sides, function(m, arg) {
    labels <- ids_of(table, arg, dim(m)[1], ids, files)
    names <- dimnames(m)
    if (is.null(names)) names <- vector("list", length(dim(m)))
    names[[1]] <- labels
    dimnames(m) <- names
    m
  })
  all <- each(named, function(m) dimnames(m)[[1]])
  common <- Reduce(intersect, all)
  refuse_if(!length(common), "rows", "--ids {quoted(ids)} gives no id that is in all files.")
  short <- lengths(all) > length(common)
  if (any(short)) {
    speak(count_of(length(common), "id"), " in common; left out: ",
          paste0(lengths(all)[short] - length(common), " of ", names(all)[short], collapse = ", "),
          ".")
  }
  change(named, function(m, arg) {
    if (length(dim(m)) == 3) m[common, , , drop = FALSE] else m[common, , drop = FALSE]
  })
}

# The ids of the rows of one file: the column of its layer, that of its side, or the only one.
ids_of <- function(table, arg, rows, file, files) {
  ways <- c(sub("^[^$]*[$]", "", arg), sub("[$].*$", "", arg),
            if (!is.null(files[[arg]])) name_of_layer(files[[arg]]), "id",
            if (ncol(table) == 1) names(table))
  column <- intersect(ways, names(table))[1]
  refuse_if(is.na(column), "rows", "--ids {quoted(file)} has no column for `{arg}`: name ",
            "one of {enumerate(unique(ways), 20)}. Columns: {enumerate(names(table), 20)}.")
  labels <- table[[column]]
  # a column of a shorter side ends before the others
  labels <- utils::head(labels, max(which(!is.na(labels)), 0))
  refuse_if(length(labels) != rows, "rows", "--ids {quoted(file)} has ",
            "{count_of(length(labels), 'id')} in the column {quoted(column)}, but `{arg}` ",
            "has {count_of(rows, 'row')}. (Its first line names the columns.)")
  bad <- which(is.na(labels))
  refuse_if(length(bad), "rows", "--ids {quoted(file)} has no id in row {bad[1]} of the ",
            "column {quoted(column)}.")
  twice <- anyDuplicated(labels)
  refuse_if(twice, "rows", "--ids {quoted(file)} has the id ",
            "{quoted(labels[twice])} in rows {match(labels[twice], labels)} and {twice} of ",
            "the column {quoted(column)}: each row of the data needs one of its own.")
  labels
}
