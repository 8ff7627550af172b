# Renders the articles of the site, vignettes/articles/, into .build/articles. Any error in their
# code is an error. `make articles` installs the package and calls it; the articles take longer
# than the vignettes, which `make test` builds.

out <- file.path(".build", "articles")
unlink(out, recursive = TRUE)
dir.create(out)
for (file in dir(file.path("vignettes", "articles"), "[.]Rmd$", full.names = TRUE)) {
  started <- proc.time()
  rmarkdown::render(file, output_dir = out, intermediates_dir = tempfile(), quiet = TRUE,
                    envir = new.env())
  cat(sprintf("%5.0f s  %s\n", (proc.time() - started)[["elapsed"]], basename(file)))
}
