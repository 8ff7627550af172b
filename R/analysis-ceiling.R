# Analyses of responses to several trials: the ceiling that the noise of the trials sets to each
# estimate, and the estimate without this noise.

# What estimates from trials are made of. Where only a ceiling needs them, an obstacle costs the
# ceiling and not the analysis.
trials_or_none <- function(setup, compute) {
  if (!uses_trials(setup)) return(NULL)
  if (setup$by_trials) return(compute())
  tryCatch(compute(), repalign_error = function(e) {
    inform("No noise ceiling: ", conditionMessage(e), class = "repalign_no_ceiling")
    NULL
  })
}

# The cells with H values from different trials beside their own, over the same neuron pairs.
with_trial_values <- function(cells, comparison, parts, terms, members, setup) {
  if (is.null(parts) || !setup$ceiling) return(cells)
  lapply(cells, function(cell) {
    if (!corrects_stimuli(cell$estimator)) return(cell)
    codes <- if (corrects_neurons(cell$estimator)) comparison$codes
    own <- Map(function(part, name) replace(part, "codes", list(codes[[name]])),
               parts, names(parts))
    single <- trial_single(own, terms, members)
    cell$clean <- list(single = single, exchangeable = cell$exchangeable,
                       deletions = if (!is.null(cell$deletions)) {
                         trial_size_deletions(comparison, own, members,
                                              stats::complete.cases(single))
                       })
    cell
  })
}

# The self terms of the region from different trials, for each estimator that has a ceiling.
region_ceilings <- function(part, trials, naive, setup) {
  if (is.null(trials) || !setup$ceiling) return(part)
  for (e in setdiff(setup$estimator, "naive")) {
    own <- replace(trials, "codes", list(if (corrects_neurons(e)) setup$codes))
    h <- trial_subset_h(own, part$subset, part$subset, naive)
    part$clean[[e]] <- list(h = h, deletions = if (!is.null(setup$conf_level)) {
      trial_pool_deletions(own, part$subset, part$subset, !is.na(h))
    })
  }
  part
}

# The cell of a layer with the self term of the region from different trials in the place of its
# own. clean: from region_ceilings().
layer_clean <- function(cell, clean) {
  if (is.null(clean)) return(cell)
  single <- cell$single
  single[, 2] <- clean$h
  deletions <- cell$deletions
  if (!is.null(deletions)) deletions[, 2] <- clean$deletions
  cell$clean <- list(single = single, deletions = deletions, exchangeable = FALSE)
  cell
}

# The columns of one row: the estimate's ceiling and the disattenuated estimate, with standard
# errors. h: the pooled H values, clean: those from different trials (or NULL), both as lists of
# `value` (3 numbers) and `deletions` (a matrix, or NULL). row: the row so far.
ceiling_of_row <- function(row, h, clean) {
  if (corrects_trials(row$estimator)) {
    return(data.frame(ceiling = 1, ceiling_se = NA_real_, disattenuated = row$pooled,
                      disattenuated_se = row$pooled_se))
  }
  if (is.null(clean)) {
    return(data.frame(ceiling = NA_real_, ceiling_se = NA_real_, disattenuated = NA_real_,
                      disattenuated_se = NA_real_))
  }
  error <- function(theta) sqrt(delete_one_variance(theta))
  known <- !is.null(h$deletions) && !is.null(clean$deletions)
  without <- function(part) part$deletions[-1, , drop = FALSE]
  data.frame(
    ceiling = ceiling_of_h(matrix(h$value, 1), matrix(clean$value, 1)),
    ceiling_se = if (known) error(ceiling_of_h(without(h), without(clean))) else NA_real_,
    disattenuated = ratio_of(matrix(clean$value, 1)),
    disattenuated_se = if (known) error(ratio_of(without(clean))) else NA_real_
  )
}

# The ceiling for each row of H values xy, xx and yy; NA where a self term is not positive.
ceiling_of_h <- function(h, clean) {
  self <- cbind(h[, 2:3, drop = FALSE], clean[, 2:3, drop = FALSE])
  defined <- rowSums(is.na(self) | self <= 0) == 0
  result <- rep(NA_real_, nrow(h))
  self <- self[defined, , drop = FALSE]
  result[defined] <- sqrt(self[, 3] / self[, 1]) * sqrt(self[, 4] / self[, 2])
  result
}

cell_ceiling <- function(row, cell, setup) {
  if (!isTRUE(setup$ceiling)) return(row)
  values <- function(part) list(value = pooled_cell(part), deletions = pool_deletions(part))
  cbind(row, ceiling_of_row(row, values(cell), if (!is.null(cell$clean)) values(cell$clean)))
}

# The same for several cells that are pooled.
combined_ceiling <- function(row, group, setup) {
  if (!isTRUE(setup$ceiling)) return(row)
  clean <- Filter(Negate(is.null), lapply(group, function(cell) cell$clean))
  whole <- length(clean) == length(group)
  cbind(row, ceiling_of_row(row, combined_h(group), if (whole) combined_h(clean)))
}
