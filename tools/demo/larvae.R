# The same identified neurons in several fly larvae.

one_dilution <- "31 odours, 1e-4"
all_dilutions <- "31 odours, five dilutions"

# A matrix for each of the larvae 1 to 5: rows are the odours that all five smelt, at the
# strongest concentration or at every one.
larvae <- function(odours) {
  neurons <- setdiff(names(larval_orn), c("stimulus", "odor", "exp_id", "larva", "log10_dilution"))
  rows <- if (odours == one_dilution) larval_orn$log10_dilution == -4 else TRUE
  matrices <- lapply(stats::setNames(1:5, paste("larva", 1:5)), function(k) {
    table <- larval_orn[rows & larval_orn$larva == k, ]
    responses <- as.matrix(table[neurons])
    rownames(responses) <- table$stimulus
    responses
  })
  common <- Reduce(intersect, lapply(matrices, rownames))
  lapply(matrices, function(x) x[common, ])
}

# All pairs of larvae, and pooled over them ("(all)"). A neuron of one larva is never paired
# with the same neuron of the other.
run_larvae <- function() {
  run <- function(odours) {
    animals <- larvae(odours)
    for_settings(function(normalize) {
      pairs <- brain_to_brain(animals, neurons = c(4, 8, 16, 21), repeats = 100,
                              units_x = lapply(animals, colnames), normalize = normalize)
      rbind(summary(pairs), as.data.frame(pairs))
    }, odours = odours)
  }
  rbind(run(one_dilution), run(all_dilutions))
}

# What comes out when nobody says that the neurons are the same.
larva_controls <- function() {
  rows <- lapply(names(settings), function(setting) {
    pairs <- suppressWarnings(suppressMessages(
      brain_to_brain(larvae(one_dilution), neurons = 21, repeats = 1, conf_level = NULL,
                     estimator = "stimulus_neuron", normalize = settings[[setting]])
    ))
    control("larvae", "shared neurons not declared", setting, last_pooled(pairs))
  })
  do.call(rbind, rows)
}
