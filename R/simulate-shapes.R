# The makers of shapes share these: `x`, a list `y` of what becomes of it, and the truth of each.

# y: a named list of representations; truth: a data frame with a row for each of them; `...`: facts
# about the stimuli.
simulated_shapes <- function(x, y, truth, ...) {
  structure(list(x = x, y = y, truth = truth, ...),
            class = c("repalign_shapes", "repalign_simulation"))
}

#' @export
print.repalign_shapes <- function(x, ...) {
  d <- unique(c(ncol(x$x), vapply(x$y, ncol, 0L)))
  cat("<simulated shapes> ", nrow(x$x), " stimuli, ", enumerate(d, quote = FALSE), " neurons: x ",
      "and ", count_of(length(x$y), "representation"), " in y\n", sep = "")
  print(x$truth, row.names = FALSE)
  invisible(x)
}

# Values of which each makes one representation. Returns them as numbers, with names: those that
# were given, or those that name_of() makes of a value.
check_settings <- function(values, arg, name_of, least = 0, most = Inf, whole = FALSE) {
  if (!is.numeric(values) || !length(values)) {
    abort("`", arg, "` must hold numbers, one for each representation in `y`, but is ",
          if (length(values)) describe(values) else "empty", ".",
          class = "repalign_error_type", arg = arg)
  }
  wrong <- which(is.na(values) | values < least | values > most | whole & values %% 1 != 0)
  if (length(wrong)) {
    limits <- if (most < Inf) paste("from", least, "to", format(most, digits = 3)) else
      paste("of at least", least)
    abort("`", arg, "` must hold ", if (whole) "whole ", "numbers ", limits, ", but element ",
          wrong[1], " is ", format(values[[wrong[1]]]), ".",
          class = "repalign_error_value", arg = arg)
  }
  if (is.null(names(values))) {
    names <- vapply(as.vector(values), name_of, "")
    if (anyDuplicated(names)) {
      abort("`", arg, "` holds ", format(values[[anyDuplicated(names)]]), " twice: give each ",
            "value once, or give them names.", class = "repalign_error_value", arg = arg)
    }
  } else {
    names <- names(values)
    if (anyNA(names) || !all(nzchar(names)) || anyDuplicated(names)) {
      abort("`", arg, "` must have a different name for every value, or no names at all.",
            class = "repalign_error_value", arg = arg)
    }
  }
  stats::setNames(as.vector(as.double(values)), names)
}

check_shape_memory <- function(n, d, count) {
  check_memory(8 * as.double(n) * d * (count + 2), "The simulated shapes",
               "Take fewer stimuli, neurons or values.")
}

# The truth of shapes that are told apart by one value each.
truth_of <- function(values, arg) {
  stats::setNames(data.frame(names(values), unname(values)), c("model", arg))
}
