# A reference is a value with its interval that pictures of analyses draw for comparison, such as
# the similarity of two brains beside that of a brain and a model.

# Returns c(value, low, high), where the interval may be NA, or NULL.
check_reference <- function(reference) {
  if (is.null(reference)) return(NULL)
  values <- if (is.data.frame(reference)) reference_row(reference) else reference
  usable <- is.numeric(values) && length(values) %in% c(1, 3) && is.finite(values[1]) &&
    !any(is.infinite(values)) && !is.unsorted(values[c(2, 1, 3)], na.rm = TRUE)
  if (!usable) {
    abort("`reference` must be one row of a result, a number, or three numbers: the value, the ",
          "lower and the upper end of its interval.", class = "repalign_error_value",
          arg = "reference")
  }
  as.double(values)[1:3]
}

# The estimate of a row of an analysis or of cka_interval(), and its interval.
reference_row <- function(row) {
  value <- intersect(c("pooled", "cka"), names(row))
  if (!length(value)) {
    abort("`reference` must be one row of an analysis or of cka_interval(): it has no column ",
          "\"pooled\" or \"cka\".", class = "repalign_error_type", arg = "reference")
  }
  if (nrow(row) != 1) {
    abort("`reference` has ", count_of(nrow(row), "row"), ": give the one to draw, as in ",
          "subset(result, neurons == 50 & estimator == \"stimulus_neuron\").",
          class = "repalign_error_size", arg = "reference")
  }
  end <- function(column) if (is.null(row[[column]])) NA_real_ else row[[column]]
  c(row[[value[1]]], end("conf_low"), end("conf_high"))
}

# A band from one side of a panel to the other. Its sides are constants, which the axis does not
# transform: on a logarithmic one minus infinity would have no place.
side_band <- function(data, extent, ...) {
  ggplot2::geom_rect(data = data, extent, xmin = -Inf, xmax = Inf, inherit.aes = FALSE,
                     alpha = 0.15, show.legend = FALSE, ...)
}

reference_layers <- function(reference) {
  if (is.null(reference)) return(NULL)
  list(
    if (!anyNA(reference)) {
      side_band(data.frame(low = reference[2], high = reference[3]),
                ggplot2::aes(ymin = .data[["low"]], ymax = .data[["high"]]), fill = "grey40")
    },
    ggplot2::geom_hline(yintercept = reference[1], linetype = "22", colour = okabe_ito[["black"]],
                        linewidth = 0.5)
  )
}

# What the caption says about the reference.
reference_note <- function(reference) {
  if (is.null(reference)) return(NULL)
  text <- format_each(reference, 3)
  if (anyNA(reference)) return(paste("black dashes: the reference,", text[1]))
  paste0("black dashes and band: the reference, ", text[1], " (", text[2], " to ", text[3], ")")
}
