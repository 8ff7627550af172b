# These functions decide which rows of a calibration are significant, and say so in pictures.

is_significant <- function(object) {
  p <- p_to_judge(object)
  !is.na(p) & p <= alpha_of(object)
}

alpha_of <- function(object) {
  alpha <- attr(object, "settings")$alpha
  if (!is.null(alpha)) return(alpha)
  abort("`object` has lost its `alpha`, which some operations on data frames do not keep: start ",
        "again from what calibrate() returned.", class = "repalign_error_type", arg = "object")
}

# Tiles with a star after the number of each significant row.
marked_tiles <- function(tiles, object) {
  tiles$mark <- ifelse(is_significant(object), "*", "")
  tiles$text <- paste0(tiles$text, tiles$mark)
  tiles
}

# stars: do the tiles have room for stars, so that the caption must explain them?
significance_caption <- function(object, stars) {
  paste0(if (stars) "* ", if (!is.null(object$p_adjusted)) "adjusted ", "p-value at most ",
         format(alpha_of(object)), ": ", sum(is_significant(object)), " of ", nrow(object))
}
