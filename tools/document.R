# Writes man/, NAMESPACE and the order of files in DESCRIPTION from the roxygen comments. From the
# root of the repository: Rscript tools/document.R
# The R files are read as a package reads them, and nothing is compiled or installed: no comment
# needs the C code.

# The functions and data of the package, above what it imports. roxygen2::load_source() would attach
# whole packages instead, and take methods of their generics, which we register by name, for
# something else.
read_package <- function(path) {
  files <- file.path(path, "R", desc::desc_get_collate(file = path))
  tags <- grep("^#' @importFrom ", unlist(lapply(files, readLines)), value = TRUE)
  imported <- new.env(parent = globalenv())
  for (words in strsplit(tags, " +")) {
    for (name in words[-(1:3)]) assign(name, getExportedValue(words[3], name), imported)
  }
  env <- new.env(parent = imported)
  methods::setPackageName("repalign", env)
  for (file in files) sys.source(file, env, keep.source = TRUE)
  for (file in list.files(file.path(path, "data"), full.names = TRUE)) load(file, env)
  env
}

roxygen2::update_collate(".")
roxygen2::roxygenise(load_code = read_package)
