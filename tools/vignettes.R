# Rscript tools/vignettes.R FOLDER
# Builds the vignettes of the source package in FOLDER and their index, as R CMD build does, but
# with the package as it is installed: R CMD build would install it once more.

setwd(commandArgs(trailingOnly = TRUE))
tools::buildVignettes(dir = ".", tangle = TRUE)
built <- tools::pkgVignettes(dir = ".", output = TRUE, source = TRUE)
made <- c(built$outputs, unlist(built$sources))
dir.create("inst/doc", recursive = TRUE)
stopifnot(file.copy(unique(c(built$docs, made)), "inst/doc"))
unlink(made)
dir.create("build", showWarnings = FALSE)
saveRDS(tools:::.build_vignette_index(built), "build/vignette.rds", version = 2)
