# Sums of H values from trials with each stimulus and each unit of neurons deleted, for
# cka_interval().

# What leave_out_sums() gives, with the values from trials as `stimulus`. The naive part is the size
# of the terms alone.
trial_sums <- function(pair, layout, clusters) {
  codes <- clusters
  sample <- function(a, b) checked_sample(pair[[a]], pair[[b]], codes)
  xy <- sample("x", "y")
  xx <- sample("x", "x")
  yy <- sample("y", "y")
  list(
    xy = trial_cross_sums(xy, layout$x, layout$y, layout$count),
    xx = trial_cross_sums(xx, layout$x, layout$x, layout$count),
    yy = trial_cross_sums(yy, layout$y, layout$y, layout$count),
    layout = layout, n = max(xy$units), clusters = !is.null(codes), scale = xy$scale,
    centered = TRUE
  )
}

checked_sample <- function(rx, ry, codes) {
  sample <- trial_sample(rx, ry, codes = codes)
  check_trial_units(sample, list(x = rx, y = ry))
  sample
}

trial_cross_sums <- function(sample, unit_x, unit_y, units) {
  rows <- trial_columns(sample)
  if (anyNA(rows[1, ])) refuse_few_members(sample, NULL, sample$reprs)
  columns <- if (sample$self) rows else trial_columns(swapped_sample(sample))
  within <- trial_within_sums(sample, unit_x, unit_y, units)
  # rows and columns both count the neuron pairs within a unit, which must count once
  unit <- sum_by_unit(rows, unit_x, units) + sum_by_unit(columns, unit_y, units) - within
  list(naive = list(total = trial_magnitude(sample)),
       stimulus = list(total = rowSums(rows), unit = unit, within = within),
       pairs = neuron_pair_counts(unit_x, unit_y, units))
}

trial_within_sums <- function(sample, unit_x, unit_y, units) {
  left_out <- excluded_pairs(unit_x, unit_y)
  sums <- matrix(0, max(sample$units) + 1, units)
  if (length(left_out$x)) {
    sums[, unit_x[left_out$x]] <- trial_pairs(sample, left_out$x, left_out$y)
  }
  for (block in left_out$blocks) {
    inside <- trial_columns(some_columns(sample, block$x, block$y))
    sums[, unit_x[block$x[1]]] <- rowSums(inside)
  }
  sums
}

swapped_sample <- function(sample) {
  sample$reprs <- list(x = sample$reprs$y, y = sample$reprs$x)
  from <- c("x", "y", "counts_x", "counts_y", "session_x", "session_y")
  sample[from] <- sample[from[c(2, 1, 4, 3, 6, 5)]]
  sample$scale <- rev(sample$scale)
  sample
}

# The pair and the arguments of cka_interval() as responses() objects declare them: groups of
# estimators that share their deletions, each with its labels.
settled_interval <- function(pair, args) {
  reprs <- list(x = list(pair$x), y = list(pair$y))
  args <- arguments_in_order(args, pair[c("x", "y")])
  wanted <- if (args$default_estimator && has_structure(pair)) "naive" else args$estimator
  groups <- list(plain = setdiff(wanted, trial_estimators),
                 trial = intersect(wanted, trial_estimators))
  groups <- lapply(Filter(length, groups), function(estimator) {
    # the most corrected of a group says what its labels are
    group <- replace(args, "estimator", list(utils::tail(estimator, 1)))
    group <- settle_cka(group, reprs)
    if (!args$default_estimator || !has_structure(pair)) group$estimator <- estimator
    declared <- declared_pair(pair, list(id = "cka", label = "cka_interval", args = group,
                                         declaration = declaration("cka")))
    list(args = declared$measure$args, pair = declared$pair)
  })
  list(pair = groups[[1]]$pair, clusters = groups[[1]]$args$clusters,
       groups = lapply(groups, function(group) group$args))
}

has_structure <- function(pair) {
  any(vapply(pair[c("x", "y")], function(repr) {
    !is.null(repr$responses) && length(declared_parts(repr$responses)) > 0
  }, NA))
}

# Which columns are deleted together where the call has no labels: those that an object gives one
# label, and else each alone.
declared_units <- function(pair, args) {
  labels <- list(x = side_labels(pair$x, args, "x"), y = side_labels(pair$y, args, "y"))
  if (!is.null(attr(labels$x, "neurons")) || !is.null(attr(labels$y, "neurons"))) {
    abort("cka_interval() deletes whole sessions where they stand for shared noise, and cannot ",
          "delete neurons that are in several sessions with them: declare either `session` or ",
          "`neuron`, or use trials.", class = "repalign_error_choice", arg = pair$x$arg)
  }
  common <- pair_labels(pair, replace(args, "estimator", list(utils::tail(args$estimator, 1))))
  if (!is.null(common)) return(common)
  # nothing is on both sides
  alone <- function(repr, own) if (is.null(own)) seq_len(ncol(repr$data)) else own
  list(x = paste("x", alone(pair$x, labels$x)), y = paste("y", alone(pair$y, labels$y)))
}
