# The report: one HTML file with everything inside. Returns what is missing for it, or
# nothing when it was written.
write_report <- function(output) {
  absent <- Filter(function(p) !requireNamespace(p, quietly = TRUE), c("knitr", "rmarkdown"))
  if (length(absent)) {
    return(paste("no report, because the R package", paste(absent, collapse = " and "),
                 "is not installed"))
  }
  if (!rmarkdown::pandoc_available("2.0")) {
    return("no report, because pandoc (2.0 or later) was not found")
  }
  aside <- tempfile("report")
  dir.create(aside)
  on.exit(unlink(aside, recursive = TRUE))
  # a copy, so that nothing is left beside the source; it reads the other parts in place
  file.copy(file.path("tools", "demo", "report.Rmd"), aside)
  rmarkdown::render(file.path(aside, "report.Rmd"), output_dir = normalizePath(output),
                    knit_root_dir = getwd(), envir = new.env(parent = globalenv()), quiet = TRUE)
  character()
}
