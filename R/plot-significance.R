# Which rows of a calibration are significant, and how pictures say it.

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

# A star at what is significant.
marked_tiles <- function(tiles, object) {
  tiles$mark <- ifelse(is_significant(object), "*", "")
  tiles$text <- paste0(tiles$text, tiles$mark)
  tiles
}

# stars: are they drawn?
significance_caption <- function(object, stars) {
  paste0(if (stars) "* ", if (!is.null(object$p_adjusted)) "adjusted ", "p-value at most ",
         format(alpha_of(object)), ": ", sum(is_significant(object)), " of ", nrow(object))
}
