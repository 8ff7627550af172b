# These functions warn, with class repalign_unstable, when a corrected CKA cannot be trusted: it is
# too far above 1 for chance, or its denominators are too uncertain to divide by.

# When the true CKA is 1 and neurons have equal gains, chance gave no value above this with so many
# stimuli and neurons on each side, but a third of the values with 30 stimuli and 10 neurons
# (bench/unstable.R). A value above it must have another cause, such as shared neurons without
# labels, or neurons of unequal gains, of which a few hold most of the variance.
far_above_one <- 1.5

enough_stimuli <- 60

enough_neurons <- 40

# When the relative standard error of a denominator is larger than this, the ratio says little.
unstable_error <- 0.5

# The relative standard error of a corrected self term h. stimuli, neurons: the squared norms of the
# centred stimuli and of the neurons. In a Gaussian population of dimensionality g, the sampling of
# n stimuli and q neurons adds 8 / (g n) and 8 / (g q) to the squared error, by its moments of
# fourth order. That h is a mean of products of four responses adds 4 / n^2, 4 / q^2 and
# 4 g^2 / (n q)^2. Here n and q are effective numbers: a stimulus or a neuron that has most of the
# variance counts as if it were alone. g is estimated by the squared variance divided by h, so that
# an h that came out too small makes the error large.
# rows: how many stimuli the norms of neurons go over, where `stimuli` holds clusters of them.
relative_error <- function(h, stimuli, neurons, rows = length(stimuli)) {
  variance <- sum(neurons) / ((rows - 1) * length(neurons))
  g <- variance^2 / h
  n <- effective_count(stimuli)
  q <- effective_count(neurons)
  sqrt(8 / g * (1 / n + 1 / q) + 4 * (1 / n^2 + 1 / q^2 + (g / (n * q))^2))
}

effective_count <- function(size) sum(size)^2 / sum(size^2)

# Do few neurons hold most of the variance of a side? When the effective number of neurons is below
# this share of their number, cka_interval() corrects the bias of the ratio (bench/ratio.R).
even_share <- 0.4

is_uneven <- function(pair) {
  share <- vapply(pair[c("x", "y")], function(repr) {
    repr <- without_holes(repr)
    if (!ncol(repr$data)) 1 else effective_count(form_linear(repr)$s) / ncol(repr$data)
  }, 0)
  min(share) < even_share
}

# Representations are judged by the neurons that have a mean response to every stimulus.
without_holes <- function(repr) {
  if (!has_holes(repr)) return(repr)
  repr$data <- known_columns(repr$data)
  repr$cache <- new_cache()
  repr
}

# A cluster counts as one stimulus, as if all of its stimuli were alike.
side_error <- function(repr, h, clusters = NULL) {
  repr <- without_holes(repr)
  if (!ncol(repr$data)) return(0)
  if (is.null(clusters)) {
    form <- form_linear(repr)
    return(relative_error(h$value, form$k, form$s))
  }
  codes <- labelled_codes(clusters)
  squares <- scaled_data(repr, TRUE)^2
  sizes <- drop(rowsum(rowSums(squares), codes)) / tabulate(codes)
  relative_error(h$value, sizes, colSums(squares), length(codes))
}

warn_unstable <- function(value, pair, error, clusters = NULL) {
  widths <- c(ncol(pair$x$data), ncol(pair$y$data))
  count <- if (is.null(clusters)) pair$x$n else cluster_count(clusters)
  size <- paste0("with ", count, if (is.null(clusters)) " stimuli" else " clusters of stimuli",
                 " and ", paste(unique(widths), collapse = " and "), " neurons")
  far <- value > far_above_one && count >= enough_stimuli && all(widths >= enough_neurons)
  if (!far && error <= unstable_error) return(invisible())
  shown <- format(value, digits = 3)
  text <- if (far) {
    paste0("The corrected CKA is ", shown, " ", size, ": so far above 1 that chance hardly ",
           "explains it", if (is_uneven(pair)) {
             paste0(", unless few neurons hold most of the variance, as they do here: divide ",
                    "each neuron by its standard deviation")
           }, ". ", causes_of_high_values(pair$x$arg, pair$y$arg, also = is_uneven(pair)))
  } else {
    paste0("The corrected CKA (", shown, " ", size, ") is uncertain: its denominators have a ",
           "relative standard error of about ", format(error, digits = 2), ". There are too few ",
           "neurons or stimuli for a single ratio: pool over splits, trials or subsets.",
           if (value > 1) paste0(" ", causes_of_high_values(pair$x$arg, pair$y$arg, also = TRUE)))
  }
  warn(text, class = "repalign_unstable", data = c(cka = value, relative_error = error))
}

causes_of_high_values <- function(x, y, also = FALSE) {
  paste0(if (also) "Values above 1 also come" else "Such values come",
         " from neurons that are on both sides under different names, and from noise that `", x,
         "` and `", y, "` share: use `shared_neurons`, or name neurons, sessions or electrodes in ",
         "`units_x` and `units_y`.")
}

# rows: a list with what cka_interval() computed for each estimator.
warn_unstable_intervals <- function(pair, rows, clusters = NULL) {
  for (row in rows) {
    if (corrects_neurons(row$values$estimator) && !is.na(row$value)) {
      error <- if (corrects_trials(row$values$estimator)) 0 else
        max(side_error(pair$x, list(value = row$self[1]), clusters),
            side_error(pair$y, list(value = row$self[2]), clusters))
      if (isTRUE(row$values$conf_low > 1)) warn_interval_above(pair, row$values, error)
      else warn_unstable(row$value, pair, error, clusters)
    }
  }
}

warn_interval_above <- function(pair, values, error) {
  warn("The interval of the corrected CKA, ", format(values$conf_low, digits = 3), " to ",
       format(values$conf_high, digits = 3), ", lies wholly above 1. ",
       causes_of_high_values(pair$x$arg, pair$y$arg),
       if (error > unstable_error) " Or there are too few neurons or stimuli.",
       class = "repalign_unstable", data = c(cka = values$cka, relative_error = error))
}

# Warns about pooled values of an analysis. stimuli: their number, or NULL when the rows of the data
# are not stimuli.
# The intervals of analyses cover the sampling of stimuli only. When the true CKA is 1, they lie
# wholly above 1 in 5 to 33% of the data sets (bench/unstable.R). The sampling of q neurons adds a
# standard error of about 1 / sqrt(q). No value came out above 1 by more than twice that, which is
# why the warning asks for it, too.
warn_unstable_rows <- function(result, stimuli) {
  above <- !is.na(result$conf_low) & result$conf_low > 1 &
    result$pooled > 1 + 2 / sqrt(result$neurons)
  far <- !is.na(result$pooled) & result$pooled > far_above_one &
    result$neurons >= enough_neurons & isTRUE(stimuli >= enough_stimuli)
  at <- which(result$estimator == "stimulus_neuron" & (above | far))
  if (!length(at)) return(invisible())
  first <- result[at[which.max(result$neurons[at])], ]
  warn(length(at), " of ", sum(result$estimator == "stimulus_neuron"), " corrected values are ",
       "above 1 by more than chance explains: ", first$x, " and ", first$y, " with ",
       first$neurons, " neurons are at ", format(first$pooled, digits = 3),
       if (!is.na(first$conf_low)) {
         paste0(" (", format(first$conf_low, digits = 3), " to ",
                format(first$conf_high, digits = 3), ")")
       }, ". Such values come from neurons that are on both sides under different names, from ",
       "noise that both sides share (name neurons, sessions or electrodes in the labels of ",
       "units), or from too few neurons or stimuli.",
       class = "repalign_unstable", data = result$pooled[at])
}
