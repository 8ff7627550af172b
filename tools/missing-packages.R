# Which R packages that DESCRIPTION asks for are missing?
#   Rscript tools/missing-packages.R [--required] [--install] [more packages]
# prints one name per line. --required leaves out the suggested packages that
# the tests can do without. --install prints no names, but takes what is missing
# from CRAN into the first folder of R_LIBS.

args <- commandArgs(trailingOnly = TRUE)
more <- grep("^--", args, value = TRUE, invert = TRUE)

fields <- read.dcf("DESCRIPTION", fields = c("Depends", "Imports", "LinkingTo", "Suggests"))
entries <- function(which) {
  text <- unlist(strsplit(stats::na.omit(fields[, which]), ","))
  text <- trimws(gsub("[[:space:]]+", " ", text))
  text[nzchar(text)]
}

# "testthat (>= 3.0.0)" -> is a package of at least that version there, and does
# it load? (Loading finds the packages that it needs in its turn.)
name_of <- function(entry) sub(" *\\(.*$", "", entry)
is_there <- function(entry) {
  name <- name_of(entry)
  least <- if (grepl(">=", entry)) gsub("^.*>=|[ )]", "", entry) else "0.0"
  if (name == "R") return(getRversion() >= least)
  path <- suppressWarnings(find.package(name, quiet = TRUE))
  length(path) > 0 && utils::packageVersion(name) >= least &&
    suppressWarnings(suppressMessages(requireNamespace(name, quietly = TRUE)))
}

wanted <- c(entries(c("Depends", "Imports", "LinkingTo")),
            if ("--required" %in% args) grep("^testthat\\b", entries("Suggests"), value = TRUE)
            else entries("Suggests"),
            more)
missing <- Filter(Negate(is_there), wanted)

if ("R" %in% name_of(missing))
  stop("R is too old: this is ", getRversion(), ", DESCRIPTION asks for ",
       grep("^R\\b", missing, value = TRUE), call. = FALSE)

if ("--install" %in% args) {
  repos <- getOption("repos")
  if (!length(repos) || any(repos == "@CRAN@")) repos <- "https://cloud.r-project.org"
  library <- strsplit(Sys.getenv("R_LIBS"), .Platform$path.sep)[[1]][1]
  dir.create(library, showWarnings = FALSE, recursive = TRUE)
  .libPaths(c(library, .libPaths()))
  options(timeout = max(600, getOption("timeout")))
  # testthat and rmarkdown need fs, and fs needs libuv or cmake on the machine. An
  # older fs builds with the C compiler alone.
  Sys.setenv(USE_BUNDLED_LIBUV = "1")
  if (!is_there("fs") && !nzchar(Sys.which("cmake")))
    try(utils::install.packages(paste0(repos[1], "/src/contrib/Archive/fs/fs_1.6.3.tar.gz"),
                                lib = library, repos = NULL, type = "source"))
  cores <- max(1L, parallel::detectCores(), na.rm = TRUE)
  for (attempt in 1:3) {
    try(utils::install.packages(name_of(missing), lib = library, repos = repos, Ncpus = cores))
    missing <- Filter(Negate(is_there), missing)
    if (!length(missing)) break
    if (attempt < 3) Sys.sleep(10 * attempt)
  }
} else {
  writeLines(name_of(missing))
}
