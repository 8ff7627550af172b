# Noise ceilings of the corrected linear CKA: H values from different trials beside those of the
# means over trials, with each stimulus and each unit of neurons deleted in all of them at once.

# Tables of H values: a row for nothing and for each stimulus (or cluster) deleted, a column for
# nothing and for each unit of neurons deleted. Those that end in _trial are free of noise.
cka_ceiling_tables <- function(task, y, args) {
  if (is.null(y) || !has_trials(y)) return(fixed_ceiling_tables(task, y, args))
  labels <- list(x = ceiling_units(task$x, "x"), y = ceiling_units(y, "y"))
  layout <- ceiling_layout(labels)
  plain <- leave_out_sums(as_pair(task$mean, mean_of_trials(y)), layout, task$codes)
  trial <- trial_sums(as_pair(task$x, y), layout, task$codes)
  table <- function(loo, part, sides) {
    scaled_table(h_table(loo[[part]], args$estimator), loo$scale[sides], plain$scale[sides])
  }
  both <- list(xy = 1:2, xx = c(1, 1), yy = c(2, 2))
  terms <- Map(function(part, sides) table(plain, part, sides), names(both), both)
  trials <- Map(function(part, sides) table(trial, part, sides), names(both), both)
  names(trials) <- paste0(names(both), "_trial")
  list(terms = c(terms, trials), layout = layout, n = plain$n, scale = plain$scale[1])
}

# The units of y are taken as all that there are: they are not deleted, and their self term is
# corrected for few stimuli only.
fixed_ceiling_tables <- function(task, y, args) {
  layout <- ceiling_layout(list(x = ceiling_units(task$x, "x")))
  x <- centered_data(task$mean)
  scale <- log2(form_centering(task$mean)$scale)
  plain <- self_sums(x, layout$x, layout$count, task$codes)
  sample <- checked_sample(task$x, task$x, task$codes)
  trial <- trial_cross_sums(sample, layout$x, layout$x, layout$count)
  if (is.na(h_table(plain, args$estimator)[1])) no_allowed_pair(self_pair(task$x), TRUE)
  terms <- list(
    xx = h_table(plain, args$estimator),
    xx_trial = scaled_table(h_table(trial, args$estimator), sample$scale, c(scale, scale))
  )
  if (!is.null(y)) terms <- c(terms, fixed_cross_tables(x, centered_data(y), layout, task$codes))
  list(terms = terms, layout = layout, n = nrow(terms$xx) - 1, scale = scale)
}

fixed_cross_tables <- function(x, y, layout, codes) {
  width <- as.double(ncol(y))
  rows <- loo_columns(x, y, codes)$stimulus
  part <- list(stimulus = list(total = rowSums(rows),
                               unit = sum_by_unit(rows, layout$x, layout$count)),
               pairs = list(total = ncol(x) * width,
                            unit = tabulate(layout$x, layout$count) * width))
  xy <- h_table(part, "stimulus")
  yy <- self_totals(y, codes)$stimulus / width^2
  yy <- matrix(yy, nrow(xy), ncol(xy))
  list(xy = xy, yy = yy, xy_trial = xy, yy_trial = yy)
}

# The same tables in units of data that are scaled by other powers of two.
scaled_table <- function(table, from, to) table * 2^(2 * (sum(to) - sum(from)))

# The label of the neuron of each column; without labels each column is a neuron.
ceiling_units <- function(repr, side) {
  labels <- repr$responses$neuron
  if (is.null(labels)) own_labels(ncol(repr$data), side) else labels
}

# As unit_layout() gives it. labels: list(x), or list(x, y) where neurons of both are deleted.
ceiling_layout <- function(labels) {
  units <- unique(unlist(labels))
  in_x <- units %in% labels$x
  shared <- any(labels$y %in% labels$x)
  strata <- if (shared || is.null(labels$y)) list(seq_along(units)) else
    list(which(in_x), which(!in_x))
  list(labels = labels, x = match(labels$x, units), y = match(labels$y, units),
       count = length(units), strata = strata)
}

mean_of_trials <- function(repr) {
  list(kind = "data", data = repr$data, n = repr$n, arg = repr$arg, name = repr$name,
       side = repr$side, cache = new_cache())
}
