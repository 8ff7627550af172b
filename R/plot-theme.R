# The theme here is what all pictures have in common.

# The background is white, because text on a transparent one would vanish in a dark viewer.
picture_theme <- function(...) {
  list(ggplot2::theme_minimal(),
       ggplot2::theme(plot.background = ggplot2::element_rect(fill = "white", colour = NA),
                      plot.caption = ggplot2::element_text(hjust = 0, colour = "grey30"),
                      plot.caption.position = "plot"),
       ggplot2::theme(...))
}
