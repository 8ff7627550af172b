# Builds the site of the package (_pkgdown.yml) into .build/site, from the package as it is
# installed, without asking any server. `make site` installs the package and calls it.

# No look-ups of CRAN pages or GitHub names.
options(pkgdown.internet = FALSE)

site <- file.path(".build", "site")
package <- pkgdown::as_pkgdown(".", override = list(destination = site))

# A topic or an article that _pkgdown.yml does not list is an error.
pkgdown::check_pkgdown(package)

unlink(site, recursive = TRUE)
pkgdown::build_site(package, new_process = FALSE, install = FALSE, preview = FALSE)

# In the repository README links to the files of articles, which here are pages.
index <- file.path(site, "index.html")
lines <- readLines(index)
writeLines(gsub("vignettes/articles/([a-z-]+)[.]Rmd", "articles/\\1.html", lines), index)
cat("The site is in ", file.path(site, "index.html"), "\n", sep = "")
