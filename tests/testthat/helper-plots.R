# What is drawn, for tests of pictures.

# A device that draws nowhere, until the calling function ends. (local_pdf() of withr makes a file.)
local_device <- function(frame = parent.frame()) {
  grDevices::pdf(NULL)
  device <- grDevices::dev.cur()
  withr::defer(grDevices::dev.off(device), frame)
}

normal_layers <- function(prefix, layers, n = 20, d = 4) {
  parts <- lapply(seq_len(layers), function(i) matrix(rnorm(n * d), n))
  setNames(parts, paste0(prefix, seq_len(layers)))
}

# Rows of two results of one kind in one table, with a column that tells them apart.
bound_by <- function(first, second, column, values) {
  rows <- rbind(as.data.frame(first), as.data.frame(second))
  rows[[column]] <- rep(values, c(nrow(first), nrow(second)))
  for (name in setdiff(names(attributes(first)), c("names", "row.names"))) {
    attr(rows, name) <- attr(first, name)
  }
  rows
}

# all that drawing computes, without a warning
built <- function(plot) {
  expect_s3_class(plot, "ggplot")
  local_device()
  expect_no_warning({
    data <- ggplot2::ggplot_build(plot)
    ggplot2::ggplot_gtable(data)
  })
  data
}

data_of <- function(built, geom) {
  at <- vapply(built$plot$layers, function(layer) inherits(layer$geom, geom), NA)
  expect_identical(sum(at), 1L)
  built$data[[which(at)]]
}

# the data of the layer on top, of several with this geom
data_of_last <- function(built, geom) {
  at <- vapply(built$plot$layers, function(layer) inherits(layer$geom, geom), NA)
  built$data[[max(which(at))]]
}

has_layer <- function(built, geom) {
  any(vapply(built$plot$layers, function(layer) inherits(layer$geom, geom), NA))
}

panel_names <- function(built) {
  layout <- built$layout$layout
  as.character(layout[[setdiff(names(layout), c("PANEL", "ROW", "COL", "SCALE_X", "SCALE_Y",
                                                "COORD"))]])
}

# the labels at an axis of a panel
tick_labels <- function(built, axis, panel = 1) {
  labels <- built$layout$panel_params[[panel]][[axis]]$get_labels()
  unlist(labels[!is.na(built$layout$panel_params[[panel]][[axis]]$get_breaks())])
}

# the caption without its line breaks
caption_text <- function(plot) gsub("\n", " ", plot$labels$caption)

fill_scale <- function(built) built$plot$scales$get_scales("fill")

# the texts that a map of points has where it is drawn in so many inches
map_texts <- function(plot, size = c(7, 5)) {
  grDevices::pdf(NULL, size[1], size[2])
  on.exit(grDevices::dev.off())
  found <- function(grob) {
    if (!inherits(grob, "repalign_map_names")) return(unlist(lapply(grob$children, found)))
    unlist(lapply(grob$children, function(part) part$label))
  }
  unname(found(grid::grid.force(ggplot2::ggplotGrob(plot))))
}
