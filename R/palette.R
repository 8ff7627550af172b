# These are the colours of all pictures; they stay distinct for readers who cannot tell red from
# green.

# Colours for categories, from Okabe and Ito (2008).
okabe_ito <- c(orange = "#E69F00", sky = "#56B4E9", green = "#009E73", yellow = "#F0E442",
               blue = "#0072B2", vermillion = "#D55E00", purple = "#CC79A7", black = "#000000")

# Colours for tiles: `blues` from small to large numbers, and `diverging` from negative numbers
# through zero to positive ones.
blues <- c("#EDF3F9", "#D1E5F0", "#92C5DE", "#4393C3", "#2166AC", "#053061")

oranges <- c("#FEE0B6", "#FDB863", "#E08214", "#B35806", "#7F3B08")

diverging <- c(rev(oranges), blues)

undefined_colour <- "grey75"

# The colour of the text on a tile. share: how dark the tile is, from 0 for pale to 1 for dark.
text_colour <- function(share) ifelse(!is.na(share) & share > 0.68, "white", "black")

# A colour for each category, in their order; when there are too many, the rest share the last one.
category_colours <- function(categories) {
  palette <- okabe_ito[c("blue", "vermillion", "green", "orange", "purple", "sky", "black",
                         "yellow")]
  stats::setNames(unname(palette[pmin(seq_along(categories), length(palette))]), categories)
}

estimator_colours <- c(naive = okabe_ito[["orange"]], stimulus = okabe_ito[["green"]],
                       stimulus_neuron = okabe_ito[["blue"]],
                       stimulus_trial = okabe_ito[["purple"]],
                       stimulus_neuron_trial = okabe_ito[["vermillion"]])

mark_colours <- c(score = okabe_ito[["vermillion"]], threshold = okabe_ito[["black"]])

measure_colours <- c(similarity = okabe_ito[["blue"]], distance = okabe_ito[["vermillion"]],
                     `no similarity` = "#E3EDF4", `no distance` = "#F8E9DD")
