# What happens when the package is installed and loaded; the last file to be read.

# Declarations are completed and checked at installation, so that one that names an unknown form
# is an error there.
complete_declarations()

.onLoad <- function(libname, pkgname) {
  loaded_in$process <- Sys.getpid()
  setHook(packageEvent("vctrs", "onLoad"), register_mixed_kinds)
  if (isNamespaceLoaded("vctrs")) register_mixed_kinds()
}
