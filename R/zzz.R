# This file is read last, and has what happens when the package is installed and loaded.

# Declarations are completed and checked at installation, so that one that names an unknown form
# makes the installation fail.
complete_declarations()
settle_usual_measures()

.onLoad <- function(libname, pkgname) {
  loaded_in$process <- Sys.getpid()
  setHook(packageEvent("vctrs", "onLoad"), register_vctrs_methods)
  if (isNamespaceLoaded("vctrs")) register_vctrs_methods()
}
