# The command `repalign` of the shell: from its words to a call, its table and its exit status.

#' @include cli-options.R
NULL

#' Install the command `repalign`
#'
#' Puts a script into a folder, by which the shell calls [evaluate_models()], [similarity()],
#' [calibrate()] and [encode()] with data in files.
#'
#' @param folder where to put it: a folder on the `PATH` of the shell, such as `"~/bin"`. `NULL`: it
#'   is asked for.
#' @param ask ask before anything is written. Where nobody can answer, it must be `FALSE`.
#' @param link `TRUE`: a symbolic link to the script of the installed package, not a copy.
#' @param ... not used.
#' @return The path of the script, invisibly; `NULL` if the answer was no.
#' @details
#' ```
#' repalign evaluate --data v4.npy --models layers/ --out scores.csv
#' repalign similarity --x net.safetensors --measure cka,procrustes --figure grid.pdf
#' repalign calibrate --x a.npy --y b.npy --clusters scenes.csv --words
#' repalign encode --from layers/ --to v4.npy --ids ids.csv --format json
#' ```
#' Options are the arguments of the functions, and those of the measure; `repalign evaluate --help`
#' lists them. Data are what [read_representation()] reads. Rows are paired by the ids of `--ids`,
#' by names of rows, or else by their place, which is said.
#'
#' The table goes to `--out` or to the terminal, progress and remarks go to standard error. The exit
#' status is 0; 1 for an error of the package's own; 2 for input that cannot be used, whose message
#' names the file and the row; 3 for too little memory.
#' @examples
#' # install_cli("~/bin") asks, and then writes ~/bin/repalign
#' folder <- tempfile()
#' dir.create(folder)
#' install_cli(folder, ask = FALSE)
#' @seealso [read_representation()], [evaluate_models()]
#' @export
install_cli <- function(folder = NULL, ask = TRUE, link = FALSE, ...) {
  need_arguments()
  check_flag(ask, "ask")
  check_flag(link, "link")
  refuse_if(ask && !interactive(), "choice", "`ask` is TRUE, but nobody can answer: ",
            "install_cli(folder, ask = FALSE) writes without a question.")
  if (is.null(folder)) {
    refuse_if(!ask, "missing", "`folder` is missing: a folder on the PATH of the shell.")
    folder <- trimws(readline("Folder for the command `repalign` (on the PATH of the shell): "))
  }
  refuse_if(!is.character(folder) || length(folder) != 1 || !isTRUE(dir.exists(folder)), "value",
            "`folder` must be the path of a folder that is there.")
  refuse_if(file.access(folder, 2) != 0, "value", "`folder` {quoted(folder)} cannot be ",
            "written: take one of your own, such as \"~/bin\".")
  target <- file.path(normalizePath(folder), "repalign")
  source <- system.file("bin", "repalign", package = "repalign", mustWork = TRUE)
  lines <- readLines(source)
  refuse_if(file.exists(target) && !any(grepl("repalign:::", readLines(target, warn = FALSE))),
            "value", "`folder` has another file of this name, {quoted(target)}: it stays.")
  if (ask) {
    answer <- readline(paste0("Write ", target, "? (y/n) "))
    if (!tolower(trimws(answer)) %in% c("y", "yes")) return(invisible())
  }
  unlink(target)
  if (link) {
    refuse_if(!file.symlink(source, target), "value", "`folder` takes no link: give link = FALSE.")
    Sys.chmod(source)
  } else {
    # the library of this session, which the shell may not know
    library <- paste0(".libPaths(c(", deparse(dirname(system.file(package = "repalign"))),
                      ", .libPaths()))")
    writeLines(append(lines, library, 1), target)
    Sys.chmod(target, "0755")
  }
  inform("installed", "{target} is there.")
  invisible(target)
}

# What the script calls: returns the exit status.
command_line <- function(args) {
  # the files of the data, by the words that errors have for them
  files <- new.env()
  failed <- function(status) function(error) {
    text <- in_shell_words(error)
    said <- Filter(function(arg) grepl(paste0("`", arg, "`"), text, fixed = TRUE), sort(ls(files)))
    told <- vapply(said, function(arg) paste0("`", arg, "` is ", files[[arg]], "."), "")
    message(paste(c("repalign: error:", text, told), collapse = " "))
    status
  }
  quiet <- "--quiet" %in% args
  tryCatch({
    withCallingHandlers(
      run_command(args, files, quiet),
      warning = function(w) {
        message("repalign: warning: ", in_shell_words(w))
        tryInvokeRestart("muffleWarning")
      },
      repalign_message = function(m) {
        # numbers are others where trials were taken for neurons
        flattened <- grepl("flatten = FALSE", conditionMessage(m), fixed = TRUE)
        if (flattened) message("repalign: warning: ", trimws(in_shell_words(m)))
        if (quiet || flattened) tryInvokeRestart("muffleMessage")
      }
    )
    0
  }, repalign_error_memory = failed(3), repalign_error = failed(2), error = function(error) {
    # R has no class for it
    failed(if (grepl("cannot allocate", conditionMessage(error))) 3 else 1)(error)
  })
}

# Remedies that are calls of R, by patterns of them, and what a shell can do.
shell_remedies <- c(
  "give unname\\([a-z_]*\\)" = "give a file of one column",
  "flatten = FALSE keeps its axes.*" = "--flatten FALSE keeps its axes, the last of them trials.",
  "count the same stimuli, name them so" = "count the same stimuli, give the ids of both, --ids",
  "give as[.]dist\\(.*\\)[.]$" = "compare them in R, as as.dist().",
  "evaluate_rdms\\(\\) compares" = "evaluate_rdms() of R compares",
  ", too, or models" = ", too"
)

in_shell_words <- function(condition) {
  text <- conditionMessage(condition)
  for (pattern in names(shell_remedies)) text <- sub(pattern, shell_remedies[[pattern]], text)
  text
}

run_command <- function(args, files, quiet) {
  if (identical(args, "--version")) {
    return(writeLines(paste("repalign", utils::packageVersion("repalign"))))
  }
  given <- cli_options(args)
  if (isTRUE(given$options$help)) return(writeLines(cli_help(given$command)))
  options <- sorted_options(given$command, given$options)
  own <- options$own
  format <- output_format(own)
  speak <- function(...) inform("command", paste0("repalign: ", ...))
  if (!is.null(own$seed)) set.seed(check_count(cli_value(own$seed, "seed"), "seed", 0))
  reading <- Map(cli_value, options$reading, names(options$reading))
  sides <- Map(function(text, side) {
    # recordings may have trials, the last of three axes
    if (side %in% c("data", "to") && is.null(reading$flatten)) reading$flatten <- FALSE
    read <- cli_data(text, reading)
    data <- read$data
    single <- is.list(data) && length(data) == 1 && !side %in% c("models", "x", "y")
    if (single) data <- data[[1]]
    if (side == "models" && !is.list(data)) {
      # a single model has a name, too
      model <- name_of_layer(read$files)
      read$files <- stats::setNames(read$files, model)
      data <- stats::setNames(list(data), model)
    }
    if (side == "data" && is.list(data) && !grepl(",", text, fixed = TRUE)) {
      speak(several_subjects(text, data))
    }
    if (!is.list(data)) assign(side, read$files[[1]], files) else
      for (name in names(data)) assign(paste0(side, "$", name), read$files[[name]], files)
    data
  }, options$sides, names(options$sides))
  rows <- first_row_count(sides)
  sides <- paired_sides(sides, own$ids, files, speak)
  # arrays of trials, which `data` and `to` may be as they are
  compared <- intersect(names(sides), c("x", "y"))
  sides[compared] <- lapply(sides[compared], map_matrices, "", function(m, arg) {
    if (length(dim(m)) == 3) responses(m) else m
  })
  if (!is.null(own$kind)) {
    named <- function(data) responses(data, kind = own$kind)
    sides$data <- if (is.list(sides$data)) lapply(sides$data, named) else named(sides$data)
  }
  texts <- c(options$arguments, options$parameters)
  texts$given <- NULL
  arguments <- Map(cli_value, texts, names(texts))
  for (name in names(texts)) if (grepl("[.][ct]sv(.gz)?$", texts[[name]], ignore.case = TRUE)) {
    assign(name, paste0(texts[[name]], ", whose first line names its columns"), files)
  }
  arguments <- lapply(arguments, function(labels) {
    if (is.null(own$ids) || length(labels) != rows || !is.null(names(labels))) return(labels)
    # labels without names are those of the rows as they stood in the first file before they were
    # paired
    all <- ids_of(cli_table(own$ids), names(sides)[1], rows, own$ids, files)
    labels[match(first_row_names(sides), all)]
  })
  if (!is.null(sides$given)) arguments$given <- sides$given
  of_measure <- intersect(names(arguments), names(options$parameters))
  if (length(of_measure)) {
    id <- if (is.null(arguments$measure)) "cka" else arguments$measure
    arguments$measure <- do.call(measure, c(list(id), arguments[of_measure]))
    arguments[of_measure] <- NULL
  }
  sides$given <- NULL
  # the function is called by the names of its arguments, as a user does, so that its messages are
  # those of R
  values <- c(sides, arguments)
  frame <- list2env(values, parent = topenv())
  words <- lapply(stats::setNames(nm = names(values)), as.name)
  code <- as.call(c(as.name(cli_commands[[given$command]]$calls), words))
  result <- if (quiet || !requireNamespace("progressr", quietly = TRUE)) eval(code, frame) else {
    shown <- getOption("progressr.enable", TRUE)
    bar <- progressr::handler_txtprogressbar(file = stderr(), enable = shown)
    progressr::with_progress(eval(code, frame), handlers = bar, enable = shown)
  }
  write_result(result, own, format, options$sides)
}

first_row_count <- function(side) if (is.list(side)) first_row_count(side[[1]]) else dim(side)[1]

# ---- what comes out

output_format <- function(own) {
  formats <- c("csv", "json", "parquet")
  ending <- if (!is.null(own$out)) tolower(sub("^.*[.]", "", own$out))
  format <- if (!is.null(own$format)) check_choice(own$format, formats, "--format") else
    if (isTRUE(ending %in% formats)) ending else "csv"
  other <- !is.null(own$out) && grepl(".", basename(own$out), fixed = TRUE) && !ending %in% formats
  refuse_if(is.null(own$format) && other, "option", "--out: no table is written as .{ending}: ",
            "give a file that ends in .csv, .json or .parquet, or give --format.")
  for (arg in intersect(c("out", "figure"), names(own))) {
    folder <- dirname(own[[arg]])
    refuse_if(!dir.exists(folder), "option", "--{arg}: there is no folder {quoted(folder)}.")
    refuse_if(dir.exists(own[[arg]]) || file.access(folder, 2) != 0, "option",
              "--{arg}: {quoted(own[[arg]])} cannot be written.")
  }
  refuse_if(format == "parquet" && is.null(own$out), "option", "--format parquet needs --out FILE.")
  if (format == "json") require_package("jsonlite", "Writing .json")
  if (format == "parquet") require_package("nanoparquet", "Writing .parquet")
  if (!is.null(own$figure)) {
    require_package("ggplot2", "Drawing")
    check_choice(tolower(sub("^.*[.]", "", own$figure)), c("pdf", "png", "svg"), "--figure")
  }
  format
}

# files: what was given for each side.
write_result <- function(result, own, format, files) {
  rows <- as.data.frame(result)
  if (!is.null(own$out) || !is.null(own$format) || is.null(own$words)) {
    to <- if (is.null(own$out)) stdout() else
      if (format == "parquet") own$out else file(own$out, "w", raw = TRUE)
    switch(format,
      csv = {
        # numbers with all their digits
        double <- vapply(rows, is.double, NA)
        quoted <- which(vapply(rows, function(v) is.character(v) || is.factor(v), NA))
        rows[double] <- lapply(rows[double], function(v) {
          known <- v[!is.na(v)]
          short <- sprintf("%.15g", known)
          exact <- ifelse(as.double(short) == known, short, sprintf("%.17g", known))
          replace(rep(NA_character_, length(v)), !is.na(v), exact)
        })
        utils::write.csv(rows, to, row.names = FALSE, quote = quoted, na = "")
      },
      json = writeLines(jsonlite::toJSON(rows, digits = NA, na = "null", pretty = TRUE), to),
      parquet = nanoparquet::write_parquet(rows, to),
      no_branch(format)
    )
    # a full disk is found when the last of it is written
    full <- function(e) refuse("option", "--out: {quoted(own$out)} cannot be written: {e$message}.")
    if (!is.null(own$out) && format != "parquet") catch_error(close(to), full, warning = full)
  }
  if (!is.null(own$words)) writeLines(strwrap(in_words(result), 78))
  if (is.null(own$figure)) return(invisible())
  ending <- tolower(sub("^.*[.]", "", own$figure))
  switch(ending,
    pdf = grDevices::pdf(own$figure, 7, 5),
    png = grDevices::png(own$figure, 7, 5, "in", res = 150),
    svg = grDevices::svg(own$figure, 7, 5),
    no_branch(ending)
  )
  on.exit(grDevices::dev.off())
  print(titled_by_files(ggplot2::autoplot(result), files))
}

# A side of one file or folder gives its name to an axis in the place of "elements of x".
titled_by_files <- function(picture, files) {
  files <- files[!grepl(",", files, fixed = TRUE)]
  names(files) <- paste("elements of", names(files))
  titles <- lapply(files[intersect(unlist(picture$labels), names(files))], basename)
  names(titles) <- names(picture$labels)[match(names(titles), picture$labels)]
  picture + do.call(ggplot2::labs, titles)
}
