# Through how many functions and files five calls walk. From the root of the repository, with the
# package installed from it:
#   R_LIBS=.build/lib Rscript tools/walks.R [FOLDER OF R FILES]
# Every function of the package notes its name when it is entered. A row a call: how many different
# functions it enters, in how many files of R/ they stand, how many calls of functions that makes,
# and how often the next function entered stands in another file.

suppressMessages(library(repalign))
# what is said once a session is no part of a call
options(repalign.hints = FALSE)
folder <- c(commandArgs(trailingOnly = TRUE), "R")[1]
namespace <- asNamespace("repalign")

# The file in which each function is defined, by name.
owners <- function(folder) {
  of_file <- lapply(list.files(folder, "[.]R$", full.names = TRUE), function(path) {
    code <- parse(path, keep.source = FALSE)
    named <- Filter(function(e) is.call(e) && identical(e[[1]], quote(`<-`)) && is.name(e[[2]]),
                    as.list(code))
    names <- vapply(named, function(e) as.character(e[[2]]), "")
    stats::setNames(rep(basename(path), length(names)), names)
  })
  unlist(of_file)
}

entered <- character()

# Functions keep their formals and their environment: only the name is noted before the body.
note_entries <- function(names) {
  for (name in names) {
    original <- get(name, envir = namespace)
    if (!is.function(original) || is.primitive(original)) next
    noting <- original
    body(noting) <- substitute({
      .note(NAME)
      BODY
    }, list(NAME = name, BODY = body(original)))
    unlockBinding(name, namespace)
    assign(name, noting, envir = namespace)
  }
}

walk <- function(title, code) {
  entered <<- character()
  suppressWarnings(suppressMessages(force(code)))
  files <- unname(owner[entered])
  cat(sprintf("%-42s %4d functions %3d files %5d calls %5d changes of file\n", title,
              length(unique(entered)), length(unique(files)), length(entered),
              sum(files[-1] != files[-length(files)])))
}

owner <- owners(folder)
assign(".note", function(name) entered[length(entered) + 1] <<- name, envir = globalenv())
note_entries(intersect(names(owner), ls(namespace, all.names = TRUE)))

set.seed(1)
layers <- stats::setNames(lapply(1:5, function(i) matrix(rnorm(30 * 8), 30)), paste0("L", 1:5))
trials <- array(rnorm(30 * 10 * 4), c(30, 10, 4))
recording <- responses(trials)
walk("cka(x, y)", repalign::cka(layers$L1, layers$L2))
walk("similarity(five layers)", similarity(layers))
walk("calibrate(five layers)", calibrate(layers))
walk("evaluate_models(trials, five layers)", evaluate_models(recording, layers))
walk("score_interval(five layers)", score_interval(layers))
