# Pictures of analyses whose ceiling is known: the ceiling as a band, and the estimates without the
# noise of trials beside the raw ones.

has_ceiling_columns <- function(rows) {
  all(c("ceiling", "ceiling_se", "disattenuated") %in% names(rows)) &&
    any(!is.na(rows$ceiling) & !is_free_of_trials(rows))
}

# Estimates from trials have no noise that a ceiling would be about.
is_free_of_trials <- function(rows) as.character(rows$estimator) %in% trial_estimators

# The ends of the intervals of ceilings, with the quantiles of the estimates' own intervals.
ceiling_rows <- function(rows) {
  if (!has_ceiling_columns(rows)) return(NULL)
  own <- (rows$conf_high - rows$pooled) / rows$pooled_se
  half <- ifelse(is.na(own), 0, own) * ifelse(is.na(rows$ceiling_se), 0, rows$ceiling_se)
  rows$ceiling_low <- rows$ceiling - half
  rows$ceiling_high <- rows$ceiling + half
  rows[!is.na(rows$ceiling) & !is_free_of_trials(rows), ]
}

# For the range of the axis.
ceiling_extent <- function(rows) {
  rows <- ceiling_rows(rows)
  c(rows$ceiling_low, rows$ceiling_high, rows$disattenuated)
}

# Behind the estimates. A panel with one place on the axis has a band from side to side.
ceiling_layers <- function(rows) {
  shown <- ceiling_rows(rows)
  if (is.null(shown)) return(NULL)
  place <- if (is.null(shown$size)) shown$neurons else as.integer(shown$comparison)
  many <- tapply(place, shown$panel, function(at) length(unique(at)) > 1)
  wide <- shown$panel %in% names(many)[many %in% TRUE]
  band <- ggplot2::aes(ymin = .data[["ceiling_low"]], ymax = .data[["ceiling_high"]],
                       fill = .data[["estimator"]])
  line <- ggplot2::aes(y = .data[["ceiling"]], group = .data[["estimator"]])
  list(
    if (any(wide)) {
      ggplot2::geom_ribbon(data = shown[wide, ], band, alpha = 0.15, colour = NA,
                           show.legend = FALSE)
    },
    if (any(wide)) {
      ggplot2::geom_line(data = shown[wide, ], line, linetype = "22", linewidth = 0.4,
                         show.legend = FALSE)
    },
    if (any(!wide)) band_layers(shown[!wide, ]),
    ggplot2::scale_fill_manual(values = estimator_values(rows, estimator_colours), guide = "none")
  )
}

# Bands from side to side, as those of a reference.
band_layers <- function(shown) {
  list(
    side_band(shown, ggplot2::aes(ymin = .data[["ceiling_low"]], ymax = .data[["ceiling_high"]],
                                  fill = .data[["estimator"]])),
    ggplot2::geom_hline(data = shown, linetype = "22", linewidth = 0.4, show.legend = FALSE,
                        ggplot2::aes(yintercept = .data[["ceiling"]],
                                     colour = .data[["estimator"]]))
  )
}

# Over the estimates: open points at the same places.
disattenuated_layers <- function(rows) {
  shown <- ceiling_rows(rows)
  if (is.null(shown)) return(NULL)
  ggplot2::geom_point(data = shown, shape = 1, size = 2.4, na.rm = TRUE, show.legend = FALSE,
                      ggplot2::aes(y = .data[["disattenuated"]]))
}

ceiling_note <- function(rows) {
  if (is.null(ceiling_rows(rows))) return(NULL)
  "coloured dashes and bands: the ceiling that noise of the trials sets; circles: disattenuated"
}
