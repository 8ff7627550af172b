# Through how many functions and files five calls walk. From the root of the repository, with the
# package installed from it:
#   R_LIBS=.build/lib Rscript tools/walks.R [FOLDER OF R FILES]
# Every function of the package notes its name when it is entered. A row a call: how many different
# functions it enters, in how many files of R/ they stand, how many calls of functions that makes,
# and how often the next function entered stands in another file.

suppressMessages(library(repalign))
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
layers <- function(count) {
  stats::setNames(lapply(seq_len(count), function(i) matrix(rnorm(30 * 5), 30)),
                  letters[seq_len(count)])
}
x <- layers(2)
y <- layers(3)
rdms <- lapply(layers(5), dist)
walk("similarity(x, y, \"rsa\")", similarity(x$a, x$b, "rsa"))
walk("evaluate_models(5 RDMs)", evaluate_models(rdms, lapply(y, dist)))
walk("similarity(x, y, \"mutual_knn\")", similarity(x$a, x$b, "mutual_knn"))
walk("cka(x, y, estimator = \"stimulus_neuron\")",
     repalign::cka(x$a, x$b, estimator = "stimulus_neuron"))
walk("calibrate(list, list, aggregate = \"max\")",
     calibrate(x, y, aggregate = "max", permutations = 99))
